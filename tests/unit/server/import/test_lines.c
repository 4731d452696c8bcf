/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_lines.c - pieces of a text. */
#include "server/import/lines.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct piece piece(const char *text)
{
	return (struct piece){text, strlen(text)};
}

static void assert_piece(struct piece found, const char *text)
{
	assert_int_equal(found.size, strlen(text));
	assert_memory_equal(found.text, text, found.size);
}

static void test_lines(void **state)
{
	struct piece rest = piece("one\r\n\n  two \t\nthree"), line;

	(void)state;
	assert_true(lines_next(&rest, &line));
	assert_piece(line, "one");
	assert_true(lines_next(&rest, &line));
	assert_piece(line, "");
	assert_true(lines_next(&rest, &line));
	assert_piece(line, "two");
	assert_true(lines_next(&rest, &line));
	assert_piece(line, "three");
	assert_false(lines_next(&rest, &line));
	rest = piece("\n");
	assert_true(lines_next(&rest, &line));
	assert_false(lines_next(&rest, &line));
}

static void test_words(void **state)
{
	struct piece before, behind;

	(void)state;
	assert_true(lines_begin(piece("total: 5"), "total:"));
	assert_false(lines_begin(piece("tot"), "total:"));
	assert_true(lines_are(piece("Read IO"), "Read IO"));
	assert_false(lines_are(piece("Read IOs"), "Read IO"));
	assert_piece(lines_behind(piece("total:  5 |"), "total:"), "5 |");
	assert_true(lines_part(piece("a = b = c"), '=', &before, &behind));
	assert_piece(before, "a");
	assert_piece(behind, "b = c");
	assert_false(lines_part(piece("abc"), '=', &before, &behind));
}

static void test_finds(void **state)
{
	struct piece rest = piece(" a  bc\t"), word, behind;
	char *copy;

	(void)state;
	assert_true(lines_word(&rest, &word));
	assert_piece(word, "a");
	assert_true(lines_word(&rest, &word));
	assert_piece(word, "bc");
	assert_false(lines_word(&rest, &word));
	assert_true(lines_find(piece("5 bytes copied, 3 s"), " copied, ", &behind));
	assert_piece(behind, "3 s");
	assert_false(lines_find(piece("5 bytes"), " copied, ", &behind));
	copy = lines_copy((struct piece){"a\x01\xff"
					 "bc",
					 4});
	assert_string_equal(copy, "a??b");
	free(copy);
}

static void test_cells(void **state)
{
	struct piece cells[3];

	(void)state;
	assert_int_equal(lines_cut(piece("a | b|"), '|', cells, 3), 3);
	assert_piece(cells[0], "a");
	assert_piece(cells[1], "b");
	assert_piece(cells[2], "");
	assert_int_equal(lines_cut(piece("a,b,c,d"), ',', cells, 3), 3);
	assert_piece(cells[2], "c");
	assert_int_equal(lines_cut(piece(""), ',', cells, 3), 1);
	assert_piece(cells[0], "");
}

static void test_counts(void **state)
{
	uint64_t count = 0;

	(void)state;
	assert_int_equal(lines_count(piece("18446744073709551615"), &count), 0);
	assert_true(count == UINT64_MAX);
	assert_int_equal(lines_count(piece("18446744073709551616"), &count), -EINVAL);
	assert_int_equal(lines_count(piece("99999999999999999999999"), &count), -EINVAL);
	assert_int_equal(lines_count(piece(""), &count), -EINVAL);
	assert_int_equal(lines_count(piece("1x"), &count), -EINVAL);
	assert_int_equal(lines_count(piece("-1"), &count), -EINVAL);
}

static void test_wide(void **state)
{
	static const char wide[] = "\xff\xfe"
				   "a\0\xe4\0"
				   "b\x01"
				   "c"; /* and a NUL */
	size_t size = 0;
	char *narrow;

	(void)state;
	assert_true(lines_wide(wide, 2));
	assert_false(lines_wide(wide, 1));
	assert_false(lines_wide("\xfe\xff", 2));
	narrow = lines_narrow(wide, sizeof(wide), &size);
	assert_int_equal(size, 4);
	assert_string_equal(narrow, "a??c");
	free(narrow);
	narrow = lines_narrow(wide, 3, &size); /* half a character */
	assert_int_equal(size, 0);
	free(narrow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),  cmocka_unit_test(test_words),
		cmocka_unit_test(test_cells),  cmocka_unit_test(test_finds),
		cmocka_unit_test(test_counts), cmocka_unit_test(test_wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
