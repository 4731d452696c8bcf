/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_checks_zfs.c - a sound sample on OpenZFS has no finding; each fault has its own, at its
 * threshold and not below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/checks_zfs.h"
#include "tests/unit/server/codec/fixture.h"

#define GIB (1ull << 30)

static void set(struct sample *sample, const char *name, const char *value)
{
	assert_int_equal(properties_set(&sample->zfs->properties, name, value), 0);
}

/* A minute on a zvol of the run's own, filled, with metadata alone in ARC: nothing wrong with it.
 */
static void sound(struct sample *sample, const char *options)
{
	sample_init(sample);
	sample->workload = fixture_text("w");
	sample->repeat = 1;
	sample->seconds = 60;
	fixture_workload(&sample->options, options);
	sample->zfs = malloc(sizeof(*sample->zfs));
	assert_non_null(sample->zfs);
	sample_zfs_init(sample->zfs);
	(void)snprintf(sample->zfs->dataset, sizeof(sample->zfs->dataset),
		       "tank/volbench/volbench-x");
	sample->zfs->volume = true;
	sample->zfs->size_bytes = sample->zfs->written_bytes = sample->zfs->logical_bytes = GIB;
	sample->zfs->compress_ratio = 1.0;
	sample->zfs->used_percent = 40;
	sample->zfs->fragmentation_percent = 5;
	sample->zfs->txg_timeout_s = 5;
	sample->zfs->arc = (struct zfs_arc_delta){
		.known = true, .demand_data_misses = 1000, .size_max_bytes = 2 * GIB};
	set(sample, "primarycache", "metadata");
	set(sample, "compression", "off");
	set(sample, "sync", "standard");
}

static const char reads[] = "rw=randread bs=4k size=1g direct=1 runtime=60";
static const char writes[] = "rw=randwrite bs=4k size=1g direct=1 runtime=60";

/* Expects this finding alone (none for NULL), and ends the sample. */
static void expect_only(struct sample *sample, const char *code, enum finding_severity severity)
{
	const struct findings *findings = &sample->findings;

	assert_int_equal(checks_zfs(sample, "bs=4k"), 0);
	if (!code && findings->count > 0)
		fail_msg("finding %s, found %s", findings->list[0].code, findings->list[0].found);
	if (code) {
		assert_int_equal(findings->count, 1);
		assert_string_equal(findings->list[0].code, code);
		assert_int_equal(findings->list[0].severity, severity);
		assert_string_equal(findings->list[0].cell, "bs=4k");
		assert_true(findings->list[0].message[0] && findings->list[0].expected[0] &&
			    findings->list[0].found[0]);
	}
	sample_done(sample);
}

static void sound_samples_have_none(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, reads);
	expect_only(&sample, NULL, 0);
	sound(&sample, writes);
	expect_only(&sample, NULL, 0);
	sound(&sample, reads); /* elsewhere */
	sample_zfs_done(sample.zfs);
	free(sample.zfs);
	sample.zfs = NULL;
	expect_only(&sample, NULL, 0);
}

static void holes_are_told(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, reads);
	sample.zfs->logical_bytes = GIB / 10 * 9 + 10;
	expect_only(&sample, NULL, 0);
	sound(&sample, reads);
	sample.zfs->logical_bytes = GIB / 10 * 9 - 10;
	expect_only(&sample, "unwritten_volume", FINDING_WARNING);
	sound(&sample, writes); /* reads none of it */
	sample.zfs->logical_bytes = 0;
	expect_only(&sample, NULL, 0);
	sound(&sample, reads); /* compressed zvols have their logical size */
	sample.zfs->written_bytes = GIB / 2;
	expect_only(&sample, NULL, 0);
}

