/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart_heat.c - lays a map of ratios out: a row a workload, a column a level, the number in each
 * cell.
 *
 * One hue from pale to full, in which lightness alone tells as much. The tone grows with the square
 * of the ratio: what is lost of the best shows where it matters, and a few percent do not look like
 * half. The scale is the same in every report.
 */
#include "web/chart_script.h"

#include <math.h>

#define ROW 25	      /* points */
#define ROW_APART 8   /* more above a row that stands apart */
#define CELL_LEAST 31 /* wide: "99.6" */
#define CELL_MOST 64
#define LABEL_LEAST 18 /* characters of a row's label that are shown at least, */
#define LABEL_MOST 34  /* and at most, where few columns leave the room */
#define HEAD_MAX 16    /* of a column's */
#define WIDTH 360

struct heat_view {
	const struct chart_heat *heat;
	const struct palette *palette;
	struct frame frame;
	double cell;
	size_t label; /* characters of a row's label */
	bool turned;  /* heads of columns */
};

static size_t longest_head(const struct chart_heat *heat)
{
	size_t longest = 0;

	for (size_t i = 0; i < heat->column_count; i++) {
		size_t length = script_text_length(heat->columns[i]);

		if (length > longest)
			longest = length;
	}
	return longest < HEAD_MAX ? longest : HEAD_MAX;
}

static size_t label_room(double columns)
{
	double room = (WIDTH - 12 - CELL_LEAST * columns) / SCRIPT_CHARACTER;

	return (size_t)fmin(fmax(room, LABEL_LEAST), LABEL_MOST);
}

static void lay_heat(struct heat_view *view)
{
	const struct chart_heat *heat = view->heat;
	struct frame *frame = &view->frame;
	double columns = (double)(heat->column_count ? heat->column_count : 1), head = 20;
	size_t longest = 4, apart = 0;

	for (size_t i = 0; i < heat->row_count; i++) {
		size_t length = script_text_length(heat->rows[i].label);

		longest = length > longest ? length : longest;
		apart += heat->rows[i].apart;
	}
	view->label = label_room(columns);
	longest = longest < view->label ? longest : view->label;
	frame->left = 8 + SCRIPT_CHARACTER * (double)longest;
	view->cell = fmin(fmax((WIDTH - frame->left - 4) / columns, CELL_LEAST), CELL_MOST);
	view->turned = SCRIPT_CHARACTER * (double)longest_head(heat) > view->cell - 2;
	frame->right = frame->left + view->cell * columns;
	frame->width = fmax(frame->right + 4, WIDTH);
	if (view->turned) {
		head = 12 + SCRIPT_CHARACTER * 0.68 * (double)longest_head(heat);
		/* the last one leans out to the right */
		frame->width = fmax(frame->width,
				    frame->right - view->cell / 2 +
					    SCRIPT_CHARACTER * 0.8 * (double)longest_head(heat));
	}
	frame->top = head + 16;
	frame->bottom = frame->top + ROW * (double)(heat->row_count ? heat->row_count : 1) +
			ROW_APART * (double)apart;
	frame->height = frame->bottom + 4;
}

static void heads(FILE *file, const struct heat_view *view)
{
	const struct frame *frame = &view->frame;

	script_label(file, frame, frame->left + 2, 8, "left", view->palette->muted, 10,
		     view->heat->axis, 40);
	for (size_t i = 0; i < view->heat->column_count; i++)
		script_label(file, frame, frame->left + view->cell * ((double)i + 0.5),
			     frame->top - 9, view->turned ? "left rotate by 40" : "center",
			     view->palette->ink, 11, view->heat->columns[i], HEAD_MAX);
}

/* "100", "99.6", "3.1": percent, without the sign */
static struct number percent(double ratio)
{
	struct number number;
	double value = 100 * ratio;

	(void)snprintf(number.text, sizeof(number.text), "%.*f", value < 99.95 ? 1 : 0, value);
	return number;
}

static double tone(double ratio)
{
	return ratio * ratio;
}

/* A cell's place, in points from the plot's upper left corner. */
struct spot {
	double left, right, top, bottom;
};

typedef void for_cell(FILE *file, const struct heat_view *view, const struct spot *spot,
		      const struct chart_heat_cell *cell);

static double ratio_of(const struct chart_heat_cell *cell)
{
	return fmin(fmax(script_number(cell->ratio), 0), 1);
}

static unsigned long fill_of(const struct heat_view *view, const struct chart_heat_cell *cell)
{
	return script_mix(view->palette->faint, view->palette->full, tone(ratio_of(cell)));
}

static unsigned long rgb_of(const char *colour)
{
	return strtoul(colour + 1, NULL, 16);
}

