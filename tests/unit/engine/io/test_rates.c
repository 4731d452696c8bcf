/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_rates.c - rates, pauses and a delayed start as whole measurements: each backend keeps the
 * schedule, and tells latency from the intended start beside that from submission. Files: in memory
 * (/dev/shm) and on a disk (/var/tmp, or VOLBENCH_TEST_DIR). What a schedule promises at most
 * holds always; what is reached of it hangs on the machine, and is tried until it is (tries.h).
 * Length: one thing that a rate or a pause does a test.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/measure.h"
#include "tests/unit/tries.h"

#define MIB (UINT64_C(1024) * 1024)
#define JOBS_MAX 4
#define LAG_S 0.25 /* how far behind its schedule a measurement may end */

static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS, BACKEND_NULL};

static const char *disk(void)
{
	const char *directory = getenv("VOLBENCH_TEST_DIR");

	return directory ? directory : "/var/tmp";
}

struct setup {
	int fd;
	struct workload workload;
	struct measure_region regions[JOBS_MAX];
	struct measure_spec spec;
	struct sample sample;
	struct error err;
	uint64_t called_ns, began_ns, returned_ns; /* measure_run(); the window */
};

static void on_window(void *arg, bool begins)
{
	struct setup *s = arg;

	if (begins)
		s->began_ns = clock_now_ns();
}

/* options: "rw=read rate_iops=100", laid over 0.4 s of 4k on a file of 1 MiB a job. */
static void prepare(struct setup *s, enum backend_kind backend, const char *directory,
		    const char *options)
{
	char all[512], *rest = all, *word;

	memset(s, 0, sizeof(*s));
	workload_init(&s->workload);
	sample_init(&s->sample);
	(void)snprintf(all, sizeof(all), "size=1m runtime=400ms direct=0 %s", options);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		if (option_parse(option_find(word), value, &s->workload, &s->err) < 0)
			fail_msg("%s: %s", word, s->err.message);
	}
	if (workload_complete(&s->workload, &s->err) < 0)
		fail_msg("%s: %s", options, s->err.message);
	s->fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd < 0)
		fail_msg("cannot make a file in %s: %s", directory, strerror(errno));
	assert_int_equal(ftruncate(s->fd, JOBS_MAX * (off_t)MIB), 0);
	for (size_t i = 0; i < JOBS_MAX; i++)
		s->regions[i] =
			(struct measure_region){.fd = s->fd, .offset = i * MIB, .length = MIB};
	s->spec = (struct measure_spec){
		.workload = &s->workload,
		.backend = backend,
		.seed = 7,
		.region_count = s->workload.numjobs,
		.regions = s->regions,
		.window = on_window,
		.arg = s,
	};
}

static int run(struct setup *s)
{
	int rc;

	s->called_ns = clock_now_ns();
	rc = measure_run(&s->spec, &s->sample, &s->err);
	s->returned_ns = clock_now_ns();
	return rc;
}

static void run_well(struct setup *s)
{
	if (run(s) < 0)
		fail_msg("%s: %s", backend_names[s->spec.backend], s->err.message);
}

static void finish(struct setup *s)
{
	sample_done(&s->sample);
	workload_done(&s->workload);
	(void)close(s->fd);
}

static bool within(const struct setup *s, enum direction d, double least, double most)
{
	double ios = (double)s->sample.directions[d].ios;

	return ios >= least && ios <= most;
}

/* Of a window that lies within the call. */
static void expect_seconds(const struct setup *s, double least)
{
	assert_true(s->sample.seconds >= least);
	assert_true(s->sample.seconds * 1e9 <= (double)(s->returned_ns - s->called_ns));
}

static uint64_t most_ns(const struct histogram *histogram)
{
	return histogram ? histogram->max_ns : 0;
}

/* Whether to do it again; then what was measured is gone. */
static bool tried_in_vain(struct setup *s, bool well, unsigned int *tries)
{
	if (!again(well, tries))
		return false;
	finish(s);
	return true;
}

static void expect_ops(const struct setup *s, enum direction d, double least, double most)
{
	double ios = (double)s->sample.directions[d].ios;

	if (ios < least || ios > most)
		fail_msg("%s: %.0f %ss, not %.0f to %.0f", backend_names[s->spec.backend], ios,
			 direction_names[d], least, most);
}

/* A schedule begins with an operation, and the one due at the very end may still begin. */
static double rate_most(double per_s, double jobs)
{
	return (per_s * 0.4 + 1) * jobs;
}

