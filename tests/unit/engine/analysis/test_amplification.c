/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_amplification.c - levels shown to make the disks write more: by repeats, not by overlap. */
#include "engine/analysis/amplification.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/engine/analysis/blocks_fixture.h"

#define LEVELS 3
#define REPEATS 5

/* The sample wrote so much, and the disks `times` as much. */
static void writes(struct sample *sample, double times)
{
	sample->directions[DIRECTION_WRITE] = sample->directions[DIRECTION_READ];
	sample->directions[DIRECTION_READ] = (struct direction_result){0};
	sample->zfs = calloc(1, sizeof(*sample->zfs));
	assert_non_null(sample->zfs);
	sample->zfs->pool =
		(struct zfs_pool_delta){.known = times > 0,
					.written_bytes = (uint64_t)llround(fabs(times) * 1e9),
					.asked_written_bytes = UINT64_C(1000000000)};
}

/* times[level], moved in each repeat as drift does (all levels alike), by as much again of noise.
 */
static void make(struct result *result, unsigned int repeats, const double *times, double drift,
		 double noise)
{
	static const double shares[REPEATS] = {0, 1, -1, 0.5, -0.5};

	blocks_make(result, 1, LEVELS, repeats);
	for (size_t i = 0; i < result->sample_count; i++) {
		size_t level = i % LEVELS, block = i / LEVELS;
		double moved =
			1 + drift * shares[block] + noise * shares[(block + level) % REPEATS];

		writes(&result->samples[i], times[level] * moved);
	}
}

static void assert_low(const struct result *result, bool first, bool second, bool third)
{
	struct analysis analysis;
	bool *low;

	assert_int_equal(analysis_make(result, &analysis), 0);
	assert_int_equal(amplification_low(&analysis, &low), 0);
	assert_int_equal(low[0], first);
	assert_int_equal(low[1], second);
	assert_int_equal(low[2], third);
	free(low);
	analysis_done(&analysis);
}

/* Drift moves whole repeats by 40 %, so that intervals of means overlap: 10 % is shown all the
 * same. */
static void drift_hides_nothing(void **state)
{
	static const double times[] = {2, 2.2, 3};
	struct result result;

	(void)state;
	make(&result, REPEATS, times, 0.4, 0.001);
	assert_low(&result, true, false, false);
	result_done(&result);
}

/* A difference within the noise is none. */
static void noise_shows_nothing(void **state)
{
	static const double times[] = {2.01, 2, 4};
	struct result result;

	(void)state;
	make(&result, REPEATS, times, 0, 0.05);
	assert_low(&result, true, true, false);
	result_done(&result);
}

static void single_samples_show_nothing(void **state)
{
	static const double times[] = {2, 4, 8};
	struct result result;

	(void)state;
	make(&result, 1, times, 0, 0);
	assert_low(&result, true, true, true);
	result_done(&result);
}

/* Without the figure a level is not among the lowest; of none nothing is told. */
static void what_is_not_known_is_not_low(void **state)
{
	static const double times[] = {2, -1, 8}, unknown[] = {-1, -1, -1};
	struct result result;

	(void)state;
	make(&result, REPEATS, times, 0, 0.001);
	assert_low(&result, true, false, false);
	result_done(&result);
	make(&result, REPEATS, unknown, 0, 0);
	assert_low(&result, false, false, false);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drift_hides_nothing),
		cmocka_unit_test(noise_shows_nothing),
		cmocka_unit_test(single_samples_show_nothing),
		cmocka_unit_test(what_is_not_known_is_not_low),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
