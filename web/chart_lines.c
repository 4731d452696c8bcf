/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chart_lines.c - lays lines out: tails of latency, and throughput over time. */
#include "web/chart_script.h"

#include <math.h>
#include <string.h>

struct lines_view {
	const struct chart_lines *lines;
	const struct palette *palette;
	struct frame frame;
	double x_low, x_high, y_low, y_high; /* the axes' ends, in the data's units */
};

static void line_range(struct lines_view *view)
{
	const struct chart_lines *lines = view->lines;
	bool first = true;

	for (size_t i = 0; i < lines->count; i++) {
		const struct chart_line *line = &lines->lines[i];

		for (size_t k = 0; k < line->count; k++) {
			double x = script_number(line->x[k]), y = script_number(line->y[k]);

			view->x_low = first ? x : fmin(view->x_low, x);
			view->x_high = first ? x : fmax(view->x_high, x);
			view->y_low = first ? y : fmin(view->y_low, y);
			view->y_high = first ? y : fmax(view->y_high, y);
			first = false;
		}
		for (size_t k = 0; k < line->band_count; k++)
			view->y_high = fmax(view->y_high, script_number(line->high[k]));
	}
	if (lines->axis == CHART_TAIL) {
		view->x_low = -log10(0.5);
		view->x_high = fmax(view->x_high, 1);
		view->y_low = fmax(view->y_low, 1) / 1.25;
		view->y_high = fmax(view->y_high, view->y_low * 2) * 1.25;
		return;
	}
	view->x_low = 0;
	view->x_high = fmax(view->x_high, 1);
	view->y_low = 0;
	view->y_high = fmax(view->y_high, 1) * 1.06;
}

static double line_y(const struct lines_view *view, double y)
{
	const struct frame *frame = &view->frame;
	double part =
		view->lines->axis == CHART_TAIL
			? log(fmax(y, view->y_low) / view->y_low) / log(view->y_high / view->y_low)
			: (y - view->y_low) / (view->y_high - view->y_low);

	return frame->bottom - (frame->bottom - frame->top) * part;
}

static double line_x(const struct lines_view *view, double x)
{
	const struct frame *frame = &view->frame;

	return frame->left +
	       (frame->right - frame->left) * (x - view->x_low) / (view->x_high - view->x_low);
}

static void y_tic(FILE *file, const struct lines_view *view, double y, struct number text)
{
	char style[64];
	double at = line_y(view, y);

	(void)snprintf(style, sizeof(style), "back lw 1 lc rgb '%s'", view->palette->shade);
	script_label(file, &view->frame, view->frame.left - 5, at, "right", view->palette->muted,
		     10, y > 0 ? script_trimmed(text).text : "0", 14);
	if (y > view->y_low)
		script_stroke(file, &view->frame, view->frame.left, at, view->frame.right, at,
			      style);
}

/* All of one unit: 0, 500, 1000, 1500 MiB/s. */
static void bandwidth_tics(FILE *file, const struct lines_view *view)
{
	static const struct {
		double bytes;
		const char *name;
	} units[] = {{1 << 10, "KiB/s"}, {1 << 20, "MiB/s"}, {1 << 30, "GiB/s"}};
	size_t u = view->y_high >= 2.0 * (1 << 30) ? 2 : view->y_high < 1.5 * (1 << 20) ? 0 : 1;
	double step = script_step(view->y_high / units[u].bytes, 4);

	for (int i = 0; i * step * units[u].bytes <= view->y_high && i < 12; i++) {
		struct number text;

		(void)snprintf(text.text, sizeof(text.text), "%.4g %s", i * step, units[u].name);
		y_tic(file, view, i * step * units[u].bytes, text);
	}
}

static void y_tics(FILE *file, const struct lines_view *view)
{
	static const double parts[] = {1, 2, 5};
	bool fine;

	if (view->lines->axis == CHART_TAIL) {
		fine = view->y_high / view->y_low < 50;
		for (double power = pow(10, floor(log10(view->y_low))); power <= view->y_high;
		     power *= 10)
			for (size_t i = 0; i < (fine ? ARRAY_SIZE(parts) : 1); i++)
				if (power * parts[i] >= view->y_low &&
				    power * parts[i] <= view->y_high)
					y_tic(file, view, power * parts[i],
					      numbers_time(power * parts[i]));
		return;
	}
	bandwidth_tics(file, view);
}

static void x_tics(FILE *file, const struct lines_view *view)
{
	static const char *const tail[] = {"50", "90", "99", "99.9", "99.99", "99.999"};
	const struct frame *frame = &view->frame;
	struct number text;
	double step;

	if (view->lines->axis == CHART_TAIL) {
		for (size_t i = 0; i < ARRAY_SIZE(tail); i++) {
			double x = i ? (double)i : -log10(0.5);

			if (x <= view->x_high + 1e-6)
				script_label(file, frame, line_x(view, x), frame->bottom + 9,
					     "center", view->palette->muted, 10, tail[i], 8);
		}
		script_label(file, frame, (frame->left + frame->right) / 2, frame->height - 7,
			     "center", view->palette->muted, 10, "percentile", 20);
		return;
	}
	step = fmax(script_step(view->x_high, 6), 1);
	for (int i = 0; i * step <= view->x_high && i < 20; i++) {
		(void)snprintf(text.text, sizeof(text.text), "%.0f", i * step);
		script_label(file, frame, line_x(view, i * step), frame->bottom + 9, "center",
			     view->palette->muted, 10, text.text, 12);
	}
	script_label(file, frame, (frame->left + frame->right) / 2, frame->height - 7, "center",
		     view->palette->muted, 10, "seconds", 20);
}

