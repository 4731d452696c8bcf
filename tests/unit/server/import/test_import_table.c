/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_import_table.c - tables of figures: what they hold, their rounding, changes, limits.
 *
 * Length: a table may hold much, and each part can be wrong.
 */
#include "tests/unit/server/import/collected.h"

#define READER (&import_reader_table)
#define MIB 0x1p20

/* A table around rows, with a mix and metadata as workloads. */
#define TABLE(members, rows)                                                                       \
	"{\"schema\": \"volbench.table/1\", \"name\": \"Blocks\"" members ", \"workloads\": ["     \
	"{\"name\": \"Mail\", \"fio\": \"--bs=8k --rw=randrw --rwmixread=70 --iodepth=32\"}, "     \
	"{\"name\": \"Scan\", \"rw\": \"read\", \"bs\": \"64k\", \"runtime\": 60}, "               \
	"{\"name\": \"Files\", \"metadata\": \"create,stat,delete\", \"file_order\": \"both\"}], " \
	"\"rows\": [" rows "]}"
#define ROW(level, cells) "{\"levels\": {\"volblocksize\": \"" level "\"}, \"cells\": {" cells "}}"
#define CELL(cell) TABLE("", ROW("4K", "\"Mail\": " cell))

static const struct told_direction *told(const struct import_sheet *sheet, size_t sample,
					 enum direction direction)
{
	return &sheet->samples[sample].source->directions[direction];
}

static void test_printed_cells(void **state)
{
	static const char text[] =
		TABLE(", \"description\": \"As printed\", \"memory\": \"220G\", \"mean_of\": 3, "
		      "\"system\": {\"pool\": \"10 mirrors\", \"os\": \"SCALE\"}",
		      ROW("4K", "\"Mail\": {\"read\": \"~33.8k / 264 MiB\", "
				"\"write\": \"~14.5k / -\"}, \"Scan\": {\"read\": \"1.5 "
				"GB/s\"}") ", " ROW("16384", "\"Mail\": {\"read\": \"10.0k\", "
							     "\"write\": 7200, "
							     "\"mean_of\": 5}, \"Scan\": null"));
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, text, &sheet);
	assert_string_equal(sheet.name, "Blocks");
	assert_string_equal(sheet.description, "As printed");
	assert_int_equal(sheet.fact_count, 2);
	assert_string_equal(sheet.facts[0].name, "pool");
	assert_string_equal(sheet.facts[1].value, "SCALE");
	assert_int_equal(sheet.findings.count, 0);
	assert_int_equal(sheet.count, 3);

	assert_string_equal(sheet.samples[0].workload, "Mail");
	assert_string_equal(sheet.samples[0].source->tool, "volbench.table/1");
	assert_string_equal(sheet.samples[0].source->file, "result.txt");
	assert_string_equal(sheet.samples[0].source->given,
			    "--bs=8k --rw=randrw --rwmixread=70 --iodepth=32");
	assert_true(sheet.samples[0].source->memory_bytes == UINT64_C(220) << 30);
	assert_int_equal(sheet.samples[0].source->samples, 3);
	assert_false(sheet.samples[0].source->index);
	collected_option(&sheet.samples[0], "bs", "8k");
	collected_option(&sheet.samples[0], "rwmixread", "70");
	assert_false(sample_knows(&sheet.samples[0], OPTION_ID_NUMJOBS));
	collected_figure(&told(&sheet, 0, DIRECTION_READ)->iops, 33800, 33750, 33850);
	collected_figure(&told(&sheet, 0, DIRECTION_READ)->bandwidth, 264 * MIB, 263.5 * MIB,
			 264.5 * MIB);
	collected_figure(&told(&sheet, 0, DIRECTION_WRITE)->iops, 14500, 14450, 14550);
	assert_false(told(&sheet, 0, DIRECTION_WRITE)->bandwidth.known);
	assert_false(told(&sheet, 0, DIRECTION_TRIM)->iops.known);
	assert_string_equal(sheet.samples[0].levels[0].factor, "volblocksize");
	assert_string_equal(sheet.samples[0].levels[0].value, "4K");

	assert_string_equal(sheet.samples[1].workload, "Scan");
	assert_null(sheet.samples[1].source->given);
	collected_option(&sheet.samples[1], "runtime", "60");
	collected_figure(&told(&sheet, 1, DIRECTION_READ)->bandwidth, 1.5e9, 1.45e9, 1.55e9);
	assert_false(told(&sheet, 1, DIRECTION_READ)->iops.known);

	assert_string_equal(sheet.samples[2].levels[0].value, "16K");
	assert_int_equal(sheet.samples[2].source->samples, 5);
	collected_figure(&told(&sheet, 2, DIRECTION_READ)->iops, 10000, 9950, 10050);
	collected_figure(&told(&sheet, 2, DIRECTION_WRITE)->iops, 7200, 7200, 7200);
	collected_done(&sheet);
}

