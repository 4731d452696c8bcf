/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_charts.c - which charts a report has, and their files.
 *
 * Every picture stands alone (a panel), so that the page can lay three, two or one abreast. Panels
 * of one workload, for the combinations of further factors, share one scale.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/base/file.h"
#include "web/report_shapes.h"
#include "web/report_zfs.h"

#define TAIL_POINTS_MAX 64
#define TAIL_STEP 0.1
#define TAIL_END 5.0 /* 99.999 % */

/* ---- bars ---- */

static void fill_figure(const struct estimate_interval *figure, struct chart_segment *segment)
{
	segment->present = figure->count > 0;
	segment->value = figure->mean;
	segment->low = figure->low;
	segment->high = figure->high;
	segment->interval = figure->interval;
}

static void fill_segment(const struct cell_direction *direction, enum measure measure,
			 struct chart_segment *segment)
{
	fill_figure(measure == MEASURE_BANDWIDTH ? &direction->bandwidth : &direction->iops,
		    segment);
}

/* The directions a comparison has become the segments of its bars, reads below. */
static void fill_bar(const struct report *report, const struct comparison *comparison, size_t level,
		     enum measure measure, struct chart_bar *bar)
{
	const struct cell *cell = comparison->cells[level];
	size_t segment = 0;

	bar->label = analysis_level(&report->analysis, level);
	bar->marked = level == report->recommended;
	bar->strong = report_strong(comparison, level, measure);
	if (comparison->files && cell)
		fill_figure(&cell->files[comparison->order][comparison->operation].ops_per_s,
			    &bar->segments[0]);
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (report_moves(report, comparison, d) && cell)
			fill_segment(&cell->directions[d], measure, &bar->segments[segment++]);
}

static struct number (*format_of(enum measure measure))(double)
{
	return measure == MEASURE_BANDWIDTH ? numbers_mib : numbers_count;
}

static struct chart_bars bars_of(const struct report *report, const struct comparison *comparison,
				 enum measure measure)
{
	struct chart_bars bars = {.format = format_of(measure)};

	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (report_moves(report, comparison, d))
			bars.segment_names[bars.segment_count++] = direction_names[d];
	if (comparison->files)
		bars.segment_names[bars.segment_count++] =
			file_operation_names[comparison->operation];
	return bars;
}

/* The largest mean among the comparisons of one workload. */
static double shared_scale(const struct report *report, const struct comparison *comparison,
			   enum measure measure)
{
	double most = 0;

	for (size_t k = 0; k < report->analysis.comparison_count; k++) {
		const struct comparison *other = &report->analysis.comparisons[k];

		for (size_t i = 0; i < report->analysis.level_count; i++)
			if (other->workload == comparison->workload &&
			    other->operation == comparison->operation) /* unknown is no number */
				most = fmax(most, report_total(other, i, measure));
	}
	return most;
}

static int add_bars(struct report *report, const struct comparison *comparison,
		    enum measure measure, size_t *ret_index)
{
	struct chart_bars bars = bars_of(report, comparison, measure);
	struct chart_bar *list = calloc(report->analysis.level_count, sizeof(*list));
	char title[ANALYSIS_TITLE_MAX], axis[REPORT_AXIS_MAX];
	int r;

	if (!list)
		return -ENOMEM;
	measure = report_measure(report, comparison, measure);
	if (report->index) /* 100 is 100, whatever it is of */
		bars.format = numbers_count;
	for (size_t i = 0; i < report->analysis.level_count; i++)
		fill_bar(report, comparison, report->analysis.order[i], measure, &list[i]);
	bars.title = analysis_title(&report->analysis, comparison, title);
	bars.axis = report_axis(report, axis);
	bars.count = report->analysis.level_count;
	bars.bars = list;
	bars.at_least = shared_scale(report, comparison, measure);
	r = chart_add_bars(report->charts, &bars, ret_index);
	free(list);
	return r;
}

static bool any_trims(const struct report *report)
{
	for (size_t k = 0; k < report->analysis.comparison_count; k++)
		if (report_moves(report, &report->analysis.comparisons[k], DIRECTION_TRIM))
			return true;
	return false;
}

