/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statements.c - see statements.h: the sentences as such, and the answer. */
#include "engine/analysis/statements.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/statements_private.h"

#define LEVELS_LISTED 8 /* levels named in one sentence */

/* ---- sentences ---- */

void statement_begin(struct statements *statements)
{
	statements->buffer = NULL;
	statements->text = open_memstream(&statements->buffer, &statements->size);
	if (!statements->text)
		statements->r = -ENOMEM;
}

void statement_put(struct statements *statements, const char *format, ...)
{
	va_list arguments;

	if (!statements->text)
		return;
	va_start(arguments, format);
	(void)vfprintf(statements->text, format, arguments);
	va_end(arguments);
}

void statement_drop(struct statements *statements)
{
	if (statements->text && fclose(statements->text) != 0)
		statements->r = -ENOMEM;
	statements->text = NULL;
	free(statements->buffer);
	statements->buffer = NULL;
}

void statement_end(struct statements *statements, const char *code)
{
	struct analysis *analysis = statements->analysis;
	struct statement *grown;

	if (statements->text && fclose(statements->text) != 0)
		statements->r = -ENOMEM;
	statements->text = NULL;
	grown = statements->r == 0 ? reallocarray(analysis->statements,
						  analysis->statement_count + 1, sizeof(*grown))
				   : NULL;
	if (!grown) {
		statements->r = -ENOMEM;
		free(statements->buffer);
	} else {
		analysis->statements = grown;
		grown[analysis->statement_count++] =
			(struct statement){.code = code, .text = statements->buffer};
	}
	statements->buffer = NULL;
}

void statement_comma(struct statements *statements, size_t index, size_t count)
{
	if (index > 0)
		statement_put(statements, "%s", index + 1 == count ? " and " : ", ");
}

size_t statements_compared(const struct analysis *analysis)
{
	size_t compared = 0;

	for (size_t k = 0; k < analysis->comparison_count; k++)
		compared += analysis->comparisons[k].measured > 1;
	return compared;
}

/* What is compared: comparisons, workloads that have any, and the last of them. */
struct whole {
	size_t compared, workloads;
	const struct comparison *last;
};

static struct whole whole_of(const struct analysis *analysis)
{
	struct whole whole = {0, 0, NULL};

	for (size_t k = 0; k < analysis->comparison_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];

		if (comparison->measured < 2)
			continue;
		whole.workloads += !whole.last || whole.last->workload != comparison->workload;
		whole.last = comparison;
		whole.compared++;
	}
	return whole;
}

/* Whether each comparison is a workload, so that it can be called one. */
static bool of_workloads(const struct analysis *analysis)
{
	struct whole whole = whole_of(analysis);

	return whole.compared == 1 || (whole.workloads == whole.compared &&
				       analysis->result->definition.factor_count == 1);
}

void statement_put_whole(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	struct whole whole = whole_of(analysis);
	char title[WORDS_NAME_MAX], number[WORDS_MAX];

	if (whole.compared == 1)
		statement_put(statements, "%s", words_title(analysis, whole.last, title));
	else
		statement_put(statements, "these %s %s", words_number(whole.compared, number),
			      of_workloads(analysis) ? "workloads" : "comparisons");
}

size_t statements_by_latency(const struct analysis *analysis)
{
	size_t count = 0;

	for (size_t k = 0; k < analysis->comparison_count; k++)
		count += analysis->comparisons[k].measured > 1 &&
			 analysis->comparisons[k].measure == MEASURE_LATENCY;
	return count;
}

/* ---- the answer ---- */

/* The complete level that comes next behind the leader; the leader where there is none. */
static size_t runner_up(const struct recommendation *recommendation)
{
	size_t next = recommendation->leader;

	for (size_t i = 0; i < recommendation->level_count; i++) {
		const struct recommended_level *level = &recommendation->levels[i];

		if (i == recommendation->leader || !level->complete)
			continue;
		if (next == recommendation->leader ||
		    level->to_leader > recommendation->levels[next].to_leader)
			next = i;
	}
	return next;
}

/* "4.1 % [2.9, 5.3] ahead of 32K" */
static void put_lead(struct statements *statements, size_t level)
{
	const struct recommended_level *other = &statements->analysis->recommendation.levels[level];
	char name[WORDS_LEVEL_MAX], ahead[WORDS_MAX];

	if (!(other->lead > 0))
		return;
	if (other->lead == 1) {
		statement_put(statements, "equal to %s",
			      words_level(statements->analysis, level, name));
		return;
	}
	(void)words_ahead_interval(other->lead, other->interval ? other->lead_low : 0,
				   other->lead_high, ahead);
	if (other->lead >= 2)
		statement_put(statements, "%s %s %s", ahead,
			      statements_by_latency(statements->analysis) ? "as good as"
									  : "the figure of",
			      words_level(statements->analysis, level, name));
	else
		statement_put(statements, "%s ahead of %s", ahead,
			      words_level(statements->analysis, level, name));
}

