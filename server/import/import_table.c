/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_table.c - a plain table of figures that somebody published or wrote down.
 *
 *   { "schema": "volbench.table/1", "name": "...", "description"?: "...",
 *     "system"?: {"pool": "20 x 800 GB SATA SSD", ...},   facts, in words
 *     "memory"?: "220G",                                  RAM of the machine that was measured
 *     "mean_of"?: 3,                      measurements that each figure is the mean of, if known
 *     "base"?: {"stripe_unit": "64K"},                    figures are changes from there in percent
 *     "workloads": [{"name": "Mail", "rw": "randrw", ...},
 *                   or {"name": ..., "fio" or "diskspd": COMMAND LINE}],
 *     "rows": [{"levels"?: {"volblocksize": "4K", ...},
 *               "cells": {"Mail": CELL, ...}}] }
 *   CELL       {"read"|"write"|"trim"?: DIRECTION, "files"?: {"sequential create": FIGURE, ...},
 *               "seconds"?: 60, "mean_of"?: 3}
 *   DIRECTION  {"iops"?, "bandwidth"?, "operations"?, "bytes"?,
 *               "latency"?: {"min"?, "mean"?, "max"?, "stddev"?, "percentiles"?: {"99.9": ...}}}
 *              or in short "~33.8k / 264 MiB" (either may be "-"), "264 MiB/s", 33800
 *   FIGURE     a number, which is exact, or a text as printed.h reads it; of a latency with its
 *              unit. A list of them holds one a repeat.
 *
 * What is left out, null, "-" or "N/A" is not known. All rows have the same factors. A table with a
 * "base" knows only what changed: its figures become an index, 100 at the base, which gets a sample
 * of its own beside every row it is the base of (told.h).
 */
#include <errno.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/quantity.h"
#include "server/codec/fields.h"
#include "server/codec/json.h"
#include "server/codec/option_members.h"
#include "server/import/import_diskspd.h"
#include "server/import/sheet.h"
#include "server/import/table_cell.h"
#include "server/import/table_levels.h"

#define TABLE_SCHEMA "volbench.table/1"
#define TABLE_ROWS_MAX 1024
#define TABLE_FACTS_MAX 64
#define FACT_MAX 500 /* bytes of a fact */
#define COMMAND_MAX DISKSPD_COMMAND_MAX

struct table {
	struct import_sheet *sheet;
	struct fields in;
	uint64_t memory_bytes, mean_of;
	size_t workload_count;
	struct workload workloads[DEFINITION_WORKLOADS_MAX];
	char *given[DEFINITION_WORKLOADS_MAX];	/* command lines; or NULL */
	bool diskspd[DEFINITION_WORKLOADS_MAX]; /* command lines of it: */
	struct diskspd_profile profiles[DEFINITION_WORKLOADS_MAX];
	struct table_levels levels;
	/* Of the row at hand: the first one with the same base, and whether that has its sample. */
	size_t base_row;
	bool base_told[TABLE_ROWS_MAX][DEFINITION_WORKLOADS_MAX];
};

/* ---- what stands before the rows ---- */

static int read_name(const struct fields *in, const char *name, size_t max, const char **ret_text)
{
	const json_t *value = json_object_get(in->object, name);

	*ret_text = json_string_value(value);
	if (!value)
		return 0;
	if (!json_is_string(value))
		return fields_error(in, ERROR_WRONG_TYPE, name, "must be a text");
	if (json_string_length(value) < 1 || json_string_length(value) > max)
		return fields_error(in, ERROR_OUT_OF_RANGE, name, "must have 1 to %zu bytes", max);
	return 0;
}

