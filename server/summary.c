/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.c - see summary.h. */
#include "server/summary.h"

#include <errno.h>
#include <string.h>

#include "engine/analysis/analysis.h"
#include "engine/plan/percentiles.h"
#include "server/summary_zfs.h"
#include "server/table.h"

#define MIB (1024.0 * 1024.0)

/* Unless a workload has a list of its own. */
static const double shown_percentiles[] = {99};

/* ---- the table ---- */

/* Levels that all cells share say nothing in a row, but are few; factors of one level are left in
 * since the reader asked for them. */
static void cell_percentiles(const struct cell *cell, struct percentiles *ret_list)
{
	percentiles_of(&cell->samples[0]->options, shown_percentiles, ARRAY_SIZE(shown_percentiles),
		       ret_list);
}

/* The columns: what any cell is to show. */
static void all_percentiles(const struct cells *cells, struct percentiles *ret_all)
{
	struct percentiles own;

	ret_all->count = 0;
	for (size_t i = 0; i < cells->count; i++) {
		if (cells->list[i].sample_count == 0)
			continue;
		cell_percentiles(&cells->list[i], &own);
		percentiles_join(ret_all, &own);
	}
}

/* Changes in percent alone were told: 100 is what others are told against (told.h). */
static bool any_index(const struct result *result)
{
	for (size_t i = 0; i < result->sample_count; i++)
		if (result->samples[i].source && result->samples[i].source->index)
			return true;
	return false;
}

static bool cell_is_index(const struct cell *cell)
{
	return cell->samples[0]->source && cell->samples[0]->source->index;
}

static void put_heading(struct table *table, const struct definition *definition, bool data,
			bool index, const struct percentiles *all)
{
	table_cell(table, "workload");
	for (size_t i = 0; i < definition->factor_count; i++)
		table_cell(table, "%s", definition->factors[i].name);
	table_cell(table, "%s", "");
	table_cell(table, "%s", index ? "IOPS, 100 = base" : data ? "IOPS" : "ops/s");
	table_cell(table, "%s", index ? "MiB/s, 100 = base" : "MiB/s");
	table_cell(table, "mean");
	for (size_t i = 0; i < all->count; i++)
		table_cell(table, "p%.9g", all->values[i]);
	table_rule(table);
}

static void put_interval(struct table *table, const struct estimate_interval *interval,
			 double divisor, bool scaled)
{
	char text[TABLE_INTERVAL_MAX];
	double half;

	if (interval->count == 0) { /* not told, which is not zero */
		table_cell(table, "-");
		return;
	}
	half = interval->interval ? (interval->high - interval->low) / 2 / divisor : -1;

	table_cell(table, "%s", table_interval(interval->mean / divisor, half, scaled, text));
}

/* A percentile that another tool printed for the only sample of a cell, where as many operations
 * as it needs are not known to be missing; 0: none. */
static double told_percentile(const struct cell *cell, enum direction d, double percent)
{
	const struct sample *sample = cell->samples[0];
	const struct told_direction *told;

	if (cell->sample_count != 1 || !sample->source)
		return 0;
	told = &sample->source->directions[d];
	if (told->ios_known && !histogram_percentile_supported(sample->directions[d].ios, percent))
		return 0;
	for (size_t i = 0; i < told->percentile_count; i++)
		if (told->percentiles[i].percentile == percent)
			return told->percentiles[i].ns;
	return 0;
}

/* Latencies of a direction that another tool told without a histogram. */
static void put_told_latency(struct table *table, const struct cell *cell,
			     const struct percentiles *all, enum direction d)
{
	const struct estimate_interval *mean = &cell->directions[d].latency_mean_ns;
	char text[TABLE_FIGURE_MAX];

	table_cell(table, "%s", mean->count > 0 ? table_latency((uint64_t)mean->mean, text) : "");
	for (size_t i = 0; i < all->count; i++) {
		double ns = told_percentile(cell, d, all->values[i]);

		table_cell(table, "%s", ns > 0 ? table_latency((uint64_t)ns, text) : "");
	}
}

