/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio job files in and out; whole files of the kinds people have are in tests/data/fio.
 * Length: in and out need the same helpers.
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/plan/fio_job.h"
#include "tests/unit/failing_allocation.h"

static const char *variable(const char *name)
{
	static char large[5000];

	memset(large, 'x', sizeof(large) - 1);
	if (strcmp(name, "LARGE") == 0)
		return large;
	return strcmp(name, "SIZE") == 0 ? "8" : strcmp(name, "EMPTY") == 0 ? "" : NULL;
}

static int read_job(const char *text, struct definition *definition, struct error *err)
{
	const struct fio_job_request request = {
		.text = text, .size = strlen(text), .name = "d", .variable = variable};

	definition_init(definition);
	return fio_job_read(&request, definition, err);
}

static void read_ok(const char *text, struct definition *definition)
{
	struct error err;

	if (read_job(text, definition, &err) != 0)
		fail_msg("%s: %s: %s", text, err.field, err.message);
}

#define HEAD "[global]\ndirectory=/tank\nsize=1m\nstonewall\n"

static void sections_inherit_from_the_globals_above(void **state)
{
	struct definition d;

	(void)state;
	read_ok(HEAD "rwmixread=70\n[a]\nrw=randrw\n[global]\nbs=8k\n[b]\nrwmixwrite=20\nrw=rw\n"
		     "bs=16k\nbs=32k\n[globals too]\niodepth=4\nbuffered=1\n[a]\n",
		&d);
	assert_string_equal(d.name, "d");
	assert_int_equal(d.target_count, 1);
	assert_int_equal(d.targets[0].kind, TARGET_DIRECTORY);
	assert_string_equal(d.targets[0].path, "/tank");
	assert_int_equal(d.workload_count, 3);
	assert_string_equal(d.workloads[0].name, "a");
	assert_int_equal(d.workloads[0].rw, RW_RANDRW);
	assert_int_equal(d.workloads[0].rwmixread, 70);
	assert_false(workload_is_set(&d.workloads[0], OPTION_ID_BS));
	assert_false(workload_is_set(&d.workloads[0], OPTION_ID_DIRECTORY));
	assert_true(d.workloads[0].from_fio);
	assert_int_equal(d.workloads[1].bs[0], 32768);
	assert_int_equal(d.workloads[1].rwmixwrite, 20);
	assert_false(workload_is_set(&d.workloads[1], OPTION_ID_RWMIXREAD));
	assert_false(workload_is_set(&d.workloads[1], OPTION_ID_IODEPTH));
	assert_string_equal(d.workloads[2].name, "a-2");
	assert_int_equal(d.workloads[2].bs[0], 8192);
	assert_int_equal(d.workloads[2].iodepth, 4);
	assert_true(workload_is_set(&d.workloads[2], OPTION_ID_DIRECT));
	assert_false(d.workloads[2].direct);
	assert_int_equal(d.repeats, 1);
	assert_int_equal(d.order, ORDER_GROUPED);
	assert_true(d.seed_given);
	definition_done(&d);
}

static void variables_are_put_in(void **state)
{
	struct definition d;

	(void)state;
	read_ok("[a]\ndirectory=/t${EMPTY}ank\nsize=${SIZE}${SIZE}m\nbs=${SIZE}k ; ${NONE}\n", &d);
	assert_string_equal(d.targets[0].path, "/tank");
	assert_int_equal(d.workloads[0].size, 88 << 20);
	assert_int_equal(d.workloads[0].bs[0], 8192);
	definition_done(&d);
}

