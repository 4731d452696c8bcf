/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job.h - one job of a workload: what it does next, and what came of it.
 *
 * A job joins its pattern, its region with the bound check, its byte budget (size-ended runs), its
 * fsync=N count and its recorder, which other jobs may share.
 *
 * A job goes by its pattern, or by a sequence (sequence.h) where the workload asks for more than a
 * pattern gives; only job_steps.c asks the sequence.
 *
 * Where it has several files (file_set.h) each has a pattern and a sequence of its own, and the
 * job's own pattern only says the kind and the mix.
 *
 * fsync=N means, as in fio: after every N writes issued the job's next operation is an fsync. It
 * does not wait for writes outstanding beside it (depth above 1).
 *
 * Threads: one user at a time. The threads backend holds its own lock per job around the calls.
 */
#ifndef ENGINE_IO_JOB_H
#define ENGINE_IO_JOB_H

#include "engine/io/course.h"
#include "engine/io/measure.h"
#include "engine/io/pattern.h"
#include "engine/io/recorder.h"

struct job {
	struct pattern pattern;
	struct recorder *recorder;
	uint64_t offset, length;	   /* the region */
	uint64_t last[PATTERN_DIRECTIONS]; /* the last offset in it where a whole block fits */
	uint32_t file;			   /* the descriptor's index; of several the first's */
	bool limited;			   /* ends when budget_bytes is used up */
	uint64_t budget_bytes; /* not limited: so many that it is topped up now and then */
	uint64_t passes;       /* over several files; UINT64_MAX: as many as there are bytes for */
	uint64_t size_bytes;   /* limited: all that it does, budget.h */
	uint64_t fsync_every, fsync_left; /* 0: no fsyncs */
	struct course course;
};

/* REFUSED is a bug of ours: the operation would have left the region, and was not made. WAITS only
 * comes from job_plan(), job_steps.h. */
enum job_step { JOB_OPERATION, JOB_DONE, JOB_REFUSED, JOB_WAITS };

/*
 * A job of a workload that is one part. Begins at the region's first operation; the seed is derived
 * from (seed, index). -EINVAL with err OUT_OF_RANGE where the region cannot hold a block or runs
 * over 2^63. -ENOMEM.
 */
MUST_CHECK int job_init(struct job *job, const struct workload *workload,
			const struct measure_region *region, size_t index, uint64_t seed,
			struct recorder *recorder, struct error *err);
void job_done(struct job *job); /* job_init may have failed */

/* Of one part of several: it has a name, a begin and an end of its own. */
void job_part(struct job *job, const struct workload *whole, const struct workload *part);

/* The ramp is over: the budget of a size-ended job begins anew, less what is outstanding (that
 * will complete in the window). */
void job_window_begins(struct job *job, uint64_t outstanding_bytes);

/* Puts the part's name before the message. */
void job_blame(const struct job *job, struct error *err);

/* err for JOB_REFUSED. */
int job_refusal(const struct job *job, const struct operation *operation, struct error *err);

/* The budget has fallen below zero by a block of so many bytes: puts it right. False where that is
 * the end: where something was left, the last request goes beyond it, as fio's does. */
bool job_overdrawn(struct job *job, uint64_t bytes);

/* The next read or write: in that direction, of which `drawn` was drawn. */
static inline __attribute__((always_inline)) enum job_step job_next_towards(
	struct job *job, struct operation *operation, const enum pattern_kind kind,
	enum direction direction, uint64_t drawn, const bool syncs)
{
	uint64_t at, bs = job->pattern.bs[direction];

	if (__builtin_expect(__builtin_sub_overflow(job->budget_bytes, bs, &job->budget_bytes),
			     0) &&
	    !job_overdrawn(job, bs))
		return JOB_DONE;
	at = pattern_offset(&job->pattern, direction, kind, drawn);
	operation->offset = job->offset + at;
	operation->length = (uint32_t)bs;
	operation->kind = (uint32_t)direction;
	/* The bound check, whatever the pattern says. */
	if (__builtin_expect(at > job->last[direction], 0))
		return JOB_REFUSED;
	if (syncs && direction == DIRECTION_WRITE)
		job->fsync_left--;
	return JOB_OPERATION;
}

/*
 * The job's next operation. kind, mix and syncs (fsync=N is asked for) are the pattern's and the
 * job's own, given as constants by a loop built for them.
 */
static inline __attribute__((always_inline)) enum job_step job_next_shaped(
	struct job *job, struct operation *operation, const enum pattern_kind kind,
	const enum pattern_mix mix, const bool syncs)
{
	uint64_t drawn;

	if (syncs && job->fsync_left == 0) {
		job->fsync_left = job->fsync_every;
		*operation = (struct operation){.kind = REQUEST_SYNC};
		return JOB_OPERATION;
	}
	drawn = pattern_draw(&job->pattern, kind, mix);
	return job_next_towards(job, operation, kind, pattern_direction(&job->pattern, mix, drawn),
				drawn, syncs);
}

enum job_step job_next(struct job *job, struct operation *operation);

/* The same, in a direction as pattern_direction_within() has it. A sync that is due comes first. */
enum job_step job_next_within(struct job *job, struct operation *operation, unsigned int open);

#endif
