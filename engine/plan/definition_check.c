/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_check.c - definition_check() of definition.h: what can be known without a target. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/definition.h"
#include "engine/plan/definition_factors.h"
#include "engine/plan/definition_imported.h"
#include "engine/plan/definition_made.h"
#include "engine/plan/definition_paths.h"
#include "engine/plan/repeats.h"

#define PATH_BYTES_MAX 4000

/* ---- names ---- */

static int check_name(const char *name, const char *pointer, struct error *err)
{
	if (!name)
		return error_set(err, ERROR_MISSING_FIELD, pointer, "a name is needed");
	if (*name == '\0' || strlen(name) > DEFINITION_NAME_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, pointer,
				 "a name has 1 to %d bytes, not %zu", DEFINITION_NAME_MAX,
				 strlen(name));
	if (!text_printable(name))
		return error_set(err, ERROR_BAD_VALUE, pointer,
				 "a name holds no control characters and no marks that turn the "
				 "direction of writing");
	return 0;
}

static bool is_prose(const char *text)
{
	while (*text) {
		size_t length = text_character(text);

		if (length == 0 || ((unsigned char)*text < 0x20 && *text != '\n' && *text != '\t'))
			return false;
		text += length;
	}
	return true;
}

static int check_description(const char *text, struct error *err)
{
	if (!text)
		return 0;
	if (strlen(text) > DEFINITION_TEXT_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "/description",
				 "a description has at most %d bytes, not %zu", DEFINITION_TEXT_MAX,
				 strlen(text));
	if (!is_prose(text))
		return error_set(err, ERROR_BAD_VALUE, "/description",
				 "a description holds no control characters but line ends and "
				 "tabulators");
	return 0;
}

/* Workloads of a definition, or jobs of a workload: what is named each by itself. */
struct named {
	struct workload *list;
	size_t count;
	const struct workload *above[2]; /* where their pattern may be given else; NULL: nowhere */
	char pointer[64];
	const char *what; /* "workloads" */
};

static bool name_taken(const struct named *named, size_t but, const char *name)
{
	for (size_t i = 0; i < named->count; i++)
		if (i != but && named->list[i].name && strcmp(named->list[i].name, name) == 0)
			return true;
	return false;
}

/* A name for one that has none, with a number behind it where it is taken. */
static int give_name(struct named *named, size_t index, const char *wanted, struct error *err)
{
	char name[DEFINITION_NAME_MAX];

	(void)snprintf(name, sizeof(name), "%s", wanted);
	for (size_t n = 2; name_taken(named, index, name); n++)
		(void)snprintf(name, sizeof(name), "%s-%zu", wanted, n);
	return option_parse(option_at(OPTION_ID_NAME), name, &named->list[index], err);
}

static bool is_metadata(const struct named *named, size_t index)
{
	bool metadata = workload_metadata(&named->list[index]);

	for (size_t i = 0; i < 2 && named->above[i]; i++)
		metadata |= workload_metadata(named->above[i]);
	return metadata;
}

/* "randread", "metadata" */
static const char *pattern_of(const struct named *named, size_t index)
{
	const struct workload *from = &named->list[index];

	if (is_metadata(named, index))
		return "metadata";
	for (size_t i = 0; !workload_is_set(from, OPTION_ID_RW) && i < 2 && named->above[i]; i++)
		from = named->above[i];
	return workload_rw_choices[from->rw];
}

/* "readers+logger", where there is room for it; else the first and how many there are. */
static void join_names(const struct workload *workload, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < workload->part_count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? "+" : "",
					 workload->parts[i].name);
	if (used < size)
		return;
	if (snprintf(buffer, size, "%s+%zu", workload->parts[0].name, workload->part_count - 1) >=
	    (int)size)
		(void)snprintf(buffer, size, "%zu jobs", workload->part_count);
}

static int check_unique(const struct named *named, struct error *err)
{
	char pointer[DEFINITION_POINTER_MAX], quoted[TEXT_EXCERPT_MAX];

	for (size_t i = 0; i < named->count; i++) {
		const char *name = named->list[i].name;

		for (size_t k = 0; name && k < i; k++) {
			if (!named->list[k].name || strcmp(named->list[k].name, name) != 0)
				continue;
			(void)snprintf(pointer, sizeof(pointer), "%s/%zu/name", named->pointer, i);
			return error_set(err, ERROR_DUPLICATE, pointer,
					 "there are two %s named \"%s\"", named->what,
					 text_excerpt(name, quoted));
		}
	}
	return 0;
}

