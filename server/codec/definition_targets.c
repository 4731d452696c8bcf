/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_targets.c - see definition_targets.h. */
#include "server/codec/definition_targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/definition_made.h"
#include "engine/plan/property.h"
#include "engine/plan/quantity.h"
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

/* ---- what is made on OpenZFS ---- */

int definition_property_text(const char *name, const json_t *value, const char *pointer,
			     char **ret_text, struct error *err)
{
	char number[32];
	const char *text = json_string_value(value);

	if (json_is_integer(value)) {
		(void)snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			       json_integer_value(value));
		text = number;
	}
	if (!text)
		return error_set(
			err, ERROR_WRONG_TYPE, pointer,
			"the property %s takes a text, as in \"16K\" or \"off\", or a whole "
			"number",
			name);
	*ret_text = strdup(text);
	return *ret_text ? 0 : error_no_memory(err);
}

static int decode_property(const char *name, const json_t *value, const char *pointer,
			   struct properties *properties, struct error *err)
{
	AUTO_FREE char *text = NULL;
	int r;

	if (!property_find(name)) {
		r = property_refuse(name, err);
		if (err)
			(void)snprintf(err->field, sizeof(err->field), "%s", pointer);
		return r;
	}
	r = definition_property_text(name, value, pointer, &text, err);
	if (r < 0)
		return r;
	return properties_set(properties, name, text) < 0 ? error_no_memory(err) : 0;
}

static int decode_properties(const json_t *made, const char *pointer, struct target_spec *target,
			     struct error *err)
{
	json_t *properties = json_object_get(made, "properties"), *value;
	char object[ERROR_FIELD_MAX], field[ERROR_FIELD_MAX];
	const char *name;

