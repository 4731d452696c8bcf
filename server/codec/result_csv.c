/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result_csv.c - see result_csv.h.
 * Length: a column behind the other, of samples of ours and of those that others told.
 */
#include "server/codec/result_csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/steady.h"
#include "engine/base/clock.h"
#include "engine/plan/file_phases.h"
#include "server/codec/json.h"
#include "server/codec/latency.h"

/* What the columns depend on. */
struct layout {
	struct percentiles all; /* of all samples */
	bool intended;		/* any has a latency from the intended start */
	bool zfs;		/* any has figures of OpenZFS */
};

static void lay_out(const struct result *result, struct layout *layout)
{
	const struct workload none = {.name = NULL};
	struct percentiles own;

	percentiles_of(&none, histogram_percentiles, histogram_percentile_count, &layout->all);
	if (result->sample_count > 0)
		layout->all.count = 0;
	layout->intended = layout->zfs = false;
	for (size_t i = 0; i < result->sample_count; i++) {
		const struct sample *sample = &result->samples[i];

		latency_percentiles(&sample->options, &own);
		percentiles_join(&layout->all, &own);
		layout->zfs |= sample->zfs != NULL;
		for (int d = 0; d < DIRECTION_COUNT; d++)
			layout->intended |= sample->directions[d].intended != NULL;
	}
}

/* A text of somebody's: never a formula, quoted where RFC 4180 wants it. */
static void write_text(FILE *out, const char *text)
{
	bool formula = text[0] && strchr("=+-@\t\r", text[0]);

	if (!strpbrk(text, ",\"\r\n")) {
		(void)fprintf(out, "%s%s", formula ? "'" : "", text);
		return;
	}
	(void)fputs(formula ? "\"'" : "\"", out);
	for (const char *p = text; *p; p++)
		(void)fprintf(out, *p == '"' ? "\"\"" : "%c", *p);
	(void)fputc('"', out);
}

static void write_real(FILE *out, double value)
{
	char text[JSON_REAL_MAX];

	(void)fprintf(out, ",%s", json_real_text(value, text));
}

static void write_count(FILE *out, uint64_t value)
{
	(void)fprintf(out, ",%" PRIu64, value);
}

static const char zfs_heads[] =
	",zfs_dataset,zfs_compress_ratio,zfs_arc_hits,zfs_arc_misses,zfs_arc_prefetch_misses,"
	"zfs_direct_reads,zfs_from_devices,zfs_pool_read_bytes,zfs_pool_written_bytes,"
	"zfs_log_written_bytes,zfs_asked_read_bytes,zfs_asked_written_bytes,"
	"zfs_read_amplification,zfs_write_amplification";

/* Empty where it is not known: negative. */
static void write_known(FILE *out, double value)
{
	if (value >= 0)
		write_real(out, value);
	else
		(void)fputc(',', out);
}

/* What OpenZFS did beside a sample, or empty columns. */
static void write_zfs(FILE *out, const struct sample_zfs *zfs)
{
	if (!zfs) {
		for (const char *p = zfs_heads; *p; p++)
			if (*p == ',')
				(void)fputc(',', out);
		return;
	}
	(void)fputc(',', out);
	write_text(out, zfs->dataset);
	write_known(out, zfs->compress_ratio > 0 ? zfs->compress_ratio : -1);
	if (zfs->arc.known) {
		write_count(out, zfs->arc.demand_data_hits);
		write_count(out, zfs->arc.demand_data_misses);
		write_count(out, zfs->arc.prefetch_data_misses);
		write_count(out, zfs->arc.direct_reads);
	} else {
		(void)fputs(",,,,", out);
	}
	write_known(out, sample_zfs_from_devices(zfs));
	if (zfs->pool.known) {
		write_count(out, zfs->pool.read_bytes);
		write_count(out, zfs->pool.written_bytes);
		write_count(out, zfs->pool.log_written_bytes);
		write_count(out, zfs->pool.asked_read_bytes);
		write_count(out, zfs->pool.asked_written_bytes);
	} else {
		(void)fputs(",,,,,", out);
	}
	write_known(out, sample_zfs_read_amplification(zfs));
	write_known(out, sample_zfs_write_amplification(zfs));
}

/* "name_p99_ns" */
static void write_percentile_heads(FILE *out, const struct layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->all.count; i++)
		(void)fprintf(out, ",%s_p%.9g_ns", name, layout->all.values[i]);
}

