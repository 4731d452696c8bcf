/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of engine/base/child.c: spawning, waiting, stopping; every failing call of the spawn.
 *
 * link: -Wl,--wrap=posix_spawn_file_actions_init -Wl,--wrap=posix_spawnattr_init
 * link: -Wl,--wrap=posix_spawn_file_actions_adddup2 -Wl,--wrap=posix_spawn_file_actions_addopen
 * link: -Wl,--wrap=posix_spawn_file_actions_addclosefrom_np -Wl,--wrap=posix_spawnattr_setsigmask
 * link: -Wl,--wrap=posix_spawnattr_setflags -Wl,--wrap=posix_spawn -Wl,--wrap=fcntl64
 * link: -Wl,--wrap=waitid -Wl,--wrap=syscall
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "engine/base/child.h"
#include "engine/base/clock.h"

/* ---- the n-th call fails ---- */

static unsigned int calls, fail_at; /* fail_at 0: never */
static int fail_errno;
static bool no_pidfd;
static unsigned int interrupts; /* waitid says EINTR this often first */

static bool fails(void)
{
	return ++calls == fail_at;
}

#define WRAP_RETURNING_ERROR(name, parameters, arguments)                                          \
	int __real_##name parameters;                                                              \
	int __wrap_##name parameters;                                                              \
	int __wrap_##name parameters                                                               \
	{                                                                                          \
		return fails() ? fail_errno : __real_##name arguments;                             \
	}

/* clang-format off */
WRAP_RETURNING_ERROR(posix_spawn_file_actions_init, (posix_spawn_file_actions_t *a), (a))
WRAP_RETURNING_ERROR(posix_spawnattr_init, (posix_spawnattr_t *a), (a))
WRAP_RETURNING_ERROR(posix_spawn_file_actions_adddup2,
	(posix_spawn_file_actions_t *a, int fd, int as), (a, fd, as))
WRAP_RETURNING_ERROR(posix_spawn_file_actions_addopen,
	(posix_spawn_file_actions_t *a, int fd, const char *p, int f, mode_t m), (a, fd, p, f, m))
WRAP_RETURNING_ERROR(posix_spawn_file_actions_addclosefrom_np,
	(posix_spawn_file_actions_t *a, int fd), (a, fd))
WRAP_RETURNING_ERROR(posix_spawnattr_setsigmask, (posix_spawnattr_t *a, const sigset_t *s), (a, s))
WRAP_RETURNING_ERROR(posix_spawnattr_setflags, (posix_spawnattr_t *a, short f), (a, f))
WRAP_RETURNING_ERROR(posix_spawn,
	(pid_t *pid, const char *p, const posix_spawn_file_actions_t *f, const posix_spawnattr_t *a,
	 char *const *argv, char *const *env), (pid, p, f, a, argv, env))
/* clang-format on */

int __real_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...)
{
	va_list arguments;
	int argument;

	va_start(arguments, command);
	argument = va_arg(arguments, int);
	va_end(arguments);
	if (fails()) {
		errno = fail_errno;
		return -1;
	}
	return __real_fcntl64(fd, command, argument);
}

int __real_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	if (interrupts > 0) {
		interrupts--;
		errno = EINTR;
		return -1;
	}
	return __real_waitid(type, id, info, options);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	va_list arguments;
	long a, b, c, d;

	if (no_pidfd) {
		errno = ENOSYS;
		return -1;
	}
	va_start(arguments, number);
	a = va_arg(arguments, long);
	b = va_arg(arguments, long);
	c = va_arg(arguments, long);
	d = va_arg(arguments, long);
	va_end(arguments);
	return __real_syscall(number, a, b, c, d);
}

static int setup(void **state)
{
	(void)state;
	calls = fail_at = interrupts = 0;
	no_pidfd = false;
	return 0;
}

/* ---- helpers ---- */

static pid_t start_shell(const char *script, int out)
{
	const char *const argv[] = {"/bin/sh", "-c", script, NULL};
	struct child_options options = {
		.argv = argv, .stdin_fd = -1, .stdout_fd = out, .stderr_fd = -1};
	pid_t pid = -1;

	assert_int_equal(child_start(&options, &pid), 0);
	return pid;
}

