/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_cell.c - see table_cell.h. */
#include "server/import/table_cell.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/definition.h"
#include "engine/plan/file_phases.h"
#include "server/codec/json.h"
#include "server/import/printed.h"

#define FIGURE_MAX 1e18 /* operations or bytes a second, or ns */
#define SECONDS_MAX 3.2e8
#define BASE_INDEX 100.0
#define PERCENTILES_MAX 64 /* of one direction of a cell */

/* A cell that is being read. */
struct cell {
	size_t repeats, repeat;
	struct sample *sample;
};

/* ---- values and lists of them ---- */

static int count_lists(const struct fields *in, const json_t *value, size_t *repeats, int depth)
{
	const char *name;
	json_t *member;

	if (json_is_array(value)) {
		size_t count = json_array_size(value);

		if (count < 1 || (*repeats > 0 && count != *repeats))
			return error_set(in->err, ERROR_BAD_VALUE, in->pointer,
					 "a list holds a value for each repeat: all lists of a "
					 "cell have the same length, at least 1");
		if (count > DEFINITION_REPEATS_MAX)
			return error_set(in->err, ERROR_TOO_MANY, in->pointer, "at most %d repeats",
					 DEFINITION_REPEATS_MAX);
		*repeats = count;
		return 0;
	}
	if (!json_is_object(value) || depth == 0)
		return 0;
	json_object_foreach ((json_t *)value, name, member) { /* it is only read */
		int r = count_lists(in, member, repeats, depth - 1);

		if (r < 0)
			return r;
	}
	return 0;
}

int table_cell_repeats(const struct fields *cell, size_t *ret_repeats)
{
	size_t repeats = 0;
	int r = count_lists(cell, cell->object, &repeats, 4); /* read.latency.percentiles.99 */

	if (r < 0)
		return r;
	*ret_repeats = repeats > 0 ? repeats : 1;
	return 0;
}

/* A member's value in this repeat; *ret_value is NULL where there is none (absent, or null). */
static int value_of(const struct fields *in, const struct cell *cell, const char *name,
		    const json_t **ret_value)
{
	const json_t *value = json_object_get(in->object, name);

	if (json_is_array(value))
		value = json_array_get(value, cell->repeat);
	else if (value && !json_is_object(value) && cell->repeats > 1)
		return fields_error(in, ERROR_BAD_VALUE, name,
				    "must be a list of %zu values, one a repeat, as others of this "
				    "cell are",
				    cell->repeats);
	*ret_value = json_is_null(value) ? NULL : value;
	return 0;
}

int table_cell_count(const struct fields *in, const char *name, uint64_t max, uint64_t *ret_count)
{
	int r;

	*ret_count = 0;
	if (!fields_have(in, name))
		return 0;
	r = get_u64(in, name, max, ret_count);
	if (r == 0 && *ret_count == 0)
		return fields_error(in, ERROR_OUT_OF_RANGE, name,
				    "must be at least 1; leave it out where it is not known");
	return r;
}

/* ---- figures ---- */

static const char *wanted(enum printed_kind kind)
{
	switch (kind) {
	case PRINTED_NUMBER:
		return "a number, or a text as \"33.8k\"";
	case PRINTED_BYTES:
		return "a number of bytes a second, or a text as \"264 MiB/s\"";
	case PRINTED_TIME:
		return "a text with its unit, as \"0.115 ms\"";
	case PRINTED_PERCENT:
		return "a change in percent, as \"+56 %\", since the table has a \"base\"";
	case PRINTED_UNKNOWN:
		break;
	}
	return "a figure";
}

static int read_printed(const struct fields *in, const char *name, const char *text, size_t size,
			enum printed_kind kind, struct told_figure *ret_figure)
{
	char quoted[TEXT_EXCERPT_MAX], copy[TEXT_EXCERPT_MAX];
	struct printed printed;

	if (printed_read(text, size, &printed) == 0) {
		if (printed.kind == PRINTED_UNKNOWN)
			return 0;
		if (printed.kind == kind && printed.figure.high <= FIGURE_MAX) {
			*ret_figure = printed.figure;
			return 0;
		}
		if (printed.kind == PRINTED_PERCENT)
			return fields_error(in, ERROR_BAD_VALUE, name,
					    "a change in percent needs to know from what: name the "
					    "level in \"base\"");
	}
	(void)snprintf(copy, sizeof(copy), "%.*s", (int)(size < 60 ? size : 60), text);
	return fields_error(in, ERROR_BAD_VALUE, name, "\"%s\" is not %s",
			    text_excerpt(copy, quoted), wanted(kind));
}

