/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/zfs/node.c: a directory stands in for /dev, files in it for zvols; what a file
 * holds is the name the kernel would tell. Events are the kernel's own.
 *
 * link: -Wl,--wrap=open -Wl,--wrap=open64 -Wl,--wrap=fstat -Wl,--wrap=fstat64 -Wl,--wrap=ioctl
 * link: -Wl,--wrap=opendir -Wl,--wrap=readlink -Wl,--wrap=inotify_add_watch
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/zfs/node.h"

static char dev[] = "/var/tmp/volbench-node-XXXXXX";
static int open_errno;		 /* for every node, while it is set */
static const char *only_refused; /* open_errno is for this node alone; or NULL */
static unsigned int opens, scans;

static const char *there(const char *path, char buffer[256])
{
	(void)snprintf(buffer, 256, "%s%s", dev, strncmp(path, "/dev", 4) == 0 ? path + 4 : path);
	return buffer;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	char buffer[256];

	opens++;
	if (open_errno && (!only_refused || strcmp(path, only_refused) == 0)) {
		errno = open_errno;
		return -1;
	}
	return __real_open(there(path, buffer), flags);
}
int __wrap_open64(const char *path, int flags, ...)
{
	return __wrap_open(path, flags);
}

int __real_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
int __wrap_fstat64(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status)
{
	int r = __real_fstat(fd, status);

	status->st_mode = S_IFBLK | 0600;
	status->st_rdev = makedev(230, (unsigned int)status->st_size);
	return r;
}
int __wrap_fstat64(int fd, struct stat *status)
{
	return __wrap_fstat(fd, status);
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	char *name;
	ssize_t got;

	va_start(arguments, request);
	name = va_arg(arguments, char *);
	va_end(arguments);
	assert_int_equal(request, 0x8100127DUL); /* _IOR(0x12, 125, char[256]) */
	got = pread(fd, name, 256, 0);
	if (got > 0)
		return 0;
	errno = EINVAL; /* a block device of another kind */
	return -1;
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
	char buffer[256];

	scans++;
	return __real_opendir(there(path, buffer));
}

ssize_t __real_readlink(const char *path, char *target, size_t size);
ssize_t __wrap_readlink(const char *path, char *target, size_t size);
ssize_t __wrap_readlink(const char *path, char *target, size_t size)
{
	char buffer[256];

	return __real_readlink(there(path, buffer), target, size);
}

int __real_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	char buffer[256];

	return __real_inotify_add_watch(fd, there(path, buffer), mask);
}

/* As the kernel does: the node is whole at once. */
static void make_node(const char *name, const char *zvol)
{
	char path[256], made[256];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/making", dev);
	(void)snprintf(made, sizeof(made), "%s/%s", dev, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(zvol, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rename(path, made), 0);
}

static void clean(void)
{
	DIR *directory = __real_opendir(dev);
	const struct dirent *entry;

	assert_non_null(directory);
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			(void)unlinkat(dirfd(directory), entry->d_name,
				       entry->d_type == DT_DIR ? AT_REMOVEDIR : 0);
	(void)closedir(directory);
}

static void make_link(const char *zvol, const char *target)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/zvol", dev);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/zvol/%s", dev, zvol);
	assert_int_equal(symlink(target, path), 0);
}

static void remove_link(const char *zvol)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/zvol/%s", dev, zvol);
	assert_int_equal(unlink(path), 0);
}

static struct zfs_node_watch *watch;
static const struct zfs_patience patient = {.deadline_ms = 30000};
static char path[64];
static dev_t device;

static int setup(void **state)
{
	(void)state;
	open_errno = 0;
	only_refused = NULL;
	opens = scans = 0;
	memset(path, 0, sizeof(path));
	return zfs_node_watch_new(&watch, NULL);
}

static int teardown(void **state)
{
	(void)state;
	zfs_node_watch_free(watch);
	clean();
	return 0;
}

