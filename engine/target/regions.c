/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * regions.c - where each job works, and the descriptors for it (target.h).
 *
 * The jobs of a part on one file or device share one descriptor, which is opened as the part asks;
 * in a directory each has a file and a descriptor of its own. Every region lies within the target
 * and, for direct I/O, on its block boundaries.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/base/text.h"
#include "engine/io/discard.h"
#include "engine/io/load.h"
#include "engine/plan/data_files.h"
#include "engine/plan/workload_sizes.h"
#include "engine/target/parts.h"
#include "engine/target/place.h"
#include "engine/target/scratch.h"
#include "engine/target/tree.h"

#define DISCARD_PROBE_BYTES 4096
#define DESCRIPTORS_SPARE 256 /* for all else the process has open */

/* ---- layout ---- */

/* Of a device a trim must be whole blocks, O_DIRECT or not. */
static int check_trims(const struct target_info *info, const struct workload *part,
		       struct error *err)
{
	const char *option = NULL;
	char shown[PLACE_SHOWN];
	uint64_t value;

	if (!info->discards)
		return error_set(err, ERROR_UNSUPPORTED, "rw",
				 "%s cannot discard%s: trims need another target",
				 text_clean(info->path, shown, sizeof(shown)),
				 target_kind_is_block(info->kind)
					 ? " (its queue/discard_max_bytes is 0)"
					 : ", its file system makes no holes in files");
	if (target_kind_is_block(info->kind))
		option = workload_misaligned(part, info->logical_block_bytes, &value);
	if (!option)
		return 0;
	return error_set(err, ERROR_BAD_SIZE, option,
			 "trims on %s are of whole blocks of %u bytes; %s=%" PRIu64 " is not",
			 text_clean(info->path, shown, sizeof(shown)), info->logical_block_bytes,
			 option, value);
}

static int check_part(const struct target_info *info, const struct workload *part, bool lone,
		      struct error *err)
{
	uint64_t unit = info->logical_block_bytes, value;
	char shown[PLACE_SHOWN];
	const char *option;

	if (part->interlocked && part->numjobs > 1 && target_kind_has_files(info->kind))
		return error_set(err, ERROR_CONFLICT, "interlocked",
				 "interlocked=1 needs one file or device for all jobs; in the "
				 "directory %s each has a file",
				 text_clean(info->path, shown, sizeof(shown)));

	if (data_files_given(part) && !target_kind_has_files(info->kind))
		return error_set(err, ERROR_CONFLICT, part->nrfiles > 1 ? "nrfiles" : "filesize",
				 "nrfiles and filesize are for files in a directory; %s is one %s",
				 text_clean(info->path, shown, sizeof(shown)),
				 target_kind_is_block(info->kind) ? "device" : "file");
	if (workload_trims(part))
		return check_trims(info, part, err);
	if (!part->direct || unit <= 1)
		return 0;
	option = workload_misaligned(part, unit, &value);
	/* The next job's region begins where this one's ends. */
	if (!option && !lone && !target_kind_has_files(info->kind) && part->size % unit != 0) {
		option = "size";
		value = part->size;
	}
	if (!option)
		return 0;
	return error_set(err, ERROR_BAD_SIZE, option,
			 "with direct=1 on %s %s must be a multiple of %" PRIu64 " bytes; %" PRIu64
			 " is not",
			 text_clean(info->path, shown, sizeof(shown)), option, unit, value);
}

int target_check_workload(const struct target_info *info, const struct workload *workload,
			  struct error *err)
{
	bool lone = workload_jobs(workload) == 1;
	int r = 0;

	if (workload_trims(workload) && (workload_reads(workload) || workload_writes(workload)))
		return error_set(err, ERROR_CONFLICT, "rw",
				 "jobs that trim do not run together with jobs that read or write, "
				 "which would meet the holes: give them a workload of their own, "
				 "which in a job file begins with stonewall");

	for (size_t i = 0; i < workload_parts(workload) && r == 0; i++)
		r = check_part(info, workload_part(workload, i), lone, err);
	return r;
}

