/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_limits.h - a pass or a fail for automation: how much worse than the baseline a run may be.
 *
 * A limit of -5 on iops_percent allows 5 % fewer operations a second; one of 10 on latency_percent
 * allows 10 % more time. Each is held on every pair of cells: all directions together, or where
 * that is not known each.
 *
 *   fail  where both runs have repeats: the whole 95 % interval of the ratio lies beyond what is
 *         allowed, so that noise alone fails nothing. Where there is no interval (a single sample,
 *         no spread): the ratio itself lies beyond, whatever rounding leaves open of it.
 *   open  the ratio lies beyond, but its interval holds allowed ratios as well. It passes, and is
 *         told: more repeats would say.
 *
 * Intervals are each figure's own: a limit is a margin already, and adjusted ones would miss what a
 * few repeats can show. With a limit of 0 one figure in forty fails by chance. A limit that nothing
 * could be held against fails: a comparison of nothing is no pass. `unmatched` is how many cells of
 * the baseline may be without a partner.
 */
#ifndef ENGINE_ANALYSIS_RUN_LIMITS_H
#define ENGINE_ANALYSIS_RUN_LIMITS_H

#include "engine/analysis/run_comparison.h"
#include "engine/base/error.h"

/* One of each figure, in its order, and the last one of unmatched. */
#define RUN_LIMIT_COUNT (RUN_FIGURE_COUNT + 1)
#define RUN_LIMIT_UNMATCHED RUN_FIGURE_COUNT

/* "iops_percent", "bandwidth_percent", "latency_percent", "latency_p99_percent", "files_percent",
 * "unmatched" */
extern const char *const run_limit_names[RUN_LIMIT_COUNT];

struct run_limits {
	bool set[RUN_LIMIT_COUNT];
	double values[RUN_LIMIT_COUNT];
};

/* Sets one. BAD_PARAMETER: no such name, given twice, or a value that allows nothing or all: rates
 * take above -100 to 0, latencies 0 to 100000, unmatched a whole number from 0. */
MUST_CHECK int run_limits_set(struct run_limits *limits, const char *name, double value,
			      struct error *err);

/* "iops_percent=-5,latency_percent=10", added to what is there. */
MUST_CHECK int run_limits_parse(const char *text, struct run_limits *limits, struct error *err);

/* A figure that lies beyond a limit. */
struct run_breach {
	int limit;     /* index of run_limit_names */
	bool fail;     /* else open */
	bool interval; /* held against it; else against the ratio itself */
	size_t pair;   /* of the comparison's; and which of its ratios: */
	size_t ratio;
};

struct run_judgement {
	struct run_limits limits;
	struct {
		size_t held, open, failed; /* figures; of unmatched: cells without a partner */
		bool fail;		   /* the limit is not kept, or held nothing */
	} results[RUN_LIMIT_COUNT];
	size_t breach_count;
	struct run_breach *breaches; /* those that fail first */
	bool fail;		     /* any limit does */
};

/* -ENOMEM: nothing is left to free. */
MUST_CHECK int run_limits_hold(const struct run_limits *limits,
			       const struct run_comparison *comparison,
			       struct run_judgement *ret_judgement);
void run_judgement_done(struct run_judgement *judgement);

#endif
