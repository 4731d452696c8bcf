/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_shapes.h - the charts of a report that show several comparisons at once; internal to
 * web/report*.c. Each is planned with the other charts (report_charts.c) and has a section of the
 * page: its words, its panels, its table.
 */
#ifndef WEB_REPORT_SHAPES_H
#define WEB_REPORT_SHAPES_H

#include "web/report_parts.h"

/* report_heat.c: levels beside the best of each comparison. */
bool report_has_heat(const struct report *report);
MUST_CHECK int report_plan_heat(struct report *report);
void report_heat(const struct report *report, struct html *html);

/*
 * report_curves.c: the first factor whose levels are numbers, at least three of them, as the x axis
 * of curves: the rate and the mean latency of every workload, a curve a level of another factor;
 * with no other, a curve a workload. Of properties of OpenZFS there are none, bars serve them.
 */
struct report_curves;
MUST_CHECK int report_plan_curves(struct report *report);
void report_curves_free(struct report_curves *curves);
bool report_has_curves(const struct report *report);
const char *report_curves_axis(const struct report *report);
void report_curves(const struct report *report, struct html *html);

/* report_sizes.c: where the first factor is the request size: bandwidth of reads and writes side by
 * side, a row a size, in place of its bars. */
bool report_has_sizes(const struct report *report);
MUST_CHECK int report_plan_sizes(struct report *report);
void report_sizes(const struct report *report, struct html *html);

#endif
