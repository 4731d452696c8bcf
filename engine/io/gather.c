/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gather.c - see gather.h. */
#include "engine/io/gather.h"

#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"

struct gathering {
	const struct load *load;
	const struct measure_spec *spec;
	struct sample *sample;
	uint64_t end_ns;     /* the last completion, in the ramp where there was no window */
	uint64_t own_end_ns; /* the latest of own_end() */
	double latency_sum_ns;
	int rc;
};

/* *into += from; made where it is missing. */
static int merge(struct histogram **into, const struct histogram *from)
{
	if (!from || from->count == 0)
		return 0;
	if (!*into) {
		*into = malloc(sizeof(**into));
		if (!*into)
			return -ENOMEM;
		histogram_init(*into);
	}
	histogram_merge(*into, from);
	return 0;
}

static int merge_direction(struct direction_result *into, const struct recorder *recorder,
			   enum direction direction, bool discard)
{
	int rc = 0;

	into->ios += recorder_ios(recorder, direction);
	into->bytes += recorder_bytes(recorder, direction);
	into->short_ios += recorder->short_ios[direction];
	if (!discard)
		rc = merge(&into->latency, recorder->histograms[direction]);
	if (!discard && rc == 0)
		rc = merge(&into->submission, recorder->submission[direction]);
	if (!discard && rc == 0)
		rc = merge(&into->completion, recorder->completion[direction]);
	if (!discard && rc == 0)
		rc = merge(&into->intended, recorder->intended[direction]);
	return rc;
}

/* The part of the workload that a recorder is of. */
static const struct workload *part_of(const struct gathering *g, const struct recorder *recorder)
{
	return workload_part(g->spec->workload, g->spec->regions[recorder->job].part);
}

/*
 * When the window ends for a recorder's jobs: with their last completion, but with rates and pauses
 * not before their time is over. The time without operations is part of what was asked.
 */
static uint64_t own_end(const struct gathering *g, const struct recorder *recorder)
{
	const struct workload *part = part_of(g, recorder);
	uint64_t due_ns = g->load->deadline_ns; /* a steady state brings it forward */
	uint64_t own_ns = g->load->window_ns + workload_delay_beyond(g->spec->workload, part) +
			  part->runtime_ns;

	if (part->runtime_ns > 0 && own_ns < due_ns)
		due_ns = own_ns;
	if (due_ns == UINT64_MAX || recorder->last_ns > due_ns || !part->time_based ||
	    pace_is_plain(part) || atomic_load(&g->load->stop) != LOAD_GOES_ON)
		return recorder->last_ns;
	return due_ns;
}

static void take_seconds(const struct gathering *g, struct job_result *job,
			 const struct recorder *recorder)
{
	uint64_t begin_ns =
		g->load->start_ns + workload_delay_beyond(g->spec->workload, part_of(g, recorder));
	double seconds;

	if (begin_ns < g->load->window_ns)
		begin_ns = g->load->window_ns;
	if (recorder->last_ns <= begin_ns)
		return;
	seconds = (double)(own_end(g, recorder) - begin_ns) / (double)NS_PER_S;
	if (seconds > job->seconds)
		job->seconds = seconds;
}

static int merge_syncs(struct histogram **sync, struct histogram **datasync,
		       struct histogram **end_fsync, const struct recorder *recorder)
{
	int rc = merge(sync, recorder->histograms[REQUEST_SYNC]);

	if (rc == 0)
		rc = merge(datasync, recorder->histograms[REQUEST_DATASYNC]);
	return rc < 0 ? rc : merge(end_fsync, recorder->histograms[REQUEST_END_SYNC]);
}

/* job: NULL, or its own result. */
static int merge_recorder(struct gathering *g, const struct recorder *recorder,
			  struct job_result *job)
{
	struct sample *sample = g->sample;
	int rc = 0;

