/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_placement.c - on which CPUs and with which I/O priority the workers of each backend run:
 * read off the kernel's own account of them while they run.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/backend.h"
#include "engine/io/measure.h"
#include "engine/io/placement.h"

#define WORKERS_MAX 64

struct seen {
	atomic_bool cancel;
	size_t count; /* workers, at the last tick */
	struct cpus cpus[WORKERS_MAX];
	int priority[WORKERS_MAX];
};

static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS, BACKEND_NULL};
static struct cpus allowed;
static size_t first, second; /* two of them; the same where there is but one */

/* Of a thread; the kernel's own for a ring are "iou-...". */
static bool name_of(pid_t id, char name[64])
{
	char path[64];
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)id);
	file = fopen(path, "re");
	if (!file)
		return false; /* it has ended */
	if (!fgets(name, 64, file))
		name[0] = '\0';
	(void)fclose(file);
	return name[0] != '\0';
}

/* Threads that were there before: this one, and a sanitizer's own. */
static pid_t others[32];

static void note_others(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	size_t count = 0;

	assert_non_null(tasks);
	memset(others, 0, sizeof(others));
	while ((entry = readdir(tasks)))
		if (*entry->d_name != '.' && count < ARRAY_SIZE(others))
			others[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
	(void)closedir(tasks);
}

static bool is_other(pid_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i] == id)
			return true;
	return false;
}

/* Every later thread of this process is one. */
static bool is_worker(pid_t id)
{
	char name[64];

	return !is_other(id) && name_of(id, name) && strncmp(name, "iou-", 4) != 0;
}

static void look(void *arg, double seconds_done, uint64_t bytes_done)
{
	struct seen *seen = arg;
	struct dirent *entry;
	DIR *tasks;

	(void)seconds_done;
	if (bytes_done == 0)
		return; /* the kernel's thread may not have its name and place yet */
	tasks = opendir("/proc/self/task");
	assert_non_null(tasks);
	seen->count = 0;
	while ((entry = readdir(tasks))) {
		pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
		struct cpus *cpus = &seen->cpus[seen->count];

		if (id == 0 || !is_worker(id))
			continue;
		assert_true(seen->count < WORKERS_MAX);
		*cpus = (struct cpus){0};
		assert_true(syscall(SYS_sched_getaffinity, id, sizeof(cpus->bits), cpus->bits) > 0);
		seen->priority[seen->count++] =
			(int)syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, id);
	}
	(void)closedir(tasks);
	atomic_store(&seen->cancel, true); /* all is seen */
}

static void (*at_tick)(void *arg, double seconds_done, uint64_t bytes_done) = look;

static void prepare(struct workload *workload, uint64_t jobs, uint64_t depth)
{
	workload_init(workload);
	workload->rw = RW_RANDREAD;
	workload->bs[0] = workload->bs[1] = 4096;
	workload->size = 65536;
	workload->numjobs = jobs;
	workload->iodepth = depth;
	workload->time_based = workload->group_reporting = true;
	workload->runtime_ns = 60 * NS_PER_S;
}

static void set(struct workload *workload, enum option_id id, const char *text)
{
	assert_int_equal(option_parse(option_at(id), text, workload, NULL), 0);
}

/* Runs until the workers were looked at. */
static void run(enum backend_kind backend, const struct workload *workload, struct seen *seen)
{
	struct measure_region regions[8] = {0};
	struct measure_spec spec = {.workload = workload,
				    .backend = backend,
				    .region_count = workload->numjobs,
				    .regions = regions,
				    .cancel = &seen->cancel,
				    .tick = at_tick,
				    .arg = seen};
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct sample sample;
	struct error err;

	assert_true(fd >= 0 && workload->numjobs <= ARRAY_SIZE(regions));
	for (size_t i = 0; i < workload->numjobs; i++)
		regions[i] = (struct measure_region){.fd = fd, .length = 65536};
	memset(seen, 0, sizeof(*seen));
	note_others();
	sample_init(&sample);
	if (measure_run(&spec, &sample, &err) != -ECANCELED)
		fail_msg("%s", err.message);
	assert_true(seen->count > 0);
	sample_done(&sample);
	(void)close(fd);
}

static bool is_only(const struct cpus *cpus, size_t number)
{
	return cpus_count(cpus) == 1 && cpus_has(cpus, number);
}

