/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What fio's JSON says becomes samples; what it does not say stays unknown; and texts that are none
 * are refused with their place.
 *
 * Length: a text of fio's, or what is wrong with one, a test.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/import/import.h"
#include "server/import/sheet.h"

static int import_text(const char *text, size_t size, struct result *result, struct error *err)
{
	const struct import_file file = {
		.name = "f.json", .text = text, .size = size, .format = IMPORT_FIO};
	const struct import_request request = {.file_count = 1, .files = &file};

	memset(err, 0, sizeof(*err));
	result_init(result);
	return import_files(&request, result, err);
}

static void import(const char *text, struct result *result)
{
	struct error err;

	if (import_text(text, strlen(text), result, &err) < 0)
		fail_msg("%s: %s", err.field, err.message);
}

static void refuse(const char *text, const char *word)
{
	struct result result;
	struct error err;

	assert_int_equal(import_text(text, strlen(text), &result, &err), -EINVAL);
	if (!strstr(err.message, word))
		fail_msg("\"%s\" is not in \"%s\"", word, err.message);
	assert_memory_equal(err.field, "/files", 6);
	assert_int_equal(result.sample_count, 0);
}

static bool found(const struct findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].code, code) == 0)
			return true;
	return false;
}

#define HEAD "{\"fio version\":\"fio-3.33\",\"jobs\":["
#define NONE "{\"min\":0,\"max\":0,\"mean\":0.0,\"stddev\":0.0,\"N\":0}"
#define IDLE                                                                                       \
	"{\"io_bytes\":0,\"io_kbytes\":0,\"bw_bytes\":0,\"bw\":0,\"iops\":0.0,\"runtime\":0,"      \
	"\"total_ios\":0,\"slat_ns\":" NONE ",\"clat_ns\":" NONE ",\"lat_ns\":" NONE "}"

/* 300 reads of 4k in 2 s: 100 of 10 us, 200 of 100 us, by a synchronous engine. */
#define BINS "\"bins\":{\"10048\":100,\"99840\":200}"
#define READS(clat_more)                                                                           \
	"{\"io_bytes\":1228800,\"io_kbytes\":1200,\"bw_bytes\":614400,\"bw\":600,\"iops\":150.0,"  \
	"\"runtime\":2000,\"total_ios\":300,\"short_ios\":0,\"slat_ns\":" NONE ","                 \
	"\"clat_ns\":{\"min\":10000,\"max\":100200,\"mean\":70000.5,\"stddev\":42000.25,"          \
	"\"N\":300" clat_more "},\"lat_ns\":{\"min\":10000,\"max\":100200,\"mean\":70000.5,"       \
	"\"stddev\":42000.25,\"N\":300}}"
#define JOB(name, options, read, more)                                                             \
	"{\"jobname\":\"" name "\",\"groupid\":0,\"error\":0,\"job options\":{" options "},"       \
	"\"read\":" read ",\"write\":" IDLE ",\"trim\":" IDLE more "}"
#define GIVEN "\"rw\":\"randread\",\"bs\":\"4k\",\"filename\":\"/dev/sdx\""