static void write_head(FILE *out, const struct result *result, const struct layout *layout)
{
	(void)fputs("order,workload", out);
	for (size_t i = 0; i < result->definition.factor_count; i++) {
		(void)fputc(',', out);
		write_text(out, result->definition.factors[i].name);
	}
	(void)fputs(",repeat,job,direction,started,seconds,backend,ios,bytes,iops,bw_bytes_per_s,"
		    "lat_min_ns,lat_mean_ns,lat_stddev_ns",
		    out);
	write_percentile_heads(out, layout, "lat");
	(void)fputs(",lat_max_ns,short_ios,sync_ios,sync_lat_mean_ns,datasync_ios,datasync_lat_"
		    "mean_ns,end_fsync_ios,end_fsync_lat_mean_ns,depth_mean,cpu_user_s,"
		    "cpu_system_s,machine_busy_s,machine_steal_s,device,device_reads,"
		    "device_read_bytes,device_writes,device_written_bytes,device_io_ms,"
		    "device_weighted_ms,verify,verify_blocks,verify_errors,steady,"
		    "excursion_percent,slope_percent",
		    out);
	if (layout->intended) {
		(void)fputs(",intended_min_ns,intended_mean_ns,intended_stddev_ns", out);
		write_percentile_heads(out, layout, "intended");
		(void)fputs(",intended_max_ns", out);
	}
	if (layout->zfs)
		(void)fputs(zfs_heads, out);
	(void)fputs("\r\n", out);
}

static void write_latency(FILE *out, const struct layout *layout, const struct sample *sample,
			  const struct histogram *latency)
{
	struct percentiles own;

	if (!latency || latency->count == 0) {
		for (size_t i = 0; i < layout->all.count + 4; i++)
			(void)fputc(',', out);
		return;
	}
	latency_percentiles(&sample->options, &own);
	write_count(out, latency->min_ns);
	write_real(out, histogram_mean_ns(latency));
	write_real(out, histogram_stddev_ns(latency));
	for (size_t i = 0; i < layout->all.count; i++) {
		double percent = layout->all.values[i];

		if (percentiles_has(&own, percent) &&
		    histogram_percentile_supported(latency->count, percent))
			write_count(out, histogram_percentile_ns(latency, percent));
		else
			(void)fputc(',', out);
	}
	write_count(out, latency->max_ns);
}

static void write_syncs(FILE *out, const struct histogram *syncs)
{
	if (!syncs || syncs->count == 0) {
		(void)fputs(",0,", out);
		return;
	}
	write_count(out, syncs->count);
	write_real(out, histogram_mean_ns(syncs));
}

static void write_device(FILE *out, const struct device_delta *device)
{
	write_count(out, device->reads);
	write_count(out, device->read_bytes);
	write_count(out, device->writes);
	write_count(out, device->written_bytes);
	write_count(out, device->io_ms);
	write_count(out, device->weighted_ms);
}

/* 1 or 0; empty where it is not judged. */
static void write_steady(FILE *out, const struct sample *sample)
{
	struct steady_window window;

	steady_window_find(sample, &window);
	if (!window.judged) {
		(void)fputs(",,,", out);
		return;
	}
	(void)fputs(window.steady ? ",1" : ",0", out);
	write_real(out, 100 * window.whole.excursion);
	write_real(out, 100 * window.whole.slope);
}

/* What is of the whole sample. */
static void write_whole(FILE *out, const struct sample *sample)
{
	const struct device_delta *device = &sample->device;

	write_real(out, sample->cpu.user_s);
	write_real(out, sample->cpu.system_s);
	write_real(out, sample->cpu.machine_busy_s);
	write_real(out, sample->cpu.machine_steal_s);
	(void)fputc(',', out);
	write_text(out, device->name);
	if (!device->name[0])
		(void)fputs(",,,,,,", out);
	else
		write_device(out, device);
	if (sample->verify.done)
		(void)fprintf(out, ",%s,%" PRIu64 ",%" PRIu64, sample_verify_method(sample),
			      sample->verify.blocks, sample->verify.errors);
	else
		(void)fputs(",,,", out);
	write_steady(out, sample);
}

static const char *level_of(const struct sample *sample, const char *factor)
{
	for (size_t i = 0; i < sample->level_count; i++)
		if (strcmp(sample->levels[i].factor, factor) == 0)
			return sample->levels[i].value;
	return "";
}

