/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.h - plain text for a terminal or a pipe: wrapped sentences, aligned columns, figures of
 * three digits. Output is UTF-8 where the texts are; a column's width counts characters, not bytes
 * (wide characters count as one). Not thread-safe on one table.
 */
#ifndef SERVER_TABLE_H
#define SERVER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/macros.h"

/*
 * Prints text broken at spaces so that no line is longer than width (a longer word stands alone);
 * the first line is taken to begin in column `first`, the others are indented by `indent`. Ends
 * with a newline. Control characters are shown as '?'.
 */
void table_wrap(FILE *out, const char *text, size_t first, size_t indent, size_t width);

/* Characters (not bytes) of a UTF-8 text. */
size_t table_width(const char *text);

struct table;

/* alignment: one letter a column, 'l' or 'r'. NULL on no memory. */
struct table *table_new(const char *alignment);
void table_free(struct table *table);

/* Adds a cell; a row is full after as many as there are columns. The text is copied; control
 * characters become '?'. Once memory was short every call fails: table_print tells. */
void table_cell(struct table *table, const char *format, ...) PRINTF_LIKE(2, 3);

/* A line of dashes under the row that was just filled. */
void table_rule(struct table *table);

/*
 * Prints what was gathered, columns two spaces apart. Where that is wider than width the widest
 * left-aligned column is cut, its texts with "..." in their middle, but not below 8 characters.
 * Columns without any text but a heading are left out. -ENOMEM when a cell was lost.
 */
MUST_CHECK int table_print(const struct table *table, FILE *out, size_t width);

#define TABLE_FIGURE_MAX 24

/* Three significant digits with k, M, G, T of 1000: "37.4k", "982", "1.06M", "0.42". */
char *table_figure(double value, char buffer[TABLE_FIGURE_MAX]);

/* The same with a half-width in the same scale: "37.4k ±0.3k"; without it where it is negative.
 * scaled false: no k and M, "1475 ±12". */
#define TABLE_INTERVAL_MAX 48
char *table_interval(double mean, double half_width, bool scaled, char buffer[TABLE_INTERVAL_MAX]);

/* "820 us", "1.24 ms", "3.1 s". */
char *table_latency(uint64_t nanoseconds, char buffer[TABLE_FIGURE_MAX]);

/* "16.0 GiB", "512 B". */
char *table_bytes(uint64_t bytes, char buffer[TABLE_FIGURE_MAX]);

/* "45 s", "3 min 20 s", "2 h 05 min". */
char *table_duration(double seconds, char buffer[TABLE_FIGURE_MAX]);

#endif
