/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_parts.h - what run.c (the samples of a run) and run_instances.c (what they are made on) share
 * of one run_execute(). Not for others: they read run.h. One thread.
 */
#ifndef ENGINE_RUN_PARTS_H
#define ENGINE_RUN_PARTS_H

#include "engine/forecast.h"
#include "engine/run.h"
#include "engine/run_repeats.h"
#include "engine/target/manifest.h"

struct run {
	struct plan *plan;
	const struct run_config *config;
	const struct run_events *events;
	struct manifest *manifest;
	struct target *
		*targets; /* one an instance of the plan; NULL: not there (yet, or any more) */
	bool uring_available;
	struct forecast forecast;
	uint64_t filled_before; /* bytes of the targets that have been filled */
	bool *holed;		/* of each instance: the last sample on it has trimmed */
	struct run_repeats repeats;
	size_t done, total;
	enum run_phase phase;
	const struct plan_sample *sample; /* at hand */
	uint64_t told_ns;		  /* of the last progress */
	struct telemetry before, after;	  /* the window of the sample at hand */
	struct zfs_sample *zfs;		  /* beside it; NULL where it does not lie on OpenZFS */
};

/* ---- run.c ---- */

/* Tells progress: at once (force), or where the last time is long enough ago. */
void run_tell(struct run *run, bool force);
void run_tick(void *run); /* run_tell(), not forced, as a callback */
void run_enter(struct run *run, enum run_phase phase);

/* -ECANCELED with CANCELLED where the run is to end. */
MUST_CHECK int run_cancelled(const struct run *run, struct error *err);

/* ---- run_instances.c ---- */

/* Makes, looks at and fills what is there all the time: all instances, or, where the plan makes its
 * zvols and datasets one by one (plan.one_by_one), all others. */
MUST_CHECK int run_make_kept(struct run *run, struct error *err);

/* Has the instance of the sample at hand there: where it is made for its samples alone, the one
 * before is removed, and it is made and filled. */
MUST_CHECK int run_make_ready(struct run *run, struct error *err);

/* Fills that instance anew where the last sample has trimmed it. */
MUST_CHECK int run_refill(struct run *run, struct error *err);

/* Where an operation on an instance failed for want of space, whatever errno it was told by:
 * NO_SPACE, at its target. While the instance is still there. */
void run_blame_full(const struct run *run, size_t instance, struct error *err);

/* Removes what is there. What cannot be removed is a finding of the plan. */
void run_remove_all(struct run *run);

/* What could not be removed. */
void run_note_left(struct run *run, const char *what, const struct error *err);

#endif
