/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sequence.c - see sequence.h. */
#include "engine/io/sequence.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/plan/data_files.h"
#include "engine/plan/workload_sizes.h"

/* Whether requests differ in size, or do not lie on multiples of it. */
static bool has_own_blocks(const struct workload *workload)
{
	if (workload_sizes_differ(workload))
		return true;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (workload_moves(workload, (enum direction)d) &&
		    workload_alignment(workload, (enum direction)d) != workload->bs[d])
			return true;
	return false;
}

/* Whether every offset of a random workload is drawn; no others are asked about it. */
static bool all_random(const struct workload *workload)
{
	if (!workload_random(workload) || !workload_is_set(workload, OPTION_ID_PERCENTAGE_RANDOM))
		return true;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (workload_moves(workload, (enum direction)d) &&
		    workload->percentage_random[d] < 100)
			return false;
	return true;
}

bool sequence_needed(const struct workload *workload)
{
	return data_files_given(workload) || workload->rw_number != 0 ||
	       distribution_spec_given(workload) || has_own_blocks(workload) ||
	       workload->interlocked || !all_random(workload);
}

/* ---- life ---- */

static void side_init(struct sequence_side *side, const struct workload *workload,
		      enum direction direction, uint64_t length)
{
	sizes_init(&side->sizes, workload, direction);
	side->random_below = UINT64_C(1) << 32;
	if (!all_random(workload))
		side->random_below = (workload->percentage_random[direction] << 32) / 100;
	side->unit = workload_alignment(workload, direction);
	side->blocks = workload_blocks(workload, direction, length);
}

static int distribution_init(struct sequence *sequence, const struct workload *workload)
{
	struct distribution_blocks blocks[DIRECTION_COUNT] = {0};
	struct distribution_spec spec;
	int r;

	if (!distribution_spec_given(workload))
		return 0;
	/* It was read when the workload was completed. */
	r = distribution_spec_parse(workload->random_distribution, &spec, NULL);
	if (r < 0)
		return r;
	for (int d = 0; d < PATTERN_DIRECTIONS; d++)
		if (workload_moves(workload, (enum direction)d))
			blocks[d] = (struct distribution_blocks){sequence->sides[d].blocks,
								 sequence->sides[d].unit};
	return distribution_new(&spec, blocks, random_next(&sequence->random),
				&sequence->distribution);
}

/* Whether a map of its blocks is kept for each direction. */
static bool has_map(const struct workload *workload)
{
	return pattern_kind_of(workload) == PATTERN_ONCE && has_own_blocks(workload);
}

/* Whether the directions, both used, have one map. */
static bool shares_map(const struct workload *workload)
{
	return workload_mixed(workload) &&
	       workload_least_request(workload, DIRECTION_READ) ==
		       workload_least_request(workload, DIRECTION_WRITE);
}

uint64_t sequence_bytes(const struct workload *workload)
{
	uint64_t region =
		data_files_given(workload) ? data_files_largest(workload) : workload->size;
	uint64_t bytes = sizeof(struct sequence);

	if (!sequence_needed(workload))
		return 0;
	if (distribution_spec_given(workload))
		bytes += distribution_bytes();
	for (int d = 0; d < PATTERN_DIRECTIONS && has_map(workload); d++)
		if (workload_moves(workload, (enum direction)d) &&
		    !(d == DIRECTION_WRITE && shares_map(workload)))
			bytes += coverage_bytes(
				region / workload_least_request(workload, (enum direction)d) + 1);
	return bytes;
}

