/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart_script.c - see chart_script.h.
 *
 * One hue and greys. Strong and pale tell levels apart that stand out, dark and light tone read
 * and write; lines differ in tone and in dashes, so that a print in grey and eyes that see no hue
 * lose nothing.
 *
 * Above 500 lines: the two layouts share the palette, the labels' placing and the axes, and would
 * not be clearer for being told in two places.
 */
#include "web/chart_script.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"

#define CHARACTER 6.1 /* mean width at 11 points */

struct palette {
	const char *ink, *muted, *axis, *shade, *paper;
	const char *strong[CHART_SEGMENTS_MAX], *pale[CHART_SEGMENTS_MAX];
	const char *tone[CHART_SEGMENTS_MAX]; /* of the figures and names of segments */
	unsigned int first[3], last[3];	      /* of lines: the first level's, the last level's */
};

static const struct palette palettes[CHART_THEME_COUNT] = {
	[CHART_LIGHT] = {"#1b1f23",
			 "#5b646d",
			 "#c4cad0",
			 "#eceff2",
			 "#ffffff",
			 {"#0b5cad", "#5b9bd9"},
			 {"#a3c3e3", "#d0e0f0"},
			 {"#0a4a8c", "#2a6fb3"},
			 {0x8b, 0x96, 0xa1},
			 {0x0b, 0x5c, 0xad}},
	[CHART_DARK] = {"#e6eaee",
			"#9aa5b0",
			"#46505a",
			"#242b33",
			"#14181d",
			{"#4da6ff", "#a3d2ff"},
			{"#27527c", "#4a7196"},
			{"#7cbfff", "#b8dbff"},
			{0x7d, 0x89, 0x95},
			{0x66, 0xb8, 0xff}},
};

struct frame {
	double width, height;		 /* of the picture */
	double left, right, top, bottom; /* of the plot, from the upper left corner */
};

static double finite_or_0(double value)
{
	return isfinite(value) ? value : 0;
}

/* ---- texts ---- */

static size_t character_length(const char *text)
{
	size_t length = text_character(text);

	return length ? length : 1;
}

size_t script_text_length(const char *text)
{
	size_t count = 0;

	for (; *text; text += character_length(text))
		count++;
	return count;
}

void script_text(FILE *file, const char *text, size_t max)
{
	size_t count = script_text_length(text);
	size_t shown = count > max ? (max > 2 ? max - 2 : 0) : count;

	(void)fputc('\'', file);
	for (size_t i = 0; i < shown; i++, text += character_length(text)) {
		unsigned char c = (unsigned char)*text;
		bool plain = c < 0x80 && (isalnum(c) || strchr(" ._,:()/%+-", c));

		(void)fputc(plain ? c : '_', file);
	}
	(void)fputs(shown < count ? "..'" : "'", file);
}

