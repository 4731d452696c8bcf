/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_accept.c - runs that are new: to be measured, or imported and done. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "engine/base/clock.h"
#include "server/codec/definition.h"
#include "server/codec/result_text.h"
#include "server/store_private.h"

#define ID_RANDOM_DIGITS 6

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

/* Puts a new run into the index, hidden, or finds the one that came with its key before. */
static int reserve_new(struct store *store, const struct store_new *wanted,
		       struct run_document *run, struct store_entry **ret_entry,
		       struct store_run *ret_run, bool *ret_again, struct error *err)
{
	struct store_entry *known;
	int r = check_new(wanted, err);

	if (r < 0)
		return r;
	if (store_read_only(store))
		return store_tell(store, -EROFS, "", err);
	(void)pthread_mutex_lock(&store->lock);
	known = find_key(store, wanted->key);
	if (known)
		r = again(known, wanted->digest, ret_run, err);
	else
		r = reserve(store, wanted, run, ret_entry, err);
	(void)pthread_mutex_unlock(&store->lock);
	*ret_again = known && r == 0;
	return r;
}

/* From here on the run is there; where it could not be written (r) it never was. */
static int show_new(struct store *store, struct store_entry *entry, int r,
		    struct store_run *ret_run)
{
	if (r < 0) {
		store_entry_drop(store, entry);
		return r;
	}
	(void)pthread_mutex_lock(&store->lock);
	entry->hidden = false;
	store_entry_copy(entry, ret_run);
	(void)pthread_mutex_unlock(&store->lock);
	store_change_end(store, entry, true);
	return 0;
}

int store_add_run(struct store *store, const struct store_new *wanted, struct store_run *ret_run,
		  bool *ret_again, struct error *err)
{
	struct run_document run = {0};
	struct store_entry *entry = NULL;
	int r = reserve_new(store, wanted, &run, &entry, ret_run, ret_again, err);

	if (r < 0 || *ret_again)
		return r;
	r = check_space(store, wanted->samples_total, err);
	if (r == 0)
		r = write_accepted(store, &run, wanted->definition, err);
	return show_new(store, entry, r, ret_run);
}

/* The result, then the state, as at the end of any run. */
static int write_imported(struct store *store, const struct run_document *run,
			  struct result *result, struct error *err)
{
	const struct state_document state = {.state = RUN_DONE,
					     .ended_wall_ms = run->created_wall_ms,
					     .samples_done = run->samples_total};
	AUTO_FREE char *text = NULL, *state_text = NULL;
	AUTO_CLOSE int run_fd = -1;
	size_t size = 0;
	int r;

	(void)snprintf(result->id, sizeof(result->id), "%s", run->id);
	result->created_wall_ms = result->ended_wall_ms = run->created_wall_ms;
	text = result_encode_text(result, &size);
	r = text ? state_document_encode(&state, NULL, &state_text, err) : error_no_memory(err);
	if (r == 0 && (r = store_open_run(store, run->id, &run_fd)) < 0)
		r = store_tell(store, r, run->id, err);
	if (r == 0)
		r = store_keep(store, run_fd, "result.json", text, size, err);
	if (r == 0)
		r = store_keep(store, run_fd, "state.json", state_text, strlen(state_text), err);
	if (r < 0)
		(void)!file_remove_tree(store->runs_fd, run->id); /* else the next start does it */
	return r;
}

int store_add_imported(struct store *store, struct result *result, const char *key,
		       const char *digest, struct store_run *ret_run, bool *ret_again,
		       struct error *err)
{
	AUTO_FREE char *definition = definition_encode_text(&result->definition);
	const struct store_new wanted = {.name = result->definition.name,
					 .definition = definition,
					 .samples_total = result->sample_count,
					 .key = key,
					 .digest = digest};
	struct run_document run = {0};
	struct store_entry *entry = NULL;
	int r;

	if (!definition)
		return error_no_memory(err);
	r = reserve_new(store, &wanted, &run, &entry, ret_run, ret_again, err);
	if (r < 0 || *ret_again)
		return r;
	r = check_space(store, wanted.samples_total, err);
	if (r == 0)
		r = write_accepted(store, &run, definition, err);
	if (r == 0)
		r = write_imported(store, &run, result, err);
	if (r == 0) {
		(void)pthread_mutex_lock(&store->lock);
		entry->state = RUN_DONE;
		entry->ended_wall_ms = run.created_wall_ms;
		entry->samples_done = entry->samples_total;
		(void)pthread_mutex_unlock(&store->lock);
	}
	return show_new(store, entry, r, ret_run);
}
