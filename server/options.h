/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.h - the command line. One table gives parsing and --help; an option that a command does
 * not have is refused by name.
 *
 * Both `--name VALUE` and `--name=VALUE` are understood. The texts point into argv but for the
 * state directory's default, which the struct owns (options_done).
 */
#ifndef SERVER_OPTIONS_H
#define SERVER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/plan/repeats.h"

enum command {
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_SERVE,
	COMMAND_RUN,
	COMMAND_PLAN,
	COMMAND_FIO,
	COMMAND_REPORT,
	COMMAND_COMPARE,
	COMMAND_IMPORT,
	COMMAND_ENGINE,
	COMMAND_SANDBOX, /* internal, see child.h */
};

struct options {
	enum command command;
	const char *help_topic; /* --help: a command's name, "options", or NULL */
	size_t word_count;
	const char **words; /* what stands without an option's name, in order */
	const char *file;   /* the first of them, or NULL; of run, plan, fio: "-" is standard input;
			     * a path, or a definition's name; of report, compare see stored.h */
	const char *state;  /* default: $STATE_DIRECTORY, else /var/lib/volbench as root,
			     * else $XDG_STATE_HOME/volbench or ~/.local/state/volbench */
	const char *listen; /* serve: ADDR:PORT, default 127.0.0.1:8090 */
	size_t allow_count;
	const char **allow;
	size_t allow_dataset_count;
	const char **allow_datasets; /* names of OpenZFS datasets, well-formed */
	const char *json_out;	     /* run, plan, report, compare: --json; "-": stdout */
	const char *html_out;	     /* run, report: --html */
	const char *target;	     /* run, plan, fio: --target file:PATH | ... | zvol:PARENT */
	const char *parent;	     /* run, plan, fio: --parent DATASET */
	size_t override_count;
	const char **overrides; /* run, plan, fio: --override OPTION=VALUE */
	struct repeats repeats; /* run, plan: --repeats N or MIN-MAX:PERCENT%; most 0: as defined */
	size_t fail_if_count;
	const char **fail_if;  /* compare: --fail-if NAME=NUMBER */
	const char *limits_in; /* compare: --limits FILE */
	bool quiet;	       /* run: no progress */
	/* import: --name, --factor, --format, --label (one a file), --workload (in order) */
	const char *name, *factor, *format;
	size_t label_count, workload_count;
	const char **labels, **workloads;
	char *own_state; /* heap behind `state` where it was not given */
};

/* argv as given to main. BAD_PARAMETER with a sentence for the user. */
MUST_CHECK int options_parse(int argc, char **argv, struct options *ret_options, struct error *err);
void options_done(struct options *options);

/* Prints help of a topic to a stream. */
void options_help(const char *topic, FILE *out);

/* Splits "127.0.0.1:8090", "[::1]:8090", "localhost:8090"; port 0 lets the kernel choose.
 * Only loopback is accepted: there is no authentication yet. */
MUST_CHECK int options_listen(const char *text, char *ret_address, size_t size, uint16_t *ret_port,
			      struct error *err);

#endif
