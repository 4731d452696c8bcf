/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inspect.h - what the parts of run_inspect() and of run_execute() share: what a sample and a
 * target of a plan ask for. */
#ifndef ENGINE_INSPECT_H
#define ENGINE_INSPECT_H

#include "engine/io/measure.h"
#include "engine/plan/plan.h"
#include "engine/target/target.h"

/* The backend of one sample, where the run's is `chosen` (run_choose_backend). */
enum backend_kind inspect_backend(const struct plan *plan, const struct plan_sample *sample,
				  enum backend_kind chosen, bool uring_available);

/* Whether any sample moves data on a target: with the null backend none does, and filling it would
 * only take time. */
bool inspect_moves_data(const struct plan *plan, size_t target, enum backend_kind chosen);

/*
 * What the fill of a target is to be like (fill.h): the options of the workloads that read it, and
 * the smallest of their requests. *ret_like is NULL where they ask for nothing, or nobody reads.
 * CONFLICT where they do not agree: a target is filled once.
 */
MUST_CHECK int inspect_fill_like(const struct plan *plan, size_t target,
				 const struct workload **ret_like, uint64_t *ret_unit,
				 struct error *err);

/* That all targets can be filled so, and that no two jobs write to one region of which either is to
 * be read back (verify): CONFLICT. */
MUST_CHECK int inspect_check_written(const struct plan *plan, struct error *err);

/* Gives an error its JSON pointer: that of a target; or of a sample's option, where err->field is
 * an option's name, else of its workload. err may be NULL. */
void inspect_blame_target(const struct plan *plan, size_t target, struct error *err);
/* That of a property or the size of what is made, where err->field is one: a level's, where it is a
 * factor; else of the target. */
void inspect_blame_instance(const struct plan *plan, size_t instance, struct error *err);
void inspect_blame_sample(const struct plan *plan, const struct plan_sample *sample,
			  struct error *err);

/*
 * Whether all zvols and datasets can be there at once. Where they cannot the plan's samples are
 * grouped by instance, its estimate follows, and the finding "grouped_for_space" tells it. NO_SPACE
 * where even one is too large. reserved: what each instance takes (target_info.reserved_bytes).
 */
MUST_CHECK int inspect_space(struct plan *plan, const struct target_info *infos,
			     const uint64_t *reserved, struct error *err);

/* What the plan wants of its target; of a zvol its whole size. -EOVERFLOW. */
MUST_CHECK int inspect_need(const struct plan *plan, size_t target, struct target_need *ret_need);

#endif
