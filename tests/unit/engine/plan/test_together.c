/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_together.c - workloads whose jobs have options of their own: how they are laid over each
 * other, what they must have in common, what a plan makes of them, and fio job files in both
 * directions.
 *
 * Length: one set-up serves the definition, its plan and its job files.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/plan/fio_job.h"
#include "engine/plan/plan.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static struct definition d;

/* To the last workload. */
static void add_job(const char *options)
{
	struct workload job;

	workload_init(&job);
	set_options(&job, options);
	assert_int_equal(workload_add_part(&d.workloads[d.workload_count - 1], &job), 0);
}

static struct workload compose(size_t workload)
{
	size_t levels[DEFINITION_FACTORS_MAX] = {0};
	struct workload options;
	struct error err;

	if (definition_compose(&d, workload, levels, &options, &err) != 0)
		fail_msg("%s: %s", err.field, err.message);
	return options;
}

/* ---- layers ---- */

static void layers_lie_over_each_other(void **state)
{
	struct workload w;

	(void)state;
	start_definition(&d, "/t/f");
	set_options(&d.defaults, "bs=1k size=1m iodepth=2 rw=write");
	add_workload(&d, "name=both bs=2k iodepth=3");
	add_job("name=a rw=randread");
	add_job("bs=8k numjobs=3 iodepth=5");
	add_factor(&d, "iodepth", "7 9");
	set_options(&d.override, "fsync=4");
	check_ok(&d);
	assert_string_equal(d.workloads[0].parts[1].name, "write");
	w = compose(0);
	assert_string_equal(w.name, "both");
	assert_int_equal(w.part_count, 2);
	assert_string_equal(w.parts[0].name, "a");
	assert_int_equal(w.parts[0].rw, RW_RANDREAD);
	assert_int_equal(w.parts[0].bs[0], 2048);
	assert_int_equal(w.parts[1].bs[0], 8192);
	assert_int_equal(w.parts[0].iodepth, 7);
	assert_int_equal(w.parts[1].iodepth, 7);
	assert_int_equal(w.parts[1].fsync, 4);
	assert_int_equal(workload_jobs(&w), 4);
	assert_int_equal(workload_outstanding(&w), 28);
	assert_true(workload_reads(&w) && workload_writes(&w));
	assert_int_equal(workload_buffer_bytes(&w), 8192);
	workload_done(&w);
	definition_done(&d);
}

static void names_are_given_and_unique(void **state)
{
	char expected[70];

	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m");
	add_job("rw=randread");
	add_job("rw=randread");
	add_job("name=logger");
	add_workload(&d, "size=1m");
	for (int i = 0; i < 7; i++)
		add_job("rw=randwrite");
	check_ok(&d);
	assert_string_equal(d.workloads[0].name, "randread+randread-2+logger");
	assert_string_equal(d.workloads[1].parts[6].name, "randwrite-7");
	(void)snprintf(expected, sizeof(expected), "randwrite+6");
	assert_string_equal(d.workloads[1].name, expected);
	definition_done(&d);

	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m");
	add_job("name=a");
	add_workload(&d, "size=1m");
	add_job("name=a"); /* another workload's */
	add_job("name=b");
	add_job("name=a");
	check_bad(&d, ERROR_DUPLICATE, "/workloads/1/jobs/2/name");
}

static void blame_falls_on_the_job(void **state)
{
	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m");
	add_job("bs=4k");
	add_job("bs=2m");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0/size");
	start_definition(&d, "/t/f");
	add_workload(&d, "bs=4k");
	add_job("size=1m");
	add_job("size=2k");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0/jobs/1/size");
	start_definition(&d, "/t/f");
	add_workload(&d, "bs=4k");
	add_job("size=1m");
	add_job("rw=read");
	check_bad(&d, ERROR_MISSING_FIELD, "/workloads/0/jobs/1/size");
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m regions=shared");
	add_job("name=r");
	add_job("fio: --rw=read");
	add_factor(&d, "bs", "4k 8m");
	check_bad(&d, ERROR_CONFLICT, "/factors/bs/1");
	start_definition(&d, "/t/f");
	d.targets[0].existing = true;
	add_workload(&d, "size=1m");
	add_job("rw=read");
	add_job("rw=write");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0/jobs/1/rw");
}

