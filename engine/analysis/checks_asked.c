/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks_asked.c - see checks_private.h: was done what was asked for? */
#include "engine/analysis/checks_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/plan/steadystate.h"

/* A mix may miss its share by chance: 4 standard deviations of a binomial share, which one honest
 * sample in 16,000 leaves; and by 1 point, which changes no conclusion. */
#define MIX_DEVIATIONS 4.0
#define MIX_SHARE 0.01

/* How long a measurement of unknown length was at the least, for what chance may do to a mix. */
#define MIX_LEAST_S 1.0

/* The clock ends a sample to the microsecond; 1 % less means it ended for another reason. */
#define TIME_SHARE 0.99

/* Operations outstanding when time is over belong to the sample. Where they take a tenth of it, and
 * a second at least, figures per second come out that much too low. */
#define DRAIN_SHARE 0.1
#define DRAIN_S 1.0

/* With less than three quarters of the depth outstanding another level was measured than asked. */
#define DEPTH_SHARE 0.75

/* A schedule is kept but for what a busy machine is late by; random gaps vary by the root of their
 * count. */
#define RATE_SHARE 0.95
#define RATE_DEVIATIONS 4.0

/* With 4 outstanding a target that serves several at once does at least half as much again as with
 * one. One that keeps a processor busy for half of that time does not wait for anything that depth
 * could help, so nothing is said of it. */
#define ALONE_DEPTH 4
#define ALONE_TIMES 1.5
#define ALONE_CPU_SHARE 0.5

/* Share of reads that was asked for; below 0: no mix, or not known. */
static double mix_asked(const struct sample *sample)
{
	/* A rate of a direction decides on its share. */
	if (!sample_knows(sample, OPTION_ID_RW) || !workload_mixed(&sample->options) ||
	    checks_paced(sample))
		return -1;
	if (sample_knows(sample, OPTION_ID_RWMIXREAD))
		return (double)sample->options.rwmixread / 100;
	return sample_knows(sample, OPTION_ID_RWMIXWRITE)
		       ? 1 - (double)sample->options.rwmixwrite / 100
		       : -1;
}

/* Of one's low and the other's high, and the other way round. */
static double share(double part, double rest)
{
	return part + rest > 0 ? part / (part + rest) : 0;
}

/* Operations whose directions were drawn independently, of n. Another tool may draw the same ones
 * again whenever it begins its size anew: seen of fio 3.33 with randrepeat and two request sizes,
 * where rwmixread=50 of 32 MiB came to 48.1 % in one pass and in seven thousand. */
static double independent(const struct sample *sample, double asked, double n)
{
	double read[2], write[2], request;

	if (!sample->source || !sample_knows(sample, OPTION_ID_SIZE) || sample->options.size == 0 ||
	    !checks_request_sizes(sample, DIRECTION_READ, &read[0], &read[1]) ||
	    !checks_request_sizes(sample, DIRECTION_WRITE, &write[0], &write[1]))
		return n;
	request = asked * read[1] + (1 - asked) * write[1];
	return fmin(n, fmax(1, (double)sample->options.size / request));
}

int checks_mix(const struct check *check)
{
	const struct sample *sample = check->sample;
	struct told_figure reads = checks_iops(sample, DIRECTION_READ);
	struct told_figure writes = checks_iops(sample, DIRECTION_WRITE);
	struct told_figure seconds = checks_seconds(sample);
	double asked = mix_asked(sample), allowed, low, high, n;
	char expected[64], found[96];

	if (asked < 0 || !reads.known || !writes.known)
		return 0;
	n = (reads.value + writes.value) * (seconds.known ? seconds.value : MIX_LEAST_S);
	if (n < 1)
		return 0;
	allowed = fmax(MIX_SHARE,
		       MIX_DEVIATIONS * sqrt(asked * (1 - asked) / independent(sample, asked, n)));
	low = share(reads.low, writes.high);
	high = share(reads.high, writes.low);
	if (asked >= low - allowed && asked <= high + allowed)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.1f %% reads, within %.1f points", asked * 100,
		       allowed * 100);
	if (seconds.known)
		(void)snprintf(found, sizeof(found), "%.1f %% reads of %.0f operations",
			       share(reads.value, writes.value) * 100, n);
	else
		(void)snprintf(found, sizeof(found), "%.1f %% reads: %.6g and %.6g IOPS",
			       share(reads.value, writes.value) * 100, reads.value, writes.value);
	return checks_add(check, FINDING_WARNING, "mix_off", expected, found,
			  sample->source
				  ? "The operations were not mixed as the workload says: one of "
				    "these figures, or the workload, is not what was measured."
				  : "The operations were not mixed as asked; a longer runtime lets "
				    "the shares settle.");
}

