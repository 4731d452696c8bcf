/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_imported.h - results that come in whole: a part of store.h, which includes it and has what
 * holds for the whole store. */
#ifndef SERVER_STORE_IMPORTED_H
#define SERVER_STORE_IMPORTED_H

#include <stdbool.h>

#include "engine/base/error.h"

struct result;
struct store;
struct store_run;

/*
 * Takes in a result that was imported, as a run that is done: all of it durable before it is seen.
 * The result's id and times become the run's: it has ended when it was taken in. A key as above.
 * Killed in between, it is either whole at the next start or was never there.
 */
MUST_CHECK int store_add_imported(struct store *store, struct result *result, const char *key,
				  const char *digest, struct store_run *ret_run, bool *ret_again,
				  struct error *err);

#endif
