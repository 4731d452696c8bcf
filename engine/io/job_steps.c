/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_steps.c - see job_steps.h.
 *
 * The order of what is asked, first answer holds: the job's time and the load's; a pause (pace.h);
 * an fdatasync that is due; whether number_ios are done; an fsync that is due; whether the job's
 * budget of bytes is done; whether a rate lets a read or write begin; the sequence where there is
 * one, else the pattern.
 * A write of a block that another one outstanding writes waits for it where what is written is read
 * back; nothing else is asked for meanwhile.
 */
#include "engine/io/job_steps.h"

#include <errno.h>
#include <string.h>

#include "engine/io/file_set.h"
#include "engine/io/sequence.h"
#include "engine/io/verify/verify.h"
#include "engine/plan/budget.h"
#include "engine/plan/written.h"

bool job_is_plain(const struct workload *workload)
{
	return workload->part_count == 0 && workload->fdatasync == 0 && !workload->end_fsync &&
	       workload->continue_on_error == CONTINUE_NONE && pace_is_plain(workload) &&
	       !workload_trims(workload) && !workload_rewrites(workload) &&
	       !sequence_needed(workload) &&
	       (workload->number_ios == 0 || budget_uniform(workload)) &&
	       (!workload_writes(workload) || written_fresh(workload));
}

/* The load's time is over, or the job's own while other parts of the workload go on. */
static bool time_over(const struct job *job, uint64_t now_ns)
{
	const struct load *load = job->recorder->load;

	return now_ns >= load->deadline_ns ||
	       (job->course.runtime_ns > 0 && now_ns >= load->window_ns + job->course.runtime_ns);
}

static bool fsync_due(const struct job *job)
{
	return job->fsync_every > 0 && job->fsync_left == 0;
}

/* fdatasync=N, as fsync=N: it does not wait for writes outstanding beside it. An fsync that is due
 * at the same time does for both, as in fio. */
static bool datasync_due(struct job *job, struct operation *operation)
{
	if (job->course.fdatasync_every == 0 || job->course.fdatasync_left > 0)
		return false;
	job->course.fdatasync_left = job->course.fdatasync_every;
	if (fsync_due(job))
		return false;
	if (job->course.files)
		(void)file_set_choose(job->course.files); /* of the last one where all are done */
	*operation = (struct operation){.kind = REQUEST_DATASYNC};
	return true;
}

/* job_next_within() of a job with a sequence. The last request of a size-ended job may go beyond
 * its size where requests differ in size, as fio's does. */
static enum job_step next_in_sequence(struct job *job, struct operation *operation,
				      unsigned int open)
{
	struct file_set *files = job->course.files;
	struct file_set_file *file = files ? file_set_choose(files) : NULL;
	struct sequence *sequence = file ? file->sequence : job->course.sequence;
	uint64_t length = file ? file->length : job->length;
	struct sequence_step step;

	/* Behind the last write of the last file too. */
	if (fsync_due(job)) {
		job->fsync_left = job->fsync_every;
		*operation = (struct operation){.kind = REQUEST_SYNC};
		return JOB_OPERATION;
	}
	if (files && !file)
		return JOB_DONE;
	if (job->budget_bytes < sequence->least) {
		if (job->limited)
			return JOB_DONE;
		job->budget_bytes = UINT64_MAX;
	}
	sequence_next(sequence, open, &step);
	operation->offset = job->offset + step.offset;
	operation->length = (uint32_t)step.length;
	operation->kind = (uint32_t)step.direction;
	/* The bound check, whatever the sequence says. */
	if (step.length == 0 || step.length > length || step.offset > length - step.length)
		return JOB_REFUSED;
	if (file)
		file_set_took(files, step.direction, step.length);
	job->budget_bytes -= step.length < job->budget_bytes ? step.length : job->budget_bytes;
	if (job->fsync_every > 0 && step.direction == DIRECTION_WRITE)
		job->fsync_left--;
	return JOB_OPERATION;
}

/* Whether its operations or bytes are done: it does not wait until a rate has another one due. */
static bool spent(const struct job *job)
{
	uint64_t least = job->course.sequence ? job->course.sequence->least : 1;

	return job->course.ios_left == 0 ||
	       (job->limited && job->budget_bytes < least && !fsync_due(job));
}

