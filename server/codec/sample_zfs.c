/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sample_zfs.c (codec) - see sample_zfs.h. */
#include "server/codec/sample_zfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RATIO_MAX 1e9
#define SECONDS_MAX 1e9
#define PROPERTIES_MAX 64

/* ---- members that are counts, both ways ---- */

struct count {
	const char *name;
	uint64_t *value;
};

#define ARC_COUNTS 8
#define POOL_COUNTS 7

static void arc_counts(struct zfs_arc_delta *arc, struct count counts[ARC_COUNTS])
{
	const struct count all[ARC_COUNTS] = {
		{"demand_data_hits", &arc->demand_data_hits},
		{"demand_data_misses", &arc->demand_data_misses},
		{"prefetch_data_misses", &arc->prefetch_data_misses},
		{"l2_hits", &arc->l2_hits},
		{"l2_misses", &arc->l2_misses},
		{"direct_reads", &arc->direct_reads},
		{"size_bytes", &arc->size_bytes},
		{"size_max_bytes", &arc->size_max_bytes},
	};

	memcpy(counts, all, sizeof(all));
}

static void pool_counts(struct zfs_pool_delta *pool, struct count counts[POOL_COUNTS])
{
	const struct count all[POOL_COUNTS] = {
		{"read_bytes", &pool->read_bytes},
		{"written_bytes", &pool->written_bytes},
		{"log_written_bytes", &pool->log_written_bytes},
		{"asked_read_bytes", &pool->asked_read_bytes},
		{"asked_written_bytes", &pool->asked_written_bytes},
		{"txgs", &pool->txgs},
		{"dirty_bytes", &pool->dirty_bytes},
	};

	memcpy(counts, all, sizeof(all));
}

static json_t *counts_encode(const struct count *counts, size_t count)
{
	json_t *value = json_object();
	int failed = 0;

	for (size_t i = 0; i < count; i++)
		failed |= put_u64(value, counts[i].name, *counts[i].value);
	return put_end(value, failed);
}

static int counts_decode(const struct fields *in, const char *name, const struct count *counts,
			 size_t count)
{
	struct fields inner;
	int r = get_object(in, name, &inner);

	for (size_t i = 0; i < count && r == 0; i++)
		r = get_u64(&inner, counts[i].name, UINT64_MAX, counts[i].value);
	return r;
}

/* ---- out ---- */

static json_t *properties_encode(const struct properties *properties)
{
	json_t *value = json_object();
	int failed = 0;

	for (size_t i = 0; i < properties->count; i++)
		failed |= put_text(value, properties->list[i].name, properties->list[i].value);
	return put_end(value, failed);
}

/* Where it is known: not negative. */
static int put_known(json_t *object, const char *name, double value)
{
	return value >= 0 ? put_real(object, name, value) : 0;
}

json_t *sample_zfs_encode(const struct sample_zfs *zfs)
{
	struct zfs_arc_delta arc = zfs->arc;
	struct zfs_pool_delta pool = zfs->pool;
	struct count counts[ARC_COUNTS];
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "dataset", zfs->dataset);
	failed |= put_bool(value, "volume", zfs->volume);
	failed |= put_text(value, "version", zfs->version);
	failed |= put_value(value, "properties", properties_encode(&zfs->properties));
	failed |= put_u64(value, "size_bytes", zfs->size_bytes);
	failed |= put_u64(value, "written_bytes", zfs->written_bytes);
	failed |= put_u64(value, "logical_bytes", zfs->logical_bytes);
	if (zfs->compress_ratio > 0)
		failed |= put_real(value, "compress_ratio", zfs->compress_ratio);
	failed |= put_known(value, "used_percent", zfs->used_percent);
	failed |= put_known(value, "fragmentation_percent", zfs->fragmentation_percent);
	if (zfs->txg_timeout_s > 0)
		failed |= put_real(value, "txg_timeout_s", zfs->txg_timeout_s);
	if (zfs->accesses_a_block > 1)
		failed |= put_real(value, "accesses_a_block", zfs->accesses_a_block);
	if (zfs->partial_writes > 0)
		failed |= put_u64(value, "partial_writes", zfs->partial_writes);
	if (arc.known) {
		arc_counts(&arc, counts);
		failed |= put_value(value, "arc", counts_encode(counts, ARC_COUNTS));
	}
	if (pool.known) {
		pool_counts(&pool, counts);
		failed |= put_value(value, "pool", counts_encode(counts, POOL_COUNTS));
	}
	failed |= put_text_if(value, "pool_unknown", pool.reason);
	failed |= put_known(value, "from_devices", sample_zfs_from_devices(zfs));
	failed |= put_known(value, "write_amplification", sample_zfs_write_amplification(zfs));
	failed |= put_known(value, "read_amplification", sample_zfs_read_amplification(zfs));
	return put_end(value, failed);
}

