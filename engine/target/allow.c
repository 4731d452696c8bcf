/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * allow.c - see allow.h. Read-only once made, so any thread may use it.
 *
 * A directory entry is held open for the list's life and everything beneath is reached from that
 * descriptor; a device entry is reached from "/" by its resolved path and must still be the device
 * it was.
 */
#include "engine/target/allow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "engine/base/text.h"
#include "engine/zfs/name.h"

#define ZERO_PATH "/dev/zero"

enum entry_kind { ENTRY_DIRECTORY, ENTRY_DEVICE, ENTRY_ZERO };

struct entry {
	char *given; /* as the user wrote it */
	char *real;  /* realpath of it */
	enum entry_kind kind;
	int fd;	      /* ENTRY_DIRECTORY: O_PATH of it; else -1 */
	dev_t device; /* else: its number */
};

struct allow {
	size_t count;
	struct entry *entries;
	size_t dataset_count;
	char **datasets;
};

/* ---- paths by their components ---- */

/* The next component of a path, without copying; false at its end. "" and "." are skipped. */
static bool next_component(const char **path, const char **ret_start, size_t *ret_length)
{
	do {
		*path += strspn(*path, "/");
		*ret_start = *path;
		*ret_length = strcspn(*path, "/");
		*path += *ret_length;
	} while (*ret_length == 1 && **ret_start == '.');
	return *ret_length > 0;
}

static bool has_dotdot(const char *path)
{
	const char *start;
	size_t length;

	while (next_component(&path, &start, &length))
		if (length == 2 && memcmp(start, "..", 2) == 0)
			return true;
	return false;
}

/* How many components `prefix` has where all of them begin `path`; *ret_rest is what follows, ""
 * for the entry itself. -1 where it does not match. */
static int match_prefix(const char *prefix, const char *path, const char **ret_rest)
{
	const char *start, *path_start;
	size_t length, path_length;
	int count = 0;

	while (next_component(&prefix, &start, &length)) {
		if (!next_component(&path, &path_start, &path_length) || path_length != length ||
		    memcmp(start, path_start, length) != 0)
			return -1;
		count++;
	}
	*ret_rest = path;
	return count;
}

/* ---- the list ---- */

static bool is_zero(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 5);
}

static int fill_entry(struct entry *entry, const char *path, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];
	struct stat st;

	entry->fd = -1;
	entry->given = strdup(path);
	if (!entry->given)
		return error_no_memory(err);
	text_excerpt(path, quoted);
	entry->real = realpath(path, NULL);
	if (!entry->real)
		return error_set_sys(err, ERROR_SYSTEM, errno, "allowed path %s", quoted);
	/* It will stand in JSON documents and on terminals. */
	if (!text_printable(path) || !text_printable(entry->real))
		return error_set(err, ERROR_BAD_VALUE, "",
				 "allowed path %s is not printable UTF-8; rename it", quoted);
	/* From here on by the resolved path only. */
	entry->fd = open(entry->real, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (entry->fd < 0 || fstat(entry->fd, &st) < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "allowed path %s", quoted);
	if (S_ISDIR(st.st_mode)) {
		entry->kind = ENTRY_DIRECTORY;
		return 0;
	}
	(void)close(entry->fd); /* O_PATH: nothing to lose */
	entry->fd = -1;
	entry->device = st.st_rdev;
	if (S_ISBLK(st.st_mode)) {
		entry->kind = ENTRY_DEVICE;
		return 0;
	}
	if (is_zero(&st) && strcmp(path, ZERO_PATH) == 0) {
		entry->kind = ENTRY_ZERO;
		return 0;
	}
	return error_set(err, ERROR_BAD_VALUE, "",
			 "allowed path %s is neither a directory nor a block device nor " ZERO_PATH,
			 quoted);
}

int allow_new(const char *const *paths, size_t count, struct allow **ret_allow, struct error *err)
{
	struct allow *allow = calloc(1, sizeof(*allow));
	int r = 0;

	if (allow && count > 0)
		allow->entries = calloc(count, sizeof(*allow->entries));
	if (!allow || (count > 0 && !allow->entries)) {
		free(allow);
		return error_no_memory(err);
	}
	for (size_t i = 0; i < count && r == 0; i++) {
		allow->count++; /* a half-filled entry is freed as well */
		r = fill_entry(&allow->entries[i], paths[i], err);
	}
	if (r < 0) {
		allow_free(allow);
		return r;
	}
	*ret_allow = allow;
	return 0;
}

void allow_free(struct allow *allow)
{
	if (!allow)
		return;
	for (size_t i = 0; i < allow->count; i++) {
		free(allow->entries[i].given);
		free(allow->entries[i].real);
		if (allow->entries[i].fd >= 0)
			(void)close(allow->entries[i].fd); /* O_PATH: nothing to lose */
	}
	free(allow->entries);
	for (size_t i = 0; i < allow->dataset_count; i++)
		free(allow->datasets[i]);
	free(allow->datasets);
	free(allow);
}

