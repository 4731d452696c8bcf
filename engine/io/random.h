/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random.h - the engine's seeded generator: fast and repeatable, not for secrets.
 *
 * xoshiro256++ by Blackman and Vigna (2019), seeded by splitmix64. The sequences are part of what
 * a seed promises: a later version draws the same numbers.
 * Threads: one user a generator.
 */
#ifndef ENGINE_IO_RANDOM_H
#define ENGINE_IO_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state[4];
};

void random_init(struct random *random, uint64_t seed);

/* A seed of its own for the n-th thing made from one seed; neighbours have nothing in common. */
uint64_t random_derive(uint64_t seed, uint64_t n);

static inline uint64_t random_rotate(uint64_t value, unsigned int bits)
{
	return (value << bits) | (value >> (64 - bits));
}

static inline uint64_t random_next(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t result = random_rotate(s[0] + s[3], 23) + s[0];
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = random_rotate(s[3], 45);
	return result;
}

/* A gcc and clang extension, said to be one so that -Wpedantic agrees. */
__extension__ typedef unsigned __int128 random_wide;

/* 0 to bound - 1, by multiplication; off uniform by less than bound / 2^64. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	return (uint64_t)(((random_wide)random_next(random) * bound) >> 64);
}

#endif
