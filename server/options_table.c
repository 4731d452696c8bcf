/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options_table.c - see options_table.h. */
#include "server/options_table.h"

#include <string.h>

#include "engine/analysis/run_comparison.h"
#include "server/import/import.h"

const struct option_row option_rows[] = {
	{"--allow", "PATH", KIND_LIST, ON_TARGETS, offsetof(struct options, allow),
	 offsetof(struct options, allow_count),
	 "Where targets may lie: a directory (all beneath it), a block device, or /dev/zero. "
	 "Repeatable. Nothing outside is ever opened."},
	{"--allow-dataset", "NAME", KIND_LIST, ON_TARGETS, offsetof(struct options, allow_datasets),
	 offsetof(struct options, allow_dataset_count),
	 "The OpenZFS dataset, such as tank/volbench, beneath which zvols and datasets may be made "
	 "for a run, and are destroyed with it. Repeatable. Nothing else is ever destroyed."},
	{"--state", "DIR", KIND_TEXT, ON_ALL, offsetof(struct options, state), 0,
	 "Where results, saved definitions and the engine's own records are kept. Default: "
	 "$STATE_DIRECTORY, else /var/lib/volbench for root, else ~/.local/state/volbench."},
	{"--listen", "ADDR:PORT", KIND_TEXT, ON(COMMAND_SERVE), offsetof(struct options, listen), 0,
	 "Address to serve on, loopback only; port 0 takes a free one. Default: 127.0.0.1:8090."},
	{"--target", "KIND:PATH", KIND_TEXT, ON_READ, offsetof(struct options, target), 0,
	 "What to test, in place of the definition's target: file:PATH, directory:PATH, "
	 "device:PATH, zvol:PARENT or dataset:PARENT (made beneath that dataset of OpenZFS)."},
	{"--parent", "DATASET", KIND_TEXT, ON_READ, offsetof(struct options, parent), 0,
	 "The dataset of OpenZFS beneath which the definition's zvols and datasets are made."},
	{"--override", "OPTION=VALUE", KIND_LIST, ON_READ, offsetof(struct options, overrides),
	 offsetof(struct options, override_count),
	 "Sets a workload option for every workload. Repeatable."},
	{"--repeats", "N", KIND_REPEATS, ON_TEST, offsetof(struct options, repeats), 0,
	 "How often each combination is measured, in place of the definition's repeats. MIN-MAX:P% "
	 "ends once the differences between levels are known to P percent: 5-30:2%."},
	{"--json", "FILE", KIND_TEXT,
	 ON_TEST | ON(COMMAND_REPORT) | ON(COMMAND_COMPARE) | ON(COMMAND_IMPORT),
	 offsetof(struct options, json_out), 0,
	 "Writes the whole document there (of report the analysis); - is standard output."},
	{"--html", "DIR", KIND_TEXT, ON(COMMAND_RUN) | ON(COMMAND_REPORT) | ON(COMMAND_IMPORT),
	 offsetof(struct options, html_out), 0,
	 "Writes the report there: index.html and what belongs to it."},
	{"--fail-if", "NAME=NUMBER", KIND_LIST, ON(COMMAND_COMPARE),
	 offsetof(struct options, fail_if), offsetof(struct options, fail_if_count),
	 "A limit: iops_percent, bandwidth_percent, files_percent (-5: 5 percent less is allowed), "
	 "latency_percent, latency_p99_percent (10: 10 percent longer is), unmatched (cells of the "
	 "baseline without a partner). Repeatable, or with commas between them."},
	{"--limits", "FILE", KIND_TEXT, ON(COMMAND_COMPARE), offsetof(struct options, limits_in), 0,
	 "The same as a JSON object: {\"iops_percent\": -5, \"unmatched\": 0}."},
	{"--name", "NAME", KIND_TEXT, ON(COMMAND_IMPORT), offsetof(struct options, name), 0,
	 "What the result is called. Default: what the file tells, or the file's own name."},
	{"--factor", "NAME", KIND_TEXT, ON(COMMAND_IMPORT), offsetof(struct options, factor), 0,
	 "What the files are levels of. Default: file. The name of a workload's option (bs) or of "
	 "a property of OpenZFS (recordsize) makes it that, and the labels its values."},
	{"--label", "TEXT", KIND_LIST, ON(COMMAND_IMPORT), offsetof(struct options, labels),
	 offsetof(struct options, label_count),
	 "The level of a file, in the order of the files; default: its name. Repeatable; files of "
	 "one label are repeats."},
	{"--workload", "NAME", KIND_LIST, ON(COMMAND_IMPORT), offsetof(struct options, workloads),
	 offsetof(struct options, workload_count),
	 "Another name for a workload, in the order they are found. Repeatable."},
	{"--format", "NAME", KIND_TEXT, ON(COMMAND_IMPORT), offsetof(struct options, format), 0,
	 "The format of all files: " IMPORT_FORMATS ". Default: each text tells."},
	{"--quiet", NULL, KIND_FLAG, ON(COMMAND_RUN), offsetof(struct options, quiet), 0,
	 "No progress, only the table."},
};

