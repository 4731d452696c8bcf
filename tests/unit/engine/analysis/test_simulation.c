/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_simulation.c - what the analysis says, held against truths that are known: 1,000 results a
 * case, drawn with fixed seeds. Each case prints its figures.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/comparisons.h"
#include "engine/analysis/stopping.h"
#include "engine/plan/block_order.h"
#include "tests/unit/engine/analysis/blocks_fixture.h"

/* Under a sanitizer only that all goes well: so few say nothing of shares. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRIALS 40
#else
#define TRIALS 1000
#endif
#define BASE 2000000.0 /* operations a second, so that a whole one is nothing beside the noise */
#define PLACES_MAX 1024

/* splitmix64, and normal figures by Box and Muller. */
struct draw {
	uint64_t state;
};

static uint64_t draw_bits(struct draw *draw)
{
	uint64_t z = (draw->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double draw_uniform(struct draw *draw)
{
	return ((double)(draw_bits(draw) >> 11) + 0.5) / 9007199254740992.0;
}

static double draw_normal(struct draw *draw)
{
	double radius = sqrt(-2 * log(draw_uniform(draw)));

	return radius * cos(2 * M_PI * draw_uniform(draw));
}

/* What one case draws. */
struct truth {
	size_t workloads, levels, repeats;
	double noise;	    /* standard deviation of the logarithm */
	double noisy_level; /* the same of the last level; 0: as the others */
	double drift;	    /* of the logarithm, from the run's first sample to its last */
	double wave;	    /* the same: half the height of one slow sine over the run */
	double jump;	    /* the same: all at once, a bit before its middle */
	double step;	    /* each level so much above the one before, in w0 */
	double lift;	    /* the first level so much above what it would be, in w0 */
};

/* One pair a result is few. */
static size_t trials_of(const struct truth *truth)
{
	return truth->levels > 2 ? TRIALS : 4 * TRIALS;
}

static double true_log(const struct truth *truth, size_t workload, size_t level)
{
	return workload == 0 ? (double)level * truth->step + (level == 0 ? truth->lift : 0) : 0;
}

/* What the run itself does to a figure; when: 0 at its first sample, 1 at its last. */
static double drifted(const struct truth *truth, double when)
{
	return truth->wave * sin(2 * M_PI * when) - truth->drift * (when - 0.5) -
	       (when > 0.45 ? truth->jump : 0);
}

/* New figures for the samples of one block, measured in the order that a plan of this seed has. */
static void draw_block(struct result *result, const struct truth *truth, struct draw *draw,
		       uint64_t seed, size_t block)
{
	size_t cells = truth->workloads * truth->levels, order[PLACES_MAX];

	assert_true(cells <= PLACES_MAX);
	block_order(seed, (unsigned int)block + 1, cells, order);
	for (size_t place = 0; place < cells; place++) {
		size_t cell = order[place], level = cell % truth->levels;
		struct sample *sample = &result->samples[block * cells + cell];
		bool noisy = truth->noisy_level > 0 && level + 1 == truth->levels;
		double when =
			(double)(block * cells + place) / (double)(truth->repeats * cells - 1);
		double value = true_log(truth, cell / truth->levels, level) +
			       (noisy ? truth->noisy_level : truth->noise) * draw_normal(draw) +
			       drifted(truth, when);

		sample->order = block * cells + place;
		blocks_set(sample, BASE * exp(value));
	}
}

/* What a thousand results came to. */
struct tally {
	size_t pairs, pairs_held; /* 95 % intervals of ratios */
	size_t means, means_held; /* the same of cells' means */
	size_t reports_false;	  /* any verdict between levels that are alike */
	size_t set_false;	  /* of these, those that put such a level out of the set */
	size_t effects, found;	  /* pairs that differ, and those shown to */
	size_t paired, trials;
	size_t comparisons, drifts; /* those of which a drift was told */
};

static void tally_comparison(const struct truth *truth, const struct comparison *comparison,
			     struct tally *tally, bool *any_false)
{
	tally->comparisons++;
	tally->drifts += comparison->drift > 0;
	for (size_t i = 0; i < comparison->contrast_count; i++) {
		const struct contrast *pair = &comparison->contrasts[i];
		double difference = true_log(truth, comparison->workload, pair->b) -
				    true_log(truth, comparison->workload, pair->a);
		bool shown = pair->verdict == VERDICT_DIFFERENT;

		tally->pairs++;
		tally->paired += pair->paired;
		tally->pairs_held += pair->low <= exp(difference) && exp(difference) <= pair->high;
		if (difference != 0) {
			tally->effects++;
			tally->found += shown && (pair->ratio > 1) == (difference > 0);
		}
		if (shown && (difference == 0 || (pair->ratio > 1) != (difference > 0)))
			*any_false = true;
	}
	for (size_t l = 0; l < truth->levels; l++) {
		const struct estimate_interval *mean = &comparison->figures[l].value;
		/* of a normal logarithm */
		double noise = truth->noisy_level > 0 && l + 1 == truth->levels ? truth->noisy_level
										: truth->noise;
		double value =
			BASE * exp(true_log(truth, comparison->workload, l) + noise * noise / 2);

		tally->means++;
		tally->means_held += mean->low <= value && value <= mean->high;
	}
}

static void tally_result(const struct result *result, const struct truth *truth,
			 struct tally *tally)
{
	struct analysis analysis;
	bool any_false = false;

	assert_int_equal(analysis_make(result, &analysis), 0);
	for (size_t c = 0; c < analysis.comparison_count; c++)
		tally_comparison(truth, &analysis.comparisons[c], tally, &any_false);
	for (size_t l = 0;
	     truth->step == 0 && truth->lift == 0 && truth->levels > 1 && l < truth->levels; l++) {
		if (analysis.recommendation.levels[l].in_set)
			continue;
		any_false = true;
		tally->set_false++;
		break;
	}
	tally->reports_false += any_false;
	analysis_done(&analysis);
}

/* With too few trials to tell nothing is asserted, and the output says so. */
#define ASSERT_TRUE(condition)                                                                     \
	do {                                                                                       \
		if (TRIALS == 1000)                                                                \
			assert_true(condition);                                                    \
	} while (0)

static double share(size_t part, size_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 1;
}

static void print_tally(const char *name, const struct truth *truth, const struct tally *tally)
{
	print_message(
		"%s, %zu workloads x %zu levels x %zu repeats, drift %g, wave %g, jump %g: ratios "
		"hold the truth in %.1f %%, means in %.1f %%; %.1f %% of reports hold a false "
		"verdict (%.1f %% in the set); %.1f %% of effects found; %.1f %% of pairs by "
		"paired t; drift told of %.1f %%\n",
		name, truth->workloads, truth->levels, truth->repeats, truth->drift, truth->wave,
		truth->jump, 100 * share(tally->pairs_held, tally->pairs),
		100 * share(tally->means_held, tally->means),
		100 * share(tally->reports_false, tally->trials),
		100 * share(tally->set_false, tally->trials),
		100 * share(tally->found, tally->effects), 100 * share(tally->paired, tally->pairs),
		100 * share(tally->drifts, tally->comparisons));
}

static struct tally simulate(const char *name, const struct truth *truth, uint64_t seed)
{
	struct draw draw = {seed};
	struct tally tally = {.trials = trials_of(truth)};
	struct result result;

	blocks_make(&result, truth->workloads, truth->levels, (unsigned int)truth->repeats);
	for (size_t t = 0; t < tally.trials; t++) {
		uint64_t order = draw_bits(&draw);

		for (size_t b = 0; b < truth->repeats; b++)
			draw_block(&result, truth, &draw, order, b);
		tally_result(&result, truth, &tally);
	}
	result_done(&result);
	print_tally(name, truth, &tally);
	return tally;
}

static void assert_ratios_held(const struct tally *tally)
{
	ASSERT_TRUE(share(tally->pairs_held, tally->pairs) >= 0.93);
	ASSERT_TRUE(share(tally->pairs_held, tally->pairs) <= 0.97);
}

static void assert_covers(const struct tally *tally)
{
	assert_ratios_held(tally);
	ASSERT_TRUE(share(tally->means_held, tally->means) >= 0.93);
}

static void intervals_hold_the_truth(void **state)
{
	static const struct truth truths[] = {
		{.workloads = 1, .levels = 6, .repeats = 5, .noise = 0.01, .step = 0.02},
		{.workloads = 1, .levels = 2, .repeats = 3, .noise = 0.01, .step = 0.02},
		{.workloads = 3, .levels = 3, .repeats = 2, .noise = 0.05, .step = 0.1},
		{.workloads = 1, .levels = 4, .repeats = 20, .noise = 0.1, .step = 0.3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		struct tally tally = simulate("no drift", &truths[i], 1000 + i);

		assert_covers(&tally);
	}
}

/* The machine gets slower by up to a fifth over the run. */
static void intervals_hold_the_truth_while_all_drifts(void **state)
{
	static const struct truth truths[] = {
		{.workloads = 1, .levels = 6, .repeats = 5, .noise = 0.01, .drift = 0.2},
		{.workloads = 1, .levels = 2, .repeats = 5, .noise = 0.01, .drift = 0.05},
		{.workloads = 1, .levels = 2, .repeats = 5, .noise = 0.01, .drift = 0.1},
		{.workloads = 1, .levels = 2, .repeats = 5, .noise = 0.01, .drift = 0.2},
		{.workloads = 1, .levels = 2, .repeats = 4, .noise = 0.01, .drift = 0.2},
		{.workloads = 1, .levels = 2, .repeats = 10, .noise = 0.01, .drift = 0.05},
		{.workloads = 1, .levels = 2, .repeats = 10, .noise = 0.01, .drift = 0.2},
		{.workloads = 9, .levels = 2, .repeats = 5, .noise = 0.01, .drift = 0.2},
		{.workloads = 9, .levels = 3, .repeats = 5, .noise = 0.01, .drift = 0.2},
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .drift = 0.2},
		{.workloads = 9, .levels = 6, .repeats = 3, .noise = 0.01, .drift = 0.02},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		struct tally tally = simulate("drift", &truths[i], 2000 + i);

		assert_covers(&tally);
		ASSERT_TRUE(share(tally.reports_false, tally.trials) <= 0.065);
	}
}

/* What no straight line takes out is left to the blocks. */
static void what_is_no_even_drift_makes_no_winner(void **state)
{
	static const struct truth truths[] = {
		{.workloads = 1, .levels = 2, .repeats = 5, .noise = 0.01, .wave = 0.1},
		{.workloads = 1, .levels = 2, .repeats = 10, .noise = 0.01, .wave = 0.1},
		{.workloads = 9, .levels = 3, .repeats = 5, .noise = 0.01, .wave = 0.1},
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .wave = 0.1},
		{.workloads = 1, .levels = 2, .repeats = 5, .noise = 0.01, .jump = 0.2},
		{.workloads = 1, .levels = 2, .repeats = 10, .noise = 0.01, .jump = 0.2},
		{.workloads = 9, .levels = 3, .repeats = 5, .noise = 0.01, .jump = 0.2},
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .jump = 0.2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		struct tally tally = simulate("no even drift", &truths[i], 8000 + i);

		ASSERT_TRUE(share(tally.pairs_held, tally.pairs) >= 0.93);
		ASSERT_TRUE(share(tally.reports_false, tally.trials) <= 0.065);
	}
}

static void nothing_is_made_of_noise(void **state)
{
	static const struct truth truths[] = {
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01},
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .drift = 0.1},
		{.workloads = 1, .levels = 2, .repeats = 5, .noise = 0.01},
		{.workloads = 1, .levels = 6, .repeats = 3, .noise = 0.03},
		{.workloads = 2, .levels = 2, .repeats = 2, .noise = 0.03},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		struct tally tally = simulate("no effect", &truths[i], 3000 + i);

		ASSERT_TRUE(share(tally.reports_false, tally.trials) <= 0.065);
	}
}

