/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_request.c - see definition_request.h. */
#include "server/codec/definition_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
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

static int replace_members(json_t *merged, const json_t *request)
{
	static const char *const names[] = {"target",  "targets", "factors",
					    "repeats", "order",	  "seed"};
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_t *value = json_object_get(request, names[i]);

		if (!value)
			continue;
		if (i < 2) { /* one of the two takes the place of the other */
			if (!json_object_get(request, names[1 - i]))
				(void)json_object_del(merged, names[1 - i]);
			failed |= drop_target_factor(merged);
		}
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
	static const char *const names[] = {"definition", "target",   "targets",
					    "factors",	  "repeats",  "order",
					    "seed",	  "override", NULL};
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

/* The member of an object that a pointer's first part names; *rest is what follows it. */
static json_t *follow(const json_t *object, const char *pointer, const char **rest)
{
	char name[ERROR_FIELD_MAX];
	size_t length = strcspn(pointer + 1, "/");

	/* members of a request have no "~" or "/" in their names; others are not found */
	(void)snprintf(name, sizeof(name), "%.*s", (int)length, pointer + 1);
	*rest = pointer + 1 + length;
	return json_object_get(object, name);
}

void definition_request_blame(const json_t *request, struct error *err)
{
	const char *rest, *option;
	const json_t *member;

	if (!err || err->field[0] != '/')
		return;
	if (strcmp(err->field, "/target") == 0)
		return; /* where it was missed */
	option = strrchr(err->field, '/') + 1;
	if (err->code == ERROR_MISSING_FIELD && option_find(option)) {
		char field[ERROR_FIELD_MAX]; /* an option that the override can bring */

		json_pointer_member(field, sizeof(field), "/override", option);
		memcpy(err->field, field, sizeof(field));
		return;
	}
	member = follow(request, err->field, &rest);
	/* of the override only some options may be the request's */
	if (member && (strncmp(err->field, "/override/", 10) != 0 || follow(member, rest, &rest)))
		return;
	(void)snprintf(err->field, sizeof(err->field), "/definition");
}