/* It came before anybody waited: the event has been kept, and no other node is touched. */
static void test_before(void **state)
{
	(void)state;
	make_node("zd16", "tank/v");
	make_node("zd32", "tank/other");
	assert_int_equal(zfs_node_await(watch, "tank/v", &patient, path, &device, NULL), 0);
	assert_string_equal(path, "/dev/zd16");
	assert_true(device == makedev(230, 6)); /* of the length that fstat told */
	assert_int_equal(scans, 0);
}

static void make_late(void *arg)
{
	int *left = arg;

	if (--*left == 0)
		make_node("zd0", "tank/v");
}

static void test_while_waiting(void **state)
{
	int left = 3;
	const struct zfs_patience patience = {
		.deadline_ms = 30000, .tick = make_late, .arg = &left};

	(void)state;
	make_node("zd16", "tank/v2");
	assert_int_equal(zfs_node_await(watch, "tank/v", &patience, path, &device, NULL), 0);
	assert_string_equal(path, "/dev/zd0");
}

/* Partitions, other names and longer ones are not even opened. */
static void test_other_names(void **state)
{
	static const char *const names[] = {
		"zd", "zd16p1", "zdx", "sda", "zfs", "zd12345678901234567890", "azd16"};
	const struct zfs_patience patience = {.deadline_ms = 200};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		make_node(names[i], "tank/v");
	assert_int_equal(zfs_node_await(watch, "tank/v", &patience, path, &device, &err),
			 -ETIMEDOUT);
	assert_int_equal(err.code, ERROR_TARGET_MISSING);
	assert_int_equal(opens, 0);
	assert_string_equal(path, "");
}

/* There since before the watch: the link tells it at once. */
static void test_link(void **state)
{
	(void)state;
	zfs_node_watch_free(watch);
	make_node("zd48", "v");
	make_link("v", "../zd48");
	assert_int_equal(zfs_node_watch_new(&watch, NULL), 0);
	assert_int_equal(zfs_node_await(watch, "v", &patient, path, &device, NULL), 0);
	assert_string_equal(path, "/dev/zd48");
	assert_int_equal(scans, 0); /* nothing was waited for */
	remove_link("v");
}

/* A link that lies is not believed; all nodes are asked, once. */
static void test_lying_link(void **state)
{
	static const char *const targets[] = {"../zd64", "../sda", "/etc/passwd", "zd1/../sda"};

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		make_node("zd64", "w");
		make_node("sda", "v");
		make_node("zd80", "v");
		make_link("v", targets[i]);
		scans = 0;
		assert_int_equal(zfs_node_find("v", path, &device), 0);
		assert_string_equal(path, "/dev/zd80");
		assert_int_equal(scans, 1);
		remove_link("v");
		clean();
	}
}

/* No link, no event: a second later all are asked. */
static void test_scan(void **state)
{
	(void)state;
	zfs_node_watch_free(watch);
	make_node("zd16", "tank/other");
	make_node("zd96", "tank/v");
	assert_int_equal(zfs_node_watch_new(&watch, NULL), 0);
	assert_int_equal(zfs_node_await(watch, "tank/v", &patient, path, &device, NULL), 0);
	assert_string_equal(path, "/dev/zd96");
	assert_int_equal(scans, 1);
}

/* A device that is no zvol does not answer, and is not one. */
static void test_no_zvol(void **state)
{
	(void)state;
	make_node("zd16", "");
	assert_int_equal(zfs_node_find("tank/v", path, &device), -ENODEV);
	make_node("zd32", "tank/v2");
	assert_int_equal(zfs_node_find("tank/v", path, &device), -ENODEV);
	assert_int_equal(zfs_node_find("tank/v2", path, &device), 0);
}

static void allow_late(void *arg)
{
	int *left = arg;
	char node[256];

	if (--*left > 0)
		return;
	open_errno = 0;
	(void)snprintf(node, sizeof(node), "%s/zd0", dev);
	assert_int_equal(chmod(node, 0660), 0);
}

