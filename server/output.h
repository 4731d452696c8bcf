/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.h - the documents that the terminal commands hand out: --json FILE. */
#ifndef SERVER_OUTPUT_H
#define SERVER_OUTPUT_H

#include <stddef.h>

#include "engine/base/error.h"

/* Whether output_document can be expected to work, before anything is measured. */
MUST_CHECK int output_check(const char *path, struct error *err);

/* The same of --html: the directory is made. */
MUST_CHECK int output_check_directory(const char *path, struct error *err);

/*
 * Writes it whole, a newline behind it where it has none. "-" is standard output. A file that was
 * there is replaced, also behind symbolic links; a character device or pipe is written to and stays
 * what it is; directories, block devices and sockets are refused.
 */
MUST_CHECK int output_document(const char *path, const char *text, size_t size, struct error *err);

#endif
