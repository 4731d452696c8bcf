/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_file_results.c - the phases of a metadata workload on their way from a sample: JSON and
 * back, CSV, fio's layout, cells, checks, the terminal's table.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/cells.h"
#include "engine/analysis/checks.h"
#include "engine/plan/file_phases.h"
#include "server/codec/file_results.h"
#include "server/codec/result_csv.h"
#include "server/codec/result_fio.h"
#include "server/codec/sample.h"
#include "server/summary.h"
#include "tests/unit/server/codec/fixture.h"

static const enum file_operation phases[] = {FILE_CREATE, FILE_STAT, FILE_DELETE};

/* Three phases in two orders; `ops` operations in 2 seconds each. */
static void files_sample(struct sample *sample, unsigned int repeat, uint64_t ops)
{
	sample_init(sample);
	sample->order = repeat - 1;
	sample->workload = fixture_text("mail");
	sample->repeat = repeat;
	sample->target = fixture_text("/tank");
	sample->backend = fixture_text("io_uring");
	sample->seconds = 12;
	fixture_workload(&sample->options, "name=mail metadata=create,stat,delete nrfiles=500 "
					   "filesize=1k-3k file_order=both directories=2");
	sample->files = calloc(6, sizeof(*sample->files));
	assert_non_null(sample->files);
	for (int i = 0; i < 6; i++)
		sample->files[sample->file_count++] = (struct file_result){
			.operation = phases[i % 3],
			.order = i / 3,
			.ops = ops,
			.bytes = i % 3 == 0 ? 2048 * ops : 0,
			.seconds = 2,
			.latency = fixture_histogram(ops, 1000),
		};
}

static json_t *encoded(const struct sample *sample)
{
	json_t *value = sample_encode(sample), *again = NULL;
	char *text = json_write(value);

	assert_non_null(text);
	assert_int_equal(json_read_own(text, strlen(text), &again, NULL), 0);
	free(text);
	json_decref(value);
	return again;
}

