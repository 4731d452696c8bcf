/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c (codec) - see plan.h. */
#include "server/codec/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "engine/plan/fio_made.h"
#include "engine/plan/workload_order.h"
#include "server/codec/definition.h"
#include "server/codec/fields.h"
#include "server/codec/zfs_facts.h"

/* ---- findings ---- */

static int put_names_if(json_t *value, const char *name, const struct finding *finding)
{
	json_t *list;
	int failed = 0;

	if (finding->workload_count == 0)
		return 0;
	list = json_array();
	for (size_t i = 0; i < finding->workload_count; i++)
		failed |= append_text(list, finding->workloads[i]);
	return failed | put_value(value, name, list);
}

static json_t *finding_encode(const struct finding *finding)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "severity", finding_severity_names[finding->severity]);
	failed |= put_text(value, "code", finding->code);
	failed |= put_names_if(value, "workloads", finding);
	failed |= put_text_if(value, "cell", finding->cell);
	failed |= put_text(value, "message", finding->message);
	failed |= put_text_if(value, "expected", finding->expected);
	failed |= put_text_if(value, "found", finding->found);
	return put_end(value, failed);
}

json_t *findings_encode(const struct findings *findings)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; i < findings->count; i++)
		failed |= json_array_append_new(list, finding_encode(&findings->list[i]));
	return put_end(list, failed);
}

/* Borrowed, to be read only. NULL where the member is absent; -EINVAL where it is no text. */
static int text_of(const json_t *object, const char *name, char **ret_text)
{
	const json_t *value = json_object_get(object, name);

	*ret_text = (char *)json_string_value(value);
	return value && !*ret_text ? -EINVAL : 0;
}

/* The names of an array in *finding, borrowed but for the list itself, which the caller frees. */
static int names_of(const json_t *value, struct finding *finding)
{
	size_t count = json_array_size(value);

	if (!value)
		return 0;
	if (!json_is_array(value) || count > DEFINITION_WORKLOADS_MAX)
		return -EINVAL;
	finding->workloads = calloc(count + 1, sizeof(*finding->workloads));
	if (!finding->workloads)
		return -ENOMEM;
	for (; finding->workload_count < count; finding->workload_count++) {
		const json_t *name = json_array_get(value, finding->workload_count);

		if (!json_is_string(name))
			return -EINVAL;
		finding->workloads[finding->workload_count] = (char *)json_string_value(name);
	}
	return 0;
}

static int finding_decode(const json_t *entry, struct findings *findings)
{
	struct finding finding = {0};
	struct fields in;
	size_t severity = 0;
	int r;

	if (fields_of(entry, "", NULL, &in) < 0 ||
	    get_choice(&in, "severity", finding_severity_names, FINDING_ERROR + 1, &severity) < 0 ||
	    text_of(entry, "code", &finding.code) < 0 ||
	    text_of(entry, "message", &finding.message) < 0 ||
	    text_of(entry, "cell", &finding.cell) < 0 ||
	    text_of(entry, "expected", &finding.expected) < 0 ||
	    text_of(entry, "found", &finding.found) < 0 || !finding.code || !finding.message)
		return -EINVAL;
	finding.severity = (enum finding_severity)severity;
	r = names_of(json_object_get(entry, "workloads"), &finding);
	if (r == 0)
		r = findings_append(findings, &finding);
	free(finding.workloads);
	return r;
}

int findings_decode(const json_t *value, struct findings *findings)
{
	int r = json_is_array(value) ? 0 : -EINVAL;

	for (size_t i = 0; r == 0 && i < json_array_size(value); i++)
		r = finding_decode(json_array_get(value, i), findings);
	return r;
}

int findings_decode_text(const char *text, struct findings *findings)
{
	json_t *value = NULL;
	int r = json_read_own(text, strlen(text), &value, NULL);

	if (r == 0)
		r = findings_decode(value, findings);
	json_decref(value);
	return r;
}

