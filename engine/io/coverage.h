/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * coverage.h - which blocks of a region have been touched in this pass: a map of bits, for
 * sequences that no permutation gives, because requests differ in size.
 *
 * Levels of words: a bit of the lowest one is a block, a bit of each other one a word of the level
 * below that is full. So the next free block is found in as many steps as there are levels, six at
 * most, however full the map is (fio's lib/axmap.c has the same idea, with smaller words).
 * Ownership: new to free. Threads: one user at a time. Memory: coverage_bytes(), all of it touched
 * by coverage_new.
 */
#ifndef ENGINE_IO_COVERAGE_H
#define ENGINE_IO_COVERAGE_H

#include <stdint.h>

#include "engine/base/macros.h"

#define COVERAGE_NONE UINT64_MAX

struct coverage;

/* blocks: at least 1. -ENOMEM. */
MUST_CHECK int coverage_new(uint64_t blocks, struct coverage **ret_coverage);
void coverage_free(struct coverage *coverage);

/* Of a map of so many blocks. */
uint64_t coverage_bytes(uint64_t blocks);

/* The first free block from `block` on, and from 0 on behind the last; NONE: all are touched. */
uint64_t coverage_next(const struct coverage *coverage, uint64_t block);

/* Touches the free block and those free right behind it, `count` together at most: how many. */
uint64_t coverage_take(struct coverage *coverage, uint64_t block, uint64_t count);

/* A new pass: all are free. */
void coverage_clear(struct coverage *coverage);

#endif
