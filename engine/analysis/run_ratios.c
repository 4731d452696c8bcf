/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_ratios.c - the figures of two cells beside each other: see run_comparison.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/measure.h"
#include "engine/analysis/run_figures.h"
#include "engine/analysis/run_parts.h"

#define SIGNIFICANCE 0.05

/* The values of one figure in a cell, as many as its samples at the most. */
struct values {
	double *list;
	struct run_side side;
};

static int value_of(const struct run_pair *pair, const struct sample *sample,
		    const struct run_ratio *ratio, struct told_figure *ret_figure)
{
	if (!pair->files)
		return run_figure_of_data(sample, ratio->figure, ratio->direction, ret_figure);
	*ret_figure = run_figure_of_files(sample, ratio->figure, pair->operation, pair->order);
	return 0;
}

static int gather(const struct run_pair *pair, const struct cell *cell,
		  const struct run_ratio *ratio, struct values *values)
{
	struct run_side *side = &values->side;

	*side = (struct run_side){.count = 0};
	values->list = calloc(cell->sample_count + 1, sizeof(*values->list));
	if (!values->list)
		return -ENOMEM;
	for (size_t i = 0; i < cell->sample_count; i++) {
		struct told_figure figure;
		double share;
		int r = value_of(pair, cell->samples[i], ratio, &figure);

		if (r < 0)
			return r;
		if (!figure.known)
			continue;
		values->list[side->count++] = figure.value;
		share = 1 / (double)side->count;
		side->mean += (figure.value - side->mean) * share;
		side->told_low += (figure.low - side->told_low) * share;
		side->told_high += (figure.high - side->told_high) * share;
	}
	return 0;
}

/* Half of what digits leave open of a side, of its logarithm. */
static double open_of(const struct run_side *side)
{
	return side->told_low > 0 && side->told_high > side->told_low
		       ? log(side->told_high / side->told_low) / 2
		       : 0;
}

/* What neither side knows is no row: count of both is 0. */
static int fill(const struct run_pair *pair, struct run_ratio *ratio)
{
	struct values baseline = {.list = NULL}, other = {.list = NULL};
	int r = gather(pair, pair->cells[0], ratio, &baseline);

	if (r == 0)
		r = gather(pair, pair->cells[1], ratio, &other);
	if (r == 0) {
		ratio->baseline = baseline.side;
		ratio->other = other.side;
		ratio->welch = welch_ratio(baseline.list, baseline.side.count, other.list,
					   other.side.count);
		welch_widen(&ratio->welch, open_of(&ratio->baseline) + open_of(&ratio->other));
	}
	free(baseline.list);
	free(other.list);
	return r;
}

static bool moves(const struct cell *cell, int direction)
{
	return cell->directions[direction].present;
}

static size_t moving(const struct run_pair *pair)
{
	size_t count = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		count += moves(pair->cells[0], d) || moves(pair->cells[1], d);
	return count;
}

/* All directions together, and each where there are several. */
static int fill_figure(struct run_pair *pair, enum run_figure figure)
{
	bool several = !pair->files && moving(pair) > 1;

	for (int d = DIRECTION_COUNT; d >= 0; d--) {
		struct run_ratio *ratio = &pair->ratios[pair->ratio_count];
		int r;

		if (d < DIRECTION_COUNT &&
		    (!several || (!moves(pair->cells[0], d) && !moves(pair->cells[1], d))))
			continue;
		*ratio = (struct run_ratio){.figure = figure, .direction = d};
		r = fill(pair, ratio);
		if (r < 0)
			return r;
		if (ratio->baseline.count + ratio->other.count > 0)
			pair->ratio_count++;
	}
	return 0;
}

/* ---- which one is judged ---- */

static int same_option(const struct run_pair *pair, enum option_id id, bool *ret_same)
{
	AUTO_FREE char *a = NULL, *b = NULL;
	int r = run_option_text(pair->cells[0]->samples[0], 0, option_at(id), &a);

	if (r == 0)
		r = run_option_text(pair->cells[1]->samples[0], 0, option_at(id), &b);
	*ret_same = !a || !b || strcmp(a, b) == 0;
	return r;
}

static int same_sizes(const struct run_pair *pair, bool *ret_same)
{
	static const enum option_id sizes[] = {OPTION_ID_BS, OPTION_ID_BSRANGE, OPTION_ID_BSSPLIT};
	int r = 0;

	*ret_same = true;
	for (size_t i = 0; i < ARRAY_SIZE(sizes) && r == 0 && *ret_same; i++)
		r = same_option(pair, sizes[i], ret_same);
	return r;
}

