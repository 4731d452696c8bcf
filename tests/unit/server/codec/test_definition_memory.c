/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_definition_memory.c - a definition of zvols and datasets read, planned, and written for fio
 * with the n-th allocation failing, for every n: no crash, no leak (ASan), and an answer that says
 * so. (jansson's own allocations are not among them.)
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/plan/fio_job.h"
#include "engine/plan/plan.h"
#include "server/codec/definition.h"
#include "tests/unit/failing_allocation.h"

static int lookup(void *arg, const char *name, char **ret_text)
{
	(void)arg;
	(void)name;
	*ret_text = __real_strdup(
		"{\"targets\": [{\"name\": \"a\", \"dataset\": {\"properties\": {\"copies\": 2}}}, "
		"{\"name\": \"b\", \"zvol\": {\"size\": \"1m\"}}], \"factors\": {\"copies\": [1]}, "
		"\"workloads\": [{\"rw\": \"randread\", \"size\": \"64k\"}, {\"rw\": \"write\", "
		"\"size\": \"1m\"}]}");
	return *ret_text ? 0 : -ENOMEM;
}

static const char request[] =
	"{\"definition\": \"saved\", \"parent\": \"tank/a\", \"factors\": {\"sync\": [\"always\", "
	"\"standard\"], \"compression\": [\"off\", \"gzip-6\"], \"direct\": [0, 1]}}";

/* Reads, plans and writes with `allowed` allocations. Whether all of it was done. */
static bool all_done(size_t allowed)
{
	const struct machine machine = {.memory_bytes = UINT64_C(1) << 30, .cpus = 1};
	struct definition definition;
	struct error err = {0};
	struct plan plan;
	char *text = NULL, *job = NULL;
	size_t size;
	FILE *out = open_memstream(&job, &size);
	int r;

	definition_init(&definition);
	failing_left = allowed;
	r = definition_decode_text(request, strlen(request), lookup, NULL, &definition, &err);
	if (r == 0) {
		r = plan_make(&definition, &machine, &plan, &err);
		if (r == 0)
			plan_done(&plan);
		if (r == 0)
			r = fio_job_write(&definition, out, &err);
		if (r == 0)
			text = definition_encode_text(&definition);
	}
	failing_left = SIZE_MAX;
	if (r < 0 && err.code != ERROR_NO_MEMORY)
		fail_msg("after %zu: %s at %s: %s", allowed, error_code_text(err.code), err.field,
			 err.message);
	free(text);
	definition_done(&definition);
	fclose(out);
	free(job);
	return r == 0 && text;
}

static void test_each_allocation_may_fail(void **state)
{
	size_t allowed = 0;

	(void)state;
	while (!all_done(allowed))
		assert_true(++allowed < 100000);
	assert_true(allowed > 300); /* it was tried */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation_may_fail)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
