/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_words.c - ratios and verdicts in words: rounding, signs, directions, names of levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/words.h"
#include "tests/unit/server/codec/fixture.h"

static void percents_round_for_reading(void **state)
{
	char buffer[WORDS_MAX];

	(void)state;
	assert_string_equal(words_percent(0.0414, buffer), "4.1 %");
	assert_string_equal(words_percent(-0.0414, buffer), "4.1 %");
	assert_string_equal(words_percent(0.31, buffer), "31 %");
	assert_string_equal(words_percent(0.0996, buffer), "10 %");
	assert_string_equal(words_percent(0.0994, buffer), "9.9 %");
	assert_string_equal(words_percent(0.0004, buffer), "0.04 %");
	assert_string_equal(words_percent(0.00001, buffer), "less than 0.01 %");
	assert_string_equal(words_percent(0, buffer), "0 %");
}

static void twice_and_more_is_told_as_times(void **state)
{
	char buffer[WORDS_MAX];

	(void)state;
	assert_string_equal(words_ahead(1.21, buffer), "21 %");
	assert_string_equal(words_ahead(1 / 1.21, buffer), "21 %");
	assert_string_equal(words_ahead(1.994, buffer), "99 %");
	assert_string_equal(words_ahead(1.998, buffer), "99.8 %");
	assert_string_equal(words_percent(0.9998, buffer), "99.98 %");
	assert_string_equal(words_percent(1, buffer), "100 %");
	assert_string_equal(words_ahead(2, buffer), "2.00 times");
	assert_string_equal(words_ahead(31.2, buffer), "31.2 times");
	assert_string_equal(words_ahead(312.4, buffer), "312 times");
	assert_string_equal(words_ahead_interval(1.041, 1.029, 1.053, buffer), "4.1 % [2.9, 5.3]");
	assert_string_equal(words_ahead_interval(1.006, 0.99, 1.022, buffer), "0.6 % [-1.0, 2.2]");
	assert_string_equal(words_ahead_interval(1.006, 0.9999, 1.0121, buffer),
			    "0.6 % [0.0, 1.2]");
	assert_string_equal(words_ahead_interval(1.006, 0.296, 3.414, buffer), "0.6 % [-70, 241]");
	assert_string_equal(words_ahead_interval(2.41, 2.2, 2.62, buffer),
			    "2.41 times [2.20, 2.62]");
	assert_string_equal(words_ahead_interval(1.041, 0, 0, buffer), "4.1 %");
}

static void verdicts_say_which_way(void **state)
{
	struct contrast contrast = {.a = 1,
				    .b = 3,
				    .ratio = 1.25,
				    .interval = true,
				    .low = 1.2,
				    .high = 1.3,
				    .verdict = VERDICT_DIFFERENT};
	char buffer[WORDS_MAX];

	(void)state;
	assert_string_equal(words_verdict(&contrast, 3, MEASURE_IOPS, buffer),
			    "faster by 25 % [20, 30]");
	assert_string_equal(words_verdict(&contrast, 1, MEASURE_IOPS, buffer),
			    "slower by 20 % [17, 23]");
	/* good is a low latency: 1 / 1.25 of it */
	assert_string_equal(words_verdict(&contrast, 3, MEASURE_LATENCY, buffer),
			    "lower by 20 % [17, 23]");
	assert_string_equal(words_verdict(&contrast, 1, MEASURE_LATENCY, buffer),
			    "higher by 25 % [20, 30]");
	contrast.ratio = 3;
	contrast.low = 2.5;
	contrast.high = 3.6;
	assert_string_equal(words_verdict(&contrast, 3, MEASURE_FILES, buffer),
			    "3.00 times as fast [2.50, 3.60]");
	contrast.verdict = VERDICT_NO_DIFFERENCE;
	assert_string_equal(words_verdict(&contrast, 3, MEASURE_IOPS, buffer),
			    "no difference shown");
	contrast.verdict = VERDICT_NONE;
	contrast.interval = false;
	assert_string_equal(words_verdict(&contrast, 3, MEASURE_IOPS, buffer),
			    "one sample: no verdict");
	assert_true(words_turned(&contrast, 1).low == 0);
}

/* A bare number is no name for a reader. */
static void levels_have_names(void **state)
{
	struct result result;
	struct analysis analysis = {.result = &result, .axis = "iodepth", .level_count = 2};
	struct factor *factor = calloc(1, sizeof(*factor));
	char buffer[WORDS_LEVEL_MAX], number[WORDS_MAX];

	(void)state;
	assert_non_null(factor);
	result_init(&result);
	result.definition.factors = factor;
	result.definition.factor_count = 1;
	factor->name = fixture_text("iodepth");
	factor->levels = calloc(2, sizeof(*factor->levels));
	assert_non_null(factor->levels);
	factor->level_count = 2;
	factor->levels[0] = fixture_text("16");
	factor->levels[1] = fixture_text("64K");
	assert_string_equal(words_level(&analysis, 0, buffer), "iodepth=16");
	assert_string_equal(words_level(&analysis, 1, buffer), "64K");
	assert_string_equal(words_number(9, number), "nine");
	assert_string_equal(words_number(13, number), "13");
	result_done(&result);
}

/* A name with a comma stands in quotes within a sentence: its comma is none of the sentence's. */
static void names_with_commas_are_quoted(void **state)
{
	char buffer[WORDS_NAME_MAX], longest[ANALYSIS_TITLE_MAX];

	(void)state;
	assert_string_equal(words_name("Exchange", buffer), "Exchange");
	assert_string_equal(words_name("", buffer), "");
	assert_string_equal(words_name("mix, 4k", buffer), "\"mix, 4k\"");
	memset(longest, ',', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(strlen(words_name(longest, buffer)), sizeof(longest) - 1 + 2);
	assert_int_equal(buffer[sizeof(longest)], '"'); /* the last of it is the quote */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percents_round_for_reading),
		cmocka_unit_test(twice_and_more_is_told_as_times),
		cmocka_unit_test(verdicts_say_which_way),
		cmocka_unit_test(levels_have_names),
		cmocka_unit_test(names_with_commas_are_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
