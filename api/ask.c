/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ask.c - see ask.h. */
#include "api/ask.h"

#include <errno.h>

#include "server/codec/definition.h"
#include "server/codec/json.h"

int ask_body(const struct request *request, json_t **ret_value, struct error *err)
{
	return json_read(request->body ? request->body : "", request->body_size, ret_value, err);
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

	if (!text) {
		(void)error_set(err, ERROR_NO_MEMORY, "", "out of memory");
		return -ENOMEM;
	}
	r = ask_engine(service, "plan", text, ret_text, err);
	free(text);
	return r;
}
