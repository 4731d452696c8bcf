/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_latency.c - the table of latencies: percentiles of every cell's histogram, its syncs' and
 * its jobs'. */
#include <string.h>

#include "engine/plan/percentiles.h"
#include "web/report_rows.h"

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
		html_element(html, "td", NUMBERS_UNKNOWN, "class", "number", "title",
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
	report_head_cell(html, "Workload", false);
	if (report->analysis.axis[0])
		report_head_cell(html, report->analysis.axis, false);
	if (intended)
		report_head_cell(html, "from", false);
	report_head_cell(html, "operations", true);
	report_head_cell(html, "mean", true);
	for (size_t i = 0; i < all->count; i++) {
		(void)snprintf(text, sizeof(text), "%.9g %%", all->values[i]);
		report_head_cell(html, text, true);
	}
	report_head_cell(html, "max", true);
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
		report_row_head_of(report, comparison, sample_syncs_names[kind], html);
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
	report_part_head(report, comparison, part, what, html);
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
		const struct cell_direction *own =
			report_part_figures(comparison, level, part, (int)d);

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
	for (size_t part = 0; part < report_part_count(report, comparison) && !comparison->files;
	     part++)
		latency_part(report, comparison, part, all, intended, html);
}

void report_latency_table(const struct report *report, struct html *html)
{
	bool intended = report_has_intended(report);
	struct percentiles all;

	all_percentiles(report, &all);
	report_table_open(html, NULL);
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
				report_row_head(report, comparison, (int)d, html);
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
	report_table_close(html);
}
