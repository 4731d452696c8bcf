/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_instances.c - makes, fills and removes what the samples of a run are made on (run_parts.h).
 *
 * Without plan.one_by_one all instances are made, then all are filled, then samples begin, and all
 * are removed at the end. With it that holds for files, directories and devices; a zvol or dataset
 * is made and filled when its first sample is due and removed when the first one of another
 * instance is: the plan has grouped the samples so that each is made once.
 */
#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/fill.h"
#include "engine/inspect.h"
#include "engine/run_parts.h"
#include "engine/zfs/dataset.h"

static size_t target_of(const struct run *run, size_t instance)
{
	return run->plan->instances[instance].target;
}

/* Whether it is there only while samples are made on it. */
static bool is_passing(const struct run *run, size_t instance)
{
	return run->plan->one_by_one &&
	       target_kind_is_zfs(run->plan->instances[instance].spec.kind);
}

/* ---- making ---- */

static bool is_trimmed(const struct plan *plan, size_t instance)
{
	for (size_t i = 0; i < plan->sample_count; i++)
		if (plan->samples[i].instance == instance && plan_leaves_holes(&plan->samples[i]))
			return true;
	return false;
}

static void note_left(void *run, const char *what, const struct error *err)
{
	run_note_left(run, what, err);
}

static int make(struct run *run, size_t instance, struct error *err)
{
	const struct plan_instance *planned = &run->plan->instances[instance];
	const struct target_making making = {
		.run_id = run->config->run_id,
		.number = run->plan->instance_count > 1 ? instance + 1 : 0,
		.manifest = run->manifest,
		.cancel = run->config->cancel,
		.step = run_tick,
		.left = note_left,
		.arg = run,
	};
	struct target_need need;
	int r = run_cancelled(run, err);

	if (r < 0)
		return r;
	r = inspect_need(run->plan, planned->target, &need);
	if (r < 0)
		r = error_set_sys(err, ERROR_OUT_OF_RANGE, -r, "Sizing the target");
	else
		r = target_create(run->config->allow, &planned->spec, &need, &making,
				  &run->targets[instance], err);
	if (r == 0 && is_trimmed(run->plan, instance))
		r = target_probe_discard(run->targets[instance], err);
	if (r < 0 && r != -ECANCELED)
		inspect_blame_instance(run->plan, instance, err);
	if (r == 0)
		run_tell(run, true); /* it may have taken its time: a sign of life */
	return r;
}

/* ---- filling ---- */

static bool is_filled(const struct run *run, size_t instance)
{
	return !run->plan->definition->targets[target_of(run, instance)].existing &&
	       inspect_moves_data(run->plan, target_of(run, instance), run->config->backend);
}

static uint64_t fill_bytes(const struct run *run, size_t instance)
{
	struct target_need need;
	uint64_t bytes;

	/* What overflows was refused before. */
	if (!is_filled(run, instance) ||
	    inspect_need(run->plan, target_of(run, instance), &need) < 0 ||
	    __builtin_mul_overflow(need.bytes - need.first, need.files, &bytes))
		return 0;
	return bytes;
}

static bool still_wanted(void *arg)
{
	struct run *run = arg;

	run_tell(run, false);
	return !atomic_load(run->config->cancel);
}

static int check_blank(struct run *run, size_t instance, struct error *err)
{
	int r = 0;

	if (is_filled(run, instance))
		r = target_check_blank(run->targets[instance], still_wanted, run, err);
	if (r == -ECANCELED)
		return run_cancelled(run, err);
	if (r < 0)
		inspect_blame_target(run->plan, target_of(run, instance), err);
	return r;
}

static void fill_tick(void *arg, uint64_t bytes_done)
{
	struct run *run = arg;

	forecast_fill(&run->forecast, run->filled_before + bytes_done, clock_now_ns());
	run_tell(run, false);
}

static void refill_tick(void *arg, uint64_t bytes_done)
{
	(void)bytes_done; /* the forecast knows of the first fill of each only */
	run_tell(arg, false);
}

/* A device's EIO says little: of a full pool or quota too (zfs_is_full()). */
static bool is_full(const struct target_info *info, int sys)
{
	if (sys != EIO || !info->zfs.pool[0])
		return sys == ENOSPC || sys == EDQUOT;
	return zfs_is_full(target_kind_is_zfs(info->kind) ? info->path : info->zfs.pool);
}

