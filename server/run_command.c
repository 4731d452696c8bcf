/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_command.c - `volbench run`: the same measurement as the service's, in a terminal.
 *
 * The engine is started and watched by the supervisor, as the service does it; what it tells is
 * kept in memory and becomes a volbench.result/1 at the end, whatever the end is. A thread waits
 * for SIGINT, SIGTERM and SIGHUP (blocked everywhere) and cancels.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/plan/file_phases.h"
#include "server/codec/definition.h"
#include "server/codec/result_text.h"
#include "server/codec/run_document.h"
#include "server/codec/view.h"
#include "server/commands.h"
#include "server/output.h"
#include "server/screen.h"
#include "server/source.h"
#include "server/store.h"
#include "server/summary.h"
#include "server/supervisor.h"
#include "server/table.h"

struct terminal_run {
	const struct options *options;
	struct definition definition;
	char *definition_text;
	struct run_document document;
	struct state_document state;
	struct supervisor_cancel *cancel;
	pthread_t signals;
	struct screen screen;
	bool announced;
	char *started;	/* the engine's document */
	char **samples; /* texts, in the order of the plan */
	size_t sample_count;
	char *findings;
};

/* ---- signals ---- */

static void stop_signals(sigset_t *set)
{
	/* These cannot fail for valid signals. */
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGTERM);
	(void)sigaddset(set, SIGHUP);
	(void)sigaddset(set, SIGUSR1);
}

/* Cancels at a signal; SIGUSR1, sent by this program to this thread, ends it. */
static void *await_signals(void *arg)
{
	struct terminal_run *run = arg;
	sigset_t set;
	int number;

	stop_signals(&set);
	while (sigwait(&set, &number) == 0 && number != SIGUSR1)
		supervisor_cancel_raise(run->cancel);
	return NULL;
}

static int start_signals(struct terminal_run *run, struct error *err)
{
	sigset_t set;
	int r;

	stop_signals(&set);
	r = pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (r == 0)
		r = pthread_create(&run->signals, NULL, await_signals, run);
	return r ? error_set_sys(err, ERROR_SYSTEM, r, "Starting") : 0;
}

static void end_signals(struct terminal_run *run)
{
	if (pthread_kill(run->signals, SIGUSR1) == 0)
		(void)pthread_join(run->signals, NULL); /* it is ours and joinable */
}

/* ---- what the engine tells ---- */

static void on_started(void *arg, const char *text)
{
	struct terminal_run *run = arg;

	free(run->started);
	run->started = strdup(text);
}

static void on_progress(void *arg, const struct progress *progress)
{
	struct terminal_run *run = arg;
	char left[TABLE_FIGURE_MAX];

	if (!run->announced && run->started) { /* before, nothing is known of its length */
		screen_line(&run->screen, "%s: %s%llu samples, about %s", run->definition.name,
			    repeats_may_end(&run->definition) ? "at most " : "",
			    (unsigned long long)progress->total,
			    table_duration(progress->seconds_left, left));
		run->announced = true;
	}
	screen_progress(&run->screen, progress);
}

/* ": read 37.4k IOPS, 292 MiB/s; write ..." */
static void put_figures(FILE *words, const struct sample *sample)
{
	char iops[TABLE_FIGURE_MAX], bandwidth[TABLE_FIGURE_MAX];
	const char *before = ":";

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		if (sample->directions[d].ios == 0)
			continue;
		fprintf(words, "%s %s %s IOPS, %s/s", before, direction_names[d],
			table_figure(sample_iops(sample, (enum direction)d), iops),
			table_bytes((uint64_t)sample_bandwidth(sample, (enum direction)d),
				    bandwidth));
		before = ";";
	}
}

/* ": sequential create 3.06k/s, stat 98.7k/s; random create 3.95k/s, stat 164k/s" */
static void put_phases(FILE *words, const struct sample *sample)
{
	char rate[TABLE_FIGURE_MAX];
	int order = -1;

	for (size_t i = 0; i < sample->file_count; i++) {
		const struct file_result *result = &sample->files[i];

		fputs(i == 0 ? ":" : result->order == order ? "," : ";", words);
		if (result->order != order)
			fprintf(words, " %s", workload_file_order_choices[result->order]);
		order = result->order;
		fprintf(words, " %s %s/s", file_operation_names[result->operation],
			table_figure(file_result_ops_per_s(result), rate));
	}
}