static double rate_least(double per_s, double jobs)
{
	return per_s * (0.4 - LAG_S) * jobs;
}

static bool rate_kept(const struct setup *s, enum direction d, double per_s, double jobs)
{
	return within(s, d, rate_least(per_s, jobs), rate_most(per_s, jobs));
}

static void expect_rate(const struct setup *s, enum direction d, double per_s, double jobs)
{
	expect_ops(s, d, rate_least(per_s, jobs), rate_most(per_s, jobs));
}

/* Both latencies of every operation; the intended start is never after the submission. */
static void expect_intended(const struct setup *s, enum direction d)
{
	const struct direction_result *r = &s->sample.directions[d];

	assert_non_null(r->intended);
	assert_int_equal(r->intended->count, r->ios);
	assert_int_equal(r->latency->count, r->ios);
	assert_true(r->intended->sum_ns >= r->latency->sum_ns);
	assert_true(r->intended->max_ns >= r->latency->max_ns);
}

static void rates_are_kept(void **state)
{
	static const struct {
		const char *directory, *options;
		double reads, writes, jobs; /* a second */
	} table[] = {
		{"/dev/shm", "rw=randread rate_iops=500", 500, 0, 1},
		{"/dev/shm", "rw=randwrite rate=1m iodepth=8", 0, 256, 1},
		{NULL, "rw=read rate_iops=250 iodepth=4 numjobs=2", 250, 0, 2},
		{NULL, "rw=randrw rate_iops=300,100 iodepth=4", 300, 100, 1},
		{"/dev/shm", "rw=rw rate=400k,800k group_reporting=0 numjobs=2", 100, 200, 2},
	};

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
			unsigned int tries = 0;
			struct setup s;

			do {
				prepare(&s, backends[b],
					table[i].directory ? table[i].directory : disk(),
					table[i].options);
				run_well(&s);
			} while (tried_in_vain(
				&s,
				rate_kept(&s, DIRECTION_READ, table[i].reads, table[i].jobs) &&
					rate_kept(&s, DIRECTION_WRITE, table[i].writes,
						  table[i].jobs),
				&tries));
			expect_rate(&s, DIRECTION_READ, table[i].reads, table[i].jobs);
			expect_rate(&s, DIRECTION_WRITE, table[i].writes, table[i].jobs);
			if (table[i].reads > 0)
				expect_intended(&s, DIRECTION_READ);
			if (table[i].writes > 0)
				expect_intended(&s, DIRECTION_WRITE);
			/* The rest at the end belongs to the window. */
			expect_seconds(&s, 0.4);
			for (size_t j = 0; j < s.sample.job_count; j++) {
				const struct direction_result *r = s.sample.jobs[j].directions;

				assert_true(s.sample.jobs[j].seconds >= 0.4);
				assert_int_equal(r[DIRECTION_READ].intended->count,
						 r[DIRECTION_READ].ios);
			}
			finish(&s);
		}
	}
}

/* The count of a Poisson process varies by its root. */
static void a_poisson_rate_is_kept(void **state)
{
	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		const double least = 2500 * (0.4 - LAG_S) - 5 * 32, most = 1000 + 5 * 32;
		unsigned int tries = 0;
		struct setup s;

		do {
			prepare(&s, backends[b], "/dev/shm",
				"rw=randread rate_iops=2500 rate_process=poisson iodepth=4");
			run_well(&s);
		} while (tried_in_vain(&s, within(&s, DIRECTION_READ, least, most), &tries));
		expect_ops(&s, DIRECTION_READ, least, most);
		expect_intended(&s, DIRECTION_READ);
		finish(&s);
	}
}

/* A write alone has a rate: reads go as fast as they can and have no intended start. */
static void one_direction_may_be_free(void **state)
{
	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		unsigned int tries = 0;
		struct setup s;

		do {
			prepare(&s, backends[b], "/dev/shm", "rw=randrw rate_iops=,200 iodepth=2");
			run_well(&s);
		} while (tried_in_vain(&s,
				       rate_kept(&s, DIRECTION_WRITE, 200, 1) &&
					       within(&s, DIRECTION_READ, 200, 1e9),
				       &tries));
		expect_rate(&s, DIRECTION_WRITE, 200, 1);
		expect_ops(&s, DIRECTION_READ, 200, 1e9);
		expect_intended(&s, DIRECTION_WRITE);
		assert_null(s.sample.directions[DIRECTION_READ].intended);
		finish(&s);
	}
}

