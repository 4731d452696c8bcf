/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect.c - what must hold before a run begins (run.h: run_inspect), apart from carrying it
 * out (run.c) and from the choice of a backend (inspect_backend.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/inspect.h"
#include "engine/io/placement.h"
#include "engine/plan/machine_options.h"
#include "engine/run.h"
#include "engine/target/manifest.h"

/* ---- targets ---- */

void inspect_blame_target(const struct plan *plan, size_t target, struct error *err)
{
	char pointer[DEFINITION_POINTER_MAX];

	if (err)
		(void)snprintf(err->field, sizeof(err->field), "%s",
			       definition_target_pointer(plan->definition, target, pointer));
}

void inspect_blame_instance(const struct plan *plan, size_t instance, struct error *err)
{
	const struct definition *definition = plan->definition;
	const struct target_spec *spec = &plan->instances[instance].spec;
	const char *value = err && target_kind_is_zfs(spec->kind)
				    ? properties_get(&spec->properties, err->field)
				    : NULL;
	char field[2 * ERROR_FIELD_MAX] = "", pointer[DEFINITION_POINTER_MAX];

	if (!err)
		return;
	definition_target_pointer(definition, plan->instances[instance].target, pointer);
	if (value || (target_kind_is_zfs(spec->kind) && strcmp(err->field, "size") == 0))
		(void)snprintf(field, sizeof(field), "%s/%s%s/%.64s", pointer,
			       target_kind_names[spec->kind], value ? "/properties" : "",
			       err->field); /* fits */
	else
		(void)snprintf(field, sizeof(field), "%s", pointer);
	for (size_t i = 0; value && i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];

		if (factor->kind != FACTOR_PROPERTY || strcmp(factor->name, err->field) != 0)
			continue;
		for (size_t k = 0; k < factor->level_count; k++)
			if (strcmp(factor->levels[k], value) == 0)
				(void)snprintf(field, sizeof(field), "/factors/%.64s/%zu",
					       factor->name, k); /* fits */
	}
	(void)snprintf(err->field, sizeof(err->field), "%.*s", ERROR_FIELD_MAX - 1, field);
}

void inspect_blame_sample(const struct plan *plan, const struct plan_sample *sample,
			  struct error *err)
{
	char pointer[DEFINITION_POINTER_MAX];

	if (err)
		(void)snprintf(err->field, sizeof(err->field), "%s",
			       definition_locate(plan->definition, sample->workload, sample->levels,
						 option_find(err->field), pointer));
}

static bool is_direct(const struct workload *workload)
{
	for (size_t i = 0; i < workload_parts(workload); i++)
		if (workload_part(workload, i)->direct)
			return true;
	return false;
}

int inspect_need(const struct plan *plan, size_t target, struct target_need *ret_need)
{
	struct target_need need = {.writes = !plan->definition->targets[target].existing};
	int r = plan_target_extent(plan, target, &need.bytes, &need.files);

	if (r == 0 && plan->definition->targets[target].kind == TARGET_ZVOL)
		r = plan_volume_bytes(plan, target, &need.bytes);
	if (r < 0)
		return r;
	need.first = plan_target_first(plan, target);
	plan_target_tree(plan, target, &need.tree_bytes, &need.tree_inodes);
	for (size_t i = 0; i < plan->sample_count; i++)
		if (plan->samples[i].target == target)
			need.direct |= is_direct(&plan->samples[i].options);
	*ret_need = need;
	return 0;
}

/*
 * A new file's path may be taken now by the run that measures, which will have removed its own when
 * it is the turn of this one: its directory is looked at in its place. All is checked again then.
 */
static int inspect_in_turn(const struct target_spec *spec, const struct target_need *need,
			   const struct run_look *look, struct target_info *ret_info,
			   struct findings *findings, struct error *err)
{
	struct target_spec place = {.kind = TARGET_DIRECTORY};
	const char *slash = strrchr(spec->path, '/');
	int r;

	place.path = strndup(spec->path, slash == spec->path ? 1 : (size_t)(slash - spec->path));
	if (!place.path)
		return error_no_memory(err);
	r = target_inspect(look->allow, &place, need, true, ret_info, findings, err);
	free(place.path);
	if (r < 0)
		return r;
	ret_info->kind = TARGET_FILE;
	(void)snprintf(ret_info->path, sizeof(ret_info->path), "%s",
		       spec->path); /* it was opened */
	return 0;
}

