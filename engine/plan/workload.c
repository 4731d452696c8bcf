/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload.c - see workload.h. fio command lines are in fio_command.c. */
#include "engine/plan/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/budget.h"
#include "engine/plan/data_files.h"
#include "engine/plan/distribution_spec.h"
#include "engine/plan/file_phases.h"
#include "engine/plan/machine_options.h"
#include "engine/plan/percentiles.h"
#include "engine/plan/quantity.h"
#include "engine/plan/steadystate.h"
#include "engine/plan/workload_order.h"
#include "engine/plan/workload_pace.h"
#include "engine/plan/workload_sizes.h"
#include "engine/plan/written.h"

#define SECTOR_BYTES 512 /* the least that direct I/O is aligned to anywhere */

const char *const direction_names[DIRECTION_COUNT] = {"read", "write", "trim"};
const char *const workload_rw_choices[] = {"read",    "write",	     "randread", "randwrite",
					   "rw",      "randrw",	     "trim",	 "randtrim",
					   "rewrite", "randrewrite", NULL};
const char *const workload_sync_choices[] = {"none", "sync", "dsync", NULL};
const char *const workload_ioengine_choices[] = {"io_uring", "libaio",	"posixaio", "psync",
						 "sync",     "threads", "null",	    NULL};
const char *const workload_sequencer_choices[] = {"sequential", "identical", NULL};
const char *const workload_verify_choices[] = {"none", "crc32c", "crc32", NULL};
const char *const workload_continue_choices[] = {"none",   "read", "write", "io",
						 "verify", "all",  NULL};
const char *const workload_regions_choices[] = {"disjoint", "shared", NULL};
const char *const workload_cpus_policy_choices[] = {"shared", "split", NULL};
const char *const workload_file_order_choices[] = {"sequential", "random", "both", NULL};

void workload_init(struct workload *workload)
{
	memset(workload, 0, sizeof(*workload));
}

void workload_done(struct workload *workload)
{
	for (int id = 0; id < OPTION_ID_COUNT; id++)
		option_free(option_at((enum option_id)id), workload);
	for (size_t i = 0; i < workload->part_count; i++)
		workload_done(&workload->parts[i]);
	free(workload->parts);
	workload_init(workload);
}

static int copy_parts(const struct workload *from, struct workload *to)
{
	if (from->part_count == 0)
		return 0;
	to->parts = calloc(from->part_count, sizeof(*to->parts));
	if (!to->parts)
		return -ENOMEM;
	for (; to->part_count < from->part_count; to->part_count++) {
		int r = workload_copy(&from->parts[to->part_count], &to->parts[to->part_count]);

		if (r < 0)
			return r;
	}
	return 0;
}

int workload_copy(const struct workload *from, struct workload *to)
{
	struct workload copy;
	int r;

	workload_init(&copy);
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		r = option_copy(option_at((enum option_id)id), from, &copy);
		if (r < 0) {
			workload_done(&copy);
			return r;
		}
	}
	r = copy_parts(from, &copy);
	if (r < 0) {
		workload_done(&copy);
		return r;
	}
	copy.from_fio = from->from_fio;
	copy.weight = from->weight;
	*to = copy;
	return 0;
}

bool workload_is_set(const struct workload *workload, enum option_id id)
{
	return option_set_has(&workload->set, id);
}

void workload_unset(struct workload *workload, enum option_id id)
{
	option_set_mark(&workload->set, id, false);
}

/* rwmixread and rwmixwrite are two names of one thing: the later layer's word holds. */
static void drop_other_side(struct workload *workload, const struct workload *over)
{
	bool read = workload_is_set(over, OPTION_ID_RWMIXREAD);
	bool write = workload_is_set(over, OPTION_ID_RWMIXWRITE);

	if (read && !write)
		workload_unset(workload, OPTION_ID_RWMIXWRITE);
	if (write && !read)
		workload_unset(workload, OPTION_ID_RWMIXREAD);
}

