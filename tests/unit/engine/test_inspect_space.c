/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_inspect_space.c - whether pools hold what a plan makes, and where an error is to blame. */
#include "engine/inspect.h"
#include "engine/plan/repeats.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define INSTANCES 4

/* Two targets of two levels of volblocksize each, one sample on each. */
struct setting {
	struct definition definition;
	struct target_spec targets[2];
	struct factor factor;
	char *levels[2];
	struct plan plan;
	struct plan_instance instances[INSTANCES];
	struct plan_sample *samples;
	struct target_info infos[2];
	uint64_t reserved[INSTANCES];
	struct error err;
};

static void begin(struct setting *setting, const char *first, const char *second)
{
	memset(setting, 0, sizeof(*setting));
	setting->levels[0] = (char *)"16K";
	setting->levels[1] = (char *)"64K";
	setting->factor = (struct factor){.name = (char *)"volblocksize",
					  .kind = FACTOR_PROPERTY,
					  .level_count = 2,
					  .levels = setting->levels};
	setting->definition = (struct definition){.target_count = 2,
						  .targets = setting->targets,
						  .factor_count = 1,
						  .factors = &setting->factor};
	setting->samples = calloc(INSTANCES, sizeof(*setting->samples));
	assert_non_null(setting->samples);
	setting->plan = (struct plan){.definition = &setting->definition,
				      .instance_count = INSTANCES,
				      .instances = setting->instances,
				      .sample_count = INSTANCES,
				      .samples = setting->samples};
	for (size_t i = 0; i < 2; i++) {
		setting->targets[i].kind = TARGET_ZVOL;
		setting->targets[i].path = (char *)(i ? second : first);
		setting->targets[i].name = (char *)(i ? "b" : "a");
		(void)snprintf(setting->infos[i].zfs.pool, sizeof(setting->infos[i].zfs.pool),
			       "%.*s", (int)strcspn(setting->targets[i].path, "/"),
			       setting->targets[i].path);
		setting->infos[i].free_bytes = 1000 * MIB;
	}
	for (size_t i = 0; i < INSTANCES; i++) {
		struct plan_instance *instance = &setting->instances[i];

		instance->target = i / 2;
		instance->spec.kind = TARGET_ZVOL;
		instance->spec.path = setting->targets[i / 2].path;
		assert_int_equal(properties_set(&instance->spec.properties, "volblocksize",
						setting->levels[i % 2]),
				 0);
		setting->reserved[i] = 200 * MIB;
		/* in an order that groups none of them */
		setting->samples[i].order = i;
		setting->samples[i].instance = INSTANCES - 1 - i;
		setting->samples[i].target = setting->samples[i].instance / 2;
	}
	findings_init(&setting->plan.findings);
}

static void end(struct setting *setting)
{
	for (size_t i = 0; i < INSTANCES; i++)
		properties_done(&setting->instances[i].spec.properties);
	free(setting->plan.samples);
	findings_done(&setting->plan.findings);
}

static int decide(struct setting *setting)
{
	return inspect_space(&setting->plan, setting->infos, setting->reserved, &setting->err);
}

static void grouped(struct setting *setting, bool expected)
{
	if (decide(setting) < 0)
		fail_msg("%s", setting->err.message);
	assert_int_equal(setting->plan.one_by_one, expected);
	assert_int_equal(setting->plan.findings.count, expected);
	for (size_t i = 0; i < INSTANCES && expected; i++) {
		assert_int_equal(setting->plan.samples[i].instance, i);
		assert_int_equal(setting->plan.samples[i].order, i);
	}
	if (expected)
		assert_string_equal(setting->plan.findings.list[0].code, "grouped_for_space");
}

static void test_repeats_are_all_made(void **state)
{
	struct setting setting;
	struct error err;

	(void)state;
	for (size_t early = 0; early < 2; early++) {
		begin(&setting, "tank/a", "tank/a/b");
		if (early)
			repeats_set(&setting.definition, &(struct repeats){5, 30, 2});
		setting.reserved[0] = 336 * MIB + 1;
		assert_int_equal(
			inspect_space(&setting.plan, setting.infos, setting.reserved, &err), 0);
		assert_int_equal(setting.plan.findings.count, 1 + early);
		if (early) {
			assert_string_equal(setting.plan.findings.list[1].code,
					    "repeats_not_ended");
			assert_string_equal(setting.plan.findings.list[1].found, "30 repeats");
		}
		end(&setting);
	}
}

static void test_all_at_once(void **state)
{
	struct setting setting;

	(void)state;
	begin(&setting, "tank/a", "tank/b");
	grouped(&setting, false);
	assert_int_equal(setting.plan.samples[0].instance, INSTANCES - 1);
	assert_int_equal(setting.plan.estimate.space_bytes, 800 * MIB);
	end(&setting);
}

