/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_summary_zfs.c - what a terminal is told of OpenZFS; with SHOW in the environment it is
 * printed, to be looked at. */
#include "server/summary_zfs.h"

#include "server/summary.h"
#include "tests/unit/web/hostile.h"
#include "tests/unit/web/synthetic.h"

static const struct synthetic shape = {
	.name = "Three sizes of blocks",
	.state = RUN_DONE,
	.repeats = 3,
	.seconds = 10,
	.noise = 0.02,
	.zfs = true,
	.workloads = {{"Search", "--rw=randread --size=1G --bs=8k", 40000},
		      {"Ingest", "--rw=randwrite --size=1G --bs=4k", 21000}},
	.factors = {{"volblocksize", {"4K", "16K", "128K"}}},
};

static char *summary_of(const struct result *result, size_t width)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(summary_print(result, out, width), 0);
	assert_int_equal(fclose(out), 0);
	if (getenv("SHOW"))
		printf("%s\n", text);
	return text;
}

static void assert_has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("lacks: %s\n%s", what, text);
}

/* No line is wider than asked, or a table that cannot be narrower. */
static void assert_fits(const char *text, size_t width)
{
	while (*text) {
		size_t length = strcspn(text, "\n"), shown = 0;

		for (size_t i = 0; i < length; i++)
			shown += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (shown > width)
			fail_msg("%zu characters: %.*s", shown, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void pool_figures_and_volumes(void **state)
{
	struct result result;
	char *text;

	(void)state;
	synthetic_make(&shape, &result);
	(void)snprintf(result.id, sizeof(result.id), "20261130-113000-abc123");
	text = summary_of(&result, 80);
	assert_has(text, "zvols beneath tank/volbench\n");
	assert_has(text, "Pool tank on OpenZFS 2.3.2-1: 4 x mirror of 2, ashift 12");
	assert_has(text, "volblocksize=16K");
	assert_has(text, "% from disks");
	assert_has(text, "written, x");
	assert_has(text, "1.00x");
	assert_int_equal(strstr(text, "unknown") != NULL, 0);
	assert_has(text, "before its first sample:\nname  volblocksize  ");
	assert_has(text, "\n-3    128K");
	assert_fits(text, 80);
	free(text);
	(void)snprintf(result.id, sizeof(result.id), "another");
	text = summary_of(&result, 140);
	assert_has(text, "\nvolbench-20261130-113000-abc123-3  128K");
	assert_fits(text, 140);
	free(text);
	result_done(&result);
}

/* What is not known is told so, and what a workload does not do is left out. */
static void unknown_is_no_figure(void **state)
{
	struct result result;
	size_t count = 0;
	char *text;

	(void)state;
	synthetic_make(&shape, &result);
	for (size_t i = 0; i < result.sample_count; i++) {
		result.samples[i].zfs->pool.known = false;
		result.samples[i].zfs->compress_ratio = 0;
	}
	result.targets[0].zfs = (struct zfs_facts){.pool = "tank", .fragmentation_percent = -1};
	text = summary_of(&result, 100);
	assert_has(text, "Pool tank on OpenZFS of unknown version: layout unknown\n");
	for (const char *at = text; (at = strstr(at, "unknown")); at++)
		count++;
	assert_int_equal(count, 2 + 3 + 3 + 3); /* the pool; read, written, ratio a level */
	free(text);
	result_done(&result);
}

static void nothing_without_zfs(void **state)
{
	struct synthetic other = shape;
	struct result result;
	char *text;

	(void)state;
	other.zfs = false;
	other.factors[0] = (struct synthetic_factor){"bs", {"4k", "8k"}};
	synthetic_make(&other, &result);
	text = summary_of(&result, 80);
	assert_null(strstr(text, "ARC"));
	free(text);
	result_done(&result);
}

/* Control characters never reach the terminal. */
static void hostile_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile_texts); i++) {
		struct synthetic other = shape;
		struct result result;
		char *text;

		other.workloads[0].name = "First";
		other.factors[0].levels[0] = "1";
		other.repeats = 1;
		synthetic_make(&other, &result);
		synthetic_taint(&result, hostile_texts[i]);
		text = summary_of(&result, 80);
		for (const char *at = text; *at; at++)
			assert_true((unsigned char)*at >= 0x20 || *at == '\n');
		free(text);
		result_done(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool_figures_and_volumes),
		cmocka_unit_test(unknown_is_no_figure),
		cmocka_unit_test(nothing_without_zfs),
		cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