/* The figures of a sample, or of one of its jobs. */
struct row {
	const struct job_result *job; /* NULL: the sample's */
	const struct direction_result *directions;
	const struct histogram *sync, *datasync, *end_fsync;
	double seconds, depth;
};

static void write_rate(FILE *out, uint64_t amount, double seconds)
{
	write_real(out, seconds > 0 ? (double)amount / seconds : 0);
}

/* Up to the direction, seconds and backend. */
static void write_names(FILE *out, const struct result *result, const struct sample *sample,
			const char *job, const char *direction, double seconds)
{
	char started[CLOCK_TEXT_MAX];

	(void)fprintf(out, "%zu,", sample->order);
	write_text(out, sample->workload);
	for (size_t i = 0; i < result->definition.factor_count; i++) {
		(void)fputc(',', out);
		write_text(out, level_of(sample, result->definition.factors[i].name));
	}
	(void)fprintf(out, ",%u,", sample->repeat);
	write_text(out, job);
	(void)fprintf(out, ",%s,%s", direction,
		      sample->started_wall_ms > 0 ? clock_format(sample->started_wall_ms, started)
						  : "");
	if (seconds > 0 || !sample->source)
		write_real(out, seconds);
	else
		(void)fputc(',', out);
	(void)fputc(',', out);
	write_text(out, sample->backend ? sample->backend : "");
}

static void write_row(FILE *out, const struct result *result, const struct layout *layout,
		      const struct sample *sample, const struct row *row, enum direction d)
{
	const struct direction_result *direction = &row->directions[d];

	write_names(out, result, sample, row->job ? row->job->name : "", direction_names[d],
		    row->seconds);
	write_count(out, direction->ios);
	write_count(out, direction->bytes);
	write_rate(out, direction->ios, row->seconds);
	write_rate(out, direction->bytes, row->seconds);
	write_latency(out, layout, sample, direction->latency);
	write_count(out, direction->short_ios);
	write_syncs(out, row->sync);
	write_syncs(out, row->datasync);
	write_syncs(out, row->end_fsync);
	write_real(out, row->depth);
	if (row->job)
		(void)fputs(",,,,,,,,,,,,,,,,,", out); /* what is of the whole */
	else
		write_whole(out, sample);
	if (layout->intended)
		write_latency(out, layout, sample, direction->intended);
	if (layout->zfs)
		write_zfs(out, row->job ? NULL : sample->zfs);
	(void)fputs("\r\n", out);
}

/* ---- samples that another tool measured: what is not known is empty ---- */

static void write_empty(FILE *out, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		(void)fputc(',', out);
}

static void write_figure(FILE *out, const struct told_figure *figure)
{
	if (figure->known)
		write_real(out, figure->value);
	else
		write_empty(out, 1);
}

static void write_count_if(FILE *out, bool known, uint64_t count)
{
	if (known)
		write_count(out, count);
	else
		write_empty(out, 1);
}

static void write_told_latency(FILE *out, const struct layout *layout, const struct sample *sample,
			       enum direction d)
{
	const struct told_direction *told = &sample->source->directions[d];

	if (sample->directions[d].latency) {
		write_latency(out, layout, sample, sample->directions[d].latency);
		return;
	}
	write_figure(out, &told->latency_min);
	write_figure(out, &told->latency_mean);
	write_figure(out, &told->latency_stddev);
	for (size_t i = 0; i < layout->all.count; i++) {
		struct told_figure figure = {.known = false};

		for (size_t k = 0; k < told->percentile_count; k++)
			if (told->percentiles[k].percentile == layout->all.values[i])
				figure = told_exactly(told->percentiles[k].ns);
		write_figure(out, &figure);
	}
	write_figure(out, &told->latency_max);
}

static void write_syncs_if(FILE *out, const struct histogram *syncs)
{
	if (syncs)
		write_syncs(out, syncs);
	else
		write_empty(out, 2);
}

/* From the syncs on: none of processor, device and verification. */
static void write_told_end(FILE *out, const struct layout *layout, const struct sample *sample)
{
	write_syncs_if(out, sample->sync);
	write_syncs_if(out, sample->datasync);
	write_syncs_if(out, sample->end_fsync);
	write_empty(out, 1 + 17);
	if (layout->intended)
		write_latency(out, layout, sample, NULL);
	if (layout->zfs)
		write_zfs(out, NULL);
	(void)fputs("\r\n", out);
}

