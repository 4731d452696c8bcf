/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_device.c - block devices as targets, on loop devices over images that must not change by a
 * byte where they are refused. Needs root; without, or without loop devices, it is skipped and
 * says so.
 *
 * Length: the makers of images and the loop devices serve every test.
 *
 * link: -Wl,--wrap=poll,--wrap=clock_now_ns,--wrap=blkid_do_safeprobe
 */
#include "engine/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/loop.h>
#include <poll.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/wait.h>

#include <blkid.h>
#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/target/manifest.h"

#define IMAGE_BYTES ((size_t)24 << 20)
#define POOL_BYTES ((size_t)65 << 20) /* the least libblkid takes for a pool's member */
#define LOOPS_MAX 4

/* TOP/state, TOP/image, TOP/mount; loops attached by a test are detached at its end. */
static char top[64];
static int state_fd = -1;
static struct manifest *manifest;
static struct target_making making; /* with that manifest */
static struct {
	int fd;
	char path[64];
} loops[LOOPS_MAX];
static size_t loop_count;
static size_t image_bytes = IMAGE_BYTES; /* back to this after each image */

static char *in(const char *rest)
{
	static char buffer[64][512];
	static unsigned int next;
	char *path = buffer[next++ % ARRAY_SIZE(buffer)];

	(void)snprintf(path, sizeof(buffer[0]), "%s/%s", top, rest);
	return path;
}

/* ---- waiting, without the time it takes ---- */

static int held_fd = -1;	       /* closed at the poll of this number */
static unsigned int polls, release_at; /* 0: never */

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	(void)fds;
	(void)count;
	(void)timeout;
	if (++polls == release_at) {
		(void)close(held_fd);
		held_fd = -1;
	}
	return 0;
}

/* A tenth of a second a poll. */
uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void)
{
	return NS_PER_S + polls * (NS_PER_S / 10);
}

/* ---- libblkid's answer ---- */

static int forced_answer = 2; /* 2: its own */

int __real_blkid_do_safeprobe(blkid_probe probe);
int __wrap_blkid_do_safeprobe(blkid_probe probe);
int __wrap_blkid_do_safeprobe(blkid_probe probe)
{
	return forced_answer == 2 ? __real_blkid_do_safeprobe(probe) : forced_answer;
}

/* ---- images and loops ---- */

static unsigned char *image(void)
{
	unsigned char *data = calloc(1, image_bytes);

	assert_non_null(data);
	return data;
}

