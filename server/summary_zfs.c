/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary_zfs.c - see summary_zfs.h. */
#include "server/summary_zfs.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "engine/analysis/volumes.h"
#include "engine/plan/quantity.h"
#include "server/table.h"

#define ROWS_MAX 100 /* volumes told */

/* ---- the pool ---- */

static void put_recommended(const struct zfs_facts *facts, FILE *text)
{
	char size[QUANTITY_TEXT_MAX];

	(void)quantity_format_size(facts->recommended_volblocksize, size);
	for (size_t i = 0; size[i]; i++)
		if (size[i] >= 'a' && size[i] <= 'z')
			size[i] = (char)(size[i] - 'a' + 'A');
	fprintf(text, "; for a zvol there TrueNAS recommends volblocksize=%s", size);
}

char *summary_pool_text(const struct zfs_facts *facts)
{
	char free_text[TABLE_FIGURE_MAX], size_text[TABLE_FIGURE_MAX];
	char *line = NULL;
	size_t size = 0;
	FILE *text = open_memstream(&line, &size);

	if (!text)
		return NULL;
	fprintf(text, "Pool %s on OpenZFS %s: %s", facts->pool,
		facts->version[0] ? facts->version : "of unknown version",
		facts->layout[0] ? facts->layout : "layout unknown");
	if (facts->ashift)
		fprintf(text, ", ashift %u", facts->ashift);
	if (facts->size_bytes)
		fprintf(text, ", %s of %s free", table_bytes(facts->free_bytes, free_text),
			table_bytes(facts->size_bytes, size_text));
	if (facts->fragmentation_percent >= 0)
		fprintf(text, ", %.0f %% fragmented", facts->fragmentation_percent);
	if (facts->health[0])
		fprintf(text, ", %s", facts->health);
	if (facts->readonly)
		fputs(", read-only", text);
	if (facts->recommended_volblocksize)
		put_recommended(facts, text);
	if (fclose(text) != 0) {
		free(line);
		return NULL;
	}
	return line;
}

static void print_pools(const struct result *result, FILE *out, size_t width)
{
	bool any = false;

	for (size_t i = 0; i < result->target_count; i++) {
		const struct zfs_facts *facts = &result->targets[i].zfs;
		AUTO_FREE char *line = NULL;
		bool told = !facts->pool[0];

		for (size_t k = 0; k < i; k++)
			told |= strcmp(result->targets[k].zfs.pool, facts->pool) == 0;
		line = told ? NULL : summary_pool_text(facts);
		if (!line)
			continue;
		fputs(any ? "" : "\n", out);
		any = true;
		table_wrap(out, line, 0, 2, width);
	}
}

/* ---- what reached the disks ---- */

struct figure {
	const char *heading;
	double factor; /* the cell shows the mean times this */
	enum direction direction;
};

static const struct figure figures[] = {
	{"% from disks", 100, DIRECTION_READ},
	{"read, x", 1, DIRECTION_READ},
	{"written, x", 1, DIRECTION_WRITE},
};

static const struct estimate_interval *figure_of(const struct cell *cell, size_t figure)
{
	return figure == 0   ? &cell->zfs.from_devices
	       : figure == 1 ? &cell->zfs.read_amplification
			     : &cell->zfs.write_amplification;
}

/* Whether the cell moves data that way; files are read and written by most of their phases. */
static bool moves(const struct cell *cell, enum direction direction)
{
	for (int i = 0; i < FILE_ORDERS * FILE_OPERATION_COUNT; i++)
		if (cell->files[i / FILE_OPERATION_COUNT][i % FILE_OPERATION_COUNT].present)
			return true;
	return cell->directions[direction].present;
}

static void put_figure(struct table *table, const struct cell *cell, size_t figure)
{
	const struct estimate_interval *known = figure_of(cell, figure);
	double half =
		known->interval ? (known->high - known->low) / 2 * figures[figure].factor : -1;
	char text[TABLE_INTERVAL_MAX];

	if (!moves(cell, figures[figure].direction))
		table_cell(table, "%s", "");
	else if (known->count == 0)
		table_cell(table, "unknown");
	else
		table_cell(table, "%s",
			   table_interval(known->mean * figures[figure].factor, half, false, text));
}

static void put_names(struct table *table, const struct definition *definition,
		      const struct cell *cell, bool new_workload)
{
	table_cell(table, "%s", new_workload ? definition->workloads[cell->workload].name : "");
	for (size_t f = 0; f < definition->factor_count; f++)
		table_cell(table, "%s", definition->factors[f].levels[cell->levels[f]]);
}

/* Columns: left for the names and levels, right for the figures. */
static struct table *new_table(size_t left, size_t right)
{
	char alignment[DEFINITION_FACTORS_MAX + 8];

