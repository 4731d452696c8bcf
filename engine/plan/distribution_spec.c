/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distribution_spec.c - see distribution_spec.h. */
#include "engine/plan/distribution_spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/data_files.h"
#include "engine/plan/quantity.h"
#include "engine/plan/workload_sizes.h"

#define NAME "random_distribution"
#define NUMBER_MAX 32 /* bytes of a number as it is typed */
#define ZONE_MAX 64   /* bytes of a zone as it is typed */

/* What stands before the first colon. */
static const struct {
	const char *name;
	double value; /* where none is given */
} kinds[] = {
	[DISTRIBUTION_RANDOM] = {"random", 0},	 [DISTRIBUTION_ZIPF] = {"zipf", 1.1},
	[DISTRIBUTION_PARETO] = {"pareto", 0.2}, [DISTRIBUTION_NORMAL] = {"normal", 0},
	[DISTRIBUTION_ZONED] = {"zoned", 0},	 [DISTRIBUTION_ZONED_ABS] = {"zoned_abs", 0},
};

static int bad_kind(const char *text, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	return error_set(err, ERROR_BAD_VALUE, "",
			 NAME " cannot be \"%s\"; it is random, zipf:THETA, pareto:H, "
			      "normal:DEVIATION (with :CENTER behind them), zoned:ACCESS/SIZE:... "
			      "or zoned_abs:ACCESS/BYTES:...",
			 text_excerpt(text, quoted));
}

/* ---- zipf, pareto, normal ---- */

/* Digits, perhaps a point and more of them: all of length bytes. */
static bool parse_number(const char *text, size_t length, double *ret_value)
{
	char number[NUMBER_MAX];
	size_t digits = 0;

	if (length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	if (strspn(number, "0123456789.") != length || strchr(number, '.') != strrchr(number, '.'))
		return false;
	for (size_t i = 0; i < length; i++)
		digits += number[i] != '.';
	*ret_value = strtod(number, NULL);
	return digits > 0;
}

static int check_value(const char *text, const struct distribution_spec *spec, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	(void)text_excerpt(text, quoted);
	switch (spec->kind) {
	case DISTRIBUTION_ZIPF:
		if (spec->value == 1)
			return error_set(err, ERROR_OUT_OF_RANGE, "",
					 NAME "=%s: a theta of 1 is the one that has no formula; "
					      "0.99 and 1.01 have",
					 quoted);
		if (spec->value > DISTRIBUTION_THETA_MAX)
			return error_set(err, ERROR_OUT_OF_RANGE, "", NAME "=%s: theta is 0 to %d",
					 quoted, DISTRIBUTION_THETA_MAX);
		return 0;
	case DISTRIBUTION_PARETO:
		if (spec->value <= 0 || spec->value >= 1)
			return error_set(err, ERROR_OUT_OF_RANGE, "",
					 NAME "=%s: h is above 0 and below 1, as in pareto:0.2",
					 quoted);
		return 0;
	default:
		if (spec->value >= 100)
			return error_set(err, ERROR_OUT_OF_RANGE, "",
					 NAME "=%s: the deviation is 0 or more and below 100 "
					      "percent, as in normal:20",
					 quoted);
		return 0;
	}
}

/* "1.2" or "1.2:0.25". */
static int parse_values(const char *text, const char *values, struct distribution_spec *spec,
			struct error *err)
{
	size_t length = strcspn(values, ":");
	char quoted[TEXT_EXCERPT_MAX];

	if (!parse_number(values, length, &spec->value))
		return error_set(err, ERROR_BAD_VALUE, "",
				 NAME "=%s: a number stands behind %s:, as in %s:%s",
				 text_excerpt(text, quoted), kinds[spec->kind].name,
				 kinds[spec->kind].name,
				 spec->kind == DISTRIBUTION_ZIPF     ? "1.2"
				 : spec->kind == DISTRIBUTION_PARETO ? "0.2"
								     : "20");
	if (values[length] == ':') {
		const char *center = values + length + 1;

		spec->centered = true;
		if (!parse_number(center, strlen(center), &spec->center) || spec->center > 1)
			return error_set(err, ERROR_OUT_OF_RANGE, "",
					 NAME "=%s: the center is a number from 0 to 1, the share "
					      "of the region before it",
					 text_excerpt(text, quoted));
	}
	return check_value(text, spec, err);
}

/* ---- zones ---- */

static int bad_zone(const char *text, const char *zone, const char *why, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX], part[TEXT_EXCERPT_MAX];

	return error_set(err, ERROR_BAD_VALUE, "", NAME "=%s: the zone \"%s\" %s",
			 text_excerpt(text, quoted), text_excerpt(zone, part), why);
}

