/* SPDX-License-Identifier: GPL-3.0-or-later */
/* supervisor_private.h - what the supervisor's two files share. Nobody else includes it. */
#ifndef SERVER_SUPERVISOR_PRIVATE_H
#define SERVER_SUPERVISOR_PRIVATE_H

#include "server/engine_talk.h"
#include "server/supervisor.h"

struct supervisor {
	char *program; /* NULL: this one */
	const char **argv;
	char *state;  /* STATE/engine, in argv */
	char **allow; /* in argv */
	size_t allow_count;
	char **allow_datasets; /* in argv */
	size_t allow_dataset_count;
	uint64_t silence_ms, cancel_ms, close_ms, sweep_ms;
};

/* Locking: none; the eventfd wakes, the flags tell. */
struct supervisor_cancel {
	int fd;
	atomic_bool raised, hurried;
};

bool cancel_is_raised(const struct supervisor_cancel *cancel);
bool cancel_is_hurried(const struct supervisor_cancel *cancel);
/* After its descriptor woke somebody. */
void cancel_drain(const struct supervisor_cancel *cancel);

/* The moment in so many ms, CLOCK_MONOTONIC. */
uint64_t supervisor_in_ms(uint64_t ms);

/* Starts an engine and sends it a request. */
MUST_CHECK int supervisor_start(const struct supervisor *supervisor, const char *call,
				const char *run_id, const char *definition, struct talk *talk,
				struct error *err);

/* What a failed talk_next() means, once it is known how the process ended. Returns -errno. */
int supervisor_tell_failure(int r, uint64_t waited_ms, const struct talk_end *end,
			    struct error *err);
int supervisor_tell_unexpected(const struct message *message, struct error *err);

#endif
