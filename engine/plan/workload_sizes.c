/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_sizes.c - see workload_sizes.h. */
#include "engine/plan/workload_sizes.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "engine/plan/bssplit.h"

enum option_id workload_size_option(const struct workload *workload)
{
	if (workload->bssplit)
		return OPTION_ID_BSSPLIT;
	return workload->bsrange[DIRECTION_READ][1] ? OPTION_ID_BSRANGE : OPTION_ID_BS;
}

/* The entries of a direction; none where it goes by bs or bsrange. */
static void split_of(const struct workload *workload, enum direction direction,
		     struct bssplit *ret_split)
{
	struct bssplit splits[DIRECTION_COUNT];

	ret_split->count = 0;
	/* It was found good when the workload was completed. */
	if (workload->bssplit && bssplit_parse(workload->bssplit, splits, NULL) == 0)
		*ret_split = splits[direction];
}

uint64_t workload_least_request(const struct workload *workload, enum direction direction)
{
	uint64_t least = workload->bs[direction];
	struct bssplit split;

	if (workload_size_option(workload) == OPTION_ID_BSRANGE)
		return workload->bsrange[direction][0];
	split_of(workload, direction, &split);
	for (uint32_t i = 0; i < split.count; i++)
		if (split.entries[i].bytes < least)
			least = split.entries[i].bytes;
	return least;
}

uint64_t workload_alignment(const struct workload *workload, enum direction direction)
{
	if (workload->blockalign[direction] && workload_random(workload))
		return workload->blockalign[direction];
	return workload_least_request(workload, direction);
}

uint64_t workload_blocks(const struct workload *workload, enum direction direction, uint64_t length)
{
	uint64_t unit = workload_alignment(workload, direction);
	uint64_t least = workload_least_request(workload, direction);

	if (unit > least)
		return length < unit ? 1 : length / unit;
	return least <= length ? (length - least) / unit + 1 : 0;
}

double workload_mean_request(const struct workload *workload, enum direction direction)
{
	double mean = 0, rest = 100;
	struct bssplit split;

	/* All multiples of the smallest are alike, or all bytes but for those beyond the largest.
	 */
	if (workload_size_option(workload) == OPTION_ID_BSRANGE)
		return ((double)workload->bsrange[direction][0] +
			(double)workload->bsrange[direction][1]) /
		       2;
	split_of(workload, direction, &split);
	if (split.count == 0)
		return (double)workload->bs[direction];
	for (uint32_t i = 0; i < split.count; i++) {
		double percent = i + 1 < split.count ? split.entries[i].percent : rest;

		mean += (double)split.entries[i].bytes * percent / 100;
		rest -= percent;
	}
	return mean;
}

bool workload_sizes_differ(const struct workload *workload)
{
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (workload_moves(workload, (enum direction)d) &&
		    workload_least_request(workload, (enum direction)d) != workload->bs[d])
			return true;
	return false;
}

const char *workload_misaligned(const struct workload *workload, uint64_t unit, uint64_t *ret_value)
{
	const char *size = option_at(workload_size_option(workload))->name;
	uint64_t hole = workload_random(workload) ? 0 : workload->rw_number;
	struct bssplit split;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		split_of(workload, (enum direction)d, &split);
		for (uint32_t i = 0; i < split.count; i++)
			if ((*ret_value = split.entries[i].bytes) % unit != 0)
				return size;
		if ((*ret_value = workload_least_request(workload, (enum direction)d)) % unit !=
			    0 ||
		    (*ret_value = workload->bs[d]) % unit != 0)
			return size;
		if ((*ret_value = workload->blockalign[d]) % unit != 0)
			return "blockalign";
	}
	if ((*ret_value = workload->offset) % unit != 0)
		return "offset";
	if ((*ret_value = workload->offset_increment) % unit != 0)
		return "offset_increment";
	return (*ret_value = hole) % unit != 0 ? "rw" : NULL;
}

/* ---- completing ---- */

