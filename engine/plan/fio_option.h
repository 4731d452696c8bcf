/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_option.h - one fio option, in and out: what command lines (workload.h) and job files
 * (fio_job.h) have in common.
 */
#ifndef ENGINE_PLAN_FIO_OPTION_H
#define ENGINE_PLAN_FIO_OPTION_H

#include "engine/plan/workload.h"

/*
 * Sets an option as fio means it. value NULL: it was given bare, as fio's flags may be. Options
 * that fio has and we lack are UNSUPPORTED by name. `dashes` stands before option names in
 * messages: "--" or "". On failure the workload is unchanged and err's field "".
 */
MUST_CHECK int fio_option_set(const char *dashes, const char *name, const char *value,
			      struct workload *workload, struct error *err);

/* Whether we have an option of this name that fio does not take bare. */
bool fio_option_wants_value(const char *name);

/* Takes an option of the job that does the same in fio; name and value are the callee's for the
 * time of the call. */
typedef void fio_option_put(void *arg, const char *name, const char *value);

/*
 * Every option but the name that makes fio do on `path` (directory: a file in it for each job) what
 * a part of a completed workload does here; those whose default differs are spelled out. Disjoint
 * regions of parts before it move its offset. -ENOMEM.
 */
MUST_CHECK int fio_option_each(const struct workload *workload, size_t part, const char *path,
			       bool directory, fio_option_put *put, void *arg);

#endif
