/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_uring.c - the ring refuses what the workload does not need, and cancels what waits; why it
 * is not there at all.
 *
 * link: -Wl,--wrap=io_uring_setup,--wrap=fopen,--wrap=fopen64,--wrap=io_uring_enter2
 * link: -Wl,--wrap=io_uring_queue_init_params,--wrap=io_uring_register_buffers
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/backend.h"
#include "engine/io/measure.h"

static struct arena arena;
static struct backend *backend;
static bool kernel_thread, polled, registered_buffers; /* of the next ring */
static int kernel_thread_cpu = -1;

static void open_ring(int fd, uint32_t slots, uint64_t bytes, bool reads, bool writes, bool syncs)
{
	const int files[] = {fd};
	const struct backend_config config = {
		.slots = slots,
		.arena = &arena,
		.files = files,
		.file_count = 1,
		.kernel_thread = kernel_thread,
		.kernel_thread_cpu = kernel_thread_cpu,
		.polled = polled,
		.registered_buffers = registered_buffers,
		.allowed =
			{[REQUEST_READ] = reads, [REQUEST_WRITE] = writes, [REQUEST_SYNC] = syncs},
	};
	struct error err;

	assert_int_equal(arena_init(&arena, slots, bytes, false, 1, NULL), 0);
	if (uring_open(&config, &backend, &err) < 0)
		fail_msg("%s", err.message);
}

static void close_ring(void)
{
	backend->ops->close(backend);
	arena_done(&arena);
}

/* Puts an operation at a place in the queue, counted from the first idle one. */
static void put(uint32_t place, uint32_t slot, enum request_kind kind, uint32_t file,
		uint64_t offset, uint32_t length)
{
	request_set(backend, slot, kind, offset, length);
	backend->requests[slot].file = file;
	backend->queue[(backend->submitted + place) & backend->queue_mask] = slot;
}

static int exchange(unsigned int count, unsigned int wait_for)
{
	return backend->ops->exchange(backend, count, wait_for, 60 * NS_PER_S);
}

static const struct completion *completion(unsigned int number)
{
	return &backend->completions[(backend->completed + number) & backend->completion_mask];
}

static int32_t one(enum request_kind kind, uint32_t file, uint64_t offset, uint32_t length,
		   uint32_t slot)
{
	put(0, slot, kind, file, offset, length);
	assert_int_equal(exchange(1, 1), 1);
	assert_int_equal(completion(0)->slot, slot);
	return completion(0)->result;
}

static int scratch(void)
{
	int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "volbench", 8, 0), 8);
	assert_int_equal(ftruncate(fd, 8192), 0);
	return fd;
}

static void only_the_needed_operations(void)
{
	int fd = scratch();
	char text[9] = "";

	open_ring(fd, 4, 4096, true, false, false);
	assert_non_null(strstr(backend->features, "registered files"));
	assert_non_null(strstr(backend->features, "restricted to reads"));
	assert_int_equal(one(REQUEST_READ, 0, 0, 4096, 2), 4096);
	assert_memory_equal(arena_buffer(&arena, 2), "volbench", 8);
	assert_int_equal(one(REQUEST_WRITE, 0, 0, 4096, 0), -EACCES);
	assert_int_equal(one(REQUEST_SYNC, 0, 0, 0, 0), -EACCES);
	assert_int_equal(one(REQUEST_READ, 1, 0, 4096, 1), -EBADF); /* no such registered file */
	close_ring();
	open_ring(fd, 4, 4096, false, true, true);
	assert_int_equal(one(REQUEST_READ, 0, 0, 4096, 0), -EACCES);
	assert_int_equal(one(REQUEST_WRITE, 0, 4096, 4096, 0), 4096);
	assert_int_equal(one(REQUEST_SYNC, 0, 0, 0, 0), 0);
	close_ring();
	assert_int_equal(pread(fd, text, 8, 0), 8);
	assert_string_equal(text, "volbench");
	(void)close(fd);
}

