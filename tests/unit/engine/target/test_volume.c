/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_volume.c - zvols and datasets as targets, without OpenZFS: in which order it is asked, and
 * what is left when any step fails.
 *
 * link: -Wl,--wrap=zfs_available,--wrap=zfs_get,--wrap=zfs_pool_read,--wrap=zfs_create_dry
 * link: -Wl,--wrap=zfs_create,--wrap=zfs_mount,--wrap=zfs_destroy_made,--wrap=zfs_node_watch_new
 * link: -Wl,--wrap=zfs_node_watch_free,--wrap=zfs_node_await,--wrap=zfs_node_name,--wrap=zfs_run
 * link: -Wl,--wrap=device_claim,--wrap=device_describe,--wrap=system_each_mount
 * link: -Wl,--wrap=zfs_version_at_least,--wrap=scratch_create
 * link: -Wl,--wrap=privileges_check,--wrap=privileges_check_access,--wrap=close
 * link: -Wl,--wrap=clock_now_ns
 *
 * Length: one stand-in for OpenZFS serves all of it.
 */
#include "engine/target/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/target/device.h"
#include "engine/target/manifest.h"
#include "engine/target/scratch.h"
#include "engine/target/system.h"
#include "engine/zfs/dataset.h"
#include "engine/zfs/node.h"
#include "engine/zfs/privileges.h"

#define PARENT "tank/volbench"
#define NAME PARENT "/volbench-run"
#define VOLUME_BYTES (UINT64_C(4) << 20)

static char top[64], node_path[64];
static int state_fd;
static struct allow *allow;

/* The stand-in. */
static struct {
	const char *fails; /* the step that does */
	const char *busy;  /* one that fails besides, with -EBUSY */
	char left[512];	   /* what was told to be left */
	int fails_with;
	enum error_code fails_as;
	bool there;    /* what is made */
	bool foreign;  /* what has its name is not the run's */
	bool taken;    /* what has its name was there before, with the same mark */
	bool parent;   /* is there */
	bool recent;   /* OpenZFS 2.3 */
	bool noted;    /* when it was created it stood in the manifest, durably */
	char log[512]; /* the steps */
	char type[16], available[24], readonly[8], direct[16], health[16];
	bool pool_readonly;
	char other[64]; /* what the node says it is, "" for the truth */
	uint64_t node_bytes;
	char mounted[4096]; /* the mountpoint it was created with */
	char refused[32];   /* a property */
	const char *destroys_run, *destroys_parent;
	uint64_t reserved;
	atomic_bool *cancel;
	bool cancels;
	bool close_hangs;
	const atomic_bool *heard; /* by the wait for freed space */
	unsigned int busy_claims; /* so often somebody else has its node locked */
} zfs;

/* A close that hangs in the kernel until it is released, while time goes by. */
static atomic_int hanging_fd = -1;
static sem_t released;
static uint64_t gone_ns;

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	if (fd >= 0 && atomic_load(&hanging_fd) == fd)
		(void)sem_wait(&released);
	return __real_close(fd);
}

uint64_t __real_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void)
{
	gone_ns += atomic_load(&hanging_fd) >= 0 ? UINT64_C(30000000000) : 0;
	return __real_clock_now_ns() + gone_ns;
}

static int step(const char *name, struct error *err)
{
	(void)snprintf(zfs.log + strlen(zfs.log), sizeof(zfs.log) - strlen(zfs.log), "%s%s",
		       zfs.log[0] ? " " : "", name);
	if (zfs.busy && strcmp(zfs.busy, name) == 0) {
		(void)error_set(err, ERROR_TARGET_BUSY, "", "%s is busy", name);
		return -EBUSY;
	}
	if (!zfs.fails || strcmp(zfs.fails, name) != 0)
		return 0;
	(void)error_set(err, zfs.fails_as, "", "%s fails", name);
	return zfs.fails_with;
}

int __wrap_zfs_available(const char *what, struct error *err);
int __wrap_zfs_available(const char *what, struct error *err)
{
	(void)what;
	return step("available", err);
}

bool __wrap_zfs_version_at_least(unsigned int major, unsigned int minor);
bool __wrap_zfs_version_at_least(unsigned int major, unsigned int minor)
{
	assert_int_equal(major, 2);
	assert_int_equal(minor, 3);
	return zfs.recent;
}

int __wrap_privileges_check_access(struct error *err);
int __wrap_privileges_check_access(struct error *err)
{
	return step("access", err);
}

int __wrap_privileges_check(const struct target_spec *spec, const struct zfs_patience *patience,
			    struct error *err);
