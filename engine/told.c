/* SPDX-License-Identifier: GPL-3.0-or-later */
/* told.c - see told.h. */
#include "engine/told.h"

#include <stdlib.h>
#include <string.h>

struct sample_source *sample_source_new(const char *tool, const char *file)
{
	struct sample_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->tool = strdup(tool);
	source->file = file ? strdup(file) : NULL;
	if (source->tool && (source->file || !file))
		return source;
	sample_source_free(source);
	return NULL;
}

void sample_source_free(struct sample_source *source)
{
	if (!source)
		return;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		free(source->directions[d].percentiles);
	free(source->tool);
	free(source->file);
	free(source->given);
	free(source);
}

struct told_figure told_exactly(double value)
{
	return (struct told_figure){.known = true, .value = value, .low = value, .high = value};
}
