/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * candidates.c - all that may be tested (target.h): the allowed places themselves, then the block
 * devices whose node in /dev lies beneath an allowed directory, then what can be made beneath the
 * allowed datasets.
 *
 * A pool whose disks do not answer holds up who asks of it: each is asked one thing first, for a
 * few seconds, and where that hangs nothing more. All of that together has PROBES_MS.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine/base/clock.h"
#include "engine/target/device.h"
#include "engine/target/parts.h"
#include "engine/target/system.h"
#include "engine/zfs/command.h"

#define PROBE_MS 4000
#define PROBES_MS 10000
#define CANDIDATES_MAX 1024 /* of a machine with more disks than that the first are listed */

struct collection {
	const struct allow *allow;
	bool measuring;
	struct target_list list;
};

static bool has_device(const struct collection *collection, dev_t device)
{
	for (size_t i = 0; i < collection->list.count; i++) {
		const struct target_info *info = &collection->list.list[i].info;

		if (info->kind == TARGET_DEVICE && info->device_number == device)
			return true;
	}
	return false;
}

/* One more in the list, all zero; -EXFULL where there are enough. */
static int add(struct collection *collection, struct target_candidate **ret_candidate)
{
	struct target_candidate *grown;

	if (collection->list.count >= CANDIDATES_MAX)
		return -EXFULL;
	grown = reallocarray(collection->list.list, collection->list.count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	collection->list.list = grown;
	*ret_candidate = &grown[collection->list.count++];
	**ret_candidate = (struct target_candidate){0};
	return 0;
}

static int collect(struct collection *collection, enum target_kind kind, const char *path)
{
	const struct target_need need = {.files = 1, .writes = true};
	struct target_candidate *candidate;
	AUTO_FREE char *copy = strdup(path);
	const struct target_spec spec = {.kind = kind, .path = copy};
	int r = copy ? add(collection, &candidate) : -ENOMEM;

	if (r < 0)
		return r == -EXFULL ? 0 : r;
	candidate->usable = target_look(collection->allow, &spec, &need, collection->measuring,
					&candidate->info, NULL, &candidate->reason) == 0;
	return 0;
}

/* /dev/zero is never written; what is known of it comes from looking at it as a reader does. */
static int collect_zero(struct collection *collection, const char *path)
{
	const struct target_need need = {.files = 1};
	struct target_candidate *candidate;
	char copy[] = "/dev/zero";
	struct target_spec spec = {.kind = TARGET_FILE, .path = copy, .existing = true};
	int r;

	r = collect(collection, TARGET_FILE, path);
	if (r < 0 || collection->list.count == 0)
		return r;
	candidate = &collection->list.list[collection->list.count - 1];
	r = target_look(collection->allow, &spec, &need, collection->measuring, &candidate->info,
			NULL, NULL);
	(void)error_set(&candidate->reason, ERROR_TARGET_READ_ONLY, "",
			"/dev/zero can only be read: use it with \"existing\": true");
	(void)r; /* listed all the same */
	return 0;
}

static int collect_entry(struct collection *collection, const char *path)
{
	struct stat st;
	int fd, r;

	if (allow_is_zero(collection->allow, path))
		return collect_zero(collection, path);
	r = allow_open(collection->allow, path, O_PATH, 0, &fd, NULL);
	if (r < 0) /* a device that went away: its reason is told as a directory's */
		return collect(collection, TARGET_DIRECTORY, path);
	r = fstat(fd, &st) < 0 ? -errno : 0;
	(void)close(fd); /* O_PATH: nothing to lose */
	if (r == 0)
		r = collect(collection, S_ISBLK(st.st_mode) ? TARGET_DEVICE : TARGET_DIRECTORY,
			    path);
	return r;
}

/* A block device by its name in /sys/class/block. */
static int collect_block(struct collection *collection, const char *name)
{
	unsigned int block_major, block_minor;
	char path[512], text[64];
	uint64_t sectors;
	dev_t device;

	(void)snprintf(path, sizeof(path), "/sys/class/block/%s/dev", name);
	if (system_line(path, text, sizeof(text)) < 0 ||
	    sscanf(text, "%u:%u", &block_major, &block_minor) != 2)
		return 0; /* it went away meanwhile */
	device = makedev(block_major, block_minor);
	if (system_block_number(device, "size", &sectors) < 0 || sectors == 0 ||
	    system_block_name(device, text) < 0)
		return 0; /* nothing attached */
	(void)snprintf(path, sizeof(path), "/dev/%s", text);
	if (!allow_covers(collection->allow, path) || has_device(collection, device))
		return 0;
	return collect(collection, TARGET_DEVICE, path);
}

/* ---- OpenZFS ---- */

/* Whether what is asked of a dataset and its pool is answered soon; else err says why not. */
static int probe(const char *dataset, uint64_t until_ns, struct error *err)
{
	char pool[ZFS_NAME_BYTES];
	const char *const of_dataset[] = {"get", "-H", "-o", "value", "available", dataset, NULL};
	const char *const of_pool[] = {"list", "-H", "-o", "health", zfs_name_pool(dataset, pool),
				       NULL};
	const char *const *const questions[] = {
		[ZFS_PROGRAM_ZFS] = of_dataset, [ZFS_PROGRAM_ZPOOL] = of_pool};

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		uint64_t now_ns = clock_now_ns();
		uint64_t left_ms = now_ns < until_ns ? (until_ns - now_ns) / NS_PER_MS : 0;
		const struct zfs_patience patience = {.deadline_ms = left_ms < 1 ? 1
								     : left_ms < PROBE_MS
									     ? left_ms
									     : PROBE_MS};
		struct zfs_output output;
		int r = zfs_run((enum zfs_program)i, questions[i], &patience, &output, err);

		if (r < 0)
			return r;
		zfs_output_done(&output); /* that it is not there is said by who looks */
	}
	return 0;
}

