/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_volumes.c - each zvol once, with its first sample, and how it was made. */
#include "engine/analysis/volumes.h"

#include "tests/unit/web/synthetic.h"

static const struct synthetic shape = {
	.name = "Two sizes of blocks",
	.state = RUN_DONE,
	.repeats = 2,
	.seconds = 2,
	.zfs = true,
	.workloads = {{"reader", "--rw=randread --size=1G", 1000},
		      {"writer", "--rw=randwrite --size=1G", 1000}},
	.factors = {{"volblocksize", {"4K", "16K"}}, {"iodepth", {"1", "4"}}},
};

static void start(const struct synthetic *of, struct result *result, struct cells *cells,
		  struct volumes *volumes)
{
	synthetic_make(of, result);
	assert_int_equal(cells_make(result, cells), 0);
	assert_int_equal(volumes_make(cells, volumes), 0);
}

static void end(struct result *result, struct cells *cells, struct volumes *volumes)
{
	volumes_done(volumes);
	cells_done(cells);
	result_done(result);
}

static void each_zvol_once(void **state)
{
	static const char *const sizes[] = {"4K", "16K"};
	struct volumes volumes;
	struct result result;
	struct cells cells;

	(void)state;
	start(&shape, &result, &cells, &volumes);
	assert_int_equal(volumes.count, 2);
	for (size_t i = 0; i < volumes.count; i++) {
		const struct volume *volume = &volumes.list[i];
		struct properties properties;

		assert_true(volume->made);
		assert_ptr_equal(volume->spec, &result.definition.targets[0]);
		for (size_t k = 0; k < result.sample_count; k++)
			if (strcmp(result.samples[k].zfs->dataset, volume->first->zfs->dataset) ==
			    0)
				assert_true(volume->first->order <= result.samples[k].order);
		assert_int_equal(volume_properties(&cells, volume, &properties), 0);
		assert_int_equal(properties.count, 3);
		assert_string_equal(properties_get(&properties, "volblocksize"), sizes[i]);
		assert_string_equal(properties_get(&properties, "compression"), "off");
		properties_done(&properties);
	}
	end(&result, &cells, &volumes);
}

/* A level's value lies over the target's own. */
static void a_level_wins(void **state)
{
	struct synthetic other = shape;
	struct properties properties;
	struct volumes volumes;
	struct result result;
	struct cells cells;

	(void)state;
	other.factors[0] = (struct synthetic_factor){"compression", {"lz4"}};
	start(&other, &result, &cells, &volumes);
	assert_int_equal(volumes.count, 1);
	assert_int_equal(volume_properties(&cells, &volumes.list[0], &properties), 0);
	assert_int_equal(properties.count, 2);
	assert_string_equal(properties_get(&properties, "compression"), "lz4");
	properties_done(&properties);
	end(&result, &cells, &volumes);
}

/* A device that is a zvol was there before; and most results have nothing of OpenZFS. */
static void not_made(void **state)
{
	struct synthetic other = shape;
	struct volumes volumes;
	struct result result;
	struct cells cells;

	(void)state;
	start(&shape, &result, &cells, &volumes);
	volumes_done(&volumes);
	result.definition.targets[0].kind = TARGET_DEVICE;
	assert_int_equal(volumes_make(&cells, &volumes), 0);
	assert_int_equal(volumes.count, 2);
	assert_false(volumes.list[0].made);
	end(&result, &cells, &volumes);

	other.zfs = false;
	other.factors[0] = (struct synthetic_factor){"bs", {"4k"}};
	start(&other, &result, &cells, &volumes);
	assert_int_equal(volumes.count, 0);
	end(&result, &cells, &volumes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_zvol_once),
		cmocka_unit_test(a_level_wins),
		cmocka_unit_test(not_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
