/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_disks.c - what the disks of a pool have moved: files as `zpool get` lists them, and hostile
 * lists; disks that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "engine/zfs/disks.h"

/* OpenZFS 2.3.2, a pool of two files. */
static const char listed[] = "root-0\tread_bytes\t0\n"
			     "root-0\twrite_bytes\t0\n"
			     "/tmp/f1\tread_bytes\t24576\n"
			     "/tmp/f1\twrite_bytes\t1613824\n"
			     "/tmp/f 2\tread_bytes\t1\n"
			     "/tmp/f 2\twrite_bytes\t1696256\n";

static void files_are_summed(void **state)
{
	struct zfs_disks disks;

	(void)state;
	assert_true(zfs_disks_parse(listed, &disks));
	assert_int_equal(disks.read_bytes, 24577);
	assert_int_equal(disks.written_bytes, 1613824 + 1696256);
	assert_int_equal(disks.log_written_bytes, 0);
}

static void what_is_no_such_list_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"vda\tread_bytes\t1\nvda\twrite_bytes\t2\n",
		"/f\tread_bytes\t1\n",
		"/f\tread_bytes\t1\n/f\twrite_bytes\t-2\n",
		"/f\tread_bytes\t1\n/f\twrite_bytes\t-\n",
		"/f\tread_bytes\t1\n/f\twrite_bytes\t2x\n",
		"/f\tread_bytes\t1\n/f\twrite_bytes\t\n3\n",
		"/f\tread_bytes\t1\n/f\twrite_bytes2\t3\n",
		"/f\tread_bytes\t1\n/f write_bytes 3\n",
		"/f\tread_bytes",
		"/f",
		"/f\tread_bytes\t18446744073709551615\n/f\twrite_bytes\t1\n"
		"/g\tread_bytes\t1\n/g\twrite_bytes\t1\n",
	};
	struct zfs_disks disks;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (zfs_disks_parse(texts[i], &disks))
			fail_msg("text %zu was taken", i);
}

static void disks_without_counters_are_told(void **state)
{
	struct zfs_leaf leaves[] = {{ZFS_VDEV_DATA, makedev(4095, 1048575)}, {ZFS_VDEV_DATA, 0}};
	struct zfs_pool pool = {.leaves = leaves};
	struct zfs_disks disks;

	(void)state;
	assert_non_null(strstr(zfs_disks_read(&pool, &disks), "not known"));
	pool.leaf_count = 1;
	assert_non_null(strstr(zfs_disks_read(&pool, &disks), "counters"));
	leaves[0].class = ZFS_VDEV_CACHE; /* is not looked at */
	assert_null(zfs_disks_read(&pool, &disks));
	assert_int_equal(disks.written_bytes, 0);
	pool.leaf_count = 2;
	assert_non_null(strstr(zfs_disks_read(&pool, &disks), "on files"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_summed),
		cmocka_unit_test(what_is_no_such_list_is_refused),
		cmocka_unit_test(disks_without_counters_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
