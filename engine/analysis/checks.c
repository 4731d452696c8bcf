/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks.c - see checks.h.
 *
 * Length: one check after another, each with its threshold and the reason for it.
 */
#include "engine/analysis/checks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/analysis/checks_zfs.h"
#include "engine/base/clock.h"
#include "engine/io/pace.h"
#include "engine/io/verify/verify.h"
#include "engine/plan/file_phases.h"
#include "engine/plan/steadystate.h"
#include "engine/plan/workload_sizes.h"

/* A mix may miss its share by chance: 4 standard deviations of a binomial share, which one honest
 * sample in 16,000 leaves; and by 1 point, which changes no conclusion. */
#define MIX_DEVIATIONS 4.0
#define MIX_SHARE 0.01

/* The clock ends a sample to the microsecond; 1 % less means it ended for another reason. */
#define TIME_SHARE 0.99

/* Operations outstanding when time is over belong to the sample. Where they take a tenth of it, and
 * a second at least, figures per second come out that much too low. */
#define DRAIN_SHARE 0.1
#define DRAIN_S 1.0

/* The last request of a region may be cut short: never a thousandth of the bytes. */
#define SIZE_SHARE 0.001

/* A device that moved less than asked did not do the work. What was outstanding at the window's
 * ends counts on one side only: 5 %, a queue's worth and 1 MiB. */
#define DEVICE_SHARE 0.05
#define DEVICE_BYTES (1024.0 * 1024)

/* Journal, metadata and other programs always add something, which changes no conclusion. Half as
 * much again and 8 MiB/s, more than an idle system's writing, is another load beside the one
 * measured, or records larger than the requests. */
#define DEVICE_MORE_SHARE 0.5
#define DEVICE_MORE_BYTES_PER_S (8 * 1024.0 * 1024)

/* Buffered reads of which the device saw less than half: the figure is mostly that of memory. */
#define CACHE_SHARE 0.5

/* With less than three quarters of the depth outstanding another level was measured than asked. */
#define DEPTH_SHARE 0.75

/* A schedule is kept but for what a busy machine is late by; random gaps vary by the root of their
 * count. */
#define RATE_SHARE 0.95
#define RATE_DEVIATIONS 4.0

/* A device that held an eighth of what was outstanding, of 8 at least, was not what it waited for.
 * Sequential requests are merged, so only random ones tell. */
#define QUEUE_SHARE 0.125
#define QUEUE_DEPTH 8

/* With 4 outstanding a target that serves several at once does at least half as much again as with
 * one. One that keeps a processor busy for half of that time does not wait for anything that depth
 * could help, so nothing is said of it. */
#define ALONE_DEPTH 4
#define ALONE_TIMES 1.5
#define ALONE_CPU_SHARE 0.5

/* Depth and latency are counted apart at the window's ends only. */
#define LITTLE_SHARE 0.1
#define LITTLE_OPERATIONS 1000

/* n (1 - p) >= 10 for p = 0.99: see histogram_percentile_supported. */
#define FEW_OPERATIONS 1000

/* bonnie++ shows no figure for a phase of less than half a second (its "+++++"). */
#define PHASE_S 0.5

#define MIB (1024.0 * 1024)

struct check {
	const struct sample *sample;
	struct findings *findings; /* the sample's own, also where `sample` is a part of it */
	const char *job;	   /* that part's name, or NULL */
	char cell[512];		   /* "bs=4k, iodepth=32" */
};

static void cell_text(const struct sample *sample, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < sample->level_count && used < size; i++) {
		int n = snprintf(buffer + used, size - used, "%s%s=%s", i > 0 ? ", " : "",
				 sample->levels[i].factor, sample->levels[i].value);

		used += n > 0 ? (size_t)n : 0;
	}
}

