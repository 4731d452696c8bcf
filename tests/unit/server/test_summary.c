/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_summary.c - a result's table and its findings, told once each. */
#include "server/summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static char *levels_of_bs[] = {(char *)"4k", (char *)"64k"};

/* One workload, bs 4k and 64k, two repeats; the 64k ones missing where `partial`. */
static void make_result(struct result *result, bool partial)
{
	static char *names[] = {(char *)"a", (char *)"b", (char *)"c",
				(char *)"d", (char *)"e", (char *)"f"};
	const struct finding named = {.code = (char *)"named",
				      .message = (char *)"All of it.",
				      .found = (char *)"bs=4k",
				      .workload_count = 6,
				      .workloads = names};
	size_t count = partial ? 2 : 4;

	result_init(result);
	result->definition.name = strdup("the name");
	result->definition.repeats = 2;
	result->definition.workload_count = 1;
	result->definition.workloads = calloc(1, sizeof(*result->definition.workloads));
	workload_init(&result->definition.workloads[0]);
	result->definition.workloads[0].name = strdup("mix");
	result->definition.factor_count = 1;
	result->definition.factors = calloc(1, sizeof(*result->definition.factors));
	result->definition.factors[0].name = strdup("bs");
	result->definition.factors[0].level_count = 2;
	result->definition.factors[0].levels = calloc(2, sizeof(char *));
	for (size_t i = 0; i < 2; i++)
		result->definition.factors[0].levels[i] = strdup(levels_of_bs[i]);
	(void)snprintf(result->backend, sizeof(result->backend), "threads");
	(void)snprintf(result->backend_reason, sizeof(result->backend_reason), "of a reason");
	result->planned_samples = 4;
	result->samples = calloc(count, sizeof(*result->samples));
	result->sample_count = count;
	for (size_t i = 0; i < count; i++) {
		struct sample *sample = &result->samples[i];
		struct direction_result *read = &sample->directions[DIRECTION_READ];

		sample_init(sample);
		sample->order = i;
		sample->repeat = (unsigned int)(i % 2) + 1;
		sample->workload = strdup("mix");
		sample->level_count = 1;
		sample->levels = calloc(1, sizeof(*sample->levels));
		sample->levels[0].factor = strdup("bs");
		sample->levels[0].value = strdup(levels_of_bs[i / 2]);
		sample->options.rw = RW_RANDREAD;
		sample->seconds = 1;
		read->ios = 37000 + 1000 * (i % 2);
		read->bytes = read->ios * 4096;
		read->latency = malloc(sizeof(*read->latency));
		histogram_init(read->latency);
		for (int k = 0; k < 2000; k++)
			histogram_add(read->latency, 20000);
		assert_int_equal(findings_add(&sample->findings, FINDING_WARNING, "shallow", "mix",
					      NULL, NULL, NULL, "Depth was %zu.", i),
				 0);
	}
	assert_int_equal(findings_add(&result->findings, FINDING_INFO, "remark", NULL, NULL, NULL,
				      NULL, "All is well."),
			 0);
	assert_int_equal(findings_append(&result->findings, &named), 0);
	assert_int_equal(findings_add(&result->findings, FINDING_ERROR, "bad", NULL, NULL, NULL,
				      NULL, "All is lost."),
			 0);
}

