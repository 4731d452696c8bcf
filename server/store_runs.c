/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_runs.c - acceptance, the edges of a run's state, its samples, its removal. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "engine/base/clock.h"
#include "server/store_private.h"

#define ID_RANDOM_DIGITS 6

/* ---- acceptance ---- */

int store_id_make(uint64_t wall_ms, char ret_id[RUN_ID_MAX])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	time_t seconds = (time_t)(wall_ms / 1000);
	uint64_t number;
	struct tm parts;
	size_t length;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return errno ? -errno : -EIO;
	if (!gmtime_r(&seconds, &parts))
		return -EOVERFLOW;
	length = strftime(ret_id, RUN_ID_MAX, "%Y%m%d-%H%M%S-", &parts);
	for (size_t i = 0; i < ID_RANDOM_DIGITS; i++) {
		ret_id[length++] = digits[number % 36];
		number /= 36;
	}
	ret_id[length] = '\0';
	return store_id_ok(ret_id) ? 0 : -EOVERFLOW; /* a clock beyond the year 9999 */
}

static int check_space(struct store *store, uint64_t samples_total, struct error *err)
{
	uint64_t wanted = STORE_RESERVE_BYTES + samples_total * STORE_SAMPLE_BYTES, free_bytes;
	int r = file_free_bytes(store->runs_fd, &free_bytes);

	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "the state directory");
	if (free_bytes >= wanted)
		return 0;
	(void)error_set(err, ERROR_STORAGE_FULL, "",
			"the state directory has %llu MiB free; %llu MiB are needed to keep what "
			"the run measures",
			(unsigned long long)(free_bytes >> 20), (unsigned long long)(wanted >> 20));
	return -ENOSPC;
}

static int check_new(const struct store_new *wanted, struct error *err)
{
	if (wanted->samples_total > DEFINITION_SAMPLES_MAX ||
	    strlen(wanted->name) > DEFINITION_NAME_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "a run has at most %d samples and a name of %d bytes",
				 DEFINITION_SAMPLES_MAX, DEFINITION_NAME_MAX);
	if (wanted->key && (!wanted->key[0] || strlen(wanted->key) > STORE_KEY_MAX ||
			    !wanted->digest || strlen(wanted->digest) > STORE_KEY_MAX))
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "an Idempotency-Key has 1 to %d bytes", STORE_KEY_MAX);
	return 0;
}

/* Wants the lock, which it gives up while another thread accepts a run with this key. */
static struct store_entry *find_key(struct store *store, const char *key)
{
	size_t i = 0;

	while (key && i < store->count) {
		struct store_entry *entry = store->by_number[i++];

		if (!entry->key || strcmp(entry->key, key) != 0)
			continue;
		if (!entry->hidden)
			return entry;
		(void)pthread_cond_wait(&store->changed, &store->lock);
		i = 0; /* accepted, failed or removed: the index may be another */
	}
	return NULL;
}

static int again(const struct store_entry *entry, const char *digest, struct store_run *ret_run,
		 struct error *err)
{
	if (strcmp(entry->digest, digest) != 0) {
		(void)error_set(err, ERROR_IDEMPOTENCY_MISMATCH, "",
				"this Idempotency-Key came before with another body, for run %s",
				entry->id);
		return -EEXIST;
	}
	store_entry_copy(entry, ret_run);
	return 0;
}

int store_find_key(struct store *store, const char *key, const char *digest,
		   struct store_run *ret_run, struct error *err)
{
	struct store_entry *known;
	int r = -ENOENT;

	(void)pthread_mutex_lock(&store->lock);
	known = find_key(store, key);
	if (known)
		r = again(known, digest, ret_run, err);
	(void)pthread_mutex_unlock(&store->lock);
	return r;
}

static size_t count_queued(const struct store *store)
{
	size_t count = 0;

	for (size_t i = 0; i < store->count; i++)
		count += store->by_number[i]->state == RUN_QUEUED && !store->by_number[i]->newer;
	return count;
}

/* Puts a hidden, busy entry into the index. Wants the lock. */
static int reserve(struct store *store, const struct store_new *wanted, struct run_document *run,
		   struct store_entry **ret_entry, struct error *err)
{
	struct store_entry *entry;
	int r = 0;

	if (wanted->queued_max && count_queued(store) >= wanted->queued_max) {
		(void)error_set(err, ERROR_QUEUE_FULL, "",
				"%zu runs are queued already; try again when one has ended",
				wanted->queued_max);
		return -EBUSY;
	}
	run->created_wall_ms = clock_wall_ms();
	run->number = store->last_number + 1;
	run->samples_total = wanted->samples_total;
	(void)snprintf(run->name, sizeof(run->name), "%s", wanted->name);
	(void)snprintf(run->key, sizeof(run->key), "%s", wanted->key ? wanted->key : "");
	(void)snprintf(run->digest, sizeof(run->digest), "%s", wanted->key ? wanted->digest : "");
	do
		r = store_id_make(run->created_wall_ms, run->id);
	while (r == 0 && store_entry_find(store, run->id));
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "a new run's id");
	entry = store_entry_new(run);
	if (!entry || store_entry_insert(store, entry) < 0) {
		store_entry_free(entry);
		return error_no_memory(err);
	}
	entry->busy = entry->hidden = true;
	*ret_entry = entry;
	return 0;
}

static int write_accepted(struct store *store, const struct run_document *run,
			  const char *definition, struct error *err)
{
	AUTO_FREE char *text = NULL;
	AUTO_CLOSE int run_fd = -1;
	int r;

	r = run_document_encode(run, definition, &text, err);
	if (r < 0)
		return r;
	r = file_open_directory(store->runs_fd, run->id, &run_fd);
	if (r < 0)
		r = store_tell(store, r, run->id, err);
	else
		r = store_keep(store, run_fd, "run.json", text, strlen(text), err);
	if (r < 0)
		(void)!file_remove_tree(store->runs_fd, run->id); /* else the next start does it */
	return r;
}

/* Takes an entry out of the index for good. */
static void drop(struct store *store, struct store_entry *entry)
{
	(void)pthread_mutex_lock(&store->lock);
	store_entry_remove(store, entry);
	(void)pthread_cond_broadcast(&store->changed);
	(void)pthread_mutex_unlock(&store->lock);
	store_entry_free(entry);
}

int store_add_run(struct store *store, const struct store_new *wanted, struct store_run *ret_run,
		  bool *ret_again, struct error *err)
{
	struct run_document run = {0};
	struct store_entry *entry = NULL, *known;
	int r;

	r = check_new(wanted, err);
	if (r < 0)
		return r;
	if (store_read_only(store))
		return store_tell(store, -EROFS, "", err);
	(void)pthread_mutex_lock(&store->lock);
	known = find_key(store, wanted->key);
	if (known)
		r = again(known, wanted->digest, ret_run, err);
	else
		r = reserve(store, wanted, &run, &entry, err);
	(void)pthread_mutex_unlock(&store->lock);
	if (known || r < 0) {
		*ret_again = r == 0;
		return r;
	}
	r = check_space(store, wanted->samples_total, err);
	if (r == 0)
		r = write_accepted(store, &run, wanted->definition, err);
	if (r < 0) {
		drop(store, entry);
		return r;
	}
	(void)pthread_mutex_lock(&store->lock);
	entry->hidden = false;
	store_entry_copy(entry, ret_run);
	(void)pthread_mutex_unlock(&store->lock);
	*ret_again = false;
	store_change_end(store, entry, true);
	return 0;
}

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
	drop(store, entry);
	if (store->changed_callback)
		store->changed_callback(store->changed_arg, id);
	return 0;
}