static int too_small(const struct target *target, const struct workload *part, struct error *err)
{
	char shown[PLACE_SHOWN];

	return error_set(err, ERROR_TARGET_TOO_SMALL, "size",
			 "%s has %" PRIu64 " bytes, too few for %" PRIu64
			 " jobs from offset %" PRIu64 " with size %" PRIu64,
			 text_clean(target->info.path, shown, sizeof(shown)), target->bytes,
			 part->numjobs, part->offset, part->size);
}

/* Offset of a part's job 0, length of each, and the step from one job to the next. */
struct layout {
	uint64_t offset, length, step;
};

/* `used`: bytes behind its offset that other parts have; `jobs`: those that share what there is. */
static int lay_out(const struct target *target, const struct workload *part, uint64_t used,
		   uint64_t jobs, struct layout *layout, struct error *err)
{
	bool apart = part->regions == REGIONS_DISJOINT && !target_kind_has_files(target->info.kind);
	uint64_t length = data_files_given(part) ? data_files_largest(part) : part->size;
	uint64_t unit, room, end;

	if (part->offset >= target->bytes)
		return too_small(target, part, err);
	room = target->bytes - part->offset;
	if (length == 0) {
		/* The whole, shared out in requests of the larger size. */
		unit = part->bs[DIRECTION_READ] > part->bs[DIRECTION_WRITE]
			       ? part->bs[DIRECTION_READ]
			       : part->bs[DIRECTION_WRITE];
		length = apart ? room / jobs : room;
		length -= unit > 0 ? length % unit : 0;
	}
	/* at most 2^50 x 1024, and size is given where there is an increment */
	if (__builtin_add_overflow(length, part->offset_increment * (part->numjobs - 1), &end))
		return too_small(target, part, err);
	if (length == 0 ||
	    (apart && (__builtin_mul_overflow(length, part->numjobs, &end) ||
		       __builtin_add_overflow(end, used, &end))) ||
	    end > room)
		return too_small(target, part, err);
	layout->offset = part->offset + (apart ? used : 0);
	layout->length = length;
	layout->step = apart ? length : part->offset_increment;
	return 0;
}

/* ---- descriptors ---- */

static void raise_descriptor_limit(uint64_t count)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)count + DESCRIPTORS_SPARE;

	/* Where it cannot be raised, opening says so with EMFILE. */
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_file(const struct target *target, size_t file, int flags, int *ret_fd,
		     struct error *err)
{
	char shown[PLACE_SHOWN];
	int r;

	if (target->scratch)
		return scratch_open(target->scratch, file, flags, ret_fd, err);
	if (target->zero)
		flags &= ~O_DIRECT;
	r = place_reopen(target->fd, flags, ret_fd);
	if (r < 0)
		return error_set_sys(err,
				     r == -EINVAL && (flags & O_DIRECT) ? ERROR_DIRECT_UNSUPPORTED
									: ERROR_SYSTEM,
				     -r, "opening %s",
				     text_clean(target->info.path, shown, sizeof(shown)));
	return 0;
}

static int flags_of(const struct workload *part)
{
	int flags = workload_writes(part) || workload_trims(part) ? O_RDWR : O_RDONLY;

	if (part->direct)
		flags |= O_DIRECT;
	if (part->sync == SYNC_SYNC)
		flags |= O_SYNC;
	else if (part->sync == SYNC_DSYNC)
		flags |= O_DSYNC;
	return flags;
}

/*
 * Pages still dirty cannot be dropped: those this run has written go to the device first. Of what
 * exists nothing is ours to write back. On a device this drops the pages of its own cache as well;
 * BLKFLSBUF is not used: it needs a privilege and no more is gained.
 */
static int invalidate(const struct target *target, int fd, struct error *err)
{
	char shown[PLACE_SHOWN];

	if (target->zero)
		return 0;
	if (!target->existing && fsync(fd) < 0)
		return error_set_sys(err, ERROR_IO_ERROR, errno, "writing back %s",
				     text_clean(target->info.path, shown, sizeof(shown)));
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); /* advice; not every one takes it */
	return 0;
}

