/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_repeats.c - see definition_repeats.h. */
#include "server/codec/definition_repeats.h"

#include "server/codec/fields.h"
#include "server/codec/json.h"

int definition_decode_integer(const json_t *value, const char *pointer, const char *name,
			      json_int_t min, json_int_t max, json_int_t *ret_value,
			      struct error *err)
{
	const json_t *member = json_object_get(value, name);
	char field[ERROR_FIELD_MAX];

	if (!member)
		return 0;
	json_pointer_member(field, sizeof(field), pointer, name);
	if (!json_is_integer(member))
		return error_set(err, ERROR_WRONG_TYPE, field, "%s is a whole number", name);
	if (json_integer_value(member) < min || json_integer_value(member) > max)
		return error_set(err, ERROR_OUT_OF_RANGE, field,
				 "%s is %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT
				 ", not %" JSON_INTEGER_FORMAT,
				 name, min, max, json_integer_value(member));
	*ret_value = json_integer_value(member);
	return 0;
}

static int decode_percent(const json_t *value, double *ret_percent, struct error *err)
{
	const json_t *member = json_object_get(value, "until_ci_percent");
	double percent = json_number_value(member);

	if (!member)
		return error_set(err, ERROR_MISSING_FIELD, "/repeats/until_ci_percent",
				 "until_ci_percent is missing: how narrow the intervals of the "
				 "differences are to become; or give repeats as a number");
	if (!json_is_number(member))
		return error_set(err, ERROR_WRONG_TYPE, "/repeats/until_ci_percent",
				 "until_ci_percent is a number");
	if (!(percent >= REPEATS_PERCENT_MIN && percent <= REPEATS_PERCENT_MAX))
		return error_set(err, ERROR_OUT_OF_RANGE, "/repeats/until_ci_percent",
				 "until_ci_percent is %g to %g, not %g", REPEATS_PERCENT_MIN,
				 REPEATS_PERCENT_MAX, percent);
	*ret_percent = percent;
	return 0;
}

static int decode_early(const json_t *value, struct definition *definition, struct error *err)
{
	static const char *const names[] = {"min", "max", "until_ci_percent", NULL};
	json_int_t least = REPEATS_LEAST_MIN, most = 0;
	struct repeats repeats = {0};
	int r = json_only_members(value, "/repeats", names, err);

	if (r == 0)
		r = definition_decode_integer(value, "/repeats", "min", REPEATS_LEAST_MIN,
					      DEFINITION_REPEATS_MAX - 1, &least, err);
	if (r == 0)
		r = definition_decode_integer(value, "/repeats", "max", 1, DEFINITION_REPEATS_MAX,
					      &most, err);
	if (r == 0 && most == 0)
		r = error_set(err, ERROR_MISSING_FIELD, "/repeats/max",
			      "max is missing: how many repeats to make at most");
	if (r == 0)
		r = decode_percent(value, &repeats.until_ci_percent, err);
	if (r < 0)
		return r;
	repeats.least = (unsigned int)least;
	repeats.most = (unsigned int)most;
	repeats_set(definition, &repeats);
	return 0;
}

int definition_decode_repeats(const json_t *value, struct definition *definition, struct error *err)
{
	const json_t *member = json_object_get(value, "repeats");
	json_int_t count = 1;
	int r;

	if (json_is_object(member))
		return decode_early(member, definition, err);
	if (member && !json_is_integer(member))
		return error_set(err, ERROR_WRONG_TYPE, "/repeats",
				 "repeats is a whole number, or {\"min\", \"max\", "
				 "\"until_ci_percent\"}");
	r = definition_decode_integer(value, "", "repeats", 1, DEFINITION_REPEATS_MAX, &count, err);
	if (r < 0)
		return r;
	definition->repeats = (unsigned int)count;
	return 0;
}

json_t *definition_encode_repeats(const struct repeats *repeats)
{
	json_t *value;
	int failed = 0;

	if (repeats->until_ci_percent <= 0)
		return json_integer((json_int_t)repeats->most);
	value = json_object();
	failed |= put_u64(value, "min", repeats->least);
	failed |= put_u64(value, "max", repeats->most);
	failed |= put_real(value, "until_ci_percent", repeats->until_ci_percent);
	return put_end(value, failed);
}

/* ---- how they ended ---- */

#define CI_PERCENT_MAX 1e12

int put_repeats_outcome(json_t *object, const struct repeats_outcome *outcome)
{
	json_t *value;
	int failed = 0;

	if (outcome->end == REPEATS_END_NONE)
		return 0;
	value = json_object();
	failed |= put_text(value, "ended", repeats_end_names[outcome->end]);
	failed |= put_u64(value, "made", outcome->made);
	failed |= put_u64(value, "most", outcome->most);
	if (outcome->ci_percent > 0)
		failed |= put_real(value, "ci_percent", outcome->ci_percent);
	failed |= put_real(value, "until_ci_percent", outcome->until_ci_percent);
	return put_value(object, "repeats", put_end(value, failed));
}

int get_repeats_outcome(const struct fields *in, struct repeats_outcome *ret_outcome)
{
	struct repeats_outcome outcome = {.end = REPEATS_END_NONE};
	uint64_t made = 0, most = 0;
	struct fields value;
	size_t end = 0;
	int r = 0;

	*ret_outcome = outcome;
	if (!fields_have(in, "repeats"))
		return 0;
	r = get_object(in, "repeats", &value);
	if (r == 0)
		r = get_choice(&value, "ended", repeats_end_names, REPEATS_END_COUNT, &end);
	if (r == 0)
		r = get_u64(&value, "most", DEFINITION_REPEATS_MAX, &most);
	if (r == 0)
		r = get_u64(&value, "made", most, &made);
	if (r == 0 && fields_have(&value, "ci_percent"))
		r = get_real(&value, "ci_percent", CI_PERCENT_MAX, &outcome.ci_percent);
	if (r == 0)
		r = get_real(&value, "until_ci_percent", REPEATS_PERCENT_MAX,
			     &outcome.until_ci_percent);
	if (r < 0)
		return r;
	outcome.end = (enum repeats_end)end;
	outcome.made = (unsigned int)made;
	outcome.most = (unsigned int)most;
	*ret_outcome = outcome;
	return 0;
}
