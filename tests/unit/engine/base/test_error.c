/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/base/error.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/error.h"

static void a_field_is_a_line_without_control_characters(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(error_set(&err, ERROR_UNKNOWN_FIELD,
				   "/\x1b[31m\xff\nvolbench: fine\tgrößer", "none"),
			 -EINVAL);
	assert_string_equal(err.field, "/?[31m??volbench: fine?größer");
	error_prefix_field(&err, "/a\x1b\n\u202e");
	assert_string_equal(err.field, "/a\?\?\?/?[31m??volbench: fine?größer");
	assert_int_equal(error_set(&err, ERROR_BAD_VALUE, err.field, "its own"), -EINVAL);
	assert_string_equal(err.field, "/a\?\?\?/?[31m??volbench: fine?größer");
}

static void a_long_field_is_cut_between_characters(void **state)
{
	struct error err;
	char field[ERROR_FIELD_MAX + 3];

	(void)state;
	for (size_t lead = 1; lead <= 2; lead++) {
		size_t used = lead;

		memset(field, 'a', lead);
		for (; used + 2 < sizeof(field); used += 2)
			memcpy(field + used, "ö", 2);
		field[used] = '\0';
		(void)error_set(&err, ERROR_BAD_VALUE, field, "long");
		assert_true(strlen(err.field) + 2 >= ERROR_FIELD_MAX - 1);
		assert_memory_equal(err.field, field, strlen(err.field));
		assert_int_equal((strlen(err.field) - lead) % 2, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_is_a_line_without_control_characters),
		cmocka_unit_test(a_long_field_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