static int inspect_spec(const struct target_spec *spec, const struct target_need *need,
			const struct run_look *look, struct target_info *ret_info,
			struct findings *findings, struct error *err)
{
	struct error why = {0};
	int r = target_inspect(look->allow, spec, need, look->measuring, ret_info, findings, &why);

	if (r < 0 && why.code == ERROR_FILE_EXISTS && look->measuring &&
	    spec->kind == TARGET_FILE && !spec->existing &&
	    manifest_lists(look->state_dirfd, spec->path))
		return inspect_in_turn(spec, need, look, ret_info, findings, err);
	if (r < 0 && err)
		*err = why;
	return r;
}

/* Adds those that are not there yet: instances of one target are much alike. */
static int add_new(const struct findings *from, struct findings *to)
{
	int r = 0;

	for (size_t i = 0; i < from->count && r == 0; i++) {
		bool there = false;

		for (size_t k = 0; k < to->count && !there; k++)
			there = strcmp(to->list[k].message, from->list[i].message) == 0;
		r = there ? 0 : findings_append(to, &from->list[i]);
	}
	return r;
}

/* One zvol or dataset of a target; *info, of those before it, is kept where it is stricter. */
static int inspect_instance(struct plan *plan, const struct run_look *look, size_t instance,
			    const struct target_need *need, bool first, struct target_info *info,
			    uint64_t *ret_reserved, struct error *err)
{
	struct findings findings;
	struct target_info found;
	int r;

	findings_init(&findings);
	r = target_inspect(look->allow, &plan->instances[instance].spec, need, look->measuring,
			   &found, &findings, err);
	if (r < 0)
		inspect_blame_instance(plan, instance, err);
	else if (add_new(&findings, &plan->findings) < 0)
		r = error_no_memory(err);
	findings_done(&findings);
	if (r < 0)
		return r;
	*ret_reserved = found.reserved_bytes;
	if (first)
		*info = found;
	else if (found.logical_block_bytes > info->logical_block_bytes)
		info->logical_block_bytes = found.logical_block_bytes;
	if (look->tick)
		look->tick(look->arg);
	return 0;
}

static int inspect_instances(struct plan *plan, const struct run_look *look, size_t target,
			     const struct target_need *need, struct target_info *ret_info,
			     uint64_t *reserved, struct error *err)
{
	bool first = true;

	for (size_t i = 0; i < plan->instance_count; i++) {
		int r;

		if (plan->instances[i].target != target)
			continue;
		r = inspect_instance(plan, look, i, need, first, ret_info, &reserved[i], err);
		if (r < 0)
			return r;
		first = false;
	}
	return 0;
}

static int inspect_target(struct plan *plan, const struct run_look *look, size_t target,
			  struct target_info *ret_info, uint64_t *reserved, struct error *err)
{
	const struct target_spec *spec = &plan->definition->targets[target];
	struct target_need need;
	int r = inspect_need(plan, target, &need);

	if (r == 0 && target_kind_is_zfs(spec->kind))
		return inspect_instances(plan, look, target, &need, ret_info, reserved, err);
	if (r < 0)
		r = error_set(err, ERROR_OUT_OF_RANGE, "",
			      "The target would be larger than 2^64 bytes: lower size, numjobs or "
			      "offset.");
	else
		r = inspect_spec(spec, &need, look, ret_info, &plan->findings, err);
	if (r < 0)
		inspect_blame_target(plan, target, err);
	else if (look->tick)
		look->tick(look->arg);
	return r;
}

/* Bytes that the first `count` targets take together on the file system of the last of them. */
static uint64_t shared_bytes(const struct plan *plan, const struct target_info *infos, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++) {
		struct target_need need;
		uint64_t bytes;

		/* What overflows was refused before; what is only read takes none. */
		if (infos[i].place != infos[count - 1].place || inspect_need(plan, i, &need) < 0 ||
		    !need.writes)
			continue;
		if (__builtin_mul_overflow(need.bytes, need.files, &bytes) ||
		    __builtin_add_overflow(bytes, need.tree_bytes, &bytes) ||
		    __builtin_add_overflow(total, bytes, &total))
			return UINT64_MAX;
	}
	return total;
}

