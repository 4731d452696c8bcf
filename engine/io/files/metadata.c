/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metadata.c - see metadata.h: makes workers, conducts phases, gathers what comes of them. The
 * control thread is metadata_run's caller; the workers are in metadata_worker.c.
 */
#include "engine/io/files/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "engine/base/lock.h"
#include "engine/io/files/metadata_parts.h"
#include "engine/io/resources.h"

#define TICK_NS (200 * NS_PER_MS)
#define PATIENCE_NS (600 * NS_PER_MS)
#define STACK_BYTES ((size_t)256 << 10)

/* ---- making ---- */

static size_t places_of(const struct run *run, size_t worker)
{
	size_t depth = (size_t)workload_depth(run->spec->workload);
	size_t jobs = (run->job_count - worker + run->worker_count - 1) / run->worker_count;

	return run->spec->backend == BACKEND_IO_URING ? jobs * depth : 1;
}

static int make_worker(struct run *run, size_t index)
{
	struct worker *worker = &run->workers[index];
	size_t depth = (size_t)workload_depth(run->spec->workload), places = places_of(run, index);
	uint64_t most = run->spec->workload->filesize[1];

	worker->run = run;
	worker->places = calloc(places, sizeof(*worker->places));
	worker->idle = calloc(places, sizeof(*worker->idle));
	worker->latency = malloc(sizeof(*worker->latency));
	if (!worker->places || !worker->idle || !worker->latency)
		return -ENOMEM;
	worker->place_count = worker->idle_count = (uint32_t)places;
	for (size_t i = 0; i < places; i++) {
		/* A ring's jobs are index, index + workers, ...; of the threads' each has `depth`.
		 */
		size_t job = run->spec->backend == BACKEND_IO_URING
				     ? index + i / depth * run->worker_count
				     : index % run->job_count;

		worker->places[i].job = &run->jobs[job];
		worker->idle[i] = (uint32_t)i;
	}
	histogram_init(worker->latency);
	return run->reads && most > 0 ? arena_init(&worker->buffers, places, most, false, 0, NULL)
				      : 0;
}

static int make_jobs(struct run *run)
{
	const struct metadata_spec *spec = run->spec;

	for (size_t i = 0; i < run->job_count; i++) {
		struct job *job = &run->jobs[i];

		files_plan_init(&job->plan, spec->workload, i, spec->seed);
		job->directories = spec->directories + i * spec->workload->directories;
		job->order = calloc(job->plan.files, sizeof(*job->order));
		if (!job->order)
			return -ENOMEM;
	}
	return 0;
}

static void run_free(struct run *run)
{
	for (size_t i = 0; run->workers && i < run->worker_count; i++) {
		free(run->workers[i].places);
		free(run->workers[i].idle);
		free(run->workers[i].latency);
		arena_done(&run->workers[i].buffers);
	}
	for (size_t i = 0; run->jobs && i < run->job_count; i++)
		free(run->jobs[i].order);
	arena_done(&run->source);
	lock_done(&run->mutex, &run->changed);
	free(run->workers);
	free(run->jobs);
	free(run->ids);
	free(run);
}

static int fill_run(struct run *run)
{
	const struct workload *workload = run->spec->workload;
	int rc;

	run->jobs = aligned_alloc(_Alignof(struct job), run->job_count * sizeof(*run->jobs));
	if (run->jobs)
		memset(run->jobs, 0, run->job_count * sizeof(*run->jobs));
	run->workers = calloc(run->worker_count, sizeof(*run->workers));
	run->ids = calloc(run->worker_count, sizeof(*run->ids));
	rc = run->jobs && run->workers && run->ids ? make_jobs(run) : -ENOMEM;
	if (rc == 0 && workload->filesize[1] > 0)
		rc = arena_init(&run->source, 1, METADATA_SOURCE_BYTES + workload->filesize[1],
				true, run->spec->seed, NULL);
	for (size_t i = 0; i < run->worker_count && rc == 0; i++)
		rc = make_worker(run, i);
	return rc;
}

static size_t count_workers(const struct workload *workload, enum backend_kind backend)
{
	return backend == BACKEND_IO_URING ? resources_reactors(workload)
					   : (size_t)(workload->numjobs * workload_depth(workload));
}

static int run_new(const struct metadata_spec *spec, struct run **ret_run, struct error *err)
{
	struct run *run = calloc(1, sizeof(*run));
	int rc = run ? lock_init(&run->mutex, &run->changed) : -ENOMEM;

	if (rc < 0) {
		free(run);
		return error_no_memory(err);
	}
	run->own_spec = *spec;
	run->spec = &run->own_spec;
	run->job_count = spec->workload->numjobs;
	run->worker_count = count_workers(spec->workload, spec->backend);
	file_phases_of(spec->workload, &run->phases);
	for (size_t i = 0; i < run->phases.count; i++)
		run->reads |= run->phases.list[i] == FILE_READ;
	run->moves = file_phases_create_writes(&run->phases);
	run->sync = spec->workload->fsync	? FILE_SYNC_ALL
		    : spec->workload->fdatasync ? FILE_SYNC_DATA
						: FILE_SYNC_NONE;
	rc = fill_run(run);
	if (rc < 0) {
		run_free(run);
		return error_set_sys(err, ERROR_NO_MEMORY, -rc, "a metadata workload");
	}
	*ret_run = run;
	return 0;
}

