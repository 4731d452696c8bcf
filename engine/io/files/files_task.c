/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files_task.c - see files_task.h: a task done in the calling thread. The ring is uring_files.c. */
#include "engine/io/files/files_task.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static bool fail(struct file_task *task, const char *call)
{
	if (task->error == 0) {
		task->error = errno;
		task->call = call;
	}
	return false;
}

static bool move(struct file_task *task, int fd, bool writes)
{
	ssize_t n;

	if (task->bytes == 0)
		return true;
	do {
		n = writes ? pwrite(fd, task->data, task->bytes, 0)
			   : pread(fd, task->buffer, task->bytes, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail(task, writes ? "write" : "read");
	task->moved = (uint64_t)n;
	return true;
}

static bool sync_file(struct file_task *task, int fd)
{
	if (task->sync == FILE_SYNC_ALL && fsync(fd) < 0)
		return fail(task, "fsync");
	if (task->sync == FILE_SYNC_DATA && fdatasync(fd) < 0)
		return fail(task, "fdatasync");
	return true;
}

static void with_open_file(struct file_task *task, int flags, bool reads, bool writes)
{
	int fd;

	do {
		fd = openat(task->directory, task->name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		(void)fail(task, "open");
		return;
	}
	if ((!reads || move(task, fd, false)) && (!writes || move(task, fd, true)) && writes)
		(void)sync_file(task, fd); /* noted in the task */
	if (close(fd) < 0)
		(void)fail(task, "close");
}

bool files_task_whole(const struct file_task *task)
{
	if (task->error != 0)
		return false;
	switch (task->operation) {
	case FILE_CREATE:
		return !task->moves || task->moved == task->bytes;
	case FILE_WRITE:
	case FILE_READ:
		return task->moved == task->bytes;
	case FILE_STAT:
		return S_ISREG(task->found.stx_mode) && task->found.stx_size == task->bytes;
	case FILE_RENAME:
	case FILE_DELETE:
	case FILE_OPERATION_COUNT:
		break;
	}
	return true;
}

void files_task_perform(struct file_task *task)
{
	task->error = 0;
	task->moved = 0;
	switch (task->operation) {
	case FILE_CREATE:
		with_open_file(task, O_WRONLY | O_CREAT | O_EXCL, false, task->moves);
		break;
	case FILE_WRITE:
		with_open_file(task, O_WRONLY, false, true);
		break;
	case FILE_READ:
		with_open_file(task, O_RDONLY, true, false);
		break;
	case FILE_STAT:
		if (statx(task->directory, task->name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS,
			  &task->found) < 0)
			(void)fail(task, "statx");
		break;
	case FILE_RENAME:
		/* A foreign file of the new name is not replaced. */
		if (renameat2(task->directory, task->name, task->directory, task->new_name,
			      task->may_replace ? 0 : RENAME_NOREPLACE) < 0)
			(void)fail(task, "rename");
		break;
	case FILE_DELETE:
		if (unlinkat(task->directory, task->name, 0) < 0)
			(void)fail(task, "unlink");
		break;
	case FILE_OPERATION_COUNT:
		break;
	}
}
