/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sizes.c - see sizes.h. */
#include "engine/io/sizes.h"

#include <string.h>

#include "engine/plan/workload_sizes.h"

void sizes_init(struct sizes *sizes, const struct workload *workload, enum direction direction)
{
	struct bssplit splits[DIRECTION_COUNT];
	uint64_t percent = 0;

	memset(sizes, 0, sizeof(*sizes));
	sizes->least = workload_least_request(workload, direction);
	sizes->most = workload->bs[direction];
	sizes->unaligned = workload->bs_unaligned;
	if ((sizes->least & (sizes->least - 1)) == 0)
		sizes->mask = sizes->least - 1;
	/* It was found good when the workload was completed. */
	if (!workload->bssplit || bssplit_parse(workload->bssplit, splits, NULL) < 0)
		return;
	sizes->count = splits[direction].count;
	for (uint32_t i = 0; i < sizes->count; i++) {
		percent += splits[direction].entries[i].percent;
		sizes->parts[i].below = (percent << 32) / 100;
		sizes->parts[i].bytes = splits[direction].entries[i].bytes;
	}
	if (sizes->count > 0)
		sizes->parts[sizes->count - 1].below = UINT64_C(1) << 32;
}

static uint64_t draw_split(const struct sizes *sizes, uint32_t drawn, uint64_t room)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < sizes->count; i++) {
		bytes = sizes->parts[i].bytes;
		if (drawn < sizes->parts[i].below && bytes <= room)
			break;
	}
	return bytes;
}

static uint64_t round_down(const struct sizes *sizes, uint64_t bytes)
{
	if (sizes->unaligned)
		return bytes;
	return sizes->mask ? bytes & ~sizes->mask : bytes - bytes % sizes->least;
}

uint64_t sizes_draw_one(const struct sizes *sizes, struct random *random, uint64_t room)
{
	for (int i = 0; i < SIZES_TRIES; i++) {
		uint64_t drawn = random_next(random), bytes;

		if (sizes->count > 0)
			bytes = draw_split(sizes, (uint32_t)(drawn >> 32), room);
		else
			bytes = sizes->least + random_scale(drawn, sizes->most);
		bytes = round_down(sizes, bytes);
		if (bytes > sizes->most)
			bytes = sizes->most;
		if (bytes <= room)
			return bytes;
	}
	return sizes->least;
}
