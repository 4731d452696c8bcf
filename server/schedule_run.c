/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule_run.c - one run, from queued to its end: what the engine tells goes to the store, then
 * to the board. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/schedule_private.h"

#define TRIES 5 /* to write to a full disk */

static void publish(const struct schedule_at_hand *run, enum run_state state,
		    const struct progress *progress)
{
	progress_publish(run->schedule->config.board, run->id, state, progress, run->samples);
}

static bool is_full(int r)
{
	return r == -ENOSPC || r == -EDQUOT;
}

/* Whether to try once more to write to a full disk, after a while. */
static bool try_again(struct schedule_at_hand *run, int r, int tries)
{
	if (!is_full(r) || tries >= TRIES || schedule_is_stopping(run->schedule))
		return false;
	schedule_pause_for(run->schedule, run->schedule->config.retry_ms);
	return true;
}

static void on_started(void *arg, const char *text)
{
	struct schedule_at_hand *run = arg;
	int tries = 0, r;

	do
		r = store_set_started(run->schedule->config.store, run->id, text, &run->lost);
	while (r < 0 && try_again(run, r, ++tries));
	if (r == 0)
		run->lost.code = ERROR_NONE;
	else
		supervisor_cancel_raise(run->cancel);
}

static void on_progress(void *arg, const struct progress *progress)
{
	publish(arg, RUN_RUNNING, progress);
}

static int on_sample(void *arg, size_t order, const char *text)
{
	struct schedule_at_hand *run = arg;
	int tries = 0, r;

	if (run->lost.code != ERROR_NONE)
		return -ECANCELED;
	do
		r = store_add_sample(run->schedule->config.store, run->id, order, text, &run->lost);
	while (r < 0 && try_again(run, r, ++tries));
	if (r < 0)
		return r;
	run->lost.code = ERROR_NONE;
	run->samples++;
	publish(run, RUN_RUNNING, NULL);
	return 0;
}

static void on_repeats(void *arg, const struct repeats_outcome *outcome)
{
	const struct schedule_at_hand *run = arg;

	store_note_repeats(run->schedule->config.store, run->id, outcome);
}

/* An engine that was stopped and nobody's wish: interrupted. (Of a killed one the supervisor says
 * so.) */
static void judge_end(struct schedule_at_hand *run, enum run_state *state, struct error *why)
{
	struct schedule *schedule = run->schedule;
	bool wished, stopping;

	(void)pthread_mutex_lock(&schedule->lock);
	wished = schedule->wished;
	stopping = schedule->stopping;
	(void)pthread_mutex_unlock(&schedule->lock);
	if (run->lost.code != ERROR_NONE) {
		*state = RUN_FAILED;
		*why = run->lost;
	} else if (*state == RUN_CANCELLED && !wished) {
		*state = RUN_INTERRUPTED;
		(void)error_set(why, ERROR_INTERRUPTED, "",
				stopping ? "the service was stopped while the run was going on"
					 : "the engine was stopped from outside while the run was "
					   "going on");
	} else if (*state == RUN_CANCELLED) {
		why->code = ERROR_NONE;
	}
}

static void finish(struct schedule_at_hand *run, enum run_state state, const char *findings,
		   const struct error *why)
{
	struct store *store = run->schedule->config.store;
	struct error err = {0};
	int tries = 0, r;

	do
		r = store_finish_run(store, run->id, state, findings, why, &err);
	while (r < 0 && try_again(run, r, ++tries));
	if (r < 0) {
		store_give_up(store, run->id, &err);
		schedule_tell_problem(run->schedule, &err);
		state = RUN_FAILED;
	}
	publish(run, state, NULL);
	schedule_tell_ended(run->schedule, run->id);
}

/* The run is in the state `running`. */
static void carry_out(struct schedule_at_hand *run)
{
	const struct supervisor_events events = {.started = on_started,
						 .progress = on_progress,
						 .sample = on_sample,
						 .repeats = on_repeats,
						 .arg = run};
	enum run_state state = RUN_FAILED;
	struct error why = {0};
	char *definition = NULL, *findings = NULL;
	int r;

	publish(run, RUN_RUNNING, NULL);
	r = store_definition_of(run->schedule->config.store, run->id, &definition);
	if (r < 0)
		(void)error_set_sys(&why, ERROR_SYSTEM, -r, "the run's definition");
	else /* its return value says once more what state and why say */
		(void)!supervisor_run(run->schedule->config.supervisor, run->id, definition,
				      run->cancel, &events, &state, &findings, &why);
	judge_end(run, &state, &why);
	finish(run, state, findings, &why);
	free(findings);
	free(definition);
}

bool schedule_begin(struct schedule_at_hand *run)
{
	struct error err = {0};

	if (store_set_running(run->schedule->config.store, run->id, &err) == 0) {
		carry_out(run);
		return true;
	}
	if (err.code == ERROR_ALREADY_FINISHED || err.code == ERROR_NOT_FOUND)
		return true; /* cancelled or removed this moment */
	schedule_tell_problem(run->schedule, &err);
	return false;
}
