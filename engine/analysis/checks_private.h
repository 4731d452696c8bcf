/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks_private.h - what the files of checks.h share. Nobody else includes it.
 *
 * A check looks at one thing of a sample and adds at most one finding: 0, or -ENOMEM. Its
 * thresholds stand with their reasons at the head of its file.
 */
#ifndef ENGINE_ANALYSIS_CHECKS_PRIVATE_H
#define ENGINE_ANALYSIS_CHECKS_PRIVATE_H

#include "engine/sample.h"

#define CHECKS_CELL_MAX 512

struct check {
	const struct sample *sample;
	struct findings *findings;  /* the sample's own, also where `sample` is a part of it */
	const char *job;	    /* that part's name, or NULL */
	char cell[CHECKS_CELL_MAX]; /* "bs=4k, iodepth=32" */
};

/* checks.c: the sample's levels; "" where it has none. */
void checks_cell_text(const struct sample *sample, char buffer[CHECKS_CELL_MAX]);

/* checks.c: adds a finding about the sample; found is headed by the part's name. */
MUST_CHECK int checks_add(const struct check *check, enum finding_severity severity,
			  const char *code, const char *expected, const char *found,
			  const char *message);

/* ---- checks_known.c: of another tool's sample nothing is taken for known that was not told ----
 */

/* Operations of all directions. */
uint64_t checks_operations(const struct sample *sample);

/* Whether a schedule or pauses, not the depth, say when operations begin. */
bool checks_paced(const struct sample *sample);

/* Operations that were to be outstanding. */
double checks_depth_asked(const struct sample *sample);

/* The null backend completes at once: what it measures is the engine alone. */
bool checks_on_null(const struct sample *sample);

/* Whether that is known. */
bool checks_depth_known(const struct sample *sample);

/* The figures of a direction, not known where all there is is an index (told.h). */
struct told_figure checks_iops(const struct sample *sample, enum direction d);
struct told_figure checks_bandwidth(const struct sample *sample, enum direction d);

/* How long it was measured: as told, or as an amount and its rate say. */
struct told_figure checks_seconds(const struct sample *sample);

/* Bytes of the smallest and the largest request of a direction; false: not known. */
bool checks_request_sizes(const struct sample *sample, enum direction d, double *ret_least,
			  double *ret_most);

/* checks_asked.c */
MUST_CHECK int checks_mix(const struct check *check);
MUST_CHECK int checks_time(const struct check *check);
MUST_CHECK int checks_depth(const struct check *check);
MUST_CHECK int checks_rate(const struct check *check, enum direction d);
MUST_CHECK int checks_steadystate(const struct check *check);
MUST_CHECK int checks_alone(const struct check *check);

/* checks_figures.c */
MUST_CHECK int checks_size(const struct check *check, enum direction d);
bool checks_sizes_agree(const struct sample *sample, enum direction d); /* or are not known */
MUST_CHECK int checks_little(const struct check *check);
MUST_CHECK int checks_count(const struct check *check, enum direction d);

/* checks_told.c: of what another tool told; nothing of our own samples */
MUST_CHECK int checks_told(const struct check *check);

/* checks_device.c */
MUST_CHECK int checks_device_bytes(const struct check *check, enum direction d);
MUST_CHECK int checks_device_queue(const struct check *check);

#endif