/* Labels at the ends of the lines that have one. */
static void line_labels(FILE *file, const struct lines_view *view)
{
	const struct chart_lines *lines = view->lines;
	struct end_label ends[SCRIPT_ENDS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < lines->count && count < SCRIPT_ENDS_MAX; i++) {
		const struct chart_line *line = &lines->lines[i];

		if (!line->label || line->count == 0)
			continue;
		ends[count++] =
			(struct end_label){line->label, line->rank,
					   line_x(view, script_number(line->x[line->count - 1])),
					   line_y(view, script_number(line->y[line->count - 1]))};
	}
	script_end_labels(file, &view->frame, view->palette, ends, count);
}

static void lines_data(FILE *file, const struct chart_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		const struct chart_line *line = &lines->lines[i];

		(void)fprintf(file, "$line%zu << END\n", i);
		for (size_t k = 0; k < line->count; k++)
			(void)fprintf(file, "%.6g %.6g\n", script_number(line->x[k]),
				      script_number(line->y[k]));
		(void)fputs(line->count ? "END\n" : "0 0\nEND\n", file);
		if (line->band_count < 2)
			continue;
		(void)fprintf(file, "$band%zu << END\n", i);
		for (size_t k = 0; k < line->band_count; k++)
			(void)fprintf(file, "%.6g %.6g %.6g\n", script_number(line->band_x[k]),
				      script_number(line->low[k]), script_number(line->high[k]));
		(void)fputs("END\n", file);
	}
}

/* Above its span; left out where it is wider than that. */
static void span_word(FILE *file, const struct lines_view *view, const char *word, double from,
		      double to)
{
	if (SCRIPT_CHARACTER * 0.9 * (double)script_text_length(word) <= to - from)
		script_label(file, &view->frame, (from + to) / 2, view->frame.top - 7, "center",
			     view->palette->muted, 10, word, 20);
}

/* What is shaded, the later over the earlier. */
static void spans(FILE *file, const struct lines_view *view)
{
	const struct chart_lines *lines = view->lines;

	for (size_t i = 0; i < CHART_SPANS_MAX; i++) {
		const struct chart_span *span = &lines->spans[i];
		double from = fmax(script_number(span->from), view->x_low);
		double to = isnan(span->to) ? 0 : fmin(span->to, view->x_high);

		if (to <= from)
			continue;
		(void)fprintf(file,
			      "set object rectangle from %.6g,0 to %.6g,%.6g behind fillcolor rgb "
			      "'%s' fillstyle solid 1 noborder\n",
			      from, to, view->y_high,
			      span->tinted ? view->palette->tint : view->palette->shade);
		span_word(file, view, span->label, line_x(view, from), line_x(view, to));
	}
}

/* Bands first: no line is hidden. */
static void plot_lines(FILE *file, const struct lines_view *view)
{
	const struct chart_lines *lines = view->lines;
	char style[SCRIPT_STYLE_MAX];
	const char *between = "";

	(void)fputs("plot ", file);
	for (size_t i = 0; i < lines->count; i++) {
		const struct chart_line *line = &lines->lines[i];

		if (line->band_count < 2)
			continue;
		(void)fprintf(file,
			      "%s$band%zu using 1:2:3 with filledcurves fc rgb '#%06lx' "
			      "fs transparent solid 0.16 noborder",
			      between, i, script_tone(view->palette, line->rank, lines->ranks));
		between = ", ";
	}
	for (size_t i = 0; i < lines->count; i++) {
		script_line_style(style, view->palette, lines->lines[i].rank, lines->ranks, 1.8);
		(void)fprintf(file, "%s$line%zu using 1:2 with lines %s", between, i, style);
		between = ", ";
	}
	(void)fputs(lines->count ? "\n" : "-1\n", file);
}

static void lay_lines(struct lines_view *view)
{
	const struct chart_lines *lines = view->lines;
	struct frame *frame = &view->frame;
	size_t longest = 2;

	for (size_t i = 0; i < lines->count; i++) {
		size_t length =
			lines->lines[i].label ? script_text_length(lines->lines[i].label) : 0;

		if (length > longest)
			longest = length;
	}
	if (longest > 16)
		longest = 16;
	frame->width = 360;
	frame->left = lines->axis == CHART_TAIL ? 46 : 62;
	frame->right = frame->width - 14 - SCRIPT_CHARACTER * (double)longest;
	frame->top = lines->axis == CHART_TAIL ? 8 : 16;
	frame->bottom = lines->axis == CHART_TAIL ? 196 : 164;
	frame->height = frame->bottom + 30;
	line_range(view);
}

void script_lines(FILE *file, const struct chart_lines *lines, enum chart_theme theme,
		  struct chart_layout *ret_layout)
{
	struct lines_view view = {.lines = lines, .palette = script_palette(theme)};

	lay_lines(&view);
	script_begin(file, &view.frame, view.palette);
	if (lines->axis == CHART_SECONDS)
		spans(file, &view);
	y_tics(file, &view);
	x_tics(file, &view);
	line_labels(file, &view);
	lines_data(file, lines);
	(void)fprintf(file, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n%s", view.x_low,
		      view.x_high, view.y_low, view.y_high,
		      lines->axis == CHART_TAIL ? "set logscale y\n" : "");
	plot_lines(file, &view);
	script_layout(&view.frame, ret_layout);
}
