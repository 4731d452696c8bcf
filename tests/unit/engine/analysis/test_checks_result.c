/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_checks_result.c - what several samples of an imported result show together: each finding at
 * its threshold, and none of honest tables.
 *
 * Length: a test for each of the checks, and a simulation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/checks.h"
#include "engine/analysis/checks_across.h"
#include "engine/analysis/checks_result.h"
#include "engine/io/random.h"
#include "tests/unit/engine/analysis/told_fixture.h"

/* ---- a result checked ---- */

static struct analysis checked(const struct result *result)
{
	struct analysis analysis = {.result = result};

	findings_init(&analysis.findings);
	assert_int_equal(cells_make(result, &analysis.cells), 0);
	assert_int_equal(checks_result(&analysis), 0);
	return analysis;
}

static void done(struct analysis *analysis, struct result *result)
{
	findings_done(&analysis->findings);
	cells_done(&analysis->cells);
	result_done(result);
}

static size_t count_of(const struct findings *findings, const char *code)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += strcmp(findings->list[i].code, code) == 0;
	return count;
}

static bool of_repeats(const char *code)
{
	return strcmp(code, "single_sample") == 0 || strcmp(code, "spread_unknown") == 0 ||
	       strcmp(code, "few_repeats") == 0;
}

/* Checks and ends it: so many of this finding, and no other but those of repeats. NULL: none. */
static void expect(struct result *result, const char *code, size_t times)
{
	struct analysis analysis = checked(result);
	size_t seen = 0;

	for (size_t i = 0; i < analysis.findings.count; i++) {
		const struct finding *finding = &analysis.findings.list[i];
		bool it = code && strcmp(finding->code, code) == 0;

		assert_true(*finding->message && finding->expected && finding->found);
		if (!it && !of_repeats(finding->code))
			fail_msg("%s: expected %s, found %s", finding->code, finding->expected,
				 finding->found);
		seen += it;
	}
	assert_int_equal(seen, times);
	done(&analysis, result);
}

/* ---- how often it was measured ---- */

static void measured(struct result *result, const char *tool, size_t repeats, uint64_t means)
{
	told_begin(result);
	told_factor(result, "storage", "disk vsan");
	told_workload(result, "read", "rw=randread bs=16k");
	for (size_t i = 0; i < 2 * repeats; i++) {
		struct sample *sample = told_add(result, "read", "rw=randread bs=16k",
						 i % 2 ? "storage=disk" : "storage=vsan");
		char iops[16];

		(void)snprintf(iops, sizeof(iops), "%zu", i % 2 ? 79 + i : 2440 + i);
		told_rates(sample, DIRECTION_READ, iops, NULL);
		sample->repeat = (unsigned int)(i / 2 + 1);
		free(sample->source->tool);
		sample->source->tool = fixture_text(tool);
		sample->source->samples = means;
	}
}

static void repeats_are_told_where_they_are_too_few(void **state)
{
	static const struct {
		const char *tool;
		size_t repeats;
		uint64_t means;
		const char *code;
	} cases[] = {
		{"volbench.table/1", 1, 0, "spread_unknown"},
		{"volbench.table/1", 1, 3, "spread_unknown"},
		{"volbench.table/1", 1, 1, "single_sample"},
		{"dd", 1, 0, "single_sample"},
		{"volbench.table/1", 2, 0, "few_repeats"},
		{"fio-3.33", 3, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct analysis analysis;
		struct result result;

		measured(&result, cases[i].tool, cases[i].repeats, cases[i].means);
		analysis = checked(&result);
		assert_int_equal(analysis.findings.count, cases[i].code != NULL);
		if (cases[i].code)
			assert_string_equal(analysis.findings.list[0].code, cases[i].code);
		done(&analysis, &result);
	}
}

/* Of changes in percent the importer says what they are, and of our own runs the plan. */
static void repeats_are_not_told_twice(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		measured(&result, "volbench.table/1", 1, 0);
		if (i)
			result.definition.imported = false;
		else
			result.samples[0].source->index = result.samples[1].source->index = true;
		analysis = checked(&result);
		assert_int_equal(analysis.findings.count, 0);
		done(&analysis, &result);
	}
}

