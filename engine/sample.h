/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample.h - one measurement, as a plain struct: what the engine hands out, what is stored, what
 * the analysis and the report read.
 *
 * Everything in it covers the measured window only (after the ramp, to the last completion of the
 * operations that were outstanding when the time was over), but the series, which begins with the
 * ramp. Owned by whoever holds it; sample_done() frees what it points to.
 *
 * Length: every figure of a sample stands here, each with what it means.
 */
#ifndef ENGINE_SAMPLE_H
#define ENGINE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/io/histogram.h"
#include "engine/io/verify/verify_result.h"
#include "engine/plan/finding.h"
#include "engine/plan/workload.h"
#include "engine/told.h"
#include "engine/zfs/sample_zfs.h"

/* One second of the series; the last one may be shorter than a second. */
struct series_second {
	uint64_t ios[DIRECTION_COUNT];
	uint64_t bytes[DIRECTION_COUNT];
	uint64_t latency_sum_ns[DIRECTION_COUNT];
};

struct series {
	size_t count;	       /* seconds, the ramp's first */
	size_t ramp_count;     /* how many of them lie wholly or in part in the ramp */
	uint64_t last_span_ns; /* length of the last one */
	struct series_second *seconds;
};

struct direction_result {
	uint64_t ios, bytes;
	uint64_t short_ios;	   /* fewer bytes than asked */
	struct histogram *latency; /* submission to completion; NULL when ios is 0 */
	/* Only where each operation was stamped on its own (latency_per_operation), else NULL. */
	struct histogram *submission, *completion;
	/* Where a rate gave each operation an intended start: from then to its completion, so that
	 * a stall counts for all it held up; else NULL. Of parts those with a rate count. */
	struct histogram *intended;
};

/*
 * A share of the figures: of all jobs of one part of a workload that has several, or of one job
 * where group_reporting is 0. Histograms as above.
 */
struct job_result {
	char *name;    /* the part's; NULL where the workload is one */
	uint64_t jobs; /* that it is of */
	struct direction_result directions[DIRECTION_COUNT];
	struct histogram *sync, *datasync, *end_fsync; /* NULL: none */
	/* From its own begin in the window, which a startdelay of its part may put off, to its last
	 * operation; with rates and pauses to the end of its time. */
	double seconds;
};

/* Differences of the counters in /sys/dev/block/M:m/stat over the window. */
struct device_delta {
	char name[64]; /* "sda"; "" when the target lies on no single block device */
	uint64_t reads, read_bytes;
	uint64_t writes, written_bytes;
	uint64_t io_ms;	      /* time with at least one request in flight */
	uint64_t weighted_ms; /* request-milliseconds: / window = mean queue */
};

struct cpu_delta {
	double user_s, system_s; /* this process, io-wq threads included */
	double machine_busy_s;	 /* all CPUs, all processes */
	double machine_steal_s;	 /* taken by the hypervisor */
};

/* One phase of a metadata workload. */
struct file_result {
	int operation; /* enum file_operation (plan/file_phases.h) */
	int order;     /* FILE_ORDER_SEQUENTIAL or FILE_ORDER_RANDOM */
	uint64_t ops, bytes;
	double seconds; /* from the common start to the last completion */
	/* As another tool told it, which may be all there is; not known where it was measured here.
	 */
	struct told_figure told_ops_per_s;
	struct histogram *latency; /* of all calls of a file together */
};

/* What steadystate (plan/steadystate.h) came to: the last window that was looked at. */
struct steady_result {
	bool full;		   /* a whole window was; else all is 0 */
	bool attained;		   /* it was within the limit, and ended the sample */
	size_t first, count;	   /* seconds of the series */
	double found;		   /* held against the limit, in its unit */
	double deviation;	   /* the largest from the mean, and the slope a second: */
	double slope;		   /* operations/s, or bytes/s for bw and bw_slope */
	double iops_mean, bw_mean; /* bytes/s */
};

struct level {
	char *factor, *value;
};

