/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result_fio.c - see result_fio.h. fio's names and units: INT is whole, bw is KiB/s, runtime ms. */
#include "server/codec/result_fio.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/plan/fio_made.h"
#include "engine/plan/steadystate.h"
#include "server/codec/fields.h"
#include "server/codec/fio_figures.h"
#include "server/codec/steadystate.h"

/* The release whose layout this is. */
#define FIO_LAYOUT "fio-3.33"

/* ---- one entry ---- */

/* "WORKLOAD/LEVELS/REPEAT", with the job's name for the workload's where it has one; heap. */
static char *job_name(const struct fio_entry *entry)
{
	const struct sample *sample = entry->sample;
	const char *own = entry->job ? entry->job->name : NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	(void)fputs(own ? own : sample->workload, out);
	for (size_t i = 0; i < sample->level_count; i++)
		(void)fprintf(out, "%s%s=%s", i == 0 ? "/" : ",", sample->levels[i].factor,
			      sample->levels[i].value);
	(void)fprintf(out, "/%u", sample->repeat);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Whether an option says something to a reader of fio's output. */
static bool option_shown(const struct workload *options, enum option_id id)
{
	switch (id) {
	case OPTION_ID_NAME: /* these four are put from the sample */
	case OPTION_ID_FILENAME:
	case OPTION_ID_DIRECTORY:
	case OPTION_ID_RANDSEED:
	case OPTION_ID_RWMIXWRITE: /* the other side of rwmixread */
	case OPTION_ID_REGIONS:	   /* not fio's */
		return false;
	case OPTION_ID_RWMIXREAD:
		return workload_mixed(options);
	case OPTION_ID_RUNTIME:
		return options->runtime_ns > 0;
	case OPTION_ID_RAMP_TIME:
		return options->ramp_time_ns > 0;
	case OPTION_ID_FSYNC:
		return options->fsync > 0;
	case OPTION_ID_SYNC:
		return options->sync != SYNC_NONE;
	case OPTION_ID_IOENGINE:
		return workload_is_set(options, OPTION_ID_IOENGINE);
	default:
		return option_told(option_at(id), options);
	}
}

/* "directory" or "filename": where fio would find the sample's target. */
static int put_place(const struct result *result, const struct sample *sample, json_t *value)
{
	const struct definition *definition = &result->definition;
	size_t levels[DEFINITION_FACTORS_MAX] = {0};
	AUTO_FREE char *path = NULL;
	bool files = false;

	if (definition->target_count == 0) /* not known; the sample tells a path all the same */
		return put_text(value, "filename", sample->target);
	for (size_t i = 0; i < definition->factor_count && i < sample->level_count; i++)
		for (size_t k = 0; k < definition->factors[i].level_count; k++)
			if (strcmp(definition->factors[i].levels[k], sample->levels[i].value) == 0)
				levels[i] = k;
	path = fio_made_place(definition, levels, &files);
	return path ? put_text(value, files ? "directory" : "filename", path) : -1;
}

/* All values are texts, as fio's are. */
static json_t *options_object(const struct result *result, const struct fio_entry *entry)
{
	const struct workload *options = entry->options;
	const struct sample *sample = entry->sample;
	json_t *value = json_object();
	char seed[32];
	int failed = 0;

	failed |= put_text(value, "name",
			   entry->job && entry->job->name ? entry->job->name : sample->workload);
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		const struct option *option = option_at((enum option_id)id);
		AUTO_FREE char *text = NULL;

		if (!option_shown(options, (enum option_id)id))
			continue;
		text = option_format(option, options);
		failed |= text ? put_text(value, option->name, text) : -1;
	}
	if (!workload_is_set(options, OPTION_ID_IOENGINE))
		failed |= put_text(value, "ioengine", sample->backend);
	failed |= put_place(result, sample, value);
	(void)snprintf(seed, sizeof(seed), "%llu", (unsigned long long)sample->seed);
	failed |= put_text(value, "randseed", seed);
	return put_end(value, failed);
}

