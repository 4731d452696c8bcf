/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/definition.h"
#include "engine/zfs/name.h"
#include "server/table.h"

#define HELP_WIDTH 80

enum kind { KIND_TEXT, KIND_LIST, KIND_REPEATS, KIND_FLAG };

#define ON(command) (1u << (command))
#define ON_TARGETS (ON(COMMAND_SERVE) | ON(COMMAND_RUN) | ON(COMMAND_PLAN) | ON(COMMAND_ENGINE))
#define ON_ALL (ON_TARGETS | ON(COMMAND_FIO))
#define ON_TEST (ON(COMMAND_RUN) | ON(COMMAND_PLAN))
#define ON_READ (ON_TEST | ON(COMMAND_FIO))

/* One option of the command line. */
struct row {
	const char *name;
	const char *argument; /* as help shows it; NULL for a flag */
	enum kind kind;
	unsigned int commands; /* ON() of those that have it */
	size_t member;	       /* of struct options: the text, list, number or flag */
	size_t count;	       /* KIND_LIST: of its count */
	const char *help;
};

static const struct row rows[] = {
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
	 "How often each combination is measured, in place of the definition's repeats."},
	{"--json", "FILE", KIND_TEXT, ON_TEST, offsetof(struct options, json_out), 0,
	 "Writes the whole document there; - is standard output."},
	{"--html", "DIR", KIND_TEXT, ON(COMMAND_RUN), offsetof(struct options, html_out), 0,
	 "Writes the report there: index.html and what belongs to it."},
	{"--quiet", NULL, KIND_FLAG, ON(COMMAND_RUN), offsetof(struct options, quiet), 0,
	 "No progress, only the table."},
};

#define FILE_HELP                                                                                  \
	"FILE is a JSON definition or an fio job file (which begins with [ or a comment), - for "  \
	"standard "                                                                                \
	"input, or the name of a built-in or saved definition."

static const struct command_row {
	enum command command;
	const char *name;
	const char *argument; /* positional, NULL: none */
	const char *summary;
	const char *help;
} commands[] = {
	{COMMAND_RUN, "run", "FILE", "Measures a definition and prints a table.",
	 FILE_HELP " ^C stops at once; samples that were finished still come out."},
	{COMMAND_PLAN, "plan", "FILE",
	 "Says what a run would do: samples, time, space, findings. Touches nothing.", FILE_HELP},
	{COMMAND_FIO, "fio", "FILE", "Prints the job file that makes fio do the same.",
	 FILE_HELP " Each workload and combination of levels becomes a job; nothing is touched."},
	{COMMAND_SERVE, "serve", NULL, "Runs the service: REST, queue and reports.",
	 "Stops on SIGTERM or SIGINT; the run at hand is then kept as interrupted."},
	{COMMAND_ENGINE, "engine", NULL, "The measuring process, started by the others.",
	 "Reads one request, a JSON object on a line, from standard input and answers in lines "
	 "of JSON: on the same socket where standard input is one, else on standard output. "
	 "Example: echo '{\"call\": \"targets\"}' | volbench engine --state DIR --allow PATH"},
};

static const struct command_row *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static const struct command_row *command_row(enum command command)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].command == command)
			return &commands[i];
	return NULL;
}

/* ---- parsing ---- */

/* The row of "--name" or "--name=value"; *ret_value is the text behind '=' or NULL. */
static const struct row *find_row(const char *word, const char **ret_value)
{
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strlen(rows[i].name) != length || strncmp(rows[i].name, word, length) != 0)
			continue;
		*ret_value = word[length] == '=' ? word + length + 1 : NULL;
		return &rows[i];
	}
	return NULL;
}

static int add_to_list(struct options *options, const struct row *row, const char *value)
{
	const char ***list = (const char ***)(void *)((char *)options + row->member);
	size_t *count = (size_t *)(void *)((char *)options + row->count);
	const char **grown = reallocarray(*list, *count + 1, sizeof(**list));

	if (!grown)
		return -ENOMEM;
	grown[(*count)++] = value;
	*list = grown;
	return 0;
}

static int set_repeats(struct options *options, const char *value, struct error *err)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(value, &end, 10);
	if (errno || end == value || *end || *value < '0' || *value > '9' || number < 1 ||
	    number > DEFINITION_REPEATS_MAX)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--repeats takes a number from 1 to %d, not \"%.40s\".",
				 DEFINITION_REPEATS_MAX, value);
	options->repeats = (unsigned int)number;
	return 0;
}

static int set_row(struct options *options, const struct row *row, const char *value,
		   struct error *err)
{
	const char **text = (const char **)(void *)((char *)options + row->member);

