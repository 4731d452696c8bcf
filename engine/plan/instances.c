/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan/instances.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whether the level of this factor decides which instance is meant. */
static bool distinguishes(const struct factor *factor)
{
	return factor->kind != FACTOR_OPTION;
}

/* The first combination of levels that means an instance has 0 for all other factors. */
static bool is_first(const struct definition *definition, const size_t *levels)
{
	for (size_t i = 0; i < definition->factor_count; i++)
		if (!distinguishes(&definition->factors[i]) && levels[i] != 0)
			return false;
	return true;
}

static int lay_properties(const struct definition *definition, const size_t *levels,
			  struct target_spec *spec)
{
	int r = 0;

	for (size_t i = 0; i < definition->factor_count && r == 0; i++) {
		const struct factor *factor = &definition->factors[i];

		if (factor->kind == FACTOR_PROPERTY)
			r = properties_set(&spec->properties, factor->name,
					   factor->levels[levels[i]]);
	}
	return r;
}

static int add(struct plan *plan, size_t target, const size_t *levels)
{
	const struct definition *definition = plan->definition;
	struct plan_instance *list =
		reallocarray(plan->instances, plan->instance_count + 1, sizeof(*list));
	int r;

	if (!list)
		return -ENOMEM;
	plan->instances = list;
	list += plan->instance_count;
	list->target = target;
	r = target_spec_copy(&definition->targets[target], &list->spec);
	if (r < 0)
		return r;
	plan->instance_count++; /* from here on instances_done() frees it */
	return lay_properties(definition, levels, &list->spec);
}

int instances_make(struct plan *plan)
{
	const struct definition *definition = plan->definition;

	for (size_t target = 0; target < definition->target_count; target++) {
		size_t levels[DEFINITION_FACTORS_MAX] = {0};

		do {
			int r = 0;

			if (definition_level_target(definition, levels) == target &&
			    is_first(definition, levels))
				r = add(plan, target, levels);
			if (r < 0)
				return r;
		} while (definition_next_levels(definition, levels));
	}
	return 0;
}

void instances_done(struct plan *plan)
{
	for (size_t i = 0; i < plan->instance_count; i++)
		target_spec_done(&plan->instances[i].spec);
	free(plan->instances);
}

/* Whether the instance was made for these levels, the target apart. */
static bool has_levels(const struct definition *definition, const struct plan_instance *instance,
		       const size_t *levels)
{
	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];
		const char *value;

		if (factor->kind != FACTOR_PROPERTY)
			continue;
		value = properties_get(&instance->spec.properties, factor->name);
		if (!value || strcmp(value, factor->levels[levels[i]]) != 0)
			return false;
	}
	return true;
}

size_t plan_find_instance(const struct plan *plan, const size_t *levels)
{
	size_t target = definition_level_target(plan->definition, levels);

	for (size_t i = 0; i < plan->instance_count; i++)
		if (plan->instances[i].target == target &&
		    has_levels(plan->definition, &plan->instances[i], levels))
			return i;
	return SIZE_MAX;
}

int plan_group_by_instance(struct plan *plan)
{
	struct plan_sample *sorted = calloc(plan->sample_count, sizeof(*sorted));
	size_t count = 0;

	if (!sorted)
		return plan->sample_count ? -ENOMEM : 0;
	for (size_t instance = 0; instance < plan->instance_count; instance++) {
		for (size_t i = 0; i < plan->sample_count; i++) {
			if (plan->samples[i].instance != instance)
				continue;
			sorted[count] = plan->samples[i];
			sorted[count].order = count;
			count++;
		}
	}
	free(plan->samples);
	plan->samples = sorted;
	plan->one_by_one = true;
	memset(&plan->estimate.least, 0, sizeof(plan->estimate.least)); /* no block ends early */
	return 0;
}
