/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - the program: one of its commands, and `volbench serve`, which puts the service's parts
 * together. The only file that sees every layer.
 *
 * Threads: the main thread blocks SIGTERM, SIGINT and SIGHUP before any other is made; whoever is
 * to hear them waits for them. SIGPIPE is ignored.
 * Start: store, board, supervisor, reporter, schedule, HTTP. Stop: HTTP refuses (drain), the run at
 * hand is stored as interrupted, the reporter ends, HTTP ends, schedule and store are closed.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "api/definitions.h"
#include "api/http.h"
#include "api/studies.h"
#include "engine/base/child.h"
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "server/codec/result_text.h"
#include "server/commands.h"
#include "server/log.h"
#include "server/notify.h"
#include "server/service.h"
#include "web/report.h"
#include "web/reporter.h"

#define STORE_WAIT_MS 10000 /* for a service that is just stopping */

/* The running service. */
struct server {
	struct service service;
	struct reporter *reporter;
	struct http *http;
	struct supervisor *supervisor;
	/* Locking: none, atomic: the reporter asks it before it is there. */
	_Atomic(struct schedule *) schedule;
};

/* ---- what lower layers are lent ---- */

static int write_report(const char *result_text, size_t size, const char *directory,
			struct error *err)
{
	AUTO_CLOSE int dirfd = -1;
	struct result result;
	int r = file_open_directory_path(directory, &dirfd);

	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "Opening %s", directory);
	result_init(&result);
	r = result_decode_text(result_text, size, &result, err);
	if (r == 0)
		r = report_write(&result, result_text, size, dirfd, NULL, err);
	result_done(&result);
	return r;
}

static bool is_measuring(void *arg)
{
	struct server *server = arg;
	struct schedule *schedule = atomic_load(&server->schedule);

	return schedule && schedule_measuring(schedule);
}

static void want_report(void *arg, const char *id)
{
	struct server *server = arg;

	reporter_request(server->reporter, id);
}

/* ---- serve ---- */

static void stop_set(sigset_t *set)
{
	/* These cannot fail for valid signals. */
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGTERM);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGHUP);
}

/* Until a signal says stop, with the watchdog fed at half its period. */
static void serve_until_signal(void)
{
	uint64_t watchdog_us = notify_watchdog_us();
	const struct timespec pause = {
		.tv_sec = (time_t)(watchdog_us / 2 / 1000000),
		.tv_nsec = (long)(watchdog_us / 2 % 1000000 * 1000),
	};
	sigset_t set;
	int number;

	stop_set(&set);
	do {
		if (watchdog_us)
			notify_send("WATCHDOG=1");
		number = watchdog_us ? sigtimedwait(&set, NULL, &pause) : sigwaitinfo(&set, NULL);
	} while (number < 0); /* time is over, or a stop and go of the whole process */
	log_line(LOG_LEVEL_INFO, "stopping on SIG%s", sigabbrev_np(number));
}

static void tell_problem(void *arg, const struct error *err)
{
	(void)arg;
	log_error(err, "the queue");
}

static void tell_swept(void *arg, const struct finding *finding)
{
	(void)arg;
	log_line(finding->severity == FINDING_INFO ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
		 "an earlier run: %s", finding->message);
}

static int start_supervisor(struct server *server, struct error *err)
{
	const struct options *options = server->service.options;
	const struct supervisor_config config = {
		.state_directory = options->state,
		.allow = options->allow,
		.allow_count = options->allow_count,
		.allow_datasets = options->allow_datasets,
		.allow_dataset_count = options->allow_dataset_count,
	};
	int r = supervisor_new(&config, &server->supervisor, err);

	server->service.supervisor = server->supervisor;
	return r;
}

static int start_reporter(struct server *server, struct error *err)
{
	const struct reporter_config config = {
		.store = server->service.store,
		.busy = is_measuring,
		.arg = server,
		.study = study_result_text,
	};
	int r = reporter_start(&config, &server->reporter);

	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "Starting the reporter") : 0;
}

static int start_schedule(struct server *server, struct error *err)
{
	const struct schedule_config config = {
		.store = server->service.store,
		.board = server->service.board,
		.supervisor = server->supervisor,
		.ended = want_report,
		.problem = tell_problem,
		.swept = tell_swept,
		.arg = server,
	};
	int r = schedule_start(&config, &server->service.schedule, err);

	atomic_store(&server->schedule, server->service.schedule);
	return r;
}

