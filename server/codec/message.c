/* SPDX-License-Identifier: GPL-3.0-or-later */
/* message.c - see message.h. */
#include "server/codec/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "server/codec/definition_repeats.h"
#include "server/codec/fields.h"
#include "server/codec/plan.h"
#include "server/codec/sample.h"

const char *const message_kind_names[MESSAGE_KIND_COUNT] = {
	[MESSAGE_PLAN] = "plan",     [MESSAGE_TARGETS] = "targets", [MESSAGE_SYSTEM] = "system",
	[MESSAGE_SWEPT] = "swept",   [MESSAGE_STARTED] = "started", [MESSAGE_PROGRESS] = "progress",
	[MESSAGE_SAMPLE] = "sample", [MESSAGE_END] = "end",	    [MESSAGE_ERROR] = "error",
};

/* json_write() with a newline behind it; takes value. */
static char *write_line(json_t *value)
{
	char *text = json_write(value), *line;
	size_t length;

	json_decref(value);
	if (!text)
		return NULL;
	length = strlen(text);
	line = realloc(text, length + 2);
	if (!line) {
		free(text);
		return NULL;
	}
	line[length] = '\n';
	line[length + 1] = '\0';
	return line;
}

char *message_request(const char *call, const char *run_id, const char *definition)
{
	json_t *value = json_object(), *inner = NULL;
	int failed = 0;

	failed |= put_text(value, "call", call);
	failed |= put_text_if(value, "run", run_id);
	if (definition && json_read_own(definition, strlen(definition), &inner, NULL) < 0)
		failed = -1;
	if (inner)
		failed |= put_value(value, "definition", inner);
	return write_line(put_end(value, failed));
}

char *message_answer(enum message_kind kind, json_t *value)
{
	json_t *object = json_object();
	int failed = put_value(object, message_kind_names[kind], value);

	return write_line(put_end(object, failed));
}

json_t *message_end(enum run_state state, const struct error *error,
		    const struct findings *findings, const struct repeats_outcome *repeats)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "state", run_state_names[state]);
	if (error && error->code != ERROR_NONE)
		failed |= put_value(value, "error", json_error(error));
	if (findings && findings->count > 0)
		failed |= put_value(value, "findings", findings_encode(findings));
	if (repeats)
		failed |= put_repeats_outcome(value, repeats);
	return put_end(value, failed);
}

/* ---- progress ---- */

static json_t *progress_sample_encode(const struct progress *progress)
{
	json_t *value;
	int failed = 0;

	if (!progress->workload[0])
		return json_null();
	value = json_object();
	failed |= put_text(value, "workload", progress->workload);
	failed |= put_text(value, "cell", progress->cell);
	failed |= put_u64(value, "repeat", progress->repeat);
	return put_end(value, failed);
}

json_t *progress_encode(const struct progress *progress)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "phase", run_phase_names[progress->phase]);
	failed |= put_u64(value, "done", progress->done);
	failed |= put_u64(value, "total", progress->total);
	failed |= put_real(value, "percent", progress->percent);
	failed |= put_real(value, "seconds_left", progress->seconds_left);
	if (progress->at_most)
		failed |= put_bool(value, "at_most", true);
	failed |= put_value(value, "sample", progress_sample_encode(progress));
	return put_end(value, failed);
}

static uint64_t count_of(const json_t *object, const char *name)
{
	uint64_t value = 0;

	(void)value_u64(json_object_get(object, name), &value); /* what is no count is none */
	return value;
}

static double amount_of(const json_t *object, const char *name, double max)
{
	double value = json_number_value(json_object_get(object, name));

	return value >= 0 ? (value <= max ? value : max) : 0;
}

static void text_of(const json_t *object, const char *name, char *buffer, size_t size)
{
	const char *text = json_string_value(json_object_get(object, name));

	(void)text_clean(text ? text : "", buffer, size);
}