static int add(const struct check *check, enum finding_severity severity, const char *code,
	       const char *expected, const char *found, const char *message)
{
	char named[192];

	if (check->job) {
		(void)snprintf(named, sizeof(named), "%s: %s", check->job, found); /* may be cut */
		found = named;
	}
	return findings_add(check->findings, severity, code, check->sample->workload,
			    check->cell[0] ? check->cell : NULL, expected, found, "%s", message);
}

static uint64_t operations(const struct sample *sample)
{
	uint64_t all = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		all += sample->directions[d].ios;
	return all;
}

static int check_errors(const struct check *check)
{
	const struct sample *sample = check->sample;
	char found[160], message[ERROR_MESSAGE_MAX + 160];

	if (sample->error_count == 0)
		return 0;
	if (sample_failed(sample) == sample->error_count) {
		(void)snprintf(found, sizeof(found),
			       "%llu failed: %llu reads, %llu writes, %llu trims, %llu syncs",
			       (unsigned long long)sample->error_count,
			       (unsigned long long)sample->failed[DIRECTION_READ],
			       (unsigned long long)sample->failed[DIRECTION_WRITE],
			       (unsigned long long)sample->failed[DIRECTION_TRIM],
			       (unsigned long long)sample->failed[DIRECTION_COUNT]);
		(void)snprintf(message, sizeof(message),
			       "Operations failed, and the sample went on as continue_on_error "
			       "asks; no figure counts them. The first: %s.",
			       sample->first_failure ? sample->first_failure : "not told");
		return add(check, FINDING_WARNING, "io_errors", "no failed operation", found,
			   message);
	}
	(void)snprintf(found, sizeof(found), "%llu failed",
		       (unsigned long long)check->sample->error_count);
	return add(check, FINDING_ERROR, "io_errors", "no failed operation", found,
		   "Operations failed and the sample ended with the first; its figures are of "
		   "what went before.");
}

/* Whether a schedule or pauses, not the depth, say when operations begin. */
static bool paced(const struct sample *sample)
{
	for (size_t i = 0; i < workload_parts(&sample->options); i++)
		if (!pace_is_plain(workload_part(&sample->options, i)))
			return true;
	return false;
}

static int check_verify(const struct check *check)
{
	const struct verify_result *verify = &check->sample->verify;
	char found[64], message[VERIFY_TEXT_MAX + 64], fault[VERIFY_TEXT_MAX];
	int r = 0;

	if (verify->errors > 0) {
		(void)snprintf(found, sizeof(found), "%llu of %llu wrong",
			       (unsigned long long)verify->errors,
			       (unsigned long long)verify->blocks);
		(void)snprintf(message, sizeof(message),
			       "What was read back is not what was written: %s.",
			       verify_describe(&verify->first, fault));
		r = add(check, FINDING_ERROR, "verify_failed", "every block as written", found,
			message);
	}
	if (r < 0 || verify->unknown == 0)
		return r;
	(void)snprintf(found, sizeof(found), "%llu left out", (unsigned long long)verify->unknown);
	return add(check, FINDING_WARNING, "verify_incomplete", "every block checked", found,
		   "Blocks whose last write failed or was cut short were not checked: nobody knows "
		   "what must be in them.");
}

static int check_mix(const struct check *check)
{
	const struct sample *sample = check->sample;
	double n = (double)operations(sample), asked, got, allowed;
	char expected[64], found[64];

	/* A rate of a direction decides on its share. */
	if (!workload_mixed(&sample->options) || n < 1 || paced(sample))
		return 0;
	asked = (double)sample->options.rwmixread / 100;
	got = (double)sample->directions[DIRECTION_READ].ios / n;
	allowed = fmax(MIX_SHARE, MIX_DEVIATIONS * sqrt(asked * (1 - asked) / n));
	if (fabs(got - asked) <= allowed)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.1f %% reads, within %.1f points", asked * 100,
		       allowed * 100);
	(void)snprintf(found, sizeof(found), "%.1f %% reads of %.0f operations", got * 100, n);
	return add(check, FINDING_WARNING, "mix_off", expected, found,
		   "The operations were not mixed as asked; a longer runtime lets the shares "
		   "settle.");
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

