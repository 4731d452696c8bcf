/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of engine/base/sandbox.c: what a sandboxed gnuplot and a sandboxed probe (this program
 * itself) can and cannot do, and that each limit bites.
 * Length: the probe must be this program.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "engine/base/child.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static char directory[] = "/var/tmp/store-sandbox-XXXXXX";
static char outside[64]; /* a file the children must not touch, world-writable */

/* ---- the probe: this program, inside the sandbox ---- */

static bool refused(long result)
{
	return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			(void)fprintf(stderr, "probe: %s (%s)\n", #condition, strerror(errno));    \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

static int probe_calls(const char *forbidden)
{
	const char *const shell[] = {"/bin/sh", "-c", "true", NULL};
	struct rlimit limit = {1, 1};

	EXPECT(refused(syscall(SYS_fork)));
	EXPECT(refused(syscall(SYS_vfork)));
	EXPECT(refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
	EXPECT(refused(syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0)));
	EXPECT(refused(syscall(SYS_clone3, NULL, 0)));
	EXPECT(refused(socket(AF_INET, SOCK_STREAM, 0)));
	EXPECT(refused(socket(AF_UNIX, SOCK_STREAM, 0)));
	EXPECT(refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL)));
	EXPECT(refused(kill(getppid(), 0)));
	EXPECT(refused(kill(0, 0)));
	EXPECT(refused(kill(-1, 0)));
	EXPECT(kill(getpid(), 0) == 0);
	EXPECT(refused(memfd_create("x", 0)));
	EXPECT(refused(syscall(SYS_execveat, AT_FDCWD, "/bin/sh", shell, NULL, 0)));
	EXPECT(refused(execve("/bin/sh", (char *const *)shell, NULL)));
	EXPECT(refused(syscall(SYS_io_uring_setup, 1, NULL)));
	EXPECT(refused(unshare(CLONE_NEWUSER)));
	EXPECT(refused(prlimit(getppid(), RLIMIT_CPU, &limit, NULL)));
	EXPECT(refused(setsid()));
	EXPECT(refused(open(forbidden, O_RDONLY)));
	EXPECT(refused(open(forbidden, O_WRONLY)));
	EXPECT(refused(truncate(forbidden, 0)));
	EXPECT(refused(open("/etc/shadow", O_RDONLY)));
	EXPECT(refused(open("/etc/passwd", O_RDONLY)));
	EXPECT(refused(open("/proc/self/environ", O_RDONLY)));
	EXPECT(refused(open("/var/tmp/store-elsewhere", O_CREAT | O_WRONLY, 0600)));
	EXPECT(refused(mkdir("sub", 0700)));
	EXPECT(refused(symlink("/etc/passwd", "link")));
	EXPECT(refused(link("/etc/passwd", "link")));
	EXPECT(refused(mkfifo("fifo", 0600)));
	EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	EXPECT(getuid() != 0 && geteuid() != 0 && getgid() != 0);
	return 0;
}

static int probe_files(void)
{
	int fd = open("mine", O_CREAT | O_EXCL | O_RDWR, 0600);

	EXPECT(fd == 3); /* nothing was inherited */
	EXPECT(write(fd, "x", 1) == 1);
	EXPECT(ftruncate(fd, 0) == 0);
	EXPECT(open("/dev/null", O_WRONLY) >= 0);
	EXPECT(open("/usr/share", O_RDONLY | O_DIRECTORY) >= 0);
	EXPECT(rename("mine", "yours") == 0);
	EXPECT(unlink("yours") == 0);
	EXPECT(open("kept", O_CREAT | O_WRONLY, 0600) >= 0);
	return 0;
}

static void *no_thread(void *arg)
{
	return arg;
}

