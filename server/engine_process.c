/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine_process.c - `volbench engine`: one request of engine_peer.h's peer, carried out by the
 * engine. The lock of the state directory lets one run measure at a time; questions take turns.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/run.h"
#include "engine/target/manifest.h"
#include "server/codec/plan.h"
#include "server/codec/result.h"
#include "server/codec/sample.h"
#include "server/commands.h"
#include "server/engine_peer.h"

#define LOCK_WAIT_MS 15000 /* for the run of a service that died and still cleans up */
#define LOOK_WAIT_MS 10000 /* for those who asked before; each takes a second or two at most */

struct engine {
	struct peer peer;
	int state_dirfd;
	struct allow *allow;
	struct plan *plan; /* of the run at hand */
	uint64_t total;	   /* samples of the run that was asked for; 0: none was */
};

/* ---- calls ---- */

static void on_progress(void *arg, const struct run_progress *progress)
{
	struct engine *engine = arg;
	const struct plan_sample *sample = progress->sample;
	struct progress told = {
		.phase = progress->phase,
		.done = progress->done,
		.total = progress->total,
		.percent = progress->percent,
		.seconds_left = progress->seconds_left,
		.at_most = progress->at_most,
	};

	if (sample) {
		AUTO_FREE char *cell = plan_cell_text(engine->plan, sample);

		(void)snprintf(told.workload, sizeof(told.workload), "%s",
			       engine->plan->definition->workloads[sample->workload].name);
		(void)snprintf(told.cell, sizeof(told.cell), "%s", cell ? cell : "");
		told.repeat = sample->repeat;
	}
	peer_answer_if_read(&engine->peer, MESSAGE_PROGRESS, progress_encode(&told));
}

static void on_sample(void *arg, const struct sample *sample)
{
	struct engine *engine = arg;

	peer_answer(&engine->peer, MESSAGE_SAMPLE, sample_encode(sample));
}

/* A sign of life of a run before it has started; all other calls have one answer only. */
static void tell_alive(void *arg)
{
	struct engine *engine = arg;
	struct progress told = {.phase = PHASE_PREPARE, .total = engine->total};

	if (engine->total > 0)
		peer_answer_if_read(&engine->peer, MESSAGE_PROGRESS, progress_encode(&told));
}

/* Plans and inspects; infos are the caller's to free. */
static int prepare(struct engine *engine, const struct call *call, bool measuring,
		   struct plan *plan, struct target_info **ret_infos,
		   enum backend_kind *ret_backend, char *reason, size_t reason_size,
		   struct error *err)
{
	const struct run_look look = {.allow = engine->allow,
				      .measuring = measuring,
				      .state_dirfd = engine->state_dirfd,
				      .tick = tell_alive,
				      .arg = engine};
	struct machine machine;
	struct target_info *infos;
	int r;

	telemetry_machine(&machine);
	infos = calloc(call->definition.target_count + 1, sizeof(*infos));
	if (!infos)
		return error_no_memory(err);
	r = plan_make(&call->definition, &machine, plan, err);
	if (r < 0) {
		free(infos);
		return r;
	}
	r = run_inspect(plan, &look, infos, ret_backend, reason, reason_size, err);
	if (r < 0) {
		plan_done(plan);
		free(infos);
		return r;
	}
	*ret_infos = infos;
	return 0;
}

static int call_plan(struct engine *engine, const struct call *call, struct error *err)
{
	AUTO_FREE struct target_info *infos = NULL;
	AUTO_CLOSE int lock = -1;
	char reason[256];
	enum backend_kind backend;
	struct plan plan;
	bool measuring;
	int r = run_look(engine->state_dirfd, LOOK_WAIT_MS, &measuring, &lock, err);

	if (r < 0)
		return r;
	r = prepare(engine, call, measuring, &plan, &infos, &backend, reason, sizeof(reason), err);
	if (r < 0)
		return r;
	peer_answer(&engine->peer, MESSAGE_PLAN, plan_encode(&plan, infos, backend, reason));
	plan_done(&plan);
	return 0;
}

