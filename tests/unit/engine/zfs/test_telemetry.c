/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_telemetry.c - what is told of a sample, with the commands, disks and counters of OpenZFS
 * stood in for: the figures, and that what cannot be known is not known, a cancel is heard, and
 * nothing is asked where it cannot be answered.
 *
 * link: -Wl,--wrap=zfs_do,--wrap=zfs_get,--wrap=zfs_values_done,--wrap=zfs_pool_read
 * link: -Wl,--wrap=zfs_pool_done,--wrap=zfs_disks_read,--wrap=kstat_read
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/zfs/dataset.h"
#include "engine/zfs/disks.h"
#include "engine/zfs/kstat.h"
#include "engine/zfs/pool.h"
#include "engine/zfs/telemetry.h"

int __wrap_zfs_do(enum zfs_program program, const char *const *arguments,
		  const struct zfs_patience *patience, const char *doing, char **ret_out,
		  struct error *err);
int __wrap_zfs_get(const char *dataset, const char *const *names, size_t count,
		   struct zfs_value **ret_values, struct error *err);
void __wrap_zfs_values_done(struct zfs_value *values, size_t count);
int __wrap_zfs_pool_read(const char *pool, struct zfs_pool *ret_pool, struct error *err);
void __wrap_zfs_pool_done(struct zfs_pool *pool);
const char *__wrap_zfs_disks_read(const struct zfs_pool *pool, struct zfs_disks *ret_disks);
int __wrap_kstat_read(const char *name, char *buffer, size_t size);

/* What there is, and what was asked. */
static struct {
	int sync;	/* what the next sync comes to */
	int sync_later; /* and those after it */
	int pool, get;
	bool readonly, disks_unknown;
	unsigned int syncs, round; /* rounds of counters that were read */
	unsigned int arc_reads;
	uint64_t deadline_ms;
	const char *txgs[2];
} world;

int __wrap_zfs_do(enum zfs_program program, const char *const *arguments,
		  const struct zfs_patience *patience, const char *doing, char **ret_out,
		  struct error *err)
{
	int r = world.sync;

	(void)doing;
	assert_int_equal(program, ZFS_PROGRAM_ZPOOL);
	assert_string_equal(arguments[0], "sync");
	assert_string_equal(arguments[1], "tank");
	assert_null(arguments[2]);
	world.deadline_ms = patience->deadline_ms;
	world.syncs++;
	world.sync = world.sync_later;
	if (r < 0) {
		(void)error_set(err, ERROR_ZFS_FAILED, "", "zpool sync: it does not like it");
		return r;
	}
	*ret_out = strdup("");
	return 0;
}

static const char *value_of(const char *name)
{
	static const char *const values[][2] = {
		{"volsize", "1073741824"},    {"volblocksize", "16384"}, {"recordsize", "-"},
		{"primarycache", "metadata"}, {"referenced", "1080000"}, {"logicalreferenced", "5"},
		{"refcompressratio", "1.25"},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strcmp(values[i][0], name) == 0)
			return values[i][1];
	return NULL;
}

int __wrap_zfs_get(const char *dataset, const char *const *names, size_t count,
		   struct zfs_value **ret_values, struct error *err)
{
	struct zfs_value *values = calloc(count, sizeof(*values));

	(void)err;
	assert_string_equal(dataset, "tank/a/v");
	assert_non_null(values);
	if (world.get < 0) {
		free(values);
		return world.get;
	}
	for (size_t i = 0; i < count; i++)
		values[i].value = (char *)value_of(names[i]); /* is not freed */
	*ret_values = values;
	return 0;
}

void __wrap_zfs_values_done(struct zfs_value *values, size_t count)
{
	(void)count;
	free(values);
}

int __wrap_zfs_pool_read(const char *pool, struct zfs_pool *ret_pool, struct error *err)
{
	assert_string_equal(pool, "tank");
	if (world.pool < 0) {
		(void)error_set(err, ERROR_TARGET_MISSING, "", "tank is not imported");
		return world.pool;
	}
	*ret_pool = (struct zfs_pool){.facts = {.pool = "tank",
						.readonly = world.readonly,
						.size_bytes = 1000,
						.free_bytes = 150,
						.fragmentation_percent = 7}};
	return 0;
}

void __wrap_zfs_pool_done(struct zfs_pool *pool)
{
	(void)pool;
}