/* One level far noisier than the others: up to 5.9 % in 3,000 trials a case, where a residual that
 * is simply pooled comes to 25 %. */
static void spreads_that_differ_make_no_winner(void **state)
{
	static const struct truth truths[] = {
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .noisy_level = 0.03},
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .noisy_level = 0.1},
		{.workloads = 1, .levels = 3, .repeats = 5, .noise = 0.01, .noisy_level = 0.05},
		{.workloads = 1, .levels = 6, .repeats = 10, .noise = 0.01, .noisy_level = 0.03},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		struct tally tally = simulate("one noisy level", &truths[i], 4000 + i);

		ASSERT_TRUE(share(tally.reports_false, tally.trials) <= 0.08);
	}
}

/* In one workload of nine each level is 5 % above the one before. */
static void five_percent_are_found(void **state)
{
	static const struct truth truths[] = {
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .lift = 0.04879},
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .lift = -0.04879},
		{.workloads = 9, .levels = 6, .repeats = 5, .noise = 0.01, .step = 0.04879},
		{.workloads = 1, .levels = 2, .repeats = 5, .noise = 0.01, .step = 0.04879},
		{.workloads = 1,
		 .levels = 2,
		 .repeats = 5,
		 .noise = 0.01,
		 .step = 0.04879,
		 .drift = 0.2},
		{.workloads = 9,
		 .levels = 6,
		 .repeats = 5,
		 .noise = 0.01,
		 .lift = 0.04879,
		 .drift = 0.2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(truths); i++) {
		struct tally tally = simulate("5 % effect", &truths[i], 5000 + i);

		ASSERT_TRUE(share(tally.found, tally.effects) >= 0.95);
	}
}

