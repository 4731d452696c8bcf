/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zfs_sample.h - what OpenZFS does beside a sample (zfs/telemetry.h), for whatever the sample is
 * made on that lies on it: a zvol (the kernel says so of its open node), or files whose file system
 * is a dataset (/proc/self/mountinfo).
 *
 *   zfs_sample_begin() -> the load, zfs_sample_window() at its window's ends -> zfs_sample_end()
 *
 * Elsewhere, and with the null backend, nothing is done: begin yields NULL, which the others take.
 * Control thread.
 */
#ifndef ENGINE_ZFS_SAMPLE_H
#define ENGINE_ZFS_SAMPLE_H

#include <stdatomic.h>

#include "engine/io/measure.h"
#include "engine/sample.h"
#include "engine/target/target.h"

struct zfs_sample_config {
	const struct target_info *info;
	const struct measure_region *regions; /* none of a metadata workload */
	size_t region_count;
	enum backend_kind backend;
	atomic_bool *cancel;
	void (*tick)(void *arg); /* several times a second while it takes */
	void *arg;
};

struct zfs_sample;

/* Makes sample->zfs and fills in what is of before the load; the sample's options are there
 * already. -ECANCELED, -ENOMEM. */
MUST_CHECK int zfs_sample_begin(const struct zfs_sample_config *config, struct sample *sample,
				struct zfs_sample **ret_beside, struct error *err);

void zfs_sample_window(struct zfs_sample *beside, bool begins);

/* The rest, and frees *beside (leaves NULL) whatever happens. loaded: the load's own outcome, which
 * it returns where that is an error; else -ECANCELED, IO_ERROR of a write-back, -ENOMEM. */
MUST_CHECK int zfs_sample_end(struct zfs_sample **beside, int loaded, struct sample *sample,
			      struct error *err);

#endif
