/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition.c - see definition.h: a definition's JSON taken apart, member by member, each counted
 * before room is made for it; definition_check() then judges the whole. Requests by name are put
 * together in definition_request.c, the way back is definition_encode.c.
 */
#include "server/codec/definition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/property.h"
#include "server/codec/definition_factors.h"
#include "server/codec/definition_repeats.h"
#include "server/codec/definition_request.h"
#include "server/codec/definition_targets.h"
#include "server/codec/option_members.h"

#define LENT_PARENT "pool/parent" /* where a request is to bring one */

/* ---- workloads ---- */

/* {"name"?, "fio": "--rw=..."}: the command line says all the rest. */
static int decode_command(const json_t *value, const char *pointer, struct workload *workload,
			  struct error *err)
{
	const json_t *command = json_object_get(value, "fio");
	char field[ERROR_FIELD_MAX];
	const char *name;
	json_t *member;
	int r;

	json_object_foreach ((json_t *)value, name, member) {
		if (strcmp(name, "fio") == 0 || strcmp(name, "name") == 0 ||
		    strcmp(name, "weight") == 0)
			continue;
		json_pointer_member(field, sizeof(field), pointer, name);
		return error_set(err, ERROR_CONFLICT, field,
				 "beside \"fio\" there are only \"name\" and \"weight\": put the "
				 "option into the "
				 "command line, or into override");
	}
	json_pointer_member(field, sizeof(field), pointer, "fio");
	if (!json_is_string(command))
		return error_set(err, ERROR_WRONG_TYPE, field, "fio is a text, a command line");
	r = workload_parse_fio(json_string_value(command), workload, err);
	if (r == -EINVAL && err)
		(void)snprintf(err->field, sizeof(err->field), "%s", field);
	return r;
}

/* A workload that is one, or one of a workload's jobs; `besides` is its business of others. */
static int decode_options(const json_t *value, const char *pointer, const char *const *besides,
			  struct workload *workload, struct error *err)
{
	int r = 0;

	if (json_object_get(value, "fio"))
		r = decode_command(value, pointer, workload, err);
	return r < 0 ? r : option_members_decode(value, pointer, besides, workload, err);
}

static int decode_job(const json_t *value, const char *pointer, struct workload *workload,
		      struct error *err)
{
	static const char *const besides[] = {"fio", NULL};
	char field[ERROR_FIELD_MAX];
	struct workload job;
	int r;

	if (!json_is_object(value))
		return error_set(err, ERROR_WRONG_TYPE, pointer,
				 "a job is an object: options, or {\"name\", \"fio\": \"--rw=... "
				 "--bs=...\"}");
	if (json_object_get(value, "weight")) {
		json_pointer_member(field, sizeof(field), pointer, "weight");
		return error_set(err, ERROR_UNKNOWN_FIELD, field,
				 "a weight belongs to a workload, not to one of its jobs");
	}
	workload_init(&job);
	r = decode_options(value, pointer, besides, &job, err);
	if (r == 0 && workload_add_part(workload, &job) < 0)
		r = error_no_memory(err);
	workload_done(&job);
	return r;
}

static int decode_jobs(const json_t *array, const char *pointer, struct workload *workload,
		       struct error *err)
{
	char jobs[ERROR_FIELD_MAX], field[ERROR_FIELD_MAX];
	size_t count;
	int r;

	json_pointer_member(jobs, sizeof(jobs), pointer, "jobs");
	r = definition_count_elements(array, jobs, DEFINITION_JOBS_MAX, &count, err);
	for (size_t i = 0; r == 0 && i < count; i++) {
		json_pointer_index(field, sizeof(field), jobs, i);
		r = decode_job(json_array_get(array, i), field, workload, err);
	}
	return r;
}

/* Of a workload in the recommendation. */
static int decode_weight(const json_t *weight, const char *pointer, struct workload *workload,
			 struct error *err)
{
	double value = json_number_value(weight);
	char field[ERROR_FIELD_MAX];

	json_pointer_member(field, sizeof(field), pointer, "weight");
	if (!json_is_number(weight))
		return error_set(err, ERROR_WRONG_TYPE, field, "weight is a number");
	if (!(value >= DEFINITION_WEIGHT_MIN && value <= DEFINITION_WEIGHT_MAX))
		return error_set(err, ERROR_OUT_OF_RANGE, field,
				 "weight is %g to %g: 2 counts twice as much as 1, which is what a "
				 "workload without one counts",
				 DEFINITION_WEIGHT_MIN, DEFINITION_WEIGHT_MAX);
	workload->weight = value;
	return 0;
}

static int decode_workload(const json_t *value, const char *pointer, struct workload *workload,
			   struct error *err)
{
	static const char *const besides[] = {"fio", "jobs", "weight", NULL};
	int r;

	if (!json_is_object(value))
		return error_set(err, ERROR_WRONG_TYPE, pointer,
				 "a workload is an object: options, or {\"name\", \"fio\": "
				 "\"--rw=... --bs=...\"}");
	r = decode_options(value, pointer, besides, workload, err);
	if (r == 0 && json_object_get(value, "weight"))
		r = decode_weight(json_object_get(value, "weight"), pointer, workload, err);
	if (r == 0 && json_object_get(value, "jobs"))
		r = decode_jobs(json_object_get(value, "jobs"), pointer, workload, err);
	return r;
}

