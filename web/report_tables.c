/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_tables.c - the figures of a report as tables: the studies' cells, and a table a chart.
 *
 * Length: every table of the page, with the pieces that they share.
 */
#include <math.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/plan/percentiles.h"
#include "web/report_parts.h"

/* ---- pieces ---- */

static void head_cell(struct html *html, const char *text, bool number)
{
	html_element(html, "th", text, "scope", "col", "class", number ? "number" : NULL, NULL);
}

static void table_open(struct html *html, const char *class)
{
	html_raw(html, "<div class=\"scroll\">");
	html_open(html, "table", "class", class, NULL);
}

static void table_close(struct html *html)
{
	html_raw(html, "</tbody>");
	html_close(html, "table");
	html_raw(html, "</div>");
}

/* "Workload", then one column a level. */
void report_level_head(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;

	html_raw(html, "<thead><tr>");
	html_open(html, "th", "scope", "col", NULL);
	html_text(html, "Workload");
	if (analysis->axis[0])
		html_element(html, "span", analysis->axis, "class", "axis", NULL);
	html_close(html, "th");
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];

		html_open(html, "th", "scope", "col", "class", "number", NULL);
		html_text(html, analysis->axis[0] ? analysis_level(analysis, level) : "Measured");
		if (level == report->recommended)
			html_element(html, "span", "TrueNAS", "class", "axis", "title",
				     "what TrueNAS recommends for the layout of this pool", NULL);
		html_close(html, "th");
	}
	html_raw(html, "</tr></thead><tbody>");
}

/* A row's head: the comparison, and what of it, where its title does not say it. */
static void row_head_of(const struct report *report, const struct comparison *comparison,
			const char *what, struct html *html)
{
	char title[ANALYSIS_TITLE_MAX];

	html_open(html, "th", "scope", "row", NULL);
	html_name(html, analysis_title(&report->analysis, comparison, title));
	if (!comparison->files)
		html_element(html, "span", what, "class", "direction", NULL);
	html_close(html, "th");
}

static void row_head(const struct report *report, const struct comparison *comparison,
		     int direction, struct html *html)
{
	row_head_of(report, comparison, direction_names[direction], html);
}

/* The jobs of a comparison's workload; 0 where it is one. */
static size_t part_count(const struct report *report, const struct comparison *comparison)
{
	return report->result->definition.workloads[comparison->workload].part_count;
}

/* Figures of a cell: NO_PART its own, else those of one of its jobs. NULL: no cell. */
#define NO_PART SIZE_MAX
static const struct cell_direction *figures(const struct comparison *comparison, size_t level,
					    size_t part, int d)
{
	const struct cell *cell = comparison->cells[level];

	if (!cell || (part != NO_PART && part >= cell->part_count))
		return NULL;
	return part == NO_PART ? &cell->directions[d] : &cell->parts[part].directions[d];
}

static bool part_moves(const struct report *report, const struct comparison *comparison,
		       size_t part, int d)
{
	for (size_t i = 0; i < report->analysis.level_count; i++) {
		const struct cell_direction *own = figures(comparison, i, part, d);

		if (own && own->present)
			return true;
	}
	return false;
}

/* A row's head: one of the jobs, below the row of its workload, and what of it. */
static void part_head_of(const struct report *report, const struct comparison *comparison,
			 size_t part, const char *what, struct html *html)
{
	const struct workload *workload =
		&report->result->definition.workloads[comparison->workload];

	html_open(html, "th", "scope", "row", "class", "part", NULL);
	html_name(html, workload->parts[part].name);
	html_element(html, "span", what, "class", "direction", NULL);
	html_close(html, "th");
}

static void exact_title(const struct cell_direction *direction, char *buffer, size_t size)
{
	const struct estimate_interval *iops = &direction->iops;
	const struct estimate_interval *bytes = &direction->bandwidth;
	double mib = 1 << 20;

	if (iops->interval)
		(void)snprintf(buffer, size,
			       "%s IOPS [%s, %s]; %s MiB/s [%s, %s]; %zu samples, 95 %% intervals",
			       numbers_exact(iops->mean).text, numbers_exact(iops->low).text,
			       numbers_exact(iops->high).text,
			       numbers_exact(bytes->mean / mib).text,
			       numbers_exact(bytes->low / mib).text,
			       numbers_exact(bytes->high / mib).text, iops->count);
	else
		(void)snprintf(buffer, size, "%s IOPS; %s MiB/s; %zu sample",
			       numbers_exact(iops->mean).text,
			       numbers_exact(bytes->mean / mib).text, iops->count);
}

