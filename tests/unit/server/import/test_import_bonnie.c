/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_import_bonnie.c - bonnie++'s CSV of both formats: pairs, what is missing, names, limits. */
#include "engine/plan/file_phases.h"
#include "tests/unit/server/import/collected.h"

#define READER (&import_reader_bonnie)
#define KIB 1024.0
/* "value,%CPU" of characters and blocks, rewriting, and seeks; of files; the longest latencies. */
#define DATA "510,99,31485,14,20000,9,+++++,+++,64000,21,450.3,7"
#define PHASES "1099,37,+++++,+++,5000,80,1150,30,,,890,3"
#define LATENCIES "64522us,5632us,8044us,43ms,5188us,1s,32137us,584us,1us,56248us,32355us,34us"
#define NEW(name, data, files)                                                                     \
	"1.98,2.00a," name ",1,1796072440,64M,8k,8192,5," data "," files "," LATENCIES "\n"
#define OLD(name, data, files)                                                                     \
	"1.96,1.96," name ",1,1796072440,8G,," data "," files "," LATENCIES "\n"
#define FILES "16,1024,1024,4,," PHASES
#define NO_FILES ",,,,,,,,,,,,,,,,"

static const struct told_figure *bandwidth(const struct import_sheet *sheet, size_t sample,
					   enum direction direction)
{
	return &sheet->samples[sample].source->directions[direction].bandwidth;
}

static void test_new_format(void **state)
{
	static const char *const names[] = {
		"Sequential character write", "Sequential block write", "Sequential rewrite",
		"Sequential block read",      "Random seeks",		"Small files"};
	struct import_sheet sheet;
	const struct told_direction *told;

	(void)state;
	collected_ok(READER, NEW("nas", DATA, FILES), &sheet);
	assert_int_equal(sheet.count, ARRAY_SIZE(names));
	for (size_t i = 0; i < sheet.count; i++) {
		assert_string_equal(sheet.samples[i].workload, names[i]);
		assert_string_equal(sheet.samples[i].source->tool, "bonnie++ 2.00a");
		assert_false(sheet.samples[i].source->seconds_known);
		assert_int_equal(sheet.samples[i].level_count, 0);
	}
	collected_figure(bandwidth(&sheet, 1, DIRECTION_WRITE), 31485 * KIB, 31484.5 * KIB,
			 31485.5 * KIB);
	assert_false(bandwidth(&sheet, 1, DIRECTION_READ)->known);
	collected_option(&sheet.samples[1], "rw", "write");
	collected_option(&sheet.samples[1], "bs", "8k");
	collected_option(&sheet.samples[1], "size", "64m");
	collected_option(&sheet.samples[1], "numjobs", "1");
	assert_false(sample_knows(&sheet.samples[1], OPTION_ID_DIRECT));
	assert_string_equal(sheet.samples[1].source->given, "31485, 14 % CPU, at most 5632us");
	told = sheet.samples[1].source->directions;
	collected_figure(&told[DIRECTION_WRITE].latency_max, 5632e3, 5631.5e3, 5632.5e3);

	/* rewriting reads as much as it writes, and its latency is of both together */
	collected_option(&sheet.samples[2], "rw", "rewrite");
	assert_true(bandwidth(&sheet, 2, DIRECTION_READ)->value == 20000 * KIB);
	assert_true(bandwidth(&sheet, 2, DIRECTION_WRITE)->value == 20000 * KIB);
	assert_false(sheet.samples[2].source->directions[DIRECTION_READ].latency_max.known);

	told = sheet.samples[4].source->directions;
	collected_figure(&told[DIRECTION_READ].iops, 450.3, 450.25, 450.35);
	collected_figure(&told[DIRECTION_READ].latency_max, 1e9, 0.5e9, 1.5e9);
	assert_false(told[DIRECTION_READ].bandwidth.known);
	assert_false(told[DIRECTION_WRITE].iops.known);
	collected_option(&sheet.samples[4], "numjobs", "5");
	assert_false(sample_knows(&sheet.samples[4], OPTION_ID_RW));

	assert_non_null(strstr(collected_finding(&sheet, "too_quick")->message,
			       "Sequential character read, sequential read."));
	assert_non_null(strstr(collected_finding(&sheet, "memory_unknown")->message, "64M"));
	collected_done(&sheet);
}

static void test_files(void **state)
{
	static const struct {
		int operation, order;
		double value;
	} phases[] = {
		{FILE_CREATE, FILE_ORDER_SEQUENTIAL, 1099},
		{FILE_DELETE, FILE_ORDER_SEQUENTIAL, 5000},
		{FILE_CREATE, FILE_ORDER_RANDOM, 1150},
		{FILE_DELETE, FILE_ORDER_RANDOM, 890},
	};
	struct import_sheet sheet;
	const struct sample *sample;

	(void)state;
	collected_ok(READER, NEW("nas", DATA, FILES), &sheet);
	sample = &sheet.samples[5];
	assert_int_equal(sample->file_count, ARRAY_SIZE(phases));
	for (size_t i = 0; i < ARRAY_SIZE(phases); i++) {
		assert_int_equal(sample->files[i].operation, phases[i].operation);
		assert_int_equal(sample->files[i].order, phases[i].order);
		collected_figure(&sample->files[i].told_ops_per_s, phases[i].value,
				 phases[i].value - 0.5, phases[i].value + 0.5);
	}
	collected_option(sample, "metadata", "create,read,delete");
	collected_option(sample, "nrfiles", "16384");
	collected_option(sample, "filesize", "1k");
	collected_option(sample, "directories", "4");
	collected_option(sample, "file_order", "both");
	collected_done(&sheet);
	/* files without bytes are looked up */
	collected_ok(READER, NEW("nas", ",,,,,,,,,,,", "16,,,,," PHASES), &sheet);
	assert_int_equal(sheet.count, 1);
	collected_option(&sheet.samples[0], "metadata", "create,stat,delete");
	collected_option(&sheet.samples[0], "filesize", "0");
	collected_done(&sheet);
	/* links are no files of ours */
	collected_ok(READER, NEW("nas", DATA, "16,-1,,,," PHASES), &sheet);
	assert_int_equal(sheet.count, 5);
	collected_done(&sheet);
}