static size_t count_on(const struct seen *seen, size_t number)
{
	size_t count = 0;

	for (size_t i = 0; i < seen->count; i++)
		count += is_only(&seen->cpus[i], number);
	return count;
}

static void list(char text[32])
{
	(void)snprintf(text, 32, "%zu,%zu", first, second);
}

static void test_shared(void **unused)
{
	char both[32];

	(void)unused;
	list(both);
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		size_t workers = backends[b] == BACKEND_THREADS ? 8 : first == second ? 1 : 2;
		struct workload workload;
		struct seen seen;

		prepare(&workload, 4, 2);
		set(&workload, OPTION_ID_CPUS_ALLOWED, both);
		run(backends[b], &workload, &seen);
		assert_int_equal(seen.count, workers);
		for (size_t i = 0; i < seen.count; i++) {
			assert_int_equal(cpus_count(&seen.cpus[i]), first == second ? 1 : 2);
			assert_true(cpus_has(&seen.cpus[i], first));
			assert_true(cpus_has(&seen.cpus[i], second));
		}
		workload_done(&workload);
	}
}

/* One CPU of two: one reactor, and all threads on it. */
static void test_one_cpu(void **unused)
{
	char one[32];

	(void)unused;
	(void)snprintf(one, sizeof(one), "%zu", second);
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		struct workload workload;
		struct seen seen;

		prepare(&workload, 4, 2);
		set(&workload, OPTION_ID_CPUS_ALLOWED, one);
		run(backends[b], &workload, &seen);
		assert_int_equal(seen.count, backends[b] == BACKEND_THREADS ? 8 : 1);
		assert_int_equal(count_on(&seen, second), seen.count);
		workload_done(&workload);
	}
}

/* Jobs 0 and 2 on the first CPU, job 1 on the second, with each thread of theirs. */
static void test_split(void **unused)
{
	char both[32];

	(void)unused;
	if (first == second) {
		print_message("skipped: there is but one CPU to deal out\n");
		skip();
	}
	list(both);
	for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
		bool threads = backends[b] == BACKEND_THREADS;
		struct workload workload;
		struct seen seen;

		prepare(&workload, 3, 2);
		set(&workload, OPTION_ID_CPUS_ALLOWED, both);
		set(&workload, OPTION_ID_CPUS_ALLOWED_POLICY, "split");
		run(backends[b], &workload, &seen);
		assert_int_equal(seen.count, threads ? 6 : 2);
		assert_int_equal(count_on(&seen, first), threads ? 4 : 1);
		assert_int_equal(count_on(&seen, second), threads ? 2 : 1);
		workload_done(&workload);
	}
}

/* CPUs above the kernel's are none this process may use. */
static void test_cpus_not_allowed(void **unused)
{
	struct workload workload;
	struct error err;
	char text[64], word[32];

	(void)unused;
	prepare(&workload, 1, 1);
	(void)snprintf(text, sizeof(text), "%zu,4000-4001", first);
	set(&workload, OPTION_ID_CPUS_ALLOWED, text);
	assert_true(placement_check(&workload, &err) < 0);
	assert_int_equal(err.code, ERROR_CONFLICT);
	assert_string_equal(err.field, "cpus_allowed");
	assert_non_null(strstr(err.message, "CPU 4000-4001 of cpus_allowed="));
	(void)snprintf(word, sizeof(word), "%zu", first);
	assert_non_null(strstr(err.message, word));
	workload_done(&workload);
}

