/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_run_comparison.c - runs beside each other: which cells are the same, what is judged and how,
 * what differs beside the figures.
 *
 * Length: a case for each way in which runs may differ.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/engine/analysis/run_fixture.h"

static const struct run_ratio *ratio_of(const struct run_pair *pair, enum run_figure figure,
					int direction)
{
	for (size_t i = 0; i < pair->ratio_count; i++)
		if (pair->ratios[i].figure == figure && pair->ratios[i].direction == direction)
			return &pair->ratios[i];
	return NULL;
}

static const struct run_difference *difference(const struct run_comparison *comparison,
					       const char *name)
{
	for (size_t i = 0; i < comparison->difference_count; i++)
		if (strcmp(comparison->differences[i].name, name) == 0)
			return &comparison->differences[i];
	return NULL;
}

static void what_got_faster(void **state)
{
	struct result a, b;
	struct run_comparison comparison;
	const struct run_ratio *ratio;
	char text[RUN_CHANGE_MAX], title[RUN_PAIR_TITLE_MAX];

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_plain(&b, "b", 1.2);
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pair_count, 2);
	assert_int_equal(comparison.alone_count, 0);
	assert_int_equal(comparison.difference_count, 0);
	assert_int_equal(comparison.judged, 2);
	assert_int_equal(comparison.better, 2);
	assert_string_equal(run_pair_title(&comparison.pairs[1], title), "reader, iodepth=16");
	ratio = &comparison.pairs[0].ratios[0];
	assert_true(ratio->judged);
	assert_int_equal(ratio->figure, RUN_FIGURE_IOPS);
	assert_true(fabs(ratio->welch.ratio - 1.2) < 1e-3);
	assert_true(fabs(ratio->baseline.mean - 1000) < 1e-9);
	assert_int_equal(ratio->verdict, RUN_BETTER);
	assert_true(ratio->p_holm >= ratio->welch.p);
	assert_string_equal(run_change(ratio->welch.ratio, text), "+20.0 %");
	/* the others have no verdict, and a latency that fell is a ratio below 1 */
	ratio = ratio_of(&comparison.pairs[0], RUN_FIGURE_LATENCY, DIRECTION_COUNT);
	assert_false(ratio->judged);
	assert_int_equal(ratio->verdict, RUN_NO_VERDICT);
	assert_true(ratio->welch.ratio < 1);
	assert_non_null(ratio_of(&comparison.pairs[0], RUN_FIGURE_P99, DIRECTION_COUNT));
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

static void a_run_beside_itself(void **state)
{
	struct result a;
	struct run_comparison comparison;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_compare(&a, &a, &comparison);
	assert_int_equal(comparison.open, 2);
	assert_int_equal(comparison.better + comparison.worse, 0);
	assert_true(comparison.pairs[0].ratios[0].welch.ratio == 1);
	run_comparison_done(&comparison);
	result_done(&a);
}

static void single_samples_have_no_verdict(void **state)
{
	static const size_t once[] = {1000, 0}, later[] = {500, 510, 0};
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	run_fixture_start(&a, "a");
	run_fixture_workload(&a, "reader");
	run_fixture_reads(&a, "reader", "", "rw=randread size=64m bs=4k", once);
	run_fixture_start(&b, "b");
	run_fixture_workload(&b, "reader");
	run_fixture_reads(&b, "reader", "", "rw=randread size=64m bs=4k", later);
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pair_count, 1);
	assert_int_equal(comparison.unjudged, 1);
	assert_int_equal(comparison.judged, 0);
	assert_false(comparison.pairs[0].ratios[0].welch.interval);
	assert_int_equal(comparison.pairs[0].ratios[0].verdict, RUN_NO_VERDICT);
	assert_true(comparison.pairs[0].ratios[0].welch.ratio > 0.5);
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

/* A depth that one run compares is met by another that had it alone; the rest is told. */
static void levels_beside_options(void **state)
{
	static const size_t ios[] = {1900, 1910, 0};
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_start(&b, "b");
	run_fixture_workload(&b, "reader");
	run_fixture_reads(&b, "reader", "", "rw=randread size=64m bs=4k iodepth=16", ios);
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pair_count, 1);
	assert_string_equal(comparison.pairs[0].levels, "iodepth=16");
	assert_int_equal(comparison.alone_count, 1);
	assert_true(comparison.alone[0].baseline);
	assert_string_equal(comparison.alone[0].levels, "iodepth=1");
	assert_string_equal(difference(&comparison, "iodepth")->values[0], "1, 16");
	assert_string_equal(difference(&comparison, "iodepth")->values[1], "not compared");
	run_comparison_done(&comparison);
	/* the other way round */
	run_fixture_compare(&b, &a, &comparison);
	assert_int_equal(comparison.pair_count, 1);
	assert_int_equal(comparison.alone_count, 1);
	assert_false(comparison.alone[0].baseline);
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

