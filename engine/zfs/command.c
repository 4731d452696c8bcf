/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command.c - one child at a time, its two streams through pipes, until it has ended.
 *
 * What the two programs say is known from libzfs_error_description(), zfs_standard_error_fmt() and
 * zpool_standard_error_fmt() of lib/libzfs/libzfs_util.c; the texts are the same in 2.1 and 2.3
 * except where both stand here.
 */
#include "engine/zfs/command.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/child.h"
#include "engine/base/clock.h"
#include "engine/base/text.h"

#define OUT_BYTES ((size_t)1024 * 1024)
#define WORDS_BYTES ((size_t)8 * 1024) /* of stderr; what is beyond is read and dropped */
#define SLICE_MS 100		       /* between two looks at cancel and deadline */
#define GRACE_MS 2000		       /* for a killed one to die */
#define MAX_ARGUMENTS 256

const struct zfs_patience zfs_patience_ask = {.deadline_ms = 20000};

static const char *const program_names[] = {
	[ZFS_PROGRAM_ZFS] = "zfs",
	[ZFS_PROGRAM_ZPOOL] = "zpool",
};
static const char *const directories[] = {"/usr/sbin", "/sbin", "/usr/local/sbin", "/usr/bin"};

/* What a stream has given so far. */
struct stream {
	int fd;	     /* -1: at its end */
	size_t used; /* text is one byte longer and holds a NUL there */
	size_t size; /* allocated, without the NUL */
	size_t limit;
	bool beyond; /* there was more than the limit */
	char *text;
};

/* ---- finding ---- */

static bool find_program(enum zfs_program program, char path[64])
{
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		(void)snprintf(path, 64, "%s/%s", directories[i], program_names[program]);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

static int unavailable(const char *what, const char *missing, struct error *err)
{
	if (what)
		(void)error_set(err, ERROR_ZFS_UNAVAILABLE, "",
				"The target is %s, and this machine has no OpenZFS: %s", what,
				missing);
	else
		(void)error_set(err, ERROR_ZFS_UNAVAILABLE, "", "This machine has no OpenZFS: %s",
				missing);
	return -ENODEV;
}

static int program_missing(const char *what, enum zfs_program program, struct error *err)
{
	char missing[128];

	(void)snprintf(missing, sizeof(missing),
		       "the program %s is in none of /usr/sbin, /sbin, /usr/local/sbin, /usr/bin",
		       program_names[program]);
	return unavailable(what, missing, err);
}

int zfs_available(const char *what, struct error *err)
{
	char path[64];

	if (access("/sys/module/zfs", F_OK) < 0)
		return unavailable(what, "the kernel module zfs is not loaded", err);
	if (access("/dev/zfs", F_OK) < 0)
		return unavailable(what, "its module is loaded, but /dev/zfs is not there", err);
	for (size_t i = 0; i < ARRAY_SIZE(program_names); i++)
		if (!find_program((enum zfs_program)i, path))
			return program_missing(what, (enum zfs_program)i, err);
	return 0;
}

/* ---- reading ---- */

static int grow(struct stream *stream)
{
	size_t size = stream->size ? stream->size * 2 : 4096;
	char *text;

	if (size > stream->limit)
		size = stream->limit;
	text = realloc(stream->text, size + 1);
	if (!text)
		return -ENOMEM;
	stream->text = text;
	stream->size = size;
	return 0;
}

static void stream_close(struct stream *stream)
{
	if (stream->fd >= 0)
		(void)close(stream->fd); /* only read from */
	stream->fd = -1;
}

/* Reads what is there now. -ENOMEM alone is an error: a stream that cannot be read has ended. */
static int stream_read(struct stream *stream)
{
	char dropped[4096];

	while (stream->fd >= 0) {
		bool full = stream->used == stream->limit;
		ssize_t got;

		if (!full && stream->used == stream->size && grow(stream) < 0)
			return -ENOMEM;
		got = full ? read(stream->fd, dropped, sizeof(dropped))
			   : read(stream->fd, stream->text + stream->used,
				  stream->size - stream->used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return 0;
		if (got <= 0) {
			stream_close(stream);
		} else if (full) {
			stream->beyond = true;
			return 0; /* so that an endless one does not keep us here */
		} else {
			stream->used += (size_t)got;
		}
	}
	return 0;
}

/* A text that others take for a string: NULs in it are shown. */
static int stream_finish(struct stream *stream)
{
	if (!stream->text && grow(stream) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < stream->used; i++)
		if (stream->text[i] == '\0')
			stream->text[i] = '?';
	stream->text[stream->used] = '\0';
	return 0;
}

/* ---- running ---- */

struct running {
	pid_t pid;
	const char *program, *verb;
	const struct zfs_patience *patience;
	uint64_t deadline_ms;
	struct stream out, words;
};

static int give_up(struct running *running, enum error_code code, int sys, const char *why,
		   struct error *err)
{
	bool left = child_stop(running->pid, GRACE_MS) == -ETIMEDOUT;

	running->pid = -1;
	(void)error_set(err, code, "", "%s %s %s%s", running->program, running->verb, why,
			left ? " and cannot be ended: its pool may be suspended (zpool status)"
			     : "");
	return -sys;
}

static int give_up_late(struct running *running, struct error *err)
{
	char why[64];

	(void)snprintf(why, sizeof(why), "did not answer within %" PRIu64 " s",
		       (running->deadline_ms + 999) / 1000);
	return give_up(running, ERROR_ZFS_FAILED, ETIMEDOUT, why, err);
}

/* Until something may be read, it has ended, or a slice is over. */
static int wait_a_slice(struct running *running, bool *ret_ended, struct child_status *ret_status)
{
	struct pollfd wanted[] = {{.fd = running->out.fd, .events = POLLIN},
				  {.fd = running->words.fd, .events = POLLIN}};
	int r;

	if (running->out.fd < 0 && running->words.fd < 0) {
		r = child_await(running->pid, SLICE_MS, ret_status);
		*ret_ended = r == 0;
		return r == -ETIMEDOUT ? 0 : r;
	}
	(void)poll(wanted, ARRAY_SIZE(wanted), SLICE_MS); /* whatever ends it: all is looked at */
	r = child_poll(running->pid, ret_ended, ret_status);
	if (r == 0)
		r = stream_read(&running->out);
	if (r == 0)
		r = stream_read(&running->words);
	return r;
}

static int attend(struct running *running, struct child_status *ret_status, struct error *err)
{
	const struct zfs_patience *patience = running->patience;
	const uint64_t begin_ns = clock_now_ns();
	uint64_t told_ns = begin_ns;

	for (;;) {
		bool ended = false;
		int r = wait_a_slice(running, &ended, ret_status);
		uint64_t now_ns = clock_now_ns();

		if (ended)
			running->pid = -1;
		if (r < 0)
			return r == -ENOMEM ? error_no_memory(err)
					    : error_set_sys(err, ERROR_SYSTEM, -r, "waiting for %s",
							    running->program);
		if (ended)
			return 0;
		if (running->out.beyond)
			return give_up(running, ERROR_ZFS_FAILED, EOVERFLOW,
				       "printed more than 1 MiB", err);
		if (patience->cancel && atomic_load(patience->cancel))
			return give_up(running, ERROR_CANCELLED, ECANCELED, "was cancelled", err);
		if ((now_ns - begin_ns) / NS_PER_MS >= running->deadline_ms)
			return give_up_late(running, err);
		if (patience->tick && now_ns - told_ns >= SLICE_MS * NS_PER_MS) {
			patience->tick(patience->arg);
			told_ns = now_ns;
		}
	}
}

/* A pipe whose reading end does not block; both ends are closed in the child but for its own. */
static int open_stream(struct stream *stream, int *ret_write_fd)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0) {
		int sys = errno;

		(void)close(fds[0]);
		(void)close(fds[1]);
		return -sys;
	}
	stream->fd = fds[0];
	*ret_write_fd = fds[1];
	return 0;
}

