/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_plan.c (codec) - plans, findings and targets as documents. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "server/codec/definition.h"
#include "server/codec/plan.h"
#include "server/codec/view.h"
#include "tests/unit/server/codec/fixture.h"

static const char definition_text[] =
	"{\"name\": \"two factors\", \"seed\": 7, \"repeats\": 2,"
	" \"targets\": [{\"name\": \"a\", \"file\": \"/srv/scratch/f\"},"
	"               {\"name\": \"b\", \"directory\": \"/srv/scratch/d\"}],"
	" \"factors\": {\"bs\": [\"4k\", \"8k\", \"16k\"], \"target\": [\"a\", \"b\"]},"
	" \"defaults\": {\"size\": \"1m\", \"runtime\": 1},"
	" \"workloads\": [{\"name\": \"r\", \"rw\": \"randread\"},"
	"                 {\"name\": \"w\", \"rw\": \"randwrite\", \"numjobs\": 2}]}";

static const char *text(const json_t *value, const char *name)
{
	const char *found = json_string_value(json_object_get(value, name));

	return found ? found : "";
}

static json_t *start(struct definition *definition, struct plan *plan)
{
	static const struct machine machine = {
		.memory_bytes = 8ull << 30, .memory_available_bytes = 4ull << 30, .cpus = 2};
	struct target_info *infos = calloc(2, sizeof(*infos));
	struct error err = {0};
	json_t *value;

	assert_non_null(infos);
	definition_init(definition);
	if (definition_decode_text(definition_text, strlen(definition_text), NULL, NULL, definition,
				   &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	assert_int_equal(plan_make(definition, &machine, plan, &err), 0);
	(void)snprintf(infos[0].path, sizeof(infos[0].path), "/srv/scratch/f");
	infos[1].kind = TARGET_DIRECTORY;
	(void)snprintf(infos[1].path, sizeof(infos[1].path), "/srv/scratch/d");
	value = plan_encode(plan, infos, BACKEND_THREADS, "a reason");
	assert_non_null(value);
	free(infos);
	return value;
}

/* What `volbench plan` reads of it. */
static void an_estimate_may_be_a_range(void **state)
{
	const struct estimate_least least = {12, 7.5, 3, UINT64_C(1) << 40};
	struct definition definition;
	struct target_info *infos = calloc(2, sizeof(*infos));
	struct plan_view view;
	struct error err = {0};
	struct plan plan;
	json_t *value = start(&definition, &plan);
	char *written;

	(void)state;
	assert_non_null(infos);
	assert_null(json_object_get(json_object_get(value, "estimate"), "least"));
	json_decref(value);
	plan.estimate.least = least;
	value = plan_encode(&plan, infos, BACKEND_THREADS, "a reason");
	written = json_write(value);
	if (plan_view_read(written, &view, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
	assert_int_equal(view.estimate.least.samples, 12);
	assert_true(view.estimate.least.seconds == 7.5);
	assert_true(view.estimate.least.bytes_read == 3);
	assert_true(view.estimate.least.bytes_written == UINT64_C(1) << 40);
	plan_view_done(&view);
	free(written);
	free(infos);
	json_decref(value);
	plan_done(&plan);
	definition_done(&definition);
}

static void a_plan_says_what_will_be_done(void **state)
{
	struct definition definition;
	struct plan plan;
	json_t *value = start(&definition, &plan), *targets = json_object_get(value, "targets");

	(void)state;
	assert_string_equal(text(value, "schema"), PLAN_SCHEMA);
	assert_string_equal(text(value, "name"), "two factors");
	assert_string_equal(text(value, "backend"), "threads");
	assert_string_equal(text(value, "backend_reason"), "a reason");
	assert_int_equal(json_integer_value(json_object_get(value, "sample_count")), 24);
	assert_int_equal(json_array_size(json_object_get(value, "samples")), 24);
	assert_int_equal(json_array_size(targets), 2);
	assert_string_equal(text(json_array_get(targets, 0), "name"), "a");
	assert_string_equal(text(json_array_get(targets, 0), "action"), "create");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(targets, 1), "files")),
			 2);
	assert_int_equal(
		json_integer_value(json_object_get(json_array_get(targets, 1), "file_bytes")),
		1 << 20);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(value, "definition"), "seed")),
		7);
	json_decref(value);
	plan_done(&plan);
	definition_done(&definition);
}

