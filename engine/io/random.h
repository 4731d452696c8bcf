/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random.h - the engine's seeded generator: fast and repeatable, not for secrets.
 *
 * A counter in steps of an odd constant (so its period is 2^64), each value multiplied with a
 * mixture of itself to 128 bits and folded: Wang Yi's wyrand, one addition and one multiplication a
 * number. Seeds are spread by splitmix64, so generators made from neighbouring seeds begin far
 * apart on the one circle they all walk.
 * Threads: one user a generator.
 */
#ifndef ENGINE_IO_RANDOM_H
#define ENGINE_IO_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

void random_init(struct random *random, uint64_t seed);

/* A seed of its own for the n-th thing made from one seed; neighbours have nothing in common. */
uint64_t random_derive(uint64_t seed, uint64_t n);

/* A gcc and clang extension, said to be one so that -Wpedantic agrees. */
__extension__ typedef unsigned __int128 random_wide;

static inline uint64_t random_next(struct random *random)
{
	uint64_t state = random->state + UINT64_C(0xa0761d6478bd642f);
	uint64_t other = state ^ UINT64_C(0xe7037ed1a0b428db);

	random->state = state;
	/* The halves apart: gcc takes a 128-bit variable through memory. */
	return (uint64_t)(((random_wide)state * other) >> 64) ^ state * other;
}

/* A drawn number scaled to 0 to bound - 1, by multiplication; off uniform by less than
 * bound / 2^64. */
static inline uint64_t random_scale(uint64_t drawn, uint64_t bound)
{
	return (uint64_t)(((random_wide)drawn * bound) >> 64);
}

#endif