/* One of the options for request sizes in a layer takes the place of all below it. */
static void drop_other_sizes(struct workload *workload, const struct workload *over)
{
	bool range = workload_is_set(over, OPTION_ID_BSRANGE);
	bool split = workload_is_set(over, OPTION_ID_BSSPLIT);

	if (!workload_is_set(over, OPTION_ID_BS) && !range && !split)
		return;
	if (!workload_is_set(over, OPTION_ID_BS))
		workload_unset(workload, OPTION_ID_BS);
	if (!range) {
		workload_unset(workload, OPTION_ID_BSRANGE);
		memset(workload->bsrange, 0, sizeof(workload->bsrange));
	}
	if (!split) {
		workload_unset(workload, OPTION_ID_BSSPLIT);
		option_free(option_at(OPTION_ID_BSSPLIT), workload);
	}
}

int workload_overlay(struct workload *workload, const struct workload *over)
{
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		int r;

		if (!workload_is_set(over, (enum option_id)id))
			continue;
		r = option_copy(option_at((enum option_id)id), over, workload);
		if (r < 0)
			return r;
	}
	drop_other_side(workload, over);
	drop_other_sizes(workload, over);
	workload->from_fio |= over->from_fio;
	return 0;
}

/* The table's default of every option from `first` on that was not given; what was given is left
 * alone. */
static int fill_defaults(struct workload *workload, int first, struct error *err)
{
	const struct option_set set = workload->set;

	for (int id = first; id < OPTION_ID_COUNT; id++) {
		const struct option *option = option_at((enum option_id)id);
		int r;

		if (workload_is_set(workload, (enum option_id)id) || !option->default_text)
			continue;
		r = option_parse(option, option->default_text, workload, err);
		if (r < 0)
			return r;
		workload->set = set;
	}
	return 0;
}

int workload_fill_untold(struct workload *workload, struct error *err)
{
	return fill_defaults(workload, OPTION_ID_LAST_BASIC + 1, err);
}

static int complete_mix(struct workload *workload, struct error *err)
{
	bool read = workload_is_set(workload, OPTION_ID_RWMIXREAD);
	bool write = workload_is_set(workload, OPTION_ID_RWMIXWRITE);

	if (read && write && workload->rwmixread + workload->rwmixwrite != 100)
		return error_set(err, ERROR_CONFLICT, "rwmixwrite",
				 "rwmixread=%" PRIu64 " and rwmixwrite=%" PRIu64
				 " do not make 100; give one of them",
				 workload->rwmixread, workload->rwmixwrite);
	if (write && !read)
		workload->rwmixread = 100 - workload->rwmixwrite;
	else
		workload->rwmixwrite = 100 - workload->rwmixread;
	return 0;
}

/*
 * How long: fio's rule for its command lines, that without a runtime a job runs to its size; and
 * the same where somebody turned time_based off and gave no runtime. runtime_ns is then 0.
 */
static int complete_time(struct workload *workload, struct error *err)
{
	bool runtime = workload_is_set(workload, OPTION_ID_RUNTIME);
	bool given = workload_is_set(workload, OPTION_ID_TIME_BASED);
	int r = budget_complete(workload, err);

	if (r < 0 || runtime)
		return r;
	if (workload->from_fio && given && workload->time_based)
		return error_set(err, ERROR_MISSING_FIELD, "runtime",
				 "time_based needs a runtime, as in --runtime=60");
	if (workload->from_fio)
		workload->time_based = false;
	if (!workload->time_based)
		workload->runtime_ns = 0;
	return 0;
}

static uint64_t largest_request(const struct workload *workload)
{
	uint64_t bytes = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (workload_moves(workload, (enum direction)d) && workload->bs[d] > bytes)
			bytes = workload->bs[d];
	return bytes;
}

