/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_told.c - what only an imported result has: who measured it, what is known of the system,
 * and latencies as they were told. What was not told is a dash, never a zero.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/plan/percentiles.h"
#include "web/report_rows.h"
#include "web/report_told.h"

#define SOURCES_MAX 200 /* rows */

/* ---- latencies as told ---- */

static void told_time(const struct told_figure *figure, struct html *html)
{
	char title[96];

	if (!figure->known) {
		report_missing_cell("not told", html);
		return;
	}
	(void)snprintf(title, sizeof(title), "%s us", numbers_exact(figure->value / 1000).text);
	html_element(html, "td", numbers_time(figure->value).text, "class", "number", "title",
		     title, NULL);
}

/* All percentiles that any sample tells, ascending. */
static void all_told(const struct result *result, struct percentiles *all)
{
	all->count = 0;
	for (size_t i = 0; i < result->sample_count; i++)
		for (int d = 0; result->samples[i].source && d < DIRECTION_COUNT; d++) {
			const struct told_direction *told =
				&result->samples[i].source->directions[d];
			struct percentiles own = {.count = 0};

			for (size_t p = 0; p < told->percentile_count && p < PERCENTILES_MAX; p++)
				own.values[own.count++] = told->percentiles[p].percentile;
			percentiles_join(all, &own);
		}
}

/* "25 %"; where nines go on without end "99.9999 %" */
static void told_head(const struct percentiles *all, bool repeats, struct html *html)
{
	char text[32];

	html_raw(html, "<thead><tr>");
	report_head_cell(html, "Workload", false);
	report_head_cell(html, "Levels", false);
	if (repeats)
		report_head_cell(html, "Repeat", true);
	report_head_cell(html, "min", true);
	report_head_cell(html, "mean", true);
	report_head_cell(html, "deviation", true);
	for (size_t i = 0; i < all->count; i++) {
		(void)snprintf(text, sizeof(text), "%.9g %%", all->values[i]);
		report_head_cell(html, text, true);
	}
	report_head_cell(html, "max", true);
	html_raw(html, "</tr></thead><tbody>");
}

static void told_percentile(const struct told_direction *told, double percentile, struct html *html)
{
	for (size_t i = 0; i < told->percentile_count; i++)
		if (told->percentiles[i].percentile == percentile) {
			struct told_figure figure = told_exactly(told->percentiles[i].ns);

			told_time(&figure, html);
			return;
		}
	report_missing_cell("not told", html);
}

static bool tells(const struct told_direction *told)
{
	return told->latency_mean.known || told->latency_min.known || told->latency_max.known ||
	       told->percentile_count > 0;
}

static void told_row(const struct sample *sample, int d, const struct percentiles *all,
		     bool repeats, struct html *html)
{
	const struct told_direction *told = &sample->source->directions[d];
	char text[32];

	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, sample->workload);
	html_element(html, "span", direction_names[d], "class", "direction", NULL);
	html_close(html, "th");
	report_levels_cell(sample, html);
	if (repeats) {
		(void)snprintf(text, sizeof(text), "%u", sample->repeat);
		html_element(html, "td", text, "class", "number", NULL);
	}
	told_time(&told->latency_min, html);
	told_time(&told->latency_mean, html);
	told_time(&told->latency_stddev, html);
	for (size_t i = 0; i < all->count; i++)
		told_percentile(told, all->values[i], html);
	told_time(&told->latency_max, html);
	html_raw(html, "</tr>");
}

/* ---- few of them: percentiles down, as diskspd prints them ---- */

#define COLUMNS_MAX 8

struct columns {
	size_t count; /* of all; at most COLUMNS_MAX are here */
	struct column {
		const struct sample *sample;
		int direction;
	} list[COLUMNS_MAX];
};

static void gather_columns(const struct result *result, struct columns *columns)
{
	columns->count = 0;
	for (size_t i = 0; i < result->sample_count; i++)
		for (int d = 0; result->samples[i].source && d < DIRECTION_COUNT; d++) {
			if (!tells(&result->samples[i].source->directions[d]))
				continue;
			if (columns->count < COLUMNS_MAX)
				columns->list[columns->count] =
					(struct column){&result->samples[i], d};
			columns->count++;
		}
}

static const struct told_direction *told_of(const struct column *column)
{
	return &column->sample->source->directions[column->direction];
}

static void down_head(const struct columns *columns, bool repeats, struct html *html)
{
	html_raw(html, "<thead><tr>");
	report_head_cell(html, "Latency", false);
	for (size_t i = 0; i < columns->count; i++) {
		const struct sample *sample = columns->list[i].sample;

		html_open(html, "th", "scope", "col", "class", "number", NULL);
		html_name(html, sample->workload);
		html_open(html, "span", "class", "axis", NULL);
		html_text(html, direction_names[columns->list[i].direction]);
		for (size_t l = 0; l < sample->level_count; l++)
			html_textf(html, ", %s=%s", sample->levels[l].factor,
				   sample->levels[l].value);
		if (repeats)
			html_textf(html, ", repeat %u", sample->repeat);
		html_close(html, "span");
		html_close(html, "th");
	}
	html_raw(html, "</tr></thead><tbody>");
}

