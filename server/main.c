/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - the program: one of its commands. The only file that sees every layer.
 *
 * Threads: the main thread blocks SIGTERM, SIGINT and SIGHUP before any other is made; whoever is
 * to hear them waits for them. SIGPIPE is ignored.
 */
#include <errno.h>
#include <signal.h>

#include "api/definitions.h"
#include "engine/base/child.h"
#include "engine/base/file.h"
#include "server/codec/view.h"
#include "server/commands.h"
#include "web/report.h"

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
	r = view_result(result_text, size, &result, err);
	if (r == 0)
		r = report_write(&result, result_text, size, dirfd, err);
	result_done(&result);
	return r;
}

static void stop_set(sigset_t *set)
{
	/* These cannot fail for valid signals. */
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGTERM);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGHUP);
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
		fputs("volbench: this build has no such command\n", stderr);
		return 2;
	case COMMAND_RUN:
		return command_run(options, &hooks);
	case COMMAND_PLAN:
		return command_plan(options, &hooks);
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
