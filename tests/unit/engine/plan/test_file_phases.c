/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/file_phases.c: the language, its limits, what a plan says of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/plan/estimate.h"
#include "engine/plan/file_phases.h"
#include "engine/plan/fio_job.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static const struct machine machine = {
	.memory_bytes = UINT64_C(16) << 30, .memory_available_bytes = UINT64_C(8) << 30, .cpus = 2};

static void complete_ok(struct workload *workload, const char *options)
{
	struct error err = {0};

	workload_init(workload);
	set_options(workload, options);
	if (workload_complete(workload, &err) != 0)
		fail_msg("%s: %s: %s", options, err.field, err.message);
}

static void complete_bad(const char *options, enum error_code code, const char *field)
{
	struct workload workload;
	struct error err = {0};

	workload_init(&workload);
	set_options(&workload, options);
	if (workload_complete(&workload, &err) == 0)
		fail_msg("%s was taken", options);
	if (err.code != code || strcmp(err.field, field) != 0)
		fail_msg("%s: %s at %s: %s", options, error_code_text(err.code), err.field,
			 err.message);
	workload_done(&workload);
}

static void test_lists(void **state)
{
	static const enum file_operation all[] = {FILE_CREATE, FILE_WRITE,  FILE_STAT,
						  FILE_READ,   FILE_RENAME, FILE_DELETE};
	struct file_phases phases;

	(void)state;
	assert_int_equal(file_phases_parse("all", &phases, NULL), 0);
	assert_int_equal(phases.count, ARRAY_SIZE(all));
	for (size_t i = 0; i < phases.count; i++)
		assert_int_equal(phases.list[i], all[i]);
	assert_false(file_phases_create_writes(&phases));
	assert_int_equal(file_phases_parse("create,rename,stat", &phases, NULL), 0);
	assert_int_equal(phases.count, 3);
	assert_int_equal(phases.list[1], FILE_RENAME);
	assert_int_equal(phases.list[2], FILE_STAT);
	assert_true(file_phases_create_writes(&phases));
	assert_int_equal(file_phases_parse("create", &phases, NULL), 0);
	assert_int_equal(file_phases_parse("", &phases, NULL), -EINVAL);
	assert_int_equal(file_phases_parse("create,,stat", &phases, NULL), -EINVAL);
	assert_int_equal(file_phases_parse("creates", &phases, NULL), -EINVAL);
	assert_int_equal(file_phases_parse("creat", &phases, NULL), -EINVAL);
}

static void test_what_is_completed(void **state)
{
	struct workload workload;

	(void)state;
	complete_ok(&workload, "metadata=all nrfiles=10");
	assert_true(workload_metadata(&workload));
	assert_false(workload_reads(&workload) || workload_writes(&workload));
	assert_false(workload_random(&workload) && workload_mixed(&workload));
	assert_int_equal(workload.directories, 1);
	assert_int_equal(workload.filesize[0], 0);
	assert_int_equal(workload.filesize[1], 0);
	assert_int_equal(workload.file_order, FILE_ORDER_SEQUENTIAL);
	assert_int_equal(workload.size + workload.runtime_ns + workload.ramp_time_ns, 0);
	assert_false(workload.direct || workload.time_based);
	assert_true(file_phases_ordered(&workload, FILE_ORDER_SEQUENTIAL));
	assert_false(file_phases_ordered(&workload, FILE_ORDER_RANDOM));
	workload_done(&workload);
	complete_ok(&workload, "metadata=all nrfiles=10 filesize=1k-64k file_order=both");
	assert_int_equal(workload.filesize[0], 1024);
	assert_int_equal(workload.filesize[1], 65536);
	assert_true(file_phases_ordered(&workload, FILE_ORDER_SEQUENTIAL) &&
		    file_phases_ordered(&workload, FILE_ORDER_RANDOM));
	workload_done(&workload);
}

/* Each limit, and one above it. */
static void test_limits(void **state)
{
	static const char *const good[] = {
		"metadata=all nrfiles=1000000 numjobs=10",
		"metadata=all nrfiles=1024 iodepth=1024",
		"metadata=all nrfiles=1000 directories=1000",
		"metadata=all nrfiles=256 directories=256 numjobs=4",
		"metadata=all nrfiles=1 filesize=16m",
		/* psync has a depth of 1 */
		"metadata=all nrfiles=1 ioengine=psync iodepth=4096",
	};
	struct workload workload;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		complete_ok(&workload, good[i]);
		workload_done(&workload);
	}
	complete_bad("metadata=all nrfiles=1 filesize=16777217", ERROR_OUT_OF_RANGE, "filesize");
	complete_bad("metadata=all nrfiles=1000000 numjobs=11", ERROR_TOO_MANY, "nrfiles");
	complete_bad("metadata=all nrfiles=1025 iodepth=1025", ERROR_TOO_MANY, "iodepth");
	complete_bad("metadata=all nrfiles=9 directories=10", ERROR_CONFLICT, "directories");
	complete_bad("metadata=all nrfiles=257 directories=257 numjobs=4", ERROR_TOO_MANY,
		     "directories");
}

