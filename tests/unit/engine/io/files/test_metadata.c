/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of engine/io/files/metadata.c and its workers, on io_uring and threads alike: what the
 * phases leave behind is looked at with calls of the test's own, and what a directory's watcher
 * (inotify) tells.
 * Length: every option of the language has a test that fails where it is ignored.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/files/files_plan.h"
#include "engine/io/files/metadata.h"
#include "tests/unit/engine/plan/plan_helpers.h"
#include "tests/unit/tries.h"

#define DIRECTORIES_MAX 64

/* A place with the directories of a workload, as the target makes them. */
struct place {
	char path[64];
	size_t count;
	int fds[DIRECTORIES_MAX];
	struct workload workload;
	struct sample sample;
	struct error err;
};

static enum backend_kind backend;
static const char *parent = "/tmp";

static void place_open(struct place *place, const char *options)
{
	memset(place, 0, sizeof(*place));
	workload_init(&place->workload);
	sample_init(&place->sample);
	set_options(&place->workload, options);
	if (workload_complete(&place->workload, &place->err) != 0)
		fail_msg("%s: %s", options, place->err.message);
	snprintf(place->path, sizeof(place->path), "%s/volbench-test-XXXXXX", parent);
	assert_non_null(mkdtemp(place->path));
	place->count = place->workload.numjobs * place->workload.directories;
	assert_true(place->count <= DIRECTORIES_MAX);
	for (size_t i = 0; i < place->count; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%zu", place->path, i);
		assert_int_equal(mkdir(path, 0700), 0);
		place->fds[i] = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		assert_true(place->fds[i] >= 0);
	}
}

static void place_close(struct place *place)
{
	char command[128];

	for (size_t i = 0; i < place->count; i++)
		close(place->fds[i]);
	snprintf(command, sizeof(command), "rm -r %s", place->path);
	assert_int_equal(system(command), 0);
	sample_done(&place->sample);
	workload_done(&place->workload);
}

static int run_order(struct place *place, int order, atomic_bool *cancel)
{
	const struct metadata_spec spec = {
		.workload = &place->workload,
		.backend = backend,
		.order = order,
		.seed = 5,
		.directories = place->fds,
		.cancel = cancel,
	};

	return metadata_run(&spec, &place->sample, &place->err);
}

static void run_ok(struct place *place, int order)
{
	if (run_order(place, order, NULL) != 0)
		fail_msg("%s", place->err.message);
}

struct seen {
	size_t files, renamed, others;
	uint64_t bytes, least, most;
};

/* What lies in a directory. */
static struct seen look(const struct place *place, size_t directory)
{
	struct seen seen = {.least = UINT64_MAX};
	char path[128];
	struct dirent *entry;
	struct stat st;
	DIR *list;

