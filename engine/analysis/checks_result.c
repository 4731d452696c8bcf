/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_result.c - see checks_result.h: how often each cell was measured; the others are in
 * checks_limits.c and checks_repeated.c. */
#include "engine/analysis/checks_result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/analysis/checks_across.h"

/* Student's t for 95 % is 12.7 at one degree of freedom, 4.3 at two, 2.8 at the four of five
 * repeats: of two measurements only what is far apart can be told. */
#define FEW_REPEATS 3

/* A table holds what somebody made of measurements; of all else a file is one measurement. */
static bool made_by_hand(const struct sample_source *source)
{
	return strncmp(source->tool, "volbench.table", strlen("volbench.table")) == 0;
}

/* Measurements that a sample stands for; 0: not known. */
static uint64_t stands_for(const struct sample *sample)
{
	const struct sample_source *source = sample->source;

	if (!source)
		return 1;
	return source->samples == 0 && !made_by_hand(source) ? 1 : source->samples;
}

static int add_single(struct analysis *analysis, const struct sample *sample)
{
	uint64_t means = stands_for(sample);
	char found[64];

	if (means == 1)
		return findings_add(&analysis->findings, FINDING_WARNING, "single_sample", NULL,
				    NULL, "5 measurements of each", "1",
				    "Each figure is of one measurement: nothing tells how far "
				    "another would have been from it, so no difference can be told "
				    "from chance.");
	if (means == 0)
		(void)snprintf(found, sizeof(found), "neither");
	else
		(void)snprintf(found, sizeof(found), "means of %llu", (unsigned long long)means);
	return findings_add(&analysis->findings, FINDING_WARNING, "spread_unknown", NULL, NULL,
			    "the measurements, or their number and spread", found,
			    "It is not told how much the measurements behind each figure differed "
			    "from each other, so no difference can be told from chance.");
}

/* How often the cells were measured that were at all. */
static int check_repeats(struct analysis *analysis)
{
	const struct cells *cells = &analysis->cells;
	const struct cell *least = NULL;
	char found[32];

	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->list[i];

		if (cell->sample_count == 0)
			continue;
		/* An index comes with a finding of its own. */
		if (cell->samples[0]->source && cell->samples[0]->source->index)
			return 0;
		if (!least || cell->sample_count < least->sample_count)
			least = cell;
	}
	if (!least || least->sample_count >= FEW_REPEATS)
		return 0;
	if (least->sample_count == 1)
		return add_single(analysis, least->samples[0]);
	(void)snprintf(found, sizeof(found), "%zu", least->sample_count);
	return findings_add(&analysis->findings, FINDING_INFO, "few_repeats", NULL, NULL,
			    "5 measurements of each", found,
			    "Two measurements tell hardly how much they differ by chance: their "
			    "intervals are wide, and a factor between levels is known no better "
			    "than these say.");
}

static void append_levels(const struct definition *definition, const struct cell *cell, char *text,
			  size_t size)
{
	size_t used = strlen(text);

	for (size_t i = 0; i < definition->factor_count && used + 1 < size; i++) {
		const struct factor *factor = &definition->factors[i];

		(void)snprintf(text + used, size - used, "%s%s=%s",
			       i > 0  ? ", "
			       : used ? "; "
				      : "",
			       factor->name, factor->levels[cell->levels[i]]); /* may be cut */
		used = strlen(text);
	}
}

/* Combinations of a workload that was measured at others. */
static int check_missing(struct analysis *analysis, size_t workload)
{
	const struct definition *definition = &analysis->result->definition;
	size_t all = 0, missing = 0;
	char names[400] = "", found[512], expected[64];

	for (size_t i = 0; i < analysis->cells.count; i++) {
		const struct cell *cell = &analysis->cells.list[i];

		if (cell->workload != workload)
			continue;
		all++;
		if (cell->sample_count > 0)
			continue;
		missing++;
		append_levels(definition, cell, names, sizeof(names));
	}
	if (missing == 0 || missing == all)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%zu combinations of levels", all);
	(void)snprintf(found, sizeof(found), "%zu; missing: %s", all - missing, names);
	return findings_add(&analysis->findings, FINDING_INFO, "cell_missing",
			    definition->workloads[workload].name, NULL, expected, found,
			    "Not every combination of levels was measured: levels are compared "
			    "where both were, and a mean over all would compare different things.");
}

/* A command line as fio takes it: of others' tools none begins so. */
static bool is_fio(const struct sample *sample)
{
	const char *given = sample->source ? sample->source->given : NULL;

	return given && (strncmp(given, "fio ", 4) == 0 || strncmp(given, "--", 2) == 0);
}

/* A depth that has no effect; NULL where it has, or nobody knows. fio's default engine is psync,
 * which has one operation outstanding, as sync has (HOWTO, ioengine). */
static const char *depth_code(const struct sample *sample)
{
	const struct workload *options = &sample->options;

	if (!sample->source || !sample_knows(sample, OPTION_ID_IODEPTH) || options->iodepth < 2)
		return NULL;
	if (!sample_knows(sample, OPTION_ID_IOENGINE))
		return is_fio(sample) ? "fio_depth" : NULL;
	return workload_depth(options) < options->iodepth ? "depth_ignored" : NULL;
}

/* Told once a workload. */
static int check_depth(struct analysis *analysis, size_t workload)
{
	const struct sample *sample = NULL;
	const char *code = NULL;
	char found[64];

	for (size_t i = 0; i < analysis->cells.count && !code; i++) {
		const struct cell *cell = &analysis->cells.list[i];

		if (cell->workload != workload || cell->sample_count == 0)
			continue;
		sample = cell->samples[0];
		code = depth_code(sample);
	}
	if (!code)
		return 0;
	(void)snprintf(found, sizeof(found), "iodepth=%llu %s%s",
		       (unsigned long long)sample->options.iodepth,
		       strcmp(code, "fio_depth") == 0 ? "without ioengine" : "with ioengine=",
		       strcmp(code, "fio_depth") == 0
			       ? ""
			       : workload_ioengine_choices[sample->options.ioengine]);
	return findings_add(
		&analysis->findings, FINDING_WARNING, code, sample->workload, NULL,
		"an asynchronous ioengine", found,
		strcmp(code, "fio_depth") == 0
			? "Without ioengine fio uses psync, which has one operation "
			  "outstanding a job whatever iodepth says: as the command line "
			  "stands, depth 1 was measured."
			: "This engine has one operation outstanding a job whatever "
			  "iodepth says: depth 1 was measured.");
}

int checks_result(struct analysis *analysis)
{
	const struct definition *definition = &analysis->result->definition;
	int r;

	if (!definition->imported)
		return 0;
	r = check_repeats(analysis);
	for (size_t i = 0; i < definition->workload_count && r == 0; i++)
		r = check_missing(analysis, i);
	for (size_t i = 0; i < definition->workload_count && r == 0; i++)
		r = checks_memory(analysis, i);
	for (size_t i = 0; i < definition->workload_count && r == 0; i++)
		r = check_depth(analysis, i);
	if (r == 0)
		r = checks_limits(analysis);
	return r < 0 ? r : checks_repeated(analysis);
}
