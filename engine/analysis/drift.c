/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drift.c - see drift.h. */
#include "engine/analysis/drift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Places whose squares beside block and level are fewer tell no slope. */
#define SQUARES_MIN 0.5

/* Means of the blocks that hold every measured level, and of the levels over these blocks. */
struct means {
	bool *whole; /* a block */
	double *block_logs, *block_places;
	double *level_logs, *level_places;
	double logs, places; /* of all */
	size_t blocks, levels;
};

static void means_done(struct means *means)
{
	free(means->whole);
	free(means->block_logs);
	free(means->block_places);
	free(means->level_logs);
	free(means->level_places);
}

static int means_init(const struct block_table *table, struct means *means)
{
	*means = (struct means){
		.whole = calloc(table->block_count + 1, sizeof(bool)),
		.block_logs = calloc(table->block_count + 1, sizeof(double)),
		.block_places = calloc(table->block_count + 1, sizeof(double)),
		.level_logs = calloc(table->level_count + 1, sizeof(double)),
		.level_places = calloc(table->level_count + 1, sizeof(double)),
	};
	if (means->whole && means->block_logs && means->block_places && means->level_logs &&
	    means->level_places)
		return 0;
	means_done(means);
	return -ENOMEM;
}

static bool is_whole(const struct block_table *table, size_t block)
{
	for (size_t l = 0; l < table->level_count; l++)
		if (table->measured[l] && isnan(table->logs[block_table_at(table, block, l)]))
			return false;
	return true;
}

static void add_block(const struct block_table *table, size_t block, struct means *means)
{
	double count = (double)++means->blocks, levels = (double)means->levels;

	for (size_t l = 0; l < table->level_count; l++) {
		size_t at = block_table_at(table, block, l);

		if (!table->measured[l])
			continue;
		means->block_logs[block] += table->logs[at] / levels;
		means->block_places[block] += table->places[at] / levels;
		means->level_logs[l] += (table->logs[at] - means->level_logs[l]) / count;
		means->level_places[l] += (table->places[at] - means->level_places[l]) / count;
	}
	means->logs += (means->block_logs[block] - means->logs) / count;
	means->places += (means->block_places[block] - means->places) / count;
}

static void find_means(const struct block_table *table, struct means *means)
{
	for (size_t l = 0; l < table->level_count; l++)
		means->levels += table->measured[l];
	for (size_t b = 0; b < table->block_count && means->levels > 1; b++) {
		means->whole[b] = is_whole(table, b);
		if (means->whole[b])
			add_block(table, b, means);
	}
}

/* The slope of the blocks' means; 0 where none is shown. */
static double slope_between(const struct block_table *table, const struct means *means)
{
	double xx = 0, xy = 0, yy = 0, degrees = (double)means->blocks - 2, slope, error;

	for (size_t b = 0; b < table->block_count; b++) {
		double x = means->block_places[b] - means->places;
		double y = means->block_logs[b] - means->logs;

		if (!means->whole[b])
			continue;
		xx += x * x;
		xy += x * y;
		yy += y * y;
	}
	if (degrees < 1 || !(xx > 0))
		return 0;
	slope = xy / xx;
	error = sqrt(fmax(yy - slope * xy, 0) / degrees / xx);
	error = fmax(error, CONTRASTS_RESOLUTION / sqrt(xx));
	return fabs(slope) > error * statistics_student(1 - DRIFT_ALPHA, degrees) ? slope : 0;
}

/* The slope within the blocks, levels taken out; *ret_squares of the places. */
static double slope_within(const struct block_table *table, const struct means *means,
			   double *ret_squares)
{
	double xx = 0, xy = 0;

	for (size_t b = 0; b < table->block_count; b++) {
		for (size_t l = 0; l < table->level_count && means->whole[b]; l++) {
			size_t at = block_table_at(table, b, l);
			double x, y;

			if (!table->measured[l])
				continue;
			x = table->places[at] - means->block_places[b] - means->level_places[l] +
			    means->places;
			y = table->logs[at] - means->block_logs[b] - means->level_logs[l] +
			    means->logs;
			xx += x * x;
			xy += x * y;
		}
	}
	*ret_squares = xx;
	return xx > 0 ? xy / xx : 0;
}

static void take_out(struct block_table *table, double slope, double middle)
{
	for (size_t i = 0; i < table->block_count * table->level_count; i++)
		table->logs[i] -= slope * (table->places[i] - middle); /* NAN stays */
}

int drift_take_out(struct block_table *table, double *ret_slope)
{
	double between = 0, within, squares;
	struct means means;
	int r = means_init(table, &means);

	if (r < 0)
		return r;
	find_means(table, &means);
	if (means.blocks > 2 && (means.blocks - 1) * (means.levels - 1) >= DRIFT_DEGREES_MIN + 1)
		between = slope_between(table, &means);
	if (between != 0) {
		within = slope_within(table, &means, &squares);
		if (squares > SQUARES_MIN) {
			take_out(table, within, means.places);
			table->place_squares = squares;
			table->drift_degrees = 1;
		} else {
			between = 0;
		}
	}
	means_done(&means);
	*ret_slope = between;
	return 0;
}

int drift_of_run(const struct result *result, struct block_table *table, double *ret_drift)
{
	double slope = 0;
	int r = 0;

	if (!result->definition.imported && result->definition.order == ORDER_INTERLEAVED &&
	    !analysis_grouped_for_space(result))
		r = drift_take_out(table, &slope);
	*ret_drift = slope != 0 ? exp(slope * (double)(result->sample_count - 1)) : 0;
	return r;
}