static void missing_cell(struct html *html)
{
	html_element(html, "td", "-", "class", "number", "title", "not measured", NULL);
}

/* ---- the studies' table ---- */

static void study_cell(const struct report *report, const struct comparison *comparison,
		       size_t level, size_t part, int d, struct html *html)
{
	const struct cell_direction *direction = figures(comparison, level, part, d);
	char title[512];

	if (!direction || !direction->iops.count) {
		missing_cell(html);
		return;
	}
	exact_title(direction, title, sizeof(title));
	html_element(html, "td", numbers_cell(direction->iops.mean, direction->bandwidth.mean).text,
		     "class",
		     part == NO_PART && report->analysis.level_count > 1 &&
				     report_strong(comparison, level, comparison->measure)
			     ? "number strong"
			     : "number",
		     "title", title, NULL);
}

static void study_parts(const struct report *report, const struct comparison *comparison,
			struct html *html)
{
	size_t rows = part_count(report, comparison) * DIRECTION_COUNT;

	for (size_t n = 0; n < rows && !comparison->files; n++) {
		size_t part = n / DIRECTION_COUNT;
		int d = (int)(n % DIRECTION_COUNT);

		if (!part_moves(report, comparison, part, d))
			continue;
		html_open(html, "tr", NULL);
		part_head_of(report, comparison, part, direction_names[d], html);
		for (size_t i = 0; i < report->analysis.level_count; i++)
			study_cell(report, comparison, report->analysis.order[i], part, d, html);
		html_close(html, "tr");
	}
}

void report_cells_table(const struct report *report, struct html *html)
{
	char id[40];

	table_open(html, "study");
	report_level_head(report, html);
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];
		bool first = true;

		for (int d = 0; d < DIRECTION_COUNT; d++) {
			if (!report_moves(report, comparison, d))
				continue;
			(void)snprintf(id, sizeof(id), "w%zu", comparison->workload + 1);
			/* A finding's link leads to the first row of its workload. */
			first = first && (k == 0 || report->analysis.comparisons[k - 1].workload !=
							    comparison->workload);
			html_open(html, "tr", "id", first ? id : NULL, NULL);
			first = false;
			row_head(report, comparison, d, html);
			for (size_t i = 0; i < report->analysis.level_count; i++)
				study_cell(report, comparison, report->analysis.order[i], NO_PART,
					   d, html);
			html_close(html, "tr");
		}
		study_parts(report, comparison, html);
	}
	table_close(html);
}

/* ---- a table a chart ---- */

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
	table_open(html, NULL);
	report_level_head(report, html);
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];

		for (int d = 0; d < DIRECTION_COUNT; d++) {
			if (!report_moves(report, comparison, d))
				continue;
			html_open(html, "tr", NULL);
			row_head(report, comparison, d, html);
			for (size_t i = 0; i < report->analysis.level_count; i++) {
				const struct cell *cell =
					comparison->cells[report->analysis.order[i]];
				const struct estimate_interval *figure =
					!cell ? NULL
					: measure == MEASURE_BANDWIDTH
						? &cell->directions[d].bandwidth
						: &cell->directions[d].iops;

				if (!figure || !figure->count)
					missing_cell(html);
				else
					figure_cell(figure, measure, html);
			}
			html_close(html, "tr");
		}
	}
	table_close(html);
}

/* Of the phases of files; a finding's link leads to the first of its workload. */
void report_files_table(const struct report *report, struct html *html)
{
	char id[40];

	table_open(html, "study");
	report_level_head(report, html);
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];
		bool first = k == 0 ||
			     report->analysis.comparisons[k - 1].workload != comparison->workload;

		if (!comparison->files)
			continue;
		(void)snprintf(id, sizeof(id), "w%zu", comparison->workload + 1);
		html_open(html, "tr", "id", first ? id : NULL, NULL);
		row_head(report, comparison, 0, html);
		for (size_t i = 0; i < report->analysis.level_count; i++) {
			const struct cell *cell = comparison->cells[report->analysis.order[i]];
			const struct estimate_interval *figure =
				cell ? &cell->files[comparison->order][comparison->operation]
						.ops_per_s
				     : NULL;

			if (figure && figure->count)
				figure_cell(figure, MEASURE_IOPS, html);
			else
				missing_cell(html);
		}
		html_close(html, "tr");
	}
	table_close(html);
}

