/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare_table.c - see compare_table.h. */
#include "server/compare_table.h"

#include <errno.h>
#include <string.h>

#include "engine/base/clock.h"
#include "server/table.h"

#define ALONE_MAX 20 /* cells without a partner that are listed */
#define ALIGNMENT_MAX (RUN_COMPARISON_MAX + 8)

static void put_name(struct table *table, size_t run)
{
	if (run == 0)
		table_cell(table, "baseline");
	else
		table_cell(table, "run %zu", run);
}

static int print_runs(const struct run_comparison *comparison, FILE *out, size_t width)
{
	struct table *table = table_new("lllr");
	int r;

	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct result *run = comparison->runs[i];
		char stamp[CLOCK_TEXT_MAX] = "";

		if (run->started_wall_ms > 0)
			(void)clock_format(run->started_wall_ms, stamp);
		put_name(table, i);
		table_cell(table, "%s", run->definition.name ? run->definition.name : run->id);
		table_cell(table, "%.16s", stamp);
		table_cell(table, "%zu samples, %s", run->sample_count,
			   run_state_names[run->state]);
	}
	r = table_print(table, out, width);
	table_free(table);
	return r;
}

/* ---- differences ---- */

static void put_difference(struct table *table, const struct run_comparison *comparison,
			   const struct run_difference *difference)
{
	table_cell(table, "%s", difference->unfair ? "!" : "");
	table_cell(table, "%s", difference->name);
	for (size_t i = 0; i < comparison->run_count; i++)
		table_cell(table, "%s",
			   difference->values[i] ? difference->values[i] : "not known");
	table_cell(table, "%s", difference->workload ? difference->workload : "");
}

static int print_differences(const struct run_comparison *comparison, FILE *out, size_t width)
{
	char alignment[ALIGNMENT_MAX] = "ll";
	struct table *table;
	size_t unfair = run_comparison_unfair(comparison);
	int r;

	if (comparison->difference_count == 0) {
		(void)fputs("\nNothing that is known differs beside the figures.\n", out);
		return 0;
	}
	(void)fputc('\n', out);
	table_wrap(out,
		   unfair > 0 ? "What differs beside the figures (! makes the comparison unfair: "
				"figures differ by it alone):"
			      : "What differs beside the figures:",
		   0, 0, width);
	memset(alignment + 2, 'l', comparison->run_count + 1);
	table = table_new(alignment);
	table_cell(table, "%s", "");
	table_cell(table, "what");
	for (size_t i = 0; i < comparison->run_count; i++)
		put_name(table, i);
	table_cell(table, "of");
	table_rule(table);
	for (size_t i = 0; i < comparison->difference_count; i++)
		put_difference(table, comparison, &comparison->differences[i]);
	r = table_print(table, out, width);
	table_free(table);
	return r;
}

/* ---- figures ---- */

static void put_side(struct table *table, enum run_figure figure, const struct run_side *side)
{
	char text[TABLE_FIGURE_MAX], bytes[TABLE_FIGURE_MAX];

	if (side->count == 0)
		table_cell(table, "unknown");
	else if (run_figure_less_is_better(figure))
		table_cell(table, "%s", table_latency((uint64_t)side->mean, text));
	else if (figure == RUN_FIGURE_BANDWIDTH)
		table_cell(table, "%s/s", table_bytes((uint64_t)side->mean, bytes));
	else
		table_cell(table, "%s", table_figure(side->mean, text));
}

static void put_ratio(struct table *table, const struct run_ratio *ratio)
{
	static const char *const words[] = {"no verdict", "no difference shown", "better", "WORSE"};
	char change[RUN_CHANGE_MAX], interval[RUN_INTERVAL_MAX], name[RUN_RATIO_TITLE_MAX];

	table_cell(table, "%s", run_ratio_title(ratio, name));
	put_side(table, ratio->figure, &ratio->baseline);
	put_side(table, ratio->figure, &ratio->other);
	table_cell(table, "%s", run_change(ratio->welch.ratio, change));
	table_cell(table, "%s", run_interval(&ratio->welch, interval));
	table_cell(table, "%s", words[ratio->verdict]);
}

