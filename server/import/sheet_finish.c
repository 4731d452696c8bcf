/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sheet_finish.c - sheet_finish() of sheet_whole.h: of the samples on the sheet a definition that
 * they are samples of, and the result of both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/checks.h"
#include "engine/base/text.h"
#include "engine/plan/definition_imported.h"
#include "server/import/sheet_whole.h"

/* ---- name and description ---- */

/* "dir/fio-4k.json" -> "fio-4k" */
static void name_of_file(const char *path, char *buffer, size_t size)
{
	const char *slash = strrchr(path, '/');
	char *dot;

	(void)text_clean(slash && slash[1] ? slash + 1 : path, buffer, size);
	dot = strrchr(buffer, '.');
	if (dot && dot != buffer)
		*dot = '\0';
}

static int give_texts(const struct import_sheet *sheet, struct definition *definition)
{
	const struct import_request *request = sheet->request;
	const char *description = request->description ? request->description : sheet->description;
	char name[DEFINITION_NAME_MAX + 1] = "imported";

	if (request->name)
		definition->name = strdup(request->name);
	else if (sheet->name && *sheet->name && text_printable(sheet->name))
		definition->name = strdup(sheet->name);
	else {
		if (request->files[0].name && request->files[0].name[0])
			name_of_file(request->files[0].name, name, sizeof(name));
		definition->name = strdup(text_printable(name) && *name ? name : "imported");
	}
	if (description)
		definition->description = strdup(description);
	return definition->name && (definition->description || !description) ? 0 : -ENOMEM;
}

/* ---- factors ---- */

static int make_factor(const struct sheet_factor *from, struct factor *factor)
{
	factor->name = strdup(from->name);
	factor->levels = calloc(from->levels.count + 1, sizeof(*factor->levels));
	if (!factor->name || !factor->levels)
		return -ENOMEM;
	for (size_t i = 0; i < from->levels.count; i++) {
		factor->levels[i] = strdup(from->levels.list[i]);
		if (!factor->levels[i])
			return -ENOMEM;
		factor->level_count = i + 1;
	}
	return 0;
}

