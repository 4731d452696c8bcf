/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_instances.c - one zvol or dataset for each combination of properties, and their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/plan/plan.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static struct definition d;
static struct plan plan;

/* A zvol compared over volblocksize, bs and sync, two workloads, two repeats. */
static void make(void)
{
	const struct machine machine = {.memory_bytes = UINT64_C(8) << 30, .cpus = 2};
	struct error err = {0};
	struct target_spec *target;

	start_definition(&d, NULL);
	target = add_target(&d, TARGET_ZVOL, NULL, "tank/volbench");
	assert_int_equal(properties_set(&target->properties, "sync", "standard"), 0);
	assert_int_equal(properties_set(&target->properties, "compression", "off"), 0);
	add_factor(&d, "volblocksize", "4K 16K 64K");
	add_factor(&d, "bs", "4k 8k");
	add_factor(&d, "sync", "always disabled");
	d.factors[0].kind = d.factors[2].kind = FACTOR_PROPERTY;
	d.factors[0].option = d.factors[2].option = NULL;
	add_workload(&d, "name=a rw=read size=1m");
	add_workload(&d, "name=b rw=write size=1m");
	d.repeats = 2;
	if (plan_make(&d, &machine, &plan, &err) != 0)
		fail_msg("%s: %s", err.field, err.message);
}

static void end(void)
{
	plan_done(&plan);
	definition_done(&d);
}

static const char *property(size_t instance, const char *name)
{
	return properties_get(&plan.instances[instance].spec.properties, name);
}

static void one_for_each_combination(void **state)
{
	static const char *const sizes[] = {"4K", "4K", "16K", "16K", "64K", "64K"};

	(void)state;
	make();
	assert_int_equal(plan.instance_count, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(plan.instances[i].target, 0);
		assert_string_equal(property(i, "volblocksize"), sizes[i]);
		assert_string_equal(property(i, "sync"), i % 2 ? "disabled" : "always");
		assert_string_equal(property(i, "compression"), "off");
		assert_null(property(i, "bs"));
	}
	assert_string_equal(properties_get(&d.targets[0].properties, "sync"), "standard");
	assert_int_equal(plan.sample_count, 2 * 3 * 2 * 2 * 2);
	for (size_t i = 0; i < plan.sample_count; i++) {
		const struct plan_sample *sample = &plan.samples[i];

		assert_int_equal(sample->instance, sample->levels[0] * 2 + sample->levels[2]);
	}
	assert_true(plan.estimate.fill_bytes == 6 << 20);
	end();
}

static void grouping_keeps_the_order_within(void **state)
{
	size_t before[48], count = 0;

	(void)state;
	make();
	assert_int_equal(plan.sample_count, 48);
	/* The samples of instance 3, known by workload, bs and repeat. */
	for (size_t i = 0; i < plan.sample_count; i++)
		if (plan.samples[i].instance == 3)
			before[count++] = plan.samples[i].workload * 100 +
					  plan.samples[i].levels[1] * 10 + plan.samples[i].repeat;
	assert_int_equal(count, 8);
	assert_int_equal(plan_group_by_instance(&plan), 0);
	for (size_t i = 0; i < plan.sample_count; i++) {
		assert_int_equal(plan.samples[i].order, i);
		assert_int_equal(plan.samples[i].instance, i / 8);
	}
	for (size_t i = 0; i < 8; i++) {
		const struct plan_sample *sample = &plan.samples[24 + i];

		assert_int_equal(sample->workload * 100 + sample->levels[1] * 10 + sample->repeat,
				 before[i]);
	}
	end();
}

static void plan_it(void)
{
	struct error err = {0};

	check_ok(&d);
	if (plan_make(&d, NULL, &plan, &err) != 0)
		fail_msg("%s: %s", err.field, err.message);
}

static uint64_t volume(void)
{
	uint64_t bytes = 0;

	assert_int_equal(plan_volume_bytes(&plan, 0, &bytes), 0);
	return bytes;
}

static void a_zvol_without_a_size_holds_the_largest_workload(void **state)
{
	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_ZVOL, NULL, "tank/volbench");
	add_factor(&d, "volblocksize", "4K 16K");
	add_workload(&d, "name=a rw=read size=1m numjobs=3 offset=4k bs=4k");
	add_workload(&d, "name=b rw=read size=1m");
	plan_it();
	assert_int_equal(volume(), (3 << 20) + (128 << 10));
	assert_int_equal(plan.estimate.space_bytes, 2 * volume());
	assert_int_equal(plan.estimate.fill_bytes, 2 * volume());
	end();
	/* a multiple of blocks that only some pools take */
	start_definition(&d, NULL);
	add_target(&d, TARGET_ZVOL, NULL, "tank/volbench");
	add_factor(&d, "volblocksize", "4K 1M 16K");
	add_workload(&d, "name=a rw=read size=1536k");
	plan_it();
	assert_int_equal(volume(), 2 << 20);
	end();
	start_definition(&d, NULL);
	add_target(&d, TARGET_ZVOL, NULL, "tank/volbench")->size_bytes = 8 << 20;
	add_workload(&d, "name=a rw=read size=1m");
	plan_it();
	assert_int_equal(volume(), 8 << 20); /* all of it is made and filled */
	assert_int_equal(plan.estimate.space_bytes, 8 << 20);
	end();
}

static void workloads_without_a_size_share_the_size_given(void **state)
{
	struct error err = {0};

	(void)state;
	start_definition(&d, NULL);
	add_target(&d, TARGET_ZVOL, NULL, "tank/volbench")->size_bytes = 8 << 20;
	add_workload(&d, "rw=read numjobs=4 bs=4k");
	plan_it();
	assert_int_equal(plan.samples[0].options.size, 2 << 20);
	assert_int_equal(plan.estimate.fill_bytes, 8 << 20);
	end();
	start_definition(&d, NULL);
	add_target(&d, TARGET_ZVOL, NULL, "tank/volbench")->size_bytes = 1 << 20;
	add_workload(&d, "rw=read numjobs=4 bs=512k");
	check_ok(&d);
	assert_true(plan_make(&d, NULL, &plan, &err) < 0);
	assert_int_equal(err.code, ERROR_TARGET_TOO_SMALL);
	assert_string_equal(err.field, "/workloads/0");
	definition_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_for_each_combination),
		cmocka_unit_test(grouping_keeps_the_order_within),
		cmocka_unit_test(a_zvol_without_a_size_holds_the_largest_workload),
		cmocka_unit_test(workloads_without_a_size_share_the_size_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
