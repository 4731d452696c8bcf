/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.c - see report.h: the page's sections in their order, and the files beside it. */
#include "web/report.h"

#include <errno.h>
#include <string.h>

#include "engine/base/embedded.h"
#include "engine/base/file.h"
#include "server/codec/result_csv.h"
#include "server/codec/result_text.h"
#include "web/layout.h"
#include "web/report_shapes.h"
#include "web/report_zfs.h"

static void section_open(struct html *html, const char *id, const char *title, const char *lead)
{
	html_open(html, "section", "id", id, NULL);
	html_element(html, "h2", title, NULL);
	if (lead)
		html_element(html, "p", lead, "class", "lead", NULL);
}

/* What a report has to show; each is a section, and a link above them. */
static bool compares(const struct report *report)
{
	return report->analysis.level_count > 1;
}

static void data_contents(const struct report *report, struct html *html)
{
	if (report->iops)
		html_raw(html, "<a href=\"#iops\">IOPS</a>");
	if (report->bandwidth)
		html_raw(html, "<a href=\"#bandwidth\">Bandwidth</a>");
	if (report_has_curves(report))
		html_raw(html, "<a href=\"#curves\">Curves</a>");
	html_raw(html, "<a href=\"#table\">Table</a>");
}

static void contents(const struct report *report, struct html *html)
{
	html_raw(html, "<nav class=\"contents\" aria-label=\"Contents\">");
	if (report_has_heat(report))
		html_raw(html, "<a href=\"#map\">Map</a>");
	if (compares(report))
		html_raw(html, "<a href=\"#levels\">Levels</a>");
	if (report->data && report->index)
		html_raw(html, "<a href=\"#iops\">Index</a><a href=\"#table\">Table</a>");
	else if (report->data)
		data_contents(report, html);
	if (report->files)
		html_raw(html, "<a href=\"#files\">Files</a>");
	if (report->latency || report->told_latency)
		html_raw(html, "<a href=\"#latency\">Latency</a>");
	if (report->series)
		html_raw(html, "<a href=\"#series\">Series</a>");
	if (report->zfs)
		html_raw(html, "<a href=\"#zfs\">OpenZFS</a>");
	html_raw(html, "<a href=\"#findings\">Findings</a>"
		       "<a href=\"#details\">Details</a></nav>");
}

static void top(const struct report *report, struct html *html)
{
	const struct definition *definition = &report->result->definition;
	const char *trouble = chart_set_trouble(report->charts);

	html_open(html, "h1", NULL);
	html_text(html, definition->name ? definition->name : "Report");
	html_close(html, "h1");
	report_banner(report, html);
	report_headline(report, html);
	report_order_note(report, html);
	if (definition->description)
		html_element(html, "p", definition->description, "class", "description", NULL);
	report_facts(report, html);
	if (!compares(report) && report->result->sample_count)
		report_summary(report, html);
	if (!trouble[0])
		return;
	html_open(html, "div", "class", "banner warning", "role", "note", NULL);
	html_open(html, "p", NULL);
	html_element(html, "strong", "Charts are missing. ", NULL);
	html_textf(html, "Some or all could not be drawn: %s. Their tables are complete.", trouble);
	html_close(html, "p");
	html_close(html, "div");
}

static void levels_section(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	char title[DEFINITION_NAME_MAX + 40];

	(void)snprintf(title, sizeof(title), "Levels of %s", analysis->axis);
	section_open(html, "levels", title,
		     analysis->comparison_count > 1 &&
				     analysis->recommendation.kind != RECOMMENDATION_NONE
			     ? "Each level's score is the weighted geometric mean of all "
			       "comparisons. Losses are against the best figure there, and have no "
			       "interval, since the best of several is so by chance as well."
			     : NULL);
	report_verdicts(report, html);
	html_close(html, "section");
}

#define ON_BARS                                                                                    \
	"Bars begin at zero; whiskers show the 95 % interval of the mean where there are repeats."

#define ON_TONES                                                                                   \
	" Levels in the strong tone are not shown worse than the best; of single samples only "    \
	"the highest figure is."

static bool judged_by(const struct report *report, enum measure measure)
{
	for (size_t k = 0; k < report->analysis.comparison_count; k++)
		if (report->analysis.comparisons[k].measure == measure)
			return true;
	return false;
}

