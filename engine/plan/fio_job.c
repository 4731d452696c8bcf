/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_job.c - fio_job_read() of fio_job.h: what the lines (fio_job_lines.c) make when they are put
 * together. The checks are those of every definition; here the line of what is wrong is told.
 */
#include "engine/plan/fio_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/definition_paths.h"
#include "engine/plan/fio_job_lines.h"

bool fio_job_is(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] > ' ')
			return strchr("[;#", text[i]) != NULL;
	return false;
}

static unsigned int line_of(const struct fio_job_section *section, enum option_id id)
{
	return section->lines[id] ? section->lines[id] : section->line;
}

/* Jobs that fio would run at the same time. */
static int check_order(const struct fio_job_file *file, struct error *err)
{
	const struct definition *definition = file->definition;
	char first[TEXT_EXCERPT_MAX], second[TEXT_EXCERPT_MAX];

	if (definition->workload_count == 0)
		return error_set(err, ERROR_MISSING_FIELD, "",
				 "the file has no job: a section [name] besides [global]");
	for (size_t i = 1; i < definition->workload_count; i++)
		if (!file->jobs[i].stonewall)
			return error_set(
				err, ERROR_UNSUPPORTED, "",
				"line %u: fio would run [%s] at the same time as [%s], but "
				"workloads are measured one after another: put stonewall into each "
				"of them, or once into [global]",
				file->jobs[i].line,
				text_excerpt(definition->workloads[i].name, second),
				text_excerpt(definition->workloads[i - 1].name, first));
	return 0;
}

static int set_override(struct definition *definition, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	const struct option *option;
	char name[64], field[ERROR_FIELD_MAX];
	int r;

	if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "an override is OPTION=VALUE, as in size=1G, not \"%.60s\"", text);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	(void)snprintf(field, sizeof(field), "/override/%s", name);
	option = option_find(name);
	if (!option || option->id == OPTION_ID_NAME)
		return error_set(err, ERROR_UNKNOWN_FIELD, field,
				 "there is no such option of every workload");
	r = option_parse(option, equals + 1, &definition->override, err);
	if (r == -EINVAL)
		memcpy(err->field, field, sizeof(field));
	return r;
}

/* What the caller says beside the file. */
static int amend(struct fio_job_file *file, struct error *err)
{
	const struct fio_job_request *request = file->request;
	struct definition *definition = file->definition;
	int r = 0;

	definition->repeats = request->repeats ? request->repeats : 1;
	definition->order = definition->repeats == 1 ? ORDER_GROUPED : ORDER_INTERLEAVED;
	definition->name = strdup(request->name);
	if (!definition->name)
		return error_no_memory(err);
	for (size_t i = 0; i < request->override_count && r == 0; i++)
		r = set_override(definition, request->overrides[i], err);
	if (r == 0 && request->target)
		r = definition_place_target(definition, request->target, err);
	return r;
}

/* Each job by itself, while the line of what is wrong can be told. */
static int check_jobs(const struct fio_job_file *file, struct error *err)
{
	const struct definition *definition = file->definition;
	int r = 0;

	for (size_t i = 0; i < definition->workload_count && r == 0; i++) {
		const struct option *option;
		struct workload workload;
		char field[ERROR_FIELD_MAX];

		r = workload_copy(&definition->workloads[i], &workload);
		if (r < 0)
			return error_no_memory(err);
		r = workload_overlay(&workload, &definition->override);
		if (r == 0)
			r = workload_complete(&workload, err);
		else
			r = error_no_memory(err);
		workload_done(&workload);
		if (r != -EINVAL)
			continue;
		option = option_find(err->field);
		if (option && workload_is_set(&definition->override, option->id)) {
			(void)snprintf(field, sizeof(field), "/override/%s", option->name);
			memcpy(err->field, field, sizeof(field));
		} else {
			r = fio_job_at_line(option ? line_of(&file->jobs[i], option->id)
						   : file->jobs[i].line,
					    r, err);
		}
	}
	return r;
}

