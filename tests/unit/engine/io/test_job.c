/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_job.c - the next operation of a job, its bound check, and what a recorder tells. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/job.h"

static struct workload workload;
static struct load load;
static struct recorder recorder;
static struct job job;

static int set_up(void **unused)
{
	(void)unused;
	workload_init(&workload);
	workload.rw = RW_WRITE;
	workload.bs[0] = workload.bs[1] = 4096;
	workload.rwmixread = 50;
	workload.numjobs = workload.iodepth = 1;
	workload.time_based = true;
	workload.refill_buffers = true;
	return load_init(&load, 10);
}

static int tear_down(void **unused)
{
	(void)unused;
	recorder_done(&recorder);
	load_done(&load);
	workload_done(&workload);
	return 0;
}

static void begin(uint64_t offset, uint64_t length)
{
	const struct measure_region region = {.fd = 3, .offset = offset, .length = length};
	struct error err;

	assert_int_equal(recorder_init(&recorder, &workload, false, &load), 0);
	assert_int_equal(job_init(&job, &workload, &region, 0, 1, &recorder, &err), 0);
}

static void test_fsync_comes_after_n_writes(void **unused)
{
	struct operation operation;

	(void)unused;
	workload.fsync = 3;
	begin(8192, 10 * 4096);
	for (unsigned int i = 0, writes = 0; i < 40; i++) {
		assert_int_equal(job_next(&job, &operation), JOB_OPERATION);
		if (i % 4 == 3) {
			assert_int_equal(operation.kind, REQUEST_SYNC);
			assert_int_equal(operation.length, 0);
			assert_int_equal(operation.offset, 0);
			continue;
		}
		assert_int_equal(operation.kind, REQUEST_WRITE);
		assert_int_equal(operation.length, 4096);
		assert_int_equal(operation.offset, 8192 + writes++ % 10 * 4096);
	}
}

/* In a mix only writes count. */
static void test_fsync_in_a_mix(void **unused)
{
	struct operation operation;
	unsigned int writes = 0, syncs = 0;

	(void)unused;
	workload.rw = RW_RANDRW;
	workload.fsync = 7;
	begin(0, 100 * 4096);
	for (unsigned int i = 0; i < 10000; i++) {
		assert_int_equal(job_next(&job, &operation), JOB_OPERATION);
		if (operation.kind == REQUEST_SYNC) {
			syncs++;
			assert_int_equal(writes, syncs * 7);
		}
		writes += operation.kind == REQUEST_WRITE;
	}
	assert_true(syncs > 500);
}

static void test_reads_have_no_fsync(void **unused)
{
	struct operation operation;

	(void)unused;
	workload.rw = RW_READ;
	workload.fsync = 1;
	begin(0, 100 * 4096);
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(job_next(&job, &operation), JOB_OPERATION);
		assert_int_equal(operation.kind, REQUEST_READ);
	}
	assert_null(recorder.histograms[REQUEST_SYNC]);
}

static void test_budget(void **unused)
{
	struct operation operation;

	(void)unused;
	workload.time_based = false;
	workload.size = 5 * 4096 + 100;
	begin(0, 5 * 4096 + 100);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(job_next(&job, &operation), JOB_OPERATION);
	assert_int_equal(job_next(&job, &operation), JOB_DONE);
	assert_int_equal(job_next(&job, &operation), JOB_DONE);
	job_window_begins(&job, 4 * 4096); /* four are outstanding: one more of the five */
	assert_int_equal(job_next(&job, &operation), JOB_OPERATION);
	assert_int_equal(job_next(&job, &operation), JOB_DONE);
}

/* What only time ends never runs out of budget. */
static void test_no_budget(void **unused)
{
	struct operation operation;

	(void)unused;
	begin(0, 5 * 4096);
	job.budget_bytes = 4095;
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(job_next(&job, &operation), JOB_OPERATION);
}

