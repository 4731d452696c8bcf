/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * synthetic.h - results that look measured, for the report's tests: workloads as fio command
 * lines, factors as lists of levels, figures from a curve over the levels and some noise, latencies
 * with a tail. The same shape gives the same result.
 *
 * Length: every .c file here is a test of its own, so what they share is code in a header.
 */
#ifndef TESTS_UNIT_WEB_SYNTHETIC_H
#define TESTS_UNIT_WEB_SYNTHETIC_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/plan/quantity.h"
#include "engine/result.h"

struct synthetic_workload {
	const char *name, *fio;
	double iops; /* of the first level */
};

struct synthetic_factor {
	const char *name; /* of an option, or a property */
	const char *levels[8];
};

struct synthetic {
	const char *name;
	enum run_state state;
	unsigned int repeats;
	size_t seconds, ramp; /* of a sample */
	double noise;	      /* relative, of a repeat */
	size_t measured;      /* samples; 0: all */
	bool zfs;	      /* zvols beneath tank/volbench; a factor may be a property */
	struct synthetic_workload workloads[10];
	struct synthetic_factor factors[3];
};

static inline char *synthetic_text(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	return copy;
}

/* Numbers in [0, 1), the same each time. */
static inline double synthetic_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static inline void synthetic_factors(const struct synthetic *shape, struct definition *definition)
{
	definition->factors = calloc(ARRAY_SIZE(shape->factors), sizeof(*definition->factors));
	assert_non_null(definition->factors);
	for (size_t f = 0; f < ARRAY_SIZE(shape->factors) && shape->factors[f].name; f++) {
		struct factor *factor = &definition->factors[definition->factor_count++];

		factor->name = synthetic_text(shape->factors[f].name);
		factor->option = option_find(factor->name);
		factor->kind = factor->option ? FACTOR_OPTION : FACTOR_PROPERTY;
		factor->levels = calloc(ARRAY_SIZE(shape->factors[f].levels), sizeof(char *));
		assert_non_null(factor->levels);
		for (size_t i = 0; i < ARRAY_SIZE(shape->factors[f].levels); i++)
			if (shape->factors[f].levels[i])
				factor->levels[factor->level_count++] =
					synthetic_text(shape->factors[f].levels[i]);
	}
}

static inline void synthetic_zvols(struct target_spec *spec)
{
	free(spec->path);
	spec->path = synthetic_text("tank/volbench");
	spec->kind = TARGET_ZVOL;
	spec->size_bytes = UINT64_C(64) << 30;
	assert_int_equal(properties_set(&spec->properties, "compression", "off"), 0);
	assert_int_equal(properties_set(&spec->properties, "primarycache", "metadata"), 0);
}

static inline void synthetic_definition(const struct synthetic *shape,
					struct definition *definition)
{
	definition->name = synthetic_text(shape->name);
	definition->description = synthetic_text("Which setting serves these workloads?");
	definition->repeats = shape->repeats;
	definition->seed = 42;
	definition->seed_given = true;
	definition->target_count = 1;
	definition->targets = calloc(1, sizeof(*definition->targets));
	assert_non_null(definition->targets);
	definition->targets[0].kind = TARGET_DIRECTORY;
	definition->targets[0].path = synthetic_text("/tank/volbench/scratch");
	if (shape->zfs)
		synthetic_zvols(&definition->targets[0]);
	synthetic_factors(shape, definition);
	definition->workloads = calloc(ARRAY_SIZE(shape->workloads), sizeof(struct workload));
	assert_non_null(definition->workloads);
	for (size_t w = 0; w < ARRAY_SIZE(shape->workloads) && shape->workloads[w].name; w++) {
		struct workload *workload = &definition->workloads[definition->workload_count++];
		struct error err = {0};

		workload_init(workload);
		if (workload_parse_fio(shape->workloads[w].fio, workload, &err) < 0)
			fail_msg("%s", err.message);
		free(workload->name);
		workload->name = synthetic_text(shape->workloads[w].name);
	}
}

/* Lognormal with a tail that grows heavier with depth; 1,200 quantiles, ever finer to the top. */
static inline struct histogram *synthetic_latency(uint64_t ios, double mean_ns)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));
	double below = 0;

	assert_non_null(histogram);
	histogram_init(histogram);
	for (size_t i = 1; i <= 1200; i++) {
		double x = (double)i * 6 / 1200, up_to = 1 - pow(10, -x);
		uint64_t weight = (uint64_t)((up_to - below) * (double)ios + 0.5);
		uint64_t value = (uint64_t)(mean_ns * (0.55 + 0.35 * x + 0.08 * x * x * x));

		below = up_to;
		if (!weight)
			continue;
		histogram_add(histogram, value);
		histogram->buckets[histogram_index(value)] += weight - 1;
		histogram->count += weight - 1;
		histogram->sum_ns += value * (weight - 1);
		histogram->sum_squares_ns2 += (double)value * (double)value * (double)(weight - 1);
	}
	return histogram;
}

