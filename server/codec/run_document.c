/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_document.c - see run_document.h. */
#include "server/codec/run_document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/codec/definition_repeats.h"
#include "server/codec/fields.h"
#include "server/codec/result.h"

/* ---- helpers ---- */

/* json_write() with a newline behind it, for people who look into the directory; takes value. */
static int write_document(json_t *value, char **ret_text, struct error *err)
{
	char *text = json_write(value), *line;
	size_t length = text ? strlen(text) : 0;

	json_decref(value);
	line = text ? realloc(text, length + 2) : NULL;
	if (!line) {
		free(text);
		(void)error_set(err, ERROR_NO_MEMORY, "", "not enough memory for a document");
		return -ENOMEM;
	}
	line[length] = '\n';
	line[length + 1] = '\0';
	*ret_text = line;
	return 0;
}

/* A text that is a JSON value, as a member; NULL text: no member. */
static int put_parsed(json_t *object, const char *name, const char *text, struct error *err)
{
	json_t *inner = NULL;
	int r;

	if (!text)
		return 0;
	r = json_read_own(text, strlen(text), &inner, err);
	if (r < 0)
		return r;
	return put_value(object, name, inner) < 0 ? -ENOMEM : 0;
}

/* The number behind "NAME/" of a schema; 0 where it is another name or no number. */
static unsigned int version_of(const char *schema, const char *name)
{
	size_t length = strlen(name);
	unsigned long version;
	char *end;

	if (!schema || strncmp(schema, name, length) != 0 || schema[length] != '/' ||
	    schema[length + 1] < '1' || schema[length + 1] > '9')
		return 0;
	version = strtoul(schema + length + 1, &end, 10);
	return *end || version > 1000000 ? 0 : (unsigned int)version;
}

static bool is_newer(const json_t *value, const char *name, unsigned int version)
{
	return version_of(json_string_value(json_object_get(value, "schema")), name) > version;
}

/* Reads text as an object of this schema or a newer version of it. Members of a newer one are
 * looked at with *ret_fields all the same. */
static int read_document(const char *text, size_t size, const char *schema, json_t **ret_value,
			 struct fields *ret_fields, bool *ret_newer, struct error *err)
{
	char name[64];
	json_t *value = NULL;
	int r;

	r = json_read_own(text, size, &value, err);
	if (r < 0)
		return r;
	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(schema, "/"), schema);
	r = fields_of(value, "", err, ret_fields);
	if (r == 0) {
		*ret_newer = is_newer(value, name, 1);
		r = *ret_newer ? 0 : get_schema(ret_fields, schema);
	}
	if (r < 0) {
		json_decref(value);
		return r;
	}
	*ret_value = value;
	return 0;
}

/* ---- volbench.run/1 ---- */

int run_document_encode(const struct run_document *run, const char *definition, char **ret_text,
			struct error *err)
{
	json_t *value = json_object();
	int failed = 0, r;

	failed |= put_text(value, "schema", RUN_SCHEMA);
	failed |= put_text(value, "id", run->id);
	failed |= put_u64(value, "number", run->number);
	failed |= put_text(value, "name", run->name);
	failed |= put_time(value, "created", run->created_wall_ms);
	failed |= put_u64(value, "planned_samples", run->samples_total);
	failed |= put_text_if(value, "key", run->key);
	failed |= put_text_if(value, "digest", run->digest);
	r = failed ? error_no_memory(err) : put_parsed(value, "definition", definition, err);
	if (r < 0) {
		json_decref(value);
		return r;
	}
	return write_document(value, ret_text, err);
}

static int run_members(const struct fields *in, struct run_document *run)
{
	int r;

	r = get_text_into(in, "id", false, run->id, sizeof(run->id));
	if (r == 0)
		r = get_u64(in, "number", INT64_MAX, &run->number);
	if (r == 0)
		r = get_text_into(in, "name", false, run->name, sizeof(run->name));
	if (r == 0)
		r = get_time(in, "created", &run->created_wall_ms);
	if (r == 0)
		r = get_u64(in, "planned_samples", DEFINITION_SAMPLES_MAX, &run->samples_total);
	if (r == 0)
		r = get_text_into(in, "key", true, run->key, sizeof(run->key));
	if (r == 0)
		r = get_text_into(in, "digest", true, run->digest, sizeof(run->digest));
	return r;
}

