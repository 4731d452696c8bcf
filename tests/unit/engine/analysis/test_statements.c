/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_statements.c - the sentences of analyses that are made by hand: each carries its numbers.
 * link: -Wl,--wrap=reallocarray
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/statements.h"
#include "tests/unit/server/codec/fixture.h"

#define LEVELS 3
#define WORKLOADS 2

static bool no_memory;

void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return no_memory ? NULL : __real_reallocarray(old, count, size);
}

/* Three volume block sizes, two workloads; figures are filled by each test. */
struct hand {
	struct result result;
	struct analysis analysis;
	size_t order[LEVELS], levels[1], set[LEVELS];
	struct comparison comparisons[WORKLOADS];
	struct comparison_level figures[WORKLOADS][LEVELS];
	struct contrast contrasts[WORKLOADS][LEVELS];
	size_t bests[WORKLOADS][LEVELS];
	struct recommended_level scores[LEVELS];
	struct trade_off steps[LEVELS - 1];
};

static void make_definition(struct definition *definition)
{
	static const char *const levels[] = {"16K", "32K", "64K"};
	static const char *const names[] = {"Exchange", "Ingest"};

	definition->factor_count = 1;
	definition->factors = calloc(1, sizeof(*definition->factors));
	definition->workloads = calloc(WORKLOADS, sizeof(*definition->workloads));
	assert_non_null(definition->factors);
	assert_non_null(definition->workloads);
	definition->factors[0].name = fixture_text("volblocksize");
	definition->factors[0].levels = calloc(LEVELS, sizeof(char *));
	assert_non_null(definition->factors[0].levels);
	for (size_t i = 0; i < LEVELS; i++)
		definition->factors[0].levels[definition->factors[0].level_count++] =
			fixture_text(levels[i]);
	for (size_t w = 0; w < WORKLOADS; w++) {
		workload_init(&definition->workloads[definition->workload_count++]);
		definition->workloads[w].name = fixture_text(names[w]);
	}
	definition->repeats = 5;
}

static void make_comparison(struct hand *hand, size_t w)
{
	struct comparison *comparison = &hand->comparisons[w];

	*comparison = (struct comparison){.workload = w,
					  .levels = hand->levels,
					  .measure = MEASURE_IOPS,
					  .figures = hand->figures[w],
					  .measured = LEVELS,
					  .best = 2,
					  .blocks = 5,
					  .contrast_count = LEVELS,
					  .contrasts = hand->contrasts[w]};
	comparison->bests[DIRECTION_READ] =
		(struct direction_best){.known = true, .count = 1, .levels = hand->bests[w]};
	hand->bests[w][0] = 2;
	for (size_t i = 0; i < LEVELS; i++) {
		hand->figures[w][i].samples = 5;
		hand->contrasts[w][i] = (struct contrast){.a = i == 2,
							  .b = i == 0 ? 1 : 2,
							  .blocks = 5,
							  .ratio = 1.1,
							  .interval = true,
							  .low = 1.05,
							  .high = 1.15,
							  .detectable = 1.02 + 0.01 * (double)i,
							  .verdict = VERDICT_DIFFERENT};
	}
}

static void make(struct hand *hand)
{
	struct recommendation *recommendation = &hand->analysis.recommendation;

	*hand = (struct hand){.order = {0, 1, 2}};
	result_init(&hand->result);
	make_definition(&hand->result.definition);
	for (size_t w = 0; w < WORKLOADS; w++)
		make_comparison(hand, w);
	hand->analysis = (struct analysis){.result = &hand->result,
					   .axis = "volblocksize",
					   .level_count = LEVELS,
					   .order = hand->order,
					   .comparison_count = WORKLOADS,
					   .comparisons = hand->comparisons};
	*recommendation = (struct recommendation){.kind = RECOMMENDATION_LEVEL,
						  .leader = 2,
						  .next = 2,
						  .set_count = 1,
						  .set = hand->set,
						  .level_count = LEVELS,
						  .levels = hand->scores,
						  .trade_off_count = LEVELS - 1,
						  .trade_offs = hand->steps,
						  .blocks = 5,
						  .spread = 0.011};
	hand->set[0] = 2;
	hand->scores[0] = (struct recommended_level){.complete = true,
						     .interval = true,
						     .to_leader = 0.8,
						     .lead = 1.25,
						     .lead_low = 1.2,
						     .lead_high = 1.3,
						     .worst = 0.7};
	hand->scores[1] = (struct recommended_level){.complete = true,
						     .interval = true,
						     .to_leader = 1 / 1.041,
						     .lead = 1.041,
						     .lead_low = 1.029,
						     .lead_high = 1.053,
						     .worst = 0.9};
	hand->scores[2] = (struct recommended_level){.complete = true,
						     .interval = true,
						     .to_leader = 1,
						     .lead = 1,
						     .in_set = true,
						     .worst = 0.965,
						     .worst_comparison = 1};
	hand->steps[0] = (struct trade_off){.from = 0, .to = 1, .most_won = 1.1, .most_lost = 1.05};
	hand->steps[1] = (struct trade_off){.from = 1,
					    .to = 2,
					    .better = 1,
					    .worse = 1,
					    .most_won = 1.21,
					    .most_lost = 0.97,
					    .won = 0,
					    .lost = 1};
	hand->comparisons[1].best = 0;
}

