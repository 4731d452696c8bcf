/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_cpus.c - lists of CPUs, read and told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/cpus.h"

static void test_lists(void **unused)
{
	static const struct {
		const char *text, *told;
		size_t count;
	} lists[] = {
		{"0", "0", 1},	       {"3,1", "1,3", 2},
		{"0-1,3", "0-1,3", 3}, {"0,1,2,63-65", "0-2,63-65", 6},
		{"2,0-4,1", "0-4", 5}, {"7-7", "7", 1},
		{"4095", "4095", 1},   {"0-4095", "0-4095", 4096},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		char text[CPUS_TEXT_MAX];
		struct cpus cpus;

		assert_int_equal(cpus_parse(lists[i].text, &cpus, NULL), 0);
		assert_int_equal(cpus_count(&cpus), lists[i].count);
		assert_string_equal(cpus_format(&cpus, text), lists[i].told);
	}
}

static void test_no_lists(void **unused)
{
	static const struct {
		const char *text;
		enum error_code code;
	} bad[] = {
		{"", ERROR_BAD_VALUE},
		{"a", ERROR_BAD_VALUE},
		{"0,", ERROR_BAD_VALUE},
		{",0", ERROR_BAD_VALUE},
		{"0-", ERROR_BAD_VALUE},
		{"-1", ERROR_BAD_VALUE},
		{"3-1", ERROR_BAD_VALUE},
		{"0 1", ERROR_BAD_VALUE},
		{"0-1-2", ERROR_BAD_VALUE},
		{"0x3", ERROR_BAD_VALUE},
		{"4096", ERROR_OUT_OF_RANGE},
		{"0-4096", ERROR_OUT_OF_RANGE},
		{"99999999999999999999999", ERROR_OUT_OF_RANGE},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct cpus cpus = {{42}};
		struct error err = {0};

		assert_true(cpus_parse(bad[i].text, &cpus, &err) < 0);
		assert_int_equal(err.code, bad[i].code);
		assert_int_equal(cpus.bits[0], 42);
	}
}

static void test_one_after_another(void **unused)
{
	const size_t expected[] = {1, 64, 130, 1, 64};
	struct cpus cpus, other;
	char text[CPUS_TEXT_MAX];

	(void)unused;
	assert_int_equal(cpus_parse("130,1,64", &cpus, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(cpus_nth(&cpus, i), expected[i]);
	assert_int_equal(cpus_parse("0-63", &other, NULL), 0);
	cpus_remove(&cpus, &other);
	assert_string_equal(cpus_format(&cpus, text), "64,130");
}

static void test_a_long_list_is_cut(void **unused)
{
	struct cpus cpus = {0};
	char text[CPUS_TEXT_MAX];

	(void)unused;
	for (size_t i = 0; i < CPUS_MAX; i += 2)
		cpus_add(&cpus, i);
	(void)cpus_format(&cpus, text);
	assert_true(strlen(text) < CPUS_TEXT_MAX && strlen(text) > CPUS_TEXT_MAX - 12);
	assert_string_equal(text + strlen(text) - 4, ",...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_no_lists),
		cmocka_unit_test(test_one_after_another),
		cmocka_unit_test(test_a_long_list_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
