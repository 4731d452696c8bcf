/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/plan.c and estimate.c. Those of the traps stand in test_traps.c. */
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

/* ---- order ---- */

static void start_comparison(unsigned int repeats)
{
	start_definition(&d, "/t/f");
	set_options(&d.defaults, "size=16m runtime=20");
	add_workload(&d, "name=a rw=randread");
	add_workload(&d, "name=b rw=randwrite");
	add_factor(&d, "bs", "4k 8k 16k");
	add_factor(&d, "iodepth", "1 2 4 8");
	d.repeats = repeats;
}

static size_t cell_of(const struct plan_sample *sample)
{
	return (sample->workload * 3 + sample->levels[0]) * 4 + sample->levels[1];
}

static void each_block_holds_each_cell_once(void **state)
{
	size_t moved = 0;

	(void)state;
	start_comparison(5);
	make();
	assert_int_equal(plan.sample_count, 2 * 3 * 4 * 5);
	for (size_t block = 0; block < 5; block++) {
		bool seen[24] = {false};

		for (size_t i = 0; i < 24; i++) {
			const struct plan_sample *sample = &plan.samples[block * 24 + i];

			assert_int_equal(sample->order, block * 24 + i);
			assert_int_equal(sample->repeat, block + 1);
			assert_false(seen[cell_of(sample)]);
			seen[cell_of(sample)] = true;
			moved += cell_of(sample) != i;
			moved += block > 1 && cell_of(sample) != cell_of(&plan.samples[i]);
			if (block % 2 == 1) /* the reverse of the one before */
				assert_int_equal(cell_of(sample),
						 cell_of(&plan.samples[block * 24 - 1 - i]));
		}
	}
	assert_true(moved > 150); /* of 192: pairs are shuffled, each in its own way */
	end();
}

static void grouped_order_is_the_definitions(void **state)
{
	(void)state;
	start_comparison(3);
	d.order = ORDER_GROUPED;
	make();
	for (size_t i = 0; i < plan.sample_count; i++) {
		assert_int_equal(cell_of(&plan.samples[i]), i / 3);
		assert_int_equal(plan.samples[i].repeat, i % 3 + 1);
	}
	assert_non_null(find("grouped_order"));
	end();
}

static void a_seed_reproduces_order_and_patterns(void **state)
{
	size_t cells[3][48];
	uint64_t seeds[3][48];
	size_t order_differs = 0, seed_differs = 0;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		start_comparison(2);
		d.seed = i == 2 ? 8 : 7;
		make();
		for (size_t k = 0; k < plan.sample_count; k++) {
			cells[i][k] = cell_of(&plan.samples[k]);
			seeds[i][k] = plan.samples[k].seed;
		}
		end();
	}
	assert_memory_equal(cells[0], cells[1], sizeof(cells[0]));
	assert_memory_equal(seeds[0], seeds[1], sizeof(seeds[0]));
	for (size_t k = 0; k < 48; k++) {
		order_differs += cells[0][k] != cells[2][k];
		seed_differs += seeds[0][k] != seeds[2][k];
	}
	assert_true(order_differs > 24);
	assert_true(seed_differs == 48);
}

static void levels_of_a_block_share_their_seed(void **state)
{
	uint64_t seeds[2][6] = {{0}};

	(void)state;
	start_comparison(5);
	make();
	for (size_t i = 0; i < plan.sample_count; i++) {
		uint64_t *seed = &seeds[plan.samples[i].workload][plan.samples[i].repeat];

		assert_true(plan.samples[i].seed <= INT64_MAX);
		if (*seed == 0)
			*seed = plan.samples[i].seed;
		assert_true(*seed == plan.samples[i].seed);
	}
	for (size_t i = 1; i < 6; i++) {
		assert_true(seeds[0][i] != seeds[1][i]);
		for (size_t k = 1; k < i; k++)
			assert_true(seeds[0][i] != seeds[0][k]);
	}
	end();
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m randseed=77");
	d.repeats = 2;
	make();
	assert_int_equal(plan.samples[0].seed, 77);
	assert_int_equal(plan.samples[1].seed, 77);
	end();
}

/* With two cells, one is first about as often as the other. */
static void shuffling_favours_no_cell(void **state)
{
	size_t first = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		add_factor(&d, "bs", "4k 8k");
		d.repeats = 100;
		d.seed = seed;
		make();
		for (size_t i = 0; i < plan.sample_count; i += 2)
			first += plan.samples[i].levels[0] == 0;
		end();
	}
	assert_in_range(first, 1850, 2150); /* of 4000: nearly five standard deviations */
}

/* ---- sizes ---- */

