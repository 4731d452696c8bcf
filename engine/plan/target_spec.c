/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan/target_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const target_kind_names[] = {"file", "directory", "device", "zvol", "dataset", NULL};

bool target_kind_is_block(enum target_kind kind)
{
	return kind == TARGET_DEVICE || kind == TARGET_ZVOL;
}

bool target_kind_has_files(enum target_kind kind)
{
	return kind == TARGET_DIRECTORY || kind == TARGET_DATASET;
}

bool target_kind_is_zfs(enum target_kind kind)
{
	return kind == TARGET_ZVOL || kind == TARGET_DATASET;
}

const char *target_kind_parse(const char *text, enum target_kind *ret_kind)
{
	const char *colon = strchr(text, ':');

	for (int kind = 0; colon && colon[1] && kind < TARGET_KIND_COUNT; kind++) {
		size_t length = strlen(target_kind_names[kind]);

		if (length != (size_t)(colon - text) ||
		    strncmp(target_kind_names[kind], text, length) != 0)
			continue;
		*ret_kind = (enum target_kind)kind;
		return colon + 1;
	}
	return NULL;
}

/* ---- properties ---- */

static struct property *find(const struct properties *properties, const char *name)
{
	for (size_t i = 0; i < properties->count; i++)
		if (strcmp(properties->list[i].name, name) == 0)
			return &properties->list[i];
	return NULL;
}

const char *properties_get(const struct properties *properties, const char *name)
{
	const struct property *property = find(properties, name);

	return property ? property->value : NULL;
}

static int add(struct properties *properties, const char *name, char *value)
{
	struct property *list =
		reallocarray(properties->list, properties->count + 1, sizeof(*list));
	char *copy;

	if (!list)
		return -ENOMEM;
	properties->list = list;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	list[properties->count].name = copy;
	list[properties->count].value = value;
	properties->count++;
	return 0;
}

int properties_set(struct properties *properties, const char *name, const char *value)
{
	struct property *there = find(properties, name);
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	if (there) {
		free(there->value);
		there->value = copy;
		return 0;
	}
	if (add(properties, name, copy) < 0) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

int properties_overlay(struct properties *properties, const struct properties *over)
{
	int r = 0;

	for (size_t i = 0; i < over->count && r == 0; i++)
		r = properties_set(properties, over->list[i].name, over->list[i].value);
	return r;
}

void properties_done(struct properties *properties)
{
	for (size_t i = 0; i < properties->count; i++) {
		free(properties->list[i].name);
		free(properties->list[i].value);
	}
	free(properties->list);
	*properties = (struct properties){0};
}

/* ---- the whole ---- */

static int copy_text(const char *from, char **to)
{
	if (from && !(*to = strdup(from)))
		return -ENOMEM;
	return 0;
}

int target_spec_copy(const struct target_spec *from, struct target_spec *to)
{
	int r;

	*to = (struct target_spec){
		.kind = from->kind,
		.existing = from->existing,
		.size_bytes = from->size_bytes,
		.sparse = from->sparse,
	};
	r = copy_text(from->name, &to->name);
	if (r == 0)
		r = copy_text(from->path, &to->path);
	if (r == 0)
		r = copy_text(from->fingerprint, &to->fingerprint);
	if (r == 0)
		r = properties_overlay(&to->properties, &from->properties);
	if (r < 0)
		target_spec_done(to);
	return r;
}

void target_spec_done(struct target_spec *spec)
{
	free(spec->name);
	free(spec->path);
	free(spec->fingerprint);
	properties_done(&spec->properties);
	*spec = (struct target_spec){0};
}
