/* SPDX-License-Identifier: GPL-3.0-or-later */
/* commands.h - one function a command; each returns the process's exit status.
 * 0 good, 1 the thing failed, 2 bad usage or a bad definition, 130 cancelled by ^C. */
#ifndef SERVER_COMMANDS_H
#define SERVER_COMMANDS_H

#include "server/options.h"

/* What a layer above lends to a command below it; filled by main.c. */
struct command_hooks {
	/* Writes a report of a volbench.result/1 text into a directory (made when missing). */
	int (*write_report)(const char *result_text, size_t size, const char *directory,
			    struct error *err);
	/* Text of a built-in definition, static; NULL when there is none of that name. */
	const char *(*built_in)(const char *name);
};

int command_run(const struct options *options, const struct command_hooks *hooks);
int command_plan(const struct options *options, const struct command_hooks *hooks);
int command_fio(const struct options *options, const struct command_hooks *hooks);
int command_report(const struct options *options, const struct command_hooks *hooks);
int command_compare(const struct options *options);
int command_import(const struct options *options, const struct command_hooks *hooks);
int command_engine(const struct options *options); /* engine_process.c */

#endif
