/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_request.c - see definition_request.h. */
#include "server/codec/definition_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "server/codec/definition_targets.h"
#include "server/codec/fields.h"

static int unknown(const char *name, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	return error_set(err, ERROR_UNKNOWN_DEFINITION, "/definition",
			 "there is no definition named \"%s\"", text_excerpt(name, quoted));
}

/* The named definition's document. */
static int load(const json_t *name, definition_lookup *lookup, void *arg, json_t **ret_value,
		struct error *err)
{
	char *text;
	int r;

	if (!json_is_string(name))
		return error_set(err, ERROR_WRONG_TYPE, "/definition",
				 "definition is the name of a built-in or saved one");
	if (!lookup)
		return unknown(json_string_value(name), err);
	r = lookup(arg, json_string_value(name), &text);
	if (r == -ENOENT)
		return unknown(json_string_value(name), err);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "reading the definition");
	r = json_read(text, strlen(text), ret_value, err);
	free(text);
	if (r == 0 && !json_is_object(*ret_value)) {
		json_decref(*ret_value);
		r = error_set(err, ERROR_WRONG_TYPE, "", "the saved definition is no object");
	}
	if (r < 0 && err)
		(void)snprintf(err->field, sizeof(err->field), "/definition");
	return r;
}

static int merge_override(json_t *merged, const json_t *override)
{
	static const char *const pair[] = {"rwmixread", "rwmixwrite"};
	json_t *own = json_object_get(merged, "override");
	json_t *copy;

	if (!json_is_object(own) || !json_is_object(override))
		return json_object_set(merged, "override", (json_t *) override);
	copy = json_copy(own);
	for (size_t i = 0; copy && i < 2; i++)
		if (json_object_get(override, pair[i]))
			(void)json_object_del(copy, pair[1 - i]); /* may well not be there */
	if (!copy || json_object_update(copy, (json_t *) override) < 0) {
		json_decref(copy);
		return -1;
	}
	return json_object_set_new(merged, "override", copy);
}

/* Levels that name targets have no meaning without them. Deleting what is not there is no fault. */
static int drop_target_factor(json_t *merged)
{
	json_t *factors = json_object_get(merged, "factors");
	json_t *copy;

	if (!json_is_object(factors) || !json_object_get(factors, "target"))
		return 0;
	copy = json_copy(factors);
	if (!copy)
		return -1;
	(void)json_object_del(copy, "target");
	return json_object_set_new(merged, "factors", copy);
}

/* ---- zvols and datasets ---- */

static const char *const made_kinds[] = {"zvol", "dataset"};

/* Calls for each zvol or dataset of target and targets. */
static void for_each_made(const json_t *definition, void (*call)(json_t *made, const char *name),
			  const char *name)
{
	const json_t *one = json_object_get(definition, "target");
	const json_t *many = json_object_get(definition, "targets");

	for (size_t kind = 0; kind < ARRAY_SIZE(made_kinds); kind++) {
		call(json_object_get(one, made_kinds[kind]), name);
		for (size_t i = 0; i < json_array_size(many); i++)
			call(json_object_get(json_array_get(many, i), made_kinds[kind]), name);
	}
}

/* made may be NULL or no object: nothing is done then. */
static void drop_member(json_t *made, const char *name)
{
	(void)json_object_del(made, name); /* it may not be there */
}

static void drop_property(json_t *made, const char *name)
{
	(void)json_object_del(json_object_get(made, "properties"), name);
}

void definition_request_drop_parents(json_t *definition)
{
	for_each_made(definition, drop_member, "parent");
}

/* What the request compares is said by its levels, not by the definition. */
static void drop_compared(json_t *merged, const json_t *factors)
{
	const char *name;
	json_t *levels;

	json_object_foreach ((json_t *)factors, name, levels) {
		for_each_made(merged, drop_property, name);
	}
}

/* Members of the request's zvol over those of the definition's, and so its properties. */
static int merge_made(json_t *own, const json_t *given)
{
	json_t *properties = json_object_get(own, "properties");
	json_t *given_properties = json_object_get(given, "properties");
	int failed = 0;

	if (!json_is_object(properties) || !json_is_object(given_properties))
		return json_object_update(own, (json_t *)given);
	json_incref(properties);
	failed |= json_object_update(properties, given_properties);
	failed |= json_object_update(own, (json_t *)given);
	return failed | json_object_set_new(own, "properties", properties);
}

