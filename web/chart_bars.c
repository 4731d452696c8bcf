/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chart_bars.c - lays bars out: upright, one a level, or lying, one a workload. */
#include "web/chart_script.h"

#include <math.h>
#include <string.h>

struct bars_view {
	const struct chart_bars *bars;
	const struct palette *palette;
	struct frame frame;
	double slot; /* points a level takes */
	double most; /* largest value or whisker shown */
	double top;  /* the axis's end */
};

static double stack_height(const struct chart_bars *bars, const struct chart_bar *bar)
{
	double sum = 0;

	for (size_t s = 0; s < bars->segment_count; s++)
		if (bar->segments[s].present)
			sum += script_number(bar->segments[s].value);
	return sum;
}

static bool bar_present(const struct chart_bars *bars, const struct chart_bar *bar)
{
	for (size_t s = 0; s < bars->segment_count; s++)
		if (bar->segments[s].present)
			return true;
	return false;
}

/* The highest point of a bar or of a whisker on it. */
static double stack_reach(const struct chart_bars *bars, const struct chart_bar *bar)
{
	double base = 0, reach = 0;

	for (size_t s = 0; s < bars->segment_count; s++) {
		const struct chart_segment *segment = &bar->segments[s];

		if (!segment->present)
			continue;
		if (segment->interval)
			reach = fmax(reach, base + script_number(segment->high));
		base += script_number(segment->value);
	}
	return fmax(reach, base);
}

static size_t longest_label(const struct chart_bars *bars)
{
	size_t longest = 0;

	for (size_t i = 0; i < bars->count; i++) {
		size_t length = script_text_length(bars->bars[i].label);

		if (length > longest)
			longest = length;
	}
	return longest;
}

#define LABEL_MAX 20 /* characters of a level shown under its bar */

static bool labels_turned(const struct bars_view *view)
{
	return (double)longest_label(view->bars) * SCRIPT_CHARACTER > view->slot - 2;
}

/* Points at the right for the names of segments: of "write", or of "rename", the longest. */
static double names_room(const struct chart_bars *bars)
{
	for (size_t s = 0; s < bars->segment_count; s++)
		if (strlen(bars->segment_names[s]) > strlen("write"))
			return 48;
	return 38;
}

static void lay_bars(struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;
	struct frame *frame = &view->frame;
	double room = 12.5 * (double)bars->segment_count + 6, foot = 30, values = 0, reach = 0;
	size_t longest = longest_label(bars);

	frame->width = 360;
	frame->left = 6;
	frame->right = frame->width - names_room(bars);
	frame->top = 4;
	view->slot = (frame->right - frame->left) / (double)(bars->count ? bars->count : 1);
	if (labels_turned(view)) {
		double shown = (double)(longest < LABEL_MAX ? longest : LABEL_MAX);

		foot = 32 + SCRIPT_CHARACTER * 0.65 * shown;
		/* The first one leans out to the left. */
		frame->left += fmax(SCRIPT_CHARACTER * 0.77 * shown - view->slot / 2, 0);
		view->slot = (frame->right - frame->left) / (double)bars->count;
	}
	frame->bottom = 172;
	frame->height = frame->bottom + foot;
	for (size_t i = 0; i < bars->count; i++) {
		values = fmax(values, stack_height(bars, &bars->bars[i]));
		reach = fmax(reach, stack_reach(bars, &bars->bars[i]));
	}
	values = fmax(values, script_number(bars->at_least));
	view->most = fmax(values, fmin(reach, values * 1.3));
	if (view->most <= 0)
		view->most = 1;
	view->top = view->most * (frame->bottom - frame->top) / (frame->bottom - frame->top - room);
}

static double bar_y(const struct bars_view *view, double value)
{
	const struct frame *frame = &view->frame;

	return frame->bottom - (frame->bottom - frame->top) * value / view->top;
}

static double bar_x(const struct bars_view *view, double place)
{
	return view->frame.left + view->slot * (place + 0.5);
}

/* Points that a figure takes. Narrower bars have theirs where the table must not be asked first: on
 * those in the strong tone, of neighbours on every second, or as many as there is room for. */
