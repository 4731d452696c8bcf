/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c - POST /api/v1/plan: what a run of a definition would do. Nothing is changed. */
#include <string.h>

#include "api/ask.h"
#include "api/handlers.h"

/* In the engine's lane. */
static void plan(struct request *request)
{
	struct definition definition;
	struct error err;
	char *text = NULL;
	int r;

	definition_init(&definition);
	r = ask_definition(request, &definition, &err);
	if (r == 0)
		r = ask_plan(request->service, &definition, &text, &err);
	definition_done(&definition);
	if (r < 0)
		request_reply_error(request, &err);
	else
		request_reply_text(request, 200, "application/json", text, strlen(text));
}

void handle_plan(struct request *request)
{
	ask_with_body(request, LANE_ENGINE, plan);
}
