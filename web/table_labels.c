/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_labels.c - see table_labels.h. A page of ours is well-formed, and a '<' in it begins a tag:
 * all others are escaped. So tags are found by their first bytes.
 */
#include "web/table_labels.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/macros.h"

struct labels {
	size_t count;
	char *texts[TABLE_LABELS_MAX]; /* heap */
};

static void labels_done(struct labels *labels)
{
	for (size_t i = 0; i < labels->count; i++)
		free(labels->texts[i]);
	labels->count = 0;
}

/* Whether the tag at `at` is <name ...> or <name>. */
static bool is_tag(const char *at, const char *name)
{
	size_t length = strlen(name);

	return at[0] == '<' && strncmp(at + 1, name, length) == 0 &&
	       (at[length + 1] == '>' || at[length + 1] == ' ');
}

/* Whether the tag names the class, in whatever list. */
static bool stacks(const char *tag)
{
	const char *end = strchr(tag, '>'), *at = strstr(tag, "stack");

	return at && end && at < end && (at[-1] == '"' || at[-1] == ' ') &&
	       (at[5] == '"' || at[5] == ' ');
}

/* The text of a head without its tags; parts of it stand apart. NULL on no memory. */
static char *plain(const char *at, const char *end)
{
	char *text = calloc((size_t)(end - at) + 1, 1);
	size_t size = 0;

	while (text && at < end) {
		if (*at != '<') {
			text[size++] = *at++;
			continue;
		}
		if (is_tag(at, "span") && size > 0)
			text[size++] = ' ';
		at += strcspn(at, ">");
		at += at < end;
	}
	return text;
}

/* From <table to behind </thead>: the heads. Returns where it ends; NULL: no memory. */
static const char *read_heads(const char *at, const char *end, struct labels *labels)
{
	const char *heads_end = strstr(at, "</thead>");

	labels->count = 0;
	if (!heads_end || heads_end > end)
		return at;
	for (; at < heads_end; at++) {
		const char *text, *close;

		if (!is_tag(at, "th") || labels->count == TABLE_LABELS_MAX)
			continue;
		text = at + strcspn(at, ">") + 1;
		close = strstr(text, "</th>");
		if (!close || close > heads_end)
			break;
		labels->texts[labels->count] = plain(text, close);
		if (!labels->texts[labels->count++])
			return NULL;
		at = close;
	}
	return heads_end;
}

static void put_rows(const char *at, const char *end, const struct labels *labels, FILE *out)
{
	const char *from = at;
	size_t column = 0;

	while (at < end) {
		bool cell = is_tag(at, "td");

		if (is_tag(at, "tr"))
			column = 0;
		if (cell && column < labels->count && labels->texts[column][0]) {
			at += 3;
			(void)fwrite(from, 1, (size_t)(at - from), out);
			(void)fprintf(out, " data-l=\"%s\"", labels->texts[column]);
			from = at;
		}
		column += cell || is_tag(at, "th");
		at++;
		at += strcspn(at, "<");
	}
	(void)fwrite(from, 1, (size_t)(end - from), out);
}

/* False: no memory. */
static bool put_table(const char *table, const char *end, FILE *out)
{
	struct labels labels = {.count = 0};
	const char *rows = read_heads(table, end, &labels);

	if (rows) {
		(void)fwrite(table, 1, (size_t)(rows - table), out);
		put_rows(rows, end, &labels, out);
	}
	labels_done(&labels);
	return rows != NULL;
}

static bool put_page(const char *page, FILE *out)
{
	const char *table, *end;

	while ((table = strstr(page, "<table"))) {
		end = strstr(table, "</table>");
		if (!end)
			break;
		(void)fwrite(page, 1, (size_t)(table - page), out);
		if (!stacks(table))
			(void)fwrite(table, 1, (size_t)(end - table), out);
		else if (!put_table(table, end, out))
			return false;
		page = end;
	}
	(void)fputs(page, out);
	return true;
}

char *table_labels(char *page, size_t *ret_size)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = page ? open_memstream(&text, &size) : NULL;
	bool whole = out && put_page(page, out);

	free(page);
	if (out && fclose(out) != 0)
		whole = false;
	if (!whole) {
		free(text);
		return NULL;
	}
	if (ret_size)
		*ret_size = size;
	return text;
}
