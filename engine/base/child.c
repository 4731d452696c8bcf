/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * child.c - posix_spawn and waiting. A child's end is seen through a pidfd; where a container
 * refuses those, by asking every few milliseconds.
 */
#include "engine/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "engine/base/clock.h"

#define ASK_MS 5 /* between two looks at a child without a pidfd */
#define SANDBOX_ARGUMENTS 7

const char *child_own_program(void)
{
	return "/proc/self/exe";
}

/* A descriptor above 2 for `fd`: one below could be overwritten by an earlier dup2 in the child.
 * -1 stays -1. */
static int raise_fd(int fd, int *ret_fd)
{
	int raised;

	*ret_fd = -1;
	if (fd < 0)
		return 0;
	raised = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (raised < 0)
		return -errno;
	*ret_fd = raised;
	return 0;
}

static int add_fd(posix_spawn_file_actions_t *actions, int fd, int as)
{
	if (fd >= 0)
		return -posix_spawn_file_actions_adddup2(actions, fd, as);
	return -posix_spawn_file_actions_addopen(actions, as, "/dev/null",
						 as == 0 ? O_RDONLY : O_WRONLY, 0);
}

static int fill_actions(posix_spawn_file_actions_t *actions, const int fds[3])
{
	int r;

	for (int i = 0; i < 3; i++) {
		r = add_fd(actions, fds[i], i);
		if (r < 0)
			return r;
	}
	return -posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

static int fill_attributes(posix_spawnattr_t *attributes, bool own_session)
{
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t none, all;
	int r;

	(void)sigemptyset(&none); /* these two cannot fail */
	(void)sigfillset(&all);
	/* A new session is a new group as well; asking for both fails. */
	flags |= own_session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
	r = posix_spawnattr_setsigmask(attributes, &none);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(attributes, &all);
	if (r == 0)
		r = posix_spawnattr_setpgroup(attributes, 0);
	if (r == 0)
		r = posix_spawnattr_setflags(attributes, flags);
	return -r;
}

static int spawn(const char *program, const struct child_options *options, const char *const *argv,
		 const int fds[3], pid_t *ret_pid)
{
	static const char *const default_environment[] = {"LC_ALL=C", "PATH=/usr/bin:/bin", NULL};
	const char *const *environment =
		options->environment ? options->environment : default_environment;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int r;

	r = -posix_spawn_file_actions_init(&actions);
	if (r < 0)
		return r;
	r = -posix_spawnattr_init(&attributes);
	if (r < 0)
		goto out_actions;
	r = fill_actions(&actions, fds);
	if (r == 0)
		r = fill_attributes(&attributes, options->own_session);
	if (r == 0) /* posix_spawn's prototype predates const; it changes neither vector */
		r = -posix_spawn(ret_pid, program, &actions, &attributes, (char *const *)argv,
				 (char *const *)environment);
	(void)posix_spawnattr_destroy(&attributes);
out_actions:
	(void)posix_spawn_file_actions_destroy(&actions);
	return r;
}

static int spawn_sandboxed(const struct child_options *options, const int fds[3], pid_t *ret_pid)
{
	const struct child_sandbox *sandbox = options->sandbox;
	char cpu[24], memory[24], file[24];
	AUTO_FREE const char **argv = NULL;
	size_t count = 0;

	while (options->argv[count])
		count++;
	argv = calloc(SANDBOX_ARGUMENTS + count + 1, sizeof(*argv));
	if (!argv)
		return -ENOMEM;
	(void)snprintf(cpu, sizeof(cpu), "%u", sandbox->cpu_s); /* all three fit */
	(void)snprintf(memory, sizeof(memory), "%" PRIu64, sandbox->memory_bytes);
	(void)snprintf(file, sizeof(file), "%" PRIu64, sandbox->file_bytes);
	argv[0] = "volbench";
	argv[1] = "sandbox";
	argv[2] = sandbox->write_directory;
	argv[3] = cpu;
	argv[4] = memory;
	argv[5] = file;
	argv[6] = "--";
	memcpy(argv + SANDBOX_ARGUMENTS, options->argv, count * sizeof(*argv));
	if (options->program)
		argv[SANDBOX_ARGUMENTS] = options->program;
	return spawn(child_own_program(), options, argv, fds, ret_pid);
}

int child_start(const struct child_options *options, pid_t *ret_pid)
{
	const int given[3] = {options->stdin_fd, options->stdout_fd, options->stderr_fd};
	int fds[3] = {-1, -1, -1};
	int r = 0;

	if (!options->argv || !options->argv[0] ||
	    (options->sandbox && !options->sandbox->write_directory))
		return -EINVAL;
	for (int i = 0; i < 3 && r == 0; i++)
		r = raise_fd(given[i], &fds[i]);
	if (r == 0 && options->sandbox)
		r = spawn_sandboxed(options, fds, ret_pid);
	else if (r == 0)
		r = spawn(options->program ? options->program : options->argv[0], options,
			  options->argv, fds, ret_pid);
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]); /* our own copy */
	return r;
}

