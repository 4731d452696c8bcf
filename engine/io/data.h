/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.h - what the writes of one job hold: zero_buffers, refill_buffers, scramble_buffers,
 * buffer_compress_percentage, buffer_compress_chunk and dedupe_percentage, as fio means them
 * (fill_io_buffer and small_content_scramble in its io_u.c).
 *
 *   fresh    every write other data, incompressible (buffer_refresh); the default
 *   zero     zeros (zero_buffers)
 *   same     what the buffer was first filled with, again and again (refill_buffers=0)
 *   made     every write other data, made from a key: each chunk of it random at first and zeros
 *            at its end as buffer_compress_percentage says; dedupe_percentage of the writes take
 *            the key of the job's write before them, so that they hold the very same
 *
 * scramble_buffers changes a few words of each sector of a buffer that is not refilled: enough that
 * no two blocks are the same, not enough against compression. It is on by default, but zeros stay
 * zeros unless it was asked for by name.
 *
 * What a key stands for is fixed: made data is read off one table of random words, each XORed with
 * the key (and with another one derived from it every DATA_TABLE bytes), at about the price of
 * copying it. So a reader can make it again.
 *
 * Calling sequence: data_init; for each write data_draw when it is planned, in the order of the
 * job's operations, then data_fill before it is submitted. data_fill may run beside data_draw.
 * Nothing to free.
 */
#ifndef ENGINE_IO_DATA_H
#define ENGINE_IO_DATA_H

#include <stdint.h>

#include "engine/io/random.h"
#include "engine/plan/workload.h"

#define DATA_TABLE 32768 /* bytes */
#define DATA_SECTOR 512	 /* bytes; what scrambling goes by */

enum data_kind { DATA_FRESH, DATA_ZERO, DATA_SAME, DATA_MADE };

struct data {
	enum data_kind kind;
	bool scrambled;
	uint32_t compressible;	/* percent of each chunk that are zeros */
	uint64_t chunk;		/* bytes; 0: a whole write */
	uint64_t unit;		/* bytes of a block for itself within a write; 0: a whole write */
	uint64_t repeats_below; /* of 2^32 numbers drawn, those that repeat the last key */
	struct random draw;
	uint64_t key; /* the last write's */
};

void data_init(struct data *data, const struct workload *workload, uint64_t seed);

/* The key of the job's next write. */
uint64_t data_draw(struct data *data);

/*
 * Makes a buffer, of an arena filled at random, ready for a write of so many bytes at an offset of
 * the file; own is a number of the buffer's own. Rounds up to 64 bytes what it touches.
 */
void data_fill(const struct data *data, void *buffer, uint64_t bytes, uint64_t offset, uint64_t key,
	       uint64_t own);

/* What a key stands for, from the begin of a block on: compressible percent of each chunk (0: the
 * whole) are zeros. */
void data_make(void *buffer, uint64_t bytes, uint64_t key, uint32_t compressible, uint64_t chunk);

#endif