void script_spread(double *places, size_t count, double gap, double low, double high)
{
	size_t order[CHART_SET_MAX], n = count < CHART_SET_MAX ? count : CHART_SET_MAX;

	if (n == 0)
		return;
	if (n > 1 && gap * (double)(n - 1) > high - low)
		gap = (high - low) / (double)(n - 1);
	for (size_t i = 0; i < n; i++) { /* insertion sort: a handful */
		size_t at = i;

		for (; at > 0 && places[order[at - 1]] > places[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (size_t i = 0; i < n; i++) {
		double least = i ? places[order[i - 1]] + gap : low;

		if (places[order[i]] < least)
			places[order[i]] = least;
	}
	for (size_t i = n; i-- > 0;) {
		double most = i + 1 < n ? places[order[i + 1]] - gap : high;

		if (places[order[i]] > most)
			places[order[i]] = most;
	}
}

/* ---- what every picture has ---- */

static void begin(FILE *file, const struct frame *frame, const struct palette *palette)
{
	(void)fprintf(file,
		      "reset\n"
		      "set terminal svg size %.0f,%.0f dynamic noenhanced font 'Helvetica,11'\n"
		      "set lmargin at screen %.5f\nset rmargin at screen %.5f\n"
		      "set tmargin at screen %.5f\nset bmargin at screen %.5f\n"
		      "unset key\nset border 1 lc rgb '%s' lw 1\n"
		      "set style fill solid 1 noborder\nunset xtics\nunset ytics\n",
		      frame->width, frame->height, frame->left / frame->width,
		      frame->right / frame->width, 1 - frame->top / frame->height,
		      1 - frame->bottom / frame->height, palette->axis);
}

/* A text at a place in points; `how` is of our own: "center", "left", "right rotate by 40". */
static void label(FILE *file, const struct frame *frame, double x, double y, const char *how,
		  const char *colour, double size, const char *text, size_t max)
{
	(void)fputs("set label ", file);
	script_text(file, text, max);
	(void)fprintf(file, " at screen %.5f, screen %.5f %s front textcolor rgb '%s' font ',%g'\n",
		      x / frame->width, 1 - y / frame->height, how, colour, size);
}

static void segment_line(FILE *file, const struct frame *frame, double x1, double y1, double x2,
			 double y2, const char *style)
{
	(void)fprintf(file,
		      "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead "
		      "%s\n",
		      x1 / frame->width, 1 - y1 / frame->height, x2 / frame->width,
		      1 - y2 / frame->height, style);
}

/* ---- bars ---- */

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
			sum += finite_or_0(bar->segments[s].value);
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
			reach = fmax(reach, base + finite_or_0(segment->high));
		base += finite_or_0(segment->value);
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
	return (double)longest_label(view->bars) * CHARACTER > view->slot - 2;
}

static void lay_bars(struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;
	struct frame *frame = &view->frame;
	double room = 12.5 * (double)bars->segment_count + 6, foot = 30, values = 0, reach = 0;
	size_t longest = longest_label(bars);

	frame->width = 360;
	frame->left = 6;
	frame->right = 322;
	frame->top = 4;
	view->slot = (frame->right - frame->left) / (double)(bars->count ? bars->count : 1);
	if (labels_turned(view))
		foot = 32 + CHARACTER * 0.7 * (double)(longest < LABEL_MAX ? longest : LABEL_MAX);
	frame->bottom = 172;
	frame->height = frame->bottom + foot;
	for (size_t i = 0; i < bars->count; i++) {
		values = fmax(values, stack_height(bars, &bars->bars[i]));
		reach = fmax(reach, stack_reach(bars, &bars->bars[i]));
	}
	values = fmax(values, finite_or_0(bars->at_least));
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

static void bar_figures(FILE *file, const struct bars_view *view, size_t index)
{
	const struct chart_bars *bars = view->bars;
	const struct chart_bar *bar = &bars->bars[index];
	double y = bar_y(view, fmin(stack_reach(bars, bar), view->most)) - 7;
	double size = view->slot < 34 ? 9 : view->slot < 42 ? 10 : 11;

	if (!bar_present(bars, bar)) {
		label(file, &view->frame, bar_x(view, (double)index), view->frame.bottom - 8,
		      "center", view->palette->muted, 11, "-", 1);
		return;
	}
	if (view->slot < 27 && !bar->strong)
		return; /* figures would run into each other; the table has them */
	for (size_t s = 0; s < bars->segment_count; s++) {
		if (!bar->segments[s].present)
			continue;
		label(file, &view->frame, bar_x(view, (double)index), y, "center",
		      bars->segment_count > 1 ? view->palette->tone[s] : view->palette->ink, size,
		      bars->format(finite_or_0(bar->segments[s].value)).text, 12);
		y -= 12;
	}
}

static void bar_label(FILE *file, const struct bars_view *view, size_t index)
{
	bool turned = labels_turned(view);
	size_t every = view->slot < 12 ? (size_t)ceil(12 / view->slot) : 1;
	double x = bar_x(view, (double)index);

	if (index % every)
		return;
	if (turned)
		label(file, &view->frame, x + 5, view->frame.bottom + 8, "right rotate by 40",
		      view->palette->ink, 11, view->bars->bars[index].label, LABEL_MAX);
	else
		label(file, &view->frame, x, view->frame.bottom + 9, "center", view->palette->ink,
		      11, view->bars->bars[index].label, LABEL_MAX);
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
		double value = finite_or_0(last->segments[s].value);

		places[s] = bar_y(view, base + value / 2);
		base += value;
	}
	script_spread(places, bars->segment_count, 12, view->frame.top + 6, view->frame.bottom - 6);
	for (size_t s = 0; s < bars->segment_count; s++)
		label(file, &view->frame, view->frame.right + 4, places[s], "left",
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
			double value = finite_or_0(bar->segments[s].value);

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

/* x y dx dy of each stroke of each whisker; a cap only where the end is shown. */
static void whiskers_data(FILE *file, const struct bars_view *view)
{
	const struct chart_bars *bars = view->bars;

	(void)fputs("$whiskers << END\n0 0 0 0\n", file);
	for (size_t i = 0; i < bars->count; i++) {
		double base = 0;

		for (size_t s = 0; s < bars->segment_count; s++) {
			const struct chart_segment *segment = &bars->bars[i].segments[s];
			double x = (double)i + (bars->segment_count > 1 ? 0.12 * (s ? 1 : -1) : 0);
			double low = base + finite_or_0(segment->low);
			double high = base + finite_or_0(segment->high);

			base += segment->present ? finite_or_0(segment->value) : 0;
			if (!segment->present || !segment->interval || high <= low)
				continue;
			if (low >= 0)
				(void)fprintf(file, "%.6g %.6g 0.14 0\n", x - 0.07, low);
			if (high <= view->most)
				(void)fprintf(file, "%.6g %.6g 0.14 0\n", x - 0.07, high);
			low = fmax(low, 0);
			high = fmin(high, view->most);
			(void)fprintf(file, "%.6g %.6g 0 %.6g\n", x, low, high - low);
		}
	}
	(void)fputs("END\n", file);
}

void script_bars(FILE *file, const struct chart_bars *bars, enum chart_theme theme,
		 struct chart_layout *ret_layout)
{
	struct bars_view view = {.bars = bars, .palette = &palettes[theme]};

	lay_bars(&view);
	begin(file, &view.frame, view.palette);
	for (size_t i = 0; i < bars->count; i++) {
		bar_label(file, &view, i);
		bar_figures(file, &view, i);
	}
	segment_names(file, &view);
	label(file, &view.frame, (view.frame.left + view.frame.right) / 2, view.frame.height - 7,
	      "center", view.palette->muted, 10, bars->axis, 40);
	bars_data(file, &view);
	whiskers_data(file, &view);
	(void)fprintf(file,
		      "set xrange [-0.5:%.6g]\nset yrange [0:%.6g]\n"
		      "plot $bars using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable, "
		      "$whiskers using 1:2:3:4 with vectors nohead lw 3.2 lc rgb '%s', "
		      "$whiskers using 1:2:3:4 with vectors nohead lw 1.2 lc rgb '%s'\n",
		      (double)(bars->count ? bars->count : 1) - 0.5, view.top, view.palette->paper,
		      view.palette->ink);
	ret_layout->width = (unsigned int)view.frame.width;
	ret_layout->height = (unsigned int)(view.frame.height + 0.5);
}

/* ---- lines ---- */

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
			double x = finite_or_0(line->x[k]), y = finite_or_0(line->y[k]);

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
	label(file, &view->frame, view->frame.left - 5, at, "right", view->palette->muted, 10,
	      trimmed(text).text, 14);
	if (y > view->y_low)
		segment_line(file, &view->frame, view->frame.left, at, view->frame.right, at,
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
				label(file, frame, line_x(view, x), frame->bottom + 9, "center",
				      view->palette->muted, 10, tail[i], 8);
		}
		label(file, frame, (frame->left + frame->right) / 2, frame->height - 7, "center",
		      view->palette->muted, 10, "percentile", 20);
		return;
	}
	step = fmax(nice_step(view->x_high, 6), 1);
	for (int i = 0; i * step <= view->x_high && i < 20; i++) {
		(void)snprintf(text.text, sizeof(text.text), "%.0f", i * step);
		label(file, frame, line_x(view, i * step), frame->bottom + 9, "center",
		      view->palette->muted, 10, text.text, 12);
	}
	label(file, frame, (frame->left + frame->right) / 2, frame->height - 7, "center",
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
		places[count] = line_y(view, finite_or_0(line->y[line->count - 1]));
		with[count++] = i;
	}
	script_spread(places, count, gap, frame->top + 5, frame->bottom - 4);
	(void)snprintf(style, sizeof(style), "back lw 0.6 lc rgb '%s'", view->palette->axis);
	if (count > 1 && gap * (double)(count - 1) > frame->bottom - frame->top - 9)
		gap = (frame->bottom - frame->top - 9) / (double)(count - 1);
	for (size_t k = 0; k < count; k++) {
		const struct chart_line *line = &lines->lines[with[k]];
		double x = line_x(view, finite_or_0(line->x[line->count - 1]));
		double y = line_y(view, finite_or_0(line->y[line->count - 1]));

		if (gap < 8 && line->rank % (size_t)ceil(8 / gap))
			continue;
		segment_line(file, frame, x + 1, y, frame->right + 8, places[k], style);
		label(file, frame, frame->right + 10, places[k], "left", view->palette->ink, 10.5,
		      line->label, 16);
	}
}

static void lines_data(FILE *file, const struct chart_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		const struct chart_line *line = &lines->lines[i];

		(void)fprintf(file, "$line%zu << END\n", i);
		for (size_t k = 0; k < line->count; k++)
			(void)fprintf(file, "%.6g %.6g\n", finite_or_0(line->x[k]),
				      finite_or_0(line->y[k]));
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
	frame->right = frame->width - 14 - CHARACTER * (double)longest;
	frame->top = 8;
	frame->bottom = lines->axis == CHART_TAIL ? 196 : 156;
	frame->height = frame->bottom + 30;
	line_range(view);
}

void script_lines(FILE *file, const struct chart_lines *lines, enum chart_theme theme,
		  struct chart_layout *ret_layout)
{
	struct lines_view view = {.lines = lines, .palette = &palettes[theme]};
	double shaded = finite_or_0(lines->shaded);
	char style[96];

	lay_lines(&view);
	begin(file, &view.frame, view.palette);
	if (lines->axis == CHART_SECONDS && shaded > 0) {
		shaded = fmin(shaded, view.x_high);
		(void)fprintf(file,
			      "set object rectangle from 0,0 to %.6g,%.6g behind fillcolor rgb "
			      "'%s' fillstyle solid 1 noborder\n",
			      shaded, view.y_high, view.palette->shade);
		label(file, &view.frame, line_x(&view, 0) + 3, view.frame.top + 6, "left",
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
