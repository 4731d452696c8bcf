/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_steps.h - a job step by step: each operation is planned and landed by a call. For all that a
 * loop built for one shape of workload (job_next_shaped) has no room for, and for every workload on
 * the threads backend. The one place that says in which order the parts of the language are asked.
 *
 * Threads: one user at a time, as of the job.
 */
#ifndef ENGINE_IO_JOB_STEPS_H
#define ENGINE_IO_JOB_STEPS_H

#include "engine/io/job.h"

/* An operation that goes step by step, from its planning to its landing. */
struct flight {
	struct operation operation;
	uint64_t stamp_ns; /* when it was handed over: the caller's to set */
	/* When the submission returned: the caller's to set where its recorder has histograms for
	 * the two parts. */
	uint64_t submitted_ns;
	uint64_t key;	     /* of what a write holds */
	uint64_t due_ns;     /* its intended start; 0: no rate gave it one */
	bool follows;	     /* the write of a rewrite, of what its buffer holds since the read */
	uint32_t generation; /* verify.h's, of a write */
	uint32_t file;	     /* of the job's, where it has several */
};

/* Whether a completed workload has a loop of its own: job_next_shaped() is then all there is. */
bool job_is_plain(const struct workload *workload);

/*
 * What the job does at now_ns. OPERATION: *ret_flight is outstanding from now on, and must land.
 * WAITS: nothing before *ret_wake_ns (UINT64_MAX: not before one of the job's own has landed); to
 * be asked again then, or whenever something has landed.
 */
enum job_step job_plan(struct job *job, uint64_t now_ns, struct flight *ret_flight,
		       uint64_t *ret_wake_ns);

/* Makes the buffer of a planned write ready, before it is stamped. `own` is a number of the
 * buffer's own. May run while the job is used otherwise. */
void job_fill(const struct job *job, const struct flight *flight, void *buffer, uint64_t own);

/* A planned operation has ended with `result` (bytes or -errno): it is recorded. False, with err,
 * where that ends the measurement. */
bool job_landed(struct job *job, const struct flight *flight, int32_t result, uint64_t now_ns,
		struct error *err);

/*
 * A planned operation has landed well, with `result` bytes. True: it was the read of a rewrite, and
 * the flight is its write now, to be submitted next from the same buffer; it is outstanding
 * already, and lands as others do. It must be made even when time is over, unless the load stops:
 * the job's end waits for it.
 */
bool job_follows(struct job *job, struct flight *flight, int32_t result);

#endif
