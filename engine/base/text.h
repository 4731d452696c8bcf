/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.h - what must be known of a text that somebody else wrote before it is shown or kept.
 *
 * Any thread; nothing is allocated.
 */
#ifndef ENGINE_BASE_TEXT_H
#define ENGINE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define TEXT_EXCERPT_MAX 64

/*
 * The start of a text as a message may quote it: at most TEXT_EXCERPT_MAX - 1 bytes with "..." at
 * the end where it was longer, cut between characters, control characters and bytes that are not
 * UTF-8 shown as "?". Returns buffer.
 */
const char *text_excerpt(const char *text, char buffer[TEXT_EXCERPT_MAX]);

/* Copies a text, bytes that are not UTF-8, control characters but \n and \t and marks that turn the
 * direction of writing shown as "?"; cut between characters where it does not fit. For texts that
 * came from elsewhere (a path, strerror) and go into JSON or onto a terminal. Returns buffer. */
const char *text_clean(const char *text, char *buffer, size_t size);

/* Bytes of the well-formed UTF-8 character at text (1 to 4); 0 where there is none, and for "". */
size_t text_character(const char *text);

/*
 * Fit for a name or label: well-formed UTF-8 without control characters (C0, DEL, C1), line and
 * paragraph separators or marks that turn the direction of writing. "" is printable.
 */
bool text_printable(const char *text);

#endif
