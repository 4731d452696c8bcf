/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sheet_whole.h - the sheet's other side: made for a request, a file at a time, then a result.
 *
 *   sheet_new -> (sheet_begin -> the reader) a file -> sheet_finish -> sheet_free
 */
#ifndef SERVER_IMPORT_SHEET_WHOLE_H
#define SERVER_IMPORT_SHEET_WHOLE_H

#include "server/import/sheet.h"

#define SHEET_FACTS_MAX                                                                            \
	256 /* each with a name and a value of at most DEFINITION_TEXT_MAX bytes                   \
	     */
#define SHEET_FINDINGS_MAX 200
/* Bytes of the histograms of all samples: what a whole comparison of 1,000 samples has, and a bound
 * on what a small text can ask for. */
#define SHEET_LATENCY_MAX (UINT64_C(256) << 20)

struct sheet_names {
	size_t count;
	char **list;
};

struct sheet_factor {
	char *name;
	struct sheet_names levels; /* as the texts have them */
};

/* What a sample is of, by index; the factors as they come. */
struct sheet_place {
	size_t file;
	size_t workload;
	size_t level_count;
	size_t factors[DEFINITION_FACTORS_MAX], levels[DEFINITION_FACTORS_MAX];
};

/* One thread. The request is borrowed. */
struct import_sheet {
	const struct import_request *request;
	size_t file; /* at hand */
	struct sheet_names workloads;
	size_t factor_count;
	struct sheet_factor factors[DEFINITION_FACTORS_MAX];
	size_t count, room;
	struct sample *samples;
	struct sheet_place *places; /* as many */
	uint64_t latency_bytes;
	char *name, *description; /* as the texts have them, or NULL */
	size_t fact_count;
	struct result_fact *facts;
	struct findings findings;
};

/* NULL: no memory. */
struct import_sheet *sheet_new(const struct import_request *request);
void sheet_free(struct import_sheet *sheet);

void sheet_begin(struct import_sheet *sheet, size_t file);

/* The name a file's samples are called by where they bring no level: its label, else its name with
 * a number where another file before it has the same, else "file 2". NULL: no memory; heap. */
char *sheet_file_label(const struct import_request *request, size_t file);

/* Moves all into `result` (fresh; and again on failure). MISSING_FIELD where nothing was found. */
MUST_CHECK int sheet_finish(struct import_sheet *sheet, struct result *result, struct error *err);

#endif
