/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chart_script.c - see chart_script.h. */
#include "web/chart_script.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "engine/base/text.h"

static const struct palette palettes[CHART_THEME_COUNT] = {
	[CHART_LIGHT] = {"#1b1f23",
			 "#5b646d",
			 "#c4cad0",
			 "#e6e9ec",
			 "#eef5fc",
			 "#ffffff",
			 {"#0b5cad", "#5b9bd9", "#3d4a57"},
			 {"#a3c3e3", "#d0e0f0", "#c3c9d0"},
			 {"#0a4a8c", "#2a6fb3", "#3d4a57"},
			 {0x7f, 0xae, 0xde},
			 {0x06, 0x2a, 0x5a},
			 {0xf1, 0xf5, 0xf9},
			 {0x0b, 0x5c, 0xad},
			 "#ffffff"},
	[CHART_DARK] = {"#e6eaee",
			"#9aa5b0",
			"#46505a",
			"#2a323b",
			"#172432",
			"#14181d",
			{"#4da6ff", "#a3d2ff", "#b9c4cf"},
			{"#27527c", "#4a7196", "#4b545d"},
			{"#7cbfff", "#b8dbff", "#cfd8e0"},
			{0x3f, 0x72, 0xa6},
			{0xd9, 0xee, 0xff},
			{0x1b, 0x22, 0x2a},
			{0x4d, 0xa6, 0xff},
			"#0b1118"},
};

const struct palette *script_palette(enum chart_theme theme)
{
	return &palettes[theme];
}

double script_number(double value)
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

/* Cut in the middle, since names often differ at their ends. */
void script_text(FILE *file, const char *text, size_t max)
{
	size_t count = script_text_length(text);
	size_t shown = count > max ? (max > 2 ? max - 2 : 0) : count;
	size_t head = shown < count ? shown / 2 : count, behind = count - (shown - shown / 2);

	(void)fputc('\'', file);
	for (size_t i = 0; i < count; i++, text += character_length(text)) {
		unsigned char c = (unsigned char)*text;
		bool plain = c < 0x80 && (isalnum(c) || strchr(" ._,:()/%+-=", c));

		if (i == head)
			(void)fputs("..", file);
		if (i < head || i >= behind)
			(void)fputc(plain ? c : '_', file);
	}
	(void)fputc('\'', file);
}

void script_spread(double *places, size_t count, double gap, double low, double high)
{
	size_t order[SCRIPT_ENDS_MAX], n = count < SCRIPT_ENDS_MAX ? count : SCRIPT_ENDS_MAX;

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

/* ---- lines ---- */

unsigned long script_mix(const unsigned int from[3], const unsigned int to[3], double part)
{
	unsigned long rgb = 0;

	for (size_t i = 0; i < 3; i++)
		rgb = rgb << 8 | ((unsigned int)(from[i] * (1 - part) + to[i] * part + 0.5) & 0xff);
	return rgb;
}

unsigned long script_tone(const struct palette *palette, size_t rank, size_t ranks)
{
	return script_mix(palette->first, palette->last,
			  ranks > 1 ? (double)rank / (double)(ranks - 1) : 1);
}

void script_line_style(char style[SCRIPT_STYLE_MAX], const struct palette *palette, size_t rank,
		       size_t ranks, double wide)
{
	static const char *const dashes[] = {"dt 1", "dt (8,4)", "dt (2,3)", "dt (10,3,2,3)"};

	(void)snprintf(style, SCRIPT_STYLE_MAX, "lw %.2g lc rgb '#%06lx' %s", wide,
		       script_tone(palette, rank, ranks), dashes[rank % ARRAY_SIZE(dashes)]);
}

double script_step(double span, double count)
{
	double raw = span / count, power = pow(10, floor(log10(raw)));
	double part = raw / power;

	return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

struct number script_trimmed(struct number number)
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

void script_end_labels(FILE *file, const struct frame *frame, const struct palette *palette,
		       const struct end_label *ends, size_t count)
{
	double places[SCRIPT_ENDS_MAX], gap = 12, high = frame->bottom - frame->top - 9;
	char style[64];

	if (count > SCRIPT_ENDS_MAX)
		count = SCRIPT_ENDS_MAX;
	for (size_t i = 0; i < count; i++)
		places[i] = ends[i].y;
	script_spread(places, count, gap, frame->top + 5, frame->bottom - 4);
	(void)snprintf(style, sizeof(style), "back lw 0.6 lc rgb '%s'", palette->axis);
	if (count > 1 && gap * (double)(count - 1) > high)
		gap = high / (double)(count - 1);
	for (size_t i = 0; i < count; i++) {
		if (gap < 8 && ends[i].rank % (size_t)ceil(8 / gap))
			continue; /* they would run into each other; the table has all */
		script_stroke(file, frame, ends[i].x + 1, ends[i].y, frame->right + 8, places[i],
			      style);
		script_label(file, frame, frame->right + 10, places[i], "left", palette->ink, 10.5,
			     ends[i].label, SCRIPT_END_LABEL_MAX);
	}
}

/* ---- what every picture has ---- */

void script_begin(FILE *file, const struct frame *frame, const struct palette *palette)
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

void script_layout(const struct frame *frame, struct chart_layout *ret_layout)
{
	ret_layout->width = (unsigned int)frame->width;
	ret_layout->height = (unsigned int)(frame->height + 0.5);
}

void script_label(FILE *file, const struct frame *frame, double x, double y, const char *how,
		  const char *colour, double size, const char *text, size_t max)
{
	(void)fputs("set label ", file);
	script_text(file, text, max);
	(void)fprintf(file, " at screen %.5f, screen %.5f %s front textcolor rgb '%s' font ',%g'\n",
		      x / frame->width, 1 - y / frame->height, how, colour, size);
}

void script_stroke(FILE *file, const struct frame *frame, double x1, double y1, double x2,
		   double y2, const char *style)
{
	(void)fprintf(file,
		      "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead "
		      "%s\n",
		      x1 / frame->width, 1 - y1 / frame->height, x2 / frame->width,
		      1 - y2 / frame->height, style);
}