int __wrap_privileges_check(const struct target_spec *spec, const struct zfs_patience *patience,
			    struct error *err)
{
	assert_string_equal(spec->path, PARENT);
	assert_non_null(patience);
	return step("privileges", err);
}

static char *copy_or_null(const char *text)
{
	return text[0] ? strdup(text) : NULL;
}

int __wrap_zfs_get(const char *dataset, const char *const *names, size_t count,
		   struct zfs_value **ret_values, struct error *err);
int __wrap_zfs_get(const char *dataset, const char *const *names, size_t count,
		   struct zfs_value **ret_values, struct error *err)
{
	bool parent = strcmp(dataset, PARENT) == 0;
	int r = step("get", err);

	if (r < 0)
		return r;
	if (parent ? !zfs.parent : !zfs.there) {
		(void)error_set(err, ERROR_TARGET_MISSING, "", "%s does not exist", dataset);
		return -ENOENT;
	}
	*ret_values = calloc(count, sizeof(**ret_values));
	assert_non_null(*ret_values);
	for (size_t i = 0; i < count; i++) {
		const char *value = strcmp(names[i], "type") == 0	 ? zfs.type
				    : strcmp(names[i], "available") == 0 ? zfs.available
				    : strcmp(names[i], "readonly") == 0	 ? zfs.readonly
				    : strcmp(names[i], "direct") == 0	 ? zfs.direct
									 : "131072";

		(*ret_values)[i].value = copy_or_null(value);
	}
	return 0;
}

int __wrap_zfs_pool_read(const char *pool, struct zfs_pool *ret_pool, struct error *err);
int __wrap_zfs_pool_read(const char *pool, struct zfs_pool *ret_pool, struct error *err)
{
	int r = step("pool", err);

	assert_string_equal(pool, "tank");
	if (r < 0)
		return r;
	*ret_pool = (struct zfs_pool){
		.facts = {.pool = "tank", .version = "9.9", .readonly = zfs.pool_readonly}};
	(void)snprintf(ret_pool->facts.health, sizeof(ret_pool->facts.health), "%s", zfs.health);
	return 0;
}

int __wrap_zfs_create_dry(const struct zfs_creation *creation, uint64_t *ret_reserved,
			  struct error *err);
int __wrap_zfs_create_dry(const struct zfs_creation *creation, uint64_t *ret_reserved,
			  struct error *err)
{
	int r = step("dry", err);

	if (r < 0)
		return r;
	if (zfs.refused[0] && properties_get(creation->properties, zfs.refused))
		return error_set(err, ERROR_BAD_VALUE, zfs.refused, "no");
	*ret_reserved = creation->volume ? creation->volsize + zfs.reserved : 0;
	return 0;
}

static bool is_noted(const char *name)
{
	AUTO_FREE char *text = NULL;
	char line[ZFS_NAME_BYTES + 16];

	(void)snprintf(line, sizeof(line), "\ndataset %s\n", name);
	return file_read(state_fd, "run.manifest", 4096, &text, NULL) == 0 && strstr(text, line);
}

int __wrap_zfs_create(const struct zfs_creation *creation, const struct zfs_patience *patience,
		      struct error *err);
int __wrap_zfs_create(const struct zfs_creation *creation, const struct zfs_patience *patience,
		      struct error *err)
{
	int r;