static int check_sizes(const struct workload *workload, struct error *err)
{
	char size[QUANTITY_TEXT_MAX], bs[QUANTITY_TEXT_MAX];
	const char *name;
	uint64_t value;

	if (workload->size != 0 && workload->size < largest_request(workload))
		return error_set(err, ERROR_CONFLICT, "size",
				 "size=%s is smaller than one request of %s=%s",
				 quantity_format_size(workload->size, size),
				 option_at(workload_size_option(workload))->name,
				 quantity_format_size(largest_request(workload), bs));
	if (!workload->direct)
		return 0;
	name = workload_misaligned(workload, SECTOR_BYTES, &value);
	if (name)
		return error_set(err, ERROR_CONFLICT, name,
				 "with direct=1 %s must be a multiple of 512, not %" PRIu64, name,
				 value);
	if (workload->size % SECTOR_BYTES != 0)
		return error_set(err, ERROR_CONFLICT, "size",
				 "with direct=1 size must be a multiple of 512, not %" PRIu64,
				 workload->size);
	return 0;
}

/* More completions than a job has outstanding never come. */
static int check_batch(const struct workload *workload, struct error *err)
{
	if (workload->iodepth_low > workload_depth(workload))
		return error_set(err, ERROR_CONFLICT, "iodepth_low",
				 "iodepth_low=%" PRIu64 " is more than the %" PRIu64
				 " operations a job keeps outstanding: raise iodepth or lower it",
				 workload->iodepth_low, workload_depth(workload));
	if (workload->batch_complete_min <= workload_depth(workload))
		return 0;
	return error_set(err, ERROR_CONFLICT, "iodepth_batch_complete_min",
			 "iodepth_batch_complete_min=%" PRIu64 " is more than the %" PRIu64
			 " operations a job keeps outstanding: raise iodepth or lower it",
			 workload->batch_complete_min, workload_depth(workload));
}

/* Phases are not something that other jobs could run beside. */
static int check_parts(const struct workload *workload, struct error *err)
{
	for (size_t i = 0; i < workload_parts(workload); i++)
		if (workload->part_count > 0 &&
		    (workload_metadata(workload) || workload_metadata(workload_part(workload, i))))
			return error_set(
				err, ERROR_CONFLICT, "metadata",
				"a metadata workload runs alone: give it a workload of its "
				"own");
	return 0;
}

int workload_complete(struct workload *workload, struct error *err)
{
	struct percentiles percentiles;
	uint64_t extent;
	int r;

	r = fill_defaults(workload, 0, err);
	if (r == 0)
		r = check_parts(workload, err);
	if (r == 0 && workload_metadata(workload))
		return file_phases_complete(workload, err);
	if (r == 0)
		r = complete_mix(workload, err);
	if (r == 0)
		r = complete_time(workload, err);
	if (r < 0)
		return r;
	if (workload->from_fio && !workload_is_set(workload, OPTION_ID_REGIONS))
		workload->regions = REGIONS_SHARED;
	if (workload_is_set(workload, OPTION_ID_RANDSEED) && !workload->randrepeat)
		return error_set(err, ERROR_CONFLICT, "randseed",
				 "randrepeat=0 draws a fresh seed for each sample; leave out "
				 "randseed or randrepeat");
	r = workload_complete_order(workload, err);
	if (r == 0)
		r = workload_complete_sizes(workload, err);
	if (r == 0)
		r = data_files_complete(workload, err);
	if (r == 0)
		r = machine_options_check(workload, err);
	if (r == 0)
		r = check_sizes(workload, err);
	if (r == 0)
		r = check_batch(workload, err);
	if (r == 0)
		r = written_check(workload, err);
	if (r == 0)
		r = distribution_spec_complete(workload, err);
	if (r == 0)
		r = workload_check_pace(workload, err);
	if (r == 0)
		r = steadystate_check(workload, err);
	if (r == 0 && workload->percentile_list)
		r = percentiles_parse(workload->percentile_list, &percentiles, err);
	if (r < 0)
		return r;
	if (workload_extent(workload, false, &extent) < 0 || extent > INT64_MAX)
		return error_set(err, ERROR_CONFLICT, "size",
				 "offset + size x numjobs goes beyond what a file can hold");
	return 0;
}

bool workload_metadata(const struct workload *workload)
{
	return workload->metadata != NULL;
}

static bool part_reads(const struct workload *part)
{
	return !workload_metadata(part) &&
	       (part->rw == RW_READ || part->rw == RW_RANDREAD || workload_rewrites(part) ||
		(workload_mixed(part) && part->rwmixread > 0));
}

