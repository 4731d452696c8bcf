/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * block_order.h - in what order a block (one repeat of everything) measures its cells.
 *
 * Blocks come in pairs: the first in a random order (Fisher-Yates, by a generator seeded with the
 * definition's seed and the repeat), the second in the exact reverse of it, so that over the pair
 * every cell stands at the same mean place of the run and what drifts evenly cancels. Of an odd
 * number the last block is a random one. Source: counterbalanced (ABBA) order, Fleiss, The Design
 * and Analysis of Clinical Experiments, 1986, ch. 10; trend-free block designs, Bradley and Yeh
 * 1980, Ann. Statist. 8:883. Pure functions.
 */
#ifndef ENGINE_PLAN_BLOCK_ORDER_H
#define ENGINE_PLAN_BLOCK_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* order[place] becomes the cell, 0 to cells - 1, that is measured there. repeat: from 1. */
void block_order(uint64_t seed, unsigned int repeat, size_t cells, size_t *order);

/* A number that depends on all three, with no two triples of small numbers alike. */
uint64_t block_order_mix(uint64_t seed, uint64_t a, uint64_t b);

#endif