/* bs may stand beside a bssplit that leaves it a direction. */
static int check_alone(const struct workload *workload,
		       const struct bssplit splits[DIRECTION_COUNT], struct error *err)
{
	static const enum option_id all[] = {OPTION_ID_BS, OPTION_ID_BSRANGE, OPTION_ID_BSSPLIT};
	const char *one = NULL;
	bool leaves = false;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		leaves |= workload->bssplit && splits[d].count == 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const char *name = option_at(all[i])->name;

		if (!workload_is_set(workload, all[i]) || (leaves && all[i] == OPTION_ID_BS))
			continue;
		if (one)
			return error_set(err, ERROR_CONFLICT, name,
					 "%s and %s both say how large requests are; give one of "
					 "them",
					 one, name);
		one = name;
	}
	return 0;
}

/* fio's rule: its map of blocks is of the smallest request's size, so another alignment goes
 * without. */
static int complete_map(struct workload *workload, struct error *err)
{
	bool aligned = true;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		aligned &= !workload_moves(workload, (enum direction)d) ||
			   workload_alignment(workload, (enum direction)d) ==
				   workload_least_request(workload, (enum direction)d);
	if (aligned || workload->norandommap)
		return 0;
	if (workload_is_set(workload, OPTION_ID_NORANDOMMAP))
		return error_set(err, ERROR_CONFLICT, "norandommap",
				 "blockalign other than the smallest request goes without the map "
				 "of blocks, as in fio; leave out norandommap=0");
	workload->norandommap = true;
	return 0;
}

/* A block is written back as it was read: what goes by direction must be alike for both. */
static int check_rewrite(const struct workload *workload, const struct bssplit *splits,
			 struct error *err)
{
	const char *name = NULL;

	if (!workload_rewrites(workload))
		return 0;
	if (workload->bs[DIRECTION_READ] != workload->bs[DIRECTION_WRITE] ||
	    workload->bsrange[DIRECTION_READ][0] != workload->bsrange[DIRECTION_WRITE][0] ||
	    (splits &&
	     memcmp(&splits[DIRECTION_READ], &splits[DIRECTION_WRITE], sizeof(*splits)) != 0))
		name = option_at(workload_size_option(workload))->name;
	else if (workload->blockalign[DIRECTION_READ] != workload->blockalign[DIRECTION_WRITE])
		name = "blockalign";
	else if (workload->percentage_random[DIRECTION_READ] !=
		 workload->percentage_random[DIRECTION_WRITE])
		name = "percentage_random";
	else if (workload->random_distribution && strchr(workload->random_distribution, ','))
		name = "random_distribution";
	if (!name)
		return 0;
	return error_set(err, ERROR_CONFLICT, name,
			 "rw=%s writes each block back as it was read: give one %s for reads and "
			 "writes",
			 workload_rw_choices[workload->rw], name);
}

int workload_complete_sizes(struct workload *workload, struct error *err)
{
	struct bssplit splits[DIRECTION_COUNT];
	int r;

	if (workload->bssplit && bssplit_parse(workload->bssplit, splits, err) < 0) {
		if (err)
			(void)snprintf(err->field, sizeof(err->field), "bssplit");
		return -EINVAL;
	}
	r = check_alone(workload, splits, err);
	if (r < 0)
		return r;
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		uint64_t most = workload->bsrange[d][1];

		for (uint32_t i = 0; workload->bssplit && i < splits[d].count; i++)
			if (splits[d].entries[i].bytes > most)
				most = splits[d].entries[i].bytes;
		if (most > 0)
			workload->bs[d] = most;
	}
	if (workload->bs_unaligned && workload->direct)
		return error_set(err, ERROR_CONFLICT, "bs_unaligned",
				 "bs_unaligned=1 makes requests of any number of bytes, which "
				 "direct=1 does not take: set direct=0");
	r = check_rewrite(workload, workload->bssplit ? splits : NULL, err);
	return r < 0 ? r : complete_map(workload, err);
}
