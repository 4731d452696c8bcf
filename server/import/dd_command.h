/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dd_command.h - a command line of dd in a transcript: what it read and wrote, and how.
 *
 * Sizes have the suffixes of GNU and BSD: k and K are 1024, kB is 1000, b is 512.
 */
#ifndef SERVER_IMPORT_DD_COMMAND_H
#define SERVER_IMPORT_DD_COMMAND_H

#include "server/import/lines.h"

#define DD_COMMAND_MAX 4096 /* bytes of a line that is taken for one */

/* What a command line told; all of it unknown without one. */
struct dd_command {
	bool known, block_given;
	struct piece line, input, output; /* if=, of= */
	uint64_t block;			  /* 0: not told, or with two values */
	bool direct_in, direct_out, dsync, sync, fsync;
};

/* Whether a line is one: it has the word dd, or a path to it, and if= or of= behind it, as
 * "$ sudo dd if=...". Else *ret_command stays. */
bool dd_command_read(struct piece line, struct dd_command *ret_command);

/* Whether it read from, or wrote to, what could be measured: not /dev/zero, /dev/null and the like,
 * nor a pipe. */
bool dd_command_reads(const struct dd_command *command);
bool dd_command_writes(const struct dd_command *command);

/* What was measured: of a copy where it went to. */
struct piece dd_command_target(const struct dd_command *command);

#endif
