/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_data.c - what writes hold: zeros, the share of zeros and of repetitions, by each backend. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "engine/io/data.h"
#include "engine/io/measure.h"
#include "engine/plan/written.h"

#define BLOCK ((size_t)4096)
#define BLOCKS 4096

static const enum backend_kind backends[] = {BACKEND_IO_URING, BACKEND_THREADS};

static void set(struct workload *workload, const char *options)
{
	char *copy = strdup(options), *rest = copy, *word;
	struct error err;

	assert_non_null(copy);
	workload_init(workload);
	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');

		*value++ = '\0';
		if (option_parse(option_find(word), value, workload, &err) < 0)
			fail_msg("%s: %s", word, err.message);
	}
	free(copy);
	if (workload_complete(workload, &err) < 0)
		fail_msg("%s", err.message);
}

static size_t zeros_in(const unsigned char *data, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += data[i] == 0;
	return count;
}

/* ---- made data ---- */

static void test_made_is_what_its_key_says(void **unused)
{
	static unsigned char one[100000], two[100000];

	(void)unused;
	data_make(one, 99000, 5, 0, 0);
	data_make(two, 99000, 5, 0, 0);
	assert_memory_equal(one, two, 99000);
	data_make(two, 99000, 6, 0, 0);
	for (size_t at = 0; at + 8 <= 99000; at += 8)
		assert_memory_not_equal(one + at, two + at, 8);
	/* the table is gone through three times, each time with another key */
	for (size_t at = 0; at + DATA_TABLE + 8 <= 99000; at += 8)
		assert_memory_not_equal(one + at, one + at + DATA_TABLE, 8);
	/* a shorter one is the begin of a longer one, where nothing goes by the whole */
	data_make(two, 700, 5, 0, 0);
	assert_memory_equal(one, two, 700);
}

static void test_zeros_by_the_share(void **unused)
{
	const struct {
		uint32_t percent;
		uint64_t chunk;
		size_t bytes;
	} cases[] = {{50, 512, 4096},	{10, 512, 4096},    {33, 512, 65536}, {100, 512, 4096},
		     {50, 0, 1 << 17},	{90, 100, 12345},   {1, 7, 4096},     {75, 1 << 20, 8192},
		     {25, 3000, 10007}, {99, 65536, 200000}};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t size = cases[i].bytes;
		unsigned char *data = malloc(size + 64);
		double zeros;

		assert_non_null(data);
		memset(data, 0xaa, size + 64);
		data_make(data, size, 77 + i, cases[i].percent, cases[i].chunk);
		zeros = (double)zeros_in(data, size) / (double)size * 100;
		/* random bytes are zero now and then; shares of chunks are rounded */
		assert_true(zeros >= cases[i].percent - 0.5);
		assert_true(zeros <= cases[i].percent + 1 + (cases[i].chunk < 512 ? 15 : 0));
		for (size_t at = size + 8; at < size + 64; at++)
			assert_int_equal(data[at], 0xaa); /* nothing behind it but a word's rest */
		free(data);
	}
}

static void test_keys_repeat_by_the_share(void **unused)
{
	const unsigned int percents[] = {0, 1, 30, 50, 99, 100};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		struct workload workload;
		struct data data;
		uint64_t before;
		char options[64];
		size_t same = 0;

		(void)snprintf(options, sizeof(options), "rw=write dedupe_percentage=%u",
			       percents[i]);
		set(&workload, options);
		data_init(&data, &workload, 3);
		before = data_draw(&data);
		for (size_t n = 0; n < 100000; n++) {
			uint64_t key = data_draw(&data);

			same += key == before;
			before = key;
		}
		assert_true(same >= 1000 * percents[i] - (percents[i] % 100 ? 700 : 0));
		assert_true(same <= 1000 * percents[i] + (percents[i] % 100 ? 700 : 0));
		workload_done(&workload);
	}
}

/* ---- on a file ---- */