/* 64 MiB are kept: 936 of 1000 are the most. */
static void test_at_the_limit(void **state)
{
	struct setting setting;

	(void)state;
	for (int above = 0; above < 2; above++) {
		begin(&setting, "tank/a", "tank/a/b");
		setting.reserved[0] = 336 * MIB + (uint64_t)above;
		grouped(&setting, above);
		assert_int_equal(setting.plan.estimate.space_bytes,
				 above ? 336 * MIB + 1 : 936 * MIB);
		end(&setting);
	}
}

/* Each parent has its own limit, and the pool one for both. */
static void test_parents(void **state)
{
	struct setting setting;

	(void)state;
	begin(&setting, "tank/a", "tank/b");
	setting.infos[1].free_bytes = 463 * MIB; /* less than the two of it and what is kept */
	grouped(&setting, true);
	end(&setting);
	begin(&setting, "tank/a", "tank/b");
	setting.infos[1].free_bytes = 464 * MIB;
	grouped(&setting, false);
	end(&setting);
	/* "tank/ab" does not lie beneath "tank/a", which has a quota */
	begin(&setting, "tank/a", "tank/ab");
	setting.infos[0].free_bytes = 464 * MIB;
	grouped(&setting, false);
	end(&setting);
	begin(&setting, "tank/a", "tank/a/b");
	setting.infos[0].free_bytes = 464 * MIB;
	setting.infos[1].free_bytes = 464 * MIB;
	grouped(&setting, true);
	end(&setting);
}

static void test_pools(void **state)
{
	struct setting setting;

	(void)state;
	begin(&setting, "tank/a", "dozer/a");
	setting.infos[0].free_bytes = setting.infos[1].free_bytes = 464 * MIB;
	grouped(&setting, false);
	end(&setting);
	begin(&setting, "tank/a", "dozer/a");
	setting.infos[0].free_bytes = 464 * MIB;
	setting.infos[1].free_bytes = 463 * MIB;
	grouped(&setting, true);
	assert_non_null(strstr(setting.plan.findings.list[0].message, "dozer"));
	end(&setting);
}

static void test_not_even_one(void **state)
{
	struct setting setting;

	(void)state;
	begin(&setting, "tank/a", "tank/b");
	setting.reserved[3] = 936 * MIB + 1;
	assert_int_equal(decide(&setting), -ENOSPC);
	assert_int_equal(setting.err.code, ERROR_NO_SPACE);
	assert_string_equal(setting.err.field, "/targets/1");
	assert_non_null(strstr(setting.err.message, "937 MiB"));
	assert_non_null(strstr(setting.err.message, "1000 MiB"));
	end(&setting);
	begin(&setting, "tank/a", "tank/b");
	setting.reserved[3] = 936 * MIB;
	grouped(&setting, true);
	end(&setting);
	begin(&setting, "tank/a", "tank/b"); /* what is told has no bounds */
	for (size_t i = 0; i < INSTANCES; i++)
		setting.reserved[i] = UINT64_MAX / 2;
	setting.infos[0].free_bytes = setting.infos[1].free_bytes = UINT64_MAX;
	grouped(&setting, true);
	end(&setting);
}

static void blamed(struct setting *setting, size_t instance, const char *field,
		   const char *expected)
{
	(void)snprintf(setting->err.field, sizeof(setting->err.field), "%s", field);
	inspect_blame_instance(&setting->plan, instance, &setting->err);
	assert_string_equal(setting->err.field, expected);
}

static void test_blame(void **state)
{
	struct setting setting;

	(void)state;
	begin(&setting, "tank/a", "tank/b");
	assert_int_equal(properties_set(&setting.instances[3].spec.properties, "copies", "4"), 0);
	blamed(&setting, 2, "volblocksize", "/factors/volblocksize/0");
	blamed(&setting, 3, "volblocksize", "/factors/volblocksize/1");
	blamed(&setting, 3, "copies", "/targets/1/zvol/properties/copies");
	blamed(&setting, 0, "size", "/targets/0/zvol/size");
	blamed(&setting, 0, "", "/targets/0");
	blamed(&setting, 0, "copies", "/targets/0");
	setting.instances[1].spec.kind = TARGET_DATASET;
	blamed(&setting, 1, "volblocksize", "/factors/volblocksize/1");
	end(&setting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_at_once),  cmocka_unit_test(test_repeats_are_all_made),
		cmocka_unit_test(test_at_the_limit), cmocka_unit_test(test_parents),
		cmocka_unit_test(test_pools),	     cmocka_unit_test(test_not_even_one),
		cmocka_unit_test(test_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
