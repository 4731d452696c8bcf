/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart_pairs.c - lays rows of bars side by side out: a row a request size, a bar a direction, as
 * ATTO shows them.
 *
 * The bars of a row touch, rows stand apart; the figure stands behind each bar. Tones are those of
 * read and write everywhere, their names stand above.
 */
#include "web/chart_script.h"

#include <math.h>
#include <string.h>

#define BAR 11 /* points */
#define ROW_GAP 7
#define LABEL_MAX 14 /* characters */
#define HEAD 20

struct pairs_view {
	const struct chart_pairs *pairs;
	const struct palette *palette;
	struct frame frame;
	double row; /* points */
	double most;
};

static const char *tone_of(const struct pairs_view *view, size_t name)
{
	return view->palette->strong[name % CHART_SEGMENTS_MAX];
}

static void lay_pairs(struct pairs_view *view)
{
	const struct chart_pairs *pairs = view->pairs;
	struct frame *frame = &view->frame;
	size_t longest = 2;

	for (size_t i = 0; i < pairs->row_count; i++) {
		size_t length = script_text_length(pairs->rows[i].label);

		longest = length > longest ? length : longest;
		for (size_t k = 0; k < pairs->name_count; k++)
			if (pairs->rows[i].values[k].present)
				view->most = fmax(view->most,
						  script_number(pairs->rows[i].values[k].value));
	}
	if (view->most <= 0)
		view->most = 1;
	longest = longest < LABEL_MAX ? longest : LABEL_MAX;
	view->row = BAR * (double)(pairs->name_count ? pairs->name_count : 1) + ROW_GAP;
	frame->width = 360;
	frame->left = 8 + SCRIPT_CHARACTER * (double)(longest + 1);
	frame->right = frame->width - 8 - SCRIPT_CHARACTER * 6;
	frame->top = HEAD;
	frame->bottom = frame->top + view->row * (double)(pairs->row_count ? pairs->row_count : 1);
	frame->height = frame->bottom + 18;
}

/* Square and word of each name in one line. */
static void names(FILE *file, const struct pairs_view *view)
{
	const struct chart_pairs *pairs = view->pairs;
	double x = view->frame.left;

	for (size_t k = 0; k < pairs->name_count; k++) {
		char style[SCRIPT_STYLE_MAX];

		(void)snprintf(style, sizeof(style), "front lw 8 lc rgb '%s'", tone_of(view, k));
		script_stroke(file, &view->frame, x, 9, x + 9, 9, style);
		script_label(file, &view->frame, x + 13, 9, "left", view->palette->ink, 11,
			     pairs->names[k], 18);
		x += 26 + SCRIPT_CHARACTER * fmin((double)script_text_length(pairs->names[k]), 18);
	}
}

static double bar_top(const struct pairs_view *view, size_t row, size_t name)
{
	return view->row * (double)row + ROW_GAP / 2.0 + BAR * (double)name;
}

static void row_words(FILE *file, const struct pairs_view *view, size_t row)
{
	const struct chart_pairs *pairs = view->pairs;
	const struct frame *frame = &view->frame;

	script_label(file, frame, frame->left - 6, frame->top + view->row * ((double)row + 0.5),
		     "right", view->palette->ink, 11, pairs->rows[row].label, LABEL_MAX);
	for (size_t k = 0; k < pairs->name_count; k++) {
		const struct chart_segment *value = &pairs->rows[row].values[k];
		double reach = value->interval ? script_number(value->high) : 0;
		double length = (frame->right - frame->left) / view->most *
				fmin(fmax(reach, script_number(value->value)), view->most);

		script_label(file, frame, frame->left + fmax(value->present ? length : 0, 0) + 4,
			     frame->top + bar_top(view, row, k) + BAR / 2.0, "left",
			     value->present ? view->palette->ink : view->palette->muted, 9.5,
			     value->present ? pairs->format(script_number(value->value)).text : "-",
			     8);
	}
}

static void pairs_data(FILE *file, const struct pairs_view *view)
{
	const struct chart_pairs *pairs = view->pairs;

	(void)fputs("$bars << END\n0 0 0 0 0 0 0\n", file);
	for (size_t i = 0; i < pairs->row_count; i++)
		for (size_t k = 0; k < pairs->name_count; k++) {
			const struct chart_segment *value = &pairs->rows[i].values[k];
			double top = bar_top(view, i, k);

			if (value->present)
				(void)fprintf(file, "0 0 0 %.6g %.6g %.6g %lu\n",
					      script_number(value->value), top, top + BAR - 0.5,
					      strtoul(tone_of(view, k) + 1, NULL, 16));
		}
	(void)fputs("END\n$whiskers << END\n0 0 0 0\n", file);
	for (size_t i = 0; i < pairs->row_count; i++)
		for (size_t k = 0; k < pairs->name_count; k++) {
			const struct chart_segment *value = &pairs->rows[i].values[k];
			double low = fmax(script_number(value->low), 0);
			double high = fmin(script_number(value->high), view->most);

			if (value->present && value->interval && high > low)
				(void)fprintf(file, "%.6g %.6g %.6g 0\n", low,
					      bar_top(view, i, k) + BAR / 2.0, high - low);
		}
	(void)fputs("END\n", file);
}

void script_pairs(FILE *file, const struct chart_pairs *pairs, enum chart_theme theme,
		  struct chart_layout *ret_layout)
{
	struct pairs_view view = {.pairs = pairs, .palette = script_palette(theme)};
	const struct frame *frame = &view.frame;

	lay_pairs(&view);
	script_begin(file, frame, view.palette);
	names(file, &view);
	for (size_t i = 0; i < pairs->row_count; i++)
		row_words(file, &view, i);
	script_label(file, frame, frame->left, frame->height - 8, "left", view.palette->muted, 10,
		     pairs->axis, 40);
	pairs_data(file, &view);
	(void)fprintf(file,
		      "set border 2\nset xrange [0:%.6g]\nset yrange [%.6g:0]\n"
		      "plot $bars using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable, "
		      "$whiskers using 1:2:3:4 with vectors nohead lw 3.2 lc rgb '%s', "
		      "$whiskers using 1:2:3:4 with vectors nohead lw 1.2 lc rgb '%s'\n",
		      view.most, frame->bottom - frame->top, view.palette->paper,
		      view.palette->ink);
	script_layout(frame, ret_layout);
}