static void write_told_row(FILE *out, const struct result *result, const struct layout *layout,
			   const struct sample *sample, enum direction d)
{
	const struct told_direction *told = &sample->source->directions[d];
	const struct told_figure iops = sample_iops_figure(sample, d);
	const struct told_figure bandwidth = sample_bandwidth_figure(sample, d);

	write_names(out, result, sample, "", direction_names[d], sample->seconds);
	write_count_if(out, told->ios_known, sample->directions[d].ios);
	write_count_if(out, told->bytes_known, sample->directions[d].bytes);
	write_figure(out, &iops);
	write_figure(out, &bandwidth);
	write_told_latency(out, layout, sample, d);
	write_count_if(out, told->ios_known, sample->directions[d].short_ios);
	write_told_end(out, layout, sample);
}

static void write_told_phase(FILE *out, const struct result *result, const struct layout *layout,
			     const struct sample *sample, const struct file_result *phase)
{
	char name[40];

	(void)snprintf(name, sizeof(name), "%s %s", workload_file_order_choices[phase->order],
		       file_operation_names[phase->operation]);
	write_names(out, result, sample, "", name, phase->seconds);
	write_count_if(out, phase->ops > 0, phase->ops);
	write_count_if(out, phase->bytes > 0, phase->bytes);
	write_real(out, file_result_ops_per_s(phase));
	write_empty(out, 1);
	write_latency(out, layout, sample, phase->latency);
	write_empty(out, 1);
	write_told_end(out, layout, sample);
}

static void write_told_sample(FILE *out, const struct result *result, const struct layout *layout,
			      const struct sample *sample)
{
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (sample_moves(sample, (enum direction)d))
			write_told_row(out, result, layout, sample, (enum direction)d);
	for (size_t n = 0; n < sample->file_count; n++)
		write_told_phase(out, result, layout, sample, &sample->files[n]);
}

/* A phase of a metadata workload is a row too: "sequential create". */
static void write_phase(FILE *out, const struct result *result, const struct layout *layout,
			const struct sample *sample, const struct file_result *phase)
{
	char name[40];

	(void)snprintf(name, sizeof(name), "%s %s", workload_file_order_choices[phase->order],
		       file_operation_names[phase->operation]);
	write_names(out, result, sample, "", name, phase->seconds);
	write_count(out, phase->ops);
	write_count(out, phase->bytes);
	write_real(out, file_result_ops_per_s(phase));
	write_real(out, phase->seconds > 0 ? (double)phase->bytes / phase->seconds : 0);
	write_latency(out, layout, sample, phase->latency);
	write_count(out, 0); /* a short write or read is an error */
	write_syncs(out, sample->sync);
	write_syncs(out, sample->datasync);
	write_syncs(out, sample->end_fsync);
	write_real(out, sample->depth_mean);
	write_whole(out, sample);
	if (layout->intended)
		write_latency(out, layout, sample, NULL);
	if (layout->zfs)
		write_zfs(out, sample->zfs);
	(void)fputs("\r\n", out);
}

static void write_sample(FILE *out, const struct result *result, const struct layout *layout,
			 const struct sample *sample)
{
	const struct row whole = {NULL,
				  sample->directions,
				  sample->sync,
				  sample->datasync,
				  sample->end_fsync,
				  sample->seconds,
				  sample->depth_mean};

	if (sample->source) {
		write_told_sample(out, result, layout, sample);
		return;
	}
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (sample_moves(sample, (enum direction)d))
			write_row(out, result, layout, sample, &whole, (enum direction)d);
	for (size_t i = 0; i < sample->job_count; i++) {
		const struct job_result *job = &sample->jobs[i];
		const struct row own = {job,
					job->directions,
					job->sync,
					job->datasync,
					job->end_fsync,
					job->seconds,
					sample_job_depth(job)};

		for (int d = 0; d < DIRECTION_COUNT && job->name; d++)
			if (sample_job_moves(sample, job, (enum direction)d))
				write_row(out, result, layout, sample, &own, (enum direction)d);
	}
	for (size_t n = 0; n < sample->file_count; n++)
		write_phase(out, result, layout, sample, &sample->files[n]);
}

char *result_csv(const struct result *result)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct layout layout;
	bool failed;

	if (!out)
		return NULL;
	lay_out(result, &layout);
	write_head(out, result, &layout);
	for (size_t i = 0; i < result->sample_count; i++)
		write_sample(out, result, &layout, &result->samples[i]);
	failed = ferror(out) != 0; /* writing to memory fails for want of memory alone */
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}