static bool part_writes(const struct workload *part)
{
	return !workload_metadata(part) &&
	       (part->rw == RW_WRITE || part->rw == RW_RANDWRITE || workload_rewrites(part) ||
		(workload_mixed(part) && part->rwmixread < 100));
}

static bool part_trims(const struct workload *part)
{
	return !workload_metadata(part) && (part->rw == RW_TRIM || part->rw == RW_RANDTRIM);
}

static bool any_part(const struct workload *workload, bool (*holds)(const struct workload *part))
{
	for (size_t i = 0; i < workload_parts(workload); i++)
		if (holds(workload_part(workload, i)))
			return true;
	return false;
}

bool workload_reads(const struct workload *workload)
{
	return any_part(workload, part_reads);
}

bool workload_writes(const struct workload *workload)
{
	return any_part(workload, part_writes);
}

bool workload_trims(const struct workload *workload)
{
	return any_part(workload, part_trims);
}

bool workload_moves(const struct workload *workload, enum direction direction)
{
	switch (direction) {
	case DIRECTION_READ:
		return workload_reads(workload);
	case DIRECTION_WRITE:
		return workload_writes(workload);
	case DIRECTION_TRIM:
		return workload_trims(workload);
	case DIRECTION_COUNT:
		break;
	}
	return false;
}

bool workload_random(const struct workload *workload)
{
	return workload_rw_random(workload->rw);
}

bool workload_rw_random(int rw)
{
	return rw == RW_RANDREAD || rw == RW_RANDWRITE || rw == RW_RANDRW || rw == RW_RANDTRIM ||
	       rw == RW_RANDREWRITE;
}

bool workload_mixed(const struct workload *workload)
{
	return !workload_metadata(workload) && (workload->rw == RW_RW || workload->rw == RW_RANDRW);
}

bool workload_rewrites(const struct workload *workload)
{
	return !workload_metadata(workload) &&
	       (workload->rw == RW_REWRITE || workload->rw == RW_RANDREWRITE);
}

uint64_t workload_buffer_bytes(const struct workload *workload)
{
	uint64_t most = SECTOR_BYTES; /* a trim needs none, a slot has one */

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);

		if (part_reads(part) && part->bs[DIRECTION_READ] > most)
			most = part->bs[DIRECTION_READ];
		if (part_writes(part) && part->bs[DIRECTION_WRITE] > most)
			most = part->bs[DIRECTION_WRITE];
	}
	return most;
}

uint64_t workload_depth(const struct workload *workload)
{
	if (workload_is_set(workload, OPTION_ID_IOENGINE) &&
	    (workload->ioengine == IOENGINE_PSYNC || workload->ioengine == IOENGINE_SYNC))
		return 1;
	return workload->iodepth;
}

static int part_extent(const struct workload *part, bool file_per_job, uint64_t *ret_bytes)
{
	uint64_t bytes =
		file_per_job && data_files_given(part) ? data_files_largest(part) : part->size;

	if (!file_per_job && part->regions == REGIONS_DISJOINT &&
	    __builtin_mul_overflow(bytes, part->numjobs, &bytes))
		return -EOVERFLOW;
	/* at most 2^50 x 1024 */
	if (part->numjobs > 0 &&
	    __builtin_add_overflow(bytes, part->offset_increment * (part->numjobs - 1), &bytes))
		return -EOVERFLOW;
	if (__builtin_add_overflow(bytes, part->offset, &bytes))
		return -EOVERFLOW;
	*ret_bytes = bytes;
	return 0;
}

int workload_extent(const struct workload *workload, bool file_per_job, uint64_t *ret_bytes)
{
	uint64_t extent = 0, bytes;

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);

		if (part_extent(part, file_per_job, &bytes) < 0)
			return -EOVERFLOW;
		/* the parts of disjoint regions have one offset */
		if (i > 0 && !file_per_job && part->regions == REGIONS_DISJOINT &&
		    __builtin_add_overflow(bytes - part->offset, extent, &bytes))
			return -EOVERFLOW;
		if (bytes > extent)
			extent = bytes;
	}
	*ret_bytes = extent;
	return 0;
}
