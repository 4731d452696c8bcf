/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_checks_memory.c - the checks of imported samples with the n-th allocation failing, for every
 * n: no crash, no leak (ASan), and an answer that says so.
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/checks.h"
#include "engine/analysis/checks_result.h"
#include "tests/unit/engine/analysis/told_fixture.h"
#include "tests/unit/failing_allocation.h"

/* Something of each finding that looks at several samples, and of some that look at one. */
static void faulty(struct result *result)
{
	static const char options[] = "rw=randread bs=8k size=1g numjobs=2 iodepth=4 runtime=10";
	static const char *const figures[][2] = {
		{"24100", "188"}, {"25900", "188"}, {"27800", "188"}, {"30800", "188"},
		{"33000", "258"}, {"33300", "188"}, {"10000", "200"},
	};

	told_begin(result);
	told_factor(result, "volblocksize", "0 1 2 3 4 5 6 7");
	told_workload(result, "w", options);
	told_fact(result, "network", "1 GbE");
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		char level[] = "volblocksize=0";
		struct sample *sample;

		level[sizeof(level) - 2] = (char)('0' + i);
		sample = told_add(result, "w", options, level);
		told_rates(sample, DIRECTION_READ, figures[i][0], figures[i][1]);
		sample->source->memory_bytes = UINT64_C(8) << 30;
		sample->source->given = fixture_text("--iodepth=4");
		sample->source->directions[DIRECTION_READ].latency_mean = told_exactly(1e9);
		told_seconds(sample, 20);
	}
}

static int check_all(struct result *result, size_t *ret_findings)
{
	struct analysis analysis = {.result = result};
	int r = 0;

	*ret_findings = 0;
	findings_init(&analysis.findings);
	for (size_t i = 0; i < result->sample_count && r == 0; i++) {
		r = checks_sample(&result->samples[i]);
		*ret_findings += result->samples[i].findings.count;
	}
	if (r == 0)
		r = cells_make(result, &analysis.cells);
	if (r < 0)
		return r;
	r = checks_result(&analysis);
	*ret_findings += analysis.findings.count;
	findings_done(&analysis.findings);
	cells_done(&analysis.cells);
	return r;
}

static void every_allocation_may_fail(void **state)
{
	struct result result;
	size_t n = 0, found;
	int r;

	(void)state;
	do {
		faulty(&result);
		failing_left = n++;
		r = check_all(&result, &found);
		failing_left = SIZE_MAX;
		if (r < 0)
			assert_int_equal(r, -ENOMEM);
		result_done(&result);
		assert_true(n < 5000);
	} while (r < 0);
	assert_true(n > 100);
	/* of 7 samples: time, law, contradiction of 6; then memory, depth, a level that is missing,
	 * spread, copies, the link */
	assert_true(found > 7 + 7 + 6 + 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
