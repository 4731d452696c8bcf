/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * option_members.h - workload options as members of a JSON object: what a definition's defaults,
 * workloads, override and factor levels have in common. workload_encode() and workload_decode() of
 * definition.h are made of it.
 */
#ifndef SERVER_CODEC_OPTION_MEMBERS_H
#define SERVER_CODEC_OPTION_MEMBERS_H

#include <jansson.h>

#include "engine/plan/definition.h"

/*
 * Every member of an object as an option of *workload; names besides that are passed over.
 * `besides` is NULL-terminated, or NULL. Second names of fio's are refused with the first one, what
 * fio has and we lack is UNSUPPORTED, all else UNKNOWN_FIELD.
 */
MUST_CHECK int option_members_decode(const json_t *object, const char *pointer,
				     const char *const *besides, struct workload *workload,
				     struct error *err);

/* A level or an option's value as the text that option_parse() takes; heap. WRONG_TYPE. */
MUST_CHECK int option_members_text(const struct option *option, const json_t *value,
				   const char *pointer, char **ret_text, struct error *err);

/* The error of a name that no option of ours has. */
int option_members_unknown(const char *name, const char *pointer, struct error *err);

/* The set options but name as members; NULL: no memory. */
json_t *option_members_encode(const struct workload *workload);

#endif
