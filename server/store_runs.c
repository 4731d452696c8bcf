/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_runs.c - the edges of a run's state, its samples, its removal. */
#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"
#include "server/store_private.h"

/* ---- edges ---- */

int store_set_running(struct store *store, const char *id, struct error *err)
{
	struct state_document state = {.state = RUN_RUNNING, .started_wall_ms = clock_wall_ms()};
	unsigned char *have = NULL;
	AUTO_FREE char *text = NULL;
	AUTO_CLOSE int run_fd = -1;
	struct store_entry *entry;
	int r;

	r = store_change_begin(store, id, STATE_BIT(RUN_QUEUED), &entry, err);
	if (r < 0)
		return r;
	have = calloc(have_bytes(entry->samples_total) + 1, 1);
	r = have ? state_document_encode(&state, NULL, &text, err) : error_no_memory(err);
	if (r == 0 && (r = store_open_run(store, id, &run_fd)) < 0)
		r = store_tell(store, r, id, err);
	if (r == 0)
		r = store_keep(store, run_fd, "state.json", text, strlen(text), err);
	if (r == 0) {
		(void)pthread_mutex_lock(&store->lock);
		entry->state = RUN_RUNNING;
		entry->started_wall_ms = state.started_wall_ms;
		entry->have = TAKE_PTR(have);
		(void)pthread_mutex_unlock(&store->lock);
	}
	free(have);
	store_change_end(store, entry, r == 0);
	return r;
}

int store_set_started(struct store *store, const char *id, const char *text, struct error *err)
{
	AUTO_FREE char *document = NULL;
	AUTO_CLOSE int run_fd = -1;
	struct store_entry *entry;
	int r;

	r = started_document_encode(text, &document, err);
	if (r == 0)
		r = store_change_begin(store, id, STATE_BIT(RUN_RUNNING), &entry, err);
	if (r < 0)
		return r;
	r = store_open_run(store, id, &run_fd);
	if (r < 0)
		r = store_tell(store, r, id, err);
	else
		r = store_keep(store, run_fd, "started.json", document, strlen(document), err);
	store_change_end(store, entry, r == 0);
	return r;
}

static int write_sample(struct store *store, const char *id, size_t order, const char *text,
			struct error *err)
{
	AUTO_CLOSE int run_fd = -1, samples_fd = -1;
	char name[SAMPLE_NAME_MAX];
	int r;

	r = store_open_run(store, id, &run_fd);
	if (r == 0)
		r = file_open_directory(run_fd, "samples", &samples_fd);
	if (r < 0)
		return store_tell(store, r, id, err);
	store_sample_name(order, name);
	return store_keep(store, samples_fd, name, text, strlen(text), err);
}

int store_add_sample(struct store *store, const char *id, size_t order, const char *text,
		     struct error *err)
{
	struct store_entry *entry;
	int r;

	r = store_change_begin(store, id, STATE_BIT(RUN_RUNNING), &entry, err);
	if (r < 0)
		return r;
	if (order >= entry->samples_total)
		r = error_set(err, ERROR_OUT_OF_RANGE, "",
			      "sample %zu is not one of the run's %u, which count from 0", order,
			      entry->samples_total);
	else
		r = write_sample(store, id, order, text, err);
	if (r == 0) {
		(void)pthread_mutex_lock(&store->lock);
		entry->samples_done += !have_sample(entry->have, order);
		entry->have[order / 8] |= (unsigned char)(1 << order % 8);
		(void)pthread_mutex_unlock(&store->lock);
	}
	store_change_end(store, entry, r == 0);
	return r;
}

/* In memory: the run has ended. `error` (heap or NULL) is taken. */
static void set_ended(struct store *store, struct store_entry *entry,
		      const struct state_document *state, struct error *error)
{
	(void)pthread_mutex_lock(&store->lock);
	entry->state = state->state;
	entry->ended_wall_ms = state->ended_wall_ms;
	store_entry_set_repeats(entry, &state->repeats);
	free(entry->error);
	entry->error = error;
	(void)pthread_mutex_unlock(&store->lock);
}

/* *ret_error: heap, NULL where there is none. */
static int copy_error(const struct error *why, struct error **ret_error, struct error *err)
{
	*ret_error = NULL;
	if (!why || why->code == ERROR_NONE)
		return 0;
	*ret_error = malloc(sizeof(**ret_error));
	if (!*ret_error)
		return error_no_memory(err);
	**ret_error = *why;
	return 0;
}

