/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * child.h - the one spawner of processes.
 *
 * posix_spawn with an argument vector, never a shell; a process group of its own; all descriptors
 * but 0, 1, 2 closed; signals unblocked and at their defaults; environment exactly as given. Every
 * child is reaped by child_wait(), child_await(), child_poll() or child_stop(); what is left of its
 * group is killed at that moment, while the zombie still guards the group's number.
 *
 * Sandboxed children are started through this program's own hidden command `volbench sandbox`
 * (child_sandbox_main below, sandbox.c), which locks itself in and then executes the argument
 * vector. A program whose main does not know that command (a unit test) cannot start one.
 * Threads: any; one thread at a time per child.
 */
#ifndef ENGINE_BASE_CHILD_H
#define ENGINE_BASE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/macros.h"

/*
 * What a sandboxed child may do; everything else (network, other processes, other files) it may
 * not. Limits of 0 are not set.
 *
 * The child starts in write_directory: give it names relative to there. The directory must be made
 * for this child alone: where this process is root, the child runs as CHILD_SANDBOX_UID and the
 * directory (not what is in it) is given to that user. A child that writes to its stdout only
 * takes an empty directory just as well.
 */
struct child_sandbox {
	const char *write_directory; /* the one directory it may create and write files in */
	unsigned int cpu_s;	     /* RLIMIT_CPU */
	uint64_t memory_bytes;	     /* RLIMIT_AS */
	uint64_t file_bytes;	     /* RLIMIT_FSIZE */
};

#define CHILD_SANDBOX_UID 65534

/* Exit statuses of a sandbox that could not be built or whose program could not be executed; a
 * line on stderr says why. */
#define CHILD_SANDBOX_FAILED 125
#define CHILD_SANDBOX_NO_PROGRAM 127

/*
 * A layer the kernel or a container refuses (Landlock, seccomp, the other user) is done without,
 * and a line on the child's stderr that begins with this text names it. Limits, no-new-privileges,
 * empty capabilities, closed descriptors are always there, or the child is not executed.
 */
#define CHILD_SANDBOX_NOTE "volbench sandbox: without "

struct child_options {
	const char *const *argv; /* NULL-terminated; argv[0] is an absolute path */
	const char *program; /* executed in place of argv[0], which is then only shown; or NULL */
	const char *const
		*environment; /* NULL-terminated; NULL means {"LC_ALL=C", "PATH=/usr/bin:/bin"} */
	int stdin_fd;	      /* -1: /dev/null */
	int stdout_fd;	      /* -1: /dev/null */
	int stderr_fd;	      /* -1: /dev/null */
	bool own_session;     /* setsid as well, for a child that outlives a terminal's ^C */
	const struct child_sandbox *sandbox; /* NULL: none */
};

/* -errno of the failure, also where the program is missing (with a sandbox, that is known only by
 * its exit status). */
MUST_CHECK int child_start(const struct child_options *options, pid_t *ret_pid);

/* How a child ended. */
struct child_status {
	bool exited;   /* else killed by a signal */
	int code;      /* exit status or signal number */
	bool deadline; /* it was killed because its time was over */
};

/* Waits until the child ends or, after deadline_ms (0: for ever), kills its group; always reaps. */
MUST_CHECK int child_wait(pid_t pid, uint64_t deadline_ms, struct child_status *ret_status);

/* Waits up to wait_ms and kills nobody: -ETIMEDOUT while it still runs. Reaps where it ended. */
MUST_CHECK int child_await(pid_t pid, uint64_t wait_ms, struct child_status *ret_status);

/* 0 and *ret_ended false while it runs; reaps where it ended. Never blocks. ret_status may be NULL.
 */
MUST_CHECK int child_poll(pid_t pid, bool *ret_ended, struct child_status *ret_status);

/* SIGKILL to the group, then reaps it if it ends within grace_ms; -ETIMEDOUT where it hangs in
 * the kernel (a dead pool): it is then left behind and counted by the caller. */
MUST_CHECK int child_stop(pid_t pid, uint64_t grace_ms);

/* The path that executes this very program again, also when its file was replaced meanwhile: for
 * child_options.program. Valid for ever. */
const char *child_own_program(void);

/* Entry of `volbench sandbox WRITE_DIRECTORY CPU_S MEMORY FILE_BYTES -- ARGV...`, argc and argv as
 * main got them; returns only where the sandbox could not be built, with the exit status. */
int child_sandbox_main(int argc, char **argv);

#endif
