/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * alone.h - what a target gives one operation at a time, to hold a sample with more against.
 *
 * Requests that wait in the kernel for their turn count as outstanding, and the depth measured is
 * then what was asked for even where the target serves one at a time (a dataset of OpenZFS under
 * io_uring, one inode's writes). A device tells by its own queue; where there is none, the same
 * load with one operation outstanding does: checks.h compares. It is tried after the sample, so
 * that it disturbs nothing that is measured.
 */
#ifndef ENGINE_ALONE_H
#define ENGINE_ALONE_H

#include <stdatomic.h>

#include "engine/io/measure.h"

/* Whether it would tell anything of a sample: more than one operation was outstanding and waited
 * for, by equal jobs, no device was watched, the first repeat, and a second at least, beside which
 * this is short.
 */
bool alone_wanted(const struct sample *sample, bool device_known, enum backend_kind backend);

/* Measures for a fifth of a second on a sample's first region and sets the sample's alone_iops and
 * alone_cpu_share. measure_run's errors. */
MUST_CHECK int alone_try(struct sample *sample, enum backend_kind backend,
			 const struct measure_region *region, atomic_bool *cancel,
			 struct error *err);

#endif
