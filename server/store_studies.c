/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_studies.c - reports of studies, which come with the program: STATE/studies/NAME. What an
 * older program drew is not shown: each service draws anew those that are asked for.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "server/store_private.h"

/* Without its index.html a report is none. */
void store_forget_studies(struct store *store)
{
	int copy = dup(store->studies_fd);
	const struct dirent *entry;
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);

	if (!directory && copy >= 0)
		(void)close(copy);
	while (directory && (entry = readdir(directory)) != NULL) {
		int fd = -1;

		if (entry->d_name[0] != '.')
			fd = openat(store->studies_fd, entry->d_name,
				    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		(void)unlinkat(fd, "index.html", 0); /* where it stays it is an old one's */
		(void)close(fd);
	}
	if (directory)
		(void)closedir(directory);
}

int store_open_study(struct store *store, const char *name, int *ret_dirfd)
{
	return store_definition_name_ok(name)
		       ? file_open_directory(store->studies_fd, name, ret_dirfd)
		       : -ENOENT;
}

int store_read_study(struct store *store, const char *name, const char *file, char **ret_data,
		     size_t *ret_size)
{
	AUTO_CLOSE int fd = -1;

	if (!store_definition_name_ok(name) || !file_name_ok(file))
		return -ENOENT;
	fd = openat(store->studies_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : file_read(fd, file, REPORT_FILE_MAX, ret_data, ret_size);
}
