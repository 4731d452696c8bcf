/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace.c - see pace.h. */
#include "engine/io/pace.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/plan/workload_sizes.h"

/* fio's: nothing is looked at before (backend.c, __check_min_rate). */
#define SETTLE_NS (2 * NS_PER_S)

static bool any(const uint64_t *values, const bool *moves)
{
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (values[d] > 0 && moves[d])
			return true;
	return false;
}

bool pace_is_plain(const struct workload *workload)
{
	bool moves[DIRECTION_COUNT];

	for (int d = 0; d < DIRECTION_COUNT; d++)
		moves[d] = workload_moves(workload, (enum direction)d);
	return workload->think_ns == 0 && !any(workload->rate, moves) &&
	       !any(workload->rate_iops, moves) && !any(workload->rate_min, moves) &&
	       !any(workload->rate_iops_min, moves);
}

static void init_rate(struct pace_rate *rate, const struct workload *workload, int direction,
		      uint64_t seed)
{
	rate->bytes_per_s = workload_rate(workload, (enum direction)direction);
	if (rate->bytes_per_s == 0 || workload->rate_process != RATE_POISSON)
		return;
	rate->mean_gap_ns = (double)workload_least_request(workload, (enum direction)direction) *
			    (double)NS_PER_S / (double)rate->bytes_per_s;
	random_init(&rate->draw, random_derive(seed, (uint64_t)direction));
}

void pace_init(struct pace *pace, const struct workload *workload, uint64_t seed)
{
	memset(pace, 0, sizeof(*pace));
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		pace->moves[d] = workload_moves(workload, (enum direction)d);
		init_rate(&pace->rates[d], workload, d, seed);
		pace->rated |= pace->rates[d].bytes_per_s > 0;
		if (!pace->moves[d])
			continue;
		pace->least[d].bytes_per_s = workload->rate_min[d];
		pace->least[d].ios_per_s = workload->rate_iops_min[d];
		pace->watched |= workload->rate_min[d] > 0 || workload->rate_iops_min[d] > 0;
	}
	pace->thinks = workload->think_ns > 0;
	pace->think_ns = workload->think_ns;
	pace->spin_ns = workload->think_spin_ns;
	pace->iotime_ns = workload->think_iotime_ns;
	/* fio: iotime stands in for the blocks where these are not given */
	if (workload->think_iotime_ns == 0 || workload_is_set(workload, OPTION_ID_THINKTIME_BLOCKS))
		pace->blocks = workload->think_blocks;
	pace->by_issue = workload->think_blocks_type == THINK_ISSUE;
	pace->shifts = workload->rate_ignore_thinktime;
	pace->cycle_ns = workload->rate_cycle * NS_PER_MS;
}

static void begin(struct pace *pace, uint64_t begin_ns)
{
	pace->begun = true;
	pace->begin_ns = pace->thought_ns = pace->looked_ns = begin_ns;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		pace->rates[d].due_ns = begin_ns;
}

/* ---- pauses ---- */

static bool falls_due(const struct pace *pace, uint64_t now_ns)
{
	if (pace->iotime_ns > 0 && now_ns >= pace->thought_ns + pace->iotime_ns)
		return true;
	return pace->blocks > 0 && pace->counted >= pace->counted_last + pace->blocks;
}

static void end_pause(struct pace *pace, uint64_t now_ns)
{
	uint64_t took_ns = now_ns - pace->pause_ns;

	for (int d = 0; d < DIRECTION_COUNT && pace->shifts; d++)
		pace->rates[d].due_ns += took_ns;
	pace->pause_ns = 0;
	pace->thought_ns = now_ns;
}

bool pace_pauses(struct pace *pace, uint64_t start_ns, uint64_t now_ns, uint64_t outstanding,
		 uint64_t *ret_wake_ns)
{
	if (!pace->begun)
		begin(pace, start_ns + pace->delay_ns);
	if (now_ns < pace->begin_ns) {
		*ret_wake_ns = pace->begin_ns;
		return true;
	}
	if (!pace->thinks)
		return false;
	if (pace->pause_ns == 0 && !pace->falls_due) {
		if (!falls_due(pace, now_ns))
			return false;
		pace->falls_due = true;
		pace->counted_last = pace->counted;
	}
	if (pace->falls_due && outstanding > 0) {
		*ret_wake_ns = UINT64_MAX;
		return true;
	}
	if (pace->falls_due) {
		pace->falls_due = false;
		pace->pause_ns = now_ns;
	}
	if (now_ns >= pace->pause_ns + pace->think_ns) {
		end_pause(pace, now_ns);
		return false;
	}
	*ret_wake_ns =
		now_ns < pace->pause_ns + pace->spin_ns ? now_ns : pace->pause_ns + pace->think_ns;
	return true;
}

