/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * backend.h - how a reactor hands operations to what carries them out, a batch at a time.
 *
 * One thread opens a backend, uses it and closes it. What the two sides exchange lies in three
 * arrays that the backend owns and both read and write in place, so that nothing is copied. On
 * io_uring they are the rings themselves, shared with the kernel; that is why a request and a
 * completion are laid out as they are.
 *
 *   requests     one for each slot. The backend fills in what never changes (flags, buffer, slot);
 *                the caller sets file once, and opcode, offset and length (request_set where the
 *                kind may be a sync) whenever the slot is idle. It is the caller's to read while
 *                the operation is outstanding, and the kernel's to read.
 *   queue        a ring of slot numbers. Entries from `submitted` on are idle slots in the order
 *                the caller put them there; exchange() takes the first `count` of them. So the
 *                caller's queue of idle slots and the kernel's submission queue are one.
 *   completions  a ring. exchange() says how many lie there from `completed` on. They stay valid
 *                until the next exchange(), which gives their places back.
 *
 * A slot is an outstanding operation's number, 0 to slots - 1; it has the arena's buffer of that
 * number. The caller hands over no slot twice before it has come back.
 *
 * close() with operations outstanding leaves the kernel to end them: the arena must then stay
 * mapped for ever, and the thread that opened the backend cannot be joined before they end.
 * Length: the contract of a batch is told whole, here and nowhere else.
 */
#ifndef ENGINE_IO_BACKEND_H
#define ENGINE_IO_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/io/buffer.h"
#include "engine/plan/cpus.h"

/* The first three are equal to enum direction's. A trim is not for io_uring, which can discard
 * on a device only from Linux 6.12 on. */
enum request_kind {
	REQUEST_READ,
	REQUEST_WRITE,
	REQUEST_TRIM,
	REQUEST_SYNC,
	REQUEST_DATASYNC,
	REQUEST_END_SYNC, /* the fsync that ends a job */
	REQUEST_KIND_COUNT
};

/* "read", "write", "trim", "fsync", "fdatasync", "final fsync" */
extern const char *const request_names[REQUEST_KIND_COUNT];

/* The kernel's struct io_uring_sqe, as far as reads, writes and fsyncs use it. */
struct request {
	uint8_t opcode; /* one of the backend's */
	uint8_t flags;
	uint16_t priority;
	uint32_t file;	 /* index into the config's files */
	uint64_t offset; /* bytes in the file; 0 for a sync */
	uint64_t address;
	uint32_t length; /* bytes; 0 for a sync */
	uint32_t operation_flags;
	uint64_t slot;
	uint16_t buffer;
	uint16_t unused[3];
	uint64_t unused_too[2];
};

/* The kernel's struct io_uring_cqe. */
struct completion {
	uint64_t slot;
	int32_t result; /* bytes done or -errno */
	uint32_t flags;
};

/* What answers a cancellation has this for a slot, and is no operation's. */
#define COMPLETION_OF_CANCEL UINT64_MAX

/* The most requests in one exchange. */
#define BACKEND_BATCH_MAX 32
/* The most operations outstanding in one backend: the longest ring of the kernel. */
#define BACKEND_SLOTS_MAX 32768

struct backend_config {
	uint32_t slots;
	const struct arena *arena; /* a buffer for each slot; outlives the backend */
	const int *files;	   /* descriptors */
	uint32_t file_count;
	bool allowed[REQUEST_KIND_COUNT]; /* the kinds that will be asked for, and no others */
	bool polled;		 /* ask for completions: exchange() returns without waiting */
	bool kernel_thread;	 /* that takes requests off the queue */
	int kernel_thread_cpu;	 /* or -1: any */
	bool registered_buffers; /* insisted on */
	const struct cpus *cpus; /* where the kernel's threads for it shall run; NULL: anywhere */
};

struct backend;

struct backend_ops {
	/*
	 * Submits the next `count` of the queue (at most BACKEND_BATCH_MAX), waits until wait_for
	 * completions are there or the timeout is over, and returns how many there are, or -errno
	 * when the backend itself failed.
	 */
	int (*exchange)(struct backend *backend, unsigned int count, unsigned int wait_for,
			uint64_t timeout_ns);
	/* Asks for an outstanding operation to end early; it comes back as a completion all the
	 * same. One that cannot be stopped is left to run. Slots idle in the queue are forgotten:
	 * nothing is submitted after it. */
	void (*cancel)(struct backend *backend, uint32_t slot);
	void (*close)(struct backend *backend);
};

#define BACKEND_FEATURES_MAX 256

/* What every backend begins with. */
struct backend {
	const struct backend_ops *ops;
	struct request *requests;
	uint32_t *queue;
	const struct completion *completions;
	uint32_t queue_mask, completion_mask; /* a place is found by number & mask */
	uint32_t submitted, completed;	      /* counted round 2^32 */
	uint8_t opcodes[REQUEST_KIND_COUNT];
	uint32_t operation_flags[REQUEST_KIND_COUNT];
	uint16_t priority;	   /* of reads and writes; the opener's to set. 0: the thread's */
	unsigned int buffer_shift; /* slot >> shift is the request's buffer */
	const struct arena *arena;
	char features[BACKEND_FEATURES_MAX]; /* what is in use and what was refused, for a reader */
};

/* All that depends on the kind. A sync takes no address and no buffer. */
static inline void request_set(const struct backend *backend, uint32_t slot, enum request_kind kind,
			       uint64_t offset, uint32_t length)
{
	struct request *request = &backend->requests[slot];
	bool data = kind <= REQUEST_WRITE;

	request->opcode = backend->opcodes[kind];
	request->offset = offset;
	request->length = length;
	request->operation_flags = backend->operation_flags[kind];
	request->priority = data ? backend->priority : 0; /* a sync has none */
	request->address = data ? (uint64_t)(uintptr_t)arena_buffer(backend->arena, slot) : 0;
	request->buffer = data ? (uint16_t)(slot >> backend->buffer_shift) : 0;
}

/* The kind a request was given, where there is no fdatasync. */
static inline enum request_kind request_kind(const struct backend *backend,
					     const struct request *request)
{
	if (request->opcode == backend->opcodes[REQUEST_READ])
		return REQUEST_READ;
	return request->opcode == backend->opcodes[REQUEST_WRITE] ? REQUEST_WRITE : REQUEST_SYNC;
}

/* -errno with err set. On success *ret_backend is closed by its close(). */
MUST_CHECK int uring_open(const struct backend_config *config, struct backend **ret_backend,
			  struct error *err);
MUST_CHECK int null_open(const struct backend_config *config, struct backend **ret_backend,
			 struct error *err);

#endif