static int check_job_names(struct definition *definition, size_t index, struct error *err)
{
	struct workload *workload = &definition->workloads[index];
	struct named jobs = {.list = workload->parts,
			     .count = workload->part_count,
			     .above = {workload, &definition->defaults},
			     .what = "jobs"};
	int r;

	(void)snprintf(jobs.pointer, sizeof(jobs.pointer), "/workloads/%zu/jobs", index);
	if (jobs.count > DEFINITION_JOBS_MAX)
		return error_set(err, ERROR_TOO_MANY, jobs.pointer, "at most %d jobs, not %zu",
				 DEFINITION_JOBS_MAX, jobs.count);
	r = check_unique(&jobs, err);
	for (size_t i = 0; i < jobs.count && r == 0; i++)
		if (!workload->parts[i].name)
			r = give_name(&jobs, i, pattern_of(&jobs, i), err);
	return r;
}

static int check_workload_names(struct definition *definition, struct error *err)
{
	struct named workloads = {.list = definition->workloads,
				  .count = definition->workload_count,
				  .above = {&definition->defaults},
				  .pointer = "/workloads",
				  .what = "workloads"};
	int r = check_unique(&workloads, err);

	for (size_t i = 0; i < definition->workload_count && r == 0; i++)
		r = check_job_names(definition, i, err);
	for (size_t i = 0; i < definition->workload_count && r == 0; i++) {
		const struct workload *workload = &definition->workloads[i];
		char joined[56]; /* a number fits behind it: names have 64 bytes */

		if (workload->name)
			continue;
		join_names(workload, joined, sizeof(joined));
		r = give_name(&workloads, i,
			      workload->part_count ? joined : pattern_of(&workloads, i), err);
	}
	return r;
}

/* ---- targets ---- */

static int check_path(const struct target_spec *target, const char *pointer, struct error *err)
{
	char field[ERROR_FIELD_MAX];

	(void)snprintf(field, sizeof(field), "%s/%s", pointer, target_kind_names[target->kind]);
	if (*target->path != '/')
		return error_set(err, ERROR_BAD_VALUE, field,
				 "give the whole path, beginning with \"/\"");
	if (strlen(target->path) > PATH_BYTES_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, field, "a path has at most %d bytes",
				 PATH_BYTES_MAX);
	if (!text_printable(target->path))
		return error_set(err, ERROR_BAD_VALUE, field,
				 "the path holds a control character or is not UTF-8");
	return 0;
}

static int check_target_options(const struct target_spec *target, const char *pointer,
				struct error *err)
{
	char field[ERROR_FIELD_MAX];

	(void)snprintf(field, sizeof(field), "%s/existing", pointer);
	if (target->existing && target->kind == TARGET_DIRECTORY)
		return error_set(err, ERROR_CONFLICT, field,
				 "an existing file or device can be read; in a directory files are "
				 "always made");
	(void)snprintf(field, sizeof(field), "%s/fingerprint", pointer);
	if (target->fingerprint && target->kind != TARGET_DEVICE)
		return error_set(err, ERROR_CONFLICT, field, "only a device has a fingerprint");
	if (target->fingerprint && target->existing)
		return error_set(err, ERROR_CONFLICT, field,
				 "an existing device is only read; leave out the fingerprint");
	if (target->fingerprint && (!*target->fingerprint || strlen(target->fingerprint) > 255))
		return error_set(err, ERROR_OUT_OF_RANGE, field,
				 "a fingerprint has 1 to 255 bytes");
	if (target->fingerprint && !text_printable(target->fingerprint))
		return error_set(err, ERROR_BAD_VALUE, field,
				 "a fingerprint holds no control characters");
	return 0;
}

static int check_target_name(const struct definition *definition, size_t index, struct error *err)
{
	const char *name = definition->targets[index].name;
	char field[DEFINITION_POINTER_MAX];
	int r;

	(void)snprintf(field, sizeof(field), "/targets/%zu/name", index);
	r = check_name(name, field, err);
	for (size_t i = 0; i < index && r == 0; i++)
		if (strcmp(definition->targets[i].name, name) == 0)
			r = error_set(err, ERROR_DUPLICATE, field,
				      "there is another target of this name");
	return r;
}