	if (recorder->last_ns > g->end_ns)
		g->end_ns = recorder->last_ns;
	if (!recorder->in_window)
		return 0; /* it holds the ramp's figures */
	if (own_end(g, recorder) > g->own_end_ns)
		g->own_end_ns = own_end(g, recorder);
	if (job)
		take_seconds(g, job, recorder);
	for (int d = 0; d < DIRECTION_COUNT && rc == 0; d++) {
		rc = merge_direction(&sample->directions[d], recorder, d, g->spec->discard);
		if (rc == 0 && job)
			rc = merge_direction(&job->directions[d], recorder, d, false);
	}
	if (rc == 0 && !g->spec->discard)
		rc = merge_syncs(&sample->sync, &sample->datasync, &sample->end_fsync, recorder);
	if (rc == 0 && job)
		rc = merge_syncs(&job->sync, &job->datasync, &job->end_fsync, recorder);
	for (int f = 0; f <= DIRECTION_COUNT; f++) {
		sample->failed[f] += recorder->failed[f];
		sample->error_count += recorder->failed[f];
	}
	if (rc == 0 && recorder->first_failure[0] && !sample->first_failure) {
		sample->first_failure = strdup(recorder->first_failure);
		rc = sample->first_failure ? 0 : -ENOMEM;
	}
	for (int kind = 0; kind < REQUEST_KIND_COUNT; kind++)
		if (recorder->histograms[kind])
			g->latency_sum_ns += (double)recorder->histograms[kind]->sum_ns;
	return rc;
}

/* Figures that are told apart of one part: its jobs', or that of all of them together. */
static size_t figures_of(const struct workload *part)
{
	return part->group_reporting ? 1 : (size_t)part->numjobs;
}

/* Where the figures of a recorder belong beside the sample's. */
static struct job_result *job_of(struct gathering *g, const struct recorder *recorder)
{
	const struct workload *workload = g->spec->workload;
	size_t job = recorder->job, at = 0, i = 0;

	if (!g->sample->jobs)
		return NULL;
	for (; job >= workload_part(workload, i)->numjobs; i++) {
		job -= (size_t)workload_part(workload, i)->numjobs;
		at += figures_of(workload_part(workload, i));
	}
	return &g->sample->jobs[at + (workload_part(workload, i)->group_reporting ? 0 : job)];
}

static int make_jobs(struct gathering *g)
{
	const struct workload *workload = g->spec->workload;
	size_t count = 0;

	if (g->spec->discard || (workload->part_count == 0 && workload->group_reporting))
		return 0;
	for (size_t i = 0; i < workload_parts(workload); i++)
		count += figures_of(workload_part(workload, i));
	g->sample->jobs = calloc(count, sizeof(*g->sample->jobs));
	if (!g->sample->jobs)
		return -ENOMEM;
	g->sample->job_count = count;
	count = 0;
	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);
		size_t own = figures_of(part);

		for (size_t k = 0; k < own; k++, count++) {
			struct job_result *job = &g->sample->jobs[count];

			job->jobs = part->numjobs / own;
			job->name = workload->part_count ? strdup(part->name) : NULL;
			if (workload->part_count && !job->name)
				return -ENOMEM;
		}
	}
	return 0;
}

static void gather_reactors(struct gathering *g, struct workers *workers)
{
	for (size_t r = 0; r < workers->reactor_count && g->rc == 0; r++) {
		struct reactor *reactor = workers->reactors[r];

		if (!atomic_load(&reactor->finished))
			continue;
		for (size_t i = 0; i < reactor->recorder_count && g->rc == 0; i++)
			g->rc = merge_recorder(g, &reactor->recorders[i],
					       job_of(g, &reactor->recorders[i]));
	}
}

static void gather_threads(struct gathering *g, struct threads *threads)
{
	for (size_t i = 0; i < threads->job_count && g->rc == 0; i++) {
		struct thread_job *job = &threads->jobs[i];

		(void)pthread_mutex_lock(&job->mutex); /* a plain mutex cannot fail */
		recorder_finish(&job->recorder);
		g->rc = merge_recorder(g, &job->recorder, job_of(g, &job->recorder));
		(void)pthread_mutex_unlock(&job->mutex);
	}
}