static void test_whole_cells(void **state)
{
	static const char text[] =
		CELL("{\"seconds\": 2.015, \"read\": {\"operations\": 12450, \"bytes\": 101990400, "
		     "\"iops\": \"6178.16\", \"bandwidth\": \"48.27 MiB/s\", \"latency\": "
		     "{\"mean\": \"0.133 ms\", \"stddev\": \"222 us\", \"max\": \"19.003 ms\", "
		     "\"min\": null, "
		     "\"percentiles\": {\"99.9\": \"0.882 ms\", \"50\": \"0.115 ms\", \"99\": "
		     "\"N/A\"}}}}");
	struct import_sheet sheet;
	const struct told_direction *read;

	(void)state;
	collected_ok(READER, text, &sheet);
	assert_int_equal(sheet.count, 1);
	read = told(&sheet, 0, DIRECTION_READ);
	assert_true(sheet.samples[0].source->seconds_known);
	assert_true(sheet.samples[0].seconds == 2.015);
	assert_true(read->ios_known && read->bytes_known);
	assert_int_equal(sheet.samples[0].directions[DIRECTION_READ].ios, 12450);
	assert_int_equal(sheet.samples[0].directions[DIRECTION_READ].bytes, 101990400);
	collected_figure(&read->iops, 6178.16, 6178.155, 6178.165);
	collected_figure(&read->latency_mean, 133e3, 132.5e3, 133.5e3);
	collected_figure(&read->latency_stddev, 222e3, 221.5e3, 222.5e3);
	collected_figure(&read->latency_max, 19.003e6, 19.0025e6, 19.0035e6);
	assert_false(read->latency_min.known);
	assert_int_equal(read->percentile_count, 2);
	assert_true(read->percentiles[0].percentile == 50 && read->percentiles[0].ns == 115e3);
	assert_true(read->percentiles[1].percentile == 99.9 && read->percentiles[1].ns == 882e3);
	collected_done(&sheet);
}

static void test_repeats(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER,
		     CELL("{\"read\": {\"iops\": [79, \"80\"]}, \"write\": [\"1k / 2 MiB\", null], "
			  "\"seconds\": 120}"),
		     &sheet);
	assert_int_equal(sheet.count, 2);
	collected_figure(&told(&sheet, 0, DIRECTION_READ)->iops, 79, 79, 79);
	collected_figure(&told(&sheet, 1, DIRECTION_READ)->iops, 80, 79.5, 80.5);
	collected_figure(&told(&sheet, 0, DIRECTION_WRITE)->iops, 1000, 500, 1500);
	assert_false(told(&sheet, 1, DIRECTION_WRITE)->iops.known);
	assert_true(sheet.samples[1].seconds == 120);
	collected_done(&sheet);
	collected_refused(READER, CELL("{\"read\": [1, 2], \"write\": [1]}"), "same length");
	collected_refused(READER, CELL("{\"read\": []}"), "same length");
	collected_refused(READER, CELL("{\"read\": [1, 2], \"write\": 5}"), "a list of 2 values");
}

