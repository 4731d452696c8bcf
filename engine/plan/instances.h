/* SPDX-License-Identifier: GPL-3.0-or-later */
/* instances.h - what plan.c makes of the factors that are properties; see struct plan_instance. */
#ifndef ENGINE_PLAN_INSTANCES_H
#define ENGINE_PLAN_INSTANCES_H

#include "engine/plan/plan.h"

/* Fills plan->instances. -ENOMEM. */
MUST_CHECK int instances_make(struct plan *plan);
void instances_done(struct plan *plan);

#endif