/* Takes the data. */
static void write_image(const char *name, unsigned char *data)
{
	int fd = open(in(name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	for (size_t at = 0; at < image_bytes;) {
		ssize_t written = write(fd, data + at, image_bytes - at);

		assert_true(written > 0);
		at += (size_t)written;
	}
	(void)close(fd);
	free(data);
}

static unsigned char *read_image(const char *name)
{
	unsigned char *data = image();
	int fd = open(in(name), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	for (size_t at = 0; at < image_bytes;) {
		ssize_t got = read(fd, data + at, image_bytes - at);

		assert_true(got > 0);
		at += (size_t)got;
	}
	(void)close(fd);
	return data;
}

/* The path of a loop device over a file or device; valid to the end of the test. */
static char *attach(const char *path, unsigned int flags)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int backing = open(path, ((flags & LO_FLAGS_READ_ONLY) ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	struct loop_config config = {.fd = (unsigned int)backing, .info.lo_flags = flags};
	int number, fd = -1;

	assert_true(control >= 0 && backing >= 0 && loop_count < LOOPS_MAX);
	for (int tries = 0; tries < 100; tries++) { /* others take free ones as well */
		number = ioctl(control, LOOP_CTL_GET_FREE);
		assert_true(number >= 0);
		(void)snprintf(loops[loop_count].path, sizeof(loops[0].path), "/dev/loop%d",
			       number);
		/* Through a descriptor that cannot write, the loop device would be read-only. */
		fd = open(loops[loop_count].path,
			  ((flags & LO_FLAGS_READ_ONLY) ? O_RDONLY : O_RDWR) | O_CLOEXEC);
		assert_true(fd >= 0);
		if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
			break;
		assert_int_equal(errno, EBUSY);
		(void)close(fd);
		fd = -1;
	}
	assert_true(fd >= 0);
	(void)close(control);
	(void)close(backing);
	loops[loop_count].fd = fd;
	return loops[loop_count++].path;
}

static void detach_all(void)
{
	while (loop_count > 0) {
		loop_count--;
		(void)ioctl(loops[loop_count].fd, LOOP_CLR_FD, 0);
		(void)close(loops[loop_count].fd);
	}
}

static const char *unavailable(void)
{
	if (geteuid() != 0)
		return "loop devices need root";
	if (access("/dev/loop-control", R_OK | W_OK) < 0)
		return "no /dev/loop-control here";
	return NULL;
}

static bool skipped(void)
{
	const char *why = unavailable();

	if (why)
		print_message("skipped: %s\n", why);
	return why != NULL;
}

#define SKIP_WITHOUT_LOOPS()                                                                       \
	do {                                                                                       \
		if (skipped())                                                                     \
			skip();                                                                    \
	} while (0)

static int begin(void **state)
{
	(void)state;
	image_bytes = IMAGE_BYTES;
	forced_answer = 2;
	(void)snprintf(top, sizeof(top), "/var/tmp/volbench-test-device-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	assert_int_equal(mkdir(in("state"), 0700), 0);
	assert_int_equal(mkdir(in("mount"), 0700), 0);
	state_fd = open(in("state"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (manifest_new(state_fd, "run", &manifest) < 0)
		return -1;
	making = (struct target_making){.run_id = "run", .manifest = manifest};
	return 0;
}

/* Runs after a failed test as well. */
static int end(void **state)
{
	int parent = open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	(void)state;
	(void)umount2(in("mount"), MNT_DETACH);
	for (size_t i = 0; i < loop_count; i++)
		(void)swapoff(loops[i].path);
	detach_all();
	manifest_free(manifest);
	(void)close(state_fd);
	r = file_remove_tree(parent, strrchr(top, '/') + 1);
	(void)close(parent);
	return r;
}

extern char **environ;

/* False where the program is not installed. */
static bool run(const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	int status, r;
	pid_t pid;

	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	(void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	(void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	r = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (r != 0)
		return false;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return false;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s failed", argv[0]);
	return true;
}

/* ---- what may lie on an image ---- */

static bool make_ext4(void)
{
	const char *const argv[] = {"mkfs.ext4", "-q", "-F", in("image"), NULL};

	write_image("image", image());
	return run(argv);
}

static bool make_swap(void)
{
	const char *const argv[] = {"mkswap", in("image"), NULL};

	write_image("image", image());
	return run(argv);
}

/* Each of these leaves its mark and random data nowhere else. */
static bool make_luks(void)
{
	static const char mark[] = "LUKS\xba\xbe\0\1aes\0";
	unsigned char *data = image();

	memcpy(data, mark, sizeof(mark));
	memcpy(data + 168, "00112233-4455-6677-8899-aabbccddeeff", 36);
	write_image("image", data);
	return true;
}

static bool make_dos(void)
{
	static const unsigned char entry[16] = {0, 0x20, 0x21, 0, 0x83, 0, 0, 0,
						0, 8,	 0,    0, 0,	4, 0, 0};
	unsigned char *data = image();

	memcpy(data + 446, entry, sizeof(entry));
	data[510] = 0x55;
	data[511] = 0xaa;
	write_image("image", data);
	return true;
}

/* CRC-32 as GPT uses it (reflected, polynomial 0xedb88320). */
static uint32_t crc32(const unsigned char *data, size_t size)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < size; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ ((crc & 1) ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

static void put_number(unsigned char *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

/* A header at its sector, the entries at theirs: UEFI 2.9, 5.3.2. */
static void put_gpt_header(unsigned char *data, uint64_t sector, uint64_t other, uint64_t entries)
{
	unsigned char *header = data + sector * 512;
	uint64_t last = IMAGE_BYTES / 512 - 1;

	memcpy(header, "EFI PART\0\0\1\0", 12);
	put_number(header + 12, 92, 4);
	put_number(header + 24, sector, 8);
	put_number(header + 32, other, 8);
	put_number(header + 40, 34, 8);
	put_number(header + 48, last - 33, 8);
	memset(header + 56, 0x11, 16);
	put_number(header + 72, entries, 8);
	put_number(header + 80, 128, 4);
	put_number(header + 84, 128, 4);
	put_number(header + 88, crc32(data + entries * 512, 128 * 128), 4);
	put_number(header + 16, crc32(header, 92), 4);
}

/* Two blank partitions of 4 MiB. */
static bool make_gpt(void)
{
	static const unsigned char linux_data[16] = {0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84,
						     0x72, 0x47, 0x8e, 0x79, 0x3d, 0x69,
						     0xd8, 0x47, 0x7d, 0xe4};
	uint64_t last = IMAGE_BYTES / 512 - 1;
	unsigned char *data = image(), *entry;

	data[446 + 4] = 0xee; /* the protective table */
	put_number(data + 446 + 8, 1, 4);
	put_number(data + 446 + 12, last, 4);
	data[510] = 0x55;
	data[511] = 0xaa;
	for (uint64_t i = 0; i < 2; i++) {
		entry = data + 1024 + i * 128;
		memcpy(entry, linux_data, sizeof(linux_data));
		memset(entry + 16, (int)(0x22 + i), 16);
		put_number(entry + 32, 2048 + i * 8192, 8);
		put_number(entry + 40, 2048 + i * 8192 + 8191, 8);
	}
	memcpy(data + (last - 32) * 512, data + 1024, 32 * 512);
	put_gpt_header(data, 1, last, 2);
	put_gpt_header(data, last, 1, last - 32);
	write_image("image", data);
	return true;
}

/* The uberblocks of a pool's member, in its first two labels. */
static bool make_zfs(void)
{
	static const unsigned char mark[8] = {0x0c, 0xb1, 0xba, 0, 0, 0, 0, 0};
	unsigned char *data;

	image_bytes = POOL_BYTES;
	data = image();
	for (size_t label = 0; label < 2; label++)
		for (size_t i = 0; i < 8; i++)
			memcpy(data + label * 262144 + 131072 + i * 1024, mark, sizeof(mark));
	write_image("image", data);
	return true;
}

static bool make_two(void)
{
	unsigned char *data;

	if (!make_ext4())
		return false;
	data = read_image("image");
	memcpy(data, "XFSB", 4);
	memcpy(data + 4086, "SWAPSPACE2", 10);
	write_image("image", data);
	return true;
}

static bool make_random(void)
{
	unsigned char *data = image();

	for (size_t at = 0; at < IMAGE_BYTES; at += 256)
		assert_int_equal(getrandom(data + at, 256, 0), 256);
	write_image("image", data);
	return true;
}

static bool make_byte_at(size_t at)
{
	unsigned char *data = image();

	data[at] = 1;
	write_image("image", data);
	return true;
}

static bool make_first_byte(void)
{
	return make_byte_at(100000);
}

static bool make_last_byte(void)
{
	return make_byte_at(IMAGE_BYTES - 1);
}

/* Text every 64 KiB between the edges: every seventh block or so of the sampled ones sees it. */
static bool make_scattered(void)
{
	unsigned char *data = image();

	for (size_t at = 2 << 20; at < IMAGE_BYTES - (2 << 20); at += 4096)
		if (at / 4096 % 3 == 0)
			memcpy(data + at, "text", 4);
	write_image("image", data);
	return true;
}

static bool make_blank(void)
{
	write_image("image", image());
	return true;
}

/* ---- trying ---- */

static const struct target_need writing = {
	.bytes = 4 << 20, .files = 1, .writes = true, .direct = true};
static const struct target_need reading = {.bytes = 4 << 20, .files = 1, .direct = true};

static struct allow *allow_one(const char *path)
{
	struct allow *allow = NULL;

	assert_int_equal(allow_new(&path, 1, &allow, NULL), 0);
	return allow;
}

/* ERROR_NONE: accepted. Looks, and makes where `make`. */
static void expect(const struct target_spec *spec, const struct target_need *need, bool make,
		   enum error_code code)
{
	struct allow *allow = allow_one("/dev");
	struct target *target = NULL;
	struct target_info info;
	struct error err = {0};
	int r;

	r = target_inspect(allow, spec, need, false, &info, NULL, &err);
	if (err.code != code || (r == 0) != (code == ERROR_NONE))
		fail_msg("%s: %s: %s", spec->path, error_code_text(err.code), err.message);
	if (make) {
		err = (struct error){0};
		r = target_create(allow, spec, need, &making, &target, &err);
		if (err.code != code || (r == 0) != (code == ERROR_NONE))
			fail_msg("%s: %s: %s", spec->path, error_code_text(err.code), err.message);
		target_free(target);
	}
	allow_free(allow);
}

static void fingerprint_of(char *path, char *buffer, size_t size)
{
	struct target_spec spec = {.kind = TARGET_DEVICE, .path = path, .existing = true};
	struct allow *allow = allow_one(path);
	struct target_info info;

	assert_int_equal(target_inspect(allow, &spec, &reading, true, &info, NULL, NULL), 0);
	assert_true(info.fingerprint[0]);
	(void)snprintf(buffer, size, "%s", info.fingerprint);
	allow_free(allow);
}

static void assert_unchanged(const unsigned char *before)
{
	unsigned char *after;

	sync(); /* what was written to the loop device reaches the image */
	after = read_image("image");
	assert_memory_equal(before, after, image_bytes);
	free(after);
}

static void test_contents(void **state)
{
	static const struct {
		const char *name;
		bool (*make)(void);
		enum error_code code;
	} all[] = {
		{"ext4", make_ext4, ERROR_TARGET_HAS_SIGNATURE},
		{"swap", make_swap, ERROR_TARGET_HAS_SIGNATURE},
		{"LUKS", make_luks, ERROR_TARGET_HAS_SIGNATURE},
		{"DOS table", make_dos, ERROR_TARGET_HAS_SIGNATURE},
		{"GPT", make_gpt, ERROR_TARGET_HAS_SIGNATURE},
		{"ZFS label", make_zfs, ERROR_TARGET_HAS_SIGNATURE},
		{"two signatures", make_two, ERROR_TARGET_HAS_SIGNATURE},
		{"random", make_random, ERROR_TARGET_NOT_BLANK},
		{"a byte near the start", make_first_byte, ERROR_TARGET_NOT_BLANK},
		{"the last byte", make_last_byte, ERROR_TARGET_NOT_BLANK},
		{"scattered text", make_scattered, ERROR_TARGET_NOT_BLANK},
		{"blank", make_blank, ERROR_NONE},
	};

	(void)state;
	SKIP_WITHOUT_LOOPS();
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		char fingerprint[256], wrong[260];
		struct target_spec spec = {.kind = TARGET_DEVICE};
		unsigned char *before;

		if (!all[i].make()) {
			print_message("left out: no program to make %s\n", all[i].name);
			continue;
		}
		print_message("%s\n", all[i].name);
		before = read_image("image");
		spec.path = attach(in("image"), 0);
		expect(&spec, &writing, true, all[i].code);
		/* Reading what is there is harmless. */
		spec.existing = true;
		expect(&spec, &reading, true, ERROR_NONE);
		expect(&spec, &writing, true, ERROR_FILE_EXISTS);
		spec.existing = false;
		/* The override is the device's own fingerprint and no other. */
		fingerprint_of(spec.path, fingerprint, sizeof(fingerprint));
		spec.fingerprint = fingerprint;
		expect(&spec, &writing, true, ERROR_NONE);
		(void)snprintf(wrong, sizeof(wrong), "%s0", fingerprint);
		spec.fingerprint = wrong;
		expect(&spec, &writing, true, ERROR_FINGERPRINT_MISMATCH);
		assert_unchanged(before);
		free(before);
		detach_all();
		image_bytes = IMAGE_BYTES;
	}
}

/* Found, failed, ambivalent: on a blank device, only "nothing found" lets it through. */
static void test_answers(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), 0);
	for (forced_answer = -2; forced_answer < 1; forced_answer++)
		expect(&spec, &writing, true, ERROR_TARGET_HAS_SIGNATURE);
	expect(&spec, &writing, true, ERROR_NONE);
	forced_answer = 2;
}

static void test_mounted(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	char fingerprint[256];
	unsigned char *before;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	if (!make_ext4()) {
		print_message("skipped: no mkfs.ext4\n");
		skip();
	}
	spec.path = attach(in("image"), 0);
	fingerprint_of(spec.path, fingerprint, sizeof(fingerprint));
	if (mount(spec.path, in("mount"), "ext4", MS_RDONLY, "noload") < 0) {
		print_message("skipped: mounting is refused (%s)\n", strerror(errno));
		skip();
	}
	before = read_image("image");
	/* Busy can never be overridden, and a mounted device not even read. */
	spec.fingerprint = fingerprint;
	expect(&spec, &writing, false, ERROR_TARGET_BUSY);
	spec.fingerprint = NULL;
	expect(&spec, &writing, false, ERROR_TARGET_BUSY);
	spec.existing = true;
	expect(&spec, &reading, false, ERROR_TARGET_BUSY);
	assert_unchanged(before);
	free(before);
}

static void test_swapped(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	char fingerprint[256];

	(void)state;
	SKIP_WITHOUT_LOOPS();
	if (!make_swap()) {
		print_message("skipped: no mkswap\n");
		skip();
	}
	spec.path = attach(in("image"), 0);
	fingerprint_of(spec.path, fingerprint, sizeof(fingerprint));
	spec.fingerprint = fingerprint;
	if (swapon(spec.path, 0) < 0) {
		print_message("skipped: swapon is refused (%s)\n", strerror(errno));
		skip();
	}
	expect(&spec, &writing, false, ERROR_TARGET_BUSY);
	assert_int_equal(swapoff(spec.path), 0);
	expect(&spec, &writing, false, ERROR_NONE);
}

/* O_EXCL does not see these. */
static void test_stacked_loop(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	char fingerprint[256];

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), 0);
	fingerprint_of(spec.path, fingerprint, sizeof(fingerprint));
	spec.fingerprint = fingerprint;
	expect(&spec, &writing, false, ERROR_NONE);
	(void)attach(spec.path, 0);
	expect(&spec, &writing, true, ERROR_TARGET_BUSY);
}

static void test_same_backing(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), 0);
	expect(&spec, &writing, false, ERROR_NONE);
	(void)attach(in("image"), 0);
	expect(&spec, &writing, true, ERROR_TARGET_BUSY);
}

/* Tells the kernel of the GPT's partitions itself: not every kernel can read the table. */
static bool add_partitions(const char *disk)
{
	int fd = open(disk, O_RDONLY | O_CLOEXEC), r = 0;

	assert_true(fd >= 0);
	for (int i = 0; i < 2 && r == 0; i++) {
		struct blkpg_partition part = {
			.start = (2048 + i * 8192) * 512, .length = 8192 * 512, .pno = i + 1};
		struct blkpg_ioctl_arg arg = {
			.op = BLKPG_ADD_PARTITION, .datalen = sizeof(part), .data = &part};

		r = ioctl(fd, BLKPG, &arg);
	}
	(void)close(fd);
	return r == 0;
}

static void test_partitions(void **state)
{
	struct target_spec disk = {.kind = TARGET_DEVICE}, part = {.kind = TARGET_DEVICE};
	const struct target_need small = {.bytes = 1 << 20, .files = 1, .writes = true};
	char first[80], second[80], fingerprint[256];
	unsigned char *before;
	const char *const argv[] = {"mkfs.ext4", "-q", "-F", first, NULL};

	(void)state;
	SKIP_WITHOUT_LOOPS();
	assert_true(make_gpt());
	disk.path = attach(in("image"), LO_FLAGS_PARTSCAN);
	(void)snprintf(first, sizeof(first), "%sp1", disk.path);
	(void)snprintf(second, sizeof(second), "%sp2", disk.path);
	if (access(first, F_OK) < 0 && (!add_partitions(disk.path) || access(first, F_OK) < 0)) {
		print_message("skipped: partitions have no nodes here\n");
		skip();
	}
	fingerprint_of(disk.path, fingerprint, sizeof(fingerprint));
	expect(&disk, &writing, false, ERROR_TARGET_HAS_SIGNATURE);
	part.path = second;
	expect(&part, &small, true, ERROR_NONE); /* a blank partition is a fine target */
	if (!run(argv) || mount(first, in("mount"), "ext4", MS_RDONLY, "noload") < 0) {
		print_message("skipped: cannot mount a partition (%s)\n", strerror(errno));
		skip();
	}
	before = read_image("image");
	disk.fingerprint = fingerprint;
	expect(&disk, &writing, false, ERROR_TARGET_BUSY);
	part.path = first;
	expect(&part, &small, false, ERROR_TARGET_BUSY);
	part.path = second;
	expect(&part, &small, true, ERROR_NONE);
	assert_unchanged(before);
	free(before);
	assert_int_equal(umount2(in("mount"), 0), 0);
	expect(&disk, &writing, false, ERROR_NONE);
}

static void test_read_only(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), LO_FLAGS_READ_ONLY);
	expect(&spec, &writing, true, ERROR_TARGET_READ_ONLY);
	spec.existing = true;
	expect(&spec, &reading, true, ERROR_NONE);
}

static bool step(void *arg)
{
	unsigned int *left = arg;

	return (*left)-- > 0;
}

/* A block amid nothing, where no sample need fall: seen before the first byte is written. */
static void test_blank_whole(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	struct target_need need = writing;
	struct target *target = NULL;
	struct allow *allow;
	struct error err = {0};
	unsigned int steps;
	char fingerprint[256];
	int r;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	/* Not at a block of the even samples, which stand 24 blocks apart; behind `need` is not
	 * ours to look at. */
	assert_true(make_byte_at(((size_t)24 * 200 + 7) * 4096 + 4095));
	spec.path = attach(in("image"), 0);
	allow = allow_one("/dev");
	need.bytes = (uint64_t)(24 * 200 + 7) * 4096;
	for (int i = 0; i < 2; i++) {
		/* One of the random samples may have found it: then it is refused earlier still. */
		r = target_create(allow, &spec, &need, &making, &target, &err);
		if (r == 0) {
			steps = UINT32_MAX;
			r = target_check_blank(target, step, &steps, &err);
			assert_int_equal(UINT32_MAX - steps, (need.bytes + (1 << 20) - 1) >> 20);
			steps = 3;
			assert_int_equal(target_check_blank(target, step, &steps, NULL),
					 -ECANCELED);
			target_free(target);
			assert_int_equal(r < 0, i);
		}
		if (r < 0)
			assert_int_equal(err.code, ERROR_TARGET_NOT_BLANK);
		need.bytes += 4096;
	}
	/* Nor what lies before. */
	need.first = need.bytes - 4096;
	need.bytes += 4096;
	r = target_create(allow, &spec, &need, &making, &target, &err);
	if (r == 0) {
		assert_int_equal(target_check_blank(target, NULL, NULL, &err), 0);
		target_free(target);
	}
	fingerprint_of(spec.path, fingerprint, sizeof(fingerprint));
	spec.fingerprint = fingerprint;
	assert_int_equal(target_create(allow, &spec, &need, &making, &target, NULL), 0);
	assert_int_equal(target_check_blank(target, NULL, NULL, NULL), 0);
	target_free(target);
	allow_free(allow);
}

static void test_size(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	struct target_need need = writing;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), 0);
	need.bytes = IMAGE_BYTES;
	expect(&spec, &need, true, ERROR_NONE);
	need.bytes = IMAGE_BYTES + 1;
	expect(&spec, &need, true, ERROR_TARGET_TOO_SMALL);
}