/* Everything written to a pipe until its writers are gone. */
static void read_all(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t got;

	while (length + 1 < size && (got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
}

static void run_shell(const char *script, char *text, size_t size)
{
	struct child_status status;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = start_shell(script, fds[1]);
	(void)close(fds[1]);
	read_all(fds[0], text, size);
	(void)close(fds[0]);
	assert_int_equal(child_wait(pid, 10000, &status), 0);
	assert_true(status.exited);
	assert_int_equal(status.code, 0);
}

/* The exit status of this program, started again with a word for its main. */
static int run_self(const char *word)
{
	struct child_status status = {0};
	const char *const argv[] = {"test_child", word, NULL};
	struct child_options options = {.argv = argv,
					.program = child_own_program(),
					.stdin_fd = -1,
					.stdout_fd = -1,
					.stderr_fd = -1};
	pid_t pid;

	assert_int_equal(child_start(&options, &pid), 0);
	assert_int_equal(child_wait(pid, 0, &status), 0);
	assert_true(status.exited);
	return status.code;
}

/* ---- tests ---- */

static void test_exit_status(void **state)
{
	struct child_status status;

	(void)state;
	interrupts = 2;
	assert_int_equal(child_wait(start_shell("exit 7", -1), 0, &status), 0);
	assert_true(status.exited);
	assert_int_equal(status.code, 7);
	assert_false(status.deadline);

	assert_int_equal(child_wait(start_shell("kill -USR1 $$", -1), 0, &status), 0);
	assert_false(status.exited);
	assert_int_equal(status.code, SIGUSR1);
	assert_false(status.deadline);
}

static void test_missing_program(void **state)
{
	const char *const argv[] = {"/nowhere/at/all", NULL};
	const char *const none[] = {NULL};
	struct child_options options = {
		.argv = argv, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1};
	pid_t pid;

	(void)state;
	assert_int_equal(child_start(&options, &pid), -ENOENT);
	options.argv = none;
	assert_int_equal(child_start(&options, &pid), -EINVAL);
}

/* What a child inherits: 0, 1, 2, its environment, its group, no blocked or ignored signal. */
static void test_inheritance(void **state)
{
	char text[4096];
	sigset_t blocked, before;
	int leaked = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */

	(void)state;
	assert_true(leaked > 2);
	assert_int_equal(setenv("SECRET", "1", 1), 0);
	(void)sigfillset(&blocked);
	assert_int_equal(sigprocmask(SIG_SETMASK, &blocked, &before), 0);
	(void)signal(SIGPIPE, SIG_IGN);
	assert_int_equal(run_self("descriptors"), 3);
	run_shell("grep SigBlk /proc/self/status", text, sizeof(text));
	assert_string_equal(text, "SigBlk:\t0000000000000000\n");
	run_shell("grep SigIgn /proc/self/status", text, sizeof(text));
	/* 32 and 33 belong to libc, whose posix_spawn always ignores them. */
	assert_int_equal(strtoull(text + strlen("SigIgn:\t"), NULL, 16) & ~UINT64_C(0x180000000),
			 0);
	run_shell("tr '\\0' ' ' < /proc/$$/environ", text, sizeof(text));
	assert_string_equal(text, "LC_ALL=C PATH=/usr/bin:/bin ");
	run_shell("read -r p c s pp g rest < /proc/$$/stat; test $p = $g && echo own", text,
		  sizeof(text));
	assert_string_equal(text, "own\n");
	(void)signal(SIGPIPE, SIG_DFL);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	(void)close(leaked);
}

static void test_own_session_and_environment(void **state)
{
	const char *const argv[] = {
		"shown", "-c",
		"read -r p c s pp g sid rest < /proc/$$/stat; test $p = $sid && echo $X", NULL};
	const char *const environment[] = {"X=y", NULL};
	struct child_options options = {.argv = argv,
					.program = "/bin/sh",
					.environment = environment,
					.stdin_fd = -1,
					.stderr_fd = -1,
					.own_session = true};
	struct child_status status;
	char text[64];
	int fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	options.stdout_fd = fds[1];
	assert_int_equal(child_start(&options, &pid), 0);
	(void)close(fds[1]);
	read_all(fds[0], text, sizeof(text));
	(void)close(fds[0]);
	assert_string_equal(text, "y\n");
	assert_int_equal(child_wait(pid, 0, &status), 0);
}

/* Standard descriptors given crosswise: none is overwritten before it was copied. */
static void test_crossed_descriptors(void **state)
{
	const char *const argv[] = {"/bin/sh", "-c", "cat; echo error >&2", NULL};
	int in[2], out[2], saved[2];
	struct child_options options = {
		.argv = argv, .stdin_fd = 1, .stdout_fd = 0, .stderr_fd = 0};
	struct child_status status;
	char text[64];
	pid_t pid;
	int r;

	(void)state;
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(write(in[1], "in\n", 3), 3);
	(void)close(in[1]);
	(void)fflush(stdout);
	saved[0] = fcntl(0, F_DUPFD_CLOEXEC, 10);
	saved[1] = fcntl(1, F_DUPFD_CLOEXEC, 10);
	(void)dup2(in[0], 1);
	(void)dup2(out[1], 0);
	r = child_start(&options, &pid);
	if (saved[0] >= 0)
		(void)dup2(saved[0], 0);
	else
		(void)close(0);
	(void)dup2(saved[1], 1);
	(void)close(saved[0]);
	(void)close(saved[1]);
	(void)close(in[0]);
	(void)close(out[1]);
	assert_int_equal(r, 0);
	read_all(out[0], text, sizeof(text));
	(void)close(out[0]);
	assert_string_equal(text, "in\nerror\n");
	assert_int_equal(child_wait(pid, 0, &status), 0);
}

static void check_deadline(void)
{
	struct child_status status;
	uint64_t before = clock_now_ns();
	char text[8];
	int fds[2];

	/* The grandchild holds the pipe open: its end shows that the whole group was killed. */
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(child_wait(start_shell("sleep 60 & sleep 60", fds[1]), 50, &status), 0);
	(void)close(fds[1]);
	assert_true(status.deadline);
	assert_false(status.exited);
	assert_int_equal(status.code, SIGKILL);
	read_all(fds[0], text, sizeof(text));
	(void)close(fds[0]);
	assert_true(clock_now_ns() - before >= 50 * NS_PER_MS);
	assert_true(clock_now_ns() - before < 30 * NS_PER_S);
}

static void test_deadline(void **state)
{
	(void)state;
	check_deadline();
	no_pidfd = true;
	check_deadline();
}

/* A child that leaves others of its group behind takes them along. */
static void test_group_dies_with_it(void **state)
{
	struct child_status status;
	char text[8];
	int fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = start_shell("sleep 60 & exit 3", fds[1]);
	(void)close(fds[1]);
	assert_int_equal(child_wait(pid, 0, &status), 0);
	assert_int_equal(status.code, 3);
	read_all(fds[0], text, sizeof(text));
	(void)close(fds[0]);
}

static void test_poll_and_stop(void **state)
{
	struct child_status status;
	bool ended = true;
	int fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = start_shell("exec sleep 60", -1);
	assert_int_equal(child_poll(pid, &ended, &status), 0);
	assert_false(ended);
	assert_int_equal(child_await(pid, 0, &status), -ETIMEDOUT);
	assert_int_equal(child_await(pid, 20, &status), -ETIMEDOUT);
	assert_int_equal(child_stop(pid, 10000), 0);
	assert_int_equal(child_poll(pid, &ended, &status), -ECHILD);
	assert_int_equal(child_stop(pid, 10), -ECHILD);

	assert_int_equal(child_await(start_shell("exit 5", -1), 10000, &status), 0);
	assert_int_equal(status.code, 5);

	no_pidfd = true;
	pid = start_shell("exit 4", fds[1]);
	(void)close(fds[1]);
	(void)!read(fds[0], &ended, 1); /* its end */
	do
		assert_int_equal(child_poll(pid, &ended, &status), 0);
	while (!ended);
	assert_int_equal(status.code, 4);
	(void)close(fds[0]);
}

/* Every call of the spawn fails once: its errno comes back, no descriptor and no child is left. */
static void test_failing_calls(void **state)
{
	const char *const argv[] = {"/bin/true", NULL};
	struct child_options options = {
		.argv = argv, .stdin_fd = -1, .stdout_fd = 1, .stderr_fd = 2};
	struct child_status status;
	int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC), r;
	pid_t pid;

	(void)state;
	(void)close(lowest);
	fail_errno = ENOMEM;
	for (unsigned int n = 1;; n++) {
		int now;

		calls = 0;
		fail_at = n;
		r = child_start(&options, &pid);
		fail_at = 0;
		now = open("/dev/null", O_RDONLY | O_CLOEXEC);
		assert_int_equal(now, lowest);
		(void)close(now);
		if (r == 0) {
			assert_true(n > 8);
			break;
		}
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}
	assert_int_equal(child_wait(pid, 0, &status), 0);
}

static void test_own_program(void **state)
{
	(void)state;
	assert_int_equal(run_self("again"), 42);
}

/* How many descriptors are open. */
static int count_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_exit_status, setup),
		cmocka_unit_test_setup(test_missing_program, setup),
		cmocka_unit_test_setup(test_inheritance, setup),
		cmocka_unit_test_setup(test_own_session_and_environment, setup),
		cmocka_unit_test_setup(test_crossed_descriptors, setup),
		cmocka_unit_test_setup(test_deadline, setup),
		cmocka_unit_test_setup(test_group_dies_with_it, setup),
		cmocka_unit_test_setup(test_poll_and_stop, setup),
		cmocka_unit_test_setup(test_failing_calls, setup),
		cmocka_unit_test_setup(test_own_program, setup),
	};

	if (argc > 1 && strcmp(argv[1], "again") == 0)
		return 42;
	if (argc > 1 && strcmp(argv[1], "descriptors") == 0)
		return count_descriptors();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