static const double shown_percentiles[] = {50, 90, 99, 99.9, 99.99};

static void cell_percentiles(const struct cell *cell, struct percentiles *ret_list)
{
	percentiles_of(&cell->samples[0]->options, shown_percentiles, ARRAY_SIZE(shown_percentiles),
		       ret_list);
}

/* The columns: what any cell is to show. */
static void all_percentiles(const struct report *report, struct percentiles *ret_all)
{
	struct percentiles own;

	ret_all->count = 0;
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		for (size_t i = 0; i < report->analysis.level_count; i++) {
			const struct cell *cell = report->analysis.comparisons[k].cells[i];

			if (!cell || !cell->sample_count)
				continue;
			cell_percentiles(cell, &own);
			percentiles_join(ret_all, &own);
		}
	}
}

static void percentile_cell(const struct histogram *histogram, double percent, bool wanted,
			    struct html *html)
{
	if (!wanted)
		html_element(html, "td", "", "class", "number", NULL);
	else if (histogram_percentile_supported(histogram->count, percent))
		html_element(html, "td",
			     numbers_time((double)histogram_percentile_ns(histogram, percent)).text,
			     "class", "number", NULL);
	else
		html_element(html, "td", "-", "class", "number", "title",
			     "fewer than ten operations lie beyond", NULL);
}

static void latency_figures(const struct histogram *histogram, const struct cell *cell,
			    const struct percentiles *all, struct html *html)
{
	struct percentiles own;

	cell_percentiles(cell, &own);

	html_element(html, "td", numbers_grouped(histogram->count).text, "class", "number", NULL);
	html_element(html, "td", numbers_time(histogram_mean_ns(histogram)).text, "class", "number",
		     NULL);
	for (size_t i = 0; i < all->count; i++)
		percentile_cell(histogram, all->values[i], percentiles_has(&own, all->values[i]),
				html);
	html_element(html, "td", numbers_time((double)histogram->max_ns).text, "class", "number",
		     NULL);
}

/* "Workload", the axis, "from" where a row may begin otherwise than with the submission. */
static void latency_head(const struct report *report, const struct percentiles *all, bool intended,
			 struct html *html)
{
	char text[32];

	html_raw(html, "<thead><tr>");
	head_cell(html, "Workload", false);
	if (report->analysis.axis[0])
		head_cell(html, report->analysis.axis, false);
	if (intended)
		head_cell(html, "from", false);
	head_cell(html, "operations", true);
	head_cell(html, "mean", true);
	for (size_t i = 0; i < all->count; i++) {
		(void)snprintf(text, sizeof(text), "%.9g %%", all->values[i]);
		head_cell(html, text, true);
	}
	head_cell(html, "max", true);
	html_raw(html, "</tr></thead><tbody>");
}

static const struct histogram *intended_of(const struct cell *cell, int d)
{
	return cell ? cell->directions[d].intended : NULL;
}

bool report_has_intended(const struct report *report)
{
	for (size_t k = 0; k < report->analysis.comparison_count; k++)
		for (size_t i = 0; i < report->analysis.level_count; i++)
			for (int d = 0; d < DIRECTION_COUNT; d++) {
				if (intended_of(report->analysis.comparisons[k].cells[i], d))
					return true;
			}
	return false;
}

/* The rows of a comparison's syncs, below those of its directions. */
static void sync_rows(const struct report *report, const struct comparison *comparison,
		      const struct percentiles *all, bool intended, struct html *html)
{
	for (size_t n = 0; n < SAMPLE_SYNCS_COUNT * report->analysis.level_count; n++) {
		size_t kind = n / report->analysis.level_count,
		       level = report->analysis.order[n % report->analysis.level_count];
		const struct cell *cell = comparison->cells[level];

		if (!cell || !cell->syncs[kind])
			continue;
		html_open(html, "tr", NULL);
		row_head_of(report, comparison, sample_syncs_names[kind], html);
		if (report->analysis.axis[0])
			html_element(html, "td", analysis_level(&report->analysis, level), NULL);
		if (intended)
			html_element(html, "td", "submission", NULL);
		latency_figures(cell->syncs[kind], cell, all, html);
		html_close(html, "tr");
	}
}