/* Without a rate there is no intended start, and nothing is kept for it. */
static void without_a_rate_there_is_no_intended_start(void **state)
{
	unsigned int tries = 0;
	struct setup s;

	(void)state;
	do {
		prepare(&s, BACKEND_NULL, "/dev/shm", "rw=randread runtime=100ms fdatasync=1");
		run_well(&s);
	} while (tried_in_vain(&s, s.sample.directions[DIRECTION_READ].ios > 0, &tries));
	assert_true(s.sample.directions[DIRECTION_READ].ios > 0);
	assert_null(s.sample.directions[DIRECTION_READ].intended);
	finish(&s);
}

/* A rate no target keeps: it lags, what was issued is late, and nothing else happens. */
static void a_rate_beyond_reach_shows_as_lag(void **state)
{
	(void)state;
	for (size_t b = 0; b < 2; b++) {
		unsigned int tries = 0;
		struct setup s;
		const struct direction_result *r = &s.sample.directions[DIRECTION_READ];

		do {
			prepare(&s, backends[b], "/dev/shm", "rw=randread rate_iops=1000000000");
			run_well(&s);
		} while (tried_in_vain(&s,
				       most_ns(r->intended) > 300 * NS_PER_MS &&
					       most_ns(r->latency) < most_ns(r->intended),
				       &tries));
		expect_intended(&s, DIRECTION_READ);
		/* The last operation was due at the very beginning. */
		assert_true(r->intended->max_ns > 300 * NS_PER_MS);
		assert_true(r->latency->max_ns < r->intended->max_ns);
		finish(&s);
	}
}

static void the_ramp_is_left_out(void **state)
{
	unsigned int tries = 0;
	struct setup s;

	(void)state;
	/* What a pause in the ramp left undone is caught up with in the window. */
	do {
		prepare(&s, BACKEND_IO_URING, "/dev/shm",
			"rw=randread rate_iops=400 ramp_time=300ms");
		run_well(&s);
	} while (tried_in_vain(&s, rate_kept(&s, DIRECTION_READ, 400, 1), &tries));
	expect_rate(&s, DIRECTION_READ, 400, 1);
	expect_intended(&s, DIRECTION_READ);
	finish(&s);
}

/* At most so many blocks a pause, and what was outstanding beside them when it fell due. */
static void thinktime_bounds_the_operations(void **state)
{
	static const struct {
		const char *options;
		uint64_t round; /* operations between two pauses, at most */
	} table[] = {
		{"rw=randread thinktime=10000", 1},
		{"rw=randread thinktime=10ms thinktime_blocks=4 iodepth=4", 4 + 3},
		{"rw=randread thinktime=10ms thinktime_blocks=4 thinktime_blocks_type=issue "
		 "iodepth=2",
		 4},
		{"rw=randread thinktime=10ms thinktime_spin=5ms", 1},
	};

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
			const double most = (double)(41 * table[i].round);
			unsigned int tries = 0;
			struct setup s;

			/* On a loaded machine a pause may take longer: the bound above is the
			 * promise, that below a sign of life. */
			do {
				prepare(&s, backends[b], "/dev/shm", table[i].options);
				run_well(&s);
				expect_ops(&s, DIRECTION_READ, 0, most);
			} while (tried_in_vain(&s, within(&s, DIRECTION_READ, 3, most), &tries));
			expect_ops(&s, DIRECTION_READ, 3, most);
			assert_true(s.sample.seconds >= 0.4);
			finish(&s);
		}
	}
}

/* A tenth of a second of work and three of rest. */
static void thinktime_may_go_by_time(void **state)
{
	unsigned int tries = 0;
	struct setup s, all;
	double most;

	(void)state;
	do {
		prepare(&all, BACKEND_NULL, "/dev/shm", "rw=randread fdatasync=1");
		run_well(&all);
		most = (double)all.sample.directions[0].ios * 0.7;
		finish(&all);
		prepare(&s, BACKEND_NULL, "/dev/shm",
			"rw=randread thinktime=300ms thinktime_iotime=100ms");
		run_well(&s);
	} while (tried_in_vain(&s, within(&s, DIRECTION_READ, 1000, most), &tries));
	/* wide, since the two runs share a machine with others */
	expect_ops(&s, DIRECTION_READ, 1000, most);
	finish(&s);
}

