/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_target.c - files, directories and /dev/zero as targets: what is refused stays as it was,
 * what is made goes away again, whatever fails in between. Devices are in test_device.c.
 *
 * Length: one set of failing calls and of places serves a target's whole life.
 *
 * link: -Wl,--wrap=fallocate,--wrap=ftruncate,--wrap=fsync,--wrap=renameat2,--wrap=linkat
 * link: -Wl,--wrap=openat,--wrap=write,--wrap=close,--wrap=unlinkat,--wrap=fcntl
 * link: -Wl,--wrap=posix_fadvise,--wrap=fstat
 */
#include "engine/target/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/target/manifest.h"

/* ---- the calls, made to fail ---- */

static struct {
	bool on;
	const char *only; /* NULL: all */
	unsigned int calls, fail_at;
	bool for_good;
	int error;
	bool failed;
	bool dies; /* killed there, in place of failing */
	unsigned int fsyncs, advices;
	bool no_direct;
} script;

static void script_begin(const char *only, unsigned int fail_at, bool for_good, int error)
{
	memset(&script, 0, sizeof(script));
	script.only = only;
	script.fail_at = fail_at;
	script.for_good = for_good;
	script.error = error;
	script.on = true;
}

static void script_end(void)
{
	script.on = false;
}

static bool fails(const char *name)
{
	if (!script.on || (script.only && strcmp(script.only, name) != 0))
		return false;
	script.calls++;
	if (script.fail_at == 0 || script.calls < script.fail_at ||
	    (script.calls > script.fail_at && !script.for_good))
		return false;
	if (script.dies)
		(void)raise(SIGKILL);
	script.failed = true;
	errno = script.error;
	return true;
}

#define WRAP(type, name, parameters, arguments)                                                    \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(#name) ? -1 : __real_##name arguments;                                \
	}
WRAP(int, fallocate, (int fd, int mode, off_t offset, off_t length), (fd, mode, offset, length))
WRAP(int, ftruncate, (int fd, off_t length), (fd, length))
WRAP(int, renameat2, (int a, const char *b, int c, const char *d, unsigned int flags),
     (a, b, c, d, flags))
WRAP(int, linkat, (int a, const char *b, int c, const char *d, int flags), (a, b, c, d, flags))
WRAP(int, unlinkat, (int dirfd, const char *name, int flags), (dirfd, name, flags))
WRAP(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
WRAP(int, fstat, (int fd, struct stat *st), (fd, st))

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	script.fsyncs++;
	return fails("fsync") ? -1 : __real_fsync(fd);
}

int __real_posix_fadvise(int fd, off_t offset, off_t length, int advice);
int __wrap_posix_fadvise(int fd, off_t offset, off_t length, int advice);
int __wrap_posix_fadvise(int fd, off_t offset, off_t length, int advice)
{
	script.advices++;
	return __real_posix_fadvise(fd, offset, length, advice);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int r = __real_close(fd);

	return fails("close") ? -1 : r; /* Linux has closed it all the same */
}

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = 0;

	if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
		va_list arguments;

		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		va_end(arguments);
	}
	return fails("openat") ? -1 : __real_openat(dirfd, path, flags, mode);
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...)
{
	va_list arguments;
	int value;

	va_start(arguments, command);
	value = va_arg(arguments, int);
	va_end(arguments);
	if (script.no_direct && command == F_SETFL && (value & O_DIRECT)) {
		errno = EINVAL;
		return -1;
	}
	return fails("fcntl") ? -1 : __real_fcntl(fd, command, value);
}

/* ---- places ---- */

/* TOP/state is the engine's own directory, TOP/data is allowed, as is /dev/zero. */
static char top[64];
static int state_fd = -1;
static struct allow *allow;
static struct manifest *manifest;
static struct target_making making; /* with that manifest */

static char *in(const char *rest)
{
	static char buffer[64][512];
	static unsigned int next;
	char *path = buffer[next++ % ARRAY_SIZE(buffer)];

	(void)snprintf(path, sizeof(buffer[0]), "%s/%s", top, rest);
	return path;
}

