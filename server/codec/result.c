/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result.c (codec) - see result.h. */
#include "server/codec/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/io/measure.h"
#include "server/codec/definition.h"
#include "server/codec/definition_repeats.h"
#include "server/codec/fields.h"
#include "server/codec/plan.h"
#include "server/codec/sample.h"

#define FACTS_MAX 1000

/* ---- the machine ---- */

static json_t *uring_encode(const struct environment *environment)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_bool(value, "available", environment->uring_available);
	failed |= put_text(value, "reason", environment->uring);
	return put_end(value, failed);
}

static json_t *zfs_encode(const struct environment *environment)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_bool(value, "available", environment->zfs_available);
	failed |= put_text(value, "reason", environment->zfs);
	failed |= put_text_if(value, "version", environment->zfs_version);
	return put_end(value, failed);
}

json_t *environment_encode(const struct environment *environment)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "host", environment->host);
	failed |= put_text(value, "kernel", environment->kernel);
	failed |= put_text(value, "machine", environment->machine);
	failed |= put_text(value, "os", environment->os);
	failed |= put_text(value, "cpu_model", environment->cpu_model);
	failed |= put_u64(value, "cpus", environment->cpus);
	failed |= put_u64(value, "cpus_allowed", environment->cpus_allowed);
	failed |= put_u64(value, "memory_bytes", environment->memory_bytes);
	failed |= put_u64(value, "memory_available_bytes", environment->memory_available_bytes);
	failed |= put_value(value, "io_uring", uring_encode(environment));
	if (environment->zfs[0])
		failed |= put_value(value, "openzfs", zfs_encode(environment));
	failed |= put_text(value, "liburing", environment->liburing);
	failed |= put_text(value, "program_version", environment->program_version);
	return put_end(value, failed);
}

#define TEXT_INTO(in, name, member) get_text_into(in, name, false, member, sizeof(member))

static int environment_texts(const struct fields *in, struct environment *environment)
{
	int r;

	r = TEXT_INTO(in, "host", environment->host);
	if (r == 0)
		r = TEXT_INTO(in, "kernel", environment->kernel);
	if (r == 0)
		r = TEXT_INTO(in, "machine", environment->machine);
	if (r == 0)
		r = TEXT_INTO(in, "os", environment->os);
	if (r == 0)
		r = TEXT_INTO(in, "cpu_model", environment->cpu_model);
	if (r == 0)
		r = TEXT_INTO(in, "liburing", environment->liburing);
	if (r == 0)
		r = TEXT_INTO(in, "program_version", environment->program_version);
	return r;
}

/* Results of before it was told do not have it. */
static int zfs_decode(const struct fields *in, struct environment *environment)
{
	struct fields zfs;
	int r;

	if (!fields_have(in, "openzfs"))
		return 0;
	r = get_object(in, "openzfs", &zfs);
	if (r == 0)
		r = get_bool(&zfs, "available", &environment->zfs_available);
	if (r == 0)
		r = TEXT_INTO(&zfs, "reason", environment->zfs);
	return r < 0 ? r
		     : get_text_into(&zfs, "version", true, environment->zfs_version,
				     sizeof(environment->zfs_version));
}

int environment_decode(const json_t *value, struct environment *ret_environment)
{
	struct environment environment = {0};
	uint64_t cpus = 0, allowed = 0;
	struct fields in, uring;
	int r;

	r = fields_of(value, "", NULL, &in);
	if (r == 0)
		r = environment_texts(&in, &environment);
	if (r == 0)
		r = get_u64(&in, "cpus", UINT32_MAX, &cpus);
	if (r == 0)
		r = get_u64(&in, "cpus_allowed", UINT32_MAX, &allowed);
	if (r == 0)
		r = get_u64(&in, "memory_bytes", UINT64_MAX, &environment.memory_bytes);
	if (r == 0)
		r = get_u64(&in, "memory_available_bytes", UINT64_MAX,
			    &environment.memory_available_bytes);
	if (r == 0)
		r = get_object(&in, "io_uring", &uring);
	if (r == 0)
		r = get_bool(&uring, "available", &environment.uring_available);
	if (r == 0)
		r = TEXT_INTO(&uring, "reason", environment.uring);
	if (r == 0)
		r = zfs_decode(&in, &environment);
	if (r < 0)
		return r;
	environment.cpus = (unsigned int)cpus;
	environment.cpus_allowed = (unsigned int)allowed;
	*ret_environment = environment;
	return 0;
}

/* ---- what is known of a system that others measured ---- */

static json_t *facts_encode(const struct result *result)
{
	json_t *value = json_object();
	int failed = 0;

	for (size_t i = 0; i < result->fact_count; i++)
		failed |= put_text(value, result->facts[i].name, result->facts[i].value);
	return put_end(value, failed);
}

