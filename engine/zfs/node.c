/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node.c - /dev is watched, and each zdN that appears is opened and asked.
 *
 * BLKZNAME is answered by zvol_ioctl() of module/os/linux/zfs/zvol_os.c, with the dataset's name in
 * a buffer of MAXNAMELEN (256) bytes.
 */
#include "engine/zfs/node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "engine/base/clock.h"

#define NODE_NAME_REQUEST _IOR(0x12, 125, char[ZFS_NAME_BYTES]) /* BLKZNAME */
#define SLICE_MS 100
#define SCAN_AFTER_MS 1000 /* the event should have come by then */
#define PATH_BYTES 64
#define PENDING_MAX 16

struct zfs_node_watch {
	int fd;
	bool missed; /* the kernel's queue overflowed */
	/* Nodes that have appeared and could not be opened yet. */
	size_t pending_count;
	char pending[PENDING_MAX][PATH_BYTES];
	char refused[PATH_BYTES]; /* one that this user may not open, or "" */
};

int zfs_node_name(int fd, char name[ZFS_NAME_BYTES])
{
	char buffer[ZFS_NAME_BYTES] = "";

	if (ioctl(fd, NODE_NAME_REQUEST, buffer) < 0)
		return -ENOTTY; /* drivers differ in how they refuse what they do not know */
	buffer[ZFS_NAME_BYTES - 1] = '\0';
	memcpy(name, buffer, sizeof(buffer));
	return 0;
}

/* "zd" and a number: no partition. */
static bool is_node(const char *name)
{
	size_t digits;

	if (strncmp(name, "zd", 2) != 0)
		return false;
	digits = strspn(name + 2, "0123456789");
	return digits > 0 && digits < 16 && name[2 + digits] == '\0';
}

/* 0: it is the node of dataset. -ENODEV: of another, or none; else why it could not be asked. */
static int ask(const char *path, const char *dataset, dev_t *ret_device)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	char name[ZFS_NAME_BYTES];
	struct stat status;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? -ENODEV : -errno;
	if (fstat(fd, &status) < 0 || !S_ISBLK(status.st_mode) || zfs_node_name(fd, name) < 0 ||
	    strcmp(name, dataset) != 0)
		return -ENODEV;
	*ret_device = status.st_rdev;
	return 0;
}

/* By the link that udev makes: a hint, for the kernel is asked all the same. */
static int ask_link(const char *dataset, char path[PATH_BYTES], dev_t *ret_device)
{
	char link[PATH_MAX], target[PATH_MAX];
	const char *name;
	ssize_t length;

	(void)snprintf(link, sizeof(link), "/dev/zvol/%s", dataset); /* a name is short */
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return -ENODEV;
	target[length] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	if (!is_node(name))
		return -ENODEV;
	(void)snprintf(path, PATH_BYTES, "/dev/%.32s", name); /* is_node() bounds it */
	return ask(path, dataset, ret_device);
}

/* All nodes there are, one by one. -EACCES where none was it and one could not be asked. */
static int ask_all(const char *dataset, char path[PATH_BYTES], dev_t *ret_device)
{
	DIR *directory = opendir("/dev");
	const struct dirent *entry;
	int found = -ENODEV;

	if (!directory)
		return -errno;
	while ((entry = readdir(directory))) {
		int r;

		if (!is_node(entry->d_name))
			continue;
		(void)snprintf(path, PATH_BYTES, "/dev/%.32s", entry->d_name);
		r = ask(path, dataset, ret_device);
		if (r == 0) {
			found = 0;
			break;
		}
		if (r == -EACCES || r == -EPERM)
			found = -EACCES;
	}
	(void)closedir(directory); /* only read from */
	return found;
}

int zfs_node_find(const char *dataset, char ret_path[PATH_BYTES], dev_t *ret_device)
{
	char path[PATH_BYTES];
	dev_t device;
	int r = ask_link(dataset, path, &device);

	if (r < 0)
		r = ask_all(dataset, path, &device);
	if (r < 0)
		return r;
	memcpy(ret_path, path, sizeof(path));
	*ret_device = device;
	return 0;
}

