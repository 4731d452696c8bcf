/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reactor_steps.c - the loop of a reactor whose jobs go step by step (job_is_plain() is false):
 * each operation is planned and landed by a call, so that whatever a workload may ask for is said
 * in job_steps.c once, for this and for the threads backend. See reactor.h; declared there.
 *
 * Invariants: an idle slot is marked parked and hangs in its job's list; the backend's queue holds
 * nothing idle (idle_end is `submitted`), so only what was planned is handed over. Jobs are asked
 * in turn, one operation each, beginning where the last batch ended.
 */
#include <errno.h>

#include "engine/io/reactor.h"

#define NO_SLOT UINT32_MAX

/* ---- slots ---- */

static void put_idle(struct reactor *reactor, uint32_t number)
{
	struct job_slots *slots = &reactor->job_slots[reactor->slot_jobs[number] - reactor->jobs];

	reactor->slot_parked[number] = true;
	reactor->slot_next[number] = slots->idle;
	slots->idle = number;
}

static uint32_t take_idle(struct reactor *reactor, struct job_slots *slots)
{
	uint32_t number = slots->idle;

	slots->idle = reactor->slot_next[number];
	reactor->slot_parked[number] = false;
	return number;
}

/* Its next operation is planned already: job_follows(). First in, first out. */
static void put_following(struct reactor *reactor, uint32_t number)
{
	reactor->slot_parked[number] = true;
	reactor->slot_next[number] = NO_SLOT;
	if (reactor->follow_first == NO_SLOT)
		reactor->follow_first = number;
	else
		reactor->slot_next[reactor->follow_last] = number;
	reactor->follow_last = number;
}

static uint32_t take_following(struct reactor *reactor)
{
	uint32_t number = reactor->follow_first;

	reactor->follow_first = reactor->slot_next[number];
	reactor->slot_parked[number] = false;
	return number;
}

void reactor_begin_steps(struct reactor *reactor)
{
	for (size_t i = 0; i < reactor->job_count; i++)
		reactor->job_slots[i] = (struct job_slots){.idle = NO_SLOT};
	for (uint32_t i = reactor->slot_count; i > 0; i--)
		put_idle(reactor, i - 1);
	reactor->follow_first = NO_SLOT;
	reactor->idle_end = reactor->backend->submitted;
}

/* ---- planning ---- */

static void refuse(struct reactor *reactor, const struct job *job,
		   const struct operation *operation)
{
	struct error err;

	(void)job_refusal(job, operation, &err); /* its code is in err */
	atomic_fetch_add(&reactor->load->errors, 1);
	load_fail(reactor->load, &err);
}

/* A planned operation goes into the request of its slot, and that into the queue. */
static inline __attribute__((always_inline)) void prepare(struct reactor *reactor, uint32_t number,
							  uint32_t place)
{
	const struct flight *flight = &reactor->flights[number];
	const struct operation *operation = &flight->operation;
	const struct job *job = reactor->slot_jobs[number];
	struct backend *backend = reactor->backend;

	request_set(backend, number, (enum request_kind)operation->kind, operation->offset,
		    operation->length);
	if (job->course.files)
		backend->requests[number].file = job->file + flight->file;
	backend->queue[place & backend->queue_mask] = number;
	if (operation->kind == REQUEST_WRITE)
		job_fill(job, flight, arena_buffer(&reactor->arena, number),
			 random_derive(reactor->seed, number));
}

/* Asks one job; whether an operation came of it. */
static bool ask(struct reactor *reactor, size_t index, uint32_t place, uint64_t now_ns,
		uint64_t *wake_ns)
{
	struct job_slots *slots = &reactor->job_slots[index];
	struct job *job = &reactor->jobs[index];
	uint64_t wake = UINT64_MAX;
	uint32_t number;

	if (slots->idle == NO_SLOT || slots->done)
		return false;
	number = slots->idle;
	switch (job_plan(job, now_ns, &reactor->flights[number], &wake)) {
	case JOB_OPERATION:
		prepare(reactor, take_idle(reactor, slots), place);
		return true;
	case JOB_WAITS:
		if (wake < *wake_ns)
			*wake_ns = wake;
		slots->waits = true;
		break;
	case JOB_REFUSED:
		refuse(reactor, job, &reactor->flights[number].operation);
		slots->done = true;
		break;
	case JOB_DONE:
		slots->done = true;
		break;
	}
	return false;
}

/*
 * The next batch, in the queue behind `submitted`: how many. What follows at once goes first.
 * *ret_wake_ns: when a job that waits is to be asked again.
 */