static void workloads_by_name_then_by_options(void **state)
{
	static const size_t ios[] = {1000, 1010, 0};
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	run_fixture_start(&a, "a");
	run_fixture_start(&b, "b");
	run_fixture_workload(&a, "mail");
	run_fixture_workload(&a, "web");
	run_fixture_workload(&a, "gone");
	run_fixture_workload(&b, "post");
	run_fixture_workload(&b, "web");
	run_fixture_reads(&a, "mail", "", "rw=randread size=64m bs=8k", ios);
	run_fixture_reads(&a, "web", "", "rw=randread size=64m bs=4k", ios);
	run_fixture_reads(&a, "gone", "", "rw=read size=64m bs=4k", ios);
	run_fixture_reads(&b, "post", "", "rw=randread size=64m bs=8k", ios);
	run_fixture_reads(&b, "web", "", "rw=randread size=64m bs=16k", ios);
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pair_count, 2);
	assert_string_equal(comparison.pairs[0].workload, "mail"); /* beside "post" */
	assert_int_equal(comparison.pairs[0].ratios[0].figure, RUN_FIGURE_IOPS);
	/* of one name but other sizes: judged by bytes, and told as unfair */
	assert_string_equal(comparison.pairs[1].workload, "web");
	assert_int_equal(comparison.pairs[1].ratios[0].figure, RUN_FIGURE_BANDWIDTH);
	assert_int_equal(comparison.alone_count, 1);
	assert_string_equal(comparison.alone[0].workload, "gone");
	assert_int_equal(run_comparison_unfair(&comparison), 1);
	assert_string_equal(comparison.differences[0].name, "bs");
	assert_string_equal(comparison.differences[0].workload, "web");
	assert_string_equal(comparison.differences[0].values[0], "4k");
	assert_string_equal(comparison.differences[0].values[1], "16k");
	assert_non_null(comparison.differences[0].why);
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

