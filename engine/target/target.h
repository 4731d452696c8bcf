/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target.h - what is read and written: checked, created, opened, filled by the run, removed.
 *
 * A target goes through: target_inspect (nothing is touched; what a plan says) -> target_create
 * (the same checks again, then the manifest is made durable, then files are made) ->
 * target_check_blank (5, whole) -> target_open_regions for each sample -> target_remove.
 * Any failure of a check means nothing was written. Their order, first failure wins:
 *   1 allow-list            TARGET_NOT_ALLOWED
 *   2 no symlink, a regular file or block device, link count 1      TARGET_TYPE, TARGET_MISSING
 *   3 a file to write is new                                        FILE_EXISTS
 *   4 device: O_EXCL, not mounted, not held, no partitions in use, not backing a loop device,
 *     not swap                                                      TARGET_BUSY
 *   5 device to write: not read-only, no signature (libblkid), blank (sampled)
 *                             TARGET_READ_ONLY, TARGET_HAS_SIGNATURE, TARGET_NOT_BLANK
 *   6 size                    NO_SPACE, TARGET_TOO_SMALL
 *   7 direct I/O where it is wanted                                 DIRECT_UNSUPPORTED
 * A fingerprint in the definition that matches the device's lifts signature and blank of 5, and
 * nothing else; one that does not match is FINGERPRINT_MISMATCH, also where it was not needed.
 * The error's field is "" (the caller knows which target) or an option's name.
 *
 * Files are made with their whole size, which leaves max(64 MiB, 1 % of what is free) on the file
 * system, and removed at the end. `existing` stands for a file or device that is only read: no
 * check of 3 and 5 is needed, but a device must still not be in use. /dev/zero, allowed by name
 * and existing, is a file without end; O_DIRECT, which it refuses, is left out for it (finding
 * "direct_meaningless").
 *
 * A zvol or dataset (volume.h) is made beneath its parent, used as a device or a directory is, and
 * destroyed at the end. Its checks: 1 OpenZFS is there (ZFS_UNAVAILABLE) and the parent is allowed,
 * 2 is a file system, 3 in a pool that is online and may be written, 6 that OpenZFS takes its size
 * and properties. Whether the pool has room for all there will be is for who knows all.
 *
 * Control thread only.
 * Length: the order of the checks and what they promise is told whole, here and nowhere else.
 */
#ifndef ENGINE_TARGET_TARGET_H
#define ENGINE_TARGET_TARGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/error.h"
#include "engine/io/measure.h"
#include "engine/plan/definition.h"
#include "engine/plan/finding.h"
#include "engine/target/allow.h"
#include "engine/zfs/pool.h"

struct manifest;

/* What is wanted of a target, from the plan. */
struct target_need {
	uint64_t bytes; /* of each file, or of the device from its start */
	uint64_t first; /* where on a device the workloads begin: before it nothing is written */
	uint64_t files; /* 1, or the most jobs for a directory: 0 where none moves data */
	bool writes;	/* any workload writes, or a fill is needed: false only for `existing` */
	bool direct;	/* any workload is direct */
	/* What metadata workloads make in a directory at the same time; 0: there are none. */
	uint64_t tree_bytes, tree_inodes;
};

/* What was found. */
struct target_info {
	enum target_kind kind;
	char path[4096];	 /* of a zvol or dataset its parent; once made, its own name */
	char filesystem[32];	 /* "ext4", "tmpfs", "zfs"; "" for a device */
	uint64_t size_bytes;	 /* device, zvol, or existing file */
	uint64_t free_bytes;	 /* file system, or `available` to the parent; 0: a device */
	uint64_t reserved_bytes; /* zvol or dataset: what it takes of the pool when full */
	unsigned int logical_block_bytes; /* alignment direct I/O needs */
	bool nowait;			  /* RWF_NOWAIT works on it; true while not checked */
	bool direct;			  /* O_DIRECT works on it; true while not checked */
	bool polled;			  /* IOPOLL works on it, as nowait */
	bool discards;			  /* BLKDISCARD, or holes in files; true while not known */
	bool checked;	       /* false: nothing was opened or probed since a run measures */
	char device[64];       /* block device beneath: "sda"; "" when none or several */
	dev_t device_number;   /* 0 when none */
	dev_t place;	       /* the file system's own number, where it was looked at; else 0 */
	struct zfs_facts zfs;  /* where it lies on OpenZFS */
	char fingerprint[256]; /* "PATH MAJOR:MINOR BYTES SERIAL DISKSEQ", "-" unknown; or "" */
};

/*
 * Steps 1 to 7 without creating anything. measuring: no device is opened and no file system probed
 * (checked = false). Findings (may be NULL): "direct_meaningless", "sparse_file".
 */
MUST_CHECK int target_inspect(const struct allow *allow, const struct target_spec *spec,
			      const struct target_need *need, bool measuring,
			      struct target_info *ret_info, struct findings *findings,
			      struct error *err);

struct target;

/* For which run a target is made, and who hears of it while that takes long. */
struct target_making {
	const char *run_id; /* the run's, whose manifest it is */
	size_t number;	    /* from 1 among the several that it makes; 0: it is the only one */
	struct manifest *manifest; /* outlives the target */
	atomic_bool *cancel;	   /* heard by what waits for OpenZFS; or NULL */
	void (*step)(void *arg);   /* several times a second meanwhile; or NULL */
	/* Of one that could not be made whole something is still there; or NULL. */
	void (*left)(void *arg, const char *what, const struct error *err);
	void *arg;
};

