/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * supervisor.h - starts `volbench engine`, one process a request, talks to it over a socket pair
 * (or connects to a socket-activated one) and sees to its end.
 *
 * A process that dies, says nothing for too long, or breaks the protocol is ENGINE_FAILED with
 * what was seen; after a run's engine has died the supervisor runs a sweep. A process that does
 * not die when killed (hung in the kernel) is left behind and told; the service goes on.
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
};

MUST_CHECK int supervisor_new(const struct supervisor_config *config,
			      struct supervisor **ret_supervisor, struct error *err);
void supervisor_free(struct supervisor *supervisor);

/* One question, one answer; the document's JSON text in *ret_text (heap). Blocks up to deadline_ms.
 */
MUST_CHECK int supervisor_ask(const struct supervisor *supervisor, const char *call,
			      const char *definition, uint64_t deadline_ms, char **ret_text,
			      struct error *err);

struct supervisor_events {
	void (*started)(void *arg, const char *text); /* the "started" document */
	void (*progress)(void *arg, const struct progress *progress);
	/* -errno: the sample could not be kept (full disk); the run is then cancelled and fails. */
	int (*sample)(void *arg, size_t order, const char *text);
	void *arg;
};

/* Raised by another thread to cancel; wakes the supervisor at once. */
struct supervisor_cancel;
MUST_CHECK int supervisor_cancel_new(struct supervisor_cancel **ret_cancel);
void supervisor_cancel_raise(struct supervisor_cancel *cancel); /* async-signal-safe */
void supervisor_cancel_free(struct supervisor_cancel *cancel);

/*
 * Carries a run out and blocks until its end. *ret_state is DONE, FAILED or CANCELLED; err says
 * why it failed. findings text (JSON array, heap, or NULL) in *ret_findings.
 */
MUST_CHECK int supervisor_run(const struct supervisor *supervisor, const char *run_id,
			      const char *definition, struct supervisor_cancel *cancel,
			      const struct supervisor_events *events, enum run_state *ret_state,
			      char **ret_findings, struct error *err);

#endif
