/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/traps.c, traps_cell.c and traps_whole.c, by the findings of whole plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/plan/plan.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static struct definition d;
static struct plan plan;
static const struct machine machine = {
	.memory_bytes = UINT64_C(8) << 30, .memory_available_bytes = UINT64_C(4) << 30, .cpus = 2};

static void make(void)
{
	struct error err = {0};

	check_ok(&d);
	if (plan_make(&d, &machine, &plan, &err) != 0)
		fail_msg("%s: %s", err.field, err.message);
}

static void end(void)
{
	plan_done(&plan);
	definition_done(&d);
}

static const struct finding *find(const char *code)
{
	for (size_t i = 0; i < plan.findings.count; i++)
		if (strcmp(plan.findings.list[i].code, code) == 0)
			return &plan.findings.list[i];
	return NULL;
}

static void each_trap_is_found_and_only_then(void **state)
{
	static const struct {
		const char *code, *options;
		enum target_kind kind;
		bool holds;
		enum finding_severity severity;
	} table[] = {
		{"fits_memory", "size=4g numjobs=2 direct=0", TARGET_FILE, true, FINDING_WARNING},
		{"fits_memory", "size=4g numjobs=2", TARGET_FILE, true, FINDING_INFO},
		{"fits_memory", "size=4g numjobs=3", TARGET_FILE, false, 0},
		{"fits_memory", "size=4g numjobs=3 regions=shared", TARGET_FILE, true,
		 FINDING_INFO},
		{"fits_memory", "size=4g numjobs=3 regions=shared", TARGET_DIRECTORY, false, 0},
		{"shared_region", "size=1m numjobs=2 regions=shared", TARGET_FILE, true,
		 FINDING_WARNING},
		{"shared_region", "size=1m numjobs=1 regions=shared", TARGET_FILE, false, 0},
		{"shared_region", "size=1m numjobs=2 regions=shared", TARGET_DIRECTORY, false, 0},
		{"shared_region", "size=1m numjobs=2", TARGET_FILE, false, 0},
		{"shared_region", "fio: --size=1m --numjobs=2", TARGET_FILE, true, FINDING_WARNING},
		{"short_run", "size=1m rw=write runtime=14", TARGET_FILE, true, FINDING_WARNING},
		{"short_run", "size=1m rw=write runtime=15", TARGET_FILE, false, 0},
		{"short_run", "size=1m rw=read runtime=1", TARGET_FILE, false, 0},
		{"ramp_longer_than_run", "size=1m runtime=5 ramp_time=5", TARGET_FILE, true,
		 FINDING_WARNING},
		{"ramp_longer_than_run", "size=1m runtime=5 ramp_time=4", TARGET_FILE, false, 0},
		{"buffered_writes", "size=1m rw=randrw direct=0", TARGET_FILE, true,
		 FINDING_WARNING},
		{"buffered_writes", "size=1m rw=randrw direct=0 fsync=1", TARGET_FILE, false, 0},
		{"buffered_writes", "size=1m rw=randrw direct=0 sync=dsync", TARGET_FILE, false, 0},
		{"buffered_writes", "size=1m rw=randrw direct=0 fdatasync=1", TARGET_FILE, false,
		 0},
		{"buffered_writes", "size=1m rw=write direct=0 end_fsync=1", TARGET_FILE, false, 0},
		{"buffered_writes", "size=1m rw=randread direct=0", TARGET_FILE, false, 0},
		{"buffered_writes", "size=1m rw=write", TARGET_FILE, false, 0},
		{"compressible_data", "size=1m rw=write", TARGET_FILE, false, 0},
		{"compressible_data", "size=1m rw=write zero_buffers=1", TARGET_FILE, true,
		 FINDING_INFO},
		{"compressible_data", "size=1m rw=read buffer_compress_percentage=1", TARGET_FILE,
		 true, FINDING_INFO},
		{"compressible_data", "size=1m rw=write dedupe_percentage=1", TARGET_FILE, true,
		 FINDING_INFO},
		{"no_effect", "size=1m rw=write continue_on_error=verify", TARGET_FILE, true,
		 FINDING_INFO},
		{"no_effect", "size=1m rw=write verify_fatal=1", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=write verify=crc32c verify_interval=512 verify_fatal=1",
		 TARGET_FILE, false, 0},
		{"no_effect", "size=1m rw=write scramble_buffers=1", TARGET_FILE, true,
		 FINDING_INFO},
		{"no_effect", "size=1m rw=write scramble_buffers=0 refill_buffers=0", TARGET_FILE,
		 false, 0},
		{"no_effect", "size=1m rw=write buffer_compress_chunk=4k", TARGET_FILE, true,
		 FINDING_INFO},
		{"no_effect", "size=1m rw=read refill_buffers=0", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=read buffer_compress_percentage=1", TARGET_FILE, false,
		 0},
		{"fio_depth", "fio: --size=1m --iodepth=2", TARGET_FILE, true, FINDING_WARNING},
		{"fio_depth", "fio: --size=1m --iodepth=2 --ioengine=libaio", TARGET_FILE, false,
		 0},
		{"fio_depth", "fio: --size=1m --iodepth=1", TARGET_FILE, false, 0},
		{"fio_depth", "size=1m iodepth=2", TARGET_FILE, false, 0},
		{"depth_ignored", "size=1m iodepth=2 ioengine=psync", TARGET_FILE, true,
		 FINDING_WARNING},
		{"depth_ignored", "size=1m iodepth=1 ioengine=psync", TARGET_FILE, false, 0},
		{"no_effect", "size=1m rw=read rwmixread=70", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=read fsync=1", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=read fdatasync=1", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=trim fdatasync=1", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=rw fdatasync=1", TARGET_FILE, false, 0},
		{"no_effect", "size=1m rw=read continue_on_error=write", TARGET_FILE, true,
		 FINDING_INFO},
		{"no_effect", "size=1m rw=write continue_on_error=read", TARGET_FILE, true,
		 FINDING_INFO},
		{"no_effect", "size=1m rw=trim continue_on_error=write", TARGET_FILE, false, 0},
		{"no_effect", "size=1m rw=rw continue_on_error=read", TARGET_FILE, false, 0},
		{"no_effect", "size=1m rw=read sync=1", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=read regions=shared", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=rw rwmixread=70 fsync=1", TARGET_FILE, false, 0},
		{"no_effect", "size=1m rw=read rate=,1m", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=rw rate=,1m", TARGET_FILE, false, 0},
		{"no_effect", "size=1m rw=write rate_iops=5,0", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=write rate_iops=5", TARGET_FILE, false, 0},
		{"no_effect", "size=1m rw=write rate_min=1m,0", TARGET_FILE, true, FINDING_INFO},
		{"no_effect", "size=1m rw=write rate_iops_min=1,0", TARGET_FILE, true,
		 FINDING_INFO},
		{"mixed_sizes", "size=1m rw=rw bs=4k,128k", TARGET_FILE, true, FINDING_INFO},
		{"mixed_sizes", "size=1m rw=rw bs=4k", TARGET_FILE, false, 0},
		{"mixed_sizes", "size=1m rw=read bs=4k,128k", TARGET_FILE, false, 0},
		{"runs_to_size", "fio: --size=1m", TARGET_FILE, true, FINDING_INFO},
		{"runs_to_size", "fio: --size=1m --runtime=5", TARGET_FILE, false, 0},
		{"touches_again", "size=1m rw=randrw random_distribution=zipf", TARGET_FILE, true,
		 FINDING_INFO},
		{"touches_again", "size=1m rw=randrw random_distribution=zipf norandommap=1",
		 TARGET_FILE, false, 0},
		{"touches_again", "size=1m rw=randrw random_distribution=random", TARGET_FILE,
		 false, 0},
		{"no_storage", "size=1m ioengine=null", TARGET_FILE, true, FINDING_WARNING},
		{"no_storage", "size=1m", TARGET_FILE, false, 0},
		{"whole_target", "size=1m", TARGET_DEVICE, false, 0},
		{"whole_target", "rw=read", TARGET_DEVICE, true, FINDING_INFO},
		{"fio_defaults_differ", "size=1m", TARGET_FILE, true, FINDING_INFO},
		{"fio_defaults_differ", "fio: --size=1m", TARGET_FILE, true, FINDING_INFO},
		{"single_sample", "size=1m", TARGET_FILE, true, FINDING_WARNING},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		const struct finding *finding;

		start_definition(&d, NULL);
		add_target(&d, table[i].kind, NULL, "/t/x");
		add_workload(&d, table[i].options);
		make();
		finding = find(table[i].code);
		if ((finding != NULL) != table[i].holds)
			fail_msg("%s: %s is %s", table[i].options, table[i].code,
				 finding ? "there" : "not there");
		if (finding && finding->severity != table[i].severity)
			fail_msg("%s: %s has the severity %d", table[i].options, table[i].code,
				 (int)finding->severity);
		if (finding)
			assert_true(strlen(finding->message) < 630);
		end();
	}
}

static void traps_name_the_cells_they_hold_in(void **state)
{
	const struct finding *finding;

	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "name=w rw=randwrite size=1m");
	add_factor(&d, "runtime", "60 5 10");
	add_factor(&d, "iodepth", "1 2");
	d.repeats = 3;
	make();
	finding = find("short_run");
	assert_int_equal(finding->workload_count, 1);
	assert_string_equal(finding->workloads[0], "w");
	assert_string_equal(finding->cell, "runtime=5, iodepth=1");
	assert_non_null(strstr(finding->message, "4 of 6"));
	assert_string_equal(finding->found, "runtime=5, runtime=10");
	finding = find("fits_memory");
	assert_null(finding->cell);
	assert_null(find("single_sample"));
	end();
}

static size_t count_of(const char *code)
{
	size_t count = 0;

	for (size_t i = 0; i < plan.findings.count; i++)
		count += strcmp(plan.findings.list[i].code, code) == 0;
	return count;
}

static void what_is_the_same_of_several_workloads_is_told_once(void **state)
{
	const struct finding *finding;

	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "fio: --name=a --rw=randrw --size=1g --iodepth=32 --runtime=20");
	add_workload(&d, "fio: --name=b --rw=write --size=2g --iodepth=64 --runtime=20");
	add_workload(&d, "fio: --name=c --rw=read --size=1g --iodepth=1 --runtime=20");
	add_workload(&d, "name=d rw=randwrite size=16g runtime=5 iodepth=2");
	add_factor(&d, "numjobs", "1 2");
	make();
	assert_int_equal(count_of("fio_depth"), 1);
	finding = find("fio_depth");
	assert_int_equal(finding->workload_count, 2);
	assert_string_equal(finding->workloads[0], "a");
	assert_string_equal(finding->workloads[1], "b");
	assert_string_equal(finding->found, "iodepth=32, iodepth=64");
	assert_string_equal(finding->expected, "1, as in fio");
	assert_null(finding->cell);
	assert_int_equal(count_of("fits_memory"), 1);
	finding = find("fits_memory");
	assert_int_equal(finding->workload_count, 3); /* one region for fio's jobs: all cells */
	assert_null(finding->cell);
	assert_string_equal(finding->found, "1.0 GiB, 2.0 GiB");
	assert_int_equal(count_of("shared_region"), 1);
	finding = find("shared_region");
	assert_int_equal(finding->workload_count, 3);
	assert_string_equal(finding->cell, "numjobs=2");
	assert_non_null(strstr(finding->message, "(In 3 of 6 combinations.)"));
	assert_int_equal(count_of("fio_defaults_differ"), 2); /* fio's command lines, and d */
	assert_int_equal(find("short_run")->workload_count, 1);
	assert_string_equal(find("short_run")->workloads[0], "d");
	end();
	/* all of several: none is named */
	start_definition(&d, "/t/f");
	add_workload(&d, "name=a rw=write size=1m runtime=5");
	add_workload(&d, "name=b rw=randwrite size=1m runtime=6");
	make();
	assert_int_equal(count_of("short_run"), 1);
	assert_int_equal(find("short_run")->workload_count, 0);
	end();
}