static inline void synthetic_series(const struct synthetic *shape, struct sample *sample,
				    const double *iops, uint64_t *state)
{
	struct series *series = &sample->series;

	series->count = shape->ramp + shape->seconds;
	series->ramp_count = shape->ramp;
	series->last_span_ns = NS_PER_S;
	series->seconds = calloc(series->count, sizeof(*series->seconds));
	assert_non_null(series->seconds);
	for (size_t i = 0; i < series->count; i++)
		for (int d = 0; d < DIRECTION_COUNT; d++) {
			double part = 0.97 + 0.06 * synthetic_random(state);

			if (i < shape->ramp)
				part *= 0.6 + 0.4 * (double)(i + 1) / (double)(shape->ramp + 1);
			if (synthetic_random(state) < 0.03)
				part *= 0.7;
			series->seconds[i].ios[d] = (uint64_t)(iops[d] * part);
			series->seconds[i].bytes[d] =
				series->seconds[i].ios[d] * sample->options.bs[d];
		}
}

static inline void synthetic_figures(const struct synthetic *shape, struct sample *sample,
				     double total, uint64_t *state)
{
	double share[DIRECTION_COUNT] = {0}, iops[DIRECTION_COUNT];
	double depth = (double)(workload_depth(&sample->options) * sample->options.numjobs);

	if (workload_mixed(&sample->options)) {
		share[DIRECTION_READ] = (double)sample->options.rwmixread / 100;
		share[DIRECTION_WRITE] = 1 - share[DIRECTION_READ];
	} else {
		share[workload_writes(&sample->options) ? DIRECTION_WRITE : DIRECTION_READ] = 1;
	}
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct direction_result *result = &sample->directions[d];

		iops[d] = total * share[d];
		result->ios = (uint64_t)(iops[d] * sample->seconds);
		result->bytes = result->ios * sample->options.bs[d];
		if (!result->ios)
			continue;
		result->latency = synthetic_latency(
			result->ios, depth / total * 1e9 * (d == DIRECTION_WRITE ? 1.3 : 0.9));
		result->ios = result->latency->count; /* rounded there */
		result->bytes = result->ios * sample->options.bs[d];
	}
	sample->depth_mean = depth * 0.98;
	synthetic_series(shape, sample, iops, state);
}

static inline void synthetic_levels(const struct definition *definition, const size_t *levels,
				    struct sample *sample)
{
	sample->levels = calloc(DEFINITION_FACTORS_MAX, sizeof(*sample->levels));
	assert_non_null(sample->levels);
	for (size_t f = 0; f < definition->factor_count; f++) {
		const struct factor *factor = &definition->factors[f];
		const char *value = factor->levels[levels[f]];

		sample->levels[f].factor = synthetic_text(factor->name);
		sample->levels[f].value = synthetic_text(value);
		sample->level_count++;
		if (factor->kind == FACTOR_OPTION)
			assert_int_equal(
				option_parse(factor->option, value, &sample->options, NULL), 0);
	}
	assert_int_equal(workload_complete(&sample->options, NULL), 0);
}

/* Figures by level: the first factor makes a curve with a top, the others lift it. */
static inline double synthetic_curve(const struct definition *definition, const size_t *levels,
				     size_t workload)
{
	double curve = 1, top;

	if (definition->factor_count) {
		top = (double)((workload * 5 + 3) % definition->factors[0].level_count);
		curve = 1.6 - 0.07 * pow((double)levels[0] - top, 2);
	}
	for (size_t f = 1; f < definition->factor_count; f++)
		curve *= 1 + 1.5 * (double)levels[f];
	return fmax(curve, 0.3);
}

/* Blocks larger than a request are read and written whole; what ARC serves shrinks with them. */
static inline void synthetic_zfs(const struct definition *definition, const size_t *levels,
				 struct sample *sample, uint64_t *state)
{
	static const struct error none;
	struct error err = none;
	struct sample_zfs *zfs = calloc(1, sizeof(*zfs));
	uint64_t block = 16384, read = sample->directions[DIRECTION_READ].bytes;
	uint64_t written = sample->directions[DIRECTION_WRITE].bytes;
	double more;

