/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * definition.c - see definition.h.
 *
 * Whose fault it is that a combination does not complete is found by trying: the first option of
 * the override, else the first factor, without which this error would not be is to blame; else the
 * place where the option that the error names was given.
 */
#include "engine/plan/definition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/plan/data_files.h"
#include "engine/plan/file_phases.h"

const char *const definition_order_names[] = {"interleaved", "grouped", NULL};

void definition_init(struct definition *definition)
{
	memset(definition, 0, sizeof(*definition));
	definition->repeats = 1;
}

void definition_done(struct definition *definition)
{
	free(definition->name);
	free(definition->description);
	for (size_t i = 0; i < definition->target_count; i++)
		target_spec_done(&definition->targets[i]);
	free(definition->targets);
	for (size_t i = 0; i < definition->factor_count; i++) {
		struct factor *factor = &definition->factors[i];

		free(factor->name);
		for (size_t level = 0; level < factor->level_count; level++)
			free(factor->levels[level]);
		free(factor->levels);
	}
	free(definition->factors);
	workload_done(&definition->defaults);
	for (size_t i = 0; i < definition->workload_count; i++)
		workload_done(&definition->workloads[i]);
	free(definition->workloads);
	workload_done(&definition->override);
	definition_init(definition);
}

const char *definition_target_pointer(const struct definition *definition, size_t target,
				      char buffer[DEFINITION_POINTER_MAX])
{
	if (definition->target_count == 1 && !definition->targets[0].name)
		(void)snprintf(buffer, DEFINITION_POINTER_MAX, "/target");
	else
		(void)snprintf(buffer, DEFINITION_POINTER_MAX, "/targets/%zu", target);
	return buffer;
}

size_t definition_level_target(const struct definition *definition, const size_t *levels)
{
	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];

		if (factor->kind != FACTOR_TARGET)
			continue;
		for (size_t target = 0; target < definition->target_count; target++)
			if (strcmp(definition->targets[target].name, factor->levels[levels[i]]) ==
			    0)
				return target;
	}
	return 0;
}

/* ---- composing ---- */

#define NO_PART SIZE_MAX

/* What to leave out, to see whether it is to blame. */
struct without {
	int override;  /* an option_id, or -1 */
	size_t factor; /* an index, or SIZE_MAX */
};

static const struct without nothing = {-1, SIZE_MAX};

static int lay_level(const struct factor *factor, size_t level, struct workload *workload,
		     struct error *err)
{
	struct workload over;
	int r;

	workload_init(&over);
	r = option_parse(factor->option, factor->levels[level], &over, err);
	if (r == 0)
		r = workload_overlay(workload, &over);
	workload_done(&over);
	return r;
}

static int lay_override(const struct definition *definition, int without, struct workload *workload)
{
	struct workload over;
	int r;

	if (without < 0)
		return workload_overlay(workload, &definition->override);
	r = workload_copy(&definition->override, &over);
	if (r < 0)
		return r;
	workload_unset(&over, (enum option_id)without);
	r = workload_overlay(workload, &over);
	workload_done(&over);
	return r;
}

/* A cell to be made, and what of it fails. */
struct attempt {
	const struct definition *definition;
	size_t index; /* of the workload */
	const size_t *levels;
	const struct without *without;
	size_t part; /* that was at hand; NO_PART */
};

/* Defaults are for all workloads: what means nothing to one of metadata is left out there, and the
 * plan says so ("no_effect"). What is given to the workload itself, or by a level or override, is
 * not. */
static int lay_defaults(const struct definition *definition, const struct workload *own,
			struct workload *workload)
{
	const struct workload *defaults = &definition->defaults;

	if (!workload_is_set(own, OPTION_ID_METADATA) || workload_metadata(defaults))
		return workload_copy(defaults, workload);
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		int r = 0;

		if (workload_is_set(defaults, (enum option_id)id) &&
		    file_phases_takes((enum option_id)id))
			r = option_copy(option_at((enum option_id)id), defaults, workload);
		if (r < 0)
			return r;
	}
	workload->from_fio = defaults->from_fio;
	return 0;
}

/* Workload, part and levels laid over each other; *workload is the caller's to end, also on
 * failure. */
static int lay(const struct attempt *at, size_t part, struct workload *workload, struct error *err)
{
	const struct definition *definition = at->definition;
	const struct workload *own = &definition->workloads[at->index];
	int r;

	r = lay_defaults(definition, own, workload);
	if (r == 0)
		r = workload_overlay(workload, own);
	if (r == 0 && own->part_count > 0)
		r = workload_overlay(workload, &own->parts[part]);
	for (size_t i = 0; i < definition->factor_count && r == 0; i++)
		if (definition->factors[i].option && i != at->without->factor)
			r = lay_level(&definition->factors[i], at->levels[i], workload, err);
	if (r == 0)
		r = lay_override(definition, at->without->override, workload);
	return r == -ENOMEM ? error_no_memory(err) : r;
}

