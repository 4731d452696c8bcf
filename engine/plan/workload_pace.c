/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload_pace.c - see workload_pace.h, and workload_rate() of workload.h. The rules are fio's
 * (init.c, fixup_options); what fio would take and ignore is refused besides.
 */
#include "engine/plan/workload_pace.h"

#include <inttypes.h>

#include "engine/base/clock.h"
#include "engine/plan/workload_sizes.h"

const char *const workload_rate_process_choices[] = {"linear", "poisson", NULL};
const char *const workload_think_choices[] = {"complete", "issue", NULL};

uint64_t workload_rate(const struct workload *workload, enum direction direction)
{
	if (!workload_moves(workload, direction))
		return 0;
	if (workload->rate[direction] > 0)
		return workload->rate[direction];
	/* at most 10^9 x 2^26 */
	return workload->rate_iops[direction] * workload_least_request(workload, direction);
}

uint64_t workload_least_delay(const struct workload *workload)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < workload_parts(workload); i++)
		if (workload_part(workload, i)->startdelay_ns < least)
			least = workload_part(workload, i)->startdelay_ns;
	return least;
}

uint64_t workload_delay_beyond(const struct workload *workload, const struct workload *part)
{
	return part->startdelay_ns - workload_least_delay(workload);
}

static int check_rates(const struct workload *workload, struct error *err)
{
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		uint64_t rate = workload->rate[d], iops = workload->rate_iops[d];

		if (rate > 0 && iops > 0)
			return error_set(err, ERROR_CONFLICT, "rate_iops",
					 "rate and rate_iops both set the pace of the %ss; give "
					 "one of them",
					 direction_names[d]);
		if (rate > 0 && workload->rate_min[d] > rate)
			return error_set(err, ERROR_CONFLICT, "rate_min",
					 "rate_min=%" PRIu64 " is more than the rate=%" PRIu64
					 " of the %ss",
					 workload->rate_min[d], rate, direction_names[d]);
		if (iops > 0 && workload->rate_iops_min[d] > iops)
			return error_set(err, ERROR_CONFLICT, "rate_iops_min",
					 "rate_iops_min=%" PRIu64
					 " is more than the rate_iops=%" PRIu64 " of the %ss",
					 workload->rate_iops_min[d], iops, direction_names[d]);
	}
	return 0;
}

/* Options that change what another one does, which must then be there. */
static int check_company(const struct workload *workload, struct error *err)
{
	const struct {
		bool given;
		enum option_id id, needs, or_needs;
		const char *what;
	} pairs[] = {
		{workload->rate_process != RATE_LINEAR, OPTION_ID_RATE_PROCESS, OPTION_ID_RATE,
		 OPTION_ID_RATE_IOPS, "rate or rate_iops"},
		{workload_is_set(workload, OPTION_ID_RATE_CYCLE), OPTION_ID_RATE_CYCLE,
		 OPTION_ID_RATE_MIN, OPTION_ID_RATE_IOPS_MIN, "rate_min or rate_iops_min"},
		{workload->rate_ignore_thinktime, OPTION_ID_RATE_IGNORE_THINKTIME, OPTION_ID_RATE,
		 OPTION_ID_RATE_IOPS, "rate or rate_iops"},
		{workload->rate_ignore_thinktime, OPTION_ID_RATE_IGNORE_THINKTIME,
		 OPTION_ID_THINKTIME, OPTION_ID_THINKTIME, "thinktime"},
		{workload->think_spin_ns > 0, OPTION_ID_THINKTIME_SPIN, OPTION_ID_THINKTIME,
		 OPTION_ID_THINKTIME, "thinktime"},
		{workload->think_blocks != 1, OPTION_ID_THINKTIME_BLOCKS, OPTION_ID_THINKTIME,
		 OPTION_ID_THINKTIME, "thinktime"},
		{workload->think_blocks_type != THINK_COMPLETE, OPTION_ID_THINKTIME_BLOCKS_TYPE,
		 OPTION_ID_THINKTIME, OPTION_ID_THINKTIME, "thinktime"},
		{workload->think_iotime_ns > 0, OPTION_ID_THINKTIME_IOTIME, OPTION_ID_THINKTIME,
		 OPTION_ID_THINKTIME, "thinktime"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const char *name = option_at(pairs[i].id)->name;

		if (!pairs[i].given || workload_is_set(workload, pairs[i].needs) ||
		    workload_is_set(workload, pairs[i].or_needs))
			continue;
		return error_set(err, ERROR_CONFLICT, name,
				 "%s does nothing without %s: give that too, or leave it out", name,
				 pairs[i].what);
	}
	return 0;
}

int workload_check_pace(const struct workload *workload, struct error *err)
{
	int r = check_rates(workload, err);

	if (r == 0)
		r = check_company(workload, err);
	if (r == 0 && workload->think_spin_ns > workload->think_ns)
		r = error_set(err, ERROR_CONFLICT, "thinktime_spin",
			      "thinktime_spin=%" PRIu64
			      " is a part of thinktime, and so at most its %" PRIu64
			      " microseconds",
			      workload->think_spin_ns / NS_PER_US, workload->think_ns / NS_PER_US);
	return r;
}
