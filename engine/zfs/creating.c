/* SPDX-License-Identifier: GPL-3.0-or-later */
/* creating.c - see creating.h: by the command lines in /proc, and a pidfd to wait on. */
#include "engine/zfs/creating.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/clock.h"

#define LINE_BYTES ((size_t)256 * 1024) /* far more than any of our own command lines has */
#define SLICE_MS 100

/* Reads /proc/PID/cmdline, its arguments with a NUL behind each; its length. A process that has
 * ended meanwhile, or is another user's, has none. */
static size_t read_line(const char *pid, char *line)
{
	char path[64];
	size_t used = 0;
	AUTO_CLOSE int fd = -1;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && used < LINE_BYTES) {
		ssize_t got = read(fd, line + used, LINE_BYTES - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	line[used] = '\0';
	return used;
}

/* ".../zfs", "create", ..., the name. */
static bool creates(const char *line, size_t length, const char *dataset)
{
	size_t name = strlen(dataset), first = strlen(line);
	const char *program = strrchr(line, '/');

	if (strcmp(program ? program + 1 : line, "zfs") != 0)
		return false;
	if (first + 1 >= length || strcmp(line + first + 1, "create") != 0)
		return false;
	return length > name + 2 && line[length - 1] == '\0' && line[length - name - 2] == '\0' &&
	       memcmp(line + length - name - 1, dataset, name) == 0;
}

/* *ret_pid 0 where there is none. */
static int find(const char *dataset, pid_t *ret_pid)
{
	AUTO_FREE char *line = malloc(LINE_BYTES + 1);
	DIR *directory = opendir("/proc");
	const struct dirent *entry;
	int sys = errno;

	*ret_pid = 0;
	while (line && directory && *ret_pid == 0 && (entry = readdir(directory)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    creates(line, read_line(entry->d_name, line), dataset))
			*ret_pid = (pid_t)strtol(entry->d_name, NULL, 10);
	if (directory)
		(void)closedir(directory); /* only read from */
	if (!line)
		return -ENOMEM;
	return directory ? 0 : -sys;
}

static int await_end(pid_t pid, uint64_t deadline_ns, const struct zfs_patience *patience,
		     const char *dataset, struct error *err)
{
	AUTO_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd wanted = {.fd = pidfd, .events = POLLIN};

	if (patience->cancel && atomic_load(patience->cancel)) {
		(void)error_set(err, ERROR_CANCELLED, "", "waiting for zfs create of %s", dataset);
		return -ECANCELED;
	}
	if (clock_now_ns() >= deadline_ns) {
		(void)error_set(err, ERROR_TARGET_BUSY, "",
				"process %d is still creating %s for a run that is over", (int)pid,
				dataset);
		return -EBUSY;
	}
	/* Where there is no pidfd (a container may refuse it, the process may be gone), a slice. */
	(void)poll(&wanted, 1, SLICE_MS);
	if (patience->tick)
		patience->tick(patience->arg);
	return 0;
}

int zfs_creating_await(const char *dataset, const struct zfs_patience *patience, struct error *err)
{
	uint64_t deadline_ns;
	pid_t pid;

	if (!patience)
		patience = &zfs_patience_ask;
	deadline_ns = clock_now_ns() + (patience->deadline_ms ? patience->deadline_ms
							      : zfs_patience_ask.deadline_ms) *
					       NS_PER_MS;
	for (;;) {
		int r = find(dataset, &pid);

		if (r == -ENOMEM)
			return error_no_memory(err);
		if (r < 0)
			r = error_set_sys(err, ERROR_SYSTEM, -r, "looking at the processes");
		if (r < 0) /* -EPERM is zfs_destroy_made()'s own */
			return r == -EPERM ? -EACCES : r;
		if (pid == 0)
			return 0;
		r = await_end(pid, deadline_ns, patience, dataset, err);
		if (r < 0)
			return r;
	}
}