#define FILE_HELP                                                                                  \
	"FILE is a JSON definition or an fio job file (which begins with [ or a comment), - for "  \
	"standard "                                                                                \
	"input, or the name of a built-in or saved definition."

#define RESULT_HELP                                                                                \
	"a result.json, a report's directory, - for standard input, or the id of a run in the "    \
	"state directory."

const size_t option_row_count = ARRAY_SIZE(option_rows);

const struct command_row command_rows[] = {
	{COMMAND_RUN, "run", "FILE", 1, 1, "Measures a definition and prints a table.",
	 FILE_HELP " ^C stops at once; samples that were finished still come out."},
	{COMMAND_PLAN, "plan", "FILE", 1, 1,
	 "Says what a run would do: samples, time, space, findings. Touches nothing.", FILE_HELP},
	{COMMAND_FIO, "fio", "FILE", 1, 1, "Prints the job file that makes fio do the same.",
	 FILE_HELP " Each workload and combination of levels becomes a job; nothing is touched."},
	{COMMAND_REPORT, "report", "RESULT", 1, 1,
	 "Prints a stored result's table again, and writes its report or analysis.",
	 "RESULT is " RESULT_HELP
	 " --html writes its report, --json what the samples show, as JSON."},
	{COMMAND_COMPARE, "compare", "BASELINE OTHER...", 2, RUN_COMPARISON_MAX,
	 "Holds results against a baseline, and passes or fails.",
	 "BASELINE and OTHER are results: each " RESULT_HELP " What differs in settings and "
	 "environment comes first, then each cell with ratio, 95 % interval and verdict. A limit "
	 "fails where the whole interval lies beyond it, or without repeats the ratio itself; and "
	 "where nothing could be held against it. Exit status: 0 compared and limits kept, 1 a "
	 "limit is not kept, 2 bad usage."},
	{COMMAND_IMPORT, "import", "FILE...", 1, IMPORT_FILES_MAX,
	 "Reads results of other tools and prints a table of them.",
	 "FILE is what fio printed with --output-format=json or json+, what diskspd, bonnie++ or "
	 "dd printed, or a volbench.table; - is standard input. Several files are compared. Only "
	 "with --state is the result kept, as a run that is done; a service that has the "
	 "directory takes files by POST /api/v1/imports."},
	{COMMAND_SERVE, "serve", NULL, 0, 0, "Runs the service: REST, queue and reports.",
	 "Stops on SIGTERM or SIGINT; the run at hand is then kept as interrupted."},
	{COMMAND_ENGINE, "engine", NULL, 0, 0, "The measuring process, started by the others.",
	 "Reads one request, a JSON object on a line, from standard input and answers in lines "
	 "of JSON: on the same socket where standard input is one, else on standard output. "
	 "Example: echo '{\"call\": \"targets\"}' | volbench engine --state DIR --allow PATH"},
};

const size_t command_row_count = ARRAY_SIZE(command_rows);

const struct command_row *command_row_find(const char *name)
{
	for (size_t i = 0; i < command_row_count; i++)
		if (strcmp(command_rows[i].name, name) == 0)
			return &command_rows[i];
	return NULL;
}

const struct command_row *command_row_of(enum command command)
{
	for (size_t i = 0; i < command_row_count; i++)
		if (command_rows[i].command == command)
			return &command_rows[i];
	return NULL;
}

const char *command_row_names(const char *joint, char buffer[COMMAND_NAMES_MAX])
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < command_row_count && used < COMMAND_NAMES_MAX; i++)
		used += (size_t)snprintf(buffer + used, COMMAND_NAMES_MAX - used, "%s%s",
					 i == 0			     ? ""
					 : i + 1 < command_row_count ? ", "
								     : joint,
					 command_rows[i].name);
	return buffer;
}