/* Several targets on one file system must fit in it together. */
static int check_shared_space(const struct plan *plan, const struct target_info *infos,
			      struct error *err)
{
	for (size_t i = 1; i < plan->definition->target_count; i++) {
		int r;

		if (infos[i].place == 0 || plan->definition->targets[i].existing)
			continue;
		r = target_check_space(&infos[i], shared_bytes(plan, infos, i + 1), err);
		if (r < 0) {
			inspect_blame_target(plan, i, err);
			return r;
		}
	}
	return 0;
}

/* ---- samples ---- */

static const struct option *option_of_ring(const struct workload *workload)
{
	const struct option *option = NULL;

	for (size_t i = 0; i < workload_parts(workload) && !option; i++)
		option = machine_options_of_ring(workload_part(workload, i));
	return option;
}

/* Whether a target's driver can be asked for completions, where a workload wants that. */
static int check_polled(const struct target_info *info, const struct workload *workload,
			enum backend_kind backend, struct error *err)
{
	for (size_t i = 0; i < workload_parts(workload); i++)
		if (workload_part(workload, i)->hipri && backend == BACKEND_IO_URING &&
		    !info->polled)
			return error_set(err, ERROR_CONFLICT, "hipri",
					 "%.200s%s%s%s cannot be polled for completions "
					 "(hipri=1): its driver has no queues for it",
					 info->path, info->filesystem[0] ? " (" : "",
					 info->filesystem, info->filesystem[0] ? ")" : "");
	return 0;
}

static int check_threads(struct plan *plan, const struct plan_sample *sample, const char *reason,
			 struct error *err)
{
	const struct option *option = option_of_ring(&sample->options);
	uint64_t threads = workload_outstanding(&sample->options);

	/* The option could only be ignored. */
	if (option) {
		(void)error_set(err, ERROR_CONFLICT, option->name,
				"%s is for io_uring, and the threads backend is used since %.200s; "
				"leave it out",
				option->name, reason);
		inspect_blame_sample(plan, sample, err);
		return -EINVAL;
	}
	if (threads > plan->estimate.threads)
		plan->estimate.threads = threads;
	if (threads <= MEASURE_THREADS_MAX)
		return 0;
	(void)error_set(err, ERROR_TOO_MANY_THREADS, "",
			"iodepth x numjobs is %" PRIu64 ", and the threads backend, used since "
			"%.200s, has at most %d threads.",
			threads, reason, MEASURE_THREADS_MAX);
	inspect_blame_sample(plan, sample, err);
	return -EINVAL;
}

/* Where io_uring is compared with others it is taken at its word. */
static int refuse_trims(const struct plan *plan, const struct plan_sample *sample,
			struct error *err)
{
	(void)error_set(err, ERROR_CONFLICT, "ioengine",
			"rw=%s is not made by io_uring: leave out the level ioengine=io_uring",
			workload_rw_choices[sample->options.rw]);
	inspect_blame_sample(plan, sample, err);
	return -EINVAL;
}

static int check_samples(struct plan *plan, const struct target_info *infos,
			 enum backend_kind chosen, const char *reason, struct error *err)
{
	const struct plan_sample *largest = NULL;
	char refusal[160];
	bool uring = measure_uring_available(refusal, sizeof(refusal)) == 0;
	struct machine machine;
	uint64_t most = 0;

	plan->estimate.threads = 0;
	for (size_t i = 0; i < plan->sample_count; i++) {
		const struct plan_sample *sample = &plan->samples[i];
		enum backend_kind backend = inspect_backend(plan, sample, chosen, uring);
		uint64_t bytes;
		int r = target_check_workload(&infos[sample->target], &sample->options, err);

		if (r == 0)
			r = placement_check(&sample->options, err);
		if (r == 0)
			r = check_polled(&infos[sample->target], &sample->options, backend, err);
		if (r < 0)
			inspect_blame_sample(plan, sample, err);
		else if (backend == BACKEND_IO_URING && workload_trims(&sample->options))
			r = refuse_trims(plan, sample, err);
		else if (backend == BACKEND_THREADS)
			r = check_threads(plan, sample, reason, err);
		if (r < 0)
			return r;
		if (measure_memory(&sample->options, backend, &bytes) < 0)
			bytes = UINT64_MAX;
		if (bytes > most) {
			most = bytes;
			largest = sample;
		}
	}
	plan->estimate.memory_bytes = most;
	telemetry_machine(&machine);
	if (!largest || most <= machine.memory_available_bytes / 2)
		return 0;
	(void)error_set(err, ERROR_MEMORY_LIMIT, "",
			"bs x iodepth x numjobs needs %" PRIu64 " MiB of memory; half of what is "
			"available now is %" PRIu64 " MiB. Lower one of the three.",
			most >> 20, machine.memory_available_bytes >> 21);
	inspect_blame_sample(plan, largest, err);
	return -ENOMEM;
}

