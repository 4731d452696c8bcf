/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steady.h - watches the series of a measurement for steadystate (plan/steadystate.h).
 *
 * Seconds are those of the load's series; the first one looked at is the first whole one after the
 * ramp, and steadystate_ramp_time behind it. A second is complete a little after its end, when
 * every recorder has told what it did in it; one that tells later, its operations taking longer
 * than that, is counted less.
 *
 * Threads: the control thread's.
 */
#ifndef ENGINE_IO_STEADY_H
#define ENGINE_IO_STEADY_H

#include "engine/io/load.h"
#include "engine/plan/steadystate.h"

struct steady {
	bool wanted;
	struct steadystate_spec spec;
	size_t first, length; /* second of the series; of the window, in seconds */
	size_t complete;      /* seconds that were looked at */
	struct steady_result result;
};

/* Of a completed workload; ramp_ns: from the load's begin to the window's. */
void steady_init(struct steady *steady, const struct workload *workload, uint64_t ramp_ns);

/* Looks at the seconds that are new at now_ns. True once the state is attained: the load may end.
 */
bool steady_look(struct steady *steady, const struct load *load, uint64_t now_ns);

/* A window's figures and whether they are within the limit: seconds[0..count-1], count 2 or more.
 * Leaves first and count to the caller. */
void steady_judge(const struct steadystate_spec *spec, const struct series_second *seconds,
		  size_t count, struct steady_result *ret_result);

#endif