static void put_latency(struct table *table, const struct cell *cell, const struct percentiles *all,
			const struct histogram *latency)
{
	char text[TABLE_FIGURE_MAX];
	struct percentiles own;

	if (latency && latency->count > 0)
		table_cell(table, "%s", table_latency((uint64_t)histogram_mean_ns(latency), text));
	else
		table_cell(table, "%s", "");
	cell_percentiles(cell, &own);
	for (size_t i = 0; i < all->count; i++) {
		double percent = all->values[i];

		if (latency && percentiles_has(&own, percent) &&
		    histogram_percentile_supported(latency->count, percent))
			table_cell(table, "%s",
				   table_latency(histogram_percentile_ns(latency, percent), text));
		else
			table_cell(table, "%s", "");
	}
}

/* The columns that name a row: the workload where it is a new one, and the levels. */
static void put_names(struct table *table, const struct definition *definition,
		      const struct cell *cell, bool new_workload, bool again)
{
	table_cell(table, "%s",
		   new_workload && !again ? definition->workloads[cell->workload].name : "");
	for (size_t i = 0; i < definition->factor_count; i++)
		table_cell(table, "%s",
			   again ? "" : definition->factors[i].levels[cell->levels[i]]);
}

/* A row of latencies alone, below those of its cell: from the intended starts, or of syncs. */
static void put_latency_row(struct table *table, const struct definition *definition,
			    const struct cell *cell, const struct percentiles *all,
			    const char *name, const struct histogram *latency)
{
	put_names(table, definition, cell, false, true);
	table_cell(table, "%s", name);
	table_cell(table, "%s", "");
	table_cell(table, "%s", "");
	put_latency(table, cell, all, latency);
}

/* Behind the names and the direction of a row; intended: the name of a second row. */
static void put_direction(struct table *table, const struct definition *definition,
			  const struct cell *cell, const struct percentiles *all,
			  const struct cell_direction *direction, const char *intended)
{
	if (cell->sample_count == 0) {
		table_cell(table, "-");
		table_cell(table, "-");
		for (size_t i = 0; i <= all->count; i++)
			table_cell(table, "%s", "");
		return;
	}
	put_interval(table, &direction->iops, 1, true);
	put_interval(table, &direction->bandwidth, cell_is_index(cell) ? 1 : MIB, false);
	if (!direction->latency && cell->part_count == 0)
		put_told_latency(table, cell, all, (enum direction)(direction - cell->directions));
	else
		put_latency(table, cell, all, direction->latency);
	if (direction->intended)
		put_latency_row(table, definition, cell, all, intended, direction->intended);
}

static void put_part_syncs(struct table *table, const struct definition *definition,
			   const struct cell *cell, const struct percentiles *all,
			   const struct cell_part *part)
{
	for (int kind = 0; kind < SAMPLE_SYNCS_COUNT; kind++) {
		char name[32];

		if (!part->syncs[kind])
			continue;
		(void)snprintf(name, sizeof(name), "    %s", sample_syncs_names[kind]);
		put_latency_row(table, definition, cell, all, name, part->syncs[kind]);
	}
}

/* Rows of their own for jobs that ran together. */
static void put_parts(struct table *table, const struct definition *definition,
		      const struct cell *cell, const struct percentiles *all)
{
	for (size_t i = 0; i < cell->part_count; i++) {
		for (int d = 0; d < DIRECTION_COUNT; d++) {
			const struct cell_part *part = &cell->parts[i];

			if (!part->directions[d].present)
				continue;
			put_names(table, definition, cell, false, true);
			table_cell(table, "  %s %s", part->name, direction_names[d]);
			put_direction(table, definition, cell, all, &part->directions[d],
				      "    intended");
		}
		put_part_syncs(table, definition, cell, all, &cell->parts[i]);
	}
}

