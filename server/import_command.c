/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_command.c - `volbench import`: results of other tools as a table, a document, a report, or
 * a run in a state directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/clock.h"
#include "server/codec/result_text.h"
#include "server/commands.h"
#include "server/import/import.h"
#include "server/output.h"
#include "server/screen.h"
#include "server/store.h"
#include "server/summary.h"

#define READ_STEP ((size_t)1 << 20)

struct import_run {
	const struct options *options;
	const struct command_hooks *hooks;
	struct import_file files[IMPORT_FILES_MAX];
	char *texts[IMPORT_FILES_MAX];
	struct result result;
	char *document;
	size_t size;
};

/* ---- files ---- */

static bool is_standard_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* All of a stream; one byte more than the limit is enough to know. */
static int read_all(FILE *in, const char *name, char **ret_text, size_t *ret_size,
		    struct error *err)
{
	char *text = NULL, *longer;
	size_t size = 0, room = 0;

	while (size <= IMPORT_TEXT_MAX && !feof(in)) {
		if (room - size < READ_STEP) {
			room += 4 * READ_STEP;
			longer = realloc(text, room + 1);
			if (!longer) {
				free(text);
				return error_no_memory(err);
			}
			text = longer;
		}
		size += fread(text + size, 1, READ_STEP, in);
		if (ferror(in)) {
			free(text);
			return error_set_sys(err, ERROR_SYSTEM, errno, "Reading %s", name);
		}
	}
	text[size] = '\0';
	*ret_text = text;
	*ret_size = size;
	return 0;
}

static int read_path(const char *path, char **ret_text, size_t *ret_size, struct error *err)
{
	FILE *in = fopen(path, "re");
	struct stat status;
	int r;

	if (!in)
		return error_set_sys(err, ERROR_SYSTEM, errno, "Opening %s", path);
	if (fstat(fileno(in), &status) == 0 && S_ISDIR(status.st_mode))
		r = error_set(err, ERROR_BAD_PARAMETER, "", "%s is a directory.", path);
	else
		r = read_all(in, path, ret_text, ret_size, err);
	(void)fclose(in); /* it was only read */
	return r;
}

static int read_files(struct import_run *run, struct error *err)
{
	const struct options *options = run->options;
	bool input_read = false;

	for (size_t i = 0; i < options->word_count; i++) {
		const char *path = options->words[i];
		struct import_file *file = &run->files[i];
		int r;

		if (is_standard_input(path) && input_read)
			return error_set(err, ERROR_BAD_PARAMETER, "",
					 "- stands for standard input, which is read once.");
		r = is_standard_input(path)
			    ? read_all(stdin, "standard input", &run->texts[i], &file->size, err)
			    : read_path(path, &run->texts[i], &file->size, err);
		if (r < 0)
			return r;
		input_read |= is_standard_input(path);
		file->name = is_standard_input(path) ? "standard input" : path;
		file->text = run->texts[i];
		file->label = i < options->label_count ? options->labels[i] : NULL;
	}
	return 0;
}

/* ---- the result ---- */

static int check_options(struct import_run *run, struct error *err)
{
	const struct options *options = run->options;
	enum import_format format;
	int r = import_format_find(options->format, &format, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < options->word_count; i++)
		run->files[i].format = format;
	if (options->label_count > options->word_count)
		return error_set(err, ERROR_BAD_PARAMETER, "",
				 "%zu labels for %zu files: each file has one.",
				 options->label_count, options->word_count);
	r = options->json_out ? output_check(options->json_out, err) : 0;
	return r < 0 || !options->html_out ? r : output_check_directory(options->html_out, err);
}

static int import(struct import_run *run, struct error *err)
{
	const struct options *options = run->options;
	const struct import_request request = {
		.name = options->name,
		.factor = options->factor,
		.label_count = options->workload_count,
		.labels = options->workloads,
		.file_count = options->word_count,
		.files = run->files,
	};
	int r = import_files(&request, &run->result, err);

	if (r < 0)
		return r;
	run->result.created_wall_ms = run->result.ended_wall_ms = clock_wall_ms();
	r = store_id_make(run->result.created_wall_ms, run->result.id);
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "Naming the result") : 0;
}

/* Only where a state directory was named: else nothing is kept. */
static int keep(struct import_run *run, FILE *out, struct error *err)
{
	struct store *store = NULL;
	struct store_run kept;
	bool again;
	int r;

	if (run->options->own_state)
		return 0;
	r = store_open(run->options->state, 0, &store, err);
	if (r < 0)
		return r;
	r = store_add_imported(store, &run->result, NULL, NULL, &kept, &again, err);
	if (r == 0)
		fprintf(out, "\nKept as run %s in %s\n", kept.id, run->options->state);
	store_close(store);
	return r;
}

static int hand_out(struct import_run *run, struct error *err)
{
	const struct options *options = run->options;
	bool json_only = options->json_out && strcmp(options->json_out, "-") == 0;
	FILE *out = json_only ? stderr : stdout;
	int r = summary_print(&run->result, out, screen_width(out));

	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "Printing the table");
	r = keep(run, out, err); /* its id is the result's then */
	if (r < 0)
		return r;
	run->document = result_encode_text(&run->result, &run->size);
	if (!run->document)
		return error_no_memory(err);
	if (options->json_out) {
		r = output_document(options->json_out, run->document, run->size, err);
		if (r == 0 && !json_only)
			fprintf(out, "\nResult: %s\n", options->json_out);
	}
	if (r == 0 && options->html_out) {
		r = run->hooks->write_report(run->document, run->size, options->html_out, err);
		if (r == 0)
			fprintf(out, "Report: %s/index.html\n", options->html_out);
	}
	return r;
}

/* ---- the whole ---- */

static void complain(const struct error *err)
{
	fprintf(stderr, "volbench: %s (%s)\n", err->message, error_code_text(err->code));
}

int command_import(const struct options *options, const struct command_hooks *hooks)
{
	struct import_run run = {.options = options, .hooks = hooks};
	struct error err = {.code = ERROR_NONE};
	int status = 0;

	result_init(&run.result);
	if (check_options(&run, &err) < 0 || read_files(&run, &err) < 0 || import(&run, &err) < 0)
		status = 2;
	else if (hand_out(&run, &err) < 0)
		status = 1;
	if (status != 0)
		complain(&err);
	for (size_t i = 0; i < IMPORT_FILES_MAX; i++)
		free(run.texts[i]);
	free(run.document);
	result_done(&run.result);
	if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
		perror("volbench: standard output");
		status = 1;
	}
	return status;
}