static int probe_limits(void)
{
	static char block[1 << 16];
	int fd = open("big", O_CREAT | O_WRONLY, 0600);
	pthread_t thread;

	(void)signal(SIGXFSZ, SIG_IGN);
	EXPECT(fd >= 0);
	EXPECT(mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
	EXPECT(mmap(NULL, 1 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	EXPECT(write(fd, block, sizeof(block)) == sizeof(block));
	EXPECT(write(fd, block, sizeof(block)) < 0 && errno == EFBIG);
	EXPECT(pthread_create(&thread, NULL, no_thread, NULL) != 0);
	return 0;
}

static int probe(int argc, char **argv)
{
	volatile unsigned int spin = 0;

	if (argc < 3)
		return 2;
	if (strcmp(argv[2], "calls") == 0)
		return probe_calls(argv[3]);
	if (strcmp(argv[2], "files") == 0)
		return probe_files();
	if (strcmp(argv[2], "limits") == 0)
		return probe_limits();
	for (;;)
		spin++;
}

/* ---- running something in it ---- */

struct outcome {
	struct child_status status;
	char text[8192]; /* what it wrote to stdout and stderr */
};

static void run(const char *const *argv, const char *input, const struct child_sandbox *sandbox,
		uint64_t deadline_ms, struct outcome *ret_outcome)
{
	struct child_options options = {.argv = argv, .sandbox = sandbox};
	size_t length = 0;
	ssize_t got;
	int out[2], in = memfd_create("input", MFD_CLOEXEC);
	pid_t pid;

	assert_true(in >= 0);
	assert_int_equal(write(in, input, strlen(input)), strlen(input));
	assert_int_equal(lseek(in, 0, SEEK_SET), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	options.stdin_fd = in;
	options.stdout_fd = options.stderr_fd = out[1];
	assert_int_equal(child_start(&options, &pid), 0);
	(void)close(out[1]);
	(void)close(in);
	if (deadline_ms == 0) {
		while (length + 1 < sizeof(ret_outcome->text) &&
		       (got = read(out[0], ret_outcome->text + length,
				   sizeof(ret_outcome->text) - 1 - length)) > 0)
			length += (size_t)got;
	}
	ret_outcome->text[length] = '\0';
	(void)close(out[0]);
	assert_int_equal(child_wait(pid, deadline_ms, &ret_outcome->status), 0);
}

static void run_probe(const char *what, const struct child_sandbox *sandbox,
		      struct outcome *ret_outcome)
{
	const char *const argv[] = {child_own_program(), "probe", what, outside, NULL};

	run(argv, "", sandbox, 0, ret_outcome);
}

static void run_gnuplot(const char *script, struct outcome *ret_outcome)
{
	const char *const argv[] = {"/usr/bin/gnuplot", "-d", "-", NULL};
	const struct child_sandbox sandbox = {.write_directory = directory,
					      .cpu_s = 10,
					      .memory_bytes = UINT64_C(512) << 20,
					      .file_bytes = 8 << 20};

	run(argv, script, &sandbox, 0, ret_outcome);
}

static void assert_success(const struct outcome *outcome)
{
	if (!outcome->status.exited || outcome->status.code != 0)
		print_error("child said: %s\n", outcome->text);
	assert_true(outcome->status.exited);
	assert_int_equal(outcome->status.code, 0);
}

static bool exists(const char *name)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	return access(path, F_OK) == 0;
}

static int empty_directory(void **state)
{
	static const char *const names[] = {"mine",	 "yours",      "kept", "big",
					    "chart.svg", "chart2.svg", "made", "stolen"};
	char path[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		(void)unlink(path);
	}
	return 0;
}

/* A kernel without one of the layers: the tests of that layer would show nothing. */
static bool layers_missing(void)
{
	struct outcome outcome;

	run_probe("files", &(struct child_sandbox){.write_directory = directory}, &outcome);
	if (!strstr(outcome.text, CHILD_SANDBOX_NOTE))
		return false;
	print_message("skipped: %s", outcome.text);
	return true;
}

/* ---- tests ---- */

static void test_calls_refused(void **state)
{
	struct outcome outcome;

	(void)state;
	if (geteuid() != 0 || layers_missing()) {
		print_message("skipped: needs root and all layers\n");
		skip();
	}
	run_probe("calls", &(struct child_sandbox){.write_directory = directory}, &outcome);
	assert_success(&outcome);
	assert_null(strstr(outcome.text, CHILD_SANDBOX_NOTE));
}

static void test_files_in_its_directory(void **state)
{
	struct outcome outcome;

	(void)state;
	run_probe("files", &(struct child_sandbox){.write_directory = directory}, &outcome);
	assert_success(&outcome);
	assert_true(exists("kept"));
}

static void test_limits(void **state)
{
	const struct child_sandbox sandbox = {.write_directory = directory,
					      .memory_bytes = UINT64_C(256) << 20,
					      .file_bytes = 1 << 16};
	struct outcome outcome;

	(void)state;
	if (SANITIZED) {
		print_message("skipped: a sanitizer's own memory is above any limit\n");
		skip();
	}
	run_probe("limits", &sandbox, &outcome);
	assert_success(&outcome);
}

static void test_cpu_limit(void **state)
{
	struct outcome outcome;

	(void)state;
	run_probe("spin", &(struct child_sandbox){.write_directory = directory, .cpu_s = 1},
		  &outcome);
	assert_false(outcome.status.exited);
	assert_int_equal(outcome.status.code, SIGXCPU);
	assert_false(outcome.status.deadline);
}

static void test_wall_limit(void **state)
{
	const char *const argv[] = {"/usr/bin/gnuplot", "-d", "-", NULL};
	const struct child_sandbox sandbox = {.write_directory = directory};
	struct outcome outcome;

	(void)state;
	run(argv, "pause 60\n", &sandbox, 100, &outcome);
	assert_true(outcome.status.deadline);
}

static void test_failures_are_told(void **state)
{
	const char *const missing[] = {"/nowhere/program", NULL};
	struct child_sandbox sandbox = {.write_directory = directory};
	const char *bad[] = {"volbench", "sandbox", directory, "1x", "0", "0", "--", "/bin/true"};
	struct outcome outcome;

	(void)state;
	run(missing, "", &sandbox, 0, &outcome);
	assert_int_equal(outcome.status.code, CHILD_SANDBOX_NO_PROGRAM);
	assert_non_null(strstr(outcome.text, "/nowhere/program"));
	sandbox.write_directory = "/nowhere";
	run_probe("files", &sandbox, &outcome);
	assert_int_equal(outcome.status.code, CHILD_SANDBOX_FAILED);
	assert_non_null(strstr(outcome.text, "/nowhere"));
	assert_int_equal(child_sandbox_main(8, (char **)bad), CHILD_SANDBOX_FAILED);
	assert_int_equal(child_sandbox_main(3, (char **)bad), CHILD_SANDBOX_FAILED);
}

static void test_gnuplot_draws(void **state)
{
	struct outcome outcome;

	(void)state;
	run_gnuplot("set terminal svg size 600,400 font 'sans,12'\n"
		    "set output 'chart.svg'\nset title 'ok' noenhanced\n"
		    "$d << EOD\n1 2\n2 3\nEOD\nplot $d with linespoints title 'a'\n"
		    "set output 'chart2.svg'\nreplot\nunset output\n",
		    &outcome);
	assert_success(&outcome);
	assert_string_equal(outcome.text, "");
	assert_true(exists("chart.svg"));
	assert_true(exists("chart2.svg"));
}

/* Every way gnuplot has to a shell or to a file outside. `made` must not appear. */
static void test_gnuplot_is_held(void **state)
{
	static const char *const scripts[] = {
		"x = system('touch made')\n",
		"!touch made\n",
		"system 'touch made'\n",
		"x = `touch made`\n",
		"set title \"`touch made`\"\n",
		"plot '< touch made; echo 1' using 1\n",
		"set output '|cat > made'\nset terminal svg\nplot x\n",
		"set print '|cat > made'\nprint 1\n",
		"load '< touch made'\n",
		"eval \"system('touch made')\"\n",
		"shell\ntouch made\n",
	};
	struct outcome outcome;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		run_gnuplot(scripts[i], &outcome);
		if (exists("made"))
			print_error("got out: %s\n", scripts[i]);
		assert_false(exists("made"));
	}
}

static void test_gnuplot_files_outside(void **state)
{
	char script[256];
	struct outcome outcome;
	struct stat status;

	(void)state;
	if (layers_missing())
		skip();
	(void)snprintf(script, sizeof(script), "set print '%s'\nprint 'written'\n", outside);
	run_gnuplot(script, &outcome);
	assert_int_equal(stat(outside, &status), 0);
	assert_int_equal(status.st_size, strlen("secret 1\n"));
	(void)snprintf(script, sizeof(script),
		       "set print 'stolen'\nstats '%s' using 2\nprint STATS_max\n", outside);
	run_gnuplot(script, &outcome);
	assert_non_null(strstr(outcome.text, "Can't read data file"));
	run_gnuplot("stats '/etc/shadow' using 1\n", &outcome);
	assert_non_null(strstr(outcome.text, "Can't read data file"));
}

/* In a process whose kernel refuses these calls: the probe's exit status, its words to `out`. */
static int run_without(const int *calls, size_t count, int out)
{
	const char *const argv[] = {child_own_program(), "probe", "files", NULL};
	const struct child_sandbox sandbox = {.write_directory = directory};
	struct child_options options = {.argv = argv,
					.stdin_fd = -1,
					.stdout_fd = -1,
					.stderr_fd = out,
					.sandbox = &sandbox};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	struct child_status status = {.code = 255};
	pid_t pid;

	for (size_t i = 0; i < count; i++)
		if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0) < 0)
			return 255;
	if (seccomp_load(filter) < 0)
		return 255;
	seccomp_release(filter);
	if (child_start(&options, &pid) < 0 || child_wait(pid, 0, &status) < 0)
		return 255;
	return status.exited ? status.code : 255;
}

