/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/zfs/dataset.c and dataset_create.c: what is asked of `zfs`, and what is made of
 * its answers.
 *
 * link: -Wl,--wrap=child_start -Wl,--wrap=access
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/zfs/dataset.h"
#include "tests/unit/engine/zfs/fake_zfs.h"

#define RUN "01hzy3k5w9"

static int setup(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

/* ---- numbers ---- */

static void test_number(void **state)
{
	static const char *const bad[] = {
		"", "-", "none", "1K", "-1", " 1", "1.0", "0x10", "18446744073709551616"};
	uint64_t number = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(zfs_number(bad[i], &number));
	assert_false(zfs_number(NULL, &number));
	assert_int_equal(number, 7);
	assert_true(zfs_number("0", &number) && number == 0);
	assert_true(zfs_number("18446744073709551615", &number) && number == UINT64_MAX);
}

static void test_ratio(void **state)
{
	static const char *const bad[] = {
		"",    "-",  "x", ".", "1.2.3", "1.0y", "1,0", "1.0x ", "1234567890123456789",
		"inf", "nan"};
	double ratio = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(zfs_ratio(bad[i], &ratio));
	assert_false(zfs_ratio(NULL, &ratio));
	assert_true(ratio > 6.9 && ratio < 7.1);
	assert_true(zfs_ratio("1.00", &ratio) && ratio > 0.999 && ratio < 1.001);
	assert_true(zfs_ratio("12.34x", &ratio) && ratio > 12.339 && ratio < 12.341);
	assert_true(zfs_ratio("2", &ratio) && ratio > 1.999 && ratio < 2.001);
}

/* ---- get ---- */

static const char *const three[] = {"volblocksize", "direct", "volbench:run"};

static void test_get(void **state)
{
	struct zfs_value *values;

	(void)state;
	fake_say("volblocksize\t16384\t-\ndirect\tstandard\tdefault\n"
		 "volbench:run\t" RUN "\tinherited from tank/volbench\n");
	assert_int_equal(zfs_get("tank/volbench/v", three, 3, &values, NULL), 0);
	assert_string_equal(fake_asked[0], "/usr/sbin/zfs get -Hp -o property,value,source "
					   "volblocksize,direct,volbench:run tank/volbench/v");
	assert_string_equal(values[0].value, "16384");
	assert_string_equal(values[0].source, "-");
	assert_string_equal(values[1].value, "standard");
	assert_string_equal(values[2].source, "inherited from tank/volbench");
	zfs_values_done(values, 3);
}

/* 2.1 has no property "direct": it is left out of the next question. */
static void test_get_unknown(void **state)
{
	static const char *const odd[] = {"dir", "direct", "prefetch", "type"};
	struct zfs_value *values;

	(void)state;
	fake_refuse("bad property list: invalid property 'direct'\nusage:\n\tget [-rHp] ...\n");
	fake_refuse("bad property list: invalid property 'prefetch'\nusage:\n\tget [-rHp] ...\n");
	fake_say("dir\t1\t-\ntype\tvolume\t-\n");
	assert_int_equal(zfs_get("tank/v", odd, 4, &values, NULL), 0);
	assert_string_equal(fake_asked[2],
			    "/usr/sbin/zfs get -Hp -o property,value,source dir,type tank/v");
	assert_string_equal(values[0].value, "1");
	assert_null(values[1].value);
	assert_null(values[1].source);
	assert_null(values[2].value);
	assert_string_equal(values[3].value, "volume");
	zfs_values_done(values, 4);

	fake_refuse("bad property list: invalid property 'direct'\n");
	assert_int_equal(zfs_get("tank/v", &odd[1], 1, &values, NULL), 0);
	assert_null(values[0].value);
	zfs_values_done(values, 1);
}

static void test_get_missing(void **state)
{
	struct zfs_value *values;
	struct error err = {0};

	(void)state;
	fake_refuse("cannot open 'tank/v': dataset does not exist\n");
	assert_int_equal(zfs_get("tank/v", three, 3, &values, &err), -ENOENT);
	assert_int_equal(err.code, ERROR_TARGET_MISSING);
	assert_non_null(strstr(err.message, "tank/v"));
}

static void test_is_full(void **state)
{
	(void)state;
	fake_say("available\t0\t-\n");
	assert_true(zfs_is_full("tank/volbench/v"));
	assert_string_equal(
		fake_asked[0],
		"/usr/sbin/zfs get -Hp -o property,value,source available tank/volbench/v");
	fake_say("available\t1048575\t-\n");
	assert_true(zfs_is_full("tank/v"));
	fake_say("available\t1048576\t-\n");
	assert_false(zfs_is_full("tank/v"));
	fake_say("available\t-\t-\n");
	assert_false(zfs_is_full("tank/v"));
	fake_refuse("cannot open 'tank/v': dataset does not exist\n");
	assert_false(zfs_is_full("tank/v"));
}

static void test_get_bad_name(void **state)
{
	struct zfs_value *values;
	struct error err = {0};

	(void)state;
	assert_true(zfs_get("-r", three, 3, &values, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_NAME);
	assert_int_equal(fake_taken, 0);
}

/* Each is refused whole: no value is taken from what cannot be trusted. */
static void test_get_hostile(void **state)
{
	static const char *const outputs[] = {
		"",
		"volblocksize",
		"volblocksize\n",
		"volblocksize\t16384\n",
		"volblocksize\t16384\t-",			       /* no line's end: cut off */
		"volblocksize\t16384\t-\ndirect\t",		       /* cut off */
		"volblocksize\t16384\t-\ndirect\tstandard\tdefault\n", /* one is missing */
		"volblocksize\t1\t-\ndirect\tx\t-\nvolbench:run\t-\t-\nvolbench:run\ta\tlocal\n",
		"volblocksize\t1\t-\ndirect\tx\t-\nother\t-\t-\n",
		"volblocksize\t1\t-\nvolblocksize\t2\t-\ndirect\tx\t-\n",
		"\001\002\377\n\t\t\t\n",
		"\t\t\n\t\t\n\t\t\n",
	};
	struct zfs_value *values;

	(void)state;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		struct error err = {0};

		fake_reset();
		fake_say(outputs[i]);
		assert_int_equal(zfs_get("tank/v", three, 3, &values, &err), -EBADMSG);
		assert_int_equal(err.code, ERROR_ZFS_FAILED);
	}
}

/* ---- create ---- */

static struct properties properties;

static struct zfs_creation volume(void)
{
	return (struct zfs_creation){.name = "tank/volbench/volbench-" RUN,
				     .run_id = RUN,
				     .volume = true,
				     .volsize = 67108864,
				     .properties = &properties};
}

static int setup_create(void **state)
{
	properties_done(&properties);
	return setup(state);
}

static void test_create_volume(void **state)
{
	struct zfs_creation creation = volume();

	(void)state;
	assert_int_equal(properties_set(&properties, "volblocksize", "16K"), 0);
	assert_int_equal(properties_set(&properties, "compression", "off"), 0);
	fake_say("");
	assert_int_equal(zfs_create(&creation, NULL, NULL), 0);
	assert_string_equal(fake_asked[0],
			    "/usr/sbin/zfs create -V 67108864 -o volmode=dev -o volbench:run=" RUN
			    " -o volblocksize=16K -o compression=off tank/volbench/volbench-" RUN);
	creation.sparse = true;
	fake_say("");
	assert_int_equal(zfs_create(&creation, NULL, NULL), 0);
	assert_int_equal(strncmp(fake_asked[1], "/usr/sbin/zfs create -s -V 6710", 31), 0);
}

static struct zfs_creation filesystem(void)
{
	return (struct zfs_creation){.name = "tank/volbench-" RUN,
				     .run_id = RUN,
				     .mountpoint = "/var/lib/volbench/engine/m 1",
				     .properties = &properties};
}

static void test_create_filesystem(void **state)
{
	struct zfs_creation creation = filesystem();

	(void)state;
	fake_say("-\n");
	fake_say("");
	assert_int_equal(zfs_create(&creation, NULL, NULL), 0);
	assert_string_equal(fake_asked[0], "/usr/sbin/zpool get -Hp -o value altroot tank");
	assert_string_equal(fake_asked[1],
			    "/usr/sbin/zfs create -o canmount=noauto -o mountpoint=/var/lib/"
			    "volbench/engine/m 1 -o volbench:run=" RUN " tank/volbench-" RUN);
}

/* OpenZFS puts it before every mountpoint. */
static void test_create_altroot(void **state)
{
	struct zfs_creation creation = filesystem();
	struct error err = {0};

	(void)state;
	fake_say("/var/lib\n");
	fake_say("");
	assert_int_equal(zfs_create(&creation, NULL, NULL), 0);
	assert_non_null(strstr(fake_asked[1], " mountpoint=/volbench/engine/m 1 "));
	fake_reset();
	fake_say("/\n");
	fake_say("");
	assert_int_equal(zfs_create(&creation, NULL, NULL), 0);
	assert_non_null(strstr(fake_asked[1], " mountpoint=/var/lib/volbench/engine/m 1 "));
	/* not beneath it: nothing is made */
	fake_reset();
	fake_say("/var/li\n");
	assert_int_equal(zfs_create(&creation, NULL, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_CONFLICT);
	assert_non_null(strstr(err.message, "altroot=/var/li "));
	assert_int_equal(fake_taken, 1);
	fake_reset();
	fake_refuse("cannot open 'tank': no such pool\n");
	assert_int_equal(zfs_create(&creation, NULL, &err), -ENOENT);
	assert_int_equal(fake_taken, 1);
}

static void test_create_dry(void **state)
{
	struct zfs_creation creation = volume();
	uint64_t reserved = 1;

	(void)state;
	/* A sparse one is asked as if it were not: it will be filled. */
	creation.sparse = true;
	fake_say("create\ttank/v\nproperty\tvolsize\t67108864\nproperty\trefreservation\t71041024\n"
		 "property\tvolbench:run\t" RUN "\n");
	assert_int_equal(zfs_create_dry(&creation, &reserved, NULL), 0);
	assert_int_equal(reserved, 71041024);
	assert_int_equal(strncmp(fake_asked[0], "/usr/sbin/zfs create -nP -V ", 28), 0);
}

/* An own refreservation is judged, but is not what the volume needs. */
static void test_create_dry_own_reservation(void **state)
{
	struct zfs_creation creation = volume();
	uint64_t reserved = 1;

	(void)state;
	assert_int_equal(properties_set(&properties, "refreservation", "none"), 0);
	fake_say("create\ttank/v\nproperty\trefreservation\tnone\n");
	fake_say("create\ttank/"
		 "v\nproperty\tvolsize\t67108864\nproperty\trefreservation\t71041024\n");
	assert_int_equal(zfs_create_dry(&creation, &reserved, NULL), 0);
	assert_int_equal(reserved, 71041024);
	assert_non_null(strstr(fake_asked[0], "refreservation=none"));
	assert_null(strstr(fake_asked[1], "refreservation"));
}

static void test_create_dry_filesystem(void **state)
{
	struct zfs_creation creation = {.name = "tank/volbench-" RUN,
					.run_id = RUN,
					.mountpoint = "/m",
					.properties = &properties};
	uint64_t reserved = 1;

	(void)state;
	fake_say("create\ttank/v\nproperty\tmountpoint\t/m\n");
	assert_int_equal(zfs_create_dry(&creation, &reserved, NULL), 0);
	assert_int_equal(reserved, 0);
}

static void test_create_dry_hostile(void **state)
{
	static const char *const outputs[] = {
		"",
		"property\trefreservation\t5\n", /* no size */
		"property\tvolsize\t67108864\n",
		"property\trefreservation\t",
		"property\trefreservation\tnone\n",
		"property\trefreservation\t12345678901234567890123456789\n",
		"xproperty\trefreservation\t5\n",
		"property\trefreservation\t5K\n",
	};
	struct zfs_creation creation = volume();
	uint64_t reserved;

	(void)state;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		struct error err = {0};

		fake_reset();
		fake_say(outputs[i]);
		assert_int_equal(zfs_create_dry(&creation, &reserved, &err), -EBADMSG);
		assert_int_equal(err.code, ERROR_ZFS_FAILED);
	}
}

/* 100000 bytes would become 114688: what runs counts on the size it asked for. */
static void test_create_dry_size(void **state)
{
	struct zfs_creation creation = volume();
	struct error err = {0};
	uint64_t reserved;

	(void)state;
	creation.volsize = 100000;
	fake_say("create\ttank/v\nproperty\tvolblocksize\t16K\nproperty\tvolsize\t114688\n"
		 "property\trefreservation\t2211840\n");
	assert_true(zfs_create_dry(&creation, &reserved, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_SIZE);
	assert_string_equal(err.field, "size");
	assert_non_null(strstr(err.message, "114688"));
}

static void test_create_refused(void **state)
{
	static const struct {
		const char *words;
		enum error_code code;
		const char *field;
	} cases[] = {
		{"cannot create 'tank/v': 'volblocksize' must be power of 2 from 512B to 128K",
		 ERROR_BAD_VALUE, "volblocksize"},
		{"cannot create 'tank/v': 'compression' must be one of 'on | off | lzjb'",
		 ERROR_BAD_VALUE, "compression"},
		{"bad property list: invalid property 'compression'", ERROR_BAD_VALUE,
		 "compression"},
		{"cannot create 'tank/v': pool must be upgraded to set this property or value",
		 ERROR_BAD_VALUE, "compression"},
		{"cannot create 'tank/v': volume block size must be power of 2 from 512B to 128K",
		 ERROR_BAD_VALUE, "volblocksize"},
		{"warning: volblocksize (4096) is less than x\ncannot create 'tank/v': out of "
		 "space",
		 ERROR_NO_SPACE, ""},
		{"cannot create 'tank/v': dataset already exists", ERROR_FILE_EXISTS, ""},
		{"cannot create 'tank/v': permission denied", ERROR_ZFS_PERMISSION, ""},
		{"cannot create 'tank/v': I/O error", ERROR_ZFS_FAILED, ""},
	};
	struct zfs_creation creation = volume();

	(void)state;
	assert_int_equal(properties_set(&properties, "volblocksize", "4K"), 0);
	assert_int_equal(properties_set(&properties, "compression", "odd"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = {0};

		fake_refuse(cases[i].words);
		assert_true(zfs_create(&creation, NULL, &err) < 0);
		assert_int_equal(err.code, cases[i].code);
		assert_string_equal(err.field, cases[i].field);
	}
}

/* It does not say which; of two it may be either. */
static void test_create_feature(void **state)
{
	struct zfs_creation creation = volume();
	struct error err = {0};

	(void)state;
	assert_int_equal(properties_set(&properties, "compression", "zstd"), 0);
	assert_int_equal(properties_set(&properties, "checksum", "blake3"), 0);
	fake_refuse("cannot create 'tank/v': pool must be upgraded to set this property or value");
	assert_true(zfs_create(&creation, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_VALUE);
	assert_string_equal(err.field, "");
}

/* What Volbench sets itself, and what is no name, never reaches `zfs`. */
static void test_create_own_properties(void **state)
{
	static const char *const bad[] = {"volmode",	  "volsize", "canmount", "mountpoint",
					  "volbench:run", "a=b",     "",	 "a,b"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct zfs_creation creation = volume();
		struct error err = {0};

		properties_done(&properties);
		assert_int_equal(properties_set(&properties, bad[i], "x"), 0);
		assert_int_equal(zfs_create(&creation, NULL, &err), -EINVAL);
		assert_int_equal(err.code, ERROR_BAD_VALUE);
		assert_string_equal(err.field, bad[i]);
	}
	assert_int_equal(fake_taken, 0);
}

static void test_mount(void **state)
{
	struct error err = {0};

	(void)state;
	fake_say("");
	assert_int_equal(zfs_mount("tank/f", NULL, &err), 0);
	assert_string_equal(fake_asked[0], "/usr/sbin/zfs mount tank/f");
	fake_refuse("cannot mount 'tank/f': Insufficient privileges\n");
	assert_int_equal(zfs_mount("tank/f", NULL, &err), -EACCES);
	assert_int_equal(err.code, ERROR_ZFS_PERMISSION);
}

static int teardown(void **state)
{
	(void)state;
	properties_done(&properties);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test_setup(test_get, setup),
		cmocka_unit_test_setup(test_get_unknown, setup),
		cmocka_unit_test_setup(test_get_missing, setup),
		cmocka_unit_test_setup(test_is_full, setup),
		cmocka_unit_test_setup(test_get_bad_name, setup),
		cmocka_unit_test_setup(test_get_hostile, setup),
		cmocka_unit_test_setup(test_create_volume, setup_create),
		cmocka_unit_test_setup(test_create_filesystem, setup_create),
		cmocka_unit_test_setup(test_create_altroot, setup_create),
		cmocka_unit_test_setup(test_create_dry, setup_create),
		cmocka_unit_test_setup(test_create_dry_own_reservation, setup_create),
		cmocka_unit_test_setup(test_create_dry_filesystem, setup_create),
		cmocka_unit_test_setup(test_create_dry_hostile, setup_create),
		cmocka_unit_test_setup(test_create_dry_size, setup_create),
		cmocka_unit_test_setup(test_create_refused, setup_create),
		cmocka_unit_test_setup(test_create_feature, setup_create),
		cmocka_unit_test_setup(test_create_own_properties, setup_create),
		cmocka_unit_test_setup(test_mount, setup),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
