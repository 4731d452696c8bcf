/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * estimate.c - see estimate.h.
 *
 * What is fixed by the definition is exact: fill, space, the seconds of time-based samples, the
 * bytes of those that run to their size. For the rest a middling solid-state disk is assumed:
 * 10,000 operations a second for each outstanding operation, up to eight of them, and at most
 * 500 MB/s. Real rates differ by a factor of ten either way; the seconds of a plan hardly do, for
 * most samples are time-based.
 */
#include "engine/plan/estimate.h"

#include <errno.h>
#include <math.h>

#include "engine/base/clock.h"
#include "engine/plan/budget.h"
#include "engine/plan/file_phases.h"
#include "engine/plan/repeats.h"
#include "engine/plan/workload_sizes.h"

#define GUESSED_IOPS 10e3  /* at one operation outstanding */
#define GUESSED_PARALLEL 8 /* beyond which more outstanding operations bring no more */

/* Mean bytes of a request of a part, as all below. */
static double mean_request(const struct workload *workload)
{
	double read = workload_mean_request(workload, DIRECTION_READ);
	double write = workload_mean_request(workload, DIRECTION_WRITE);

	if (workload_trims(workload))
		return (double)workload->bs[DIRECTION_TRIM];
	if (!workload_writes(workload))
		return read;
	if (!workload_reads(workload))
		return write;
	return (read * (double)workload->rwmixread + write * (double)workload->rwmixwrite) / 100;
}

/* Share of the bytes that are read; the mix counts operations. */
static double read_share(const struct workload *workload)
{
	if (!workload_writes(workload))
		return 1;
	if (!workload_reads(workload))
		return 0;
	return workload_mean_request(workload, DIRECTION_READ) * (double)workload->rwmixread / 100 /
	       mean_request(workload);
}

static double outstanding(const struct workload *workload)
{
	double operations = (double)workload_depth(workload) * (double)workload->numjobs;

	return operations < GUESSED_PARALLEL ? operations : GUESSED_PARALLEL;
}

/* Bytes/s that the jobs' rates ask for; 0 where a direction goes as fast as it can. */
static double asked_rate(const struct workload *workload)
{
	double rate = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		if (!workload_moves(workload, (enum direction)d))
			continue;
		if (workload_rate(workload, (enum direction)d) == 0)
			return 0;
		rate += (double)workload_rate(workload, (enum direction)d);
	}
	return rate * (double)workload->numjobs;
}

static double guessed_rate(const struct workload *workload)
{
	double rate = GUESSED_IOPS * outstanding(workload) * mean_request(workload);
	double asked = asked_rate(workload);

	if (asked > 0 && asked < rate)
		rate = asked;
	return rate < ESTIMATE_BYTES_PER_S ? rate : ESTIMATE_BYTES_PER_S;
}

static uint64_t to_u64(double value)
{
	return value < 9e18 ? (uint64_t)value : UINT64_C(9000000000000000000);
}

/* Making and removing files keeps a processor busy rather than a disk. */
static double files_seconds(const struct workload *workload)
{
	struct file_totals totals;

	file_phases_totals(workload, &totals);
	return (double)totals.operations / (GUESSED_IOPS * outstanding(workload)) +
	       (double)(totals.bytes_written + totals.bytes_read) / ESTIMATE_BYTES_PER_S;
}

static double part_seconds(const struct workload *part)
{
	double ramp = (double)(part->startdelay_ns + part->ramp_time_ns) / NS_PER_S;
	double runtime = (double)part->runtime_ns / NS_PER_S;
	struct budget budget;
	double by_size, bytes;

	if (workload_metadata(part))
		return files_seconds(part);
	if (part->time_based)
		return ramp + runtime;
	budget = budget_of(part, 0);
	bytes = fmin((double)budget.bytes, (double)budget.ios * mean_request(part));
	if (workload_rewrites(part))
		bytes *= 2; /* read and written */
	by_size = bytes * (double)part->numjobs / guessed_rate(part);
	return ramp + (runtime > 0 && runtime < by_size ? runtime : by_size);
}

/* Bytes that a part reads back: blocks it wrote, each once. */
static double verify_bytes(const struct workload *part)
{
	double written = part_seconds(part) * guessed_rate(part) * (1 - read_share(part));
	double most = (double)part->size * (double)part->numjobs;

	if (part->verify == VERIFY_NONE || !part->do_verify)
		return 0;
	return written < most ? written : most;
}

