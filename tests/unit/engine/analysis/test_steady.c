/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_steady.c - five rounds by hand: excursion, slope, the end that settled, what is not judged,
 * and the finding. */
#include "engine/analysis/steady.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "tests/unit/server/codec/fixture.h"

#define SECONDS_MAX 200

static struct series_second seconds[SECONDS_MAX];
static struct sample sample;
static struct steady_window window;

/* A sample of reads whose seconds are told one by one. */
static void start(const char *options)
{
	sample_init(&sample);
	memset(seconds, 0, sizeof(seconds));
	sample.workload = fixture_text("w");
	sample.backend = fixture_text("threads");
	fixture_workload(&sample.options, options);
	sample.series.seconds = seconds;
	sample.series.last_span_ns = NS_PER_S;
}

static void end(void)
{
	sample.series.seconds = NULL;
	sample_done(&sample);
}

static void add(size_t count, uint64_t ios)
{
	for (size_t i = 0; i < count; i++)
		seconds[sample.series.count++].ios[DIRECTION_READ] = ios;
}

static void find(void)
{
	memset(&window, 0xff, sizeof(window));
	steady_window_find(&sample, &window);
}

static void near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9 * fmax(1, fabs(expected))))
		fail_msg("%.12g, not %.12g", value, expected);
}

static void figures_are_those_of_five_rounds(void **state)
{
	(void)state;
	start("rw=randread size=1m runtime=12");
	/* rounds of 2 s: 90, 100, 110, 100, 100; two seconds at the begin are over */
	add(2, 7);
	add(1, 80);
	add(1, 100);
	add(2, 100);
	add(1, 130);
	add(1, 90);
	add(4, 100);
	find();
	assert_true(window.judged && window.steady && window.settles);
	assert_int_equal(window.whole.first, 2);
	assert_int_equal(window.whole.count, 10);
	near(window.whole.mean, 100);
	near(window.whole.excursion, 0.2);
	/* sum((i - 2) y) / 10 = (-180 - 100 + 100 + 200) / 10 = 2 a round, 8 over the window */
	near(window.whole.slope, 0.08);
	assert_memory_equal(&window.whole, &window.settled, sizeof(window.whole));
	end();
}

