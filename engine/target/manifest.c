/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest.c - see manifest.h. The text is rewritten whole by file_write(), so a crash leaves the
 * one before or the one after.
 * Length: the text, its reader and its sweep share one list of entries.
 */
#include "engine/target/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/target/system.h"
#include "engine/target/tree.h"

#define HEADER "volbench.manifest/1"
#define SUFFIX ".manifest"
#define SET_ASIDE "set-aside"
#define SET_ASIDE_TRIES 1000
#define FILE_BYTES ((size_t)256 << 20) /* far more than the largest run can note */

enum entry_kind { ENTRY_INTEND, ENTRY_MADE, ENTRY_TREE };

struct entry {
	enum entry_kind kind;
	struct system_identity identity;
	char *path;
};

struct manifest {
	int dirfd;
	char name[MANIFEST_RUN_ID_BYTES + sizeof(SUFFIX)];
	size_t count;
	struct entry *entries;
};

/* ---- entries ---- */

static void free_from(struct manifest *manifest, size_t first)
{
	for (size_t i = first; i < manifest->count; i++)
		free(manifest->entries[i].path);
	manifest->count = first;
}

static int add(struct manifest *manifest, enum entry_kind kind,
	       const struct system_identity *identity, const char *path)
{
	struct entry *grown;

	if (path[0] != '/' || strchr(path, '\n') || strlen(path) >= PATH_MAX)
		return -EINVAL;
	grown = reallocarray(manifest->entries, manifest->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	manifest->entries = grown;
	grown[manifest->count].path = strdup(path);
	if (!grown[manifest->count].path)
		return -ENOMEM;
	grown[manifest->count].kind = kind;
	grown[manifest->count].identity = identity ? *identity : (struct system_identity){0};
	manifest->count++;
	return 0;
}

static bool is_intended_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && strncmp(name + 1, MANIFEST_PREFIX, strlen(MANIFEST_PREFIX)) == 0;
}

/* ---- text ---- */

static int format(const struct manifest *manifest, char **ret_text, size_t *ret_size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_size);
	bool failed;

	if (!f)
		return -ENOMEM;
	(void)fprintf(f, HEADER "\n"); /* ferror() below sees all of them */
	for (size_t i = 0; i < manifest->count; i++) {
		const struct entry *entry = &manifest->entries[i];

		if (entry->kind == ENTRY_MADE)
			(void)fprintf(f, "made %u:%u %" PRIu64 " %" PRIu64 " %s\n",
				      major(entry->identity.device), minor(entry->identity.device),
				      entry->identity.inode, entry->identity.birth_ns, entry->path);
		else
			(void)fprintf(f, "%s %s\n", entry->kind == ENTRY_TREE ? "tree" : "intend",
				      entry->path);
	}
	failed = ferror(f) != 0;
	if (fclose(f) != 0 || failed) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	return 0;
}

static int save(const struct manifest *manifest)
{
	AUTO_FREE char *text = NULL;
	size_t size;
	int r;

	r = format(manifest, &text, &size);
	if (r < 0)
		return r;
	return file_write(manifest->dirfd, manifest->name, text, size, 0600);
}

static int parse_line(struct manifest *manifest, const char *line)
{
	unsigned int device_major, device_minor;
	struct system_identity identity;
	int path_at = 0;

	if (strncmp(line, "intend ", 7) == 0)
		return is_intended_name(line + 7) ? add(manifest, ENTRY_INTEND, NULL, line + 7)
						  : -EBADMSG;
	if (strncmp(line, "tree ", 5) == 0)
		return is_intended_name(line + 5) ? add(manifest, ENTRY_TREE, NULL, line + 5)
						  : -EBADMSG;
	if (sscanf(line, "made %u:%u %" SCNu64 " %" SCNu64 " %n", &device_major, &device_minor,
		   &identity.inode, &identity.birth_ns, &path_at) != 4 ||
	    path_at == 0)
		return -EBADMSG;
	identity.device = makedev(device_major, device_minor);
	return add(manifest, ENTRY_MADE, &identity, line + path_at);
}

/* -EBADMSG where the text is not a manifest, whole to its last newline. */
static int parse(struct manifest *manifest, char *text, size_t size)
{
	char *line;

	if (strlen(text) != size || size == 0 || text[size - 1] != '\n')
		return -EBADMSG;
	text[size - 1] = '\0';
	line = strsep(&text, "\n");
	if (strcmp(line, HEADER) != 0)
		return -EBADMSG;
	while ((line = strsep(&text, "\n"))) {
		int r = parse_line(manifest, line);

		if (r < 0)
			return r == -EINVAL ? -EBADMSG : r;
	}
	return 0;
}

/* ---- a run's own ---- */

