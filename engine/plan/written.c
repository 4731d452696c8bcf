/* SPDX-License-Identifier: GPL-3.0-or-later */
/* written.c - see written.h. */
#include "engine/plan/written.h"

#include <inttypes.h>

/* Whether what a write holds is made for it, of a share of zeros or of repetitions. */
static bool is_made(const struct workload *workload)
{
	return workload->buffer_compress_percentage > 0 || workload->dedupe_percentage > 0;
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
	return 0;
}

bool written_fresh(const struct workload *workload)
{
	return workload_writes(workload) && !workload->zero_buffers && workload->refill_buffers &&
	       !is_made(workload);
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
