/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/zfs/pool.c: layouts as zpool 2.3.2 and 2.1.11 print them, and broken ones.
 *
 * link: -Wl,--wrap=child_start -Wl,--wrap=access -Wl,--wrap=stat -Wl,--wrap=open
 * link: -Wl,--wrap=realloc -Wl,--wrap=open64 -Wl,--wrap=stat64
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "engine/zfs/pool.h"
#include "tests/unit/engine/zfs/fake_zfs.h"

static const char *version = "2.3.2-2~bpo12+2\n"; /* of the module; NULL: not loaded */
static unsigned int reallocs, fail_realloc_at;

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	return ++reallocs == fail_realloc_at ? NULL : __real_realloc(p, size);
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	int fd;

	(void)flags;
	assert_string_equal(path, "/sys/module/zfs/version");
	if (!version)
		return -1;
	fd = memfd_create("version", MFD_CLOEXEC);
	assert_int_equal(write(fd, version, strlen(version)), strlen(version));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}
int __wrap_open64(const char *path, int flags, ...)
{
	return __wrap_open(path, flags);
}

/* "/dev/vdX" is a block device of minor X; "/tmp/..." is a file; the rest is not there. */
int __wrap_stat(const char *path, struct stat *status);
int __wrap_stat64(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status)
{
	memset(status, 0, sizeof(*status));
	if (strncmp(path, "/dev/vd", 7) == 0) {
		status->st_mode = S_IFBLK;
		status->st_rdev = makedev(254, (unsigned int)path[7]);
		return 0;
	}
	status->st_mode = S_IFREG;
	return strncmp(path, "/tmp/", 5) == 0 ? 0 : -1;
}
int __wrap_stat64(const char *path, struct stat *status)
{
	return __wrap_stat(path, status);
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	version = "2.3.2-2~bpo12+2\n";
	reallocs = fail_realloc_at = 0;
	return 0;
}

#define FIGURES                                                                                    \
	"size\t1006632960\nfree\t1006264320\nfragmentation\t2\nhealth\tONLINE\nreadonly\toff\n"    \
	"ashift\t12\n"
#define HEAD "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME         STATE     READ WRITE CKSUM\n"
#define TAIL "\nerrors: No known data errors\n"
#define LINE(name) name "  ONLINE       0     0     0\n"

#define FIVE "\t    /t1\n\t    /t2\n\t    /t3\n\t    /t4\n\t    /t5\n"

static struct zfs_pool pool;

static int read_pool(const char *tree)
{
	static char text[512 * 1024];

	(void)snprintf(text, sizeof(text), "%s%s%s", HEAD, tree, TAIL);
	fake_say(FIGURES);
	fake_say(text);
	return zfs_pool_read("tank", &pool, NULL);
}

static void test_disk(void **state)
{
	(void)state;
	fake_say(FIGURES);
	fake_say(HEAD LINE("\ttank       ") LINE("\t  /dev/vda1") TAIL);
	fake_say("13\n");
	assert_int_equal(zfs_pool_read("tank", &pool, NULL), 0);
	assert_string_equal(fake_asked[0], "/usr/sbin/zpool get -Hp -o property,value "
					   "size,free,fragmentation,health,readonly,ashift tank");
	assert_string_equal(fake_asked[1], "/usr/sbin/zpool status -PL tank");
	assert_string_equal(fake_asked[2],
			    "/usr/sbin/zpool get -Hp -o value ashift tank /dev/vda1");
	assert_string_equal(pool.facts.pool, "tank");
	assert_string_equal(pool.facts.version, "2.3.2-2~bpo12+2");
	assert_string_equal(pool.facts.health, "ONLINE");
	assert_false(pool.facts.readonly);
	assert_int_equal(pool.facts.size_bytes, 1006632960);
	assert_int_equal(pool.facts.free_bytes, 1006264320);
	assert_int_equal((int)pool.facts.fragmentation_percent, 2);
	assert_int_equal(pool.facts.ashift, 13); /* the vdev's, not what new ones would get */
	assert_string_equal(pool.facts.layout, "disk");
	assert_false(pool.facts.parity);
	assert_int_equal(pool.facts.recommended_volblocksize, 16384);
	assert_int_equal(pool.leaf_count, 1);
	assert_int_equal(pool.leaves[0].class, ZFS_VDEV_DATA);
	assert_true(pool.leaves[0].device == makedev(254, 'a'));
	zfs_pool_done(&pool);
	assert_null(pool.leaves);
}

