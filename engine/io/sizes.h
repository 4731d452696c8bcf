/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sizes.h - how many bytes the next request of one direction has.
 *
 * Invariant: what is drawn is at least `least` and at most `most` and `room`. Threads: one user at
 * a time; the random numbers are the caller's.
 */
#ifndef ENGINE_IO_SIZES_H
#define ENGINE_IO_SIZES_H

#include "engine/io/random.h"
#include "engine/plan/workload.h"

struct sizes {
	uint64_t least, most; /* bytes; equal where there is one size */
};

/* Of a completed workload. */
void sizes_init(struct sizes *sizes, const struct workload *workload, enum direction direction);

/* Bytes of the next request, which has `room` bytes to the end of its region: least at least. */
static inline uint64_t sizes_draw(const struct sizes *sizes, struct random *random, uint64_t room)
{
	(void)random;
	(void)room;
	return sizes->least;
}

#endif