static int read_facts(struct table *table)
{
	struct fields facts;
	const char *name, *value;
	json_t *member;
	int r;

	if (!fields_have(&table->in, "system"))
		return 0;
	r = get_object(&table->in, "system", &facts);
	if (r == 0 && json_object_size(facts.object) > TABLE_FACTS_MAX)
		return error_set(facts.err, ERROR_TOO_MANY, facts.pointer, "at most %d facts",
				 TABLE_FACTS_MAX);
	if (r < 0)
		return r;
	json_object_foreach ((json_t *)facts.object, name, member) { /* it is only read */
		if (!*name || strlen(name) > DEFINITION_NAME_MAX || !text_printable(name))
			return fields_error(&facts, ERROR_BAD_VALUE, name,
					    "a fact's name has 1 to %d bytes that can be printed",
					    DEFINITION_NAME_MAX);
		r = read_name(&facts, name, FACT_MAX, &value);
		if (r == 0 && !text_printable(value))
			r = fields_error(&facts, ERROR_BAD_VALUE, name, "cannot be printed");
		if (r == 0)
			r = sheet_fact(table->sheet, name, value, table->in.err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_memory(struct table *table)
{
	const json_t *value = json_object_get(table->in.object, "memory");
	struct error why = {0};
	char text[QUANTITY_TEXT_MAX];

	if (!value)
		return 0;
	if (json_is_integer(value))
		(void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
			       json_integer_value(value));
	else
		(void)snprintf(text, sizeof(text), "%s",
			       json_is_string(value) ? json_string_value(value) : "");
	if (quantity_parse_size(text, &table->memory_bytes, &why) < 0 || table->memory_bytes == 0)
		return fields_error(&table->in, ERROR_BAD_SIZE, "memory",
				    "must be a number of bytes, or a text as \"220G\"");
	return 0;
}

static int read_base(struct table *table)
{
	const json_t *base = json_object_get(table->in.object, "base");
	const char *name;
	json_t *value;

	if (!base)
		return 0;
	if (!json_is_object(base) || json_object_size(base) != 1)
		return fields_error(&table->in, ERROR_BAD_VALUE, "base",
				    "must be the factor and level that changes are told against, "
				    "as {\"stripe_unit\": \"64K\"}");
	json_object_foreach ((json_t *)base, name, value) { /* it is only read */
		table->levels.base_factor = name;
		table->levels.base_level = value;
	}
	return 0;
}

/* A name that people read, and that nobody else has. */
static int name_workload(struct table *table, const struct fields *in, size_t index)
{
	const char *name;
	int r = read_name(in, "name", option_at(OPTION_ID_NAME)->max, &name);

	if (r < 0)
		return r;
	if (!name)
		return fields_error(in, ERROR_MISSING_FIELD, "name", "is needed");
	for (size_t i = 0; i < index; i++)
		if (strcmp(table->workloads[i].name, name) == 0)
			return fields_error(in, ERROR_DUPLICATE, "name",
					    "another workload has this name");
	free(table->workloads[index].name);
	table->workloads[index].name = strdup(name);
	return table->workloads[index].name ? 0 : error_no_memory(in->err);
}

/* diskspd's switches as options. */
static int read_diskspd(struct table *table, const char *command, size_t index)
{
	int r = import_diskspd_command(command, &table->profiles[index], table->in.err);

	if (r < 0)
		return r;
	table->diskspd[index] = true;
	return import_diskspd_options(&table->profiles[index], &table->workloads[index]) < 0
		       ? error_no_memory(table->in.err)
		       : 0;
}

static int read_command(struct table *table, const struct fields *in, size_t index,
			const char *tool)
{
	const char *const members[] = {"name", tool, NULL};
	const char *command;
	int r = json_only_members(in->object, in->pointer, members, in->err);

	if (r == 0)
		r = read_name(in, tool, COMMAND_MAX, &command);
	if (r < 0)
		return r;
	table->given[index] = strdup(command);
	if (!table->given[index])
		return error_no_memory(in->err);
	if (strcmp(tool, "fio") == 0)
		r = workload_parse_fio(command, &table->workloads[index], in->err);
	else
		r = read_diskspd(table, command, index);
	if (r == -EINVAL)
		error_prefix_field(in->err, in->pointer);
	return r;
}

static int read_workload(struct table *table, const json_t *list, size_t index)
{
	static const char *const besides[] = {"name", NULL};
	struct workload *workload = &table->workloads[index];
	struct fields in;
	int r = get_element(&table->in, "workloads", list, index, &in);

	if (r < 0)
		return r;
	workload_init(workload);
	table->workload_count++;
	if (fields_have(&in, "fio"))
		r = read_command(table, &in, index, "fio");
	else if (fields_have(&in, "diskspd"))
		r = read_command(table, &in, index, "diskspd");
	else
		r = option_members_decode(in.object, in.pointer, besides, workload, in.err);
	return r < 0 ? r : name_workload(table, &in, index);
}

static int read_head(struct table *table)
{
	static const char *const members[] = {"schema",	 "name", "description", "system", "memory",
					      "mean_of", "base", "workloads",	"rows",	  NULL};
	struct fields *in = &table->in;
	const char *name, *description;
	const json_t *workloads;
	int r = get_schema(in, TABLE_SCHEMA);

	if (r == 0)
		r = json_only_members(in->object, "", members, in->err);
	if (r == 0)
		r = read_name(in, "name", DEFINITION_NAME_MAX, &name);
	if (r == 0)
		r = read_name(in, "description", DEFINITION_TEXT_MAX, &description);
	if (r == 0)
		r = sheet_describe(table->sheet, name, description, in->err);
	if (r == 0)
		r = read_facts(table);
	if (r == 0)
		r = read_memory(table);
	if (r == 0)
		r = table_cell_count(in, "mean_of", UINT32_MAX, &table->mean_of);
	if (r == 0)
		r = read_base(table);
	if (r == 0)
		r = get_array(in, "workloads", DEFINITION_WORKLOADS_MAX, &workloads);
	for (size_t i = 0; r == 0 && i < json_array_size(workloads); i++)
		r = read_workload(table, workloads, i);
	return r < 0 ? r : get_array(in, "rows", TABLE_ROWS_MAX, &table->levels.rows);
}

/* ---- cells ---- */

static int make_source(const struct table *table, const struct fields *cell, size_t workload,
		       struct sample *sample)
{
	const char *given = table->given[workload];
	struct sample_source *source;
	int r;

	sample->source = source = sample_source_new(TABLE_SCHEMA, sheet_file(table->sheet)->name);
	if (!source)
		return error_no_memory(cell->err);
	source->given = given ? strdup(given) : NULL;
	if (given && !source->given)
		return error_no_memory(cell->err);
	source->memory_bytes = table->memory_bytes;
	source->index = table->levels.base_factor != NULL;
	r = table_cell_count(cell, "mean_of", UINT32_MAX, &source->samples);
	if (source->samples == 0)
		source->samples = table->mean_of;
	return r;
}

static int fill(const struct table *table, const struct fields *row, const struct fields *cell,
		size_t workload, bool base, size_t repeats, size_t repeat, struct sample *sample)
{
	int r = workload_copy(&table->workloads[workload], &sample->options);

	if (r == 0)
		sample->workload = strdup(table->workloads[workload].name);
	if (r == 0 && sample->workload && table->diskspd[workload])
		r = import_diskspd_findings(&table->profiles[workload], false, sample);
	if (r < 0 || !sample->workload)
		return error_no_memory(row->err);
	r = table_levels_read(&table->levels, row, base, sample);
	if (r == 0)
		r = make_source(table, cell, workload, sample);
	if (r == 0)
		r = table_cell_read(cell, repeats, repeat, sample);
	if (r == 0 && base)
		table_cell_base(sample);
	return r;
}

static int add_sample(struct table *table, const struct fields *row, const struct fields *cell,
		      size_t workload, bool base, size_t repeats, size_t repeat)
{
	struct sample sample;
	int r;

	sample_init(&sample);
	r = fill(table, row, cell, workload, base, repeats, repeat, &sample);
	if (r == 0 && !table_cell_empty(&sample)) {
		table->base_told[table->base_row][workload] |= base;
		return sheet_add(table->sheet, &sample, row->err);
	}
	sample_done(&sample); /* of which nothing is told: was not measured */
	return r;
}

static int read_cell(struct table *table, const struct fields *row, const struct fields *cells,
		     const char *name)
{
	struct fields cell;
	size_t workload = 0, repeats;
	int r;

	while (workload < table->workload_count &&
	       strcmp(table->workloads[workload].name, name) != 0)
		workload++;
	if (workload == table->workload_count)
		return fields_error(cells, ERROR_BAD_VALUE, name, "no workload has this name");
	if (json_is_null(json_object_get(cells->object, name)))
		return 0; /* was not measured */
	r = get_object(cells, name, &cell);
	if (r == 0)
		r = table_cell_repeats(&cell, &repeats);
	if (r == 0 && repeats > 1 && table->levels.base_factor)
		return fields_error(cells, ERROR_BAD_VALUE, name,
				    "a change from the base is told once: without a list");
	if (r == 0 && table->levels.base_factor && !table->base_told[table->base_row][workload])
		r = add_sample(table, row, &cell, workload, true, 1, 0);
	for (size_t i = 0; r == 0 && i < repeats; i++)
		r = add_sample(table, row, &cell, workload, false, repeats, i);
	return r;
}

static int read_row(struct table *table, size_t index)
{
	static const char *const members[] = {"levels", "cells", NULL};
	struct fields row, cells;
	const char *name;
	json_t *member;
	int r = get_element(&table->in, "rows", table->levels.rows, index, &row);

	if (r == 0)
		r = json_only_members(row.object, row.pointer, members, row.err);
	if (r == 0)
		r = get_object(&row, "cells", &cells);
	if (r < 0)
		return r;
	if (table->levels.base_factor)
		table->base_row = table_levels_base_row(&table->levels, index);
	json_object_foreach ((json_t *)cells.object, name, member) { /* it is only read */
		r = read_cell(table, &row, &cells, name);
		if (r < 0)
			return r;
	}
	return 0;
}

static int find_index(const struct table *table)
{
	if (!table->levels.base_factor)
		return 0;
	return sheet_find(table->sheet, FINDING_WARNING, "changes_only",
			  "Only changes in percent are told, neither what was measured nor how "
			  "much it varies: figures are an index, 100 at the base, and no "
			  "operations or bytes a second.",
			  table->in.err);
}

static int read_table(struct table *table, const json_t *document, struct error *err)
{
	int r = fields_of(document, "", err, &table->in);

	if (r == 0)
		r = read_head(table);
	if (r == 0)
		r = find_index(table);
	for (size_t i = 0; r == 0 && i < json_array_size(table->levels.rows); i++)
		r = read_row(table, i);
	return r;
}

/* ---- the reader ---- */

/* JSON that names a table's schema, of whatever version, wherever that stands. */
static bool recognise(const char *text, size_t size)
{
	static const char mark[] = "\"volbench.table/";
	size_t at = 0;

	while (at < size && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	return at < size && text[at] == '{' && memmem(text + at, size - at, mark, sizeof(mark) - 1);
}

static int read_text(struct import_sheet *sheet, const char *text, size_t size, struct error *err)
{
	struct table *table = calloc(1, sizeof(*table));
	json_t *document = NULL;
	struct error why = {0};
	int r;

	if (!table)
		return error_no_memory(err);
	table->sheet = sheet;
	r = json_read(text, size, &document, &why);
	if (r == 0)
		r = read_table(table, document, &why);
	for (size_t i = 0; i < table->workload_count; i++)
		workload_done(&table->workloads[i]);
	for (size_t i = 0; i < DEFINITION_WORKLOADS_MAX; i++)
		free(table->given[i]);
	free(table);
	json_decref(document);
	if (r == 0)
		return 0;
	if (r != -EINVAL || strncmp(why.field, "/files/", 7) == 0) { /* not of the document */
		if (err)
			*err = why;
		return r;
	}
	return sheet_error(sheet, err, 0, "%s%s%s", why.field, *why.field ? ": " : "", why.message);
}

const struct import_reader import_reader_table = {IMPORT_TABLE, recognise, read_text};
