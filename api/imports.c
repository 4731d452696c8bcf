/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * imports.c - POST /api/v1/imports: results of other tools taken in as a run that is done.
 *
 * One file is the body as it is, what is to be said of it stands in the query. Several are the
 * parts "file" of multipart/form-data; the others are "label" and "workload", which may be
 * repeated, and "name", "description", "factor" and "format". The texts are read where they lie, in
 * the store's lane: nothing of it is done in a thread that answers others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/digest.h"
#include "api/handlers.h"
#include "api/multipart.h"
#include "server/import/import.h"
#include "server/store.h"

/* What was asked for; heap. */
struct form {
	struct import_request request;
	struct import_file files[IMPORT_FILES_MAX];
	char *labels[IMPORT_FILES_MAX], *workloads[DEFINITION_WORKLOADS_MAX];
	size_t label_count, workload_count;
	char *name, *description, *factor, *format;
	size_t part_count;
	struct multipart_part parts[MULTIPART_PARTS_MAX];
};

static void form_free(struct form *form)
{
	for (size_t i = 0; form && i < form->label_count; i++)
		free(form->labels[i]);
	for (size_t i = 0; form && i < form->workload_count; i++)
		free(form->workloads[i]);
	if (form) {
		free(form->name);
		free(form->description);
		free(form->factor);
		free(form->format);
	}
	free(form);
}

/* ---- a form ---- */

/* The part's text, heap. */
static int take_text(const struct multipart_part *part, char **ret_text, struct error *err)
{
	if (*ret_text)
		return error_set(err, ERROR_DUPLICATE, "", "the part \"%s\" is there twice",
				 part->name);
	if (memchr(part->data, '\0', part->size))
		return error_set(err, ERROR_BAD_VALUE, "", "the part \"%s\" holds a NUL",
				 part->name);
	*ret_text = strndup(part->data, part->size);
	return *ret_text ? 0 : error_no_memory(err);
}

static int take_listed(const struct multipart_part *part, char **list, size_t *count, size_t most,
		       struct error *err)
{
	int r;

	if (*count == most)
		return error_set(err, ERROR_TOO_MANY, "", "at most %zu parts \"%s\"", most,
				 part->name);
	r = take_text(part, &list[*count], err);
	*count += r == 0;
	return r;
}

static int take_file(struct form *form, const struct multipart_part *part, struct error *err)
{
	size_t at = form->request.file_count;

	if (at == IMPORT_FILES_MAX)
		return error_set(err, ERROR_TOO_MANY, "/files", "at most %d files",
				 IMPORT_FILES_MAX);
	form->files[at] = (struct import_file){.name = part->filename[0] ? part->filename : NULL,
					       .text = part->data,
					       .size = part->size};
	form->request.file_count++;
	return 0;
}

static int take_part(struct form *form, const struct multipart_part *part, struct error *err)
{
	const struct {
		const char *name;
		char **text;
	} texts[] = {{"name", &form->name},
		     {"description", &form->description},
		     {"factor", &form->factor},
		     {"format", &form->format}};

	if (strcmp(part->name, "file") == 0)
		return take_file(form, part, err);
	if (strcmp(part->name, "label") == 0)
		return take_listed(part, form->labels, &form->label_count, IMPORT_FILES_MAX, err);
	if (strcmp(part->name, "workload") == 0)
		return take_listed(part, form->workloads, &form->workload_count,
				   DEFINITION_WORKLOADS_MAX, err);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strcmp(part->name, texts[i].name) == 0)
			return take_text(part, texts[i].text, err);
	return error_set(err, ERROR_UNKNOWN_FIELD, "",
			 "there is no part \"%s\" here, but file, label, workload, name, "
			 "description, factor and format",
			 part->name);
}

static int read_parts(const struct request *request, struct form *form, struct error *err)
{
	int r = multipart_parse(request->boundary, request->body, request->body_size, form->parts,
				&form->part_count, err);

	for (size_t i = 0; i < form->part_count && r == 0; i++)
		r = take_part(form, &form->parts[i], err);
	if (r == 0 && form->label_count > form->request.file_count)
		r = error_set(err, ERROR_TOO_MANY, "", "%zu labels for %zu files: each has one",
			      form->label_count, form->request.file_count);
	return r;
}

/* ---- what is asked for ---- */

static const char *given(const char *part, const struct request *request, const char *parameter)
{
	return part ? part : request_parameter(request, parameter);
}

static int fill(const struct request *request, struct form *form, struct error *err)
{
	struct import_request *wanted = &form->request;
	enum import_format format;
	int r;

	if (*request->boundary) {
		r = read_parts(request, form, err);
		if (r < 0)
			return r;
	} else {
		form->files[0] = (struct import_file){.name = request_parameter(request, "file"),
						      .label = request_parameter(request, "label"),
						      .text = request->body,
						      .size = request->body_size};
		wanted->file_count = 1;
	}
	r = import_format_find(given(form->format, request, "format"), &format, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < wanted->file_count; i++) {
		form->files[i].format = format;
		if (i < form->label_count)
			form->files[i].label = form->labels[i];
	}
	wanted->name = given(form->name, request, "name");
	wanted->description = given(form->description, request, "description");
	wanted->factor = given(form->factor, request, "factor");
	wanted->label_count = form->workload_count;
	wanted->labels = (const char *const *)form->workloads;
	wanted->files = form->files;
	return 0;
}

/* Of a form its parts: a client that sends it again may draw another boundary. */
static void make_digest(const struct request *request, const struct form *form, char *ret_text)
{
	struct digest digest;

	digest_begin(&digest);
	for (size_t i = 0; i < form->part_count; i++) {
		digest_add_text(&digest, form->parts[i].name);
		digest_add_text(&digest, form->parts[i].filename);
		digest_add(&digest, form->parts[i].data, form->parts[i].size);
	}
	if (form->part_count == 0)
		digest_add(&digest, request->body, request->body_size);
	digest_add_query(&digest, request);
	(void)digest_end(&digest, ret_text);
}

static int keep(struct request *request, const struct form *form, struct result *result,
		struct store_run *ret_run, struct error *err)
{
	char digest[DIGEST_TEXT_MAX];
	bool again = false;
	int r;

	make_digest(request, form, digest);
	r = store_add_imported(request->service->store, result, request->idempotency_key, digest,
			       ret_run, &again, err);
	if (r == 0 && !again && request->report_wanted)
		request->report_wanted(request->report_arg, ret_run->id);
	return r;
}

static int import(struct request *request, struct store_run *ret_run, struct error *err)
{
	struct form *form = calloc(1, sizeof(*form));
	struct result result;
	int r;

	if (!form)
		return error_no_memory(err);
	result_init(&result);
	r = fill(request, form, err);
	if (r == 0)
		r = import_files(&form->request, &result, err);
	if (r == 0)
		r = keep(request, form, &result, ret_run, err);
	result_done(&result);
	form_free(form);
	return r;
}

/* In the store's lane. */
static void accept_import(struct request *request)
{
	struct store_run run;
	struct error err = {.code = ERROR_NONE};

	if (import(request, &run, &err) < 0) {
		request_reply_error(request, &err);
		return;
	}
	runs_reply(request, 201, run.id);
	request_header(request, "Location", "/api/v1/runs/%s", run.id);
}

void handle_imports_post(struct request *request)
{
	request_work(request, LANE_STORE, accept_import);
}