	if (!properties)
		return 0;
	json_pointer_member(object, sizeof(object), pointer, "properties");
	if (!json_is_object(properties))
		return error_set(err, ERROR_WRONG_TYPE, object,
				 "properties is an object, as in {\"compression\": \"off\"}");
	json_object_foreach (properties, name, value) {
		int r;

		json_pointer_member(field, sizeof(field), object, name);
		r = decode_property(name, value, field, &target->properties, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int decode_size(const json_t *made, const char *pointer, struct target_spec *target,
		       struct error *err)
{
	const json_t *value = json_object_get(made, "size");
	char field[ERROR_FIELD_MAX];
	int r;

	if (!value)
		return 0;
	json_pointer_member(field, sizeof(field), pointer, "size");
	if (json_is_string(value)) {
		r = quantity_parse_size(json_string_value(value), &target->size_bytes, err);
		if (r == -EINVAL && err)
			memcpy(err->field, field, sizeof(field));
		if (r < 0)
			return r;
	} else if (json_is_integer(value) && json_integer_value(value) > 0) {
		target->size_bytes = (uint64_t)json_integer_value(value);
	} else if (!json_is_integer(value)) {
		return error_set(err, ERROR_WRONG_TYPE, field,
				 "size is a number of bytes, or a text such as \"64G\"");
	}
	if (target->size_bytes == 0 || target->size_bytes > INT64_MAX)
		return error_set(err, ERROR_BAD_SIZE, field,
				 "a zvol has at least one block and at most 2^63 bytes; leave size "
				 "out to have it computed");
	return 0;
}

static int decode_sparse(const json_t *made, const char *pointer, struct target_spec *target,
			 struct error *err)
{
	const json_t *value = json_object_get(made, "sparse");
	char field[ERROR_FIELD_MAX];

	json_pointer_member(field, sizeof(field), pointer, "sparse");
	if (value && !json_is_boolean(value))
		return error_set(err, ERROR_WRONG_TYPE, field, "sparse is true or false");
	target->sparse = json_is_true(value);
	return 0;
}

/* {"parent"?, "size"?, "sparse"?, "properties"?}; parent: that of the definition, or NULL. */
static int decode_made(const json_t *made, const char *pointer, const char *parent,
		       struct target_spec *target, struct error *err)
{
	static const char *const of_zvol[] = {"parent", "size", "sparse", "properties", NULL};
	static const char *const of_dataset[] = {"parent", "properties", NULL};
	const char *kind = target_kind_names[target->kind];
	char field[ERROR_FIELD_MAX];
	int r;

	json_pointer_member(field, sizeof(field), pointer, "parent");
	if (!json_is_object(made))
		return error_set(err, ERROR_WRONG_TYPE, pointer,
				 "%s is an object, as in {\"parent\": \"tank/volbench\"}", kind);
	r = json_only_members(made, pointer, target->kind == TARGET_ZVOL ? of_zvol : of_dataset,
			      err);
	if (r == 0)
		r = definition_decode_text_member(made, pointer, "parent", &target->path, err);
	if (r < 0)
		return r;
	if (!target->path && !parent)
		return error_set(
			err, ERROR_MISSING_FIELD, field,
			"parent is needed: the dataset beneath which the %s is made, as in "
			"\"tank/volbench\"",
			kind);
	if (!target->path && !(target->path = strdup(parent)))
		return error_no_memory(err);
	r = decode_size(made, pointer, target, err);
	if (r == 0)
		r = decode_sparse(made, pointer, target, err);
	return r < 0 ? r : decode_properties(made, pointer, target, err);
}

/* ---- targets ---- */

/* The member that says what kind it is. */
static int decode_kind(const json_t *value, const char *pointer, const char *parent,
		       struct target_spec *target, struct error *err)
{
	char field[ERROR_FIELD_MAX];
	bool known = false;

	for (int kind = 0; kind < TARGET_KIND_COUNT; kind++) {
		const char *name = target_kind_names[kind];
		const json_t *member = json_object_get(value, name);
		int r;

		if (!member)
			continue;
		json_pointer_member(field, sizeof(field), pointer, name);
		if (known)
			return error_set(
				err, ERROR_CONFLICT, field,
				"a target is one of file, directory, device, zvol and dataset");
		known = true;
		target->kind = (enum target_kind)kind;
		if (target_kind_is_zfs(target->kind))
			r = decode_made(member, field, parent, target, err);
		else
			r = definition_decode_text_member(value, pointer, name, &target->path, err);
		if (r < 0)
			return r;
	}
	if (!known)
		return error_set(
			err, ERROR_MISSING_FIELD, pointer,
			"a target says what it is: {\"file\": PATH}, {\"directory\": PATH}, "
			"{\"device\": PATH}, {\"zvol\": {\"parent\": DATASET}} or {\"dataset\": "
			"{\"parent\": DATASET}}");
	return 0;
}

static int decode_target(const json_t *value, const char *pointer, bool named, const char *parent,
			 struct target_spec *target, struct error *err)
{
	/* a name only where it is one of several */
	static const char *const names[] = {"file",	"directory",   "device", "zvol", "dataset",
					    "existing", "fingerprint", "name",	 NULL};
	static const char *const nameless[] = {"file",	  "directory", "device",      "zvol",
					       "dataset", "existing",  "fingerprint", NULL};
	const json_t *existing = json_object_get(value, "existing");
	char field[ERROR_FIELD_MAX];
	int r;

	if (!json_is_object(value))
		return error_set(err, ERROR_WRONG_TYPE, pointer,
				 "a target is an object, as in {\"file\": \"/tank/scratch\"}");
	r = json_only_members(value, pointer, named ? names : nameless, err);
	if (r == 0)
		r = decode_kind(value, pointer, parent, target, err);
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

/* Whether a target is one that the definition's "parent" is for. */
static bool lacks_parent(const json_t *target)
{
	const json_t *zvol = json_object_get(target, "zvol");
	const json_t *dataset = json_object_get(target, "dataset");

	return (json_is_object(zvol) && !json_object_get(zvol, "parent")) ||
	       (json_is_object(dataset) && !json_object_get(dataset, "parent"));
}

bool definition_lacks_parent(const json_t *definition)
{
	const json_t *many = json_object_get(definition, "targets");

	if (lacks_parent(json_object_get(definition, "target")))
		return true;
	for (size_t i = 0; i < json_array_size(many); i++)
		if (lacks_parent(json_array_get(many, i)))
			return true;
	return false;
}

static int decode_parent(const json_t *value, const char **ret_parent, struct error *err)
{
	const json_t *parent = json_object_get(value, "parent");
	int r;

	*ret_parent = NULL;
	if (!parent)
		return 0;
	if (!json_is_string(parent))
		return error_set(err, ERROR_WRONG_TYPE, "/parent", "parent is a text");
	r = definition_made_check_parent(json_string_value(parent), "/parent", err);
	if (r < 0)
		return r;
	*ret_parent = json_string_value(parent);
	if (definition_lacks_parent(value))
		return 0;
	return error_set(
		err, ERROR_CONFLICT, "/parent",
		"parent is for zvols and datasets that name none themselves, and no target "
		"is such a one");
}

int definition_decode_targets(const json_t *value, struct definition *definition, struct error *err)
{
	const json_t *one = json_object_get(value, "target");
	const json_t *many = json_object_get(value, "targets");
	const char *parent;
	size_t count = 1;
	int r = decode_parent(value, &parent, err);

	if (r < 0)
		return r;
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
				  parent, &definition->targets[i], err);
	}
	return r;
}
