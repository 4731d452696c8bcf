/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tries.h - for what a machine that stands still for a moment, or has much else to do, may spoil
 * although the code does well: it is done again until it goes well once. What never does fails.
 *
 *	unsigned int tries = 0;
 *
 *	do
 *		took_ns = ...;
 *	while (again(took_ns < NS_PER_S, &tries));
 *	assert_true(took_ns < NS_PER_S);
 *
 * What must hold each time is asserted each time, within the loop.
 */
#ifndef TESTS_UNIT_TRIES_H
#define TESTS_UNIT_TRIES_H

#include <stdbool.h>

#define TRIES_MAX 8

/* Whether to try once more: it did not go well, and that not too often. */
static inline bool again(bool well, unsigned int *tries)
{
	return !well && ++*tries < TRIES_MAX;
}

#endif
