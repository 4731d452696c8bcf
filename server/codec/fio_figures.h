/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_figures.h - the measured part of an entry of fio's jobs[]: read, write, trim, sync and the
 * classes of latency. What is defined otherwise than in fio stands in result_fio.h.
 */
#ifndef SERVER_CODEC_FIO_FIGURES_H
#define SERVER_CODEC_FIO_FIGURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/sample.h"

/* One entry of jobs[]: a sample's figures, or those of one of its jobs. */
struct fio_entry {
	const struct sample *sample;
	const struct direction_result *directions;
	double seconds;
	uint64_t jobs;			/* that the figures are of */
	bool whole;			/* the sample's: the series belongs to it */
	bool first;			/* of its sample */
	const struct job_result *job;	/* whose figures they are; NULL: the sample's */
	const struct workload *options; /* the sample's, or those of the job's part */
};

/* NULL: no memory. */
json_t *fio_direction_encode(const struct fio_entry *entry, enum direction d);
json_t *fio_sync_encode(const struct fio_entry *entry);

/* latency_ns, latency_us, latency_ms: percent of the operations by class. 0, or -1: no memory. */
int put_fio_spread(json_t *object, const struct fio_entry *entry);

/* To the nearest whole number; 0 for what is none. */
static inline uint64_t fio_whole(double value)
{
	return value > 0 && value < 1e18 ? (uint64_t)(value + 0.5) : 0;
}

#endif
