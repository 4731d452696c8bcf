/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_lock.c - waits end by the monotonic clock, and what fails leaves nothing behind.
 *
 * link: -Wl,--wrap=pthread_mutex_init -Wl,--wrap=pthread_cond_destroy
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/base/lock.h"

static bool refuse;
static unsigned int destroyed;

int __real_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	return refuse ? ENOMEM : __real_pthread_mutex_init(mutex, attributes);
}

int __real_pthread_cond_destroy(pthread_cond_t *condition);
int __wrap_pthread_cond_destroy(pthread_cond_t *condition);
int __wrap_pthread_cond_destroy(pthread_cond_t *condition)
{
	destroyed++;
	return __real_pthread_cond_destroy(condition);
}

static void test_waits_by_the_monotonic_clock(void **state)
{
	uint64_t until_ns = clock_now_ns() + 20 * NS_PER_MS;
	struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				 .tv_nsec = (long)(until_ns % NS_PER_S)};
	pthread_cond_t condition;
	pthread_mutex_t mutex;
	int r = 0;

	(void)state;
	assert_int_equal(lock_init(&mutex, &condition), 0);
	assert_int_equal(pthread_mutex_lock(&mutex), 0);
	while (r == 0)
		r = pthread_cond_timedwait(&condition, &mutex, &until);
	assert_int_equal(r, ETIMEDOUT);
	/* By the wall clock that moment would be long past. */
	assert_true(clock_now_ns() >= until_ns);
	assert_int_equal(pthread_mutex_unlock(&mutex), 0);
	lock_done(&mutex, &condition);
	assert_int_equal(destroyed, 1);
}

static void test_a_refusal_leaves_nothing(void **state)
{
	pthread_cond_t condition;
	pthread_mutex_t mutex;

	(void)state;
	destroyed = 0;
	refuse = true;
	assert_int_equal(lock_init(&mutex, &condition), -ENOMEM);
	refuse = false;
	assert_int_equal(destroyed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_by_the_monotonic_clock),
		cmocka_unit_test(test_a_refusal_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
