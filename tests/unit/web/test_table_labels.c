/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_table_labels.c - cells of stacked tables know their column's head; all else stays. */
#include "web/table_labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/web/xml.h"

static char *labelled(const char *page)
{
	char *copy = strdup(page), *text;
	size_t size = 0;

	assert_non_null(copy);
	text = table_labels(copy, &size);
	assert_non_null(text);
	assert_int_equal(size, strlen(text));
	return text;
}

static void assert_becomes(const char *page, const char *expected)
{
	char *text = labelled(page);

	assert_string_equal(text, expected);
	free(text);
}

#define HEADS "<thead><tr><th scope=\"col\">A</th><th>4K</th><th>8K</th></tr></thead><tbody>"

static void test_cells_get_their_heads(void **state)
{
	(void)state;
	assert_becomes("<p>x</p><table class=\"study stack\">" HEADS
		       "<tr><th>w</th><td class=\"number\">1</td><td>2</td></tr>"
		       "<tr id=\"w2\"><th>v</th><td><b>3</b></td><td>4</td></tr></tbody></table>!",
		       "<p>x</p><table class=\"study stack\">" HEADS
		       "<tr><th>w</th><td data-l=\"4K\" class=\"number\">1</td>"
		       "<td data-l=\"8K\">2</td></tr>"
		       "<tr id=\"w2\"><th>v</th><td data-l=\"4K\"><b>3</b></td>"
		       "<td data-l=\"8K\">4</td></tr></tbody></table>!");
}

/* Tags of a head are left out, its parts stand apart, what was escaped stays so. */
static void test_heads_of_several_parts(void **state)
{
	(void)state;
	assert_becomes("<table class=\"stack\"><thead><tr><th>a_<wbr/>b &lt;&quot;<span>axis</span>"
		       "</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
		       "<table class=\"stack\"><thead><tr><th>a_<wbr/>b &lt;&quot;<span>axis</span>"
		       "</th></tr></thead><tbody><tr><td data-l=\"a_b &lt;&quot; axis\">1</td></tr>"
		       "</tbody></table>");
}

static void test_what_stays(void **state)
{
	static const char *const pages[] = {
		"",
		"<p>no table</p>",
		"<table>" HEADS "<tr><td>1</td></tr></tbody></table>",
		"<table class=\"haystacks\">" HEADS "<tr><td>1</td></tr></tbody></table>",
		"<table class=\"x\" title=\"y\">" HEADS "<tr><td>stack</td></tr></tbody></table>",
		"<table class=\"stack\"><tbody><tr><td>1</td></tr></tbody></table>", /* no heads */
		"<table class=\"stack\"><thead><tr><th></th></tr></thead><tbody><tr><td>1</td></tr>"
		"</tbody></table>", /* an empty one */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		assert_becomes(pages[i], pages[i]);
	assert_null(table_labels(NULL, NULL));
}

/* Cells beyond the heads, and heads beyond the limit, have no label. */
static void test_limits(void **state)
{
	char *page, *text;
	size_t size, labels = 0;
	FILE *file = open_memstream(&page, &size);

	(void)state;
	(void)fputs("<table class=\"stack\"><thead><tr>", file);
	for (int i = 0; i <= TABLE_LABELS_MAX; i++)
		(void)fprintf(file, "<th>h%d</th>", i);
	(void)fputs("</tr></thead><tbody><tr>", file);
	for (int i = 0; i <= TABLE_LABELS_MAX + 1; i++)
		(void)fputs("<td>1</td>", file);
	(void)fputs("</tr></tbody></table>", file);
	assert_int_equal(fclose(file), 0);
	text = labelled(page);
	assert_true(xml_valid(text, strlen(text)));
	for (const char *at = text; (at = strstr(at, "data-l=")); at++)
		labels++;
	assert_int_equal(labels, TABLE_LABELS_MAX);
	assert_non_null(strstr(text, "data-l=\"h127\""));
	assert_null(strstr(text, "data-l=\"h128\""));
	free(text);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cells_get_their_heads),
		cmocka_unit_test(test_heads_of_several_parts),
		cmocka_unit_test(test_what_stays),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