static void bad_files_say_line_and_option(void **state)
{
	static const struct {
		const char *text;
		enum error_code code;
		const char *message;
	} table[] = {
		{"", ERROR_MISSING_FIELD, "no job"},
		{"[global]\n", ERROR_MISSING_FIELD, "no job"},
		{"\n\nrw=read\n", ERROR_BAD_VALUE, "line 3: \"rw=read\" stands before"},
		{"[a", ERROR_BAD_VALUE, "line 1: a section"},
		{"[a] b\n", ERROR_BAD_VALUE, "line 1: a section"},
		{"[]", ERROR_BAD_VALUE, "line 1: a section"},
		{"[a]\n[b;]", ERROR_BAD_VALUE, "line 2: a section"},
		{"[a]\n=1", ERROR_BAD_VALUE, "line 2: write option=value"},
		{"[a]\nbs=\n", ERROR_BAD_SIZE, "line 2: bs: "},
		{"[a]\nbs\n", ERROR_BAD_VALUE, "line 2: bs needs a value"},
		{"[a]\nbuffered\n", ERROR_BAD_VALUE, "line 2: buffered needs a value"},
		{"[a]\nbuffered=2\n", ERROR_BAD_VALUE, "line 2: buffered: "},
		{"[a]\nrw=randtrimwrite\n", ERROR_UNSUPPORTED, "line 2: rw: "},
		{"[a]\nsize=1GiB\n", ERROR_BAD_SIZE, "line 2: size=1GiB: fio reads"},
		{"[a]\nruntime=1.5\n", ERROR_BAD_TIME, "line 2: runtime=1.5: fio drops"},
		{"[a]\nnumjobs=0\n", ERROR_OUT_OF_RANGE, "line 2: numjobs: "},
		{"[a]\nloops=0\n", ERROR_OUT_OF_RANGE, "line 2: loops: "},
		{"[a]\nloops\n", ERROR_BAD_VALUE, "line 2: loops needs a value"},
		{"[a]\nfoo=2\n", ERROR_UNKNOWN_FIELD, "line 2: fio has no option \"foo\""},
		{"[a]\ndescription\n", ERROR_UNSUPPORTED, "line 2: fio option description"},
		{"[a]\nname=b\n", ERROR_UNSUPPORTED, "line 2: name: "},
		{"[a]\nstonewall=2\n", ERROR_BAD_VALUE, "line 2: stonewall "},
		{"[a]\n  include b.fio\n", ERROR_UNSUPPORTED, "line 2: include: "},
		{"include b.fio\n[a]\n", ERROR_UNSUPPORTED, "line 1: include: "},
		{"[a]\nsize=${NONE}\n", ERROR_BAD_VALUE,
		 "line 2: size: the environment has no variable NONE"},
		{"[a]\nsize=${SIZE\n", ERROR_BAD_VALUE, "line 2: size: ${ is never closed"},
		{"[a]\nfilename=/${LARGE}\n", ERROR_OUT_OF_RANGE, "line 2: filename: with its"},
		{"[a]\nnumjobs=$ncpus\n", ERROR_UNSUPPORTED, "line 2: numjobs: $ncpus"},
		{"[a]\nnew_group=2\n", ERROR_BAD_VALUE, "line 2: new_group "},
		{"[a]\nwait_for=b\n", ERROR_UNSUPPORTED, "line 2: fio option wait_for: "},
		{"[a]\nsize=1m\nramp_time=1\n\n[b]\nsize=1m\n[c]\nramp_time=2\nsize=1m\n",
		 ERROR_CONFLICT, "line 5: b has ramp_time=0 and a has ramp_time=1, but jobs"},
		{"[a]\nsize=1m\n[b]\nsize=1m\nramp_time=2\n", ERROR_CONFLICT,
		 "line 5: b has ramp_time=2"},
		{"[a]\nsize=1m\nioengine=psync\n[b]\nsize=1m\nioengine=libaio\n", ERROR_CONFLICT,
		 "line 6: b has ioengine=libaio and a has ioengine=psync, but one backend"},
		{"[a]\nsize=1m\n[b]\nbs=2m\nsize=1m\n", ERROR_CONFLICT, "line 5: size=1m is"},
		{HEAD "[a]\n[b]\nstonewall=0\ndirectory=/other\n", ERROR_CONFLICT,
		 "line 8: all workloads"},
		{"[a]\nrw=read\nsize=1m\n", ERROR_MISSING_FIELD, "no job has a filename"},
		{HEAD "[a]\nfilename=b:c\n", ERROR_UNSUPPORTED, "line 6: \":\" in filename"},
		{"[a]\nfilename=b\nsize=1m\n", ERROR_BAD_VALUE, "line 2: give the whole path"},
		{HEAD "[a]\n[b]\ndirectory=/other\n", ERROR_CONFLICT, "line 7: all workloads"},
		{"[a]\ndirectory=/tank\n", ERROR_MISSING_FIELD, "line 1: [a] needs a size"},
		{HEAD "[a]\nbs=2m\n", ERROR_CONFLICT, "line 3: size=1m is smaller"},
		{HEAD "[a]\ndirect=1\nbs=700\n", ERROR_CONFLICT, "line 7: with direct=1 bs"},
		{HEAD "[a]\ntime_based\n", ERROR_MISSING_FIELD, "line 5: time_based needs"},
		{HEAD "[a]\nrandseed=4\nrandrepeat=0\n", ERROR_CONFLICT, "line 6: randrepeat"},
		{"[a\x01]\n", ERROR_BAD_VALUE, "line 1: name holds a control character"},
		{"[a]\n\xff\x01_=1\n", ERROR_UNKNOWN_FIELD, "line 2: fio has no option \"??_\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct definition d;
		struct error err = {0};

		if (read_job(table[i].text, &d, &err) == 0)
			fail_msg("%s was taken", table[i].text);
		if (err.code != table[i].code || !strstr(err.message, table[i].message))
			fail_msg("%s: %s: %s", table[i].text, error_code_text(err.code),
				 err.message);
		assert_string_equal(err.field, "");
		assert_null(d.workloads);
		assert_true(read_job(table[i].text, &d, NULL) < 0);
	}
}

static int read_long(size_t line, struct error *err)
{
	char text[5000] = HEAD "[a]\n";
	struct definition d;
	size_t used = strlen(text);
	int r;

	memset(text + used, ' ', line);
	memcpy(text + used, "bs=4k", 5);
	text[used + line] = '\0';
	r = read_job(text, &d, err);
	definition_done(&d);
	return r;
}

/* Section names of so many bytes; so many sections. */
static int read_sections(size_t count, size_t length, struct error *err)
{
	struct definition d;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r;

	fputs(HEAD, out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "[%0*zu]\n", (int)length, i);
	fclose(out);
	r = read_job(text, &d, err);
	if (r == 0)
		assert_int_equal(d.workload_count, count);
	definition_done(&d);
	free(text);
	return r;
}

static void limits_hold(void **state)
{
	const char nul[] = "[a]\nsize=\0\n";
	const struct fio_job_request request = {.text = nul, .size = sizeof(nul) - 1, .name = "d"};
	struct definition d;
	struct error err;

	(void)state;
	assert_int_equal(read_long(4095, &err), 0);
	assert_true(read_long(4096, &err) < 0);
	assert_int_equal(err.code, ERROR_OUT_OF_RANGE);
	assert_non_null(strstr(err.message, "line 6: the line has 4096 bytes; at most 4095"));
	assert_int_equal(read_sections(64, 64, &err), 0);
	assert_true(read_sections(65, 2, &err) < 0);
	assert_non_null(strstr(err.message, "line 69: at most 64 jobs"));
	assert_true(read_sections(1, 65, &err) < 0);
	assert_non_null(strstr(err.message, "line 5: name has 65 bytes"));
	definition_init(&d);
	assert_true(fio_job_read(&request, &d, &err) < 0);
	assert_non_null(strstr(err.message, "line 2: the line holds a NUL"));
}

static void what_is_said_beside_the_file_is_laid_over_it(void **state)
{
	static const char text[] = "[a]\nfilename=/one\n[b]\nstonewall\nfilename=/two\nbs=8k\n";
	static const char *const overrides[] = {"size=2m", "bs=16k"};
	struct fio_job_request request = {
		.text = text,
		.size = sizeof(text) - 1,
		.name = "d",
		.target = "file:/tank/x",
		.repeats = {5, 5, 0},
		.override_count = 2,
		.overrides = overrides,
	};
	static const struct {
		const char *override, *field;
	} wrong[] = {{"size", ""},
		     {"=1", ""},
		     {"foo=1", "/override/foo"},
		     {"bs=4x", "/override/bs"},
		     {"bs=4m", "/override/size"},
		     {"name=x", "/override/name"}};
	struct definition d;
	struct error err;

	(void)state;
	definition_init(&d);
	assert_int_equal(fio_job_read(&request, &d, &err), 0);
	assert_string_equal(d.targets[0].path, "/tank/x");
	assert_int_equal(d.override.size, 2 << 20);
	assert_int_equal(d.repeats, 5);
	assert_int_equal(d.order, ORDER_INTERLEAVED);
	definition_done(&d);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const char *const list[] = {"size=2m", wrong[i].override};

		request.overrides = list;
		assert_true(fio_job_read(&request, &d, &err) < 0);
		assert_string_equal(err.field, wrong[i].field);
	}
	request.overrides = overrides;
	request.target = "floppy:/a";
	assert_true(fio_job_read(&request, &d, &err) < 0);
	assert_int_equal(err.code, ERROR_BAD_PARAMETER);
	request.target = "file:relative";
	assert_true(fio_job_read(&request, &d, &err) < 0);
	assert_non_null(strstr(err.message, "target: give the whole path"));
	request.target = "file:/a";
	request.name = "";
	assert_true(fio_job_read(&request, &d, &err) < 0);
	assert_non_null(strstr(err.message, "name: "));
}

