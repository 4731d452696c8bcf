/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manifest.c - see manifest.h. The text is rewritten whole by file_write(), so a crash leaves the
 * one before or the one after. The sweep stands in manifest_sweep.c.
 */
#include "engine/target/manifest_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine/base/file.h"
#include "engine/zfs/dataset.h"

#define HEADER "volbench.manifest/1"
#define FILE_BYTES ((size_t)256 << 20) /* far more than the largest run can note */

/* ---- entries ---- */

static void free_from(struct manifest *manifest, size_t first)
{
	for (size_t i = first; i < manifest->count; i++)
		free(manifest->entries[i].path);
	manifest->count = first;
}

static bool is_intended_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && strncmp(name + 1, MANIFEST_PREFIX, strlen(MANIFEST_PREFIX)) == 0;
}

/* Of what a run makes on OpenZFS: beneath a parent, by our naming. */
static bool is_made_dataset(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && zfs_name_ok(path) &&
	       strncmp(name + 1, ZFS_MADE_PREFIX, strlen(ZFS_MADE_PREFIX)) == 0;
}

static bool is_name_for(enum entry_kind kind, const char *path)
{
	switch (kind) {
	case ENTRY_DATASET:
		return is_made_dataset(path);
	case ENTRY_INTEND:
	case ENTRY_TREE:
		if (!is_intended_name(path))
			return false;
		break;
	case ENTRY_MADE:
		break;
	}
	return path[0] == '/' && !strchr(path, '\n') && strlen(path) < PATH_MAX;
}

static int add(struct manifest *manifest, enum entry_kind kind,
	       const struct system_identity *identity, const char *path)
{
	struct entry *grown;

	if (!is_name_for(kind, path))
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

/* ---- text ---- */

/* The word a line begins with. */
static const char *const entry_words[] = {
	[ENTRY_INTEND] = "intend",
	[ENTRY_MADE] = "made",
	[ENTRY_TREE] = "tree",
	[ENTRY_DATASET] = "dataset",
};

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
			(void)fprintf(f, "%s %s\n", entry_words[entry->kind], entry->path);
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

/* What stands behind the word and a blank; NULL: another word. */
static const char *behind(const char *line, const char *word)
{
	size_t length = strlen(word);

	return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static int parse_made(struct manifest *manifest, const char *line)
{
	unsigned int device_major, device_minor;
	struct system_identity identity;
	int path_at = 0;

	if (sscanf(line, "%u:%u %" SCNu64 " %" SCNu64 " %n", &device_major, &device_minor,
		   &identity.inode, &identity.birth_ns, &path_at) != 4 ||
	    path_at == 0)
		return -EBADMSG;
	identity.device = makedev(device_major, device_minor);
	return add(manifest, ENTRY_MADE, &identity, line + path_at);
}

static int parse_line(struct manifest *manifest, const char *line)
{
	for (size_t kind = 0; kind < ARRAY_SIZE(entry_words); kind++) {
		const char *rest = behind(line, entry_words[kind]);

		if (rest)
			return kind == ENTRY_MADE
				       ? parse_made(manifest, rest)
				       : add(manifest, (enum entry_kind)kind, NULL, rest);
	}
	return -EBADMSG;
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

int manifest_load(int dirfd, const char *name, struct manifest *ret_manifest)
{
	AUTO_FREE char *text = NULL;
	size_t size, length = strlen(name);
	int r;

	*ret_manifest = (struct manifest){.dirfd = dirfd};
	if (length >= sizeof(ret_manifest->name))
		return -ENAMETOOLONG;
	memcpy(ret_manifest->name, name, length + 1);
	r = file_read(dirfd, name, FILE_BYTES, &text, &size);
	return r < 0 ? r : parse(ret_manifest, text, size);
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
	(void)snprintf(manifest->name, sizeof(manifest->name), "%s" MANIFEST_SUFFIX,
		       run_id); /* fits */
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
		r = add(manifest, ENTRY_INTEND, NULL, paths[i]);
	if (r == 0)
		r = save(manifest);
	if (r < 0)
		free_from(manifest, before);
	return r;
}

static int intend_one(struct manifest *manifest, enum entry_kind kind, const char *path)
{
	size_t before = manifest->count;
	int r = add(manifest, kind, NULL, path);

	if (r == 0)
		r = save(manifest);
	if (r < 0)
		free_from(manifest, before);
	return r;
}

int manifest_intend_tree(struct manifest *manifest, const char *path)
{
	return intend_one(manifest, ENTRY_TREE, path);
}

int manifest_intend_dataset(struct manifest *manifest, const char *name)
{
	return intend_one(manifest, ENTRY_DATASET, name);
}

int manifest_directory(const struct manifest *manifest)
{
	return manifest->dirfd;
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

void manifest_forget(struct manifest *manifest, size_t index)
{
	free(manifest->entries[index].path);
	manifest->entries[index] = manifest->entries[--manifest->count];
}

void manifest_removed(struct manifest *manifest, const char *path)
{
	for (size_t i = 0; manifest && i < manifest->count;) {
		if (strcmp(manifest->entries[i].path, path) == 0)
			manifest_forget(manifest, i);
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

void manifest_release(struct manifest *manifest)
{
	free_from(manifest, 0);
	free(manifest->entries);
	manifest->entries = NULL;
}

void manifest_free(struct manifest *manifest)
{
	if (!manifest)
		return;
	manifest_release(manifest);
	free(manifest);
}

int manifest_tell(int r, const char *what, struct error *err)
{
	return error_set_sys(err, r == -ENOSPC || r == -EDQUOT ? ERROR_STORAGE_FULL : ERROR_SYSTEM,
			     -r, "%s", what);
}