static int call_targets(struct engine *engine, struct error *err)
{
	AUTO_CLOSE int lock = -1;
	struct target_list list;
	bool measuring;
	int r = run_look(engine->state_dirfd, LOOK_WAIT_MS, &measuring, &lock, err);

	if (r < 0)
		return r;
	r = target_candidates(engine->allow, measuring, &list, err);
	if (r < 0)
		return r;
	peer_answer(&engine->peer, MESSAGE_TARGETS, target_list_encode(&list));
	target_list_done(&list);
	return 0;
}

static int call_system(struct engine *engine)
{
	struct environment environment;

	telemetry_environment(&environment);
	peer_answer(&engine->peer, MESSAGE_SYSTEM, environment_encode(&environment));
	return 0;
}

/* The lock for a run or sweep, which another process may hold for a while yet. */
static int lock_for_run(struct engine *engine, int *ret_lock, struct error *err)
{
	uint64_t deadline_ns = clock_now_ns() + LOCK_WAIT_MS * NS_PER_MS;
	int r;

	do {
		if (atomic_load(&engine->peer.cancel)) {
			(void)error_set(err, ERROR_CANCELLED, "", "The run was cancelled.");
			return -ECANCELED;
		}
		tell_alive(engine);
		r = run_lock(engine->state_dirfd, 100, ret_lock, err);
	} while (r == -EWOULDBLOCK && clock_now_ns() < deadline_ns);
	return r;
}

/* Of what asks OpenZFS for long: the run's cancel is heard, and it shows that it lives. */
static struct zfs_patience patience_of(struct engine *engine)
{
	return (struct zfs_patience){
		.cancel = &engine->peer.cancel, .tick = tell_alive, .arg = engine};
}

static int call_sweep(struct engine *engine, struct error *err)
{
	const struct zfs_patience patience = patience_of(engine);
	AUTO_CLOSE int lock = -1;
	struct findings findings;
	int r = lock_for_run(engine, &lock, err);

	if (r < 0)
		return r;
	findings_init(&findings);
	atomic_store(&engine->peer.idle, false);
	r = manifest_sweep(engine->state_dirfd, engine->allow, &patience, &findings, err);
	if (r == 0)
		peer_answer(&engine->peer, MESSAGE_SWEPT, findings_encode(&findings));
	findings_done(&findings);
	return r;
}

/* The last line of a run; those findings of the plan that came after it was told go with it. */
static void answer_end(struct engine *engine, int result, const struct error *err,
		       const struct plan *plan, size_t told, const struct repeats_outcome *repeats)
{
	enum run_state state = result == 0	      ? RUN_DONE
			       : result == -ECANCELED ? RUN_CANCELLED
						      : RUN_FAILED;
	const struct findings later = {
		.count = plan->findings.count - told,
		.list = plan->findings.list + told,
	};

	peer_answer(&engine->peer, MESSAGE_END,
		    message_end(state, state == RUN_FAILED ? err : NULL,
				told ? &later : &plan->findings, repeats));
}

/* The plan stands and the lock is held: measure. */
static void carry_out(struct engine *engine, const struct call *call, struct plan *plan,
		      const struct target_info *infos, enum backend_kind backend,
		      const char *reason)
{
	struct repeats_outcome repeats = {.end = REPEATS_END_NONE};
	const struct run_config config = {
		.run_id = call->run_id,
		.allow = engine->allow,
		.state_dirfd = engine->state_dirfd,
		.backend = backend,
		.backend_reason = reason,
		.cancel = &engine->peer.cancel,
		.repeats = &repeats,
	};
	const struct run_events events = {
		.progress = on_progress, .sample = on_sample, .arg = engine};
	struct error err = {.code = ERROR_NONE};
	struct environment environment;
	size_t told = plan->findings.count;
	int r;

	engine->plan = plan;
	telemetry_environment(&environment);
	peer_answer(&engine->peer, MESSAGE_STARTED,
		    call_started(plan, infos, &environment, backend, reason));
	r = run_execute(plan, &config, &events, &err);
	if (engine->peer.failed)
		r = error_no_memory(&err);
	answer_end(engine, r, &err, plan, told, &repeats);
	engine->plan = NULL;
}

