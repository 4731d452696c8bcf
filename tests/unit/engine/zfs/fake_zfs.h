/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake_zfs.h - stands in for `zfs` and `zpool` where a test links with
 * `-Wl,--wrap=child_start -Wl,--wrap=access`: each start takes the next reply, which is a shell
 * script that finds the real argument vector in "$@". What was asked is kept in fake_asked.
 */
#ifndef TESTS_UNIT_ENGINE_ZFS_FAKE_ZFS_H
#define TESTS_UNIT_ENGINE_ZFS_FAKE_ZFS_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/child.h"

#define FAKE_MAX 64

struct fake_reply {
	const char *out;   /* printed */
	const char *words; /* printed to stderr */
	int status;
	const char *script; /* in place of the three above; or NULL */
};

static struct fake_reply fake_replies[FAKE_MAX];
static size_t fake_count, fake_taken;
static char fake_asked[FAKE_MAX][1024]; /* "/usr/sbin/zfs get -Hp ..." */
static bool fake_no_programs, fake_no_module;
static int fake_start_error;

int __real_child_start(const struct child_options *options, pid_t *ret_pid);
int __wrap_child_start(const struct child_options *options, pid_t *ret_pid);
int __wrap_access(const char *path, int mode);

int __wrap_access(const char *path, int mode)
{
	(void)mode;
	if (strncmp(path, "/sys/module/", 12) == 0)
		return fake_no_module ? -1 : 0;
	if (strncmp(path, "/dev/", 5) == 0)
		return 0;
	return fake_no_programs || strncmp(path, "/usr/sbin/", 10) != 0 ? -1 : 0;
}

int __wrap_child_start(const struct child_options *options, pid_t *ret_pid)
{
	static const char say[] = "printf %s \"$OUT\"; printf %s \"$WORDS\" >&2; exit $STATUS";
	static char out[128 * 1024], words[64 * 1024], status[32];
	const char *environment[] = {out, words, status, "PATH=/usr/bin:/bin", NULL};
	const char *argv[320] = {"/bin/sh", "-c", say};
	struct child_options changed = *options;
	const struct fake_reply *reply = &fake_replies[fake_taken];
	char *asked = fake_asked[fake_taken];
	size_t used = 0;

	if (fake_start_error)
		return fake_start_error;
	if (fake_taken >= fake_count) {
		(void)fprintf(stderr, "one command too many: %s\n", options->argv[1]);
		return -ENOSYS;
	}
	fake_taken++;
	for (size_t i = 0; options->argv[i]; i++) {
		argv[3 + i] = options->argv[i];
		used += (size_t)snprintf(asked + used, sizeof(fake_asked[0]) - used, "%s%s",
					 i ? " " : "", options->argv[i]);
		if (used >= sizeof(fake_asked[0]))
			used = sizeof(fake_asked[0]) - 1;
	}
	(void)snprintf(out, sizeof(out), "OUT=%s", reply->out ? reply->out : "");
	(void)snprintf(words, sizeof(words), "WORDS=%s", reply->words ? reply->words : "");
	(void)snprintf(status, sizeof(status), "STATUS=%d", reply->status);
	if (reply->script)
		argv[2] = reply->script;
	changed.argv = argv;
	changed.program = NULL;
	changed.environment = environment;
	return __real_child_start(&changed, ret_pid);
}

static void fake_reset(void)
{
	memset(fake_replies, 0, sizeof(fake_replies));
	memset(fake_asked, 0, sizeof(fake_asked));
	fake_count = fake_taken = 0;
	fake_no_programs = fake_no_module = false;
	fake_start_error = 0;
}

__attribute__((unused)) static void fake_say(const char *out)
{
	fake_replies[fake_count++] = (struct fake_reply){.out = out};
}

static void fake_refuse(const char *words)
{
	fake_replies[fake_count++] = (struct fake_reply){.words = words, .status = 1};
}

__attribute__((unused)) static void fake_script(const char *script)
{
	fake_replies[fake_count++] = (struct fake_reply){.script = script};
}

#endif