static void one_job_with_bins(void **state)
{
	struct result result;
	const struct sample *sample;
	const struct told_direction *told;
	const struct histogram *latency;

	(void)state;
	import(HEAD JOB("reads", GIVEN, READS("," BINS), "") "]}", &result);
	assert_int_equal(result.sample_count, 1);
	sample = &result.samples[0];
	told = &sample->source->directions[DIRECTION_READ];
	latency = sample->directions[DIRECTION_READ].latency;
	assert_string_equal(sample->source->tool, "fio-3.33");
	assert_string_equal(sample->source->file, "f.json");
	assert_string_equal(sample->workload, "reads");
	assert_string_equal(sample->target, "/dev/sdx");
	assert_float_equal(sample->seconds, 2, 0);
	assert_int_equal(sample->directions[DIRECTION_READ].ios, 300);
	assert_int_equal(sample->directions[DIRECTION_READ].bytes, 1228800);
	assert_float_equal(sample_iops(sample, DIRECTION_READ), 150, 0);
	assert_float_equal(sample_bandwidth(sample, DIRECTION_READ), 614400, 0);
	assert_false(sample_moves(sample, DIRECTION_WRITE));
	assert_false(told[1].ios_known);
	assert_non_null(latency);
	assert_int_equal(latency->count, 300);
	assert_int_equal(latency->min_ns, 10000);
	assert_int_equal(latency->max_ns, 100200);
	assert_float_equal(histogram_mean_ns(latency), 70000.5, 0.01);
	assert_float_equal(told->latency_stddev.value, 42000.25, 0.01);
	/* fio prints the middles of its bins as percentiles: within a bucket of ours */
	assert_float_equal((double)histogram_percentile_ns(latency, 20), 10048, 10048 / 256.0);
	assert_float_equal((double)histogram_percentile_ns(latency, 90), 99840, 99840 / 256.0);
	assert_int_equal(told->percentile_count, 0);
	assert_null(sample->directions[DIRECTION_READ].completion);
	result_done(&result);
}

static void what_is_known_of_options(void **state)
{
	struct result result;
	const struct sample *sample;

	(void)state;
	import("{\"fio version\":\"fio-3.33\",\"global options\":{\"bs\":\"8k\",\"iodepth\":\"4\","
	       "\"size\":\"1g\",\"ioengine\":\"libaio\"},\"jobs\":[" JOB(
		       "j", "\"rw\":\"randread\",\"bs\":\"4k\",\"size\":\"10%\",\"unheard\":\"of\"",
		       READS(""), "") "]}",
	       &result);
	sample = &result.samples[0];
	assert_int_equal(sample->options.bs[DIRECTION_READ], 4096); /* the job's lies over */
	assert_int_equal(sample->options.iodepth, 4);
	assert_false(sample_knows(sample, OPTION_ID_SIZE)); /* 10 % of what? but not 1g */
	assert_int_equal(sample->options.ioengine, IOENGINE_LIBAIO);
	/* fio's own defaults are known, flags and times are not */
	assert_int_equal(sample->options.numjobs, 1);
	assert_true(sample_knows(sample, OPTION_ID_DIRECT));
	assert_false(sample->options.direct);
	assert_false(sample_knows(sample, OPTION_ID_TIME_BASED));
	assert_false(sample_knows(sample, OPTION_ID_RUNTIME));
	assert_string_equal(sample->source->given, "--iodepth=4 --ioengine=libaio --rw=randread "
						   "--bs=4k --size=10% --unheard=of");
	result_done(&result);

	import(HEAD JOB("j", "\"rw\":\"randrw\"", READS(""), "") "]}", &result);
	assert_true(sample_knows(&result.samples[0], OPTION_ID_RWMIXREAD));
	assert_int_equal(result.samples[0].options.rwmixread, 50);
	result_done(&result);

	/* no list of options: nothing is known */
	import(HEAD "{\"jobname\":\"j\",\"read\":" READS("") "}]}", &result);
	assert_false(sample_knows(&result.samples[0], OPTION_ID_BS));
	assert_false(sample_knows(&result.samples[0], OPTION_ID_RW));
	assert_true(sample_moves(&result.samples[0], DIRECTION_READ));
	assert_false(sample_moves(&result.samples[0], DIRECTION_WRITE));
	result_done(&result);
}

