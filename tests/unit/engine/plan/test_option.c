/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/option.c, option_table.h and fio_names.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/fio_names.h"
#include "engine/plan/option.h"
#include "engine/plan/quantity.h"
#include "engine/plan/workload.h"

static void the_table_is_sound(void **state)
{
	(void)state;
	for (int i = 0; i < OPTION_ID_COUNT; i++) {
		const struct option *option = option_at((enum option_id)i);

		assert_int_equal(option->id, i);
		assert_ptr_equal(option_find(option->name), option);
		assert_true(option->min <= option->max);
		assert_non_null(option->unit);
		assert_true(strlen(option->help) > 10);
		assert_int_equal(option->help[strlen(option->help) - 1], '.');
		assert_int_equal(option->choices != NULL,
				 option->type == OPTION_CHOICE || option->type == OPTION_RW);
		assert_null(option_refusal(option->name));
		assert_null(fio_alias(option->name));
	}
	assert_null(option_find("nonsense"));
}

static void defaults_parse_and_print_as_written(void **state)
{
	(void)state;
	for (int i = 0; i < OPTION_ID_COUNT; i++) {
		const struct option *option = option_at((enum option_id)i);
		struct workload workload;
		struct error err;
		char *text;

		if (!option->default_text)
			continue;
		workload_init(&workload);
		assert_int_equal(option_parse(option, option->default_text, &workload, &err), 0);
		assert_true(option_set_has(&workload.set, option->id));
		option_set_mark(&workload.set, option->id, false);
		assert_true(option_set_empty(&workload.set));
		text = option_format(option, &workload);
		assert_string_equal(text, option->default_text);
		free(text);
		workload_done(&workload);
	}
}

static int parse(const char *name, const char *text, struct workload *workload, struct error *err)
{
	memset(err, 0, sizeof(*err));
	return option_parse(option_find(name), text, workload, err);
}

/* Every ranged option takes its ends and refuses what is one beyond, with the range told. */
static void ranges_hold_at_their_ends(void **state)
{
	(void)state;
	for (int i = 0; i < OPTION_ID_COUNT; i++) {
		const struct option *option = option_at((enum option_id)i);
		struct workload workload;
		struct error err;
		char text[QUANTITY_TEXT_MAX];
		bool time = option->type == OPTION_TIME || option->type == OPTION_MICROSECONDS;
		uint64_t step = time ? 1000 : 1;
		uint64_t ends[] = {option->min, option->max, option->max + step,
				   option->min - step};
		size_t count = option->min > 0 ? 4 : 3;

		if (option->type == OPTION_FLAG || option->type == OPTION_CHOICE ||
		    option->type == OPTION_RW || option->type == OPTION_TEXT)
			continue;
		workload_init(&workload);
		for (size_t n = 0; n < count; n++) {
			if (option->type == OPTION_TIME)
				quantity_format_time(ends[n], text);
			else if (option->type == OPTION_MICROSECONDS)
				snprintf(text, sizeof(text), "%llu",
					 (unsigned long long)ends[n] / 1000);
			else if (option->type == OPTION_RANGES)
				snprintf(text, sizeof(text), "512-%llu",
					 (unsigned long long)ends[n]);
			else
				snprintf(text, sizeof(text), "%llu", (unsigned long long)ends[n]);
			if (n < 2) {
				if (option_parse(option, text, &workload, &err) != 0)
					fail_msg("%s=%s: %s", option->name, text, err.message);
				continue;
			}
			assert_true(option_parse(option, text, &workload, &err) < 0);
			assert_int_equal(err.code, ERROR_OUT_OF_RANGE);
			assert_non_null(strstr(err.message, option->name));
			assert_non_null(strstr(err.message, " to "));
		}
	}
}

/* What stands behind the colon of rw, and how it is told. */
static void patterns_take_a_number(void **state)
{
	const struct {
		const char *given, *told;
		int rw;
		uint64_t number;
	} good[] = {
		{"read:64k", "read:64k", RW_READ, 65536},
		{"readwrite:65536", "rw:64k", RW_RW, 65536},
		{"write:1p", "write:1p", RW_WRITE, UINT64_C(1) << 50},
		{"read:0", "read", RW_READ, 0},
		{"randread:8", "randread:8", RW_RANDREAD, 8},
		{"randrw:1073741824", "randrw:1073741824", RW_RANDRW, 1 << 30},
		{"randwrite:1", "randwrite", RW_RANDWRITE, 0},
		{"randwrite", "randwrite", RW_RANDWRITE, 0},
	};
	const char *const bad[] = {"read:",	 "read:-8k",	"write:1125899906842625",
				   "randread:0", "randread:4k", "randread:1073741825",
				   "randread:"};
	struct workload workload, copy;
	struct error err;
	char *text;

	(void)state;
	workload_init(&workload);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(parse("rw", good[i].given, &workload, &err), 0);
		assert_int_equal(workload.rw, good[i].rw);
		assert_int_equal(workload.rw_number, good[i].number);
		text = option_format(option_find("rw"), &workload);
		assert_string_equal(text, good[i].told);
		free(text);
		workload_init(&copy);
		assert_int_equal(option_copy(option_find("rw"), &workload, &copy), 0);
		assert_int_equal(copy.rw_number, good[i].number);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_true(parse("rw", bad[i], &workload, &err) < 0);
		assert_int_equal(err.code, ERROR_OUT_OF_RANGE);
		assert_non_null(strstr(err.message, bad[i]));
	}
	assert_true(parse("rw", "sideways:8", &workload, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_VALUE);
}

