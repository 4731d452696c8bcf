/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_repeats.c - how often, as a text and in words; what is refused stands in
 * tests/data/bad-definitions.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/repeats.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static void texts_are_read(void **state)
{
	const struct {
		const char *text;
		struct repeats repeats;
	} cases[] = {
		{"1", {1, 1, 0}},	   {"100", {100, 100, 0}},	    {"5-30:2%", {5, 30, 2}},
		{"5-6:0.5%", {5, 6, 0.5}}, {"7-100:12.5%", {7, 100, 12.5}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct repeats repeats;
		struct error err;

		assert_int_equal(repeats_parse(cases[i].text, &repeats, &err), 0);
		assert_int_equal(repeats.least, cases[i].repeats.least);
		assert_int_equal(repeats.most, cases[i].repeats.most);
		assert_true(repeats.until_ci_percent == cases[i].repeats.until_ci_percent);
	}
}

static void what_is_none_is_refused(void **state)
{
	const char *const bad[] = {
		"",	    "x",      "0",	 "101",	     "-1",	   "+5",
		" 5",	    "5 ",     "5-30",	 "5-30:",    "5-30:2",	   "5-30:0%",
		"5-:2%",    "-30:2%", "5-30:%",	 "5-30:2%%", "5-30:1e1%",  "5:2%",
		"5-101:2%", "0-9:2%", "5-30:.%", "9999999",  "5-30:1.2.3%"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct repeats repeats = {0};
		struct error err = {0};

		if (repeats_parse(bad[i], &repeats, &err) == 0)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_true(err.code == ERROR_BAD_VALUE || err.code == ERROR_OUT_OF_RANGE);
		assert_non_null(strstr(err.message, "number from 1 to 100"));
		assert_int_equal(repeats.most, 0);
	}
}

static void they_are_put_into_words(void **state)
{
	struct definition d;
	char text[REPEATS_TEXT_MAX];

	(void)state;
	definition_init(&d);
	assert_string_equal(repeats_text(&d, text), "1 repeat");
	repeats_set(&d, &(struct repeats){5, 5, 0});
	assert_string_equal(repeats_text(&d, text), "5 repeats");
	assert_int_equal(d.repeats_min, 0);
	repeats_set(&d, &(struct repeats){5, 30, 0.5});
	assert_string_equal(repeats_text(&d, text),
			    "5 to 30 repeats, until figures are known to ±0.5 %");
	add_factor(&d, "bs", "4k 8k");
	assert_string_equal(repeats_text(&d, text),
			    "5 to 30 repeats, until differences are known to ±0.5 %");
	definition_done(&d);
}

static void outcomes_are_put_into_words(void **state)
{
	const struct {
		struct repeats_outcome outcome;
		const char *text;
	} cases[] = {
		{{REPEATS_END_NONE, 6, 30, 1.8, 2}, ""},
		{{REPEATS_END_PRECISE, 6, 30, 1.8, 2},
		 "6 of at most 30 repeats: known to ±1.8 % (asked: ±2 %)"},
		{{REPEATS_END_MOST, 30, 30, 3.456, 2},
		 "all 30 repeats: known to ±3.46 % (asked: ±2 %)"},
		{{REPEATS_END_MOST, 30, 30, 0, 2}, "all 30 repeats (asked: ±2 %)"},
	};
	char text[REPEATS_OUTCOME_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(repeats_outcome_text(&cases[i].outcome, text), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_read),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(they_are_put_into_words),
		cmocka_unit_test(outcomes_are_put_into_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