	switch (row->kind) {
	case KIND_FLAG:
		*((bool *)options + row->member) = true;
		return 0;
	case KIND_REPEATS:
		return set_repeats(options, value, err);
	case KIND_LIST:
		if (add_to_list(options, row, value) < 0)
			return error_no_memory(err);
		return 0;
	case KIND_TEXT:
		break;
	}
	if (*text)
		return error_set(err, ERROR_BAD_PARAMETER, "", "%s was given twice.", row->name);
	*text = value;
	return 0;
}

static int parse_option(struct options *options, int argc, char **argv, int *index,
			struct error *err)
{
	const struct command_row *command = command_row(options->command);
	const char *word = argv[*index], *value;
	const struct row *row = find_row(word, &value);

	if (!row)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "There is no option %.60s. See volbench %s --help.", word,
				 command->name);
	if (!(row->commands & ON(options->command)))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s has no option %s. See volbench %s --help.",
				 command->name, row->name, command->name);
	if (row->kind == KIND_FLAG && value)
		return error_set(err, ERROR_BAD_PARAMETER, "", "%s takes no value.", row->name);
	if (row->kind != KIND_FLAG && !value) {
		if (*index + 1 >= argc)
			return error_set(err, ERROR_BAD_PARAMETER, "", "%s wants a value: %s %s.",
					 row->name, row->name, row->argument);
		value = argv[++*index];
	}
	if (value && !*value)
		return error_set(err, ERROR_BAD_PARAMETER, "", "%s was given an empty value.",
				 row->name);
	return set_row(options, row, value, err);
}

static int parse_word(struct options *options, const char *word, struct error *err)
{
	const struct command_row *command = command_row(options->command);

	if (!command->argument)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s takes no \"%.60s\". See volbench %s --help.",
				 command->name, word, command->name);
	if (options->file)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s takes one %s, but was given \"%.60s\" and \"%.60s\".",
				 command->name, command->argument, options->file, word);
	if (!*word)
		return error_set(err, ERROR_BAD_PARAMETER, "", "%s is empty.", command->argument);
	options->file = word;
	return 0;
}

static int default_state(struct options *options, struct error *err)
{
	const char *given = getenv("STATE_DIRECTORY");
	const char *home = getenv("HOME"), *xdg = getenv("XDG_STATE_HOME");
	int length;

	if (given && *given) {
		/* systemd joins several with ':'; the first is ours. */
		length = asprintf(&options->own_state, "%.*s", (int)strcspn(given, ":"), given);
	} else if (geteuid() == 0) {
		length = asprintf(&options->own_state, "/var/lib/volbench");
	} else if (xdg && *xdg == '/') {
		length = asprintf(&options->own_state, "%s/volbench", xdg);
	} else if (home && *home == '/') {
		length = asprintf(&options->own_state, "%s/.local/state/volbench", home);
	} else {
		return error_set(
			err, ERROR_BAD_PARAMETER, "",
			"There is no home directory to keep results in: give --state DIR.");
	}
	if (length < 0) {
		options->own_state = NULL;
		return error_no_memory(err);
	}
	options->state = options->own_state;
	return 0;
}

static int not_a_dataset(const char *name, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	return error_set(err, ERROR_BAD_PARAMETER, "",
			 "--allow-dataset takes the name of a dataset, such as tank/volbench, not "
			 "\"%s\"%s.",
			 text_excerpt(name, quoted),
			 name[0] == '/' ? ": a name has no / before it, unlike a mount point" : "");
}

static int check_whole(struct options *options, struct error *err)
{
	const struct command_row *command = command_row(options->command);

	if (command->argument && !options->file)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s wants a %s: a definition's file or name.",
				 command->name, command->argument);
	if ((ON_TEST & ON(options->command)) && options->allow_count == 0 &&
	    options->allow_dataset_count == 0)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s wants --allow PATH, the directory or device that "
				 "targets may lie in, or --allow-dataset NAME. Nothing outside it "
				 "is touched.",
				 command->name);
	for (size_t i = 0; i < options->allow_dataset_count; i++)
		if (!zfs_name_ok(options->allow_datasets[i]))
			return not_a_dataset(options->allow_datasets[i], err);
	if (!options->listen)
		options->listen = "127.0.0.1:8090";
	return options->state ? 0 : default_state(options, err);
}