static void close_region(const struct measure_region *region, const struct measure_region *before)
{
	for (size_t i = 0; i < region->file_count; i++)
		if (region->files[i].fd >= 0)
			(void)close(region->files[i].fd); /* fsync, where asked, was the promise */
	if (!region->files && region->fd >= 0 && (!before || region->fd != before->fd))
		(void)close(region->fd); /* as well */
}

void target_close_regions(struct measure_region *regions, size_t count)
{
	for (size_t i = 0; regions && i < count; i++) {
		if (!load_any_left_behind())
			close_region(&regions[i], i > 0 ? &regions[i - 1] : NULL);
		free(regions[i].files);
	}
	free(regions);
}

static int make_regions(size_t count, struct measure_region **ret_regions, struct error *err)
{
	struct measure_region *regions = calloc(count, sizeof(*regions));

	if (!regions)
		return error_no_memory(err);
	for (size_t i = 0; i < count; i++)
		regions[i].fd = -1;
	*ret_regions = regions;
	return 0;
}

/* A descriptor for each of the files beginning with `first`, the last one for all jobs left over.
 */
static int open_files(const struct target *target, size_t first, size_t files, size_t count,
		      int flags, struct measure_region *regions, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++) {
		if (i < files)
			r = open_file(target, first + i, flags, &regions[i].fd, err);
		else
			regions[i].fd = regions[i - 1].fd;
	}
	return r;
}

/* The files of one job of a part, of which it is given the first one's number. */
static int open_several(const struct target *target, const struct workload *part, size_t first,
			struct measure_region *region, struct error *err)
{
	struct data_files files;
	int r = 0;

	data_files_of(part, &files);
	region->files = calloc((size_t)files.count, sizeof(*region->files));
	if (!region->files)
		return error_no_memory(err);
	for (size_t i = 0; i < files.count && r == 0; i++) {
		region->files[i].length = data_files_bytes(part, i);
		r = open_file(target, first + i, flags_of(part), &region->files[i].fd, err);
		region->file_count += r == 0;
	}
	region->fd = region->file_count > 0 ? region->files[0].fd : -1;
	return r;
}

static int check_use(const struct target *target, const struct workload *workload,
		     struct error *err)
{
	uint64_t files = data_files_count(workload);
	char shown[PLACE_SHOWN];

	if (target->existing && (workload_writes(workload) || workload_trims(workload)))
		return error_set(err, ERROR_FILE_EXISTS, "rw",
				 "%s is named as existing and never written; this workload %s",
				 text_clean(target->info.path, shown, sizeof(shown)),
				 workload_writes(workload) ? "writes" : "trims");
	if (target_kind_has_files(target->info.kind) && files > target->files)
		return error_set(err, ERROR_TARGET_TOO_SMALL, "numjobs",
				 "the jobs need %" PRIu64 " files of %" PRIu64, files,
				 target->files);
	return target_check_workload(&target->info, workload, err);
}

/* The descriptors of a part's jobs, in a directory from the file of that number on. */
static int open_jobs(const struct target *target, const struct workload *part, size_t first_file,
		     struct measure_region *regions, struct error *err)
{
	size_t count = (size_t)part->numjobs;
	struct data_files files;
	int r = 0;

	if (!target_kind_has_files(target->info.kind))
		return open_files(target, 0, 1, count, flags_of(part), regions, err);
	if (!data_files_given(part))
		return open_files(target, first_file, count, count, flags_of(part), regions, err);
	data_files_of(part, &files);
	for (size_t i = 0; i < count && r == 0; i++)
		r = open_several(target, part, first_file + i * files.count, &regions[i], err);
	return r;
}

static int invalidate_region(const struct target *target, const struct measure_region *region,
			     struct error *err)
{
	int r = 0;

	for (size_t i = 0; (i == 0 || i < region->file_count) && r == 0; i++)
		r = invalidate(target, measure_region_file(region, i).fd, err);
	return r;
}

/* Where the next part of the same workload begins. */
struct place_in {
	size_t job, file; /* of all */
	uint64_t used;	  /* bytes of one file or device */
};

