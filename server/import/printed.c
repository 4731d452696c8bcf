/* SPDX-License-Identifier: GPL-3.0-or-later */
/* printed.c - see printed.h. */
#include "server/import/printed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 17 /* more a double does not keep */

/* What is left of a text. */
struct rest {
	const char *at, *end;
};

struct unit {
	const char *text;
	enum printed_kind kind;
	double scale;
};

/* The longest match counts. */
static const struct unit units[] = {
	{"", PRINTED_NUMBER, 1},	  {"k", PRINTED_NUMBER, 1e3},
	{"K", PRINTED_NUMBER, 1e3},	  {"M", PRINTED_NUMBER, 1e6},
	{"G", PRINTED_NUMBER, 1e9},	  {"B", PRINTED_BYTES, 1},
	{"kB", PRINTED_BYTES, 1e3},	  {"KB", PRINTED_BYTES, 1e3},
	{"MB", PRINTED_BYTES, 1e6},	  {"GB", PRINTED_BYTES, 1e9},
	{"TB", PRINTED_BYTES, 1e12},	  {"KiB", PRINTED_BYTES, 1024},
	{"MiB", PRINTED_BYTES, 0x1p20},	  {"GiB", PRINTED_BYTES, 0x1p30},
	{"TiB", PRINTED_BYTES, 0x1p40},	  {"ns", PRINTED_TIME, 1},
	{"us", PRINTED_TIME, 1e3},	  {"\xc2\xb5s", PRINTED_TIME, 1e3}, /* micro sign */
	{"\xce\xbcs", PRINTED_TIME, 1e3},				    /* Greek mu */
	{"ms", PRINTED_TIME, 1e6},	  {"s", PRINTED_TIME, 1e9},
	{"%", PRINTED_PERCENT, 1},
};

/* Ways to say that nothing is known. */
static const char *const unknown[] = {"-", "--", "\xe2\x80\x93", "\xe2\x80\x94", "N/A", "n/a", "?"};

static void skip_blanks(struct rest *rest)
{
	while (rest->at < rest->end && (*rest->at == ' ' || *rest->at == '\t'))
		rest->at++;
}

static void trim(struct rest *rest)
{
	skip_blanks(rest);
	while (rest->end > rest->at && (rest->end[-1] == ' ' || rest->end[-1] == '\t'))
		rest->end--;
}

/* Passes over a word where the rest begins with it. */
static bool take(struct rest *rest, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(rest->end - rest->at) < length || memcmp(rest->at, word, length) != 0)
		return false;
	rest->at += length;
	return true;
}

static bool is_digit(const struct rest *rest)
{
	return rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9';
}

/* Three digits behind a comma, and no fourth. */
static bool thousands(const struct rest *rest)
{
	struct rest behind = *rest;

	if (!take(&behind, ","))
		return false;
	for (int i = 0; i < 3; i++, behind.at++)
		if (!is_digit(&behind))
			return false;
	return !is_digit(&behind);
}

/*
 * Digits as the whole number they are without their point, and the unit of the last one: "33.8" is
 * 338 and 0.1. Whole numbers are kept exact, so that what is made of them is rounded once.
 */
static int take_digits(struct rest *rest, double *ret_whole, double *ret_parts)
{
	double whole = 0, parts = 1;
	size_t count = 0;
	bool point = false, any = false;

	for (;; rest->at++) {
		if (!point && any && thousands(rest))
			continue;
		if (!point && any && rest->at < rest->end && *rest->at == '.') {
			point = true;
			any = false;
			continue;
		}
		if (!is_digit(rest))
			break;
		any = true;
		count += whole > 0 || *rest->at != '0';
		if (count > DIGITS_MAX)
			return -EINVAL;
		whole = whole * 10 + (*rest->at - '0');
		parts *= point ? 10 : 1;
	}
	if (!any || parts > 1e15) /* "5." is none */
		return -EINVAL;
	*ret_whole = whole;
	*ret_parts = parts;
	return 0;
}

static struct told_figure scaled(double whole, double parts, double unit)
{
	double low = (whole - 0.5) * unit / parts;

	return (struct told_figure){
		.known = true,
		.value = whole * unit / parts,
		.low = low < 0 ? 0 : low,
		.high = (whole + 0.5) * unit / parts,
	};
}

