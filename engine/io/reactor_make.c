/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reactor_make.c - what a reactor is made of, before its thread begins: declared in reactor.h. */
#include <errno.h>
#include <string.h>

#include "engine/io/reactor.h"
#include "engine/io/verify/verify.h"

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

/* The first index of a job's. */
static uint32_t add_files(struct reactor *reactor, const struct measure_region *region)
{
	uint32_t first = reactor->file_count;

	if (!region->files)
		return file_index(reactor, region->fd);
	for (size_t i = 0; i < region->file_count; i++)
		reactor->files[reactor->file_count++] = region->files[i].fd;
	return first;
}

/* Descriptors that the jobs may have. */
static size_t most_files(const struct reactor_config *config)
{
	size_t files = 0, step = config->step;

	for (size_t i = config->first; i < config->spec->region_count; i += step)
		files += config->spec->regions[i].files ? config->spec->regions[i].file_count : 1;
	return files;
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
		reactor->jobs[i].file = add_files(reactor, &spec->regions[index]);
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

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
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
	if (workload->part_count == 0 && workload->batch > 0)
		reactor->batch_max = (uint32_t)lesser(workload->batch, BACKEND_BATCH_MAX);
	/* At depth 1, and at low = depth, nothing is held back. */
	if (workload->part_count == 0 && workload->iodepth_low < workload_depth(workload))
		reactor->low = (uint32_t)(workload->iodepth_low * reactor->job_count);
	reactor->batch_most = reactor->batch_max;
	reactor->fill = reactor->slot_count;
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
	reactor->files = lines(most_files(config), sizeof(*reactor->files));
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
