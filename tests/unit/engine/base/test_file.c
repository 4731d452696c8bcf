/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_file.c - the one writer of files: durability's order of calls, every call failing once and
 * for good, racing writers, sweeping.
 *
 * Length: the calls that are made to fail serve every test of the module.
 *
 * link: -Wl,--wrap=openat,--wrap=open,--wrap=write,--wrap=read,--wrap=fsync,--wrap=close
 * link: -Wl,--wrap=renameat,--wrap=renameat2,--wrap=linkat,--wrap=unlinkat,--wrap=mkdirat
 * link: -Wl,--wrap=fstat,--wrap=fstatat,--wrap=getrandom,--wrap=fstatvfs,--wrap=fdopendir
 * link: -Wl,--wrap=readdir
 */
#include "engine/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include <cmocka.h>

/* ---- the calls, made to fail ---- */

static struct {
	bool on;
	unsigned int calls;   /* since script_begin() */
	unsigned int fail_at; /* from 1; 0: none */
	bool for_good;	      /* all from fail_at on fail */
	bool dies;	      /* killed at fail_at, in place of failing */
	const char *only;     /* only calls of this name count and fail; NULL: all */
	int error;
	const char *failed; /* name of the first that failed */
	bool sync_repeated; /* fsync of a descriptor whose fsync had failed */
	bool bad_sync[64];  /* descriptors whose fsync failed */
	size_t write_most;  /* 0: no limit */
	char order[512];    /* names of all calls, blank separated */
} script;

static void script_begin(unsigned int fail_at, bool for_good, int error)
{
	memset(&script, 0, sizeof(script));
	script.fail_at = fail_at;
	script.for_good = for_good;
	script.error = error;
	script.on = true;
}

static void script_end(void)
{
	script.on = false;
}

/* True where this call is to fail; errno is then set. */
static bool fails(const char *name)
{
	size_t length;

	if (!script.on || (script.only && strcmp(script.only, name) != 0))
		return false;
	length = strlen(script.order);
	(void)snprintf(script.order + length, sizeof(script.order) - length, "%s%s",
		       length ? " " : "", name);
	script.calls++;
	if (script.fail_at == 0 || script.calls < script.fail_at ||
	    (script.calls > script.fail_at && !script.for_good))
		return false;
	if (script.dies)
		(void)raise(SIGKILL);
	if (!script.failed)
		script.failed = name;
	errno = script.error;
	return true;
}

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode = 0;

	if (flags & O_CREAT) {
		va_list arguments;

		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		va_end(arguments);
	}
	assert_true(flags & O_CLOEXEC);
	return fails("openat") ? -1 : __real_openat(dirfd, path, flags, mode);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	return fails("open") ? -1 : __real_open(path, flags, 0);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	if (script.on && fd >= 0 && fd < 64 && script.bad_sync[fd])
		script.sync_repeated = true;
	if (!fails("fsync"))
		return __real_fsync(fd);
	if (fd >= 0 && fd < 64)
		script.bad_sync[fd] = true;
	return -1;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int r = __real_close(fd);

	if (script.on && fd >= 0 && fd < 64)
		script.bad_sync[fd] = false;
	return fails("close") ? -1 : r; /* Linux has closed it all the same */
}

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	if (fails("write"))
		return -1;
	if (script.on && script.write_most && size > script.write_most)
		size = script.write_most;
	return __real_write(fd, data, size);
}

/* The rest differ in nothing but their types. */
#define WRAP(type, name, failure, parameters, arguments)                                           \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(#name) ? (failure) : __real_##name arguments;                         \
	}
WRAP(ssize_t, read, -1, (int fd, void *data, size_t size), (fd, data, size))
WRAP(int, renameat, -1, (int a, const char *b, int c, const char *d), (a, b, c, d))
WRAP(int, renameat2, -1, (int a, const char *b, int c, const char *d, unsigned int flags),
     (a, b, c, d, flags))
