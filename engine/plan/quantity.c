/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan/quantity.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"

static int bad_size(const char *text, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	return error_set(
		err, ERROR_BAD_SIZE, "",
		"\"%s\" is not a size: give digits and perhaps k, m, g, t or p (k = 1024), "
		"as in 4k or 64G",
		text_excerpt(text, quoted));
}

/* The digits at *text, which moves behind them. False: there are none, or they need 65 bits. */
static bool take_digits(const char **text, uint64_t *ret_value)
{
	const char *p = *text;
	uint64_t value = 0;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return false;
	*text = p;
	*ret_value = value;
	return true;
}

int quantity_parse_size(const char *text, uint64_t *ret_bytes, struct error *err)
{
	static const char letters[] = "kmgtp";
	const char *p = text, *letter;
	uint64_t value;
	unsigned int shift = 0;

	if (!take_digits(&p, &value))
		return bad_size(text, err);
	letter = *p ? strchr(letters, tolower((unsigned char)*p)) : NULL;
	if (letter) {
		shift = 10 * (unsigned int)(letter - letters + 1);
		p++;
	}
	if (*p && strcasecmp(p, "b") != 0 && !(shift > 0 && strcasecmp(p, "ib") == 0))
		return bad_size(text, err);
	if (__builtin_mul_overflow(value, UINT64_C(1) << shift, &value))
		return bad_size(text, err);
	*ret_bytes = value;
	return 0;
}

/* 0: there is no such suffix. bare: of a number without one. */
static uint64_t time_unit(const char *suffix, uint64_t bare)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} units[] = {
		{"s", NS_PER_S},	   {"sec", NS_PER_S},	    {"us", NS_PER_US},
		{"usec", NS_PER_US},	   {"ms", NS_PER_MS},	    {"msec", NS_PER_MS},
		{"m", 60 * NS_PER_S},	   {"min", 60 * NS_PER_S},  {"h", 3600 * NS_PER_S},
		{"hour", 3600 * NS_PER_S}, {"d", 86400 * NS_PER_S}, {"day", 86400 * NS_PER_S},
	};

	if (!*suffix)
		return bare;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcasecmp(suffix, units[i].text) == 0)
			return units[i].ns;
	return 0;
}

/* The digits behind a point as nanoseconds of the unit; *text moves behind them. */
static bool take_fraction(const char **text, uint64_t unit, uint64_t *ret_ns)
{
	const char *p = *text;
	uint64_t ns = 0, place = unit;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++) {
		if (place % 10 != 0 && *p != '0')
			return false; /* finer than a nanosecond */
		place /= 10;
		ns += place * (uint64_t)(*p - '0');
	}
	*text = p;
	*ret_ns = ns;
	return true;
}

static int parse_time(const char *text, uint64_t bare, uint64_t *ret_ns, struct error *err)
{
	const char *p = text, *suffix;
	char quoted[TEXT_EXCERPT_MAX];
	uint64_t value, unit, fraction = 0;

	if (!take_digits(&p, &value))
		goto bad;
	suffix = p;
	if (*suffix == '.')
		suffix += 1 + strspn(suffix + 1, "0123456789");
	unit = time_unit(suffix, bare);
	if (unit == 0)
		goto bad;
	if (*p == '.') {
		p++;
		if (!take_fraction(&p, unit, &fraction))
			goto bad;
	}
	if (__builtin_mul_overflow(value, unit, &value) ||
	    __builtin_add_overflow(value, fraction, &value) || value % NS_PER_US != 0)
		goto bad;
	*ret_ns = value;
	return 0;
bad:
	return error_set(
		err, ERROR_BAD_TIME, "",
		"\"%s\" is not a time: give %sseconds, or a number with us, ms, s, m, h or "
		"d, as in 60, 500ms or 2m",
		text_excerpt(text, quoted), bare == NS_PER_US ? "micro" : "");
}

int quantity_parse_time(const char *text, uint64_t *ret_ns, struct error *err)
{
	return parse_time(text, NS_PER_S, ret_ns, err);
}

int quantity_parse_microseconds(const char *text, uint64_t *ret_ns, struct error *err)
{
	return parse_time(text, NS_PER_US, ret_ns, err);
}

int quantity_parse_count(const char *text, uint64_t *ret_count, struct error *err)
{
	const char *digits = text + (*text == '-');
	char quoted[TEXT_EXCERPT_MAX];

	if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
		return error_set(err, ERROR_BAD_VALUE, "", "\"%s\" is not a whole number",
				 text_excerpt(text, quoted));
	if (*text == '-' || !take_digits(&digits, ret_count))
		return error_set(err, ERROR_OUT_OF_RANGE, "", "%s is out of range",
				 text_excerpt(text, quoted));
	return 0;
}

const char *quantity_format_size(uint64_t bytes, char buffer[QUANTITY_TEXT_MAX])
{
	static const char letters[] = {'\0', 'k', 'm', 'g', 't', 'p'};
	size_t unit = 0;

	while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < sizeof(letters)) {
		bytes /= 1024;
		unit++;
	}
	(void)snprintf(buffer, QUANTITY_TEXT_MAX, "%" PRIu64 "%.*s", bytes, unit > 0,
		       &letters[unit]);
	return buffer;
}

const char *quantity_format_time(uint64_t ns, char buffer[QUANTITY_TEXT_MAX])
{
	if (ns % NS_PER_S == 0)
		(void)snprintf(buffer, QUANTITY_TEXT_MAX, "%" PRIu64, ns / NS_PER_S);
	else if (ns % NS_PER_MS == 0)
		(void)snprintf(buffer, QUANTITY_TEXT_MAX, "%" PRIu64 "ms", ns / NS_PER_MS);
	else
		(void)snprintf(buffer, QUANTITY_TEXT_MAX, "%" PRIu64 "us", ns / NS_PER_US);
	return buffer;
}

bool quantity_fio_differs(const char *text)
{
	const char *p = text + strspn(text, "0123456789");

	if (*p == '.')
		return true;
	return *p && strcasecmp(p + 1, "ib") == 0;
}