/* The job that a pointer of definition_check() means; SIZE_MAX: none. */
static size_t blamed_job(const struct fio_job_file *file, const char *pointer)
{
	unsigned long index;

	if (strncmp(pointer, "/workloads/", 11) != 0)
		return SIZE_MAX;
	index = strtoul(pointer + 11, NULL, 10);
	return index < file->definition->workload_count ? index : SIZE_MAX;
}

/* Where the target was said: a job's filename, else its directory. */
static int at_path(const struct fio_job_file *file, size_t job, int r, struct error *err)
{
	const struct fio_job_section *section = &file->jobs[job];
	unsigned int line = section->lines[OPTION_ID_FILENAME];

	return fio_job_at_line(line ? line : line_of(section, OPTION_ID_DIRECTORY), r, err);
}

static int adopt_paths(const struct fio_job_file *file, struct error *err)
{
	const struct definition *definition = file->definition;
	int r = definition_adopt_paths(file->definition, err);
	size_t job;

	if (r != -EINVAL)
		return r;
	if (err->code == ERROR_MISSING_FIELD)
		return error_set(err, ERROR_MISSING_FIELD, "",
				 "no job has a filename or directory: write one into [global], or "
				 "give a target beside the file");
	job = blamed_job(file, err->field);
	if (job == SIZE_MAX || (!workload_is_set(&definition->workloads[job], OPTION_ID_FILENAME) &&
				!workload_is_set(&definition->workloads[job], OPTION_ID_DIRECTORY)))
		return r;
	return at_path(file, job, r, err);
}

/* definition_check() speaks of a JSON document; here it is the file. */
static int check_whole(const struct fio_job_file *file, struct error *err)
{
	struct definition *definition = file->definition;
	char text[ERROR_MESSAGE_MAX];
	int r = definition_check(definition, err);
	size_t job;

	if (r != -EINVAL)
		return r;
	memcpy(text, err->message, sizeof(text));
	job = blamed_job(file, err->field);
	if (job != SIZE_MAX && err->code == ERROR_MISSING_FIELD)
		return error_set(err, err->code, "",
				 "line %u: [%s] needs a size: the bytes that each of its jobs "
				 "works in, as in size=1g",
				 file->jobs[job].line, definition->workloads[job].name);
	if (job != SIZE_MAX)
		return fio_job_at_line(file->jobs[job].line, r, err);
	if (strncmp(err->field, "/target", 7) == 0 && !file->request->target)
		return at_path(file, 0, r, err);
	if (strncmp(err->field, "/override/", 10) == 0)
		return r;
	return error_set(err, err->code, "", "%s: %s",
			 strncmp(err->field, "/target", 7) == 0 ? "target" : err->field + 1, text);
}

static int read_file(struct fio_job_file *file, struct error *err)
{
	int r = fio_job_read_lines(file, err);

	if (r == 0)
		r = check_order(file, err);
	if (r == 0)
		r = amend(file, err);
	if (r == 0)
		r = check_jobs(file, err);
	if (r == 0)
		r = adopt_paths(file, err);
	if (r == 0)
		r = check_whole(file, err);
	return r;
}

int fio_job_read(const struct fio_job_request *request, struct definition *definition,
		 struct error *err)
{
	struct fio_job_file *file = calloc(1, sizeof(*file));
	struct error found = {.code = ERROR_NONE};
	int r = -ENOMEM;

	definition->workloads = calloc(DEFINITION_WORKLOADS_MAX, sizeof(*definition->workloads));
	if (file && definition->workloads) {
		file->request = request;
		file->definition = definition;
		r = read_file(file, &found);
		workload_done(&file->global.options);
		workload_done(&file->own.options);
	} else {
		r = error_no_memory(&found);
	}
	free(file);
	if (r == 0) {
		definition_draw_seed(definition);
		return 0;
	}
	definition_done(definition);
	if (err)
		*err = found;
	return r;
}
