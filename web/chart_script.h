/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart_script.h - lays a chart out and writes the commands that plot it; internal to chart.c.
 *
 * All places are reckoned here, in points from the upper left corner, and handed over as fractions
 * of the picture; bars, lines and axes are plotted from inline numbers. Numbers that are not finite
 * become 0. Texts pass through script_text() alone.
 */
#ifndef WEB_CHART_SCRIPT_H
#define WEB_CHART_SCRIPT_H

#include <stdio.h>

#include "web/chart.h"

struct chart_layout {
	unsigned int width, height;
};

/* Write one picture, its terminal included, to `file`. Errors stay in the stream. */
void script_bars(FILE *file, const struct chart_bars *bars, enum chart_theme theme,
		 struct chart_layout *ret_layout);
void script_lines(FILE *file, const struct chart_lines *lines, enum chart_theme theme,
		  struct chart_layout *ret_layout);

/* The only way of a text into a script: in single quotes, every character outside
 * [A-Za-z0-9 ._,:()/%+-] as '_', at most max characters (the last two are then ".."). */
void script_text(FILE *file, const char *text, size_t max);

/* Characters script_text() would write without a limit. */
size_t script_text_length(const char *text);

/* Keeps labels of one column apart: moves the `count` wanted places (any order) by as little as
 * is needed to have `gap` between neighbours within [low, high]; the gap shrinks where they do not
 * fit. */
void script_spread(double *places, size_t count, double gap, double low, double high);

#endif
