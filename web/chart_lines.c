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

/* "1.00 ms" -> "1 ms", "2.50" -> "2.5": an axis shows no digits it does not need. */
static struct number trimmed(struct number number)
{
	char *point = strchr(number.text, '.'), *end, *digits;

	if (!point)
		return number;
	digits = point + 1 + strspn(point + 1, "0123456789");
	for (end = digits; end > point + 1 && end[-1] == '0'; end--)
		;
	if (end == point + 1)
		end = point;
	memmove(end, digits, strlen(digits) + 1);
	return number;
}

/* The step of 1, 2 or 5 times a power of ten that makes about `count` steps of a span. */
static double nice_step(double span, double count)
{
	double raw = span / count, power = pow(10, floor(log10(raw)));
	double part = raw / power;

	return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void y_tic(FILE *file, const struct lines_view *view, double y, struct number text)
{
	char style[64];
	double at = line_y(view, y);

	(void)snprintf(style, sizeof(style), "back lw 1 lc rgb '%s'", view->palette->shade);
	script_label(file, &view->frame, view->frame.left - 5, at, "right", view->palette->muted,
		     10, y > 0 ? trimmed(text).text : "0", 14);
	if (y > view->y_low)
		script_stroke(file, &view->frame, view->frame.left, at, view->frame.right, at,
			      style);
}

static void y_tics(FILE *file, const struct lines_view *view)
{
	static const double parts[] = {1, 2, 5};
	double unit = 1 << 20, step;
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
	if (view->y_high >= 1.5 * (1 << 30))
		unit = 1 << 30;
	else if (view->y_high < 1.5 * (1 << 20))
		unit = 1 << 10;
	step = nice_step(view->y_high / unit, 4) * unit;
	for (int i = 0; i * step <= view->y_high && i < 12; i++)
		y_tic(file, view, i * step, numbers_bandwidth(i * step));
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
	step = fmax(nice_step(view->x_high, 6), 1);
	for (int i = 0; i * step <= view->x_high && i < 20; i++) {
		(void)snprintf(text.text, sizeof(text.text), "%.0f", i * step);
		script_label(file, frame, line_x(view, i * step), frame->bottom + 9, "center",
			     view->palette->muted, 10, text.text, 12);
	}
	script_label(file, frame, (frame->left + frame->right) / 2, frame->height - 7, "center",
		     view->palette->muted, 10, "seconds", 20);
}

static void line_style(char *style, size_t size, const struct lines_view *view,
		       const struct chart_line *line)
{
	static const char *const dashes[] = {"dt 1", "dt (8,4)", "dt (2,3)", "dt (10,3,2,3)"};
	const struct palette *palette = view->palette;
	double part =
		view->lines->ranks > 1 ? (double)line->rank / (double)(view->lines->ranks - 1) : 1;
	unsigned int rgb[3];

	for (size_t i = 0; i < 3; i++)
		rgb[i] = (unsigned int)(palette->first[i] * (1 - part) + palette->last[i] * part +
					0.5) &
			 0xff;
	(void)snprintf(style, size, "lw %s lc rgb '#%s%02x%02x%02x' %s",
		       line->faint ? "0.8" : "1.8", line->faint ? "a0" : "", rgb[0], rgb[1], rgb[2],
		       line->faint ? "dt 1" : dashes[line->rank % ARRAY_SIZE(dashes)]);
}

/* Labels in a column at the right, each joined to the end of its line. */
static void line_labels(FILE *file, const struct lines_view *view)
{
	const struct chart_lines *lines = view->lines;
	const struct frame *frame = &view->frame;
	double places[CHART_SET_MAX];
	size_t with[CHART_SET_MAX], count = 0;
	double gap = 12;
	char style[64];

	for (size_t i = 0; i < lines->count && count < CHART_SET_MAX; i++) {
		const struct chart_line *line = &lines->lines[i];

		if (!line->label || line->count == 0)
			continue;
		places[count] = line_y(view, script_number(line->y[line->count - 1]));
		with[count++] = i;
	}
	script_spread(places, count, gap, frame->top + 5, frame->bottom - 4);
	(void)snprintf(style, sizeof(style), "back lw 0.6 lc rgb '%s'", view->palette->axis);
	if (count > 1 && gap * (double)(count - 1) > frame->bottom - frame->top - 9)
		gap = (frame->bottom - frame->top - 9) / (double)(count - 1);
	for (size_t k = 0; k < count; k++) {
		const struct chart_line *line = &lines->lines[with[k]];
		double x = line_x(view, script_number(line->x[line->count - 1]));
		double y = line_y(view, script_number(line->y[line->count - 1]));

		if (gap < 8 && line->rank % (size_t)ceil(8 / gap))
			continue;
		script_stroke(file, frame, x + 1, y, frame->right + 8, places[k], style);
		script_label(file, frame, frame->right + 10, places[k], "left", view->palette->ink,
			     10.5, line->label, 16);
	}
}

static void lines_data(FILE *file, const struct chart_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		const struct chart_line *line = &lines->lines[i];

		(void)fprintf(file, "$line%zu << END\n", i);
		for (size_t k = 0; k < line->count; k++)
			(void)fprintf(file, "%.6g %.6g\n", script_number(line->x[k]),
				      script_number(line->y[k]));
		if (line->count == 0)
			(void)fputs("0 0\n", file);
		(void)fputs("END\n", file);
	}
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
	frame->top = 8;
	frame->bottom = lines->axis == CHART_TAIL ? 196 : 156;
	frame->height = frame->bottom + 30;
	line_range(view);
}

void script_lines(FILE *file, const struct chart_lines *lines, enum chart_theme theme,
		  struct chart_layout *ret_layout)
{
	struct lines_view view = {.lines = lines, .palette = script_palette(theme)};
	double shaded = script_number(lines->shaded);
	char style[96];

	lay_lines(&view);
	script_begin(file, &view.frame, view.palette);
	if (lines->axis == CHART_SECONDS && shaded > 0) {
		shaded = fmin(shaded, view.x_high);
		(void)fprintf(file,
			      "set object rectangle from 0,0 to %.6g,%.6g behind fillcolor rgb "
			      "'%s' fillstyle solid 1 noborder\n",
			      shaded, view.y_high, view.palette->shade);
		script_label(file, &view.frame, line_x(&view, 0) + 3, view.frame.top + 6, "left",
			     view.palette->muted, 10, "ramp", 4);
	}
	y_tics(file, &view);
	x_tics(file, &view);
	line_labels(file, &view);
	lines_data(file, lines);
	(void)fprintf(file, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n%splot ", view.x_low,
		      view.x_high, view.y_low, view.y_high,
		      lines->axis == CHART_TAIL ? "set logscale y\n" : "");
	for (size_t i = 0; i < lines->count; i++) {
		line_style(style, sizeof(style), &view, &lines->lines[i]);
		(void)fprintf(file, "%s$line%zu using 1:2 with lines %s", i ? ", " : "", i, style);
	}
	(void)fputs(lines->count ? "\n" : "-1\n", file);
	ret_layout->width = (unsigned int)view.frame.width;
	ret_layout->height = (unsigned int)(view.frame.height + 0.5);
}
