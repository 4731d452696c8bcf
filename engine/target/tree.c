/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree.c - see tree.h. */
#include "engine/target/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/io/files/files_plan.h"
#include "engine/target/manifest.h"
#include "engine/target/place.h"

#define NAME_DIGITS 4
#define SPARE_DESCRIPTORS 64 /* besides the directories */
#define STEP_EVERY 1000	     /* files */

enum tier { TIER_TREE, TIER_JOB, TIER_DIRECTORY }; /* what is being emptied */

struct tree {
	struct manifest *manifest;
	int parent, fd; /* fd: of the tree, O_PATH; -1: not made */
	char *path;	/* absolute, for the manifest */
};

struct removal {
	dev_t device; /* the tree's: no other file system is entered */
	const struct tree_step *step;
	uint64_t count;
};

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* ---- emptying ---- */

static bool is_directory_name(const char *name, enum tier level)
{
	return name[0] == (level == TIER_TREE ? 'j' : 'd') && strlen(name) == NAME_DIGITS + 1 &&
	       strspn(name + 1, "0123456789") == NAME_DIGITS;
}

static int open_directory(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int remove_file(int directory, const char *name, struct removal *removal)
{
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(st.st_mode))
		return 0; /* not ours: the directory stays */
	if (removal->step && removal->step->call && ++removal->count % STEP_EVERY == 0)
		removal->step->call(removal->step->arg);
	return unlinkat(directory, name, 0) < 0 && errno != ENOENT ? -errno : 1;
}

static int empty(int fd, enum tier level, struct removal *removal);

/* Something below may not be ours: rmdir says so, and it stays. */
static int remove_directory(int parent, const char *name, enum tier level, struct removal *removal)
{
	AUTO_CLOSE int fd = open_directory(parent, name);
	struct stat st;
	int r;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_dev != removal->device)
		return 0;
	r = empty(fd, level, removal);
	if (r < 0)
		return r;
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
		return 1;
	return errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT ? 0 : -errno;
}

/* One pass over a directory: how many entries went, or the first error. */
static int empty_once(DIR *list, int fd, enum tier level, struct removal *removal)
{
	struct dirent *entry;
	int first = 0, gone = 0;

	rewinddir(list);
	while ((errno = 0, entry = readdir(list))) {
		const char *name = entry->d_name;
		int r = 0;

		if (level == TIER_DIRECTORY)
			r = files_plan_is_name(name) ? remove_file(fd, name, removal) : 0;
		else if (is_directory_name(name, level))
			r = remove_directory(fd, name, level + 1, removal);
		gone += r > 0 && gone < INT32_MAX;
		if (r < 0 && first == 0)
			first = r;
	}
	if (errno != 0 && first == 0)
		first = -errno;
	return first < 0 ? first : gone;
}

/* Until nothing of ours is seen any more: a list that changes under its reader may skip some. The
 * first error is told, the rest still tried. */
static int empty(int fd, enum tier level, struct removal *removal)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3), r;
	DIR *list = copy < 0 ? NULL : fdopendir(copy);

	if (!list) {
		r = -errno;
		if (copy >= 0)
			(void)close(copy); /* only read */
		return r;
	}
	do {
		r = empty_once(list, fd, level, removal);
	} while (r > 0);
	(void)closedir(list); /* only read */
	return r;
}

static int empty_tree(int fd, const struct tree_step *step)
{
	struct removal removal = {.step = step};
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	removal.device = st.st_dev;
	return empty(fd, TIER_TREE, &removal);
}

int tree_sweep(int parent, const char *name)
{
	AUTO_CLOSE int fd = open_directory(parent, name);
	int r;

	if (fd < 0)
		return errno == ENOENT ? 0 : errno == ELOOP ? -ENOTDIR : -errno;
	r = empty_tree(fd, NULL);
	if (r < 0)
		return r;
	if (unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return errno == EEXIST ? -ENOTEMPTY : -errno;
	return file_sync_directory(parent);
}

/* ---- making ---- */

static int tell_making(const struct tree *tree, int sys, struct error *err)
{
	char shown[PLACE_SHOWN];
	enum error_code code = sys == ENOSPC || sys == EDQUOT ? ERROR_NO_SPACE
			       : sys == EROFS		      ? ERROR_TARGET_READ_ONLY
							      : ERROR_SYSTEM;

	return error_set_sys(err, code, sys, "making directories in %s",
			     text_clean(tree->path, shown, sizeof(shown)));
}

static int make_tree(struct tree *tree, struct error *err)
{
	const char *path = tree->path;
	int r = tree->manifest ? manifest_intend_tree(tree->manifest, path) : 0;

	if (r < 0)
		return manifest_tell(r, "noting what the run will make", err);
	if (mkdirat(tree->parent, name_of(path), 0700) < 0) {
		r = errno;
		manifest_removed(tree->manifest, path);
		return tell_making(tree, r, err);
	}
	tree->fd = open_directory(tree->parent, name_of(path));
	return tree->fd < 0 ? tell_making(tree, errno, err) : 0;
}

int tree_create(const struct tree_plan *plan, struct tree **ret_tree, struct error *err)
{
	struct tree *tree = calloc(1, sizeof(*tree));
	size_t length = strlen(plan->directory);
	const char *slash = length > 0 && plan->directory[length - 1] == '/' ? "" : "/";
	uint32_t unique;
	int r;

	if (!tree)
		return error_no_memory(err);
	tree->manifest = plan->manifest;
	tree->fd = tree->parent = -1;
	/* So that a name noted before it is made cannot be that of somebody's own directory. */
	if (getrandom(&unique, sizeof(unique), 0) != (ssize_t)sizeof(unique))
		r = error_set_sys(err, ERROR_SYSTEM, EIO, "drawing a name");
	else if (asprintf(&tree->path, "%s%s" MANIFEST_PREFIX "%s-files-%08" PRIx32,
			  plan->directory, slash, plan->run_id, unique) < 0)
		r = error_no_memory(err);
	else if ((tree->parent = fcntl(plan->dirfd, F_DUPFD_CLOEXEC, 3)) < 0)
		r = error_set_sys(err, ERROR_SYSTEM, errno, "making the target");
	else
		r = make_tree(tree, err);
	if (r < 0) {
		tree_free(tree);
		return r;
	}
	*ret_tree = tree;
	return 0;
}

int tree_directory(const struct tree *tree)
{
	return tree->parent;
}

/* The soft limit is a default; the hard one is somebody's will. */
static void allow_descriptors(size_t count)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)count + SPARE_DESCRIPTORS;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* opening says what is missing */
}

