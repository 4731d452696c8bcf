/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statements.c - see statements.h: the answer, its losses and its costs. */
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
	char title[ANALYSIS_TITLE_MAX], number[WORDS_MAX];

	if (whole.compared == 1)
		statement_put(statements, "%s", analysis_title(analysis, whole.last, title));
	else
		statement_put(statements, "these %s %s", words_number(whole.compared, number),
			      of_workloads(analysis) ? "workloads" : "comparisons");
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
	(void)words_ahead_interval(other->lead, other->interval ? other->lead_low : 0,
				   other->lead_high, ahead);
	if (other->lead >= 2)
		statement_put(statements, "%s the figure of %s", ahead,
			      words_level(statements->analysis, level, name));
	else
		statement_put(statements, "%s ahead of %s", ahead,
			      words_level(statements->analysis, level, name));
}

static void recommended(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	size_t next = runner_up(recommendation);
	char name[WORDS_LEVEL_MAX];

	statement_begin(statements);
	(void)words_level(analysis, recommendation->leader, name);
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
	char name[WORDS_LEVEL_MAX];

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
		statement_put(statements, ": %s is highest, ",
			      words_level(analysis, recommendation->leader, name));
		put_lead(statements, next);
		statement_put(statements, ", which may be chance");
	}
	statement_put(statements, ".");
	statement_end(statements, "not_told_apart");
}

static void single_samples(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	size_t next = runner_up(recommendation);
	char name[WORDS_LEVEL_MAX];

	statement_begin(statements);
	statement_put(statements,
		      "One sample each can name no best level of %s: how far a repeat "
		      "would have differed is not known, so that all levels stay.",
		      analysis->axis);
	statement_end(statements, "single_samples");
	statements_highest(statements);
	if (next == recommendation->leader || statements_compared(analysis) < 2)
		return;
	statement_begin(statements);
	statement_put(statements, "Over ");
	statement_put_whole(statements);
	statement_put(statements, " together %s is highest, ",
		      words_level(analysis, recommendation->leader, name));
	put_lead(statements, next);
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

/* ---- losses and costs ---- */

static void worst_loss(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommended_level *leader =
		&analysis->recommendation.levels[analysis->recommendation.leader];
	const struct comparison *worst;
	char name[WORDS_LEVEL_MAX], title[ANALYSIS_TITLE_MAX], loss[WORDS_MAX];

	if (statements_compared(analysis) < 2 ||
	    leader->worst_comparison >= analysis->comparison_count)
		return;
	statement_begin(statements);
	(void)words_level(analysis, analysis->recommendation.leader, name);
	worst = &analysis->comparisons[leader->worst_comparison];
	if (leader->worst >= 1)
		statement_put(statements, "%s has the highest figure in every one of them.", name);
	else {
		statement_put(statements, "Worst loss of %s: %s below the highest, in %s", name,
			      words_percent(1 - leader->worst, loss),
			      analysis_title(analysis, worst, title));
		statement_put(statements, " (%s).", words_level(analysis, worst->best, name));
	}
	statement_end(statements, "worst_loss");
}

static void shown_worse(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	char name[WORDS_LEVEL_MAX], loss[WORDS_MAX];
	size_t count = 0, index = 0;

	for (size_t i = 0; i < recommendation->level_count; i++)
		count += recommendation->levels[i].complete && !recommendation->levels[i].in_set;
	if (count == 0 || (count == 1 && recommendation->kind == RECOMMENDATION_LEVEL))
		return; /* the answer has said it */
	statement_begin(statements);
	statement_put(statements, "Shown worse than %s over all: ",
		      words_level(analysis, recommendation->leader, name));
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];
		const struct recommended_level *own = &recommendation->levels[level];

		if (!own->complete || own->in_set)
			continue;
		statement_comma(statements, index++, count);
		statement_put(statements, "%s by %s", words_level(analysis, level, name),
			      words_percent(1 - own->to_leader, loss));
	}
	statement_put(statements, ".");
	statement_end(statements, "shown_worse");
}

