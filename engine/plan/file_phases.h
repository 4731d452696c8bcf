/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file_phases.h - the language of file-metadata workloads: which operations on many small files, in
 * which order.
 *
 * A workload with the option `metadata` makes `nrfiles` files a job, of `filesize` bytes, over
 * `directories` directories, and puts all of them through one phase after another. A phase is one
 * kind of operation on each file once:
 *   create  make the file, which must be new; write its bytes, unless write is a phase of its own;
 *           close it
 *   write   open it, write its bytes, close it
 *   stat    look it up and read its attributes
 *   read    open it, read all its bytes, close it
 *   rename  give it a new name in its directory
 *   delete  remove it
 * The list begins with create, has nothing after delete and nothing twice. With file_order=both all
 * phases go through the files in order, and then all of them again at random with new files, as
 * bonnie++ does. Nothing comes between phases: what an earlier one left in the caches of names,
 * attributes and pages is there for the next, as in bonnie++.
 *
 * A workload is read here once and kept as text; parsing it again costs nothing that matters.
 */
#ifndef ENGINE_PLAN_FILE_PHASES_H
#define ENGINE_PLAN_FILE_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/plan/workload.h"

enum file_operation {
	FILE_CREATE,
	FILE_WRITE,
	FILE_STAT,
	FILE_READ,
	FILE_RENAME,
	FILE_DELETE,
	FILE_OPERATION_COUNT
};

extern const char *const file_operation_names[FILE_OPERATION_COUNT];

/* The orders of file_order that are measured: sequential, random. */
#define FILE_ORDERS 2

/* So many operations may be outstanding in a metadata workload: each holds a thread, of the kernel
 * or of ours. */
#define FILE_BYTES_MAX (UINT64_C(16) << 20)
#define FILE_OUTSTANDING_MAX 1024
#define FILE_TOTAL_MAX UINT64_C(10000000) /* files of all jobs together */

struct file_phases {
	size_t count;
	enum file_operation list[FILE_OPERATION_COUNT];
};

/* "create,stat,delete", or "all". BAD_VALUE with field "metadata". */
MUST_CHECK int file_phases_parse(const char *text, struct file_phases *ret_phases,
				 struct error *err);

/* Those of a completed metadata workload. */
void file_phases_of(const struct workload *workload, struct file_phases *ret_phases);

/* Whether a file's bytes are written when it is made, and not in a phase of their own. */
bool file_phases_create_writes(const struct file_phases *phases);

/* Whether the workload goes through its phases in this order (0 sequential, 1 random). */
bool file_phases_ordered(const struct workload *workload, int order);

/* Whether the option means something for a metadata workload. */
bool file_phases_takes(enum option_id id);

/* Of workload_complete(), for a metadata workload: checks what was given and sets to nothing what
 * has no meaning (bs, size, runtime, direct, ...). */
MUST_CHECK int file_phases_complete(struct workload *workload, struct error *err);

/* Operations a sample does, bytes it writes and reads, bytes on the file system at the same time
 * (in whole blocks of 4 KiB) and files and directories at the same time. */
struct file_totals {
	uint64_t operations, bytes_written, bytes_read, space_bytes, inodes;
};

void file_phases_totals(const struct workload *workload, struct file_totals *ret_totals);

#endif
