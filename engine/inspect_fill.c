/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect_fill.c - inspect_fill_like() and inspect_check_written() of inspect.h. */
#include <errno.h>

#include "engine/inspect.h"
#include "engine/plan/written.h"

/* One more workload, a part of a sample's, that may read the target. The name of the option in
 * which it wants another fill than those before it; NULL: they agree. */
static const char *add_reader(const struct workload *part, const struct workload **like,
			      uint64_t *unit)
{
	const char *differs;

	if (!workload_reads(part))
		return NULL;
	differs = *like ? written_fill_differs(*like, part) : NULL;
	if (*unit == 0 || part->bs[DIRECTION_READ] < *unit)
		*unit = part->bs[DIRECTION_READ];
	*like = part;
	return differs;
}

int inspect_fill_like(const struct plan *plan, size_t target, const struct workload **ret_like,
		      uint64_t *ret_unit, struct error *err)
{
	const struct workload *like = NULL;
	const char *differs = NULL;
	uint64_t unit = 0;

	for (size_t i = 0; i < plan->sample_count; i++) {
		const struct workload *options = &plan->samples[i].options;

		if (plan->samples[i].target != target || plan->definition->targets[target].existing)
			continue;
		for (size_t k = 0; k < workload_parts(options) && !differs; k++)
			differs = add_reader(workload_part(options, k), &like, &unit);
		if (differs) {
			(void)error_set(err, ERROR_CONFLICT, differs,
					"a target is filled once, and the workloads that read it "
					"differ in %s: give them the same, or targets of their own",
					differs);
			inspect_blame_sample(plan, &plan->samples[i], err);
			return -EINVAL;
		}
	}
	*ret_like = like && written_fill_wanted(like) ? like : NULL;
	*ret_unit = unit;
	return 0;
}

static int check_fills(const struct plan *plan, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < plan->definition->target_count && r == 0; i++) {
		const struct workload *like;
		uint64_t unit;

		r = inspect_fill_like(plan, i, &like, &unit, err);
	}
	return r;
}

/* Whether the jobs of a workload's only part lie apart by its offset_increment. */
static bool stands_apart(const struct workload *options, const struct workload *part)
{
	return workload_parts(options) == 1 && part->size > 0 &&
	       part->offset_increment >= part->size;
}

/* Of jobs in regions of their own, or files, each knows what it has written; of one it shares, no
 * job does. */
static int check_regions(const struct plan *plan, const struct plan_sample *sample,
			 struct error *err)
{
	const struct workload *options = &sample->options;
	bool verifies = false, shared = false;

	for (size_t k = 0; k < workload_parts(options); k++) {
		const struct workload *part = workload_part(options, k);

		verifies |= part->verify != VERIFY_NONE;
		shared |= part->regions == REGIONS_SHARED && !stands_apart(options, part);
	}
	if (!verifies || !shared || workload_jobs(options) == 1 ||
	    target_kind_has_files(plan->definition->targets[sample->target].kind))
		return 0;
	(void)error_set(err, ERROR_CONFLICT, "verify",
			"with verify each job needs a region of its own: set regions=disjoint, or "
			"use a directory, where each job has a file");
	inspect_blame_sample(plan, sample, err);
	return -EINVAL;
}

int inspect_check_written(const struct plan *plan, struct error *err)
{
	int r = check_fills(plan, err);

	for (size_t i = 0; i < plan->sample_count && r == 0; i++)
		r = check_regions(plan, &plan->samples[i], err);
	return r;
}
