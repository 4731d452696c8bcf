/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_import_dd.c - dd's last lines, of GNU and BSD, with and without a command line. */
#include "tests/unit/server/import/collected.h"

#include "server/import/dd_command.h"

#define READER (&import_reader_dd)
#define RECORDS(count) count " records in\n" count " records out\n"
#define GNU RECORDS("1000+0") "131072000 bytes (131 MB, 125 MiB) copied, 0.500 s, 262 MB/s\n"
#define BSD                                                                                        \
	RECORDS("2457600+0")                                                                       \
	"322122547200 bytes transferred in 163.977835 secs (1964427371 bytes/sec)\n"

static const struct told_direction *told(const struct import_sheet *sheet, size_t sample,
					 enum direction direction)
{
	return &sheet->samples[sample].source->directions[direction];
}

static void test_gnu(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, "# dd if=/tank/file of=/dev/null bs=128k iflag=direct\n" GNU, &sheet);
	assert_int_equal(sheet.count, 1);
	assert_int_equal(sheet.findings.count, 0);
	assert_string_equal(sheet.samples[0].workload, "Sequential read");
	assert_string_equal(sheet.samples[0].source->tool, "dd");
	assert_string_equal(sheet.samples[0].source->given,
			    "# dd if=/tank/file of=/dev/null bs=128k iflag=direct");
	assert_int_equal(sheet.samples[0].level_count, 0);
	assert_true(sheet.samples[0].source->seconds_known && sheet.samples[0].seconds == 0.5);
	assert_int_equal(sheet.samples[0].directions[DIRECTION_READ].ios, 1000);
	assert_int_equal(sheet.samples[0].directions[DIRECTION_READ].bytes, 131072000);
	/* the seconds were rounded to a thousandth */
	collected_figure(&told(&sheet, 0, DIRECTION_READ)->bandwidth, 131072000 / 0.5,
			 131072000 / 0.5005, 131072000 / 0.4995);
	collected_figure(&told(&sheet, 0, DIRECTION_READ)->iops, 2000, 1000 / 0.5005,
			 1000 / 0.4995);
	assert_false(told(&sheet, 0, DIRECTION_WRITE)->ios_known);
	collected_option(&sheet.samples[0], "rw", "read");
	collected_option(&sheet.samples[0], "bs", "128k");
	collected_option(&sheet.samples[0], "direct", "1");
	collected_option(&sheet.samples[0], "iodepth", "1");
	collected_option(&sheet.samples[0], "numjobs", "1");
	assert_false(sample_knows(&sheet.samples[0], OPTION_ID_SYNC));
	collected_done(&sheet);
}

static void test_bsd_without_command(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, BSD BSD, &sheet);
	assert_int_equal(sheet.count, 2);
	assert_string_equal(sheet.samples[0].workload, "Sequential read");
	assert_null(sheet.samples[0].source->given);
	assert_false(sample_knows(&sheet.samples[0], OPTION_ID_RW));
	assert_false(sample_knows(&sheet.samples[0], OPTION_ID_DIRECT));
	collected_option(&sheet.samples[0], "bs", "128k");
	assert_float_equal(told(&sheet, 0, DIRECTION_READ)->bandwidth.value, 1964427371, 1);
	assert_int_equal(sheet.findings.count, 1); /* once */
	assert_non_null(collected_finding(&sheet, "dd_direction"));
	collected_done(&sheet);
}

