/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statements_highest.c - which levels have the highest figures, said of single samples, where no
 * more can be said: a direction a sentence (of paced workloads the lowest latencies), levels that
 * rounding does not tell apart together.
 */
#include "engine/analysis/statements_private.h"

#define TITLES_LISTED 12 /* comparisons named for one group of levels */
#define OF_FILES DIRECTION_COUNT
#define OF_LATENCY (DIRECTION_COUNT + 1) /* of which the lowest are meant */

/* Whether a level is among the highest of a direction, or of files; of latencies the lowest. */
static bool is_highest(const struct comparison *comparison, int kind, size_t level)
{
	const struct direction_best *best;

	if (kind == OF_FILES || kind == OF_LATENCY)
		return analysis_tops(comparison, level);
	best = &comparison->bests[kind];
	for (size_t i = 0; i < best->count; i++)
		if (best->levels[i] == level)
			return true;
	return false;
}

static bool takes_part(const struct comparison *comparison, int kind)
{
	if (comparison->measured < 2 || comparison->files != (kind == OF_FILES) ||
	    (comparison->measure == MEASURE_LATENCY) != (kind == OF_LATENCY))
		return false;
	return kind == OF_FILES || kind == OF_LATENCY || comparison->bests[kind].known;
}

static bool same_highest(const struct analysis *analysis, int kind, size_t one, size_t other)
{
	for (size_t level = 0; level < analysis->level_count; level++)
		if (is_highest(&analysis->comparisons[one], kind, level) !=
		    is_highest(&analysis->comparisons[other], kind, level))
			return false;
	return true;
}

/* Whether an earlier comparison has the same levels highest, so that it has told this one. */
static bool told(const struct analysis *analysis, int kind, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (takes_part(&analysis->comparisons[i], kind) &&
		    same_highest(analysis, kind, i, k))
			return true;
	return false;
}

static void put_levels(struct statements *statements, int kind, size_t k)
{
	const struct analysis *analysis = statements->analysis;
	char name[WORDS_LEVEL_MAX];
	size_t count = 0, index = 0;

	for (size_t level = 0; level < analysis->level_count; level++)
		count += is_highest(&analysis->comparisons[k], kind, level);
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];

		if (!is_highest(&analysis->comparisons[k], kind, level))
			continue;
		statement_comma(statements, index++, count);
		statement_put(statements, "%s", words_level(analysis, level, name));
	}
	if (count > 1)
		statement_put(statements, ", which rounding does not tell apart,");
}

/* "64K in Exchange and Trellix" */
static void put_group(struct statements *statements, int kind, size_t k)
{
	const struct analysis *analysis = statements->analysis;
	char title[WORDS_NAME_MAX];
	size_t count = 0, index = 0;

	for (size_t i = k; i < analysis->comparison_count; i++)
		count += takes_part(&analysis->comparisons[i], kind) &&
			 same_highest(analysis, kind, k, i);
	put_levels(statements, kind, k);
	if (count > TITLES_LISTED) {
		statement_put(statements, " in %zu comparisons", count);
		return;
	}
	statement_put(statements, " in ");
	for (size_t i = k; i < analysis->comparison_count; i++) {
		if (!takes_part(&analysis->comparisons[i], kind) ||
		    !same_highest(analysis, kind, k, i))
			continue;
		statement_comma(statements, index++, count);
		statement_put(statements, "%s",
			      words_title(analysis, &analysis->comparisons[i], title));
	}
}

static void highest(struct statements *statements, int kind)
{
	const struct analysis *analysis = statements->analysis;
	size_t groups = 0;

	statement_begin(statements);
	if (kind == OF_LATENCY)
		statement_put(statements, "Lowest mean latencies: ");
	else
		statement_put(statements, "Highest %s figures: ",
			      kind == OF_FILES ? "files-a-second" : direction_names[kind]);
	for (size_t k = 0; k < analysis->comparison_count; k++) {
		if (!takes_part(&analysis->comparisons[k], kind) || told(analysis, kind, k))
			continue;
		statement_put(statements, "%s", groups++ ? "; " : "");
		put_group(statements, kind, k);
	}
	statement_put(statements, ".");
	if (groups)
		statement_end(statements, "highest");
	else
		statement_drop(statements);
}

void statements_highest(struct statements *statements)
{
	for (int kind = 0; kind <= OF_LATENCY; kind++)
		highest(statements, kind);
}
