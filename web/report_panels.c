/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_panels.c - a report's charts in its page: a panel each, its words, and its table. */
#include <math.h>
#include <string.h>

#include "web/report_shapes.h"

static bool drawn(const struct report *report, size_t index)
{
	size_t size;

	return index != CHART_NONE && chart_svg(report->charts, index, CHART_LIGHT, &size);
}

static void picture(const struct report *report, size_t index, const char *alternative,
		    struct html *html)
{
	char light[REPORT_CHART_NAME_MAX], dark[REPORT_CHART_NAME_MAX], width[16], height[16];
	unsigned int w, h;

	chart_size(report->charts, index, &w, &h);
	(void)snprintf(width, sizeof(width), "%u", w);
	(void)snprintf(height, sizeof(height), "%u", h);
	html_open(html, "picture", NULL);
	html_void(html, "source", "srcset", report_chart_name(index, CHART_DARK, dark), "media",
		  "screen and (prefers-color-scheme: dark)", NULL);
	html_void(html, "img", "src", report_chart_name(index, CHART_LIGHT, light), "alt",
		  alternative, "width", width, "height", height, NULL);
	html_close(html, "picture");
}

void report_panel(const struct report *report, size_t index, const char *title, const char *note,
		  const char *alternative, struct html *html)
{
	html_open(html, "figure", "class", "panel", NULL);
	if (title[0]) {
		html_open(html, "figcaption", NULL);
		html_element(html, "b", title, NULL);
		if (note && note[0])
			html_element(html, "span", note, NULL);
		html_close(html, "figcaption");
	}
	if (drawn(report, index))
		picture(report, index, alternative, html);
	else
		html_element(html, "p", "This chart could not be drawn; see its table.", "class",
			     "missing", NULL);
	html_close(html, "figure");
}

static char *bars_alternative(const struct report *report, const struct comparison *comparison,
			      enum measure measure)
{
	const struct analysis *analysis = &report->analysis;
	char *text = NULL, verdict[REPORT_VERDICT_MAX], title[ANALYSIS_TITLE_MAX];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fprintf(file, "%s of %s by %s: ",
		      comparison->files		? "Operations a second"
		      : report->index		? "Index"
		      : measure == MEASURE_IOPS ? "IOPS"
						: "MiB/s",
		      analysis_title(analysis, comparison, title), analysis->axis);
	for (size_t i = 0; i < analysis->level_count; i++) {
		double total = report_total(comparison, analysis->order[i],
					    report_measure(report, comparison, measure));

		(void)fprintf(file, "%s%s %s", i ? ", " : "",
			      analysis_level(analysis, analysis->order[i]),
			      isnan(total)		? "unknown"
			      : measure == MEASURE_IOPS ? numbers_count(total).text
							: numbers_mib(total).text);
	}
	if (report_verdict(report, comparison, verdict)[0])
		(void)fprintf(file, "; %s", verdict);
	(void)fputc('.', file);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

void report_more_note(const struct report *report, struct html *html)
{
	if (report->panel_count >= report->analysis.comparison_count)
		return;
	html_open(html, "p", "class", "note", NULL);
	html_textf(html, "The first %zu of %zu comparisons are drawn; the tables have all.",
		   report->panel_count, report->analysis.comparison_count);
	html_close(html, "p");
}

void report_table_fold(const struct report *report, const char *title, struct html *html)
{
	bool trouble = chart_set_trouble(report->charts)[0] != '\0';

	/* Where charts are missing the table stands in for them. */
	html_open(html, "details", "open", trouble ? "open" : NULL, NULL);
	html_element(html, "summary", title, NULL);
}

static void whole_panel(const struct report *report, enum measure measure, struct html *html)
{
	html_open(html, "div", "class", "panels", NULL);
	report_panel(report, report->whole.bars[measure], "All workloads", NULL,
		     measure == MEASURE_IOPS
			     ? "IOPS of each workload, reads below writes; see the table."
			     : "MiB/s of each workload, reads below writes; see the table.",
		     html);
	html_close(html, "div");
}

/* "iodepth=16, compression=off": what sets the panels of one workload apart. */
static const char *others_of(const struct report *report, const struct comparison *comparison,
			     char buffer[ANALYSIS_TITLE_MAX])
{
	const struct definition *definition = &report->result->definition;
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t f = 1; f < definition->factor_count && used < ANALYSIS_TITLE_MAX; f++) {
		int n = snprintf(buffer + used, ANALYSIS_TITLE_MAX - used, "%s%s=%s",
				 used ? ", " : "", definition->factors[f].name,
				 definition->factors[f].levels[comparison->levels[f]]);

		used += n > 0 ? (size_t)n : 0;
	}
	return buffer;
}

/* Panels of one workload stand below its name, a panel a combination of the further factors. */
static bool in_groups(const struct report *report, bool files)
{
	const struct definition *definition = &report->result->definition;

	return !files && definition->factor_count > 1 && definition->workload_count > 1;
}

/* A verdict by another figure than the panel's says by which. */
static void panel_note(const struct report *report, const struct comparison *comparison,
		       enum measure measure, char buffer[REPORT_VERDICT_MAX])
{
	enum measure own = comparison->measure;
	char verdict[REPORT_VERDICT_MAX];

