/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statements_losses.c - what the level that was answered loses and costs, beside others. */
#include "engine/analysis/statements_private.h"

/* "3.5 % below the highest"; of a latency "3.6 % above the lowest" */
static void put_loss(struct statements *statements, enum measure measure, double to_best)
{
	char loss[WORDS_MAX];

	if (measure != MEASURE_LATENCY)
		statement_put(statements, "%s below the highest", words_percent(1 - to_best, loss));
	else
		statement_put(statements, "a mean latency %s %s", words_ahead(to_best, loss),
			      to_best > 0.5 ? "above the lowest" : "the lowest");
}

static void worst_loss(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommended_level *leader =
		&analysis->recommendation.levels[analysis->recommendation.leader];
	const struct comparison *worst;
	char name[WORDS_LEVEL_MAX], title[WORDS_NAME_MAX];
	size_t latencies = statements_by_latency(analysis);

	if (statements_compared(analysis) < 2 ||
	    leader->worst_comparison >= analysis->comparison_count)
		return;
	statement_begin(statements);
	(void)words_level(analysis, analysis->recommendation.leader, name);
	worst = &analysis->comparisons[leader->worst_comparison];
	if (leader->worst >= 1)
		statement_put(statements, "%s has the %s in every one of them.", name,
			      latencies == 0				   ? "highest figure"
			      : latencies == statements_compared(analysis) ? "lowest mean latency"
									   : "best figure");
	else {
		statement_put(statements, "Worst loss of %s: ", name);
		put_loss(statements, worst->measure, leader->worst);
		statement_put(statements, ", in %s", words_title(analysis, worst, title));
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

/* "; most lost: 3.5 % in Ingest"; of a latency "; most lost: a mean latency 3.6 % longer in Ingest"
 */
static void put_most(struct statements *statements, double ratio, size_t in)
{
	const struct analysis *analysis = statements->analysis;
	const struct comparison *comparison = &analysis->comparisons[in];
	char title[WORDS_NAME_MAX], text[WORDS_MAX];

	if (ratio == 1)
		return;
	statement_put(statements, "; most %s: ", ratio > 1 ? "won" : "lost");
	if (comparison->measure != MEASURE_LATENCY)
		statement_put(statements, "%s",
			      ratio > 1 ? words_ahead(ratio, text)
					: words_percent(1 - ratio, text));
	else if (ratio > 1)
		statement_put(statements, "a mean latency %s lower",
			      words_percent(1 - 1 / ratio, text));
	else
		statement_put(statements, "a mean latency %s %s", words_ahead(ratio, text),
			      ratio > 0.5 ? "longer" : "as long");
	statement_put(statements, " in %s", words_title(analysis, comparison, title));
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
	char name[WORDS_LEVEL_MAX], leader[WORDS_LEVEL_MAX];

	if (!(step->most_won > 0) || !(step->most_lost > 0))
		return;
	statement_begin(statements);
	statement_put(statements, "%s in place of %s",
		      words_level(analysis, up ? step->to : step->from, name),
		      words_level(analysis, analysis->recommendation.leader, leader));
	statement_put(statements, " is shown better in %zu and worse in %zu of %zu", better, worse,
		      better + worse + step->open);
	if (won > 1)
		put_most(statements, won, won_in);
	if (lost < 1)
		put_most(statements, lost, lost_in);
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

void statements_losses(struct statements *statements)
{
	worst_loss(statements);
	shown_worse(statements);
	incomplete_levels(statements);
	trade_offs(statements);
	cost(statements, false);
	cost(statements, true);
}