/* numjobs=2 told one by one is what group_reporting tells as one. */
static void jobs_of_one_name_are_one_sample(void **state)
{
	struct result result;
	const struct sample *sample;
	const struct histogram *latency;

	(void)state;
	import(HEAD JOB("j", GIVEN ",\"numjobs\":\"2\"", READS("," BINS),
			"") "," JOB("j", GIVEN ",\"numjobs\":\"2\"", READS("," BINS), "") "]}",
	       &result);
	assert_int_equal(result.sample_count, 1);
	sample = &result.samples[0];
	latency = sample->directions[DIRECTION_READ].latency;
	assert_int_equal(sample->directions[DIRECTION_READ].ios, 600);
	assert_float_equal(sample_iops(sample, DIRECTION_READ), 300, 0);
	assert_float_equal(sample_bandwidth(sample, DIRECTION_READ), 1228800, 0);
	assert_float_equal(sample->seconds, 2, 0);
	assert_int_equal(latency->count, 600);
	assert_int_equal(sample->options.numjobs, 2);
	assert_float_equal(histogram_mean_ns(latency), 70000.5, 0.01);
	result_done(&result);

	/* behind a stonewall it is a repeat */
	import(HEAD JOB("j", GIVEN, READS(""),
			"") ",{\"jobname\":\"j\",\"groupid\":1,\"read\":" READS("") "}]}",
	       &result);
	assert_int_equal(result.sample_count, 2);
	assert_int_equal(result.samples[1].repeat, 2);
	result_done(&result);
}

#define HOST(port, bins)                                                                           \
	"{\"jobname\":\"j\",\"groupid\":0,\"error\":0,\"job options\":{" GIVEN                     \
	",\"numjobs\":\"4\"},\"read\":" READS(bins) ",\"write\":" IDLE                             \
						    ",\"hostname\":\"h\",\"port\":" port "}"
#define ALL                                                                                        \
	"{\"jobname\":\"All clients\",\"groupid\":0,\"error\":0,\"read\":" READS(                  \
		"") ",\"hostname\":\"h\",\"port\":2}"

static void hosts_are_merged_and_their_sum_left_out(void **state)
{
	struct result result;

	(void)state;
	import("{\"fio version\":\"fio-3.33\",\"client_stats\":[" HOST(
		       "1",
		       ",\"bins\":{\"10048\":300}") "," HOST("2",
							     ",\"bins\":{\"99840\":300}") "," ALL
											  "]}",
	       &result);
	assert_int_equal(result.sample_count, 1);
	assert_int_equal(result.samples[0].directions[DIRECTION_READ].ios, 600);
	assert_int_equal(result.samples[0].options.numjobs, 8);
	/* the mean of the hosts' medians would be 55 us */
	assert_true(histogram_percentile_ns(result.samples[0].directions[DIRECTION_READ].latency,
					    49) < 10300);
	assert_true(histogram_percentile_ns(result.samples[0].directions[DIRECTION_READ].latency,
					    51) > 99000);
	result_done(&result);

	/* without bins nobody knows */
	import("{\"fio version\":\"fio-3.33\",\"client_stats\":[" HOST(
		       "1",
		       ",\"percentile\":{\"50.000000\":10048}") "," HOST("2",
									 ",\"percentile\":{\"50."
									 "000000\":99840}") "," ALL
											    "]}",
	       &result);
	assert_null(result.samples[0].directions[DIRECTION_READ].latency);
	assert_int_equal(result.samples[0].source->directions[DIRECTION_READ].percentile_count, 0);
	assert_true(found(&result.samples[0].findings, "percentiles_not_told"));
	assert_float_equal(result.samples[0].source->directions[DIRECTION_READ].latency_mean.value,
			   70000.5, 0.01);
	result_done(&result);

	/* one host's sum is all there may be */
	import("{\"fio version\":\"fio-3.33\",\"client_stats\":[" ALL "]}", &result);
	assert_int_equal(result.samples[0].directions[DIRECTION_READ].ios, 300);
	result_done(&result);
}

static void percentiles_without_bins(void **state)
{
	struct result result;
	const struct told_direction *told;

	(void)state;
	import(HEAD JOB("j", GIVEN,
			READS(",\"percentile\":{\"99.000000\":99840,\"50.000000\":10048}"),
			"") "]}",
	       &result);
	told = &result.samples[0].source->directions[DIRECTION_READ];
	assert_int_equal(told->percentile_count, 2);
	assert_float_equal(told->percentiles[0].percentile, 50, 0);
	assert_float_equal(told->percentiles[1].ns, 99840, 0);
	assert_false(found(&result.samples[0].findings, "latency_is_clat"));
	result_done(&result);
}