/* What completed within its submission counts in all three, with nothing after it. */
static void test_at_once(void **unused)
{
	(void)unused;
	load.start_ns = load.window_ns = 5 * NS_PER_S;
	load.deadline_ns = UINT64_MAX;
	assert_int_equal(recorder_init(&recorder, &workload, true, &load), 0);
	recorder_start(&recorder);
	histogram_add(recorder.at_once[DIRECTION_WRITE], 1000);
	histogram_add(recorder.at_once[DIRECTION_WRITE], 3000);
	histogram_add(recorder.histograms[DIRECTION_WRITE], 9000);
	histogram_add(recorder.submission[DIRECTION_WRITE], 2000);
	histogram_add(recorder.completion[DIRECTION_WRITE], 7000);
	recorder_finish(&recorder);
	recorder_finish(&recorder); /* not twice */
	assert_int_equal(recorder.histograms[DIRECTION_WRITE]->count, 3);
	assert_int_equal(recorder.histograms[DIRECTION_WRITE]->sum_ns, 13000);
	assert_int_equal(recorder.submission[DIRECTION_WRITE]->count, 3);
	assert_int_equal(recorder.submission[DIRECTION_WRITE]->sum_ns, 6000);
	assert_int_equal(recorder.completion[DIRECTION_WRITE]->count, 3);
	assert_int_equal(recorder.completion[DIRECTION_WRITE]->sum_ns, 7000);
	assert_int_equal(recorder.completion[DIRECTION_WRITE]->min_ns, 0);
	assert_int_equal(load.seconds[0].ios[DIRECTION_WRITE], 3);
}

/* A pattern that errs is not obeyed. */
static void test_outside_the_region_is_refused(void **unused)
{
	struct operation operation;
	struct error err;

	(void)unused;
	begin(1 << 20, 8 * 4096);
	job.pattern.walks[DIRECTION_WRITE].position = 7 * 4096;
	assert_int_equal(job_next(&job, &operation), JOB_OPERATION); /* the last one inside */
	assert_int_equal(operation.offset, (1 << 20) + 7 * 4096);
	job.pattern.walks[DIRECTION_WRITE].position = 7 * 4096 + 1;
	assert_int_equal(job_next(&job, &operation), JOB_REFUSED);
	assert_true(job_refusal(&job, &operation, &err) < 0);
	assert_int_equal(err.code, ERROR_IO_ERROR);
	assert_non_null(strstr(err.message, "write"));
	assert_non_null(strstr(err.message, "outside"));
	job.pattern.walks[DIRECTION_WRITE].position = 8 * 4096;
	assert_int_equal(job_next(&job, &operation), JOB_REFUSED);
	job.pattern.walks[DIRECTION_WRITE].position = UINT64_MAX - 4095;
	assert_int_equal(job_next(&job, &operation), JOB_REFUSED);
}

static void done(uint64_t now_ns, uint64_t latency_ns)
{
	if (now_ns >= recorder.next_event_ns)
		(void)recorder_event(&recorder, now_ns);
	histogram_add(recorder.histograms[REQUEST_WRITE], latency_ns);
}

static void test_series_by_second_of_completion(void **unused)
{
	const struct series_second *s;

	(void)unused;
	begin(0, 1 << 20);
	load.start_ns = 5 * NS_PER_S;
	load.window_ns = load.start_ns + 3 * NS_PER_S / 2;
	load.deadline_ns = load.window_ns + 20 * NS_PER_S;
	recorder_start(&recorder);
	for (unsigned int i = 0; i < 30; i++) /* every tenth of a second from 0 to 2.9 */
		done(load.start_ns + i * NS_PER_S / 10, 1000 + i);
	assert_int_equal(recorder_ios(&recorder, DIRECTION_WRITE), 15); /* from 1.5 on */
	done(load.start_ns + 4 * NS_PER_S, 7);
	done(load.start_ns + 40 * NS_PER_S, 8); /* beyond the room: in the last second */
	recorder_finish(&recorder);
	s = load.seconds;
	for (size_t i = 0; i < 10; i++) {
		const uint64_t expected[10] = {10, 10, 10, 0, 1, 0, 0, 0, 0, 1};

		assert_int_equal(s[i].ios[DIRECTION_WRITE], expected[i]);
		assert_int_equal(s[i].bytes[DIRECTION_WRITE], expected[i] * 4096);
		assert_int_equal(s[i].ios[DIRECTION_READ], 0);
	}
	assert_int_equal(s[0].latency_sum_ns[DIRECTION_WRITE], 10 * 1000 + 45);
	assert_int_equal(s[4].latency_sum_ns[DIRECTION_WRITE], 7);
	assert_int_equal(atomic_load(&load.bytes_done), 32 * 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fsync_comes_after_n_writes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fsync_in_a_mix, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_reads_have_no_fsync, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_budget, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_budget, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_outside_the_region_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_series_by_second_of_completion, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
