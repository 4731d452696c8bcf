/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_match.c - which workloads and cells of two runs are the same thing: see run_comparison.h.
 *
 * A cell's partner is found by its levels, not searched for: each factor of the other run has a
 * level that the cell's own level, or what its sample had, names.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "engine/analysis/run_parts.h"

const struct sample *run_workload_sample(const struct cells *cells, size_t workload)
{
	for (size_t i = 0; i < cells->count; i++)
		if (cells->list[i].workload == workload && cells->list[i].sample_count > 0)
			return cells->list[i].samples[0];
	return NULL;
}

int run_option_text(const struct sample *sample, size_t part, const struct option *option,
		    char **ret_text)
{
	const struct workload *workload = workload_part(&sample->options, part);

	*ret_text = NULL;
	if (!sample_knows(sample, option->id))
		return 0;
	if (sample->source || option_told(option, workload))
		*ret_text = option_format(option, workload);
	else
		*ret_text = strdup(option->default_text ? option->default_text : "not given");
	return *ret_text ? 0 : -ENOMEM;
}

/* ---- workloads ---- */

static size_t by_name(const struct definition *definition, const char *name)
{
	for (size_t i = 0; i < definition->workload_count; i++)
		if (strcmp(definition->workloads[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

bool run_option_is_factor(const struct definition *definition, enum option_id id)
{
	for (size_t i = 0; i < definition->factor_count; i++)
		if (definition->factors[i].option && definition->factors[i].option->id == id)
			return true;
	return false;
}

bool run_option_is_label(enum option_id id)
{
	return id == OPTION_ID_NAME || id == OPTION_ID_FILENAME || id == OPTION_ID_DIRECTORY ||
	       id == OPTION_ID_RANDSEED || id == OPTION_ID_GROUP_REPORTING ||
	       id == OPTION_ID_PERCENTILE_LIST;
}

/* Both say which pattern it is, and no option differs that both know and neither compares. */
static int same_options(const struct cells *a, size_t first, const struct cells *b, size_t second,
			bool *ret_same)
{
	const struct sample *one = run_workload_sample(a, first);
	const struct sample *other = run_workload_sample(b, second);

	*ret_same = one && other && sample_knows(one, OPTION_ID_RW) &&
		    sample_knows(other, OPTION_ID_RW) &&
		    workload_parts(&one->options) == workload_parts(&other->options) &&
		    workload_parts(&one->options) == 1;
	for (int id = 0; id < OPTION_ID_COUNT && *ret_same; id++) {
		AUTO_FREE char *text = NULL, *beside = NULL;
		int r;

		if (run_option_is_label(id) || run_option_is_factor(&a->result->definition, id) ||
		    run_option_is_factor(&b->result->definition, id))
			continue;
		r = run_option_text(one, 0, option_at(id), &text);
		if (r == 0)
			r = run_option_text(other, 0, option_at(id), &beside);
		if (r < 0)
			return r;
		*ret_same = !text || !beside || strcmp(text, beside) == 0;
	}
	return 0;
}

static bool is_taken(const size_t *partners, size_t count, size_t workload)
{
	for (size_t i = 0; i < count; i++)
		if (partners[i] == workload)
			return true;
	return false;
}

static int match_rest(const struct cells *baseline, const struct cells *other, size_t *partners)
{
	size_t count = baseline->result->definition.workload_count;

	for (size_t i = 0; i < count; i++) {
		for (size_t n = 0; n < other->result->definition.workload_count; n++) {
			bool same = false;
			int r;

			if (partners[i] != SIZE_MAX)
				break;
			if (is_taken(partners, count, n))
				continue;
			r = same_options(baseline, i, other, n, &same);
			if (r < 0)
				return r;
			if (same)
				partners[i] = n;
		}
	}
	return 0;
}

int run_match_workloads(const struct cells *baseline, const struct cells *other,
			size_t **ret_partners)
{
	const struct definition *definition = &baseline->result->definition;
	AUTO_FREE size_t *partners = calloc(definition->workload_count + 1, sizeof(*partners));
	int r;

	if (!partners)
		return -ENOMEM;
	for (size_t i = 0; i < definition->workload_count; i++)
		partners[i] = by_name(&other->result->definition, definition->workloads[i].name);
	r = match_rest(baseline, other, partners);
	if (r == 0)
		*ret_partners = TAKE_PTR(partners);
	return r;
}

/* ---- cells ---- */

static size_t factor_index(const struct definition *definition, const char *name)
{
	for (size_t i = 0; i < definition->factor_count; i++)
		if (strcmp(definition->factors[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

/* "16K" of a property and "16k" of an option are one level; labels may differ in nothing else. */
static size_t level_index(const struct factor *factor, const char *level)
{
	for (size_t i = 0; i < factor->level_count; i++)
		if (strcmp(factor->levels[i], level) == 0)
			return i;
	for (size_t i = 0; i < factor->level_count; i++)
		if (strcasecmp(factor->levels[i], level) == 0)
			return i;
	return SIZE_MAX;
}

/* What a sample had of what another run compares; NULL in *ret_text: not known. */
static int value_of(const struct sample *sample, const struct factor *factor, char **ret_text)
{
	const char *property = NULL;

	*ret_text = NULL;
	if (factor->option)
		return run_option_text(sample, 0, factor->option, ret_text);
	if (factor->kind == FACTOR_PROPERTY && sample->zfs)
		property = properties_get(&sample->zfs->properties, factor->name);
	if (!property)
		return 0;
	*ret_text = strdup(property);
	return *ret_text ? 0 : -ENOMEM;
}

/* The level of the other run's factor that a cell stands at; SIZE_MAX: none. */
static int find_level(const struct cells *baseline, const struct cell *cell,
		      const struct factor *factor, size_t *ret_level)
{
	const struct definition *definition = &baseline->result->definition;
	size_t own = factor_index(definition, factor->name);
	AUTO_FREE char *text = NULL;
	int r;

	if (own != SIZE_MAX) {
		*ret_level =
			level_index(factor, definition->factors[own].levels[cell->levels[own]]);
		return 0;
	}
	r = value_of(cell->samples[0], factor, &text);
	if (r == 0)
		*ret_level = text ? level_index(factor, text) : SIZE_MAX;
	return r;
}

/* Whether a cell of the other run had what the baseline's own factors say. */
static int has_levels(const struct cells *baseline, const struct cell *cell,
		      const struct cells *other, const struct cell *found, bool *ret_has)
{
	const struct definition *definition = &baseline->result->definition;

	*ret_has = true;
	for (size_t i = 0; i < definition->factor_count && *ret_has; i++) {
		const struct factor *factor = &definition->factors[i];
		AUTO_FREE char *text = NULL;
		int r;

		if (factor_index(&other->result->definition, factor->name) != SIZE_MAX)
			continue;
		r = value_of(found->samples[0], factor, &text);
		if (r < 0)
			return r;
		*ret_has = text && strcasecmp(text, factor->levels[cell->levels[i]]) == 0;
	}
	return 0;
}

int run_match_cell(const struct cells *baseline, const struct cell *cell, const struct cells *other,
		   size_t workload, const struct cell **ret_cell)
{
	const struct definition *definition = &other->result->definition;
	size_t levels[DEFINITION_FACTORS_MAX];
	const struct cell *found;
	bool has = false;
	int r;

	*ret_cell = NULL;
	if (definition->factor_count > DEFINITION_FACTORS_MAX)
		return 0;
	for (size_t i = 0; i < definition->factor_count; i++) {
		r = find_level(baseline, cell, &definition->factors[i], &levels[i]);
		if (r < 0 || levels[i] == SIZE_MAX)
			return r;
	}
	found = cells_find(other, workload, levels);
	if (!found || found->sample_count == 0)
		return 0;
	r = has_levels(baseline, cell, other, found, &has);
	if (r == 0 && has)
		*ret_cell = found;
	return r;
}
