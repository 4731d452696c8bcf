/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * told.h - what another tool told of a measurement, in a sample that was imported.
 *
 * A sample of ours counts operations and bytes over seconds; others print rates, means and
 * percentiles, some of them rounded and some not at all. What a tool did not tell is not known,
 * never zero. A sample whose `source` is NULL was measured here.
 *
 * Where the tool's output has a histogram it is in the sample's direction, as ours; percentiles
 * stand here only where there is none.
 */
#ifndef ENGINE_TOLD_H
#define ENGINE_TOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/macros.h"
#include "engine/plan/workload.h"

/* A figure and what its printed digits leave open: "264 MiB" is 263.5 to 264.5 of them. Where it is
 * exact, low and high are the value. */
struct told_figure {
	bool known;
	double value, low, high;
};

struct told_percentile {
	double percentile; /* above 0, at most 100 */
	double ns;
};

struct told_direction {
	struct told_figure iops;
	struct told_figure bandwidth; /* bytes/s */
	bool ios_known, bytes_known;  /* the sample's direction has them */
	/* of the latency from submission to completion, ns */
	struct told_figure latency_min, latency_mean, latency_max, latency_stddev;
	size_t percentile_count;
	struct told_percentile *percentiles; /* ascending; heap */
};

struct sample_source {
	char *tool;  /* "fio-3.33", "diskspd 2.0.17", "bonnie++ 1.98", "dd", "volbench.table/1" */
	char *file;  /* the name its text came under, or NULL */
	char *given; /* command line, or options, as the tool printed them; or NULL */
	bool seconds_known; /* the sample's seconds */
	/* Only changes in percent are known: iops, bandwidth and told_ops_per_s are no operations
	 * or bytes a second but an index, 100 being what the level did that others are told
	 * against. Ratios of them are as good as any; nothing else follows from them. */
	bool index;
	uint64_t memory_bytes; /* RAM of the machine that was measured; 0: not known */
	uint64_t samples;      /* measurements that each figure is the mean of; 0: not known */
	struct told_direction directions[DIRECTION_COUNT];
};

/* heap; NULL: no memory */
struct sample_source *sample_source_new(const char *tool, const char *file);
void sample_source_free(struct sample_source *source);

/* An exact figure. */
struct told_figure told_exactly(double value);

#endif
