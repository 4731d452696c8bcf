/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_result_fio.c - a result in fio's layout, held key by key against what fio itself prints
 * here, and figure by figure against the samples.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/child.h"
#include "engine/base/file.h"
#include "server/codec/json.h"
#include "server/codec/result_fio.h"
#include "tests/unit/server/codec/fixture.h"

#define FIO "/usr/bin/fio"
#define MANY 120000 /* operations, enough for every percentile that fio prints */

/* A sample of a mix with an fsync, all of it well supported; grouped. */
static void start(struct result *result)
{
	struct sample *sample;

	result_init(result);
	result->started_wall_ms = result->created_wall_ms = 1796039400000;
	result->ended_wall_ms = 1796039405389;
	result->samples = calloc(1, sizeof(*result->samples));
	result->definition.targets = calloc(1, sizeof(*result->definition.targets));
	assert_non_null(result->samples);
	assert_non_null(result->definition.targets);
	result->definition.target_count = 1;
	result->definition.targets[0].path = fixture_text("/srv/scratch");
	result->definition.targets[0].kind = TARGET_DIRECTORY;
	result->sample_count = 1;
	sample = &result->samples[0];
	sample_init(sample);
	sample->order = 4;
	sample->workload = fixture_text("Exchange");
	fixture_level(sample, "bs", "4k");
	fixture_level(sample, "iodepth", "8");
	sample->repeat = 2;
	sample->target = fixture_text("/srv/scratch");
	sample->seconds = 3.0;
	sample->ramp_seconds = 1.2;
	fixture_workload(&sample->options, "name=Exchange rw=randrw bs=4k size=64m iodepth=8 "
					   "numjobs=2 runtime=3 ramp_time=1200ms fsync=2");
	sample->seed = 42;
	sample->backend = fixture_text("io_uring");
	fixture_direction(&sample->directions[DIRECTION_READ], MANY, 4096, 60000, true);
	fixture_direction(&sample->directions[DIRECTION_WRITE], MANY, 4096, 900, true);
	sample->sync = fixture_histogram(MANY, 3000000);
	sample->depth_mean = 15;
	sample->cpu.user_s = 0.3;
	sample->cpu.system_s = 1.5;
	fixture_series(&sample->series, 5, 2);
	(void)snprintf(sample->device.name, sizeof(sample->device.name), "vda");
	sample->device.reads = MANY;
	sample->device.io_ms = 1500;
	sample->device.weighted_ms = 45000;
}

static json_t *get(const json_t *value, const char *path)
{
	char *copy = fixture_text(path), *rest = copy, *name;

	while ((name = strsep(&rest, "|"))) {
		value = json_is_array(value) ? json_array_get(value, strtoul(name, NULL, 10))
					     : json_object_get(value, name);
		if (!value)
			fail_msg("%s: nothing at %s", path, name);
	}
	free(copy);
	return (json_t *)value;
}

static double number(const json_t *value, const char *path)
{
	assert_true(json_is_number(get(value, path)));
	return json_number_value(get(value, path));
}

static void near(double found, double expected, double share)
{
	if (!(fabs(found - expected) <= fabs(expected) * share))
		fail_msg("%.17g, expected %.17g", found, expected);
}

/* ---- against fio ---- */

static char directory[] = "/var/tmp/volbench-test-fio-XXXXXX";

