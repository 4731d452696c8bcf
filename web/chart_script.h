/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart_script.h - lays charts out and writes the commands that plot them; internal to
 * web/chart*.c.
 *
 * All places are reckoned here, in points from the upper left corner, and handed over as fractions
 * of the picture; bars, lines and axes are plotted from inline numbers. Numbers that are not finite
 * become 0. Texts pass through script_text() alone.
 *
 * One hue and greys. Strong and pale tell levels apart that stand out, dark and light tone read
 * and write; lines differ in tone and in dashes, so that a print in grey and eyes that see no hue
 * lose nothing.
 */
#ifndef WEB_CHART_SCRIPT_H
#define WEB_CHART_SCRIPT_H

#include <stdio.h>

#include "web/chart.h"

struct chart_layout {
	unsigned int width, height;
};

struct palette {
	const char *ink, *muted, *axis, *shade, *tint, *paper;
	const char *strong[CHART_SEGMENTS_MAX], *pale[CHART_SEGMENTS_MAX];
	const char *tone[CHART_SEGMENTS_MAX]; /* of the figures and names of segments */
	unsigned int first[3], last[3];	      /* of lines: the first level's, the last level's */
	unsigned int faint[3], full[3];	      /* of heat maps: ratio 0, ratio 1 */
	const char *on_full;		      /* figures on the strong end */
};

struct frame {
	double width, height;		 /* of the picture */
	double left, right, top, bottom; /* of the plot, from the upper left corner */
};

#define SCRIPT_CHARACTER 6.1 /* mean width of one at 11 points */
#define SCRIPT_STYLE_MAX 96

/* Write one picture, its terminal included, to `file`. Errors stay in the stream. */
void script_bars(FILE *file, const struct chart_bars *bars, enum chart_theme theme,
		 struct chart_layout *ret_layout);
void script_lines(FILE *file, const struct chart_lines *lines, enum chart_theme theme,
		  struct chart_layout *ret_layout);
void script_curves(FILE *file, const struct chart_curves *curves, enum chart_theme theme,
		   struct chart_layout *ret_layout);
void script_heat(FILE *file, const struct chart_heat *heat, enum chart_theme theme,
		 struct chart_layout *ret_layout);
void script_pairs(FILE *file, const struct chart_pairs *pairs, enum chart_theme theme,
		  struct chart_layout *ret_layout);

/* The only way of a text into a script: in single quotes, every character outside
 * [A-Za-z0-9 ._,:()/%+-] as '_', at most max characters (two of them, in the middle, are then
 * ".."). */
void script_text(FILE *file, const char *text, size_t max);

/* Characters script_text() would write without a limit. */
size_t script_text_length(const char *text);

/* Keeps labels of one column apart: moves the `count` wanted places (any order) by as little as
 * is needed to have `gap` between neighbours within [low, high]; the gap shrinks where they do not
 * fit. */
void script_spread(double *places, size_t count, double gap, double low, double high);

const struct palette *script_palette(enum chart_theme theme);

/* How the line of a rank is drawn: tone from the first to the last, and dashes. wide: points. */
void script_line_style(char style[SCRIPT_STYLE_MAX], const struct palette *palette, size_t rank,
		       size_t ranks, double wide);
unsigned long script_tone(const struct palette *palette, size_t rank, size_t ranks);
unsigned long script_mix(const unsigned int from[3], const unsigned int to[3], double part);

/* The step of 1, 2 or 5 times a power of ten that makes about `count` steps of a span. */
double script_step(double span, double count);

/* "1.00 ms" -> "1 ms", "2.50" -> "2.5": an axis shows no digits it does not need. */
struct number script_trimmed(struct number number);

/* Labels in a column at the right of the frame, each joined to the end of its line. */
struct end_label {
	const char *label;
	size_t rank;
	double x, y; /* the line's end, in points */
};
void script_end_labels(FILE *file, const struct frame *frame, const struct palette *palette,
		       const struct end_label *ends, size_t count);
#define SCRIPT_END_LABEL_MAX 16 /* characters */
#define SCRIPT_ENDS_MAX 256	/* labels of one column: many times what fits */

/* The number, or 0 where it is not finite. */
double script_number(double value);

/* What every picture begins with: the terminal, the frame, no tics, no key. */
void script_begin(FILE *file, const struct frame *frame, const struct palette *palette);

/* The picture's size, in whole points. */
void script_layout(const struct frame *frame, struct chart_layout *ret_layout);

/* A text of at most max characters at a place in points; `how` is a constant of ours: "center",
 * "left", "right rotate by 40". */
void script_label(FILE *file, const struct frame *frame, double x, double y, const char *how,
		  const char *colour, double size, const char *text, size_t max);

/* A line between two places in points; `style` is ours. */
void script_stroke(FILE *file, const struct frame *frame, double x1, double y1, double x2,
		   double y2, const char *style);

#endif
