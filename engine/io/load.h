/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load.h - what all workers of one measurement share: start, times, stop, the series.
 *
 * Life of a worker (a reactor, or one thread of the threads backend):
 *   set up -> load_ready() -> (all released together) -> run -> load_finished()
 * The control thread waits for all to be ready, releases them, and waits for all to finish, with
 * an end to its patience once it has asked them to stop.
 *
 * Times: the load starts at start_ns; from window_ns (start + ramp) on operations count; at
 * deadline_ns no more are issued. They are written before the release and constant afterwards, but
 * for a deadline that is brought forward.
 *
 * A worker stuck in the kernel is left behind with everything it may touch: then the load, jobs
 * and buffers are never freed (a deliberate leak; the process is about to give the run up).
 *
 * Locking: `mutex` guards the counts, `released`, `abandoned` and `error`; `changed` is signalled
 * when they change. `stop` and `bytes_done` are atomics. `seconds` entries are added to with
 * relaxed atomics, a few times a second by each recorder.
 */
#ifndef ENGINE_IO_LOAD_H
#define ENGINE_IO_LOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/sample.h"

enum load_stop { LOAD_GOES_ON, LOAD_CANCELLED, LOAD_FAILED };

/* Where the last request of all jobs that share it ends, in bytes of their region. */
struct load_position {
	_Alignas(64) atomic_uint_fast64_t next;
};

struct load {
	/* constant while workers run */
	uint64_t start_ns, window_ns;	  /* CLOCK_MONOTONIC */
	atomic_uint_fast64_t deadline_ns; /* UINT64_MAX: none; load_end() may bring it forward */
	struct series_second *seconds;	  /* NULL: no series wanted */
	size_t second_capacity;
	/* Of each part of the workload, where its jobs share one. The owner is whoever made the
	 * load; NULL: there are no such jobs. */
	struct load_position *positions;

	_Alignas(64) atomic_int stop; /* enum load_stop; read by every worker each batch */
	_Alignas(64) atomic_uint_fast64_t bytes_done; /* since start, to within 100 ms */
	atomic_uint_fast64_t errors;

	_Alignas(64) pthread_mutex_t mutex;
	pthread_cond_t changed;
	size_t worker_count, ready, finished, undrained;
	bool released, abandoned;
	bool failed;
	struct error error; /* the first one */
};

/*
 * capacity_s: seconds of the series, 0 for none. What completes later than that counts in the last
 * second. -ENOMEM and the like.
 */
MUST_CHECK int load_init(struct load *load, size_t capacity_s);
void load_done(struct load *load); /* no worker may be left; load_init may have failed */

/* Worker: set up and ready. Returns at start_ns, when all are released; false when the start was
 * given up: then load_finished(). From here on the thread's timers are as exact as the kernel's. */
bool load_ready(struct load *load);

/* Worker: something went wrong; the first error is kept and all are stopped. */
void load_fail(struct load *load, const struct error *err);

/* Worker: its last touch of the load. drained: no operation of it is outstanding any more. */
void load_finished(struct load *load, bool drained);

/* Control: adds one second's counts at a time within the load. */
void load_add_to_series(struct load *load, uint64_t second, const struct series_second *more);

/* Control: lets the workers go, delay_ns from now, or go home. */
void load_release(struct load *load, uint64_t delay_ns, uint64_t ramp_ns, uint64_t runtime_ns);
void load_abandon(struct load *load);

/* Control: what was measured is enough; nothing more is issued, what is outstanding completes. */
void load_end(struct load *load, uint64_t now_ns);

/* Control: asks all to stop; the first reason stands. */
void load_stop(struct load *load, enum load_stop reason);

/* Control: a worker of this process hangs in the kernel and was left behind; and whether one ever
 * was. To close a descriptor that it uses could hang as well: the process leaves that to its end.
 */
void load_left_behind(void);
bool load_any_left_behind(void);

enum load_wait { LOAD_WAIT_READY, LOAD_WAIT_FINISHED };

/* Control: waits until count workers are ready (or one failed), or have finished; true when so,
 * false when until_ns (monotonic) came first. */
bool load_wait(struct load *load, enum load_wait what, size_t count, uint64_t until_ns);

static inline bool load_stopping(struct load *load)
{
	return atomic_load_explicit(&load->stop, memory_order_relaxed) != LOAD_GOES_ON;
}

#endif
