/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * placement.h - on which CPUs the workers of a measurement run, and with which I/O priority.
 *
 * cpus_allowed names the CPUs; with cpus_allowed_policy=split each job has one of them, the job's
 * number counted round the list, as in fio, and a reactor that of its jobs. prio and prioclass are
 * the workers' I/O priority, given to every request that io_uring reads or writes with.
 *
 * Calling sequence: placement_check before anything is made; placement_init in the control thread;
 * placement_enter in each worker. The kernel's own threads that serve a ring are placed by uring.c.
 */
#ifndef ENGINE_IO_PLACEMENT_H
#define ENGINE_IO_PLACEMENT_H

#include "engine/base/error.h"
#include "engine/plan/cpus.h"
#include "engine/plan/workload.h"

struct placement {
	bool pinned;
	bool split;
	struct cpus cpus;  /* pinned: they are in it */
	uint16_t priority; /* the kernel's: class and level; 0: as the process has it */
};

/* CPUs this process may run on. Empty where the kernel does not say. */
void placement_allowed(struct cpus *ret_cpus);

/* CPUs that the workers of a workload spread over; at least 1. */
size_t placement_width(const struct workload *workload);

/*
 * Whether this process may do what the workload asks: -EINVAL with err CONFLICT naming the option
 * and the CPUs it may not use; -EPERM with CONFLICT for a priority it may not have.
 */
MUST_CHECK int placement_check(const struct workload *workload, struct error *err);

void placement_init(struct placement *placement, const struct workload *workload);

/* The CPUs of a job's worker. */
void placement_of_job(const struct placement *placement, size_t job, struct cpus *ret_cpus);

/* Places the calling thread, which works for a job. -errno with err. */
MUST_CHECK int placement_enter(const struct placement *placement, size_t job, struct error *err);

#endif