static double cpu_s(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Of the processor, for pauses of 0.4 s. */
static double cost_s(enum backend_kind backend, const char *options)
{
	double used = cpu_s();
	struct setup s;

	prepare(&s, backend, "/dev/shm", options);
	run_well(&s);
	finish(&s);
	return cpu_s() - used;
}

/* Pauses that spin cost processor time, those that do not hardly any. */
static void thinktime_spin_works_the_processor(void **state)
{
	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		unsigned int tries = 0;
		double rests, spins;

		do {
			rests = cost_s(backends[b], "rw=randread thinktime=100ms");
			spins = cost_s(backends[b],
				       "rw=randread thinktime=100ms thinktime_spin=100ms");
			/* of a processor that others may have most of */
		} while (again(spins >= 2 * rests + 0.005, &tries));
		if (spins < 2 * rests + 0.005)
			fail_msg("%s: %.3f s with a spin, %.3f without", backend_names[backends[b]],
				 spins, rests);
	}
}

/* The schedule goes on under a pause, or is moved by it. */
static void a_rate_catches_up_with_pauses_unless_told(void **state)
{
	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup s;
		const struct direction_result *r = &s.sample.directions[DIRECTION_READ];
		unsigned int tries = 0;

		/* a pause of 0.2 s in the middle, caught up with */
		do {
			prepare(&s, backends[b], "/dev/shm",
				"rw=randread rate_iops=400 thinktime=200ms thinktime_blocks=40");
			run_well(&s);
		} while (tried_in_vain(&s, most_ns(r->intended) > 150 * NS_PER_MS, &tries));
		assert_true(most_ns(r->intended) > 150 * NS_PER_MS);
		finish(&s);
		tries = 0;
		do {
			prepare(&s, backends[b], "/dev/shm",
				"rw=randread rate_iops=400 thinktime=200ms thinktime_blocks=40 "
				"rate_ignore_thinktime=1");
			run_well(&s);
		} while (tried_in_vain(&s, within(&s, DIRECTION_READ, 1, 400 * 0.2 + 2), &tries));
		expect_ops(&s, DIRECTION_READ, 1, 400 * 0.2 + 2);
		finish(&s);
	}
}

/* The first operation begins with the window: where the delay went before a rate, nothing is
 * late. */
static void check_delayed(enum backend_kind backend, bool paced)
{
	struct setup s;
	const struct direction_result *r = &s.sample.directions[DIRECTION_READ];
	unsigned int tries = 0;

	do {
		prepare(&s, backend, "/dev/shm",
			paced ? "rw=randread startdelay=300ms runtime=200ms rate_iops=100"
			      : "rw=randread startdelay=300ms runtime=200ms");
		run_well(&s);
		assert_true(s.began_ns - s.called_ns >= 300 * NS_PER_MS);
		expect_seconds(&s, 0.2);
		assert_int_equal(s.sample.series.ramp_count, 0);
		if (paced)
			expect_ops(&s, DIRECTION_READ, 0, 21);
	} while (tried_in_vain(
		&s, r->ios > 0 && s.sample.seconds < 0.45 && most_ns(r->intended) < 300 * NS_PER_MS,
		&tries));
	assert_true(r->ios > 0 && s.sample.seconds < 0.45);
	assert_int_equal(s.sample.series.count, 1);
	assert_true(most_ns(r->intended) < 300 * NS_PER_MS);
	finish(&s);
}

static void a_start_is_delayed(void **state)
{
	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		check_delayed(backends[b], false);
		check_delayed(backends[b], true);
	}
}

static void prepare_delayed_parts(struct setup *s, enum backend_kind backend)
{
	static const char *const delays[] = {"200ms", "500ms"};
	struct workload parts[2];

	prepare(s, backend, "/dev/shm", "name=part rw=randread rate_iops=100");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(workload_copy(&s->workload, &parts[i]), 0);
		assert_int_equal(
			option_parse(option_find("startdelay"), delays[i], &parts[i], &s->err), 0);
		assert_int_equal(workload_add_part(&s->workload, &parts[i]), 0);
		s->regions[i].part = i;
	}
	s->spec.region_count = 2;
}

