/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.c - see run.h: the samples of a run, its progress, its begin and end. What must hold before
 * is in inspect.c, what samples are made on in run_instances.c, filling in fill.c, time left in
 * forecast.c, samples of files in metadata_sample.c, the engine's lock in run_lock.c.
 */
#include "engine/run_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#include "engine/alone.h"
#include "engine/analysis/checks.h"
#include "engine/base/clock.h"
#include "engine/fill.h"
#include "engine/inspect.h"
#include "engine/metadata_sample.h"
#include "engine/verify_sample.h"
#include "engine/zfs_sample.h"

/* Progress is told this often at most, but for a change of phase. */
#define PROGRESS_EVERY_NS (200 * NS_PER_MS)

/* ---- progress ---- */

void run_tell(struct run *run, bool force)
{
	uint64_t now_ns = clock_now_ns();
	struct run_progress progress = {
		.phase = run->phase,
		.done = run->done,
		.total = run->total,
		.at_most = run_repeats_pending(&run->repeats),
		.sample = run->sample,
	};

	if (!run->events->progress || (!force && now_ns < run->told_ns + PROGRESS_EVERY_NS))
		return;
	run->told_ns = now_ns;
	forecast_read(&run->forecast, now_ns, &progress.percent, &progress.seconds_left);
	run->events->progress(run->events->arg, &progress);
}

void run_tick(void *run)
{
	run_tell(run, false);
}

void run_enter(struct run *run, enum run_phase phase)
{
	run->phase = phase;
	run_tell(run, true);
}

int run_cancelled(const struct run *run, struct error *err)
{
	if (!atomic_load(run->config->cancel))
		return 0;
	(void)error_set(err, ERROR_CANCELLED, "", "The run was cancelled.");
	return -ECANCELED;
}

/* ---- one sample ---- */

/* The one that the sample at hand is made on. */
static struct target *at_hand(const struct run *run)
{
	return run->targets[run->sample->instance];
}

static void sample_window(void *arg, bool begins)
{
	struct run *run = arg;
	const struct target_info *info = target_info(at_hand(run));

	telemetry_read(info->device_number, begins ? &run->before : &run->after);
	zfs_sample_window(run->zfs, begins);
	if (begins)
		run_enter(run, PHASE_MEASURE);
}

static void sample_tick(void *arg, double seconds_done, uint64_t bytes_done)
{
	(void)seconds_done;
	(void)bytes_done;
	run_tick(arg);
}

static int describe_levels(const struct definition *definition, const struct plan_sample *planned,
			   struct sample *sample)
{
	if (definition->factor_count == 0)
		return 0;
	sample->levels = calloc(definition->factor_count, sizeof(*sample->levels));
	if (!sample->levels)
		return -ENOMEM;
	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];
		struct level *level = &sample->levels[i];

		sample->level_count = i + 1;
		level->factor = strdup(factor->name);
		level->value = strdup(factor->levels[planned->levels[i]]);
		if (!level->factor || !level->value)
			return -ENOMEM;
	}
	return 0;
}

/* All of a sample that is known before it is measured. */
static int describe(const struct run *run, struct sample *sample, enum backend_kind backend)
{
	const struct definition *definition = run->plan->definition;
	const struct plan_sample *planned = run->sample;
	int r;

	sample->order = planned->order;
	sample->repeat = planned->repeat;
	sample->workload = strdup(definition->workloads[planned->workload].name);
	sample->target = strdup(definition->targets[planned->target].path);
	if (!sample->workload || !sample->target)
		return -ENOMEM;
	/* For io_uring measure_run() says what of it is in use. */
	if (backend != BACKEND_IO_URING && backend == run->config->backend) {
		sample->backend_reason = strdup(run->config->backend_reason);
		if (!sample->backend_reason)
			return -ENOMEM;
	}
	r = describe_levels(definition, planned, sample);
	return r < 0 ? r : workload_copy(&planned->options, &sample->options);
}

