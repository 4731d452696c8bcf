/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_result_csv.c - the table read back by a reader of RFC 4180: columns, figures, hostile texts.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/clock.h"
#include "server/codec/result_csv.h"
#include "tests/unit/server/codec/fixture.h"

#define COLUMNS_MAX 112
#define ROWS_MAX 16

struct table {
	char *text; /* cells point into it */
	char *cells[ROWS_MAX][COLUMNS_MAX];
	size_t rows, columns[ROWS_MAX];
};

/* Cuts one cell off *rest in place; returns what ended it: ',', '\n' (CRLF) or 0. */
static char cut_cell(char **rest, char **ret_cell)
{
	char *in = *rest, *out = *rest;
	bool quoted = *in == '"';
	char end;

	*ret_cell = out;
	if (quoted)
		in++;
	for (; *in; in++) {
		if (quoted && *in == '"' && *++in != '"')
			quoted = false;
		else if (!quoted && *in == '"')
			fail_msg("a quote inside an unquoted cell");
		if (!quoted && (*in == ',' || *in == '\r'))
			break;
		*out++ = *in;
	}
	end = *in;
	if (end == '\r')
		assert_int_equal(*++in, '\n');
	*rest = end ? in + 1 : in;
	*out = '\0';
	return end == '\r' ? '\n' : end;
}

static void read_table(char *text, struct table *table)
{
	char *rest = text;

	memset(table, 0, sizeof(*table));
	table->text = text;
	while (*rest) {
		char end;

		do {
			size_t *column = &table->columns[table->rows];

			assert_true(*column < COLUMNS_MAX && table->rows < ROWS_MAX);
			end = cut_cell(&rest, &table->cells[table->rows][(*column)++]);
		} while (end == ',');
		assert_int_equal(end, '\n'); /* the last line ends too */
		table->rows++;
	}
}

static const char *cell(const struct table *table, size_t row, const char *column)
{
	for (size_t i = 0; i < table->columns[0]; i++)
		if (strcmp(table->cells[0][i], column) == 0)
			return table->cells[row][i];
	fail_msg("no column %s", column);
	return NULL;
}

static void start_factor(struct factor *factor, const char *name)
{
	factor->name = fixture_text(name);
	factor->level_count = 1;
	factor->levels = calloc(1, sizeof(*factor->levels));
	assert_non_null(factor->levels);
	factor->levels[0] = fixture_text("8");
}

/* The full sample, and a small one of reads alone. */
static void start(struct result *result)
{
	struct sample *small;

	result_init(result);
	result->definition.factor_count = 2;
	result->definition.factors = calloc(2, sizeof(*result->definition.factors));
	result->samples = calloc(2, sizeof(*result->samples));
	assert_non_null(result->definition.factors);
	assert_non_null(result->samples);
	start_factor(&result->definition.factors[0], "target");
	start_factor(&result->definition.factors[1], "iodepth");
	result->sample_count = 2;
	fixture_sample(&result->samples[0]);
	small = &result->samples[1];
	sample_init(small);
	small->order = 18;
	small->workload = fixture_text("-1+1\r\nnext");
	fixture_level(small, "iodepth", "@x");
	small->repeat = 1;
	small->target = fixture_text("/dev/zero");
	small->backend = fixture_text("threads");
	small->seconds = 0.1;
	fixture_workload(&small->options, "rw=randread size=1m");
	fixture_direction(&small->directions[DIRECTION_READ], 15, 4096, 1000, false);
}

static void every_row_has_every_column(void **state)
{
	struct table table;
	struct result result;

	(void)state;
	start(&result);
	read_table(result_csv(&result), &table);
	assert_int_equal(table.rows, 4);
	for (size_t i = 1; i < table.rows; i++)
		assert_int_equal(table.columns[i], table.columns[0]);
	assert_string_equal(table.cells[0][2], "target");
	assert_string_equal(table.cells[0][3], "iodepth");
	free(table.text);
	result_done(&result);
}

