/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_zfs_figures.c - how much of a workload reached the devices of its pool: charts and tables
 * by level, see report_zfs.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "web/report_zfs.h"

/* From this share on the reads of a cell are the devices': the rest is metadata and chance. */
#define FROM_DEVICES 0.95

static const struct description {
	const char *heading, *id;
	const char *sentences[3];
	const char *chart; /* begins the text alternative */
	const char *table;
	const char *unknown; /* why a figure may be missing */
	enum direction direction;
	double at_least; /* the charts' scale reaches this */
	struct number (*format)(double);
} descriptions[ZFS_FIGURES] = {
	[ZFS_FROM_DEVICES] =
		{"Reads that reached the devices",
		 "zfs-reads",
		 {"Of the reads of data that were answered while the samples were measured, those "
		  "that the pool's devices had to serve; all others came from ARC, OpenZFS's cache "
		  "in memory. Where the share is low the figures above are of memory, not of the "
		  "pool. Levels of 95 % and more are in the strong tone.",
		  "Counted from the kernel's figures at the two ends of the window: blocks that "
		  "ARC missed, or fetched ahead, or that were read around it, as a part of all "
		  "that were asked for. Where parts of blocks are written, the rest of those, "
		  "which OpenZFS reads first, is among them, and counts once. ARC is the "
		  "machine's: what others read meanwhile is among them too.",
		  NULL},
		 "Share of reads that reached the devices",
		 "Table: share of reads that reached the devices",
		 "ARC's counters were not there, or counted no reads",
		 DIRECTION_READ,
		 1,
		 numbers_percent},
	[ZFS_WRITTEN] =
		{"Write amplification",
		 "zfs-writes",
		 {"Bytes that the pool's disks wrote for each byte the workload wrote; 1.00x is "
		  "each "
		  "byte once. It is made of copies on mirrors, parity and padding, metadata and "
		  "the intent log, and above all of whole blocks that are written anew for a part "
		  "of them; compression lowers it, and so does what is written over before the "
		  "pool "
		  "has synced it. Levels in the strong tone are not shown to write more than the "
		  "lowest.",
		  "Counted between two \"zpool sync\", one before a sample and one after it, ramp "
		  "included, on all disks of the pool, log devices among them. What others wrote "
		  "to "
		  "the pool meanwhile is among it.",
		  NULL},
		 "Write amplification",
		 "Table: bytes written to the pool's disks for each byte the workload wrote",
		 "not all disks of the pool have counters, or nothing was written",
		 DIRECTION_WRITE,
		 2,
		 numbers_times},
	[ZFS_READ] = {"",
		      "",
		      {NULL},
		      "",
		      "Table: bytes read from the pool's disks for each byte the workload read",
		      "not all disks of the pool have counters, or nothing was read",
		      DIRECTION_READ,
		      0,
		      numbers_times},
};

static const struct estimate_interval *figure_of(const struct comparison *comparison, size_t level,
						 int figure)
{
	static const struct estimate_interval none;
	const struct cell *cell = comparison->cells[level];

	if (!cell)
		return &none;
	switch (figure) {
	case ZFS_FROM_DEVICES:
		return &cell->zfs.from_devices;
	case ZFS_WRITTEN:
		return &cell->zfs.write_amplification;
	default:
		return &cell->zfs.read_amplification;
	}
}

static bool same_levels(const struct report *report, const struct comparison *one,
			const struct comparison *other)
{
	for (size_t f = 1; f < report->result->definition.factor_count; f++)
		if (one->levels[f] != other->levels[f])
			return false;
	return true;
}

/* Whether a comparison has the figure at all: it moves data that way. The phases of files are of
 * one sample, and their first stands for it. */
static bool takes_part(const struct report *report, size_t k, int figure)
{
	const struct comparison *comparison = &report->analysis.comparisons[k];
	const struct comparison *before = k ? comparison - 1 : NULL;
	bool zfs = false;

	for (size_t i = 0; i < report->analysis.level_count; i++)
		zfs |= comparison->cells[i] && comparison->cells[i]->zfs.count > 0;
	if (!zfs)
		return false;
	if (!comparison->files)
		return report_moves(report, comparison, (int)descriptions[figure].direction);
	return !before || before->workload != comparison->workload ||
	       !same_levels(report, before, comparison);
}

static bool any_known(const struct report *report, size_t k, int figure)
{
	for (size_t i = 0; i < report->analysis.level_count; i++)
		if (figure_of(&report->analysis.comparisons[k], i, figure)->count)
			return true;
	return false;
}

/* "Exchange, iodepth=16": of a whole sample, also of files. */
static const char *title_of(const struct report *report, const struct comparison *comparison,
			    char buffer[ANALYSIS_TITLE_MAX])
{
	struct comparison whole = *comparison;

	whole.files = false;
	return analysis_title(&report->analysis, &whole, buffer);
}

/* ---- charts ---- */

