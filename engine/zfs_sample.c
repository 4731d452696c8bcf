/* SPDX-License-Identifier: GPL-3.0-or-later */
/* zfs_sample.c - see zfs_sample.h. */
#include "engine/zfs_sample.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine/fill.h"
#include "engine/plan/file_phases.h"
#include "engine/target/system.h"
#include "engine/zfs/dataset.h"
#include "engine/zfs/node.h"
#include "engine/zfs/telemetry.h"

struct zfs_sample {
	struct zfs_sample_config config; /* its regions are borrowed until the end */
	struct zfs_patience patience;
	struct zfs_telemetry *telemetry;
	bool write_back; /* the zvol has pages that OpenZFS has not seen */
};

/* ---- whether it lies on OpenZFS ---- */

struct find {
	dev_t device;
	char *dataset; /* ZFS_NAME_BYTES */
};

static int is_it(void *arg, const struct system_mount *mount)
{
	const struct find *find = arg;
	size_t length = strlen(mount->source);

	if (mount->device != find->device || strcmp(mount->filesystem, "zfs") != 0 ||
	    length >= ZFS_NAME_BYTES)
		return 0;
	memcpy(find->dataset, mount->source, length + 1);
	return 1;
}

/* The dataset mounted as this file system. */
static bool mounted_dataset(dev_t device, char dataset[ZFS_NAME_BYTES])
{
	struct find find = {device, dataset};

	if (device == 0 || major(device) != 0) /* of OpenZFS they are nameless */
		return false;
	return system_each_mount(is_it, &find) == 1;
}

static bool find_dataset(const struct zfs_sample_config *config, char dataset[ZFS_NAME_BYTES],
			 bool *ret_volume)
{
	struct stat st;

	*ret_volume = false;
	if (config->backend == BACKEND_NULL)
		return false;
	if (config->region_count == 0)
		return mounted_dataset(config->info->place, dataset);
	if (fstat(config->regions[0].fd, &st) < 0)
		return false;
	if (!S_ISBLK(st.st_mode))
		return mounted_dataset(st.st_dev, dataset);
	*ret_volume = true;
	return zfs_node_name(config->regions[0].fd, dataset) == 0;
}

/* ---- what the sample has of it ---- */

/* The size of a file, and what it takes. */
static void add_file(int fd, uint64_t *size, uint64_t *taken)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	*size += (uint64_t)st.st_size;
	*taken += (uint64_t)st.st_blocks * 512;
}

/* Up to where a zvol's regions go; the sizes of files and what they take. */
static void tell_extent(const struct zfs_sample_config *config, struct sample_zfs *zfs)
{
	uint64_t end = 0, size = 0, taken = 0;

	for (size_t i = 0; i < config->region_count; i++) {
		const struct measure_region *region = &config->regions[i];

		if (region->offset + region->length > end)
			end = region->offset + region->length;
		if (i > 0 && config->regions[i - 1].fd == region->fd)
			continue;
		for (size_t k = 0; k == 0 || k < region->file_count; k++)
			add_file(measure_region_file(region, k).fd, &size, &taken);
	}
	if (!zfs->volume) {
		zfs->size_bytes = size;
		zfs->written_bytes = taken;
	} else if (zfs->size_bytes == 0 || (end > 0 && end < zfs->size_bytes)) {
		zfs->size_bytes = end;
	}
}

/* Without a sync what was written lately is not counted yet: a full target would seem empty. */
static void not_told(struct sample_zfs *zfs)
{
	zfs->size_bytes = zfs->written_bytes = zfs->logical_bytes = 0;
	zfs->compress_ratio = 0;
}

/* volblocksize or recordsize; 0: not known */
static uint64_t block_of(const struct sample_zfs *zfs)
{
	const char *value =
		properties_get(&zfs->properties, zfs->volume ? "volblocksize" : "recordsize");
	uint64_t block = 0;

	return value && zfs_number(value, &block) ? block : 0;
}

/* See sample_zfs_from_devices(). Reads of a zvol through the page cache come in its own sizes. */
static double accesses_a_block(const struct workload *options, const struct sample_zfs *zfs)
{
	uint64_t block = block_of(zfs), request = options->bs[DIRECTION_READ];

	if (options->part_count > 0 || options->metadata || options->rw != RW_READ ||
	    options->rw_number > 0 || options->bssplit || options->bsrange[DIRECTION_READ][0] > 0 ||
	    (zfs->volume && !options->direct) || request == 0 || block <= request)
		return 0;
	return (double)block / (double)request;
}

