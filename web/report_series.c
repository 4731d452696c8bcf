/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_series.c - throughput over time: of each level the mean of its repeats second by second,
 * and as a pale band the slowest and the fastest of them; what lies in the ramp is shaded.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/base/clock.h"
#include "web/report_parts.h"

#define POINTS_MAX 120 /* of a line; longer series are averaged over bins */

struct points {
	size_t count;
	double x[POINTS_MAX + 1], y[POINTS_MAX + 1];
};

/* A level's line: of all its repeats. */
struct level_line {
	struct points mean;
	double low[POINTS_MAX + 1], high[POINTS_MAX + 1];
	size_t repeats;
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

static void fill_line(const struct cell *cell, struct level_line *line)
{
	struct points points = {0};

	for (size_t n = 0; n < cell->sample_count; n++) {
		series_points(&cell->samples[n]->series, &points);
		if (points.count >= 2)
			add_repeat(line, &points);
	}
}

/* The longest ramp of a comparison's samples. */
static double ramp_of(const struct report *report, const struct comparison *comparison)
{
	double ramp = 0;

	for (size_t i = 0; i < report->analysis.level_count; i++) {
		const struct cell *cell = comparison->cells[report->analysis.order[i]];

		for (size_t n = 0; cell && n < cell->sample_count; n++)
			ramp = fmax(ramp, cell->samples[n]->ramp_seconds);
	}
	return ramp;
}

/* rank: the level's place as shown */
static struct chart_line line_of(const struct report *report, size_t rank,
				 const struct level_line *line)
{
	bool band = line->repeats > 1;

	return (struct chart_line){
		.label = analysis_level(&report->analysis, report->analysis.order[rank]),
		.rank = rank,
		.count = line->mean.count,
		.x = line->mean.x,
		.y = line->mean.y,
		.low = band ? line->low : NULL,
		.high = band ? line->high : NULL};
}

int report_add_series(struct report *report, const struct comparison *comparison, size_t *ret_index)
{
	struct level_line *levels = calloc(report->analysis.level_count, sizeof(*levels));
	struct chart_line *list = calloc(report->analysis.level_count, sizeof(*list));
	double ramp = ramp_of(report, comparison);
	char title[ANALYSIS_TITLE_MAX];
	struct chart_lines lines = {
		.title = analysis_title(&report->analysis, comparison, title),
		.axis = CHART_SECONDS,
		.ranks = report->analysis.level_count,
		.spans = {{.to = ramp, .label = "ramp"},
			  {.from = ramp, .to = INFINITY, .label = "measured", .tinted = true}},
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