/* Writes BLOCKS blocks, each once, over what the file holds, and reads it into data. */
static void measure(const char *options, enum backend_kind backend, unsigned char *data)
{
	int fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct measure_region region = {.fd = fd, .length = BLOCK * BLOCKS};
	struct workload workload;
	const struct measure_spec spec = {
		.workload = &workload,
		.backend = backend,
		.seed = 11,
		.region_count = 1,
		.regions = &region,
	};
	struct sample sample;
	struct error err;

	assert_true(fd >= 0);
	set(&workload, options);
	sample_init(&sample);
	assert_int_equal(pwrite(fd, data, BLOCK * BLOCKS, 0), BLOCK * BLOCKS);
	if (measure_run(&spec, &sample, &err) < 0)
		fail_msg("%s: %s", options, err.message);
	assert_int_equal(pread(fd, data, BLOCK * BLOCKS, 0), BLOCK * BLOCKS);
	assert_int_equal(close(fd), 0);
	sample_done(&sample);
	workload_done(&workload);
}

#define WHOLE " bs=4k size=16m time_based=0 iodepth=8 direct=0"

/* A read leaves its data in the buffer that the next write of a mix is made in. */
static void test_zeros_in_a_mix(void **unused)
{
	unsigned char *data = malloc(BLOCK * BLOCKS);

	(void)unused;
	assert_non_null(data);
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		size_t written = 0;

		memset(data, 0xaa, BLOCK * BLOCKS);
		measure("rw=randrw zero_buffers=1" WHOLE, backends[i], data);
		for (size_t at = 0; at < BLOCK * BLOCKS; at += BLOCK) {
			size_t zeros = zeros_in(data + at, BLOCK);

			assert_true(zeros == 0 || zeros == BLOCK);
			written += zeros > 0;
		}
		assert_true(written > BLOCKS / 3 && written < BLOCKS / 3 * 2);
	}
	free(data);
}

static void test_zeros_scrambled_where_asked(void **unused)
{
	unsigned char *data = malloc(BLOCK * BLOCKS);

	(void)unused;
	assert_non_null(data);
	for (size_t i = 0; i < ARRAY_SIZE(backends); i++) {
		memset(data, 0xaa, BLOCK * BLOCKS);
		measure("rw=write zero_buffers=1 scramble_buffers=1" WHOLE, backends[i], data);
		for (size_t at = 0; at < BLOCK * BLOCKS; at += 512) {
			size_t zeros = zeros_in(data + at, 512);

			assert_true(zeros < 512 && zeros >= 512 - 24);
		}
	}
	free(data);
}

/* ---- options ---- */

static void refused(const char *options, const char *field)
{
	struct workload workload;
	struct error err;

	workload_init(&workload);
	set(&workload, "rw=write");
	workload.set = (struct option_set){0};
	if (strstr(options, "zero"))
		assert_int_equal(option_parse(option_find("zero_buffers"), "1", &workload, &err),
				 0);
	if (strstr(options, "refill"))
		assert_int_equal(option_parse(option_find("refill_buffers"), "0", &workload, &err),
				 0);
	if (strstr(options, "compress"))
		assert_int_equal(option_parse(option_find("buffer_compress_percentage"), "5",
					      &workload, &err),
				 0);
	if (strstr(options, "dedupe"))
		assert_int_equal(
			option_parse(option_find("dedupe_percentage"), "5", &workload, &err), 0);
	assert_true(workload_complete(&workload, &err) < 0);
	assert_int_equal(err.code, ERROR_CONFLICT);
	assert_string_equal(err.field, field);
	workload_done(&workload);
}

static void test_conflicts(void **unused)
{
	(void)unused;
	refused("zero compress", "zero_buffers");
	refused("zero dedupe", "zero_buffers");
	refused("refill compress", "refill_buffers");
	refused("refill dedupe", "refill_buffers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_is_what_its_key_says),
		cmocka_unit_test(test_zeros_by_the_share),
		cmocka_unit_test(test_keys_repeat_by_the_share),
		cmocka_unit_test(test_zeros_in_a_mix),
		cmocka_unit_test(test_zeros_scrambled_where_asked),
		cmocka_unit_test(test_conflicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
