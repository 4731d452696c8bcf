/* SPDX-License-Identifier: GPL-3.0-or-later */
/* volume.c - see volume.h: making, proving, destroying. The checks before stand in
 * volume_look.c. */
#include "engine/target/volume.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/target/device.h"
#include "engine/target/manifest.h"
#include "engine/target/place.h"
#include "engine/target/system.h"
#include "engine/zfs/dataset.h"
#include "engine/zfs/node.h"

/* A create or a destroy waits for a transaction group, which on a busy pool takes many seconds. */
#define MAKE_MS 120000
#define DESTROY_MS 60000
#define FREED_MS 20000	     /* for the space of what was destroyed, which nobody waits for */
#define FREED_NEXT_MS 600000 /* and where the next is to be made of it */
#define CLAIM_MS 30000	     /* begun before this is over */

#define MOUNT_SUFFIX ".mount"

struct volume {
	struct manifest *manifest;
	atomic_bool *cancel; /* or NULL */
	char name[ZFS_NAME_BYTES], parent[ZFS_NAME_BYTES];
	char run_id[MANIFEST_RUN_ID_BYTES + 1];
	bool mounted; /* a dataset: it has a directory to be mounted at */
	bool taken;   /* its name was somebody's before; nothing of it is ours */
};

/* ---- names ---- */

/* The directory a dataset is mounted at, in the engine's own. Returns buffer. */
static const char *mount_name(const char *name, char buffer[ZFS_NAME_BYTES + sizeof(MOUNT_SUFFIX)])
{
	(void)snprintf(buffer, ZFS_NAME_BYTES + sizeof(MOUNT_SUFFIX), "%s" MOUNT_SUFFIX,
		       strrchr(name, '/') + 1); /* fits */
	return buffer;
}

/* The absolute path of what lies in an open directory. */
static int path_in(int dirfd, const char *name, char *buffer, size_t size)
{
	char self[64], directory[4096];
	ssize_t length;

	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", dirfd); /* fits */
	length = readlink(self, directory, sizeof(directory) - 1);
	if (length < 0)
		return -errno;
	directory[length] = '\0';
	if (snprintf(buffer, size, "%s/%s", directory, name) >= (int)size)
		return -ENAMETOOLONG;
	return 0;
}

static int name_volume(struct volume *volume, const struct target_spec *spec,
		       const struct target_making *making, struct error *err)
{
	char number[24] = "";
	int length;

	if (making->number > 0)
		(void)snprintf(number, sizeof(number), "-%zu", making->number); /* fits */
	(void)snprintf(volume->run_id, sizeof(volume->run_id), "%s", making->run_id);
	(void)snprintf(volume->parent, sizeof(volume->parent), "%s", spec->path); /* looked at */
	length = snprintf(volume->name, sizeof(volume->name), "%s/" ZFS_MADE_PREFIX "%s%s",
			  spec->path, making->run_id, number);
	if (length < 0 || length >= (int)sizeof(volume->name))
		return error_set(err, ERROR_BAD_VALUE, "",
				 "the name \"%.64s.../" ZFS_MADE_PREFIX "%s%s\" would be longer "
				 "than the %d bytes OpenZFS allows; choose a shorter parent",
				 spec->path, making->run_id, number, ZFS_NAME_BYTES - 1);
	return 0;
}

/* ---- the node of a zvol ---- */

/* udev holds its lock on a new zvol for as long as it reads it: long where blocks are large. */
static int claim_in_time(int node, const struct zfs_patience *patience,
			 const struct target_info *info, int *ret_claim, struct error *err)
{
	uint64_t deadline_ns = clock_now_ns() + CLAIM_MS * NS_PER_MS;
	struct error last = {0};
	int r;

	do
		r = device_claim(node, info, ret_claim, &last);
	while (r < 0 && last.code == ERROR_TARGET_BUSY && clock_now_ns() < deadline_ns &&
	       !(patience->cancel && atomic_load(patience->cancel)));
	if (r < 0 && err)
		*err = last;
	return r;
}

