/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_property.c - the table of properties: what values they take, and why others are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/property.h"
#include "engine/plan/workload.h"

static void canonical(const char *name, const char *text, const char *expected)
{
	struct error err = {0};
	char *value = NULL;

	if (property_parse(property_find(name), text, &value, &err) != 0)
		fail_msg("%s=%s: %s", name, text, err.message);
	assert_string_equal(value, expected);
	free(value);
	/* what is canonical stays as it is */
	assert_int_equal(property_parse(property_find(name), expected, &value, &err), 0);
	assert_string_equal(value, expected);
	free(value);
}

static void bad(const char *name, const char *text)
{
	struct error err = {0};
	char *value = NULL;

	if (property_parse(property_find(name), text, &value, &err) == 0)
		fail_msg("%s=%s was taken as %s", name, text, value);
	assert_int_equal(err.code, ERROR_BAD_VALUE);
	assert_string_equal(err.field, "");
	assert_non_null(strstr(err.message, property_find(name)->values));
	assert_null(value);
}

static void test_block_sizes(void **state)
{
	static const char *const names[] = {"volblocksize", "recordsize"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		canonical(names[i], "512", "512");
		canonical(names[i], "16384", "16K");
		canonical(names[i], "16k", "16K");
		canonical(names[i], "16KiB", "16K");
		canonical(names[i], "1024k", "1M");
		canonical(names[i], "128K", "128K");
		canonical(names[i], "16M", "16M");
		bad(names[i], "256");
		bad(names[i], "32M");
		bad(names[i], "24K");
		bad(names[i], "0");
		bad(names[i], "");
		bad(names[i], "-4K");
		bad(names[i], "4K ");
	}
	canonical("special_small_blocks", "0", "0");
	canonical("special_small_blocks", "1M", "1M");
	bad("special_small_blocks", "2M");
	assert_int_equal(property_bytes("16K"), 16384);
	assert_int_equal(property_bytes("1M"), 1 << 20);
}

static void test_words(void **state)
{
	(void)state;
	canonical("compression", "off", "off");
	canonical("compression", "LZ4", "lz4");
	canonical("compression", "gzip-1", "gzip-1");
	canonical("compression", "gzip-9", "gzip-9");
	canonical("compression", "gzip-6", "gzip");
	canonical("compression", "zstd-19", "zstd-19");
	canonical("compression", "zstd-3", "zstd");
	canonical("compression", "zstd-fast-1", "zstd-fast");
	canonical("compression", "zstd-fast-10", "zstd-fast-10");
	canonical("compression", "ZSTD-FAST-1000", "zstd-fast-1000");
	bad("compression", "gzip-0");
	bad("compression", "gzip-10");
	bad("compression", "gzip-01");
	bad("compression", "gzip-#9");
	bad("compression", "gzip-");
	bad("compression", "zstd-20");
	bad("compression", "zstd-fast-11");
	bad("compression", "zstd--1");
	bad("compression", "on,off");
	canonical("checksum", "sha256", "sha256");
	bad("checksum", "noparity");
	canonical("dedup", "sha256,verify", "sha256,verify");
	bad("dedup", "edonr");
	canonical("copies", "3", "3");
	bad("copies", "0");
	bad("copies", "4");
	canonical("sync", "disabled", "disabled");
	bad("sync", "dsync");
	canonical("direct", "always", "always");
	bad("direct", "1");
	canonical("primarycache", "metadata", "metadata");
	canonical("dnodesize", "16K", "16k"); /* OpenZFS takes small letters alone */
	canonical("atime", "ON", "on");
	bad("atime", "1");
}

static void test_kinds(void **state)
{
	(void)state;
	assert_true(property_applies(property_find("volblocksize"), TARGET_ZVOL));
	assert_false(property_applies(property_find("volblocksize"), TARGET_DATASET));
	assert_false(property_applies(property_find("recordsize"), TARGET_ZVOL));
	assert_true(property_applies(property_find("recordsize"), TARGET_DATASET));
	assert_true(property_applies(property_find("compression"), TARGET_ZVOL));
	assert_true(property_applies(property_find("compression"), TARGET_DATASET));
	assert_false(property_applies(property_find("compression"), TARGET_DEVICE));
	assert_false(property_applies(property_find("direct"), TARGET_ZVOL));
}

/* A name that is both makes a factor be told by its levels: the values must be of one kind. */
static void test_options_of_the_same_name(void **state)
{
	size_t both = 0;

	(void)state;
	for (size_t i = 0; i < property_count; i++) {
		const char *name = property_table[i].name;

		if (!option_find(name))
			continue;
		both++;
		assert_true(strcmp(name, "sync") == 0 || strcmp(name, "direct") == 0);
		for (const char *const *word = property_table[i].words; *word; word++) {
			struct workload workload;

			workload_init(&workload);
			assert_int_equal(option_parse(option_find(name), *word, &workload, NULL),
					 -EINVAL);
			workload_done(&workload);
		}
	}
	assert_int_equal(both, 2);
}

static void refused(const char *name, enum error_code code, const char *says)
{
	struct error err = {0};

	assert_null(property_find(name));
	assert_int_equal(property_refuse(name, &err), -EINVAL);
	if (err.code != code || !strstr(err.message, says))
		fail_msg("%s: %s: %s", name, error_code_text(err.code), err.message);
}

static void test_refusals(void **state)
{
	static const char *const names[] = {
		"mountpoint", "canmount",	 "volmode",  "refreservation", "encryption",
		"keyformat",  "keylocation",	 "readonly", "sharenfs",       "sharesmb",
		"quota",      "casesensitivity", "snapdev",  "volbench:run",   "userquota@joe"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		refused(names[i], ERROR_UNSUPPORTED, "is not set by a definition: ");
		assert_true(property_refused(names[i]));
	}
	refused("volsize", ERROR_UNSUPPORTED, "\"size\"");
	refused("recsize", ERROR_UNKNOWN_FIELD, "write \"recordsize\"");
	refused("compress", ERROR_UNKNOWN_FIELD, "write \"compression\"");
	refused("blocksize", ERROR_UNKNOWN_FIELD, "volblocksize, recordsize");
	refused("blocksize", ERROR_UNKNOWN_FIELD, "dnodesize"); /* the last: none is cut */
	assert_false(property_refused("blocksize"));
	assert_false(property_refused("sharp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block_sizes), cmocka_unit_test(test_words),
		cmocka_unit_test(test_kinds),	    cmocka_unit_test(test_options_of_the_same_name),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
