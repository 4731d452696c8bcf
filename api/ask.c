/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ask.c - see ask.h. */
#include "api/ask.h"

#include "server/codec/definition.h"
#include "server/codec/json.h"

static void free_json(void *data)
{
	json_decref(data);
}

/* Parsing in the HTTP thread is fine: a body is 64 KiB at most. */
void ask_with_body(struct request *request, enum work_lane_id lane,
		   void (*work)(struct request *request))
{
	json_t *value = NULL;
	struct error err;

	if (json_read(request->body ? request->body : "", request->body_size, &value, &err) < 0) {
		request_reply_error(request, &err);
		return;
	}
	request->work_data = value;
	request->work_data_free = free_json;
	request_work(request, lane, work);
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
