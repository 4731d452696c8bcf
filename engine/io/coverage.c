/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coverage.c - see coverage.h. Bits behind the last block count as touched on every level. */
#include "engine/io/coverage.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 11 /* of 64 bits each: all that 64 bits can number */
#define FULL UINT64_MAX

struct coverage {
	uint64_t blocks;
	int count;		      /* of levels */
	uint64_t words[LEVELS_MAX];   /* of each */
	uint64_t *levels[LEVELS_MAX]; /* into memory */
	uint64_t *memory;
};

static uint64_t words_for(uint64_t bits)
{
	return bits / 64 + (bits % 64 != 0);
}

static uint64_t words_in_all(uint64_t blocks)
{
	uint64_t words = words_for(blocks), total = words;

	while (words > 1) {
		words = words_for(words);
		total += words;
	}
	return total;
}

uint64_t coverage_bytes(uint64_t blocks)
{
	return sizeof(struct coverage) + words_in_all(blocks) * sizeof(uint64_t);
}

void coverage_clear(struct coverage *coverage)
{
	uint64_t bits = coverage->blocks;

	for (int i = 0; i < coverage->count; i++) {
		uint64_t words = coverage->words[i];

		memset(coverage->levels[i], 0, words * sizeof(uint64_t));
		if (bits % 64 != 0)
			coverage->levels[i][words - 1] = FULL << bits % 64;
		bits = words;
	}
}

int coverage_new(uint64_t blocks, struct coverage **ret_coverage)
{
	struct coverage *coverage = calloc(1, sizeof(*coverage));
	uint64_t words = words_for(blocks), *level;

	if (!coverage)
		return -ENOMEM;
	coverage->blocks = blocks;
	level = coverage->memory = calloc(words_in_all(blocks), sizeof(uint64_t));
	if (!level) {
		free(coverage);
		return -ENOMEM;
	}
	for (;; words = words_for(words)) {
		coverage->words[coverage->count] = words;
		coverage->levels[coverage->count++] = level;
		level += words;
		if (words == 1)
			break;
	}
	coverage_clear(coverage);
	*ret_coverage = coverage;
	return 0;
}

void coverage_free(struct coverage *coverage)
{
	if (coverage)
		free(coverage->memory);
	free(coverage);
}

/* The first free bit from `at` on. */
static uint64_t next_from(const struct coverage *coverage, uint64_t at)
{
	int level = 0;

	/* Up, to a word with something free at or behind the bit. */
	for (;; level++) {
		uint64_t word = at / 64, free_bits;

		if (level == coverage->count || word >= coverage->words[level])
			return COVERAGE_NONE;
		free_bits = ~coverage->levels[level][word] & FULL << at % 64;
		if (free_bits) {
			at = word * 64 + (uint64_t)__builtin_ctzll(free_bits);
			break;
		}
		at = word + 1;
	}
	/* And down: a bit that is free stands for a word that has one. */
	while (level-- > 0)
		at = at * 64 + (uint64_t)__builtin_ctzll(~coverage->levels[level][at]);
	return at;
}

uint64_t coverage_next(const struct coverage *coverage, uint64_t block)
{
	uint64_t at = next_from(coverage, block);

	return at == COVERAGE_NONE && block > 0 ? next_from(coverage, 0) : at;
}

uint64_t coverage_take(struct coverage *coverage, uint64_t block, uint64_t count)
{
	uint64_t taken = 0;

	while (taken < count && block / 64 < coverage->words[0]) {
		uint64_t *word = &coverage->levels[0][block / 64], at = block / 64;
		uint64_t used = *word >> block % 64;
		uint64_t run = used ? (uint64_t)__builtin_ctzll(used) : 64 - block % 64;
		bool ends = used != 0;

		if (run > count - taken) {
			run = count - taken;
			ends = true;
		}
		if (run == 0)
			break;
		*word |= (run == 64 ? FULL : (UINT64_C(1) << run) - 1) << block % 64;
		for (int level = 0;
		     coverage->levels[level][at] == FULL && level + 1 < coverage->count;
		     level++, at /= 64)
			coverage->levels[level + 1][at / 64] |= UINT64_C(1) << at % 64;
		taken += run;
		block += run;
		if (ends)
			break;
	}
	return taken;
}
