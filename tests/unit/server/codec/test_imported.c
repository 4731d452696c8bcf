/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imported results there and back: what is known, and that what is not stays unknown. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/file_phases.h"
#include "server/codec/definition.h"
#include "server/codec/result.h"
#include "server/codec/result_text.h"
#include "server/codec/sample.h"
#include "tests/unit/server/codec/fixture.h"

static const char definition_text[] =
	"{\"schema\":\"volbench.definition/1\",\"name\":\"of another tool\",\"imported\":true,"
	"\"factors\":{\"file\":[\"before\",\"after\"],\"bs\":[\"4k\"],\"recordsize\":[\"16K\"]},"
	"\"workloads\":[{\"name\":\"reads\",\"rw\":\"randread\"}],\"repeats\":2}";

static int decode(const char *text, struct definition *definition, struct error *err)
{
	json_t *value;
	int r;

	memset(err, 0, sizeof(*err));
	assert_int_equal(json_read(text, strlen(text), &value, err), 0);
	definition_init(definition);
	r = definition_decode_stored(value, definition, err);
	json_decref(value);
	return r;
}

static void definitions_come_back(void **state)
{
	struct definition definition;
	struct error err;
	AUTO_FREE char *text = NULL;

	(void)state;
	if (decode(definition_text, &definition, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	assert_true(definition.imported);
	assert_int_equal(definition.factors[0].kind, FACTOR_LABEL);
	assert_int_equal(definition.factors[1].kind, FACTOR_OPTION);
	assert_int_equal(definition.factors[2].kind, FACTOR_PROPERTY);
	assert_int_equal(definition.repeats, 2);
	assert_int_equal(definition.target_count, 0);
	text = definition_encode_text(&definition);
	assert_string_equal(text, definition_text);
	definition_done(&definition);
}

static void what_an_imported_definition_cannot_have(void **state)
{
	static const struct {
		const char *text, *field;
	} bad[] = {
		{"{\"name\":\"x\",\"imported\":1,\"workloads\":[{}]}", "/imported"},
		{"{\"name\":\"x\",\"imported\":true,\"target\":{\"file\":\"/x\"},\"workloads\":[{}]"
		 "}",
		 "/target"},
		{"{\"name\":\"x\",\"imported\":true,\"override\":{\"bs\":\"4k\"},\"workloads\":[{}]"
		 "}",
		 "/override"},
		{"{\"name\":\"x\",\"imported\":true,\"factors\":{\"f\":[1]},\"workloads\":[{}]}",
		 "/factors/f/0"},
		{"{\"name\":\"x\",\"imported\":true,\"factors\":{\"f\":[\"a\",\"a\"]},\"workloads\""
		 ":[{}]}",
		 "/factors/f/1"},
		{"{\"name\":\"x\",\"imported\":true,\"factors\":{\"bs\":[\"big\"]},\"workloads\":[{"
		 "}]}",
		 "/factors/bs"},
		/* labels are of imported ones alone */
		{"{\"name\":\"x\",\"target\":{\"device\":\"/dev/x\"},\"factors\":{\"f\":[\"a\"]},"
		 "\"workloads\":[{}]}",
		 "/factors/f"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct definition definition;
		struct error err;

		assert_int_equal(decode(bad[i].text, &definition, &err), -EINVAL);
		assert_string_equal(err.field, bad[i].field);
	}
}

static void an_imported_definition_is_not_run(void **state)
{
	struct definition definition;
	struct error err = {0};
	json_t *value;

	(void)state;
	definition_init(&definition);
	assert_int_equal(definition_decode_text(definition_text, strlen(definition_text), NULL,
						NULL, &definition, &err),
			 -EINVAL);
	assert_int_equal(err.code, ERROR_CONFLICT);
	assert_string_equal(err.field, "/imported");
	assert_non_null(strstr(err.message, "imported"));
	assert_int_equal(json_read(definition_text, strlen(definition_text), &value, NULL), 0);
	memset(&err, 0, sizeof(err));
	assert_int_equal(definition_validate_saved(value, &err), -EINVAL);
	assert_string_equal(err.field, "/imported");
	json_decref(value);
}

static struct histogram *narrow(size_t count, uint64_t low_ns)
{
	struct histogram *whole = fixture_histogram(count, low_ns), *copy = histogram_narrow(whole);

	assert_non_null(copy);
	free(whole);
	return copy;
}

static void level(struct sample *sample, size_t index, const char *factor, const char *value)
{
	sample->levels[index].factor = fixture_text(factor);
	sample->levels[index].value = fixture_text(value);
}

static void make_sample(struct sample *sample, const char *file)
{
	sample_init(sample);
	sample->workload = fixture_text("reads");
	sample->levels = calloc(3, sizeof(*sample->levels));
	sample->level_count = 3;
	level(sample, 0, "file", file);
	level(sample, 1, "bs", "4k");
	level(sample, 2, "recordsize", "16K");
	sample->repeat = 1;
	sample->target = fixture_text("");
	sample->backend = fixture_text("");
	fixture_option(&sample->options, "rw", "randread");
	fixture_option(&sample->options, "bs", "4k");
	sample->source = sample_source_new("fio-3.33", "a.json");
	assert_non_null(sample->source);
}

/* All that may be known. */
static void fill(struct sample *sample)
{
	struct told_direction *told;

	make_sample(sample, "before");
	told = &sample->source->directions[DIRECTION_READ];
	sample->source->given = fixture_text("--rw=randread --bs=4k");
	sample->source->seconds_known = true;
	sample->source->memory_bytes = UINT64_C(64) << 30;
	sample->source->samples = 3;
	sample->seconds = 10.5;
	sample->started_wall_ms = 1700000000123;
	sample->target[0] = '\0';
	sample->error_count = 1;
	sample->directions[DIRECTION_READ].ios = 1000;
	sample->directions[DIRECTION_READ].bytes = 4096000;
	sample->directions[DIRECTION_READ].latency = narrow(990, 100000);
	sample->directions[DIRECTION_READ].submission = narrow(10, 1000);
	sample->sync = narrow(7, 5000);
	told->ios_known = told->bytes_known = true;
	told->iops = (struct told_figure){true, 95.5, 95.25, 95.75};
	told->bandwidth = told_exactly(390000);
	told->latency_min = told_exactly(1e5);
	told->latency_mean = told_exactly(2e5);
	told->latency_max = told_exactly(1e6);
	told->latency_stddev = told_exactly(3e4);
	told->percentiles = calloc(2, sizeof(*told->percentiles));
	told->percentile_count = 2;
	told->percentiles[0] = (struct told_percentile){50, 190000};
	told->percentiles[1] = (struct told_percentile){99.9, 900000.5};
}

static void fill_files(struct sample *sample)
{
	make_sample(sample, "after");
	sample->order = 1;
	sample->source->index = true;
	workload_unset(&sample->options, OPTION_ID_RW); /* it moves no data */
	sample->files = calloc(1, sizeof(*sample->files));
	sample->file_count = 1;
	sample->files[0].operation = FILE_STAT;
	sample->files[0].order = FILE_ORDER_RANDOM;
	sample->files[0].told_ops_per_s = (struct told_figure){true, 16384, 16383.5, 16384.5};
}

static void start(struct result *result)
{
	struct error err;

	result_init(result);
	(void)snprintf(result->id, sizeof(result->id), "20261130-115005-abc123");
	result->state = RUN_DONE;
	result->created_wall_ms = result->ended_wall_ms = 1796039400000;
	assert_int_equal(decode(definition_text, &result->definition, &err), 0);
	result->sample_count = result->planned_samples = 2;
	result->samples = calloc(2, sizeof(*result->samples));
	fill(&result->samples[0]);
	fill_files(&result->samples[1]);
	result->facts = calloc(2, sizeof(*result->facts));
	result->fact_count = 2;
	result->facts[0] = (struct result_fact){fixture_text("pool"), fixture_text("mirrors")};
	result->facts[1] = (struct result_fact){fixture_text("a host"), fixture_text("nas <1>")};
}

static void results_come_back(void **state)
{
	struct result result, back;
	const struct told_direction *told;
	struct error err = {0};
	AUTO_FREE char *text = NULL, *again = NULL;
	json_t *value;

	(void)state;
	start(&result);
	value = result_encode(&result);
	text = json_write(value);
	json_decref(value);
	assert_non_null(text);
	assert_null(strstr(text, "\"environment\""));
	assert_null(strstr(text, "\"backend\""));
	assert_null(strstr(text, "\"seed\""));
	assert_null(strstr(text, "\"cpu_seconds\""));
	result_init(&back);
	if (result_decode_text(text, strlen(text), &back, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	value = result_encode(&back);
	again = json_write(value);
	json_decref(value);
	assert_string_equal(text, again);
	told = &back.samples[0].source->directions[DIRECTION_READ];
	assert_true(told->ios_known && told->bytes_known);
	assert_float_equal(told->iops.low, 95.25, 0);
	assert_float_equal(told->percentiles[1].percentile, 99.9, 0);
	assert_int_equal(back.samples[0].directions[DIRECTION_READ].latency->count, 990);
	assert_int_equal(back.samples[0].source->memory_bytes, UINT64_C(64) << 30);
	assert_true(sample_knows(&back.samples[0], OPTION_ID_BS));
	assert_false(sample_knows(&back.samples[0], OPTION_ID_IODEPTH));
	assert_string_equal(back.samples[1].target, "");
	assert_true(back.samples[1].source->index);
	assert_false(sample_iops_figure(&back.samples[1], DIRECTION_READ).known);
	assert_float_equal(file_result_ops_per_s(&back.samples[1].files[0]), 16384, 0);
	assert_string_equal(back.facts[1].name, "a host");
	result_done(&back);
	result_done(&result);
}

/* The columns of a row of CSV without quotes; *count of them. */
static size_t split(char *row, char **columns, size_t most)
{
	size_t count = 0;

	while (row && count < most)
		columns[count++] = strsep(&row, ",");
	return count;
}

/* What is not known is empty, never 0. */
static void csv_has_no_zero_for_the_unknown(void **state)
{
	struct result result;
	AUTO_FREE char *text = NULL;
	char *heads[80], *cells[80], *rest, *line;
	size_t head_count, rows = 0;

	(void)state;
	start(&result);
	text = result_csv(&result);
	assert_non_null(text);
	rest = text;
	line = strsep(&rest, "\r");
	head_count = split(line, heads, ARRAY_SIZE(heads));
	while ((line = strsep(&rest, "\r")) && line[0] == '\n' && line[1]) {
		assert_int_equal(split(line + 1, cells, ARRAY_SIZE(cells)), head_count);
		for (size_t i = 3; i < head_count; i++) {
			if (strcmp(heads[i], "bytes") == 0)
				assert_string_equal(cells[i], rows == 0 ? "4096000" : "");
			if (strcmp(heads[i], "iops") == 0)
				assert_float_equal(strtod(cells[i], NULL), rows == 0 ? 95.5 : 16384,
						   0);
			if (strcmp(cells[i], "0") == 0)
				assert_string_equal(heads[i], rows == 0 ? "short_ios" : "order");
			if (strcmp(heads[i], "seconds") == 0)
				assert_string_equal(cells[i], rows == 0 ? "10.5" : "");
			if (strcmp(heads[i], "verify_errors") == 0 ||
			    strcmp(heads[i], "cpu_user_s") == 0)
				assert_string_equal(cells[i], "");
		}
		rows++;
	}
	assert_int_equal(rows, 2);
	result_done(&result);
}

/* Replaces a text in a whole document and reads that. */
static void refuse(const char *text, const char *old, const char *with, const char *field)
{
	const char *at = strstr(text, old);
	struct result result;
	struct error err = {0};
	AUTO_FREE char *bad = NULL;

	assert_non_null(at);
	if (asprintf(&bad, "%.*s%s%s", (int)(at - text), text, with, at + strlen(old)) < 0)
		fail();
	result_init(&result);
	assert_int_equal(result_decode_text(bad, strlen(bad), &result, &err), -EINVAL);
	if (!strstr(err.field, field))
		fail_msg("%s instead of %s: %s", err.field, field, err.message);
}

static void damaged_ones_are_refused_with_their_place(void **state)
{
	struct result result;
	AUTO_FREE char *text = NULL;
	json_t *value;

	(void)state;
	start(&result);
	value = result_encode(&result);
	text = json_write(value);
	json_decref(value);
	result_done(&result);
	refuse(text, "\"tool\":\"fio-3.33\",", "", "/samples/0/source/tool");
	refuse(text, "\"low\":95.25", "\"low\":95.7", "/samples/0/source/read/iops/value");
	refuse(text, "\"value\":95.5", "\"value\":\"x\"", "/samples/0/source/read/iops/value");
	refuse(text, "\"99.900000\":900000.5", "\"101\":900000.5", "percentiles/101");
	refuse(text, "\"ios\":1000", "\"ios\":-1", "/samples/0/read/ios");
	refuse(text, "\"pool\":\"mirrors\"", "\"pool\":1", "/facts/pool");
	refuse(text, "\"seconds_known\":true", "\"seconds_known\":0", "seconds_known");
	refuse(text, "\"imported\":true", "\"imported\":false", "/definition");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definitions_come_back),
		cmocka_unit_test(what_an_imported_definition_cannot_have),
		cmocka_unit_test(an_imported_definition_is_not_run),
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(csv_has_no_zero_for_the_unknown),
		cmocka_unit_test(damaged_ones_are_refused_with_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
