/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sheet.c - see sheet.h: samples as they come, their workloads, factors and levels by index.
 * What a whole is made of them stands in sheet_finish.c.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/definition_imported.h"
#include "server/import/sheet_whole.h"

/* ---- the whole ---- */

struct import_sheet *sheet_new(const struct import_request *request)
{
	struct import_sheet *sheet = calloc(1, sizeof(*sheet));

	if (!sheet)
		return NULL;
	sheet->request = request;
	findings_init(&sheet->findings);
	return sheet;
}

static void names_done(struct sheet_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
}

void sheet_free(struct import_sheet *sheet)
{
	if (!sheet)
		return;
	names_done(&sheet->workloads);
	for (size_t i = 0; i < sheet->factor_count; i++) {
		free(sheet->factors[i].name);
		names_done(&sheet->factors[i].levels);
	}
	for (size_t i = 0; i < sheet->count; i++)
		sample_done(&sheet->samples[i]);
	free(sheet->samples);
	free(sheet->places);
	free(sheet->name);
	free(sheet->description);
	for (size_t i = 0; i < sheet->fact_count; i++) {
		free(sheet->facts[i].name);
		free(sheet->facts[i].value);
	}
	free(sheet->facts);
	findings_done(&sheet->findings);
	free(sheet);
}

void sheet_begin(struct import_sheet *sheet, size_t file)
{
	sheet->file = file;
}

const struct import_file *sheet_file(const struct import_sheet *sheet)
{
	return &sheet->request->files[sheet->file];
}

size_t sheet_file_count(const struct import_sheet *sheet)
{
	return sheet->request->file_count;
}

/* ---- errors ---- */

/* "fio.json: line 3: ", as much of it as there is. */
static void place_text(const struct import_sheet *sheet, size_t line, char *buffer, size_t size)
{
	const char *name = sheet_file(sheet)->name;
	char quoted[TEXT_EXCERPT_MAX], at[40] = "";

	if (line > 0)
		(void)snprintf(at, sizeof(at), "line %zu: ", line);
	(void)snprintf(buffer, size, "%s%s%s", name ? text_excerpt(name, quoted) : "",
		       name ? ": " : "", at);
}

int sheet_error(const struct import_sheet *sheet, struct error *err, size_t line,
		const char *message, ...)
{
	char field[32], place[TEXT_EXCERPT_MAX + 48], text[ERROR_MESSAGE_MAX];
	va_list args;

	(void)snprintf(field, sizeof(field), "/files/%zu", sheet->file);
	place_text(sheet, line, place, sizeof(place));
	va_start(args, message);
	(void)vsnprintf(text, sizeof(text), message, args);
	va_end(args);
	return error_set(err, ERROR_BAD_VALUE, field, "%s%s", place, text);
}

static int too_many(const struct import_sheet *sheet, struct error *err, const char *what,
		    size_t most)
{
	int r = sheet_error(sheet, err, 0, "more than %zu %s, the most that one result takes", most,
			    what);

	if (err)
		err->code = ERROR_TOO_MANY;
	return r;
}

/* ---- names ---- */

/* The index of a name, which is added where it is new. */
static int find_or_add(struct sheet_names *names, const char *name, size_t *ret_index)
{
	char **list;

	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->list[i], name) != 0)
			continue;
		*ret_index = i;
		return 0;
	}
	list = reallocarray(names->list, names->count + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	names->list = list;
	list[names->count] = strdup(name);
	if (!list[names->count])
		return -ENOMEM;
	*ret_index = names->count++;
	return 0;
}

static bool name_before(const struct import_request *request, size_t file)
{
	const char *name = request->files[file].name;

	for (size_t i = 0; i < file; i++)
		if (!request->files[i].label && request->files[i].name &&
		    strcmp(request->files[i].name, name) == 0)
			return true;
	return false;
}

