/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.c - see source.h. */
#include "server/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/plan/fio_job.h"
#include "server/codec/amend.h"
#include "server/codec/definition.h"

#define TEXT_MAX ((size_t)1 << 20)

struct source {
	const struct options *options;
	const struct command_hooks *hooks;
};

/* ---- named definitions ---- */

/* STATE/definitions/NAME.json, without taking the store's lock: files are replaced whole. */
static int read_saved(const char *state, const char *name, char **ret_text)
{
	char file[128];
	AUTO_FREE char *directory = NULL;
	AUTO_CLOSE int fd = -1;

	if (snprintf(file, sizeof(file), "%s.json", name) >= (int)sizeof(file) ||
	    !file_name_ok(file))
		return -ENOENT;
	if (asprintf(&directory, "%s/definitions", state) < 0) {
		directory = NULL;
		return -ENOMEM;
	}
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -ENOENT;
	return file_read(fd, file, TEXT_MAX, ret_text, NULL);
}

/* definition_lookup */
static int look_up(void *arg, const char *name, char **ret_text)
{
	const struct source *source = arg;
	const char *text = source->hooks->built_in ? source->hooks->built_in(name) : NULL;

	if (!text)
		return read_saved(source->options->state, name, ret_text);
	*ret_text = strdup(text);
	return *ret_text ? 0 : -ENOMEM;
}

/* ---- files ---- */

/* What `in` holds, into text of TEXT_MAX + 1 bytes. */
static int read_into(FILE *in, const char *name, char *text, size_t *ret_size, struct error *err)
{
	size_t size = fread(text, 1, TEXT_MAX + 1, in);

	if (ferror(in))
		return error_set_sys(err, ERROR_SYSTEM, errno, "Reading %s", name);
	if (size > TEXT_MAX)
		return error_set(err, ERROR_BAD_PARAMETER, "", "%s is larger than %zu bytes.", name,
				 TEXT_MAX);
	*ret_size = size;
	return 0;
}

static int read_stream(FILE *in, const char *name, char **ret_text, size_t *ret_size,
		       struct error *err)
{
	AUTO_FREE char *text = malloc(TEXT_MAX + 1);
	int r;

	if (!text)
		return error_no_memory(err);
	r = read_into(in, name, text, ret_size, err);
	if (r == 0)
		*ret_text = TAKE_PTR(text);
	return r;
}

static int read_by_name(const char *name, char **ret_text, size_t *ret_size, struct error *err)
{
	*ret_text = amend_by_name(name);
	if (!*ret_text)
		return error_no_memory(err);
	*ret_size = strlen(*ret_text);
	return 0;
}

static int read_text(const char *name, char **ret_text, size_t *ret_size, struct error *err)
{
	AUTO_FCLOSE FILE *in = NULL;

	if (strcmp(name, "-") == 0)
		return read_stream(stdin, "Standard input", ret_text, ret_size, err);
	in = fopen(name, "re");
	/* What looks like a path is one; else it is a name where there is no such file. */
	if (!in && errno == ENOENT && !strchr(name, '/') && !strchr(name, '.'))
		return read_by_name(name, ret_text, ret_size, err);
	if (!in)
		return error_set_sys(err, ERROR_BAD_PARAMETER, errno, "Opening %s", name);
	return read_stream(in, name, ret_text, ret_size, err);
}

/* ---- fio job files ---- */

static const char *variable(const char *name)
{
	return getenv(name);
}

/* A job file has no name of its own: its file's, without what stands behind the point. */
static int read_job(const struct options *options, const char *text, size_t size,
		    struct definition *ret_definition, struct error *err)
{
	const char *slash = strrchr(options->file, '/');
	const char *file = slash ? slash + 1 : options->file, *point = strrchr(file, '.');
	char name[DEFINITION_NAME_MAX + 1] = "fio job";
	const struct fio_job_request request = {
		.text = text,
		.size = size,
		.name = name,
		.target = options->target,
		.repeats = options->repeats,
		.override_count = options->override_count,
		.overrides = options->overrides,
		.variable = variable,
	};
	size_t length = point && point > file ? (size_t)(point - file) : strlen(file);

	if (options->parent)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--parent is for definitions; of an fio job file give --target "
				 "zvol:%.60s or dataset:%.60s.",
				 options->parent, options->parent);
	if (strcmp(file, "-") != 0 && length < sizeof(name)) {
		memcpy(name, file, length);
		name[length] = '\0';
	}
	if (!text_printable(name))
		(void)snprintf(name, sizeof(name), "fio job");
	return fio_job_read(&request, ret_definition, err);
}

/* ---- the whole ---- */

int source_load(const struct options *options, const struct command_hooks *hooks,
		struct definition *ret_definition, struct error *err)
{
	struct source source = {.options = options, .hooks = hooks};
	const struct amendment amendment = {
		.target = options->target,
		.parent = options->parent,
		.override_count = options->override_count,
		.overrides = options->overrides,
		.repeats = options->repeats,
	};
	AUTO_FREE char *text = NULL, *amended = NULL;
	size_t size;
	int r = read_text(options->file, &text, &size, err);

	if (r == 0 && fio_job_is(text, size))
		return read_job(options, text, size, ret_definition, err);
	if (r == 0)
		r = amend_definition(text, size, &amendment, &amended, err);
	if (r == 0)
		r = definition_decode_text(amended, strlen(amended), look_up, &source,
					   ret_definition, err);
	return r;
}

void source_complain(const struct options *options, const struct error *err)
{
	const char *name = strcmp(options->file, "-") == 0 ? "standard input" : options->file;

	if (err->field[0])
		fprintf(stderr, "volbench: %s: %s: %s (%s)\n", name, err->field, err->message,
			error_code_text(err->code));
	else if (strncmp(err->message, "line ", 5) == 0) /* of a job file */
		fprintf(stderr, "volbench: %s: %s (%s)\n", name, err->message,
			error_code_text(err->code));
	else
		fprintf(stderr, "volbench: %s (%s)\n", err->message, error_code_text(err->code));
}
