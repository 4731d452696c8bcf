/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest_sweep.c - what dead runs left is removed (manifest.h: manifest_sweep), and what a living
 * one has made is found (manifest_lists).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/target/manifest_parts.h"
#include "engine/target/tree.h"
#include "engine/target/volume.h"
#include "engine/zfs/name.h"

#define SET_ASIDE "set-aside"
#define SET_ASIDE_TRIES 1000

struct sweep {
	int dirfd;
	const struct allow *allow;
	const struct zfs_patience *patience;
	char run_id[MANIFEST_RUN_ID_BYTES + 1]; /* of the manifest at hand */
	char destroyed[ZFS_NAME_BYTES];		/* the dataset that was last, or "" */
	struct findings *findings;
	int result; /* the first error */
	struct error *err;
};

/* What became of an entry. */
enum fate {
	FATE_GONE, /* was not there */
	FATE_REMOVED,
	FATE_FOREIGN, /* something else is there: ours no longer */
	FATE_KEPT,    /* could not be removed now */
};

static void fail(struct sweep *sweep, int r, const char *what)
{
	if (sweep->result < 0)
		return;
	sweep->result = r;
	(void)error_set_sys(sweep->err, ERROR_SYSTEM, -r, "%s", what);
}

static void tell(struct sweep *sweep, enum finding_severity severity, const char *code,
		 const char *path, const char *text)
{
	char shown[512];
	int r;

	r = findings_add(sweep->findings, severity, code, NULL, NULL, NULL, NULL, "%s: %s",
			 text_clean(path, shown, sizeof(shown)), text);
	if (r < 0)
		fail(sweep, r, "telling what a dead run left");
}

/* The directory's fsync comes before the manifest forgets the file. */
static int unlink_durably(int parent, const char *name)
{
	return unlinkat(parent, name, 0) < 0 ? -errno : file_sync_directory(parent);
}

static enum fate remove_tree(int parent, const char *name, char *why, size_t size)
{
	struct stat st;
	int r;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return FATE_GONE;
	r = tree_sweep(parent, name);
	if (r == 0)
		return FATE_REMOVED;
	if (r == -ENOTDIR) {
		(void)snprintf(why, size, "is not the directory the run made; it is left as it is");
		return FATE_FOREIGN;
	}
	if (r == -ENOTEMPTY)
		(void)snprintf(why, size,
			       "holds something that is not the run's; take that out of it");
	else
		(void)snprintf(why, size, "cannot be removed: %s", strerrordesc_np(-r));
	return FATE_KEPT;
}

/* Once for all that was destroyed in a pool, so that a sweep that has not the time for it has at
 * least destroyed them all. */
static void await_freed(struct sweep *sweep, const char *next)
{
	char before[ZFS_NAME_BYTES], after[ZFS_NAME_BYTES];

	if (sweep->destroyed[0] &&
	    strcmp(zfs_name_pool(sweep->destroyed, before), zfs_name_pool(next, after)) != 0)
		volume_await_freed(sweep->destroyed, sweep->patience);
	(void)snprintf(sweep->destroyed, sizeof(sweep->destroyed), "%s", next); /* fits */
}

static enum fate remove_dataset(struct sweep *sweep, const char *name, char *why, size_t size)
{
	struct error err = {0};
	bool removed;
	int r = volume_sweep(sweep->dirfd, sweep->allow, name, sweep->run_id, sweep->patience,
			     &removed, &err);

	if (r == 0 && removed)
		await_freed(sweep, name);
	if (r == 0)
		return removed ? FATE_REMOVED : FATE_GONE;
	(void)snprintf(why, size, "%s", err.message);
	return r == -EPERM ? FATE_FOREIGN : FATE_KEPT;
}

static enum fate remove_entry(struct sweep *sweep, const struct entry *entry, char *why,
			      size_t size)
{
	AUTO_CLOSE int parent = -1, fd = -1;
	struct system_identity identity;
	struct error err = {0};
	const char *name;
	int r;

	if (entry->kind == ENTRY_DATASET)
		return remove_dataset(sweep, entry->path, why, size);
	r = allow_open_parent(sweep->allow, entry->path, &parent, &name, &err);
	if (r < 0) {
		(void)snprintf(why, size, "%s", err.message);
		return FATE_KEPT; /* also a missing directory: perhaps not mounted yet */
	}
	if (entry->kind == ENTRY_TREE)
		return remove_tree(parent, name, why, size);
	fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return FATE_GONE;
	r = fd < 0 ? -errno : system_identity(fd, &identity);
	if (r == -EINVAL ||
	    (r == 0 && entry->kind == ENTRY_MADE && !system_same(&identity, &entry->identity))) {
		(void)snprintf(why, size, "is not the file the run made; it is left as it is");
		return FATE_FOREIGN;
	}
	if (r == 0)
		r = unlink_durably(parent, name);
	if (r < 0) {
		(void)snprintf(why, size, "cannot be removed: %s", strerrordesc_np(-r));
		return FATE_KEPT;
	}
	return FATE_REMOVED;
}

