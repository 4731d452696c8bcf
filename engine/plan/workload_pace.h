/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_pace.h - what must hold between a workload's rates and pauses. */
#ifndef ENGINE_PLAN_WORKLOAD_PACE_H
#define ENGINE_PLAN_WORKLOAD_PACE_H

#include "engine/plan/workload.h"

/* A step of workload_complete(): CONFLICT with the option as field. */
MUST_CHECK int workload_check_pace(const struct workload *workload, struct error *err);

#endif
