/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_comparison.c - see run_comparison.h: pairs of cells, and what has no partner. */
#include "engine/analysis/run_comparison.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/analysis/run_parts.h"

const char *const run_figure_names[RUN_FIGURE_COUNT] = {"iops", "bandwidth", "latency",
							"latency_p99", "files"};
const char *const run_verdict_names[] = {"none", "no_difference", "better", "worse"};
const char *const run_difference_kind_names[RUN_DIFFERENCE_KIND_COUNT] = {
	"setting", "target", "measurement", "environment"};

bool run_figure_less_is_better(enum run_figure figure)
{
	return figure == RUN_FIGURE_LATENCY || figure == RUN_FIGURE_P99;
}

/* ---- words ---- */

/* "Exchange", or of a phase "Mail, sequential create". NULL: no memory. */
static char *workload_words(const struct cells *cells, size_t workload,
			    const struct run_pair *phase)
{
	const char *name = cells->result->definition.workloads[workload].name;
	char *text = NULL;

	if (!phase)
		return strdup(name);
	if (asprintf(&text, "%s, %s %s", name, workload_file_order_choices[phase->order],
		     file_operation_names[phase->operation]) < 0)
		return NULL;
	return text;
}

/* NULL: no memory. */
static char *level_words(const struct cells *cells, const struct cell *cell)
{
	return definition_levels_text(&cells->result->definition, cell->levels);
}

const char *run_pair_title(const struct run_pair *pair, char buffer[RUN_PAIR_TITLE_MAX])
{
	(void)snprintf(buffer, RUN_PAIR_TITLE_MAX, "%s%s%s", pair->workload,
		       pair->levels[0] ? ", " : "", pair->levels); /* a title may be cut */
	return buffer;
}

const char *run_ratio_title(const struct run_ratio *ratio, char buffer[RUN_RATIO_TITLE_MAX])
{
	static const char *const words[RUN_FIGURE_COUNT] = {
		"IOPS", "bandwidth", "mean latency", "99th percentile of latency", "files/s"};
	const char *direction =
		ratio->direction < DIRECTION_COUNT ? direction_names[ratio->direction] : "";

	(void)snprintf(buffer, RUN_RATIO_TITLE_MAX, "%s%s%s", direction, *direction ? " " : "",
		       words[ratio->figure]); /* fits: constants */
	return buffer;
}

const char *run_change(double ratio, char buffer[RUN_CHANGE_MAX])
{
	double percent = (ratio - 1) * 100;

	if (!(ratio > 0) || !isfinite(ratio))
		(void)snprintf(buffer, RUN_CHANGE_MAX, "-");
	else if (ratio >= 2)
		(void)snprintf(buffer, RUN_CHANGE_MAX, ratio < 9.95 ? "%.1f times" : "%.0f times",
			       ratio);
	else if (ratio <= 0.5)
		(void)snprintf(buffer, RUN_CHANGE_MAX, 1 / ratio < 9.95 ? "1/%.1f" : "1/%.0f",
			       1 / ratio);
	else /* no "-0.0" */
		(void)snprintf(buffer, RUN_CHANGE_MAX, "%+.1f %%",
			       fabs(percent) < 0.05 ? 0.0 : percent);
	return buffer;
}

/* Digits behind the point of a figure of two or more. */
static int decimals(double value)
{
	return value < 9.95 ? 1 : 0;
}

const char *run_interval(const struct welch *welch, char buffer[RUN_INTERVAL_MAX])
{
	double low = welch->low, high = welch->high;

	if (!welch->interval)
		buffer[0] = '\0';
	else if (welch->ratio > 0.5 && welch->ratio < 2)
		(void)snprintf(buffer, RUN_INTERVAL_MAX, "%+.*f to %+.*f %%", high < 2 ? 1 : 0,
			       (low - 1) * 100, high < 2 ? 1 : 0, (high - 1) * 100);
	else if (welch->ratio <= 0.5 && high < 1)
		(void)snprintf(buffer, RUN_INTERVAL_MAX, "1/%.*f to 1/%.*f", decimals(1 / low),
			       1 / low, decimals(1 / high), 1 / high);
	else
		(void)snprintf(buffer, RUN_INTERVAL_MAX, "%.*f to %.*f times",
			       low < 1 ? 2 : decimals(low), low, decimals(high), high);
	return buffer;
}

/* ---- gathering ---- */

/* What is being filled in, and how much room there is. */
struct gathering {
	struct run_comparison *comparison;
	size_t pairs_room, alone_room;
};

