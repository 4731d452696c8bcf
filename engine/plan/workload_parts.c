/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_parts.c - workload.h: the parts of a workload, jobs of different options together. */
#include <errno.h>
#include <stdlib.h>

#include "engine/plan/workload.h"

size_t workload_parts(const struct workload *workload)
{
	return workload->part_count ? workload->part_count : 1;
}

const struct workload *workload_part(const struct workload *workload, size_t index)
{
	return workload->part_count ? &workload->parts[index] : workload;
}

int workload_add_part(struct workload *workload, struct workload *part)
{
	struct workload *parts =
		reallocarray(workload->parts, workload->part_count + 1, sizeof(*parts));

	if (!parts) {
		workload_done(part);
		return -ENOMEM;
	}
	workload->parts = parts;
	parts[workload->part_count++] = *part;
	workload_init(part);
	return 0;
}

uint64_t workload_jobs(const struct workload *workload)
{
	uint64_t jobs = 0;

	for (size_t i = 0; i < workload_parts(workload); i++)
		if (__builtin_add_overflow(jobs, workload_part(workload, i)->numjobs, &jobs))
			return UINT64_MAX;
	return jobs;
}

uint64_t workload_outstanding(const struct workload *workload)
{
	uint64_t total = 0, own;

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);

		if (__builtin_mul_overflow(workload_depth(part), part->numjobs, &own) ||
		    __builtin_add_overflow(total, own, &total))
			return UINT64_MAX;
	}
	return total;
}
