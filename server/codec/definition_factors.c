/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_factors.c - see definition_factors.h. */
#include "server/codec/definition_factors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/definition_imported.h"
#include "engine/plan/property.h"
#include "server/codec/definition_targets.h"
#include "server/codec/option_members.h"

/* ---- what kind of factor it is ---- */

/* 1 or 0; -ENOMEM. */
static int is_value_of_property(const char *name, const json_t *value)
{
	AUTO_FREE char *text = NULL, *canonical = NULL;
	int r = definition_property_text(name, value, "", &text, NULL);

	if (r == 0)
		r = property_parse(property_find(name), text, &canonical, NULL);
	return r == -ENOMEM ? r : r == 0;
}

static int is_value_of_option(const struct option *option, const json_t *value)
{
	AUTO_FREE char *text = NULL;
	struct workload scratch;
	int r = option_members_text(option, value, "", &text, NULL);

	if (r == 0) {
		workload_init(&scratch);
		r = option_parse(option, text, &scratch, NULL);
		workload_done(&scratch);
	}
	return r == -ENOMEM ? r : r == 0;
}

/* Whether a level of a name that is both is a value of the property; of the option else. */
static int is_property(const struct option *option, const json_t *value, const char *pointer,
		       struct error *err)
{
	int property = is_value_of_property(option->name, value), known = property;

	/* what is no text is left to decode_levels() */
	if (property == 0 && json_is_string(value))
		known = is_value_of_option(option, value);
	else if (property == 0)
		known = 1;
	if (property < 0 || known < 0)
		return error_no_memory(err);
	if (!known)
		return error_set(err, ERROR_BAD_VALUE, pointer,
				 "a level of %s is a value of the property (%s) or of the "
				 "workload's option",
				 option->name, property_find(option->name)->values);
	return property;
}

/* Of a name that is both; what is no list is left to decode_levels(). */
static int tell_apart(const struct option *option, const json_t *levels, const char *pointer,
		      enum factor_kind *ret_kind, struct error *err)
{
	char field[ERROR_FIELD_MAX];
	int first = 0;

	for (size_t i = 0; i < json_array_size(levels); i++) {
		int property;

		json_pointer_index(field, sizeof(field), pointer, i);
		property = is_property(option, json_array_get(levels, i), field, err);
		if (property < 0)
			return property;
		if (i == 0)
			first = property;
		if (property != first)
			return error_set(err, ERROR_CONFLICT, field,
					 "the levels of %s are all values of the property (%s), or "
					 "all of the workload's option; for both give the target's "
					 "\"properties\" one of them",
					 option->name, property_find(option->name)->values);
	}
	*ret_kind = first ? FACTOR_PROPERTY : FACTOR_OPTION;
	return 0;
}

/* kind and option of a factor by its name, and where that does not tell by its levels. */
static int find_kind(const char *name, const json_t *levels, const char *pointer,
		     struct factor *factor, struct error *err)
{
	const struct option *option = option_find(name);
	int r = 0;

	if (option && strcmp(option->name, name) != 0)
		option = NULL; /* a second name, which option_members_unknown() corrects */
	factor->kind = FACTOR_OPTION;
	if (strcmp(name, "target") == 0)
		factor->kind = FACTOR_TARGET;
	else if (option && property_find(name))
		r = tell_apart(option, levels, pointer, &factor->kind, err);
	else if (property_find(name))
		factor->kind = FACTOR_PROPERTY;
	else if (!option && property_refused(name))
		r = property_refuse(name, err);
	else if (!option)
		return option_members_unknown(name, pointer, err);
	else if (!option->factor)
		r = error_set(err, ERROR_BAD_VALUE, pointer, "%s cannot be a factor", name);
	if (r == -EINVAL && err && err->field[0] == '\0')
		(void)snprintf(err->field, sizeof(err->field), "%s", pointer);
	if (factor->kind == FACTOR_OPTION)
		factor->option = option;
	return r;
}

/* ---- its levels ---- */

static int decode_level(const struct factor *factor, const json_t *value, const char *pointer,
			char **ret_text, struct error *err)
{
	if (factor->kind == FACTOR_OPTION)
		return option_members_text(factor->option, value, pointer, ret_text, err);
	if (factor->kind == FACTOR_PROPERTY)
		return definition_property_text(factor->name, value, pointer, ret_text, err);
	if (!json_is_string(value))
		return error_set(err, ERROR_WRONG_TYPE, pointer,
				 factor->kind == FACTOR_TARGET
					 ? "a level of target is the name of one"
					 : "a level of an imported result is a text");
	*ret_text = strdup(json_string_value(value));
	return *ret_text ? 0 : error_no_memory(err);
}

static int decode_levels(const json_t *array, const char *pointer, struct factor *factor,
			 struct error *err)
{
	size_t count;
	int r = definition_count_elements(array, pointer, DEFINITION_LEVELS_MAX, &count, err);

	if (r < 0)
		return r;
	factor->levels = calloc(count, sizeof(*factor->levels));
	if (!factor->levels)
		return error_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		char field[ERROR_FIELD_MAX];

		json_pointer_index(field, sizeof(field), pointer, i);
		r = decode_level(factor, json_array_get(array, i), field, &factor->levels[i], err);
		if (r < 0)
			return r;
		factor->level_count = i + 1;
	}
	return 0;
}

static int decode_factor(const char *name, const json_t *value, bool imported,
			 struct factor *factor, struct error *err)
{
	char pointer[ERROR_FIELD_MAX];
	int r = 0;

	json_pointer_member(pointer, sizeof(pointer), "/factors", name);
	factor->kind = FACTOR_LABEL; /* as long as it is not known to be more */
	if (!imported)
		r = find_kind(name, value, pointer, factor, err);
	if (r < 0)
		return r;
	factor->name = strdup(name);
	if (!factor->name)
		return error_no_memory(err);
	r = decode_levels(value, pointer, factor, err);
	return r < 0 || !imported ? r : definition_imported_factor(factor, err);
}

int definition_decode_factors(const json_t *value, struct definition *definition, struct error *err)
{
	json_t *factors = json_object_get(value, "factors"), *levels;
	size_t count = json_object_size(factors);
	const char *name;

	if (!factors)
		return 0;
	if (!json_is_object(factors))
		return error_set(err, ERROR_WRONG_TYPE, "/factors",
				 "factors is an object, as in {\"bs\": [\"4k\", \"16k\"]}");
	if (count > DEFINITION_FACTORS_MAX)
		return error_set(err, ERROR_TOO_MANY, "/factors", "at most %d factors, not %zu",
				 DEFINITION_FACTORS_MAX, count);
	definition->factors = calloc(count + 1, sizeof(*definition->factors));
	if (!definition->factors)
		return error_no_memory(err);
	json_object_foreach (factors, name, levels) {
		struct factor *factor = &definition->factors[definition->factor_count++];
		int r = decode_factor(name, levels, definition->imported, factor, err);

		if (r < 0)
			return r;
	}
	return 0;
}
