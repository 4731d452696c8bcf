/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reactor_loop.c - what a reactor does once an operation: preparing requests and taking
 * completions, a batch at a time, and the whole round at depth 1. See reactor.h; declared there.
 *
 * All of it exists once for each shape of workload, the same inline function with other constants,
 * so that a plain random read carries no branch of a mix. No lock, no allocation, no clock of its
 * own in a batch, no call but the refreshing of a buffer before a write.
 *
 * What a 4k random read costs in instructions at batch 16, one job, the C library's and liburing's
 * among them (tests/bench/test_instructions.py holds it there):
 *   32  its request: the slot from the queue, the draw (9), the budget, the offset, the bound
 *       check, the batch, the submission entry
 *   14  its completion: its slot into the queue, its batch and result compared
 *   19  a sixteenth of what a batch costs: two stamps, one enter, the run's place in the histogram,
 *       the time and the stop flag looked at
 * The series, bytes and operations cost nothing: they are differences of the histogram's totals. A
 * mix adds 29: the direction, opcode and length, the kind read off at the completion, and two
 * places in histograms a run. At depth 1 the round costs 160 by itself.
 */
#include <errno.h>

#include "engine/io/reactor.h"

#define unlikely(condition) __builtin_expect(!!(condition), 0)

static inline uint32_t lesser(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How far a ring goes from a place without a wrap. */
static inline uint32_t to_wrap(uint32_t place, uint32_t mask)
{
	return mask + 1 - (place & mask);
}

/* A slot with nothing to do any more, at a place in the queue: the last idle one takes the place.
 */
static __attribute__((noinline)) void park(struct reactor *reactor, uint32_t place,
					   enum job_step step, struct operation operation)
{
	struct backend *backend = reactor->backend;
	uint32_t *queue = backend->queue, mask = backend->queue_mask;
	uint32_t number = queue[place & mask];
	struct error err;

	reactor->slot_parked[number] = true;
	reactor->idle_end--;
	queue[place & mask] = queue[reactor->idle_end & mask];
	if (step != JOB_REFUSED)
		return;
	(void)job_refusal(reactor->slot_jobs[number], &operation, &err); /* its code is in err */
	atomic_fetch_add(&reactor->load->errors, 1);
	load_fail(reactor->load, &err);
}

/* Makes the data of a slot's write new; never while it is outstanding. */
static __attribute__((noinline)) void refresh(struct reactor *reactor, uint32_t number,
					      uint32_t length)
{
	buffer_refresh(arena_buffer(&reactor->arena, number), length, random_next(&reactor->keys));
}

/* The next operation of an idle slot. In a uniform reactor opcode and length stand in the request
 * from the start. */
static inline __attribute__((always_inline)) void prepare(
	struct reactor *reactor, struct request *requests, const uint8_t *opcodes, uint32_t number,
	const struct operation *operation, const enum pattern_mix mix, const bool syncs)
{
	struct request *request = &requests[number];

	if (syncs) {
		request_set(reactor->backend, number, operation->kind, operation->offset,
			    operation->length);
	} else {
		request->offset = operation->offset;
		if (mix == PATTERN_MIXED) {
			request->opcode = opcodes[operation->kind];
			request->length = operation->length;
		}
	}
	if (mix == PATTERN_READ)
		return;
	if ((mix == PATTERN_WRITE && !syncs) || operation->kind == REQUEST_WRITE)
		refresh(reactor, number, operation->length);
}

/*
 * Prepares the requests of idle slots, in the order they wait, up to a batch; the count. The queue
 * is a ring: it is walked in stretches without a wrap.
 */
static inline __attribute__((always_inline)) unsigned int build_shaped(struct reactor *reactor,
								       const enum pattern_kind kind,
								       const enum pattern_mix mix,
								       const bool syncs,
								       const bool lone)
{
	const struct backend *backend = reactor->backend;
	const uint32_t batch = reactor->unused, mask = backend->queue_mask;
	const uint8_t *opcodes = backend->opcodes;
	struct request *requests = backend->requests;
	uint32_t *slot_batches = reactor->slot_batches;
	struct job **slot_jobs = reactor->slot_jobs, *only = reactor->jobs;
	uint32_t place = backend->submitted, room = reactor->batch_max;

	while (room > 0 && place != reactor->idle_end) {
		const uint32_t *entry = &backend->queue[place & mask], *begin = entry;
		const uint32_t *end = entry + lesser(lesser(room, reactor->idle_end - place),
						     to_wrap(place, mask));

		for (; entry < end; entry++) {
			uint32_t number = *entry;
			struct operation operation;
			enum job_step step = job_next_shaped(lone ? only : slot_jobs[number],
							     &operation, kind, mix, syncs);

			if (unlikely(step != JOB_OPERATION)) {
				park(reactor, place + (uint32_t)(entry - begin), step, operation);
				break;
			}
			slot_batches[number] = batch;
			prepare(reactor, requests, opcodes, number, &operation, mix, syncs);
		}
		place += (uint32_t)(entry - begin);
		room -= (uint32_t)(entry - begin);
	}
	return place - backend->submitted;
}

/* Not the result asked for: false, and counted as bad by kind, when there is nothing to record. */
static __attribute__((noinline)) bool unexpected(struct reactor *reactor, uint32_t number,
						 int32_t result)
{
	const struct request *request = &reactor->backend->requests[number];
	enum request_kind kind = request_kind(reactor->backend, request);
	struct error err;

	if (recorder_short(reactor->slot_jobs[number]->recorder, kind, request->offset,
			   request->length, result, &err))
		return true;
	reactor->bad[kind]++;
	/* Ended by our own cancelling, which is no failure. */
	if ((result == -ECANCELED || result == -EINTR) && load_stopping(reactor->load))
		return false;
	atomic_fetch_add(&reactor->load->errors, 1);
	load_fail(reactor->load, &err);
	return false;
}

/* So many of a batch have come back. */
static inline void leave_batch(struct reactor *reactor, uint32_t number, uint32_t count)
{
	struct batch *batch = &reactor->batches[number];

	batch->left -= count;
	if (batch->left == 0) {
		batch->next = reactor->unused;
		reactor->unused = number;
	}
}

/* What has come back goes into the histogram of its job's recorder and kind. */
static void complete_apart(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	const struct backend *backend = reactor->backend;

	for (unsigned int i = 0; i < count; i++) {
		const struct completion *completion =
			&backend->completions[(backend->completed + i) & backend->completion_mask];
		uint32_t number = (uint32_t)completion->slot;
		const struct request *request = &backend->requests[number];
		struct recorder *recorder = reactor->slot_jobs[number]->recorder;
		uint32_t batch = reactor->slot_batches[number];
		enum request_kind kind = request_kind(backend, request);
		uint64_t latency_ns = now_ns - reactor->batches[batch].stamp_ns;

		leave_batch(reactor, batch, 1);
		backend->queue[reactor->idle_end++ & backend->queue_mask] = number;
		if (unlikely(completion->result != (int32_t)request->length) &&
		    !unexpected(reactor, number, completion->result))
			continue;
		histogram_add(recorder->histograms[kind], latency_ns);
		recorder->last_ns = now_ns;
	}
}

/* The bad ones are not recorded and forgotten. */
static inline void record_run(struct reactor *reactor, enum request_kind kind, uint64_t latency_ns,
			      uint32_t count)
{
	uint32_t good = count - reactor->bad[kind];

	if (good > 0)
		histogram_add_many(reactor->recorders[0].histograms[kind], latency_ns, good);
	reactor->bad[kind] = 0;
}

/*
 * The same where all goes to one recorder. What comes back together was mostly handed over together
 * and has one latency: so completions are taken in runs of one batch, counted by kind, and recorded
 * once a run. kinds: 1 where all are of one kind and size, 2 reads and writes, 3 fsyncs as well.
 */
static inline __attribute__((always_inline)) void complete_shaped(struct reactor *reactor,
								  unsigned int count,
								  uint64_t now_ns,
								  const unsigned int kinds)
{
	const struct backend *backend = reactor->backend;
	const struct request *requests = backend->requests;
	const uint32_t *slot_batches = reactor->slot_batches;
	const enum request_kind only =
		reactor->allowed[REQUEST_READ] ? REQUEST_READ : REQUEST_WRITE;
	const int32_t bs = (int32_t)reactor->bs_max;
	const uint8_t write_opcode = backend->opcodes[REQUEST_WRITE];
	const uint8_t sync_opcode = backend->opcodes[REQUEST_SYNC];
	uint32_t place = backend->completed;

	while (count > 0) {
		const struct completion *completion =
			&backend->completions[place & backend->completion_mask];
		const struct completion *end =
			completion + lesser(lesser(count, to_wrap(place, backend->completion_mask)),
					    to_wrap(reactor->idle_end, backend->queue_mask));
		uint32_t *idle = &backend->queue[reactor->idle_end & backend->queue_mask];
		uint32_t *first = idle, run, batch = slot_batches[(uint32_t)completion->slot];
		uint32_t writes = 0, syncs = 0;
		uint64_t latency_ns = now_ns - reactor->batches[batch].stamp_ns;

		for (; completion < end; completion++) {
			uint32_t number = (uint32_t)completion->slot;
			const struct request *request = &requests[number];

			if (slot_batches[number] != batch)
				break;
			*idle++ = number;
			if (unlikely(completion->result !=
				     (kinds == 1 ? bs : (int32_t)request->length)))
				(void)unexpected(reactor, number, completion->result);
			if (kinds > 1)
				writes += request->opcode == write_opcode;
			if (kinds > 2)
				syncs += request->opcode == sync_opcode;
		}
		run = (uint32_t)(idle - first);
		place += run;
		count -= run;
		reactor->idle_end += run;
		leave_batch(reactor, batch, run);
		record_run(reactor, kinds == 1 ? only : REQUEST_READ, latency_ns,
			   run - writes - syncs);
		if (kinds > 1)
			record_run(reactor, REQUEST_WRITE, latency_ns, writes);
		if (kinds > 2)
			record_run(reactor, REQUEST_SYNC, latency_ns, syncs);
	}
	reactor->recorders[0].last_ns = now_ns;
}

static void complete_uniform(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	complete_shaped(reactor, count, now_ns, 1);
}

static void complete_mixed(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	complete_shaped(reactor, count, now_ns, 2);
}

static void complete_with_syncs(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	complete_shaped(reactor, count, now_ns, 3);
}

/* ---- depth 1: each operation by itself, with a stamp between submission and completion ---- */

/*
 * Waits for what did not complete within its submission, which returned ready. Its batch is made to
 * have one more than it, so that it is never given back; the stamp is there for what a stop leaves
 * to the drain. The time of its end, or 0 when there is none.
 */
static __attribute__((noinline)) uint64_t wait_single(struct reactor *reactor, uint64_t before_ns,
						      int ready)
{
	struct backend *backend = reactor->backend;
	struct batch *batch = &reactor->batches[reactor->unused];
	uint64_t now_ns = 0;

	batch->stamp_ns = before_ns;
	batch->left = 2;
	reactor->outstanding = 1;
	while (ready == 0) {
		if (load_stopping(reactor->load))
			return 0;
		ready = backend->ops->exchange(backend, 0, 1, REACTOR_WAIT_NS);
		now_ns = reactor_now_ns();
		if (ready == 0 && now_ns >= reactor->next_event_ns)
			reactor_events(reactor, now_ns);
	}
	if (ready < 0) {
		reactor_failed(reactor, ready);
		return 0;
	}
	reactor->outstanding = 0;
	return now_ns;
}

static __attribute__((noinline)) void record_stages(struct recorder *recorder,
						    enum request_kind kind, uint64_t before_ns,
						    uint64_t submitted_ns, uint64_t now_ns)
{
	histogram_add(recorder->histograms[kind], now_ns - before_ns);
	if (kind == REQUEST_SYNC)
		return;
	histogram_add(recorder->submission[kind], submitted_ns - before_ns);
	histogram_add(recorder->completion[kind], now_ns - submitted_ns);
}

static inline __attribute__((always_inline)) void single_shaped(struct reactor *reactor,
								const enum pattern_kind kind,
								const enum pattern_mix mix,
								const bool syncs)
{
	struct backend *backend = reactor->backend;
	struct recorder *recorder = reactor->recorders;
	struct job *job = reactor->jobs;

	while (!load_stopping(reactor->load) && reactor->issuing) {
		uint64_t before_ns, submitted_ns, now_ns;
		const struct completion *completion;
		struct operation operation;
		enum job_step step = job_next_shaped(job, &operation, kind, mix, syncs);
		int ready;

		if (unlikely(step != JOB_OPERATION)) {
			park(reactor, backend->submitted, step, operation);
			return;
		}
		prepare(reactor, backend->requests, backend->opcodes, 0, &operation, mix, syncs);
		before_ns = reactor_now_ns();
		ready = backend->ops->exchange(backend, 1, 0, REACTOR_WAIT_NS);
		submitted_ns = now_ns = reactor_now_ns();
		if (ready != 1) {
			now_ns = wait_single(reactor, before_ns, ready);
			if (unlikely(now_ns == 0))
				return;
		}
		if (unlikely(now_ns >= reactor->next_event_ns))
			reactor_events(reactor, now_ns);
		reactor->idle_end++; /* the queue's one place has the one slot already */
		completion = &backend->completions[backend->completed & backend->completion_mask];
		if (unlikely(completion->result != (int32_t)operation.length) &&
		    !unexpected(reactor, 0, completion->result))
			continue;
		recorder->last_ns = now_ns;
		if (now_ns == submitted_ns && (!syncs || operation.kind != REQUEST_SYNC))
			histogram_add(recorder->at_once[operation.kind], now_ns - before_ns);
		else
			record_stages(recorder, operation.kind, before_ns, submitted_ns, now_ns);
	}
}

/* ---- one function for each shape of workload, without the branches of the others ---- */

struct loops {
	unsigned int (*build[2])(struct reactor *reactor); /* many jobs, one */
	void (*single)(struct reactor *reactor);
};

#define LOOPS(kind, mix, syncs)                                                                    \
	static unsigned int build_##kind##_##mix##_##syncs(struct reactor *reactor)                \
	{                                                                                          \
		return build_shaped(reactor, PATTERN_##kind, PATTERN_##mix, syncs, false);         \
	}                                                                                          \
	static unsigned int lone_##kind##_##mix##_##syncs(struct reactor *reactor)                 \
	{                                                                                          \
		return build_shaped(reactor, PATTERN_##kind, PATTERN_##mix, syncs, true);          \
	}                                                                                          \
	static void single_##kind##_##mix##_##syncs(struct reactor *reactor)                       \
	{                                                                                          \
		single_shaped(reactor, PATTERN_##kind, PATTERN_##mix, syncs);                      \
	}
#define LOOPS_OF(kind)                                                                             \
	LOOPS(kind, READ, 0)                                                                       \
	LOOPS(kind, WRITE, 0)                                                                      \
	LOOPS(kind, WRITE, 1)                                                                      \
	LOOPS(kind, MIXED, 0)                                                                      \
	LOOPS(kind, MIXED, 1)
LOOPS_OF(SEQUENTIAL)
LOOPS_OF(ONCE)
LOOPS_OF(RANDOM)

#define GROUP(kind, mix, syncs)                                                                    \
	{                                                                                          \
		{build_##kind##_##mix##_##syncs, lone_##kind##_##mix##_##syncs},                   \
			single_##kind##_##mix##_##syncs                                            \
	}
/* [mix][syncs]; reads have no syncs */
#define GROUPS(kind)                                                                               \
	{                                                                                          \
		[PATTERN_READ] = {GROUP(kind, READ, 0)},                                           \
		[PATTERN_WRITE] = {GROUP(kind, WRITE, 0), GROUP(kind, WRITE, 1)},                  \
		[PATTERN_MIXED] = {GROUP(kind, MIXED, 0), GROUP(kind, MIXED, 1)},                  \
	}
static const struct loops all_loops[PATTERN_KIND_COUNT][PATTERN_MIX_COUNT][2] = {
	[PATTERN_SEQUENTIAL] = GROUPS(SEQUENTIAL),
	[PATTERN_ONCE] = GROUPS(ONCE),
	[PATTERN_RANDOM] = GROUPS(RANDOM),
};

void reactor_choose_loop(struct reactor *reactor, const struct workload *workload)
{
	enum pattern_mix mix = pattern_mix_of(workload);
	bool syncs = reactor->allowed[REQUEST_SYNC];
	const struct loops *loops = &all_loops[pattern_kind_of(workload)][mix][syncs];

	reactor->build = loops->build[reactor->job_count == 1];
	reactor->single_loop = loops->single;
	if (reactor->recorder_count > 1)
		reactor->complete = complete_apart;
	else if (syncs)
		reactor->complete = complete_with_syncs;
	else
		reactor->complete = mix == PATTERN_MIXED ? complete_mixed : complete_uniform;
}