static int claim_node(const struct volume *volume, const char *path, dev_t device,
		      const struct zfs_patience *patience, struct target_info *info, int *ret_claim,
		      struct error *err)
{
	AUTO_CLOSE int node = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), claim = -1;
	char found[ZFS_NAME_BYTES];
	struct stat st;
	int r;

	if (node < 0 || fstat(node, &st) < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "%s, the node of %s", path,
				     volume->name);
	r = S_ISBLK(st.st_mode) && st.st_rdev == device ? 0 : -ENOTTY;
	if (r == 0)
		r = claim_in_time(node, patience, info, &claim, err);
	else
		r = error_set(err, ERROR_TARGET_TYPE, "", "%s is not the node of %s any more", path,
			      volume->name);
	if (r < 0)
		return r;
	r = zfs_node_name(claim, found);
	if (r < 0 || strcmp(found, volume->name) != 0)
		return error_set(err, ERROR_TARGET_TYPE, "",
				 "%s is the node of %s, not of %s; nothing was written to it", path,
				 r < 0 ? "no zvol" : found, volume->name);
	*ret_claim = TAKE_FD(claim);
	return 0;
}

/* What the kernel tells of the very node. */
static int describe_node(const struct volume *volume, dev_t device, int claim,
			 struct target_info *info, struct error *err)
{
	uint64_t wanted = info->size_bytes;
	enum target_kind kind = info->kind;
	int r = device_describe(device, info, err);

	info->kind = kind;
	info->fingerprint[0] = '\0'; /* nobody names a zvol of ours */
	if (r < 0)
		return r;
	info->nowait = measure_nowait(claim);
	info->polled = measure_polled(claim);
	if (info->size_bytes != wanted)
		return error_set(err, ERROR_BAD_SIZE, "size",
				 "%s was made with %" PRIu64 " bytes in place of %" PRIu64
				 ": a zvol's size is a multiple of its volblocksize",
				 volume->name, info->size_bytes, wanted);
	return 0;
}

static int use_node(const struct volume *volume, struct zfs_node_watch *watch,
		    const struct zfs_patience *patience, struct target_info *info, int *ret_claim,
		    struct error *err)
{
	AUTO_CLOSE int claim = -1;
	char path[64];
	dev_t device;
	int r = zfs_node_await(watch, volume->name, patience, path, &device, err);

	if (r == 0)
		r = claim_node(volume, path, device, patience, info, &claim, err);
	if (r == 0)
		r = describe_node(volume, device, claim, info, err);
	if (r == 0)
		*ret_claim = TAKE_FD(claim);
	return r;
}

static int create(struct volume *volume, const struct zfs_creation *creation,
		  const struct zfs_patience *patience, struct error *err)
{
	int r = zfs_create(creation, patience, err);

	volume->taken = r == -EEXIST;
	return r;
}

static int make_zvol(struct volume *volume, struct zfs_creation *creation,
		     const struct zfs_patience *patience, struct target_info *info, int *ret_fd,
		     struct error *err)
{
	struct zfs_node_watch *watch;
	int r = zfs_node_watch_new(&watch, err);

	if (r < 0)
		return r;
	r = create(volume, creation, patience, err);
	if (r == 0)
		r = use_node(volume, watch, patience, info, ret_fd, err);
	zfs_node_watch_free(watch);
	return r;
}

/* ---- the mount of a dataset ---- */

struct mount_search {
	const char *source;
	dev_t device;
};

static int is_mount(void *arg, const struct system_mount *mount)
{
	const struct mount_search *search = arg;

	return mount->device == search->device && strcmp(mount->filesystem, "zfs") == 0 &&
	       strcmp(mount->source, search->source) == 0;
}

