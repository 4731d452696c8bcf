/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_documents.c - a run's documents: read, composed into a result, written at its end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "server/store_private.h"

static int tell_unreadable(int r, const char *what, struct error *err)
{
	if (r == -ENOMEM)
		return error_no_memory(err);
	return error_set_sys(err, ERROR_SYSTEM, -r, "%s could not be read", what);
}

int store_open_run(struct store *store, const char *id, int *ret_dirfd)
{
	int fd;

	if (!store_id_ok(id))
		return -ENOENT;
	fd = openat(store->runs_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_dirfd = fd;
	return 0;
}

static int open_samples(int run_fd, int *ret_dirfd)
{
	int fd = openat(run_fd, "samples", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret_dirfd = fd;
	return 0;
}

void store_sample_name(size_t order, char name[SAMPLE_NAME_MAX])
{
	(void)snprintf(name, SAMPLE_NAME_MAX, "%05zu.json", order % 100000);
}

/* The order a sample's file name tells; false where it is another file. */
static bool order_of(const char *name, uint64_t samples_total, size_t *ret_order)
{
	char again[SAMPLE_NAME_MAX];
	size_t order = (size_t)strtoul(name, NULL, 10);

	if (order >= samples_total)
		return false;
	store_sample_name(order, again);
	*ret_order = order;
	return strcmp(name, again) == 0;
}

int store_scan_samples(int run_fd, uint64_t samples_total, unsigned char **ret_have,
		       uint64_t *ret_count)
{
	unsigned char *have = calloc(have_bytes(samples_total) + 1, 1);
	const struct dirent *file;
	uint64_t count = 0;
	size_t order;
	DIR *directory;
	int fd = -1, r;

	if (!have)
		return -ENOMEM;
	r = open_samples(run_fd, &fd);
	if (r == 0) {
		directory = fdopendir(fd);
		if (!directory) {
			r = -errno;
			(void)close(fd);
			free(have);
			return r;
		}
		while ((file = readdir(directory)))
			if (order_of(file->d_name, samples_total, &order)) {
				have[order / 8] |= (unsigned char)(1 << order % 8);
				count++;
			}
		(void)closedir(directory);
	} else if (r != -ENOENT) {
		free(have);
		return r;
	}
	*ret_have = have;
	*ret_count = count;
	return 0;
}

int store_read_run(int run_fd, struct run_document *ret_run, char **ret_definition,
		   struct error *err)
{
	AUTO_FREE char *text = NULL;
	size_t size = 0;
	int r = file_read(run_fd, "run.json", RUN_TEXT_MAX, &text, &size);

	if (r < 0) {
		(void)tell_unreadable(r, "run.json", err);
		return r;
	}
	return run_document_decode(text, size, ret_run, ret_definition, err);
}

/* ---- results ---- */

static int append_samples(FILE *out, int run_fd, const unsigned char *have, uint64_t samples_total,
			  struct error *err)
{
	AUTO_CLOSE int samples_fd = -1;
	const char *separator = "";
	int r = open_samples(run_fd, &samples_fd);

	if (r < 0)
		return r == -ENOENT ? 0 : tell_unreadable(r, "samples", err);
	for (size_t order = 0; order < samples_total; order++) {
		AUTO_FREE char *text = NULL;
		char name[SAMPLE_NAME_MAX];
		size_t size = 0;

		if (!have_sample(have, order))
			continue;
		store_sample_name(order, name);
		r = file_read(samples_fd, name, SAMPLE_TEXT_MAX, &text, &size);
		if (r < 0)
			return tell_unreadable(r, name, err);
		while (size > 0 && text[size - 1] == '\n')
			size--;
		/* What a memory stream could not take is told when it is closed. */
		(void)fputs(separator, out);
		(void)fwrite(text, 1, size, out);
		separator = ",";
	}
	return 0;
}

static int read_started(int run_fd, char **ret_text, struct error *err)
{
	int r = file_read(run_fd, "started.json", RUN_TEXT_MAX, ret_text, NULL);

	if (r == -ENOENT) {
		*ret_text = NULL;
		return 0;
	}
	return r < 0 ? tell_unreadable(r, "started.json", err) : 0;
}

static int compose_head(int run_fd, const struct state_document *state, const char *findings,
			char **ret_text, uint64_t *ret_samples_total, struct error *err)
{
	AUTO_FREE char *definition = NULL, *started = NULL;
	struct run_document run;
	int r;

	r = store_read_run(run_fd, &run, &definition, err);
	if (r == 0)
		r = read_started(run_fd, &started, err);
	if (r == 0)
		r = result_head_encode(&run, definition, state, started, findings, ret_text, err);
	if (r == 0)
		*ret_samples_total = run.samples_total;
	return r;
}

int store_compose(int run_fd, const struct state_document *state, const unsigned char *have,
		  const char *findings, char **ret_text, size_t *ret_size, struct error *err)
{
	AUTO_FREE char *head = NULL;
	char *text = NULL;
	uint64_t samples_total = 0;
	size_t size;
	FILE *out;
	int r;

	r = compose_head(run_fd, state, findings, &head, &samples_total, err);
	if (r < 0)
		return r;
	out = open_memstream(&text, &size);
	if (!out)
		return error_no_memory(err);
	(void)fputs(head, out); /* looked at below, as all writing */
	r = append_samples(out, run_fd, have, samples_total, err);
	(void)fputs(RESULT_TAIL, out);
	if (ferror(out) && r == 0)
		r = error_no_memory(err);
	if (fclose(out) != 0 && r == 0)
		r = error_no_memory(err);
	if (r < 0) {
		free(text);
		return r;
	}
	*ret_text = text;
	*ret_size = size;
	return 0;
}

int store_write_end(struct store *store, int run_fd, const struct state_document *state,
		    const unsigned char *have, const char *findings, struct error *err)
{
	AUTO_FREE char *result = NULL, *text = NULL;
	size_t size = 0;
	int r;

	r = store_compose(run_fd, state, have, findings, &result, &size, err);
	if (r == 0)
		r = state_document_encode(state, findings, &text, err);
	if (r == 0)
		r = store_keep(store, run_fd, "result.json", result, size, err);
	if (r == 0)
		r = store_keep(store, run_fd, "state.json", text, strlen(text), err);
	return r;
}

/* What a reader of a result must know of a run, copied out of the index. have: NULL where the run's
 * result.json is there. */
static int copy_of_run(struct store *store, const char *id, struct state_document *ret_state,
		       unsigned char **ret_have, struct error *err)
{
	const struct store_entry *entry;
	int r = 0;

	(void)pthread_mutex_lock(&store->lock);
	entry = store_entry_find(store, id);
	if (!entry || entry->hidden) {
		r = store_not_found(id, err);
	} else {
		*ret_state = (struct state_document){
			.state = entry->state,
			.started_wall_ms = entry->started_wall_ms,
			.ended_wall_ms = entry->ended_wall_ms,
			.samples_done = entry->samples_done,
		};
		if (entry->state == RUN_DONE) /* noted before the run has ended */
			ret_state->repeats = entry->repeats;
		if (entry->error)
			ret_state->error = *entry->error;
		if (entry->have) {
			*ret_have = malloc(have_bytes(entry->samples_total) + 1);
			if (*ret_have)
				memcpy(*ret_have, entry->have, have_bytes(entry->samples_total));
			else
				r = error_no_memory(err);
		}
	}
	(void)pthread_mutex_unlock(&store->lock);
	return r;
}

/* Reads as much as is there of `size` bytes at an offset, and ends it with a NUL. */
static void read_at(int fd, off_t offset, char *buffer, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, buffer, size, offset);
	while (n < 0 && errno == EINTR);
	buffer[n < 0 ? 0 : n] = '\0';
}

int store_look_at_result(int run_fd)
{
	static const char head[] = "{\"schema\":\"volbench.result/", version[] = "1\"";
	AUTO_CLOSE int fd =
		openat(run_fd, "result.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char start[sizeof(head) + sizeof(version)], end[sizeof(RESULT_TAIL)];
	struct stat status;

	if (fd < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size < (off_t)sizeof(start))
		return -EBADMSG;
	read_at(fd, 0, start, sizeof(start) - 1);
	if (strncmp(start, head, sizeof(head) - 1) != 0)
		return -EBADMSG;
	if (strncmp(start + sizeof(head) - 1, version, sizeof(version) - 1) != 0)
		return 0; /* of a newer program, which knows how it ends */
	read_at(fd, status.st_size - (off_t)(sizeof(end) - 1), end, sizeof(end) - 1);
	return strcmp(end, RESULT_TAIL) == 0 ? 0 : -EBADMSG;
}

/* The result of an ended run whose result.json somebody removed or damaged. */
static int compose_again(int run_fd, const struct state_document *state, char **ret_text,
			 size_t *ret_size, struct error *err)
{
	AUTO_FREE unsigned char *have = NULL;
	AUTO_FREE char *text = NULL, *findings = NULL;
	struct state_document stored;
	struct run_document run;
	uint64_t count;
	size_t size;
	int r;

	r = store_read_run(run_fd, &run, NULL, err);
	if (r == 0 && store_scan_samples(run_fd, run.samples_total, &have, &count) < 0)
		r = error_set(err, ERROR_SYSTEM, "", "the run's samples could not be read");
	/* Without its state.json there are no findings of its end. */
	if (r == 0 && file_read(run_fd, "state.json", RUN_TEXT_MAX, &text, &size) == 0 &&
	    state_document_decode(text, size, &stored, &findings, NULL) < 0)
		findings = NULL;
	return r < 0 ? r : store_compose(run_fd, state, have, findings, ret_text, ret_size, err);
}

int store_result(struct store *store, const char *id, char **ret_text, size_t *ret_size,
		 struct error *err)
{
	AUTO_FREE unsigned char *have = NULL;
	AUTO_CLOSE int run_fd = -1;
	struct state_document state = {0};
	int r;

	r = copy_of_run(store, id, &state, &have, err);
	if (r < 0)
		return r;
	if (state.state == RUN_QUEUED) {
		(void)error_set(err, ERROR_NOT_FINISHED, "",
				"the run has not begun yet, so it has no result");
		return -EAGAIN;
	}
	r = store_open_run(store, id, &run_fd);
	if (r < 0)
		return store_not_found(id, err); /* removed this moment */
	if (have)
		return store_compose(run_fd, &state, have, NULL, ret_text, ret_size, err);
	r = store_look_at_result(run_fd);
	if (r == 0)
		r = file_read(run_fd, "result.json", RESULT_TEXT_MAX, ret_text, ret_size);
	if (r == -ENOENT || r == -EBADMSG)
		return compose_again(run_fd, &state, ret_text, ret_size, err);
	return r < 0 ? tell_unreadable(r, "result.json", err) : 0;
}

int store_definition_of(struct store *store, const char *id, char **ret_text)
{
	AUTO_CLOSE int run_fd = -1;
	struct run_document run;
	int r = store_open_run(store, id, &run_fd);

	return r < 0 ? r : store_read_run(run_fd, &run, ret_text, NULL);
}

/* ---- reports ---- */

int store_open_report(struct store *store, const char *id, int *ret_dirfd)
{
	AUTO_CLOSE int run_fd = -1;
	int r = store_open_run(store, id, &run_fd);

	return r < 0 ? r : file_open_directory(run_fd, "report", ret_dirfd);
}

int store_read_report(struct store *store, const char *id, const char *name, char **ret_data,
		      size_t *ret_size)
{
	AUTO_CLOSE int run_fd = -1, report_fd = -1;
	int r;

	if (!file_name_ok(name))
		return -ENOENT;
	r = store_open_run(store, id, &run_fd);
	if (r < 0)
		return r;
	report_fd = openat(run_fd, "report", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (report_fd < 0)
		return -errno;
	return file_read(report_fd, name, REPORT_FILE_MAX, ret_data, ret_size);
}