static void test_options_as_factors(void **state)
{
	static const char text[] = TABLE(
		"", "{\"levels\": {\"target\": \"file\", \"bs\": \"65536\"}, \"cells\": {\"Scan\": "
		    "{\"read\": 1}}}, {\"levels\": {\"bs\": 131072, \"target\": \"zvol\"}, "
		    "\"cells\": {\"Scan\": {\"read\": 2}}}");
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, text, &sheet);
	assert_int_equal(sheet.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(sheet.samples[i].level_count, 2);
		assert_string_equal(sheet.samples[i].levels[0].factor, "target");
		assert_string_equal(sheet.samples[i].levels[1].factor, "bs");
	}
	assert_string_equal(sheet.samples[1].levels[0].value, "zvol");
	assert_string_equal(sheet.samples[0].levels[1].value, "64k");
	assert_string_equal(sheet.samples[1].levels[1].value, "128k");
	collected_option(&sheet.samples[1], "bs", "128k");
	collected_done(&sheet);
}

static void test_files(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER,
		     TABLE("", ROW("4K", "\"Files\": {\"files\": {\"sequential create\": \"1.2k\", "
					 "\"random delete\": 900, \"random stat\": \"N/A\"}}")),
		     &sheet);
	assert_int_equal(sheet.count, 1);
	assert_int_equal(sheet.samples[0].file_count, 2);
	collected_figure(&sheet.samples[0].files[0].told_ops_per_s, 1200, 1150, 1250);
	assert_int_equal(sheet.samples[0].files[1].operation, 5); /* delete */
	assert_int_equal(sheet.samples[0].files[1].order, FILE_ORDER_RANDOM);
	collected_done(&sheet);
	collected_refused(READER, TABLE("", ROW("4K", "\"Files\": {\"read\": 5}")), "\"files\"");
	collected_refused(READER, CELL("{\"files\": {\"sequential create\": 5}}"), "metadata");
	collected_refused(
		READER, TABLE("", ROW("4K", "\"Files\": {\"files\": {\"sequential rename\": 5}}")),
		"no phase");
	collected_refused(READER, TABLE("", ROW("4K", "\"Files\": {\"files\": {\"create\": 5}}")),
			  "no phase");
}

#define CHANGES(rows) TABLE(", \"base\": {\"stripe\": \"64K\"}", rows)
#define STRIPE(level, disks, cells)                                                                \
	"{\"levels\": {\"stripe\": \"" level "\", \"disks\": \"" disks "\"}, \"cells\": {" cells   \
	"}}"

#define SCANNED(change) "\"Scan\": {\"read\": {\"bandwidth\": \"" change "\"}}"
#define DELETED(change) "\"Files\": {\"files\": {\"random delete\": \"" change "\"}}"

/* Changes become an index, and the base gets a sample of its own, once. */
static void test_changes(void **state)
{
	static const char first[] =
		STRIPE("256K", "12", SCANNED("+6 %") ", " DELETED("-5 to 10 %"));
	static const char second[] = STRIPE("512K", "12", SCANNED("0 %"));
	static const char third[] = STRIPE("256K", "6", SCANNED("-1.5 %"));
	char text[2000];
	static const struct {
		const char *workload, *stripe, *disks;
		double value, low, high;
	} expected[] = {
		{"Scan", "64K", "12", 100, 100, 100},
		{"Scan", "256K", "12", 106, 105.5, 106.5},
		{"Files", "64K", "12", 100, 100, 100},
		{"Files", "256K", "12", 102.5, 94.5, 110.5},
		{"Scan", "512K", "12", 100, 99.5, 100.5},
		{"Scan", "64K", "6", 100, 100, 100},
		{"Scan", "256K", "6", 98.5, 98.45, 98.55},
	};
	struct import_sheet sheet;

	(void)state;
	(void)snprintf(text, sizeof(text), CHANGES("%s, %s, %s"), first, second, third);
	collected_ok(READER, text, &sheet);
	assert_int_equal(sheet.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < sheet.count; i++) {
		const struct sample *sample = &sheet.samples[i];
		const struct told_figure *figure =
			sample->file_count > 0 ? &sample->files[0].told_ops_per_s
					       : &told(&sheet, i, DIRECTION_READ)->bandwidth;

		assert_true(sample->source->index);
		assert_string_equal(sample->workload, expected[i].workload);
		assert_string_equal(sample->levels[0].value, expected[i].stripe);
		assert_string_equal(sample->levels[1].value, expected[i].disks);
		collected_figure(figure, expected[i].value, expected[i].low, expected[i].high);
	}
	assert_non_null(collected_finding(&sheet, "changes_only"));
	collected_done(&sheet);
}