/* Several iovecs of at most a GiB: buffers on both sides of the border are reached. */
static void test_arenas_beyond_a_gibibyte(void **unused)
{
	enum { EACH = 48 << 20, SLOTS = 24 };
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)unused;
	assert_true(fd >= 0);
	open_ring(fd, SLOTS, EACH, true, false, false);
	assert_non_null(strstr(backend->features, "registered buffers"));
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		unsigned char *buffer = arena_buffer(&arena, slot);

		memset(buffer, 0xff, 8192);
		assert_int_equal(one(REQUEST_READ, 0, 0, 4096, slot), 4096);
		assert_int_equal(buffer[0] | buffer[4095], 0);
		assert_int_equal(buffer[4096], 0xff);
	}
	close_ring();
	(void)close(fd);
}

/* Reads of an empty pipe never end by themselves. */
static void cancel(void)
{
	unsigned int cancelled = 0, answers = 0;
	int pipes[2];

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	open_ring(pipes[0], 20, 4096, true, false, false);
	for (uint32_t i = 0; i < 20; i++)
		put(i, i, REQUEST_READ, 0, 0, 4096);
	assert_int_equal(exchange(20, 0), 0);
	for (uint32_t i = 0; i < 20; i++)
		backend->ops->cancel(backend, i);
	while (cancelled < 20 || answers < 20) {
		int more = exchange(0, 1);

		assert_true(more > 0);
		for (int i = 0; i < more; i++) {
			if (completion((unsigned int)i)->slot == COMPLETION_OF_CANCEL) {
				answers++;
				continue;
			}
			assert_int_equal(completion((unsigned int)i)->result, -ECANCELED);
			cancelled++;
		}
	}
	/* What was asked for still stands in the request. */
	assert_int_equal(request_kind(backend, &backend->requests[7]), REQUEST_READ);
	assert_int_equal(backend->requests[7].length, 4096);
	close_ring();
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

/* Reads and writes have the priority; the kernel refuses a sync that has one. */
static void test_priority_of_requests(void **unused)
{
	int fd = scratch();

	(void)unused;
	open_ring(fd, 4, 4096, true, true, true);
	backend->priority = 2 << 13 | 3; /* best effort, level 3 */
	assert_int_equal(one(REQUEST_READ, 0, 0, 4096, 0), 4096);
	assert_int_equal(backend->requests[0].priority, 2 << 13 | 3);
	assert_int_equal(one(REQUEST_WRITE, 0, 0, 4096, 0), 4096);
	assert_int_equal(backend->requests[0].priority, 2 << 13 | 3);
	assert_int_equal(one(REQUEST_SYNC, 0, 0, 0, 0), 0);
	backend->priority = 7 << 13; /* no class: so the kernel does look at it */
	assert_int_equal(one(REQUEST_READ, 0, 0, 4096, 0), -EINVAL);
	close_ring();
	(void)close(fd);
}

/* Every slot outstanding at once, again and again, so that both rings wrap. */
static void all_slots(void)
{
	enum { SLOTS = 24 }; /* no power of two */
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	unsigned int seen[SLOTS] = {0};

	assert_true(fd >= 0);
	open_ring(fd, SLOTS, 4096, true, false, false);
	assert_true(backend->queue_mask + 1 >= SLOTS);
	for (unsigned int round = 0; round < 1000; round++) {
		for (uint32_t i = 0; i < SLOTS; i++)
			put(i, (i + round) % SLOTS, REQUEST_READ, 0, 0, 4096);
		assert_int_equal(exchange(SLOTS, SLOTS), SLOTS);
		for (unsigned int i = 0; i < SLOTS; i++) {
			assert_int_equal(completion(i)->result, 4096);
			seen[completion(i)->slot]++;
		}
	}
	for (unsigned int i = 0; i < SLOTS; i++)
		assert_int_equal(seen[i], 1000);
	close_ring();
	(void)close(fd);
}

static void test_wait_ends_in_time(void **unused)
{
	uint64_t start, took;
	int pipes[2];

	(void)unused;
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	open_ring(pipes[0], 1, 4096, true, false, false);
	put(0, 0, REQUEST_READ, 0, 0, 4096);
	start = clock_now_ns();
	assert_int_equal(backend->ops->exchange(backend, 1, 1, 50 * NS_PER_MS), 0);
	took = clock_now_ns() - start;
	assert_true(took >= 49 * NS_PER_MS && took < 30 * NS_PER_S);
	backend->ops->cancel(backend, 0);
	assert_true(exchange(0, 1) >= 1);
	close_ring();
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

/* The target's files are given back when the ring is closed, not some time later. */
static void test_close_gives_files_back(void **unused)
{
	char byte;
	int pipes[2];

	(void)unused;
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	open_ring(pipes[1], 1, 4096, false, true, false);
	close_ring();
	(void)close(pipes[1]);
	assert_int_equal(fcntl(pipes[0], F_SETFL, O_NONBLOCK), 0);
	/* The end of the pipe, not -EAGAIN: no writer is left. */
	assert_int_equal(read(pipes[0], &byte, 1), 0);
	(void)close(pipes[0]);
}

/* What the kernel is made to say. */
static int setup_result = 1; /* 1: the truth */
static const char *sysctl_text;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
int __real_io_uring_setup(unsigned int entries, struct io_uring_params *params);
int __wrap_io_uring_setup(unsigned int entries, struct io_uring_params *params);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	if (!strstr(path, "io_uring_disabled"))
		return __real_fopen(path, mode);
	if (sysctl_text)
		return fmemopen((void *)(uintptr_t)sysctl_text, strlen(sysctl_text), "r");
	errno = ENOENT;
	return NULL;
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	return __wrap_fopen(path, mode);
}

int __wrap_io_uring_setup(unsigned int entries, struct io_uring_params *params)
{
	return setup_result == 1 ? __real_io_uring_setup(entries, params) : setup_result;
}

static void test_why_there_is_none(void **unused)
{
	const struct {
		int result;
		const char *sysctl, *reason;
	} cases[] = {
		{-EPERM, "2\n", "refused by kernel.io_uring_disabled=2"},
		{-EPERM, "1\n", "refused by kernel.io_uring_disabled=1"},
		{-EPERM, "0\n", "refused: seccomp or a container's policy"},
		{-EPERM, NULL, "refused: seccomp or a container's policy"},
		{-ENOSYS, NULL, "no io_uring"},
		{-ENOMEM, "0\n", "Cannot allocate memory"},
	};
	char reason[200];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setup_result = cases[i].result;
		sysctl_text = cases[i].sysctl;
		assert_int_equal(measure_uring_available(reason, sizeof(reason)), cases[i].result);
		assert_non_null(strstr(reason, cases[i].reason));
	}
	setup_result = 1;
	assert_int_equal(measure_uring_available(reason, sizeof(reason)), 0);
}