static int start(struct running *running, const char *path, const char *const *arguments,
		 struct error *err)
{
	static const char *const environment[] = {"LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
						  NULL};
	const char *argv[MAX_ARGUMENTS + 2] = {path};
	AUTO_CLOSE int out = -1, words = -1;
	struct child_options options = {.argv = argv, .environment = environment, .stdin_fd = -1};
	size_t count = 0;
	int r;

	while (count < MAX_ARGUMENTS && arguments[count]) {
		argv[count + 1] = arguments[count];
		count++;
	}
	if (arguments[count])
		return error_set(err, ERROR_TOO_MANY, "", "more than %d arguments for %s",
				 MAX_ARGUMENTS, running->program);
	r = open_stream(&running->out, &out);
	if (r == 0)
		r = open_stream(&running->words, &words);
	options.stdout_fd = out;
	options.stderr_fd = words;
	if (r == 0)
		r = child_start(&options, &running->pid);
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "cannot start %s", path) : 0;
}

/* ---- what it said ---- */

/* `zfs create` warns of a small volblocksize, in two lines, before it goes on. */
static bool is_warning(const char *line)
{
	return strncasecmp(line, "warning:", 8) == 0 ||
	       strncmp(line, "To reduce wasted space", 22) == 0;
}

/* The line of its stderr that tells the failure: the first that is no warning; else the first. */
static void choose_line(char *words, char *line, size_t size)
{
	const char *chosen = NULL;
	char *rest = words, *next;

	while (rest) {
		size_t length = strcspn(rest, "\r\n");

		next = rest[length] ? rest + length + 1 : NULL;
		rest[length] = '\0';
		if (length > 0 && (!chosen || (is_warning(chosen) && !is_warning(rest))))
			chosen = rest;
		rest = next;
	}
	(void)text_clean(chosen ? chosen : "", line, size);
}

static void finish(struct running *running, const struct child_status *status,
		   struct zfs_output *output)
{
	*output = (struct zfs_output){.status = status->code};
	output->out = TAKE_PTR(running->out.text);
	choose_line(running->words.text, output->error_text, sizeof(output->error_text));
	output->busy = strstr(output->error_text, "is busy");
	output->missing = strstr(output->error_text, "does not exist") ||
			  strstr(output->error_text, "no such pool");
}

