/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.h - levels x workloads x repeats as an ordered list of samples.
 *
 * Order interleaved: each repeat is one block that holds every (workload, levels) cell once, in
 * the order that block_order.h gives it.
 * Order grouped: all repeats of a cell after another, cells in the definition's order.
 *
 * The seed of a sample's pattern depends on the definition's seed, the workload and the repeat but
 * not on the levels, so that the levels compared in a block meet the same sequence; with randseed
 * it is that. (For randrepeat=0 the engine draws another when it measures.)
 */
#ifndef ENGINE_PLAN_PLAN_H
#define ENGINE_PLAN_PLAN_H

#include "engine/plan/definition.h"
#include "engine/plan/finding.h"

/*
 * A target as it is made for some levels of the factors that are properties: one zvol or dataset.
 * Any other target has one instance. All instances of a target are equally large: whoever asks for
 * an extent (plan_target_extent) asks for the target's.
 */
struct plan_instance {
	size_t target;		 /* index into definition->targets */
	struct target_spec spec; /* the target's with those levels among its properties; own copy */
};

struct plan_sample {
	size_t order;		 /* its place, from 0 */
	size_t workload;	 /* index into definition->workloads */
	unsigned int repeat;	 /* from 1 */
	size_t target;		 /* index into definition->targets */
	size_t instance;	 /* index into plan->instances: one of that target */
	size_t *levels;		 /* one level index a factor */
	struct workload options; /* completed */
	uint64_t seed;
};

/* What repeats that may end early (repeats.h) come to where they end as soon as they can. */
struct estimate_least {
	size_t samples; /* 0: as many as are planned, and nothing else here */
	double seconds;
	uint64_t bytes_read, bytes_written; /* including the fill */
};

struct estimate {
	double seconds;		/* fill, ramps and runtimes; rates are guesses, see estimate.c */
	uint64_t bytes_read;	/* guessed for time-based workloads */
	uint64_t bytes_written; /* including the fill */
	uint64_t fill_bytes;	/* exact */
	uint64_t space_bytes;	/* exact: what the files will take, at the same time */
	uint64_t memory_bytes;	/* the largest sample's buffers and histograms: 0 until the engine,
				   which knows the backend, has filled it in (run_inspect) */
	uint64_t threads; /* largest sample's outstanding operations: the threads it would take
			     were it run by the threads backend */
	struct estimate_least least;
};

struct plan {
	const struct definition *definition; /* not owned; outlives the plan */
	size_t instance_count;
	struct plan_instance *instances; /* by target, then by level, the last factor fastest */
	size_t sample_count;
	struct plan_sample *samples; /* in order */
	/* Space does not hold all zvols and datasets at once: one is made, filled, measured and
	 * removed after another. plan_group_by_instance() sets it. */
	bool one_by_one;
	struct estimate estimate;
	struct findings findings; /* traps.h; the targets' are added by the engine */
};

/* The machine a plan is made for. */
struct machine {
	uint64_t memory_bytes;		 /* MemTotal */
	uint64_t memory_available_bytes; /* MemAvailable */
	unsigned int cpus;		 /* allowed to us */
	uint64_t arc_limit_bytes;	 /* what OpenZFS's ARC may grow to; 0: no OpenZFS here */
};

/* The definition must have passed definition_check() and have its seed. */
MUST_CHECK int plan_make(const struct definition *definition, const struct machine *machine,
			 struct plan *ret_plan, struct error *err);
void plan_done(struct plan *plan);

/* The instance of these levels. SIZE_MAX: none, which cannot be for levels of the definition. */
size_t plan_find_instance(const struct plan *plan, const size_t *levels);

/*
 * Puts the samples into the order of their instances, so that one after another can be made,
 * measured and removed where space does not hold all at once. Within an instance the order stays,
 * and each sample's place in the plan (`order`) is told anew. No repeat is whole before the last
 * instance then, so none ends early.
 */
MUST_CHECK int plan_group_by_instance(struct plan *plan);

/*
 * Workloads without a size share a device, an existing file or a zvol of a given size (which
 * plan_make() itself resolves): once the targets' sizes are known
 * (target_bytes: one a target, 0 where it is not), each such sample's options.size becomes its
 * job's part of what lies behind offset, whole requests only; the estimate is made anew and
 * findings that depend on the size are added. TARGET_TOO_SMALL with the pointer of the workload.
 * Without such samples nothing changes.
 */
MUST_CHECK int plan_resolve(struct plan *plan, const struct machine *machine,
			    const uint64_t *target_bytes, struct error *err);

/*
 * Bytes of the file(s) each target needs: the largest over the plan's samples for that target.
 * File and device: *ret_files 1. Directory: files for the most jobs, each of *ret_bytes; 0 files
 * where all workloads there are metadata workloads (plan_target_tree). 0 bytes where a sample's
 * size is not known yet (plan_resolve): the whole of the target. -EOVERFLOW.
 */
MUST_CHECK int plan_target_extent(const struct plan *plan, size_t target, uint64_t *ret_bytes,
				  uint64_t *ret_files);

/*
 * Bytes that each zvol of a target is made with (volsize), all of which are filled: the size it was
 * given; else what its workloads reach, rounded up to 128K and to the largest volblocksize it is
 * made with, so that all instances are equally large. -EOVERFLOW.
 */
MUST_CHECK int plan_volume_bytes(const struct plan *plan, size_t target, uint64_t *ret_bytes);

/*
 * The first byte that the workloads on a device reach, from which on it is filled: what lies before
 * it is not the run's. 0 for files, which are the run's own, and where plan_target_extent() tells 0
 * bytes.
 */
uint64_t plan_target_first(const struct plan *plan, size_t target);

/* What the metadata workloads on a target make at the same time: bytes, and files and directories.
 * 0 where there are none. */
void plan_target_tree(const struct plan *plan, size_t target, uint64_t *ret_bytes,
		      uint64_t *ret_inodes);

/*
 * How often the instance is filled where anything moves on it: before the first sample, and before
 * each that follows one that trims, so that none meets what is not there.
 */
uint64_t plan_fills(const struct plan *plan, size_t instance);

/* Whether a sample leaves holes in its target, which must then be filled again. */
bool plan_leaves_holes(const struct plan_sample *sample);

/* "bs=4k, iodepth=32" for a sample; heap, "" without factors. NULL on no memory. */
char *plan_cell_text(const struct plan *plan, const struct plan_sample *sample);

#endif
