/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view.c - see view.h. */
#include "server/codec/view.h"

#include <errno.h>
#include <string.h>

#include "server/codec/fields.h"
#include "server/codec/json.h"
#include "server/codec/plan.h"
#include "server/codec/sample.h"

#define SECONDS_MAX 1e12

static int read_least(const struct fields *estimate, struct estimate_least *least)
{
	uint64_t samples = 0;
	struct fields in;
	int r = get_object(estimate, "least", &in);

	if (r == 0)
		r = get_u64(&in, "sample_count", DEFINITION_SAMPLES_MAX, &samples);
	if (r == 0)
		r = get_real(&in, "seconds", SECONDS_MAX, &least->seconds);
	if (r == 0)
		r = get_u64(&in, "bytes_read", UINT64_MAX, &least->bytes_read);
	if (r == 0)
		r = get_u64(&in, "bytes_written", UINT64_MAX, &least->bytes_written);
	least->samples = (size_t)samples;
	return r;
}

static int read_estimate(const struct fields *plan, struct estimate *estimate)
{
	struct fields in;
	int r = get_object(plan, "estimate", &in);

	if (r == 0)
		r = get_real(&in, "seconds", SECONDS_MAX, &estimate->seconds);
	if (r == 0)
		r = get_u64(&in, "bytes_read", UINT64_MAX, &estimate->bytes_read);
	if (r == 0)
		r = get_u64(&in, "bytes_written", UINT64_MAX, &estimate->bytes_written);
	if (r == 0)
		r = get_u64(&in, "fill_bytes", UINT64_MAX, &estimate->fill_bytes);
	if (r == 0)
		r = get_u64(&in, "space_bytes", UINT64_MAX, &estimate->space_bytes);
	if (r == 0)
		r = get_u64(&in, "memory_bytes", UINT64_MAX, &estimate->memory_bytes);
	if (r == 0)
		r = get_u64(&in, "threads", UINT64_MAX, &estimate->threads);
	if (r == 0 && fields_have(&in, "least"))
		r = read_least(&in, &estimate->least);
	return r;
}

static int read_target(const struct fields *in, struct view_target *target)
{
	int r = target_info_decode(json_object_get(in->object, "info"), &target->info);

	if (r < 0)
		return fields_error(in, ERROR_BAD_VALUE, "info", "a target is needed here");
	r = get_text_into(in, "action", false, target->action, sizeof(target->action));
	if (r == 0)
		r = get_u64(in, "files", UINT64_MAX, &target->files);
	if (r == 0)
		r = get_u64(in, "file_bytes", UINT64_MAX, &target->file_bytes);
	return r;
}

static int read_targets(const struct fields *plan, struct plan_view *view)
{
	const json_t *list;
	struct fields in;
	int r = get_array(plan, "targets", DEFINITION_TARGETS_MAX, &list);

	if (r < 0)
		return r;
	view->targets = calloc(json_array_size(list) + 1, sizeof(*view->targets));
	if (!view->targets)
		return error_no_memory(plan->err);
	view->target_count = json_array_size(list);
	for (size_t i = 0; r == 0 && i < view->target_count; i++) {
		r = get_element(plan, "targets", list, i, &in);
		if (r == 0)
			r = read_target(&in, &view->targets[i]);
	}
	return r;
}

static int read_plan(const struct fields *in, struct plan_view *view)
{
	int r = get_schema(in, PLAN_SCHEMA);

	if (r == 0)
		r = get_text_into(in, "backend", false, view->backend, sizeof(view->backend));
	if (r == 0)
		r = get_text_into(in, "backend_reason", false, view->backend_reason,
				  sizeof(view->backend_reason));
	if (r == 0)
		r = read_estimate(in, &view->estimate);
	if (r == 0)
		r = read_targets(in, view);
	if (r == 0 && findings_decode(json_object_get(in->object, "findings"), &view->findings) < 0)
		r = fields_error(in, ERROR_BAD_VALUE, "findings", "an entry is no finding");
	return r;
}

int plan_view_read(const char *text, struct plan_view *ret_view, struct error *err)
{
	struct plan_view view = {.target_count = 0};
	struct fields in;
	json_t *value;
	int r = json_read_own(text, strlen(text), &value, err);

	if (r < 0)
		return r;
	findings_init(&view.findings);
	r = fields_of(value, "", err, &in);
	if (r == 0)
		r = read_plan(&in, &view);
	json_decref(value);
	if (r < 0)
		plan_view_done(&view);
	else
		*ret_view = view;
	return r;
}

void plan_view_done(struct plan_view *view)
{
	free(view->targets);
	view->targets = NULL;
	view->target_count = 0;
	findings_done(&view->findings);
}

int view_sample(const char *text, size_t size, struct sample *ret_sample, struct error *err)
{
	json_t *value;
	int r = json_read_own(text, size, &value, err);

	if (r < 0)
		return r;
	sample_init(ret_sample);
	r = sample_decode(value, ret_sample, err);
	json_decref(value);
	if (r < 0)
		sample_done(ret_sample);
	return r;
}