size_t allow_count(const struct allow *allow)
{
	return allow->count;
}

const char *allow_path(const struct allow *allow, size_t index)
{
	return allow->entries[index].given;
}

const char *allow_target_path(const struct allow *allow, size_t index)
{
	const struct entry *entry = &allow->entries[index];

	return entry->given[0] == '/' && !has_dotdot(entry->given) ? entry->given : entry->real;
}

bool allow_is_zero(const struct allow *allow, const char *path)
{
	if (strcmp(path, ZERO_PATH) != 0)
		return false;
	for (size_t i = 0; i < allow->count; i++)
		if (allow->entries[i].kind == ENTRY_ZERO)
			return true;
	return false;
}

/* ---- datasets ---- */

static int not_allowed(struct error *err, const char *path, const char *why)
{
	char quoted[TEXT_EXCERPT_MAX];

	(void)error_set(err, ERROR_TARGET_NOT_ALLOWED, "", "%s %s", text_excerpt(path, quoted),
			why);
	return -EACCES;
}

int allow_add_datasets(struct allow *allow, const char *const *names, size_t count,
		       struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];
	char **grown;

	if (count == 0)
		return 0;
	grown = reallocarray(allow->datasets, allow->dataset_count + count, sizeof(*grown));
	if (!grown)
		return error_no_memory(err);
	allow->datasets = grown;
	for (size_t i = 0; i < count; i++) {
		if (!zfs_name_ok(names[i]))
			return error_set(err, ERROR_BAD_VALUE, "",
					 "allowed dataset \"%s\" is not the name of a dataset, "
					 "such as tank/volbench",
					 text_excerpt(names[i], quoted));
		grown[allow->dataset_count] = strdup(names[i]);
		if (!grown[allow->dataset_count])
			return error_no_memory(err);
		allow->dataset_count++;
	}
	return 0;
}

size_t allow_dataset_count(const struct allow *allow)
{
	return allow->dataset_count;
}

const char *allow_dataset(const struct allow *allow, size_t index)
{
	return allow->datasets[index];
}

bool allow_covers_dataset(const struct allow *allow, const char *name)
{
	if (!zfs_name_ok(name))
		return false;
	for (size_t i = 0; i < allow->dataset_count; i++)
		if (zfs_name_within(name, allow->datasets[i]))
			return true;
	return false;
}

int allow_check_dataset(const struct allow *allow, const char *parent, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	if (!zfs_name_ok(parent))
		return not_allowed(err, parent,
				   "is not the name of a dataset, such as tank/volbench");
	if (allow_covers_dataset(allow, parent))
		return 0;
	text_excerpt(parent, quoted);
	(void)error_set(err, ERROR_TARGET_NOT_ALLOWED, "",
			"the dataset %s is neither one that Volbench was started with "
			"(--allow-dataset) nor beneath one",
			quoted);
	return -EACCES;
}

/* ---- opening ---- */

static bool has_control(const char *path)
{
	for (; *path; path++)
		if ((unsigned char)*path < 0x20 || *path == 0x7F)
			return true;
	return false;
}

/* The entry that covers most of the path; NULL with err where none does. */
static const struct entry *find_entry(const struct allow *allow, const char *path,
				      const char **ret_rest, struct error *err)
{
	const struct entry *best = NULL;
	int best_count = -1;

	if (path[0] != '/' || has_dotdot(path)) {
		(void)not_allowed(err, path,
				  path[0] == '/' ? "has \"..\" in it; name it without"
						 : "is not an absolute path; name it from /");
		return NULL;
	}
	if (has_control(path) || strlen(path) >= PATH_MAX) {
		(void)not_allowed(err, path, "is too long or has control characters in it");
		return NULL;
	}
	for (size_t i = 0; i < allow->count; i++) {
		const struct entry *entry = &allow->entries[i];
		const char *prefixes[] = {entry->real, entry->given};

		for (size_t j = 0; j < ARRAY_SIZE(prefixes); j++) {
			const char *rest = path;
			int count;

			if (prefixes[j][0] != '/' || has_dotdot(prefixes[j]))
				continue;
			count = match_prefix(prefixes[j], path, &rest);
			if (count <= best_count)
				continue;
			if (entry->kind != ENTRY_DIRECTORY && rest[strspn(rest, "/")] != '\0')
				continue;
			best = entry;
			best_count = count;
			*ret_rest = rest;
		}
	}
	if (!best)
		(void)not_allowed(err, path,
				  "lies in none of the places the service was started with "
				  "(--allow)");
	return best;
}

bool allow_covers(const struct allow *allow, const char *path)
{
	const char *rest;

	return find_entry(allow, path, &rest, NULL) != NULL;
}

