/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file_phases.c - see file_phases.h. */
#include "engine/plan/file_phases.h"

#include <inttypes.h>
#include <string.h>

#include "engine/base/text.h"

#define BLOCK_BYTES UINT64_C(4096)

const char *const file_operation_names[FILE_OPERATION_COUNT] = {"create", "write",  "stat",
								"read",	  "rename", "delete"};

/* ---- the list ---- */

static int bad_list(const char *text, const char *why, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	return error_set(err, ERROR_BAD_VALUE, "metadata",
			 "metadata=%s: %s; it is \"all\", or a list such as "
			 "\"create,write,stat,read,rename,delete\" without what is not wanted",
			 text_excerpt(text, quoted), why);
}

static int operation_of(const char *word, size_t length)
{
	for (int i = 0; i < FILE_OPERATION_COUNT; i++)
		if (strlen(file_operation_names[i]) == length &&
		    memcmp(file_operation_names[i], word, length) == 0)
			return i;
	return -1;
}

static bool has(const struct file_phases *phases, enum file_operation operation)
{
	for (size_t i = 0; i < phases->count; i++)
		if (phases->list[i] == operation)
			return true;
	return false;
}

int file_phases_parse(const char *text, struct file_phases *ret_phases, struct error *err)
{
	struct file_phases phases = {0};
	const char *words =
		strcmp(text, "all") == 0 ? "create,write,stat,read,rename,delete" : text;

	for (const char *word = words;; word++) {
		size_t length = strcspn(word, ",");
		int operation = operation_of(word, length);

		if (operation < 0)
			return bad_list(text, "there is no such operation", err);
		if (has(&phases, (enum file_operation)operation))
			return bad_list(text, "an operation is there twice", err);
		if (phases.count == 0 && operation != FILE_CREATE)
			return bad_list(text,
					"the files must be made first, so it begins with "
					"create",
					err);
		if (has(&phases, FILE_DELETE))
			return bad_list(text, "nothing can follow delete", err);
		phases.list[phases.count++] = (enum file_operation)operation;
		word += length;
		if (!*word)
			break;
	}
	*ret_phases = phases;
	return 0;
}

void file_phases_of(const struct workload *workload, struct file_phases *ret_phases)
{
	/* A completed one has been parsed; a stored one that holds something else has none. */
	if (!workload->metadata || file_phases_parse(workload->metadata, ret_phases, NULL) < 0)
		*ret_phases = (struct file_phases){0};
}

bool file_phases_create_writes(const struct file_phases *phases)
{
	return !has(phases, FILE_WRITE);
}

bool file_phases_ordered(const struct workload *workload, int order)
{
	return workload->file_order == FILE_ORDER_BOTH || workload->file_order == order;
}

/* ---- the workload ---- */

bool file_phases_takes(enum option_id id)
{
	switch (id) {
	case OPTION_ID_NAME:
	case OPTION_ID_METADATA:
	case OPTION_ID_NRFILES:
	case OPTION_ID_FILESIZE:
	case OPTION_ID_DIRECTORIES:
	case OPTION_ID_FILE_ORDER:
	case OPTION_ID_IODEPTH:
	case OPTION_ID_NUMJOBS:
	case OPTION_ID_FSYNC:
	case OPTION_ID_FDATASYNC:
	case OPTION_ID_RANDSEED:
	case OPTION_ID_RANDREPEAT:
	case OPTION_ID_IOENGINE:
	case OPTION_ID_DIRECTORY:
		return true;
	default:
		return false;
	}
}

/* What was given and could only be ignored. */
static int check_given(const struct workload *workload, struct error *err)
{
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		const char *name = option_at((enum option_id)id)->name;

		if (!workload_is_set(workload, (enum option_id)id) ||
		    file_phases_takes((enum option_id)id))
			continue;
		return error_set(err, ERROR_CONFLICT, name,
				 "%s means nothing for a metadata workload, which puts nrfiles "
				 "files of filesize through its phases; give %s to other workloads "
				 "only, or leave out metadata",
				 name, name);
	}
	if (workload_is_set(workload, OPTION_ID_IOENGINE) && workload->ioengine == IOENGINE_NULL)
		return error_set(err, ERROR_CONFLICT, "ioengine",
				 "ioengine=null does nothing, and files would not be there for the "
				 "next phase; leave it out");
	return 0;
}

