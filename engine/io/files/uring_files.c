/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uring_files.c - the ring of metadata workloads; see files_task.h.
 *
 * Invariants:
 *  1. Made, used and closed by one thread; born disabled and enabled only once it is restricted to
 *     the opcodes the phases need. A kernel that knows no restrictions does without, as uring.c's.
 *  2. Each slot has at most one task, and the entry of its number in the ring's table of files. The
 *     calls of a task are hard-linked: all are tried in their order whatever becomes of one, so
 *     that a file that was opened is always closed. Each completes with its own entry; a task is
 *     done when all have. The first error is the task's: those after it follow from it.
 *  3. user_data is the slot and the call. There is room in both queues for all calls of all slots.
 *
 * The kernel passes nearly every one of these calls to a thread of its pool, since they may wait
 * for the file system; so many of those are allowed as there are slots.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdarg.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/io/files/files_task.h"

#define CALLS_MAX 4 /* of a task */

enum call {
	CALL_OPEN,
	CALL_WRITE,
	CALL_READ,
	CALL_SYNC,
	CALL_CLOSE,
	CALL_STAT,
	CALL_RENAME,
	CALL_UNLINK,
	CALL_COUNT
};

static const struct {
	enum io_uring_op opcode;
	const char *name;
} calls[CALL_COUNT] = {
	[CALL_OPEN] = {IORING_OP_OPENAT, "open"},
	[CALL_WRITE] = {IORING_OP_WRITE, "write"},
	[CALL_READ] = {IORING_OP_READ, "read"},
	[CALL_SYNC] = {IORING_OP_FSYNC, "fsync"},
	[CALL_CLOSE] = {IORING_OP_CLOSE, "close"},
	[CALL_STAT] = {IORING_OP_STATX, "statx"},
	[CALL_RENAME] = {IORING_OP_RENAMEAT, "rename"},
	[CALL_UNLINK] = {IORING_OP_UNLINKAT, "unlink"},
};

struct slot {
	struct file_task *task;
	unsigned int left; /* calls that have not completed */
};

struct files_ring {
	struct io_uring ring;
	bool open;
	uint32_t slot_count;
	struct slot *slots;
	char features[FILES_RING_FEATURES_MAX];
};

/* ---- opening ---- */

static void add_feature(struct files_ring *ring, const char *text)
{
	size_t used = strlen(ring->features);

	(void)snprintf(ring->features + used, sizeof(ring->features) - used, "%s%s",
		       used ? ", " : "", text); /* may be cut: it is for reading only */
}

static int open_ring(struct files_ring *ring)
{
	static const struct {
		unsigned int flags;
		const char *name;
	} modes[] = {
		{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, "deferred task work"},
		{IORING_SETUP_COOP_TASKRUN, "cooperative task work"},
		{0, "no task work flags"},
	};
	int rc = -EINVAL;

	for (size_t i = 0; i < ARRAY_SIZE(modes) && rc == -EINVAL; i++) {
		struct io_uring_params params = {
			.flags = modes[i].flags | IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE,
			.cq_entries = 2 * CALLS_MAX * ring->slot_count,
		};

		rc = io_uring_queue_init_params(CALLS_MAX * ring->slot_count, &ring->ring, &params);
		if (rc == 0) {
			ring->open = true;
			add_feature(ring, modes[i].name);
		}
	}
	return rc;
}

static int register_files(struct files_ring *ring)
{
	AUTO_FREE int *files = calloc(ring->slot_count, sizeof(*files));
	unsigned int workers[2] = {ring->slot_count, 0};

	if (!files)
		return -ENOMEM;
	for (uint32_t i = 0; i < ring->slot_count; i++)
		files[i] = -1;
	/* Else the kernel lets four a CPU run; where it knows no limit to set it has its own. */
	(void)io_uring_register_iowq_max_workers(&ring->ring, workers);
	return io_uring_register_files(&ring->ring, files, ring->slot_count);
}

static void needed(const struct file_phases *phases, bool wanted[CALL_COUNT])
{
	for (size_t i = 0; i < phases->count; i++) {
		enum file_operation operation = phases->list[i];
		bool opens = operation == FILE_CREATE || operation == FILE_WRITE ||
			     operation == FILE_READ;

		wanted[CALL_OPEN] |= opens;
		wanted[CALL_CLOSE] |= opens;
		wanted[CALL_WRITE] |= operation == FILE_CREATE || operation == FILE_WRITE;
		wanted[CALL_SYNC] |= operation == FILE_CREATE || operation == FILE_WRITE;
		wanted[CALL_READ] |= operation == FILE_READ;
		wanted[CALL_STAT] |= operation == FILE_STAT;
		wanted[CALL_RENAME] |= operation == FILE_RENAME;
		wanted[CALL_UNLINK] |= operation == FILE_DELETE;
	}
}

