/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_levels.c - see table_levels.h. */
#include "server/import/table_levels.h"

#include <errno.h>
#include <string.h>

#include "engine/plan/property.h"
#include "server/codec/json.h"
#include "server/codec/option_members.h"

static int text_level(const json_t *value, const char *pointer, char **ret_text, struct error *err)
{
	if (!json_is_string(value))
		return error_set(err, ERROR_WRONG_TYPE, pointer, "a level is a text");
	*ret_text = strdup(json_string_value(value));
	return *ret_text ? 0 : error_no_memory(err);
}

/* A level as results have it: "4k" for an option's 4096, "16K" for a property's. */
static int level_text(const char *name, const json_t *value, const char *pointer,
		      struct workload *options, char **ret_text, struct error *err)
{
	const struct option *option = option_find(name);
	const struct property_rule *property = property_find(name);
	AUTO_FREE char *text = NULL;
	int r;

	if (option && property) /* what "sync" is follows from all levels: definition_imported.h */
		return text_level(value, pointer, ret_text, err);
	if (option && !option->factor)
		return error_set(err, ERROR_BAD_VALUE, pointer, "option %s is not compared", name);
	if (option) {
		r = option_members_text(option, value, pointer, &text, err);
		if (r == 0)
			r = option_parse(option, text, options, err);
		if (r == -EINVAL && err && !*err->field)
			error_prefix_field(err, pointer);
		if (r < 0)
			return r;
		*ret_text = option_format(option, options);
		return *ret_text ? 0 : error_no_memory(err);
	}
	if (property && json_is_string(value)) {
		r = property_parse(property, json_string_value(value), ret_text, err);
		if (r == -EINVAL)
			error_prefix_field(err, pointer);
		return r;
	}
	return text_level(value, pointer, ret_text, err);
}

/* The base's own level, or that of the row, which must be another. What is read last stays among
 * the options. */
static int base_text(const struct table_levels *table, const struct fields *levels, bool base,
		     const char *pointer, struct sample *sample, char **ret_text)
{
	const json_t *own = json_object_get(levels->object, table->base_factor);
	const json_t *first = base ? own : table->base_level;
	const json_t *last = base ? table->base_level : own;
	AUTO_FREE char *other = NULL, *text = NULL;
	int r = level_text(table->base_factor, first, pointer, &sample->options, &other,
			   levels->err);

	if (r == 0)
		r = level_text(table->base_factor, last, pointer, &sample->options, &text,
			       levels->err);
	if (r < 0)
		return r;
	if (strcmp(text, other) == 0)
		return error_set(levels->err, ERROR_BAD_VALUE, pointer,
				 "is the base that changes are told against: it has no change of "
				 "its own");
	*ret_text = TAKE_PTR(text);
	return 0;
}

static int add_level(const struct table_levels *table, const struct fields *levels,
		     const char *name, bool base, struct sample *sample)
{
	struct level *level = &sample->levels[sample->level_count];
	char pointer[ERROR_FIELD_MAX];
	int r;

	json_pointer_member(pointer, sizeof(pointer), levels->pointer, name);
	if (table->base_factor && strcmp(name, table->base_factor) == 0)
		r = base_text(table, levels, base, pointer, sample, &level->value);
	else
		r = level_text(name, json_object_get(levels->object, name), pointer,
			       &sample->options, &level->value, levels->err);
	if (r < 0)
		return r;
	sample->level_count++;
	level->factor = strdup(name);
	return level->factor ? 0 : error_no_memory(levels->err);
}

static const json_t *first_levels(const struct table_levels *table)
{
	return json_object_get(json_array_get(table->rows, 0), "levels");
}

/* Of all rows those of the first. */
static int check_factors(const struct table_levels *table, const struct fields *levels)
{
	const json_t *first = first_levels(table);
	const char *name;
	json_t *member;

	if (json_object_size(first) > DEFINITION_FACTORS_MAX)
		return error_set(levels->err, ERROR_TOO_MANY, levels->pointer, "at most %d factors",
				 DEFINITION_FACTORS_MAX);
	json_object_foreach ((json_t *)first, name, member) /* it is only read */
		if (!fields_have(levels, name))
			return fields_error(levels, ERROR_MISSING_FIELD, name,
					    "is a factor of the first row, so every row needs its "
					    "level");
	if (json_object_size(levels->object) != json_object_size(first))
		return error_set(levels->err, ERROR_BAD_VALUE, levels->pointer,
				 "has a factor that the first row lacks");
	if (table->base_factor && !fields_have(levels, table->base_factor))
		return fields_error(levels, ERROR_MISSING_FIELD, table->base_factor,
				    "is the factor that \"base\" names");
	return 0;
}

int table_levels_read(const struct table_levels *table, const struct fields *row, bool base,
		      struct sample *sample)
{
	const json_t *first = first_levels(table);
	struct fields levels;
	const char *name;
	json_t *member;
	int r;

	if (!fields_have(row, "levels") && !first && !table->base_factor)
		return 0;
	r = get_object(row, "levels", &levels);
	if (r == 0 && !json_is_object(first))
		return fields_error(row, ERROR_BAD_VALUE, "levels",
				    "every row has levels, or none has");
	if (r == 0)
		r = check_factors(table, &levels);
	if (r < 0)
		return r;
	sample->levels = calloc(json_object_size(first) + 1, sizeof(*sample->levels));
	if (!sample->levels)
		return error_no_memory(row->err);
	json_object_foreach ((json_t *)first, name, member) { /* it is only read */
		r = add_level(table, &levels, name, base, sample);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool same_base(const struct table_levels *table, const json_t *levels, const json_t *others)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)levels, name, value) /* it is only read */
		if (strcmp(name, table->base_factor) != 0 &&
		    !json_equal(value, json_object_get(others, name)))
			return false;
	return true;
}

size_t table_levels_base_row(const struct table_levels *table, size_t row)
{
	const json_t *levels = json_object_get(json_array_get(table->rows, row), "levels");

	for (size_t i = 0; i < row; i++)
		if (same_base(table, levels,
			      json_object_get(json_array_get(table->rows, i), "levels")))
			return i;
	return row;
}