/* mkdir and open; -errno. */
static int make_directory(int parent, char letter, size_t number, int *ret_fd)
{
	char name[NAME_DIGITS + 24];

	(void)snprintf(name, sizeof(name), "%c%0*zu", letter, NAME_DIGITS, number); /* fits */
	if (mkdirat(parent, name, 0700) < 0)
		return -errno;
	*ret_fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret_fd < 0 ? -errno : 0;
}

static void close_all(int *directories, size_t count)
{
	for (size_t i = 0; directories && i < count; i++)
		if (directories[i] >= 0)
			(void)close(directories[i]); /* O_PATH: nothing to lose */
	free(directories);
}

int tree_fill(struct tree *tree, size_t jobs, size_t count, int **ret_directories,
	      struct error *err)
{
	int *directories = calloc(jobs * count, sizeof(*directories)), r = 0;

	if (!directories)
		return error_no_memory(err);
	memset(directories, 0xff, jobs * count * sizeof(*directories)); /* -1 */
	allow_descriptors(jobs * count);
	for (size_t j = 0; j < jobs && r == 0; j++) {
		AUTO_CLOSE int job = -1;

		r = make_directory(tree->fd, 'j', j, &job);
		for (size_t d = 0; d < count && r == 0; d++)
			r = make_directory(job, 'd', d, &directories[j * count + d]);
	}
	if (r < 0) {
		close_all(directories, jobs * count);
		if (r == -EMFILE)
			return error_set_sys(
				err, ERROR_SYSTEM, EMFILE,
				"holding numjobs x directories = %zu directories open: "
				"lower one, or raise the limit of open files",
				jobs * count);
		return tell_making(tree, -r, err);
	}
	*ret_directories = directories;
	return 0;
}

/* ---- removing ---- */

int tree_clear(struct tree *tree, int *directories, size_t count, const struct tree_step *step,
	       struct error *err)
{
	char shown[PLACE_SHOWN];
	int r;

	close_all(directories, count);
	r = empty_tree(tree->fd, step);
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "removing what a sample made in %s",
				     text_clean(tree->path, shown, sizeof(shown)))
		     : 0;
}

/* Whether the tree's name still is the tree's. */
static bool is_same(const struct tree *tree)
{
	struct stat own, named;

	return fstat(tree->fd, &own) == 0 &&
	       fstatat(tree->parent, name_of(tree->path), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

int tree_remove(struct tree *tree, const struct tree_step *step, struct error *err)
{
	char shown[PLACE_SHOWN];
	int r;

	if (tree->fd < 0)
		return 0;
	text_clean(tree->path, shown, sizeof(shown));
	r = tree_clear(tree, NULL, 0, step, err);
	if (r < 0)
		return r;
	if (!is_same(tree))
		return error_set(err, ERROR_TARGET_TYPE, "",
				 "%s is not the directory the run made any more; it is left as it "
				 "is",
				 shown);
	if (unlinkat(tree->parent, name_of(tree->path), AT_REMOVEDIR) < 0)
		return errno == ENOTEMPTY || errno == EEXIST
			       ? error_set_sys(err, ERROR_SYSTEM, ENOTEMPTY,
					       "%s holds something that is not the run's", shown)
			       : error_set_sys(err, ERROR_SYSTEM, errno, "removing %s", shown);
	r = file_sync_directory(tree->parent);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r,
				     "making the removal of the target durable");
	manifest_removed(tree->manifest, tree->path);
	return 0;
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	if (tree->fd >= 0)
		(void)close(tree->fd); /* only read */
	if (tree->parent >= 0)
		(void)close(tree->parent); /* O_PATH */
	free(tree->path);
	free(tree);
}