/* Where it lies and what it is. */
static int check_target(struct target_spec *target, const char *pointer, struct error *err)
{
	int r;

	if (target_kind_is_zfs(target->kind))
		return definition_made_check_target(target, pointer, err);
	r = check_path(target, pointer, err);
	return r < 0 ? r : check_target_options(target, pointer, err);
}

/* Whether two targets may have one path: each is made in a place of its own, or only read. */
static bool may_share(const struct target_spec *target)
{
	return target->existing || target_kind_has_files(target->kind) ||
	       target_kind_is_zfs(target->kind);
}

static int check_targets(struct definition *definition, struct error *err)
{
	if (definition->target_count > DEFINITION_TARGETS_MAX)
		return error_set(err, ERROR_TOO_MANY, "/targets", "at most %d targets, not %zu",
				 DEFINITION_TARGETS_MAX, definition->target_count);
	for (size_t i = 0; i < definition->target_count; i++) {
		struct target_spec *target = &definition->targets[i];
		char pointer[DEFINITION_POINTER_MAX];
		int r = 0;

		(void)definition_target_pointer(definition, i, pointer);
		if (definition->target_count > 1 || target->name)
			r = check_target_name(definition, i, err);
		if (r == 0)
			r = check_target(target, pointer, err);
		for (size_t k = 0; k < i && r == 0; k++)
			if (!may_share(target) &&
			    strcmp(definition->targets[k].path, target->path) == 0)
				r = error_set(err, ERROR_DUPLICATE, pointer,
					      "another target has the same path");
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- the whole ---- */

static int check_counts(const struct definition *definition, struct error *err)
{
	uint64_t samples, parts = 0;

	int r = repeats_check(definition, err);

	if (r < 0)
		return r;
	samples = definition_samples(definition);
	if (samples > DEFINITION_SAMPLES_MAX)
		return error_set(err, ERROR_TOO_MANY, "/factors",
				 "workloads x levels x repeats makes %" PRIu64
				 " samples; at most %d",
				 samples, DEFINITION_SAMPLES_MAX);
	/* All workloads have as many samples. */
	for (size_t i = 0; i < definition->workload_count; i++)
		parts += samples / definition->workload_count * definition->workloads[i].part_count;
	if (parts > DEFINITION_PARTS_MAX)
		return error_set(err, ERROR_TOO_MANY, "/factors",
				 "jobs x levels x repeats makes %" PRIu64 " jobs; at most %d",
				 parts, DEFINITION_PARTS_MAX);
	return 0;
}

static int check_cells(const struct definition *definition, struct error *err)
{
	for (size_t i = 0; i < definition->workload_count; i++) {
		size_t levels[DEFINITION_FACTORS_MAX] = {0};

		do {
			struct workload options;
			int r = definition_compose(definition, i, levels, &options, err);

			if (r < 0)
				return r;
			workload_done(&options);
		} while (definition_next_levels(definition, levels));
	}
	return 0;
}

/* What is to be measured: where, and that every combination can be. */
static int check_places(struct definition *definition, struct error *err)
{
	int r = definition_adopt_paths(definition, err);

	return r < 0 ? r : check_targets(definition, err);
}

int definition_check(struct definition *definition, struct error *err)
{
	int r;

	r = check_name(definition->name, "/name", err);
	if (r == 0)
		r = check_description(definition->description, err);
	if (r < 0)
		return r;
	if (definition->workload_count == 0)
		return error_set(err, ERROR_MISSING_FIELD, "/workloads",
				 "a definition needs at least one workload");
	if (definition->workload_count > DEFINITION_WORKLOADS_MAX)
		return error_set(err, ERROR_TOO_MANY, "/workloads", "at most %d workloads, not %zu",
				 DEFINITION_WORKLOADS_MAX, definition->workload_count);
	r = check_workload_names(definition, err);
	if (r == 0)
		r = definition->imported ? definition_imported_check(definition, err)
					 : check_places(definition, err);
	if (r == 0)
		r = definition_check_factors(definition, err);
	if (r == 0)
		r = check_counts(definition, err);
	if (r < 0 || definition->imported)
		return r; /* its options are those that are known: none are completed */
	r = check_cells(definition, err);
	if (r == 0)
		r = definition_made_check_whole(definition, err);
	return r;
}
