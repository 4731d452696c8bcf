/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stopping.c - see stopping.h. */
#include "engine/analysis/stopping.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/comparisons.h"

size_t stopping_first_look(const struct definition *definition)
{
	size_t first = definition->repeats_min;

	if (!(definition->until_ci_percent > 0))
		return 0;
	if (first < STOPPING_BLOCKS_MIN)
		first = STOPPING_BLOCKS_MIN;
	return first < definition->repeats ? first : 0; /* else there is nothing to end early */
}

double stopping_widening(size_t first_look, size_t blocks, double degrees)
{
	if (first_look < 2 || blocks < first_look || !(degrees > 0))
		return 1;
	return 1 + STOPPING_WIDENING / (degrees * (double)(first_look - 1));
}

/* How well one comparison is known, and from how many blocks. */
struct precision {
	size_t blocks;
	double half; /* of the logarithm; NAN: not known */
};

/* Of one level: its mean's. */
static struct precision of_level(const struct block_table *table, size_t first_look)
{
	struct precision precision = {.half = NAN};
	double mean = 0, squares = 0, degrees;

	for (size_t i = 0; i < table->block_count * table->level_count; i++) {
		double step = table->logs[i] - mean;

		if (isnan(step))
			continue;
		mean += step / (double)++precision.blocks;
		squares += step * (table->logs[i] - mean);
	}
	if (precision.blocks < 2)
		return precision;
	degrees = (double)precision.blocks - 1;
	precision.half = statistics_student(1 - CONTRASTS_ALPHA, degrees) *
			 sqrt(squares / degrees / (double)precision.blocks) *
			 stopping_widening(first_look, precision.blocks, 1);
	return precision;
}

static struct precision of_levels(const struct comparison *comparison, size_t first_look)
{
	struct precision precision = {.blocks = comparison->blocks, .half = NAN};
	double a_block;

	if (comparison->blocks < 2 || !(comparison->residual > 0))
		return precision;
	a_block = comparison->degrees / (double)(comparison->blocks - 1);
	precision.half = statistics_student(1 - CONTRASTS_ALPHA, comparison->degrees) *
			 comparison->residual * sqrt(2 / (double)comparison->blocks) *
			 stopping_widening(first_look, comparison->blocks, a_block);
	return precision;
}

int stopping_reached(const struct result *so_far, double until_ci_percent, unsigned int min_blocks,
		     bool *ret_reached, double *ret_half_width_percent)
{
	size_t first = min_blocks < STOPPING_BLOCKS_MIN ? STOPPING_BLOCKS_MIN : min_blocks;
	struct block_table *tables;
	struct analysis analysis;
	bool known = false, enough = true;
	double widest = 0;
	int r = comparisons_gather(so_far, &analysis);

	if (r < 0)
		return r;
	r = comparisons_contrast(&analysis, &tables);
	if (r < 0) {
		analysis_done(&analysis);
		return r;
	}
	for (size_t i = 0; i < analysis.comparison_count; i++) {
		const struct comparison *comparison = &analysis.comparisons[i];
		struct precision precision;

		if (comparison->measured == 0)
			continue;
		precision = comparison->measured > 1 ? of_levels(comparison, first)
						     : of_level(&tables[i], first);
		known = true;
		enough = enough && precision.blocks >= first && !isnan(precision.half);
		widest = fmax(widest, precision.half); /* fmax passes NAN over */
	}
	comparisons_tables_free(tables, analysis.comparison_count);
	analysis_done(&analysis);
	*ret_half_width_percent = 100 * expm1(widest);
	*ret_reached = known && enough && *ret_half_width_percent <= until_ci_percent;
	return 0;
}