static void texts_hold_at_their_lengths(void **state)
{
	struct workload workload;
	struct error err;
	char text[66];

	(void)state;
	workload_init(&workload);
	memset(text, 'n', sizeof(text));
	text[64] = '\0';
	assert_int_equal(parse("name", text, &workload, &err), 0);
	text[64] = 'n';
	text[65] = '\0';
	assert_true(parse("name", text, &workload, &err) < 0);
	assert_int_equal(err.code, ERROR_OUT_OF_RANGE);
	assert_int_equal(strlen(workload.name), 64);
	assert_true(parse("name", "", &workload, &err) < 0);
	assert_int_equal(err.code, ERROR_OUT_OF_RANGE);
	assert_true(parse("name", "a\nb", &workload, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_VALUE);
	workload_done(&workload);
}

static void sizes_may_differ_by_direction(void **state)
{
	static const struct {
		const char *text;
		uint64_t read, write;
		const char *canonical;
	} good[] = {
		{"4k", 4096, 4096, "4k"},
		{"4k,128k", 4096, 131072, "4k,128k"},
		{"8192,8k", 8192, 8192, "8k"},
		{"16k,", 16384, 4096, "16k,4k"},
		{"4k,8k,16k", 4096, 8192, "4k,8k,16k"},
		{",1m", 4096, 1 << 20, "4k,1m"},
	};
	static const struct {
		const char *text;
		enum error_code code;
	} bad[] = {
		{"", ERROR_BAD_SIZE},
		{",", ERROR_BAD_SIZE},
		{"4k,8k,8k,8k", ERROR_BAD_VALUE},
		{"4k-8k", ERROR_BAD_SIZE},
		{"4k,256", ERROR_OUT_OF_RANGE},
		{"256,4k", ERROR_OUT_OF_RANGE},
		{"4k,x", ERROR_BAD_SIZE},
		{"00000000000000000000000000000000000004k,4k", ERROR_BAD_SIZE},
	};
	struct workload workload;
	struct error err;

	(void)state;
	workload_init(&workload);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		char *text;

		assert_int_equal(parse("bs", good[i].text, &workload, &err), 0);
		assert_int_equal(workload.bs[DIRECTION_READ], good[i].read);
		assert_int_equal(workload.bs[DIRECTION_WRITE], good[i].write);
		text = option_format(option_find("bs"), &workload);
		assert_string_equal(text, good[i].canonical);
		free(text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_true(parse("bs", bad[i].text, &workload, &err) < 0);
		if (err.code != bad[i].code)
			fail_msg("%s: %s", bad[i].text, err.message);
		assert_int_equal(workload.bs[DIRECTION_WRITE], 1 << 20);
	}
}

static void choices_are_listed_when_refused(void **state)
{
	struct workload workload;
	struct error err;

	(void)state;
	workload_init(&workload);
	assert_int_equal(parse("rw", "readwrite", &workload, &err), 0);
	assert_int_equal(workload.rw, RW_RW);
	assert_int_equal(parse("sync", "1", &workload, &err), 0);
	assert_int_equal(workload.sync, SYNC_SYNC);
	assert_true(parse("rw", "writeread", &workload, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_VALUE);
	assert_non_null(strstr(err.message, "read, write, randread, randwrite, rw, randrw"));
	assert_true(parse("direct", "yes", &workload, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_VALUE);
	assert_false(workload_is_set(&workload, OPTION_ID_DIRECT));
}

static void copying_carries_value_and_mark(void **state)
{
	struct workload from, to;
	struct error err;

	(void)state;
	workload_init(&from);
	workload_init(&to);
	assert_int_equal(parse("bs", "4k,8k", &from, &err), 0);
	assert_int_equal(parse("filename", "/a", &from, &err), 0);
	assert_int_equal(parse("filename", "/b", &to, &err), 0);
	for (int i = 0; i < OPTION_ID_COUNT; i++)
		assert_int_equal(option_copy(option_at((enum option_id)i), &from, &to), 0);
	assert_memory_equal(&to.set, &from.set, sizeof(to.set));
	assert_string_equal(to.filename, "/a");
	assert_ptr_not_equal(to.filename, from.filename);
	assert_int_equal(to.bs[DIRECTION_WRITE], 8192);
	workload_done(&from);
	workload_done(&to);
}

static void fio_names_are_known(void **state)
{
	(void)state;
	assert_ptr_equal(option_find("blocksize"), option_find("bs"));
	assert_ptr_equal(option_find("readwrite"), option_find("rw"));
	assert_ptr_equal(option_find("timeout"), option_find("runtime"));
	assert_ptr_equal(option_find("io_limit"), option_find("io_size"));
	assert_ptr_equal(option_find("iodepth_batch_complete"),
			 option_find("iodepth_batch_complete_min"));
	assert_ptr_equal(option_find("iodepth_batch_submit"), option_find("iodepth_batch"));
	assert_non_null(strstr(option_refusal("iodepth_batch_complete_max"), "taken at once"));
	assert_string_equal(option_refusal("numa_cpu_nodes"), "not supported");
	assert_non_null(strstr(option_refusal("output-format"), "leave it out"));
	assert_null(option_refusal("nonsense"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_sound),
		cmocka_unit_test(defaults_parse_and_print_as_written),
		cmocka_unit_test(ranges_hold_at_their_ends),
		cmocka_unit_test(patterns_take_a_number),
		cmocka_unit_test(texts_hold_at_their_lengths),
		cmocka_unit_test(sizes_may_differ_by_direction),
		cmocka_unit_test(choices_are_listed_when_refused),
		cmocka_unit_test(copying_carries_value_and_mark),
		cmocka_unit_test(fio_names_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
