/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_tables.c - a table a chart: bars, phases of files, seconds. */
#include <math.h>
#include <string.h>

#include "engine/base/clock.h"
#include "web/report_rows.h"

static void figure_cell(const struct estimate_interval *figure, enum measure measure,
			struct html *html)
{
	struct number (*format)(double) =
		measure == MEASURE_BANDWIDTH ? numbers_mib : numbers_count;

	html_open(html, "td", "class", "number", NULL);
	html_text(html, format(figure->mean).text);
	if (figure->interval) {
		html_open(html, "span", "class", "interval", NULL);
		html_textf(html, " [%s, %s]", format(fmax(figure->low, 0)).text,
			   format(figure->high).text);
		html_close(html, "span");
	}
	html_close(html, "td");
}

void report_bars_table(const struct report *report, enum measure measure, struct html *html)
{
	report_table_open(html, NULL);
	report_level_head(report, html);
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];

		for (int d = 0; d < DIRECTION_COUNT; d++) {
			if (!report_moves(report, comparison, d))
				continue;
			html_open(html, "tr", NULL);
			report_row_head(report, comparison, d, html);
			for (size_t i = 0; i < report->analysis.level_count; i++) {
				const struct cell *cell =
					comparison->cells[report->analysis.order[i]];
				const struct estimate_interval *figure =
					!cell ? NULL
					: report_measure(report, comparison, measure) ==
							MEASURE_BANDWIDTH
						? &cell->directions[d].bandwidth
						: &cell->directions[d].iops;

				if (!figure || !figure->count)
					report_missing_cell("not measured", html);
				else
					figure_cell(figure, report->index ? MEASURE_IOPS : measure,
						    html);
			}
			html_close(html, "tr");
		}
	}
	report_table_close(html);
}

/* Of the phases of files; a finding's link leads to the first of its workload. */
void report_files_table(const struct report *report, struct html *html)
{
	char id[40];

	report_table_open(html, "study stack");
	report_level_head(report, html);
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];
		bool first = k == 0 ||
			     report->analysis.comparisons[k - 1].workload != comparison->workload;

		if (!comparison->files)
			continue;
		(void)snprintf(id, sizeof(id), "w%zu", comparison->workload + 1);
		html_open(html, "tr", "id", first ? id : NULL, NULL);
		report_row_head(report, comparison, 0, html);
		for (size_t i = 0; i < report->analysis.level_count; i++) {
			const struct cell *cell = comparison->cells[report->analysis.order[i]];
			const struct estimate_interval *figure =
				cell ? &cell->files[comparison->order][comparison->operation]
						.ops_per_s
				     : NULL;

			if (figure && figure->count)
				figure_cell(figure, MEASURE_IOPS, html);
			else
				report_missing_cell("not measured", html);
		}
		html_close(html, "tr");
	}
	report_table_close(html);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Bytes of every whole second after the ramp, of all repeats, sorted; heap, or NULL. */
static double *whole_seconds(const struct cell *cell, size_t *ret_count)
{
	size_t room = 1, count = 0;
	double *values;

	for (size_t n = 0; n < cell->sample_count; n++)
		room += cell->samples[n]->series.count;
	values = calloc(room, sizeof(*values));
	for (size_t n = 0; values && n < cell->sample_count; n++) {
		const struct series *series = &cell->samples[n]->series;
		size_t end = series->count;

		if (end && series->last_span_ns < NS_PER_S * 99 / 100)
			end--;
		for (size_t i = series->ramp_count; i < end; i++, count++)
			for (int d = 0; d < DIRECTION_COUNT; d++)
				values[count] += (double)series->seconds[i].bytes[d];
	}
	if (values)
		qsort(values, count, sizeof(*values), ascending);
	*ret_count = count;
	return values;
}

static void series_row(const struct cell *cell, struct html *html)
{
	size_t count = 0;
	AUTO_FREE double *values = whole_seconds(cell, &count);

	html_element(html, "td", numbers_grouped(count).text, "class", "number", NULL);
	if (!values || !count) {
		for (int i = 0; i < 3; i++)
			html_element(html, "td", NUMBERS_UNKNOWN, "class", "number", NULL);
		return;
	}
	html_element(html, "td", numbers_mib(values[0]).text, "class", "number", NULL);
	html_element(html, "td", numbers_mib(values[count / 2]).text, "class", "number", NULL);
	html_element(html, "td", numbers_mib(values[count - 1]).text, "class", "number", NULL);
}

void report_series_table(const struct report *report, struct html *html)
{
	char title[ANALYSIS_TITLE_MAX];

	report_table_open(html, NULL);
	html_raw(html, "<thead><tr>");
	report_head_cell(html, "Workload", false);
	if (report->analysis.axis[0])
		report_head_cell(html, report->analysis.axis, false);
	report_head_cell(html, "whole seconds", true);
	report_head_cell(html, "slowest, MiB/s", true);
	report_head_cell(html, "median, MiB/s", true);
	report_head_cell(html, "fastest, MiB/s", true);
	html_raw(html, "</tr></thead><tbody>");
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];

		for (size_t i = 0; i < report->analysis.level_count; i++) {
			const struct cell *cell = comparison->cells[report->analysis.order[i]];

			if (!cell || !cell->sample_count || comparison->files)
				continue;
			html_open(html, "tr", NULL);
			html_element(html, "th",
				     analysis_title(&report->analysis, comparison, title), "scope",
				     "row", NULL);
			if (report->analysis.axis[0])
				html_element(html, "td",
					     analysis_level(&report->analysis,
							    report->analysis.order[i]),
					     NULL);
			series_row(cell, html);
			html_close(html, "tr");
		}
	}
	report_table_close(html);
}
