/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reactor.c - see reactor.h: the rounds, the ends, the thread. What it is made of: reactor_make.c.
 */
#include "engine/io/reactor.h"

#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"

/* How long cancelled operations may take to end before they are left behind. */
#define DRAIN_NS (600 * NS_PER_MS)

#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* ---- rounds ---- */

void reactor_mark_flying(struct reactor *reactor)
{
	const struct backend *backend = reactor->backend;

	for (uint32_t i = 0; i < reactor->slot_count; i++)
		reactor->slot_flying[i] = !reactor->slot_parked[i];
	/* None of them when operations have been cancelled. */
	for (uint32_t i = backend->submitted; (int32_t)(reactor->idle_end - i) > 0; i++)
		reactor->slot_flying[backend->queue[i & backend->queue_mask]] = false;
}

static void window_begins(struct reactor *reactor)
{
	reactor_mark_flying(reactor);
	for (size_t i = 0; i < reactor->job_count; i++) {
		struct job *job = &reactor->jobs[i];
		uint64_t bytes = reactor->steps ? job->course.outstanding_bytes : 0;

		/* Slots are dealt out to the jobs in turn. */
		for (size_t slot = i; slot < reactor->slot_count && !reactor->steps;
		     slot += reactor->job_count)
			if (reactor->slot_flying[slot])
				bytes += reactor->backend->requests[slot].length;
		job_window_begins(job, bytes);
	}
}

void reactor_events(struct reactor *reactor, uint64_t now_ns)
{
	bool begins = false;

	for (size_t i = 0; i < reactor->recorder_count; i++)
		begins = recorder_event(&reactor->recorders[i], now_ns);
	/* All recorders of a reactor go by the same times. */
	reactor->next_event_ns = reactor->recorders[0].next_event_ns;
	if (begins)
		window_begins(reactor);
	if (now_ns >= reactor->load->deadline_ns)
		reactor->issuing = false;
}

void reactor_failed(struct reactor *reactor, int rc)
{
	struct error err;

	(void)error_set_sys(&err, ERROR_SYSTEM, -rc, "submitting operations");
	load_fail(reactor->load, &err);
}

static inline int exchange(struct reactor *reactor, unsigned int count, unsigned int wait_for)
{
	int ready =
		reactor->backend->ops->exchange(reactor->backend, count, wait_for, REACTOR_WAIT_NS);

	reactor->outstanding += count;
	if (unlikely(ready < 0))
		reactor_failed(reactor, ready);
	return ready;
}

static inline void take(struct reactor *reactor, int ready, uint64_t now_ns)
{
	if (unlikely(now_ns >= reactor->next_event_ns))
		reactor_events(reactor, now_ns);
	if (ready > 0) {
		reactor->outstanding -= (uint32_t)ready;
		reactor->complete(reactor, (unsigned int)ready, now_ns);
	}
}

void reactor_take(struct reactor *reactor, int ready, uint64_t now_ns)
{
	take(reactor, ready, now_ns);
}

/* The batch that was built is complete: its stamp is taken, the next one found. */
static inline void stamp(struct reactor *reactor, unsigned int count)
{
	struct batch *batch = &reactor->batches[reactor->unused];

	if (count == 0)
		return;
	batch->left = count;
	reactor->unused = batch->next;
	batch->stamp_ns = reactor_now_ns();
}

bool reactor_may_fill(struct reactor *reactor)
{
	if (reactor->fill == 0) {
		if (reactor->outstanding > reactor->low)
			return false;
		reactor->fill = reactor->slot_count - reactor->outstanding;
	}
	reactor->batch_max =
		reactor->fill < reactor->batch_most ? reactor->fill : reactor->batch_most;
	return true;
}

/* Until all is done, or stopped, or the backend failed. */
static void run_batches(struct reactor *reactor)
{
	const struct backend *backend = reactor->backend;

	while (!load_stopping(reactor->load)) {
		bool low = unlikely(reactor->low > 0);
		bool building = reactor->issuing && (!low || reactor_may_fill(reactor));
		unsigned int count = building ? reactor->build(reactor) : 0;
		bool idle = building && reactor->idle_end - backend->submitted != count;
		uint32_t wait_for;
		int ready;

		if (count == 0 && reactor->outstanding == 0 && !idle)
			return;
		stamp(reactor, count);
		if (low)
			idle &= (reactor->fill -= count) > 0;
		wait_for = reactor->outstanding + count;
		if (wait_for > reactor->wait_for)
			wait_for = reactor->wait_for;
		ready = exchange(reactor, count, idle ? 0 : wait_for);
		if (unlikely(ready < 0))
			return;
		take(reactor, ready, reactor_now_ns());
	}
}

/* What comes back while the kernel is being asked to give up: cancellations among it. */
static void take_last(struct reactor *reactor, int ready, uint64_t now_ns)
{
	struct backend *backend = reactor->backend;

	take(reactor, 0, now_ns);
	/* complete() reads from `completed` on, which is the backend's to move: put back after. */
	for (int i = 0; i < ready; i++) {
		const struct completion *completion =
			&backend->completions[backend->completed & backend->completion_mask];

		if (completion->slot != COMPLETION_OF_CANCEL)
			take(reactor, 1, now_ns);
		backend->completed++;
	}
	backend->completed -= (uint32_t)ready;
}