/* Whether the file system knows renaming without replacing; where it does not, no foreign file can
 * be told from ours by the kernel, in directories that are ours alone. */
static int probe_rename(struct run *run, struct error *err)
{
	static const char from[] = "f00000000", to[] = "r00000000";
	int directory = run->spec->directories[0];
	int fd =
		openat(directory, from, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_set_sys(err, metadata_code_of(errno), errno,
				     "making the first file of a metadata workload");
	(void)close(fd); /* nothing was written */
	if (renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) {
		if (unlinkat(directory, to, 0) == 0)
			return 0;
	} else if (errno == EINVAL || errno == ENOSYS) {
		run->may_replace = true;
		if (unlinkat(directory, from, 0) == 0)
			return 0;
	}
	return error_set_sys(err, metadata_code_of(errno), errno, "renaming and removing a file");
}

static int start_workers(struct run *run, struct error *err)
{
	pthread_attr_t attributes;
	int rc = pthread_attr_init(&attributes);

	if (rc == 0)
		rc = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (; rc == 0 && run->started < run->worker_count; run->started += rc == 0)
		rc = pthread_create(&run->ids[run->started], &attributes, metadata_worker_main,
				    &run->workers[run->started]);
	(void)pthread_attr_destroy(&attributes); /* plain memory */
	if (rc != 0)
		return error_set_sys(err, ERROR_TOO_MANY_THREADS, rc,
				     "the system gave %zu of %zu threads", run->started,
				     run->worker_count);
	return 0;
}

/* ---- conducting ---- */

static void look_at_cancel(struct run *run)
{
	int none = 0;

	if (run->spec->cancel && atomic_load(run->spec->cancel))
		(void)atomic_compare_exchange_strong(&run->stop, &none, ECANCELED);
}

/* Until a counter has reached all workers; false: patience came to its end after a stop. */
static bool wait_all(struct run *run, const size_t *counter)
{
	uint64_t tick_ns = clock_now_ns() + TICK_NS, give_up_ns = UINT64_MAX;
	bool all;

	for (;;) {
		uint64_t now_ns = clock_now_ns(), until_ns = now_ns + METADATA_WATCH_NS;
		struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
					 .tv_nsec = (long)(until_ns % NS_PER_S)};

		look_at_cancel(run);
		if (metadata_stopping(run) && give_up_ns == UINT64_MAX)
			give_up_ns = now_ns + PATIENCE_NS;
		if (run->spec->tick && now_ns >= tick_ns) {
			tick_ns = now_ns + TICK_NS;
			run->spec->tick(run->spec->arg);
		}
		(void)pthread_mutex_lock(&run->mutex);
		if (*counter < run->started)
			(void)pthread_cond_timedwait(&run->changed, &run->mutex, &until);
		all = *counter >= run->started;
		(void)pthread_mutex_unlock(&run->mutex);
		if (all || now_ns >= give_up_ns)
			return all;
	}
}

/* Nobody works: the orders are made, and all are let go. */
static void begin_phase(struct run *run, size_t index)
{
	run->operation = run->phases.list[index];
	for (size_t i = 0; i < run->job_count; i++) {
		files_plan_order(&run->jobs[i].plan, run->spec->order == FILE_ORDER_RANDOM,
				 run->operation, run->jobs[i].order);
		atomic_store(&run->jobs[i].next, 0);
	}
	for (size_t i = 0; i < run->worker_count; i++) {
		histogram_clear(run->workers[i].latency);
		run->workers[i].bytes = 0;
	}
	(void)pthread_mutex_lock(&run->mutex);
	run->done = 0;
	run->phase = index + 1;
	run->start_ns = clock_now_ns();
	(void)pthread_cond_broadcast(&run->changed);
	(void)pthread_mutex_unlock(&run->mutex);
}

/* Adds what the workers did to the sample, the first one's histogram taking in the others. */
static int gather_phase(struct run *run, struct sample *sample)
{
	struct file_result *grown =
		reallocarray(sample->files, sample->file_count + 1, sizeof(*grown));
	struct file_result *result;
	struct histogram *all = run->workers[0].latency;
	uint64_t end_ns = run->start_ns, bytes = 0;

	if (!grown)
		return -ENOMEM;
	sample->files = grown;
	for (size_t i = 0; i < run->worker_count; i++) {
		const struct worker *worker = &run->workers[i];

		if (i > 0)
			histogram_merge(all, worker->latency);
		if (worker->end_ns > end_ns)
			end_ns = worker->end_ns;
		bytes += worker->bytes;
	}
	result = &grown[sample->file_count];
	*result = (struct file_result){
		.operation = run->operation,
		.order = run->spec->order,
		.ops = all->count,
		.bytes = bytes,
		.seconds = (double)(end_ns - run->start_ns) / (double)NS_PER_S,
		.latency = all->count > 0 ? histogram_narrow(all) : NULL,
	};
	if (all->count > 0 && !result->latency)
		return -ENOMEM;
	sample->file_count++;
	sample->seconds += result->seconds;
	return 0;
}