static int begin(void **state)
{
	const char *paths[2];

	(void)state;
	script_end();
	script.no_direct = false;
	(void)snprintf(top, sizeof(top), "/var/tmp/volbench-test-target-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	assert_int_equal(mkdir(in("state"), 0700), 0);
	assert_int_equal(mkdir(in("data"), 0700), 0);
	assert_int_equal(mkdir(in("data/dir"), 0700), 0);
	state_fd = open(in("state"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	paths[0] = in("data");
	paths[1] = "/dev/zero";
	assert_int_equal(allow_new(paths, 2, &allow, NULL), 0);
	if (manifest_new(state_fd, "run", &manifest) < 0)
		return -1;
	making = (struct target_making){.run_id = "run", .manifest = manifest};
	return 0;
}

static int end(void **state)
{
	int parent = open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	(void)state;
	script_end();
	manifest_free(manifest);
	allow_free(allow);
	(void)close(state_fd);
	r = file_remove_tree(parent, strrchr(top, '/') + 1);
	(void)close(parent);
	return r;
}

static unsigned int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	(void)closedir(dir);
	return count - 2;
}

static void put(const char *rest, const char *text, off_t size)
{
	int fd = open(in(rest), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	if (size > 0)
		assert_int_equal(ftruncate(fd, size), 0);
	(void)close(fd);
}

static void assert_starts(const char *rest, const char *text)
{
	char buffer[64] = "";
	int fd = open(in(rest), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, buffer, strlen(text)), (ssize_t)strlen(text));
	assert_string_equal(buffer, text);
	(void)close(fd);
}

static const struct target_need plain = {.bytes = 1 << 20, .files = 1, .writes = true};
static const struct target_need reading = {.bytes = 1 << 20, .files = 1};

/* Both the look and the making must refuse, with this code, and leave nothing. */
static void refuse(const struct target_spec *spec, const struct target_need *need,
		   enum error_code code)
{
	unsigned int before = count_entries(in("data")), below = count_entries(in("data/dir"));
	struct target *target = NULL;
	struct target_info info;
	struct error err = {0};

	if (target_inspect(allow, spec, need, false, &info, NULL, &err) == 0 || err.code != code)
		fail_msg("%s: %s: %s", spec->path, error_code_text(err.code), err.message);
	assert_true(err.message[0]);
	err = (struct error){0};
	if (target_create(allow, spec, need, &making, &target, &err) == 0 || err.code != code)
		fail_msg("%s: %s: %s", spec->path, error_code_text(err.code), err.message);
	assert_null(target);
	assert_int_equal(count_entries(in("data")), before);
	assert_int_equal(count_entries(in("data/dir")), below);
}

static struct target *create(const struct target_spec *spec, const struct target_need *need)
{
	struct target *target = NULL;
	struct error err = {0};

	if (target_create(allow, spec, need, &making, &target, &err) < 0)
		fail_msg("%s: %s: %s", spec->path, error_code_text(err.code), err.message);
	return target;
}

static void remove_and_free(struct target *target)
{
	struct error err = {0};

	if (target_remove(target, NULL, NULL, &err) < 0)
		fail_msg("%s", err.message);
	target_free(target);
}

/* ---- what is refused ---- */

static void test_refused_files(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE};

	(void)state;
	put("data/file", "precious", 0);
	put("data/two", "precious", 0);
	put("outside", "precious", 0);
	assert_int_equal(link(in("data/two"), in("data/names")), 0);
	assert_int_equal(symlink("file", in("data/link")), 0);
	assert_int_equal(symlink("none", in("data/dangling")), 0);
	assert_int_equal(symlink("..", in("data/up")), 0);
	assert_int_equal(mkfifo(in("data/fifo"), 0600), 0);
	for (int existing = 0; existing < 2; existing++) {
		const struct target_need *need = existing ? &reading : &plain;

		spec.existing = existing;
		spec.path = in("outside");
		refuse(&spec, need, ERROR_TARGET_NOT_ALLOWED);
		spec.path = in("data/../outside");
		refuse(&spec, need, ERROR_TARGET_NOT_ALLOWED);
		spec.path = (char[]){"data/file"};
		refuse(&spec, need, ERROR_TARGET_NOT_ALLOWED);
		spec.path = (char[]){"/dev/null"};
		refuse(&spec, need, ERROR_TARGET_NOT_ALLOWED);
		spec.path = in("data/up/outside");
		refuse(&spec, need, ERROR_TARGET_TYPE);
		spec.path = in("data/link");
		refuse(&spec, need, ERROR_TARGET_TYPE);
		spec.path = in("data/dangling");
		refuse(&spec, need, ERROR_TARGET_TYPE);
		spec.path = in("data/fifo");
		refuse(&spec, need, ERROR_TARGET_TYPE);
		spec.path = in("data/dir");
		refuse(&spec, need, ERROR_TARGET_TYPE);
		spec.path = in("data/two");
		refuse(&spec, need, ERROR_TARGET_TYPE);
		spec.path = in("data/none/file");
		refuse(&spec, need, ERROR_TARGET_MISSING);
		spec.path = in("data/file/below");
		refuse(&spec, need, ERROR_TARGET_TYPE);
	}
	spec.existing = false;
	spec.path = in("data/file");
	refuse(&spec, &plain, ERROR_FILE_EXISTS);
	spec.existing = true;
	refuse(&spec, &plain, ERROR_FILE_EXISTS);
	refuse(&spec, &reading, ERROR_TARGET_TOO_SMALL);
	spec.path = in("data/none");
	refuse(&spec, &reading, ERROR_TARGET_MISSING);
	spec.path = in("data");
	spec.existing = false;
	refuse(&spec, &plain, ERROR_TARGET_TYPE);
	assert_starts("data/file", "precious");
	assert_starts("data/two", "precious");
	assert_starts("outside", "precious");
}

static void test_refused_directories(void **state)
{
	struct target_spec spec = {.kind = TARGET_DIRECTORY, .path = in("data/file")};

	(void)state;
	put("data/file", "precious", 0);
	refuse(&spec, &plain, ERROR_TARGET_TYPE);
	spec.path = in("data/none");
	refuse(&spec, &plain, ERROR_TARGET_MISSING);
	spec.path = in("state");
	refuse(&spec, &plain, ERROR_TARGET_NOT_ALLOWED);
	spec.path = in("data/dir");
	spec.existing = true;
	refuse(&spec, &reading, ERROR_CONFLICT);
	spec.existing = false;
	spec.fingerprint = (char[]){"x"};
	refuse(&spec, &plain, ERROR_CONFLICT);
	spec.fingerprint = NULL;
	spec.kind = TARGET_DEVICE;
	refuse(&spec, &plain, ERROR_TARGET_TYPE);
	spec.path = in("data/file");
	refuse(&spec, &plain, ERROR_TARGET_TYPE);
	assert_starts("data/file", "precious");
}

static void test_no_space(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	struct target_need need = plain;
	uint64_t available = 0;

	(void)state;
	need.bytes = UINT64_C(1) << 60;
	refuse(&spec, &need, ERROR_NO_SPACE);
	/* All that is free is more than may be taken. */
	assert_int_equal(file_free_bytes(state_fd, &available), 0);
	need.bytes = available;
	refuse(&spec, &need, ERROR_NO_SPACE);
	spec.kind = TARGET_DIRECTORY;
	spec.path = in("data/dir");
	need.bytes = UINT64_C(1) << 40;
	need.files = UINT64_C(1) << 40;
	refuse(&spec, &need, ERROR_NO_SPACE);
}

static void test_no_direct(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	struct target_need need = plain;
	struct target_info info;

	(void)state;
	script.no_direct = true;
	need.direct = true;
	refuse(&spec, &need, ERROR_DIRECT_UNSUPPORTED);
	need.direct = false;
	assert_int_equal(target_inspect(allow, &spec, &need, false, &info, NULL, NULL), 0);
	assert_false(info.direct);
	/* While a run measures nothing is probed. */
	need.direct = true;
	assert_int_equal(target_inspect(allow, &spec, &need, true, &info, NULL, NULL), 0);
	assert_false(info.checked);
	assert_true(info.direct);
}

static void test_no_size(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	const struct target_need need = {.files = 1, .writes = true};
	struct target *target = NULL;
	struct error err = {0};

	(void)state;
	assert_true(target_create(allow, &spec, &need, &making, &target, &err) < 0);
	assert_int_equal(err.code, ERROR_MISSING_FIELD);
	assert_int_equal(count_entries(in("data")), 1);
}

/* ---- lives ---- */

static void test_file(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	struct target_need need = {.bytes = 1000001, .files = 1, .writes = true};
	struct measure_region *regions;
	struct target_info info;
	struct target *target;
	struct stat st;
	size_t count;

	(void)state;
	assert_int_equal(target_inspect(allow, &spec, &need, false, &info, NULL, NULL), 0);
	assert_int_equal(count_entries(in("data")), 1);
	assert_string_equal(info.path, in("data/new"));
	assert_true(info.checked && info.free_bytes > 0 && info.filesystem[0]);
	assert_true(info.logical_block_bytes >= 512);
	target = create(&spec, &need);
	assert_int_equal(count_entries(in("data")), 2);
	assert_int_equal(stat(in("data/new"), &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, 1003520); /* whole blocks */
	assert_true(st.st_blocks * 512 >= st.st_size);
	assert_true(target_free_bytes(target) > 0);
	assert_true(target_fill_needed(target));
	assert_int_equal(target_open_fill(target, &regions, &count, NULL), 0);
	assert_int_equal(count, 1);
	assert_int_equal(regions[0].offset, 0);
	assert_int_equal(regions[0].length, 1003520);
	assert_int_equal(fcntl(regions[0].fd, F_GETFL) & (O_ACCMODE | O_DIRECT),
			 O_RDWR | (info.direct ? O_DIRECT : 0));
	target_close_regions(regions, count);
	remove_and_free(target);
	assert_int_equal(count_entries(in("data")), 1);
	assert_int_equal(manifest_finish(manifest), 0);
	assert_int_equal(count_entries(in("state")), 0);
}

static void test_directory(void **state)
{
	struct target_spec spec = {.kind = TARGET_DIRECTORY, .path = in("data/dir")};
	const struct target_need need = {.bytes = 65536, .files = 5, .writes = true};
	struct measure_region *regions;
	struct target *target;
	struct workload workload;
	struct stat st;
	size_t count;
	char name[64];

	(void)state;
	target = create(&spec, &need);
	assert_int_equal(count_entries(in("data/dir")), 5);
	for (int i = 0; i < 5; i++) {
		(void)snprintf(name, sizeof(name), "data/dir/volbench-run-%d.dat", i);
		assert_int_equal(stat(in(name), &st), 0);
		assert_int_equal(st.st_size, 65536);
	}
	workload_init(&workload);
	workload.rw = RW_RANDREAD;
	workload.bs[0] = workload.bs[1] = 4096;
	workload.numjobs = 4;
	workload.size = 32768;
	workload.offset = 4096;
	assert_int_equal(target_open_regions(target, &workload, &regions, &count, NULL), 0);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(regions[i].offset, 4096);
		assert_int_equal(regions[i].length, 32768);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(regions[i].fd, regions[j].fd);
	}
	target_close_regions(regions, count);
	workload.numjobs = 6;
	assert_true(target_open_regions(target, &workload, &regions, &count, NULL) < 0);
	assert_int_equal(target_open_fill(target, &regions, &count, NULL), 0);
	assert_int_equal(count, 5);
	target_close_regions(regions, count);
	workload_done(&workload);
	remove_and_free(target);
	assert_int_equal(count_entries(in("data/dir")), 0);
	assert_int_equal(manifest_finish(manifest), 0);
	assert_int_equal(count_entries(in("state")), 0);
}

/* One of the names is taken: nothing is made, and what is there stays. */
static void test_directory_collision(void **state)
{
	struct target_spec spec = {.kind = TARGET_DIRECTORY, .path = in("data/dir")};
	const struct target_need need = {.bytes = 65536, .files = 5, .writes = true};
	struct target *target = NULL;
	struct error err = {0};

	(void)state;
	put("data/dir/volbench-run-3.dat", "precious", 0);
	assert_true(target_create(allow, &spec, &need, &making, &target, &err) < 0);
	assert_int_equal(err.code, ERROR_FILE_EXISTS);
	assert_int_equal(count_entries(in("data/dir")), 1);
	assert_starts("data/dir/volbench-run-3.dat", "precious");
	assert_int_equal(manifest_finish(manifest), 0);
	assert_int_equal(count_entries(in("state")), 0);
}

static void test_existing(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/file"), .existing = true};
	struct measure_region *regions;
	struct findings findings;
	struct workload workload;
	struct target_info info;
	struct target *target;
	struct error err = {0};
	size_t count;

	(void)state;
	put("data/file", "precious", 2 << 20);
	findings_init(&findings);
	assert_int_equal(target_inspect(allow, &spec, &reading, false, &info, &findings, &err), 0);
	assert_int_equal(info.size_bytes, 2 << 20);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.list[0].code, "sparse_file");
	findings_done(&findings);
	target = create(&spec, &reading);
	assert_false(target_fill_needed(target));
	assert_true(target_open_fill(target, &regions, &count, &err) < 0);
	workload_init(&workload);
	workload.rw = RW_RANDREAD;
	workload.bs[0] = workload.bs[1] = 4096;
	workload.numjobs = 2;
	workload.invalidate = true;
	script_begin(NULL, 0, false, 0);
	assert_int_equal(target_open_regions(target, &workload, &regions, &count, &err), 0);
	script_end();
	assert_int_equal(script.fsyncs, 0); /* nothing of it is ours to write back */
	assert_int_equal(script.advices, 1);
	assert_int_equal(fcntl(regions[0].fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(write(regions[0].fd, "x", 1), -1);
	assert_int_equal(regions[1].offset, 1 << 20);
	target_close_regions(regions, count);
	workload.rw = RW_RANDRW;
	assert_true(target_open_regions(target, &workload, &regions, &count, &err) < 0);
	assert_int_equal(err.code, ERROR_FILE_EXISTS);
	workload_done(&workload);
	remove_and_free(target);
	assert_starts("data/file", "precious");
}

static void test_zero(void **state)
{
	struct target_spec spec = {
		.kind = TARGET_FILE, .path = (char[]){"/dev/zero"}, .existing = true};
	struct target_need need = {.bytes = UINT64_C(1) << 55, .files = 1, .direct = true};
	struct measure_region *regions;
	struct findings findings;
	struct workload workload;
	struct target_info info;
	struct target *target;
	char byte = 1;
	size_t count;

	(void)state;
	findings_init(&findings);
	assert_int_equal(target_inspect(allow, &spec, &need, false, &info, &findings, NULL), 0);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.list[0].code, "direct_meaningless");
	findings_done(&findings);
	need.writes = true;
	refuse(&spec, &need, ERROR_FILE_EXISTS);
	need.writes = false;
	spec.existing = false;
	refuse(&spec, &need, ERROR_FILE_EXISTS);
	spec.existing = true;
	target = create(&spec, &need);
	workload_init(&workload);
	workload.rw = RW_RANDREAD;
	workload.bs[0] = workload.bs[1] = 512;
	workload.numjobs = 32;
	workload.size = UINT64_C(1) << 50;
	workload.direct = true;
	workload.invalidate = true;
	assert_int_equal(target_open_regions(target, &workload, &regions, &count, NULL), 0);
	assert_int_equal(count, 32);
	assert_int_equal(regions[31].offset, UINT64_C(31) << 50);
	assert_int_equal(pread(regions[31].fd, &byte, 1, (off_t)regions[31].offset), 1);
	assert_int_equal(byte, 0);
	target_close_regions(regions, count);
	workload_done(&workload);
	remove_and_free(target);
	spec.kind = TARGET_DEVICE;
	refuse(&spec, &reading, ERROR_TARGET_TYPE);
}

/* ---- regions ---- */

struct layout {
	int kind; /* enum workload_regions */
	uint64_t jobs, size, offset;
	bool direct;
	enum error_code code;
	uint64_t first, last, length; /* offsets of the first and the last job */
};

static void test_regions(void **state)
{
	static const struct layout all[] = {
		{REGIONS_DISJOINT, 1, 0, 0, false, ERROR_NONE, 0, 0, 1 << 20},
		{REGIONS_DISJOINT, 4, 0, 0, false, ERROR_NONE, 0, 3 << 18, 1 << 18},
		{REGIONS_DISJOINT, 3, 0, 0, false, ERROR_NONE, 0, 2 * 348160, 348160},
		{REGIONS_SHARED, 4, 0, 0, false, ERROR_NONE, 0, 0, 1 << 20},
		{REGIONS_DISJOINT, 4, 65536, 4096, true, ERROR_NONE, 4096, 4096 + 3 * 65536, 65536},
		{REGIONS_SHARED, 4, 65536, 4096, true, ERROR_NONE, 4096, 4096, 65536},
		{REGIONS_DISJOINT, 16, 65536, 0, true, ERROR_NONE, 0, 15 * 65536, 65536},
		{REGIONS_DISJOINT, 17, 65536, 0, true, ERROR_TARGET_TOO_SMALL, 0, 0, 0},
		{REGIONS_DISJOINT, 16, 65536, 4096, true, ERROR_TARGET_TOO_SMALL, 0, 0, 0},
		{REGIONS_SHARED, 1, 0, 1 << 20, true, ERROR_TARGET_TOO_SMALL, 0, 0, 0},
		{REGIONS_DISJOINT, 1000, 0, 0, false, ERROR_TARGET_TOO_SMALL, 0, 0, 0},
		{REGIONS_DISJOINT, 1024, UINT64_C(1) << 60, 0, true, ERROR_TARGET_TOO_SMALL, 0, 0,
		 0},
		{REGIONS_SHARED, 1, UINT64_MAX, 4096, false, ERROR_TARGET_TOO_SMALL, 0, 0, 0},
		{REGIONS_SHARED, 1, 65536, 100, true, ERROR_BAD_SIZE, 0, 0, 0},
		{REGIONS_SHARED, 1, 65536, 100, false, ERROR_NONE, 100, 100, 65536},
		{REGIONS_DISJOINT, 2, 65537, 0, true, ERROR_BAD_SIZE, 0, 0, 0},
	};
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	struct target *target = create(&spec, &plain);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const struct layout *layout = &all[i];
		struct measure_region *regions;
		struct workload workload;
		struct error err = {0};
		size_t count;
		int r;

		workload_init(&workload);
		workload.rw = RW_RANDRW;
		workload.bs[0] = workload.bs[1] = 4096;
		workload.regions = layout->kind;
		workload.numjobs = layout->jobs;
		workload.size = layout->size;
		workload.offset = layout->offset;
		workload.direct = layout->direct && target_info(target)->direct;
		r = target_open_regions(target, &workload, &regions, &count, &err);
		if (err.code != layout->code)
			fail_msg("%zu: %s: %s", i, error_code_text(err.code), err.message);
		assert_int_equal(r == 0, layout->code == ERROR_NONE);
		if (r == 0) {
			assert_int_equal(count, layout->jobs);
			assert_int_equal(regions[0].offset, layout->first);
			assert_int_equal(regions[count - 1].offset, layout->last);
			for (size_t j = 0; j < count; j++)
				assert_int_equal(regions[j].length, layout->length);
			target_close_regions(regions, count);
		}
		workload_done(&workload);
	}
	remove_and_free(target);
}

