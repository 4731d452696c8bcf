/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * amend.h - a definition's text changed by what the command line says.
 */
#ifndef SERVER_CODEC_AMEND_H
#define SERVER_CODEC_AMEND_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/plan/repeats.h"

/* What the command line lays over a definition. */
struct amendment {
	const char *target; /* "file:PATH", ..., "zvol:PARENT"; NULL: as it is */
	const char *parent; /* of all zvols and datasets; NULL: as it is */
	size_t override_count;
	const char *const *overrides; /* "OPTION=VALUE" */
	struct repeats repeats;	      /* most 0: as it is */
};

/*
 * A definition's (or request's) JSON text with the amendment in its members target (targets is
 * then dropped; of a zvol or dataset in place of one of its kind, size and properties stay),
 * parent, override and repeats; heap. BAD_PARAMETER where the amendment cannot be read, else the
 * errors of json_read().
 */
MUST_CHECK int amend_definition(const char *text, size_t size, const struct amendment *amendment,
				char **ret_text, struct error *err);

/* {"definition": NAME}, heap. NULL: no memory. */
char *amend_by_name(const char *name);

#endif
