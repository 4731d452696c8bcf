/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks_repeated.c - see checks_result.h: the same figure where it cannot be.
 *
 * Of samples that other tools told, since people write figures down, and copy them. Two rules, each
 * of which holds what was seen against what chance would bring:
 *
 * 1. Digits. Two measurements of the very same thing, each NOISE off at random, print alike with
 *    a probability of at most w / (2 sqrt(pi) NOISE), where w is the width that the digits leave
 *    open: the normal density of their difference, whose deviation is sqrt(2) NOISE, at its top.
 *    Among m pairs of figures m times that many are to be expected. Levels that truly differ print
 *    alike less often, so this bounds all. Three or four digits are never too many by this.
 *
 * 2. Contradictions. A bandwidth that contradicts its IOPS is wrong, or they are. Were it wrong by
 *    itself it would lie anywhere among those of the workload's other levels, and meet one of n
 *    with a probability of n w / (largest - smallest). Over all that contradict the number of
 *    meetings is then Poisson's with the sum of these as its mean (Le Cam, "An Approximation
 *    Theorem for the Poisson Binomial Distribution", 1960). Only bandwidths whose IOPS are told
 *    apart count: where those are alike both are what one level does.
 *
 * Either is told where chance would bring as much in one result of a thousand.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "engine/analysis/checks_across.h"
#include "engine/analysis/checks_private.h"

/* Runs of storage differ by a thousandth at the least, unless a rate says how much is done. */
#define NOISE 0.001

/* Chance may say it of one result in a thousand. */
#define CHANCE 0.001

/* A figure has at most so many digits that mean something: those of a double. */
#define DIGITS_MAX 15

#define TWO_SQRT_PI 3.5449077018110318 /* 2 sqrt(pi) */
#define MIB (1024.0 * 1024)

struct entry {
	const struct sample *sample;
	enum direction direction;
	struct told_figure iops, bandwidth;
	const struct told_figure *figure; /* IOPS where they are told, else bandwidth */
	bool contradicts;		  /* IOPS x request size is not the bandwidth */
	double chance;			  /* of such a one: to meet one of the others */
	const struct entry *other;	  /* that it meets; NULL: none */
};

struct entries {
	size_t count;
	struct entry *list;
};

/* Decimal digits that give the value again. */
static int digits_of(double value)
{
	char text[40];

	for (int digits = 1; digits < DIGITS_MAX; digits++) {
		(void)snprintf(text, sizeof(text), "%.*e", digits - 1, value);
		if (fabs(strtod(text, NULL) - value) <= fabs(value) * 1e-13)
			return digits;
	}
	return DIGITS_MAX;
}

double checks_digits_share(const struct told_figure *figure)
{
	static const double units[] = {1, 1024, 1048576.0, 1073741824.0}; /* others add digits */
	int least = DIGITS_MAX;
	double value = fabs(figure->value);

	if (value <= 0)
		return 1;
	if (figure->high > figure->low)
		return (figure->high - figure->low) / value;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		int digits = digits_of(value / units[i]);

		least = digits < least ? digits : least;
	}
	return pow(10, 1 - least); /* of 1.00: the widest that so many digits leave */
}

static bool same(const struct told_figure *a, const struct told_figure *b)
{
	return a->value == b->value && a->low == b->low && a->high == b->high;
}

static bool told_apart(const struct told_figure *a, const struct told_figure *b)
{
	return a->low > b->high || b->low > a->high;
}

/* ---- gathering ---- */

/* A rate that was asked for is what all levels do. */
static bool left_out(const struct sample *sample)
{
	return !sample->source || sample->source->index || checks_paced(sample);
}

static int gather(const struct result *result, struct entries *ret_entries)
{
	struct entries entries = {0};

	entries.list = calloc(result->sample_count * DIRECTION_COUNT + 1, sizeof(struct entry));
	if (!entries.list)
		return -ENOMEM;
	for (size_t i = 0; i < result->sample_count; i++) {
		const struct sample *sample = &result->samples[i];

		for (int d = 0; d < DIRECTION_COUNT && !left_out(sample); d++) {
			struct entry *entry = &entries.list[entries.count];

			entry->sample = sample;
			entry->direction = (enum direction)d;
			entry->iops = checks_iops(sample, entry->direction);
			entry->bandwidth = checks_bandwidth(sample, entry->direction);
			entry->figure = entry->iops.known ? &entry->iops : &entry->bandwidth;
			entry->contradicts = !checks_sizes_agree(sample, entry->direction);
			entries.count += entry->figure->known && entry->figure->value > 0;
		}
	}
	*ret_entries = entries;
	return 0;
}

