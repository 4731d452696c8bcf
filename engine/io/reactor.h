/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reactor.h - one thread that keeps the operations of many jobs outstanding in one backend.
 *
 * Every job has its own depth of slots. Idle slots wait in the backend's queue, first in first out,
 * so jobs are served in turn. A round takes at most min(32, depth / 2) of them (depth: of all its
 * jobs), stamps the time, hands the batch over, takes what has completed, and stamps again: the two
 * stamps serve all of the batch.
 * Waiting is only when no slot is idle, and for one completion unless iodepth_batch_complete_min
 * asks for more; the target then holds less than the depth meanwhile.
 *
 * With iodepth_low a reactor hands over as many as are idle, then none until no more than that are
 * outstanding, and so on: fio's rule (backend.c, wait_for_completions), for all its jobs together.
 *
 * A batch is remembered until its last operation has completed: its slots name it, and what they
 * share, the stamp, lies there. Batches outstanding are never more than slots outstanding.
 *
 * Workloads with a shape of their own run in loops built for it (reactor_loop.c), others go step by
 * step (reactor_steps.c).
 *
 * A reactor whose whole depth is 1 stamps three times: before submitting, when the submission
 * returned, and after the completion; then submission and completion latencies are known apart.
 *
 * Calling sequence: reactor_new -> reactor_main in a thread of its own (which goes by load.h's
 * life of a worker) -> results are read when it has finished -> reactor_free, unless it did not
 * drain: then it is never freed.
 * Length: what all four of its sources share.
 * Ownership: jobs, recorders, buffers and the ring belong to the reactor. It refers to nothing of
 * its config after reactor_new but the load and the descriptors.
 */
#ifndef ENGINE_IO_REACTOR_H
#define ENGINE_IO_REACTOR_H

#include <time.h>

#include "engine/base/clock.h"
#include "engine/io/backend.h"
#include "engine/io/job_steps.h"
#include "engine/io/placement.h"

/* The longest a reactor waits without looking at the stop flag and the time. */
#define REACTOR_WAIT_NS (50 * NS_PER_MS)

struct batch {
	uint64_t stamp_ns;
	uint32_t left; /* outstanding */
	uint32_t next; /* the next unused one */
};

/* Of one job that goes step by step. */
struct job_slots {
	uint32_t idle; /* the first of its idle slots; slot_next leads on */
	bool waits;    /* it has said so for the batch being planned */
	bool done;     /* it plans no more */
};

struct reactor {
	struct load *load;
	bool single; /* depth 1: three stamps */
	bool steps;  /* reactor_steps.c: jobs that are not plain */
	size_t job_count, recorder_count;
	struct job *jobs;
	struct recorder *recorders;

	enum backend_kind kind;
	struct placement placement;
	bool polled, kernel_thread, registered_buffers; /* backend.h's config */
	int kernel_thread_cpu;
	size_t first_job;
	uint64_t seed;
	uint32_t bs_max;
	bool allowed[REQUEST_KIND_COUNT];
	int *files;
	uint32_t file_count;
	struct arena arena;
	struct backend *backend;
	char features[BACKEND_FEATURES_MAX]; /* of the backend; outlives it */

	uint32_t slot_count, batch_max;
	/* iodepth_low: refilled when no more are outstanding, 0: at once. Then batch_max is also
	 * at most what may be handed over until the next wait for that, `fill`; else batch_most. */
	uint32_t low, batch_most, fill;
	uint32_t wait_for; /* completions, where no slot is idle */
	/* of each slot: its job, its last batch, whether its job has no more for it, and whether it
	 * was outstanding when reactor_mark_flying was called */
	struct job **slot_jobs;
	uint32_t *slot_batches;
	bool *slot_parked, *slot_flying;
	struct batch *batches; /* one more than slots: that to be built */
	uint32_t unused;       /* the first unused batch */
	uint32_t idle_end; /* idle slots are the queue's, from the backend's `submitted` to here */
	uint32_t outstanding;
	uint32_t bad[REQUEST_KIND_COUNT]; /* failed ones of the run being taken */
	bool issuing;
	uint64_t next_event_ns;
	struct random keys; /* for refreshing buffers */
	unsigned int (*build)(struct reactor *reactor);
	void (*complete)(struct reactor *reactor, unsigned int count, uint64_t now_ns);
	void (*single_loop)(struct reactor *reactor);
	/* of steps, else NULL */
	struct job_slots *job_slots; /* of each job */
	struct flight *flights;	     /* of each slot */
	uint32_t *slot_next;
	uint32_t follow_first, follow_last; /* slots whose flight follows at once, by slot_next */
	size_t turn;			    /* the job to be asked next */

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

/* reactor_loop.c: sets build, complete and single_loop, once allowed and recorders are known. */
void reactor_choose_loop(struct reactor *reactor, const struct workload *workload);

/* Where low is set: whether a batch may be built now; batch_max is then what `fill` leaves. The
 * builder reduces `fill`. */
bool reactor_may_fill(struct reactor *reactor);

/* reactor_steps.c: all slots become idle; the rounds; what has come back. */
void reactor_begin_steps(struct reactor *reactor);
void reactor_run_steps(struct reactor *reactor);
void reactor_complete_steps(struct reactor *reactor, unsigned int count, uint64_t now_ns);

/* So many completions, at now_ns: events that are due, then what has come back. */
void reactor_take(struct reactor *reactor, int ready, uint64_t now_ns);

/* To be called when now_ns has reached next_event_ns, before anything is recorded. */
void reactor_events(struct reactor *reactor, uint64_t now_ns);

/* The backend has failed: ends the load. */
void reactor_failed(struct reactor *reactor, int rc);

/* clock_now_ns, inlined. */
static inline uint64_t reactor_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Finds out which slots are outstanding. */
void reactor_mark_flying(struct reactor *reactor);

/* The thread's function; the argument is the reactor. */
void *reactor_main(void *argument);

#endif
