/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_repeats.h - ends the repeats of a run once its figures are known as well as was asked
 * (plan/repeats.h; the rule is analysis/stopping.h's).
 *
 * Asked at the end of each block, which holds every cell once: so what was measured is a whole
 * number of repeats of everything, whenever it ends. Samples grouped by instance for want of space
 * hold no whole block before the last one, and all are made.
 *
 * Of each sample only what the rule reads is kept: its figures, and with rates, where latency may
 * be what is compared, means in place of histograms.
 *
 * Calling sequence: run_repeats_begin; run_repeats_add for each sample, in the plan's order;
 * run_repeats_done. One thread. Where repeats do not end early all of it does nothing.
 */
#ifndef ENGINE_RUN_REPEATS_H
#define ENGINE_RUN_REPEATS_H

#include "engine/plan/repeats.h"
#include "engine/result.h"

struct run_repeats {
	const struct plan *plan; /* NULL: they do not end early */
	size_t block;		 /* samples of one repeat */
	struct result so_far;	 /* its definition is the plan's, borrowed */
	struct histogram *scratch;
	struct repeats_outcome outcome;
};

/* -ENOMEM. */
MUST_CHECK int run_repeats_begin(struct run_repeats *repeats, const struct plan *plan);

/*
 * Takes what it needs out of a finished sample, which stays the caller's to end. *ret_over: no more
 * are to be made, or there are none; the outcome then says why. On failure (memory) it is not known
 * and the run cannot go on.
 */
MUST_CHECK int run_repeats_add(struct run_repeats *repeats, struct sample *sample, bool *ret_over,
			       struct error *err);

/* Whether they may end early yet, the last block not having begun. */
bool run_repeats_pending(const struct run_repeats *repeats);

void run_repeats_done(struct run_repeats *repeats);

#endif
