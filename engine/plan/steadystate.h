/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steadystate.h - steadystate=CRITERION:LIMIT, as fio's: when a workload has settled and may end.
 *
 * Once a second the last steadystate_duration seconds are looked at, all jobs and directions
 * together (fio's steadystate.c). iops and bw: the largest distance of a second from the window's
 * mean is below the limit. iops_slope and bw_slope: the slope of the straight line through the
 * seconds (least squares, a second) is, whichever way it goes. A limit with % is held against the
 * window's mean.
 */
#ifndef ENGINE_PLAN_STEADYSTATE_H
#define ENGINE_PLAN_STEADYSTATE_H

#include "engine/plan/workload.h"

struct steadystate_spec {
	bool bandwidth; /* bytes a second, else operations a second */
	bool slope;	/* else the largest deviation */
	bool percent;	/* of the window's mean, else bytes/s or operations/s (a second) */
	double limit;
};

/* "iops:2%", "bw_slope:1m". BAD_VALUE with field "steadystate". */
MUST_CHECK int steadystate_parse(const char *text, struct steadystate_spec *ret_spec,
				 struct error *err);

/* Whether a completed workload, or the first of its parts, asks for it. */
bool steadystate_wanted(const struct workload *workload);

/* A step of workload_complete(): CONFLICT with the option as field. */
MUST_CHECK int steadystate_check(const struct workload *workload, struct error *err);

#endif
