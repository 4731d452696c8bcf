/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_job_lines.h - the lines of an fio job file, a step of fio_job_read(): workloads, and where in
 * the file each of their options stands.
 */
#ifndef ENGINE_PLAN_FIO_JOB_LINES_H
#define ENGINE_PLAN_FIO_JOB_LINES_H

#include "engine/plan/fio_job.h"

/* A section's options and where they stand. */
struct fio_job_section {
	struct workload options;
	unsigned int line;
	unsigned int lines[OPTION_ID_COUNT]; /* 0: not given */
	bool stonewall;
};

struct fio_job_file {
	const struct fio_job_request *request;
	struct definition *definition;
	struct fio_job_section global;
	struct fio_job_section own; /* the section at hand, unless it is a global one */
	bool in_global, in_job;
	unsigned int line;
	/* One a section, without options: those are the definition's workloads, a section each
	 * until fio_job_read() puts those together that run together. */
	struct fio_job_section jobs[DEFINITION_WORKLOADS_MAX];
	size_t first[DEFINITION_WORKLOADS_MAX]; /* section of each workload, then */
	char name[FIO_JOB_LINE_MAX + 1];	/* of the section at hand */
	char buffer[FIO_JOB_LINE_MAX + 1];	/* the line at hand */
	char value[FIO_JOB_LINE_MAX + 1];	/* expanded */
};

/*
 * Fills definition->workloads (room for DEFINITION_WORKLOADS_MAX) and description. err is not NULL;
 * what is wrong has its line. The options of `global` and `own` are the caller's to end.
 */
MUST_CHECK int fio_job_read_lines(struct fio_job_file *file, struct error *err);

/* Puts "line N: " before the message of an error r, which it returns; err is not NULL. */
int fio_job_at_line(unsigned int line, int r, struct error *err);

#endif
