/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_made.h - zvols and datasets for fio, which makes none: where its job finds an instance that
 * was made by hand, and the command that makes it.
 */
#ifndef ENGINE_PLAN_FIO_MADE_H
#define ENGINE_PLAN_FIO_MADE_H

#include <stdio.h>

#include "engine/plan/plan.h"

/* The path of an instance, for fio: "/dev/zvol/PARENT/fio-2" of a zvol, "/mnt/fio-2" of a dataset
 * (mounted there), any other target's own. Heap; NULL: no memory. */
char *fio_made_path(const struct plan *plan, size_t instance);

/* The same by levels of a definition, of which there is no plan; *ret_files: each job has a file in
 * it. levels has an index a factor. */
char *fio_made_place(const struct definition *definition, const size_t *levels, bool *ret_files);

/* Comments of a job file: what to make first, how to fill it, what to destroy afterwards. Nothing
 * where the plan has no zvol or dataset. -EOVERFLOW. */
MUST_CHECK int fio_made_comment(const struct plan *plan, FILE *out);

#endif