/* At the limits, and just beyond each. */
static void limits_are_snias(void **state)
{
	static const struct {
		uint64_t rounds[STEADY_ROUNDS];
		bool steady;
	} cases[] = {
		/* mean 1000: excursion 200, no slope */
		{{1000, 900, 1000, 1100, 1000}, true},
		{{1000, 899, 1000, 1101, 1000}, false},
		/* slope 25 a round: 100 over the window */
		{{950, 975, 1000, 1025, 1050}, true},
		{{1050, 1025, 1000, 975, 950}, true},
		{{949, 975, 1000, 1025, 1051}, false},
		{{1051, 1025, 1000, 975, 949}, false},
		{{1000, 1000, 1000, 1000, 1000}, true},
		{{1000, 1000, 1000, 1000, 0}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start("rw=randread size=1m runtime=10");
		for (size_t n = 0; n < STEADY_ROUNDS; n++)
			add(2, cases[i].rounds[n]);
		find();
		assert_true(window.judged);
		if (window.steady != cases[i].steady)
			fail_msg("case %zu: excursion %g, slope %g", i, window.whole.excursion,
				 window.whole.slope);
		assert_int_equal(window.settles, cases[i].steady);
		assert_int_equal(window.settled.count, cases[i].steady ? 10 : 0);
		end();
	}
}

/* A fast begin of 40 s, then 1000 a second for 60. */
static void the_end_that_settled_is_told(void **state)
{
	(void)state;
	start("rw=randread size=1m runtime=100");
	sample.series.ramp_count = 3;
	add(3, 50000);
	add(40, 5000);
	add(60, 1000);
	add(1, 3); /* what was left of the last second */
	sample.series.last_span_ns = NS_PER_S / 100;
	find();
	assert_true(window.judged && window.settles);
	assert_false(window.steady);
	assert_int_equal(window.whole.first, 3);
	assert_int_equal(window.whole.count, 100);
	near(window.whole.mean, (40 * 5000 + 60 * 1000) / 100.0);
	assert_int_equal(window.settled.first, 43);
	assert_int_equal(window.settled.count, 60);
	near(window.settled.mean, 1000);
	end();
}

static void all_directions_count_together(void **state)
{
	(void)state;
	start("rw=randrw size=1m runtime=10");
	for (size_t i = 0; i < 10; i++) {
		seconds[i].ios[DIRECTION_READ] = 100 * i;
		seconds[i].ios[DIRECTION_WRITE] = 1000 - 100 * i;
	}
	sample.series.count = 10;
	find();
	assert_true(window.steady);
	near(window.whole.mean, 1000);
	end();
}

static void not_judged(void)
{
	find();
	assert_false(window.judged || window.steady || window.settles);
	assert_int_equal(window.whole.count, 0);
	assert_int_equal(steady_check(&sample, NULL), 0);
	assert_int_equal(sample.findings.count, 0);
}

static void what_cannot_be_judged_is_not(void **state)
{
	(void)state;
	start("rw=randread size=1m runtime=10");
	not_judged();
	add(10, 1);
	seconds[3].ios[DIRECTION_READ] = 900;
	find();
	assert_true(window.judged && !window.steady);
	sample.series.ramp_count = 1; /* nine whole seconds */
	not_judged();
	sample.series.ramp_count = 0;
	sample.series.last_span_ns = NS_PER_S - 1;
	not_judged();
	sample.series.last_span_ns = NS_PER_S;
	sample.series.ramp_count = 10;
	not_judged();
	sample.series.ramp_count = 11; /* more than there are */
	not_judged();
	sample.series.ramp_count = 0;
	sample.error_count = 1;
	not_judged();
	sample.error_count = 0;
	sample.failed[DIRECTION_READ] = 1;
	not_judged();
	end();

	start("rw=randread size=1m runtime=10");
	add(10, 0);
	not_judged();
	end();
	start("rw=randread size=1m runtime=10 startdelay=3");
	add(5, 1);
	add(5, 9);
	not_judged();
	end();
}

static void a_sample_that_is_not_steady_says_so(void **state)
{
	(void)state;
	start("rw=randread size=1m runtime=10");
	add(5, 4000);
	add(15, 1000);
	assert_int_equal(steady_check(&sample, "bs=4k"), 0);
	assert_int_equal(sample.findings.count, 1);
	assert_string_equal(sample.findings.list[0].code, "not_steady");
	assert_string_equal(sample.findings.list[0].cell, "bs=4k");
	assert_string_equal(sample.findings.list[0].expected,
			    "excursion within 20 %, slope within 10 %");
	/* rounds of 4 s: 4000, 1750, 1000, 1000, 1000; mean 1750 */
	assert_string_equal(sample.findings.list[0].found,
			    "excursion 171 %, slope -154 % over 20 s");
	assert_non_null(strstr(sample.findings.list[0].message,
			       "Its last 15 s were steady, at 1000 IOPS."));
	end();

	start("rw=randread size=1m runtime=10");
	add(10, 4000);
	add(10, 1000);
	free(sample.backend);
	sample.backend = fixture_text("null");
	assert_int_equal(steady_check(&sample, NULL), 0);
	assert_int_equal(sample.findings.count, 0);
	end();

	start("rw=randread size=1m runtime=10");
	add(20, 1000);
	assert_int_equal(steady_check(&sample, NULL), 0);
	assert_int_equal(sample.findings.count, 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_five_rounds),
		cmocka_unit_test(limits_are_snias),
		cmocka_unit_test(the_end_that_settled_is_told),
		cmocka_unit_test(all_directions_count_together),
		cmocka_unit_test(what_cannot_be_judged_is_not),
		cmocka_unit_test(a_sample_that_is_not_steady_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