static void many_figures_end_in_dots(void **state)
{
	const char *found;

	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=write size=1m");
	add_factor(&d, "runtime", "1 2 3 4 5 6 7 8 9 10 11 12 13 14");
	make();
	found = find("short_run")->found;
	assert_int_equal(count_of("short_run"), 1);
	assert_memory_equal(found, "runtime=1, runtime=2, ", 22);
	assert_string_equal(found + strlen(found) - 5, ", ...");
	assert_true(strlen(found) < 160);
	end();
}

static void factors_without_effect_are_told(void **state)
{
	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=randread size=1m");
	add_factor(&d, "rwmixread", "30 70");
	add_factor(&d, "iodepth", "1 2");
	set_options(&d.override, "iodepth=4");
	make();
	assert_int_equal(find("no_effect")->severity, FINDING_WARNING);
	assert_non_null(strstr(find("no_effect")->message, "rwmixread"));
	assert_non_null(strstr(find("factor_overridden")->message, "iodepth"));
	end();
}

static void what_differs_from_fio_is_listed(void **state)
{
	const char *message;

	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "fio: --rw=write --size=1m --runtime=60");
	make();
	message = find("fio_defaults_differ")->message;
	assert_non_null(strstr(message, "direct=1 (fio: 0)"));
	assert_non_null(strstr(message, "time_based=1 (fio: 0)"));
	assert_non_null(strstr(message, "ioengine"));
	assert_non_null(strstr(message, "incompressible"));
	assert_null(strstr(message, "regions"));
	end();
	start_definition(&d, "/t/f");
	add_workload(&d, "fio: --rw=read --size=1m --direct=0");
	make();
	message = find("fio_defaults_differ")->message;
	assert_null(strstr(message, "direct"));
	assert_null(strstr(message, "time_based"));
	assert_null(strstr(message, "incompressible"));
	end();
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=read size=1m");
	add_workload(&d, "rw=write size=1m direct=1");
	make();
	message = find("fio_defaults_differ")->message;
	assert_int_equal(find("fio_defaults_differ")->workload_count, 0);
	assert_non_null(strstr(message, "runtime=30 (fio: none)"));
	assert_non_null(strstr(message, "regions=disjoint (fio: shared)"));
	assert_non_null(strstr(message, "incompressible"));
	end();
}

static void existing_targets_may_hold_nothing(void **state)
{
	uint64_t bytes = UINT64_C(1) << 30;

	(void)state;
	start_definition(&d, "/t/f");
	d.targets[0].existing = true;
	add_workload(&d, "rw=randread");
	make();
	assert_non_null(find("unwritten_data"));
	assert_null(find("fits_memory"));
	assert_int_equal(plan_resolve(&plan, &machine, &bytes, NULL), 0);
	assert_non_null(find("fits_memory"));
	assert_int_equal(plan.estimate.fill_bytes, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_trap_is_found_and_only_then),
		cmocka_unit_test(traps_name_the_cells_they_hold_in),
		cmocka_unit_test(what_is_the_same_of_several_workloads_is_told_once),
		cmocka_unit_test(many_figures_end_in_dots),
		cmocka_unit_test(factors_without_effect_are_told),
		cmocka_unit_test(what_differs_from_fio_is_listed),
		cmocka_unit_test(existing_targets_may_hold_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
