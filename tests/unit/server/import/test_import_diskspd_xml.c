/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_import_diskspd_xml.c - diskspd's XML: sums over threads, profile, and what is refused. */
#include "server/import/import_diskspd.h"
#include "tests/unit/server/import/collected.h"

#define READER (&import_reader_diskspd_xml)
#define E(name, value) "<" name ">" value "</" name ">\n"
#define SYSTEM E("System", E("Tool", E("Version", "2.0.21a")))
#define ASKED_TARGET(more)                                                                         \
	E("Target",                                                                                \
	  E("Path", "D:\\x.dat") E("BlockSize", "8192") E("BaseFileOffset", "0")                   \
		  E("DisableOSCache", "true") E("WriteThrough", "true")                            \
			  more E("ThreadStride", "0") E("MaxFileSize", "0") E("RequestCount", "4") \
				  E("WriteRatio", "20") E("ThreadsPerFile", "2"))
#define RANDOM E("WriteBufferContent", E("Pattern", "random")) E("Random", "8192")
#define ASKED(targets)                                                                             \
	E("TimeSpan", E("Duration", "2") E("Warmup", "1") E("ThreadCount", "0")                    \
			      E("RequestCount", "0") E("Targets", targets))
#define PROFILE(spans) E("Profile", E("TimeSpans", spans))
#define THREAD(ios, writes)                                                                        \
	E("Thread",                                                                                \
	  E("Id", "0") E("Target",                                                                 \
			 E("FileSize", "1073741824") E("ReadBytes", ios "00") E("ReadCount", ios)  \
				 E("WriteBytes", writes "00") E("WriteCount", writes)))
#define BUCKET(percentile, read, write)                                                            \
	E("Bucket", E("Percentile", percentile) E("ReadMilliseconds", read)                        \
			    write E("TotalMilliseconds", "1.0"))
#define LATENCY                                                                                    \
	E("Latency",                                                                               \
	  E("AverageReadMilliseconds", "0.133") E("ReadLatencyStdev", "0.222")                     \
		  BUCKET("0", "0.043", "") BUCKET("50", "0.115", "")                               \
			  BUCKET("99.9999999", "19.003", E("WriteMilliseconds", "35.2"))           \
				  BUCKET("100", "19.004", ""))
#define FOUND(figures) E("TimeSpan", E("TestTimeSeconds", "2.02") figures)
#define RESULTS(content) "<Results>\n" content "</Results>\n"
#define WHOLE                                                                                      \
	RESULTS(SYSTEM PROFILE(ASKED(ASKED_TARGET(RANDOM)))                                        \
			FOUND(LATENCY THREAD("5000", "1000") THREAD("3000", "500")))

static void test_document(void **state)
{
	struct import_sheet sheet;
	const struct sample *sample = &sheet.samples[0];
	const struct told_direction *read;

	(void)state;
	collected_ok(READER, WHOLE, &sheet);
	assert_int_equal(sheet.count, 1);
	assert_int_equal(sample->findings.count, 0);
	assert_string_equal(sample->workload, "randrw 80/20");
	assert_string_equal(sample->source->tool, "diskspd 2.0.21a");
	assert_null(sample->source->given);
	collected_option(sample, "rw", "randrw");
	collected_option(sample, "bs", "8k");
	collected_option(sample, "rwmixread", "80");
	collected_option(sample, "iodepth", "4");
	collected_option(sample, "numjobs", "2");
	collected_option(sample, "runtime", "2");
	collected_option(sample, "ramp_time", "1");
	collected_option(sample, "direct", "1");
	collected_option(sample, "sync", "dsync");
	collected_option(sample, "size", "1g");
	assert_int_equal(sample->directions[DIRECTION_READ].ios, 8000);
	assert_int_equal(sample->directions[DIRECTION_WRITE].ios, 1500);
	assert_int_equal(sample->directions[DIRECTION_WRITE].bytes, 150000);
	assert_true(sample->seconds == 2.02 && sample->source->seconds_known);
	read = &sample->source->directions[DIRECTION_READ];
	/* the seconds were rounded */
	collected_figure(&read->iops, 8000 / 2.02, 8000 / 2.025, 8000 / 2.015);
	collected_figure(&read->latency_mean, 133e3, 132.5e3, 133.5e3);
	collected_figure(&read->latency_min, 43e3, 42.5e3, 43.5e3);
	collected_figure(&read->latency_max, 19004e3, 19003.5e3, 19004.5e3);
	assert_int_equal(read->percentile_count, 2);
	assert_float_equal(read->percentiles[1].percentile, 99.9999999, 1e-12);
	assert_int_equal(sample->source->directions[DIRECTION_WRITE].percentile_count, 1);
	assert_false(sample->source->directions[DIRECTION_WRITE].latency_mean.known);
	collected_done(&sheet);
}

