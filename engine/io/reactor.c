/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reactor.c - see reactor.h. */
#include "engine/io/reactor.h"

#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"

/* The longest a reactor waits without looking at the stop flag and the time. */
#define WAIT_NS (50 * NS_PER_MS)
/* How long cancelled operations may take to end before they are left behind. */
#define DRAIN_NS (600 * NS_PER_MS)

#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* ---- rounds ---- */

static void events(struct reactor *reactor, uint64_t now_ns)
{
	bool begins = false;

	for (size_t i = 0; i < reactor->recorder_count; i++)
		begins = recorder_event(&reactor->recorders[i], now_ns);
	/* All recorders of a reactor go by the same times. */
	reactor->next_event_ns = reactor->recorders[0].next_event_ns;
	if (begins)
		for (size_t i = 0; i < reactor->job_count; i++)
			job_window_begins(&reactor->jobs[i]);
	if (now_ns >= reactor->load->deadline_ns)
		reactor->issuing = false;
}

static int exchange(struct reactor *reactor, unsigned int count, unsigned int wait_for)
{
	int taken = reactor->backend->ops->exchange(reactor->backend, reactor->requests, count,
						    wait_for, WAIT_NS, reactor->completions,
						    ARRAY_SIZE(reactor->completions));
	struct error err;

	reactor->outstanding += count;
	if (unlikely(taken < 0)) {
		(void)error_set_sys(&err, ERROR_SYSTEM, -taken, "submitting operations");
		load_fail(reactor->load, &err);
		return taken;
	}
	reactor->outstanding -= (uint32_t)taken;
	return taken;
}

static void take(struct reactor *reactor, int taken, uint64_t now_ns)
{
	if (unlikely(now_ns >= reactor->next_event_ns))
		events(reactor, now_ns);
	if (taken > 0)
		reactor->complete(reactor, (unsigned int)taken, now_ns);
}

/* Until all is done, or stopped, or the backend failed. */
static void run_batches(struct reactor *reactor)
{
	while (!load_stopping(reactor->load)) {
		unsigned int count = reactor->issuing ? reactor->build(reactor) : 0;
		bool idle = reactor->issuing && reactor->idle_head != reactor->idle_tail;
		uint64_t now_ns;
		int taken;

		if (count == 0 && reactor->outstanding == 0 && !idle)
			return;
		now_ns = clock_now_ns();
		for (unsigned int i = 0; i < count; i++)
			reactor->slots[reactor->requests[i].slot].stamp_ns = now_ns;
		taken = exchange(reactor, count, idle ? 0 : 1);
		if (taken < 0)
			return;
		take(reactor, taken, clock_now_ns());
	}
}

/* The same for one slot, with a stamp between submission and completion. */
static void run_single(struct reactor *reactor)
{
	while (!load_stopping(reactor->load)) {
		unsigned int count = reactor->issuing ? reactor->build(reactor) : 0;
		struct slot *slot = &reactor->slots[0];
		const struct recorder *recorder = &reactor->recorders[0];
		uint64_t submitted_ns, now_ns;
		uint32_t kind = slot->kind;
		int taken;

		if (count == 0)
			return;
		slot->stamp_ns = clock_now_ns();
		taken = exchange(reactor, 1, 0);
		submitted_ns = now_ns = clock_now_ns();
		while (taken == 0 && !load_stopping(reactor->load)) {
			taken = exchange(reactor, 0, 1);
			now_ns = clock_now_ns();
			take(reactor, 0, now_ns);
		}
		if (taken <= 0)
			return;
		take(reactor, taken, now_ns);
		if (kind < DIRECTION_COUNT && reactor->completions[0].result > 0) {
			histogram_add(recorder->submission[kind], submitted_ns - slot->stamp_ns);
			histogram_add(recorder->completion[kind], now_ns - submitted_ns);
		}
	}
}

