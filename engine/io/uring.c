/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uring.c - the backend.h on io_uring: what is done with a ring. How it is made: uring_open.c.
 *
 * Invariants:
 *  1. The ring is made, used and closed by one thread (SINGLE_ISSUER, DEFER_TASKRUN where the
 *     kernel has them).
 *  2. It is born disabled and enabled only after it has been restricted to registered files and to
 *     the opcodes the workload needs. Without registered files it is not used at all; a kernel that
 *     knows no restrictions (before 5.10) is used without, and the features text says so.
 *  3. backend.h's arrays are the ring's own: requests are the submission entries, the queue is the
 *     ring's index array, completions are the completion entries. There are at least as many
 *     submission entries as slots, so each slot owns the entry of its number; submitting is moving
 *     the tail. Requests the kernel did not take at once are offered again until it takes them.
 *     Where it takes them no more the exchange has failed, and they go with the next one.
 *  4. user_data is the slot, or COMPLETION_OF_CANCEL.
 *
 * With a kernel thread (SQPOLL) requests are taken off the queue without a call: the ring is
 * entered to wake that thread where it sleeps, and to wait where completions do not come within
 * some 30 us. An entry may be written again once its operation has come back, also then.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/io/uring_parts.h"

#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* How often a busy kernel (-EAGAIN, -EBUSY) is asked again, 1 ms apart, before it is an error. */
#define BUSY_TRIES_MAX 200
/* How often completions are looked for before the caller goes to sleep, where a kernel thread makes
 * them: some 30 us. */
#define LOOKS_MAX 1000

#define SAME_PLACE(ours, theirs)                                                                   \
	_Static_assert(offsetof(struct request, ours) == offsetof(struct io_uring_sqe, theirs) &&  \
			       sizeof(((struct request *)0)->ours) ==                              \
				       sizeof(((struct io_uring_sqe *)0)->theirs),                 \
		       "a request is the kernel's submission entry")
SAME_PLACE(opcode, opcode);
SAME_PLACE(flags, flags);
SAME_PLACE(priority, ioprio);
SAME_PLACE(file, fd);
SAME_PLACE(offset, off);
SAME_PLACE(address, addr);
SAME_PLACE(length, len);
SAME_PLACE(operation_flags, rw_flags);
SAME_PLACE(slot, user_data);
SAME_PLACE(buffer, buf_index);
_Static_assert(sizeof(struct request) == sizeof(struct io_uring_sqe), "a request is an entry");
_Static_assert(offsetof(struct completion, slot) == offsetof(struct io_uring_cqe, user_data) &&
		       offsetof(struct completion, result) == offsetof(struct io_uring_cqe, res) &&
		       sizeof(struct completion) == sizeof(struct io_uring_cqe),
	       "a completion is the kernel's");

/* ---- running ---- */

static __attribute__((noinline)) void set_timeout(struct uring *uring, uint64_t timeout_ns)
{
	uring->timeout_ns = timeout_ns;
	uring->timeout.tv_sec = (int64_t)(timeout_ns / NS_PER_S);
	uring->timeout.tv_nsec = (long long)(timeout_ns % NS_PER_S);
}

/* Submits what lies in the queue and waits: how many the kernel took, or -errno. */
static inline int enter(struct uring *uring, unsigned int submit, unsigned int wait_for,
			uint64_t timeout_ns)
{
	unsigned int flags = uring->enter_flags;
	void *argument = NULL;

	if (wait_for > 0) {
		if (unlikely(timeout_ns != uring->timeout_ns))
			set_timeout(uring, timeout_ns);
		argument = &uring->wait;
		flags |= IORING_ENTER_EXT_ARG;
	}
	return io_uring_enter2((unsigned int)uring->ring.enter_ring_fd, submit, wait_for, flags,
			       argument, sizeof(uring->wait));
}

/*
 * What to do about an enter that was to submit so many and returned rc: nothing where it waited in
 * vain; asking on where the kernel is busy or did not take all. 0, or -errno with `unsubmitted` of
 * them left in the queue.
 */