static int facts_decode(const struct fields *in, struct result *result)
{
	struct fields facts;
	size_t count;
	int r = get_object(in, "facts", &facts);

	if (r < 0)
		return r;
	count = json_object_size(facts.object);
	if (count > FACTS_MAX)
		return fields_error(in, ERROR_TOO_MANY, "facts", "at most %d are read", FACTS_MAX);
	result->facts = calloc(count + 1, sizeof(*result->facts));
	if (!result->facts)
		return error_no_memory(in->err);
	for (void *i = json_object_iter((json_t *)facts.object); i && r == 0;
	     i = json_object_iter_next((json_t *)facts.object, i)) {
		struct result_fact *fact = &result->facts[result->fact_count++];

		r = get_text(&facts, json_object_iter_key(i), false, &fact->value);
		fact->name = strdup(json_object_iter_key(i));
		if (r == 0 && !fact->name)
			r = error_no_memory(in->err);
	}
	return r;
}

/* ---- out ---- */

static json_t *targets_encode(const struct result *result)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; i < result->target_count; i++)
		failed |= json_array_append_new(list, target_info_encode(&result->targets[i]));
	return put_end(list, failed);
}

static json_t *samples_encode(const struct result *result)
{
	json_t *list = json_array();
	int failed = 0;

	for (size_t i = 0; i < result->sample_count && !failed; i++)
		failed |= json_array_append_new(list, sample_encode(&result->samples[i]));
	return put_end(list, failed);
}

json_t *result_encode(const struct result *result)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "schema", RESULT_SCHEMA);
	failed |= put_text(value, "id", result->id);
	failed |= put_text(value, "name", result->definition.name);
	failed |= put_text(value, "state", run_state_names[result->state]);
	failed |= put_time(value, "created", result->created_wall_ms);
	if (result->started_wall_ms > 0)
		failed |= put_time(value, "started", result->started_wall_ms);
	if (result->ended_wall_ms > 0)
		failed |= put_time(value, "ended", result->ended_wall_ms);
	if (result->error.code != ERROR_NONE)
		failed |= put_value(value, "error", json_error(&result->error));
	failed |= put_repeats_outcome(value, &result->repeats);
	failed |= put_value(value, "definition", definition_encode(&result->definition));
	if (result->backend[0]) {
		failed |= put_text(value, "backend", result->backend);
		failed |= put_text(value, "backend_reason", result->backend_reason);
	}
	if (result->environment.kernel[0])
		failed |= put_value(value, "environment", environment_encode(&result->environment));
	if (result->target_count > 0)
		failed |= put_value(value, "targets", targets_encode(result));
	if (result->fact_count > 0)
		failed |= put_value(value, "facts", facts_encode(result));
	failed |= put_u64(value, "planned_samples", result->planned_samples);
	failed |= put_value(value, "findings", findings_encode(&result->findings));
	failed |= put_value(value, "samples", samples_encode(result));
	return put_end(value, failed);
}

/* ---- in ---- */

static int head_decode(const struct fields *in, struct result *result)
{
	size_t state = 0;
	int r;

	r = get_schema(in, RESULT_SCHEMA);
	if (r == 0)
		r = get_text_into(in, "id", false, result->id, sizeof(result->id));
	if (r == 0)
		r = get_choice(in, "state", run_state_names, RUN_STATE_COUNT, &state);
	if (r == 0)
		r = get_time(in, "created", &result->created_wall_ms);
	if (r == 0 && fields_have(in, "started"))
		r = get_time(in, "started", &result->started_wall_ms);
	if (r == 0 && fields_have(in, "ended"))
		r = get_time(in, "ended", &result->ended_wall_ms);
	if (r == 0 && fields_have(in, "error"))
		json_error_read(json_object_get(in->object, "error"), &result->error);
	if (r == 0)
		r = get_repeats_outcome(in, &result->repeats);
	result->state = (enum run_state)state;
	return r;
}

static int backend_decode(const struct fields *in, struct result *result)
{
	size_t backend = 0;
	int r;

	r = get_choice(in, "backend", backend_names, BACKEND_NULL + 1, &backend);
	if (r == 0)
		r = get_text_into(in, "backend", false, result->backend, sizeof(result->backend));
	if (r == 0)
		r = get_text_into(in, "backend_reason", true, result->backend_reason,
				  sizeof(result->backend_reason));
	return r;
}