struct sample {
	size_t order;	/* place in the plan, from 0; also the sample's identity in its run */
	char *workload; /* name */
	size_t level_count;
	struct level *levels; /* in the order of the factors */
	unsigned int repeat;  /* from 1 */
	char *target;	      /* path */
	uint64_t started_wall_ms;
	double seconds; /* measured window */
	double ramp_seconds;
	struct workload options;    /* completed */
	uint64_t seed;		    /* exact in any JSON reader, unless given */
	char *backend;		    /* "io_uring", "threads", "null" */
	char *backend_reason;	    /* why not io_uring, or what of it is in use */
	bool latency_per_operation; /* else one stamp a batch */
	uint64_t error_count;	    /* operations that failed; the last one may have ended it */
	/* Those that did not end it (continue_on_error): by direction, then syncs; and what the
	 * first one said, NULL without one. They are in none of the figures. */
	uint64_t failed[DIRECTION_COUNT + 1];
	char *first_failure;
	struct direction_result directions[DIRECTION_COUNT];
	/* Latency of fsyncs, of fdatasyncs, and of the one that ends each job (end_fsync), which
	 * lies in the window; NULL when none. */
	struct histogram *sync, *datasync, *end_fsync;
	size_t file_count;
	struct file_result *files; /* in the order they were done; NULL unless it is of files */
	double depth_mean; /* operations outstanding, time-weighted (sum of latency / window) */
	double alone_iops; /* the same, one operation at a time (alone.h); 0: not tried */
	double alone_cpu_share; /* of that time, what this process had of a processor */
	struct series series;
	struct steady_result steady;
	size_t job_count;
	struct job_result *jobs; /* part by part; NULL where it is one, with group_reporting */
	struct cpu_delta cpu;
	struct device_delta device;
	struct sample_zfs *zfs; /* heap; NULL: the target does not lie on OpenZFS */
	struct verify_result verify;
	uint64_t free_bytes_before, free_bytes_after; /* target's file system; 0 for a device */
	struct findings findings;
	struct sample_source *source; /* heap: who measured it; NULL: this program */
};

/* All zero and empty; sample_done() frees what it holds and leaves it so again. */
void sample_init(struct sample *sample);
void sample_done(struct sample *sample);

/* The syncs of a sample by kind; NULL where there are none. */
enum sample_syncs { SAMPLE_FSYNCS, SAMPLE_FDATASYNCS, SAMPLE_END_FSYNCS, SAMPLE_SYNCS_COUNT };

extern const char *const sample_syncs_names[SAMPLE_SYNCS_COUNT]; /* as the options' */

const struct histogram *sample_syncs(const struct sample *sample, enum sample_syncs kind);

/* The same of one entry of a sample's jobs. */
const struct histogram *sample_job_syncs(const struct job_result *job, enum sample_syncs kind);

/* All that failed and did not end the sample. */
uint64_t sample_failed(const struct sample *sample);

/* Whether data goes this way: the workload says so, or operations of the kind were done. */
bool sample_moves(const struct sample *sample, enum direction direction);

/* The phase of this operation and order; NULL where the sample has none. */
const struct file_result *sample_files(const struct sample *sample, int operation, int order);
double file_result_ops_per_s(const struct file_result *result);

/* How what was written is checked: "crc32c"; "none". Of the first part that is. */
const char *sample_verify_method(const struct sample *sample);

/* The part that an entry of jobs is of; the options where the workload is one. */
const struct workload *sample_part(const struct sample *sample, const struct job_result *job);

/* Whether data of an entry of jobs goes this way. */
bool sample_job_moves(const struct sample *sample, const struct job_result *job,
		      enum direction direction);

/* Operations that an entry of jobs kept outstanding, over its own time. */
double sample_job_depth(const struct job_result *job);

/*
 * Operations and bytes a second of one direction, as measured or as told. Not known: the other tool
 * told neither the figure nor what it follows from; of our own all are (0 when seconds is 0).
 */
struct told_figure sample_iops_figure(const struct sample *sample, enum direction direction);
struct told_figure sample_bandwidth_figure(const struct sample *sample, enum direction direction);

/* The values of these; 0 where not known. */
double sample_iops(const struct sample *sample, enum direction direction);
double sample_bandwidth(const struct sample *sample, enum direction direction); /* bytes/s */

/* Whether the sample says what this option was: of ours always; of another tool's its options are
 * not completed, and only those that were given are known. */
bool sample_knows(const struct sample *sample, enum option_id id);

#endif