/* Relative luminance of sRGB, WCAG 2.2. */
static double luminance(unsigned long rgb)
{
	static const double weights[] = {0.0722, 0.7152, 0.2126};
	double sum = 0;

	for (size_t i = 0; i < 3; i++) {
		double part = (double)(rgb >> 8 * i & 0xff) / 255;

		sum += weights[i] *
		       (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

/* WCAG 2.2's contrast of two colours, 1 to 21. */
static double contrast_of(unsigned long one, unsigned long other)
{
	double a = luminance(one), b = luminance(other);

	return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

/* Of the two colours there are for figures the one that stands out more. */
static const char *colour_on(const struct heat_view *view, const struct chart_heat_cell *cell)
{
	const struct palette *palette = view->palette;
	unsigned long fill = fill_of(view, cell);

	if (!cell->present)
		return palette->muted;
	return contrast_of(fill, rgb_of(palette->on_full)) > contrast_of(fill, rgb_of(palette->ink))
		       ? palette->on_full
		       : palette->ink;
}

static void cell_figure(FILE *file, const struct heat_view *view, const struct spot *spot,
			const struct chart_heat_cell *cell)
{
	const struct frame *frame = &view->frame;

	script_label(file, frame, frame->left + (spot->left + spot->right) / 2,
		     frame->top + (spot->top + spot->bottom) / 2, "center", colour_on(view, cell),
		     10.5, cell->present ? percent(ratio_of(cell)).text : "-", 6);
}

static void cell_box(FILE *file, const struct heat_view *view, const struct spot *spot,
		     const struct chart_heat_cell *cell)
{
	if (cell->present)
		(void)fprintf(file, "0 0 %.6g %.6g %.6g %.6g %lu\n", spot->left + 0.75,
			      spot->right - 0.75, spot->top + 0.75, spot->bottom - 0.75,
			      fill_of(view, cell));
}

/* A closed line, with a gap in the data behind it. */
static void cell_frame(FILE *file, const struct heat_view *view, const struct spot *spot,
		       const struct chart_heat_cell *cell)
{
	const double x[] = {spot->left + 3, spot->right - 3, spot->right - 3, spot->left + 3};
	const double y[] = {spot->top + 3, spot->top + 3, spot->bottom - 3, spot->bottom - 3};
	unsigned long colour = rgb_of(colour_on(view, cell));

	if (!cell->present || !cell->framed)
		return;
	for (size_t i = 0; i < 5; i++)
		(void)fprintf(file, "%.6g %.6g %lu\n", x[i % 4], y[i % 4], colour);
	(void)fputc('\n', file);
}

static double row_top(const struct chart_heat *heat, size_t row)
{
	double top = 0;

	for (size_t i = 0; i <= row; i++)
		top += (i ? ROW : 0) + (heat->rows[i].apart ? ROW_APART : 0);
	return top;
}

static void each_cell(FILE *file, const struct heat_view *view, for_cell *act)
{
	const struct chart_heat *heat = view->heat;

	for (size_t i = 0; i < heat->row_count; i++)
		for (size_t k = 0; k < heat->column_count; k++) {
			double top = row_top(heat, i), left = view->cell * (double)k;
			const struct spot spot = {left, left + view->cell, top, top + ROW};

			act(file, view, &spot, &heat->rows[i].cells[k]);
		}
}

static void row_labels(FILE *file, const struct heat_view *view)
{
	const struct chart_heat *heat = view->heat;

	for (size_t i = 0; i < heat->row_count; i++)
		script_label(file, &view->frame, view->frame.left - 5,
			     view->frame.top + row_top(heat, i) + ROW / 2.0, "right",
			     view->palette->ink, 11, heat->rows[i].label, view->label);
}

void script_heat(FILE *file, const struct chart_heat *heat, enum chart_theme theme,
		 struct chart_layout *ret_layout)
{
	struct heat_view view = {.heat = heat, .palette = script_palette(theme)};

	lay_heat(&view);
	script_begin(file, &view.frame, view.palette);
	heads(file, &view);
	row_labels(file, &view);
	each_cell(file, &view, cell_figure);
	/* What cannot be seen keeps each plot from being empty. */
	(void)fputs("unset border\n$boxes << END\n0 0 0 0 0 0 0\n", file);
	each_cell(file, &view, cell_box);
	(void)fputs("END\n$frames << END\n0 0 0\n\n", file);
	each_cell(file, &view, cell_frame);
	(void)fprintf(file,
		      "END\nset xrange [0:%.6g]\nset yrange [%.6g:0]\n"
		      "plot $boxes using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable, "
		      "$frames using 1:2:3 with lines lw 1.6 lc rgb variable\n",
		      view.frame.right - view.frame.left, view.frame.bottom - view.frame.top);
	script_layout(&view.frame, ret_layout);
}