/* udev lets its group open a node a moment after it has appeared. */
static void test_refused_at_first(void **state)
{
	int left = 2;
	const struct zfs_patience patience = {
		.deadline_ms = 30000, .tick = allow_late, .arg = &left};

	(void)state;
	open_errno = EACCES;
	make_node("zd0", "tank/v");
	assert_int_equal(zfs_node_await(watch, "tank/v", &patience, path, &device, NULL), 0);
	assert_string_equal(path, "/dev/zd0");
}

static void test_refused(void **state)
{
	const struct zfs_patience patience = {.deadline_ms = 300};
	struct error err = {0};

	(void)state;
	open_errno = EACCES;
	make_node("zd0", "tank/v");
	assert_int_equal(zfs_node_await(watch, "tank/v", &patience, path, &device, &err), -EACCES);
	assert_int_equal(err.code, ERROR_ZFS_PERMISSION);
	assert_non_null(strstr(err.message, "/dev/zd0"));
	assert_int_equal(zfs_node_find("tank/v", path, &device), -EACCES);
	/* Of two, the one that may be asked is it. */
	only_refused = "/dev/zd0";
	make_node("zd16", "tank/v");
	assert_int_equal(zfs_node_find("tank/v", path, &device), 0);
	assert_string_equal(path, "/dev/zd16");
}

/* More nodes than are kept for a second look: the scan finds it all the same. */
static void test_many(void **state)
{
	char name[16];
	int left = 2;
	const struct zfs_patience patience = {
		.deadline_ms = 30000, .tick = allow_late, .arg = &left};

	(void)state;
	open_errno = EBUSY;
	for (int i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof(name), "zd%d", 16 * i);
		make_node(name, i == 39 ? "tank/v" : "tank/other");
	}
	assert_int_equal(zfs_node_await(watch, "tank/v", &patience, path, &device, NULL), 0);
	assert_string_equal(path, "/dev/zd624");
}

static void cancel_tick(void *arg)
{
	atomic_store((atomic_bool *)arg, true);
}

static void test_cancel(void **state)
{
	atomic_bool cancel = false;
	const struct zfs_patience patience = {
		.deadline_ms = 30000, .cancel = &cancel, .tick = cancel_tick, .arg = &cancel};
	struct error err = {0};

	(void)state;
	assert_int_equal(zfs_node_await(watch, "tank/v", &patience, path, &device, &err),
			 -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
}

/* Readable once somebody else has closed it; our own look at it does not count. */
static void test_closes(void **state)
{
	char node[256];
	int fd = -1, other;
	struct pollfd wanted;

	(void)state;
	assert_int_equal(zfs_node_closes("tank/v", &fd), -ENODEV);
	make_node("zd16", "tank/v");
	(void)snprintf(node, sizeof(node), "%s/zd16", dev);
	other = __real_open(node, O_RDONLY | O_CLOEXEC);
	assert_true(other >= 0);
	assert_int_equal(zfs_node_closes("tank/v", &fd), 0);
	wanted = (struct pollfd){.fd = fd, .events = POLLIN};
	assert_int_equal(poll(&wanted, 1, 0), 0);
	(void)close(other);
	assert_int_equal(poll(&wanted, 1, 10000), 1);
	(void)close(fd);
}

static void test_free_nothing(void **state)
{
	(void)state;
	zfs_node_watch_free(NULL);
}

static int make_dev(void **state)
{
	(void)state;
	return mkdtemp(dev) ? 0 : -1;
}

static int remove_dev(void **state)
{
	(void)state;
	return rmdir(dev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_before, setup, teardown),
		cmocka_unit_test_setup_teardown(test_while_waiting, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lying_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scan, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_zvol, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_at_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_closes, setup, teardown),
		cmocka_unit_test(test_free_nothing),
	};

	return cmocka_run_group_tests(tests, make_dev, remove_dev);
}
