/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statements_evidence.c - how sure an answer is, and what would make it surer. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/statements_private.h"

/* ---- repeats ---- */

static void repeats_needed(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	char leader[WORDS_LEVEL_MAX], next[WORDS_LEVEL_MAX], spread[WORDS_MAX];
	unsigned int needed = recommendation->repeats_needed;
	unsigned int more = needed - (unsigned int)recommendation->blocks;

	if (recommendation->next == recommendation->leader)
		return;
	statement_begin(statements);
	(void)words_level(analysis, recommendation->leader, leader);
	(void)words_level(analysis, recommendation->next, next);
	(void)words_percent(recommendation->spread, spread);
	if (needed == 0)
		statement_put(statements,
			      "Not even %d repeats would be likely to tell %s from %s: the "
			      "difference is too small beside a spread from repeat to repeat of "
			      "%s, ",
			      DEFINITION_REPEATS_MAX, leader, next, spread);
	else if (needed > recommendation->blocks && !recommendation->spread_assumed)
		statement_put(statements,
			      "%u more repeat%s (%u in all) would be likely to tell %s from %s, "
			      "were the difference real and the spread from repeat to repeat %s, ",
			      more, more == 1 ? "" : "s", needed, leader, next, spread);
	else
		statement_put(statements,
			      "About %u repeats would be likely to tell %s from %s, were the "
			      "difference real and the spread from repeat to repeat %s, ",
			      needed, leader, next, spread);
	statement_put(statements,
		      recommendation->spread_assumed ? "which is assumed here." : "as seen here.");
	statement_end(statements, "repeats_needed");
}

/* ---- pairs ---- */

