/* SPDX-License-Identifier: GPL-3.0-or-later */
/* output.c - see output.h. */
#include "server/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

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

static bool is_standard_output(const struct stat *st)
{
	struct stat own;

	return fstat(STDOUT_FILENO, &own) == 0 && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino;
}

/*
 * What a path stands for. A file, also one to come or behind symbolic links, is replaced whole:
 * *ret_file is its own path, the caller's to free. A pipe, a terminal or the like is written to and
 * stays: *ret_file is NULL.
 */
static int resolve(const char *path, char **ret_file, struct error *err)
{
	struct stat st, link;
	const char *what;

	*ret_file = NULL;
	if (stat(path, &st) < 0) {
		if (errno != ENOENT)
			return error_set_sys(err, ERROR_BAD_PARAMETER, errno, "--json: %s", path);
		if (lstat(path, &link) == 0)
			return error_set(err, ERROR_BAD_PARAMETER, "",
					 "--json: %s is a symbolic link to nothing.", path);
		*ret_file = strdup(path);
		return *ret_file ? 0 : error_no_memory(err);
	}
	if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode))
		return 0;
	if (S_ISREG(st.st_mode) && is_standard_output(&st))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--json: %s is standard output; say --json - for that.", path);
	if (S_ISREG(st.st_mode)) {
		*ret_file = realpath(path, NULL);
		return *ret_file
			       ? 0
			       : error_set_sys(err, ERROR_BAD_PARAMETER, errno, "--json: %s", path);
	}
	what = S_ISDIR(st.st_mode)   ? "a directory"
	       : S_ISBLK(st.st_mode) ? "a block device"
				     : "a socket";
	return error_set(err, ERROR_BAD_PARAMETER, "", "--json: %s is %s; name a file.", path,
			 what);
}

int output_check(const char *path, struct error *err)
{
	AUTO_FREE char *file = NULL;
	AUTO_CLOSE int dirfd = -1;
	const char *name;
	int r;

	if (strcmp(path, "-") == 0)
		return 0;
	r = resolve(path, &file, err);
	if (r < 0 || !file)
		return r;
	r = open_parent(file, &dirfd, &name, err);
	if (r == 0 && faccessat(dirfd, ".", W_OK, 0) < 0)
		r = error_set_sys(err, ERROR_BAD_PARAMETER, errno, "--json: writing to %s", path);
	return r;
}

/* To a pipe or a device: it is written to as it is. */
static int write_through(const char *path, const char *text, size_t size, struct error *err)
{
	/* Not to wait for ever for a pipe that nobody reads. */
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "Opening %s for writing", path);
	while (size > 0) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set_sys(err, ERROR_SYSTEM, n < 0 ? errno : EIO, "Writing %s",
					     path);
		text += n;
		size -= (size_t)n;
	}
	return 0;
}

int output_document(const char *path, const char *text, size_t size, struct error *err)
{
	AUTO_FREE char *file = NULL, *whole = NULL;
	AUTO_CLOSE int dirfd = -1;
	const char *name = NULL;
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
	r = resolve(path, &file, err);
	if (r == 0 && !file)
		return write_through(path, whole, size + 1, err);
	if (r == 0)
		r = open_parent(file, &dirfd, &name, err);
	if (r < 0)
		return r;
	r = file_write(dirfd, name, whole, size + 1, 0666);
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "Writing %s", path) : 0;
}

int output_check_directory(const char *path, struct error *err)
{
	int fd, r = file_open_directory_path(path, &fd);

	if (r < 0)
		return error_set_sys(err, ERROR_BAD_PARAMETER, -r, "--html: opening %s", path);
	if (faccessat(fd, ".", W_OK, 0) < 0)
		r = error_set_sys(err, ERROR_BAD_PARAMETER, errno, "--html: writing to %s", path);
	(void)close(fd); /* nothing was written to it */
	return r;
}
