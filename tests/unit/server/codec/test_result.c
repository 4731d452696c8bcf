/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_result.c (codec) - results there and back; damaged ones are refused with their place. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/codec/definition.h"
#include "server/codec/plan.h"
#include "server/codec/result.h"
#include "server/codec/result_text.h"
#include "tests/unit/server/codec/fixture.h"

static const char definition_text[] =
	"{\"name\": \"a comparison\", \"seed\": 7, \"repeats\": 3,"
	" \"target\": {\"file\": \"/srv/scratch/volbench\"},"
	" \"factors\": {\"iodepth\": [8, 16]},"
	" \"workloads\": [{\"name\": \"mix\", \"rw\": \"randrw\", \"size\": \"64m\"}]}";

static void start(struct result *result)
{
	struct environment *environment = &result->environment;
	struct error err = {0};

	result_init(result);
	(void)snprintf(result->id, sizeof(result->id), "20261130-115005-abc123");
	result->state = RUN_FAILED;
	result->created_wall_ms = 1796039400000;
	result->started_wall_ms = 1796039401001;
	result->ended_wall_ms = 1796039405389;
	if (definition_decode_text(definition_text, strlen(definition_text), NULL, NULL,
				   &result->definition, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	(void)snprintf(environment->host, sizeof(environment->host), "nas");
	(void)snprintf(environment->kernel, sizeof(environment->kernel), "6.12.0");
	(void)snprintf(environment->uring, sizeof(environment->uring), "available");
	environment->uring_available = true;
	(void)snprintf(environment->zfs, sizeof(environment->zfs), "available");
	environment->zfs_available = true;
	(void)snprintf(environment->zfs_version, sizeof(environment->zfs_version), "2.3.2-1");
	environment->cpus = 8;
	environment->cpus_allowed = 4;
	environment->memory_bytes = UINT64_C(1) << 36;
	(void)snprintf(result->backend, sizeof(result->backend), "io_uring");
	(void)snprintf(result->backend_reason, sizeof(result->backend_reason), "it works");
	result->target_count = 1;
	result->targets = calloc(1, sizeof(*result->targets));
	assert_non_null(result->targets);
	(void)snprintf(result->targets[0].path, sizeof(result->targets[0].path),
		       "/srv/scratch/volbench");
	result->planned_samples = 6;
	result->repeats = (struct repeats_outcome){REPEATS_END_PRECISE, 5, 6, 1.5, 2};
	result->sample_count = 2;
	result->samples = calloc(2, sizeof(*result->samples));
	assert_non_null(result->samples);
	fixture_sample(&result->samples[0]);
	fixture_sample(&result->samples[1]);
	result->samples[0].order = 1;
	result->samples[1].order = 3;
	assert_int_equal(findings_add(&result->findings, FINDING_WARNING, "short_run", NULL, NULL,
				      NULL, NULL, "%s", "It is short."),
			 0);
	(void)error_set(&result->error, ERROR_IO_ERROR, "", "write at 4096 failed");
	result->error.sys = EIO;
}

static json_t *through_text(json_t *value)
{
	struct error err = {0};
	json_t *again = NULL;
	char *text;

	assert_non_null(value);
	text = json_write(value);
	assert_non_null(text);
	assert_int_equal(json_read_own(text, strlen(text), &again, &err), 0);
	free(text);
	json_decref(value);
	return again;
}

static void expect_same_documents(json_t *a, json_t *b)
{
	assert_non_null(a);
	assert_true(json_equal(a, b));
	json_decref(a);
	json_decref(b);
}

static void expect_same(const struct result *a, const struct result *b)
{
	assert_string_equal(a->id, b->id);
	assert_int_equal(a->state, b->state);
	assert_true(a->created_wall_ms == b->created_wall_ms);
	assert_true(a->started_wall_ms == b->started_wall_ms);
	assert_true(a->ended_wall_ms == b->ended_wall_ms);
	assert_string_equal(a->definition.name, b->definition.name);
	assert_true(a->definition.seed == b->definition.seed);
	expect_same_documents(environment_encode(&a->environment),
			      environment_encode(&b->environment));
	assert_string_equal(a->backend, b->backend);
	assert_string_equal(a->backend_reason, b->backend_reason);
	assert_int_equal(a->target_count, b->target_count);
	for (size_t i = 0; i < a->target_count; i++)
		expect_same_documents(target_info_encode(&a->targets[i]),
				      target_info_encode(&b->targets[i]));
	assert_int_equal(a->planned_samples, b->planned_samples);
	fixture_same_outcome(&a->repeats, &b->repeats);
	assert_int_equal(a->sample_count, b->sample_count);
	for (size_t i = 0; i < a->sample_count; i++)
		fixture_same_sample(&a->samples[i], &b->samples[i]);
	fixture_same_findings(&a->findings, &b->findings);
	assert_int_equal(a->error.code, b->error.code);
	assert_string_equal(a->error.message, b->error.message);
	assert_int_equal(a->error.sys, b->error.sys);
}

static void expect_same_again(const struct result *result)
{
	json_t *value = through_text(result_encode(result));
	struct result again;
	struct error err = {0};

	result_init(&again);
	if (result_decode(value, &again, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	expect_same(result, &again);
	result_done(&again);
	json_decref(value);
}

/* As we write it, and as somebody's tool has laid it out anew. */
static void texts_come_back_whole(void **state)
{
	struct result result, again;
	struct error err = {0};
	char *texts[3];
	json_t *value;

	(void)state;
	start(&result);
	value = result_encode(&result);
	texts[0] = json_write(value);
	assert_true(asprintf(&texts[1], "%s\n", texts[0]) > 0);
	texts[2] = json_dumps(value, JSON_INDENT(2));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_non_null(texts[i]);
		result_init(&again);
		if (result_decode_text(texts[i], strlen(texts[i]), &again, &err) < 0)
			fail_msg("%zu: %s: %s", i, err.field, err.message);
		expect_same(&result, &again);
		result_done(&again);
		free(texts[i]);
	}
	json_decref(value);
	result_done(&result);
}

/* What the text of a result with two samples becomes by `damage`. */
static void refuse_text(const char *wanted_field, enum error_code code, void (*damage)(char *text))
{
	struct result result, again;
	struct error err = {0};
	json_t *value;
	char *text;

	start(&result);
	value = result_encode(&result);
	text = json_write(value);
	assert_non_null(text);
	damage(text);
	result_init(&again);
	if (result_decode_text(text, strlen(text), &again, &err) >= 0)
		fail_msg("taken: %s", text);
	assert_int_equal(err.code, code);
	assert_string_equal(err.field, wanted_field);
	assert_null(again.samples);
	free(text);
	json_decref(value);
	result_done(&result);
}

static void cut_end(char *text)
{
	text[strlen(text) - 1] = '\0';
}

static void cut_sample(char *text)
{
	text[strlen(text) - 200] = '\0';
}

static void close_early(char *text)
{
	memcpy(strstr(text, "\"samples\":[") + strlen("\"samples\":["), "]}", 2);
}

static void spoil_schema(char *text)
{
	char *second = strstr(text, "volbench.sample/1");

	second = strstr(second + 1, "volbench.sample/1");
	second[strlen("volbench.sample/")] = '7';
}

static void damaged_texts_are_refused(void **state)
{
	(void)state;
	refuse_text("", ERROR_JSON_INVALID, cut_end);
	refuse_text("", ERROR_JSON_INVALID, cut_sample);
	refuse_text("", ERROR_JSON_INVALID, close_early);
	refuse_text("/samples/1/schema", ERROR_UNSUPPORTED_SCHEMA, spoil_schema);
}

static void results_come_back_whole(void **state)
{
	struct result result;

	(void)state;
	start(&result);
	expect_same_again(&result);
	result_done(&result);
}

static void a_run_that_never_started_comes_back(void **state)
{
	struct result result;
	struct error err = {0};

	(void)state;
	result_init(&result);
	(void)snprintf(result.id, sizeof(result.id), "20261130-115005-abc123");
	result.state = RUN_CANCELLED;
	result.created_wall_ms = 1;
	assert_int_equal(definition_decode_text(definition_text, strlen(definition_text), NULL,
						NULL, &result.definition, &err),
			 0);
	expect_same_again(&result);
	result_done(&result);
}

static void samples_are_put_in_order(void **state)
{
	struct result result, again;
	struct error err = {0};
	json_t *value;

	(void)state;
	start(&result);
	result.samples[0].order = 5;
	value = through_text(result_encode(&result));
	result_init(&again);
	assert_int_equal(result_decode(value, &again, &err), 0);
	assert_int_equal(again.samples[0].order, 3);
	assert_int_equal(again.samples[1].order, 5);
	result_done(&again);
	json_decref(value);
	result_done(&result);
}

static void damaged_results_are_refused(void **state)
{
	static const struct {
		const char *member, *value, *field;
	} damages[] = {
		{"schema", "\"volbench.result/2\"", "/schema"},
		{"id", "5", "/id"},
		{"state", "\"finished\"", "/state"},
		{"created", "\"\"", "/created"},
		{"ended", "7", "/ended"},
		{"definition", "{}", "/definition"},
		{"definition", "[]", "/definition"},
		{"backend", "\"spdk\"", "/backend"},
		{"environment", "{}", "/environment"},
		{"targets", "[{}]", "/targets"},
		{"planned_samples", "-1", "/planned_samples"},
		{"findings", "[1]", "/findings"},
		{"samples", "{}", "/samples"},
		{"samples", "[{}]", "/samples/0/schema"},
		{"samples", "[5]", "/samples/0"},
	};
	struct result result, again;

	(void)state;
	start(&result);
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		json_t *value = through_text(result_encode(&result)), *with = NULL;
		struct error err = {0};

		assert_int_equal(
			json_read_own(damages[i].value, strlen(damages[i].value), &with, &err), 0);
		assert_int_equal(json_object_set_new(value, damages[i].member, with), 0);
		result_init(&again);
		if (result_decode(value, &again, &err) >= 0)
			fail_msg("%s = %s was taken", damages[i].member, damages[i].value);
		if (strncmp(err.field, damages[i].field, strlen(damages[i].field)) != 0)
			fail_msg("%s, expected %s", err.field, damages[i].field);
		assert_null(again.samples);
		json_decref(value);
	}
	result_done(&result);
}

static void two_samples_of_one_order_are_refused(void **state)
{
	struct result result, again;
	struct error err = {0};
	json_t *value;

	(void)state;
	start(&result);
	result.samples[1].order = 1;
	value = through_text(result_encode(&result));
	result_init(&again);
	assert_int_equal(result_decode(value, &again, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_DUPLICATE);
	assert_string_equal(err.field, "/samples");
	json_decref(value);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_come_back_whole),
		cmocka_unit_test(texts_come_back_whole),
		cmocka_unit_test(damaged_texts_are_refused),
		cmocka_unit_test(a_run_that_never_started_comes_back),
		cmocka_unit_test(samples_are_put_in_order),
		cmocka_unit_test(damaged_results_are_refused),
		cmocka_unit_test(two_samples_of_one_order_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
