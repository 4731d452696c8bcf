/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_bssplit.c - the text of bssplit, and what a workload makes of sizes that differ. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/bssplit.h"
#include "engine/plan/workload_sizes.h"

/* "4096/60 65536/40 | 8192/100 | ..." */
static void shown(const char *text, const char *expected)
{
	struct bssplit splits[DIRECTION_COUNT];
	char found[512] = "";
	struct error err;
	size_t used = 0;

	if (bssplit_parse(text, splits, &err) < 0)
		fail_msg("%s: %s", text, err.message);
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		for (uint32_t i = 0; i < splits[d].count; i++)
			used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%llu/%u",
						 i ? " " : "",
						 (unsigned long long)splits[d].entries[i].bytes,
						 splits[d].entries[i].percent);
		if (d + 1 < DIRECTION_COUNT)
			used += (size_t)snprintf(found + used, sizeof(found) - used, "|");
	}
	assert_string_equal(found, expected);
}

static void test_understood(void **unused)
{
	(void)unused;
	shown("4k/60:64k/40", "65536/40 4096/60|65536/40 4096/60|65536/40 4096/60");
	shown("2k/50:4k/50,4k/90:8k/10", "2048/50 4096/50|8192/10 4096/90|8192/10 4096/90");
	shown("4k/50:1k/:32k/", "1024/25 32768/25 4096/50|1024/25 32768/25 4096/50|"
				"1024/25 32768/25 4096/50");
	shown("4k:8k:16k", "4096/33 8192/33 16384/33|4096/33 8192/33 16384/33|"
			   "4096/33 8192/33 16384/33");
	shown(",8k/100,", "|8192/100|");
	shown("4k", "4096/100|4096/100|4096/100");
	shown("512/1:64m/99", "512/1 67108864/99|512/1 67108864/99|512/1 67108864/99");
}

static void test_refused(void **unused)
{
	static const struct {
		const char *text;
		enum error_code code;
	} bad[] = {
		{"", ERROR_BAD_VALUE},
		{",,", ERROR_BAD_VALUE},
		{"4k/50,4k/50,4k/50,4k/50", ERROR_BAD_VALUE},
		{"4k/60:64k/41", ERROR_OUT_OF_RANGE},
		{"4k/101", ERROR_OUT_OF_RANGE},
		{"4k/0:8k/100", ERROR_OUT_OF_RANGE},
		{"4k/x", ERROR_OUT_OF_RANGE},
		{"4k/-1", ERROR_OUT_OF_RANGE},
		{"4k/100:8k", ERROR_OUT_OF_RANGE},
		{"4k/50:", ERROR_BAD_SIZE},
		{"/50", ERROR_BAD_SIZE},
		{"4x/50", ERROR_BAD_SIZE},
		{"511/50:4k/50", ERROR_OUT_OF_RANGE},
		{"67108865/50:4k/50", ERROR_OUT_OF_RANGE},
	};
	struct bssplit splits[DIRECTION_COUNT];
	struct error err;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (bssplit_parse(bad[i].text, splits, &err) == 0)
			fail_msg("%s is taken", bad[i].text);
		if (err.code != bad[i].code)
			fail_msg("%s: %s", bad[i].text, err.message);
	}
}

static void test_so_many_entries(void **unused)
{
	struct bssplit splits[DIRECTION_COUNT];
	char text[65 * 6];
	struct error err;

	(void)unused;
	for (size_t i = 0; i <= BSSPLIT_MAX; i++)
		(void)snprintf(text + 6 * i, sizeof(text) - 6 * i, "512/1:");
	text[6 * BSSPLIT_MAX - 1] = '\0';
	assert_int_equal(bssplit_parse(text, splits, &err), 0);
	assert_int_equal(splits[0].count, BSSPLIT_MAX);
	text[6 * BSSPLIT_MAX - 1] = ':';
	assert_true(bssplit_parse(text, splits, &err) < 0);
	assert_int_equal(err.code, ERROR_TOO_MANY);
}

/* ---- in a workload ---- */

