/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_compare_table.c - runs beside each other in a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/compare_table.h"
#include "tests/unit/engine/analysis/run_fixture.h"

/* What is printed of two runs, in 80 columns; heap. */
static char *printed(const struct result *a, const struct result *b, const char *limits)
{
	struct run_limits wanted = {.set = {false}};
	struct run_judgement judgement;
	struct run_comparison comparison;
	struct error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (limits)
		assert_int_equal(run_limits_parse(limits, &wanted, &err), 0);
	run_fixture_compare(a, b, &comparison);
	assert_int_equal(run_limits_hold(&wanted, &comparison, &judgement), 0);
	assert_int_equal(compare_table_print(&comparison, limits ? &judgement : NULL, out, 80), 0);
	run_judgement_done(&judgement);
	run_comparison_done(&comparison);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void differences_before_figures(void **state)
{
	struct result a, b;
	char *text;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_plain(&b, "b", 0.5);
	(void)snprintf(b.backend, sizeof(b.backend), "threads");
	text = printed(&a, &b, "iops_percent=-5,files_percent=-5,unmatched=0");
	has(text, "!  backend  io_uring  threads");
	has(text, "WORSE");
	has(text, "1/2.0 to 1/2.0");
	assert_true(strstr(text, "backend") < strstr(text, "WORSE"));
	has(text, "FAIL  iops_percent -5: of 2 figures 2 fail, 0 open");
	has(text, "FAIL  files_percent -5: nothing could be held against it");
	has(text, "pass  unmatched 0: 0 cells");
	has(text, "Of 2 cells 0 better, 2 worse");
	has(text, "geometric means of the repeats");
	free(text);
	text = printed(&a, &a, NULL);
	has(text, "Nothing that is known differs");
	has(text, "no difference");
	assert_null(strstr(text, "Limits"));
	free(text);
	result_done(&a);
	result_done(&b);
}

/* As many cells without a partner as are listed, and one more. */
static void a_long_list_is_cut(void **state)
{
	static const size_t ios[] = {100, 0};
	struct result a, b;

	(void)state;
	for (int count = 20; count <= 21; count++) {
		char levels[100] = "", *text;

		run_fixture_start(&a, "a");
		run_fixture_start(&b, "b");
		run_fixture_factor(&a, "place", "x");
		free(a.definition.factors[0].levels[0]);
		free(a.definition.factors[0].levels);
		a.definition.factors[0].levels = calloc((size_t)count, sizeof(char *));
		assert_non_null(a.definition.factors[0].levels);
		a.definition.factors[0].level_count = (size_t)count;
		run_fixture_workload(&a, "reader");
		for (int i = 0; i < count; i++) {
			(void)snprintf(levels, sizeof(levels), "place-%d", i);
			a.definition.factors[0].levels[i] = fixture_text(levels);
			run_fixture_reads(&a, "reader", levels, "rw=randread size=64m", ios);
		}
		text = printed(&a, &b, NULL);
		has(text, "- reader, place=place-19: not in run 1");
		assert_int_equal(strstr(text, "and 1 more") != NULL, count == 21);
		has(text, "no cell in common");
		assert_null(strstr(text, "geometric"));
		free(text);
		result_done(&a);
		result_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_before_figures),
		cmocka_unit_test(a_long_list_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
