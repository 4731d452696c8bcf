/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * readback.c - see readback.h.
 *
 * Locking: `mutex` guards the place where the next stretch begins, the result, the error and the
 * count of threads; `changed` is signalled when a thread ends. `stop` and `bytes_done` are atomics.
 */
#include "engine/io/verify/readback.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/lock.h"
#include "engine/io/buffer.h"
#include "engine/io/load.h"

#define THREADS_MAX 16
#define STRETCH_BYTES (UINT64_C(1) << 20)
#define GAP_BYTES (UINT64_C(64) << 10) /* read through, rather than asked for anew behind it */
#define BUFFERS_BYTES (UINT64_C(64) << 20)
#define STACK_BYTES ((size_t)256 << 10)
#define WATCH_NS (50 * NS_PER_MS)
/* A read that is under way, and the check of what it brings, of 64 MiB at most. */
#define PATIENCE_NS (3 * NS_PER_S)

/* Some blocks of one job, the first and the last of which were written. */
struct stretch {
	size_t job;
	uint64_t block, count;
};

/* On the heap: a thread that is left behind goes on referring to it. */
struct readback {
	struct verify *verify;
	int *files; /* a descriptor for each job */
	uint64_t buffer_bytes, scratch_bytes;
	atomic_bool stop;
	atomic_uint_fast64_t bytes_done;

	pthread_mutex_t mutex;
	pthread_cond_t changed;
	size_t ended;
	struct stretch next; /* where to look on; count is not used */
	struct verify_result result;
	int failed; /* -errno, with error */
	struct error error;
};

static void lock(struct readback *readback)
{
	(void)pthread_mutex_lock(&readback->mutex); /* a plain mutex we do not hold cannot fail */
}

static void unlock(struct readback *readback)
{
	(void)pthread_mutex_unlock(&readback->mutex);
}

/* ---- what to read ---- */

static bool is_known(uint32_t mark)
{
	return mark != 0 && !(mark & VERIFY_BUSY) && mark != VERIFY_UNKNOWN;
}

static bool is_read(const struct verify_job *job)
{
	return job->marks && job->reads_back;
}

uint64_t readback_bytes(const struct verify *verify)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < verify->job_count; i++)
		for (uint64_t block = 0;
		     is_read(&verify->jobs[i]) && block < verify->jobs[i].blocks; block++)
			bytes += is_known(verify->jobs[i].marks[block]) ? verify->jobs[i].bs : 0;
	return bytes;
}

/* Whole blocks in so many bytes, one at least. */
static uint64_t blocks_in(uint64_t bytes, uint64_t bs)
{
	return bytes / bs > 0 ? bytes / bs : 1;
}

static uint64_t threads_for(uint64_t buffer_bytes)
{
	uint64_t count = BUFFERS_BYTES / buffer_bytes;

	if (count == 0)
		return 1;
	return count > THREADS_MAX ? THREADS_MAX : count;
}

uint64_t readback_memory(uint64_t bs)
{
	uint64_t buffer_bytes = blocks_in(STRETCH_BYTES, bs) * bs;

	return threads_for(buffer_bytes) * (buffer_stride(buffer_bytes) + buffer_stride(bs));
}

/* From a written block on as many as one read may take. */
static uint64_t stretch_from(const struct verify_job *job, uint64_t block)
{
	uint64_t most = blocks_in(STRETCH_BYTES, job->bs), gap = GAP_BYTES / job->bs, last = block;

	if (most > job->blocks - block)
		most = job->blocks - block;
	for (uint64_t at = block + 1; at < block + most && at - last <= gap + 1; at++)
		if (is_known(job->marks[at]))
			last = at;
	return last - block + 1;
}

/* The next stretch; false where there is none. Under the lock. */
static bool take_stretch(struct readback *readback, struct stretch *ret_stretch)
{
	struct stretch *next = &readback->next;

	for (; next->job < readback->verify->job_count; next->job++, next->block = 0) {
		const struct verify_job *job = &readback->verify->jobs[next->job];

		for (; is_read(job) && next->block < job->blocks; next->block++) {
			uint32_t mark = job->marks[next->block];

			readback->result.unknown += mark != 0 && !is_known(mark);
			if (!is_known(mark))
				continue;
			*ret_stretch = (struct stretch){next->job, next->block,
							stretch_from(job, next->block)};
			next->block += ret_stretch->count;
			/* what was read through and is not known was passed over */
			for (uint64_t at = ret_stretch->block; at < next->block; at++)
				readback->result.unknown +=
					job->marks[at] != 0 && !is_known(job->marks[at]);
			return true;
		}
	}
	return false;
}

