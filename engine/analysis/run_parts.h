/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_parts.h - what the files behind run_comparison.h call of each other. Pure. */
#ifndef ENGINE_ANALYSIS_RUN_PARTS_H
#define ENGINE_ANALYSIS_RUN_PARTS_H

#include "engine/analysis/run_comparison.h"
#include "engine/plan/option.h"

/* ---- run_match.c ---- */

/* Which workload of the other run is the same as each of the baseline's; SIZE_MAX: none. Heap, an
 * entry a workload of the baseline. -ENOMEM. */
MUST_CHECK int run_match_workloads(const struct cells *baseline, const struct cells *other,
				   size_t **ret_partners);

/* The other run's cell that is the same as one with samples of the baseline, the workload's partner
 * being known. NULL in *ret_cell: none, or none with samples. -ENOMEM. */
MUST_CHECK int run_match_cell(const struct cells *baseline, const struct cell *cell,
			      const struct cells *other, size_t workload,
			      const struct cell **ret_cell);

/* The value of an option as a part of a sample's workload has it, in the words of a level ("not
 * given" where there is none and no default); heap. NULL in *ret_text: not known. -ENOMEM. */
MUST_CHECK int run_option_text(const struct sample *sample, size_t part,
			       const struct option *option, char **ret_text);

bool run_option_is_factor(const struct definition *definition, enum option_id id);
/* Says nothing of what is done: names, paths, seeds, what is told. */
bool run_option_is_label(enum option_id id);

/* The first sample that a workload has; NULL. */
const struct sample *run_workload_sample(const struct cells *cells, size_t workload);

/* ---- run_ratios.c ---- */

/* Fills in a pair's ratios, without Holm's procedure. -ENOMEM. */
MUST_CHECK int run_ratios_make(struct run_pair *pair);
/* Holm's procedure and the verdicts, over all pairs; counts them. -ENOMEM. */
MUST_CHECK int run_ratios_judge(struct run_comparison *comparison);

/* ---- run_differences.c, once the pairs are there ---- */
MUST_CHECK int run_differences_make(struct run_comparison *comparison);
/* Options that say what is asked for, workload by workload (run_settings.c). */
MUST_CHECK int run_settings_make(struct run_comparison *comparison);
/* Adds one where the values of the runs are not all the same; NULL: not known. Texts are copied. */
struct run_difference_words {
	enum run_difference_kind kind;
	const char *name, *workload;
	bool unfair;	 /* where two that are known differ */
	const char *why; /* static */
};
MUST_CHECK int run_difference_add(struct run_comparison *comparison,
				  const struct run_difference_words *words,
				  const char *const *values);

#endif
