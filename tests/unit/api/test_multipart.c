/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies of multipart/form-data: their parts, and what is none of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/gate.h"
#include "api/multipart.h"

#define HEAD(name) "--x\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n"

static struct multipart_part parts[MULTIPART_PARTS_MAX];

static int parse(const char *body, size_t size, size_t *ret_count, struct error *err)
{
	memset(err, 0, sizeof(*err));
	*ret_count = 0;
	return multipart_parse("x", body, size, parts, ret_count, err);
}

static void parts_are_found_where_they_lie(void **state)
{
	static const char body[] =
		"--x  \r\ncontent-disposition:form-data; name=\"file\"; filename=\"a "
		"\\\"b\\\".json\""
		"\r\nContent-Type: application/json\r\nContent-Transfer-Encoding: binary\r\n\r\n"
		"{\r\n--xy is no boundary of ours?\0\r\n}\r\n"
		"--x\r\nContent-Disposition: form-data; filename=\"f\"; name=\"label\"\r\n\r\n\r\n"
		"--x--\r\nepilogue";
	struct error err;
	size_t count;

	(void)state;
	/* a boundary that only begins like ours would be one: RFC 2046 forbids it in a body */
	assert_int_equal(parse(body, sizeof(body) - 1, &count, &err), -EINVAL);
	{
		static const char good[] =
			"--x  \r\ncontent-disposition:form-data; name=\"file\"; "
			"filename=\"a \\\"b\\\".json\"\r\nContent-Type: application/json\r\n"
			"Content-Transfer-Encoding: binary\r\n\r\n{\r\n\0-\r\n}\r\n"
			"--x\r\nContent-Disposition: form-data; filename=\"f\"; name=\"label\"\r\n"
			"\r\n\r\n--x--\r\nepilogue";

		if (parse(good, sizeof(good) - 1, &count, &err) < 0)
			fail_msg("%s", err.message);
	}
	assert_int_equal(count, 2);
	assert_string_equal(parts[0].name, "file");
	assert_string_equal(parts[0].filename, "a \"b\".json");
	assert_int_equal(parts[0].size, 8);
	assert_memory_equal(parts[0].data, "{\r\n\0-\r\n}", 8);
	assert_string_equal(parts[1].name, "label");
	assert_string_equal(parts[1].filename, "f");
	assert_int_equal(parts[1].size, 0);
}

static void what_is_refused(void **state)
{
	static const struct {
		const char *body, *word;
	} bad[] = {
		{"", "begin"},
		{"--y\r\n", "begin"},
		{" --x\r\n", "begin"},
		{"--x", "line"},
		{"--xx\r\n\r\n", "line"},
		{"--x\r\n", "headers"},
		{"--x\r\n\r\ndata\r\n--x--", "Content-Disposition"},
		{"--x\r\nContent-Disposition: form-data\r\n\r\nd\r\n--x--", "form-data"},
		{"--x\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nd\r\n--x--",
		 "form-data"},
		{"--x\r\nContent-Disposition: form-data; name=a\r\n\r\nd\r\n--x--", "name"},
		{"--x\r\nContent-Disposition: form-data; name=\"a\r\n\r\nd\r\n--x--", "name"},
		{"--x\r\nContent-Disposition: form-data; name=\"\"\r\n\r\nd\r\n--x--", "name"},
		{"--x\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: "
		 "base64\r\n\r\nd\r\n--x--",
		 "Encoding"},
		{HEAD("a") "data", "cut short"},
		{HEAD("a") "data\n--x--", "cut short"},
		{HEAD("a") "data\r\n--x", "line"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct error err;
		size_t count;

		assert_int_equal(parse(bad[i].body, strlen(bad[i].body), &count, &err), -EINVAL);
		assert_int_equal(err.code, ERROR_BAD_REQUEST);
		if (!strstr(err.message, bad[i].word))
			fail_msg("%zu: %s", i, err.message);
	}
}

static void parts_are_limited(void **state)
{
	static const char part[] = HEAD("a") "\r\n";
	char *body = malloc((MULTIPART_PARTS_MAX + 1) * sizeof(part) + 8);
	struct error err;

	(void)state;
	assert_non_null(body);
	for (size_t parts_there = MULTIPART_PARTS_MAX; parts_there <= MULTIPART_PARTS_MAX + 1;
	     parts_there++) {
		size_t count, used = 0;

		for (size_t i = 0; i < parts_there; i++, used += sizeof(part) - 1)
			memcpy(body + used, part, sizeof(part));
		memcpy(body + used, "--x--", 6);
		if (parts_there == MULTIPART_PARTS_MAX) {
			assert_int_equal(parse(body, used + 5, &count, &err), 0);
			assert_int_equal(count, MULTIPART_PARTS_MAX);
			continue;
		}
		assert_int_equal(parse(body, used + 5, &count, &err), -EINVAL);
		assert_int_equal(err.code, ERROR_TOO_MANY);
	}
	free(body);
}

/* Cut anywhere, and with any byte another: an answer and no more is read than is there. */
static void damaged_bodies(void **state)
{
	static const char body[] = HEAD("file") "one\r\n" HEAD("label") "two\r\n--x--";
	struct error err;
	size_t count;

	(void)state;
	for (size_t size = 0; size < sizeof(body) - 1; size++) {
		char *copy = malloc(size + 1); /* so that a reader too far is seen */

		assert_non_null(copy);
		memcpy(copy, body, size);
		assert_int_equal(parse(copy, size, &count, &err), -EINVAL);
		free(copy);
	}
	for (size_t at = 0; at < sizeof(body) - 1; at++) {
		static const char bytes[] = {0, '\r', '\n', '"', '\\', ';', ':', '-', (char)0xff};
		char copy[sizeof(body)];

		for (size_t i = 0; i < sizeof(bytes); i++) {
			memcpy(copy, body, sizeof(body));
			copy[at] = bytes[i];
			(void)!parse(copy, sizeof(body) - 1, &count, &err); /* either is fine */
			assert_true(count <= 2);
		}
	}
}

static void boundaries(void **state)
{
	static const struct {
		const char *type, *boundary;
	} types[] = {
		{"multipart/form-data; boundary=abc", "abc"},
		{"Multipart/Form-Data;boundary=\"a b=c\"", "a b=c"},
		{"multipart/form-data; boundary=", ""},
		{"multipart/form-data; boundary=\"\"", ""},
		{"multipart/form-data; boundary=\"abc", ""},
		{"multipart/form-data; boundary=\"abc\"x", ""},
		{"multipart/form-data; boundary=a;b", ""},
		{"multipart/form-data; boundary=a\"", ""},
		{"multipart/form-data; boundary=\"a \"", ""},
		{"multipart/form-data", ""},
		{"multipart/form-dataset; boundary=abc", ""},
		{"application/json", ""},
		{"multipart/form-data; boundary="
		 "0123456789012345678901234567890123456789012345678901234567890123456789",
		 "0123456789012345678901234567890123456789012345678901234567890123456789"},
		{"multipart/form-data; boundary="
		 "01234567890123456789012345678901234567890123456789012345678901234567890",
		 ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct gate_facts facts = {.content_type = {types[i].type, 1}};
		char buffer[72];

		assert_string_equal(gate_boundary(&facts, buffer), types[i].boundary);
		assert_int_equal(gate_body(&facts, BODY_FILES, true, NULL) == 0,
				 *types[i].boundary || i == 11);
		facts.content_type.count = 2;
		assert_string_equal(gate_boundary(&facts, buffer), "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_found_where_they_lie),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(parts_are_limited),
		cmocka_unit_test(damaged_bodies),
		cmocka_unit_test(boundaries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