/* The regions of one part; *at goes on to the next one. */
static int open_part(const struct target *target, const struct workload *workload, size_t index,
		     struct place_in *at, struct measure_region *regions, struct error *err)
{
	const struct workload *part = workload_part(workload, index);
	bool directory = target_kind_has_files(target->info.kind);
	size_t count = (size_t)part->numjobs, descriptors = directory ? count : 1;
	struct layout layout = {0};
	int r = lay_out(target, part, at->used, workload_jobs(workload), &layout, err);

	regions += at->job;
	if (r == 0)
		r = open_jobs(target, part, at->file, regions, err);
	for (size_t i = 0; i < count && r == 0; i++) {
		regions[i].offset = layout.offset + layout.step * i;
		regions[i].length = layout.length;
		regions[i].part = index;
	}
	for (size_t i = 0; i < descriptors && part->invalidate && r == 0; i++)
		r = invalidate_region(target, &regions[i], err);
	if (part->regions == REGIONS_DISJOINT && !directory)
		at->used += layout.step * count; /* within the target */
	at->job += count;
	at->file += (size_t)data_files_count(part);
	return r;
}

int target_open_regions(struct target *target, const struct workload *workload,
			struct measure_region **ret_regions, size_t *ret_count, struct error *err)
{
	size_t count = (size_t)workload_jobs(workload);
	struct measure_region *regions = NULL;
	struct place_in at = {0};
	int r;

	r = check_use(target, workload, err);
	if (r == 0)
		r = make_regions(count, &regions, err);
	if (r < 0)
		return r;
	raise_descriptor_limit(data_files_count(workload));
	for (size_t i = 0; i < workload_parts(workload) && r == 0; i++)
		r = open_part(target, workload, i, &at, regions, err);
	if (r < 0) {
		target_close_regions(regions, count);
		return r;
	}
	*ret_regions = regions;
	*ret_count = count;
	return 0;
}

int target_probe_discard(const struct target *target, struct error *err)
{
	AUTO_CLOSE int fd = -1;
	char shown[PLACE_SHOWN];
	int r;

	if (!target->scratch)
		return 0;
	r = scratch_open(target->scratch, 0, O_RDWR, &fd, err);
	if (r < 0 || discard(fd, false, 0, DISCARD_PROBE_BYTES) != -EOPNOTSUPP)
		return r;
	return error_set(err, ERROR_UNSUPPORTED, "",
			 "the file system of %s makes no holes in files: trims need another target",
			 text_clean(target->info.path, shown, sizeof(shown)));
}

bool target_fill_needed(const struct target *target)
{
	return !target->existing;
}

int target_open_fill(struct target *target, struct measure_region **ret_regions, size_t *ret_count,
		     struct error *err)
{
	int flags = O_RDWR | (target->info.direct ? O_DIRECT : 0);
	struct measure_region *regions = NULL;
	size_t count = target->files;
	char shown[PLACE_SHOWN];
	int r;

	/* Workloads without O_DIRECT may begin anywhere. */
	if (target->fill_first % target->info.logical_block_bytes != 0)
		flags &= ~O_DIRECT;
	if (target->existing)
		return error_set(err, ERROR_FILE_EXISTS, "",
				 "%s is named as existing and never "
				 "written",
				 text_clean(target->info.path, shown, sizeof(shown)));
	r = make_regions(count, &regions, err);
	if (r < 0)
		return r;
	raise_descriptor_limit(count);
	r = open_files(target, 0, count, count, flags, regions, err);
	if (r < 0) {
		target_close_regions(regions, count);
		return r;
	}
	for (size_t i = 0; i < count; i++) {
		regions[i].offset = target->fill_first;
		regions[i].length = target->fill_bytes;
	}
	*ret_regions = regions;
	*ret_count = count;
	return 0;
}

/* ---- for metadata workloads ---- */

int target_open_tree(struct target *target, const struct workload *workload, int **ret_directories,
		     struct error *err)
{
	return tree_fill(target->tree, workload->numjobs, workload->directories, ret_directories,
			 err);
}

int target_close_tree(struct target *target, const struct workload *workload, int *directories,
		      void (*step)(void *arg), void *arg, struct error *err)
{
	const struct tree_step steps = {.call = step, .arg = arg};

	return tree_clear(target->tree, directories, workload->numjobs * workload->directories,
			  &steps, err);
}
