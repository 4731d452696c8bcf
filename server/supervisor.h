/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * supervisor.h - starts `volbench engine`, one process a request, talks to it over a socket pair
 * and sees to its end.
 *
 * A process that dies, says nothing for too long, or breaks the protocol is ENGINE_FAILED with
 * what was seen; after a run's engine has died or had to be killed the supervisor asks another one
 * for a sweep. A process that does not die when killed (hung in the kernel) is left behind and
 * told; the service goes on.
 * Threads: any; a supervisor is immutable after creation.
 */
#ifndef SERVER_SUPERVISOR_H
#define SERVER_SUPERVISOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/result.h"
#include "server/codec/message.h"

struct supervisor;

struct supervisor_config {
	const char *program;	     /* NULL: this program */
	const char *state_directory; /* the engine gets STATE/engine */
	const char *const *allow;    /* paths */
	size_t allow_count;
	const char *const *allow_datasets; /* names */
	size_t allow_dataset_count;
	/* Times in ms; 0 takes the default. */
	uint64_t silence_ms; /* 120000: an engine that says nothing for so long has failed; shorter
			      * than that may be one fsync, or the removal of many files */
	uint64_t cancel_ms;  /* 5000: from a cancel until its socket is closed */
	uint64_t close_ms;   /* 2000: from then until it is killed */
	uint64_t sweep_ms;   /* 30000: for the sweep after a failure */
};

MUST_CHECK int supervisor_new(const struct supervisor_config *config,
			      struct supervisor **ret_supervisor, struct error *err);
void supervisor_free(struct supervisor *supervisor);

/* One question ("plan", "targets", "system", "sweep"), one answer: the document's JSON text in
 * *ret_text (heap). Blocks up to deadline_ms. A refusal is err, with the engine's code. */
MUST_CHECK int supervisor_ask(const struct supervisor *supervisor, const char *call,
			      const char *definition, uint64_t deadline_ms, char **ret_text,
			      struct error *err);

struct supervisor_events {
	void (*started)(void *arg, const char *text); /* the "started" document */
	void (*progress)(void *arg, const struct progress *progress);
	/* -errno: the sample could not be kept (full disk); the run is then cancelled and fails. */
	int (*sample)(void *arg, size_t order, const char *text);
	/* Or NULL: how repeats that may end early did, before the run's end is told. */
	void (*repeats)(void *arg, const struct repeats_outcome *outcome);
	void *arg;
};

/*
 * Raised by another thread to cancel a run; wakes the supervisor at once. Hurried, where the
 * service stops: the engine is given 2 s, then 1 s, then killed, and no sweep follows (the next
 * start begins with one).
 */
struct supervisor_cancel;
MUST_CHECK int supervisor_cancel_new(struct supervisor_cancel **ret_cancel);
void supervisor_cancel_raise(struct supervisor_cancel *cancel); /* async-signal-safe */
void supervisor_cancel_hurry(struct supervisor_cancel *cancel); /* async-signal-safe */
void supervisor_cancel_free(struct supervisor_cancel *cancel);

/* The engine's "sweep": its findings, a JSON array (heap). -ECANCELED where it was raised. */
MUST_CHECK int supervisor_sweep(const struct supervisor *supervisor,
				struct supervisor_cancel *cancel, uint64_t deadline_ms,
				char **ret_findings, struct error *err);

/*
 * Carries a run out and blocks until its end. *ret_state is DONE, FAILED, CANCELLED, or INTERRUPTED
 * where somebody killed the engine (SIGKILL); set in any case, as is *ret_findings: a JSON array
 * (heap), or NULL. err (not NULL) says why it failed or was interrupted, code NONE where it was
 * not. 0, or -errno where not the engine told the end, but its failure did.
 */
MUST_CHECK int supervisor_run(const struct supervisor *supervisor, const char *run_id,
			      const char *definition, struct supervisor_cancel *cancel,
			      const struct supervisor_events *events, enum run_state *ret_state,
			      char **ret_findings, struct error *err);

#endif
