/* SPDX-License-Identifier: GPL-3.0-or-later */
/* safety.c - see safety.h. */
#include "engine/target/safety.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <blkid.h>

#include "engine/base/text.h"
#include "engine/target/place.h"
#include "engine/target/system.h"

#define PATH_BYTES 512
#define EDGE_BYTES (UINT64_C(1) << 20)
#define SAMPLE_BYTES 4096
#define SAMPLES_EVEN 256
#define SAMPLES_RANDOM 64

/* ---- the device and what shares its blocks ---- */

/* The device itself, its partitions, and the disk it is a partition of. */
struct family {
	dev_t device;
	size_t count;
	dev_t *members;
};

static void family_done(struct family *family)
{
	free(family->members);
}

static int family_add(struct family *family, dev_t member)
{
	dev_t *grown = reallocarray(family->members, family->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	grown[family->count++] = member;
	family->members = grown;
	return 0;
}

static bool family_has(const struct family *family, dev_t device)
{
	for (size_t i = 0; i < family->count; i++)
		if (family->members[i] == device)
			return true;
	return false;
}

static int add_partition(struct family *family, const char *name)
{
	unsigned int part_major, part_minor;
	char leaf[300], text[32];
	uint64_t number;
	int r;

	(void)snprintf(leaf, sizeof(leaf), "%s/partition", name);
	r = system_block_number(family->device, leaf, &number);
	if (r < 0)
		return r == -ENOENT || r == -ENOTDIR ? 0 : r;
	(void)snprintf(leaf, sizeof(leaf), "%s/dev", name);
	r = system_block_line(family->device, leaf, text, sizeof(text));
	if (r < 0)
		return r;
	if (sscanf(text, "%u:%u", &part_major, &part_minor) != 2)
		return -EBADMSG;
	return family_add(family, makedev(part_major, part_minor));
}

static int family_find(dev_t device, struct family *family)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	dev_t disk;
	DIR *dir;
	int r;

	*family = (struct family){.device = device};
	r = family_add(family, device);
	if (r == 0)
		r = system_block_disk(device, &disk);
	if (r == 0 && disk != device)
		r = family_add(family, disk);
	if (r < 0)
		return r;
	dir = opendir(system_block_path(device, ".", path, sizeof(path)));
	if (!dir)
		return -errno;
	for (;;) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			r = -errno;
			break;
		}
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			r = add_partition(family, entry->d_name);
		if (r < 0)
			break;
	}
	(void)closedir(dir); /* only read */
	return r;
}

/* ---- in use ---- */

struct use {
	const struct family *family;
	char shown[PLACE_SHOWN]; /* the path */
	struct error *err;
};

/* " (its partition sda1)" or "" for the device itself. */
static const char *which(const struct use *use, dev_t device, char buffer[96])
{
	char name[SYSTEM_NAME_MAX];

	buffer[0] = '\0';
	if (device != use->family->device && system_block_name(device, name) == 0)
		(void)snprintf(buffer, 96, " (as %s)", name);
	return buffer;
}

static bool is_member_path(const struct use *use, const char *path, dev_t *ret_device)
{
	struct stat st;

	if (path[0] != '/' || stat(path, &st) < 0 || !S_ISBLK(st.st_mode) ||
	    !family_has(use->family, st.st_rdev))
		return false;
	*ret_device = st.st_rdev;
	return true;
}

/* btrfs and others mount under a number of their own: their source tells the device. */
static int check_mount(void *arg, const struct system_mount *mount)
{
	const struct use *use = arg;
	dev_t device = mount->device;
	char part[96], point[PLACE_SHOWN];

	if (!family_has(use->family, device) && (strncmp(mount->source, "/dev/", 5) != 0 ||
						 !is_member_path(use, mount->source, &device)))
		return 0;
	return error_set(use->err, ERROR_TARGET_BUSY, "", "%s%s is mounted on %s", use->shown,
			 which(use, device, part), text_clean(mount->point, point, sizeof(point)));
}

static int check_swaps(const struct use *use)
{
	AUTO_FREE char *text = NULL;
	char *rest, *line, part[96];
	dev_t device;
	int r;

	r = system_text("/proc/swaps", &text);
	if (r == -ENOENT) /* a kernel without swap */
		return 0;
	if (r < 0)
		return error_set_sys(use->err, ERROR_TARGET_BUSY, -r, "/proc/swaps");
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t")] = '\0';
		system_unescape(line);
		if (is_member_path(use, line, &device))
			return error_set(use->err, ERROR_TARGET_BUSY, "", "%s%s is in use as swap",
					 use->shown, which(use, device, part));
	}
	return 0;
}

/* The first entry of a directory but "." and ".."; 0 and "" where there is none. */
static int first_entry(const char *path, char *buffer, size_t size)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int r;

	buffer[0] = '\0';
	if (!dir)
		return -errno;
	do {
		errno = 0;
		entry = readdir(dir);
	} while (entry && entry->d_name[0] == '.');
	r = entry ? 0 : -errno;
	if (entry)
		text_clean(entry->d_name, buffer, size);
	(void)closedir(dir); /* only read */
	return r;
}

