/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_made.c - see definition_made.h. */
#include "engine/plan/definition_made.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/property.h"
#include "engine/plan/quantity.h"
#include "engine/zfs/name.h"

/* ---- one target ---- */

int definition_made_check_parent(const char *parent, const char *field, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	if (!zfs_name_ok(parent))
		return error_set(err, ERROR_BAD_VALUE, field,
				 "parent is the name of a dataset, as in \"tank/volbench\": the "
				 "pool's and others, of letters, digits and _ . : -, with \"/\" "
				 "between them; not \"%s\"",
				 text_excerpt(parent, quoted));
	if (strlen(parent) > DEFINITION_PARENT_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, field,
				 "a parent's name has at most %d bytes, not %zu, so that names "
				 "beneath it have room",
				 DEFINITION_PARENT_MAX, strlen(parent));
	return 0;
}

/* What only makes sense where something is there before. */
static int check_members(const struct target_spec *target, const char *pointer, struct error *err)
{
	const char *kind = target_kind_names[target->kind];
	char field[ERROR_FIELD_MAX];

	if (target->existing) {
		(void)snprintf(field, sizeof(field), "%s/existing", pointer);
		return error_set(err, ERROR_CONFLICT, field,
				 "a %s is made for the run and removed with it; one that exists is "
				 "read as %s",
				 kind,
				 target->kind == TARGET_ZVOL
					 ? "a device: {\"device\": \"/dev/zvol/tank/a\", "
					   "\"existing\": true}"
					 : "its files: {\"file\": \"/tank/a/file\", "
					   "\"existing\": true}");
	}
	if (target->fingerprint) {
		(void)snprintf(field, sizeof(field), "%s/fingerprint", pointer);
		return error_set(err, ERROR_CONFLICT, field,
				 "only a device has a fingerprint: a %s is made anew", kind);
	}
	return 0;
}

static int check_property(struct target_spec *target, size_t index, const char *pointer,
			  struct error *err)
{
	struct property *property = &target->properties.list[index];
	const struct property_rule *rule = property_find(property->name);
	const char *kind = target_kind_names[target->kind];
	char field[ERROR_FIELD_MAX], *value;
	int r;

	(void)snprintf(field, sizeof(field), "%s/%s/properties/%s", pointer, kind, property->name);
	if (!rule)
		r = property_refuse(property->name, err);
	else if (!property_applies(rule, target->kind))
		return error_set(err, ERROR_CONFLICT, field,
				 "a %s has no property %s: it is a %s's", kind, rule->name,
				 rule->zvol ? "zvol" : "dataset");
	else
		r = property_parse(rule, property->value, &value, err);
	if (r == -EINVAL && err)
		(void)snprintf(err->field, sizeof(err->field), "%s", field);
	if (r < 0)
		return r;
	free(property->value);
	property->value = value;
	return 0;
}

int definition_made_check_target(struct target_spec *target, const char *pointer, struct error *err)
{
	char field[ERROR_FIELD_MAX];
	int r;

	(void)snprintf(field, sizeof(field), "%s/%s/parent", pointer,
		       target_kind_names[target->kind]);
	r = definition_made_check_parent(target->path, field, err);
	if (r == 0)
		r = check_members(target, pointer, err);
	for (size_t i = 0; i < target->properties.count && r == 0; i++)
		r = check_property(target, i, pointer, err);
	return r;
}

/* ---- factors ---- */

int definition_made_canonical(const struct factor *factor, size_t level, struct error *err)
{
	const struct property_rule *rule = property_find(factor->name);
	char *value;
	int r;

	if (!rule)
		return property_refuse(factor->name, err);
	r = property_parse(rule, factor->levels[level], &value, err);
	if (r < 0)
		return r;
	free(factor->levels[level]);
	factor->levels[level] = value;
	return 0;
}

/* "a zvol", "a dataset", "a zvol or dataset" */
static const char *owners(const struct property_rule *rule)
{
	if (rule->zvol && rule->dataset)
		return "zvols and datasets";
	return rule->zvol ? "zvols" : "datasets";
}

int definition_made_check_factor(const struct definition *definition, const struct factor *factor,
				 const char *pointer, struct error *err)
{
	const struct property_rule *rule = property_find(factor->name);

	if (!rule)
		return property_refuse(factor->name, err);
	for (size_t i = 0; i < definition->target_count; i++) {
		const struct target_spec *target = &definition->targets[i];
		const char *kind = target_kind_names[target->kind];
		char field[DEFINITION_POINTER_MAX];

		if (!target_kind_is_zfs(target->kind))
			return error_set(
				err, ERROR_CONFLICT, pointer,
				"%s is a property of %s that the run makes, and the target "
				"is a %s: make it {\"%s\": {\"parent\": \"tank/volbench\"}}",
				factor->name, owners(rule), kind, rule->zvol ? "zvol" : "dataset");
		if (!property_applies(rule, target->kind))
			return error_set(err, ERROR_CONFLICT, pointer,
					 "%s is a property of %s alone, and a target is a %s: "
					 "compare it in a definition of its own",
					 factor->name, owners(rule), kind);
		if (!properties_get(&target->properties, factor->name))
			continue;
		(void)definition_target_pointer(definition, i, field);
		(void)snprintf(field + strlen(field), sizeof(field) - strlen(field),
			       "/%s/properties/%s", kind, factor->name);
		return error_set(err, ERROR_CONFLICT, field,
				 "%s is a factor: its levels say what it is, so leave it out here",
				 factor->name);
	}
	return 0;
}