void run_blame_full(const struct run *run, size_t instance, struct error *err)
{
	const struct target_info *info = target_info(run->targets[instance]);
	char said[ERROR_MESSAGE_MAX];
	int sys = err ? err->sys : 0;

	if (!is_full(info, sys))
		return;
	(void)snprintf(said, sizeof(said), "%s", err->message);
	if (info->zfs.pool[0])
		(void)error_set(err, ERROR_NO_SPACE, "",
				"the pool %.64s has no space left for %.128s (another's data, or a "
				"quota, took it): %.200s",
				info->zfs.pool, info->path, said);
	else
		(void)error_set(err, ERROR_NO_SPACE, "",
				"the file system of %.128s has no space left: %.200s", info->path,
				said);
	err->sys = sys;
	inspect_blame_target(run->plan, target_of(run, instance), err);
}

static int fill(struct run *run, size_t instance, void (*tick)(void *arg, uint64_t bytes_done),
		struct error *err)
{
	struct fill_config config = {
		.backend = run->config->backend,
		.direct = target_info(run->targets[instance])->direct,
		.seed = run->plan->definition->seed + instance,
		.cancel = run->config->cancel,
		.tick = tick,
		.arg = run,
	};
	int r = run_cancelled(run, err);

	if (r == 0)
		r = inspect_fill_like(run->plan, target_of(run, instance), &config.like,
				      &config.like_unit, err);
	if (r == 0 && is_filled(run, instance))
		r = fill_target(run->targets[instance], &config, err);
	if (r < 0)
		run_blame_full(run, instance, err);
	return r;
}

static int fill_first(struct run *run, size_t instance, struct error *err)
{
	int r = fill(run, instance, fill_tick, err);

	if (r < 0)
		return r;
	run->filled_before += fill_bytes(run, instance);
	forecast_filled(&run->forecast, run->filled_before, clock_now_ns());
	return 0;
}

/* ---- the instances of a run ---- */

/* All are made before any is looked at, and all are looked at before the first is written. */
static int make_kept(struct run *run, struct error *err)
{
	size_t count = run->plan->instance_count;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = is_passing(run, i) ? 0 : make(run, i, err);
	for (size_t i = 0; i < count && r == 0; i++)
		r = is_passing(run, i) ? 0 : check_blank(run, i, err);
	return r;
}

int run_make_kept(struct run *run, struct error *err)
{
	size_t count = run->plan->instance_count;
	uint64_t kept = 0, all = 0;
	int r = make_kept(run, err);

	for (size_t i = 0; i < count; i++) {
		uint64_t bytes = r == 0 ? fill_bytes(run, i) : 0;

		all += bytes;
		kept += is_passing(run, i) ? 0 : bytes;
	}
	forecast_expect_fill(&run->forecast, all);
	if (kept > 0)
		run_enter(run, PHASE_FILL);
	for (size_t i = 0; i < count && r == 0; i++)
		r = is_passing(run, i) ? 0 : fill_first(run, i, err);
	return r;
}

static void remove_instance(struct run *run, size_t instance)
{
	struct error err = {0};

	if (!run->targets[instance])
		return;
	if (target_remove(run->targets[instance], run_tick, run, &err) < 0)
		run_note_left(run, target_info(run->targets[instance])->path, &err);
	target_free(run->targets[instance]);
	run->targets[instance] = NULL;
}

int run_make_ready(struct run *run, struct error *err)
{
	size_t instance = run->sample->instance;
	int r;

	if (run->targets[instance])
		return 0;
	run_enter(run, PHASE_PREPARE);
	for (size_t i = 0; i < run->plan->instance_count; i++) {
		if (!is_passing(run, i) || !run->targets[i])
			continue;
		remove_instance(run, i);
		/* the next one is to have its space */
		target_await_freed(&run->plan->instances[i].spec, run->config->cancel, run_tick,
				   run);
	}
	r = make(run, instance, err);
	if (r < 0)
		return r;
	if (fill_bytes(run, instance) > 0)
		run_enter(run, PHASE_FILL);
	return fill_first(run, instance, err);
}

/* What trims have left: the next sample is to meet data, and the next trim something to trim. */
int run_refill(struct run *run, struct error *err)
{
	size_t instance = run->sample->instance;

	if (!run->holed[instance])
		return 0;
	run_enter(run, PHASE_FILL);
	run->holed[instance] = false;
	return fill(run, instance, refill_tick, err);
}

void run_remove_all(struct run *run)
{
	for (size_t i = 0; i < run->plan->instance_count; i++)
		remove_instance(run, i);
}

void run_note_left(struct run *run, const char *what, const struct error *err)
{
	/* Without memory for a finding nothing more can be said; the manifest remembers. */
	int r = findings_add(&run->plan->findings, FINDING_WARNING, "left", NULL, NULL, NULL, NULL,
			     "%s could not be removed: %s. The next run tries again.", what,
			     err->message);
	(void)r;
}
