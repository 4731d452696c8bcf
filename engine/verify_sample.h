/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify_sample.h - what a sample has written is read back off the disk, and what comes of it. */
#ifndef ENGINE_VERIFY_SAMPLE_H
#define ENGINE_VERIFY_SAMPLE_H

#include "engine/io/verify/readback.h"

/*
 * Has what was written reach the disk, drops it from the page cache, reads it back and fills in
 * sample->verify. Wrong blocks are no failure here. tick (may be NULL) is called several times a
 * second. fill_settle's and readback_run's errors.
 */
MUST_CHECK int verify_sample(struct sample *sample, struct verify *verify,
			     const struct measure_region *regions, size_t count,
			     atomic_bool *cancel, void (*tick)(void *arg), void *arg,
			     struct error *err);

/* VERIFY_FAILED, with the first of the wrong blocks and how many there are; -EBADMSG. 0 where all
 * that verify have continue_on_error=verify or all: the sample's finding tells of them. */
MUST_CHECK int verify_outcome(const struct sample *sample, struct error *err);

#endif
