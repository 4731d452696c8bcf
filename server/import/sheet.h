/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sheet.h - where readers put what they find: samples with the names of their workload and levels.
 *
 * The sheet makes the definition of it: a workload a name, a factor a level's factor, in the order
 * they come; samples of one workload at the same levels are repeats, counted from 1. A factor named
 * as an option is one (its levels must be values of the option), as a property is one, else a
 * label. A workload's options are those that all its samples give alike.
 */
#ifndef SERVER_IMPORT_SHEET_H
#define SERVER_IMPORT_SHEET_H

#include "server/import/import.h"

struct import_sheet;

/* The file that is being read; its label is the level of samples that bring none of the request's
 * factor. */
const struct import_file *sheet_file(const struct import_sheet *sheet);
size_t sheet_file_count(const struct import_sheet *sheet); /* of the request */

/*
 * Takes a sample, also on failure: workload (a name), levels, options (those known are set), source
 * and figures are filled; order and repeat are not. Target and backend may be NULL, and are ""
 * then. TOO_MANY above the limits of a definition.
 */
MUST_CHECK int sheet_add(struct import_sheet *sheet, struct sample *sample, struct error *err);

/* Texts are copied. Where an earlier file told another value, the name gets the file's label. */
MUST_CHECK int sheet_fact(struct import_sheet *sheet, const char *name, const char *value,
			  struct error *err);
MUST_CHECK int sheet_describe(struct import_sheet *sheet, const char *name, const char *description,
			      struct error *err); /* where the request does not; NULL: not told */

/* A finding of the whole, of one file where it names one: "text before the brace was left out". */
MUST_CHECK int sheet_find(struct import_sheet *sheet, enum finding_severity severity,
			  const char *code, const char *message, struct error *err);

/* BAD_VALUE about the file at hand: field "/files/N", the message with the file's name and, where
 * not 0, the line. -EINVAL. */
int sheet_error(const struct import_sheet *sheet, struct error *err, size_t line,
		const char *message, ...) PRINTF_LIKE(4, 5);

/* The readers: one a format, each in a file of its own. `recognise` looks at the text's begin. */
struct import_reader {
	enum import_format format;
	bool (*recognise)(const char *text, size_t size);
	int (*read)(struct import_sheet *sheet, const char *text, size_t size, struct error *err);
};

extern const struct import_reader import_reader_fio, import_reader_diskspd_text,
	import_reader_diskspd_xml, import_reader_bonnie, import_reader_dd, import_reader_table;

#endif
