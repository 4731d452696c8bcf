/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * source.h - where `volbench run`, `plan` and `fio` take their definition from: a file (JSON, or
 * an fio job file), standard input, or the name of a built-in or saved one, with the command line
 * laid over it.
 */
#ifndef SERVER_SOURCE_H
#define SERVER_SOURCE_H

#include "engine/plan/definition.h"
#include "server/commands.h"

/* Reads, amends and checks it. ret_definition is fresh before and, on
 * failure, after. Errors that have a field are about the document. */
MUST_CHECK int source_load(const struct options *options, const struct command_hooks *hooks,
			   struct definition *ret_definition, struct error *err);

/* "volbench: FILE: /field: message" on standard error. */
void source_complain(const struct options *options, const struct error *err);

#endif
