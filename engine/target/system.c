/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * system.c - see system.h.
 *
 * statx is called by number with the kernel's own structure, which knows direct I/O's alignment
 * before the C library's does; <sys/stat.h> defines another one, so it is not included here.
 */
#include "engine/target/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/stat.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "engine/base/clock.h"

#define TEXT_MAX ((size_t)16 << 20)
#define PATH_BYTES 256

int system_line(const char *path, char *buffer, size_t size)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	do {
		got = read(fd, buffer, size - 1);
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		buffer[0] = '\0';
		return -errno;
	}
	buffer[got] = '\0';
	buffer[strcspn(buffer, "\n")] = '\0';
	return 0;
}

int system_text(const char *path, char **ret_text)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t capacity = 8192, size = 0;
	AUTO_FREE char *text = NULL;

	if (fd < 0)
		return -errno;
	text = malloc(capacity);
	if (!text)
		return -ENOMEM;
	for (;;) {
		ssize_t got = read(fd, text + size, capacity - size - 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		size += (size_t)got;
		if (size + 1 == capacity) {
			char *grown;

			if (capacity >= TEXT_MAX)
				return -EFBIG;
			capacity *= 2;
			grown = realloc(text, capacity);
			if (!grown)
				return -ENOMEM;
			text = grown;
		}
	}
	text[size] = '\0';
	*ret_text = TAKE_PTR(text);
	return 0;
}

/* ---- block devices ---- */

const char *system_block_path(dev_t device, const char *leaf, char *buffer, size_t size)
{
	(void)snprintf(buffer, size, "/sys/dev/block/%u:%u/%s", major(device), minor(device), leaf);
	return buffer;
}

int system_block_line(dev_t device, const char *leaf, char *buffer, size_t size)
{
	char path[PATH_BYTES];

	return system_line(system_block_path(device, leaf, path, sizeof(path)), buffer, size);
}

int system_block_number(dev_t device, const char *leaf, uint64_t *ret_number)
{
	char text[32], *end;
	unsigned long long number;
	int r;

	r = system_block_line(device, leaf, text, sizeof(text));
	if (r < 0)
		return r;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || end == text || *end != '\0' || text[0] == '-')
		return -EINVAL;
	*ret_number = number;
	return 0;
}

int system_block_name(dev_t device, char ret_name[SYSTEM_NAME_MAX])
{
	char path[PATH_BYTES], link[PATH_MAX];
	const char *name;
	ssize_t length;

	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return -errno;
	link[length] = '\0';
	name = strrchr(link, '/');
	name = name ? name + 1 : link;
	if (strlen(name) >= SYSTEM_NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(ret_name, name, strlen(name) + 1);
	for (char *c = ret_name; *c; c++)
		if (*c == '!') /* stands for the '/' of names like "cciss/c0d0" */
			*c = '/';
	return 0;
}

int system_block_disk(dev_t device, dev_t *ret_disk)
{
	unsigned int disk_major, disk_minor;
	char text[32];
	uint64_t number;
	int r;

	r = system_block_number(device, "partition", &number);
	if (r == -ENOENT) {
		*ret_disk = device;
		return 0;
	}
	if (r == 0)
		r = system_block_line(device, "../dev", text, sizeof(text));
	if (r < 0)
		return r;
	if (sscanf(text, "%u:%u", &disk_major, &disk_minor) != 2)
		return -EINVAL;
	*ret_disk = makedev(disk_major, disk_minor);
	return 0;
}

/* ---- mounts ---- */

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void system_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) &&
		    is_octal(from[3])) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [FIELDS...] - FILESYSTEM SOURCE OPTIONS */
static bool parse_mount(char *line, struct system_mount *mount)
{
	unsigned int mount_major, mount_minor;
	char *field[5], *separator, *rest;

	separator = strstr(line, " - ");
	if (!separator)
		return false;
	*separator = '\0';
	rest = separator + 3;
	for (size_t i = 0; i < ARRAY_SIZE(field); i++) {
		field[i] = strsep(&line, " ");
		if (!field[i])
			return false;
	}
	if (sscanf(field[0], "%" SCNu64, &mount->id) != 1 ||
	    sscanf(field[2], "%u:%u", &mount_major, &mount_minor) != 2)
		return false;
	mount->device = makedev(mount_major, mount_minor);
	mount->point = field[4];
	mount->filesystem = strsep(&rest, " ");
	mount->source = strsep(&rest, " ");
	if (!mount->source)
		return false;
	system_unescape(mount->point);
	system_unescape(mount->source);
	return true;
}

