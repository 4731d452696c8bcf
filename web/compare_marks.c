/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare_marks.c - see compare_marks.h. */
#include "web/compare_marks.h"

#include <math.h>

#define WIDTH 180
#define EDGE 6.0      /* room beside the scale for a dot */
#define LEAST 0.05    /* a scale of +-5 % at the least: smaller changes are to look small */
#define INTERVALS 2.5 /* times the largest change: so much of an interval is drawn */

static double extent(const struct run_ratio *ratio)
{
	double low = ratio->welch.low, high = ratio->welch.high;

	if (!ratio->welch.interval || !(low > 0))
		return fabs(log(ratio->welch.ratio));
	return fmax(fabs(log(low)), fabs(log(high)));
}

double compare_marks_scale(const struct run_comparison *comparison, size_t run)
{
	double change = LEAST, widest = 0;

	for (size_t i = 0; i < comparison->pair_count; i++) {
		const struct run_pair *pair = &comparison->pairs[i];
		const struct run_ratio *ratio = pair->ratios;

		if (pair->run != run || pair->ratio_count == 0 || !(ratio->welch.ratio > 0))
			continue;
		change = fmax(change, fabs(log(ratio->welch.ratio)));
		widest = fmax(widest, extent(ratio));
	}
	return widest > 0 ? fmax(fmin(widest, change * INTERVALS), LEAST) : 0;
}

void compare_marks_head(double scale, struct html *html)
{
	char low[RUN_CHANGE_MAX], high[RUN_CHANGE_MAX];

	html_open(html, "th", "scope", "col", "class", "marks", NULL);
	html_open(html, "span", NULL);
	html_text(html, run_change(exp(-scale), low));
	html_close(html, "span");
	html_open(html, "span", NULL);
	html_text(html, run_change(exp(scale), high));
	html_close(html, "span");
	html_close(html, "th");
}

struct place {
	char text[16];
};

/* Where a ratio lies; beyond the scale at its edge. */
static struct place place_of(double ratio, double scale)
{
	double share = fmax(-1, fmin(1, log(ratio) / scale));
	struct place place;

	(void)snprintf(place.text, sizeof(place.text), "%.1f",
		       WIDTH / 2.0 + share * (WIDTH / 2.0 - EDGE)); /* fits: within WIDTH */
	return place;
}

void compare_mark(const struct run_ratio *ratio, double scale, struct html *html)
{
	html_open(html, "td", "class", "marks", NULL);
	if (ratio->welch.ratio > 0 && scale > 0) {
		html_open(html, "svg", "xmlns", "http://www.w3.org/2000/svg", "width", "180",
			  "height", "16", "viewBox", "0 0 180 16", "aria-hidden", "true", NULL);
		html_void(html, "line", "class", "no-change", "x1", "90", "x2", "90", "y1", "0",
			  "y2", "16", NULL);
		if (ratio->welch.interval)
			html_void(html, "line", "class", "reach", "x1",
				  place_of(ratio->welch.low, scale).text, "x2",
				  place_of(ratio->welch.high, scale).text, "y1", "8", "y2", "8",
				  NULL);
		html_void(html, "circle", "cx", place_of(ratio->welch.ratio, scale).text, "cy", "8",
			  "r", "4", NULL);
		html_close(html, "svg");
	}
	html_close(html, "td");
}