static void put_heads(struct table *table, const struct definition *definition)
{
	static const char *const heads[] = {"figure", "baseline",      "other",
					    "change", "95 % interval", "verdict"};

	table_cell(table, "workload");
	for (size_t i = 0; i < definition->factor_count; i++)
		table_cell(table, "%s", definition->factors[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		table_cell(table, "%s", heads[i]);
	table_rule(table);
}

/* Only the workload's name is cut where the terminal is narrow. */
static int print_run(const struct run_comparison *comparison, size_t run, FILE *out, size_t width)
{
	const struct definition *definition = &comparison->runs[0]->definition;
	char alignment[DEFINITION_FACTORS_MAX + 8] = "l";
	struct table *table;
	int r;

	memset(alignment + 1, 'r', definition->factor_count + 6);
	table = table_new(alignment);
	put_heads(table, definition);
	for (size_t i = 0; i < comparison->pair_count; i++) {
		const struct run_pair *pair = &comparison->pairs[i];

		if (pair->run != run || pair->ratio_count == 0)
			continue;
		table_cell(table, "%s", pair->workload);
		for (size_t f = 0; f < definition->factor_count; f++)
			table_cell(table, "%s",
				   definition->factors[f].levels[pair->cells[0]->levels[f]]);
		put_ratio(table, &pair->ratios[0]);
	}
	(void)fputc('\n', out);
	if (comparison->run_count > 2)
		(void)fprintf(out, "Run %zu:\n", run);
	r = table_print(table, out, width);
	table_free(table);
	return r;
}

static void print_alone(const struct run_comparison *comparison, FILE *out, size_t width)
{
	size_t shown = comparison->alone_count < ALONE_MAX ? comparison->alone_count : ALONE_MAX;

	if (comparison->alone_count > 0)
		(void)fputs("\nWithout a partner:\n", out);
	for (size_t i = 0; i < shown; i++) {
		const struct run_alone *alone = &comparison->alone[i];
		char line[RUN_PAIR_TITLE_MAX + 80];

		(void)snprintf(line, sizeof(line), "%.*s%s%s: %s run %zu%s", 200, alone->workload,
			       alone->levels[0] ? ", " : "", alone->levels,
			       alone->baseline ? "not in" : "in", alone->run,
			       alone->baseline ? "" : " alone"); /* a long one is cut */
		(void)fputs("- ", out);
		table_wrap(out, line, 2, 2, width);
	}
	if (comparison->alone_count > shown)
		(void)fprintf(out, "- and %zu more, which --json has\n",
			      comparison->alone_count - shown);
}

/* ---- what it comes to ---- */

static bool any_repeats(const struct run_comparison *comparison)
{
	for (size_t i = 0; i < comparison->pair_count; i++) {
		const struct run_pair *pair = &comparison->pairs[i];

		if (pair->ratio_count > 0 &&
		    (pair->ratios[0].baseline.count > 1 || pair->ratios[0].other.count > 1))
			return true;
	}
	return false;
}

static void print_summary(const struct run_comparison *comparison, FILE *out, size_t width)
{
	char line[200];

	(void)snprintf(
		line, sizeof(line),
		"Of %zu cells %zu better, %zu worse, %zu not told apart, %zu without repeats "
		"to judge by.",
		comparison->pair_count, comparison->better, comparison->worse, comparison->open,
		comparison->unjudged);
	(void)fputc('\n', out);
	table_wrap(out,
		   comparison->pair_count > 0
			   ? line
			   : "These runs have no cell in common: nothing can be compared.",
		   0, 0, width);
	if (any_repeats(comparison))
		table_wrap(
			out,
			"A change is of the geometric means of the repeats; the figures beside it "
			"are arithmetic ones.",
			0, 0, width);
	if (comparison->judged > 0)
		table_wrap(out,
			   "The intervals know the repeats within each run, not what was otherwise "
			   "during one of them; a second run of the same shows how much that is.",
			   0, 0, width);
}

static void print_limit(const struct run_judgement *judgement, int limit, FILE *out)
{
	size_t held = judgement->results[limit].held, failed = judgement->results[limit].failed;

	(void)fprintf(out, limit == RUN_LIMIT_UNMATCHED ? "%s  %s %g: " : "%s  %s %+g: ",
		      judgement->results[limit].fail ? "FAIL" : "pass", run_limit_names[limit],
		      judgement->limits.values[limit]);
	if (limit == RUN_LIMIT_UNMATCHED)
		(void)fprintf(out, "%zu %s without a partner\n", held,
			      held == 1 ? "cell of the baseline is" : "cells of the baseline are");
	else if (held == 0)
		(void)fputs("nothing could be held against it\n", out);
	else
		(void)fprintf(out, "of %zu figure%s %zu %s, %zu open\n", held, held == 1 ? "" : "s",
			      failed, failed == 1 ? "fails" : "fail",
			      judgement->results[limit].open);
}

static void print_judgement(const struct run_comparison *comparison,
			    const struct run_judgement *judgement, FILE *out, size_t width)
{
	(void)fputs("\nLimits:\n", out);
	for (int i = 0; i < RUN_LIMIT_COUNT; i++)
		if (judgement->limits.set[i])
			print_limit(judgement, i, out);
	for (size_t i = 0; i < judgement->breach_count; i++) {
		const struct run_breach *breach = &judgement->breaches[i];
		const struct run_pair *pair = &comparison->pairs[breach->pair];
		const struct run_ratio *ratio = &pair->ratios[breach->ratio];
		char title[RUN_PAIR_TITLE_MAX], name[RUN_RATIO_TITLE_MAX], change[RUN_CHANGE_MAX];
		char line[RUN_PAIR_TITLE_MAX + RUN_RATIO_TITLE_MAX + RUN_CHANGE_MAX + 80];

		(void)snprintf(line, sizeof(line), "%s: %s: %s, %s", run_pair_title(pair, title),
			       run_ratio_title(ratio, name), run_change(ratio->welch.ratio, change),
			       !breach->interval ? "held against the ratio itself"
			       : breach->fail	 ? "its whole interval lies beyond"
						 : "its interval holds allowed ratios too");
		(void)fprintf(out, "- %s: ", breach->fail ? "FAIL" : "open");
		if (comparison->run_count > 2)
			(void)fprintf(out, "run %zu: ", pair->run);
		table_wrap(out, line, comparison->run_count > 2 ? 15 : 8, 2, width);
	}
}

int compare_table_print(const struct run_comparison *comparison,
			const struct run_judgement *judgement, FILE *out, size_t width)
{
	int r = print_runs(comparison, out, width);

	if (r == 0)
		r = print_differences(comparison, out, width);
	for (size_t i = 1; i < comparison->run_count && r == 0; i++)
		r = print_run(comparison, i, out, width);
	if (r < 0)
		return r;
	print_alone(comparison, out, width);
	print_summary(comparison, out, width);
	if (judgement)
		print_judgement(comparison, judgement, out, width);
	return 0;
}
