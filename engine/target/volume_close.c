/* SPDX-License-Identifier: GPL-3.0-or-later */
/* volume_close.c - volume_close() of volume.h: the close is left to a thread, for it may never
 * end. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/target/volume.h"

/* It waits for a transaction group, which on a busy pool takes many seconds. */
#define CLOSE_MS 60000
#define CLOSE_SLICE_MS 200

/* Of the thread that closes and of who waits for it; the last one frees it. */
struct closing {
	int fd, event; /* event: eventfd */
	atomic_uint users;
};

static void closing_leave(struct closing *closing)
{
	if (atomic_fetch_sub(&closing->users, 1) > 1)
		return;
	(void)close(closing->event);
	free(closing);
}

static void *close_slowly(void *arg)
{
	struct closing *closing = arg;
	const uint64_t one = 1;
	ssize_t n;

	(void)close(closing->fd); /* nothing was written through it */
	n = write(closing->event, &one, sizeof(one));
	(void)n; /* an eventfd at 0 takes it */
	closing_leave(closing);
	return NULL;
}

/* -ENOMEM and the like where there is no thread for it. */
static int begin_closing(int fd, struct closing **ret_closing)
{
	struct closing *closing = calloc(1, sizeof(*closing));
	pthread_t thread;
	int r;

	if (!closing)
		return -ENOMEM;
	closing->fd = fd;
	closing->users = 2;
	closing->event = eventfd(0, EFD_CLOEXEC);
	r = closing->event < 0 ? -errno : -pthread_create(&thread, NULL, close_slowly, closing);
	if (r < 0) {
		if (closing->event >= 0)
			(void)close(closing->event);
		free(closing);
		return r;
	}
	(void)pthread_detach(thread); /* it is ours and joinable */
	*ret_closing = closing;
	return 0;
}

int volume_close(const char *name, int fd, void (*step)(void *arg), void *arg, struct error *err)
{
	uint64_t deadline_ns = clock_now_ns() + CLOSE_MS * NS_PER_MS;
	struct pollfd wanted = {.events = POLLIN};
	struct closing *closing;
	bool closed = false;

	if (begin_closing(fd, &closing) < 0) {
		(void)close(fd);
		return 0;
	}
	wanted.fd = closing->event;
	while (!closed && clock_now_ns() < deadline_ns) {
		closed = poll(&wanted, 1, CLOSE_SLICE_MS) > 0;
		if (step)
			step(arg);
	}
	closing_leave(closing);
	if (closed)
		return 0;
	(void)error_set(err, ERROR_ZFS_FAILED, "",
			"the kernel has not let go of %s for %d s: its pool may be suspended "
			"(zpool status)",
			name, CLOSE_MS / 1000);
	return -ETIMEDOUT;
}