/* A line a sample where there is no bar to look at. */
static void announce_sample(struct terminal_run *run, const char *text)
{
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	struct sample sample;
	FILE *words;

	if (run->screen.terminal || run->screen.quiet ||
	    view_sample(text, strlen(text), &sample, NULL) < 0)
		return;
	words = open_memstream(&line, &size);
	if (words) {
		fprintf(words, "%zu/%llu %s", sample.order + 1,
			(unsigned long long)run->document.samples_total, sample.workload);
		for (size_t i = 0; i < sample.level_count; i++)
			fprintf(words, ", %s=%s", sample.levels[i].factor, sample.levels[i].value);
		fprintf(words, ", repeat %u", sample.repeat);
		put_figures(words, &sample);
		put_phases(words, &sample);
		if (fclose(words) == 0)
			screen_line(&run->screen, "%s", line);
	}
	sample_done(&sample);
}

static int on_sample(void *arg, size_t order, const char *text)
{
	struct terminal_run *run = arg;
	char **grown;

	(void)order; /* they come in order */
	grown = reallocarray(run->samples, run->sample_count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	run->samples = grown;
	run->samples[run->sample_count] = strdup(text);
	if (!run->samples[run->sample_count])
		return -ENOMEM;
	run->sample_count++;
	announce_sample(run, text);
	return 0;
}

static void on_repeats(void *arg, const struct repeats_outcome *outcome)
{
	struct terminal_run *run = arg;
	char text[REPEATS_OUTCOME_MAX];

	run->state.repeats = *outcome;
	screen_line(&run->screen, "%s", repeats_outcome_text(outcome, text));
}

/* ---- the result ---- */

static int compose(struct terminal_run *run, char **ret_text, size_t *ret_size, struct error *err)
{
	AUTO_FREE char *head = NULL;
	FILE *out;
	char *text = NULL;
	int r;

	run->state.samples_done = run->sample_count;
	r = result_head_encode(&run->document, run->definition_text, &run->state, run->started,
			       run->findings, &head, err);
	if (r < 0)
		return r;
	out = open_memstream(&text, ret_size);
	if (!out)
		return error_no_memory(err);
	fputs(head, out);
	for (size_t i = 0; i < run->sample_count; i++) {
		if (i > 0)
			fputc(',', out);
		fputs(run->samples[i], out);
	}
	fputs(RESULT_TAIL, out);
	if (fclose(out) != 0) {
		free(text);
		return error_no_memory(err);
	}
	*ret_text = text;
	return 0;
}

static int print_result(const char *text, size_t size, FILE *out, struct error *err)
{
	struct result result;
	int r;

	result_init(&result);
	r = result_decode_text(text, size, &result, err);
	if (r == 0) {
		r = summary_print(&result, out, screen_width(out));
		if (r < 0)
			r = error_set_sys(err, ERROR_SYSTEM, -r, "Printing the table");
	}
	result_done(&result);
	return r;
}

static int hand_out(struct terminal_run *run, const struct command_hooks *hooks, struct error *err)
{
	const struct options *options = run->options;
	bool json_only = options->json_out && strcmp(options->json_out, "-") == 0;
	FILE *out = json_only ? stderr : stdout;
	AUTO_FREE char *text = NULL;
	size_t size;
	int r = compose(run, &text, &size, err);

	if (r < 0)
		return r;
	if (run->sample_count > 0)
		r = print_result(text, size, out, err);
	if (r == 0 && options->json_out) {
		r = output_document(options->json_out, text, size, err);
		if (r == 0 && !json_only)
			fprintf(out, "\nResult: %s\n", options->json_out);
	}
	if (r == 0 && options->html_out && run->sample_count > 0) {
		r = hooks->write_report(text, size, options->html_out, err);
		if (r == 0)
			fprintf(out, "%sReport: %s/index.html\n",
				options->json_out && !json_only ? "" : "\n", options->html_out);
	}
	return r;
}

/* ---- the whole ---- */

static int check_outputs(const struct options *options, struct error *err)
{
	int r = options->json_out ? output_check(options->json_out, err) : 0;

	return r < 0 || !options->html_out ? r : output_check_directory(options->html_out, err);
}

/* Fills run->state; an error is that of the run. */
static void measure(struct terminal_run *run, const struct supervisor *supervisor)
{
	const struct supervisor_events events = {
		.started = on_started,
		.progress = on_progress,
		.sample = on_sample,
		.repeats = on_repeats,
		.arg = run,
	};
	enum run_state state = RUN_FAILED;

	run->state.started_wall_ms = clock_wall_ms();
	if (supervisor_run(supervisor, run->document.id, run->definition_text, run->cancel, &events,
			   &state, &run->findings, &run->state.error) < 0 &&
	    run->state.error.code == ERROR_CANCELLED)
		state = RUN_CANCELLED;
	run->state.state = state;
	if (state == RUN_DONE || state == RUN_CANCELLED)
		run->state.error.code = ERROR_NONE;
	run->state.ended_wall_ms = clock_wall_ms();
	screen_end(&run->screen);
}

static int prepare(struct terminal_run *run, struct supervisor **ret_supervisor, struct error *err)
{
	const struct supervisor_config config = {
		.state_directory = run->options->state,
		.allow = run->options->allow,
		.allow_count = run->options->allow_count,
		.allow_datasets = run->options->allow_datasets,
		.allow_dataset_count = run->options->allow_dataset_count,
	};
	int r = check_outputs(run->options, err);

	if (r < 0)
		return r;
	run->definition_text = definition_encode_text(&run->definition);
	if (!run->definition_text)
		return error_no_memory(err);
	run->document.created_wall_ms = clock_wall_ms();
	run->document.number = 1;
	run->document.samples_total = definition_samples(&run->definition);
	(void)snprintf(run->document.name, sizeof(run->document.name), "%s",
		       run->definition.name); /* checked to fit */
	r = store_id_make(run->document.created_wall_ms, run->document.id);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "Naming the run");
	screen_init(&run->screen, stderr, run->options->quiet);
	r = supervisor_cancel_new(&run->cancel);
	if (r < 0)
		return error_set_sys(err, ERROR_SYSTEM, -r, "Starting");
	return supervisor_new(&config, ret_supervisor, err);
}