/* "60/10": a size of UINT64_MAX is one that was not given. */
static int parse_zone(const char *text, const char *zone, bool absolute,
		      struct distribution_zone *ret_zone, struct error *err)
{
	char access[ZONE_MAX];
	const char *size = strchr(zone, '/');
	size_t length = size ? (size_t)(size - zone) : strlen(zone);

	memcpy(access, zone, length); /* a zone is shorter than ZONE_MAX */
	access[length] = '\0';
	if (quantity_parse_count(access, &ret_zone->access, NULL) < 0 || ret_zone->access > 100)
		return bad_zone(text, zone, "begins with the percent of the operations: 0 to 100",
				err);
	ret_zone->size = UINT64_MAX;
	if (size)
		size++;
	if (!size || !*size)
		return absolute ? bad_zone(text, zone, "needs its bytes, as in 60/10G", err) : 0;
	if (absolute &&
	    (quantity_parse_size(size, &ret_zone->size, NULL) < 0 || quantity_fio_differs(size) ||
	     ret_zone->size > INT64_MAX || ret_zone->size == 0))
		return bad_zone(text, zone, "needs its bytes behind the slash, as in 60/10G", err);
	if (!absolute && (quantity_parse_count(size, &ret_zone->size, NULL) < 0 ||
			  ret_zone->size > 100 || ret_zone->size == 0))
		return bad_zone(text, zone,
				"has the percent of the region behind the slash: 1 to 100", err);
	return 0;
}

/* ACCESS is 100; sizes that were not given share the rest. */
static int complete_zones(const char *text, struct distribution_zone *zones, uint64_t count,
			  bool absolute, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];
	uint64_t access = 0, size = 0, missing = 0;

	for (uint64_t i = 0; i < count; i++) {
		access += zones[i].access;
		missing += zones[i].size == UINT64_MAX;
		if (zones[i].size != UINT64_MAX &&
		    __builtin_add_overflow(size, zones[i].size, &size))
			size = UINT64_MAX;
	}
	(void)text_excerpt(text, quoted);
	if (access != 100)
		return error_set(err, ERROR_BAD_VALUE, "",
				 NAME "=%s: the zones' percent of the operations make %" PRIu64
				      ", not 100",
				 quoted, access);
	if (absolute)
		return size <= INT64_MAX
			       ? 0
			       : error_set(err, ERROR_OUT_OF_RANGE, "",
					   NAME "=%s: the zones' bytes are more than any file's",
					   quoted);
	if (size > 100)
		return error_set(err, ERROR_BAD_VALUE, "",
				 NAME "=%s: the zones' percent of the region make %" PRIu64
				      ", more than 100",
				 quoted, size);
	for (uint64_t i = 0; i < count; i++)
		if (zones[i].size == UINT64_MAX)
			zones[i].size = (100 - size) / missing;
	for (uint64_t i = 0; i < count; i++)
		if (zones[i].size == 0)
			return error_set(err, ERROR_BAD_VALUE, "",
					 NAME "=%s: nothing of the region is left for the zones "
					      "without a size",
					 quoted);
	return 0;
}

