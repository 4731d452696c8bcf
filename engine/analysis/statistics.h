/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statistics.h - figures from a few repeats. gsl's distributions behind it. Pure functions. */
#ifndef ENGINE_ANALYSIS_STATISTICS_H
#define ENGINE_ANALYSIS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct estimate_interval {
	size_t count;
	double mean;
	double low, high; /* 95 % interval of the mean; equal to the mean where there is none */
	bool interval;	  /* false with fewer than two values */
};

/* Mean and two-sided 95 % interval by Student's t with count - 1 degrees of freedom. */
struct estimate_interval statistics_mean(const double *values, size_t count);

/* Its interval so many times as wide. */
void statistics_widen(struct estimate_interval *estimate, double factor);

/* The two-sided quantile of Student's t, e.g. 2.776 for 0.95 and 4. */
double statistics_student(double confidence, double degrees);

/* Probability that Student's t, or chi square, is above the value. */
double statistics_student_beyond(double value, double degrees);
double statistics_chi_square_beyond(double value, double degrees);

/* The quantile of the normal distribution, e.g. 0.842 for 0.8. */
double statistics_normal(double probability);

#endif
