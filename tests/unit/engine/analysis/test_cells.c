/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_cells.c - two workloads, two factors: order, means, merged latencies, holes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/cells.h"
#include "tests/unit/server/codec/fixture.h"

static void start_factor(struct factor *factor, const char *name, const char *first,
			 const char *second)
{
	factor->name = fixture_text(name);
	factor->option = option_find(name);
	factor->level_count = 2;
	factor->levels = calloc(2, sizeof(*factor->levels));
	assert_non_null(factor->levels);
	factor->levels[0] = fixture_text(first);
	factor->levels[1] = fixture_text(second);
}

static void start_workload(struct workload *workload, const char *name, const char *rw)
{
	workload_init(workload);
	workload->name = fixture_text(name);
	fixture_option(workload, "rw", rw);
}

/* bs 4k 8k, iodepth 1 16; a reader and a mix. */
static void start(struct result *result)
{
	struct definition *definition = &result->definition;

	result_init(result);
	definition->factor_count = 2;
	definition->factors = calloc(2, sizeof(*definition->factors));
	assert_non_null(definition->factors);
	start_factor(&definition->factors[0], "bs", "4k", "8k");
	start_factor(&definition->factors[1], "iodepth", "1", "16");
	definition->workload_count = 2;
	definition->workloads = calloc(2, sizeof(*definition->workloads));
	assert_non_null(definition->workloads);
	start_workload(&definition->workloads[0], "reader", "randread");
	start_workload(&definition->workloads[1], "mix", "randrw");
	fixture_option(&definition->defaults, "size", "64m");
	definition->repeats = 3;
	result->samples = calloc(40, sizeof(*result->samples));
	assert_non_null(result->samples);
}

static void add(struct result *result, const char *workload, const char *bs, const char *iodepth,
		unsigned int repeat, size_t reads, size_t writes)
{
	struct sample *sample = &result->samples[result->sample_count++];
	char options[80];

	sample_init(sample);
	sample->workload = fixture_text(workload);
	sample->repeat = repeat;
	sample->seconds = 2;
	/* the levels in another order than the factors */
	fixture_level(sample, "iodepth", iodepth);
	fixture_level(sample, "bs", bs);
	(void)snprintf(options, sizeof(options), "rw=%s size=64m bs=%s iodepth=%s",
		       writes > 0 ? "randrw" : "randread", bs, iodepth);
	fixture_workload(&sample->options, options);
	fixture_direction(&sample->directions[DIRECTION_READ], reads, 4096, 1000, false);
	if (writes > 0)
		fixture_direction(&sample->directions[DIRECTION_WRITE], writes, 4096, 5000, false);
}

static void cells_come_in_order(void **state)
{
	struct result result;
	struct cells cells;

	(void)state;
	start(&result);
	assert_int_equal(cells_make(&result, &cells), 0);
	assert_int_equal(cells.count, 8);
	for (size_t i = 0; i < 8; i++) {
		const size_t levels[] = {i % 2, i / 2 % 2};

		assert_int_equal(cells.list[i].workload, i / 4);
		assert_int_equal(cells.list[i].levels[0], levels[0]);
		assert_int_equal(cells.list[i].levels[1], levels[1]);
		assert_int_equal(cells.list[i].sample_count, 0);
		assert_ptr_equal(cells_find(&cells, i / 4, levels), &cells.list[i]);
	}
	cells_done(&cells);
	result_done(&result);
}

static void what_is_not_there_is_not_found(void **state)
{
	static const size_t beyond[] = {2, 0}, within[] = {1, 1};
	struct result result;
	struct cells cells;

	(void)state;
	start(&result);
	assert_int_equal(cells_make(&result, &cells), 0);
	assert_null(cells_find(&cells, 0, beyond));
	assert_null(cells_find(&cells, 2, within));
	assert_non_null(cells_find(&cells, 1, within));
	cells_done(&cells);
	result_done(&result);
}

