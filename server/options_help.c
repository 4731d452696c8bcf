/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options_help.c - volbench --help, from the tables: see options.h. */
#include <string.h>

#include "engine/plan/option.h"
#include "server/options_table.h"
#include "server/table.h"

#define HELP_WIDTH 80

static void help_overview(FILE *out)
{
	fputs("Volbench measures storage and compares request sizes, depths, targets and more.\n\n"
	      "Usage: volbench COMMAND [OPTION]...\n\nCommands:\n",
	      out);
	for (size_t i = 0; i < command_row_count; i++) {
		fprintf(out, "  %-9s", command_rows[i].name);
		table_wrap(out, command_rows[i].summary, 11, 11, HELP_WIDTH);
	}
	fputs("\nvolbench COMMAND --help tells a command's options, volbench --help options the\n"
	      "options of a workload, volbench --version the version.\n\n"
	      "Example: volbench run demo --allow /srv/scratch --target directory:/srv/scratch\n",
	      out);
}

static void help_command(const struct command_row *command, FILE *out)
{
	char head[64];

	fprintf(out, "Usage: volbench %s%s%s%s [OPTION]...\n\n", command->name,
		command->argument ? " " : "", command->argument ? command->argument : "",
		(ON_TEST & ON(command->command)) ? " --allow PATH | --allow-dataset NAME" : "");
	table_wrap(out, command->summary, 0, 0, HELP_WIDTH);
	table_wrap(out, command->help, 0, 0, HELP_WIDTH);
	fputs("\nOptions:\n", out);
	for (size_t i = 0; i < option_row_count; i++) {
		if (!(option_rows[i].commands & ON(command->command)))
			continue;
		(void)snprintf(head, sizeof(head), "%s%s%s", option_rows[i].name,
			       option_rows[i].argument ? " " : "",
			       option_rows[i].argument ? option_rows[i].argument
						       : ""); /* fits: constants */
		fprintf(out, "  %-25s", head);
		table_wrap(out, option_rows[i].help, 27, 27, HELP_WIDTH);
	}
}

static void help_workload_option(const struct option *option, FILE *out)
{
	char range[OPTION_RANGE_MAX];

	fprintf(out, "  %-16s", option->name);
	if (strlen(option->name) >= 16) /* too long for its column: a line of its own */
		fprintf(out, "\n%18s", "");
	table_wrap(out, option->help, 18, 18, HELP_WIDTH);
	if (*option_range(option, range))
		fprintf(out, "%18sRange: %s\n", "", range);
	if (option->default_text || option->fio_default)
		fprintf(out, "%18sDefault: %s%s%s%s\n", "",
			option->default_text ? option->default_text : "none",
			option->fio_default ? " (fio's: " : "",
			option->fio_default ? option->fio_default : "",
			option->fio_default ? ")" : "");
}

/* The workload options, straight from their table. */
static void help_workload_options(FILE *out)
{
	table_wrap(
		out,
		"Options of a workload, in fio's names, meanings and units: sizes take k, M, G, T "
		"(of 1024), times are seconds unless they say ms, m or h.",
		0, 0, HELP_WIDTH);
	fputc('\n', out);
	for (int id = 0; id < OPTION_ID_COUNT; id++)
		help_workload_option(option_at((enum option_id)id), out);
}

void options_help(const char *topic, FILE *out)
{
	const struct command_row *command = topic ? command_row_find(topic) : NULL;

	if (command)
		help_command(command, out);
	else if (topic && strcmp(topic, "options") == 0)
		help_workload_options(out);
	else
		help_overview(out);
}
