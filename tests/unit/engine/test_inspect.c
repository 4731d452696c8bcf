/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_inspect.c - which backend a run gets and in which words, without touching a target.
 *
 * link: -Wl,--wrap=measure_uring_available
 */
#include "engine/inspect.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/run.h"

static bool uring_refused;

int __wrap_measure_uring_available(char *reason, size_t reason_size);
int __wrap_measure_uring_available(char *reason, size_t reason_size)
{
	(void)snprintf(reason, reason_size, uring_refused ? "refused by a test" : "available");
	return uring_refused ? -EPERM : 0;
}

/* A plan of one target and as many samples as option lists, each a workload of its own. */
struct setting {
	struct definition definition;
	struct target_spec target;
	struct plan plan;
	struct plan_sample samples[3];
	struct workload workloads[3];
	struct target_info info;
	struct factor factor;
	enum backend_kind backend;
	char reason[256];
};

static void begin(struct setting *setting, const char *const *lists, size_t count)
{
	struct error err;

	memset(setting, 0, sizeof(*setting));
	setting->target.path = (char *)"/x/y";
	setting->definition.target_count = 1;
	setting->definition.targets = &setting->target;
	setting->definition.workload_count = count;
	setting->definition.workloads = setting->workloads;
	setting->plan.definition = &setting->definition;
	setting->plan.samples = setting->samples;
	setting->plan.sample_count = count;
	(void)snprintf(setting->info.path, sizeof(setting->info.path), "/x/y");
	(void)snprintf(setting->info.filesystem, sizeof(setting->info.filesystem), "somefs");
	setting->info.nowait = true;
	setting->info.checked = true;
	for (size_t i = 0; i < count; i++) {
		struct workload *options = &setting->samples[i].options;

		workload_init(&setting->workloads[i]);
		setting->workloads[i].name = strdup("w");
		setting->samples[i].workload = i;
		workload_init(options);
		assert_int_equal(workload_parse_fio(lists[i], options, &err), 0);
		options->from_fio = false;
		assert_int_equal(workload_complete(options, &err), 0);
	}
}

static void end(struct setting *setting)
{
	for (size_t i = 0; i < setting->plan.sample_count; i++) {
		workload_done(&setting->workloads[i]);
		workload_done(&setting->samples[i].options);
	}
}

static void choose(struct setting *setting)
{
	run_choose_backend(&setting->plan, &setting->info, &setting->backend, setting->reason,
			   sizeof(setting->reason));
}

#define PLAIN "--rw=randrw --bs=4k --size=1M --runtime=1 --time_based"

static void test_chosen(void **state)
{
	static const struct {
		const char *lists[2];
		bool refused, blocks;
		enum backend_kind backend;
		const char *reason; /* part of it */
	} cases[] = {
		{{PLAIN}, false, false, BACKEND_IO_URING, "never block"},
		{{PLAIN}, true, false, BACKEND_THREADS, "io_uring is refused by a test"},
		{{PLAIN}, false, true, BACKEND_THREADS, "/x/y (somefs)"},
		{{PLAIN " --ioengine=io_uring"}, false, true, BACKEND_THREADS, "(somefs)"},
		{{PLAIN " --ioengine=libaio"}, false, false, BACKEND_IO_URING, "never block"},
		{{PLAIN " --ioengine=null"}, true, true, BACKEND_NULL, "ioengine=null"},
		{{PLAIN " --ioengine=psync"}, false, false, BACKEND_THREADS, "ioengine=psync"},
		{{PLAIN " --ioengine=threads"}, false, false, BACKEND_THREADS, "ioengine=threads"},
		{{PLAIN " --direct=0 --sync=dsync"},
		 false,
		 false,
		 BACKEND_THREADS,
		 "one at a time"},
		{{PLAIN " --direct=1 --sync=dsync"}, false, false, BACKEND_IO_URING, "never block"},
		{{PLAIN, "--rw=randtrim --bs=4k --size=1M"},
		 false,
		 false,
		 BACKEND_THREADS,
		 "trims"},
		{{"--rw=trim --size=1M --ioengine=io_uring"},
		 false,
		 false,
		 BACKEND_THREADS,
		 "trims"},
		{{"--rw=trim --size=1M --ioengine=null", PLAIN},
		 false,
		 false,
		 BACKEND_IO_URING,
		 "never"},
		/* One that asks for its own does not decide for the other. */
		{{PLAIN " --ioengine=null", PLAIN}, false, false, BACKEND_IO_URING, "never block"},
		{{PLAIN, PLAIN " --direct=0 --sync=sync"}, false, false, BACKEND_THREADS, "one at"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct setting setting;

		begin(&setting, cases[i].lists, cases[i].lists[1] ? 2 : 1);
		uring_refused = cases[i].refused;
		setting.info.nowait = !cases[i].blocks;
		choose(&setting);
		if (setting.backend != cases[i].backend || !strstr(setting.reason, cases[i].reason))
			fail_msg("case %zu: %s, %s", i, backend_names[setting.backend],
				 setting.reason);
		end(&setting);
	}
}

static void test_unchecked_device(void **state)
{
	static const char *const lists[] = {PLAIN};
	struct setting setting;

	(void)state;
	uring_refused = false;
	begin(&setting, lists, 1);
	setting.info.nowait = setting.info.checked = false; /* not opened: a run measures */
	choose(&setting);
	assert_int_equal(setting.backend, BACKEND_IO_URING);
	end(&setting);
}

static void test_levels(void **state)
{
	static const char *const lists[] = {PLAIN " --ioengine=io_uring",
					    PLAIN " --ioengine=threads", PLAIN};
	struct setting setting;

	(void)state;
	begin(&setting, lists, 3);
	/* Apart from a comparison io_uring is only a wish. */
	assert_int_equal(inspect_backend(&setting.plan, &setting.samples[0], BACKEND_THREADS, true),
			 BACKEND_THREADS);
	setting.factor.name = (char *)"ioengine";
	setting.factor.option = option_at(OPTION_ID_IOENGINE);
	setting.definition.factor_count = 1;
	setting.definition.factors = &setting.factor;
	assert_int_equal(inspect_backend(&setting.plan, &setting.samples[0], BACKEND_THREADS, true),
			 BACKEND_IO_URING);
	assert_int_equal(
		inspect_backend(&setting.plan, &setting.samples[0], BACKEND_THREADS, false),
		BACKEND_THREADS);
	assert_int_equal(
		inspect_backend(&setting.plan, &setting.samples[1], BACKEND_IO_URING, true),
		BACKEND_THREADS);
	assert_int_equal(
		inspect_backend(&setting.plan, &setting.samples[2], BACKEND_IO_URING, true),
		BACKEND_IO_URING);
	assert_true(inspect_moves_data(&setting.plan, 0, BACKEND_THREADS));
	assert_false(inspect_moves_data(&setting.plan, 1, BACKEND_THREADS));
	end(&setting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_unchecked_device),
		cmocka_unit_test(test_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