static void what_else_differs(void **state)
{
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_plain(&b, "b", 1);
	(void)snprintf(b.backend, sizeof(b.backend), "threads");
	(void)snprintf(b.environment.host, sizeof(b.environment.host), "other");
	b.environment.kernel[0] = '\0';
	b.environment.memory_bytes = UINT64_C(64) << 30;
	for (size_t i = 0; i < b.sample_count; i++)
		fixture_option(&b.samples[i].options, "size", "128m");
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(run_comparison_unfair(&comparison), 2);
	assert_true(comparison.differences[0].unfair && comparison.differences[1].unfair);
	assert_string_equal(comparison.differences[0].name, "size");
	assert_string_equal(comparison.differences[1].name, "backend");
	assert_false(difference(&comparison, "host")->unfair);
	assert_string_equal(difference(&comparison, "memory")->values[1], "64.0 GiB");
	/* not known is not the same, and no reason to call it unfair */
	assert_null(difference(&comparison, "kernel")->values[1]);
	assert_null(difference(&comparison, "CPUs"));
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

/* A sample of two jobs that run together, the second of a depth of its own. */
static void add_jobs(struct result *run, const char *depth)
{
	struct sample *sample = &run->samples[run->sample_count++];
	struct error err;
	size_t blamed;

	sample_init(sample);
	sample->workload = fixture_text("both");
	sample->repeat = 1;
	sample->seconds = 1;
	for (int i = 0; i < 2; i++) {
		struct workload part;

		fixture_workload(&part, i ? "name=writers rw=randwrite size=64m"
					  : "name=readers rw=randread size=64m");
		if (i)
			fixture_option(&part, "iodepth", depth);
		assert_int_equal(workload_add_part(&sample->options, &part), 0);
	}
	assert_int_equal(workload_join(&sample->options, &blamed, &err), 0);
	fixture_direction(&sample->directions[DIRECTION_READ], 1000, 4096, 1000, false);
	fixture_direction(&sample->directions[DIRECTION_WRITE], 500, 4096, 1000, false);
}

static void jobs_that_run_together(void **state)
{
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	for (int i = 0; i < 2; i++) {
		run_fixture_start(i ? &b : &a, "x");
		run_fixture_workload(i ? &b : &a, "both");
		add_jobs(i ? &b : &a, i ? "8" : "4");
	}
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pair_count, 1);
	assert_int_equal(comparison.difference_count, 1);
	assert_string_equal(comparison.differences[0].name, "iodepth of writers");
	assert_string_equal(comparison.differences[0].values[1], "8");
	/* both ways together, and each */
	assert_non_null(ratio_of(&comparison.pairs[0], RUN_FIGURE_IOPS, DIRECTION_READ));
	assert_non_null(ratio_of(&comparison.pairs[0], RUN_FIGURE_LATENCY, DIRECTION_WRITE));
	assert_true(comparison.pairs[0].ratios[0].baseline.mean == 1500);
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

/* Properties of the zvol or dataset, the pool, and what an imported result says of its system. */
static void where_it_lies(void **state)
{
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_plain(&b, "b", 1);
	for (int i = 0; i < 2; i++) {
		struct result *run = i ? &b : &a;

		run->samples[0].zfs = calloc(1, sizeof(*run->samples[0].zfs));
		assert_non_null(run->samples[0].zfs);
		sample_zfs_init(run->samples[0].zfs);
		assert_int_equal(properties_set(&run->samples[0].zfs->properties, "compression",
						i ? "off" : "lz4"),
				 0);
		assert_int_equal(
			properties_set(&run->samples[0].zfs->properties, "sync", "standard"), 0);
		run->target_count = 1;
		run->targets = calloc(1, sizeof(*run->targets));
		assert_non_null(run->targets);
		(void)snprintf(run->targets[0].zfs.layout, sizeof(run->targets[0].zfs.layout), "%s",
			       i ? "raidz2 of 6" : "2 x mirror of 2");
	}
	b.facts = calloc(1, sizeof(*b.facts));
	assert_non_null(b.facts);
	b.fact_count = 1;
	b.facts[0].name = fixture_text("controller");
	b.facts[0].value = fixture_text("HBA");
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.difference_count, 3);
	assert_string_equal(difference(&comparison, "compression")->values[1], "off");
	assert_null(difference(&comparison, "sync"));
	assert_string_equal(difference(&comparison, "pool")->values[0], "2 x mirror of 2");
	assert_int_equal(difference(&comparison, "pool")->kind, RUN_DIFFERENCE_TARGET);
	assert_null(difference(&comparison, "controller")->values[0]);
	assert_int_equal(run_comparison_unfair(&comparison), 0);
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

/* A machine that was busy with something else: told, and marked, from a tenth on. */
static void other_work(void **state)
{
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_plain(&b, "b", 1);
	for (size_t i = 0; i < b.sample_count; i++) { /* of 4 processors and a second */
		a.samples[i].cpu = (struct cpu_delta){.user_s = 0.5, .machine_busy_s = 0.7};
		b.samples[i].cpu = (struct cpu_delta){.user_s = 0.5, .machine_busy_s = 1.05};
	}
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.difference_count, 0);
	run_comparison_done(&comparison);
	for (size_t i = 0; i < b.sample_count; i++)
		b.samples[i].cpu.machine_busy_s = 1.15;
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(run_comparison_unfair(&comparison), 1);
	assert_string_equal(comparison.differences[0].values[0], "5 %");
	assert_string_equal(comparison.differences[0].values[1], "16 %");
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

/* A figure that another tool told, rounded, with little known of how it came about. */
static void told_by_another_tool(void **state)
{
	struct result a, b;
	struct run_comparison comparison;
	const struct run_ratio *ratio;
	struct sample *sample;

	(void)state;
	run_fixture_plain(&a, "a", 1);
	run_fixture_start(&b, "b");
	b.definition.imported = true;
	b.backend[0] = '\0';
	run_fixture_factor(&b, "iodepth", "1 16");
	run_fixture_workload(&b, "reader");
	sample = &b.samples[b.sample_count++];
	sample_init(sample);
	sample->workload = fixture_text("reader");
	sample->repeat = 1;
	fixture_level(sample, "iodepth", "16");
	fixture_option(&sample->options, "rw", "randread");
	sample->source = sample_source_new("dd", NULL);
	assert_non_null(sample->source);
	sample->source->directions[DIRECTION_READ].bandwidth =
		(struct told_figure){.known = true, .value = 8e6, .low = 7.5e6, .high = 8.5e6};
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pair_count, 1);
	ratio = &comparison.pairs[0].ratios[0];
	assert_int_equal(ratio->figure, RUN_FIGURE_BANDWIDTH); /* no operations are known */
	assert_true(ratio->other.told_low == 7.5e6);
	assert_int_equal(ratio->verdict, RUN_NO_VERDICT);
	ratio = ratio_of(&comparison.pairs[0], RUN_FIGURE_IOPS, DIRECTION_COUNT);
	assert_int_equal(ratio->other.count, 0);
	assert_true(ratio->welch.ratio == 0);
	assert_true(difference(&comparison, "measured by")->unfair);
	assert_string_equal(difference(&comparison, "measured by")->values[1], "dd");
	assert_null(difference(&comparison, "bs")->values[1]);
	assert_false(difference(&comparison, "bs")->unfair);
	run_comparison_done(&comparison);
	/* an index has a base of its own: nothing to compare */
	sample->source->index = true;
	run_fixture_compare(&a, &b, &comparison);
	assert_false(comparison.pairs[0].ratios[0].judged);
	assert_int_equal(comparison.unjudged, 1);
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

/* Repeats of printed figures: what differs in the last digit alone is not shown to. */
static void digits_that_leave_it_open(void **state)
{
	struct result before, after;
	struct run_comparison comparison;

	(void)state;
	run_fixture_start(&before, "a");
	run_fixture_workload(&before, "w");
	run_fixture_start(&after, "b");
	run_fixture_workload(&after, "w");
	for (int i = 0; i < 10; i++) {
		bool later = i % 2;
		struct sample *sample = run_fixture_sample(later ? &after : &before, "w", "",
							   "rw=randread bs=4k size=64m");
		double value = later ? 101000 + (i == 1 ? 1 : 0) : 100000;

		sample->source = sample_source_new("volbench.table/1", NULL);
		assert_non_null(sample->source);
		sample->source->directions[DIRECTION_READ].iops = (struct told_figure){
			.known = true, .value = value, .low = value - 500, .high = value + 500};
	}
	run_fixture_compare(&before, &after, &comparison);
	assert_true(comparison.pairs[0].ratios[0].welch.interval);
	assert_int_equal(comparison.pairs[0].ratios[0].verdict, RUN_NO_DIFFERENCE);
	assert_true(comparison.pairs[0].ratios[0].welch.low < 1);
	run_comparison_done(&comparison);
	result_done(&before);
	result_done(&after);
}

/* Metadata: phase by phase; rates: by latency. */
static void add_phase(struct sample *sample, int operation, uint64_t ops)
{
	struct file_result *phase = &sample->files[sample->file_count++];

	*phase = (struct file_result){.operation = operation, .ops = ops, .seconds = 1};
	phase->latency = fixture_histogram(ops, 1000);
}

static void phases_of_files(void **state)
{
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct result *run = i ? &b : &a;
		struct sample *sample;

		run_fixture_start(run, i ? "b" : "a");
		run_fixture_workload(run, "small");
		sample = run_fixture_sample(run, "small", "",
					    "metadata=create,stat,delete nrfiles=20 filesize=1k");
		sample->files = calloc(3, sizeof(*sample->files));
		assert_non_null(sample->files);
		add_phase(sample, FILE_CREATE, i ? 200 : 100);
		if (i == 0)
			add_phase(sample, FILE_STAT, 100);
	}
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pair_count, 1);
	assert_string_equal(comparison.pairs[0].workload, "small, sequential create");
	assert_int_equal(comparison.pairs[0].ratios[0].figure, RUN_FIGURE_FILES);
	assert_true(comparison.pairs[0].ratios[0].welch.ratio > 1.99);
	assert_int_equal(comparison.alone_count, 1);
	assert_string_equal(comparison.alone[0].workload, "small, sequential stat");
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

