/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_distribution_spec.c - what random_distribution may say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/macros.h"
#include "engine/plan/distribution_spec.h"

static struct distribution_spec parse(const char *text)
{
	struct distribution_spec spec;
	struct error err = {0};

	if (distribution_spec_parse(text, &spec, &err) != 0)
		fail_msg("%s: %s", text, err.message);
	return spec;
}

/* The message must say `what`. */
static void refuse(const char *text, enum error_code code, const char *what)
{
	struct distribution_spec spec;
	struct error err = {0};

	if (distribution_spec_parse(text, &spec, &err) == 0)
		fail_msg("%s was taken", text);
	assert_string_equal(error_code_text(err.code), error_code_text(code));
	assert_string_equal(err.field, "");
	if (!strstr(err.message, what) || !strstr(err.message, "random_distribution"))
		fail_msg("%s: %s", text, err.message);
	assert_true(distribution_spec_parse(text, &spec, NULL) < 0);
}

static void check_value(const char *text, enum distribution_kind kind, double value, double center)
{
	struct distribution_spec spec = parse(text);

	assert_int_equal(spec.kind, kind);
	assert_true(spec.value == value);
	assert_int_equal(spec.centered, center >= 0);
	assert_true(!spec.centered || spec.center == center);
}

static void test_values(void **unused)
{
	(void)unused;
	check_value("random", DISTRIBUTION_RANDOM, 0, -1);
	check_value("zipf", DISTRIBUTION_ZIPF, 1.1, -1);
	check_value("zipf:1.2", DISTRIBUTION_ZIPF, 1.2, -1);
	check_value("zipf:1.2:0.25", DISTRIBUTION_ZIPF, 1.2, .25);
	check_value("zipf:0", DISTRIBUTION_ZIPF, 0, -1);
	check_value("zipf:10:1", DISTRIBUTION_ZIPF, 10, 1);
	check_value("zipf:.99:.0", DISTRIBUTION_ZIPF, .99, 0);
	check_value("pareto", DISTRIBUTION_PARETO, .2, -1);
	check_value("pareto:0.001:0", DISTRIBUTION_PARETO, .001, 0);
	check_value("normal", DISTRIBUTION_NORMAL, 0, -1);
	check_value("normal:99.9", DISTRIBUTION_NORMAL, 99.9, -1);
	check_value("normal:20:0.5", DISTRIBUTION_NORMAL, 20, .5);
}

static void test_values_that_are_none(void **unused)
{
	(void)unused;
	refuse("", ERROR_BAD_VALUE, "zipf:THETA");
	refuse("zip", ERROR_BAD_VALUE, "zipf:THETA");
	refuse("zipfs:1", ERROR_BAD_VALUE, "zipf:THETA");
	refuse("uniform", ERROR_BAD_VALUE, "it is random");
	refuse("random:1", ERROR_BAD_VALUE, "it is random");
	refuse("Zipf:1.2", ERROR_BAD_VALUE, "zipf:THETA");
	refuse("zipf:", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf::0.5", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf:.", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf:1.2.3", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf:-1", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf:1e1", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf: 1.2", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf:1.2,0.5", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf:nan", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("zipf:0000000000000000000000000000000001.2", ERROR_BAD_VALUE, "zipf:1.2");
	refuse("pareto:x", ERROR_BAD_VALUE, "pareto:0.2");
	refuse("normal:x", ERROR_BAD_VALUE, "normal:20");
}

static void test_values_out_of_range(void **unused)
{
	(void)unused;
	refuse("zipf:1", ERROR_OUT_OF_RANGE, "1.01");
	refuse("zipf:1.000", ERROR_OUT_OF_RANGE, "1.01");
	refuse("zipf:10.01", ERROR_OUT_OF_RANGE, "0 to 10");
	refuse("zipf:1.2:1.01", ERROR_OUT_OF_RANGE, "0 to 1");
	refuse("zipf:1.2:", ERROR_OUT_OF_RANGE, "center");
	refuse("zipf:1.2:0.5:0.5", ERROR_OUT_OF_RANGE, "center");
	refuse("pareto:0", ERROR_OUT_OF_RANGE, "above 0 and below 1");
	refuse("pareto:1", ERROR_OUT_OF_RANGE, "above 0 and below 1");
	refuse("normal:100", ERROR_OUT_OF_RANGE, "below 100");
}

/* "access/size ..." of a direction. */
static void check_zones(const struct distribution_spec *spec, enum direction direction,
			const char *expected)
{
	char told[256] = "";

	for (uint64_t i = 0; i < spec->zone_counts[direction]; i++)
		(void)snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%d/%lld",
			       i ? " " : "", (int)spec->zones[direction][i].access,
			       (long long)spec->zones[direction][i].size);
	assert_string_equal(told, expected);
}