static int decode_workloads(const json_t *value, struct definition *definition, struct error *err)
{
	const json_t *array = json_object_get(value, "workloads");
	size_t count;
	int r;

	if (!array)
		return error_set(err, ERROR_MISSING_FIELD, "/workloads", "workloads is missing");
	r = definition_count_elements(array, "/workloads", DEFINITION_WORKLOADS_MAX, &count, err);
	if (r < 0)
		return r;
	definition->workloads = calloc(count, sizeof(*definition->workloads));
	if (!definition->workloads)
		return error_no_memory(err);
	for (size_t i = 0; i < count && r == 0; i++) {
		char pointer[ERROR_FIELD_MAX];

		json_pointer_index(pointer, sizeof(pointer), "/workloads", i);
		definition->workload_count = i + 1;
		r = decode_workload(json_array_get(array, i), pointer, &definition->workloads[i],
				    err);
	}
	return r;
}

/* defaults and override: options of every workload, so neither a name nor a weight. */
static int decode_layer(const json_t *value, const char *name, struct workload *workload,
			struct error *err)
{
	static const char *const own[] = {"name", "weight"};
	const json_t *layer = json_object_get(value, name);
	char pointer[ERROR_FIELD_MAX];

	if (!layer)
		return 0;
	json_pointer_member(pointer, sizeof(pointer), "", name);
	if (!json_is_object(layer))
		return error_set(err, ERROR_WRONG_TYPE, pointer, "%s is an object of options",
				 name);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		if (!json_object_get(layer, own[i]))
			continue;
		json_pointer_member(pointer, sizeof(pointer), pointer, own[i]);
		return error_set(err, ERROR_UNKNOWN_FIELD, pointer, "a %s belongs to one workload",
				 own[i]);
	}
	return option_members_decode(layer, pointer, NULL, workload, err);
}

/* ---- the rest ---- */

static int decode_schema(const json_t *value, struct error *err)
{
	const json_t *schema = json_object_get(value, "schema");

	if (!schema)
		return 0;
	if (!json_is_string(schema))
		return error_set(err, ERROR_WRONG_TYPE, "/schema", "schema is a text");
	if (strcmp(json_string_value(schema), DEFINITION_SCHEMA) != 0)
		return error_set(err, ERROR_UNSUPPORTED_SCHEMA, "/schema", "schema is \"%s\" here",
				 DEFINITION_SCHEMA);
	return 0;
}

static int decode_order(const json_t *value, struct definition *definition, struct error *err)
{
	const json_t *order = json_object_get(value, "order");

	if (!order)
		return 0;
	if (!json_is_string(order))
		return error_set(err, ERROR_WRONG_TYPE, "/order", "order is a text");
	for (int i = 0; definition_order_names[i]; i++) {
		if (strcmp(json_string_value(order), definition_order_names[i]) != 0)
			continue;
		definition->order = (enum sample_order)i;
		return 0;
	}
	return error_set(err, ERROR_BAD_VALUE, "/order", "order is interleaved or grouped");
}

static int decode_numbers(const json_t *value, struct definition *definition, struct error *err)
{
	json_int_t seed = -1;
	int r = definition_decode_repeats(value, definition, err);

	if (r == 0)
		r = definition_decode_integer(value, "", "seed", 0, INT64_MAX, &seed, err);
	if (r < 0)
		return r;
	definition->seed_given = seed >= 0;
	definition->seed = seed >= 0 ? (uint64_t)seed : 0;
	return 0;
}

static int decode_imported(const json_t *value, struct definition *definition, struct error *err)
{
	const json_t *imported = json_object_get(value, "imported");

	if (imported && !json_is_boolean(imported))
		return error_set(err, ERROR_WRONG_TYPE, "/imported", "imported is true or false");
	definition->imported = json_is_true(imported);
	return 0;
}

static int decode_members(const json_t *value, struct definition *definition, struct error *err)
{
	static const char *const names[] = {"schema",	 "name",     "description", "parent",
					    "target",	 "targets",  "factors",	    "defaults",
					    "workloads", "repeats",  "order",	    "seed",
					    "override",	 "imported", NULL};
	int r;

	if (!json_is_object(value))
		return error_set(err, ERROR_WRONG_TYPE, "", "a definition is an object");
	r = decode_schema(value, err);
	if (r == 0)
		r = json_only_members(value, "", names, err);
	if (r == 0)
		r = definition_decode_text_member(value, "", "name", &definition->name, err);
	if (r == 0)
		r = definition_decode_text_member(value, "", "description",
						  &definition->description, err);
	if (r == 0)
		r = decode_imported(value, definition, err);
	if (r == 0)
		r = definition_decode_targets(value, definition, err);
	if (r == 0)
		r = definition_decode_factors(value, definition, err);
	if (r == 0)
		r = decode_layer(value, "defaults", &definition->defaults, err);
	if (r == 0)
		r = decode_workloads(value, definition, err);
	if (r == 0)
		r = decode_numbers(value, definition, err);
	if (r == 0)
		r = decode_order(value, definition, err);
	if (r == 0)
		r = decode_layer(value, "override", &definition->override, err);
	return r;
}