/* Layouts; before 2.2 vdevs are not asked for their ashift. */
static void test_layouts(void **state)
{
	static const struct {
		const char *tree, *layout;
		bool parity;
		uint64_t recommended_kib;
		size_t leaves;
	} cases[] = {
		{LINE("\ttank") LINE("\t  mirror-0") LINE("\t    /dev/vda1") LINE("\t    /dev/vdb1")
			 LINE("\t  mirror-1") LINE("\t    /dev/vdc1") LINE("\t    /dev/vdd1"),
		 "2 x mirror of 2", false, 16, 4},
		{LINE("\ttank") LINE("\t  /dev/vda1") LINE("\t  /dev/vdb1") LINE("\t  /dev/vdc1")
			 LINE("\t  /dev/vdd1"),
		 "4 x disk", false, 16, 4},
		{LINE("\ttank") LINE("\t  /tmp/a b"), "file", false, 16, 1},
		{LINE("\ttank") LINE("\t  raidz1-0") LINE("\t    /tmp/1") LINE("\t    /tmp/2")
			 LINE("\t    /tmp/3"),
		 "raidz1 of 3", true, 16, 3},
		{LINE("\ttank") LINE("\t  raidz1-0") LINE("\t    /tmp/1") LINE("\t    /tmp/2")
			 LINE("\t    /tmp/3") LINE("\t    /tmp/4"),
		 "raidz1 of 4", true, 32, 4},
		{LINE("\ttank") LINE("\t  raidz2-0") LINE("\t    /tmp/1") LINE("\t    /tmp/2")
			 LINE("\t    /tmp/3") LINE("\t    /tmp/4") LINE("\t    /tmp/5")
				 LINE("\t    /tmp/6") LINE("\t    /tmp/7"),
		 "raidz2 of 7", true, 64, 7},
		{LINE("\ttank") LINE("\t  raidz3-0") FIVE FIVE FIVE FIVE, "raidz3 of 20", true, 128,
		 20},
		{LINE("\ttank") LINE("\t  draid1:2d:5c:1s-0") LINE("\t    /tmp/1")
			 LINE("\t    /tmp/2") LINE("\t    /tmp/3") LINE("\t    /tmp/4")
				 LINE("\t    /tmp/5") "\tspares\n\t  draid1-0-0         AVAIL   \n",
		 "draid1:2d:5c:1s", true, 32, 5},
		{LINE("\ttank") LINE("\t  draid2:8d:20c:2s-0") LINE("\t    /tmp/1"),
		 "draid2:8d:20c:2s", true, 64, 1},
		{LINE("\ttank") LINE("\t  mirror-0") LINE("\t    /dev/vda1") LINE("\t    /dev/vdb1")
			 LINE("\t  raidz1-1") LINE("\t    /dev/vdc1") LINE("\t    /dev/vdd1")
				 LINE("\t    /dev/vde1") LINE("\t    /dev/vdf1"),
		 "mirror of 2 + raidz1 of 4", true, 32, 6},
	};

	(void)state;
	version = "2.1.11-1+deb12u1\n";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_reset();
		assert_int_equal(read_pool(cases[i].tree), 0);
		assert_int_equal(fake_taken, 2);
		assert_int_equal(pool.facts.ashift, 12);
		assert_string_equal(pool.facts.layout, cases[i].layout);
		assert_int_equal(pool.facts.parity, cases[i].parity);
		assert_int_equal(pool.facts.recommended_volblocksize,
				 cases[i].recommended_kib * 1024);
		assert_int_equal(pool.leaf_count, cases[i].leaves);
		zfs_pool_done(&pool);
	}
}

