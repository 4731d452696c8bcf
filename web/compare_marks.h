/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_marks.h - a ratio and its interval drawn in a table's cell, all rows on one scale, so
 * that a reader sees at a glance which of them reach the line of no change.
 *
 * Drawn here and not by gnuplot, since a page that is served must not wait for a program: a line, a
 * dot and the line of no change are all there is. The figures stand beside it in the row; whoever
 * cannot see it misses nothing.
 */
#ifndef WEB_COMPARE_MARKS_H
#define WEB_COMPARE_MARKS_H

#include "engine/analysis/run_comparison.h"
#include "web/html.h"

/* The scale's end: the logarithm of the largest change that is drawn of a run's judged figures.
 * Intervals much wider than any change are cut at the edge. 0: there is nothing to draw. */
double compare_marks_scale(const struct run_comparison *comparison, size_t run);

/* Column heading with the scale's two ends, and a row's cell. */
void compare_marks_head(double scale, struct html *html);
void compare_mark(const struct run_ratio *ratio, double scale, struct html *html);

#endif
