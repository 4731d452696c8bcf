/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cells.h - a result's samples gathered into cells: workload x combination of levels.
 *
 * Cells come workload by workload in the definition's order, and within one the combinations in the
 * order of the levels, the first factor running fastest. A cell without samples (a run that ended
 * early) is there with count 0. Latencies of a cell's samples are merged.
 */
#ifndef ENGINE_ANALYSIS_CELLS_H
#define ENGINE_ANALYSIS_CELLS_H

#include "engine/analysis/statistics.h"
#include "engine/plan/file_phases.h"
#include "engine/result.h"

/* Means over the samples that know the figure; count 0: none does. */
struct cell_direction {
	bool present; /* the workload moves data this way */
	struct estimate_interval iops;
	struct estimate_interval bandwidth; /* bytes/s */
	struct estimate_interval latency_mean_ns;
	struct histogram *latency; /* merged; NULL when there are no samples */
	struct histogram
		*intended; /* the same from the intended start; NULL where none has a rate */
};

/* One phase of a metadata workload. */
struct cell_files {
	bool present; /* the workload has the phase */
	struct estimate_interval ops_per_s;
	struct histogram *latency; /* merged; NULL when there are no samples */
};

/* Named jobs of a workload, those of one name together. */
struct cell_part {
	const char *name; /* borrowed from the definition */
	struct cell_direction directions[DIRECTION_COUNT];
	struct histogram *syncs[SAMPLE_SYNCS_COUNT]; /* as the cell's */
};

/* What OpenZFS did beside the samples that have figures of it (engine/zfs/sample_zfs.h). */
struct cell_zfs {
	size_t count; /* samples whose target lies on OpenZFS; the rest is meaningless where 0 */
	const struct sample_zfs *last; /* of the last repeat that has one; borrowed */
	/* Means over the samples that know the figure and move data that way (what writes alone
	 * read for their partial blocks is told by no share); count 0: none does. */
	struct estimate_interval from_devices; /* 0 to 1 */
	struct estimate_interval write_amplification;
	struct estimate_interval read_amplification; /* bytes of the disks a byte read */
};

struct cell {
	size_t workload; /* index into the definition's */
	size_t *levels;	 /* one level index a factor */
	size_t sample_count;
	const struct sample **samples; /* by repeat; borrowed from the result */
	struct cell_direction directions[DIRECTION_COUNT];
	struct histogram *syncs[SAMPLE_SYNCS_COUNT]; /* latencies, merged; NULL: there are none */
	struct cell_files files[FILE_ORDERS][FILE_OPERATION_COUNT];
	size_t part_count; /* the workload's "jobs", in their order; 0 where it is one */
	struct cell_part *parts;
	struct cell_zfs zfs;
};

struct cells {
	const struct result *result; /* borrowed */
	size_t count;
	struct cell *list;
};

MUST_CHECK int cells_make(const struct result *result, struct cells *ret_cells);
void cells_done(struct cells *cells);

/* Whether any sample has figures of OpenZFS. */
bool cells_have_zfs(const struct cells *cells);

/* The cell of a workload at a combination; NULL when there is none. */
const struct cell *cells_find(const struct cells *cells, size_t workload, const size_t *levels);

#endif