static uint64_t pattern_seed(const struct plan_sample *planned)
{
	uint64_t seed;

	/* Without entropy, which only happens at boot, the planned seed serves as well. */
	if (planned->options.randrepeat ||
	    getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		return planned->seed;
	return seed >> 11; /* any JSON reader keeps it exact */
}

/* The counters of the sample's window. */
static void tell_telemetry(struct run *run, struct sample *sample)
{
	const struct target_info *info = target_info(at_hand(run));

	telemetry_difference(&run->before, &run->after, &sample->device, &sample->cpu);
	if (run->before.device_known)
		(void)snprintf(sample->device.name, sizeof(sample->device.name), "%s",
			       info->device); /* of one size */
}

/* PHASE_VERIFY, where there is anything to be read back. */
static int read_back(struct run *run, struct sample *sample, struct verify *verify,
		     const struct measure_region *regions, size_t count, struct error *err)
{
	if (!verify || readback_bytes(verify) == 0)
		return 0;
	run_enter(run, PHASE_VERIFY);
	return verify_sample(sample, verify, regions, count, run->config->cancel, run_tick, run,
			     err);
}

static int measure(struct run *run, struct sample *sample, enum backend_kind backend,
		   const struct measure_region *regions, size_t count, struct verify *verify,
		   struct error *err)
{
	struct target *target = at_hand(run);
	const struct measure_spec spec = {
		.workload = &run->sample->options,
		.backend = backend,
		.seed = pattern_seed(run->sample),
		.region_count = count,
		.regions = regions,
		.verify = verify,
		.cancel = run->config->cancel,
		.window = sample_window,
		.tick = sample_tick,
		.arg = run,
	};
	const struct target_info *info = target_info(target);
	const struct zfs_sample_config beside = {
		info, regions, count, backend, run->config->cancel, run_tick, run};
	int r;

	r = zfs_sample_begin(&beside, sample, &run->zfs, err);
	if (r < 0)
		return r;
	sample->free_bytes_before = target_free_bytes(target);
	telemetry_read(info->device_number, &run->before);
	run->after = run->before;
	r = zfs_sample_end(&run->zfs, measure_run(&spec, sample, err), sample, err);
	if (r < 0)
		return r;
	sample->free_bytes_after = target_free_bytes(target);
	tell_telemetry(run, sample);
	r = read_back(run, sample, verify, regions, count, err);
	if (r == 0 && alone_wanted(sample, run->before.device_known, backend))
		r = alone_try(sample, backend, regions, run->config->cancel, err);
	if (r == 0 && backend != BACKEND_NULL &&
	    (workload_writes(&run->sample->options) || workload_trims(&run->sample->options)))
		r = fill_settle(regions, count, run->config->cancel, run_tick, run, err);
	return r;
}

/* Of a metadata workload. */
static int measure_files(struct run *run, struct sample *sample, enum backend_kind backend,
			 struct error *err)
{
	struct target *target = at_hand(run);
	const struct metadata_sample config = {
		.target = target,
		.workload = &run->sample->options,
		.backend = backend,
		.seed = pattern_seed(run->sample),
		.cancel = run->config->cancel,
		.window = sample_window,
		.tick = run_tick,
		.arg = run,
	};
	const struct zfs_sample_config beside = {target_info(target), NULL,	0,  backend,
						 run->config->cancel, run_tick, run};
	int r;

	r = zfs_sample_begin(&beside, sample, &run->zfs, err);
	if (r < 0)
		return r;
	sample->free_bytes_before = target_free_bytes(target);
	r = zfs_sample_end(&run->zfs, metadata_sample_run(&config, sample, err), sample, err);
	if (r < 0)
		return r;
	sample->free_bytes_after = target_free_bytes(target);
	tell_telemetry(run, sample);
	return 0;
}

static int check(struct sample *sample, struct error *err)
{
	return checks_sample(sample) < 0 ? error_no_memory(err) : 0;
}

static int execute_sample(struct run *run, struct sample *sample, struct error *err)
{
	struct target *target = at_hand(run);
	enum backend_kind backend =
		inspect_backend(run->plan, run->sample, run->config->backend, run->uring_available);
	struct measure_region *regions;
	struct verify *verify = NULL;
	size_t count;
	int r;

	if (describe(run, sample, backend) < 0)
		return error_no_memory(err);
	if (workload_metadata(&run->sample->options)) {
		r = measure_files(run, sample, backend, err);
		if (r < 0)
			run_blame_full(run, run->sample->instance, err);
		return r < 0 ? r : check(sample, err);
	}
	r = target_open_regions(target, &run->sample->options, &regions, &count, err);
	if (r < 0) {
		inspect_blame_sample(run->plan, run->sample, err);
		return r;
	}
	run_enter(run, run->sample->options.ramp_time_ns > 0 ? PHASE_RAMP : PHASE_MEASURE);
	run->holed[run->sample->instance] =
		plan_leaves_holes(run->sample) && backend != BACKEND_NULL;
	r = verify_new(&run->sample->options, regions, count,
		       verify_seed(run->sample->seed, run->sample->order), &verify, err);
	if (r < 0)
		inspect_blame_sample(run->plan, run->sample, err);
	if (r == 0)
		r = measure(run, sample, backend, regions, count, verify, err);
	if (r < 0)
		run_blame_full(run, run->sample->instance, err);
	verify_free(verify);
	target_close_regions(regions, count);
	return r < 0 ? r : check(sample, err);
}

/* Hands a finished sample out. *ret_over: it was the last. */
static int finish_sample(struct run *run, struct sample *sample, bool *ret_over, struct error *err)
{
	int r;

	forecast_sample_ended(&run->forecast, clock_now_ns());
	run->done++;
	if (run->events->sample)
		run->events->sample(run->events->arg, sample);
	r = verify_outcome(sample, err);
	if (r < 0) {
		inspect_blame_sample(run->plan, run->sample, err);
		return r;
	}
	return run_repeats_add(&run->repeats, sample, ret_over, err);
}

static int execute_samples(struct run *run, struct error *err)
{
	bool over = false;

	for (size_t i = 0; i < run->plan->sample_count && !over; i++) {
		struct sample sample;
		int r = run_cancelled(run, err);

		if (r < 0)
			return r;
		run->sample = &run->plan->samples[i];
		r = run_make_ready(run, err);
		if (r < 0)
			return r;
		forecast_sample_begins(&run->forecast, clock_now_ns());
		sample_init(&sample);
		r = run_refill(run, err);
		if (r == 0)
			r = execute_sample(run, &sample, err);
		if (r == 0)
			r = finish_sample(run, &sample, &over, err);
		sample_done(&sample);
		if (r < 0)
			return r;
	}
	if (run->done < run->total)
		forecast_end_samples(&run->forecast);
	run->total = run->done;
	return 0;
}

/* ---- teardown ---- */

static void tear_down(struct run *run)
{
	struct error err;
	int r;

	run->sample = NULL;
	run_enter(run, PHASE_TEARDOWN);
	run_remove_all(run);
	r = manifest_finish(run->manifest);
	if (r < 0) {
		(void)error_set_sys(&err, ERROR_SYSTEM, -r, "Its record");
		run_note_left(run, "What this run made", &err);
	}
	manifest_free(run->manifest);
}

/* The manifest is there: whatever is made is removed again. */
static int execute(struct run *run, struct error *err)
{
	int r;

	run_enter(run, PHASE_PREPARE);
	r = run_make_kept(run, err);
	if (r == 0)
		r = execute_samples(run, err);
	tear_down(run);
	return r;
}

int run_execute(struct plan *plan, const struct run_config *config, const struct run_events *events,
		struct error *err)
{
	struct run run = {
		.plan = plan, .config = config, .events = events, .total = plan->sample_count};
	char refusal[160];
	int r;

	run.uring_available = measure_uring_available(refusal, sizeof(refusal)) == 0;
	forecast_begin(&run.forecast, plan, clock_now_ns());
	run.targets = calloc(plan->instance_count + 1, sizeof(struct target *));
	run.holed = calloc(plan->instance_count + 1, sizeof(*run.holed));
	if (run.targets && run.holed && run_repeats_begin(&run.repeats, plan) == 0) {
		r = manifest_new(config->state_dirfd, config->run_id, &run.manifest);
		r = r < 0 ? manifest_tell(r, "Writing the run's manifest", err)
			  : execute(&run, err);
	} else {
		r = error_no_memory(err);
	}
	if (r == 0 && config->repeats)
		*config->repeats = run.repeats.outcome;
	run_repeats_done(&run.repeats);
	free(run.targets);
	free(run.holed);
	return r;
}
