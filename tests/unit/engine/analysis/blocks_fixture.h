/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blocks_fixture.h - results of workloads x levels x repeats whose figures a test says, for the
 * tests of the analysis. Included after cmocka.h. Ends with result_done().
 */
#ifndef TESTS_BLOCKS_FIXTURE_H
#define TESTS_BLOCKS_FIXTURE_H

#include <math.h>
#include <stdio.h>

#include "engine/analysis/analysis.h"
#include "tests/unit/server/codec/fixture.h"

/* The first factor is volblocksize (4K, 8K, ...) where there are levels; workloads are w0, w1, ...
 */
static inline void blocks_define(struct result *result, size_t workloads, size_t levels,
				 unsigned int repeats)
{
	struct definition *definition = &result->definition;
	char text[32];

	result_init(result);
	definition->repeats = repeats;
	definition->workload_count = workloads;
	definition->workloads = calloc(workloads, sizeof(*definition->workloads));
	assert_non_null(definition->workloads);
	for (size_t w = 0; w < workloads; w++) {
		(void)snprintf(text, sizeof(text), "w%zu", w);
		workload_init(&definition->workloads[w]);
		definition->workloads[w].name = fixture_text(text);
		fixture_option(&definition->workloads[w], "rw", "randread");
	}
	if (levels == 0)
		return;
	definition->factor_count = 1;
	definition->factors = calloc(1, sizeof(*definition->factors));
	assert_non_null(definition->factors);
	definition->factors[0].name = fixture_text("volblocksize");
	definition->factors[0].kind = FACTOR_PROPERTY;
	definition->factors[0].level_count = levels;
	definition->factors[0].levels = calloc(levels, sizeof(char *));
	assert_non_null(definition->factors[0].levels);
	for (size_t l = 0; l < levels; l++) {
		(void)snprintf(text, sizeof(text), "%zuK", (size_t)4 * (l + 1));
		definition->factors[0].levels[l] = fixture_text(text);
	}
}

/* A sample of reads; its figure is set with blocks_set(). */
static inline struct sample *blocks_add(struct result *result, size_t workload, size_t level,
					unsigned int repeat)
{
	const struct definition *definition = &result->definition;
	struct sample *sample;

	result->samples =
		realloc(result->samples, (result->sample_count + 1) * sizeof(*result->samples));
	assert_non_null(result->samples);
	sample = &result->samples[result->sample_count];
	sample_init(sample);
	sample->order = result->sample_count++;
	sample->workload = fixture_text(definition->workloads[workload].name);
	sample->repeat = repeat;
	sample->seconds = 1;
	if (definition->factor_count > 0)
		fixture_level(sample, definition->factors[0].name,
			      definition->factors[0].levels[level]);
	fixture_workload(&sample->options, "rw=randread bs=4k size=64m");
	return sample;
}

static inline void blocks_set(struct sample *sample, double iops)
{
	sample->directions[DIRECTION_READ].ios = (uint64_t)llround(iops);
	sample->directions[DIRECTION_READ].bytes = 4096 * sample->directions[DIRECTION_READ].ios;
}

/* All samples of a definition, repeat by repeat: w0 at each level, w1 at each level, ... */
static inline void blocks_make(struct result *result, size_t workloads, size_t levels,
			       unsigned int repeats)
{
	blocks_define(result, workloads, levels, repeats);
	for (unsigned int r = 1; r <= repeats; r++)
		for (size_t w = 0; w < workloads; w++)
			for (size_t l = 0; l < (levels > 0 ? levels : 1); l++)
				blocks_set(blocks_add(result, w, l, r), 1000000);
}

/* Gives a workload, and its samples, another name. */
static inline void blocks_call(struct result *result, size_t workload, const char *name)
{
	char **old = &result->definition.workloads[workload].name;

	for (size_t i = 0; i < result->sample_count; i++)
		if (strcmp(result->samples[i].workload, *old) == 0) {
			free(result->samples[i].workload);
			result->samples[i].workload = fixture_text(name);
		}
	free(*old);
	*old = fixture_text(name);
}

#endif