/* What a person must know before: nothing brings back what lay on a device. */
static int tell_overwritten(struct plan *plan, enum backend_kind backend,
			    const struct target_info *infos, struct error *err)
{
	for (size_t i = 0; i < plan->definition->target_count; i++) {
		if (infos[i].kind != TARGET_DEVICE || plan->definition->targets[i].existing ||
		    !inspect_moves_data(plan, i, backend))
			continue;
		if (findings_add(
			    &plan->findings, FINDING_WARNING, "device_overwritten", NULL, NULL,
			    NULL, NULL,
			    "What lies on %s is overwritten with random data, which stays there "
			    "when "
			    "the run is over. The next run on it will need its fingerprint, unless "
			    "it is blanked (blkdiscard -z).",
			    infos[i].path) < 0)
			return error_no_memory(err);
	}
	return 0;
}

/* A target on which nothing moves is made but not filled. */
static void correct_fill(struct plan *plan, enum backend_kind backend)
{
	for (size_t i = 0; i < plan->instance_count; i++) {
		size_t target = plan->instances[i].target;
		struct target_need need;
		uint64_t bytes;

		/* What overflows was refused before. */
		if (inspect_moves_data(plan, target, backend) ||
		    inspect_need(plan, target, &need) < 0 || !need.writes ||
		    __builtin_mul_overflow(need.bytes - need.first, need.files, &bytes) ||
		    __builtin_mul_overflow(bytes, plan_fills(plan, i), &bytes))
			continue;
		plan->estimate.fill_bytes -= bytes;
		plan->estimate.bytes_written -= bytes;
		/* nothing trims where nothing moves: its fill is the same */
		if (plan->estimate.least.samples > 0)
			plan->estimate.least.bytes_written -= bytes;
	}
}

/* Workloads without a size get their part of what was found. */
static int resolve_sizes(struct plan *plan, const struct target_info *infos, struct error *err)
{
	uint64_t sizes[DEFINITION_TARGETS_MAX];
	struct machine machine;

	for (size_t i = 0; i < plan->definition->target_count; i++)
		sizes[i] = infos[i].size_bytes;
	telemetry_machine(&machine);
	return plan_resolve(plan, &machine, sizes, err);
}

int run_inspect(struct plan *plan, const struct run_look *look, struct target_info *infos,
		enum backend_kind *ret_backend, char *reason, size_t reason_size, struct error *err)
{
	AUTO_FREE uint64_t *reserved = calloc(plan->instance_count + 1, sizeof(*reserved));
	enum backend_kind backend;
	int r;

	if (!reserved)
		return error_no_memory(err);
	for (size_t i = 0; i < plan->definition->target_count; i++) {
		r = inspect_target(plan, look, i, &infos[i], reserved, err);
		if (r < 0)
			return r;
	}
	r = inspect_check_written(plan, err);
	if (r == 0)
		r = resolve_sizes(plan, infos, err);
	if (r == 0)
		r = check_shared_space(plan, infos, err);
	/* What the run that measures has made is gone when it is this one's turn. */
	if (r == 0 && !look->measuring)
		r = inspect_space(plan, infos, reserved, err);
	if (r < 0)
		return r;
	run_choose_backend(plan, infos, &backend, reason, reason_size);
	r = check_samples(plan, infos, backend, reason, err);
	if (r < 0)
		return r;
	correct_fill(plan, backend);
	r = tell_overwritten(plan, backend, infos, err);
	if (r < 0)
		return r;
	*ret_backend = backend;
	return 0;
}
