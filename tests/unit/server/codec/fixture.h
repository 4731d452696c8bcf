/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fixture.h - samples and results with something in every member, for the tests of the codecs and
 * of the analysis. Included after cmocka.h. Whoever gets one ends it with sample_done().
 *
 * Length: a sample has many members, and each has to be made and compared.
 */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "engine/plan/option.h"
#include "engine/result.h"
#include "engine/sample.h"

static inline void fixture_same_outcome(const struct repeats_outcome *a,
					const struct repeats_outcome *b)
{
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->made, b->made);
	assert_int_equal(a->most, b->most);
	assert_true(a->ci_percent == b->ci_percent);
	assert_true(a->until_ci_percent == b->until_ci_percent);
}

static inline char *fixture_text(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	return copy;
}

static inline void fixture_option(struct workload *workload, const char *name, const char *value)
{
	struct error err = {0};

	if (option_parse(option_find(name), value, workload, &err) < 0)
		fail_msg("%s=%s: %s", name, value, err.message);
}

/* "rw=randread bs=4k ..." into a completed workload. */
static inline void fixture_workload(struct workload *workload, const char *options)
{
	char *text = fixture_text(options), *rest = text, *word;
	struct error err = {0};

	workload_init(workload);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		assert_non_null(value);
		*value = '\0';
		fixture_option(workload, word, value + 1);
	}
	free(text);
	if (workload_complete(workload, &err) < 0)
		fail_msg("%s: %s: %s", options, err.field, err.message);
}

/* count latencies between low and about 10 x low, the same ones every time. */
static inline struct histogram *fixture_histogram(size_t count, uint64_t low_ns)
{
	struct histogram *histogram = malloc(sizeof(*histogram));
	uint64_t state = 88172645463325252u;

	assert_non_null(histogram);
	histogram_init(histogram);
	for (size_t i = 0; i < count; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		histogram_add(histogram, low_ns + state % (9 * low_ns));
	}
	return histogram;
}

static inline void fixture_direction(struct direction_result *result, size_t ios, uint64_t bs,
				     uint64_t low_ns, bool stamped)
{
	result->ios = ios;
	result->bytes = ios * bs;
	result->latency = fixture_histogram(ios, low_ns);
	if (stamped) {
		result->submission = fixture_histogram(ios, low_ns / 50);
		result->completion = fixture_histogram(ios, low_ns / 2);
		result->intended = fixture_histogram(ios, low_ns * 2);
	}
}

static inline void fixture_level(struct sample *sample, const char *factor, const char *value)
{
	sample->levels = realloc(sample->levels, (sample->level_count + 1) * sizeof(struct level));
	assert_non_null(sample->levels);
	sample->levels[sample->level_count++] =
		(struct level){fixture_text(factor), fixture_text(value)};
}

static inline void fixture_series(struct series *series, size_t count, size_t ramp_count)
{
	series->count = count;
	series->ramp_count = ramp_count;
	series->last_span_ns = 123456789;
	series->seconds = calloc(count, sizeof(*series->seconds));
	assert_non_null(series->seconds);
	for (size_t i = 0; i < count; i++) {
		struct series_second *second = &series->seconds[i];

		second->ios[DIRECTION_READ] = 3000 + 7 * i;
		second->bytes[DIRECTION_READ] = second->ios[DIRECTION_READ] * 4096;
		second->latency_sum_ns[DIRECTION_READ] = 1234567891 + 1000003 * i;
		second->ios[DIRECTION_WRITE] = i == 1 ? 0 : 100 + i;
		second->bytes[DIRECTION_WRITE] = second->ios[DIRECTION_WRITE] * 131072;
		second->latency_sum_ns[DIRECTION_WRITE] = i == 1 ? 0 : 987654321 + i;
	}
}

