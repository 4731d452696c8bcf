/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_listen.c - a free port of the kernel's choice, an occupied one, an address that is none. */
#include "api/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

static void test_free_port(void **state)
{
	struct sockaddr_in name = {.sin_family = AF_INET};
	uint16_t port = 0;
	struct error err;
	int fd, client;

	(void)state;
	assert_int_equal(listen_open("127.0.0.1", 0, &fd, &port, &err), 0);
	assert_int_not_equal(port, 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	name.sin_port = htons(port);
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(client, (struct sockaddr *)&name, sizeof(name)), 0);
	close(client);
	close(fd);
}

static void test_occupied_port(void **state)
{
	uint16_t port, none;
	struct error err;
	int fd, second = -1;

	(void)state;
	assert_int_equal(listen_open("127.0.0.1", 0, &fd, &port, &err), 0);
	assert_int_equal(listen_open("127.0.0.1", port, &second, &none, &err), -EADDRINUSE);
	assert_int_equal(err.code, ERROR_SYSTEM);
	assert_non_null(strstr(err.message, "127.0.0.1"));
	assert_int_equal(second, -1);
	close(fd);
}

static void test_addresses(void **state)
{
	static const char *const none[] = {"", "localhost", "127.0.0.1.1", "[::1]", "1::2::3"};
	uint16_t port;
	struct error err;
	int fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		assert_int_equal(listen_open(none[i], 0, &fd, &port, &err), -EINVAL);
		assert_int_equal(err.code, ERROR_BAD_VALUE);
	}
	/* an address of nobody here */
	assert_true(listen_open("192.0.2.1", 0, &fd, &port, &err) < 0);
	assert_int_equal(err.code, ERROR_SYSTEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_port),
		cmocka_unit_test(test_occupied_port),
		cmocka_unit_test(test_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