#define ASYNC                                                                                      \
	"{\"io_bytes\":1228800,\"io_kbytes\":1200,\"bw_bytes\":614400,\"bw\":600,\"iops\":150.0,"  \
	"\"runtime\":2000,\"total_ios\":300,\"slat_ns\":{\"min\":900,\"max\":60000,"               \
	"\"mean\":20000,\"stddev\":10,\"N\":300},\"clat_ns\":{\"min\":10000,\"max\":100200,"       \
	"\"mean\":70000.5,\"stddev\":42000.25,\"N\":300," BINS "},\"lat_ns\":{\"min\":11000,"      \
	"\"max\":160200,\"mean\":90000.5,\"stddev\":43000,\"N\":300}}"

static void submission_is_told_apart(void **state)
{
	struct result result;
	const struct direction_result *direction;

	(void)state;
	import(HEAD JOB("j", GIVEN, ASYNC, "") "]}", &result);
	direction = &result.samples[0].directions[DIRECTION_READ];
	assert_non_null(direction->completion);
	assert_non_null(direction->latency);
	assert_float_equal(result.samples[0].source->directions[DIRECTION_READ].latency_mean.value,
			   90000.5, 0.01);
	assert_true(found(&result.samples[0].findings, "latency_is_clat"));
	result_done(&result);
}

static void syncs_and_errors(void **state)
{
	static const char failed[] =
		HEAD "{\"jobname\":\"j\",\"groupid\":0,\"error\":5,\"read\":" READS("") "}]}";
	struct result result;

	(void)state;
	import(HEAD JOB(
		       "j", GIVEN, READS(""),
		       ",\"sync\":{\"total_ios\":9,\"lat_ns\":{\"min\":100,\"max\":9000,"
		       "\"mean\":4000,\"stddev\":1,\"N\":9,\"bins\":{\"100\":4,\"8960\":5}}}") "]}",
	       &result);
	assert_non_null(result.samples[0].sync);
	assert_int_equal(result.samples[0].sync->count, 9);
	result_done(&result);
	import(HEAD JOB("j", GIVEN, READS(""),
			",\"sync\":{\"total_ios\":9,\"lat_ns\":{\"min\":100,\"max\":9000,"
			"\"mean\":4000,\"stddev\":1,\"N\":9}}") "]}",
	       &result);
	assert_null(result.samples[0].sync);
	assert_true(found(&result.samples[0].findings, "sync_latency"));
	result_done(&result);

	import(failed, &result);
	assert_int_equal(result.samples[0].error_count, 1);
	assert_true(found(&result.samples[0].findings, "io_errors"));
	assert_string_equal(result.samples[0].first_failure, "error 5 (Input/output error)");
	result_done(&result);
}

static void both_directions_told_as_one(void **state)
{
	struct result result;

	(void)state;
	import(HEAD
	       "{\"jobname\":\"j\",\"job options\":{\"rw\":\"randrw\"},\"mixed\":" READS("") "}]}",
	       &result);
	assert_true(found(&result.samples[0].findings, "directions_together"));
	assert_false(sample_knows(&result.samples[0], OPTION_ID_RW));
	assert_false(sample_moves(&result.samples[0], DIRECTION_WRITE));
	result_done(&result);
	import(HEAD "{\"jobname\":\"j\",\"job options\":{\"rw\":\"randwrite\"},\"mixed\":" READS(
		       "") "}]}",
	       &result);
	assert_int_equal(result.samples[0].directions[DIRECTION_WRITE].ios, 300);
	assert_false(sample_moves(&result.samples[0], DIRECTION_READ));
	result_done(&result);
}

