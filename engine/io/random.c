/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random.c - see random.h. */
#include "engine/io/random.h"

/* splitmix64: a counter, well mixed. */
static uint64_t splitmix(uint64_t *counter)
{
	uint64_t z = *counter += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void random_init(struct random *random, uint64_t seed)
{
	random->state = splitmix(&seed);
}

uint64_t random_derive(uint64_t seed, uint64_t n)
{
	uint64_t counter = seed;
	uint64_t mixed = splitmix(&counter);

	counter = mixed ^ n;
	return splitmix(&counter);
}
