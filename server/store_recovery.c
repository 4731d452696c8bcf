/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_recovery.c - what is done to the state directory when it is opened.
 *
 * Nothing that was acknowledged is thrown away: a document that cannot be understood is moved to
 * set-aside/ under its run's name and told, one that cannot be read for want of rights or by an I/O
 * error is left where it is and told, and both leave the rest of the service running. Runs in the
 * state `running` are ended as interrupted. Runs that after a crash between mkdir and run.json are
 * only an empty directory were never acknowledged and are removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server/store_private.h"

#define ASIDE_TRIES 1000 /* names tried for what is set aside */

/* ---- setting aside ---- */

/* Moves dirfd/name to set-aside/NEW, NEW.2, ... and tells why. */
static void set_aside(struct store *store, int dirfd, const char *name, const char *as,
		      const char *why)
{
	char free_name[128];
	int r = -EEXIST;

	(void)snprintf(free_name, sizeof(free_name), "%.100s", as);
	for (int i = 2; r == -EEXIST && i < ASIDE_TRIES; i++) {
		r = file_move(dirfd, name, store->aside_fd, free_name);
		if (r == -EEXIST)
			(void)snprintf(free_name, sizeof(free_name), "%.100s.%d", as, i);
	}
	if (r < 0)
		store_note_problem(store, "%s cannot be used (%s) nor moved aside: %s", as, why,
				   strerrordesc_np(-r));
	else
		store_note_problem(store, "moved to set-aside/%s: %s", free_name, why);
}

/* What file_read said of a document that is there: whether the text itself is to blame. */
static bool is_damage(int r)
{
	return r == -EINVAL || r == -EFBIG || r == -EISDIR || r == -ELOOP;
}

static void sweep(struct store *store, int dirfd, const char *what)
{
	unsigned int count = 0;
	int r = file_sweep_temporary(dirfd, &count);

	if (r < 0)
		store_note_problem(store, "temporary files in %s could not be removed: %s", what,
				   strerrordesc_np(-r));
}