	zfs.noted = is_noted(creation->name);
	assert_non_null(patience);
	assert_true(patience->deadline_ms > 0);
	assert_string_equal(creation->run_id, "run");
	if (zfs.cancels) {
		assert_ptr_equal(patience->cancel, zfs.cancel);
		assert_non_null(patience->tick);
	}
	if (creation->mountpoint) {
		struct stat st;

		(void)snprintf(zfs.mounted, sizeof(zfs.mounted), "%s", creation->mountpoint);
		assert_int_equal(stat(creation->mountpoint, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0700);
	}
	r = step("create", err);
	zfs.there = r == 0 || zfs.foreign || zfs.taken;
	return r;
}

int __wrap_zfs_mount(const char *dataset, const struct zfs_patience *patience, struct error *err);
int __wrap_zfs_mount(const char *dataset, const struct zfs_patience *patience, struct error *err)
{
	(void)patience;
	assert_string_equal(dataset, NAME);
	return step("mount", err);
}

/* Nothing was really mounted: a dataset's file lies in the directory itself. */
static void unmount(void)
{
	char path[sizeof(zfs.mounted) + 32];

	(void)snprintf(path, sizeof(path), "%s/volbench-run-0.dat", zfs.mounted);
	(void)unlink(path); /* where there is one */
}

int __wrap_zfs_destroy_made(const char *dataset, const char *parent, const char *run_id,
			    const struct zfs_patience *patience, struct error *err);
int __wrap_zfs_destroy_made(const char *dataset, const char *parent, const char *run_id,
			    const struct zfs_patience *patience, struct error *err)
{
	int r = step("destroy", err);

	(void)dataset;
	assert_non_null(patience);
	assert_true(patience->deadline_ms > 0);
	assert_string_equal(parent, PARENT);
	assert_string_equal(run_id, "run");
	if (r < 0)
		return r;
	if (zfs.there && zfs.foreign) {
		(void)error_set(err, ERROR_TARGET_NOT_ALLOWED, "", "is not what the run made");
		return -EPERM;
	}
	if (!zfs.parent) {
		(void)error_set(err, ERROR_TARGET_MISSING, "", "its pool is not imported");
		return -ENOENT;
	}
	zfs.there = false;
	unmount();
	return 0;
}

int __wrap_zfs_node_watch_new(struct zfs_node_watch **ret_watch, struct error *err);
int __wrap_zfs_node_watch_new(struct zfs_node_watch **ret_watch, struct error *err)
{
	*ret_watch = NULL;
	return step("watch", err);
}

void __wrap_zfs_node_watch_free(struct zfs_node_watch *watch);
void __wrap_zfs_node_watch_free(struct zfs_node_watch *watch)
{
	assert_null(watch);
}

int __wrap_zfs_node_await(struct zfs_node_watch *watch, const char *dataset,
			  const struct zfs_patience *patience, char ret_path[64], dev_t *ret_device,
			  struct error *err);
int __wrap_zfs_node_await(struct zfs_node_watch *watch, const char *dataset,
			  const struct zfs_patience *patience, char ret_path[64], dev_t *ret_device,
			  struct error *err)
{
	int r = step("await", err);

	(void)watch;
	assert_non_null(patience);
	assert_string_equal(dataset, NAME);
	if (r < 0)
		return r;
	(void)snprintf(ret_path, 64, "%s", node_path);
	*ret_device = makedev(7, 3);
	return 0;
}

int __wrap_zfs_node_name(int fd, char name[ZFS_NAME_BYTES]);
int __wrap_zfs_node_name(int fd, char name[ZFS_NAME_BYTES])
{
	(void)fd;
	(void)snprintf(name, ZFS_NAME_BYTES, "%s", zfs.other[0] ? zfs.other : NAME);
	return step("name", NULL);
}

int __wrap_device_claim(int path_fd, const struct target_info *info, int *ret_claim,
			struct error *err);
int __wrap_device_claim(int path_fd, const struct target_info *info, int *ret_claim,
			struct error *err)
{
	int r = step("claim", err);