static void put_cell(struct table *table, const struct definition *definition,
		     const struct cell *cell, const struct percentiles *all, bool new_workload)
{
	bool again = false; /* a second direction of the same cell */

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		const struct cell_direction *direction = &cell->directions[d];

		if (!direction->present)
			continue;
		put_names(table, definition, cell, new_workload, again);
		table_cell(table, "%s", direction_names[d]);
		put_direction(table, definition, cell, all, direction, "  intended");
		again = true;
	}
	for (int kind = 0; kind < SAMPLE_SYNCS_COUNT; kind++)
		if (cell->syncs[kind])
			put_latency_row(table, definition, cell, all, sample_syncs_names[kind],
					cell->syncs[kind]);
	put_parts(table, definition, cell, all);
	for (int i = 0; i < FILE_ORDERS * FILE_OPERATION_COUNT; i++) {
		int order = i / FILE_OPERATION_COUNT, operation = i % FILE_OPERATION_COUNT;
		const struct cell_files *files = &cell->files[order][operation];

		if (!files->present)
			continue;
		put_names(table, definition, cell, new_workload, again);
		table_cell(table, "%s %s", workload_file_order_choices[order],
			   file_operation_names[operation]);
		if (files->ops_per_s.count > 0)
			put_interval(table, &files->ops_per_s, 1, true);
		else
			table_cell(table, "-");
		table_cell(table, "%s", ""); /* MiB/s say nothing of files */
		if (cell->sample_count > 0)
			put_latency(table, cell, all, files->latency);
		else
			for (size_t n = 0; n <= all->count; n++)
				table_cell(table, "%s", "");
		again = true;
	}
}

/* "llll...lrrrr": workload, factors, direction, figures. */
static struct table *new_table(size_t factors, size_t percentiles)
{
	char alignment[DEFINITION_FACTORS_MAX + 2 + 3 + PERCENTILES_MAX + 1];

	memset(alignment, 'l', factors + 2);
	memset(alignment + factors + 2, 'r', 3 + percentiles);
	alignment[factors + 2 + 3 + percentiles] = '\0';
	return table_new(alignment);
}

static bool any_intended(const struct cells *cells)
{
	for (size_t i = 0; i < cells->count; i++)
		for (int d = 0; d < DIRECTION_COUNT; d++)
			if (cells->list[i].directions[d].intended)
				return true;
	return false;
}

static int print_table(const struct cells *cells, FILE *out, size_t width)
{
	const struct definition *definition = &cells->result->definition;
	struct percentiles all;
	struct table *table;
	bool data = false;
	int r;

	all_percentiles(cells, &all);
	table = new_table(definition->factor_count, all.count);
	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < cells->count; i++)
		for (int d = 0; d < DIRECTION_COUNT; d++)
			data |= cells->list[i].directions[d].present;
	put_heading(table, definition, data, any_index(cells->result), &all);
	for (size_t i = 0; i < cells->count; i++)
		put_cell(table, definition, &cells->list[i], &all,
			 i == 0 || cells->list[i].workload != cells->list[i - 1].workload);
	r = table_print(table, out, width);
	table_free(table);
	if (r == 0 && any_intended(cells))
		table_wrap(
			out,
			"Latency is from the submission; \"intended\" is from when the rate's "
			"schedule had an operation due, so that a stall shows in all it held up.",
			0, 0, width);
	return r;
}

/* Who measured it, each tool once, and what is known of the system. */
static void print_imported_head(const struct result *result, FILE *out, size_t width)
{
	AUTO_FREE char *text = NULL;
	size_t size = 0, tools = 0;
	FILE *line = open_memstream(&text, &size);

	table_wrap(out, result->definition.name ? result->definition.name : "", 0, 0, width);
	for (size_t i = 0; line && i < result->sample_count; i++) {
		const char *tool = result_next_tool(result, i);

		if (tool)
			fprintf(line, "%s%s", tools++ ? ", " : "measured by ", tool);
	}
	for (size_t i = 0; line && i < result->fact_count; i++)
		fprintf(line, "; %s: %s", result->facts[i].name, result->facts[i].value);
	if (line && fclose(line) == 0)
		table_wrap(out, text, 0, 2, width);
	fprintf(out, "%zu sample%s; - is not known\n\n", result->sample_count,
		result->sample_count == 1 ? "" : "s");
}

