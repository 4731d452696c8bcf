/* SPDX-License-Identifier: GPL-3.0-or-later */
/* supervisor_run.c - a run, from its start to the end of its engine's process. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "engine/base/clock.h"
#include "server/supervisor_private.h"

#define HURRY_CANCEL_MS 2000
#define HURRY_CLOSE_MS 1000

struct running {
	const struct supervisor *supervisor;
	const struct supervisor_events *events;
	struct supervisor_cancel *cancel;
	struct talk talk;
	bool started;
	int lost;		/* -errno of a sample that could not be kept; 0: none */
	bool cancelling;	/* "cancel" was sent */
	uint64_t cancel_end_ns; /* when its socket is closed; UINT64_MAX: never */
	uint64_t silence_end_ns;
	bool ended; /* the engine told the end: */
	enum run_state state;
	char *findings;
	struct error *err;
};

/* Sends "cancel" once, and sets when the patience ends; hurried, sooner. */
static int cancel_engine(struct running *running)
{
	uint64_t end_ns = supervisor_in_ms(cancel_is_hurried(running->cancel)
						   ? HURRY_CANCEL_MS
						   : running->supervisor->cancel_ms);

	if (end_ns < running->cancel_end_ns)
		running->cancel_end_ns = end_ns;
	if (running->cancelling)
		return 0;
	running->cancelling = true;
	return talk_send(&running->talk, message_request("cancel", NULL, NULL));
}

static int on_sample(struct running *running, const struct message *message)
{
	if (running->lost) /* it may still send what it had finished */
		return 0;
	running->lost =
		running->events->sample(running->events->arg, message->order, message->text);
	if (running->lost == 0)
		return 0;
	if (running->lost == -ENOSPC || running->lost == -EDQUOT)
		(void)error_set_sys(running->err, ERROR_STORAGE_FULL, -running->lost,
				    "a finished sample could not be kept");
	else if (running->lost == -EROFS)
		(void)error_set_sys(running->err, ERROR_READ_ONLY, EROFS,
				    "a finished sample could not be kept");
	else
		(void)error_set_sys(running->err, ERROR_SYSTEM, -running->lost,
				    "a finished sample could not be kept");
	return cancel_engine(running);
}

static void on_end(struct running *running, struct message *message)
{
	running->ended = true;
	running->state = message->kind == MESSAGE_END ? message->state : RUN_FAILED;
	running->findings = message->text;
	message->text = NULL;
	if (message->kind == MESSAGE_ERROR && message->error.code == ERROR_CANCELLED)
		running->state = RUN_CANCELLED;
	if (running->state == RUN_DONE && running->events->repeats &&
	    message->repeats.end != REPEATS_END_NONE)
		running->events->repeats(running->events->arg, &message->repeats);
	if (running->lost || running->state != RUN_FAILED)
		return;
	*running->err = message->error;
	if (message->error.code == ERROR_NONE)
		(void)error_set(running->err, ERROR_ENGINE_FAILED, "",
				"the engine gave no reason for its failure");
}

static int on_line(struct running *running, const char *line, size_t size)
{
	struct message message = {0};
	int r = message_read(line, size, &message, running->err);

	if (r < 0)
		return r;
	if (message.kind == MESSAGE_PROGRESS)
		running->events->progress(running->events->arg, &message.progress);
	else if (message.kind == MESSAGE_STARTED && !running->started)
		running->events->started(running->events->arg, message.text);
	else if (message.kind == MESSAGE_SAMPLE && running->started)
		r = on_sample(running, &message);
	else if (message.kind == MESSAGE_END || message.kind == MESSAGE_ERROR)
		on_end(running, &message);
	else
		r = supervisor_tell_unexpected(&message, running->err);
	running->started |= message.kind == MESSAGE_STARTED;
	message_done(&message);
	return r;
}

/* Until the engine tells the end: 0. -ECANCELED where its patience with a cancel is over. -EPROTO
 * and -ENOMEM with err; else what talk_next says. */