const char *__wrap_zfs_disks_read(const struct zfs_pool *pool, struct zfs_disks *ret_disks)
{
	assert_string_equal(pool->facts.pool, "tank");
	if (world.disks_unknown)
		return "No counters.";
	*ret_disks = world.round++ == 0 ? (struct zfs_disks){100, 200, 5}
					: (struct zfs_disks){1100, 4200, 7};
	return NULL;
}

int __wrap_kstat_read(const char *name, char *buffer, size_t size)
{
	bool later = world.arc_reads > 0;

	world.arc_reads += strcmp(name, "arcstats") == 0;
	if (strcmp(name, "arcstats") == 0)
		(void)snprintf(buffer, size,
			       "demand_data_hits 4 %u\ndemand_data_iohits 4 %u\n"
			       "demand_data_misses 4 %u\nprefetch_data_misses 4 9\nl2_hits 4 8\n"
			       "c_max 4 77\nsize 4 66\n",
			       later ? 30 : 10, later ? 3 : 1, later ? 500 : 100);
	else if (strcmp(name, "tank/iostats") == 0)
		(void)snprintf(buffer, size, "direct_read_count 4 %u\n", 38 + 2 * world.arc_reads);
	else if (strcmp(name, "tank/txgs") == 0 && world.txgs[world.round > 1])
		(void)snprintf(buffer, size, "%s", world.txgs[world.round > 1]);
	else
		return -ENOENT;
	return 0;
}

static void new_world(void)
{
	memset(&world, 0, sizeof(world));
	world.txgs[0] = "50 1 C 999 0\n51 1 O 0 0\n";
	world.txgs[1] = "50 1 C 999 0\n51 1 C 300 0\n52 1 C 400 0\n53 1 O 0 0\n";
}

static bool settled; /* after the last begin */

/* From begin to end; what begin or end came to. */
static int whole(struct sample_zfs *zfs, bool *ret_began)
{
	static const struct zfs_patience patience = {.deadline_ms = 1};
	struct zfs_telemetry *telemetry = NULL;
	struct error err = {0};
	int r;

	sample_zfs_init(zfs);
	*ret_began = false;
	assert_int_equal(zfs_telemetry_new("tank/a/v", true, &telemetry, &err), 0);
	r = zfs_telemetry_begin(telemetry, &patience, zfs, &err);
	settled = zfs_telemetry_settled(telemetry);
	if (r == 0) {
		*ret_began = true;
		zfs_telemetry_window(telemetry, true);
		zfs_telemetry_window(telemetry, false);
		r = zfs_telemetry_end(telemetry, &patience, zfs, &err);
	}
	zfs_telemetry_free(telemetry);
	return r;
}

static void figures_are_differences(void **state)
{
	struct sample_zfs zfs;
	bool began;

	(void)state;
	new_world();
	assert_int_equal(whole(&zfs, &began), 0);
	assert_int_equal(world.syncs, 2);
	assert_int_equal(world.deadline_ms, ZFS_TELEMETRY_SYNC_MS);
	assert_string_equal(zfs.dataset, "tank/a/v");
	assert_true(zfs.volume);
	assert_int_equal(zfs.size_bytes, 1073741824);
	assert_int_equal(zfs.written_bytes, 1080000);
	assert_int_equal(zfs.logical_bytes, 5);
	assert_true(zfs.compress_ratio == 1.25);
	assert_true(zfs.used_percent == 85 && zfs.fragmentation_percent == 7);
	assert_string_equal(properties_get(&zfs.properties, "volblocksize"), "16384");
	assert_null(properties_get(&zfs.properties, "recordsize")); /* does not apply */
	assert_null(properties_get(&zfs.properties, "direct"));	    /* is not known */
	assert_null(properties_get(&zfs.properties, "referenced"));
	assert_true(zfs.pool.known);
	assert_string_equal(zfs.pool.reason, "");
	assert_int_equal(zfs.pool.read_bytes, 1000);
	assert_int_equal(zfs.pool.written_bytes, 4000);
	assert_int_equal(zfs.pool.log_written_bytes, 2);
	assert_int_equal(zfs.pool.txgs, 2);
	assert_int_equal(zfs.pool.dirty_bytes, 400);
	assert_true(zfs.arc.known);
	assert_int_equal(zfs.arc.demand_data_hits, 22);
	assert_int_equal(zfs.arc.demand_data_misses, 400);
	assert_int_equal(zfs.arc.prefetch_data_misses, 0);
	assert_int_equal(zfs.arc.direct_reads, 2);
	assert_int_equal(zfs.arc.size_bytes, 66);
	assert_int_equal(zfs.arc.size_max_bytes, 77);
	sample_zfs_done(&zfs);
}

