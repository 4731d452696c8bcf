/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * option_members.c - workload options as JSON members: counts and flags as integers, whole seconds
 * and microseconds too, everything else as text. Read are also numbers for sizes, booleans for
 * flags, texts for all.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/plan/file_phases.h"
#include "engine/plan/fio_names.h"
#include "engine/plan/property.h"
#include "server/codec/definition.h"
#include "server/codec/fields.h"
#include "server/codec/option_members.h"

#define EXACT_REAL 9007199254740992.0 /* 2^53: whole numbers below are exact */

/* ---- in ---- */

static const char *wanted(const struct option *option)
{
	switch (option->type) {
	case OPTION_FLAG:
		return "0 or 1, or true or false";
	case OPTION_COUNT:
		return "a whole number";
	case OPTION_SIZE:
		return "a number of bytes, or a text such as \"4k\" or \"64G\"";
	case OPTION_SIZES:
		return "a number of bytes, or a text such as \"4k\", or \"4k,128k\" for reads and "
		       "writes";
	case OPTION_COUNTS:
		return "a whole number, or a text such as \"100,50\" for reads and writes";
	case OPTION_MICROSECONDS:
		return "a number of microseconds, or a text such as \"500us\" or \"20ms\"";
	case OPTION_SIZE_RANGE:
		return "a number of bytes, or a text such as \"4k\", or \"0-64k\" for sizes "
		       "between "
		       "the two";
	case OPTION_RANGES:
		return "a text such as \"4k-64k\", or \"1k-4k,2k-8k\" for reads and writes";
	case OPTION_TIME:
		return "a number of seconds, or a text such as \"500ms\" or \"2m\"";
	case OPTION_CHOICE:
	case OPTION_RW:
	case OPTION_TEXT:
		break;
	}
	return "a text";
}

static bool takes_integer(const struct option *option)
{
	/* sync has two numbers among its words, as in fio */
	return (option->type != OPTION_CHOICE && option->type != OPTION_RW &&
		option->type != OPTION_RANGES && option->type != OPTION_TEXT) ||
	       option->id == OPTION_ID_SYNC;
}

/* A real as text: a time to the microsecond, any other only where it is whole. A time that digits
 * do not show goes as JSON has it: it is refused, and by its own name. */
static bool real_text(const struct option *option, double value, char *buffer, size_t size)
{
	int n;

	if (!takes_integer(option) || option->type == OPTION_FLAG)
		return false;
	if (fabs(value) >= EXACT_REAL || (value != 0 && fabs(value) < 1e-9)) {
		(void)snprintf(buffer, size, "%.15g", value);
		return option->type == OPTION_TIME;
	}
	if (value == floor(value)) {
		(void)snprintf(buffer, size, "%.0f", value == 0 ? 0.0 : value);
		return true;
	}
	if (option->type != OPTION_TIME)
		return false;
	n = snprintf(buffer, size, "%.9f", value);
	while (n > 0 && buffer[n - 1] == '0')
		buffer[--n] = '\0';
	return true;
}

int option_members_text(const struct option *option, const json_t *value, const char *pointer,
			char **ret_text, struct error *err)
{
	char buffer[64];
	const char *text = NULL;

	if (json_is_string(value)) {
		text = json_string_value(value);
	} else if (json_is_integer(value) && takes_integer(option)) {
		(void)snprintf(buffer, sizeof(buffer), "%" JSON_INTEGER_FORMAT,
			       json_integer_value(value));
		text = buffer;
	} else if (json_is_real(value) &&
		   real_text(option, json_real_value(value), buffer, sizeof(buffer))) {
		text = buffer;
	} else if (json_is_boolean(value) && option->type == OPTION_FLAG) {
		text = json_is_true(value) ? "1" : "0";
	}
	if (!text)
		return error_set(err, ERROR_WRONG_TYPE, pointer, "%s takes %s", option->name,
				 wanted(option));
	*ret_text = strdup(text);
	return *ret_text ? 0 : error_no_memory(err);
}

