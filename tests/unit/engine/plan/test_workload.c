/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/workload.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/plan/workload.h"

/* "bs=4k rw=read": options of JSON, so to speak. */
static void set(struct workload *workload, const char *options)
{
	char copy[256];
	char *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", options);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');
		struct error err;

		if (!*word)
			continue;
		*value++ = '\0';
		if (option_parse(option_find(word), value, workload, &err) != 0)
			fail_msg("%s=%s: %s", word, value, err.message);
	}
}

static void complete_ok(struct workload *workload, const char *options)
{
	struct error err = {0};

	workload_init(workload);
	set(workload, options);
	if (workload_complete(workload, &err) != 0)
		fail_msg("%s: %s", options, err.message);
}

static void defaults_are_filled_in_without_marks(void **state)
{
	struct workload workload;

	(void)state;
	complete_ok(&workload, "size=1g");
	assert_int_equal(workload.rw, RW_READ);
	assert_int_equal(workload.bs[DIRECTION_READ], 4096);
	assert_int_equal(workload.bs[DIRECTION_WRITE], 4096);
	assert_int_equal(workload.iodepth, 1);
	assert_int_equal(workload.numjobs, 1);
	assert_int_equal(workload.runtime_ns, 30 * NS_PER_S);
	assert_int_equal(workload.rwmixread, 50);
	assert_int_equal(workload.rwmixwrite, 50);
	assert_true(workload.time_based && workload.direct && workload.randrepeat);
	assert_int_equal(workload.regions, REGIONS_DISJOINT);
	assert_true(workload_is_set(&workload, OPTION_ID_SIZE));
	workload_unset(&workload, OPTION_ID_SIZE);
	assert_true(option_set_empty(&workload.set));
	workload_done(&workload);
}

static void the_two_sides_of_a_mix_are_one(void **state)
{
	struct workload workload, over;

	(void)state;
	complete_ok(&workload, "rw=randrw rwmixwrite=30");
	assert_int_equal(workload.rwmixread, 70);
	workload_done(&workload);
	workload_init(&workload);
	workload_init(&over);
	set(&workload, "rw=randrw rwmixread=70");
	set(&over, "rwmixwrite=40");
	assert_int_equal(workload_overlay(&workload, &over), 0);
	assert_int_equal(workload_complete(&workload, NULL), 0);
	assert_int_equal(workload.rwmixread, 60);
	workload_done(&workload);
	workload_done(&over);
	complete_ok(&workload, "rw=randrw rwmixread=100");
	assert_true(workload_reads(&workload));
	assert_false(workload_writes(&workload));
	workload_done(&workload);
	complete_ok(&workload, "rw=rw rwmixread=0");
	assert_false(workload_reads(&workload));
	assert_true(workload_writes(&workload));
	assert_false(workload_random(&workload));
	workload_done(&workload);
}

static void layers_lie_over_each_other(void **state)
{
	struct workload base, over;

	(void)state;
	workload_init(&base);
	workload_init(&over);
	set(&base, "bs=4k iodepth=8 name=below");
	set(&over, "bs=8k name=above");
	over.from_fio = true;
	assert_int_equal(workload_overlay(&base, &over), 0);
	assert_int_equal(base.bs[0], 8192);
	assert_int_equal(base.iodepth, 8);
	assert_string_equal(base.name, "above");
	assert_true(base.from_fio);
	workload_done(&base);
	workload_done(&over);
}

static void time_follows_what_was_given(void **state)
{
	static const struct {
		const char *options;
		bool fio, time_based;
		uint64_t seconds;
	} table[] = {
		{"", false, true, 30},
		{"runtime=5", false, true, 5},
		{"time_based=0", false, false, 0},
		{"time_based=0 runtime=5", false, false, 5},
		{"", true, false, 0},
		{"runtime=5", true, true, 5},
		{"time_based=0 runtime=5", true, false, 5},
		{"time_based=0", true, false, 0},
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct workload workload;

		workload_init(&workload);
		workload.from_fio = table[i].fio;
		set(&workload, table[i].options);
		assert_int_equal(workload_complete(&workload, &err), 0);
		assert_int_equal(workload.time_based, table[i].time_based);
		assert_int_equal(workload.runtime_ns, table[i].seconds * NS_PER_S);
		assert_int_equal(workload.regions,
				 table[i].fio ? REGIONS_SHARED : REGIONS_DISJOINT);
		workload_done(&workload);
	}
}

