/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_order.c - see workload_order.h. */
#include "engine/plan/workload_order.h"

#include <errno.h>

static int check_increment(const struct workload *workload, struct error *err)
{
	if (workload->size == 0)
		return error_set(err, ERROR_MISSING_FIELD, "size",
				 "with offset_increment give size, the bytes each job works in");
	if (workload_is_set(workload, OPTION_ID_REGIONS) && workload->regions == REGIONS_DISJOINT)
		return error_set(err, ERROR_CONFLICT, "offset_increment",
				 "offset_increment says where each job's region begins; "
				 "regions=disjoint lays them one behind another: leave out one");
	return 0;
}

static int check_interlocked(const struct workload *workload, struct error *err)
{
	if (workload_random(workload))
		return error_set(err, ERROR_CONFLICT, "interlocked",
				 "interlocked=1 gives the jobs one position, which a random "
				 "pattern has not: use rw=read, write or rw");
	if (workload->offset_increment > 0)
		return error_set(err, ERROR_CONFLICT, "interlocked",
				 "interlocked=1 needs one region for all jobs; leave out "
				 "offset_increment");
	if (workload_is_set(workload, OPTION_ID_REGIONS) && workload->regions == REGIONS_DISJOINT)
		return error_set(err, ERROR_CONFLICT, "interlocked",
				 "interlocked=1 needs one region for all jobs; leave out "
				 "regions=disjoint");
	return 0;
}

/* A write that waited for its turn would keep what it is to write. */
static int check_rewrite(const struct workload *workload, struct error *err)
{
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (workload->rate[d] > 0 || workload->rate_iops[d] > 0)
			return error_set(err, ERROR_CONFLICT,
					 workload->rate[d] > 0 ? "rate" : "rate_iops",
					 "rw=%s writes each block back as soon as it is read; a "
					 "rate would hold it up: leave it out, or use thinktime",
					 workload_rw_choices[workload->rw]);
	return 0;
}

int workload_complete_order(struct workload *workload, struct error *err)
{
	int r = 0;

	if (workload->offset_increment > 0)
		r = check_increment(workload, err);
	if (r == 0 && workload->interlocked)
		r = check_interlocked(workload, err);
	if (r == 0 && workload_rewrites(workload))
		r = check_rewrite(workload, err);
	if (r < 0)
		return r;
	if (workload->offset_increment > 0 || workload->interlocked)
		workload->regions = REGIONS_SHARED;
	return 0;
}

const char *workload_beyond_fio(const struct workload *workload)
{
	if (workload->rw == RW_REWRITE || workload->rw == RW_RANDREWRITE)
		return workload->rw == RW_REWRITE ? "rw=rewrite" : "rw=randrewrite";
	/* A job alone has its position to itself. */
	return workload->interlocked && workload->numjobs > 1 ? "interlocked=1" : NULL;
}
