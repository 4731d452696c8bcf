/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_definition_made.c - zvols and datasets in a definition: what is checked without OpenZFS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan/definition_made.h"
#include "tests/unit/engine/plan/plan_helpers.h"

#define G (UINT64_C(1) << 30)

static struct definition d;

static struct target_spec *start(enum target_kind kind, const char *parent)
{
	start_definition(&d, NULL);
	return add_target(&d, kind, NULL, parent);
}

static void set(struct target_spec *target, const char *name, const char *value)
{
	assert_int_equal(properties_set(&target->properties, name, value), 0);
}

static void test_levels_and_properties_become_canonical(void **state)
{
	struct target_spec *target = start(TARGET_ZVOL, "tank/volbench");

	(void)state;
	set(target, "compression", "GZIP-6");
	add_factor(&d, "volblocksize", "16384 8k");
	add_workload(&d, "rw=read size=1g");
	check_ok(&d);
	assert_string_equal(d.factors[0].levels[0], "16K");
	assert_string_equal(d.factors[0].levels[1], "8K");
	assert_string_equal(properties_get(&d.targets[0].properties, "compression"), "gzip");
	definition_done(&d);

	start(TARGET_ZVOL, "tank/volbench");
	add_factor(&d, "volblocksize", "16384 16K");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_DUPLICATE, "/factors/volblocksize/1");
	start(TARGET_ZVOL, "tank/volbench");
	add_factor(&d, "volblocksize", "16K 24K");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_BAD_VALUE, "/factors/volblocksize/1");
	target = start(TARGET_ZVOL, "tank/volbench");
	set(target, "copies", "4");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_BAD_VALUE, "/target/zvol/properties/copies");
}

static void parent_is(const char *parent, enum error_code code)
{
	start(TARGET_DATASET, parent);
	add_workload(&d, "rw=read size=1g");
	if (code == ERROR_NONE) {
		check_ok(&d);
		definition_done(&d);
	} else {
		check_bad(&d, code, "/target/dataset/parent");
	}
}

static void test_parents(void **state)
{
	char longest[DEFINITION_PARENT_MAX + 2];

	(void)state;
	memset(longest, 'a', sizeof(longest));
	longest[DEFINITION_PARENT_MAX + 1] = '\0';
	parent_is(longest, ERROR_OUT_OF_RANGE);
	longest[DEFINITION_PARENT_MAX] = '\0';
	parent_is(longest, ERROR_NONE);
	parent_is("tank", ERROR_NONE);
	parent_is("tank/a/b.c_d:e-f", ERROR_NONE);
	parent_is("", ERROR_BAD_VALUE);
	parent_is("/tank", ERROR_BAD_VALUE);
	parent_is("tank/", ERROR_BAD_VALUE);
	parent_is("tank//a", ERROR_BAD_VALUE);
	parent_is("tank/..", ERROR_BAD_VALUE);
	parent_is("tank/a@b", ERROR_BAD_VALUE);
	parent_is("tank/a b", ERROR_BAD_VALUE);
	parent_is("-tank", ERROR_BAD_VALUE);
}

static void test_members_of_what_is_there_before(void **state)
{
	struct target_spec *target = start(TARGET_ZVOL, "tank/volbench");

	(void)state;
	target->existing = true;
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_CONFLICT, "/target/existing");
	target = start(TARGET_DATASET, "tank/volbench");
	target->fingerprint = strdup("x");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_CONFLICT, "/target/fingerprint");
}

static void test_a_property_fits_its_kind(void **state)
{
	struct target_spec *target = start(TARGET_ZVOL, "tank/volbench");

	(void)state;
	set(target, "recordsize", "16K");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_CONFLICT, "/target/zvol/properties/recordsize");

	start(TARGET_DATASET, "tank/volbench");
	add_factor(&d, "volblocksize", "16K 8K");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_CONFLICT, "/factors/volblocksize");

	start_definition(&d, "/tank/file");
	add_factor(&d, "compression", "off lz4");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_CONFLICT, "/factors/compression");

	/* one of the two has it not */
	start_definition(&d, NULL);
	add_target(&d, TARGET_DATASET, "file", "tank/volbench");
	add_target(&d, TARGET_ZVOL, "zvol", "tank/volbench");
	add_factor(&d, "recordsize", "16K 128K");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_CONFLICT, "/factors/recordsize");

	target = start(TARGET_ZVOL, "tank/volbench");
	set(target, "compression", "off");
	add_factor(&d, "compression", "off lz4");
	add_workload(&d, "rw=read size=1g");
	check_bad(&d, ERROR_CONFLICT, "/target/zvol/properties/compression");
}