/* Whatever is given and means nothing is refused by its own name; all that are added later too. */
static void test_every_other_option_is_refused(void **state)
{
	(void)state;
	complete_bad("metadata=all nrfiles=1 rw=randread", ERROR_CONFLICT, "rw");
	complete_bad("metadata=all nrfiles=1 size=1g", ERROR_CONFLICT, "size");
	complete_bad("metadata=all nrfiles=1 runtime=5", ERROR_CONFLICT, "runtime");
	complete_bad("metadata=all nrfiles=1 sync=dsync", ERROR_CONFLICT, "sync");
	complete_bad("metadata=all nrfiles=1 group_reporting=0", ERROR_CONFLICT, "group_reporting");
	complete_bad("metadata=all nrfiles=1 openfiles=2", ERROR_CONFLICT, "openfiles");
	complete_bad("metadata=all nrfiles=1 file_service_type=random", ERROR_CONFLICT,
		     "file_service_type");
	complete_bad("size=1g directories=2", ERROR_CONFLICT, "directories");
	complete_bad("size=1g file_order=random", ERROR_CONFLICT, "file_order");
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		struct workload workload;
		struct error err = {0};

		if (file_phases_takes((enum option_id)id))
			continue;
		workload_init(&workload);
		set_options(&workload, "metadata=all nrfiles=1");
		option_set_mark(&workload.set, (enum option_id)id, true);
		if (option_at((enum option_id)id)->type != OPTION_TEXT) {
			assert_true(workload_complete(&workload, &err) < 0);
			assert_string_equal(err.field, option_at((enum option_id)id)->name);
		}
		workload_done(&workload);
	}
}

/* Jobs that run together move data. */
static void test_it_runs_alone(void **state)
{
	struct workload workload, part;
	struct error err = {0};

	(void)state;
	workload_init(&workload);
	workload_init(&part);
	set_options(&part, "metadata=all nrfiles=10");
	assert_int_equal(workload_add_part(&workload, &part), 0);
	assert_true(workload_complete(&workload, &err) < 0);
	assert_string_equal(err.field, "metadata");
	workload_done(&workload);
}

static void test_ranges_are_read_and_written(void **state)
{
	static const struct {
		const char *text, *canonical;
	} ranges[] = {{"0", "0"},	 {"4096", "4k"},     {"4k-64k", "4k-64k"},
		      {"1024-1k", "1k"}, {"0-16m", "0-16m"}, {"1000-1m", "1000-1m"}};
	const struct option *option = option_at(OPTION_ID_FILESIZE);
	struct workload workload;
	struct error err;

	(void)state;
	workload_init(&workload);
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		char *text;

		assert_int_equal(option_parse(option, ranges[i].text, &workload, &err), 0);
		text = option_format(option, &workload);
		assert_string_equal(text, ranges[i].canonical);
		free(text);
	}
	assert_true(option_parse(option, "-4k", &workload, &err) < 0);
	assert_true(option_parse(option, "4k-", &workload, &err) < 0);
	assert_true(option_parse(option, "4k-8k-16k", &workload, &err) < 0);
	assert_true(option_parse(option, "8k-4k", &workload, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_VALUE);
	assert_true(option_parse(option, "0-1125899906842625", &workload, &err) < 0);
	assert_int_equal(err.code, ERROR_OUT_OF_RANGE);
	workload_done(&workload);
}

static void test_totals(void **state)
{
	struct workload workload;
	struct file_totals totals;

	(void)state;
	complete_ok(&workload, "metadata=create,stat,read nrfiles=100 numjobs=3 filesize=1k-3k "
			       "directories=5 file_order=both");
	file_phases_totals(&workload, &totals);
	assert_int_equal(totals.operations, 100 * 3 * 3 * 2);
	assert_int_equal(totals.bytes_written, 300 * 2048 * 2);
	assert_int_equal(totals.bytes_read, 300 * 2048 * 2);
	assert_int_equal(totals.inodes, 300 + 3 * 6 + 1);
	assert_true(totals.space_bytes >= 300 * 4096 + 18 * 4096);
	workload_done(&workload);
}

