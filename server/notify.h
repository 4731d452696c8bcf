/* SPDX-License-Identifier: GPL-3.0-or-later */
/* notify.h - sd_notify(3)'s protocol: a datagram to $NOTIFY_SOCKET. Nothing without it. */
#ifndef SERVER_NOTIFY_H
#define SERVER_NOTIFY_H

#include <stdint.h>

void notify_send(const char *state); /* "READY=1", "STOPPING=1", "STATUS=...", "WATCHDOG=1" */

/* Microseconds of $WATCHDOG_USEC meant for this process, 0 when there is no watchdog. */
uint64_t notify_watchdog_us(void);

#endif
