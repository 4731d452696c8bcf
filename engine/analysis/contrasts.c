/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contrasts.c - see contrasts.h. */
#include "engine/analysis/contrasts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/stopping.h"

/* Below these Bartlett's statistic says nothing. */
#define SPREADS_LEVELS 3
#define SPREADS_BLOCKS 3

int block_table_init(struct block_table *table, size_t blocks, size_t levels)
{
	size_t count;

	if (__builtin_mul_overflow(blocks, levels, &count))
		return -ENOMEM;
	*table = (struct block_table){.block_count = blocks, .level_count = levels};
	table->logs = calloc(count + 1, sizeof(*table->logs));
	table->open = calloc(count + 1, sizeof(*table->open));
	table->places = calloc(count + 1, sizeof(*table->places));
	table->measured = calloc(levels + 1, sizeof(*table->measured));
	if (!table->logs || !table->open || !table->places || !table->measured) {
		block_table_done(table);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		table->logs[i] = NAN;
	return 0;
}

void block_table_done(struct block_table *table)
{
	free(table->logs);
	free(table->open);
	free(table->places);
	free(table->measured);
	*table = (struct block_table){0};
}

size_t block_table_at(const struct block_table *table, size_t block, size_t level)
{
	return block * table->level_count + level;
}

static bool has(const struct block_table *table, size_t block, size_t level)
{
	return !isnan(table->logs[block_table_at(table, block, level)]);
}

/* What the residual is taken from. */
struct layout {
	bool *block, *level; /* used; heap */
	size_t blocks, levels;
};

static void layout_done(struct layout *layout)
{
	free(layout->block);
	free(layout->level);
}

/* Levels with two figures at least, and the blocks that hold all of them. */
static int lay_out(const struct block_table *table, struct layout *ret_layout)
{
	struct layout layout = {.block = calloc(table->block_count + 1, sizeof(bool)),
				.level = calloc(table->level_count + 1, sizeof(bool))};

	if (!layout.block || !layout.level) {
		layout_done(&layout);
		return -ENOMEM;
	}
	for (size_t l = 0; l < table->level_count; l++) {
		size_t figures = 0;

		for (size_t b = 0; b < table->block_count; b++)
			figures += has(table, b, l);
		layout.level[l] = figures > 1;
		layout.levels += layout.level[l];
	}
	for (size_t b = 0; b < table->block_count; b++) {
		layout.block[b] = layout.levels > 0;
		for (size_t l = 0; l < table->level_count; l++)
			if (layout.level[l] && !has(table, b, l))
				layout.block[b] = false;
		layout.blocks += layout.block[b];
	}
	*ret_layout = layout;
	return 0;
}

/* The mean over the layout's levels of one block. */
static double block_mean(const struct block_table *table, const struct layout *layout, size_t block)
{
	double sum = 0;

	for (size_t l = 0; l < table->level_count; l++)
		if (layout->level[l])
			sum += table->logs[block_table_at(table, block, l)];
	return sum / (double)layout->levels;
}

/* Squares of a level's residuals; means[b] is that of block b. */
static double level_squares(const struct block_table *table, const struct layout *layout,
			    const double *means, size_t level)
{
	double mean = 0, squares = 0, count = 0;

	for (size_t b = 0; b < table->block_count; b++) {
		double value, step;

		if (!layout->block[b])
			continue;
		value = table->logs[block_table_at(table, b, level)] - means[b];
		step = value - mean;
		mean += step / ++count;
		squares += step * (value - mean);
	}
	return squares;
}

bool contrasts_spreads_differ(const double *squares, size_t levels, double degrees)
{
	double sum = 0, log_sum = 0, k = 0, statistic, correction;

	for (size_t l = 0; l < levels; l++) {
		if (!(squares[l] > 0))
			continue;
		sum += squares[l];
		log_sum += log(squares[l]);
		k++;
	}
	if (k < SPREADS_LEVELS || degrees + 1 < SPREADS_BLOCKS)
		return false;
	statistic = degrees * (k * log(sum / k) - log_sum);
	correction = 1 + (k + 1) / (3 * k * degrees);
	return statistics_chi_square_beyond(statistic / correction, k - 1) <
	       CONTRASTS_SPREADS_ALPHA;
}

static int fit(const struct block_table *table, const struct layout *layout,
	       struct contrasts *contrasts)
{
	double floor = CONTRASTS_RESOLUTION * CONTRASTS_RESOLUTION * (double)layout->blocks,
	       sum = 0;
	double *means;

	contrasts->blocks = layout->blocks;
	if (layout->blocks < 2 || layout->levels < 2)
		return 0;
	means = calloc(table->block_count, sizeof(*means));
	if (!means)
		return -ENOMEM;
	for (size_t b = 0; b < table->block_count; b++)
		if (layout->block[b])
			means[b] = block_mean(table, layout, b);
	for (size_t l = 0; l < table->level_count; l++) {
		if (!layout->level[l])
			continue;
		contrasts->squares[l] = fmax(level_squares(table, layout, means, l), floor);
		sum += contrasts->squares[l];
	}
	free(means);
	contrasts->degrees = (double)(layout->blocks - 1) * (double)(layout->levels - 1);
	contrasts->degrees = fmax(contrasts->degrees - table->drift_degrees, 1);
	contrasts->residual = fmax(sqrt(sum / contrasts->degrees), CONTRASTS_RESOLUTION);
	contrasts->spreads_differ = contrasts_spreads_differ(contrasts->squares, table->level_count,
							     (double)layout->blocks - 1);
	return 0;
}

int contrasts_fit(const struct block_table *table, struct contrasts *ret_contrasts)
{
	struct contrasts contrasts = {.levels = table->level_count};
	struct layout layout;
	int r;

	contrasts.squares = calloc(table->level_count + 1, sizeof(*contrasts.squares));
	if (!contrasts.squares)
		return -ENOMEM;
	r = lay_out(table, &layout);
	if (r == 0) {
		r = fit(table, &layout, &contrasts);
		layout_done(&layout);
	}
	if (r < 0)
		contrasts_done(&contrasts);
	else
		*ret_contrasts = contrasts;
	return r;
}

void contrasts_done(struct contrasts *contrasts)
{
	free(contrasts->squares);
	free(contrasts->list);
	*contrasts = (struct contrasts){0};
}

/* The pair's own differences, b less a. */
struct differences {
	size_t count;
	double mean, squares, open;
	double place; /* mean, of b's places in the run less a's */
};

static struct differences differences(const struct block_table *table, size_t a, size_t b)
{
	struct differences own = {0};

	for (size_t block = 0; block < table->block_count; block++) {
		size_t at_a = block_table_at(table, block, a);
		size_t at_b = block_table_at(table, block, b);
		double value = table->logs[at_b] - table->logs[at_a], step;

		if (isnan(value))
			continue;
		step = value - own.mean;
		own.mean += step / (double)++own.count;
		own.squares += step * (value - own.mean);
		own.open += (table->open[at_a] + table->open[at_b] - own.open) / (double)own.count;
		own.place +=
			(table->places[at_b] - table->places[at_a] - own.place) / (double)own.count;
	}
	return own;
}

/* The last quantile that was asked for: most pairs ask for the same. */
struct quantile {
	double degrees, value;
};

static double student(struct quantile *last, double degrees)
{
	if (last->degrees != degrees)
		*last = (struct quantile){degrees,
					  statistics_student(1 - CONTRASTS_ALPHA, degrees)};
	return last->value;
}

static void compare(const struct block_table *table, const struct contrasts *contrasts,
		    struct quantile *last, struct contrast *contrast)
{
	struct differences own = differences(table, contrast->a, contrast->b);
	double count = (double)own.count, own_degrees, own_error, error, widening, half, beyond;
	double shares; /* of figures' variance in that of their difference */

	contrast->blocks = own.count;
	if (own.count == 0)
		return;
	contrast->ratio = contrast->low = contrast->high = exp(own.mean);
	if (own.count < 2)
		return;
	contrast->interval = true;
	contrast->paired = contrasts->spreads_differ || !(contrasts->residual > 0);
	own_degrees = fmax(count - 1 - table->drift_degrees, 1);
	shares = 2 / count +
		 (table->place_squares > 0 ? own.place * own.place / table->place_squares : 0);
	own_error = sqrt(own.squares / own_degrees * shares / 2);
	error = contrast->paired ? own_error : contrasts->residual * sqrt(shares);
	contrast->degrees = contrast->paired ? own_degrees : contrasts->degrees;
	widening =
		contrast->paired
			? stopping_widening(table->first_look, own.count, 1)
			: stopping_widening(table->first_look, contrasts->blocks,
					    contrasts->degrees / (double)(contrasts->blocks - 1));
	error = fmax(error * widening, CONTRASTS_RESOLUTION);
	half = student(last, contrast->degrees) * error + own.open;
	contrast->low = exp(own.mean - half);
	contrast->high = exp(own.mean + half);
	contrast->open = own.open;
	contrast->error = fmax(
		error, sqrt((error * error + own_error * own_error * widening * widening) / 2));
	beyond = fmax(fabs(own.mean) - own.open, 0) / contrast->error;
	contrast->p = fmin(2 * statistics_student_beyond(beyond, contrast->degrees), 1);
}

int contrasts_pairs(const struct block_table *table, struct contrasts *contrasts)
{
	struct quantile last = {0};
	size_t measured = 0;

	for (size_t l = 0; l < table->level_count; l++)
		measured += table->measured[l];
	contrasts->list = calloc(measured * measured / 2 + 1, sizeof(*contrasts->list));
	if (!contrasts->list)
		return -ENOMEM;
	for (size_t a = 0; a < table->level_count; a++)
		for (size_t b = a + 1; b < table->level_count; b++) {
			struct contrast *contrast = &contrasts->list[contrasts->count];

			if (!table->measured[a] || !table->measured[b])
				continue;
			*contrast = (struct contrast){.a = a, .b = b, .p = 1, .p_holm = 1};
			compare(table, contrasts, &last, contrast);
			contrasts->count++;
		}
	return 0;
}

static int by_p(const void *left, const void *right)
{
	const struct contrast *a = *(const struct contrast *const *)left;
	const struct contrast *b = *(const struct contrast *const *)right;

	return (a->p > b->p) - (a->p < b->p);
}

/* Those that have an interval to the front; how many they are. */
static size_t tested(struct contrast **all, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct contrast *swap = all[i];

		if (!swap->interval)
			continue;
		all[i] = all[kept];
		all[kept++] = swap;
	}
	return kept;
}