/* What repeats that end early are judged by: how often, and after how many. */
struct early {
	struct truth truth; /* repeats: the most */
	double until_percent;
	unsigned int least;
};

static struct tally simulate_early(const struct early *early, uint64_t seed)
{
	const struct truth *truth = &early->truth;
	struct draw draw = {seed};
	struct tally tally = {.trials = trials_of(truth)};
	struct result result;
	size_t blocks = 0, ended = 0;

	blocks_make(&result, truth->workloads, truth->levels, (unsigned int)truth->repeats);
	result.definition.until_ci_percent = early->until_percent;
	result.definition.repeats_min = early->least;
	for (size_t t = 0; t < tally.trials; t++) {
		uint64_t order = draw_bits(&draw);
		bool reached = false;
		size_t b = 0;

		while (!reached && b < truth->repeats) {
			double half;

			draw_block(&result, truth, &draw, order, b++);
			result.sample_count = b * truth->workloads * truth->levels;
			assert_int_equal(stopping_reached(&result, early->until_percent,
							  early->least, &reached, &half),
					 0);
			assert_true(!reached || (b >= 5 && b >= early->least));
		}
		blocks += b;
		ended += reached;
		tally_result(&result, truth, &tally);
	}
	result.sample_count = truth->repeats * truth->workloads * truth->levels;
	result_done(&result);
	print_message("ended early in %.1f %%, after %.1f blocks\n",
		      100 * share(ended, tally.trials), share(blocks, tally.trials));
	print_tally("until it is precise", truth, &tally);
	ASSERT_TRUE(ended > tally.trials / 2);
	return tally;
}

