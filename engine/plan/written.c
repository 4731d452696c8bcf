/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written.c - see written.h. */
#include "engine/plan/written.h"

#include <errno.h>
#include <inttypes.h>

/* Whether what a write holds is made for it, of a share of zeros or of repetitions. */
static bool is_made(const struct workload *workload)
{
	return workload->buffer_compress_percentage > 0 || workload->dedupe_percentage > 0;
}

/* What one header and some data take at the least; fio asks for 80 bytes. */
#define INTERVAL_LEAST 128

static int check_interval(const struct workload *workload, struct error *err)
{
	uint64_t bs = workload->bs[DIRECTION_WRITE], interval = workload->verify_interval;

	if (bs % 8 != 0)
		return error_set(
			err, ERROR_CONFLICT, "bs",
			"with verify the bs of writes must be a multiple of 8, not %" PRIu64, bs);
	if (interval == 0 ||
	    (interval >= INTERVAL_LEAST && interval % 8 == 0 && bs % interval == 0))
		return 0;
	return error_set(err, ERROR_CONFLICT, "verify_interval",
			 "verify_interval must divide bs, which is %" PRIu64
			 " for writes, and be a multiple of 8 and %d at least; %" PRIu64 " is not",
			 bs, INTERVAL_LEAST, interval);
}

/* A block must be a place that is always written whole. */
static int check_blocks(const struct workload *workload, struct error *err)
{
	static const enum option_id varying[] = {OPTION_ID_BSRANGE, OPTION_ID_BSSPLIT,
						 OPTION_ID_BS_UNALIGNED};

	for (size_t i = 0; i < ARRAY_SIZE(varying); i++)
		if (!option_is_default(option_at(varying[i]), workload))
			return error_set(
				err, ERROR_CONFLICT, option_at(varying[i])->name,
				"with verify all writes have one size: give bs in place of "
				"%s",
				option_at(varying[i])->name);
	if (workload->blockalign[DIRECTION_WRITE] % workload->bs[DIRECTION_WRITE] != 0)
		return error_set(err, ERROR_CONFLICT, "blockalign",
				 "with verify blockalign must be whole blocks of bs");
	if (workload->rw_number % workload->bs[DIRECTION_WRITE] != 0 && !workload_random(workload))
		return error_set(err, ERROR_CONFLICT, "rw",
				 "with verify the hole of rw must be whole blocks of bs");
	return 0;
}

static int check_verify(const struct workload *workload, struct error *err)
{
	if (workload->verify == VERIFY_NONE)
		return 0;
	if (!workload_writes(workload))
		return error_set(err, ERROR_CONFLICT, "verify",
				 "verify reads back what a workload has written, and rw=%s writes "
				 "nothing here: use write, randwrite, or a mix",
				 workload_rw_choices[workload->rw]);
	if (workload_rewrites(workload))
		return error_set(
			err, ERROR_CONFLICT, "verify",
			"rw=%s writes what it has read, which says nothing of itself: with "
			"verify use write, randwrite, or a mix",
			workload_rw_choices[workload->rw]);
	if (workload->interlocked)
		return error_set(err, ERROR_CONFLICT, "verify",
				 "interlocked=1 has the jobs write to one region, and with verify "
				 "each needs one of its own: leave out one of the two");
	if (workload->zero_buffers || workload->dedupe_percentage > 0 || !workload->refill_buffers)
		return error_set(err, ERROR_CONFLICT,
				 workload->zero_buffers		   ? "zero_buffers"
				 : workload->dedupe_percentage > 0 ? "dedupe_percentage"
								   : "refill_buffers",
				 "with verify every block holds data of its own: leave out "
				 "zero_buffers, dedupe_percentage and refill_buffers");
	if (workload_is_set(workload, OPTION_ID_IOENGINE) && workload->ioengine == IOENGINE_NULL)
		return error_set(err, ERROR_CONFLICT, "verify",
				 "ioengine=null writes nothing that could be read back: leave out "
				 "one of the two");
	if (check_interval(workload, err) < 0 || check_blocks(workload, err) < 0)
		return -EINVAL;
	return 0;
}

/* A rewrite writes what it has read, but for one word. */
static int check_rewrite(const struct workload *workload, struct error *err)
{
	const char *name = workload->zero_buffers	     ? "zero_buffers"
			   : workload->dedupe_percentage > 0 ? "dedupe_percentage"
			   : !workload->refill_buffers	     ? "refill_buffers"
			   : workload_is_set(workload, OPTION_ID_SCRAMBLE_BUFFERS)
				   ? "scramble_buffers"
				   : NULL;

	if (!name || !workload_rewrites(workload))
		return 0;
	return error_set(err, ERROR_CONFLICT, name,
			 "rw=%s writes what it has read, with one word of each block changed, and "
			 "%s says what writes hold: leave out one of the two",
			 workload_rw_choices[workload->rw], name);
}

int written_check(const struct workload *workload, struct error *err)
{
	const char *made = workload->buffer_compress_percentage > 0 ? "buffer_compress_percentage"
								    : "dedupe_percentage";

	if (workload->zero_buffers && is_made(workload))
		return error_set(
			err, ERROR_CONFLICT, "zero_buffers",
			"zero_buffers=1 writes zeros, and %s would write others: leave out "
			"one of the two",
			made);
	if (!workload->refill_buffers && is_made(workload))
		return error_set(
			err, ERROR_CONFLICT, "refill_buffers",
			"%s makes the data of every write anew: leave out refill_buffers=0", made);
	if (check_rewrite(workload, err) < 0)
		return -EINVAL;
	return check_verify(workload, err);
}

bool written_fresh(const struct workload *workload)
{
	return workload_writes(workload) && !workload->zero_buffers && workload->refill_buffers &&
	       !is_made(workload) && workload->verify == VERIFY_NONE;
}

bool written_fill_wanted(const struct workload *workload)
{
	return workload->zero_buffers || is_made(workload);
}

const char *written_fill_differs(const struct workload *a, const struct workload *b)
{
	if (a->zero_buffers != b->zero_buffers)
		return "zero_buffers";
	if (a->buffer_compress_percentage != b->buffer_compress_percentage)
		return "buffer_compress_percentage";
	if (a->buffer_compress_percentage > 0 &&
	    a->buffer_compress_chunk != b->buffer_compress_chunk)
		return "buffer_compress_chunk";
	return a->dedupe_percentage != b->dedupe_percentage ? "dedupe_percentage" : NULL;
}