/* Without a factor to put on the axis: one picture, the workloads along it. */
static int add_whole_bars(struct report *report, enum measure measure, size_t *ret_index)
{
	struct chart_bar *list = calloc(report->analysis.comparison_count, sizeof(*list));
	char(*labels)[ANALYSIS_TITLE_MAX] =
		calloc(report->analysis.comparison_count, sizeof(*labels));
	struct chart_bars bars = {.title = "All workloads",
				  .axis = any_trims(report) ? "read dark, write light, trim grey"
							    : "read dark, write light",
				  .lying = true,
				  .segment_count = DIRECTION_COUNT,
				  .bars = list,
				  .format = format_of(measure)};
	int r = list && labels ? 0 : -ENOMEM;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		bars.segment_names[d] = direction_names[d];
	for (size_t k = 0; k < report->analysis.comparison_count && r == 0; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];
		const struct cell *cell = comparison->cells[0];
		struct chart_bar *bar = &list[bars.count];

		if (comparison->files)
			continue;
		bar->label = analysis_title(&report->analysis, comparison, labels[bars.count++]);
		bar->strong = true;
		for (int d = 0; cell && d < DIRECTION_COUNT; d++)
			if (cell->directions[d].present)
				fill_segment(&cell->directions[d], measure, &bar->segments[d]);
	}
	if (r == 0)
		r = chart_add_bars(report->charts, &bars, ret_index);
	free(labels);
	free(list);
	return r;
}

/* The phases of files there: a picture of their own, since nothing stacks. */
static int add_whole_files(struct report *report, size_t *ret_index)
{
	struct chart_bar *list = calloc(report->analysis.comparison_count, sizeof(*list));
	char(*labels)[ANALYSIS_TITLE_MAX] =
		calloc(report->analysis.comparison_count, sizeof(*labels));
	struct chart_bars bars = {.title = "Operations on files",
				  .axis = "operations a second",
				  .lying = true,
				  .segment_count = 1,
				  .segment_names = {"operations a second"},
				  .bars = list,
				  .format = numbers_count};
	int r = list && labels ? 0 : -ENOMEM;

	for (size_t k = 0; k < report->analysis.comparison_count && r == 0; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];
		const struct cell *cell = comparison->cells[0];
		struct chart_bar *bar = &list[bars.count];

		if (!comparison->files)
			continue;
		/* One workload needs no name at every bar. */
		bar->label =
			report->result->definition.workload_count == 1
				? report_kind(comparison, 0, labels[bars.count])
				: analysis_title(&report->analysis, comparison, labels[bars.count]);
		bar->strong = true;
		if (cell)
			fill_figure(
				&cell->files[comparison->order][comparison->operation].ops_per_s,
				&bar->segments[0]);
		bars.count++;
	}
	if (r == 0)
		r = chart_add_bars(report->charts, &bars, ret_index);
	free(labels);
	free(list);
	return r;
}

/* ---- latency ---- */

struct points {
	size_t count;
	double x[TAIL_POINTS_MAX], y[TAIL_POINTS_MAX];
};

/* Percentiles from the median as far as ten operations lie beyond, at most 99.999. */
static void tail_points(const struct histogram *histogram, struct points *points)
{
	double end = fmin(log10((double)histogram->count / 10), TAIL_END), x = -log10(0.5);

	points->count = 0;
	while (x <= end && points->count < TAIL_POINTS_MAX) {
		double percent = 100 * (1 - pow(10, -x));

		points->x[points->count] = x;
		points->y[points->count++] = (double)histogram_percentile_ns(histogram, percent);
		if (x == end)
			break;
		/* 0.301, 0.4, 0.5, ... so that whole nines are met exactly */
		x = fmin((floor(x / TAIL_STEP + 1e-6) + 1) * TAIL_STEP, end);
	}
}

/* What another tool told, where there is no histogram: percentiles from the median on that have a
 * place on the axis. Of several samples none is drawn, since percentiles have no mean. */
static void told_points(const struct cell *cell, enum direction direction, struct points *points)
{
	const struct told_direction *told = NULL;

	points->count = 0;
	for (size_t i = 0; cell && i < cell->sample_count; i++) {
		const struct sample_source *source = cell->samples[i]->source;

		if (!source || !source->directions[direction].percentile_count)
			continue;
		if (told)
			return;
		told = &source->directions[direction];
	}
	for (size_t i = 0; told && i < told->percentile_count; i++) {
		const struct told_percentile *percentile = &told->percentiles[i];
		double x = -log10(1 - percentile->percentile / 100);

		if (percentile->percentile < 50 || !(x <= TAIL_END) ||
		    points->count == TAIL_POINTS_MAX)
			continue;
		points->x[points->count] = x;
		points->y[points->count++] = percentile->ns;
	}
	if (points->count < 2)
		points->count = 0; /* no line */
}

static void level_points(const struct comparison *comparison, size_t level,
			 enum direction direction, struct points *points)
{
	const struct histogram *histogram = report_histogram(comparison, level, (int)direction);

	if (histogram)
		tail_points(histogram, points);
	else if (!comparison->files)
		told_points(comparison->cells[level], direction, points);
}