/* ---- targets ---- */

json_t *target_info_encode(const struct target_info *info)
{
	json_t *value = json_object();
	char number[32];
	int failed = 0;

	failed |= put_text(value, "kind", target_kind_names[info->kind]);
	failed |= put_text(value, "path", info->path);
	failed |= put_text_if(value, "filesystem", info->filesystem);
	failed |= put_u64(value, "size_bytes", info->size_bytes);
	failed |= put_u64(value, "free_bytes", info->free_bytes);
	failed |= put_u64(value, "logical_block_bytes", info->logical_block_bytes);
	failed |= put_bool(value, "nowait", info->nowait);
	failed |= put_bool(value, "direct", info->direct);
	failed |= put_bool(value, "checked", info->checked);
	failed |= put_text_if(value, "device", info->device);
	if (info->device_number != 0) {
		(void)snprintf(number, sizeof(number), "%u:%u", major(info->device_number),
			       minor(info->device_number));
		failed |= put_text(value, "device_number", number);
	}
	failed |= put_text_if(value, "fingerprint", info->fingerprint);
	if (info->zfs.pool[0])
		failed |= put_value(value, "zfs", zfs_facts_encode(&info->zfs));
	return put_end(value, failed);
}

/* "8:16"; 0 where the member is absent. */
static int device_number_decode(const struct fields *in, dev_t *ret_number)
{
	unsigned int major_number, minor_number;
	char text[32], again[32];
	int r;

	r = get_text_into(in, "device_number", true, text, sizeof(text));
	if (r < 0 || text[0] == '\0')
		return r;
	if (sscanf(text, "%9u:%9u", &major_number, &minor_number) != 2)
		return -EINVAL;
	(void)snprintf(again, sizeof(again), "%u:%u", major_number, minor_number);
	if (strcmp(text, again) != 0)
		return -EINVAL;
	*ret_number = makedev(major_number, minor_number);
	return 0;
}

static int pool_decode(const struct fields *in, struct zfs_facts *facts)
{
	struct fields pool;
	int r = fields_have(in, "zfs") ? get_object(in, "zfs", &pool) : -ENOENT;

	if (r == -ENOENT)
		return 0;
	return r < 0 ? r : zfs_facts_decode(&pool, facts);
}

int target_info_decode(const json_t *value, struct target_info *ret_info)
{
	AUTO_FREE struct target_info *info = calloc(1, sizeof(*info));
	uint64_t block = 0;
	size_t kind = 0;
	struct fields in;
	int r;

	if (!info)
		return -ENOMEM;
	r = fields_of(value, "", NULL, &in);
	if (r == 0)
		r = get_choice(&in, "kind", target_kind_names, TARGET_KIND_COUNT, &kind);
	if (r == 0)
		r = get_text_into(&in, "path", false, info->path, sizeof(info->path));
	if (r == 0)
		r = get_text_into(&in, "filesystem", true, info->filesystem,
				  sizeof(info->filesystem));
	if (r == 0)
		r = get_u64(&in, "size_bytes", UINT64_MAX, &info->size_bytes);
	if (r == 0)
		r = get_u64(&in, "free_bytes", UINT64_MAX, &info->free_bytes);
	if (r == 0)
		r = get_u64(&in, "logical_block_bytes", UINT32_MAX, &block);
	if (r == 0)
		r = get_bool(&in, "nowait", &info->nowait);
	if (r == 0)
		r = get_bool(&in, "direct", &info->direct);
	if (r == 0)
		r = get_bool(&in, "checked", &info->checked);
	if (r == 0)
		r = get_text_into(&in, "device", true, info->device, sizeof(info->device));
	if (r == 0)
		r = device_number_decode(&in, &info->device_number);
	if (r == 0)
		r = get_text_into(&in, "fingerprint", true, info->fingerprint,
				  sizeof(info->fingerprint));
	if (r == 0)
		r = pool_decode(&in, &info->zfs);
	if (r < 0)
		return r;
	info->kind = (enum target_kind)kind;
	info->logical_block_bytes = (unsigned int)block;
	*ret_info = *info;
	return 0;
}

