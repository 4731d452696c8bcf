/* SPDX-License-Identifier: GPL-3.0-or-later */
/* svg_short.c - see svg_short.h. */
#include "web/svg_short.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 24 /* characters of a number that is rounded; a longer one stays as it is */

static bool among(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

/* Digits behind the point that mean something there, or -1: no numbers stand there. */
static int decimals_of(const char *name, bool fine)
{
	static const char *const places[] = {"d", "points", "transform"};
	static const char *const sizes[] = {"x",
					    "y",
					    "width",
					    "height",
					    "r",
					    "cx",
					    "cy",
					    "x1",
					    "x2",
					    "y1",
					    "y2",
					    "stroke-width",
					    "font-size",
					    "fill-opacity",
					    "stroke-dasharray"};

	if (among(name, places, sizeof(places) / sizeof(*places)))
		return fine ? 2 : 1;
	return among(name, sizes, sizeof(sizes) / sizeof(*sizes)) ? 2 : -1;
}

/* "171.96" -> "172", "-0.02" -> "0". out: NUMBER_MAX. */
static size_t round_number(const char *text, size_t size, int decimals, char *out)
{
	char copy[NUMBER_MAX];
	size_t length;

	memcpy(copy, text, size);
	copy[size] = '\0';
	(void)snprintf(out, NUMBER_MAX, "%.*f", decimals, strtod(copy, NULL));
	length = strlen(out);
	while (strchr(out, '.') && (out[length - 1] == '0' || out[length - 1] == '.')) {
		bool point = out[length - 1] == '.';

		out[--length] = '\0';
		if (point)
			break;
	}
	if (strcmp(out, "-0") == 0)
		length = (size_t)snprintf(out, NUMBER_MAX, "0");
	return length;
}

/* The end of the number with a point that begins here, or `at`. */
static size_t number_end(const char *value, size_t at, size_t size)
{
	size_t i = at + (value[at] == '-'), digits = 0;

	for (; i < size && isdigit((unsigned char)value[i]); i++)
		digits++;
	if (!digits || i >= size || value[i] != '.')
		return at;
	for (i++; i < size && isdigit((unsigned char)value[i]); i++)
		;
	/* not 1.5e3, and not the first half of 1.2.3 */
	return i < size && strchr("eE.", value[i]) ? at : i;
}

static size_t shorten_numbers(int decimals, char *value, size_t size)
{
	char number[NUMBER_MAX];
	size_t used = 0;

	for (size_t at = 0; at < size;) {
		bool begins = at == 0 || !strchr("0123456789.eE", value[at - 1]);
		size_t end = begins ? number_end(value, at, size) : at;

		if (end > at && end - at < NUMBER_MAX) {
			size_t length = round_number(value + at, end - at, decimals, number);

			if (length <= end - at) {
				memcpy(value + used, number, length);
				used += length;
				at = end;
				continue;
			}
		}
		/* One space parts two numbers; behind the last there is none. */
		if (value[at] == ' ' && (used == 0 || value[used - 1] == ' '))
			at++;
		else
			value[used++] = value[at++];
	}
	while (used > 0 && value[used - 1] == ' ')
		used--;
	return used;
}

/* ---- paths ---- */

struct path {
	char *out;
	size_t used, room;
	bool failed; /* not as expected, or longer than before */
	char last;   /* the command that stands there, 0: none */
	long x, y;   /* tenths of a point */
};

static void put_path(struct path *path, const char *text, size_t size)
{
	if (path->failed || path->room - path->used < size) {
		path->failed = true;
		return;
	}
	memcpy(path->out + path->used, text, size);
	path->used += size;
}

/* A sign parts a number from the one before it as well as a space does. */
static void put_tenths(struct path *path, long tenths, bool first)
{
	char text[32];
	long whole = labs(tenths) / 10, part = labs(tenths) % 10;
	int size = snprintf(text, sizeof(text), "%s", tenths < 0 ? "-" : first ? "" : " ");

	if (whole || !part)
		size += snprintf(text + size, sizeof(text) - (size_t)size, "%ld", whole);
	if (part)
		size += snprintf(text + size, sizeof(text) - (size_t)size, ".%ld", part);
	put_path(path, text, (size_t)size);
}

/* The pair of numbers at *at; false: there is none. */
static bool read_place(const char **at, long *ret_x, long *ret_y)
{
	char *end;
	double x = strtod(*at, &end), y;

	if (end == *at || *end != ',' || !(x > -1e6 && x < 1e6))
		return false;
	*at = end + 1;
	y = strtod(*at, &end);
	if (end == *at || !(y > -1e6 && y < 1e6))
		return false;
	*at = end;
	*ret_x = lround(x * 10);
	*ret_y = lround(y * 10);
	return true;
}

/* One place: moved to as it is, drawn to as a step from the one before. */
static void put_place(struct path *path, char command, long x, long y)
{
	bool same = command == path->last && command == 'l';

	if (!same)
		put_path(path, &command, 1);
	put_tenths(path, command == 'M' ? x : x - path->x, !same);
	put_tenths(path, command == 'M' ? y : y - path->y, false);
	path->last = command;
	path->x = x;
	path->y = y;
}

/*
 * "M62,77.9 L68.3,69.5 72.5,58.7" -> "M62 77.9l6.3-8.4 4.2-10.8": each step from the place as it
 * was rounded, so that nothing adds up. Of paths of other commands, and where it is no shorter: 0.
 */
static size_t shorten_path(const char *value, char *out, size_t size)
{
	struct path path = {.out = out, .room = size};
	const char *at = value;
	char command = 0;

	while (!path.failed) {
		long x, y;

		at += strspn(at, " \t\n");
		if (!*at)
			return path.used;
		if (*at == 'M' || *at == 'L')
			command = *at++ == 'M' ? 'M' : 'l';
		if (!command || (command == 'l' && !path.last) || !read_place(&at, &x, &y))
			return 0;
		put_place(&path, command, x, y);
		if (command == 'M') /* what follows without a command is drawn to */
			command = 'l';
	}
	return 0;
}

/* ---- all of them ---- */

/* "rgb( 11,  92, 173)" -> "#0b5cad" */
static size_t shorten_colour(char *value, size_t size)
{
	unsigned int rgb[3];
	char copy[32], short_one[8], end;

	if (size >= sizeof(copy))
		return size;
	memcpy(copy, value, size);
	copy[size] = '\0';
	if (sscanf(copy, "rgb(%3u,%3u,%3u%c", &rgb[0], &rgb[1], &rgb[2], &end) != 4 || end != ')' ||
	    rgb[0] > 255 || rgb[1] > 255 || rgb[2] > 255)
		return size;
	(void)snprintf(short_one, sizeof(short_one), "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
	memcpy(value, short_one, 7);
	return 7;
}

size_t svg_shorten(const char *name, bool fine, char *value, size_t size)
{
	int decimals = decimals_of(name, fine);
	char *copy = strcmp(name, "d") == 0 && !fine ? strndup(value, size) : NULL;
	size_t shorter = copy ? shorten_path(copy, value, size) : 0;

	if (copy && !shorter)
		memcpy(value, copy, size);
	free(copy); /* without memory it is shortened as the others are */
	if (shorter)
		return shorter;
	if (decimals >= 0)
		return shorten_numbers(decimals, value, size);
	if (strcmp(name, "fill") == 0 || strcmp(name, "stroke") == 0 || strcmp(name, "color") == 0)
		return shorten_colour(value, size);
	return size;
}
