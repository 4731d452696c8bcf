/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_command.c - `volbench report`: a stored result's table, report and analysis once more. */
#include <errno.h>
#include <string.h>

#include "server/codec/analysis_text.h"
#include "server/codec/result_text.h"
#include "server/commands.h"
#include "server/output.h"
#include "server/screen.h"
#include "server/stored.h"
#include "server/summary.h"

static bool json_only(const struct options *options)
{
	return options->json_out && strcmp(options->json_out, "-") == 0;
}

static int print_table(const struct options *options, const struct result *result,
		       struct error *err)
{
	FILE *out = json_only(options) ? stderr : stdout;
	int r;

	if (result->sample_count == 0)
		return 0;
	r = summary_print(result, out, screen_width(out));
	return r < 0 ? error_set_sys(err, ERROR_SYSTEM, -r, "Printing the table") : 0;
}

static int write_analysis(const struct options *options, const struct result *result,
			  struct error *err)
{
	AUTO_FREE char *text = analysis_text(result, err);
	int r;

	if (!text)
		return -ENOMEM;
	r = output_document(options->json_out, text, strlen(text), err);
	if (r == 0 && !json_only(options))
		(void)printf("\nAnalysis: %s\n", options->json_out);
	return r;
}

static int hand_out(const struct options *options, const struct command_hooks *hooks,
		    const char *text, size_t size, struct error *err)
{
	struct result result;
	int r;

	result_init(&result);
	r = result_decode_text(text, size, &result, err);
	if (r < 0) {
		/* the document is what is wrong, and not this program */
		if (err->code != ERROR_NO_MEMORY)
			err->code = ERROR_BAD_PARAMETER;
		return r;
	}
	r = print_table(options, &result, err);
	if (r == 0 && options->json_out)
		r = write_analysis(options, &result, err);
	result_done(&result);
	if (r == 0 && options->html_out) {
		r = hooks->write_report(text, size, options->html_out, err);
		if (r == 0)
			(void)fprintf(json_only(options) ? stderr : stdout,
				      "%sReport: %s/index.html\n",
				      options->json_out && !json_only(options) ? "" : "\n",
				      options->html_out);
	}
	return r;
}

int command_report(const struct options *options, const struct command_hooks *hooks)
{
	struct error err = {.code = ERROR_NONE};
	AUTO_FREE char *text = NULL;
	size_t size = 0;
	int r = 0;

	if (options->json_out)
		r = output_check(options->json_out, &err);
	if (r == 0 && options->html_out)
		r = stored_check_html(options->html_out, &err);
	if (r == 0)
		r = stored_text(options, options->file, &text, &size, &err);
	if (r == 0)
		r = hand_out(options, hooks, text, size, &err);
	if (r < 0) {
		stored_complain(options->file, &err);
		return err.code == ERROR_BAD_PARAMETER ? 2 : 1;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("volbench: standard output");
		return 1;
	}
	return 0;
}
