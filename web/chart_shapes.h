/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart_shapes.h - what a chart shows, by kind; drawn through chart.h.
 *
 * Texts may be anything: what a chart cannot show of them becomes '_', and what does not fit is
 * cut. Numbers that are not finite are drawn as 0. Nothing is borrowed beyond the call that adds
 * the chart.
 * Length: every kind of chart stands here, each with its members.
 */
#ifndef WEB_CHART_SHAPES_H
#define WEB_CHART_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "web/numbers.h"

#define CHART_SEGMENTS_MAX 3

/*
 * Bars from zero, one a level, in the order given. A mix stacks its write on its read. Above the
 * bar stand the figures of its segments, whiskers show the interval of each.
 */
struct chart_segment {
	double value, low, high;
	bool present;  /* false: nothing was measured */
	bool interval; /* low and high mean something */
};

struct chart_bar {
	const char *label;
	bool strong; /* drawn in the strong tone */
	bool marked; /* upright: its label underlined */
	struct chart_segment segments[CHART_SEGMENTS_MAX];
};

struct chart_bars {
	const char *title; /* of the SVG file */
	const char *axis;  /* what the levels are of */
	size_t segment_count;
	const char *segment_names[CHART_SEGMENTS_MAX]; /* "read", "write" */
	size_t count;
	const struct chart_bar *bars;
	bool lying;	 /* bars lie, labels at the left: for many or long ones */
	double at_least; /* upright: the axis reaches this: one scale for several charts; 0: its own
			  */
	struct number (*format)(double value);
};

/* Lines, one a level, with its label at its end. */
struct chart_line {
	const char *label; /* NULL: none */
	size_t rank;	   /* place among the levels: decides tone and dashes */
	size_t count;
	const double *x, *y; /* ascending x */
	/* Behind it a pale band between the repeats, with places of its own; 0: none. */
	size_t band_count;
	const double *band_x, *low, *high;
};

enum chart_axis {
	CHART_TAIL,    /* x = -log10(1 - p), y nanoseconds, logarithmic */
	CHART_SECONDS, /* x seconds, y bytes a second from zero */
};

/* A span of time that stands for something, shaded behind the lines. */
struct chart_span {
	double from, to;   /* to: 0: there is none; what lies behind the last x is cut */
	const char *label; /* a word */
	bool tinted;	   /* in the accent's palest tone, else grey */
};

#define CHART_SPANS_MAX 2

struct chart_lines {
	const char *title;
	enum chart_axis axis;
	size_t ranks; /* levels there are */
	struct chart_span spans[CHART_SPANS_MAX];
	size_t count;
	const struct chart_line *lines;
};

/* Curves over a numeric factor, one a name, each with its label at its end and whiskers where there
 * are intervals. The places on the x axis are those of the factor's levels. */
struct chart_point {
	double x, y, low, high;
	bool interval; /* low and high mean something */
};

struct chart_curve {
	const char *label;
	size_t rank; /* place among the curves' names: decides tone, dashes and mark */
	size_t count;
	const struct chart_point *points; /* ascending x */
};

struct chart_curves {
	const char *title;
	const char *axis; /* below x */
	size_t tick_count;
	const double *ticks; /* ascending */
	const char *const *tick_labels;
	bool x_log2;	 /* ticks above 0: by doublings; else linear */
	bool y_log;	 /* y above 0, by powers of ten; else linear from zero */
	double at_least; /* y linear: the axis reaches this; 0: its own */
	double unit;	 /* y linear: tics are round in this many; 0: in ones */
	size_t ranks;
	size_t count;
	const struct chart_curve *curves;
	struct number (*format)(double value);
};

/* A map of ratios to a best: rows by columns, pale to strong, the number in each cell. */
struct chart_heat_cell {
	double ratio; /* 0 to 1 */
	bool present; /* false: nothing was measured */
	bool framed;  /* set off by a frame */
};

struct chart_heat_row {
	const char *label;
	bool apart; /* a gap above it */
	const struct chart_heat_cell *cells;
};

struct chart_heat {
	const char *title;
	const char *axis; /* what the columns are of */
	size_t column_count;
	const char *const *columns;
	size_t row_count;
	const struct chart_heat_row *rows;
};

/* Rows of lying bars side by side, one a name: as ATTO shows sizes. */
#define CHART_PAIRS_MAX 4

struct chart_pair_row {
	const char *label;
	struct chart_segment values[CHART_PAIRS_MAX];
};

struct chart_pairs {
	const char *title;
	const char *axis; /* what the bars are: "MiB/s" */
	size_t name_count;
	const char *names[CHART_PAIRS_MAX];
	size_t row_count;
	const struct chart_pair_row *rows;
	struct number (*format)(double value);
};

#endif