/* Empty where it is not judged, and of what is not the whole. */
static void steadiness_has_columns(void **state)
{
	struct table table;
	struct result result;
	struct series *series;

	(void)state;
	start(&result);
	series = &result.samples[1].series;
	free(series->seconds);
	series->seconds = calloc(10, sizeof(*series->seconds));
	assert_non_null(series->seconds);
	series->count = 10;
	series->ramp_count = 0;
	series->last_span_ns = NS_PER_S;
	for (size_t i = 0; i < 10; i++)
		series->seconds[i].ios[DIRECTION_READ] = i < 2 ? 200 : 100;
	read_table(result_csv(&result), &table);
	assert_string_equal(cell(&table, 1, "steady"), "");
	assert_string_equal(cell(&table, 1, "slope_percent"), "");
	assert_string_equal(cell(&table, 3, "steady"), "0");
	/* rounds of 200, 100, 100, 100, 100: mean 120, slope -20 a round */
	assert_true(fabs(strtod(cell(&table, 3, "excursion_percent"), NULL) - 100 / 1.2) < 1e-9);
	assert_true(fabs(strtod(cell(&table, 3, "slope_percent"), NULL) + 80 / 1.2) < 1e-9);
	for (size_t i = 1; i < table.rows; i++)
		assert_int_equal(table.columns[i], table.columns[0]);
	free(table.text);
	result_done(&result);
}

/* Only where a target lay on OpenZFS, and empty for what does not or is not known. */
static void zfs_has_columns_where_it_is(void **state)
{
	struct table table;
	struct result result;
	struct sample_zfs *zfs;

	(void)state;
	start(&result);
	zfs = result.samples[0].zfs;
	read_table(result_csv(&result), &table);
	assert_string_equal(cell(&table, 1, "zfs_dataset"), "tank/volbench/volbench-x");
	assert_string_equal(cell(&table, 1, "zfs_arc_misses"), "900");
	assert_string_equal(cell(&table, 1, "zfs_arc_prefetch_misses"), "50");
	assert_string_equal(cell(&table, 1, "zfs_log_written_bytes"), "4096");
	assert_string_equal(cell(&table, 1, "zfs_compress_ratio"), "1.01");
	assert_string_equal(cell(&table, 1, "zfs_read_amplification"), "4");
	assert_true(strtod(cell(&table, 2, "zfs_write_amplification"), NULL) ==
		    sample_zfs_write_amplification(zfs));
	assert_true(strtod(cell(&table, 1, "zfs_from_devices"), NULL) ==
		    sample_zfs_from_devices(zfs));
	assert_string_equal(cell(&table, 3, "zfs_dataset"), "");
	assert_string_equal(cell(&table, 3, "zfs_write_amplification"), "");
	free(table.text);
	zfs->arc.known = zfs->pool.known = false;
	read_table(result_csv(&result), &table);
	for (size_t i = 1; i < table.rows; i++)
		assert_int_equal(table.columns[i], table.columns[0]);
	assert_string_equal(cell(&table, 1, "zfs_arc_misses"), "");
	assert_string_equal(cell(&table, 1, "zfs_from_devices"), "");
	assert_string_equal(cell(&table, 1, "zfs_pool_written_bytes"), "");
	assert_string_equal(cell(&table, 1, "zfs_write_amplification"), "");
	free(table.text);
	sample_zfs_done(zfs);
	free(zfs);
	result.samples[0].zfs = NULL;
	read_table(result_csv(&result), &table);
	for (size_t i = 0; i < table.columns[0]; i++)
		assert_null(strstr(table.cells[0][i], "zfs"));
	free(table.text);
	result_done(&result);
}

