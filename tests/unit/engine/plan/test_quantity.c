/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/quantity.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/quantity.h"

static void sizes_are_powers_of_1024(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} table[] = {
		{"0", 0},
		{"4096", 4096},
		{"4k", 4096},
		{"4K", 4096},
		{"4kb", 4096},
		{"4KiB", 4096},
		{"512b", 512},
		{"64G", UINT64_C(64) << 30},
		{"1m", 1 << 20},
		{"2t", UINT64_C(2) << 40},
		{"1P", UINT64_C(1) << 50},
		{"16777215TiB", UINT64_C(16777215) << 40},
		{"18446744073709551615", UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct error err = {0};
		uint64_t bytes = 1;

		if (quantity_parse_size(table[i].text, &bytes, &err) != 0)
			fail_msg("%s: %s", table[i].text, err.message);
		assert_int_equal(bytes, table[i].bytes);
	}
}

static void what_is_no_size_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"-1",
		"+1",
		"4kib?",
		"16777216TiB",
		"18446744073709551616",
		"99999999999999999999",
		"4 k",
		" 4k",
		"4k ",
		"k",
		"4x",
		"4kk",
		"4i",
		"4ib",
		"1.5g",
		"0x10",
		"50%",
		"4e3",
		"1e",
		"4kibb",
		"٤k",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = {0};
		uint64_t bytes = 7;

		if (quantity_parse_size(bad[i], &bytes, &err) == 0)
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(err.code, ERROR_BAD_SIZE);
		assert_int_equal(bytes, 7);
	}
}

static void times_are_seconds_unless_they_say(void **state)
{
	static const struct {
		const char *text;
		uint64_t us;
	} table[] = {
		{"60", 60000000},      {"0", 0},	   {"500ms", 500000},
		{"2m", 120000000},     {"1.5", 1500000},   {"0.000001", 1},
		{"1.5ms", 1500},       {"250us", 250},	   {"1h", 3600000000},
		{"1D", 86400000000},   {"10s", 10000000},  {"1.50000000000", 1500000},
		{"5sec", 5000000},     {"1min", 60000000}, {"3usec", 3},
		{"0.5d", 43200000000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct error err = {0};
		uint64_t ns = 1;

		if (quantity_parse_time(table[i].text, &ns, &err) != 0)
			fail_msg("%s: %s", table[i].text, err.message);
		assert_int_equal(ns, table[i].us * 1000);
	}
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const bad[] = {
		"",	 "-1",	      "1.",	     ".5",
		"1.5.5", "5x",	      "5 s",	     "ms",
		"1ns",	 "1.5us1",    "1e3",	     "inf",
		"0.5us", "0.0000001", "18446744074", "99999999999999999999",
		"1.5ss"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = {0};
		uint64_t ns = 7;

		if (quantity_parse_time(bad[i], &ns, &err) == 0)
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(err.code, ERROR_BAD_TIME);
		assert_int_equal(ns, 7);
	}
}

static void counts_are_plain_numbers(void **state)
{
	static const struct {
		const char *text;
		enum error_code code;
	} table[] = {
		{"0", ERROR_NONE},	    {"18446744073709551615", ERROR_NONE},
		{"-1", ERROR_OUT_OF_RANGE}, {"18446744073709551616", ERROR_OUT_OF_RANGE},
		{"", ERROR_BAD_VALUE},	    {"-", ERROR_BAD_VALUE},
		{"1k", ERROR_BAD_VALUE},    {"1.5", ERROR_BAD_VALUE},
		{"many", ERROR_BAD_VALUE},  {"--1", ERROR_BAD_VALUE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct error err = {0};
		uint64_t count;
		int r = quantity_parse_count(table[i].text, &count, &err);

		assert_int_equal(err.code, table[i].code);
		assert_int_equal(r < 0, table[i].code != ERROR_NONE);
	}
}

static void formatting_is_short_and_reads_back(void **state)
{
	char buffer[QUANTITY_TEXT_MAX];
	uint64_t value;

	(void)state;
	assert_string_equal(quantity_format_size(0, buffer), "0");
	assert_string_equal(quantity_format_size(4096, buffer), "4k");
	assert_string_equal(quantity_format_size(1536 << 10, buffer), "1536k");
	assert_string_equal(quantity_format_size(1000, buffer), "1000");
	assert_string_equal(quantity_format_size(UINT64_C(5) << 50, buffer), "5p");
	assert_string_equal(quantity_format_time(60000000000, buffer), "60");
	assert_string_equal(quantity_format_time(1500000000, buffer), "1500ms");
	assert_string_equal(quantity_format_time(250000, buffer), "250us");
	for (uint64_t bytes = 1; bytes < UINT64_MAX / 3; bytes *= 3) {
		assert_int_equal(
			quantity_parse_size(quantity_format_size(bytes, buffer), &value, NULL), 0);
		assert_int_equal(value, bytes);
		quantity_format_size(bytes << 10, buffer);
		if (bytes < UINT64_MAX >> 10) {
			assert_int_equal(quantity_parse_size(buffer, &value, NULL), 0);
			assert_int_equal(value, bytes << 10);
		}
	}
	for (uint64_t us = 1; us < UINT64_MAX / 3000; us *= 3) {
		quantity_format_time(us * 1000, buffer);
		assert_int_equal(quantity_parse_time(buffer, &value, NULL), 0);
		assert_int_equal(value, us * 1000);
	}
}

static void what_fio_reads_otherwise_is_known(void **state)
{
	(void)state;
	assert_true(quantity_fio_differs("4kib"));
	assert_true(quantity_fio_differs("1GiB"));
	assert_true(quantity_fio_differs("1.5"));
	assert_false(quantity_fio_differs("4k"));
	assert_false(quantity_fio_differs("4kb"));
	assert_false(quantity_fio_differs("60"));
	assert_false(quantity_fio_differs("500ms"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_powers_of_1024),
		cmocka_unit_test(what_is_no_size_is_refused),
		cmocka_unit_test(times_are_seconds_unless_they_say),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(counts_are_plain_numbers),
		cmocka_unit_test(formatting_is_short_and_reads_back),
		cmocka_unit_test(what_fio_reads_otherwise_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
