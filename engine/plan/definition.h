/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition.h - what is to be compared: targets, factors, workloads, repeats.
 *
 * Filled by server/codec/definition.c from JSON or fio_job.c from an fio job file, checked by
 * definition_check(), immutable once accepted. All strings are heap and owned by the definition.
 */
#ifndef ENGINE_PLAN_DEFINITION_H
#define ENGINE_PLAN_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/plan/target_spec.h"
#include "engine/plan/workload.h"

/* Limits; each has a test at it and one above it. */
#define DEFINITION_NAME_MAX 128	 /* bytes of a name or label */
#define DEFINITION_TEXT_MAX 2000 /* bytes of a description */
#define DEFINITION_TARGETS_MAX 16
#define DEFINITION_FACTORS_MAX 8
#define DEFINITION_LEVELS_MAX 64
#define DEFINITION_WORKLOADS_MAX 64
#define DEFINITION_JOBS_MAX 64 /* named jobs of one workload */
#define DEFINITION_REPEATS_MAX 100
#define DEFINITION_WEIGHT_MIN 0.001
#define DEFINITION_WEIGHT_MAX 1000.0
#define DEFINITION_SAMPLES_MAX 10000
#define DEFINITION_PARTS_MAX 50000   /* named jobs of all samples together */
#define DEFINITION_INSTANCES_MAX 256 /* zvols and datasets */

/* FACTOR_PROPERTY: of the zvols and datasets the run makes, one for each combination of levels.
 * FACTOR_LABEL: only of imported results, whose levels are what somebody called them. */
enum factor_kind { FACTOR_OPTION, FACTOR_TARGET, FACTOR_PROPERTY, FACTOR_LABEL };

struct factor {
	char *name; /* an option's name, "target", or a property's name */
	enum factor_kind kind;
	const struct option *option; /* FACTOR_OPTION, else NULL */
	size_t level_count;
	char **levels; /* as shown: canonical text of the option, target names, or values */
};

enum sample_order { ORDER_INTERLEAVED, ORDER_GROUPED };

extern const char *const definition_order_names[]; /* "interleaved", "grouped", NULL */

struct definition {
	char *name;
	char *description; /* or NULL */
	size_t target_count;
	struct target_spec *targets;
	size_t factor_count;
	struct factor *factors; /* the first is the chart's axis */
	struct workload defaults;
	size_t workload_count;
	/* each with its name; options as given, not completed; its parts are its "jobs" */
	struct workload *workloads;
	struct workload override; /* laid over all else */
	unsigned int repeats;	  /* at most, where until_ci_percent is given */
	/* Repeats end early, after repeats_min at the least, once the differences between levels
	 * are known this well (repeats.h); 0: as many as `repeats`. */
	double until_ci_percent;
	unsigned int repeats_min;
	enum sample_order order;
	uint64_t seed;
	bool seed_given;
	/* What a result that was imported is of: it has no target, factors may be labels, options
	 * are only those that are known, and nothing of it can be run. */
	bool imported;
};

#define DEFINITION_POINTER_MAX 192 /* of the pointers made here: names of options, numbers */

/* All zero but repeats 1; definition_done frees what it holds. */
void definition_init(struct definition *definition);
void definition_done(struct definition *definition);

/*
 * What can be checked without a target: names unique and printable, counts within the limits,
 * levels distinct, every combination completes (definition_compose).
 *
 * It also completes what may be left out:
 * - a workload without a name is called by its pattern ("randread", "randread-2"), so is a job, and
 *   a workload with jobs by theirs ("readers+logger");
 * - where there is no target, the filename or directory that all workloads share becomes it (both:
 *   a file in that directory; below /dev a device), and is an option no longer;
 * - named targets become the factor "target", the last one unless the definition has placed it
 *   among the factors with every name as a level;
 * - levels become canonical text ("4096" is "4k"), properties and their levels as well ("16K").
 *
 * Of an imported one neither a target nor what combinations complete to is asked
 * (definition_imported.h says what its factors are).
 *
 * Pointers are those of the JSON document ("/workloads/0/bs", "/factors/iodepth/1").
 */
MUST_CHECK int definition_check(struct definition *definition, struct error *err);

/*
 * The options of one cell: defaults < workload < job < levels < override, completed, together
 * where it has jobs (workload_join), and checked against the cell's target: an existing one is only
 * read; a file or directory to make needs a size. (Without a size the jobs share a device or an
 * existing file: plan_resolve in plan.h.) levels has an index a factor. The error's field points to
 * who is to blame: an option of the override or a level without which it would not be, else where
 * the option was given.
 */
MUST_CHECK int definition_compose(const struct definition *definition, size_t workload,
				  const size_t *levels, struct workload *ret_options,
				  struct error *err);

/* The same without looking at the target, and without finding who is to blame: for cells that were
 * to be measured and were not. -EINVAL where the options do not go together; -ENOMEM. */
MUST_CHECK int definition_options(const struct definition *definition, size_t workload,
				  const size_t *levels, struct workload *ret_options);

/* "bs=4k, iodepth=16": one level index a factor; "" without factors. Heap; NULL: no memory. */
char *definition_levels_text(const struct definition *definition, const size_t *levels);

/* Draws a seed where none was given: one that any JSON reader keeps exact. */
void definition_draw_seed(struct definition *definition);

/* Where the value that an option has in a cell was given: "/override/bs", "/factors/bs/2",
 * "/workloads/0/jobs/1/bs", "/workloads/0/bs" (or ".../fio"), "/defaults/bs"; "/workloads/0" where
 * it was given nowhere, and for no option (NULL). Of jobs the first that gives it. Returns buffer.
 */
const char *definition_locate(const struct definition *definition, size_t workload,
			      const size_t *levels, const struct option *option,
			      char buffer[DEFINITION_POINTER_MAX]);

/* The next combination, the last factor running fastest; false behind the last (levels is then all
 * 0 again). */
bool definition_next_levels(const struct definition *definition, size_t *levels);

/* How many samples a checked definition makes: workloads x levels x repeats. */
uint64_t definition_samples(const struct definition *definition);

/* Index of the target that the levels choose; 0 where targets are not compared. */
size_t definition_level_target(const struct definition *definition, const size_t *levels);

/* "/target", or "/targets/2" where they are named. Returns buffer. */
const char *definition_target_pointer(const struct definition *definition, size_t target,
				      char buffer[DEFINITION_POINTER_MAX]);

#endif