static void zvols_are_told_one_by_one(void **state)
{
	static const char made[] =
		"{\"name\": \"n\", \"seed\": 7, \"parent\": \"tank/a\", \"targets\": [{\"name\": "
		"\"f\", \"dataset\": {}}, {\"name\": \"z\", \"zvol\": {\"properties\": "
		"{\"copies\": "
		"2}}}], \"factors\": {\"compression\": [\"off\", \"lz4\"]}, \"workloads\": "
		"[{\"rw\": "
		"\"read\", \"size\": \"100k\", \"numjobs\": 3}]}";
	struct target_info *infos = calloc(2, sizeof(*infos));
	json_t *value, *zvol, *dataset, *list, *cell;
	struct definition definition;
	struct error err = {0};
	struct plan plan;

	(void)state;
	definition_init(&definition);
	assert_int_equal(definition_decode_text(made, strlen(made), NULL, NULL, &definition, &err),
			 0);
	assert_int_equal(plan_make(&definition, NULL, &plan, &err), 0);
	value = plan_encode(&plan, infos, BACKEND_THREADS, "a reason");
	dataset = json_array_get(json_object_get(value, "targets"), 0);
	assert_int_equal(json_integer_value(json_object_get(dataset, "files")), 3);
	assert_int_equal(json_integer_value(json_object_get(dataset, "file_bytes")), 100 << 10);
	assert_int_equal(json_array_size(json_object_get(dataset, "instances")), 2);
	zvol = json_array_get(json_object_get(value, "targets"), 1);
	assert_string_equal(text(zvol, "action"), "create");
	assert_int_equal(json_integer_value(json_object_get(zvol, "files")), 1);
	assert_int_equal(json_integer_value(json_object_get(zvol, "file_bytes")), 384 << 10);
	list = json_object_get(zvol, "instances");
	assert_int_equal(json_array_size(list), 2);
	assert_string_equal(
		text(json_object_get(json_array_get(list, 1), "properties"), "compression"), "lz4");
	assert_string_equal(text(json_object_get(json_array_get(list, 1), "properties"), "copies"),
			    "2");
	cell = json_array_get(json_object_get(value, "cells"), 3);
	assert_string_equal(text(cell, "target"), "tank/a");
	assert_non_null(strstr(text(cell, "fio"), "--filename=/dev/zvol/tank/a/fio-4"));
	json_decref(value);
	free(infos);
	plan_done(&plan);
	definition_done(&definition);
}

static void samples_stand_in_order(void **state)
{
	struct definition definition;
	struct plan plan;
	json_t *value = start(&definition, &plan), *samples = json_object_get(value, "samples");

	(void)state;
	for (size_t i = 0; i < plan.sample_count; i++) {
		const json_t *sample = json_array_get(samples, i);
		const json_t *levels = json_object_get(sample, "levels");
		const struct plan_sample *planned = &plan.samples[i];

		assert_int_equal(json_integer_value(json_object_get(sample, "order")), i);
		assert_string_equal(text(sample, "workload"),
				    definition.workloads[planned->workload].name);
		assert_string_equal(text(levels, "bs"),
				    definition.factors[0].levels[planned->levels[0]]);
		assert_string_equal(text(sample, "target"),
				    planned->target == 0 ? "/srv/scratch/f" : "/srv/scratch/d");
		/* below 2^63: an integer of JSON, exactly */
		assert_true(json_is_integer(json_object_get(sample, "seed")));
		assert_true((uint64_t)json_integer_value(json_object_get(sample, "seed")) ==
			    planned->seed);
	}
	json_decref(value);
	plan_done(&plan);
	definition_done(&definition);
}

static void cells_stand_once_with_their_options(void **state)
{
	static const char *const sizes[] = {"4k", "8k", "16k"};
	struct definition definition;
	struct plan plan;
	json_t *value = start(&definition, &plan), *cells = json_object_get(value, "cells");

	(void)state;
	assert_int_equal(json_array_size(cells), 12);
	for (size_t i = 0; i < 12; i++) {
		const json_t *cell = json_array_get(cells, i);
		const json_t *levels = json_object_get(cell, "levels");
		const json_t *options = json_object_get(cell, "options");

		assert_string_equal(text(cell, "workload"), i < 6 ? "r" : "w");
		assert_string_equal(text(levels, "bs"), sizes[i % 3]);
		assert_string_equal(text(options, "bs"), sizes[i % 3]);
		assert_string_equal(text(levels, "target"), i / 3 % 2 == 0 ? "a" : "b");
		assert_string_equal(text(options, "rw"), i < 6 ? "randread" : "randwrite");
		assert_non_null(strstr(text(cell, "fio"), i < 6 ? "randread" : "randwrite"));
		assert_non_null(strstr(text(cell, "fio"), "/srv/scratch/"));
	}
	json_decref(value);
	plan_done(&plan);
	definition_done(&definition);
}

