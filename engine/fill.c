/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fill.c - see fill.h. */
#include "engine/fill.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/random.h>

#include "engine/io/data.h"

#define FILL_BLOCK (UINT64_C(1) << 20)
#define FILL_DEPTH "8"
#define FILL_FILES_AT_ONCE 8

/* Dirty pages written between two looks at the cancel flag. */
#define SETTLE_PIECE (UINT64_C(32) << 20)

/* One target's fill. */
struct fill {
	const struct fill_config *config;
	uint64_t done_before; /* bytes of the groups that are done */
};

static void fill_tick(void *arg, double seconds_done, uint64_t bytes_done)
{
	struct fill *fill = arg;

	(void)seconds_done;
	if (fill->config->tick)
		fill->config->tick(fill->config->arg, fill->done_before + bytes_done);
}

static void settle_tick(void *arg)
{
	fill_tick(arg, 0, 0);
}

static int set_option(struct workload *workload, enum option_id id, const char *text,
		      struct error *err)
{
	return option_parse(option_at(id), text, workload, err);
}

/* `jobs` files of `bytes` each, written from start to end. */
static int make_workload(struct workload *workload, uint64_t bytes, size_t jobs,
			 const struct fill_config *config, struct error *err)
{
	const struct workload *like = config->like;
	char size[32], numjobs[32];
	const struct {
		enum option_id id;
		const char *text;
	} options[] = {
		{OPTION_ID_NAME, "fill"},     {OPTION_ID_RW, "write"},
		{OPTION_ID_BS, "1M"},	      {OPTION_ID_SIZE, size},
		{OPTION_ID_NUMJOBS, numjobs}, {OPTION_ID_IODEPTH, FILL_DEPTH},
		{OPTION_ID_TIME_BASED, "0"},  {OPTION_ID_DIRECT, config->direct ? "1" : "0"},
		{OPTION_ID_INVALIDATE, "0"},
	};
	int r;

	(void)snprintf(size, sizeof(size), "%" PRIu64, bytes); /* these fit */
	(void)snprintf(numjobs, sizeof(numjobs), "%zu", jobs);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		r = set_option(workload, options[i].id, options[i].text, err);
		if (r < 0)
			return r;
	}
	r = workload_complete(workload, err);
	if (r < 0)
		return r;
	workload->runtime_ns = 0; /* as long as it takes */
	if (like) {
		workload->zero_buffers = like->zero_buffers;
		workload->buffer_compress_percentage = like->buffer_compress_percentage;
		workload->buffer_compress_chunk = like->buffer_compress_chunk;
		workload->dedupe_percentage = like->dedupe_percentage;
	}
	return 0;
}

/* The whole requests of some files of one length. */
static int fill_group(struct fill *fill, const struct measure_region *regions, size_t count,
		      struct error *err)
{
	const struct fill_config *config = fill->config;
	uint64_t bytes = regions[0].length / FILL_BLOCK * FILL_BLOCK;
	struct measure_spec spec = {
		.backend = config->backend == BACKEND_NULL ? BACKEND_IO_URING : config->backend,
		.seed = config->seed ^ regions[0].offset,
		.region_count = count,
		.regions = regions,
		.discard = true,
		.data_unit = config->like ? config->like_unit : 0,
		.cancel = config->cancel,
		.tick = fill_tick,
		.arg = fill,
	};
	struct workload workload;
	struct sample sample;
	int r;

	if (bytes == 0)
		return 0;
	workload_init(&workload);
	sample_init(&sample);
	r = make_workload(&workload, bytes, count, config, err);
	if (r < 0)
		goto out;
	spec.workload = &workload;
	r = measure_run(&spec, &sample, err);
	if (r < 0)
		goto out;
	if (sample.directions[DIRECTION_WRITE].bytes != bytes * count) {
		(void)error_set(err, ERROR_IO_ERROR, "",
				"Filling the target wrote %" PRIu64 " of %" PRIu64
				" bytes: it would be read unwritten.",
				sample.directions[DIRECTION_WRITE].bytes, bytes * count);
		r = -EIO;
	}
	fill->done_before += bytes * count;
out:
	sample_done(&sample);
	workload_done(&workload);
	return r;
}

/* Without O_DIRECT, which the end of a file may not be aligned for. */
static int make_buffered(int fd, struct error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0))
		return error_set_sys(err, ERROR_IO_ERROR, errno, "Filling the end of the target");
	return 0;
}

