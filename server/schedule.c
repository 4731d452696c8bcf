/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule.c - the queue's thread, and what others ask of it. One run is schedule_run.c's. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "server/codec/definition.h"
#include "server/codec/plan.h"
#include "server/schedule_private.h"

#define RETRY_MS 1000
#define BEGIN_RETRIES 30     /* times retry_ms until a run that could not begin has another try */
#define SWEEP_TOTAL_MS 60000 /* at the start: an engine that outlived its service may hold on */
#define SWEEP_ONCE_MS 30000

/* ---- the thread and its lock ---- */

bool schedule_is_stopping(struct schedule *schedule)
{
	bool stopping;

	(void)pthread_mutex_lock(&schedule->lock);
	stopping = schedule->stopping;
	(void)pthread_mutex_unlock(&schedule->lock);
	return stopping;
}

void schedule_pause_for(struct schedule *schedule, uint64_t ms)
{
	uint64_t deadline_ns = clock_now_ns() + ms * NS_PER_MS;
	const struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / NS_PER_S),
					  .tv_nsec = (long)(deadline_ns % NS_PER_S)};

	(void)pthread_mutex_lock(&schedule->lock);
	while (!schedule->stopping && !schedule->wished)
		if (pthread_cond_timedwait(&schedule->changed, &schedule->lock, &deadline) ==
		    ETIMEDOUT)
			break;
	(void)pthread_mutex_unlock(&schedule->lock);
}

/* What is at hand from now on: a run, or with id "" a sweep. False where the service stops. */
static bool take_up(struct schedule *schedule, const char *id, struct supervisor_cancel *cancel)
{
	bool stopping;

	(void)pthread_mutex_lock(&schedule->lock);
	stopping = schedule->stopping;
	if (!stopping) {
		(void)snprintf(schedule->current, sizeof(schedule->current), "%s", id);
		schedule->wished = false;
		schedule->cancel = cancel;
	}
	(void)pthread_mutex_unlock(&schedule->lock);
	return !stopping;
}

static void put_down(struct schedule *schedule)
{
	(void)pthread_mutex_lock(&schedule->lock);
	schedule->current[0] = '\0';
	schedule->wished = false;
	schedule->cancel = NULL;
	(void)pthread_mutex_unlock(&schedule->lock);
}

void schedule_tell_problem(struct schedule *schedule, const struct error *err)
{
	if (schedule->config.problem)
		schedule->config.problem(schedule->config.arg, err);
}

void schedule_tell_ended(struct schedule *schedule, const char *id)
{
	if (schedule->config.ended)
		schedule->config.ended(schedule->config.arg, id);
}

/* ---- the start ---- */

/* What cannot be read of them is not told: the sweep itself is done. */
static void tell_swept(struct schedule *schedule, const char *text)
{
	struct findings findings;

	if (!text || !schedule->config.swept)
		return;
	findings_init(&findings);
	(void)!findings_decode_text(text, &findings);
	for (size_t i = 0; i < findings.count; i++)
		schedule->config.swept(schedule->config.arg, &findings.list[i]);
	findings_done(&findings);
}

static void sweep(struct schedule *schedule, struct supervisor_cancel *cancel)
{
	uint64_t deadline_ns = clock_now_ns() + SWEEP_TOTAL_MS * NS_PER_MS;
	struct error err = {0};
	char *findings = NULL;
	int r;

	do
		r = supervisor_sweep(schedule->config.supervisor, cancel, SWEEP_ONCE_MS, &findings,
				     &err);
	while (r == -EBUSY && clock_now_ns() < deadline_ns && !schedule_is_stopping(schedule));
	tell_swept(schedule, findings);
	free(findings);
	if (r < 0 && r != -ECANCELED)
		schedule_tell_problem(schedule,
				      &err); /* every run begins with a sweep of its own */
}

