/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reporter.c - see reporter.h. */
#include "web/reporter.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "server/codec/result_text.h"
#include "server/log.h"
#include "web/report.h"

#define WAIT_MAX_MS 60000 /* for a run to end */
#define LOOK_MS 250	  /* between two looks whether it has */
#define AGAIN_MS 60000	  /* a report that failed is not tried again sooner */
#define QUEUE_MAX 10000	  /* ids waiting; more are dropped: whoever looks at the run asks again */

struct reporter {
	struct reporter_config config;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Locking: all below by mutex. */
	char (*queue)[RUN_ID_MAX]; /* oldest first */
	size_t count, room;
	char at_hand[RUN_ID_MAX]; /* "" when none */
	char failed[RUN_ID_MAX];
	uint64_t failed_ns;
	atomic_bool stopping; /* written with the mutex; a drawing looks at it without */
};

/* ---- one report ---- */

static bool is_study(const char *id)
{
	return strncmp(id, REPORTER_STUDY, sizeof(REPORTER_STUDY) - 1) == 0;
}

/* The text to draw a report of, and where it belongs. */
static int find_text(struct reporter *reporter, const char *id, char **ret_text, size_t *ret_size,
		     int *ret_dirfd, struct error *err)
{
	const struct reporter_config *config = &reporter->config;
	int r;

	if (is_study(id)) {
		id += sizeof(REPORTER_STUDY) - 1;
		r = config->study ? config->study(id, ret_text, ret_size, err) : -ENOENT;
		return r < 0 ? r : store_open_study(config->store, id, ret_dirfd);
	}
	r = store_result(config->store, id, ret_text, ret_size, err);
	return r < 0 ? r : store_open_report(config->store, id, ret_dirfd);
}

static int draw(struct reporter *reporter, const char *id, struct error *err)
{
	AUTO_FREE char *text = NULL;
	AUTO_CLOSE int dirfd = -1;
	struct result result;
	size_t size;
	int r;

	r = find_text(reporter, id, &text, &size, &dirfd, err);
	if (r < 0) {
		if (err->code == ERROR_NONE)
			(void)error_set_sys(err, ERROR_SYSTEM, -r,
					    "cannot open the report's directory");
		return r;
	}
	result_init(&result);
	r = result_decode_text(text, size, &result, err);
	if (r == 0)
		r = report_write(&result, text, size, dirfd, &reporter->stopping, err);
	result_done(&result);
	return r;
}

/* ---- the thread ---- */

static struct timespec in_ms(uint64_t ms)
{
	uint64_t at = clock_now_ns() + ms * NS_PER_MS;

	return (struct timespec){.tv_sec = (time_t)(at / NS_PER_S),
				 .tv_nsec = (long)(at % NS_PER_S)};
}

/* With the mutex: until there is an id or the end has come. */
static bool wait_for_id(struct reporter *reporter)
{
	while (!reporter->stopping && reporter->count == 0)
		(void)pthread_cond_wait(&reporter->changed, &reporter->mutex); /* cannot fail */
	return !reporter->stopping;
}

/* With the mutex, which is given back while looking: until no run measures, at most a minute. False
 * where one still does. */
static bool wait_for_quiet(struct reporter *reporter)
{
	uint64_t end_ns = clock_now_ns() + WAIT_MAX_MS * NS_PER_MS;

	while (!reporter->stopping && clock_now_ns() < end_ns) {
		struct timespec until = in_ms(LOOK_MS);
		bool busy;

		(void)pthread_mutex_unlock(&reporter->mutex);
		busy = reporter->config.busy && reporter->config.busy(reporter->config.arg);
		(void)pthread_mutex_lock(&reporter->mutex);
		if (!busy || reporter->stopping)
			return true;
		(void)pthread_cond_timedwait(&reporter->changed, &reporter->mutex, &until);
	}
	return false;
}

/*
 * Beside a run that measures a report has the lowest class, else the usual one: on a machine that
 * is busy with other work the lowest would not get to draw for minutes. What may not be raised
 * again (RLIMIT_NICE) stays low, and costs no more than time.
 */
static void take_class(bool lowest)
{
	const struct sched_param parameter = {0};

	(void)pthread_setschedparam(pthread_self(), lowest ? SCHED_IDLE : SCHED_OTHER, &parameter);
}

static void take_first(struct reporter *reporter)
{
	memcpy(reporter->at_hand, reporter->queue[0], sizeof(reporter->at_hand));
	reporter->count--;
	memmove(reporter->queue, reporter->queue + 1, reporter->count * sizeof(*reporter->queue));
}

/* Whether what was to be drawn has been removed meanwhile: nobody waits for its report then. */
static bool removed(const struct reporter *reporter, const char *id)
{
	struct store_run run;

	return !is_study(id) && store_get_run(reporter->config.store, id, &run) == -ENOENT;
}

