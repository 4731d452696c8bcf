/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan/block_order.h"

/* SplitMix64 (Steele, Lea, Flood 2014): a step of the sequence and its output. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

uint64_t block_order_mix(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t state = seed;

	state = next_random(&state) ^ a;
	state = next_random(&state) ^ b;
	return next_random(&state);
}

/* 0 to below - 1, each as likely: what does not divide evenly is drawn again. */
static size_t random_below(uint64_t *state, size_t below)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % below;
	uint64_t value;

	do
		value = next_random(state);
	while (value >= limit);
	return (size_t)(value % below);
}

static void swap(size_t *order, size_t one, size_t other)
{
	size_t kept = order[one];

	order[one] = order[other];
	order[other] = kept;
}

void block_order(uint64_t seed, unsigned int repeat, size_t cells, size_t *order)
{
	unsigned int first = repeat - (repeat + 1) % 2; /* of its pair */
	uint64_t state = block_order_mix(seed, 0, first);

	for (size_t i = 0; i < cells; i++)
		order[i] = i;
	for (size_t i = cells; i > 1; i--)
		swap(order, i - 1, random_below(&state, i));
	for (size_t i = 0; repeat != first && i < cells / 2; i++)
		swap(order, i, cells - 1 - i);
}
