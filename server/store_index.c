/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_index.c - the index: every run by number and by id, in two sorted arrays. */
#include <errno.h>
#include <string.h>

#include "server/store_private.h"

/* ---- entries ---- */

struct store_entry *store_entry_new(const struct run_document *run)
{
	struct store_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	memcpy(entry->id, run->id, sizeof(entry->id));
	entry->number = run->number;
	entry->created_wall_ms = run->created_wall_ms;
	entry->samples_total = (uint32_t)run->samples_total;
	entry->newer = run->newer;
	entry->name = strdup(run->name);
	if (run->key[0]) {
		entry->key = strdup(run->key);
		entry->digest = strdup(run->digest);
	}
	if (!entry->name || (run->key[0] && (!entry->key || !entry->digest))) {
		store_entry_free(entry);
		return NULL;
	}
	return entry;
}

void store_entry_free(struct store_entry *entry)
{
	if (!entry)
		return;
	free(entry->name);
	free(entry->key);
	free(entry->digest);
	free(entry->error);
	free(entry->have);
	free(entry);
}

/* The first place in by_id whose id is not below `id`. */
static size_t place_of_id(const struct store *store, const char *id)
{
	size_t low = 0, high = store->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(store->by_id[middle]->id, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first place in by_number whose number is not below `number`. */
static size_t place_of_number(const struct store *store, uint64_t number)
{
	size_t low = 0, high = store->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (store->by_number[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct store_entry *store_entry_find(struct store *store, const char *id)
{
	size_t place = place_of_id(store, id);

	if (place == store->count || strcmp(store->by_id[place]->id, id) != 0)
		return NULL;
	return store->by_id[place];
}

static int make_room(struct store *store)
{
	size_t room = store->room ? store->room * 2 : 64;
	struct store_entry **longer;

	if (store->count < store->room)
		return 0;
	longer = reallocarray(store->by_number, room, sizeof(*longer));
	if (!longer)
		return -ENOMEM;
	store->by_number = longer;
	longer = reallocarray(store->by_id, room, sizeof(*longer));
	if (!longer)
		return -ENOMEM;
	store->by_id = longer;
	store->room = room;
	return 0;
}

static void put_at(struct store_entry **list, size_t count, size_t place, struct store_entry *entry)
{
	memmove(list + place + 1, list + place, (count - place) * sizeof(*list));
	list[place] = entry;
}

static void take_from(struct store_entry **list, size_t count, const struct store_entry *entry)
{
	size_t place = 0;

	while (place < count && list[place] != entry)
		place++;
	if (place < count)
		memmove(list + place, list + place + 1, (count - place - 1) * sizeof(*list));
}

int store_entry_insert(struct store *store, struct store_entry *entry)
{
	int r = make_room(store);

	if (r < 0)
		return r;
	put_at(store->by_number, store->count, place_of_number(store, entry->number), entry);
	put_at(store->by_id, store->count, place_of_id(store, entry->id), entry);
	store->count++;
	if (entry->number > store->last_number)
		store->last_number = entry->number;
	return 0;
}

void store_entry_remove(struct store *store, struct store_entry *entry)
{
	take_from(store->by_number, store->count, entry);
	take_from(store->by_id, store->count, entry);
	store->count--;
}

void store_entry_copy(const struct store_entry *entry, struct store_run *ret_run)
{
	*ret_run = (struct store_run){
		.number = entry->number,
		.state = entry->state,
		.created_wall_ms = entry->created_wall_ms,
		.started_wall_ms = entry->started_wall_ms,
		.ended_wall_ms = entry->ended_wall_ms,
		.samples_done = entry->samples_done,
		.samples_total = entry->samples_total,
		.newer = entry->newer,
		.recovered = entry->recovered,
	};
	memcpy(ret_run->id, entry->id, sizeof(ret_run->id));
	(void)snprintf(ret_run->name, sizeof(ret_run->name), "%s", entry->name);
	if (entry->state == RUN_DONE) /* noted before the run has ended */
		ret_run->repeats = entry->repeats;
	if (entry->error)
		ret_run->error = *entry->error;
}

void store_entry_set_repeats(struct store_entry *entry, const struct repeats_outcome *outcome)
{
	entry->repeats = *outcome;
	if (outcome->end == REPEATS_END_PRECISE)
		entry->samples_total = entry->samples_done;
}

/* ---- reading the index ---- */

int store_get_run(struct store *store, const char *id, struct store_run *ret_run)
{
	const struct store_entry *entry;
	int r = -ENOENT;

	(void)pthread_mutex_lock(&store->lock);
	entry = store_entry_find(store, id);
	if (entry && !entry->hidden) {
		store_entry_copy(entry, ret_run);
		r = 0;
	}
	(void)pthread_mutex_unlock(&store->lock);
	return r;
}

int store_list_runs(struct store *store, enum run_state state, uint64_t cursor, size_t limit,
		    struct store_run **ret_runs, size_t *ret_count, uint64_t *ret_next)
{
	struct store_run *runs = calloc(limit ? limit : 1, sizeof(*runs));
	uint64_t next = 0;
	size_t count = 0, place;

	if (!runs)
		return -ENOMEM;
	(void)pthread_mutex_lock(&store->lock);
	place = cursor ? place_of_number(store, cursor) : store->count;
	while (place > 0) {
		const struct store_entry *entry = store->by_number[--place];

		if (entry->hidden || (state != RUN_STATE_COUNT && entry->state != state))
			continue;
		if (count == limit) { /* there is one more: the next page begins with it */
			next = count ? runs[count - 1].number : 0;
			break;
		}
		store_entry_copy(entry, &runs[count++]);
	}
	(void)pthread_mutex_unlock(&store->lock);
	*ret_runs = runs;
	*ret_count = count;
	*ret_next = next;
	return 0;
}

int store_next_queued(struct store *store, struct store_run *ret_run)
{
	int r = -ENOENT;

	(void)pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < store->count && r < 0; i++) {
		const struct store_entry *entry = store->by_number[i];

		if (entry->hidden || entry->newer || entry->state != RUN_QUEUED)
			continue;
		store_entry_copy(entry, ret_run);
		r = 0;
	}
	(void)pthread_mutex_unlock(&store->lock);
	return r;
}

size_t store_count(struct store *store, enum run_state state)
{
	size_t count = 0;

	(void)pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < store->count; i++)
		count += store->by_number[i]->state == state && !store->by_number[i]->hidden &&
			 !store->by_number[i]->newer;
	(void)pthread_mutex_unlock(&store->lock);
	return count;
}

void store_entry_drop(struct store *store, struct store_entry *entry)
{
	(void)pthread_mutex_lock(&store->lock);
	store_entry_remove(store, entry);
	(void)pthread_cond_broadcast(&store->changed);
	(void)pthread_mutex_unlock(&store->lock);
	store_entry_free(entry);
}