static void running_done(struct running *running)
{
	if (running->pid > 0 && child_stop(running->pid, GRACE_MS) < 0)
		running->pid = -1; /* left behind; an error is told already */
	stream_close(&running->out);
	stream_close(&running->words);
	free(running->out.text);
	free(running->words.text);
}

static int run(struct running *running, const char *path, const char *const *arguments,
	       struct zfs_output *ret_output, struct error *err)
{
	struct child_status status = {0};
	int r;

	r = start(running, path, arguments, err);
	if (r == 0)
		r = attend(running, &status, err);
	if (r < 0)
		return r;
	/* What it wrote last; nobody of its group is left to write more. */
	if (stream_read(&running->out) < 0 || stream_read(&running->words) < 0 ||
	    stream_finish(&running->out) < 0 || stream_finish(&running->words) < 0)
		return error_no_memory(err);
	if (running->out.beyond) {
		(void)error_set(err, ERROR_ZFS_FAILED, "", "%s %s printed more than 1 MiB",
				running->program, running->verb);
		return -EOVERFLOW;
	}
	if (!status.exited) {
		(void)error_set(err, ERROR_ZFS_FAILED, "", "%s %s died of signal %d",
				running->program, running->verb, status.code);
		return -EIO;
	}
	finish(running, &status, ret_output);
	return 0;
}

int zfs_run(enum zfs_program program, const char *const *arguments,
	    const struct zfs_patience *patience, struct zfs_output *ret_output, struct error *err)
{
	struct running running = {
		.pid = -1,
		.program = program_names[program],
		.verb = arguments[0] ? arguments[0] : "",
		.patience = patience ? patience : &zfs_patience_ask,
		.out = {.fd = -1, .limit = OUT_BYTES},
		.words = {.fd = -1, .limit = WORDS_BYTES},
	};
	char path[64];
	int r;

	running.deadline_ms = running.patience->deadline_ms;
	if (running.deadline_ms == 0)
		running.deadline_ms = zfs_patience_ask.deadline_ms;
	if (!find_program(program, path))
		return program_missing(NULL, program, err);
	if (running.patience->cancel && atomic_load(running.patience->cancel)) {
		(void)error_set(err, ERROR_CANCELLED, "", "%s %s was cancelled", running.program,
				running.verb);
		return -ECANCELED;
	}
	r = run(&running, path, arguments, ret_output, err);
	running_done(&running);
	return r == -EPERM ? -EACCES : r; /* see command.h */
}

void zfs_output_done(struct zfs_output *output)
{
	free(output->out);
	*output = (struct zfs_output){0};
}

/* ---- what must succeed ---- */

/* In the order in which they are looked for. */
static const struct {
	const char *words;
	enum error_code code;
	int sys;
} meanings[] = {
	{"permission denied", ERROR_ZFS_PERMISSION, EACCES},
	{"insufficient privileges", ERROR_ZFS_PERMISSION, EACCES},
	{"delegated administration is disabled", ERROR_ZFS_PERMISSION, EACCES},
	{"must be superuser", ERROR_ZFS_PERMISSION, EACCES},
	{"by root", ERROR_ZFS_PERMISSION, EACCES},
	{"out of space", ERROR_NO_SPACE, ENOSPC},
	{"greater than available space", ERROR_NO_SPACE, ENOSPC},
	{"no space left", ERROR_NO_SPACE, ENOSPC},
	{"does not exist", ERROR_TARGET_MISSING, ENOENT},
	{"no such pool", ERROR_TARGET_MISSING, ENOENT},
	{"already exists", ERROR_FILE_EXISTS, EEXIST},
	{"pool is read-only", ERROR_TARGET_READ_ONLY, EROFS},
	{"read-only file system", ERROR_TARGET_READ_ONLY, EROFS},
	{"dataset is read-only", ERROR_TARGET_READ_ONLY, EROFS},
};

int zfs_told(const struct zfs_output *output, const char *doing, struct error *err)
{
	const char *text = output->error_text;

	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (strcasestr(text, meanings[i].words)) {
			(void)error_set(err, meanings[i].code, "", "%s: %s", doing, text);
			return -meanings[i].sys;
		}
	if (text[0])
		(void)error_set(err, ERROR_ZFS_FAILED, "", "%s: %s", doing, text);
	else
		(void)error_set(err, ERROR_ZFS_FAILED, "", "%s: exit status %d without a word",
				doing, output->status);
	return -EIO;
}

int zfs_do(enum zfs_program program, const char *const *arguments,
	   const struct zfs_patience *patience, const char *doing, char **ret_out,
	   struct error *err)
{
	struct zfs_output output;
	int r = zfs_run(program, arguments, patience, &output, err);

	if (r < 0)
		return r;
	if (output.status != 0)
		r = zfs_told(&output, doing, err);
	else if (ret_out)
		*ret_out = TAKE_PTR(output.out);
	zfs_output_done(&output);
	return r;
}