static int call_run(struct engine *engine, const struct call *call, struct error *err)
{
	const struct zfs_patience patience = patience_of(engine);
	AUTO_FREE struct target_info *infos = NULL;
	AUTO_CLOSE int lock = -1;
	enum backend_kind backend;
	struct findings swept;
	struct plan plan;
	char reason[256];
	int r;

	engine->total = definition_samples(&call->definition);
	r = lock_for_run(engine, &lock, err);
	if (r < 0)
		return r;
	findings_init(&swept);
	atomic_store(&engine->peer.idle, false);
	r = manifest_sweep(engine->state_dirfd, engine->allow, &patience, &swept, err);
	tell_alive(engine);
	if (r == 0)
		r = prepare(engine, call, false, &plan, &infos, &backend, reason, sizeof(reason),
			    err);
	if (r < 0) {
		findings_done(&swept);
		return r;
	}
	r = findings_copy(&swept, &plan.findings);
	findings_done(&swept);
	if (r == 0)
		carry_out(engine, call, &plan, infos, backend, reason);
	else
		r = error_set_sys(err, ERROR_SYSTEM, -r, "Planning");
	plan_done(&plan);
	return r;
}

static int carry_call(struct engine *engine, const struct call *call, struct error *err)
{
	switch (call->kind) {
	case CALL_PLAN:
		return call_plan(engine, call, err);
	case CALL_TARGETS:
		return call_targets(engine, err);
	case CALL_SYSTEM:
		return call_system(engine);
	case CALL_SWEEP:
		return call_sweep(engine, err);
	case CALL_RUN:
		return call_run(engine, call, err);
	case CALL_CANCEL:
	case CALL_COUNT:
		break;
	}
	return error_set(err, ERROR_BAD_VALUE, "", "There is nothing to cancel.");
}

/* ---- start and end ---- */

/* A directory of a thousand jobs has as many descriptors open; registered buffers are locked. */
static void raise_limits(void)
{
	static const int limits[] = {RLIMIT_NOFILE, RLIMIT_MEMLOCK};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)limits[i], &limit) < 0)
			continue;
		limit.rlim_cur = limit.rlim_max;
		/* Where it stays low, opening and registering say so themselves. */
		(void)setrlimit((__rlimit_resource_t)limits[i], &limit);
	}
}

static int open_engine(struct engine *engine, const struct options *options, struct error *err)
{
	int r;

	raise_limits();
	r = file_open_directory_path(options->state, &engine->state_dirfd);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "Opening the engine's directory %s",
				     options->state);
	r = allow_new(options->allow, options->allow_count, &engine->allow, err);
	return r < 0 ? r
		     : allow_add_datasets(engine->allow, options->allow_datasets,
					  options->allow_dataset_count, err);
}

static int serve_request(struct engine *engine, const struct options *options, struct call *call,
			 struct error *err)
{
	int r = open_engine(engine, options, err);

	if (r == 0)
		r = peer_watch(&engine->peer, err);
	return r < 0 ? r : carry_call(engine, call, err);
}

/* 0 where the request was answered, also with a refusal, or its peer left. */
int command_engine(const struct options *options)
{
	struct engine engine = {.state_dirfd = -1};
	struct call call;
	struct error err;
	int r = peer_open(&engine.peer, &err);

	if (r == 0)
		r = peer_read(&engine.peer, &call, &err);
	if (r == 0) {
		r = serve_request(&engine, options, &call, &err);
		call_done(&call);
	}
	if (r < 0)
		peer_answer(&engine.peer, MESSAGE_ERROR, json_error(&err));
	r = engine.peer.failed ? 1 : 0;
	peer_close(&engine.peer);
	allow_free(engine.allow);
	if (engine.state_dirfd >= 0)
		(void)close(engine.state_dirfd); /* nothing was written to it */
	return r;
}
