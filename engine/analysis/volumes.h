/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * volumes.h - the zvols and datasets that a result's samples were measured on, each once.
 *
 * In the order of the cells (cells.h), so by workload and level. What a volume held before its
 * first sample is what its fill had left there. All is borrowed from the cells and their result.
 */
#ifndef ENGINE_ANALYSIS_VOLUMES_H
#define ENGINE_ANALYSIS_VOLUMES_H

#include "engine/analysis/cells.h"

struct volume {
	const struct cell *cell;	/* the first one there */
	const struct sample *first;	/* of all, by time; its zfs is not NULL */
	const struct target_spec *spec; /* the definition's target */
	bool made;			/* by the run, and gone with it */
};

struct volumes {
	size_t count;
	struct volume *list;
};

/* None where no sample tells of OpenZFS. -ENOMEM. */
MUST_CHECK int volumes_make(const struct cells *cells, struct volumes *ret_volumes);
void volumes_done(struct volumes *volumes);

/*
 * What was set when a volume was made: its target's properties, and over them those that the levels
 * of its cell choose. -ENOMEM; else the caller calls properties_done().
 */
MUST_CHECK int volume_properties(const struct cells *cells, const struct volume *volume,
				 struct properties *ret_properties);

#endif
