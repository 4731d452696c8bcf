/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * repeats.h - how often each combination is measured: a number of times, or until the differences
 * between levels are known well enough.
 *
 * With until_ci_percent repeats end, each being a block that holds every combination, once the 95 %
 * interval of every difference (of every figure, where nothing is compared) is that narrow
 * (engine/analysis/stopping.h), after `least` of them and at `most`. Fewer than REPEATS_LEAST_MIN
 * tell too little of the spread to be ended by it: who looks at an interval until it is narrow ends
 * too often where a few samples happen to agree. That this keeps its coverage is shown for
 * intervals that become narrow, hence for many samples (Chow and Robbins, On the asymptotic theory
 * of fixed-width sequential confidence intervals, 1965).
 *
 * Pure functions; a text that is handed out is the caller's.
 */
#ifndef ENGINE_PLAN_REPEATS_H
#define ENGINE_PLAN_REPEATS_H

#include "engine/plan/definition.h"

#define REPEATS_LEAST_MIN 5
#define REPEATS_PERCENT_MIN 0.1
#define REPEATS_PERCENT_MAX 50.0

struct repeats {
	unsigned int least, most; /* alike where until_ci_percent is 0 */
	double until_ci_percent;
};

/* Why there were no more. */
enum repeats_end {
	REPEATS_END_NONE,    /* they did not end: the run failed, was cancelled or interrupted */
	REPEATS_END_MOST,    /* as many as were asked for */
	REPEATS_END_PRECISE, /* the differences were known well enough */
	REPEATS_END_COUNT
};

extern const char *const repeats_end_names[REPEATS_END_COUNT]; /* "none", "most", ... */

/* How the repeats of a run that may end early came out. */
struct repeats_outcome {
	enum repeats_end end;
	unsigned int made, most; /* whole blocks, and how many it would have made at most */
	double ci_percent;	 /* half-width of the widest interval then; 0: not known */
	double until_ci_percent; /* asked for */
};

struct repeats repeats_of(const struct definition *definition);
void repeats_set(struct definition *definition, const struct repeats *repeats);

/* Whether they may end before the last. */
bool repeats_may_end(const struct definition *definition);

/* "5", or "5-30:2%": 5 to 30, until 2 % are reached. BAD_VALUE or OUT_OF_RANGE without a field. */
MUST_CHECK int repeats_parse(const char *text, struct repeats *ret_repeats, struct error *err);

/* A step of definition_check(): "/repeats", "/repeats/min", ...; "/order" where it ends no block
 * before the last. */
MUST_CHECK int repeats_check(const struct definition *definition, struct error *err);

/* "1 repeat", "5 to 30 repeats, until differences are known to ±2 %". Returns buffer. */
#define REPEATS_TEXT_MAX 96
const char *repeats_text(const struct definition *definition, char buffer[REPEATS_TEXT_MAX]);

/* "6 of at most 30 repeats: known to ±1.8 % (asked: ±2 %)"; "" where they did not
 * end. Returns buffer. */
#define REPEATS_OUTCOME_MAX 160
const char *repeats_outcome_text(const struct repeats_outcome *outcome,
				 char buffer[REPEATS_OUTCOME_MAX]);

#endif