/* ---- the whole ---- */

static int check_count(const struct definition *definition, struct error *err)
{
	uint64_t count = 0;

	for (size_t i = 0; i < definition->target_count; i++)
		count += target_kind_is_zfs(definition->targets[i].kind);
	for (size_t i = 0; i < definition->factor_count; i++)
		if (definition->factors[i].kind == FACTOR_PROPERTY)
			count *= definition->factors[i].level_count; /* 16 x 64^8 fits */
	if (count <= DEFINITION_INSTANCES_MAX)
		return 0;
	return error_set(err, ERROR_TOO_MANY, "/factors",
			 "targets x levels of properties makes %" PRIu64
			 " zvols and datasets; at most %d",
			 count, DEFINITION_INSTANCES_MAX);
}

uint64_t definition_made_block(const struct definition *definition, size_t target)
{
	const char *own = properties_get(&definition->targets[target].properties, "volblocksize");
	uint64_t most = own ? property_bytes(own) : 0;

	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];

		if (factor->kind != FACTOR_PROPERTY || strcmp(factor->name, "volblocksize") != 0)
			continue;
		for (size_t level = 0; level < factor->level_count; level++)
			if (property_bytes(factor->levels[level]) > most)
				most = property_bytes(factor->levels[level]);
	}
	return most;
}

/* The most that a combination's jobs reach, and of which workload. */
struct reach {
	uint64_t bytes;
	const char *workload;
};

static int add_reach(const struct definition *definition, size_t workload, const size_t *levels,
		     struct reach *most, struct error *err)
{
	struct workload options;
	uint64_t bytes;
	int r = definition_compose(definition, workload, levels, &options, err);

	if (r < 0)
		return r;
	/* what does not fit 64 bits was refused as it was completed; one without a size takes what
	 * there is */
	if (!workload_metadata(&options) && workload_extent(&options, false, &bytes) == 0 &&
	    bytes > most->bytes) {
		most->bytes = bytes;
		most->workload = definition->workloads[workload].name;
	}
	workload_done(&options);
	return 0;
}

static int find_reach(const struct definition *definition, size_t target, struct reach *ret_most,
		      struct error *err)
{
	struct reach most = {0};

	for (size_t i = 0; i < definition->workload_count; i++) {
		size_t levels[DEFINITION_FACTORS_MAX] = {0};

		do {
			int r = 0;

			if (definition_level_target(definition, levels) == target)
				r = add_reach(definition, i, levels, &most, err);
			if (r < 0)
				return r;
		} while (definition_next_levels(definition, levels));
	}
	*ret_most = most;
	return 0;
}

/* A size that was given. */
static int check_size(const struct definition *definition, size_t target, struct error *err)
{
	const struct target_spec *spec = &definition->targets[target];
	uint64_t block = definition_made_block(definition, target);
	uint64_t unit = block ? block : DEFINITION_VOLUME_UNIT;
	char field[DEFINITION_POINTER_MAX], a[QUANTITY_TEXT_MAX], b[QUANTITY_TEXT_MAX];
	struct reach most;
	int r;

	(void)definition_target_pointer(definition, target, field);
	(void)snprintf(field + strlen(field), sizeof(field) - strlen(field), "/zvol/size");
	if (spec->size_bytes % unit != 0)
		return error_set(err, ERROR_BAD_SIZE, field, "size %s is no multiple of %s, %s",
				 quantity_format_size(spec->size_bytes, a),
				 quantity_format_size(unit, b),
				 block ? "the largest volblocksize of the zvol"
				       : "which holds every default volblocksize");
	r = find_reach(definition, target, &most, err);
	if (r < 0)
		return r;
	if (most.bytes > spec->size_bytes)
		return error_set(err, ERROR_TARGET_TOO_SMALL, field,
				 "size is %s, and the jobs of %.64s reach over %s: make it as "
				 "large, or leave size out to have it computed",
				 quantity_format_size(spec->size_bytes, a), most.workload,
				 quantity_format_size(most.bytes, b));
	return 0;
}

int definition_made_check_whole(const struct definition *definition, struct error *err)
{
	int r = check_count(definition, err);

	for (size_t i = 0; i < definition->target_count && r == 0; i++)
		if (definition->targets[i].kind == TARGET_ZVOL &&
		    definition->targets[i].size_bytes > 0)
			r = check_size(definition, i, err);
	return r;
}