static void draw_one(struct reporter *reporter)
{
	struct error err = {0};
	int r;

	(void)pthread_mutex_unlock(&reporter->mutex);
	r = draw(reporter, reporter->at_hand, &err);
	if (r < 0 && r != -ECANCELED && removed(reporter, reporter->at_hand))
		r = 0;
	if (r < 0 && r != -ECANCELED)
		log_error(&err, "run %s: no report", reporter->at_hand);
	(void)pthread_mutex_lock(&reporter->mutex);
	if (r < 0) {
		memcpy(reporter->failed, reporter->at_hand, sizeof(reporter->failed));
		reporter->failed_ns = clock_now_ns();
	}
	reporter->at_hand[0] = '\0';
}

static void *run(void *arg)
{
	struct reporter *reporter = arg;

	(void)pthread_setname_np(pthread_self(), "reporter");
	(void)pthread_mutex_lock(&reporter->mutex);
	while (wait_for_id(reporter)) {
		bool quiet = wait_for_quiet(reporter);

		if (reporter->stopping)
			break;
		take_class(!quiet);
		take_first(reporter);
		draw_one(reporter);
	}
	(void)pthread_mutex_unlock(&reporter->mutex);
	return NULL;
}

/* ---- calls ---- */

/* A condition variable whose waits end by CLOCK_MONOTONIC. */
static int init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	int r = pthread_condattr_init(&attributes);

	if (r)
		return -r;
	r = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (r == 0)
		r = pthread_cond_init(condition, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	return -r;
}

int reporter_start(const struct reporter_config *config, struct reporter **ret_reporter)
{
	struct reporter *reporter = calloc(1, sizeof(*reporter));
	int r;

	if (!reporter)
		return -ENOMEM;
	reporter->config = *config;
	r = -pthread_mutex_init(&reporter->mutex, NULL);
	if (r < 0)
		goto free_reporter;
	r = init_condition(&reporter->changed);
	if (r < 0)
		goto destroy_mutex;
	r = -pthread_create(&reporter->thread, NULL, run, reporter);
	if (r < 0)
		goto destroy_condition;
	*ret_reporter = reporter;
	return 0;

destroy_condition:
	(void)pthread_cond_destroy(&reporter->changed);
destroy_mutex:
	(void)pthread_mutex_destroy(&reporter->mutex);
free_reporter:
	free(reporter);
	return r;
}

/* With the mutex: waiting, being drawn, or failed a moment ago? */
static bool known(const struct reporter *reporter, const char *id)
{
	if (strcmp(reporter->at_hand, id) == 0)
		return true;
	if (strcmp(reporter->failed, id) == 0 &&
	    clock_now_ns() - reporter->failed_ns < AGAIN_MS * NS_PER_MS)
		return true;
	for (size_t i = 0; i < reporter->count; i++)
		if (strcmp(reporter->queue[i], id) == 0)
			return true;
	return false;
}

static bool grow(struct reporter *reporter)
{
	size_t room = reporter->room ? reporter->room * 2 : 16;
	char(*queue)[RUN_ID_MAX];

	if (reporter->count < reporter->room)
		return true;
	if (reporter->count >= QUEUE_MAX)
		return false;
	queue = reallocarray(reporter->queue, room, sizeof(*queue));
	if (!queue)
		return false;
	reporter->queue = queue;
	reporter->room = room;
	return true;
}

void reporter_request(struct reporter *reporter, const char *id)
{
	bool dropped = false;

	if (strlen(id) >= RUN_ID_MAX)
		return;
	(void)pthread_mutex_lock(&reporter->mutex);
	if (!reporter->stopping && !known(reporter, id)) {
		dropped = !grow(reporter);
		if (!dropped)
			memcpy(reporter->queue[reporter->count++], id, strlen(id) + 1);
		(void)pthread_cond_signal(&reporter->changed);
	}
	(void)pthread_mutex_unlock(&reporter->mutex);
	if (dropped)
		log_line(LOG_LEVEL_WARNING, "run %s: report put off, no room to note it", id);
}

void reporter_stop(struct reporter *reporter)
{
	const struct sched_param parameter = {0};

	if (!reporter)
		return;
	(void)pthread_mutex_lock(&reporter->mutex);
	reporter->stopping = true;
	(void)pthread_cond_signal(&reporter->changed);
	(void)pthread_mutex_unlock(&reporter->mutex);
	/* On a busy machine the lowest class would not come to see it for seconds. Where this is
	 * not allowed (RLIMIT_NICE), so be it. */
	(void)pthread_setschedparam(reporter->thread, SCHED_OTHER, &parameter);
	(void)pthread_join(reporter->thread, NULL); /* it ends by itself */
	(void)pthread_cond_destroy(&reporter->changed);
	(void)pthread_mutex_destroy(&reporter->mutex);
	free(reporter->queue);
	free(reporter);
}
