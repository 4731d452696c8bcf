/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distribution.c - see distribution.h. */
#include "engine/io/distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PIECES_BITS 10
#define PIECES (1u << PIECES_BITS)
#define BENT 16 /* a piece of values differing by more than a 16th of them is calculated */
#define ZETA_MAX UINT64_C(10000000)
#define NORMAL_TERMS 12
#define HALF_BLOCKS_MAX (UINT64_C(1) << 26)
#define HASH UINT64_C(0x61c8864680b583eb)

/* The inverse of a cumulated frequency: u, 0 to 1, to a rank, not rounded, 0 to blocks. */
struct inverse {
	double value; /* theta; pareto: the power */
	double zeta;  /* zipf: sum of the frequencies, the first one's being 1 */
	double eta;   /* Gray's */
	double at[PIECES + 1];
	bool bent[PIECES];
};

struct zone {
	uint64_t first, count; /* blocks */
};

struct side {
	uint64_t blocks, turn, step; /* step: normal's uniform one */
	union {
		struct inverse *inverse;
		struct zone zones[100]; /* one for each percent of the operations */
	};
};

struct distribution {
	enum distribution_kind kind;
	struct random random;
	struct inverse *inverses[DIRECTION_COUNT]; /* as many as there are different counts */
	struct side sides[DIRECTION_COUNT];
};

/* ---- zipf and pareto ---- */

static double power_sum(double theta, uint64_t first, uint64_t last)
{
	double sum = 0;

	for (uint64_t i = first; i <= last; i++)
		sum += pow((double)i, -theta);
	return sum;
}

/*
 * The sum of i^-theta for i = 1 to n. What is beyond the first terms by Euler and Maclaurin, whose
 * rest is then far below a double's precision of the sum.
 */
static double zeta_of(double theta, uint64_t n)
{
	const uint64_t some = 1000;
	double a = (double)some + 1, b = (double)n;

	if (n <= some)
		return power_sum(theta, 1, n);
	return power_sum(theta, 1, some) + (pow(b, 1 - theta) - pow(a, 1 - theta)) / (1 - theta) +
	       (pow(a, -theta) + pow(b, -theta)) / 2 +
	       theta * (pow(a, -theta - 1) - pow(b, -theta - 1)) / 12;
}

static double zipf_at(const struct inverse *inverse, uint64_t blocks, double u)
{
	double z = u * inverse->zeta;

	if (z < 1)
		return 0;
	if (z < 1 + pow(0.5, inverse->value))
		return 1;
	return (double)blocks * pow(inverse->eta * u - inverse->eta + 1, 1 / (1 - inverse->value));
}

static double inverse_at(const struct inverse *inverse, enum distribution_kind kind,
			 uint64_t blocks, double u)
{
	double rank = kind == DISTRIBUTION_ZIPF ? zipf_at(inverse, blocks, u)
						: (double)(blocks - 1) * pow(u, inverse->value);

	/* Where there are but two ranks, Gray's eta is no number. */
	return rank <= (double)blocks ? rank : (double)blocks;
}

static void inverse_init(struct inverse *inverse, const struct distribution_spec *spec,
			 uint64_t blocks)
{
	double theta = spec->value;

	if (spec->kind == DISTRIBUTION_ZIPF) {
		inverse->value = theta;
		inverse->zeta = zeta_of(theta, blocks < ZETA_MAX ? blocks : ZETA_MAX);
		inverse->eta = (1 - pow(2 / (double)blocks, 1 - theta)) /
			       (1 - (1 + pow(0.5, theta)) / inverse->zeta);
	} else {
		inverse->value = log(spec->value) / log(1 - spec->value);
	}
	for (uint32_t i = 0; i <= PIECES; i++)
		inverse->at[i] = inverse_at(inverse, spec->kind, blocks, (double)i / PIECES);
	for (uint32_t i = 0; i < PIECES; i++) {
		double from = inverse->at[i], to = inverse->at[i + 1];

		inverse->bent[i] = floor(from) != floor(to) && to - from > from / BENT;
	}
}

