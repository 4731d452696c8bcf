/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c - opening, the index, and who may change a run. See store_private.h for the rest. */
#include "server/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "engine/base/clock.h"
#include "server/store_private.h"

#define LOCK_ASK_MS 20 /* between two tries at the lock */

/* ---- errors ---- */

int store_not_found(const char *id, struct error *err)
{
	(void)error_set(err, ERROR_NOT_FOUND, "", "there is no run \"%s\"", id);
	return -ENOENT;
}

static int tell_read_only(struct error *err)
{
	(void)error_set(err, ERROR_READ_ONLY, "",
			"the state directory could not be written; the service only reads until it "
			"is started again");
	return -EROFS;
}

int store_tell(struct store *store, int r, const char *what, struct error *err)
{
	switch (r) {
	case -EIO:
	case -EROFS:
		atomic_store(&store->read_only, true);
		return tell_read_only(err);
	case -ENOSPC:
	case -EDQUOT:
		return error_set_sys(err, ERROR_STORAGE_FULL, -r, "the state directory is full");
	case -ENOMEM:
		return error_no_memory(err);
	default:
		return error_set_sys(err, ERROR_SYSTEM, -r, "%s", what);
	}
}

int store_keep(struct store *store, int dirfd, const char *name, const char *text, size_t size,
	       struct error *err)
{
	int r;

	if (atomic_load(&store->read_only))
		return tell_read_only(err);
	r = file_write(dirfd, name, text, size, 0600);
	if (r == -EIO) /* a new file: the old one's pages may be marked clean with wrong data */
		r = file_write(dirfd, name, text, size, 0600);
	return r < 0 ? store_tell(store, r, name, err) : 0;
}

void store_note_problem(struct store *store, const char *format, ...)
{
	char text[ERROR_MESSAGE_MAX];
	char **longer, *copy;
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments); /* a cut sentence is still one */
	va_end(arguments);
	copy = strdup(text);
	longer = realloc(store->problems, (store->problem_count + 1) * sizeof(*longer));
	if (longer)
		store->problems = longer;
	if (!copy || !longer) { /* nothing is lost but the sentence */
		free(copy);
		return;
	}
	store->problems[store->problem_count++] = copy;
}

size_t store_problem_count(const struct store *store)
{
	return store->problem_count;
}

const char *store_problem(const struct store *store, size_t index)
{
	return store->problems[index];
}

bool store_read_only(struct store *store)
{
	return atomic_load(&store->read_only);
}

void store_on_change(struct store *store, void (*changed)(void *arg, const char *id), void *arg)
{
	store->changed_callback = changed;
	store->changed_arg = arg;
}

bool store_id_ok(const char *id)
{
	static const char pattern[] = "dddddddd-dddddd-xxxxxx";

	if (strlen(id) != sizeof(pattern) - 1)
		return false;
	for (size_t i = 0; pattern[i]; i++) {
		bool digit = id[i] >= '0' && id[i] <= '9';

		if (pattern[i] == '-' ? id[i] != '-'
				      : !digit && (pattern[i] == 'd' || id[i] < 'a' || id[i] > 'z'))
			return false;
	}
	return true;
}

/* ---- changes ---- */

static int refuse_state(const struct store_entry *entry, struct error *err)
{
	if (entry->state == RUN_RUNNING)
		(void)error_set(err, ERROR_RUN_ACTIVE, "", "the run is going on; cancel it first");
	else if (entry->state == RUN_QUEUED)
		(void)error_set(err, ERROR_NOT_FINISHED, "", "the run has not begun yet");
	else
		(void)error_set(err, ERROR_ALREADY_FINISHED, "", "the run has ended already (%s)",
				run_state_names[entry->state]);
	return -EBUSY;
}

static int may_change(const struct store_entry *entry, const char *id, unsigned int states,
		      struct error *err)
{
	if (!entry)
		return store_not_found(id, err);
	if (entry->newer)
		return error_set(err, ERROR_UNSUPPORTED_SCHEMA, "",
				 "a newer version of this program stored the run; here it can only "
				 "be read");
	if (!(STATE_BIT(entry->state) & states))
		return refuse_state(entry, err);
	return 0;
}

int store_change_begin_unwritten(struct store *store, const char *id, unsigned int states,
				 struct store_entry **ret_entry, struct error *err)
{
	struct store_entry *entry;
	int r;