/* ---- with a kernel thread that takes the requests ---- */

static unsigned int enters;	       /* counted */
static const struct io_uring *watched; /* the ring that was set up last */
static bool buffers_refused;

int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *set, size_t size);
int __real_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *set, size_t size);
int __wrap_io_uring_queue_init_params(unsigned int entries, struct io_uring *ring,
				      struct io_uring_params *params);
int __real_io_uring_queue_init_params(unsigned int entries, struct io_uring *ring,
				      struct io_uring_params *params);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *vectors,
				     unsigned int count);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *vectors,
				     unsigned int count);

int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *set, size_t size)
{
	enters++;
	return __real_io_uring_enter2(fd, submit, wait, flags, set, size);
}

int __wrap_io_uring_queue_init_params(unsigned int entries, struct io_uring *ring,
				      struct io_uring_params *params)
{
	watched = ring;
	if (params->flags & IORING_SETUP_SQPOLL)
		params->sq_thread_idle = 100; /* ms, so that it falls asleep while one waits */
	return __real_io_uring_queue_init_params(entries, ring, params);
}

int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *vectors,
				     unsigned int count)
{
	return buffers_refused ? -ENOMEM : __real_io_uring_register_buffers(ring, vectors, count);
}

static void by_both(void (*test)(void))
{
	test();
	kernel_thread = true;
	test();
	kernel_thread = false;
}

static void test_only_the_needed_operations(void **unused)
{
	(void)unused;
	by_both(only_the_needed_operations);
}

static void test_cancel(void **unused)
{
	(void)unused;
	by_both(cancel);
}

static void test_all_slots(void **unused)
{
	(void)unused;
	by_both(all_slots);
}