static void test_there_and_back(void **state)
{
	struct sample sample, again;
	struct error err = {0};
	json_t *value;

	(void)state;
	files_sample(&sample, 1, 500);
	value = encoded(&sample);
	/* Of the options those that mean something. */
	assert_null(json_object_get(json_object_get(value, "options"), "bs"));
	assert_non_null(json_object_get(json_object_get(value, "options"), "directories"));
	assert_null(json_object_get(value, "read"));
	sample_init(&again);
	if (sample_decode(value, &again, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	assert_int_equal(again.file_count, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct file_result *a = &sample.files[i], *b = &again.files[i];

		assert_true(a->operation == b->operation && a->order == b->order);
		assert_true(a->ops == b->ops && a->bytes == b->bytes && a->seconds == b->seconds);
		fixture_same_histogram(a->latency, b->latency);
	}
	assert_true(workload_metadata(&again.options));
	assert_int_equal(again.options.filesize[1], 3072);
	assert_true(sample_files(&again, FILE_STAT, FILE_ORDER_RANDOM) == &again.files[4]);
	assert_null(sample_files(&again, FILE_READ, FILE_ORDER_RANDOM));
	sample_done(&again);
	sample_done(&sample);
	json_decref(value);
}

/* Damage of a phase is refused with its pointer. */
static void test_damaged(void **state)
{
	static const struct {
		const char *member, *value, *pointer;
	} damages[] = {
		{"operation", "\"chmod\"", "/metadata/1/operation"},
		{"operation", "\"create\"", "/metadata/1/operation"}, /* twice */
		{"order", "\"both\"", "/metadata/1/order"},
		{"ops", "499", "/metadata/1/histogram"},
		{"seconds", "-1", "/metadata/1/seconds"},
		{"bytes", "\"many\"", "/metadata/1/bytes"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		struct sample sample, again;
		struct error err = {0};
		json_t *value, *phase;

		files_sample(&sample, 1, 500);
		value = encoded(&sample);
		phase = json_array_get(json_object_get(value, "metadata"), 1);
		assert_int_equal(
			json_object_set_new(phase, damages[i].member,
					    json_loads(damages[i].value, JSON_DECODE_ANY, NULL)),
			0);
		sample_init(&again);
		assert_true(sample_decode(value, &again, &err) < 0);
		assert_string_equal(err.field, damages[i].pointer);
		sample_done(&sample);
		json_decref(value);
	}
}

static void files_result(struct result *result, size_t repeats)
{
	struct definition *definition = &result->definition;

	result_init(result);
	definition->name = fixture_text("files");
	definition->workload_count = 1;
	definition->workloads = calloc(1, sizeof(*definition->workloads));
	workload_init(&definition->workloads[0]);
	fixture_option(&definition->workloads[0], "name", "mail");
	fixture_option(&definition->workloads[0], "metadata", "create,stat,delete");
	fixture_option(&definition->workloads[0], "nrfiles", "500");
	fixture_option(&definition->workloads[0], "file_order", "both");
	definition->repeats = (unsigned int)repeats;
	result->samples = calloc(repeats + 1, sizeof(*result->samples));
	for (size_t i = 0; i < repeats; i++)
		files_sample(&result->samples[result->sample_count++], (unsigned int)i + 1,
			     500 + 100 * i);
}

static void test_cells(void **state)
{
	struct result result;
	struct cells cells;

	(void)state;
	files_result(&result, 3);
	assert_int_equal(cells_make(&result, &cells), 0);
	assert_int_equal(cells.count, 1);
	for (int order = 0; order < FILE_ORDERS; order++)
		for (int operation = 0; operation < FILE_OPERATION_COUNT; operation++) {
			const struct cell_files *files = &cells.list[0].files[order][operation];
			bool there = operation == FILE_CREATE || operation == FILE_STAT ||
				     operation == FILE_DELETE;

			assert_int_equal(files->present, there);
			if (!there)
				continue;
			/* 250, 300, 350 a second: t is 4.303, the standard error 50 / sqrt(3). */
			assert_int_equal(files->ops_per_s.count, 3);
			assert_true(fabs(files->ops_per_s.mean - 300) < 1e-9);
			assert_true(fabs(files->ops_per_s.high - 300 - 4.303 * 50 / sqrt(3)) < 0.1);
			assert_int_equal(files->latency->count, 1800);
		}
	for (int d = 0; d < DIRECTION_COUNT; d++)
		assert_false(cells.list[0].directions[d].present);
	cells_done(&cells);
	result_done(&result);
	/* Without samples the phases are there all the same. */
	files_result(&result, 0);
	assert_int_equal(cells_make(&result, &cells), 0);
	assert_true(cells.list[0].files[FILE_ORDER_RANDOM][FILE_STAT].present);
	assert_false(cells.list[0].files[FILE_ORDER_RANDOM][FILE_READ].present);
	assert_int_equal(cells.list[0].files[FILE_ORDER_RANDOM][FILE_STAT].ops_per_s.count, 0);
	cells_done(&cells);
	result_done(&result);
}

/* No text here holds a comma. */
static void assert_same_columns(const char *csv)
{
	size_t columns = 0, first = 0;

	for (const char *at = csv; *at; at++) {
		columns += *at == ',';
		if (*at != '\n')
			continue;
		first = first ? first : columns;
		assert_int_equal(columns, first);
		columns = 0;
	}
}

static void test_tables(void **state)
{
	struct result result;
	char *csv, *text = NULL;
	json_t *fio;
	size_t rows = 0, size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	files_result(&result, 2);
	csv = result_csv(&result);
	assert_non_null(csv);
	for (const char *at = csv; (at = strstr(at, "\r\n")); at += 2)
		rows++;
	assert_int_equal(rows, 1 + 2 * 6);
	assert_non_null(strstr(csv, ",random stat,"));
	assert_same_columns(csv);
	assert_non_null(strstr(csv, ",io_uring,600,0,300,0,"));
	free(csv);
	fio = result_fio(&result);
	assert_int_equal(json_array_size(json_object_get(fio, "jobs")), 0);
	json_decref(fio);
	assert_int_equal(summary_print(&result, out, 120), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "ops/s"));
	assert_null(strstr(text, "IOPS"));
	assert_non_null(strstr(text, "sequential create"));
	assert_non_null(strstr(text, "random delete"));
	free(text);
	result_done(&result);
}

/* Half a second, and one millisecond less. */
static void test_quick_phases_are_told(void **state)
{
	struct sample sample;

	(void)state;
	files_sample(&sample, 1, 500);
	sample.files[1].seconds = 0.5;
	assert_int_equal(checks_sample(&sample), 0);
	assert_int_equal(sample.findings.count, 0);
	sample.files[1].seconds = 0.499;
	assert_int_equal(checks_sample(&sample), 0);
	assert_int_equal(sample.findings.count, 1);
	assert_string_equal(sample.findings.list[0].code, "phase_too_quick");
	assert_string_equal(sample.findings.list[0].found, "sequential stat 499 ms");
	sample_done(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_quick_phases_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
