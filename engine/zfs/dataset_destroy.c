/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dataset_destroy.c - `zfs destroy` of what a run has made, and of nothing else.
 *
 * Whoever opens a new zvol or closes one that was written to brings udev to it, which opens it for
 * a moment; destroying then fails ("dataset is busy"). So: once; then watch the node for closes,
 * and again after each.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/zfs/creating.h"
#include "engine/zfs/dataset.h"
#include "engine/zfs/node.h"

#define SLICE_MS 100
#define RETRY_MS 1000  /* a destroy that hears of no close is tried again after this */
#define LEAST_MS 10000 /* that a try is given, however near the deadline is */

static int not_ours(const char *dataset, const char *why, struct error *err)
{
	char excerpt[TEXT_EXCERPT_MAX];

	(void)error_set(err, ERROR_TARGET_NOT_ALLOWED, "", "%s is not destroyed: %s",
			text_excerpt(dataset, excerpt), why);
	return -EPERM;
}

/* "volbench-<run id>", or that and "-2". */
static bool is_named_for(const char *name, const char *run_id)
{
	size_t prefix = strlen(ZFS_MADE_PREFIX), id = strlen(run_id);

	if (id == 0 || strncmp(name, ZFS_MADE_PREFIX, prefix) != 0 ||
	    strncmp(name + prefix, run_id, id) != 0)
		return false;
	name += prefix + id;
	return !name[0] || (name[0] == '-' && name[1] && !name[1 + strspn(name + 1, "0123456789")]);
}

static int check_names(const char *dataset, const char *parent, const char *run_id,
		       struct error *err)
{
	const char *last = strrchr(dataset, '/');

	if (!zfs_name_ok(dataset) || !zfs_name_ok(parent))
		return not_ours(dataset, "it or its parent is no name of a dataset", err);
	if (!zfs_name_within(dataset, parent) || strcmp(dataset, parent) == 0)
		return not_ours(dataset, "it does not lie beneath the parent", err);
	if (!last || !is_named_for(last + 1, run_id))
		return not_ours(dataset, "its name is not one that this run gives", err);
	return 0;
}

/* -ENOENT where it is not there. */
static int check_mark(const char *dataset, const char *run_id, struct error *err)
{
	static const char *const names[] = {ZFS_RUN_PROPERTY};
	struct zfs_value *values;
	bool same;
	int r = zfs_get(dataset, names, 1, &values, err);

	if (r < 0)
		return r;
	same = values[0].value && run_id[0] && strcmp(values[0].value, run_id) == 0 &&
	       strcmp(values[0].source, "local") == 0;
	zfs_values_done(values, 1);
	return same ? 0
		    : not_ours(dataset, "it does not carry the run's id in " ZFS_RUN_PROPERTY, err);
}

/* It is not there: good, if only its parent is. */
static int check_parent(const char *parent, struct error *err)
{
	static const char *const names[] = {"type"};
	struct zfs_value *values;
	int r = zfs_get(parent, names, 1, &values, err);

	if (r < 0)
		return r;
	zfs_values_done(values, 1);
	return 0;
}

static void forget_closes(int fd)
{
	char buffer[4096];

	while (read(fd, buffer, sizeof(buffer)) > 0)
		;
}

/* Until its node is closed once more, RETRY_MS are over, or the deadline or a cancel comes. */
static int await_close(int fd, uint64_t deadline_ns, const struct zfs_patience *patience,
		       struct error *err)
{
	uint64_t retry_ns = clock_now_ns() + RETRY_MS * NS_PER_MS;
	uint64_t now_ns;

	do {
		struct pollfd wanted = {.fd = fd, .events = POLLIN};
		bool closed = poll(&wanted, 1, SLICE_MS) > 0;

		if (patience->tick)
			patience->tick(patience->arg);
		if (patience->cancel && atomic_load(patience->cancel)) {
			(void)error_set(err, ERROR_CANCELLED, "", "destroying was cancelled");
			return -ECANCELED;
		}
		if (closed) {
			forget_closes(fd);
			return 0;
		}
		now_ns = clock_now_ns();
	} while (now_ns < retry_ns && now_ns < deadline_ns);
	return 0;
}