struct pairs {
	size_t count, judged, different, paired;
	size_t blocks; /* the most that any pair has */
	double *detectable;
	const struct contrast *widest;
	const struct comparison *widest_of;
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void add_pair(struct pairs *pairs, const struct comparison *comparison,
		     const struct contrast *contrast)
{
	pairs->count++;
	if (contrast->verdict == VERDICT_NONE)
		return;
	pairs->detectable[pairs->judged++] = contrast->detectable;
	pairs->different += contrast->verdict == VERDICT_DIFFERENT;
	pairs->paired += contrast->paired;
	if (contrast->blocks > pairs->blocks)
		pairs->blocks = contrast->blocks;
	if (!pairs->widest || contrast->detectable > pairs->widest->detectable) {
		pairs->widest = contrast;
		pairs->widest_of = comparison;
	}
}

static int gather_pairs(const struct analysis *analysis, struct pairs *pairs)
{
	size_t room = 1;

	*pairs = (struct pairs){.count = 0};
	for (size_t k = 0; k < analysis->comparison_count; k++)
		room += analysis->comparisons[k].contrast_count;
	pairs->detectable = calloc(room, sizeof(*pairs->detectable));
	if (!pairs->detectable)
		return -ENOMEM;
	for (size_t k = 0; k < analysis->comparison_count; k++)
		for (size_t i = 0; i < analysis->comparisons[k].contrast_count; i++)
			add_pair(pairs, &analysis->comparisons[k],
				 &analysis->comparisons[k].contrasts[i]);
	qsort(pairs->detectable, pairs->judged, sizeof(*pairs->detectable), ascending);
	return 0;
}

static void verdicts(struct statements *statements, const struct pairs *pairs)
{
	size_t open = pairs->judged - pairs->different;

	if (pairs->judged < 2)
		return;
	statement_begin(statements);
	statement_put(statements,
		      "Of %zu pairs of levels %zu %s shown to differ and %zu %s not, by Student's "
		      "t and Holm's procedure over all of them together",
		      pairs->judged, pairs->different, pairs->different == 1 ? "is" : "are", open,
		      open == 1 ? "is" : "are");
	if (pairs->judged < pairs->count)
		statement_put(statements, "; %zu more have no two repeats in common and no verdict",
			      pairs->count - pairs->judged);
	statement_put(statements, ".");
	statement_end(statements, "verdicts");
}

/* Beyond this a figure says no more than that nothing would have been shown. */
#define DETECTABLE_TIMES 100

static const char *detectable_words(double ratio, char buffer[WORDS_MAX])
{
	if (ratio < DETECTABLE_TIMES)
		return words_ahead(ratio, buffer);
	(void)snprintf(buffer, WORDS_MAX, "more than %d times", DETECTABLE_TIMES);
	return buffer;
}

static void detectable(struct statements *statements, const struct pairs *pairs)
{
	char middle[WORDS_MAX], most[WORDS_MAX], title[WORDS_NAME_MAX];
	char one[WORDS_LEVEL_MAX], other[WORDS_LEVEL_MAX];
	const struct analysis *analysis = statements->analysis;

	if (pairs->judged == 0 || !(pairs->detectable[pairs->judged / 2] > 1))
		return;
	statement_begin(statements);
	(void)detectable_words(pairs->detectable[pairs->judged / 2], middle);
	statement_put(statements,
		      "The smallest difference between two levels that these %zu "
		      "repeats would have shown is %s",
		      pairs->blocks, middle);
	if (pairs->judged > 1) {
		(void)detectable_words(pairs->widest->detectable, most);
		statement_put(statements, " for half of the pairs and %s for the least exact (%s, ",
			      most, words_title(analysis, pairs->widest_of, title));
		statement_put(statements, "%s beside %s)",
			      words_level(analysis, pairs->widest->a, one),
			      words_level(analysis, pairs->widest->b, other));
	}
	statement_put(statements, ".");
	statement_end(statements, "detectable");
}

static void paired(struct statements *statements, const struct pairs *pairs)
{
	if (pairs->paired == 0)
		return;
	statement_begin(statements);
	statement_put(
		statements,
		"Spreads differ between levels: %zu of %zu pairs %s judged by %s own "
		"differences from repeat to repeat (paired t), not by the spread of all levels "
		"together.",
		pairs->paired, pairs->judged, pairs->paired == 1 ? "is" : "are",
		pairs->paired == 1 ? "its" : "their");
	statement_end(statements, "paired");
}

/* ---- what the samples are ---- */

static void weights(struct statements *statements)
{
	const struct definition *definition = &statements->analysis->result->definition;
	char name[WORDS_NAME_MAX];
	bool differ = false;

	for (size_t w = 0; w < definition->workload_count; w++) {
		double weight = definition->workloads[w].weight;

		differ |=
			(weight > 0 ? weight : 1) !=
			(definition->workloads[0].weight > 0 ? definition->workloads[0].weight : 1);
	}
	if (!differ)
		return;
	statement_begin(statements);
	statement_put(statements, "Workloads count by their weights: ");
	for (size_t w = 0; w < definition->workload_count; w++) {
		double weight = definition->workloads[w].weight;

		statement_comma(statements, w, definition->workload_count);
		statement_put(statements, "%s %.4g",
			      words_name(definition->workloads[w].name
						 ? definition->workloads[w].name
						 : "",
					 name),
			      weight > 0 ? weight : 1);
	}
	statement_put(statements, ".");
	statement_end(statements, "weights");
}

static bool any_index(const struct result *result)
{
	for (size_t i = 0; i < result->sample_count; i++)
		if (result->samples[i].source && result->samples[i].source->index)
			return true;
	return false;
}

static void judged_by(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct definition *definition = &analysis->result->definition;
	size_t counts[MEASURE_COUNT] = {0}, all = 0;
	bool sizes = definition->factor_count > 0 && definition->factors[0].option &&
		     definition->factors[0].option->id == OPTION_ID_BS;

	for (size_t k = 0; k < analysis->comparison_count; k++)
		if (analysis->comparisons[k].measured > 1) {
			counts[analysis->comparisons[k].measure]++;
			all++;
		}
	for (int m = MEASURE_BANDWIDTH; m <= MEASURE_LATENCY; m++) {
		if (!counts[m] || any_index(analysis->result)) /* an index has no unit */
			continue;
		statement_begin(statements);
		if (counts[m] < all)
			statement_put(statements, "%zu of %zu comparisons are judged by ",
				      counts[m], all);
		else
			statement_put(statements, "Levels are judged by ");
		statement_put(statements, "%s.",
			      m == MEASURE_BANDWIDTH
				      ? sizes ? "bytes a second, since request sizes differ"
					      : "bytes a second, since request sizes differ or "
						"operations a second are not known"
				      : "the mean latency, since rates say how much is done: the "
					"lower is ahead, by how much longer the other takes");
		statement_end(statements, "judged_by");
	}
}

/* A level whose mean is better than that of the best; that itself where there is none. */
static size_t above(const struct analysis *analysis, const struct comparison *comparison)
{
	size_t found = comparison->best;

	for (size_t l = 0; l < analysis->level_count && comparison->measured > 1; l++) {
		double own = comparison->figures[l].value.mean;
		double most = comparison->figures[found].value.mean;

		if (comparison->figures[l].samples > 0 &&
		    (comparison->measure == MEASURE_LATENCY ? own < most * (1 - 1e-12)
							    : own > most * (1 + 1e-12)))
			found = l;
	}
	return found;
}

/* Tables show arithmetic means, which may have another level first than ratios say. */
static void mean_above(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct comparison *first = NULL;
	char title[WORDS_NAME_MAX], one[WORDS_LEVEL_MAX], best[WORDS_LEVEL_MAX];
	size_t count = 0;

	for (size_t k = 0; k < analysis->comparison_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];

		if (above(analysis, comparison) == comparison->best)
			continue;
		first = first ? first : comparison;
		count++;
	}
	if (!first)
		return;
	statement_begin(statements);
	statement_put(statements, "In %s %s has a better mean than %s, which is best",
		      words_title(analysis, first, title),
		      words_level(analysis, above(analysis, first), one),
		      words_level(analysis, first->best, best));
	if (count > 1)
		statement_put(statements, ", and so in %zu more", count - 1);
	statement_put(statements,
		      ": levels are told apart by ratios of geometric means, in which "
		      "one repeat that is far off counts less%s; tables show "
		      "arithmetic means.",
		      first->drift > 0 ? " and a drift does not" : "");
	statement_end(statements, "mean_above");
}