/* ---- what is common ---- */

static void what_must_be_common_is_refused_by_name(void **state)
{
	static const struct {
		const char *first, *second, *option;
	} table[] = {
		{"ramp_time=1", "ramp_time=2", "ramp_time"},
		{"bs=4k", "ramp_time=2", "ramp_time"},
		{"ramp_time=1", "ramp_time=1 startdelay=2", "startdelay"},
		{"regions=shared", "regions=disjoint", "regions"},
		{"bs=4k", "randrepeat=0", "randrepeat"},
		{"randseed=1", "randseed=2", "randseed"},
		{"bs=4k", "randseed=0", "randseed"},
		{"offset=1m", "offset=2m", "offset"},
		{"ioengine=psync", "ioengine=io_uring", "ioengine"},
		{"ioengine=null", "ioengine=threads", "ioengine"},
		{"ioengine=null", "rw=write verify=crc32c", "verify"},
		{"ioengine=null", "fixedbufs=1", "fixedbufs"},
		{"ioengine=null", "registerfiles=1", "registerfiles"},
		{"iodepth=4", "iodepth=4 iodepth_batch_complete_min=2",
		 "iodepth_batch_complete_min"},
		{"bs=4k", "cpus_allowed=0", "cpus_allowed"},
		{"bs=4k", "hipri=1", "hipri"},
		{"bs=4k", "sqthread_poll=1", "sqthread_poll"},
		{"bs=4k", "percentile_list=50:99", "percentile_list"},
		{"prio=1", "prio=2", "prio"},
		{"bs=4k", "prioclass=0", "prioclass"},
		{"numjobs=1000", "numjobs=25", "numjobs"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char pointer[80];

		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		add_job(table[i].first);
		add_job(table[i].second);
		(void)snprintf(pointer, sizeof(pointer), "/workloads/0/jobs/1/%s", table[i].option);
		check_bad(&d, ERROR_CONFLICT, pointer);
	}
}

static void what_must_be_common_is_told_with_the_way_out(void **state)
{
	static const struct {
		const char *second, *said;
	} table[] = {
		{"name=b prio=1", "b has prio=1 and a has no prio, "},
		{"name=b ramp_time=2", "b has ramp_time=2 and a has ramp_time=0, "},
		/* nobody has said regions, and what made them differ is named */
		{"name=b numjobs=2 offset_increment=1m", "offset_increment, interlocked and fio"},
		{"name=b numjobs=2 offset_increment=1m", "give all of them regions=shared"},
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		add_job("name=a");
		add_job(table[i].second);
		assert_int_equal(definition_check(&d, &err), -EINVAL);
		if (!strstr(err.message, table[i].said))
			fail_msg("\"%s\" does not say \"%s\"", err.message, table[i].said);
		definition_done(&d);
	}
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m regions=shared");
	add_job("name=a");
	add_job("name=b numjobs=2 offset_increment=1m");
	check_ok(&d);
	definition_done(&d);
}

static void a_metadata_workload_stands_alone(void **state)
{
	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DIRECTORY, NULL, "/t");
	add_workload(&d, "iodepth=2");
	add_job("size=1m");
	add_job("metadata=create nrfiles=10 filesize=4k");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0/jobs/1/metadata");
}