static void job_files_are_told_from_json(void **state)
{
	(void)state;
	assert_true(fio_job_is("[a]", 3));
	assert_true(fio_job_is(" \r\n; x\n[a]", 10));
	assert_true(fio_job_is("# {", 3));
	assert_false(fio_job_is("{}", 2));
	assert_false(fio_job_is(" \n", 2));
	assert_false(fio_job_is("", 0));
}

static char *write_job(const struct definition *definition, struct error *err)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int r = fio_job_write(definition, out, err);

	fclose(out);
	if (r == 0)
		return text;
	free(text);
	return NULL;
}

/* What is written reads back as the same workloads, completed. */
static void what_is_written_reads_back(void **state)
{
	struct definition d, again;
	struct error err;
	char *text, *p;

	(void)state;
	read_ok("[global]\nfilename=/tank/x\nsize=1m\nstonewall\n[r]\nrw=randread\niodepth=8\n"
		"norandommap\n[global too]\n[w/x]\nrw=write\nbs=64k\nnumjobs=2\nruntime=1\n"
		"regions=disjoint\n",
		&d);
	text = write_job(&d, &err);
	assert_non_null(text);
	assert_non_null(strstr(text, "[r]\nstonewall\nfilename=/tank/x\n"));
	assert_non_null(strstr(text, "[w_x]\n"));
	assert_non_null(strstr(text, "offset_increment=1048576\n"));
	assert_non_null(strstr(text, "refill_buffers=1\n"));
	while ((p = strstr(text, "offset_increment")) || (p = strstr(text, "refill_buffers")))
		*p = ';';
	read_ok(text, &again);
	assert_int_equal(again.workload_count, 2);
	for (size_t i = 0; i < 2; i++) {
		struct workload *a = &d.workloads[i], *b = &again.workloads[i];

		assert_int_equal(workload_complete(a, NULL), 0);
		assert_int_equal(workload_complete(b, NULL), 0);
		assert_int_equal(a->rw, b->rw);
		assert_memory_equal(a->bs, b->bs, sizeof(a->bs));
		assert_int_equal(a->size, b->size);
		assert_int_equal(a->iodepth, b->iodepth);
		assert_int_equal(a->numjobs, b->numjobs);
		assert_int_equal(a->runtime_ns, b->runtime_ns);
		assert_int_equal(a->time_based, b->time_based);
		assert_int_equal(a->direct, b->direct);
		assert_int_equal(a->norandommap, b->norandommap);
	}
	free(text);
	definition_done(&d);
	definition_done(&again);
}

