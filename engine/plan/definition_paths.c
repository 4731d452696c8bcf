/* SPDX-License-Identifier: GPL-3.0-or-later */
/* definition_paths.c - see definition_paths.h. */
#include "engine/plan/definition_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a job's, or a workload's, own word on the target stands, for a pointer; NULL: nowhere. part
 * is passed over where the workload has no jobs. */
static const struct workload *path_layer(const struct definition *definition, size_t index,
					 size_t part, enum option_id id, char *pointer, size_t size)
{
	const struct workload *workload = &definition->workloads[index];
	const struct workload *job = workload_part(workload, part);
	const char *name = option_at(id)->name;

	if (workload_is_set(&definition->override, id)) {
		(void)snprintf(pointer, size, "/override/%s", name);
		return &definition->override;
	}
	if (job != workload && workload_is_set(job, id)) {
		(void)snprintf(pointer, size, "/workloads/%zu/jobs/%zu/%s", index, part,
			       job->from_fio ? "fio" : name);
		return job;
	}
	if (workload_is_set(workload, id)) {
		(void)snprintf(pointer, size, "/workloads/%zu/%s", index,
			       workload->from_fio ? "fio" : name);
		return workload;
	}
	(void)snprintf(pointer, size, "/defaults/%s", name);
	return workload_is_set(&definition->defaults, id) ? &definition->defaults : NULL;
}

struct path_words {
	const char *filename, *directory; /* NULL: not given */
	char pointer[DEFINITION_POINTER_MAX];
};

static void path_words(const struct definition *definition, size_t index, size_t part,
		       struct path_words *words)
{
	char where[DEFINITION_POINTER_MAX];
	const struct workload *layer;

	layer = path_layer(definition, index, part, OPTION_ID_DIRECTORY, where, sizeof(where));
	words->directory = layer ? layer->directory : NULL;
	layer = path_layer(definition, index, part, OPTION_ID_FILENAME, words->pointer,
			   sizeof(words->pointer));
	words->filename = layer ? layer->filename : NULL;
	if (!words->filename)
		memcpy(words->pointer, where, sizeof(where));
}

static bool same(const char *a, const char *b)
{
	return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

/* What fio makes of the two: a file in a directory, a file, or a file a job in a directory. */
static int make_target(const struct path_words *words, struct target_spec *target,
		       struct error *err)
{
	const char *path = words->filename ? words->filename : words->directory;

	if (words->filename && strchr(words->filename, ':'))
		return error_set(err, ERROR_UNSUPPORTED, words->pointer,
				 "\":\" in filename means several files to fio, which is not "
				 "supported; give the definition a target instead");
	if (words->filename && words->directory) {
		if (*words->filename == '/')
			return error_set(err, ERROR_CONFLICT, words->pointer,
					 "with directory, filename is a name in it, not a path of "
					 "its own");
		if (asprintf(&target->path, "%s/%s", words->directory, words->filename) < 0)
			target->path = NULL;
	} else {
		target->path = strdup(path);
	}
	if (!target->path)
		return error_no_memory(err);
	target->kind = words->filename ? TARGET_FILE : TARGET_DIRECTORY;
	if (strcmp(target->path, "/dev/zero") == 0)
		target->existing = true; /* the one character device there is, and only read */
	else if (strncmp(target->path, "/dev/", 5) == 0 &&
		 strncmp(target->path, "/dev/shm/", 9) != 0)
		target->kind = TARGET_DEVICE;
	if (*target->path != '/')
		return error_set(err, ERROR_BAD_VALUE, words->pointer,
				 "give the whole path, beginning with \"/\"");
	return 0;
}

static void drop_paths(struct workload *workload)
{
	free(workload->filename);
	free(workload->directory);
	workload->filename = NULL;
	workload->directory = NULL;
	workload_unset(workload, OPTION_ID_FILENAME);
	workload_unset(workload, OPTION_ID_DIRECTORY);
}

static void drop_all_paths(struct definition *definition)
{
	drop_paths(&definition->defaults);
	drop_paths(&definition->override);
	for (size_t i = 0; i < definition->workload_count; i++) {
		struct workload *workload = &definition->workloads[i];

		drop_paths(workload);
		for (size_t part = 0; part < workload->part_count; part++)
			drop_paths(&workload->parts[part]);
	}
}

/* A job's words against the first one's, and against a target. */
static int check_words(const struct definition *definition, size_t index, size_t part,
		       const struct path_words *first, struct error *err)
{
	struct path_words words;

	path_words(definition, index, part, &words);
	if (definition->target_count > 0 && (words.filename || words.directory))
		return error_set(err, ERROR_CONFLICT, words.pointer,
				 "the definition has a target; leave out filename and directory");
	if (same(words.filename, first->filename) && same(words.directory, first->directory))
		return 0;
	return error_set(err, ERROR_CONFLICT,
			 words.filename || words.directory ? words.pointer : first->pointer,
			 "all workloads of a definition share one filename or directory; to "
			 "compare several, give \"targets\"");
}

int definition_adopt_paths(struct definition *definition, struct error *err)
{
	struct path_words first;
	int r = 0;

	path_words(definition, 0, 0, &first);
	for (size_t i = 0; i < definition->workload_count; i++) {
		size_t parts = workload_parts(&definition->workloads[i]);

		for (size_t part = 0; part < parts && r == 0; part++)
			r = check_words(definition, i, part, &first, err);
	}
	if (r < 0)
		return r;
	if (definition->target_count > 0)
		return 0;
	if (!first.filename && !first.directory)
		return error_set(err, ERROR_MISSING_FIELD, "/target",
				 "a target is needed, as in {\"file\": \"/tank/scratch\"}");
	definition->targets = calloc(1, sizeof(*definition->targets));
	if (!definition->targets)
		return error_no_memory(err);
	definition->target_count = 1;
	r = make_target(&first, &definition->targets[0], err);
	if (r < 0)
		return r;
	drop_all_paths(definition);
	return 0;
}

int definition_place_target(struct definition *definition, const char *text, struct error *err)
{
	enum target_kind kind;
	const char *path = target_kind_parse(text, &kind);
	struct target_spec *target;

	if (!path)
		return error_set(
			err, ERROR_BAD_PARAMETER, "",
			"a target is file:PATH, directory:PATH, device:PATH, zvol:PARENT or "
			"dataset:PARENT, not \"%.60s\"",
			text);
	target = calloc(1, sizeof(*target));
	if (!target)
		return error_no_memory(err);
	definition->targets = target;
	definition->target_count = 1;
	target->kind = kind;
	target->path = strdup(path);
	if (!target->path)
		return error_no_memory(err);
	drop_all_paths(definition);
	return 0;
}