static int restrict_ring(struct files_ring *ring, const struct file_phases *phases)
{
	struct io_uring_restriction list[CALL_COUNT + 2];
	bool wanted[CALL_COUNT] = {false};
	unsigned int count = 0;
	int rc;

	memset(list, 0, sizeof(list));
	needed(phases, wanted);
	for (int call = 0; call < CALL_COUNT; call++) {
		if (!wanted[call])
			continue;
		list[count].opcode = IORING_RESTRICTION_SQE_OP;
		list[count++].sqe_op = (uint8_t)calls[call].opcode;
	}
	list[count].opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED;
	list[count++].sqe_flags = IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK;
	list[count].opcode = IORING_RESTRICTION_REGISTER_OP;
	list[count++].register_op = IORING_UNREGISTER_FILES;
	rc = io_uring_register((unsigned int)ring->ring.ring_fd, IORING_REGISTER_RESTRICTIONS, list,
			       count);
	if (rc < 0 && rc != -EINVAL)
		return rc;
	add_feature(ring, rc == 0 ? "restricted to the phases' calls" : "not restricted");
	return io_uring_register((unsigned int)ring->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS,
				 NULL, 0);
}

int files_ring_open(uint32_t slots, const struct file_phases *phases, struct files_ring **ret_ring,
		    struct error *err)
{
	struct files_ring *ring = calloc(1, sizeof(*ring));
	int rc = ring ? 0 : -ENOMEM;

	if (rc == 0) {
		ring->slot_count = slots;
		ring->slots = calloc(slots, sizeof(*ring->slots));
		rc = ring->slots ? open_ring(ring) : -ENOMEM;
	}
	if (rc == 0)
		rc = register_files(ring);
	if (rc == 0) {
		add_feature(ring, "files opened in the ring");
		rc = restrict_ring(ring, phases);
	}
	if (rc < 0) {
		files_ring_close(ring);
		return error_set_sys(err, rc == -ENOMEM ? ERROR_NO_MEMORY : ERROR_SYSTEM, -rc,
				     "setting up io_uring for files");
	}
	*ret_ring = ring;
	return 0;
}

void files_ring_close(struct files_ring *ring)
{
	if (!ring)
		return;
	if (ring->open) {
		/* The kernel takes a closed ring down some time later; see uring.c. */
		(void)io_uring_unregister_files(&ring->ring);
		io_uring_queue_exit(&ring->ring);
	}
	free(ring->slots);
	free(ring);
}

const char *files_ring_features(const struct files_ring *ring)
{
	return ring->features;
}

/* ---- running ---- */

/* The next call of a slot's task; linked to the one after it unless it is the last. */
static struct io_uring_sqe *next_call(struct files_ring *ring, uint32_t slot, enum call call)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->ring); /* there is room: invariant 3 */

	ring->slots[slot].left++;
	sqe->user_data = (uint64_t)call << 32 | slot;
	return sqe;
}

/* Preparing an entry clears what it carries along. */
static void carry(struct io_uring_sqe *sqe, uint32_t slot, enum call call, unsigned int flags)
{
	sqe->user_data = (uint64_t)call << 32 | slot;
	sqe->flags |= (uint8_t)flags;
}

static void put_open_file(struct files_ring *ring, uint32_t slot, const struct file_task *task,
			  int flags)
{
	bool reads = task->operation == FILE_READ;
	bool writes = task->operation == FILE_WRITE || task->moves;
	struct io_uring_sqe *sqe = next_call(ring, slot, CALL_OPEN);

	io_uring_prep_openat_direct(sqe, task->directory, task->name, flags | O_NOFOLLOW, 0600,
				    slot);
	carry(sqe, slot, CALL_OPEN, IOSQE_IO_HARDLINK);
	if (task->bytes > 0 && reads) {
		sqe = next_call(ring, slot, CALL_READ);
		io_uring_prep_read(sqe, (int)slot, task->buffer, (unsigned int)task->bytes, 0);
		carry(sqe, slot, CALL_READ, IOSQE_IO_HARDLINK | IOSQE_FIXED_FILE);
	}
	if (task->bytes > 0 && writes) {
		sqe = next_call(ring, slot, CALL_WRITE);
		io_uring_prep_write(sqe, (int)slot, task->data, (unsigned int)task->bytes, 0);
		carry(sqe, slot, CALL_WRITE, IOSQE_IO_HARDLINK | IOSQE_FIXED_FILE);
	}
	if (writes && task->sync != FILE_SYNC_NONE) {
		sqe = next_call(ring, slot, CALL_SYNC);
		io_uring_prep_fsync(sqe, (int)slot,
				    task->sync == FILE_SYNC_DATA ? IORING_FSYNC_DATASYNC : 0);
		carry(sqe, slot, CALL_SYNC, IOSQE_IO_HARDLINK | IOSQE_FIXED_FILE);
	}
	sqe = next_call(ring, slot, CALL_CLOSE);
	io_uring_prep_close_direct(sqe, slot);
	carry(sqe, slot, CALL_CLOSE, 0);
}