/* A number is exact; a text has the digits it has. Nothing where value is NULL. */
static int read_figure(const struct fields *in, const char *name, const json_t *value,
		       enum printed_kind kind, struct told_figure *ret_figure)
{
	double number;

	if (!value)
		return 0;
	if (json_is_string(value))
		return read_printed(in, name, json_string_value(value), json_string_length(value),
				    kind, ret_figure);
	if (!json_is_number(value) || kind == PRINTED_TIME || kind == PRINTED_PERCENT)
		return fields_error(in, ERROR_WRONG_TYPE, name, "must be %s", wanted(kind));
	number = json_number_value(value);
	if (number < 0 || number > FIGURE_MAX)
		return fields_error(in, ERROR_OUT_OF_RANGE, name, "must be 0 to %g", FIGURE_MAX);
	*ret_figure = told_exactly(number);
	return 0;
}

/* The index that a change in percent comes to. */
static int to_index(const struct fields *in, const char *name, struct told_figure *figure)
{
	if (!figure->known)
		return 0;
	figure->value += BASE_INDEX;
	figure->low += BASE_INDEX;
	figure->high += BASE_INDEX;
	if (figure->low > 0)
		return 0;
	return fields_error(in, ERROR_OUT_OF_RANGE, name, "must be more than -100 %%");
}

/* An amount a second, or, in a table of changes, what it changed by. */
static int read_rate(const struct fields *in, const struct cell *cell, const char *name,
		     const json_t *value, enum printed_kind kind, struct told_figure *ret_figure)
{
	bool index = cell->sample->source->index;
	int r = read_figure(in, name, value, index ? PRINTED_PERCENT : kind, ret_figure);

	return r == 0 && index ? to_index(in, name, ret_figure) : r;
}

/* ---- one direction ---- */

static int read_amount(const struct fields *in, const struct cell *cell, const char *name,
		       bool *ret_known, uint64_t *ret_amount)
{
	const json_t *value;
	int r = value_of(in, cell, name, &value);

	if (r < 0 || !value)
		return r;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return fields_error(in, ERROR_WRONG_TYPE, name, "must be a whole number");
	*ret_known = true;
	*ret_amount = (uint64_t)json_integer_value(value);
	return 0;
}

static int by_percentile(const void *a, const void *b)
{
	const struct told_percentile *one = a, *other = b;

	return (one->percentile > other->percentile) - (one->percentile < other->percentile);
}

static int read_percentile(const struct fields *in, const struct cell *cell, const char *name,
			   struct told_direction *told)
{
	struct told_percentile *entry = &told->percentiles[told->percentile_count];
	struct told_figure figure = {0};
	const json_t *value;
	char *end;
	int r = value_of(in, cell, name, &value);

	if (r == 0)
		r = read_figure(in, name, value, PRINTED_TIME, &figure);
	if (r < 0)
		return r;
	entry->percentile = strtod(name, &end);
	if (end == name || *end || strspn(name, "0123456789.") != strlen(name) ||
	    !(entry->percentile > 0 && entry->percentile <= 100))
		return fields_error(in, ERROR_BAD_VALUE, name,
				    "a percentile is called by its number, above 0 and at most "
				    "100, as \"99.9\"");
	for (size_t i = 0; i < told->percentile_count; i++)
		if (told->percentiles[i].percentile == entry->percentile)
			return fields_error(in, ERROR_DUPLICATE, name, "is given twice");
	entry->ns = figure.value;
	told->percentile_count += figure.known;
	return 0;
}

static int read_percentiles(const struct fields *latency, const struct cell *cell,
			    struct told_direction *told)
{
	struct fields in;
	const char *name;
	json_t *value;
	int r;

	if (!fields_have(latency, "percentiles"))
		return 0;
	r = get_object(latency, "percentiles", &in);
	if (r < 0)
		return r;
	if (json_object_size(in.object) > PERCENTILES_MAX)
		return error_set(in.err, ERROR_TOO_MANY, in.pointer, "at most %d percentiles",
				 PERCENTILES_MAX);
	told->percentiles = calloc(json_object_size(in.object) + 1, sizeof(*told->percentiles));
	if (!told->percentiles)
		return error_no_memory(latency->err);
	json_object_foreach ((json_t *)in.object, name, value) { /* it is only read */
		r = read_percentile(&in, cell, name, told);
		if (r < 0)
			return r;
	}
	qsort(told->percentiles, told->percentile_count, sizeof(*told->percentiles), by_percentile);
	return 0;
}