static inline struct sample_zfs *fixture_zfs(void)
{
	struct sample_zfs *zfs = malloc(sizeof(*zfs));

	assert_non_null(zfs);
	*zfs = (struct sample_zfs){
		.dataset = "tank/volbench/volbench-x",
		.volume = true,
		.version = "2.3.2-1~bpo12+2",
		.size_bytes = 1ull << 30,
		.written_bytes = (1ull << 30) + 12345,
		.logical_bytes = (1ull << 30) + 4096,
		.compress_ratio = 1.01,
		.used_percent = 83.25,
		.fragmentation_percent = 7,
		.txg_timeout_s = 5,
		.accesses_a_block = 4,
		.partial_writes = 17,
		.arc = {true, 100, 900, 50, 3, 47, 11, 123456789, 987654321},
		.pool = {true, "", 1ull << 33, 1ull << 32, 4096, 1ull << 31, 1ull << 30, 9, 65536},
	};
	assert_int_equal(properties_set(&zfs->properties, "volblocksize", "16384"), 0);
	assert_int_equal(properties_set(&zfs->properties, "compression", "off"), 0);
	return zfs;
}

/* A mix of two jobs, stamped one by one, every member set. */
static inline void fixture_sample(struct sample *sample)
{
	sample_init(sample);
	sample->order = 17;
	sample->workload = fixture_text("mix \"70/30\", <b>");
	fixture_level(sample, "iodepth", "8");
	fixture_level(sample, "target", "=HYPERLINK(1)");
	sample->repeat = 3;
	sample->target = fixture_text("/srv/scratch/volbench");
	sample->started_wall_ms = 1796039405389;
	sample->seconds = 2.0123456789;
	sample->ramp_seconds = 1.000000001;
	fixture_workload(&sample->options,
			 "name=mix rw=randrw rwmixread=70 bs=4k,128k size=64m iodepth=8 numjobs=2 "
			 "runtime=2 ramp_time=1 fsync=32 group_reporting=0 "
			 "steadystate=iops_slope:0.5 steadystate_duration=2");
	sample->steady = (struct steady_result){.full = true,
						.attained = true,
						.first = 1,
						.count = 2,
						.found = -0.25,
						.deviation = 3.5,
						.slope = -0.125,
						.iops_mean = 3108.5,
						.bw_mean = 12732416.25};
	sample->seed = INT64_MAX;
	sample->backend = fixture_text("io_uring");
	sample->backend_reason = fixture_text("every target reads without blocking");
	sample->latency_per_operation = true;
	sample->error_count = 6;
	sample->failed[DIRECTION_READ] = 3;
	sample->failed[DIRECTION_COUNT] = 2;
	sample->first_failure = fixture_text("read of 4096 bytes at offset 8192 failed");
	fixture_direction(&sample->directions[DIRECTION_READ], 20000, 4096, 60000, true);
	fixture_direction(&sample->directions[DIRECTION_WRITE], 8500, 131072, 300000, true);
	sample->directions[DIRECTION_READ].short_ios = 2;
	sample->sync = fixture_histogram(265, 3000000);
	sample->end_fsync = fixture_histogram(2, 70000000);
	sample->depth_mean = 15.25;
	fixture_series(&sample->series, 4, 1);
	sample->job_count = 2;
	sample->jobs = calloc(2, sizeof(*sample->jobs));
	assert_non_null(sample->jobs);
	for (size_t i = 0; i < 2; i++) {
		struct job_result *job = &sample->jobs[i];

		job->jobs = 1;
		job->seconds = 2.01 + (double)i / 1000;
		fixture_direction(&job->directions[DIRECTION_READ], 9900 + 200 * i, 4096, 50000,
				  false);
		if (i == 0)
			fixture_direction(&job->directions[DIRECTION_WRITE], 8500, 131072, 300000,
					  true);
	}
	sample->cpu = (struct cpu_delta){0.25, 1.75, 3.0000001, 0.125};
	sample->device = (struct device_delta){.name = "vda",
					       .reads = 20001,
					       .read_bytes = 20001 * 4096,
					       .writes = 9000,
					       .written_bytes = 9000ull * 131072,
					       .io_ms = 1999,
					       .weighted_ms = 29000};
	sample->zfs = fixture_zfs();
	sample->free_bytes_before = 1ull << 40;
	sample->free_bytes_after = (1ull << 40) - 4096;
	assert_int_equal(findings_add(&sample->findings, FINDING_WARNING, "mix_off", "mix",
				      "iodepth=8", "70 % reads", "66 % reads", "%s", "It is off."),
			 0);
	assert_int_equal(findings_add(&sample->findings, FINDING_INFO, "few_operations", NULL, NULL,
				      NULL, NULL, "%s", "Few."),
			 0);
}

