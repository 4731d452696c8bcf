/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system.c - what the service says of itself: /api/v1/system, /api/v1/targets, /healthz and
 * /openapi.yaml. */
#include <string.h>

#include "api/ask.h"
#include "api/handlers.h"
#include "engine/base/embedded.h"
#include "server/codec/json.h"

/* The engine's answer as a value. */
static int ask_value(struct request *request, const char *call, json_t **ret_value,
		     struct error *err)
{
	char *text = NULL;
	int r = ask_engine(request->service, call, NULL, &text, err);

	if (r == 0)
		r = json_read_own(text, strlen(text), ret_value, err);
	free(text);
	return r;
}

static json_t *texts(const char *const *from, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		(void)json_array_append_new(list, json_string(from[i]));
	return list;
}

static json_t *service_document(const struct service *service)
{
	const struct options *options = service->options;

	return json_pack("{s:s, s:b, s:I, s:I, s:b, s:o, s:o}", "version", VOLBENCH_VERSION,
			 "measuring", schedule_measuring(service->schedule), "queued",
			 (json_int_t)store_count(service->store, RUN_QUEUED), "queue_max",
			 (json_int_t)SCHEDULE_QUEUE_MAX, "read_only",
			 store_read_only(service->store), "allow",
			 texts(options->allow, options->allow_count), "allow_datasets",
			 texts(options->allow_datasets, options->allow_dataset_count));
}

/* In the engine's lane. */
static void reply_system(struct request *request)
{
	json_t *engine = NULL;
	struct error err;

	if (ask_value(request, "system", &engine, &err) < 0)
		request_reply_error(request, &err);
	else
		request_reply_json(request, 200,
				   json_pack("{s:o, s:o}", "service",
					     service_document(request->service), "engine", engine));
}

void handle_system(struct request *request)
{
	request_work(request, LANE_ENGINE, reply_system);
}

/* In the engine's lane. */
static void reply_targets(struct request *request)
{
	json_t *targets = NULL;
	struct error err;

	if (ask_value(request, "targets", &targets, &err) < 0)
		request_reply_error(request, &err);
	else
		request_reply_json(request, 200, json_pack("{s:o}", "targets", targets));
}

void handle_targets(struct request *request)
{
	request_work(request, LANE_ENGINE, reply_targets);
}

void handle_health(struct request *request)
{
	struct error err;

	if (store_read_only(request->service->store)) {
		(void)error_set(&err, ERROR_READ_ONLY, "",
				"the state directory could not be written to; the service keeps "
				"nothing any more until it is started again");
		request_reply_error(request, &err);
		return;
	}
	request_reply_json(request, 200,
			   json_pack("{s:s, s:s}", "status", "ok", "version", VOLBENCH_VERSION));
}

void handle_openapi(struct request *request)
{
	const struct embedded *file = embedded_find("openapi.yaml");

	request_reply_static(request, "application/yaml", file->data, embedded_size(file));
}
