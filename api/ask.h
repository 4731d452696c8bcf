/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ask.h - what handlers ask of the engine, and how they read a definition out of a body.
 *
 * ask_... block: they are called in a worker thread (request_work), LANE_ENGINE for those that
 * start an engine. A question has 20 s.
 */
#ifndef API_ASK_H
#define API_ASK_H

#include "api/request.h"
#include "engine/plan/definition.h"

#define ASK_DEADLINE_MS 20000

/* The JSON of the body; strict. In the HTTP thread is fine: a body is 64 KiB at most. */
MUST_CHECK int ask_body(const struct request *request, json_t **ret_value, struct error *err);

/* One question; the answer's JSON text, heap. definition: its JSON text, or NULL. */
MUST_CHECK int ask_engine(const struct service *service, const char *call, const char *definition,
			  char **ret_text, struct error *err);

/* The engine's plan of a definition as text. */
MUST_CHECK int ask_plan(const struct service *service, const struct definition *definition,
			char **ret_text, struct error *err);

#endif
