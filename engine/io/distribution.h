/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribution.h - which block a random job touches, where random_distribution does not make all
 * alike.
 *
 * As fio 3.33 means it (lib/zipf.c, lib/gauss.c, io_u.c's zoned, lib/zone-dist.c):
 *
 *   zipf     a rank r, 0 the most frequent, with probability about 1 / (r + 1)^theta: the
 *            approximate inverse of J. Gray et al., "Quickly generating billion-record synthetic
 *            databases" (1994), which is exact for the first two ranks. The sum it needs is taken
 *            over at most 10^7 ranks, as fio does.
 *   pareto   rank (blocks - 1) x u^(log h / log(1 - h)), u uniform in 0 to 1.
 *   normal   rank: the mean of 12 uniform ones (rounded up), whose deviation is a twelfth of the
 *            blocks; and a uniform step of `deviation` percent of the blocks around it, halved
 *            until it stays among them.
 *   zoned    a zone by its percent of the operations, then a block of it, all alike.
 *
 * The block of a rank is (rank x K + turn) mod blocks, with fio's K (2^64 x (3 - sqrt(5)) / 2, a
 * multiplicative hash): ranks are spread over the region, and where blocks is no power of two some
 * share a block and some blocks have none, as in fio. `turn` is center x blocks; without a center
 * it is drawn from the seed (zipf, pareto) or none (normal, whose center is then a half). So the
 * most frequent block of zipf and pareto lies at the center; of normal the center only moves where
 * the blocks lie, for what is hashed has no middle.
 *
 * Each direction has the blocks of its own request size. Where sizes are equal, so are the blocks'
 * ranks; fio, which counts blocks of the smallest size for all, ends a job early where they differ.
 *
 * Cheap: zipf and pareto look an inverse up in a table of 1,024 pieces and go on a straight line
 * between; a piece that is too bent for it (its values differ by more than a sixteenth) is
 * calculated. Memory: distribution_bytes(). Invariant: distribution_next() < blocks of the
 * direction. The same spec, blocks and seed give the same blocks. Threads: one user at a time.
 */
#ifndef ENGINE_IO_DISTRIBUTION_H
#define ENGINE_IO_DISTRIBUTION_H

#include "engine/io/random.h"
#include "engine/plan/distribution_spec.h"

struct distribution;

/* Of one direction: blocks 0 to count - 1 of so many bytes; a count of 0: it is not used. */
struct distribution_blocks {
	uint64_t count, bytes;
};

/* -ENOMEM; -ERANGE where zones in bytes reach beyond the blocks of a direction in use, or one holds
 * not even a block. For a spec that is not DISTRIBUTION_RANDOM. */
MUST_CHECK int distribution_new(const struct distribution_spec *spec,
				const struct distribution_blocks blocks[DIRECTION_COUNT],
				uint64_t seed, struct distribution **ret_distribution);
void distribution_free(struct distribution *distribution);

/* The next block of a direction in use. */
uint64_t distribution_next(struct distribution *distribution, enum direction direction);

/* The most bytes of memory one takes. */
uint64_t distribution_bytes(void);

#endif