static int check_holders(const struct use *use)
{
	char path[PATH_BYTES], holder[SYSTEM_NAME_MAX], part[96];

	for (size_t i = 0; i < use->family->count; i++) {
		dev_t member = use->family->members[i];
		int r = first_entry(system_block_path(member, "holders", path, sizeof(path)),
				    holder, sizeof(holder));

		if (r < 0)
			return error_set_sys(use->err, ERROR_TARGET_BUSY, -r,
					     "whether %s is held cannot be told: %s", use->shown,
					     path);
		if (holder[0])
			return error_set(use->err, ERROR_TARGET_BUSY, "",
					 "%s%s is held by %s (LVM, RAID, encryption or the like)",
					 use->shown, which(use, member, part), holder);
	}
	return 0;
}

/* Both paths name one file: loop devices over it share their blocks. */
static bool same_file(const char *a, const char *b)
{
	struct stat one, other;

	if (strcmp(a, b) == 0)
		return true;
	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* The loop device the target is (or is a partition of); "" for none. */
struct own_loop {
	char name[SYSTEM_NAME_MAX], backing[4096];
};

static void find_own_loop(dev_t device, struct own_loop *own)
{
	dev_t disk;

	if (system_block_disk(device, &disk) < 0 || system_block_name(disk, own->name) < 0 ||
	    system_block_line(disk, "loop/backing_file", own->backing, sizeof(own->backing)) < 0)
		own->backing[0] = '\0';
}

static int check_loop(const struct use *use, const char *loop, const struct own_loop *own)
{
	char path[PATH_BYTES], backing[4096], part[96];
	dev_t device;

	(void)snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", loop);
	if (system_line(path, backing, sizeof(backing)) < 0)
		return 0; /* not attached */
	if (is_member_path(use, backing, &device))
		return error_set(use->err, ERROR_TARGET_BUSY, "",
				 "%s%s is the backing of the loop device %s", use->shown,
				 which(use, device, part), loop);
	if (own->backing[0] && strcmp(own->name, loop) != 0 && same_file(own->backing, backing))
		return error_set(use->err, ERROR_TARGET_BUSY, "",
				 "%s has the same backing file as the loop device %s", use->shown,
				 loop);
	return 0;
}

static int check_loops(const struct use *use)
{
	struct own_loop own;
	struct dirent *entry;
	DIR *dir;
	int r = 0;

	find_own_loop(use->family->device, &own);
	dir = opendir("/sys/block");
	if (!dir)
		return error_set_sys(use->err, ERROR_TARGET_BUSY, errno, "/sys/block");
	while (r == 0) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			if (errno)
				r = error_set_sys(use->err, ERROR_TARGET_BUSY, errno, "/sys/block");
			break;
		}
		if (strncmp(entry->d_name, "loop", 4) == 0)
			r = check_loop(use, entry->d_name, &own);
	}
	(void)closedir(dir); /* only read */
	return r;
}

int safety_not_busy(dev_t device, const char *path, struct error *err)
{
	struct use use = {.err = err};
	struct family family;
	int r;

	text_clean(path, use.shown, sizeof(use.shown));
	r = family_find(device, &family);
	use.family = &family;
	if (r < 0) {
		r = error_set_sys(err, ERROR_TARGET_BUSY, -r, "whether %s is in use cannot be told",
				  use.shown);
	} else {
		r = system_each_mount(check_mount, &use);
		if (r < 0 && err && err->code != ERROR_TARGET_BUSY)
			r = error_set_sys(err, ERROR_TARGET_BUSY, -r, "/proc/self/mountinfo");
	}
	if (r == 0)
		r = check_swaps(&use);
	if (r == 0)
		r = check_holders(&use);
	if (r == 0)
		r = check_loops(&use);
	family_done(&family);
	return r;
}

/* ---- signatures ---- */

static int signature_found(blkid_probe probe, int result, const char *path, struct error *err)
{
	const char *type = NULL, *kind = "a";
	char shown[PLACE_SHOWN];

	text_clean(path, shown, sizeof(shown));
	if (result == -2)
		return error_set(err, ERROR_TARGET_HAS_SIGNATURE, "",
				 "%s has several signatures; what lies on it is not clear", shown);
	if (result != 0)
		return error_set(err, ERROR_TARGET_HAS_SIGNATURE, "",
				 "whether %s has a signature cannot be told", shown);
	if (blkid_probe_lookup_value(probe, "TYPE", &type, NULL) < 0 &&
	    blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL) == 0)
		kind = "a partition table of type";
	return error_set(err, ERROR_TARGET_HAS_SIGNATURE, "",
			 "%s holds %s %s; to overwrite it give its fingerprint", shown, kind,
			 type ? type : "something libblkid knows");
}

