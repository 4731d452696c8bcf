/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_job_lines.c - see fio_job_lines.h.
 *
 * The file is taken line by line; a section is laid over what [global] holds when its end is met.
 */
#include "engine/plan/fio_job_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/fio_option.h"

/* Puts "line N: " before an error's message. */
int fio_job_at_line(unsigned int line, int r, struct error *err)
{
	char text[ERROR_MESSAGE_MAX];

	if (r == 0 || r == -ENOMEM)
		return r;
	memcpy(text, err->message, sizeof(text));
	return error_set(err, err->code, "", "line %u: %s", line, text);
}

/* ---- lines ---- */

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f;
}

/* Takes blanks at both ends off, in place. */
static char *trim(char *text)
{
	size_t length;

	while (*text && is_blank(*text))
		text++;
	length = strlen(text);
	while (length > 0 && is_blank(text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

static int take_line(struct fio_job_file *file, size_t *position, char **ret_line,
		     struct error *err)
{
	const char *start = file->request->text + *position;
	size_t left = file->request->size - *position, length;
	const char *end = memchr(start, '\n', left);

	length = end ? (size_t)(end - start) : left;
	*position += length + (end ? 1 : 0);
	file->line++;
	if (length > FIO_JOB_LINE_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "the line has %zu bytes; at most %d are read", length,
				 FIO_JOB_LINE_MAX);
	if (memchr(start, '\0', length))
		return error_set(err, ERROR_BAD_VALUE, "", "the line holds a NUL byte");
	memcpy(file->buffer, start, length);
	file->buffer[length] = '\0';
	file->buffer[strcspn(file->buffer, ";#")] = '\0';
	*ret_line = trim(file->buffer);
	return 0;
}

/* ---- values ---- */

static int no_variable(const struct fio_job_file *file, const char *option, const char *name,
		       struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	(void)text_excerpt(name, quoted);
	if (!file->request->variable)
		return error_set(err, ERROR_UNSUPPORTED, "",
				 "%s: ${%s} is a variable of your environment, which is not known "
				 "here: write the value",
				 option, quoted);
	return error_set(err, ERROR_BAD_VALUE, "",
			 "%s: the environment has no variable %s for ${%s}", option, quoted,
			 quoted);
}

static int check_words(const char *option, const char *value, struct error *err)
{
	static const char *const computed[] = {"$ncpus", "$pagesize", "$mb_memory"};

	for (size_t i = 0; i < ARRAY_SIZE(computed); i++)
		if (strstr(value, computed[i]))
			return error_set(err, ERROR_UNSUPPORTED, "",
					 "%s: %s is not computed here: write the value", option,
					 computed[i]);
	return 0;
}

/* Puts variables in; the result is file->value, cut at its ends. */
static int expand(struct fio_job_file *file, const char *option, char *value, char **ret_value,
		  struct error *err)
{
	size_t used = 0;
	int r = check_words(option, value, err);

	while (r == 0 && *value) {
		const char *part = value;
		size_t length = 1;
		char *end;

		if (value[0] == '$' && value[1] == '{') {
			end = strchr(value, '}');
			if (!end)
				return error_set(err, ERROR_BAD_VALUE, "", "%s: ${ is never closed",
						 option);
			*end = '\0';
			part = file->request->variable ? file->request->variable(value + 2) : NULL;
			if (!part)
				return no_variable(file, option, value + 2, err);
			length = strlen(part);
			value = end;
		}
		if (length > FIO_JOB_LINE_MAX - used)
			return error_set(err, ERROR_OUT_OF_RANGE, "",
					 "%s: with its variables the value has more than %d bytes",
					 option, FIO_JOB_LINE_MAX);
		memcpy(file->value + used, part, length);
		used += length;
		value++;
	}
	file->value[used] = '\0';
	*ret_value = trim(file->value);
	return r;
}

/* ---- options ---- */

/* The words of a file and of its jobs, a line each, as the definition's. */
static int describe(struct fio_job_file *file, const char *text, struct error *err)
{
	struct definition *definition = file->definition;
	char *whole;

	if (asprintf(&whole, "%s%s%s%s%s", definition->description ? definition->description : "",
		     definition->description ? "\n" : "", file->in_job ? file->name : "",
		     file->in_job ? ": " : "", text) < 0)
		return error_no_memory(err);
	free(definition->description);
	definition->description = whole;
	return 0;
}

/* Flags of a section that are no option of its job. */
static int set_flag(bool *flag, const char *name, const char *value, struct error *err)
{
	if (value && strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		return error_set(err, ERROR_BAD_VALUE, "", "%s stands alone, or is 0 or 1", name);
	*flag = !value || *value == '1';
	return 0;
}

static int set_option(struct fio_job_file *file, const char *name, const char *value,
		      struct error *err)
{
	struct fio_job_section *section = file->in_job ? &file->own : &file->global;
	const struct option *option;
	bool new_group; /* each section has figures of its own, whatever its group */
	int r;

	if (strcmp(name, "stonewall") == 0 || strcmp(name, "wait_for_previous") == 0)
		return set_flag(&section->stonewall, name, value, err);
	if (strcmp(name, "new_group") == 0)
		return set_flag(&new_group, name, value, err);
	if (strcmp(name, "description") == 0 && value)
		return describe(file, value, err);
	if (strcmp(name, "name") == 0)
		return error_set(err, ERROR_UNSUPPORTED, "",
				 "name: a job is called by its section: write the name into [ ]");
	r = fio_option_set("", name, value, &section->options, err);
	if (r < 0)
		return r;
	option = strcmp(name, "buffered") == 0 ? option_at(OPTION_ID_DIRECT) : option_find(name);
	section->lines[option->id] = file->line;
	return 0;
}

static int take_option(struct fio_job_file *file, char *line, struct error *err)
{
	char *value = strchr(line, '='), *name, quoted[TEXT_EXCERPT_MAX];
	int r = 0;

	if (strncmp(line, "include", 7) == 0 && is_blank(line[7]))
		return error_set(err, ERROR_UNSUPPORTED, "",
				 "include: other files are not read: put its lines here");
	if (!file->in_job && !file->in_global)
		return error_set(err, ERROR_BAD_VALUE, "",
				 "\"%s\" stands before any section: begin with [global] or a job's "
				 "[name]",
				 text_excerpt(line, quoted));
	if (value)
		*value++ = '\0';
	name = trim(line);
	if (!*name)
		return error_set(err, ERROR_BAD_VALUE, "", "write option=value");
	if (value) {
		(void)text_excerpt(name, quoted);
		r = expand(file, quoted, trim(value), &value, err);
	}
	return r < 0 ? r : set_option(file, name, value, err);
}

/* ---- sections ---- */

static bool name_taken(const struct definition *definition, const char *name)
{
	for (size_t i = 0; i < definition->workload_count; i++)
		if (strcmp(definition->workloads[i].name, name) == 0)
			return true;
	return false;
}

static int give_name(struct fio_job_file *file, struct workload *workload, struct error *err)
{
	char name[sizeof(file->name) + 16];

	(void)snprintf(name, sizeof(name), "%s", file->name);
	for (unsigned int n = 2; name_taken(file->definition, name); n++)
		(void)snprintf(name, sizeof(name), "%s-%u", file->name, n);
	return option_parse(option_at(OPTION_ID_NAME), name, workload, err);
}

/* The job at hand is over: what it says is laid over what the globals above it say. */
static int end_section(struct fio_job_file *file, struct error *err)
{
	struct definition *definition = file->definition;
	struct fio_job_section *job = &file->jobs[definition->workload_count];
	struct workload workload;
	int r;

	if (!file->in_job)
		return 0;
	file->in_job = false;
	workload_init(&workload);
	r = workload_overlay(&workload, &file->global.options);
	if (r == 0)
		r = workload_overlay(&workload, &file->own.options);
	if (r == 0) {
		workload.from_fio = true;
		r = give_name(file, &workload, err);
	} else {
		r = error_no_memory(err);
	}
	if (r < 0) {
		workload_done(&workload);
		return fio_job_at_line(file->own.line, r, err);
	}
	*job = (struct fio_job_section){.line = file->own.line, .stonewall = file->own.stonewall};
	for (int id = 0; id < OPTION_ID_COUNT; id++)
		job->lines[id] = file->own.lines[id] ? file->own.lines[id] : file->global.lines[id];
	definition->workloads[definition->workload_count++] = workload;
	return 0;
}

static int begin_section(struct fio_job_file *file, char *line, struct error *err)
{
	char *name = line + 1;
	size_t length = strlen(name);

	if (length < 2 || name[length - 1] != ']')
		return error_set(err, ERROR_BAD_VALUE, "",
				 "a section begins with its name in brackets, [name], on a line of "
				 "its own");
	name[length - 1] = '\0';
	file->in_global = strncmp(name, "global", 6) == 0;
	if (file->in_global)
		return 0;
	if (file->definition->workload_count == DEFINITION_WORKLOADS_MAX)
		return error_set(err, ERROR_TOO_MANY, "", "at most %d jobs are taken",
				 DEFINITION_WORKLOADS_MAX);
	memcpy(file->name, name, length);
	workload_done(&file->own.options);
	file->own =
		(struct fio_job_section){.line = file->line, .stonewall = file->global.stonewall};
	file->in_job = true;
	return 0;
}

int fio_job_read_lines(struct fio_job_file *file, struct error *err)
{
	size_t position = 0;
	char *line = file->buffer;
	int r = 0;

	while (r == 0 && position < file->request->size) {
		r = take_line(file, &position, &line, err);
		if (r == 0 && *line == '[') {
			r = end_section(file, err); /* tells its own line */
			if (r < 0)
				return r;
			r = begin_section(file, line, err);
		} else if (r == 0 && *line) {
			r = take_option(file, line, err);
		}
		r = fio_job_at_line(file->line, r, err);
	}
	return r < 0 ? r : end_section(file, err);
}
