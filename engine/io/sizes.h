/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sizes.h - how many bytes the next request of one direction has.
 *
 * As fio 3.33 draws them (io_u.c: get_next_buflen), so that shares agree:
 *   one size   bs; nothing is drawn.
 *   bsrange    least + u x most, u uniform in 0 to 1, not more than most.
 *   bssplit    an entry by its percentage; where it does not fit before the region's end, the next
 *              more frequent one that does.
 * Both are rounded down to a multiple of the smallest, unless bs_unaligned, and drawn again where
 * they do not fit. (So a largest size that is no multiple is drawn all the same, as in fio.) After
 * SIZES_TRIES fio would still go on; here the smallest is taken.
 *
 * Invariant: what is drawn is at least `least` and at most `most` and `room`. Threads: one user at
 * a time; the random numbers are the caller's.
 */
#ifndef ENGINE_IO_SIZES_H
#define ENGINE_IO_SIZES_H

#include "engine/io/random.h"
#include "engine/plan/bssplit.h"

#define SIZES_TRIES 1000

struct sizes {
	uint64_t least, most; /* bytes; equal where there is one size */
	bool unaligned;
	uint64_t mask;	/* of the bits below the smallest size where it is a power of two, else 0 */
	uint32_t count; /* of bssplit; 0: a range */
	struct {
		uint64_t below; /* of 2^32 numbers drawn those for this entry and the ones before */
		uint64_t bytes;
	} parts[BSSPLIT_MAX];
};

/* Of a completed workload. */
void sizes_init(struct sizes *sizes, const struct workload *workload, enum direction direction);

uint64_t sizes_draw_one(const struct sizes *sizes, struct random *random, uint64_t room);

/* Bytes of the next request, which has `room` bytes to the end of its region: least at least. */
static inline uint64_t sizes_draw(const struct sizes *sizes, struct random *random, uint64_t room)
{
	uint64_t bytes;

	if (sizes->least == sizes->most)
		return sizes->least;
	/* The plainest of ranges, and what is not drawn anew. */
	if (sizes->count == 0 && sizes->mask && !sizes->unaligned) {
		bytes = (sizes->least + random_scale(random_next(random), sizes->most)) &
			~sizes->mask;
		bytes = bytes < sizes->most ? bytes : sizes->most;
		if (bytes <= room)
			return bytes;
	}
	return sizes_draw_one(sizes, random, room);
}

#endif
