/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steadystate.c - see steadystate.h. */
#include "engine/plan/steadystate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/plan/quantity.h"

#define NUMBER_MAX 20
#define LEAST_SECONDS 2 /* one second is its own mean */

static const struct {
	const char *name;
	bool bandwidth, slope;
} criteria[] = {
	{"iops", false, false},
	{"iops_slope", false, true},
	{"bw", true, false},
	{"bw_slope", true, true},
};

static int bad(const char *text, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	return error_set(
		err, ERROR_BAD_VALUE, "steadystate",
		"steadystate cannot be \"%s\"; it is iops, iops_slope, bw or bw_slope with "
		"a limit above 0 behind a colon, such as iops:5%%, iops:200, bw:1m or "
		"iops_slope:0.1%%",
		text_excerpt(text, quoted));
}

/* Digits, and perhaps a point and digits. */
static bool parse_decimal(const char *text, double *ret_value)
{
	size_t whole = strspn(text, "0123456789"), fraction = 0, length = whole;

	if (whole == 0)
		return false;
	if (text[whole] == '.') {
		fraction = strspn(text + whole + 1, "0123456789");
		length += 1 + fraction;
		if (fraction == 0)
			return false;
	}
	if (text[length] != '\0' || length > NUMBER_MAX)
		return false;
	*ret_value = strtod(text, NULL);
	return true;
}

static bool parse_limit(const char *text, struct steadystate_spec *spec)
{
	char number[NUMBER_MAX + 2];
	size_t length = strlen(text);
	uint64_t bytes = 0;

	if (length == 0 || length >= sizeof(number))
		return false;
	memcpy(number, text, length + 1);
	spec->percent = number[length - 1] == '%';
	if (spec->percent)
		number[length - 1] = '\0';
	if (spec->bandwidth && !spec->percent) {
		if (quantity_parse_size(number, &bytes, NULL) < 0)
			return false;
		spec->limit = (double)bytes;
	} else if (!parse_decimal(number, &spec->limit)) {
		return false;
	}
	return spec->limit > 0;
}

int steadystate_parse(const char *text, struct steadystate_spec *ret_spec, struct error *err)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : 0, i = 0;
	struct steadystate_spec spec;

	while (i < ARRAY_SIZE(criteria) &&
	       (strlen(criteria[i].name) != length || strncmp(criteria[i].name, text, length) != 0))
		i++;
	if (i == ARRAY_SIZE(criteria))
		return bad(text, err);
	spec = (struct steadystate_spec){.bandwidth = criteria[i].bandwidth,
					 .slope = criteria[i].slope};
	if (!parse_limit(colon + 1, &spec))
		return bad(text, err);
	*ret_spec = spec;
	return 0;
}

bool steadystate_wanted(const struct workload *workload)
{
	return workload_part(workload, 0)->steadystate_duration_ns > 0;
}

static int check_company(const struct workload *workload, struct error *err)
{
	const char *name = workload_is_set(workload, OPTION_ID_STEADYSTATE) ? "steadystate"
			   : workload->steadystate_ramp_ns > 0 ? "steadystate_ramp_time"
							       : NULL;

	if (!name || workload_is_set(workload, OPTION_ID_STEADYSTATE_DURATION))
		return 0;
	return error_set(err, ERROR_CONFLICT, name,
			 "%s does nothing without steadystate_duration, the seconds of its window: "
			 "give that too, or leave it out",
			 name);
}

int steadystate_check(const struct workload *workload, struct error *err)
{
	uint64_t duration_ns = workload->steadystate_duration_ns, least_ns;
	struct steadystate_spec spec;
	int r = steadystate_parse(workload->steadystate, &spec, err);

	if (r == 0)
		r = check_company(workload, err);
	if (r < 0 || duration_ns == 0)
		return r;
	if (duration_ns % NS_PER_S != 0 || duration_ns < LEAST_SECONDS * NS_PER_S)
		return error_set(err, ERROR_CONFLICT, "steadystate_duration",
				 "steadystate_duration is a number of whole seconds, 2 or more");
	if (__builtin_add_overflow(duration_ns, workload->steadystate_ramp_ns, &least_ns))
		least_ns = UINT64_MAX;
	if (workload->runtime_ns > 0 && workload->runtime_ns < least_ns)
		return error_set(err, ERROR_CONFLICT, "steadystate_duration",
				 "runtime is over before steadystate_ramp_time and "
				 "steadystate_duration are: make it at least %" PRIu64 " s",
				 (least_ns + NS_PER_S - 1) / NS_PER_S);
	return 0;
}