/* All classes; headings of two of them have a tab behind them. */
static void test_classes(void **state)
{
	static const enum zfs_vdev_class classes[] = {ZFS_VDEV_DATA, ZFS_VDEV_DATA, ZFS_VDEV_DATA,
						      ZFS_VDEV_DATA, ZFS_VDEV_DATA, ZFS_VDEV_LOG,
						      ZFS_VDEV_LOG,  ZFS_VDEV_CACHE};
	static const char letters[] = "abcdefgh";

	(void)state;
	fake_say(FIGURES);
	fake_say(HEAD "\ttank  ONLINE\n"
		      "\t  /dev/vda1  ONLINE\n"
		      "\t  /dev/vdb1  ONLINE\n"
		      "\tspecial\t\n"
		      "\t  mirror-2  ONLINE\n"
		      "\t    /dev/vdc1  ONLINE\n"
		      "\t    /dev/vdd1  ONLINE\n"
		      "\tdedup\t\n"
		      "\t  /dev/vde1  ONLINE\n"
		      "\tlogs\t\n"
		      "\t  mirror-4  ONLINE\n"
		      "\t    /dev/vdf1  ONLINE\n"
		      "\t    /dev/vdg1  ONLINE\n"
		      "\tcache\n"
		      "\t  /dev/vdh1  ONLINE\n"
		      "\tspares\n"
		      "\t  /dev/vdi1    AVAIL   \n" TAIL);
	fake_say("12\n12\n");
	assert_int_equal(zfs_pool_read("tank", &pool, NULL), 0);
	assert_string_equal(fake_asked[2], "/usr/sbin/zpool get -Hp -o value ashift tank /dev/vda1 "
					   "/dev/vdb1");
	assert_string_equal(pool.facts.layout, "2 x disk; special: mirror of 2; dedup: disk; "
					       "logs: mirror of 2; cache: disk");
	assert_int_equal(pool.leaf_count, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(pool.leaves[i].class, classes[i]);
		assert_true(pool.leaves[i].device == makedev(254, (unsigned int)letters[i]));
	}
	zfs_pool_done(&pool);
}

/* A disk that is missing has a number for a name; one in use as a spare and one that replaces
 * another stand one level deeper and are one disk of the vdev. */
static void test_degraded(void **state)
{
	(void)state;
	version = "2.1.11\n";
	assert_int_equal(
		read_pool("\ttank                       DEGRADED     0     0     0\n"
			  "\t  raidz1-0                 DEGRADED     0     0     0\n"
			  "\t    /dev/vda1              ONLINE       0     0     0\n"
			  "\t    spare-1                DEGRADED     0     0     0\n"
			  "\t      9812374987123984712  UNAVAIL      0     0     0  was /dev/vdb1\n"
			  "\t      /dev/vdc1            ONLINE       0     0     0\n"
			  "\t    replacing-2            ONLINE       0     0     0\n"
			  "\t      /dev/vdd1            ONLINE       0     0     0\n"
			  "\t      /dev/vde1            ONLINE       0     0     0  (resilvering)\n"
			  "\t  indirect-1               ONLINE       0     0     0\n"
			  "\tspares\n"
			  "\t  /dev/vdc1                INUSE     currently in use\n"),
		0);
	assert_string_equal(pool.facts.layout, "raidz1 of 3");
	assert_int_equal(pool.facts.recommended_volblocksize, 16384);
	assert_int_equal(pool.leaf_count, 5);
	assert_true(pool.leaves[1].device == 0);
	assert_true(pool.leaves[4].device == makedev(254, 'e'));
	zfs_pool_done(&pool);
}