static int check_time(const struct check *check)
{
	const struct sample *sample = check->sample;
	double asked = longest_runtime(&sample->options);
	char expected[64], found[64];

	if (asked <= 0 || sample->steady.attained)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.3g s", asked);
	(void)snprintf(found, sizeof(found), "%.3g s", sample->seconds);
	if (sample->seconds < asked * TIME_SHARE)
		return add(check, FINDING_WARNING, "time_short", expected, found,
			   "The sample ended before its time; compare it with others of its kind "
			   "with care.");
	/* The final fsync was asked for. */
	if (sample->end_fsync)
		asked += (double)sample->end_fsync->max_ns / (double)NS_PER_S;
	if (sample->seconds > asked + fmax(DRAIN_S, asked * DRAIN_SHARE))
		return add(check, FINDING_WARNING, "drain_long", expected, found,
			   "The operations outstanding when time was over took long to end, which "
			   "lowers the figures per second; use a longer runtime or less depth.");
	return 0;
}

static int check_size(const struct check *check, enum direction d)
{
	const struct direction_result *result = &check->sample->directions[d];
	double ios = (double)result->ios, most = ios * (double)check->sample->options.bs[d];
	double least = ios * (double)workload_least_request(&check->sample->options, d);
	/* An operation that was short lacks a request's worth at most. */
	double missing = (double)result->short_ios * (double)check->sample->options.bs[d];
	double bytes = (double)result->bytes;
	char expected[96], found[96];

	if (bytes <= most * (1 + SIZE_SHARE) && bytes >= least * (1 - SIZE_SHARE) - missing)
		return 0;
	if (least < most)
		(void)snprintf(expected, sizeof(expected),
			       "%.0f to %.0f bytes: %.0f operations of %.0f to %.0f", least, most,
			       ios, least / ios, most / ios);
	else
		(void)snprintf(expected, sizeof(expected), "%.0f bytes: %.0f operations of %llu",
			       most, ios, (unsigned long long)check->sample->options.bs[d]);
	(void)snprintf(found, sizeof(found), "%.0f bytes %s", bytes,
		       d == DIRECTION_READ    ? "read"
		       : d == DIRECTION_WRITE ? "written"
					      : "trimmed");
	return add(check, FINDING_WARNING, "size_mismatch", expected, found,
		   "Operations times request size is not what was moved; IOPS and bandwidth "
		   "cannot both be right.");
}

static double depth_asked(const struct sample *sample)
{
	return (double)workload_outstanding(&sample->options);
}

/* The null backend completes at once: what it measures is the engine alone. */
static bool null_backend(const struct sample *sample)
{
	return sample->backend && strcmp(sample->backend, "null") == 0;
}

/* Samples whose operations reach the device that was watched. */
static bool device_tells(const struct sample *sample)
{
	return sample->device.name[0] && sample->seconds > 0 && !null_backend(sample);
}

static bool all_direct(const struct workload *options)
{
	for (size_t i = 0; i < workload_parts(options); i++)
		if (!workload_part(options, i)->direct)
			return false;
	return true;
}

