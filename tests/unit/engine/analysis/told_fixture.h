/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * told_fixture.h - samples as an importer would hand them out: options that are not completed,
 * figures with what their printed digits leave open. Included after cmocka.h.
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

static inline const struct finding *told_find(const struct findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].code, code) == 0)
			return &findings->list[i];
	return NULL;
}

#endif
