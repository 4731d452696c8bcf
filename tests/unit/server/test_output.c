/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_output.c - documents handed out whole, in place of an older one, or refused early. */
#include "server/output.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void read_back(const char *path, char *buffer, size_t size)
{
	FILE *in = fopen(path, "re");

	assert_non_null(in);
	buffer[fread(buffer, 1, size - 1, in)] = '\0';
	assert_int_equal(fclose(in), 0);
}

static void test_written(void **state)
{
	char directory[] = "/var/tmp/run-output-XXXXXX", path[64], text[32];
	struct error err;

	(void)state;
	assert_non_null(mkdtemp(directory));
	(void)snprintf(path, sizeof(path), "%s/x.json", directory); /* fits */
	assert_int_equal(output_check(path, &err), 0);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(output_document(path, "{\"old\": 1}", 10, &err), 0);
	assert_int_equal(output_document(path, "{}\n\n", 4, &err), 0);
	read_back(path, text, sizeof(text));
	assert_string_equal(text, "{}\n");
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(output_document("y.json", "{}", 2, &err), 0);
	read_back("y.json", text, sizeof(text));
	assert_string_equal(text, "{}\n");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(unlink(path), 0);
	(void)snprintf(path, sizeof(path), "%s/y.json", directory); /* fits */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
}

static void test_refused(void **state)
{
	static const char *const paths[] = {"/nowhere/at/all", "/dev/null/x", "/var/tmp/",
					    "/var/tmp/..",     "/var/tmp",    "/var"};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		assert_true(output_check(paths[i], &err) < 0);
		assert_int_equal(err.code, ERROR_BAD_PARAMETER);
		assert_true(output_document(paths[i], "{}", 2, &err) < 0);
	}
	assert_int_equal(output_check("-", &err), 0);
}

static mode_t type_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & S_IFMT;
}

/* A name that stands for something else than a file keeps standing for it. */
static void test_not_files(void **state)
{
	char directory[] = "/var/tmp/run-output-XXXXXX", text[32] = "";
	struct error err;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	/* devices, by links: a fault would harm these alone */
	assert_int_equal(symlink("/dev/null", "null") + symlink("/dev/full", "full"), 0);
	assert_int_equal(output_check("null", &err) + output_check("full", &err), 0);
	assert_int_equal(output_document("null", "{}", 2, &err), 0);
	assert_true(output_document("full", "{}", 2, &err) < 0);
	assert_int_equal(type_of("null"), S_IFLNK);
	assert_int_equal(type_of("full"), S_IFLNK);
	/* a pipe, without and with a reader */
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(output_check("pipe", &err), 0);
	assert_true(output_document("pipe", "{}", 2, &err) < 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(output_document("pipe", "{}", 2, &err), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 3);
	assert_string_equal(text, "{}\n");
	assert_int_equal(close(fd), 0);
	assert_int_equal(type_of("pipe"), S_IFIFO);
	/* links are followed; where they lead to nothing they are refused */
	assert_int_equal(symlink("real", "link"), 0);
	assert_true(output_check("link", &err) < 0);
	assert_true(output_document("link", "{}", 2, &err) < 0);
	assert_int_equal(output_document("real", "[]", 2, &err), 0);
	assert_int_equal(output_document("link", "{}", 2, &err), 0);
	assert_int_equal(type_of("link"), S_IFLNK);
	read_back("real", text, sizeof(text));
	assert_string_equal(text, "{}\n");
	assert_int_equal(unlink("null") + unlink("full") + unlink("pipe") + unlink("link"), 0);
	assert_int_equal(unlink("real") + chdir("/") + rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
