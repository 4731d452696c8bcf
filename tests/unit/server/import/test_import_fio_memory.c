/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_import_fio_memory.c - fio's text imported and the result written and read again with the
 * n-th allocation failing, for every n: no crash, no leak (ASan), and an answer that says so.
 * (jansson's and the memory streams' own allocations are not among them.)
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

#include "server/codec/result_text.h"
#include "server/import/import.h"
#include "tests/unit/failing_allocation.h"

#define LATENCY(more)                                                                              \
	"{\"min\":10000,\"max\":100200,\"mean\":70000.5,\"stddev\":42000.25,\"N\":300" more "}"
#define BINS ",\"bins\":{\"10048\":100,\"99840\":200},\"percentile\":{\"99.000000\":99840}"
#define JOB(name, more)                                                                            \
	"{\"jobname\":\"" name                                                                     \
	"\",\"groupid\":0,\"error\":5,\"job options\":{\"rw\":\"randread\","                       \
	"\"bs\":\"4k\",\"filename\":\"/dev/sdx\"},\"read\":{\"io_bytes\":1228800,"                 \
	"\"io_kbytes\":1200,\"bw_bytes\":614400,\"iops\":150.0,\"runtime\":2000,"                  \
	"\"total_ios\":300,\"slat_ns\":" LATENCY("") ",\"clat_ns\":" LATENCY(                      \
		more) ",\"lat_ns\":" LATENCY("") "},\"sync\":{\"lat_ns\":" LATENCY(more) "}}"

static const char text[] =
	"a line before\n{\"fio version\":\"fio-3.33\",\"time\":\"now\",\"jobs\":[" JOB(
		"a", BINS) "," JOB("b", ",\"percentile\":{\"99.000000\":99840}") "]}";

/* Imports two files with `allowed` allocations, writes what comes of it and reads that. Whether all
 * of it was done. */
static bool all_done(size_t allowed)
{
	const struct import_file files[] = {
		{.name = "dir/a.json", .text = text, .size = sizeof(text) - 1},
		{.name = "b.json", .label = "b", .text = text, .size = sizeof(text) - 1},
	};
	const char *const labels[] = {"another name"};
	const struct import_request request = {.description = "what it is",
					       .label_count = 1,
					       .labels = labels,
					       .file_count = 2,
					       .files = files};
	struct result result, again;
	struct error err = {0};
	char *document = NULL;
	size_t size = 0;
	int r;

	result_init(&result);
	result_init(&again);
	failing_left = allowed;
	r = import_files(&request, &result, &err);
	if (r < 0 && (r != -ENOMEM || err.code != ERROR_NO_MEMORY)) {
		failing_left = SIZE_MAX;
		fail_msg("%zu: %d %s: %s", allowed, r, err.field, err.message);
	}
	if (r == 0)
		document = result_encode_text(&result, &size);
	r = document ? result_decode_text(document, size, &again, &err) : -ENOMEM;
	failing_left = SIZE_MAX;
	if (r == 0)
		assert_int_equal(again.sample_count, 4);
	result_done(&result);
	result_done(&again);
	free(document);
	return r == 0;
}

static void every_allocation_may_fail(void **state)
{
	size_t n = 0;

	(void)state;
	while (!all_done(n))
		n++;
	assert_true(n > 100);
	print_message("%zu allocations\n", n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
