/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lock.c - see lock.h. */
#include "engine/base/lock.h"

#include <time.h>

int lock_init(pthread_mutex_t *mutex, pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	int rc = pthread_condattr_init(&attributes);

	if (rc != 0)
		return -rc;
	rc = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (rc == 0)
		rc = pthread_cond_init(condition, &attributes);
	(void)pthread_condattr_destroy(&attributes); /* plain memory */
	if (rc != 0)
		return -rc;
	rc = pthread_mutex_init(mutex, NULL);
	if (rc != 0)
		(void)pthread_cond_destroy(condition); /* nobody waits */
	return -rc;
}

void lock_done(pthread_mutex_t *mutex, pthread_cond_t *condition)
{
	(void)pthread_mutex_destroy(mutex);    /* nobody holds it */
	(void)pthread_cond_destroy(condition); /* nor waits */
}
