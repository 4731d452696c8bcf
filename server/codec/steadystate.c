/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steadystate.c (codec) - see steadystate.h. */
#include "server/codec/steadystate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "engine/analysis/steady.h"
#include "engine/base/clock.h"
#include "engine/plan/steadystate.h"

#define SECONDS_MAX (1u << 30)

static uint64_t window_seconds(const struct sample *sample)
{
	return workload_part(&sample->options, 0)->steadystate_duration_ns / NS_PER_S;
}

/* A real that may be below 0. */
static int put_signed(json_t *object, const char *name, double value)
{
	return put_value(object, name, json_real(isfinite(value) ? value : 0));
}

static json_t *figures_encode(const struct steady_figures *figures)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_u64(value, "first_second", figures->first);
	failed |= put_u64(value, "seconds", figures->count);
	failed |= put_real(value, "iops_mean", figures->mean);
	failed |= put_real(value, "excursion_percent", 100 * figures->excursion);
	failed |= put_signed(value, "slope_percent", 100 * figures->slope);
	return put_end(value, failed);
}

int put_steady_window(json_t *object, const struct sample *sample)
{
	struct steady_window window;
	json_t *value;
	int failed;

	steady_window_find(sample, &window);
	if (!window.judged)
		return 0;
	value = figures_encode(&window.whole);
	failed = put_bool(value, "steady", window.steady);
	if (window.settles && !window.steady)
		failed |= put_value(value, "settled", figures_encode(&window.settled));
	return put_value(object, "steady_window", value ? put_end(value, failed) : NULL);
}

json_t *steady_encode(const struct sample *sample)
{
	const struct steady_result *result = &sample->steady;
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "criterion", workload_part(&sample->options, 0)->steadystate);
	failed |= put_u64(value, "window_seconds", window_seconds(sample));
	failed |= put_bool(value, "attained", result->attained);
	if (!result->full)
		return put_end(value, failed);
	failed |= put_u64(value, "first_second", result->first);
	failed |= put_signed(value, "found", result->found);
	failed |= put_real(value, "max_deviation", result->deviation);
	failed |= put_signed(value, "slope", result->slope);
	failed |= put_real(value, "iops_mean", result->iops_mean);
	failed |= put_real(value, "bw_mean_bytes_per_s", result->bw_mean);
	return put_end(value, failed);
}

static int get_signed(const struct fields *in, const char *name, double *ret_value)
{
	const json_t *value = json_object_get(in->object, name);

	if (!json_is_number(value))
		return fields_error(in, ERROR_WRONG_TYPE, name, "a number is needed here");
	*ret_value = json_number_value(value);
	return 0;
}

int steady_decode(const struct fields *in, struct steady_result *ret_result)
{
	struct steady_result result = {.full = fields_have(in, "first_second")};
	uint64_t first = 0, count = 0;
	int r;

	r = get_bool(in, "attained", &result.attained);
	if (r == 0)
		r = get_u64(in, "window_seconds", SECONDS_MAX, &count);
	if (r < 0 || !result.full) {
		*ret_result = result;
		return r;
	}
	r = get_u64(in, "first_second", SECONDS_MAX, &first);
	if (r == 0)
		r = get_signed(in, "found", &result.found);
	if (r == 0)
		r = get_real(in, "max_deviation", DBL_MAX, &result.deviation);
	if (r == 0)
		r = get_signed(in, "slope", &result.slope);
	if (r == 0)
		r = get_real(in, "iops_mean", DBL_MAX, &result.iops_mean);
	if (r == 0)
		r = get_real(in, "bw_mean_bytes_per_s", DBL_MAX, &result.bw_mean);
	result.first = (size_t)first;
	result.count = (size_t)count;
	*ret_result = result;
	return r;
}

/* ---- as fio ---- */

/* The window's seconds, operations or bytes; none where there was no whole window. */
static json_t *seconds_encode(const struct sample *sample, bool bandwidth)
{
	const struct steady_result *result = &sample->steady;
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; result->full && i < result->count; i++) {
		const struct series_second *second;
		uint64_t sum = 0;

		if (result->first + i >= sample->series.count)
			break;
		second = &sample->series.seconds[result->first + i];
		for (int d = 0; d < DIRECTION_COUNT; d++)
			sum += bandwidth ? second->bytes[d] : second->ios[d];
		failed |= append_u64(list, sum);
	}
	return put_end(list, failed);
}

json_t *fio_steady_encode(const struct sample *sample)
{
	const struct workload *options = workload_part(&sample->options, 0);
	const struct steady_result *result = &sample->steady;
	struct steadystate_spec spec = {.limit = 0};
	json_t *value = json_object(), *data = json_object();
	char text[64];
	int failed = 0;

	/* A completed workload's text was parsed before; a damaged one is told as a limit of 0. */
	if (!options->steadystate || steadystate_parse(options->steadystate, &spec, NULL) < 0)
		spec.limit = 0;
	(void)snprintf(text, sizeof(text), "%s%s:%f%s", spec.bandwidth ? "bw" : "iops",
		       spec.slope ? "_slope" : "", spec.limit, spec.percent ? "%" : "");
	failed |= put_text(value, "ss", text);
	failed |= put_u64(value, "duration", window_seconds(sample));
	failed |= put_u64(value, "attained", result->attained);
	(void)snprintf(text, sizeof(text), "%f%s", result->found, spec.percent ? "%" : "");
	failed |= put_text(value, "criterion", text);
	failed |= put_real(value, "max_deviation", spec.slope ? 0 : result->deviation);
	failed |= put_signed(value, "slope", spec.slope ? result->slope : 0);
	failed |= put_u64(data, "bw_mean", (uint64_t)result->bw_mean);
	failed |= put_u64(data, "iops_mean", (uint64_t)result->iops_mean);
	failed |= put_value(data, "iops", seconds_encode(sample, false));
	failed |= put_value(data, "bw", seconds_encode(sample, true));
	failed |= put_value(value, "data", put_end(data, 0));
	return put_end(value, failed);
}
