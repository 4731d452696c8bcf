/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_comparison.h - one run beside others: before and after, host against host, transport against
 * transport. The first is the baseline; each of the others is held against it.
 *
 * Cells are matched: workloads by name, and what is left by equal options; levels of factors by
 * name and value. A factor that only one of two runs has is met where the other run's samples say
 * what they had there (iodepth=16 of a run beside a level iodepth 16). What has no partner is told.
 *
 * Each pair of cells is judged by one figure: files a second of metadata; the mean latency where
 * rates say what is done; bytes a second where the request sizes differ or no operations are known;
 * else operations a second. Runs share no blocks, so ratios have Welch's interval (welch.h), wider
 * by what printed digits leave open, and Holm's procedure covers the judged figures of all pairs of
 * all runs. Other figures have their ratio and interval alone. The intervals know the spread of
 * repeats within each run; what changes from one run to the next besides (how full a pool is, where
 * data lies) is not in them.
 *
 * Ratios are other / baseline of the figure itself: a latency above 1 is worse. Pure; what stands
 * in it as const is borrowed from the results, which must outlive it.
 *
 * Length: every figure of a comparison stands here, each with what it means.
 */
#ifndef ENGINE_ANALYSIS_RUN_COMPARISON_H
#define ENGINE_ANALYSIS_RUN_COMPARISON_H

#include "engine/analysis/cells.h"
#include "engine/analysis/welch.h"

#define RUN_COMPARISON_MAX 8 /* runs, the baseline among them */

enum run_figure {
	RUN_FIGURE_IOPS,      /* operations/s */
	RUN_FIGURE_BANDWIDTH, /* bytes/s */
	RUN_FIGURE_LATENCY,   /* mean, ns */
	RUN_FIGURE_P99,	      /* 99th percentile of the latency, ns */
	RUN_FIGURE_FILES,     /* files/s */
	RUN_FIGURE_COUNT
};

/* "iops", "bandwidth", "latency", "latency_p99", "files" */
extern const char *const run_figure_names[RUN_FIGURE_COUNT];
bool run_figure_less_is_better(enum run_figure figure);

enum run_verdict { RUN_NO_VERDICT, RUN_NO_DIFFERENCE, RUN_BETTER, RUN_WORSE };

extern const char *const run_verdict_names[]; /* "none", "no_difference", "better", "worse" */

/* The figure in one run. */
struct run_side {
	size_t count;		    /* samples that know it; 0: not known */
	double mean;		    /* arithmetic */
	double told_low, told_high; /* what rounding leaves open of it; both the mean where exact */
};

struct run_ratio {
	enum run_figure figure;
	int direction; /* DIRECTION_COUNT: all together */
	struct run_side baseline, other;
	struct welch welch; /* of the geometric means; ratio 0: not known */
	bool judged;
	double p_holm;		  /* of a judged one with an interval */
	enum run_verdict verdict; /* of a judged one */
};

/* Two cells of the same thing; of metadata one phase of them. */
struct run_pair {
	size_t run;		     /* the other's index, from 1 */
	const struct cell *cells[2]; /* the baseline's and the other's */
	bool files;		     /* a phase: this operation, in this order */
	int operation, order;
	char *workload, *levels; /* "Exchange"; "bs=4k, iodepth=16", or "": heap */
	size_t ratio_count;
	struct run_ratio *ratios; /* the judged one first */
};

/* A cell with samples that the other run of a pair of runs has not. */
struct run_alone {
	size_t run;    /* the pair's other run */
	bool baseline; /* the baseline has it; else the other */
	char *workload, *levels;
};

enum run_difference_kind {
	RUN_DIFFERENCE_SETTING,	    /* what was asked for: options, factors, repeats */
	RUN_DIFFERENCE_TARGET,	    /* where */
	RUN_DIFFERENCE_MEASUREMENT, /* how: program, backend, how the run ended */
	RUN_DIFFERENCE_ENVIRONMENT, /* on what: host, kernel, memory, versions */
	RUN_DIFFERENCE_KIND_COUNT
};

/* "setting", "target", "measurement", "environment" */
extern const char *const run_difference_kind_names[RUN_DIFFERENCE_KIND_COUNT];

struct run_difference {
	enum run_difference_kind kind;
	char *name;			  /* "iodepth", "kernel" */
	char *workload;			  /* NULL: of the whole run, or of all workloads alike */
	char *values[RUN_COMPARISON_MAX]; /* one a run; NULL: not known */
	/* Figures differ by this alone, whatever else was changed. Where a value is not known they
	 * may: that is no reason to mark it. */
	bool unfair;
	const char *why; /* static: what an unfair one does; NULL */
};

struct run_comparison {
	size_t run_count;
	const struct result *runs[RUN_COMPARISON_MAX];
	struct cells cells[RUN_COMPARISON_MAX];
	size_t difference_count;
	struct run_difference *differences; /* unfair ones first, then by kind */
	size_t pair_count;
	struct run_pair *pairs; /* in the baseline's order, run by run */
	size_t alone_count;
	struct run_alone *alone;
	size_t judged;			      /* figures that Holm's procedure covered */
	size_t better, worse, open, unjudged; /* pairs by verdict; unjudged: single samples */
};

/* 2 to RUN_COMPARISON_MAX runs. -ENOMEM, -EOVERFLOW: nothing is left to free. */
MUST_CHECK int run_comparison_make(const struct result *const *runs, size_t count,
				   struct run_comparison *ret_comparison);
void run_comparison_done(struct run_comparison *comparison);

/* How many of the differences are unfair. */
size_t run_comparison_unfair(const struct run_comparison *comparison);

/* "Exchange, bs=4k", "Mail, sequential create, bs=4k"; valid until the buffer changes. */
#define RUN_PAIR_TITLE_MAX 400
const char *run_pair_title(const struct run_pair *pair, char buffer[RUN_PAIR_TITLE_MAX]);

/* "read IOPS", "99th percentile of write latency", "files/s". */
#define RUN_RATIO_TITLE_MAX 64
const char *run_ratio_title(const struct run_ratio *ratio, char buffer[RUN_RATIO_TITLE_MAX]);

/* A ratio as a reader meets it: "+12.3 %", "-4.1 %"; from 2 on "3.1 times", from a half down
 * "1/3.1"; "-" where it is not known. */
#define RUN_CHANGE_MAX 32
const char *run_change(double ratio, char buffer[RUN_CHANGE_MAX]);

/* Its interval in the same words: "-7.2 to -1.1 %", "1.9 to 3.4 times", "1/13 to 1/7.7"; "" where
 * there is none. */
#define RUN_INTERVAL_MAX 64
const char *run_interval(const struct welch *welch, char buffer[RUN_INTERVAL_MAX]);

#endif
