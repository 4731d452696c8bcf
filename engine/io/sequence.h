/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sequence.h - which request one job makes next, where pattern.h alone has no answer: requests of
 * any size, in any order and alignment. Asked by job_steps.c.
 *
 * A step is, as in fio (io_u.c: get_next_offset, then get_next_buflen):
 *
 *   direction   the pattern's: one, or drawn for a mix.
 *   offset      sequential or random. Sequential: behind the last request of the direction, and
 *               behind a hole where there is one (rw=read:64k); from the begin again where not even
 *               the smallest request fits. Random: sequence_random_offset(), the one place where a
 *               random offset is chosen: by a distribution (distribution.h), the pattern, or, where
 *               requests differ in size or blockalign is given, among multiples of the smallest
 *               request or of blockalign. Where each of those is to be touched once before any is
 *               touched again, a map (coverage.h) tells which are left, and a drawn one that is
 *               taken gives way to the next free one. Offsets that are not drawn leave the map
 *               alone. Directions whose smallest requests are alike share a map, so a block is read
 *               or written once; else each has its own.
 *               A random workload with rw=randread:8 draws every eighth offset, and the seven
 *               before it follow the last request or repeat its offset (rw_sequencer); its first
 *               seven begin at the region's begin, for there is no last request yet.
 *               With percentage_random the offset to be drawn follows the last request in as many
 *               cases as are left of 100.
 *               Interlocked jobs share one position: each request begins behind the last one of all
 *               jobs and directions, and claims its place by an atomic exchange.
 *   size        sizes.h; with a map not more than is free behind the offset.
 *
 * Offsets are relative to the begin of the job's region. Invariant: offset + length <= the region's
 * length; whoever submits checks it all the same. The same seed and options give the same sequence,
 * but for interlocked jobs, which share what there is as they come.
 * Ownership: sequence_new's to sequence_free; it refers to the job's pattern, which must not move.
 * Threads: one user at a time; the shared position is atomic.
 */
#ifndef ENGINE_IO_SEQUENCE_H
#define ENGINE_IO_SEQUENCE_H

#include <stdatomic.h>

#include "engine/io/coverage.h"
#include "engine/io/distribution.h"
#include "engine/io/pattern.h"
#include "engine/io/sizes.h"

/* One direction's. */
struct sequence_side {
	struct sizes sizes;
	uint64_t unit;	 /* bytes: random offsets are multiples of it */
	uint64_t blocks; /* of a unit each; behind the begin of each the smallest request fits */
	uint64_t random_below;	   /* of 2^32 numbers, those that mean an offset is drawn */
	uint64_t next;		   /* where the last request ended */
	uint64_t last;		   /* where it began */
	struct coverage *coverage; /* NULL: no map, or the pattern needs none */
};

struct sequence {
	struct pattern *pattern; /* the job's */
	struct random random;
	uint64_t length; /* bytes of the region */
	uint64_t least;	 /* the smallest request of any direction in use */
	bool random_offsets, time_based, identical;
	atomic_uint_fast64_t *position; /* all jobs' one; NULL: each side has its own */
	bool own_blocks;		/* the pattern's are not ours: sizes or alignment differ */
	uint64_t hole;			/* bytes between sequential requests */
	uint64_t every, left;		/* requests to a random offset; to the next one */
	struct distribution *distribution; /* NULL: all blocks alike */
	struct sequence_side sides[PATTERN_DIRECTIONS];
};

struct sequence_step {
	enum direction direction;
	uint64_t offset, length;
};

/* Whether a completed workload asks for more than a pattern gives. */
bool sequence_needed(const struct workload *workload);

/* position: of all jobs, which an interlocked workload uses; outlives the sequence. May be NULL.
 * length: bytes of the region, which holds a request of each direction (pattern_init has said so).
 * -ENOMEM; -ERANGE where the zones of a distribution do not fit in the region. */
MUST_CHECK int sequence_new(const struct workload *workload, uint64_t length, uint64_t seed,
			    struct pattern *pattern, atomic_uint_fast64_t *position,
			    struct sequence **ret_sequence);
void sequence_free(struct sequence *sequence);

/* The next request, in a direction as pattern_direction_within() has it. */
void sequence_next(struct sequence *sequence, unsigned int open, struct sequence_step *ret_step);

/* The most bytes of memory that the sequence of a completed workload takes. */
uint64_t sequence_bytes(const struct workload *workload);

#endif