static void what_may_differ_is_taken(void **state)
{
	static const char *const table[][2] = {
		{"ramp_time=1", "ramp_time=1 runtime=5"},
		{"ramp_time=1 startdelay=2", "ramp_time=1 startdelay=2"},
		{"startdelay=1", "startdelay=2"},
		{"direct=0 sync=dsync", "direct=1"},
		{"regions=shared offset=1m", "regions=shared offset=2m"},
		{"ioengine=psync", "ioengine=sync"},
		{"ioengine=libaio", "rw=write"},
		{"ioengine=io_uring", "ioengine=posixaio"},
		{"time_based=0", "runtime=5"},
		{"group_reporting=0", "invalidate=0"},
		{"numjobs=1000", "numjobs=24"},
		{"size=4k", "size=1g bs=64k"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		add_job(table[i][0]);
		add_job(table[i][1]);
		check_ok(&d);
		definition_done(&d);
	}
}

static void sizes_are_for_all_or_none(void **state)
{
	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "rw=read");
	add_job("size=1m");
	add_job("bs=8k");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0");
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "rw=read regions=shared");
	add_job("size=1m");
	add_job("bs=8k");
	check_ok(&d);
	definition_done(&d);
}

static void jobs_have_a_limit(void **state)
{
	(void)state;
	for (int above = 0; above < 2; above++) {
		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		for (int i = 0; i < DEFINITION_JOBS_MAX + above; i++)
			add_job("rw=read");
		if (above) {
			check_bad(&d, ERROR_TOO_MANY, "/workloads/0/jobs");
		} else {
			check_ok(&d);
			definition_done(&d);
		}
	}
	/* Of all samples together 50 x 100 x 10 = 50,000. */
	for (int above = 0; above < 2; above++) {
		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		for (int i = 0; i < 50; i++)
			add_job("rw=read");
		add_factor(&d, "iodepth",
			   above ? "1 2 3 4 5 6 7 8 9 10 11" : "1 2 3 4 5 6 7 8 9 10");
		d.repeats = 100;
		if (above) {
			check_bad(&d, ERROR_TOO_MANY, "/factors");
		} else {
			check_ok(&d);
			definition_done(&d);
		}
	}
	/* Files that are held open. */
	for (int above = 0; above < 2; above++) {
		start_definition(&d, NULL);
		add_target(&d, TARGET_DIRECTORY, NULL, "/t");
		add_workload(&d, "size=1g");
		add_job("rw=read");
		add_job(above ? "rw=read nrfiles=2048" : "rw=read nrfiles=2047");
		add_job("rw=read nrfiles=1024 numjobs=2");
		if (above) {
			check_bad(&d, ERROR_TOO_MANY, "/workloads/0/jobs/1/nrfiles");
		} else {
			check_ok(&d);
			definition_done(&d);
		}
	}
}

static void paths_of_jobs_become_the_target(void **state)
{
	(void)state;
	start_definition(&d, NULL);
	add_workload(&d, "size=1m");
	add_job("filename=/t/f");
	add_job("filename=/t/f rw=write");
	check_ok(&d);
	assert_string_equal(d.targets[0].path, "/t/f");
	assert_null(d.workloads[0].parts[1].filename);
	definition_done(&d);
	start_definition(&d, NULL);
	add_workload(&d, "size=1m");
	add_job("filename=/t/f");
	add_job("filename=/t/g");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0/jobs/1/filename");
}

/* ---- plans ---- */

static const struct machine machine = {
	.memory_bytes = UINT64_C(1) << 30, .memory_available_bytes = UINT64_C(1) << 30, .cpus = 2};

static void make(struct plan *plan)
{
	struct error err;

	check_ok(&d);
	if (plan_make(&d, &machine, plan, &err) != 0)
		fail_msg("%s: %s", err.field, err.message);
}

static void targets_have_room_for_all(void **state)
{
	static const struct {
		enum target_kind kind;
		const char *regions;
		uint64_t bytes, files;
	} table[] = {
		{TARGET_FILE, "regions=disjoint", 1024 + 3 * 1024 + 2 * 4096, 1},
		{TARGET_FILE, "regions=shared", 1024 + 4096, 1},
		{TARGET_DIRECTORY, "bs=1k", 1024 + 4096, 5},
	};
	struct plan plan;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		uint64_t bytes, files;

		start_definition(&d, NULL);
		add_target(&d, table[i].kind, NULL, "/t");
		set_options(&d.defaults, table[i].regions);
		add_workload(&d, "bs=1k offset=1k runtime=3 iodepth=10");
		add_job("size=1k numjobs=3");
		add_job("size=4k numjobs=2 runtime=8 ioengine=psync");
		make(&plan);
		assert_int_equal(plan_target_extent(&plan, 0, &bytes, &files), 0);
		assert_int_equal(bytes, table[i].bytes);
		assert_int_equal(files, table[i].files);
		assert_int_equal(plan.estimate.threads, 3 * 10 + 2);
		assert_true(plan.estimate.seconds > 8 && plan.estimate.seconds < 10);
		plan_done(&plan);
		definition_done(&d);
	}
}

