/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * collected.h - a sheet that keeps what a reader hands it, for tests of the readers alone: no
 * workloads, factors or repeats are made of it.
 *
 * Length: the sheet's functions and what all tests of readers ask of it.
 */
#ifndef TESTS_UNIT_SERVER_IMPORT_COLLECTED_H
#define TESTS_UNIT_SERVER_IMPORT_COLLECTED_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/import/sheet.h"

/* What comes behind them is dropped: tests have sheets on their stack. */
#define COLLECTED_MAX 100

struct import_sheet {
	struct import_file file;
	size_t count;
	struct sample samples[COLLECTED_MAX];
	char *name, *description;
	size_t fact_count;
	struct result_fact facts[COLLECTED_MAX];
	struct findings findings;
};

const struct import_file *sheet_file(const struct import_sheet *sheet)
{
	return &sheet->file;
}

int sheet_add(struct import_sheet *sheet, struct sample *sample, struct error *err)
{
	assert_non_null(sample->workload);
	assert_non_null(sample->source);
	(void)err; /* nothing fails here */
	if (sheet->count == COLLECTED_MAX) {
		sample_done(sample);
		return 0;
	}
	sheet->samples[sheet->count++] = *sample;
	sample_init(sample);
	return 0;
}

int sheet_fact(struct import_sheet *sheet, const char *name, const char *value, struct error *err)
{
	(void)err;
	assert_true(sheet->fact_count < COLLECTED_MAX);
	sheet->facts[sheet->fact_count++] = (struct result_fact){strdup(name), strdup(value)};
	return 0;
}

int sheet_describe(struct import_sheet *sheet, const char *name, const char *description,
		   struct error *err)
{
	(void)err;
	sheet->name = name ? strdup(name) : NULL;
	sheet->description = description ? strdup(description) : NULL;
	return 0;
}

int sheet_find(struct import_sheet *sheet, enum finding_severity severity, const char *code,
	       const char *message, struct error *err)
{
	(void)err;
	return findings_add(&sheet->findings, severity, code, NULL, NULL, NULL, NULL, "%s",
			    message);
}

int sheet_error(const struct import_sheet *sheet, struct error *err, size_t line,
		const char *message, ...)
{
	char text[ERROR_MESSAGE_MAX];
	va_list arguments;

	(void)sheet;
	va_start(arguments, message);
	(void)vsnprintf(text, sizeof(text), message, arguments);
	va_end(arguments);
	if (line > 0)
		return error_set(err, ERROR_BAD_VALUE, "/files/0", "line %zu: %s", line, text);
	return error_set(err, ERROR_BAD_VALUE, "/files/0", "%s", text);
}

static void collected_done(struct import_sheet *sheet)
{
	for (size_t i = 0; i < sheet->count; i++)
		sample_done(&sheet->samples[i]);
	for (size_t i = 0; i < sheet->fact_count; i++) {
		free(sheet->facts[i].name);
		free(sheet->facts[i].value);
	}
	free(sheet->name);
	free(sheet->description);
	findings_done(&sheet->findings);
	memset(sheet, 0, sizeof(*sheet));
}

/* Reads a copy that ends where the text does, so that a sanitizer sees who reads on. */
static int collected_read(const struct import_reader *reader, const char *text, size_t size,
			  struct import_sheet *sheet, struct error *err)
{
	char *copy = malloc(size > 0 ? size : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, text, size);
	memset(sheet, 0, sizeof(*sheet));
	memset(err, 0, sizeof(*err));
	sheet->file = (struct import_file){.name = "result.txt", .text = copy, .size = size};
	r = reader->recognise(copy, size) ? reader->read(sheet, copy, size, err) : -ENOENT;
	free(copy);
	if (r != 0 && r != -ENOENT)
		assert_true(err->code != ERROR_NONE);
	return r;
}

/* The text, read; the caller calls collected_done(). */
static void collected_ok(const struct import_reader *reader, const char *text,
			 struct import_sheet *sheet)
{
	struct error err;
	int r = collected_read(reader, text, strlen(text), sheet, &err);