	memset(alignment, 'l', left);
	memset(alignment + left, 'r', right);
	alignment[left + right] = '\0';
	return table_new(alignment);
}

static int print_figures(const struct cells *cells, FILE *out, size_t width)
{
	const struct definition *definition = &cells->result->definition;
	struct table *table = new_table(definition->factor_count + 1, ARRAY_SIZE(figures));
	const struct cell *last = NULL;
	int r;

	if (!table)
		return -ENOMEM;
	table_cell(table, "workload");
	for (size_t f = 0; f < definition->factor_count; f++)
		table_cell(table, "%s", definition->factors[f].name);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		table_cell(table, "%s", figures[i].heading);
	table_rule(table);
	for (size_t c = 0; c < cells->count; c++) {
		const struct cell *cell = &cells->list[c];

		if (cell->zfs.count == 0)
			continue;
		put_names(table, definition, cell, !last || last->workload != cell->workload);
		for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
			put_figure(table, cell, i);
		last = cell;
	}
	r = table_print(table, out, width);
	table_free(table);
	table_wrap(
		out,
		"\"% from disks\": of the reads of data, those that ARC did not serve; ARC is the "
		"machine's, so others' reads count. \"read\", \"written\": bytes of the pool's "
		"disks for each byte of the workload, between two zpool sync.",
		0, 0, width);
	return r;
}

/* ---- what was made ---- */

static void put_bytes(struct table *table, uint64_t bytes)
{
	char text[TABLE_FIGURE_MAX];

	table_cell(table, "%s", table_bytes(bytes, text));
}

/* Of what was made the parent stands above; of several that the run made its number is enough,
 * "-2", since a whole name would leave no room for what else is told. */
static const char *short_name(const struct volume *volume, const char *run_id)
{
	const char *name = strrchr(volume->first->zfs->dataset, '/'), *number;

	if (!volume->made || !name)
		return volume->first->zfs->dataset;
	name++;
	number = run_id[0] ? strstr(name, run_id) : NULL;
	return number && number[strlen(run_id)] == '-' ? number + strlen(run_id) : name;
}

static void put_volume(struct table *table, const struct result *result,
		       const struct volume *volume)
{
	const struct definition *definition = &result->definition;
	const struct sample_zfs *zfs = volume->first->zfs;

	table_cell(table, "%s", short_name(volume, result->id));
	for (size_t f = 0; f < definition->factor_count; f++)
		if (definition->factors[f].kind == FACTOR_PROPERTY)
			table_cell(table, "%s",
				   definition->factors[f].levels[volume->cell->levels[f]]);
	put_bytes(table, zfs->size_bytes);
	put_bytes(table, zfs->written_bytes);
	put_bytes(table, zfs->logical_bytes);
	if (zfs->compress_ratio > 0)
		table_cell(table, "%.2fx", zfs->compress_ratio);
	else
		table_cell(table, "unknown");
}

static int print_volumes(const struct cells *cells, const struct volumes *volumes, FILE *out,
			 size_t width)
{
	const struct definition *definition = &cells->result->definition;
	static const char *const heads[] = {"size", "written", "logicalused", "compressratio"};
	size_t properties = 0;
	struct table *table;
	int r;

	for (size_t f = 0; f < definition->factor_count; f++)
		properties += definition->factors[f].kind == FACTOR_PROPERTY;
	table = new_table(properties + 1, ARRAY_SIZE(heads));
	if (!table)
		return -ENOMEM;
	table_wrap(out, "What each zvol or dataset held before its first sample:", 0, 0, width);
	table_cell(table, "name");
	for (size_t f = 0; f < definition->factor_count; f++)
		if (definition->factors[f].kind == FACTOR_PROPERTY)
			table_cell(table, "%s", definition->factors[f].name);
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(table, "%s", heads[i]);
	table_rule(table);
	for (size_t i = 0; i < volumes->count && i < ROWS_MAX; i++)
		put_volume(table, cells->result, &volumes->list[i]);
	r = table_print(table, out, width);
	table_free(table);
	if (volumes->count > ROWS_MAX)
		fprintf(out, "... and %zu more\n", volumes->count - ROWS_MAX);
	return r;
}

int summary_zfs(const struct cells *cells, FILE *out, size_t width)
{
	struct volumes volumes;
	int r;

	print_pools(cells->result, out, width);
	if (!cells_have_zfs(cells))
		return 0;
	fputs("\n", out);
	r = print_figures(cells, out, width);
	if (r < 0)
		return r;
	r = volumes_make(cells, &volumes);
	if (r < 0)
		return r;
	fputs("\n", out);
	r = print_volumes(cells, &volumes, out, width);
	volumes_done(&volumes);
	return r;
}
