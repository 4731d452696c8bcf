/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written.h - a workload's options on what is written, held against each other and together. */
#ifndef ENGINE_PLAN_WRITTEN_H
#define ENGINE_PLAN_WRITTEN_H

#include "engine/plan/workload.h"

/* A step of workload_complete(): CONFLICT with the option's name as field. */
MUST_CHECK int written_check(const struct workload *workload, struct error *err);

/* Whether a completed workload writes, and every write holds fresh and incompressible data. */
bool written_fresh(const struct workload *workload);

/* Whether a completed workload asks for a target that is filled otherwise than with incompressible
 * data, where it is to be read: zeros, or compressible, or with blocks that repeat. */
bool written_fill_wanted(const struct workload *workload);

/* The name of the option by which two completed workloads ask for targets filled differently; NULL
 * where they ask for the same. */
const char *written_fill_differs(const struct workload *a, const struct workload *b);

#endif