static int measure_with_signals(struct terminal_run *run, struct error *err)
{
	struct supervisor *supervisor;
	int r = prepare(run, &supervisor, err);

	if (r < 0)
		return r;
	r = start_signals(run, err);
	if (r == 0) {
		measure(run, supervisor);
		end_signals(run);
	}
	supervisor_free(supervisor);
	return r;
}

static void release(struct terminal_run *run)
{
	for (size_t i = 0; i < run->sample_count; i++)
		free(run->samples[i]);
	free(run->samples);
	free(run->started);
	free(run->findings);
	free(run->definition_text);
	supervisor_cancel_free(run->cancel);
	definition_done(&run->definition);
}

static int exit_status(struct terminal_run *run)
{
	switch (run->state.state) {
	case RUN_DONE:
		return 0;
	case RUN_CANCELLED:
		fputs("volbench: cancelled\n", stderr);
		return 130;
	default:
		source_complain(run->options, &run->state.error);
		return 1;
	}
}

int command_run(const struct options *options, const struct command_hooks *hooks)
{
	struct terminal_run run = {.options = options};
	struct error err = {.code = ERROR_NONE};
	int status = 1;

	definition_init(&run.definition);
	if (source_load(options, hooks, &run.definition, &err) < 0) {
		source_complain(options, &err);
		return 2;
	}
	if (measure_with_signals(&run, &err) < 0) {
		source_complain(options, &err);
		status = err.code == ERROR_BAD_PARAMETER ? 2 : 1;
	} else {
		if (hand_out(&run, hooks, &err) < 0) {
			source_complain(options, &err);
			(void)exit_status(&run); /* told as well, but this failed too */
		} else {
			status = exit_status(&run);
		}
	}
	release(&run);
	if (fflush(stdout) != 0 && status == 0) {
		perror("volbench: standard output");
		status = 1;
	}
	return status;
}