static void fill_segment(const struct estimate_interval *known, int figure,
			 struct chart_segment *segment)
{
	segment->present = known->count > 0;
	segment->value = known->mean;
	segment->low = fmax(known->low, 0);
	segment->high = figure == ZFS_FROM_DEVICES ? fmin(known->high, 1) : known->high;
	segment->interval = known->interval;
}

/* Levels to stand out: served by the devices; or not shown to write more than the lowest. */
static bool stands_out(const struct report *report, const struct comparison *comparison,
		       size_t level, int figure)
{
	size_t k = (size_t)(comparison - report->analysis.comparisons);

	if (figure == ZFS_FROM_DEVICES)
		return figure_of(comparison, level, figure)->mean >= FROM_DEVICES;
	return report->low_writes[k * report->analysis.level_count + level];
}

static struct chart_bars bars_of(int figure)
{
	const struct description *description = &descriptions[figure];

	return (struct chart_bars){.segment_count = 1,
				   .segment_names = {direction_names[description->direction]},
				   .at_least = description->at_least,
				   .format = description->format};
}

static int add_panel(struct report *report, const struct comparison *comparison, int figure,
		     size_t *ret_index)
{
	struct chart_bar *list = calloc(report->analysis.level_count, sizeof(*list));
	struct chart_bars bars = bars_of(figure);
	char title[ANALYSIS_TITLE_MAX], axis[REPORT_AXIS_MAX];
	int r;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < report->analysis.level_count; i++) {
		size_t level = report->analysis.order[i];

		list[i].label = analysis_level(&report->analysis, level);
		list[i].marked = level == report->recommended;
		list[i].strong = stands_out(report, comparison, level, figure);
		fill_segment(figure_of(comparison, level, figure), figure, &list[i].segments[0]);
	}
	bars.title = title_of(report, comparison, title);
	bars.axis = report_axis(report, axis);
	bars.count = report->analysis.level_count;
	bars.bars = list;
	r = chart_add_bars(report->charts, &bars, ret_index);
	free(list);
	return r;
}

/* Without a factor to put on the axis: one picture, the workloads along it. */
static int add_whole(struct report *report, int figure, size_t *ret_index)
{
	struct chart_bar *list = calloc(report->analysis.comparison_count + 1, sizeof(*list));
	char(*labels)[ANALYSIS_TITLE_MAX] =
		calloc(report->analysis.comparison_count + 1, sizeof(*labels));
	struct chart_bars bars = bars_of(figure);
	int r = list && labels ? 0 : -ENOMEM;

	bars.title = descriptions[figure].heading;
	bars.axis = descriptions[figure].chart;
	bars.lying = true;
	bars.bars = list;
	for (size_t k = 0; k < report->analysis.comparison_count && r == 0; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];

		if (!takes_part(report, k, figure))
			continue;
		list[bars.count].label = title_of(report, comparison, labels[bars.count]);
		list[bars.count].strong = true;
		fill_segment(figure_of(comparison, 0, figure), figure,
			     &list[bars.count++].segments[0]);
	}
	if (r == 0 && bars.count)
		r = chart_add_bars(report->charts, &bars, ret_index);
	free(labels);
	free(list);
	return r;
}

