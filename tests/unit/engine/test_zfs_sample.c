/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_zfs_sample.c - which samples are told of OpenZFS, and what they ask of it: with its
 * telemetry and the list of mounts stood in for.
 *
 * link: -Wl,--wrap=system_each_mount,--wrap=zfs_telemetry_new,--wrap=zfs_telemetry_free
 * link: -Wl,--wrap=zfs_telemetry_begin,--wrap=zfs_telemetry_settled,--wrap=zfs_telemetry_window
 * link: -Wl,--wrap=zfs_telemetry_end
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "engine/plan/file_phases.h"
#include "engine/target/system.h"
#include "engine/zfs/telemetry.h"
#include "engine/zfs_sample.h"
#include "tests/unit/server/codec/fixture.h"

int __wrap_system_each_mount(int (*visit)(void *arg, const struct system_mount *mount), void *arg);
int __wrap_zfs_telemetry_new(const char *dataset, bool volume, struct zfs_telemetry **ret_telemetry,
			     struct error *err);
void __wrap_zfs_telemetry_free(struct zfs_telemetry *telemetry);
int __wrap_zfs_telemetry_begin(struct zfs_telemetry *telemetry, const struct zfs_patience *patience,
			       struct sample_zfs *zfs, struct error *err);
bool __wrap_zfs_telemetry_settled(const struct zfs_telemetry *telemetry);
void __wrap_zfs_telemetry_window(struct zfs_telemetry *telemetry, bool begins);
int __wrap_zfs_telemetry_end(struct zfs_telemetry *telemetry, const struct zfs_patience *patience,
			     struct sample_zfs *zfs, struct error *err);

#define MIB (1u << 20)

static struct {
	int fd;
	dev_t device;
	const char *filesystem;
	bool settled;
	int begin, end;
	unsigned int open, windows, ends;
} world;

int __wrap_system_each_mount(int (*visit)(void *arg, const struct system_mount *mount), void *arg)
{
	char zfs[] = "zfs", other[] = "other", home[] = "tank/home", kind[16];
	const struct system_mount mounts[] = {
		{.device = makedev(0, 1048575), .filesystem = zfs, .source = other},
		{.device = world.device, .filesystem = kind, .source = home},
	};
	int r;

	(void)snprintf(kind, sizeof(kind), "%s", world.filesystem);
	r = visit(arg, &mounts[0]);
	return r ? r : visit(arg, &mounts[1]);
}

int __wrap_zfs_telemetry_new(const char *dataset, bool volume, struct zfs_telemetry **ret_telemetry,
			     struct error *err)
{
	(void)err;
	assert_string_equal(dataset, "tank/home");
	assert_false(volume);
	*ret_telemetry = (struct zfs_telemetry *)&world;
	world.open++;
	return 0;
}

void __wrap_zfs_telemetry_free(struct zfs_telemetry *telemetry)
{
	assert_ptr_equal(telemetry, &world);
	world.open--;
}

int __wrap_zfs_telemetry_begin(struct zfs_telemetry *telemetry, const struct zfs_patience *patience,
			       struct sample_zfs *zfs, struct error *err)
{
	(void)telemetry;
	(void)patience;
	(void)err;
	zfs->logical_bytes = 77;
	zfs->compress_ratio = 1;
	assert_int_equal(properties_set(&zfs->properties, "recordsize", "131072"), 0);
	return world.begin;
}

bool __wrap_zfs_telemetry_settled(const struct zfs_telemetry *telemetry)
{
	(void)telemetry;
	return world.settled;
}

void __wrap_zfs_telemetry_window(struct zfs_telemetry *telemetry, bool begins)
{
	(void)telemetry;
	(void)begins;
	world.windows++;
}

int __wrap_zfs_telemetry_end(struct zfs_telemetry *telemetry, const struct zfs_patience *patience,
			     struct sample_zfs *zfs, struct error *err)
{
	(void)telemetry;
	(void)patience;
	(void)zfs;
	(void)err;
	world.ends++;
	return world.end;
}

static int new_world(void **state)
{
	struct stat st;

	(void)state;
	memset(&world, 0, sizeof(world));
	world.filesystem = "zfs";
	world.settled = true;
	world.fd = memfd_create("file", MFD_CLOEXEC);
	assert_true(world.fd >= 0);
	assert_int_equal(ftruncate(world.fd, 2 * MIB), 0);
	assert_int_equal(fstat(world.fd, &st), 0);
	assert_int_equal(major(st.st_dev), 0);
	world.device = st.st_dev;
	return 0;
}