/* Jobs without a size share a device, in blocks that fit each. */
static void a_device_is_shared_out(void **state)
{
	uint64_t bytes = UINT64_C(100) << 20;
	struct plan plan;
	struct error err;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "rw=randread");
	add_job("bs=4k numjobs=3");
	add_job("bs=1m");
	make(&plan);
	assert_int_equal(plan_resolve(&plan, &machine, &bytes, &err), 0);
	assert_int_equal(plan.samples[0].options.parts[0].size, UINT64_C(25) << 20);
	assert_int_equal(plan.samples[0].options.parts[1].size, UINT64_C(25) << 20);
	plan_done(&plan);
	definition_done(&d);
}

static const struct finding *find(const struct plan *plan, const char *code)
{
	for (size_t i = 0; i < plan->findings.count; i++)
		if (strcmp(plan->findings.list[i].code, code) == 0)
			return &plan->findings.list[i];
	return NULL;
}

static void findings_name_the_job(void **state)
{
	struct plan plan;

	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1g runtime=60 regions=shared");
	add_job("name=reader rw=randread");
	add_job("name=log rw=write bs=64k direct=0");
	add_job("name=other rw=randwrite offset=512m");
	add_job("name=apart rw=randwrite offset=2g");
	make(&plan);
	assert_string_equal(find(&plan, "buffered_writes")->found, "log");
	assert_string_equal(find(&plan, "written_by_several")->found,
			    "other: and log write to one region");
	assert_null(find(&plan, "shared_region"));
	assert_non_null(strstr(find(&plan, "fits_memory")->found, "reader: 1.0 GiB"));
	plan_done(&plan);
	definition_done(&d);

	start_definition(&d, "/t/f");
	add_workload(&d, "size=1g runtime=60");
	add_job("name=a rw=write");
	add_job("name=b rw=write");
	make(&plan);
	assert_null(find(&plan, "written_by_several"));
	plan_done(&plan);
	definition_done(&d);
}

/* ---- fio ---- */

static void read_ok(const char *text)
{
	struct fio_job_request request = {.text = text, .size = strlen(text), .name = "d"};
	struct error err;

	definition_init(&d);
	if (fio_job_read(&request, &d, &err) != 0)
		fail_msg("%s: %s: %s", text, err.field, err.message);
}