/* The next operation, as soon as a rate lets it begin. */
static enum job_step next(struct job *job, uint64_t now_ns, struct operation *operation,
			  uint64_t *ret_wake_ns)
{
	struct course *course = &job->course;
	unsigned int open = PATTERN_ALL_OPEN;
	enum job_step step;

	if (spent(job))
		return JOB_DONE;
	if (course->pace.rated && !fsync_due(job))
		open = pace_open(&course->pace, now_ns, ret_wake_ns);
	if (open == 0)
		return JOB_WAITS;
	step = course->sequence ? next_in_sequence(job, operation, open)
				: job_next_within(job, operation, open);
	if (step != JOB_OPERATION || operation->kind >= REQUEST_SYNC)
		return step;
	course->ios_left -= course->ios_left != UINT64_MAX;
	course->ios_outstanding++;
	return JOB_OPERATION;
}

/* OPERATION, or WAITS: the write is held. Only whole blocks are written where blocks are counted.
 */
static enum job_step begin_block(struct job *job, struct flight *flight)
{
	const struct operation *operation = &flight->operation;
	struct course *course = &job->course;

	if (operation->length != course->verify->bs ||
	    (operation->offset - job->offset) % course->verify->bs != 0)
		return JOB_REFUSED;
	flight->generation = verify_begin(course->verify, operation->offset);
	if (flight->generation > 0)
		return JOB_OPERATION;
	/* it is the next one's due as if it were outstanding */
	if (!course->held)
		course->outstanding_bytes += operation->length;
	course->held = true;
	course->held_write = *operation;
	return JOB_WAITS;
}

static enum job_step next_operation(struct job *job, uint64_t now_ns, struct operation *operation,
				    uint64_t *ret_wake_ns)
{
	if (job->course.held) {
		*operation = job->course.held_write;
		return JOB_OPERATION;
	}
	if (datasync_due(job, operation))
		return JOB_OPERATION;
	return next(job, now_ns, operation, ret_wake_ns);
}

static void plan_write(struct job *job, struct flight *flight)
{
	if (job->course.fdatasync_every > 0)
		job->course.fdatasync_left--;
	flight->key = data_draw(&job->course.data);
}

/* What a rewrite changes of a block: its first word, all bits of which are drawn but the first. */
static void change(void *buffer, uint32_t bytes, uint64_t key)
{
	uint64_t word = 0;
	size_t size = bytes < sizeof(word) ? bytes : sizeof(word);

	key |= 1; /* never zero: a block always changes */
	memcpy(&word, buffer, size);
	word ^= key;
	memcpy(buffer, &word, size);
}

void job_fill(const struct job *job, const struct flight *flight, void *buffer, uint64_t own)
{
	const struct operation *operation = &flight->operation;

	if (flight->follows) {
		change(buffer, operation->length, flight->key);
		return;
	}
	if (job->course.verify)
		verify_fill(job->course.verify, buffer, operation->offset, flight->generation);
	else
		data_fill(&job->course.data, buffer, operation->length, operation->offset,
			  flight->key, own);
}

/* A sync has begun the next count: with those it was owed. */
static void settle(uint64_t *left, uint64_t *owed)
{
	uint64_t count = *owed < *left ? *owed : *left;

	*left -= count;
	*owed -= count;
}

/* The writes still to follow may make a sync due. */
static bool syncs_may_follow(const struct job *job)
{
	return job->course.rewrites && job->course.outstanding > 0 &&
	       (job->fsync_every > 0 || job->course.fdatasync_every > 0);
}

/* A job that has nothing more to do syncs each of its files once, one after another, when nothing
 * of it is outstanding. */
static enum job_step plan_end(struct job *job, struct flight *flight)
{
	struct course *course = &job->course;

	if (!course->end_sync)
		return JOB_DONE;
	if (course->outstanding > 0)
		return JOB_WAITS;
	*flight = (struct flight){.operation.kind = REQUEST_END_SYNC, .file = course->end_file};
	course->end_file++;
	course->end_sync = course->files && course->end_file < course->files->count;
	course->outstanding++;
	return JOB_OPERATION;
}

static enum job_step plan_operation(struct job *job, uint64_t now_ns, struct flight *ret_flight,
				    uint64_t *ret_wake_ns)
{
	struct operation *operation = &ret_flight->operation;
	struct course *course = &job->course;
	enum job_step step;

	if (time_over(job, now_ns))
		return JOB_DONE;
	if (!pace_flows(&course->pace, now_ns) &&
	    pace_pauses(&course->pace, job->recorder->load->start_ns, now_ns, course->outstanding,
			ret_wake_ns))
		return JOB_WAITS;
	step = next_operation(job, now_ns, operation, ret_wake_ns);
	if (step == JOB_OPERATION && operation->kind == REQUEST_WRITE && course->verify)
		step = begin_block(job, ret_flight);
	if (step != JOB_OPERATION)
		return step == JOB_DONE && syncs_may_follow(job) ? JOB_WAITS : step;
	if (operation->kind == REQUEST_WRITE)
		plan_write(job, ret_flight);
	else if (operation->kind == REQUEST_SYNC)
		settle(&job->fsync_left, &course->fsync_owed);
	else if (operation->kind == REQUEST_DATASYNC)
		settle(&course->fdatasync_left, &course->fdatasync_owed);
	ret_flight->due_ns = 0;
	ret_flight->follows = false;
	ret_flight->file = course->files ? course->files->current : 0;
	if (operation->kind < DIRECTION_COUNT && pace_counts_issued(&course->pace))
		ret_flight->due_ns = pace_issued(&course->pace, (enum direction)operation->kind,
						 operation->length);
	course->outstanding++;
	if (!course->held)
		course->outstanding_bytes += operation->length;
	course->held = false;
	return JOB_OPERATION;
}