static void repeats_are_gathered(void **state)
{
	static const size_t levels[] = {1, 0};
	const struct cell *cell;
	struct result result;
	struct cells cells;

	(void)state;
	start(&result);
	add(&result, "mix", "8k", "1", 3, 600, 60);
	add(&result, "reader", "8k", "1", 1, 5, 0);
	add(&result, "mix", "8k", "1", 1, 200, 20);
	add(&result, "mix", "8k", "1", 2, 400, 40);
	assert_int_equal(cells_make(&result, &cells), 0);
	cell = cells_find(&cells, 1, levels);
	assert_int_equal(cell->sample_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(cell->samples[i]->repeat, i + 1);
	assert_true(cell->directions[DIRECTION_READ].present);
	assert_true(cell->directions[DIRECTION_READ].iops.mean == 200);
	assert_true(cell->directions[DIRECTION_READ].iops.interval);
	/* s = 100, t(2) = 4.30265 */
	assert_true(fabs(cell->directions[DIRECTION_READ].iops.high - 200 -
			 4.30265 * 100 / sqrt(3)) < 0.01);
	assert_true(cell->directions[DIRECTION_WRITE].bandwidth.mean == 20 * 4096);
	assert_int_equal(cell->directions[DIRECTION_READ].latency->count, 1200);
	assert_int_equal(cell->directions[DIRECTION_WRITE].latency->count, 120);
	assert_int_equal(cell->directions[DIRECTION_READ].latency_mean_ns.count, 3);
	cells_done(&cells);
	result_done(&result);
}

static void one_sample_has_no_interval(void **state)
{
	static const size_t levels[] = {0, 0};
	const struct cell *cell;
	struct result result;
	struct cells cells;

	(void)state;
	start(&result);
	add(&result, "reader", "4k", "1", 1, 50, 0);
	assert_int_equal(cells_make(&result, &cells), 0);
	cell = cells_find(&cells, 0, levels);
	assert_false(cell->directions[DIRECTION_READ].iops.interval);
	assert_true(cell->directions[DIRECTION_READ].iops.mean == 25);
	assert_false(cell->directions[DIRECTION_WRITE].present);
	assert_null(cell->directions[DIRECTION_WRITE].latency);
	cells_done(&cells);
	result_done(&result);
}

static void cells_without_samples_know_their_directions(void **state)
{
	struct result result;
	struct cells cells;

	(void)state;
	start(&result);
	fixture_option(&result.definition.override, "rwmixread", "100");
	assert_int_equal(cells_make(&result, &cells), 0);
	for (size_t i = 0; i < cells.count; i++) {
		assert_true(cells.list[i].directions[DIRECTION_READ].present);
		assert_false(cells.list[i].directions[DIRECTION_WRITE].present);
		assert_null(cells.list[i].directions[DIRECTION_READ].latency);
	}
	cells_done(&cells);
	result_done(&result);
}

static void strange_samples_are_left_out(void **state)
{
	struct result result;
	struct cells cells;
	size_t count = 0;

	(void)state;
	start(&result);
	add(&result, "another", "4k", "1", 1, 50, 0);
	add(&result, "reader", "64k", "1", 1, 50, 0);
	assert_int_equal(cells_make(&result, &cells), 0);
	for (size_t i = 0; i < cells.count; i++)
		count += cells.list[i].sample_count;
	assert_int_equal(count, 0);
	cells_done(&cells);
	result_done(&result);
}

static void without_factors_there_is_a_cell_a_workload(void **state)
{
	struct result result;
	struct cells cells;

	(void)state;
	result_init(&result);
	result.definition.workload_count = 1;
	result.definition.workloads = calloc(1, sizeof(*result.definition.workloads));
	assert_non_null(result.definition.workloads);
	start_workload(&result.definition.workloads[0], "reader", "read");
	assert_int_equal(cells_make(&result, &cells), 0);
	assert_int_equal(cells.count, 1);
	assert_ptr_equal(cells_find(&cells, 0, NULL), &cells.list[0]);
	cells_done(&cells);
	result_done(&result);
}

static void add_job(struct sample *sample, size_t at, const char *name, enum direction d,
		    size_t ios, double seconds)
{
	struct job_result *job = &sample->jobs[at];

	job->name = fixture_text(name);
	job->jobs = 1;
	job->seconds = seconds;
	fixture_direction(&job->directions[d], ios, 4096, 1000, false);
}

/* Two repeats of a reader of two jobs told apart and a logger, beside a cell without samples. */
static void jobs_that_run_together_are_parts(void **state)
{
	struct definition *definition;
	struct result result;
	struct cells cells;
	struct workload part;
	const struct cell *cell;

	(void)state;
	start(&result);
	definition = &result.definition;
	fixture_workload(&part, "name=readers rw=randread numjobs=2 group_reporting=0");
	assert_int_equal(workload_add_part(&definition->workloads[1], &part), 0);
	fixture_workload(&part, "name=logger rw=write");
	assert_int_equal(workload_add_part(&definition->workloads[1], &part), 0);
	add(&result, "mix", "4k", "1", 1, 300, 50);
	add(&result, "mix", "4k", "1", 2, 300, 50);
	for (size_t i = 0; i < 2; i++) {
		struct sample *sample = &result.samples[i];

		workload_done(&sample->options);
		fixture_workload(&part, "name=readers rw=randread size=64m numjobs=2");
		assert_int_equal(workload_add_part(&sample->options, &part), 0);
		fixture_workload(&part, "name=logger rw=write size=64m");
		assert_int_equal(workload_add_part(&sample->options, &part), 0);
		sample->job_count = 3;
		sample->jobs = calloc(3, sizeof(*sample->jobs));
		assert_non_null(sample->jobs);
		add_job(sample, 0, "readers", DIRECTION_READ, 100, 1);
		add_job(sample, 1, "readers", DIRECTION_READ, 200 + 40 * i, 2);
		add_job(sample, 2, "logger", DIRECTION_WRITE, 50, 0.5);
		sample->jobs[2].datasync = malloc(sizeof(struct histogram));
		assert_non_null(sample->jobs[2].datasync);
		histogram_init(sample->jobs[2].datasync);
		histogram_add(sample->jobs[2].datasync, 1000000);
	}
	assert_int_equal(cells_make(&result, &cells), 0);
	assert_int_equal(cells.list[0].part_count, 0);
	cell = cells_find(&cells, 1, (size_t[]){0, 0});
	assert_int_equal(cell->part_count, 2);
	assert_string_equal(cell->parts[0].name, "readers");
	assert_true(cell->parts[0].directions[DIRECTION_READ].present);
	assert_false(cell->parts[0].directions[DIRECTION_WRITE].present);
	assert_true(cell->parts[0].directions[DIRECTION_READ].iops.mean == 160);
	assert_true(cell->parts[0].directions[DIRECTION_READ].iops.interval);
	assert_int_equal(cell->parts[0].directions[DIRECTION_READ].latency->count, 640);
	assert_true(cell->parts[1].directions[DIRECTION_WRITE].bandwidth.mean == 100 * 4096);
	assert_non_null(cell->parts[1].syncs[SAMPLE_FDATASYNCS]);
	assert_int_equal(cell->parts[1].syncs[SAMPLE_FDATASYNCS]->count, 2);
	assert_null(cell->parts[1].syncs[SAMPLE_FSYNCS]);
	assert_null(cell->parts[0].syncs[SAMPLE_FDATASYNCS]);
	/* what is to come is known all the same */
	cell = cells_find(&cells, 1, (size_t[]){1, 1});
	assert_int_equal(cell->sample_count, 0);
	assert_true(cell->parts[1].directions[DIRECTION_WRITE].present);
	assert_false(cell->parts[1].directions[DIRECTION_READ].present);
	cells_done(&cells);
	result_done(&result);
}

static void lies_on_zfs(struct sample *sample, uint64_t misses, uint64_t pool_written)
{
	sample->zfs = calloc(1, sizeof(*sample->zfs));
	assert_non_null(sample->zfs);
	sample->zfs->arc = (struct zfs_arc_delta){.known = misses > 0,
						  .demand_data_hits = 100 - misses,
						  .demand_data_misses = misses};
	sample->zfs->pool = (struct zfs_pool_delta){.known = pool_written > 0,
						    .read_bytes = 3000,
						    .written_bytes = pool_written,
						    .asked_read_bytes = 1500,
						    .asked_written_bytes = 1000};
}

/* Means of those repeats that know the figure. */
static void figures_of_zfs_are_means(void **state)
{
	static const size_t levels[] = {0, 0}, others[] = {1, 0};
	const struct cell_zfs *zfs;
	struct result result;
	struct cells cells;

	(void)state;
	start(&result);
	for (unsigned int i = 1; i <= 4; i++)
		add(&result, "mix", "4k", "1", i, 50, 50);
	add(&result, "mix", "8k", "1", 1, 50, 50);
	assert_int_equal(cells_make(&result, &cells), 0);
	assert_false(cells_have_zfs(&cells));
	cells_done(&cells);
	lies_on_zfs(&result.samples[0], 90, 5000);
	lies_on_zfs(&result.samples[1], 100, 0);
	lies_on_zfs(&result.samples[2], 0, 7000);
	add(&result, "reader", "4k", "1", 1, 50, 0);
	lies_on_zfs(&result.samples[5], 60, 5000);
	assert_int_equal(cells_make(&result, &cells), 0);
	assert_true(cells_have_zfs(&cells));
	zfs = &cells_find(&cells, 1, levels)->zfs;
	assert_int_equal(zfs->count, 3);
	assert_ptr_equal(zfs->last, result.samples[2].zfs);
	assert_int_equal(zfs->from_devices.count, 2);
	assert_true(fabs(zfs->from_devices.mean - 0.95) < 1e-9);
	assert_int_equal(zfs->write_amplification.count, 2);
	assert_true(fabs(zfs->write_amplification.mean - 6) < 1e-9);
	assert_true(fabs(zfs->read_amplification.mean - 2) < 1e-9);
	zfs = &cells_find(&cells, 0, levels)->zfs; /* a reader writes nothing */
	assert_int_equal(zfs->from_devices.count, 1);
	assert_int_equal(zfs->write_amplification.count, 0);
	zfs = &cells_find(&cells, 1, others)->zfs;
	assert_int_equal(zfs->count, 0);
	assert_int_equal(zfs->from_devices.count, 0);
	cells_done(&cells);
	result_done(&result);
}

/* What another tool did not tell is in no mean, and is no zero. */
static void what_was_not_told_is_in_no_mean(void **state)
{
	static const size_t levels[] = {0, 0};
	const struct cell_direction *read;
	struct result result;
	struct cells cells;

	(void)state;
	start(&result);
	for (unsigned int repeat = 1; repeat <= 3; repeat++) {
		struct sample_source *source = sample_source_new("dd", NULL);

		assert_non_null(source);
		add(&result, "reader", "4k", "1", repeat, 0, 0);
		result.samples[repeat - 1].seconds = 0;
		result.samples[repeat - 1].source = source;
		if (repeat == 3)
			continue;
		source->directions[DIRECTION_READ].bandwidth = told_exactly(repeat * 1e6);
		source->directions[DIRECTION_READ].latency_mean = told_exactly(repeat * 1e5);
	}
	assert_int_equal(cells_make(&result, &cells), 0);
	read = &cells_find(&cells, 0, levels)->directions[DIRECTION_READ];
	assert_true(read->present);
	assert_int_equal(read->iops.count, 0);
	assert_int_equal(read->bandwidth.count, 2);
	assert_true(read->bandwidth.mean == 1.5e6);
	assert_int_equal(read->latency_mean_ns.count, 2);
	assert_true(read->latency_mean_ns.mean == 1.5e5);
	cells_done(&cells);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_not_told_is_in_no_mean),
		cmocka_unit_test(figures_of_zfs_are_means),
		cmocka_unit_test(jobs_that_run_together_are_parts),
		cmocka_unit_test(cells_come_in_order),
		cmocka_unit_test(what_is_not_there_is_not_found),
		cmocka_unit_test(repeats_are_gathered),
		cmocka_unit_test(one_sample_has_no_interval),
		cmocka_unit_test(cells_without_samples_know_their_directions),
		cmocka_unit_test(strange_samples_are_left_out),
		cmocka_unit_test(without_factors_there_is_a_cell_a_workload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