static int check_against_target(const struct definition *definition, const size_t *levels,
				const struct workload *workload, struct error *err)
{
	const struct target_spec *target =
		&definition->targets[definition_level_target(definition, levels)];

	if (workload_metadata(workload)) {
		if (target_kind_has_files(target->kind) && !target->existing)
			return 0;
		return error_set(err, ERROR_CONFLICT, "metadata",
				 "a metadata workload makes files of its own: its target is a "
				 "\"directory\" or \"dataset\", not %s%s",
				 target->existing ? "an existing " : "a ",
				 target_kind_names[target->kind]);
	}
	if (data_files_given(workload) && !target_kind_has_files(target->kind))
		return error_set(err, ERROR_CONFLICT,
				 workload->nrfiles > 1 ? "nrfiles" : "filesize",
				 "nrfiles and filesize are for files in a \"directory\" or "
				 "\"dataset\"; the target is a %s",
				 target_kind_names[target->kind]);
	if (target->existing && (workload_writes(workload) || workload_trims(workload)))
		return error_set(err, ERROR_CONFLICT, "rw",
				 "rw=%s %s, but the target is \"existing\", which is only ever "
				 "read",
				 workload_rw_choices[workload->rw],
				 workload_writes(workload) ? "writes" : "trims");
	if (workload->size == 0 && target->kind != TARGET_DEVICE && !target->existing &&
	    !(target->kind == TARGET_ZVOL && target->size_bytes > 0))
		return error_set(
			err, ERROR_MISSING_FIELD, "size",
			"size is needed: the bytes of the %s that each job works in, as in "
			"\"size\": \"1G\"",
			target_kind_names[target->kind]);
	return 0;
}

/* One part, completed; the caller's to end, also on failure. */
static int lay_part(struct attempt *at, size_t part, bool target, struct workload *workload,
		    struct error *err)
{
	int r;

	at->part = part;
	r = lay(at, part, workload, err);
	if (r == 0)
		r = workload_complete(workload, err);
	if (r == 0 && target)
		r = check_against_target(at->definition, at->levels, workload, err);
	return r;
}

static int lay_together(struct attempt *at, bool target, struct workload *workload,
			struct error *err)
{
	const struct workload *own = &at->definition->workloads[at->index];
	struct workload part;
	int r = 0;

	if (own->name)
		r = option_copy(option_at(OPTION_ID_NAME), own, workload);
	for (size_t i = 0; i < own->part_count && r == 0; i++) {
		workload_init(&part);
		r = lay_part(at, i, target, &part, err);
		if (r == 0)
			r = workload_add_part(workload, &part);
		workload_done(&part);
	}
	if (r == 0)
		r = workload_join(workload, &at->part, err);
	return r == -ENOMEM ? error_no_memory(err) : r;
}

/* target: checked against it as well. */
static int try_cell(struct attempt *at, bool target, struct workload *ret_workload,
		    struct error *err)
{
	struct workload workload;
	int r;

	workload_init(&workload);
	if (at->definition->workloads[at->index].part_count > 0)
		r = lay_together(at, target, &workload, err);
	else
		r = lay_part(at, 0, target, &workload, err);
	if (r < 0 || !ret_workload)
		workload_done(&workload);
	else
		*ret_workload = workload;
	return r;
}

/* The job to be asked for an option: the one at hand, else the first that gives it; NULL. */
static const struct workload *giver(const struct workload *workload, size_t *part,
				    enum option_id id)
{
	for (size_t i = 0; *part == NO_PART && i < workload->part_count; i++)
		if (workload_is_set(&workload->parts[i], id))
			*part = i;
	if (*part >= workload->part_count || !workload_is_set(&workload->parts[*part], id))
		return NULL;
	return &workload->parts[*part];
}

static const char *locate(const struct definition *definition, size_t index, size_t part,
			  const size_t *levels, const struct option *option,
			  char buffer[DEFINITION_POINTER_MAX])
{
	const struct workload *workload = &definition->workloads[index], *job;
	const size_t size = DEFINITION_POINTER_MAX;

	(void)snprintf(buffer, size, "/workloads/%zu", index);
	if (!option)
		return buffer;
	if (workload_is_set(&definition->override, option->id)) {
		(void)snprintf(buffer, size, "/override/%s", option->name);
		return buffer;
	}
	for (size_t i = 0; i < definition->factor_count; i++) {
		if (definition->factors[i].option != option)
			continue;
		(void)snprintf(buffer, size, "/factors/%s/%zu", option->name, levels[i]);
		return buffer;
	}
	job = giver(workload, &part, option->id);
	if (job)
		(void)snprintf(buffer, size, "/workloads/%zu/jobs/%zu/%s", index, part,
			       job->from_fio ? "fio" : option->name);
	else if (workload->from_fio)
		(void)snprintf(buffer, size, "/workloads/%zu/fio", index);
	else if (workload_is_set(workload, option->id))
		(void)snprintf(buffer, size, "/workloads/%zu/%s", index, option->name);
	else if (workload_is_set(&definition->defaults, option->id))
		(void)snprintf(buffer, size, "/defaults/%s", option->name);
	return buffer;
}