/* A target in place of the definition's; laid over it where both are zvols, or datasets. */
static int replace_target(json_t *merged, const json_t *given)
{
	json_t *own = json_object_get(merged, "target");

	for (size_t kind = 0; kind < ARRAY_SIZE(made_kinds); kind++) {
		json_t *made = json_object_get(own, made_kinds[kind]);
		const json_t *other = json_object_get(given, made_kinds[kind]);
		int failed;

		if (!json_is_object(made) || !json_is_object(other))
			continue;
		json_incref(made);
		failed = merge_made(made, other);
		failed |= json_object_update(own, (json_t *)given);
		return failed | json_object_set_new(own, made_kinds[kind], made);
	}
	return json_object_set(merged, "target", (json_t *)given);
}

/* ---- the whole ---- */

/* target or targets: one takes the place of the other. */
static int replace_targets(json_t *merged, const json_t *request)
{
	static const char *const names[] = {"target", "targets"};
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_t *value = json_object_get(request, names[i]);

		if (!value)
			continue;
		if (!json_object_get(request, names[1 - i]))
			(void)json_object_del(merged, names[1 - i]);
		failed |= drop_target_factor(merged);
		failed |= i == 0 ? replace_target(merged, value)
				 : json_object_set(merged, names[i], value);
		if (!definition_lacks_parent(merged))
			(void)json_object_del(merged, "parent"); /* it may not be there */
	}
	return failed;
}

static int replace_members(json_t *merged, const json_t *request)
{
	static const char *const names[] = {"parent", "factors", "repeats", "order", "seed"};
	int failed = 0;

	if (json_object_get(request, "parent"))
		definition_request_drop_parents(merged);
	drop_compared(merged, json_object_get(request, "factors"));
	failed |= replace_targets(merged, request);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_t *value = json_object_get(request, names[i]);

		if (value)
			failed |= json_object_set(merged, names[i], value);
	}
	if (json_object_get(request, "override"))
		failed |= merge_override(merged, json_object_get(request, "override"));
	if (!json_object_get(merged, "name"))
		failed |= json_object_set(merged, "name", json_object_get(request, "definition"));
	return failed;
}

int definition_request_merge(const json_t *request, definition_lookup *lookup, void *arg,
			     json_t **ret_merged, struct error *err)
{
	static const char *const names[] = {"definition", "parent", "target", "targets",  "factors",
					    "repeats",	  "order",  "seed",   "override", NULL};
	json_t *merged;
	int r = json_only_members(request, "", names, err);

	if (r == 0)
		r = load(json_object_get(request, "definition"), lookup, arg, &merged, err);
	if (r < 0)
		return r;
	if (replace_members(merged, request) != 0) {
		json_decref(merged);
		return error_no_memory(err);
	}
	*ret_merged = merged;
	return 0;
}

/* The member that the first part of a pointer names, of an object or a list; *rest is what follows
 * it. */
static json_t *follow(const json_t *value, const char *pointer, const char **rest)
{
	char name[ERROR_FIELD_MAX];
	size_t length = strcspn(pointer + 1, "/");

	/* members of a request have no "~" or "/" in their names; others are not found */
	(void)snprintf(name, sizeof(name), "%.*s", (int)length, pointer + 1);
	*rest = pointer + 1 + length;
	return json_object_get(value, name);
}

/* Whether all that a pointer leads through is there, `parts` of it at most. */
static bool leads(const json_t *value, const char *pointer, int parts)
{
	while (value && *pointer && parts-- > 0)
		value = follow(value, pointer, &pointer);
	return value != NULL;
}

/* Whether it is the request that gives what an error is about. */
static bool gives(const json_t *request, const struct error *err)
{
	/* of the override only some options may be the request's, and so of a zvol or dataset */
	if (strncmp(err->field, "/override/", 10) == 0)
		return leads(request, err->field, 2);
	if (strncmp(err->field, "/target/zvol/", 13) == 0 ||
	    strncmp(err->field, "/target/dataset/", 16) == 0)
		return leads(request, err->field, err->code == ERROR_MISSING_FIELD ? 2 : 4);
	return leads(request, err->field, 1);
}

void definition_request_blame(const json_t *request, struct error *err)
{
	const char *last;

	if (!err || err->field[0] != '/')
		return;
	if (strcmp(err->field, "/target") == 0)
		return; /* where it was missed */
	last = strrchr(err->field, '/') + 1;
	if (err->code == ERROR_MISSING_FIELD && option_find(last)) {
		char field[ERROR_FIELD_MAX]; /* an option that the override can bring */

		json_pointer_member(field, sizeof(field), "/override", last);
		memcpy(err->field, field, sizeof(field));
		return;
	}
	if (gives(request, err))
		return;
	(void)snprintf(err->field, sizeof(err->field), "%s",
		       err->code == ERROR_MISSING_FIELD && strcmp(last, "parent") == 0
			       ? "/parent" /* which the request can bring */
			       : "/definition");
}
