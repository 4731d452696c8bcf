/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - the program: one of its commands. The only file that sees every layer.
 *
 * Threads: the main thread blocks SIGTERM, SIGINT and SIGHUP before any other is made; whoever is
 * to hear them waits for them. SIGPIPE is ignored.
 */
#include <errno.h>
#include <signal.h>

#include "engine/base/child.h"
#include "server/commands.h"

static void stop_set(sigset_t *set)
{
	/* These cannot fail for valid signals. */
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGTERM);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGHUP);
}

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
	switch (options->command) {
	case COMMAND_HELP:
		options_help(options->help_topic, stdout);
		return 0;
	case COMMAND_VERSION:
		puts("volbench " VOLBENCH_VERSION);
		return 0;
	case COMMAND_ENGINE:
		return command_engine(options);
	case COMMAND_SANDBOX:
		return child_sandbox_main(argc, argv);
	case COMMAND_SERVE:
	case COMMAND_RUN:
	case COMMAND_PLAN:
		fputs("volbench: this build has no such command\n", stderr);
		return 2;
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