static void test_priority(void **unused)
{
	static const struct {
		const char *prio, *class;
		int expected;
	} cases[] = {
		{"3", NULL, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 3)},
		{"0", NULL, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 0)},
		{"7", "2", IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 7)},
		{NULL, "3", IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0)},
		{"5", "1", IOPRIO_PRIO_VALUE(IOPRIO_CLASS_RT, 5)},
	};
	long before = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);

	(void)unused;
	for (size_t c = 0; c < ARRAY_SIZE(cases); c++) {
		for (size_t b = 0; b < ARRAY_SIZE(backends); b++) {
			struct workload workload;
			struct error err;
			struct seen seen;
			bool may;

			prepare(&workload, 2, 2);
			if (cases[c].prio)
				set(&workload, OPTION_ID_PRIO, cases[c].prio);
			if (cases[c].class)
				set(&workload, OPTION_ID_PRIOCLASS, cases[c].class);
			may = placement_check(&workload, &err) == 0;
			/* Only real time may be refused, by name. */
			if (!may) {
				assert_string_equal(cases[c].class, "1");
				assert_string_equal(err.field, "prioclass");
				assert_non_null(strstr(err.message, "CAP_SYS_NICE"));
				workload_done(&workload);
				continue;
			}
			run(backends[b], &workload, &seen);
			for (size_t i = 0; i < seen.count; i++)
				assert_int_equal(seen.priority[i], cases[c].expected);
			workload_done(&workload);
		}
	}
	/* The process itself goes on as before. */
	assert_int_equal(syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0), before);
}

/* The kernel's thread that takes requests off a ring: there when asked for, on its CPU. */
static bool find_kernel_thread(struct cpus *ret_cpus)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	bool found = false;

	assert_non_null(tasks);
	while (!found && (entry = readdir(tasks))) {
		pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
		char name[64];

		found = id != 0 && !is_other(id) && name_of(id, name) &&
			strncmp(name, "iou-sqp", 7) == 0;
		*ret_cpus = (struct cpus){0};
		if (found)
			assert_true(syscall(SYS_sched_getaffinity, id, sizeof(ret_cpus->bits),
					    ret_cpus->bits) > 0);
	}
	(void)closedir(tasks);
	return found;
}

static struct cpus kernel_cpus;
static bool kernel_thread;

static void look_for_kernel_thread(void *arg, double seconds_done, uint64_t bytes_done)
{
	if (bytes_done > 0)
		kernel_thread = find_kernel_thread(&kernel_cpus);
	look(arg, seconds_done, bytes_done);
}

static void test_kernel_thread(void **unused)
{
	char cpu[32];

	(void)unused;
	(void)snprintf(cpu, sizeof(cpu), "%zu", second);
	for (int asked = 0; asked < 3; asked++) {
		struct workload workload;
		struct seen seen;

		prepare(&workload, 1, 4);
		if (asked > 0)
			set(&workload, OPTION_ID_SQTHREAD_POLL, "1");
		if (asked > 1)
			set(&workload, OPTION_ID_SQTHREAD_POLL_CPU, cpu);
		at_tick = look_for_kernel_thread;
		run(BACKEND_IO_URING, &workload, &seen);
		at_tick = look;
		assert_int_equal(kernel_thread, asked > 0);
		if (asked > 1)
			assert_true(is_only(&kernel_cpus, second));
		workload_done(&workload);
	}
}

static void test_kernel_thread_not_allowed(void **unused)
{
	struct workload workload;
	struct error err;

	(void)unused;
	prepare(&workload, 1, 1);
	set(&workload, OPTION_ID_SQTHREAD_POLL, "1");
	set(&workload, OPTION_ID_SQTHREAD_POLL_CPU, "4095");
	assert_true(placement_check(&workload, &err) < 0);
	assert_string_equal(err.field, "sqthread_poll_cpu");
	assert_non_null(strstr(err.message, "CPU 4095"));
	workload_done(&workload);
}

/* Without the options the workers are as the process. */
static void test_nothing_asked(void **unused)
{
	struct workload workload;
	struct seen seen;

	(void)unused;
	prepare(&workload, 2, 1);
	run(BACKEND_IO_URING, &workload, &seen);
	for (size_t i = 0; i < seen.count; i++) {
		assert_memory_equal(&seen.cpus[i], &allowed, sizeof(allowed));
		assert_int_equal(seen.priority[i], syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0));
	}
	workload_done(&workload);
}

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_cpus_not_allowed),
		cmocka_unit_test(test_priority),
		cmocka_unit_test(test_kernel_thread),
		cmocka_unit_test(test_kernel_thread_not_allowed),
		cmocka_unit_test(test_nothing_asked),
	};
	pthread_t id;

	/* A sanitizer begins threads of its own with the first that is made. */
	if (pthread_create(&id, NULL, nothing, NULL) == 0)
		(void)pthread_join(id, NULL);
	placement_allowed(&allowed);
	first = cpus_nth(&allowed, 0);
	second = cpus_nth(&allowed, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