static char *summary_of(const struct result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(summary_print(result, out, 80), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_whole(void **state)
{
	struct result result;
	char *text;

	(void)state;
	make_result(&result, false);
	text = summary_of(&result);
	/* Mean 37,500 of two values 1,000 apart: half-width 12.706 * 707.1 / sqrt(2) = 6,353. */
	assert_non_null(strstr(
		text, "the name\n"
		      "threads backend: of a reason\n"
		      "4 of 4 samples, 2 repeats; ± is the half-width of the mean's 95 % interval\n"
		      "\n"
		      "workload  bs                IOPS    MiB/s     mean      p99\n"
		      "-----------------------------------------------------------\n"
		      "mix       4k   read  37.5k ±6.4k  146 ±25  20.0 us"));
	assert_non_null(strstr(text, "\n          64k  read  37.5k"));
	assert_non_null(strstr(text, "\nFindings\n"
				     "  error: All is lost.\n"
				     "  warning: Depth was 0. (4 times: mix)\n"
				     "  note: All is well.\n"
				     "  note: All of it. (a, b, c, d and 2 more; found bs=4k)\n"));
	free(text);
	result_done(&result);
}

/* Jobs that ran together have rows of their own below their workload's. */
static void test_jobs(void **state)
{
	struct result result;
	struct workload part;
	char *text;

	(void)state;
	make_result(&result, false);
	workload_init(&part);
	part.name = strdup("readers");
	assert_int_equal(workload_add_part(&result.definition.workloads[0], &part), 0);
	for (size_t i = 0; i < result.sample_count; i++) {
		struct job_result *job = calloc(1, sizeof(*job));

		assert_non_null(job);
		job->name = strdup("readers");
		job->seconds = 2;
		job->directions[DIRECTION_READ].ios = 500;
		job->directions[DIRECTION_READ].bytes = 500 << 20;
		result.samples[i].jobs = job;
		result.samples[i].job_count = 1;
	}
	text = summary_of(&result);
	if (!strstr(text, "\n                 readers read       250 ±0   250 ±0"))
		fail_msg("%s", text);
	free(text);
	result_done(&result);
}

/* What another tool printed as a percentile is shown, of a single sample. */
static void test_told_percentiles(void **state)
{
	struct result result;
	char *text;

	(void)state;
	make_result(&result, false);
	result.definition.imported = true;
	for (size_t i = 0; i < result.sample_count; i++) {
		struct sample *sample = &result.samples[i];
		struct told_direction *told;

		free(sample->directions[DIRECTION_READ].latency);
		sample->directions[DIRECTION_READ].latency = NULL;
		sample->source = sample_source_new("a tool", NULL);
		assert_non_null(sample->source);
		told = &sample->source->directions[DIRECTION_READ];
		told->iops = told_exactly(100);
		told->latency_mean = told_exactly(1e6);
		told->percentiles = calloc(1, sizeof(*told->percentiles));
		assert_non_null(told->percentiles);
		told->percentiles[0] = (struct told_percentile){99, 7e6};
		told->percentile_count = 1;
	}
	text = summary_of(&result); /* of two repeats there is no percentile of both */
	assert_non_null(strstr(text, "1.00 ms"));
	assert_null(strstr(text, "7.00 ms"));
	free(text);
	for (size_t i = 1; i < result.sample_count; i++)
		sample_done(&result.samples[i]);
	result.sample_count = 1;
	text = summary_of(&result);
	assert_non_null(strstr(text, "7.00 ms"));
	free(text);
	result_done(&result);
}

/* A rate's second latency has a row of its own, and the percentiles are the workload's. */
static void test_intended(void **state)
{
	struct result result;
	char *text;

	(void)state;
	make_result(&result, false);
	for (size_t i = 0; i < result.sample_count; i++) {
		struct sample *sample = &result.samples[i];
		struct histogram *intended = malloc(sizeof(*intended));

		assert_non_null(intended);
		histogram_init(intended);
		for (int k = 0; k < 2000; k++)
			histogram_add(intended, 5000000);
		sample->directions[DIRECTION_READ].intended = intended;
		sample->options.percentile_list = strdup("50:90");
	}
	text = summary_of(&result);
	assert_non_null(strstr(text, "mean      p50      p90\n"));
	assert_null(strstr(text, "p99"));
	assert_non_null(strstr(text, "20.0 us  20.0 us  20.0 us\n"));
	assert_non_null(strstr(text, "intended"));
	assert_non_null(strstr(text, "5.00 ms  5.00 ms  5.00 ms\n"));
	assert_non_null(strstr(text, "Latency is from the submission"));
	free(text);
	result_done(&result);
}

/* Syncs have rows of their own below the directions. */
static void test_syncs(void **state)
{
	struct result result;
	char *text;

	(void)state;
	make_result(&result, false);
	for (size_t i = 0; i < result.sample_count; i++) {
		struct sample *sample = &result.samples[i];
		struct histogram **all[] = {&sample->sync, &sample->datasync, &sample->end_fsync};

		for (size_t k = 0; k < ARRAY_SIZE(all); k++) {
			*all[k] = malloc(sizeof(**all[k]));
			assert_non_null(*all[k]);
			histogram_init(*all[k]);
			histogram_add_many(*all[k], 3000000 * (k + 1), 1000);
		}
	}
	text = summary_of(&result);
	for (const char *at = text; (at = strstr(at, " fsync ")); at++)
		assert_true(strstr(at, "3.00 ms  3.00 ms") < strchr(at, '\n'));
	assert_non_null(strstr(text, " fsync "));
	assert_non_null(strstr(text, " fdatasync "));
	assert_non_null(strstr(text, "6.00 ms  6.00 ms"));
	assert_non_null(strstr(text, " end_fsync "));
	assert_non_null(strstr(text, "9.00 ms  9.00 ms"));
	free(text);
	result_done(&result);
}

static void test_partial(void **state)
{
	struct result result;
	char *text;

	(void)state;
	make_result(&result, true);
	text = summary_of(&result);
	assert_non_null(strstr(text, "2 of 4 samples"));
	assert_non_null(strstr(text, "\n          64k  read            -        -\n"));
	free(text);
	result_done(&result);
}

/* What another tool did not tell is a dash; who measured it stands above. */
static void test_imported(void **state)
{
	struct result result;
	char *text;

	(void)state;
	make_result(&result, false);
	result.definition.imported = true;
	result.facts = calloc(1, sizeof(*result.facts));
	assert_non_null(result.facts);
	result.fact_count = 1;
	result.facts[0].name = strdup("pool");
	result.facts[0].value = strdup("3 disks");
	for (size_t i = 0; i < result.sample_count; i++) {
		struct sample *sample = &result.samples[i];
		struct told_direction *told;

		sample->source = sample_source_new("dd", NULL);
		assert_non_null(sample->source);
		told = &sample->source->directions[DIRECTION_READ];
		told->bandwidth = told_exactly((double)(100 + i) * 1024 * 1024);
		told->latency_mean = told_exactly(3e6);
		free(sample->directions[DIRECTION_READ].latency);
		sample->directions[DIRECTION_READ] = (struct direction_result){0};
	}
	text = summary_of(&result);
	assert_non_null(strstr(text, "the name\n"
				     "measured by dd; pool: 3 disks\n"
				     "4 samples; - is not known\n"));
	assert_null(strstr(text, "backend"));
	assert_non_null(strstr(text, "mix       4k   read     -  100 ±6  3.00 ms"));
	assert_non_null(strstr(text, "\nWhat this shows\n  "));
	assert_non_null(strstr(text, "are judged by bytes a second"));
	for (size_t i = 0; i < result.sample_count; i++)
		result.samples[i].source->index = true;
	free(text);
	text = summary_of(&result);
	assert_non_null(strstr(text, "MiB/s, 100 = base"));
	free(text);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_told_percentiles),
		cmocka_unit_test(test_intended),
		cmocka_unit_test(test_syncs),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_imported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
