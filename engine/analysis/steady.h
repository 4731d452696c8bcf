/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steady.h - whether the target was in a steady state while a sample was measured.
 *
 * The criterion is that of SNIA, Solid State Storage Performance Test Specification 2.0.2
 * ("Steady State"): over a window of five rounds the excursion, largest less smallest round, is
 * within 20 % of the window's mean, and the straight line fitted to the rounds (least squares)
 * rises or falls by no more than 10 % of it from the first round to the last. A round's figure is
 * its operations a second, all directions together.
 *
 * There a round is a minute of a test that goes on until it is steady. Here the window is all that
 * was measured, since the sample's figures are means over all of it: its whole seconds, the ramp
 * not among them, cut into five equal rounds. Up to four seconds at its begin are over then and
 * count in no round. Single seconds would not do for rounds: chance alone moves those of a fast
 * device by more than it does the mean of several.
 *
 * Where all of it is not steady its end may be: the longest stretch that ends with the window and
 * is steady by itself is told beside it, for the reader and for charts.
 *
 * It is computed from the series whenever it is asked for, so that samples of before it was
 * judged, and of other tools whose output has a series, are judged alike; stored is the finding
 * ("not_steady"). Pure functions, no allocation.
 */
#ifndef ENGINE_ANALYSIS_STEADY_H
#define ENGINE_ANALYSIS_STEADY_H

#include "engine/sample.h"

#define STEADY_ROUNDS 5
#define STEADY_ROUND_MIN_S 2  /* below, a round says more of chance than of the target */
#define STEADY_EXCURSION 0.20 /* of the mean */
#define STEADY_SLOPE 0.10     /* of the mean, over the window */

/* Of five rounds: */
struct steady_figures {
	size_t first, count; /* seconds of the series: five rounds of count / 5 */
	double mean;	     /* operations/s */
	double excursion;    /* share of the mean: 0.2 is 20 % */
	double slope;	     /* the same; below 0 where it falls */
};

struct steady_window {
	/* Enough whole seconds were measured, and what was asked for is alike in all of them; else
	 * nothing else is here. */
	bool judged;
	bool steady;
	struct steady_figures whole;   /* what was judged */
	bool settles;		       /* its end is steady, or all of it */
	struct steady_figures settled; /* the longest such end; `whole` where that is steady */
};

/*
 * Not judged are: samples of files, of less than ten whole seconds, without any operation, with
 * operations that failed, and those whose jobs begin or end at different times by their options
 * (startdelay; runtime).
 */
void steady_window_find(const struct sample *sample, struct steady_window *ret_window);

/* Adds the finding not_steady to the sample where it is judged and was not, but for the null
 * backend. cell: as other findings have it, or NULL. -ENOMEM. */
MUST_CHECK int steady_check(struct sample *sample, const char *cell);

#endif
