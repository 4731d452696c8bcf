/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary.h - a result in a terminal: a row a cell and direction with IOPS and MiB/s and their 95 %
 * intervals, then what that shows, in the sentences of the analysis, and what a reader should know.
 */
#ifndef SERVER_SUMMARY_H
#define SERVER_SUMMARY_H

#include <stdio.h>

#include "engine/plan/finding.h"
#include "engine/result.h"

/* -ENOMEM where something was lost. */
MUST_CHECK int summary_print(const struct result *result, FILE *out, size_t width);

/*
 * Findings, the gravest first; those of one severity and code are told once, by the first of them,
 * with how many and where. Several lists are taken as one. Nothing is printed where there are none.
 */
MUST_CHECK int summary_findings(const struct findings *const *lists, size_t count, FILE *out,
				size_t width);

#endif
