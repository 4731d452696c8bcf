/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition_request.h - a run asked for by a definition's name: the two documents made one.
 */
#ifndef SERVER_CODEC_DEFINITION_REQUEST_H
#define SERVER_CODEC_DEFINITION_REQUEST_H

#include "server/codec/definition.h"

/*
 * The named definition with what the request gives in place of its own members; override is merged
 * option by option (rwmixread and rwmixwrite being two names of one). A target in place of
 * "targets" takes their factor away too; a zvol in place of a zvol, or a dataset of a dataset, is
 * laid over it, member by member and property by property. A "parent" is that of all the
 * definition's zvols and datasets; a factor that is a property of theirs takes its place there. A
 * saved definition without a name is called by the one it was saved as. *ret_merged is the
 * caller's.
 */
MUST_CHECK int definition_request_merge(const json_t *request, definition_lookup *lookup, void *arg,
					json_t **ret_merged, struct error *err);

/* Takes the parents out of all zvols and datasets of a definition: one for all is given beside. */
void definition_request_drop_parents(json_t *definition);

/* Turns the pointer of an error in the merged document to what the client wrote: where the member
 * is not of the request, "/definition" is to blame. */
void definition_request_blame(const json_t *request, struct error *err);

#endif