/*
 * Checks again and creates. The manifest has every name before it exists.
 * A device is claimed (O_EXCL) until target_free(); one that is busy is tried for 5 s, since after
 * a kill -9 with writes in flight it stays so for a moment. A zvol is claimed as well, until
 * target_remove().
 */
MUST_CHECK int target_create(const struct allow *allow, const struct target_spec *spec,
			     const struct target_need *need, const struct target_making *making,
			     struct target **ret_target, struct error *err);

/* NO_SPACE with the figures unless so many bytes fit on its file system beside what is kept free:
 * for several targets on one, each of which fits alone. */
MUST_CHECK int target_check_space(const struct target_info *info, uint64_t bytes,
				  struct error *err);

/*
 * Reads all that will be written of a device without a fingerprint, before its first byte is:
 * TARGET_NOT_BLANK where anything but zeros is found. What inspecting samples shows a file system,
 * but hardly a few blocks amid nothing. It takes as long as reading takes; step (may be NULL) is
 * called before every MiB, and false from it ends the check with -ECANCELED, err left alone.
 */
MUST_CHECK int target_check_blank(const struct target *target, bool (*step)(void *arg), void *arg,
				  struct error *err);

/* Whether direct requests and trims of a completed workload suit the target's blocks: BAD_SIZE with
 * the option (bs, offset, size) as field; UNSUPPORTED (rw) where it trims and the target cannot. */
MUST_CHECK int target_check_workload(const struct target_info *info,
				     const struct workload *workload, struct error *err);

/*
 * The descriptors of one workload: a region a job, part by part. Opened with O_DIRECT,
 * O_SYNC/O_DSYNC as the part asks, read-only where it only reads; invalidate drops cached pages
 * (after an fsync of what the run has written). A part's jobs on one file or device share a
 * descriptor. size 0 is the whole of it from offset, shared out where regions are disjoint. Errors:
 * TARGET_TOO_SMALL, BAD_SIZE, DIRECT_UNSUPPORTED, TARGET_MISSING and TARGET_TYPE (a file was
 * removed or replaced), IO_ERROR. The array and its descriptors are released by
 * target_close_regions.
 */
MUST_CHECK int target_open_regions(struct target *target, const struct workload *workload,
				   struct measure_region **ret_regions, size_t *ret_count,
				   struct error *err);
/* The descriptors stay open where a worker was left behind (io/load.h), which may use them. */
void target_close_regions(struct measure_region *regions, size_t count);

/* Whether a file that was made can have holes, which not every file system lets one ask before:
 * UNSUPPORTED. A device has said so when it was looked at. */
MUST_CHECK int target_probe_discard(const struct target *target, struct error *err);

/* One region a file, whole, writable, O_DIRECT where that works, for the fill; of a device what is
 * needed of it from its start. fill_needed is false for `existing`. */
bool target_fill_needed(const struct target *target);
MUST_CHECK int target_open_fill(struct target *target, struct measure_region **ret_regions,
				size_t *ret_count, struct error *err);

/*
 * For one sample of a metadata workload: directories of its own (tree.h), `directories` for each
 * job, open; and their removal with all that is in them. step (may be NULL) is called now and then
 * by what may take long. The second is due also where the first has failed (then with NULL).
 */
MUST_CHECK int target_open_tree(struct target *target, const struct workload *workload,
				int **ret_directories, struct error *err);
MUST_CHECK int target_close_tree(struct target *target, const struct workload *workload,
				 int *directories, void (*step)(void *arg), void *arg,
				 struct error *err);

const struct target_info *target_info(const struct target *target);

/* Free bytes on its file system now; 0 for a device or zvol. */
uint64_t target_free_bytes(const struct target *target);

/* Removes what was created and its manifest entries; the first error is told, the rest still tried.
 * step as above. Of a zvol or dataset every descriptor is closed first: nothing else may be done
 * with the target then. */
MUST_CHECK int target_remove(struct target *target, void (*step)(void *arg), void *arg,
			     struct error *err);

/* Where samples are made on one zvol or dataset after another: waits until the pool has freed what
 * was destroyed beneath a spec's parent. Up to ten minutes; a cancel ends it. */
void target_await_freed(const struct target_spec *spec, atomic_bool *cancel,
			void (*step)(void *arg), void *arg);
void target_free(struct target *target); /* closes; does not remove */

/* ---- all that may be tested (GET /targets) ---- */
struct target_list {
	size_t count;
	struct target_candidate {
		struct target_info info;
		bool usable;	     /* may be written as it is */
		struct error reason; /* why not, field "" */
	} * list;
};
/* The allowed places themselves, then block devices with a size whose node in /dev lies beneath an
 * allowed directory, then of each allowed dataset a zvol and a dataset, with it as path and no
 * size. info is filled as far as it could be learnt. A pool that does not answer delays this by 10
 * s. */
MUST_CHECK int target_candidates(const struct allow *allow, bool measuring,
				 struct target_list *ret_list, struct error *err);
void target_list_done(struct target_list *list);

#endif