/* The part that lasts longest decides; then what was written is read back. */
double estimate_workload(const struct workload *workload, bool *ret_guess)
{
	double longest = 0, verified = 0;

	*ret_guess = false;
	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);
		double seconds = part_seconds(part);

		verified += verify_bytes(part);
		if (i > 0 && seconds <= longest)
			continue;
		longest = seconds;
		*ret_guess = !part->time_based;
	}
	return longest + verified / ESTIMATE_BYTES_PER_S;
}

static void add_sample(const struct workload *workload, struct estimate *estimate, double *read,
		       double *written)
{
	uint64_t threads = workload_outstanding(workload);
	bool guess;

	if (workload_metadata(workload)) {
		struct file_totals totals;

		file_phases_totals(workload, &totals);
		*read += (double)totals.bytes_read;
		*written += (double)totals.bytes_written;
	}
	for (size_t i = 0; i < workload_parts(workload) && !workload_metadata(workload); i++) {
		const struct workload *part = workload_part(workload, i);
		double share = read_share(part), bytes = part_seconds(part) * guessed_rate(part);

		if (workload_trims(part))
			continue;
		*read += bytes * share + verify_bytes(part);
		*written += bytes * (1 - share);
	}
	estimate->seconds += estimate_workload(workload, &guess) + ESTIMATE_OVERHEAD_S;
	if (threads > estimate->threads)
		estimate->threads = threads;
}

static int add_instance(const struct plan *plan, size_t instance, struct estimate *estimate)
{
	const struct target_spec *spec = &plan->instances[instance].spec;
	size_t target = plan->instances[instance].target;
	uint64_t bytes, files, tree, inodes, all;
	int r = plan_target_extent(plan, target, &bytes, &files);

	if (r == 0 && spec->kind == TARGET_ZVOL)
		r = plan_volume_bytes(plan, target, &bytes);
	if (r < 0 || spec->existing)
		return r;
	plan_target_tree(plan, target, &tree, &inodes);
	bytes -= plan_target_first(plan, target); /* which lies within */
	if (__builtin_mul_overflow(bytes, files, &bytes) ||
	    __builtin_mul_overflow(bytes, plan_fills(plan, instance), &all) ||
	    __builtin_add_overflow(estimate->fill_bytes, all, &estimate->fill_bytes))
		return -EOVERFLOW;
	if (spec->kind != TARGET_DEVICE)
		estimate->space_bytes += bytes + tree; /* the first not more than fill_bytes */
	return 0;
}

static int estimate_all(const struct plan *plan, struct estimate *ret_estimate)
{
	struct estimate estimate = {.memory_bytes = ret_estimate->memory_bytes};
	double read = 0, written = 0;

	for (size_t i = 0; i < plan->instance_count; i++) {
		int r = add_instance(plan, i, &estimate);

		if (r < 0)
			return r;
	}
	estimate.seconds = (double)estimate.fill_bytes / ESTIMATE_BYTES_PER_S;
	for (size_t i = 0; i < plan->sample_count; i++)
		add_sample(&plan->samples[i].options, &estimate, &read, &written);
	estimate.bytes_read = to_u64(read);
	estimate.bytes_written = to_u64(written + (double)estimate.fill_bytes);
	*ret_estimate = estimate;
	return 0;
}

/* In the order interleaved the first blocks are the first samples. Grouped for want of space all
 * repeats are made. */
static int estimate_first(const struct plan *plan, struct estimate_least *ret_least)
{
	const struct repeats repeats = repeats_of(plan->definition);
	struct plan first = *plan;
	struct estimate estimate = {0};
	int r;

	*ret_least = (struct estimate_least){0};
	if (repeats.least == repeats.most || plan->one_by_one)
		return 0;
	first.sample_count = plan->sample_count / repeats.most * repeats.least;
	r = estimate_all(&first, &estimate);
	if (r < 0)
		return r;
	ret_least->samples = first.sample_count;
	ret_least->seconds = estimate.seconds;
	ret_least->bytes_read = estimate.bytes_read;
	ret_least->bytes_written = estimate.bytes_written;
	return 0;
}

int estimate_make(const struct plan *plan, struct estimate *ret_estimate)
{
	struct estimate estimate = *ret_estimate;
	int r = estimate_all(plan, &estimate);

	if (r == 0)
		r = estimate_first(plan, &estimate.least);
	if (r == 0)
		*ret_estimate = estimate;
	return r;
}
