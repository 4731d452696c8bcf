/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_study.c - the table as the published studies print it: ~33.8k / 264 MiB, exact figures
 * where a cell is pointed at. Of what another tool told the digits are as it told them. What dd
 * would have measured is told in dd's unit besides.
 */
#include <math.h>
#include <string.h>

#include "web/report_rows.h"

#define TITLE_MAX 512
#define MIB (1 << 20)

/* What rounding leaves open of the first sample's figure: "33,750 to 33,850"; "" where nothing. */
static const char *told_range(const struct cell *cell, int d, bool bandwidth, char *buffer,
			      size_t size)
{
	struct told_figure told;
	double unit = bandwidth ? MIB : 1;

	buffer[0] = '\0';
	if (!cell || cell->sample_count != 1)
		return buffer;
	told = bandwidth ? sample_bandwidth_figure(cell->samples[0], (enum direction)d)
			 : sample_iops_figure(cell->samples[0], (enum direction)d);
	if (told.known && told.high > told.low)
		(void)snprintf(buffer, size, " (told rounded: %.32s to %.32s)",
			       numbers_exact(told.low / unit).text,
			       numbers_exact(told.high / unit).text);
	return buffer;
}

/* "33,812.4 IOPS [33,700.1, 33,924.7]" */
static void put_figure(FILE *text, const struct estimate_interval *figure, double unit,
		       const char *name, const char *range)
{
	if (!figure->count) {
		(void)fprintf(text, "%s unknown", name);
		return;
	}
	(void)fprintf(text, "%s %s", numbers_exact(figure->mean / unit).text, name);
	if (figure->interval)
		(void)fprintf(text, " [%s, %s]", numbers_exact(figure->low / unit).text,
			      numbers_exact(figure->high / unit).text);
	(void)fputs(range, text);
}