static int write_finish(struct store *store, struct store_entry *entry,
			const struct state_document *state, const char *findings, struct error *err)
{
	AUTO_FREE unsigned char *none = NULL;
	AUTO_CLOSE int run_fd = -1;
	int r = store_open_run(store, entry->id, &run_fd);

	if (r < 0)
		return store_tell(store, r, entry->id, err);
	if (!entry->have) { /* it was queued */
		none = calloc(have_bytes(entry->samples_total) + 1, 1);
		if (!none)
			return error_no_memory(err);
	}
	return store_write_end(store, run_fd, state, none ? none : entry->have, findings, err);
}

static int finish(struct store *store, const char *id, enum run_state from, enum run_state state,
		  const char *findings, const struct error *why, struct error *err)
{
	struct state_document end = {.state = state, .ended_wall_ms = clock_wall_ms()};
	struct store_entry *entry;
	struct error *error = NULL;
	int r;

	r = store_change_begin(store, id, STATE_BIT(from), &entry, err);
	if (r < 0)
		return r;
	end.started_wall_ms = entry->started_wall_ms;
	end.samples_done = entry->samples_done;
	if (state == RUN_DONE)
		end.repeats = entry->repeats;
	if (why)
		end.error = *why;
	r = copy_error(why, &error, err);
	if (r == 0)
		r = write_finish(store, entry, &end, findings, err);
	if (r == 0) {
		set_ended(store, entry, &end, TAKE_PTR(error));
		(void)pthread_mutex_lock(&store->lock);
		free(entry->have); /* result.json has the samples */
		entry->have = NULL;
		(void)pthread_mutex_unlock(&store->lock);
	}
	free(error);
	store_change_end(store, entry, r == 0);
	return r;
}

void store_note_repeats(struct store *store, const char *id, const struct repeats_outcome *outcome)
{
	struct store_entry *entry;

	(void)pthread_mutex_lock(&store->lock);
	entry = store_entry_find(store, id);
	if (entry && entry->state == RUN_RUNNING)
		entry->repeats = *outcome;
	(void)pthread_mutex_unlock(&store->lock);
}

int store_finish_run(struct store *store, const char *id, enum run_state state,
		     const char *findings, const struct error *why, struct error *err)
{
	return finish(store, id, RUN_RUNNING, state, findings, why, err);
}

int store_cancel_queued(struct store *store, const char *id, struct error *err)
{
	return finish(store, id, RUN_QUEUED, RUN_CANCELLED, NULL, NULL, err);
}

void store_give_up(struct store *store, const char *id, const struct error *why)
{
	struct state_document end = {.state = RUN_FAILED, .ended_wall_ms = clock_wall_ms()};
	struct store_entry *entry;
	struct error *error = NULL;

	if (store_change_begin_unwritten(store, id, STATE_BIT(RUN_RUNNING), &entry, NULL) < 0)
		return;
	(void)copy_error(why, &error, NULL); /* without memory it failed for no told reason */
	set_ended(store, entry, &end, error);
	store_change_end(store, entry, true);
}

/* ---- removal ---- */

static bool is_gone(struct store *store, const char *id)
{
	AUTO_CLOSE int fd = -1;

	return store_open_run(store, id, &fd) == -ENOENT;
}

int store_remove_run(struct store *store, const char *id, struct error *err)
{
	struct store_entry *entry;
	int r;

	r = store_change_begin(store, id, STATES_ENDED | STATE_BIT(RUN_QUEUED), &entry, err);
	if (r < 0)
		return r;
	(void)pthread_mutex_lock(&store->lock);
	entry->hidden = true;
	(void)pthread_mutex_unlock(&store->lock);
	r = file_remove_tree(store->runs_fd, id);
	/* Where it has lost its name already, what is left is swept at the next start. */
	if (r < 0 && !is_gone(store, id)) {
		r = store_tell(store, r, id, err);
		(void)pthread_mutex_lock(&store->lock);
		entry->hidden = false;
		(void)pthread_mutex_unlock(&store->lock);
		store_change_end(store, entry, false);
		return r;
	}
	store_entry_drop(store, entry);
	if (store->changed_callback)
		store->changed_callback(store->changed_arg, id);
	return 0;
}
