/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html.h - writes HTML that is also well-formed XML, and escapes by default.
 *
 *   struct html *html = html_new();
 *   html_open(html, "p", "class", "note", NULL);
 *   html_text(html, name_from_a_user);
 *   html_close(html, "p");
 *   char *page = html_finish(html, &size);
 *
 * Invariants:
 * 1. Text and attribute values are escaped; bytes that are not UTF-8, control characters, XML's
 *    non-characters and the marks that turn the direction of what follows become U+FFFD. Only
 *    html_raw() writes as it is, and it takes nothing but a string literal.
 * 2. Elements are closed in the order they were opened; a mistake in that is ours and asserted.
 * 3. href and src lead nowhere but to a relative address or http(s); anything else becomes "#".
 * 4. No memory is remembered, not returned: html_finish() then yields NULL.
 *
 * Names of elements and attributes are constants of the caller. Threads: one writer.
 */
#ifndef WEB_HTML_H
#define WEB_HTML_H

#include "engine/base/macros.h"

struct html;

struct html *html_new(void); /* NULL on no memory, which every function here accepts */
void html_free(struct html *html);

/* <element name="value" ...>; the pairs end with NULL, a pair whose value is NULL is left out. */
void html_open(struct html *html, const char *element, ...) __attribute__((sentinel));
void html_close(struct html *html, const char *element);

/* <element name="value" .../> for HTML's void elements (br, img, meta, link, ...). */
void html_void(struct html *html, const char *element, ...) __attribute__((sentinel));

/* <element ...>text</element>. */
void html_element(struct html *html, const char *element, const char *text, ...)
	__attribute__((sentinel));

void html_text(struct html *html, const char *text); /* NULL: nothing */
/* A name, which a narrow column may break behind '_', '-', '/', ',' and '.' (<wbr/>). */
void html_name(struct html *html, const char *name);
void html_textf(struct html *html, const char *format, ...) PRINTF_LIKE(2, 3);

/* Markup of our own, a literal: `html_raw(html, "<br/>")`. */
#define html_raw(html, literal) html_raw_bytes((html), "" literal, sizeof(literal) - 1)
void html_raw_bytes(struct html *html, const char *bytes, size_t size);

/* The document (heap, NUL behind it) and frees the writer; everything must be closed. NULL on no
 * memory. ret_size may be NULL. */
char *html_finish(struct html *html, size_t *ret_size);

#endif