static void incomplete_levels(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	char name[WORDS_LEVEL_MAX];
	size_t count = 0, index = 0;

	for (size_t i = 0; i < recommendation->level_count; i++)
		count += !recommendation->levels[i].complete;
	if (count == 0 || count == analysis->level_count)
		return;
	statement_begin(statements);
	for (size_t i = 0; i < analysis->level_count; i++) {
		if (recommendation->levels[analysis->order[i]].complete)
			continue;
		statement_comma(statements, index++, count);
		statement_put(statements, "%s", words_level(analysis, analysis->order[i], name));
	}
	statement_put(statements, " %s not measured in every comparison and %s no part in this.",
		      count == 1 ? "was" : "were", count == 1 ? "has" : "have");
	statement_end(statements, "incomplete_levels");
}

/* The step between the leader and a neighbour, seen from the leader. */
static void trade_off(struct statements *statements, const struct trade_off *step)
{
	const struct analysis *analysis = statements->analysis;
	bool up = step->from == analysis->recommendation.leader;
	double won = up ? step->most_won : 1 / step->most_lost;
	double lost = up ? step->most_lost : 1 / step->most_won;
	size_t better = up ? step->better : step->worse, worse = up ? step->worse : step->better;
	size_t won_in = up ? step->won : step->lost, lost_in = up ? step->lost : step->won;
	char name[WORDS_LEVEL_MAX], title[ANALYSIS_TITLE_MAX], text[WORDS_MAX];

	if (!(step->most_won > 0) || !(step->most_lost > 0))
		return;
	statement_begin(statements);
	statement_put(statements, "%s in its place",
		      words_level(analysis, up ? step->to : step->from, name));
	statement_put(statements, " is shown better in %zu and worse in %zu of %zu", better, worse,
		      better + worse + step->open);
	if (won > 1)
		statement_put(statements, "; most won: %s in %s", words_ahead(won, text),
			      analysis_title(analysis, &analysis->comparisons[won_in], title));
	if (lost < 1)
		statement_put(statements, "; most lost: %s in %s", words_percent(1 - lost, text),
			      analysis_title(analysis, &analysis->comparisons[lost_in], title));
	statement_put(statements, ".");
	statement_end(statements, "trade_off");
}

static void trade_offs(struct statements *statements)
{
	const struct recommendation *recommendation = &statements->analysis->recommendation;

	if (statements_compared(statements->analysis) < 2 || recommendation->blocks < 2)
		return;
	for (size_t i = 0; i < recommendation->trade_off_count; i++) {
		const struct trade_off *step = &recommendation->trade_offs[i];

		if (step->from == recommendation->leader || step->to == recommendation->leader)
			trade_off(statements, step);
	}
}

/* What the levels of the set cost, in the order shown. */
static void cost(struct statements *statements, bool space)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	char name[WORDS_LEVEL_MAX];
	size_t count = 0;

	statement_begin(statements);
	statement_put(statements, "%s: ",
		      space ? "Space taken for each byte written"
			    : "Bytes that the pool's disks wrote for each byte written");
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];
		const struct recommended_level *own = &recommendation->levels[level];
		double value = space ? own->space : own->write_amplification;

		if (!(value > 0))
			continue;
		statement_put(statements, "%s%s %.2f", count++ ? ", " : "",
			      words_level(analysis, level, name), value);
	}
	statement_put(statements, ".");
	if (count > 1)
		statement_end(statements, space ? "space" : "write_amplification");
	else
		statement_drop(statements);
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
	if (recommendation->kind != RECOMMENDATION_NONE) {
		worst_loss(&statements);
		shown_worse(&statements);
		incomplete_levels(&statements);
		trade_offs(&statements);
		cost(&statements, false);
		cost(&statements, true);
	}
	statements_evidence(&statements);
	return statements.r;
}
