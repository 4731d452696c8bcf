/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pattern.h - which block one job reads, writes or trims next.
 *
 * A pattern yields directions and offsets, relative to the begin of the job's region and multiples
 * of the direction's block size. A rest of the region smaller than a block is never touched.
 *
 *   sequential   position after position, from the begin again at the end. A sequential mix has a
 *                position of its own for each direction, as fio's has.
 *   once a pass  every block once in random order before any is touched again; each pass has an
 *                order of its own. No map is kept: the order is a seeded bijection of the smallest
 *                power of two that holds all blocks, and numbers that are no block are skipped
 *                (fewer than half of them). Reads and writes of one size share the order, so a
 *                block is read or written once; else each direction has its own.
 *   random       any block any time (norandommap).
 *
 * Invariants: pattern_offset's result + the direction's bs <= length. The same seed and options
 * give the same sequence. Threads: one user at a time.
 *
 * The inline functions take the kind and the mix once more, as constants, so that a loop built for
 * one kind of workload holds no branch for the others; they must equal the pattern's own.
 */
#ifndef ENGINE_IO_PATTERN_H
#define ENGINE_IO_PATTERN_H

#include "engine/io/random.h"
#include "engine/plan/workload.h"

#define PATTERN_DIRECTIONS DIRECTION_COUNT

enum pattern_kind { PATTERN_SEQUENTIAL, PATTERN_ONCE, PATTERN_RANDOM, PATTERN_KIND_COUNT };
enum pattern_mix { PATTERN_READ, PATTERN_WRITE, PATTERN_MIXED, PATTERN_TRIM, PATTERN_MIX_COUNT };

/* A place in the sequence of one direction, or of both where they share it. */
struct pattern_walk {
	uint64_t position; /* sequential: bytes; once a pass: number in the pass */
	uint64_t end;	   /* sequential: bytes, where it begins anew */
	/* The bijection of this pass on 0..mask. */
	uint64_t blocks, mask, add, multiply[3];
	unsigned int shift;
	uint64_t seed, pass;
};

struct pattern {
	enum pattern_kind kind;
	enum pattern_mix mix;
	struct random draw;
	uint32_t reads_below; /* of 2^32 numbers drawn for a mix, those that mean a read */
	uint64_t bs[PATTERN_DIRECTIONS], blocks[PATTERN_DIRECTIONS];
	struct pattern_walk *once[PATTERN_DIRECTIONS]; /* once a pass: into walks */
	struct pattern_walk walks[PATTERN_DIRECTIONS];
};

/* The shape of a completed workload. */
enum pattern_kind pattern_kind_of(const struct workload *workload);
enum pattern_mix pattern_mix_of(const struct workload *workload);

/*
 * Begins at the first operation. length: bytes of the region. -ERANGE where it holds not even one
 * block of a direction that is used. The pattern must not be moved afterwards.
 */
MUST_CHECK int pattern_init(struct pattern *pattern, const struct workload *workload,
			    uint64_t length, uint64_t seed);

/* The next pass's bijection; called by pattern_offset. */
void pattern_new_pass(struct pattern_walk *walk);

/*
 * A step is pattern_draw, then pattern_direction and pattern_offset of what was drawn: one number
 * serves both. The direction is read off its low half; the offset follows from the high bits, as
 * many as there are blocks.
 */
static inline uint64_t pattern_draw(struct pattern *pattern, const enum pattern_kind kind,
				    const enum pattern_mix mix)
{
	return kind == PATTERN_RANDOM || mix == PATTERN_MIXED ? random_next(&pattern->draw) : 0;
}

static inline enum direction pattern_direction(const struct pattern *pattern,
					       const enum pattern_mix mix, uint64_t drawn)
{
	if (mix == PATTERN_READ)
		return DIRECTION_READ;
	if (mix == PATTERN_WRITE)
		return DIRECTION_WRITE;
	if (mix == PATTERN_TRIM)
		return DIRECTION_TRIM;
	return (uint32_t)drawn < pattern->reads_below ? DIRECTION_READ : DIRECTION_WRITE;
}

/* The same, but of a mix only in a direction whose bit is set in `open`: the drawn one where it is,
 * else the other. */
#define PATTERN_ALL_OPEN ~0u
static inline enum direction pattern_direction_within(const struct pattern *pattern, uint64_t drawn,
						      unsigned int open)
{
	enum direction direction = pattern_direction(pattern, pattern->mix, drawn);

	if (pattern->mix != PATTERN_MIXED || (open >> direction & 1))
		return direction;
	return direction == DIRECTION_READ ? DIRECTION_WRITE : DIRECTION_READ;
}

/* Adding, multiplying by an odd number and x ^= x >> n are each one to one on 0..mask. */
static inline uint64_t pattern_permute(const struct pattern_walk *walk, uint64_t x)
{
	x = ((x + walk->add) * walk->multiply[0]) & walk->mask;
	x ^= x >> walk->shift;
	x = (x * walk->multiply[1]) & walk->mask;
	x ^= x >> walk->shift;
	x = (x * walk->multiply[2]) & walk->mask;
	return x ^ (x >> walk->shift);
}

/* The offset of the next operation in a direction that pattern_direction told. */
static inline uint64_t pattern_offset(struct pattern *pattern, enum direction direction,
				      const enum pattern_kind kind, uint64_t drawn)
{
	struct pattern_walk *walk = &pattern->walks[direction];
	uint64_t at;

	if (kind == PATTERN_RANDOM)
		return random_scale(drawn, pattern->blocks[direction]) * pattern->bs[direction];
	if (kind == PATTERN_SEQUENTIAL) {
		at = walk->position;
		walk->position = at + pattern->bs[direction];
		if (walk->position == walk->end)
			walk->position = 0;
		return at;
	}
	walk = pattern->once[direction];
	do {
		if (walk->position > walk->mask)
			pattern_new_pass(walk);
		at = pattern_permute(walk, walk->position++);
	} while (at >= walk->blocks);
	return at * pattern->bs[direction];
}

#endif