/* Seconds that the part which goes on longest was to last; 0 where one ends with its size. */
static double longest_runtime(const struct workload *options)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < workload_parts(options); i++) {
		const struct workload *part = workload_part(options, i);
		uint64_t runtime_ns = part->runtime_ns + workload_delay_beyond(options, part);

		if (!part->time_based)
			return 0;
		if (runtime_ns > longest)
			longest = runtime_ns;
	}
	return (double)longest / (double)NS_PER_S;
}

/* What another tool was asked for, and took. It may end before its runtime by right unless it was
 * told to go on. */
static int time_told(const struct check *check)
{
	const struct sample *sample = check->sample;
	struct told_figure seconds = checks_seconds(sample);
	double asked = (double)sample->options.runtime_ns / (double)NS_PER_S;
	bool goes_on = sample_knows(sample, OPTION_ID_TIME_BASED) && sample->options.time_based;
	char expected[64], found[64];

	if (!sample_knows(sample, OPTION_ID_RUNTIME) || !seconds.known || asked <= 0 ||
	    sample->steady.attained)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.3g s", asked);
	(void)snprintf(found, sizeof(found), "%.4g s", seconds.value);
	if (goes_on && seconds.high < asked * TIME_SHARE)
		return checks_add(check, FINDING_WARNING, "time_short", expected, found,
				  "The measurement ended before its time; compare it with others "
				  "of its kind with care.");
	if (seconds.low <= asked + fmax(DRAIN_S, asked * DRAIN_SHARE))
		return 0;
	return checks_add(check, FINDING_WARNING, "time_long", expected, found,
			  "The measurement took longer than it was asked to: something held its "
			  "end up, and the figures per second are of all that time.");
}

int checks_time(const struct check *check)
{
	const struct sample *sample = check->sample;
	double asked = longest_runtime(&sample->options);
	char expected[64], found[64];

	if (sample->source)
		return time_told(check);
	if (asked <= 0 || sample->steady.attained)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.3g s", asked);
	(void)snprintf(found, sizeof(found), "%.3g s", sample->seconds);
	if (sample->seconds < asked * TIME_SHARE)
		return checks_add(
			check, FINDING_WARNING, "time_short", expected, found,
			"The sample ended before its time; compare it with others of its kind "
			"with care.");
	/* The final fsync was asked for. */
	if (sample->end_fsync)
		asked += (double)sample->end_fsync->max_ns / (double)NS_PER_S;
	if (sample->seconds > asked + fmax(DRAIN_S, asked * DRAIN_SHARE))
		return checks_add(
			check, FINDING_WARNING, "drain_long", expected, found,
			"The operations outstanding when time was over took long to end, which "
			"lowers the figures per second; use a longer runtime or less depth.");
	return 0;
}

int checks_depth(const struct check *check)
{
	const struct sample *sample = check->sample;
	double asked = checks_depth_asked(sample);
	char expected[64], found[64];

	/* What another tool told has no depth but that of its rates: checks_little(). A job that
	 * waits for its fsync has less outstanding by right. */
	if (sample->source || checks_operations(sample) == 0 || checks_on_null(sample) ||
	    sample->options.fsync > 0 || sample->end_fsync || sample->error_count > 0 ||
	    checks_paced(sample) || sample->depth_mean >= asked * DEPTH_SHARE)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.0f outstanding", asked);
	(void)snprintf(found, sizeof(found), "%.3g on the mean", sample->depth_mean);
	return checks_add(
		check, FINDING_WARNING, "depth_not_reached", expected, found,
		"Fewer operations were outstanding than asked: the engine or this machine's "
		"processors, not the target, set the pace.");
}