#define FIGURE_ROOM 27.0

static bool figures_fit(const struct bars_view *view, size_t index)
{
	const struct chart_bar *bars = view->bars->bars;
	size_t every = (size_t)ceil(FIGURE_ROOM / view->slot), before = 0;

	if (view->slot >= FIGURE_ROOM)
		return true;
	while (before < index && bars[index - before - 1].strong)
		before++;
	return bars[index].strong && before % every == 0;
}

static void bar_figures(FILE *file, const struct bars_view *view, size_t index)
{
	const struct chart_bars *bars = view->bars;
	const struct chart_bar *bar = &bars->bars[index];
	double y = bar_y(view, fmin(stack_reach(bars, bar), view->most)) - 7;
	double size = view->slot < 34 ? 9 : view->slot < 42 ? 10 : 11;

	if (!bar_present(bars, bar)) {
		script_label(file, &view->frame, bar_x(view, (double)index), view->frame.bottom - 8,
			     "center", view->palette->muted, 11, "-", 1);
		return;
	}
	if (!figures_fit(view, index))
		return; /* they would run into each other; the table has them */
	for (size_t s = 0; s < bars->segment_count; s++) {
		if (!bar->segments[s].present)
			continue;
		script_label(file, &view->frame, bar_x(view, (double)index), y, "center",
			     bars->segment_count > 1 ? view->palette->tone[s] : view->palette->ink,
			     size, bars->format(script_number(bar->segments[s].value)).text, 12);
		y -= 12;
	}
}

/* Under the label; where labels are turned, under the bar. */
static void label_mark(FILE *file, const struct bars_view *view, size_t index, bool turned)
{
	double length = (double)script_text_length(view->bars->bars[index].label);
	double half = turned ? view->slot * 0.37
			     : fmin(fmax(length, 2) * SCRIPT_CHARACTER * 0.55, view->slot / 2);
	double x = bar_x(view, (double)index), y = view->frame.bottom + (turned ? 2.5 : 16);
	char style[64];

	(void)snprintf(style, sizeof(style), "front lw 1.8 lc rgb '%s'", view->palette->ink);
	script_stroke(file, &view->frame, x - half, y, x + half, y, style);
}

static void bar_label(FILE *file, const struct bars_view *view, size_t index)
{
	bool turned = labels_turned(view);
	size_t every = view->slot < 12 ? (size_t)ceil(12 / view->slot) : 1;
	double x = bar_x(view, (double)index);

	if (index % every)
		return;
	if (turned)
		script_label(file, &view->frame, x + 5, view->frame.bottom + 8,
			     "right rotate by 40", view->palette->ink, 11,
			     view->bars->bars[index].label, LABEL_MAX);
	else
		script_label(file, &view->frame, x, view->frame.bottom + 9, "center",
			     view->palette->ink, 11, view->bars->bars[index].label, LABEL_MAX);
	if (view->bars->bars[index].marked)
		label_mark(file, view, index, turned);
}

/* "read" and "write" at the right, beside the segments of the last bar. */
static void segment_names(FILE *file, const struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;
	double places[CHART_SEGMENTS_MAX] = {0}, base = 0;
	const struct chart_bar *last = NULL;

	for (size_t i = 0; i < bars->count; i++)
		if (bar_present(bars, &bars->bars[i]))
			last = &bars->bars[i];
	if (!last)
		return;
	for (size_t s = 0; s < bars->segment_count; s++) {
		double value = script_number(last->segments[s].value);

		places[s] = bar_y(view, base + value / 2);
		base += value;
	}
	script_spread(places, bars->segment_count, 12, view->frame.top + 6, view->frame.bottom - 6);
	for (size_t s = 0; s < bars->segment_count; s++)
		script_label(file, &view->frame, view->frame.right + 4, places[s], "left",
			     view->palette->tone[s], 11, bars->segment_names[s], 8);
}

