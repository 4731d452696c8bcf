/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure.c - see measure.h: workers are made, started together, watched, and what they recorded
 * is merged. The control thread is measure_run's caller.
 */
#include "engine/io/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/io/gather.h"
#include "engine/io/resources.h"
#include "engine/io/steady.h"
#include "engine/io/verify/verify.h"

/* How often the control thread looks at the cancel flag, and tells how far it has come. */
#define WATCH_NS (50 * NS_PER_MS)
#define TICK_NS (200 * NS_PER_MS)
/* How long workers may take to end after a stop: a reactor's own patience and a little. */
#define PATIENCE_NS (750 * NS_PER_MS)
#define STACK_BYTES ((size_t)256 << 10)

const char *const backend_names[] = {"io_uring", "threads", "null"};

/* Lives on the heap: a worker that is left behind goes on referring to it. */
struct measurement {
	struct load load;
	struct workers workers;
	struct steady steady;
	pthread_t *ids;
	size_t started;
};

/* ---- making and starting workers ---- */

static int make_reactors(struct measurement *m, const struct measure_spec *spec, struct error *err)
{
	struct reactor_config config = {.spec = spec, .load = &m->load};
	int rc = 0;

	config.step = resources_reactors(spec->workload);
	m->workers.reactors = calloc(config.step, sizeof(struct reactor *));
	if (!m->workers.reactors)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "reactors");
	for (; config.first < config.step && rc == 0; config.first++) {
		rc = reactor_new(&config, &m->workers.reactors[config.first], err);
		m->workers.reactor_count += rc == 0;
	}
	m->load.worker_count = config.step;
	return rc;
}

static int make_workers(struct measurement *m, const struct measure_spec *spec, struct error *err)
{
	int rc;

	if (spec->backend == BACKEND_THREADS) {
		rc = threads_new(spec, &m->load, &m->workers.threads, err);
		if (rc == 0)
			m->load.worker_count = m->workers.threads->worker_count;
	} else {
		rc = make_reactors(m, spec, err);
	}
	if (rc < 0)
		return rc;
	m->ids = calloc(m->load.worker_count, sizeof(*m->ids));
	return m->ids ? 0 : error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "threads");
}

/* One for each part, also for those that do not share it. */
static int make_positions(struct measurement *m, const struct measure_spec *spec, struct error *err)
{
	size_t count = workload_parts(spec->workload);

	m->load.positions =
		aligned_alloc(_Alignof(struct load_position), count * sizeof(*m->load.positions));
	if (!m->load.positions)
		return error_no_memory(err);
	for (size_t i = 0; i < count; i++)
		atomic_init(&m->load.positions[i].next, 0);
	return 0;
}

static void measurement_free(struct measurement *m)
{
	for (size_t i = 0; i < m->workers.reactor_count; i++)
		reactor_free(m->workers.reactors[i]);
	free(m->workers.reactors);
	threads_free(m->workers.threads);
	load_done(&m->load);
	free(m->load.positions);
	free(m->ids);
	free(m);
}

static int measurement_new(const struct measure_spec *spec, struct measurement **ret_measurement,
			   struct error *err)
{
	struct measurement *m = aligned_alloc(_Alignof(struct measurement), sizeof(*m));
	int rc;

	if (!m)
		return error_set_sys(err, ERROR_NO_MEMORY, ENOMEM, "a measurement");
	memset(m, 0, sizeof(*m));
	rc = load_init(&m->load, spec->discard ? 0 : resources_series_seconds(spec->workload));
	if (rc < 0) {
		free(m);
		return error_set_sys(err, ERROR_NO_MEMORY, -rc, "the series of a measurement");
	}
	rc = make_positions(m, spec, err);
	if (rc == 0)
		rc = make_workers(m, spec, err);
	if (rc < 0) {
		measurement_free(m);
		return rc;
	}
	*ret_measurement = m;
	return 0;
}

static int start_workers(struct measurement *m, struct error *err)
{
	pthread_attr_t attributes;
	int rc = pthread_attr_init(&attributes);

	if (rc == 0)
		rc = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (; rc == 0 && m->started < m->load.worker_count; m->started += rc == 0) {
		struct threads *threads = m->workers.threads;
		pthread_t *id = &m->ids[m->started];

		if (threads)
			rc = pthread_create(id, &attributes, thread_main,
					    &threads->workers[m->started]);
		else
			rc = pthread_create(id, &attributes, reactor_main,
					    m->workers.reactors[m->started]);
	}
	(void)pthread_attr_destroy(&attributes); /* plain memory */
	if (rc != 0)
		return error_set_sys(err, ERROR_TOO_MANY_THREADS, rc,
				     "the system gave %zu of %zu threads", m->started,
				     m->load.worker_count);
	return 0;
}

/* ---- watching ---- */

static void look_at_cancel(struct measurement *m, const struct measure_spec *spec)
{
	if (spec->cancel && atomic_load(spec->cancel))
		load_stop(&m->load, LOAD_CANCELLED);
}

/* Until all are set up; false when the start is given up. */
static bool wait_ready(struct measurement *m, const struct measure_spec *spec)
{
	bool all;

	do {
		look_at_cancel(m, spec);
		all = load_wait(&m->load, LOAD_WAIT_READY, m->started, clock_now_ns() + WATCH_NS);
	} while (!all && !load_stopping(&m->load));
	return !load_stopping(&m->load);
}