/* The seconds from the load's begin to its last completion. */
static int gather_series(const struct gathering *g)
{
	struct series *series = &g->sample->series;
	const struct load *load = g->load;
	uint64_t span_ns = g->end_ns - load->start_ns, ramp_ns = load->window_ns - load->start_ns;
	size_t count = (size_t)((span_ns + NS_PER_S - 1) / NS_PER_S);
	size_t ramp = (size_t)((ramp_ns + NS_PER_S - 1) / NS_PER_S);

	if (count > load->second_capacity)
		count = load->second_capacity;
	if (count == 0)
		return 0;
	series->seconds = malloc(count * sizeof(*series->seconds));
	if (!series->seconds)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct series_second *from = &load->seconds[i];

		for (int d = 0; d < DIRECTION_COUNT; d++) {
			series->seconds[i].ios[d] =
				__atomic_load_n(&from->ios[d], __ATOMIC_RELAXED);
			series->seconds[i].bytes[d] =
				__atomic_load_n(&from->bytes[d], __ATOMIC_RELAXED);
			series->seconds[i].latency_sum_ns[d] =
				__atomic_load_n(&from->latency_sum_ns[d], __ATOMIC_RELAXED);
		}
	}
	series->count = count;
	series->ramp_count = ramp < count ? ramp : count;
	series->last_span_ns = span_ns - (count - 1) * NS_PER_S;
	return 0;
}

static void gather_times(const struct gathering *g)
{
	struct sample *sample = g->sample;
	const struct load *load = g->load;
	uint64_t ramp_end_ns = g->end_ns < load->window_ns ? g->end_ns : load->window_ns;

	if (g->end_ns <= load->start_ns)
		return; /* nothing has completed */
	sample->ramp_seconds = (double)(ramp_end_ns - load->start_ns) / (double)NS_PER_S;
	if (g->end_ns > load->window_ns)
		sample->seconds = (double)(g->end_ns - load->window_ns) / (double)NS_PER_S;
	if (sample->seconds > 0)
		sample->depth_mean = g->latency_sum_ns / ((double)NS_PER_S * sample->seconds);
}

/* Texts and flags: how it was measured. */
static int gather_manner(struct workers *workers, const struct measure_spec *spec,
			 struct sample *sample)
{
	const char *features = "a thread for each outstanding operation";

	sample->latency_per_operation = true;
	for (size_t i = 0; i < workers->reactor_count; i++) {
		struct reactor *reactor = workers->reactors[i];

		sample->latency_per_operation &= reactor->single;
		features = atomic_load(&reactor->finished) ? reactor->features : "";
	}
	sample->seed = spec->seed;
	free(sample->backend);
	sample->backend = strdup(backend_names[spec->backend]);
	if (!sample->backend_reason && *features)
		sample->backend_reason = strdup(features);
	return sample->backend && (sample->backend_reason || !*features) ? 0 : -ENOMEM;
}

int gather(struct workers *workers, struct load *load, const struct measure_spec *spec,
	   struct sample *sample)
{
	struct gathering g = {.load = load, .spec = spec, .sample = sample};

	g.rc = gather_manner(workers, spec, sample);
	sample->error_count = atomic_load(&load->errors);
	if (!load->released || g.rc < 0)
		return g.rc;
	g.rc = make_jobs(&g);
	if (g.rc < 0)
		return g.rc;
	if (workers->threads)
		gather_threads(&g, workers->threads);
	else
		gather_reactors(&g, workers);
	if (g.end_ns > load->window_ns && g.own_end_ns > g.end_ns)
		g.end_ns = g.own_end_ns;
	gather_times(&g);
	if (g.rc == 0 && g.end_ns > load->start_ns && load->seconds)
		g.rc = gather_series(&g);
	return g.rc;
}