static void test_paths(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	struct error err = {0};
	struct target_info info;
	struct allow *allow;
	struct stat st;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), 0);
	assert_int_equal(symlink(spec.path, in("link")), 0);
	assert_int_equal(stat(spec.path, &st), 0);
	assert_int_equal(mknod(in("node"), S_IFBLK | 0600, st.st_rdev), 0);
	/* A directory that is allowed does not make what its links point to allowed. */
	allow = allow_one(top);
	assert_true(target_inspect(allow, &spec, &writing, false, &info, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_NOT_ALLOWED);
	spec.path = in("link");
	assert_true(target_inspect(allow, &spec, &writing, false, &info, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_TYPE);
	spec.path = in("node");
	assert_int_equal(target_inspect(allow, &spec, &writing, false, &info, NULL, &err), 0);
	assert_int_equal(link(in("node"), in("second")), 0);
	assert_true(target_inspect(allow, &spec, &writing, false, &info, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_TYPE);
	spec.path = in("image");
	assert_true(target_inspect(allow, &spec, &writing, false, &info, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_TYPE);
	allow_free(allow);
	/* An entry that is a link to a device allows the device, by either name. */
	allow = allow_one(in("link"));
	spec.path = in("link");
	assert_int_equal(target_inspect(allow, &spec, &writing, false, &info, NULL, &err), 0);
	spec.path = loops[0].path;
	assert_int_equal(target_inspect(allow, &spec, &writing, false, &info, NULL, &err), 0);
	allow_free(allow);
}

static void test_claim(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	struct target *target = NULL;
	struct target_info info;
	struct error err = {0};
	struct allow *allow;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), 0);
	allow = allow_one(spec.path);
	assert_int_equal(target_create(allow, &spec, &writing, &making, &target, &err), 0);
	assert_true(target_info(target)->checked);
	assert_int_equal(target_info(target)->size_bytes, IMAGE_BYTES);
	assert_int_equal(target_free_bytes(target), 0);
	/* Nobody else may have it meanwhile... */
	expect(&spec, &writing, false, ERROR_TARGET_BUSY);
	/* ...and while a run measures it is not even opened to see that. */
	assert_int_equal(target_inspect(allow, &spec, &writing, true, &info, NULL, &err), 0);
	assert_false(info.checked);
	assert_string_equal(info.fingerprint, target_info(target)->fingerprint);
	assert_int_equal(target_remove(target, NULL, NULL, &err), 0);
	target_free(target);
	expect(&spec, &writing, true, ERROR_NONE);
	allow_free(allow);
}

/* A device that somebody lets go of within 5 s is taken, else it is busy; a look does not wait. */
static void test_waiting(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	struct target *target = NULL;
	struct error err = {0};
	struct allow *allow;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), 0);
	allow = allow_one(spec.path);
	for (int lock = 0; lock < 2; lock++) {
		for (int released = 0; released < 2; released++) {
			int r;

			held_fd = open(spec.path, O_RDONLY | O_CLOEXEC | (lock ? 0 : O_EXCL));
			assert_true(held_fd >= 0);
			if (lock) /* udev reading the device, say */
				assert_int_equal(flock(held_fd, LOCK_SH), 0);
			polls = 0;
			release_at = released ? 20 : 0;
			expect(&spec, &writing, false, lock ? ERROR_NONE : ERROR_TARGET_BUSY);
			assert_int_equal(polls, 0);
			r = target_create(allow, &spec, &writing, &making, &target, &err);
			if (released) {
				assert_int_equal(r, 0);
				assert_int_equal(polls, 20);
				target_free(target);
			} else {
				assert_true(r < 0);
				assert_int_equal(err.code, ERROR_TARGET_BUSY);
				assert_int_equal(polls, 50);
				(void)close(held_fd);
			}
		}
	}
	allow_free(allow);
}