	snprintf(path, sizeof(path), "%s/%zu", place->path, directory);
	list = opendir(path);
	assert_non_null(list);
	while ((entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		assert_int_equal(fstatat(dirfd(list), entry->d_name, &st, AT_SYMLINK_NOFOLLOW), 0);
		seen.files += files_plan_is_name(entry->d_name);
		seen.renamed += files_plan_is_name(entry->d_name) && entry->d_name[0] == 'r';
		seen.others += !files_plan_is_name(entry->d_name);
		seen.bytes += (uint64_t)st.st_size;
		seen.least = (uint64_t)st.st_size < seen.least ? (uint64_t)st.st_size : seen.least;
		seen.most = (uint64_t)st.st_size > seen.most ? (uint64_t)st.st_size : seen.most;
	}
	closedir(list);
	return seen;
}

/* Every phase has all files, once, with a latency each; seconds add up. */
static void test_phases_are_whole(void **state)
{
	static const enum file_operation all[] = {FILE_CREATE, FILE_WRITE,  FILE_STAT,
						  FILE_READ,   FILE_RENAME, FILE_DELETE};
	struct place place;
	double seconds = 0;

	(void)state;
	place_open(&place, "metadata=all nrfiles=700 numjobs=3 directories=4 filesize=1-9k "
			   "iodepth=5");
	run_ok(&place, FILE_ORDER_SEQUENTIAL);
	run_ok(&place, FILE_ORDER_RANDOM);
	assert_int_equal(place.sample.file_count, 2 * ARRAY_SIZE(all));
	for (size_t i = 0; i < place.sample.file_count; i++) {
		const struct file_result *result = &place.sample.files[i];

		assert_int_equal(result->operation, all[i % ARRAY_SIZE(all)]);
		assert_int_equal(result->order, (int)(i / ARRAY_SIZE(all)));
		assert_int_equal(result->ops, 2100);
		assert_int_equal(result->latency->count, 2100);
		assert_true(result->seconds > 0);
		/* No more outstanding than asked: Little's law, with a little for the clock. */
		assert_true((double)result->latency->sum_ns <=
			    15 * result->seconds * 1e9 * 1.01 + 1e6);
		seconds += result->seconds;
	}
	assert_true(place.sample.files[1].bytes > 2100 * 1024);
	assert_int_equal(place.sample.files[1].bytes, place.sample.files[3].bytes);
	assert_int_equal(place.sample.files[0].bytes, 0);
	assert_true(place.sample.seconds == seconds);
	assert_true(place.sample.depth_mean > 1 && place.sample.depth_mean < 15.2);
	assert_string_equal(place.sample.backend, backend_names[backend]);
	assert_int_equal(place.sample.latency_per_operation, backend == BACKEND_THREADS);
	for (size_t i = 0; i < place.count; i++)
		assert_int_equal(look(&place, i).files, 0);
	place_close(&place);
}

/* nrfiles, numjobs, directories and filesize by what is there after the last phase. */
static void test_what_is_made(void **state)
{
	struct place place;
	uint64_t bytes = 0;

	(void)state;
	place_open(&place, "metadata=create nrfiles=100 numjobs=2 directories=5 filesize=100-900");
	run_ok(&place, FILE_ORDER_SEQUENTIAL);
	for (size_t i = 0; i < place.count; i++) {
		struct seen seen = look(&place, i);

		assert_int_equal(seen.files, 20);
		assert_int_equal(seen.renamed + seen.others, 0);
		assert_true(seen.least >= 100 && seen.most <= 900 && seen.least < seen.most);
		bytes += seen.bytes;
	}
	assert_int_equal(place.sample.files[0].bytes, bytes);
	place_close(&place);
	/* Where writing is a phase of its own, files are made empty, and filled by it. */
	place_open(&place, "metadata=create,rename nrfiles=10 filesize=100");
	run_ok(&place, FILE_ORDER_SEQUENTIAL);
	assert_int_equal(look(&place, 0).renamed, 10);
	assert_int_equal(look(&place, 0).bytes, 1000);
	place_close(&place);
	place_open(&place, "metadata=create,write nrfiles=10 filesize=100");
	run_ok(&place, FILE_ORDER_SEQUENTIAL);
	assert_int_equal(look(&place, 0).bytes, 1000);
	assert_int_equal(place.sample.files[0].bytes, 0);
	assert_int_equal(place.sample.files[1].bytes, 1000);
	place_close(&place);
}

/* The names that a watcher saw come, in its order. */
static size_t watch_created(int watch, uint32_t *order, size_t room)
{
	_Alignas(struct inotify_event) char buffer[65536];
	size_t count = 0;
	ssize_t n;

	while ((n = read(watch, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + n;) {
			const struct inotify_event *event = (void *)at;

			if (event->mask & IN_CREATE && count < room)
				order[count++] = (uint32_t)strtoul(event->name + 1, NULL, 10);
			at += sizeof(*event) + event->len;
		}
	return count;
}

/* file_order: the sequence in which names come, one at a time. */
static void test_order_is_kept(void **state)
{
	for (int order = FILE_ORDER_SEQUENTIAL; order <= FILE_ORDER_RANDOM; order++) {
		uint32_t seen[201], expected[200];
		struct files_plan plan;
		struct place place;
		char path[128];
		int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

		(void)state;
		place_open(&place, "metadata=create nrfiles=200");
		snprintf(path, sizeof(path), "%s/0", place.path);
		assert_true(inotify_add_watch(watch, path, IN_CREATE | IN_DELETE) >= 0);
		run_ok(&place, order);
		/* The first one is made and removed before, to learn what the file system can. */
		assert_int_equal(watch_created(watch, seen, 201), 201);
		files_plan_init(&plan, &place.workload, 0, 5);
		files_plan_order(&plan, order == FILE_ORDER_RANDOM, FILE_CREATE, expected);
		assert_memory_equal(seen + 1, expected, sizeof(expected));
		close(watch);
		place_close(&place);
	}
}

/* Files of a directory whose bytes have no place on the disk yet; -1: it cannot be told here. */
static int unwritten(const struct place *place)
{
	int count = 0;

	for (uint64_t i = 0; i < place->workload.nrfiles; i++) {
		_Alignas(struct fiemap) char
			space[sizeof(struct fiemap) + sizeof(struct fiemap_extent)] = {0};
		struct fiemap *map = (void *)space;
		char name[FILES_NAME_MAX], path[160];
		int fd, rc;

		snprintf(path, sizeof(path), "%s/0/%s", place->path,
			 files_plan_name(i, false, name));
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		map->fm_length = UINT64_MAX;
		map->fm_extent_count = 1;
		rc = ioctl(fd, FS_IOC_FIEMAP, map);
		close(fd);
		if (rc < 0)
			return -1;
		count += map->fm_mapped_extents > 0 &&
			 map->fm_extents[0].fe_flags & FIEMAP_EXTENT_DELALLOC;
	}
	return count;
}

/* Where the file system allocates late, files that were synced have their places on the disk. */
static void test_syncs_are_done(void **state)
{
	static const char *const options[] = {"", "fsync=1", "fdatasync=1"};

	(void)state;
	parent = "/var/tmp";
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct place place;
		char text[128];
		int left;

		snprintf(text, sizeof(text), "metadata=create nrfiles=30 filesize=4k iodepth=4 %s",
			 options[i]);
		place_open(&place, text);
		run_ok(&place, FILE_ORDER_SEQUENTIAL);
		left = unwritten(&place);
		place_close(&place);
		if (i == 0 && left <= 0) {
			parent = "/tmp";
			print_message("syncs are not tested: /var/tmp does not allocate late\n");
			skip();
		}
		if (i > 0)
			assert_int_equal(left, 0);
	}
	parent = "/tmp";
}

/* A file that is there already is not written to, and a symbolic link is not followed. */
static void test_hostile_names(void **state)
{
	static const char kept[] = "somebody's own";
	struct place place;
	char target[128], link[128], text[32] = "";
	FILE *file;

	(void)state;
	place_open(&place, "metadata=create,delete nrfiles=20 filesize=4k");
	snprintf(target, sizeof(target), "%s/precious", place.path);
	file = fopen(target, "we");
	assert_non_null(file);
	fputs(kept, file);
	assert_int_equal(fclose(file), 0);
	snprintf(link, sizeof(link), "%s/0/f00000013", place.path);
	assert_int_equal(symlink(target, link), 0);
	assert_true(run_order(&place, FILE_ORDER_SEQUENTIAL, NULL) < 0);
	assert_int_equal(place.err.code, ERROR_FILE_EXISTS);
	assert_non_null(strstr(place.err.message, "f00000013"));
	assert_int_equal(place.sample.error_count >= 1, 1);
	file = fopen(target, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, kept);
	place_close(&place);
}

/* Swapped beneath the phases: a stat tells it is not what was made, a read what is missing. */
static void test_lost_files_are_told(void **state)
{
	struct place place;
	struct rlimit limit, less;

	(void)state;
	place_open(&place, "metadata=create,read nrfiles=20 filesize=64k");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	less = limit;
	less.rlim_cur = 1000;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
	assert_true(run_order(&place, FILE_ORDER_SEQUENTIAL, NULL) < 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(place.err.code, ERROR_IO_ERROR);
	assert_non_null(strstr(place.err.message, "create of a file"));
	assert_non_null(strstr(place.err.message, "bytes of f0"));
	place_close(&place);
}

static size_t count_threads(void)
{
	struct dirent *entry;
	DIR *list = opendir("/proc/self/task");
	size_t count = 0;

	assert_non_null(list);
	while ((entry = readdir(list)))
		count += entry->d_name[0] != '.';
	closedir(list);
	return count;
}

struct counter {
	atomic_bool over;
	size_t most;
};

static void *count_most(void *argument)
{
	struct counter *counter = argument;

	while (!atomic_load(&counter->over)) {
		size_t count = count_threads();

		counter->most = count > counter->most ? count : counter->most;
		sched_yield();
	}
	return NULL;
}

/* iodepth: so many files at a time, each of them a thread of ours; or outstanding in the ring. 16
 * but for what nobody looked at in time, or a pause of the machine; one a job would be 2. */
static bool depth_reached(struct place *place)
{
	struct counter counter = {0};
	size_t before = count_threads();
	pthread_t thread;

	place_open(place, "metadata=create,stat,delete nrfiles=5000 numjobs=2 iodepth=8");
	assert_int_equal(pthread_create(&thread, NULL, count_most, &counter), 0);
	run_ok(place, FILE_ORDER_RANDOM);
	atomic_store(&counter.over, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	if (backend != BACKEND_THREADS) {
		assert_true(place->sample.depth_mean < 16.2);
		return place->sample.depth_mean > 12;
	}
	assert_true(counter.most <= before + 1 + 16);
	return counter.most > before + 9;
}

static void test_depth_is_reached(void **state)
{
	unsigned int tries = 0;
	struct place place;
	bool reached;

	(void)state;
	do {
		reached = depth_reached(&place);
		place_close(&place);
	} while (again(reached, &tries));
	assert_true(reached);
}

struct canceller {
	atomic_bool *cancel;
	const char *directory;
	uint64_t at_ns;
};

/* Cancels once there are files. */
static void *cancel_later(void *argument)
{
	struct canceller *canceller = argument;
	struct stat st;
	char path[160];

	snprintf(path, sizeof(path), "%s/f00000100", canceller->directory);
	while (stat(path, &st) < 0)
		sched_yield();
	canceller->at_ns = clock_now_ns();
	atomic_store(canceller->cancel, true);
	return NULL;
}

/* How long it goes on after the flag was raised. */
static uint64_t cancelled_within_ns(void)
{
	struct place place;
	atomic_bool cancel = false;
	char path[128];
	struct canceller canceller = {&cancel, path, 0};
	uint64_t ended_ns;
	pthread_t thread;

	place_open(&place, "metadata=create,delete nrfiles=1000000 iodepth=4");
	snprintf(path, sizeof(path), "%s/0", place.path);
	assert_int_equal(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
	assert_int_equal(run_order(&place, FILE_ORDER_SEQUENTIAL, &cancel), -ECANCELED);
	ended_ns = clock_now_ns();
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(place.err.code, ERROR_CANCELLED);
	assert_int_equal(place.sample.file_count, 0);
	place_close(&place);
	return ended_ns - canceller.at_ns;
}

static void test_cancel(void **state)
{
	unsigned int tries = 0;
	uint64_t within_ns;

	(void)state;
	do
		within_ns = cancelled_within_ns();
	while (again(within_ns < NS_PER_S, &tries));
	assert_true(within_ns < NS_PER_S);
}

/* A directory that is not there any more: the first operation says so, none hangs. */
static void test_a_directory_that_went(void **state)
{
	struct place place;
	char path[128];

	(void)state;
	place_open(&place, "metadata=create nrfiles=20 directories=2 iodepth=8");
	snprintf(path, sizeof(path), "%s/1", place.path);
	assert_int_equal(rmdir(path), 0);
	assert_true(run_order(&place, FILE_ORDER_SEQUENTIAL, NULL) < 0);
	assert_int_equal(place.err.code, ERROR_IO_ERROR);
	assert_int_equal(place.err.sys, ENOENT);
	assert_int_equal(mkdir(path, 0700), 0);
	place_close(&place);
}

static void test_memory(void **state)
{
	struct workload small, large;

	(void)state;
	workload_init(&small);
	workload_init(&large);
	set_options(&small, "metadata=create nrfiles=1000");
	set_options(&large, "metadata=create,read nrfiles=100000 numjobs=4 iodepth=32 "
			    "filesize=1m");
	assert_int_equal(workload_complete(&small, NULL), 0);
	assert_int_equal(workload_complete(&large, NULL), 0);
	assert_true(metadata_memory(&small, backend) < UINT64_C(2) << 20);
	/* A buffer for each, and four orders. */
	assert_true(metadata_memory(&large, backend) > (UINT64_C(128) << 20) + 1600000);
	assert_true(metadata_memory(&large, backend) < UINT64_C(200) << 20);
	workload_done(&small);
	workload_done(&large);
}

static int on_uring(void **state)
{
	char reason[160];

	(void)state;
	backend = BACKEND_IO_URING;
	if (measure_uring_available(reason, sizeof(reason)) == 0 &&
	    metadata_ring_available(reason, sizeof(reason)) == 0)
		return 0;
	print_message("io_uring is not tested: %s\n", reason);
	return 1;
}

static int on_threads(void **state)
{
	(void)state;
	backend = BACKEND_THREADS;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases_are_whole),
		cmocka_unit_test(test_what_is_made),
		cmocka_unit_test(test_order_is_kept),
		cmocka_unit_test(test_depth_is_reached),
		cmocka_unit_test(test_syncs_are_done),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_lost_files_are_told),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_a_directory_that_went),
		cmocka_unit_test(test_memory),
	};
	void *none = NULL;
	int failed = cmocka_run_group_tests_name("threads", tests, on_threads, NULL);

	if (on_uring(&none) == 0)
		failed += cmocka_run_group_tests_name("io_uring", tests, on_uring, NULL);
	return failed;
}
