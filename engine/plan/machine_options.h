/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine_options.h - what must hold between the options of a workload that say how the machine is
 * used: processors, priorities, the ring. What this machine has of it is asked elsewhere
 * (placement.h).
 */
#ifndef ENGINE_PLAN_MACHINE_OPTIONS_H
#define ENGINE_PLAN_MACHINE_OPTIONS_H

#include "engine/plan/workload.h"

/* The option of the ring that a workload gives (not merely defaults), where no other backend does
 * anything like it: NULL, or an option to be refused by name there. */
const struct option *machine_options_of_ring(const struct workload *workload);

/* Of a workload whose defaults are filled in: -EINVAL with err, its field the option's name. */
MUST_CHECK int machine_options_check(const struct workload *workload, struct error *err);

#endif