bool manifest_run_id_ok(const char *run_id)
{
	size_t length = strlen(run_id);

	return length > 0 && length <= MANIFEST_RUN_ID_BYTES && run_id[0] != '.' &&
	       strspn(run_id,
		      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
		       length;
}

int manifest_new(int dirfd, const char *run_id, struct manifest **ret_manifest)
{
	struct manifest *manifest;
	int r;

	if (!manifest_run_id_ok(run_id))
		return -EINVAL;
	manifest = calloc(1, sizeof(*manifest));
	if (!manifest)
		return -ENOMEM;
	manifest->dirfd = dirfd;
	(void)snprintf(manifest->name, sizeof(manifest->name), "%s" SUFFIX, run_id); /* fits */
	r = file_write_new(dirfd, manifest->name, HEADER "\n", strlen(HEADER "\n"), 0600);
	if (r < 0) {
		manifest_free(manifest);
		return r;
	}
	*ret_manifest = manifest;
	return 0;
}

int manifest_intend(struct manifest *manifest, const char *const *paths, size_t count)
{
	size_t before = manifest->count;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = is_intended_name(paths[i]) ? add(manifest, ENTRY_INTEND, NULL, paths[i])
					       : -EINVAL;
	if (r == 0)
		r = save(manifest);
	if (r < 0)
		free_from(manifest, before);
	return r;
}

int manifest_intend_tree(struct manifest *manifest, const char *path)
{
	size_t before = manifest->count;
	int r = is_intended_name(path) ? add(manifest, ENTRY_TREE, NULL, path) : -EINVAL;

	if (r == 0)
		r = save(manifest);
	if (r < 0)
		free_from(manifest, before);
	return r;
}

int manifest_made(struct manifest *manifest, const struct manifest_made *made, size_t count)
{
	struct system_identity identity;
	size_t before = manifest->count;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++) {
		r = system_identity(made[i].fd, &identity);
		if (r == 0)
			r = add(manifest, ENTRY_MADE, &identity, made[i].path);
	}
	if (r == 0)
		r = save(manifest);
	if (r < 0)
		free_from(manifest, before);
	return r;
}

/* Order does not matter: the last one takes the place of the one that goes. */
static void forget(struct manifest *manifest, size_t index)
{
	free(manifest->entries[index].path);
	manifest->entries[index] = manifest->entries[--manifest->count];
}

void manifest_removed(struct manifest *manifest, const char *path)
{
	for (size_t i = 0; i < manifest->count;) {
		if (strcmp(manifest->entries[i].path, path) == 0)
			forget(manifest, i);
		else
			i++;
	}
}

int manifest_finish(struct manifest *manifest)
{
	if (manifest->count == 0)
		return file_remove(manifest->dirfd, manifest->name);
	return save(manifest);
}

void manifest_free(struct manifest *manifest)
{
	if (!manifest)
		return;
	free_from(manifest, 0);
	free(manifest->entries);
	free(manifest);
}

int manifest_tell(int r, const char *what, struct error *err)
{
	return error_set_sys(err, r == -ENOSPC || r == -EDQUOT ? ERROR_STORAGE_FULL : ERROR_SYSTEM,
			     -r, "%s", what);
}

/* ---- the sweep ---- */

struct sweep {
	int dirfd;
	const struct allow *allow;
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

static enum fate remove_entry(const struct sweep *sweep, const struct entry *entry, char *why,
			      size_t size)
{
	AUTO_CLOSE int parent = -1, fd = -1;
	struct system_identity identity;
	struct error err = {0};
	const char *name;
	int r;

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
			     "an earlier run left it; it is removed");
			break;
		case FATE_GONE:
			break;
		}
		forget(manifest, i);
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
	return r == -EBADMSG || r == -EFBIG || r == -EISDIR || r == -ELOOP || r == -EINVAL;
}

static void sweep_manifest(struct sweep *sweep, const char *name)
{
	struct manifest manifest = {.dirfd = sweep->dirfd};
	AUTO_FREE char *text = NULL;
	size_t size, length = strlen(name);
	int r;

	if (length >= sizeof(manifest.name)) {
		set_aside(sweep, name);
		return;
	}
	memcpy(manifest.name, name, length + 1);
	r = file_read(sweep->dirfd, name, FILE_BYTES, &text, &size);
	if (r == 0)
		r = parse(&manifest, text, size);
	if (is_unreadable(r)) {
		set_aside(sweep, name);
		r = 0;
	} else if (r == 0) {
		sweep_entries(sweep, &manifest);
		r = manifest_finish(&manifest);
	}
	if (r < 0)
		fail(sweep, r, name);
	free_from(&manifest, 0);
	free(manifest.entries);
}

static bool is_manifest(const char *name)
{
	size_t length = strlen(name);

	return name[0] != '.' && length > strlen(SUFFIX) &&
	       strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static bool lists(int dirfd, const char *name, const char *path)
{
	struct manifest manifest = {.dirfd = dirfd};
	AUTO_FREE char *text = NULL;
	bool found = false;
	size_t size;

	if (file_read(dirfd, name, FILE_BYTES, &text, &size) == 0 &&
	    parse(&manifest, text, size) == 0)
		for (size_t i = 0; i < manifest.count && !found; i++)
			found = manifest.entries[i].kind == ENTRY_MADE &&
				strcmp(manifest.entries[i].path, path) == 0;
	free_from(&manifest, 0);
	free(manifest.entries);
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

int manifest_sweep(int dirfd, const struct allow *allow, struct findings *findings,
		   struct error *err)
{
	struct sweep sweep = {.dirfd = dirfd, .allow = allow, .findings = findings, .err = err};
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
	return sweep.result;
}
