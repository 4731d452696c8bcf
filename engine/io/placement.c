/* SPDX-License-Identifier: GPL-3.0-or-later */
/* placement.c - see placement.h. */
#include "engine/io/placement.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void placement_allowed(struct cpus *ret_cpus)
{
	cpu_set_t *set = NULL;
	size_t size = 0;
	int rc = -1;

	*ret_cpus = (struct cpus){0};
	/* The kernel wants room for all CPUs it could ever have: grow until it is content. */
	for (int count = CPUS_MAX; count <= 1 << 20 && rc < 0; count *= 2) {
		CPU_FREE(set);
		set = CPU_ALLOC((size_t)count);
		size = CPU_ALLOC_SIZE(count);
		if (!set)
			return;
		rc = sched_getaffinity(0, size, set);
		if (rc < 0 && errno != EINVAL)
			break;
	}
	for (size_t i = 0; rc == 0 && i < CPUS_MAX; i++)
		if (CPU_ISSET_S(i, size, set))
			cpus_add(ret_cpus, i);
	CPU_FREE(set);
}

/* Of a part whose text was checked when it was completed. */
static bool asked_cpus(const struct workload *workload, struct cpus *ret_cpus)
{
	return workload->cpus_allowed && cpus_parse(workload->cpus_allowed, ret_cpus, NULL) == 0;
}

size_t placement_width(const struct workload *workload)
{
	struct cpus cpus;
	size_t count;

	if (!asked_cpus(workload_part(workload, 0), &cpus))
		placement_allowed(&cpus);
	count = cpus_count(&cpus);
	return count ? count : 1;
}

/* fio's ioprio_value(): a level without a class is one of best effort. */
static uint16_t priority_of(const struct workload *workload)
{
	uint64_t class = workload->prioclass;

	if (!workload_is_set(workload, OPTION_ID_PRIO) &&
	    !workload_is_set(workload, OPTION_ID_PRIOCLASS))
		return 0;
	if (class == IOPRIO_CLASS_NONE)
		class = IOPRIO_CLASS_BE;
	return (uint16_t)IOPRIO_PRIO_VALUE(class, workload->prio);
}

static int set_priority(uint16_t priority)
{
	return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, priority) < 0 ? -errno : 0;
}

/* Tries it, in the calling thread. */
static int check_priority(const struct workload *workload, struct error *err)
{
	uint16_t priority = priority_of(workload);
	long before;
	int rc;

	if (priority == 0)
		return 0;
	before = syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);
	rc = set_priority(priority);
	if (rc < 0) {
		(void)error_set(
			err, ERROR_CONFLICT,
			workload_is_set(workload, OPTION_ID_PRIOCLASS) ? "prioclass" : "prio",
			"the I/O priority prioclass=%" PRIu64 " prio=%" PRIu64 " is refused (%s)%s",
			workload->prioclass, workload->prio, strerrordesc_np(-rc),
			rc == -EPERM ? ": it needs the capability CAP_SYS_NICE" : "");
		return rc;
	}
	return before < 0 ? 0 : set_priority((uint16_t)before);
}

static int check_kernel_thread(const struct workload *workload, struct error *err)
{
	char list[CPUS_TEXT_MAX];
	struct cpus allowed;

	if (!workload_is_set(workload, OPTION_ID_SQTHREAD_POLL_CPU))
		return 0;
	placement_allowed(&allowed);
	if (cpus_has(&allowed, workload->sqthread_poll_cpu))
		return 0;
	return error_set(err, ERROR_CONFLICT, "sqthread_poll_cpu",
			 "CPU %" PRIu64
			 " of sqthread_poll_cpu is not among those that this process "
			 "may use: %s",
			 workload->sqthread_poll_cpu, cpus_format(&allowed, list));
}

static int check_part(const struct workload *workload, struct error *err)
{
	char missing[CPUS_TEXT_MAX], list[CPUS_TEXT_MAX];
	struct cpus cpus, allowed;
	int r;

	if (asked_cpus(workload, &cpus)) {
		placement_allowed(&allowed);
		cpus_remove(&cpus, &allowed);
		if (cpus_count(&cpus) > 0)
			return error_set(err, ERROR_CONFLICT, "cpus_allowed",
					 "CPU %s of cpus_allowed=%s is not among those that this "
					 "process may use: %s",
					 cpus_format(&cpus, missing), workload->cpus_allowed,
					 cpus_format(&allowed, list));
	}
	r = check_kernel_thread(workload, err);
	return r < 0 ? r : check_priority(workload, err);
}

int placement_check(const struct workload *workload, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < workload_parts(workload) && rc == 0; i++)
		rc = check_part(workload_part(workload, i), err);
	return rc;
}

void placement_init(struct placement *placement, const struct workload *workload)
{
	const struct workload *part = workload_part(workload, 0);

	*placement = (struct placement){
		.split = part->cpus_allowed_policy == CPUS_SPLIT,
		.priority = priority_of(part),
	};
	placement->pinned = asked_cpus(part, &placement->cpus);
}

void placement_of_job(const struct placement *placement, size_t job, struct cpus *ret_cpus)
{
	*ret_cpus = placement->cpus;
	if (!placement->pinned || !placement->split)
		return;
	*ret_cpus = (struct cpus){0};
	cpus_add(ret_cpus, cpus_nth(&placement->cpus, job));
}

int placement_enter(const struct placement *placement, size_t job, struct error *err)
{
	char list[CPUS_TEXT_MAX];
	struct cpus cpus;
	int rc = 0;

	placement_of_job(placement, job, &cpus);
	/* The kernel's bits are these on every machine of this byte order, and longs of 64 bits. */
	if (placement->pinned &&
	    syscall(SYS_sched_setaffinity, 0, sizeof(cpus.bits), cpus.bits) < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "moving a worker to CPU %s",
				     cpus_format(&cpus, list));
	if (placement->priority != 0)
		rc = set_priority(placement->priority);
	if (rc < 0)
		return error_set_sys(err, ERROR_SYSTEM, -rc, "setting a worker's I/O priority");
	return 0;
}