json_t *target_list_encode(const struct target_list *list)
{
	json_t *value = json_array();
	int failed = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct target_candidate *candidate = &list->list[i];
		json_t *entry = target_info_encode(&candidate->info);
		int bad = put_bool(entry, "usable", candidate->usable);

		if (candidate->reason.code != ERROR_NONE)
			bad |= put_value(entry, "reason", json_error(&candidate->reason));
		failed |= json_array_append_new(value, put_end(entry, bad));
	}
	return put_end(value, failed);
}

/* ---- the plan ---- */

static const char *workload_name(const struct plan *plan, const struct plan_sample *sample)
{
	return plan->definition->workloads[sample->workload].name;
}

static json_t *levels_encode(const struct plan *plan, const struct plan_sample *sample)
{
	json_t *levels = json_object();
	int failed = 0;

	for (size_t i = 0; i < plan->definition->factor_count; i++) {
		const struct factor *factor = &plan->definition->factors[i];

		failed |= put_text(levels, factor->name, factor->levels[sample->levels[i]]);
	}
	return put_end(levels, failed);
}

static json_t *samples_encode(const struct plan *plan)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; i < plan->sample_count; i++) {
		const struct plan_sample *sample = &plan->samples[i];
		json_t *value = json_object();
		int bad = 0;

		bad |= put_u64(value, "order", sample->order);
		bad |= put_text(value, "workload", workload_name(plan, sample));
		bad |= put_value(value, "levels", levels_encode(plan, sample));
		bad |= put_u64(value, "repeat", sample->repeat);
		bad |= put_text(value, "target", plan->definition->targets[sample->target].path);
		bad |= put_u64(value, "seed", sample->seed);
		failed |= json_array_append_new(list, put_end(value, bad));
	}
	return put_end(list, failed);
}

static json_t *cell_encode(const struct plan *plan, const struct plan_sample *sample)
{
	const struct target_spec *target = &plan->definition->targets[sample->target];
	AUTO_FREE char *fio = NULL, *path = NULL;
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "workload", workload_name(plan, sample));
	failed |= put_value(value, "levels", levels_encode(plan, sample));
	failed |= put_text(value, "target", target->path);
	failed |= put_value(value, "options", workload_encode(&sample->options, true));
	/* fio has no such job */
	if (workload_metadata(&sample->options) || workload_beyond_fio(&sample->options))
		return put_end(value, failed);
	path = fio_made_path(plan, sample->instance);
	if (path)
		fio = workload_format_fio(&sample->options, path,
					  target_kind_has_files(target->kind));
	failed |= fio ? put_text(value, "fio", fio) : -1;
	return put_end(value, failed);
}

/* Where a sample's cell stands: workload by workload, the first factor running fastest. */
static size_t cell_place(const struct plan *plan, const struct plan_sample *sample)
{
	size_t place = sample->workload;

	for (size_t i = plan->definition->factor_count; i-- > 0;)
		place = place * plan->definition->factors[i].level_count + sample->levels[i];
	return place;
}

static json_t *cells_encode(const struct plan *plan)
{
	size_t repeats = plan->definition->repeats > 0 ? plan->definition->repeats : 1;
	size_t count = plan->sample_count / repeats;
	AUTO_FREE const struct plan_sample **cells = calloc(count + 1, sizeof(*cells));
	json_t *list = json_array();
	int failed = cells ? 0 : -1;

	for (size_t i = 0; i < plan->sample_count && !failed; i++) {
		size_t place = cell_place(plan, &plan->samples[i]);

		if (plan->samples[i].repeat == 1 && place < count)
			cells[place] = &plan->samples[i];
	}
	for (size_t i = 0; i < count && !failed; i++)
		if (cells[i])
			failed |= json_array_append_new(list, cell_encode(plan, cells[i]));
	return put_end(list, failed);
}