int option_members_unknown(const char *name, const char *pointer, struct error *err)
{
	const char *ours = fio_alias(name), *reason = option_refusal(name);
	char quoted[TEXT_EXCERPT_MAX];

	if (ours)
		return error_set(err, ERROR_UNKNOWN_FIELD, pointer, "write \"%s\" for \"%s\"", ours,
				 name);
	if (reason)
		return error_set(err, ERROR_UNSUPPORTED, pointer, "fio option %s: %s", name,
				 reason);
	if (property_find(name))
		return error_set(err, ERROR_UNKNOWN_FIELD, pointer,
				 "%s is a property of what is made, not of a workload: give it the "
				 "target among its \"properties\", or compare it in \"factors\"",
				 name);
	return error_set(err, ERROR_UNKNOWN_FIELD, pointer, "there is no option \"%s\"",
			 text_excerpt(name, quoted));
}

static int decode_option(const char *name, const json_t *value, const char *pointer,
			 struct workload *workload, struct error *err)
{
	const struct option *option = option_find(name);
	char *text;
	int r;

	if (!option || fio_alias(name))
		return option_members_unknown(name, pointer, err);
	r = option_members_text(option, value, pointer, &text, err);
	if (r < 0)
		return r;
	r = option_parse(option, text, workload, err);
	free(text);
	if (r == -EINVAL && err)
		(void)snprintf(err->field, sizeof(err->field), "%s", pointer);
	return r;
}

