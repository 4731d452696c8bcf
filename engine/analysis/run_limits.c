/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_limits.c - see run_limits.h. */
#include "engine/analysis/run_limits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

#define LATENCY_MOST 100000.0 /* percent: a thousand times as long */
#define UNMATCHED_MOST 1e6

const char *const run_limit_names[RUN_LIMIT_COUNT] = {"iops_percent",	 "bandwidth_percent",
						      "latency_percent", "latency_p99_percent",
						      "files_percent",	 "unmatched"};

/* ---- which limits ---- */

static int find(const char *name)
{
	for (int i = 0; i < RUN_LIMIT_COUNT; i++)
		if (strcmp(run_limit_names[i], name) == 0)
			return i;
	return -1;
}

static int check_value(int limit, double value, struct error *err)
{
	if (limit == RUN_LIMIT_UNMATCHED) {
		if (value >= 0 && value <= UNMATCHED_MOST && value == floor(value))
			return 0;
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "unmatched is how many cells may be without a partner: a whole "
				 "number from 0 to %.0f",
				 UNMATCHED_MOST);
	}
	if (run_figure_less_is_better((enum run_figure)limit)) {
		if (value >= 0 && value <= LATENCY_MOST)
			return 0;
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "%s is how many percent longer it may take: from 0 to %.0f, "
				 "such as 10",
				 run_limit_names[limit], LATENCY_MOST);
	}
	if (value > -100 && value <= 0)
		return 0;
	return error_set(err, ERROR_BAD_PARAMETER, "",
			 "%s is how many percent less may be done: above -100 up to 0, such as -5",
			 run_limit_names[limit]);
}

int run_limits_set(struct run_limits *limits, const char *name, double value, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];
	int limit = find(name), r;

	if (limit < 0)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "there is no limit \"%s\"; there are iops_percent, "
				 "bandwidth_percent, latency_percent, latency_p99_percent, "
				 "files_percent and unmatched",
				 text_excerpt(name, quoted));
	if (limits->set[limit])
		return error_set(err, ERROR_BAD_PARAMETER, "", "the limit %s was given twice",
				 name);
	r = check_value(limit, value, err);
	if (r < 0)
		return r;
	limits->set[limit] = true;
	limits->values[limit] = value;
	return 0;
}

/* "iops_percent=-5", of `length` bytes. */
static int parse_one(const char *text, size_t length, struct run_limits *limits, struct error *err)
{
	char word[TEXT_EXCERPT_MAX], quoted[TEXT_EXCERPT_MAX], *value, *end;
	double number;

	if (length >= sizeof(word))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "a limit is NAME=NUMBER, such as iops_percent=-5, not \"%s\"",
				 text_excerpt(text, quoted));
	memcpy(word, text, length);
	word[length] = '\0';
	value = strchr(word, '=');
	if (value)
		*value++ = '\0';
	/* strtod() would take blanks, "inf", "nan" and hexadecimal digits. */
	if (!value || !*value || value[strspn(value, "+-.0123456789")])
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "a limit is NAME=NUMBER, such as iops_percent=-5, not \"%s\"",
				 text_excerpt(text, quoted));
	number = strtod(value, &end);
	if (*end)
		return error_set(err, ERROR_BAD_PARAMETER, "", "%s: \"%s\" is no number", word,
				 text_excerpt(value, quoted));
	return run_limits_set(limits, word, number, err);
}

int run_limits_parse(const char *text, struct run_limits *limits, struct error *err)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		int r = parse_one(text, length, limits, err);

		if (r < 0 || !text[length])
			return r;
		text += length + 1;
	}
}

/* ---- holding them ---- */

struct holding {
	const struct run_comparison *comparison;
	struct run_judgement *judgement;
	size_t room;
};