static void sweep_at_start(struct schedule *schedule)
{
	struct supervisor_cancel *cancel;
	struct error err = {0};
	int r = supervisor_cancel_new(&cancel);

	if (r < 0) {
		(void)error_set_sys(&err, ERROR_SYSTEM, -r, "the sweep at the start");
		schedule_tell_problem(schedule, &err);
		return;
	}
	if (take_up(schedule, "", cancel)) {
		sweep(schedule, cancel);
		put_down(schedule);
	}
	supervisor_cancel_free(cancel);
}

/* Those that the last service left running: their reports are still to be drawn. */
static void tell_recovered(struct schedule *schedule)
{
	struct store_run *runs;
	uint64_t cursor = 0;
	size_t count;

	do {
		if (store_list_runs(schedule->config.store, RUN_STATE_COUNT, cursor, 100, &runs,
				    &count, &cursor) < 0)
			return; /* a page that is asked for without a report has it drawn as well */
		for (size_t i = 0; i < count; i++)
			if (runs[i].recovered)
				schedule_tell_ended(schedule, runs[i].id);
		free(runs);
	} while (cursor);
}

/* ---- the thread ---- */

static void run_one(struct schedule *schedule, const struct store_run *next)
{
	struct schedule_at_hand run = {.schedule = schedule, .id = next->id};
	bool begun = false;

	if (supervisor_cancel_new(&run.cancel) == 0) {
		if (take_up(schedule, run.id, run.cancel)) {
			begun = schedule_begin(&run);
			put_down(schedule);
		}
		supervisor_cancel_free(run.cancel);
	}
	if (!begun) /* no memory or disk: perhaps later */
		schedule_pause_for(schedule, BEGIN_RETRIES * schedule->config.retry_ms);
}

/* Waits for a run whose turn it is; false where the service stops. */
static bool wait_for_next(struct schedule *schedule, struct store_run *ret_next)
{
	for (;;) {
		bool stopping;

		(void)pthread_mutex_lock(&schedule->lock);
		stopping = schedule->stopping;
		schedule->submitted = false; /* what comes from here on is looked at again */
		(void)pthread_mutex_unlock(&schedule->lock);
		if (stopping)
			return false;
		if (store_next_queued(schedule->config.store, ret_next) == 0)
			return true;
		(void)pthread_mutex_lock(&schedule->lock);
		while (!schedule->submitted && !schedule->stopping)
			(void)pthread_cond_wait(&schedule->changed, &schedule->lock);
		(void)pthread_mutex_unlock(&schedule->lock);
	}
}

static void *schedule_main(void *arg)
{
	struct schedule *schedule = arg;
	struct store_run next;

	tell_recovered(schedule);
	sweep_at_start(schedule);
	while (wait_for_next(schedule, &next))
		run_one(schedule, &next);
	return NULL;
}

/* ---- start and stop ---- */

static void free_schedule(struct schedule *schedule)
{
	(void)pthread_cond_destroy(&schedule->changed);
	(void)pthread_mutex_destroy(&schedule->lock);
	free(schedule);
}

int schedule_start(const struct schedule_config *config, struct schedule **ret_schedule,
		   struct error *err)
{
	struct schedule *schedule = calloc(1, sizeof(*schedule));
	pthread_condattr_t attributes;
	int r;

	if (!schedule)
		return error_no_memory(err);
	schedule->config = *config;
	if (!schedule->config.retry_ms)
		schedule->config.retry_ms = RETRY_MS;
	/* None of these fails on Linux with what it is given. */
	(void)pthread_mutex_init(&schedule->lock, NULL);
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&schedule->changed, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	r = pthread_create(&schedule->thread, NULL, schedule_main, schedule);
	if (r != 0) {
		free_schedule(schedule);
		return error_set_sys(err, ERROR_SYSTEM, r, "the schedule's thread");
	}
	*ret_schedule = schedule;
	return 0;
}

void schedule_stop(struct schedule *schedule)
{
	if (!schedule || schedule->joined)
		return;
	(void)pthread_mutex_lock(&schedule->lock);
	schedule->stopping = true;
	if (schedule->cancel)
		supervisor_cancel_hurry(schedule->cancel); /* writes to an eventfd, no more */
	(void)pthread_cond_broadcast(&schedule->changed);
	(void)pthread_mutex_unlock(&schedule->lock);
	(void)pthread_join(schedule->thread, NULL);
	schedule->joined = true;
}