char *sheet_file_label(const struct import_request *request, size_t file)
{
	const struct import_file *at = &request->files[file];
	char text[DEFINITION_NAME_MAX + 1], clean[DEFINITION_NAME_MAX - 16];

	if (at->label)
		return strdup(at->label);
	if (!at->name || !*at->name)
		(void)snprintf(text, sizeof(text), "file %zu", file + 1);
	else if (name_before(request, file))
		(void)snprintf(text, sizeof(text), "%s (%zu)",
			       text_clean(at->name, clean, sizeof(clean)), file + 1);
	else
		(void)text_clean(at->name, text, sizeof(text));
	return strdup(text);
}

/* ---- samples ---- */

static bool brings(const struct sample *sample, const char *factor)
{
	for (size_t i = 0; i < sample->level_count; i++)
		if (strcmp(sample->levels[i].factor, factor) == 0)
			return true;
	return false;
}

/* The file's label as the sample's level, where files are compared and it brings none itself. */
static int add_file_level(const struct import_sheet *sheet, struct sample *sample)
{
	const struct import_request *request = sheet->request;
	const char *factor = request->factor ? request->factor : "file";
	struct level *levels;

	if (request->file_count == 1 && !request->factor && !sheet_file(sheet)->label)
		return 0;
	if (brings(sample, factor))
		return 0;
	levels = reallocarray(sample->levels, sample->level_count + 1, sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	sample->levels = levels;
	levels[sample->level_count] = (struct level){
		.factor = strdup(factor), .value = sheet_file_label(request, sheet->file)};
	sample->level_count++; /* freed with it, whatever is missing */
	return levels[sample->level_count - 1].factor && levels[sample->level_count - 1].value
		       ? 0
		       : -ENOMEM;
}

static int find_factor(struct import_sheet *sheet, const char *name, size_t *ret_index,
		       struct error *err)
{
	size_t i = 0;

	while (i < sheet->factor_count && strcmp(sheet->factors[i].name, name) != 0)
		i++;
	*ret_index = i;
	if (i < sheet->factor_count)
		return 0;
	if (i == DEFINITION_FACTORS_MAX)
		return too_many(sheet, err, "factors", DEFINITION_FACTORS_MAX);
	sheet->factors[i].name = strdup(name);
	if (!sheet->factors[i].name)
		return error_no_memory(err);
	sheet->factor_count++;
	return 0;
}

static int check_level(const struct import_sheet *sheet, const struct level *level,
		       struct error *err)
{
	size_t length = strlen(level->value), factor = strlen(level->factor);
	char quoted[TEXT_EXCERPT_MAX];

	if (length >= 1 && length <= DEFINITION_NAME_MAX && text_printable(level->value) &&
	    factor >= 1 && factor <= DEFINITION_NAME_MAX && text_printable(level->factor))
		return 0;
	return sheet_error(sheet, err, 0,
			   "the level \"%s\" of a factor: both have 1 to %d bytes without control "
			   "characters",
			   text_excerpt(level->value, quoted), DEFINITION_NAME_MAX);
}

/* "4096" and "4k" are one level of bs. */
static int make_canonical(const struct import_sheet *sheet, struct level *level, struct error *err)
{
	struct error why = {0};
	char *text = NULL;
	int r = definition_imported_level(level->factor, level->value, &text, &why);

	if (r < 0)
		return r == -ENOMEM ? error_no_memory(err)
				    : sheet_error(sheet, err, 0, "%s", why.message);
	free(level->value);
	level->value = text;
	return 0;
}

static int find_level(struct import_sheet *sheet, struct level *level, struct sheet_place *place,
		      struct error *err)
{
	size_t factor = 0, index = 0;
	int r = check_level(sheet, level, err);

	if (r == 0)
		r = make_canonical(sheet, level, err);
	if (r == 0)
		r = find_factor(sheet, level->factor, &factor, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < place->level_count; i++)
		if (place->factors[i] == factor)
			return sheet_error(sheet, err, 0, "a sample has two levels of one factor");
	if (find_or_add(&sheet->factors[factor].levels, level->value, &index) < 0)
		return error_no_memory(err);
	if (index >= DEFINITION_LEVELS_MAX)
		return too_many(sheet, err, "levels of a factor", DEFINITION_LEVELS_MAX);
	place->factors[place->level_count] = factor;
	place->levels[place->level_count++] = index;
	return 0;
}

static int find_place(struct import_sheet *sheet, struct sample *sample, struct sheet_place *place,
		      struct error *err)
{
	int r = 0;

	place->file = sheet->file;
	if (find_or_add(&sheet->workloads, sample->workload, &place->workload) < 0)
		return error_no_memory(err);
	if (place->workload >= DEFINITION_WORKLOADS_MAX)
		return too_many(sheet, err, "workloads", DEFINITION_WORKLOADS_MAX);
	for (size_t i = 0; i < sample->level_count && r == 0; i++)
		r = find_level(sheet, &sample->levels[i], place, err);
	return r;
}

/* Readers leave out what does not stand in their text; nobody after them meets a NULL. */
static int complete_texts(struct sample *sample)
{
	char **texts[] = {&sample->workload, &sample->target, &sample->backend};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!*texts[i])
			*texts[i] = strdup(i == 0 ? "imported" : "");
		if (!*texts[i])
			return -ENOMEM;
	}
	return sample->source ? 0 : -EINVAL;
}