const char *definition_locate(const struct definition *definition, size_t workload,
			      const size_t *levels, const struct option *option,
			      char buffer[DEFINITION_POINTER_MAX])
{
	return locate(definition, workload, NO_PART, levels, option, buffer);
}

/* Whether the cell's error is another one, or none, where something is left out. */
static bool mends(const struct attempt *failed, const struct without *without,
		  const struct error *err)
{
	struct attempt at = *failed;
	struct error other;

	at.without = without;
	return try_cell(&at, true, NULL, &other) == 0 || other.code != err->code ||
	       strcmp(other.field, err->field) != 0;
}

/* What is missing belongs into the job or the workload, unless that is a command line. */
static void locate_missing(const struct attempt *at, const struct option *option,
			   char where[DEFINITION_POINTER_MAX])
{
	const struct workload *workload = &at->definition->workloads[at->index];
	const size_t size = DEFINITION_POINTER_MAX;

	if (workload->part_count == 0 && !workload->from_fio)
		(void)snprintf(where, size, "/workloads/%zu/%s", at->index, option->name);
	else if (workload->part_count > 0)
		(void)snprintf(where, size, "/workloads/%zu/jobs/%zu/%s", at->index, at->part,
			       workload->parts[at->part].from_fio ? "fio" : option->name);
}

/* Puts into err->field who is to blame that the cell does not complete. */
static void blame(const struct attempt *at, struct error *err)
{
	const struct definition *definition = at->definition;
	const struct option *named = option_find(err->field);
	struct without without = nothing;
	char where[DEFINITION_POINTER_MAX];

	if (named && workload_is_set(&definition->override, named->id))
		goto named;
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		if (!workload_is_set(&definition->override, (enum option_id)id))
			continue;
		without.override = id;
		if (!mends(at, &without, err))
			continue;
		(void)snprintf(err->field, sizeof(err->field), "/override/%s",
			       option_at((enum option_id)id)->name);
		return;
	}
	without.override = -1;
	for (size_t i = 0; i < definition->factor_count; i++) {
		if (!definition->factors[i].option)
			continue;
		without.factor = i;
		if (!mends(at, &without, err))
			continue;
		(void)snprintf(err->field, sizeof(err->field), "/factors/%s/%zu",
			       definition->factors[i].name, at->levels[i]);
		return;
	}
named:
	(void)locate(definition, at->index, at->part, at->levels, named, where);
	if (named && err->code == ERROR_MISSING_FIELD)
		locate_missing(at, named, where);
	memcpy(err->field, where, sizeof(where));
}

int definition_options(const struct definition *definition, size_t workload, const size_t *levels,
		       struct workload *ret_options)
{
	struct attempt at = {definition, workload, levels, &nothing, NO_PART};

	return try_cell(&at, false, ret_options, NULL);
}

char *definition_levels_text(const struct definition *definition, const size_t *levels)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < definition->factor_count; i++)
		(void)fprintf(out, "%s%s=%s", i ? ", " : "", definition->factors[i].name,
			      definition->factors[i].levels[levels[i]]);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

int definition_compose(const struct definition *definition, size_t workload, const size_t *levels,
		       struct workload *ret_options, struct error *err)
{
	struct attempt at = {definition, workload, levels, &nothing, NO_PART};
	struct error found = {0};
	int r = try_cell(&at, true, ret_options, &found);

	if (r == 0)
		return 0;
	if (r != -ENOMEM)
		blame(&at, &found);
	if (err)
		*err = found;
	return r;
}

void definition_draw_seed(struct definition *definition)
{
	uint64_t seed;

	if (definition->seed_given)
		return;
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = clock_now_ns() << 11; /* only while a machine boots */
	definition->seed = seed >> 11;
	definition->seed_given = true;
}

uint64_t definition_samples(const struct definition *definition)
{
	uint64_t samples = definition->workload_count * definition->repeats;

	/* At most 64 x 100 x 64^8 within the limits of each: fits. */
	for (size_t i = 0; i < definition->factor_count; i++)
		samples *= definition->factors[i].level_count;
	return samples;
}

bool definition_next_levels(const struct definition *definition, size_t *levels)
{
	for (size_t i = definition->factor_count; i-- > 0;) {
		if (++levels[i] < definition->factors[i].level_count)
			return true;
		levels[i] = 0;
	}
	return false;
}
