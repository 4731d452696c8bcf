/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_printed.c - printed figures: their units, and what their digits leave open. */
#include "server/import/printed.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_figures_and_their_rounding(void **state)
{
	static const struct {
		const char *text;
		enum printed_kind kind;
		double value, low, high;
	} cases[] = {
		{"10.0k", PRINTED_NUMBER, 10000, 9950, 10050},
		{"~33.8k", PRINTED_NUMBER, 33800, 33750, 33850},
		{"~ 378k", PRINTED_NUMBER, 378e3, 377.5e3, 378.5e3},
		{"\xe2\x89\x88 12", PRINTED_NUMBER, 12, 11.5, 12.5},
		{"264 MiB", PRINTED_BYTES, 264 * 0x1p20, 263.5 * 0x1p20, 264.5 * 0x1p20},
		{"16.2 MiB/s", PRINTED_BYTES, 16.2 * 0x1p20, 16.15 * 0x1p20, 16.25 * 0x1p20},
		{"1.5 GB/s", PRINTED_BYTES, 1.5e9, 1.45e9, 1.55e9},
		{"2kB", PRINTED_BYTES, 2000, 1500, 2500},
		{"3 TiB", PRINTED_BYTES, 3 * 0x1p40, 2.5 * 0x1p40, 3.5 * 0x1p40},
		{"1,941,309,910 B/s", PRINTED_BYTES, 1941309910, 1941309909.5, 1941309910.5},
		{"1.20M IOPS", PRINTED_NUMBER, 1.2e6, 1.195e6, 1.205e6},
		{"45 IOPS", PRINTED_NUMBER, 45, 44.5, 45.5},
		{"45 /s", PRINTED_NUMBER, 45, 44.5, 45.5},
		{"0.115 ms", PRINTED_TIME, 115000, 114500, 115500},
		{"7\xc2\xb5s", PRINTED_TIME, 7000, 6500, 7500},
		{"7 \xce\xbcs", PRINTED_TIME, 7000, 6500, 7500},
		{"12us", PRINTED_TIME, 12000, 11500, 12500},
		{"90 ns", PRINTED_TIME, 90, 89.5, 90.5},
		{"1.5 s", PRINTED_TIME, 1.5e9, 1.45e9, 1.55e9},
		{"56 %", PRINTED_PERCENT, 56, 55.5, 56.5},
		{"+6.0%", PRINTED_PERCENT, 6, 5.95, 6.05},
		{"-6%", PRINTED_PERCENT, -6, -6.5, -5.5},
		{"\xe2\x88\x92"
		 "6 %",
		 PRINTED_PERCENT, -6, -6.5, -5.5},
		{"0 %", PRINTED_PERCENT, 0, -0.5, 0.5},
		{"0", PRINTED_NUMBER, 0, 0, 0.5},
		{"0.04k", PRINTED_NUMBER, 40, 35, 45},
		{"5 to 10 %", PRINTED_PERCENT, 7.5, 4.5, 10.5},
		{"1 ms to 2 ms", PRINTED_TIME, 1.5e6, 0.5e6, 2.5e6},
		{"10k to 20k", PRINTED_NUMBER, 15e3, 9.5e3, 20.5e3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct printed printed;

		print_message("%s\n", cases[i].text);
		assert_int_equal(printed_read(cases[i].text, strlen(cases[i].text), &printed), 0);
		assert_int_equal(printed.kind, cases[i].kind);
		assert_true(printed.figure.known);
		assert_true(printed.figure.value == cases[i].value);
		assert_true(printed.figure.low == cases[i].low);
		assert_true(printed.figure.high == cases[i].high);
	}
}

static void test_unknown_is_said(void **state)
{
	static const char *const texts[] = {"-",   "--",  "\xe2\x80\x93", "\xe2\x80\x94",
					    "N/A", "n/a", " ? "};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct printed printed;

		assert_int_equal(printed_read(texts[i], strlen(texts[i]), &printed), 0);
		assert_int_equal(printed.kind, PRINTED_UNKNOWN);
		assert_false(printed.figure.known);
	}
}

static void test_what_is_no_figure(void **state)
{
	static const char *const texts[] = {
		"",	 " ",	    "k",	   "MiB",
		"5.",	 ".5",	    "1,23",	   "1,2345",
		"-5",	 "+5 ms",   "5 mb",	   "1e3",
		"0x10",	 "5 MiB/h", "5 6",	   "1 to ",
		" to 5", "9 to 5",  "1 ms to 5 %", "nan",
		"inf",	 "~",	    "5 MiBx",	   "123456789012345678"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct printed printed;

		print_message("%s\n", texts[i]);
		assert_int_equal(printed_read(texts[i], strlen(texts[i]), &printed), -EINVAL);
	}
}

static void test_limit(void **state)
{
	char text[PRINTED_TEXT_MAX + 2];
	struct printed printed;

	(void)state;
	(void)snprintf(text, sizeof(text), "%*s", PRINTED_TEXT_MAX, "5 ms");
	assert_int_equal(printed_read(text, strlen(text), &printed), 0);
	(void)snprintf(text, sizeof(text), "%*s", PRINTED_TEXT_MAX + 1, "5 ms");
	assert_int_equal(printed_read(text, strlen(text), &printed), -EINVAL);
	/* 17 digits are kept, zeros before them do not count */
	assert_int_equal(printed_read("00012345678901234567", 20, &printed), 0);
	assert_int_equal(printed_read("123456789012345678", 18, &printed), -EINVAL);
}

/* Only so much is read as the size says. */
static void test_text_without_end(void **state)
{
	struct printed printed;

	(void)state;
	assert_int_equal(printed_read("12k9", 3, &printed), 0);
	assert_true(printed.figure.value == 12000);
	assert_int_equal(printed_read("1,234", 4, &printed), -EINVAL);
}

static void test_digits(void **state)
{
	struct told_figure figure;

	(void)state;
	assert_int_equal(printed_digits("  59.91 ", 8, 0x1p20, &figure), 0);
	assert_true(figure.value == 5991 * 0x1p20 / 100);
	assert_true(figure.low == 5990.5 * 0x1p20 / 100);
	assert_true(figure.high == 5991.5 * 0x1p20 / 100);
	assert_int_equal(printed_digits("5 ms", 4, 1, &figure), -EINVAL);
	assert_int_equal(printed_digits("N/A", 3, 1, &figure), -EINVAL);
	assert_int_equal(printed_digits("", 0, 1, &figure), -EINVAL);
}

static void test_per_second(void **state)
{
	struct told_figure seconds = {.known = true, .value = 2, .low = 1.5, .high = 2.5}, figure;

	(void)state;
	figure = printed_per_second(30, &seconds);
	assert_true(figure.value == 15 && figure.low == 12 && figure.high == 20);
	seconds = (struct told_figure){.known = true, .value = 0.4, .low = 0, .high = 1};
	figure = printed_per_second(30, &seconds); /* no bound above but itself */
	assert_true(figure.low == 30 && figure.high == figure.value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures_and_their_rounding),
		cmocka_unit_test(test_unknown_is_said),
		cmocka_unit_test(test_what_is_no_figure),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_text_without_end),
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_per_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
