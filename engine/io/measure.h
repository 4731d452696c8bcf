/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure.h - one workload on open descriptors, once: start, ramp, measure, drain.
 *
 * measure_run() blocks the calling (control) thread until the window is over, size is done, an
 * operation failed, or the cancel flag was raised. It starts at most one reactor a CPU (io_uring,
 * null) or one thread an outstanding operation (threads), all released together.
 *
 * Safety: every operation is checked against [offset, offset + length) of its job's region before
 * it is submitted, whatever the pattern says; descriptors of a workload that only reads are opened
 * read-only by the caller; the ring is restricted to registered files and to the operations the
 * workload needs.
 */
#ifndef ENGINE_IO_MEASURE_H
#define ENGINE_IO_MEASURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/sample.h"

enum backend_kind { BACKEND_IO_URING, BACKEND_THREADS, BACKEND_NULL };

extern const char *const backend_names[]; /* "io_uring", "threads", "null" */

/* The most threads the threads backend may use: jobs x depth. */
#define MEASURE_THREADS_MAX 1024

struct measure_file {
	int fd;		 /* open, not owned */
	uint64_t length; /* bytes, from the region's offset on */
};

/* Where one job works. */
struct measure_region {
	int fd;		 /* open, not owned */
	uint64_t offset; /* bytes */
	uint64_t length; /* bytes, the most the job may touch */
	size_t part;	 /* the workload's that it is a job of */
	/* Where the job has several files: fd is that of the first, length the longest's. */
	size_t file_count;
	struct measure_file *files; /* NULL: the one */
};

/* The i-th file of a region, of max(1, file_count). */
static inline struct measure_file measure_region_file(const struct measure_region *region, size_t i)
{
	return region->files ? region->files[i] : (struct measure_file){region->fd, region->length};
}

struct verify;

struct measure_spec {
	const struct workload *workload; /* completed */
	enum backend_kind backend;
	uint64_t seed;
	size_t region_count;		      /* = workload_jobs() */
	const struct measure_region *regions; /* part by part */
	bool discard;			      /* a fill: no histograms, no series wanted */
	uint64_t data_unit;    /* data.h's unit: bytes of a block within a write; 0: the write */
	struct verify *verify; /* verify.h: counts what is written, for reading it back; or NULL */
	atomic_bool *cancel;   /* looked at ten times a second at least; may be NULL */
	/* Called by the control thread when the ramp is over (the window begins) and when the last
	 * operation has completed (it ends): the moments to read counters. May be NULL. */
	void (*window)(void *arg, bool begins);
	/* Called by the control thread several times a second with what was done since the load
	 * began, the ramp included. May be NULL. */
	void (*tick)(void *arg, double seconds_done, uint64_t bytes_done);
	void *arg;
};

/*
 * The window opens when the ramp is over: statistics begin anew, operations outstanding then count
 * when they complete. It closes with the last completion. A workload with time_based ends when
 * runtime is over; without, when each job has issued its budget (plan/budget.h, reads and writes
 * together; the ramp does not count), or when runtime is over, if it has one. The jobs of each
 * part go by its own time_based, runtime and size; the window closes with the last of them.
 *
 * A failing operation ends the sample; so does one that transfers nothing (end of file). Other
 * short transfers are counted. A job's sequence of operations follows from seed and the job's
 * index.
 *
 * submission and completion histograms are there where a reactor keeps one operation outstanding
 * and stamps between the two; a blocking call (threads) has no such moment, so they stay NULL.
 *
 * Operations that neither complete nor can be cancelled within 0.6 s of a stop are left behind with
 * the memory they may still touch: measure_run returns, and that memory is never freed.
 *
 * Fills the measured parts of *sample (directions, sync, series, seconds, ramp_seconds, started,
 * depth_mean, jobs, latency_per_operation, backend, backend_reason unless already set, seed,
 * error_count). 0; -ECANCELED (err CANCELLED) with what was measured so far; -EIO and the like
 * with err IO_ERROR naming operation, offset and errno; MEMORY_LIMIT, TOO_MANY_THREADS.
 */
MUST_CHECK int measure_run(const struct measure_spec *spec, struct sample *sample,
			   struct error *err);

/* Bytes of memory a completed workload takes for buffers, rings and histograms. -EOVERFLOW. */
MUST_CHECK int measure_memory(const struct workload *workload, enum backend_kind backend,
			      uint64_t *ret_bytes);

/*
 * Whether this process may use io_uring here: 0, or -errno of io_uring_setup with the reason in
 * words ("refused by kernel.io_uring_disabled=2", "refused: seccomp or a container's policy").
 */
int measure_uring_available(char *reason, size_t reason_size);

/* Whether io_uring can ask a descriptor, open for reading, for completions of direct reads in place
 * of waiting for an interrupt (a probe with IOPOLL, of its first block). */
bool measure_polled(int fd);

/* Whether reads of a descriptor, open for reading, honour RWF_NOWAIT (probe by preadv2). */
bool measure_nowait(int fd);

#endif
