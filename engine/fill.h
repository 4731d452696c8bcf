/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fill.h - writes a target full before anything is read from it, and has what was written reach
 * the disk.
 *
 * A fill is an ordinary workload (sequential writes of 1 MiB, depth 8) carried out by
 * measure_run(), a few files at a time so that its memory stays below 64 MiB; what does not make a
 * whole request at the end of a file is written plainly. Its data are incompressible, unless the
 * workloads that read the target ask for others (zeros, compressible, repeating): then what they
 * read is of that kind. Every byte is accounted for: a
 * target that was not filled whole is an error, so that no sample ever reads what was not written.
 */
#ifndef ENGINE_FILL_H
#define ENGINE_FILL_H

#include <stdatomic.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/io/measure.h"
#include "engine/target/target.h"

struct fill_config {
	enum backend_kind backend; /* null is taken for io_uring: a fill is real */
	bool direct;		   /* O_DIRECT works on the target */
	uint64_t seed;
	/* A completed workload whose zero_buffers, buffer_compress_* and dedupe_percentage the data
	 * are to follow; NULL: incompressible. Bytes of a block of it within the 1 MiB. */
	const struct workload *like;
	uint64_t like_unit;
	atomic_bool *cancel;
	void (*tick)(void *arg, uint64_t bytes_done); /* of this target; several times a second */
	void *arg;
};

/* Opens, fills, syncs and closes. -ECANCELED; IO_ERROR; NO_SPACE where the file system is full. */
MUST_CHECK int fill_target(struct target *target, const struct fill_config *config,
			   struct error *err);

/*
 * Waits until what was written to the regions is on the disk, piece by piece so that a cancel is
 * heard and tick (may be NULL) can tell that it goes on, then fsync. Regions of one descriptor are
 * synced once.
 */
MUST_CHECK int fill_settle(const struct measure_region *regions, size_t count, atomic_bool *cancel,
			   void (*tick)(void *arg), void *arg, struct error *err);

#endif