static void test_zones(void **unused)
{
	struct distribution_spec spec = parse("zoned:60/10:30/20:8/30:2/40");

	(void)unused;
	assert_int_equal(spec.kind, DISTRIBUTION_ZONED);
	assert_false(spec.directions);
	for (int d = 0; d < DIRECTION_COUNT; d++)
		check_zones(&spec, (enum direction)d, "60/10 30/20 8/30 2/40");
	assert_int_equal(distribution_spec_bytes(&spec, DIRECTION_READ), 0);
	spec = parse("zoned:60/10:30:10/");
	check_zones(&spec, DIRECTION_READ, "60/10 30/45 10/45");
	spec = parse("zoned:100");
	check_zones(&spec, DIRECTION_READ, "100/100");
	spec = parse("zoned_abs:60/10G:0/4k:40/512");
	assert_int_equal(spec.kind, DISTRIBUTION_ZONED_ABS);
	check_zones(&spec, DIRECTION_TRIM, "60/10737418240 0/4096 40/512");
	assert_int_equal(distribution_spec_bytes(&spec, DIRECTION_TRIM), 10737418240 + 4096 + 512);
}

static void test_zones_of_directions(void **unused)
{
	struct distribution_spec spec = parse("zoned:60/10:40/90,100/50");

	(void)unused;
	assert_true(spec.directions);
	check_zones(&spec, DIRECTION_READ, "60/10 40/90");
	check_zones(&spec, DIRECTION_WRITE, "100/50");
	check_zones(&spec, DIRECTION_TRIM, "100/50");
	spec = parse("zoned:,100/50,");
	check_zones(&spec, DIRECTION_READ, "");
	check_zones(&spec, DIRECTION_WRITE, "100/50");
	check_zones(&spec, DIRECTION_TRIM, "");
}