/* Jobs of two parts begin one after the other, and each has its runtime from its own begin. */
static void parts_begin_at_their_own_times(void **state)
{
	const double least = 2 * 100 * (0.4 - LAG_S), most = 2 * 41;

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct setup s;
		const struct direction_result *r = &s.sample.directions[DIRECTION_READ];
		unsigned int tries = 0;
		bool well;

		do {
			prepare_delayed_parts(&s, backends[b]);
			run_well(&s);
			/* 0.2 s of rest; one for 0.4 s, the other from 0.3 s on for as long */
			assert_true(s.began_ns - s.called_ns >= 200 * NS_PER_MS);
			expect_seconds(&s, 0.7);
			expect_ops(&s, DIRECTION_READ, 0, most);
			assert_int_equal(s.sample.job_count, 2);
			well = within(&s, DIRECTION_READ, least, most);
			/* each has the figures of its own time, beyond its last operation */
			for (size_t i = 0; i < 2; i++) {
				assert_true(s.sample.jobs[i].seconds >= 0.4);
				well = well && s.sample.jobs[i].seconds < 0.65;
			}
			/* what the second waited for its begin is no lateness */
			well = well && most_ns(r->intended) < 250 * NS_PER_MS;
		} while (tried_in_vain(&s, well, &tries));
		assert_true(well);
		finish(&s);
	}
}

/* A delay can be called off. */
static void a_delayed_start_can_be_cancelled(void **state)
{
	atomic_bool cancel = true;
	struct setup s;

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		prepare(&s, backends[b], "/dev/shm", "rw=randread startdelay=1000");
		s.spec.cancel = &cancel;
		assert_int_equal(run(&s), -ECANCELED);
		assert_int_equal(s.sample.directions[DIRECTION_READ].ios, 0);
		finish(&s);
	}
}

/* Two gaps of half a second lie between three requests, and none behind the last one. */
static void a_job_that_is_done_waits_for_no_rate(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(backends); i++) {
		const double enough_s = i % 2 ? 0.4 : 1.4;
		unsigned int tries = 0;
		struct setup s;

		/* the other half as a sequence has it, one request */
		do {
			prepare(&s, backends[i / 2], "/dev/shm",
				i % 2 ? "rw=write runtime=30 time_based=0 size=8k "
					"bssplit=4k/1:8k/99 rate_iops=2 end_fsync=1"
				      : "rw=write runtime=30 time_based=0 size=12k rate_iops=2 "
					"end_fsync=1");
			run_well(&s);
			expect_ops(&s, DIRECTION_WRITE, i % 2 ? 1 : 3, i % 2 ? 1 : 3);
		} while (tried_in_vain(&s, s.sample.seconds < enough_s, &tries));
		assert_true(s.sample.seconds < enough_s);
		finish(&s);
	}
}

static void a_rate_that_falls_below_its_least_ends_the_run(void **state)
{
	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct workload part;
		struct setup s;

		prepare(&s, backends[b], "/dev/shm",
			"name=slow rw=randread runtime=60 rate_iops=100 thinktime=50ms "
			"rate_iops_min=90 rate_cycle=200");
		assert_int_equal(workload_copy(&s.workload, &part), 0);
		assert_int_equal(workload_add_part(&s.workload, &part), 0);
		assert_true(run(&s) < 0);
		assert_int_equal(s.err.code, ERROR_IO_ERROR);
		assert_non_null(strstr(s.err.message, "rate_iops_min=90"));
		assert_int_equal(strncmp(s.err.message, "job slow: ", 10), 0);
		assert_true(s.sample.seconds > 2 && s.sample.seconds < 60);
		finish(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_kept),
		cmocka_unit_test(a_poisson_rate_is_kept),
		cmocka_unit_test(one_direction_may_be_free),
		cmocka_unit_test(without_a_rate_there_is_no_intended_start),
		cmocka_unit_test(a_rate_beyond_reach_shows_as_lag),
		cmocka_unit_test(the_ramp_is_left_out),
		cmocka_unit_test(thinktime_bounds_the_operations),
		cmocka_unit_test(thinktime_may_go_by_time),
		cmocka_unit_test(thinktime_spin_works_the_processor),
		cmocka_unit_test(a_rate_catches_up_with_pauses_unless_told),
		cmocka_unit_test(a_start_is_delayed),
		cmocka_unit_test(parts_begin_at_their_own_times),
		cmocka_unit_test(a_delayed_start_can_be_cancelled),
		cmocka_unit_test(a_job_that_is_done_waits_for_no_rate),
		cmocka_unit_test(a_rate_that_falls_below_its_least_ends_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