/* No file of a job's own is made for it, nothing filled; what it makes is counted. */
static void test_plan(void **state)
{
	struct definition definition;
	struct plan plan;
	struct error err = {0};
	uint64_t bytes, files, inodes;

	(void)state;
	start_definition(&definition, NULL);
	add_target(&definition, TARGET_DIRECTORY, NULL, "/tank");
	add_workload(&definition, "metadata=all nrfiles=1000 filesize=4k");
	definition.repeats = 2;
	check_ok(&definition);
	assert_string_equal(definition.workloads[0].name, "metadata");
	assert_int_equal(plan_make(&definition, &machine, &plan, &err), 0);
	assert_int_equal(plan_target_extent(&plan, 0, &bytes, &files), 0);
	assert_int_equal(bytes, 0);
	assert_int_equal(files, 0);
	plan_target_tree(&plan, 0, &bytes, &inodes);
	assert_int_equal(inodes, 1003);
	assert_int_equal(plan.estimate.fill_bytes, 0);
	assert_int_equal(plan.estimate.space_bytes, bytes);
	assert_int_equal(plan.estimate.bytes_written, 2 * 1000 * 4096);
	assert_true(plan.estimate.seconds > 1 && plan.estimate.seconds < 10);
	for (size_t i = 0; i < plan.findings.count; i++)
		assert_int_equal(plan.findings.list[i].severity, FINDING_INFO);
	plan_done(&plan);
	definition_done(&definition);
}

static const struct finding *no_effect_of(const struct plan *plan)
{
	for (size_t i = 0; i < plan->findings.count; i++)
		if (strcmp(plan->findings.list[i].code, "no_effect") == 0)
			return &plan->findings.list[i];
	return NULL;
}

/* Defaults are for the workloads beside it as well. */
static void test_defaults_are_passed_over(void **state)
{
	struct definition definition;
	const struct finding *finding;
	struct plan plan;
	struct error err = {0};

	(void)state;
	start_definition(&definition, NULL);
	add_target(&definition, TARGET_DIRECTORY, NULL, "/tank");
	set_options(&definition.defaults, "bs=8k size=1m runtime=5 direct=1 iodepth=4 "
					  "random_distribution=zipf:1.2");
	add_workload(&definition, "name=mail metadata=all nrfiles=10");
	add_workload(&definition, "name=data rw=randread");
	check_ok(&definition);
	assert_int_equal(plan_make(&definition, &machine, &plan, &err), 0);
	for (size_t i = 0; i < plan.sample_count; i++) {
		const struct workload *options = &plan.samples[i].options;

		assert_int_equal(options->iodepth, 4); /* which it takes */
		assert_int_equal(workload_is_set(options, OPTION_ID_BS), !options->metadata);
		assert_int_equal(options->size, options->metadata ? 0 : 1 << 20);
	}
	finding = no_effect_of(&plan);
	assert_non_null(finding);
	assert_int_equal(finding->severity, FINDING_INFO);
	assert_int_equal(finding->workload_count, 1);
	assert_string_equal(finding->workloads[0], "mail");
	assert_non_null(
		strstr(finding->message, ": bs, size, runtime, direct, random_distribution."));
	plan_done(&plan);
	definition_done(&definition);
}

/* What is given to the workload itself is not passed over, nor what contradicts itself. */
static void test_only_defaults_are_passed_over(void **state)
{
	static const char *const defaults[] = {"runtime=5", "metadata=all nrfiles=10 bs=4k"};
	static const char *const workloads[] = {"metadata=all nrfiles=10 bs=4k", "name=mail"};
	struct definition definition;
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		err = (struct error){0};
		start_definition(&definition, NULL);
		add_target(&definition, TARGET_DIRECTORY, NULL, "/tank");
		set_options(&definition.defaults, defaults[i]);
		add_workload(&definition, workloads[i]);
		assert_true(definition_check(&definition, &err) < 0);
		assert_int_equal(err.code, ERROR_CONFLICT);
		assert_string_equal(err.field, i == 0 ? "/workloads/0/bs" : "/defaults/bs");
		definition_done(&definition);
	}
}

static void test_fio_has_no_such_job(void **state)
{
	struct definition definition;
	struct error err = {0};
	FILE *out = fopen("/dev/null", "we");

	(void)state;
	assert_non_null(out);
	start_definition(&definition, NULL);
	add_target(&definition, TARGET_DIRECTORY, NULL, "/tank");
	add_workload(&definition, "metadata=all nrfiles=10 name=mail");
	check_ok(&definition);
	assert_true(fio_job_write(&definition, out, &err) < 0);
	assert_int_equal(err.code, ERROR_UNSUPPORTED);
	assert_non_null(strstr(err.message, "mail"));
	assert_int_equal(fclose(out), 0);
	definition_done(&definition);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_what_is_completed),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_every_other_option_is_refused),
		cmocka_unit_test(test_it_runs_alone),
		cmocka_unit_test(test_ranges_are_read_and_written),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_defaults_are_passed_over),
		cmocka_unit_test(test_only_defaults_are_passed_over),
		cmocka_unit_test(test_fio_has_no_such_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
