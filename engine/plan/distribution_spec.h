/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribution_spec.h - what random_distribution says, read once: which blocks a random workload
 * touches more often than others. engine/io/distribution.h draws them.
 *
 *   random                          every block alike
 *   zipf[:THETA[:CENTER]]           0 <= THETA <= 10 but not 1; 1.1 where it is not given
 *   pareto[:H[:CENTER]]             0 < H < 1; 0.2 where it is not given
 *   normal[:DEVIATION[:CENTER]]     percent, 0 <= DEVIATION < 100; 0 where it is not given
 *   zoned:ACCESS/SIZE:...           percent of the operations in the next percent of the region
 *   zoned_abs:ACCESS/BYTES:...      the same, in the next so many bytes
 *
 * CENTER, 0 to 1, says where in the region the distribution's first block lies; at random without
 * it (of normal: unmoved). Zones may be given for reads, writes and trims apart, with commas
 * between; the last that is given serves the rest, and where nothing stands between commas the
 * direction's blocks are all alike. ACCESS makes 100 for each direction. The percent of SIZE make
 * at most 100, and what is left of the region is not touched; those that are not given ("60:40")
 * share what is left, in whole percent.
 *
 * As in fio 3.33 (options.c: str_random_distribution_cb, zone_split_ddir), whose CENTER stands
 * behind a colon too, but for what could only be a mistake: a THETA below 0, a SIZE or ACCESS that
 * is not a plain number, a zone that nothing is left for, more behind the CENTER.
 */
#ifndef ENGINE_PLAN_DISTRIBUTION_SPEC_H
#define ENGINE_PLAN_DISTRIBUTION_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/plan/workload.h"

/* As fio's ZONESPLIT_MAX. */
#define DISTRIBUTION_ZONES_MAX 256
#define DISTRIBUTION_THETA_MAX 10

enum distribution_kind {
	DISTRIBUTION_RANDOM,
	DISTRIBUTION_ZIPF,
	DISTRIBUTION_PARETO,
	DISTRIBUTION_NORMAL,
	DISTRIBUTION_ZONED,
	DISTRIBUTION_ZONED_ABS,
};

struct distribution_zone {
	uint64_t access; /* percent */
	uint64_t size;	 /* percent, or bytes */
};

struct distribution_spec {
	enum distribution_kind kind;
	double value;			       /* theta, h or the deviation */
	bool centered;			       /* center was given */
	double center;			       /* 0 to 1 */
	bool directions;		       /* zones were given for directions apart */
	uint64_t zone_counts[DIRECTION_COUNT]; /* 0: all blocks alike */
	struct distribution_zone zones[DIRECTION_COUNT][DISTRIBUTION_ZONES_MAX];
};

/* BAD_VALUE, OUT_OF_RANGE or TOO_MANY, saying what would be right; the field is "". */
MUST_CHECK int distribution_spec_parse(const char *text, struct distribution_spec *ret_spec,
				       struct error *err);

/* Whether a completed workload's blocks are not all alike. */
bool distribution_spec_given(const struct workload *workload);

/*
 * Its part of workload_complete(): a distribution turns norandommap on, as in fio, and contradicts
 * norandommap=0, requests that are not random, and a size that its zones do not fit in. CONFLICT.
 */
MUST_CHECK int distribution_spec_complete(struct workload *workload, struct error *err);

/* Whether its zones fit in the size of a completed workload that has one, and each that is to be
 * touched holds a block; else CONFLICT. */
MUST_CHECK int distribution_spec_fits(const struct workload *workload, struct error *err);

/*
 * Whether fio 3.33 takes it and does the same: not zones for directions apart, which its parser
 * refuses; nor, but for zones, blocks that are not as large as the smallest request of all
 * directions: it counts those, and ends early where another block lies beyond the region.
 */
bool distribution_spec_fio(const struct workload *workload);

/* Bytes of the region that the zones of a direction ask for; 0 unless they are in bytes. */
uint64_t distribution_spec_bytes(const struct distribution_spec *spec, enum direction direction);

#endif