static void jobs_of_one_group_ran_together(void **state)
{
	struct result result;

	(void)state;
	import(HEAD JOB("a", GIVEN, READS(""), "") "," JOB("b", GIVEN, READS(""), "") "]}",
	       &result);
	assert_int_equal(result.definition.workload_count, 2);
	assert_true(found(&result.findings, "jobs_ran_together"));
	result_done(&result);
}

/* fio 2: microseconds without a suffix, KiB under the name of bytes, indexes as bins. */
static void fio_two(void **state)
{
	struct result result;
	const struct sample *sample;
	struct told_figure bandwidth;

	(void)state;
	import("{\"fio "
	       "version\":\"fio-2.21\",\"jobs\":[{\"jobname\":\"j\",\"groupid\":0,\"error\":0,"
	       "\"job options\":{\"rw\":\"read\",\"bs\":\"4k\"},\"read\":{\"io_bytes\":1200,"
	       "\"bw\":600,\"iops\":150.00,\"runtime\":2000,\"total_ios\":300,\"slat\":{\"min\":0,"
	       "\"max\":0,\"mean\":0.00,\"stddev\":0.00},\"clat\":{\"min\":10,\"max\":200,"
	       "\"mean\":70.50,\"stddev\":42.00,\"percentile\":{\"99.000000\":197},\"bins\":{"
	       "\"FIO_IO_U_PLAT_BITS\":6,\"FIO_IO_U_PLAT_VAL\":64,\"FIO_IO_U_PLAT_NR\":1216,"
	       "\"0\":0,\"10\":100,\"162\":200}},\"lat\":{\"min\":10,\"max\":200,\"mean\":70.50,"
	       "\"stddev\":42.00}},\"write\":{\"io_bytes\":0,\"bw\":0,\"iops\":0.00,\"runtime\":0,"
	       "\"total_ios\":0}}]}",
	       &result);
	sample = &result.samples[0];
	bandwidth = sample_bandwidth_figure(sample, DIRECTION_READ);
	assert_string_equal(sample->source->tool, "fio-2.21");
	assert_false(sample->source->directions[DIRECTION_READ].bytes_known);
	assert_float_equal(bandwidth.low, 600 * 1024, 0);
	assert_float_equal(bandwidth.high, 601 * 1024, 0);
	assert_float_equal(sample->source->directions[DIRECTION_READ].latency_mean.value, 70500,
			   0.01);
	assert_int_equal(sample->directions[DIRECTION_READ].latency->count, 300);
	/* index 162: 128 + (34 + 0.5) x 2 = 197 us */
	assert_float_equal(
		(double)histogram_percentile_ns(sample->directions[DIRECTION_READ].latency, 90),
		197000, 197000 / 256.0);
	result_done(&result);
}

static void text_around_the_document(void **state)
{
	static const char text[] = "note: something\n  warning: {not this}\n" HEAD JOB(
		"j", GIVEN, READS(""), "") "]}\n\nj: (groupid=0, jobs=1)\n}\n";
	struct result result;

	(void)state;
	import(text, &result);
	assert_true(found(&result.findings, "text_left_out"));
	result_done(&result);
	assert_true(import_reader_fio.recognise(text, strlen(text)));
}

static void nothing_done_is_told(void **state)
{
	struct result result;

	(void)state;
	import(HEAD JOB("j", "\"rw\":\"randrw\"", READS(""), "") "]}", &result);
	assert_true(sample_iops_figure(&result.samples[0], DIRECTION_WRITE).known);
	assert_float_equal(sample_iops(&result.samples[0], DIRECTION_WRITE), 0, 0);
	result_done(&result);
}

static void texts_without_a_document(void **state)
{
	static const char dash[] = "fio: unable to open '\xe2\x80\x93rw=randread' job file\n";
	static const char normal[] = "fio-3.33\nStarting 1 process\n";

	(void)state;
	assert_true(import_reader_fio.recognise(dash, strlen(dash)));
	assert_true(import_reader_fio.recognise(normal, strlen(normal)));
	assert_false(import_reader_fio.recognise("{\"schema\":1}", 12));
	assert_false(import_reader_fio.recognise("", 0));
	refuse(dash, "typographic dash");
	refuse(normal, "--output-format=json+");
}

