/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lines.h - pieces of a text that need not end in NUL: its lines, and what stands in them. Nothing
 * is copied.
 */
#ifndef SERVER_IMPORT_LINES_H
#define SERVER_IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/macros.h"

struct piece {
	const char *text;
	size_t size;
};

/* The next line without its end and the blanks around it, *rest then begins behind it; false where
 * there is none. */
bool lines_next(struct piece *rest, struct piece *ret_line);

/* Without spaces, tabs and carriage returns at both ends. */
struct piece lines_trim(struct piece piece);

bool lines_begin(struct piece piece, const char *word);
bool lines_are(struct piece piece, const char *word);

/* What stands behind a word that the piece begins with, trimmed. */
struct piece lines_behind(struct piece piece, const char *word);

/* What stands before and behind the first `mark`, trimmed; false where there is none. */
bool lines_part(struct piece piece, char mark, struct piece *ret_before, struct piece *ret_behind);

/* Cells between marks, trimmed; how many there are, at most max: what is more is left out. */
size_t lines_cut(struct piece line, char mark, struct piece *cells, size_t max);

/* A copy that can be shown: control characters and what is not UTF-8 as "?", up to a NUL. Heap;
 * NULL: no memory. */
char *lines_copy(struct piece piece);

/* The next word between blanks, *rest then begins behind it; false where there is none. */
bool lines_word(struct piece *rest, struct piece *ret_word);

/* What stands behind the first `word` wherever in the piece; false where it is not there. */
bool lines_find(struct piece piece, const char *word, struct piece *ret_behind);

/* Digits and nothing else. -EINVAL. */
MUST_CHECK int lines_count(struct piece piece, uint64_t *ret_count);

/* Whether a text is UTF-16 with its mark, as PowerShell redirects it; and what of it is ASCII, the
 * rest as "?": heap, half as long without the mark; NULL: no memory. */
bool lines_wide(const char *text, size_t size);
char *lines_narrow(const char *text, size_t size, size_t *ret_size);

#endif
