/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ask.h - what several handlers ask: of the request, of the store, of the engine.
 *
 * ask_engine and ask_plan block: they are called in a worker thread (request_work) of LANE_ENGINE.
 * A question has 20 s.
 */
#ifndef API_ASK_H
#define API_ASK_H

#include "api/request.h"
#include "engine/plan/definition.h"

/* Longer than the engine waits for a zfs or zpool that hangs (zfs_patience_ask, and its grace), so
 * that it can say so. */
#define ASK_DEADLINE_MS 30000

/*
 * A handler of a call that takes a body: reads it and goes on with `work` in a lane, which finds
 * the JSON in request->work_data, NULL where the body is text; answers what is wrong with it.
 */
void ask_with_body(struct request *request, enum work_lane_id lane,
		   void (*work)(struct request *request));

/*
 * The definition that a run or plan is asked for with: JSON, or an fio job file with target, name
 * and repeats in the query. In a lane: a definition by name is read from the disk.
 */
MUST_CHECK int ask_definition(const struct request *request, struct definition *definition,
			      struct error *err);

/* The run that the request's path names; NOT_FOUND where there is none. */
MUST_CHECK int ask_run(const struct request *request, struct store_run *ret_run, struct error *err);

/* One question; the answer's JSON text, heap. definition: its JSON text, or NULL. */
MUST_CHECK int ask_engine(const struct service *service, const char *call, const char *definition,
			  char **ret_text, struct error *err);

/* The engine's plan of a definition as text. */
MUST_CHECK int ask_plan(const struct service *service, const struct definition *definition,
			char **ret_text, struct error *err);

#endif