static const char *bars_lead(const struct report *report, enum measure measure)
{
	if (report->index)
		return "No operations or bytes a second: 100 is the level that the others were "
		       "told against.";
	if (measure == MEASURE_BANDWIDTH)
		return compares(report) && judged_by(report, MEASURE_BANDWIDTH) &&
				       !report_has_sizes(report)
			       ? "1 MiB is 2^20 bytes." ON_TONES
			       : "1 MiB is 2^20 bytes.";
	if (!compares(report))
		return "Operations a second. " ON_BARS;
	return judged_by(report, MEASURE_IOPS) ? "Operations a second. " ON_BARS ON_TONES
					       : "Operations a second. " ON_BARS
						 " All levels have one tone, since they "
						 "are not judged by these figures.";
}

static void bars_section(const struct report *report, enum measure measure, struct html *html)
{
	const char *name = report->index	     ? "Index"
			   : measure == MEASURE_IOPS ? "IOPS"
						     : "Bandwidth, MiB/s";
	char title[DEFINITION_NAME_MAX + 40];

	if (report->analysis.axis[0])
		(void)snprintf(title, sizeof(title), "%s by %s", name, report->analysis.axis);
	else
		(void)snprintf(title, sizeof(title), "%s by workload", name);
	section_open(html, measure == MEASURE_IOPS ? "iops" : "bandwidth", title,
		     bars_lead(report, measure));
	report_bars(report, measure, html);
	html_close(html, "section");
}

static void heat_section(const struct report *report, struct html *html)
{
	char title[DEFINITION_NAME_MAX + 40];

	(void)snprintf(title, sizeof(title), "%s: how near each is to the best",
		       report->analysis.axis);
	section_open(html, "map", title, NULL);
	report_heat(report, html);
	html_close(html, "section");
}

static void curves_section(const struct report *report, struct html *html)
{
	char title[DEFINITION_NAME_MAX + 40];

	(void)snprintf(title, sizeof(title), "Along %s", report_curves_axis(report));
	section_open(
		html, "curves", title,
		"Reads and writes together. Dots are what was measured, with the 95 % interval "
		"where a workload goes one way only; between them nothing was.");
	report_curves(report, html);
	html_close(html, "section");
}

static void table_section(const struct report *report, struct html *html)
{
	section_open(html, "table", "Table",
		     report->index ? "The index, 100 being the level that others were told against."
				   : "Operations a second / MiB a second, rounded to three digits; "
				     "the exact figures show when a cell is pointed at, and stand "
				     "in result.csv. \xe2\x80\x93: not known.");
	report_cells_table(report, html);
	html_close(html, "section");
}

static void data_sections(const struct report *report, struct html *html)
{
	if (report->iops || report->index)
		bars_section(report, MEASURE_IOPS, html);
	if (report->bandwidth && !report->index)
		bars_section(report, MEASURE_BANDWIDTH, html);
	if (report_has_curves(report))
		curves_section(report, html);
	table_section(report, html);
}

static void files_section(const struct report *report, struct html *html)
{
	char title[DEFINITION_NAME_MAX + 40];

	if (report->analysis.axis[0])
		(void)snprintf(title, sizeof(title), "Operations on files by %s",
			       report->analysis.axis);
	else
		(void)snprintf(title, sizeof(title), "Operations on files");
	section_open(
		html, "files", title,
		report->index
			? "No files a second: 100 is the level that the others were told against."
		: report->result->definition.imported
			? "Files a second, as the other tool told them. Whiskers and brackets show "
			  "the 95 % interval of the mean."
			: "Files a second, each phase of a metadata workload on all files once, in "
			  "order or at random. Nothing is dropped from caches between phases. "
			  "Whiskers and brackets show the 95 % interval of the mean.");
	report_file_bars(report, html);
	report_files_table(report, html);
	html_close(html, "section");
}

static void zfs_section(const struct report *report, struct html *html)
{
	section_open(html, "zfs", "OpenZFS",
		     "What the reads and writes of the workloads were to the pool beneath.");
	report_zfs_figures(report, html);
	report_zfs_made(report, html);
	report_zfs_pools(report, html);
	html_close(html, "section");
}