/* The zones of a direction, up to the comma or the end. */
static int parse_direction(const char *text, const char *part, struct distribution_spec *spec,
			   enum direction direction, struct error *err)
{
	bool absolute = spec->kind == DISTRIBUTION_ZONED_ABS;
	uint64_t *count = &spec->zone_counts[direction];
	char quoted[TEXT_EXCERPT_MAX];

	for (;; part++) {
		size_t length = strcspn(part, ":,");
		char zone[ZONE_MAX];

		if (*count == DISTRIBUTION_ZONES_MAX)
			return error_set(err, ERROR_TOO_MANY, "",
					 NAME "=%s: a direction has at most %d zones",
					 text_excerpt(text, quoted), DISTRIBUTION_ZONES_MAX);
		(void)snprintf(zone, sizeof(zone), "%.*s", (int)length, part);
		if (length >= sizeof(zone))
			return bad_zone(text, zone, "is too long for a zone", err);
		if (parse_zone(text, zone, absolute, &spec->zones[direction][*count], err) < 0)
			return -EINVAL;
		(*count)++;
		part += length;
		if (*part != ':')
			break;
	}
	return complete_zones(text, spec->zones[direction], *count, absolute, err);
}

/* The last direction that was given serves the rest. */
static int parse_zones(const char *text, const char *part, struct distribution_spec *spec,
		       struct error *err)
{
	bool any = false;
	int given = 0;

	for (;; part++) {
		size_t length = strcspn(part, ",");

		if (given == DIRECTION_COUNT)
			return bad_zone(text, part,
					"has no direction: there are reads, writes and "
					"trims",
					err);
		any |= length > 0;
		if (length > 0 && parse_direction(text, part, spec, (enum direction)given, err) < 0)
			return -EINVAL;
		given++;
		part += length;
		if (!*part)
			break;
	}
	if (!any)
		return bad_zone(text, "",
				"is empty: the zones stand behind the colon, as in "
				"60/10:40/90",
				err);
	spec->directions = given > 1;
	for (; given < DIRECTION_COUNT; given++) {
		spec->zone_counts[given] = spec->zone_counts[given - 1];
		memcpy(spec->zones[given], spec->zones[given - 1], sizeof(spec->zones[given]));
	}
	return 0;
}

/* ---- all ---- */

int distribution_spec_parse(const char *text, struct distribution_spec *ret_spec, struct error *err)
{
	size_t length = strcspn(text, ":");
	struct error ignored;
	size_t kind = 0;

	if (!err)
		err = &ignored;
	while (kind < ARRAY_SIZE(kinds) &&
	       (strlen(kinds[kind].name) != length || strncmp(text, kinds[kind].name, length) != 0))
		kind++;
	if (kind == ARRAY_SIZE(kinds))
		return bad_kind(text, err);
	memset(ret_spec, 0, sizeof(*ret_spec));
	ret_spec->kind = (enum distribution_kind)kind;
	ret_spec->value = kinds[kind].value;
	if (kind == DISTRIBUTION_ZONED || kind == DISTRIBUTION_ZONED_ABS)
		return parse_zones(text, text + length + (text[length] == ':'), ret_spec, err);
	if (!text[length])
		return 0;
	if (kind == DISTRIBUTION_RANDOM)
		return bad_kind(text, err);
	return parse_values(text, text + length + 1, ret_spec, err);
}

bool distribution_spec_given(const struct workload *workload)
{
	return workload->random_distribution &&
	       strcmp(workload->random_distribution, kinds[DISTRIBUTION_RANDOM].name) != 0;
}

static int conflict(const struct workload *workload, struct error *err, const char *why)
{
	char quoted[TEXT_EXCERPT_MAX];

	return error_set(err, ERROR_CONFLICT, "random_distribution", NAME "=%s %s",
			 text_excerpt(workload->random_distribution, quoted), why);
}

/* Bytes that the zones lie in: of each job, or of the smallest of its files. */
static uint64_t region_bytes(const struct workload *workload)
{
	uint64_t least = UINT64_MAX;
	struct data_files files;

	if (!data_files_given(workload))
		return workload->size;
	data_files_of(workload, &files);
	for (uint64_t i = 0; i < files.count; i++) {
		uint64_t bytes = data_files_bytes(workload, i);

		least = bytes < least ? bytes : least;
	}
	return least;
}