static int check_device_bytes(const struct check *check, enum direction d)
{
	const struct sample *sample = check->sample;
	double bytes = (double)sample->directions[d].bytes;
	double device = (double)(d == DIRECTION_READ ? sample->device.read_bytes
						     : sample->device.written_bytes);
	double queue = DEVICE_BYTES +
		       depth_asked(sample) * (double)workload_buffer_bytes(&sample->options);
	double least = bytes * (1 - DEVICE_SHARE) - queue;
	double most =
		bytes * (1 + DEVICE_MORE_SHARE) + queue + DEVICE_MORE_BYTES_PER_S * sample->seconds;
	const char *moved = d == DIRECTION_READ ? "read" : "written";
	char expected[96], found[128];

	if (!device_tells(sample) || !sample_moves(sample, d) || d == DIRECTION_TRIM)
		return 0;
	(void)snprintf(expected, sizeof(expected), "about %.4g MiB", bytes / MIB);
	(void)snprintf(found, sizeof(found), "%.4g MiB %s on %s", device / MIB, moved,
		       sample->device.name);
	if (!all_direct(&sample->options)) {
		if (d == DIRECTION_READ && device < bytes * CACHE_SHARE - queue)
			return add(check, FINDING_WARNING, "reads_from_cache", expected, found,
				   "Most reads never reached the device: the figures are those of "
				   "the page cache. Use direct=1 or a size beyond memory.");
		return 0;
	}
	if (device < least)
		return add(check, FINDING_WARNING, "device_bytes_differ", expected, found,
			   "Less reached the device than was asked for: a cache in between "
			   "answered, or data was compressed.");
	if (device > most)
		return add(check, FINDING_INFO, "device_bytes_differ", expected, found,
			   "The device moved far more than was asked for: other programs used it, "
			   "or it moves whole records for parts of them. Measure while nothing "
			   "else runs.");
	return 0;
}

static int check_depth(const struct check *check)
{
	const struct sample *sample = check->sample;
	double asked = depth_asked(sample);
	char expected[64], found[64];

	/* A job that waits for its fsync has less outstanding by right. */
	if (operations(sample) == 0 || null_backend(sample) || sample->options.fsync > 0 ||
	    sample->end_fsync || sample->error_count > 0 || paced(sample) ||
	    sample->depth_mean >= asked * DEPTH_SHARE)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.0f outstanding", asked);
	(void)snprintf(found, sizeof(found), "%.3g on the mean", sample->depth_mean);
	return add(check, FINDING_WARNING, "depth_not_reached", expected, found,
		   "Fewer operations were outstanding than asked: the engine or this machine's "
		   "processors, not the target, set the pace.");
}

/* A rate of which less than nearly all was done: the schedule went on, so the rest is late. */
static int check_rate(const struct check *check, enum direction d)
{
	const struct sample *sample = check->sample;
	double rate = (double)workload_rate(&sample->options, d), asked, bytes, spread;
	char expected[64], found[64];

	if (rate <= 0 || sample->options.part_count > 0 || sample->options.think_ns > 0 ||
	    sample->options.runtime_ns == 0)
		return 0;
	asked = rate * sample->seconds * (double)sample->options.numjobs;
	bytes = (double)sample->directions[d].bytes;
	/* The one operation more or less at either end, and how a Poisson process's count varies.
	 */
	spread = 2 * (double)sample->options.numjobs;
	if (sample->options.rate_process == RATE_POISSON)
		spread += RATE_DEVIATIONS * sqrt(asked / (double)sample->options.bs[d]);
	spread *= (double)sample->options.bs[d];
	if (bytes >= asked * RATE_SHARE - spread)
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.4g bytes/s %s", asked / sample->seconds,
		       d == DIRECTION_READ ? "read" : "written");
	(void)snprintf(found, sizeof(found), "%.4g bytes/s", bytes / sample->seconds);
	return add(check, FINDING_WARNING, "rate_not_kept", expected, found,
		   "The target did not keep the rate that was asked for: operations began later "
		   "than they were due, and the latency from the intended start says how late.");
}

