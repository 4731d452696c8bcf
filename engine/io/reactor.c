/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reactor.c - see reactor.h. */
#include "engine/io/reactor.h"

#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/io/verify.h"

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

/* Until all is done, or stopped, or the backend failed. */
static void run_batches(struct reactor *reactor)
{
	const struct backend *backend = reactor->backend;

	while (!load_stopping(reactor->load)) {
		unsigned int count = reactor->issuing ? reactor->build(reactor) : 0;
		bool idle = reactor->issuing && reactor->idle_end - backend->submitted != count;
		uint32_t wait_for;
		int ready;

		if (count == 0 && reactor->outstanding == 0 && !idle)
			return;
		stamp(reactor, count);
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
		(void)snprintf(reactor->features + length, sizeof(reactor->features) - length,
			       ", waits for %u completions", reactor->wait_for);
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

/* The part that the i-th job of the reactor belongs to. */
static const struct workload *part_of(const struct reactor_config *config, size_t i)
{
	const struct measure_spec *spec = config->spec;

	return workload_part(spec->workload, spec->regions[config->first + i * config->step].part);
}

/* A job's recorder: that of an earlier job of its part, unless they are told apart. */
static struct recorder *recorder_of(struct reactor *reactor, const struct reactor_config *config,
				    size_t i)
{
	const struct workload *part = part_of(config, i);
	struct recorder *recorder;

	for (size_t k = i; part->group_reporting && k > 0; k--)
		if (part_of(config, k - 1) == part)
			return reactor->jobs[k - 1].recorder;
	recorder = &reactor->recorders[reactor->recorder_count++];
	if (recorder_init(recorder, part, reactor->single, config->load) < 0)
		return NULL;
	recorder->job = config->first + i * config->step;
	return recorder;
}

static int make_jobs(struct reactor *reactor, const struct reactor_config *config,
		     struct error *err)
{
	const struct measure_spec *spec = config->spec;

	for (size_t i = 0; i < reactor->job_count; i++) {
		size_t index = config->first + i * config->step;
		const struct workload *part = part_of(config, i);
		struct recorder *recorder = recorder_of(reactor, config, i);
		int rc;

		if (!recorder)
			return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "histograms");
		rc = job_init(&reactor->jobs[i], part, &spec->regions[index], index, spec->seed,
			      recorder, err);
		if (rc < 0)
			return rc;
		reactor->jobs[i].course.data.unit = spec->data_unit;
		reactor->jobs[i].course.verify = verify_of(spec->verify, index);
		reactor->jobs[i].file = file_index(reactor, spec->regions[index].fd);
		if (spec->workload->part_count > 0)
			job_part(&reactor->jobs[i], spec->workload, part);
	}
	return 0;
}

static uint64_t count_slots(const struct reactor *reactor, const struct reactor_config *config)
{
	uint64_t count = 0;

	for (size_t i = 0; i < reactor->job_count; i++)
		count += workload_depth(part_of(config, i));
	return count;
}

/* Slot by slot the next job that wants one more, so that jobs begin in turn. */
static void make_slots(struct reactor *reactor, const struct reactor_config *config)
{
	uint32_t slot = 0;

	for (uint64_t level = 0; slot < reactor->slot_count; level++)
		for (size_t i = 0; i < reactor->job_count; i++)
			if (level < workload_depth(part_of(config, i)))
				reactor->slot_jobs[slot++] = &reactor->jobs[i];
	for (uint32_t i = 0; i <= reactor->slot_count; i++)
		reactor->batches[i].next = i + 1; /* the last one's is never followed */
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

/* How the ring is to work: of all parts alike, but for what any of them may insist on. */
static void choose_ring(struct reactor *reactor, const struct workload *workload)
{
	const struct workload *part = workload_part(workload, 0);

	reactor->polled = part->hipri;
	reactor->kernel_thread = part->sqthread_poll;
	reactor->kernel_thread_cpu = workload_is_set(part, OPTION_ID_SQTHREAD_POLL_CPU)
					     ? (int)part->sqthread_poll_cpu
					     : -1;
	for (size_t i = 0; i < workload_parts(workload); i++)
		reactor->registered_buffers |= workload_part(workload, i)->fixedbufs;
}

static void choose_shape(struct reactor *reactor, const struct workload *workload)
{
	for (int d = 0; d < DIRECTION_COUNT; d++)
		reactor->allowed[d] = workload_moves(workload, (enum direction)d);
	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);
		bool writes = workload_writes(part);

		reactor->allowed[REQUEST_SYNC] |= writes && part->fsync > 0;
		reactor->allowed[REQUEST_DATASYNC] |= writes && part->fdatasync > 0;
		reactor->allowed[REQUEST_END_SYNC] |= writes && part->end_fsync;
	}
	reactor->bs_max = (uint32_t)workload_buffer_bytes(workload);
	reactor->batch_max = reactor->slot_count / 2;
	if (reactor->batch_max < 1)
		reactor->batch_max = 1;
	if (reactor->batch_max > BACKEND_BATCH_MAX)
		reactor->batch_max = BACKEND_BATCH_MAX;
	reactor->wait_for = 1;
	/* Where jobs of different options share the ring, none waits for what others have. */
	if (workload->part_count == 0 && workload->batch_complete_min > 1)
		reactor->wait_for = (uint32_t)workload->batch_complete_min;
}