int zfs_sample_begin(const struct zfs_sample_config *config, struct sample *sample,
		     struct zfs_sample **ret_beside, struct error *err)
{
	char dataset[ZFS_NAME_BYTES];
	struct zfs_sample *beside;
	bool volume;
	int r;

	*ret_beside = NULL;
	if (!find_dataset(config, dataset, &volume))
		return 0;
	beside = calloc(1, sizeof(*beside));
	sample->zfs = malloc(sizeof(*sample->zfs));
	if (sample->zfs)
		sample_zfs_init(sample->zfs);
	if (!beside || !sample->zfs) {
		free(beside);
		return error_no_memory(err);
	}
	beside->config = *config;
	beside->patience = (struct zfs_patience){
		.cancel = config->cancel, .tick = config->tick, .arg = config->arg};
	beside->write_back = volume && !sample->options.direct && workload_writes(&sample->options);
	r = zfs_telemetry_new(dataset, volume, &beside->telemetry, err);
	if (r == 0)
		r = zfs_telemetry_begin(beside->telemetry, &beside->patience, sample->zfs, err);
	if (r < 0) {
		zfs_telemetry_free(beside->telemetry);
		free(beside);
		return r;
	}
	if (zfs_telemetry_settled(beside->telemetry))
		tell_extent(config, sample->zfs);
	else
		not_told(sample->zfs);
	sample->zfs->accesses_a_block = accesses_a_block(&sample->options, sample->zfs);
	*ret_beside = beside;
	return 0;
}

void zfs_sample_window(struct zfs_sample *beside, bool begins)
{
	if (beside)
		zfs_telemetry_window(beside->telemetry, begins);
}

/* ---- what was asked of it ---- */

/* Whether each write of a part, or of a workload of one, is smaller than a block. As above a zvol's
 * page cache writes in sizes of its own. */
static bool writes_parts(const struct workload *options, const struct sample_zfs *zfs)
{
	uint64_t request = options->bs[DIRECTION_WRITE];

	return !options->metadata && workload_writes(options) && !options->bssplit &&
	       options->bsrange[DIRECTION_WRITE][0] == 0 && (!zfs->volume || options->direct) &&
	       request > 0 && request < block_of(zfs);
}

/* Those of the window, in which ARC's counters were read. */
static uint64_t partial_writes(const struct sample *sample)
{
	const struct workload *options = &sample->options;
	uint64_t count = 0;

	if (options->part_count == 0)
		return writes_parts(options, sample->zfs) ? sample->directions[DIRECTION_WRITE].ios
							  : 0;
	for (size_t i = 0; i < sample->job_count; i++) {
		const struct job_result *job = &sample->jobs[i];

		for (size_t k = 0; k < options->part_count; k++)
			if (job->name && strcmp(job->name, options->parts[k].name) == 0 &&
			    writes_parts(&options->parts[k], sample->zfs))
				count += job->directions[DIRECTION_WRITE].ios;
	}
	return count;
}

static void tell_asked(const struct sample *sample, struct zfs_pool_delta *pool)
{
	for (size_t i = 0; i < sample->series.count; i++) {
		const struct series_second *second = &sample->series.seconds[i];

		pool->asked_read_bytes += second->bytes[DIRECTION_READ];
		pool->asked_written_bytes += second->bytes[DIRECTION_WRITE];
	}
	for (size_t i = 0; i < sample->file_count; i++) {
		const struct file_result *phase = &sample->files[i];

		if (phase->operation == FILE_READ)
			pool->asked_read_bytes += phase->bytes;
		else
			pool->asked_written_bytes += phase->bytes;
	}
}

int zfs_sample_end(struct zfs_sample **beside, int loaded, struct sample *sample, struct error *err)
{
	struct zfs_sample *own = *beside;
	const struct zfs_sample_config *config;
	int r = loaded;

	if (!own)
		return r;
	*beside = NULL;
	config = &own->config;
	if (r == 0 && own->write_back)
		r = fill_settle(config->regions, config->region_count, config->cancel, config->tick,
				config->arg, err);
	if (r == 0)
		r = zfs_telemetry_end(own->telemetry, &own->patience, sample->zfs, err);
	if (r == 0) {
		tell_asked(sample, &sample->zfs->pool);
		sample->zfs->partial_writes = partial_writes(sample);
	}
	zfs_telemetry_free(own->telemetry);
	free(own);
	return r;
}