/* Percent by depth: all in the class of `depth`; none for 0. first: the lowest class's name. */
static json_t *depth_object(const char *const *names, size_t count, double depth)
{
	json_t *value = json_object();
	size_t at = depth >= 1 ? (size_t)floor(log2(depth)) : 0;
	int failed = 0;

	for (size_t i = 0; i < count; i++)
		failed |= put_real(value, names[i],
				   depth > 0 && i == (at < count ? at : count - 1) ? 100 : 0);
	return put_end(value, failed);
}

static int put_depths(json_t *object, const struct fio_entry *entry)
{
	const struct sample *sample = entry->sample;
	bool own = entry->job && entry->job->name;
	static const char *const levels[] = {"1", "2", "4", "8", "16", "32", ">=64"};
	static const char *const batches[] = {"0", "4", "8", "16", "32", "64", ">=64"};
	double mean = own ? sample_job_depth(entry->job) : sample->depth_mean;
	double jobs = own ? (double)entry->jobs : (double)workload_jobs(&sample->options);
	double depth = round(mean / fmax(jobs, 1));
	int failed = 0;

	if (depth < 1 && mean > 0)
		depth = 1;
	failed |=
		put_value(object, "iodepth_level", depth_object(levels, ARRAY_SIZE(levels), depth));
	failed |=
		put_value(object, "iodepth_submit", depth_object(batches, ARRAY_SIZE(batches), 0));
	failed |= put_value(object, "iodepth_complete",
			    depth_object(batches, ARRAY_SIZE(batches), 0));
	return failed;
}

static int put_usage(json_t *object, const struct fio_entry *entry)
{
	const struct sample *sample = entry->sample;
	/* Of all the sample's jobs, as the processor's time is. */
	double job_seconds = sample->seconds * (double)workload_jobs(&sample->options);
	int failed = 0;

	failed |= put_u64(object, "job_runtime",
			  fio_whole(entry->seconds * 1000 * (double)entry->jobs));
	failed |= put_real(object, "usr_cpu",
			   job_seconds > 0 ? 100 * sample->cpu.user_s / job_seconds : 0);
	failed |= put_real(object, "sys_cpu",
			   job_seconds > 0 ? 100 * sample->cpu.system_s / job_seconds : 0);
	failed |= put_u64(object, "ctx", 0);
	failed |= put_u64(object, "majf", 0);
	failed |= put_u64(object, "minf", 0);
	return failed;
}

static json_t *entry_encode(const struct result *result, const struct fio_entry *entry)
{
	const struct sample *sample = entry->sample;
	AUTO_FREE char *name = job_name(entry);
	json_t *value = json_object();
	int failed = name ? put_text(value, "jobname", name) : -1;

	failed |= put_u64(value, "groupid", sample->order);
	failed |= put_u64(value, "error", sample->error_count > sample_failed(sample) ? EIO : 0);
	failed |= put_u64(value, "eta", 0);
	failed |=
		put_u64(value, "elapsed", fio_whole(ceil(sample->ramp_seconds + sample->seconds)));
	failed |= put_value(value, "job options", options_object(result, entry));
	failed |= put_value(value, "read", fio_direction_encode(entry, DIRECTION_READ));
	failed |= put_value(value, "write", fio_direction_encode(entry, DIRECTION_WRITE));
	failed |= put_value(value, "trim", fio_direction_encode(entry, DIRECTION_TRIM));
	failed |= put_value(value, "sync", fio_sync_encode(entry));
	failed |= put_usage(value, entry);
	failed |= put_depths(value, entry);
	failed |= put_fio_spread(value, entry);
	if (sample->options.continue_on_error != CONTINUE_NONE && entry->first) {
		failed |= put_u64(value, "total_err", sample_failed(sample));
		failed |= put_u64(value, "first_error", sample_failed(sample) > 0 ? EIO : 0);
	}
	failed |= put_u64(value, "latency_depth", workload_depth(entry->options));
	failed |= put_u64(value, "latency_target", 0);
	failed |= put_real(value, "latency_percentile", 100);
	failed |= put_u64(value, "latency_window", 0);
	if (steadystate_wanted(&sample->options))
		failed |= put_value(value, "steadystate", fio_steady_encode(sample));
	return put_end(value, failed);
}