static void test_regions(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE};
	struct target_need need = writing;
	struct measure_region *regions;
	struct target *target = NULL;
	struct workload workload;
	struct error err = {0};
	struct allow *allow;
	size_t count;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	write_image("image", image());
	spec.path = attach(in("image"), 0);
	allow = allow_one(spec.path);
	assert_int_equal(target_create(allow, &spec, &need, &making, &target, &err), 0);
	assert_int_equal(target_open_fill(target, &regions, &count, &err), 0);
	assert_int_equal(regions[0].length, need.bytes);
	assert_int_equal(fcntl(regions[0].fd, F_GETFL) & (O_ACCMODE | O_DIRECT), O_RDWR | O_DIRECT);
	target_close_regions(regions, count);
	workload_init(&workload);
	workload.rw = RW_RANDREAD;
	workload.bs[0] = workload.bs[1] = 4096;
	workload.numjobs = 4;
	workload.direct = true;
	workload.invalidate = true;
	assert_int_equal(target_open_regions(target, &workload, &regions, &count, &err), 0);
	assert_int_equal(count, 4);
	assert_int_equal(regions[3].offset, IMAGE_BYTES / 4 * 3);
	assert_int_equal(regions[3].length, IMAGE_BYTES / 4);
	assert_int_equal(fcntl(regions[0].fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	target_close_regions(regions, count);
	workload.bs[0] = 513;
	assert_true(target_open_regions(target, &workload, &regions, &count, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_SIZE);
	assert_string_equal(err.field, "bs");
	workload_done(&workload);
	target_free(target);
	/* Without a need of its own the whole device is filled. */
	need.bytes = 0;
	assert_int_equal(target_create(allow, &spec, &need, &making, &target, &err), 0);
	assert_int_equal(target_open_fill(target, &regions, &count, &err), 0);
	assert_int_equal(regions[0].length, IMAGE_BYTES);
	target_close_regions(regions, count);
	target_free(target);
	allow_free(allow);
}

static const struct target_candidate *find(const struct target_list *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i].info.path, path) == 0)
			return &list->list[i];
	return NULL;
}