/* A zvol of a MiB, or a dataset, is what would be made. */
static int collect_made(struct collection *collection, enum target_kind kind, const char *parent,
			const struct error *hung)
{
	const struct target_need need = {.bytes = 1 << 20, .files = 1, .writes = true};
	AUTO_FREE char *copy = strdup(parent);
	const struct target_spec spec = {.kind = kind, .path = copy};
	struct target_candidate *candidate;
	int r = copy ? add(collection, &candidate) : -ENOMEM;

	if (r < 0)
		return r == -EXFULL ? 0 : r;
	if (hung) {
		candidate->reason = *hung;
		candidate->info.kind = kind;
		(void)snprintf(candidate->info.path, sizeof(candidate->info.path), "%s", parent);
		return 0;
	}
	candidate->usable = target_look(collection->allow, &spec, &need, collection->measuring,
					&candidate->info, NULL, &candidate->reason) == 0;
	candidate->info.size_bytes = 0; /* as large as one asks for */
	return 0;
}

static int collect_datasets(struct collection *collection)
{
	uint64_t until_ns = clock_now_ns() + PROBES_MS * NS_PER_MS;
	bool available = zfs_available(NULL, NULL) == 0; /* target_look() says it of each */
	int r = 0;

	for (size_t i = 0; i < allow_dataset_count(collection->allow) && r == 0; i++) {
		const char *parent = allow_dataset(collection->allow, i);
		struct error err = {.code = ERROR_NONE};
		bool hung = available && probe(parent, until_ns, &err) < 0;

		r = collect_made(collection, TARGET_ZVOL, parent, hung ? &err : NULL);
		if (r == 0)
			r = collect_made(collection, TARGET_DATASET, parent, hung ? &err : NULL);
	}
	return r;
}

int target_candidates(const struct allow *allow, bool measuring, struct target_list *ret_list,
		      struct error *err)
{
	struct collection collection = {.allow = allow, .measuring = measuring};
	struct dirent **blocks = NULL;
	int r = 0, count;

	for (size_t i = 0; i < allow_count(allow) && r == 0; i++)
		r = collect_entry(&collection, allow_target_path(allow, i));
	count = r == 0 ? scandir("/sys/class/block", &blocks, NULL, versionsort) : 0;
	for (int i = 0; i < count; i++) {
		if (r == 0 && blocks[i]->d_name[0] != '.')
			r = collect_block(&collection, blocks[i]->d_name);
		free(blocks[i]);
	}
	free(blocks);
	if (r == 0)
		r = collect_datasets(&collection);
	if (r < 0) {
		target_list_done(&collection.list);
		return error_set_sys(err, ERROR_SYSTEM, -r, "listing what may be tested");
	}
	*ret_list = collection.list;
	return 0;
}

void target_list_done(struct target_list *list)
{
	free(list->list);
	*list = (struct target_list){0};
}