static void test_zones_that_are_none(void **unused)
{
	(void)unused;
	refuse("zoned", ERROR_BAD_VALUE, "60/10:40/90");
	refuse("zoned:", ERROR_BAD_VALUE, "60/10:40/90");
	refuse("zoned:,,", ERROR_BAD_VALUE, "60/10:40/90");
	refuse("zoned:100,100,100,100", ERROR_BAD_VALUE, "reads, writes and trims");
	refuse("zoned:60/10:40/90:", ERROR_BAD_VALUE, "0 to 100");
	refuse("zoned::100/5", ERROR_BAD_VALUE, "0 to 100");
	refuse("zoned:60k/10:40/90", ERROR_BAD_VALUE, "0 to 100");
	refuse("zoned:101/10", ERROR_BAD_VALUE, "0 to 100");
	refuse("zoned:100/0", ERROR_BAD_VALUE, "1 to 100");
	refuse("zoned:100/101", ERROR_BAD_VALUE, "1 to 100");
	refuse("zoned:100/4k", ERROR_BAD_VALUE, "1 to 100");
	refuse("zoned:100/5/5", ERROR_BAD_VALUE, "1 to 100");
	refuse("zoned:60/10:30/90", ERROR_BAD_VALUE, "make 90, not 100");
	refuse("zoned:60/10:50/90", ERROR_BAD_VALUE, "make 110, not 100");
	refuse("zoned:60/10:40/90,60/10:41/90", ERROR_BAD_VALUE, "make 101, not 100");
	refuse("zoned:60/50:40/51", ERROR_BAD_VALUE, "make 101, more than 100");
	refuse("zoned:60/100:40", ERROR_BAD_VALUE, "nothing of the region is left");
	refuse("zoned_abs:60/10G:40", ERROR_BAD_VALUE, "needs its bytes");
	refuse("zoned_abs:60/10G:40/", ERROR_BAD_VALUE, "needs its bytes");
	refuse("zoned_abs:60/10G:40/0", ERROR_BAD_VALUE, "needs its bytes");
	refuse("zoned_abs:60/10G:40/4kib", ERROR_BAD_VALUE, "needs its bytes");
	refuse("zoned_abs:60/10G:40/-1", ERROR_BAD_VALUE, "needs its bytes");
	refuse("zoned_abs:50/5E18:50/1", ERROR_BAD_VALUE, "needs its bytes");
	refuse("zoned_abs:50/5000p:50/5000p", ERROR_OUT_OF_RANGE, "more than any file's");
	refuse("zoned:100/5555555555555555555555555555555555555555555555555555555555555555555555",
	       ERROR_BAD_VALUE, "too long");
}

/* 256 zones, and one more. */
static void test_many_zones(void **unused)
{
	char text[4096] = "zoned_abs:100/4k";
	struct distribution_spec spec;

	(void)unused;
	for (int i = 1; i < DISTRIBUTION_ZONES_MAX; i++)
		strncat(text, ":0/4k", sizeof(text) - strlen(text) - 1);
	spec = parse(text);
	assert_int_equal(spec.zone_counts[DIRECTION_WRITE], 256);
	strncat(text, ":0/4k", sizeof(text) - strlen(text) - 1);
	refuse(text, ERROR_TOO_MANY, "256 zones");
}

/* ---- among other options ---- */

static int complete(const char *options, struct workload *workload, struct error *err)
{
	char *text = strdup(options), *rest = text, *word;

	assert_non_null(text);
	workload_init(workload);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		assert_non_null(value);
		*value++ = '\0';
		assert_int_equal(option_parse(option_find(word), value, workload, err), 0);
	}
	free(text);
	return workload_complete(workload, err);
}

static void conflicts(const char *options, const char *what)
{
	struct workload workload;
	struct error err = {0};

	assert_true(complete(options, &workload, &err) < 0);
	assert_string_equal(error_code_text(err.code), "conflicting_options");
	assert_string_equal(err.field, "random_distribution");
	if (!strstr(err.message, what))
		fail_msg("%s: %s", options, err.message);
	workload_done(&workload);
}

static void test_conflicts(void **unused)
{
	(void)unused;
	conflicts("rw=read random_distribution=zipf size=1g", "rw makes none");
	conflicts("rw=rw random_distribution=zoned:100/5 size=1g", "rw makes none");
	conflicts("rw=randread random_distribution=zipf norandommap=0 size=1g", "norandommap=0");
	conflicts("rw=randread random_distribution=zoned_abs:50/1m:50/4k size=1m", "more bytes");
	conflicts("rw=randwrite random_distribution=zoned_abs:100/4k,100/1028k size=1m",
		  "more bytes");
	/* Blocks lie at 0, 100k and so on. */
	conflicts("rw=randread random_distribution=zoned_abs:40/64k:60/512k size=1m "
		  "blockalign=100k",
		  "without a block");
	conflicts("rw=randread random_distribution=zoned_abs:40/8k:60/4k size=1m bs=8k",
		  "without a block");
	conflicts("rw=randread random_distribution=zoned_abs:100/1000k size=1000k bssplit=64k/100 "
		  "blockalign=4k",
		  "behind the last");
	/* Of several files each has all zones. */
	conflicts("rw=randread random_distribution=zoned_abs:60/16k:40/48k size=64k nrfiles=2",
		  "more bytes than each file");
	conflicts("rw=randread random_distribution=zoned_abs:60/16k:40/48k filesize=60k nrfiles=2",
		  "more bytes than each file");
	conflicts("rw=randread random_distribution=zoned_abs:100/30k filesize=30k nrfiles=2 "
		  "blockalign=2k bssplit=4k/50:8k/50",
		  "smallest of a job's files");
}