static const struct unit *take_unit(struct rest *rest)
{
	const struct unit *best = NULL;
	size_t length = 0;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		struct rest behind = *rest;

		if (take(&behind, units[i].text) && (!best || strlen(units[i].text) > length)) {
			best = &units[i];
			length = strlen(units[i].text);
		}
	}
	rest->at += length;
	return best;
}

/* What may stand behind a unit. */
static bool take_per_second(struct rest *rest, enum printed_kind kind)
{
	skip_blanks(rest);
	if (kind == PRINTED_NUMBER && (take(rest, "IOPS") || take(rest, "iops")))
		skip_blanks(rest);
	else if (kind == PRINTED_NUMBER || kind == PRINTED_BYTES)
		(void)take(rest, "/s"); /* it may be left out */
	return rest->at == rest->end;
}

static void negate(struct told_figure *figure, double whole, double parts)
{
	figure->value = -figure->value;
	figure->low = -(whole + 0.5) / parts;
	figure->high = -(whole - 0.5) / parts;
}

/* One figure with its unit. `borrowed`: the unit where it has none. */
static int read_one(struct rest rest, const struct unit *borrowed, struct printed *ret_printed,
		    const struct unit **ret_unit)
{
	const struct unit *unit;
	double whole, parts;
	bool minus, plus;

	trim(&rest);
	if (take(&rest, "~") || take(&rest, "\xe2\x89\x88")) /* almost equal */
		skip_blanks(&rest);
	minus = take(&rest, "-") || take(&rest, "\xe2\x88\x92");
	plus = !minus && take(&rest, "+");
	if (take_digits(&rest, &whole, &parts) < 0)
		return -EINVAL;
	skip_blanks(&rest);
	unit = borrowed && rest.at == rest.end ? borrowed : take_unit(&rest);
	if (!take_per_second(&rest, unit->kind) ||
	    ((minus || plus) && unit->kind != PRINTED_PERCENT))
		return -EINVAL;
	ret_printed->kind = unit->kind;
	ret_printed->figure = scaled(whole, parts, unit->scale);
	if (unit->kind == PRINTED_PERCENT) /* of a change 0 is no bound */
		ret_printed->figure.low = (whole - 0.5) / parts;
	if (minus)
		negate(&ret_printed->figure, whole, parts);
	*ret_unit = unit;
	return 0;
}

static int read_range(struct rest low, struct rest high, struct printed *ret_printed)
{
	const struct unit *unit;
	struct printed from, to;

	if (read_one(high, NULL, &to, &unit) < 0 || read_one(low, unit, &from, &unit) < 0)
		return -EINVAL;
	if (from.kind != to.kind || from.figure.value > to.figure.value)
		return -EINVAL;
	*ret_printed = (struct printed){
		.kind = to.kind,
		.figure = {.known = true,
			   .value = (from.figure.value + to.figure.value) / 2,
			   .low = from.figure.low,
			   .high = to.figure.high},
	};
	return 0;
}

int printed_read(const char *text, size_t size, struct printed *ret_printed)
{
	struct rest rest = {text, text + size};
	const struct unit *unit;
	struct printed printed;

	if (size > PRINTED_TEXT_MAX)
		return -EINVAL;
	trim(&rest);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		struct rest behind = rest;

		if (take(&behind, unknown[i]) && behind.at == behind.end) {
			*ret_printed = (struct printed){.kind = PRINTED_UNKNOWN};
			return 0;
		}
	}
	for (const char *at = rest.at; at + 4 <= rest.end; at++) {
		if (memcmp(at, " to ", 4) != 0)
			continue;
		return read_range((struct rest){rest.at, at}, (struct rest){at + 4, rest.end},
				  ret_printed);
	}
	if (read_one(rest, NULL, &printed, &unit) < 0)
		return -EINVAL;
	*ret_printed = printed;
	return 0;
}

int printed_digits(const char *text, size_t size, double unit, struct told_figure *ret_figure)
{
	struct rest rest = {text, text + size};
	double whole, parts;

	trim(&rest);
	if (take_digits(&rest, &whole, &parts) < 0 || rest.at != rest.end)
		return -EINVAL;
	*ret_figure = scaled(whole, parts, unit);
	return 0;
}

struct told_figure printed_per_second(uint64_t amount, const struct told_figure *seconds)
{
	struct told_figure figure = told_exactly((double)amount / seconds->value);

	figure.low = (double)amount / seconds->high;
	if (seconds->low > 0)
		figure.high = (double)amount / seconds->low;
	return figure;
}