static void figures_are_exact(void **state)
{
	const struct sample *sample;
	struct table table;
	struct result result;

	(void)state;
	start(&result);
	sample = &result.samples[0];
	read_table(result_csv(&result), &table);
	assert_string_equal(cell(&table, 1, "order"), "17");
	assert_string_equal(cell(&table, 1, "direction"), "read");
	assert_string_equal(cell(&table, 2, "direction"), "write");
	assert_string_equal(cell(&table, 1, "started"), "2026-11-30T11:50:05.389Z");
	assert_string_equal(cell(&table, 1, "ios"), "20000");
	assert_string_equal(cell(&table, 2, "bytes"), "1114112000");
	assert_true(strtod(cell(&table, 1, "iops"), NULL) == sample_iops(sample, DIRECTION_READ));
	assert_true(strtod(cell(&table, 2, "bw_bytes_per_s"), NULL) ==
		    sample_bandwidth(sample, DIRECTION_WRITE));
	assert_string_equal(cell(&table, 1, "seconds"), "2.0123456789");
	assert_true(strtod(cell(&table, 1, "lat_mean_ns"), NULL) ==
		    histogram_mean_ns(sample->directions[DIRECTION_READ].latency));
	assert_int_equal(strtoull(cell(&table, 1, "lat_p99.9_ns"), NULL, 10),
			 histogram_percentile_ns(sample->directions[DIRECTION_READ].latency, 99.9));
	assert_string_equal(cell(&table, 1, "lat_p99.99_ns"), ""); /* 20,000 do not support it */
	assert_string_equal(cell(&table, 1, "sync_ios"), "265");
	assert_string_equal(cell(&table, 1, "end_fsync_ios"), "2");
	assert_string_equal(cell(&table, 1, "device"), "vda");
	assert_string_equal(cell(&table, 1, "device_written_bytes"), "1179648000");
	assert_string_equal(cell(&table, 1, "machine_busy_s"), "3.0000001");
	assert_string_equal(cell(&table, 3, "direction"), "read");
	assert_string_equal(cell(&table, 3, "lat_p50_ns"), "");
	assert_string_equal(cell(&table, 3, "sync_ios"), "0");
	assert_string_equal(cell(&table, 3, "device"), "");
	assert_string_equal(cell(&table, 3, "device_reads"), "");
	free(table.text);
	result_done(&result);
}

/* Of each sample its own percentiles, under columns for all; both latencies where there are two. */
static void percentiles_and_intended_starts(void **state)
{
	const struct direction_result *read;
	struct table table;
	struct result result;

	(void)state;
	start(&result);
	read = &result.samples[0].directions[DIRECTION_READ];
	fixture_option(&result.samples[0].options, "percentile_list", "12.5:99.5");
	read_table(result_csv(&result), &table);
	assert_int_equal(strtoull(cell(&table, 1, "lat_p12.5_ns"), NULL, 10),
			 histogram_percentile_ns(read->latency, 12.5));
	assert_int_equal(strtoull(cell(&table, 1, "intended_p99.5_ns"), NULL, 10),
			 histogram_percentile_ns(read->intended, 99.5));
	assert_int_equal(strtoull(cell(&table, 1, "intended_max_ns"), NULL, 10),
			 read->intended->max_ns);
	assert_string_equal(cell(&table, 1, "lat_p99_ns"), "");
	assert_string_equal(cell(&table, 3, "lat_p12.5_ns"), "");
	assert_string_equal(cell(&table, 3, "intended_mean_ns"), "");
	for (size_t i = 1; i < table.rows; i++)
		assert_int_equal(table.columns[i], table.columns[0]);
	free(table.text);
	for (int d = 0; d < DIRECTION_COUNT; d++) {
		free(result.samples[0].directions[d].intended);
		result.samples[0].directions[d].intended = NULL;
	}
	read_table(result_csv(&result), &table);
	for (size_t i = 0; i < table.columns[0]; i++)
		assert_null(strstr(table.cells[0][i], "intended"));
	free(table.text);
	result_done(&result);
}

