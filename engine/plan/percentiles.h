/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * percentiles.h - percentile_list: which percentiles a reader wants, "50:99:99.9" as in fio.
 *
 * At most 20 numbers above 0 and below 100, with at most six digits behind the point (which is what
 * the documents' keys have room for), in any order; kept ascending and each once.
 */
#ifndef ENGINE_PLAN_PERCENTILES_H
#define ENGINE_PLAN_PERCENTILES_H

#include "engine/plan/workload.h"

#define PERCENTILES_LIST_MAX 20
#define PERCENTILES_MAX 512 /* of several lists together; more are left out */

struct percentiles {
	size_t count;
	double values[PERCENTILES_MAX];
};

/* BAD_VALUE or TOO_MANY with field "percentile_list". */
MUST_CHECK int percentiles_parse(const char *text, struct percentiles *ret_list, struct error *err);

/* A workload's list; where it gives none, the standard ones of the caller. */
void percentiles_of(const struct workload *workload, const double *standard, size_t standard_count,
		    struct percentiles *ret_list);

/* Those of `more` too. */
void percentiles_join(struct percentiles *list, const struct percentiles *more);

bool percentiles_has(const struct percentiles *list, double percent);

#endif
