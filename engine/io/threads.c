/* SPDX-License-Identifier: GPL-3.0-or-later */
/* threads.c - see threads.h. */
#include "engine/io/threads.h"

#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"

static void lock(struct thread_job *job)
{
	(void)pthread_mutex_lock(&job->mutex); /* a plain mutex we do not hold cannot fail */
}

static void unlock(struct thread_job *job)
{
	(void)pthread_mutex_unlock(&job->mutex);
}

/* Bytes done or -errno. */
static int32_t perform(int fd, const struct operation *operation, void *buffer)
{
	ssize_t rc;

	do {
		if (operation->kind == REQUEST_READ)
			rc = pread(fd, buffer, operation->length, (off_t)operation->offset);
		else if (operation->kind == REQUEST_WRITE)
			rc = pwrite(fd, buffer, operation->length, (off_t)operation->offset);
		else
			rc = fsync(fd);
	} while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : (int32_t)rc; /* lengths are at most 64 MiB */
}

/* One operation as the worker knows it. */
struct performed {
	struct operation operation;
	uint64_t before_ns, after_ns;
	int32_t result;
};

/* Under the job's lock. False when it failed, with err. */
static bool record(struct thread_job *job, const struct performed *done, struct error *err)
{
	struct recorder *recorder = &job->recorder;
	const struct operation *operation = &done->operation;

	job->outstanding_bytes -= operation->length;
	if (done->result != (int32_t)operation->length &&
	    !recorder_short(recorder, operation->kind, operation->offset, operation->length,
			    done->result, err))
		return false;
	histogram_add(recorder->histograms[operation->kind], done->after_ns - done->before_ns);
	if (done->after_ns > recorder->last_ns)
		recorder->last_ns = done->after_ns;
	return true;
}

static void fail(struct load *load, const struct error *err)
{
	atomic_fetch_add(&load->errors, 1);
	load_fail(load, err);
}

/* Records what was done (NULL: nothing yet) and draws what is next; false when the worker ends. */
static bool turn(struct thread_job *job, const struct performed *done, uint64_t now_ns,
		 struct operation *next)
{
	struct load *load = job->recorder.load;
	enum job_step step = JOB_DONE;
	bool failed = false;
	struct error err;

	lock(job);
	/* The first call is the first event, which opens the window where there is no ramp. */
	if (now_ns >= job->recorder.next_event_ns && recorder_event(&job->recorder, now_ns))
		job_window_begins(&job->job, job->outstanding_bytes);
	if (done)
		failed = !record(job, done, &err);
	if (!failed && !load_stopping(load) && now_ns < load->deadline_ns)
		step = job_next(&job->job, next);
	if (step == JOB_OPERATION)
		job->outstanding_bytes += next->length;
	unlock(job);
	if (step == JOB_REFUSED)
		(void)job_refusal(&job->job, next, &err); /* its code is in err */
	if (failed || step == JOB_REFUSED)
		fail(load, &err);
	return step == JOB_OPERATION;
}

static void work(struct thread_worker *worker, void *buffer)
{
	struct performed performed;
	uint64_t now_ns = worker->threads->load->start_ns;
	const struct performed *done = NULL;
	struct operation next;
	struct random keys;

	random_init(&keys, worker->seed);
	while (turn(worker->job, done, now_ns, &next)) {
		performed.operation = next;
		if (next.kind == REQUEST_WRITE)
			buffer_refresh(buffer, next.length, random_next(&keys));
		performed.before_ns = clock_now_ns();
		performed.result = perform(worker->job->fd, &next, buffer);
		performed.after_ns = now_ns = clock_now_ns();
		done = &performed;
	}
}

void *thread_main(void *argument)
{
	struct thread_worker *worker = argument;
	struct threads *threads = worker->threads;
	struct load *load = threads->load;
	struct arena arena;
	struct error err;
	int rc = arena_init(&arena, 1, threads->bs_max, threads->writes, worker->seed, &load->stop);

	if (rc == -ECANCELED)
		(void)error_set(&err, ERROR_CANCELLED, "", "cancelled before the load began");
	else if (rc < 0)
		(void)error_set_sys(&err, ERROR_NO_MEMORY, -rc, "a thread's buffer");
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
		struct thread_job *job = &threads->jobs[i];
		int rc = -pthread_mutex_init(&job->mutex, NULL);

		if (rc == 0) {
			threads->mutex_count++;
			rc = recorder_init(&job->recorder, spec->workload, false, threads->load);
		}
		if (rc < 0)
			return error_set_sys(err, ERROR_NO_MEMORY, -rc, "a job's histograms");
		rc = job_init(&job->job, spec->workload, &spec->regions[i], i, spec->seed,
			      &job->recorder, err);
		if (rc < 0)
			return rc;
		job->fd = spec->regions[i].fd;
	}
	return 0;
}

int threads_new(const struct measure_spec *spec, struct load *load, struct threads **ret_threads,
		struct error *err)
{
	const struct workload *workload = spec->workload;
	enum pattern_mix mix = pattern_mix_of(workload);
	struct threads *threads = calloc(1, sizeof(*threads));
	size_t depth = (size_t)workload_depth(workload);
	int rc;

	if (!threads)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "the threads backend");
	threads->load = load;
	threads->writes = mix != PATTERN_READ;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (mix != (d == DIRECTION_READ ? PATTERN_WRITE : PATTERN_READ) &&
		    workload->bs[d] > threads->bs_max)
			threads->bs_max = workload->bs[d];
	threads->job_count = spec->region_count;
	threads->worker_count = threads->job_count * depth;
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
	for (size_t i = 0; i < threads->worker_count; i++) {
		threads->workers[i].threads = threads;
		threads->workers[i].job = &threads->jobs[i % threads->job_count];
		threads->workers[i].seed = random_derive(spec->seed, ~(uint64_t)i);
	}
	*ret_threads = threads;
	return 0;
}

void threads_free(struct threads *threads)
{
	if (!threads)
		return;
	for (size_t i = 0; threads->jobs && i < threads->job_count; i++)
		recorder_done(&threads->jobs[i].recorder);
	for (size_t i = 0; i < threads->mutex_count; i++)
		(void)pthread_mutex_destroy(&threads->jobs[i].mutex); /* nobody holds it */
	free(threads->jobs);
	free(threads->workers);
	free(threads);
}