static char *write_job(void)
{
	struct error err;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (fio_job_write(&d, out, &err) != 0)
		fail_msg("%s", err.message);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void sections_run_together_up_to_a_stonewall(void **state)
{
	struct workload w;

	(void)state;
	read_ok("[global]\ndirectory=/t\nsize=1m\n[a]\n[b]\nrw=write\nnew_group\n"
		"[c]\nwait_for_previous\nnumjobs=2\n[d]\nrw=randread\nnew_group=0\n[e]"
		"\nstonewall\n");
	assert_int_equal(d.workload_count, 3);
	assert_string_equal(d.workloads[0].name, "a+b");
	assert_string_equal(d.workloads[1].name, "c+d");
	assert_string_equal(d.workloads[2].name, "e");
	assert_int_equal(d.workloads[2].part_count, 0);
	w = compose(0);
	assert_int_equal(w.parts[1].rw, RW_WRITE);
	assert_int_equal(w.parts[1].regions, REGIONS_SHARED);
	assert_false(w.parts[1].time_based);
	workload_done(&w);
	w = compose(1);
	assert_int_equal(workload_jobs(&w), 3);
	workload_done(&w);
	definition_done(&d);
}

static void they_are_written_to_run_together(void **state)
{
	char *text, *again;
	struct workload w;

	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "name=load runtime=5 offset=1m");
	add_job("name=readers rw=randread size=2m numjobs=3");
	add_job("name=logger rw=write bs=64k size=4m fsync=1");
	add_workload(&d, "name=alone size=1m");
	check_ok(&d);
	text = write_job();
	assert_non_null(strstr(text, "[readers]\nstonewall\nfilename=/t/f\n"));
	assert_non_null(strstr(text, "[logger]\nnew_group\nfilename=/t/f\n"));
	assert_non_null(strstr(text, "offset=1m\n"));
	assert_non_null(strstr(text, "offset=7m\n"));
	assert_non_null(strstr(text, "[alone]\nstonewall\n"));
	again = strstr(text, "offset_increment=2097152\n");
	assert_non_null(again);
	while ((again = strstr(text, "offset_increment")) ||
	       (again = strstr(text, "refill_buffers")))
		*again = ';';
	definition_done(&d);
	read_ok(text);
	free(text);
	assert_int_equal(d.workload_count, 2);
	assert_string_equal(d.workloads[0].name, "readers+logger");
	w = compose(0);
	assert_int_equal(w.parts[0].offset, 1 << 20);
	assert_int_equal(w.parts[1].offset, 7 << 20);
	assert_int_equal(w.parts[1].fsync, 1);
	assert_int_equal(w.parts[1].runtime_ns, 5 * NS_PER_S);
	workload_done(&w);
	definition_done(&d);
}

static void the_command_has_a_name_for_each(void **state)
{
	struct workload w;
	char *text;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DIRECTORY, NULL, "/t");
	add_workload(&d, "size=1m");
	add_job("name=a rw=read");
	add_job("name=b rw=write");
	check_ok(&d);
	w = compose(0);
	text = workload_format_fio(&w, "/t", true);
	assert_non_null(text);
	assert_int_equal(strncmp(text, "fio --name=a --directory=/t ", 28), 0);
	assert_non_null(strstr(text, " --name=b --new_group --directory=/t "));
	free(text);
	text = write_job();
	assert_non_null(strstr(text, "filename_format=volbench-fio.$jobnum\n"));
	assert_non_null(strstr(text, "filename_format=volbench-fio.1.$jobnum\n"));
	free(text);
	workload_done(&w);
	definition_done(&d);
}

/* Else fio gives all files of a job one name. */
static void each_file_of_a_job_has_a_name_of_its_own(void **state)
{
	char *text;

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_DIRECTORY, NULL, "/t");
	add_workload(&d, "size=1m");
	add_job("name=a rw=read nrfiles=2");
	add_job("name=b rw=write nrfiles=3");
	check_ok(&d);
	text = write_job();
	assert_non_null(strstr(text, "filename_format=volbench-fio.$jobnum.$filenum\n"));
	assert_non_null(strstr(text, "filename_format=volbench-fio.1.$jobnum.$filenum\n"));
	free(text);
	definition_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_lie_over_each_other),
		cmocka_unit_test(names_are_given_and_unique),
		cmocka_unit_test(blame_falls_on_the_job),
		cmocka_unit_test(what_must_be_common_is_refused_by_name),
		cmocka_unit_test(what_must_be_common_is_told_with_the_way_out),
		cmocka_unit_test(a_metadata_workload_stands_alone),
		cmocka_unit_test(what_may_differ_is_taken),
		cmocka_unit_test(sizes_are_for_all_or_none),
		cmocka_unit_test(jobs_have_a_limit),
		cmocka_unit_test(paths_of_jobs_become_the_target),
		cmocka_unit_test(targets_have_room_for_all),
		cmocka_unit_test(a_device_is_shared_out),
		cmocka_unit_test(findings_name_the_job),
		cmocka_unit_test(sections_run_together_up_to_a_stonewall),
		cmocka_unit_test(they_are_written_to_run_together),
		cmocka_unit_test(the_command_has_a_name_for_each),
		cmocka_unit_test(each_file_of_a_job_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