int run_document_decode(const char *text, size_t size, struct run_document *ret_run,
			char **ret_definition, struct error *err)
{
	struct run_document run = {0};
	char *definition = NULL;
	struct fields in, inner;
	json_t *value = NULL;
	int r;

	r = read_document(text, size, RUN_SCHEMA, &value, &in, &run.newer, err);
	if (r < 0)
		return r;
	r = run_members(&in, &run);
	if (r == 0)
		r = get_object(&in, "definition", &inner);
	if (r == 0)
		run.imported = json_is_true(json_object_get(inner.object, "imported"));
	if (r == 0 && ret_definition) {
		definition = json_write(inner.object);
		r = definition ? 0 : error_no_memory(err);
	}
	json_decref(value);
	if (r < 0)
		return r;
	*ret_run = run;
	if (ret_definition)
		*ret_definition = definition;
	return 0;
}

/* ---- volbench.state/1 ---- */

/* What state.json and a result's head have in common. */
static int put_state(json_t *value, const struct state_document *state)
{
	int failed = put_text(value, "state", run_state_names[state->state]);

	if (state->started_wall_ms > 0)
		failed |= put_time(value, "started", state->started_wall_ms);
	if (state->ended_wall_ms > 0)
		failed |= put_time(value, "ended", state->ended_wall_ms);
	if (state->error.code != ERROR_NONE)
		failed |= put_value(value, "error", json_error(&state->error));
	return failed | put_repeats_outcome(value, &state->repeats);
}

static int get_state(const struct fields *in, struct state_document *state)
{
	size_t index = 0;
	int r;

	r = get_choice(in, "state", run_state_names, RUN_STATE_COUNT, &index);
	if (r == 0 && fields_have(in, "started"))
		r = get_time(in, "started", &state->started_wall_ms);
	if (r == 0 && fields_have(in, "ended"))
		r = get_time(in, "ended", &state->ended_wall_ms);
	if (r == 0 && fields_have(in, "error"))
		json_error_read(json_object_get(in->object, "error"), &state->error);
	if (r == 0)
		r = get_repeats_outcome(in, &state->repeats);
	state->state = (enum run_state)index;
	return r;
}

int state_document_encode(const struct state_document *state, const char *findings, char **ret_text,
			  struct error *err)
{
	json_t *value = json_object();
	int failed = 0, r;

	failed |= put_text(value, "schema", STATE_SCHEMA);
	failed |= put_state(value, state);
	failed |= put_u64(value, "samples", state->samples_done);
	r = failed ? error_no_memory(err) : put_parsed(value, "findings", findings, err);
	if (r < 0) {
		json_decref(value);
		return r;
	}
	return write_document(value, ret_text, err);
}

int state_document_decode(const char *text, size_t size, struct state_document *ret_state,
			  char **ret_findings, struct error *err)
{
	struct state_document state = {0};
	const json_t *list = NULL;
	char *findings = NULL;
	json_t *value = NULL;
	struct fields in;
	int r;

	r = read_document(text, size, STATE_SCHEMA, &value, &in, &state.newer, err);
	if (r < 0)
		return r;
	r = get_state(&in, &state);
	if (r == 0)
		r = get_u64(&in, "samples", DEFINITION_SAMPLES_MAX, &state.samples_done);
	if (r == 0 && fields_have(&in, "findings"))
		r = get_array(&in, "findings", DEFINITION_SAMPLES_MAX, &list);
	if (r == 0 && list && ret_findings) {
		findings = json_write(list);
		r = findings ? 0 : error_no_memory(err);
	}
	json_decref(value);
	if (r < 0)
		return r;
	*ret_state = state;
	if (ret_findings)
		*ret_findings = findings;
	return 0;
}

/* ---- volbench.started/1 ---- */

int started_document_encode(const char *started, char **ret_text, struct error *err)
{
	json_t *value = json_object(), *told = NULL;
	struct fields in;
	int r;

	r = json_read_own(started, strlen(started), &told, err);
	if (r == 0)
		r = fields_of(told, "", err, &in);
	if (r == 0 && (put_text(value, "schema", STARTED_SCHEMA) < 0 ||
		       json_object_update_missing(value, told) < 0))
		r = error_no_memory(err);
	json_decref(told);
	if (r < 0) {
		json_decref(value);
		return r;
	}
	return write_document(value, ret_text, err);
}

/* ---- volbench.result/1, composed ---- */

