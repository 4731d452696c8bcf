/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_imported.c - see definition_imported.h. */
#include "engine/plan/definition_imported.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/property.h"

/* The option that a factor of this name may be; NULL. A second name of fio's ("blocksize") is a
 * label as any other. */
static const struct option *option_named(const char *name)
{
	const struct option *option = option_find(name);

	return option && option->factor && strcmp(option->name, name) == 0 ? option : NULL;
}

static int parse_as_option(const struct option *option, const char *level, char **ret_text,
			   struct error *err)
{
	struct workload scratch;
	int r;

	workload_init(&scratch);
	r = option_parse(option, level, &scratch, err);
	if (r == 0) {
		*ret_text = option_format(option, &scratch);
		if (!*ret_text)
			r = error_no_memory(err);
	}
	workload_done(&scratch);
	return r;
}

static int parse_level(const char *name, enum factor_kind kind, const char *level, char **ret_text,
		       struct error *err)
{
	if (kind == FACTOR_OPTION)
		return parse_as_option(option_named(name), level, ret_text, err);
	return property_parse(property_find(name), level, ret_text, err);
}

/* Whether all levels are values of it: 1, 0; -ENOMEM. */
static int all_are(const struct factor *factor, enum factor_kind kind)
{
	for (size_t i = 0; i < factor->level_count; i++) {
		AUTO_FREE char *text = NULL;
		int r = parse_level(factor->name, kind, factor->levels[i], &text, NULL);

		if (r < 0)
			return r == -ENOMEM ? r : 0;
	}
	return 1;
}

static int wrong_level(const char *name, const char *level, const struct error *why,
		       struct error *err)
{
	char field[ERROR_FIELD_MAX], quoted[TEXT_EXCERPT_MAX];

	(void)snprintf(field, sizeof(field), "/factors/%.*s", DEFINITION_NAME_MAX, name);
	return error_set(err, ERROR_BAD_VALUE, field,
			 "%s is an option of workloads or a property of OpenZFS, and \"%s\" no "
			 "value of it (%.300s): give the factor another name to compare by labels",
			 name, text_excerpt(level, quoted), why->message);
}

int definition_imported_level(const char *factor, const char *level, char **ret_text,
			      struct error *err)
{
	bool option = option_named(factor), property = property_find(factor);
	struct error why = {0};
	int r;

	if (option == property) { /* neither, or both */
		*ret_text = strdup(level);
		return *ret_text ? 0 : error_no_memory(err);
	}
	r = parse_level(factor, option ? FACTOR_OPTION : FACTOR_PROPERTY, level, ret_text, &why);
	if (r == 0)
		return 0;
	return r == -ENOMEM ? error_no_memory(err) : wrong_level(factor, level, &why, err);
}

int definition_imported_factor(struct factor *factor, struct error *err)
{
	const struct option *option = option_named(factor->name);
	bool property = property_find(factor->name);
	struct error why = {0};
	int as_property = 0;

	factor->kind = option ? FACTOR_OPTION : property ? FACTOR_PROPERTY : FACTOR_LABEL;
	if (option && property)
		as_property = all_are(factor, FACTOR_PROPERTY);
	if (as_property < 0)
		return error_no_memory(err);
	if (as_property)
		factor->kind = FACTOR_PROPERTY;
	factor->option = factor->kind == FACTOR_OPTION ? option : NULL;
	if (factor->kind == FACTOR_LABEL)
		return 0;
	for (size_t i = 0; i < factor->level_count; i++) {
		AUTO_FREE char *text = NULL;
		int r = parse_level(factor->name, factor->kind, factor->levels[i], &text, &why);

		if (r < 0)
			return r == -ENOMEM
				       ? error_no_memory(err)
				       : wrong_level(factor->name, factor->levels[i], &why, err);
	}
	return 0;
}

int definition_imported_check(const struct definition *definition, struct error *err)
{
	if (definition->target_count > 0)
		return error_set(err, ERROR_CONFLICT, "/target",
				 "an imported definition has no target: it was not measured here");
	if (!option_set_empty(&definition->override.set))
		return error_set(err, ERROR_CONFLICT, "/override",
				 "nothing is laid over an imported definition: it is not run");
	return 0;
}