static void holes_in_files_are_told(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, "rw=randread bs=4k size=1g direct=0 runtime=60");
	sample.zfs->volume = false;
	sample.zfs->logical_bytes = 0; /* is of all that is there */
	expect_only(&sample, NULL, 0);
	sound(&sample, "rw=randread bs=4k size=1g direct=0 runtime=60");
	sample.zfs->volume = false;
	sample.zfs->written_bytes = 512;
	expect_only(&sample, "unwritten_volume", FINDING_WARNING);
	/* less than its size for another reason */
	sound(&sample, "rw=randread bs=4k size=1g direct=0 runtime=60");
	sample.zfs->volume = false;
	sample.zfs->written_bytes = GIB / 4;
	sample.zfs->compress_ratio = 4;
	expect_only(&sample, "compressed_data", FINDING_WARNING);
}

static void compressed_data_are_told(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, reads);
	sample.zfs->compress_ratio = 1.05;
	expect_only(&sample, NULL, 0);
	sound(&sample, reads);
	sample.zfs->compress_ratio = 1.06;
	expect_only(&sample, "compressed_data", FINDING_WARNING);
	sound(&sample, "rw=randread bs=4k size=1g direct=1 buffer_compress_percentage=50");
	sample.zfs->compress_ratio = 2;
	expect_only(&sample, "compressed_data", FINDING_INFO);
	sound(&sample, writes);
	sample.zfs->compress_ratio = 2;
	expect_only(&sample, NULL, 0);
}

static void reads_from_memory_are_told(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, reads);
	sample.zfs->arc.demand_data_hits = 1000;
	expect_only(&sample, NULL, 0);
	sound(&sample, reads);
	sample.zfs->arc.demand_data_hits = 1001;
	assert_int_equal(checks_zfs(&sample, ""), 0);
	assert_int_equal(sample.findings.count, 1);
	assert_null(sample.findings.list[0].cell);
	assert_non_null(strstr(sample.findings.list[0].message, "fit into"));
	assert_non_null(strstr(sample.findings.list[0].found, "primarycache=metadata"));
	sample_done(&sample);
	sound(&sample, reads);
	sample.zfs->arc.demand_data_hits = 5000;
	sample.zfs->size_bytes = sample.zfs->logical_bytes = 3 * GIB;
	assert_int_equal(checks_zfs(&sample, ""), 0);
	assert_null(strstr(sample.findings.list[0].message, "fit into"));
	sample_done(&sample);
	/* not known; and reads that writes of partial blocks need */
	sound(&sample, reads);
	sample.zfs->arc = (struct zfs_arc_delta){.demand_data_hits = 1000};
	expect_only(&sample, NULL, 0);
	sound(&sample, writes);
	sample.zfs->arc.demand_data_hits = 5000;
	expect_only(&sample, NULL, 0);
}

static void writes_that_are_not_safe_are_told(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, "rw=write bs=4k size=1g sync=sync runtime=60");
	set(&sample, "sync", "disabled");
	expect_only(&sample, "sync_disabled", FINDING_WARNING);
	sound(&sample, "rw=write bs=4k size=1g fsync=8 runtime=60");
	set(&sample, "sync", "disabled");
	sample.repeat = 2;
	expect_only(&sample, NULL, 0);
	sound(&sample, writes); /* asks for no sync */
	set(&sample, "sync", "disabled");
	expect_only(&sample, NULL, 0);
}

static void direct_on_a_zvol_is_told_where_no_plan_does(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, reads);
	set(&sample, "primarycache", "all");
	expect_only(&sample, NULL, 0);
	sound(&sample, reads);
	set(&sample, "primarycache", "all");
	(void)snprintf(sample.zfs->dataset, sizeof(sample.zfs->dataset), "tank/vm-volbench-1");
	expect_only(&sample, "direct_on_zvol", FINDING_INFO);
	sound(&sample, reads);
	(void)snprintf(sample.zfs->dataset, sizeof(sample.zfs->dataset), "tank/vm");
	expect_only(&sample, NULL, 0);
}

