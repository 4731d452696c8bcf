/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * estimate.h - how long a plan takes and how much it moves; a step of plan_make(). The forecast of
 * a run begins with the same guesses, so that the two say the same until something was seen.
 */
#ifndef ENGINE_PLAN_ESTIMATE_H
#define ENGINE_PLAN_ESTIMATE_H

#include "engine/plan/plan.h"

/* From the plan's samples; -EOVERFLOW where a target would go beyond 64 bits. */
MUST_CHECK int estimate_make(const struct plan *plan, struct estimate *ret_estimate);

/* Seconds a completed workload takes, the ramp and reading back (verify) included. *ret_guess: it
 * ends with its size, so its rate had to be guessed. */
double estimate_workload(const struct workload *workload, bool *ret_guess);

#define ESTIMATE_BYTES_PER_S 500e6 /* the most that a disk is guessed to do; a fill's rate */
#define ESTIMATE_OVERHEAD_S 0.1	   /* of a sample: opening, counters, storing */

#endif
