/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample.c (codec) - see sample.h.
 * Length: every part of a sample is written and read here, side by side.
 */
#include "server/codec/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/io/measure.h"
#include "engine/plan/definition.h"
#include "engine/plan/steadystate.h"
#include "server/codec/definition.h"
#include "server/codec/file_results.h"
#include "server/codec/plan.h"
#include "server/codec/sample_zfs.h"
#include "server/codec/series.h"
#include "server/codec/source.h"
#include "server/codec/steadystate.h"
#include "server/codec/verify.h"

#define SECONDS_MAX 1e9
#define JOBS_MAX 1024

static const char *const stamp_names[] = {"batch", "operation"};

/* ---- out ---- */

static json_t *levels_encode(const struct sample *sample)
{
	json_t *levels = json_object();
	int failed = 0;

	for (size_t i = 0; i < sample->level_count; i++)
		failed |= put_text(levels, sample->levels[i].factor, sample->levels[i].value);
	return put_end(levels, failed);
}

static int put_directions(json_t *object, const struct sample *sample)
{
	struct percentiles list;
	int failed = 0;

	latency_percentiles(&sample->options, &list);

	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (sample_moves(sample, (enum direction)d))
			failed |= put_value(
				object, direction_names[d],
				sample->source
					? source_direction_encode(sample, (enum direction)d, &list)
					: direction_encode(&sample->directions[d], sample->seconds,
							   &list));
	return failed;
}

static json_t *sync_encode(const struct sample *sample, const struct histogram *sync)
{
	struct percentiles list;
	json_t *value = json_object();
	int failed = 0;

	latency_percentiles(&sample->options, &list);
	failed |= put_u64(value, "ios", sync->count);
	failed |= put_latency(value, "latency_ns", "histogram", sync, &list);
	return put_end(value, failed);
}

static int put_syncs(json_t *object, const struct sample *sample, const struct histogram *sync,
		     const struct histogram *datasync, const struct histogram *end_fsync)
{
	int failed = 0;

	if (sync && sync->count > 0)
		failed |= put_value(object, "sync", sync_encode(sample, sync));
	if (datasync && datasync->count > 0)
		failed |= put_value(object, "datasync", sync_encode(sample, datasync));
	if (end_fsync && end_fsync->count > 0)
		failed |= put_value(object, "end_fsync", sync_encode(sample, end_fsync));
	return failed;
}

static json_t *job_encode(const struct sample *sample, const struct job_result *job)
{
	json_t *value = json_object();
	struct percentiles list;
	int failed = put_text_if(value, "name", job->name);

	latency_percentiles(&sample->options, &list);
	failed |= put_u64(value, "numjobs", job->jobs);
	failed |= put_real(value, "seconds", job->seconds);
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (sample_job_moves(sample, job, (enum direction)d))
			failed |= put_value(
				value, direction_names[d],
				direction_encode(&job->directions[d], job->seconds, &list));
	failed |= put_syncs(value, sample, job->sync, job->datasync, job->end_fsync);
	return put_end(value, failed);
}

static json_t *jobs_encode(const struct sample *sample)
{
	json_t *jobs = json_array();
	int failed = 0;

	for (size_t i = 0; i < sample->job_count; i++)
		failed |= json_array_append_new(jobs, job_encode(sample, &sample->jobs[i]));
	return put_end(jobs, failed);
}

static json_t *cpu_encode(const struct cpu_delta *cpu)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_real(value, "user", cpu->user_s);
	failed |= put_real(value, "system", cpu->system_s);
	failed |= put_real(value, "machine_busy", cpu->machine_busy_s);
	failed |= put_real(value, "machine_steal", cpu->machine_steal_s);
	return put_end(value, failed);
}

static json_t *device_encode(const struct device_delta *device, double seconds)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "name", device->name);
	failed |= put_u64(value, "reads", device->reads);
	failed |= put_u64(value, "read_bytes", device->read_bytes);
	failed |= put_u64(value, "writes", device->writes);
	failed |= put_u64(value, "written_bytes", device->written_bytes);
	failed |= put_u64(value, "io_ms", device->io_ms);
	failed |= put_u64(value, "weighted_ms", device->weighted_ms);
	failed |= put_real(value, "mean_queue",
			   seconds > 0 ? (double)device->weighted_ms / (seconds * 1000) : 0);
	return put_end(value, failed);
}

static json_t *free_encode(const struct sample *sample)
{
	json_t *value = json_object();
	int failed = 0;

	failed |= put_u64(value, "before", sample->free_bytes_before);
	failed |= put_u64(value, "after", sample->free_bytes_after);
	return put_end(value, failed);
}