/* Appends the elements of an array; nothing where there is none. */
static int append_all(json_t *list, const json_t *more)
{
	int failed = 0;

	for (size_t i = 0; i < json_array_size(more); i++)
		failed |= json_array_append(list, json_array_get(more, i));
	return failed;
}

/* What the engine told at the start, and the plan's findings. */
static int put_started(json_t *value, json_t *findings, const char *text, struct error *err)
{
	static const char *const names[] = {"backend", "backend_reason", "environment", "targets"};
	json_t *started = NULL;
	int failed = 0, r;

	if (!text)
		return 0;
	r = json_read_own(text, strlen(text), &started, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_t *member = json_object_get(started, names[i]);

		if (member)
			failed |= json_object_set(value, names[i], member);
	}
	failed |=
		append_all(findings, json_object_get(json_object_get(started, "plan"), "findings"));
	json_decref(started);
	return failed ? error_no_memory(err) : 0;
}

static int add_findings(json_t *findings, const char *text, struct error *err)
{
	json_t *more = NULL;
	int failed, r;

	if (!text)
		return 0;
	r = json_read_own(text, strlen(text), &more, err);
	if (r < 0)
		return r;
	failed = append_all(findings, more);
	json_decref(more);
	return failed ? error_no_memory(err) : 0;
}

/* The written value without its last "}", and RESULT_SAMPLES. */
static int open_samples(json_t *value, char **ret_text, struct error *err)
{
	char *text = json_write(value), *longer;
	size_t length = text ? strlen(text) : 0;

	json_decref(value);
	longer = text ? realloc(text, length + sizeof(RESULT_SAMPLES)) : NULL;
	if (!longer) {
		free(text);
		return error_no_memory(err);
	}
	memcpy(longer + length - 1, RESULT_SAMPLES, sizeof(RESULT_SAMPLES));
	*ret_text = longer;
	return 0;
}

int result_head_encode(const struct run_document *run, const char *definition,
		       const struct state_document *state, const char *started,
		       const char *findings, char **ret_text, struct error *err)
{
	json_t *value = json_object(), *list = json_array();
	int failed = 0, r;

	failed |= put_text(value, "schema", RESULT_SCHEMA);
	failed |= put_text(value, "id", run->id);
	failed |= put_text(value, "name", run->name);
	failed |= put_time(value, "created", run->created_wall_ms);
	failed |= put_state(value, state);
	r = failed ? error_no_memory(err) : put_parsed(value, "definition", definition, err);
	if (r == 0)
		r = put_started(value, list, started, err);
	if (r == 0)
		r = add_findings(list, findings, err);
	if (r == 0 && (put_u64(value, "planned_samples", run->samples_total) < 0 ||
		       json_object_set(value, "findings", list) < 0))
		r = error_no_memory(err);
	json_decref(list);
	if (r < 0) {
		json_decref(value);
		return r;
	}
	return open_samples(value, ret_text, err);
}

int result_head_decode(const char *text, size_t size, struct state_document *ret_state,
		       struct error *err)
{
	const char *end = memmem(text, size, RESULT_SAMPLES, strlen(RESULT_SAMPLES));
	struct state_document state = {0};
	AUTO_FREE char *head = NULL;
	json_t *value = NULL;
	struct fields in;
	size_t length;
	int r;

	if (!end)
		return error_set(err, ERROR_MISSING_FIELD, "/samples", "the result has no samples");
	length = (size_t)(end - text);
	head = malloc(length + 1);
	if (!head)
		return error_no_memory(err);
	memcpy(head, text, length);
	head[length] = '}';
	r = read_document(head, length + 1, RESULT_SCHEMA, &value, &in, &state.newer, err);
	if (r < 0)
		return r;
	r = get_state(&in, &state);
	json_decref(value);
	if (r == 0)
		*ret_state = state;
	return r;
}

/* ---- any document ---- */

int document_check(const char *text, size_t size, struct error *err)
{
	json_t *value = NULL;
	struct fields in;
	int r;

	r = json_read_own(text, size, &value, err);
	if (r < 0)
		return r;
	r = fields_of(value, "", err, &in);
	json_decref(value);
	return r;
}

bool document_is_newer(const char *text, size_t size, const char *name, unsigned int version)
{
	json_t *value = NULL;
	bool newer;

	if (json_read_own(text, size, &value, NULL) < 0)
		return false;
	newer = is_newer(value, name, version);
	json_decref(value);
	return newer;
}