static void order_of_samples(struct statements *statements, const struct pairs *pairs)
{
	const struct result *result = statements->analysis->result;
	bool imported = result->definition.imported;
	bool space = analysis_grouped_for_space(result);

	if (imported ? pairs->judged == 0 : !space && result->definition.order != ORDER_GROUPED)
		return;
	statement_begin(statements);
	if (imported)
		statement_put(statements, "The order of the measurements was not told: drift may "
					  "be in the differences, and the intervals do not show "
					  "it.");
	else
		statement_put(statements,
			      "%s: drift is in the differences between levels, and the intervals "
			      "do not show it.",
			      space ? "One volume was measured after another, for want of space"
				    : "All repeats of a level were measured together, as the "
				      "definition asks");
	statement_end(statements, imported ? "order_unknown" : "order_grouped");
}

/* Comparisons whose figures drifted, and that which did most. */
static void drift(struct statements *statements)
{
	const struct analysis *analysis = statements->analysis;
	const struct comparison *most = NULL;
	char title[WORDS_NAME_MAX], far[WORDS_MAX];
	size_t count = 0, compared = statements_compared(analysis);

	for (size_t k = 0; k < analysis->comparison_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];

		if (!(comparison->drift > 0))
			continue;
		count++;
		if (!most || fabs(log(comparison->drift)) > fabs(log(most->drift)))
			most = comparison;
	}
	if (!most)
		return;
	statement_begin(statements);
	if (most->drift < 1)
		(void)words_percent(1 - most->drift, far);
	else
		(void)words_ahead(most->drift, far);
	statement_put(statements, "Figures drifted over the run");
	if (count > 1)
		statement_put(statements, " in %zu of %zu comparisons, most in %s", count, compared,
			      words_title(analysis, most, title));
	else if (compared > 1)
		statement_put(statements, " in %s", words_title(analysis, most, title));
	statement_put(statements,
		      ": from its first sample to its last they became %s %s. That is taken out of "
		      "the ratios between levels, by each sample's place in the run (analysis of "
		      "covariance), and not out of means.",
		      far, most->drift < 1 ? "worse" : "better");
	statement_end(statements, "drift");
}

static void told_figures(struct statements *statements)
{
	const struct result *result = statements->analysis->result;
	size_t indices = 0;
	uint64_t least = 0, most = 0;

	for (size_t i = 0; i < result->sample_count; i++) {
		const struct sample_source *source = result->samples[i].source;
		uint64_t count = source ? source->samples : 0;

		indices += source && source->index;
		most = count > most ? count : most;
		if (count > 0 && (least == 0 || count < least))
			least = count;
	}
	if (indices) {
		statement_begin(statements);
		statement_put(statements, "Only changes were told: figures are an index, 100 being "
					  "the level that others are told against, and no "
					  "operations a second.");
		statement_end(statements, "index");
	}
	if (most < 2)
		return;
	statement_begin(statements);
	if (least == most)
		statement_put(statements, "Each figure is the mean of %llu measurements",
			      (unsigned long long)most);
	else
		statement_put(statements, "Figures are means of %llu to %llu measurements",
			      (unsigned long long)least, (unsigned long long)most);
	statement_put(statements, ", whose spread was not told.");
	statement_end(statements, "means_told");
}

void statements_evidence(struct statements *statements)
{
	struct pairs pairs;

	if (gather_pairs(statements->analysis, &pairs) < 0) {
		statements->r = -ENOMEM;
		return;
	}
	if (statements->analysis->recommendation.kind != RECOMMENDATION_NONE)
		repeats_needed(statements);
	verdicts(statements, &pairs);
	detectable(statements, &pairs);
	paired(statements, &pairs);
	weights(statements);
	judged_by(statements);
	mean_above(statements);
	order_of_samples(statements, &pairs);
	drift(statements);
	told_figures(statements);
	free(pairs.detectable);
}
