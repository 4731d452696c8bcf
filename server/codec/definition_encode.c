/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_encode.c - definition_encode() of definition.h: what definition_decode() reads back.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/plan/quantity.h"
#include "server/codec/definition.h"
#include "server/codec/definition_repeats.h"
#include "server/codec/fields.h"
#include "server/codec/option_members.h"

static json_t *encode_made(const struct target_spec *target)
{
	json_t *value = json_object(), *properties;
	char size[QUANTITY_TEXT_MAX];
	int failed = put_text(value, "parent", target->path);

	if (target->size_bytes > 0)
		failed |= put_text(value, "size", quantity_format_size(target->size_bytes, size));
	if (target->sparse)
		failed |= put_bool(value, "sparse", true);
	if (target->properties.count == 0)
		return put_end(value, failed);
	properties = json_object();
	for (size_t i = 0; i < target->properties.count; i++)
		failed |= put_text(properties, target->properties.list[i].name,
				   target->properties.list[i].value);
	failed |= put_value(value, "properties", properties);
	return put_end(value, failed);
}

static json_t *encode_target(const struct target_spec *target)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text_if(value, "name", target->name);
	if (target_kind_is_zfs(target->kind))
		failed |= put_value(value, target_kind_names[target->kind], encode_made(target));
	else
		failed |= put_text(value, target_kind_names[target->kind], target->path);
	if (target->existing)
		failed |= put_bool(value, "existing", true);
	failed |= put_text_if(value, "fingerprint", target->fingerprint);
	return put_end(value, failed);
}

static int encode_targets(const struct definition *definition, json_t *value)
{
	json_t *list;
	int failed = 0;

	if (definition->target_count == 0)
		return 0;
	if (!definition->targets[0].name)
		return put_value(value, "target", encode_target(&definition->targets[0]));
	list = json_array();
	for (size_t i = 0; i < definition->target_count; i++)
		failed |= json_array_append_new(list, encode_target(&definition->targets[i]));
	return put_value(value, "targets", put_end(list, failed));
}

static int encode_factors(const struct definition *definition, json_t *value)
{
	json_t *factors = json_object();
	int failed = 0;

	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];
		json_t *levels = json_array();

		for (size_t level = 0; level < factor->level_count; level++)
			failed |= json_array_append_new(levels, json_string(factor->levels[level]));
		failed |= put_value(factors, factor->name, levels);
	}
	if (definition->factor_count == 0) {
		json_decref(factors);
		return 0;
	}
	return put_value(value, "factors", put_end(factors, failed));
}

static int encode_layer(const struct workload *workload, const char *name, json_t *value)
{
	return option_set_empty(&workload->set)
		       ? 0
		       : put_value(value, name, option_members_encode(workload));
}

static json_t *encode_list(const struct workload *workloads, size_t count);

static json_t *encode_workload(const struct workload *workload)
{
	json_t *value = json_object(), *options;
	char *command;
	int failed = put_text_if(value, "name", workload->name);

	if (workload->weight > 0)
		failed |= put_real(value, "weight", workload->weight);
	if (workload->from_fio) {
		command = workload_format_given(workload);
		failed |= command ? put_text(value, "fio", command) : -1;
		free(command);
		return put_end(value, failed);
	}
	options = option_members_encode(workload);
	failed |= options ? json_object_update(value, options) : -1;
	json_decref(options);
	if (workload->part_count > 0)
		failed |= put_value(value, "jobs",
				    encode_list(workload->parts, workload->part_count));
	return put_end(value, failed);
}

/* Workloads, or the jobs of one. */
static json_t *encode_list(const struct workload *workloads, size_t count)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; i < count; i++)
		failed |= json_array_append_new(list, encode_workload(&workloads[i]));
	return put_end(list, failed);
}

json_t *definition_encode(const struct definition *definition)
{
	const struct repeats repeats = repeats_of(definition);
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "schema", DEFINITION_SCHEMA);
	failed |= put_text(value, "name", definition->name);
	failed |= put_text_if(value, "description", definition->description);
	if (definition->imported)
		failed |= put_bool(value, "imported", true);
	failed |= encode_targets(definition, value);
	failed |= encode_factors(definition, value);
	failed |= encode_layer(&definition->defaults, "defaults", value);
	failed |= put_value(value, "workloads",
			    encode_list(definition->workloads, definition->workload_count));
	failed |= put_value(value, "repeats", definition_encode_repeats(&repeats));
	if (!definition->imported) {
		failed |= put_text(value, "order", definition_order_names[definition->order]);
		failed |= put_u64(value, "seed", definition->seed);
	}
	failed |= encode_layer(&definition->override, "override", value);
	return put_end(value, failed);
}

char *definition_encode_text(const struct definition *definition)
{
	json_t *value = definition_encode(definition);
	char *text = json_write(value);

	json_decref(value);
	return text;
}