static void sweep_below(struct store *store, int run_fd, const char *name, const char *id)
{
	AUTO_CLOSE int fd = openat(run_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		sweep(store, fd, id);
}

/* ---- one run ---- */

struct found {
	const char *id;
	int run_fd;
	struct run_document run;
	struct state_document state;
	unsigned char *have; /* samples; only looked for where it was running */
};

static bool is_empty(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *file;
	bool empty = true;

	if (!directory) {
		if (fd >= 0)
			(void)close(fd);
		return false;
	}
	while (empty && (file = readdir(directory)))
		empty = strcmp(file->d_name, ".") == 0 || strcmp(file->d_name, "..") == 0;
	(void)closedir(directory);
	return empty;
}

/* 0, or a reason not to have this run in the index: told here. -ENOMEM ends the start. */
static int read_accepted(struct store *store, struct found *found)
{
	AUTO_FREE char *text = NULL;
	struct error why = {0};
	size_t size = 0;
	int r = file_read(found->run_fd, "run.json", RUN_TEXT_MAX, &text, &size);

	if (r == -ENOENT && is_empty(found->run_fd)) {
		(void)!file_remove_tree(store->runs_fd, found->id); /* else at the next start */
		return -ENOENT;
	}
	if (r == -ENOMEM)
		return r;
	if (r < 0 && r != -ENOENT && !is_damage(r)) {
		store_note_problem(store, "run %s cannot be read and is not shown: %s", found->id,
				   strerrordesc_np(-r));
		return -EIO;
	}
	if (r < 0)
		(void)error_set_sys(&why, ERROR_SYSTEM, -r, "run.json");
	else
		r = run_document_decode(text, size, &found->run, NULL, &why);
	if (r == 0 && strcmp(found->run.id, found->id) != 0)
		r = error_set(&why, ERROR_BAD_VALUE, "/id", "it is the run \"%s\"", found->run.id);
	if (r < 0 && text && document_is_newer(text, size, "volbench.run", 1)) {
		store_note_problem(store, "run %s is of a newer version and is not shown: %s",
				   found->id, why.message);
		return -EPROTONOSUPPORT;
	}
	if (r < 0 && r != -ENOMEM)
		set_aside(store, store->runs_fd, found->id, found->id, why.message);
	return r;
}

/* Whether a run without state.json has begun all the same: somebody removed the file. */
static bool has_begun(int run_fd)
{
	return faccessat(run_fd, "started.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
	       faccessat(run_fd, "samples", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
	       faccessat(run_fd, "result.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Where there is no state.json to believe, the run is taken for running: end_running asks its
 * result. */
static int read_state(struct store *store, struct found *found)
{
	AUTO_FREE char *text = NULL;
	struct error why = {0};
	char aside[RUN_ID_MAX + 16];
	size_t size = 0;
	int r = file_read(found->run_fd, "state.json", RUN_TEXT_MAX, &text, &size);

	if (r == -ENOENT && found->run.imported && !has_begun(found->run_fd)) {
		(void)!file_remove_tree(store->runs_fd, found->id); /* else at the next start */
		return r; /* nobody was told that it is there */
	}
	if (r == -ENOENT) {
		found->state.state = has_begun(found->run_fd) ? RUN_RUNNING : RUN_QUEUED;
		return 0;
	}
	if (r == 0)
		r = state_document_decode(text, size, &found->state, NULL, &why);
	else if (is_damage(r))
		(void)error_set_sys(&why, ERROR_SYSTEM, -r, "state.json");
	if (r < 0 && text && document_is_newer(text, size, "volbench.state", 1)) {
		found->state = (struct state_document){.state = RUN_INTERRUPTED, .newer = true};
		return 0;
	}
	if (r == 0 || r == -ENOMEM)
		return r;
	if (!why.message[0]) {
		store_note_problem(store, "run %s cannot be read and is not shown: %s", found->id,
				   strerrordesc_np(-r));
		return r;
	}
	(void)snprintf(aside, sizeof(aside), "%s-state.json", found->id);
	set_aside(store, found->run_fd, "state.json", aside, why.message);
	found->state = (struct state_document){.state = RUN_RUNNING};
	return 0;
}

/* Takes a sample that is not JSON out of the way: it would spoil the whole result. */
static int check_samples(struct store *store, struct found *found)
{
	AUTO_CLOSE int fd =
		openat(found->run_fd, "samples", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (size_t order = 0; fd >= 0 && order < found->run.samples_total; order++) {
		AUTO_FREE char *text = NULL;
		char name[SAMPLE_NAME_MAX], aside[RUN_ID_MAX + SAMPLE_NAME_MAX + 16];
		struct error why = {0};
		size_t size = 0;
		int r;

		if (!have_sample(found->have, order))
			continue;
		store_sample_name(order, name);
		r = file_read(fd, name, SAMPLE_TEXT_MAX, &text, &size);
		if (r < 0)
			(void)error_set_sys(&why, ERROR_SYSTEM, -r, "%s", name);
		else
			r = document_check(text, size, &why);
		if (r == 0)
			continue;
		if (r == -ENOMEM)
			return r;
		(void)snprintf(aside, sizeof(aside), "%s-sample-%s", found->id, name);
		set_aside(store, fd, name, aside, why.message);
		found->have[order / 8] &= (unsigned char)~(1 << order % 8);
		found->state.samples_done--;
	}
	return 0;
}

/* When the run was last heard of: its newest file, in wall milliseconds. */
static uint64_t last_sign(const struct found *found)
{
	uint64_t newest = found->state.started_wall_ms ? found->state.started_wall_ms
						       : found->run.created_wall_ms;
	AUTO_CLOSE int fd =
		openat(found->run_fd, "samples", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (size_t order = 0; fd >= 0 && order < found->run.samples_total; order++) {
		char name[SAMPLE_NAME_MAX];
		struct stat status;
		uint64_t at;

		store_sample_name(order, name);
		if (!have_sample(found->have, order) ||
		    fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		at = (uint64_t)status.st_mtim.tv_sec * 1000 +
		     (uint64_t)status.st_mtim.tv_nsec / 1000000;
		if (at > newest)
			newest = at;
	}
	return newest;
}

/* From `running` to interrupted, or to what a result.json says that the crash let be written. */
static int end_running(struct store *store, struct found *found, struct error *err)
{
	AUTO_FREE char *text = NULL;
	struct state_document told = {0};
	size_t size = 0;
	uint64_t count;
	int r;

	r = store_scan_samples(found->run_fd, found->run.samples_total, &found->have, &count);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "samples of run %s", found->id);
	found->state.samples_done = found->run.imported ? found->run.samples_total : count;
	r = check_samples(store, found);
	if (r < 0)
		return error_no_memory(err);
	if (file_read(found->run_fd, "result.json", RESULT_TEXT_MAX, &text, &size) == 0 &&
	    result_head_decode(text, size, &told, NULL) == 0 && told.state > RUN_RUNNING) {
		AUTO_FREE char *state_text = NULL;

		told.samples_done = found->state.samples_done;
		found->state = told;
		r = state_document_encode(&told, NULL, &state_text, err);
		return r < 0 ? r
			     : store_keep(store, found->run_fd, "state.json", state_text,
					  strlen(state_text), err);
	}
	found->state.state = RUN_INTERRUPTED;
	found->state.ended_wall_ms = last_sign(found);
	(void)error_set(&found->state.error, ERROR_INTERRUPTED, "",
			"the service ended while the run was going on; %llu of %llu samples were "
			"finished",
			(unsigned long long)found->state.samples_done,
			(unsigned long long)found->run.samples_total);
	return store_write_end(store, found->run_fd, &found->state, found->have, NULL, err);
}

static int add_to_index(struct store *store, const struct found *found, bool recovered,
			struct error *err)
{
	struct store_entry *entry = store_entry_new(&found->run);

	if (!entry)
		return error_no_memory(err);
	entry->state = found->state.state;
	entry->started_wall_ms = found->state.started_wall_ms;
	entry->ended_wall_ms = found->state.ended_wall_ms;
	entry->samples_done = (uint32_t)found->state.samples_done;
	store_entry_set_repeats(entry, &found->state.repeats);
	entry->newer |= found->state.newer;
	entry->recovered = recovered;
	if (found->state.error.code != ERROR_NONE) {
		entry->error = malloc(sizeof(*entry->error));
		if (entry->error)
			*entry->error = found->state.error;
	}
	if ((found->state.error.code != ERROR_NONE && !entry->error) ||
	    store_entry_insert(store, entry) < 0) {
		store_entry_free(entry);
		return error_no_memory(err);
	}
	return 0;
}

/* Of a run in the state `running`: nothing is, at the start. */
static int recover_running(struct store *store, struct found *found)
{
	struct error why = {0};
	int r;

	if (found->run.newer || found->state.newer) {
		found->state.state = RUN_INTERRUPTED; /* in memory only */
		return 0;
	}
	sweep_below(store, found->run_fd, "samples", found->id);
	r = end_running(store, found, &why);
	if (r < 0 && r != -ENOMEM) { /* a full disk: shown from its parts, tried again next time */
		store_note_problem(store, "the end of run %s could not be written: %s", found->id,
				   why.message);
		found->state.state = RUN_INTERRUPTED;
	}
	return r == -ENOMEM ? r : 0;
}

/* Of a run that has ended: a result that is none is put aside, and made again of its parts. */
static void check_result(struct store *store, const struct found *found)
{
	char aside[RUN_ID_MAX + 16];

	if (found->run.newer || found->state.newer || found->state.state <= RUN_RUNNING ||
	    store_look_at_result(found->run_fd) != -EBADMSG)
		return;
	(void)snprintf(aside, sizeof(aside), "%s-result.json", found->id);
	set_aside(store, found->run_fd, "result.json", aside, "it is no whole volbench.result");
}

static int recover_open_run(struct store *store, struct found *found, struct error *err)
{
	bool running;
	int r;

	sweep(store, found->run_fd, found->id);
	sweep_below(store, found->run_fd, "report", found->id);
	r = read_accepted(store, found);
	if (r == 0)
		r = read_state(store, found);
	if (r < 0) /* told already; the others are not held up by it */
		return r == -ENOMEM ? error_no_memory(err) : 0;
	running = found->state.state == RUN_RUNNING;
	check_result(store, found);
	if (running && recover_running(store, found) < 0)
		return error_no_memory(err);
	return add_to_index(store, found, running && !found->run.newer && !found->state.newer, err);
}

static int recover_run(struct store *store, const char *id, struct error *err)
{
	struct found found = {.id = id, .run_fd = -1};
	int r = store_open_run(store, id, &found.run_fd);

	if (r < 0) {
		store_note_problem(store, "run %s cannot be opened and is not shown: %s", id,
				   strerrordesc_np(-r));
		return 0;
	}
	r = recover_open_run(store, &found, err);
	free(found.have);
	(void)close(found.run_fd);
	return r;
}

/* ---- all of it ---- */

/* Calls each(name) for every name of a directory: gathered first, since what is called changes it.
 */
static int for_each_name(int dirfd,
			 int (*each)(struct store *store, const char *name, struct error *err),
			 struct store *store, struct error *err)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *file;
	char **names = NULL;
	size_t count = 0, room = 0;
	int r = 0;

	if (!directory) {
		r = error_set_sys(err, ERROR_SYSTEM, errno, "the state directory");
		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	while (r == 0 && (file = readdir(directory))) {
		if (file->d_name[0] == '.')
			continue;
		if (count == room) {
			char **longer = reallocarray(names, room ? room * 2 : 64, sizeof(*names));

			if (!longer) {
				r = error_no_memory(err);
				break;
			}
			names = longer;
			room = room ? room * 2 : 64;
		}
		names[count] = strdup(file->d_name);
		if (names[count])
			count++;
		else
			r = error_no_memory(err);
	}
	(void)closedir(directory);
	for (size_t i = 0; i < count; i++) {
		if (r == 0)
			r = each(store, names[i], err);
		free(names[i]);
	}
	free(names);
	return r;
}

static int recover_name(struct store *store, const char *name, struct error *err)
{
	if (store_id_ok(name))
		return recover_run(store, name, err);
	store_note_problem(store, "runs/%.100s is not a run and is left alone", name);
	return 0;
}

static int check_definition(struct store *store, const char *name, struct error *err)
{
	AUTO_FREE char *text = NULL;
	struct error why = {0};
	size_t size = 0;
	int r = file_read(store->definitions_fd, name, RUN_TEXT_MAX, &text, &size);

	if (r == -ENOMEM)
		return error_no_memory(err);
	if (r < 0)
		(void)error_set_sys(&why, ERROR_SYSTEM, -r, "the definition");
	else
		r = document_check(text, size, &why);
	if (r == -ENOMEM)
		return error_no_memory(err);
	if (r < 0 && r != -EIO && r != -EACCES)
		set_aside(store, store->definitions_fd, name, name, why.message);
	else if (r < 0)
		store_note_problem(store, "definitions/%.100s: %s", name, why.message);
	return 0;
}

int store_recover(struct store *store, struct error *err)
{
	int r;

	sweep(store, store->dirfd, "the state directory");
	sweep(store, store->runs_fd, "runs");
	sweep(store, store->definitions_fd, "definitions");
	store_forget_studies(store);
	r = for_each_name(store->runs_fd, recover_name, store, err);
	if (r == 0)
		r = for_each_name(store->definitions_fd, check_definition, store, err);
	return r;
}
