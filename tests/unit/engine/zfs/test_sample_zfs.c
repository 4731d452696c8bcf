/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sample_zfs.c - the share of reads that reached the devices and the amplifications. The
 * counts are those of OpenZFS 2.3.2 for 1000 reads and more of zvols with 16k blocks and files with
 * 128k records, on disks that were read from as told.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/zfs/sample_zfs.h"

static double share(uint64_t hits, uint64_t misses, uint64_t ahead, uint64_t direct,
		    double accesses)
{
	struct sample_zfs zfs;

	sample_zfs_init(&zfs);
	zfs.accesses_a_block = accesses;
	zfs.arc = (struct zfs_arc_delta){.known = true,
					 .demand_data_hits = hits,
					 .demand_data_misses = misses,
					 .prefetch_data_misses = ahead,
					 .direct_reads = direct};
	return sample_zfs_from_devices(&zfs);
}

static void metadata_alone_in_arc_reads_from_devices(void **state)
{
	(void)state;
	assert_true(share(27, 973, 1, 0, 1) > 0.97);	/* random 4k */
	assert_true(share(998, 2, 504, 0, 4) == 1);	/* sequential 4k, fetched ahead */
	assert_true(share(998, 2, 1071, 0, 1) == 1);	/* sequential 16k */
	assert_true(share(1584, 16, 1584, 0, 1) == 1);	/* sequential 128k */
	assert_true(share(3712, 128, 3968, 0, 1) == 1); /* sequential 1m */
	assert_true(share(40, 1960, 8, 0, 1) > 0.98);	/* random 64k */
	assert_true(share(750, 250, 0, 0, 4) == 1);	/* sequential 4k, prefetch=none */
	assert_true(share(16, 484, 0, 0, 1) > 0.96);	/* random 4k of a file */
	assert_true(share(969, 31, 0, 0, 32) > 0.99);	/* sequential 4k of a file */
	assert_true(share(0, 0, 0, 500, 1) == 1);	/* around ARC */
}

static double share_with_writes(uint64_t hits, uint64_t misses, uint64_t partial_writes)
{
	struct sample_zfs zfs;

	sample_zfs_init(&zfs);
	zfs.partial_writes = partial_writes;
	zfs.arc = (struct zfs_arc_delta){
		.known = true, .demand_data_hits = hits, .demand_data_misses = misses};
	return sample_zfs_from_devices(&zfs);
}

/* Random reads and writes of 8k, 70 to 30, with primarycache=metadata; then what ARC held. */
static void a_block_asked_for_again_by_its_write_is_no_read_from_memory(void **state)
{
	(void)state;
	assert_true(share_with_writes(0, 1226, 0) == 1);      /* blocks of 4k: whole */
	assert_true(share_with_writes(182, 539, 164) > 0.96); /* of 16k: parts */
	assert_true(share_with_writes(152, 505, 162) == 1);   /* of 128k */
	assert_true(share_with_writes(473, 473, 490) == 1);   /* writes alone */
	assert_true(share_with_writes(130, 0, 30) == 0);
	assert_true(share_with_writes(60, 0, 60) == 0);
	assert_true(fabs(share_with_writes(95, 35, 30) - 0.35) < 1e-9);
}

static void what_stays_in_arc_does_not(void **state)
{
	(void)state;
	assert_true(share(2000, 0, 0, 0, 1) == 0);
	assert_true(fabs(share(750, 250, 0, 0, 1) - 0.25) < 1e-9);
	assert_true(fabs(share(39, 0, 0, 361, 1) - 0.9025) < 1e-9);
}

static void none_is_not_known(void **state)
{
	struct sample_zfs zfs;

	(void)state;
	assert_true(share(0, 0, 0, 0, 1) == -1);
	assert_true(share(0, 0, 100, 0, 1) == -1); /* others' */
	sample_zfs_init(&zfs);
	zfs.arc.demand_data_hits = 5;
	assert_true(sample_zfs_from_devices(&zfs) == -1);
	assert_true(sample_zfs_write_amplification(&zfs) == -1);
	zfs.pool = (struct zfs_pool_delta){.known = true, .written_bytes = 5};
	assert_true(sample_zfs_write_amplification(&zfs) == -1);
	assert_true(sample_zfs_read_amplification(&zfs) == -1);
}

static void logs_are_written_too(void **state)
{
	struct sample_zfs zfs;

	(void)state;
	sample_zfs_init(&zfs);
	zfs.pool = (struct zfs_pool_delta){.known = true,
					   .read_bytes = 300,
					   .written_bytes = 700,
					   .log_written_bytes = 100,
					   .asked_read_bytes = 100,
					   .asked_written_bytes = 200};
	assert_true(sample_zfs_write_amplification(&zfs) == 4);
	assert_true(sample_zfs_read_amplification(&zfs) == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metadata_alone_in_arc_reads_from_devices),
		cmocka_unit_test(a_block_asked_for_again_by_its_write_is_no_read_from_memory),
		cmocka_unit_test(what_stays_in_arc_does_not),
		cmocka_unit_test(none_is_not_known),
		cmocka_unit_test(logs_are_written_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
