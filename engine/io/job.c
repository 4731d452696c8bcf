/* SPDX-License-Identifier: GPL-3.0-or-later */
/* job.c - see job.h. */
#include "engine/io/job.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/io/file_set.h"
#include "engine/io/sequence.h"
#include "engine/plan/budget.h"

/* The number of the sequence's seed, derived from the job's own; pattern.c has others. */
#define SEED_SEQUENCE 100
#define SEED_PACE 200
#define SEED_FILES 300

static int zones_error(size_t index, uint64_t length, struct error *err)
{
	return error_set(err, ERROR_OUT_OF_RANGE, "",
			 "the zones of random_distribution do not fit in the %" PRIu64
			 " bytes of job %zu, or one is smaller than a request",
			 length, index + 1);
}

static int begin_files(struct job *job, const struct workload *workload,
		       const struct measure_region *region, size_t index, uint64_t seed,
		       struct error *err)
{
	int rc =
		file_set_new(workload, region, random_derive(seed, SEED_FILES), &job->course.files);

	if (rc == -ERANGE)
		return zones_error(index, job->length, err);
	if (rc < 0)
		return error_no_memory(err);
	job->course.sequence = job->course.files->files[0].sequence;
	if (!workload->ramp_time_ns)
		file_set_begin(job->course.files, job->passes);
	return 0;
}

static int begin_sequence(struct job *job, const struct workload *workload, size_t part,
			  size_t index, uint64_t seed, struct error *err)
{
	struct load_position *positions = job->recorder->load->positions;
	int rc;

	if (!sequence_needed(workload))
		return 0;
	rc = sequence_new(workload, job->length, random_derive(seed, SEED_SEQUENCE), &job->pattern,
			  positions ? &positions[part].next : NULL, &job->course.sequence);
	if (rc == -ERANGE)
		return zones_error(index, job->length, err);
	return rc < 0 ? error_no_memory(err) : 0;
}

int job_init(struct job *job, const struct workload *workload, const struct measure_region *region,
	     size_t index, uint64_t seed, struct recorder *recorder, struct error *err)
{
	struct budget budget;
	uint64_t end, own = random_derive(seed, index);
	int rc;

	memset(job, 0, sizeof(*job));
	if (__builtin_add_overflow(region->offset, region->length, &end) || end > INT64_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "the region of job %zu ends beyond 2^63 - 1 bytes", index + 1);
	rc = pattern_init(&job->pattern, workload, region->length, own);
	if (rc < 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "the region of job %zu has %" PRIu64
				 " bytes, less than one block of bs",
				 index + 1, region->length);
	job->recorder = recorder;
	job->offset = region->offset;
	job->length = region->length;
	/* A direction that is not used may have larger blocks than the region. */
	for (int d = 0; d < PATTERN_DIRECTIONS; d++)
		job->last[d] =
			region->length >= workload->bs[d] ? region->length - workload->bs[d] : 0;
	job->limited = !workload->time_based;
	budget = budget_of(workload, region->length);
	job->size_bytes = budget.bytes;
	job->passes = job->limited && workload->io_size == 0 ? budget_loops(workload) : UINT64_MAX;
	job->course.ios_budget = job->limited ? budget.ios : UINT64_MAX;
	/* The ramp goes round as long as it lasts; the window's begin sets the budget. */
	job->budget_bytes = job->limited && !workload->ramp_time_ns ? job->size_bytes : UINT64_MAX;
	job->course.ios_left = workload->ramp_time_ns ? UINT64_MAX : job->course.ios_budget;
	job->fsync_every = workload_writes(workload) ? workload->fsync : 0;
	job->fsync_left = job->fsync_every;
	job->course.rewrites = workload_rewrites(workload);
	pace_init(&job->course.pace, workload, random_derive(own, SEED_PACE));
	job->course.fdatasync_every = workload_writes(workload) ? workload->fdatasync : 0;
	job->course.fdatasync_left = job->course.fdatasync_every;
	job->course.passes_reads = workload->continue_on_error == CONTINUE_READ ||
				   workload->continue_on_error == CONTINUE_IO ||
				   workload->continue_on_error == CONTINUE_ALL;
	job->course.passes_writes = workload->continue_on_error == CONTINUE_WRITE ||
				    workload->continue_on_error == CONTINUE_IO ||
				    workload->continue_on_error == CONTINUE_ALL;
	job->course.end_sync = workload->end_fsync && workload_writes(workload);
	data_init(&job->course.data, workload, random_derive(seed, ~(uint64_t)index));
	if (region->files)
		return begin_files(job, workload, region, index, own, err);
	return begin_sequence(job, workload, region->part, index, own, err);
}

void job_part(struct job *job, const struct workload *whole, const struct workload *part)
{
	uint64_t delay_ns = workload_delay_beyond(whole, part);

	job->course.pace.delay_ns = delay_ns;
	job->course.runtime_ns = part->runtime_ns ? part->runtime_ns + delay_ns : 0;
	(void)snprintf(job->course.name, sizeof(job->course.name), "%s", part->name);
}

void job_done(struct job *job)
{
	if (job->course.files)
		file_set_free(job->course.files);
	else
		sequence_free(job->course.sequence);
	job->course.files = NULL;
	job->course.sequence = NULL;
}

void job_window_begins(struct job *job, uint64_t outstanding_bytes)
{
	struct course *course = &job->course;

	if (!job->limited)
		return;
	job->budget_bytes =
		job->size_bytes > outstanding_bytes ? job->size_bytes - outstanding_bytes : 0;
	if (course->files)
		file_set_begin(course->files, job->passes);
	course->ios_left = course->ios_budget;
	if (course->ios_budget != UINT64_MAX)
		course->ios_left = course->ios_budget > course->ios_outstanding
					   ? course->ios_budget - course->ios_outstanding
					   : 0;
}

bool job_overdrawn(struct job *job, uint64_t bytes)
{
	uint64_t left = job->budget_bytes + bytes;

	job->budget_bytes = job->limited ? 0 : UINT64_MAX;
	return !job->limited || left > 0;
}

int job_refusal(const struct job *job, const struct operation *operation, struct error *err)
{
	error_set(err, ERROR_IO_ERROR, "",
		  "refused to %s %" PRIu32 " bytes at offset %" PRIu64
		  ": outside the job's region of %" PRIu64 " bytes at %" PRIu64,
		  request_names[operation->kind], operation->length, operation->offset, job->length,
		  job->offset);
	job_blame(job, err);
	return -EIO;
}

void job_blame(const struct job *job, struct error *err)
{
	char text[ERROR_MESSAGE_MAX];

	if (!err || !job->course.name[0])
		return;
	memcpy(text, err->message, sizeof(text));
	(void)snprintf(err->message, sizeof(err->message), "job %s: %.*s", job->course.name,
		       (int)(sizeof(text) - sizeof(job->course.name) - 8), text);
}

enum job_step job_next(struct job *job, struct operation *operation)
{
	return job_next_shaped(job, operation, job->pattern.kind, job->pattern.mix,
			       job->fsync_every > 0);
}

enum job_step job_next_within(struct job *job, struct operation *operation, unsigned int open)
{
	struct pattern *pattern = &job->pattern;
	uint64_t drawn;

	if (job->fsync_every > 0 && job->fsync_left == 0)
		return job_next(job, operation);
	drawn = pattern_draw(pattern, pattern->kind, pattern->mix);
	return job_next_towards(job, operation, pattern->kind,
				pattern_direction_within(pattern, drawn, open), drawn,
				job->fsync_every > 0);
}
