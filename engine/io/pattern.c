/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pattern.c - see pattern.h. */
#include "engine/io/pattern.h"

#include <errno.h>
#include <string.h>

/* Numbers of the seeds derived from a job's own. */
enum { SEED_DRAW, SEED_WALK };

enum pattern_kind pattern_kind_of(const struct workload *workload)
{
	if (!workload_random(workload))
		return PATTERN_SEQUENTIAL;
	return workload->norandommap ? PATTERN_RANDOM : PATTERN_ONCE;
}

enum pattern_mix pattern_mix_of(const struct workload *workload)
{
	switch ((enum workload_rw)workload->rw) {
	case RW_READ:
	case RW_RANDREAD:
	case RW_REWRITE: /* the writes follow the reads */
	case RW_RANDREWRITE:
		return PATTERN_READ;
	case RW_WRITE:
	case RW_RANDWRITE:
		return PATTERN_WRITE;
	case RW_TRIM:
	case RW_RANDTRIM:
		return PATTERN_TRIM;
	case RW_RW:
	case RW_RANDRW:
		break;
	}
	/* A mix of one side is no mix: the loop without the draw does the same. */
	if (workload->rwmixread == 100)
		return PATTERN_READ;
	return workload->rwmixread == 0 ? PATTERN_WRITE : PATTERN_MIXED;
}

void pattern_new_pass(struct pattern_walk *walk)
{
	struct random keys;

	random_init(&keys, random_derive(walk->seed, walk->pass++));
	walk->add = random_next(&keys);
	for (int i = 0; i < 3; i++)
		walk->multiply[i] = random_next(&keys) | 1;
	walk->position = 0;
}

/* Half the bits go down by the shift; at least one bit, or two equal halves would meet as zero. */
static void walk_init(struct pattern_walk *walk, enum pattern_kind kind, uint64_t bs,
		      uint64_t blocks, uint64_t seed)
{
	unsigned int bits;

	memset(walk, 0, sizeof(*walk));
	walk->blocks = blocks;
	walk->end = blocks * bs;
	walk->seed = seed;
	if (kind != PATTERN_ONCE)
		return;
	bits = walk->blocks > 1 ? 64u - (unsigned int)__builtin_clzll(walk->blocks - 1) : 0;
	walk->mask = (UINT64_C(1) << bits) - 1; /* bs >= 2, so bits < 64 */
	walk->shift = bits > 1 ? (bits + 1) / 2 : 1;
	pattern_new_pass(walk);
}

static bool moves(enum pattern_mix mix, enum direction direction)
{
	return mix == PATTERN_MIXED ? direction != DIRECTION_TRIM
				    : pattern_direction(NULL, mix, 0) == direction;
}

int pattern_init(struct pattern *pattern, const struct workload *workload, uint64_t length,
		 uint64_t seed)
{
	bool shared;

	memset(pattern, 0, sizeof(*pattern));
	pattern->kind = pattern_kind_of(workload);
	pattern->mix = pattern_mix_of(workload);
	/* Asked only of a mix, so neither 0 nor all. */
	pattern->reads_below = (uint32_t)((workload->rwmixread % 100 << 32) / 100);
	for (int d = 0; d < PATTERN_DIRECTIONS; d++) {
		if (moves(pattern->mix, (enum direction)d) &&
		    (workload->bs[d] < 2 || workload->bs[d] > length))
			return -ERANGE;
	}
	random_init(&pattern->draw, random_derive(seed, SEED_DRAW));
	shared = pattern->kind == PATTERN_ONCE && workload->bs[0] == workload->bs[1];
	for (int d = 0; d < PATTERN_DIRECTIONS; d++) {
		uint64_t bs = workload->bs[d] ? workload->bs[d] : 1;

		pattern->bs[d] = bs;
		pattern->blocks[d] = length / bs;
		walk_init(&pattern->walks[d], pattern->kind, bs, length / bs,
			  random_derive(seed, SEED_WALK + (uint64_t)d));
		pattern->once[d] = &pattern->walks[shared && d != DIRECTION_TRIM ? 0 : d];
	}
	return 0;
}