static void findings_come_back(void **state)
{
	char one[] = "one", two[] = "two";
	char *names[] = {one, two};
	const struct finding named = {
		.code = one, .message = two, .workload_count = 2, .workloads = names};
	struct findings findings, again;
	json_t *value;

	(void)state;
	findings_init(&findings);
	findings_init(&again);
	assert_int_equal(findings_append(&findings, &named), 0);
	assert_int_equal(
		findings_add(&findings, FINDING_ERROR, "a", "w", "bs=4k", "1", "2", "%s", "100 %s"),
		0);
	assert_int_equal(findings_add(&findings, FINDING_INFO, "b", NULL, NULL, NULL, NULL, "%s",
				      "only this"),
			 0);
	value = findings_encode(&findings);
	assert_int_equal(findings_decode(value, &again), 0);
	fixture_same_findings(&findings, &again);
	assert_int_equal(json_object_set_new(json_array_get(value, 0), "workloads", json_null()),
			 0);
	assert_int_equal(findings_decode(value, &again), -EINVAL);
	assert_int_equal(json_object_set_new(json_array_get(value, 0), "workloads",
					     json_pack("[s, i]", "one", 2)),
			 0);
	assert_int_equal(findings_decode(value, &again), -EINVAL);
	assert_int_equal(findings_decode(json_array_get(value, 0), &again), -EINVAL);
	assert_int_equal(findings_decode(NULL, &again), -EINVAL);
	json_decref(value);
	findings_done(&findings);
	findings_done(&again);
}

static void expect_no_info(json_t *value, const char *member, json_t *with)
{
	struct target_info *info = calloc(1, sizeof(*info));
	json_t *copy = json_deep_copy(value);

	assert_non_null(info);
	assert_int_equal(
		with ? json_object_set_new(copy, member, with) : json_object_del(copy, member), 0);
	if (target_info_decode(copy, info) != -EINVAL)
		fail_msg("%s was taken", member);
	json_decref(copy);
	free(info);
}

static void facts_of_zfs_come_back(void **state)
{
	static const struct zfs_facts facts = {
		.pool = "tank",
		.version = "2.3.2",
		.health = "DEGRADED",
		.readonly = true,
		.size_bytes = UINT64_C(1) << 41,
		.free_bytes = UINT64_C(1) << 40,
		.fragmentation_percent = 12,
		.ashift = 12,
		.layout = "raidz2 of 6",
		.parity = true,
		.recommended_volblocksize = 32768,
	};
	struct target_info *info = calloc(1, sizeof(*info)), *again = calloc(1, sizeof(*again));
	json_t *value, *zfs;

	(void)state;
	assert_non_null(info);
	assert_non_null(again);
	info->zfs = facts;
	value = target_info_encode(info);
	assert_int_equal(target_info_decode(value, again), 0);
	assert_memory_equal(&again->zfs, &facts, sizeof(facts));
	zfs = json_object_get(value, "zfs");
	assert_int_equal(json_object_del(zfs, "fragmentation_percent"), 0);
	assert_int_equal(json_object_del(zfs, "ashift"), 0);
	assert_int_equal(json_object_del(zfs, "recommended_volblocksize"), 0);
	assert_int_equal(target_info_decode(value, again), 0);
	assert_true(again->zfs.fragmentation_percent == -1);
	assert_int_equal(again->zfs.ashift, 0);
	assert_int_equal(again->zfs.recommended_volblocksize, 0);
	expect_no_info(value, "zfs", json_string("tank"));
	/* as documents were before */
	assert_int_equal(json_object_del(value, "zfs"), 0);
	assert_int_equal(target_info_decode(value, again), 0);
	assert_string_equal(again->zfs.pool, "");
	json_decref(value);
	free(info);
	free(again);
}

