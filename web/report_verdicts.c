/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_verdicts.c - what each comparison of a report shows: in words, and as a table. */
#include <math.h>
#include <string.h>

#include "web/report_parts.h"

static size_t put_levels(const struct report *report, const struct comparison *comparison,
			 bool skip_best, char *buffer, size_t size)
{
	const struct analysis *analysis = &report->analysis;
	size_t used = 0, count = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];

		if (!comparison->figures[level].samples ||
		    !report_strong(comparison, level, comparison->measure) ||
		    (skip_best && level == comparison->best))
			continue;
		if (used + 100 < size)
			used += (size_t)snprintf(buffer + used, size - used, "%s%.80s",
						 count ? ", " : "",
						 analysis_level(analysis, level));
		count++;
	}
	return count;
}

const char *report_verdict(const struct report *report, const struct comparison *comparison,
			   char buffer[REPORT_VERDICT_MAX])
{
	const char *best = analysis_level(&report->analysis, comparison->best);
	char levels[REPORT_VERDICT_MAX - 100];
	size_t count;

	buffer[0] = '\0';
	if (comparison->measured < 2)
		return comparison->measured ? buffer : "not measured";
	count = put_levels(report, comparison, comparison->blocks > 1, levels, sizeof(levels));
	if (comparison->blocks < 2)
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "highest figure%s at %s",
			       count > 1 ? "s" : "", levels);
	else if (count == 0)
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "%.80s is best", best);
	else if (count + 1 == comparison->measured)
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "no level shown worse than another");
	else
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "%.80s; not shown worse: %s", best,
			       levels);
	return buffer;
}

static void figure_cell(const struct comparison *comparison, enum measure measure,
			struct html *html)
{
	double value = report_total(comparison, comparison->best, measure);
	struct number (*format)(double) =
		measure == MEASURE_BANDWIDTH ? numbers_mib : numbers_count;

	if (isnan(value)) {
		html_element(html, "td", "\xe2\x80\x93", "class", "number", NULL);
		return;
	}
	html_element(html, "td", format(value).text, "class", "number", "title",
		     numbers_exact(measure == MEASURE_BANDWIDTH ? value / (1 << 20) : value).text,
		     NULL);
}

static void summary_head(const struct report *report, struct html *html)
{
	bool levels = report->analysis.level_count > 1;

	html_raw(html, "<thead><tr>");
	html_element(html, "th", "Workload", "scope", "col", NULL);
	if (levels)
		html_element(html, "th", "Highest at", "scope", "col", NULL);
	html_element(html, "th", report->data ? "IOPS" : "Operations/s", "scope", "col", "class",
		     "number", NULL);
	if (report->data)
		html_element(html, "th", "MiB/s", "scope", "col", "class", "number", NULL);
	if (levels)
		html_element(html, "th", "Shown", "scope", "col", NULL);
	html_raw(html, "</tr></thead><tbody>");
}

static void summary_row(const struct report *report, const struct comparison *comparison,
			struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	char title[ANALYSIS_TITLE_MAX], verdict[REPORT_VERDICT_MAX];

	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, analysis_title(analysis, comparison, title));
	html_close(html, "th");
	if (analysis->level_count > 1)
		html_element(html, "td", analysis_level(analysis, comparison->best), NULL);
	figure_cell(comparison, MEASURE_IOPS, html);
	if (report->data)
		figure_cell(comparison, MEASURE_BANDWIDTH, html);
	if (analysis->level_count > 1)
		html_element(html, "td", report_verdict(report, comparison, verdict), NULL);
	html_raw(html, "</tr>");
}

void report_summary(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	bool many = analysis->comparison_count > 16;

	/* Without levels the section of files says the same. */
	if (report->result->sample_count == 0 || (analysis->level_count == 1 && !report->data))
		return;
	if (many) {
		html_raw(html, "<details>");
		html_open(html, "summary", NULL);
		html_textf(html, "Highest figure in each of %zu comparisons",
			   analysis->comparison_count);
		html_close(html, "summary");
	}
	html_raw(html, "<div class=\"scroll\"><table class=\"summary\">");
	summary_head(report, html);
	for (size_t k = 0; k < analysis->comparison_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];

		if (comparison->measured && !(analysis->level_count == 1 && comparison->files))
			summary_row(report, comparison, html);
	}
	html_raw(html, "</tbody></table></div>");
	if (many)
		html_raw(html, "</details>");
}
