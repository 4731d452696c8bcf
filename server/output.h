/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.h - the documents that the terminal commands hand out: --json FILE. */
#ifndef SERVER_OUTPUT_H
#define SERVER_OUTPUT_H

#include <stddef.h>

#include "engine/base/error.h"

/* Whether output_document can be expected to work, before anything is measured. */
MUST_CHECK int output_check(const char *path, struct error *err);

/* Writes it whole, a newline behind it where it has none, in place of a file that was there; "-" is
 * standard output. */
MUST_CHECK int output_document(const char *path, const char *text, size_t size, struct error *err);

#endif
