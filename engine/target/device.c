/* SPDX-License-Identifier: GPL-3.0-or-later */
/* device.c - see device.h. */
#include "engine/target/device.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/target/place.h"
#include "engine/target/safety.h"
#include "engine/target/system.h"

#define SECTOR_BYTES 512
#define PART_BYTES 80 /* of a fingerprint's path and serial; longer ones are hashed */
/* After kill -9 with writes in flight a device stays busy until the last of them has ended. */
#define BUSY_WAIT_NS (5 * NS_PER_S)
#define BUSY_POLL_MS 20

/* ---- facts ---- */

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/ (public domain). A name for a long
 * text, no secret. */
static uint64_t hash(const char *text)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return value;
}

/* One word of a fingerprint: printable ASCII without blanks, "-" for nothing. */
static void make_word(const char *text, char word[PART_BYTES])
{
	size_t at = 0;

	if (strlen(text) >= PART_BYTES) {
		(void)snprintf(word, PART_BYTES, "fnv1a:%016" PRIx64, hash(text));
		return;
	}
	for (; *text; text++)
		if (at > 0 || *text != ' ') /* serials are padded with blanks */
			word[at++] = isgraph((unsigned char)*text) || *text == ' ' ? *text : '_';
	while (at > 0 && word[at - 1] == ' ')
		at--;
	for (size_t i = 0; i < at; i++)
		if (word[i] == ' ')
			word[i] = '_';
	if (at == 0)
		word[at++] = '-';
	word[at] = '\0';
}

/* What names the very piece of hardware, or what lies behind a virtual one. */
static void find_serial(dev_t disk, char word[PART_BYTES])
{
	static const char *const leaves[] = {"serial",		 "device/serial", "wwid",
					     "device/wwid",	 "dm/uuid",	  "md/uuid",
					     "loop/backing_file"};
	char line[4096];

	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++) {
		if (system_block_line(disk, leaves[i], line, sizeof(line)) < 0)
			continue;
		make_word(line, word);
		if (strcmp(word, "-") != 0)
			return;
	}
	make_word("", word);
}

static int make_fingerprint(dev_t device, dev_t disk, struct target_info *info)
{
	char node[SYSTEM_NAME_MAX + 8], path[PART_BYTES], serial[PART_BYTES], sequence[32];

	(void)snprintf(node, sizeof(node), "/dev/%s", info->device); /* fits */
	make_word(node, path);
	find_serial(disk, serial);
	if (system_block_line(disk, "diskseq", sequence, sizeof(sequence)) < 0)
		(void)snprintf(sequence, sizeof(sequence), "-"); /* before Linux 5.15 */
	if (snprintf(info->fingerprint, sizeof(info->fingerprint), "%s %u:%u %" PRIu64 " %s %s",
		     path, major(device), minor(device), info->size_bytes, serial,
		     sequence) >= (int)sizeof(info->fingerprint))
		return -ENAMETOOLONG;
	return 0;
}

int device_describe(dev_t device, struct target_info *info, struct error *err)
{
	uint64_t sectors = 0, block = 0, discard = 0;
	char shown[PLACE_SHOWN];
	dev_t disk;
	int r;

	info->kind = TARGET_DEVICE;
	info->device_number = device;
	info->direct = true;
	info->nowait = info->polled = true; /* until it is opened and asked */
	r = system_block_name(device, info->device);
	if (r == -ENOENT)
		return error_set(err, ERROR_TARGET_MISSING, "",
				 "%s is a node without a device behind it",
				 text_clean(info->path, shown, sizeof(shown)));
	if (r == 0)
		r = system_block_disk(device, &disk);
	if (r == 0)
		r = system_block_number(device, "size", &sectors);
	if (r == 0)
		r = system_block_number(disk, "queue/logical_block_size", &block);
	/* A kernel that does not say has no discards. */
	info->discards = r == 0 &&
			 system_block_number(disk, "queue/discard_max_bytes", &discard) == 0 &&
			 discard > 0;
	if (r == 0 && (__builtin_mul_overflow(sectors, (uint64_t)SECTOR_BYTES, &info->size_bytes) ||
		       block == 0 || block > UINT32_MAX))
		r = -ERANGE;
	info->logical_block_bytes = (unsigned int)block;
	if (r == 0)
		r = make_fingerprint(device, disk, info);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "facts of the device %s",
				     text_clean(info->path, shown, sizeof(shown)));
	return 0;
}

/* ---- the claim ---- */