static int open_beneath(int dirfd, const char *path, int flags, int mode, uint64_t resolve)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned int)(flags | O_CLOEXEC),
		.mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? (uint64_t)mode : 0,
		.resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	do {
		fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

static int tell(struct error *err, const char *path, int sys)
{
	char quoted[TEXT_EXCERPT_MAX];

	text_excerpt(path, quoted);
	switch (sys) {
	case EXDEV:
		return not_allowed(err, path, "leads out of the allowed place");
	case ELOOP:
		(void)error_set(err, ERROR_TARGET_TYPE, "",
				"%s is a symbolic link or leads through one; name what it points "
				"to",
				quoted);
		break;
	case ENAMETOOLONG:
		(void)error_set(err, ERROR_BAD_VALUE, "",
				"%s: a name in it is longer than the file system takes", quoted);
		break;
	case ENOTDIR:
		(void)error_set(err, ERROR_TARGET_TYPE, "", "%s: not a directory", quoted);
		break;
	case ENOENT:
		(void)error_set(err, ERROR_TARGET_MISSING, "", "%s does not exist", quoted);
		break;
	case EEXIST:
		(void)error_set(err, ERROR_FILE_EXISTS, "", "%s exists already", quoted);
		break;
	case EROFS:
		(void)error_set(err, ERROR_TARGET_READ_ONLY, "",
				"%s lies on a read-only file system", quoted);
		break;
	case ENOSPC:
	case EDQUOT:
		(void)error_set(err, ERROR_NO_SPACE, "", "%s: no space for another file", quoted);
		break;
	default:
		return error_set_sys(err, ERROR_SYSTEM, sys, "%s", quoted);
	}
	if (err)
		err->sys = sys;
	return -sys;
}

/* A device entry: the number stands for the device, whatever the path has come to name. */
static int open_device(const struct entry *entry, const char *path, int flags, int *ret_fd,
		       struct error *err)
{
	char self[64], quoted[TEXT_EXCERPT_MAX];
	AUTO_CLOSE int fd = -1;
	struct stat st;
	int opened;

	fd = open_beneath(AT_FDCWD, entry->real, O_PATH, 0, 0);
	if (fd < 0)
		return tell(err, path, -fd);
	if (fstat(fd, &st) < 0)
		return tell(err, path, errno);
	if (st.st_rdev != entry->device ||
	    (entry->kind == ENTRY_DEVICE ? !S_ISBLK(st.st_mode) : !S_ISCHR(st.st_mode))) {
		(void)error_set(err, ERROR_TARGET_TYPE, "",
				"%s is no longer the device it was when the service started",
				text_excerpt(path, quoted));
		return -ENODEV;
	}
	if ((flags & O_PATH) == O_PATH) {
		*ret_fd = TAKE_FD(fd);
		return 0;
	}
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	opened = open(self, (flags & ~O_NOFOLLOW) | O_CLOEXEC);
	if (opened < 0)
		return tell(err, path, errno);
	*ret_fd = opened;
	return 0;
}

int allow_open(const struct allow *allow, const char *path, int flags, int mode, int *ret_fd,
	       struct error *err)
{
	const struct entry *entry;
	const char *rest;
	int fd;

	entry = find_entry(allow, path, &rest, err);
	if (!entry)
		return -EACCES;
	if (entry->kind != ENTRY_DIRECTORY)
		return flags & O_CREAT ? tell(err, path, EEXIST)
				       : open_device(entry, path, flags, ret_fd, err);
	rest += strspn(rest, "/");
	fd = open_beneath(entry->fd, rest[0] ? rest : ".", flags, mode, RESOLVE_BENEATH);
	if (fd < 0)
		return tell(err, path, -fd);
	*ret_fd = fd;
	return 0;
}

int allow_open_parent(const struct allow *allow, const char *path, int *ret_dirfd,
		      const char **ret_name, struct error *err)
{
	const char *rest, *name = strrchr(path, '/');
	AUTO_FREE char *parent = NULL;
	const struct entry *entry;
	int fd;

	entry = find_entry(allow, path, &rest, err);
	if (!entry)
		return -EACCES;
	rest += strspn(rest, "/");
	name++; /* the path is absolute */
	if (entry->kind != ENTRY_DIRECTORY || rest[0] == '\0')
		return not_allowed(err, path, "is the allowed place itself; name a file in it");
	if (name[0] == '\0' || strcmp(name, ".") == 0) {
		(void)tell(err, path, ENOTDIR);
		return -ENOTDIR;
	}
	/* rest ends in name */
	parent = strndup(rest, strlen(rest) - strlen(name));
	if (!parent)
		return error_no_memory(err);
	fd = open_beneath(entry->fd, parent[0] ? parent : ".", O_PATH | O_DIRECTORY, 0,
			  RESOLVE_BENEATH);
	if (fd < 0)
		return tell(err, path, -fd);
	*ret_dirfd = fd;
	*ret_name = name;
	return 0;
}