/* Who does not wait makes no call, but to wake the thread. */
static void test_no_call_a_batch(void **unused)
{
	enum { SLOTS = 16, ROUNDS = 2000 };
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	unsigned int ready, wakes = 0;

	(void)unused;
	assert_true(fd >= 0);
	kernel_thread = true;
	open_ring(fd, SLOTS, 4096, true, false, false);
	assert_non_null(strstr(backend->features, "requests taken by a kernel thread"));
	assert_null(strstr(backend->features, "task work"));
	enters = 0;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < SLOTS; i++)
			put(i, i, REQUEST_READ, 0, 0, 4096);
		wakes += (*watched->sq.kflags & IORING_SQ_NEED_WAKEUP) != 0;
		ready = (unsigned int)exchange(SLOTS, 0);
		while (ready < SLOTS)
			ready += (unsigned int)exchange(0, 0);
		assert_int_equal(ready, SLOTS);
	}
	/* It may have fallen asleep just after it was looked at. */
	assert_true(enters <= wakes + 2);
	close_ring();
	kernel_thread = false;
	(void)close(fd);
}

/* Until it sleeps, which its flag tells; then one more request. */
static void test_the_thread_is_woken(void **unused)
{
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uint64_t start_ns = clock_now_ns();

	(void)unused;
	assert_true(fd >= 0);
	kernel_thread = true;
	open_ring(fd, 4, 4096, true, false, false);
	assert_int_equal(one(REQUEST_READ, 0, 0, 4096, 0), 4096);
	while (!(__atomic_load_n(watched->sq.kflags, __ATOMIC_ACQUIRE) & IORING_SQ_NEED_WAKEUP))
		assert_true(clock_now_ns() - start_ns < 60 * NS_PER_S);
	assert_int_equal(one(REQUEST_READ, 0, 0, 4096, 1), 4096);
	close_ring();
	kernel_thread = false;
	(void)close(fd);
}

/* ---- insisted on ---- */

static void test_registered_buffers_insisted_on(void **unused)
{
	const int files[] = {open("/dev/zero", O_RDONLY | O_CLOEXEC)};
	const struct backend_config config = {.slots = 4,
					      .arena = &arena,
					      .files = files,
					      .file_count = 1,
					      .allowed = {[REQUEST_READ] = true},
					      .registered_buffers = true};
	struct backend *none = NULL;
	struct error err;

	(void)unused;
	buffers_refused = true;
	open_ring(files[0], 4, 4096, true, false, false);
	assert_non_null(strstr(backend->features, "buffers not registered"));
	assert_int_equal(one(REQUEST_READ, 0, 0, 4096, 0), 4096);
	assert_true(uring_open(&config, &none, &err) < 0);
	assert_non_null(strstr(err.message, "fixedbufs=1"));
	buffers_refused = false;
	close_ring();
	(void)close(files[0]);
}

/* ---- polling ---- */

/* What cannot be polled is told so, not waited for; the ring's exchange does not wait either. */
static void test_polled(void **unused)
{
	int fd = scratch(), flags = fcntl(fd, F_GETFL);

	(void)unused;
	assert_false(measure_polled(fd)); /* memory is no device */
	assert_int_equal(fcntl(fd, F_GETFL), flags);
	polled = true;
	open_ring(fd, 4, 4096, true, false, false);
	assert_non_null(strstr(backend->features, "polled completions"));
	put(0, 0, REQUEST_READ, 0, 0, 4096);
	assert_int_equal(exchange(1, 0), 1);
	assert_int_equal(completion(0)->result, -EOPNOTSUPP);
	assert_int_equal(exchange(0, 1), 0); /* none will come, and nobody waits */
	close_ring();
	polled = false;
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_needed_operations),
		cmocka_unit_test(test_arenas_beyond_a_gibibyte),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_priority_of_requests),
		cmocka_unit_test(test_all_slots),
		cmocka_unit_test(test_no_call_a_batch),
		cmocka_unit_test(test_the_thread_is_woken),
		cmocka_unit_test(test_registered_buffers_insisted_on),
		cmocka_unit_test(test_polled),
		cmocka_unit_test(test_wait_ends_in_time),
		cmocka_unit_test(test_close_gives_files_back),
		cmocka_unit_test(test_why_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
