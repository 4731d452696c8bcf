/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_diskspd.h - what diskspd was asked for, and how that reads in fio's words: what the
 * readers of its text and of its XML, and tables that quote its command lines, have in common.
 *
 * A switch has an equal option or is passed over; what was passed over still stands in the command
 * line that a sample keeps as given. Threads share a target from its beginning (regions=shared), -T
 * sets their starts apart (offset_increment). An option that ours cannot hold (a block of 100
 * bytes) stays unknown.
 *
 * A bare -w is 0 % writes before diskspd 2.1 and an error since. Text does not tell the version, so
 * it is taken as 0 % unless the text says what it did ("performing write test").
 *
 * Source: diskspd's documentation of its parameters, and its command line parser.
 */
#ifndef SERVER_IMPORT_IMPORT_DISKSPD_H
#define SERVER_IMPORT_IMPORT_DISKSPD_H

#include "engine/sample.h"

#define DISKSPD_COMMAND_MAX 8191 /* bytes */

enum diskspd_cache { DISKSPD_CACHED, DISKSPD_UNCACHED, DISKSPD_CACHED_OTHERWISE };
enum diskspd_fill {			   /* what is written */
		    DISKSPD_FILL_SEQUENCE, /* the bytes 0 to 255 over and over */
		    DISKSPD_FILL_ZERO,
		    DISKSPD_FILL_RANDOM, /* a place in a buffer of random bytes */
		    DISKSPD_FILL_RANDOM_EACH
};

struct diskspd_profile {
	bool unknown; /* it came from a file (-X): nothing is known */
	uint64_t block;
	uint64_t seconds, warmup_seconds;
	uint64_t threads;	    /* a target, -t */
	uint64_t threads_total;	    /* -F; 0: -t counts */
	uint64_t outstanding;	    /* a thread and target, -o */
	uint64_t outstanding_total; /* a thread, -O; 0: -o counts */
	uint64_t targets;
	uint64_t write_percent;
	bool bare_write; /* -w without a number */
	bool random, interlocked;
	uint64_t random_percent; /* -rs */
	uint64_t stride;	 /* of -r the alignment; 0: a block */
	uint64_t thread_stride;
	uint64_t file_size, max_size, offset; /* 0: not given */
	enum diskspd_cache cache;
	bool write_through;
	enum diskspd_fill fill;
	uint64_t rate_bytes_per_ms, rate_iops; /* of a thread; 0: none */
};

/* diskspd's defaults, without a target. */
void import_diskspd_profile_init(struct diskspd_profile *profile);

/* A command line, with or without the program's name before it. BAD_VALUE, its field "". */
MUST_CHECK int import_diskspd_command(const char *line, struct diskspd_profile *ret_profile,
				      struct error *err);

/* Sets the options that are known. -ENOMEM. */
MUST_CHECK int import_diskspd_options(const struct diskspd_profile *profile,
				      struct workload *options);

/* "randrw 80/20" of a result that is alone in its file, so that files may compare sizes and depths;
 * of one among others "randrw 80/20 8k, 4 x 4", with threads and what each has outstanding. */
#define DISKSPD_NAME_MAX 64
const char *import_diskspd_name(const struct diskspd_profile *profile, bool alone,
				char buffer[DISKSPD_NAME_MAX]);

/*
 * Adds to the sample's findings what a reader of its figures should know: which rule a bare -w was
 * read by (`told`: the text says itself what it did), and that what is written by default
 * compresses. The sample has its workload. -ENOMEM.
 */
MUST_CHECK int import_diskspd_findings(const struct diskspd_profile *profile, bool told,
				       struct sample *sample);

#endif
