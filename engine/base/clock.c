/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/clock.h"

#include <stdio.h>
#include <time.h>

uint64_t clock_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_wall_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / NS_PER_MS;
}

char *clock_format(uint64_t wall_ms, char buffer[CLOCK_TEXT_MAX])
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm parts;
	size_t length;

	if (!gmtime_r(&seconds, &parts))
		parts = (struct tm){.tm_year = 70, .tm_mday = 1};
	length = strftime(buffer, CLOCK_TEXT_MAX, "%Y-%m-%dT%H:%M:%S", &parts);
	(void)snprintf(buffer + length, CLOCK_TEXT_MAX - length, ".%03uZ",
		       (unsigned int)(wall_ms % 1000));
	return buffer;
}
