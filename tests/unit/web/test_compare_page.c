/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_compare_page.c - the page of a comparison: valid, escaped, what is unfair before figures. */
#include "web/compare_page.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/engine/analysis/run_fixture.h"
#include "tests/unit/web/hostile.h"
#include "tests/unit/web/xml.h"
#include "web/compare_marks.h"

/* The page of two runs, held against limits where there are some. */
static char *page_of(const struct result *a, const struct result *b, const char *limits)
{
	struct run_limits wanted = {.set = {false}};
	struct run_judgement judgement;
	struct run_comparison comparison;
	struct error err;
	char *page;

	run_fixture_compare(a, b, &comparison);
	if (limits)
		assert_int_equal(run_limits_parse(limits, &wanted, &err), 0);
	assert_int_equal(run_limits_hold(&wanted, &comparison, &judgement), 0);
	page = page_comparison(&comparison, limits ? &judgement : NULL);
	run_judgement_done(&judgement);
	run_comparison_done(&comparison);
	assert_non_null(page);
	assert_true(xml_valid(page, strlen(page)));
	assert_null(strstr(page, "style=\""));
	return page;
}

static void has(const char *page, const char *text)
{
	if (!strstr(page, text))
		fail_msg("the page lacks: %s", text);
}

static void worse_and_unfair(void **state)
{
	struct result a, b;
	char *page;

	(void)state;
	run_fixture_plain(&a, "20261130-113000-aaaaaa", 1);
	run_fixture_plain(&b, "20261130-113000-bbbbbb", 0.9);
	(void)snprintf(b.backend, sizeof(b.backend), "threads");
	page = page_of(&a, &b, "iops_percent=-5,files_percent=0,unmatched=0");
	has(page, "Of 2 cells 2 are shown to be worse than in the baseline.");
	has(page, "1 difference makes this comparison unfair");
	has(page, "<b>Unfair. </b>");
	has(page, "class=\"banner error\"");
	has(page, "of 2 figures 2 fail and 0 are open");
	has(page, "nothing could be held against it, which is no pass");
	has(page, "held against its interval");
	has(page, "unmatched</code> 0: 0 cells of the baseline are without a partner");
	/* what it comes to stands beside the cell: a narrow screen shows no more */
	has(page, "<span class=\"direction\">IOPS</span></th>"
		  "<td data-l=\"Verdict\" class=\"worse\">worse</td>"
		  "<td data-l=\"Change\" class=\"number\">-10.0 %</td>");
	has(page, "<circle cx=");
	has(page, "/api/v1/comparisons?runs=20261130-113000-aaaaaa,20261130-113000-bbbbbb");
	assert_true(strstr(page, "id=\"differences\"") < strstr(page, "class=\"ratios stack\""));
	free(page);
	page = page_of(&b, &a, "iops_percent=-5");
	has(page, "The limits are kept.");
	has(page, "<td data-l=\"Verdict\" class=\"better\">better</td>");
	free(page);
	result_done(&a);
	result_done(&b);
}

static void nothing_in_common(void **state)
{
	static const size_t ios[] = {100, 0};
	struct result a, b;
	char *page;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_start(&b, "b");
	run_fixture_workload(&b, "another");
	run_fixture_reads(&b, "another", "", "rw=write size=64m bs=64k", ios);
	page = page_of(&a, &b, NULL);
	has(page, "no cell in common");
	has(page, "reader, iodepth=1");
	has(page, "not in run 1");
	has(page, "in run 1 alone");
	free(page);
	result_done(&a);
	result_done(&b);
}

/* Whatever names and values are, they stay text. */
static void hostile_names(void **state)
{
	struct result a, b;
	char *page;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile_texts); i++) {
		const char *text = hostile_texts[i];

		run_fixture_plain(&a, "a", 1);
		run_fixture_plain(&b, "b", 1);
		free(b.definition.name);
		b.definition.name = fixture_text(text);
		(void)snprintf(b.environment.host, sizeof(b.environment.host), "%s", text);
		for (int run = 0; run < 2; run++) {
			struct result *result = run ? &b : &a;

			free(result->definition.workloads[0].name);
			result->definition.workloads[0].name = fixture_text(text);
			for (size_t n = 0; n < result->sample_count; n++) {
				free(result->samples[n].workload);
				result->samples[n].workload = fixture_text(text);
			}
		}
		page = page_of(&a, &b, NULL);
		assert_null(strstr(page, "<script>"));
		free(page);
		result_done(&a);
		result_done(&b);
	}
}

/* More cells than are shown: the page says so. */
static void many_cells(void **state)
{
	static const size_t ios[] = {100, 0};
	struct result a;
	struct run_comparison comparison;
	struct run_pair *pairs;
	char *page;

	(void)state;
	run_fixture_start(&a, "a");
	run_fixture_workload(&a, "reader");
	run_fixture_reads(&a, "reader", "", "rw=randread size=64m bs=4k", ios);
	run_fixture_compare(&a, &a, &comparison);
	pairs = comparison.pairs;
	comparison.pairs = calloc(401, sizeof(*pairs));
	assert_non_null(comparison.pairs);
	for (size_t i = 0; i < 401; i++)
		comparison.pairs[i] = pairs[0];
	comparison.pair_count = 401;
	page = page_comparison(&comparison, NULL);
	assert_non_null(page);
	has(page, "The first 400 of 401 cells");
	free(page);
	comparison.pair_count = 400;
	page = page_comparison(&comparison, NULL);
	assert_null(strstr(page, "The first 400"));
	free(page);
	free(comparison.pairs);
	comparison.pairs = pairs;
	comparison.pair_count = 1;
	run_comparison_done(&comparison);
	result_done(&a);
}

/* Marks lie left of the line for less, right of it for more, and never beyond the cell. */
static void marks(void **state)
{
	struct result a, b;
	struct run_comparison comparison;
	struct run_ratio *ratio;
	struct html *html;
	double scale;
	char *text;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_plain(&b, "b", 0.5);
	run_fixture_compare(&a, &b, &comparison);
	scale = compare_marks_scale(&comparison, 1);
	assert_true(scale > log(2) && scale < log(2.2));
	assert_true(compare_marks_scale(&comparison, 2) == 0); /* there is no such run */
	ratio = &comparison.pairs[0].ratios[0];
	ratio->welch = (struct welch){.ratio = 2, .interval = true, .low = 0.001, .high = 1000};
	html = html_new();
	html_open(html, "tr", NULL);
	compare_mark(ratio, log(2), html);
	ratio->welch.ratio = 0; /* not known: nothing is drawn */
	compare_mark(ratio, log(2), html);
	html_close(html, "tr");
	text = html_finish(html, NULL);
	assert_non_null(text);
	has(text, "x1=\"6.0\" x2=\"174.0\"");
	has(text, "cx=\"174.0\"");
	has(text, "<td class=\"marks\"></td>");
	free(text);
	/* one interval much wider than any change does not make all changes look alike */
	ratio->welch = (struct welch){.ratio = 1.1, .interval = true, .low = 1e-9, .high = 1e9};
	assert_true(compare_marks_scale(&comparison, 1) < log(2) * 2.6);
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worse_and_unfair),
		cmocka_unit_test(nothing_in_common),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(many_cells),
		cmocka_unit_test(marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
