/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_run_instances.c - in which order instances are made, filled and removed, all at once or one
 * by one, and what is left when a step fails. Targets are stand-ins.
 *
 * link: -Wl,--wrap=target_create,--wrap=target_remove,--wrap=target_free,--wrap=target_info
 * link: -Wl,--wrap=fill_target,--wrap=target_check_blank,--wrap=target_await_freed
 * link: -Wl,--wrap=zfs_is_full
 */
#include "engine/run_parts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "engine/fill.h"

#define INSTANCES 3

static struct target_info info;
static char told[512]; /* what was done: "make2", "fill2", "remove2", phases */
static const char *fails;
static int fails_sys;
static char stand_ins[INSTANCES + 1];
static struct run run;

static int did(const char *what, const void *target, struct error *err)
{
	char word[32];

	(void)snprintf(word, sizeof(word), "%s%td", what, (const char *)target - stand_ins);
	(void)snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%s", told[0] ? " " : "",
		       word);
	if (!fails || strcmp(fails, word) != 0)
		return 0;
	(void)error_set(err, ERROR_IO_ERROR, "", "%s fails", word);
	if (err)
		err->sys = fails_sys;
	return -EIO;
}

int __wrap_target_create(const struct allow *allow, const struct target_spec *spec,
			 const struct target_need *need, const struct target_making *making,
			 struct target **ret_target, struct error *err);
int __wrap_target_create(const struct allow *allow, const struct target_spec *spec,
			 const struct target_need *need, const struct target_making *making,
			 struct target **ret_target, struct error *err)
{
	(void)allow;
	(void)spec;
	assert_int_equal(need->bytes, 1 << 20);
	assert_string_equal(making->run_id, "r");
	assert_ptr_equal(making->cancel, run.config->cancel);
	assert_non_null(making->step);
	if (did("make", &stand_ins[making->number], err) < 0)
		return -EIO;
	*ret_target = (struct target *)(void *)&stand_ins[making->number];
	return 0;
}

int __wrap_target_remove(struct target *target, void (*step)(void *arg), void *arg,
			 struct error *err);
int __wrap_target_remove(struct target *target, void (*step)(void *arg), void *arg,
			 struct error *err)
{
	assert_non_null(step);
	step(arg);
	return did("remove", target, err);
}

void __wrap_target_await_freed(const struct target_spec *spec, atomic_bool *cancel,
			       void (*step)(void *arg), void *arg);
void __wrap_target_await_freed(const struct target_spec *spec, atomic_bool *cancel,
			       void (*step)(void *arg), void *arg)
{
	assert_string_equal(spec->path, "tank/volbench");
	assert_ptr_equal(cancel, run.config->cancel);
	step(arg);
	(void)snprintf(told + strlen(told), sizeof(told) - strlen(told), " freed");
}

void __wrap_target_free(struct target *target);
void __wrap_target_free(struct target *target)
{
	(void)target;
}

const struct target_info *__wrap_target_info(const struct target *target);
const struct target_info *__wrap_target_info(const struct target *target)
{
	(void)target;
	return &info;
}

int __wrap_target_check_blank(const struct target *target, bool (*step)(void *arg), void *arg,
			      struct error *err);
int __wrap_target_check_blank(const struct target *target, bool (*step)(void *arg), void *arg,
			      struct error *err)
{
	(void)target;
	(void)step;
	(void)arg;
	(void)err;
	return 0;
}

int __wrap_fill_target(struct target *target, const struct fill_config *config, struct error *err);
int __wrap_fill_target(struct target *target, const struct fill_config *config, struct error *err)
{
	config->tick(config->arg, 1 << 19);
	return did("fill", target, err);
}

static bool full;
static const char *full_asked; /* what was asked for its space; NULL: nothing */

bool __wrap_zfs_is_full(const char *dataset);
bool __wrap_zfs_is_full(const char *dataset)
{
	full_asked = dataset;
	return full;
}

/* ---- a run on them ---- */

