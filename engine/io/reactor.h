/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reactor.h - one thread that keeps the operations of many jobs outstanding in one backend.
 *
 * Every job has its depth of slots. Idle slots wait in one first-in-first-out queue, so jobs are
 * served in turn. A round takes at most min(32, depth / 2) of them (depth: of all its jobs), stamps
 * the time, hands the batch over, takes what has completed, and stamps again: the two stamps serve
 * all of the batch. Waiting is for one completion, and only when no slot is idle.
 *
 * A reactor whose whole depth is 1 stamps three times: before submitting, when the submission
 * returned, and after the completion; then submission and completion latencies are known apart.
 *
 * Calling sequence: reactor_new -> reactor_main in a thread of its own (which goes by load.h's
 * life of a worker) -> results are read when it has finished -> reactor_free, unless it did not
 * drain: then it is never freed.
 * Ownership: jobs, recorders, buffers and the ring belong to the reactor. It refers to nothing of
 * its config after reactor_new but the load and the descriptors.
 */
#ifndef ENGINE_IO_REACTOR_H
#define ENGINE_IO_REACTOR_H

#include "engine/io/backend.h"
#include "engine/io/job.h"

/* A slot's kind when it has no operation: waiting for its next one, or for ever. */
enum { SLOT_IDLE = REQUEST_KIND_COUNT, SLOT_PARKED };

struct slot {
	uint64_t stamp_ns;
	struct job *job;
	uint64_t offset;
	uint32_t length;
	uint32_t kind; /* enum request_kind, or SLOT_... */
};

_Static_assert(sizeof(struct slot) == 32, "a slot is found by a shift");

struct reactor {
	struct load *load;
	bool grouped; /* one recorder for all jobs */
	bool single;  /* depth 1: three stamps */
	bool limited; /* size-ended jobs */
	size_t job_count, recorder_count;
	struct job *jobs;
	struct recorder *recorders;

	enum backend_kind kind;
	uint64_t seed;
	uint32_t bs_max;
	bool allowed[REQUEST_KIND_COUNT];
	int *files;
	uint32_t file_count;
	struct arena arena;
	struct backend *backend;
	char features[BACKEND_FEATURES_MAX]; /* of the backend; outlives it */

	uint32_t slot_count, batch;
	struct slot *slots;
	uint32_t *idle; /* a ring of slot numbers, head to tail */
	uint32_t idle_mask, idle_head, idle_tail;
	uint32_t outstanding;
	bool issuing;
	uint64_t next_event_ns;
	struct random keys; /* for refreshing buffers */
	unsigned int (*build)(struct reactor *reactor);
	void (*complete)(struct reactor *reactor, unsigned int count, uint64_t now_ns);
	struct request requests[BACKEND_BATCH_MAX];
	struct completion completions[4 * BACKEND_BATCH_MAX];

	bool drained;	      /* nothing is outstanding; valid once finished */
	atomic_bool finished; /* the thread will not touch this reactor again */
};

struct reactor_config {
	const struct measure_spec *spec;
	size_t first, step; /* jobs first, first + step, ... of the spec's */
	struct load *load;
};

/* Jobs of the reactor beginning with first. */
size_t reactor_job_count(const struct reactor_config *config);

/* -ENOMEM, or job_init's errors, with err. */
MUST_CHECK int reactor_new(const struct reactor_config *config, struct reactor **ret_reactor,
			   struct error *err);
void reactor_free(struct reactor *reactor);

/* reactor_loop.c: sets build and complete, once allowed, grouped and limited are known. */
void reactor_choose_loop(struct reactor *reactor, const struct workload *workload);

/* The thread's function; the argument is the reactor. */
void *reactor_main(void *argument);

#endif