static const char *const failed_names[DIRECTION_COUNT + 1] = {"read", "write", "trim", "sync"};

static json_t *failed_encode(const struct sample *sample)
{
	json_t *value = json_object();
	int failed = 0;

	for (int i = 0; i <= DIRECTION_COUNT; i++)
		failed |= put_u64(value, failed_names[i], sample->failed[i]);
	if (sample->first_failure)
		failed |= put_text(value, "first", sample->first_failure);
	return put_end(value, failed);
}

/* Which one it is of those that were to be measured. */
static int put_place(json_t *value, const struct sample *sample)
{
	int failed = 0;

	failed |= put_text(value, "schema", SAMPLE_SCHEMA);
	failed |= put_u64(value, "order", sample->order);
	failed |= put_text(value, "workload", sample->workload);
	failed |= put_value(value, "levels", levels_encode(sample));
	failed |= put_u64(value, "repeat", sample->repeat);
	return failed;
}

/* What was asked for and how it was measured. */
static int put_conditions(json_t *value, const struct sample *sample)
{
	int failed = put_place(value, sample);

	failed |= put_text(value, "target", sample->target);
	failed |= put_time(value, "started", sample->started_wall_ms);
	failed |= put_real(value, "seconds", sample->seconds);
	failed |= put_real(value, "ramp_seconds", sample->ramp_seconds);
	failed |= put_value(value, "options", workload_encode(&sample->options, true));
	failed |= put_u64(value, "seed", sample->seed);
	failed |= put_text(value, "backend", sample->backend);
	failed |= put_text(value, "backend_reason", sample->backend_reason);
	failed |= put_text(value, "latency_stamp", stamp_names[sample->latency_per_operation]);
	failed |= put_u64(value, "error_count", sample->error_count);
	if (sample_failed(sample) > 0)
		failed |= put_value(value, "failed", failed_encode(sample));
	return failed;
}

/* The same of one that was imported: what is not known is absent. */
static int put_told_conditions(json_t *value, const struct sample *sample)
{
	int failed = put_place(value, sample);

	failed |= put_text_if(value, "target", sample->target);
	if (sample->started_wall_ms > 0)
		failed |= put_time(value, "started", sample->started_wall_ms);
	if (sample->source->seconds_known)
		failed |= put_real(value, "seconds", sample->seconds);
	failed |= put_value(value, "options", workload_encode(&sample->options, false));
	failed |= put_u64(value, "error_count", sample->error_count);
	if (sample_failed(sample) > 0)
		failed |= put_value(value, "failed", failed_encode(sample));
	failed |= put_value(value, "source", source_encode(sample->source));
	return failed;
}

static json_t *imported_encode(const struct sample *sample)
{
	json_t *value = json_object();
	int failed = put_told_conditions(value, sample);

	failed |= put_directions(value, sample);
	failed |= put_syncs(value, sample, sample->sync, sample->datasync, sample->end_fsync);
	if (sample->file_count > 0)
		failed |= put_value(value, "metadata", file_results_encode(sample));
	if (sample->series.count > 0)
		failed |= put_value(value, "series", series_encode(sample));
	failed |= put_steady_window(value, sample);
	if (sample->steady.full && sample->options.steadystate)
		failed |= put_value(value, "steadystate", steady_encode(sample));
	failed |= put_value(value, "findings", findings_encode(&sample->findings));
	return put_end(value, failed);
}

json_t *sample_encode(const struct sample *sample)
{
	json_t *value;
	int failed;

	if (sample->source)
		return imported_encode(sample);
	value = json_object();
	failed = put_conditions(value, sample);
	failed |= put_real(value, "depth_mean", sample->depth_mean);
	failed |= put_directions(value, sample);
	failed |= put_syncs(value, sample, sample->sync, sample->datasync, sample->end_fsync);
	if (sample->file_count > 0)
		failed |= put_value(value, "metadata", file_results_encode(sample));
	if (sample->verify.done)
		failed |= put_value(value, "verify", verify_encode(sample));
	failed |= put_value(value, "series", series_encode(sample));
	failed |= put_steady_window(value, sample);
	if (steadystate_wanted(&sample->options))
		failed |= put_value(value, "steadystate", steady_encode(sample));
	if (sample->job_count > 0)
		failed |= put_value(value, "jobs", jobs_encode(sample));
	failed |= put_value(value, "cpu_seconds", cpu_encode(&sample->cpu));
	if (sample->device.name[0])
		failed |=
			put_value(value, "device", device_encode(&sample->device, sample->seconds));
	if (sample->zfs)
		failed |= put_value(value, "zfs", sample_zfs_encode(sample->zfs));
	if (sample->free_bytes_before > 0 || sample->free_bytes_after > 0)
		failed |= put_value(value, "free_bytes", free_encode(sample));
	failed |= put_value(value, "findings", findings_encode(&sample->findings));
	return put_end(value, failed);
}