static void takes(const char *options, bool norandommap, bool fio)
{
	struct workload workload;
	struct error err = {0};

	if (complete(options, &workload, &err) < 0)
		fail_msg("%s: %s", options, err.message);
	assert_int_equal(workload.norandommap, norandommap);
	assert_int_equal(distribution_spec_fio(&workload), fio);
	assert_true(workload_complete(&workload, &err) == 0); /* once more, as it is */
	workload_done(&workload);
}

static void test_among_other_options(void **unused)
{
	(void)unused;
	takes("rw=randread size=1g", false, true);
	takes("rw=read random_distribution=random size=1g", false, true);
	takes("rw=randread random_distribution=random norandommap=0 size=1g", false, true);
	takes("rw=randread random_distribution=zipf size=1g", true, true);
	takes("rw=randread random_distribution=zipf norandommap=1 size=1g", true, true);
	takes("rw=randread random_distribution=zoned_abs:40/64k:60/64k:0/4k size=1m blockalign=64k",
	      true, true);
	takes("rw=randread random_distribution=zoned_abs:40/8k:60/16k:0/4k size=28k bs=8k", true,
	      true);
	takes("rw=randrw bs=4k,8k random_distribution=zipf size=1g", true, false);
	takes("rw=randrw bs=4k,8k random_distribution=zoned:100/5 size=1g", true, true);
	takes("rw=randread bs=4k,8k random_distribution=normal size=1g", true, true);
	takes("rw=randread bs=4k blockalign=8k random_distribution=pareto size=1g", true, false);
	takes("rw=randread bs=4k blockalign=8k random_distribution=zoned:100/5 size=1g", true,
	      true);
	takes("rw=randrw bsrange=4k-8k random_distribution=zipf size=1g", true, true);
	takes("rw=randrw bssplit=4k/50:8k/50,8k/100 random_distribution=zipf size=1g", true, false);
	takes("rw=randrw random_distribution=zoned:100/5,100/6 size=1g", true, false);
	takes("rw=randread random_distribution=zoned_abs:50/1m:50/4k size=1028k", true, true);
	/* what is not done asks for no room */
	takes("rw=randread random_distribution=zoned_abs:100/4k,100/1028k size=1m", true, false);
}

/* Whatever is typed: taken or refused, never more than that. */
static void test_any_text(void **unused)
{
	static const char letters[] = "zipfonedabs_:/,.0123456789kMG- random";
	char text[64];
	unsigned int state = 1;

	(void)unused;
	for (int i = 0; i < 200000; i++) {
		static const char *const heads[] = {"zoned:", "zoned_abs:", "zipf:", "normal:", ""};
		struct distribution_spec spec;
		size_t length = 0;

		(void)snprintf(text, sizeof(text), "%s", heads[i % 5]);
		length = strlen(text);
		for (int more = i % 23; more > 0; more--) {
			state = state * 1664525 + 1013904223;
			text[length++] = letters[(state >> 16) % (sizeof(letters) - 1)];
		}
		text[length] = '\0';
		(void)!distribution_spec_parse(text, &spec, NULL); /* either way */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_values_that_are_none),
		cmocka_unit_test(test_values_out_of_range),
		cmocka_unit_test(test_zones),
		cmocka_unit_test(test_zones_of_directions),
		cmocka_unit_test(test_zones_that_are_none),
		cmocka_unit_test(test_many_zones),
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_among_other_options),
		cmocka_unit_test(test_any_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