static void test_candidates(void **state)
{
	const struct target_candidate *candidate;
	const char *blank, *formatted, *busy;
	struct target_list list;
	const char *paths[2];
	struct allow *allow;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	if (!make_ext4()) {
		print_message("skipped: no mkfs.ext4\n");
		skip();
	}
	write_image("other", image());
	write_image("third", image());
	formatted = attach(in("image"), 0);
	blank = attach(in("other"), 0);
	busy = attach(in("third"), 0);
	(void)attach(busy, 0);
	paths[0] = "/dev";
	paths[1] = blank;
	assert_int_equal(allow_new(paths, 2, &allow, NULL), 0);
	assert_int_equal(target_candidates(allow, false, &list, NULL), 0);
	candidate = find(&list, blank);
	assert_non_null(candidate);
	assert_true(candidate->usable);
	assert_ptr_equal(candidate, &list.list[1]); /* named itself, and not listed twice */
	for (size_t i = 2; i < list.count; i++)
		assert_string_not_equal(list.list[i].info.path, blank);
	candidate = find(&list, formatted);
	assert_non_null(candidate);
	assert_false(candidate->usable);
	assert_int_equal(candidate->reason.code, ERROR_TARGET_HAS_SIGNATURE);
	assert_true(candidate->info.fingerprint[0]);
	assert_int_equal(candidate->info.size_bytes, IMAGE_BYTES);
	candidate = find(&list, busy);
	assert_non_null(candidate);
	assert_int_equal(candidate->reason.code, ERROR_TARGET_BUSY);
	target_list_done(&list);
	allow_free(allow);
}

