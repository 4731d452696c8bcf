/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metadata_sample.c - see metadata_sample.h. */
#include "engine/metadata_sample.h"

static int one_order(const struct metadata_sample *config, int order, struct sample *sample,
		     struct error *err)
{
	struct metadata_spec spec = {
		.workload = config->workload,
		.backend = config->backend,
		.order = order,
		.seed = config->seed,
		.cancel = config->cancel,
		.tick = config->tick,
		.arg = config->arg,
	};
	int *directories = NULL;
	struct error second;
	int r, removed;

	r = target_open_tree(config->target, config->workload, &directories, err);
	if (r == 0) {
		spec.directories = directories;
		r = metadata_run(&spec, sample, err);
	}
	removed = target_close_tree(config->target, config->workload, directories, config->tick,
				    config->arg, &second);
	if (r == 0 && removed < 0) {
		r = removed;
		if (err)
			*err = second;
	}
	return r;
}

int metadata_sample_run(const struct metadata_sample *config, struct sample *sample,
			struct error *err)
{
	int r = 0;

	config->window(config->arg, true);
	for (int order = 0; order < FILE_ORDERS && r == 0; order++)
		if (file_phases_ordered(config->workload, order))
			r = one_order(config, order, sample, err);
	config->window(config->arg, false);
	return r;
}