/* Up to so many bytes for offset `at`; how many, or -1 with errno. */
static ssize_t make_rest(const struct fill_config *config, struct data *like, void *buffer,
			 size_t bytes, uint64_t at)
{
	if (!config->like)
		return getrandom(buffer, bytes, 0);
	data_fill(like, buffer, bytes, at, data_draw(like), 0);
	return (ssize_t)bytes;
}

/* What is left of a file behind its last whole request, less than FILL_BLOCK. */
static int fill_rest(const struct fill_config *config, const struct measure_region *region,
		     struct error *err)
{
	struct data like = {0};
	uint64_t rest = region->length % FILL_BLOCK;
	uint64_t at = region->offset + region->length - rest;
	unsigned char data[4096];
	int r;

	if (rest == 0)
		return 0;
	r = make_buffered(region->fd, err);
	if (r < 0)
		return r;
	if (config->like) {
		data_init(&like, config->like, config->seed ^ at);
		like.unit = config->like_unit;
	}
	while (rest > 0) {
		size_t piece = rest < sizeof(data) ? (size_t)rest : sizeof(data);
		ssize_t n = make_rest(config, &like, data, piece, at);

		if (n > 0)
			n = pwrite(region->fd, data, (size_t)n, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set_sys(err, ERROR_IO_ERROR, n < 0 ? errno : EIO,
					     "Filling the target at byte %" PRIu64, at);
		at += (uint64_t)n;
		rest -= (uint64_t)n;
	}
	return 0;
}

static int fill_regions(struct fill *fill, const struct measure_region *regions, size_t count,
			struct error *err)
{
	int r = 0;

	for (size_t first = 0, group; r == 0 && first < count; first += group) {
		for (group = 1; group < FILL_FILES_AT_ONCE && first + group < count; group++)
			if (regions[first + group].length != regions[first].length)
				break;
		r = fill_group(fill, regions + first, group, err);
	}
	for (size_t i = 0; r == 0 && i < count; i++) {
		r = fill_rest(fill->config, &regions[i], err);
		fill->done_before += regions[i].length % FILL_BLOCK;
	}
	return r;
}

int fill_target(struct target *target, const struct fill_config *config, struct error *err)
{
	struct fill fill = {.config = config};
	struct measure_region *regions;
	size_t count;
	int r = target_open_fill(target, &regions, &count, err);

	if (r < 0)
		return r;
	r = fill_regions(&fill, regions, count, err);
	if (r == 0)
		r = fill_settle(regions, count, config->cancel, settle_tick, &fill, err);
	target_close_regions(regions, count);
	if (r < 0 && err && err->sys == ENOSPC)
		err->code = ERROR_NO_SPACE;
	return r;
}

/* Writes back the dirty pages of one file's part of a region, looking at the cancel flag. Not for
 * durability: that is fsync's, which is quick thereafter. */
static int write_back(const struct measure_file *file, uint64_t offset, atomic_bool *cancel,
		      void (*tick)(void *arg), void *arg, struct error *err)
{
	for (uint64_t done = 0; done < file->length; done += SETTLE_PIECE) {
		uint64_t piece = file->length - done;

		if (piece > SETTLE_PIECE)
			piece = SETTLE_PIECE;
		if (tick)
			tick(arg);
		if (cancel && atomic_load(cancel)) {
			(void)error_set(err, ERROR_CANCELLED, "", "The run was cancelled.");
			return -ECANCELED;
		}
		if (sync_file_range(file->fd, (off_t)(offset + done), (off_t)piece,
				    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
					    SYNC_FILE_RANGE_WAIT_AFTER) == 0)
			continue;
		if (errno == EIO || errno == ENOSPC || errno == EDQUOT)
			return error_set_sys(err, ERROR_IO_ERROR, errno, "Writing the target back");
		return 0; /* not for this kind of file: fsync does it all */
	}
	return 0;
}

/* EINVAL: a special file such as /dev/zero, which has nothing to sync. */
static int sync_file(int fd, struct error *err)
{
	if (fsync(fd) < 0 && errno != EINVAL)
		return error_set_sys(err, ERROR_IO_ERROR, errno, "Syncing the target");
	return 0;
}

int fill_settle(const struct measure_region *regions, size_t count, atomic_bool *cancel,
		void (*tick)(void *arg), void *arg, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct measure_region *region = &regions[i];
		bool last = region->files || i + 1 == count || regions[i + 1].fd != region->fd;
		int r = 0;

		for (size_t k = 0; (k == 0 || k < region->file_count) && r == 0; k++) {
			const struct measure_file file = measure_region_file(region, k);

			r = write_back(&file, region->offset, cancel, tick, arg, err);
			if (r == 0 && last)
				r = sync_file(file.fd, err);
		}
		if (r < 0)
			return r;
	}
	return 0;
}
