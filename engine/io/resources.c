/* SPDX-License-Identifier: GPL-3.0-or-later */
/* resources.c - see resources.h; and measure.h's measure_memory and measure_nowait. */
#include "engine/io/resources.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/uio.h>

#include "engine/base/clock.h"
#include "engine/io/file_set.h"
#include "engine/io/files/metadata.h"
#include "engine/io/placement.h"
#include "engine/io/reactor.h"
#include "engine/io/sequence.h"
#include "engine/io/threads.h"
#include "engine/io/verify/verify.h"

#define STRAGGLERS_S 60
#define DAY_S 86400
/* A ring's part of one operation: a submission entry and its index, two completion entries; the
 * kernel rounds their number up to a power of two. */
#define RING_BYTES_PER_SLOT 256
#define RING_BYTES 65536
/* A reactor's: job, batch, two marks, and a batch; where it goes step by step a flight and a link.
 */
#define SLOT_BYTES                                                                                 \
	(sizeof(void *) + sizeof(uint32_t) + 2 + sizeof(struct batch) + sizeof(struct flight) +    \
	 sizeof(uint32_t))
/* What a thread touches of its stack, in the kernel and outside, and its bookkeeping. */
#define THREAD_BYTES (64 * 1024)

size_t resources_reactors(const struct workload *workload)
{
	size_t cpus = placement_width(workload);
	uint64_t jobs = workload_jobs(workload);

	return jobs < cpus ? (size_t)jobs : cpus;
}

size_t resources_series_seconds(const struct workload *workload)
{
	uint64_t longest = 0, ns;

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);

		if (!part->runtime_ns)
			return DAY_S;
		if (__builtin_add_overflow(part->runtime_ns, part->ramp_time_ns, &ns) ||
		    __builtin_add_overflow(ns, workload_delay_beyond(workload, part), &ns))
			ns = UINT64_MAX;
		longest = ns > longest ? ns : longest;
	}
	return (size_t)(longest / NS_PER_S) + 1 + STRAGGLERS_S;
}

/* Histograms of one recorder of a part. */
static uint64_t recorder_bytes_of(const struct workload *workload, bool split)
{
	uint64_t count = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		count += workload_moves(workload, (enum direction)d) ? (split ? 4 : 1) : 0;
		count += workload_rate(workload, (enum direction)d) > 0;
	}
	if (workload_writes(workload))
		count += (workload->fsync > 0) + (workload->fdatasync > 0) + workload->end_fsync;
	return count * sizeof(struct histogram) + sizeof(struct recorder);
}

/* Those of all recorders: each worker has one of a part it has jobs of, or one for each of them. */
static int recorders_bytes(const struct workload *workload, enum backend_kind backend,
			   uint64_t workers, uint64_t *ret_bytes)
{
	bool split = backend != BACKEND_THREADS && workload_outstanding(workload) == workers;
	uint64_t total = 0, bytes;

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);
		uint64_t count = part->numjobs;

		if (part->group_reporting && workers < count && backend != BACKEND_THREADS)
			count = workers;
		if (__builtin_mul_overflow(recorder_bytes_of(part, split), count, &bytes) ||
		    __builtin_add_overflow(total, bytes, &total))
			return -EOVERFLOW;
	}
	*ret_bytes = total;
	return 0;
}

int measure_memory(const struct workload *workload, enum backend_kind backend, uint64_t *ret_bytes)
{
	uint64_t jobs = workload_jobs(workload), slots = workload_outstanding(workload);
	uint64_t workers = backend == BACKEND_THREADS ? jobs : resources_reactors(workload);
	uint64_t total, part, recorders;

	if (workload_metadata(workload)) {
		*ret_bytes = metadata_memory(workload, backend);
		return 0;
	}
	if (arena_size(slots, workload_buffer_bytes(workload), &total) < 0 ||
	    recorders_bytes(workload, backend, workers, &recorders) < 0)
		return -EOVERFLOW;
	part = backend == BACKEND_THREADS ? THREAD_BYTES + sizeof(struct thread_worker)
					  : RING_BYTES_PER_SLOT + SLOT_BYTES;
	if (__builtin_mul_overflow(part, slots, &part) ||
	    __builtin_add_overflow(total, part, &total) ||
	    __builtin_add_overflow(total, recorders, &total))
		return -EOVERFLOW;
	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *one = workload_part(workload, i);

		part = data_files_given(one) ? file_set_bytes(one) : sequence_bytes(one);
		if (__builtin_mul_overflow(part, one->numjobs, &part) ||
		    __builtin_add_overflow(total, part, &total))
			return -EOVERFLOW;
	}
	part = jobs * (sizeof(struct thread_job) + sizeof(int)) +
	       workers * (sizeof(struct reactor) + RING_BYTES) +
	       resources_series_seconds(workload) * sizeof(struct series_second);
	if (__builtin_add_overflow(total, part, &total) || verify_memory(workload, &part) < 0 ||
	    __builtin_add_overflow(total, part, &total))
		return -EOVERFLOW;
	*ret_bytes = total;
	return 0;
}

