/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * budget.h - how much a job does before it ends by itself: fio's size, io_size, loops and
 * number_ios, counted as fio 3.33 counts them (backend.c: do_io, keep_running, io_bytes_exceeded).
 *
 * A job goes on until it has issued io_size bytes (size where that is not given), loops times over,
 * or number_ios operations, loops times over. The last request may go beyond. fio works in passes
 * over the region and ends after one that leaves less than a request to do. A pass in order, or
 * with every block touched once, holds whole blocks only, and without io_size there are `loops` of
 * them. (That is fio on a file that ends with its region; in a larger one it leaves the region.)
 */
#ifndef ENGINE_PLAN_BUDGET_H
#define ENGINE_PLAN_BUDGET_H

#include "engine/plan/workload.h"

struct budget {
	uint64_t bytes; /* where all requests are of one size: exact, a multiple of it */
	uint64_t ios;	/* UINT64_MAX: as many as bytes allows */
};

/* Whether it was asked for otherwise than by size alone. */
bool budget_given(const struct workload *workload);

/* Whether all requests are of one size. */
bool budget_uniform(const struct workload *workload);

/* Of one job of a completed workload without time_based; region_bytes stands in where there is no
 * size. */
struct budget budget_of(const struct workload *workload, uint64_t region_bytes);

/* time_based is off where a budget is given and time_based is not. CONFLICT with the option's name:
 * what excludes each other; more than 2^63 bytes. */
MUST_CHECK int budget_complete(struct workload *workload, struct error *err);

/* Passes that it makes over its size, unless io_size says how much. */
uint64_t budget_loops(const struct workload *workload);

#endif