static int add_breach(struct holding *holding, struct run_breach breach)
{
	struct run_judgement *judgement = holding->judgement;

	if (judgement->breach_count == holding->room) {
		size_t room = holding->room * 2 + 16;
		struct run_breach *grown = reallocarray(judgement->breaches, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		judgement->breaches = grown;
		holding->room = room;
	}
	judgement->breaches[judgement->breach_count++] = breach;
	return 0;
}

/* The lowest and the highest that the ratio may be, and itself; false: it is not known. */
static bool range_of(const struct run_ratio *ratio, double range[3], bool *ret_interval)
{
	const struct run_side *a = &ratio->baseline, *b = &ratio->other;

	*ret_interval = ratio->welch.interval;
	if (ratio->welch.interval) {
		range[0] = ratio->welch.low;
		range[1] = ratio->welch.ratio;
		range[2] = ratio->welch.high;
		return true;
	}
	if (a->count == 0 || b->count == 0 || !(a->mean > 0))
		return false;
	/* nothing done at all has no logarithm, and is a fall all the same */
	range[1] = ratio->welch.ratio > 0 ? ratio->welch.ratio : b->mean / a->mean;
	range[0] = a->told_high > 0 ? fmin(b->told_low / a->told_high, range[1]) : range[1];
	range[2] = a->told_low > 0 ? fmax(b->told_high / a->told_low, range[1]) : range[1];
	return true;
}

static int hold_ratio(struct holding *holding, int limit, size_t pair, size_t index, bool *ret_held)
{
	const struct run_ratio *ratio = &holding->comparison->pairs[pair].ratios[index];
	double range[3], allowed = 1 + holding->judgement->limits.values[limit] / 100;
	bool less = run_figure_less_is_better((enum run_figure)limit);
	struct run_breach breach = {.limit = limit, .pair = pair, .ratio = index};

	if (!range_of(ratio, range, &breach.interval))
		return 0;
	*ret_held = true;
	holding->judgement->results[limit].held++;
	if (less ? range[1] <= allowed : range[1] >= allowed)
		return 0;
	breach.fail = less ? range[0] > allowed : range[2] < allowed;
	if (breach.fail)
		holding->judgement->results[limit].failed++;
	else
		holding->judgement->results[limit].open++;
	return add_breach(holding, breach);
}

/* All directions together; where that held nothing, each. */
static int hold_pair(struct holding *holding, int limit, size_t pair)
{
	const struct run_pair *cells = &holding->comparison->pairs[pair];
	bool held = false;
	int r = 0;

	for (int all = 1; all >= 0 && !held; all--)
		for (size_t i = 0; i < cells->ratio_count && r == 0; i++)
			if ((int)cells->ratios[i].figure == limit &&
			    (cells->ratios[i].direction == DIRECTION_COUNT) == (all == 1))
				r = hold_ratio(holding, limit, pair, i, &held);
	return r;
}

static void hold_unmatched(struct holding *holding)
{
	struct run_judgement *judgement = holding->judgement;
	size_t count = 0;

	for (size_t i = 0; i < holding->comparison->alone_count; i++)
		count += holding->comparison->alone[i].baseline;
	judgement->results[RUN_LIMIT_UNMATCHED].held = count;
	judgement->results[RUN_LIMIT_UNMATCHED].fail =
		(double)count > judgement->limits.values[RUN_LIMIT_UNMATCHED];
}

static int hold_all(struct holding *holding)
{
	struct run_judgement *judgement = holding->judgement;
	int r = 0;

	for (int limit = 0; limit < RUN_FIGURE_COUNT && r == 0; limit++) {
		if (!judgement->limits.set[limit])
			continue;
		for (size_t i = 0; i < holding->comparison->pair_count && r == 0; i++)
			r = hold_pair(holding, limit, i);
		judgement->results[limit].fail =
			judgement->results[limit].failed > 0 || judgement->results[limit].held == 0;
	}
	if (judgement->limits.set[RUN_LIMIT_UNMATCHED])
		hold_unmatched(holding);
	for (int limit = 0; limit < RUN_LIMIT_COUNT; limit++)
		judgement->fail = judgement->fail || judgement->results[limit].fail;
	return r;
}

static void fails_first(struct run_judgement *judgement)
{
	size_t at = 0;

	for (size_t i = 0; i < judgement->breach_count; i++) {
		struct run_breach moved = judgement->breaches[i];

		if (!moved.fail)
			continue;
		memmove(judgement->breaches + at + 1, judgement->breaches + at,
			(i - at) * sizeof(*judgement->breaches));
		judgement->breaches[at++] = moved;
	}
}

int run_limits_hold(const struct run_limits *limits, const struct run_comparison *comparison,
		    struct run_judgement *ret_judgement)
{
	struct run_judgement judgement = {.limits = *limits};
	struct holding holding = {.comparison = comparison, .judgement = &judgement};
	int r = hold_all(&holding);

	if (r < 0) {
		run_judgement_done(&judgement);
		return r;
	}
	fails_first(&judgement);
	*ret_judgement = judgement;
	return 0;
}

void run_judgement_done(struct run_judgement *judgement)
{
	free(judgement->breaches);
	*judgement = (struct run_judgement){.breach_count = 0};
}