static int check_syncs(const struct workload *workload, struct error *err)
{
	bool both = workload->fsync && workload->fdatasync;
	const char *name = workload->fsync > 1 ? "fsync" : "fdatasync";

	if (workload->fsync <= 1 && workload->fdatasync <= 1 && !both)
		return 0;
	return error_set(err, ERROR_CONFLICT, name,
			 both ? "give fsync or fdatasync, not both: each file written is synced "
				"once before it is closed"
			      : "%s is 0 or 1 for a metadata workload: 1 syncs each file written "
				"before it is closed",
			 name);
}

static int check_counts(const struct workload *workload, struct error *err)
{
	uint64_t outstanding = workload_depth(workload) * workload->numjobs;

	if (workload->filesize[1] > FILE_BYTES_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "filesize",
				 "filesize is at most 16m for a metadata workload, which holds a "
				 "whole file in memory");
	if (!workload_is_set(workload, OPTION_ID_NRFILES))
		return error_set(err, ERROR_MISSING_FIELD, "nrfiles",
				 "a metadata workload needs nrfiles: the files of each job, as in "
				 "\"nrfiles\": 10000");
	if (workload->directories > workload->nrfiles)
		return error_set(err, ERROR_CONFLICT, "directories",
				 "directories=%" PRIu64 " is more than the %" PRIu64
				 " files to put into them",
				 workload->directories, workload->nrfiles);
	if (workload->nrfiles * workload->numjobs > FILE_TOTAL_MAX)
		return error_set(err, ERROR_TOO_MANY, "nrfiles",
				 "nrfiles x numjobs is %" PRIu64 "; at most %" PRIu64,
				 workload->nrfiles * workload->numjobs, FILE_TOTAL_MAX);
	if (workload->directories * workload->numjobs > FILE_OUTSTANDING_MAX)
		return error_set(err, ERROR_TOO_MANY, "directories",
				 "directories x numjobs is %" PRIu64 "; at most %d, which are held "
				 "open",
				 workload->directories * workload->numjobs, FILE_OUTSTANDING_MAX);
	if (outstanding > FILE_OUTSTANDING_MAX)
		return error_set(err, ERROR_TOO_MANY, "iodepth",
				 "iodepth x numjobs is %" PRIu64
				 "; a metadata workload has at most %d operations outstanding, for "
				 "each holds a thread",
				 outstanding, FILE_OUTSTANDING_MAX);
	return 0;
}

int file_phases_complete(struct workload *workload, struct error *err)
{
	struct file_phases phases;
	int r = file_phases_parse(workload->metadata, &phases, err);

	if (!workload_is_set(workload, OPTION_ID_DIRECTORIES))
		workload->directories = 1;
	if (r == 0)
		r = check_given(workload, err);
	if (r == 0)
		r = check_syncs(workload, err);
	if (r == 0)
		r = check_counts(workload, err);
	if (r < 0)
		return r;
	workload->size = 0;
	workload->runtime_ns = 0;
	workload->ramp_time_ns = 0;
	workload->time_based = false;
	workload->direct = false;
	return 0;
}

static uint64_t whole_blocks(uint64_t bytes)
{
	return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

/* Nothing overflows: at most 10^7 files of 16 MiB. */
void file_phases_totals(const struct workload *workload, struct file_totals *ret_totals)
{
	uint64_t files = workload->nrfiles * workload->numjobs;
	uint64_t mean = (workload->filesize[0] + workload->filesize[1]) / 2;
	uint64_t orders = workload->file_order == FILE_ORDER_BOTH ? FILE_ORDERS : 1;
	struct file_phases phases;

	file_phases_of(workload, &phases);
	*ret_totals = (struct file_totals){
		.operations = files * phases.count * orders,
		.bytes_written = files * mean * orders,
		.bytes_read = has(&phases, FILE_READ) ? files * mean * orders : 0,
		.space_bytes = files * whole_blocks(workload->filesize[1]) +
			       workload->numjobs * (workload->directories + 1) * BLOCK_BYTES +
			       files * 64, /* their names in the directories */
		.inodes = files + workload->numjobs * (workload->directories + 1) + 1,
	};
}