int reactor_new(const struct reactor_config *config, struct reactor **ret_reactor,
		struct error *err)
{
	const struct workload *workload = config->spec->workload;
	struct reactor *reactor = lines(1, sizeof(*reactor));
	int rc;

	if (!reactor)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "a reactor");
	reactor->load = config->load;
	reactor->kind = config->spec->backend;
	placement_init(&reactor->placement, workload);
	choose_ring(reactor, workload);
	reactor->first_job = config->first;
	reactor->seed = random_derive(config->spec->seed, ~(uint64_t)config->first);
	random_init(&reactor->keys, random_derive(reactor->seed, 1));
	reactor->job_count = reactor_job_count(config);
	reactor->slot_count = (uint32_t)count_slots(reactor, config);
	reactor->steps = !job_is_plain(workload);
	reactor->single = reactor->slot_count == 1;
	choose_shape(reactor, workload);
	reactor->jobs = lines(reactor->job_count, sizeof(*reactor->jobs));
	reactor->recorders = lines(reactor->job_count, sizeof(*reactor->recorders));
	reactor->files = lines(reactor->job_count, sizeof(*reactor->files));
	reactor->slot_jobs = lines(reactor->slot_count, sizeof(*reactor->slot_jobs));
	reactor->slot_batches = lines(reactor->slot_count, sizeof(*reactor->slot_batches));
	reactor->slot_parked = lines(reactor->slot_count, sizeof(*reactor->slot_parked));
	reactor->slot_flying = lines(reactor->slot_count, sizeof(*reactor->slot_flying));
	reactor->batches = lines((size_t)reactor->slot_count + 1, sizeof(*reactor->batches));
	if (reactor->steps) {
		reactor->job_slots = lines(reactor->job_count, sizeof(*reactor->job_slots));
		reactor->flights = lines(reactor->slot_count, sizeof(*reactor->flights));
		reactor->slot_next = lines(reactor->slot_count, sizeof(*reactor->slot_next));
	}
	if (!reactor->jobs || !reactor->recorders || !reactor->files || !reactor->slot_jobs ||
	    !reactor->slot_batches || !reactor->slot_parked || !reactor->slot_flying ||
	    !reactor->batches ||
	    (reactor->steps && (!reactor->job_slots || !reactor->flights || !reactor->slot_next)))
		rc = error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "slots for %u operations",
				   reactor->slot_count);
	else
		rc = make_jobs(reactor, config, err);
	if (rc < 0) {
		reactor_free(reactor);
		return rc;
	}
	if (reactor->steps)
		reactor->complete = reactor_complete_steps;
	else
		reactor_choose_loop(reactor, workload);
	make_slots(reactor, config);
	*ret_reactor = reactor;
	return 0;
}

void reactor_free(struct reactor *reactor)
{
	if (!reactor)
		return;
	for (size_t i = 0; reactor->recorders && i < reactor->recorder_count; i++)
		recorder_done(&reactor->recorders[i]);
	for (size_t i = 0; reactor->jobs && i < reactor->job_count; i++)
		job_done(&reactor->jobs[i]);
	free(reactor->recorders);
	free(reactor->jobs);
	free(reactor->files);
	free(reactor->slot_jobs);
	free(reactor->slot_batches);
	free(reactor->slot_parked);
	free(reactor->slot_flying);
	free(reactor->batches);
	free(reactor->job_slots);
	free(reactor->flights);
	free(reactor->slot_next);
	free(reactor);
}
