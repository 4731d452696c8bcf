/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_fixture.h - small results to be compared: workloads, one factor, samples by operations. */
#ifndef TESTS_UNIT_ENGINE_ANALYSIS_RUN_FIXTURE_H
#define TESTS_UNIT_ENGINE_ANALYSIS_RUN_FIXTURE_H

#include <string.h>

#include "engine/analysis/run_comparison.h"
#include "tests/unit/server/codec/fixture.h"

#define RUN_FIXTURE_SAMPLES 64

static inline void run_fixture_factor(struct result *result, const char *name, const char *levels)
{
	struct definition *definition = &result->definition;
	struct factor *factor = &definition->factors[definition->factor_count++];
	char *text = fixture_text(levels), *rest = text;

	factor->name = fixture_text(name);
	factor->option = option_find(name);
	factor->kind = factor->option ? FACTOR_OPTION : FACTOR_LABEL;
	factor->levels = calloc(8, sizeof(*factor->levels));
	assert_non_null(factor->levels);
	for (char *level; (level = strsep(&rest, " "));)
		factor->levels[factor->level_count++] = fixture_text(level);
	free(text);
}

static inline void run_fixture_workload(struct result *result, const char *name)
{
	struct definition *definition = &result->definition;
	struct workload *workload = &definition->workloads[definition->workload_count++];

	workload_init(workload);
	workload->name = fixture_text(name);
}

/* Empty, with room for 4 factors, 4 workloads and RUN_FIXTURE_SAMPLES samples. */
static inline void run_fixture_start(struct result *result, const char *id)
{
	result_init(result);
	(void)snprintf(result->id, sizeof(result->id), "%s", id);
	result->state = RUN_DONE;
	(void)snprintf(result->backend, sizeof(result->backend), "io_uring");
	(void)snprintf(result->environment.host, sizeof(result->environment.host), "nas");
	(void)snprintf(result->environment.kernel, sizeof(result->environment.kernel), "6.1");
	result->environment.memory_bytes = UINT64_C(16) << 30;
	result->environment.cpus = result->environment.cpus_allowed = 4;
	result->definition.name = fixture_text("fixture");
	result->definition.repeats = 1;
	result->definition.factors = calloc(4, sizeof(*result->definition.factors));
	result->definition.workloads = calloc(4, sizeof(*result->definition.workloads));
	result->samples = calloc(RUN_FIXTURE_SAMPLES, sizeof(*result->samples));
	assert_non_null(result->definition.factors);
	assert_non_null(result->definition.workloads);
	assert_non_null(result->samples);
}

/* One second; level "" where there is no factor. */
static inline struct sample *run_fixture_sample(struct result *result, const char *workload,
						const char *level, const char *options)
{
	struct sample *sample;

	assert_true(result->sample_count < RUN_FIXTURE_SAMPLES);
	sample = &result->samples[result->sample_count];
	sample_init(sample);
	sample->order = result->sample_count++;
	sample->workload = fixture_text(workload);
	sample->repeat = (unsigned int)result->sample_count;
	sample->seconds = 1;
	if (level[0])
		fixture_level(sample, result->definition.factors[0].name, level);
	fixture_workload(&sample->options, options);
	return sample;
}

/* Random reads: so many operations in a second, repeat by repeat until 0. */
static inline void run_fixture_reads(struct result *result, const char *workload, const char *level,
				     const char *options, const size_t *ios)
{
	for (; *ios > 0; ios++) {
		struct sample *sample = run_fixture_sample(result, workload, level, options);

		fixture_direction(&sample->directions[DIRECTION_READ], *ios, 4096,
				  1000000000 / *ios, false);
	}
}

/* A reader at two depths, three repeats each: 1000 and 2000 operations a second times a share. */
static inline void run_fixture_plain(struct result *result, const char *id, double share)
{
	static const double noise[] = {0.99, 1.0, 1.01};

	run_fixture_start(result, id);
	result->definition.repeats = 3;
	run_fixture_factor(result, "iodepth", "1 16");
	run_fixture_workload(result, "reader");
	for (size_t level = 0; level < 2; level++) {
		size_t ios[4] = {0};

		for (size_t i = 0; i < 3; i++)
			ios[i] = (size_t)(1000 * (double)(level + 1) * share * noise[i] + 0.5);
		run_fixture_reads(result, "reader", level ? "16" : "1",
				  level ? "rw=randread size=64m bs=4k iodepth=16"
					: "rw=randread size=64m bs=4k iodepth=1",
				  ios);
	}
}

static inline void run_fixture_compare(const struct result *a, const struct result *b,
				       struct run_comparison *ret_comparison)
{
	const struct result *const runs[] = {a, b};

	assert_int_equal(run_comparison_make(runs, 2, ret_comparison), 0);
}

#endif