static int read_latency(const struct fields *in, const struct cell *cell,
			struct told_direction *told)
{
	static const char *const members[] = {"min", "mean", "max", "stddev", "percentiles", NULL};
	struct told_figure *const figures[] = {&told->latency_min, &told->latency_mean,
					       &told->latency_max, &told->latency_stddev};
	struct fields latency;
	int r;

	if (!fields_have(in, "latency"))
		return 0;
	r = get_object(in, "latency", &latency);
	if (r == 0)
		r = json_only_members(latency.object, latency.pointer, members, latency.err);
	for (size_t i = 0; i < ARRAY_SIZE(figures) && r == 0; i++) {
		const json_t *value;

		r = value_of(&latency, cell, members[i], &value);
		if (r == 0)
			r = read_figure(&latency, members[i], value, PRINTED_TIME, figures[i]);
	}
	return r < 0 ? r : read_percentiles(&latency, cell, told);
}

static int read_members(const struct fields *in, const struct cell *cell, enum direction direction)
{
	static const char *const members[] = {"iops",	    "bandwidth", "latency",
					      "operations", "bytes",	 NULL};
	static const char *const changes[] = {"iops", "bandwidth", NULL};
	struct direction_result *result = &cell->sample->directions[direction];
	struct told_direction *told = &cell->sample->source->directions[direction];
	const json_t *iops, *bandwidth;
	int r = json_only_members(in->object, in->pointer,
				  cell->sample->source->index ? changes : members, in->err);

	if (r == 0)
		r = value_of(in, cell, "iops", &iops);
	if (r == 0)
		r = value_of(in, cell, "bandwidth", &bandwidth);
	if (r == 0)
		r = read_rate(in, cell, "iops", iops, PRINTED_NUMBER, &told->iops);
	if (r == 0)
		r = read_rate(in, cell, "bandwidth", bandwidth, PRINTED_BYTES, &told->bandwidth);
	if (r == 0)
		r = read_amount(in, cell, "operations", &told->ios_known, &result->ios);
	if (r == 0)
		r = read_amount(in, cell, "bytes", &told->bytes_known, &result->bytes);
	return r < 0 ? r : read_latency(in, cell, told);
}

/* "~33.8k / 264 MiB", "264 MiB/s", "33.8k", 33800. */
static int read_value(const struct fields *in, const struct cell *cell, enum direction direction,
		      const json_t *value)
{
	const char *name = direction_names[direction];
	struct told_direction *told = &cell->sample->source->directions[direction];
	const char *text = json_string_value(value), *parted = text ? strstr(text, " / ") : NULL;
	struct printed printed;
	int r;

	if (!value)
		return 0;
	if (cell->sample->source->index)
		return fields_error(in, ERROR_WRONG_TYPE, name,
				    "must be an object that says of what: {\"iops\": \"+6 %%\"} or "
				    "{\"bandwidth\": \"+6 %%\"}");
	if (!text)
		return read_figure(in, name, value, PRINTED_NUMBER, &told->iops);
	if (parted) {
		r = read_printed(in, name, text, (size_t)(parted - text), PRINTED_NUMBER,
				 &told->iops);
		return r < 0 ? r
			     : read_printed(in, name, parted + 3, strlen(parted + 3), PRINTED_BYTES,
					    &told->bandwidth);
	}
	if (printed_read(text, strlen(text), &printed) == 0 && printed.kind == PRINTED_BYTES)
		return read_figure(in, name, value, PRINTED_BYTES, &told->bandwidth);
	return read_figure(in, name, value, PRINTED_NUMBER, &told->iops);
}

static int read_direction(const struct fields *in, const struct cell *cell,
			  enum direction direction)
{
	const char *name = direction_names[direction];
	struct fields members;
	const json_t *value;
	int r;

	if (!fields_have(in, name))
		return 0;
	if (cell->sample->options.metadata)
		return fields_error(in, ERROR_CONFLICT, name,
				    "the workload is one of metadata: tell its \"files\"");
	if (!json_is_object(json_object_get(in->object, name))) {
		r = value_of(in, cell, name, &value);
		return r < 0 ? r : read_value(in, cell, direction, value);
	}
	r = get_object(in, name, &members);
	return r < 0 ? r : read_members(&members, cell, direction);
}

