/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zfs_calls - calls what engine/zfs/ offers, one call a line, and prints what came of it: for tests
 * on a machine with OpenZFS.
 *
 *     zfs_calls available
 *     zfs_calls get DATASET NAME...
 *     zfs_calls pool POOL
 *     zfs_calls node NAME                        of a zvol that is there
 *     zfs_calls dry|create|made zvol NAME RUN SIZE [sparse] [PROPERTY=VALUE...]
 *     zfs_calls dry|create dataset NAME RUN MOUNTPOINT [PROPERTY=VALUE...]
 *     zfs_calls mount NAME
 *     zfs_calls destroy NAME PARENT RUN [SECONDS]
 *
 * "made" is create, then the wait for its node. Exit status 0, or 1 with "CODE FIELD: MESSAGE".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "engine/zfs/command.h"
#include "engine/zfs/dataset.h"
#include "engine/zfs/node.h"
#include "engine/zfs/pool.h"

static int call_get(int argc, char **argv, struct error *err)
{
	size_t count = (size_t)(argc - 3);
	struct zfs_value *values;
	int r = zfs_get(argv[2], (const char *const *)(argv + 3), count, &values, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		printf("%s|%s|%s\n", argv[3 + i], values[i].value ? values[i].value : "NULL",
		       values[i].source ? values[i].source : "NULL");
	zfs_values_done(values, count);
	return 0;
}

static int call_pool(char **argv, struct error *err)
{
	static const char *const classes[] = {"data", "log", "cache"};
	struct zfs_pool pool;
	int r = zfs_pool_read(argv[2], &pool, err);

	if (r < 0)
		return r;
	printf("pool=%s\nversion=%s\nhealth=%s\nreadonly=%d\nsize=%" PRIu64 "\nfree=%" PRIu64
	       "\nfragmentation=%.0f\nashift=%u\nlayout=%s\nparity=%d\nrecommended=%" PRIu64 "\n",
	       pool.facts.pool, pool.facts.version, pool.facts.health, pool.facts.readonly,
	       pool.facts.size_bytes, pool.facts.free_bytes, pool.facts.fragmentation_percent,
	       pool.facts.ashift, pool.facts.layout, pool.facts.parity,
	       pool.facts.recommended_volblocksize);
	for (size_t i = 0; i < pool.leaf_count; i++)
		printf("leaf=%s %u:%u\n", classes[pool.leaves[i].class],
		       major(pool.leaves[i].device), minor(pool.leaves[i].device));
	zfs_pool_done(&pool);
	return 0;
}

static int call_node(char **argv, struct error *err)
{
	dev_t device;
	char path[64];

	if (zfs_node_find(argv[2], path, &device) < 0)
		return error_set(err, ERROR_TARGET_MISSING, "", "no node of %s", argv[2]);
	printf("%s %u:%u\n", path, major(device), minor(device));
	return 0;
}

static int make(const struct zfs_creation *creation, bool await, struct error *err)
{
	const struct zfs_patience patience = {.deadline_ms = 60000};
	struct zfs_node_watch *watch = NULL;
	char path[64];
	dev_t device;
	int r = zfs_node_watch_new(&watch, err);

	if (r == 0)
		r = zfs_create(creation, &patience, err);
	if (r == 0 && await) {
		r = zfs_node_await(watch, creation->name, &patience, path, &device, err);
		if (r == 0)
			printf("%s %u:%u\n", path, major(device), minor(device));
	}
	zfs_node_watch_free(watch);
	return r;
}

static int call_create(int argc, char **argv, struct error *err)
{
	struct properties properties = {0};
	struct zfs_creation creation = {
		.name = argv[3],
		.run_id = argv[4],
		.volume = strcmp(argv[2], "zvol") == 0,
		.volsize = strtoull(argv[5], NULL, 10),
		.mountpoint = argv[5],
		.properties = &properties,
	};
	uint64_t reserved;
	int r = 0;

	for (int i = 6; r == 0 && i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (strcmp(argv[i], "sparse") == 0) {
			creation.sparse = true;
		} else if (value) {
			*value++ = '\0';
			r = properties_set(&properties, argv[i], value);
		}
	}
	if (r < 0)
		return error_no_memory(err);
	if (strcmp(argv[1], "dry") == 0) {
		r = zfs_create_dry(&creation, &reserved, err);
		if (r == 0)
			printf("%" PRIu64 "\n", reserved);
	} else {
		r = make(&creation, strcmp(argv[1], "made") == 0, err);
	}
	properties_done(&properties);
	return r;
}

static int call_destroy(int argc, char **argv, struct error *err)
{
	const struct zfs_patience patience = {
		.deadline_ms = argc > 5 ? strtoull(argv[5], NULL, 10) * 1000 : 60000};

	return zfs_destroy_made(argv[2], argv[3], argv[4], &patience, err);
}

static int call(int argc, char **argv, struct error *err)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (strcmp(name, "available") == 0)
		return zfs_available("a zvol", err);
	if (strcmp(name, "get") == 0 && argc > 3)
		return call_get(argc, argv, err);
	if (strcmp(name, "pool") == 0 && argc == 3)
		return call_pool(argv, err);
	if (strcmp(name, "node") == 0 && argc == 3)
		return call_node(argv, err);
	if (strcmp(name, "mount") == 0 && argc == 3)
		return zfs_mount(argv[2], NULL, err);
	if (strcmp(name, "destroy") == 0 && argc >= 5)
		return call_destroy(argc, argv, err);
	if (argc >= 6)
		return call_create(argc, argv, err);
	return error_set(err, ERROR_BAD_VALUE, "", "see the head of zfs_calls.c");
}

int main(int argc, char **argv)
{
	struct error err = {0};

	if (call(argc, argv, &err) == 0)
		return 0;
	printf("%s %s: %s\n", error_code_text(err.code), err.field, err.message);
	return 1;
}