static int end_world(void **state)
{
	(void)state;
	assert_int_equal(world.open, 0);
	return close(world.fd);
}

/* A sample of two jobs on one file; loaded: what its load comes to. */
static int whole(struct sample *sample, const char *options, enum backend_kind backend, int loaded)
{
	const struct measure_region regions[] = {
		{.fd = world.fd, .length = MIB},
		{.fd = world.fd, .offset = MIB, .length = MIB},
	};
	const struct zfs_sample_config config = {
		.regions = regions, .region_count = 2, .backend = backend};
	struct zfs_sample *beside = NULL;
	struct error err;
	int r;

	sample_init(sample);
	fixture_workload(&sample->options, options);
	r = zfs_sample_begin(&config, sample, &beside, &err);
	if (r < 0) {
		assert_null(beside);
		return r;
	}
	zfs_sample_window(beside, true);
	zfs_sample_window(beside, false);
	fixture_series(&sample->series, 3, 1);
	sample->directions[DIRECTION_WRITE].ios = 100;
	r = zfs_sample_end(&beside, loaded, sample, &err);
	assert_null(beside);
	return r;
}

static const char sequential[] = "rw=read bs=4k size=1m direct=1";

static void files_on_a_dataset_are_told_of(void **state)
{
	struct sample sample;
	uint64_t asked = 0;

	(void)state;
	assert_int_equal(whole(&sample, sequential, BACKEND_THREADS, 0), 0);
	assert_non_null(sample.zfs);
	assert_int_equal(world.windows, 2);
	assert_int_equal(world.ends, 1);
	assert_int_equal(sample.zfs->size_bytes, 2 * MIB); /* once, of the two jobs */
	assert_int_equal(sample.zfs->written_bytes, 0);	   /* a hole */
	assert_true(sample.zfs->accesses_a_block == 32);
	for (size_t i = 0; i < 3; i++) /* the ramp's too */
		asked += sample.series.seconds[i].bytes[DIRECTION_READ];
	assert_true(sample.zfs->pool.asked_read_bytes == asked);
	sample_done(&sample);
}

static void blocks_are_met_once_unless_in_order(void **state)
{
	static const char *const once[] = {
		"rw=randread bs=4k size=1m",
		"rw=read bs=128k size=1m",
		"rw=read bs=1m size=1m",
		"rw=read:8k bs=4k size=1m",
		"rw=rw bs=4k size=1m",
		"rw=read bssplit=4k/50:8k/50 size=1m",
		"rw=read bsrange=4k-64k size=1m",
	};
	struct sample sample;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(once); i++) {
		assert_int_equal(whole(&sample, once[i], BACKEND_THREADS, 0), 0);
		if (sample.zfs->accesses_a_block > 1)
			fail_msg("%s: %g", once[i], sample.zfs->accesses_a_block);
		sample_done(&sample);
	}
}

static void writes_of_parts_of_a_record_are_counted(void **state)
{
	static const struct {
		const char *options;
		uint64_t count;
	} cases[] = {
		{"rw=randrw bs=8k size=1m", 100},
		{"rw=randwrite bs=127k size=1m", 100},
		{"rw=randwrite bs=128k size=1m", 0},
		{"rw=randrw bs=4k,128k size=1m", 0},
		{"rw=randrw bs=128k,4k size=1m", 100},
		{"rw=randread bs=8k size=1m", 0},
		{"rw=randwrite bssplit=4k/50:128k/50 size=1m", 0},
		{"rw=randwrite bsrange=4k-128k size=1m", 0},
	};
	struct sample sample;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(whole(&sample, cases[i].options, BACKEND_THREADS, 0), 0);
		if (sample.zfs->partial_writes != cases[i].count)
			fail_msg("%s: %llu", cases[i].options,
				 (unsigned long long)sample.zfs->partial_writes);
		sample_done(&sample);
	}
}

static void elsewhere_nothing_is_asked(void **state)
{
	struct sample sample;

	(void)state;
	world.filesystem = "tmpfs";
	assert_int_equal(whole(&sample, sequential, BACKEND_THREADS, 0), 0);
	assert_null(sample.zfs);
	sample_done(&sample);
	world.filesystem = "zfs";
	assert_int_equal(whole(&sample, sequential, BACKEND_NULL, 0), 0);
	assert_null(sample.zfs);
	sample_done(&sample);
	assert_int_equal(world.windows + world.ends, 0);
}