static void print_head(const struct result *result, FILE *out, size_t width)
{
	AUTO_FREE char *text = NULL;
	char repeats[REPEATS_OUTCOME_MAX];

	table_wrap(out, result->definition.name, 0, 0, width);
	for (size_t i = 0; i < result->target_count; i++) {
		const struct target_info *info = &result->targets[i];
		AUTO_FREE char *line = NULL;

		if (target_kind_is_zfs(info->kind) &&
		    asprintf(&line, "%ss beneath %s", target_kind_names[info->kind], info->path) <
			    0)
			line = NULL;
		if (!target_kind_is_zfs(info->kind) &&
		    asprintf(&line, "%s %s%s%s%s%s", target_kind_names[info->kind], info->path,
			     info->filesystem[0] ? " on " : "", info->filesystem,
			     info->device[0] ? " of " : "", info->device) < 0)
			line = NULL;
		table_wrap(out, line ? line : info->path, 0, 2, width);
	}
	if (asprintf(&text, "%s backend: %s", result->backend, result->backend_reason) < 0)
		text = NULL;
	if (text && result->backend[0])
		table_wrap(out, text, 0, 2, width);
	free(text);
	if (asprintf(&text, "%zu of %zu samples, %s%s", result->sample_count,
		     result_expected_samples(result), result_repeats_text(result, repeats),
		     result->definition.repeats == 1
			     ? ""
			     : "; ± is the half-width of the mean's 95 % interval") < 0)
		text = NULL;
	if (text)
		table_wrap(out, text, 0, 2, width);
	fputc('\n', out);
}

/* "2048 blocks read back, crc32c: all as written" */
static void print_verified(const struct result *result, FILE *out, size_t width)
{
	AUTO_FREE char *text = NULL;
	struct verify_result total;
	const char *method;
	int n;

	if (!result_verified(result, &total, &method))
		return;
	if (total.errors == 0)
		n = asprintf(&text, "%llu blocks read back, %s: all as written",
			     (unsigned long long)total.blocks, method);
	else
		n = asprintf(&text, "%llu blocks read back, %s: %llu are not what was written",
			     (unsigned long long)total.blocks, method,
			     (unsigned long long)total.errors);
	fputs("\n", out);
	table_wrap(out, n < 0 ? "" : text, 0, 2, width);
	if (n < 0)
		text = NULL;
}

static void print_statements(const struct analysis *analysis, FILE *out, size_t width)
{
	if (analysis->statement_count == 0)
		return;
	fputs("\nWhat this shows\n", out);
	for (size_t i = 0; i < analysis->statement_count; i++) {
		fputs("  ", out);
		table_wrap(out, analysis->statements[i].text, 2, 4, width);
	}
}

static int print_findings(const struct analysis *analysis, FILE *out, size_t width)
{
	const struct result *result = analysis->result;
	AUTO_FREE const struct findings **lists = NULL;

	lists = calloc(result->sample_count + 2, sizeof(struct findings *));
	if (!lists)
		return -ENOMEM;
	lists[0] = &result->findings;
	lists[1] = &analysis->findings;
	for (size_t i = 0; i < result->sample_count; i++)
		lists[i + 2] = &result->samples[i].findings;
	return summary_findings(lists, result->sample_count + 2, out, width);
}

int summary_print(const struct result *result, FILE *out, size_t width)
{
	struct analysis analysis;
	int r = analysis_make(result, &analysis);

	if (r < 0)
		return r;
	if (result->definition.imported)
		print_imported_head(result, out, width);
	else
		print_head(result, out, width);
	r = print_table(&analysis.cells, out, width);
	if (r == 0)
		r = summary_zfs(&analysis.cells, out, width);
	if (r == 0) {
		print_verified(result, out, width);
		print_statements(&analysis, out, width);
		r = print_findings(&analysis, out, width);
	}
	analysis_done(&analysis);
	return r;
}