/* A row of one of the jobs: what of it, from when. */
static void latency_part_row(const struct report *report, const struct comparison *comparison,
			     size_t part, size_t level, const char *what, const char *from,
			     const struct histogram *shown, const struct percentiles *all,
			     struct html *html)
{
	html_open(html, "tr", NULL);
	part_head_of(report, comparison, part, what, html);
	if (report->analysis.axis[0])
		html_element(html, "td", analysis_level(&report->analysis, level), NULL);
	if (from)
		html_element(html, "td", from, NULL);
	latency_figures(shown, comparison->cells[level], all, html);
	html_close(html, "tr");
}

/* Latencies of one of the jobs that ran together, below those of their workload; then of its syncs.
 */
static void latency_part(const struct report *report, const struct comparison *comparison,
			 size_t part, const struct percentiles *all, bool intended,
			 struct html *html)
{
	for (size_t n = 0; n < DIRECTION_COUNT * report->analysis.level_count; n++) {
		size_t d = n / report->analysis.level_count,
		       level = report->analysis.order[n % report->analysis.level_count];
		const struct cell_direction *own = figures(comparison, level, part, (int)d);

		if (own && own->latency)
			latency_part_row(report, comparison, part, level, direction_names[d],
					 intended ? "submission" : NULL, own->latency, all, html);
		if (own && own->intended)
			latency_part_row(report, comparison, part, level, direction_names[d],
					 "intended start", own->intended, all, html);
	}
	for (size_t n = 0; n < SAMPLE_SYNCS_COUNT * report->analysis.level_count; n++) {
		size_t kind = n / report->analysis.level_count,
		       level = report->analysis.order[n % report->analysis.level_count];
		const struct cell *cell = comparison->cells[level];

		if (cell && part < cell->part_count && cell->parts[part].syncs[kind])
			latency_part_row(report, comparison, part, level, sample_syncs_names[kind],
					 intended ? "submission" : NULL,
					 cell->parts[part].syncs[kind], all, html);
	}
}

static void latency_parts(const struct report *report, const struct comparison *comparison,
			  const struct percentiles *all, bool intended, struct html *html)
{
	for (size_t part = 0; part < part_count(report, comparison) && !comparison->files; part++)
		latency_part(report, comparison, part, all, intended, html);
}

void report_latency_table(const struct report *report, struct html *html)
{
	bool intended = report_has_intended(report);
	struct percentiles all;

	all_percentiles(report, &all);
	table_open(html, NULL);
	latency_head(report, &all, intended, html);
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];

		for (size_t n = 0; n < DIRECTION_COUNT * report->analysis.level_count; n++) {
			size_t d = n / report->analysis.level_count,
			       level = report->analysis.order[n % report->analysis.level_count];
			const struct histogram *histogram =
				report_histogram(comparison, level, (int)d);

			for (int from = 0; from < 2 && !(comparison->files && d > 0); from++) {
				const struct cell *cell = comparison->cells[level];
				const struct histogram *shown =
					from ? intended_of(cell, (int)d) : histogram;

				if (!shown)
					continue;
				html_open(html, "tr", NULL);
				row_head(report, comparison, (int)d, html);
				if (report->analysis.axis[0])
					html_element(html, "td",
						     analysis_level(&report->analysis, level),
						     NULL);
				if (intended)
					html_element(html, "td",
						     from ? "intended start" : "submission", NULL);
				latency_figures(shown, cell, &all, html);
				html_close(html, "tr");
			}
		}
		sync_rows(report, comparison, &all, intended, html);
		latency_parts(report, comparison, &all, intended, html);
	}
	table_close(html);
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
			html_element(html, "td", "-", "class", "number", NULL);
		return;
	}
	html_element(html, "td", numbers_mib(values[0]).text, "class", "number", NULL);
	html_element(html, "td", numbers_mib(values[count / 2]).text, "class", "number", NULL);
	html_element(html, "td", numbers_mib(values[count - 1]).text, "class", "number", NULL);
}

void report_series_table(const struct report *report, struct html *html)
{
	char title[ANALYSIS_TITLE_MAX];

	table_open(html, NULL);
	html_raw(html, "<thead><tr>");
	head_cell(html, "Workload", false);
	if (report->analysis.axis[0])
		head_cell(html, report->analysis.axis, false);
	head_cell(html, "whole seconds", true);
	head_cell(html, "slowest, MiB/s", true);
	head_cell(html, "median, MiB/s", true);
	head_cell(html, "fastest, MiB/s", true);
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
	table_close(html);
}
