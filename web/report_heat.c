/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_heat.c - every level beside the best of its comparison, in one map: its chart, its words
 * and its table; and above the comparisons the recommendation's scores beside the leader's.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "web/report_shapes.h"

/* Comparisons that have a best to stand beside. */
static bool has_row(const struct comparison *comparison)
{
	return comparison->measured > 1;
}

static bool scored(const struct analysis *analysis)
{
	return analysis->recommendation.kind != RECOMMENDATION_NONE &&
	       analysis->comparison_count > 1;
}

static size_t row_count(const struct analysis *analysis)
{
	size_t count = 0;

	for (size_t k = 0; k < analysis->comparison_count; k++)
		count += has_row(&analysis->comparisons[k]);
	return count;
}

bool report_has_heat(const struct report *report)
{
	return report->analysis.axis[0] && row_count(&report->analysis) > 0;
}

/* Of single samples nothing is shown, so nothing is set off. */
static bool any_blocks(const struct analysis *analysis)
{
	for (size_t k = 0; k < analysis->comparison_count; k++)
		if (analysis->comparisons[k].blocks > 1)
			return true;
	return false;
}

static struct chart_heat_cell own_cell(const struct analysis *analysis,
				       const struct comparison *comparison, size_t level)
{
	const struct comparison_level *figure = &comparison->figures[level];

	return (struct chart_heat_cell){.ratio = figure->to_best,
					.present = figure->samples > 0,
					.framed = figure->samples > 0 && figure->in_set &&
						  any_blocks(analysis)};
}

static struct chart_heat_cell over_all_cell(const struct analysis *analysis, size_t level)
{
	const struct recommended_level *figure = &analysis->recommendation.levels[level];

	return (struct chart_heat_cell){.ratio = figure->to_leader,
					.present = figure->complete,
					.framed = figure->complete && figure->in_set &&
						  any_blocks(analysis)};
}

/* ---- the chart ---- */

struct map {
	struct chart_heat_row *rows;
	struct chart_heat_cell *cells;
	const char **columns;
	char (*titles)[ANALYSIS_TITLE_MAX];
};

static struct chart_heat_cell *add_row(struct map *map, struct chart_heat *heat, const char *label)
{
	struct chart_heat_cell *cells = &map->cells[heat->row_count * heat->column_count];

	map->rows[heat->row_count++] = (struct chart_heat_row){.label = label, .cells = cells};
	return cells;
}

static void fill_map(const struct analysis *analysis, struct map *map, struct chart_heat *heat)
{
	struct chart_heat_cell *cells;
	bool apart = scored(analysis);

	for (size_t i = 0; i < analysis->level_count; i++)
		map->columns[i] = analysis_level(analysis, analysis->order[i]);
	if (apart) {
		cells = add_row(map, heat, "Over all");
		for (size_t i = 0; i < analysis->level_count; i++)
			cells[i] = over_all_cell(analysis, analysis->order[i]);
	}
	for (size_t k = 0; k < analysis->comparison_count && heat->row_count <= PANELS_MAX; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];
		char *title = map->titles[heat->row_count];

		if (!has_row(comparison))
			continue;
		cells = add_row(map, heat, analysis_title(analysis, comparison, title));
		map->rows[heat->row_count - 1].apart = apart;
		apart = false;
		for (size_t i = 0; i < analysis->level_count; i++)
			cells[i] = own_cell(analysis, comparison, analysis->order[i]);
	}
}

int report_plan_heat(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	size_t rows = PANELS_MAX + 2;
	struct map map = {.rows = calloc(rows, sizeof(*map.rows)),
			  .cells = calloc(rows * analysis->level_count, sizeof(*map.cells)),
			  .columns = calloc(analysis->level_count, sizeof(*map.columns)),
			  .titles = calloc(rows, sizeof(*map.titles))};
	struct chart_heat heat = {.title = "Ratio to the best",
				  .axis = analysis->axis,
				  .column_count = analysis->level_count,
				  .columns = map.columns,
				  .rows = map.rows};
	int r = map.rows && map.cells && map.columns && map.titles ? 0 : -ENOMEM;

	report->heat = CHART_NONE;
	if (r == 0 && report_has_heat(report)) {
		fill_map(analysis, &map, &heat);
		r = chart_add_heat(report->charts, &heat, &report->heat);
	}
	free(map.rows);
	free(map.cells);
	free(map.columns);
	free(map.titles);
	return r;
}

