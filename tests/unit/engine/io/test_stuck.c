/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_stuck.c - operations that neither complete nor can be cancelled: measure_run returns in time
 * all the same, and what comes back later does no harm.
 *
 * link: -Wl,--wrap=uring_open,--wrap=pread,--wrap=pread64
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/backend.h"
#include "engine/io/measure.h"
#include "tests/unit/tries.h"

/* Locking: `mutex` guards the rest. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned int stuck, gone;
static bool released;

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset);
int __wrap_uring_open(const struct backend_config *config, struct backend **ret_backend,
		      struct error *err);

const char *__lsan_default_suppressions(void);

/* What is left behind on purpose is no leak to report. */
const char *__lsan_default_suppressions(void)
{
	return "leak:measure_run\n";
}

static void block(void)
{
	(void)pthread_mutex_lock(&mutex);
	stuck++;
	(void)pthread_cond_broadcast(&changed);
	while (!released)
		(void)pthread_cond_wait(&changed, &mutex);
	gone++;
	(void)pthread_cond_broadcast(&changed);
	(void)pthread_mutex_unlock(&mutex);
}

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset)
{
	(void)fd;
	(void)offset;
	block();
	memset(buffer, 1, size); /* as the kernel would: the buffer must still be there */
	return (ssize_t)size;
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset)
{
	return __wrap_pread(fd, buffer, size, offset);
}

static void note_stuck(unsigned int count)
{
	(void)pthread_mutex_lock(&mutex);
	stuck += count;
	(void)pthread_cond_broadcast(&changed);
	(void)pthread_mutex_unlock(&mutex);
}

static atomic_uint most_waited_for;

/* A ring that takes everything and never answers. */
static int silent_exchange(struct backend *backend, unsigned int count, unsigned int wait_for,
			   uint64_t timeout_ns)
{
	struct timespec timeout = {.tv_nsec = (long)timeout_ns};
	unsigned int most = atomic_load(&most_waited_for);

	while (wait_for > most && !atomic_compare_exchange_weak(&most_waited_for, &most, wait_for))
		;
	backend->submitted += count;
	note_stuck(count);
	if (wait_for > 0)
		(void)nanosleep(&timeout, NULL); /* what waiting for a completion is */
	return 0;
}

static void silent_cancel(struct backend *backend, uint32_t slot)
{
	(void)backend;
	(void)slot;
}

static bool closed;

static void silent_close(struct backend *backend)
{
	(void)backend;
	closed = true;
}

int __wrap_uring_open(const struct backend_config *config, struct backend **ret_backend,
		      struct error *err)
{
	static const struct backend_ops ops = {silent_exchange, silent_cancel, silent_close};
	/* One for each reactor of three runs of two, tried again; theirs may come here at once. */
	static struct request requests[6 * TRIES_MAX][8];
	static uint32_t queues[6 * TRIES_MAX][8];
	static struct backend backends[6 * TRIES_MAX];
	static atomic_uint opened;
	unsigned int n = atomic_fetch_add(&opened, 1);

	(void)err;
	assert_true(n < ARRAY_SIZE(backends) && config->slots <= 8);
	backends[n] = (struct backend){
		.ops = &ops,
		.requests = requests[n],
		.queue = queues[n],
		.queue_mask = 7,
		.arena = config->arena,
		.features = "silent",
	};
	*ret_backend = &backends[n];
	return 0;
}

static uint64_t cancelled_ns;

/* Once all that is outstanding is in the kernel. */
static void *raise_flag(void *arg)
{
	(void)pthread_mutex_lock(&mutex);
	while (stuck < 8)
		(void)pthread_cond_wait(&changed, &mutex);
	(void)pthread_mutex_unlock(&mutex);
	cancelled_ns = clock_now_ns();
	atomic_store((atomic_bool *)arg, true);
	return NULL;
}

static uint64_t cancelled_within_ns(enum backend_kind backend, uint64_t batch_complete_min)
{
	struct measure_region regions[2] = {{.length = 65536}, {.offset = 65536, .length = 65536}};
	atomic_bool cancel = false;
	struct workload workload;
	struct measure_spec spec = {.workload = &workload,
				    .backend = backend,
				    .region_count = 2,
				    .regions = regions,
				    .cancel = &cancel};
	struct sample sample;
	struct error err;
	uint64_t end_ns;
	pthread_t id;

	(void)pthread_mutex_lock(&mutex);
	stuck = 0;
	(void)pthread_mutex_unlock(&mutex);
	workload_init(&workload);
	workload.rw = RW_RANDREAD;
	workload.bs[0] = workload.bs[1] = 4096;
	workload.size = 65536;
	workload.iodepth = 4;
	workload.batch_complete_min = batch_complete_min;
	workload.numjobs = 2;
	workload.time_based = workload.group_reporting = workload.refill_buffers = true;
	workload.runtime_ns = 600 * NS_PER_S;
	sample_init(&sample);
	assert_int_equal(pthread_create(&id, NULL, raise_flag, &cancel), 0);
	assert_int_equal(measure_run(&spec, &sample, &err), -ECANCELED);
	end_ns = clock_now_ns();
	assert_int_equal(pthread_join(id, NULL), 0);
	assert_int_equal(sample.directions[DIRECTION_READ].ios, 0);
	assert_true(sample.seconds == 0);
	sample_done(&sample);
	workload_done(&workload);
	return end_ns - cancelled_ns;
}

/* By when those that do not come back are given up (0.6 s) and the rest has ended. */
static void run_and_cancel(enum backend_kind backend, uint64_t batch_complete_min)
{
	unsigned int tries = 0;
	uint64_t within_ns;

	do {
		within_ns = cancelled_within_ns(backend, batch_complete_min);
		if (backend != BACKEND_THREADS)
			continue;
		(void)pthread_mutex_lock(&mutex);
		assert_int_equal(stuck, 8);
		released = true; /* now they come back, to memory that is still theirs */
		(void)pthread_cond_broadcast(&changed);
		while (gone < 8)
			(void)pthread_cond_wait(&changed, &mutex);
		released = false;
		gone = 0;
		(void)pthread_mutex_unlock(&mutex);
	} while (again(within_ns < NS_PER_S, &tries));
	assert_true(within_ns < NS_PER_S);
}

static void test_threads_left_in_the_kernel(void **unused)
{
	(void)unused;
	run_and_cancel(BACKEND_THREADS, 1);
}

static void test_a_ring_that_does_not_drain(void **unused)
{
	(void)unused;
	run_and_cancel(BACKEND_IO_URING, 1);
	assert_false(closed);
	assert_int_equal(atomic_load(&most_waited_for), 1);
	/* Never for more than is outstanding: there is one CPU, or a reactor for each job. */
	run_and_cancel(BACKEND_IO_URING, 3);
	assert_int_equal(atomic_load(&most_waited_for), 3);
	run_and_cancel(BACKEND_IO_URING, 4096);
	assert_true(atomic_load(&most_waited_for) == 4 || atomic_load(&most_waited_for) == 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_left_in_the_kernel),
		cmocka_unit_test(test_a_ring_that_does_not_drain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