static void test_profiles(void **state)
{
	struct import_sheet sheet;

	(void)state;
	/* sequential, with blocks left out, a rate, and bytes that repeat */
	collected_ok(READER,
		     RESULTS(PROFILE(ASKED(ASKED_TARGET(E("StrideSize", "16384") E(
			     "InterlockedSequential", "true")))) FOUND(THREAD("1", "1"))),
		     &sheet);
	collected_option(&sheet.samples[0], "rw", "rw:8k");
	collected_option(&sheet.samples[0], "interlocked", "1");
	assert_string_equal(sheet.samples[0].source->tool, "diskspd");
	assert_non_null(collected_finding(&sheet, "diskspd_data_repeats"));
	collected_done(&sheet);
	/* two targets alike, then two that differ */
	collected_ok(READER,
		     RESULTS(PROFILE(ASKED(ASKED_TARGET(RANDOM) ASKED_TARGET(RANDOM)))
				     FOUND(THREAD("1", "1"))),
		     &sheet);
	collected_option(&sheet.samples[0], "numjobs", "4");
	collected_done(&sheet);
	collected_ok(READER,
		     RESULTS(PROFILE(ASKED(ASKED_TARGET(RANDOM) ASKED_TARGET("")))
				     FOUND(THREAD("1", "1"))),
		     &sheet);
	assert_true(option_set_empty(&sheet.samples[0].options.set));
	assert_string_equal(sheet.samples[0].workload, "diskspd");
	collected_done(&sheet);
}

static void test_timespans(void **state)
{
	struct import_sheet sheet;

	(void)state;
	collected_ok(READER,
		     RESULTS(PROFILE(ASKED(ASKED_TARGET(RANDOM)) ASKED(ASKED_TARGET(RANDOM)))
				     FOUND(THREAD("1", "1")) FOUND(THREAD("7", "1"))),
		     &sheet);
	assert_int_equal(sheet.count, 2);
	assert_int_equal(sheet.samples[1].directions[DIRECTION_READ].ios, 7);
	assert_string_equal(sheet.samples[1].workload, "randrw 80/20 8k, 2 x 4 #2");
	collected_done(&sheet);
}

static void test_refused(void **state)
{
#define ONE(figures) RESULTS(PROFILE(ASKED(ASKED_TARGET(RANDOM))) figures)
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"<!DOCTYPE Results SYSTEM \"file:///etc/passwd\"><Results>&x;</Results>",
		 "DOCTYPE"},
		{"<!DOCTYPE Results [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><Results>&b;"
		 "</Results>",
		 "DOCTYPE"},
		{"<Results>&x;</Results>", "not well-formed"},
		{"<x><Results/></x>", "no Results of diskspd"},
		{"<Results>", "not well-formed"},
		{"<Results></Results><Results/>", "not well-formed"},
		{"<Results/>", "no TimeSpan"},
		{RESULTS(FOUND("")), "Profile"},
		{ONE(E("TimeSpan", E("Error", "interrupted"))), "interrupted"},
		{ONE(E("TimeSpan", E("TestTimeSeconds", "0.00"))), "interrupted"},
		{ONE(E("TimeSpan", E("TestTimeSeconds", "fast"))), "no number"},
		{ONE(FOUND(E("Thread", E("Target", E("ReadCount", "-1"))))), "whole number"},
		{ONE(FOUND(E("Thread", E("Target", E("ReadCount", ""))))), "whole number"},
		{ONE(FOUND(E("Thread", E("Target", E("ReadCount", "18446744073709551615"))
					       E("Target", E("ReadCount", "1"))))),
		 "too large"},
		{ONE(FOUND(E("Latency", BUCKET("50", "1.0", "") BUCKET("50", "1.0", "")))),
		 "ascending"},
		{ONE(FOUND(E("Latency", BUCKET("101", "1.0", "")))), "above 100"},
		{RESULTS(PROFILE(ASKED(E("Target", E("WriteRatio", "101"))))), "above 100"},
		{RESULTS(PROFILE(ASKED(E("Target", E("BlockSize", "0"))))), "no bytes"},
		{RESULTS(PROFILE(ASKED(E("Target", E("BlockSize", "big"))))), "line "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		collected_refused(READER, cases[i].text, cases[i].words);
}