	assert_non_null(zfs);
	sample->zfs = zfs;
	if (definition->factor_count && strcmp(definition->factors[0].name, "volblocksize") == 0 &&
	    quantity_parse_size(definition->factors[0].levels[levels[0]], &block, &err) < 0)
		block = 4096;
	zfs->volume = true;
	(void)snprintf(zfs->dataset, sizeof(zfs->dataset),
		       "tank/volbench/volbench-20261130-113000-abc123-%zu", levels[0] + 1);
	(void)snprintf(zfs->version, sizeof(zfs->version), "2.3.2-1");
	zfs->size_bytes = UINT64_C(64) << 30;
	zfs->written_bytes = zfs->size_bytes + (UINT64_C(300) << 20);
	zfs->logical_bytes = zfs->size_bytes + (UINT64_C(200) << 20);
	zfs->compress_ratio = 1;
	assert_int_equal(properties_set(&zfs->properties, "volblocksize",
					definition->factor_count
						? definition->factors[0].levels[levels[0]]
						: "16384"),
			 0);
	assert_int_equal(properties_set(&zfs->properties, "compression", "off"), 0);
	assert_int_equal(properties_set(&zfs->properties, "primarycache", "metadata"), 0);
	assert_int_equal(properties_set(&zfs->properties, "sync", "standard"), 0);
	zfs->arc = (struct zfs_arc_delta){
		.known = true,
		.demand_data_hits = (uint64_t)(200 * synthetic_random(state)) + block / 64,
		.demand_data_misses = 10000,
		.size_bytes = UINT64_C(3) << 30,
		.size_max_bytes = UINT64_C(110) << 30};
	more = fmax((double)block / (double)sample->options.bs[DIRECTION_WRITE], 1);
	zfs->pool = (struct zfs_pool_delta){
		.known = true,
		.read_bytes = (uint64_t)((double)read * more),
		.written_bytes = (uint64_t)((double)written *
					    (more * (1.04 + 0.04 * synthetic_random(state)))),
		.log_written_bytes = written / 10,
		.asked_read_bytes = read,
		.asked_written_bytes = written,
		.txgs = 12,
		.dirty_bytes = UINT64_C(1) << 30};
}

static inline void synthetic_sample(const struct synthetic *shape, struct result *result,
				    size_t workload, const size_t *levels, unsigned int repeat)
{
	struct sample *sample = &result->samples[result->sample_count];
	uint64_t state = 1000 * result->sample_count;
	double noise;

	for (int i = 0; i < 4; i++)
		(void)synthetic_random(&state);
	noise = 1 + shape->noise * (2 * synthetic_random(&state) - 1);
	sample_init(sample);
	sample->order = result->sample_count++;
	sample->workload = synthetic_text(shape->workloads[workload].name);
	sample->repeat = repeat;
	sample->target = synthetic_text("/tank/volbench/scratch");
	sample->started_wall_ms = result->started_wall_ms + sample->order * 65000;
	sample->seconds = (double)shape->seconds;
	sample->ramp_seconds = (double)shape->ramp;
	sample->backend = synthetic_text("io_uring");
	sample->backend_reason = synthetic_text("");
	assert_int_equal(workload_copy(&result->definition.workloads[workload], &sample->options),
			 0);
	synthetic_levels(&result->definition, levels, sample);
	synthetic_figures(shape, sample,
			  shape->workloads[workload].iops * noise *
				  synthetic_curve(&result->definition, levels, workload),
			  &state);
	if (shape->zfs)
		synthetic_zfs(&result->definition, levels, sample, &state);
}

static inline void synthetic_facts(struct result *result)
{
	(void)snprintf(result->id, sizeof(result->id), "20261130-113000-abc123");
	result->created_wall_ms = UINT64_C(1796038200000);
	result->started_wall_ms = result->created_wall_ms + 1000;
	result->environment = (struct environment){.host = "nas",
						   .kernel = "6.18.0",
						   .machine = "x86_64",
						   .os = "Debian GNU/Linux 12 (bookworm)",
						   .cpu_model = "Xeon E5-2630L v2 @ 2.40GHz",
						   .cpus = 24,
						   .cpus_allowed = 24,
						   .memory_bytes = UINT64_C(220) << 30,
						   .memory_available_bytes = UINT64_C(180) << 30,
						   .uring = "available",
						   .uring_available = true,
						   .liburing = "2.3",
						   .program_version = "0.1.0"};
	(void)snprintf(result->backend, sizeof(result->backend), "io_uring");
	result->targets = calloc(1, sizeof(*result->targets));
	assert_non_null(result->targets);
	result->target_count = 1;
	result->targets[0] = (struct target_info){.kind = TARGET_DIRECTORY,
						  .path = "/tank/volbench/scratch",
						  .filesystem = "ext4",
						  .free_bytes = UINT64_C(4) << 40,
						  .logical_block_bytes = 512,
						  .nowait = true,
						  .direct = true,
						  .checked = true,
						  .device = "sda"};
}

