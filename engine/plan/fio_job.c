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

/* Takes a section into the workload at the end of the list, as one of its jobs. */
static int join_section(struct workload *workload, struct workload *section)
{
	struct workload first;

	if (workload->part_count == 0) {
		first = *workload;
		workload_init(workload);
		if (workload_add_part(workload, &first) < 0) {
			workload_done(section);
			return -ENOMEM;
		}
	}
	return workload_add_part(workload, section);
}

/* Sections that run at the same time become the jobs of one workload. */
static int put_together(struct fio_job_file *file, struct error *err)
{
	struct definition *definition = file->definition;
	size_t sections = definition->workload_count, count = 0;
	int r = 0;

	if (sections == 0)
		return error_set(err, ERROR_MISSING_FIELD, "",
				 "the file has no job: a section [name] besides [global]");
	for (size_t i = 0; i < sections && r == 0; i++) {
		struct workload section = definition->workloads[i];

		workload_init(&definition->workloads[i]); /* it moves to the front, or into it */
		if (i > 0 && !file->jobs[i].stonewall) {
			r = join_section(&definition->workloads[count - 1], &section);
			continue;
		}
		file->first[count] = i;
		definition->workloads[count++] = section;
	}
	if (r < 0)
		return error_no_memory(err); /* the rest lies where it lay */
	definition->workload_count = count;
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

	if (request->repeats.most > 0)
		repeats_set(definition, &request->repeats);
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

/* What is wrong with a section, or with an option that is laid over all. */
static int tell_section(const struct fio_job_file *file, size_t section, int r, struct error *err)
{
	const struct option *option = option_find(err->field);
	char field[ERROR_FIELD_MAX];

	if (!option || !workload_is_set(&file->definition->override, option->id))
		return fio_job_at_line(option ? line_of(&file->jobs[section], option->id)
					      : file->jobs[section].line,
				       r, err);
	(void)snprintf(field, sizeof(field), "/override/%s", option->name);
	memcpy(err->field, field, sizeof(field));
	return r;
}

static int complete_section(const struct fio_job_file *file, const struct workload *section,
			    struct workload *workload, struct error *err)
{
	int r = workload_copy(section, workload);

	if (r == 0)
		r = workload_overlay(workload, &file->definition->override);
	return r < 0 ? error_no_memory(err) : workload_complete(workload, err);
}

/* Each job by itself, then those that run together, while the line of what is wrong can be told. */
static int check_jobs(const struct fio_job_file *file, size_t index, struct error *err)
{
	const struct workload *own = &file->definition->workloads[index];
	struct workload whole, workload;
	size_t part = 0;
	int r = 0;

	workload_init(&whole);
	for (size_t i = 0; i < workload_parts(own) && r == 0; i++) {
		workload_init(&workload);
		part = i;
		r = complete_section(file, workload_part(own, i), &workload, err);
		if (r == 0 && workload_add_part(&whole, &workload) < 0)
			r = error_no_memory(err);
		workload_done(&workload);
	}
	if (r == 0 && own->part_count > 0)
		r = workload_join(&whole, &part, err);
	workload_done(&whole);
	return r == -EINVAL ? tell_section(file, file->first[index] + part, r, err) : r;
}

/* The section that a pointer of definition_check() means; SIZE_MAX: none. */
static size_t blamed_job(const struct fio_job_file *file, const char *pointer)
{
	unsigned long index, part = 0;
	char *end;

	if (strncmp(pointer, "/workloads/", 11) != 0)
		return SIZE_MAX;
	index = strtoul(pointer + 11, &end, 10);
	if (index >= file->definition->workload_count)
		return SIZE_MAX;
	if (strncmp(end, "/jobs/", 6) == 0)
		part = strtoul(end + 6, NULL, 10);
	return part < workload_parts(&file->definition->workloads[index])
		       ? file->first[index] + part
		       : SIZE_MAX;
}

static const struct workload *section_at(const struct fio_job_file *file, size_t section)
{
	const struct definition *definition = file->definition;
	size_t index = definition->workload_count - 1;

	while (file->first[index] > section)
		index--;
	return workload_part(&definition->workloads[index], section - file->first[index]);
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
	int r = definition_adopt_paths(file->definition, err);
	size_t job;

	if (r != -EINVAL)
		return r;
	if (err->code == ERROR_MISSING_FIELD)
		return error_set(err, ERROR_MISSING_FIELD, "",
				 "no job has a filename or directory: write one into [global], or "
				 "give a target beside the file");
	job = blamed_job(file, err->field);
	if (job == SIZE_MAX || (!workload_is_set(section_at(file, job), OPTION_ID_FILENAME) &&
				!workload_is_set(section_at(file, job), OPTION_ID_DIRECTORY)))
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
				 file->jobs[job].line, section_at(file, job)->name);
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
		r = put_together(file, err);
	if (r == 0)
		r = amend(file, err);
	for (size_t i = 0; i < file->definition->workload_count && r == 0; i++)
		r = check_jobs(file, i, err);
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
