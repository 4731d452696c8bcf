/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_sizes.c - bandwidth by request size as ATTO shows it: a row a size, reads and writes side
 * by side; see report_shapes.h.
 *
 * A picture is a workload that reads and writes, or one that only reads beside the one that only
 * writes in the same way (in order or at random) at the same levels of the other factors; what has
 * no counterpart stands alone.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "web/report_shapes.h"

#define SIZES_LEAST 3

/* What the bars of a picture are of; `other` is `one` where a workload does both. */
struct sizes_pair {
	const struct comparison *one, *other; /* other: NULL: none */
	size_t name_count;
	const struct comparison *of[CHART_PAIRS_MAX];
	int directions[CHART_PAIRS_MAX];
};

bool report_has_sizes(const struct report *report)
{
	const struct definition *definition = &report->result->definition;

	return report->bandwidth && !report->index && definition->factor_count > 0 &&
	       strcmp(definition->factors[0].name, "bs") == 0 &&
	       definition->factors[0].level_count >= SIZES_LEAST;
}

/* ---- which stand side by side ---- */

static bool known_way(const struct report *report, const struct comparison *comparison,
		      int direction)
{
	for (size_t i = 0; i < report->analysis.level_count; i++) {
		const struct cell *cell = comparison->cells[i];

		if (cell && cell->directions[direction].present &&
		    cell->directions[direction].bandwidth.count)
			return true;
	}
	return false;
}

static bool only(const struct report *report, const struct comparison *comparison, int direction)
{
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (known_way(report, comparison, d) != (d == direction))
			return false;
	return true;
}

static bool same_way(const struct report *report, const struct comparison *one,
		     const struct comparison *other)
{
	const struct definition *definition = &report->result->definition;

	for (size_t f = 1; f < definition->factor_count; f++)
		if (one->levels[f] != other->levels[f])
			return false;
	return workload_random(&definition->workloads[one->workload]) ==
	       workload_random(&definition->workloads[other->workload]);
}

/* Which of those that only go `direction` the n-th counterpart of its kind is: both are counted in
 * the order of the comparisons, so that each has one at most. */
static const struct comparison *nth_of(const struct report *report, const struct comparison *like,
				       int direction, size_t n)
{
	const struct analysis *analysis = &report->analysis;

	for (size_t k = 0; k < analysis->comparison_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];

		if (!comparison->files && same_way(report, like, comparison) &&
		    only(report, comparison, direction) && n-- == 0)
			return comparison;
	}
	return NULL;
}

static size_t place_of(const struct report *report, const struct comparison *own, int direction)
{
	size_t n = 0;

	while (nth_of(report, own, direction, n) != own)
		n++; /* it is among them */
	return n;
}

static void add_name(struct sizes_pair *pair, const struct comparison *comparison, int direction)
{
	pair->of[pair->name_count] = comparison;
	pair->directions[pair->name_count++] = direction;
}

/* The picture that begins with a comparison; false: it stands in another's, or nowhere. */
static bool pair_of(const struct report *report, const struct comparison *comparison,
		    struct sizes_pair *pair)
{
	*pair = (struct sizes_pair){.one = comparison};
	if (comparison->files)
		return false;
	if (only(report, comparison, DIRECTION_WRITE) &&
	    nth_of(report, comparison, DIRECTION_READ,
		   place_of(report, comparison, DIRECTION_WRITE)))
		return false;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (known_way(report, comparison, d))
			add_name(pair, comparison, d);
	if (only(report, comparison, DIRECTION_READ)) {
		pair->other = nth_of(report, comparison, DIRECTION_WRITE,
				     place_of(report, comparison, DIRECTION_READ));
		if (pair->other)
			add_name(pair, pair->other, DIRECTION_WRITE);
	}
	return pair->name_count > 0;
}

static const char *pair_title(const struct report *report, const struct sizes_pair *pair,
			      char buffer[2 * ANALYSIS_TITLE_MAX])
{
	char one[ANALYSIS_TITLE_MAX], other[ANALYSIS_TITLE_MAX];

	(void)analysis_title(&report->analysis, pair->one, one);
	if (pair->other)
		(void)snprintf(buffer, 2 * ANALYSIS_TITLE_MAX, "%s and %s", one,
			       analysis_title(&report->analysis, pair->other, other));
	else
		(void)snprintf(buffer, 2 * ANALYSIS_TITLE_MAX, "%s", one);
	return buffer;
}