/* On failure stop_parts() stops what was started. */
static int start_parts(struct server *server, struct error *err)
{
	int r = store_open(server->service.options->state, STORE_WAIT_MS, &server->service.store,
			   err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < store_problem_count(server->service.store); i++)
		log_line(LOG_LEVEL_WARNING, "%s", store_problem(server->service.store, i));
	r = progress_board_new(&server->service.board);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "Starting");
	r = start_supervisor(server, err);
	if (r == 0)
		r = start_reporter(server, err);
	if (r == 0)
		r = start_schedule(server, err);
	return r;
}

static int start_http(struct server *server, struct error *err)
{
	struct http_config config = {
		.service = &server->service,
		.report_wanted = want_report,
		.arg = server,
	};
	char address[64];
	int r = options_listen(server->service.options->listen, address, sizeof(address),
			       &config.port, err);

	if (r < 0)
		return r;
	config.address = address;
	r = http_start(&config, &server->http, err);
	if (r == 0)
		log_line(LOG_LEVEL_INFO,
			 strchr(address, ':') ? "listening on http://[%s]:%u"
					      : "listening on http://%s:%u",
			 address, http_port(server->http));
	return r;
}

static void stop_parts(struct server *server)
{
	if (server->http)
		http_drain(server->http);
	if (server->service.schedule)
		schedule_stop(server->service.schedule);
	reporter_stop(server->reporter);
	if (server->http)
		http_stop(server->http);
	if (server->service.schedule)
		schedule_free(server->service.schedule);
	supervisor_free(server->supervisor);
	progress_board_free(server->service.board);
	if (server->service.store)
		store_close(server->service.store);
}

/* What an administrator should know of the places this was started with. */
static void tell_allowed(const struct options *options)
{
	if (options->allow_count == 0 && options->allow_dataset_count == 0)
		log_line(LOG_LEVEL_WARNING,
			 "without --allow or --allow-dataset nothing can be tested");
	for (size_t i = 0; i < options->allow_dataset_count; i++)
		if (!strchr(options->allow_datasets[i], '/'))
			log_line(LOG_LEVEL_WARNING,
				 "--allow-dataset %s names a whole pool; a dataset for it alone "
				 "(zfs create %s/volbench) keeps what is made apart from the rest",
				 options->allow_datasets[i], options->allow_datasets[i]);
}

static int command_serve(const struct options *options)
{
	struct server server = {.service.options = options};
	struct error err = {.code = ERROR_NONE};
	int r;

	tell_allowed(options);
	r = start_parts(&server, &err);
	if (r == 0)
		r = start_http(&server, &err);
	if (r == 0) {
		notify_send("READY=1");
		serve_until_signal();
	} else {
		log_error(&err, "the service could not start");
	}
	notify_send("STOPPING=1");
	stop_parts(&server);
	return r < 0 ? 1 : 0;
}

/* ---- the program ---- */

static int prepare_signals(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t set;

	stop_set(&set);
	return sigaction(SIGPIPE, &ignore, NULL) < 0 ? -errno
						     : -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int carry_out(const struct options *options, int argc, char **argv)
{
	const struct command_hooks hooks = {
		.write_report = write_report,
		.built_in = built_in_text,
	};

	switch (options->command) {
	case COMMAND_HELP:
		options_help(options->help_topic, stdout);
		return 0;
	case COMMAND_VERSION:
		puts("volbench " VOLBENCH_VERSION);
		return 0;
	case COMMAND_SERVE:
		return command_serve(options);
	case COMMAND_RUN:
		return command_run(options, &hooks);
	case COMMAND_PLAN:
		return command_plan(options, &hooks);
	case COMMAND_FIO:
		return command_fio(options, &hooks);
	case COMMAND_REPORT:
		return command_report(options, &hooks);
	case COMMAND_COMPARE:
		return command_compare(options);
	case COMMAND_IMPORT:
		return command_import(options, &hooks);
	case COMMAND_ENGINE:
		return command_engine(options);
	case COMMAND_SANDBOX:
		return child_sandbox_main(argc, argv);
	}
	return 2;
}

int main(int argc, char **argv)
{
	struct options options;
	struct error err;
	int status;

	if (options_parse(argc, argv, &options, &err) < 0) {
		fprintf(stderr, "volbench: %s\n", err.message);
		return 2;
	}
	if (options.command != COMMAND_SANDBOX && prepare_signals() < 0) {
		perror("volbench: signals");
		return 1;
	}
	status = carry_out(&options, argc, argv);
	options_done(&options);
	return status;
}