/* ---- 1: more digits than chance repeats ---- */

/* The chance that two figures of the same thing print like this one. */
static double chance_alike(const struct entry *entry)
{
	const struct sample *sample = entry->sample;
	double share = checks_digits_share(entry->figure);

	/* Counts are whole, and so are their rates' steps. */
	if (sample->source->directions[entry->direction].ios_known &&
	    sample->directions[entry->direction].ios > 0)
		share = fmax(share, 1 / (double)sample->directions[entry->direction].ios);
	return fmin(1, share / (TWO_SQRT_PI * NOISE));
}

static int by_figure(const void *a, const void *b)
{
	const struct entry *first = *(const struct entry *const *)a;
	const struct entry *second = *(const struct entry *const *)b;

	if (first->direction != second->direction)
		return first->direction < second->direction ? -1 : 1;
	if (first->figure->value != second->figure->value)
		return first->figure->value < second->figure->value ? -1 : 1;
	return first->sample->order < second->sample->order ? -1 : 1;
}

static int add_repeated(struct analysis *analysis, const struct entry *entry,
			const struct entry *other, double expected_pairs)
{
	char cell[CHECKS_CELL_MAX], there[CHECKS_CELL_MAX], expected[256], found[128];
	char message[256];

	checks_cell_text(entry->sample, cell);
	checks_cell_text(other->sample, there);
	(void)snprintf(expected, sizeof(expected), "another figure than %s at %.120s, repeat %u",
		       other->sample->workload, there, other->sample->repeat); /* may be cut */
	(void)snprintf(found, sizeof(found), "%.15g %s of %ss in both", entry->figure->value,
		       entry->figure == &entry->iops ? "IOPS" : "bytes/s",
		       direction_names[entry->direction]);
	(void)snprintf(message, sizeof(message),
		       "Two measurements agree to the last digit, where chance brings %.2g such "
		       "pairs in a result like this: one of them is a copy.",
		       expected_pairs);
	return findings_add(&analysis->findings, FINDING_WARNING, "figure_repeated",
			    entry->sample->workload, *cell ? cell : NULL, expected, found, "%s",
			    message);
}

static int check_digits(struct analysis *analysis, const struct entries *entries)
{
	double pairs = (double)entries->count * (double)(entries->count - 1) / 2;
	const struct entry **sorted;
	int r = 0;

	if (entries->count < 2)
		return 0;
	sorted = calloc(entries->count, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < entries->count; i++)
		sorted[i] = &entries->list[i];
	qsort(sorted, entries->count, sizeof(*sorted), by_figure);
	for (size_t i = 1; i < entries->count && r == 0; i++) {
		const struct entry *entry = sorted[i], *other = sorted[i - 1];
		double chance = pairs * fmax(chance_alike(entry), chance_alike(other));

		if (entry->direction == other->direction && same(entry->figure, other->figure) &&
		    chance <= CHANCE)
			r = add_repeated(analysis, entry, other, chance);
	}
	free(sorted);
	return r;
}

/* ---- 2: contradictions that stand elsewhere too ---- */

/* Those of a workload and direction together, by bandwidth; unknown ones behind. */
static int by_bandwidth(const void *a, const void *b)
{
	const struct entry *first = *(struct entry *const *)a, *second = *(struct entry *const *)b;
	int r = strcmp(first->sample->workload, second->sample->workload);

	if (r != 0)
		return r;
	if (first->direction != second->direction)
		return first->direction < second->direction ? -1 : 1;
	if (first->bandwidth.known != second->bandwidth.known)
		return first->bandwidth.known ? -1 : 1;
	if (first->bandwidth.value != second->bandwidth.value)
		return first->bandwidth.value < second->bandwidth.value ? -1 : 1;
	if (first->bandwidth.low != second->bandwidth.low)
		return first->bandwidth.low < second->bandwidth.low ? -1 : 1;
	return (first->sample->order > second->sample->order) -
	       (first->sample->order < second->sample->order);
}

static bool of_one_kind(const struct entry *a, const struct entry *b)
{
	return a->direction == b->direction && b->bandwidth.known &&
	       strcmp(a->sample->workload, b->sample->workload) == 0;
}