/* The directory is the dataset's root, and not the empty one beneath it. */
static int open_root(const struct volume *volume, const char *directory, int *ret_fd,
		     struct error *err)
{
	AUTO_CLOSE int fd = openat(manifest_directory(volume->manifest), directory,
				   O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct mount_search search = {.source = volume->name};
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "opening where %s is mounted",
				     volume->name);
	search.device = st.st_dev;
	r = system_each_mount(is_mount, &search);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "looking at the mounts");
	if (r == 0)
		return error_set(err, ERROR_ZFS_FAILED, "",
				 "`zfs mount` has not mounted %s where this process sees it",
				 volume->name);
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int make_dataset(struct volume *volume, struct zfs_creation *creation,
			const struct zfs_patience *patience, const struct target_need *need,
			struct target_info *info, int *ret_fd, struct error *err)
{
	int state = manifest_directory(volume->manifest);
	char name[ZFS_NAME_BYTES + sizeof(MOUNT_SUFFIX)], path[4096 + ZFS_NAME_BYTES];
	AUTO_CLOSE int fd = -1;
	int r = path_in(state, mount_name(volume->name, name), path, sizeof(path));

	if (r == 0 && mkdirat(state, name, 0700) < 0)
		r = -errno;
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "making a directory to mount %s at",
				     volume->name);
	volume->mounted = true;
	creation->mountpoint = path;
	r = create(volume, creation, patience, err);
	if (r == 0)
		r = zfs_mount(volume->name, patience, err);
	if (r == 0)
		r = open_root(volume, name, &fd, err);
	if (r < 0)
		return r;
	place_describe(fd, info);
	r = place_probe_directory(fd, info, err);
	if (r == 0)
		r = place_check_direct(info, need->direct, err);
	if (r == 0)
		*ret_fd = TAKE_FD(fd);
	return r;
}

/* ---- making ---- */

/* What was made of it goes again, also what a create that was given up makes only now
 * (zfs_destroy_made() waits for that). What could not be removed stays in the manifest, and is
 * told; somebody else's of that name is not the run's to tell of. */
static void undo(struct volume *volume, const struct target_making *making)
{
	struct error err = {0};
	int r = volume_remove(volume, making->step, making->arg, &err);

	if (r < 0 && r != -EPERM && making->left)
		making->left(making->arg, volume->name, &err);
	volume_free(volume);
}

static int make(struct volume *volume, const struct target_spec *spec,
		const struct target_need *need, const struct target_making *making,
		struct target_info *info, int *ret_fd, struct error *err)
{
	const struct zfs_patience patience = {
		.deadline_ms = MAKE_MS,
		.cancel = making->cancel,
		.tick = making->step,
		.arg = making->arg,
	};
	struct zfs_creation creation = {
		.name = volume->name,
		.run_id = making->run_id,
		.volume = spec->kind == TARGET_ZVOL,
		.volsize = info->size_bytes,
		.sparse = spec->sparse,
		.properties = &spec->properties,
	};

	(void)snprintf(info->path, sizeof(info->path), "%s", volume->name); /* fits */
	return creation.volume
		       ? make_zvol(volume, &creation, &patience, info, ret_fd, err)
		       : make_dataset(volume, &creation, &patience, need, info, ret_fd, err);
}

int volume_create(const struct target_spec *spec, const struct target_need *need,
		  const struct target_making *making, struct target_info *info,
		  struct volume **ret_volume, int *ret_fd, struct error *err)
{
	struct volume *volume = calloc(1, sizeof(*volume));
	int r;

	if (!volume)
		return error_no_memory(err);
	volume->manifest = making->manifest;
	volume->cancel = making->cancel;
	r = name_volume(volume, spec, making, err);
	if (r < 0) {
		volume_free(volume);
		return r;
	}
	r = manifest_intend_dataset(making->manifest, volume->name);
	if (r < 0) {
		volume_free(volume);
		return manifest_tell(r, "noting what the run will make", err);
	}
	r = make(volume, spec, need, making, info, ret_fd, err);
	if (r < 0) {
		undo(volume, making);
		return r;
	}
	*ret_volume = volume;
	return 0;
}