/* ---- what is missing ---- */

/* dd of a file and a zvol by request size: one size was not read from the file. */
static void combinations_that_are_missing_are_named(void **state)
{
	static const char *const levels[] = {
		"target=file bs=384k",
		"target=zvol bs=384k",
		"target=zvol bs=512k",
		"target=file bs=512k",
	};
	struct analysis analysis;
	struct result result;

	(void)state;
	for (size_t count = 3; count <= 4; count++) {
		told_begin(&result);
		told_factor(&result, "target", "file zvol");
		told_factor(&result, "bs", "384k 512k");
		told_workload(&result, "read", "rw=read");
		for (size_t i = 0; i < count; i++)
			(void)told_add(&result, "read", "rw=read", levels[i]);
		analysis = checked(&result);
		assert_int_equal(count_of(&analysis.findings, "cell_missing"), count == 3);
		if (count == 3) {
			const struct finding *finding =
				told_find(&analysis.findings, "cell_missing");

			assert_string_equal(finding->found, "3; missing: target=file, bs=512k");
			assert_string_equal(finding->workloads[0], "read");
		}
		done(&analysis, &result);
	}
}

/* ---- memory ---- */

static void reads_within_memory_are_told(void **state)
{
	static const struct {
		const char *options;
		uint64_t gib;
		bool told;
		enum finding_severity severity;
	} cases[] = {
		{"rw=randread size=1g numjobs=4", 4, true, FINDING_WARNING},
		{"rw=randread size=1g numjobs=4", 3, true, FINDING_INFO},
		{"rw=randread size=1g numjobs=4", 2, false, FINDING_INFO},
		{"rw=randread size=1g numjobs=4 direct=1", 4, true, FINDING_INFO},
		/* one region, whatever the jobs */
		{"rw=randread size=4g numjobs=400 regions=shared", 4, true, FINDING_WARNING},
		/* jobs that are not known, memory that is not, and writes alone */
		{"rw=randread size=1g", 4, false, FINDING_INFO},
		{"rw=randread size=1g numjobs=4", 0, false, FINDING_INFO},
		{"rw=randwrite size=1g numjobs=4", 4, false, FINDING_INFO},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct finding *finding;
		struct analysis analysis;
		struct result result;

		told_begin(&result);
		told_factor(&result, "volblocksize", "4K 8K");
		told_workload(&result, "w", cases[i].options);
		for (size_t k = 0; k < 2; k++)
			told_add(&result, "w", cases[i].options,
				 k ? "volblocksize=4K" : "volblocksize=8K")
				->source->memory_bytes = cases[i].gib << 30;
		analysis = checked(&result);
		/* Alike in all cells: told once. */
		assert_int_equal(count_of(&analysis.findings, "fits_memory"), cases[i].told);
		finding = told_find(&analysis.findings, "fits_memory");
		if (finding) {
			assert_int_equal(finding->severity, cases[i].severity);
			assert_null(finding->cell);
			assert_string_equal(finding->found, strstr(cases[i].options, "regions")
								    ? "4 GiB"
								    : "at most 4 GiB");
		}
		done(&analysis, &result);
	}
}

static void memory_is_told_of_the_cells_it_holds_in(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	told_begin(&result);
	told_factor(&result, "size", "1g 100g");
	told_workload(&result, "w", "rw=randread numjobs=1");
	told_add(&result, "w", "rw=randread numjobs=1 size=1g", "size=1g")->source->memory_bytes =
		UINT64_C(4) << 30;
	told_add(&result, "w", "rw=randread numjobs=1 size=100g", "size=100g")
		->source->memory_bytes = UINT64_C(4) << 30;
	analysis = checked(&result);
	assert_int_equal(count_of(&analysis.findings, "fits_memory"), 1);
	assert_string_equal(told_find(&analysis.findings, "fits_memory")->cell, "size=1g");
	done(&analysis, &result);
}

/* ---- depth and engine ---- */

