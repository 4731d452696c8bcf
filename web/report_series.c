/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_series.c - throughput over time: of each level the mean of its repeats second by second,
 * and as a pale band the slowest and the fastest of them. The ramp is grey, the time in which every
 * sample was in a steady state (analysis/steady.h) is tinted.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/analysis/steady.h"
#include "engine/base/clock.h"
#include "web/report_parts.h"

#define POINTS_MAX 120	   /* of a line; longer series are averaged over bins */
#define BAND_POINTS_MAX 40 /* of a band: the extremes over several points each */

struct points {
	size_t count;
	double x[POINTS_MAX + 1], y[POINTS_MAX + 1];
};

/* A level's line: of all its repeats. low and high become the band's. */
struct level_line {
	struct points mean;
	double low[POINTS_MAX + 1], high[POINTS_MAX + 1];
	size_t repeats;
	size_t band_count;
	double band_x[POINTS_MAX + 1];
};

static double second_bytes(const struct series_second *second)
{
	double bytes = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		bytes += (double)second->bytes[d];
	return bytes;
}

/* Bytes a second over time. A last piece too short to mean anything is left out. */
static void series_points(const struct series *series, struct points *points)
{
	size_t count = series->count, bin;

	points->count = 0;
	if (count > 1 && series->last_span_ns < NS_PER_S / 2)
		count--;
	bin = (count + POINTS_MAX - 1) / POINTS_MAX;
	for (size_t at = 0; at < count && points->count <= POINTS_MAX; at += bin) {
		size_t end = at + bin < count ? at + bin : count;
		double bytes = 0, seconds = (double)(end - at);

		for (size_t i = at; i < end; i++)
			bytes += second_bytes(&series->seconds[i]);
		if (end == series->count && series->last_span_ns)
			seconds += (double)series->last_span_ns / 1e9 - 1;
		if (seconds <= 0)
			continue;
		points->x[points->count] = (double)at + seconds / 2;
		points->y[points->count++] = bytes / seconds;
	}
}

static void add_repeat(struct level_line *line, const struct points *points)
{
	struct points *mean = &line->mean;

	if (line->repeats++ == 0) {
		*mean = *points;
		memcpy(line->low, points->y, sizeof(line->low));
		memcpy(line->high, points->y, sizeof(line->high));
		return;
	}
	/* Where one repeat ended earlier the line ends with it. */
	if (points->count < mean->count)
		mean->count = points->count;
	for (size_t i = 0; i < mean->count; i++) {
		mean->y[i] += (points->y[i] - mean->y[i]) / (double)line->repeats;
		line->low[i] = fmin(line->low[i], points->y[i]);
		line->high[i] = fmax(line->high[i], points->y[i]);
	}
}

/* The band in place, coarser than the line: nothing of it shows what it does not hold. */
static void make_band(struct level_line *line)
{
	const struct points *mean = &line->mean;
	size_t step = (mean->count + BAND_POINTS_MAX - 1) / BAND_POINTS_MAX;

	for (size_t at = 0; line->repeats > 1 && at < mean->count; at += step) {
		size_t end = at + step < mean->count ? at + step : mean->count;
		size_t k = line->band_count++;
		double low = line->low[at], high = line->high[at];

		for (size_t i = at; i < end; i++) {
			low = fmin(low, line->low[i]);
			high = fmax(high, line->high[i]);
		}
		line->low[k] = low; /* k is not above `at` */
		line->high[k] = high;
		line->band_x[k] = at == 0	       ? mean->x[0]
				  : end == mean->count ? mean->x[end - 1]
						       : (mean->x[at] + mean->x[end - 1]) / 2;
	}
}

static void fill_line(const struct cell *cell, struct level_line *line)
{
	struct points points = {0};

	for (size_t n = 0; n < cell->sample_count; n++) {
		series_points(&cell->samples[n]->series, &points);
		if (points.count >= 2)
			add_repeat(line, &points);
	}
	make_band(line);
}

/* What the samples of a comparison say of their course. */
struct course {
	double ramp;			/* the longest */
	size_t samples, judged, steady; /* steady: as a whole */
	size_t settled;			/* steady, or their end is */
	double from, to;		/* seconds in which all that were judged are steady */
};

static void add_sample(struct course *course, const struct sample *sample)
{
	struct steady_window window;

	steady_window_find(sample, &window);
	course->samples++;
	course->ramp = fmax(course->ramp, sample->ramp_seconds);
	if (!window.judged)
		return;
	course->judged++;
	course->steady += window.steady;
	if (!window.settles)
		return;
	course->settled++;
	course->from = fmax(course->from, (double)window.settled.first);
	course->to = fmin(course->to, (double)(window.settled.first + window.settled.count));
}

