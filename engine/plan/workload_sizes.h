/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload_sizes.h - how large the requests of a workload are, where bsrange or bssplit make them
 * differ, and what their offsets are multiples of. All of a workload that is one part.
 *
 * A completed workload's bs is the largest request of each direction, whichever of the three
 * options gave it.
 */
#ifndef ENGINE_PLAN_WORKLOAD_SIZES_H
#define ENGINE_PLAN_WORKLOAD_SIZES_H

#include "engine/plan/workload.h"

/* The part of workload_complete() that sets bs, and norandommap where blockalign takes the map.
 * Errors: CONFLICT and bssplit_parse's, with field. */
MUST_CHECK int workload_complete_sizes(struct workload *workload, struct error *err);

/* Of a completed workload: the smallest request of a direction; what random offsets are multiples
 * of; the mean request; whether the requests of a direction that is used differ in size. */
uint64_t workload_least_request(const struct workload *workload, enum direction direction);
uint64_t workload_alignment(const struct workload *workload, enum direction direction);
/* How many offsets a random request has in `length` bytes: fio's last_block(). 0 where none fits,
 * of a direction that is not used. */
uint64_t workload_blocks(const struct workload *workload, enum direction direction,
			 uint64_t length);
double workload_mean_request(const struct workload *workload, enum direction direction);
bool workload_sizes_differ(const struct workload *workload);

/* The option that gives the sizes: bs, bsrange or bssplit. */
enum option_id workload_size_option(const struct workload *workload);

/* The name of the first option, size left out, that says where a request begins or ends and is no
 * multiple of unit; NULL: none. */
const char *workload_misaligned(const struct workload *workload, uint64_t unit,
				uint64_t *ret_value);

#endif
