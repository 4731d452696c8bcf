/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_fio_text.c - see import_fio.h: fio's document found in its text, which may stand between
 * warnings and what fio prints for a reader.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/codec/json.h"
#include "server/import/import_fio.h"

/* Depth that fio's documents have is 6. JSON values take up to 250 bytes for a character of text,
 * so they are counted before they are made. */
#define DEPTH_MAX 16
#define CONTAINERS_MAX 300000
#define VALUES_MAX 3000000
#define RECOGNISE_BYTES ((size_t)256 << 10)

/* ---- the document within the text ---- */

/* The first line that begins with a brace; NULL. */
static const char *find_begin(const char *text, size_t size)
{
	const char *at = text, *end = text + size;

	while (at < end) {
		const char *line = at;

		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if (at < end && *at == '{')
			return at;
		at = memchr(line, '\n', (size_t)(end - line));
		if (!at)
			return NULL;
		at++;
	}
	return NULL;
}

static size_t line_of(const char *text, const char *at)
{
	size_t line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

/* What was met on the way to the end of the document. */
struct scan {
	size_t depth, deepest, containers, values;
	bool in_string, escaped;
};

/* false: the document ends with this character. */
static bool scan_character(struct scan *scan, char c)
{
	if (scan->escaped)
		scan->escaped = false;
	else if (scan->in_string && c == '\\')
		scan->escaped = true;
	else if (c == '"')
		scan->in_string = !scan->in_string;
	else if (scan->in_string)
		return true;
	else if (c == '{' || c == '[') {
		scan->containers++;
		scan->depth++;
		if (scan->depth > scan->deepest)
			scan->deepest = scan->depth;
	} else if (c == ',' || c == ':')
		scan->values++;
	else if ((c == '}' || c == ']') && --scan->depth == 0)
		return false;
	return true;
}

/* Behind the document. */
static int find_end(const struct import_sheet *sheet, const char *text, const char *begin,
		    const char *end, const char **ret_end, struct error *err)
{
	struct scan scan = {0};
	const char *at = begin;

	while (at < end && scan_character(&scan, *at)) {
		at++;
		if (scan.deepest > DEPTH_MAX)
			return sheet_error(sheet, err, line_of(text, at),
					   "values lie in one another more than %d deep",
					   DEPTH_MAX);
		if (scan.containers > CONTAINERS_MAX || scan.values > VALUES_MAX)
			return sheet_error(
				sheet, err, line_of(text, at),
				"the document has more values than %d results of fio have",
				DEFINITION_SAMPLES_MAX);
	}
	if (at == end)
		return sheet_error(sheet, err, line_of(text, end),
				   "the text ends within fio's document: it was cut short");
	*ret_end = at + 1;
	return 0;
}

static int parse(const struct import_sheet *sheet, const char *text, const char *begin, size_t size,
		 json_t **ret_value, struct error *err)
{
	struct error why = {0};
	int r = json_read_others(begin, size, ret_value, &why);

	if (r == -ENOMEM)
		return error_no_memory(err);
	return r < 0 ? sheet_error(sheet, err, 0,
				   "it is no JSON that can be read (from its line %zu on): %.300s",
				   line_of(text, begin), why.message)
		     : 0;
}

/* ---- texts without a document ---- */

static bool contains(const char *text, size_t size, const char *word)
{
	return memmem(text, size, word, strlen(word));
}

/* Blog software makes a dash of two hyphens, which fio takes for the name of a job file. */
static bool has_dash(const char *text, size_t size)
{
	return contains(text, size, "unable to open '\xe2\x80\x93") ||
	       contains(text, size, "unable to open '\xe2\x80\x94") ||
	       contains(text, size, "unable to open '\xe2\x88\x92");
}

static int no_document(const struct import_sheet *sheet, const char *text, size_t size,
		       struct error *err)
{
	if (has_dash(text, size))
		return sheet_error(
			sheet, err, 0,
			"fio measured nothing: it took an option for a job file, since a "
			"typographic dash (\xe2\x80\x93) stands where -- belongs");
	return sheet_error(
		sheet, err, 0,
		"this is what fio prints for a reader, which leaves out most: run it with "
		"--output-format=json+");
}

bool fio_text_recognise(const char *text, size_t size)
{
	const char *begin = find_begin(text, size);
	size_t rest;

	if (begin) {
		rest = (size_t)(text + size - begin);
		return contains(begin, rest < RECOGNISE_BYTES ? rest : RECOGNISE_BYTES,
				"\"fio version\"");
	}
	size = size < RECOGNISE_BYTES ? size : RECOGNISE_BYTES;
	return has_dash(text, size) || contains(text, size, "\nfio-") ||
	       (size >= 4 && memcmp(text, "fio-", 4) == 0) ||
	       (contains(text, size, ": (groupid=") && contains(text, size, "jobs="));
}

static int note_text(struct import_sheet *sheet, size_t before, size_t behind, struct error *err)
{
	char message[160];

	if (before == 0 && behind == 0)
		return 0;
	(void)snprintf(message, sizeof(message),
		       "Text around fio's JSON was left out: %zu bytes before it, %zu behind.",
		       before, behind);
	return sheet_find(sheet, FINDING_INFO, "text_left_out", message, err);
}

/* Bytes that are more than white space. */
static size_t told_bytes(const char *from, const char *to)
{
	while (from < to && strchr(" \t\r\n", *from))
		from++;
	while (from < to && strchr(" \t\r\n", to[-1]))
		to--;
	return (size_t)(to - from);
}

int fio_text_read(struct import_sheet *sheet, const char *text, size_t size, json_t **ret_root,
		  struct error *err)
{
	const char *begin = find_begin(text, size), *end = NULL;
	json_t *root = NULL;
	int r;

	if (!begin)
		return no_document(sheet, text, size, err);
	r = find_end(sheet, text, begin, text + size, &end, err);
	if (r == 0)
		r = parse(sheet, text, begin, (size_t)(end - begin), &root, err);
	if (r == 0)
		r = note_text(sheet, told_bytes(text, begin), told_bytes(end, text + size), err);
	if (r < 0) {
		json_decref(root);
		return r;
	}
	*ret_root = root;
	return 0;
}
