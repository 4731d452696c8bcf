/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify.h - what a workload with `verify` writes, and how a block that was read back is judged.
 *
 * Every write block (bs bytes, at a multiple of bs from the begin of the job's region) is made of
 * intervals, verify_interval bytes each or the whole block, and each begins with a header of 48
 * bytes (little-endian, verify_header); the rest of an interval follows from the sample's seed, the
 * interval's offset in the file and the block's generation: the how-manyth write of it in this
 * sample, from 1. So a reader knows every byte, and can say which one is wrong, and how.
 *
 * verify_new counts the writes of every block in memory, 4 bytes each (verify_memory), and two
 * writes of one block are never outstanding at once: verify_begin says that one must wait.
 *
 * Calling sequence: verify_new before the measurement; per write verify_begin when it is planned,
 * verify_fill before it is submitted, verify_end when it has landed; afterwards readback.h; in the
 * end verify_free. Where a measurement leaves workers behind it calls verify_keep, and verify_free
 * frees nothing.
 * Threads: a verify_job has one user at a time, as its job; verify_fill may run beside.
 */
#ifndef ENGINE_IO_VERIFY_VERIFY_H
#define ENGINE_IO_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/io/measure.h"

#define VERIFY_MAGIC UINT64_C(0x6b636f6c42626c56) /* "VlbBlock" on the disk */
#define VERIFY_HEADER_BYTES 48

struct verify_header {
	uint64_t magic;
	uint64_t seed;	 /* of the sample: verify_seed() */
	uint64_t offset; /* of this interval in the file */
	uint64_t block;	 /* number in the job's region, from 0 */
	uint32_t generation;
	uint32_t length;   /* of the interval, this header included */
	uint64_t checksum; /* of all of the interval but this member */
};

/* Marks of a block: its generation, 0 where it was not written, or one of these. */
#define VERIFY_BUSY (UINT32_C(1) << 31)	 /* a write of it is outstanding */
#define VERIFY_UNKNOWN (VERIFY_BUSY - 1) /* its last write failed or was cut short */

struct verify_job {
	uint32_t *marks; /* of each block; NULL: the job does not verify */
	uint64_t blocks;
	uint64_t offset; /* of the region in the file */
	uint64_t bs, interval;
	uint64_t seed;
	int method; /* enum workload_verify */
	uint32_t compressible;
	uint64_t chunk;
	bool reads_back, fatal; /* do_verify, verify_fatal */
};

struct verify {
	size_t job_count;
	struct verify_job *jobs;
	bool kept;
};

/* Bytes of memory a completed workload takes for it, reading back included; 0 where nothing
 * verifies. -EOVERFLOW. */
MUST_CHECK int verify_memory(const struct workload *workload, uint64_t *ret_bytes);

/* The seed that the blocks of one sample carry: its own within the run, whatever others share. */
uint64_t verify_seed(uint64_t seed, size_t order);

/*
 * For the jobs of a measurement, a region each. *ret_verify is NULL where no part of the workload
 * verifies. CONFLICT (field "verify") where the region of one overlaps that of another job that
 * writes; NO_MEMORY.
 */
MUST_CHECK int verify_new(const struct workload *workload, const struct measure_region *regions,
			  size_t count, uint64_t seed, struct verify **ret_verify,
			  struct error *err);
void verify_free(struct verify *verify);
void verify_keep(struct verify *verify);

/* NULL where it does not verify. */
static inline struct verify_job *verify_of(struct verify *verify, size_t job)
{
	return verify && verify->jobs[job].marks ? &verify->jobs[job] : NULL;
}

/* A write of one block is planned: its generation. 0 where another write of the block is
 * outstanding. The offset is the file's, and that of a block. */
uint32_t verify_begin(struct verify_job *job, uint64_t offset);

/* It has landed; whole: all of it was written. */
void verify_end(struct verify_job *job, uint64_t offset, uint32_t generation, bool whole);

/* What that write holds: bs bytes. */
void verify_fill(const struct verify_job *job, void *buffer, uint64_t offset, uint32_t generation);

/*
 * Judges a block that was read back, `got` bytes of it (fewer than bs: the file ends there), whose
 * last write had that generation. scratch has room for a block. False where it is not what was
 * written: *ret_fault says what is wrong, but for the job.
 */
bool verify_check(const struct verify_job *job, uint64_t block, uint32_t generation,
		  const void *data, uint64_t got, void *scratch, struct verify_fault *ret_fault);

/* "block 37 of job 1, at byte 151552 of its file: bit 3 of byte 100 of the block is flipped" */
#define VERIFY_TEXT_MAX 320
const char *verify_describe(const struct verify_fault *fault, char buffer[VERIFY_TEXT_MAX]);

#endif
