/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resources.h - what a measurement takes of the machine, and how much of that there is. */
#ifndef ENGINE_IO_RESOURCES_H
#define ENGINE_IO_RESOURCES_H

#include "engine/io/measure.h"

/* Reactors a workload is spread over: a CPU each (placement_width), jobs at most. */
size_t resources_reactors(const struct workload *workload);

/* Seconds the series of a workload has room for: its times and a minute for stragglers; a day
 * where it has no runtime. */
size_t resources_series_seconds(const struct workload *workload);

/* Bytes that can be allocated without swapping: MemAvailable, and the memory.max of this process's
 * control groups where it is less. UINT64_MAX where the kernel says neither. */
uint64_t resources_available_memory(void);

/*
 * The limits of measure_run: TOO_MANY_THREADS, TOO_MANY (operations in one ring), MEMORY_LIMIT,
 * each with the figures.
 */
MUST_CHECK int resources_check(const struct workload *workload, enum backend_kind backend,
			       struct error *err);

#endif