void files_ring_put(struct files_ring *ring, uint32_t slot, struct file_task *task)
{
	struct io_uring_sqe *sqe;

	ring->slots[slot] = (struct slot){.task = task};
	task->error = 0;
	task->moved = 0;
	switch (task->operation) {
	case FILE_CREATE:
		put_open_file(ring, slot, task, O_WRONLY | O_CREAT | O_EXCL);
		break;
	case FILE_WRITE:
		put_open_file(ring, slot, task, O_WRONLY);
		break;
	case FILE_READ:
		put_open_file(ring, slot, task, O_RDONLY);
		break;
	case FILE_STAT:
		sqe = next_call(ring, slot, CALL_STAT);
		io_uring_prep_statx(sqe, task->directory, task->name, AT_SYMLINK_NOFOLLOW,
				    STATX_BASIC_STATS, &task->found);
		carry(sqe, slot, CALL_STAT, 0);
		break;
	case FILE_RENAME:
		sqe = next_call(ring, slot, CALL_RENAME);
		io_uring_prep_renameat(sqe, task->directory, task->name, task->directory,
				       task->new_name, task->may_replace ? 0 : RENAME_NOREPLACE);
		carry(sqe, slot, CALL_RENAME, 0);
		break;
	case FILE_DELETE:
	case FILE_OPERATION_COUNT:
		sqe = next_call(ring, slot, CALL_UNLINK);
		io_uring_prep_unlinkat(sqe, task->directory, task->name, 0);
		carry(sqe, slot, CALL_UNLINK, 0);
		break;
	}
}

int files_ring_exchange(struct files_ring *ring, uint64_t timeout_ns)
{
	struct __kernel_timespec timeout = {.tv_sec = (int64_t)(timeout_ns / NS_PER_S),
					    .tv_nsec = (long long)(timeout_ns % NS_PER_S)};
	struct io_uring_cqe *cqe;
	int rc = io_uring_submit_and_wait_timeout(&ring->ring, &cqe, 1, &timeout, NULL);

	/* What the kernel did not take at once is offered again with the next exchange. */
	if (rc == -ETIME || rc == -EINTR || rc == -EAGAIN || rc == -EBUSY)
		return 0;
	return rc < 0 ? rc : 0;
}

static void completed(struct file_task *task, enum call call, int result)
{
	if (result >= 0) {
		if (call == CALL_WRITE || call == CALL_READ)
			task->moved = (uint64_t)result;
		return;
	}
	if (task->error != 0)
		return;
	task->error = -result;
	task->call = calls[call].name;
}

bool files_ring_next(struct files_ring *ring, uint32_t *ret_slot)
{
	struct io_uring_cqe *cqe;

	while (io_uring_peek_cqe(&ring->ring, &cqe) == 0) {
		uint32_t at = (uint32_t)cqe->user_data;
		struct slot *slot = &ring->slots[at];

		completed(slot->task, (enum call)(cqe->user_data >> 32), cqe->res);
		io_uring_cqe_seen(&ring->ring, cqe);
		if (--slot->left > 0)
			continue;
		slot->task = NULL;
		*ret_slot = at;
		return true;
	}
	return false;
}

/* ---- the probe ---- */

int files_ring_available(char *reason, size_t reason_size)
{
	struct io_uring_probe *probe = io_uring_get_probe();
	const char *missing = NULL;

	for (int call = 0; probe && call < CALL_COUNT && !missing; call++)
		if (!io_uring_opcode_supported(probe, (int)calls[call].opcode))
			missing = calls[call].name;
	/* Of the same age as what no probe tells: a linked call may use a file that the one before
	 * it opens. */
	if (probe && !missing && !io_uring_opcode_supported(probe, IORING_OP_MSG_RING))
		missing = "linked calls on files opened in the ring";
	if (!probe)
		missing = "a probe of its operations";
	if (missing)
		(void)snprintf(reason, reason_size,
			       "this kernel's io_uring lacks %s: Linux 5.18 is needed for files",
			       missing);
	io_uring_free_probe(probe);
	return missing ? -EOPNOTSUPP : 0;
}