/* A node that names no device, and one with nothing attached. */
static void test_nothing_there(void **state)
{
	struct target_spec spec = {.kind = TARGET_DEVICE, .path = in("node")};
	struct error err = {0};
	struct target_info info;
	struct allow *allow;
	char *path;

	(void)state;
	SKIP_WITHOUT_LOOPS();
	assert_int_equal(mknod(in("node"), S_IFBLK | 0600, 0x7ffff00), 0);
	allow = allow_one(top);
	assert_true(target_inspect(allow, &spec, &writing, false, &info, NULL, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_MISSING);
	allow_free(allow);
	write_image("image", image());
	path = attach(in("image"), 0);
	detach_all();
	spec.path = path;
	allow = allow_one(path);
	err = (struct error){0};
	assert_true(target_inspect(allow, &spec, &writing, false, &info, NULL, &err) < 0);
	if (err.code != ERROR_TARGET_TOO_SMALL && err.code != ERROR_TARGET_MISSING)
		fail_msg("%s: %s", error_code_text(err.code), err.message);
	allow_free(allow);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_contents),	TEST(test_answers),	 TEST(test_mounted),
		TEST(test_swapped),	TEST(test_stacked_loop), TEST(test_same_backing),
		TEST(test_partitions),	TEST(test_read_only),	 TEST(test_size),
		TEST(test_paths),	TEST(test_claim),	 TEST(test_waiting),
		TEST(test_regions),	TEST(test_candidates),	 TEST(test_nothing_there),
		TEST(test_blank_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