static int make_factors(const struct import_sheet *sheet, struct definition *definition,
			struct error *err)
{
	definition->factors = calloc(sheet->factor_count + 1, sizeof(*definition->factors));
	if (!definition->factors)
		return error_no_memory(err);
	for (size_t i = 0; i < sheet->factor_count; i++) {
		int r;

		definition->factor_count = i + 1;
		if (make_factor(&sheet->factors[i], &definition->factors[i]) < 0)
			return error_no_memory(err);
		r = definition_imported_factor(&definition->factors[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Every sample has a level of every factor, else it would stand in no cell. */
static int check_whole(struct import_sheet *sheet, struct error *err)
{
	for (size_t i = 0; i < sheet->count; i++) {
		const struct sheet_place *place = &sheet->places[i];
		bool has[DEFINITION_FACTORS_MAX] = {false};

		for (size_t k = 0; k < place->level_count; k++)
			has[place->factors[k]] = true;
		for (size_t k = 0; k < sheet->factor_count; k++) {
			if (has[k])
				continue;
			sheet_begin(sheet, place->file);
			return sheet_error(sheet, err, 0,
					   "has no level of the factor \"%.60s\", which other "
					   "files have; import it by itself",
					   sheet->factors[k].name);
		}
	}
	return 0;
}

/* The sample's levels in the order of the factors. */
static void order_levels(const struct import_sheet *sheet, struct sample *sample,
			 const struct sheet_place *place)
{
	struct level sorted[DEFINITION_FACTORS_MAX];

	for (size_t i = 0; i < sheet->factor_count; i++)
		sorted[place->factors[i]] = sample->levels[i];
	if (sheet->factor_count > 0)
		memcpy(sample->levels, sorted, sheet->factor_count * sizeof(*sorted));
}

/* A level of an option says what the option was: a text that says another thing is wrong. */
static int apply_levels(struct import_sheet *sheet, const struct definition *definition,
			size_t index, struct error *err)
{
	struct sample *sample = &sheet->samples[index];

	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct option *option = definition->factors[i].option;
		AUTO_FREE char *own = NULL;

		if (!option)
			continue;
		if (!workload_is_set(&sample->options, option->id)) {
			int r = option_parse(option, sample->levels[i].value, &sample->options,
					     err);

			if (r < 0)
				return r;
			continue;
		}
		own = option_format(option, &sample->options);
		if (!own)
			return error_no_memory(err);
		if (strcmp(own, sample->levels[i].value) == 0)
			continue;
		sheet_begin(sheet, sheet->places[index].file);
		return sheet_error(sheet, err, 0,
				   "the level of %s is %.60s, but the file itself says %.60s",
				   option->name, sample->levels[i].value, own);
	}
	return 0;
}

/* ---- workloads ---- */

static int name_workload(const struct import_sheet *sheet, size_t index, struct workload *workload,
			 struct error *err)
{
	const struct import_request *request = sheet->request;
	bool labelled = index < request->label_count;
	const char *name = labelled ? request->labels[index] : sheet->workloads.list[index];
	char field[ERROR_FIELD_MAX];
	int r = option_parse(option_at(OPTION_ID_NAME), name, workload, err);

	if (r != -EINVAL || !err)
		return r;
	if (labelled)
		(void)snprintf(field, sizeof(field), "/labels/%zu", index);
	else
		(void)snprintf(field, sizeof(field), "/files");
	memcpy(err->field, field, sizeof(field));
	return r;
}

/* Whether an option is a factor, whose levels say it. */
static bool is_factor(const struct definition *definition, enum option_id id)
{
	for (size_t i = 0; i < definition->factor_count; i++)
		if (definition->factors[i].option && definition->factors[i].option->id == id)
			return true;
	return false;
}

/* 1: the same value; 0: another, or none; -ENOMEM. */
static int same_value(const struct option *option, const struct workload *a,
		      const struct workload *b)
{
	AUTO_FREE char *left = NULL, *right = NULL;

	if (!workload_is_set(a, option->id))
		return 0;
	left = option_format(option, a);
	right = option_format(option, b);
	return left && right ? strcmp(left, right) == 0 : -ENOMEM;
}

/* The options of the first sample of each workload, */
static int first_options(const struct sample *sample, const struct definition *definition,
			 struct workload *workload)
{
	int r = 0;

	for (int id = 0; id < OPTION_ID_COUNT && r == 0; id++)
		if (id != OPTION_ID_NAME && workload_is_set(&sample->options, (enum option_id)id) &&
		    !is_factor(definition, (enum option_id)id))
			r = option_copy(option_at((enum option_id)id), &sample->options, workload);
	return r;
}

/* less those that another sample does not have alike. */
static int keep_common(const struct sample *sample, struct workload *workload)
{
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		int same;

		if (id == OPTION_ID_NAME || !workload_is_set(workload, (enum option_id)id))
			continue;
		same = same_value(option_at((enum option_id)id), &sample->options, workload);
		if (same < 0)
			return same;
		if (same)
			continue;
		option_free(option_at((enum option_id)id), workload);
		workload_unset(workload, (enum option_id)id);
	}
	return 0;
}

static int make_workloads(const struct import_sheet *sheet, struct definition *definition,
			  struct error *err)
{
	bool begun[DEFINITION_WORKLOADS_MAX] = {false};
	int r = 0;

	definition->workloads = calloc(sheet->workloads.count, sizeof(*definition->workloads));
	if (!definition->workloads)
		return error_no_memory(err);
	definition->workload_count = sheet->workloads.count;
	for (size_t i = 0; i < definition->workload_count && r == 0; i++)
		r = name_workload(sheet, i, &definition->workloads[i], err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < sheet->count && r == 0; i++) {
		size_t index = sheet->places[i].workload;
		struct workload *workload = &definition->workloads[index];

		r = begun[index] ? keep_common(&sheet->samples[i], workload)
				 : first_options(&sheet->samples[i], definition, workload);
		begun[index] = true;
	}
	return r < 0 ? error_no_memory(err) : 0;
}

/* In what readers have found of a sample as well. */
static int rename_findings(struct findings *findings, const char *from, const char *to)
{
	for (size_t i = 0; i < findings->count; i++)
		for (size_t k = 0; k < findings->list[i].workload_count; k++) {
			char **name = &findings->list[i].workloads[k];
			char *copy;

			if (strcmp(*name, from) != 0)
				continue;
			copy = strdup(to);
			if (!copy)
				return -ENOMEM;
			free(*name);
			*name = copy;
		}
	return 0;
}

/* Labels may be the names of workloads now. */
static int rename_samples(const struct import_sheet *sheet, const struct definition *definition)
{
	for (size_t i = 0; i < sheet->count; i++) {
		const char *name = definition->workloads[sheet->places[i].workload].name;
		struct sample *sample = &sheet->samples[i];
		char *copy;

		if (rename_findings(&sample->findings, sample->workload, name) < 0)
			return -ENOMEM;
		copy = strdup(name);
		if (!copy)
			return -ENOMEM;
		free(sample->workload);
		sample->workload = copy;
	}
	return 0;
}

/* ---- repeats ---- */

struct ranked {
	size_t cell, index;
};

static int by_cell(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->cell != right->cell)
		return left->cell < right->cell ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

/* A number for each combination; they are at most 64^9, which fits. */
static size_t cell_number(const struct import_sheet *sheet, const struct sheet_place *place)
{
	size_t levels[DEFINITION_FACTORS_MAX] = {0}, number = place->workload;

	for (size_t i = 0; i < place->level_count; i++)
		levels[place->factors[i]] = place->levels[i];
	for (size_t i = 0; i < sheet->factor_count; i++)
		number = number * DEFINITION_LEVELS_MAX + levels[i];
	return number;
}

/* Samples of one cell are its repeats, in the order they came. */
static int count_repeats(const struct import_sheet *sheet, unsigned int *ret_repeats,
			 struct error *err)
{
	AUTO_FREE struct ranked *ranked = calloc(sheet->count, sizeof(*ranked));
	unsigned int repeat = 0, most = 0;

	if (!ranked)
		return error_no_memory(err);
	for (size_t i = 0; i < sheet->count; i++)
		ranked[i] = (struct ranked){cell_number(sheet, &sheet->places[i]), i};
	qsort(ranked, sheet->count, sizeof(*ranked), by_cell);
	for (size_t i = 0; i < sheet->count; i++) {
		repeat = i > 0 && ranked[i].cell == ranked[i - 1].cell ? repeat + 1 : 1;
		sheet->samples[ranked[i].index].repeat = repeat;
		if (repeat > most)
			most = repeat;
	}
	if (most > DEFINITION_REPEATS_MAX)
		return error_set(err, ERROR_TOO_MANY, "/files",
				 "%u samples of one workload at the same levels; at most %d are "
				 "taken as repeats: tell them apart by labels",
				 most, DEFINITION_REPEATS_MAX);
	*ret_repeats = most;
	return 0;
}

/* ---- the result ---- */

static int make_definition(struct import_sheet *sheet, struct definition *definition,
			   struct error *err)
{
	int r;

	definition->imported = true;
	definition->order = ORDER_GROUPED; /* nothing is known of blocks */
	r = check_whole(sheet, err);
	if (r == 0 && give_texts(sheet, definition) < 0)
		r = error_no_memory(err);
	if (r == 0)
		r = make_factors(sheet, definition, err);
	for (size_t i = 0; i < sheet->count && r == 0; i++) {
		order_levels(sheet, &sheet->samples[i], &sheet->places[i]);
		r = apply_levels(sheet, definition, i, err);
	}
	if (r == 0)
		r = make_workloads(sheet, definition, err);
	if (r == 0)
		r = count_repeats(sheet, &definition->repeats, err);
	return r < 0 ? r : definition_check(definition, err);
}

static int check_samples(const struct import_sheet *sheet)
{
	int r = 0;

	for (size_t i = 0; i < sheet->count && r == 0; i++)
		r = checks_sample(&sheet->samples[i]);
	return r;
}

/* Nothing of these is the sheet's any more. */
static void move(struct import_sheet *sheet, struct result *result)
{
	result->samples = TAKE_PTR(sheet->samples);
	result->sample_count = result->planned_samples = sheet->count;
	sheet->count = sheet->room = 0;
	result->facts = TAKE_PTR(sheet->facts);
	result->fact_count = sheet->fact_count;
	sheet->fact_count = 0;
	result->findings = sheet->findings;
	findings_init(&sheet->findings);
	result->state = RUN_DONE;
}

int sheet_finish(struct import_sheet *sheet, struct result *result, struct error *err)
{
	int r;

	if (sheet->count == 0)
		return error_set(err, ERROR_MISSING_FIELD, "/files", "nothing was measured in %s",
				 sheet->request->file_count == 1 ? "the file" : "any of the files");
	r = make_definition(sheet, &result->definition, err);
	if (r == 0 && (rename_samples(sheet, &result->definition) < 0 || check_samples(sheet) < 0))
		r = error_no_memory(err);
	if (r == 0)
		move(sheet, result);
	else
		result_done(result);
	return r;
}
