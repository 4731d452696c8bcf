/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate.h - how long a plan takes and how much it moves; a step of plan_make(). */
#ifndef ENGINE_PLAN_ESTIMATE_H
#define ENGINE_PLAN_ESTIMATE_H

#include "engine/plan/plan.h"

/* From the plan's samples; -EOVERFLOW where a target would go beyond 64 bits. */
MUST_CHECK int estimate_make(const struct plan *plan, struct estimate *ret_estimate);

#endif
