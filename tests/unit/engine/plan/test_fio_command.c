/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/plan/fio_command.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/plan/workload.h"

static void parse_ok(const char *line, struct workload *workload)
{
	struct error err = {0};

	workload_init(workload);
	if (workload_parse_fio(line, workload, &err) != 0)
		fail_msg("%s: %s", line, err.message);
	assert_true(workload->from_fio);
}

static void a_published_command_line_is_understood(void **state)
{
	struct workload w;

	(void)state;
	parse_ok("--bs=4k,128k --rw=randrw --rwmixread=50 --size=4G --iodepth=32 --numjobs=12 "
		 "--runtime=60",
		 &w);
	assert_int_equal(w.bs[DIRECTION_READ], 4096);
	assert_int_equal(w.bs[DIRECTION_WRITE], 131072);
	assert_int_equal(w.rw, RW_RANDRW);
	assert_int_equal(w.size, UINT64_C(4) << 30);
	assert_int_equal(w.iodepth, 32);
	assert_int_equal(w.numjobs, 12);
	assert_int_equal(w.runtime_ns, 60 * NS_PER_S);
	workload_done(&w);
}

static void all_ways_of_writing_an_option_are_taken(void **state)
{
	struct workload w;

	(void)state;
	parse_ok("fio --name \"my job\" --readwrite randread\t--blocksize=8k \\\n --time_based "
		 "--group_reporting --timeout 5 -iodepth=4 --buffered=1 --norandommap "
		 "--filename='/tank/a b' --invalidate 0 --numjobs=1 --numjobs=2",
		 &w);
	assert_string_equal(w.name, "my job");
	assert_int_equal(w.rw, RW_RANDREAD);
	assert_int_equal(w.bs[0], 8192);
	assert_true(w.time_based && w.group_reporting && w.norandommap);
	assert_false(w.direct);
	assert_true(workload_is_set(&w, OPTION_ID_DIRECT));
	assert_false(w.invalidate);
	assert_int_equal(w.runtime_ns, 5 * NS_PER_S);
	assert_int_equal(w.iodepth, 4);
	assert_int_equal(w.numjobs, 2);
	assert_string_equal(w.filename, "/tank/a b");
	workload_done(&w);
}

