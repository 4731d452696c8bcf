/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sample.c - see sample.h. */
#include "engine/sample.h"

#include <stdlib.h>
#include <string.h>

const char *const sample_syncs_names[SAMPLE_SYNCS_COUNT] = {"fsync", "fdatasync", "end_fsync"};

const struct histogram *sample_syncs(const struct sample *sample, enum sample_syncs kind)
{
	const struct histogram *const all[] = {sample->sync, sample->datasync, sample->end_fsync};

	return all[kind];
}

const struct histogram *sample_job_syncs(const struct job_result *job, enum sample_syncs kind)
{
	const struct histogram *const all[] = {job->sync, job->datasync, job->end_fsync};

	return all[kind];
}

uint64_t sample_failed(const struct sample *sample)
{
	uint64_t all = 0;

	for (int i = 0; i <= DIRECTION_COUNT; i++)
		all += sample->failed[i];
	return all;
}

void sample_init(struct sample *sample)
{
	memset(sample, 0, sizeof(*sample));
	workload_init(&sample->options);
	findings_init(&sample->findings);
}

static void directions_done(struct direction_result *directions)
{
	for (size_t d = 0; d < DIRECTION_COUNT; d++) {
		free(directions[d].latency);
		free(directions[d].submission);
		free(directions[d].completion);
		free(directions[d].intended);
	}
}

static void job_done(struct job_result *job)
{
	directions_done(job->directions);
	free(job->sync);
	free(job->datasync);
	free(job->end_fsync);
	free(job->name);
}

void sample_done(struct sample *sample)
{
	for (size_t i = 0; i < sample->level_count; i++) {
		free(sample->levels[i].factor);
		free(sample->levels[i].value);
	}
	free(sample->levels);
	if (sample->zfs)
		sample_zfs_done(sample->zfs);
	free(sample->zfs);
	for (size_t i = 0; i < sample->job_count; i++)
		job_done(&sample->jobs[i]);
	free(sample->jobs);
	directions_done(sample->directions);
	for (size_t i = 0; i < sample->file_count; i++)
		free(sample->files[i].latency);
	free(sample->files);
	free(sample->first_failure);
	free(sample->sync);
	free(sample->datasync);
	free(sample->end_fsync);
	free(sample->series.seconds);
	free(sample->workload);
	free(sample->target);
	free(sample->backend);
	free(sample->backend_reason);
	workload_done(&sample->options);
	findings_done(&sample->findings);
	sample_source_free(sample->source);
	sample_init(sample);
}

static double per_second(uint64_t amount, double seconds)
{
	return seconds > 0 ? (double)amount / seconds : 0;
}

const struct file_result *sample_files(const struct sample *sample, int operation, int order)
{
	for (size_t i = 0; i < sample->file_count; i++)
		if (sample->files[i].operation == operation && sample->files[i].order == order)
			return &sample->files[i];
	return NULL;
}

double file_result_ops_per_s(const struct file_result *result)
{
	return result->told_ops_per_s.known ? result->told_ops_per_s.value
					    : per_second(result->ops, result->seconds);
}

/* What was told, else what follows from the amount. */
static struct told_figure rate(const struct sample *sample, const struct told_figure *told,
			       bool amount_known, uint64_t amount)
{
	if (told && told->known)
		return *told;
	if (told && (!amount_known || !sample->source->seconds_known))
		return (struct told_figure){0};
	return told_exactly(per_second(amount, sample->seconds));
}

struct told_figure sample_iops_figure(const struct sample *sample, enum direction direction)
{
	const struct told_direction *told =
		sample->source ? &sample->source->directions[direction] : NULL;

	return rate(sample, told ? &told->iops : NULL, told && told->ios_known,
		    sample->directions[direction].ios);
}

struct told_figure sample_bandwidth_figure(const struct sample *sample, enum direction direction)
{
	const struct told_direction *told =
		sample->source ? &sample->source->directions[direction] : NULL;

	return rate(sample, told ? &told->bandwidth : NULL, told && told->bytes_known,
		    sample->directions[direction].bytes);
}

double sample_iops(const struct sample *sample, enum direction direction)
{
	return sample_iops_figure(sample, direction).value;
}

double sample_bandwidth(const struct sample *sample, enum direction direction)
{
	return sample_bandwidth_figure(sample, direction).value;
}

bool sample_knows(const struct sample *sample, enum option_id id)
{
	return !sample->source || workload_is_set(&sample->options, id);
}

static bool moves(const struct workload *workload, const struct direction_result *directions,
		  enum direction direction)
{
	const struct direction_result *result = &directions[direction];

	return result->ios > 0 || result->bytes > 0 || workload_moves(workload, direction);
}

bool sample_moves(const struct sample *sample, enum direction direction)
{
	if (sample_iops_figure(sample, direction).value > 0 ||
	    sample_bandwidth_figure(sample, direction).value > 0)
		return true;
	/* what another tool told may not say the pattern */
	if (!sample_knows(sample, OPTION_ID_RW))
		return sample->directions[direction].ios > 0 ||
		       sample->directions[direction].bytes > 0;
	return moves(&sample->options, sample->directions, direction);
}

const struct workload *sample_part(const struct sample *sample, const struct job_result *job)
{
	for (size_t i = 0; job->name && i < sample->options.part_count; i++)
		if (strcmp(sample->options.parts[i].name, job->name) == 0)
			return &sample->options.parts[i];
	return &sample->options;
}

bool sample_job_moves(const struct sample *sample, const struct job_result *job,
		      enum direction direction)
{
	return moves(sample_part(sample, job), job->directions, direction);
}

static double sum_ns(const struct histogram *histogram)
{
	return histogram ? (double)histogram->sum_ns : 0;
}

double sample_job_depth(const struct job_result *job)
{
	double sum = sum_ns(job->sync) + sum_ns(job->datasync) + sum_ns(job->end_fsync);

	for (int d = 0; d < DIRECTION_COUNT; d++)
		sum += sum_ns(job->directions[d].latency);
	return job->seconds > 0 ? sum / (job->seconds * 1e9) : 0;
}

const char *sample_verify_method(const struct sample *sample)
{
	for (size_t i = 0; i < workload_parts(&sample->options); i++) {
		const struct workload *part = workload_part(&sample->options, i);

		if (part->verify != VERIFY_NONE)
			return workload_verify_choices[part->verify];
	}
	return workload_verify_choices[VERIFY_NONE];
}
