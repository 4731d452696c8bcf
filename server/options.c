/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.c - parsing: see options.h. */
#include "server/options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/definition.h"
#include "engine/zfs/name.h"
#include "server/options_table.h"

/* ---- parsing ---- */

/* The row of "--name" or "--name=value"; *ret_value is the text behind '=' or NULL. */
static const struct option_row *find_row(const char *word, const char **ret_value)
{
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < option_row_count; i++) {
		if (strlen(option_rows[i].name) != length ||
		    strncmp(option_rows[i].name, word, length) != 0)
			continue;
		*ret_value = word[length] == '=' ? word + length + 1 : NULL;
		return &option_rows[i];
	}
	return NULL;
}

static int add_to_list(struct options *options, const struct option_row *row, const char *value)
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
	struct error why;

	if (repeats_parse(value, &options->repeats, &why) == 0)
		return 0;
	return error_set(err, ERROR_BAD_PARAMETER, "", "--repeats takes %s.", why.message);
}

static int set_row(struct options *options, const struct option_row *row, const char *value,
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
	const struct command_row *command = command_row_of(options->command);
	const char *word = argv[*index], *value;
	const struct option_row *row = find_row(word, &value);

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
	const struct command_row *command = command_row_of(options->command);
	const char **grown;

	if (!command->argument)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s takes no \"%.60s\". See volbench %s --help.",
				 command->name, word, command->name);
	if (options->word_count == command->words_most && command->words_most == 1)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s takes one %s, but was given \"%.60s\" and \"%.60s\".",
				 command->name, command->argument, options->file, word);
	if (options->word_count == command->words_most)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s takes at most %zu (%s); \"%.60s\" is one more.",
				 command->name, command->words_most, command->argument, word);
	if (!*word)
		return error_set(err, ERROR_BAD_PARAMETER, "", "%s is empty.", command->argument);
	grown = reallocarray(options->words, options->word_count + 1, sizeof(*grown));
	if (!grown)
		return error_no_memory(err);
	options->words = grown;
	grown[options->word_count++] = word;
	options->file = grown[0];
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
	const struct command_row *command = command_row_of(options->command);

	if (options->word_count < command->words && (ON_READ & ON(options->command)))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s wants a %s: a definition's file or name.",
				 command->name, command->argument);
	if (options->word_count < command->words)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "volbench %s wants %s. See volbench %s --help.", command->name,
				 command->argument, command->name);
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
	char names[COMMAND_NAMES_MAX];

	options->command = COMMAND_HELP;
	if (topic && strcmp(topic, "options") != 0 && !command_row_find(topic))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "There is no help on \"%.60s\"; there is on %s and options.",
				 topic, command_row_names(", ", names));
	options->help_topic = topic;
	return 0;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int parse_command(struct options *options, int argc, char **argv, struct error *err)
{
	const struct command_row *command = command_row_find(argv[1]);
	char names[COMMAND_NAMES_MAX];
	bool words_only = false;
	int r;

	if (!command)
		return error_set(
			err, ERROR_BAD_PARAMETER, "",
			"There is no command \"%.60s\"; there are %s. See volbench --help.",
			argv[1], command_row_names(" and ", names));
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
	char names[COMMAND_NAMES_MAX];
	int r = 0;

	if (argc < 2)
		r = error_set(err, ERROR_BAD_PARAMETER, "",
			      "A command is wanted: %s. See volbench --help.",
			      command_row_names(" or ", names));
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
	free(options->fail_if);
	free(options->words);
	free(options->labels);
	free(options->workloads);
	free(options->own_state);
	*options = (struct options){.command = COMMAND_HELP};
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
