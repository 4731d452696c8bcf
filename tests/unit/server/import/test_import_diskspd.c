/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_import_diskspd.c - diskspd's command lines and its text. */
#include "server/import/import_diskspd.h"
#include "tests/unit/server/import/collected.h"

#define READER (&import_reader_diskspd_text)
#define MIB 0x1p20

/* ---- command lines ---- */

static void test_commands_as_options(void **state)
{
	static const struct {
		const char *command, *options; /* as name=value, in the order of the table */
	} cases[] = {
		{"-c2G -w -b64K -F8 -r -o32 -d10 -h",
		 "rw=randread bs=64k size=2g offset=0 iodepth=32 numjobs=8 runtime=10 "
		 "time_based=1 ramp_time=5 direct=1 sync=dsync norandommap=1 regions=shared"},
		{"diskspd.exe -b64K -T1b -s8b -o32 D:\\x.dat",
		 "rw=read:448k bs=64k offset=0 iodepth=32 numjobs=1 runtime=10 time_based=1 "
		 "ramp_time=5 direct=0 sync=none regions=shared offset_increment=64k "
		 "interlocked=0"},
		{"-b4K -d60 -W0 -Sh -o128 -t32 -si -c50G",
		 "rw=read bs=4k size=50g offset=0 iodepth=128 numjobs=32 runtime=60 time_based=1 "
		 "ramp_time=0 direct=1 sync=dsync regions=shared offset_increment=0 "
		 "interlocked=1"},
		{"-b8K -S -L -o4 -t4 -r4K -w20 -Z1G -f1G -B1M -c50G",
		 "rw=randrw bs=8k rwmixread=80 size=1023m offset=1m iodepth=4 numjobs=4 "
		 "runtime=10 time_based=1 ramp_time=5 direct=1 sync=none norandommap=1 "
		 "regions=shared blockalign=4k"},
		{"-w100 -Z -Sw -rs70 -r -g50i x",
		 "rw=randwrite bs=64k offset=0 iodepth=2 numjobs=1 runtime=10 time_based=1 "
		 "ramp_time=5 direct=0 sync=dsync norandommap=1 regions=shared "
		 "percentage_random=70 rate_iops=50 zero_buffers=1"},
		{"-w100 -Zr -Sr -g8 \"a b\" c",
		 "rw=write bs=64k iodepth=2 numjobs=2 runtime=10 time_based=1 ramp_time=5 "
		 "sync=none interlocked=0 rate=8000 refill_buffers=1"},
		{"-F4 -o3 a b", "rw=read bs=64k iodepth=6 numjobs=4 runtime=10 time_based=1 "
				"ramp_time=5 direct=0 sync=none interlocked=0"},
		{"-F4 -O3 a b", "rw=read bs=64k iodepth=3 numjobs=4 runtime=10 time_based=1 "
				"ramp_time=5 direct=0 sync=none interlocked=0"},
		/* what ours cannot hold is unknown: small blocks, overlapping ones, hints, files */
		{"-b100 -s50 -fr -t5000 -w50 -g8 -rdpct10/90 -Su x",
		 "rwmixread=50 offset=0 iodepth=2 runtime=10 time_based=1 ramp_time=5 direct=1 "
		 "sync=none regions=shared offset_increment=0"},
		{"-Xprofile.xml", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diskspd_profile profile;
		struct workload options;
		struct error err = {0};
		char text[1000] = "";

		workload_init(&options);
		assert_int_equal(import_diskspd_command(cases[i].command, &profile, &err), 0);
		assert_int_equal(import_diskspd_options(&profile, &options), 0);
		for (int id = 0; id < OPTION_ID_COUNT; id++) {
			size_t used = strlen(text);
			char *value;

			if (!workload_is_set(&options, (enum option_id)id))
				continue;
			value = option_format(option_at((enum option_id)id), &options);
			(void)snprintf(text + used, sizeof(text) - used, "%s%s=%s",
				       used > 0 ? " " : "", option_at((enum option_id)id)->name,
				       value);
			free(value);
		}
		assert_string_equal(text, cases[i].options);
		workload_done(&options);
	}
}

static void test_bad_commands(void **state)
{
	static const char *const commands[] = {"-b",
					       "-bK",
					       "-b64X",
					       "-b64KK",
					       "-b4b",
					       "-b0",
					       "-b99999999999999999999",
					       "-t0",
					       "-t",
					       "-t4x",
					       "-o0",
					       "-d0",
					       "-F0",
					       "-w101",
					       "-wx",
					       "-d-1",
					       "-c9999999999999999T",
					       "-rx",
					       "-r9b9",
					       "-rs101",
					       "-g",
					       "-six"};
	char line[DISKSPD_COMMAND_MAX + 2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct diskspd_profile profile;
		struct error err = {0};
		int r = import_diskspd_command(commands[i], &profile, &err);

		assert_int_equal(r, -EINVAL);
		assert_int_equal(err.code, ERROR_BAD_VALUE);
	}
	for (size_t length = DISKSPD_COMMAND_MAX; length <= DISKSPD_COMMAND_MAX + 1; length++) {
		struct diskspd_profile profile;
		struct error err = {0};

		memset(line, 'x', length);
		line[length] = '\0';
		assert_int_equal(import_diskspd_command(line, &profile, &err),
				 length == DISKSPD_COMMAND_MAX ? 0 : -EINVAL);
	}
}

static void test_names(void **state)
{
	static const struct {
		const char *command, *name, *alone;
	} cases[] = {
		{"-b8K -r -w20 -t4 -o4", "randrw 80/20 8k, 4 x 4", "randrw 80/20"},
		{"-b64K -w100", "write 64k, 1 x 2", "write"},
		{"-F8 -O32 -w0 -r", "randread 64k, 8 x 32", "randread"},
		{"-Xa.xml", "diskspd", "diskspd"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diskspd_profile profile;
		char name[DISKSPD_NAME_MAX];

		assert_int_equal(import_diskspd_command(cases[i].command, &profile, NULL), 0);
		assert_string_equal(import_diskspd_name(&profile, false, name), cases[i].name);
		assert_string_equal(import_diskspd_name(&profile, true, name), cases[i].alone);
	}
}

/* ---- text ---- */

#define HEAD(command, asked)                                                                       \
	"\r\nCommand Line: diskspd.exe " command "\r\n\r\nInput parameters:\r\n\r\n"               \
	"\ttimespan:   1\r\n\tduration: 2s\r\n\t\tperforming " asked "\r\n"                        \
	"\t\tblock size: 8192\r\n\r\nResults for timespan 1:\r\n*****\r\n\r\n"
#define TIME                                                                                       \
	"actual test time:\t2.02s\r\nthread count:\t\t2\r\n\r\n"                                   \
	"CPU |  Usage |  User\r\n-----\r\n   0|  12.50%|   1.00%\r\navg.|  12.50%|   1.00%\r\n"
#define COLUMNS(unit)                                                                              \
	"thread |       bytes     |     I/Os     |    " unit "   |  I/O per s |  AvgLat  | "       \
	"IopsStdDev | LatStdDev |  file\r\n-----\r\n"
#define TABLE(name, unit, total)                                                                   \
	name "\r\n" COLUMNS(unit) "     0 |  1 |  1 |  0.00 |  0.50 |  9.000 |  1.00 |  9.000 | "  \
				  "D:\\x.dat (2GiB)\r\n"                                           \
				  "-----\r\ntotal:  " total "\r\n\r\n"
#define TABLES                                                                                     \
	TABLE("Total IO", "MiB/s", "81920000 | 10000 | 38.68 | 4950.50 | 1.500 | 10.0 | 2.0")      \
	TABLE("Read IO", "MiB/s", "65536000 | 8000 | 30.94 | 3960.40 | 0.133 | 9.00 | 0.222")      \
	TABLE("Write IO", "MiB/s", "16384000 | 2000 | 7.74 | 990.10 | 6.968 | 1.00 | 8.469")
#define LATENCIES                                                                                  \
	"\r\n\r\ntotal:\r\n  %-ile |  Read (ms) | Write (ms) | Total (ms)\r\n-----\r\n"            \
	"    min |      0.043 |      1.919 |      0.043\r\n"                                       \
	"   50th |      0.115 |      6.803 |      0.131\r\n"                                       \
	"   99th |      0.280 |     34.100 |     28.732\r\n"                                       \
	"3-nines |      0.882 |     35.121 |     34.550\r\n"                                       \
	"9-nines |     19.003 |        N/A |     35.213\r\n"                                       \
	"    max |     19.003 |     35.213 |     35.213\r\n"
#define WHOLE                                                                                      \
	HEAD("-b8K -d2 -h -L -o4 -t4 -r -w20 -Z1G -c50G D:\\x.dat",                                \
	     "mix test (read/write ratio: 80/20)")                                                 \
	TIME TABLES LATENCIES

static void test_text(void **state)
{
	struct import_sheet sheet;
	const struct sample *sample = &sheet.samples[0];
	const struct told_direction *read, *write;

	(void)state;
	collected_ok(READER, WHOLE, &sheet);
	assert_int_equal(sheet.count, 1);
	assert_int_equal(sample->findings.count, 0); /* -Z1G */
	assert_string_equal(sample->workload, "randrw 80/20");
	assert_string_equal(sample->source->tool, "diskspd");
	assert_string_equal(sample->source->given, "diskspd.exe -b8K -d2 -h -L -o4 -t4 -r -w20 "
						   "-Z1G -c50G D:\\x.dat");
	collected_option(sample, "rwmixread", "80");
	collected_option(sample, "runtime", "2");
	assert_true(sample->source->seconds_known && sample->seconds == 2.02);
	read = &sample->source->directions[DIRECTION_READ];
	write = &sample->source->directions[DIRECTION_WRITE];
	assert_true(read->ios_known && read->bytes_known);
	assert_int_equal(sample->directions[DIRECTION_READ].ios, 8000);
	assert_int_equal(sample->directions[DIRECTION_WRITE].bytes, 16384000);
	collected_figure(&read->iops, 3960.40, 3960.395, 3960.405);
	collected_figure(&write->bandwidth, 7.74 * MIB, 7.735 * MIB, 7.745 * MIB);
	collected_figure(&read->latency_mean, 133e3, 132.5e3, 133.5e3);
	collected_figure(&write->latency_stddev, 8469e3, 8468.5e3, 8469.5e3);
	collected_figure(&read->latency_min, 43e3, 42.5e3, 43.5e3);
	collected_figure(&write->latency_max, 35213e3, 35212.5e3, 35213.5e3);
	assert_int_equal(read->percentile_count, 4);
	assert_int_equal(write->percentile_count, 3); /* N/A is none */
	assert_true(read->percentiles[0].percentile == 50 && read->percentiles[0].ns == 115e3);
	assert_float_equal(read->percentiles[2].percentile, 99.9, 1e-9);
	assert_float_equal(read->percentiles[3].percentile, 99.9999999, 1e-12);
	assert_false(sample->source->directions[DIRECTION_TRIM].ios_known);
	collected_done(&sheet);
}

/* Old versions print "MB/s" for MiB/s, no latency, and a direction without operations as zeros. */
static void test_old_text(void **state)
{
	static const char text[] =
		"Command Line: diskspd -c2G -w -b64K -F8 -r -o32 -d10 -h x.dat\n"
		"actual test time:\t10.35s\n"
		"Read IO\nthread | bytes | I/Os | MB/s | I/O per s | file\n"
		"total: 35203448832 | 537162 | 3242.57 | 51881.09\n"
		"Write IO\nthread | bytes | I/Os | MB/s | I/O per s | AvgLat | LatStdDev | file\n"
		"total: 0 | 0 | 0.00 | 0.00 | 0.000 | N/A\n";
	struct import_sheet sheet;
	const struct finding *finding;

	(void)state;
	collected_ok(READER, text, &sheet);
	assert_int_equal(sheet.count, 1);
	collected_figure(&sheet.samples[0].source->directions[DIRECTION_READ].bandwidth,
			 3242.57 * MIB, 3242.565 * MIB, 3242.575 * MIB);
	assert_false(sheet.samples[0].source->directions[DIRECTION_READ].latency_mean.known);
	assert_false(sheet.samples[0].source->directions[DIRECTION_WRITE].latency_mean.known);
	assert_false(sample_moves(&sheet.samples[0], DIRECTION_WRITE));
	collected_option(&sheet.samples[0], "rw", "randread");
	finding = collected_finding(&sheet, "diskspd_bare_w");
	assert_non_null(finding);
	assert_non_null(strstr(finding->message, "0 % writes"));
	collected_done(&sheet);
}

/* The text's own word counts for more than the rule. */
static void test_bare_w_that_wrote(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, HEAD("-w -b8K x", "write test") TIME TABLES, &sheet);
	collected_option(&sheet.samples[0], "rw", "write");
	assert_non_null(strstr(collected_finding(&sheet, "diskspd_bare_w")->message, "own text"));
	assert_non_null(collected_finding(&sheet, "diskspd_data_repeats"));
	collected_done(&sheet);
}

/* Several results in one file: same names are told apart. */
static void test_several(void **state)
{
#define ONE(command) HEAD(command, "write test") TIME TABLES
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, ONE("-w100 -b8K a") ONE("-w100 -b8K -h a") ONE("-w100 -b4K a"),
		     &sheet);
	assert_int_equal(sheet.count, 3);
	assert_string_equal(sheet.samples[0].workload, "write 8k, 1 x 2");
	assert_string_equal(sheet.samples[1].workload, "write 8k, 1 x 2 #2");
	assert_string_equal(sheet.samples[2].workload, "write 4k, 1 x 2");
	assert_string_equal(sheet.samples[2].findings.list[0].workloads[0], "write 4k, 1 x 2");
	collected_done(&sheet);
}

