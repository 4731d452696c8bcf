/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify_check.c - verify_check() of verify.h: a block read back is held against what must be in
 * it, byte by byte, and where they differ against what else could be.
 *
 * In this order: a single bit; torn, where whole sectors at one end of the block are right and all
 * others are not; what a header that is whole says of itself (an earlier write, another block's,
 * another sample's); some bytes, where more are right than wrong; nothing of ours.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/io/verify/verify.h"

#define SECTOR 512

/* Of a sector of an earlier write or another block half the random bits differ; of one that got a
 * few bytes wrong far fewer. */
#define FOREIGN_BITS 32

/* How many earlier writes of a block a torn one is held against. */
#define EARLIER_MAX 64

const char *const verify_kind_names[VERIFY_KIND_COUNT] = {
	"flipped_bit", "corrupt", "torn", "stale", "misplaced", "foreign", "truncated",
};

struct difference {
	uint64_t bits, bytes; /* that differ */
	uint64_t first;	      /* byte */
};

static struct difference compare(const unsigned char *data, const unsigned char *right,
				 uint64_t length)
{
	struct difference difference = {0};

	for (uint64_t i = 0; i < length; i++) {
		unsigned int other = (unsigned int)data[i] ^ right[i];

		if (other == 0)
			continue;
		if (difference.bytes++ == 0)
			difference.first = i;
		difference.bits += (uint64_t)__builtin_popcount(other);
	}
	return difference;
}

static bool is_zero(const unsigned char *data, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++)
		if (data[i] != 0)
			return false;
	return true;
}

static bool sector_is(const unsigned char *data, const unsigned char *right, uint64_t at)
{
	return memcmp(data + at, right + at, SECTOR) == 0;
}

/*
 * Whether the block is right up to one sector and wrong from there on, or the other way round:
 * *ret_first is its first wrong byte, *ret_begin and *ret_end bound what is wrong. Sectors that are
 * zeros by right tell nothing.
 */
static bool is_torn(const unsigned char *data, const unsigned char *right, uint64_t bs,
		    uint64_t *ret_begin, uint64_t *ret_end)
{
	uint64_t good = 0, bad = 0, changes = 0, begin = 0, end = 0;
	bool before = false;

	for (uint64_t at = 0; at + SECTOR <= bs; at += SECTOR) {
		bool same;

		if (is_zero(right + at, SECTOR))
			continue;
		same = sector_is(data, right, at);
		if (!same && compare(data + at, right + at, SECTOR).bits < FOREIGN_BITS)
			return false;
		if (!same && bad++ == 0)
			begin = at;
		if (!same)
			end = at + SECTOR;
		good += same;
		changes += good + bad > 1 && same != before;
		before = same;
	}
	*ret_begin = begin;
	*ret_end = end;
	return good > 0 && bad > 0 && changes == 1;
}

/* The earlier write of the block that a stretch of it is of; 0: of none. Leaves scratch changed. */
static uint32_t earlier_write(const struct verify_job *job, uint64_t offset, uint32_t generation,
			      const unsigned char *data, uint64_t begin, uint64_t end,
			      unsigned char *scratch)
{
	for (uint32_t n = 1; n <= EARLIER_MAX && n < generation; n++) {
		verify_fill(job, scratch, offset, generation - n);
		if (memcmp(scratch + begin, data + begin, (size_t)(end - begin)) == 0)
			return generation - n;
	}
	return 0;
}

/* Whether the first interval is, byte by byte, what its own header says that it is. */
static bool header_holds(const struct verify_job *job, const struct verify_header *header,
			 const unsigned char *data, unsigned char *scratch)
{
	struct verify_job other = *job;
	uint64_t offset = le64toh(header->offset), into;

	if (le64toh(header->magic) != VERIFY_MAGIC || le64toh(header->seed) != job->seed ||
	    __builtin_mul_overflow(le64toh(header->block), job->interval, &into) || into > offset)
		return false;
	/* a job of one interval a block, in which that interval has the block's number */
	other.offset = offset - into;
	other.bs = job->interval;
	verify_fill(&other, scratch, offset, le32toh(header->generation));
	return memcmp(scratch, data, (size_t)job->interval) == 0;
}