/* ---- in ---- */

static int levels_decode(const struct fields *in, struct sample *sample)
{
	struct fields levels;
	size_t count;
	int r;

	r = get_object(in, "levels", &levels);
	if (r < 0)
		return r;
	count = json_object_size(levels.object);
	if (count > DEFINITION_FACTORS_MAX)
		return fields_error(in, ERROR_TOO_MANY, "levels",
				    "%zu factors; at most %d are possible", count,
				    DEFINITION_FACTORS_MAX);
	if (count == 0)
		return 0;
	sample->levels = calloc(count, sizeof(*sample->levels));
	if (!sample->levels)
		return error_no_memory(in->err);
	for (void *i = json_object_iter((json_t *)levels.object); i;
	     i = json_object_iter_next((json_t *)levels.object, i)) {
		struct level *level = &sample->levels[sample->level_count++];

		r = get_text(&levels, json_object_iter_key(i), false, &level->value);
		if (r < 0)
			return r;
		level->factor = strdup(json_object_iter_key(i));
		if (!level->factor)
			return error_no_memory(in->err);
	}
	return 0;
}

static int directions_decode(const struct fields *in, struct direction_result *directions)
{
	struct fields inner;
	int r = 0;

	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++) {
		if (!fields_have(in, direction_names[d]))
			continue;
		r = get_object(in, direction_names[d], &inner);
		if (r == 0)
			r = direction_decode(&inner, &directions[d]);
	}
	return r;
}

static int sync_decode(const struct fields *in, const char *name, struct histogram **ret_syncs)
{
	struct fields inner;
	uint64_t ios = 0;
	int r;

	r = get_object(in, name, &inner);
	if (r == 0)
		r = get_u64(&inner, "ios", UINT64_MAX, &ios);
	if (r == 0)
		r = get_latency(&inner, "histogram", ret_syncs);
	if (r < 0)
		return r;
	if (!*ret_syncs || (*ret_syncs)->count != ios)
		return fields_error(&inner, ERROR_BAD_VALUE, "histogram",
				    "a histogram of %llu operations is needed here",
				    (unsigned long long)ios);
	return 0;
}

static int syncs_decode(const struct fields *in, struct histogram **ret_sync,
			struct histogram **ret_datasync, struct histogram **ret_end_fsync)
{
	int r = 0;

	if (fields_have(in, "sync"))
		r = sync_decode(in, "sync", ret_sync);
	if (r == 0 && fields_have(in, "datasync"))
		r = sync_decode(in, "datasync", ret_datasync);
	if (r == 0 && fields_have(in, "end_fsync"))
		r = sync_decode(in, "end_fsync", ret_end_fsync);
	return r;
}

/* Earlier versions tell no number of jobs: it was one each. */
static int job_decode(const struct fields *in, struct job_result *job)
{
	int r = fields_have(in, "name") ? get_text(in, "name", false, &job->name) : 0;

	job->jobs = 1;
	if (r == 0 && fields_have(in, "numjobs"))
		r = get_u64(in, "numjobs", JOBS_MAX, &job->jobs);
	if (r == 0)
		r = get_real(in, "seconds", SECONDS_MAX, &job->seconds);
	if (r == 0)
		r = directions_decode(in, job->directions);
	return r < 0 ? r : syncs_decode(in, &job->sync, &job->datasync, &job->end_fsync);
}

static int jobs_decode(const struct fields *in, struct sample *sample)
{
	const json_t *list = NULL;
	struct fields inner;
	size_t count;
	int r;

	r = get_array(in, "jobs", JOBS_MAX, &list);
	if (r < 0)
		return r;
	count = json_array_size(list);
	if (count == 0)
		return 0;
	sample->jobs = calloc(count, sizeof(*sample->jobs));
	if (!sample->jobs)
		return error_no_memory(in->err);
	sample->job_count = count;
	for (size_t i = 0; i < count && r == 0; i++) {
		r = get_element(in, "jobs", list, i, &inner);
		if (r == 0)
			r = job_decode(&inner, &sample->jobs[i]);
	}
	return r;
}

