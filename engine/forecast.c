/* SPDX-License-Identifier: GPL-3.0-or-later */
/* forecast.c - see forecast.h. */
#include "engine/forecast.h"

#include "engine/base/clock.h"
#include "engine/plan/estimate.h"

/* A rate is not taken from less than this. */
#define SEEN_ENOUGH_NS (200 * NS_PER_MS)

const char *const run_phase_names[] = {
	[PHASE_PREPARE] = "prepare", [PHASE_FILL] = "fill",	[PHASE_RAMP] = "ramp",
	[PHASE_MEASURE] = "measure", [PHASE_VERIFY] = "verify", [PHASE_TEARDOWN] = "teardown",
};

static double seconds_between(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? (double)(to_ns - from_ns) / (double)NS_PER_S : 0;
}

void forecast_begin(struct forecast *forecast, const struct plan *plan, uint64_t now_ns)
{
	*forecast = (struct forecast){.plan = plan, .began_ns = now_ns};
	for (size_t i = 0; i < plan->sample_count; i++) {
		bool guess;
		double seconds = estimate_workload(&plan->samples[i].options, &guess);

		if (guess)
			forecast->guessed_left += seconds;
		else
			forecast->asked_left += seconds;
	}
}

void forecast_expect_fill(struct forecast *forecast, uint64_t fill_bytes)
{
	forecast->fill_bytes = fill_bytes;
}

void forecast_fill(struct forecast *forecast, uint64_t filled_bytes, uint64_t now_ns)
{
	if (!forecast->fill_began_ns)
		forecast->fill_began_ns = now_ns;
	forecast->filled_bytes = filled_bytes;
	forecast->fill_seen_ns = now_ns;
}

void forecast_filled(struct forecast *forecast, uint64_t filled_bytes, uint64_t now_ns)
{
	forecast->filled_bytes = filled_bytes;
	if (forecast->fill_began_ns)
		forecast->fill_spent_ns += now_ns - forecast->fill_began_ns;
	forecast->fill_began_ns = forecast->fill_seen_ns = 0;
}

void forecast_sample_begins(struct forecast *forecast, uint64_t now_ns)
{
	forecast->sample_began_ns = now_ns;
}

void forecast_sample_ended(struct forecast *forecast, uint64_t now_ns)
{
	double took = seconds_between(forecast->sample_began_ns, now_ns);
	bool guess;
	double seconds =
		estimate_workload(&forecast->plan->samples[forecast->next].options, &guess);

	if (guess) {
		forecast->guessed_left -= seconds;
		forecast->guessed_done += seconds;
		forecast->took_guessed += took;
	} else {
		forecast->asked_left -= seconds;
		forecast->overhead += took > seconds ? took - seconds : 0;
		forecast->overhead_count++;
	}
	forecast->next++;
	forecast->sample_began_ns = 0;
}

void forecast_end_samples(struct forecast *forecast)
{
	forecast->asked_left = forecast->guessed_left = 0;
	forecast->next = forecast->plan->sample_count;
	/* nor is what would have been filled for them */
	forecast->fill_bytes = forecast->filled_bytes;
}

static double fill_left(const struct forecast *forecast, uint64_t now_ns)
{
	uint64_t spent_ns = forecast->fill_spent_ns + forecast->fill_seen_ns -
			    forecast->fill_began_ns; /* both 0 where none is at hand */
	double rate = ESTIMATE_BYTES_PER_S, left;

	if (forecast->filled_bytes >= forecast->fill_bytes)
		return 0;
	if (spent_ns >= SEEN_ENOUGH_NS && forecast->filled_bytes > 0)
		rate = (double)forecast->filled_bytes / seconds_between(0, spent_ns);
	left = (double)(forecast->fill_bytes - forecast->filled_bytes) / rate;
	if (forecast->fill_began_ns)
		left -= seconds_between(forecast->fill_seen_ns, now_ns);
	return left > 0 ? left : 0;
}

void forecast_read(struct forecast *forecast, uint64_t now_ns, double *ret_percent,
		   double *ret_seconds_left)
{
	const struct plan *plan = forecast->plan;
	double overhead = forecast->overhead_count
				  ? forecast->overhead / (double)forecast->overhead_count
				  : ESTIMATE_OVERHEAD_S;
	double scale =
		forecast->guessed_done > 0 ? forecast->took_guessed / forecast->guessed_done : 1;
	double samples, elapsed = seconds_between(forecast->began_ns, now_ns), left, percent;

	samples = forecast->asked_left + forecast->guessed_left * scale +
		  overhead * (double)(plan->sample_count - forecast->next);
	if (forecast->sample_began_ns) {
		bool guess;
		double own = estimate_workload(&plan->samples[forecast->next].options, &guess);
		double gone = seconds_between(forecast->sample_began_ns, now_ns);

		own = (guess ? own * scale : own) + overhead;
		samples -= gone < own ? gone : own;
	}
	left = fill_left(forecast, now_ns) + (samples > 0 ? samples : 0);
	percent = elapsed + left > 0 ? 100 * elapsed / (elapsed + left) : 0;
	if (percent > forecast->percent)
		forecast->percent = percent < 100 ? percent : 100;
	*ret_percent = forecast->percent;
	*ret_seconds_left = left;
}
