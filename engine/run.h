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
#include "engine/plan/plan.h"
#include "engine/sample.h"
#include "engine/target/allow.h"
#include "engine/target/target.h"
#include "engine/target/telemetry.h"

#define RUN_ID_MAX 64

enum run_phase { PHASE_PREPARE, PHASE_FILL, PHASE_RAMP, PHASE_MEASURE, PHASE_TEARDOWN };

extern const char *const run_phase_names[]; /* "prepare", "fill", "ramp", "measure", "teardown" */

struct run_progress {
	enum run_phase phase;
	size_t done, total;		  /* samples */
	const struct plan_sample *sample; /* the one at hand, or NULL */
	double percent;			  /* of the whole run's seconds */
	double seconds_left;		  /* estimate */
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
	int state_dirfd; /* the engine's own directory */
	atomic_bool *cancel;
};

/*
 * The backend one run uses for all its samples and why: explicit ioengine (null, threads; or each
 * level its own where ioengine is a factor), else io_uring where the kernel allows it and every
 * target honours NOWAIT (and no buffered synchronous writes, which io_uring serves one at a time),
 * else threads.
 */
void run_choose_backend(const struct plan *plan, const struct target_info *infos,
			enum backend_kind *ret_backend, char *reason, size_t reason_size);

/* The checks of every target, estimate against free space, memory and threads; adds findings to
 * the plan. infos has one entry a target. Errors have "/target" or "/targets/N" as field. */
MUST_CHECK int run_inspect(struct plan *plan, const struct allow *allow, bool measuring,
			   struct target_info *infos, enum backend_kind *ret_backend, char *reason,
			   size_t reason_size, struct error *err);

/* 0 when all samples were measured; -ECANCELED; else err says what failed, samples so far stand. */
MUST_CHECK int run_execute(struct plan *plan, const struct run_config *config,
			   const struct run_events *events, struct error *err);

/*
 * The lock of one machine's engine: flock on state_dirfd/lock. wait_ms 0: -EWOULDBLOCK with
 * ENGINE_BUSY at once when another process measures. Closing *ret_fd releases it.
 */
MUST_CHECK int run_lock(int state_dirfd, uint64_t wait_ms, int *ret_fd, struct error *err);

#endif