static inline uint64_t fixture_bucket(const struct histogram *histogram, size_t index)
{
	return index >= histogram_first(histogram) && index < histogram_end(histogram)
		       ? histogram_at(histogram, index)
		       : 0;
}

static inline void fixture_same_histogram(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (!a)
		return;
	assert_true(a->count == b->count && a->sum_ns == b->sum_ns);
	assert_true(a->min_ns == b->min_ns && a->max_ns == b->max_ns);
	assert_true(a->sum_squares_ns2 == b->sum_squares_ns2);
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		assert_true(fixture_bucket(a, i) == fixture_bucket(b, i));
}

static inline void fixture_same_directions(const struct direction_result *a,
					   const struct direction_result *b)
{
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		assert_true(a[d].ios == b[d].ios);
		assert_true(a[d].bytes == b[d].bytes);
		assert_true(a[d].short_ios == b[d].short_ios);
		fixture_same_histogram(a[d].latency, b[d].latency);
		fixture_same_histogram(a[d].submission, b[d].submission);
		fixture_same_histogram(a[d].completion, b[d].completion);
		fixture_same_histogram(a[d].intended, b[d].intended);
	}
}

static inline void fixture_same_text(const char *a, const char *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a)
		assert_string_equal(a, b);
}

static inline void fixture_same_findings(const struct findings *a, const struct findings *b)
{
	assert_true(a->count == b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->list[i].severity, b->list[i].severity);
		fixture_same_text(a->list[i].code, b->list[i].code);
		assert_int_equal(a->list[i].workload_count, b->list[i].workload_count);
		for (size_t w = 0; w < a->list[i].workload_count; w++)
			fixture_same_text(a->list[i].workloads[w], b->list[i].workloads[w]);
		fixture_same_text(a->list[i].cell, b->list[i].cell);
		fixture_same_text(a->list[i].message, b->list[i].message);
		fixture_same_text(a->list[i].expected, b->list[i].expected);
		fixture_same_text(a->list[i].found, b->list[i].found);
	}
}

/* All options alike that a sample has, whether they were given or not: the shares of a mix mean
 * nothing without one, and the target stands for filename and directory. */
static inline void fixture_same_options(const struct workload *a, const struct workload *b)
{
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		char *left, *right;

		if (id == OPTION_ID_FILENAME || id == OPTION_ID_DIRECTORY ||
		    (!workload_mixed(a) &&
		     (id == OPTION_ID_RWMIXREAD || id == OPTION_ID_RWMIXWRITE)))
			continue;
		left = option_format(option_at((enum option_id)id), a);
		right = option_format(option_at((enum option_id)id), b);

		fixture_same_text(left, right);
		free(left);
		free(right);
	}
}

static inline void fixture_same_zfs(const struct sample_zfs *a, const struct sample_zfs *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (!a)
		return;
	assert_string_equal(a->dataset, b->dataset);
	assert_int_equal(a->volume, b->volume);
	assert_string_equal(a->version, b->version);
	assert_int_equal(a->properties.count, b->properties.count);
	for (size_t i = 0; i < a->properties.count; i++) {
		assert_string_equal(a->properties.list[i].name, b->properties.list[i].name);
		assert_string_equal(a->properties.list[i].value, b->properties.list[i].value);
	}
	assert_true(a->size_bytes == b->size_bytes && a->written_bytes == b->written_bytes);
	assert_true(a->logical_bytes == b->logical_bytes);
	assert_true(a->compress_ratio == b->compress_ratio);
	assert_true(a->used_percent == b->used_percent);
	assert_true(a->fragmentation_percent == b->fragmentation_percent);
	assert_true(a->txg_timeout_s == b->txg_timeout_s);
	assert_true(a->accesses_a_block == b->accesses_a_block);
	assert_true(a->partial_writes == b->partial_writes);
	assert_int_equal(a->arc.known, b->arc.known);
	assert_int_equal(a->arc.direct_reads, b->arc.direct_reads);
	if (a->arc.known)
		assert_memory_equal(&a->arc.demand_data_hits, &b->arc.demand_data_hits,
				    sizeof(a->arc) -
					    offsetof(struct zfs_arc_delta, demand_data_hits));
	assert_int_equal(a->pool.known, b->pool.known);
	assert_string_equal(a->pool.reason, b->pool.reason);
	if (a->pool.known)
		assert_memory_equal(&a->pool.read_bytes, &b->pool.read_bytes,
				    sizeof(a->pool) - offsetof(struct zfs_pool_delta, read_bytes));
}

