/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_awaited.c - for how many completions a reactor waits, and for how long: seen by a backend
 * in io_uring's place that completes as many as are waited for, in order, and no more.
 *
 * link: -Wl,--wrap=uring_open
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/backend.h"
#include "engine/io/measure.h"

#define SLOTS 256
#define OPERATIONS 4096 /* in one measurement */

static struct request requests[SLOTS];
static uint32_t queue[SLOTS], told;
static struct completion completions[SLOTS];
static uint32_t most, least, zero_waits; /* waited for, before the end made it less */
static uint32_t largest;		 /* batch */
/* Outstanding after a batch and just before the next, where there is something in between. */
static uint32_t peak, trough, refills;
static bool drained;
static uint64_t longest_ns;

static int exchange(struct backend *backend, unsigned int count, unsigned int wait_for,
		    uint64_t timeout_ns)
{
	backend->completed += told;
	told = 0;
	if (backend->submitted < OPERATIONS - SLOTS) {
		uint32_t outstanding = backend->submitted - backend->completed;

		largest = count > largest ? count : largest;
		if (count > 0 && drained) {
			refills++;
			trough = outstanding > trough ? outstanding : trough;
		}
		drained = count == 0;
		peak = outstanding + count > peak ? outstanding + count : peak;
	}
	backend->submitted += count;
	if (backend->submitted < OPERATIONS) {
		most = wait_for > most ? wait_for : most;
		least = wait_for > 0 && wait_for < least ? wait_for : least;
		zero_waits += wait_for == 0;
		longest_ns = wait_for > 1 && timeout_ns > longest_ns ? timeout_ns : longest_ns;
	}
	for (; told < wait_for; told++) {
		uint32_t place = backend->completed + told;
		uint32_t slot = backend->queue[place & backend->queue_mask];

		/* Only what was handed over can complete. */
		assert_true((int32_t)(backend->submitted - place) > 0);
		completions[place & backend->completion_mask] =
			(struct completion){.slot = slot, .result = (int32_t)requests[slot].length};
	}
	return (int)told;
}

static void cancel(struct backend *backend, uint32_t slot)
{
	(void)backend;
	(void)slot; /* it is never stopped */
}

static void close_backend(struct backend *backend)
{
	free(backend);
}

static const struct backend_ops ops = {
	.exchange = exchange, .cancel = cancel, .close = close_backend};

int __wrap_uring_open(const struct backend_config *config, struct backend **ret_backend,
		      struct error *err);

int __wrap_uring_open(const struct backend_config *config, struct backend **ret_backend,
		      struct error *err)
{
	struct backend *backend = calloc(1, sizeof(*backend));

	(void)err;
	assert_non_null(backend);
	assert_true(config->slots <= SLOTS);
	*backend = (struct backend){.ops = &ops,
				    .requests = requests,
				    .queue = queue,
				    .completions = completions,
				    .queue_mask = SLOTS - 1,
				    .completion_mask = SLOTS - 1,
				    .arena = config->arena,
				    .features = "a test's"};
	for (uint8_t kind = 0; kind < REQUEST_KIND_COUNT; kind++)
		backend->opcodes[kind] = kind;
	told = most = zero_waits = largest = peak = trough = refills = 0;
	drained = false;
	least = UINT32_MAX;
	longest_ns = 0;
	*ret_backend = backend;
	return 0;
}

static uint64_t batch, low; /* options of the next measurement */

/* One job at a depth; what the sample says of the backend. */
static void measure(uint64_t depth, uint64_t batch_complete_min, bool steps, char *ret_features,
		    size_t size)
{
	struct measure_region region = {.length = OPERATIONS * 4096};
	struct workload workload;
	struct measure_spec spec = {.workload = &workload,
				    .backend = BACKEND_IO_URING,
				    .region_count = 1,
				    .regions = &region};
	struct sample sample;
	struct error err;

	workload_init(&workload);
	workload.rw = RW_RANDWRITE;
	workload.bs[0] = workload.bs[1] = 4096;
	workload.size = OPERATIONS * 4096;
	workload.iodepth = depth;
	workload.batch_complete_min = batch_complete_min;
	workload.batch = batch;
	workload.iodepth_low = low;
	workload.fdatasync = steps ? 1000000 : 0;
	workload.numjobs = 1;
	workload.group_reporting = workload.refill_buffers = true;
	sample_init(&sample);
	assert_int_equal(measure_run(&spec, &sample, &err), 0);
	assert_int_equal(sample.directions[DIRECTION_WRITE].ios, OPERATIONS);
	(void)snprintf(ret_features, size, "%s", sample.backend_reason);
	sample_done(&sample);
	workload_done(&workload);
}

static void test_one_at_a_time(void **unused)
{
	char features[BACKEND_FEATURES_MAX];

	(void)unused;
	for (int steps = 0; steps < 2; steps++) {
		measure(128, 1, steps, features, sizeof(features));
		assert_int_equal(most, 1);
		assert_int_equal(least, 1);
		assert_null(strstr(features, "waits"));
	}
}

static void test_as_asked(void **unused)
{
	char features[BACKEND_FEATURES_MAX];

	(void)unused;
	for (int steps = 0; steps < 2; steps++) {
		measure(32, 20, steps, features, sizeof(features));
		assert_int_equal(most, 20);
		assert_int_equal(least, 20);
		assert_int_equal(longest_ns / NS_PER_MS, 50);
		assert_non_null(strstr(features, ", waits for 20 completions"));
	}
}

/* While slots are idle that may be handed over at once, there is no waiting. */
static void test_idle_slots_first(void **unused)
{
	char features[BACKEND_FEATURES_MAX];

	(void)unused;
	measure(128, 1, false, features, sizeof(features));
	assert_int_equal(zero_waits, 3); /* batches of 32: the fourth waits */
}

static void test_batches(void **unused)
{
	char features[BACKEND_FEATURES_MAX];

	(void)unused;
	for (int steps = 0; steps < 2; steps++) {
		measure(32, 1, steps, features, sizeof(features));
		assert_int_equal(largest, 16); /* half the depth */
		batch = 3;
		measure(32, 1, steps, features, sizeof(features));
		assert_int_equal(largest, 3);
		batch = 32;
		measure(64, 32, steps, features, sizeof(features));
		assert_int_equal(largest, 32);
		batch = 0;
	}
}

/* Filled to its depth, drained to iodepth_low one by one, filled again. */
static void test_low_water(void **unused)
{
	char features[BACKEND_FEATURES_MAX];

	(void)unused;
	for (int steps = 0; steps < 2; steps++) {
		low = 4;
		measure(16, 1, steps, features, sizeof(features));
		assert_int_equal(peak, 16);
		assert_int_equal(trough, 4);
		assert_in_range(refills, (OPERATIONS - SLOTS) / 12 - 2, OPERATIONS / 12 + 2);
		assert_int_equal(most, 1); /* each completion is seen when it comes */
		assert_non_null(strstr(features, ", refilled at 4 outstanding"));
		low = 16; /* as much as its depth: never held back */
		measure(16, 1, steps, features, sizeof(features));
		assert_null(strstr(features, "refilled"));
		low = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_at_a_time),	 cmocka_unit_test(test_as_asked),
		cmocka_unit_test(test_idle_slots_first), cmocka_unit_test(test_batches),
		cmocka_unit_test(test_low_water),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
