/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_fio.h - what the files of fio's reader share: fio's output as JSON or json+, of fio 2
 * and 3.
 *
 *   import_fio_text.c     the document within its text
 *   import_fio.c          its entries, and which of them are one sample
 *   import_fio_figures.c  directions of the entries of one sample, added up
 *   import_fio_latency.c  latencies: exact figures, percentiles, bins into our histogram
 *   import_fio_options.c  "job options" over "global options" as options that are known
 *
 * Facts of the format: fio's HOWTO, stat.c and json.h of fio 2.21 and 3.33; bins and their values:
 * plat_idx_to_val() of stat.c.
 */
#ifndef SERVER_IMPORT_IMPORT_FIO_H
#define SERVER_IMPORT_IMPORT_FIO_H

#include <jansson.h>

#include "server/import/sheet.h"

/* Figures beyond these are none of a measurement: 2^62 operations or bytes, 2^50 ns (13 days). */
#define FIO_COUNT_MAX 4611686018427387904.0
#define FIO_NS_MAX 1125899906842624.0

/* One kind of latency of one direction, of all entries of a sample. */
struct fio_latency {
	double count, sum, squares; /* of ns */
	double min, max;
	size_t entries, binned;	   /* that had values; and of those, bins */
	struct histogram *bins;	   /* heap, whole; NULL: none had */
	const json_t *percentiles; /* of the only entry; NULL: none, or several */
	double percentiles_unit;   /* ns of one */
};

struct fio_direction {
	size_t entries; /* that tell the direction */
	double ios, bytes, short_ios;
	bool bytes_exact;		    /* else in KiB, cut */
	double runtime_ms;		    /* the longest */
	struct told_figure iops, bandwidth; /* of the last entry */
	struct fio_latency slat, clat, lat;
};

/* Entries of jobs[] or client_stats[] that are one sample. */
struct fio_group {
	struct import_sheet *sheet;
	struct error *err;
	const char *name; /* jobname, borrowed */
	double groupid;
	size_t entries, hosts;
	const json_t *global, *first; /* the document's options, the first entry; borrowed */
	bool mixed;		      /* reads and writes are told as one */
	struct fio_direction directions[DIRECTION_COUNT]; /* mixed: as reads */
	struct fio_latency sync;
};

/* Whether fio wrote the text, with or without a document in it. */
bool fio_text_recognise(const char *text, size_t size);

/* fio's document in a text, the caller's to release; text around it is told on the sheet. */
MUST_CHECK int fio_text_read(struct import_sheet *sheet, const char *text, size_t size,
			     json_t **ret_root, struct error *err);

void fio_direction_done(struct fio_direction *direction);
void fio_latency_done(struct fio_latency *latency);

/* A number of an object that is no less than 0 and at most max: *ret_value stays as it is where
 * there is none. `where` is for the error. */
MUST_CHECK int fio_number(const struct fio_group *group, const json_t *object, const char *name,
			  double max, double *ret_value);

/* Adds an entry's direction ("read", ...); one without operations adds nothing. */
MUST_CHECK int fio_direction_add(const struct fio_group *group, const json_t *entry,
				 const char *name, struct fio_direction *direction);

/* The direction's figures become the sample's and its source's. */
MUST_CHECK int fio_direction_end(struct fio_group *group, enum direction direction,
				 struct sample *sample);

/* Adds a latency, "clat_ns" or of fio 2 "clat" in microseconds, of so many operations where it does
 * not say how many. */
MUST_CHECK int fio_latency_add(const struct fio_group *group, const json_t *from, const char *name,
			       double ios, struct fio_latency *latency);

/* The bins as a narrow histogram with the exact figures; NULL where not every entry has bins, or no
 * memory (-ENOMEM). */
MUST_CHECK int fio_latency_histogram(const struct fio_latency *latency,
				     struct histogram **ret_histogram);

/* Exact figures and percentiles into a direction that was told. */
MUST_CHECK int fio_latency_tell(const struct fio_latency *exact, const struct fio_latency *list,
				struct told_direction *told);

/* Sets what the entry's options say, and fio's defaults where it lists options at all; `given` is
 * the whole list as a command line. */
MUST_CHECK int fio_options_read(struct fio_group *group, struct sample *sample);

#endif