static void a_refused_sync_is_not_known(void **state)
{
	struct sample_zfs zfs;
	bool began;

	(void)state;
	new_world();
	world.sync = world.sync_later = -EACCES;
	assert_int_equal(whole(&zfs, &began), 0);
	assert_false(zfs.pool.known);
	assert_string_equal(zfs.pool.reason, "zpool sync: it does not like it");
	assert_false(settled);
	assert_int_equal(world.syncs, 1); /* no use in another */
	assert_int_equal(zfs.size_bytes, 1073741824);
	sample_zfs_done(&zfs);
	/* the second alone */
	new_world();
	world.sync_later = -EINVAL;
	assert_int_equal(whole(&zfs, &began), 0);
	assert_int_equal(world.syncs, 2);
	assert_false(zfs.pool.known);
	assert_int_equal(zfs.pool.written_bytes, 0);
	assert_true(zfs.pool.reason[0] != '\0');
	sample_zfs_done(&zfs);
}

static void a_cancel_ends_it(void **state)
{
	struct sample_zfs zfs;
	bool began;

	(void)state;
	new_world();
	world.sync = -ECANCELED;
	assert_int_equal(whole(&zfs, &began), -ECANCELED);
	assert_false(began);
	sample_zfs_done(&zfs);
	new_world();
	world.sync_later = -ECANCELED;
	assert_int_equal(whole(&zfs, &began), -ECANCELED);
	assert_true(began);
	sample_zfs_done(&zfs);
}

static void a_pool_that_is_only_read_is_not_synced(void **state)
{
	struct sample_zfs zfs;
	bool began;

	(void)state;
	new_world();
	world.readonly = true;
	assert_int_equal(whole(&zfs, &began), 0);
	assert_int_equal(world.syncs, 0);
	assert_true(zfs.pool.known);
	assert_int_equal(zfs.pool.read_bytes, 1000);
	sample_zfs_done(&zfs);
}

static void what_is_missing_is_not_known(void **state)
{
	struct sample_zfs zfs;
	bool began;

	(void)state;
	new_world();
	world.pool = -ENOENT;
	world.get = -ENOENT;
	assert_int_equal(whole(&zfs, &began), 0);
	assert_int_equal(world.syncs, 0);
	assert_false(zfs.pool.known);
	assert_string_equal(zfs.pool.reason, "tank is not imported");
	assert_false(settled);
	assert_true(zfs.used_percent == -1);
	assert_int_equal(zfs.properties.count, 0);
	sample_zfs_done(&zfs);
	new_world();
	world.disks_unknown = true;
	assert_int_equal(whole(&zfs, &began), 0);
	assert_false(zfs.pool.known);
	assert_string_equal(zfs.pool.reason, "No counters.");
	assert_true(settled);
	sample_zfs_done(&zfs);
	new_world(); /* zfs_txg_history=0 */
	world.txgs[0] = world.txgs[1] = NULL;
	assert_int_equal(whole(&zfs, &began), 0);
	assert_true(zfs.pool.known);
	assert_int_equal(zfs.pool.txgs, 0);
	sample_zfs_done(&zfs);
}

static void no_memory_is_an_error(void **state)
{
	struct zfs_telemetry *telemetry = NULL;
	struct sample_zfs zfs;
	struct error err;
	bool began;

	(void)state;
	new_world();
	world.get = -ENOMEM;
	assert_int_equal(whole(&zfs, &began), -ENOMEM);
	sample_zfs_done(&zfs);
	new_world();
	world.pool = -ENOMEM;
	assert_int_equal(zfs_telemetry_new("tank/a/v", true, &telemetry, &err), -ENOMEM);
	zfs_telemetry_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_differences),
		cmocka_unit_test(a_refused_sync_is_not_known),
		cmocka_unit_test(a_cancel_ends_it),
		cmocka_unit_test(a_pool_that_is_only_read_is_not_synced),
		cmocka_unit_test(what_is_missing_is_not_known),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
