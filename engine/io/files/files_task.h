/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files_task.h - one operation of a metadata workload on one file, and the two ways to do it.
 *
 * A task is one to four system calls on one file: create is openat, write, fsync, close, of which
 * the middle ones are left out where the task has no bytes or asks for no sync. Every call names
 * the file by its plain name in an open directory and follows no symbolic link; a file to be made
 * must be new (O_EXCL).
 *
 * files_task_perform() does it in the calling thread. A ring (uring_files.c) does many at once: the
 * calls of a task are linked, so that the kernel goes on with the next one by itself, and the file
 * is open in a slot of the ring's own table, never as a descriptor of the process:
 *   files_ring_open -> { files_ring_put for idle slots; files_ring_exchange; files_ring_next until
 *   false } -> files_ring_close
 * A task and its memory belong to the ring from put until next has told its slot.
 *
 * Threads: a ring has one user, who also opens and closes it.
 */
#ifndef ENGINE_IO_FILES_FILES_TASK_H
#define ENGINE_IO_FILES_FILES_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "engine/io/files/files_plan.h"

enum file_sync { FILE_SYNC_NONE, FILE_SYNC_ALL, FILE_SYNC_DATA };

struct file_task {
	enum file_operation operation;
	bool moves;	     /* create: it writes its bytes */
	enum file_sync sync; /* of what was written */
	bool may_replace;    /* rename: the file system has no rename that never replaces */
	int directory;
	char name[FILES_NAME_MAX], new_name[FILES_NAME_MAX];
	uint64_t bytes;
	const void *data; /* to write */
	void *buffer;	  /* to read into: of `bytes` */
	struct statx found;
	/* what became of it */
	int error;	  /* errno of the first call that failed; 0 */
	const char *call; /* which */
	uint64_t moved;	  /* bytes written or read */
};

/* Whether it did all: otherwise `error` is not 0, or it is of another size than it should be. */
bool files_task_whole(const struct file_task *task);

void files_task_perform(struct file_task *task);

/* Whether this kernel's io_uring knows all that tasks need: else -EOPNOTSUPP and what is missing.
 * io_uring itself is there (measure_uring_available). */
int files_ring_available(char *reason, size_t reason_size);

struct files_ring;

#define FILES_RING_FEATURES_MAX 200

MUST_CHECK int files_ring_open(uint32_t slots, const struct file_phases *phases,
			       struct files_ring **ret_ring, struct error *err);
void files_ring_close(struct files_ring *ring); /* nothing outstanding */
const char *files_ring_features(const struct files_ring *ring);

/* Lays a task into the queue. */
void files_ring_put(struct files_ring *ring, uint32_t slot, struct file_task *task);

/* Submits what was put, and waits until a call has completed or the time is over. -errno. */
MUST_CHECK int files_ring_exchange(struct files_ring *ring, uint64_t timeout_ns);

/* The slot of a task that is done; false: none any more. */
bool files_ring_next(struct files_ring *ring, uint32_t *ret_slot);

#endif
