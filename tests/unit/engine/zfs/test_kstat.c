/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_kstat.c - counters as OpenZFS 2.1 and 2.3 print them, and what nobody should print. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/zfs/kstat.h"

#define ARC_HEAD                                                                                   \
	"18 1 0x01 147 39984 6955905340 11963164010\n"                                             \
	"name                            type data\n"                                              \
	"hits                            4    452\n"

static const char arc_2_3[] = ARC_HEAD "iohits                          4    7\n"
				       "misses                          4    31\n"
				       "demand_data_hits                4    998\n"
				       "demand_data_iohits              4    3\n"
				       "demand_data_misses              4    2\n"
				       "demand_metadata_hits            4    452\n"
				       "prefetch_data_hits              4    183\n"
				       "prefetch_data_iohits            4    0\n"
				       "prefetch_data_misses            4    1071\n"
				       "c_max                           4    1293911040\n"
				       "size                            4    1887128\n"
				       "compressed_size                 4    5\n"
				       "l2_hits                         4    11\n"
				       "l2_misses                       4    12\n"
				       "memory_available_bytes          3    -4096\n";

static const char arc_2_1[] = ARC_HEAD "demand_data_hits                4    10\n"
				       "demand_data_misses              4    20\n"
				       "prefetch_data_misses            4    30\n"
				       "c_max                           4    1000\n"
				       "size                            4    900\n";

static const char txgs_text[] =
	"txg      birth            state ndirty       nread        nwritten     reads    writes   "
	"otime        qtime        wtime        stime       \n"
	"86       128481972988     C     671744       5636096      933888       43       94       "
	"5120038118   25088        118776       118022458   \n"
	"87       133602011106     C     9000000      0            0            0        0        "
	"5120637519   24176        15979720     706707      \n"
	"88       138722648625     C     671745       131072       786432       1        81       "
	"5119517246   24767        114079       492450066   \n"
	"89       143842165871     S     99999999     0            0            0        0        "
	"5120389850   77655        150493       0           \n"
	"90       148962555721     O     0            0            0            0        0        "
	"0            0            0            0           \n";

static void arcstats_of_both_versions_are_read(void **state)
{
	struct kstat_arc arc;

	(void)state;
	assert_true(kstat_arc(arc_2_3, &arc));
	assert_int_equal(arc.demand_data_hits, 998);
	assert_int_equal(arc.demand_data_iohits, 3);
	assert_int_equal(arc.demand_data_misses, 2);
	assert_int_equal(arc.prefetch_data_misses, 1071);
	assert_int_equal(arc.l2_hits, 11);
	assert_int_equal(arc.l2_misses, 12);
	assert_int_equal(arc.size, 1887128); /* not compressed_size */
	assert_int_equal(arc.c_max, 1293911040);
	assert_true(kstat_arc(arc_2_1, &arc));
	assert_int_equal(arc.demand_data_hits, 10);
	assert_int_equal(arc.demand_data_iohits, 0);
	assert_int_equal(arc.l2_hits, 0);
}

static void values_are_whole_numbers_of_that_name(void **state)
{
	uint64_t value = 5;

	(void)state;
	assert_true(kstat_value(arc_2_3, "hits", &value));
	assert_int_equal(value, 452);
	assert_false(kstat_value(arc_2_3, "memory_available_bytes", &value)); /* negative */
	assert_false(kstat_value(arc_2_3, "demand_data", &value));
	assert_false(kstat_value(arc_2_3, "direct_read_count", &value));
	assert_false(kstat_value(arc_2_3, "name", &value));
	assert_false(kstat_value("", "hits", &value));
	assert_false(kstat_value("hits", "hits", &value));
	assert_false(kstat_value("hits 4", "hits", &value));
	assert_false(kstat_value("hits 4 \n5", "hits", &value));
	assert_false(kstat_value("hits 4 12x", "hits", &value));
	assert_false(kstat_value("hits 4 0x12", "hits", &value));
	assert_false(kstat_value("hits 4 +12", "hits", &value));
	assert_false(kstat_value("hits x 12", "hits", &value));
	assert_int_equal(value, 452);
	assert_true(kstat_value("hits 4 18446744073709551615", "hits", &value));
	assert_true(value == UINT64_MAX);
	assert_false(kstat_value("hits 4 18446744073709551616", "hits", &value));
	/* a damaged line does not hide a whole one */
	assert_true(kstat_value("hits 4\nhits 4 6\n", "hits", &value));
	assert_int_equal(value, 6);
}

