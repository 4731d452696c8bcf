/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file_set.h - the files of one job, and which of them its next request goes to (data_files.h).
 *
 * Each file has a pattern and a sequence of its own. A request goes file_set_choose() -> the
 * file's sequence -> file_set_took(). A sync goes to the file that would be next, as in fio.
 *
 * A pass is over when every file is done: when all of each was moved once in some direction. Only
 * jobs that end with their size come to the end of a pass, and only where requests in a file pass
 * through all of it (sequential without holes, or every block once); else a file is never done.
 *
 * Invariants: open <= open_max files are in service; done files are not among them; `current` is
 * in service where `chosen` is set.
 * Ownership: file_set_new's to file_set_free. Descriptors are the region's. One user at a time.
 */
#ifndef ENGINE_IO_FILE_SET_H
#define ENGINE_IO_FILE_SET_H

#include "engine/base/error.h"
#include "engine/io/measure.h"
#include "engine/io/sequence.h"
#include "engine/plan/data_files.h"

struct file_set_file {
	struct pattern pattern;
	struct sequence *sequence;
	int fd;
	uint64_t length;
	uint64_t left[PATTERN_DIRECTIONS]; /* bytes until it is done; UINT64_MAX: never */
	bool open, done;
};

struct file_set {
	uint32_t count, open_max, open, done;
	enum file_service service;
	uint32_t every, more; /* requests to one file; those still to come */
	uint32_t next, current;
	bool chosen;	 /* there is a current one, which is not done */
	bool ends;	 /* files come to be done */
	bool shared;	 /* reads and writes of a file do one pass together */
	uint64_t passes; /* to be made; UINT64_MAX: no end */
	struct random random;
	struct file_set_file files[];
};

/* -ERANGE: a file cannot hold a request, or a distribution's zones; -ENOMEM. */
MUST_CHECK int file_set_new(const struct workload *workload, const struct measure_region *region,
			    uint64_t seed, struct file_set **ret_set);
void file_set_free(struct file_set *set);

/* Every file is to be done anew, so many times. */
void file_set_begin(struct file_set *set, uint64_t passes);

/* The file of the next request or sync; NULL where the last pass is over. */
struct file_set_file *file_set_choose(struct file_set *set);

/* The chosen file got a request. */
void file_set_took(struct file_set *set, enum direction direction, uint64_t length);

/* The most bytes of memory that it takes for a job of a completed workload; 0 where there is none.
 */
uint64_t file_set_bytes(const struct workload *workload);

#endif
