/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_log.c - one line an event, whatever stands in it; the journal's prefix. */
#include "server/log.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static int saved_stderr = -1, pipe_read = -1;

static void capture(void)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	assert_true(saved_stderr >= 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(close(ends[1]), 0);
	pipe_read = ends[0];
}

/* Restores standard error; the text in a static buffer. */
static const char *captured(void)
{
	static char text[8192];
	ssize_t n = read(pipe_read, text, sizeof(text) - 1);

	assert_int_equal(dup2(saved_stderr, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(close(saved_stderr), 0);
	assert_int_equal(close(pipe_read), 0);
	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static void test_plain(void **state)
{
	(void)state;
	capture();
	log_line(LOG_LEVEL_INFO, "listening on %s:%d", "127.0.0.1", 80);
	log_line(LOG_LEVEL_WARNING, "a\nb\x1b[31m\x7f%s", "é");
	assert_string_equal(captured(), "listening on 127.0.0.1:80\n"
					"warning: a\\x0ab\\x1b[31m\\x7fé\n");
}

static void test_error(void **state)
{
	struct error err;

	(void)state;
	capture();
	(void)error_set(&err, ERROR_BAD_VALUE, "/a/b", "x is wrong");
	log_error(&err, "run %s", "17");
	(void)error_set_sys(&err, ERROR_STORAGE_FULL, ENOSPC, "Writing");
	log_error(&err, "run %s", "18");
	assert_string_equal(captured(),
			    "error: run 17: x is wrong (bad_value, /a/b)\n"
			    "error: run 18: Writing: No space left on device (storage_full, "
			    "ENOSPC)\n");
}

static void test_journal(void **state)
{
	struct stat status;
	char stream[64];

	(void)state;
	capture();
	assert_int_equal(fstat(STDERR_FILENO, &status), 0);
	(void)snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)status.st_dev,
		       (unsigned long long)status.st_ino); /* fits */
	assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
	log_line(LOG_LEVEL_ERROR, "x");
	assert_int_equal(setenv("JOURNAL_STREAM", "1:2", 1), 0);
	log_line(LOG_LEVEL_ERROR, "y");
	assert_int_equal(unsetenv("JOURNAL_STREAM"), 0);
	assert_string_equal(captured(), "<3>x\nerror: y\n");
}

static void test_long(void **state)
{
	char text[6000];
	const char *line;

	(void)state;
	memset(text, '\n', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	capture();
	log_line(LOG_LEVEL_INFO, "%s", text);
	line = captured();
	assert_true(strlen(line) <= 4096);
	assert_string_equal(line + strlen(line) - 4, "...\n");
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_journal),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