/* ---- in ---- */

static int properties_decode(const struct fields *in, struct properties *properties)
{
	struct fields inner;
	int r = get_object(in, "properties", &inner);

	if (r < 0)
		return r;
	if (json_object_size(inner.object) > PROPERTIES_MAX)
		return fields_error(in, ERROR_TOO_MANY, "properties", "at most %d are read",
				    PROPERTIES_MAX);
	for (void *i = json_object_iter((json_t *)inner.object); i && r == 0;
	     i = json_object_iter_next((json_t *)inner.object, i)) {
		AUTO_FREE char *text = NULL;

		r = get_text(&inner, json_object_iter_key(i), false, &text);
		if (r == 0 && properties_set(properties, json_object_iter_key(i), text) < 0)
			r = error_no_memory(in->err);
	}
	return r;
}

static int get_real_if(const struct fields *in, const char *name, double max, double *ret_value)
{
	return fields_have(in, name) ? get_real(in, name, max, ret_value) : 0;
}

static int parts_decode(const struct fields *in, struct sample_zfs *zfs)
{
	struct count counts[ARC_COUNTS];
	int r = 0;

	zfs->arc.known = fields_have(in, "arc");
	zfs->pool.known = fields_have(in, "pool");
	if (zfs->arc.known) {
		arc_counts(&zfs->arc, counts);
		r = counts_decode(in, "arc", counts, ARC_COUNTS);
	}
	if (r == 0 && zfs->pool.known) {
		pool_counts(&zfs->pool, counts);
		r = counts_decode(in, "pool", counts, POOL_COUNTS);
	}
	if (r == 0)
		r = get_text_into(in, "pool_unknown", true, zfs->pool.reason,
				  sizeof(zfs->pool.reason));
	return r;
}

static int whole_decode(const struct fields *in, struct sample_zfs *zfs)
{
	int r = get_text_into(in, "dataset", false, zfs->dataset, sizeof(zfs->dataset));

	if (r == 0)
		r = get_bool(in, "volume", &zfs->volume);
	if (r == 0)
		r = get_text_into(in, "version", false, zfs->version, sizeof(zfs->version));
	if (r == 0)
		r = properties_decode(in, &zfs->properties);
	if (r == 0)
		r = get_u64(in, "size_bytes", UINT64_MAX, &zfs->size_bytes);
	if (r == 0)
		r = get_u64(in, "written_bytes", UINT64_MAX, &zfs->written_bytes);
	if (r == 0)
		r = get_u64(in, "logical_bytes", UINT64_MAX, &zfs->logical_bytes);
	if (r == 0)
		r = get_real_if(in, "compress_ratio", RATIO_MAX, &zfs->compress_ratio);
	if (r == 0)
		r = get_real_if(in, "used_percent", 100, &zfs->used_percent);
	if (r == 0)
		r = get_real_if(in, "fragmentation_percent", 100, &zfs->fragmentation_percent);
	if (r == 0)
		r = get_real_if(in, "txg_timeout_s", SECONDS_MAX, &zfs->txg_timeout_s);
	if (r == 0)
		r = get_real_if(in, "accesses_a_block", RATIO_MAX, &zfs->accesses_a_block);
	if (r == 0 && fields_have(in, "partial_writes"))
		r = get_u64(in, "partial_writes", UINT64_MAX, &zfs->partial_writes);
	return r < 0 ? r : parts_decode(in, zfs);
}

int sample_zfs_decode(const struct fields *in, struct sample_zfs **ret_zfs)
{
	struct sample_zfs *zfs;
	struct fields inner;
	int r;

	if (!fields_have(in, "zfs"))
		return 0;
	r = get_object(in, "zfs", &inner);
	if (r < 0)
		return r;
	zfs = malloc(sizeof(*zfs));
	if (!zfs)
		return error_no_memory(in->err);
	sample_zfs_init(zfs);
	r = whole_decode(&inner, zfs);
	if (r < 0) {
		sample_zfs_done(zfs);
		free(zfs);
		return r;
	}
	*ret_zfs = zfs;
	return 0;
}
