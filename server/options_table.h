/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options_table.h - the tables behind options.h: commands, and their options. Parsing and help read
 * them; nobody else does.
 */
#ifndef SERVER_OPTIONS_TABLE_H
#define SERVER_OPTIONS_TABLE_H

#include "server/options.h"

enum option_kind { KIND_TEXT, KIND_LIST, KIND_REPEATS, KIND_FLAG };

#define ON(command) (1u << (command))
#define ON_TARGETS (ON(COMMAND_SERVE) | ON(COMMAND_RUN) | ON(COMMAND_PLAN) | ON(COMMAND_ENGINE))
#define ON_TEST (ON(COMMAND_RUN) | ON(COMMAND_PLAN))
#define ON_READ (ON_TEST | ON(COMMAND_FIO))
#define ON_ALL (~0u)

/* One option of the command line. */
struct option_row {
	const char *name;
	const char *argument; /* as help shows it; NULL for a flag */
	enum option_kind kind;
	unsigned int commands; /* ON() of those that have it */
	size_t member;	       /* of struct options: the text, list, number or flag */
	size_t count;	       /* KIND_LIST: of its count */
	const char *help;
};

struct command_row {
	enum command command;
	const char *name;
	const char *argument;	  /* the words it takes, as help shows them; NULL: none */
	size_t words, words_most; /* it takes at least and at most */
	const char *summary;
	const char *help;
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;
extern const struct command_row command_rows[];
extern const size_t command_row_count;

/* NULL: there is none. */
const struct command_row *command_row_find(const char *name);
const struct command_row *command_row_of(enum command command);

/* "run, plan, fio, serve" + joint + "engine". Returns buffer. */
#define COMMAND_NAMES_MAX 160
const char *command_row_names(const char *joint, char buffer[COMMAND_NAMES_MAX]);

#endif