void schedule_free(struct schedule *schedule)
{
	if (!schedule)
		return;
	schedule_stop(schedule);
	free_schedule(schedule);
}

/* ---- what others ask for ---- */

static int refuse_stopping(struct error *err)
{
	(void)error_set(err, ERROR_SHUTTING_DOWN, "", "the service is stopping");
	return -ESHUTDOWN;
}

int schedule_submit(struct schedule *schedule, const struct definition *definition, const char *key,
		    const char *digest, struct store_run *ret_run, bool *ret_again,
		    struct error *err)
{
	struct store_new wanted = {.name = definition->name,
				   .samples_total = definition_samples(definition),
				   .key = key,
				   .digest = digest,
				   .queued_max = SCHEDULE_QUEUE_MAX};
	AUTO_FREE char *text = NULL;
	int r;

	if (schedule_is_stopping(schedule))
		return refuse_stopping(err);
	wanted.definition = text = definition_encode_text(definition);
	if (!text)
		return error_no_memory(err);
	r = store_add_run(schedule->config.store, &wanted, ret_run, ret_again, err);
	if (r < 0 || *ret_again)
		return r;
	progress_publish(schedule->config.board, ret_run->id, RUN_QUEUED, NULL, 0);
	(void)pthread_mutex_lock(&schedule->lock);
	schedule->submitted = true;
	(void)pthread_cond_broadcast(&schedule->changed);
	(void)pthread_mutex_unlock(&schedule->lock);
	return 0;
}

/* Whether the run is the one at hand, which is then told to stop. */
static bool cancel_current(struct schedule *schedule, const char *id)
{
	bool current;

	(void)pthread_mutex_lock(&schedule->lock);
	current = strcmp(schedule->current, id) == 0 && id[0];
	if (current) {
		schedule->wished = true;
		supervisor_cancel_raise(schedule->cancel); /* writes to an eventfd, no more */
		(void)pthread_cond_broadcast(&schedule->changed);
	}
	(void)pthread_mutex_unlock(&schedule->lock);
	return current;
}

int schedule_cancel(struct schedule *schedule, const char *id, struct error *err)
{
	struct error why = {0};
	int r;

	if (schedule_is_stopping(schedule))
		return refuse_stopping(err);
	do {
		if (cancel_current(schedule, id)) {
			struct store_run run;

			/* At hand, but its end is written already. */
			if (store_get_run(schedule->config.store, id, &run) < 0 ||
			    run.state <= RUN_RUNNING)
				return 0;
		}
		r = store_cancel_queued(schedule->config.store, id, &why);
		/* It was begun between the two looks: the next one finds it at hand. */
	} while (r < 0 && why.code == ERROR_RUN_ACTIVE && !schedule_is_stopping(schedule));
	if (r == 0)
		progress_publish(schedule->config.board, id, RUN_CANCELLED, NULL, 0);
	else if (err)
		*err = why;
	return r;
}

int schedule_remove(struct schedule *schedule, const char *id, struct error *err)
{
	struct store_run run;
	int r;

	if (schedule_is_stopping(schedule))
		return refuse_stopping(err);
	if (store_get_run(schedule->config.store, id, &run) < 0)
		run.state = RUN_CANCELLED; /* the store says what is wrong */
	r = store_remove_run(schedule->config.store, id, err);
	if (r < 0)
		return r;
	/* Whoever waits for news of it is woken, and finds it gone. */
	progress_publish(schedule->config.board, id, run.state, NULL, 0);
	progress_forget(schedule->config.board, id);
	return 0;
}

bool schedule_measuring(struct schedule *schedule)
{
	bool measuring;

	(void)pthread_mutex_lock(&schedule->lock);
	measuring = schedule->current[0] != '\0';
	(void)pthread_mutex_unlock(&schedule->lock);
	return measuring;
}
