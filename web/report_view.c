/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_view.c - a result as the comparisons its report shows; see report_parts.h. */
#include <errno.h>
#include <string.h>

#include "engine/plan/quantity.h"
#include "web/report_parts.h"

/* Reads and writes of a sample together. */
static double sample_total(const struct sample *sample, enum metric metric)
{
	double total = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++)
		total += metric == METRIC_IOPS ? sample_iops(sample, (enum direction)d)
					       : sample_bandwidth(sample, (enum direction)d);
	return total;
}

static int total_of(const struct cell *cell, enum metric metric, struct estimate_interval *ret)
{
	double *values = calloc(cell->sample_count ? cell->sample_count : 1, sizeof(*values));

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < cell->sample_count; i++)
		values[i] = sample_total(cell->samples[i], metric);
	*ret = statistics_mean(values, cell->sample_count);
	free(values);
	return 0;
}

/* The level with the highest mean, and those that are not shown below it: where either is one
 * sample, without an interval, nothing is shown. */
static void rank(struct comparison *comparison, size_t levels, enum metric metric)
{
	const struct estimate_interval *top = NULL;
	size_t strong = 0;

	for (size_t i = 0; i < levels; i++) {
		const struct estimate_interval *total = &comparison->cells[i].total[metric];

		if (total->count && (!top || total->mean > top->mean)) {
			top = total;
			comparison->highest[metric] = i;
		}
	}
	for (size_t i = 0; top && i < levels; i++) {
		struct report_cell *cell = &comparison->cells[i];
		const struct estimate_interval *total = &cell->total[metric];

		if (!total->count)
			continue;
		cell->strong[metric] = total == top || !total->interval || !top->interval ||
				       total->high >= top->low;
		strong += cell->strong[metric];
	}
	comparison->clear[metric] =
		strong == 1 && comparison->measured > 1 && comparison->fewest > 1;
}