/* The high bits of what is drawn are the piece, the rest how far into it. */
static uint64_t inverse_draw(const struct inverse *inverse, enum distribution_kind kind,
			     uint64_t blocks, uint64_t drawn)
{
	uint32_t piece = (uint32_t)(drawn >> (64 - PIECES_BITS));
	double into = (double)(drawn << PIECES_BITS >> 11) * 0x1p-53;
	double at = inverse->at[piece] + into * (inverse->at[piece + 1] - inverse->at[piece]);
	uint64_t rank;

	if (__builtin_expect(inverse->bent[piece], 0))
		at = inverse_at(inverse, kind, blocks, ((double)piece + into) / PIECES);
	rank = (uint64_t)at;
	return rank < blocks ? rank : blocks - 1; /* by rounding, or u = 1 */
}

/* ---- normal ---- */

/* Of 12 numbers of 0 to blocks. Where 32 bits are far more than there are blocks, two of a draw. */
static uint64_t normal_sum(struct random *random, uint64_t blocks)
{
	uint64_t sum = 0, drawn;

	if (blocks <= HALF_BLOCKS_MAX) {
		for (int i = 0; i < NORMAL_TERMS / 2; i++) {
			drawn = random_next(random);
			sum += (drawn >> 32) * (blocks + 1) >> 32;
			sum += (drawn & UINT32_MAX) * (blocks + 1) >> 32;
		}
		return sum;
	}
	for (int i = 0; i < NORMAL_TERMS; i++)
		sum += random_scale(random_next(random), blocks + 1);
	return sum;
}

static uint64_t normal_draw(struct random *random, const struct side *side)
{
	uint64_t sum = normal_sum(random, side->blocks);
	int64_t step;

	sum = (sum + NORMAL_TERMS - 1) / NORMAL_TERMS;
	if (sum >= side->blocks)
		sum = side->blocks - 1;
	if (side->step == 0)
		return sum;
	step = (int64_t)random_scale(random_next(random), side->step) - (int64_t)(side->step / 2);
	/* Below 0 it is beyond the last too, as a number without a sign. */
	while (sum + (uint64_t)step >= side->blocks)
		step /= 2;
	return sum + (uint64_t)step;
}

/* ---- zones ---- */

static struct zone zone_of(const struct distribution_spec *spec,
			   const struct distribution_blocks *blocks, uint64_t before, uint64_t size)
{
	struct zone zone;

	if (spec->kind == DISTRIBUTION_ZONED_ABS)
		return (struct zone){before / blocks->bytes,
				     (before + size) / blocks->bytes - before / blocks->bytes};
	/* As random_wide: a hundred times the blocks may be more than 64 bits hold. */
	zone.first = (uint64_t)((random_wide)blocks->count * before / 100);
	zone.count = (uint64_t)((random_wide)blocks->count * size / 100);
	/* Of a small region a percent may be less than a block. */
	if (zone.first >= blocks->count)
		zone.first = blocks->count - 1;
	return zone;
}

/* The blocks of a direction without zones are one. */
static int zones_init(struct side *side, const struct distribution_spec *spec,
		      const struct distribution_blocks *blocks, enum direction direction)
{
	const struct distribution_zone *zones = spec->zones[direction];
	uint64_t before = 0, at = 0;

	for (uint64_t i = 0; i < spec->zone_counts[direction]; i++) {
		struct zone zone = zone_of(spec, blocks, before, zones[i].size);

		if (spec->kind == DISTRIBUTION_ZONED_ABS &&
		    (zone.first + zone.count > blocks->count ||
		     (zone.count == 0 && zones[i].access > 0)))
			return -ERANGE;
		before += zones[i].size;
		for (uint64_t percent = 0; percent < zones[i].access; percent++)
			side->zones[at++] = zone;
	}
	for (; at < ARRAY_SIZE(side->zones); at++)
		side->zones[at] = (struct zone){0, blocks->count};
	return 0;
}

