/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_view.c - what the sections of a report ask of its analysis; see report_parts.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/analysis/amplification.h"
#include "engine/plan/quantity.h"
#include "web/report_shapes.h"

/* Where volblocksize is compared: the level that TrueNAS recommends for the pool's layout. */
static void find_recommended(struct report *report)
{
	const struct result *result = report->result;
	const struct analysis *analysis = &report->analysis;
	uint64_t wanted = 0, size;
	struct error err;

	report->recommended = analysis->level_count;
	for (size_t i = 0; i < result->target_count && !wanted; i++)
		wanted = result->targets[i].zfs.recommended_volblocksize;
	if (!wanted || strcmp(analysis->axis, "volblocksize") != 0)
		return;
	for (size_t i = 0; i < analysis->level_count; i++)
		if (quantity_parse_size(analysis_level(analysis, i), &size, &err) == 0 &&
		    size == wanted)
			report->recommended = i;
}

static bool tells_latency(const struct sample *sample)
{
	for (int d = 0; sample->source && d < DIRECTION_COUNT; d++) {
		const struct told_direction *told = &sample->source->directions[d];

		if (told->latency_mean.known || told->latency_max.known || told->percentile_count)
			return true;
	}
	return false;
}

static bool has_histogram(const struct sample *sample)
{
	bool any = sample->sync || sample->datasync || sample->end_fsync;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		any |= sample->directions[d].latency != NULL;
	for (size_t i = 0; i < sample->file_count; i++)
		any |= sample->files[i].latency != NULL;
	return any;
}

static void look_at_samples(struct report *report)
{
	for (size_t i = 0; i < report->result->sample_count; i++) {
		const struct sample *sample = &report->result->samples[i];

		report->latency |= has_histogram(sample);
		report->told_latency |= tells_latency(sample);
		report->series |= sample->series.count > 0;
		report->index |= sample->source && sample->source->index;
	}
}

static void find_kinds(struct report *report)
{
	const struct analysis *analysis = &report->analysis;

	for (size_t k = 0; k < analysis->comparison_count; k++) {
		bool measured = false;

		for (size_t i = 0; i < analysis->level_count; i++) {
			const struct cell *cell = analysis->comparisons[k].cells[i];

			measured |= cell && cell->sample_count > 0;
		}
		report->files |= measured && analysis->comparisons[k].files;
		report->data |= measured && !analysis->comparisons[k].files;
	}
	for (size_t i = 0; i < analysis->cells.count; i++)
		for (int d = 0; d < DIRECTION_COUNT; d++) {
			const struct cell_direction *direction =
				&analysis->cells.list[i].directions[d];

			report->iops |= direction->iops.count > 0;
			report->bandwidth |= direction->bandwidth.count > 0;
		}
	report->zfs = cells_have_zfs(&analysis->cells);
	for (size_t i = 0; i < report->result->target_count; i++)
		report->zfs |= report->result->targets[i].zfs.pool[0] != '\0';
}

int report_gather(const struct result *result, struct report *report)
{
	int r;

	*report = (struct report){.result = result};
	if (result->definition.factor_count > DEFINITION_FACTORS_MAX)
		return -EINVAL;
	r = analysis_make(result, &report->analysis);
	if (r < 0)
		return r;
	look_at_samples(report);
	find_kinds(report);
	find_recommended(report);
	r = report->zfs ? amplification_low(&report->analysis, &report->low_writes) : 0;
	return r < 0 ? r : chart_set_new(&report->charts);
}

void report_done(struct report *report)
{
	report_curves_free(report->curves);
	free(report->low_writes);
	analysis_done(&report->analysis);
	chart_set_free(report->charts);
	*report = (struct report){0};
}

const char *report_axis(const struct report *report, char buffer[REPORT_AXIS_MAX])
{
	if (report->recommended >= report->analysis.level_count)
		return report->analysis.axis;
	(void)snprintf(buffer, REPORT_AXIS_MAX, "%.128s (underlined: TrueNAS)",
		       report->analysis.axis);
	return buffer;
}

bool report_moves(const struct report *report, const struct comparison *comparison, int direction)
{
	for (size_t i = 0; i < report->analysis.level_count && !comparison->files; i++)
		if (comparison->cells[i] && comparison->cells[i]->directions[direction].present)
			return true;
	return false;
}

static bool is_index(const struct cell *cell)
{
	return cell->sample_count && cell->samples[0]->source && cell->samples[0]->source->index;
}

static double directions_total(const struct cell *cell, enum measure measure)
{
	size_t count = 0;
	double total = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		const struct cell_direction *direction = &cell->directions[d];
		const struct estimate_interval *figure =
			measure == MEASURE_BANDWIDTH ? &direction->bandwidth : &direction->iops;

		if (!direction->present)
			continue;
		if (!figure->count)
			return NAN;
		total += figure->mean;
		count++;
	}
	if (!count)
		return NAN;
	return is_index(cell) ? total / (double)count : total; /* two of 100 are no 200 */
}

double report_total(const struct comparison *comparison, size_t level, enum measure measure)
{
	const struct cell *cell = comparison->cells[level];
	const struct estimate_interval *files;

	if (!cell)
		return NAN;
	if (!comparison->files)
		return directions_total(cell, measure);
	files = &cell->files[comparison->order][comparison->operation].ops_per_s;
	return files->count && measure != MEASURE_BANDWIDTH ? files->mean : NAN;
}

enum measure report_measure(const struct report *report, const struct comparison *comparison,
			    enum measure measure)
{
	if (!report->index)
		return measure;
	return comparison->measure == MEASURE_BANDWIDTH ? MEASURE_BANDWIDTH : MEASURE_IOPS;
}

bool report_strong(const struct comparison *comparison, size_t level, enum measure measure)
{
	bool own = measure == comparison->measure || comparison->measure == MEASURE_FILES ||
		   (measure == MEASURE_BANDWIDTH && comparison->measure == MEASURE_IOPS);
	const struct comparison_level *figure = &comparison->figures[level];

	if (!own || !figure->samples)
		return true;
	/* Of single samples nothing is shown: the best figure is, with what rounding may hide. */
	if (comparison->blocks < 2)
		return analysis_tops(comparison, level);
	return figure->in_set;
}

const struct histogram *report_histogram(const struct comparison *comparison, size_t level,
					 int direction)
{
	const struct cell *cell = comparison->cells[level];

	if (!cell)
		return NULL;
	return comparison->files ? cell->files[comparison->order][comparison->operation].latency
				 : cell->directions[direction].latency;
}

size_t report_most_samples(const struct report *report, const struct comparison *comparison)
{
	size_t most = 0;

	for (size_t i = 0; i < report->analysis.level_count; i++)
		if (comparison->cells[i] && comparison->cells[i]->sample_count > most)
			most = comparison->cells[i]->sample_count;
	return most;
}

const char *report_kind(const struct comparison *comparison, int direction,
			char buffer[REPORT_KIND_MAX])
{
	if (!comparison->files)
		return direction_names[direction];
	(void)snprintf(buffer, REPORT_KIND_MAX, "%s %s",
		       workload_file_order_choices[comparison->order],
		       file_operation_names[comparison->operation]);
	return buffer;
}
