/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_analysis_memory.c - an analysis with the n-th allocation failing, for every n: no crash, no
 * leak (ASan), and an answer that says so.
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/stopping.h"
#include "tests/unit/engine/analysis/blocks_fixture.h"
#include "tests/unit/failing_allocation.h"

static int analyse(const struct result *result)
{
	struct analysis analysis;
	int r = analysis_make(result, &analysis);

	if (r == 0)
		analysis_done(&analysis);
	return r;
}

static int look(const struct result *result)
{
	double half;
	bool enough;

	return stopping_reached(result, 5, 5, &enough, &half);
}

/* Until one goes well; how many there are. */
static size_t every_allocation(int (*call)(const struct result *), const struct result *result)
{
	for (size_t n = 0; n < 5000; n++) {
		int r;

		failing_left = n;
		r = call(result);
		failing_left = SIZE_MAX;
		if (r == 0)
			return n;
		assert_int_equal(r, -ENOMEM);
	}
	fail();
	return 0;
}

static void every_allocation_may_fail(void **state)
{
	struct result result;

	(void)state;
	blocks_make(&result, 2, 3, 3);
	for (size_t i = 0; i < result.sample_count; i++)
		blocks_set(&result.samples[i], 1000000 + (double)(i * 7919 % 4999));
	assert_true(every_allocation(analyse, &result) > 30);
	assert_true(every_allocation(look, &result) > 20);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
