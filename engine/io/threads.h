/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * threads.h - the backend without a ring: one thread for each outstanding operation, in blocking
 * pread, pwrite and fsync.
 *
 * The threads of one job share its pattern and its recorder under the job's lock, which is held
 * only to record one operation and draw the next. Every operation is stamped on its own; a blocking
 * call has no submission apart from its completion.
 *
 * Calling sequence: threads_new -> thread_main in worker_count threads of their own, with
 * &workers[i] as argument (load.h's life of a worker) -> threads_free, unless one of them did not
 * end: it sits in the kernel, and touches its worker, job and load when it comes back.
 *
 * Locking: thread_job.mutex guards job and recorder.
 */
#ifndef ENGINE_IO_THREADS_H
#define ENGINE_IO_THREADS_H

#include <pthread.h>

#include "engine/io/job.h"
#include "engine/io/placement.h"

struct thread_job {
	_Alignas(64) pthread_mutex_t mutex;
	pthread_cond_t landed; /* an operation of the job */
	struct job job;
	struct recorder recorder;
	int fd;
	bool device;
};

struct thread_worker {
	_Alignas(64) struct threads *threads;
	struct thread_job *job;
	uint64_t seed;
};

struct threads {
	struct load *load;
	struct placement placement;
	uint64_t bs_max;
	bool writes;
	size_t job_count, worker_count;
	struct thread_job *jobs;
	size_t lock_count; /* how many of the jobs' are there */
	struct thread_worker *workers;
};

MUST_CHECK int threads_new(const struct measure_spec *spec, struct load *load,
			   struct threads **ret_threads, struct error *err);
void threads_free(struct threads *threads);

void *thread_main(void *argument);

#endif