static int cpu_decode(const struct fields *in, struct cpu_delta *cpu)
{
	struct fields inner;
	int r;

	r = get_object(in, "cpu_seconds", &inner);
	if (r == 0)
		r = get_real(&inner, "user", SECONDS_MAX, &cpu->user_s);
	if (r == 0)
		r = get_real(&inner, "system", SECONDS_MAX, &cpu->system_s);
	if (r == 0)
		r = get_real(&inner, "machine_busy", SECONDS_MAX, &cpu->machine_busy_s);
	if (r == 0)
		r = get_real(&inner, "machine_steal", SECONDS_MAX, &cpu->machine_steal_s);
	return r;
}

static int device_decode(const struct fields *in, struct device_delta *device)
{
	struct fields inner;
	int r;

	r = get_object(in, "device", &inner);
	if (r == 0)
		r = get_text_into(&inner, "name", false, device->name, sizeof(device->name));
	if (r == 0)
		r = get_u64(&inner, "reads", UINT64_MAX, &device->reads);
	if (r == 0)
		r = get_u64(&inner, "read_bytes", UINT64_MAX, &device->read_bytes);
	if (r == 0)
		r = get_u64(&inner, "writes", UINT64_MAX, &device->writes);
	if (r == 0)
		r = get_u64(&inner, "written_bytes", UINT64_MAX, &device->written_bytes);
	if (r == 0)
		r = get_u64(&inner, "io_ms", UINT64_MAX, &device->io_ms);
	if (r == 0)
		r = get_u64(&inner, "weighted_ms", UINT64_MAX, &device->weighted_ms);
	return r;
}

static int free_decode(const struct fields *in, struct sample *sample)
{
	struct fields inner;
	int r;

	r = get_object(in, "free_bytes", &inner);
	if (r == 0)
		r = get_u64(&inner, "before", UINT64_MAX, &sample->free_bytes_before);
	if (r == 0)
		r = get_u64(&inner, "after", UINT64_MAX, &sample->free_bytes_after);
	return r;
}

static int options_decode(const struct fields *in, struct workload *options)
{
	struct fields inner;
	int r;

	r = get_object(in, "options", &inner);
	if (r == 0)
		r = workload_decode(inner.object, inner.pointer, options, in->err);
	return r < 0 ? r : workload_fill_untold(options, in->err);
}

static int backend_decode(const struct fields *in, struct sample *sample)
{
	size_t backend = 0, stamp = 0;
	int r;

	r = get_choice(in, "backend", backend_names, BACKEND_NULL + 1, &backend);
	if (r == 0)
		r = get_text(in, "backend", false, &sample->backend);
	if (r == 0)
		r = get_text(in, "backend_reason", true, &sample->backend_reason);
	if (r == 0)
		r = get_choice(in, "latency_stamp", stamp_names, ARRAY_SIZE(stamp_names), &stamp);
	sample->latency_per_operation = stamp == 1;
	return r;
}

static int failed_decode(const struct fields *in, struct sample *sample)
{
	struct fields inner;
	int r = 0;

	if (!fields_have(in, "failed"))
		return 0;
	r = get_object(in, "failed", &inner);
	for (int i = 0; i <= DIRECTION_COUNT && r == 0; i++)
		r = get_u64(&inner, failed_names[i], UINT64_MAX, &sample->failed[i]);
	if (r == 0 && fields_have(&inner, "first"))
		r = get_text(&inner, "first", false, &sample->first_failure);
	return r;
}

static int place_decode(const struct fields *in, struct sample *sample)
{
	uint64_t order = 0, repeat = 0;
	int r;

	r = get_schema(in, SAMPLE_SCHEMA);
	if (r == 0)
		r = get_u64(in, "order", DEFINITION_SAMPLES_MAX - 1, &order);
	if (r == 0)
		r = get_text(in, "workload", false, &sample->workload);
	if (r == 0)
		r = levels_decode(in, sample);
	if (r == 0)
		r = get_u64(in, "repeat", DEFINITION_REPEATS_MAX, &repeat);
	sample->order = (size_t)order;
	sample->repeat = (unsigned int)repeat;
	return r;
}

static int conditions_decode(const struct fields *in, struct sample *sample)
{
	int r = place_decode(in, sample);

	if (r == 0)
		r = get_text(in, "target", false, &sample->target);
	if (r == 0)
		r = get_time(in, "started", &sample->started_wall_ms);
	if (r == 0)
		r = get_real(in, "seconds", SECONDS_MAX, &sample->seconds);
	if (r == 0)
		r = get_real(in, "ramp_seconds", SECONDS_MAX, &sample->ramp_seconds);
	if (r == 0)
		r = options_decode(in, &sample->options);
	if (r == 0)
		r = get_u64(in, "seed", INT64_MAX, &sample->seed);
	if (r == 0)
		r = backend_decode(in, sample);
	if (r == 0)
		r = get_u64(in, "error_count", UINT64_MAX, &sample->error_count);
	if (r == 0)
		r = failed_decode(in, sample);
	return r;
}