/* Tells that the window has begun, once. */
static void look_at_window(struct measurement *m, const struct measure_spec *spec, bool *in_window)
{
	if (*in_window || clock_now_ns() < m->load.window_ns || load_stopping(&m->load))
		return;
	*in_window = true;
	if (spec->window)
		spec->window(spec->arg, true);
}

/* From the release to the last worker's end, or the end of patience. Whether all have finished. */
static bool watch(struct measurement *m, const struct measure_spec *spec, bool *in_window)
{
	struct load *load = &m->load;
	uint64_t tick_ns = load->start_ns + TICK_NS, give_up_ns = UINT64_MAX;

	for (;;) {
		uint64_t now_ns = clock_now_ns(), until_ns = now_ns + WATCH_NS;

		look_at_window(m, spec, in_window);
		if (spec->tick && now_ns >= tick_ns && now_ns > load->start_ns) {
			tick_ns = now_ns + TICK_NS;
			spec->tick(spec->arg, (double)(now_ns - load->start_ns) / (double)NS_PER_S,
				   atomic_load(&load->bytes_done));
		}
		look_at_cancel(m, spec);
		if (steady_look(&m->steady, load, now_ns))
			load_end(load, now_ns);
		if (load_stopping(load) && give_up_ns == UINT64_MAX)
			give_up_ns = now_ns + PATIENCE_NS;
		if (!*in_window && load->window_ns > now_ns && load->window_ns < until_ns)
			until_ns = load->window_ns;
		if (load_wait(load, LOAD_WAIT_FINISHED, m->started, until_ns)) {
			/* A window may be over before it was seen to begin. */
			look_at_window(m, spec, in_window);
			return true;
		}
		if (now_ns >= give_up_ns)
			return false;
	}
}

/* Of the parts, what begins later included; 0 where one of them has none. */
static uint64_t longest_runtime(const struct workload *workload)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < workload_parts(workload); i++) {
		const struct workload *part = workload_part(workload, i);
		uint64_t runtime_ns = part->runtime_ns;

		if (runtime_ns == 0)
			return 0;
		runtime_ns += workload_delay_beyond(workload, part);
		if (runtime_ns > longest)
			longest = runtime_ns;
	}
	return longest;
}

/* Starts, watches, ends. Whether every worker is gone and left nothing outstanding. */
static bool conduct(struct measurement *m, const struct measure_spec *spec, struct sample *sample)
{
	const struct workload *workload = spec->workload;
	uint64_t ramp_ns = workload_part(workload, 0)->ramp_time_ns; /* of all parts */
	uint64_t delay_ns = workload_least_delay(workload);
	bool in_window = ramp_ns == 0 && delay_ns == 0, finished;

	if (m->started < m->load.worker_count || !wait_ready(m, spec)) {
		load_stop(&m->load, LOAD_FAILED); /* unless it was cancelled */
		load_abandon(&m->load);
		return load_wait(&m->load, LOAD_WAIT_FINISHED, m->started,
				 clock_now_ns() + PATIENCE_NS);
	}
	if (in_window && spec->window)
		spec->window(spec->arg, true);
	sample->started_wall_ms = clock_wall_ms() + delay_ns / NS_PER_MS;
	steady_init(&m->steady, workload, ramp_ns);
	load_release(&m->load, delay_ns, ramp_ns, longest_runtime(workload));
	finished = watch(m, spec, &in_window);
	if (in_window && spec->window)
		spec->window(spec->arg, false);
	return finished && m->load.undrained == 0;
}

/* What the caller is told, from the reason of the stop. */
static int outcome(struct load *load, int started, struct error *err)
{
	int stop = atomic_load(&load->stop);

	if (started < 0)
		return started; /* err is set */
	if (stop == LOAD_CANCELLED) {
		(void)error_set(err, ERROR_CANCELLED, "", "the measurement was cancelled");
		return -ECANCELED;
	}
	if (stop == LOAD_GOES_ON)
		return 0;
	(void)pthread_mutex_lock(&load->mutex); /* a worker left behind may still come to it */
	if (err)
		*err = load->error;
	stop = load->error.sys ? load->error.sys : EIO;
	(void)pthread_mutex_unlock(&load->mutex);
	return -stop;
}

int measure_run(const struct measure_spec *spec, struct sample *sample, struct error *err)
{
	struct measurement *m = NULL;
	bool clean;
	int rc, started, gathered;

	if (spec->region_count == 0 || spec->region_count != workload_jobs(spec->workload))
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "%zu regions for %" PRIu64 " jobs: there must be one each",
				 spec->region_count, workload_jobs(spec->workload));
	rc = resources_check(spec->workload, spec->backend, err);
	if (rc == 0)
		rc = measurement_new(spec, &m, err);
	if (rc < 0)
		return rc;
	started = start_workers(m, err);
	clean = conduct(m, spec, sample);
	for (size_t i = 0; i < m->started; i++)
		(void)(clean ? pthread_join(m->ids[i], NULL) : pthread_detach(m->ids[i]));
	sample->steady = m->steady.result;
	gathered = gather(&m->workers, &m->load, spec, sample);
	rc = outcome(&m->load, started, err);
	if (rc == 0 && gathered < 0)
		rc = error_set_sys(err, ERROR_NO_MEMORY, -gathered, "the figures of a measurement");
	if (clean) {
		measurement_free(m);
	} else {
		load_left_behind();
		verify_keep(spec->verify);
	}
	return rc;
}