static void test_one_parent_for_several(void **state)
{
	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DATASET, "file", "tank/volbench");
	add_target(&d, TARGET_ZVOL, "zvol", "tank/volbench");
	add_target(&d, TARGET_ZVOL, "other", "tank/volbench");
	add_factor(&d, "compression", "off lz4");
	add_workload(&d, "rw=read size=1g");
	check_ok(&d);
	definition_done(&d);
}

/* 4 x 8 x 8 = 256 */
static void instances(const char *syncs, enum error_code code)
{
	start_definition(&d, NULL);
	for (int i = 0; i < 4; i++) {
		char name[] = {(char)('a' + i), '\0'};

		add_target(&d, TARGET_ZVOL, name, "tank/volbench");
	}
	add_factor(&d, "volblocksize", "512 1K 2K 4K 8K 16K 32K 64K");
	add_factor(&d, "compression", syncs);
	add_factor(&d, "bs", "4k 8k 16k"); /* no zvol for each of these */
	add_workload(&d, "rw=read size=1g");
	if (code == ERROR_NONE) {
		check_ok(&d);
		definition_done(&d);
	} else {
		check_bad(&d, code, "/factors");
	}
}

static void test_instances_have_a_limit(void **state)
{
	(void)state;
	assert_int_equal(DEFINITION_INSTANCES_MAX, 256);
	instances("off lz4 zle gzip zstd zstd-1 zstd-2 zstd-4", ERROR_NONE);
	instances("off lz4 zle gzip zstd zstd-1 zstd-2 zstd-4 zstd-5", ERROR_TOO_MANY);
}

/* A zvol of this size, two workloads of 1g x 4 = 4g at most. */
static void sized(uint64_t size, const char *levels, enum error_code code)
{
	struct target_spec *target = start(TARGET_ZVOL, "tank/volbench");

	target->size_bytes = size;
	if (levels)
		add_factor(&d, "volblocksize", levels);
	add_workload(&d, "name=a rw=read size=1g");
	add_workload(&d, "name=b rw=read size=1g numjobs=4");
	if (code == ERROR_NONE) {
		check_ok(&d);
		definition_done(&d);
	} else {
		check_bad(&d, code, "/target/zvol/size");
	}
}

static void test_a_size_that_was_given(void **state)
{
	(void)state;
	sized(4 * G, NULL, ERROR_NONE);
	sized(4 * G - 16384, NULL, ERROR_TARGET_TOO_SMALL);
	sized(4 * G + 16384, NULL, ERROR_NONE);
	sized(4 * G + 8192, NULL, ERROR_BAD_SIZE); /* the default may be 16K */
	sized(4 * G + 8192, "4K 8K", ERROR_NONE);
	sized(4 * G + 8192, "4K 16K", ERROR_BAD_SIZE);
	sized(4 * G + 131072, "4K 128K", ERROR_NONE);
	sized(4 * G + 65536, "4K 128K", ERROR_BAD_SIZE);
	sized(4 * G + 65536, "128K 4K", ERROR_BAD_SIZE);
}

static void test_workloads_without_a_size(void **state)
{
	struct target_spec *target = start(TARGET_ZVOL, "tank/volbench");

	(void)state;
	target->size_bytes = 4 * G;
	add_workload(&d, "rw=read");
	check_ok(&d);
	definition_done(&d);
	start(TARGET_ZVOL, "tank/volbench");
	add_workload(&d, "rw=read");
	check_bad(&d, ERROR_MISSING_FIELD, "/workloads/0/size");
	start(TARGET_DATASET, "tank/volbench");
	add_workload(&d, "rw=read");
	check_bad(&d, ERROR_MISSING_FIELD, "/workloads/0/size");
}

static void test_metadata_workloads_want_a_dataset(void **state)
{
	(void)state;
	start(TARGET_DATASET, "tank/volbench");
	add_workload(&d, "metadata=create,delete nrfiles=10 filesize=4k");
	check_ok(&d);
	definition_done(&d);
	start(TARGET_ZVOL, "tank/volbench");
	add_workload(&d, "metadata=create,delete nrfiles=10 filesize=4k");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0/metadata");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_and_properties_become_canonical),
		cmocka_unit_test(test_parents),
		cmocka_unit_test(test_members_of_what_is_there_before),
		cmocka_unit_test(test_a_property_fits_its_kind),
		cmocka_unit_test(test_one_parent_for_several),
		cmocka_unit_test(test_instances_have_a_limit),
		cmocka_unit_test(test_a_size_that_was_given),
		cmocka_unit_test(test_workloads_without_a_size),
		cmocka_unit_test(test_metadata_workloads_want_a_dataset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