static void expect_meaning(const char *direct, const char *version, const char *words)
{
	struct sample sample;

	sound(&sample, reads);
	sample.zfs->volume = false;
	(void)snprintf(sample.zfs->version, sizeof(sample.zfs->version), "%s", version);
	if (direct)
		set(&sample, "direct", direct);
	assert_int_equal(checks_zfs(&sample, ""), 0);
	assert_int_equal(sample.findings.count, 1);
	assert_string_equal(sample.findings.list[0].code, "direct_on_dataset");
	assert_non_null(strstr(sample.findings.list[0].message, words));
	assert_non_null(strstr(sample.findings.list[0].found, version));
	sample_done(&sample);
}

static void what_direct_means_on_a_dataset_is_told(void **state)
{
	struct sample sample;

	(void)state;
	expect_meaning(NULL, "2.1.11-1", "changes nothing");
	expect_meaning("standard", "2.3.2-2", "goes around ARC");
	expect_meaning("disabled", "2.3.2-2", "direct=disabled");
	sound(&sample, "rw=randread bs=4k size=1g direct=0 runtime=60");
	sample.zfs->volume = false;
	expect_only(&sample, NULL, 0);
}

/* Where `zfs` could not be asked. */
static void what_is_not_known_is_no_finding(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, reads);
	sample.zfs->volume = false;
	properties_done(&sample.zfs->properties);
	sample.zfs->size_bytes = sample.zfs->written_bytes = sample.zfs->logical_bytes = 0;
	sample.zfs->compress_ratio = 0;
	expect_only(&sample, NULL, 0);
}

static void writes_of_a_moment_are_told(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, writes);
	sample.seconds = 10;
	sample.ramp_seconds = 5;
	expect_only(&sample, NULL, 0);
	sound(&sample, writes);
	sample.seconds = 10;
	sample.ramp_seconds = 4.9;
	expect_only(&sample, "few_txgs", FINDING_INFO);
	sound(&sample, writes); /* dirty data asked for more of them */
	sample.seconds = 5;
	sample.zfs->pool = (struct zfs_pool_delta){.known = true, .txgs = 7};
	expect_only(&sample, NULL, 0);
	sound(&sample, writes);
	sample.seconds = 5;
	sample.zfs->pool = (struct zfs_pool_delta){.known = true, .txgs = 6};
	expect_only(&sample, "few_txgs", FINDING_INFO);
	sound(&sample, "rw=write bs=4k size=1g sync=sync runtime=60");
	sample.seconds = 5;
	expect_only(&sample, NULL, 0);
	sound(&sample, writes); /* not known how often */
	sample.seconds = 1;
	sample.zfs->txg_timeout_s = 0;
	expect_only(&sample, NULL, 0);
}

static void full_and_fragmented_pools_are_told(void **state)
{
	struct sample sample;

	(void)state;
	sound(&sample, reads);
	sample.zfs->used_percent = 80;
	sample.zfs->fragmentation_percent = 50;
	expect_only(&sample, NULL, 0);
	sound(&sample, reads);
	sample.zfs->used_percent = 80.5;
	expect_only(&sample, "pool_nearly_full", FINDING_WARNING);
	sound(&sample, reads);
	sample.zfs->fragmentation_percent = 51;
	expect_only(&sample, "pool_fragmented", FINDING_WARNING);
	sound(&sample, reads);
	sample.zfs->used_percent = sample.zfs->fragmentation_percent = -1;
	expect_only(&sample, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_samples_have_none),
		cmocka_unit_test(holes_are_told),
		cmocka_unit_test(holes_in_files_are_told),
		cmocka_unit_test(compressed_data_are_told),
		cmocka_unit_test(reads_from_memory_are_told),
		cmocka_unit_test(writes_that_are_not_safe_are_told),
		cmocka_unit_test(direct_on_a_zvol_is_told_where_no_plan_does),
		cmocka_unit_test(what_direct_means_on_a_dataset_is_told),
		cmocka_unit_test(what_is_not_known_is_no_finding),
		cmocka_unit_test(writes_of_a_moment_are_told),
		cmocka_unit_test(full_and_fragmented_pools_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