static const struct estimate_interval *figure_of(const struct report *report,
						 const struct sizes_pair *pair, size_t name,
						 size_t row)
{
	static const struct estimate_interval none;
	const struct cell *cell = pair->of[name]->cells[report->analysis.order[row]];
	const struct cell_direction *direction =
		cell ? &cell->directions[pair->directions[name]] : NULL;

	return direction && direction->present ? &direction->bandwidth : &none;
}

/* ---- charts ---- */

static int add_chart(struct report *report, const struct sizes_pair *pair, size_t *ret_index)
{
	const struct analysis *analysis = &report->analysis;
	struct chart_pair_row *rows = calloc(analysis->level_count, sizeof(*rows));
	char title[2 * ANALYSIS_TITLE_MAX];
	struct chart_pairs chart = {.title = pair_title(report, pair, title),
				    .axis = "MiB/s by request size",
				    .name_count = pair->name_count,
				    .row_count = analysis->level_count,
				    .rows = rows,
				    .format = numbers_mib};
	int r;

	if (!rows)
		return -ENOMEM;
	for (size_t k = 0; k < pair->name_count; k++)
		chart.names[k] = direction_names[pair->directions[k]];
	for (size_t i = 0; i < analysis->level_count; i++) {
		rows[i].label = analysis_level(analysis, analysis->order[i]);
		for (size_t k = 0; k < pair->name_count; k++) {
			const struct estimate_interval *known = figure_of(report, pair, k, i);

			rows[i].values[k] = (struct chart_segment){.value = known->mean,
								   .low = known->low,
								   .high = known->high,
								   .present = known->count > 0,
								   .interval = known->interval};
		}
	}
	r = chart_add_pairs(report->charts, &chart, ret_index);
	free(rows);
	return r;
}

int report_plan_sizes(struct report *report)
{
	const struct analysis *analysis = &report->analysis;
	int r = 0;

	report->size_count = 0;
	for (size_t k = 0; k < analysis->comparison_count && report_has_sizes(report) && r == 0;
	     k++) {
		struct sizes_pair pair;

		if (report->size_count == ZFS_PANELS_MAX)
			break;
		if (pair_of(report, &analysis->comparisons[k], &pair))
			r = add_chart(report, &pair, &report->sizes[report->size_count++]);
	}
	return r;
}

/* ---- on the page ---- */

static char *alternative_of(const struct report *report, const struct sizes_pair *pair)
{
	char *text = NULL, title[2 * ANALYSIS_TITLE_MAX];
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	(void)fprintf(file, "MiB/s of %s by request size", pair_title(report, pair, title));
	for (size_t i = 0; i < report->analysis.level_count; i++) {
		(void)fprintf(file, "; %s:",
			      analysis_level(&report->analysis, report->analysis.order[i]));
		for (size_t k = 0; k < pair->name_count; k++) {
			const struct estimate_interval *known = figure_of(report, pair, k, i);

			(void)fprintf(file, "%s %s %s", k ? "," : "",
				      direction_names[pair->directions[k]],
				      known->count ? numbers_mib(known->mean).text : "unknown");
		}
	}
	(void)fputc('.', file);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

void report_sizes(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	size_t count = 0;

	html_open(html, "div", "class", "panels sizes", NULL);
	for (size_t k = 0; k < analysis->comparison_count && count < report->size_count; k++) {
		char title[2 * ANALYSIS_TITLE_MAX];
		struct sizes_pair pair;
		AUTO_FREE char *alternative = NULL;

		if (!pair_of(report, &analysis->comparisons[k], &pair))
			continue;
		alternative = alternative_of(report, &pair);
		report_panel(report, report->sizes[count++], pair_title(report, &pair, title),
			     "MiB/s", alternative ? alternative : "", html);
	}
	html_close(html, "div");
}
