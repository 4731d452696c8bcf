/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify_result.h - what came of reading back what a sample wrote (verify.h, readback.h). */
#ifndef ENGINE_IO_VERIFY_VERIFY_RESULT_H
#define ENGINE_IO_VERIFY_VERIFY_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/* What is wrong with a block that was read back. */
enum verify_kind {
	VERIFY_FLIPPED_BIT, /* one bit */
	VERIFY_CORRUPT,	    /* some bytes */
	VERIFY_TORN,	    /* partly of an earlier write, or of what lay there before */
	VERIFY_STALE,	    /* an earlier write of this block in this sample */
	VERIFY_MISPLACED,   /* another block's, of this sample */
	VERIFY_FOREIGN,	    /* none of this sample's */
	VERIFY_TRUNCATED,   /* the file ends before or in it */
	VERIFY_KIND_COUNT
};

extern const char *const verify_kind_names[VERIFY_KIND_COUNT]; /* "flipped_bit", ... */

struct verify_fault {
	enum verify_kind kind;
	uint64_t job;	     /* from 1 */
	uint64_t block;	     /* number in the job's region, from 0 */
	uint64_t offset;     /* of the block in the file */
	uint64_t byte;	     /* of the block: the first that is wrong */
	uint64_t end;	     /* TORN: of the block, behind what is wrong; else 0 */
	unsigned int bit;    /* of that byte, from 0, the lowest */
	uint64_t generation; /* expected: the how-manyth write of the block, from 1 */
	/* found: STALE and TORN (0: none of this sample's) */
	uint64_t found_generation;
	uint64_t found_offset; /* MISPLACED: where it belongs */
};

struct verify_result {
	bool done; /* blocks were read back; all else is 0 where not */
	uint64_t blocks, bytes;
	uint64_t unknown; /* blocks left out: their last write failed or was cut short */
	double seconds;
	uint64_t errors;	   /* blocks */
	struct verify_fault first; /* where there are errors; the first by job and offset */
};

#endif
