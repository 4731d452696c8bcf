/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/definition.c, definition_check.c and definition_paths.c. The table of bad
 * definitions, as JSON, is in tests/data/bad-definitions.json. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "tests/unit/engine/plan/plan_helpers.h"

static struct definition d;

static void layers_have_their_precedence(void **state)
{
	struct workload options;

	(void)state;
	start_definition(&d, "/t/f");
	set_options(&d.defaults, "bs=4k iodepth=1 size=1m runtime=1 numjobs=2");
	add_workload(&d, "bs=8k iodepth=2 size=2m");
	add_factor(&d, "iodepth", "3 4");
	add_factor(&d, "size", "4m");
	set_options(&d.override, "size=8m");
	check_ok(&d);
	assert_int_equal(definition_compose(&d, 0, (size_t[]){1, 0}, &options, NULL), 0);
	assert_int_equal(options.numjobs, 2);	 /* defaults */
	assert_int_equal(options.bs[0], 8192);	 /* workload over defaults */
	assert_int_equal(options.iodepth, 4);	 /* level over workload */
	assert_int_equal(options.size, 8 << 20); /* override over level */
	assert_int_equal(options.runtime_ns, NS_PER_S);
	workload_done(&options);
	definition_done(&d);
}

static const char *where(size_t workload, const char *option)
{
	static char pointer[DEFINITION_POINTER_MAX];
	const size_t levels[] = {0, 1};

	return definition_locate(&d, workload, levels, option ? option_find(option) : NULL,
				 pointer);
}

static void options_are_located_where_they_were_given(void **state)
{
	(void)state;
	start_definition(&d, "/t/f");
	set_options(&d.defaults, "bs=4k iodepth=1 size=1m");
	add_workload(&d, "bs=8k iodepth=2");
	add_workload(&d, "fio: --bs=4k --size=1m");
	add_factor(&d, "numjobs", "3 4");
	add_factor(&d, "iodepth", "3 4");
	set_options(&d.override, "offset=1m");
	check_ok(&d);
	assert_string_equal(where(0, "offset"), "/override/offset");
	assert_string_equal(where(0, "iodepth"), "/factors/iodepth/1");
	assert_string_equal(where(0, "bs"), "/workloads/0/bs");
	assert_string_equal(where(1, "bs"), "/workloads/1/fio");
	assert_string_equal(where(0, "size"), "/defaults/size");
	assert_string_equal(where(0, "direct"), "/workloads/0");
	assert_string_equal(where(1, NULL), "/workloads/1");
	definition_done(&d);
}

static void names_are_given_where_they_lack(void **state)
{
	(void)state;
	start_definition(&d, "/t/f");
	set_options(&d.defaults, "size=1m rw=write");
	add_workload(&d, "rw=randread");
	add_workload(&d, "rw=randread");
	add_workload(&d, "name=randread-2");
	add_workload(&d, "bs=8k");
	check_ok(&d);
	assert_string_equal(d.workloads[0].name, "randread");
	assert_string_equal(d.workloads[1].name, "randread-3");
	assert_string_equal(d.workloads[3].name, "write");
	definition_done(&d);
}

static void levels_become_canonical(void **state)
{
	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1g");
	add_factor(&d, "bs", "4096 8K 4k,128k");
	add_factor(&d, "runtime", "60s 2m");
	check_ok(&d);
	assert_string_equal(d.factors[0].levels[0], "4k");
	assert_string_equal(d.factors[0].levels[1], "8k");
	assert_string_equal(d.factors[0].levels[2], "4k,128k");
	assert_string_equal(d.factors[1].levels[0], "60");
	assert_string_equal(d.factors[1].levels[1], "120");
	definition_done(&d);

	start_definition(&d, "/t/f");
	add_workload(&d, "size=1g");
	add_factor(&d, "bs", "4k 8k 4096");
	check_bad(&d, ERROR_DUPLICATE, "/factors/bs/2");
}

static void named_targets_are_a_factor(void **state)
{
	(void)state;
	definition_init(&d);
	d.name = strdup("x");
	add_target(&d, TARGET_FILE, "file", "/t/f");
	add_target(&d, TARGET_DEVICE, "disk", "/dev/x");
	add_workload(&d, "size=1g");
	add_factor(&d, "bs", "4k 8k");
	check_ok(&d);
	assert_int_equal(d.factor_count, 2);
	assert_string_equal(d.factors[1].name, "target");
	assert_null(d.factors[1].option);
	assert_int_equal(definition_level_target(&d, (size_t[]){0, 1}), 1);
	definition_done(&d);

	/* placed first, and its levels turned round */
	definition_init(&d);
	d.name = strdup("x");
	add_target(&d, TARGET_FILE, "file", "/t/f");
	add_target(&d, TARGET_DEVICE, "disk", "/dev/x");
	add_workload(&d, "size=1g");
	add_factor(&d, "target", "disk file");
	add_factor(&d, "bs", "4k 8k");
	check_ok(&d);
	assert_int_equal(d.factor_count, 2);
	assert_int_equal(definition_level_target(&d, (size_t[]){0, 1}), 1);
	assert_int_equal(definition_level_target(&d, (size_t[]){1, 1}), 0);
	definition_done(&d);
}