/* The chance of the entry at `index` of a kind to meet one of the others. */
static double chance_to_meet(struct entry *const *kind, size_t count, size_t index)
{
	const struct told_figure *bandwidth = &kind[index]->bandwidth;
	double width = bandwidth->value * checks_digits_share(bandwidth), range;

	/* Of fewer than two others there is no range to lie in, and nothing at all has no digits.
	 */
	if (count < 3 || width <= 0)
		return 1;
	range = kind[index + 1 < count ? count - 1 : count - 2]->bandwidth.value -
		kind[index > 0 ? 0 : 1]->bandwidth.value;
	return range > 0 ? fmin(1, (double)(count - 1) * width / range) : 1;
}

/* Entries first to end of a kind have one bandwidth: whoever of them contradicts meets the one
 * whose IOPS are farthest, if they are told apart. */
static void meet(struct entry *const *kind, size_t count, size_t first, size_t end)
{
	const struct entry *lowest = NULL, *highest = NULL;

	for (size_t i = first; i < end; i++) {
		if (!kind[i]->iops.known)
			continue;
		if (!lowest || kind[i]->iops.high < lowest->iops.high)
			lowest = kind[i];
		if (!highest || kind[i]->iops.low > highest->iops.low)
			highest = kind[i];
	}
	for (size_t i = first; i < end; i++) {
		struct entry *entry = kind[i];

		if (!entry->contradicts)
			continue;
		entry->chance = chance_to_meet(kind, count, i);
		if (lowest && told_apart(&entry->iops, &lowest->iops))
			entry->other = lowest;
		else if (highest && told_apart(&entry->iops, &highest->iops))
			entry->other = highest;
	}
}

/* All that contradict, with their chances and whom they meet. */
static int meet_all(const struct entries *entries)
{
	struct entry **sorted = calloc(entries->count + 1, sizeof(*sorted));
	size_t count = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < entries->count; i++)
		sorted[i] = &entries->list[i];
	qsort(sorted, entries->count, sizeof(*sorted), by_bandwidth);
	for (size_t at = 0; at < entries->count; at += count) {
		struct entry *const *kind = &sorted[at];
		size_t end;

		for (count = 1; at + count < entries->count && of_one_kind(kind[0], kind[count]);)
			count++;
		for (size_t first = 0; first < count; first = end) {
			for (end = first + 1;
			     end < count && same(&kind[first]->bandwidth, &kind[end]->bandwidth);)
				end++;
			meet(kind, count, first, end);
		}
	}
	free(sorted);
	return 0;
}

/* What all contradictions of a result come to. */
struct meetings {
	size_t contradict, met;
	double chance;
};

static int add_carried(struct analysis *analysis, const struct entry *entry,
		       const struct entry *other, const struct meetings *all)
{
	char cell[CHECKS_CELL_MAX], there[CHECKS_CELL_MAX], expected[256], found[128];
	const char *direction = direction_names[entry->direction];

	checks_cell_text(entry->sample, cell);
	checks_cell_text(other->sample, there);
	(void)snprintf(expected, sizeof(expected),
		       "another bandwidth than at %.120s, whose IOPS are others", there);
	(void)snprintf(found, sizeof(found), "%.6g MiB/s of %ss at both",
		       entry->bandwidth.value / MIB, direction);
	return findings_add(
		&analysis->findings, FINDING_WARNING, "figure_repeated", entry->sample->workload,
		*cell ? cell : NULL, expected, found,
		"The same bandwidth of %ss as at another level, though the IOPS differ. Of %zu "
		"bandwidths that contradict their IOPS %zu stand at another level of their "
		"workload as well, digit for digit, where chance would bring %.2g: most of them "
		"were carried over by mistake.",
		direction, all->contradict, all->met, all->chance);
}

static int check_contradictions(struct analysis *analysis, const struct entries *entries)
{
	struct meetings all = {0};
	int r = meet_all(entries);

	for (size_t i = 0; i < entries->count; i++) {
		all.contradict += entries->list[i].contradicts;
		all.chance += entries->list[i].chance;
		all.met += entries->list[i].other != NULL;
	}
	/* The chance of so many or more. Each that contradicts has one above 0, as gsl asks. */
	if (r < 0 || all.met == 0 ||
	    gsl_cdf_poisson_Q((unsigned int)all.met - 1, all.chance) > CHANCE)
		return r;
	for (size_t i = 0; i < entries->count && r == 0; i++)
		if (entries->list[i].other)
			r = add_carried(analysis, &entries->list[i], entries->list[i].other, &all);
	return r;
}

int checks_repeated(struct analysis *analysis)
{
	struct entries entries;
	int r = gather(analysis->result, &entries);

	if (r < 0)
		return r;
	r = check_digits(analysis, &entries);
	if (r == 0)
		r = check_contradictions(analysis, &entries);
	free(entries.list);
	return r;
}
