/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_import_memory.c - the readers with the n-th allocation failing, for every n: no crash, no
 * leak (ASan), and an answer that says so and nothing else.
 *
 * link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=strdup
 *
 * link: -Wl,--wrap=strndup
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/import/import.h"
#include "tests/unit/failing_allocation.h"

char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);

char *__wrap_strndup(const char *text, size_t size)
{
	return failing_now() ? NULL : __real_strndup(text, size);
}

static const char table[] =
	"{\"schema\": \"volbench.table/1\", \"name\": \"n\", \"system\": {\"os\": \"x\"}, "
	"\"workloads\": [{\"name\": \"A\", \"fio\": \"--rw=read --bs=4k\"}, {\"name\": \"B\", "
	"\"diskspd\": \"-w -b8K -w100\"}, {\"name\": \"C\", \"metadata\": \"create\"}], \"rows\": "
	"[{\"levels\": {\"volblocksize\": \"4K\", \"bs\": \"4k\"}, \"cells\": {\"A\": {\"read\": "
	"{\"iops\": [\"1k\", \"2k\"], \"latency\": {\"percentiles\": {\"99\": [\"1 ms\", \"2 "
	"ms\"]}}}}, \"B\": {\"write\": \"5k / 5 MiB\"}, \"C\": {\"files\": {\"sequential create\": "
	"5}}}}]}";

static const char changes[] =
	"{\"schema\": \"volbench.table/1\", \"base\": {\"a\": \"1\"}, \"workloads\": [{\"name\": "
	"\"A\"}], \"rows\": [{\"levels\": {\"a\": \"2\"}, \"cells\": {\"A\": {\"read\": {\"iops\": "
	"\"5 %\"}}}}]}";

static const char diskspd[] =
	"Command Line: diskspd -w100 -b4K \"a b\"\nactual test time: 2.00s\nRead IO\n"
	"thread|bytes|I/Os|MiB/s|I/O per s|AvgLat\ntotal: 0|0|0.0|0.0|0.0\nWrite IO\n"
	"total: 4096|1|0.0|0.5|1.0\n%-ile|Read (ms)|Write "
	"(ms)\n50th|N/A|1.0|1.0\nmax|N/A|1.0|1.0\n";

static const char xml[] =
	"<Results><Profile><TimeSpans><TimeSpan><Targets><Target><WriteRatio>100</WriteRatio>"
	"</Target></Targets></TimeSpan></TimeSpans></Profile><TimeSpan><TestTimeSeconds>1.0"
	"</TestTimeSeconds><Latency><Bucket><Percentile>50</Percentile><WriteMilliseconds>1.0"
	"</WriteMilliseconds></Bucket></Latency><Thread><Target><WriteCount>1</WriteCount>"
	"<WriteBytes>65536</WriteBytes></Target></Thread></TimeSpan></Results>";

static const char bonnie[] =
	"1.98,2.00a,a,1,1,64M,8k,8192,5,510,99,31485,14,20000,9,+++++,+++,64000,21,450.3,7,16,1024,"
	"1024,,,1099,37,+++++,+++,5000,80,1150,30,,,890,3,1us,1us,1us,1us,1us,1us,1us,1us,1us,1us,"
	"1us,1us\n1.98,2.00a,b,1,1,64M,8k,8192,5,510,99,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n";

static const char dd[] =
	"dd if=/a of=/dev/null\n1+0 records in\n1+0 records out\n512 bytes copied, "
	"1 s, 512 B/s\ndd if=/dev/zero of=/b\n1+0 records in\n1+0 records out\n512 "
	"bytes copied, 1 s, 512 B/s\n";

/* Until it works; returns how many allocations that took. */
static size_t run(const char *text)
{
	for (size_t n = 0;; n++) {
		const struct import_file file = {
			.name = "a", .label = "b", .text = text, .size = strlen(text)};
		const struct import_request request = {.file_count = 1, .files = &file};
		struct result result;
		struct error err = {0};
		int r;

		result_init(&result);
		failing_left = n;
		r = import_files(&request, &result, &err);
		failing_left = SIZE_MAX;
		result_done(&result);
		if (r == 0)
			return n;
		if (r != -ENOMEM || err.code != ERROR_NO_MEMORY)
			fail_msg("allocation %zu: %d %s: %s", n, r, error_code_text(err.code),
				 err.message);
	}
}

static void test_readers(void **state)
{
	const char *const texts[] = {table, changes, diskspd, xml, bonnie, dd};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_true(run(texts[i]) > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