/* A job of several files, of which each counts. */
static void files_of_a_job_are_summed(void **state)
{
	int second = memfd_create("second", MFD_CLOEXEC);
	struct measure_file files[] = {{world.fd, 2 * MIB}, {second, MIB}};
	const struct measure_region region = {
		.fd = world.fd, .length = 2 * MIB, .file_count = 2, .files = files};
	const struct zfs_sample_config config = {
		.regions = &region, .region_count = 1, .backend = BACKEND_THREADS};
	struct zfs_sample *beside = NULL;
	struct sample sample;
	struct error err;

	(void)state;
	assert_true(second >= 0);
	assert_int_equal(ftruncate(second, MIB), 0);
	sample_init(&sample);
	fixture_workload(&sample.options, sequential);
	assert_int_equal(zfs_sample_begin(&config, &sample, &beside, &err), 0);
	assert_int_equal(sample.zfs->size_bytes, 3 * MIB);
	assert_int_equal(zfs_sample_end(&beside, 0, &sample, &err), 0);
	sample_done(&sample);
	assert_int_equal(close(second), 0);
}

static void without_a_sync_nothing_is_told_of_what_it_holds(void **state)
{
	struct sample sample;

	(void)state;
	world.settled = false;
	assert_int_equal(whole(&sample, sequential, BACKEND_THREADS, 0), 0);
	assert_int_equal(sample.zfs->size_bytes, 0);
	assert_int_equal(sample.zfs->logical_bytes, 0);
	assert_true(sample.zfs->compress_ratio == 0);
	sample_done(&sample);
}

static void what_fails_first_is_told(void **state)
{
	struct sample sample;

	(void)state;
	assert_int_equal(whole(&sample, sequential, BACKEND_THREADS, -EIO), -EIO);
	assert_int_equal(world.ends, 0); /* a load that failed is not waited for */
	sample_done(&sample);
	world.end = -ECANCELED;
	assert_int_equal(whole(&sample, sequential, BACKEND_THREADS, 0), -ECANCELED);
	sample_done(&sample);
	world.begin = -ECANCELED;
	assert_int_equal(whole(&sample, sequential, BACKEND_THREADS, 0), -ECANCELED);
	sample_done(&sample);
}

/* Of a metadata workload, whose file system is known by its number. */
static void files_made_and_read_are_asked_for(void **state)
{
	struct target_info *info = calloc(1, sizeof(*info));
	const struct zfs_sample_config config = {.info = info, .backend = BACKEND_THREADS};
	struct zfs_sample *beside = NULL;
	struct sample sample;
	struct error err;

	(void)state;
	assert_non_null(info);
	info->place = world.device;
	sample_init(&sample);
	fixture_workload(&sample.options, "metadata=create,read nrfiles=2 filesize=4k");
	assert_int_equal(zfs_sample_begin(&config, &sample, &beside, &err), 0);
	assert_non_null(beside);
	sample.files = calloc(2, sizeof(*sample.files));
	assert_non_null(sample.files);
	sample.file_count = 2;
	sample.files[0] = (struct file_result){.operation = FILE_CREATE, .bytes = 8192};
	sample.files[1] = (struct file_result){.operation = FILE_READ, .bytes = 4096};
	assert_int_equal(zfs_sample_end(&beside, 0, &sample, &err), 0);
	assert_int_equal(sample.zfs->pool.asked_written_bytes, 8192);
	assert_int_equal(sample.zfs->pool.asked_read_bytes, 4096);
	assert_true(sample.zfs->accesses_a_block == 0);
	sample_done(&sample);
	free(info);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_on_a_dataset_are_told_of, new_world,
						end_world),
		cmocka_unit_test_setup_teardown(blocks_are_met_once_unless_in_order, new_world,
						end_world),
		cmocka_unit_test_setup_teardown(writes_of_parts_of_a_record_are_counted, new_world,
						end_world),
		cmocka_unit_test_setup_teardown(files_of_a_job_are_summed, new_world, end_world),
		cmocka_unit_test_setup_teardown(elsewhere_nothing_is_asked, new_world, end_world),
		cmocka_unit_test_setup_teardown(without_a_sync_nothing_is_told_of_what_it_holds,
						new_world, end_world),
		cmocka_unit_test_setup_teardown(what_fails_first_is_told, new_world, end_world),
		cmocka_unit_test_setup_teardown(files_made_and_read_are_asked_for, new_world,
						end_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