static void what_does_not_fit_together_is_refused(void **state)
{
	static const struct {
		const char *options, *field;
		bool fio;
		enum error_code code;
	} table[] = {
		{"rwmixread=70 rwmixwrite=40", "rwmixwrite", false, ERROR_CONFLICT},
		{"size=4k bs=8k", "size", false, ERROR_CONFLICT},
		{"size=4k bs=4k,8k rw=randrw", "size", false, ERROR_CONFLICT},
		{"bs=1000", "bs", false, ERROR_CONFLICT},
		{"bs=4k,1000 rw=write", "bs", false, ERROR_CONFLICT},
		{"offset=100", "offset", false, ERROR_CONFLICT},
		{"size=5000", "size", false, ERROR_CONFLICT},
		{"randseed=1 randrepeat=0", "randseed", false, ERROR_CONFLICT},
		{"rate=1m rate_iops=5", "rate_iops", false, ERROR_CONFLICT},
		{"rate=1m, rate_iops=5", "rate_iops", false, ERROR_CONFLICT},
		{"rate=1m rate_min=1025k", "rate_min", false, ERROR_CONFLICT},
		{"rate_iops=5 rate_iops_min=6", "rate_iops_min", false, ERROR_CONFLICT},
		{"rate_process=poisson", "rate_process", false, ERROR_CONFLICT},
		{"rate_cycle=5", "rate_cycle", false, ERROR_CONFLICT},
		{"rate_ignore_thinktime=1 thinktime=5", "rate_ignore_thinktime", false,
		 ERROR_CONFLICT},
		{"rate_ignore_thinktime=1 rate=1m", "rate_ignore_thinktime", false, ERROR_CONFLICT},
		{"thinktime_spin=5", "thinktime_spin", false, ERROR_CONFLICT},
		{"thinktime=5 thinktime_spin=6", "thinktime_spin", false, ERROR_CONFLICT},
		{"thinktime_blocks=5", "thinktime_blocks", false, ERROR_CONFLICT},
		{"thinktime_blocks_type=issue", "thinktime_blocks_type", false, ERROR_CONFLICT},
		{"thinktime_iotime=5", "thinktime_iotime", false, ERROR_CONFLICT},
		{"size=1m iodepth=8 iodepth_batch_complete_min=8", NULL, false, ERROR_NONE},
		{"size=1m iodepth=8 iodepth_low=8 iodepth_batch=32", NULL, false, ERROR_NONE},
		{"size=1m iodepth=8 iodepth_low=9", "iodepth_low", false, ERROR_CONFLICT},
		{"size=1m iodepth=8 iodepth_batch_complete_min=9", "iodepth_batch_complete_min",
		 false, ERROR_CONFLICT},
		{"size=1m iodepth=8 ioengine=psync iodepth_batch_complete_min=2",
		 "iodepth_batch_complete_min", false, ERROR_CONFLICT},
		{"size=1p numjobs=1024 offset=1p bs=64m", NULL, false, ERROR_NONE},
		{"time_based=1", "runtime", true, ERROR_MISSING_FIELD},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct workload workload;
		struct error err = {0};
		int r;

		workload_init(&workload);
		workload.from_fio = table[i].fio;
		set(&workload, table[i].options);
		r = workload_complete(&workload, &err);
		if (err.code != table[i].code)
			fail_msg("%s: %s", table[i].options, err.message);
		assert_int_equal(r < 0, table[i].code != ERROR_NONE);
		if (r < 0)
			assert_string_equal(err.field, table[i].field);
		workload_done(&workload);
	}
}