static int check_steadystate(const struct check *check)
{
	const struct workload *options = workload_part(&check->sample->options, 0);
	const struct steady_result *steady = &check->sample->steady;
	const char *text = options->steadystate;
	bool percent = text && strchr(text, '%');
	char found[96];

	if (!steadystate_wanted(options) || check->sample->error_count > 0)
		return 0;
	if (steady->full)
		(void)snprintf(found, sizeof(found), "%.4g%s, %.6g IOPS, seconds %zu to %zu",
			       steady->found, percent ? " %" : "", steady->iops_mean, steady->first,
			       steady->first + steady->count);
	else
		(void)snprintf(found, sizeof(found), "no whole window");
	if (steady->attained)
		return add(check, FINDING_INFO, "steadystate_attained", text, found,
			   "The steady state that was asked for was attained, which ended the "
			   "sample; its window's figures are the sample's steadystate.");
	return add(check, FINDING_WARNING, "steadystate_not_attained", text, found,
		   "The sample ended before it was as steady as asked for: its figures are of a "
		   "target that still changes. Use a longer runtime, or a wider limit.");
}

static int check_device_queue(const struct check *check)
{
	const struct sample *sample = check->sample;
	double queue, asked = depth_asked(sample);
	char expected[96], found[96];

	if (!device_tells(sample) || !sample->options.direct || paced(sample) ||
	    !workload_random(&sample->options) || workload_trims(&sample->options) ||
	    asked < QUEUE_DEPTH || operations(sample) == 0)
		return 0;
	queue = (double)sample->device.weighted_ms / (sample->seconds * 1000);
	if (queue >= asked * QUEUE_SHARE)
		return 0;
	(void)snprintf(expected, sizeof(expected), "about %.0f requests at %s", asked,
		       sample->device.name);
	(void)snprintf(found, sizeof(found), "%.3g on the mean", queue);
	return add(check, FINDING_WARNING, "device_queue_short", expected, found,
		   "What was outstanding waited above the device (file system, kernel, a cache or "
		   "the processors); more depth will not make the device faster.");
}

static int check_alone(const struct check *check)
{
	const struct sample *sample = check->sample;
	double iops = sample_iops(sample, DIRECTION_READ) + sample_iops(sample, DIRECTION_WRITE);
	double asked = depth_asked(sample);
	char expected[96], found[96];

	if (sample->alone_iops <= 0 || asked < ALONE_DEPTH ||
	    sample->alone_cpu_share >= ALONE_CPU_SHARE || iops >= sample->alone_iops * ALONE_TIMES)
		return 0;
	(void)snprintf(expected, sizeof(expected), "more than the %.0f IOPS of one at a time",
		       sample->alone_iops);
	(void)snprintf(found, sizeof(found), "%.0f IOPS with %.0f outstanding", iops, asked);
	return add(check, FINDING_WARNING, "served_one_at_a_time", expected, found,
		   "The target serves one operation at a time, however many wait for it: what was "
		   "measured is its depth 1, and latency is mostly waiting for a turn.");
}

static int check_little(const struct check *check)
{
	const struct sample *sample = check->sample;
	double sum_ns = 0, depth;
	char expected[64], found[64];

	if (operations(sample) < LITTLE_OPERATIONS || sample->seconds <= 0)
		return 0;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (sample->directions[d].latency)
			sum_ns += (double)sample->directions[d].latency->sum_ns;
	/* A sync is outstanding too. */
	sum_ns += sample->sync ? (double)sample->sync->sum_ns : 0;
	sum_ns += sample->datasync ? (double)sample->datasync->sum_ns : 0;
	sum_ns += sample->end_fsync ? (double)sample->end_fsync->sum_ns : 0;
	depth = sum_ns / (sample->seconds * (double)NS_PER_S);
	if (fabs(depth - sample->depth_mean) <= LITTLE_SHARE * fmax(depth, sample->depth_mean))
		return 0;
	(void)snprintf(expected, sizeof(expected), "%.3g outstanding: IOPS x latency", depth);
	(void)snprintf(found, sizeof(found), "%.3g", sample->depth_mean);
	return add(check, FINDING_WARNING, "littles_law", expected, found,
		   "Operations per second times their mean latency is not the number that was "
		   "outstanding; one of the three is wrong.");
}