static inline void fixture_same_sample(const struct sample *a, const struct sample *b)
{
	assert_true(a->order == b->order && a->repeat == b->repeat && a->seed == b->seed);
	fixture_same_text(a->workload, b->workload);
	assert_true(a->level_count == b->level_count);
	for (size_t i = 0; i < a->level_count; i++) {
		fixture_same_text(a->levels[i].factor, b->levels[i].factor);
		fixture_same_text(a->levels[i].value, b->levels[i].value);
	}
	fixture_same_text(a->target, b->target);
	fixture_same_zfs(a->zfs, b->zfs);
	assert_true(a->started_wall_ms == b->started_wall_ms);
	assert_true(a->seconds == b->seconds && a->ramp_seconds == b->ramp_seconds);
	fixture_same_options(&a->options, &b->options);
	fixture_same_text(a->backend, b->backend);
	fixture_same_text(a->backend_reason, b->backend_reason);
	assert_int_equal(a->latency_per_operation, b->latency_per_operation);
	assert_true(a->error_count == b->error_count);
	assert_memory_equal(a->failed, b->failed, sizeof(a->failed));
	fixture_same_text(a->first_failure, b->first_failure);
	fixture_same_directions(a->directions, b->directions);
	fixture_same_histogram(a->sync, b->sync);
	assert_int_equal(a->steady.full, b->steady.full);
	assert_int_equal(a->steady.attained, b->steady.attained);
	assert_true(a->steady.first == b->steady.first && a->steady.count == b->steady.count);
	assert_true(a->steady.found == b->steady.found && a->steady.slope == b->steady.slope);
	assert_true(a->steady.deviation == b->steady.deviation);
	assert_true(a->steady.iops_mean == b->steady.iops_mean &&
		    a->steady.bw_mean == b->steady.bw_mean);
	fixture_same_histogram(a->datasync, b->datasync);
	fixture_same_histogram(a->end_fsync, b->end_fsync);
	assert_true(a->depth_mean == b->depth_mean);
	assert_true(a->series.count == b->series.count);
	assert_true(a->series.ramp_count == b->series.ramp_count);
	assert_true(a->series.last_span_ns == b->series.last_span_ns);
	if (a->series.count > 0)
		assert_memory_equal(a->series.seconds, b->series.seconds,
				    a->series.count * sizeof(*a->series.seconds));
	assert_true(a->job_count == b->job_count);
	for (size_t i = 0; i < a->job_count; i++) {
		fixture_same_text(a->jobs[i].name, b->jobs[i].name);
		assert_int_equal(a->jobs[i].jobs, b->jobs[i].jobs);
		assert_true(a->jobs[i].seconds == b->jobs[i].seconds);
		fixture_same_histogram(a->jobs[i].sync, b->jobs[i].sync);
		fixture_same_histogram(a->jobs[i].datasync, b->jobs[i].datasync);
		fixture_same_directions(a->jobs[i].directions, b->jobs[i].directions);
	}
	assert_memory_equal(&a->cpu, &b->cpu, sizeof(a->cpu));
	assert_memory_equal(&a->device, &b->device, sizeof(a->device));
	assert_true(a->free_bytes_before == b->free_bytes_before);
	assert_true(a->free_bytes_after == b->free_bytes_after);
	fixture_same_findings(&a->findings, &b->findings);
}

#endif