/* ---- files ---- */

/* "sequential create", of a workload that does that. */
static int find_phase(const struct fields *in, const char *name, const struct workload *options,
		      struct file_result *ret_file)
{
	struct file_phases phases = {0};
	const char *operation = strchr(name, ' ');
	int r = file_phases_parse(options->metadata, &phases, in->err);

	if (r < 0)
		return r;
	for (int order = 0; operation && order < FILE_ORDERS; order++) {
		const char *word = workload_file_order_choices[order];

		if (strlen(word) != (size_t)(operation - name) ||
		    memcmp(word, name, strlen(word)) != 0 || !file_phases_ordered(options, order))
			continue;
		for (size_t i = 0; i < phases.count; i++) {
			if (strcmp(operation + 1, file_operation_names[phases.list[i]]) != 0)
				continue;
			ret_file->operation = (int)phases.list[i];
			ret_file->order = order;
			return 0;
		}
	}
	return fields_error(in, ERROR_BAD_VALUE, name,
			    "is no phase of the workload: an order and an operation of its "
			    "options file_order and metadata, as \"sequential create\"");
}

static int read_files(const struct fields *in, const struct cell *cell)
{
	struct sample *sample = cell->sample;
	struct fields files;
	const char *name;
	json_t *member;
	int r;

	if (!fields_have(in, "files"))
		return 0;
	if (!sample->options.metadata)
		return fields_error(in, ERROR_CONFLICT, "files",
				    "files are told of a workload with the option metadata, as "
				    "{\"metadata\": \"create,stat,delete\"}");
	r = get_object(in, "files", &files);
	if (r < 0)
		return r;
	sample->files = calloc(json_object_size(files.object) + 1, sizeof(*sample->files));
	if (!sample->files)
		return error_no_memory(in->err);
	json_object_foreach ((json_t *)files.object, name, member) { /* it is only read */
		struct file_result *file = &sample->files[sample->file_count];
		const json_t *value;

		r = find_phase(&files, name, &sample->options, file);
		if (r == 0)
			r = value_of(&files, cell, name, &value);
		if (r == 0)
			r = read_rate(&files, cell, name, value, PRINTED_NUMBER,
				      &file->told_ops_per_s);
		if (r < 0)
			return r;
		sample->file_count += file->told_ops_per_s.known;
	}
	return 0;
}

/* ---- the whole ---- */

static int read_seconds(const struct fields *in, const struct cell *cell)
{
	struct sample *sample = cell->sample;
	const json_t *value = json_object_get(in->object, "seconds");

	if (json_is_array(value)) /* where it is none, every repeat took as long */
		value = json_array_get(value, cell->repeat);
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_number(value) || !(json_number_value(value) > 0) ||
	    json_number_value(value) > SECONDS_MAX)
		return fields_error(in, ERROR_OUT_OF_RANGE, "seconds",
				    "must be a number above 0 and at most %g", SECONDS_MAX);
	sample->seconds = json_number_value(value);
	sample->source->seconds_known = true;
	return 0;
}

int table_cell_read(const struct fields *in, size_t repeats, size_t repeat, struct sample *sample)
{
	static const char *const members[] = {"read",	 "write",   "trim", "files",
					      "seconds", "mean_of", NULL};
	const struct cell cell = {.repeats = repeats, .repeat = repeat, .sample = sample};
	int r = json_only_members(in->object, in->pointer, members, in->err);

	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = read_direction(in, &cell, (enum direction)d);
	if (r == 0)
		r = read_files(in, &cell);
	return r < 0 ? r : read_seconds(in, &cell);
}

bool table_cell_empty(const struct sample *sample)
{
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		const struct told_direction *told = &sample->source->directions[d];

		if (told->iops.known || told->bandwidth.known || told->ios_known ||
		    told->bytes_known || told->latency_mean.known || told->percentile_count > 0)
			return false;
	}
	return sample->file_count == 0;
}

static void set_base(struct told_figure *figure)
{
	if (figure->known)
		*figure = told_exactly(BASE_INDEX);
}

void table_cell_base(struct sample *sample)
{
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		set_base(&sample->source->directions[d].iops);
		set_base(&sample->source->directions[d].bandwidth);
	}
	for (size_t i = 0; i < sample->file_count; i++)
		set_base(&sample->files[i].told_ops_per_s);
}