static struct {
	struct definition definition;
	struct target_spec target;
	struct workload workload;
	struct plan plan;
	struct plan_instance instances[INSTANCES];
	struct plan_sample samples[INSTANCES];
	struct target *targets[INSTANCES + 1];
	bool holed[INSTANCES + 1];
	struct run_config config;
	struct run_events events;
	atomic_bool cancel;
} set;

static int begin(void **state)
{
	struct error err;

	(void)state;
	told[0] = '\0';
	fails = NULL;
	fails_sys = 0;
	memset(&set, 0, sizeof(set));
	info = (struct target_info){.zfs = {.pool = "tank"}};
	(void)snprintf(info.path, sizeof(info.path), "tank/volbench/volbench-r");
	set.target = (struct target_spec){.kind = TARGET_ZVOL, .path = (char *)"tank/volbench"};
	set.definition.target_count = 1;
	set.definition.targets = &set.target;
	set.definition.workload_count = 1;
	set.definition.workloads = &set.workload;
	set.plan = (struct plan){
		.definition = &set.definition,
		.instance_count = INSTANCES,
		.instances = set.instances,
		.sample_count = INSTANCES,
		.samples = set.samples,
	};
	for (size_t i = 0; i < INSTANCES; i++) {
		set.instances[i].spec = set.target;
		set.samples[i].instance = set.samples[i].order = i;
		workload_init(&set.samples[i].options);
		assert_int_equal(workload_parse_fio("--rw=randread --bs=4k --size=1M --runtime=1 "
						    "--time_based",
						    &set.samples[i].options, &err),
				 0);
		assert_int_equal(workload_complete(&set.samples[i].options, &err), 0);
	}
	set.config = (struct run_config){.run_id = "r", .cancel = &set.cancel};
	run = (struct run){
		.plan = &set.plan,
		.config = &set.config,
		.events = &set.events,
		.targets = set.targets,
		.holed = set.holed,
	};
	forecast_begin(&run.forecast, &set.plan, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (size_t i = 0; i < INSTANCES; i++)
		workload_done(&set.samples[i].options);
	findings_done(&set.plan.findings);
	return 0;
}

/* As run.c goes through them. */
static int go(struct error *err)
{
	int r = run_make_kept(&run, err);

	for (size_t i = 0; i < INSTANCES && r == 0; i++) {
		run.sample = &set.samples[i];
		r = run_make_ready(&run, err);
		if (r == 0)
			r = run_refill(&run, err);
		if (r == 0)
			r = did("sample", &stand_ins[i + 1], err);
	}
	run_remove_all(&run);
	for (size_t i = 0; i < INSTANCES; i++)
		assert_null(run.targets[i]);
	return r;
}

static void test_all_at_once(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(go(&err), 0);
	assert_string_equal(told, "make1 make2 make3 fill1 fill2 fill3 sample1 sample2 sample3 "
				  "remove1 remove2 remove3");
	assert_int_equal(run.forecast.fill_bytes, 3 << 20);
	assert_int_equal(run.forecast.filled_bytes, 3 << 20);
}

static void test_one_by_one(void **state)
{
	struct error err;

	(void)state;
	set.plan.one_by_one = true;
	assert_int_equal(go(&err), 0);
	assert_string_equal(told, "make1 fill1 sample1 remove1 freed make2 fill2 sample2 remove2 "
				  "freed make3 fill3 sample3 remove3");
	assert_int_equal(run.forecast.fill_bytes, 3 << 20);
	assert_int_equal(run.forecast.filled_bytes, 3 << 20);
}

/* What is no zvol or dataset stands all the time. */
static void test_one_by_one_beside_a_file(void **state)
{
	struct error err;

	(void)state;
	set.plan.one_by_one = true;
	set.instances[1].spec.kind = TARGET_FILE;
	assert_int_equal(go(&err), 0);
	assert_string_equal(told,
			    "make2 fill2 make1 fill1 sample1 sample2 remove1 freed make3 fill3 "
			    "sample3 remove2 remove3");
}

static void test_trimmed(void **state)
{
	struct error err;

	(void)state;
	set.samples[1].instance = 0;
	set.holed[0] = true;
	assert_int_equal(go(&err), 0);
	assert_string_equal(told, "make1 make2 make3 fill1 fill2 fill3 fill1 sample1 sample2 "
				  "sample3 remove1 remove2 remove3");
}

/* Whatever fails, all that was made is removed. */
static void test_failures(void **state)
{
	static const struct {
		const char *fails, *told;
	} cases[] = {
		{"make1", "make1"},
		{"fill1", "make1 fill1 remove1"},
		{"make2", "make1 fill1 sample1 remove1 freed make2"},
		{"fill2", "make1 fill1 sample1 remove1 freed make2 fill2 remove2"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = {0};

		assert_int_equal(end(state), 0);
		assert_int_equal(begin(state), 0);
		set.plan.one_by_one = true;
		fails = cases[i].fails;
		assert_true(go(&err) < 0);
		assert_string_equal(told, cases[i].told);
	}
}

/* One that cannot be removed does not end the run, and is told. */
static void test_left(void **state)
{
	struct error err;

	(void)state;
	set.plan.one_by_one = true;
	fails = "remove1";
	assert_int_equal(go(&err), 0);
	assert_int_equal(set.plan.findings.count, 1);
	assert_string_equal(set.plan.findings.list[0].code, "left");
	assert_non_null(strstr(set.plan.findings.list[0].message, info.path));
}

static const struct full_case {
	int sys;
	bool full; /* by what OpenZFS says of its space */
	enum target_kind kind;
	const char *pool, *asked;
	enum error_code code;
} full_cases[] = {
	{ENOSPC, false, TARGET_ZVOL, "tank", NULL, ERROR_NO_SPACE},
	{EDQUOT, false, TARGET_DATASET, "tank", NULL, ERROR_NO_SPACE},
	{EIO, false, TARGET_ZVOL, "tank", "tank/volbench/volbench-r", ERROR_IO_ERROR},
	{EIO, true, TARGET_ZVOL, "tank", "tank/volbench/volbench-r", ERROR_NO_SPACE},
	{EIO, true, TARGET_DEVICE, "tank", "tank", ERROR_NO_SPACE},
	{EIO, true, TARGET_DEVICE, "", NULL, ERROR_IO_ERROR},
	{EBADF, true, TARGET_ZVOL, "tank", NULL, ERROR_IO_ERROR},
};

static void test_full(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(full_cases); i++) {
		const struct full_case *given = &full_cases[i];
		bool no_space = given->code == ERROR_NO_SPACE;
		struct error err = {0};

		assert_int_equal(end(state), 0);
		assert_int_equal(begin(state), 0);
		info.kind = given->kind;
		(void)snprintf(info.zfs.pool, sizeof(info.zfs.pool), "%s", given->pool);
		fails = "fill3";
		fails_sys = given->sys;
		full = given->full;
		full_asked = NULL;
		assert_true(go(&err) < 0);
		assert_int_equal(err.code, given->code);
		assert_string_equal(err.field, no_space ? "/target" : "");
		if (no_space)
			assert_non_null(strstr(err.message, "tank has no space left"));
		assert_non_null(strstr(err.message, "fill3 fails"));
		if (given->asked)
			assert_string_equal(full_asked, given->asked);
		else
			assert_null(full_asked);
	}
}

static void test_cancelled(void **state)
{
	struct error err;

	(void)state;
	atomic_store(&set.cancel, true);
	assert_int_equal(go(&err), -ECANCELED);
	assert_int_equal(err.code, ERROR_CANCELLED);
	assert_string_equal(told, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_at_once, begin, end),
		cmocka_unit_test_setup_teardown(test_one_by_one, begin, end),
		cmocka_unit_test_setup_teardown(test_one_by_one_beside_a_file, begin, end),
		cmocka_unit_test_setup_teardown(test_trimmed, begin, end),
		cmocka_unit_test_setup_teardown(test_failures, begin, end),
		cmocka_unit_test_setup_teardown(test_left, begin, end),
		cmocka_unit_test_setup_teardown(test_full, begin, end),
		cmocka_unit_test_setup_teardown(test_cancelled, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