/* Behind the rows of a sample those of its named jobs. */
static void jobs_have_rows(void **state)
{
	struct table table;
	struct result result;
	struct workload part;
	struct sample *sample;
	struct error err;
	size_t blamed;

	(void)state;
	start(&result);
	sample = &result.samples[1];
	workload_done(&sample->options);
	fixture_workload(&part, "name=reader rw=randread size=1m");
	assert_int_equal(workload_add_part(&sample->options, &part), 0);
	fixture_workload(&part, "name==log rw=write size=1m");
	assert_int_equal(workload_add_part(&sample->options, &part), 0);
	assert_int_equal(workload_join(&sample->options, &blamed, &err), 0);
	sample->job_count = 2;
	sample->jobs = calloc(2, sizeof(*sample->jobs));
	assert_non_null(sample->jobs);
	sample->jobs[0].name = fixture_text("reader");
	sample->jobs[0].seconds = 0.05;
	fixture_direction(&sample->jobs[0].directions[DIRECTION_READ], 15, 4096, 1000, false);
	sample->jobs[1].name = fixture_text("=log");
	sample->jobs[1].seconds = 0.1;
	fixture_direction(&sample->jobs[1].directions[DIRECTION_WRITE], 7, 8192, 1000, false);
	sample->jobs[1].sync = fixture_histogram(6, 3000);
	read_table(result_csv(&result), &table);
	assert_int_equal(table.rows, 1 + 2 + 2 + 2);
	for (size_t i = 1; i < table.rows; i++)
		assert_int_equal(table.columns[i], table.columns[0]);
	assert_string_equal(cell(&table, 1, "job"), "");
	assert_string_equal(cell(&table, 5, "job"), "reader");
	assert_string_equal(cell(&table, 5, "direction"), "read");
	assert_string_equal(cell(&table, 5, "iops"), "300");
	assert_string_equal(cell(&table, 5, "sync_ios"), "0");
	assert_true(strtod(cell(&table, 5, "depth_mean"), NULL) ==
		    sample_job_depth(&sample->jobs[0]));
	assert_string_equal(cell(&table, 6, "job"), "'=log");
	assert_string_equal(cell(&table, 6, "direction"), "write");
	assert_string_equal(cell(&table, 6, "bytes"), "57344");
	assert_string_equal(cell(&table, 6, "sync_ios"), "6");
	assert_string_equal(cell(&table, 6, "cpu_user_s"), "");
	assert_string_equal(cell(&table, 6, "device_weighted_ms"), "");
	free(table.text);
	result_done(&result);
}

static void hostile_texts_are_no_formulas(void **state)
{
	struct table table;
	struct result result;

	(void)state;
	start(&result);
	read_table(result_csv(&result), &table);
	assert_string_equal(cell(&table, 1, "workload"), "mix \"70/30\", <b>");
	assert_string_equal(cell(&table, 1, "target"), "'=HYPERLINK(1)");
	assert_string_equal(cell(&table, 3, "workload"), "'-1+1\r\nnext");
	assert_string_equal(cell(&table, 3, "iodepth"), "'@x");
	assert_string_equal(cell(&table, 3, "target"), ""); /* the sample has no such level */
	free(table.text);
	result_done(&result);
}

static void a_result_without_samples_is_its_head(void **state)
{
	struct table table;
	struct result result;

	(void)state;
	result_init(&result);
	read_table(result_csv(&result), &table);
	assert_int_equal(table.rows, 1);
	assert_string_equal(table.cells[0][2], "repeat");
	free(table.text);
	result_done(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zfs_has_columns_where_it_is),
		cmocka_unit_test(every_row_has_every_column),
		cmocka_unit_test(steadiness_has_columns),
		cmocka_unit_test(figures_are_exact),
		cmocka_unit_test(percentiles_and_intended_starts),
		cmocka_unit_test(jobs_have_rows),
		cmocka_unit_test(hostile_texts_are_no_formulas),
		cmocka_unit_test(a_result_without_samples_is_its_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