static void test_flags(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	struct target *target = create(&spec, &plain);
	struct measure_region *regions;
	struct workload workload;
	struct error err = {0};
	size_t count;
	int flags;

	(void)state;
	workload_init(&workload);
	workload.bs[0] = workload.bs[1] = 4096;
	workload.numjobs = 1;
	for (int rw = RW_READ; rw <= RW_RANDRW; rw++) {
		for (int sync = SYNC_NONE; sync <= SYNC_DSYNC; sync++) {
			bool writes = rw != RW_READ && rw != RW_RANDREAD;

			workload.rw = rw;
			workload.sync = sync;
			workload.direct = sync != SYNC_SYNC && target_info(target)->direct;
			assert_int_equal(
				target_open_regions(target, &workload, &regions, &count, NULL), 0);
			flags = fcntl(regions[0].fd, F_GETFL);
			assert_int_equal(flags & O_ACCMODE, writes ? O_RDWR : O_RDONLY);
			assert_int_equal(flags & O_SYNC, sync == SYNC_SYNC    ? O_SYNC
							 : sync == SYNC_DSYNC ? O_DSYNC
									      : 0);
			assert_int_equal(flags & O_DIRECT, workload.direct ? O_DIRECT : 0);
			assert_int_equal(fcntl(regions[0].fd, F_GETFD), FD_CLOEXEC);
			target_close_regions(regions, count);
		}
	}
	/* Dropping pages writes back what the run has written first, and tells where it fails. */
	workload.invalidate = true;
	script_begin("fsync", 1, false, EIO);
	assert_true(target_open_regions(target, &workload, &regions, &count, &err) < 0);
	script_end();
	assert_int_equal(err.code, ERROR_IO_ERROR);
	workload_done(&workload);
	remove_and_free(target);
}