static unsigned int plan_batch(struct reactor *reactor, uint64_t now_ns, uint64_t *ret_wake_ns)
{
	uint32_t place = reactor->backend->submitted, count = 0;
	size_t barren = 0; /* jobs asked in vain, one after another */

	*ret_wake_ns = UINT64_MAX;
	for (size_t i = 0; i < reactor->job_count; i++)
		reactor->job_slots[i].waits = false;
	while (count < reactor->batch_max && reactor->follow_first != NO_SLOT) {
		prepare(reactor, take_following(reactor), place + count);
		count++;
	}
	while (count < reactor->batch_max && barren < reactor->job_count) {
		size_t index = reactor->turn;

		reactor->turn = index + 1 < reactor->job_count ? index + 1 : 0;
		if (!reactor->job_slots[index].waits &&
		    ask(reactor, index, place + count, now_ns, ret_wake_ns)) {
			count++;
			barren = 0;
		} else {
			barren++;
		}
	}
	reactor->idle_end = place + count;
	return count;
}

/* Whether any job could be asked again some time: it has not said that it is done. */
static bool any_left(const struct reactor *reactor)
{
	for (size_t i = 0; i < reactor->job_count; i++)
		if (!reactor->job_slots[i].done)
			return true;
	return false;
}

/* ---- landing ---- */

void reactor_complete_steps(struct reactor *reactor, unsigned int count, uint64_t now_ns)
{
	const struct backend *backend = reactor->backend;

	for (unsigned int i = 0; i < count; i++) {
		const struct completion *completion =
			&backend->completions[(backend->completed + i) & backend->completion_mask];
		uint32_t number = (uint32_t)completion->slot;
		int32_t result = completion->result;
		struct error err;
		bool good = job_landed(reactor->slot_jobs[number], &reactor->flights[number],
				       result, now_ns, &err);

		if (good && reactor->slot_jobs[number]->course.rewrites &&
		    job_follows(reactor->slot_jobs[number], &reactor->flights[number], result))
			put_following(reactor, number);
		else
			put_idle(reactor, number);
		/* Ended by our own cancelling, which is no failure. */
		if (good ||
		    ((result == -ECANCELED || result == -EINTR) && load_stopping(reactor->load)))
			continue;
		atomic_fetch_add(&reactor->load->errors, 1);
		load_fail(reactor->load, &err);
	}
}

/* ---- rounds ---- */

static void stamp(struct reactor *reactor, unsigned int count)
{
	const struct backend *backend = reactor->backend;
	uint64_t now_ns = reactor_now_ns();

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = (backend->submitted + i) & backend->queue_mask;

		reactor->flights[backend->queue[place]].stamp_ns = now_ns;
	}
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Nothing is outstanding and nothing may be issued before until_ns. */
static void nap(uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				 .tv_nsec = (long)(until_ns % NS_PER_S)};

	/* A shorter one does no harm: the caller looks again. */
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Hands the batch over and waits as long as there is reason to: completions, or -errno. */
static int exchange(struct reactor *reactor, unsigned int count, uint64_t now_ns, uint64_t wake_ns)
{
	uint32_t outstanding = reactor->outstanding + count;
	uint32_t wait_for = outstanding < reactor->wait_for ? outstanding : reactor->wait_for;
	int ready;

	/* More may be planned at once, unless the batch ended because nobody wanted to; and at
	 * depth 1 the submission is timed apart. */
	if ((count == reactor->batch_max && reactor->issuing &&
	     (reactor->low == 0 || reactor->fill > 0)) ||
	    (reactor->single && count > 0))
		wait_for = 0;
	wake_ns = earlier(wake_ns, now_ns + REACTOR_WAIT_NS);
	ready = reactor->backend->ops->exchange(reactor->backend, count, wait_for,
						wake_ns > now_ns ? wake_ns - now_ns : 1);
	reactor->outstanding = outstanding;
	reactor->idle_end = reactor->backend->submitted;
	return ready;
}

void reactor_run_steps(struct reactor *reactor)
{
	uint64_t now_ns = reactor->load->start_ns;

	while (!load_stopping(reactor->load)) {
		uint64_t wake_ns = UINT64_MAX;
		bool filling = reactor->low == 0 || reactor_may_fill(reactor);
		unsigned int count = filling ? plan_batch(reactor, now_ns, &wake_ns) : 0;
		int ready = 0;

		reactor->fill -= reactor->low > 0 ? count : 0;
		if (count == 0 && reactor->outstanding == 0) {
			if (!any_left(reactor))
				return;
			nap(earlier(wake_ns, now_ns + REACTOR_WAIT_NS));
		} else {
			stamp(reactor, count);
			ready = exchange(reactor, count, now_ns, wake_ns);
		}
		if (ready < 0) {
			reactor_failed(reactor, ready);
			return;
		}
		now_ns = reactor_now_ns();
		if (reactor->single && count > 0)
			reactor->flights[0].submitted_ns = now_ns;
		reactor_take(reactor, ready, now_ns);
	}
}
