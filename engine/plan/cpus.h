/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpus.h - a set of CPUs, in fio's words: numbers and ranges, "0-1,3". Plain data, no allocation.
 */
#ifndef ENGINE_PLAN_CPUS_H
#define ENGINE_PLAN_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

#define CPUS_MAX 4096 /* numbers 0 to CPUS_MAX - 1 */

struct cpus {
	uint64_t bits[CPUS_MAX / 64];
};

/* -EINVAL with err BAD_VALUE or OUT_OF_RANGE, its field left to the caller; *ret_cpus is then
 * unchanged. A set that was parsed has at least one CPU. */
MUST_CHECK int cpus_parse(const char *text, struct cpus *ret_cpus, struct error *err);

static inline bool cpus_has(const struct cpus *cpus, size_t number)
{
	return cpus->bits[number / 64] >> number % 64 & 1;
}

static inline void cpus_add(struct cpus *cpus, size_t number)
{
	cpus->bits[number / 64] |= UINT64_C(1) << number % 64;
}

size_t cpus_count(const struct cpus *cpus);

/* The n-th in ascending order, counted round and round; of a set that has one at least. */
size_t cpus_nth(const struct cpus *cpus, size_t n);

/* *cpus less what the other has. */
void cpus_remove(struct cpus *cpus, const struct cpus *other);

/* "0-1,3", with "..." at the end of what has no room; "" for none. */
#define CPUS_TEXT_MAX 96
const char *cpus_format(const struct cpus *cpus, char buffer[CPUS_TEXT_MAX]);

#endif
