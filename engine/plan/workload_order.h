/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload_order.h - in which order and where the jobs of a workload make their requests: what must
 * hold between the options that say so. All of a workload that is one part.
 */
#ifndef ENGINE_PLAN_WORKLOAD_ORDER_H
#define ENGINE_PLAN_WORKLOAD_ORDER_H

#include "engine/plan/workload.h"

/*
 * The part of workload_complete() that checks offset_increment, interlocked and what a rewrite
 * cannot do. Either of the first two makes the
 * jobs' regions shared ones where nobody asked for others: with offset_increment each job's begins
 * so much behind that of the job before, with interlocked all have one, and one position in it.
 * Errors: CONFLICT, MISSING_FIELD, with field.
 */
MUST_CHECK int workload_complete_order(struct workload *workload, struct error *err);

/* Why fio has no job that does the same, for a message ("interlocked=1"); NULL: it has. */
const char *workload_beyond_fio(const struct workload *workload);

#endif