static int run_phases(struct run *run, struct sample *sample, bool *ret_clean)
{
	int rc = 0;

	*ret_clean = wait_all(run, &run->ready);
	for (size_t i = 0;
	     *ret_clean && i < run->phases.count && !metadata_stopping(run) && rc == 0; i++) {
		begin_phase(run, i);
		*ret_clean = wait_all(run, &run->done);
		if (*ret_clean && !metadata_stopping(run))
			rc = gather_phase(run, sample);
		run->renamed |= run->operation == FILE_RENAME;
	}
	return rc;
}

/* Whether all workers are gone. */
static bool send_home(struct run *run)
{
	(void)pthread_mutex_lock(&run->mutex);
	run->phase = SIZE_MAX;
	(void)pthread_cond_broadcast(&run->changed);
	(void)pthread_mutex_unlock(&run->mutex);
	return wait_all(run, &run->gone);
}

static double mean_depth(const struct sample *sample)
{
	double sum_ns = 0;

	for (size_t i = 0; i < sample->file_count; i++)
		if (sample->files[i].latency)
			sum_ns += (double)sample->files[i].latency->sum_ns;
	return sample->seconds > 0 ? sum_ns / (sample->seconds * (double)NS_PER_S) : 0;
}

static int outcome(struct run *run, struct error *err)
{
	int stop = atomic_load(&run->stop);

	if (stop == 0)
		return 0;
	if (stop == ECANCELED && !run->failed) {
		(void)error_set(err, ERROR_CANCELLED, "", "the measurement was cancelled");
		return -ECANCELED;
	}
	(void)pthread_mutex_lock(&run->mutex); /* a worker left behind may still come to it */
	if (err)
		*err = run->error;
	(void)pthread_mutex_unlock(&run->mutex);
	return -stop;
}

static int describe(const struct run *run, struct sample *sample)
{
	const struct metadata_spec *spec = run->spec;
	const char *backend = backend_names[spec->backend];

	sample->seed = spec->seed;
	sample->depth_mean = mean_depth(sample);
	sample->error_count = run->errors;
	sample->latency_per_operation =
		spec->backend == BACKEND_THREADS ||
		workload_depth(spec->workload) * spec->workload->numjobs == 1;
	if (!sample->backend)
		sample->backend = strdup(backend);
	if (!sample->backend_reason)
		sample->backend_reason =
			strdup(spec->backend == BACKEND_IO_URING ? run->features : "asked for");
	return sample->backend && sample->backend_reason ? 0 : -ENOMEM;
}

int metadata_run(const struct metadata_spec *spec, struct sample *sample, struct error *err)
{
	struct run *run = NULL;
	bool clean = true, gone;
	int rc, figures = 0;

	rc = run_new(spec, &run, err);
	if (rc < 0)
		return rc;
	rc = probe_rename(run, err);
	if (rc == 0)
		rc = start_workers(run, err);
	if (rc == 0 && sample->started_wall_ms == 0)
		sample->started_wall_ms = clock_wall_ms();
	if (rc == 0)
		figures = run_phases(run, sample, &clean);
	gone = send_home(run) && clean && !run->stuck;
	/* Those that are gone but for what the kernel holds end by themselves. */
	for (size_t i = 0; i < run->started; i++)
		(void)(gone ? pthread_join(run->ids[i], NULL) : pthread_detach(run->ids[i]));
	if (rc == 0)
		rc = outcome(run, err);
	if (figures == 0)
		figures = describe(run, sample);
	if (rc == 0 && figures < 0)
		rc = error_set_sys(err, ERROR_NO_MEMORY, -figures, "the figures of a measurement");
	if (gone)
		run_free(run);
	return rc;
}

/* ---- resources ---- */

uint64_t metadata_memory(const struct workload *workload, enum backend_kind backend)
{
	uint64_t places = workload_depth(workload) * workload->numjobs;
	uint64_t workers = count_workers(workload, backend), most = workload->filesize[1];
	struct file_phases phases;
	uint64_t bytes;

	file_phases_of(workload, &phases);
	bytes = places * (sizeof(struct place) + sizeof(uint32_t)) +
		workers * (sizeof(struct worker) + sizeof(struct histogram) + STACK_BYTES) +
		workload->numjobs * (sizeof(struct job) + workload->nrfiles * sizeof(uint32_t));
	if (most > 0)
		bytes += METADATA_SOURCE_BYTES + buffer_stride(most);
	for (size_t i = 0; i < phases.count; i++)
		if (phases.list[i] == FILE_READ)
			bytes += places * buffer_stride(most);
	return bytes;
}

int metadata_ring_available(char *reason, size_t reason_size)
{
	return files_ring_available(reason, reason_size);
}