/* ---- reading and checking ---- */

/* Bytes read, fewer only at the end of the file; or -errno. */
static int64_t read_all(int fd, char *buffer, uint64_t bytes, uint64_t offset)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n =
			pread(fd, buffer + done, (size_t)(bytes - done), (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		/* behind an odd end O_DIRECT cannot go on */
		if (n < 0 && errno == EINVAL && done > 0)
			break;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (uint64_t)n;
	}
	return (int64_t)done;
}

static bool comes_before(const struct verify_fault *a, const struct verify_fault *b)
{
	return a->job != b->job ? a->job < b->job : a->block < b->block;
}

static void note(struct readback *readback, const struct verify_fault *fault)
{
	struct verify_result *result = &readback->result;

	lock(readback);
	if (result->errors++ == 0 || comes_before(fault, &result->first))
		result->first = *fault;
	unlock(readback);
	if (readback->verify->jobs[fault->job - 1].fatal)
		atomic_store(&readback->stop, true);
}

static void check_stretch(struct readback *readback, const struct stretch *stretch,
			  const char *data, uint64_t got, char *scratch)
{
	const struct verify_job *job = &readback->verify->jobs[stretch->job];
	uint64_t checked = 0;

	for (uint64_t i = 0; i < stretch->count && !atomic_load(&readback->stop); i++) {
		uint64_t begin = i * job->bs, left = got > begin ? got - begin : 0;
		uint32_t mark = job->marks[stretch->block + i];
		struct verify_fault fault;

		if (!is_known(mark))
			continue;
		checked++;
		if (verify_check(job, stretch->block + i, mark, data + begin,
				 left < job->bs ? left : job->bs, scratch, &fault))
			continue;
		fault.job = stretch->job + 1;
		note(readback, &fault);
	}
	lock(readback);
	readback->result.blocks += checked;
	readback->result.bytes += checked * job->bs;
	unlock(readback);
	atomic_fetch_add(&readback->bytes_done, checked * job->bs);
}

static void fail(struct readback *readback, int rc, const struct error *err)
{
	lock(readback);
	if (readback->failed == 0) {
		readback->failed = rc;
		readback->error = *err;
	}
	unlock(readback);
	atomic_store(&readback->stop, true);
}

static void read_stretches(struct readback *readback, char *buffer, char *scratch)
{
	while (!atomic_load(&readback->stop)) {
		const struct verify_job *job;
		struct stretch stretch;
		struct error err;
		uint64_t offset;
		int64_t got;
		bool any;

		lock(readback);
		any = take_stretch(readback, &stretch);
		unlock(readback);
		if (!any)
			return;
		job = &readback->verify->jobs[stretch.job];
		offset = job->offset + stretch.block * job->bs;
		got = read_all(readback->files[stretch.job], buffer, stretch.count * job->bs,
			       offset);
		if (got >= 0) {
			check_stretch(readback, &stretch, buffer, (uint64_t)got, scratch);
			continue;
		}
		(void)error_set_sys(&err, ERROR_IO_ERROR, (int)-got,
				    "reading back %" PRIu64 " bytes at offset %" PRIu64,
				    stretch.count * job->bs, offset);
		fail(readback, (int)got, &err);
	}
}

static void *thread_main(void *argument)
{
	struct readback *readback = argument;
	struct arena buffer = {0}, scratch = {0};
	struct error err;

	if (arena_init(&buffer, 1, readback->buffer_bytes, false, 0, NULL) < 0 ||
	    arena_init(&scratch, 1, readback->scratch_bytes, false, 0, NULL) < 0)
		fail(readback, error_set_sys(&err, ERROR_NO_MEMORY, ENOMEM, "reading back"), &err);
	else
		read_stretches(readback, buffer.base, scratch.base);
	arena_done(&buffer);
	arena_done(&scratch);
	lock(readback);
	readback->ended++;
	(void)pthread_cond_broadcast(&readback->changed); /* cannot fail */
	unlock(readback);
	return NULL;
}

/* ---- the control thread ---- */

static void readback_free(struct readback *readback)
{
	lock_done(&readback->mutex, &readback->changed);
	free(readback->files);
	free(readback);
}

