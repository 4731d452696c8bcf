/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fill.c - every byte of a target is written, allocated, and unlike the others; failures are
 * told and never taken for a full target.
 *
 * link: -Wl,--wrap=pwrite,--wrap=fsync,--wrap=sync_file_range
 */
#include "engine/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/target/manifest.h"

static int pwrite_error, fsync_error, range_error; /* 0: the real call */
static unsigned int fsyncs;

ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t at)
{
	errno = pwrite_error;
	return pwrite_error ? -1 : __real_pwrite(fd, data, size, at);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	fsyncs++;
	errno = fsync_error;
	return fsync_error ? -1 : __real_fsync(fd);
}

int __real_sync_file_range(int fd, off_t at, off_t size, unsigned int flags);
int __wrap_sync_file_range(int fd, off_t at, off_t size, unsigned int flags);
int __wrap_sync_file_range(int fd, off_t at, off_t size, unsigned int flags)
{
	errno = range_error;
	return range_error ? -1 : __real_sync_file_range(fd, at, size, flags);
}

struct place {
	char directory[64], state[80], path[96];
	int state_dirfd;
	struct allow *allow;
	struct manifest *manifest;
	struct target *target;
	uint64_t told;
	atomic_bool cancel;
};

/* A directory target of `files` files, or a file where files is 0. */
static void begin(struct place *place, uint64_t bytes, uint64_t files)
{
	const char *paths[] = {place->directory};
	const struct target_spec spec = {.kind = files ? TARGET_DIRECTORY : TARGET_FILE,
					 .path = place->path};
	const struct target_need need = {
		.bytes = bytes, .files = files ? files : 1, .writes = true, .direct = true};
	struct target_making making = {.run_id = "run"};
	struct error err;

	memset(place, 0, sizeof(*place));
	(void)snprintf(place->directory, sizeof(place->directory), "/var/tmp/run-fill-XXXXXX");
	assert_non_null(mkdtemp(place->directory));
	(void)snprintf(place->state, sizeof(place->state), "%s/state", place->directory);
	(void)snprintf(place->path, sizeof(place->path), "%s/target", place->directory);
	assert_int_equal(mkdir(place->state, 0700), 0);
	if (files)
		assert_int_equal(mkdir(place->path, 0700), 0);
	place->state_dirfd = open(place->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(place->state_dirfd >= 0);
	assert_int_equal(allow_new(paths, 1, &place->allow, &err), 0);
	assert_int_equal(manifest_new(place->state_dirfd, "run", &place->manifest), 0);
	making.manifest = place->manifest;
	if (target_create(place->allow, &spec, &need, &making, &place->target, &err) < 0)
		fail_msg("%s", err.message);
}

static void end(struct place *place)
{
	struct error err;

	assert_int_equal(target_remove(place->target, NULL, NULL, &err), 0);
	target_free(place->target);
	assert_int_equal(manifest_finish(place->manifest), 0);
	manifest_free(place->manifest);
	allow_free(place->allow);
	assert_int_equal(close(place->state_dirfd), 0);
	assert_int_equal(rmdir(place->state), 0);
	(void)rmdir(place->path); /* a directory target's own */
	assert_int_equal(rmdir(place->directory), 0);
}

static void tick(void *arg, uint64_t bytes_done)
{
	struct place *place = arg;

	assert_true(bytes_done >= place->told);
	place->told = bytes_done;
}

static int fill(struct place *place, enum backend_kind backend, struct error *err)
{
	const struct fill_config config = {
		.backend = backend,
		.direct = target_info(place->target)->direct,
		.seed = 7,
		.cancel = &place->cancel,
		.tick = tick,
		.arg = place,
	};

	return fill_target(place->target, &config, err);
}

/* Whether all 512-byte pieces are there and no two neighbours are alike. */
static void expect_filled(const struct place *place)
{
	struct measure_region *regions;
	struct error err;
	size_t count;

	assert_int_equal(target_open_fill(place->target, &regions, &count, &err), 0);
	for (size_t i = 0; i < count; i++) {
		unsigned char data[512] = {0}, before[512] = {0};
		struct stat status;
		uint64_t at = 0;
		ssize_t n;

		assert_int_equal(fcntl(regions[i].fd, F_SETFL, 0), 0); /* without O_DIRECT */
		assert_int_equal(fstat(regions[i].fd, &status), 0);
		assert_true((uint64_t)status.st_size >= regions[i].length);
		assert_true((uint64_t)status.st_blocks * 512 >= regions[i].length);
		for (; at < regions[i].length; at += (uint64_t)n) {
			size_t left = (size_t)(regions[i].length - at);

			n = pread(regions[i].fd, data, left < 512 ? left : 512,
				  (off_t)(regions[i].offset + at));
			assert_true(n > 0);
			if (n >= 16 && memcmp(data, before, (size_t)n) == 0)
				fail_msg("byte %llu of file %zu is like what stands before it",
					 (unsigned long long)at, i);
			memcpy(before, data, sizeof(before));
		}
	}
	target_close_regions(regions, count);
}

static void fills(uint64_t bytes, uint64_t files, enum backend_kind backend)
{
	struct place place;
	struct error err;

	begin(&place, bytes, files);
	if (fill(&place, backend, &err) < 0)
		fail_msg("%s", err.message);
	expect_filled(&place);
	/* Files are as long as direct I/O's alignment makes them. */
	assert_true(place.told >= bytes * (files ? files : 1));
	assert_true(place.told < (bytes + 4096) * (files ? files : 1));
	end(&place);
}

static void test_filled(void **state)
{
	(void)state;
	fills(4 << 20, 0, BACKEND_THREADS);
	fills((3 << 20) + 12345, 0, BACKEND_THREADS);
	fills((3 << 20) + 4096, 0, BACKEND_NULL); /* taken for io_uring where there is one */
	fills(700, 0, BACKEND_THREADS);
	fills((1 << 20) + 512, 11, BACKEND_THREADS); /* more files than at once */
}

static void fails(int error, int *which, enum error_code code)
{
	struct place place;
	struct error err;

	begin(&place, (1 << 20) + 700, 0);
	*which = error;
	assert_int_equal(fill(&place, BACKEND_THREADS, &err), -error);
	*which = 0;
	assert_int_equal(err.code, code);
	end(&place);
}

static void test_failures(void **state)
{
	(void)state;
	fails(EIO, &pwrite_error, ERROR_IO_ERROR);
	fails(ENOSPC, &pwrite_error, ERROR_NO_SPACE);
	fails(EIO, &fsync_error, ERROR_IO_ERROR);
	fails(EIO, &range_error, ERROR_IO_ERROR);
}

static void test_cancelled(void **state)
{
	struct place place;
	struct error err;

	(void)state;
	begin(&place, 64 << 20, 0);
	atomic_store(&place.cancel, true);
	assert_int_equal(fill(&place, BACKEND_THREADS, &err), -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
	end(&place);
}

/* Regions of one descriptor are synced once; a file that knows no ranges is synced as well. */
static void test_settled(void **state)
{
	struct measure_region regions[3] = {{.length = 4096}, {.length = 4096}, {.length = 4096}};
	FILE *one = tmpfile(), *two = tmpfile();
	struct error err;

	(void)state;
	assert_non_null(one);
	assert_non_null(two);
	regions[0].fd = regions[1].fd = fileno(one);
	regions[2].fd = fileno(two);
	fsyncs = 0;
	assert_int_equal(fill_settle(regions, 3, NULL, NULL, NULL, &err), 0);
	assert_int_equal(fsyncs, 2);
	range_error = ESPIPE;
	assert_int_equal(fill_settle(regions, 3, NULL, NULL, NULL, &err), 0);
	range_error = 0;
	assert_int_equal(fsyncs, 4);
	assert_int_equal(fclose(one), 0);
	assert_int_equal(fclose(two), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filled),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_settled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