/* A cell of which nothing is told brings no base: the next one with the same base does. */
static void test_changes_of_later_rows(void **state)
{
	static const char *const unknown[] = {
		STRIPE("256K", "12", "\"Scan\": null"), STRIPE("256K", "12", "\"Scan\": {}"),
		STRIPE("256K", "12", SCANNED("N/A")), STRIPE("256K", "12", "")};
	static const char second[] = STRIPE("512K", "12", SCANNED("+8 %"));
	static const char third[] = STRIPE("1M", "12", SCANNED("+9 %"));
	static const char *const stripes[] = {"64K", "512K", "1M"};
	char text[2000];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		struct import_sheet sheet;

		(void)snprintf(text, sizeof(text), CHANGES("%s, %s, %s"), unknown[i], second,
			       third);
		collected_ok(READER, text, &sheet);
		assert_int_equal(sheet.count, ARRAY_SIZE(stripes));
		for (size_t k = 0; k < sheet.count; k++)
			assert_string_equal(sheet.samples[k].levels[0].value, stripes[k]);
		collected_figure(&told(&sheet, 0, DIRECTION_READ)->bandwidth, 100, 100, 100);
		collected_done(&sheet);
	}
}

static void test_changes_refused(void **state)
{
	(void)state;
#define ONE(cell) CHANGES(STRIPE("256K", "12", "\"Scan\": " cell))
	collected_refused(READER, ONE("{\"read\": {\"iops\": 5}}"), "in percent");
	collected_refused(READER, ONE("{\"read\": {\"iops\": \"5\"}}"), "in percent");
	collected_refused(READER, ONE("{\"read\": {\"iops\": \"-100 %\"}}"), "more than -100");
	collected_refused(READER, ONE("{\"read\": \"+5 %\"}"), "says of what");
	collected_refused(READER, ONE("{\"read\": {\"latency\": {}}}"), "latency");
	collected_refused(READER, ONE("{\"read\": {\"iops\": [\"1 %\", \"2 %\"]}}"), "told once");
	collected_refused(READER,
			  CHANGES(STRIPE("64K", "12", "\"Scan\": {\"read\": {\"iops\": \"1 %\"}}")),
			  "is the base");
	collected_refused(READER, CHANGES(ROW("4K", "\"Scan\": {}")), "\"base\" names");
	collected_refused(READER, CELL("{\"read\": \"5 %\"}"), "\"base\"");
	collected_refused(READER, TABLE(", \"base\": \"64K\"", ""), "told against");
	/* the base of an option is its level, however it is written */
	collected_refused(READER,
			  TABLE(", \"base\": {\"bs\": \"4k\"}",
				"{\"levels\": {\"bs\": 4096}, \"cells\": {\"Scan\": {\"read\": "
				"{\"iops\": \"1 %\"}}}}"),
			  "is the base");
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{CELL("{\"read\": \"fast\"}"), "/rows/0/cells/Mail/read"},
		{CELL("{\"read\": \"5 ms\"}"), "is not a number"},
		{CELL("{\"read\": \"5 MiB / 5k\"}"), "is not a number"},
		{CELL("{\"read\": \"5k / 5\"}"), "264 MiB/s"},
		{CELL("{\"read\": true}"), "must be a number"},
		{CELL("{\"read\": -1}"), "must be 0"},
		{CELL("{\"read\": 1e19}"), "must be 0"},
		{CELL("{\"reads\": 1}"), "reads"},
		{CELL("5"), "object"},
		{CELL("{\"seconds\": 0}"), "seconds"},
		{CELL("{\"seconds\": \"5\"}"), "seconds"},
		{CELL("{\"mean_of\": 0}"), "at least 1"},
		{CELL("{\"read\": {\"latency\": {\"mean\": 5}}}"), "with its unit"},
		{CELL("{\"read\": {\"latency\": {\"percentiles\": {\"0\": \"5 ms\"}}}}"),
		 "above 0"},
		{CELL("{\"read\": {\"latency\": {\"percentiles\": {\"101\": \"5 ms\"}}}}"),
		 "above 0"},
		{CELL("{\"read\": {\"latency\": {\"percentiles\": {\"p99\": \"5 ms\"}}}}"),
		 "above 0"},
		{CELL("{\"read\": {\"latency\": {\"percentiles\": {\"99\": \"1 ms\", \"99.0\": "
		      "\"1 ms\"}}}}"),
		 "twice"},
		{CELL("{\"read\": {\"operations\": 1.5}}"), "whole number"},
		{CELL("{\"read\": {\"bytes\": -1}}"), "whole number"},
		{TABLE("", ROW("4K", "\"Post\": {}")), "no workload"},
		{TABLE("", ROW("5K", "\"Mail\": {}")), "power of two"},
		{TABLE("", ROW("4K", "") ", {\"cells\": {\"Mail\": {}}}"), "levels"},
		{TABLE("", "{\"cells\": {}}, " ROW("4K", "\"Mail\": {}")), "or none has"},
		{TABLE("", ROW("4K", "") ", {\"levels\": {\"a\": \"1\"}, \"cells\": {\"Mail\": "
					 "{}}}"),
		 "first row"},
		{TABLE("", ROW("4K", "") ", {\"levels\": {\"volblocksize\": \"4K\", \"a\": \"1\"}, "
					 "\"cells\": {\"Mail\": {}}}"),
		 "first row"},
		{TABLE("", "{\"levels\": {\"bs\": \"big\"}, \"cells\": {\"Mail\": {}}}"),
		 "/rows/0/levels/bs"},
		{TABLE("", "{\"levels\": {\"name\": \"x\"}, \"cells\": {\"Mail\": {}}}"),
		 "is not compared"},
		{TABLE("", "{\"levels\": {\"x\": 5}, \"cells\": {\"Mail\": {}}}"), "a text"},
		{TABLE("", "5"), "/rows/0"},
		{TABLE(", \"memory\": \"much\"", ""), "220G"},
		{TABLE(", \"memory\": -1", ""), "220G"},
		{TABLE(", \"memory\": 0", ""), "220G"},
		{TABLE(", \"system\": {\"\": \"x\"}", ""), "fact"},
		{TABLE(", \"system\": {\"a\": 5}", ""), "text"},
		{TABLE(", \"system\": {\"a\": \"\\u0007\"}", ""), "printed"},
		{TABLE(", \"speed\": 5", ""), "speed"},
		{"{\"schema\": \"volbench.table/1\", \"workloads\": [{\"name\": \"A\"}, {\"name\": "
		 "\"A\"}], \"rows\": []}",
		 "another workload"},
		{"{\"schema\": \"volbench.table/1\", \"workloads\": [{\"rw\": \"read\"}], "
		 "\"rows\": "
		 "[]}",
		 "is needed"},
		{"{\"schema\": \"volbench.table/1\", \"workloads\": [{\"name\": \"A\", \"fio\": "
		 "\"--nonsense=1\"}], \"rows\": []}",
		 "nonsense"},
		{"{\"schema\": \"volbench.table/1\", \"workloads\": [{\"name\": \"A\", \"fio\": "
		 "\"--rw=read\", \"bs\": \"4k\"}], \"rows\": []}",
		 "bs"},
		{"{\"schema\": \"volbench.table/1\", \"rows\": []}", "workloads"},
		{"{\"schema\": \"volbench.table/1\", \"workloads\": []}", "rows"},
		{"{\"schema\": \"volbench.table/12\"}", "schema"},
		{"{\"schema\": \"volbench.table/1\"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		collected_refused(READER, cases[i].text, cases[i].words);
	}
}

