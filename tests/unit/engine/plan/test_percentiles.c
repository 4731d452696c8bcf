/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_percentiles.c - percentile_list as it may be written, and what is made of several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/macros.h"
#include "engine/plan/percentiles.h"

static void expect(const struct percentiles *list, const double *values, size_t count)
{
	assert_int_equal(list->count, count);
	for (size_t i = 0; i < count; i++)
		assert_true(list->values[i] == values[i]);
}

static void lists_are_read(void **state)
{
	static const double some[] = {0.000001, 50, 99, 99.9, 99.999999};
	static const double one[] = {5};
	struct percentiles list;
	struct error err;

	(void)state;
	assert_int_equal(percentiles_parse("99:50:99.9:0.000001:99.999999:50.0", &list, &err), 0);
	expect(&list, some, ARRAY_SIZE(some));
	assert_int_equal(percentiles_parse("5", &list, &err), 0);
	expect(&list, one, 1);
	assert_int_equal(percentiles_parse("1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20",
					   &list, &err),
			 0);
	assert_int_equal(list.count, 20);
}

static void bad_lists_are_refused(void **state)
{
	static const char *const bad[] = {"",	   ":",	    "50:",	  ":50",   "0",	  "0.0",
					  "100",   "100.0", "101",	  "-1",	   "5%",  "50,99",
					  "99..9", "99.",   ".5",	  "1e1",   " 50", "nan",
					  "0x10",  "inf",   "99.9999999", "50::99"};
	struct percentiles list;
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (percentiles_parse(bad[i], &list, &err) == 0)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_int_equal(err.code, ERROR_BAD_VALUE);
		assert_string_equal(err.field, "percentile_list");
		assert_non_null(strstr(err.message, "50:99:99.9"));
	}
	assert_true(percentiles_parse("1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21",
				      &list, &err) < 0);
	assert_int_equal(err.code, ERROR_TOO_MANY);
}

static void a_workload_has_its_own_or_the_standard(void **state)
{
	static const double standard[] = {50, 99};
	static const double own[] = {10, 90};
	static const double both[] = {10, 50, 90, 99};
	struct percentiles list, more;
	struct workload workload;
	struct error err;

	(void)state;
	workload_init(&workload);
	percentiles_of(&workload, standard, 2, &list);
	expect(&list, standard, 2);
	assert_int_equal(option_parse(option_find("percentile_list"), "90:10", &workload, &err), 0);
	percentiles_of(&workload, standard, 2, &more);
	expect(&more, own, 2);
	percentiles_join(&list, &more);
	percentiles_join(&list, &more);
	expect(&list, both, 4);
	assert_true(percentiles_has(&list, 90));
	assert_false(percentiles_has(&list, 90.5));
	assert_false(percentiles_has(&list, 99.5));
	workload_done(&workload);
}

static void a_workload_is_not_complete_with_a_bad_one(void **state)
{
	struct workload workload;
	struct error err;

	(void)state;
	workload_init(&workload);
	assert_int_equal(option_parse(option_find("percentile_list"), "50:100", &workload, &err),
			 0);
	assert_true(workload_complete(&workload, &err) < 0);
	assert_string_equal(err.field, "percentile_list");
	assert_non_null(strstr(err.message, "\"100\""));
	workload_done(&workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read),
		cmocka_unit_test(bad_lists_are_refused),
		cmocka_unit_test(a_workload_has_its_own_or_the_standard),
		cmocka_unit_test(a_workload_is_not_complete_with_a_bad_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
