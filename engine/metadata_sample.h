/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metadata_sample.h - one sample of a metadata workload: a step of run.h.
 *
 * For each order of file_order: directories are made -> the phases (io/metadata.h) -> what is left
 * is removed, unmeasured. Whatever happens nothing of the sample is left in the target's tree, or
 * the failure is told. Control thread.
 */
#ifndef ENGINE_METADATA_SAMPLE_H
#define ENGINE_METADATA_SAMPLE_H

#include "engine/io/files/metadata.h"
#include "engine/target/target.h"

struct metadata_sample {
	struct target *target;
	const struct workload *workload;
	enum backend_kind backend;
	uint64_t seed;
	atomic_bool *cancel;
	void (*window)(void *arg, bool begins); /* before the first phase, after the last */
	void (*tick)(void *arg);
	void *arg;
};

/* As metadata_run(). */
MUST_CHECK int metadata_sample_run(const struct metadata_sample *config, struct sample *sample,
				   struct error *err);

#endif