static void test_diskspd_commands(void **state)
{
	static const char text[] =
		"{\"schema\": \"volbench.table/1\", \"workloads\": [{\"name\": \"A\", \"diskspd\": "
		"\"-c2G -w -b64K -F8 -r -o32 -h\"}], \"rows\": [{\"cells\": {\"A\": {\"read\": "
		"5}}}]}";
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, text, &sheet);
	collected_option(&sheet.samples[0], "rw", "randread");
	collected_option(&sheet.samples[0], "iodepth", "32");
	assert_string_equal(sheet.samples[0].source->given, "-c2G -w -b64K -F8 -r -o32 -h");
	assert_non_null(collected_finding(&sheet, "diskspd_bare_w"));
	collected_done(&sheet);
	collected_refused(READER,
			  "{\"schema\": \"volbench.table/1\", \"workloads\": [{\"name\": \"A\", "
			  "\"diskspd\": \"-b7X\"}], \"rows\": []}",
			  "/workloads/0: diskspd's");
}

/* A cell of which nothing is told is no sample. */
static void test_empty_cells(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, CELL("{}"), &sheet);
	assert_int_equal(sheet.count, 0);
	collected_done(&sheet);
	collected_ok(READER, CELL("{\"read\": [5, \"N/A\"], \"seconds\": 5}"), &sheet);
	assert_int_equal(sheet.count, 1);
	collected_done(&sheet);
}

