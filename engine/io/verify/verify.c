/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.c - see verify.h: the writing side. verify_check() is in verify_check.c. */
#include "engine/io/verify/verify.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/io/data.h"
#include "engine/io/verify/checksum.h"
#include "engine/io/verify/readback.h"

_Static_assert(sizeof(struct verify_header) == VERIFY_HEADER_BYTES &&
		       offsetof(struct verify_header, checksum) + 8 == VERIFY_HEADER_BYTES,
	       "the checksum ends the header");

/* ---- memory ---- */

static bool verifies(const struct workload *part)
{
	return part->verify != VERIFY_NONE && workload_writes(part);
}

int verify_memory(const struct workload *workload, uint64_t *ret_bytes)
{
	uint64_t total = 0, bytes;

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);

		if (!verifies(part))
			continue;
		bytes = part->size / part->bs[DIRECTION_WRITE];
		if (__builtin_mul_overflow(bytes, sizeof(uint32_t), &bytes) ||
		    __builtin_mul_overflow(bytes, part->numjobs, &bytes) ||
		    __builtin_add_overflow(bytes, readback_memory(part->bs[DIRECTION_WRITE]),
					   &bytes) ||
		    __builtin_add_overflow(total, bytes, &total))
			return -EOVERFLOW;
	}
	*ret_bytes = total;
	return 0;
}

uint64_t verify_seed(uint64_t seed, size_t order)
{
	return random_derive(random_derive(seed, 0x766572696679), order);
}

/* Where two regions are of one file: by number, for each may have a descriptor of its own. */
struct place {
	dev_t device;
	ino_t inode;
	uint64_t begin, end;
	bool verifies, writes;
};

static bool meet(const struct place *a, const struct place *b)
{
	return a->device == b->device && a->inode == b->inode && a->begin < b->end &&
	       b->begin < a->end && ((a->verifies && b->writes) || (b->verifies && a->writes));
}

static int check_apart(const struct workload *workload, const struct measure_region *regions,
		       size_t count, struct error *err)
{
	struct place *places = calloc(count, sizeof(*places));
	int r = 0;

	if (!places)
		return error_no_memory(err);
	for (size_t i = 0; i < count && r == 0; i++) {
		const struct workload *part = workload_part(workload, regions[i].part);
		struct stat status;

		if (fstat(regions[i].fd, &status) < 0) {
			r = error_set_sys(err, ERROR_SYSTEM, errno, "Looking at the target");
			break;
		}
		places[i] = (struct place){status.st_dev,     status.st_ino,
					   regions[i].offset, regions[i].offset + regions[i].length,
					   verifies(part),    workload_writes(part)};
		for (size_t k = 0; k < i && r == 0; k++)
			if (meet(&places[k], &places[i]))
				r = error_set(err, ERROR_CONFLICT, "verify",
					      "jobs %zu and %zu write to one region, and neither "
					      "could tell the other's blocks from wrong ones: give "
					      "each a region of its own (regions=disjoint)",
					      k + 1, i + 1);
	}
	free(places);
	return r;
}

static int init_job(struct verify_job *job, const struct workload *part,
		    const struct measure_region *region, uint64_t seed)
{
	job->bs = part->bs[DIRECTION_WRITE];
	job->interval = part->verify_interval ? part->verify_interval : job->bs;
	job->blocks = region->length / job->bs;
	job->offset = region->offset;
	job->seed = seed;
	job->method = part->verify;
	job->compressible = (uint32_t)part->buffer_compress_percentage;
	job->chunk = part->buffer_compress_chunk;
	job->reads_back = part->do_verify;
	job->fatal = part->verify_fatal;
	if (job->blocks > SIZE_MAX / sizeof(*job->marks))
		return -ENOMEM;
	job->marks = calloc((size_t)job->blocks + 1, sizeof(*job->marks));
	return job->marks ? 0 : -ENOMEM;
}

int verify_new(const struct workload *workload, const struct measure_region *regions, size_t count,
	       uint64_t seed, struct verify **ret_verify, struct error *err)
{
	struct verify *verify;
	bool any = false;
	int r;

	*ret_verify = NULL;
	for (size_t i = 0; i < count; i++)
		any |= verifies(workload_part(workload, regions[i].part));
	if (!any)
		return 0;
	r = check_apart(workload, regions, count, err);
	if (r < 0)
		return r;
	verify = calloc(1, sizeof(*verify));
	if (verify)
		verify->jobs = calloc(count, sizeof(*verify->jobs));
	if (!verify || !verify->jobs) {
		free(verify);
		return error_no_memory(err);
	}
	verify->job_count = count;
	for (size_t i = 0; i < count && r == 0; i++) {
		const struct workload *part = workload_part(workload, regions[i].part);

		if (verifies(part))
			r = init_job(&verify->jobs[i], part, &regions[i], seed);
	}
	if (r < 0) {
		verify_free(verify);
		return error_no_memory(err);
	}
	*ret_verify = verify;
	return 0;
}

void verify_keep(struct verify *verify)
{
	if (verify)
		verify->kept = true;
}

void verify_free(struct verify *verify)
{
	if (!verify || verify->kept)
		return;
	for (size_t i = 0; i < verify->job_count; i++)
		free(verify->jobs[i].marks);
	free(verify->jobs);
	free(verify);
}

/* ---- writing ---- */

uint32_t verify_begin(struct verify_job *job, uint64_t offset)
{
	uint32_t *mark = &job->marks[(offset - job->offset) / job->bs];

	if (*mark & VERIFY_BUSY)
		return 0;
	/* Round again after two thousand million writes: only that it is another one matters. */
	*mark = *mark + 1 >= VERIFY_UNKNOWN ? 1 : *mark + 1;
	*mark |= VERIFY_BUSY;
	return *mark & ~VERIFY_BUSY;
}

void verify_end(struct verify_job *job, uint64_t offset, uint32_t generation, bool whole)
{
	job->marks[(offset - job->offset) / job->bs] = whole ? generation : VERIFY_UNKNOWN;
}

static uint32_t checksum(int method, uint32_t before, const void *data, size_t bytes)
{
	return method == VERIFY_CRC32 ? checksum_crc32(before, data, bytes)
				      : checksum_crc32c(before, data, bytes);
}

void verify_fill(const struct verify_job *job, void *buffer, uint64_t offset, uint32_t generation)
{
	for (uint64_t at = 0; at < job->bs; at += job->interval) {
		char *begin = (char *)buffer + at, *rest = begin + VERIFY_HEADER_BYTES;
		size_t length = (size_t)job->interval - VERIFY_HEADER_BYTES;
		uint64_t place = offset + at;
		struct verify_header header = {
			.magic = htole64(VERIFY_MAGIC),
			.seed = htole64(job->seed),
			.offset = htole64(place),
			.block = htole64((offset - job->offset) / job->bs),
			.generation = htole32(generation),
			.length = htole32((uint32_t)job->interval),
		};
		uint32_t sum;

		data_make(rest, length, random_derive(random_derive(job->seed, place), generation),
			  job->compressible, job->chunk);
		sum = checksum(job->method, 0, &header, offsetof(struct verify_header, checksum));
		header.checksum = htole64(checksum(job->method, sum, rest, length));
		memcpy(begin, &header, sizeof(header));
	}
}
