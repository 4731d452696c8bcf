/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view.h - documents of the engine as the terminal commands show them: the parts of a plan that
 * only the engine knows, and a sample from its text.
 */
#ifndef SERVER_CODEC_VIEW_H
#define SERVER_CODEC_VIEW_H

#include "engine/plan/plan.h"
#include "engine/result.h"
#include "engine/target/target.h"

struct view_target {
	struct target_info info;
	char action[16]; /* "create", "overwrite", "read" */
	uint64_t files, file_bytes;
};

struct plan_view {
	char backend[16], backend_reason[256];
	struct estimate estimate;
	size_t target_count;
	struct view_target *targets;
	struct findings findings;
};

/* A volbench.plan/1. On failure there is nothing to free. */
MUST_CHECK int plan_view_read(const char *text, struct plan_view *ret_view, struct error *err);
void plan_view_done(struct plan_view *view);

/* A volbench.sample/1. On failure there is nothing to free. */
MUST_CHECK int view_sample(const char *text, size_t size, struct sample *ret_sample,
			   struct error *err);

#endif
