/* SPDX-License-Identifier: GPL-3.0-or-later */
/* supervisor.c - creation, cancelling, questions. Runs are supervisor_run.c's, a process and its
 * socket engine_talk.c's. */
#include "server/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/base/child.h"
#include "engine/base/clock.h"
#include "server/supervisor_private.h"

#define SILENCE_MS 120000
#define CANCEL_MS 5000
#define CLOSE_MS 2000
#define SWEEP_MS 30000

/* ---- creation ---- */

static uint64_t or_default(uint64_t given, uint64_t otherwise)
{
	return given ? given : otherwise;
}

/* *ret_count is always that of the texts that are there. */
static int copy_list(const char *const *from, size_t count, char ***ret_list, size_t *ret_count)
{
	char **list = calloc(count + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	*ret_list = list;
	for (size_t i = 0; i < count; i++) {
		list[i] = strdup(from[i]);
		if (!list[i])
			return -ENOMEM;
		*ret_count = i + 1;
	}
	return 0;
}

static void free_list(char **list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

static int copy_texts(struct supervisor *supervisor, const struct supervisor_config *config)
{
	int r;

	if (config->program && !(supervisor->program = strdup(config->program)))
		return -ENOMEM;
	if (asprintf(&supervisor->state, "%s/engine", config->state_directory) < 0) {
		supervisor->state = NULL;
		return -ENOMEM;
	}
	r = copy_list(config->allow, config->allow_count, &supervisor->allow,
		      &supervisor->allow_count);
	if (r == 0)
		r = copy_list(config->allow_datasets, config->allow_dataset_count,
			      &supervisor->allow_datasets, &supervisor->allow_dataset_count);
	return r;
}

static size_t add_list(const char **argv, size_t count, const char *option, char *const *list,
		       size_t listed)
{
	for (size_t i = 0; i < listed; i++) {
		argv[count++] = option;
		argv[count++] = list[i];
	}
	return count;
}

/* "volbench engine --state STATE/engine --allow PATH ... --allow-dataset NAME ..." */
static int make_argv(struct supervisor *supervisor)
{
	size_t count = 0;

	supervisor->argv =
		calloc(5 + 2 * (supervisor->allow_count + supervisor->allow_dataset_count),
		       sizeof(*supervisor->argv));
	if (!supervisor->argv)
		return -ENOMEM;
	supervisor->argv[count++] = "volbench";
	supervisor->argv[count++] = "engine";
	supervisor->argv[count++] = "--state";
	supervisor->argv[count++] = supervisor->state;
	count = add_list(supervisor->argv, count, "--allow", supervisor->allow,
			 supervisor->allow_count);
	(void)add_list(supervisor->argv, count, "--allow-dataset", supervisor->allow_datasets,
		       supervisor->allow_dataset_count);
	return 0;
}

int supervisor_new(const struct supervisor_config *config, struct supervisor **ret_supervisor,
		   struct error *err)
{
	struct supervisor *supervisor = calloc(1, sizeof(*supervisor));

	if (!supervisor)
		return error_no_memory(err);
	supervisor->silence_ms = or_default(config->silence_ms, SILENCE_MS);
	supervisor->cancel_ms = or_default(config->cancel_ms, CANCEL_MS);
	supervisor->close_ms = or_default(config->close_ms, CLOSE_MS);
	supervisor->sweep_ms = or_default(config->sweep_ms, SWEEP_MS);
	if (copy_texts(supervisor, config) < 0 || make_argv(supervisor) < 0) {
		supervisor_free(supervisor);
		return error_no_memory(err);
	}
	*ret_supervisor = supervisor;
	return 0;
}

void supervisor_free(struct supervisor *supervisor)
{
	if (!supervisor)
		return;
	free_list(supervisor->allow, supervisor->allow_count);
	free_list(supervisor->allow_datasets, supervisor->allow_dataset_count);
	free(supervisor->argv);
	free(supervisor->state);
	free(supervisor->program);
	free(supervisor);
}

/* ---- cancelling ---- */

int supervisor_cancel_new(struct supervisor_cancel **ret_cancel)
{
	struct supervisor_cancel *cancel = calloc(1, sizeof(*cancel));

	if (!cancel)
		return -ENOMEM;
	cancel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (cancel->fd < 0) {
		int r = -errno;

		free(cancel);
		return r;
	}
	*ret_cancel = cancel;
	return 0;
}

static void wake(const struct supervisor_cancel *cancel)
{
	const uint64_t one = 1;

	/* Full only where it was raised 2^64 - 1 times: then it is readable all the same. */
	(void)!write(cancel->fd, &one, sizeof(one));
}

void supervisor_cancel_raise(struct supervisor_cancel *cancel)
{
	atomic_store(&cancel->raised, true);
	wake(cancel);
}

void supervisor_cancel_hurry(struct supervisor_cancel *cancel)
{
	atomic_store(&cancel->hurried, true);
	supervisor_cancel_raise(cancel);
}

void supervisor_cancel_free(struct supervisor_cancel *cancel)
{
	if (!cancel)
		return;
	(void)close(cancel->fd); /* an eventfd keeps nothing */
	free(cancel);
}

bool cancel_is_raised(const struct supervisor_cancel *cancel)
{
	return cancel && atomic_load(&cancel->raised);
}

bool cancel_is_hurried(const struct supervisor_cancel *cancel)
{
	return cancel && atomic_load(&cancel->hurried);
}

void cancel_drain(const struct supervisor_cancel *cancel)
{
	uint64_t count;

	(void)!read(cancel->fd, &count, sizeof(count)); /* the flags are what counts */
}

/* ---- starting, and what can go wrong ---- */

uint64_t supervisor_in_ms(uint64_t ms)
{
	uint64_t now = clock_now_ns(), ns;

	if (__builtin_mul_overflow(ms, NS_PER_MS, &ns) || ns > UINT64_MAX - now)
		return UINT64_MAX;
	return now + ns;
}

int supervisor_start(const struct supervisor *supervisor, const char *call, const char *run_id,
		     const char *definition, struct talk *talk, struct error *err)
{
	const char *program = supervisor->program ? supervisor->program : child_own_program();
	char *request = message_request(call, run_id, definition);
	int r;

	if (!request)
		return error_no_memory(err);
	r = talk_start(talk, program, supervisor->argv);
	if (r < 0) {
		free(request);
		return error_set_sys(err, ERROR_ENGINE_FAILED, -r,
				     "the engine could not be started");
	}
	r = talk_send(talk, request);
	if (r < 0) {
		struct talk_end end;

		talk_end(talk, 0, &end);
		return error_no_memory(err);
	}
	return 0;
}

int supervisor_tell_failure(int r, uint64_t waited_ms, const struct talk_end *end,
			    struct error *err)
{
	const char *left = end->hung ? "; it does not die and was left behind" : "";

	switch (r) {
	case -EPIPE:
		if (end->killed)
			(void)error_set(err, ERROR_ENGINE_FAILED, "",
					"the engine closed its socket and did not end%s", left);
		else if (end->status.exited)
			(void)error_set(err, ERROR_ENGINE_FAILED, "",
					"the engine ended with exit status %d and no answer",
					end->status.code);
		else
			(void)error_set(err, ERROR_ENGINE_FAILED, "",
					"the engine was ended by signal %d (%s)", end->status.code,
					sigdescr_np(end->status.code)
						? sigdescr_np(end->status.code)
						: "unknown");
		break;
	case -ETIMEDOUT:
		(void)error_set(err, ERROR_ENGINE_FAILED, "",
				"the engine said nothing for %llu ms and was killed%s",
				(unsigned long long)waited_ms, left);
		break;
	case -EMSGSIZE:
		(void)error_set(err, ERROR_ENGINE_FAILED, "",
				"the engine sent a line of more than %zu bytes", TALK_LINE_MAX);
		break;
	case -ENOMEM:
		return error_no_memory(err);
	default:
		return error_set_sys(err, ERROR_ENGINE_FAILED, -r, "the engine's socket");
	}
	return r;
}

int supervisor_tell_unexpected(const struct message *message, struct error *err)
{
	(void)error_set(err, ERROR_ENGINE_FAILED, "",
			"the engine sent \"%s\" where it makes no sense",
			message_kind_names[message->kind]);
	return -EPROTO;
}

/* ---- questions ---- */

/* The answer, or its refusal. */
static int read_answer(const char *line, size_t size, enum message_kind wanted, char **ret_text,
		       struct error *err)
{
	struct message message = {0};
	int r = message_read(line, size, &message, err);

	if (r < 0)
		return r;
	if (message.kind == wanted && message.text) {
		*ret_text = message.text;
		return 0;
	}
	if (message.kind == MESSAGE_ERROR) {
		if (err)
			*err = message.error;
		r = message.error.code == ERROR_ENGINE_BUSY ? -EBUSY : -EINVAL;
	} else {
		r = supervisor_tell_unexpected(&message, err);
	}
	message_done(&message);
	return r;
}

static int ask(const struct supervisor *supervisor, const char *call, const char *definition,
	       struct supervisor_cancel *cancel, uint64_t deadline_ms, char **ret_text,
	       struct error *err)
{
	enum message_kind wanted = strcmp(call, "plan") == 0	  ? MESSAGE_PLAN
				   : strcmp(call, "targets") == 0 ? MESSAGE_TARGETS
				   : strcmp(call, "system") == 0  ? MESSAGE_SYSTEM
								  : MESSAGE_SWEPT;
	struct talk_end end;
	struct talk talk;
	char *line;
	size_t size;
	int r, answered;

	r = supervisor_start(supervisor, call, NULL, definition, &talk, err);
	if (r < 0)
		return r;
	r = talk_next(&talk, supervisor_in_ms(deadline_ms), cancel ? cancel->fd : -1, &line, &size);
	answered = r;
	if (r == 0)
		r = read_answer(line, size, wanted, ret_text, err);
	talk_end(&talk, answered == -ETIMEDOUT ? 0 : supervisor->close_ms, &end);
	if (answered == -EINTR) {
		cancel_drain(cancel);
		(void)error_set(err, ERROR_CANCELLED, "", "the question was cancelled");
		return -ECANCELED;
	}
	return answered < 0 ? supervisor_tell_failure(answered, deadline_ms, &end, err) : r;
}

int supervisor_ask(const struct supervisor *supervisor, const char *call, const char *definition,
		   uint64_t deadline_ms, char **ret_text, struct error *err)
{
	return ask(supervisor, call, definition, NULL, deadline_ms, ret_text, err);
}

int supervisor_sweep(const struct supervisor *supervisor, struct supervisor_cancel *cancel,
		     uint64_t deadline_ms, char **ret_findings, struct error *err)
{
	return ask(supervisor, "sweep", NULL, cancel, deadline_ms, ret_findings, err);
}