static void bars_data(FILE *file, const struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;

	(void)fputs("$bars << END\n", file);
	for (size_t i = 0; i < bars->count; i++) {
		const struct chart_bar *bar = &bars->bars[i];
		const char *const *colours =
			bar->strong ? view->palette->strong : view->palette->pale;
		double base = 0;

		for (size_t s = 0; s < bars->segment_count; s++) {
			double value = script_number(bar->segments[s].value);

			if (!bar->segments[s].present)
				continue;
			(void)fprintf(file, "%zu %.6g %.6g %.6g %.6g %.6g %lu\n", i, base,
				      (double)i - 0.37, (double)i + 0.37, base, base + value,
				      strtoul(colours[s] + 1, NULL, 16));
			base += value;
		}
	}
	/* A bar of no height keeps the plot from being empty. */
	(void)fputs("0 0 -0.1 0.1 0 0 0\nEND\n", file);
}

/* One whisker as strokes, x y dx dy; a cap only where the end is shown. */
static void whisker_data(FILE *file, const struct bars_view *view, double x, double low,
			 double high)
{
	if (high <= low)
		return;
	if (low >= 0)
		(void)fprintf(file, "%.6g %.6g 0.14 0\n", x - 0.07, low);
	if (high <= view->most)
		(void)fprintf(file, "%.6g %.6g 0.14 0\n", x - 0.07, high);
	low = fmax(low, 0);
	high = fmin(high, view->most);
	(void)fprintf(file, "%.6g %.6g 0 %.6g\n", x, low, high - low);
}

static void whiskers_data(FILE *file, const struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;

	(void)fputs("$whiskers << END\n0 0 0 0\n", file);
	for (size_t i = 0; i < bars->count; i++) {
		const struct chart_segment *segments = bars->bars[i].segments;
		double first = script_number(segments[0].value), base = 0;
		/* Two that would run into each other stand apart. */
		bool apart =
			bars->segment_count > 1 &&
			script_number(segments[0].high) > first + script_number(segments[1].low);

		for (size_t s = 0; s < bars->segment_count; s++) {
			if (!segments[s].present)
				continue;
			if (segments[s].interval)
				whisker_data(file, view, (double)i + (apart ? s ? 0.14 : -0.14 : 0),
					     base + script_number(segments[s].low),
					     base + script_number(segments[s].high));
			base += script_number(segments[s].value);
		}
	}
	(void)fputs("END\n", file);
}

/* ---- lying bars ---- */

#define ROW 25		 /* points a bar takes */
#define ROW_LABEL_MAX 21 /* characters */

static void lay_rows(struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;
	struct frame *frame = &view->frame;
	size_t longest = longest_label(bars), figures = bars->segment_count > 1 ? 13 : 6;

	if (longest > ROW_LABEL_MAX)
		longest = ROW_LABEL_MAX;
	frame->width = 360;
	/* one more than the mean: short labels may be of wide characters, as "a+b" is */
	frame->left = 6 + SCRIPT_CHARACTER * (double)(longest + 1);
	frame->right = frame->width - 8 - SCRIPT_CHARACTER * (double)figures;
	frame->top = 2;
	frame->bottom = frame->top + ROW * (double)(bars->count ? bars->count : 1);
	frame->height = frame->bottom + 18;
	for (size_t i = 0; i < bars->count; i++)
		view->most = fmax(view->most, stack_height(bars, &bars->bars[i]));
	if (view->most <= 0)
		view->most = 1;
	view->top = view->most;
}

/* "33.8k + 14.5k" behind the bar's end, each in its tone. */
static void row_figures(FILE *file, const struct bars_view *view, const struct chart_bar *bar,
			double y)
{
	const struct chart_bars *bars = view->bars;
	const struct frame *frame = &view->frame;
	double reach = fmin(stack_reach(bars, bar), view->most);
	double x = frame->left + (frame->right - frame->left) * reach / view->top + 5;
	bool first = true;

	for (size_t s = 0; s < bars->segment_count; s++) {
		struct number number;
		char text[64];

		if (!bar->segments[s].present)
			continue;
		number = bars->format(script_number(bar->segments[s].value));
		(void)snprintf(text, sizeof(text), "%s%s", first ? "" : "+ ", number.text);
		script_label(file, frame, x, y, "left", view->palette->tone[s], 11, text, 14);
		x += SCRIPT_CHARACTER * (double)strlen(text) + 4;
		first = false;
	}
	if (first)
		script_label(file, frame, x, y, "left", view->palette->muted, 11, "-", 1);
}