static void test_writes(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER,
		     "dd if=/dev/zero of=/dev/zvol/a bs=1M conv=fsync oflag=direct,dsync\n" RECORDS(
			     "5+1") "5242880 bytes (5.2 MB) copied, 2 seconds, 2.5MB/s\n",
		     &sheet);
	assert_string_equal(sheet.samples[0].workload, "Sequential write");
	assert_int_equal(sheet.samples[0].directions[DIRECTION_WRITE].ios, 6);
	assert_false(told(&sheet, 0, DIRECTION_READ)->ios_known);
	collected_option(&sheet.samples[0], "rw", "write");
	collected_option(&sheet.samples[0], "sync", "dsync");
	collected_option(&sheet.samples[0], "direct", "1");
	collected_option(&sheet.samples[0], "end_fsync", "1");
	collected_option(&sheet.samples[0], "zero_buffers", "1");
	assert_non_null(collected_finding(&sheet, "dd_zeros"));
	assert_null(collected_finding(&sheet, "dd_direction"));
	collected_done(&sheet);
	/* a copy does both */
	collected_ok(READER, "dd if=/a of=/b\n" GNU, &sheet);
	assert_string_equal(sheet.samples[0].workload, "Sequential copy");
	assert_int_equal(sheet.samples[0].directions[DIRECTION_READ].ios, 1000);
	assert_int_equal(sheet.samples[0].directions[DIRECTION_WRITE].ios, 1000);
	assert_false(sample_knows(&sheet.samples[0], OPTION_ID_RW));
	collected_done(&sheet);
	/* partial records say nothing of the request size */
	collected_ok(READER, RECORDS("0+7") "4096 bytes copied, 2 s, 2 kB/s\n", &sheet);
	assert_string_equal(sheet.samples[0].workload, "Sequential read");
	assert_false(sample_knows(&sheet.samples[0], OPTION_ID_BS));
	collected_done(&sheet);
}

/* A transcript: several targets are levels, of one target results are repeats. */
static void test_transcript(void **state)
{
	static const char text[] = "$ time sudo /bin/dd if=/tank/f of=/dev/null bs=128k\n" GNU
				   "real 0m0.5s\n$ dd if=/dev/zvol/a of=/dev/null bs=128k\n" GNU;
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, text, &sheet);
	assert_int_equal(sheet.count, 2);
	assert_string_equal(sheet.samples[0].levels[0].factor, "target");
	assert_string_equal(sheet.samples[0].levels[0].value, "/tank/f");
	assert_string_equal(sheet.samples[1].levels[0].value, "/dev/zvol/a");
	collected_done(&sheet);
	collected_ok(READER, "dd if=/a of=/dev/null\n" GNU "dd if=/a of=/dev/null\n" GNU, &sheet);
	assert_int_equal(sheet.count, 2);
	assert_int_equal(sheet.samples[0].level_count, 0);
	collected_done(&sheet);
	/* a result without a command of its own takes none of another's */
	collected_ok(READER, "dd if=/a of=/dev/null\n" GNU "dd if=/b of=/dev/null\n" GNU GNU,
		     &sheet);
	assert_string_equal(sheet.samples[2].levels[0].value, "not told");
	collected_done(&sheet);
}

/* Several request sizes in one file are told apart. */
static void test_sizes(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, GNU RECORDS("1+0") "4096 bytes copied, 1 s, 4.1 kB/s\n" GNU, &sheet);
	assert_string_equal(sheet.samples[0].workload, "Sequential read 128k");
	assert_string_equal(sheet.samples[1].workload, "Sequential read 4k");
	assert_string_equal(sheet.samples[2].workload, "Sequential read 128k");
	collected_done(&sheet);
}

/* Progress is drawn over itself. */
static void test_progress(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER,
		     "65536000 bytes copied, 0.2 s, 327 MB/s\r98304000 bytes copied, 0.3 s, 327 "
		     "MB/s\r" GNU,
		     &sheet);
	assert_int_equal(sheet.count, 1);
	assert_true(sheet.samples[0].seconds == 0.5);
	collected_done(&sheet);
}

static void test_rate_that_differs(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, RECORDS("1000+0") "131072000 bytes copied, 0.500 s, 300 MB/s\n",
		     &sheet);
	assert_non_null(collected_finding(&sheet, "dd_rate_differs"));
	collected_done(&sheet);
	collected_ok(READER, BSD, &sheet);
	assert_null(collected_finding(&sheet, "dd_rate_differs"));
	collected_done(&sheet);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"1000 records in\n1000+0 records out\n5 bytes copied, 1 s, 5 B/s\n",
		 "whole+partial"},
		{"18446744073709551615+1 records in\n" GNU, "whole+partial"},
		{RECORDS("1+0") "many bytes copied, 1 s, 5 B/s\n5 copied, x\n" GNU,
		 "bytes, seconds"},
		{RECORDS("1+0") "5 bytes copied, soon\n", "bytes, seconds"},
		{RECORDS("1+0") "5 bytes copied, 3 hours\n", "bytes, seconds"},
		{RECORDS("1+0") "5 bytes copied, 0 s, 5 B/s\n", "no time"},
		{RECORDS("1+0") "5 bytes transferred in 1 secs (fast)\n", "bytes, seconds"},
		{"x\n99999999999999999999+0 records in\n" GNU, "line 2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		collected_refused(READER, cases[i].text, cases[i].words);
	assert_false(READER->recognise("5 bytes copied, 1 s", 19));
	assert_false(READER->recognise("", 0));
}