static void done(struct hand *hand)
{
	for (size_t i = 0; i < hand->analysis.statement_count; i++)
		free(hand->analysis.statements[i].text);
	free(hand->analysis.statements);
	result_done(&hand->result);
}

static const char *said(const struct hand *hand, const char *code)
{
	for (size_t i = 0; i < hand->analysis.statement_count; i++)
		if (strcmp(hand->analysis.statements[i].code, code) == 0)
			return hand->analysis.statements[i].text;
	return NULL;
}

static void assert_said(const struct hand *hand, const char *code, const char *text)
{
	const char *own = said(hand, code);

	if (!own)
		fail_msg("nothing is said of %s", code);
	assert_string_equal(own, text);
}

static void one_level_is_recommended(void **state)
{
	struct hand hand;

	(void)state;
	make(&hand);
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_string_equal(hand.analysis.statements[0].code, "recommended");
	assert_said(&hand, "recommended",
		    "64K serves these two workloads best: 4.1 % [2.9, 5.3] ahead of 32K over all.");
	assert_said(&hand, "worst_loss",
		    "Worst loss of 64K: 3.5 % below the highest, in Ingest (16K).");
	assert_said(&hand, "shown_worse",
		    "Shown worse than 64K over all: 16K by 20 % and 32K by 3.9 %.");
	assert_said(
		&hand, "trade_off",
		"32K in place of 64K is shown better in 1 and worse in 1 of 2; most won: 3.1 % in "
		"Ingest; most lost: 17 % in Exchange.");
	assert_said(&hand, "verdicts",
		    "Of 6 pairs of levels 6 are shown to differ and 0 are not, by Student's t and "
		    "Holm's procedure over all of them together.");
	assert_said(
		&hand, "detectable",
		"The smallest difference between two levels that these 5 repeats would have "
		"shown is 3.0 % for half of the pairs and 4.0 % for the least exact (Exchange, 32K "
		"beside 64K).");
	assert_null(said(&hand, "repeats_needed"));
	assert_null(said(&hand, "paired"));
	assert_null(said(&hand, "weights"));
	assert_null(said(&hand, "judged_by"));
	assert_null(said(&hand, "highest"));
	assert_null(said(&hand, "space"));
	done(&hand);
}

static void a_set_is_not_told_apart(void **state)
{
	struct hand hand;

	(void)state;
	make(&hand);
	hand.analysis.recommendation.kind = RECOMMENDATION_SET;
	hand.analysis.recommendation.set_count = 2;
	hand.set[0] = 1;
	hand.set[1] = 2;
	hand.scores[1].in_set = true;
	hand.scores[1].lead_low = 0.995;
	hand.analysis.recommendation.next = 1;
	hand.analysis.recommendation.repeats_needed = 12;
	hand.scores[1].write_amplification = 1.5;
	hand.scores[2].write_amplification = 2.25;
	hand.contrasts[0][0].paired = true;
	hand.result.definition.workloads[0].weight = 3;
	hand.result.definition.order = ORDER_GROUPED;
	hand.comparisons[1].measure = MEASURE_LATENCY;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_said(&hand, "not_told_apart",
		    "These samples do not tell 32K and 64K apart for these two workloads: 64K "
		    "leads, 4.1 % [-0.5, 5.3] ahead of 32K, which may be chance.");
	assert_said(&hand, "shown_worse", "Shown worse than 64K over all: 16K by 20 %.");
	assert_said(&hand, "repeats_needed",
		    "7 more repeats (12 in all) would be likely to tell 64K from 32K, were the "
		    "difference real and the spread from repeat to repeat 1.1 %, as seen here.");
	assert_said(&hand, "write_amplification",
		    "Bytes that the pool's disks wrote for each byte written: 32K 1.50, 64K 2.25.");
	assert_said(&hand, "weights", "Workloads count by their weights: Exchange 3 and Ingest 1.");
	assert_non_null(strstr(said(&hand, "paired"), "1 of 6 pairs is judged by its own"));
	assert_non_null(strstr(said(&hand, "order_grouped"), "as the definition asks"));
	assert_said(&hand, "judged_by",
		    "1 of 2 comparisons are judged by the mean latency, since rates say how much "
		    "is done: the lower is ahead, by how much longer the other takes.");
	done(&hand);
}