/* What the deadline leaves for one more command; to kill one that has just begun would leave nobody
 * knowing what it has done. */
static struct zfs_patience rest(const struct zfs_patience *patience, uint64_t deadline_ns)
{
	struct zfs_patience left = *patience;
	uint64_t now_ns = clock_now_ns();

	left.deadline_ms = now_ns < deadline_ns ? (deadline_ns - now_ns) / NS_PER_MS : 0;
	if (left.deadline_ms < LEAST_MS)
		left.deadline_ms = LEAST_MS;
	return left;
}

/* Once. *ret_busy: somebody has it open. */
static int destroy_now(const char *dataset, const struct zfs_patience *patience, bool *ret_busy,
		       struct error *err)
{
	const char *arguments[] = {"destroy", dataset, NULL};
	char doing[ZFS_NAME_BYTES + 32];
	struct zfs_output output;
	int r = zfs_run(ZFS_PROGRAM_ZFS, arguments, patience, &output, err);

	if (r < 0)
		return r;
	*ret_busy = output.status != 0 && output.busy;
	(void)snprintf(doing, sizeof(doing), "destroying %s", dataset);
	if (*ret_busy) {
		(void)error_set(err, ERROR_TARGET_BUSY, "", "%s: %s (somebody has it open)", doing,
				output.error_text);
		r = -EBUSY;
	} else if (output.status != 0 && strstr(output.error_text, "has children")) {
		(void)error_set(err, ERROR_ZFS_FAILED, "",
				"%s: %s (snapshots that somebody else has made of it?)", doing,
				output.error_text);
		r = -EIO;
	} else if (output.status != 0 && !output.missing) {
		r = zfs_told(&output, doing, err);
	}
	zfs_output_done(&output);
	return r;
}

/* Looks at its mark, and destroys at once. -ENOENT: it is not there. */
static int destroy_once(const char *dataset, const char *run_id,
			const struct zfs_patience *patience, bool *ret_busy, struct error *err)
{
	int r = check_mark(dataset, run_id, err);

	return r < 0 ? r : destroy_now(dataset, patience, ret_busy, err);
}

static int destroy(const char *dataset, const char *run_id, const struct zfs_patience *patience,
		   struct error *err)
{
	uint64_t deadline_ms =
		patience->deadline_ms ? patience->deadline_ms : zfs_patience_ask.deadline_ms;
	uint64_t deadline_ns = clock_now_ns() + deadline_ms * NS_PER_MS;
	AUTO_CLOSE int closes = -1;

	for (;;) {
		struct zfs_patience left = rest(patience, deadline_ns);
		struct error busy_error = {0};
		bool busy = false;
		int r = destroy_once(dataset, run_id, &left, &busy, &busy_error);

		if (r < 0 && r != -ENOENT && err)
			*err = busy_error;
		if (!busy || clock_now_ns() >= deadline_ns)
			return r;
		/* The watch first, then once more: a close between the two is not missed. */
		if (closes < 0 && zfs_node_closes(dataset, &closes) == 0)
			continue;
		r = await_close(closes, deadline_ns, patience, err);
		if (r < 0)
			return r;
	}
}

int zfs_destroy_made(const char *dataset, const char *parent, const char *run_id,
		     const struct zfs_patience *patience, struct error *err)
{
	int r = check_names(dataset, parent, run_id, err);

	if (!patience)
		patience = &zfs_patience_ask;
	if (r == 0) /* first: what is not there now may be there in a moment */
		r = zfs_creating_await(dataset, patience, err);
	if (r < 0)
		return r;
	r = destroy(dataset, run_id, patience, err);
	return r == -ENOENT ? check_parent(parent, err) : r;
}
