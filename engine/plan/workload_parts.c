/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workload_parts.c - workload.h: the parts of a workload, jobs of different options together. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/data_files.h"
#include "engine/plan/machine_options.h"
#include "engine/plan/workload.h"

size_t workload_parts(const struct workload *workload)
{
	return workload->part_count ? workload->part_count : 1;
}

const struct workload *workload_part(const struct workload *workload, size_t index)
{
	return workload->part_count ? &workload->parts[index] : workload;
}

int workload_add_part(struct workload *workload, struct workload *part)
{
	struct workload *parts =
		reallocarray(workload->parts, workload->part_count + 1, sizeof(*parts));

	if (!parts) {
		workload_done(part);
		return -ENOMEM;
	}
	workload->parts = parts;
	parts[workload->part_count++] = *part;
	workload_init(part);
	return 0;
}

uint64_t workload_jobs(const struct workload *workload)
{
	uint64_t jobs = 0;

	for (size_t i = 0; i < workload_parts(workload); i++)
		if (__builtin_add_overflow(jobs, workload_part(workload, i)->numjobs, &jobs))
			return UINT64_MAX;
	return jobs;
}

uint64_t workload_outstanding(const struct workload *workload)
{
	uint64_t total = 0, own;

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);

		if (__builtin_mul_overflow(workload_depth(part), part->numjobs, &own) ||
		    __builtin_add_overflow(total, own, &total))
			return UINT64_MAX;
	}
	return total;
}

/* ---- what parts must have in common ---- */

#define VALUE_MAX 128 /* bytes of an option and its value in a message */

/* One measurement has one clock, one seed, one way to divide the target and to tell of it; its
 * workers serve jobs of all parts on one set of CPUs, with one priority, through one kind of ring.
 */
static const enum option_id common[] = {
	OPTION_ID_RAMP_TIME,
	OPTION_ID_REGIONS,
	OPTION_ID_RANDREPEAT,
	OPTION_ID_RANDSEED,
	OPTION_ID_CPUS_ALLOWED,
	OPTION_ID_CPUS_ALLOWED_POLICY,
	OPTION_ID_PRIO,
	OPTION_ID_PRIOCLASS,
	OPTION_ID_HIPRI,
	OPTION_ID_SQTHREAD_POLL,
	OPTION_ID_SQTHREAD_POLL_CPU,
	OPTION_ID_PERCENTILE_LIST,
	OPTION_ID_STEADYSTATE,
	OPTION_ID_STEADYSTATE_DURATION,
	OPTION_ID_STEADYSTATE_RAMP,
};

/* "bs=4k", or "no prio" where there is none to tell. */
static void put_value(const struct workload *part, const struct option *option, const char *value,
		      char text[VALUE_MAX])
{
	if (option->default_text || workload_is_set(part, option->id))
		(void)snprintf(text, VALUE_MAX, "%s=%s", option->name, value); /* may be cut */
	else
		(void)snprintf(text, VALUE_MAX, "no %s", option->name);
}

/* The option of a part and the first, which must be the same, and why. */
static int check_same(const struct workload *part, const struct workload *first, enum option_id id,
		      const char *why, struct error *err)
{
	const struct option *option = option_at(id);
	char *own = option_format(option, part), *others = option_format(option, first);
	bool given = workload_is_set(part, id) == workload_is_set(first, id);
	char left[VALUE_MAX], right[VALUE_MAX];
	int r = 0;

	if (!own || !others) {
		r = error_no_memory(err);
	} else if (strcmp(own, others) != 0 || (!given && !option->default_text)) {
		put_value(part, option, own, left);
		put_value(first, option, others, right);
		r = error_set(err, ERROR_CONFLICT, option->name, "%s has %s and %s has %s, but %s",
			      part->name, left, first->name, right, why);
	}
	free(own);
	free(others);
	return r;
}

/* Disjoint regions lie one behind another from one offset on, or share all there is. */
static int check_place(const struct workload *part, const struct workload *first, struct error *err)
{
	int r;

	if (part->regions != REGIONS_DISJOINT)
		return 0;
	r = check_same(part, first, OPTION_ID_OFFSET,
		       "with regions=disjoint the regions of jobs that run together lie one behind "
		       "another from one offset on: to place each give regions=shared",
		       err);
	if (r == 0 && (part->size == 0) != (first->size == 0))
		r = error_set(
			err, ERROR_CONFLICT, "size",
			"jobs that run together in disjoint regions all have a size, or share "
			"the target: give %s one",
			part->size ? first->name : part->name);
	return r;
}

enum engine_kind { ENGINE_ANY, ENGINE_ASYNCHRONOUS, ENGINE_BLOCKING, ENGINE_NULL };

static enum engine_kind engine_kind(const struct workload *part)
{
	if (!workload_is_set(part, OPTION_ID_IOENGINE))
		return ENGINE_ANY;
	switch ((enum workload_ioengine)part->ioengine) {
	case IOENGINE_IO_URING:
	case IOENGINE_LIBAIO:
	case IOENGINE_POSIXAIO:
		return ENGINE_ASYNCHRONOUS;
	case IOENGINE_PSYNC:
	case IOENGINE_SYNC:
	case IOENGINE_THREADS:
		return ENGINE_BLOCKING;
	case IOENGINE_NULL:
		break;
	}
	return ENGINE_NULL;
}

