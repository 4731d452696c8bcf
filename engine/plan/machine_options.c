/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_options.c - see machine_options.h. */
#include "engine/plan/machine_options.h"

#include <stdio.h>

#include "engine/plan/cpus.h"

#define CLASS_IDLE 3

static int check_cpus(const struct workload *workload, struct error *err)
{
	struct cpus cpus;
	int r;

	if (!workload->cpus_allowed) {
		if (!workload_is_set(workload, OPTION_ID_CPUS_ALLOWED_POLICY))
			return 0;
		return error_set(err, ERROR_CONFLICT, "cpus_allowed_policy",
				 "cpus_allowed_policy deals out the CPUs of cpus_allowed: give "
				 "that as well, or leave it out");
	}
	r = cpus_parse(workload->cpus_allowed, &cpus, err);
	if (r < 0 && err)
		(void)snprintf(err->field, sizeof(err->field), "cpus_allowed"); /* it fits */
	return r;
}

/* Whether an option was given for what it does: a flag that is off asks for nothing. */
static bool asks(const struct workload *workload, enum option_id id)
{
	switch (id) {
	case OPTION_ID_HIPRI:
		return workload->hipri;
	case OPTION_ID_SQTHREAD_POLL:
		return workload->sqthread_poll;
	case OPTION_ID_BATCH_COMPLETE_MIN:
		return workload->batch_complete_min > 1;
	case OPTION_ID_IODEPTH_LOW:
		return workload->iodepth_low > 0;
	default:
		return workload_is_set(workload, id);
	}
}

const struct option *machine_options_of_ring(const struct workload *workload)
{
	static const enum option_id ids[] = {
		OPTION_ID_HIPRI,     OPTION_ID_SQTHREAD_POLL, OPTION_ID_SQTHREAD_POLL_CPU,
		OPTION_ID_FIXEDBUFS, OPTION_ID_REGISTERFILES, OPTION_ID_BATCH_COMPLETE_MIN,
		OPTION_ID_BATCH,     OPTION_ID_IODEPTH_LOW,
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (asks(workload, ids[i]))
			return option_at(ids[i]);
	return NULL;
}

/* What is always so can be asked for, but not left out. */
static int check_always(const struct workload *workload, struct error *err)
{
	static const struct {
		enum option_id id;
		const char *what;
	} always[] = {
		{OPTION_ID_FIXEDBUFS,
		 "buffers are always registered with the ring where they can be"},
		{OPTION_ID_REGISTERFILES, "files are always registered with the ring"},
		{OPTION_ID_NONVECTORED, "requests always have one buffer"},
	};
	const bool given[] = {workload->fixedbufs, workload->registerfiles, workload->nonvectored};

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (workload_is_set(workload, always[i].id) && !given[i])
			return error_set(err, ERROR_UNSUPPORTED, option_at(always[i].id)->name,
					 "%s=0 is not supported: %s", option_at(always[i].id)->name,
					 always[i].what);
	return 0;
}

static int check_polling(const struct workload *workload, struct error *err)
{
	if (workload_is_set(workload, OPTION_ID_SQTHREAD_POLL_CPU) && !workload->sqthread_poll)
		return error_set(err, ERROR_CONFLICT, "sqthread_poll_cpu",
				 "sqthread_poll_cpu says where the thread of sqthread_poll=1 runs: "
				 "give that as well, or leave it out");
	if (!workload->hipri)
		return 0;
	if (!workload->direct)
		return error_set(err, ERROR_CONFLICT, "hipri",
				 "hipri=1 polls a device for what goes around the page cache: it "
				 "needs direct=1");
	if (workload->sqthread_poll)
		return error_set(err, ERROR_CONFLICT, "hipri",
				 "hipri=1 together with sqthread_poll=1 is not supported: leave "
				 "out one of them");
	if (workload->fsync > 0 || workload->fdatasync > 0 || workload->end_fsync)
		return error_set(err, ERROR_CONFLICT, "hipri",
				 "a ring that polls (hipri=1) takes no %s: leave out one of them",
				 workload->fsync > 0	   ? "fsync"
				 : workload->fdatasync > 0 ? "fdatasync"
							   : "end_fsync");
	return 0;
}

/* What fio has for every asynchronous engine: io_uring serves them all. */
static bool is_depth(enum option_id id)
{
	return id == OPTION_ID_BATCH_COMPLETE_MIN || id == OPTION_ID_BATCH ||
	       id == OPTION_ID_IODEPTH_LOW;
}

static int check_ring(const struct workload *workload, struct error *err)
{
	const struct option *option = machine_options_of_ring(workload);
	int r;

	if (option && !is_depth(option->id) && workload_is_set(workload, OPTION_ID_IOENGINE) &&
	    workload->ioengine != IOENGINE_IO_URING)
		return error_set(err, ERROR_CONFLICT, option->name,
				 "%s is io_uring's, and ioengine=%s is asked for: leave out one of "
				 "them",
				 option->name, workload_ioengine_choices[workload->ioengine]);
	r = check_always(workload, err);
	return r < 0 ? r : check_polling(workload, err);
}

int machine_options_check(const struct workload *workload, struct error *err)
{
	int r = check_cpus(workload, err);

	if (r == 0 && workload->prioclass == CLASS_IDLE &&
	    workload_is_set(workload, OPTION_ID_PRIO))
		r = error_set(err, ERROR_CONFLICT, "prio",
			      "prioclass=3, idle, has no levels: leave prio out");
	return r < 0 ? r : check_ring(workload, err);
}
