/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_job.h - fio job files as definitions, and definitions as fio job files.
 *
 * A file is read as fio reads it: sections [name], each a job; [global] (any name that begins so)
 * any number of times, for the jobs below it; "option=value" or a flag alone; what stands behind
 * ";" or "#" is a comment; blanks around names and values do not count (fio 3.33 reads "bs = 8k" as
 * 8 bytes; here it is 8k); ${NAME} in a value is a variable of the environment. Options have
 * the meanings they have in an fio command line; those we lack are refused by name.
 *
 * Sections run at the same time unless "stonewall" (or "wait_for_previous") holds them apart: those
 * between two of these are the jobs of one workload, called by their names ("readers+logger"); a
 * section alone is a workload. Each section has its own figures beside those of its workload, so
 * new_group adds nothing; with group_reporting=0 (fio's default, not ours) each of its jobs has.
 *
 * Otherwise than with fio:
 * - A second section of the same name becomes "name-2".
 * - An unset variable is refused (fio takes it for empty), so are include and the words that fio
 *   computes with ($ncpus, $pagesize, $mb_memory).
 * - A description becomes part of the definition's.
 *
 * Once measured (repeats 1) the jobs keep the file's order; repeated they are interleaved.
 */
#ifndef ENGINE_PLAN_FIO_JOB_H
#define ENGINE_PLAN_FIO_JOB_H

#include <stdio.h>

#include "engine/plan/definition.h"
#include "engine/plan/repeats.h"

#define FIO_JOB_LINE_MAX 4095 /* bytes, as in fio */

struct fio_job_request {
	const char *text; /* need not end in NUL */
	size_t size;
	const char *name;	/* of the definition */
	const char *target;	/* "directory:PATH", "file:PATH", "device:PATH", in place of the
				 * file's filename and directory; NULL: those */
	struct repeats repeats; /* most 0: once */
	size_t override_count;
	const char *const *overrides;		   /* "OPTION=VALUE" */
	const char *(*variable)(const char *name); /* of the environment; NULL: there are none */
};

/* Whether a text is a job file, not JSON: it begins with a section or a comment. */
bool fio_job_is(const char *text, size_t size);

/*
 * Reads a job file into a fresh definition, checked and with its seed; on failure it is fresh
 * again. What is wrong in the file is told with option and line ("line 7: bs: ...") and an empty
 * field.
 */
MUST_CHECK int fio_job_read(const struct fio_job_request *request, struct definition *definition,
			    struct error *err);

/*
 * The job file that makes fio do the same, once: a section with all its options for each workload
 * and combination of levels, one after another; where a workload has jobs a section each, which run
 * together, each with a report of its own (new_group). UNSUPPORTED where a job file cannot say it
 * (a path with ";"; disjoint regions of a target whose size is not known here). `definition` must
 * be checked.
 */
MUST_CHECK int fio_job_write(const struct definition *definition, FILE *out, struct error *err);

#endif
