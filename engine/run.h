/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.h - carries a plan out: prepare, fill, settle, measure, tear down.
 *
 * The caller holds the engine's lock (run_lock) so that one run measures at a time on a machine.
 * Callbacks come from the calling thread, never under a lock. Whatever happens, what was created
 * is removed before run_execute returns; a crash is mended by manifest_sweep.
 */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/forecast.h"
#include "engine/plan/plan.h"
#include "engine/plan/repeats.h"
#include "engine/sample.h"
#include "engine/target/allow.h"
#include "engine/target/target.h"
#include "engine/target/telemetry.h"

#define RUN_ID_MAX 64

struct run_progress {
	enum run_phase phase;
	size_t done, total;		  /* samples */
	const struct plan_sample *sample; /* the one at hand, or NULL */
	double percent;			  /* of the whole run's seconds */
	double seconds_left;		  /* estimate */
	bool at_most; /* repeats may end early yet: total and seconds_left are so */
};

struct run_events {
	void (*progress)(void *arg, const struct run_progress *progress);
	void (*sample)(void *arg,
		       const struct sample *sample); /* finished; valid during the call */
	void *arg;
};

struct run_config {
	const char *run_id;
	const struct allow *allow;
	int state_dirfd;	   /* the engine's own directory */
	enum backend_kind backend; /* as run_inspect chose it, with its reason */
	const char *backend_reason;
	atomic_bool *cancel;
	/* Or NULL: how repeats that may end early did, where the run succeeded; NONE where they may
	 * not. */
	struct repeats_outcome *repeats;
};

/*
 * The backend one run uses for all its samples and why: io_uring where the kernel allows it, reads
 * of every target can be asked not to block (RWF_NOWAIT), and no workload makes buffered
 * synchronous writes (io_uring serves those one at a time); else threads. ioengine null, threads,
 * psync and sync are taken at their word: where every sample asks for one of them it is the run's,
 * else those samples alone use it. io_uring, libaio and posixaio only mean "asynchronous", but
 * where ioengine is a factor a level io_uring is io_uring.
 */
void run_choose_backend(const struct plan *plan, const struct target_info *infos,
			enum backend_kind *ret_backend, char *reason, size_t reason_size);

struct run_look {
	const struct allow *allow;
	bool measuring;		 /* a run measures now: no device is opened */
	int state_dirfd;	 /* the engine's own directory, read where measuring */
	void (*tick)(void *arg); /* after each target, which may take seconds; or NULL */
	void *arg;
};

/*
 * The checks of every target, free space, memory and threads; adds findings to the plan and
 * corrects its estimate of memory and threads for the backend. Where a pool does not hold all zvols
 * and datasets at once its samples are grouped by instance (plan.one_by_one, "grouped_for_space").
 * A device that will be written is told
 * ("device_overwritten"). infos has one entry a target. Errors of a target have "/target" or
 * "/targets/N" as field, those of a sample the place where the option was given, or "/workloads/N".
 */
MUST_CHECK int run_inspect(struct plan *plan, const struct run_look *look,
			   struct target_info *infos, enum backend_kind *ret_backend, char *reason,
			   size_t reason_size, struct error *err);

/*
 * 0 when all samples were measured, or as many as repeats that may end early came to (progress then
 * has that total); -ECANCELED; else err says what failed and where (fields as
 * above), samples so far stand.
 * The plan has passed run_inspect. What could not be removed at the end is a finding of the plan
 * ("left"), not a failure.
 */
MUST_CHECK int run_execute(struct plan *plan, const struct run_config *config,
			   const struct run_events *events, struct error *err);

/*
 * The lock of one machine's engine: flock on state_dirfd/lock. wait_ms 0: -EWOULDBLOCK with
 * ENGINE_BUSY at once when another process measures or looks (run_look). Closing *ret_fd releases
 * it.
 */
MUST_CHECK int run_lock(int state_dirfd, uint64_t wait_ms, int *ret_fd, struct error *err);

/*
 * For a question that looks at targets: whether a run measures now (then no device may be opened).
 * Else no run begins and nobody else looks until *ret_fd is closed, since two that claim a device
 * for a moment would each find it busy. *ret_fd is -1 while a run measures. -EWOULDBLOCK with
 * ENGINE_BUSY where others have looked for all of wait_ms.
 */
MUST_CHECK int run_look(int state_dirfd, uint64_t wait_ms, bool *ret_measuring, int *ret_fd,
			struct error *err);

#endif