void volume_free(struct volume *volume)
{
	free(volume);
}

/* ---- destroying ---- */

/* What `zfs destroy` frees is free when the pool has worked it off; who asks for space next would
 * find it taken. Not waiting long enough harms nobody else. */
void volume_await_freed(const char *name, const struct zfs_patience *patience)
{
	struct zfs_patience bounded = patience ? *patience : zfs_patience_ask;
	char pool[ZFS_NAME_BYTES];
	const char *const arguments[] = {"wait", "-t", "free", zfs_name_pool(name, pool), NULL};
	struct zfs_output output;

	if (bounded.deadline_ms == 0)
		bounded.deadline_ms = FREED_MS;
	/* Without `zpool wait` (before 2.0) it is as if nothing had to be waited for. */
	if (zfs_run(ZFS_PROGRAM_ZPOOL, arguments, &bounded, &output, NULL) == 0)
		zfs_output_done(&output);
}

void target_await_freed(const struct target_spec *spec, atomic_bool *cancel,
			void (*step)(void *arg), void *arg)
{
	const struct zfs_patience patience = {
		.deadline_ms = FREED_NEXT_MS, .cancel = cancel, .tick = step, .arg = arg};

	volume_await_freed(spec->path, &patience);
}

static int remove_directory(int dirfd, const char *name, struct error *err)
{
	char directory[ZFS_NAME_BYTES + sizeof(MOUNT_SUFFIX)];

	if (unlinkat(dirfd, mount_name(name, directory), AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	return error_set_sys(err, ERROR_SYSTEM, errno, "removing the directory %s was mounted at",
			     name);
}

int volume_remove(struct volume *volume, void (*step)(void *arg), void *arg, struct error *err)
{
	struct zfs_patience patience = {
		.deadline_ms = DESTROY_MS,
		.tick = step,
		.arg = arg,
	};
	int r = -EPERM;

	/* Whatever mark it carries: the run has not made it. */
	if (!volume->taken)
		r = zfs_destroy_made(volume->name, volume->parent, volume->run_id, &patience, err);
	patience.deadline_ms = FREED_MS;
	patience.cancel = volume->cancel;
	if (r == 0)
		volume_await_freed(volume->name, &patience);
	/* Somebody else's of that name was there before ours: not ours to remember. */
	if ((r == 0 || r == -EPERM) && volume->mounted) {
		int left = remove_directory(manifest_directory(volume->manifest), volume->name,
					    r == 0 ? err : NULL);

		r = r == 0 ? left : r;
	}
	if (r == 0 || r == -EPERM)
		manifest_removed(volume->manifest, volume->name);
	return r;
}

int volume_sweep(int dirfd, const struct allow *allow, const char *name, const char *run_id,
		 const struct zfs_patience *patience, bool *ret_removed, struct error *err)
{
	static const char *const type = "type";
	struct zfs_patience bounded = patience ? *patience : zfs_patience_ask;
	char parent[ZFS_NAME_BYTES];
	struct zfs_value *value;
	bool there;
	int r;

	bounded.deadline_ms = DESTROY_MS;
	(void)snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(name, '/') - name), name);
	if (!allow_covers_dataset(allow, parent)) {
		(void)error_set(err, ERROR_TARGET_NOT_ALLOWED, "",
				"its parent %s is not allowed now: start with --allow-dataset %s",
				parent, parent);
		return -EACCES;
	}
	r = zfs_available("left behind", NULL);
	if (r < 0) {
		(void)error_set(err, ERROR_ZFS_UNAVAILABLE, "", "this machine has no OpenZFS now");
		return r;
	}
	there = zfs_get(name, &type, 1, &value, NULL) == 0;
	if (there)
		zfs_values_done(value, 1);
	r = zfs_destroy_made(name, parent, run_id, &bounded, err);
	if (r == 0)
		r = remove_directory(dirfd, name, err);
	if (r == 0)
		*ret_removed = there;
	return r;
}
