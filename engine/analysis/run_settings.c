/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_settings.c - options in which the workloads of runs differ: see run_comparison.h.
 *
 * A workload's options are those of its first sample that was matched; options that any of the runs
 * compares are left out, since their levels were matched.
 */
#include <errno.h>
#include <string.h>

#include "engine/analysis/run_parts.h"

/* Why figures differ by this option alone, whatever else was changed. */
static const char *why_of(enum option_id id)
{
	switch (id) {
	case OPTION_ID_BS:
	case OPTION_ID_BSRANGE:
	case OPTION_ID_BSSPLIT:
		return "Requests of other sizes: neither operations nor bytes a second are alike.";
	case OPTION_ID_SIZE:
	case OPTION_ID_FILESIZE:
	case OPTION_ID_NRFILES:
		return "Another amount of data, of which caches hold another share.";
	case OPTION_ID_RUNTIME:
	case OPTION_ID_RAMP_TIME:
		return "Another length: a short window meets less of what full caches do.";
	case OPTION_ID_DIRECT:
	case OPTION_ID_INVALIDATE:
		return "One of them goes through the page cache where the other goes around it.";
	case OPTION_ID_IODEPTH:
	case OPTION_ID_NUMJOBS:
		return "Another number of operations outstanding.";
	case OPTION_ID_SYNC:
	case OPTION_ID_FSYNC:
	case OPTION_ID_FDATASYNC:
	case OPTION_ID_END_FSYNC:
		return "Writes are made durable in one and not, or less often, in the other.";
	case OPTION_ID_COMPRESS_PERCENTAGE:
	case OPTION_ID_ZERO_BUFFERS:
	case OPTION_ID_DEDUPE_PERCENTAGE:
		return "Other data, which compression or deduplication makes more or less of.";
	default:
		return "Something else was asked of the storage.";
	}
}

/* Options that decide a figure: told also where one run does not say what it had. */
static bool decides(enum option_id id)
{
	return id == OPTION_ID_RW || id == OPTION_ID_BS || id == OPTION_ID_IODEPTH ||
	       id == OPTION_ID_NUMJOBS || id == OPTION_ID_SIZE || id == OPTION_ID_DIRECT ||
	       id == OPTION_ID_RUNTIME;
}

/* The samples that stand for a workload of the baseline, one a run; NULL: it has none there. */
struct row {
	const char *workload;
	const struct sample *samples[RUN_COMPARISON_MAX];
};

/* Those of the first pairs. false: the workload was matched nowhere. */
static bool find_samples(const struct run_comparison *comparison, size_t workload, struct row *row)
{
	bool any = false;

	*row = (struct row){
		.workload = comparison->runs[0]->definition.workloads[workload].name,
	};
	for (size_t i = 0; i < comparison->pair_count; i++) {
		const struct run_pair *pair = &comparison->pairs[i];

		if (pair->cells[0]->workload != workload || row->samples[pair->run])
			continue;
		row->samples[pair->run] = pair->cells[1]->samples[0];
		if (!any)
			row->samples[0] = pair->cells[0]->samples[0];
		any = true;
	}
	return any;
}

static bool is_compared(const struct run_comparison *comparison, enum option_id id)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		if (run_option_is_factor(&comparison->runs[i]->definition, id))
			return true;
	return false;
}

static size_t parts_of(const struct row *row)
{
	return workload_parts(&row->samples[0]->options);
}

static void free_texts(char **texts)
{
	for (size_t i = 0; i < RUN_COMPARISON_MAX; i++)
		free(texts[i]);
}

static int read_texts(const struct run_comparison *comparison, const struct row *row, size_t part,
		      const struct option *option, char **texts)
{
	int r = 0;

	for (size_t i = 0; i < comparison->run_count && r == 0; i++)
		if (row->samples[i] && part < workload_parts(&row->samples[i]->options))
			r = run_option_text(row->samples[i], part, option, &texts[i]);
	return r;
}

static bool any_unknown(const struct run_comparison *comparison, const struct row *row,
			char *const *texts)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		if (row->samples[i] && !texts[i])
			return true;
	return false;
}

/* A run whose workload had no partner is told as that, and not as one whose options are unknown. */
static void stand_in(const struct run_comparison *comparison, const struct row *row,
		     char *const *texts, const char **values)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		values[i] = row->samples[i] ? texts[i] : "no such workload";
}

static bool all_alike(const struct run_comparison *comparison, const struct row *row,
		      char *const *texts)
{
	const char *first = NULL;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if (!row->samples[i] || !texts[i])
			continue;
		if (first && strcmp(first, texts[i]) != 0)
			return false;
		first = texts[i];
	}
	return true;
}

static int add_option(struct run_comparison *comparison, const struct row *row, size_t part,
		      const struct option *option)
{
	char *texts[RUN_COMPARISON_MAX] = {NULL};
	const char *values[RUN_COMPARISON_MAX] = {NULL};
	struct run_difference_words words = {
		.kind = RUN_DIFFERENCE_SETTING,
		.name = option->name,
		.workload = row->workload,
		.unfair = true,
		.why = why_of(option->id),
	};
	AUTO_FREE char *name = NULL;
	int r = read_texts(comparison, row, part, option, texts);

	if (r == 0 && parts_of(row) > 1) {
		const struct workload *job = workload_part(&row->samples[0]->options, part);

		if (asprintf(&name, "%s of %s", option->name, job->name) < 0) {
			name = NULL;
			r = -ENOMEM;
		}
		words.name = name;
	}
	if (r == 0 && (!all_alike(comparison, row, texts) ||
		       (decides(option->id) && any_unknown(comparison, row, texts)))) {
		stand_in(comparison, row, texts, values);
		r = run_difference_add(comparison, &words, values);
	}
	free_texts(texts);
	return r;
}

static int add_workload(struct run_comparison *comparison, const struct row *row)
{
	int r = 0;

	for (size_t part = 0; part < parts_of(row); part++)
		for (int id = 0; id < OPTION_ID_COUNT && r == 0; id++)
			if (!run_option_is_label(id) && !is_compared(comparison, id))
				r = add_option(comparison, row, part, option_at(id));
	return r;
}

int run_settings_make(struct run_comparison *comparison)
{
	size_t count = comparison->runs[0]->definition.workload_count;
	struct row row;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		if (find_samples(comparison, i, &row))
			r = add_workload(comparison, &row);
	return r;
}
