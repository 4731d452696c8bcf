/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stored.c - see stored.h. */
#include "server/stored.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "server/store.h"

#define RESULT_FILE "result.json"
#define RESULT_MAX ((size_t)4 << 30) /* bytes: of a run of 10,000 samples some hundreds of MB */
#define READ_STEP ((size_t)1 << 20)

/* To its end, whatever it is: a file, a pipe. */
static int read_stream(FILE *in, const char *name, size_t most, char **ret_text, size_t *ret_size,
		       struct error *err)
{
	AUTO_FREE char *text = NULL;
	size_t size = 0, room = 0, step = READ_STEP, n;

	do {
		char *grown;

		if (room - size < READ_STEP) {
			grown = realloc(text, room + step + 1);
			if (!grown)
				return error_no_memory(err);
			text = grown;
			room += step;
			step *= 2;
		}
		n = fread(text + size, 1, room - size, in);
		size += n;
		if (size > most)
			return error_set(err, ERROR_BAD_PARAMETER, "",
					 "%s is larger than %zu bytes", name, most);
	} while (n > 0);
	if (ferror(in))
		return error_set_sys(err, ERROR_BAD_PARAMETER, errno, "Reading %s", name);
	text[size] = '\0';
	*ret_text = TAKE_PTR(text);
	*ret_size = size;
	return 0;
}

int stored_file(const char *path, size_t most, char **ret_text, size_t *ret_size, struct error *err)
{
	AUTO_FCLOSE FILE *in = fopen(path, "re");

	if (!in)
		return error_set_sys(err, ERROR_BAD_PARAMETER, errno, "Opening %s", path);
	return read_stream(in, path, most, ret_text, ret_size, err);
}

static int no_result(const char *id, const char *state, struct error *err)
{
	return error_set(err, ERROR_BAD_PARAMETER, "",
			 "there is no result of a run %s in %s: it may not have ended, or --state "
			 "DIR names another directory",
			 id, state);
}

static int read_run(const char *state, const char *id, char **ret_text, size_t *ret_size,
		    struct error *err)
{
	AUTO_FREE char *path = NULL;
	AUTO_CLOSE int dirfd = -1;
	int r;

	if (asprintf(&path, "%s/runs/%s", state, id) < 0) {
		path = NULL;
		return error_no_memory(err);
	}
	dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return no_result(id, state, err);
	if (dirfd < 0)
		return error_set_sys(err, ERROR_BAD_PARAMETER, errno, "Opening %s", path);
	r = file_read(dirfd, RESULT_FILE, RESULT_MAX, ret_text, ret_size);
	if (r == -ENOENT)
		return no_result(id, state, err);
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "Reading %s/" RESULT_FILE, path) : 0;
}

int stored_text(const struct options *options, const char *word, char **ret_text, size_t *ret_size,
		struct error *err)
{
	AUTO_FREE char *path = NULL;
	struct stat st;

	if (strcmp(word, "-") == 0)
		return read_stream(stdin, "standard input", RESULT_MAX, ret_text, ret_size, err);
	if (stat(word, &st) < 0) {
		if (errno == ENOENT && store_id_ok(word))
			return read_run(options->state, word, ret_text, ret_size, err);
		return error_set_sys(err, ERROR_BAD_PARAMETER, errno,
				     "Opening %s (a result.json, a report's directory, or the id "
				     "of a run)",
				     word);
	}
	if (!S_ISDIR(st.st_mode))
		return stored_file(word, RESULT_MAX, ret_text, ret_size, err);
	if (asprintf(&path, "%s/" RESULT_FILE, word) < 0) {
		path = NULL;
		return error_no_memory(err);
	}
	return stored_file(path, RESULT_MAX, ret_text, ret_size, err);
}

void stored_complain(const char *word, const struct error *err)
{
	const char *name = word && strcmp(word, "-") == 0 ? "standard input" : word;

	(void)fprintf(stderr, "volbench: %s%s%s%s%s (%s)\n", name ? name : "", name ? ": " : "",
		      err->field, err->field[0] ? ": " : "", err->message,
		      error_code_text(err->code));
	/* What another tool printed is the likeliest mistake. */
	if (strcmp(err->field, "/schema") == 0)
		(void)fputs("A result of Volbench's is needed here; of what another tool printed "
			    "\"volbench import FILE --json RESULT\" makes one.\n",
			    stderr);
}

int stored_check_html(const char *directory, struct error *err)
{
	AUTO_CLOSE int fd = -1;
	int r = file_open_directory_path(directory, &fd);

	if (r < 0)
		return error_set_sys(err, ERROR_BAD_PARAMETER, -r, "--html: opening %s", directory);
	if (faccessat(fd, ".", W_OK, 0) < 0)
		return error_set_sys(err, ERROR_BAD_PARAMETER, errno, "--html: writing to %s",
				     directory);
	return 0;
}