static void test_ashift(void **state)
{
	static const struct {
		const char *answer;
		int status;
		unsigned int ashift;
	} cases[] = {
		{"9\n9\n", 0, 9},  {"9\n12\n", 0, 0},	 {"0\n12\n", 0, 12},   {"", 0, 12},
		{"x\n-\n", 0, 12}, {"9999999\n", 0, 12}, {"usage: no", 2, 12},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_reset();
		fake_say(FIGURES);
		fake_say(HEAD LINE("\ttank") LINE("\t  /dev/vda1") LINE("\t  /dev/vdb1") TAIL);
		fake_say(cases[i].answer);
		fake_replies[2].status = cases[i].status;
		assert_int_equal(zfs_pool_read("tank", &pool, NULL), 0);
		assert_int_equal(pool.facts.ashift, cases[i].ashift);
		zfs_pool_done(&pool);
	}
}

static void test_missing(void **state)
{
	struct error err = {0};

	(void)state;
	fake_refuse("Cannot get properties of nopool: no such pool available.\n");
	assert_int_equal(zfs_pool_read("nopool", &pool, &err), -ENOENT);
	assert_int_equal(err.code, ERROR_TARGET_MISSING);
	assert_true(zfs_pool_read("-x", &pool, &err) < 0);
	assert_int_equal(fake_taken, 1);
}

static void test_odd_figures(void **state)
{
	(void)state;
	version = NULL;
	fake_say("size\t-\nfree\nfragmentation\t-"
		 "\nhealth\t0123456789012345678901234567890123456789\n"
		 "readonly\ton\nashift\t99\n\n\t\t\nsize");
	fake_say("");
	assert_int_equal(zfs_pool_read("tank", &pool, NULL), 0);
	assert_int_equal(pool.facts.size_bytes, 0);
	assert_true(pool.facts.fragmentation_percent < 0);
	assert_int_equal(strlen(pool.facts.health), sizeof(pool.facts.health) - 1);
	assert_true(pool.facts.readonly);
	assert_int_equal(pool.facts.ashift, 0);
	assert_string_equal(pool.facts.version, "");
	assert_string_equal(pool.facts.layout, "");
	assert_int_equal(pool.facts.recommended_volblocksize, 0);
	assert_int_equal(pool.leaf_count, 0);
	zfs_pool_done(&pool);
}

/* Broken off anywhere, it is read as far as it goes, and nothing else. */
static void test_truncated(void **state)
{
	static const char whole[] = HEAD LINE("\ttank") LINE("\t  draid1:2d:5c:1s-0")
		LINE("\t    /dev/vda1") LINE("\t  raidz2-1")
			LINE("\t    /dev/vdb1") "\tlogs\t\n" LINE("\t  mirror-2")
				LINE("\t    /dev/vdc1") TAIL;
	char text[sizeof(whole)];

	(void)state;
	version = "2.1.11\n";
	for (size_t length = 0; length < sizeof(whole); length += 3) {
		memcpy(text, whole, length);
		text[length] = '\0';
		fake_reset();
		fake_say(FIGURES);
		fake_say(text);
		assert_int_equal(zfs_pool_read("tank", &pool, NULL), 0);
		assert_true(pool.leaf_count <= 3);
		zfs_pool_done(&pool);
	}
}

static void test_hostile_trees(void **state)
{
	static const char *const trees[] = {
		"\n",
		"\t\n",
		"\t   \n",
		"\t  \t  \n",
		"x\n",
		"\ttank\n\tunknown\n\t  /dev/vda1\n",
		"\ttank\n\t                                                    /dev/vda1\n",
		"\ttank\n\t  draid:\n",
		"\ttank\n\t  draid1:d\n",
		"\ttank\n\t  draid9999999999999:99999999999999d-0\n\t    /tmp/1\n",
		"\ttank\n\t  raidz\n",
		"\ttank\n\t  raidz9-0\n\t    /tmp/1\n",
		"\ttank\n\t  mirror-\n",
		"\ttank\n\tlogs\n\tlogs\n\tcache\n",
	};

	(void)state;
	version = "2.1.11\n";
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		fake_reset();
		assert_int_equal(read_pool(trees[i]), 0);
		zfs_pool_done(&pool);
	}
}