static int check_signature(int fd, const char *path, struct error *err)
{
	blkid_probe probe = blkid_new_probe();
	int r = -1;

	if (!probe)
		return signature_found(NULL, r, path, err);
	if (blkid_probe_set_device(probe, fd, 0, 0) == 0 &&
	    blkid_probe_enable_superblocks(probe, 1) == 0 &&
	    blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE |
							     BLKID_SUBLKS_MAGIC) == 0 &&
	    blkid_probe_enable_partitions(probe, 1) == 0 &&
	    blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC) == 0)
		r = blkid_do_safeprobe(probe);
	/* 1 alone means that there is none. */
	r = r == 1 ? 0 : signature_found(probe, r, path, err);
	blkid_free_probe(probe);
	return r;
}

int safety_unsigned(int fd, dev_t device, const char *path, struct error *err)
{
	char shown[PLACE_SHOWN];
	struct family family;
	size_t partitions;
	dev_t disk;
	int r;

	text_clean(path, shown, sizeof(shown));
	r = family_find(device, &family);
	partitions = family.count - 1;
	family_done(&family);
	if (r == 0)
		r = system_block_disk(device, &disk);
	if (r < 0)
		return error_set_sys(err, ERROR_TARGET_HAS_SIGNATURE, -r,
				     "whether %s has partitions cannot be told", shown);
	if (disk == device && partitions > 0)
		return error_set(err, ERROR_TARGET_HAS_SIGNATURE, "",
				 "%s has %zu partitions; to overwrite them give its fingerprint",
				 shown, partitions);
	return check_signature(fd, path, err);
}

/* ---- blank ---- */

static bool is_zero(const unsigned char *data, size_t size)
{
	return size == 0 || (data[0] == 0 && memcmp(data, data + 1, size - 1) == 0);
}

static int check_zero(int fd, uint64_t offset, size_t size, unsigned char *buffer, const char *path,
		      struct error *err)
{
	char shown[PLACE_SHOWN];
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, buffer + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_set_sys(err, ERROR_TARGET_NOT_BLANK, got < 0 ? errno : EIO,
					     "whether %s is blank cannot be told",
					     text_clean(path, shown, sizeof(shown)));
		done += (size_t)got;
	}
	if (is_zero(buffer, size))
		return 0;
	return error_set(err, ERROR_TARGET_NOT_BLANK, "",
			 "%s is not blank (data near byte %llu); to overwrite it give its "
			 "fingerprint",
			 text_clean(path, shown, sizeof(shown)), (unsigned long long)offset);
}

static int check_samples(int fd, uint64_t size_bytes, unsigned char *buffer, const char *path,
			 struct error *err)
{
	uint64_t random[SAMPLES_RANDOM] = {0};
	uint64_t blocks = size_bytes / SAMPLE_BYTES;
	int r = 0;

	for (uint64_t i = 0; i < SAMPLES_EVEN && r == 0; i++) {
		uint64_t block =
			blocks / SAMPLES_EVEN * i + blocks % SAMPLES_EVEN * i / SAMPLES_EVEN;

		r = check_zero(fd, block * SAMPLE_BYTES, SAMPLE_BYTES, buffer, path, err);
	}
	if (r == 0 && getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return error_set_sys(err, ERROR_TARGET_NOT_BLANK, EIO, "random numbers");
	for (size_t i = 0; i < SAMPLES_RANDOM && r == 0; i++)
		r = check_zero(fd, random[i] % blocks * SAMPLE_BYTES, SAMPLE_BYTES, buffer, path,
			       err);
	return r;
}

int safety_blank(int fd, uint64_t size_bytes, const char *path, struct error *err)
{
	uint64_t edge = size_bytes < EDGE_BYTES ? size_bytes : EDGE_BYTES;
	AUTO_FREE unsigned char *buffer = malloc(EDGE_BYTES);
	int r;

	if (!buffer)
		return error_no_memory(err);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* only speed is at stake */
	r = check_zero(fd, 0, edge, buffer, path, err);
	if (r == 0)
		r = check_zero(fd, size_bytes - edge, edge, buffer, path, err);
	if (r == 0 && size_bytes > 2 * EDGE_BYTES)
		r = check_samples(fd, size_bytes, buffer, path, err);
	return r;
}

int safety_blank_part(int fd, uint64_t first, uint64_t bytes, const char *path,
		      bool (*step)(void *arg), void *arg, struct error *err)
{
	AUTO_FREE unsigned char *buffer = malloc(EDGE_BYTES);
	int r = 0;

	if (!buffer)
		return error_set_sys(err, ERROR_TARGET_NOT_BLANK, ENOMEM, "reading the device");
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* only speed is at stake */
	for (uint64_t at = 0; at < bytes && r == 0; at += EDGE_BYTES) {
		size_t piece = bytes - at < EDGE_BYTES ? (size_t)(bytes - at) : EDGE_BYTES;

		if (step && !step(arg))
			return -ECANCELED;
		r = check_zero(fd, first + at, piece, buffer, path, err);
		/* Nor is the page cache filled with zeros. */
		(void)posix_fadvise(fd, (off_t)(first + at), (off_t)piece, POSIX_FADV_DONTNEED);
	}
	return r;
}