static const char *action_of(const struct target_spec *target)
{
	if (target->existing)
		return "read";
	return target->kind == TARGET_DEVICE ? "overwrite" : "create";
}

/* What is made of a zvol or dataset: one for each combination of properties. */
static json_t *instances_encode(const struct plan *plan, size_t target)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; i < plan->instance_count; i++) {
		const struct properties *properties = &plan->instances[i].spec.properties;
		json_t *value, *texts;
		int bad = 0;

		if (plan->instances[i].target != target)
			continue;
		value = json_object();
		texts = json_object();
		for (size_t k = 0; k < properties->count; k++)
			bad |= put_text(texts, properties->list[k].name, properties->list[k].value);
		bad |= put_value(value, "properties", texts);
		failed |= json_array_append_new(list, put_end(value, bad));
	}
	return put_end(list, failed);
}

static json_t *targets_encode(const struct plan *plan, const struct target_info *infos)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; i < plan->definition->target_count; i++) {
		const struct target_spec *target = &plan->definition->targets[i];
		json_t *value = json_object();
		uint64_t bytes = 0, files = 0;
		int bad = plan_target_extent(plan, i, &bytes, &files);

		if (target->kind == TARGET_ZVOL)
			bad |= plan_volume_bytes(plan, i, &bytes);
		bad |= put_text_if(value, "name", target->name);
		bad |= put_value(value, "info", target_info_encode(&infos[i]));
		bad |= put_text(value, "action", action_of(target));
		bad |= put_u64(value, "files", files);
		bad |= put_u64(value, "file_bytes", bytes);
		if (target_kind_is_zfs(target->kind))
			bad |= put_value(value, "instances", instances_encode(plan, i));
		failed |= json_array_append_new(list, put_end(value, bad));
	}
	return put_end(list, failed);
}

static json_t *least_encode(const struct estimate_least *least)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_u64(value, "sample_count", least->samples);
	failed |= put_real(value, "seconds", least->seconds);
	failed |= put_u64(value, "bytes_read", least->bytes_read);
	failed |= put_u64(value, "bytes_written", least->bytes_written);
	return put_end(value, failed);
}

static json_t *estimate_encode(const struct estimate *estimate)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_real(value, "seconds", estimate->seconds);
	failed |= put_u64(value, "bytes_read", estimate->bytes_read);
	failed |= put_u64(value, "bytes_written", estimate->bytes_written);
	failed |= put_u64(value, "fill_bytes", estimate->fill_bytes);
	failed |= put_u64(value, "space_bytes", estimate->space_bytes);
	failed |= put_u64(value, "memory_bytes", estimate->memory_bytes);
	failed |= put_u64(value, "threads", estimate->threads);
	if (estimate->least.samples > 0)
		failed |= put_value(value, "least", least_encode(&estimate->least));
	return put_end(value, failed);
}

json_t *plan_encode(const struct plan *plan, const struct target_info *infos,
		    enum backend_kind backend, const char *backend_reason)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "schema", PLAN_SCHEMA);
	failed |= put_text(value, "name", plan->definition->name);
	failed |= put_value(value, "definition", definition_encode(plan->definition));
	failed |= put_text(value, "backend", backend_names[backend]);
	failed |= put_text(value, "backend_reason", backend_reason);
	failed |= put_value(value, "targets", targets_encode(plan, infos));
	failed |= put_value(value, "estimate", estimate_encode(&plan->estimate));
	failed |= put_u64(value, "sample_count", plan->sample_count);
	failed |= put_value(value, "cells", cells_encode(plan));
	failed |= put_value(value, "samples", samples_encode(plan));
	failed |= put_value(value, "findings", findings_encode(&plan->findings));
	return put_end(value, failed);
}
