/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect_backend.c - which backend a run and each of its samples use: run_choose_backend() of
 * run.h and inspect_backend() of inspect.h. */
#include <string.h>

#include "engine/inspect.h"
#include "engine/io/files/metadata.h"
#include "engine/run.h"

/* The ioengine of a workload; its parts ask for one backend, as far as they ask. NULL: none. */
static const struct workload *engine_of(const struct workload *workload)
{
	for (size_t i = 0; i < workload_parts(workload); i++)
		if (workload_is_set(workload_part(workload, i), OPTION_ID_IOENGINE))
			return workload_part(workload, i);
	return NULL;
}

/* Whether a workload takes its ioengine at its word, and then which backend that is. */
static bool own_backend(const struct workload *workload, bool factor,
			enum backend_kind *ret_backend)
{
	const struct workload *part = engine_of(workload);

	if (!part)
		return false;
	switch ((enum workload_ioengine)part->ioengine) {
	case IOENGINE_NULL:
		*ret_backend = BACKEND_NULL;
		return true;
	case IOENGINE_THREADS:
	case IOENGINE_PSYNC:
	case IOENGINE_SYNC:
		*ret_backend = BACKEND_THREADS;
		return true;
	case IOENGINE_IO_URING:
		*ret_backend = BACKEND_IO_URING;
		return factor;
	case IOENGINE_LIBAIO:
	case IOENGINE_POSIXAIO:
		break;
	}
	return false;
}

static bool ioengine_compared(const struct plan *plan)
{
	const struct definition *definition = plan->definition;

	for (size_t i = 0; i < definition->factor_count; i++)
		if (definition->factors[i].option &&
		    definition->factors[i].option->id == OPTION_ID_IOENGINE)
			return true;
	return false;
}

enum backend_kind inspect_backend(const struct plan *plan, const struct plan_sample *sample,
				  enum backend_kind chosen, bool uring_available)
{
	enum backend_kind own;

	if (!own_backend(&sample->options, ioengine_compared(plan), &own))
		return chosen;
	return own == BACKEND_IO_URING && !uring_available ? BACKEND_THREADS : own;
}

bool inspect_moves_data(const struct plan *plan, size_t target, enum backend_kind chosen)
{
	/* Whether io_uring is there makes no difference: threads move data as well. */
	for (size_t i = 0; i < plan->sample_count; i++)
		if (plan->samples[i].target == target &&
		    !workload_metadata(&plan->samples[i].options) &&
		    inspect_backend(plan, &plan->samples[i], chosen, true) != BACKEND_NULL)
			return true;
	return false;
}

/* The backend that every sample asks for by its ioengine, if there is one. */
static bool unanimous(const struct plan *plan, enum backend_kind *ret_backend, char *reason,
		      size_t size)
{
	enum backend_kind first, own;

	for (size_t i = 0; i < plan->sample_count; i++) {
		if (!own_backend(&plan->samples[i].options, false, &own) || (i > 0 && own != first))
			return false;
		first = own;
	}
	if (plan->sample_count == 0)
		return false;
	*ret_backend = first;
	(void)snprintf(reason, size, "ioengine=%s asks for it",
		       workload_ioengine_choices[engine_of(&plan->samples[0].options)
							 ->ioengine]); /* may be cut */
	return true;
}

/* A sample of the run's own backend that io_uring would serve one at a time. */
static const struct plan_sample *buffered_sync(const struct plan *plan)
{
	for (size_t i = 0; i < plan->sample_count; i++) {
		const struct workload *workload = &plan->samples[i].options;
		enum backend_kind own;

		if (own_backend(workload, false, &own))
			continue;
		for (size_t k = 0; k < workload_parts(workload); k++) {
			const struct workload *part = workload_part(workload, k);

			if (workload_writes(part) && !part->direct && part->sync != SYNC_NONE)
				return &plan->samples[i];
		}
	}
	return NULL;
}

static bool any_metadata(const struct plan *plan)
{
	for (size_t i = 0; i < plan->sample_count; i++)
		if (workload_metadata(&plan->samples[i].options))
			return true;
	return false;
}

/* A sample of the run's own backend that trims. */
static const struct plan_sample *trimming(const struct plan *plan)
{
	for (size_t i = 0; i < plan->sample_count; i++) {
		enum backend_kind own;

		if (workload_trims(&plan->samples[i].options) &&
		    !own_backend(&plan->samples[i].options, false, &own))
			return &plan->samples[i];
	}
	return NULL;
}

static void tell_blocking(const struct target_info *info, bool several, char *reason, size_t size)
{
	static const char why[] = "has no reads that never block (RWF_NOWAIT), so io_uring would "
				  "pass every operation to kernel threads";
	const char *all = several ? ", and all targets are measured with one backend" : "";

	if (info->kind == TARGET_DATASET)
		(void)snprintf(reason, size, "a dataset's files beneath %.100s (%s): OpenZFS %s%s",
			       info->path, info->filesystem, why, all);
	else
		(void)snprintf(reason, size, "%.120s%s%s%s %s%s", info->path,
			       info->filesystem[0] ? " (" : "", info->filesystem,
			       info->filesystem[0] ? ")" : "", why, all);
}

void run_choose_backend(const struct plan *plan, const struct target_info *infos,
			enum backend_kind *ret_backend, char *reason, size_t reason_size)
{
	const struct plan_sample *sample;
	char refusal[160];

	if (unanimous(plan, ret_backend, reason, reason_size))
		return;
	*ret_backend = BACKEND_THREADS;
	/* The texts below may be cut: they are for reading only. */
	if (measure_uring_available(refusal, sizeof(refusal)) < 0) {
		(void)snprintf(reason, reason_size, "io_uring is %s", refusal);
		return;
	}
	if (any_metadata(plan) && metadata_ring_available(refusal, sizeof(refusal)) < 0) {
		(void)snprintf(reason, reason_size, "%s", refusal);
		return;
	}
	for (size_t i = 0; i < plan->definition->target_count; i++) {
		if (infos[i].nowait || !infos[i].checked ||
		    !inspect_moves_data(plan, i, BACKEND_THREADS))
			continue;
		tell_blocking(&infos[i], plan->definition->target_count > 1, reason, reason_size);
		return;
	}
	sample = buffered_sync(plan);
	if (sample) {
		(void)snprintf(reason, reason_size,
			       "workload %.64s makes buffered synchronous writes, which io_uring "
			       "serves one at a time",
			       plan->definition->workloads[sample->workload].name);
		return;
	}
	sample = trimming(plan);
	if (sample) {
		(void)snprintf(
			reason, reason_size,
			"workload %.64s trims, which io_uring does only on devices, and only "
			"from Linux 6.12 on",
			plan->definition->workloads[sample->workload].name);
		return;
	}
	*ret_backend = BACKEND_IO_URING;
	(void)snprintf(reason, reason_size,
		       "the kernel allows it and every target has reads that never block");
}