static void extents_are_the_largest(void **state)
{
	uint64_t bytes, files;

	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m numjobs=3");
	add_workload(&d, "size=4m regions=shared numjobs=9 offset=4k");
	make();
	assert_int_equal(plan_target_extent(&plan, 0, &bytes, &files), 0);
	assert_int_equal(bytes, (4 << 20) + 4096);
	assert_int_equal(files, 1);
	assert_int_equal(plan.estimate.fill_bytes, bytes);
	assert_int_equal(plan.estimate.space_bytes, bytes);
	end();

	start_definition(&d, NULL);
	add_target(&d, TARGET_DIRECTORY, NULL, "/t");
	add_workload(&d, "size=1m numjobs=3");
	add_workload(&d, "size=2m numjobs=2");
	make();
	assert_int_equal(plan_target_extent(&plan, 0, &bytes, &files), 0);
	assert_int_equal(bytes, 2 << 20);
	assert_int_equal(files, 3);
	assert_int_equal(plan.estimate.space_bytes, 6 << 20);
	end();
}

static void a_device_is_filled_from_where_it_is_reached(void **state)
{
	uint64_t whole = 100 << 20;
	struct error err;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "name=a size=1m numjobs=3 offset=8m");
	add_workload(&d, "name=b size=1m offset=4m");
	make();
	assert_int_equal(plan_target_first(&plan, 0), 4 << 20);
	assert_int_equal(plan.estimate.fill_bytes, 7 << 20);
	end();

	/* Unknown until the size is: then from the offset on. */
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "name=a bs=1m offset=90m");
	make();
	assert_int_equal(plan_target_first(&plan, 0), 0);
	assert_int_equal(plan_resolve(&plan, &machine, &whole, &err), 0);
	assert_int_equal(plan_target_first(&plan, 0), 90 << 20);
	assert_int_equal(plan.estimate.fill_bytes, 10 << 20);
	end();

	/* A file is the run's own. */
	start_definition(&d, "/t/f");
	add_workload(&d, "name=a size=1m offset=8m");
	make();
	assert_int_equal(plan_target_first(&plan, 0), 0);
	assert_int_equal(plan.estimate.fill_bytes, 9 << 20);
	end();
}

static void a_device_is_divided_among_the_jobs(void **state)
{
	uint64_t bytes, files, whole = (100 << 20) + 5000;
	struct error err;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "name=a rw=randwrite numjobs=3 bs=4k");
	add_workload(&d, "name=b rw=read numjobs=3 bs=1m regions=shared offset=1m");
	add_workload(&d, "name=c size=1m");
	make();
	assert_int_equal(plan_target_extent(&plan, 0, &bytes, &files), 0);
	assert_int_equal(bytes, 0);
	assert_non_null(find("whole_target"));
	assert_int_equal(plan_resolve(&plan, &machine, &(uint64_t){0}, &err), 0);
	assert_int_equal(plan.samples[0].options.size + plan.samples[1].options.size +
				 plan.samples[2].options.size,
			 1 << 20);
	assert_int_equal(plan_resolve(&plan, &machine, &whole, &err), 0);
	for (size_t i = 0; i < 3; i++) {
		static const uint64_t sizes[] = {34951168, 99 << 20, 1 << 20};

		assert_int_equal(plan.samples[i].options.size, sizes[plan.samples[i].workload]);
	}
	assert_int_equal(plan_target_extent(&plan, 0, &bytes, &files), 0);
	assert_int_equal(bytes, 100 << 20);
	assert_int_equal(plan.estimate.fill_bytes, bytes);
	assert_int_equal(plan.estimate.space_bytes, 0);
	end();

	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "bs=1m numjobs=4");
	make();
	whole = (4 << 20) - 1;
	assert_true(plan_resolve(&plan, &machine, &whole, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_TOO_SMALL);
	assert_string_equal(err.field, "/workloads/0");
	end();
}

/* What is known of the job's part only when the device is looked at. */
static void zones_must_fit_in_a_device(void **state)
{
	uint64_t whole = 4 << 20;
	struct error err;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "rw=randread numjobs=2 random_distribution=zoned_abs:50/1m:50/1m");
	make();
	assert_int_equal(plan_resolve(&plan, &machine, &whole, &err), 0);
	end();
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "rw=randread numjobs=2 random_distribution=zoned_abs:50/1m:50/1028k");
	make();
	assert_true(plan_resolve(&plan, &machine, &whole, &err) < 0);
	assert_int_equal(err.code, ERROR_CONFLICT);
	assert_string_equal(err.field, "/workloads/0");
	assert_non_null(strstr(err.message, "random_distribution"));
	end();
}