static void rates_are_judged_by_latency(void **state)
{
	static const size_t ios[] = {1000, 1010, 990, 0};
	struct result a, b;
	struct run_comparison comparison;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct result *run = i ? &b : &a;

		run_fixture_start(run, i ? "b" : "a");
		run_fixture_workload(run, "paced");
		run_fixture_reads(run, "paced", "", "rw=randread size=64m bs=4k rate_iops=1000",
				  ios);
		for (size_t n = 0; n < run->sample_count; n++) /* a stall: ten times as late */
			run->samples[n].directions[DIRECTION_READ].intended =
				fixture_histogram(1000, (i ? 10000 : 1000) + n * 10);
	}
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pairs[0].ratios[0].figure, RUN_FIGURE_LATENCY);
	assert_true(comparison.pairs[0].ratios[0].welch.ratio > 9);
	assert_int_equal(comparison.pairs[0].ratios[0].verdict, RUN_WORSE);
	assert_true(comparison.pairs[0].ratios[0].judged);
	run_comparison_done(&comparison);
	/* writes without a rate beside reads that have one: how much is done is free */
	for (int i = 0; i < 2; i++)
		for (size_t n = 0; n < a.sample_count; n++) {
			struct sample *sample = i ? &b.samples[n] : &a.samples[n];

			workload_done(&sample->options);
			fixture_workload(&sample->options,
					 "rw=randrw size=64m bs=4k rate_iops=1000,");
		}
	run_fixture_compare(&a, &b, &comparison);
	assert_int_equal(comparison.pairs[0].ratios[0].figure, RUN_FIGURE_IOPS);
	run_comparison_done(&comparison);
	result_done(&a);
	result_done(&b);
}