static void sweep_entries(struct sweep *sweep, struct manifest *manifest)
{
	char why[ERROR_MESSAGE_MAX];

	for (size_t i = 0; i < manifest->count;) {
		const struct entry *entry = &manifest->entries[i];

		switch (remove_entry(sweep, entry, why, sizeof(why))) {
		case FATE_KEPT:
			tell(sweep, FINDING_WARNING, "left", entry->path, why); /* tried again */
			i++;
			continue;
		case FATE_FOREIGN:
			tell(sweep, FINDING_WARNING, "left", entry->path, why);
			break;
		case FATE_REMOVED:
			tell(sweep, FINDING_INFO, "removed", entry->path,
			     "a run had left it behind; it is removed");
			break;
		case FATE_GONE:
			break;
		}
		manifest_forget(manifest, i);
	}
}

static void set_aside(struct sweep *sweep, const char *name)
{
	AUTO_CLOSE int aside = -1;
	char new_name[NAME_MAX + 1];
	int r, length;

	r = file_open_directory(sweep->dirfd, SET_ASIDE, &aside);
	for (int i = 0; r == 0 && i < SET_ASIDE_TRIES; i++) {
		length = i == 0 ? snprintf(new_name, sizeof(new_name), "%s", name)
				: snprintf(new_name, sizeof(new_name), "%s.%d", name, i);
		if (length >= (int)sizeof(new_name))
			r = -ENAMETOOLONG;
		else
			r = file_move(sweep->dirfd, name, aside, new_name);
		if (r != -EEXIST)
			break;
		r = i + 1 == SET_ASIDE_TRIES ? -EEXIST : 0;
	}
	if (r < 0)
		fail(sweep, r, "setting aside a manifest that cannot be read");
	tell(sweep, FINDING_WARNING, "set_aside", name,
	     "this record of what a run made cannot be read; it lies in " SET_ASIDE
	     " now, and what it named must be removed by hand");
}

/* Not a manifest, and never going to be one. */
static bool is_unreadable(int r)
{
	return r == -EBADMSG || r == -ENAMETOOLONG || r == -EFBIG || r == -EISDIR || r == -ELOOP ||
	       r == -EINVAL;
}

static void sweep_manifest(struct sweep *sweep, const char *name)
{
	struct manifest manifest;
	int r = manifest_load(sweep->dirfd, name, &manifest);

	if (is_unreadable(r)) {
		set_aside(sweep, name);
		r = 0;
	} else if (r == 0) {
		(void)snprintf(sweep->run_id, sizeof(sweep->run_id), "%.*s",
			       (int)(strlen(name) - strlen(MANIFEST_SUFFIX)), name); /* fits */
		sweep_entries(sweep, &manifest);
		r = manifest_finish(&manifest);
	}
	if (r < 0)
		fail(sweep, r, name);
	manifest_release(&manifest);
}

static bool is_manifest(const char *name)
{
	size_t length = strlen(name);

	return name[0] != '.' && length > strlen(MANIFEST_SUFFIX) &&
	       strcmp(name + length - strlen(MANIFEST_SUFFIX), MANIFEST_SUFFIX) == 0;
}

static bool lists(int dirfd, const char *name, const char *path)
{
	struct manifest manifest;
	bool found = false;

	if (manifest_load(dirfd, name, &manifest) == 0)
		for (size_t i = 0; i < manifest.count && !found; i++)
			found = manifest.entries[i].kind == ENTRY_MADE &&
				strcmp(manifest.entries[i].path, path) == 0;
	manifest_release(&manifest);
	return found;
}

bool manifest_lists(int dirfd, const char *path)
{
	struct dirent **entries = NULL;
	int count = scandirat(dirfd, ".", &entries, NULL, alphasort);
	bool found = false;

	for (int i = 0; i < count; i++) {
		if (!found && is_manifest(entries[i]->d_name))
			found = lists(dirfd, entries[i]->d_name, path);
		free(entries[i]);
	}
	free(entries);
	return found;
}

int manifest_sweep(int dirfd, const struct allow *allow, const struct zfs_patience *patience,
		   struct findings *findings, struct error *err)
{
	struct sweep sweep = {
		.dirfd = dirfd,
		.allow = allow,
		.patience = patience,
		.findings = findings,
		.err = err,
	};
	struct dirent **entries = NULL;
	int count, r = file_sweep_temporary(dirfd, NULL);

	if (r < 0)
		fail(&sweep, r, "removing half-written manifests");
	/* Listed first: the sweep changes the directory it reads. */
	count = scandirat(dirfd, ".", &entries, NULL, alphasort);
	if (count < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "the engine's directory");
	for (int i = 0; i < count; i++) {
		if (is_manifest(entries[i]->d_name))
			sweep_manifest(&sweep, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	await_freed(&sweep, "");
	return sweep.result;
}
