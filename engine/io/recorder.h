/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recorder.h - the measured window's histograms of one job, or of all jobs that one reactor has of
 * a part of the workload, where nobody asks for them apart.
 *
 * Nothing else is counted per operation: operations are the histogram's count, bytes are that
 * times the (largest) block size less what was smaller, and the series gets differences of these
 * totals whenever recorder_event() is due (each second's end, and ten times a second).
 *
 * Threads: one user at a time.
 */
#ifndef ENGINE_IO_RECORDER_H
#define ENGINE_IO_RECORDER_H

#include "engine/io/backend.h"
#include "engine/io/histogram.h"
#include "engine/io/load.h"

struct recorder {
	struct histogram *histograms[REQUEST_KIND_COUNT]; /* NULL: the workload has none of it */
	/* Where each operation is stamped three times, else NULL. */
	struct histogram *submission[DIRECTION_COUNT], *completion[DIRECTION_COUNT];
	/* There too: what completed within its own submission is added here, once instead of three
	 * times; recorder_finish() passes it on to the three. */
	struct histogram *at_once[DIRECTION_COUNT];
	/* From the intended start to the completion; where a direction has a rate, else NULL. */
	struct histogram *intended[DIRECTION_COUNT];
	uint64_t bs[DIRECTION_COUNT];
	uint64_t short_ios[DIRECTION_COUNT];
	uint64_t
		missing_bytes[DIRECTION_COUNT]; /* to bs, in smaller requests and short transfers */
	/* Operations that failed and did not end the sample: by direction, then syncs. They stand
	 * nowhere else. */
	uint64_t failed[DIRECTION_COUNT + 1];
	char first_failure[ERROR_MESSAGE_MAX];
	uint64_t last_ns; /* the last completion in the window; 0: none */
	/* the series */
	struct load *load;
	bool in_window;
	uint64_t second;	   /* of the load, that `told` belongs to */
	struct series_second told; /* totals the series has got already */
	uint64_t next_event_ns;
	size_t job; /* the measurement's, the first that is recorded here: the caller's to set */
};

/* Histograms for what a part of a workload does. -ENOMEM; recorder_done() is due all the same. */
MUST_CHECK int recorder_init(struct recorder *recorder, const struct workload *workload, bool split,
			     struct load *load);
void recorder_done(struct recorder *recorder);

/* The load was released: the first event. */
void recorder_start(struct recorder *recorder);

/*
 * To be called when now_ns has reached next_event_ns, before anything that completed at now_ns is
 * recorded. Tells the series and the load's byte count; empties the histograms when the ramp is
 * over and then returns true: job_window_begins() is due for the recorder's jobs.
 */
bool recorder_event(struct recorder *recorder, uint64_t now_ns);

/* The end: what the series has not got yet. */
void recorder_finish(struct recorder *recorder);

/* An operation failed, as err says, and the sample goes on. */
void recorder_failed(struct recorder *recorder, enum request_kind kind, const struct error *err);

/* An operation that did not transfer all: false when it is an error (err set), which includes 0
 * bytes; else counted as short. */
bool recorder_short(struct recorder *recorder, enum request_kind kind, uint64_t offset,
		    uint32_t length, int32_t result, struct error *err);

uint64_t recorder_ios(const struct recorder *recorder, enum direction direction);
uint64_t recorder_bytes(const struct recorder *recorder, enum direction direction);

#endif
