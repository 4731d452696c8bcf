/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_openapi.c - openapi.yaml, as it is built in, has every option with its help, range, choices
 * and defaults, and every error code: so none of them can be added or changed without it.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/embedded.h"
#include "engine/base/error.h"
#include "engine/plan/option.h"
#include "engine/plan/property.h"

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

/* A number as YAML has it, any other text in quotes. */
static void put_scalar(FILE *out, const char *name, const char *text)
{
	bool number = *text && strspn(text, "0123456789") == strlen(text);
	char quoted[64];

	quote(text, quoted, sizeof(quoted));
	fprintf(out, number ? "          %s: %s\n" : "          %s: '%s'\n", name, quoted);
}

/* Sizes in bytes, times in seconds or microseconds: as a bare number is read. */
static void put_limits(FILE *out, const struct option *option)
{
	bool time = option->type == OPTION_TIME || option->type == OPTION_MICROSECONDS;
	double unit = option->type == OPTION_MICROSECONDS ? 1e3 : 1e9;

	if (option->type == OPTION_TEXT)
		fprintf(out, "          minLength: %" PRIu64 "\n          maxLength: %" PRIu64 "\n",
			option->min, option->max);
	else if (time)
		fprintf(out, "          minimum: %g\n          maximum: %.0f\n",
			(double)option->min / unit, (double)option->max / unit);
	else
		fprintf(out, "          minimum: %" PRIu64 "\n          maximum: %" PRIu64 "\n",
			option->min, option->max);
}

static void put_choices(FILE *out, const struct option *option)
{
	fputs("          enum: [", out);
	for (size_t i = 0; option->choices[i]; i++)
		fprintf(out, strcmp(option->choices[i], "null") == 0 ? "%s'%s'" : "%s%s",
			i ? ", " : "", option->choices[i]);
	if (option->id == OPTION_ID_SYNC) /* fio's other words */
		fputs(", '0', '1', 0, 1", out);
	fputs("]\n", out);
}

/* The words, and a number behind a colon. */
static void put_rw(FILE *out, const struct option *option)
{
	fputs("          type: string\n          pattern: '^(", out);
	for (size_t i = 0; option->choices[i]; i++)
		fprintf(out, "%s|", option->choices[i]);
	fputs("readwrite)(:[0-9]+[kmgtpKMGTP]?(i?[bB])?)?$'\n", out);
}

static void put_option(FILE *out, const struct option *option)
{
	static const char *const schemas[] = {
		[OPTION_FLAG] = "Flag",
		[OPTION_COUNT] = "Count",
		[OPTION_SIZE] = "Size",
		[OPTION_SIZES] = "Size",
		[OPTION_COUNTS] = "Counts",
		[OPTION_TIME] = "Time",
		[OPTION_MICROSECONDS] = "Microseconds",
		[OPTION_SIZE_RANGE] = "Size",
	};
	char help[1024];

	quote(option->help, help, sizeof(help));
	fprintf(out, "        %s:\n          description: '%s'\n", option->name, help);
	if (option->type == OPTION_TEXT)
		fputs("          type: string\n", out);
	else if (option->type == OPTION_CHOICE)
		put_choices(out, option);
	else if (option->type == OPTION_RANGES)
		fputs("          type: string\n          minLength: 3\n", out);
	else if (option->type == OPTION_RW)
		put_rw(out, option);
	else
		fprintf(out, "          $ref: '#/components/schemas/Option%s'\n",
			schemas[option->type]);
	if (option->type != OPTION_CHOICE && option->type != OPTION_RW &&
	    option->type != OPTION_RANGES && option->type != OPTION_FLAG)
		put_limits(out, option);
	if (option->default_text)
		put_scalar(out, "default", option->default_text);
	if (option->fio_default)
		put_scalar(out, "x-fio-default", option->fio_default);
	if (*option->unit)
		put_scalar(out, "x-unit", option->unit);
	if (!option->factor)
		fputs("          x-factor: false\n", out);
}

/* The table as it is to stand in the document, from the first option to the last. */
static void test_options(void **state)
{
	char *text = NULL, *options = section("\n    Options:\n");
	const char *properties = strstr(options, "\n      properties:\n");
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	for (int i = 0; i < OPTION_ID_COUNT; i++)
		put_option(out, option_at((enum option_id)i));
	assert_int_equal(fclose(out), 0);
	text[size - 1] = '\0'; /* the section ends before its last line does */
	assert_non_null(properties);
	if (strcmp(properties + strlen("\n      properties:\n"), text) != 0) {
		puts(text); /* too long for fail_msg() */
		fail_msg("%s", "in openapi.yaml the properties of schema Options must be as above");
	}
	free(text);
	free(options);
}

/* Which properties there are, of what, and what they take. */
static void test_properties(void **state)
{
	char *text = NULL, *schema = section("\n    Properties:\n");
	const char *properties = strstr(schema, "\n      properties:\n");
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	for (size_t i = 0; i < property_count; i++) {
		const struct property_rule *rule = &property_table[i];

		fprintf(out, "        %s:\n          description: '%s%s: %s.'\n", rule->name,
			rule->zvol ? "Of a zvol" : "Of a dataset",
			rule->zvol && rule->dataset ? " or dataset" : "", rule->values);
		fputs("          type: [string, integer]\n", out);
	}
	assert_int_equal(fclose(out), 0);
	text[size - 1] = '\0'; /* the section ends before its last line does */
	assert_non_null(properties);
	if (strcmp(properties + strlen("\n      properties:\n"), text) != 0) {
		puts(text); /* too long for fail_msg() */
		fail_msg("%s",
			 "in openapi.yaml the properties of schema Properties must be as above");
	}
	free(text);
	free(schema);
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
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