static void test_old_format(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, OLD("nas", DATA, FILES), &sheet);
	assert_int_equal(sheet.count, 6);
	assert_string_equal(sheet.samples[0].source->tool, "bonnie++ 1.96");
	assert_true(bandwidth(&sheet, 3, DIRECTION_READ)->value == 64000 * KIB);
	collected_option(&sheet.samples[3], "size", "8g");
	assert_false(sample_knows(&sheet.samples[3], OPTION_ID_BS));
	assert_int_equal(sheet.samples[5].file_count, 4);
	assert_string_equal(sheet.samples[4].source->given, "450.3, 7 % CPU, at most 1s");
	collected_option(&sheet.samples[4], "numjobs", "1"); /* seekers are not told */
	collected_done(&sheet);
}

/* Behind the table for people; lines of one name are repeats, others are compared. */
static void test_several_lines(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(
		READER,
		"Version 2.00a ------Sequential Output------\nnas 64M 510k 99 31485 14\n\n" NEW(
			"nas", DATA, NO_FILES) NEW("nas", DATA, NO_FILES),
		&sheet);
	assert_int_equal(sheet.count, 10);
	assert_int_equal(sheet.samples[9].level_count, 0);
	collected_done(&sheet);
	collected_ok(READER, NEW("64K", DATA, NO_FILES) OLD("256K", DATA, NO_FILES), &sheet);
	assert_int_equal(sheet.count, 10);
	assert_string_equal(sheet.samples[0].levels[0].factor, "name");
	assert_string_equal(sheet.samples[0].levels[0].value, "64K");
	assert_string_equal(sheet.samples[9].levels[0].value, "256K");
	collected_done(&sheet);
}

static void test_concurrency(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, "1.98,2.00a,nas,4,1,64M,,8192,5," DATA "," NO_FILES "," LATENCIES,
		     &sheet);
	collected_option(&sheet.samples[1], "numjobs", "4");
	assert_false(
		sample_knows(&sheet.samples[1], OPTION_ID_SIZE)); /* of which it is, is not told */
	collected_done(&sheet);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"1.98,2.00a,nas,1,1,64M,8k,8192,5,1,1", "50 fields"},
		{NEW("nas", DATA, FILES ",1"), "50 fields"},
		{OLD("nas", DATA, FILES ",1"), "50 fields"},
		{"\n" NEW("nas", "fast" DATA, FILES), "line 2: a figure"},
		{NEW("nas", DATA, "many,1,1,1,1," PHASES), "number of files"},
		{NEW("", DATA, FILES), "the name is empty"},
		{"1.98,2.00a,nas,1,1,64M,8k,8192,5," DATA "," NO_FILES ",1,2,3,4,5,6,,,,,,",
		 "without its unit"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		collected_refused(READER, cases[i].text, cases[i].words);
	assert_false(READER->recognise("1.98,2", 6));
	assert_false(READER->recognise("2.00," DATA "," PHASES, 60));
	assert_false(READER->recognise("", 0));
}

static void test_limits(void **state)
{
	static const char one[] = "1.96,1.96,n,1,1,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n";

	(void)state;
	for (size_t count = 1024; count <= 1025; count++) {
		char *text = calloc(count, sizeof(one));

		assert_non_null(text);
		for (size_t i = 0; i < count; i++)
			memcpy(text + i * (sizeof(one) - 1), one, sizeof(one) - 1);
		if (count == 1024) {
			struct import_sheet sheet;

			collected_ok(READER, text, &sheet);
			assert_int_equal(sheet.count, 0);
			collected_done(&sheet);
		} else {
			collected_refused(READER, text, "more than 1024");
		}
		free(text);
	}
	collected_length(READER, "1.98,2.00a,", 128,
			 ",1,1,64M,8k,8192,5," DATA "," NO_FILES "," LATENCIES, "more than 128");
	/* of a share of the processor, which is kept as it was told */
	collected_length(READER, "1.98,2.00a,nas,1,1,64M,8k,8192,5,510,", 128,
			 ",31485,14,20000,9,+++++,+++,64000,21,450.3,7," NO_FILES "," LATENCIES,
			 "more than 128");
}

static void test_cut_short(void **state)
{
	(void)state;
	collected_cut(READER, NEW("nas", DATA, FILES));
	collected_cut(READER, OLD("nas", DATA, FILES));
	collected_changed(READER, NEW("nas", DATA, FILES) OLD("b", DATA, FILES), 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_format),  cmocka_unit_test(test_files),
		cmocka_unit_test(test_old_format),  cmocka_unit_test(test_several_lines),
		cmocka_unit_test(test_concurrency), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),	    cmocka_unit_test(test_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