static __attribute__((noinline)) int enter_again(struct uring *uring, unsigned int submit, int rc)
{
	struct timespec pause = {.tv_nsec = (long)NS_PER_MS};

	uring->unsubmitted = submit;
	for (unsigned int tries = 0;; tries++) {
		if (rc >= 0)
			uring->unsubmitted -= (unsigned int)rc;
		else if (rc != -ETIME && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY)
			return rc;
		if (uring->unsubmitted == 0)
			return 0;
		if (tries == BUSY_TRIES_MAX)
			return rc < 0 ? rc : -EBUSY;
		if (rc < 0)
			(void)nanosleep(&pause, NULL); /* shorter is as good */
		rc = enter(uring, uring->unsubmitted, 0, 0);
	}
}

static int uring_exchange(struct backend *backend, unsigned int count, unsigned int wait_for,
			  uint64_t timeout_ns)
{
	struct uring *uring = (struct uring *)backend;
	unsigned int completed = backend->completed + uring->told;
	int rc;

	backend->completed = completed;
	uring->told = 0;
	io_uring_smp_store_release(uring->ring.cq.khead, completed);
	backend->submitted += count;
	io_uring_smp_store_release(uring->ring.sq.ktail, backend->submitted);
	count += uring->unsubmitted;
	uring->unsubmitted = 0;
	rc = enter(uring, count, wait_for, timeout_ns);
	if (unlikely(rc != (int)count)) {
		rc = enter_again(uring, count, rc);
		if (rc < 0)
			return rc;
	}
	uring->told = io_uring_smp_load_acquire(uring->ring.cq.ktail) - completed;
	return (int)uring->told;
}

/* A ring that polls knows no timeout: it is asked once, and whoever waits asks again. */
static int polled_exchange(struct backend *backend, unsigned int count, unsigned int wait_for,
			   uint64_t timeout_ns)
{
	(void)wait_for;
	(void)timeout_ns;
	return uring_exchange(backend, count, 0, 0);
}

/* ---- running with a kernel thread that takes the requests ---- */

/* Whether it sleeps and has to be told that there is something to take: its flag is read after the
 * tail was written (in one order that both sides see). */
static bool publish(struct uring *uring)
{
	__atomic_store_n(uring->ring.sq.ktail, uring->backend.submitted, __ATOMIC_SEQ_CST);
	return __atomic_load_n(uring->ring.sq.kflags, __ATOMIC_SEQ_CST) & IORING_SQ_NEED_WAKEUP;
}

static unsigned int completed_of(const struct uring *uring)
{
	return io_uring_smp_load_acquire(uring->ring.cq.ktail) - uring->backend.completed;
}

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* Looks a while for completions, which needs no system call. */
static unsigned int look(const struct uring *uring, unsigned int wait_for)
{
	unsigned int ready = completed_of(uring);

	for (unsigned int i = 0; ready < wait_for && i < LOOKS_MAX; i++) {
		relax();
		ready = completed_of(uring);
	}
	return ready;
}

static int thread_exchange(struct backend *backend, unsigned int count, unsigned int wait_for,
			   uint64_t timeout_ns)
{
	struct uring *uring = (struct uring *)backend;
	unsigned int flags = 0;
	int rc = 0;

	backend->completed += uring->told;
	io_uring_smp_store_release(uring->ring.cq.khead, backend->completed);
	backend->submitted += count;
	if (count > 0 && publish(uring))
		flags = IORING_ENTER_SQ_WAKEUP;
	uring->told = look(uring, flags ? 0 : wait_for);
	if (flags == 0 && uring->told >= wait_for)
		return (int)uring->told;
	if (uring->told >= wait_for)
		wait_for = 0;
	uring->enter_flags ^= flags;
	rc = enter(uring, 0, wait_for, timeout_ns);
	uring->enter_flags ^= flags;
	uring->told = completed_of(uring);
	if (rc < 0 && rc != -ETIME && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY)
		return rc;
	return (int)uring->told;
}

/* Whether the thread has taken all that was handed over, a while given. */
static bool all_taken(struct uring *uring)
{
	struct timespec pause = {.tv_nsec = (long)NS_PER_MS / 10};

	for (unsigned int tries = 0; tries < BUSY_TRIES_MAX; tries++) {
		if (io_uring_smp_load_acquire(uring->ring.sq.khead) == uring->backend.submitted)
			return true;
		if (publish(uring))
			(void)io_uring_enter2((unsigned int)uring->ring.enter_ring_fd, 0, 0,
					      uring->enter_flags | IORING_ENTER_SQ_WAKEUP, NULL,
					      0); /* looked at again */
		(void)nanosleep(&pause, NULL);	  /* shorter is as good */
	}
	return false;
}