static struct run_ratio *find(struct run_pair *pair, enum run_figure figure, int direction)
{
	for (size_t i = 0; i < pair->ratio_count; i++) {
		struct run_ratio *ratio = &pair->ratios[i];

		if (ratio->figure == figure && ratio->direction == direction &&
		    ratio->baseline.count > 0 && ratio->other.count > 0)
			return ratio;
	}
	return NULL;
}

/* What both know, the first choice first; directions alone where not all are known. */
static struct run_ratio *choose(struct run_pair *pair, enum run_figure first)
{
	static const enum run_figure rates[] = {RUN_FIGURE_FILES, RUN_FIGURE_IOPS,
						RUN_FIGURE_BANDWIDTH, RUN_FIGURE_LATENCY};
	struct run_ratio *found = find(pair, first, DIRECTION_COUNT);

	for (size_t i = 0; i < ARRAY_SIZE(rates) && !found; i++)
		found = find(pair, rates[i], DIRECTION_COUNT);
	for (int d = 0; d < DIRECTION_COUNT && !found; d++)
		for (size_t i = 0; i < ARRAY_SIZE(rates) && !found; i++)
			found = find(pair, rates[i], d);
	return found;
}

static int choose_judged(struct run_pair *pair)
{
	enum run_figure first = RUN_FIGURE_IOPS;
	struct run_ratio *judged, moved;
	bool same;
	int r = same_sizes(pair, &same);

	if (r < 0)
		return r;
	if (pair->files)
		first = RUN_FIGURE_FILES;
	else if (measure_paced(pair->cells[0]->samples[0]) &&
		 measure_paced(pair->cells[1]->samples[0]))
		first = RUN_FIGURE_LATENCY;
	else if (!same)
		first = RUN_FIGURE_BANDWIDTH;
	judged = choose(pair, first);
	if (!judged)
		return 0;
	judged->judged = true;
	moved = *judged;
	memmove(pair->ratios + 1, pair->ratios,
		(size_t)(judged - pair->ratios) * sizeof(*pair->ratios));
	pair->ratios[0] = moved;
	return 0;
}

int run_ratios_make(struct run_pair *pair)
{
	int r = 0;

	pair->ratios =
		calloc((size_t)RUN_FIGURE_COUNT * (DIRECTION_COUNT + 1) + 1, sizeof(*pair->ratios));
	if (!pair->ratios)
		return -ENOMEM;
	for (int figure = 0; figure < RUN_FIGURE_COUNT && r == 0; figure++)
		if (figure == RUN_FIGURE_LATENCY || figure == RUN_FIGURE_P99 ||
		    pair->files == (figure == RUN_FIGURE_FILES))
			r = fill_figure(pair, figure);
	return r < 0 ? r : choose_judged(pair);
}

/* ---- verdicts ---- */

static struct run_ratio *judged_of(const struct run_pair *pair)
{
	return pair->ratio_count > 0 && pair->ratios[0].judged ? &pair->ratios[0] : NULL;
}

static void judge(struct run_comparison *comparison, struct run_ratio *ratio)
{
	if (!ratio || !ratio->welch.interval) {
		comparison->unjudged++;
		return;
	}
	ratio->verdict = RUN_NO_DIFFERENCE;
	if (ratio->p_holm <= SIGNIFICANCE)
		ratio->verdict =
			(ratio->welch.ratio < 1) == run_figure_less_is_better(ratio->figure)
				? RUN_BETTER
				: RUN_WORSE;
	comparison->better += ratio->verdict == RUN_BETTER;
	comparison->worse += ratio->verdict == RUN_WORSE;
	comparison->open += ratio->verdict == RUN_NO_DIFFERENCE;
}

int run_ratios_judge(struct run_comparison *comparison)
{
	double **p = calloc(comparison->pair_count + 1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->pair_count; i++) {
		struct run_ratio *ratio = judged_of(&comparison->pairs[i]);

		if (!ratio || !ratio->welch.interval)
			continue;
		ratio->p_holm = ratio->welch.p;
		p[comparison->judged++] = &ratio->p_holm;
	}
	welch_holm(p, comparison->judged);
	free(p);
	for (size_t i = 0; i < comparison->pair_count; i++)
		judge(comparison, judged_of(&comparison->pairs[i]));
	return 0;
}
