/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress.c - see progress.h. A list, since few runs are queued or lately ended at a time. */
#include "server/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next;
	char id[RUN_ID_MAX];
	struct progress_state state;
};

struct progress_board {
	pthread_mutex_t lock; /* over all below */
	struct entry *entries;
	size_t count;
	uint64_t seq;
	void (*changed)(void *arg, const char *id);
	void *arg;
};

int progress_board_new(struct progress_board **ret_board)
{
	struct progress_board *board = calloc(1, sizeof(*board));

	if (!board)
		return -ENOMEM;
	(void)pthread_mutex_init(&board->lock, NULL); /* never fails with default attributes */
	*ret_board = board;
	return 0;
}

void progress_board_free(struct progress_board *board)
{
	if (!board)
		return;
	while (board->entries) {
		struct entry *next = board->entries->next;

		free(board->entries);
		board->entries = next;
	}
	(void)pthread_mutex_destroy(&board->lock);
	free(board);
}

/* The link that points at a run's entry, or at the NULL behind the last. Wants the lock. */
static struct entry **find(struct progress_board *board, const char *id)
{
	struct entry **link = &board->entries;

	while (*link && strcmp((*link)->id, id) != 0)
		link = &(*link)->next;
	return link;
}

static void unlink_entry(struct progress_board *board, struct entry **link)
{
	struct entry *entry = *link;

	*link = entry->next;
	board->count--;
	free(entry);
}

/* Takes out the run that has ended the longest time ago. Wants the lock. */
static void forget_oldest(struct progress_board *board)
{
	struct entry **oldest = NULL;

	for (struct entry **link = &board->entries; *link; link = &(*link)->next)
		if ((*link)->state.state > RUN_RUNNING &&
		    (!oldest || (*link)->state.seq < (*oldest)->state.seq))
			oldest = link;
	if (oldest)
		unlink_entry(board, oldest);
}

/* Wants the lock; NULL: no memory. */
static struct entry *find_or_add(struct progress_board *board, const char *id)
{
	struct entry *entry = *find(board, id);

	if (entry)
		return entry;
	if (board->count >= PROGRESS_RUNS_MAX)
		forget_oldest(board);
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return NULL;
	(void)snprintf(entry->id, sizeof(entry->id), "%s", id);
	entry->next = board->entries;
	board->entries = entry;
	board->count++;
	return entry;
}

void progress_publish(struct progress_board *board, const char *id, enum run_state state,
		      const struct progress *progress, uint64_t samples)
{
	void (*changed)(void *arg, const char *id);
	struct entry *entry;
	void *arg;

	(void)pthread_mutex_lock(&board->lock);
	entry = find_or_add(board, id);
	board->seq++;
	if (entry) { /* else the run is shown as the store knows it */
		entry->state.seq = board->seq;
		entry->state.state = state;
		entry->state.samples = samples;
		if (progress) {
			entry->state.known = true;
			entry->state.progress = *progress;
		}
	}
	changed = board->changed;
	arg = board->arg;
	(void)pthread_mutex_unlock(&board->lock);
	if (changed)
		changed(arg, id);
}

void progress_get(struct progress_board *board, const char *id, struct progress_state *ret_state)
{
	const struct entry *entry;

	(void)pthread_mutex_lock(&board->lock);
	entry = *find(board, id);
	if (entry)
		*ret_state = entry->state;
	else
		memset(ret_state, 0, sizeof(*ret_state));
	(void)pthread_mutex_unlock(&board->lock);
}

void progress_forget(struct progress_board *board, const char *id)
{
	struct entry **link;

	(void)pthread_mutex_lock(&board->lock);
	link = find(board, id);
	if (*link)
		unlink_entry(board, link);
	(void)pthread_mutex_unlock(&board->lock);
}

void progress_subscribe(struct progress_board *board, void (*changed)(void *arg, const char *id),
			void *arg)
{
	(void)pthread_mutex_lock(&board->lock);
	board->changed = changed;
	board->arg = arg;
	(void)pthread_mutex_unlock(&board->lock);
}
