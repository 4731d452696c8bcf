/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steady.c - see steady.h. */
#include "engine/analysis/steady.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/clock.h"

/* ---- what is judged ---- */

/* Whether all parts begin and end together. */
static bool alike_in_time(const struct workload *options)
{
	const struct workload *first = workload_part(options, 0);

	for (size_t i = 0; i < workload_parts(options); i++) {
		const struct workload *part = workload_part(options, i);

		if (part->startdelay_ns > 0 || part->runtime_ns != first->runtime_ns ||
		    part->time_based != first->time_based)
			return false;
	}
	return true;
}

/* The whole seconds behind the ramp: *ret_first to *ret_end. */
static void whole_seconds(const struct series *series, size_t *ret_first, size_t *ret_end)
{
	size_t end = series->count;

	if (end > 0 && series->last_span_ns < NS_PER_S)
		end--;
	*ret_end = end;
	*ret_first = series->ramp_count < end ? series->ramp_count : end;
}

static double operations(const struct series *series, size_t second)
{
	double sum = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		sum += (double)series->seconds[second].ios[d];
	return sum;
}

/* ---- the criterion ---- */

/* Figures of the rounds y, `seconds` each, that begin at `first`. The line through (i, y[i]) has
 * the slope sum((i - 2) (y[i] - mean)) / sum((i - 2)^2), which is the sum over 10 for five. */
static struct steady_figures judge(const double y[STEADY_ROUNDS], size_t first, size_t seconds)
{
	struct steady_figures figures = {.first = first, .count = STEADY_ROUNDS * seconds};
	double least = y[0], most = y[0], moment = 0, squares = 0;
	const double middle = (STEADY_ROUNDS - 1) / 2.0;

	for (int i = 0; i < STEADY_ROUNDS; i++) {
		figures.mean += y[i] / STEADY_ROUNDS;
		least = fmin(least, y[i]);
		most = fmax(most, y[i]);
		moment += (i - middle) * y[i];
		squares += (i - middle) * (i - middle);
	}
	if (figures.mean > 0) {
		figures.excursion = (most - least) / figures.mean;
		figures.slope = moment / squares * (STEADY_ROUNDS - 1) / figures.mean;
	}
	return figures;
}

static bool is_steady(const struct steady_figures *figures)
{
	return figures->mean > 0 && figures->excursion <= STEADY_EXCURSION &&
	       fabs(figures->slope) <= STEADY_SLOPE;
}

/* The five rounds of `seconds` that end before `end`. */
static struct steady_figures judge_end(const struct series *series, size_t end, size_t seconds)
{
	double y[STEADY_ROUNDS] = {0};
	size_t first = end - STEADY_ROUNDS * seconds;

	for (size_t i = first; i < end; i++)
		y[(i - first) / seconds] += operations(series, i) / (double)seconds;
	return judge(y, first, seconds);
}

void steady_window_find(const struct sample *sample, struct steady_window *ret_window)
{
	struct steady_window window = {0};
	size_t first, end, seconds;

	whole_seconds(&sample->series, &first, &end);
	seconds = (end - first) / STEADY_ROUNDS;
	*ret_window = window;
	if (seconds < STEADY_ROUND_MIN_S || sample->file_count > 0 || sample->error_count > 0 ||
	    sample_failed(sample) > 0 || !alike_in_time(&sample->options))
		return;
	window.whole = judge_end(&sample->series, end, seconds);
	window.judged = window.whole.mean > 0;
	window.steady = is_steady(&window.whole);
	for (; seconds >= STEADY_ROUND_MIN_S && window.judged && !window.settles; seconds--) {
		window.settled = judge_end(&sample->series, end, seconds);
		window.settles = is_steady(&window.settled);
	}
	if (window.judged)
		*ret_window = window;
	if (!window.settles)
		ret_window->settled = (struct steady_figures){0};
}

/* ---- the finding ---- */

int steady_check(struct sample *sample, const char *cell)
{
	struct steady_window window;
	char expected[64], found[96], when[64] = "";

	if (sample->backend && strcmp(sample->backend, "null") == 0)
		return 0; /* there is no target whose state it could be */
	steady_window_find(sample, &window);
	if (!window.judged || window.steady)
		return 0;
	(void)snprintf(expected, sizeof(expected), "excursion within %.0f %%, slope within %.0f %%",
		       100 * STEADY_EXCURSION, 100 * STEADY_SLOPE);
	(void)snprintf(found, sizeof(found), "excursion %.3g %%, slope %+.3g %% over %zu s",
		       100 * window.whole.excursion, 100 * window.whole.slope, window.whole.count);
	if (window.settles)
		(void)snprintf(when, sizeof(when), "Its last %zu s were steady, at %.4g IOPS. ",
			       window.settled.count, window.settled.mean);
	return findings_add(&sample->findings, FINDING_WARNING, "not_steady", sample->workload,
			    cell && *cell ? cell : NULL, expected, found,
			    "The target was not in a steady state while this was measured (the "
			    "criterion is SNIA's): the figures are means over something that "
			    "changed. %sUse a longer ramp_time, or a longer runtime.",
			    when);
}