/* heap; NULL on no memory, and the cell is without a title then */
static char *exact_title(const struct cell_direction *direction, const struct cell *cell, int d,
			 bool index)
{
	size_t samples = direction->iops.count > direction->bandwidth.count
				 ? direction->iops.count
				 : direction->bandwidth.count;
	char *text = NULL, range[128];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	if (index)
		put_figure(file, direction->iops.count ? &direction->iops : &direction->bandwidth,
			   1, "of 100", "");
	else {
		put_figure(file, &direction->iops, 1, "IOPS",
			   told_range(cell, d, false, range, sizeof(range)));
		(void)fputs("; ", file);
		put_figure(file, &direction->bandwidth, MIB, "MiB/s",
			   told_range(cell, d, true, range, sizeof(range)));
	}
	(void)fprintf(file, "; %zu sample%s", samples, samples == 1 ? "" : "s");
	if (direction->iops.interval || direction->bandwidth.interval)
		(void)fputs(", 95 % intervals", file);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static double mean_of(const struct estimate_interval *figure)
{
	return figure->count ? figure->mean : NAN;
}

/*
 * Whether it is what dd does: one request at a time, in sequence, whose size is compared. People
 * know such figures in dd's unit.
 */
static bool as_dd(const struct report *report, const struct comparison *comparison)
{
	const struct definition *definition = &report->result->definition;
	bool sizes = false, alone = comparison->measured > 0 && !report->index;

	for (size_t f = 0; f < definition->factor_count; f++)
		sizes |= strcmp(definition->factors[f].name, "bs") == 0;
	for (size_t i = 0; i < report->analysis.level_count && alone; i++) {
		const struct cell *cell = comparison->cells[i];
		const struct workload *options;

		if (!cell || cell->sample_count == 0)
			continue;
		options = &cell->samples[0]->options;
		alone = options->part_count == 0 && options->numjobs <= 1 &&
			options->iodepth <= 1 && options->rw_number == 0 &&
			(options->rw == RW_READ || options->rw == RW_WRITE);
	}
	return sizes && alone;
}

/* "1.94 GB/s", of 10^9 bytes */
static void put_as_dd(const struct cell_direction *direction, struct html *html)
{
	char text[40];

	if (!direction->bandwidth.count)
		return;
	(void)snprintf(text, sizeof(text), "%.3g GB/s", direction->bandwidth.mean / 1e9);
	html_void(html, "br", NULL);
	html_element(html, "span", text, "class", "axis", NULL);
}

/* id: of the cell, in the first row that has it; else NULL. */
static void study_cell(const struct report *report, const struct comparison *comparison,
		       size_t level, size_t part, int d, const char *id, struct html *html)
{
	const struct cell_direction *direction = report_part_figures(comparison, level, part, d);
	AUTO_FREE char *title = NULL;
	bool strong;

	if (!direction || (!direction->iops.count && !direction->bandwidth.count)) {
		report_missing_cell("not measured", html);
		return;
	}
	strong = part == REPORT_WHOLE && report->analysis.level_count > 1 &&
		 report_strong(comparison, level, comparison->measure);
	title = exact_title(direction, part == REPORT_WHOLE ? comparison->cells[level] : NULL, d,
			    report->index);
	html_open(html, "td", "class", strong ? "number strong" : "number", "title", title, "id",
		  id, NULL);
	if (report->index)
		html_text(html,
			  numbers_count(mean_of(direction->iops.count ? &direction->iops
								      : &direction->bandwidth))
				  .text);
	else
		html_text(html,
			  numbers_cell(mean_of(&direction->iops), mean_of(&direction->bandwidth))
				  .text);
	if (part == REPORT_WHOLE && as_dd(report, comparison))
		put_as_dd(direction, html);
	html_close(html, "td");
}

static void study_parts(const struct report *report, const struct comparison *comparison,
			struct html *html)
{
	size_t rows = report_part_count(report, comparison) * DIRECTION_COUNT;

	for (size_t n = 0; n < rows && !comparison->files; n++) {
		size_t part = n / DIRECTION_COUNT;
		int d = (int)(n % DIRECTION_COUNT);

		if (!report_part_moves(report, comparison, part, d))
			continue;
		html_open(html, "tr", NULL);
		report_part_head(report, comparison, part, direction_names[d], html);
		for (size_t i = 0; i < report->analysis.level_count; i++)
			study_cell(report, comparison, report->analysis.order[i], part, d, NULL,
				   html);
		html_close(html, "tr");
	}
}

/* first: the first row of its comparison, whose cells bear the ids that findings lead to. */
static void study_row(const struct report *report, const struct comparison *comparison, int d,
		      const char *row_id, bool first, struct html *html)
{
	html_open(html, "tr", "id", row_id, NULL);
	report_row_head(report, comparison, d, html);
	for (size_t i = 0; i < report->analysis.level_count; i++) {
		size_t level = report->analysis.order[i];
		char id[REPORT_CELL_ID_MAX];

		(void)report_cell_id(report, comparison->cells[level], id);
		study_cell(report, comparison, level, REPORT_WHOLE, d, first && id[0] ? id : NULL,
			   html);
	}
	html_close(html, "tr");
}

void report_cells_table(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	char id[40];

	report_table_open(html, "study stack");
	report_level_head(report, html);
	for (size_t k = 0; k < analysis->comparison_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];
		bool first = true;
		bool begins =
			k == 0 || analysis->comparisons[k - 1].workload != comparison->workload;

		(void)snprintf(id, sizeof(id), "w%zu", comparison->workload + 1);
		for (int d = 0; d < DIRECTION_COUNT; d++) {
			if (!report_moves(report, comparison, d))
				continue;
			study_row(report, comparison, d, first && begins ? id : NULL, first, html);
			first = false;
		}
		study_parts(report, comparison, html);
	}
	report_table_close(html);
	for (size_t k = 0; k < analysis->comparison_count; k++)
		if (as_dd(report, &analysis->comparisons[k])) {
			html_element(html, "p", "GB/s are dd's unit: 10^9 bytes a second.", "class",
				     "note", NULL);
			break;
		}
}