static int parse_help(struct options *options, const char *topic, struct error *err)
{
	options->command = COMMAND_HELP;
	if (topic && strcmp(topic, "options") != 0 && !find_command(topic))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "There is no help on \"%.60s\"; there is on run, plan, fio, "
				 "serve, engine and options.",
				 topic);
	options->help_topic = topic;
	return 0;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int parse_command(struct options *options, int argc, char **argv, struct error *err)
{
	const struct command_row *command = find_command(argv[1]);
	bool words_only = false;
	int r;

	if (!command)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "There is no command \"%.60s\"; there are run, plan, fio, serve "
				 "and engine. See volbench --help.",
				 argv[1]);
	options->command = command->command;
	for (int i = 2; i < argc; i++) {
		if (!words_only && is_help(argv[i]))
			return parse_help(options, argv[1], err);
		if (!words_only && strcmp(argv[i], "--") == 0) {
			words_only = true;
			continue;
		}
		if (words_only || argv[i][0] != '-' || argv[i][1] == '\0')
			r = parse_word(options, argv[i], err);
		else
			r = parse_option(options, argc, argv, &i, err);
		if (r < 0)
			return r;
	}
	return check_whole(options, err);
}

int options_parse(int argc, char **argv, struct options *ret_options, struct error *err)
{
	struct options options = {.command = COMMAND_HELP};
	int r = 0;

	if (argc < 2)
		r = error_set(err, ERROR_BAD_PARAMETER, "",
			      "A command is wanted: run, plan, fio, serve or engine. See volbench "
			      "--help.");
	else if (is_help(argv[1]) || strcmp(argv[1], "help") == 0)
		r = parse_help(&options, argc > 2 ? argv[2] : NULL, err);
	else if (strcmp(argv[1], "--version") == 0)
		options.command = COMMAND_VERSION;
	else if (strcmp(argv[1], "sandbox") == 0)
		options.command = COMMAND_SANDBOX;
	else
		r = parse_command(&options, argc, argv, err);
	if (r < 0) {
		options_done(&options);
		return r;
	}
	*ret_options = options;
	return 0;
}

void options_done(struct options *options)
{
	free(options->allow);
	free(options->allow_datasets);
	free(options->overrides);
	free(options->own_state);
	*options = (struct options){.command = COMMAND_HELP};
}

/* ---- help ---- */

static void help_overview(FILE *out)
{
	fputs("Volbench measures storage and compares request sizes, depths, targets and more.\n\n"
	      "Usage: volbench COMMAND [OPTION]...\n\nCommands:\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		fprintf(out, "  %-9s", commands[i].name);
		table_wrap(out, commands[i].summary, 11, 11, HELP_WIDTH);
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
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!(rows[i].commands & ON(command->command)))
			continue;
		(void)snprintf(head, sizeof(head), "%s%s%s", rows[i].name,
			       rows[i].argument ? " " : "",
			       rows[i].argument ? rows[i].argument : ""); /* fits: constants */
		fprintf(out, "  %-25s", head);
		table_wrap(out, rows[i].help, 27, 27, HELP_WIDTH);
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
	const struct command_row *command = topic ? find_command(topic) : NULL;

	if (command)
		help_command(command, out);
	else if (topic && strcmp(topic, "options") == 0)
		help_workload_options(out);
	else
		help_overview(out);
}

/* ---- listening address ---- */

static bool is_loopback(const char *address)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, address, &four) == 1)
		return (ntohl(four.s_addr) >> 24) == 127;
	return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

int options_listen(const char *text, char *ret_address, size_t size, uint16_t *ret_port,
		   struct error *err)
{
	const char *colon = strrchr(text, ':'), *start = text;
	size_t length = colon ? (size_t)(colon - text) : 0;
	char address[64];
	unsigned long port;
	char *end;

	if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
		start++;
		length -= 2;
	} else if (colon && memchr(text, ':', length)) {
		length = 0; /* a bare IPv6 address: which colon begins the port? */
	}
	if (length == 0 || length >= sizeof(address) || colon[1] < '0' || colon[1] > '9')
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--listen takes ADDR:PORT, for example 127.0.0.1:8090 or "
				 "[::1]:8090, not \"%.60s\".",
				 text);
	memcpy(address, start, length);
	address[length] = '\0';
	errno = 0;
	port = strtoul(colon + 1, &end, 10);
	if (errno || *end || port > UINT16_MAX)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--listen: a port is a number from 0 to 65535, not \"%.20s\".",
				 colon + 1);
	if (strcmp(address, "localhost") == 0)
		memcpy(address, "127.0.0.1", sizeof("127.0.0.1"));
	if (!is_loopback(address))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--listen %.60s: only a loopback address is served (127.0.0.1, "
				 "[::1] or localhost), since there is no authentication.",
				 text);
	if (strlen(address) >= size)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "--listen: the address is too long.");
	memcpy(ret_address, address, strlen(address) + 1);
	*ret_port = (uint16_t)port;
	return 0;
}
