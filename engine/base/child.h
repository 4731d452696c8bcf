/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * child.h - the one spawner of processes.
 *
 * posix_spawn with an argument vector, never a shell; a process group of its own; all descriptors
 * but 0, 1, 2 closed (close_range); signals unblocked and at their defaults; environment exactly
 * as given. Every child is reaped by child_wait() or child_stop().
 *
 * Sandboxed children are started through this program's own hidden command `volbench sandbox`
 * (child_sandbox_main below), which applies limits, no-new-privileges, Landlock and seccomp to
 * itself and then executes the argument vector.
 */
#ifndef ENGINE_BASE_CHILD_H
#define ENGINE_BASE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/macros.h"

/* What a sandboxed child may do; everything else (network, fork, other files) it may not. */
struct child_sandbox {
	const char *write_directory; /* the one directory it may create and write files in */
	unsigned int cpu_s;	     /* RLIMIT_CPU */
	uint64_t memory_bytes;	     /* RLIMIT_AS */
	uint64_t file_bytes;	     /* RLIMIT_FSIZE */
};

struct child_options {
	const char *const *argv; /* argv[0] is an absolute path; NULL-terminated */
	const char *const
		*environment; /* NULL-terminated; NULL means {"LC_ALL=C", "PATH=/usr/bin:/bin"} */
	int stdin_fd;	      /* -1: /dev/null */
	int stdout_fd;	      /* -1: /dev/null */
	int stderr_fd;	      /* -1: /dev/null */
	bool own_session;     /* setsid as well, for a child that outlives a terminal's ^C */
	const struct child_sandbox *sandbox; /* NULL: none */
};

/* -errno of the failure, also where the program is missing. */
MUST_CHECK int child_start(const struct child_options *options, pid_t *ret_pid);

/* How a child ended. */
struct child_status {
	bool exited;   /* else killed by a signal */
	int code;      /* exit status or signal number */
	bool deadline; /* it was killed because its time was over */
};

/* Waits until the child ends or, after deadline_ms (0: for ever), kills its group; always reaps. */
MUST_CHECK int child_wait(pid_t pid, uint64_t deadline_ms, struct child_status *ret_status);

/* 0 and *ret_ended false while it runs; reaps where it ended. Never blocks. */
MUST_CHECK int child_poll(pid_t pid, bool *ret_ended, struct child_status *ret_status);

/* SIGKILL to the group, then reaps it if it ends within grace_ms; -ETIMEDOUT where it hangs in
 * the kernel (a dead pool): it is then left behind and counted by the caller. */
MUST_CHECK int child_stop(pid_t pid, uint64_t grace_ms);

/* The path of this very program, for re-executing it. Valid for ever. */
const char *child_own_program(void);

/* Entry of `volbench sandbox WRITE_DIRECTORY CPU_S MEMORY FILE_BYTES -- ARGV...`; returns only on
 * failure. */
int child_sandbox_main(int argc, char **argv);

#endif
