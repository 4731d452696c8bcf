/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result_text.c - see result_text.h. */
#include "server/codec/result_text.h"

#include <errno.h>
#include <string.h>

#include "server/codec/json.h"
#include "server/codec/result.h"
#include "server/codec/run_document.h"
#include "server/codec/sample.h"

char *result_fio_text(const struct result *result)
{
	json_t *value = result_fio(result);
	char *text = value ? json_write(value) : NULL;

	json_decref(value);
	return text;
}

/* ---- out, a sample at a time ---- */

/* The head with an empty list of samples, then each sample in between. */
static int write_whole(FILE *out, const struct result *result)
{
	struct result head = *result;
	AUTO_FREE char *text = NULL;
	json_t *value;
	size_t length;

	head.samples = NULL;
	head.sample_count = 0;
	value = result_encode(&head);
	text = json_write(value);
	json_decref(value);
	if (!text)
		return -ENOMEM;
	length = strlen(text) - strlen("]}");
	(void)fwrite(text, 1, length, out); /* looked at in the end, as all writing */
	for (size_t i = 0; i < result->sample_count; i++) {
		AUTO_FREE char *sample = NULL;

		value = sample_encode(&result->samples[i]);
		sample = json_write(value);
		json_decref(value);
		if (!sample)
			return -ENOMEM;
		(void)fprintf(out, "%s%s", i ? "," : "", sample);
	}
	(void)fputs(RESULT_TAIL, out);
	return ferror(out) ? -ENOMEM : 0;
}

char *result_encode_text(const struct result *result, size_t *ret_size)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int r;

	if (!out)
		return NULL;
	r = write_whole(out, result);
	if (fclose(out) != 0 || r < 0) {
		free(text);
		return NULL;
	}
	*ret_size = size;
	return text;
}

/* ---- in, a sample at a time ---- */

/* A result's text as we write it: HEAD,"samples":[SAMPLE,SAMPLE]} and white space. */
struct walk {
	const char *at, *end;
	struct result *result;
	struct error *err;
};

/* Behind the object that begins at `at`; NULL where there is none, or no end of it. */
static const char *behind_object(const char *at, const char *end)
{
	bool in_string = false, escaped = false;
	size_t depth = 0;

	if (at == end || *at != '{')
		return NULL;
	for (; at < end; at++) {
		if (escaped)
			escaped = false;
		else if (in_string && *at == '\\')
			escaped = true;
		else if (*at == '"')
			in_string = !in_string;
		else if (!in_string && *at == '{')
			depth++;
		else if (!in_string && *at == '}' && --depth == 0)
			return at + 1;
	}
	return NULL;
}

static bool take(struct walk *walk, char wanted)
{
	if (walk->at == walk->end || *walk->at != wanted)
		return false;
	walk->at++;
	return true;
}

/* -EAGAIN where the text does not have this form, or is no JSON: the whole of it will tell. */
static int walk_sample(struct walk *walk)
{
	const char *behind = behind_object(walk->at, walk->end);
	json_t *value;
	int r;

	if (!behind)
		return -EAGAIN;
	r = json_read_own(walk->at, (size_t)(behind - walk->at), &value, walk->err);
	if (r < 0)
		return r == -ENOMEM ? r : -EAGAIN;
	r = result_add_sample(walk->result, value, walk->err);
	json_decref(value);
	walk->at = behind;
	return r;
}

static int walk_samples(struct walk *walk)
{
	int r = 0;

	if (!take(walk, ']')) {
		do
			r = walk_sample(walk);
		while (r == 0 && take(walk, ','));
		if (r == 0 && !take(walk, ']'))
			r = -EAGAIN;
	}
	if (r < 0)
		return r;
	if (!take(walk, '}'))
		return -EAGAIN;
	while (take(walk, '\n') || take(walk, ' '))
		;
	return walk->at == walk->end ? result_end_samples(walk->result, walk->err) : -EAGAIN;
}

/* The head alone, its list of samples closed. -EAGAIN as above. */
static int decode_head(const char *text, size_t size, struct result *result, struct error *err)
{
	AUTO_FREE char *head = malloc(size + sizeof("]}"));
	json_t *value;
	int r;

	if (!head)
		return error_no_memory(err);
	memcpy(head, text, size);
	memcpy(head + size, "]}", sizeof("]}"));
	r = json_read_own(head, size + 2, &value, err);
	if (r < 0)
		return r == -ENOMEM ? r : -EAGAIN;
	r = result_decode(value, result, err);
	json_decref(value);
	return r;
}

static int decode_walking(const char *text, size_t size, struct result *result, struct error *err)
{
	const char *member = memmem(text, size, RESULT_SAMPLES, strlen(RESULT_SAMPLES));
	struct walk walk = {.end = text + size, .result = result, .err = err};
	int r;

	if (!member)
		return -EAGAIN;
	walk.at = member + strlen(RESULT_SAMPLES);
	r = decode_head(text, (size_t)(walk.at - text), result, err);
	if (r == 0)
		r = walk_samples(&walk);
	if (r < 0)
		result_done(result);
	return r;
}

static int decode_at_once(const char *text, size_t size, struct result *result, struct error *err)
{
	json_t *value;
	int r = json_read_own(text, size, &value, err);

	if (r < 0)
		return r;
	r = result_decode(value, result, err);
	json_decref(value);
	return r;
}

int result_decode_text(const char *text, size_t size, struct result *result, struct error *err)
{
	int r = decode_walking(text, size, result, err);

	return r == -EAGAIN ? decode_at_once(text, size, result, err) : r;
}