static int complete(struct workload *workload, const char *options, struct error *err)
{
	char *text = strdup(options), *rest = text, *word;
	int r = 0;

	assert_non_null(text);
	workload_init(workload);
	while (r == 0 && (word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		r = option_parse(option_find(word), value, workload, err);
	}
	free(text);
	return r < 0 ? r : workload_complete(workload, err);
}

static void test_sizes_of_a_workload(void **unused)
{
	static const struct {
		const char *options;
		uint64_t least, most, unit;
		double mean;
		bool differ;
	} good[] = {
		{"bs=4k", 4096, 4096, 4096, 4096, false},
		{"bsrange=4k-64k", 4096, 65536, 4096, 34816, true},
		{"bsrange=64k-4k", 4096, 65536, 4096, 34816, true},
		{"bsrange=4k:64k", 4096, 65536, 4096, 34816, true},
		{"bsrange=8k-8k", 8192, 8192, 8192, 8192, false},
		{"bssplit=4k/75:16k/25", 4096, 16384, 4096, 7168, true},
		{"bssplit=4k:8k:32k", 4096, 32768, 4096, 0.33 * 12288 + 0.34 * 32768, true},
		{"bssplit=,8k bs=16k", 16384, 16384, 16384, 16384, false},
		{"rw=randread blockalign=512 bs=4k", 4096, 4096, 512, 4096, false},
		{"rw=randread blockalign=,1k bs=4k", 4096, 4096, 4096, 4096, false},
		{"rw=read blockalign=512", 4096, 4096, 4096, 4096, false},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct workload workload;
		struct error err;

		if (complete(&workload, good[i].options, &err) < 0)
			fail_msg("%s: %s", good[i].options, err.message);
		assert_int_equal(workload.bs[DIRECTION_READ], good[i].most);
		assert_int_equal(workload_least_request(&workload, DIRECTION_READ), good[i].least);
		assert_int_equal(workload_alignment(&workload, DIRECTION_READ), good[i].unit);
		assert_true(workload_mean_request(&workload, DIRECTION_READ) - good[i].mean < 1e-6);
		assert_true(good[i].mean - workload_mean_request(&workload, DIRECTION_READ) < 1e-6);
		assert_int_equal(workload_sizes_differ(&workload), good[i].differ);
		assert_int_equal(workload_buffer_bytes(&workload), good[i].most);
		/* Another alignment goes without the map. */
		assert_int_equal(workload.norandommap, good[i].unit < good[i].least);
		workload_done(&workload);
	}
}

static void test_what_does_not_go_together(void **unused)
{
	static const struct {
		const char *options, *field;
	} bad[] = {
		{"bs=4k bsrange=4k-8k", "bsrange"},
		{"bs=4k bssplit=4k/50:8k", "bssplit"},
		{"bsrange=4k-8k bssplit=4k/50:8k", "bssplit"},
		{"bssplit=4k/60:8k/60", "bssplit"},
		{"bsrange=4k-8k bs_unaligned=1", "bs_unaligned"},
		{"rw=randread blockalign=512 norandommap=0", "norandommap"},
		{"rw=randread blockalign=511", "blockalign"},
		{"bsrange=1000-4k", "bsrange"},
		{"bsrange=512-1000", "bsrange"},
		{"bssplit=4k/50:1000/50", "bssplit"},
		{"bsrange=4k-8k offset=100", "offset"},
		{"bsrange=4k-8k size=6k", "size"},
		{"rw=rewrite bs=4k,8k", "bs"},
		{"rw=rewrite bsrange=4k-8k,4k-16k", "bsrange"},
		{"rw=randrewrite bssplit=4k/50:8k/50,4k/60:8k/40", "bssplit"},
		{"rw=randrewrite blockalign=512,4k", "blockalign"},
		{"rw=randrewrite percentage_random=50,60", "percentage_random"},
		{"rw=randrewrite random_distribution=zoned:50/50:50/50,60/50:40/50",
		 "random_distribution"},
		{"rw=rewrite rate_iops=100", "rate_iops"},
		{"rw=rewrite rate=,1m", "rate"},
		{"rw=rewrite zero_buffers=1", "zero_buffers"},
		{"rw=randrewrite dedupe_percentage=50", "dedupe_percentage"},
		{"rw=rewrite refill_buffers=0", "refill_buffers"},
		{"rw=rewrite scramble_buffers=1", "scramble_buffers"},
		{"rw=randread interlocked=1", "interlocked"},
		{"interlocked=1 regions=disjoint", "interlocked"},
		{"interlocked=1 offset_increment=1m size=1m", "interlocked"},
		{"offset_increment=1m", "size"},
		{"offset_increment=1m size=1m regions=disjoint", "offset_increment"},
		{"offset_increment=1000 size=1m", "offset_increment"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct workload workload;
		struct error err;

		if (complete(&workload, bad[i].options, &err) == 0)
			fail_msg("%s is taken", bad[i].options);
		assert_string_equal(err.field, bad[i].field);
		workload_done(&workload);
	}
}

/* Buffered, nothing needs to be a multiple of anything. */
static void test_misaligned_and_buffered(void **unused)
{
	struct workload workload;
	struct error err;

	(void)unused;
	assert_int_equal(complete(&workload,
				  "rw=randrw bsrange=513-4001 bs_unaligned=1 blockalign=7 "
				  "offset=3 size=100001 direct=0",
				  &err),
			 0);
	workload_done(&workload);
}

/* Jobs that begin one behind another, or share a position, share what they work in. */
static void test_regions_of_jobs(void **unused)
{
	static const struct {
		const char *options;
		enum workload_regions regions;
		uint64_t extent;
	} all[] = {
		{"size=1m numjobs=3", REGIONS_DISJOINT, 3 << 20},
		{"size=1m numjobs=3 regions=shared", REGIONS_SHARED, 1 << 20},
		{"size=1m numjobs=3 interlocked=1", REGIONS_SHARED, 1 << 20},
		{"size=1m numjobs=3 offset=4k offset_increment=64k", REGIONS_SHARED,
		 (1 << 20) + 2 * 65536 + 4096},
		{"size=1m numjobs=3 offset_increment=4m", REGIONS_SHARED, 9 << 20},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct workload workload;
		struct error err;
		uint64_t extent;

		if (complete(&workload, all[i].options, &err) < 0)
			fail_msg("%s: %s", all[i].options, err.message);
		assert_int_equal(workload.regions, all[i].regions);
		assert_int_equal(workload_extent(&workload, false, &extent), 0);
		assert_int_equal(extent, all[i].extent);
		workload_done(&workload);
	}
}

static void test_shares_of_a_target(void **unused)
{
	static const char *const names[] = {"size", "offset", "offset_increment"};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct workload workload;
		struct error err;

		workload_init(&workload);
		assert_true(option_parse(option_find(names[i]), "20%", &workload, &err) < 0);
		assert_int_equal(err.code, ERROR_BAD_SIZE);
		assert_non_null(strstr(err.message, "shares of the target"));
		assert_non_null(strstr(err.message, names[i]));
	}
}

/* A layer's word for the size takes the place of those below, whichever option they used. */
static void test_layers(void **unused)
{
	static const char *const options[] = {"bs=8k", "bsrange=1k-4k", "bssplit=2k/50:4k"};
	static const uint64_t least[] = {8192, 1024, 2048};

	(void)unused;
	for (size_t below = 0; below < 3; below++) {
		for (size_t above = 0; above < 3; above++) {
			struct workload lower, upper;
			struct error err;

			assert_int_equal(complete(&lower, options[below], &err), 0);
			assert_int_equal(complete(&upper, options[above], &err), 0);
			assert_int_equal(workload_overlay(&lower, &upper), 0);
			assert_int_equal(workload_complete(&lower, &err), 0);
			assert_int_equal(workload_least_request(&lower, DIRECTION_READ),
					 least[above]);
			workload_done(&lower);
			workload_done(&upper);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_understood),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_so_many_entries),
		cmocka_unit_test(test_sizes_of_a_workload),
		cmocka_unit_test(test_what_does_not_go_together),
		cmocka_unit_test(test_misaligned_and_buffered),
		cmocka_unit_test(test_regions_of_jobs),
		cmocka_unit_test(test_shares_of_a_target),
		cmocka_unit_test(test_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
