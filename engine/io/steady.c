/* SPDX-License-Identifier: GPL-3.0-or-later */
/* steady.c - see steady.h. */
#include "engine/io/steady.h"

#include <math.h>
#include <string.h>

#include "engine/base/clock.h"

/* When a second is complete: recorders tell ten times a second. */
#define TOLD_NS (250 * NS_PER_MS)

static size_t whole_seconds(uint64_t ns)
{
	return (size_t)((ns + NS_PER_S - 1) / NS_PER_S);
}

void steady_init(struct steady *steady, const struct workload *workload, uint64_t ramp_ns)
{
	const struct workload *part = workload_part(workload, 0);

	memset(steady, 0, sizeof(*steady));
	/* A completed workload's text was parsed before. */
	if (part->steadystate_duration_ns == 0 ||
	    steadystate_parse(part->steadystate, &steady->spec, NULL) < 0)
		return;
	steady->wanted = true;
	steady->length = (size_t)(part->steadystate_duration_ns / NS_PER_S);
	steady->first = whole_seconds(ramp_ns + part->steadystate_ramp_ns);
	steady->complete = steady->first;
}

static double operations(const struct series_second *second)
{
	double sum = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		sum += (double)__atomic_load_n(&second->ios[d], __ATOMIC_RELAXED);
	return sum;
}

static double bytes(const struct series_second *second)
{
	double sum = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		sum += (double)__atomic_load_n(&second->bytes[d], __ATOMIC_RELAXED);
	return sum;
}

void steady_judge(const struct steadystate_spec *spec, const struct series_second *seconds,
		  size_t count, struct steady_result *ret_result)
{
	double (*value)(const struct series_second *) = spec->bandwidth ? bytes : operations;
	double n = (double)count, middle = (n - 1) / 2, mean, products = 0, squares = 0;
	struct steady_result result = {.full = true};

	for (size_t i = 0; i < count; i++) {
		result.iops_mean += operations(&seconds[i]) / n;
		result.bw_mean += bytes(&seconds[i]) / n;
	}
	mean = spec->bandwidth ? result.bw_mean : result.iops_mean;
	for (size_t i = 0; i < count; i++) {
		double x = (double)i - middle, y = value(&seconds[i]) - mean;

		products += x * y;
		squares += x * x;
		result.deviation = fmax(result.deviation, fabs(y));
	}
	result.slope = products / squares;
	result.found = spec->slope ? result.slope : result.deviation;
	if (spec->percent)
		result.found = mean > 0 ? 100 * result.found / mean : 0;
	/* Nothing at all is no state that anybody waits for. */
	result.attained = mean > 0 && fabs(result.found) < spec->limit;
	*ret_result = result;
}

bool steady_look(struct steady *steady, const struct load *load, uint64_t now_ns)
{
	if (!steady->wanted || !load->seconds)
		return false;
	while (!steady->result.attained && steady->complete < load->second_capacity &&
	       now_ns >= load->start_ns + (steady->complete + 1) * NS_PER_S + TOLD_NS) {
		size_t begin;

		steady->complete++;
		if (steady->complete < steady->first + steady->length)
			continue;
		begin = steady->complete - steady->length;
		steady_judge(&steady->spec, &load->seconds[begin], steady->length, &steady->result);
		steady->result.first = begin;
		steady->result.count = steady->length;
	}
	return steady->result.attained;
}