static void test_no_factor(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER, TABLE("", "{\"cells\": {\"Scan\": {\"read\": 5}}}"), &sheet);
	assert_int_equal(sheet.count, 1);
	assert_int_equal(sheet.samples[0].level_count, 0);
	collected_done(&sheet);
}

static void test_recognised(void **state)
{
	static const char *const others[] = {"",
					     " ",
					     "{}",
					     "{\"fio version\": \"fio-3.33\"}",
					     "volbench.table/1",
					     "[\"volbench.table/1\"]"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(READER->recognise(others[i], strlen(others[i])));
	assert_true(READER->recognise(" \n{\"schema\":\"volbench.table/1\"", 30));
	assert_true(READER->recognise("{\"rows\": [], \"schema\": \"volbench.table/1\"}", 42));
	/* of another version it says which it reads */
	collected_refused(READER, "{\"schema\": \"volbench.table/2\"}", "volbench.table/1");
}

/* `count` times `piece` with commas, a number in place of its '#'; freed by the caller. */
static char *many(const char *head, const char *piece, size_t count, const char *tail)
{
	const char *number = strchr(piece, '#');
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	(void)fputs(head, out);
	for (size_t i = 0; i < count; i++) {
		(void)fputs(i > 0 ? ", " : "", out);
		(void)fprintf(out, "%.*s%zu%s", (int)(number - piece), piece, i + 1, number + 1);
	}
	(void)fputs(tail, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_limit(const char *head, const char *piece, size_t most, const char *tail)
{
	struct import_sheet sheet;
	char *text = many(head, piece, most, tail);

	collected_ok(READER, text, &sheet);
	collected_done(&sheet);
	free(text);
	text = many(head, piece, most + 1, tail);
	collected_refused(READER, text, "at most");
	free(text);
}

static void test_limits(void **state)
{
#define HEAD "{\"schema\": \"volbench.table/1\", \"workloads\": [{\"name\": \"A\"}], "
	(void)state;
	test_limit(HEAD "\"rows\": [", "{\"cells\": {}, \"levels\": {\"x\": \"#\"}}", 1024, "]}");
	test_limit("{\"schema\": \"volbench.table/1\", \"rows\": [], \"workloads\": [",
		   "{\"name\": \"w#\"}", DEFINITION_WORKLOADS_MAX, "]}");
	test_limit(HEAD "\"rows\": [], \"system\": {", "\"f#\": \"v\"", 64, "}}");
	test_limit(HEAD "\"rows\": [{\"cells\": {\"A\": {\"read\": [", "#", DEFINITION_REPEATS_MAX,
		   "]}}}]}");
	test_limit(HEAD "\"rows\": [{\"cells\": {\"A\": {\"read\": {\"latency\": "
			"{\"percentiles\": {",
		   "\"#\": \"1 ms\"", 64, "}}}}}}]}");
	test_limit(HEAD "\"rows\": [{\"levels\": {", "\"f#\": \"v\"", DEFINITION_FACTORS_MAX,
		   "}, \"cells\": {\"A\": {\"read\": 1}}}]}");
}

static void test_lengths_and_ranges(void **state)
{
	(void)state;
#define BEGIN "{\"schema\": \"volbench.table/1\", \"rows\": [], "
	collected_length(READER, BEGIN "\"workloads\": [], \"name\": \"", DEFINITION_NAME_MAX,
			 "\"}", "1 to 128 bytes");
	collected_length(READER, BEGIN "\"workloads\": [], \"description\": \"",
			 DEFINITION_TEXT_MAX, "\"}", "1 to 2000 bytes");
	collected_length(READER, BEGIN "\"workloads\": [], \"system\": {\"a\": \"", 500, "\"}}",
			 "1 to 500 bytes");
	collected_length(READER, BEGIN "\"workloads\": [], \"system\": {\"", DEFINITION_NAME_MAX,
			 "\": \"a\"}}", "1 to 128 bytes");
	collected_length(READER, BEGIN "\"workloads\": [{\"name\": \"", 64, "\"}]}",
			 "1 to 64 bytes");
	collected_length(READER, BEGIN "\"workloads\": [{\"name\": \"a\", \"diskspd\": \"", 8191,
			 "\"}]}", "1 to 8191 bytes");
	collected_refused(READER, CELL("{\"seconds\": 320000001}"), "at most 3.2e+08");
	collected_refused(READER, CELL("{\"mean_of\": 4294967296}"), "mean_of");
	collected_refused(READER, CELL("{\"read\": \"2000000000G\"}"), "is not a number");
	{
		struct import_sheet sheet;

		collected_ok(READER,
			     CELL("{\"seconds\": 320000000, \"mean_of\": 4294967295, \"read\": "
				  "999999999000000000}"),
			     &sheet);
		assert_int_equal(sheet.samples[0].source->samples, UINT32_MAX);
		collected_done(&sheet);
	}
}

static void test_cut_short(void **state)
{
	(void)state;
	collected_cut(READER, CHANGES(STRIPE("256K", "12",
					     "\"Scan\": {\"read\": {\"bandwidth\": \"+6 %\"}}")));
	collected_cut(READER, CELL("{\"read\": {\"latency\": {\"percentiles\": {\"99\": "
				   "[\"1 ms\", \"2 ms\"]}}}}"));
	collected_changed(
		READER,
		CELL("{\"read\": {\"iops\": [\"1k\", \"2k\"], \"latency\": {\"percentiles\": "
		     "{\"99\": [\"1 ms\", \"2 ms\"]}}}}"),
		5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printed_cells),
		cmocka_unit_test(test_whole_cells),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_options_as_factors),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_changes_of_later_rows),
		cmocka_unit_test(test_changes_refused),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_diskspd_commands),
		cmocka_unit_test(test_empty_cells),
		cmocka_unit_test(test_no_factor),
		cmocka_unit_test(test_recognised),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_lengths_and_ranges),
		cmocka_unit_test(test_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