/* More kinds of vdev than there is room for, and a layout longer than its text. */
static void test_many_kinds(void **state)
{
	static char tree[64 * 1024];
	size_t used = (size_t)snprintf(tree, sizeof(tree), "\ttank\n");

	(void)state;
	version = "2.1.11\n";
	for (int i = 0; i < 20; i++) {
		used += (size_t)snprintf(tree + used, sizeof(tree) - used, "\t  mirror-%d\n", i);
		for (int j = 0; j <= i; j++)
			used += (size_t)snprintf(tree + used, sizeof(tree) - used,
						 "\t    /dev/vda1\n");
	}
	assert_int_equal(read_pool(tree), 0);
	assert_int_equal(strncmp(pool.facts.layout, "mirror of 1 + mirror of 2", 25), 0);
	assert_true(strlen(pool.facts.layout) < sizeof(pool.facts.layout));
	assert_int_equal(pool.leaf_count, 210);
	zfs_pool_done(&pool);
}

static void test_most_leaves(void **state)
{
	struct error err = {0};

	(void)state;
	version = "2.1.11\n";
	fake_say(FIGURES);
	fake_script("printf '\\n\\tNAME \\n\\ttank\\n'; yes '	  /tmp/x' | head -n 4096");
	assert_int_equal(zfs_pool_read("tank", &pool, &err), 0);
	assert_int_equal(pool.leaf_count, 4096);
	assert_string_equal(pool.facts.layout, "4096 x file");
	zfs_pool_done(&pool);

	fake_say(FIGURES);
	fake_script("printf '\\n\\tNAME \\n\\ttank\\n'; yes '	  /tmp/x' | head -n 4097");
	assert_true(zfs_pool_read("tank", &pool, &err) < 0);
	assert_int_equal(err.code, ERROR_ZFS_FAILED);
}

static void test_no_memory(void **state)
{
	(void)state;
	version = "2.1.11\n";
	for (fail_realloc_at = 1;; fail_realloc_at++) {
		int r;

		reallocs = 0;
		fake_reset();
		r = read_pool(LINE("\ttank") LINE("\t  /dev/vda1"));
		if (r == 0)
			break;
		assert_int_equal(r, -ENOMEM);
	}
	assert_true(fail_realloc_at > 5);
	zfs_pool_done(&pool);
}

static void test_version(void **state)
{
	char text[64];

	(void)state;
	assert_string_equal(zfs_version(text), "2.3.2-2~bpo12+2");
	assert_true(zfs_version_at_least(2, 3));
	assert_true(zfs_version_at_least(1, 9));
	assert_false(zfs_version_at_least(2, 4));
	assert_false(zfs_version_at_least(3, 0));
	version = "2.10.0\n";
	assert_true(zfs_version_at_least(2, 3));
	version = "odd";
	assert_false(zfs_version_at_least(0, 0));
	version = "";
	assert_false(zfs_version_at_least(0, 0));
	version = NULL;
	assert_string_equal(zfs_version(text), "");
	assert_false(zfs_version_at_least(0, 0));
	version = "01234567890123456789012345678901234567890123456789012345678901234567890123";
	assert_int_equal(strlen(zfs_version(text)), 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_disk, setup),
		cmocka_unit_test_setup(test_layouts, setup),
		cmocka_unit_test_setup(test_classes, setup),
		cmocka_unit_test_setup(test_degraded, setup),
		cmocka_unit_test_setup(test_ashift, setup),
		cmocka_unit_test_setup(test_missing, setup),
		cmocka_unit_test_setup(test_odd_figures, setup),
		cmocka_unit_test_setup(test_truncated, setup),
		cmocka_unit_test_setup(test_hostile_trees, setup),
		cmocka_unit_test_setup(test_many_kinds, setup),
		cmocka_unit_test_setup(test_most_leaves, setup),
		cmocka_unit_test_setup(test_no_memory, setup),
		cmocka_unit_test_setup(test_version, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
