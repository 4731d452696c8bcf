/* SPDX-License-Identifier: GPL-3.0-or-later */
/* threads.c - see threads.h. */
#include "engine/io/threads.h"

#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/lock.h"
#include "engine/io/discard.h"
#include "engine/io/file_set.h"
#include "engine/io/job_steps.h"
#include "engine/io/verify/verify.h"

/* The longest a thread naps without looking at the stop flag and the time. */
#define WAIT_NS (50 * NS_PER_MS)

static void lock(struct thread_job *job)
{
	(void)pthread_mutex_lock(&job->mutex); /* a plain mutex we do not hold cannot fail */
}

static void unlock(struct thread_job *job)
{
	(void)pthread_mutex_unlock(&job->mutex);
}

/* Bytes done or -errno. */
static int32_t perform(const struct thread_job *job, const struct flight *flight, void *buffer)
{
	const struct operation *operation = &flight->operation;
	const struct file_set *files = job->job.course.files;
	int fd = files ? files->files[flight->file].fd : job->fd;
	ssize_t rc;

	if (operation->kind == REQUEST_TRIM)
		return discard(fd, job->device, operation->offset, operation->length);

	do {
		if (operation->kind == REQUEST_READ)
			rc = pread(fd, buffer, operation->length, (off_t)operation->offset);
		else if (operation->kind == REQUEST_WRITE)
			rc = pwrite(fd, buffer, operation->length, (off_t)operation->offset);
		else if (operation->kind == REQUEST_SYNC || operation->kind == REQUEST_END_SYNC)
			rc = fsync(fd);
		else
			rc = fdatasync(fd);
	} while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : (int32_t)rc; /* lengths are at most 64 MiB */
}

static void fail(struct load *load, const struct error *err)
{
	atomic_fetch_add(&load->errors, 1);
	load_fail(load, err);
}

static void look_at_time(struct thread_job *job, uint64_t now_ns)
{
	if (now_ns >= job->recorder.next_event_ns && recorder_event(&job->recorder, now_ns))
		job_window_begins(&job->job, job->job.course.outstanding_bytes);
}

/* Until something of the job lands, or until_ns. Under the job's lock. */
static void nap(struct thread_job *job, uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				 .tv_nsec = (long)(until_ns % NS_PER_S)};

	(void)pthread_cond_timedwait(&job->landed, &job->mutex,
				     &until); /* either way: look again */
}

static enum job_step plan(struct thread_job *job, uint64_t now_ns, struct flight *next)
{
	struct load *load = job->recorder.load;

	for (;;) {
		uint64_t wake_ns = UINT64_MAX;
		enum job_step step;

		if (load_stopping(load))
			return JOB_DONE;
		step = job_plan(&job->job, now_ns, next, &wake_ns);
		if (step != JOB_WAITS)
			return step;
		nap(job, wake_ns < now_ns + WAIT_NS ? wake_ns : now_ns + WAIT_NS);
		now_ns = clock_now_ns();
		look_at_time(job, now_ns);
	}
}

/* Records what was done (NULL: nothing yet) and plans what is next; false when the worker ends. */
static bool turn(struct thread_job *job, struct flight *done, int32_t result, uint64_t now_ns,
		 struct flight *next)
{
	struct load *load = job->recorder.load;
	enum job_step step = JOB_DONE;
	bool failed = false;
	struct error err;

	lock(job);
	look_at_time(job, now_ns);
	if (done) {
		failed = !job_landed(&job->job, done, result, now_ns, &err);
		(void)pthread_cond_broadcast(&job->landed); /* cannot fail */
	}
	if (done && !failed && job_follows(&job->job, done, result)) {
		*next = *done;
		step = load_stopping(load) ? JOB_DONE : JOB_OPERATION;
	} else if (!failed) {
		step = plan(job, now_ns, next);
	}
	unlock(job);
	if (step == JOB_REFUSED)
		(void)job_refusal(&job->job, &next->operation, &err); /* its code is in err */
	if (failed || step == JOB_REFUSED)
		fail(load, &err);
	return step == JOB_OPERATION;
}

static void work(struct thread_worker *worker, void *buffer)
{
	uint64_t now_ns = worker->threads->load->start_ns;
	struct flight *done = NULL;
	struct flight flight, next;
	int32_t result = 0;

	while (turn(worker->job, done, result, now_ns, &next)) {
		flight = next;
		if (flight.operation.kind == REQUEST_WRITE)
			job_fill(&worker->job->job, &flight, buffer, worker->seed);
		flight.stamp_ns = clock_now_ns();
		result = perform(worker->job, &flight, buffer);
		now_ns = clock_now_ns();
		done = &flight;
	}
}