/* Ends what is outstanding after a stop; whether all has ended in time. */
static bool drain(struct reactor *reactor)
{
	uint64_t now_ns = clock_now_ns(), until_ns = now_ns + DRAIN_NS;

	if (reactor->outstanding == 0)
		return true;
	while (reactor->idle_head != reactor->idle_tail)
		reactor->slots[reactor->idle[reactor->idle_head++ & reactor->idle_mask]].kind =
			SLOT_IDLE;
	for (uint32_t i = 0; i < reactor->slot_count; i++)
		if (reactor->slots[i].kind < SLOT_IDLE)
			reactor->backend->ops->cancel(reactor->backend, &i, 1);
	while (reactor->outstanding > 0 && now_ns < until_ns) {
		int taken = exchange(reactor, 0, 1);

		if (taken < 0)
			return false;
		now_ns = clock_now_ns();
		take(reactor, taken, now_ns);
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
	if (reactor->single)
		run_single(reactor);
	else
		run_batches(reactor);
	drained = drain(reactor);
	for (size_t i = 0; i < reactor->recorder_count; i++)
		recorder_finish(&reactor->recorders[i]);
	return drained;
}

/* ---- life ---- */

static int set_up(struct reactor *reactor, struct error *err)
{
	struct backend_config config = {
		.slots = reactor->slot_count,
		.arena = &reactor->arena,
		.files = reactor->files,
		.file_count = reactor->file_count,
	};
	int rc;

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
	if (rc == 0)
		memcpy(reactor->features, reactor->backend->features, sizeof(reactor->features));
	return rc;
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

size_t reactor_job_count(const struct reactor_config *config)
{
	return (config->spec->region_count - config->first + config->step - 1) / config->step;
}

/* The index of a descriptor in files, added where it is new. */
static uint32_t file_index(struct reactor *reactor, int fd)
{
	uint32_t i = 0;

	while (i < reactor->file_count && reactor->files[i] != fd)
		i++;
	if (i == reactor->file_count)
		reactor->files[reactor->file_count++] = fd;
	return i;
}

static int make_jobs(struct reactor *reactor, const struct reactor_config *config,
		     struct error *err)
{
	const struct measure_spec *spec = config->spec;
	const struct workload *workload = spec->workload;

	for (size_t i = 0; i < reactor->recorder_count; i++)
		if (recorder_init(&reactor->recorders[i], workload, reactor->single, config->load) <
		    0)
			return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "histograms");
	for (size_t i = 0; i < reactor->job_count; i++) {
		size_t index = config->first + i * config->step;
		int rc = job_init(&reactor->jobs[i], workload, &spec->regions[index], index,
				  spec->seed, &reactor->recorders[reactor->grouped ? 0 : i], err);

		if (rc < 0)
			return rc;
		reactor->jobs[i].file = file_index(reactor, spec->regions[index].fd);
	}
	return 0;
}

/* Slot by slot the next job, so that jobs begin in turn. */
static void make_slots(struct reactor *reactor)
{
	for (uint32_t i = 0; i < reactor->slot_count; i++) {
		reactor->slots[i].job = &reactor->jobs[i % reactor->job_count];
		reactor->slots[i].length = reactor->bs_max;
		reactor->slots[i].kind =
			reactor->allowed[REQUEST_READ] ? REQUEST_READ : REQUEST_WRITE;
		reactor->idle[i] = i;
	}
	reactor->idle_tail = reactor->slot_count;
}

/* Of their own cache lines: two reactors never write to one. */
static void *lines(size_t count, size_t size)
{
	size_t bytes = (count * size + 63) / 64 * 64;
	void *memory = aligned_alloc(64, bytes);

	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

static void choose_shape(struct reactor *reactor, const struct workload *workload)
{
	enum pattern_mix mix = pattern_mix_of(workload);

	reactor->limited = !workload->time_based;
	reactor->allowed[REQUEST_READ] = mix != PATTERN_WRITE;
	reactor->allowed[REQUEST_WRITE] = mix != PATTERN_READ;
	reactor->allowed[REQUEST_SYNC] = mix != PATTERN_READ && workload->fsync > 0;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (reactor->allowed[d] && workload->bs[d] > reactor->bs_max)
			reactor->bs_max = (uint32_t)workload->bs[d];
	reactor->batch = reactor->slot_count / 2;
	if (reactor->batch < 1)
		reactor->batch = 1;
	if (reactor->batch > BACKEND_BATCH_MAX)
		reactor->batch = BACKEND_BATCH_MAX;
	reactor_choose_loop(reactor, workload);
}

int reactor_new(const struct reactor_config *config, struct reactor **ret_reactor,
		struct error *err)
{
	const struct workload *workload = config->spec->workload;
	struct reactor *reactor = lines(1, sizeof(*reactor));
	uint32_t ring = 1;
	int rc;

	if (!reactor)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "a reactor");
	reactor->load = config->load;
	reactor->kind = config->spec->backend;
	reactor->seed = random_derive(config->spec->seed, ~(uint64_t)config->first);
	random_init(&reactor->keys, random_derive(reactor->seed, 1));
	reactor->grouped = workload->group_reporting;
	reactor->job_count = reactor_job_count(config);
	reactor->recorder_count = reactor->grouped ? 1 : reactor->job_count;
	reactor->slot_count = (uint32_t)(reactor->job_count * workload_depth(workload));
	reactor->single = reactor->slot_count == 1;
	while (ring < reactor->slot_count)
		ring *= 2;
	reactor->idle_mask = ring - 1;
	choose_shape(reactor, workload);
	reactor->jobs = lines(reactor->job_count, sizeof(*reactor->jobs));
	reactor->recorders = lines(reactor->recorder_count, sizeof(*reactor->recorders));
	reactor->files = lines(reactor->job_count, sizeof(*reactor->files));
	reactor->slots = lines(reactor->slot_count, sizeof(*reactor->slots));
	reactor->idle = lines(ring, sizeof(*reactor->idle));
	if (!reactor->jobs || !reactor->recorders || !reactor->files || !reactor->slots ||
	    !reactor->idle)
		rc = error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "slots for %u operations",
				   reactor->slot_count);
	else
		rc = make_jobs(reactor, config, err);
	if (rc < 0) {
		reactor_free(reactor);
		return rc;
	}
	make_slots(reactor);
	*ret_reactor = reactor;
	return 0;
}

void reactor_free(struct reactor *reactor)
{
	if (!reactor)
		return;
	for (size_t i = 0; reactor->recorders && i < reactor->recorder_count; i++)
		recorder_done(&reactor->recorders[i]);
	free(reactor->recorders);
	free(reactor->jobs);
	free(reactor->files);
	free(reactor->slots);
	free(reactor->idle);
	free(reactor);
}
