/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.c - see summary.h. */
#include "server/summary.h"

#include <errno.h>
#include <string.h>

#include "engine/analysis/cells.h"
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

static void put_heading(struct table *table, const struct definition *definition, bool data,
			const struct percentiles *all)
{
	table_cell(table, "workload");
	for (size_t i = 0; i < definition->factor_count; i++)
		table_cell(table, "%s", definition->factors[i].name);
	table_cell(table, "%s", "");
	table_cell(table, "%s", data ? "IOPS" : "ops/s");
	table_cell(table, "MiB/s");
	table_cell(table, "mean");
	for (size_t i = 0; i < all->count; i++)
		table_cell(table, "p%.9g", all->values[i]);
	table_rule(table);
}

static void put_interval(struct table *table, const struct estimate_interval *interval,
			 double divisor, bool scaled)
{
	char text[TABLE_INTERVAL_MAX];
	double half = interval->interval ? (interval->high - interval->low) / 2 / divisor : -1;

	table_cell(table, "%s", table_interval(interval->mean / divisor, half, scaled, text));
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
	put_interval(table, &direction->bandwidth, MIB, false);
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
	put_heading(table, definition, data, &all);
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

static int print_tables(const struct result *result, FILE *out, size_t width)
{
	struct cells cells;
	int r = cells_make(result, &cells);

	if (r < 0)
		return r;
	r = print_table(&cells, out, width);
	if (r == 0)
		r = summary_zfs(&cells, out, width);
	cells_done(&cells);
	return r;
}

static void print_head(const struct result *result, FILE *out, size_t width)
{
	AUTO_FREE char *text = NULL;
	unsigned int repeats = result->definition.repeats;

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
	fprintf(out, "%zu of %zu samples, %u repeat%s%s\n\n", result->sample_count,
		result->planned_samples, repeats, repeats == 1 ? "" : "s",
		repeats == 1 ? "" : "; ± is the half-width of the mean's 95 % interval");
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

int summary_print(const struct result *result, FILE *out, size_t width)
{
	const struct findings **lists;
	int r;

	print_head(result, out, width);
	r = print_tables(result, out, width);
	if (r < 0)
		return r;
	print_verified(result, out, width);
	lists = calloc(result->sample_count + 1, sizeof(struct findings *));
	if (!lists)
		return -ENOMEM;
	lists[0] = &result->findings;
	for (size_t i = 0; i < result->sample_count; i++)
		lists[i + 1] = &result->samples[i].findings;
	r = summary_findings(lists, result->sample_count + 1, out, width);
	free(lists);
	return r;
}

/* ---- findings ---- */

struct group {
	const struct finding *first;
	size_t place; /* among the groups, in the order of their first findings */
	size_t count;
	const char *places[4]; /* workload or cell of the first few, each once */
	size_t place_count;
};

static void add_place(struct group *group, const char *place)
{
	for (size_t i = 0; i < group->place_count && i < ARRAY_SIZE(group->places); i++)
		if (strcmp(group->places[i], place) == 0)
			return;
	if (group->place_count < ARRAY_SIZE(group->places))
		group->places[group->place_count] = place;
	group->place_count++;
}

static void add_places(struct group *group, const struct finding *finding)
{
	for (size_t i = 0; i < finding->workload_count; i++)
		add_place(group, finding->workloads[i]);
	if (finding->workload_count == 0 && finding->cell)
		add_place(group, finding->cell);
}

static void add_finding(struct group *groups, size_t *count, const struct finding *finding)
{
	size_t i = 0;

	while (i < *count && (groups[i].first->severity != finding->severity ||
			      strcmp(groups[i].first->code, finding->code) != 0))
		i++;
	if (i == *count) {
		groups[i] = (struct group){.first = finding, .place = i};
		(*count)++;
	}
	groups[i].count++;
	add_places(&groups[i], finding);
}

static int by_severity(const void *a, const void *b)
{
	const struct group *left = a, *right = b;

	if (left->first->severity != right->first->severity)
		return (int)right->first->severity - (int)left->first->severity;
	return left->place < right->place ? -1 : 1;
}

/* " (12 times: Exchange, General_IO and 3 more)", " (Exchange; found runtime=2)" */
static void print_where(const struct group *group, FILE *text)
{
	size_t shown = group->place_count < ARRAY_SIZE(group->places) ? group->place_count
								      : ARRAY_SIZE(group->places);
	const char *found = group->count == 1 ? group->first->found : NULL;

	if (group->count == 1 && group->place_count == 0 && !found)
		return;
	fputs(" (", text);
	if (group->count > 1)
		fprintf(text, "%zu times%s", group->count, shown ? ": " : "");
	for (size_t i = 0; i < shown; i++)
		fprintf(text, "%s%s", i ? ", " : "", group->places[i]);
	if (group->place_count > shown)
		fprintf(text, " and %zu more", group->place_count - shown);
	if (found)
		fprintf(text, "%sfound %s", shown ? "; " : "", found);
	fputs(")", text);
}

/* "  warning: the message (where)" */
static int print_group(const struct group *group, FILE *out, size_t width)
{
	static const char *const marks[] = {
		[FINDING_INFO] = "  note: ",
		[FINDING_WARNING] = "  warning: ",
		[FINDING_ERROR] = "  error: ",
	};
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	FILE *text = open_memstream(&line, &size);

	if (!text)
		return -ENOMEM;
	fputs(group->first->message, text);
	print_where(group, text);
	if (fclose(text) != 0)
		return -ENOMEM;
	fputs(marks[group->first->severity], out);
	table_wrap(out, line, strlen(marks[group->first->severity]), 4, width);
	return 0;
}

int summary_findings(const struct findings *const *lists, size_t count, FILE *out, size_t width)
{
	AUTO_FREE struct group *groups = NULL;
	size_t total = 0, group_count = 0;
	int r = 0;

	for (size_t i = 0; i < count; i++)
		total += lists[i]->count;
	if (total == 0)
		return 0;
	groups = calloc(total, sizeof(*groups));
	if (!groups)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < lists[i]->count; k++)
			add_finding(groups, &group_count, &lists[i]->list[k]);
	qsort(groups, group_count, sizeof(*groups), by_severity);
	fputs("\nFindings\n", out);
	for (size_t i = 0; r == 0 && i < group_count; i++)
		r = print_group(&groups[i], out, width);
	return r;
}
