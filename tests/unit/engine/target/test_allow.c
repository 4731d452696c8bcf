/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_allow.c - nothing outside the list is ever opened, not even for a moment. */
#include "engine/target/allow.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/base/text.h"

/*
 * TOP/allowed/{file,dir/file,link -> ../outside,to_secret -> ../outside/secret}
 * TOP/outside/secret, TOP/alias -> allowed
 */
static char top[64];
static char buffer[8][512];

static const char *in(const char *rest)
{
	static unsigned int next;
	char *path = buffer[next++ % ARRAY_SIZE(buffer)];

	(void)snprintf(path, sizeof(buffer[0]), "%s/%s", top, rest);
	return path;
}

static void touch(const char *rest)
{
	int fd = open(in(rest), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
}

static int begin(void **state)
{
	(void)state;
	(void)snprintf(top, sizeof(top), "/var/tmp/volbench-test-allow-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	assert_int_equal(mkdir(in("allowed"), 0700), 0);
	assert_int_equal(mkdir(in("allowed/dir"), 0700), 0);
	assert_int_equal(mkdir(in("outside"), 0700), 0);
	touch("allowed/file");
	touch("allowed/dir/file");
	touch("outside/secret");
	assert_int_equal(symlink("../outside", in("allowed/link")), 0);
	assert_int_equal(symlink("../outside/secret", in("allowed/to_secret")), 0);
	assert_int_equal(symlink("dir", in("allowed/inner")), 0);
	assert_int_equal(symlink("allowed", in("alias")), 0);
	return 0;
}

static int end(void **state)
{
	int parent = open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	(void)state;
	r = file_remove_tree(parent, strrchr(top, '/') + 1);
	(void)close(parent);
	return r;
}

static struct allow *allow_one(const char *path)
{
	struct allow *allow = NULL;
	struct error err = {0};

	assert_int_equal(allow_new(&path, 1, &allow, &err), 0);
	return allow;
}

static void expect(const struct allow *allow, const char *path, int result, enum error_code code)
{
	struct error err = {0};
	int fd = -1, r;

	r = allow_open(allow, path, O_RDONLY, 0, &fd, &err);
	if (r != result || err.code != code)
		fail_msg("%s: %d, %s: %s", path, r, error_code_text(err.code), err.message);
	if (r == 0) {
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		(void)close(fd);
	}
}

static void test_inside_and_outside(void **state)
{
	struct allow *allow = allow_one(in("allowed"));
	char long_name[300] = "allowed/";

	(void)state;
	memset(long_name + strlen(long_name), 'n', 256);
	expect(allow, in("allowed/file"), 0, ERROR_NONE);
	expect(allow, in("allowed"), 0, ERROR_NONE);
	expect(allow, in("allowed/"), 0, ERROR_NONE);
	expect(allow, in("/./allowed//dir/./file"), 0, ERROR_NONE);
	expect(allow, in("outside/secret"), -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, in("allowedfile"), -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, in(""), -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, "/", -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, "", -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, "allowed/file", -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, in("allowed/../outside/secret"), -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, in("allowed/dir/../file"), -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, in("allowed/fi\nle"), -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, in("allowed/none"), -ENOENT, ERROR_TARGET_MISSING);
	expect(allow, in(long_name), -ENAMETOOLONG, ERROR_BAD_VALUE);
	expect(allow, in("allowed/file/x"), -ENOTDIR, ERROR_TARGET_TYPE);
	expect(allow, in("allowed/link"), -ELOOP, ERROR_TARGET_TYPE);
	expect(allow, in("allowed/link/secret"), -ELOOP, ERROR_TARGET_TYPE);
	expect(allow, in("allowed/to_secret"), -ELOOP, ERROR_TARGET_TYPE);
	expect(allow, in("allowed/inner/file"), -ELOOP, ERROR_TARGET_TYPE);
	allow_free(allow);
}

static void test_as_given_and_as_resolved(void **state)
{
	struct allow *allow = allow_one(in("alias"));

	(void)state;
	assert_string_equal(allow_path(allow, 0), in("alias"));
	expect(allow, in("alias/file"), 0, ERROR_NONE);
	expect(allow, in("allowed/file"), 0, ERROR_NONE);
	/* The entry was resolved when the list was made: what the link becomes is nothing to it. */
	assert_int_equal(unlink(in("alias")), 0);
	assert_int_equal(symlink("outside", in("alias")), 0);
	expect(allow, in("alias/file"), 0, ERROR_NONE);
	expect(allow, in("alias/secret"), -ENOENT, ERROR_TARGET_MISSING);
	allow_free(allow);
}

static void test_longest_entry(void **state)
{
	const char *paths[] = {in("allowed"), in("allowed/link")};
	struct allow *allow = NULL;

	(void)state;
	assert_int_equal(allow_new(paths, 2, &allow, NULL), 0);
	assert_int_equal(allow_count(allow), 2);
	expect(allow, in("allowed/link/secret"), 0, ERROR_NONE);
	expect(allow, in("outside/secret"), 0, ERROR_NONE);
	expect(allow, in("allowed/file"), 0, ERROR_NONE);
	allow_free(allow);
}

static void test_bad_entries(void **state)
{
	const char *paths[] = {in("allowed/file"), in("none"),	       "/dev/null",
			       "/dev/../dev/zero", in("allowed/\xff"), in("allowed/line\n")};
	struct allow *allow = NULL;

	(void)state;
	assert_int_equal(mkdir(paths[4], 0700), 0);
	assert_int_equal(mkdir(paths[5], 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct error err = {0};

		assert_true(allow_new(&paths[i], 1, &allow, &err) < 0);
		assert_int_not_equal(err.code, ERROR_NONE);
		assert_true(err.message[0]);
	}
	assert_int_equal(allow_new(NULL, 0, &allow, NULL), 0);
	expect(allow, in("allowed/file"), -EACCES, ERROR_TARGET_NOT_ALLOWED);
	allow_free(allow);
	allow_free(NULL);
}

static void test_zero(void **state)
{
	struct allow *allow = allow_one("/dev/zero");

	(void)state;
	assert_true(allow_is_zero(allow, "/dev/zero"));
	assert_false(allow_is_zero(allow, "/dev//zero"));
	expect(allow, "/dev/zero", 0, ERROR_NONE);
	expect(allow, "/dev/zero/x", -EACCES, ERROR_TARGET_NOT_ALLOWED);
	expect(allow, "/dev/null", -EACCES, ERROR_TARGET_NOT_ALLOWED);
	allow_free(allow);
	allow = allow_one("/dev");
	assert_false(allow_is_zero(allow, "/dev/zero"));
	allow_free(allow);
}

static void test_create(void **state)
{
	struct allow *allow = allow_one(in("allowed"));
	int flags = O_RDWR | O_CREAT | O_EXCL, fd = -1;
	struct error err = {0};
	struct stat st;

	(void)state;
	assert_int_equal(allow_open(allow, in("allowed/new"), flags, 0600, &fd, &err), 0);
	(void)close(fd);
	assert_int_equal(stat(in("allowed/new"), &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(allow_open(allow, in("allowed/new"), flags, 0600, &fd, &err), -EEXIST);
	assert_int_equal(err.code, ERROR_FILE_EXISTS);
	assert_int_equal(allow_open(allow, in("allowed/link/new"), flags, 0600, &fd, &err), -ELOOP);
	assert_int_equal(allow_open(allow, in("outside/new"), flags, 0600, &fd, &err), -EACCES);
	assert_int_equal(stat(in("outside/new"), &st), -1);
	allow_free(allow);
}

static void test_parent(void **state)
{
	struct allow *allow = allow_one(in("allowed"));
	const char *name = NULL, *path = in("allowed/dir/new");
	struct error err = {0};
	struct stat st, wanted;
	int fd = -1;

	(void)state;
	assert_int_equal(allow_open_parent(allow, path, &fd, &name, &err), 0);
	assert_ptr_equal(name, path + strlen(path) - 3);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(stat(in("allowed/dir"), &wanted), 0);
	assert_int_equal(st.st_ino, wanted.st_ino);
	(void)close(fd);
	assert_int_equal(allow_open_parent(allow, in("allowed/new"), &fd, &name, &err), 0);
	assert_string_equal(name, "new");
	(void)close(fd);
	assert_int_equal(allow_open_parent(allow, in("allowed"), &fd, &name, &err), -EACCES);
	assert_int_equal(allow_open_parent(allow, in("allowed/dir/"), &fd, &name, &err), -ENOTDIR);
	assert_int_equal(allow_open_parent(allow, in("allowed/none/x"), &fd, &name, &err), -ENOENT);
	assert_int_equal(err.code, ERROR_TARGET_MISSING);
	assert_int_equal(allow_open_parent(allow, in("allowed/link/x"), &fd, &name, &err), -ELOOP);
	assert_int_equal(allow_open_parent(allow, in("allowed/file/x"), &fd, &name, &err),
			 -ENOTDIR);
	allow_free(allow);
}

/* A device entry is the device it was, whatever its path names later. */
static void test_device_entry(void **state)
{
	const char *path = in("device");
	struct allow *allow;

	(void)state;
	/* No driver has this number: the node can be made and seen, never opened for I/O. */
	if (mknod(path, S_IFBLK | 0600, makedev(7, 1 << 18)) < 0) {
		print_message("skipped: device nodes need root (%s)\n", strerror(errno));
		skip();
	}
	allow = allow_one(path);
	assert_true(allow_covers(allow, path));
	assert_int_equal(unlink(path), 0);
	expect(allow, path, -ENOENT, ERROR_TARGET_MISSING);
	assert_int_equal(mknod(path, S_IFBLK | 0600, makedev(7, (1 << 18) + 1)), 0);
	expect(allow, path, -ENODEV, ERROR_TARGET_TYPE);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(in("outside/secret"), path), 0);
	expect(allow, path, -ELOOP, ERROR_TARGET_TYPE);
	allow_free(allow);
}

/* ---- the race ---- */

static atomic_bool stop;

static void *swap(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop))
		(void)renameat2(AT_FDCWD, buffer[6], AT_FDCWD, buffer[7], RENAME_EXCHANGE);
	return NULL;
}

/* "dir" is a real directory and a symlink to outside by turns. */
static void test_symlink_race(void **state)
{
	struct allow *allow = allow_one(in("allowed"));
	char path[512];
	struct stat secret, st;
	unsigned int opened = 0, fooled = 0;
	pthread_t thread;

	(void)state;
	touch("allowed/dir/secret");
	assert_int_equal(stat(in("outside/secret"), &secret), 0);
	(void)snprintf(path, sizeof(path), "%s/allowed/dir/secret", top);
	(void)snprintf(buffer[6], sizeof(buffer[6]), "%s/allowed/dir", top);
	(void)snprintf(buffer[7], sizeof(buffer[7]), "%s/allowed/link", top);
	atomic_store(&stop, false);
	assert_int_equal(pthread_create(&thread, NULL, swap, NULL), 0);
	for (int i = 0; i < 20000; i++) {
		int fd;

		if (allow_open(allow, path, O_RDONLY, 0, &fd, NULL) < 0)
			continue;
		opened++;
		if (fstat(fd, &st) < 0 || st.st_ino == secret.st_ino)
			fooled++;
		(void)close(fd);
	}
	atomic_store(&stop, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	allow_free(allow);
	print_message("opened the right one %u times of 20000\n", opened);
	assert_int_equal(fooled, 0);
	assert_true(opened > 0);
}

static void test_datasets(void **state)
{
	static const char *const names[] = {"tank/volbench", "own"}, *const more[] = {"tank/other"};
	static const struct {
		const char *name;
		bool covered;
	} cases[] = {
		{"tank/volbench", true},
		{"tank/volbench/a/b", true},
		{"own", true},
		{"own/a", true},
		{"tank/other", true},
		{"tank", false},
		{"tank/volbenchx", false},
		{"tank/volbench/../x", false},
		{"tank/volbench/", false},
		{"tank/volbench//a", false},
		{"tank/volbench@snap", false},
		{"tank/volbench/a@snap", false},
		{"tank/volbench/a b", false},
		{"tank/volbench\n", false},
		{"/tank/volbench", false},
		{"-r", false},
		{"", false},
	};
	struct allow *allow;

	(void)state;
	assert_int_equal(allow_new(NULL, 0, &allow, NULL), 0);
	assert_false(allow_covers_dataset(allow, "tank/volbench"));
	assert_int_equal(allow_add_datasets(allow, NULL, 0, NULL), 0);
	assert_int_equal(allow_add_datasets(allow, names, ARRAY_SIZE(names), NULL), 0);
	assert_int_equal(allow_add_datasets(allow, more, ARRAY_SIZE(more), NULL), 0);
	assert_int_equal(allow_dataset_count(allow), 3);
	assert_string_equal(allow_dataset(allow, 0), "tank/volbench");
	assert_string_equal(allow_dataset(allow, 2), "tank/other");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = {.code = ERROR_NONE};
		int r = allow_check_dataset(allow, cases[i].name, &err);

		if (allow_covers_dataset(allow, cases[i].name) != cases[i].covered ||
		    (r == 0) != cases[i].covered)
			fail_msg("\"%s\"", cases[i].name);
		if (r == 0)
			continue;
		assert_int_equal(r, -EACCES);
		assert_int_equal(err.code, ERROR_TARGET_NOT_ALLOWED);
		assert_true(text_printable(err.message));
	}
	/* No path is opened for a dataset's sake, and no dataset is allowed for a path's. */
	assert_false(allow_covers(allow, "/tank/volbench"));
	allow_free(allow);
}

static void test_bad_datasets(void **state)
{
	static const char *const bad[] = {"", "/tank", "-r", "tank/", "tank/a@b", "tank/a\nb"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *const names[] = {"tank/volbench", bad[i]};
		struct error err = {.code = ERROR_NONE};
		struct allow *allow;

		assert_int_equal(allow_new(NULL, 0, &allow, NULL), 0);
		assert_true(allow_add_datasets(allow, names, ARRAY_SIZE(names), &err) < 0);
		assert_int_equal(err.code, ERROR_BAD_VALUE);
		assert_true(text_printable(err.message));
		assert_int_equal(allow_dataset_count(allow), 1);
		allow_free(allow);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_inside_and_outside),
		TEST(test_as_given_and_as_resolved),
		TEST(test_longest_entry),
		TEST(test_bad_entries),
		TEST(test_zero),
		TEST(test_create),
		TEST(test_parent),
		TEST(test_device_entry),
		TEST(test_symlink_race),
		cmocka_unit_test(test_datasets),
		cmocka_unit_test(test_bad_datasets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