/* One backend serves them all. */
static int check_engines(const struct workload *workload, size_t *ret_part, struct error *err)
{
	const struct workload *first = NULL;

	for (size_t i = 0; i < workload->part_count; i++) {
		const struct workload *part = &workload->parts[i];

		if (engine_kind(part) == ENGINE_ANY)
			continue;
		if (!first)
			first = part;
		if (engine_kind(part) == engine_kind(first))
			continue;
		*ret_part = i;
		return check_same(part, first, OPTION_ID_IOENGINE,
				  "one backend serves all jobs that run together: io_uring, libaio "
				  "and posixaio go together, and so do psync, sync and threads",
				  err);
	}
	return 0;
}

/* What the null backend, which serves all where one asks for it, could only ignore or belie. The
 * parts that ask themselves were checked by themselves. */
static int check_null(const struct workload *workload, size_t *ret_part, struct error *err)
{
	const struct workload *null = NULL;

	for (size_t i = 0; i < workload->part_count; i++)
		if (engine_kind(&workload->parts[i]) == ENGINE_NULL)
			null = &workload->parts[i];
	for (size_t i = 0; null && i < workload->part_count; i++) {
		const struct workload *part = &workload->parts[i];
		const struct option *option = machine_options_of_ring(part);

		if (part->verify != VERIFY_NONE)
			option = option_at(OPTION_ID_VERIFY);
		if (!option)
			continue;
		*ret_part = i;
		return error_set(err, ERROR_CONFLICT, option->name,
				 "ioengine=null of %s serves all jobs that run together, and moves "
				 "nothing: leave out %s, or ioengine=null",
				 null->name, option->name);
	}
	return 0;
}

static int check_part(const struct workload *part, const struct workload *first, struct error *err)
{
	int r = 0;

	if (workload_metadata(part))
		return error_set(
			err, ERROR_CONFLICT, "metadata",
			"a metadata workload goes from phase to phase by itself: give it a "
			"workload of its own");
	if (part->batch_complete_min > 1 || part->batch > 0 || part->iodepth_low > 0) {
		const char *name = part->batch_complete_min > 1 ? "iodepth_batch_complete_min"
				   : part->batch > 0		? "iodepth_batch"
								: "iodepth_low";

		return error_set(err, ERROR_CONFLICT, name,
				 "jobs that run together share a ring, for which %s would count "
				 "the operations of all: leave it out",
				 name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(common) && r == 0; i++)
		r = check_same(
			part, first, common[i],
			common[i] == OPTION_ID_REGIONS
				? "jobs that run together share it, and offset_increment, "
				  "interlocked and fio command lines make it shared: give all of "
				  "them regions=shared"
				: "jobs that run together share it: give it to the workload",
			err);
	if (r == 0 && part->ramp_time_ns > 0)
		r = check_same(part, first, OPTION_ID_STARTDELAY,
			       "jobs that run together have one ramp, which a later one would not "
			       "go through: give all the same startdelay, or leave out ramp_time",
			       err);
	return r < 0 ? r : check_place(part, first, err);
}

/* The first part's options, under the workload's own name. */
static int take_first(struct workload *workload)
{
	const struct workload *first = &workload->parts[0];

	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		int r = 0;

		if (id != OPTION_ID_NAME)
			r = option_copy(option_at((enum option_id)id), first, workload);
		if (r < 0)
			return r;
	}
	workload->from_fio = first->from_fio;
	return 0;
}

/* Those of each part were counted by themselves; all are held open at once. */
static int check_files(const struct workload *workload, size_t *ret_part, struct error *err)
{
	uint64_t files = data_files_count(workload);

	if (files <= DATA_FILES_MAX)
		return 0;
	for (*ret_part = 0; *ret_part + 1 < workload->part_count; ++*ret_part)
		if (data_files_given(&workload->parts[*ret_part]))
			break;
	return error_set(err, ERROR_TOO_MANY, "nrfiles",
			 "the jobs that run together have %" PRIu64
			 " files; at most %d are held open: lower nrfiles or numjobs",
			 files, DATA_FILES_MAX);
}

int workload_join(struct workload *workload, size_t *ret_part, struct error *err)
{
	uint64_t most = option_at(OPTION_ID_NUMJOBS)->max, jobs = workload_jobs(workload), extent;
	int r = check_engines(workload, ret_part, err);

	if (r == 0)
		r = check_null(workload, ret_part, err);
	for (size_t i = 0; i < workload->part_count && r == 0; i++) {
		*ret_part = i;
		r = check_part(&workload->parts[i], &workload->parts[0], err);
	}
	if (r < 0)
		return r;
	if (jobs > most)
		return error_set(err, ERROR_CONFLICT, "numjobs",
				 "%" PRIu64 " jobs would run together; at most %" PRIu64 " do",
				 jobs, most);
	r = check_files(workload, ret_part, err);
	if (r < 0)
		return r;
	if (workload_extent(workload, false, &extent) < 0 || extent > INT64_MAX)
		return error_set(err, ERROR_CONFLICT, "size",
				 "the regions of all jobs together go beyond what a file can hold");
	return take_first(workload) < 0 ? error_no_memory(err) : 0;
}