static void as_many_as_there_may_be(void **state)
{
	struct result runs[RUN_COMPARISON_MAX];
	const struct result *list[RUN_COMPARISON_MAX];
	struct run_comparison comparison;

	(void)state;
	for (size_t i = 0; i < RUN_COMPARISON_MAX; i++) {
		run_fixture_plain(&runs[i], "x", i == 7 ? 0.5 : 1);
		list[i] = &runs[i];
	}
	assert_int_equal(run_comparison_make(list, RUN_COMPARISON_MAX, &comparison), 0);
	assert_int_equal(comparison.pair_count, 14);
	assert_int_equal(comparison.judged, 14);
	assert_int_equal(comparison.worse, 2);
	assert_int_equal(comparison.pairs[13].run, 7);
	assert_int_equal(comparison.pairs[13].ratios[0].verdict, RUN_WORSE);
	run_comparison_done(&comparison);
	for (size_t i = 0; i < RUN_COMPARISON_MAX; i++)
		result_done(&runs[i]);
}

static void changes_in_words(void **state)
{
	char text[RUN_CHANGE_MAX];

	(void)state;
	assert_string_equal(run_change(1, text), "+0.0 %");
	assert_string_equal(run_change(0.99999, text), "+0.0 %");
	assert_string_equal(run_change(0.95, text), "-5.0 %");
	assert_string_equal(run_change(1.999, text), "+99.9 %");
	assert_string_equal(run_change(2, text), "2.0 times");
	assert_string_equal(run_change(33.1, text), "33 times");
	assert_string_equal(run_change(0.5, text), "1/2.0");
	assert_string_equal(run_change(0.01, text), "1/100");
	assert_string_equal(run_change(0, text), "-");
	assert_string_equal(run_change(INFINITY, text), "-");
}

static void intervals_in_words(void **state)
{
	struct welch welch = {.ratio = 0.95, .interval = true, .low = 0.401, .high = 1.1};
	char text[RUN_INTERVAL_MAX];

	(void)state;
	assert_string_equal(run_interval(&welch, text), "-59.9 to +10.0 %");
	welch = (struct welch){.ratio = 0.1, .interval = true, .low = 0.08, .high = 0.125};
	assert_string_equal(run_interval(&welch, text), "1/12 to 1/8.0");
	welch = (struct welch){.ratio = 0.4, .interval = true, .low = 0.1, .high = 1.6};
	assert_string_equal(run_interval(&welch, text), "0.10 to 1.6 times");
	welch = (struct welch){.ratio = 20, .interval = true, .low = 9, .high = 44.4};
	assert_string_equal(run_interval(&welch, text), "9.0 to 44 times");
	welch.interval = false;
	assert_string_equal(run_interval(&welch, text), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_got_faster),
		cmocka_unit_test(a_run_beside_itself),
		cmocka_unit_test(single_samples_have_no_verdict),
		cmocka_unit_test(levels_beside_options),
		cmocka_unit_test(workloads_by_name_then_by_options),
		cmocka_unit_test(what_else_differs),
		cmocka_unit_test(jobs_that_run_together),
		cmocka_unit_test(where_it_lies),
		cmocka_unit_test(other_work),
		cmocka_unit_test(told_by_another_tool),
		cmocka_unit_test(digits_that_leave_it_open),
		cmocka_unit_test(phases_of_files),
		cmocka_unit_test(rates_are_judged_by_latency),
		cmocka_unit_test(as_many_as_there_may_be),
		cmocka_unit_test(changes_in_words),
		cmocka_unit_test(intervals_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