static void without_hits_or_misses_nothing_is_known(void **state)
{
	struct kstat_arc arc;

	(void)state;
	assert_false(kstat_arc("", &arc));
	assert_false(kstat_arc(ARC_HEAD, &arc));
	assert_false(kstat_arc(ARC_HEAD "demand_data_hits 4 1\n", &arc));
	assert_false(kstat_arc(ARC_HEAD "demand_data_misses 4 1\n", &arc));
}

/* Cut anywhere: what is read from a part is read from the whole, or not at all, but that a number
 * at the very end may be short. */
static void cut_texts_do_no_harm(void **state)
{
	struct kstat_txgs txgs;
	struct kstat_arc arc;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(arc_2_3); i++) {
		(void)snprintf(text, sizeof(text), "%.*s", (int)i, arc_2_3);
		if (kstat_arc(text, &arc))
			assert_int_equal(arc.demand_data_hits, 998);
	}
	for (size_t i = 0; i < sizeof(txgs_text); i++) {
		(void)snprintf(text, sizeof(text), "%.*s", (int)i, txgs_text);
		if (kstat_txgs(text, 0, &txgs))
			assert_in_range(txgs.newest, 86, 88);
	}
}

static void synced_txgs_are_counted(void **state)
{
	struct kstat_txgs txgs;

	(void)state;
	assert_true(kstat_txgs(txgs_text, 0, &txgs));
	assert_int_equal(txgs.newest, 88);
	assert_int_equal(txgs.dirty_bytes, 9000000);
	assert_true(kstat_txgs(txgs_text, 87, &txgs));
	assert_int_equal(txgs.newest, 88);
	assert_int_equal(txgs.dirty_bytes, 671745);
	assert_true(kstat_txgs(txgs_text, 88, &txgs));
	assert_int_equal(txgs.newest, 88);
	assert_int_equal(txgs.dirty_bytes, 0);
}

/* zfs_txg_history=0 leaves the names of the columns alone. */
static void without_a_history_nothing_is_known(void **state)
{
	struct kstat_txgs txgs;

	(void)state;
	assert_false(kstat_txgs("", 0, &txgs));
	assert_false(kstat_txgs("txg      birth            state ndirty\n", 0, &txgs));
	assert_false(kstat_txgs("90 148962555721 O 0 0\n", 0, &txgs));
	assert_false(kstat_txgs("90 1 C\n", 0, &txgs));
	assert_false(kstat_txgs("90 1 CC 7\n", 0, &txgs));
	assert_false(kstat_txgs("-90 1 C 7\n", 0, &txgs));
	assert_false(kstat_txgs("18446744073709551616 1 C 7\n", 0, &txgs));
}

static void missing_ones_are_told(void **state)
{
	char text[64];

	(void)state;
	assert_int_equal(kstat_read("no such kstat", text, sizeof(text)), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arcstats_of_both_versions_are_read),
		cmocka_unit_test(values_are_whole_numbers_of_that_name),
		cmocka_unit_test(without_hits_or_misses_nothing_is_known),
		cmocka_unit_test(cut_texts_do_no_harm),
		cmocka_unit_test(synced_txgs_are_counted),
		cmocka_unit_test(without_a_history_nothing_is_known),
		cmocka_unit_test(missing_ones_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