static void what_a_job_file_cannot_say_is_refused(void **state)
{
	static const char *const paths[] = {"/tank/a#b", "/tank/a;b", "/tank/${A}", "/tank/a\\b",
					    "/tank/a "};
	struct definition d;
	struct error err;
	char *text;

	(void)state;
	read_ok(HEAD "[a]\nnumjobs=2\nregions=disjoint\n", &d);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		free(d.targets[0].path);
		d.targets[0].path = strdup(paths[i]);
		assert_null(write_job(&d, &err));
		assert_int_equal(err.code, ERROR_UNSUPPORTED);
	}
	free(d.targets[0].path);
	d.targets[0].path = strdup("/dev/a:b");
	d.targets[0].kind = TARGET_DEVICE;
	text = write_job(&d, &err);
	assert_non_null(strstr(text, "filename=/dev/a\\:b\n"));
	free(text);
	workload_unset(&d.workloads[0], OPTION_ID_SIZE);
	assert_null(write_job(&d, &err));
	assert_non_null(strstr(err.message, "give size"));
	definition_done(&d);
}

/* fio 3.33's parser takes no zones for directions apart, and its job ends early where another
 * distribution meets two request sizes. */
static void distributions_fio_cannot_do_are_refused(void **state)
{
	static const struct {
		const char *options;
		bool said;
	} table[] = {
		{"rw=randrw\nrandom_distribution=zipf:1.2:0.5\n", true},
		{"rw=randrw\nbs=4k,8k\nrandom_distribution=zoned:60/10:40/90\n", true},
		{"rw=randread\nbs=4k,8k\nrandom_distribution=zipf:1.2\n", true},
		{"rw=randrw\nbs=4k,8k\nrandom_distribution=zipf:1.2\n", false},
		{"rw=randrw\nrandom_distribution=zoned:60/10:40/90,100/50\n", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char job[256], *text, *line = strstr(table[i].options, "random_distribution");
		struct definition d;
		struct error err;

		(void)snprintf(job, sizeof(job), HEAD "[a]\n%s", table[i].options);
		read_ok(job, &d);
		text = write_job(&d, &err);
		assert_int_equal(text != NULL, table[i].said);
		if (text) {
			assert_non_null(strstr(text, line));
		} else {
			assert_int_equal(err.code, ERROR_UNSUPPORTED);
			assert_non_null(strstr(err.message, "random_distribution="));
		}
		free(text);
		definition_done(&d);
	}
}

static const char whole[] =
	"; all there is\n[global]\ndirectory=/tank\nsize=${SIZE}m\nstonewall\n"
	"description=two jobs\n[a]\nrw=randrw\nrwmixread=70\nbs=4k,64k\n"
	"[global]\nruntime=2\ntime_based\n[a]\nwait_for_previous=1\nbuffered=1\n"
	"numjobs=4 # of them\nregions=disjoint\n[b]\nstonewall=0\nrw=write\nregions=disjoint\n";

/* With the n-th allocation failing, for every n: no crash, no leak, and an answer that says so. */
static void without_memory_it_is_said(void **state)
{
	struct definition d;
	struct error err;
	size_t n = 0;

	(void)state;
	for (int r = -1; r < 0; n++) {
		failing_left = n;
		r = read_job(whole, &d, &err);
		failing_left = SIZE_MAX;
		if (r < 0) {
			assert_int_equal(err.code, ERROR_NO_MEMORY);
			assert_null(d.workloads);
		}
	}
	assert_true(n > 10);
	definition_done(&d);
}

/* Files that differ from a good one by a few bytes: read, or refused in clean words. */
static void damaged_files_are_read_or_refused(void **state)
{
	static const char bytes[] = "[]=;#${}\n\r\t \\:,/01k\x01\x7f\xc3\xa9\xff";
	uint64_t random = 88172645463325252u;
	size_t taken = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[sizeof(whole)];
		struct definition d;
		struct error err = {0};

		memcpy(text, whole, sizeof(text));
		for (int k = 0; k <= i % 4; k++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			text[random % (sizeof(text) - 1)] =
				bytes[(random >> 32) % (sizeof(bytes) - 1)];
		}
		if (read_job(text, &d, &err) == 0) {
			taken++;
			definition_done(&d);
		} else if (!*err.message || !text_printable(err.message) || *err.field) {
			fail_msg("%s: %s: %s", text, err.field, err.message);
		}
	}
	assert_true(taken > 100 && taken < 19900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_inherit_from_the_globals_above),
		cmocka_unit_test(variables_are_put_in),
		cmocka_unit_test(bad_files_say_line_and_option),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(what_is_said_beside_the_file_is_laid_over_it),
		cmocka_unit_test(job_files_are_told_from_json),
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(what_a_job_file_cannot_say_is_refused),
		cmocka_unit_test(distributions_fio_cannot_do_are_refused),
		cmocka_unit_test(without_memory_it_is_said),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
