/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metadata_parts.h - what metadata.c (control) and metadata_worker.c (workers) share. Not for
 * others: they read metadata.h.
 *
 * Edges of a phase: the control thread prepares the orders while all workers wait -> begins it
 * (phase number and start under the mutex, `changed`) -> workers work and count themselves done ->
 * the control thread, woken by the last, reads their figures. A stop lets every worker end its
 * phase with nothing outstanding.
 *
 * Locking: `mutex` guards phase, start_ns, ready, done, gone, failed, stuck, error and errors;
 * `changed` is signalled when they change. `stop` is an atomic. A job's `next` is taken from by all
 * its workers. All else of a worker is its own between a phase's begin and its done; a job's order
 * is the control thread's while no phase runs.
 */
#ifndef ENGINE_IO_FILES_METADATA_PARTS_H
#define ENGINE_IO_FILES_METADATA_PARTS_H

#include <pthread.h>

#include "engine/base/clock.h"
#include "engine/io/buffer.h"
#include "engine/io/files/files_task.h"
#include "engine/io/files/metadata.h"

/* The longest a worker or the control thread waits without looking at the stop flag. */
#define METADATA_WATCH_NS (50 * NS_PER_MS)
/* What is written begins somewhere in so many random bytes, so that hardly two files are alike. */
#define METADATA_SOURCE_BYTES (UINT64_C(1) << 20)

struct job {
	struct files_plan plan;
	const int *directories;
	uint32_t *order;
	_Alignas(64) atomic_uint_fast64_t next; /* place in the order */
};

struct place {
	struct job *job;
	struct file_task task;
	uint64_t stamp_ns;
};

struct worker {
	struct run *run;
	struct files_ring *ring; /* NULL: threads, one place */
	uint32_t place_count;
	struct place *places;
	uint32_t *idle;
	uint32_t idle_count;
	struct arena buffers; /* to read into, one a place */
	struct histogram *latency;
	uint64_t bytes, end_ns; /* of the phase at hand */
};

/* Lives on the heap: a worker that is left behind goes on referring to it. */
struct run {
	const struct metadata_spec *spec; /* a copy of the caller's, below */
	struct metadata_spec own_spec;
	struct file_phases phases;
	bool reads, may_replace;
	enum file_sync sync;
	struct arena source;
	size_t job_count;
	struct job *jobs;
	size_t worker_count, started;
	struct worker *workers;
	pthread_t *ids;
	enum file_operation operation; /* of the phase at hand */
	bool renamed;		       /* the files have their new names */
	bool moves;		       /* the phase create writes */
	char features[FILES_RING_FEATURES_MAX];

	atomic_int stop; /* 0, else an errno: ECANCELED or what failed */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	size_t phase; /* counted from 1; 0: none has begun. SIZE_MAX: go home */
	uint64_t start_ns;
	size_t ready, done, gone;
	bool failed, stuck; /* stuck: a ring may still touch memory of ours */
	struct error error; /* the first one */
	uint64_t errors;
};

static inline bool metadata_stopping(struct run *run)
{
	return atomic_load_explicit(&run->stop, memory_order_relaxed) != 0;
}

/* The code for a failed call. */
enum error_code metadata_code_of(int sys);

/* The thread's function; the argument is the worker. */
void *metadata_worker_main(void *argument);

#endif
