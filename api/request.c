/* SPDX-License-Identifier: GPL-3.0-or-later */
/* request.c - see request.h. */
#include "api/request.h"

#include <stdarg.h>
#include <string.h>

#include "api/problem.h"
#include "engine/base/clock.h"
#include "server/codec/json.h"
#include "server/log.h"
#include "web/problem_page.h"

static const char no_memory_text[] =
	"{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
	"\"detail\":\"out of memory\",\"code\":\"out_of_memory\"}";

struct request *request_new(void)
{
	return calloc(1, sizeof(struct request));
}

void request_free(struct request *request)
{
	if (!request)
		return;
	for (size_t i = 0; i < request->parameter_count; i++) {
		free(request->parameters[i].name);
		free(request->parameters[i].value);
	}
	if (request->work_data_free)
		request->work_data_free(request->work_data);
	free(request->reply.owned);
	free(request->idempotency_key);
	free(request->body);
	free(request);
}

const char *request_segment(const struct request *request, const char *kind)
{
	return router_segment(request->route, &request->path, kind);
}

const char *request_parameter(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->parameter_count; i++)
		if (strcmp(request->parameters[i].name, name) == 0)
			return request->parameters[i].value;
	return NULL;
}

static int unknown_parameter(const struct route *route, const char *name, struct error *err)
{
	char known[128] = "";

	for (size_t i = 0; route->parameters && route->parameters[i]; i++)
		(void)snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
			       i ? ", " : "", route->parameters[i]);
	if (!known[0])
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "\"%s\" in the query of the URL: this call takes no parameters",
				 name);
	return error_set(err, ERROR_BAD_PARAMETER, "",
			 "\"%s\" in the query of the URL: this call takes %s", name, known);
}

int request_add_parameter(struct request *request, const char *raw_name, const char *raw_value,
			  struct error *err)
{
	char *name = NULL, *value = NULL;
	const char *const *known = request->route->parameters;
	int r = path_decode_parameter(raw_name, &name, err);

	if (r == 0)
		r = path_decode_parameter(raw_value ? raw_value : "", &value, err);
	if (r < 0)
		goto out;
	while (known && *known && strcmp(*known, name) != 0)
		known++;
	if (!known || !*known)
		r = unknown_parameter(request->route, name, err);
	else if (request_parameter(request, name))
		r = error_set(err, ERROR_BAD_PARAMETER, "",
			      "\"%s\" stands twice in the query of the URL", name);
	if (r < 0)
		goto out;
	request->parameters[request->parameter_count++] =
		(struct parameter){TAKE_PTR(name), TAKE_PTR(value)};
out:
	free(name);
	free(value);
	return r;
}

static int bad_number(const char *name, uint64_t min, uint64_t max, struct error *err)
{
	return error_set(err, ERROR_BAD_PARAMETER, "",
			 "\"%s\" in the query of the URL must be a whole number from %llu to %llu",
			 name, (unsigned long long)min, (unsigned long long)max);
}

int request_number(const struct request *request, const char *name, uint64_t min, uint64_t max,
		   uint64_t *ret_value, struct error *err)
{
	const char *text = request_parameter(request, name);
	uint64_t value = 0;

	if (!text)
		return 0;
	if (!*text)
		return bad_number(name, min, max, err);
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return bad_number(name, min, max, err);
	}
	if (value < min || value > max)
		return bad_number(name, min, max, err);
	*ret_value = value;
	return 0;
}

/* ---- answers ---- */

static void set_reply(struct request *request, int status, const char *type, const char *data,
		      size_t size, char *owned)
{
	free(request->reply.owned); /* a later answer (an error) replaces an earlier one */
	request->next = NEXT_REPLY;
	request->reply.status = status;
	request->reply.type = type;
	request->reply.data = data;
	request->reply.size = size;
	request->reply.owned = owned;
	request->reply.cache = "no-store";
}

static void reply_no_memory(struct request *request)
{
	set_reply(request, problem_status(ERROR_NO_MEMORY), "application/problem+json",
		  no_memory_text, sizeof(no_memory_text) - 1, NULL);
	request_header(request, "Retry-After", "%u", problem_retry_after_s(ERROR_NO_MEMORY));
}

void request_reply_text(struct request *request, int status, const char *type, char *text,
			size_t size)
{
	if (!text)
		reply_no_memory(request);
	else
		set_reply(request, status, type, text, size, text);
}

void request_reply_json(struct request *request, int status, json_t *value)
{
	char *text = value ? json_write(value) : NULL;

	json_decref(value);
	request_reply_text(request, status, "application/json", text, text ? strlen(text) : 0);
}

void request_reply_static(struct request *request, const char *type, const char *data, size_t size)
{
	set_reply(request, 200, type, data, size, NULL);
	request->reply.cache = "no-cache";
}

void request_reply_empty(struct request *request, int status)
{
	set_reply(request, status, NULL, "", 0, NULL);
}

/* Faults of ours, not what clients do or too many of them want: they could fill the log. */
static bool worth_logging(enum error_code code)
{
	switch (code) {
	case ERROR_ENGINE_FAILED:
	case ERROR_IO_ERROR:
	case ERROR_STORAGE_FULL:
	case ERROR_READ_ONLY:
	case ERROR_SYSTEM:
	case ERROR_NO_MEMORY:
		return true;
	default:
		return false;
	}
}

void request_reply_error(struct request *request, const struct error *err)
{
	int status = problem_status(err->code);
	unsigned int retry = problem_retry_after_s(err->code);
	bool page = request->wants_html && (!request->route || request->route->page);
	char *text = page ? page_problem(status, err) : problem_text(err);

	if (worth_logging(err->code))
		log_error(err, "a request was answered %d", status);
	if (!text) {
		reply_no_memory(request);
		return;
	}
	request->reply.header_count = 0;
	request_reply_text(request, status,
			   page ? "text/html; charset=utf-8" : "application/problem+json", text,
			   strlen(text));
	if (retry)
		request_header(request, "Retry-After", "%u", retry);
}

void request_header(struct request *request, const char *name, const char *format, ...)
{
	struct reply_header *header;
	va_list arguments;

	if (request->reply.header_count == REQUEST_HEADERS_MAX)
		return; /* no call sets so many */
	header = &request->reply.headers[request->reply.header_count++];
	header->name = name;
	va_start(arguments, format);
	(void)vsnprintf(header->value, sizeof(header->value), format, arguments);
	va_end(arguments);
}

/* ---- later ---- */

void request_work(struct request *request, enum work_lane_id lane,
		  void (*work)(struct request *request))
{
	request->next = NEXT_WORK;
	request->lane = lane;
	request->work = work;
}

static void set_run_id(struct request *request, const char *run_id)
{
	(void)snprintf(request->run_id, sizeof(request->run_id), "%s", run_id);
}

void request_wait(struct request *request, const char *run_id, uint64_t after, uint64_t seconds)
{
	set_run_id(request, run_id);
	request->next = NEXT_WAIT;
	request->wait_after = after;
	request->wait_until_ns = clock_now_ns() + seconds * NS_PER_S;
}

void request_stream(struct request *request, const char *run_id)
{
	set_run_id(request, run_id);
	request->next = NEXT_STREAM;
}