static int fill_cell(struct comparison *comparison, struct report_cell *ret_cell,
		     const struct cell *cell)
{
	ret_cell->cell = cell;
	if (!cell || cell->sample_count == 0)
		return 0;
	comparison->measured++;
	if (comparison->measured == 1 || cell->sample_count < comparison->fewest)
		comparison->fewest = cell->sample_count;
	if (cell->sample_count > comparison->most)
		comparison->most = cell->sample_count;
	if (comparison->files) {
		ret_cell->total[METRIC_IOPS] =
			cell->files[comparison->order][comparison->operation].ops_per_s;
		return 0;
	}
	for (int m = 0; m < METRIC_COUNT; m++) {
		int r = total_of(cell, (enum metric)m, &ret_cell->total[m]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* "iodepth=16, target=zvol" of the factors after the first; heap. */
static char *others_text(const struct definition *definition, const size_t *levels)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	for (size_t f = 1; f < definition->factor_count; f++)
		(void)fprintf(file, "%s%s=%s", f > 1 ? ", " : "", definition->factors[f].name,
			      definition->factors[f].levels[levels[f]]);
	if (fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int fill_comparison(struct report *report, size_t workload, size_t *levels,
			   struct comparison *comparison)
{
	const struct definition *definition = &report->result->definition;

	comparison->workload = workload;
	comparison->name =
		definition->workloads[workload].name ? definition->workloads[workload].name : "";
	comparison->others = others_text(definition, levels);
	comparison->cells = calloc(report->level_count, sizeof(*comparison->cells));
	if (!comparison->others || !comparison->cells)
		return -ENOMEM;
	for (size_t i = 0; i < report->level_count; i++) {
		const struct cell *cell;
		int r;

		levels[0] = report->order[i];
		cell = cells_find(&report->cells, workload, levels);
		r = fill_cell(comparison, &comparison->cells[i], cell);
		if (r < 0)
			return r;
		for (int d = 0; cell && !comparison->files && d < DIRECTION_COUNT; d++)
			comparison->present[d] |= cell->directions[d].present;
	}
	for (int m = 0; m < METRIC_COUNT; m++)
		rank(comparison, report->level_count, (enum metric)m);
	report->files |= comparison->files && comparison->measured > 0;
	report->data |= !comparison->files && comparison->measured > 0;
	return 0;
}

/* Whether the workload has the phase at any of the first factor's levels. */
static bool has_phase(const struct report *report, size_t workload, size_t *levels, int order,
		      int operation)
{
	for (size_t i = 0; i < report->level_count; i++) {
		const struct cell *cell;

		levels[0] = i;
		cell = cells_find(&report->cells, workload, levels);
		if (cell && cell->files[order][operation].present)
			return true;
	}
	return false;
}

static int add_comparison(struct report *report, size_t workload, size_t *levels,
			  const struct comparison *kind)
{
	struct comparison *grown =
		reallocarray(report->comparisons, report->comparison_count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	report->comparisons = grown;
	grown[report->comparison_count] = *kind;
	return fill_comparison(report, workload, levels, &grown[report->comparison_count++]);
}

/* One, or of a metadata workload one a phase. */
static int add_comparisons(struct report *report, size_t workload, size_t *levels)
{
	bool files = false;
	int r = 0;

	for (int i = 0; i < FILE_ORDERS * FILE_OPERATION_COUNT && r == 0; i++) {
		const struct comparison kind = {.files = true,
						.order = i / FILE_OPERATION_COUNT,
						.operation = i % FILE_OPERATION_COUNT};

		if (!has_phase(report, workload, levels, kind.order, kind.operation))
			continue;
		files = true;
		r = add_comparison(report, workload, levels, &kind);
	}
	if (files || r < 0)
		return r;
	return add_comparison(report, workload, levels, &(struct comparison){.files = false});
}

/* The next combination of the levels after the first factor; false after the last. */
static bool next_levels(const struct definition *definition, size_t *levels)
{
	for (size_t f = 1; f < definition->factor_count; f++) {
		if (++levels[f] < definition->factors[f].level_count)
			return true;
		levels[f] = 0;
	}
	return false;
}

static int fill_comparisons(struct report *report)
{
	const struct definition *definition = &report->result->definition;

	for (size_t w = 0; w < definition->workload_count; w++) {
		size_t levels[DEFINITION_FACTORS_MAX] = {0};

		do {
			int r = add_comparisons(report, w, levels);

			if (r < 0)
				return r;
		} while (next_levels(definition, levels));
	}
	return 0;
}

/* The levels as shown: by size where all are sizes or numbers, else as given. */
static int order_levels(struct report *report)
{
	const struct definition *definition = &report->result->definition;
	AUTO_FREE uint64_t *sizes = calloc(report->level_count, sizeof(*sizes));

	report->order = calloc(report->level_count, sizeof(*report->order));
	if (!sizes || !report->order)
		return -ENOMEM;
	for (size_t i = 0; i < report->level_count; i++)
		report->order[i] = i;
	for (size_t i = 0; definition->factor_count && i < report->level_count; i++) {
		struct error err;

		if (quantity_parse_size(definition->factors[0].levels[i], &sizes[i], &err) < 0)
			return 0;
	}
	for (size_t i = 1; i < report->level_count; i++) /* insertion: few, mostly in order */
		for (size_t k = i; k > 0 && sizes[report->order[k - 1]] > sizes[report->order[k]];
		     k--) {
			size_t swap = report->order[k];

			report->order[k] = report->order[k - 1];
			report->order[k - 1] = swap;
		}
	return 0;
}

/* Where volblocksize is compared: the level that TrueNAS recommends for the pool's layout. */
static void find_recommended(struct report *report)
{
	const struct result *result = report->result;
	uint64_t wanted = 0, size;
	struct error err;

	report->recommended = report->level_count;
	for (size_t i = 0; i < result->target_count && !wanted; i++)
		wanted = result->targets[i].zfs.recommended_volblocksize;
	if (!wanted || strcmp(report->axis, "volblocksize") != 0)
		return;
	for (size_t i = 0; i < report->level_count; i++)
		if (quantity_parse_size(report_level(report, i), &size, &err) == 0 &&
		    size == wanted)
			report->recommended = i;
}

int report_gather(const struct result *result, struct report *report)
{
	const struct definition *definition = &result->definition;
	int r;

	*report = (struct report){.result = result, .axis = "", .level_count = 1};
	if (definition->factor_count > DEFINITION_FACTORS_MAX)
		return -EINVAL;
	r = cells_make(result, &report->cells);
	if (r < 0)
		return r;
	if (definition->factor_count > 0) {
		report->axis = definition->factors[0].name;
		report->level_count = definition->factors[0].level_count;
		report->sizes_vary = definition->factors[0].option &&
				     definition->factors[0].option->id == OPTION_ID_BS;
	}
	report->zfs = cells_have_zfs(&report->cells);
	for (size_t i = 0; i < result->target_count; i++)
		report->zfs |= result->targets[i].zfs.pool[0] != '\0';
	r = order_levels(report);
	if (r < 0)
		return r;
	find_recommended(report);
	r = fill_comparisons(report);
	return r < 0 ? r : chart_set_new(&report->charts);
}

void report_done(struct report *report)
{
	for (size_t i = 0; i < report->comparison_count; i++) {
		free(report->comparisons[i].others);
		free(report->comparisons[i].cells);
	}
	free(report->comparisons);
	free(report->order);
	cells_done(&report->cells);
	chart_set_free(report->charts);
	*report = (struct report){0};
}

const char *report_level(const struct report *report, size_t level)
{
	const struct definition *definition = &report->result->definition;

	return definition->factor_count ? definition->factors[0].levels[report->order[level]] : "";
}

const char *report_axis(const struct report *report, char buffer[REPORT_AXIS_MAX])
{
	if (report->recommended >= report->level_count)
		return report->axis;
	(void)snprintf(buffer, REPORT_AXIS_MAX, "%.128s (underlined: TrueNAS)", report->axis);
	return buffer;
}

const struct histogram *report_histogram(const struct comparison *comparison, size_t level,
					 int direction)
{
	const struct cell *cell = comparison->cells[level].cell;

	if (!cell)
		return NULL;
	return comparison->files ? cell->files[comparison->order][comparison->operation].latency
				 : cell->directions[direction].latency;
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

const char *report_title(const struct comparison *comparison, char buffer[REPORT_TITLE_MAX])
{
	char kind[REPORT_KIND_MAX];

	(void)snprintf(buffer, REPORT_TITLE_MAX, "%s%s%s%s%s", comparison->name,
		       comparison->files ? ", " : "",
		       comparison->files ? report_kind(comparison, 0, kind) : "",
		       comparison->others[0] ? ", " : "", comparison->others);
	return buffer;
}
