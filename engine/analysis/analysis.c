/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analysis.c - see analysis.h. */
#include "engine/analysis/analysis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/checks_result.h"
#include "engine/analysis/comparisons.h"
#include "engine/analysis/recommendation.h"
#include "engine/analysis/statements.h"
#include "engine/plan/quantity.h"

const char *const measure_names[MEASURE_COUNT] = {"iops", "bandwidth", "latency", "files"};
const char *const verdict_names[] = {"none", "no_difference", "different"};
const char *const recommendation_kind_names[] = {"none", "single", "set", "level"};

/* By size where all levels are sizes or numbers, else as given. */
static int order_levels(struct analysis *analysis)
{
	const struct definition *definition = &analysis->result->definition;
	AUTO_FREE uint64_t *sizes = calloc(analysis->level_count, sizeof(*sizes));
	struct error err;

	analysis->order = calloc(analysis->level_count, sizeof(*analysis->order));
	if (!sizes || !analysis->order)
		return -ENOMEM;
	for (size_t i = 0; i < analysis->level_count; i++)
		analysis->order[i] = i;
	for (size_t i = 0; definition->factor_count && i < analysis->level_count; i++)
		if (quantity_parse_size(definition->factors[0].levels[i], &sizes[i], &err) < 0)
			return 0;
	for (size_t i = 1; i < analysis->level_count; i++) /* insertion: few, mostly in order */
		for (size_t k = i;
		     k > 0 && sizes[analysis->order[k - 1]] > sizes[analysis->order[k]]; k--) {
			size_t swap = analysis->order[k];

			analysis->order[k] = analysis->order[k - 1];
			analysis->order[k - 1] = swap;
		}
	return 0;
}

/* Pairs of levels, in each comparison and over all; then what follows from them together. */
static int judge(struct analysis *analysis)
{
	struct recommendation_scores scores;
	struct block_table *tables;
	size_t tested;
	int r = comparisons_contrast(analysis, &tables);

	if (r < 0)
		return r;
	r = recommendation_score(analysis, tables, &scores);
	comparisons_tables_free(tables, analysis->comparison_count);
	if (r < 0)
		return r;
	r = comparisons_judge(analysis, &scores.own, &tested);
	if (r == 0)
		r = recommendation_make(analysis, &scores, tested);
	recommendation_scores_done(&scores);
	return r;
}

static int make(struct analysis *analysis)
{
	int r = order_levels(analysis);

	if (r == 0)
		r = judge(analysis);
	if (r == 0)
		r = checks_result(analysis);
	if (r == 0)
		r = statements_make(analysis);
	return r;
}

int analysis_make(const struct result *result, struct analysis *ret_analysis)
{
	struct analysis analysis;
	int r = comparisons_gather(result, &analysis);

	if (r < 0)
		return r;
	r = make(&analysis);
	if (r < 0)
		analysis_done(&analysis);
	else
		*ret_analysis = analysis;
	return r;
}

void analysis_done(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->statement_count; i++)
		free(analysis->statements[i].text);
	free(analysis->statements);
	free(analysis->recommendation.set);
	free(analysis->recommendation.levels);
	free(analysis->recommendation.trade_offs);
	comparisons_done(analysis);
	findings_done(&analysis->findings);
	free(analysis->order);
	cells_done(&analysis->cells);
	*analysis = (struct analysis){0};
}

const char *analysis_level(const struct analysis *analysis, size_t level)
{
	const struct definition *definition = &analysis->result->definition;

	return definition->factor_count > 0 ? definition->factors[0].levels[level] : "";
}

bool analysis_grouped_for_space(const struct result *result)
{
	for (size_t i = 0; i < result->findings.count; i++)
		if (strcmp(result->findings.list[i].code, "grouped_for_space") == 0)
			return true;
	return false;
}

const char *analysis_title(const struct analysis *analysis, const struct comparison *comparison,
			   char buffer[ANALYSIS_TITLE_MAX])
{
	const struct definition *definition = &analysis->result->definition;
	const char *name = definition->workloads[comparison->workload].name;
	size_t used;
	int n = snprintf(buffer, ANALYSIS_TITLE_MAX, "%s", name ? name : "");

	used = n > 0 ? (size_t)n : 0;
	if (comparison->files && used < ANALYSIS_TITLE_MAX) {
		n = snprintf(buffer + used, ANALYSIS_TITLE_MAX - used, ", %s %s",
			     workload_file_order_choices[comparison->order],
			     file_operation_names[comparison->operation]);
		used += n > 0 ? (size_t)n : 0;
	}
	for (size_t f = 1; f < definition->factor_count && used < ANALYSIS_TITLE_MAX; f++) {
		n = snprintf(buffer + used, ANALYSIS_TITLE_MAX - used, ", %s=%s",
			     definition->factors[f].name,
			     definition->factors[f].levels[comparison->levels[f]]);
		used += n > 0 ? (size_t)n : 0;
	}
	return buffer; /* cut where it is longer: names may be 128 bytes, factors 8 */
}

const struct contrast *analysis_contrast(const struct comparison *comparison, size_t one,
					 size_t other)
{
	size_t a = one < other ? one : other, b = one < other ? other : one;
	size_t low = 0, high = comparison->contrast_count;

	while (low < high) { /* they come by a, and within by b */
		size_t middle = low + (high - low) / 2;
		const struct contrast *contrast = &comparison->contrasts[middle];

		if (contrast->a == a && contrast->b == b)
			return contrast;
		if (contrast->a < a || (contrast->a == a && contrast->b < b))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool analysis_tops(const struct comparison *comparison, size_t level)
{
	const struct comparison_level *own = &comparison->figures[level];
	const struct comparison_level *best = &comparison->figures[comparison->best];
	const struct comparison_level *higher = own, *lower = best;

	if (comparison->measure == MEASURE_LATENCY) {
		higher = best;
		lower = own;
	}
	if (own->samples == 0)
		return false;
	/* Where one's digits end another's begin, which leaves nothing open; exact to a few in
	 * 10^16. */
	return own->value.mean == best->value.mean ||
	       higher->told_high > lower->told_low * (1 + 1e-12);
}