void progress_decode(const json_t *value, struct progress *ret_progress)
{
	const char *phase = json_string_value(json_object_get(value, "phase"));
	const json_t *sample = json_object_get(value, "sample");
	uint64_t repeat = count_of(sample, "repeat");

	memset(ret_progress, 0, sizeof(*ret_progress));
	for (int i = 0; phase && i <= PHASE_TEARDOWN; i++)
		if (strcmp(phase, run_phase_names[i]) == 0)
			ret_progress->phase = (enum run_phase)i;
	ret_progress->done = count_of(value, "done");
	ret_progress->total = count_of(value, "total");
	ret_progress->percent = amount_of(value, "percent", 100);
	ret_progress->seconds_left = amount_of(value, "seconds_left", 1e9);
	ret_progress->at_most = json_is_true(json_object_get(value, "at_most"));
	text_of(sample, "workload", ret_progress->workload, sizeof(ret_progress->workload));
	text_of(sample, "cell", ret_progress->cell, sizeof(ret_progress->cell));
	ret_progress->repeat = repeat <= DEFINITION_REPEATS_MAX ? (unsigned int)repeat : 0;
}

/* ---- answers ---- */

static int sample_read(const json_t *inner, struct message *message, struct error *err)
{
	struct sample sample;
	int r;

	sample_init(&sample);
	r = sample_decode(inner, &sample, err);
	if (r == 0)
		message->order = sample.order;
	sample_done(&sample);
	return r;
}

/* Reads state and error, and points *ret_inner at the findings. */
static int end_read(const json_t **ret_inner, struct message *message, struct error *err)
{
	const json_t *inner = *ret_inner, *error = json_object_get(inner, "error");
	const char *state = json_string_value(json_object_get(inner, "state"));
	struct fields in;

	if (!state || run_state_find(state, &message->state) < 0 || message->state < RUN_DONE ||
	    message->state > RUN_CANCELLED)
		return error_set(err, ERROR_BAD_VALUE, "/end/state",
				 "done, failed or cancelled is needed here");
	if (error)
		json_error_read(error, &message->error);
	if (fields_of(inner, "/end", err, &in) < 0 ||
	    get_repeats_outcome(&in, &message->repeats) < 0)
		return -EINVAL;
	*ret_inner = json_object_get(inner, "findings");
	if (*ret_inner && !json_is_array(*ret_inner))
		return error_set(err, ERROR_WRONG_TYPE, "/end/findings", "a list is needed here");
	return 0;
}

static int inner_read(const json_t *inner, struct message *message, struct error *err)
{
	bool list = message->kind == MESSAGE_TARGETS || message->kind == MESSAGE_SWEPT;
	int r = 0;

	if (list ? !json_is_array(inner) : !json_is_object(inner))
		return error_set(err, ERROR_WRONG_TYPE, "", "%s is needed",
				 list ? "a list" : "an object");
	switch (message->kind) {
	case MESSAGE_PROGRESS:
		progress_decode(inner, &message->progress);
		return 0;
	case MESSAGE_ERROR:
		json_error_read(inner, &message->error);
		return 0;
	case MESSAGE_SAMPLE:
		r = sample_read(inner, message, err);
		break;
	case MESSAGE_END:
		r = end_read(&inner, message, err);
		break;
	default:
		break;
	}
	if (r < 0 || !inner)
		return r;
	message->text = json_write(inner);
	return message->text ? 0 : -ENOMEM;
}

/* The kind of an object with one member, and that member. */
static int kind_of(const json_t *value, struct message *message, const json_t **ret_inner,
		   struct error *err)
{
	for (int kind = 0; json_object_size(value) == 1 && kind < MESSAGE_KIND_COUNT; kind++) {
		*ret_inner = json_object_get(value, message_kind_names[kind]);
		if (*ret_inner) {
			message->kind = (enum message_kind)kind;
			return 0;
		}
	}
	return error_set(err, ERROR_BAD_VALUE, "", "the line is no answer");
}

int message_read(const char *line, size_t size, struct message *ret_message, struct error *err)
{
	struct message message = {0};
	struct error why = {0};
	const json_t *inner = NULL;
	json_t *value = NULL;
	int r;

	r = json_read_own(line, size, &value, &why);
	if (r == 0)
		r = kind_of(value, &message, &inner, &why);
	if (r == 0)
		r = inner_read(inner, &message, &why);
	json_decref(value);
	if (r == 0) {
		*ret_message = message;
		return 0;
	}
	message_done(&message);
	if (r == -ENOMEM) {
		(void)error_set(err, ERROR_NO_MEMORY, "", "not enough memory for an answer");
		return r;
	}
	(void)error_set(err, ERROR_ENGINE_FAILED, "",
			"the engine sent a line that cannot be read: %s%s%s", why.field,
			why.field[0] ? ": " : "", why.message);
	return -EPROTO;
}

void message_done(struct message *message)
{
	free(message->text);
	message->text = NULL;
}