static void a_depth_without_effect_is_told(void **state)
{
	static const struct {
		const char *given, *options, *code;
	} cases[] = {
		{"--rw=randread --iodepth=2", "rw=randread iodepth=2", "fio_depth"},
		{"fio --rw=randread --iodepth=2", "rw=randread iodepth=2", "fio_depth"},
		{"fio --rw=randread --iodepth=1", "rw=randread iodepth=1", NULL},
		{"fio --rw=randread", "rw=randread", NULL},
		{"--iodepth=2 --ioengine=libaio", "rw=randread iodepth=2 ioengine=libaio", NULL},
		{NULL, "rw=randread iodepth=2 ioengine=psync", "depth_ignored"},
		{NULL, "rw=randread iodepth=1 ioengine=psync", NULL},
		{"-b8K -o2", "rw=randread iodepth=2", NULL},
		{NULL, "rw=randread iodepth=2", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample *sample;
		struct result result;

		told_begin(&result);
		told_factor(&result, "storage", "a");
		told_workload(&result, "w", cases[i].options);
		sample = told_add(&result, "w", cases[i].options, "storage=a");
		sample->source->given = cases[i].given ? fixture_text(cases[i].given) : NULL;
		expect(&result, cases[i].code, cases[i].code != NULL);
	}
}

/* ---- links ---- */

static void rates_are_read_out_of_words(void **state)
{
	static const struct {
		const char *text;
		double bytes_per_s;
	} cases[] = {
		{"10 GbE", 1.25e9},
		{"10GbE", 1.25e9},
		{"2 x 10 GbE", 2.5e9},
		{"1 Gbit/s", 125e6},
		{"100 Mbit/s, later 1 Gb/s", 137.5e6},
		{"2.5GBASE-T", 312.5e6},
		{"50 GB/s", 50e9},
		{"12.5 GiB/s", 12.5 * 1073741824},
		{"Intel X520-DA2", 0},
		{"3-host cluster", 0},
		{"SFP10 GbE", 0},
		{"", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (fabs(checks_rate_of_text(cases[i].text) - cases[i].bytes_per_s) > 1)
			fail_msg("%s: %g", cases[i].text, checks_rate_of_text(cases[i].text));
}

static void no_more_comes_over_a_link_than_it_carries(void **state)
{
	static const struct {
		const char *fact, *value, *mib, *code;
	} cases[] = {
		/* 1 Gbit/s is 119.2 MiB/s */
		{"network", "1 GbE", "119", NULL},
		{"network", "1 GbE", "119.6", "bandwidth_above_link"},
		{"network", "1 GbE", "120", "bandwidth_above_link"},
		{"Link of the hosts", "1 GbE", "120", "bandwidth_above_link"},
		{"linkage", "1 GbE", "120", NULL},
		{"memory bandwidth", "1 GB/s", "953", NULL},
		{"memory bandwidth", "1 GB/s", "955", "bandwidth_above_memory"},
		{"memory", "1 GB/s", "955", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct result result;

		told_begin(&result);
		told_factor(&result, "storage", "a");
		told_workload(&result, "w", "rw=read");
		told_fact(&result, cases[i].fact, cases[i].value);
		told_rates(told_add(&result, "w", "rw=read", "storage=a"), DIRECTION_READ, NULL,
			   cases[i].mib);
		expect(&result, cases[i].code, cases[i].code != NULL);
	}
}

/* ---- repeated figures ---- */

static void an_exact_figure_twice_is_a_copy(void **state)
{
	static const struct {
		double first, second;
		const char *code;
	} cases[] = {
		/* Three pairs of figures: nine digits and more do not come again. */
		{1192212469, 1192212469, "figure_repeated"},
		{1192212469, 1192212470, NULL},
		{1192212, 1192212, "figure_repeated"},
		{119221, 119221, NULL},
		{79, 79, NULL},
		{264.0 * 1048576, 264.0 * 1048576, NULL}, /* three digits in MiB */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sample *sample;
		struct result result;

		told_begin(&result);
		told_factor(&result, "target", "a b c");
		told_workload(&result, "w", "rw=read");
		sample = told_add(&result, "w", "rw=read", "target=a");
		sample->source->directions[DIRECTION_READ].bandwidth = told_exactly(cases[i].first);
		sample = told_add(&result, "w", "rw=read", "target=b");
		sample->source->directions[DIRECTION_READ].bandwidth =
			told_exactly(cases[i].second);
		sample = told_add(&result, "w", "rw=read", "target=c");
		sample->source->directions[DIRECTION_READ].bandwidth = told_exactly(3141592653.0);
		expect(&result, cases[i].code, cases[i].code != NULL);
	}
}

/* Nothing at all, wherever it stands, is no figure that was copied. */
static void nothing_is_no_copy(void **state)
{
	struct analysis analysis;
	struct result result;

	(void)state;
	told_begin(&result);
	told_factor(&result, "target", "a b c d");
	told_workload(&result, "w", "rw=read bs=4k");
	for (size_t i = 0; i < 4; i++) {
		char level[] = "target=a";
		struct sample *sample;

		level[sizeof(level) - 2] = (char)('a' + i);
		sample = told_add(&result, "w", "rw=read bs=4k", level);
		sample->source->directions[DIRECTION_READ].iops =
			told_exactly(1000 * (double)(i + 1));
		sample->source->directions[DIRECTION_READ].bandwidth =
			told_exactly(i < 2 ? 0 : 4096e3 * (double)(i + 1));
	}
	analysis = checked(&result);
	assert_null(told_find(&analysis.findings, "figure_repeated"));
	done(&analysis, &result);
}

/* What a rate held all levels to may well be the same. */
static void a_rate_repeats_by_right(void **state)
{
	struct result result;

	(void)state;
	told_begin(&result);
	told_factor(&result, "target", "a b");
	told_workload(&result, "w", "rw=read rate_iops=1000");
	for (size_t i = 0; i < 2; i++)
		told_add(&result, "w", "rw=read rate_iops=1000", i ? "target=a" : "target=b")
			->source->directions[DIRECTION_READ]
			.iops = told_exactly(999.98333361110);
	expect(&result, NULL, 0);
}

/* ---- honest tables ---- */

#define TRIALS 1000

static const struct {
	const char *name, *options;
} workloads[] = {
	{"a", "bs=4k,128k rw=randrw rwmixread=50 size=4g iodepth=32 numjobs=12 runtime=60"},
	{"b", "bs=8k rw=randrw rwmixread=70 size=4g iodepth=32 numjobs=12 runtime=120"},
	{"c", "bs=128k rw=write size=16g iodepth=64 numjobs=16 runtime=300"},
	{"d", "bs=4k rw=randread size=8g iodepth=32 numjobs=12 runtime=300"},
	{"e", "bs=64k rw=write size=10g iodepth=32 numjobs=8 runtime=300"},
	{"f", "bs=8k rw=randrw rwmixread=50 size=4g iodepth=32 numjobs=16 runtime=120"},
	{"g", "bs=4k,64k rw=randrw rwmixread=60 size=8g iodepth=16 numjobs=10 runtime=180"},
	{"h", "bs=4k,32k rw=randrw rwmixread=70 size=16g iodepth=64 numjobs=16 runtime=180"},
	{"i", "bs=4k,128k rw=randrw rwmixread=50 size=32g iodepth=32 numjobs=24 runtime=300"},
};

/* A figure as people print it: so many digits, thousands as k. */
static void print_figure(double value, int digits, char text[32])
{
	bool thousands = value >= 1000 && digits < 6;
	int whole = 1;

	value /= thousands ? 1000 : 1;
	for (double at = value; at >= 10; at /= 10)
		whole++;
	(void)snprintf(text, 32, "%.*f%s", digits > whole ? digits - whole : 0, value,
		       thousands ? "k" : "");
}

static double uniform(struct random *random)
{
	return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct random *random)
{
	return sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));
}

/* What diskspd and fio tell beside the rates: time, amounts, and latencies that keep nearly all of
 * the depth outstanding, by the same share in both directions. */
static void honest_latency(struct sample *sample, enum direction d, double iops, double rate,
			   double busy)
{
	double depth = (double)(sample->options.iodepth * sample->options.numjobs);
	double seconds = (double)sample->options.runtime_ns / 1e9;
	char printed[32];

	told_seconds(sample, seconds);
	told_amounts(sample, d, (uint64_t)(iops * seconds),
		     (uint64_t)(iops * seconds) * sample->options.bs[d]);
	(void)snprintf(printed, sizeof(printed), "%.3f", depth * busy / rate * 1e3);
	sample->source->directions[d].latency_mean = told_printed(printed, 1e6);
}

/* One honest sample: levels of a workload do alike (every third) or apart, each measurement some
 * thousandths off, its mix as chance has it. */
static void honest(struct result *result, struct random *random, const char *level, size_t w,
		   double base)
{
	struct sample *sample = told_add(result, workloads[w].name, workloads[w].options, level);
	const struct workload *options = &sample->options;
	double rate = base * exp((w % 3 ? 0.3 : 0.0) * normal(random) + 0.004 * normal(random));
	double seconds = (double)options->runtime_ns / 1e9,
	       share = (double)options->rwmixread / 100;
	double busy = 0.8 + 0.2 * uniform(random);
	int digits = 2 + (int)(w + (size_t)(rate)) % 5;

	if (workload_mixed(options))
		share += sqrt(share * (1 - share) / (rate * seconds)) * normal(random);
	else
		share = sample_moves(sample, DIRECTION_READ);
	for (int d = 0; d <= DIRECTION_WRITE; d++) {
		double iops = rate * (d ? 1 - share : share);
		char printed[32], bandwidth[32];

		if (iops <= 0)
			continue;
		print_figure(iops, digits, printed);
		print_figure(iops * (double)options->bs[d] / 1048576, digits, bandwidth);
		told_rates(sample, (enum direction)d, printed, NULL);
		sample->source->directions[d].bandwidth = told_printed(bandwidth, 1048576);
		if (w % 2)
			honest_latency(sample, (enum direction)d, iops, rate, busy);
	}
}

/* Tables of the same workloads and levels, with figures that agree and are printed as above: no
 * finding but that their spread is not told. */
static void honest_tables_have_no_findings(void **state)
{
	static const char *const levels[] = {"volblocksize=4K",	 "volblocksize=8K",
					     "volblocksize=16K", "volblocksize=32K",
					     "volblocksize=64K", "volblocksize=128K"};
	struct random random;

	(void)state;
	random_init(&random, 20240817);
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct analysis analysis;
		struct result result;

		told_begin(&result);
		told_factor(&result, "volblocksize", "4K 8K 16K 32K 64K 128K");
		for (size_t w = 0; w < ARRAY_SIZE(workloads); w++)
			told_workload(&result, workloads[w].name, workloads[w].options);
		for (size_t w = 0; w < ARRAY_SIZE(workloads); w++) {
			double base = 500 * exp(6 * uniform(&random));

			for (size_t l = 0; l < ARRAY_SIZE(levels); l++)
				honest(&result, &random, levels[l], w, base);
		}
		for (size_t i = 0; i < result.sample_count; i++) {
			struct sample *sample = &result.samples[i];

			assert_int_equal(checks_sample(sample), 0);
			if (sample->findings.count > 0)
				fail_msg("trial %zu, %s %s: %s: expected %s, found %s", trial,
					 sample->workload, sample->levels[0].value,
					 sample->findings.list[0].code,
					 sample->findings.list[0].expected,
					 sample->findings.list[0].found);
		}
		analysis = checked(&result);
		assert_int_equal(analysis.findings.count, 1);
		assert_string_equal(analysis.findings.list[0].code, "spread_unknown");
		done(&analysis, &result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeats_are_told_where_they_are_too_few),
		cmocka_unit_test(repeats_are_not_told_twice),
		cmocka_unit_test(combinations_that_are_missing_are_named),
		cmocka_unit_test(reads_within_memory_are_told),
		cmocka_unit_test(memory_is_told_of_the_cells_it_holds_in),
		cmocka_unit_test(a_depth_without_effect_is_told),
		cmocka_unit_test(rates_are_read_out_of_words),
		cmocka_unit_test(no_more_comes_over_a_link_than_it_carries),
		cmocka_unit_test(an_exact_figure_twice_is_a_copy),
		cmocka_unit_test(nothing_is_no_copy),
		cmocka_unit_test(a_rate_repeats_by_right),
		cmocka_unit_test(honest_tables_have_no_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