static int check_count(const struct check *check, enum direction d)
{
	const struct sample *sample = check->sample;
	uint64_t ios = sample->directions[d].ios;
	char found[64];

	if (!sample_moves(sample, d) || ios >= FEW_OPERATIONS)
		return 0;
	(void)snprintf(found, sizeof(found), "%llu %ss", (unsigned long long)ios,
		       direction_names[d]);
	if (ios == 0)
		return add(check, FINDING_WARNING, "no_operations", "at least one", found,
			   "Not one operation of this kind ended in the measured time; use a "
			   "longer runtime.");
	return add(check, FINDING_INFO, "few_operations", "1000 or more", found,
		   "Too few operations for the 99th percentile, which needs ten slower ones; a "
		   "longer runtime gives it.");
}

/* Phases of files that were over too soon. */
static int check_phases(const struct check *check)
{
	const struct sample *sample = check->sample;
	char found[256] = "";

	for (size_t i = 0; i < sample->file_count; i++) {
		const struct file_result *result = &sample->files[i];
		size_t used = strlen(found);

		if (result->seconds >= PHASE_S)
			continue;
		(void)snprintf(found + used, sizeof(found) - used, "%s%s %s %.0f ms",
			       used ? ", " : "", workload_file_order_choices[result->order],
			       file_operation_names[result->operation],
			       result->seconds * 1000); /* twelve fit, or are cut */
	}
	if (!*found)
		return 0;
	return add(
		check, FINDING_WARNING, "phase_too_quick", "0.5 s or more a phase", found,
		"Phases were over too soon to tell their rate from chance, and met only what was "
		"in memory; raise nrfiles.");
}

/* What jobs of one kind of options were asked for, and did. */
static int check_jobs(const struct check *check)
{
	int r = check_mix(check);

	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++) {
		r = check_size(check, (enum direction)d);
		if (r == 0)
			r = check_count(check, (enum direction)d);
		if (r == 0)
			r = check_rate(check, (enum direction)d);
	}
	return r < 0 ? r : check_depth(check);
}

/*
 * A part of several, or one job of it, as a sample of its own that borrows all it has. What the
 * device and the whole tell is not in it.
 */
static int check_part(const struct check *whole, const struct job_result *job)
{
	const struct sample *sample = whole->sample;
	const struct workload *part = sample_part(sample, job);
	struct sample view = {
		.workload = sample->workload,
		.backend = sample->backend,
		.options = *part,
		.steady = sample->steady,
		.seconds = job->seconds,
		.depth_mean = sample_job_depth(job),
	};
	struct check check = *whole;

	view.options.numjobs = job->jobs;
	memcpy(view.directions, job->directions, sizeof(view.directions));
	check.sample = &view;
	check.job = job->name;
	return view.seconds > 0 ? check_jobs(&check) : 0;
}

static int check_parts(const struct check *check)
{
	const struct sample *sample = check->sample;
	int r = 0;

	if (sample->options.part_count == 0)
		return check_jobs(check);
	for (size_t i = 0; i < sample->job_count && r == 0; i++)
		r = check_part(check, &sample->jobs[i]);
	return r;
}

int checks_sample(struct sample *sample)
{
	struct check check = {.sample = sample, .findings = &sample->findings};
	bool together = sample->options.part_count > 0;
	int r;

	cell_text(sample, check.cell, sizeof(check.cell));
	r = check_errors(&check);
	if (r == 0)
		r = check_verify(&check);
	if (r == 0)
		r = check_time(&check);
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = check_device_bytes(&check, (enum direction)d);
	if (r == 0)
		r = check_parts(&check);
	if (r == 0)
		r = check_steadystate(&check);
	if (r == 0 && !together)
		r = check_device_queue(&check);
	if (r == 0)
		r = check_alone(&check);
	if (r == 0)
		r = check_little(&check);
	if (r == 0)
		r = check_phases(&check);
	if (r == 0)
		r = checks_zfs(sample, check.cell);
	return r;
}