static json_t *run_fio(void)
{
	static const char *const argv[] = {
		FIO,	     "--name=a",     "--rw=randrw", "--bs=4k",
		"--size=8m", "--filename=f", "--fsync=8",   "--output-format=json",
		NULL};
	struct child_options options = {
		.argv = argv, .stdin_fd = -1, .stderr_fd = -1, .own_session = false};
	struct child_status status;
	struct error err = {0};
	json_t *value = NULL;
	char *text = NULL;
	size_t size = 0;
	int dirfd, r;
	pid_t pid;

	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	options.stdout_fd = open("out.json", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(options.stdout_fd >= 0);
	assert_int_equal(child_start(&options, &pid), 0);
	assert_int_equal(child_wait(pid, 60000, &status), 0);
	assert_true(status.exited && status.code == 0);
	assert_int_equal(close(options.stdout_fd), 0);
	dirfd = open(".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	assert_true(dirfd >= 0);
	r = file_read(dirfd, "out.json", 1 << 20, &text, &size);
	assert_int_equal(r, 0);
	assert_int_equal(json_read_own(text, size, &value, &err), 0);
	free(text);
	assert_int_equal(unlink("out.json"), 0);
	assert_int_equal(unlink("f"), 0);
	assert_int_equal(close(dirfd), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(directory), 0);
	return value;
}

/* All that is in fio's is in ours, of the same type. */
static size_t expect_keys(const json_t *fio, const json_t *ours, const char *where)
{
	size_t seen = 0;

	if (json_typeof(fio) != json_typeof(ours))
		fail_msg("%s: another type", where);
	if (json_is_array(fio) && json_array_size(fio) > 0)
		return expect_keys(json_array_get(fio, 0), json_array_get(ours, 0), where);
	for (void *i = json_object_iter((json_t *)fio); i;
	     i = json_object_iter_next((json_t *)fio, i)) {
		const char *key = json_object_iter_key(i);
		char path[200];

		(void)snprintf(path, sizeof(path), "%s|%s", where, key);
		if (!json_object_get(ours, key))
			fail_msg("%s is missing", path);
		if (strcmp(key, "job options") != 0)
			seen += expect_keys(json_object_iter_value(i), json_object_get(ours, key),
					    path);
		seen++;
	}
	return seen;
}

static void every_key_of_fio_is_there(void **state)
{
	struct result result;
	json_t *fio, *ours;

	(void)state;
	if (access(FIO, X_OK) != 0) {
		print_message("skipped: %s is not installed\n", FIO);
		skip();
	}
	fio = run_fio();
	start(&result);
	ours = result_fio(&result);
	assert_non_null(ours);
	assert_true(expect_keys(fio, ours, "") > 200);
	json_decref(fio);
	json_decref(ours);
	result_done(&result);
}

/* ---- figures ---- */

static void figures_are_the_samples(void **state)
{
	const struct direction_result *read;
	struct result result;
	json_t *value;

	(void)state;
	start(&result);
	read = &result.samples[0].directions[DIRECTION_READ];
	value = result_fio(&result);
	assert_string_equal(json_string_value(get(value, "fio version")),
			    "fio-3.33-volbench-" VOLBENCH_VERSION);
	assert_true(number(value, "timestamp") == 1796039405);
	assert_string_equal(json_string_value(get(value, "time")), "Mon Nov 30 11:50:05 2026");
	assert_string_equal(json_string_value(get(value, "jobs|0|jobname")),
			    "Exchange/bs=4k,iodepth=8/2");
	assert_true(number(value, "jobs|0|groupid") == 4);
	assert_true(number(value, "jobs|0|error") == 0);
	assert_true(number(value, "jobs|0|elapsed") == 5);
	assert_true(number(value, "jobs|0|read|io_bytes") == MANY * 4096.0);
	assert_true(number(value, "jobs|0|read|io_kbytes") == MANY * 4.0);
	assert_true(number(value, "jobs|0|read|iops") == MANY / 3.0);
	assert_true(number(value, "jobs|0|read|bw") == MANY * 4.0 / 3);
	assert_true(number(value, "jobs|0|read|bw_bytes") == MANY * 4096.0 / 3);
	assert_true(number(value, "jobs|0|read|runtime") == 3000);
	assert_true(number(value, "jobs|0|read|lat_ns|N") == MANY);
	near(number(value, "jobs|0|read|clat_ns|mean"), histogram_mean_ns(read->completion), 1e-12);
	near(number(value, "jobs|0|read|slat_ns|mean"), histogram_mean_ns(read->submission), 1e-12);
	assert_true(number(value, "jobs|0|read|clat_ns|percentile|99.000000") ==
		    (double)histogram_percentile_ns(read->completion, 99));
	assert_true(number(value, "jobs|0|read|lat_ns|percentile|99.990000") ==
		    (double)histogram_percentile_ns(read->latency, 99.99));
	assert_true(number(value, "jobs|0|sync|total_ios") == MANY);
	assert_true(number(value, "jobs|0|trim|total_ios") == 0);
	assert_true(number(value, "jobs|0|job_runtime") == 6000);
	near(number(value, "jobs|0|usr_cpu"), 5, 1e-12);
	near(number(value, "jobs|0|sys_cpu"), 25, 1e-12);
	assert_true(number(value, "jobs|0|iodepth_level|8") == 100);
	assert_true(number(value, "jobs|0|iodepth_level|4") == 0);
	/* seconds 2 and 3 are whole and behind the ramp: 3014 and 3021 operations */
	assert_true(number(value, "jobs|0|read|iops_samples") == 2);
	assert_true(number(value, "jobs|0|read|iops_min") == 3014);
	assert_true(number(value, "jobs|0|read|iops_max") == 3021);
	assert_true(number(value, "jobs|0|read|iops_mean") == 3017.5);
	near(number(value, "jobs|0|read|iops_stddev"), 7 / sqrt(2), 1e-12);
	assert_string_equal(json_string_value(get(value, "disk_util|0|name")), "vda");
	assert_true(number(value, "disk_util|0|read_ios") == MANY);
	assert_true(number(value, "disk_util|0|util") == 50);
	json_decref(value);
	result_done(&result);
}

static void options_are_texts_of_fios_names(void **state)
{
	const char *key;
	struct result result;
	json_t *value, *options, *option;

	(void)state;
	start(&result);
	value = result_fio(&result);
	options = get(value, "jobs|0|job options");
	json_object_foreach (options, key, option)
		assert_true(json_is_string(option));
	assert_string_equal(json_string_value(get(options, "rw")), "randrw");
	assert_string_equal(json_string_value(get(options, "bs")), "4k");
	assert_string_equal(json_string_value(get(options, "numjobs")), "2");
	assert_string_equal(json_string_value(get(options, "fsync")), "2");
	assert_string_equal(json_string_value(get(options, "directory")), "/srv/scratch");
	assert_string_equal(json_string_value(get(options, "ioengine")), "io_uring");
	assert_string_equal(json_string_value(get(options, "randseed")), "42");
	assert_null(json_object_get(options, "filename"));
	assert_null(json_object_get(options, "regions"));
	json_decref(value);
	result_done(&result);
}

/* fio would be given it by hand, as `volbench fio` says. */
static void a_zvol_is_where_fio_would_find_it(void **state)
{
	struct result result;
	json_t *value, *options;

	(void)state;
	start(&result);
	free(result.definition.targets[0].path);
	result.definition.targets[0].path = strdup("tank/a");
	result.definition.targets[0].kind = TARGET_ZVOL;
	value = result_fio(&result);
	options = get(value, "jobs|0|job options");
	assert_string_equal(json_string_value(get(options, "filename")), "/dev/zvol/tank/a/fio-1");
	assert_null(json_object_get(options, "directory"));
	json_decref(value);
	result_done(&result);
}

static void classes_of_latency_add_up(void **state)
{
	static const char *const tables[] = {"latency_ns", "latency_us", "latency_ms"};
	struct result result;
	const char *key;
	json_t *value, *share;
	double sum = 0;

	(void)state;
	start(&result);
	value = result_fio(&result);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		json_object_foreach (get(get(value, "jobs|0"), tables[i]), key, share)
			sum += json_number_value(share);
	near(sum, 100, 1e-9);
	/* writes take 900 ns to 9 us, reads 60 to 600 us, as many of each */
	near(number(value, "jobs|0|latency_ns|1000"), 50.0 / 81, 0.1);
	assert_true(number(value, "jobs|0|latency_us|50") == 0);
	near(number(value, "jobs|0|latency_us|100"), 50 * 40.0 / 540, 0.02);
	near(number(value, "jobs|0|latency_us|750"), 50 * 100.0 / 540, 0.02);
	json_decref(value);
	result_done(&result);
}

/* As fio 3.33 has it; and the percentiles of percentile_list in place of fio's own. */
static void steadystate_and_percentiles_are_as_asked(void **state)
{
	struct result result;
	struct sample *sample;
	json_t *value;

	(void)state;
	start(&result);
	sample = &result.samples[0];
	value = result_fio(&result);
	assert_null(json_object_get(get(value, "jobs|0"), "steadystate"));
	json_decref(value);
	fixture_option(&sample->options, "steadystate", "iops:5%");
	fixture_option(&sample->options, "steadystate_duration", "2");
	fixture_option(&sample->options, "percentile_list", "12.5:90");
	sample->steady = (struct steady_result){.full = true,
						.attained = true,
						.first = 2,
						.count = 2,
						.found = 4.25,
						.deviation = 17,
						.iops_mean = 3114.9,
						.bw_mean = 1e6};
	value = result_fio(&result);
	assert_string_equal(json_string_value(get(value, "jobs|0|steadystate|ss")),
			    "iops:5.000000%");
	assert_true(number(value, "jobs|0|steadystate|duration") == 2);
	assert_true(number(value, "jobs|0|steadystate|attained") == 1);
	assert_string_equal(json_string_value(get(value, "jobs|0|steadystate|criterion")),
			    "4.250000%");
	assert_true(number(value, "jobs|0|steadystate|max_deviation") == 17);
	assert_true(number(value, "jobs|0|steadystate|data|iops_mean") == 3114);
	assert_true(number(value, "jobs|0|steadystate|data|bw_mean") == 1e6);
	/* seconds 2 and 3 of the series, both directions */
	assert_int_equal(json_array_size(get(value, "jobs|0|steadystate|data|iops")), 2);
	assert_true(number(value, "jobs|0|steadystate|data|iops|0") == 3000 + 14 + 102);
	assert_true(number(value, "jobs|0|steadystate|data|bw|1") ==
		    (3000 + 21) * 4096 + 103 * 131072);
	assert_int_equal(json_object_size(get(value, "jobs|0|read|clat_ns|percentile")), 2);
	assert_int_equal(number(value, "jobs|0|read|lat_ns|percentile|12.500000"),
			 histogram_percentile_ns(sample->directions[0].latency, 12.5));
	json_decref(value);
	result_done(&result);
}

static void unstamped_operations_have_no_slat(void **state)
{
	struct result result;
	json_t *value;

	(void)state;
	start(&result);
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		free(result.samples[0].directions[d].submission);
		free(result.samples[0].directions[d].completion);
		result.samples[0].directions[d].submission = NULL;
		result.samples[0].directions[d].completion = NULL;
	}
	value = result_fio(&result);
	assert_true(number(value, "jobs|0|read|slat_ns|N") == 0);
	assert_true(number(value, "jobs|0|read|clat_ns|N") == MANY);
	assert_true(
		json_equal(get(value, "jobs|0|read|clat_ns"), get(value, "jobs|0|read|lat_ns")));
	json_decref(value);
	result_done(&result);
}

static void jobs_kept_apart_have_an_entry_each(void **state)
{
	struct result result;
	json_t *value;

	(void)state;
	start(&result);
	sample_done(&result.samples[0]);
	fixture_sample(&result.samples[0]);
	result.samples[0].device.name[0] = '\0';
	result.samples[0].options.continue_on_error = CONTINUE_ALL;
	value = result_fio(&result);
	assert_int_equal(json_array_size(get(value, "jobs")), 2);
	assert_true(number(value, "jobs|0|total_err") == 5);
	assert_true(number(value, "jobs|0|first_error") == 5); /* EIO */
	assert_string_equal(json_string_value(get(value, "jobs|0|jobname")),
			    json_string_value(get(value, "jobs|1|jobname")));
	assert_true(number(value, "jobs|0|read|total_ios") == 9900);
	assert_true(number(value, "jobs|1|read|total_ios") == 10100);
	assert_true(number(value, "jobs|1|write|total_ios") == 0);
	assert_true(number(value, "jobs|1|read|runtime") == 2011);
	assert_true(number(value, "jobs|0|job_runtime") == 2010);
	assert_true(number(value, "jobs|0|sync|total_ios") == 267); /* the final ones too */
	assert_true(number(value, "jobs|1|sync|total_ios") == 0);
	assert_true(number(value, "jobs|0|error") == 5); /* EIO */
	assert_true(number(value, "jobs|0|read|iops_samples") == 1);
	assert_int_equal(json_array_size(get(value, "disk_util")), 0);
	json_decref(value);
	result_done(&result);
}

/* A section each, by name, with its own options and syncs, in one group. */
static void named_jobs_have_an_entry_each(void **state)
{
	struct result result;
	struct sample *sample;
	struct workload part;
	struct error err;
	size_t blamed;
	json_t *value;

	(void)state;
	start(&result);
	sample = &result.samples[0];
	workload_done(&sample->options);
	fixture_workload(&part, "name=readers rw=randread size=1m numjobs=4");
	assert_int_equal(workload_add_part(&sample->options, &part), 0);
	fixture_workload(&part, "name=logger rw=write bs=64k size=1m fsync=1");
	assert_int_equal(workload_add_part(&sample->options, &part), 0);
	assert_int_equal(workload_join(&sample->options, &blamed, &err), 0);
	sample->job_count = 2;
	sample->jobs = calloc(2, sizeof(*sample->jobs));
	assert_non_null(sample->jobs);
	sample->jobs[0] = (struct job_result){.name = fixture_text("readers"), .jobs = 4};
	sample->jobs[1] = (struct job_result){.name = fixture_text("logger"), .jobs = 1};
	sample->jobs[0].seconds = sample->jobs[1].seconds = 2.5;
	fixture_direction(&sample->jobs[0].directions[DIRECTION_READ], 900, 4096, 1000, false);
	fixture_direction(&sample->jobs[1].directions[DIRECTION_WRITE], 70, 65536, 1000, false);
	sample->jobs[1].sync = fixture_histogram(69, 3000);
	value = result_fio(&result);
	assert_int_equal(json_array_size(get(value, "jobs")), 2);
	assert_string_equal(json_string_value(get(value, "jobs|0|jobname")),
			    "readers/bs=4k,iodepth=8/2");
	assert_string_equal(json_string_value(get(value, "jobs|1|jobname")),
			    "logger/bs=4k,iodepth=8/2");
	assert_true(number(value, "jobs|0|groupid") == number(value, "jobs|1|groupid"));
	assert_string_equal(json_string_value(get(value, "jobs|0|job options|rw")), "randread");
	assert_string_equal(json_string_value(get(value, "jobs|1|job options|name")), "logger");
	assert_string_equal(json_string_value(get(value, "jobs|1|job options|bs")), "64k");
	assert_string_equal(json_string_value(get(value, "jobs|1|job options|fsync")), "1");
	assert_true(number(value, "jobs|0|read|total_ios") == 900);
	assert_true(number(value, "jobs|0|job_runtime") == 10000);
	assert_true(number(value, "jobs|0|sync|total_ios") == 0);
	assert_true(number(value, "jobs|1|write|iops") == 28);
	assert_true(number(value, "jobs|1|sync|total_ios") == 69);
	json_decref(value);
	result_done(&result);
}

static void a_short_sample_has_a_rate(void **state)
{
	struct result result;
	json_t *value;

	(void)state;
	start(&result);
	result.samples[0].series.ramp_count = 4; /* no whole second is left */
	value = result_fio(&result);
	assert_true(number(value, "jobs|0|read|iops_samples") == 1);
	assert_true(number(value, "jobs|0|read|iops_mean") == MANY / 3.0);
	assert_true(number(value, "jobs|0|read|iops_stddev") == 0);
	json_decref(value);
	result_done(&result);
}

static void a_result_without_samples_has_no_jobs(void **state)
{
	struct result result;
	json_t *value;

	(void)state;
	result_init(&result);
	value = result_fio(&result);
	assert_int_equal(json_array_size(get(value, "jobs")), 0);
	assert_int_equal(json_array_size(get(value, "disk_util")), 0);
	json_decref(value);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_of_fio_is_there),
		cmocka_unit_test(figures_are_the_samples),
		cmocka_unit_test(options_are_texts_of_fios_names),
		cmocka_unit_test(a_zvol_is_where_fio_would_find_it),
		cmocka_unit_test(classes_of_latency_add_up),
		cmocka_unit_test(steadystate_and_percentiles_are_as_asked),
		cmocka_unit_test(unstamped_operations_have_no_slat),
		cmocka_unit_test(jobs_kept_apart_have_an_entry_each),
		cmocka_unit_test(named_jobs_have_an_entry_each),
		cmocka_unit_test(a_short_sample_has_a_rate),
		cmocka_unit_test(a_result_without_samples_has_no_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