static int readback_new(const struct readback_config *config, struct readback **ret_readback)
{
	struct readback *readback = calloc(1, sizeof(*readback));
	int rc;

	if (!readback)
		return -ENOMEM;
	readback->verify = config->verify;
	readback->files = calloc(config->verify->job_count, sizeof(int));
	rc = readback->files ? lock_init(&readback->mutex, &readback->changed) : -ENOMEM;
	if (rc < 0) {
		free(readback->files);
		free(readback);
		return rc;
	}
	for (size_t i = 0; i < config->verify->job_count; i++) {
		const struct verify_job *job = &config->verify->jobs[i];
		uint64_t bytes;

		readback->files[i] = config->regions[i].fd;
		if (!is_read(job))
			continue;
		bytes = blocks_in(STRETCH_BYTES, job->bs) * job->bs;
		if (bytes > readback->buffer_bytes)
			readback->buffer_bytes = bytes;
		if (job->bs > readback->scratch_bytes)
			readback->scratch_bytes = job->bs;
	}
	*ret_readback = readback;
	return 0;
}

static int start_threads(struct readback *readback, pthread_t *ids, size_t *ret_started)
{
	uint64_t count = threads_for(readback->buffer_bytes);
	pthread_attr_t attributes;
	int rc = pthread_attr_init(&attributes);

	if (rc == 0)
		rc = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (*ret_started = 0; rc == 0 && *ret_started < count; *ret_started += rc == 0)
		rc = pthread_create(&ids[*ret_started], &attributes, thread_main, readback);
	(void)pthread_attr_destroy(&attributes); /* plain memory */
	return *ret_started > 0 ? 0 : -rc;	 /* fewer do as well */
}

/* Whether all `count` threads have ended by until_ns. */
static bool wait_ended(struct readback *readback, size_t count, uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
				 .tv_nsec = (long)(until_ns % NS_PER_S)};
	bool all;
	int rc = 0;

	lock(readback);
	while (readback->ended < count && rc == 0)
		rc = pthread_cond_timedwait(&readback->changed, &readback->mutex, &until);
	all = readback->ended >= count;
	unlock(readback);
	return all;
}

/* Until all threads have ended, or the end of patience after a stop; whether they have. */
static bool watch(struct readback *readback, const struct readback_config *config, size_t count,
		  bool *ret_cancelled)
{
	uint64_t give_up_ns = UINT64_MAX, now_ns;

	*ret_cancelled = false;
	do {
		if (wait_ended(readback, count, clock_now_ns() + WATCH_NS))
			return true;
		if (config->tick)
			config->tick(config->arg, atomic_load(&readback->bytes_done));
		if (config->cancel && atomic_load(config->cancel)) {
			*ret_cancelled = true;
			atomic_store(&readback->stop, true);
		}
		now_ns = clock_now_ns();
		if (give_up_ns == UINT64_MAX && *ret_cancelled)
			give_up_ns = now_ns + PATIENCE_NS;
	} while (now_ns < give_up_ns);
	return false;
}

static int outcome(struct readback *readback, bool cancelled, struct error *err)
{
	int rc;

	lock(readback); /* a thread left behind may still come to it */
	rc = readback->failed;
	if (rc < 0 && err)
		*err = readback->error;
	unlock(readback);
	if (!cancelled)
		return rc;
	(void)error_set(err, ERROR_CANCELLED, "", "The run was cancelled.");
	return -ECANCELED;
}

int readback_run(const struct readback_config *config, struct verify_result *ret_result,
		 struct error *err)
{
	struct readback *readback = NULL;
	pthread_t ids[THREADS_MAX];
	uint64_t began_ns = clock_now_ns();
	bool cancelled, all;
	size_t started;
	int rc = readback_new(config, &readback);

	if (rc < 0)
		return error_set_sys(err, ERROR_NO_MEMORY, -rc, "reading back");
	rc = start_threads(readback, ids, &started);
	if (rc < 0) {
		readback_free(readback);
		return error_set_sys(err, ERROR_TOO_MANY_THREADS, -rc, "reading back");
	}
	all = watch(readback, config, started, &cancelled);
	for (size_t i = 0; i < started; i++)
		(void)(all ? pthread_join(ids[i], NULL) : pthread_detach(ids[i]));
	rc = outcome(readback, cancelled, err);
	if (!all) {
		load_left_behind();
		verify_keep(config->verify);
		return rc;
	}
	if (rc == 0) {
		*ret_result = readback->result;
		ret_result->done = true;
		ret_result->seconds = (double)(clock_now_ns() - began_ns) / (double)NS_PER_S;
	}
	readback_free(readback);
	return rc;
}
