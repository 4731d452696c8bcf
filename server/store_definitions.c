/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_definitions.c - saved definitions: a file each, read from disk every time (they are few).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "server/store_private.h"

#define NAME_MAX_BYTES 64
#define SUFFIX ".json"
#define FILE_NAME_MAX (NAME_MAX_BYTES + sizeof(SUFFIX))

bool store_definition_name_ok(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";
	size_t length = strlen(name);

	return length > 0 && length <= NAME_MAX_BYTES && name[0] != '.' &&
	       strspn(name, allowed) == length;
}

static int file_name_of(const char *name, char file[FILE_NAME_MAX], struct error *err)
{
	if (!store_definition_name_ok(name))
		return error_set(
			err, ERROR_BAD_NAME, "",
			"a definition's name is 1 to %d of A-Z a-z 0-9 . _ -, and does not "
			"begin with a dot",
			NAME_MAX_BYTES);
	(void)snprintf(file, FILE_NAME_MAX, "%s" SUFFIX, name);
	return 0;
}

static int no_definition(const char *name, struct error *err)
{
	(void)error_set(err, ERROR_NOT_FOUND, "", "there is no saved definition \"%s\"", name);
	return -ENOENT;
}

int store_get_definition(struct store *store, const char *name, char **ret_text, struct error *err)
{
	char file[FILE_NAME_MAX];
	int r;

	r = file_name_of(name, file, err);
	if (r < 0)
		return r;
	r = file_read(store->definitions_fd, file, RUN_TEXT_MAX, ret_text, NULL);
	if (r == -ENOENT)
		return no_definition(name, err);
	if (r == -ENOMEM)
		return error_no_memory(err);
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "definition %s", name) : 0;
}

/* 0, also where there is none; UNSUPPORTED_SCHEMA where a newer version of the program saved it. */
static int may_replace(struct store *store, const char *name, bool *ret_there, struct error *err)
{
	AUTO_FREE char *text = NULL;
	struct error why = {0};
	int r = store_get_definition(store, name, &text, &why);

	*ret_there = r == 0;
	if (r == 0 && document_is_newer(text, strlen(text), "volbench.definition", 1))
		return error_set(
			err, ERROR_UNSUPPORTED_SCHEMA, "",
			"a newer version of this program saved the definition \"%s\"; here "
			"it can only be read",
			name);
	if (r < 0 && r != -ENOENT) {
		if (err)
			*err = why;
		return r;
	}
	return 0;
}

int store_put_definition(struct store *store, const char *name, const char *text, bool *ret_created,
			 struct error *err)
{
	char file[FILE_NAME_MAX];
	char **names = NULL;
	size_t count = 0;
	bool there = false;
	int r;

	r = file_name_of(name, file, err);
	if (r == 0)
		r = may_replace(store, name, &there, err);
	if (r == 0 && !there) {
		r = store_list_definitions(store, &names, &count);
		for (size_t i = 0; r == 0 && i < count; i++)
			free(names[i]);
		free(names);
		if (r < 0)
			return error_set_sys(err, ERROR_SYSTEM, -r, "definitions");
		if (count >= STORE_DEFINITIONS_MAX)
			return error_set(err, ERROR_TOO_MANY, "",
					 "%d definitions are saved, which is the most; remove one "
					 "first",
					 STORE_DEFINITIONS_MAX);
	}
	if (r < 0)
		return r;
	r = store_keep(store, store->definitions_fd, file, text, strlen(text), err);
	if (r == 0)
		*ret_created = !there;
	return r;
}

int store_remove_definition(struct store *store, const char *name, struct error *err)
{
	char file[FILE_NAME_MAX];
	bool there = false;
	int r;

	r = file_name_of(name, file, err);
	if (r == 0)
		r = may_replace(store, name, &there, err);
	if (r < 0)
		return r;
	if (!there)
		return no_definition(name, err);
	if (store_read_only(store))
		return store_tell(store, -EROFS, name, err);
	r = file_remove(store->definitions_fd, file);
	return r < 0 ? store_tell(store, r, name, err) : 0;
}

static int by_name(const void *a, const void *b)
{
	const char *const *left = a, *const *right = b;

	return strcmp(*left, *right);
}

/* The name a file is for: heap, NULL with errno 0 where it is no definition. */
static char *name_of_file(const char *file)
{
	size_t length = strlen(file), suffix = strlen(SUFFIX);
	char *name;

	errno = 0;
	if (length <= suffix || strcmp(file + length - suffix, SUFFIX) != 0)
		return NULL;
	name = strndup(file, length - suffix);
	if (name && !store_definition_name_ok(name)) {
		free(name);
		errno = 0;
		return NULL;
	}
	return name;
}

static int gather_names(DIR *directory, char ***ret_names, size_t *ret_count)
{
	const struct dirent *file;

	while ((file = readdir(directory))) {
		char *name = name_of_file(file->d_name), **longer;

		if (!name && errno == 0)
			continue;
		longer = reallocarray(*ret_names, *ret_count + 1, sizeof(*longer));
		if (longer)
			*ret_names = longer;
		if (!name || !longer) {
			free(name);
			return -ENOMEM;
		}
		(*ret_names)[(*ret_count)++] = name;
	}
	return 0;
}

int store_list_definitions(struct store *store, char ***ret_names, size_t *ret_count)
{
	int fd = openat(store->definitions_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	char **names = NULL;
	size_t count = 0;
	int r;

	if (!directory) {
		r = -errno;
		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	r = gather_names(directory, &names, &count);
	(void)closedir(directory);
	if (r < 0) {
		for (size_t i = 0; i < count; i++)
			free(names[i]);
		free(names);
		return r;
	}
	if (count > 0)
		qsort(names, count, sizeof(*names), by_name);
	*ret_names = names;
	*ret_count = count;
	return 0;
}