/* Looks without reaping. *ret_status only where it has ended. */
static int look(pid_t pid, bool *ret_ended, struct child_status *ret_status)
{
	siginfo_t info = {0};

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		if (errno != EINTR)
			return -errno;
	*ret_ended = info.si_pid == pid;
	if (*ret_ended)
		*ret_status = (struct child_status){
			.exited = info.si_code == CLD_EXITED,
			.code = info.si_status,
		};
	return 0;
}

/*
 * A child of the lowest scheduling class would not come to its death for seconds on a busy machine;
 * raising it may be forbidden (RLIMIT_NICE), and then it takes that long. To kill one that has just
 * ended hits a zombie.
 */
static void kill_soon(pid_t pid)
{
	const struct sched_param parameter = {0};

	(void)sched_setscheduler(pid, SCHED_OTHER, &parameter);
	(void)kill(-pid, SIGKILL);
}

/* Of an ended child: kills what is left of its group, then frees its number. */
static int reap(pid_t pid)
{
	siginfo_t info;

	(void)kill(-pid, SIGKILL); /* ESRCH: nobody is left */
	while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Milliseconds until the deadline for poll(2); -1 for ever. */
static int left_ms(uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns(), left;

	if (deadline_ns == UINT64_MAX)
		return -1;
	if (now >= deadline_ns)
		return 0;
	left = (deadline_ns - now + NS_PER_MS - 1) / NS_PER_MS;
	return left > 60000 ? 60000 : (int)left;
}

static uint64_t deadline_after(uint64_t ms)
{
	uint64_t ns, deadline;

	if (ms == 0 || __builtin_mul_overflow(ms, NS_PER_MS, &ns) ||
	    __builtin_add_overflow(clock_now_ns(), ns, &deadline))
		return UINT64_MAX;
	return deadline;
}

/* Until it has ended (not reaped yet) or the deadline: -ETIMEDOUT. */
static int await_end(pid_t pid, uint64_t deadline_ns, struct child_status *ret_status)
{
	AUTO_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	bool ended;
	int r, wait_ms;

	for (;;) {
		struct pollfd wanted = {.fd = pidfd, .events = POLLIN};

		r = look(pid, &ended, ret_status);
		if (r < 0 || ended)
			return r;
		wait_ms = left_ms(deadline_ns);
		if (wait_ms == 0)
			return -ETIMEDOUT;
		if (pidfd < 0 && (wait_ms < 0 || wait_ms > ASK_MS))
			wait_ms = ASK_MS;
		/* Whatever ends the waiting, the child is looked at again. */
		(void)poll(&wanted, pidfd < 0 ? 0 : 1, wait_ms);
	}
}

int child_wait(pid_t pid, uint64_t deadline_ms, struct child_status *ret_status)
{
	struct child_status status = {0};
	bool late = false;
	int r;

	r = await_end(pid, deadline_after(deadline_ms), &status);
	if (r == -ETIMEDOUT) {
		late = true;
		kill_soon(pid);
		r = await_end(pid, UINT64_MAX, &status);
	}
	if (r < 0)
		return r;
	r = reap(pid);
	if (r < 0)
		return r;
	status.deadline = late && !status.exited;
	*ret_status = status;
	return 0;
}

int child_await(pid_t pid, uint64_t wait_ms, struct child_status *ret_status)
{
	int r = await_end(pid, wait_ms ? deadline_after(wait_ms) : 0, ret_status);

	return r < 0 ? r : reap(pid);
}

int child_poll(pid_t pid, bool *ret_ended, struct child_status *ret_status)
{
	struct child_status status = {0};
	bool ended;
	int r;

	r = look(pid, &ended, &status);
	if (r == 0 && ended)
		r = reap(pid);
	if (r < 0)
		return r;
	*ret_ended = ended;
	if (ended && ret_status)
		*ret_status = status;
	return 0;
}

int child_stop(pid_t pid, uint64_t grace_ms)
{
	struct child_status status;
	int r;

	kill_soon(pid);
	r = await_end(pid, grace_ms ? deadline_after(grace_ms) : 0, &status);
	return r < 0 ? r : reap(pid);
}
