/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_table.c - wrapping, columns and figures. */
#include "server/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_figures(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},	   {0.4217, "0.42"}, {9.994, "9.99"},	{9.996, "10.0"},
		{99.96, "100"},	   {982, "982"},     {999.4, "999"},	{999.6, "1.00k"},
		{37400, "37.4k"},  {999400, "999k"}, {999600, "1.00M"}, {11.4e6, "11.4M"},
		{1.5e12, "1.50T"},
	};
	char buffer[TABLE_INTERVAL_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(table_figure(cases[i].value, buffer), cases[i].text);
	assert_string_equal(table_interval(37400, 300, true, buffer), "37.4k ±0.3k");
	assert_string_equal(table_interval(37400, 2, true, buffer), "37.4k ±0.002k");
	assert_string_equal(table_interval(37400, 0, true, buffer), "37.4k ±0.0k");
	assert_string_equal(table_interval(263, 12.4, true, buffer), "263 ±12");
	assert_string_equal(table_interval(263, -1, true, buffer), "263");
	assert_string_equal(table_interval(1475.2, 12.4, false, buffer), "1475 ±12");
	assert_string_equal(table_latency(0, buffer), "0 ns");
	assert_string_equal(table_latency(820, buffer), "820 ns");
	assert_string_equal(table_latency(1400, buffer), "1.40 us");
	assert_string_equal(table_latency(999600, buffer), "1.00 ms");
	assert_string_equal(table_latency(UINT64_C(3100000000), buffer), "3.10 s");
	assert_string_equal(table_bytes(512, buffer), "512 B");
	assert_string_equal(table_bytes(UINT64_C(16) << 30, buffer), "16 GiB");
	assert_string_equal(table_bytes((UINT64_C(16) << 30) + (UINT64_C(1) << 29), buffer),
			    "16.5 GiB");
	assert_string_equal(table_duration(0, buffer), "0 s");
	assert_string_equal(table_duration(0.5, buffer), "0.5 s");
	assert_string_equal(table_duration(45.2, buffer), "45 s");
	assert_string_equal(table_duration(200, buffer), "3 min 20 s");
	assert_string_equal(table_duration(7500, buffer), "2 h 05 min");
	assert_string_equal(table_duration(59.9, buffer), "1 min 00 s");
}

/* What a function prints; freed by the caller. */
static char *printed(const struct table *table, size_t width)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(table_print(table, out, width), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static struct table *example(void)
{
	struct table *table = table_new("lrlr");

	assert_non_null(table);
	table_cell(table, "workload");
	table_cell(table, "IOPS");
	table_cell(table, "p99");
	table_cell(table, "unit");
	table_rule(table);
	table_cell(table, "random read");
	table_cell(table, "%d ±1", 12);
	table_cell(table, "%s", "");
	table_cell(table, "é");
	table_cell(table, "a\tb\n");
	table_cell(table, "1234567");
	table_cell(table, "%s", "");
	table_cell(table, "x");
	return table;
}

static void test_columns(void **state)
{
	struct table *table = example();
	char *text = printed(table, 80);

	(void)state;
	/* The third column holds nothing and is left out; ± and é are one character wide. */
	assert_string_equal(text, "workload        IOPS  unit\n"
				  "--------------------------\n"
				  "random read    12 ±1     é\n"
				  "a?b?         1234567     x\n");
	free(text);
	table_free(table);
}

static void test_narrow(void **state)
{
	struct table *table = example();
	char *text = printed(table, 10);

	(void)state;
	assert_non_null(strstr(text, "ran...ad    12 ±1"));
	free(text);
	table_free(table);
	table_free(NULL);
}

static void test_wrap(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	table_wrap(out, "one two three averyveryverylongword é\x1b end", 4, 2, 12);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "one two\n  three\n  averyveryverylongword\n  é? end\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
