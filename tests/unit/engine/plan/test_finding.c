/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/finding.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/finding.h"

static void a_finding_may_name_several_workloads(void **state)
{
	char first[] = "first", second[] = "second";
	char *names[] = {first, second};
	const struct finding finding = {
		.code = first, .workload_count = 2, .workloads = names, .message = second};
	struct findings findings;

	(void)state;
	findings_init(&findings);
	assert_int_equal(findings_append(&findings, &finding), 0);
	first[0] = second[0] = 'x';
	assert_int_equal(findings.list[0].workload_count, 2);
	assert_string_equal(findings.list[0].workloads[0], "first");
	assert_string_equal(findings.list[0].workloads[1], "second");
	findings_done(&findings);
}

static void findings_are_kept_in_order_as_copies(void **state)
{
	struct findings findings, copy;
	char code[] = "first";

	(void)state;
	findings_init(&findings);
	findings_init(&copy);
	assert_int_equal(findings_add(&findings, FINDING_WARNING, code, "w", NULL, "1", NULL,
				      "%d of %s", 3, "four"),
			 0);
	code[0] = 'x';
	assert_int_equal(
		findings_add(&findings, FINDING_INFO, "second", NULL, "bs=4k", NULL, "2", "text"),
		0);
	assert_int_equal(findings_copy(&findings, &copy), 0);
	assert_int_equal(findings_copy(&findings, &copy), 0);
	findings_done(&findings);
	assert_int_equal(findings.count, 0);
	assert_int_equal(copy.count, 4);
	assert_string_equal(copy.list[2].code, "first");
	assert_string_equal(copy.list[2].message, "3 of four");
	assert_int_equal(copy.list[2].workload_count, 1);
	assert_string_equal(copy.list[2].workloads[0], "w");
	assert_string_equal(copy.list[2].expected, "1");
	assert_null(copy.list[2].found);
	assert_string_equal(copy.list[3].cell, "bs=4k");
	assert_string_equal(finding_severity_names[copy.list[3].severity], "info");
	findings_done(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings_are_kept_in_order_as_copies),
		cmocka_unit_test(a_finding_may_name_several_workloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