	if (r != 0)
		print_message("%s\n", err.message);
	assert_int_equal(r, 0);
}

/* Refused, with these words in the message. */
static void collected_refused(const struct import_reader *reader, const char *text,
			      const char *words)
{
	struct import_sheet sheet;
	struct error err;
	int r = collected_read(reader, text, strlen(text), &sheet, &err);

	collected_done(&sheet);
	if (r != -EINVAL || !strstr(err.message, words))
		print_message("%s\n-> %d %s\n", text, r, err.message);
	assert_int_equal(r, -EINVAL);
	assert_non_null(strstr(err.message, words));
}

/* Head, `count` times a letter, tail: read where it is at most `most`, else refused with words. */
static inline void collected_length(const struct import_reader *reader, const char *head,
				    size_t most, const char *tail, const char *words)
{
	for (size_t count = most; count <= most + 1; count++) {
		size_t begin = strlen(head);
		char *text = malloc(begin + count + strlen(tail) + 1);
		struct import_sheet sheet;

		assert_non_null(text);
		memcpy(text, head, begin);
		memset(text + begin, 'x', count);
		memcpy(text + begin + count, tail, strlen(tail) + 1);
		if (count == most) {
			collected_ok(reader, text, &sheet);
			collected_done(&sheet);
		} else {
			collected_refused(reader, text, words);
		}
		free(text);
	}
}

/* Every text that is the given one cut short is read or refused, and leaves nothing behind. */
static void collected_cut(const struct import_reader *reader, const char *text)
{
	for (size_t size = 0; size < strlen(text); size++) {
		struct import_sheet sheet;
		struct error err;
		int r = collected_read(reader, text, size, &sheet, &err);

		assert_true(r == 0 || r == -EINVAL || r == -ENOENT);
		collected_done(&sheet);
	}
}

/* The same of texts with some of their bytes changed: `count` of them, always the same. */
static inline void collected_changed(const struct import_reader *reader, const char *text,
				     size_t count)
{
	static const char bytes[] = "0123456789-+.,:|/<>{}[]\"% \n\t\xff\0ekMbsN";
	uint32_t random = 1;

	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(text);
		char *changed = strdup(text);
		struct import_sheet sheet;
		struct error err;
		int r;

		assert_non_null(changed);
		for (int k = 0; k < 1 + (int)(i % 4); k++) {
			random = random * 1664525 + 1013904223; /* Numerical Recipes */
			changed[(random >> 8) % size] = bytes[(random >> 3) % sizeof(bytes)];
		}
		r = collected_read(reader, changed, size, &sheet, &err);
		assert_true(r == 0 || r == -EINVAL || r == -ENOENT);
		collected_done(&sheet);
		free(changed);
	}
}

static void collected_figure(const struct told_figure *figure, double value, double low,
			     double high)
{
	assert_true(figure->known);
	assert_float_equal(figure->value, value, value * 1e-12);
	assert_float_equal(figure->low, low, value * 1e-12);
	assert_float_equal(figure->high, high, value * 1e-12);
}

/* Of the whole, or of a sample. */
static inline const struct finding *collected_finding(const struct import_sheet *sheet,
						      const char *code)
{
	for (size_t i = 0; i < sheet->findings.count; i++)
		if (strcmp(sheet->findings.list[i].code, code) == 0)
			return &sheet->findings.list[i];
	for (size_t i = 0; i < sheet->count; i++)
		for (size_t k = 0; k < sheet->samples[i].findings.count; k++)
			if (strcmp(sheet->samples[i].findings.list[k].code, code) == 0)
				return &sheet->samples[i].findings.list[k];
	return NULL;
}

static inline void collected_option(const struct sample *sample, const char *name,
				    const char *value)
{
	const struct option *option = option_find(name);
	char *text;

	assert_non_null(option);
	assert_true(workload_is_set(&sample->options, option->id));
	text = option_format(option, &sample->options);
	assert_string_equal(text, value);
	free(text);
}

#endif