static bool is_among(const char *name, const char *const *names)
{
	for (; names && *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

int option_members_decode(const json_t *object, const char *pointer, const char *const *besides,
			  struct workload *workload, struct error *err)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)object, name, value) {
		char field[ERROR_FIELD_MAX];
		int r;

		if (is_among(name, besides))
			continue;
		json_pointer_member(field, sizeof(field), pointer, name);
		r = decode_option(name, value, field, workload, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A completed workload's "0" for a size or runtime that is not there. */
static bool means_none(const char *name, const json_t *value)
{
	const char *text = json_string_value(value);

	if (strcmp(name, "size") != 0 && strcmp(name, "runtime") != 0)
		return false;
	return (text && strcmp(text, "0") == 0) ||
	       (json_is_integer(value) && json_integer_value(value) == 0);
}

static int decode_completed(const json_t *value, const char *pointer, bool whole,
			    struct workload *decoded, struct error *err)
{
	static const char *const sizes[] = {"size", "runtime"};
	const char *skip[4] = {NULL};
	size_t count = 0;

	if (!json_is_object(value))
		return error_set(err, ERROR_WRONG_TYPE, pointer, "options are an object");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (means_none(sizes[i], json_object_get(value, sizes[i])))
			skip[count++] = sizes[i];
	if (whole)
		skip[count++] = "jobs";
	return option_members_decode(value, pointer, skip, decoded, err);
}

/* The jobs of a completed workload, whose own options follow from theirs. */
static int decode_jobs(const json_t *jobs, const char *pointer, struct workload *decoded,
		       struct error *err)
{
	char list[ERROR_FIELD_MAX], field[ERROR_FIELD_MAX];
	size_t count = json_array_size(jobs), part = 0;
	int r = 0;

	json_pointer_member(list, sizeof(list), pointer, "jobs");
	if (count == 0 || count > DEFINITION_JOBS_MAX)
		return error_set(err, ERROR_WRONG_TYPE, list, "jobs is a list of 1 to %d",
				 DEFINITION_JOBS_MAX);
	for (size_t i = 0; i < count && r == 0; i++) {
		struct workload job;

		workload_init(&job);
		json_pointer_index(field, sizeof(field), list, i);
		r = decode_completed(json_array_get(jobs, i), field, false, &job, err);
		if (r == 0 && !job.name)
			r = error_set(err, ERROR_MISSING_FIELD, field, "a job has a name");
		if (r == 0)
			r = workload_fill_untold(&job, err);
		if (r == 0 && workload_add_part(decoded, &job) < 0)
			r = error_no_memory(err);
		workload_done(&job);
	}
	if (r == 0)
		r = workload_join(decoded, &part, err);
	if (r == -EINVAL && err && err->field[0] != '/')
		memcpy(err->field, list, sizeof(list));
	return r;
}

int workload_decode(const json_t *value, const char *pointer, struct workload *workload,
		    struct error *err)
{
	const json_t *jobs = json_object_get(value, "jobs");
	struct workload decoded;
	int r;

	workload_init(&decoded);
	r = decode_completed(value, pointer, true, &decoded, err);
	if (r == 0 && jobs)
		r = decode_jobs(jobs, pointer, &decoded, err);
	if (r < 0) {
		workload_done(&decoded);
		return r;
	}
	workload_done(workload);
	*workload = decoded;
	return 0;
}

/* ---- out ---- */

static json_t *encode_value(const struct option *option, const struct workload *workload)
{
	char *text = option_format(option, workload);
	json_t *value = NULL;
	bool digits = text && *text && text[strspn(text, "0123456789")] == '\0';
	bool number = option->type == OPTION_FLAG || option->type == OPTION_COUNT ||
		      (digits && (option->type == OPTION_TIME || option->type == OPTION_COUNTS ||
				  option->type == OPTION_MICROSECONDS));

	/* counts end at INT64_MAX: see the table */
	if (text)
		value = number ? json_integer(strtoll(text, NULL, 10)) : json_string(text);
	free(text);
	return value;
}

json_t *option_members_encode(const struct workload *workload)
{
	json_t *object = json_object();
	int failed = 0;

	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		const struct option *option = option_at((enum option_id)id);

		if (id != OPTION_ID_NAME && workload_is_set(workload, (enum option_id)id))
			failed |= put_value(object, option->name, encode_value(option, workload));
	}
	return put_end(object, failed);
}

/* Whether an option of a completed workload has a value, and that one does something. */
static bool has_value(const struct workload *workload, enum option_id id)
{
	if (workload_metadata(workload) && !file_phases_takes(id))
		return false;
	if (workload_metadata(workload) && (id == OPTION_ID_NRFILES || id == OPTION_ID_FILESIZE))
		return true;
	if (id == OPTION_ID_DIRECTORIES || id == OPTION_ID_FILE_ORDER)
		return workload_metadata(workload);
	switch (id) {
	case OPTION_ID_NAME:
		return workload->name != NULL;
	case OPTION_ID_FILENAME:
	case OPTION_ID_DIRECTORY:
		return false; /* the target has them */
	case OPTION_ID_IOENGINE:
	case OPTION_ID_RANDSEED:
		return workload_is_set(workload, id);
	case OPTION_ID_RWMIXREAD:
	case OPTION_ID_RWMIXWRITE:
		return workload_mixed(workload);
	default:
		return option_told(option_at(id), workload);
	}
}

static json_t *encode_given(const struct workload *workload)
{
	json_t *object = option_members_encode(workload);
	int failed = 0;

	if (object && workload->name)
		failed = put_text(object, "name", workload->name);
	return object ? put_end(object, failed) : NULL;
}

static json_t *encode_completed(const struct workload *workload)
{
	json_t *object = json_object();
	int failed = 0;

	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		const struct option *option = option_at((enum option_id)id);

		if (has_value(workload, (enum option_id)id))
			failed |= put_value(object, option->name, encode_value(option, workload));
	}
	return put_end(object, failed);
}

/* Takes the options out of a workload's that its jobs do not all have alike. */
static void keep_common(json_t *object, const json_t *job)
{
	const char *name;
	json_t *value;
	void *next;

	json_object_foreach_safe (object, next, name, value) {
		if (strcmp(name, "name") != 0 && !json_equal(value, json_object_get(job, name)))
			(void)json_object_del(object, name); /* it is there */
	}
}

json_t *workload_encode(const struct workload *workload, bool completed)
{
	json_t *object, *jobs;
	int failed = 0;

	object = completed ? encode_completed(workload) : encode_given(workload);
	if (!object || workload->part_count == 0)
		return object;
	jobs = json_array();
	for (size_t i = 0; i < workload->part_count; i++) {
		json_t *job = workload_encode(&workload->parts[i], completed);

		if (job && completed)
			keep_common(object, job);
		failed |= json_array_append_new(jobs, job);
	}
	failed |= put_value(object, "jobs", jobs);
	return put_end(object, failed);
}