static void test_commands(void **state)
{
	static const struct {
		const char *line;
		bool known, reads, writes;
		uint64_t block;
	} cases[] = {
		{"dd if=/a of=/dev/null bs=4k", true, true, false, 4096},
		{"dd if=/dev/urandom of=/a bs=2x512", true, false, true, 0},
		{"dd of=/a bs=8b", true, false, true, 4096},
		{"dd if=/a bs=1MB", true, true, false, 1000000},
		{"dd if=/a of=- bs=99999999999999999999k", true, true, false, 0},
		{"dd if=/a of=/b ibs=4k obs=8k", true, true, true, 0},
		{"dd if=/a of=/b ibs=4k obs=4096", true, true, true, 4096},
		{"dd bs=4k", false, false, false, 0},
		{"add if=/a", false, false, false, 0},
		{"if=/a dd", false, false, false, 0},
		{"", false, false, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct piece line = {cases[i].line, strlen(cases[i].line)};
		struct dd_command command = {0};

		print_message("%s\n", cases[i].line);
		assert_int_equal(dd_command_read(line, &command), cases[i].known);
		assert_int_equal(dd_command_reads(&command), cases[i].reads);
		assert_int_equal(dd_command_writes(&command), cases[i].writes);
		assert_int_equal(command.block, cases[i].block);
	}
}

/* Of a path that is too long for a level its end is kept. */
static void test_long_target(void **state)
{
	char text[1000], path[160];
	struct import_sheet sheet;

	(void)state;
	memset(path, 'x', sizeof(path));
	memcpy(path + 150, "/volume.1", 10);
	(void)snprintf(text, sizeof(text), "dd if=%s of=/dev/null\n%sdd if=/b of=/dev/null\n%s",
		       path, GNU, GNU);
	collected_ok(READER, text, &sheet);
	assert_int_equal(strlen(sheet.samples[0].levels[0].value), 128);
	assert_string_equal(sheet.samples[0].levels[0].value + 119, "/volume.1");
	collected_done(&sheet);
}

static void test_limits(void **state)
{
	static const char one[] = RECORDS("1+0") "512 bytes copied, 1 s, 512 B/s\n";
	char line[DD_COMMAND_MAX + 2];
	struct dd_command command;

	(void)state;
	memset(line, 'x', sizeof(line));
	memcpy(line, "dd if=/", 7);
	assert_true(dd_command_read((struct piece){line, DD_COMMAND_MAX}, &command));
	assert_false(dd_command_read((struct piece){line, DD_COMMAND_MAX + 1}, &command));
	for (size_t count = 1024; count <= 1025; count++) {
		char *text = calloc(count, sizeof(one));
		struct import_sheet *sheet = calloc(1, sizeof(*sheet));

		assert_non_null(text);
		assert_non_null(sheet);
		for (size_t i = 0; i < count; i++)
			memcpy(text + i * (sizeof(one) - 1), one, sizeof(one) - 1);
		if (count == 1025)
			collected_refused(READER, text, "more than 1024");
		else
			collected_ok(READER, text, sheet);
		collected_done(sheet);
		free(sheet);
		free(text);
	}
}

static void test_cut_short(void **state)
{
	(void)state;
	collected_cut(READER, "dd if=/a of=/b bs=1M\n" GNU "x\n" BSD);
	collected_changed(READER, "dd if=/a of=/b bs=1M\n" GNU "x\n" BSD, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gnu),
		cmocka_unit_test(test_bsd_without_command),
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_transcript),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_rate_that_differs),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_long_target),
		cmocka_unit_test(test_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
