/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sequence.c - see sequence.h. */
#include "engine/io/sequence.h"

#include <errno.h>
#include <stdlib.h>

bool sequence_needed(const struct workload *workload)
{
	return workload->rw_number != 0 || distribution_spec_given(workload);
}

/* ---- life ---- */

static void side_init(struct sequence_side *side, const struct workload *workload,
		      enum direction direction, uint64_t length)
{
	sizes_init(&side->sizes, workload, direction);
	side->unit = side->sizes.least;
	/* A direction that is not used may have larger requests than the region. */
	if (side->unit > 0 && side->sizes.least <= length)
		side->blocks = (length - side->sizes.least) / side->unit + 1;
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

int sequence_new(const struct workload *workload, uint64_t length, uint64_t seed,
		 struct pattern *pattern, struct sequence **ret_sequence)
{
	struct sequence *sequence = calloc(1, sizeof(*sequence));
	int r;

	if (!sequence)
		return -ENOMEM;
	sequence->pattern = pattern;
	random_init(&sequence->random, seed);
	sequence->length = length;
	sequence->random_offsets = workload_random(workload);
	sequence->time_based = workload->time_based;
	sequence->identical = workload->rw_sequencer == SEQUENCER_IDENTICAL;
	sequence->every = 1;
	if (workload->rw_number && sequence->random_offsets)
		sequence->every = workload->rw_number;
	else
		sequence->hole = workload->rw_number;
	sequence->left = sequence->every;
	for (int d = 0; d < PATTERN_DIRECTIONS; d++)
		side_init(&sequence->sides[d], workload, (enum direction)d, length);
	r = distribution_init(sequence, workload);
	if (r < 0) {
		sequence_free(sequence);
		return r;
	}
	*ret_sequence = sequence;
	return 0;
}

void sequence_free(struct sequence *sequence)
{
	if (sequence)
		distribution_free(sequence->distribution);
	free(sequence);
}

uint64_t sequence_bytes(const struct workload *workload)
{
	if (!sequence_needed(workload))
		return 0;
	return sizeof(struct sequence) +
	       (distribution_spec_given(workload) ? distribution_bytes() : 0);
}

uint64_t sequence_least(const struct sequence *sequence)
{
	const struct sequence_side *sides = sequence->sides;
	uint64_t read = sides[DIRECTION_READ].sizes.least;
	uint64_t write = sides[DIRECTION_WRITE].sizes.least;

	switch (sequence->pattern->mix) {
	case PATTERN_READ:
		return read;
	case PATTERN_WRITE:
		return write;
	default:
		return read < write ? read : write;
	}
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

	if (sequence->distribution)
		return distribution_next(sequence->distribution, direction) *
		       sequence->sides[direction].unit;
	return pattern_offset(pattern, direction, pattern->kind, drawn);
}

/* Whether the next offset of a random workload is drawn. */
static bool draws_offset(struct sequence *sequence)
{
	if (--sequence->left > 0)
		return false;
	sequence->left = sequence->every;
	return true;
}

static bool fits(const struct sequence *sequence, const struct sequence_side *side, uint64_t offset)
{
	return offset <= sequence->length && sequence->length - offset >= side->sizes.least;
}

void sequence_next(struct sequence *sequence, unsigned int open, struct sequence_step *ret_step)
{
	struct pattern *pattern = sequence->pattern;
	uint64_t drawn = pattern_draw(pattern, pattern->kind, pattern->mix), offset;
	enum direction direction = pattern_direction_within(pattern, drawn, open);
	struct sequence_side *side = &sequence->sides[direction];

	if (sequence->random_offsets && draws_offset(sequence)) {
		offset = sequence_random_offset(sequence, direction, drawn);
	} else if (sequence->random_offsets && sequence->identical) {
		offset = side->last;
	} else {
		offset = side->next;
		if (offset > 0)
			offset += sequence->hole; /* both far below 2^63 */
		if (!fits(sequence, side, offset))
			/* What ends with its size draws, as fio does, rather than begin again. */
			offset = sequence->random_offsets && !sequence->time_based
					 ? sequence_random_offset(sequence, direction, drawn)
					 : 0;
	}
	ret_step->direction = direction;
	ret_step->offset = offset;
	ret_step->length = sizes_draw(&side->sizes, &sequence->random, sequence->length - offset);
	side->last = offset;
	side->next = offset + ret_step->length;
}