/* Bytes a second that all jobs were to move; 0: no rate, or not known. */
static double rate_asked(const struct sample *sample, enum direction d, double least)
{
	const struct workload *options = &sample->options;
	double rate = (double)options->rate[d];

	if (options->part_count > 0 || options->think_ns > 0 || options->runtime_ns == 0 ||
	    !sample_knows(sample, OPTION_ID_RW) || !sample_knows(sample, OPTION_ID_NUMJOBS) ||
	    !sample_moves(sample, d))
		return 0;
	/* rate_iops counts the smallest requests. */
	if (rate <= 0)
		rate = (double)options->rate_iops[d] * least;
	return rate * (double)options->numjobs;
}

/* As it was asked for: in operations where they are of one size, else in MiB. */
static void put_rate(const struct sample *sample, enum direction d, double bytes, double size,
		     char text[64])
{
	if (sample->options.rate[d] == 0 && size > 0)
		(void)snprintf(text, 64, "%.4g IOPS of %ss", bytes / size, direction_names[d]);
	else
		(void)snprintf(text, 64, "%.4g MiB/s of %ss", bytes / (1 << 20),
			       direction_names[d]);
}

/* A rate of which less than nearly all was done: the schedule went on, so the rest is late. */
int checks_rate(const struct check *check, enum direction d)
{
	const struct sample *sample = check->sample;
	struct told_figure got = checks_bandwidth(sample, d), seconds = checks_seconds(sample);
	double asked, spread, least, most;
	char expected[64], found[64];

	if (!checks_request_sizes(sample, d, &least, &most))
		return 0;
	asked = rate_asked(sample, d, least);
	if (asked <= 0 || !got.known || !seconds.known)
		return 0;
	/* The one operation more or less at either end, and how a Poisson process's count varies.
	 */
	spread = 2 * (double)sample->options.numjobs;
	if (sample->options.rate_process == RATE_POISSON)
		spread += RATE_DEVIATIONS * sqrt(asked * seconds.value / most);
	spread *= most;
	if (got.high * seconds.value >= asked * seconds.value * RATE_SHARE - spread)
		return 0;
	put_rate(sample, d, asked, least < most ? 0 : most, expected);
	put_rate(sample, d, got.value, least < most ? 0 : most, found);
	return checks_add(
		check, FINDING_WARNING, "rate_not_kept", expected, found,
		"The target did not keep the rate that was asked for: operations began later "
		"than they were due, and the latency from the intended start says how late.");
}

int checks_steadystate(const struct check *check)
{
	const struct workload *options = workload_part(&check->sample->options, 0);
	const struct steady_result *steady = &check->sample->steady;
	const char *text = options->steadystate;
	bool percent = text && strchr(text, '%');
	char found[96];

	/* Another tool may not tell what it came to. */
	if (!steadystate_wanted(options) || check->sample->error_count > 0 ||
	    (check->sample->source && !steady->full))
		return 0;
	if (steady->full)
		(void)snprintf(found, sizeof(found), "%.4g%s, %.6g IOPS, seconds %zu to %zu",
			       steady->found, percent ? " %" : "", steady->iops_mean, steady->first,
			       steady->first + steady->count);
	else
		(void)snprintf(found, sizeof(found), "no whole window");
	if (steady->attained)
		return checks_add(
			check, FINDING_INFO, "steadystate_attained", text, found,
			"The steady state that was asked for was attained, which ended the "
			"sample; its window's figures are the sample's steadystate.");
	return checks_add(
		check, FINDING_WARNING, "steadystate_not_attained", text, found,
		"The sample ended before it was as steady as asked for: its figures are of a "
		"target that still changes. Use a longer runtime, or a wider limit.");
}

int checks_alone(const struct check *check)
{
	const struct sample *sample = check->sample;
	double iops = sample_iops(sample, DIRECTION_READ) + sample_iops(sample, DIRECTION_WRITE);
	double asked = checks_depth_asked(sample);
	char expected[96], found[96];

	if (sample->alone_iops <= 0 || asked < ALONE_DEPTH ||
	    sample->alone_cpu_share >= ALONE_CPU_SHARE || iops >= sample->alone_iops * ALONE_TIMES)
		return 0;
	(void)snprintf(expected, sizeof(expected), "more than the %.0f IOPS of one at a time",
		       sample->alone_iops);
	(void)snprintf(found, sizeof(found), "%.0f IOPS with %.0f outstanding", iops, asked);
	return checks_add(
		check, FINDING_WARNING, "served_one_at_a_time", expected, found,
		"The target serves one operation at a time, however many wait for it: what was "
		"measured is its depth 1, and latency is mostly waiting for a turn.");
}
