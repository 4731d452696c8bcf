/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * awaited.h - for how many completions a reactor waits at a time, and how long at most.
 *
 * While it waits for several, what has completed is not replaced, so the target holds less than the
 * depth, and latency is longer by as much; but each entry into the kernel, and each notice to the
 * device, serves more operations. Where iodepth_batch_complete_min is not given a reactor waits for
 * one completion and one more for every sixteen outstanding. Of n outstanding n / 32 are then not
 * replaced on the average, so by Little's law latency grows or operations a second fall by a
 * thirtysecond at most, and only where the target alone decides how fast it goes.
 */
#ifndef ENGINE_IO_AWAITED_H
#define ENGINE_IO_AWAITED_H

#include <stdint.h>

#include "engine/base/clock.h"
#include "engine/plan/workload.h"

#define AWAITED_PATIENCE_NS (50 * NS_PER_MS)
/* The longest that what has completed is kept waiting for others nobody asked to wait for. Not
 * less: a timer that comes before the kernel's next tick must be set in the hardware each time. */
#define AWAITED_HOLD_NS (5 * NS_PER_MS)

/* asked: iodepth_batch_complete_min, 0 where it is not given. */
static inline uint32_t awaited_count(uint32_t asked, uint32_t outstanding)
{
	if (asked == 0)
		return outstanding == 0 ? 0 : 1 + outstanding / WORKLOAD_AWAITED_SHARE;
	return outstanding < asked ? outstanding : asked;
}

static inline uint64_t awaited_patience_ns(uint32_t asked, uint32_t count)
{
	return asked == 0 && count > 1 ? AWAITED_HOLD_NS : AWAITED_PATIENCE_NS;
}

#endif