static void rates_and_pauses_go_together(void **state)
{
	static const char *const good[] = {
		"rate=1m rate_min=1m",
		"rate=1m, rate_iops=,5 rw=rw",
		"rate_iops=5 rate_iops_min=5 rate_min=1k rate_cycle=10",
		"rate=1m rate_process=poisson thinktime=5 rate_ignore_thinktime=1",
		"thinktime=5 thinktime_spin=5 thinktime_blocks=2 thinktime_iotime=1",
		"thinktime=0 thinktime_blocks=2", /* a level of a factor */
	};
	struct workload workload;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		complete_ok(&workload, good[i]);
		workload_done(&workload);
	}
	complete_ok(&workload, "rw=rw rate=1m,500k bs=4k");
	assert_int_equal(workload_rate(&workload, DIRECTION_READ), 1 << 20);
	assert_int_equal(workload_rate(&workload, DIRECTION_WRITE), 500 << 10);
	assert_int_equal(workload_rate(&workload, DIRECTION_TRIM), 0);
	workload_done(&workload);
	complete_ok(&workload, "rw=write rate_iops=10 bs=4k,8k");
	assert_int_equal(workload_rate(&workload, DIRECTION_READ), 0);
	assert_int_equal(workload_rate(&workload, DIRECTION_WRITE), 10 * 8192);
	workload_done(&workload);
	complete_ok(&workload, "rw=read rate_iops=10 bsrange=4k-64k");
	assert_int_equal(workload_rate(&workload, DIRECTION_READ), 10 * 4096);
	workload_done(&workload);
	/* fio's ways to leave a direction out */
	complete_ok(&workload, "rw=rw rate=500k,");
	assert_int_equal(workload_rate(&workload, DIRECTION_WRITE), 0);
	workload_done(&workload);
	complete_ok(&workload, "rw=rw rate_iops=,7");
	assert_int_equal(workload_rate(&workload, DIRECTION_READ), 0);
	assert_int_equal(workload.rate_iops[DIRECTION_WRITE], 7);
	workload_done(&workload);
	complete_ok(&workload, "thinktime=1500 thinktime_iotime=2 startdelay=3");
	assert_int_equal(workload.think_ns, 1500000);
	assert_int_equal(workload.think_iotime_ns, UINT64_C(2000000000));
	assert_int_equal(workload.startdelay_ns, UINT64_C(3000000000));
	workload_done(&workload);
}

static void buffered_sizes_may_be_odd(void **state)
{
	struct workload workload;

	(void)state;
	complete_ok(&workload, "direct=0 bs=1000 size=5001 offset=3");
	workload_done(&workload);
	/* a size that serves the reads alone is enough for a workload that only reads */
	complete_ok(&workload, "rw=read bs=4k,1m size=4k");
	workload_done(&workload);
}

static void depth_is_one_with_synchronous_engines(void **state)
{
	struct workload workload;

	(void)state;
	complete_ok(&workload, "iodepth=32");
	assert_int_equal(workload_depth(&workload), 32);
	workload_done(&workload);
	complete_ok(&workload, "iodepth=32 ioengine=psync");
	assert_int_equal(workload_depth(&workload), 1);
	workload_done(&workload);
	complete_ok(&workload, "iodepth=32 ioengine=sync");
	assert_int_equal(workload_depth(&workload), 1);
	workload_done(&workload);
	complete_ok(&workload, "iodepth=32 ioengine=libaio");
	assert_int_equal(workload_depth(&workload), 32);
	workload_done(&workload);
}

static void extents_count_the_jobs(void **state)
{
	struct workload workload;
	uint64_t bytes;

	(void)state;
	complete_ok(&workload, "size=1m offset=4k numjobs=4");
	assert_int_equal(workload_extent(&workload, false, &bytes), 0);
	assert_int_equal(bytes, (4 << 20) + 4096);
	assert_int_equal(workload_extent(&workload, true, &bytes), 0);
	assert_int_equal(bytes, (1 << 20) + 4096);
	workload_done(&workload);
	complete_ok(&workload, "size=1m numjobs=4 regions=shared");
	assert_int_equal(workload_extent(&workload, false, &bytes), 0);
	assert_int_equal(bytes, 1 << 20);
	workload.size = UINT64_MAX / 2;
	workload.regions = REGIONS_DISJOINT;
	assert_int_equal(workload_extent(&workload, false, &bytes), -EOVERFLOW);
	workload_done(&workload);
}

static void copies_are_their_own(void **state)
{
	struct workload from, to;

	(void)state;
	workload_init(&from);
	set(&from, "name=a filename=/x directory=/y bs=8k");
	assert_int_equal(workload_copy(&from, &to), 0);
	workload_done(&from);
	assert_string_equal(to.name, "a");
	assert_string_equal(to.filename, "/x");
	assert_string_equal(to.directory, "/y");
	assert_int_equal(to.bs[1], 8192);
	workload_done(&to);
	assert_true(option_set_empty(&to.set));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_filled_in_without_marks),
		cmocka_unit_test(the_two_sides_of_a_mix_are_one),
		cmocka_unit_test(layers_lie_over_each_other),
		cmocka_unit_test(time_follows_what_was_given),
		cmocka_unit_test(what_does_not_fit_together_is_refused),
		cmocka_unit_test(rates_and_pauses_go_together),
		cmocka_unit_test(buffered_sizes_may_be_odd),
		cmocka_unit_test(depth_is_one_with_synchronous_engines),
		cmocka_unit_test(extents_count_the_jobs),
		cmocka_unit_test(copies_are_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
