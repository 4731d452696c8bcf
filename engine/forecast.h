/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast.h - how far a run is and how long it will take, corrected by what it has taken so far.
 *
 * What is left is the bytes still to be filled at the rate seen, the seconds asked of the samples
 * still to come, and for each of them the overhead (opening, settling) seen on average. A sample
 * that ends with its size and not with its time is guessed, and the guess is scaled by how wrong
 * the earlier ones were. The percentage never goes back.
 *
 * Calling sequence: forecast_begin; forecast_expect_fill once it is known; for each fill
 * forecast_fill any number of times, then forecast_filled; for each sample forecast_sample_begins,
 * then forecast_sample_ended. forecast_read at any time. Plain struct, one thread, nothing to free.
 * Times are those of clock_now_ns().
 */
#ifndef ENGINE_FORECAST_H
#define ENGINE_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/plan/plan.h"

/* VERIFY: what a sample has written is read back. */
enum run_phase {
	PHASE_PREPARE,
	PHASE_FILL,
	PHASE_RAMP,
	PHASE_MEASURE,
	PHASE_VERIFY,
	PHASE_TEARDOWN
};

#define RUN_PHASE_COUNT 6

extern const char *const run_phase_names[]; /* "prepare", "fill", "ramp", "measure", "verify",
					     * "teardown" */

struct forecast {
	const struct plan *plan;
	uint64_t began_ns;
	uint64_t fill_bytes, filled_bytes;    /* to be filled in all, and so far */
	uint64_t fill_began_ns, fill_seen_ns; /* of the fill at hand; 0: none is */
	uint64_t fill_spent_ns;		      /* by those that have ended */
	size_t next;			      /* the first sample that has not ended */
	uint64_t sample_began_ns;	      /* 0: none at hand */
	double asked_left;		      /* seconds of time-based samples from next on */
	double guessed_left;		      /* the same of those that end with their size */
	double guessed_done, took_guessed;    /* seconds guessed for, and taken by, ended ones */
	double overhead;		      /* seconds, sum over ended time-based samples */
	size_t overhead_count;
	double percent; /* the highest told */
};

void forecast_begin(struct forecast *forecast, const struct plan *plan, uint64_t now_ns);
void forecast_expect_fill(struct forecast *forecast, uint64_t fill_bytes);
/* filled_bytes: of all fills so far. */
void forecast_fill(struct forecast *forecast, uint64_t filled_bytes, uint64_t now_ns);
void forecast_filled(struct forecast *forecast, uint64_t filled_bytes, uint64_t now_ns);
void forecast_sample_begins(struct forecast *forecast, uint64_t now_ns);
void forecast_sample_ended(struct forecast *forecast, uint64_t now_ns);
void forecast_end_samples(struct forecast *forecast); /* none is to come any more */

void forecast_read(struct forecast *forecast, uint64_t now_ns, double *ret_percent,
		   double *ret_seconds_left);

#endif
