/* SPDX-License-Identifier: GPL-3.0-or-later */
/* alone.c - see alone.h. */
#include "engine/alone.h"

#include <errno.h>
#include <sys/resource.h>

#include "engine/base/clock.h"
#include "engine/io/pace.h"

#define ALONE_NS (200 * NS_PER_MS)

/* Less is not worth a fifth of a second more. */
#define SAMPLE_S 1.0

bool alone_wanted(const struct sample *sample, bool device_known, enum backend_kind backend)
{
	/* With rates and pauses the load is what was asked for, not what the target can do. */
	return !device_known && backend != BACKEND_NULL && sample->repeat == 1 &&
	       sample->seconds >= SAMPLE_S && sample->options.part_count == 0 &&
	       pace_is_plain(&sample->options) && !workload_trims(&sample->options) &&
	       workload_outstanding(&sample->options) > 1;
}

static double cpu_seconds(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return 0; /* cannot fail for oneself */
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int alone_try(struct sample *sample, enum backend_kind backend, const struct measure_region *region,
	      atomic_bool *cancel, struct error *err)
{
	struct workload workload;
	const struct measure_spec spec = {
		.workload = &workload,
		.backend = backend,
		.seed = sample->seed ^ 1, /* not the very blocks the sample began with */
		.region_count = 1,
		.regions = region,
		.discard = true,
		.cancel = cancel,
	};
	struct sample alone;
	double before_s = cpu_seconds();
	int r;

	if (workload_copy(&sample->options, &workload) < 0)
		return error_no_memory(err);
	workload.iodepth = workload.numjobs = 1;
	workload.ramp_time_ns = workload.startdelay_ns = 0;
	workload.runtime_ns = ALONE_NS;
	workload.time_based = workload.group_reporting = true;
	workload.end_fsync = false;
	sample_init(&alone);
	r = measure_run(&spec, &alone, err);
	if (r == 0 && alone.seconds > 0) {
		sample->alone_iops =
			sample_iops(&alone, DIRECTION_READ) + sample_iops(&alone, DIRECTION_WRITE);
		sample->alone_cpu_share = (cpu_seconds() - before_s) / alone.seconds;
	}
	sample_done(&alone);
	workload_done(&workload);
	return r;
}