/* ---- all ---- */

/* Directions of as many blocks share what was calculated for them. */
static int inverses_init(struct distribution *distribution, const struct distribution_spec *spec,
			 enum direction direction)
{
	struct side *side = &distribution->sides[direction];

	for (int d = 0; d < (int)direction; d++)
		if (distribution->sides[d].blocks == side->blocks) {
			side->inverse = distribution->sides[d].inverse;
			return 0;
		}
	distribution->inverses[direction] = calloc(1, sizeof(struct inverse));
	if (!distribution->inverses[direction])
		return -ENOMEM;
	side->inverse = distribution->inverses[direction];
	inverse_init(side->inverse, spec, side->blocks);
	return 0;
}

static uint64_t turn_of(const struct distribution_spec *spec, uint64_t blocks, uint64_t drawn)
{
	if (!spec->centered)
		return spec->kind == DISTRIBUTION_NORMAL ? 0 : drawn;
	/* Below 0, of normal, it counts from the end: from 2^64, as all sums here. */
	if (spec->kind == DISTRIBUTION_NORMAL)
		return (uint64_t)(int64_t)((double)blocks * (spec->center - 0.5));
	return (uint64_t)((double)blocks * spec->center);
}

static int side_init(struct distribution *distribution, const struct distribution_spec *spec,
		     const struct distribution_blocks *blocks, enum direction direction,
		     uint64_t drawn)
{
	struct side *side = &distribution->sides[direction];

	side->blocks = blocks->count;
	if (blocks->count == 0)
		return 0;
	side->turn = turn_of(spec, blocks->count, drawn);
	switch (spec->kind) {
	case DISTRIBUTION_ZIPF:
	case DISTRIBUTION_PARETO:
		return inverses_init(distribution, spec, direction);
	case DISTRIBUTION_NORMAL:
		side->step = (uint64_t)ceil((double)side->blocks * spec->value / 100);
		if (side->step > side->blocks / 2)
			side->step = side->blocks / 2;
		return 0;
	default:
		return zones_init(side, spec, blocks, direction);
	}
}

int distribution_new(const struct distribution_spec *spec,
		     const struct distribution_blocks blocks[DIRECTION_COUNT], uint64_t seed,
		     struct distribution **ret_distribution)
{
	struct distribution *distribution = calloc(1, sizeof(*distribution));
	uint64_t drawn;
	int r = 0;

	if (!distribution)
		return -ENOMEM;
	distribution->kind = spec->kind;
	random_init(&distribution->random, seed);
	drawn = random_next(&distribution->random) >> 32; /* as much as fio draws */
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = side_init(distribution, spec, &blocks[d], (enum direction)d, drawn);
	if (r < 0) {
		distribution_free(distribution);
		return r;
	}
	*ret_distribution = distribution;
	return 0;
}

void distribution_free(struct distribution *distribution)
{
	if (!distribution)
		return;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		free(distribution->inverses[d]);
	free(distribution);
}

uint64_t distribution_next(struct distribution *distribution, enum direction direction)
{
	const struct side *side = &distribution->sides[direction];
	uint64_t drawn, rank;

	switch (distribution->kind) {
	case DISTRIBUTION_ZIPF:
	case DISTRIBUTION_PARETO:
		rank = inverse_draw(side->inverse, distribution->kind, side->blocks,
				    random_next(&distribution->random));
		break;
	case DISTRIBUTION_NORMAL:
		rank = normal_draw(&distribution->random, side);
		break;
	default:
		drawn = random_next(&distribution->random);
		rank = random_scale(drawn, ARRAY_SIZE(side->zones));
		drawn = random_next(&distribution->random);
		return side->zones[rank].first + random_scale(drawn, side->zones[rank].count);
	}
	return (rank * HASH + side->turn) % side->blocks;
}

uint64_t distribution_bytes(void)
{
	return sizeof(struct distribution) + DIRECTION_COUNT * sizeof(struct inverse);
}
