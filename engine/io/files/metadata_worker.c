/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata_worker.c - the workers of metadata.h: one file after another through a phase. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/io/files/metadata_parts.h"
#include "engine/io/random.h"

/* ---- what went wrong ---- */

static void stop_with(struct run *run, const struct error *error, int sys)
{
	(void)pthread_mutex_lock(&run->mutex); /* a plain mutex we do not hold cannot fail */
	run->errors++;
	if (!run->failed) {
		run->failed = true;
		run->error = *error;
		atomic_store(&run->stop, sys);
	}
	(void)pthread_cond_broadcast(&run->changed);
	(void)pthread_mutex_unlock(&run->mutex);
}

enum error_code metadata_code_of(int sys)
{
	switch (sys) {
	case ENOSPC:
	case EDQUOT:
		return ERROR_NO_SPACE;
	case EROFS:
		return ERROR_TARGET_READ_ONLY;
	case EEXIST:
		return ERROR_FILE_EXISTS;
	default:
		return ERROR_IO_ERROR;
	}
}

static void task_failed(struct run *run, const struct file_task *task)
{
	const char *operation = file_operation_names[task->operation];
	struct error error = {0};
	int sys = task->error ? task->error : EIO, r;

	if (task->error)
		r = error_set_sys(&error, metadata_code_of(sys), sys, "%s of a file: %s %s",
				  operation, task->call, task->name);
	else if (task->operation == FILE_STAT)
		r = error_set_sys(&error, ERROR_IO_ERROR, sys,
				  "stat of a file: %s is not the regular file of %" PRIu64
				  " bytes that was made",
				  task->name, task->bytes);
	else
		r = error_set_sys(&error, ERROR_IO_ERROR, sys,
				  "%s of a file: %" PRIu64 " of the %" PRIu64 " bytes of %s",
				  operation, task->moved, task->bytes, task->name);
	(void)r; /* the code is in the error */
	stop_with(run, &error, sys);
}

/* ---- a worker ---- */

static void fill_task(const struct run *run, const struct job *job, uint64_t file, void *buffer,
		      struct file_task *task)
{
	const struct files_plan *plan = &job->plan;
	uint64_t at = random_scale(files_plan_content(plan, file), METADATA_SOURCE_BYTES);

	task->operation = run->operation;
	task->moves = run->operation == FILE_CREATE && run->moves;
	task->sync = run->sync;
	task->may_replace = run->may_replace;
	task->directory = job->directories[files_plan_directory(plan, file)];
	(void)files_plan_name(file, run->renamed, task->name);
	(void)files_plan_name(file, true, task->new_name);
	task->bytes = files_plan_bytes(plan, file);
	task->data = run->source.base ? (const char *)run->source.base + at : NULL;
	task->buffer = buffer;
}

/* The next file of a place's job; false: there is none any more. */
static bool next_task(struct worker *worker, uint32_t place)
{
	struct place *own = &worker->places[place];
	struct job *job = own->job;
	uint64_t next = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
	void *buffer = worker->buffers.base ? arena_buffer(&worker->buffers, place) : NULL;

	if (next >= job->plan.files)
		return false;
	fill_task(worker->run, job, job->order[next], buffer, &own->task);
	return true;
}

static void record(struct worker *worker, const struct place *place, uint64_t now_ns)
{
	if (!files_task_whole(&place->task)) {
		task_failed(worker->run, &place->task);
		return;
	}
	histogram_add(worker->latency, now_ns - place->stamp_ns);
	worker->bytes += place->task.moved;
	worker->end_ns = now_ns;
}

static void work_alone(struct worker *worker)
{
	struct place *place = &worker->places[0];

	while (!metadata_stopping(worker->run) && next_task(worker, 0)) {
		place->stamp_ns = clock_now_ns();
		files_task_perform(&place->task);
		record(worker, place, clock_now_ns());
	}
}

static void ring_failed(struct worker *worker, int rc)
{
	struct error error = {0};

	(void)error_set_sys(&error, ERROR_SYSTEM, -rc, "io_uring"); /* its code is in the error */
	stop_with(worker->run, &error, -rc);
	(void)pthread_mutex_lock(&worker->run->mutex);
	worker->run->stuck = true;
	(void)pthread_mutex_unlock(&worker->run->mutex);
}

/* Puts a task into every idle place that has one; how many. */
static uint32_t put_tasks(struct worker *worker, uint64_t now_ns)
{
	uint32_t put = 0, kept = 0;

	for (uint32_t i = 0; i < worker->idle_count; i++) {
		uint32_t place = worker->idle[i];

		if (metadata_stopping(worker->run) || !next_task(worker, place)) {
			worker->idle[kept++] = place;
			continue;
		}
		worker->places[place].stamp_ns = now_ns;
		files_ring_put(worker->ring, place, &worker->places[place].task);
		put++;
	}
	worker->idle_count = kept;
	return put;
}

static void work_ring(struct worker *worker, uint64_t now_ns)
{
	uint32_t outstanding = 0, place;

	for (;;) {
		int rc;

		outstanding += put_tasks(worker, now_ns);
		if (outstanding == 0)
			return;
		rc = files_ring_exchange(worker->ring, METADATA_WATCH_NS);
		if (rc < 0) {
			/* What the kernel has is never taken back: the memory stays. */
			ring_failed(worker, rc);
			return;
		}
		now_ns = clock_now_ns();
		while (files_ring_next(worker->ring, &place)) {
			record(worker, &worker->places[place], now_ns);
			worker->idle[worker->idle_count++] = place;
			outstanding--;
		}
	}
}

/* Waits for the phase after `last`; false: there is none any more. */
static bool wait_phase(struct run *run, size_t last, uint64_t *ret_start_ns)
{
	size_t phase;

	(void)pthread_mutex_lock(&run->mutex);
	while (run->phase == last)
		(void)pthread_cond_wait(&run->changed, &run->mutex); /* woken or not: look again */
	phase = run->phase;
	*ret_start_ns = run->start_ns;
	(void)pthread_mutex_unlock(&run->mutex);
	return phase != SIZE_MAX;
}

static void count(struct run *run, size_t *counter)
{
	(void)pthread_mutex_lock(&run->mutex);
	(*counter)++;
	(void)pthread_cond_broadcast(&run->changed);
	(void)pthread_mutex_unlock(&run->mutex);
}

static int open_ring(struct worker *worker)
{
	struct run *run = worker->run;
	struct error error = {0};
	int r = files_ring_open(worker->place_count, &run->phases, &worker->ring, &error);

	if (r < 0)
		stop_with(run, &error, -r);
	else if (worker == run->workers)
		(void)snprintf(run->features, sizeof(run->features), "%s",
			       files_ring_features(worker->ring)); /* of one size */
	return r;
}

void *metadata_worker_main(void *argument)
{
	struct worker *worker = argument;
	struct run *run = worker->run;
	uint64_t start_ns;
	bool ring = run->spec->backend == BACKEND_IO_URING;
	bool usable = !ring || open_ring(worker) == 0;

	count(run, &run->ready);
	for (size_t last = 0; usable && wait_phase(run, last, &start_ns); last++) {
		worker->end_ns = start_ns;
		if (ring)
			work_ring(worker, start_ns);
		else
			work_alone(worker);
		count(run, &run->done);
	}
	files_ring_close(worker->ring);
	worker->ring = NULL;
	count(run, &run->gone);
	return NULL;
}