static void damaged_texts(void **state)
{
	static const char whole[] = HEAD JOB("j", GIVEN, READS("," BINS), "") "]}";
	struct result result;
	struct error err;

	(void)state;
	for (size_t size = 1; size < strlen(whole); size++) /* cut anywhere */
		assert_int_equal(import_text(whole, size, &result, &err), -EINVAL);
	refuse(HEAD "]}", "nothing was measured");
}

/* Any byte another: a result or an error, never more. Run under the sanitizers. */
static void mutated_texts(void **state)
{
	static const char whole[] =
		HEAD JOB("j", GIVEN, READS("," BINS ",\"percentile\":{\"50.0\":10048}"),
			 ",\"sync\":{\"lat_ns\":{\"min\":1,\"max\":9,\"mean\":4,\"N\":9}}") "]}";
	static const char bytes[] = {'0', '9', '-', 'e', '"', '{', '}', ',', ':', 0, (char)0xff};
	size_t taken = 0, refused = 0;

	(void)state;
	for (size_t at = 0; at < strlen(whole); at++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			char copy[sizeof(whole)];
			struct result result;
			struct error err;
			int r;

			memcpy(copy, whole, sizeof(copy));
			copy[at] = bytes[i];
			r = import_text(copy, strlen(whole), &result, &err);
			if (r < 0)
				assert_true(err.code != ERROR_NONE && err.message[0]);
			taken += r == 0;
			refused += r < 0;
			result_done(&result);
		}
	}
	assert_true(taken > 1000 && refused > 1000);
}

static void hostile_texts(void **state)
{
	char deep[200] = HEAD "{\"jobname\":";

	(void)state;
	refuse(HEAD "{\"jobname\":\"j\",\"read\":5}]}", "no object");
	refuse(HEAD "5]}", "entry 0");
	refuse("{\"fio version\":\"fio-3.33\"}", "no list");
	refuse("{\"fio version\":\"fio-3.33\",\n\"jobs\":[{\"read\":{\"iops\":nan}}]}", "line 2");
	refuse(HEAD "{\"jobname\":\"j\",\"read\":{\"total_ios\":1e400}}]}", "JSON");
	refuse(HEAD "{\"jobname\":\"j\",\"read\":{\"total_ios\":-1}}]}", "total_ios");
	refuse(HEAD "{\"jobname\":\"j\",\"read\":{\"total_ios\":1e19}}]}", "total_ios");
	refuse(HEAD "{\"jobname\":\"j\",\"read\":{\"total_ios\":\"5\"}}]}", "total_ios");
	refuse(HEAD JOB("j", GIVEN, READS(",\"bins\":{\"x\":1}"), "") "]}", "bins");
	refuse(HEAD JOB("j", GIVEN, READS(",\"bins\":{\"5\":-1}"), "") "]}", "bins");
	refuse(HEAD JOB("j", GIVEN, READS(",\"bins\":{\"1e300\":1}"), "") "]}", "bins");
	refuse(HEAD JOB("j", GIVEN, READS(",\"bins\":{\"5\":1e30}"), "") "]}", "bins");
	refuse(HEAD "{\"jobname\":\"j\",\"read\":{\"total_ios\":1,\"lat_ns\":{\"N\":1,\"min\":5,"
		    "\"max\":9,\"mean\":70}}}]}",
	       "mean");
	for (int i = 0; i < 20; i++)
		deep[strlen(deep)] = '['; /* the rest is NUL */
	refuse(deep, "deep");
	deep[0] = '\0';
}

/* Values that would take gigabytes once they are taken apart are counted before. */
static void many_values(void **state)
{
	const size_t count = 300001;
	char *text = malloc(count * 3 + 64);
	size_t used;

	(void)state;
	assert_non_null(text);
	used = (size_t)snprintf(text, 64, "%s", HEAD);
	for (size_t i = 0; i < count; i++, used += 3)
		memcpy(text + used, "{},", 3);
	text[used] = '\0';
	refuse(text, "more values");
	free(text);
}

