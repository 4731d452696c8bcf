/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_steadystate.c - criteria as they may be written, and what they need beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/macros.h"
#include "engine/plan/steadystate.h"

static void criteria_are_read(void **state)
{
	static const struct {
		const char *text;
		struct steadystate_spec spec;
	} good[] = {
		{"iops:5%", {false, false, true, 5}},
		{"iops:200", {false, false, false, 200}},
		{"iops_slope:0.01%", {false, true, true, 0.01}},
		{"bw:1.5%", {true, false, true, 1.5}},
		{"bw:1m", {true, false, false, 1048576}},
		{"bw_slope:512k", {true, true, false, 524288}},
	};
	static const char *const bad[] = {"",	      "iops",	  "iops:",    "iops:%",	  "iops:0%",
					  "iops:-1%", "iops:x",	  "lat:5%",   "iopss:5%", "iop:5%",
					  "iops 5%",  "iops:5%%", "bw:0",     "bw:1.5m",  "iops:5k",
					  "iops:.5%", "iops:5.%", "iops:1e3", ":5%"};
	struct steadystate_spec spec;
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		if (steadystate_parse(good[i].text, &spec, &err) < 0)
			fail_msg("%s", err.message);
		assert_int_equal(spec.bandwidth, good[i].spec.bandwidth);
		assert_int_equal(spec.slope, good[i].spec.slope);
		assert_int_equal(spec.percent, good[i].spec.percent);
		assert_true(spec.limit == good[i].spec.limit);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (steadystate_parse(bad[i], &spec, &err) == 0)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_int_equal(err.code, ERROR_BAD_VALUE);
		assert_string_equal(err.field, "steadystate");
	}
}

static void set(struct workload *workload, const char *options)
{
	char *text = strdup(options), *rest = text, *word;
	struct error err;

	workload_init(workload);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		if (option_parse(option_find(word), value, workload, &err) < 0)
			fail_msg("%s", err.message);
	}
	free(text);
}

static void a_window_is_needed_and_must_fit(void **state)
{
	static const struct {
		const char *options, *field; /* NULL: good */
	} table[] = {
		{"size=1m ss=iops:5% ss_dur=2 runtime=2", NULL},
		{"size=1m ss_dur=30 runtime=60", NULL}, /* fio's default criterion */
		{"size=1m ss=iops:5% ss_dur=0", NULL},	/* a level of a factor */
		{"size=1m ss=iops:5% ss_dur=5 ss_ramp=5 runtime=10", NULL},
		{"size=1m ss=iops:5% ss_dur=5 time_based=0", NULL},
		{"size=1m ss=iops:5%", "steadystate"},
		{"size=1m ss_ramp=5", "steadystate_ramp_time"},
		{"size=1m ss_dur=1", "steadystate_duration"},
		{"size=1m ss_dur=2500ms", "steadystate_duration"},
		{"size=1m ss_dur=5 ss_ramp=5 runtime=9999ms", "steadystate_duration"},
		{"size=1m ss=lat:5% ss_dur=5", "steadystate"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct workload workload;
		struct error err = {0};
		int r;

		set(&workload, table[i].options);
		r = workload_complete(&workload, &err);
		if ((r == 0) != (table[i].field == NULL))
			fail_msg("%s: %d %s", table[i].options, r, err.message);
		if (table[i].field)
			assert_string_equal(err.field, table[i].field);
		workload_done(&workload);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(criteria_are_read),
		cmocka_unit_test(a_window_is_needed_and_must_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