/* The file went away, or another one came to stand there. */
static void test_replaced(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	struct target *target = create(&spec, &plain);
	struct measure_region *regions;
	struct error err = {0};
	size_t count;

	(void)state;
	assert_int_equal(rename(in("data/new"), in("data/moved")), 0);
	assert_true(target_open_fill(target, &regions, &count, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_MISSING);
	put("data/new", "precious", 1 << 20);
	assert_true(target_open_fill(target, &regions, &count, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_TYPE);
	assert_true(target_remove(target, NULL, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_TYPE);
	target_free(target);
	assert_starts("data/new", "precious");
	/* A symlink to the very file is no better. */
	assert_int_equal(unlink(in("data/new")), 0);
	assert_int_equal(rename(in("data/moved"), in("data/new")), 0);
	assert_int_equal(unlink(in("data/new")), 0);
}

/* ---- failures ---- */

static void test_full_while_making(void **state)
{
	struct target_spec spec = {.kind = TARGET_DIRECTORY, .path = in("data/dir")};
	const struct target_need need = {.bytes = 65536, .files = 5, .writes = true};
	struct target *target = NULL;
	struct error err = {0};

	(void)state;
	script_begin("fallocate", 3, true, ENOSPC);
	assert_true(target_create(allow, &spec, &need, &making, &target, &err) < 0);
	script_end();
	assert_int_equal(err.code, ERROR_NO_SPACE);
	assert_int_equal(count_entries(in("data/dir")), 0);
	assert_int_equal(manifest_finish(manifest), 0);
	assert_int_equal(count_entries(in("state")), 0);
}

static void test_without_fallocate(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	struct target *target = NULL;
	struct stat st;

	(void)state;
	script_begin("fallocate", 1, true, EOPNOTSUPP);
	assert_int_equal(target_create(allow, &spec, &plain, &making, &target, NULL), 0);
	script_end();
	assert_int_equal(stat(in("data/new"), &st), 0);
	assert_int_equal(st.st_size, 1 << 20);
	remove_and_free(target);
}

static void test_without_noreplace(void **state)
{
	struct target_spec spec = {.kind = TARGET_FILE, .path = in("data/new")};
	struct target *target = NULL;

	(void)state;
	script_begin("renameat2", 1, true, EINVAL);
	assert_int_equal(target_create(allow, &spec, &plain, &making, &target, NULL), 0);
	script_end();
	assert_int_equal(count_entries(in("data")), 2);
	remove_and_free(target);
	assert_int_equal(count_entries(in("data")), 1);
}

static unsigned int open_descriptors(void)
{
	return count_entries("/proc/self/fd");
}

/* Each call fails once, and for good: nothing is left but what the manifest still names. */
static void torture(bool for_good)
{
	struct target_spec spec = {.kind = TARGET_DIRECTORY, .path = in("data/dir")};
	const struct target_need need = {.bytes = 4096, .files = 2, .writes = true};
	char run_id[32];

	for (unsigned int n = 1;; n++) {
		unsigned int before = open_descriptors();
		struct target_making own_making;
		struct manifest *own = NULL;
		struct findings findings;
		struct target *target = NULL;
		struct error err = {0};
		int r, removed = 0;

		(void)snprintf(run_id, sizeof(run_id), "torture-%d-%u", for_good, n);
		assert_int_equal(manifest_new(state_fd, run_id, &own), 0);
		spec.path = in("data/dir");
		script_begin(NULL, n, for_good, EIO);
		own_making = (struct target_making){.run_id = run_id, .manifest = own};
		r = target_create(allow, &spec, &need, &own_making, &target, &err);
		if (r == 0)
			removed = target_remove(target, NULL, NULL, &err);
		script_end();
		if (r < 0 || removed < 0)
			assert_int_not_equal(err.code, ERROR_NONE);
		target_free(target);
		if (r == 0 && removed == 0)
			assert_int_equal(count_entries(in("data/dir")), 0);
		manifest_free(own); /* as a crash would */
		findings_init(&findings);
		assert_int_equal(manifest_sweep(state_fd, allow, NULL, &findings, NULL), 0);
		findings_done(&findings);
		if (count_entries(in("data/dir")) != 0)
			fail_msg("call %u left something the manifest does not name", n);
		assert_int_equal(open_descriptors(), before);
		if (!script.failed) {
			assert_int_equal(r, 0);
			assert_true(n > 10);
			return;
		}
	}
}

static void test_every_call_fails(void **state)
{
	(void)state;
	torture(false);
	torture(true);
}

/* The whole life of a directory's files, killed before its n-th call. True where it got through. */
static bool killed_life(unsigned int n)
{
	const struct target_need need = {.bytes = 4096, .files = 2, .writes = true};
	struct target_spec spec = {.kind = TARGET_DIRECTORY, .path = in("data/dir")};
	struct target_making own_making = {0};
	struct target *target = NULL;
	struct manifest *own = NULL;
	char run_id[32];
	int status;
	pid_t pid;

	(void)snprintf(run_id, sizeof(run_id), "killed-%u", n);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		script_begin(NULL, n, false, 0);
		script.dies = true;
		if (manifest_new(state_fd, run_id, &own) < 0)
			_exit(2);
		own_making = (struct target_making){.run_id = run_id, .manifest = own};
		if (target_create(allow, &spec, &need, &own_making, &target, NULL) < 0 ||
		    target_remove(target, NULL, NULL, NULL) < 0 || manifest_finish(own) < 0)
			_exit(2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status)) {
		assert_int_equal(WEXITSTATUS(status), 0);
		return true;
	}
	assert_int_equal(WTERMSIG(status), SIGKILL);
	return false;
}

static void test_killed_at_every_call(void **state)
{
	struct findings findings;
	unsigned int n = 0;
	bool through;

	(void)state;
	assert_int_equal(manifest_finish(manifest), 0);
	put("data/dir/file", "precious", 0);
	do {
		through = killed_life(++n);
		findings_init(&findings);
		assert_int_equal(file_sweep_temporary(state_fd, NULL), 0);
		assert_int_equal(manifest_sweep(state_fd, allow, NULL, &findings, NULL), 0);
		findings_done(&findings);
		if (count_entries(in("data/dir")) != 1 || count_entries(in("state")) != 0)
			fail_msg("killed before call %u: something was left", n);
	} while (!through);
	assert_true(n > 20);
	assert_starts("data/dir/file", "precious");
}

/* ---- the list ---- */

static void test_candidates(void **state)
{
	struct target_list list;

	(void)state;
	assert_int_equal(target_candidates(allow, false, &list, NULL), 0);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.list[0].info.path, in("data"));
	assert_int_equal(list.list[0].info.kind, TARGET_DIRECTORY);
	assert_true(list.list[0].usable);
	assert_true(list.list[0].info.free_bytes > 0);
	assert_string_equal(list.list[1].info.path, "/dev/zero");
	assert_int_equal(list.list[1].info.kind, TARGET_FILE);
	assert_false(list.list[1].usable);
	assert_int_equal(list.list[1].reason.code, ERROR_TARGET_READ_ONLY);
	assert_true(list.list[1].info.size_bytes > 0);
	target_list_done(&list);
	assert_int_equal(count_entries(in("data")), 1);
	/* A place that went away is listed with the reason. */
	assert_int_equal(rmdir(in("data/dir")), 0);
	assert_int_equal(rmdir(in("data")), 0);
	assert_int_equal(target_candidates(allow, false, &list, NULL), 0);
	assert_int_equal(list.count, 2);
	assert_false(list.list[0].usable);
	assert_true(list.list[0].reason.message[0]);
	target_list_done(&list);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_refused_files),     TEST(test_refused_directories),
		TEST(test_no_space),	      TEST(test_no_direct),
		TEST(test_no_size),	      TEST(test_file),
		TEST(test_directory),	      TEST(test_directory_collision),
		TEST(test_existing),	      TEST(test_zero),
		TEST(test_regions),	      TEST(test_flags),
		TEST(test_replaced),	      TEST(test_full_while_making),
		TEST(test_without_fallocate), TEST(test_without_noreplace),
		TEST(test_every_call_fails),  TEST(test_killed_at_every_call),
		TEST(test_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
