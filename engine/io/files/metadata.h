/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metadata.h - a metadata workload (plan/file_phases.h) measured: its phases in one order.
 *
 * metadata_run() blocks the calling (control) thread until all phases are done, an operation
 * failed, or the cancel flag was raised. Workers live over all phases and are let go together at
 * each one's begin; a phase ends when the last of them has nothing left. io_uring: a thread and a
 * ring for each CPU at most, which share the jobs out; threads: a thread an outstanding operation.
 *
 * A latency is that of one file: from the submission of its first call to the completion of its
 * last. Threads, and a ring with one operation outstanding, stamp each on its own; else one clock
 * reading serves what was submitted, or has completed, together.
 *
 * The caller has made the directories, holds them open, and removes what is left in them. On
 * failure and cancel files are left there in any phase. Operations that do not complete within 0.6
 * s of a stop are left behind with the memory they may still touch, as measure.h says.
 */
#ifndef ENGINE_IO_FILES_METADATA_H
#define ENGINE_IO_FILES_METADATA_H

#include "engine/io/measure.h"
#include "engine/plan/file_phases.h"

struct metadata_spec {
	const struct workload *workload; /* completed, with `metadata` */
	enum backend_kind backend;	 /* io_uring or threads */
	int order;			 /* FILE_ORDER_SEQUENTIAL or FILE_ORDER_RANDOM */
	uint64_t seed;
	const int *directories;	 /* `directories` of each job, job by job; open, not owned */
	atomic_bool *cancel;	 /* looked at ten times a second at least; may be NULL */
	void (*tick)(void *arg); /* several times a second; may be NULL */
	void *arg;
};

/*
 * Adds a file_result a phase to *sample, its seconds to sample->seconds, and makes depth_mean that
 * of all phases so far; sets seed, backend, backend_reason (unless it is set already),
 * latency_per_operation, error_count. 0; -ECANCELED (err CANCELLED); else -errno with err NO_SPACE,
 * TARGET_READ_ONLY, FILE_EXISTS or IO_ERROR naming the operation, the call and the file;
 * TOO_MANY_THREADS, NO_MEMORY.
 */
MUST_CHECK int metadata_run(const struct metadata_spec *spec, struct sample *sample,
			    struct error *err);

/* Bytes of memory it takes. */
uint64_t metadata_memory(const struct workload *workload, enum backend_kind backend);

/* Of files_task.h, for those who choose a backend. */
int metadata_ring_available(char *reason, size_t reason_size);

#endif
