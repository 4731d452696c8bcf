/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job.h - one job of a workload: what it does next, and what came of it.
 *
 * A job joins its pattern, its region with the bound check, its byte budget (size-ended runs) and
 * its fsync=N count. A recorder keeps the measured window's histograms of one job, or of all jobs
 * of one reactor where nobody asks for them apart.
 *
 * Nothing else is counted per operation: operations are the histogram's count, bytes are that
 * times the block size less what short transfers lacked, and the series gets differences of these
 * totals whenever recorder_event() is due (each second's end, and ten times a second).
 *
 * fsync=N means, as in fio: after every N writes issued the job's next operation is an fsync. It
 * does not wait for writes outstanding beside it (depth above 1).
 *
 * Threads: one user at a time. The threads backend holds its own lock per job around the calls.
 */
#ifndef ENGINE_IO_JOB_H
#define ENGINE_IO_JOB_H

#include "engine/io/backend.h"
#include "engine/io/course.h"
#include "engine/io/histogram.h"
#include "engine/io/load.h"
#include "engine/io/measure.h"
#include "engine/io/pattern.h"

struct recorder {
	struct histogram *histograms[REQUEST_KIND_COUNT]; /* NULL: the workload has none of it */
	/* Where each operation is stamped three times, else NULL. */
	struct histogram *submission[DIRECTION_COUNT], *completion[DIRECTION_COUNT];
	/* There too: what completed within its own submission is added here, once instead of three
	 * times; recorder_finish() passes it on to the three. */
	struct histogram *at_once[DIRECTION_COUNT];
	uint64_t bs[DIRECTION_COUNT];
	uint64_t short_ios[DIRECTION_COUNT];
	uint64_t missing_bytes[DIRECTION_COUNT]; /* asked but not transferred, in short ones */
	uint64_t last_ns;			 /* the last completion in the window; 0: none */
	/* the series */
	struct load *load;
	bool in_window;
	uint64_t second;	   /* of the load, that `told` belongs to */
	struct series_second told; /* totals the series has got already */
	uint64_t next_event_ns;
};

struct job {
	struct pattern pattern;
	struct recorder *recorder;
	uint64_t offset, length;	   /* the region */
	uint64_t last[PATTERN_DIRECTIONS]; /* the last offset in it where a whole block fits */
	uint32_t file;			   /* the descriptor's index */
	bool limited;			   /* ends when budget_bytes is used up */
	uint64_t budget_bytes; /* not limited: so many that it is topped up now and then */
	uint64_t size_bytes;
	uint64_t fsync_every, fsync_left; /* 0: no fsyncs */
	struct course course;
};

/* What a job does next. */
struct operation {
	uint64_t offset; /* bytes in the file; 0 for a sync */
	uint32_t length; /* bytes; 0 for a sync */
	uint32_t kind;	 /* enum request_kind */
};

/* REFUSED is a bug of ours: the operation would have left the region, and was not made. WAITS only
 * comes from job_plan(), job_steps.h. */
enum job_step { JOB_OPERATION, JOB_DONE, JOB_REFUSED, JOB_WAITS };

/* Histograms for what the workload does. -ENOMEM; recorder_done() is due all the same. */
MUST_CHECK int recorder_init(struct recorder *recorder, const struct workload *workload, bool split,
			     struct load *load);
void recorder_done(struct recorder *recorder);

/* The load was released: the first event. */
void recorder_start(struct recorder *recorder);

/*
 * To be called when now_ns has reached next_event_ns, before anything that completed at now_ns is
 * recorded. Tells the series and the load's byte count; empties the histograms when the ramp is
 * over and then returns true: job_window_begins() is due for the recorder's jobs.
 */
bool recorder_event(struct recorder *recorder, uint64_t now_ns);

/* The end: what the series has not got yet. */
void recorder_finish(struct recorder *recorder);

/* An operation that did not transfer all: false when it is an error (err set), which includes 0
 * bytes; else counted as short. */
bool recorder_short(struct recorder *recorder, enum request_kind kind, uint64_t offset,
		    uint32_t length, int32_t result, struct error *err);

uint64_t recorder_ios(const struct recorder *recorder, enum direction direction);
uint64_t recorder_bytes(const struct recorder *recorder, enum direction direction);

/*
 * Begins at the region's first operation; the seed is derived from (seed, index). -EINVAL with err
 * OUT_OF_RANGE where the region cannot hold a block or runs over 2^63.
 */
MUST_CHECK int job_init(struct job *job, const struct workload *workload,
			const struct measure_region *region, size_t index, uint64_t seed,
			struct recorder *recorder, struct error *err);

/* The ramp is over: the budget of a size-ended job begins anew, less what is outstanding (that
 * will complete in the window). */
void job_window_begins(struct job *job, uint64_t outstanding_bytes);

/* err for JOB_REFUSED. */
int job_refusal(const struct job *job, const struct operation *operation, struct error *err);

/* The budget has fallen below zero by a block of so many bytes: puts it right. False where that is
 * the end. */
bool job_overdrawn(struct job *job, uint64_t bytes);

/*
 * The job's next operation. kind, mix and syncs (fsync=N is asked for) are the pattern's and the
 * job's own, given as constants by a loop built for them.
 */
static inline __attribute__((always_inline)) enum job_step job_next_shaped(
	struct job *job, struct operation *operation, const enum pattern_kind kind,
	const enum pattern_mix mix, const bool syncs)
{
	enum direction direction;
	uint64_t drawn, at, bs;

	if (syncs && job->fsync_left == 0) {
		job->fsync_left = job->fsync_every;
		*operation = (struct operation){.kind = REQUEST_SYNC};
		return JOB_OPERATION;
	}
	drawn = pattern_draw(&job->pattern, kind, mix);
	direction = pattern_direction(&job->pattern, mix, drawn);
	bs = job->pattern.bs[direction];
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

enum job_step job_next(struct job *job, struct operation *operation);

#endif