enum job_step job_plan(struct job *job, uint64_t now_ns, struct flight *ret_flight,
		       uint64_t *ret_wake_ns)
{
	enum job_step step = plan_operation(job, now_ns, ret_flight, ret_wake_ns);

	return step == JOB_DONE ? plan_end(job, ret_flight) : step;
}

static void record(struct recorder *recorder, const struct flight *flight, uint64_t now_ns)
{
	uint32_t kind = flight->operation.kind;

	/* Bytes are told as operations times the largest size, less what is missing to it. */
	if (kind < DIRECTION_COUNT)
		recorder->missing_bytes[kind] += recorder->bs[kind] - flight->operation.length;
	histogram_add(recorder->histograms[kind], now_ns - flight->stamp_ns);
	if (flight->due_ns > 0)
		histogram_add(recorder->intended[kind], now_ns - flight->due_ns);
	if (kind >= DIRECTION_COUNT || !recorder->submission[kind])
		return;
	histogram_add(recorder->submission[kind], flight->submitted_ns - flight->stamp_ns);
	histogram_add(recorder->completion[kind], now_ns - flight->submitted_ns);
}

/* Whether one that failed does not end the sample (fio's td_error_type, td_non_fatal_error). */
static bool passes(const struct course *course, uint32_t kind, int32_t result)
{
	return (kind == REQUEST_READ ? course->passes_reads : course->passes_writes) &&
	       (result == 0 || result == -EIO);
}

bool job_landed(struct job *job, const struct flight *flight, int32_t result, uint64_t now_ns,
		struct error *err)
{
	const struct operation *operation = &flight->operation;
	struct recorder *recorder = job->recorder;

	job->course.outstanding--;
	job->course.outstanding_bytes -= flight->follows ? 0 : operation->length;
	job->course.ios_outstanding -= operation->kind < REQUEST_SYNC;
	if (job->course.verify && operation->kind == REQUEST_WRITE)
		verify_end(job->course.verify, operation->offset, flight->generation,
			   result == (int32_t)operation->length);
	if (result != (int32_t)operation->length &&
	    !recorder_short(recorder, operation->kind, operation->offset, operation->length, result,
			    err)) {
		job_blame(job, err);
		if (!passes(&job->course, operation->kind, result))
			return false;
		recorder_failed(recorder, operation->kind, err);
		result = 0;
	} else {
		record(recorder, flight, now_ns);
	}
	/* Threads stamp before they lock. */
	if (now_ns > recorder->last_ns)
		recorder->last_ns = now_ns;
	if (operation->kind >= DIRECTION_COUNT || !pace_counts_landed(&job->course.pace) ||
	    pace_landed(&job->course.pace, (enum direction)operation->kind, (uint64_t)result,
			now_ns, err) == 0)
		return true;
	job_blame(job, err);
	return false;
}

/* A sync may be due already: writes that follow do not wait for it. */
static void count_write(uint64_t *left, uint64_t *owed)
{
	if (*left > 0)
		(*left)--;
	else
		(*owed)++;
}

bool job_follows(struct job *job, struct flight *flight, int32_t result)
{
	struct course *course = &job->course;

	if (!course->rewrites || flight->operation.kind != REQUEST_READ || result <= 0)
		return false;
	flight->operation.kind = REQUEST_WRITE;
	flight->operation.length = (uint32_t)result;
	flight->follows = true;
	flight->due_ns = 0;
	/* Syncs count it, and number_ios; the budget of bytes has counted the read. */
	count_write(&course->fdatasync_left, &course->fdatasync_owed);
	count_write(&job->fsync_left, &course->fsync_owed);
	flight->key = data_draw(&course->data);
	course->ios_left -= course->ios_left != UINT64_MAX && course->ios_left > 0;
	if (pace_counts_issued(&course->pace)) /* no rate, but a pause may be due */
		(void)pace_issued(&course->pace, DIRECTION_WRITE, flight->operation.length);
	course->outstanding++;
	course->ios_outstanding++;
	return true;
}