static inline void synthetic_pool(struct target_info *info)
{
	info->kind = TARGET_ZVOL;
	(void)snprintf(info->path, sizeof(info->path), "tank/volbench");
	info->filesystem[0] = info->device[0] = '\0';
	info->zfs = (struct zfs_facts){.pool = "tank",
				       .version = "2.3.2-1",
				       .health = "ONLINE",
				       .size_bytes = UINT64_C(7) << 40,
				       .free_bytes = UINT64_C(4) << 40,
				       .fragmentation_percent = 11,
				       .ashift = 12,
				       .layout = "4 x mirror of 2",
				       .recommended_volblocksize = 16384};
}

/* Aborts the test on failure. The caller calls result_done(). */
static inline void synthetic_make(const struct synthetic *shape, struct result *result)
{
	const struct definition *definition = &result->definition;
	size_t cells;

	result_init(result);
	result->state = shape->state;
	synthetic_facts(result);
	if (shape->zfs)
		synthetic_pool(&result->targets[0]);
	synthetic_definition(shape, &result->definition);
	cells = definition->workload_count;
	for (size_t f = 0; f < definition->factor_count; f++)
		cells *= definition->factors[f].level_count;
	result->planned_samples = cells * shape->repeats;
	result->samples = calloc(result->planned_samples, sizeof(*result->samples));
	assert_non_null(result->samples);
	for (unsigned int repeat = 1; repeat <= shape->repeats; repeat++)
		for (size_t cell = 0; cell < cells; cell++) {
			size_t levels[DEFINITION_FACTORS_MAX] = {0};
			size_t rest = cell / definition->workload_count;

			if (shape->measured && result->sample_count >= shape->measured)
				break;
			for (size_t f = 0; f < definition->factor_count; f++) {
				levels[f] = rest % definition->factors[f].level_count;
				rest /= definition->factors[f].level_count;
			}
			synthetic_sample(shape, result, cell % definition->workload_count, levels,
					 repeat);
		}
	result->ended_wall_ms = result->started_wall_ms + result->sample_count * 65000;
}

static inline void synthetic_taint_zfs(struct sample_zfs *zfs, const char *text)
{
	(void)snprintf(zfs->dataset, sizeof(zfs->dataset), "%s", text);
	(void)snprintf(zfs->version, sizeof(zfs->version), "%s", text);
	assert_int_equal(properties_set(&zfs->properties, text, text), 0);
	assert_int_equal(properties_set(&zfs->properties, "sync", text), 0);
}

/* One text in every place of a result where a user's or another program's text may stand. */
static inline void synthetic_taint(struct result *result, const char *text)
{
	struct definition *definition = &result->definition;
	char **places[] = {&definition->name, &definition->description,
			   &definition->targets[0].path, &definition->workloads[0].name,
			   &definition->factors[0].levels[0]};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		free(*places[i]);
		*places[i] = synthetic_text(text);
	}
	for (size_t i = 0; i < result->sample_count; i++) {
		struct sample *sample = &result->samples[i];
		char **mine[] = {&sample->workload, &sample->levels[0].value, &sample->target,
				 &sample->backend, &sample->backend_reason};
		bool first = strcmp(sample->workload, "First") == 0;
		bool lowest = strcmp(sample->levels[0].value, "1") == 0;

		if (sample->zfs)
			synthetic_taint_zfs(sample->zfs, text);
		for (size_t k = 0; k < ARRAY_SIZE(mine); k++) {
			if ((k == 0 && !first) || (k == 1 && !lowest))
				continue;
			free(*mine[k]);
			*mine[k] = synthetic_text(text);
		}
		assert_int_equal(findings_add(&sample->findings, FINDING_WARNING, text, text, text,
					      text, text, "%s", text),
				 0);
	}
	assert_int_equal(findings_add(&result->findings, FINDING_ERROR, text, text, text, text,
				      text, "%s", text),
			 0);
	(void)snprintf(result->environment.host, sizeof(result->environment.host), "%s", text);
	(void)snprintf(result->environment.os, sizeof(result->environment.os), "%s", text);
	(void)snprintf(result->environment.uring, sizeof(result->environment.uring), "%s", text);
	(void)snprintf(result->backend_reason, sizeof(result->backend_reason), "%s", text);
	(void)snprintf(result->targets[0].path, sizeof(result->targets[0].path), "%s", text);
	(void)snprintf(result->targets[0].device, sizeof(result->targets[0].device), "%s", text);
	if (result->targets[0].zfs.pool[0]) {
		struct zfs_facts *facts = &result->targets[0].zfs;

		(void)snprintf(facts->pool, sizeof(facts->pool), "x%s", text);
		(void)snprintf(facts->version, sizeof(facts->version), "%s", text);
		(void)snprintf(facts->health, sizeof(facts->health), "%s", text);
		(void)snprintf(facts->layout, sizeof(facts->layout), "%s", text);
		assert_int_equal(properties_set(&definition->targets[0].properties, text, text), 0);
	}
	(void)error_set(&result->error, ERROR_IO_ERROR, "", "%s", text);
}

#endif