static void ending_early_keeps_coverage(void **state)
{
	static const struct early cases[] = {
		{{1, 2, 30, .noise = 0.01}, 1.0, 0},
		{{1, 2, 30, .noise = 0.01}, 1.4, 0},
		{{1, 3, 30, .noise = 0.01}, 1.0, 0},
		{{1, 6, 20, .noise = 0.01}, 1.0, 5},
		{{9, 6, 20, .noise = 0.01}, 1.2, 5},
		{{1, 2, 30, .noise = 0.01}, 1.0, 8},
		{{2, 3, 30, .noise = 0.01, .drift = 0.05}, 1.2, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tally tally = simulate_early(&cases[i], 6000 + i);

		if (cases[i].truth.drift > 0) /* means of a part of a run are others */
			assert_ratios_held(&tally);
		else
			assert_covers(&tally);
		ASSERT_TRUE(share(tally.reports_false, tally.trials) <= 0.065);
	}
}

/* Of one level, whose mean is all there is. */
static void ending_early_keeps_means(void **state)
{
	static const struct early cases[] = {
		{{1, 1, 40, .noise = 0.01}, 0.5, 0},
		{{1, 1, 40, .noise = 0.01}, 0.8, 0},
		{{3, 1, 40, .noise = 0.01}, 0.8, 6},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tally tally = simulate_early(&cases[i], 7000 + i);

		ASSERT_TRUE(share(tally.means_held, tally.means) >= 0.93);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(intervals_hold_the_truth_while_all_drifts),
		cmocka_unit_test(what_is_no_even_drift_makes_no_winner),
		cmocka_unit_test(nothing_is_made_of_noise),
		cmocka_unit_test(spreads_that_differ_make_no_winner),
		cmocka_unit_test(five_percent_are_found),
		cmocka_unit_test(ending_early_keeps_coverage),
		cmocka_unit_test(ending_early_keeps_means),
	};

	if (TRIALS < 1000)
		print_message("%d trials a case: shares are shown and not asserted\n", TRIALS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
