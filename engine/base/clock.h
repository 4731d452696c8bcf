/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clock.h - monotonic time for measuring, wall time for documents. Any thread. */
#ifndef ENGINE_BASE_CLOCK_H
#define ENGINE_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t clock_now_ns(void);

/* CLOCK_REALTIME in milliseconds since 1970. */
uint64_t clock_wall_ms(void);

#define CLOCK_TEXT_MAX 32

/* RFC 3339 in UTC with milliseconds, "2026-11-30T11:30:00.123Z". Returns buffer. */
char *clock_format(uint64_t wall_ms, char buffer[CLOCK_TEXT_MAX]);

#endif