static int make_room(struct import_sheet *sheet)
{
	size_t room = sheet->room > 0 ? 2 * sheet->room : 16;
	struct sheet_place *places;
	struct sample *samples;

	if (sheet->count < sheet->room)
		return 0;
	samples = reallocarray(sheet->samples, room, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	sheet->samples = samples;
	places = reallocarray(sheet->places, room, sizeof(*places));
	if (!places)
		return -ENOMEM;
	sheet->places = places;
	sheet->room = room;
	return 0;
}

static uint64_t histogram_bytes(const struct histogram *histogram)
{
	return histogram ? (histogram_end(histogram) - histogram_first(histogram)) *
				   sizeof(histogram->buckets[0])
			 : 0;
}

static uint64_t latency_bytes(const struct sample *sample)
{
	uint64_t bytes = histogram_bytes(sample->sync) + histogram_bytes(sample->datasync) +
			 histogram_bytes(sample->end_fsync);

	for (int d = 0; d < DIRECTION_COUNT; d++)
		bytes += histogram_bytes(sample->directions[d].latency) +
			 histogram_bytes(sample->directions[d].submission) +
			 histogram_bytes(sample->directions[d].completion);
	return bytes;
}

static int add(struct import_sheet *sheet, struct sample *sample, struct error *err)
{
	struct sheet_place place = {0};
	int r;

	if (sheet->count >= DEFINITION_SAMPLES_MAX)
		return too_many(sheet, err, "samples", DEFINITION_SAMPLES_MAX);
	sheet->latency_bytes += latency_bytes(sample);
	if (sheet->latency_bytes > SHEET_LATENCY_MAX)
		return too_many(sheet, err, "MiB of latencies", SHEET_LATENCY_MAX >> 20);
	r = complete_texts(sample);
	if (r == 0)
		r = add_file_level(sheet, sample);
	if (r == 0)
		r = make_room(sheet);
	if (r < 0)
		return r == -ENOMEM ? error_no_memory(err)
				    : sheet_error(sheet, err, 0, "a sample without a source");
	r = find_place(sheet, sample, &place, err);
	if (r < 0)
		return r;
	sheet->places[sheet->count] = place;
	sheet->samples[sheet->count] = *sample;
	sheet->samples[sheet->count].order = sheet->count;
	sheet->count++;
	sample_init(sample); /* moved */
	return 0;
}

int sheet_add(struct import_sheet *sheet, struct sample *sample, struct error *err)
{
	int r = add(sheet, sample, err);

	if (r < 0)
		sample_done(sample);
	return r;
}

/* ---- what else a text tells ---- */

static const struct result_fact *find_fact(const struct import_sheet *sheet, const char *name)
{
	for (size_t i = 0; i < sheet->fact_count; i++)
		if (strcmp(sheet->facts[i].name, name) == 0)
			return &sheet->facts[i];
	return NULL;
}

static int add_fact(struct import_sheet *sheet, const char *name, const char *value,
		    struct error *err)
{
	struct result_fact *facts;

	if (sheet->fact_count >= SHEET_FACTS_MAX)
		return too_many(sheet, err, "facts", SHEET_FACTS_MAX);
	facts = reallocarray(sheet->facts, sheet->fact_count + 1, sizeof(*facts));
	if (!facts)
		return error_no_memory(err);
	sheet->facts = facts;
	facts[sheet->fact_count] =
		(struct result_fact){.name = strdup(name), .value = strdup(value)};
	sheet->fact_count++;
	return facts[sheet->fact_count - 1].name && facts[sheet->fact_count - 1].value
		       ? 0
		       : error_no_memory(err);
}

int sheet_fact(struct import_sheet *sheet, const char *name, const char *value, struct error *err)
{
	const struct result_fact *known = find_fact(sheet, name);
	AUTO_FREE char *of_file = NULL, *label = NULL;

	if (strlen(name) > DEFINITION_NAME_MAX || strlen(value) > DEFINITION_TEXT_MAX)
		return sheet_error(sheet, err, 0,
				   "a fact has a name of at most %d bytes and at "
				   "most %d bytes of text",
				   DEFINITION_NAME_MAX, DEFINITION_TEXT_MAX);
	if (known && strcmp(known->value, value) == 0)
		return 0;
	if (!known)
		return add_fact(sheet, name, value, err);
	label = sheet_file_label(sheet->request, sheet->file);
	if (!label || asprintf(&of_file, "%s (%s)", name, label) < 0) {
		of_file = NULL; /* it is undefined after a failure */
		return error_no_memory(err);
	}
	known = find_fact(sheet, of_file);
	if (known && strcmp(known->value, value) != 0) { /* of another file with this label */
		free(of_file);
		if (asprintf(&of_file, "%s (%s, file %zu)", name, label, sheet->file + 1) < 0) {
			of_file = NULL;
			return error_no_memory(err);
		}
		known = find_fact(sheet, of_file);
	}
	if (known && strcmp(known->value, value) != 0)
		return sheet_error(sheet, err, 0,
				   "the fact \"%.60s\" is there twice with two values", name);
	return known ? 0 : add_fact(sheet, of_file, value, err);
}

/* The first file that tells it decides. */
static int keep_first(char **kept, const char *text, size_t most)
{
	char *copy;

	if (*kept || !text)
		return 0;
	copy = malloc(most + 1);
	if (!copy)
		return -ENOMEM;
	*kept = copy;
	(void)text_clean(text, copy, most + 1);
	return 0;
}

int sheet_describe(struct import_sheet *sheet, const char *name, const char *description,
		   struct error *err)
{
	if (keep_first(&sheet->name, name, DEFINITION_NAME_MAX) < 0 ||
	    keep_first(&sheet->description, description, DEFINITION_TEXT_MAX) < 0)
		return error_no_memory(err);
	return 0;
}

int sheet_find(struct import_sheet *sheet, enum finding_severity severity, const char *code,
	       const char *message, struct error *err)
{
	char place[TEXT_EXCERPT_MAX + 48];

	if (sheet->findings.count >= SHEET_FINDINGS_MAX)
		return 0; /* enough has been said; what was found is kept all the same */
	place_text(sheet, 0, place, sizeof(place));
	return findings_add(&sheet->findings, severity, code, NULL, NULL, NULL, NULL, "%s%s", place,
			    message) < 0
		       ? error_no_memory(err)
		       : 0;
}