/* "64K is highest, 4.1 % [-2.9, 11] ahead of 32K" */
static void put_highest(struct statements *statements, size_t next)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	char name[WORDS_LEVEL_MAX];

	statement_put(statements, "%s %s, ", words_level(analysis, recommendation->leader, name),
		      statements_by_latency(analysis) ? "leads" : "is highest");
	put_lead(statements, next);
}

/* Whether a level has no part in the answer, so that it may be better than what is. */
static bool lacks_levels(const struct recommendation *recommendation)
{
	for (size_t i = 0; i < recommendation->level_count; i++)
		if (!recommendation->levels[i].complete)
			return true;
	return false;
}

static void recommended(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	size_t next = runner_up(recommendation);
	char name[WORDS_LEVEL_MAX];

	statement_begin(statements);
	(void)words_level(analysis, recommendation->leader, name);
	if (lacks_levels(recommendation))
		statement_put(statements, "Of the levels measured throughout, ");
	statement_put(statements, of_workloads(analysis) ? "%s serves " : "%s is best over ", name);
	statement_put_whole(statements);
	statement_put(statements, "%s", of_workloads(analysis) ? " best" : "");
	if (next != recommendation->leader) {
		statement_put(statements, ": ");
		put_lead(statements, next);
		if (statements_compared(analysis) > 1)
			statement_put(statements, " over all");
	}
	statement_put(statements, ".");
	statement_end(statements, "recommended");
}

static void put_set(struct statements *statements)
{
	const struct recommendation *recommendation = &statements->analysis->recommendation;
	char name[WORDS_LEVEL_MAX];

	for (size_t i = 0; i < recommendation->set_count; i++) {
		statement_comma(statements, i, recommendation->set_count);
		statement_put(statements, "%s",
			      words_level(statements->analysis, recommendation->set[i], name));
	}
}

static void not_told_apart(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	size_t next = runner_up(recommendation), complete = 0;

	for (size_t i = 0; i < recommendation->level_count; i++)
		complete += recommendation->levels[i].complete;
	statement_begin(statements);
	if (recommendation->set_count == complete && complete > LEVELS_LISTED)
		statement_put(statements,
			      "These samples show no level of %s better than another "
			      "for ",
			      analysis->axis);
	else {
		statement_put(statements, "These samples do not tell ");
		put_set(statements);
		statement_put(statements, " apart for ");
	}
	statement_put_whole(statements);
	if (next != recommendation->leader) {
		statement_put(statements, ": ");
		put_highest(statements, next);
		statement_put(statements, ", which may be chance");
	}
	statement_put(statements, ".");
	statement_end(statements, "not_told_apart");
}

/* Whether a repeat after the first was begun, as of a run that was interrupted in it. */
static bool any_repeated(const struct analysis *analysis)
{
	for (size_t k = 0; k < analysis->comparison_count; k++)
		for (size_t l = 0; l < analysis->level_count; l++)
			if (analysis->comparisons[k].figures[l].samples > 1)
				return true;
	return false;
}

static void single_samples(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	size_t next = runner_up(recommendation);

	statement_begin(statements);
	statement_put(statements,
		      "%s can name no best level of %s: how far a repeat would have "
		      "differed is not known, so that all levels stay.",
		      any_repeated(analysis) ? "Less than two whole repeats" : "One sample each",
		      analysis->axis);
	statement_end(statements, "single_samples");
	statements_highest(statements);
	if (next == recommendation->leader || statements_compared(analysis) < 2)
		return;
	statement_begin(statements);
	statement_put(statements, "Over ");
	statement_put_whole(statements);
	statement_put(statements, " together ");
	put_highest(statements, next);
	statement_put(statements, "; one repeat may turn that round.");
	statement_end(statements, "leads");
}

static void none_complete(struct statements *statements)
{
	statement_begin(statements);
	statement_put(
		statements,
		"No two levels of %s were measured in the same comparisons throughout, so that "
		"none can be recommended over all.",
		statements->analysis->axis);
	statement_end(statements, "none_complete");
}

/* ---- all of it ---- */

static void answer(struct statements *statements)
{
	switch (statements->analysis->recommendation.kind) {
	case RECOMMENDATION_LEVEL:
		recommended(statements);
		break;
	case RECOMMENDATION_SET:
		not_told_apart(statements);
		break;
	case RECOMMENDATION_SINGLE:
		single_samples(statements);
		break;
	case RECOMMENDATION_NONE:
		none_complete(statements);
		break;
	}
}

int statements_make(struct analysis *analysis)
{
	struct statements statements = {.analysis = analysis};
	const struct recommendation *recommendation = &analysis->recommendation;

	if (statements_compared(analysis) == 0 || !recommendation->levels)
		return 0;
	answer(&statements);
	if (recommendation->kind != RECOMMENDATION_NONE)
		statements_losses(&statements);
	statements_evidence(&statements);
	return statements.r;
}
