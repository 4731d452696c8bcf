/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_failures.c - the n-th allocation, mapping, thread or registration fails, for every n: a
 * clear error each time, nothing left behind (leaks are the sanitizer's to see), never a hang.
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc,--wrap=strdup
 * link: -Wl,--wrap=mmap,--wrap=mmap64,--wrap=pthread_create
 * link: -Wl,--wrap=io_uring_queue_init_params,--wrap=io_uring_register_files
 * link: -Wl,--wrap=io_uring_register_buffers,--wrap=io_uring_register_ring_fd
 * link: -Wl,--wrap=io_uring_register,--wrap=io_uring_enter2
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/measure.h"

/* Counts down over all wrapped calls; the one that reaches 0 fails. Negative: none fails. */
static atomic_int countdown = -1;
static int failure = ENOMEM;

static bool fails(void)
{
	if (atomic_load(&countdown) < 0)
		return false;
	return atomic_fetch_sub(&countdown, 1) == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*f)(void *),
			  void *arg);
int __real_io_uring_queue_init_params(unsigned int entries, struct io_uring *ring,
				      struct io_uring_params *params);
int __real_io_uring_register_files(struct io_uring *ring, const int *files, unsigned int count);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *vectors,
				     unsigned int count);
int __real_io_uring_register_ring_fd(struct io_uring *ring);
int __real_io_uring_register(unsigned int fd, unsigned int opcode, const void *arg,
			     unsigned int count);
int __real_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *set, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*f)(void *),
			  void *arg);
int __wrap_io_uring_queue_init_params(unsigned int entries, struct io_uring *ring,
				      struct io_uring_params *params);
int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned int count);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *vectors,
				     unsigned int count);
int __wrap_io_uring_register_ring_fd(struct io_uring *ring);
int __wrap_io_uring_register(unsigned int fd, unsigned int opcode, const void *arg,
			     unsigned int count);
int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *set, size_t size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (!fails())
		return __real_mmap(at, size, prot, flags, fd, offset);
	errno = ENOMEM;
	return MAP_FAILED;
}

void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	return __wrap_mmap(at, size, prot, flags, fd, offset);
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*f)(void *),
			  void *arg)
{
	return fails() ? EAGAIN : __real_pthread_create(id, attributes, f, arg);
}

int __wrap_io_uring_queue_init_params(unsigned int entries, struct io_uring *ring,
				      struct io_uring_params *params)
{
	return fails() ? -failure : __real_io_uring_queue_init_params(entries, ring, params);
}

int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned int count)
{
	return fails() ? -failure : __real_io_uring_register_files(ring, files, count);
}

int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *vectors,
				     unsigned int count)
{
	return fails() ? -failure : __real_io_uring_register_buffers(ring, vectors, count);
}

int __wrap_io_uring_register_ring_fd(struct io_uring *ring)
{
	return fails() ? -failure : __real_io_uring_register_ring_fd(ring);
}

int __wrap_io_uring_register(unsigned int fd, unsigned int opcode, const void *arg,
			     unsigned int count)
{
	return fails() ? -failure : __real_io_uring_register(fd, opcode, arg, count);
}

int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *set, size_t size)
{
	return fails() ? -failure : __real_io_uring_enter2(fd, submit, wait, flags, set, size);
}

/* Two jobs of 16 blocks; measure_run's result. */
static int run(enum backend_kind backend, int fd, struct error *err)
{
	struct measure_region regions[2] = {{.fd = fd, .length = 65536},
					    {.fd = fd, .offset = 65536, .length = 65536}};
	struct workload workload;
	struct measure_spec spec = {
		.workload = &workload, .backend = backend, .region_count = 2, .regions = regions};
	struct sample sample;
	int rc;

	workload_init(&workload);
	workload.rw = RW_RANDWRITE;
	workload.refill_buffers = true;
	workload.bs[0] = workload.bs[1] = 4096;
	workload.size = 65536;
	workload.iodepth = 3;
	workload.numjobs = 2;
	workload.runtime_ns = 0; /* all of it, however long that takes */
	sample_init(&sample);
	err->code = ERROR_NONE;
	rc = measure_run(&spec, &sample, err);
	if (rc == 0) {
		assert_int_equal(sample.directions[DIRECTION_WRITE].bytes, 2 * 65536);
	}
	sample_done(&sample);
	workload_done(&workload);
	return rc;
}

/* Lets the first, second, ... wrapped call fail until a run meets none that does. */
static void each_fails(enum backend_kind backend)
{
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), failed = 0, n;
	struct error err;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 131072), 0);
	for (n = 0; n < 500; n++) {
		int rc;

		atomic_store(&countdown, n);
		rc = run(backend, fd, &err);
		if (atomic_exchange(&countdown, -1) >= 0) {
			assert_int_equal(rc, 0);
			break;
		}
		if (rc < 0) {
			failed++;
			assert_int_not_equal(err.code, ERROR_NONE);
			assert_true(strlen(err.message) > 0);
		}
	}
	assert_true(failed > 5);
	assert_true(n < 500);
	assert_int_equal(run(backend, fd, &err), 0);
	(void)close(fd);
}

static void test_each_call_of_threads(void **unused)
{
	(void)unused;
	each_fails(BACKEND_THREADS);
}

static void test_each_call_of_null(void **unused)
{
	(void)unused;
	each_fails(BACKEND_NULL);
}

static void test_each_call_of_io_uring(void **unused)
{
	(void)unused;
	each_fails(BACKEND_IO_URING);
}

/* A kernel that is busy for a moment is asked again. */
static void test_a_busy_ring(void **unused)
{
	(void)unused;
	failure = EAGAIN;
	each_fails(BACKEND_IO_URING);
	failure = ENOMEM;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_call_of_threads),
		cmocka_unit_test(test_each_call_of_null),
		cmocka_unit_test(test_each_call_of_io_uring),
		cmocka_unit_test(test_a_busy_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
