/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * told_fixture.h - samples as an importer would hand them out: options that are not completed,
 * figures with what their printed digits leave open; and results of them. Included after cmocka.h.
 *
 * Length: a sample and a result have many members.
 */
#ifndef TESTS_TOLD_FIXTURE_H
#define TESTS_TOLD_FIXTURE_H

#include <math.h>
#include <stdio.h>

#include "tests/unit/server/codec/fixture.h"

/* "33.8k" times unit: half a unit of the last digit either way. */
static inline struct told_figure told_printed(const char *text, double unit)
{
	struct told_figure figure = {.known = true};
	const char *point = strchr(text, '.');
	char *end;
	double value = strtod(text, &end), half = 0.5;

	for (const char *at = point; at && at + 1 < end; at++)
		half /= 10;
	unit *= *end == 'k' ? 1000 : 1;
	figure.value = value * unit;
	figure.low = (value - half) * unit;
	figure.high = (value + half) * unit;
	return figure;
}

/* The options that were told, "rw=randread bs=4k ..."; "" for none. */
static inline void told_options(struct workload *workload, const char *options)
{
	char *text = fixture_text(options), *rest = text, *word;

	workload_init(workload);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value = '\0';
		fixture_option(workload, word, value + 1);
	}
	free(text);
}

static inline void told_sample(struct sample *sample, const char *workload, const char *options)
{
	sample_init(sample);
	sample->workload = fixture_text(workload);
	sample->repeat = 1;
	told_options(&sample->options, options);
	sample->source = sample_source_new("volbench.table/1", NULL);
	assert_non_null(sample->source);
}

static inline void told_rates(struct sample *sample, enum direction d, const char *iops,
			      const char *mib_per_s)
{
	struct told_direction *told = &sample->source->directions[d];

	if (iops)
		told->iops = told_printed(iops, 1);
	if (mib_per_s)
		told->bandwidth = told_printed(mib_per_s, 1048576);
}

static inline void told_amounts(struct sample *sample, enum direction d, uint64_t ios,
				uint64_t bytes)
{
	struct told_direction *told = &sample->source->directions[d];

	told->ios_known = told->bytes_known = true;
	sample->directions[d].ios = ios;
	sample->directions[d].bytes = bytes;
}

static inline void told_seconds(struct sample *sample, double seconds)
{
	sample->source->seconds_known = true;
	sample->seconds = seconds;
}

/* ---- results by hand; whoever has one ends it with result_done() ---- */

static inline void told_factor(struct result *result, const char *name, const char *levels)
{
	struct definition *definition = &result->definition;
	char *text = fixture_text(levels), *rest = text, *word;
	struct factor *factor;

	definition->factors = realloc(definition->factors, (definition->factor_count + 1) *
								   sizeof(*definition->factors));
	assert_non_null(definition->factors);
	factor = &definition->factors[definition->factor_count++];
	*factor = (struct factor){.name = fixture_text(name), .kind = FACTOR_LABEL};
	factor->levels = calloc(DEFINITION_LEVELS_MAX, sizeof(char *));
	assert_non_null(factor->levels);
	while ((word = strsep(&rest, " ")))
		factor->levels[factor->level_count++] = fixture_text(word);
	free(text);
}

static inline void told_workload(struct result *result, const char *name, const char *options)
{
	struct definition *definition = &result->definition;
	struct workload *workload;

	definition->workloads = realloc(definition->workloads,
					(definition->workload_count + 1) * sizeof(*workload));
	assert_non_null(definition->workloads);
	workload = &definition->workloads[definition->workload_count++];
	told_options(workload, options);
	workload->name = fixture_text(name);
	option_set_mark(&workload->set, OPTION_ID_NAME, true);
}

static inline void told_begin(struct result *result)
{
	result_init(result);
	result->state = RUN_DONE;
	result->definition.imported = true;
	result->definition.name = fixture_text("imported");
}

/* A sample of a workload at the levels "a=1 b=2". */
static inline struct sample *told_add(struct result *result, const char *workload,
				      const char *options, const char *levels)
{
	char *text = fixture_text(levels), *rest = text, *word;
	struct sample *sample;

	result->samples =
		realloc(result->samples, (result->sample_count + 1) * sizeof(struct sample));
	assert_non_null(result->samples);
	sample = &result->samples[result->sample_count];
	told_sample(sample, workload, options);
	sample->order = result->sample_count++;
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value = '\0';
		fixture_level(sample, word, value + 1);
	}
	free(text);
	return sample;
}

static inline void told_fact(struct result *result, const char *name, const char *value)
{
	result->facts = realloc(result->facts, (result->fact_count + 1) * sizeof(*result->facts));
	assert_non_null(result->facts);
	result->facts[result->fact_count++] =
		(struct result_fact){fixture_text(name), fixture_text(value)};
}

/* ---- findings ---- */

static inline const struct finding *told_find(const struct findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].code, code) == 0)
			return &findings->list[i];
	return NULL;
}

#endif
