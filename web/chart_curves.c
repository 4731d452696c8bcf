/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart_curves.c - lays curves over a numeric factor out: IOPS by depth, bandwidth by size.
 *
 * The levels of the factor are the tics: there are no other places that were measured. Where they
 * are too close only every second, third, ... bears its label. Points are dots, so that a reader
 * sees where a curve is measured and where only joined.
 */
#include "web/chart_script.h"

#include <math.h>
#include <string.h>

struct curves_view {
	const struct chart_curves *curves;
	const struct palette *palette;
	struct frame frame;
	double x_low, x_high, y_low, y_high; /* of x: of the scale, log2 where it is */
};

static double scaled_x(const struct chart_curves *curves, double x)
{
	x = script_number(x);
	return curves->x_log2 ? log2(fmax(x, 1e-9)) : x;
}

static double place_x(const struct curves_view *view, double x)
{
	const struct frame *frame = &view->frame;

	return frame->left + (frame->right - frame->left) *
				     (scaled_x(view->curves, x) - view->x_low) /
				     (view->x_high - view->x_low);
}

/* A y that can be drawn: on a logarithmic axis none lies below its foot. */
static double drawn_y(const struct curves_view *view, double y)
{
	y = script_number(y);
	return fmin(fmax(y, view->y_low), view->y_high);
}

static double place_y(const struct curves_view *view, double y)
{
	const struct frame *frame = &view->frame;
	double part;

	y = drawn_y(view, y);
	part = view->curves->y_log ? log(y / view->y_low) / log(view->y_high / view->y_low)
				   : (y - view->y_low) / (view->y_high - view->y_low);
	return frame->bottom - (frame->bottom - frame->top) * part;
}

static void x_range(struct curves_view *view)
{
	const struct chart_curves *curves = view->curves;
	double room;

	for (size_t i = 0; i < curves->tick_count; i++) {
		double x = scaled_x(curves, curves->ticks[i]);

		view->x_low = i ? fmin(view->x_low, x) : x;
		view->x_high = i ? fmax(view->x_high, x) : x;
	}
	room = fmax((view->x_high - view->x_low) * 0.03, 1e-6);
	if (view->x_high - view->x_low <= 0)
		room = 0.5;
	view->x_low -= room;
	view->x_high += room;
}

static void y_range(struct curves_view *view)
{
	const struct chart_curves *curves = view->curves;
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < curves->count; i++)
		for (size_t k = 0; k < curves->curves[i].count; k++) {
			const struct chart_point *point = &curves->curves[i].points[k];
			double y = script_number(point->y);

			if (curves->y_log && y <= 0)
				continue; /* has no place there */
			low = fmin(low, y);
			high = fmax(high, y);
			if (point->interval)
				high = fmax(high, fmin(script_number(point->high), y * 1.3));
		}
	if (curves->y_log) {
		view->y_low = isfinite(low) ? low / 1.3 : 1;
		view->y_high = fmax(high * 1.3, view->y_low * 3);
		return;
	}
	view->y_low = 0;
	view->y_high = fmax(high, script_number(curves->at_least)) * 1.06;
	if (view->y_high <= 0)
		view->y_high = 1;
}

static void lay_curves(struct curves_view *view)
{
	const struct chart_curves *curves = view->curves;
	struct frame *frame = &view->frame;
	size_t longest = 2;

	for (size_t i = 0; i < curves->count; i++) {
		size_t length = script_text_length(curves->curves[i].label);

		longest = length > longest ? length : longest;
	}
	if (longest > SCRIPT_END_LABEL_MAX)
		longest = SCRIPT_END_LABEL_MAX;
	frame->width = 360;
	frame->left = 50;
	frame->right = frame->width - 14 - SCRIPT_CHARACTER * (double)longest;
	frame->top = 8;
	frame->bottom = 176;
	frame->height = frame->bottom + 30;
	x_range(view);
	y_range(view);
}

static void y_tic(FILE *file, const struct curves_view *view, double y)
{
	char style[SCRIPT_STYLE_MAX];
	double at = place_y(view, y);

	script_label(file, &view->frame, view->frame.left - 5, at, "right", view->palette->muted,
		     10, y > 0 ? script_trimmed(view->curves->format(y)).text : "0", 12);
	if (y <= view->y_low)
		return;
	(void)snprintf(style, sizeof(style), "back lw 1 lc rgb '%s'", view->palette->shade);
	script_stroke(file, &view->frame, view->frame.left, at, view->frame.right, at, style);
}

static void y_tics(FILE *file, const struct curves_view *view)
{
	static const double parts[] = {1, 2, 5};
	bool fine = view->y_high / fmax(view->y_low, 1e-12) < 50;
	double unit = view->curves->unit > 0 ? view->curves->unit : 1;
	double step = script_step(view->y_high / unit, 4) * unit;

	if (!view->curves->y_log) {
		for (int i = 0; i * step <= view->y_high && i < 12; i++)
			y_tic(file, view, i * step);
		return;
	}
	for (double power = pow(10, floor(log10(view->y_low))); power <= view->y_high; power *= 10)
		for (size_t i = 0; i < (fine ? ARRAY_SIZE(parts) : 1); i++)
			if (power * parts[i] >= view->y_low && power * parts[i] <= view->y_high)
				y_tic(file, view, power * parts[i]);
}