/* Ends what is outstanding after a stop; whether all has ended in time. */
static bool drain(struct reactor *reactor)
{
	uint64_t now_ns = clock_now_ns(), until_ns = now_ns + DRAIN_NS;

	if (reactor->outstanding == 0)
		return true;
	reactor_mark_flying(reactor);
	for (uint32_t i = 0; i < reactor->slot_count; i++)
		if (reactor->slot_flying[i])
			reactor->backend->ops->cancel(reactor->backend, i);
	while (reactor->outstanding > 0 && now_ns < until_ns) {
		int ready = exchange(reactor, 0, 1);

		if (ready < 0)
			return false;
		now_ns = clock_now_ns();
		take_last(reactor, ready, now_ns);
	}
	return reactor->outstanding == 0;
}

static bool run(struct reactor *reactor)
{
	bool drained;

	for (size_t i = 0; i < reactor->recorder_count; i++)
		recorder_start(&reactor->recorders[i]);
	reactor->next_event_ns = reactor->recorders[0].next_event_ns;
	reactor->issuing = true;
	if (reactor->steps)
		reactor_run_steps(reactor);
	else if (reactor->single)
		reactor->single_loop(reactor);
	else
		run_batches(reactor);
	drained = drain(reactor);
	for (size_t i = 0; i < reactor->recorder_count; i++)
		recorder_finish(&reactor->recorders[i]);
	return drained;
}

/* ---- life ---- */

/* What a slot's request has in common with all before it; a loop for one kind and size relies on
 * it. All slots are idle. */
static void lay_out(struct reactor *reactor)
{
	struct backend *backend = reactor->backend;
	enum request_kind kind = reactor->allowed[REQUEST_READ] ? REQUEST_READ : REQUEST_WRITE;

	for (uint32_t i = 0; i < reactor->slot_count; i++) {
		request_set(backend, i, kind, 0, reactor->bs_max);
		backend->requests[i].file = reactor->slot_jobs[i]->file;
		backend->queue[(backend->submitted + i) & backend->queue_mask] = i;
	}
	reactor->idle_end = backend->submitted + reactor->slot_count;
}

/* What the backend uses, and how many completions are awaited where that is more than one. */
static void tell_features(struct reactor *reactor)
{
	size_t length;

	memcpy(reactor->features, reactor->backend->features, sizeof(reactor->features));
	length = strlen(reactor->features);
	if (reactor->kind != BACKEND_IO_URING)
		return;
	/* May be cut: for reading only. */
	if (reactor->wait_for > 1)
		length += (size_t)snprintf(reactor->features + length,
					   sizeof(reactor->features) - length,
					   ", waits for %u completions", reactor->wait_for);
	if (reactor->low > 0 && length < sizeof(reactor->features))
		(void)snprintf(reactor->features + length, sizeof(reactor->features) - length,
			       ", refilled at %u outstanding", reactor->low);
}

static int set_up(struct reactor *reactor, struct error *err)
{
	struct cpus cpus;
	struct backend_config config = {
		.slots = reactor->slot_count,
		.arena = &reactor->arena,
		.files = reactor->files,
		.file_count = reactor->file_count,
		.polled = reactor->polled,
		.kernel_thread = reactor->kernel_thread,
		.kernel_thread_cpu = reactor->kernel_thread_cpu,
		.registered_buffers = reactor->registered_buffers,
	};
	int rc = placement_enter(&reactor->placement, reactor->first_job, err);

	if (rc < 0)
		return rc;
	placement_of_job(&reactor->placement, reactor->first_job, &cpus);
	config.cpus = reactor->placement.pinned ? &cpus : NULL;
	memcpy(config.allowed, reactor->allowed, sizeof(config.allowed));
	rc = arena_init(&reactor->arena, reactor->slot_count, reactor->bs_max,
			reactor->allowed[REQUEST_WRITE], reactor->seed, &reactor->load->stop);
	if (rc == -ECANCELED)
		return error_set(err, ERROR_CANCELLED, "", "cancelled before the load began");
	if (rc < 0)
		return error_set_sys(err, ERROR_NO_MEMORY, -rc, "buffers for %u operations",
				     reactor->slot_count);
	rc = reactor->kind == BACKEND_NULL ? null_open(&config, &reactor->backend, err)
					   : uring_open(&config, &reactor->backend, err);
	if (rc < 0)
		return rc;
	reactor->backend->priority = reactor->placement.priority;
	tell_features(reactor);
	lay_out(reactor);
	if (reactor->steps)
		reactor_begin_steps(reactor);
	return 0;
}

void *reactor_main(void *argument)
{
	struct reactor *reactor = argument;
	struct load *load = reactor->load;
	struct error err;
	bool ready = set_up(reactor, &err) == 0;

	reactor->drained = true;
	if (!ready)
		load_fail(load, &err);
	if (load_ready(load) && ready)
		reactor->drained = run(reactor);
	if (reactor->drained) {
		/* In the thread that opened it. */
		if (reactor->backend)
			reactor->backend->ops->close(reactor->backend);
		arena_done(&reactor->arena);
	}
	atomic_store(&reactor->finished, true);
	load_finished(load, reactor->drained);
	return NULL;
}