static void targets_come_back(void **state)
{
	struct target_info *info = calloc(1, sizeof(*info)), *again = calloc(1, sizeof(*again));
	json_t *value;

	(void)state;
	assert_non_null(info);
	assert_non_null(again);
	info->kind = TARGET_DEVICE;
	(void)snprintf(info->path, sizeof(info->path), "/dev/disk/by-id/x");
	info->size_bytes = UINT64_C(1) << 40;
	info->logical_block_bytes = 4096;
	info->nowait = info->direct = info->checked = true;
	(void)snprintf(info->device, sizeof(info->device), "nvme0n1");
	info->device_number = makedev(259, 65536);
	(void)snprintf(info->fingerprint, sizeof(info->fingerprint), "print");
	value = target_info_encode(info);
	assert_string_equal(text(value, "device_number"), "259:65536");
	assert_int_equal(target_info_decode(value, again), 0);
	assert_int_equal(again->kind, info->kind);
	assert_string_equal(again->path, info->path);
	assert_string_equal(again->filesystem, "");
	assert_true(again->size_bytes == info->size_bytes);
	assert_true(again->free_bytes == 0);
	assert_int_equal(again->logical_block_bytes, 4096);
	assert_true(again->nowait && again->direct && again->checked);
	assert_string_equal(again->device, "nvme0n1");
	assert_true(again->device_number == info->device_number);
	assert_string_equal(again->fingerprint, "print");

	expect_no_info(value, "kind", json_string("pool"));
	expect_no_info(value, "path", NULL);
	expect_no_info(value, "size_bytes", json_integer(-1));
	expect_no_info(value, "logical_block_bytes", json_integer(INT64_C(1) << 32));
	expect_no_info(value, "direct", json_integer(1));
	expect_no_info(value, "device_number", json_string("259"));
	expect_no_info(value, "device_number", json_string("259:1x"));
	expect_no_info(value, "device_number", json_string("-1:1"));
	expect_no_info(value, "device", json_integer(5));
	assert_int_equal(target_info_decode(NULL, again), -EINVAL);
	json_decref(value);
	free(info);
	free(again);
}

/* The pool a target lies on: whole, and with what is not known of it. */
static void pools_come_back(void **state)
{
	struct target_info *info = calloc(1, sizeof(*info)), *again = calloc(1, sizeof(*again));
	json_t *value, *pool;

	(void)state;
	assert_non_null(info);
	assert_non_null(again);
	info->kind = TARGET_ZVOL;
	(void)snprintf(info->path, sizeof(info->path), "tank/volbench");
	info->zfs = (struct zfs_facts){.pool = "tank",
				       .version = "2.3.2-1",
				       .health = "ONLINE",
				       .readonly = true,
				       .size_bytes = UINT64_C(1) << 60,
				       .free_bytes = 5,
				       .fragmentation_percent = 12,
				       .ashift = 12,
				       .layout = "raidz2 of 6",
				       .parity = true,
				       .recommended_volblocksize = 32768};
	value = target_info_encode(info);
	assert_int_equal(target_info_decode(value, again), 0);
	assert_memory_equal(&again->zfs, &info->zfs, sizeof(info->zfs));
	pool = json_object_get(value, "zfs");
	assert_int_equal(json_object_set_new(pool, "fragmentation_percent", json_real(100.5)), 0);
	assert_int_equal(target_info_decode(value, again), -EINVAL);
	json_decref(value);

	info->zfs = (struct zfs_facts){.pool = "tank", .fragmentation_percent = -1};
	value = target_info_encode(info);
	pool = json_object_get(value, "zfs");
	assert_int_equal(json_object_size(pool), 5);
	assert_int_equal(target_info_decode(value, again), 0);
	assert_memory_equal(&again->zfs, &info->zfs, sizeof(info->zfs));
	assert_int_equal(json_object_del(pool, "pool"), 0);
	assert_int_equal(target_info_decode(value, again), -EINVAL);
	assert_int_equal(json_object_set_new(value, "zfs", json_integer(1)), 0);
	assert_int_equal(target_info_decode(value, again), -EINVAL);
	json_decref(value);
	free(info);
	free(again);
}

static void candidates_say_why_not(void **state)
{
	struct target_candidate *candidates = calloc(2, sizeof(*candidates));
	struct target_list list = {2, candidates};
	json_t *value;

	(void)state;
	assert_non_null(candidates);
	candidates[0].usable = true;
	(void)error_set(&candidates[1].reason, ERROR_TARGET_BUSY, "", "it is mounted");
	value = target_list_encode(&list);
	assert_int_equal(json_array_size(value), 2);
	assert_true(json_is_true(json_object_get(json_array_get(value, 0), "usable")));
	assert_null(json_object_get(json_array_get(value, 0), "reason"));
	assert_string_equal(text(json_object_get(json_array_get(value, 1), "reason"), "code"),
			    "target_busy");
	json_decref(value);
	free(candidates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_of_zfs_come_back),
		cmocka_unit_test(an_estimate_may_be_a_range),
		cmocka_unit_test(a_plan_says_what_will_be_done),
		cmocka_unit_test(zvols_are_told_one_by_one),
		cmocka_unit_test(samples_stand_in_order),
		cmocka_unit_test(cells_stand_once_with_their_options),
		cmocka_unit_test(findings_come_back),
		cmocka_unit_test(targets_come_back),
		cmocka_unit_test(pools_come_back),
		cmocka_unit_test(candidates_say_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