int report_plan_zfs_charts(struct report *report)
{
	for (int figure = 0; figure < ZFS_CHARTS; figure++)
		for (size_t i = 0; i < ZFS_PANELS_MAX; i++)
			report->zfs_charts[figure][i] = CHART_NONE;
	for (int figure = 0; report->zfs && figure < ZFS_CHARTS; figure++) {
		size_t *charts = report->zfs_charts[figure], count = 0;
		int r = report->analysis.axis[0] ? 0 : add_whole(report, figure, &charts[0]);

		for (size_t k = 0;
		     report->analysis.axis[0] && k < report->analysis.comparison_count &&
		     count < ZFS_PANELS_MAX && r == 0;
		     k++)
			if (takes_part(report, k, figure) && any_known(report, k, figure))
				r = add_panel(report, &report->analysis.comparisons[k], figure,
					      &charts[count++]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- panels ---- */

/* "1.02x to 33.1x", "98.7 %", of the levels' means. */
static void range_words(const struct report *report, const struct comparison *comparison,
			int figure, char *buffer, size_t size)
{
	struct number (*format)(double) = descriptions[figure].format;
	struct number low, high;
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < report->analysis.level_count; i++) {
		const struct estimate_interval *known = figure_of(comparison, i, figure);

		if (!known->count)
			continue;
		least = fmin(least, known->mean);
		most = fmax(most, known->mean);
	}
	low = format(least);
	high = format(most);
	(void)snprintf(buffer, size, "%s%s%s%s", low.text,
		       strcmp(low.text, high.text) == 0 ? "" : " to ",
		       strcmp(low.text, high.text) == 0 ? "" : high.text,
		       figure != ZFS_FROM_DEVICES || least >= FROM_DEVICES ? ""
		       : most > 0					   ? ": ARC served the rest"
									   : ": ARC served all");
}

static char *alternative_of(const struct report *report, const struct comparison *comparison,
			    int figure)
{
	char *text = NULL, title[ANALYSIS_TITLE_MAX];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fprintf(file, "%s of %s by %s: ", descriptions[figure].chart,
		      title_of(report, comparison, title), report->analysis.axis);
	for (size_t i = 0; i < report->analysis.level_count; i++) {
		size_t level = report->analysis.order[i];
		const struct estimate_interval *known = figure_of(comparison, level, figure);

		(void)fprintf(
			file, "%s%s %s", i ? ", " : "", analysis_level(&report->analysis, level),
			known->count ? descriptions[figure].format(known->mean).text : "unknown");
	}
	(void)fputc('.', file);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void show_panels(const struct report *report, int figure, struct html *html)
{
	const size_t *charts = report->zfs_charts[figure];
	char title[ANALYSIS_TITLE_MAX], note[160];
	size_t count = 0, left_out = 0;

	html_open(html, "div", "class", "panels", NULL);
	if (!report->analysis.axis[0] && charts[0] != CHART_NONE)
		report_panel(report, charts[0], "All workloads", NULL,
			     "A bar each workload; see the table.", html);
	for (size_t k = 0; report->analysis.axis[0] && k < report->analysis.comparison_count; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];
		AUTO_FREE char *alternative = NULL;

		if (!takes_part(report, k, figure) || !any_known(report, k, figure))
			continue;
		if (count == ZFS_PANELS_MAX) {
			left_out++;
			continue;
		}
		alternative = alternative_of(report, comparison, figure);
		range_words(report, comparison, figure, note, sizeof(note));
		report_panel(report, charts[count++], title_of(report, comparison, title), note,
			     alternative ? alternative : "", html);
	}
	html_close(html, "div");
	if (!left_out)
		return;
	html_open(html, "p", "class", "note", NULL);
	html_textf(html, "The first %zu of %zu comparisons are drawn; the table has all.", count,
		   count + left_out);
	html_close(html, "p");
}

/* ---- tables ---- */

static void figure_cell(const struct comparison *comparison, size_t level, int figure,
			struct html *html)
{
	const struct estimate_interval *known = figure_of(comparison, level, figure);
	const struct cell *cell = comparison->cells[level];
	struct number (*format)(double) = descriptions[figure].format;
	char title[96];

	if (!cell || !cell->sample_count) {
		html_element(html, "td", NUMBERS_UNKNOWN, "class", "number", "title",
			     "not measured", NULL);
		return;
	}
	if (!known->count) {
		html_element(html, "td", "unknown", "class", "number unknown", "title",
			     descriptions[figure].unknown, NULL);
		return;
	}
	(void)snprintf(title, sizeof(title), "known of %zu of %zu samples", known->count,
		       cell->sample_count);
	html_open(html, "td", "class", "number", "title", title, NULL);
	html_text(html, format(known->mean).text);
	if (known->interval) {
		html_open(html, "span", "class", "interval", NULL);
		html_textf(html, " [%s, %s]", format(fmax(known->low, 0)).text,
			   format(figure == ZFS_FROM_DEVICES ? fmin(known->high, 1) : known->high)
				   .text);
		html_close(html, "span");
	}
	html_close(html, "td");
}

static void show_table(const struct report *report, int figure, struct html *html)
{
	char title[ANALYSIS_TITLE_MAX];

	report_table_fold(report, descriptions[figure].table, html);
	html_raw(html, "<div class=\"scroll\"><table class=\"stack\">");
	report_level_head(report, html);
	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		if (!takes_part(report, k, figure))
			continue;
		html_raw(html, "<tr>");
		html_open(html, "th", "scope", "row", NULL);
		html_name(html, title_of(report, &report->analysis.comparisons[k], title));
		html_close(html, "th");
		for (size_t i = 0; i < report->analysis.level_count; i++)
			figure_cell(&report->analysis.comparisons[k], report->analysis.order[i],
				    figure, html);
		html_raw(html, "</tr>");
	}
	html_raw(html, "</tbody></table></div>");
	html_close(html, "details");
}

static void show_figure(const struct report *report, int figure, struct html *html)
{
	const struct description *description = &descriptions[figure];
	bool any = false, known = false;

	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		any |= takes_part(report, k, figure);
		known |= takes_part(report, k, figure) && any_known(report, k, figure);
	}
	if (!any || (!known && figure >= ZFS_CHARTS))
		return;
	if (figure < ZFS_CHARTS)
		html_element(html, "h3", description->heading, "id", description->id, NULL);
	if (!known) {
		html_open(html, "p", NULL);
		html_textf(html, "Unknown: %s.", description->unknown);
		html_close(html, "p");
		return;
	}
	for (size_t i = 0; description->sentences[i]; i++)
		html_element(html, "p", description->sentences[i], "class", i ? "note" : "lead",
			     NULL);
	if (figure < ZFS_CHARTS)
		show_panels(report, figure, html);
	show_table(report, figure, html);
}

void report_zfs_figures(const struct report *report, struct html *html)
{
	for (int figure = 0; figure < ZFS_FIGURES; figure++)
		show_figure(report, figure, html);
}
