/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import.h - results of other tools as a result of ours: same cells, same checks, same report.
 *
 *   files (text, name, label) -> a reader of their format -> sheet -> struct result
 *
 * The format is told by the text itself unless it is given. Each reader (import_fio.c,
 * import_diskspd.c, ...) hands samples to the sheet, which finds their workload, levels and repeat.
 * Several files make one comparison: each file's label is a level of the factor `factor` ("file"
 * where it has no name), unless its samples bring a level of that factor themselves (a table's).
 * Files of one label are repeats. What a text lacks is
 * unknown, never zero (told.h). In the end every sample has passed checks_sample().
 *
 * Texts are data from strangers: sizes, counts and depths are limited, and whatever is no result
 * of the format is BAD_VALUE with the file, and the line or pointer, in the error.
 */
#ifndef SERVER_IMPORT_IMPORT_H
#define SERVER_IMPORT_IMPORT_H

#include "engine/result.h"

/* Limits; each has a test at it and one above it. */
#define IMPORT_FILES_MAX 64
#define IMPORT_TEXT_MAX (UINT64_C(64) << 20) /* bytes of all files together */

enum import_format {
	IMPORT_ANY, /* told by the text */
	IMPORT_FIO,
	IMPORT_DISKSPD_TEXT,
	IMPORT_DISKSPD_XML,
	IMPORT_BONNIE,
	IMPORT_DD,
	IMPORT_TABLE,
	IMPORT_FORMAT_COUNT
};

extern const char
	*const import_format_names[IMPORT_FORMAT_COUNT]; /* "any", "fio", "diskspd", ... */

/* Their names for a user; those that texts tell apart by themselves are all of them. */
#define IMPORT_FORMATS "fio, diskspd, diskspd-xml, bonnie, dd or table"

/* BAD_PARAMETER that tells the right ones; NULL and "any" are IMPORT_ANY. The field is "". */
MUST_CHECK int import_format_find(const char *name, enum import_format *ret_format,
				  struct error *err);

struct import_file {
	const char *name;  /* as the user has it, for errors and the source; or NULL */
	const char *label; /* its level of the factor; NULL: its name */
	const char *text;
	size_t size;
	enum import_format format;
};

struct import_request {
	const char *name;	 /* of the result; NULL: made of the first file's name */
	const char *description; /* or NULL */
	const char *factor;	 /* what files are levels of; NULL: "file" */
	/* Names for the workloads, in the order they are found; fewer are allowed. */
	size_t label_count;
	const char *const *labels;
	size_t file_count;
	const struct import_file *files;
};

/*
 * ret_result is fresh (result_init) before and on failure; its id is empty, its state RUN_DONE, its
 * times are 0: when it was measured, samples say as far as their texts do. UNSUPPORTED where no
 * reader knows the text; errors have
 * "/files/N" as field.
 */
MUST_CHECK int import_files(const struct import_request *request, struct result *ret_result,
			    struct error *err);

#endif
