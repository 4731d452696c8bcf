/* SPDX-License-Identifier: GPL-3.0-or-later */
/* welch.c - see welch.h. */
#include "engine/analysis/welch.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/statistics.h"

#define CONFIDENCE 0.95

struct group {
	double mean;	 /* of the logarithms */
	double variance; /* of their mean */
};

/* false: one has no logarithm. */
static bool gather(const double *values, size_t count, struct group *ret_group)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		double logarithm = log(values[i]), step = logarithm - mean;

		if (!(values[i] > 0) || !isfinite(values[i]))
			return false;
		mean += step / (double)(i + 1);
		squares += step * (logarithm - mean);
	}
	ret_group->mean = mean;
	ret_group->variance = count > 1 ? squares / (double)(count - 1) / (double)count : 0;
	return true;
}

struct welch welch_ratio(const double *baseline, size_t baseline_count, const double *other,
			 size_t other_count)
{
	struct welch welch = {.ratio = 0};
	struct group a, b;
	double difference, variance, half;

	if (baseline_count == 0 || other_count == 0 || !gather(baseline, baseline_count, &a) ||
	    !gather(other, other_count, &b))
		return welch;
	difference = b.mean - a.mean;
	welch.ratio = exp(difference);
	variance = a.variance + b.variance;
	/* Figures that repeat to the last digit say nothing of how they would spread. */
	if (baseline_count < 2 || other_count < 2 || !(variance > 0))
		return welch;
	welch.degrees = variance * variance /
			(a.variance * a.variance / (double)(baseline_count - 1) +
			 b.variance * b.variance / (double)(other_count - 1));
	half = statistics_student(CONFIDENCE, welch.degrees) * sqrt(variance);
	welch.low = exp(difference - half);
	welch.high = exp(difference + half);
	welch.p = 2 * gsl_cdf_tdist_Q(fabs(difference) / sqrt(variance), welch.degrees);
	welch.interval = true;
	return welch;
}

void welch_widen(struct welch *welch, double open)
{
	double difference = log(welch->ratio), error;

	if (!welch->interval || !(open > 0))
		return;
	error = log(welch->high / welch->low) / 2 / statistics_student(CONFIDENCE, welch->degrees);
	welch->low *= exp(-open);
	welch->high *= exp(open);
	welch->p = 2 * gsl_cdf_tdist_Q(fmax(fabs(difference) - open, 0) / error, welch->degrees);
}

static int by_p(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return x < y ? -1 : x > y;
}

void welch_holm(double **p, size_t count)
{
	double least = 0;

	qsort(p, count, sizeof(*p), by_p);
	for (size_t i = 0; i < count; i++) {
		double held = *p[i] * (double)(count - i);

		least = fmax(least, fmin(held, 1));
		*p[i] = least;
	}
}
