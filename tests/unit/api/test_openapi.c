/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_openapi.c - openapi.yaml, as it is built in, names every option with its help and its
 * choices, and every error code: so none of them can be added without it.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/embedded.h"
#include "engine/base/error.h"
#include "engine/plan/option.h"

static const char *document(void)
{
	const struct embedded *file = embedded_find("openapi.yaml");

	assert_non_null(file);
	return file->data;
}

/* The text from the line that is `head` to the next line that is indented as much or less. */
static char *section(const char *head)
{
	const char *start = strstr(document(), head), *end;
	size_t indent = strspn(head + 1, " ");
	char *text;

	if (!start) {
		fail_msg("openapi.yaml has no line%s", head);
		return NULL; /* not reached, which not every build knows */
	}
	for (end = strchr(start + 1, '\n'); end; end = strchr(end + 1, '\n'))
		if (strspn(end + 1, " ") <= indent && end[1] != '\n')
			break;
	text = strndup(start, end ? (size_t)(end - start) : strlen(start));
	assert_non_null(text);
	return text;
}

/* As YAML writes it in single quotes. */
static void quote(const char *text, char *buffer, size_t size)
{
	size_t n = 0;

	for (; *text && n + 2 < size; text++) {
		if (*text == '\'')
			buffer[n++] = '\'';
		buffer[n++] = *text;
	}
	buffer[n] = '\0';
}

static void test_options(void **state)
{
	char *options = section("\n    Options:\n");
	size_t named = 0;

	(void)state;
	for (int i = 0; i < OPTION_ID_COUNT; i++) {
		const struct option *option = option_at((enum option_id)i);
		char help[1024], entry[1200];

		quote(option->help, help, sizeof(help));
		(void)snprintf(entry, sizeof(entry), "\n        %s:\n          description: '%s'\n",
			       option->name, help);
		if (!strstr(options, entry))
			fail_msg("schema Options lacks%s", entry);
		named++;
	}
	for (const char *p = strstr(options, "\n      properties:"); (p = strstr(p, "\n        "));
	     p++)
		if (isalpha((unsigned char)p[9]) && named-- == 0)
			fail_msg("schema Options has an option that the table has not");
	assert_int_equal(named, 0);
	free(options);
}

static void test_choices(void **state)
{
	(void)state;
	for (int i = 0; i < OPTION_ID_COUNT; i++) {
		const struct option *option = option_at((enum option_id)i);
		char head[64], *text;

		if (option->type != OPTION_CHOICE)
			continue;
		(void)snprintf(head, sizeof(head), "\n        %s:\n", option->name);
		text = section(head);
		for (size_t c = 0; option->choices[c]; c++)
			if (!strstr(strstr(text, "enum:"), option->choices[c]))
				fail_msg("%s lacks the choice %s", option->name,
					 option->choices[c]);
		free(text);
	}
}

static void test_codes(void **state)
{
	char *problem = section("\n    Problem:\n      description: RFC 9457.\n");

	(void)state;
	for (int i = ERROR_NONE + 1; i < ERROR_CODE_COUNT; i++) {
		char line[80];

		(void)snprintf(line, sizeof(line), "\n            - %s\n",
			       error_code_text((enum error_code)i));
		if (!strstr(problem, line))
			fail_msg("schema Problem lacks the code%s", line);
	}
	free(problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
