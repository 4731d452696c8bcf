/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_command.c - workload_parse_fio() and workload_format_fio() of workload.h.
 *
 * A command line is cut into words as a shell would cut it, but nothing is expanded: a character
 * that would make a shell do more than quote is refused. Then "--opt=value", "--opt value" and, for
 * fio's flags, "--opt" alone. As in fio the later of two settings of an option holds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/fio_option.h"

#define COMMAND_MAX 8192 /* bytes of a command line */
#define WORDS_MAX 256

struct words {
	size_t count, next;
	char *list[WORDS_MAX]; /* into buffer */
	char buffer[COMMAND_MAX + 1];
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * Copies one word from *from to *to, quotes and backslashes taken away; both move on. Never writes
 * more than it reads.
 */
static int take_word(const char **from, char **to, struct error *err)
{
	const char *p = *from;
	char *out = *to;
	char quote = '\0';

	for (; *p && (quote || !is_blank(*p)); p++) {
		if (quote && *p == quote) {
			quote = '\0';
		} else if (!quote && (*p == '\'' || *p == '"')) {
			quote = *p;
		} else if (*p == '\\' && quote != '\'') {
			p++;
			if (!*p)
				return error_set(err, ERROR_BAD_VALUE, "",
						 "the command line ends in a backslash");
			if (*p != '\n')
				*out++ = *p;
		} else if (quote != '\'' && strchr("$`", *p)) {
			return error_set(err, ERROR_BAD_VALUE, "",
					 "\"%c\" is for a shell: variables and commands are not "
					 "expanded here",
					 *p);
		} else if (!quote && strchr(";|&<>()*?", *p)) {
			return error_set(err, ERROR_BAD_VALUE, "",
					 "\"%c\" is for a shell: give one fio command line alone",
					 *p);
		} else {
			*out++ = *p;
		}
	}
	if (quote)
		return error_set(err, ERROR_BAD_VALUE, "", "a %c quote is never closed", quote);
	*out++ = '\0';
	*from = p;
	*to = out;
	return 0;
}

static int cut(const char *line, struct words *words, struct error *err)
{
	char *out = words->buffer;

	words->count = words->next = 0;
	if (strlen(line) >= COMMAND_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "the command line has %zu bytes; at most %d are read",
				 strlen(line), COMMAND_MAX - 1);
	for (;;) {
		char *word = out;
		int r;

		while (is_blank(*line) || (line[0] == '\\' && line[1] == '\n'))
			line += *line == '\\' ? 2 : 1;
		if (!*line)
			return 0;
		if (words->count == WORDS_MAX)
			return error_set(err, ERROR_TOO_MANY, "",
					 "the command line has more than %d words", WORDS_MAX);
		r = take_word(&line, &out, err);
		if (r < 0)
			return r;
		words->list[words->count++] = word;
	}
}

/* U+2010 to U+2015, the minus sign and the small and wide forms: what editors make of "--". */
static bool typographic_dash(const char *word)
{
	static const char *const dashes[] = {
		"\xe2\x80\x90", "\xe2\x80\x91", "\xe2\x80\x92", "\xe2\x80\x93", "\xe2\x80\x94",
		"\xe2\x80\x95", "\xe2\x88\x92", "\xef\xb9\x98", "\xef\xb9\xa3", "\xef\xbc\x8d"};

	word += *word == '-';
	for (size_t i = 0; i < ARRAY_SIZE(dashes); i++)
		if (strncmp(word, dashes[i], strlen(dashes[i])) == 0)
			return true;
	return false;
}

static int not_an_option(const char *word, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	if (typographic_dash(word))
		return error_set(
			err, ERROR_BAD_VALUE, "",
			"\"%s\" begins with a typographic dash, which fio would take for a "
			"job file's name: write two hyphens, --",
			text_excerpt(word, quoted));
	return error_set(err, ERROR_BAD_VALUE, "",
			 "\"%s\" is not an option: write --option=value (job files are not read "
			 "here)",
			 text_excerpt(word, quoted));
}

static int take_option(struct words *words, struct workload *workload, struct error *err)
{
	char *word = words->list[words->next++];
	char *name, *value;

	if (word[0] != '-' || word[1] == '\0' || typographic_dash(word))
		return not_an_option(word, err);
	name = word + (word[1] == '-' ? 2 : 1); /* fio takes one hyphen too */
	if (*name == '\0' || *name == '-' || *name == '=')
		return not_an_option(word, err);
	value = strchr(name, '=');
	if (value)
		*value++ = '\0';
	else if (fio_option_wants_value(name) && words->next < words->count &&
		 words->list[words->next][0] != '-')
		value = words->list[words->next++];
	return fio_option_set("--", name, value, workload, err);
}

int workload_parse_fio(const char *command_line, struct workload *workload, struct error *err)
{
	struct words *words = malloc(sizeof(*words));
	struct workload parsed;
	int r;

	if (!words)
		return error_no_memory(err);
	workload_init(&parsed);
	parsed.from_fio = true;
	r = cut(command_line, words, err);
	if (r == 0 && words->count > 0 && strcmp(words->list[0], "fio") == 0)
		words->next = 1;
	if (r == 0 && words->next == words->count)
		r = error_set(err, ERROR_BAD_VALUE, "",
			      "the command line holds no option, as in --rw=randread --bs=4k");
	while (r == 0 && words->next < words->count)
		r = take_option(words, &parsed, err);
	if (r == 0)
		r = workload_overlay(workload, &parsed);
	workload_done(&parsed);
	free(words);
	return r;
}

/* Puts a word into single quotes where a shell would do something with it. */
static void put_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./,:=+@%-";

	if (word[strspn(word, plain)] == '\0') {
		(void)fputs(word, out);
		return;
	}
	(void)fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			(void)fputs("'\\''", out);
		else
			(void)fputc(*word, out);
	}
	(void)fputc('\'', out);
}

char *workload_format_given(const struct workload *workload)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *separator = "";
	bool failed = false;

	if (!out)
		return NULL;
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		const struct option *option = option_at((enum option_id)id);
		char *value;

		if (id == OPTION_ID_NAME || !workload_is_set(workload, (enum option_id)id))
			continue;
		value = option_format(option, workload);
		failed |= !value;
		(void)fprintf(out, "%s--%s=", separator, option->name);
		put_word(out, value ? value : "");
		free(value);
		separator = " ";
	}
	if (!*separator) /* a command line holds an option; this one is the default */
		(void)fprintf(out, "--rw=%s", workload_rw_choices[workload->rw]);
	failed |= ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* fio_option_put */
static void put_option(void *arg, const char *name, const char *value)
{
	FILE *out = arg;

	(void)fprintf(out, " --%s=", name);
	put_word(out, value);
}

char *workload_format_fio(const struct workload *workload, const char *path, bool directory)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed = false;

	if (!out)
		return NULL;
	(void)fputs("fio", out);
	for (size_t i = 0; i < workload_parts(workload); i++) {
		const char *name = workload_part(workload, i)->name;

		(void)fputs(" --name=", out);
		put_word(out, name ? name : "job");
		if (i > 0)
			(void)fputs(" --new_group", out); /* its own report */
		failed |= fio_option_each(workload, i, path, directory, put_option, out) < 0;
	}
	failed |= ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}