static struct course course_of(const struct report *report, const struct comparison *comparison)
{
	struct course course = {.to = INFINITY};

	for (size_t i = 0; i < report->analysis.level_count; i++) {
		const struct cell *cell = comparison->cells[i];

		for (size_t n = 0; cell && n < cell->sample_count; n++)
			if (cell->samples[n]->series.count)
				add_sample(&course, cell->samples[n]);
	}
	return course;
}

/* Tinted where all are steady; where they are too short to judge, or some never settle, nothing. */
static struct chart_span steady_span(const struct course *course)
{
	if (!course->judged || course->settled < course->judged || course->to <= course->from)
		return (struct chart_span){0};
	return (struct chart_span){
		.from = course->from, .to = course->to, .label = "all steady", .tinted = true};
}

/* rank: the level's place as shown */
static struct chart_line line_of(const struct report *report, size_t rank,
				 const struct level_line *line)
{
	return (struct chart_line){
		.label = analysis_level(&report->analysis, report->analysis.order[rank]),
		.rank = rank,
		.count = line->mean.count,
		.x = line->mean.x,
		.y = line->mean.y,
		.band_count = line->band_count,
		.band_x = line->band_x,
		.low = line->low,
		.high = line->high};
}

int report_add_series(struct report *report, const struct comparison *comparison, size_t *ret_index)
{
	struct level_line *levels = calloc(report->analysis.level_count, sizeof(*levels));
	struct chart_line *list = calloc(report->analysis.level_count, sizeof(*list));
	const struct course course = course_of(report, comparison);
	char title[ANALYSIS_TITLE_MAX];
	struct chart_lines lines = {
		.title = analysis_title(&report->analysis, comparison, title),
		.axis = CHART_SECONDS,
		.ranks = report->analysis.level_count,
		.spans = {{.to = course.ramp, .label = "ramp"}, steady_span(&course)},
		.lines = list};
	int r = levels && list ? 0 : -ENOMEM;

	for (size_t i = 0; i < report->analysis.level_count && r == 0; i++) {
		const struct cell *cell = comparison->cells[report->analysis.order[i]];

		if (cell)
			fill_line(cell, &levels[i]);
		if (levels[i].repeats)
			list[lines.count++] = line_of(report, i, &levels[i]);
	}
	if (r == 0 && lines.count)
		r = chart_add_lines(report->charts, &lines, ret_index);
	free(levels);
	free(list);
	return r;
}

/* ---- on the page ---- */

/* "30 samples, all in a steady state", "4 of 30 samples not in a steady state" */
static void course_words(const struct course *course, char *buffer, size_t size)
{
	if (!course->judged)
		(void)snprintf(buffer, size, "too short to tell a steady state");
	else if (course->steady == course->judged)
		(void)snprintf(buffer, size, "%s steady",
			       course->judged == 1 ? "the sample was" : "all samples were");
	else
		(void)snprintf(buffer, size, "%zu of %zu samples not steady",
			       course->judged - course->steady, course->judged);
}

bool report_series_drawn(const struct report *report)
{
	for (size_t k = 0; k < report->panel_count; k++)
		if (report->panels[k].series != CHART_NONE)
			return true;
	return false;
}

static void series_panels(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;

	html_open(html, "div", "class", "panels", NULL);
	for (size_t k = 0; k < report->panel_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];
		const struct course course = course_of(report, comparison);
		char title[ANALYSIS_TITLE_MAX], alternative[ANALYSIS_TITLE_MAX + 200], words[64];

		if (report->panels[k].series == CHART_NONE)
			continue;
		(void)analysis_title(analysis, comparison, title);
		course_words(&course, words, sizeof(words));
		(void)snprintf(alternative, sizeof(alternative),
			       "Throughput of %s, second by second, a line a level: %s; slowest, "
			       "median and fastest second stand in the table.",
			       title, words);
		report_panel(report, report->panels[k].series, title, words, alternative, html);
	}
	html_close(html, "div");
	report_more_note(report, html);
}

void report_series(const struct report *report, struct html *html)
{
	if (report_series_drawn(report))
		series_panels(report, html);
	report_table_fold(report, "Table: slowest, median and fastest second", html);
	report_series_table(report, html);
	html_close(html, "details");
}