	(void)report_verdict(report, comparison, verdict);
	if (!verdict[0] || report->index || own == measure || own == MEASURE_FILES ||
	    (own == MEASURE_IOPS && measure == MEASURE_BANDWIDTH))
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "%s", verdict);
	else
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "by %s: %.300s",
			       own == MEASURE_LATENCY	  ? "latency"
			       : own == MEASURE_BANDWIDTH ? "MiB/s"
							  : "IOPS",
			       verdict);
}

static void bars_panels(const struct report *report, enum measure measure, bool files,
			struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	size_t workload = SIZE_MAX;
	bool groups = in_groups(report, files), open = false;

	for (size_t k = 0; k < report->panel_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];
		char title[ANALYSIS_TITLE_MAX], note[REPORT_VERDICT_MAX];
		AUTO_FREE char *alternative = NULL;

		if (!comparison->measured || comparison->files != files)
			continue;
		if (!open || (groups && comparison->workload != workload)) {
			if (open)
				html_close(html, "div");
			if (groups)
				html_element(
					html, "h3",
					report->result->definition.workloads[comparison->workload]
						.name,
					NULL);
			html_open(html, "div", "class", "panels", NULL);
			open = true;
			workload = comparison->workload;
		}
		alternative = bars_alternative(report, comparison, measure);
		panel_note(report, comparison, measure, note);
		report_panel(report, report->panels[k].bars[measure],
			     groups ? others_of(report, comparison, title)
				    : analysis_title(analysis, comparison, title),
			     note, alternative ? alternative : "", html);
	}
	if (open)
		html_close(html, "div");
	report_more_note(report, html);
}

void report_bars(const struct report *report, enum measure measure, struct html *html)
{
	if (measure == MEASURE_BANDWIDTH && report_has_sizes(report))
		report_sizes(report, html);
	else if (report->analysis.axis[0])
		bars_panels(report, measure, false, html);
	else
		whole_panel(report, measure, html);
	report_table_fold(report,
			  report->index		    ? "Table: index"
			  : measure == MEASURE_IOPS ? "Table: IOPS with 95 % intervals"
						    : "Table: MiB/s with 95 % intervals",
			  html);
	report_bars_table(report, measure, html);
	html_close(html, "details");
}

void report_file_bars(const struct report *report, struct html *html)
{
	if (report->analysis.axis[0]) {
		bars_panels(report, MEASURE_IOPS, true, html);
		return;
	}
	html_open(html, "div", "class", "panels", NULL);
	report_panel(report, report->whole_files, "All phases", NULL,
		     "Operations a second of each phase; see the table.", html);
	html_close(html, "div");
}

/* "Percentiles of read latency of Exchange by volblocksize; 99 %: 4K 1.2 ms, 8K 1.4 ms." */
static char *tail_alternative(const struct report *report, const struct comparison *comparison,
			      int direction)
{
	const struct analysis *analysis = &report->analysis;
	char *text = NULL, title[ANALYSIS_TITLE_MAX];
	size_t size, told = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fprintf(file, "Percentiles of %s latency of %s",
		      comparison->files ? file_operation_names[comparison->operation]
					: direction_names[direction],
		      analysis_title(analysis, comparison, title));
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];
		const struct histogram *histogram = report_histogram(comparison, level, direction);

		if (!histogram || histogram->count < 1000)
			continue; /* ten are to lie beyond the 99th */
		(void)fprintf(file, "%s%s %s", told++ ? ", " : "; 99 % of operations within: ",
			      analysis_level(analysis, level),
			      numbers_time((double)histogram_percentile_ns(histogram, 99)).text);
	}
	(void)fputs("; all stand in the table.", file);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

bool report_has_tails(const struct report *report)
{
	for (size_t k = 0; k < report->panel_count; k++)
		for (int d = 0; d < DIRECTION_COUNT; d++)
			if (report->panels[k].latency[d] != CHART_NONE)
				return true;
	return false;
}

void report_latency_panels(const struct report *report, struct html *html)
{
	if (!report_has_tails(report))
		return;
	html_open(html, "div", "class", "panels", NULL);
	for (size_t k = 0; k < report->panel_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];
		char title[ANALYSIS_TITLE_MAX];

		for (int d = 0; d < DIRECTION_COUNT; d++) {
			AUTO_FREE char *alternative = NULL;

			if (report->panels[k].latency[d] == CHART_NONE)
				continue;
			alternative = tail_alternative(report, comparison, d);
			report_panel(report, report->panels[k].latency[d],
				     analysis_title(&report->analysis, comparison, title),
				     comparison->files ? "" : direction_names[d],
				     alternative ? alternative : "", html);
		}
	}
	html_close(html, "div");
	report_more_note(report, html);
}

void report_latency(const struct report *report, struct html *html)
{
	report_latency_panels(report, html);
	if (report_has_intended(report))
		html_element(
			html, "p",
			"Where a rate is asked for, the table has two rows. From the submission to "
			"the completion is what each operation took once it was begun. From the "
			"intended start, when the rate's schedule had it due, is what whoever "
			"asked at that rate would have waited: a target that stops makes all late "
			"that were due meanwhile, of which the submission tells only the few "
			"outstanding (coordinated omission). Of jobs that run together only those "
			"with a rate have an intended start.",
			"class", "note", NULL);
	report_table_fold(report, "Table: latency percentiles", html);
	report_latency_table(report, html);
	html_close(html, "details");
}
