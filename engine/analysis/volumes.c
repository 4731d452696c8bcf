/* SPDX-License-Identifier: GPL-3.0-or-later */
/* volumes.c - see volumes.h. */
#include "engine/analysis/volumes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add(struct volumes *volumes, const struct definition *definition,
	       const struct cell *cell, const struct sample *sample)
{
	size_t target = definition_level_target(definition, cell->levels);
	struct volume *grown;

	if (target >= definition->target_count)
		return 0; /* a damaged document */
	for (size_t i = 0; i < volumes->count; i++) {
		struct volume *known = &volumes->list[i];

		if (strcmp(known->first->zfs->dataset, sample->zfs->dataset) != 0)
			continue;
		if (sample->order < known->first->order)
			known->first = sample;
		return 0;
	}
	grown = reallocarray(volumes->list, volumes->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	volumes->list = grown;
	grown[volumes->count++] =
		(struct volume){.cell = cell,
				.first = sample,
				.spec = &definition->targets[target],
				.made = target_kind_is_zfs(definition->targets[target].kind)};
	return 0;
}

int volumes_make(const struct cells *cells, struct volumes *ret_volumes)
{
	struct volumes volumes = {.count = 0};

	for (size_t c = 0; c < cells->count; c++) {
		const struct cell *cell = &cells->list[c];

		for (size_t i = 0; i < cell->sample_count; i++) {
			int r = cell->samples[i]->zfs ? add(&volumes, &cells->result->definition,
							    cell, cell->samples[i])
						      : 0;

			if (r < 0) {
				volumes_done(&volumes);
				return r;
			}
		}
	}
	*ret_volumes = volumes;
	return 0;
}

void volumes_done(struct volumes *volumes)
{
	free(volumes->list);
	*volumes = (struct volumes){.count = 0};
}

int volume_properties(const struct cells *cells, const struct volume *volume,
		      struct properties *ret_properties)
{
	const struct definition *definition = &cells->result->definition;
	struct properties all = {.count = 0};
	int r = properties_overlay(&all, &volume->spec->properties);

	for (size_t f = 0; f < definition->factor_count && r == 0; f++) {
		const struct factor *factor = &definition->factors[f];

		if (factor->kind == FACTOR_PROPERTY)
			r = properties_set(&all, factor->name,
					   factor->levels[volume->cell->levels[f]]);
	}
	if (r < 0)
		properties_done(&all);
	else
		*ret_properties = all;
	return r;
}
