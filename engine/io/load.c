/* SPDX-License-Identifier: GPL-3.0-or-later */
/* load.c - see load.h. */
#include "engine/io/load.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/base/lock.h"

int load_init(struct load *load, size_t capacity_s)
{
	int rc;

	memset(load, 0, sizeof(*load));
	if (capacity_s > 0) {
		load->seconds = calloc(capacity_s, sizeof(*load->seconds));
		if (!load->seconds)
			return -ENOMEM;
		load->second_capacity = capacity_s;
	}
	rc = lock_init(&load->mutex, &load->changed);
	if (rc < 0) {
		free(load->seconds);
		load->seconds = NULL;
	}
	return rc;
}

void load_done(struct load *load)
{
	lock_done(&load->mutex, &load->changed);
	free(load->seconds);
	load->seconds = NULL;
}

static void lock(struct load *load)
{
	(void)pthread_mutex_lock(&load->mutex); /* a plain mutex we do not hold cannot fail */
}

static void unlock(struct load *load)
{
	(void)pthread_mutex_unlock(&load->mutex);
}

static void changed(struct load *load)
{
	(void)pthread_cond_broadcast(&load->changed); /* never fails */
}

/* How often a worker that waits for the start looks whether it was called off. */
#define DELAY_LOOK_NS (50 * NS_PER_MS)

/* Under the lock, once released: until start_ns, unless it is called off. */
static void wait_start(struct load *load)
{
	uint64_t now_ns = clock_now_ns();

	while (now_ns < load->start_ns && !load_stopping(load)) {
		uint64_t until_ns = now_ns + DELAY_LOOK_NS;
		struct timespec until;

		if (until_ns > load->start_ns)
			until_ns = load->start_ns;
		until = (struct timespec){.tv_sec = (time_t)(until_ns / NS_PER_S),
					  .tv_nsec = (long)(until_ns % NS_PER_S)};
		(void)pthread_cond_timedwait(&load->changed, &load->mutex, &until);
		now_ns = clock_now_ns();
	}
}

bool load_ready(struct load *load)
{
	bool released;

	/* Rates are kept to microseconds; the default slack of timers is 50 of them. */
	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* without it they are later, and say so */
	lock(load);
	load->ready++;
	changed(load);
	while (!load->released && !load->abandoned)
		(void)pthread_cond_wait(&load->changed, &load->mutex);
	released = load->released;
	if (released)
		wait_start(load);
	unlock(load);
	return released;
}

void load_fail(struct load *load, const struct error *err)
{
	lock(load);
	if (!load->failed) {
		load->failed = true;
		load->error = *err;
		changed(load);
	}
	unlock(load);
	load_stop(load, LOAD_FAILED);
}

void load_finished(struct load *load, bool drained)
{
	lock(load);
	load->finished++;
	if (!drained)
		load->undrained++;
	changed(load);
	unlock(load);
}

void load_add_to_series(struct load *load, uint64_t second, const struct series_second *more)
{
	struct series_second *into;

	if (!load->seconds)
		return;
	if (second >= load->second_capacity)
		second = load->second_capacity - 1;
	into = &load->seconds[second];
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		__atomic_fetch_add(&into->ios[d], more->ios[d], __ATOMIC_RELAXED);
		__atomic_fetch_add(&into->bytes[d], more->bytes[d], __ATOMIC_RELAXED);
		__atomic_fetch_add(&into->latency_sum_ns[d], more->latency_sum_ns[d],
				   __ATOMIC_RELAXED);
	}
}

static uint64_t later(uint64_t from_ns, uint64_t by_ns)
{
	uint64_t sum;

	return __builtin_add_overflow(from_ns, by_ns, &sum) ? UINT64_MAX : sum;
}

void load_release(struct load *load, uint64_t delay_ns, uint64_t ramp_ns, uint64_t runtime_ns)
{
	lock(load);
	load->start_ns = later(clock_now_ns(), delay_ns);
	load->window_ns = later(load->start_ns, ramp_ns);
	load->deadline_ns = runtime_ns ? later(load->window_ns, runtime_ns) : UINT64_MAX;
	load->released = true;
	changed(load);
	unlock(load);
}

void load_abandon(struct load *load)
{
	lock(load);
	load->abandoned = true;
	changed(load);
	unlock(load);
}

static atomic_bool left_behind;

void load_left_behind(void)
{
	atomic_store(&left_behind, true);
}

bool load_any_left_behind(void)
{
	return atomic_load(&left_behind);
}

void load_end(struct load *load, uint64_t now_ns)
{
	if (now_ns < atomic_load(&load->deadline_ns))
		atomic_store(&load->deadline_ns, now_ns);
}

void load_stop(struct load *load, enum load_stop reason)
{
	int none = LOAD_GOES_ON;

	/* The first reason stands, so a failed exchange says nothing of interest. */
	(void)atomic_compare_exchange_strong(&load->stop, &none, (int)reason);
}

bool load_wait(struct load *load, enum load_wait what, size_t count, uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				 .tv_nsec = (long)(until_ns % NS_PER_S)};
	bool there;
	int rc = 0;

	lock(load);
	for (;;) {
		there = what == LOAD_WAIT_READY ? load->ready >= count || load->failed
						: load->finished >= count;
		if (there || rc != 0)
			break;
		rc = pthread_cond_timedwait(&load->changed, &load->mutex, &until);
	}
	unlock(load);
	return there;
}
