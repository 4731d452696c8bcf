/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_definitions.h - the store's saved definitions, STATE/definitions/NAME.json. Part of
 * store.h, which includes it and has what holds for the whole store.
 */
#ifndef SERVER_STORE_DEFINITIONS_H
#define SERVER_STORE_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

struct store;

#define STORE_DEFINITIONS_MAX 1000

/* 1 to 64 of [A-Za-z0-9._-], not starting with '.'; BAD_NAME where it is not. */
bool store_definition_name_ok(const char *name);
/* A new one, or in place of an older one. TOO_MANY; UNSUPPORTED_SCHEMA over a newer one's. */
MUST_CHECK int store_put_definition(struct store *store, const char *name, const char *text,
				    bool *ret_created, struct error *err);
MUST_CHECK int store_get_definition(struct store *store, const char *name, char **ret_text,
				    struct error *err);
MUST_CHECK int store_remove_definition(struct store *store, const char *name, struct error *err);
/* Sorted by name; names and list are heap. */
MUST_CHECK int store_list_definitions(struct store *store, char ***ret_names, size_t *ret_count);

#endif
