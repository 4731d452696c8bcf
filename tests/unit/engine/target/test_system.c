/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_system.c - /proc and /sys, held against what other calls say. */
#include "engine/target/system.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static void test_unescape(void **state)
{
	char text[] = "/mnt/a\\040b\\134c\\011\\9\\04";

	(void)state;
	system_unescape(text);
	assert_string_equal(text, "/mnt/a b\\c\t\\9\\04");
}

static void test_texts(void **state)
{
	char line[8];
	char *text;

	(void)state;
	assert_int_equal(system_line("/proc/version", line, sizeof(line)), 0);
	assert_string_equal(line, "Linux v");
	assert_int_equal(system_line("/proc/none", line, sizeof(line)), -ENOENT);
	assert_int_equal(system_text("/proc/self/mountinfo", &text), 0);
	assert_non_null(strstr(text, " - "));
	free(text);
	assert_int_equal(system_text("/dev/zero", &text), -EFBIG);
}

static int find_root(void *arg, const struct system_mount *mount)
{
	if (strcmp(mount->point, "/proc") != 0)
		return 0;
	assert_string_equal(mount->filesystem, "proc");
	*(dev_t *)arg = mount->device;
	return 7;
}

static int nothing(void *arg, const struct system_mount *mount)
{
	assert_true(mount->point[0] == '/');
	assert_non_null(mount->source);
	(*(unsigned int *)arg)++;
	return 0;
}

static void test_mounts(void **state)
{
	unsigned int count = 0;
	struct stat st;
	dev_t device = 0;

	(void)state;
	assert_int_equal(system_each_mount(find_root, &device), 7);
	assert_int_equal(stat("/proc", &st), 0);
	assert_int_equal(device, st.st_dev);
	assert_int_equal(system_each_mount(nothing, &count), 0);
	assert_true(count > 0);
}

static void test_filesystem(void **state)
{
	int fd = open("/proc", O_PATH | O_CLOEXEC);
	char name[32];

	(void)state;
	system_filesystem(fd, name, sizeof(name));
	assert_string_equal(name, "proc");
	(void)close(fd);
	system_filesystem(-1, name, sizeof(name));
	assert_string_equal(name, "");
}

static void test_identity(void **state)
{
	int a = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int b = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int directory = open("/var/tmp", O_PATH | O_CLOEXEC);
	struct system_identity one, other;
	struct stat st;

	(void)state;
	assert_int_equal(system_identity(a, &one), 0);
	assert_int_equal(fstat(a, &st), 0);
	assert_int_equal(one.inode, st.st_ino);
	assert_int_equal(one.device, st.st_dev);
	assert_int_equal(system_identity(b, &other), 0);
	assert_true(system_same(&one, &one));
	assert_false(system_same(&one, &other));
	other = one;
	other.birth_ns = 0;
	assert_true(system_same(&one, &other));
	other.device++;
	assert_false(system_same(&one, &other));
	assert_int_equal(system_identity(directory, &one), -EINVAL);
	(void)close(a);
	(void)close(b);
	(void)close(directory);
}

static void test_blocks(void **state)
{
	char name[SYSTEM_NAME_MAX], text[32];
	struct stat st;
	uint64_t number;
	dev_t disk;

	(void)state;
	assert_int_equal(system_block_name(0, name), -ENOENT);
	assert_int_equal(system_block_number(0, "size", &number), -ENOENT);
	if (stat("/dev/loop0", &st) < 0 || system_block_name(st.st_rdev, name) < 0) {
		print_message("skipped: no /dev/loop0 here\n");
		skip();
	}
	assert_string_equal(name, "loop0");
	assert_int_equal(system_block_number(st.st_rdev, "size", &number), 0);
	assert_int_equal(system_block_line(st.st_rdev, "dev", text, sizeof(text)), 0);
	assert_string_equal(text, "7:0");
	assert_int_equal(system_block_number(st.st_rdev, "dev", &number), -EINVAL);
	assert_int_equal(system_block_disk(st.st_rdev, &disk), 0);
	assert_int_equal(disk, st.st_rdev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unescape), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_mounts),	 cmocka_unit_test(test_filesystem),
		cmocka_unit_test(test_identity), cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