	(void)path_fd;
	(void)info;
	if (r == 0 && zfs.busy_claims > 0) {
		zfs.busy_claims--;
		return error_set(err, ERROR_TARGET_BUSY, "", "udev has it");
	}
	if (r == 0)
		*ret_claim = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (r == 0 && zfs.close_hangs)
		atomic_store(&hanging_fd, *ret_claim);
	return r;
}

int __wrap_device_describe(dev_t device, struct target_info *info, struct error *err);
int __wrap_device_describe(dev_t device, struct target_info *info, struct error *err)
{
	assert_int_equal(device, makedev(7, 3));
	info->kind = TARGET_DEVICE;
	info->device_number = device;
	info->size_bytes = zfs.node_bytes ? zfs.node_bytes : VOLUME_BYTES;
	(void)snprintf(info->fingerprint, sizeof(info->fingerprint), "some");
	return step("describe", err);
}

int __real_scratch_create(const struct scratch_plan *plan, struct scratch **ret_scratch,
			  struct error *err);
int __wrap_scratch_create(const struct scratch_plan *plan, struct scratch **ret_scratch,
			  struct error *err);
int __wrap_scratch_create(const struct scratch_plan *plan, struct scratch **ret_scratch,
			  struct error *err)
{
	if (zfs.fails && strcmp(zfs.fails, "files") == 0)
		return step("files", err);
	return __real_scratch_create(plan, ret_scratch, err);
}

int __wrap_zfs_run(enum zfs_program program, const char *const *arguments,
		   const struct zfs_patience *patience, struct zfs_output *ret_output,
		   struct error *err);
int __wrap_zfs_run(enum zfs_program program, const char *const *arguments,
		   const struct zfs_patience *patience, struct zfs_output *ret_output,
		   struct error *err)
{
	assert_int_equal(program, ZFS_PROGRAM_ZPOOL);
	assert_true(patience->deadline_ms > 0);
	assert_true(patience->deadline_ms < 30000); /* what a sweep is given */
	zfs.heard = patience->cancel;
	assert_string_equal(arguments[0], "wait");
	assert_string_equal(arguments[3], "tank");
	*ret_output = (struct zfs_output){.out = strdup("")};
	return step("wait", err);
}

int __wrap_system_each_mount(int (*visit)(void *arg, const struct system_mount *mount), void *arg);
int __wrap_system_each_mount(int (*visit)(void *arg, const struct system_mount *mount), void *arg)
{
	char source[] = NAME, filesystem[] = "zfs";
	struct system_mount mount = {.filesystem = filesystem, .source = source};
	struct stat st;

	assert_int_equal(stat(zfs.mounted, &st), 0);
	mount.device = st.st_dev;
	if (step("mounts", NULL) < 0)
		return 0; /* not among them */
	return visit(arg, &mount);
}

/* ---- around it ---- */

static size_t entries(const char *path)
{
	DIR *directory = opendir(path);
	size_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	(void)closedir(directory);
	return count - 2; /* . and .. */
}

static int begin(void **state)
{
	const char *const datasets[] = {PARENT};

	(void)state;
	memset(&zfs, 0, sizeof(zfs));
	zfs.parent = zfs.recent = true;
	zfs.reserved = 1 << 20;
	(void)snprintf(zfs.type, sizeof(zfs.type), "filesystem");
	(void)snprintf(zfs.available, sizeof(zfs.available), "1073741824");
	(void)snprintf(zfs.readonly, sizeof(zfs.readonly), "off");
	(void)snprintf(zfs.direct, sizeof(zfs.direct), "standard");
	(void)snprintf(zfs.health, sizeof(zfs.health), "ONLINE");
	(void)snprintf(top, sizeof(top), "/var/tmp/volbench-test-volume-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	state_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)snprintf(node_path, sizeof(node_path), "/dev/volbench-test-%d", (int)getpid());
	return allow_new(NULL, 0, &allow, NULL) < 0 || allow_add_datasets(allow, datasets, 1, NULL);
}

static int end(void **state)
{
	int parent = open("/var/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	(void)state;
	allow_free(allow);
	(void)unlink(node_path); /* not all tests make it */
	(void)close(state_fd);
	r = file_remove_tree(parent, strrchr(top, '/') + 1);
	(void)close(parent);
	return r;
}

/* A node that is opened with O_PATH only. */
static bool make_node(void)
{
	if (mknod(node_path, S_IFBLK | 0600, makedev(7, 3)) == 0)
		return true;
	print_message("skipped: no block device can be made here: %s\n", strerror(errno));
	return false;
}

static void on_step(void *arg)
{
	(void)arg;
}

static void on_left(void *arg, const char *what, const struct error *err)
{
	assert_ptr_equal(arg, &zfs);
	assert_string_equal(zfs.left, ""); /* once */
	(void)snprintf(zfs.left, sizeof(zfs.left), "%.128s: %.128s", what, err->message);
}

static const struct target_need writing = {.bytes = VOLUME_BYTES, .files = 1, .writes = true};

/* One life of a target. */
static int live(enum target_kind kind, struct error *err)
{
	struct target_spec spec = {.kind = kind, .path = (char *)PARENT};
	struct target_making making = {.run_id = "run",
				       .cancel = zfs.cancel,
				       .step = on_step,
				       .left = on_left,
				       .arg = &zfs};
	struct target *target = NULL;
	struct manifest *manifest;
	int r;

	assert_int_equal(manifest_new(state_fd, "run", &manifest), 0);
	making.manifest = manifest;
	r = target_create(allow, &spec, &writing, &making, &target, err);
	if (r == 0) {
		assert_int_equal(target_info(target)->kind, kind);
		assert_string_equal(target_info(target)->path, NAME);
		assert_string_equal(target_info(target)->fingerprint, "");
		assert_true(target_fill_needed(target));
		r = target_remove(target, NULL, NULL, err);
		target_free(target);
	}
	assert_int_equal(manifest_finish(manifest), 0);
	manifest_free(manifest);
	return r;
}

#define LOOK "available access get pool dry privileges "

static void test_zvol(void **state)
{
	struct error err = {0};

	(void)state;
	if (!make_node())
		return;
	if (live(TARGET_ZVOL, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(zfs.log, LOOK "watch create await claim name describe destroy wait");
	assert_true(zfs.noted);
	assert_int_equal(entries(top), 0);
}

static void test_claimed_late(void **state)
{
	struct error err = {0};
	atomic_bool cancel = true;

	if (!make_node())
		return;
	zfs.busy_claims = 2;
	if (live(TARGET_ZVOL, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(zfs.log,
			    LOOK "watch create await claim claim claim name describe destroy wait");

	assert_int_equal(end(state), 0);
	assert_int_equal(begin(state), 0);
	if (!make_node())
		return;
	zfs.busy_claims = 2;
	zfs.cancel = &cancel;
	assert_true(live(TARGET_ZVOL, &err) < 0);
	assert_int_equal(zfs.busy_claims, 1); /* a cancel ends it */
	assert_non_null(strstr(zfs.log, "destroy"));
}

static void test_dataset(void **state)
{
	atomic_bool cancel = false;
	struct error err = {0};

	(void)state;
	zfs.cancel = &cancel;
	if (live(TARGET_DATASET, &err) < 0)
		fail_msg("%s", err.message);
	/* the second dry run weighs its files */
	assert_string_equal(zfs.log, LOOK "dry create mount mounts destroy wait");
	assert_ptr_equal(zfs.heard, &cancel);
	assert_true(zfs.noted);
	assert_non_null(strstr(zfs.mounted, "/volbench-run.mount"));
	assert_int_equal(entries(top), 0);
}

/* Every step fails once; nothing is left behind but what the stand-in still has. */
static void fail_each(enum target_kind kind, const char *const *steps)
{
	for (; *steps; steps++) {
		bool created = strcmp(*steps, "watch") != 0;
		struct error err = {0};

		zfs.log[0] = '\0';
		zfs.fails = *steps;
		zfs.fails_with = -EIO;
		zfs.fails_as = ERROR_ZFS_FAILED;
		if (live(kind, &err) == 0)
			fail_msg("%s did not fail", *steps);
		assert_true(err.code != ERROR_NONE);
		if (created && !strstr(zfs.log, " destroy"))
			fail_msg("%s: nothing was destroyed: %s", *steps, zfs.log);
		assert_false(zfs.there);
		if (entries(top) != 0)
			fail_msg("%s left something behind", *steps);
	}
}

static void test_each_step_fails(void **state)
{
	static const char *const zvol[] = {"watch", "create",	"await", "claim",
					   "name",  "describe", NULL};
	static const char *const dataset[] = {"create", "mount", "mounts", NULL};

	(void)state;
	if (make_node())
		fail_each(TARGET_ZVOL, zvol);
	fail_each(TARGET_DATASET, dataset);
}

static void test_looks_first(void **state)
{
	static const char *const steps[] = {"available", "access",     "get", "pool",
					    "dry",	 "privileges", NULL};

	(void)state;
	for (size_t i = 0; steps[i]; i++) {
		struct error err = {0};

		zfs.log[0] = '\0';
		zfs.fails = steps[i];
		zfs.fails_with = -EIO;
		zfs.fails_as = ERROR_ZFS_FAILED;
		assert_true(live(TARGET_ZVOL, &err) < 0);
		assert_null(strstr(zfs.log, "create"));
		assert_null(strstr(zfs.log, "destroy"));
		assert_int_equal(entries(top), 0);
	}
}

/* What had the name before is not ours: left, and not remembered. */
static void test_name_taken(void **state)
{
	struct error err = {0};

	(void)state;
	zfs.foreign = true;
	zfs.fails = "create";
	zfs.fails_with = -EEXIST;
	zfs.fails_as = ERROR_FILE_EXISTS;
	assert_true(live(TARGET_DATASET, &err) < 0);
	assert_int_equal(err.code, ERROR_FILE_EXISTS);
	assert_true(zfs.there);
	assert_int_equal(entries(top), 0);
}

/* Even what carries this very run's mark, as of a service with a copy of this one's state. */
static void test_name_and_mark_taken(void **state)
{
	struct error err = {0};

	(void)state;
	zfs.taken = true;
	zfs.fails = "create";
	zfs.fails_with = -EEXIST;
	zfs.fails_as = ERROR_FILE_EXISTS;
	assert_true(live(TARGET_DATASET, &err) < 0);
	assert_int_equal(err.code, ERROR_FILE_EXISTS);
	assert_true(zfs.there);
	assert_null(strstr(zfs.log, "destroy"));
	assert_int_equal(entries(top), 0);
}

/* Of a create that was given up something may be there: destroying it is tried. */
static void test_create_given_up(void **state)
{
	atomic_bool cancel = true;
	struct error err = {0};

	(void)state;
	zfs.fails = "create";
	zfs.fails_with = -ECANCELED;
	zfs.fails_as = ERROR_CANCELLED;
	zfs.cancels = true;
	zfs.cancel = &cancel;
	assert_int_equal(live(TARGET_DATASET, &err), -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
	assert_non_null(strstr(zfs.log, " create destroy"));
	assert_int_equal(entries(top), 0);
}

static void test_destroy_fails(void **state)
{
	struct error err = {0};

	(void)state;
	if (!make_node())
		return;
	zfs.fails = "destroy";
	zfs.fails_with = -EBUSY;
	zfs.fails_as = ERROR_TARGET_BUSY;
	assert_int_equal(live(TARGET_ZVOL, &err), -EBUSY);
	assert_true(is_noted(NAME));
}

/* A suspended pool: nothing is destroyed, the manifest remembers, and nobody waits for ever. */
static void test_close_hangs(void **state)
{
	struct error err = {0};

	(void)state;
	if (!make_node())
		return;
	assert_int_equal(sem_init(&released, 0, 0), 0);
	zfs.close_hangs = true;
	assert_int_equal(live(TARGET_ZVOL, &err), -ETIMEDOUT);
	assert_int_equal(err.code, ERROR_ZFS_FAILED);
	assert_non_null(strstr(err.message, "suspended"));
	assert_null(strstr(zfs.log, "destroy"));
	assert_true(is_noted(NAME));
	atomic_store(&hanging_fd, -1);
	assert_int_equal(sem_post(&released), 0);
}

/* What could be made only in part, and not be destroyed, is told and remembered. */
static void test_half_made_stays(void **state)
{
	struct error err = {0};

	(void)state;
	zfs.fails = "mount";
	zfs.fails_with = -EIO;
	zfs.fails_as = ERROR_ZFS_FAILED;
	zfs.busy = "destroy";
	assert_int_equal(live(TARGET_DATASET, &err), -EIO);
	assert_string_equal(err.message, "mount fails"); /* the first one */
	assert_string_equal(zfs.left, NAME ": destroy is busy");
	assert_true(is_noted(NAME));
}

/* The same where only its files could not be made. */
static void test_half_filled_stays(void **state)
{
	struct error err = {0};

	(void)state;
	zfs.fails = "files";
	zfs.fails_with = -ENOSPC;
	zfs.fails_as = ERROR_NO_SPACE;
	zfs.busy = "destroy";
	assert_int_equal(live(TARGET_DATASET, &err), -ENOSPC);
	assert_string_equal(zfs.left, NAME ": destroy is busy");
	assert_true(is_noted(NAME));
}

static void test_other_node(void **state)
{
	struct error err = {0};

	(void)state;
	if (!make_node())
		return;
	(void)snprintf(zfs.other, sizeof(zfs.other), "tank/other");
	assert_true(live(TARGET_ZVOL, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_TYPE);
	assert_non_null(strstr(err.message, "tank/other"));
	assert_int_equal(entries(top), 0);
}

static void test_rounded_size(void **state)
{
	struct error err = {0};

	(void)state;
	if (!make_node())
		return;
	zfs.node_bytes = VOLUME_BYTES + 512;
	assert_true(live(TARGET_ZVOL, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_SIZE);
	assert_int_equal(entries(top), 0);
}

/* ---- looking ---- */

static int look(const struct target_spec *spec, const struct target_need *need,
		struct target_info *info, struct findings *findings, struct error *err)
{
	*err = (struct error){0};
	return target_inspect(allow, spec, need, false, info, findings, err);
}

static void refused(const struct target_spec *spec, const struct target_need *need,
		    enum error_code code, const char *field)
{
	struct target_info info;
	struct error err;

	assert_true(look(spec, need, &info, NULL, &err) < 0);
	if (err.code != code)
		fail_msg("%s: %s", error_code_text(err.code), err.message);
	assert_string_equal(err.field, field);
}

static void test_refused(void **state)
{
	struct target_spec zvol = {.kind = TARGET_ZVOL, .path = (char *)PARENT};
	struct target_spec outside = {.kind = TARGET_ZVOL, .path = (char *)"tank/volbench2"};
	struct target_need none = {.files = 1, .writes = true}, more = writing;

	(void)state;
	refused(&outside, &writing, ERROR_TARGET_NOT_ALLOWED, "");
	refused(&zvol, &none, ERROR_MISSING_FIELD, "size");
	zvol.size_bytes = VOLUME_BYTES;
	more.bytes++;
	refused(&zvol, &more, ERROR_TARGET_TOO_SMALL, "size");
	(void)snprintf(zfs.type, sizeof(zfs.type), "volume");
	refused(&zvol, &writing, ERROR_TARGET_TYPE, "");
	(void)snprintf(zfs.type, sizeof(zfs.type), "filesystem");
	zfs.parent = false;
	refused(&zvol, &writing, ERROR_TARGET_MISSING, "");
	zfs.parent = true;
	(void)snprintf(zfs.readonly, sizeof(zfs.readonly), "on");
	refused(&zvol, &writing, ERROR_TARGET_READ_ONLY, "");
	(void)snprintf(zfs.readonly, sizeof(zfs.readonly), "off");
	zfs.pool_readonly = true;
	refused(&zvol, &writing, ERROR_TARGET_READ_ONLY, "");
	zfs.pool_readonly = false;
	(void)snprintf(zfs.health, sizeof(zfs.health), "SUSPENDED");
	refused(&zvol, &writing, ERROR_ZFS_FAILED, "");
	(void)snprintf(zfs.health, sizeof(zfs.health), "ONLINE");
	assert_int_equal(properties_set(&zvol.properties, "compression", "much"), 0);
	(void)snprintf(zfs.refused, sizeof(zfs.refused), "compression");
	refused(&zvol, &writing, ERROR_BAD_VALUE, "compression");
	properties_done(&zvol.properties);
	zvol.existing = true;
	refused(&zvol, &writing, ERROR_CONFLICT, "");
}

static const struct finding *find(const struct findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].code, code) == 0)
			return &findings->list[i];
	return NULL;
}

static void test_foretold(void **state)
{
	struct target_spec spec = {.kind = TARGET_ZVOL, .path = (char *)PARENT};
	struct target_need need = writing;
	struct target_info info;
	struct findings findings;
	struct error err;

	(void)state;
	findings_init(&findings);
	need.direct = true;
	assert_int_equal(look(&spec, &need, &info, &findings, &err), 0);
	assert_true(info.nowait && info.direct && info.discards && info.checked);
	assert_false(info.polled);
	assert_int_equal(info.logical_block_bytes, 512);
	assert_int_equal(info.size_bytes, VOLUME_BYTES);
	assert_int_equal(info.reserved_bytes, VOLUME_BYTES + zfs.reserved);
	assert_int_equal(info.free_bytes, 1 << 30);
	assert_string_equal(info.zfs.pool, "tank");
	assert_int_equal(findings.count, 0);

	spec.kind = TARGET_DATASET;
	(void)snprintf(zfs.health, sizeof(zfs.health), "DEGRADED");
	need.files = 3;
	assert_int_equal(look(&spec, &need, &info, &findings, &err), 0);
	assert_false(info.nowait || info.polled);
	assert_true(info.direct && info.checked);
	assert_int_equal(info.logical_block_bytes, sysconf(_SC_PAGESIZE));
	assert_string_equal(info.filesystem, "zfs");
	assert_int_equal(info.reserved_bytes, 3 * VOLUME_BYTES + zfs.reserved);
	assert_non_null(find(&findings, "pool_degraded"));
	assert_non_null(strstr(find(&findings, "zfs_direct")->message, "9.9, direct=standard"));
	findings_done(&findings);

	(void)snprintf(zfs.direct, sizeof(zfs.direct), "disabled");
	assert_int_equal(look(&spec, &need, &info, &findings, &err), 0);
	assert_non_null(strstr(find(&findings, "zfs_direct")->message, "accepted and ignored"));
	assert_int_equal(info.logical_block_bytes, 512);
	findings_done(&findings);

	zfs.recent = false;
	zfs.direct[0] = '\0';
	assert_int_equal(look(&spec, &need, &info, &findings, &err), 0);
	assert_non_null(strstr(find(&findings, "zfs_direct")->message, "no property direct"));
	findings_done(&findings);
}

/* ---- the sweep ---- */

static void leave_manifest(const char *name)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "volbench.manifest/1\ndataset %s\n", name);
	assert_int_equal(file_write(state_fd, "run.manifest", text, strlen(text), 0600), 0);
}

/* Sweeps, and says whether the manifest is still there. */
static bool sweep(const char *code, const char *part)
{
	const struct finding *found;
	struct findings findings;
	bool kept = true;

	findings_init(&findings);
	assert_int_equal(manifest_sweep(state_fd, allow, NULL, &findings, NULL), 0);
	found = code ? find(&findings, code) : NULL;
	if (code && (!found || !strstr(found->message, part)))
		fail_msg("no finding %s with %s", code, part);
	assert_int_equal(findings.count, code ? 1 : 0);
	findings_done(&findings);
	if (faccessat(state_fd, "run.manifest", F_OK, 0) < 0)
		kept = false;
	return kept;
}

static void test_sweep(void **state)
{
	(void)state;
	/* it is there, and the directory it was mounted at */
	leave_manifest(NAME "-2");
	assert_int_equal(mkdirat(state_fd, "volbench-run-2.mount", 0700), 0);
	zfs.there = true;
	assert_false(sweep("removed", NAME "-2"));
	assert_false(zfs.there);
	assert_int_equal(entries(top), 0);
	assert_non_null(strstr(zfs.log, "destroy wait"));
	/* two: their space is waited for when both are destroyed */
	zfs.log[0] = '\0';
	zfs.there = true;
	leave_manifest(NAME "-1\ndataset " NAME "-2");
	assert_false(sweep("removed", NAME "-1"));
	assert_string_equal(zfs.log, "available get destroy available get destroy wait");
	/* it was never made */
	leave_manifest(NAME);
	assert_false(sweep(NULL, NULL));
	assert_int_equal(entries(top), 0);
	/* somebody else's of that name: left, and told once */
	leave_manifest(NAME);
	zfs.there = zfs.foreign = true;
	assert_false(sweep("left", "is not what the run made"));
	assert_true(zfs.there);
}

/* What may be possible another time stays in the manifest. */
static void test_sweep_later(void **state)
{
	(void)state;
	leave_manifest(NAME);
	zfs.there = true;
	zfs.fails = "destroy";
	zfs.fails_with = -EBUSY;
	zfs.fails_as = ERROR_TARGET_BUSY;
	assert_true(sweep("left", "destroy fails"));
	zfs.fails = "available";
	assert_true(sweep("left", "no OpenZFS"));
	zfs.fails = NULL;
	zfs.parent = zfs.there = false;
	assert_true(sweep("left", "not imported"));
	zfs.parent = zfs.there = true;
	assert_false(sweep("removed", NAME));
	/* not allowed any more: not even asked about */
	zfs.there = true;
	zfs.log[0] = '\0';
	leave_manifest("tank/elsewhere/volbench-run");
	assert_true(sweep("left", "--allow-dataset tank/elsewhere"));
	assert_string_equal(zfs.log, "");
	assert_true(zfs.there);
}

/* A line that no run of ours wrote. */
static void test_sweep_bad_names(void **state)
{
	static const char *const names[] = {PARENT,
					    "tank",
					    "volbench-run",
					    PARENT "/other",
					    PARENT "/volbench-run@now",
					    PARENT "/../volbench-run",
					    "/tank/volbench-run",
					    PARENT "//volbench-run",
					    ""};

	(void)state;
	zfs.there = true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		leave_manifest(names[i]);
		assert_false(sweep("set_aside", "run.manifest"));
		assert_string_equal(zfs.log, "");
	}
	assert_true(zfs.there);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_zvol, begin, end),
		cmocka_unit_test_setup_teardown(test_claimed_late, begin, end),
		cmocka_unit_test_setup_teardown(test_dataset, begin, end),
		cmocka_unit_test_setup_teardown(test_each_step_fails, begin, end),
		cmocka_unit_test_setup_teardown(test_looks_first, begin, end),
		cmocka_unit_test_setup_teardown(test_name_taken, begin, end),
		cmocka_unit_test_setup_teardown(test_name_and_mark_taken, begin, end),
		cmocka_unit_test_setup_teardown(test_create_given_up, begin, end),
		cmocka_unit_test_setup_teardown(test_destroy_fails, begin, end),
		cmocka_unit_test_setup_teardown(test_close_hangs, begin, end),
		cmocka_unit_test_setup_teardown(test_half_made_stays, begin, end),
		cmocka_unit_test_setup_teardown(test_half_filled_stays, begin, end),
		cmocka_unit_test_setup_teardown(test_other_node, begin, end),
		cmocka_unit_test_setup_teardown(test_rounded_size, begin, end),
		cmocka_unit_test_setup_teardown(test_refused, begin, end),
		cmocka_unit_test_setup_teardown(test_foretold, begin, end),
		cmocka_unit_test_setup_teardown(test_sweep, begin, end),
		cmocka_unit_test_setup_teardown(test_sweep_later, begin, end),
		cmocka_unit_test_setup_teardown(test_sweep_bad_names, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
