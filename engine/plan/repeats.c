/* SPDX-License-Identifier: GPL-3.0-or-later */
/* repeats.c - see repeats.h. */
#include "engine/plan/repeats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

const char *const repeats_end_names[REPEATS_END_COUNT] = {
	[REPEATS_END_NONE] = "none",
	[REPEATS_END_MOST] = "most",
	[REPEATS_END_PRECISE] = "precise",
};

struct repeats repeats_of(const struct definition *definition)
{
	struct repeats repeats = {.least = definition->repeats, .most = definition->repeats};

	if (repeats_may_end(definition)) {
		repeats.least = definition->repeats_min;
		repeats.until_ci_percent = definition->until_ci_percent;
	}
	return repeats;
}

void repeats_set(struct definition *definition, const struct repeats *repeats)
{
	definition->repeats = repeats->most;
	definition->until_ci_percent = repeats->until_ci_percent;
	definition->repeats_min = repeats->until_ci_percent > 0 ? repeats->least : 0;
}

bool repeats_may_end(const struct definition *definition)
{
	return definition->until_ci_percent > 0;
}

/* ---- as a text ---- */

/* Digits and what follows them; false where there are none, or too many. */
static bool take_count(const char **text, unsigned int *ret_count)
{
	size_t digits = strspn(*text, "0123456789");

	if (digits == 0 || digits > 6)
		return false;
	*ret_count = (unsigned int)strtoul(*text, NULL, 10);
	*text += digits;
	return true;
}

/* "2%", "0.5%": no sign, no exponent. */
static bool take_percent(const char *text, double *ret_percent)
{
	size_t length = strspn(text, "0123456789.");
	char *end;

	if (length == 0 || length > 12 || strcmp(text + length, "%") != 0)
		return false;
	*ret_percent = strtod(text, &end);
	return end == text + length;
}

int repeats_parse(const char *text, struct repeats *ret_repeats, struct error *err)
{
	struct repeats repeats = {0};
	char quoted[TEXT_EXCERPT_MAX];
	const char *rest = text;
	bool good = take_count(&rest, &repeats.least);

	repeats.most = repeats.least;
	if (good && *rest == '-') {
		rest++;
		good = take_count(&rest, &repeats.most) && *rest == ':' &&
		       take_percent(rest + 1, &repeats.until_ci_percent) &&
		       repeats.until_ci_percent > 0;
	} else {
		good = good && *rest == '\0';
	}
	if (!good)
		return error_set(
			err, ERROR_BAD_VALUE, "",
			"a number from 1 to %d, or MIN-MAX:PERCENT%% such as 5-30:2%%, not "
			"\"%s\"",
			DEFINITION_REPEATS_MAX, text_excerpt(text, quoted));
	if (repeats.least < 1 || repeats.most > DEFINITION_REPEATS_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "", "a number from 1 to %d, not \"%s\"",
				 DEFINITION_REPEATS_MAX, text_excerpt(text, quoted));
	*ret_repeats = repeats;
	return 0;
}

/* ---- what is asked for ---- */

static int check_early(const struct definition *definition, struct error *err)
{
	unsigned int least = definition->repeats_min;
	double percent = definition->until_ci_percent;

	if (!(percent >= REPEATS_PERCENT_MIN && percent <= REPEATS_PERCENT_MAX))
		return error_set(err, ERROR_OUT_OF_RANGE, "/repeats/until_ci_percent",
				 "until_ci_percent is %g to %g", REPEATS_PERCENT_MIN,
				 REPEATS_PERCENT_MAX);
	if (least < REPEATS_LEAST_MIN || least >= DEFINITION_REPEATS_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "/repeats/min",
				 "min is %d to %d, not %u: fewer repeats tell too little of the "
				 "spread to be ended by it",
				 REPEATS_LEAST_MIN, DEFINITION_REPEATS_MAX - 1, least);
	if (definition->repeats <= least)
		return error_set(err, ERROR_OUT_OF_RANGE, "/repeats/max",
				 "max is above min (%u), not %u; for so many at any rate write "
				 "\"repeats\": %u",
				 least, definition->repeats, definition->repeats);
	if (definition->order == ORDER_GROUPED)
		return error_set(err, ERROR_CONFLICT, "/order",
				 "repeats end at the end of a block that holds every combination; "
				 "in the order grouped only the last one does: leave out order, or "
				 "until_ci_percent");
	return 0;
}

int repeats_check(const struct definition *definition, struct error *err)
{
	bool early = repeats_may_end(definition);

	if (definition->repeats < 1 || definition->repeats > DEFINITION_REPEATS_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, early ? "/repeats/max" : "/repeats",
				 "%s is 1 to %d, not %u", early ? "max" : "repeats",
				 DEFINITION_REPEATS_MAX, definition->repeats);
	return early ? check_early(definition, err) : 0;
}

/* ---- in words ---- */

static bool compares(const struct definition *definition)
{
	return definition->factor_count > 0 && definition->factors[0].level_count > 1;
}

const char *repeats_text(const struct definition *definition, char buffer[REPEATS_TEXT_MAX])
{
	const struct repeats repeats = repeats_of(definition);

	if (repeats.until_ci_percent > 0)
		(void)snprintf(buffer, REPEATS_TEXT_MAX,
			       "%u to %u repeats, until %s are known to ±%g %%", repeats.least,
			       repeats.most, compares(definition) ? "differences" : "figures",
			       repeats.until_ci_percent);
	else
		(void)snprintf(buffer, REPEATS_TEXT_MAX, "%u repeat%s", repeats.most,
			       repeats.most == 1 ? "" : "s");
	return buffer;
}

const char *repeats_outcome_text(const struct repeats_outcome *outcome,
				 char buffer[REPEATS_OUTCOME_MAX])
{
	char known[48] = "";

	buffer[0] = '\0';
	if (outcome->end == REPEATS_END_NONE)
		return buffer;
	if (outcome->ci_percent > 0)
		(void)snprintf(known, sizeof(known), "known to ±%.3g %%", outcome->ci_percent);
	if (outcome->end == REPEATS_END_PRECISE)
		(void)snprintf(buffer, REPEATS_OUTCOME_MAX,
			       "%u of at most %u repeats: %s (asked: ±%g %%)", outcome->made,
			       outcome->most, known, outcome->until_ci_percent);
	else
		(void)snprintf(buffer, REPEATS_OUTCOME_MAX, "all %u repeats%s%s (asked: ±%g %%)",
			       outcome->made, known[0] ? ": " : "", known,
			       outcome->until_ci_percent);
	return buffer;
}
