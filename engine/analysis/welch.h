/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * welch.h - the ratio of two groups of figures that share no blocks: repeats of two runs.
 *
 * The logarithms of each group are taken as normal with a mean and a variance of their own, so the
 * difference of the means, over sqrt(s1^2/n1 + s2^2/n2), follows Student's t nearly, with the
 * degrees of freedom of Welch and Satterthwaite:
 *
 *   (s1^2/n1 + s2^2/n2)^2 / ((s1^2/n1)^2/(n1 - 1) + (s2^2/n2)^2/(n2 - 1))
 *
 * Sources: B. L. Welch, The generalization of "Student's" problem when several different population
 * variances are involved, Biometrika 34 (1947) 28-35; F. E. Satterthwaite, An approximate
 * distribution of estimates of variance components, Biometrics Bulletin 2 (1946) 110-114. Pure
 * functions; allocate nothing.
 */
#ifndef ENGINE_ANALYSIS_WELCH_H
#define ENGINE_ANALYSIS_WELCH_H

#include <stdbool.h>
#include <stddef.h>

struct welch {
	double ratio;  /* of the geometric means, other / baseline; 0: a figure was not positive */
	bool interval; /* two figures a group, and not all of each alike; else there is no more: */
	double low, high; /* 95 % */
	double degrees;
	double p; /* two-sided, of no difference */
};

/* What is known of each figure to a share of it only, as printed digits leave it, no repeats take
 * away: `open` of the ratio's logarithm either way widens the interval, and a difference counts
 * only as far as it is larger (contrasts.h does the same). */
void welch_widen(struct welch *welch, double open);

struct welch welch_ratio(const double *baseline, size_t baseline_count, const double *other,
			 size_t other_count);

/*
 * Holm's step-down procedure: p becomes the smallest level at which it would be held with all of
 * the others. Sources: S. Holm, A simple sequentially rejective multiple test procedure,
 * Scandinavian Journal of Statistics 6 (1979) 65-70. Pointers are sorted in place.
 */
void welch_holm(double **p, size_t count);

#endif
