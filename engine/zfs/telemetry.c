/* SPDX-License-Identifier: GPL-3.0-or-later */
/* telemetry.c - see telemetry.h. The counters of the disks are in disks.c. */
#include "engine/zfs/telemetry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/zfs/dataset.h"
#include "engine/zfs/disks.h"
#include "engine/zfs/kstat.h"
#include "engine/zfs/pool.h"

#define TXG_TIMEOUT "/sys/module/zfs/parameters/zfs_txg_timeout"

/* ARC and what went around it, at one moment. */
struct moment {
	bool known;
	struct kstat_arc arc;
	uint64_t direct_reads;
};

struct zfs_telemetry {
	char dataset[ZFS_NAME_BYTES];
	bool volume;
	bool pool_known;
	char why_not[128]; /* the pool is not known */
	struct zfs_pool pool;
	struct moment window[2]; /* its begin and its end */
	bool settled;		 /* it was synced before the load */
	bool synced;		 /* and the disks were read */
	struct zfs_disks before;
	bool txgs_known;
	uint64_t txg; /* the newest that was synced then */
	char text[KSTAT_BYTES];
};

/* What a reader wants to know of how it is set: those an OpenZFS does not know, or that do not
 * apply (recordsize of a zvol), are left out. */
static const char *const settings[] = {
	"volblocksize",
	"volsize",
	"recordsize",
	"compression",
	"checksum",
	"copies",
	"dedup",
	"encryption",
	"sync",
	"logbias",
	"primarycache",
	"secondarycache",
	"direct",
	"prefetch",
	"redundant_metadata",
	"special_small_blocks",
	"refreservation",
	"volmode",
	"atime",
	"xattr",
	"dnodesize",
	"volthreading",
};

/* What it holds, behind the settings. `written` would begin anew with each snapshot. */
enum { FIGURE_REFERENCED, FIGURE_LOGICAL, FIGURE_RATIO, FIGURE_COUNT };
static const char *const figures[FIGURE_COUNT] = {"referenced", "logicalreferenced",
						  "refcompressratio"};

int zfs_telemetry_new(const char *dataset, bool volume, struct zfs_telemetry **ret_telemetry,
		      struct error *err)
{
	struct zfs_telemetry *telemetry = calloc(1, sizeof(*telemetry));
	char pool[ZFS_NAME_BYTES];
	struct error own = {0};
	int r;

	if (!telemetry)
		return error_no_memory(err);
	(void)snprintf(telemetry->dataset, sizeof(telemetry->dataset), "%s", dataset);
	telemetry->volume = volume;
	r = zfs_pool_read(zfs_name_pool(dataset, pool), &telemetry->pool, &own);
	if (r == -ENOMEM) {
		free(telemetry);
		return error_no_memory(err);
	}
	telemetry->pool_known = r == 0;
	if (r < 0)
		(void)text_clean(own.message, telemetry->why_not, sizeof(telemetry->why_not));
	*ret_telemetry = telemetry;
	return 0;
}

void zfs_telemetry_free(struct zfs_telemetry *telemetry)
{
	if (!telemetry)
		return;
	if (telemetry->pool_known)
		zfs_pool_done(&telemetry->pool);
	free(telemetry);
}

/* ---- what it is ---- */

