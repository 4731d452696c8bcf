/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_html.c - what comes in as text goes out as text. */
#include "web/html.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/web/hostile.h"
#include "tests/unit/web/xml.h"

static void test_escapes(void **state)
{
	struct html *html = html_new();
	char *page;

	(void)state;
	html_open(html, "p", "title", "a\"b'c<d>&\n", "hidden", NULL, "id", "x", NULL);
	html_text(html, "a\"b'c<d>&\n");
	html_textf(html, "%s=%d", "<n>", 5);
	html_void(html, "br", NULL);
	html_element(html, "b", NULL, NULL);
	html_raw(html, "<i>raw</i>");
	html_close(html, "p");
	page = html_finish(html, NULL);
	assert_string_equal(page, "<p title=\"a&quot;b&#39;c&lt;d&gt;&amp;&#10;\" id=\"x\">"
				  "a&quot;b&#39;c&lt;d&gt;&amp;\n&lt;n&gt;=5<br/><b></b>"
				  "<i>raw</i></p>\n");
	free(page);
}

static void test_bad_characters(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe"},
		{"a\x80z", "a\xef\xbf\xbdz"},
		{"\xc0\xbc", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\x1b\x07", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe2\x80\xae", "\xef\xbf\xbd"},
		{"\xef\xbf\xbf", "\xef\xbf\xbd"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct html *html = html_new();
		char *page;
		size_t size;

		html_text(html, cases[i].in);
		page = html_finish(html, &size);
		assert_non_null(page);
		assert_int_equal(size, strlen(cases[i].out) + 1);
		assert_memory_equal(page, cases[i].out, size - 1);
		free(page);
	}
}

static void test_addresses(void **state)
{
	static const struct {
		const char *in;
		bool ok;
	} cases[] = {
		{"result.json", true},	       {"/runs/1/", true},   {"#a:b", true},
		{"https://example.org", true}, {"HTTP://x", true},   {"a/b:c", true},
		{"javascript:x", false},       {"data:x", false},    {" javascript:x", false},
		{"java\nscript:x", false},     {"file:/x", false},   {"\\\\host\\x", false},
		{"JAVASCRIPT:x", false},       {"vbscript:", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct html *html = html_new();
		char *page;

		html_void(html, "a", "href", cases[i].in, NULL);
		page = html_finish(html, NULL);
		assert_int_equal(strcmp(page, "<a href=\"#\"/>\n") != 0, cases[i].ok);
		free(page);
	}
}

static void test_hostile_texts_stay_texts(void **state)
{
	(void)state;
	assert_true(ARRAY_SIZE(hostile_texts) >= 24);
	for (size_t i = 0; i < ARRAY_SIZE(hostile_texts); i++) {
		struct html *html = html_new();
		char *page;
		size_t size;

		html_open(html, "p", "title", hostile_texts[i], NULL);
		html_text(html, hostile_texts[i]);
		html_element(html, "a", hostile_texts[i], "href", hostile_texts[i], NULL);
		html_close(html, "p");
		page = html_finish(html, &size);
		assert_non_null(page);
		assert_true(xml_valid(page, size));
		assert_null(strstr(page, "<script"));
		assert_null(strstr(page, "href=\"javascript"));
		assert_null(strchr(page, '\''));
		free(page);
	}
}

static void test_names(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"", "\n"},
		{"a", "a\n"},
		{"a_b", "a_<wbr/>b\n"},
		{"a_", "a_\n"},
		{"<a>/b", "&lt;a&gt;/<wbr/>b\n"},
	};
	char longest[600];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct html *html = html_new();
		char *page;

		html_name(html, cases[i].in);
		page = html_finish(html, NULL);
		assert_string_equal(page, cases[i].out);
		free(page);
	}
	/* Characters of two bytes at every offset against the piece's end. */
	for (size_t start = 0; start < 3; start++) {
		struct html *html = html_new();
		char *page;
		size_t size;

		memset(longest, 'x', start);
		for (size_t i = start; i + 2 < sizeof(longest); i += 2)
			memcpy(longest + i, "\xc3\xa9", 3);
		html_name(html, longest);
		page = html_finish(html, &size);
		assert_int_equal(size, strlen(longest) + 1);
		assert_memory_equal(page, longest, size - 1);
		free(page);
	}
}

static void test_xml_judge_can_refuse(void **state)
{
	(void)state;
	assert_false(xml_valid("<p>", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),	  cmocka_unit_test(test_bad_characters),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_hostile_texts_stay_texts),
		cmocka_unit_test(test_names),	  cmocka_unit_test(test_xml_judge_can_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
