/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statistics.c - see statistics.h. */
#include "engine/analysis/statistics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define CONFIDENCE 0.95

double statistics_student(double confidence, double degrees)
{
	return gsl_cdf_tdist_Pinv((1 + confidence) / 2, degrees);
}

double statistics_student_beyond(double value, double degrees)
{
	return gsl_cdf_tdist_Q(value, degrees);
}

double statistics_chi_square_beyond(double value, double degrees)
{
	return gsl_cdf_chisq_Q(value, degrees);
}

double statistics_normal(double probability)
{
	return gsl_cdf_ugaussian_Pinv(probability);
}

struct estimate_interval statistics_mean(const double *values, size_t count)
{
	struct estimate_interval estimate = {.count = count};
	double mean = 0, squares = 0, half;

	/* Welford's way: large, nearly equal values lose no digits to a difference of squares. */
	for (size_t i = 0; i < count; i++) {
		double step = values[i] - mean;

		mean += step / (double)(i + 1);
		squares += step * (values[i] - mean);
	}
	estimate.mean = estimate.low = estimate.high = mean;
	if (count < 2)
		return estimate;
	half = statistics_student(CONFIDENCE, (double)(count - 1)) *
	       sqrt(squares / (double)(count - 1) / (double)count);
	estimate.low = mean - half;
	estimate.high = mean + half;
	estimate.interval = true;
	return estimate;
}

void statistics_widen(struct estimate_interval *estimate, double factor)
{
	estimate->low = estimate->mean - factor * (estimate->mean - estimate->low);
	estimate->high = estimate->mean + factor * (estimate->high - estimate->mean);
}