static int take_settings(const struct zfs_value *values, struct sample_zfs *zfs)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		const char *value = values[i].value;

		if (!value || strcmp(value, "-") == 0)
			continue;
		if (properties_set(&zfs->properties, settings[i], value) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void take_figures(const struct zfs_value *values, struct sample_zfs *zfs)
{
	const char *volsize = properties_get(&zfs->properties, "volsize");
	double ratio = 0;

	if (volsize)
		(void)zfs_number(volsize, &zfs->size_bytes); /* 0 where it is none */
	if (values[FIGURE_REFERENCED].value)
		(void)zfs_number(values[FIGURE_REFERENCED].value, &zfs->written_bytes);
	if (values[FIGURE_LOGICAL].value)
		(void)zfs_number(values[FIGURE_LOGICAL].value, &zfs->logical_bytes);
	if (values[FIGURE_RATIO].value && zfs_ratio(values[FIGURE_RATIO].value, &ratio))
		zfs->compress_ratio = ratio;
}

static int read_properties(const struct zfs_telemetry *telemetry, struct sample_zfs *zfs,
			   struct error *err)
{
	const char *names[ARRAY_SIZE(settings) + FIGURE_COUNT];
	struct zfs_value *values;
	int r;

	memcpy(names, settings, sizeof(settings));
	memcpy(names + ARRAY_SIZE(settings), figures, sizeof(figures));
	r = zfs_get(telemetry->dataset, names, ARRAY_SIZE(names), &values, err);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* not known */
	r = take_settings(values, zfs);
	take_figures(values + ARRAY_SIZE(settings), zfs);
	zfs_values_done(values, ARRAY_SIZE(names));
	return r < 0 ? error_no_memory(err) : 0;
}

static void read_pool(const struct zfs_telemetry *telemetry, struct sample_zfs *zfs)
{
	const struct zfs_facts *facts = &telemetry->pool.facts;

	if (!telemetry->pool_known || facts->size_bytes == 0)
		return;
	if (facts->free_bytes <= facts->size_bytes)
		zfs->used_percent =
			100 - (double)facts->free_bytes * 100 / (double)facts->size_bytes;
	zfs->fragmentation_percent = facts->fragmentation_percent;
}

static double txg_timeout_s(void)
{
	AUTO_FCLOSE FILE *file = fopen(TXG_TIMEOUT, "re");
	unsigned int seconds;

	return file && fscanf(file, "%9u", &seconds) == 1 ? (double)seconds : 0;
}

/* ---- the pool ---- */

static void not_known(struct sample_zfs *zfs, const char *reason)
{
	zfs->pool.known = false;
	(void)text_clean(reason, zfs->pool.reason, sizeof(zfs->pool.reason));
}

/* Has all that is dirty go to the disks. -ECANCELED and -ENOMEM; else not known. */
static int sync_pool(const struct zfs_telemetry *telemetry, const struct zfs_patience *patience,
		     struct sample_zfs *zfs, bool *ret_synced, struct error *err)
{
	const char *const arguments[] = {"sync", telemetry->pool.facts.pool, NULL};
	struct zfs_patience longer = *patience;
	struct error own = {0};
	char *out = NULL;
	int r;

	*ret_synced = false;
	if (telemetry->pool.facts.readonly) { /* nothing can be dirty, and a sync is refused */
		*ret_synced = true;
		return 0;
	}
	longer.deadline_ms = ZFS_TELEMETRY_SYNC_MS;
	r = zfs_do(ZFS_PROGRAM_ZPOOL, arguments, &longer, "zpool sync", &out, &own);
	if (r == 0)
		free(out);
	else if (r == -ECANCELED || r == -ENOMEM)
		*err = own;
	else
		not_known(zfs, own.message);
	*ret_synced = r == 0;
	return r == -ECANCELED || r == -ENOMEM ? r : 0;
}

static bool read_txgs(struct zfs_telemetry *telemetry, uint64_t after, struct kstat_txgs *ret_txgs)
{
	char name[ZFS_NAME_BYTES + 8];

	(void)snprintf(name, sizeof(name), "%s/txgs", telemetry->pool.facts.pool);
	return kstat_read(name, telemetry->text, sizeof(telemetry->text)) == 0 &&
	       kstat_txgs(telemetry->text, after, ret_txgs);
}

int zfs_telemetry_begin(struct zfs_telemetry *telemetry, const struct zfs_patience *patience,
			struct sample_zfs *zfs, struct error *err)
{
	struct kstat_txgs txgs;
	const char *reason;
	int r = 0;

	(void)snprintf(zfs->dataset, sizeof(zfs->dataset), "%s", telemetry->dataset);
	zfs->volume = telemetry->volume;
	(void)zfs_version(zfs->version);
	zfs->txg_timeout_s = txg_timeout_s();
	if (telemetry->pool_known)
		r = sync_pool(telemetry, patience, zfs, &telemetry->settled, err);
	else
		not_known(zfs, telemetry->why_not);
	if (r == 0)
		r = read_properties(telemetry, zfs, err);
	read_pool(telemetry, zfs);
	if (r < 0 || !telemetry->settled)
		return r;
	telemetry->txgs_known = read_txgs(telemetry, UINT64_MAX, &txgs);
	telemetry->txg = telemetry->txgs_known ? txgs.newest : 0;
	reason = zfs_disks_read(&telemetry->pool, &telemetry->before);
	if (reason)
		not_known(zfs, reason);
	telemetry->synced = !reason;
	return 0;
}

bool zfs_telemetry_settled(const struct zfs_telemetry *telemetry)
{
	return telemetry->settled;
}

/* A counter that went back (the module was loaded anew) yields nothing rather than a huge number.
 */
static uint64_t step(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static void tell_pool(struct zfs_telemetry *telemetry, const struct zfs_disks *after,
		      struct sample_zfs *zfs)
{
	const struct zfs_disks *before = &telemetry->before;
	struct kstat_txgs txgs;

	zfs->pool.known = true;
	zfs->pool.read_bytes = step(before->read_bytes, after->read_bytes);
	zfs->pool.written_bytes = step(before->written_bytes, after->written_bytes);
	zfs->pool.log_written_bytes = step(before->log_written_bytes, after->log_written_bytes);
	if (telemetry->txgs_known && read_txgs(telemetry, telemetry->txg, &txgs)) {
		zfs->pool.txgs = step(telemetry->txg, txgs.newest);
		zfs->pool.dirty_bytes = txgs.dirty_bytes;
	}
}

static void tell_arc(const struct zfs_telemetry *telemetry, struct sample_zfs *zfs)
{
	const struct moment *begin = &telemetry->window[0], *end = &telemetry->window[1];
	const struct kstat_arc *a = &begin->arc, *b = &end->arc;

	if (!begin->known || !end->known)
		return;
	zfs->arc = (struct zfs_arc_delta){
		.known = true,
		.demand_data_hits = step(a->demand_data_hits, b->demand_data_hits) +
				    step(a->demand_data_iohits, b->demand_data_iohits),
		.demand_data_misses = step(a->demand_data_misses, b->demand_data_misses),
		.prefetch_data_misses = step(a->prefetch_data_misses, b->prefetch_data_misses),
		.l2_hits = step(a->l2_hits, b->l2_hits),
		.l2_misses = step(a->l2_misses, b->l2_misses),
		.direct_reads = step(begin->direct_reads, end->direct_reads),
		.size_bytes = b->size,
		.size_max_bytes = b->c_max,
	};
}

int zfs_telemetry_end(struct zfs_telemetry *telemetry, const struct zfs_patience *patience,
		      struct sample_zfs *zfs, struct error *err)
{
	struct zfs_disks after;
	const char *reason;
	bool synced;
	int r;

	tell_arc(telemetry, zfs);
	if (!telemetry->synced)
		return 0;
	r = sync_pool(telemetry, patience, zfs, &synced, err);
	if (r < 0 || !synced)
		return r;
	reason = zfs_disks_read(&telemetry->pool, &after);
	if (reason)
		not_known(zfs, reason);
	else
		tell_pool(telemetry, &after, zfs);
	return 0;
}

/* ---- ARC ---- */

void zfs_telemetry_window(struct zfs_telemetry *telemetry, bool begins)
{
	struct moment *moment = &telemetry->window[begins ? 0 : 1];
	char name[ZFS_NAME_BYTES + 8];

	*moment = (struct moment){0};
	if (kstat_read("arcstats", telemetry->text, sizeof(telemetry->text)) < 0)
		return;
	moment->known = kstat_arc(telemetry->text, &moment->arc);
	if (!telemetry->pool_known)
		return;
	(void)snprintf(name, sizeof(name), "%s/iostats", telemetry->pool.facts.pool);
	if (kstat_read(name, telemetry->text, sizeof(telemetry->text)) == 0)
		(void)kstat_value(telemetry->text, "direct_read_count", &moment->direct_reads);
}