WRAP(int, linkat, -1, (int a, const char *b, int c, const char *d, int flags), (a, b, c, d, flags))
WRAP(int, unlinkat, -1, (int dirfd, const char *name, int flags), (dirfd, name, flags))
WRAP(int, mkdirat, -1, (int dirfd, const char *name, mode_t mode), (dirfd, name, mode))
WRAP(int, fstat, -1, (int fd, struct stat *st), (fd, st))
WRAP(int, fstatat, -1, (int dirfd, const char *name, struct stat *st, int flags),
     (dirfd, name, st, flags))
WRAP(ssize_t, getrandom, -1, (void *data, size_t size, unsigned int flags), (data, size, flags))
WRAP(int, fstatvfs, -1, (int fd, struct statvfs *vfs), (fd, vfs))
WRAP(DIR *, fdopendir, NULL, (int fd), (fd))
WRAP(struct dirent *, readdir, NULL, (DIR * dir), (dir))

/* ---- a scratch directory ---- */

static char scratch_path[64];
static int scratch = -1;

static int begin(void **state)
{
	(void)state;
	(void)snprintf(scratch_path, sizeof(scratch_path), "/var/tmp/volbench-test-file-XXXXXX");
	if (!mkdtemp(scratch_path))
		return -1;
	scratch = openat(AT_FDCWD, scratch_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return scratch < 0 ? -1 : 0;
}

static int end(void **state)
{
	int parent, r;

	(void)state;
	script_end();
	(void)close(scratch);
	parent = openat(AT_FDCWD, "/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = file_remove_tree(parent, strrchr(scratch_path, '/') + 1);
	(void)close(parent);
	return r;
}

static void assert_holds(const char *name, const char *text)
{
	char *data = NULL;
	size_t size = 0;

	assert_int_equal(file_read(scratch, name, 1 << 20, &data, &size), 0);
	assert_string_equal(data, text);
	assert_int_equal(size, strlen(text));
	free(data);
}

static bool is_there(const char *name)
{
	struct stat st;

	return fstatat(scratch, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static unsigned int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	(void)closedir(dir);
	return count;
}

static unsigned int open_descriptors(void)
{
	return count_entries("/proc/self/fd");
}

static void put(const char *name, const char *text)
{
	assert_int_equal(file_write(scratch, name, text, strlen(text), 0600), 0);
}

/* ---- writing ---- */

static void test_write_and_read(void **state)
{
	struct stat st;
	char *data;

	(void)state;
	put("a.json", "old");
	put("a.json", "new and longer");
	assert_holds("a.json", "new and longer");
	assert_int_equal(fstatat(scratch, "a.json", &st, 0), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	put("empty", "");
	assert_holds("empty", "");
	assert_int_equal(file_read(scratch, "a.json", 14, &data, NULL), 0);
	free(data);
	assert_int_equal(file_read(scratch, "a.json", 13, &data, NULL), -EFBIG);
	assert_int_equal(file_read(scratch, "none", 13, &data, NULL), -ENOENT);
	assert_int_equal(count_entries(scratch_path), 2 + 2); /* no temporary file */
}

static void test_order_of_calls(void **state)
{
	(void)state;
	script_begin(0, false, 0);
	assert_int_equal(file_write(scratch, "a", "x", 1, 0600), 0);
	script_end();
	assert_string_equal(script.order, "getrandom openat write fsync close renameat fsync");
	script_begin(0, false, 0);
	assert_int_equal(file_write_new(scratch, "b", "x", 1, 0600), 0);
	script_end();
	assert_string_equal(script.order, "getrandom openat write fsync close renameat2 fsync");
	script_begin(0, false, 0);
	assert_int_equal(file_remove(scratch, "b"), 0);
	script_end();
	assert_string_equal(script.order, "unlinkat fsync");
	script_begin(0, false, 0);
	assert_int_equal(file_move(scratch, "a", scratch, "c"), 0);
	script_end();
	assert_string_equal(script.order, "renameat2 fsync");
}

static void test_write_new_refuses(void **state)
{
	(void)state;
	put("a", "old");
	assert_int_equal(file_write_new(scratch, "a", "new", 3, 0600), -EEXIST);
	assert_holds("a", "old");
	assert_int_equal(file_write_new(scratch, "b", "new", 3, 0600), 0);
	assert_holds("b", "new");
	assert_int_equal(count_entries(scratch_path), 2 + 2);
}

/* File systems without RENAME_NOREPLACE answer EINVAL. */
static void test_without_noreplace(void **state)
{
	int r;

	(void)state;
	put("a", "old");
	for (int i = 0; i < 2; i++) {
		script_begin(1, true, i == 0 ? EINVAL : ENOSYS);
		script.only = "renameat2";
		r = file_write_new(scratch, "a", "new", 3, 0600);
		script_end();
		assert_int_equal(r, -EEXIST);
		assert_holds("a", "old");
		script_begin(1, true, EINVAL);
		script.only = "renameat2";
		r = file_write_new(scratch, "b", "new", 3, 0600);
		script_end();
		assert_int_equal(r, 0);
		assert_holds("b", "new");
		assert_int_equal(file_remove(scratch, "b"), 0);
	}
	assert_int_equal(mkdirat(scratch, "dir", 0700), 0);
	script_begin(1, true, EINVAL);
	script.only = "renameat2";
	r = file_move(scratch, "dir", scratch, "a");
	script_end();
	assert_int_equal(r, -EEXIST);
	script_begin(1, true, EINVAL);
	script.only = "renameat2";
	r = file_move(scratch, "dir", scratch, "moved");
	script_end();
	assert_int_equal(r, 0);
	assert_true(is_there("moved"));
	assert_false(is_there("dir"));
}

static void test_short_and_interrupted_writes(void **state)
{
	(void)state;
	script_begin(3, false, EINTR);
	script.only = "write";
	script.write_most = 3;
	assert_int_equal(file_write(scratch, "a", "0123456789", 10, 0600), 0);
	script_end();
	assert_int_equal(script.calls, 5);
	assert_holds("a", "0123456789");
}

static void test_full_disk(void **state)
{
	(void)state;
	put("a", "old");
	script_begin(2, true, ENOSPC);
	script.only = "write";
	script.write_most = 3;
	assert_int_equal(file_write(scratch, "a", "0123456789", 10, 0600), -ENOSPC);
	script_end();
	assert_holds("a", "old");
	assert_int_equal(count_entries(scratch_path), 2 + 1);
}

/* ---- every call fails ---- */

struct torture {
	const char *name;
	void (*prepare)(void);
	int (*operate)(void);
	void (*check)(int result);  /* what must hold whatever failed */
	const char *may_be_ignored; /* names of calls whose failure need not be told */
};

static void torture(const struct torture *torture, bool for_good)
{
	for (unsigned int n = 1;; n++) {
		unsigned int before, after;
		int r;

		torture->prepare();
		before = open_descriptors();
		script_begin(n, for_good, EIO);
		r = torture->operate();
		script_end();
		after = open_descriptors();
		if (!script.failed) {
			assert_int_equal(r, 0);
			assert_true(n > 1);
			return;
		}
		if (r == 0 && !strstr(torture->may_be_ignored, script.failed))
			fail_msg("%s: call %u (%s) failed and was not told", torture->name, n,
				 script.failed);
		if (r != 0)
			assert_int_equal(r, -EIO);
		if (script.sync_repeated)
			fail_msg("%s: fsync was tried again after it failed", torture->name);
		assert_int_equal(before, after);
		torture->check(r);
		assert_int_equal(file_sweep_temporary(scratch, NULL), 0);
	}
}

static void prepare_old(void)
{
	put("a", "old");
	assert_int_equal(file_remove(scratch, "b"), 0);
}

static void prepare_none(void)
{
	assert_int_equal(file_remove(scratch, "a"), 0);
	assert_int_equal(file_remove(scratch, "b"), 0);
}

static int operate_write(void)
{
	return file_write(scratch, "a", "new", 3, 0600);
}

static int operate_write_new(void)
{
	return file_write_new(scratch, "b", "new", 3, 0600);
}

static int operate_read(void)
{
	char *data = NULL;
	int r = file_read(scratch, "a", 100, &data, NULL);

	free(data);
	return r;
}

static int operate_move(void)
{
	return file_move(scratch, "a", scratch, "b");
}

static int operate_remove(void)
{
	return file_remove(scratch, "a");
}

static void check_old_or_new(int result)
{
	char *data = NULL;

	assert_int_equal(file_read(scratch, "a", 100, &data, NULL), 0);
	if (result == 0)
		assert_string_equal(data, "new");
	else /* the directory's fsync comes after the rename */
		assert_true(strcmp(data, "old") == 0 || strcmp(data, "new") == 0);
	free(data);
}

static void check_b_none_or_whole(int result)
{
	if (is_there("b") || result == 0)
		assert_holds("b", "new");
}

static void check_old(int result)
{
	(void)result;
	assert_holds("a", "old");
}

static void check_moved(int result)
{
	(void)result;
	assert_true(is_there("a") || is_there("b"));
	assert_holds(is_there("a") ? "a" : "b", "old");
}

static void check_removed(int result)
{
	if (result == 0)
		assert_false(is_there("a"));
}

static void prepare_tree(void)
{
	int dir, below;

	assert_int_equal(file_remove_tree(scratch, "tree"), 0);
	assert_int_equal(file_open_directory(scratch, "tree", &dir), 0);
	assert_int_equal(file_open_directory(dir, "below", &below), 0);
	assert_int_equal(file_write(dir, "x", "x", 1, 0600), 0);
	assert_int_equal(file_write(below, "y", "y", 1, 0600), 0);
	(void)close(dir);
	(void)close(below);
}

static int operate_remove_tree(void)
{
	return file_remove_tree(scratch, "tree");
}

static void check_tree(int result)
{
	struct stat st;

	if (is_there("tree")) { /* then it is whole */
		assert_int_not_equal(result, 0);
		assert_int_equal(fstatat(scratch, "tree/x", &st, 0), 0);
		assert_int_equal(fstatat(scratch, "tree/below/y", &st, 0), 0);
	}
}

static void prepare_no_directory(void)
{
	assert_int_equal(file_remove_tree(scratch, "dir"), 0);
}

static int operate_open_directory(void)
{
	int fd = -1;
	int r = file_open_directory(scratch, "dir", &fd);

	if (r == 0)
		(void)__real_close(fd);
	return r;
}

static int operate_open_path(void)
{
	char path[128];
	int fd = -1, r;

	(void)snprintf(path, sizeof(path), "%s/dir/below", scratch_path);
	r = file_open_directory_path(path, &fd);
	if (r == 0)
		(void)__real_close(fd);
	return r;
}

static void check_nothing(int result)
{
	(void)result;
}

static void prepare_temporary(void)
{
	int fd = openat(scratch, ".tmp-a-0123456789abcdef", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	(void)close(fd);
}

static int operate_sweep(void)
{
	return file_sweep_temporary(scratch, NULL);
}

static void check_swept(int result)
{
	if (result == 0)
		assert_false(is_there(".tmp-a-0123456789abcdef"));
}

static int operate_free_bytes(void)
{
	uint64_t bytes = 0;
	int r = file_free_bytes(scratch, &bytes);

	assert_true(r < 0 || bytes > 0);
	return r;
}

/* Of the names the operations make. */
static unsigned int count_known(void)
{
	static const char *const names[] = {"a", "b", "tree", "dir"};
	unsigned int count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		count += is_there(names[i]);
	return count;
}

/* Killed before each call in turn: the check holds as after a failure, and the sweep cleans up. */
static void kill_at_every_call(const struct torture *torture)
{
	for (unsigned int n = 1;; n++) {
		int status;
		pid_t pid;

		torture->prepare();
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			script_begin(n, false, 0);
			script.dies = true;
			_exit(torture->operate() == 0 ? 0 : 1);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status)) {
			assert_int_equal(WEXITSTATUS(status), 0);
			assert_true(n > 1);
			return;
		}
		assert_int_equal(WTERMSIG(status), SIGKILL);
		torture->check(-EINTR);
		assert_int_equal(file_sweep_temporary(scratch, NULL), 0);
		assert_int_equal(count_entries(scratch_path), 2 + count_known());
	}
}

static void test_every_call_fails(void **state)
{
	static const struct torture all[] = {
		{"write", prepare_old, operate_write, check_old_or_new, ""},
		{"write_new", prepare_old, operate_write_new, check_b_none_or_whole, ""},
		{"write, first", prepare_none, operate_write, check_nothing, ""},
		{"read", prepare_old, operate_read, check_old, "close"},
		{"move", prepare_old, operate_move, check_moved, ""},
		{"remove", prepare_old, operate_remove, check_removed, ""},
		{"remove_tree", prepare_tree, operate_remove_tree, check_tree, "close"},
		{"open_directory", prepare_no_directory, operate_open_directory, check_nothing,
		 "close"},
		{"open_directory_path", prepare_no_directory, operate_open_path, check_nothing,
		 "close"},
		{"sweep", prepare_temporary, operate_sweep, check_swept, "close"},
		{"free_bytes", prepare_none, operate_free_bytes, check_nothing, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		torture(&all[i], false);
		torture(&all[i], true);
		kill_at_every_call(&all[i]);
	}
}

/* A directory whose entry could not be made durable must not be trusted by the next call. */
static void test_directory_taken_back(void **state)
{
	int fd;

	(void)state;
	script_begin(1, false, EIO);
	script.only = "fsync";
	assert_int_equal(file_open_directory(scratch, "dir", &fd), -EIO);
	script_end();
	assert_false(is_there("dir"));
}

/* ---- names, kinds ---- */

static void test_names(void **state)
{
	static const char *const bad[] = {"",	  ".", "..", "a/b", "/a", ".tmp-a-0123456789abcdef",
					  ".tmp-"};
	char longest[202], *data;
	int fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(file_write(scratch, bad[i], "", 0, 0600), -EINVAL);
		assert_int_equal(file_write_new(scratch, bad[i], "", 0, 0600), -EINVAL);
		assert_int_equal(file_read(scratch, bad[i], 1, &data, NULL), -EINVAL);
		assert_int_equal(file_remove(scratch, bad[i]), -EINVAL);
		assert_int_equal(file_move(scratch, "a", scratch, bad[i]), -EINVAL);
		assert_int_equal(file_open_directory(scratch, bad[i], &fd), -EINVAL);
		assert_int_equal(file_remove_tree(scratch, bad[i]), -EINVAL);
	}
	memset(longest, 'x', sizeof(longest));
	longest[201] = '\0';
	assert_int_equal(file_write(scratch, longest, "", 0, 0600), -EINVAL);
	assert_false(file_name_ok(longest));
	longest[200] = '\0';
	assert_int_equal(file_write(scratch, longest, "", 0, 0600), 0);
	assert_true(file_name_ok(longest));
	assert_true(file_name_ok("result.json"));
	assert_false(file_name_ok(""));
	assert_false(file_name_ok(".hidden"));
	assert_false(file_name_ok("a/b"));
	assert_false(file_name_ok("a\nb"));
	assert_false(file_name_ok("a\x7f"));
}

static void test_read_only_regular_files(void **state)
{
	char *data;

	(void)state;
	put("a", "x");
	assert_int_equal(symlinkat("a", scratch, "link"), 0);
	assert_int_equal(mkfifoat(scratch, "fifo", 0600), 0);
	assert_int_equal(mkdirat(scratch, "dir", 0700), 0);
	assert_int_equal(file_read(scratch, "link", 9, &data, NULL), -ELOOP);
	assert_int_equal(file_read(scratch, "fifo", 9, &data, NULL), -EINVAL);
	assert_int_equal(file_read(scratch, "dir", 9, &data, NULL), -EISDIR);
	/* A symlink in the way is replaced, never written through. */
	assert_int_equal(file_write(scratch, "link", "y", 1, 0600), 0);
	assert_holds("a", "x");
}

static void test_directories(void **state)
{
	char path[128];
	struct stat st;
	int fd, again;

	(void)state;
	assert_int_equal(file_open_directory(scratch, "dir", &fd), 0);
	assert_int_equal(file_open_directory(scratch, "dir", &again), 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	(void)close(fd);
	(void)close(again);
	assert_int_equal(fstatat(scratch, "dir", &st, 0), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	(void)snprintf(path, sizeof(path), "%s//new/./below/", scratch_path);
	assert_int_equal(file_open_directory_path(path, &fd), 0);
	assert_int_equal(file_write(fd, "x", "x", 1, 0600), 0);
	(void)close(fd);
	assert_int_equal(fstatat(scratch, "new/below/x", &st, 0), 0);
	put("file", "x");
	(void)snprintf(path, sizeof(path), "%s/file/x", scratch_path);
	assert_int_equal(file_open_directory_path(path, &fd), -ENOTDIR);
	assert_int_equal(file_open_directory(scratch, "file", &fd), -ENOTDIR);
	assert_int_equal(file_open_directory_path("", &fd), -ENOENT);
}

static void test_move_between(void **state)
{
	int dir;

	(void)state;
	put("a", "text");
	put("b", "other");
	assert_int_equal(file_open_directory(scratch, "dir", &dir), 0);
	assert_int_equal(file_move(scratch, "a", dir, "moved"), 0);
	assert_false(is_there("a"));
	assert_true(is_there("dir/moved"));
	assert_int_equal(file_move(scratch, "b", dir, "moved"), -EEXIST);
	assert_holds("b", "other");
	assert_int_equal(file_move(scratch, "a", dir, "x"), -ENOENT);
	(void)close(dir);
}

static void test_remove_tree_stays_inside(void **state)
{
	int dir;

	(void)state;
	put("outside", "x");
	assert_int_equal(file_open_directory(scratch, "dir", &dir), 0);
	assert_int_equal(symlinkat("../outside", dir, "link"), 0);
	assert_int_equal(symlinkat("..", dir, "up"), 0);
	(void)close(dir);
	assert_int_equal(file_remove_tree(scratch, "outside"), -ENOTDIR);
	assert_int_equal(file_remove_tree(scratch, "dir"), 0);
	assert_holds("outside", "x");
	assert_int_equal(count_entries(scratch_path), 2 + 1);
}

/* Writes files, each whole, until its directory is no more. */
static void *write_on(void *arg)
{
	char name[16];
	int r = 0;

	for (unsigned int i = 0; r == 0; i++) {
		(void)snprintf(name, sizeof(name), "%u", i);
		r = file_write(*(int *)arg, name, "x", 1, 0600);
	}
	assert_int_equal(r, -ENOENT);
	return NULL;
}

/* As a report may still be drawn into a run that is removed. */
static void test_remove_tree_that_grows(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		pthread_t thread;
		int dir;

		assert_int_equal(file_open_directory(scratch, "dir", &dir), 0);
		assert_int_equal(pthread_create(&thread, NULL, write_on, &dir), 0);
		while (faccessat(dir, "0", F_OK, 0) < 0)
			(void)sched_yield();
		assert_int_equal(file_remove_tree(scratch, "dir"), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		(void)close(dir);
		assert_int_equal(count_entries(scratch_path), 2);
	}
}

static void test_sweep(void **state)
{
	static const char *const kept[] = {".tmp-a", ".tmp-a-0123456789abcdeg", "a", ".tmp",
					   "tmp-a-0123456789abcdef"};
	unsigned int count = 0;
	int fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		fd = openat(scratch, kept[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert_true(fd >= 0);
		(void)close(fd);
	}
	prepare_temporary();
	/* A crash inside file_remove_tree leaves a directory of that form. */
	assert_int_equal(mkdirat(scratch, ".tmp-run-00000000deadbeef", 0700), 0);
	fd = openat(scratch, ".tmp-run-00000000deadbeef/x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(file_sweep_temporary(scratch, &count), 0);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		assert_true(is_there(kept[i]));
	assert_int_equal(count_entries(scratch_path), 2 + ARRAY_SIZE(kept));
}

/* ---- races ---- */

#define RACE_BYTES 70000
#define RACE_ROUNDS 100

struct writer {
	char letter;
	int result;
};

static void *write_often(void *arg)
{
	struct writer *writer = arg;
	char *data = malloc(RACE_BYTES);

	if (!data) {
		writer->result = -ENOMEM;
		return NULL;
	}
	memset(data, writer->letter, RACE_BYTES);
	for (int i = 0; i < RACE_ROUNDS && writer->result == 0; i++)
		writer->result = file_write(scratch, "shared", data, RACE_BYTES, 0600);
	free(data);
	return NULL;
}

static void test_two_writers(void **state)
{
	struct writer writers[2] = {{.letter = 'a'}, {.letter = 'b'}};
	pthread_t threads[2];

	(void)state;
	put("shared", "");
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_often, &writers[i]), 0);
	for (int i = 0; i < RACE_ROUNDS; i++) {
		char *data;
		size_t size;

		assert_int_equal(file_read(scratch, "shared", 1 << 20, &data, &size), 0);
		assert_true(size == 0 || size == RACE_BYTES);
		for (size_t j = 1; j < size; j++)
			assert_int_equal(data[j], data[0]);
		free(data);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(writers[i].result, 0);
	}
	assert_int_equal(count_entries(scratch_path), 2 + 1);
}

static void *create_once(void *arg)
{
	struct writer *writer = arg;

	writer->result = file_write_new(scratch, "once", &writer->letter, 1, 0600);
	return NULL;
}

static void test_one_creator_wins(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		struct writer writers[2] = {{.letter = 'a'}, {.letter = 'b'}};
		pthread_t threads[2];
		int winner;

		for (int i = 0; i < 2; i++)
			assert_int_equal(
				pthread_create(&threads[i], NULL, create_once, &writers[i]), 0);
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		winner = writers[0].result == 0 ? 0 : 1;
		assert_int_equal(writers[winner].result, 0);
		assert_int_equal(writers[1 - winner].result, -EEXIST);
		assert_holds("once", winner == 0 ? "a" : "b");
		assert_int_equal(file_remove(scratch, "once"), 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_write_and_read),
		TEST(test_order_of_calls),
		TEST(test_write_new_refuses),
		TEST(test_without_noreplace),
		TEST(test_short_and_interrupted_writes),
		TEST(test_full_disk),
		TEST(test_every_call_fails),
		TEST(test_directory_taken_back),
		TEST(test_names),
		TEST(test_read_only_regular_files),
		TEST(test_directories),
		TEST(test_move_between),
		TEST(test_remove_tree_stays_inside),
		TEST(test_remove_tree_that_grows),
		TEST(test_sweep),
		TEST(test_two_writers),
		TEST(test_one_creator_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
