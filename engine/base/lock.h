/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock.h - a mutex and the condition it goes with, whose waits end by CLOCK_MONOTONIC.
 *
 * lock_init -> pthread_mutex_lock, pthread_cond_timedwait, ... -> lock_done, when nobody holds it
 * or waits. -errno; nothing is left to be ended then.
 */
#ifndef ENGINE_BASE_LOCK_H
#define ENGINE_BASE_LOCK_H

#include <pthread.h>

#include "engine/base/macros.h"

MUST_CHECK int lock_init(pthread_mutex_t *mutex, pthread_cond_t *condition);
void lock_done(pthread_mutex_t *mutex, pthread_cond_t *condition);

#endif