/* -EBUSY where anyone else has claimed it, or is changing it under a lock (udev, sfdisk). */
static int claim_once(int path_fd, bool lock, int *ret_claim)
{
	AUTO_CLOSE int fd = -1;
	int r;

	r = place_reopen(path_fd, O_RDONLY | O_EXCL, &fd);
	if (r < 0)
		return r;
	/* Holding this lock keeps udev from reading the device each time we close it. */
	if (lock && flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	*ret_claim = TAKE_FD(fd);
	return 0;
}

static int claim(int path_fd, bool keep, const struct target_info *info, int *ret_claim,
		 struct error *err)
{
	uint64_t deadline_ns = clock_now_ns() + (keep ? BUSY_WAIT_NS : 0);
	char shown[PLACE_SHOWN];
	int r;

	for (;;) {
		r = claim_once(path_fd, keep, ret_claim);
		if (r != -EBUSY || clock_now_ns() >= deadline_ns)
			break;
		(void)poll(NULL, 0, BUSY_POLL_MS); /* the kernel gives no notice of it */
	}
	text_clean(info->path, shown, sizeof(shown));
	switch (-r) {
	case 0:
		return 0;
	case EBUSY:
		return error_set(err, ERROR_TARGET_BUSY, "",
				 "%s is in use: something has claimed it or one of its partitions",
				 shown);
	case ENXIO:
	case ENODEV:
	case ENOMEDIUM:
		return error_set(err, ERROR_TARGET_MISSING, "", "%s has no medium", shown);
	default:
		return error_set_sys(err, ERROR_SYSTEM, -r, "opening %s", shown);
	}
}

int device_claim(int path_fd, const struct target_info *info, int *ret_claim, struct error *err)
{
	return claim(path_fd, true, info, ret_claim, err);
}

/* ---- checks ---- */

static int check_fingerprint(const struct target_spec *spec, const struct target_info *info,
			     struct error *err)
{
	char shown[PLACE_SHOWN];

	if (!spec->fingerprint || strcmp(spec->fingerprint, info->fingerprint) == 0)
		return 0;
	return error_set(err, ERROR_FINGERPRINT_MISMATCH, "",
			 "the fingerprint is not that of %s, which is \"%s\"; make sure that it is "
			 "the device you mean",
			 text_clean(info->path, shown, sizeof(shown)), info->fingerprint);
}

static int check_read_only(int claim, const struct target_info *info, struct error *err)
{
	char shown[PLACE_SHOWN];
	uint64_t flag = 0;
	int read_only = 0, r;

	/* A read-only loop device may be opened for writing without complaint. */
	if (claim >= 0)
		r = ioctl(claim, BLKROGET, &read_only) < 0 ? -errno : 0;
	else
		r = system_block_number(info->device_number, "ro", &flag);
	text_clean(info->path, shown, sizeof(shown));
	if (r < 0)
		return error_set_sys(err, ERROR_TARGET_READ_ONLY, -r,
				     "whether %s is read-only cannot be told", shown);
	if (read_only || flag)
		return error_set(err, ERROR_TARGET_READ_ONLY, "",
				 "%s is read-only; use it with \"existing\": true and workloads "
				 "that only read",
				 shown);
	return 0;
}

static int check_size(const struct target_need *need, const struct target_info *info,
		      struct error *err)
{
	char shown[PLACE_SHOWN];

	if (info->size_bytes > 0 && need->bytes <= info->size_bytes)
		return 0;
	text_clean(info->path, shown, sizeof(shown));
	if (info->size_bytes == 0)
		return error_set(err, ERROR_TARGET_TOO_SMALL, "",
				 "%s has no size: nothing is attached", shown);
	return error_set(err, ERROR_TARGET_TOO_SMALL, "",
			 "%s has %" PRIu64 " bytes and the workloads reach %" PRIu64
			 "; lower size, offset or numjobs",
			 shown, info->size_bytes, need->bytes);
}

/* Steps 5 and 6; claim -1: without opening. */
static int check_contents(int claim, const struct target_spec *spec, const struct target_need *need,
			  const struct target_info *info, struct error *err)
{
	int r = check_fingerprint(spec, info, err);

	if (r == 0 && need->writes)
		r = check_read_only(claim, info, err);
	/* Nothing attached: there is nothing to look at. */
	if (r == 0 && need->writes && !spec->fingerprint && claim >= 0 && info->size_bytes > 0)
		r = safety_unsigned(claim, info->device_number, info->path, err);
	if (r == 0 && need->writes && !spec->fingerprint && claim >= 0 && info->size_bytes > 0)
		r = safety_blank(claim, info->size_bytes, info->path, err);
	return r < 0 ? r : check_size(need, info, err);
}

int device_check(int path_fd, const struct target_spec *spec, const struct target_need *need,
		 enum device_check how, struct target_info *info, int *ret_claim, struct error *err)
{
	AUTO_CLOSE int held = -1;
	int r;

	r = safety_not_busy(info->device_number, info->path, err);
	if (r < 0)
		return r;
	info->checked = how != DEVICE_LOOK;
	if (how == DEVICE_LOOK)
		return check_contents(-1, spec, need, info, err);
	r = claim(path_fd, how == DEVICE_CLAIM, info, &held, err);
	if (r < 0)
		return r;
	/* Again: a loop device or a swap may have come while the claim was waited for. */
	r = safety_not_busy(info->device_number, info->path, err);
	if (r == 0)
		r = check_contents(held, spec, need, info, err);
	if (r < 0)
		return r;
	info->nowait = measure_nowait(held);
	info->polled = measure_polled(held);
	if (how == DEVICE_CLAIM)
		*ret_claim = TAKE_FD(held);
	return 0;
}