static int append_sample(json_t *jobs, const struct result *result, const struct sample *sample)
{
	struct fio_entry entry = {
		.sample = sample,
		.directions = sample->directions,
		.seconds = sample->seconds,
		.jobs = workload_jobs(&sample->options),
		.whole = true,
		.first = true,
		.options = &sample->options,
	};
	int failed = 0;

	if (sample->job_count == 0)
		return json_array_append_new(jobs, entry_encode(result, &entry));
	for (size_t i = 0; i < sample->job_count; i++) {
		entry.job = &sample->jobs[i];
		entry.options = sample_part(sample, entry.job);
		entry.directions = entry.job->directions;
		entry.seconds = entry.job->seconds;
		entry.jobs = entry.job->jobs;
		entry.whole = sample->job_count == 1;
		entry.first = i == 0;
		failed |= json_array_append_new(jobs, entry_encode(result, &entry));
	}
	return failed;
}

/* ---- devices ---- */

static json_t *disk_encode(const struct device_delta *sum, double seconds)
{
	double util = seconds > 0 ? (double)sum->io_ms / (seconds * 10) : 0;
	json_t *value = json_object();
	int failed = 0;

	failed |= put_text(value, "name", sum->name);
	failed |= put_u64(value, "read_ios", sum->reads);
	failed |= put_u64(value, "write_ios", sum->writes);
	failed |= put_u64(value, "read_merges", 0);
	failed |= put_u64(value, "write_merges", 0);
	failed |= put_u64(value, "read_ticks", 0);
	failed |= put_u64(value, "write_ticks", 0);
	failed |= put_u64(value, "in_queue", sum->weighted_ms);
	failed |= put_real(value, "util", util < 100 ? util : 100);
	return put_end(value, failed);
}

static bool seen_before(const struct result *result, size_t sample)
{
	for (size_t i = 0; i < sample; i++)
		if (strcmp(result->samples[i].device.name, result->samples[sample].device.name) ==
		    0)
			return true;
	return false;
}

static json_t *disks_encode(const struct result *result)
{
	json_t *disks = json_array();
	int failed = 0;

	for (size_t i = 0; i < result->sample_count; i++) {
		struct device_delta sum = {0};
		double seconds = 0;

		if (!result->samples[i].device.name[0] || seen_before(result, i))
			continue;
		memcpy(sum.name, result->samples[i].device.name, sizeof(sum.name));
		for (size_t n = i; n < result->sample_count; n++) {
			const struct device_delta *device = &result->samples[n].device;

			if (strcmp(device->name, sum.name) != 0)
				continue;
			sum.reads += device->reads;
			sum.writes += device->writes;
			sum.io_ms += device->io_ms;
			sum.weighted_ms += device->weighted_ms;
			seconds += result->samples[n].seconds;
		}
		failed |= json_array_append_new(disks, disk_encode(&sum, seconds));
	}
	return put_end(disks, failed);
}

/* ---- the whole ---- */

static int put_times(json_t *value, const struct result *result)
{
	uint64_t wall_ms = result->ended_wall_ms ? result->ended_wall_ms : result->created_wall_ms;
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm parts;
	char text[64] = "";
	int failed = 0;

	if (gmtime_r(&seconds, &parts))
		(void)strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &parts);
	failed |= put_u64(value, "timestamp", wall_ms / 1000);
	failed |= put_u64(value, "timestamp_ms", wall_ms);
	failed |= put_text(value, "time", text);
	return failed;
}

json_t *result_fio(const struct result *result)
{
	const char *version = result->environment.program_version;
	json_t *value = json_object(), *jobs = json_array();
	char name[80];
	int failed = 0;

	(void)snprintf(name, sizeof(name), FIO_LAYOUT "-volbench-%s",
		       version[0] ? version : VOLBENCH_VERSION);
	failed |= put_text(value, "fio version", name);
	failed |= put_times(value, result);
	failed |= put_value(value, "global options", json_object());
	for (size_t i = 0; i < result->sample_count && !failed; i++)
		if (!workload_metadata(&result->samples[i].options))
			failed |= append_sample(jobs, result, &result->samples[i]);
	failed |= put_value(value, "jobs", jobs);
	failed |= put_value(value, "disk_util", disks_encode(result));
	return put_end(value, failed);
}
