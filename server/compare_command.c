/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_command.c - `volbench compare`: results held against a baseline, for people and for
 * pipelines. Exit status: 0 compared, and the limits kept; 1 a limit is not kept, or it could not
 * be done; 2 bad usage, or what was given is no result.
 */
#include <string.h>

#include "server/codec/result_text.h"
#include "server/codec/run_comparison.h"
#include "server/commands.h"
#include "server/compare_table.h"
#include "server/output.h"
#include "server/screen.h"
#include "server/stored.h"

#define LIMITS_MAX ((size_t)64 << 10) /* bytes of a file of limits */

struct compared {
	const struct options *options;
	struct run_limits limits;
	bool limited;
	size_t count;
	struct result results[RUN_COMPARISON_MAX];
	const char *blamed; /* the word that an error is about; NULL */
};

static int read_limits_file(struct compared *compared, struct error *err)
{
	const char *path = compared->options->limits_in;
	AUTO_FREE char *text = NULL;
	size_t size = 0;
	bool any = false;
	int r;

	compared->blamed = path;
	r = stored_file(path, LIMITS_MAX, &text, &size, err);
	if (r == 0)
		r = run_limits_read(text, size, &compared->limits, err);
	for (size_t i = 0; i < RUN_LIMIT_COUNT; i++)
		any = any || compared->limits.set[i];
	if (r == 0 && !any)
		r = error_set(err, ERROR_BAD_PARAMETER, "",
			      "there is no limit in it, such as {\"iops_percent\": -5}");
	if (r == 0)
		compared->blamed = NULL;
	return r;
}

static int read_limits(struct compared *compared, struct error *err)
{
	const struct options *options = compared->options;
	int r = 0;

	compared->limited = options->limits_in || options->fail_if_count > 0;
	if (options->limits_in)
		r = read_limits_file(compared, err);
	for (size_t i = 0; i < options->fail_if_count && r == 0; i++)
		r = run_limits_parse(options->fail_if[i], &compared->limits, err);
	return r;
}

static int read_results(struct compared *compared, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < compared->options->word_count && r == 0; i++) {
		AUTO_FREE char *text = NULL;
		size_t size = 0;

		compared->blamed = compared->options->words[i];
		result_init(&compared->results[i]);
		compared->count++;
		r = stored_text(compared->options, compared->blamed, &text, &size, err);
		if (r == 0)
			r = result_decode_text(text, size, &compared->results[i], err);
	}
	if (r == 0)
		compared->blamed = NULL;
	return r;
}

static int hand_out(const struct compared *compared, const struct run_comparison *comparison,
		    const struct run_judgement *judgement, struct error *err)
{
	const char *json = compared->options->json_out;
	bool json_only = json && strcmp(json, "-") == 0;
	FILE *out = json_only ? stderr : stdout;
	AUTO_FREE char *text = NULL;
	int r = compare_table_print(comparison, compared->limited ? judgement : NULL, out,
				    screen_width(out));

	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "Printing the table");
	if (!json)
		return 0;
	text = run_comparison_text(comparison, compared->limited ? judgement : NULL);
	if (!text)
		return error_no_memory(err);
	r = output_document(json, text, strlen(text), err);
	if (r == 0 && !json_only)
		(void)fprintf(out, "\nComparison: %s\n", json);
	return r;
}

static int compare(struct compared *compared, bool *ret_fail, struct error *err)
{
	const struct result *runs[RUN_COMPARISON_MAX];
	struct run_comparison comparison;
	struct run_judgement judgement;
	int r;

	for (size_t i = 0; i < compared->count; i++)
		runs[i] = &compared->results[i];
	if (run_comparison_make(runs, compared->count, &comparison) < 0)
		return error_no_memory(err);
	if (run_limits_hold(&compared->limits, &comparison, &judgement) < 0) {
		r = error_no_memory(err);
	} else {
		*ret_fail = judgement.fail;
		r = hand_out(compared, &comparison, &judgement, err);
		run_judgement_done(&judgement);
	}
	run_comparison_done(&comparison);
	return r;
}

int command_compare(const struct options *options)
{
	struct compared *compared = calloc(1, sizeof(*compared));
	struct error err = {.code = ERROR_NONE};
	bool fail = false, usage = true;
	int r;

	if (!compared)
		return 1;
	compared->options = options;
	r = options->json_out ? output_check(options->json_out, &err) : 0;
	if (r == 0)
		r = read_limits(compared, &err);
	if (r == 0)
		r = read_results(compared, &err);
	if (r == 0) {
		usage = false;
		r = compare(compared, &fail, &err);
	}
	if (r < 0) {
		stored_complain(compared->blamed, &err);
		fail = true;
		usage = usage && err.code != ERROR_NO_MEMORY;
	}
	for (size_t i = 0; i < compared->count; i++)
		result_done(&compared->results[i]);
	free(compared);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("volbench: standard output");
		fail = true;
	}
	return r < 0 && usage ? 2 : fail ? 1 : 0;
}