/* ---- cancelling ---- */

/* Hands over what lies at the tail; whether the kernel has read it. */
static bool hand_over(struct uring *uring)
{
	if (uring->kernel_thread)
		return all_taken(uring);
	return enter(uring, 1, 0, 0) == 1;
}

static void uring_cancel(struct backend *backend, uint32_t slot)
{
	struct uring *uring = (struct uring *)backend;
	struct request *request = &backend->requests[slot], kept = *request;

	/* After a failed exchange its entry may not have been read yet. */
	if (uring->unsubmitted > 0 || (uring->kernel_thread && !all_taken(uring)))
		return;
	/* The kernel has read the entry of a slot that is outstanding: it is lent to this. */
	*request = (struct request){
		.opcode = IORING_OP_ASYNC_CANCEL,
		.flags = IOSQE_FIXED_FILE, /* the restriction asks for it; it means nothing */
		.address = slot,
		.slot = COMPLETION_OF_CANCEL,
	};
	backend->queue[backend->submitted++ & backend->queue_mask] = slot;
	io_uring_smp_store_release(uring->ring.sq.ktail, backend->submitted);
	if (hand_over(uring))
		*request = kept;
	else
		uring->unsubmitted = 1;
}

static void uring_close(struct backend *backend)
{
	struct uring *uring = (struct uring *)backend;

	if (uring->ring_open) {
		/* The kernel takes a closed ring down some time later; the target's files are
		 * given back now, so that it can be unmounted or opened for itself at once. Where
		 * this fails they go with the ring. */
		(void)io_uring_unregister_files(&uring->ring);
		io_uring_queue_exit(&uring->ring);
	}
	free(uring);
}

static const struct backend_ops uring_ops = {
	.exchange = uring_exchange,
	.cancel = uring_cancel,
	.close = uring_close,
};
static const struct backend_ops polled_ops = {
	.exchange = polled_exchange,
	.cancel = uring_cancel,
	.close = uring_close,
};
static const struct backend_ops thread_ops = {
	.exchange = thread_exchange,
	.cancel = uring_cancel,
	.close = uring_close,
};

/* The arrays, and what never changes in them. */
static void lay_out(struct uring *uring, const struct backend_config *config)
{
	struct backend *backend = &uring->backend;
	struct io_uring *ring = &uring->ring;

	uring->wait.sigmask_sz = _NSIG / 8;
	uring->wait.ts = (uint64_t)(uintptr_t)&uring->timeout;
	uring->timeout_ns = UINT64_MAX;
	backend->requests = (struct request *)(void *)ring->sq.sqes;
	backend->queue = ring->sq.array;
	backend->queue_mask = ring->sq.ring_mask;
	backend->completions = (const struct completion *)(const void *)ring->cq.cqes;
	backend->completion_mask = ring->cq.ring_mask;
	for (uint32_t slot = 0; slot < config->slots; slot++) {
		backend->requests[slot] = (struct request){.flags = IOSQE_FIXED_FILE, .slot = slot};
		request_set(backend, slot, REQUEST_READ, 0, 0);
	}
}

int uring_open(const struct backend_config *config, struct backend **ret_backend, struct error *err)
{
	struct uring *uring = calloc(1, sizeof(*uring));
	const char *what;
	int rc;

	if (!uring)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "an io_uring");
	if (config->allowed[REQUEST_TRIM]) {
		free(uring);
		return error_set(err, ERROR_UNSUPPORTED, "", "trims are not made by io_uring");
	}
	uring->kernel_thread = config->kernel_thread;
	uring->backend.ops = config->kernel_thread ? &thread_ops
			     : config->polled	   ? &polled_ops
						   : &uring_ops;
	uring->backend.arena = config->arena;
	rc = uring_set_up(uring, config, &what);
	if (rc < 0) {
		uring_close(&uring->backend);
		return error_set_sys(err, ERROR_SYSTEM, -rc, "%s", what);
	}
	lay_out(uring, config);
	*ret_backend = &uring->backend;
	return 0;
}