/* By what the block says that it is itself; false where it does not. */
static bool judge_header(const struct verify_job *job, const unsigned char *data,
			 unsigned char *scratch, struct verify_fault *fault)
{
	struct verify_header header;
	uint64_t offset;

	memcpy(&header, data, sizeof(header));
	offset = le64toh(header.offset);
	if (!header_holds(job, &header, data, scratch))
		return false;
	if (offset != fault->offset) {
		fault->kind = VERIFY_MISPLACED;
		fault->found_offset = offset;
		return true;
	}
	if (le32toh(header.generation) == fault->generation)
		return false;
	verify_fill(job, scratch, offset, le32toh(header.generation));
	if (memcmp(scratch, data, (size_t)job->bs) != 0)
		return false;
	fault->kind = VERIFY_STALE;
	fault->found_generation = le32toh(header.generation);
	return true;
}

static void judge(const struct verify_job *job, const unsigned char *data, unsigned char *scratch,
		  struct verify_fault *fault)
{
	struct difference difference = compare(data, scratch, job->bs);
	uint64_t begin, end;

	fault->byte = difference.first;
	fault->kind = VERIFY_FLIPPED_BIT;
	if (difference.bits == 1) {
		fault->bit = (unsigned int)__builtin_ctz((unsigned int)data[fault->byte] ^
							 scratch[fault->byte]);
		return;
	}
	if (is_torn(data, scratch, job->bs, &begin, &end)) {
		fault->kind = VERIFY_TORN;
		fault->byte = begin;
		fault->end = end;
		fault->found_generation = earlier_write(
			job, fault->offset, (uint32_t)fault->generation, data, begin, end, scratch);
		return;
	}
	if (judge_header(job, data, scratch, fault))
		return;
	fault->kind = difference.bytes <= job->bs / 2 ? VERIFY_CORRUPT : VERIFY_FOREIGN;
}

bool verify_check(const struct verify_job *job, uint64_t block, uint32_t generation,
		  const void *data, uint64_t got, void *scratch, struct verify_fault *ret_fault)
{
	uint64_t offset = job->offset + block * job->bs;

	if (got == job->bs) {
		verify_fill(job, scratch, offset, generation);
		if (memcmp(data, scratch, (size_t)job->bs) == 0)
			return true;
	}
	*ret_fault = (struct verify_fault){.kind = VERIFY_TRUNCATED,
					   .block = block,
					   .offset = offset,
					   .byte = got,
					   .generation = generation};
	if (got == job->bs)
		judge(job, data, scratch, ret_fault);
	return false;
}

/* ---- in words ---- */

static void describe_kind(const struct verify_fault *fault, char *buffer, size_t size)
{
	int used;

	switch (fault->kind) {
	case VERIFY_FLIPPED_BIT:
		(void)snprintf(buffer, size, "bit %u of byte %" PRIu64 " of the block is flipped",
			       fault->bit, fault->byte);
		return;
	case VERIFY_CORRUPT:
		(void)snprintf(buffer, size,
			       "bytes from byte %" PRIu64 " of the block on are wrong",
			       fault->byte);
		return;
	case VERIFY_TORN:
		used = snprintf(buffer, size,
				"the block is torn: its bytes %" PRIu64 " to %" PRIu64 " hold ",
				fault->byte, fault->end - 1);
		if (fault->found_generation > 0)
			(void)snprintf(buffer + used, size - (size_t)used,
				       "write %" PRIu64 " of it, the others write %" PRIu64,
				       fault->found_generation, fault->generation);
		else
			(void)snprintf(buffer + used, size - (size_t)used,
				       "something else than the others' write %" PRIu64,
				       fault->generation);
		return;
	case VERIFY_STALE:
		(void)snprintf(buffer, size,
			       "the block is stale: it holds write %" PRIu64
			       " of it, and write %" PRIu64 " came after",
			       fault->found_generation, fault->generation);
		return;
	case VERIFY_MISPLACED:
		(void)snprintf(buffer, size,
			       "the block is misplaced: it holds what was written at byte %" PRIu64,
			       fault->found_offset);
		return;
	case VERIFY_TRUNCATED:
		(void)snprintf(buffer, size, "the file ends at byte %" PRIu64 " of the block",
			       fault->byte);
		return;
	case VERIFY_FOREIGN:
	case VERIFY_KIND_COUNT:
		break;
	}
	(void)snprintf(buffer, size, "the block holds nothing that this sample wrote");
}

const char *verify_describe(const struct verify_fault *fault, char buffer[VERIFY_TEXT_MAX])
{
	char kind[VERIFY_TEXT_MAX / 2];

	describe_kind(fault, kind, sizeof(kind));
	(void)snprintf(buffer, VERIFY_TEXT_MAX,
		       "block %" PRIu64 " of job %" PRIu64 ", at byte %" PRIu64 " of its file: %s",
		       fault->block, fault->job, fault->offset, kind);
	return buffer;
}