static void repeats_that_may_end_early_are_a_range(void **state)
{
	(void)state;
	start_comparison(10);
	d.repeats_min = 5;
	d.until_ci_percent = 2;
	make();
	assert_int_equal(plan.sample_count, 240);
	assert_int_equal(plan.estimate.least.samples, 120);
	/* the fill is one and the same, 16 MiB at 500 MB/s */
	assert_true(plan.estimate.seconds > 2 * plan.estimate.least.seconds - 0.1);
	assert_true(plan.estimate.seconds < 2 * plan.estimate.least.seconds);
	assert_in_range((uint64_t)plan.estimate.least.seconds, 120 * 20, 120 * 21);
	assert_true(plan.estimate.bytes_read == 2 * plan.estimate.least.bytes_read);
	assert_in_range(plan.estimate.least.bytes_written,
			plan.estimate.bytes_written / 2 + (8 << 20) - 9,
			plan.estimate.bytes_written / 2 + (8 << 20) + 9);
	/* the blocks that are made at any rate are the first ones */
	for (size_t i = 0; i < plan.sample_count; i++)
		assert_int_equal(plan.samples[i].repeat, i / 24 + 1);
	/* one after another no block is whole before the last one */
	assert_int_equal(plan_group_by_instance(&plan), 0);
	assert_int_equal(plan.estimate.least.samples, 0);
	end();

	start_comparison(10);
	make();
	assert_int_equal(plan.estimate.least.samples, 0);
	end();

	/* what trims have left is filled again: as often as there are samples behind them */
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=trim size=100m runtime=1");
	d.repeats = 8;
	d.repeats_min = 6;
	d.until_ci_percent = 2;
	make();
	assert_int_equal(plan.estimate.bytes_written, 800 << 20);
	assert_int_equal(plan.estimate.least.bytes_written, 600 << 20);
	end();
}

static void estimates_add_up(void **state)
{
	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=randread size=500m runtime=60 ramp_time=5 iodepth=32 numjobs=4");
	d.repeats = 3;
	make();
	/* 3 x 65 s, and the fill of 2 GB at the guessed 500 MB/s */
	assert_in_range((uint64_t)plan.estimate.seconds, 195, 205);
	assert_int_equal(plan.estimate.threads, 128);
	assert_int_equal(plan.estimate.bytes_written, 4 * 500 * UINT64_C(1048576));
	assert_true(plan.estimate.bytes_read > 0);
	end();

	/* a rate says how long its size takes, and what a time moves */
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=read size=100m time_based=0 rate=1m startdelay=7");
	make();
	assert_in_range((uint64_t)plan.estimate.seconds, 107, 115);
	end();
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=read size=100m runtime=60 rate_iops=100 numjobs=2 regions=shared");
	make();
	assert_in_range(plan.estimate.bytes_read, 2 * 60 * 100 * 4096 - 9, 2 * 60 * 100 * 4096 + 9);
	end();

	/* to its size: bytes are exact */
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=rw rwmixread=25 size=100m time_based=0 numjobs=2 ioengine=sync "
			 "iodepth=9");
	make();
	assert_in_range(plan.estimate.bytes_read, (50 << 20) - 9, (50 << 20) + 9);
	assert_in_range(plan.estimate.bytes_written, ((150 + 200) << 20) - 9,
			((150 + 200) << 20) + 9);
	assert_int_equal(plan.estimate.threads, 2);
	assert_non_null(find("runs_to_size"));
	end();
}

static void cells_are_named_by_their_levels(void **state)
{
	char *text;

	(void)state;
	start_comparison(1);
	make();
	text = plan_cell_text(&plan, &(struct plan_sample){.levels = (size_t[]){1, 2}});
	assert_string_equal(text, "bs=8k, iodepth=4");
	free(text);
	end();
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m");
	make();
	text = plan_cell_text(&plan, &plan.samples[0]);
	assert_string_equal(text, "");
	free(text);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_holds_each_cell_once),
		cmocka_unit_test(grouped_order_is_the_definitions),
		cmocka_unit_test(a_seed_reproduces_order_and_patterns),
		cmocka_unit_test(levels_of_a_block_share_their_seed),
		cmocka_unit_test(shuffling_favours_no_cell),
		cmocka_unit_test(extents_are_the_largest),
		cmocka_unit_test(a_device_is_filled_from_where_it_is_reached),
		cmocka_unit_test(a_device_is_divided_among_the_jobs),
		cmocka_unit_test(zones_must_fit_in_a_device),
		cmocka_unit_test(repeats_that_may_end_early_are_a_range),
		cmocka_unit_test(estimates_add_up),
		cmocka_unit_test(cells_are_named_by_their_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
