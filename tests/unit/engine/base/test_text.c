/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/base/text.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"

static void short_texts_are_quoted_whole(void **state)
{
	char buffer[TEXT_EXCERPT_MAX], exact[TEXT_EXCERPT_MAX];

	(void)state;
	assert_string_equal(text_excerpt("", buffer), "");
	assert_string_equal(text_excerpt("größe", buffer), "größe");
	memset(exact, 'a', sizeof(exact) - 1);
	exact[sizeof(exact) - 1] = '\0';
	assert_string_equal(text_excerpt(exact, buffer), exact);
}

static void long_texts_are_cut_between_characters(void **state)
{
	char buffer[TEXT_EXCERPT_MAX], text[3 * TEXT_EXCERPT_MAX];

	(void)state;
	for (size_t lead = 0; lead < 4; lead++) {
		memset(text, 0, sizeof(text));
		memset(text, 'a', lead);
		for (size_t i = lead; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "€", 3);
		text_excerpt(text, buffer);
		assert_true(strlen(buffer) < sizeof(buffer));
		assert_true(strlen(buffer) > sizeof(buffer) - 8);
		assert_string_equal(buffer + strlen(buffer) - 3, "...");
		assert_true(text_printable(buffer));
	}
}

static void control_and_broken_bytes_become_marks(void **state)
{
	char buffer[TEXT_EXCERPT_MAX], small[4];

	(void)state;
	assert_string_equal(text_excerpt("a\nb\x1b[m\x7f", buffer), "a?b?[m?");
	assert_string_equal(text_excerpt("a\xff\xc3", buffer), "a??");
	assert_string_equal(text_clean("a\xff\n\x01€", buffer, sizeof(buffer)), "a?\n?€");
	assert_string_equal(text_clean("a€b", small, sizeof(small)), "a");
	assert_string_equal(text_clean("a\u202eb\u2066\ufeff", buffer, sizeof(buffer)), "a?b??");
}

static void characters_are_well_formed_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} table[] = {
		{"", 0},
		{"a", 1},
		{"ä", 2},
		{"€", 3},
		{"😀", 4},
		{"\xc0\x80", 0},
		{"\xe0\x80\x80", 0},
		{"\xed\xa0\x80", 0},
		{"\xf4\x90\x80\x80", 0},
		{"\x80", 0},
		{"\xe2\x82", 0},
		{"\xf5\x80\x80\x80", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_int_equal(text_character(table[i].text), table[i].length);
}

static void names_must_be_printable(void **state)
{
	static const char *const bad[] = {"a\nb",	  "\t",		  "\x7f",
					  "\xc2\x85",	  "\xe2\x80\xa8", "\xe2\x80\xae",
					  "\xe2\x81\xa6", "\xef\xbb\xbf", "\xff"};

	(void)state;
	assert_true(text_printable(""));
	assert_true(text_printable("Exchange <b> 'x' ∑ 😀"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(text_printable(bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_texts_are_quoted_whole),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(control_and_broken_bytes_become_marks),
		cmocka_unit_test(characters_are_well_formed_utf8),
		cmocka_unit_test(names_must_be_printable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
