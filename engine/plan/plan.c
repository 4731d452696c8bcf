/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/block_order.h"
#include "engine/plan/data_files.h"
#include "engine/plan/definition_made.h"
#include "engine/plan/distribution_spec.h"
#include "engine/plan/estimate.h"
#include "engine/plan/file_phases.h"
#include "engine/plan/instances.h"
#include "engine/plan/quantity.h"
#include "engine/plan/traps.h"

/* ---- cells ---- */

struct cells {
	size_t count;
	struct plan_sample *list; /* in the definition's order; order, repeat and seed not set */
};

static void sample_free(struct plan_sample *sample)
{
	free(sample->levels);
	workload_done(&sample->options);
}

static void cells_done(struct cells *cells)
{
	for (size_t i = 0; i < cells->count; i++)
		sample_free(&cells->list[i]);
	free(cells->list);
}

/* levels of no factor is a pointer all the same, so that NULL means no memory. */
static size_t *copy_levels(const struct definition *definition, const size_t *levels)
{
	size_t size = definition->factor_count * sizeof(*levels);
	size_t *copy = malloc(size + sizeof(*levels));

	if (copy)
		memcpy(copy, levels, size);
	return copy;
}

static int add_cell(const struct definition *definition, size_t workload, const size_t *levels,
		    struct cells *cells, struct error *err)
{
	struct plan_sample *cell = &cells->list[cells->count];
	int r;

	r = definition_compose(definition, workload, levels, &cell->options, err);
	if (r < 0)
		return r;
	cells->count++; /* from here on cells_done frees it */
	cell->workload = workload;
	cell->target = definition_level_target(definition, levels);
	cell->levels = copy_levels(definition, levels);
	return cell->levels ? 0 : error_no_memory(err);
}

static int make_cells(const struct definition *definition, struct cells *cells, struct error *err)
{
	size_t count = definition->workload_count;

	cells->count = 0;
	for (size_t i = 0; i < definition->factor_count; i++)
		count *= definition->factors[i].level_count; /* checked: at most 10,000 */
	cells->list = calloc(count, sizeof(*cells->list));
	if (!cells->list)
		return error_no_memory(err);
	for (size_t i = 0; i < definition->workload_count; i++) {
		size_t levels[DEFINITION_FACTORS_MAX] = {0};

		do {
			int r = add_cell(definition, i, levels, cells, err);

			if (r < 0)
				return r;
		} while (definition_next_levels(definition, levels));
	}
	return 0;
}

/* ---- samples ---- */

static int add_sample(const struct plan_sample *cell, unsigned int repeat, struct plan *plan)
{
	const struct definition *definition = plan->definition;
	struct plan_sample *sample = &plan->samples[plan->sample_count];

	*sample = *cell;
	sample->levels = copy_levels(definition, cell->levels);
	if (!sample->levels)
		return -ENOMEM;
	if (workload_copy(&cell->options, &sample->options) < 0) {
		free(sample->levels);
		return -ENOMEM;
	}
	sample->instance = plan_find_instance(plan, cell->levels);
	sample->order = plan->sample_count++;
	sample->repeat = repeat;
	sample->seed =
		workload_is_set(&sample->options, OPTION_ID_RANDSEED)
			? sample->options.randseed
			: block_order_mix(definition->seed, sample->workload + 1, repeat) >> 11;
	return 0;
}

/* Each repeat is a block of its own, every cell in it once. */
static int interleave(const struct cells *cells, struct plan *plan)
{
	size_t *order = calloc(cells->count, sizeof(*order));
	int r = order ? 0 : -ENOMEM;

	for (unsigned int repeat = 1; r == 0 && repeat <= plan->definition->repeats; repeat++) {
		block_order(plan->definition->seed, repeat, cells->count, order);
		for (size_t i = 0; r == 0 && i < cells->count; i++)
			r = add_sample(&cells->list[order[i]], repeat, plan);
	}
	free(order);
	return r;
}