/* `count` times a piece between head and tail; freed by the caller. */
static char *many(const char *head, const char *piece, size_t count, const char *tail)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	(void)fputs(head, out);
	for (size_t i = 0; i < count; i++)
		(void)fputs(piece, out);
	(void)fputs(tail, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_limits(void **state)
{
	char *text;

	(void)state;
	text = many("<Results>", "<a>", 16, "</Results>"); /* the 17th lies too deep */
	collected_refused(READER, text, "too deep");
	free(text);
	text = many("<Results>", "<a>", 15, "</Results>");
	collected_refused(READER, text, "not well-formed");
	free(text);
	text = many("<Results><", "a", 400, "/></Results>");
	collected_refused(READER, text, "too deep");
	free(text);
	text = many("<Results><Profile><TimeSpans>", "<TimeSpan/>", 64,
		    "</TimeSpans></Profile></Results>");
	collected_refused(READER, text, "no TimeSpan of results");
	free(text);
	text = many("<Results><Profile><TimeSpans>", "<TimeSpan/>", 65,
		    "</TimeSpans></Profile></Results>");
	collected_refused(READER, text, "more than 64");
	free(text);
	text = many("<Results><Profile><TimeSpans><TimeSpan><Targets><Target><BlockSize>", "0", 501,
		    "</BlockSize></Target></Targets></TimeSpan></TimeSpans></Profile></Results>");
	collected_refused(READER, text, "whole number");
	free(text);
	for (int count = 128; count <= 129; count++) {
		char *buckets = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&buckets, &size);

		assert_non_null(out);
		(void)fputs("<Results>" PROFILE(ASKED(ASKED_TARGET(RANDOM))) "<TimeSpan>" E(
				    "TestTimeSeconds", "1") "<Latency>",
			    out);
		for (int i = 1; i <= count; i++)
			(void)fprintf(out, BUCKET("%d.%d", "1.0", ""), i / 10 + 1, i % 10);
		(void)fputs("</Latency></TimeSpan></Results>", out);
		assert_int_equal(fclose(out), 0);
		if (count == 128) {
			struct import_sheet sheet;

			collected_ok(READER, buckets, &sheet);
			collected_done(&sheet);
		} else {
			collected_refused(READER, buckets, "too many");
		}
		free(buckets);
	}
}

static void test_utf16(void **state)
{
	static const char text[] = WHOLE;
	static char wide[2 * sizeof(text)];
	struct import_sheet sheet;
	struct error err;

	(void)state;
	memcpy(wide, "\xff\xfe", 2);
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		wide[2 + 2 * i] = text[i];
	assert_int_equal(collected_read(READER, wide, sizeof(wide), &sheet, &err), 0);
	assert_int_equal(sheet.samples[0].directions[DIRECTION_READ].ios, 8000);
	collected_done(&sheet);
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
		cmocka_unit_test(test_document),  cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_timespans), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),	  cmocka_unit_test(test_utf16),
		cmocka_unit_test(test_cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