/* ---- rates ---- */

unsigned int pace_open(const struct pace *pace, uint64_t now_ns, uint64_t *ret_wake_ns)
{
	uint64_t wake_ns = UINT64_MAX;
	unsigned int open = 0;

	for (unsigned int d = 0; d < DIRECTION_COUNT; d++) {
		const struct pace_rate *rate = &pace->rates[d];

		if (!pace->moves[d])
			continue;
		if (rate->bytes_per_s == 0 || rate->due_ns <= now_ns)
			open |= 1u << d;
		else if (rate->due_ns < wake_ns)
			wake_ns = rate->due_ns;
	}
	if (open == 0)
		*ret_wake_ns = wake_ns;
	return open;
}

/* -ln of a number drawn from (0, 1]. */
static double exponential(struct random *draw)
{
	return -log((double)((random_next(draw) >> 11) + 1) * 0x1p-53);
}

static void move_on(struct pace_rate *rate, uint64_t length)
{
	uint64_t gap_ns;

	if (rate->mean_gap_ns > 0) {
		gap_ns = (uint64_t)(rate->mean_gap_ns * exponential(&rate->draw) + 0.5);
	} else {
		/* a request has at most 2^26 bytes, so this fits into 64 bits; the rest may come
		 * near 2^50 */
		uint64_t parts = length * NS_PER_S + rate->rest;

		gap_ns = parts / rate->bytes_per_s;
		rate->rest = parts % rate->bytes_per_s;
	}
	if (__builtin_add_overflow(rate->due_ns, gap_ns, &rate->due_ns))
		rate->due_ns = UINT64_MAX;
}

uint64_t pace_issued(struct pace *pace, enum direction direction, uint64_t length)
{
	struct pace_rate *rate = &pace->rates[direction];
	uint64_t due_ns = rate->due_ns;

	if (pace->by_issue)
		pace->counted++;
	if (rate->bytes_per_s == 0)
		return 0;
	move_on(rate, length);
	return due_ns;
}

/* ---- the least that must be done ---- */

static int too_little(enum direction direction, const char *unit, const char *option,
		      uint64_t found, uint64_t least, struct error *err)
{
	return error_set(err, ERROR_IO_ERROR, "",
			 "a job's %ss fell to %" PRIu64 " %s, below its %s=%" PRIu64
			 ": lower it, or leave it out to measure what the target does",
			 direction_names[direction], found, unit, option, least);
}

static uint64_t per_second(uint64_t amount, uint64_t span_ns)
{
	return (uint64_t)((double)amount * (double)NS_PER_S / (double)span_ns);
}

static int look(struct pace *pace, uint64_t now_ns, struct error *err)
{
	uint64_t span_ns = now_ns - pace->looked_ns;
	bool settling = pace->looked_ns == pace->begin_ns;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct pace_least *least = &pace->least[d];
		uint64_t bytes = per_second(least->bytes, span_ns);
		uint64_t ios = per_second(least->ios, span_ns);

		least->bytes = least->ios = 0;
		if (settling)
			continue;
		if (bytes < least->bytes_per_s)
			return too_little((enum direction)d, "bytes/s", "rate_min", bytes,
					  least->bytes_per_s, err);
		if (ios < least->ios_per_s)
			return too_little((enum direction)d, "operations/s", "rate_iops_min", ios,
					  least->ios_per_s, err);
	}
	pace->looked_ns = now_ns;
	return 0;
}

int pace_landed(struct pace *pace, enum direction direction, uint64_t bytes, uint64_t now_ns,
		struct error *err)
{
	if (!pace->by_issue)
		pace->counted++;
	if (!pace->watched)
		return 0;
	pace->least[direction].bytes += bytes;
	pace->least[direction].ios++;
	if (now_ns < pace->begin_ns + SETTLE_NS || now_ns < pace->looked_ns + pace->cycle_ns)
		return 0;
	return look(pace, now_ns, err);
}
