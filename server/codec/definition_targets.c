/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_targets.c - see definition_targets.h. */
#include "server/codec/definition_targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/codec/json.h"

int definition_decode_text_member(const json_t *object, const char *pointer, const char *name,
				  char **ret_text, struct error *err)
{
	const json_t *value = json_object_get(object, name);
	char field[ERROR_FIELD_MAX];

	if (!value)
		return 0;
	json_pointer_member(field, sizeof(field), pointer, name);
	if (!json_is_string(value))
		return error_set(err, ERROR_WRONG_TYPE, field, "%s is a text", name);
	*ret_text = strdup(json_string_value(value));
	return *ret_text ? 0 : error_no_memory(err);
}

int definition_count_elements(const json_t *array, const char *pointer, size_t max,
			      size_t *ret_count, struct error *err)
{
	size_t count = json_array_size(array);

	if (!json_is_array(array))
		return error_set(err, ERROR_WRONG_TYPE, pointer, "%s is a list",
				 strrchr(pointer, '/') + 1);
	if (count == 0)
		return error_set(err, ERROR_MISSING_FIELD, pointer, "%s holds at least one",
				 strrchr(pointer, '/') + 1);
	if (count > max)
		return error_set(err, ERROR_TOO_MANY, pointer, "%s holds at most %zu, not %zu",
				 strrchr(pointer, '/') + 1, max, count);
	*ret_count = count;
	return 0;
}

static int decode_path(const json_t *value, const char *pointer, struct target_spec *target,
		       struct error *err)
{
	char field[ERROR_FIELD_MAX];
	int r;

	for (int kind = TARGET_FILE; kind <= TARGET_DEVICE; kind++) {
		const char *name = target_kind_names[kind];

		if (!json_object_get(value, name))
			continue;
		json_pointer_member(field, sizeof(field), pointer, name);
		if (target->path)
			return error_set(err, ERROR_CONFLICT, field,
					 "a target is one of file, directory and device");
		r = definition_decode_text_member(value, pointer, name, &target->path, err);
		if (r < 0)
			return r;
		target->kind = (enum target_kind)kind;
	}
	if (!target->path)
		return error_set(
			err, ERROR_MISSING_FIELD, pointer,
			"a target says what it is: {\"file\": PATH}, {\"directory\": PATH} "
			"or {\"device\": PATH}");
	return 0;
}

static int decode_target(const json_t *value, const char *pointer, bool named,
			 struct target_spec *target, struct error *err)
{
	static const char *const names[] = {"file",	   "directory", "device", "existing",
					    "fingerprint", "name",	NULL};
	static const char *const nameless[] = {"file",	   "directory",	  "device",
					       "existing", "fingerprint", NULL};
	const json_t *existing = json_object_get(value, "existing");
	char field[ERROR_FIELD_MAX];
	int r;

	if (!json_is_object(value))
		return error_set(err, ERROR_WRONG_TYPE, pointer,
				 "a target is an object, as in {\"file\": \"/tank/scratch\"}");
	r = json_only_members(value, pointer, named ? names : nameless, err);
	if (r == 0)
		r = decode_path(value, pointer, target, err);
	if (r == 0)
		r = definition_decode_text_member(value, pointer, "name", &target->name, err);
	if (r == 0)
		r = definition_decode_text_member(value, pointer, "fingerprint",
						  &target->fingerprint, err);
	if (r < 0)
		return r;
	json_pointer_member(field, sizeof(field), pointer,
			    named && !target->name ? "name" : "existing");
	if (named && !target->name)
		return error_set(err, ERROR_MISSING_FIELD, field,
				 "targets that are compared need names");
	if (existing && !json_is_boolean(existing))
		return error_set(err, ERROR_WRONG_TYPE, field, "existing is true or false");
	target->existing = json_is_true(existing);
	return 0;
}

int definition_decode_targets(const json_t *value, struct definition *definition, struct error *err)
{
	const json_t *one = json_object_get(value, "target");
	const json_t *many = json_object_get(value, "targets");
	size_t count = 1;
	int r = 0;

	if (one && many)
		return error_set(err, ERROR_CONFLICT, "/targets",
				 "give target, or targets to compare several");
	if (!one && !many)
		return 0;
	if (many)
		r = definition_count_elements(many, "/targets", DEFINITION_TARGETS_MAX, &count,
					      err);
	if (r < 0)
		return r;
	definition->targets = calloc(count, sizeof(*definition->targets));
	if (!definition->targets)
		return error_no_memory(err);
	for (size_t i = 0; i < count && r == 0; i++) {
		char pointer[ERROR_FIELD_MAX] = "/target";

		if (many)
			json_pointer_index(pointer, sizeof(pointer), "/targets", i);
		definition->target_count = i + 1;
		r = decode_target(many ? json_array_get(many, i) : one, pointer, many != NULL,
				  &definition->targets[i], err);
	}
	return r;
}