/* Of which the lowest is best: nothing of it is called high. */
static void latencies_are_low(void **state)
{
	struct hand hand;

	(void)state;
	make(&hand);
	hand.comparisons[0].measure = hand.comparisons[1].measure = MEASURE_LATENCY;
	hand.scores[1].lead = 2.5;
	hand.scores[1].lead_low = 2.25;
	hand.scores[1].lead_high = 2.75;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_said(&hand, "recommended",
		    "64K serves these two workloads best: 2.50 times [2.25, 2.75] as good as 32K "
		    "over all.");
	assert_said(&hand, "worst_loss",
		    "Worst loss of 64K: a mean latency 3.6 % above the lowest, in Ingest (16K).");
	assert_said(
		&hand, "trade_off",
		"32K in place of 64K is shown better in 1 and worse in 1 of 2; most won: a mean "
		"latency 3.0 % lower in Ingest; most lost: a mean latency 21 % longer in "
		"Exchange.");
	done(&hand);
	make(&hand);
	hand.comparisons[0].measure = hand.comparisons[1].measure = MEASURE_LATENCY;
	hand.scores[2].worst = 0.25;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_said(&hand, "worst_loss",
		    "Worst loss of 64K: a mean latency 4.00 times the lowest, in Ingest (16K).");
	done(&hand);
	make(&hand);
	hand.comparisons[0].measure = hand.comparisons[1].measure = MEASURE_LATENCY;
	hand.scores[2].worst = 1;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_said(&hand, "worst_loss", "64K has the lowest mean latency in every one of them.");
	done(&hand);
}

static void make_single(struct hand *hand)
{
	make(hand);
	hand->analysis.recommendation.kind = RECOMMENDATION_SINGLE;
	hand->analysis.recommendation.blocks = 1;
	hand->analysis.recommendation.next = 1;
	hand->analysis.recommendation.repeats_needed = 4;
	hand->analysis.recommendation.spread = 0.02;
	hand->analysis.recommendation.spread_assumed = true;
	for (size_t i = 0; i < LEVELS; i++) {
		hand->scores[i].interval = false;
		hand->scores[i].in_set = true;
	}
	for (size_t w = 0; w < WORKLOADS; w++)
		for (size_t i = 0; i < LEVELS; i++) {
			hand->contrasts[w][i].verdict = VERDICT_NONE;
			hand->contrasts[w][i].interval = false;
		}
}

static void single_samples_name_no_best(void **state)
{
	struct hand hand;

	(void)state;
	make_single(&hand);
	hand.bests[1][0] = 1; /* rounding does not tell 32K from 64K in Ingest */
	hand.bests[1][1] = 2;
	hand.comparisons[1].bests[DIRECTION_READ].count = 2;
	hand.comparisons[0].bests[DIRECTION_WRITE] = hand.comparisons[0].bests[DIRECTION_READ];
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_string_equal(hand.analysis.statements[0].code, "single_samples");
	assert_non_null(strstr(said(&hand, "single_samples"), "no best level of volblocksize"));
	assert_string_equal(hand.analysis.statements[1].text,
			    "Highest read figures: 64K in Exchange; 32K and 64K, which rounding "
			    "does not tell apart, in Ingest.");
	assert_string_equal(hand.analysis.statements[2].text,
			    "Highest write figures: 64K in Exchange.");
	assert_said(&hand, "leads",
		    "Over these two workloads together 64K is highest, 4.1 % ahead of 32K; one "
		    "repeat may turn that round.");
	assert_said(&hand, "repeats_needed",
		    "About 4 repeats would be likely to tell 64K from 32K, were the difference "
		    "real and the spread from repeat to repeat 2.0 %, which is assumed here.");
	assert_null(said(&hand, "verdicts"));
	assert_null(said(&hand, "detectable"));
	assert_null(said(&hand, "shown_worse"));
	assert_null(said(&hand, "trade_off"));
	done(&hand);
}