/* What was measured elsewhere has neither target nor all its options. */
static int refuse_imported(const struct definition *definition, struct error *err)
{
	if (!definition->imported)
		return 0;
	return error_set(err, ERROR_CONFLICT, "/imported",
			 "this is the definition of an imported result: it can be neither run, "
			 "planned nor saved; write one with a target");
}

static int decode_whole(const json_t *value, bool stored, struct definition *definition,
			struct error *err)
{
	int r = decode_members(value, definition, err);

	if (r == 0 && !stored)
		r = refuse_imported(definition, err);
	if (r == 0)
		r = definition_check(definition, err);
	if (r < 0) {
		definition_done(definition);
		return r;
	}
	if (!definition->imported)
		definition_draw_seed(definition);
	return 0;
}

int definition_decode_stored(const json_t *value, struct definition *definition, struct error *err)
{
	return decode_whole(value, true, definition, err);
}

int definition_decode(const json_t *value, definition_lookup *lookup, void *arg,
		      struct definition *definition, struct error *err)
{
	json_t *merged;
	int r;

	if (!json_object_get(value, "definition"))
		return decode_whole(value, false, definition, err);
	r = definition_request_merge(value, lookup, arg, &merged, err);
	if (r < 0)
		return r;
	r = decode_whole(merged, false, definition, err);
	json_decref(merged);
	if (r < 0)
		definition_request_blame(value, err);
	return r;
}

int definition_decode_text(const char *text, size_t size, definition_lookup *lookup, void *arg,
			   struct definition *definition, struct error *err)
{
	json_t *value;
	int r = json_read(text, size, &value, err);

	if (r < 0)
		return r;
	r = definition_decode(value, lookup, arg, definition, err);
	json_decref(value);
	return r;
}

static bool names_path(const struct workload *workload)
{
	bool path = workload->filename || workload->directory;

	for (size_t i = 0; i < workload->part_count; i++)
		path |= workload->parts[i].filename || workload->parts[i].directory;
	return path;
}

/* What kind of target the definition is for: one that has all properties compared. */
static enum target_kind kind_to_lend(const struct definition *definition, bool files)
{
	bool properties = false, zvol = true;

	for (size_t i = 0; i < definition->factor_count; i++) {
		if (definition->factors[i].kind != FACTOR_PROPERTY)
			continue;
		properties = true;
		zvol &= property_find(definition->factors[i].name)->zvol;
	}
	if (properties)
		return zvol && !files ? TARGET_ZVOL : TARGET_DATASET;
	return files ? TARGET_DIRECTORY : TARGET_DEVICE;
}

/* A stand-in where the request is to bring the target: a device asks nothing of a workload, but a
 * metadata workload wants a directory, and a property a zvol or dataset. */
static int lend_target(struct definition *definition, struct error *err)
{
	bool path = definition->target_count > 0, files = workload_metadata(&definition->defaults);
	struct target_spec *target;

	for (size_t i = 0; i < definition->workload_count; i++) {
		path |= names_path(&definition->workloads[i]);
		files |= workload_metadata(&definition->workloads[i]);
	}
	if (path || definition->defaults.filename || definition->defaults.directory ||
	    definition->override.filename || definition->override.directory)
		return 0;
	definition->targets = target = calloc(1, sizeof(*definition->targets));
	if (!target)
		return error_no_memory(err);
	definition->target_count = 1;
	target->kind = kind_to_lend(definition, files);
	target->path = strdup(target_kind_is_zfs(target->kind) ? LENT_PARENT : "/dev/null");
	if (target->kind == TARGET_ZVOL)
		target->size_bytes = UINT64_C(1) << 62; /* workloads may leave out theirs */
	return target->path ? 0 : error_no_memory(err);
}

/* The members of a definition, with a parent where the request is to bring it. */
static int decode_saved(const json_t *value, struct definition *definition, struct error *err)
{
	json_t *copy;
	int r;

	if (!definition_lacks_parent(value) || json_object_get(value, "parent"))
		return decode_members(value, definition, err);
	copy = json_copy((json_t *)value);
	if (!copy || json_object_set_new(copy, "parent", json_string(LENT_PARENT)) < 0)
		r = error_no_memory(err);
	else
		r = decode_members(copy, definition, err);
	json_decref(copy);
	return r;
}

int definition_validate_saved(const json_t *value, struct error *err)
{
	struct definition definition;
	int r;

	definition_init(&definition);
	r = decode_saved(value, &definition, err);
	if (r == 0)
		r = refuse_imported(&definition, err);
	if (r == 0 && !definition.name) {
		definition.name =
			strdup("saved"); /* it will be called by the name it is saved as */
		r = definition.name ? 0 : error_no_memory(err);
	}
	if (r == 0)
		r = lend_target(&definition, err);
	if (r == 0)
		r = definition_check(&definition, err);
	definition_done(&definition);
	return r;
}