int zfs_node_closes(const char *dataset, int *ret_fd)
{
	AUTO_CLOSE int fd = -1;
	char path[PATH_BYTES];
	dev_t device;
	int r = zfs_node_find(dataset, path, &device);

	if (r < 0)
		return r;
	fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (fd < 0 || inotify_add_watch(fd, path, IN_CLOSE) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* ---- waiting for one ---- */

int zfs_node_watch_new(struct zfs_node_watch **ret_watch, struct error *err)
{
	struct zfs_node_watch *watch = calloc(1, sizeof(*watch));
	int sys;

	if (!watch)
		return error_no_memory(err);
	watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	/* IN_ATTRIB: udev lets its group open a node only after it has appeared. */
	if (watch->fd < 0 ||
	    inotify_add_watch(watch->fd, "/dev", IN_CREATE | IN_MOVED_TO | IN_ATTRIB) < 0) {
		sys = errno;
		zfs_node_watch_free(watch);
		return error_set_sys(err, ERROR_SYSTEM, sys, "cannot watch /dev for a zvol's node");
	}
	*ret_watch = watch;
	return 0;
}

void zfs_node_watch_free(struct zfs_node_watch *watch)
{
	if (!watch)
		return;
	if (watch->fd >= 0)
		(void)close(watch->fd); /* only read from */
	free(watch);
}

static void add_pending(struct zfs_node_watch *watch, const char *path)
{
	for (size_t i = 0; i < watch->pending_count; i++)
		if (strcmp(watch->pending[i], path) == 0)
			return;
	if (watch->pending_count == PENDING_MAX) {
		watch->missed = true; /* the scan will see it */
		return;
	}
	(void)snprintf(watch->pending[watch->pending_count++], PATH_BYTES, "%s", path);
}

static void take_event(struct zfs_node_watch *watch, const struct inotify_event *event)
{
	char path[PATH_BYTES];

	if (event->mask & IN_Q_OVERFLOW)
		watch->missed = true;
	if (event->len == 0 || !is_node(event->name))
		return;
	(void)snprintf(path, sizeof(path), "/dev/%.32s", event->name);
	add_pending(watch, path);
}

static void take_events(struct zfs_node_watch *watch)
{
	_Alignas(struct inotify_event) char buffer[4096];
	ssize_t got;

	while ((got = read(watch->fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + got;) {
			const struct inotify_event *event = (const void *)at;

			take_event(watch, event);
			at += sizeof(*event) + event->len;
		}
}

/* Those that have appeared; what cannot be opened yet is asked again at the next look. */
static int ask_pending(struct zfs_node_watch *watch, const char *dataset, char path[PATH_BYTES],
		       dev_t *ret_device)
{
	size_t kept = 0;

	watch->refused[0] = '\0';
	for (size_t i = 0; i < watch->pending_count; i++) {
		int r = ask(watch->pending[i], dataset, ret_device);

		if (r == 0) {
			memcpy(path, watch->pending[i], PATH_BYTES);
			return 0;
		}
		if (r == -EACCES || r == -EPERM)
			memcpy(watch->refused, watch->pending[i], PATH_BYTES);
		if (r != -ENODEV)
			memmove(watch->pending[kept++], watch->pending[i], PATH_BYTES);
	}
	watch->pending_count = kept;
	return -ENODEV;
}

static int look(struct zfs_node_watch *watch, const char *dataset, bool scan, char path[PATH_BYTES],
		dev_t *ret_device)
{
	int r;

	take_events(watch);
	r = ask_pending(watch, dataset, path, ret_device);
	if (r < 0)
		r = ask_link(dataset, path, ret_device);
	if (r < 0 && (scan || watch->missed)) {
		watch->missed = false;
		r = ask_all(dataset, path, ret_device);
	}
	return r;
}

static int tell_late(const struct zfs_node_watch *watch, const char *dataset, uint64_t waited_ms,
		     struct error *err)
{
	unsigned long long seconds = (waited_ms + 999) / 1000;

	if (watch->refused[0])
		(void)error_set(err, ERROR_ZFS_PERMISSION, "",
				"%s appeared while %s was awaited, but this user may not open it",
				watch->refused, dataset);
	else
		(void)error_set(err, ERROR_TARGET_MISSING, "",
				"No device node of %s appeared in /dev within %llu s (in a "
				"container /dev must be the host's devtmpfs)",
				dataset, seconds);
	return watch->refused[0] ? -EACCES : -ETIMEDOUT;
}

int zfs_node_await(struct zfs_node_watch *watch, const char *dataset,
		   const struct zfs_patience *patience, char ret_path[PATH_BYTES],
		   dev_t *ret_device, struct error *err)
{
	uint64_t begin_ns = clock_now_ns();
	uint64_t deadline_ms;
	bool scanned = false;

	if (!patience)
		patience = &zfs_patience_ask;
	deadline_ms = patience->deadline_ms ? patience->deadline_ms : zfs_patience_ask.deadline_ms;
	for (;;) {
		struct pollfd wanted = {.fd = watch->fd, .events = POLLIN};
		uint64_t waited_ms = (clock_now_ns() - begin_ns) / NS_PER_MS;
		bool late = waited_ms >= deadline_ms;
		bool scan = !scanned && (late || waited_ms >= SCAN_AFTER_MS);
		char path[PATH_BYTES];

		scanned = scanned || scan;
		if (look(watch, dataset, scan, path, ret_device) == 0) {
			memcpy(ret_path, path, sizeof(path));
			return 0;
		}
		if (patience->cancel && atomic_load(patience->cancel)) {
			(void)error_set(err, ERROR_CANCELLED, "", "waiting for the node of %s",
					dataset);
			return -ECANCELED;
		}
		if (late)
			return tell_late(watch, dataset, deadline_ms, err);
		(void)poll(&wanted, 1, SLICE_MS); /* whatever ends it, all is looked at again */
		if (patience->tick)
			patience->tick(patience->arg);
	}
}