/* MemAvailable; UINT64_MAX where the kernel does not say. */
static uint64_t machine_memory(void)
{
	AUTO_FCLOSE FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	uint64_t kib;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			return kib * 1024;
	return UINT64_MAX;
}

/* memory.max of one control group; UINT64_MAX where there is none ("max", or no such file). */
static uint64_t group_memory(const char *group)
{
	char path[PATH_MAX + 64];
	uint64_t bytes = UINT64_MAX;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group); /* it fits */
	file = fopen(path, "re");
	if (!file)
		return bytes;
	if (fscanf(file, "%" SCNu64, &bytes) != 1)
		bytes = UINT64_MAX;
	(void)fclose(file); /* only read from */
	return bytes;
}

/* The least memory.max of this process's control group and those above it (cgroup v2). */
static uint64_t groups_memory(void)
{
	AUTO_FCLOSE FILE *file = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX], *group = NULL, *slash;
	uint64_t least = UINT64_MAX, bytes;

	while (file && !group && fgets(line, sizeof(line), file))
		if (strncmp(line, "0::/", 4) == 0)
			group = line + 3;
	if (!group)
		return least;
	group[strcspn(group, "\n")] = '\0';
	while ((slash = strrchr(group, '/'))) {
		bytes = group_memory(group);
		least = bytes < least ? bytes : least;
		*slash = '\0';
	}
	return least;
}

uint64_t resources_available_memory(void)
{
	uint64_t machine = machine_memory(), groups = groups_memory();

	return machine < groups ? machine : groups;
}

/* "numjobs 4 x iodepth 32", or "5 jobs with 129 operations" where they differ. */
static const char *describe(const struct workload *workload, char *buffer, size_t size)
{
	if (workload->part_count > 0)
		(void)snprintf(buffer, size, "%" PRIu64 " jobs with %" PRIu64 " operations",
			       workload_jobs(workload), workload_outstanding(workload));
	else
		(void)snprintf(buffer, size, "numjobs %" PRIu64 " x iodepth %" PRIu64,
			       workload->numjobs, workload_depth(workload));
	return buffer;
}

/* The most operations that one of the reactors keeps outstanding: jobs are dealt out in turn, so
 * of each part it has the share of its jobs, rounded up. */
static uint64_t ring_slots(const struct workload *workload, uint64_t reactors)
{
	uint64_t slots = 0;

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);

		slots += (part->numjobs + reactors - 1) / reactors * workload_depth(part);
	}
	return slots;
}

int resources_check(const struct workload *workload, enum backend_kind backend, struct error *err)
{
	uint64_t bytes, available = resources_available_memory();
	uint64_t reactors = resources_reactors(workload);
	char asked[80];
	int rc;

	rc = placement_check(workload, err);
	if (rc < 0)
		return rc;
	(void)describe(workload, asked, sizeof(asked));
	if (backend == BACKEND_THREADS && workload_outstanding(workload) > MEASURE_THREADS_MAX)
		return error_set(err, ERROR_TOO_MANY_THREADS, "",
				 "%s asks for %" PRIu64
				 " threads; the threads backend has at most %d",
				 asked, workload_outstanding(workload), MEASURE_THREADS_MAX);
	if (backend != BACKEND_THREADS && ring_slots(workload, reactors) > BACKEND_SLOTS_MAX)
		return error_set(err, ERROR_TOO_MANY, "",
				 "%s on %" PRIu64
				 " CPUs keeps more than %d operations outstanding in one ring",
				 asked, reactors, BACKEND_SLOTS_MAX);
	rc = measure_memory(workload, backend, &bytes);
	if (rc < 0 || bytes > available / 4 * 3) {
		error_set(err, ERROR_MEMORY_LIMIT, "",
			  "%s x bs takes %" PRIu64
			  " MiB of memory; three quarters of what is available are %" PRIu64 " MiB",
			  asked, rc < 0 ? UINT64_MAX >> 20 : bytes >> 20, available / 4 * 3 >> 20);
		return -ENOMEM;
	}
	return 0;
}

bool measure_nowait(int fd)
{
	_Alignas(4096) char buffer[4096];
	struct iovec vector = {.iov_base = buffer, .iov_len = sizeof(buffer)};
	ssize_t rc = preadv2(fd, &vector, 1, 0, RWF_NOWAIT);

	/* Read, at the end of an empty file, or would have to wait: each time it was understood. */
	return rc >= 0 || errno == EAGAIN;
}