static int targets_decode(const struct fields *in, struct result *result)
{
	const json_t *list = NULL;
	int r;

	r = get_array(in, "targets", DEFINITION_TARGETS_MAX, &list);
	if (r < 0 || json_array_size(list) == 0)
		return r;
	result->targets = calloc(json_array_size(list), sizeof(*result->targets));
	if (!result->targets)
		return -ENOMEM;
	result->target_count = json_array_size(list);
	for (size_t i = 0; i < result->target_count; i++) {
		r = target_info_decode(json_array_get(list, i), &result->targets[i]);
		if (r == -EINVAL)
			return fields_error(in, ERROR_BAD_VALUE, "targets", "entry %zu is none", i);
		if (r < 0)
			return r;
	}
	return 0;
}

static int by_order(const void *a, const void *b)
{
	const struct sample *left = a, *right = b;

	return (left->order > right->order) - (left->order < right->order);
}

/* Room for one more: doubled where the count is a power of two, so that nothing need be kept. */
static int make_room(struct result *result)
{
	size_t count = result->sample_count;
	struct sample *samples;

	if ((count & (count - 1)) != 0)
		return 0;
	samples = reallocarray(result->samples, count ? 2 * count : 1, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	result->samples = samples;
	return 0;
}

int result_add_sample(struct result *result, const json_t *value, struct error *err)
{
	char pointer[ERROR_FIELD_MAX];
	struct sample *sample;
	int r;

	if (result->sample_count >= DEFINITION_SAMPLES_MAX)
		return error_set(err, ERROR_TOO_MANY, "/samples", "at most %d samples are read",
				 DEFINITION_SAMPLES_MAX);
	if (make_room(result) < 0)
		return error_no_memory(err);
	sample = &result->samples[result->sample_count];
	sample_init(sample);
	r = sample_decode(value, sample, err);
	if (r == 0) {
		result->sample_count++;
	} else if (r != -ENOMEM) {
		json_pointer_index(pointer, sizeof(pointer), "/samples", result->sample_count);
		error_prefix_field(err, pointer);
	}
	return r;
}

int result_end_samples(struct result *result, struct error *err)
{
	if (result->sample_count > 0)
		qsort(result->samples, result->sample_count, sizeof(*result->samples), by_order);
	for (size_t i = 1; i < result->sample_count; i++)
		if (result->samples[i].order == result->samples[i - 1].order)
			return error_set(err, ERROR_DUPLICATE, "/samples",
					 "two samples have order %zu", result->samples[i].order);
	return 0;
}

static int samples_decode(const struct fields *in, struct result *result)
{
	const json_t *list = NULL;
	int r = get_array(in, "samples", DEFINITION_SAMPLES_MAX, &list);

	for (size_t i = 0; r == 0 && i < json_array_size(list); i++)
		r = result_add_sample(result, json_array_get(list, i), in->err);
	return r < 0 ? r : result_end_samples(result, in->err);
}

static int definition_member_decode(const struct fields *in, struct result *result)
{
	struct fields inner;
	int r;

	r = get_object(in, "definition", &inner);
	if (r < 0)
		return r;
	r = definition_decode_stored(inner.object, &result->definition, in->err);
	if (r < 0)
		error_prefix_field(in->err, inner.pointer);
	return r;
}

static int parts_decode(const struct fields *in, struct result *result)
{
	const json_t *findings = NULL;
	uint64_t planned = 0;
	int r = 0;

	if (fields_have(in, "backend"))
		r = backend_decode(in, result);
	if (r == 0 && fields_have(in, "environment")) {
		r = environment_decode(json_object_get(in->object, "environment"),
				       &result->environment);
		if (r == -EINVAL)
			return fields_error(in, ERROR_BAD_VALUE, "environment",
					    "a machine's description is needed here");
	}
	if (r == 0 && fields_have(in, "targets"))
		r = targets_decode(in, result);
	if (r == 0 && fields_have(in, "facts"))
		r = facts_decode(in, result);
	if (r == 0)
		r = get_u64(in, "planned_samples", DEFINITION_SAMPLES_MAX, &planned);
	if (r == 0)
		r = get_array(in, "findings", DEFINITION_SAMPLES_MAX, &findings);
	if (r == 0) {
		r = findings_decode(findings, &result->findings);
		if (r == -EINVAL)
			return fields_error(in, ERROR_BAD_VALUE, "findings",
					    "an entry is no finding");
	}
	result->planned_samples = (size_t)planned;
	return r;
}

int result_decode(const json_t *value, struct result *result, struct error *err)
{
	struct fields in;
	int r;

	r = fields_of(value, "", err, &in);
	if (r == 0)
		r = head_decode(&in, result);
	if (r == 0)
		r = definition_member_decode(&in, result);
	if (r == 0)
		r = parts_decode(&in, result);
	if (r == 0)
		r = samples_decode(&in, result);
	if (r == -ENOMEM)
		(void)error_set(err, ERROR_NO_MEMORY, "", "not enough memory for the result");
	if (r < 0)
		result_done(result);
	return r;
}