size_t contrasts_judge(struct contrast **all, size_t count)
{
	double highest = 0, findable = 0, alpha = 0, degrees = 0;
	size_t held; /* place of the first that is not rejected */

	count = tested(all, count);
	qsort(all, count, sizeof(*all), by_p);
	for (held = 0; held < count; held++)
		if (all[held]->p * (double)(count - held) > CONTRASTS_ALPHA)
			break;
	for (size_t i = 0; i < count; i++) {
		struct contrast *contrast = all[i];
		double level = CONTRASTS_ALPHA / (double)(count - (i < held ? i : held));

		highest = fmax(highest, fmin(contrast->p * (double)(count - i), 1));
		contrast->p_holm = highest;
		contrast->verdict = i < held ? VERDICT_DIFFERENT : VERDICT_NO_DIFFERENCE;
		if (level != alpha || contrast->degrees != degrees) {
			alpha = level;
			degrees = contrast->degrees;
			findable = contrasts_findable(alpha, degrees);
		}
		contrast->detectable = exp(contrast->open + findable * contrast->error);
	}
	return count;
}

double contrasts_findable(double alpha, double degrees)
{
	double t = statistics_student(1 - alpha, degrees);
	double power = statistics_normal(CONTRASTS_POWER);

	return t * (1 - 1 / (4 * degrees)) + power * sqrt(1 + t * t / (2 * degrees));
}

unsigned int contrasts_repeats(double difference, double spread, size_t levels, double alpha)
{
	for (unsigned int n = 2; n <= DEFINITION_REPEATS_MAX; n++) {
		double degrees = (double)(n - 1) * (levels > 1 ? (double)(levels - 1) : 1);
		double error = spread * sqrt(2 / (double)n);

		if (error * contrasts_findable(alpha, degrees) <= fabs(difference))
			return n;
	}
	return 0;
}