static void bad_command_lines_say_what_is_wrong(void **state)
{
	static const struct {
		const char *line;
		enum error_code code;
		const char *message;
	} table[] = {
		{"", ERROR_BAD_VALUE, "no option"},
		{"fio", ERROR_BAD_VALUE, "no option"},
		{"–rw=read", ERROR_BAD_VALUE, "typographic dash"},
		{"—rw=read", ERROR_BAD_VALUE, "typographic dash"},
		{"-–rw=read", ERROR_BAD_VALUE, "typographic dash"},
		{"--rw=read \xe2\x88\x92\xe2\x88\x92"
		 "bs=4k",
		 ERROR_BAD_VALUE, "two hyphens"},
		{"job.fio", ERROR_BAD_VALUE, "job files"},
		{"-", ERROR_BAD_VALUE, "not an option"},
		{"--", ERROR_BAD_VALUE, "not an option"},
		{"--=4k", ERROR_BAD_VALUE, "not an option"},
		{"---bs=4k", ERROR_BAD_VALUE, "not an option"},
		{"--bs", ERROR_BAD_VALUE, "needs a value"},
		{"--direct --rw=read", ERROR_BAD_VALUE, "--direct needs a value"},
		{"--bs=4x", ERROR_BAD_SIZE, "--bs"},
		{"--size=1GiB", ERROR_BAD_SIZE, "power of 1000"},
		{"--runtime=1.5", ERROR_BAD_TIME, "behind the point"},
		{"--runtime=x", ERROR_BAD_TIME, "--runtime"},
		{"--iodepth=0", ERROR_OUT_OF_RANGE, "1 to 4096"},
		{"--rw=trimwrite", ERROR_UNSUPPORTED, "trim and randtrim only trim"},
		{"--ioengine=rbd", ERROR_BAD_VALUE, "one of"},
		{"--rate_iops=x", ERROR_BAD_VALUE, "rate_iops"},
		{"--startdelay=1-3", ERROR_BAD_TIME, "startdelay"},
		{"--thinktime=1.5ms", ERROR_BAD_TIME, "behind the point"},
		{"--verify md5", ERROR_BAD_VALUE, "crc32c"},
		{"--verify_backlog=8", ERROR_UNSUPPORTED, "after the measured time"},
		{"--output-format=json", ERROR_UNSUPPORTED, "leave it out"},
		{"--rwmixraed=70", ERROR_UNKNOWN_FIELD, "rwmixraed"},
		{"--regions=both", ERROR_BAD_VALUE, "disjoint"},
		{"--name=a --rw=read --name=b", ERROR_UNSUPPORTED, "second job"},
		{"--filename=$DEV", ERROR_BAD_VALUE, "shell"},
		{"--filename=\"$(ls)\"", ERROR_BAD_VALUE, "shell"},
		{"--rw=read; rm -rf x", ERROR_BAD_VALUE, "shell"},
		{"--rw=read > out", ERROR_BAD_VALUE, "shell"},
		{"--rw=read | tee", ERROR_BAD_VALUE, "shell"},
		{"--name='a", ERROR_BAD_VALUE, "never closed"},
		{"--name=a\\", ERROR_BAD_VALUE, "backslash"},
		{"--buffered=2", ERROR_BAD_VALUE, "0 or 1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct workload w;
		struct error err = {0};

		workload_init(&w);
		if (workload_parse_fio(table[i].line, &w, &err) == 0)
			fail_msg("%s was taken", table[i].line);
		if (err.code != table[i].code || !strstr(err.message, table[i].message))
			fail_msg("%s: %s: %s", table[i].line, error_code_text(err.code),
				 err.message);
		assert_string_equal(err.field, "");
		assert_true(option_set_empty(&w.set));
		assert_false(w.from_fio);
		workload_done(&w);
	}
}

static void length_and_words_are_bounded(void **state)
{
	char line[8300];
	struct workload w;
	struct error err;

	(void)state;
	memset(line, ' ', sizeof(line));
	memcpy(line, "--rw=read", 9);
	line[8191] = '\0';
	parse_ok(line, &w);
	line[8191] = ' ';
	line[8192] = '\0';
	assert_true(workload_parse_fio(line, &w, &err) < 0);
	assert_int_equal(err.code, ERROR_OUT_OF_RANGE);

	line[0] = '\0';
	for (int i = 0; i < 256; i++)
		strncat(line, "--direct=1 ", sizeof(line) - strlen(line) - 1);
	parse_ok(line, &w);
	strncat(line, "--direct=1", sizeof(line) - strlen(line) - 1);
	assert_true(workload_parse_fio(line, &w, &err) < 0);
	assert_int_equal(err.code, ERROR_TOO_MANY);
}

/* What is written for fio, read again, is the same workload. */
static void the_equivalent_command_reads_back(void **state)
{
	static const char *const lines[] = {
		"--rw=randrw --bs=4k,128k --rwmixread=70 --size=4G --iodepth=32 --numjobs=12 "
		"--runtime=60 --name=a",
		"--rw=write --bs=1m --size=1g --fsync=32 --sync=dsync --ramp_time=5 "
		"--runtime=1500ms",
		"--rw=randread --size=64m --norandommap --direct=0 --randseed=7 --offset=1m",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct workload first, second;
		char *text, *tail;

		parse_ok(lines[i], &first);
		assert_int_equal(workload_complete(&first, NULL), 0);
		text = workload_format_fio(&first, "/tank/x", false);
		tail = strstr(text, " --refill_buffers=1");
		if (tail)
			*tail = '\0';
		parse_ok(text, &second);
		assert_string_equal(second.filename, "/tank/x");
		assert_int_equal(workload_complete(&second, NULL), 0);
		assert_int_equal(first.rw, second.rw);
		assert_memory_equal(first.bs, second.bs, sizeof(first.bs));
		assert_int_equal(first.rwmixread, second.rwmixread);
		assert_int_equal(first.size, second.size);
		assert_int_equal(first.offset, second.offset);
		assert_int_equal(first.iodepth, second.iodepth);
		assert_int_equal(first.numjobs, second.numjobs);
		assert_int_equal(first.runtime_ns, second.runtime_ns);
		assert_int_equal(first.ramp_time_ns, second.ramp_time_ns);
		assert_int_equal(first.time_based, second.time_based);
		assert_int_equal(first.direct, second.direct);
		assert_int_equal(first.sync, second.sync);
		assert_int_equal(first.fsync, second.fsync);
		assert_int_equal(first.norandommap, second.norandommap);
		assert_int_equal(first.invalidate, second.invalidate);
		assert_int_equal(first.group_reporting, second.group_reporting);
		assert_int_equal(first.regions, second.regions);
		free(text);
		workload_done(&first);
		workload_done(&second);
	}
}

static void paths_and_names_are_quoted_for_a_shell_and_for_fio(void **state)
{
	struct workload w;
	char *text;

	(void)state;
	workload_init(&w);
	assert_int_equal(option_parse(option_find("name"), "it's $x", &w, NULL), 0);
	assert_int_equal(option_parse(option_find("size"), "1m", &w, NULL), 0);
	assert_int_equal(option_parse(option_find("numjobs"), "2", &w, NULL), 0);
	assert_int_equal(workload_complete(&w, NULL), 0);
	text = workload_format_fio(&w, "/dev/a:b", false);
	assert_non_null(strstr(text, "--name='it'\\''s $x' "));
	assert_non_null(strstr(text, "--filename='/dev/a\\:b' "));
	assert_non_null(strstr(text, "--offset_increment=1048576"));
	free(text);
	text = workload_format_fio(&w, "/tank/d", true);
	assert_non_null(strstr(text, "--directory=/tank/d "));
	assert_null(strstr(text, "offset_increment"));
	free(text);
	workload_done(&w);
}

/* Where filename has become the target nothing may be left to say. */
static void a_command_line_of_defaults_reads_back(void **state)
{
	struct workload first, second;
	char *text;

	(void)state;
	parse_ok("--name=a", &first);
	text = workload_format_given(&first);
	assert_non_null(text);
	parse_ok(text, &second);
	assert_int_equal(second.rw, RW_READ);
	free(text);
	workload_done(&first);
	workload_done(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_published_command_line_is_understood),
		cmocka_unit_test(all_ways_of_writing_an_option_are_taken),
		cmocka_unit_test(bad_command_lines_say_what_is_wrong),
		cmocka_unit_test(length_and_words_are_bounded),
		cmocka_unit_test(the_equivalent_command_reads_back),
		cmocka_unit_test(a_command_line_of_defaults_reads_back),
		cmocka_unit_test(paths_and_names_are_quoted_for_a_shell_and_for_fio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
