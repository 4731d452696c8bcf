/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call.c - see call.h. */
#include "server/codec/call.h"

#include <string.h>

#include "engine/base/text.h"
#include "engine/target/manifest.h"
#include "server/codec/definition.h"
#include "server/codec/fields.h"
#include "server/codec/plan.h"
#include "server/codec/result.h"

static const struct {
	const char *name;
	bool run, definition; /* members it wants */
} calls[CALL_COUNT] = {
	[CALL_PLAN] = {"plan", false, true},	  [CALL_TARGETS] = {"targets", false, false},
	[CALL_SYSTEM] = {"system", false, false}, [CALL_SWEEP] = {"sweep", false, false},
	[CALL_RUN] = {"run", true, true},	  [CALL_CANCEL] = {"cancel", false, false},
};

static int read_call(const json_t *value, enum call_kind *ret_kind, struct error *err)
{
	const char *name = json_string_value(json_object_get(value, "call"));
	char excerpt[TEXT_EXCERPT_MAX];

	for (size_t i = 0; name && i < CALL_COUNT; i++) {
		if (strcmp(calls[i].name, name) == 0) {
			*ret_kind = (enum call_kind)i;
			return 0;
		}
	}
	return error_set(err, name ? ERROR_BAD_VALUE : ERROR_MISSING_FIELD, "",
			 "A request has \"call\": plan, targets, system, sweep, run or cancel%s%s.",
			 name ? ", not " : "", name ? text_excerpt(name, excerpt) : "");
}

static int read_run_id(const json_t *value, struct call *call, struct error *err)
{
	const char *id = json_string_value(json_object_get(value, "run"));

	if (!id || strlen(id) >= sizeof(call->run_id) || !manifest_run_id_ok(id))
		return error_set(
			err, id ? ERROR_BAD_ID : ERROR_MISSING_FIELD, "",
			"The call run wants \"run\": at most %zu of A-Z a-z 0-9 . _ -, not "
			"beginning with a dot.",
			sizeof(call->run_id) - 1);
	memcpy(call->run_id, id, strlen(id) + 1);
	return 0;
}

static int read_members(const json_t *value, struct call *call, struct error *err)
{
	static const char *const names[] = {"call", "run", "definition", NULL};
	const json_t *definition = json_object_get(value, "definition");
	int r;

	if (!json_is_object(value))
		return error_set(err, ERROR_WRONG_TYPE, "", "A request is a JSON object.");
	r = json_only_members(value, "", names, err);
	if (r == 0)
		r = read_call(value, &call->kind, err);
	if (r == 0 && calls[call->kind].run)
		r = read_run_id(value, call, err);
	if (r < 0 || !calls[call->kind].definition)
		return r;
	if (!definition)
		return error_set(err, ERROR_MISSING_FIELD, "", "The call %s wants \"definition\".",
				 calls[call->kind].name);
	return definition_decode(definition, NULL, NULL, &call->definition, err);
}

int call_read(const char *line, size_t size, struct call *ret_call, struct error *err)
{
	struct call call = {.kind = CALL_COUNT};
	json_t *value;
	int r = json_read_own(line, size, &value, err);

	if (r < 0)
		return r;
	definition_init(&call.definition);
	r = read_members(value, &call, err);
	json_decref(value);
	if (r < 0) {
		call_done(&call);
		return r;
	}
	*ret_call = call;
	return 0;
}

void call_done(struct call *call)
{
	definition_done(&call->definition);
}

static json_t *encode_targets(const struct plan *plan, const struct target_info *infos)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < plan->definition->target_count; i++) {
		if (json_array_append_new(array, target_info_encode(&infos[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

json_t *call_started(const struct plan *plan, const struct target_info *infos,
		     const struct environment *environment, enum backend_kind backend,
		     const char *backend_reason)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_value(value, "plan", plan_encode(plan, infos, backend, backend_reason));
	failed |= put_value(value, "environment", environment_encode(environment));
	failed |= put_value(value, "targets", encode_targets(plan, infos));
	failed |= put_text(value, "backend", backend_names[backend]);
	failed |= put_text(value, "backend_reason", backend_reason);
	return put_end(value, failed);
}