int system_each_mount(int (*visit)(void *arg, const struct system_mount *mount), void *arg)
{
	AUTO_FREE char *text = NULL;
	char *rest, *line;
	int r;

	r = system_text("/proc/self/mountinfo", &text);
	if (r < 0)
		return r;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		struct system_mount mount = {0};

		if (line[0] == '\0')
			continue;
		if (!parse_mount(line, &mount))
			return -EBADMSG;
		r = visit(arg, &mount);
		if (r != 0)
			return r;
	}
	return 0;
}

/* ---- files ---- */

static uint64_t birth_ns(const struct statx *stx)
{
	if (!(stx->stx_mask & STATX_BTIME) || stx->stx_btime.tv_sec <= 0)
		return 0;
	return (uint64_t)stx->stx_btime.tv_sec * NS_PER_S + stx->stx_btime.tv_nsec;
}

int system_file(int fd, struct system_file *ret_file)
{
	struct statx stx = {0};

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH,
		    STATX_BASIC_STATS | STATX_MNT_ID | STATX_DIOALIGN, &stx) < 0)
		return -errno;
	*ret_file = (struct system_file){0};
	if (stx.stx_mask & STATX_MNT_ID)
		ret_file->mount_id = stx.stx_mnt_id;
	if (stx.stx_mask & STATX_DIOALIGN) {
		ret_file->align_known = true;
		ret_file->align = stx.stx_dio_offset_align;
	}
	return 0;
}

int system_identity(int fd, struct system_identity *ret_identity)
{
	struct statx stx = {0};

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &stx) < 0)
		return -errno;
	if ((stx.stx_mode & S_IFMT) != S_IFREG)
		return -EINVAL;
	ret_identity->device = makedev(stx.stx_dev_major, stx.stx_dev_minor);
	ret_identity->inode = stx.stx_ino;
	ret_identity->birth_ns = birth_ns(&stx);
	return 0;
}

bool system_same(const struct system_identity *a, const struct system_identity *b)
{
	if (a->inode != b->inode)
		return false;
	if (a->birth_ns != 0 && b->birth_ns != 0)
		return a->birth_ns == b->birth_ns;
	return a->device == b->device;
}

struct search {
	uint64_t id;
	char *buffer;
	size_t size;
};

static int match_mount(void *arg, const struct system_mount *mount)
{
	struct search *search = arg;

	if (mount->id != search->id)
		return 0;
	(void)snprintf(search->buffer, search->size, "%s", mount->filesystem);
	return 1;
}

/* By the number statfs(2) has for it, where the mount cannot be seen: in a chroot, say. */
static const char *filesystem_by_number(int fd)
{
	static const struct {
		unsigned long number;
		const char *name;
	} known[] = {
		{0xEF53, "ext4"},	  {0x58465342, "xfs"},	 {0x9123683E, "btrfs"},
		{0x2FC12FC1, "zfs"},	  {0x01021994, "tmpfs"}, {0x794C7630, "overlay"},
		{0x65735546, "fuse"},	  {0x6969, "nfs"},	 {0xF2F52010, "f2fs"},
		{0xCA451A4E, "bcachefs"},
	};
	struct statfs stat;

	if (fstatfs(fd, &stat) == 0)
		for (size_t i = 0; i < ARRAY_SIZE(known); i++)
			if ((unsigned long)stat.f_type == known[i].number)
				return known[i].name;
	return "";
}

void system_filesystem(int fd, char *buffer, size_t size)
{
	struct search search = {.buffer = buffer, .size = size};
	struct system_file file;

	if (system_file(fd, &file) == 0 && file.mount_id != 0) {
		search.id = file.mount_id;
		if (system_each_mount(match_mount, &search) == 1)
			return;
	}
	(void)snprintf(buffer, size, "%s", filesystem_by_number(fd)); /* a short name */
}
