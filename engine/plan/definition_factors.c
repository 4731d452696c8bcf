/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_factors.c - see definition_factors.h. */
#include "engine/plan/definition_factors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/definition_made.h"

/* Each target is a level once, by its name. */
static int check_target_levels(const struct definition *definition, const struct factor *factor,
			       struct error *err)
{
	char field[DEFINITION_POINTER_MAX], quoted[TEXT_EXCERPT_MAX];

	if (definition->target_count == 0 || !definition->targets[0].name)
		return error_set(err, ERROR_CONFLICT, "/factors/target",
				 "to compare targets give \"targets\", a list of named ones");
	for (size_t i = 0; i < factor->level_count; i++) {
		size_t target = 0;

		(void)snprintf(field, sizeof(field), "/factors/target/%zu", i);
		while (target < definition->target_count &&
		       strcmp(definition->targets[target].name, factor->levels[i]) != 0)
			target++;
		if (target == definition->target_count)
			return error_set(err, ERROR_BAD_VALUE, field,
					 "there is no target named \"%s\"",
					 text_excerpt(factor->levels[i], quoted));
	}
	if (factor->level_count != definition->target_count)
		return error_set(err, ERROR_MISSING_FIELD, "/factors/target",
				 "every one of \"targets\" must be a level");
	return 0;
}

/* Puts the canonical text of an option's level in place of the one given. */
static int canonical_level(const struct factor *factor, size_t index, struct error *err)
{
	struct workload scratch;
	char *text;
	int r;

	workload_init(&scratch);
	r = option_parse(factor->option, factor->levels[index], &scratch, err);
	if (r == 0) {
		text = option_format(factor->option, &scratch);
		if (text) {
			free(factor->levels[index]);
			factor->levels[index] = text;
		} else {
			r = error_no_memory(err);
		}
	}
	workload_done(&scratch);
	return r;
}

static int check_levels(const struct factor *factor, const char *pointer, struct error *err)
{
	char field[ERROR_FIELD_MAX], quoted[TEXT_EXCERPT_MAX];

	for (size_t i = 0; i < factor->level_count; i++) {
		int r = 0;

		if (factor->kind == FACTOR_OPTION)
			r = canonical_level(factor, i, err);
		else if (factor->kind == FACTOR_PROPERTY)
			r = definition_made_canonical(factor, i, err);

		(void)snprintf(field, sizeof(field), "%s/%zu", pointer, i);
		for (size_t k = 0; k < i && r == 0; k++)
			if (strcmp(factor->levels[k], factor->levels[i]) == 0)
				return error_set(err, ERROR_DUPLICATE, field,
						 "the level %s is there twice",
						 text_excerpt(factor->levels[i], quoted));
		if (r == -EINVAL && err)
			(void)snprintf(err->field, sizeof(err->field), "%s", field);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_mix(const struct factor *factor)
{
	return factor->option && (factor->option->id == OPTION_ID_RWMIXREAD ||
				  factor->option->id == OPTION_ID_RWMIXWRITE);
}

static int check_factor(const struct definition *definition, size_t index, struct error *err)
{
	const struct factor *factor = &definition->factors[index];
	char pointer[DEFINITION_POINTER_MAX];
	int r;

	(void)snprintf(pointer, sizeof(pointer), "/factors/%s", factor->name);
	if (factor->option && !factor->option->factor)
		return error_set(err, ERROR_BAD_VALUE, pointer, "%s cannot be a factor",
				 factor->name);
	if (factor->level_count == 0)
		return error_set(err, ERROR_MISSING_FIELD, pointer,
				 "a factor needs at least one level");
	if (factor->level_count > DEFINITION_LEVELS_MAX)
		return error_set(err, ERROR_TOO_MANY, pointer, "at most %d levels, not %zu",
				 DEFINITION_LEVELS_MAX, factor->level_count);
	for (size_t i = 0; i < index; i++) {
		if (strcmp(definition->factors[i].name, factor->name) == 0)
			return error_set(err, ERROR_DUPLICATE, pointer,
					 "the factor is there twice");
		if (is_mix(&definition->factors[i]) && is_mix(factor))
			return error_set(
				err, ERROR_CONFLICT, pointer,
				"rwmixread and rwmixwrite are two names of one thing: make "
				"one of them a factor");
	}
	if (factor->kind == FACTOR_LABEL && !definition->imported)
		return error_set(err, ERROR_BAD_VALUE, pointer,
				 "only imported results are compared by labels");
	r = check_levels(factor, pointer, err);
	if (r == 0 && factor->kind == FACTOR_TARGET)
		r = check_target_levels(definition, factor, err);
	if (r == 0 && factor->kind == FACTOR_PROPERTY && !definition->imported)
		r = definition_made_check_factor(definition, factor, pointer, err);
	return r;
}

/* Several targets are a factor, the last one unless the definition placed it. */
static int add_target_factor(struct definition *definition, struct error *err)
{
	struct factor *factors, *factor;

	if (definition->target_count == 0 || !definition->targets[0].name)
		return 0;
	for (size_t i = 0; i < definition->factor_count; i++)
		if (definition->factors[i].kind == FACTOR_TARGET)
			return 0;
	factors = reallocarray(definition->factors, definition->factor_count + 1,
			       sizeof(*definition->factors));
	if (!factors)
		return error_no_memory(err);
	definition->factors = factors;
	factor = &factors[definition->factor_count];
	memset(factor, 0, sizeof(*factor));
	definition->factor_count++;
	factor->kind = FACTOR_TARGET;
	factor->name = strdup("target");
	factor->levels = calloc(definition->target_count, sizeof(*factor->levels));
	if (!factor->name || !factor->levels)
		return error_no_memory(err);
	for (size_t i = 0; i < definition->target_count; i++) {
		factor->levels[i] = strdup(definition->targets[i].name);
		if (!factor->levels[i])
			return error_no_memory(err);
		factor->level_count++;
	}
	return 0;
}

int definition_check_factors(struct definition *definition, struct error *err)
{
	int r = add_target_factor(definition, err);

	if (r < 0)
		return r;
	if (definition->factor_count > DEFINITION_FACTORS_MAX)
		return error_set(err, ERROR_TOO_MANY, "/factors",
				 "at most %d factors, the targets among them, not %zu",
				 DEFINITION_FACTORS_MAX, definition->factor_count);
	for (size_t i = 0; i < definition->factor_count && r == 0; i++)
		r = check_factor(definition, i, err);
	return r;
}