static int group(const struct cells *cells, struct plan *plan)
{
	for (size_t i = 0; i < cells->count; i++) {
		for (unsigned int repeat = 1; repeat <= plan->definition->repeats; repeat++) {
			int r = add_sample(&cells->list[i], repeat, plan);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* Of zvols that were given a size nobody has to be asked. */
static int resolve_volumes(struct plan *plan, const struct machine *machine, struct error *err)
{
	uint64_t sizes[DEFINITION_TARGETS_MAX] = {0};

	for (size_t i = 0; i < plan->definition->target_count; i++)
		if (plan->definition->targets[i].kind == TARGET_ZVOL)
			sizes[i] = plan->definition->targets[i].size_bytes;
	return plan_resolve(plan, machine, sizes, err);
}

static int fill_plan(const struct cells *cells, const struct machine *machine, struct plan *plan,
		     struct error *err)
{
	int r;

	plan->samples = calloc(cells->count * plan->definition->repeats, sizeof(*plan->samples));
	if (!plan->samples || instances_make(plan) < 0)
		return error_no_memory(err);
	r = plan->definition->order == ORDER_GROUPED ? group(cells, plan) : interleave(cells, plan);
	if (r < 0)
		return error_no_memory(err);
	if (estimate_make(plan, &plan->estimate) < 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "the targets together would be larger than 2^64 bytes: lower size "
				 "or numjobs");
	if (traps_find(plan, machine) < 0)
		return error_no_memory(err);
	return resolve_volumes(plan, machine, err);
}

int plan_make(const struct definition *definition, const struct machine *machine,
	      struct plan *ret_plan, struct error *err)
{
	struct plan plan = {.definition = definition};
	struct cells cells;
	int r;

	findings_init(&plan.findings);
	r = make_cells(definition, &cells, err);
	if (r == 0)
		r = fill_plan(&cells, machine, &plan, err);
	cells_done(&cells);
	if (r < 0) {
		plan_done(&plan);
		return r;
	}
	*ret_plan = plan;
	return 0;
}

void plan_done(struct plan *plan)
{
	for (size_t i = 0; i < plan->sample_count; i++)
		sample_free(&plan->samples[i]);
	free(plan->samples);
	instances_done(plan);
	findings_done(&plan->findings);
	memset(plan, 0, sizeof(*plan));
}

/* ---- sizes that the targets give ---- */

/* A part's size of so many bytes, which `jobs` jobs share where regions are disjoint. */
static uint64_t share_of(const struct workload *part, uint64_t target_bytes, uint64_t jobs)
{
	uint64_t request = part->bs[0] > part->bs[1] ? part->bs[0] : part->bs[1];
	uint64_t size = 0;

	if (target_bytes > part->offset)
		size = target_bytes - part->offset;
	if (part->regions == REGIONS_DISJOINT)
		size /= jobs;
	if (size > option_at(OPTION_ID_SIZE)->max)
		size = option_at(OPTION_ID_SIZE)->max; /* /dev/zero has no end */
	return size - size % request;
}

static int resolve(const struct plan *plan, struct plan_sample *sample, struct workload *part,
		   uint64_t target_bytes, struct error *err)
{
	uint64_t size = share_of(part, target_bytes, workload_jobs(&sample->options));
	const struct target_spec *spec = &plan->definition->targets[sample->target];
	char text[QUANTITY_TEXT_MAX], pointer[DEFINITION_POINTER_MAX];
	int r;

	(void)snprintf(pointer, sizeof(pointer), "/workloads/%zu", sample->workload);
	if (size == 0) {
		return error_set(err, ERROR_TARGET_TOO_SMALL, pointer,
				 "%s%.128s has %s bytes, too few for one request of each job",
				 target_kind_is_zfs(spec->kind) ? "the zvol beneath " : "",
				 spec->path, quantity_format_size(target_bytes, text));
	}
	part->size = size;
	r = distribution_spec_fits(part, err);
	if (r < 0 && err)
		(void)snprintf(err->field, sizeof(err->field), "%s", pointer);
	return r;
}

/* All parts of a sample that have no size. */
static int resolve_sample(const struct plan *plan, struct plan_sample *sample,
			  uint64_t target_bytes, bool *resolved, struct error *err)
{
	struct workload *options = &sample->options;
	int r = 0;

	for (size_t i = 0; i < workload_parts(options) && r == 0; i++) {
		struct workload *part = options->part_count ? &options->parts[i] : options;

		if (part->size != 0)
			continue;
		r = resolve(plan, sample, part, target_bytes, err);
		*resolved = true;
	}
	return r;
}

int plan_resolve(struct plan *plan, const struct machine *machine, const uint64_t *target_bytes,
		 struct error *err)
{
	bool resolved = false;

	for (size_t i = 0; i < plan->sample_count; i++) {
		struct plan_sample *sample = &plan->samples[i];
		uint64_t bytes = target_bytes[sample->target];
		int r = bytes == 0 ? 0 : resolve_sample(plan, sample, bytes, &resolved, err);

		if (r < 0)
			return r;
	}
	if (!resolved)
		return 0;
	if (estimate_make(plan, &plan->estimate) < 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "the targets together are larger than 2^64 bytes");
	return traps_find_resolved(plan, machine) < 0 ? error_no_memory(err) : 0;
}

int plan_target_extent(const struct plan *plan, size_t target, uint64_t *ret_bytes,
		       uint64_t *ret_files)
{
	bool directory = target_kind_has_files(plan->definition->targets[target].kind);
	uint64_t most = 0, files = directory ? 0 : 1;
	bool whole = false;

	for (size_t i = 0; i < plan->sample_count; i++) {
		const struct workload *options = &plan->samples[i].options;
		uint64_t bytes;

		if (plan->samples[i].target != target || workload_metadata(options))
			continue;
		if (workload_extent(options, directory, &bytes) < 0)
			return -EOVERFLOW;
		for (size_t part = 0; part < workload_parts(options); part++)
			whole |= workload_part(options, part)->size == 0;
		if (bytes > most)
			most = bytes;
		if (directory && data_files_count(options) > files)
			files = data_files_count(options);
	}
	*ret_bytes = whole ? 0 : most;
	*ret_files = files;
	return 0;
}

int plan_volume_bytes(const struct plan *plan, size_t target, uint64_t *ret_bytes)
{
	const struct target_spec *spec = &plan->definition->targets[target];
	uint64_t unit = definition_made_block(plan->definition, target), bytes, files;
	int r;

	if (spec->size_bytes > 0) {
		*ret_bytes = spec->size_bytes;
		return 0;
	}
	r = plan_target_extent(plan, target, &bytes, &files);
	if (unit < DEFINITION_VOLUME_ROUND)
		unit = DEFINITION_VOLUME_ROUND;
	if (r < 0 || __builtin_add_overflow(bytes, unit - 1, &bytes))
		return -EOVERFLOW;
	*ret_bytes = bytes - bytes % unit;
	return 0;
}

uint64_t plan_target_first(const struct plan *plan, size_t target)
{
	uint64_t first = UINT64_MAX;

	if (plan->definition->targets[target].kind != TARGET_DEVICE)
		return 0;
	for (size_t i = 0; i < plan->sample_count; i++) {
		const struct workload *options = &plan->samples[i].options;

		for (size_t k = 0; k < workload_parts(options); k++) {
			const struct workload *part = workload_part(options, k);

			if (plan->samples[i].target != target)
				continue;
			if (part->size == 0)
				return 0;
			if (part->offset < first)
				first = part->offset;
		}
	}
	return first < UINT64_MAX ? first : 0;
}

void plan_target_tree(const struct plan *plan, size_t target, uint64_t *ret_bytes,
		      uint64_t *ret_inodes)
{
	*ret_bytes = *ret_inodes = 0;
	for (size_t i = 0; i < plan->sample_count; i++) {
		const struct workload *options = &plan->samples[i].options;
		struct file_totals totals;

		if (plan->samples[i].target != target || !workload_metadata(options))
			continue;
		file_phases_totals(options, &totals);
		if (totals.space_bytes > *ret_bytes)
			*ret_bytes = totals.space_bytes;
		if (totals.inodes > *ret_inodes)
			*ret_inodes = totals.inodes;
	}
}

bool plan_leaves_holes(const struct plan_sample *sample)
{
	const struct workload *options = &sample->options;

	return workload_trims(options) && !(workload_is_set(options, OPTION_ID_IOENGINE) &&
					    options->ioengine == IOENGINE_NULL);
}

uint64_t plan_fills(const struct plan *plan, size_t instance)
{
	uint64_t fills = 1;
	bool holes = false;

	for (size_t i = 0; i < plan->sample_count; i++) {
		if (plan->samples[i].instance != instance)
			continue;
		fills += holes;
		holes = plan_leaves_holes(&plan->samples[i]);
	}
	return fills;
}

char *plan_cell_text(const struct plan *plan, const struct plan_sample *sample)
{
	return definition_levels_text(plan->definition, sample->levels);
}
