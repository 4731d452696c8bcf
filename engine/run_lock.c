/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_lock.c - run_lock() and run_look() of run.h: one engine at a time on a machine. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>

#include "engine/base/clock.h"
#include "engine/run.h"

#define LOCK_POLL_MS 20

static int busy(struct error *err)
{
	(void)error_set(
		err, ERROR_ENGINE_BUSY, "",
		"The engine is at work for somebody else on this machine; two would measure "
		"each other.");
	return -EWOULDBLOCK;
}

/* A lock on state_dirfd/name; -EWOULDBLOCK at the deadline. */
static int lock(int state_dirfd, const char *name, int operation, uint64_t deadline_ns, int *ret_fd,
		struct error *err)
{
	int flags = strcmp(name, ".") == 0 ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT;
	AUTO_CLOSE int fd = openat(state_dirfd, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "Opening the engine's lock");
	while (flock(fd, operation | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return error_set_sys(err, ERROR_SYSTEM, errno, "Taking the engine's lock");
		if (clock_now_ns() >= deadline_ns)
			return busy(err);
		(void)poll(NULL, 0, LOCK_POLL_MS); /* a nap; flock itself cannot wait for a time */
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* Runs and questions take turns before they begin: a lock on the directory itself. */
static int take_turn(int state_dirfd, uint64_t deadline_ns, int *ret_fd, struct error *err)
{
	return lock(state_dirfd, ".", LOCK_EX, deadline_ns, ret_fd, err);
}

int run_lock(int state_dirfd, uint64_t wait_ms, int *ret_fd, struct error *err)
{
	uint64_t deadline_ns = clock_now_ns() + wait_ms * NS_PER_MS;
	AUTO_CLOSE int turn = -1;
	int r = take_turn(state_dirfd, deadline_ns, &turn, err);

	return r < 0 ? r : lock(state_dirfd, "lock", LOCK_EX, deadline_ns, ret_fd, err);
}

static int ask_measuring(int state_dirfd, bool *ret_measuring, struct error *err)
{
	AUTO_CLOSE int fd = -1;
	int r = lock(state_dirfd, "lock", LOCK_SH, 0, &fd, err);

	*ret_measuring = r == -EWOULDBLOCK;
	return r == -EWOULDBLOCK ? 0 : r;
}

int run_look(int state_dirfd, uint64_t wait_ms, bool *ret_measuring, int *ret_fd, struct error *err)
{
	AUTO_CLOSE int turn = -1;
	int r = ask_measuring(state_dirfd, ret_measuring, err);

	*ret_fd = -1;
	if (r < 0 || *ret_measuring)
		return r;
	r = take_turn(state_dirfd, clock_now_ns() + wait_ms * NS_PER_MS, &turn, err);
	if (r == 0)
		r = ask_measuring(state_dirfd, ret_measuring, err);
	if (r == 0 && !*ret_measuring)
		*ret_fd = TAKE_FD(turn);
	return r;
}
