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
			 "#eceff2",
			 "#ffffff",
			 {"#0b5cad", "#5b9bd9", "#3d4a57"},
			 {"#a3c3e3", "#d0e0f0", "#c3c9d0"},
			 {"#0a4a8c", "#2a6fb3", "#3d4a57"},
			 {0x8b, 0x96, 0xa1},
			 {0x0b, 0x5c, 0xad}},
	[CHART_DARK] = {"#e6eaee",
			"#9aa5b0",
			"#46505a",
			"#242b33",
			"#14181d",
			{"#4da6ff", "#a3d2ff", "#b9c4cf"},
			{"#27527c", "#4a7196", "#4b545d"},
			{"#7cbfff", "#b8dbff", "#cfd8e0"},
			{0x7d, 0x89, 0x95},
			{0x66, 0xb8, 0xff}},
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