/* A layer that is refused is told, and the program runs without it. */
static void test_missing_layers_are_told(void **state)
{
	static const struct {
		int calls[2];
		const char *note;
	} cases[] = {
		{{SCMP_SYS(landlock_create_ruleset), SCMP_SYS(landlock_create_ruleset)},
		 CHILD_SANDBOX_NOTE "Landlock: "},
		{{SCMP_SYS(landlock_restrict_self), SCMP_SYS(landlock_restrict_self)},
		 CHILD_SANDBOX_NOTE "Landlock: "},
		{{SCMP_SYS(setresuid), SCMP_SYS(setresuid)},
		 CHILD_SANDBOX_NOTE "a user of its own: "},
		{{SCMP_SYS(fchown), SCMP_SYS(fchown)}, CHILD_SANDBOX_NOTE "a user of its own: "},
		/* What was lost with the user need not be dropped. */
		{{SCMP_SYS(capset), SCMP_SYS(capset)}, NULL},
		{{SCMP_SYS(seccomp), SCMP_SYS(prctl)}, ""},
	};
	char text[1024];
	ssize_t length;
	int out[2], status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0 || layers_missing())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		(void)empty_directory(NULL);
		assert_int_equal(pipe2(out, O_CLOEXEC), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			_exit(run_without(cases[i].calls, 2, out[1]));
		(void)close(out[1]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		length = read(out[0], text, sizeof(text) - 1);
		text[length > 0 ? length : 0] = '\0';
		(void)close(out[0]);
		assert_true(WIFEXITED(status));
		if (!cases[i].note) {
			assert_int_equal(WEXITSTATUS(status), 0);
			assert_null(strstr(text, CHILD_SANDBOX_NOTE));
		} else if (cases[i].note[0]) {
			assert_int_equal(WEXITSTATUS(status), 0);
			assert_non_null(strstr(text, cases[i].note));
		} else { /* Without no-new-privileges nothing is executed. */
			assert_int_not_equal(WEXITSTATUS(status), 0);
			assert_non_null(strstr(text, "no-new-privileges"));
		}
	}
}

