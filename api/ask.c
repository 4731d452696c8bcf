/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ask.c - see ask.h. */
#include "api/ask.h"

#include "api/handlers.h"
#include "engine/plan/fio_job.h"
#include "server/codec/definition.h"
#include "server/codec/json.h"

static void free_json(void *data)
{
	json_decref(data);
}

/* The JSON of the body; what it says in its members is not said in the query. */
static int read_json(const struct request *request, json_t **ret_value, struct error *err)
{
	if (request->parameter_count > 0)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "\"%s\" in the query of the URL belongs to an fio job file, sent "
				 "as text/plain; in JSON it is a member",
				 request->parameters[0].name);
	return json_read(request->body ? request->body : "", request->body_size, ret_value, err);
}

/* Parsing in the HTTP thread is fine: a body is 64 KiB at most. */
void ask_with_body(struct request *request, enum work_lane_id lane,
		   void (*work)(struct request *request))
{
	json_t *value = NULL;
	struct error err;

	if (!request->body_is_text && read_json(request, &value, &err) < 0) {
		request_reply_error(request, &err);
		return;
	}
	request->work_data = value;
	request->work_data_free = free_json;
	request_work(request, lane, work);
}

static int read_job(const struct request *request, struct definition *definition, struct error *err)
{
	const char *name = request_parameter(request, "name");
	struct fio_job_request job = {
		.text = request->body ? request->body : "",
		.size = request->body_size,
		.name = name ? name : "fio job",
		.target = request_parameter(request, "target"),
	};
	const char *repeats = request_parameter(request, "repeats");
	struct error why;

	if (repeats && repeats_parse(repeats, &job.repeats, &why) < 0)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "\"repeats\" in the query of the URL must be %s", why.message);
	return fio_job_read(&job, definition, err);
}

int ask_definition(const struct request *request, struct definition *definition, struct error *err)
{
	if (request->body_is_text)
		return read_job(request, definition, err);
	return definition_decode(request->work_data, definition_by_name, request->service->store,
				 definition, err);
}

int ask_run(const struct request *request, struct store_run *ret_run, struct error *err)
{
	int r = store_get_run(request->service->store, request_segment(request, "{id}"), ret_run);

	if (r < 0)
		(void)error_set(err, ERROR_NOT_FOUND, "", "there is no such run");
	return r;
}

int ask_engine(const struct service *service, const char *call, const char *definition,
	       char **ret_text, struct error *err)
{
	return supervisor_ask(service->supervisor, call, definition, ASK_DEADLINE_MS, ret_text,
			      err);
}

int ask_plan(const struct service *service, const struct definition *definition, char **ret_text,
	     struct error *err)
{
	char *text = definition_encode_text(definition);
	int r;

	if (!text)
		return error_no_memory(err);
	r = ask_engine(service, "plan", text, ret_text, err);
	free(text);
	return r;
}