static void rows_data(FILE *file, const struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;

	(void)fputs("$bars << END\n", file);
	for (size_t i = 0; i < bars->count; i++) {
		double base = 0, row = (double)i;

		for (size_t s = 0; s < bars->segment_count; s++) {
			const struct chart_segment *segment = &bars->bars[i].segments[s];
			double value = script_number(segment->value);

			if (!segment->present)
				continue;
			(void)fprintf(file, "%.6g %.6g %.6g %.6g %.6g %.6g %lu\n", base, row, base,
				      base + value, row - 0.34, row + 0.34,
				      strtoul(view->palette->strong[s] + 1, NULL, 16));
			base += value;
		}
	}
	(void)fputs("0 0 0 0 -0.1 0.1 0\nEND\n$whiskers << END\n0 0 0 0\n", file);
	for (size_t i = 0; i < bars->count; i++) {
		double base = 0;

		for (size_t s = 0; s < bars->segment_count; s++) {
			const struct chart_segment *segment = &bars->bars[i].segments[s];
			double low = fmax(base + script_number(segment->low), 0);
			double high = fmin(base + script_number(segment->high), view->most);

			if (segment->present && segment->interval && high > low)
				(void)fprintf(file, "%.6g %zu %.6g 0\n", low, i, high - low);
			base += segment->present ? script_number(segment->value) : 0;
		}
	}
	(void)fputs("END\n", file);
}

static void script_rows(FILE *file, struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;
	const struct frame *frame = &view->frame;

	lay_rows(view);
	script_begin(file, frame, view->palette);
	for (size_t i = 0; i < bars->count; i++) {
		double y = frame->top + ROW * ((double)i + 0.5);

		script_label(file, frame, frame->left - 5, y, "right", view->palette->ink, 11,
			     bars->bars[i].label, ROW_LABEL_MAX);
		row_figures(file, view, &bars->bars[i], y);
	}
	script_label(file, frame, frame->left, frame->height - 8, "left", view->palette->muted, 10,
		     bars->axis, 40);
	rows_data(file, view);
	(void)fprintf(file, "set border 2\nset xrange [0:%.6g]\nset yrange [%.6g:-0.5]\n",
		      view->top, (double)(bars->count ? bars->count : 1) - 0.5);
}

/* ---- both ---- */

static void script_columns(FILE *file, struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;

	lay_bars(view);
	script_begin(file, &view->frame, view->palette);
	for (size_t i = 0; i < bars->count; i++) {
		bar_label(file, view, i);
		bar_figures(file, view, i);
	}
	segment_names(file, view);
	script_label(file, &view->frame, (view->frame.left + view->frame.right) / 2,
		     view->frame.height - 7, "center", view->palette->muted, 10, bars->axis, 40);
	bars_data(file, view);
	whiskers_data(file, view);
	(void)fprintf(file, "set xrange [-0.5:%.6g]\nset yrange [0:%.6g]\n",
		      (double)(bars->count ? bars->count : 1) - 0.5, view->top);
}

void script_bars(FILE *file, const struct chart_bars *bars, enum chart_theme theme,
		 struct chart_layout *ret_layout)
{
	struct bars_view view = {.bars = bars, .palette = script_palette(theme)};

	if (bars->lying)
		script_rows(file, &view);
	else
		script_columns(file, &view);
	(void)fprintf(file,
		      "plot $bars using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable, "
		      "$whiskers using 1:2:3:4 with vectors nohead lw 3.2 lc rgb '%s', "
		      "$whiskers using 1:2:3:4 with vectors nohead lw 1.2 lc rgb '%s'\n",
		      view.palette->paper, view.palette->ink);
	script_layout(&view.frame, ret_layout);
}