static void down_row(const struct columns *columns, const char *name,
		     const struct told_figure *(*figure)(const struct told_direction *told),
		     struct html *html)
{
	html_raw(html, "<tr>");
	html_element(html, "th", name, "scope", "row", NULL);
	for (size_t i = 0; i < columns->count; i++)
		told_time(figure(told_of(&columns->list[i])), html);
	html_raw(html, "</tr>");
}

static const struct told_figure *told_min(const struct told_direction *told)
{
	return &told->latency_min;
}

static const struct told_figure *told_mean(const struct told_direction *told)
{
	return &told->latency_mean;
}

static const struct told_figure *told_deviation(const struct told_direction *told)
{
	return &told->latency_stddev;
}

static const struct told_figure *told_max(const struct told_direction *told)
{
	return &told->latency_max;
}

static void down_table(const struct columns *columns, const struct percentiles *all, bool repeats,
		       struct html *html)
{
	char text[32];

	report_table_open(html, "down stack");
	down_head(columns, repeats, html);
	down_row(columns, "mean", told_mean, html);
	down_row(columns, "deviation", told_deviation, html);
	down_row(columns, "min", told_min, html);
	for (size_t p = 0; p < all->count; p++) {
		html_raw(html, "<tr>");
		(void)snprintf(text, sizeof(text), "%.9g %%", all->values[p]);
		html_element(html, "th", text, "scope", "row", NULL);
		for (size_t i = 0; i < columns->count; i++)
			told_percentile(told_of(&columns->list[i]), all->values[p], html);
		html_raw(html, "</tr>");
	}
	down_row(columns, "max", told_max, html);
	report_table_close(html);
}

/* ---- many of them: a row each ---- */

static void rows_table(const struct result *result, const struct percentiles *all, bool repeats,
		       struct html *html)
{
	report_table_open(html, NULL);
	told_head(all, repeats, html);
	for (size_t i = 0; i < result->sample_count; i++)
		for (int d = 0; result->samples[i].source && d < DIRECTION_COUNT; d++)
			if (tells(&result->samples[i].source->directions[d]))
				told_row(&result->samples[i], d, all, repeats, html);
	report_table_close(html);
}

void report_told_latency(const struct report *report, struct html *html)
{
	const struct result *result = report->result;
	struct percentiles all;
	struct columns columns;
	bool repeats = false;

	all_told(result, &all);
	gather_columns(result, &columns);
	for (size_t i = 0; i < result->sample_count; i++)
		repeats |= result->samples[i].repeat > 1;
	if (report->latency)
		html_element(html, "h3", "As the other tool told it", NULL);
	html_element(html, "p",
		     "A percentile that too few operations support is told here all the same; the "
		     "findings name it.",
		     "class", "note", NULL);
	if (columns.count <= COLUMNS_MAX)
		down_table(&columns, &all, repeats, html);
	else
		rows_table(result, &all, repeats, html);
}

/* ---- who measured it ---- */

void report_told_facts(const struct report *report, struct html *html)
{
	const struct result *result = report->result;

	html_open(html, "div", NULL);
	html_element(html, "dt", "Measured by", NULL);
	for (size_t i = 0; i < result->sample_count; i++) {
		const char *tool = result_next_tool(result, i);

		if (tool)
			html_element(html, "dd", tool, NULL);
	}
	html_close(html, "div");
	for (size_t i = 0; i < result->fact_count; i++)
		report_fact(html, result->facts[i].name, result->facts[i].value);
}

static void source_row(const struct sample *sample, struct html *html)
{
	const struct sample_source *source = sample->source;

	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, sample->workload);
	html_close(html, "th");
	report_levels_cell(sample, html);
	html_element(html, "td", source->tool, NULL);
	html_element(html, "td", source->file ? source->file : NUMBERS_UNKNOWN, NULL);
	html_element(html, "td",
		     source->samples ? numbers_grouped(source->samples).text : NUMBERS_UNKNOWN,
		     "class", "number", NULL);
	html_open(html, "td", "class", "given", NULL);
	if (source->given)
		html_element(html, "code", source->given, NULL);
	else
		html_text(html, NUMBERS_UNKNOWN);
	html_close(html, "td");
	html_raw(html, "</tr>");
}

void report_told_sources(const struct report *report, struct html *html)
{
	const struct result *result = report->result;
	size_t shown = 0;

	html_element(html, "h3", "Where the samples come from", NULL);
	html_raw(html, "<details>");
	html_open(html, "summary", NULL);
	html_textf(html, "%zu sample%s", result->sample_count,
		   result->sample_count == 1 ? "" : "s");
	html_close(html, "summary");
	report_table_open(html, NULL);
	html_raw(html, "<thead><tr>");
	report_head_cell(html, "Workload", false);
	report_head_cell(html, "Levels", false);
	report_head_cell(html, "Tool", false);
	report_head_cell(html, "File", false);
	report_head_cell(html, "Mean of", true);
	report_head_cell(html, "As it was asked", false);
	html_raw(html, "</tr></thead><tbody>");
	for (size_t i = 0; i < result->sample_count && shown < SOURCES_MAX; i++)
		if (result->samples[i].source && ++shown)
			source_row(&result->samples[i], html);
	report_table_close(html);
	if (shown == SOURCES_MAX)
		html_element(html, "p", "The first 200; result.json has all.", "class", "note",
			     NULL);
	html_raw(html, "</details>");
}
