/* SPDX-License-Identifier: GPL-3.0-or-later */
/* percentiles.c - see percentiles.h. */
#include "engine/plan/percentiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

/* 123.456789 */
#define NUMBER_MAX 10
#define FRACTION_MAX 6

/* Where a value stands, or is to stand. */
static size_t place(const struct percentiles *list, double percent)
{
	size_t at = 0;

	while (at < list->count && list->values[at] < percent)
		at++;
	return at;
}

bool percentiles_has(const struct percentiles *list, double percent)
{
	size_t at = place(list, percent);

	return at < list->count && list->values[at] <= percent;
}

static void add(struct percentiles *list, double percent)
{
	size_t at = place(list, percent);

	if (percentiles_has(list, percent) || list->count == PERCENTILES_MAX)
		return;
	memmove(&list->values[at + 1], &list->values[at],
		(list->count - at) * sizeof(list->values[0]));
	list->values[at] = percent;
	list->count++;
}

void percentiles_join(struct percentiles *list, const struct percentiles *more)
{
	for (size_t i = 0; i < more->count; i++)
		add(list, more->values[i]);
}

static int bad(const char *part, size_t length, struct error *err)
{
	char text[32], quoted[TEXT_EXCERPT_MAX];

	(void)snprintf(text, sizeof(text), "%.*s", (int)(length < 31 ? length : 31), part);
	return error_set(err, ERROR_BAD_VALUE, "percentile_list",
			 "percentile_list cannot hold \"%s\": give numbers above 0 and below 100, "
			 "with at most six digits behind the point, as in 50:99:99.9 (the largest "
			 "value is always told)",
			 text_excerpt(text, quoted));
}

/* Digits, and perhaps a point and digits. */
static bool parse_number(const char *part, size_t length, double *ret_percent)
{
	size_t whole = strspn(part, "0123456789"), fraction = 0;
	char number[NUMBER_MAX + 1];

	if (length > NUMBER_MAX || whole == 0)
		return false;
	if (whole < length) {
		fraction = strspn(part + whole + 1, "0123456789");
		if (part[whole] != '.' || fraction == 0 || fraction > FRACTION_MAX ||
		    whole + 1 + fraction != length)
			return false;
	}
	memcpy(number, part, length);
	number[length] = '\0';
	*ret_percent = strtod(number, NULL);
	return *ret_percent > 0 && *ret_percent < 100;
}

int percentiles_parse(const char *text, struct percentiles *ret_list, struct error *err)
{
	struct percentiles list = {.count = 0};
	size_t given = 0;

	for (const char *part = text;; part++) {
		size_t length = strcspn(part, ":");
		double percent;

		if (!parse_number(part, length, &percent))
			return bad(part, length, err);
		if (++given > PERCENTILES_LIST_MAX)
			return error_set(err, ERROR_TOO_MANY, "percentile_list",
					 "percentile_list has more than %d percentiles",
					 PERCENTILES_LIST_MAX);
		add(&list, percent);
		part += length;
		if (!*part)
			break;
	}
	*ret_list = list;
	return 0;
}

void percentiles_of(const struct workload *workload, const double *standard, size_t standard_count,
		    struct percentiles *ret_list)
{
	/* A completed workload's list was parsed before. */
	if (workload->percentile_list &&
	    percentiles_parse(workload->percentile_list, ret_list, NULL) == 0)
		return;
	ret_list->count = 0;
	for (size_t i = 0; i < standard_count; i++)
		add(ret_list, standard[i]);
}
