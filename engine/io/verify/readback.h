/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * readback.h - reads every block that a sample has written and checks it (verify.h).
 *
 * Blocks are read in the order of their offsets by a few threads of blocking reads at a time, each
 * of up to 1 MiB: written blocks side by side in one request, and with what little lies between
 * them. So it goes at the disk's speed, whichever backend measured. Checking is done by the same
 * threads.
 *
 * The caller has seen to it that what was written is on the disk and not in the page cache.
 * readback_run() blocks; cancel is looked at twenty times a second. A thread stuck in the kernel
 * after a cancel is left behind with the memory it may touch, and verify_keep is called.
 */
#ifndef ENGINE_IO_VERIFY_READBACK_H
#define ENGINE_IO_VERIFY_READBACK_H

#include "engine/io/verify/verify.h"

struct readback_config {
	struct verify *verify;
	const struct measure_region *regions; /* of its jobs, open for reading */
	atomic_bool *cancel;		      /* may be NULL */
	/* Called by the calling thread several times a second. May be NULL. */
	void (*tick)(void *arg, uint64_t bytes_done);
	void *arg;
};

/* Bytes of the blocks that are to be read back: of jobs with do_verify, those that were written. */
uint64_t readback_bytes(const struct verify *verify);

/*
 * 0 with *ret_result also where blocks are wrong; -ECANCELED; -EIO and the like with err IO_ERROR,
 * saying where, when a read failed; NO_MEMORY, TOO_MANY_THREADS.
 */
MUST_CHECK int readback_run(const struct readback_config *config, struct verify_result *ret_result,
			    struct error *err);

/* Bytes of memory it takes for blocks of so many bytes. */
uint64_t readback_memory(uint64_t bs);

#endif