static int add_alone(struct gathering *gathering, size_t run, bool baseline,
		     const struct cell *cell, const struct run_pair *phase)
{
	struct run_comparison *comparison = gathering->comparison;
	const struct cells *cells = &comparison->cells[baseline ? 0 : run];
	struct run_alone *alone;

	if (comparison->alone_count == gathering->alone_room) {
		size_t room = gathering->alone_room * 2 + 16;
		struct run_alone *grown = reallocarray(comparison->alone, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		comparison->alone = grown;
		gathering->alone_room = room;
	}
	alone = &comparison->alone[comparison->alone_count++];
	*alone = (struct run_alone){.run = run, .baseline = baseline};
	alone->workload = workload_words(cells, cell->workload, phase);
	alone->levels = level_words(cells, cell);
	return alone->workload && alone->levels ? 0 : -ENOMEM;
}

static int add_pair(struct gathering *gathering, const struct run_pair *wanted)
{
	struct run_comparison *comparison = gathering->comparison;
	const struct cells *cells = &comparison->cells[0];
	struct run_pair *pair;

	if (comparison->pair_count == gathering->pairs_room) {
		size_t room = gathering->pairs_room * 2 + 16;
		struct run_pair *grown = reallocarray(comparison->pairs, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		comparison->pairs = grown;
		gathering->pairs_room = room;
	}
	pair = &comparison->pairs[comparison->pair_count++];
	*pair = *wanted;
	pair->workload =
		workload_words(cells, pair->cells[0]->workload, wanted->files ? wanted : NULL);
	pair->levels = level_words(cells, pair->cells[0]);
	return pair->workload && pair->levels ? run_ratios_make(pair) : -ENOMEM;
}

static bool has_files(const struct cell *cell)
{
	return cell->samples[0]->file_count > 0;
}

/* Phase by phase; one that only one side has is told. */
static int add_phases(struct gathering *gathering, struct run_pair *pair)
{
	int r = 0;

	pair->files = true;
	for (int order = 0; order < FILE_ORDERS; order++) {
		for (int operation = 0; operation < FILE_OPERATION_COUNT && r == 0; operation++) {
			bool one = sample_files(pair->cells[0]->samples[0], operation, order);
			bool other = sample_files(pair->cells[1]->samples[0], operation, order);

			pair->operation = operation;
			pair->order = order;
			if (one && other)
				r = add_pair(gathering, pair);
			else if (one || other)
				r = add_alone(gathering, pair->run, one, pair->cells[one ? 0 : 1],
					      pair);
		}
	}
	return r;
}

static int add_cells(struct gathering *gathering, size_t run, const struct cell *cell,
		     const struct cell *other)
{
	struct run_pair pair = {.run = run, .cells = {cell, other}};

	if (has_files(cell) && has_files(other))
		return add_phases(gathering, &pair);
	return add_pair(gathering, &pair);
}

/* Every cell of the other run that no cell of the baseline met. */
static int add_rest(struct gathering *gathering, size_t run, const bool *met)
{
	const struct cells *cells = &gathering->comparison->cells[run];
	int r = 0;

	for (size_t i = 0; i < cells->count && r == 0; i++)
		if (!met[i] && cells->list[i].sample_count > 0)
			r = add_alone(gathering, run, false, &cells->list[i], NULL);
	return r;
}

static int match(struct gathering *gathering, size_t run, const size_t *partners, bool *met)
{
	const struct cells *baseline = &gathering->comparison->cells[0];
	const struct cells *other = &gathering->comparison->cells[run];
	int r = 0;

	for (size_t i = 0; i < baseline->count && r == 0; i++) {
		const struct cell *cell = &baseline->list[i], *found = NULL;

		if (cell->sample_count == 0)
			continue;
		if (partners[cell->workload] != SIZE_MAX)
			r = run_match_cell(baseline, cell, other, partners[cell->workload], &found);
		if (r == 0 && found) {
			met[found - other->list] = true;
			r = add_cells(gathering, run, cell, found);
		} else if (r == 0) {
			r = add_alone(gathering, run, true, cell, NULL);
		}
	}
	return r < 0 ? r : add_rest(gathering, run, met);
}

static int compare_run(struct gathering *gathering, size_t run)
{
	const struct cells *cells = gathering->comparison->cells;
	AUTO_FREE bool *met = calloc(cells[run].count + 1, sizeof(*met));
	AUTO_FREE size_t *partners = NULL;
	int r;

	if (!met)
		return -ENOMEM;
	r = run_match_workloads(&cells[0], &cells[run], &partners);
	return r < 0 ? r : match(gathering, run, partners, met);
}

static int make(struct run_comparison *comparison)
{
	struct gathering gathering = {.comparison = comparison};
	int r = 0;

	for (size_t i = 0; i < comparison->run_count && r == 0; i++)
		r = cells_make(comparison->runs[i], &comparison->cells[i]);
	for (size_t i = 1; i < comparison->run_count && r == 0; i++)
		r = compare_run(&gathering, i);
	if (r == 0)
		r = run_ratios_judge(comparison);
	return r < 0 ? r : run_differences_make(comparison);
}

int run_comparison_make(const struct result *const *runs, size_t count,
			struct run_comparison *ret_comparison)
{
	struct run_comparison comparison = {.run_count = count};
	int r;

	assert(count >= 2 && count <= RUN_COMPARISON_MAX);
	for (size_t i = 0; i < count; i++)
		comparison.runs[i] = runs[i];
	r = make(&comparison);
	if (r < 0)
		run_comparison_done(&comparison);
	else
		*ret_comparison = comparison;
	return r;
}

void run_comparison_done(struct run_comparison *comparison)
{
	for (size_t i = 0; i < comparison->pair_count; i++) {
		free(comparison->pairs[i].workload);
		free(comparison->pairs[i].levels);
		free(comparison->pairs[i].ratios);
	}
	for (size_t i = 0; i < comparison->alone_count; i++) {
		free(comparison->alone[i].workload);
		free(comparison->alone[i].levels);
	}
	for (size_t i = 0; i < comparison->difference_count; i++) {
		free(comparison->differences[i].name);
		free(comparison->differences[i].workload);
		for (size_t n = 0; n < RUN_COMPARISON_MAX; n++)
			free(comparison->differences[i].values[n]);
	}
	free(comparison->pairs);
	free(comparison->alone);
	free(comparison->differences);
	for (size_t i = 0; i < comparison->run_count; i++)
		cells_done(&comparison->cells[i]);
	*comparison = (struct run_comparison){.run_count = 0};
}

size_t run_comparison_unfair(const struct run_comparison *comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->difference_count; i++)
		count += comparison->differences[i].unfair;
	return count;
}