/* A label that would touch the one before it is left out, the last one never. */
static void x_tics(FILE *file, const struct curves_view *view)
{
	const struct chart_curves *curves = view->curves;
	const struct frame *frame = &view->frame;
	double last = curves->tick_count ? place_x(view, curves->ticks[curves->tick_count - 1]) : 0;
	double free_from = 0;

	for (size_t i = 0; i < curves->tick_count; i++) {
		double x = place_x(view, curves->ticks[i]);
		double half =
			SCRIPT_CHARACTER * 0.5 * (double)script_text_length(curves->tick_labels[i]);
		bool is_last = i + 1 == curves->tick_count;
		double own_last =
			SCRIPT_CHARACTER * 0.5 *
			(double)script_text_length(curves->tick_labels[curves->tick_count - 1]);

		script_stroke(file, frame, x, frame->bottom, x, frame->bottom + 3,
			      "back lw 1 lc rgb '#8b96a1'");
		if (!is_last && (x - half < free_from || x + half + 4 > last - own_last))
			continue;
		script_label(file, frame, x, frame->bottom + 10, "center", view->palette->muted, 10,
			     curves->tick_labels[i], 10);
		free_from = x + half + 4;
	}
	script_label(file, frame, (frame->left + frame->right) / 2, frame->height - 7, "center",
		     view->palette->muted, 10, curves->axis, 40);
}

static bool has_place(const struct chart_curves *curves, const struct chart_point *point)
{
	return !curves->y_log || script_number(point->y) > 0;
}

static void curves_data(FILE *file, const struct curves_view *view)
{
	const struct chart_curves *curves = view->curves;

	for (size_t i = 0; i < curves->count; i++) {
		size_t written = 0;

		(void)fprintf(file, "$curve%zu << END\n", i);
		for (size_t k = 0; k < curves->curves[i].count; k++) {
			const struct chart_point *point = &curves->curves[i].points[k];
			double y = script_number(point->y);

			if (!has_place(curves, point))
				continue;
			(void)fprintf(file, "%.6g %.6g %.6g %.6g\n", scaled_x(curves, point->x), y,
				      drawn_y(view, point->interval ? point->low : y),
				      drawn_y(view, point->interval ? point->high : y));
			written++;
		}
		if (!written)
			(void)fprintf(file, "%.6g %.6g %.6g %.6g\n", view->x_low, view->y_low,
				      view->y_low, view->y_low);
		(void)fputs("END\n", file);
	}
}

static void curve_labels(FILE *file, const struct curves_view *view)
{
	struct end_label ends[SCRIPT_ENDS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < view->curves->count && count < SCRIPT_ENDS_MAX; i++) {
		const struct chart_curve *curve = &view->curves->curves[i];

		if (curve->count)
			ends[count++] = (struct end_label){
				curve->label, curve->rank,
				place_x(view, curve->points[curve->count - 1].x),
				place_y(view, curve->points[curve->count - 1].y)};
	}
	script_end_labels(file, &view->frame, view->palette, ends, count);
}

static void plot_curves(FILE *file, const struct curves_view *view)
{
	const struct chart_curves *curves = view->curves;
	char style[SCRIPT_STYLE_MAX];

	(void)fputs("plot ", file);
	for (size_t i = 0; i < curves->count; i++) {
		unsigned long tone =
			script_tone(view->palette, curves->curves[i].rank, curves->ranks);

		script_line_style(style, view->palette, curves->curves[i].rank, curves->ranks, 1.8);
		(void)fprintf(file,
			      "%s$curve%zu using 1:3:(0):($4-$3) with vectors nohead lw 1 lc rgb "
			      "'#%06lx', $curve%zu using 1:2 with lines %s, "
			      "$curve%zu using 1:2 with points pt 7 ps 0.45 lc rgb '#%06lx'",
			      i ? ", " : "", i, tone, i, style, i, tone);
	}
	(void)fputs(curves->count ? "\n" : "-1\n", file);
}

void script_curves(FILE *file, const struct chart_curves *curves, enum chart_theme theme,
		   struct chart_layout *ret_layout)
{
	struct curves_view view = {.curves = curves, .palette = script_palette(theme)};

	lay_curves(&view);
	script_begin(file, &view.frame, view.palette);
	y_tics(file, &view);
	x_tics(file, &view);
	curve_labels(file, &view);
	curves_data(file, &view);
	(void)fprintf(file, "set xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n%s", view.x_low,
		      view.x_high, view.y_low, view.y_high,
		      curves->y_log ? "set logscale y\n" : "");
	plot_curves(file, &view);
	script_layout(&view.frame, ret_layout);
}