static void latency_section(const struct report *report, struct html *html)
{
	section_open(html, "latency", "Latency",
		     report->latency ? "From submission to completion, all repeats together. The "
				       "axis stretches the tail; each line ends where fewer than "
				       "ten operations lie beyond. Time is logarithmic."
		     : report_has_tails(report)
			     ? "As the other tool told it; lines join the percentiles that it told."
			     : "As the other tool told it.");
	if (report->latency)
		report_latency(report, html);
	else
		report_latency_panels(report, html);
	if (report->told_latency)
		report_told_latency(report, html);
	html_close(html, "section");
}

static void measured_sections(const struct report *report, struct html *html)
{
	contents(report, html);
	if (report_has_heat(report))
		heat_section(report, html);
	if (compares(report))
		levels_section(report, html);
	if (report->data)
		data_sections(report, html);
	if (report->files)
		files_section(report, html);
	if (report->latency || report->told_latency)
		latency_section(report, html);
	if (report->series) {
		section_open(
			html, "series", "Throughput over time",
			!report_series_drawn(report)
				? "No sample lasted long enough for a line: it takes two seconds."
				: "Reads and writes together, second by second: the mean of the "
				  "repeats, and as a pale band their slowest and fastest. What "
				  "lies in the ramp is grey and not part of any figure; where "
				  "every sample was in a steady state is tinted (SNIA: excursion "
				  "within 20 %, slope within 10 %).");
		report_series(report, html);
		html_close(html, "section");
	}
	if (report->zfs)
		zfs_section(report, html);
}

static char *make_page(const struct report *report, size_t *ret_size)
{
	const struct result *result = report->result;
	struct html *html = layout_begin(
		LAYOUT_STORED, result->definition.name ? result->definition.name : "Report");

	top(report, html);
	if (result->sample_count)
		measured_sections(report, html);
	section_open(html, "findings", "Findings", NULL);
	report_finding_cards(report, html);
	html_close(html, "section");
	section_open(html, "details", "Details", NULL);
	report_appendix(report, html);
	html_close(html, "section");
	return layout_end(html, ret_size);
}

static int write_text(int dirfd, const char *name, char *text)
{
	int r = text ? file_write(dirfd, name, text, strlen(text), 0644) : -ENOMEM;

	free(text);
	return r;
}

static int write_static(int dirfd, const char *path, const char *name)
{
	const struct embedded *embedded = embedded_find(path);

	return embedded ? file_write(dirfd, name, embedded->data, embedded_size(embedded), 0644)
			: -ENOENT;
}

static int write_files(const struct report *report, const char *result_json,
		       size_t result_json_size, int dirfd)
{
	AUTO_FREE char *page = NULL;
	size_t size = 0;
	int r = report_write_charts(report, dirfd);

	if (r == 0)
		r = write_static(dirfd, "web/static/style.css", "style.css");
	if (r == 0)
		r = write_static(dirfd, "web/static/icon.svg", "icon.svg");
	if (r == 0)
		r = file_write(dirfd, "result.json", result_json, result_json_size, 0644);
	if (r == 0)
		r = write_text(dirfd, "result.csv", result_csv(report->result));
	/* Of what another tool measured there is nothing that fio would have said. */
	if (r == 0 && !report->result->definition.imported)
		r = write_text(dirfd, "fio.json", result_fio_text(report->result));
	if (r < 0)
		return r;
	page = make_page(report, &size);
	return page ? file_write(dirfd, "index.html", page, size, 0644) : -ENOMEM;
}

int report_write(const struct result *result, const char *result_json, size_t result_json_size,
		 int dirfd, const atomic_bool *stop, struct error *err)
{
	struct report *report = calloc(1, sizeof(*report));
	int r = report ? report_gather(result, report) : -ENOMEM;

	if (r == 0) {
		chart_set_stop_with(report->charts, stop);
		r = report_plan_charts(report);
	}
	if (r == 0)
		r = write_files(report, result_json, result_json_size, dirfd);
	if (report)
		report_done(report);
	free(report);
	if (r == -ENOMEM)
		(void)error_set(err, ERROR_NO_MEMORY, "", "not enough memory for the report");
	else if (r == -ECANCELED)
		(void)error_set(err, ERROR_CANCELLED, "", "the report was given up");
	else if (r == -ENOSPC || r == -EDQUOT)
		(void)error_set_sys(err, ERROR_STORAGE_FULL, -r, "cannot write the report");
	else if (r < 0)
		(void)error_set_sys(err, ERROR_SYSTEM, -r, "cannot write the report");
	return r;
}