/* With several targets there is a table of percentiles each, and one of all at the end. */
static void test_last_percentiles_count(void **state)
{
	static const char text[] =
		HEAD("-w20 -r -b8K -Zr a b", "mix test (read/write ratio: 80/20)") TIME TABLES
		"a\n%-ile | Read (ms) | Write (ms) | Total (ms)\n"
		"50th | 9.000 | 9.000 | 9.000\nmax | 9.000 | 9.000 | 9.000\n" LATENCIES;
	struct import_sheet sheet;
	const struct told_direction *read;

	(void)state;
	collected_ok(READER, text, &sheet);
	read = &sheet.samples[0].source->directions[DIRECTION_READ];
	assert_int_equal(read->percentile_count, 4);
	assert_true(read->percentiles[0].ns == 115e3);
	assert_true(read->latency_max.value == 19003e3);
	collected_done(&sheet);
}

/* As PowerShell redirects it. */
static void test_utf16(void **state)
{
	static const char text[] = WHOLE;
	static char wide[2 * sizeof(text) + 2];
	struct import_sheet sheet;
	struct error err;

	(void)state;
	memcpy(wide, "\xff\xfe", 2);
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		wide[2 + 2 * i] = text[i];
	assert_int_equal(collected_read(READER, wide, 2 * sizeof(text), &sheet, &err), 0);
	assert_int_equal(sheet.samples[0].directions[DIRECTION_READ].ios, 8000);
	collected_done(&sheet);
	assert_int_equal(collected_read(READER, wide, 301, &sheet, &err), -EINVAL);
	collected_done(&sheet);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{HEAD("-b8K a", "read test") TIME "I/O per s", "cut short"},
		{HEAD("-bK a", "read test") TIME TABLES, "line 2: diskspd's \"-bK\""},
		{HEAD("-b8K a", "mix test (read/write ratio: 1/1000)") TIME TABLES, "100 %"},
		{HEAD("-b8K a", "mix test (read/write ratio: )") TIME TABLES, "ratio"},
		{HEAD("-b8K a", "read test") TIME TIME TABLES, "-Rxml"},
		{HEAD("-b8K a", "read test") "actual test time: 0.00s\n" TABLES, "seconds"},
		{HEAD("-b8K a", "read test") "actual test time: soon\n" TABLES, "seconds"},
		{HEAD("-b8K a", "read test") "The test was interrupted before the\nI/O per s",
		 "interrupted"},
		{HEAD("-b8K a", "read test") TIME TABLE("Read IO", "MiB/s", "x | 1 | 1.00 | 1.00"),
		 "counts"},
		{HEAD("-b8K a", "read test") TIME TABLE("Read IO", "MiB/s", "1 | 1 | fast | 1.00"),
		 "neither a number"},
		{HEAD("-b8K a", "read test")
			 TIME TABLE("Read IO", "MiB/s", "99999999999999999999 | 1 | 1.00 | 1.00"),
		 "counts"},
		{HEAD("-b8K a", "read test") TIME TABLE("Read IO", "MiB/s", "5"), "without bytes"},
		{WHOLE "%-ile | Read (ms)\n99th | 1.000 | 1.000 |\n50th | 1.000 | 1.000 |\n",
		 "ascending"},
		{WHOLE "%-ile | Read (ms)\n99th | slow | 1.000 |\n", "neither a number"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		collected_refused(READER, cases[i].text, cases[i].words);
	assert_false(READER->recognise("Command Line: fio", 17));
}

static void test_limits(void **state)
{
	static const char one[] =
		"Command Line: diskspd x\nRead IO\nthread|bytes|I/Os|MiB/s|I/O per "
		"s|file\ntotal: 1|1|1|1\nWrite IO\ntotal: 1|1|1|1\n";

	(void)state;
	for (size_t count = 64; count <= 65; count++) {
		char *text = calloc(count, sizeof(one));

		assert_non_null(text);
		for (size_t i = 0; i < count; i++)
			memcpy(text + i * (sizeof(one) - 1), one, sizeof(one) - 1);
		if (count == 64) {
			struct import_sheet sheet;

			collected_ok(READER, text, &sheet);
			assert_int_equal(sheet.count, 64);
			assert_string_equal(sheet.samples[63].workload, "read 64k, 1 x 2 #64");
			collected_done(&sheet);
		} else {
			collected_refused(READER, text, "more than 64");
		}
		free(text);
	}
}

static void test_many_percentiles(void **state)
{
	(void)state;
	for (int count = 32; count <= 33; count++) {
		char text[6000] = WHOLE "%-ile | Read (ms)\n";
		struct import_sheet sheet;

		for (int i = 1; i <= count; i++) {
			size_t used = strlen(text);

			(void)snprintf(text + used, sizeof(text) - used, "%dth | 1.0 | 1.0 |\n", i);
		}
		if (count == 32) {
			collected_ok(READER, text, &sheet);
			assert_int_equal(sheet.samples[0]
						 .source->directions[DIRECTION_READ]
						 .percentile_count,
					 32);
			collected_done(&sheet);
		} else {
			collected_refused(READER, text, "percentiles");
		}
	}
}

static void test_cut_short(void **state)
{
	(void)state;
	collected_cut(READER, WHOLE);
	collected_changed(READER, WHOLE, 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands_as_options),
		cmocka_unit_test(test_bad_commands),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_old_text),
		cmocka_unit_test(test_bare_w_that_wrote),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_last_percentiles_count),
		cmocka_unit_test(test_utf16),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_many_percentiles),
		cmocka_unit_test(test_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
