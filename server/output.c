/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.c - see output.h. */
#include "server/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "engine/base/file.h"

/* Opens the directory of a path; *ret_name points into it. */
static int open_parent(const char *path, int *ret_dirfd, const char **ret_name, struct error *err)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *parent = NULL;
	int fd;

	if (!slash)
		parent = strdup(".");
	else
		parent = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!parent)
		return error_no_memory(err);
	*ret_name = slash ? slash + 1 : path;
	if (!file_name_ok(*ret_name))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--json %s: that is no name for a file.", path);
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set_sys(err, ERROR_BAD_PARAMETER, errno, "--json: opening %s", parent);
	*ret_dirfd = fd;
	return 0;
}

int output_check(const char *path, struct error *err)
{
	AUTO_CLOSE int dirfd = -1;
	const char *name;
	int r;

	if (strcmp(path, "-") == 0)
		return 0;
	r = open_parent(path, &dirfd, &name, err);
	if (r == 0 && faccessat(dirfd, ".", W_OK, 0) < 0)
		r = error_set_sys(err, ERROR_BAD_PARAMETER, errno, "--json: writing to %s", path);
	return r;
}

int output_document(const char *path, const char *text, size_t size, struct error *err)
{
	AUTO_CLOSE int dirfd = -1;
	AUTO_FREE char *whole = NULL;
	const char *name;
	int r;

	while (size > 0 && text[size - 1] == '\n')
		size--;
	if (strcmp(path, "-") == 0) {
		if (fwrite(text, 1, size, stdout) != size || fputc('\n', stdout) == EOF ||
		    fflush(stdout) != 0)
			return error_set_sys(err, ERROR_SYSTEM, errno, "Writing standard output");
		return 0;
	}
	whole = malloc(size + 1);
	if (!whole)
		return error_no_memory(err);
	memcpy(whole, text, size);
	whole[size] = '\n';
	r = open_parent(path, &dirfd, &name, err);
	if (r < 0)
		return r;
	r = file_write(dirfd, name, whole, size + 1, 0666);
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "Writing %s", path) : 0;
}