static void counts_of_jobs(void **state)
{
	struct result result;
	struct error err;
	char *text = malloc(8 << 20);
	size_t used;

	(void)state;
	assert_non_null(text);
	for (size_t jobs = 4096; jobs <= 4097; jobs++) {
		used = (size_t)snprintf(text, 64, "%s", HEAD);
		for (size_t i = 0; i < jobs; i++)
			used += (size_t)snprintf(text + used, 128,
						 "%s{\"jobname\":\"j\",\"read\":{"
						 "\"total_ios\":1,\"runtime\":1000}}",
						 i ? "," : "");
		used += (size_t)snprintf(text + used, 8, "]}");
		assert_int_equal(import_text(text, used, &result, &err),
				 jobs == 4096 ? 0 : -EINVAL);
		if (jobs == 4096)
			assert_int_equal(result.samples[0].directions[DIRECTION_READ].ios, 4096);
		result_done(&result);
	}
	free(text);
}

/* Limits of a request, whatever the format. */
static void files_are_limited(void **state)
{
	static const char text[] = HEAD JOB("j", GIVEN, READS(""), "") "]}";
	struct import_file files[IMPORT_FILES_MAX + 1];
	struct import_request request = {.files = files};
	struct result result;
	struct error err;

	(void)state;
	for (size_t i = 0; i <= IMPORT_FILES_MAX; i++)
		files[i] = (struct import_file){
			.name = "f", .text = text, .size = strlen(text), .format = IMPORT_ANY};
	result_init(&result);
	request.file_count = IMPORT_FILES_MAX;
	assert_int_equal(import_files(&request, &result, NULL), 0);
	assert_int_equal(result.sample_count, IMPORT_FILES_MAX);
	result_done(&result);
	request.file_count = IMPORT_FILES_MAX + 1;
	assert_int_equal(import_files(&request, &result, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_TOO_MANY);
	request.file_count = 0;
	assert_int_equal(import_files(&request, &result, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_MISSING_FIELD);
}

static void bytes_are_limited(void **state)
{
	static const char text[] = HEAD JOB("j", GIVEN, READS(""), "") "]}";
	char *large = malloc(IMPORT_TEXT_MAX + 1);
	struct result result;
	struct error err;

	(void)state;
	assert_non_null(large);
	memset(large, ' ', IMPORT_TEXT_MAX + 1);
	memcpy(large, text, strlen(text));
	assert_int_equal(import_text(large, IMPORT_TEXT_MAX, &result, &err), 0);
	result_done(&result);
	assert_int_equal(import_text(large, IMPORT_TEXT_MAX + 1, &result, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_BODY_TOO_LARGE);
	free(large);
	assert_int_equal(import_text(text, 0, &result, &err), -EINVAL);
	assert_int_equal(err.code, ERROR_MISSING_FIELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_job_with_bins),
		cmocka_unit_test(what_is_known_of_options),
		cmocka_unit_test(jobs_of_one_name_are_one_sample),
		cmocka_unit_test(hosts_are_merged_and_their_sum_left_out),
		cmocka_unit_test(percentiles_without_bins),
		cmocka_unit_test(submission_is_told_apart),
		cmocka_unit_test(syncs_and_errors),
		cmocka_unit_test(both_directions_told_as_one),
		cmocka_unit_test(jobs_of_one_group_ran_together),
		cmocka_unit_test(fio_two),
		cmocka_unit_test(text_around_the_document),
		cmocka_unit_test(nothing_done_is_told),
		cmocka_unit_test(texts_without_a_document),
		cmocka_unit_test(damaged_texts),
		cmocka_unit_test(mutated_texts),
		cmocka_unit_test(hostile_texts),
		cmocka_unit_test(many_values),
		cmocka_unit_test(counts_of_jobs),
		cmocka_unit_test(files_are_limited),
		cmocka_unit_test(bytes_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
