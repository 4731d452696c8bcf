/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dd_command.c - see dd_command.h. */
#include "server/import/dd_command.h"

#include <string.h>

/* "128k", "1M", "4096", "1MB" (of 1000), "8b" (of 512); 0 where it is another thing. */
static uint64_t size_of(struct piece text)
{
	static const struct {
		const char *suffix;
		uint64_t unit;
	} units[] = {
		{"", 1},	  {"c", 1},	      {"w", 2},	      {"b", 512},
		{"k", 1024},	  {"K", 1024},	      {"m", 1 << 20}, {"M", 1 << 20},
		{"g", 1 << 30},	  {"G", 1 << 30},     {"kB", 1000},   {"KB", 1000},
		{"MB", 1000000},  {"GB", 1000000000}, {"KiB", 1024},  {"MiB", 1 << 20},
		{"GiB", 1 << 30},
	};
	struct piece digits = {text.text, 0}, suffix;
	uint64_t value;

	while (digits.size < text.size && text.text[digits.size] >= '0' &&
	       text.text[digits.size] <= '9')
		digits.size++;
	suffix = (struct piece){text.text + digits.size, text.size - digits.size};
	if (lines_count(digits, &value) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (lines_are(suffix, units[i].suffix))
			return __builtin_mul_overflow(value, units[i].unit, &value) ? 0 : value;
	return 0;
}

/* Whether a list as "direct,sync" has a word. */
static bool has(struct piece list, const char *word)
{
	struct piece words[16];
	size_t count = lines_cut(list, ',', words, ARRAY_SIZE(words));

	for (size_t i = 0; i < count; i++)
		if (lines_are(words[i], word))
			return true;
	return false;
}

/* Of several the size is known only where they are the same. */
static void read_block(struct dd_command *command, uint64_t block)
{
	command->block = command->block_given && command->block != block ? 0 : block;
	command->block_given = true;
}

static void read_operand(struct dd_command *command, struct piece name, struct piece value)
{
	if (lines_are(name, "if"))
		command->input = value;
	else if (lines_are(name, "of"))
		command->output = value;
	else if (lines_are(name, "bs") || lines_are(name, "ibs") || lines_are(name, "obs"))
		read_block(command, size_of(value));
	else if (lines_are(name, "iflag"))
		command->direct_in = has(value, "direct");
	else if (lines_are(name, "conv"))
		command->fsync = has(value, "fsync");
	if (!lines_are(name, "oflag"))
		return;
	command->direct_out = has(value, "direct");
	command->dsync = has(value, "dsync");
	command->sync = has(value, "sync");
}

bool dd_command_read(struct piece line, struct dd_command *ret_command)
{
	struct dd_command command = {.known = true, .line = line};
	struct piece rest = line, word, name, value;
	bool found = false;

	while (lines_word(&rest, &word)) {
		if (lines_are(word, "dd") ||
		    (word.size > 3 && memcmp(word.text + word.size - 3, "/dd", 3) == 0))
			found = true;
		else if (found && lines_part(word, '=', &name, &value))
			read_operand(&command, name, value);
	}
	if (!found || line.size > DD_COMMAND_MAX || (!command.input.text && !command.output.text))
		return false;
	*ret_command = command;
	return true;
}

static bool nowhere(struct piece path)
{
	return path.size == 0 || lines_are(path, "/dev/null") || lines_are(path, "/dev/zero") ||
	       lines_are(path, "/dev/random") || lines_are(path, "/dev/urandom") ||
	       lines_are(path, "/dev/stdout") || lines_are(path, "/dev/stdin") ||
	       lines_are(path, "-");
}

bool dd_command_reads(const struct dd_command *command)
{
	return command->known && !nowhere(command->input);
}

bool dd_command_writes(const struct dd_command *command)
{
	return command->known && !nowhere(command->output);
}

struct piece dd_command_target(const struct dd_command *command)
{
	return dd_command_writes(command) ? command->output : command->input;
}