/* What is absent is empty, as readers of other tools' texts leave it. */
static int told_conditions_decode(const struct fields *in, struct sample *sample)
{
	struct fields options;
	int r = place_decode(in, sample);

	if (r == 0)
		r = source_decode(in, &sample->source);
	sample->target = r < 0 || fields_have(in, "target") ? NULL : strdup("");
	sample->backend = strdup("");
	if (r == 0 && fields_have(in, "target"))
		r = get_text(in, "target", false, &sample->target);
	if (r == 0 && (!sample->target || !sample->backend))
		r = error_no_memory(in->err);
	if (r == 0 && fields_have(in, "started"))
		r = get_time(in, "started", &sample->started_wall_ms);
	if (r == 0 && sample->source->seconds_known)
		r = get_real(in, "seconds", SECONDS_MAX, &sample->seconds);
	if (r == 0)
		r = get_object(in, "options", &options);
	if (r == 0)
		r = workload_decode(options.object, options.pointer, &sample->options, in->err);
	if (r == 0)
		r = get_u64(in, "error_count", UINT64_MAX, &sample->error_count);
	return r < 0 ? r : failed_decode(in, sample);
}

static int told_figures_decode(const struct fields *in, struct sample *sample)
{
	struct fields inner;
	int r = 0;

	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++) {
		if (!fields_have(in, direction_names[d]))
			continue;
		r = get_object(in, direction_names[d], &inner);
		if (r == 0)
			r = source_direction_decode(&inner, &sample->directions[d],
						    &sample->source->directions[d]);
	}
	if (r == 0)
		r = syncs_decode(in, &sample->sync, &sample->datasync, &sample->end_fsync);
	if (r == 0 && fields_have(in, "metadata"))
		r = file_results_decode(in, sample);
	if (r == 0 && fields_have(in, "series"))
		r = series_decode(in, &sample->series);
	if (r < 0 || !fields_have(in, "steadystate"))
		return r;
	r = get_object(in, "steadystate", &inner);
	return r < 0 ? r : steady_decode(&inner, &sample->steady);
}

static int figures_decode(const struct fields *in, struct sample *sample)
{
	struct fields steady;
	int r;

	r = get_real(in, "depth_mean", SECONDS_MAX, &sample->depth_mean);
	if (r == 0)
		r = directions_decode(in, sample->directions);
	if (r == 0)
		r = syncs_decode(in, &sample->sync, &sample->datasync, &sample->end_fsync);
	if (r == 0 && fields_have(in, "metadata"))
		r = file_results_decode(in, sample);
	if (r == 0 && fields_have(in, "verify"))
		r = verify_decode(in, &sample->verify);
	if (r == 0)
		r = series_decode(in, &sample->series);
	if (r == 0 && fields_have(in, "steadystate"))
		r = get_object(in, "steadystate", &steady);
	if (r == 0 && fields_have(in, "steadystate"))
		r = steady_decode(&steady, &sample->steady);
	if (r == 0 && fields_have(in, "jobs"))
		r = jobs_decode(in, sample);
	if (r == 0)
		r = cpu_decode(in, &sample->cpu);
	if (r == 0 && fields_have(in, "device"))
		r = device_decode(in, &sample->device);
	if (r == 0)
		r = sample_zfs_decode(in, &sample->zfs);
	if (r == 0 && fields_have(in, "free_bytes"))
		r = free_decode(in, sample);
	return r;
}

int sample_decode(const json_t *value, struct sample *sample, struct error *err)
{
	struct fields in;
	const json_t *findings = NULL;
	int r;

	r = fields_of(value, "", err, &in);
	if (r == 0 && fields_have(&in, "source")) {
		r = told_conditions_decode(&in, sample);
		if (r == 0)
			r = told_figures_decode(&in, sample);
	} else if (r == 0) {
		r = conditions_decode(&in, sample);
		if (r == 0)
			r = figures_decode(&in, sample);
	}
	if (r == 0)
		r = get_array(&in, "findings", 1000, &findings);
	if (r == 0) {
		r = findings_decode(findings, &sample->findings);
		if (r == -EINVAL)
			r = fields_error(&in, ERROR_BAD_VALUE, "findings",
					 "an entry is no finding");
	}
	if (r < 0)
		sample_done(sample);
	return r;
}