/* The child dies when the one that started it does. */
static void test_dies_with_its_parent(void **state)
{
	const char *const argv[] = {"/usr/bin/gnuplot", "-d", "-e", "print 'up'; pause 60", NULL};
	const struct child_sandbox sandbox = {.write_directory = directory};
	struct child_options options = {
		.argv = argv, .stdin_fd = -1, .stdout_fd = -1, .sandbox = &sandbox};
	char byte;
	int out[2];
	pid_t parent, pid;

	(void)state;
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	options.stderr_fd = out[1];
	parent = fork();
	assert_true(parent >= 0);
	if (parent == 0) {
		if (child_start(&options, &pid) < 0)
			_exit(1);
		for (;;)
			(void)pause();
	}
	(void)close(out[1]);
	assert_int_equal(read(out[0], &byte, 1), 1); /* it is up */
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	while (read(out[0], &byte, 1) > 0) /* the end of the pipe is the child's end */
		;
	(void)close(out[0]);
}

static int make_directory(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	(void)snprintf(outside, sizeof(outside), "%s.secret", directory);
	f = fopen(outside, "w");
	if (!f || fputs("secret 1\n", f) < 0 || fclose(f) != 0)
		return -1;
	return chmod(outside, 0666);
}

static int remove_directory(void **state)
{
	(void)empty_directory(state);
	(void)unlink(outside);
	return rmdir(directory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_calls_refused, empty_directory),
		cmocka_unit_test_setup(test_files_in_its_directory, empty_directory),
		cmocka_unit_test_setup(test_limits, empty_directory),
		cmocka_unit_test_setup(test_cpu_limit, empty_directory),
		cmocka_unit_test_setup(test_wall_limit, empty_directory),
		cmocka_unit_test_setup(test_failures_are_told, empty_directory),
		cmocka_unit_test_setup(test_gnuplot_draws, empty_directory),
		cmocka_unit_test_setup(test_gnuplot_is_held, empty_directory),
		cmocka_unit_test_setup(test_gnuplot_files_outside, empty_directory),
		cmocka_unit_test_setup(test_missing_layers_are_told, empty_directory),
		cmocka_unit_test_setup(test_dies_with_its_parent, empty_directory),
	};

	if (argc > 1 && strcmp(argv[1], "sandbox") == 0)
		return child_sandbox_main(argc, argv);
	if (argc > 1 && strcmp(argv[1], "probe") == 0)
		_exit(probe(argc, argv)); /* a leak checker would want a process of its own */
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
