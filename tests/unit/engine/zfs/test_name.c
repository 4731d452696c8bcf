/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_name.c - which texts are names of datasets, and which lies beneath which. */
#include "engine/zfs/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/macros.h"

static void test_names(void **state)
{
	static const char *const good[] = {
		"tank", "t", "tank/volbench", "Tank.2/a-b_c:d/0", "tank/-r", "tank/...", "tank/.a",
	};
	static const char *const bad[] = {
		"",
		"/",
		"/tank",
		"tank/",
		"tank//a",
		"0tank",
		"-r",
		"_tank",
		".",
		"..",
		"tank/.",
		"tank/..",
		"tank/volbench/../x",
		"tank/volbench@snap",
		"tank/volbench#mark",
		"tank/a b",
		"tank/a\n",
		"tank\n/a",
		"tank/a\tb",
		"tank/%s",
		"tank/$(id)",
		"tank/`id`",
		"tank/a;b",
		"tank/a\\b",
		"tank/\xc3\xa4",
		"tank/\xff",
		"tank/a*",
		"tank/a,b",
		"tank/a=b",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!zfs_name_ok(good[i]) || zfs_name_check(good[i], NULL) < 0)
			fail_msg("\"%s\" was refused", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error err = {0};

		if (zfs_name_ok(bad[i]))
			fail_msg("\"%s\" was accepted", bad[i]);
		assert_true(zfs_name_check(bad[i], &err) < 0);
		assert_int_equal(err.code, ERROR_BAD_NAME);
	}
}

static void test_length(void **state)
{
	char name[ZFS_NAME_BYTES + 1];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[ZFS_NAME_BYTES - 1] = '\0';
	assert_true(zfs_name_ok(name));
	name[ZFS_NAME_BYTES - 1] = 'a';
	name[ZFS_NAME_BYTES] = '\0';
	assert_false(zfs_name_ok(name));
}

static void test_within(void **state)
{
	(void)state;
	assert_true(zfs_name_within("tank/volbench", "tank/volbench"));
	assert_true(zfs_name_within("tank/volbench/a/b", "tank/volbench"));
	assert_true(zfs_name_within("tank/volbench", "tank"));
	assert_false(zfs_name_within("tank/volbenchx", "tank/volbench"));
	assert_false(zfs_name_within("tank", "tank/volbench"));
	assert_false(zfs_name_within("tank2/volbench", "tank"));
	assert_false(zfs_name_within("Tank/volbench", "tank"));
	assert_false(zfs_name_within("tank", ""));
}

static void test_pool(void **state)
{
	char pool[ZFS_NAME_BYTES], name[2 * ZFS_NAME_BYTES];

	(void)state;
	assert_string_equal(zfs_name_pool("tank/volbench/a", pool), "tank");
	assert_string_equal(zfs_name_pool("tank", pool), "tank");
	assert_string_equal(zfs_name_pool("", pool), "");
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(strlen(zfs_name_pool(name, pool)), ZFS_NAME_BYTES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
