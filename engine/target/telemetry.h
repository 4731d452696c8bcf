/* SPDX-License-Identifier: GPL-3.0-or-later */
/* telemetry.h - counters read beside a sample. Linux's /proc and /sys; control thread only. */
#ifndef ENGINE_TARGET_TELEMETRY_H
#define ENGINE_TARGET_TELEMETRY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/macros.h"
#include "engine/plan/plan.h"
#include "engine/sample.h"

struct telemetry {
	uint64_t at_ns;
	uint64_t reads, read_bytes, writes, written_bytes, io_ms, weighted_ms;
	double user_s, system_s;		/* rusage of this process */
	double machine_busy_s, machine_steal_s; /* /proc/stat */
	bool device_known;
};

/* device 0: no device counters. */
void telemetry_read(dev_t device, struct telemetry *ret_telemetry);
void telemetry_difference(const struct telemetry *before, const struct telemetry *after,
			  struct device_delta *ret_device, struct cpu_delta *ret_cpu);

/* What a result says of the machine; texts are "" where unknown. */
struct environment {
	char host[65], kernel[65], machine[65], os[128], cpu_model[128];
	unsigned int cpus, cpus_allowed;
	uint64_t memory_bytes, memory_available_bytes;
	char uring[128]; /* "available", or why it is refused */
	bool uring_available;
	char zfs[128]; /* "available", or why OpenZFS is not */
	bool zfs_available;
	char zfs_version[64]; /* of its module */
	char liburing[16], program_version[32];
};

void telemetry_environment(struct environment *ret_environment);
void telemetry_machine(struct machine *ret_machine);

#endif
