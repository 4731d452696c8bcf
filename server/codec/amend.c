/* SPDX-License-Identifier: GPL-3.0-or-later */
/* amend.c - see amend.h. */
#include "server/codec/amend.h"

#include <errno.h>
#include <string.h>

#include "engine/plan/definition.h"
#include "server/codec/definition_repeats.h"
#include "server/codec/definition_request.h"
#include "server/codec/fields.h"
#include "server/codec/json.h"

/* {"zvol": {"parent": PARENT}}; size and properties of a target of the same kind stay. */
static int amend_made(json_t *value, const char *kind, const char *parent)
{
	json_t *target = json_object_get(value, "target");
	json_t *made = json_object_get(target, kind);

	(void)json_object_del(value, "parent"); /* it may not be there */
	if (json_is_object(made))
		return put_text(made, "parent", parent);
	made = json_object();
	target = json_object();
	if (put_text(made, "parent", parent) < 0) {
		json_decref(made);
		made = NULL;
	}
	return put_value(value, "target", put_end(target, put_value(target, kind, made)));
}

static int amend_target(json_t *value, const char *text, struct error *err)
{
	enum target_kind kind;
	const char *path = target_kind_parse(text, &kind);
	json_t *target;
	int failed;

	if (!path)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--target takes file:PATH, directory:PATH, device:PATH, "
				 "zvol:PARENT or dataset:PARENT, not \"%.60s\".",
				 text);
	if (target_kind_is_zfs(kind)) {
		failed = amend_made(value, target_kind_names[kind], path);
	} else {
		target = json_object();
		failed = put_text(target, target_kind_names[kind], path);
		failed = put_value(value, "target", put_end(target, failed));
	}
	if (failed)
		return error_no_memory(err);
	(void)json_object_del(value, "targets"); /* it may not be there */
	return 0;
}

/* The parent of all zvols and datasets, also of those that name one. */
static int amend_parent(json_t *value, const char *parent, struct error *err)
{
	definition_request_drop_parents(value);
	return put_text(value, "parent", parent) < 0 ? error_no_memory(err) : 0;
}

static int amend_override(json_t *value, const char *text, struct error *err)
{
	json_t *override = json_object_get(value, "override");
	const char *equals = strchr(text, '=');
	char name[64];

	if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
		return error_set(
			err, ERROR_BAD_PARAMETER, "",
			"--override takes OPTION=VALUE, for example size=1G, not \"%.60s\".", text);
	if (!json_is_object(override)) {
		/* What is there but no object is refused when the whole is decoded. */
		if (override)
			return 0;
		override = json_object();
		if (put_value(value, "override", override) < 0)
			return error_no_memory(err);
	}
	memcpy(name, text, (size_t)(equals - text));
	name[equals - text] = '\0';
	return put_text(override, name, equals + 1) < 0 ? error_no_memory(err) : 0;
}

static int amend(json_t *value, const struct amendment *amendment, struct error *err)
{
	enum target_kind kind;
	int r = 0;

	if (amendment->parent && amendment->target && target_kind_parse(amendment->target, &kind) &&
	    target_kind_is_zfs(kind))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--target %.60s says the parent: leave out --parent.",
				 amendment->target);
	if (amendment->target)
		r = amend_target(value, amendment->target, err);
	if (r == 0 && amendment->parent)
		r = amend_parent(value, amendment->parent, err);
	for (size_t i = 0; r == 0 && i < amendment->override_count; i++)
		r = amend_override(value, amendment->overrides[i], err);
	if (r == 0 && amendment->repeats.most > 0 &&
	    put_value(value, "repeats", definition_encode_repeats(&amendment->repeats)) < 0)
		r = error_no_memory(err);
	return r;
}

int amend_definition(const char *text, size_t size, const struct amendment *amendment,
		     char **ret_text, struct error *err)
{
	json_t *value;
	char *amended;
	int r = json_read(text, size, &value, err);

	if (r < 0)
		return r;
	/* What is no object is refused, with better words, when the whole is decoded. */
	if (json_is_object(value))
		r = amend(value, amendment, err);
	amended = r == 0 ? json_write(value) : NULL;
	json_decref(value);
	if (r < 0)
		return r;
	if (!amended)
		return error_no_memory(err);
	*ret_text = amended;
	return 0;
}

char *amend_by_name(const char *name)
{
	json_t *value = json_object();
	char *text = NULL;

	if (put_text(value, "definition", name) == 0)
		text = json_write(value);
	json_decref(value);
	return text;
}