static int set_up(struct thread_worker *worker, struct arena *arena, struct error *err)
{
	struct threads *threads = worker->threads;
	size_t job = (size_t)(worker->job - threads->jobs);
	int rc = placement_enter(&threads->placement, job, err);

	if (rc < 0)
		return rc;
	rc = arena_init(arena, 1, threads->bs_max, threads->writes, worker->seed,
			&threads->load->stop);
	if (rc == -ECANCELED)
		(void)error_set(err, ERROR_CANCELLED, "", "cancelled before the load began");
	else if (rc < 0)
		(void)error_set_sys(err, ERROR_NO_MEMORY, -rc, "a thread's buffer");
	return rc;
}

void *thread_main(void *argument)
{
	struct thread_worker *worker = argument;
	struct threads *threads = worker->threads;
	struct load *load = threads->load;
	struct arena arena = {0};
	struct error err;
	int rc = set_up(worker, &arena, &err);

	if (rc < 0)
		load_fail(load, &err);
	if (load_ready(load) && rc == 0)
		work(worker, arena.base);
	arena_done(&arena);
	load_finished(load, true);
	return NULL;
}

static void *lines(size_t count, size_t size)
{
	void *memory = aligned_alloc(64, count * size); /* both types are of whole cache lines */

	if (memory)
		memset(memory, 0, count * size);
	return memory;
}

static int make_jobs(struct threads *threads, const struct measure_spec *spec, struct error *err)
{
	for (size_t i = 0; i < threads->job_count; i++) {
		const struct workload *part = workload_part(spec->workload, spec->regions[i].part);
		struct thread_job *job = &threads->jobs[i];
		int rc = lock_init(&job->mutex, &job->landed);

		if (rc == 0) {
			threads->lock_count++;
			rc = recorder_init(&job->recorder, part, false, threads->load);
		}
		if (rc < 0)
			return error_set_sys(err, ERROR_NO_MEMORY, -rc, "a job's histograms");
		job->recorder.job = i;
		rc = job_init(&job->job, part, &spec->regions[i], i, spec->seed, &job->recorder,
			      err);
		if (rc < 0)
			return rc;
		if (spec->workload->part_count > 0)
			job_part(&job->job, spec->workload, part);
		job->job.course.data.unit = spec->data_unit;
		job->job.course.verify = verify_of(spec->verify, i);
		job->fd = spec->regions[i].fd;
		job->device = discard_of_device(job->fd);
	}
	return 0;
}

/* Worker by worker the next job that wants one more. */
static void deal_out(struct threads *threads, const struct measure_spec *spec)
{
	size_t worker = 0;

	for (uint64_t level = 0; worker < threads->worker_count; level++) {
		for (size_t i = 0; i < threads->job_count; i++) {
			const struct workload *part =
				workload_part(spec->workload, spec->regions[i].part);

			if (level >= workload_depth(part))
				continue;
			threads->workers[worker].threads = threads;
			threads->workers[worker].job = &threads->jobs[i];
			threads->workers[worker].seed =
				random_derive(spec->seed, ~(uint64_t)worker);
			worker++;
		}
	}
}

int threads_new(const struct measure_spec *spec, struct load *load, struct threads **ret_threads,
		struct error *err)
{
	const struct workload *workload = spec->workload;
	struct threads *threads = calloc(1, sizeof(*threads));
	int rc;

	if (!threads)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "the threads backend");
	threads->load = load;
	placement_init(&threads->placement, workload);
	threads->writes = workload_writes(workload);
	threads->bs_max = workload_buffer_bytes(workload);
	threads->job_count = spec->region_count;
	threads->worker_count = (size_t)workload_outstanding(workload);
	threads->jobs = lines(threads->job_count, sizeof(*threads->jobs));
	threads->workers = lines(threads->worker_count, sizeof(*threads->workers));
	if (!threads->jobs || !threads->workers)
		rc = error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "%zu threads",
				   threads->worker_count);
	else
		rc = make_jobs(threads, spec, err);
	if (rc < 0) {
		threads_free(threads);
		return rc;
	}
	deal_out(threads, spec);
	*ret_threads = threads;
	return 0;
}

void threads_free(struct threads *threads)
{
	if (!threads)
		return;
	for (size_t i = 0; threads->jobs && i < threads->job_count; i++) {
		recorder_done(&threads->jobs[i].recorder);
		job_done(&threads->jobs[i].job);
	}
	for (size_t i = 0; i < threads->lock_count; i++)
		lock_done(&threads->jobs[i].mutex, &threads->jobs[i].landed);
	free(threads->jobs);
	free(threads->workers);
	free(threads);
}