/* Each zone holds a block to draw, where any are drawn there: their bounds are rounded down to
 * blocks. */
static int check_blocks(const struct workload *workload, const struct distribution_spec *spec,
			enum direction direction, uint64_t bytes, struct error *err)
{
	const struct distribution_zone *zones = spec->zones[direction];
	uint64_t unit = workload_alignment(workload, direction), before = 0, end;
	uint64_t blocks = workload_blocks(workload, direction, bytes);

	for (uint64_t i = 0; i < spec->zone_counts[direction]; i++, before = end) {
		end = before + zones[i].size;
		if (end / unit > blocks)
			return conflict(workload, err,
					data_files_given(workload)
						? "has zones that end behind the last request that "
						  "fits into the smallest of a job's files"
						: "has zones that end behind the last request that "
						  "fits into size");
		if (end / unit == before / unit && zones[i].access > 0)
			return conflict(
				workload, err,
				"has a zone without a block: its bounds are rounded down to "
				"multiples of the smallest request, or of blockalign");
	}
	return 0;
}

int distribution_spec_fits(const struct workload *workload, struct error *err)
{
	struct distribution_spec spec;
	uint64_t bytes;
	int r;

	if (!distribution_spec_given(workload))
		return 0;
	r = distribution_spec_parse(workload->random_distribution, &spec, err);
	if (r < 0)
		return r;
	bytes = region_bytes(workload);
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++) {
		if (!workload_moves(workload, (enum direction)d))
			continue;
		if (distribution_spec_bytes(&spec, (enum direction)d) > bytes)
			return conflict(workload, err,
					data_files_given(workload)
						? "asks for more bytes than each file of a job has"
						: "asks for more bytes than each job has");
		if (spec.kind == DISTRIBUTION_ZONED_ABS)
			r = check_blocks(workload, &spec, (enum direction)d, bytes, err);
	}
	return r;
}

int distribution_spec_complete(struct workload *workload, struct error *err)
{
	struct distribution_spec spec;
	int r;

	if (!distribution_spec_given(workload))
		return 0;
	r = distribution_spec_parse(workload->random_distribution, &spec, err);
	if (r < 0)
		return r;
	if (!workload_random(workload))
		return conflict(
			workload, err,
			"says where random requests go, and rw makes none: give rw=randread, "
			"randwrite, randrw or randtrim, or leave it out");
	if (workload_is_set(workload, OPTION_ID_NORANDOMMAP) && !workload->norandommap)
		return conflict(
			workload, err,
			"touches some blocks again before others, and norandommap=0 promises "
			"that none is: leave out one of them");
	workload->norandommap = true;
	return workload->size != 0 ? distribution_spec_fits(workload, err) : 0;
}

bool distribution_spec_fio(const struct workload *workload)
{
	struct distribution_spec spec;
	uint64_t one = 0; /* bytes of the smallest request */

	if (!distribution_spec_given(workload) ||
	    distribution_spec_parse(workload->random_distribution, &spec, NULL) < 0)
		return true;
	if (spec.kind == DISTRIBUTION_ZONED || spec.kind == DISTRIBUTION_ZONED_ABS)
		return !spec.directions;
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		uint64_t least = workload_least_request(workload, (enum direction)d);

		if (!workload_moves(workload, (enum direction)d))
			continue;
		if (workload_alignment(workload, (enum direction)d) != least ||
		    (one != 0 && least != one))
			return false;
		one = least;
	}
	return true;
}

uint64_t distribution_spec_bytes(const struct distribution_spec *spec, enum direction direction)
{
	uint64_t bytes = 0;

	if (spec->kind == DISTRIBUTION_ZONED_ABS)
		for (uint64_t i = 0; i < spec->zone_counts[direction]; i++)
			bytes += spec->zones[direction][i].size;
	return bytes;
}
