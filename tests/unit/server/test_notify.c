/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_notify.c - the datagrams a service manager gets, by path and by abstract name. */
#include "server/notify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_datagram(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char text[32] = "";
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	memcpy(address.sun_path, name, strlen(name));
	if (name[0] == '@')
		address.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
			 0);
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	notify_send("READY=1");
	assert_int_equal(recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT), 7);
	assert_string_equal(text, "READY=1");
	assert_int_equal(close(fd), 0);
}

static void test_send(void **state)
{
	char directory[] = "/var/tmp/run-notify-XXXXXX", path[64], name[64];

	(void)state;
	assert_non_null(mkdtemp(directory));
	(void)snprintf(path, sizeof(path), "%s/socket", directory); /* fits */
	expect_datagram(path);
	notify_send("STOPPING=1"); /* nobody listens any more: no harm */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory), 0);
	(void)snprintf(name, sizeof(name), "@volbench-test-%d", (int)getpid()); /* fits */
	expect_datagram(name);
	assert_int_equal(unsetenv("NOTIFY_SOCKET"), 0);
	notify_send("READY=1");
}

static void test_watchdog(void **state)
{
	char pid[16];

	(void)state;
	assert_int_equal(unsetenv("WATCHDOG_USEC"), 0);
	assert_int_equal(notify_watchdog_us(), 0);
	assert_int_equal(setenv("WATCHDOG_USEC", "30000000", 1), 0);
	assert_int_equal(notify_watchdog_us(), 30000000);
	assert_int_equal(setenv("WATCHDOG_PID", "1", 1), 0);
	assert_int_equal(notify_watchdog_us(), 0);
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid()); /* fits */
	assert_int_equal(setenv("WATCHDOG_PID", pid, 1), 0);
	assert_int_equal(notify_watchdog_us(), 30000000);
	assert_int_equal(setenv("WATCHDOG_USEC", "-5", 1), 0);
	assert_int_equal(notify_watchdog_us(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send),
		cmocka_unit_test(test_watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