	(void)pthread_mutex_lock(&store->lock);
	/* An entry may be gone after the waiting: it is found anew. */
	while ((entry = store_entry_find(store, id)) && entry->busy)
		(void)pthread_cond_wait(&store->changed, &store->lock);
	r = may_change(entry, id, states, err);
	if (r == 0)
		entry->busy = true;
	(void)pthread_mutex_unlock(&store->lock);
	*ret_entry = entry;
	return r;
}

int store_change_begin(struct store *store, const char *id, unsigned int states,
		       struct store_entry **ret_entry, struct error *err)
{
	if (atomic_load(&store->read_only))
		return tell_read_only(err);
	return store_change_begin_unwritten(store, id, states, ret_entry, err);
}

void store_change_end(struct store *store, struct store_entry *entry, bool changed)
{
	char id[RUN_ID_MAX];

	memcpy(id, entry->id, sizeof(id)); /* once it is not busy, another may remove it */
	(void)pthread_mutex_lock(&store->lock);
	entry->busy = false;
	(void)pthread_cond_broadcast(&store->changed);
	(void)pthread_mutex_unlock(&store->lock);
	if (changed && store->changed_callback)
		store->changed_callback(store->changed_arg, id);
}

/* ---- opening ---- */

static int take_lock(struct store *store, const char *directory, uint64_t wait_ms,
		     struct error *err)
{
	uint64_t deadline_ns = clock_now_ns() + wait_ms * NS_PER_MS;
	const struct timespec pause = {.tv_nsec = LOCK_ASK_MS * (long)NS_PER_MS};

	store->lock_fd =
		openat(store->dirfd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (store->lock_fd < 0)
		return error_set_sys(err, ERROR_SYSTEM, errno, "%s/lock", directory);
	while (flock(store->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return error_set_sys(err, ERROR_SYSTEM, errno, "%s/lock", directory);
		if (clock_now_ns() >= deadline_ns)
			return error_set_sys(err, ERROR_SYSTEM, EWOULDBLOCK,
					     "another service uses the state directory %s; "
					     "what is to be kept there is posted to it",
					     directory);
		(void)nanosleep(&pause, NULL); /* flock has no deadline of its own */
	}
	return 0;
}

static int open_directories(struct store *store, struct error *err)
{
	static const char *const names[] = {"runs", "definitions", "studies", "set-aside"};
	int *const fds[] = {&store->runs_fd, &store->definitions_fd, &store->studies_fd,
			    &store->aside_fd};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int r = file_open_directory(store->dirfd, names[i], fds[i]);

		if (r < 0)
			return store_tell(store, r, names[i], err);
	}
	return 0;
}

static struct store *new_store(void)
{
	struct store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->dirfd = store->runs_fd = store->definitions_fd = store->studies_fd =
		store->aside_fd = store->lock_fd = -1;
	atomic_init(&store->read_only, false);
	/* Neither fails with default attributes on Linux. */
	(void)pthread_mutex_init(&store->lock, NULL);
	(void)pthread_cond_init(&store->changed, NULL);
	return store;
}

int store_open(const char *directory, uint64_t lock_wait_ms, struct store **ret_store,
	       struct error *err)
{
	struct store *store = new_store();
	int r;

	if (!store)
		return error_no_memory(err);
	r = file_open_directory_path(directory, &store->dirfd);
	if (r < 0)
		r = error_set_sys(err, ERROR_SYSTEM, -r, "the state directory %s", directory);
	if (r == 0)
		r = take_lock(store, directory, lock_wait_ms, err);
	if (r == 0)
		r = open_directories(store, err);
	if (r == 0)
		r = store_recover(store, err);
	if (r < 0) {
		store_close(store);
		return r;
	}
	*ret_store = store;
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		(void)close(fd); /* directories, and the lock, which this gives back */
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < store->count; i++)
		store_entry_free(store->by_number[i]);
	free(store->by_number);
	free(store->by_id);
	for (size_t i = 0; i < store->problem_count; i++)
		free(store->problems[i]);
	free(store->problems);
	close_fd(store->runs_fd);
	close_fd(store->definitions_fd);
	close_fd(store->studies_fd);
	close_fd(store->aside_fd);
	close_fd(store->dirfd);
	close_fd(store->lock_fd);
	(void)pthread_cond_destroy(&store->changed);
	(void)pthread_mutex_destroy(&store->lock);
	free(store);
}