/* ---- words ---- */

/* "General_IO best 64K, not shown worse 32K, lowest 4K with 54.1 %" */
static void tell_row(const struct analysis *analysis, const struct comparison *comparison,
		     FILE *file)
{
	char title[ANALYSIS_TITLE_MAX];
	size_t lowest = comparison->best, others = 0;

	(void)fprintf(file, "%s: best %s", analysis_title(analysis, comparison, title),
		      analysis_level(analysis, comparison->best));
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];
		const struct comparison_level *figure = &comparison->figures[level];

		if (!figure->samples || level == comparison->best)
			continue;
		if (figure->to_best < comparison->figures[lowest].to_best)
			lowest = level;
		if (figure->in_set && any_blocks(analysis))
			(void)fprintf(file, "%s%s", others++ ? ", " : "; not shown worse ",
				      analysis_level(analysis, level));
	}
	if (lowest != comparison->best)
		(void)fprintf(file, "; lowest %s with %s", analysis_level(analysis, lowest),
			      numbers_percent(comparison->figures[lowest].to_best).text);
	(void)fputs(". ", file);
}

static char *alternative_of(const struct analysis *analysis)
{
	char *text = NULL;
	size_t size, rows = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fprintf(file, "Each level of %s in percent of the best. ", analysis->axis);
	for (size_t k = 0; k < analysis->comparison_count && rows <= PANELS_MAX; k++) {
		if (!has_row(&analysis->comparisons[k]))
			continue;
		rows++;
		tell_row(analysis, &analysis->comparisons[k], file);
	}
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---- the table ---- */

static void cell_of(const struct chart_heat_cell *cell, struct html *html)
{
	if (!cell->present) {
		html_element(html, "td", NUMBERS_UNKNOWN, "class", "number", "title",
			     "not measured", NULL);
		return;
	}
	html_open(html, "td", "class", cell->framed ? "number strong" : "number", NULL);
	html_text(html, numbers_percent(cell->ratio).text);
	if (cell->framed && cell->ratio < 1)
		html_element(html, "span", "not shown worse", "class", "axis", NULL);
	html_close(html, "td");
}

static void row_head(const char *title, struct html *html)
{
	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, title);
	html_close(html, "th");
}

static void heat_table(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	char title[ANALYSIS_TITLE_MAX];
	struct chart_heat_cell cell;

	html_raw(html, "<div class=\"scroll\"><table class=\"stack\">");
	report_level_head(report, html);
	if (scored(analysis)) {
		row_head("Over all", html);
		for (size_t i = 0; i < analysis->level_count; i++) {
			cell = over_all_cell(analysis, analysis->order[i]);
			cell_of(&cell, html);
		}
		html_raw(html, "</tr>");
	}
	for (size_t k = 0; k < analysis->comparison_count; k++) {
		if (!has_row(&analysis->comparisons[k]))
			continue;
		row_head(analysis_title(analysis, &analysis->comparisons[k], title), html);
		for (size_t i = 0; i < analysis->level_count; i++) {
			cell = own_cell(analysis, &analysis->comparisons[k], analysis->order[i]);
			cell_of(&cell, html);
		}
		html_raw(html, "</tr>");
	}
	html_raw(html, "</tbody></table></div>");
}

/* ---- the section ---- */

void report_heat(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	AUTO_FREE char *alternative = alternative_of(analysis);
	size_t rows = row_count(analysis);

	html_element(html, "p",
		     any_blocks(analysis)
			     ? "Each level in percent of the best of its row; the stronger the "
			       "tone, the nearer. Framed are the best and those not shown worse "
			       "than it: between framed levels these samples do not choose."
			     : "Each level in percent of the best of its row; the stronger the "
			       "tone, the nearer. Of single samples no level is shown worse than "
			       "another, so none is ruled out.",
		     "class", "lead", NULL);
	html_open(html, "div", "class", analysis->level_count > 10 ? "heat many" : "heat", NULL);
	report_panel(report, report->heat, "", NULL, alternative ? alternative : "", html);
	html_close(html, "div");
	if (rows > PANELS_MAX) {
		html_open(html, "p", "class", "note", NULL);
		html_textf(html, "The first %d of %zu comparisons are drawn; the table has all.",
			   PANELS_MAX, rows);
		html_close(html, "p");
	}
	report_table_fold(report, "Table: percent of the best", html);
	heat_table(report, html);
	html_close(html, "details");
}