static int converse(struct running *running)
{
	for (;;) {
		uint64_t deadline_ns = running->silence_end_ns < running->cancel_end_ns
					       ? running->silence_end_ns
					       : running->cancel_end_ns;
		char *line;
		size_t size;
		int r = talk_next(&running->talk, deadline_ns, running->cancel->fd, &line, &size);

		if (r == -ETIMEDOUT && clock_now_ns() >= running->cancel_end_ns)
			return -ECANCELED;
		if (r == -EINTR) {
			cancel_drain(running->cancel);
			r = cancel_engine(running);
		} else if (r == 0) {
			/* What the caller does with a line may take its time, too. */
			r = on_line(running, line, size);
			running->silence_end_ns = supervisor_in_ms(running->supervisor->silence_ms);
		}
		if (r < 0)
			return r;
		if (running->ended)
			return 0;
	}
}

/* After an engine that did not end well: what it left is removed by another one. */
static void sweep_after(struct running *running)
{
	char *findings = NULL;
	/* What cannot be swept now is swept before the next run. */
	int r = supervisor_sweep(running->supervisor, running->cancel,
				 running->supervisor->sweep_ms, &findings, NULL);

	if (r < 0)
		return;
	if (running->findings) /* the engine's own say more */
		free(findings);
	else
		running->findings = findings;
}

/* By somebody else: the administrator, or the kernel for want of memory. */
static bool was_killed(int r, const struct talk_end *end)
{
	return r == -EPIPE && !end->killed && !end->hung && !end->status.exited &&
	       end->status.code == SIGKILL;
}

/* How the conversation ended becomes the run's state. */
static int conclude(struct running *running, int r, const struct talk_end *end)
{
	bool asked = cancel_is_raised(running->cancel);
	int result = 0;

	if (r < 0 && (asked || running->lost)) {
		running->state = RUN_CANCELLED; /* it was to stop, and it has */
	} else if (r < 0) {
		running->state = was_killed(r, end) ? RUN_INTERRUPTED : RUN_FAILED;
		result = r == -EPROTO || (r == -ENOMEM && running->err->code)
				 ? r
				 : supervisor_tell_failure(r, running->supervisor->silence_ms, end,
							   running->err);
	}
	if (running->lost) { /* err tells of it already */
		running->state = RUN_FAILED;
		result = running->lost;
	}
	if ((r < 0 || end->killed) && !end->hung && !cancel_is_hurried(running->cancel))
		sweep_after(running);
	return result;
}

int supervisor_run(const struct supervisor *supervisor, const char *run_id, const char *definition,
		   struct supervisor_cancel *cancel, const struct supervisor_events *events,
		   enum run_state *ret_state, char **ret_findings, struct error *err)
{
	struct running running = {.supervisor = supervisor,
				  .events = events,
				  .cancel = cancel,
				  .cancel_end_ns = UINT64_MAX,
				  .state = RUN_FAILED,
				  .err = err};
	struct talk_end end;
	uint64_t grace_ms;
	int r;

	memset(err, 0, sizeof(*err));
	*ret_findings = NULL;
	*ret_state = cancel_is_raised(cancel) ? RUN_CANCELLED : RUN_FAILED;
	if (cancel_is_raised(cancel))
		return 0;
	r = supervisor_start(supervisor, "run", run_id, definition, &running.talk, err);
	if (r < 0)
		return r;
	running.silence_end_ns = supervisor_in_ms(supervisor->silence_ms);
	r = converse(&running);
	grace_ms = cancel_is_hurried(cancel) ? HURRY_CLOSE_MS : supervisor->close_ms;
	/* A silent or mad engine has had its time. */
	talk_end(&running.talk, r == -ETIMEDOUT || r == -EMSGSIZE ? 0 : grace_ms, &end);
	r = conclude(&running, r, &end);
	*ret_state = running.state;
	*ret_findings = running.findings;
	return r;
}