static int make_maps(struct sequence *sequence, const struct workload *workload)
{
	for (int d = 0; d < PATTERN_DIRECTIONS; d++) {
		struct sequence_side *side = &sequence->sides[d];
		int r;

		if (!workload_moves(workload, (enum direction)d))
			continue;
		if (d == DIRECTION_WRITE && shares_map(workload)) {
			side->coverage = sequence->sides[DIRECTION_READ].coverage;
			continue;
		}
		r = coverage_new(side->blocks, &side->coverage);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The smallest request of any direction in use. */
static uint64_t least_of(const struct sequence *sequence)
{
	const struct sequence_side *sides = sequence->sides;
	uint64_t read = sides[DIRECTION_READ].sizes.least;
	uint64_t write = sides[DIRECTION_WRITE].sizes.least;

	switch (sequence->pattern->mix) {
	case PATTERN_READ:
		return read;
	case PATTERN_WRITE:
		return write;
	case PATTERN_TRIM:
		return sides[DIRECTION_TRIM].sizes.least;
	default:
		return read < write ? read : write;
	}
}

int sequence_new(const struct workload *workload, uint64_t length, uint64_t seed,
		 struct pattern *pattern, atomic_uint_fast64_t *position,
		 struct sequence **ret_sequence)
{
	struct sequence *sequence = calloc(1, sizeof(*sequence));
	int r;

	if (!sequence)
		return -ENOMEM;
	sequence->pattern = pattern;
	sequence->position = workload->interlocked ? position : NULL;
	random_init(&sequence->random, seed);
	sequence->length = length;
	sequence->random_offsets = workload_random(workload);
	sequence->time_based = workload->time_based;
	sequence->identical =
		sequence->random_offsets && workload->rw_sequencer == SEQUENCER_IDENTICAL;
	sequence->every = 1;
	if (workload->rw_number && sequence->random_offsets)
		sequence->every = workload->rw_number;
	else
		sequence->hole = workload->rw_number;
	sequence->left = sequence->every;
	for (int d = 0; d < PATTERN_DIRECTIONS; d++)
		side_init(&sequence->sides[d], workload, (enum direction)d, length);
	sequence->own_blocks = has_own_blocks(workload);
	r = distribution_init(sequence, workload);
	if (r == 0 && has_map(workload))
		r = make_maps(sequence, workload);
	if (r < 0) {
		sequence_free(sequence);
		return r;
	}
	sequence->least = least_of(sequence);
	*ret_sequence = sequence;
	return 0;
}

void sequence_free(struct sequence *sequence)
{
	if (!sequence)
		return;
	distribution_free(sequence->distribution);
	for (int d = PATTERN_DIRECTIONS - 1; d >= 0; d--)
		if (d == 0 || sequence->sides[d].coverage != sequence->sides[0].coverage)
			coverage_free(sequence->sides[d].coverage);
	free(sequence);
}

/* ---- a step ---- */

/*
 * Where a random request begins. A block 0 to side->blocks - 1 is drawn and side->unit times that
 * is the offset: by the distribution, or the pattern, each block once or any at any time.
 */
static uint64_t sequence_random_offset(struct sequence *sequence, enum direction direction,
				       uint64_t drawn)
{
	struct pattern *pattern = sequence->pattern;
	struct sequence_side *side = &sequence->sides[direction];
	uint64_t block;

	if (sequence->distribution)
		return distribution_next(sequence->distribution, direction) * side->unit;
	if (!sequence->own_blocks)
		return pattern_offset(pattern, direction, pattern->kind, drawn);
	if (pattern->kind != PATTERN_RANDOM) /* else the number drawn has bits for it */
		drawn = random_next(&sequence->random);
	block = random_scale(drawn, side->blocks);
	if (side->coverage) {
		uint64_t left = coverage_next(side->coverage, block);

		if (left == COVERAGE_NONE)
			coverage_clear(side->coverage);
		else
			block = left;
	}
	return block * side->unit;
}

/* What of a request at a drawn offset is not touched yet: that is touched now. */
static uint64_t cut_to_free(struct sequence_side *side, uint64_t offset, uint64_t length)
{
	uint64_t blocks = (length + side->unit - 1) / side->unit;
	uint64_t bytes = coverage_take(side->coverage, offset / side->unit, blocks) * side->unit;

	return bytes < length ? bytes : length;
}

/* Whether it is a random workload's turn to draw an offset. */
static bool may_draw(struct sequence *sequence)
{
	if (!sequence->random_offsets || --sequence->left > 0)
		return false;
	sequence->left = sequence->every;
	return true;
}

/* And whether percentage_random lets it. */
static bool draws(struct sequence *sequence, const struct sequence_side *side)
{
	return side->random_below >> 32 ||
	       (uint32_t)random_next(&sequence->random) < side->random_below;
}

static bool fits(const struct sequence *sequence, const struct sequence_side *side, uint64_t offset)
{
	return offset <= sequence->length && sequence->length - offset >= side->sizes.least;
}

#define DRAW UINT64_MAX

/* The offset that is not drawn; DRAW where one is to be drawn all the same. */
static uint64_t follow(const struct sequence *sequence, const struct sequence_side *side,
		       bool repeat)
{
	uint64_t offset = side->next;

	if (repeat)
		return side->last;
	if (offset > 0)
		offset += sequence->hole; /* both far below 2^63 */
	if (!fits(sequence, side, offset)) {
		/* What ends with its size draws, as fio does, rather than begin again. */
		if (sequence->random_offsets && !sequence->time_based)
			return DRAW;
		offset = 0;
	}
	return offset;
}

/* The next request of all interlocked jobs. */
static void claim(struct sequence *sequence, const struct sequence_side *side,
		  struct sequence_step *step)
{
	uint_fast64_t at = atomic_load_explicit(sequence->position, memory_order_relaxed);

	do {
		step->offset = at > 0 ? at + sequence->hole : 0;
		if (!fits(sequence, side, step->offset))
			step->offset = 0;
		step->length = sizes_draw(&side->sizes, &sequence->random,
					  sequence->length - step->offset);
	} while (!atomic_compare_exchange_weak_explicit(
		sequence->position, &at, step->offset + step->length, memory_order_relaxed,
		memory_order_relaxed));
}

void sequence_next(struct sequence *sequence, unsigned int open, struct sequence_step *ret_step)
{
	struct pattern *pattern = sequence->pattern;
	uint64_t drawn = pattern_draw(pattern, pattern->kind, pattern->mix);
	uint64_t offset, length;
	enum direction direction = pattern_direction_within(pattern, drawn, open);
	struct sequence_side *side = &sequence->sides[direction];
	bool turn = may_draw(sequence), random = turn && draws(sequence, side);

	ret_step->direction = direction;
	if (sequence->position) {
		claim(sequence, side, ret_step);
		return;
	}
	offset = random ? DRAW : follow(sequence, side, sequence->identical && !turn);
	random = offset == DRAW;
	if (random)
		offset = sequence_random_offset(sequence, direction, drawn);
	length = sizes_draw(&side->sizes, &sequence->random, sequence->length - offset);
	if (random && side->coverage)
		length = cut_to_free(side, offset, length);
	ret_step->offset = offset;
	ret_step->length = length;
	side->last = offset;
	side->next = offset + length;
}
