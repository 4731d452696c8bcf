/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pace.h - when a job may issue: rate, rate_iops, thinktime. One of the parts that job_steps.c
 * asks.
 *
 * Rates are a schedule, as open as it gets: each direction that has one has a due time, the
 * intended start of its next operation, which moves on by length / rate with each operation issued
 * (poisson: by exponential gaps of the mean of the smallest request's), from the job's begin on.
 * rate_iops is a rate of so many smallest requests. The schedule does not ask how long operations
 * take: what is late is issued at once, the schedule goes on, and no
 * intended start is lost. fio's own schedule is the same (backend.c, usec_for_io), but an fio job
 * first waits for all it has outstanding before it rests; here it does not.
 *
 * A mix: the direction is drawn as always; where that one is not due and the other is (or has no
 * rate), the other's turn it is (fio's io_u.c, rate_ddir).
 *
 * thinktime: once thinktime_blocks operations have completed (issue: were issued) since the last
 * pause, or thinktime_iotime has passed, the job issues nothing, waits until none of its own is
 * outstanding, and then pauses for thinktime. What it held up of a rate is caught up with, unless
 * rate_ignore_thinktime moves the schedule by the pause (all directions'; fio: that of the last
 * operation's). A pause's first thinktime_spin work the processor: whoever asks is told to ask
 * again at once.
 *
 * rate_min, rate_iops_min: looked at whenever an operation has landed, every rate_cycle, after two
 * seconds of settling, as in fio.
 *
 * Times: CLOCK_MONOTONIC nanoseconds. Threads: one user at a time, as of the job.
 */
#ifndef ENGINE_IO_PACE_H
#define ENGINE_IO_PACE_H

#include "engine/io/random.h"
#include "engine/plan/workload.h"

/* A direction's schedule. */
struct pace_rate {
	uint64_t bytes_per_s; /* 0: none */
	uint64_t due_ns;      /* the next operation's intended start */
	uint64_t rest;	      /* of a nanosecond, in parts of bytes_per_s */
	double mean_gap_ns;   /* poisson; else 0 */
	struct random draw;
};

/* What of a direction has completed since it was last looked at. */
struct pace_least {
	uint64_t bytes_per_s, ios_per_s; /* 0: no matter */
	uint64_t bytes, ios;
};

struct pace {
	bool rated, thinks, watched; /* whether the three parts have anything to say */
	bool begun;
	uint64_t delay_ns; /* after the load's begin; set after pace_init() */
	struct pace_rate rates[DIRECTION_COUNT];
	bool moves[DIRECTION_COUNT];

	uint64_t think_ns, spin_ns, iotime_ns, blocks; /* blocks 0: only iotime counts */
	bool by_issue, shifts;
	uint64_t counted, counted_last; /* operations, now and when the last pause fell due */
	uint64_t thought_ns;		/* the last pause's end */
	uint64_t pause_ns;		/* the begin of the one that is; 0: none */
	bool falls_due;			/* waits until nothing is outstanding */

	struct pace_least least[DIRECTION_COUNT];
	uint64_t cycle_ns, begin_ns, looked_ns;
};

void pace_init(struct pace *pace, const struct workload *workload, uint64_t seed);

/* Whether a completed workload leaves this part nothing to say. */
bool pace_is_plain(const struct workload *workload);

/*
 * Whether a pause is on at now_ns, the delay before the job's begin included; start_ns: the load's
 * begin, the same at every call. outstanding: the job's operations. *ret_wake_ns, where it is: when
 * to ask again, now_ns for at once, UINT64_MAX when something has landed.
 */
bool pace_pauses(struct pace *pace, uint64_t start_ns, uint64_t now_ns, uint64_t outstanding,
		 uint64_t *ret_wake_ns);

/* Whether pace_pauses() could only say no: asked before it, for it is asked before every operation.
 */
static inline bool pace_flows(const struct pace *pace, uint64_t now_ns)
{
	return !pace->thinks && pace->begun && now_ns >= pace->begin_ns;
}

/*
 * Which directions may issue at now_ns, as bits; after pace_pauses(). 0: none before *ret_wake_ns.
 */
unsigned int pace_open(const struct pace *pace, uint64_t now_ns, uint64_t *ret_wake_ns);

/* Whether pace_issued() and pace_landed() have anything to do. */
static inline bool pace_counts_issued(const struct pace *pace)
{
	return pace->rated || pace->thinks;
}

static inline bool pace_counts_landed(const struct pace *pace)
{
	return pace->watched || pace->thinks;
}

/* A read, write or trim has been planned: its intended start, 0 where its direction has no rate. */
uint64_t pace_issued(struct pace *pace, enum direction direction, uint64_t length);

/* One has completed; -errno, with err, where less was done than must be. */
MUST_CHECK int pace_landed(struct pace *pace, enum direction direction, uint64_t bytes,
			   uint64_t now_ns, struct error *err);

#endif