static void paths_of_workloads_become_the_target(void **state)
{
	static const struct {
		const char *options;
		enum target_kind kind;
		const char *path;
	} table[] = {
		{"filename=/t/f size=1m", TARGET_FILE, "/t/f"},
		{"directory=/t/d size=1m", TARGET_DIRECTORY, "/t/d"},
		{"directory=/t/d filename=f size=1m", TARGET_FILE, "/t/d/f"},
		{"filename=/dev/sdx", TARGET_DEVICE, "/dev/sdx"},
		{"filename=/dev/shm/x size=1m", TARGET_FILE, "/dev/shm/x"},
		{"fio: --filename=/t/f --size=1m", TARGET_FILE, "/t/f"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		start_definition(&d, NULL);
		add_workload(&d, table[i].options);
		check_ok(&d);
		assert_int_equal(d.target_count, 1);
		assert_int_equal(d.targets[0].kind, table[i].kind);
		assert_string_equal(d.targets[0].path, table[i].path);
		assert_false(workload_is_set(&d.workloads[0], OPTION_ID_FILENAME));
		check_ok(&d); /* and once more: nothing is left that disagrees */
		definition_done(&d);
	}
}

static void blame_falls_on_what_is_changed(void **state)
{
	(void)state;
	/* a level that does not fit the workload */
	start_definition(&d, "/t/f");
	add_workload(&d, "size=4m");
	add_factor(&d, "iodepth", "1 2");
	add_factor(&d, "bs", "4k 8m");
	check_bad(&d, ERROR_CONFLICT, "/factors/bs/1");

	/* an override that does not */
	start_definition(&d, "/t/f");
	add_workload(&d, "size=4m");
	add_factor(&d, "iodepth", "1 2");
	set_options(&d.override, "runtime=5 bs=8m");
	check_bad(&d, ERROR_CONFLICT, "/override/bs");

	/* the named option itself is in the override */
	start_definition(&d, "/t/f");
	add_workload(&d, "bs=1m");
	set_options(&d.override, "size=64k");
	check_bad(&d, ERROR_CONFLICT, "/override/size");

	/* nobody but the workload, its command line, the defaults */
	start_definition(&d, "/t/f");
	add_workload(&d, "size=4m bs=8m");
	add_factor(&d, "iodepth", "1 2");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0/size");
	start_definition(&d, "/t/f");
	add_workload(&d, "fio: --size=4m --bs=8m");
	check_bad(&d, ERROR_CONFLICT, "/workloads/0/fio");
	start_definition(&d, "/t/f");
	set_options(&d.defaults, "size=4m bs=8m");
	add_workload(&d, "rw=read");
	check_bad(&d, ERROR_CONFLICT, "/defaults/size");
}

static void sizes_may_be_left_out_where_there_is_one(void **state)
{
	(void)state;
	start_definition(&d, "/t/f");
	add_workload(&d, "rw=read");
	check_bad(&d, ERROR_MISSING_FIELD, "/workloads/0/size");
	start_definition(&d, NULL);
	add_target(&d, TARGET_DIRECTORY, NULL, "/t");
	add_workload(&d, "fio: --rw=read");
	check_bad(&d, ERROR_MISSING_FIELD, "/workloads/0/fio");
	start_definition(&d, "/t/f");
	d.targets[0].existing = true;
	add_workload(&d, "rw=read");
	check_ok(&d);
	definition_done(&d);
	start_definition(&d, NULL);
	add_target(&d, TARGET_DEVICE, NULL, "/dev/x");
	add_workload(&d, "rw=write");
	check_ok(&d);
	definition_done(&d);
}

static void existing_targets_are_only_read(void **state)
{
	(void)state;
	start_definition(&d, "/t/f");
	d.targets[0].existing = true;
	add_workload(&d, "rw=read");
	add_factor(&d, "rw", "read randread randwrite");
	check_bad(&d, ERROR_CONFLICT, "/factors/rw/2");
	start_definition(&d, "/t/f");
	d.targets[0].existing = true;
	add_workload(&d, "rw=randrw rwmixread=100");
	check_ok(&d);
	definition_done(&d);
}

/* ---- limits: at each, and one above ---- */

static char *text_of(size_t length)
{
	char *text = calloc(1, length + 1);

	memset(text, 'x', length);
	return text;
}

static void names_have_a_length(void **state)
{
	(void)state;
	for (size_t above = 0; above < 2; above++) {
		start_definition(&d, "/t/f");
		free(d.name);
		d.name = text_of(DEFINITION_NAME_MAX + above);
		d.description = text_of(DEFINITION_TEXT_MAX);
		add_workload(&d, "size=1m");
		if (above) {
			check_bad(&d, ERROR_OUT_OF_RANGE, "/name");
		} else {
			check_ok(&d);
			definition_done(&d);
		}
	}
	start_definition(&d, "/t/f");
	d.description = text_of(DEFINITION_TEXT_MAX + 1);
	add_workload(&d, "size=1m");
	check_bad(&d, ERROR_OUT_OF_RANGE, "/description");
}

static void counts_have_a_limit(void **state)
{
	char text[32];

	(void)state;
	for (size_t above = 0; above < 2; above++) {
		start_definition(&d, "/t/f");
		for (size_t i = 0; i < DEFINITION_WORKLOADS_MAX + above; i++)
			add_workload(&d, "size=1m");
		if (above) {
			check_bad(&d, ERROR_TOO_MANY, "/workloads");
		} else {
			check_ok(&d);
			definition_done(&d);
		}

		start_definition(&d, NULL);
		for (size_t i = 0; i < DEFINITION_TARGETS_MAX + above; i++) {
			(void)snprintf(text, sizeof(text), "/t/%zu", i);
			add_target(&d, TARGET_FILE, text, text);
		}
		add_workload(&d, "size=1m");
		if (above) {
			check_bad(&d, ERROR_TOO_MANY, "/targets");
		} else {
			check_ok(&d);
			definition_done(&d);
		}

		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		add_factor(&d, "iodepth", "1");
		for (size_t i = 1; i < DEFINITION_LEVELS_MAX + above; i++) {
			(void)snprintf(text, sizeof(text), "%zu", i + 1);
			d.factors[0].levels[d.factors[0].level_count++] = strdup(text);
		}
		if (above) {
			check_bad(&d, ERROR_TOO_MANY, "/factors/iodepth");
		} else {
			check_ok(&d);
			definition_done(&d);
		}

		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		d.repeats = DEFINITION_REPEATS_MAX + (unsigned int)above;
		if (above) {
			check_bad(&d, ERROR_OUT_OF_RANGE, "/repeats");
		} else {
			check_ok(&d);
			definition_done(&d);
		}
	}
	start_definition(&d, "/t/f");
	add_workload(&d, "size=1m");
	d.repeats = 0;
	check_bad(&d, ERROR_OUT_OF_RANGE, "/repeats");
}

static void factors_and_samples_have_a_limit(void **state)
{
	static const char *const names[] = {"iodepth",	 "numjobs", "runtime",
					    "ramp_time", "direct",  "invalidate",
					    "fsync",	 "offset",  "regions"};

	(void)state;
	for (size_t above = 0; above < 2; above++) {
		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		for (size_t i = 0; i < DEFINITION_FACTORS_MAX + above; i++)
			add_factor(&d, names[i], i == 8 ? "shared" : "1");
		set_options(&d.override, "offset=512");
		d.factors[7].levels[0][0] = '0';
		if (above) {
			check_bad(&d, ERROR_TOO_MANY, "/factors");
		} else {
			check_ok(&d);
			definition_done(&d);
		}

		/* 100 repeats x 5 x 20 = 10,000; x 21 is beyond */
		start_definition(&d, "/t/f");
		add_workload(&d, "size=1m");
		add_factor(&d, "iodepth", "1 2 3 4 5");
		add_factor(&d, "numjobs",
			   above ? "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21"
				 : "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20");
		d.repeats = 100;
		if (above) {
			check_bad(&d, ERROR_TOO_MANY, "/factors");
		} else {
			check_ok(&d);
			definition_done(&d);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_have_their_precedence),
		cmocka_unit_test(names_are_given_where_they_lack),
		cmocka_unit_test(levels_become_canonical),
		cmocka_unit_test(named_targets_are_a_factor),
		cmocka_unit_test(paths_of_workloads_become_the_target),
		cmocka_unit_test(blame_falls_on_what_is_changed),
		cmocka_unit_test(sizes_may_be_left_out_where_there_is_one),
		cmocka_unit_test(existing_targets_are_only_read),
		cmocka_unit_test(options_are_located_where_they_were_given),
		cmocka_unit_test(names_have_a_length),
		cmocka_unit_test(counts_have_a_limit),
		cmocka_unit_test(factors_and_samples_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
