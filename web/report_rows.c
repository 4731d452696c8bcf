/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_rows.c - see report_rows.h. */
#include "web/report_rows.h"

#include <string.h>

#include "engine/analysis/words.h"

void report_head_cell(struct html *html, const char *text, bool number)
{
	html_element(html, "th", text, "scope", "col", "class", number ? "number" : NULL, NULL);
}

void report_table_open(struct html *html, const char *class)
{
	html_raw(html, "<div class=\"scroll\">");
	html_open(html, "table", "class", class ? class : "stack", NULL);
}

void report_table_close(struct html *html)
{
	html_raw(html, "</tbody>");
	html_close(html, "table");
	html_raw(html, "</div>");
}

/* "Workload", then one column a level. */
void report_level_head(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	char name[WORDS_LEVEL_MAX];

	html_raw(html, "<thead><tr>");
	html_open(html, "th", "scope", "col", NULL);
	html_text(html, "Workload");
	if (analysis->axis[0])
		html_element(html, "span", analysis->axis, "class", "axis", NULL);
	html_close(html, "th");
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];

		html_open(html, "th", "scope", "col", "class", "number", NULL);
		/* What stands alone on a narrow screen: of a bare number the factor too. */
		if (strcmp(words_level(analysis, level, name), analysis_level(analysis, level)) !=
		    0) {
			html_open(html, "span", "class", "alone", NULL);
			html_textf(html, "%s=", analysis->axis);
			html_close(html, "span");
		}
		html_text(html, analysis->axis[0] ? analysis_level(analysis, level) : "Measured");
		if (level == report->recommended)
			html_element(html, "span", "TrueNAS", "class", "axis", "title",
				     "what TrueNAS recommends for the layout of this pool", NULL);
		html_close(html, "th");
	}
	html_raw(html, "</tr></thead><tbody>");
}

/* A row's head: the comparison, and what of it, where its title does not say it. */
void report_row_head_of(const struct report *report, const struct comparison *comparison,
			const char *what, struct html *html)
{
	char title[ANALYSIS_TITLE_MAX];

	html_open(html, "th", "scope", "row", NULL);
	html_name(html, analysis_title(&report->analysis, comparison, title));
	if (!comparison->files)
		html_element(html, "span", what, "class", "direction", NULL);
	html_close(html, "th");
}

void report_row_head(const struct report *report, const struct comparison *comparison,
		     int direction, struct html *html)
{
	report_row_head_of(report, comparison, direction_names[direction], html);
}

/* The jobs of a comparison's workload; 0 where it is one. */
size_t report_part_count(const struct report *report, const struct comparison *comparison)
{
	return report->result->definition.workloads[comparison->workload].part_count;
}

/* Figures of a cell: REPORT_WHOLE its own, else those of one of its jobs. NULL: no cell. */
const struct cell_direction *report_part_figures(const struct comparison *comparison, size_t level,
						 size_t part, int d)
{
	const struct cell *cell = comparison->cells[level];

	if (!cell || (part != REPORT_WHOLE && part >= cell->part_count))
		return NULL;
	return part == REPORT_WHOLE ? &cell->directions[d] : &cell->parts[part].directions[d];
}

bool report_part_moves(const struct report *report, const struct comparison *comparison,
		       size_t part, int d)
{
	for (size_t i = 0; i < report->analysis.level_count; i++) {
		const struct cell_direction *own = report_part_figures(comparison, i, part, d);

		if (own && own->present)
			return true;
	}
	return false;
}

/* A row's head: one of the jobs, below the row of its workload, and what of it. */
void report_part_head(const struct report *report, const struct comparison *comparison, size_t part,
		      const char *what, struct html *html)
{
	const struct workload *workload =
		&report->result->definition.workloads[comparison->workload];

	html_open(html, "th", "scope", "row", "class", "part", NULL);
	html_name(html, workload->parts[part].name);
	html_element(html, "span", what, "class", "direction", NULL);
	html_close(html, "th");
}

void report_levels_cell(const struct sample *sample, struct html *html)
{
	html_open(html, "td", NULL);
	for (size_t i = 0; i < sample->level_count; i++)
		html_textf(html, "%s%s=%s", i ? ", " : "", sample->levels[i].factor,
			   sample->levels[i].value);
	html_close(html, "td");
}

void report_missing_cell(const char *why, struct html *html)
{
	html_element(html, "td", NUMBERS_UNKNOWN, "class", "number", "title", why, NULL);
}

const char *report_cell_id(const struct report *report, const struct cell *cell,
			   char buffer[REPORT_CELL_ID_MAX])
{
	buffer[0] = '\0';
	if (cell)
		(void)snprintf(buffer, REPORT_CELL_ID_MAX, "c%td",
			       cell - report->analysis.cells.list + 1);
	return buffer;
}