static int add_latency(struct report *report, const struct comparison *comparison,
		       enum direction direction, size_t *ret_index)
{
	struct points *points = calloc(report->analysis.level_count, sizeof(*points));
	struct chart_line *list = calloc(report->analysis.level_count, sizeof(*list));
	char title[ANALYSIS_TITLE_MAX];
	struct chart_lines lines = {.title = analysis_title(&report->analysis, comparison, title),
				    .axis = CHART_TAIL,
				    .ranks = report->analysis.level_count,
				    .lines = list};
	int r = points && list ? 0 : -ENOMEM;

	for (size_t i = 0; i < report->analysis.level_count && r == 0; i++) {
		size_t level = report->analysis.order[i];

		level_points(comparison, level, direction, &points[i]);
		if (points[i].count)
			list[lines.count++] = (struct chart_line){
				.label = analysis_level(&report->analysis, level),
				.rank = i,
				.count = points[i].count,
				.x = points[i].x,
				.y = points[i].y};
	}
	if (r == 0 && lines.count)
		r = chart_add_lines(report->charts, &lines, ret_index);
	free(points);
	free(list);
	return r;
}

/* ---- all of them ---- */

static void no_charts(struct panel *panel)
{
	for (int m = 0; m < REPORT_BARS; m++)
		panel->bars[m] = CHART_NONE;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		panel->latency[d] = CHART_NONE;
	panel->series = CHART_NONE;
}

static bool has_bars(const struct report *report, const struct comparison *comparison,
		     enum measure measure)
{
	/* Of what nothing but latencies is told there are no bars. */
	if (!report->analysis.axis[0] || !comparison->measured)
		return false;
	if (comparison->files)
		return measure == MEASURE_IOPS;
	return measure != MEASURE_BANDWIDTH || !report_has_sizes(report);
}

static int plan_panel(struct report *report, const struct comparison *comparison,
		      struct panel *panel)
{
	int r = 0;

	for (int m = 0; m < REPORT_BARS && r == 0; m++)
		if (has_bars(report, comparison, (enum measure)m))
			r = add_bars(report, comparison, (enum measure)m, &panel->bars[m]);
	if (comparison->files)
		return r < 0 ? r
			     : add_latency(report, comparison, DIRECTION_READ, &panel->latency[0]);
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		if (report_moves(report, comparison, d))
			r = add_latency(report, comparison, (enum direction)d, &panel->latency[d]);
	return r < 0 ? r : report_add_series(report, comparison, &panel->series);
}

int report_plan_charts(struct report *report)
{
	int r = report_plan_heat(report);

	if (r == 0)
		r = report_plan_curves(report);
	if (r == 0)
		r = report_plan_sizes(report);
	no_charts(&report->whole);
	for (int m = 0; m < REPORT_BARS && r == 0; m++)
		if (!report->analysis.axis[0] && report->data)
			r = add_whole_bars(report, (enum measure)m, &report->whole.bars[m]);
	report->whole_files = CHART_NONE;
	if (r == 0 && !report->analysis.axis[0] && report->files)
		r = add_whole_files(report, &report->whole_files);
	while (report->panel_count < report->analysis.comparison_count &&
	       report->panel_count < PANELS_MAX && r == 0) {
		struct panel *panel = &report->panels[report->panel_count];

		no_charts(panel);
		r = plan_panel(report, &report->analysis.comparisons[report->panel_count++], panel);
	}
	if (r == 0)
		r = report_plan_zfs_charts(report);
	return r < 0 ? r : chart_set_draw(report->charts);
}

const char *report_chart_name(size_t index, enum chart_theme theme,
			      char buffer[REPORT_CHART_NAME_MAX])
{
	(void)snprintf(buffer, REPORT_CHART_NAME_MAX, "chart-%03zu%s.svg", index + 1,
		       theme == CHART_DARK ? "-dark" : "");
	return buffer;
}

static int write_chart(const struct report *report, size_t index, int dirfd)
{
	char name[REPORT_CHART_NAME_MAX];

	for (int theme = 0; theme < CHART_THEME_COUNT; theme++) {
		size_t size;
		const char *svg = chart_svg(report->charts, index, (enum chart_theme)theme, &size);
		int r = svg ? file_write(dirfd,
					 report_chart_name(index, (enum chart_theme)theme, name),
					 svg, size, 0644)
			    : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

int report_write_charts(const struct report *report, int dirfd)
{
	int r = 0;

	for (size_t i = 0; i < chart_count(report->charts) && r == 0; i++)
		r = write_chart(report, i, dirfd);
	return r;
}
