/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stored.h - results that terminal commands read again: a volbench.result/1 in a file, a directory
 * that has one (a report's), or a run of the state directory by its id. What is there as a file
 * comes first. The store's lock is not taken: results are written once, whole.
 */
#ifndef SERVER_STORED_H
#define SERVER_STORED_H

#include "engine/base/error.h"
#include "server/options.h"

/* Its text, heap. BAD_PARAMETER where there is no such thing. */
MUST_CHECK int stored_text(const struct options *options, const char *word, char **ret_text,
			   size_t *ret_size, struct error *err);

/* A file of at most `most` bytes, whatever it is; heap. */
MUST_CHECK int stored_file(const char *path, size_t most, char **ret_text, size_t *ret_size,
			   struct error *err);

/* "volbench: WORD: message (code)" on standard error; word may be NULL. */
void stored_complain(const char *word, const struct error *err);

/* What --html names is there, or made, and can be written to. BAD_PARAMETER. */
MUST_CHECK int stored_check_html(const char *directory, struct error *err);

#endif