static void single_latencies_are_lowest(void **state)
{
	struct hand hand;

	(void)state;
	make_single(&hand);
	for (size_t w = 0; w < WORKLOADS; w++) {
		hand.comparisons[w].measure = MEASURE_LATENCY;
		for (size_t i = 0; i < LEVELS; i++) {
			struct comparison_level *level = &hand.figures[w][i];

			level->samples = w + 1; /* interrupted in the second repeat */
			level->value.mean = 300 - 100 * (double)i;
			level->told_low = level->value.mean - 50;
			level->told_high = level->value.mean + 50 + (double)w;
		}
		hand.comparisons[w].best = 2;
	}
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_string_equal(hand.analysis.statements[0].text,
			    "Less than two whole repeats can name no best level of volblocksize: "
			    "how far a repeat would have differed is not known, so that all levels "
			    "stay.");
	assert_string_equal(hand.analysis.statements[1].text,
			    "Lowest mean latencies: 64K in Exchange; 32K and 64K, which rounding "
			    "does not tell apart, in Ingest.");
	assert_said(&hand, "leads",
		    "Over these two workloads together 64K leads, 4.1 % ahead of 32K; one repeat "
		    "may turn that round.");
	done(&hand);
}

static void what_would_have_shown_is_no_claim(void **state)
{
	struct hand hand;

	(void)state;
	make(&hand);
	for (size_t w = 0; w < WORKLOADS; w++)
		for (size_t i = 0; i < LEVELS; i++)
			hand.contrasts[w][i].detectable = i == 0 ? 58157 : 99.4;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_non_null(strstr(said(&hand, "detectable"),
			       "is 99.4 times for half of the pairs and more than 100 times for "
			       "the least exact"));
	done(&hand);
}

static void too_small_a_difference_is_said(void **state)
{
	struct hand hand;

	(void)state;
	make_single(&hand);
	hand.analysis.recommendation.repeats_needed = 0;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_non_null(strstr(said(&hand, "repeats_needed"), "Not even 100 repeats"));
	done(&hand);
}

static void nothing_compared_says_nothing(void **state)
{
	struct hand hand;

	(void)state;
	make(&hand);
	for (size_t w = 0; w < WORKLOADS; w++)
		hand.comparisons[w].measured = 1;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_int_equal(hand.analysis.statement_count, 0);
	done(&hand);
}

static void levels_that_lack_samples_are_told(void **state)
{
	struct hand hand;

	(void)state;
	make(&hand);
	hand.scores[0].complete = false;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_said(&hand, "recommended",
		    "Of the levels measured throughout, 64K serves these two workloads best: 4.1 % "
		    "[2.9, 5.3] ahead of 32K over all.");
	assert_said(&hand, "incomplete_levels",
		    "16K was not measured in every comparison and has no part in this.");
	done(&hand);
	make(&hand);
	hand.analysis.recommendation.kind = RECOMMENDATION_NONE;
	assert_int_equal(statements_make(&hand.analysis), 0);
	assert_string_equal(hand.analysis.statements[0].code, "none_complete");
	assert_null(said(&hand, "worst_loss"));
	assert_non_null(said(&hand, "verdicts"));
	done(&hand);
}

static void memory_that_lacks_is_told(void **state)
{
	struct hand hand;

	(void)state;
	make(&hand);
	no_memory = true;
	assert_int_equal(statements_make(&hand.analysis), -ENOMEM);
	no_memory = false;
	assert_int_equal(hand.analysis.statement_count, 0);
	done(&hand);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_level_is_recommended),
		cmocka_unit_test(a_set_is_not_told_apart),
		cmocka_unit_test(single_samples_name_no_best),
		cmocka_unit_test(latencies_are_low),
		cmocka_unit_test(single_latencies_are_lowest),
		cmocka_unit_test(what_would_have_shown_is_no_claim),
		cmocka_unit_test(too_small_a_difference_is_said),
		cmocka_unit_test(nothing_compared_says_nothing),
		cmocka_unit_test(levels_that_lack_samples_are_told),
		cmocka_unit_test(memory_that_lacks_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
