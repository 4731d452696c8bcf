/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_sample_zfs.c (codec) - what OpenZFS did beside a sample, there and back; damaged documents
 * are refused with the pointer of what is wrong, earlier ones are read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/sample.h"
#include "tests/unit/server/codec/fixture.h"

static json_t *through_text(json_t *value)
{
	struct error err = {0};
	json_t *again = NULL;
	char *text;

	assert_non_null(value);
	text = json_write(value);
	assert_non_null(text);
	assert_int_equal(json_read_own(text, strlen(text), &again, &err), 0);
	free(text);
	json_decref(value);
	return again;
}

static void expect_same_again(const struct sample *sample)
{
	json_t *value = through_text(sample_encode(sample));
	struct error err = {0};
	struct sample again;

	sample_init(&again);
	if (sample_decode(value, &again, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	fixture_same_sample(sample, &again);
	sample_done(&again);
	json_decref(value);
}

/* What is not known is absent, and comes back as not known. */
static void unknown_figures_of_zfs_stay_unknown(void **state)
{
	struct sample sample;
	json_t *value, *zfs;

	(void)state;
	fixture_sample(&sample);
	sample.zfs->compress_ratio = sample.zfs->txg_timeout_s = 0;
	sample.zfs->used_percent = sample.zfs->fragmentation_percent = -1;
	memset(&sample.zfs->arc, 0, sizeof(sample.zfs->arc));
	memset(&sample.zfs->pool, 0, sizeof(sample.zfs->pool));
	(void)snprintf(sample.zfs->pool.reason, sizeof(sample.zfs->pool.reason), "no sync");
	expect_same_again(&sample);
	value = sample_encode(&sample);
	zfs = json_object_get(value, "zfs");
	assert_non_null(zfs);
	assert_null(json_object_get(zfs, "arc"));
	assert_null(json_object_get(zfs, "pool"));
	assert_null(json_object_get(zfs, "from_devices"));
	assert_null(json_object_get(zfs, "write_amplification"));
	assert_null(json_object_get(zfs, "used_percent"));
	assert_string_equal(json_string_value(json_object_get(zfs, "pool_unknown")), "no sync");
	json_decref(value);
	sample_done(&sample);
}

/* At most 64 properties are read: no more ever are written. */
static void properties_have_a_limit(void **state)
{
	struct sample sample, again;
	struct error err;
	char name[16];

	(void)state;
	fixture_sample(&sample);
	for (int i = 2; i <= 64; i++) {
		json_t *value;

		sample_init(&again);
		if (i == 64) {
			expect_same_again(&sample);
			assert_int_equal(properties_set(&sample.zfs->properties, "last", "x"), 0);
			value = sample_encode(&sample);
			assert_int_equal(sample_decode(value, &again, &err), -EINVAL);
			assert_int_equal(err.code, ERROR_TOO_MANY);
			assert_string_equal(err.field, "/zfs/properties");
			json_decref(value);
			break;
		}
		(void)snprintf(name, sizeof(name), "p%d", i);
		assert_int_equal(properties_set(&sample.zfs->properties, name, "x"), 0);
	}
	sample_done(&sample);
}

/* Those that follow from others are told. */
static void figures_of_zfs_are_told(void **state)
{
	struct sample sample;
	json_t *value, *zfs;

	(void)state;
	fixture_sample(&sample);
	value = sample_encode(&sample);
	zfs = json_object_get(value, "zfs");
	assert_true(json_real_value(json_object_get(zfs, "write_amplification")) >= 4);
	assert_true(json_real_value(json_object_get(zfs, "read_amplification")) == 4);
	assert_true(json_real_value(json_object_get(zfs, "from_devices")) ==
		    sample_zfs_from_devices(sample.zfs));
	json_decref(value);
	sample_done(&sample);
}

/* A sample whose member of "zfs" is another: absent where `with` is NULL. */
static void expect_blamed(const char *member, json_t *with, const char *field)
{
	struct sample sample, again;
	struct error err = {0};
	json_t *value;
	int r;

	fixture_sample(&sample);
	value = sample_encode(&sample);
	r = with ? json_object_set_new(json_object_get(value, "zfs"), member, with)
		 : json_object_del(json_object_get(value, "zfs"), member);
	assert_int_equal(r, 0);
	sample_init(&again);
	if (sample_decode(value, &again, &err) != -EINVAL)
		fail_msg("%s was taken", member);
	assert_string_equal(err.field, field);
	json_decref(value);
	sample_done(&sample);
}

static void damaged_ones_are_refused(void **state)
{
	(void)state;
	expect_blamed("dataset", NULL, "/zfs/dataset");
	expect_blamed("volume", json_string("yes"), "/zfs/volume");
	expect_blamed("properties", json_array(), "/zfs/properties");
	expect_blamed("properties", json_pack("{s:i}", "copies", 2), "/zfs/properties/copies");
	expect_blamed("written_bytes", json_integer(-1), "/zfs/written_bytes");
	expect_blamed("used_percent", json_real(100.5), "/zfs/used_percent");
	expect_blamed("arc", json_object(), "/zfs/arc/demand_data_hits");
	expect_blamed("pool", json_true(), "/zfs/pool");
}

static void earlier_samples_have_none(void **state)
{
	struct sample sample, again;
	struct error err;
	json_t *value;

	(void)state;
	fixture_sample(&sample);
	value = sample_encode(&sample);
	assert_int_equal(json_object_del(value, "zfs"), 0);
	sample_init(&again);
	assert_int_equal(sample_decode(value, &again, &err), 0);
	assert_null(again.zfs);
	sample_done(&again);
	json_decref(value);
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_figures_of_zfs_stay_unknown),
		cmocka_unit_test(properties_have_a_limit),
		cmocka_unit_test(figures_of_zfs_are_told),
		cmocka_unit_test(damaged_ones_are_refused),
		cmocka_unit_test(earlier_samples_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
