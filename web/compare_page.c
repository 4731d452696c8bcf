/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_page.c - see compare_page.h. What makes the comparison unfair stands before any figure.
 */
#include "web/compare_page.h"

#include <math.h>
#include <string.h>

#include "engine/base/clock.h"
#include "web/compare_marks.h"
#include "web/layout.h"
#include "web/numbers.h"

#define SCALE_LEAST 0.05
#define ALONE_OPEN 12 /* cells without a partner; more are folded */
#define ROWS_MAX 400  /* cells shown of each run; the JSON has all */

/* ---- the runs ---- */

static const char *run_name(const struct result *run)
{
	return run->definition.name && run->definition.name[0] ? run->definition.name : run->id;
}

static void run_row(const struct result *run, size_t index, struct html *html)
{
	char address[RUN_ID_MAX + 16], stamp[CLOCK_TEXT_MAX];
	uint64_t when = run->started_wall_ms ? run->started_wall_ms : run->created_wall_ms;

	(void)snprintf(address, sizeof(address), "/runs/%s/", run->id);
	html_open(html, "tr", NULL);
	html_open(html, "th", "scope", "row", NULL);
	if (index == 0)
		html_text(html, "Baseline");
	else
		html_textf(html, "Run %zu", index);
	html_close(html, "th");
	html_open(html, "td", NULL);
	html_element(html, "a", run_name(run), "href", address, NULL);
	html_close(html, "td");
	html_element(html, "td", run_state_names[run->state], NULL);
	html_open(html, "td", NULL);
	if (when > 0) {
		(void)clock_format(when, stamp);
		html_textf(html, "%.10s %.5s UTC", stamp, stamp + 11);
	}
	html_close(html, "td");
	html_open(html, "td", "class", "number", NULL);
	html_textf(html, "%zu", run->sample_count);
	html_close(html, "td");
	html_close(html, "tr");
}

static void runs_table(const struct run_comparison *comparison, struct html *html)
{
	html_raw(
		html,
		"<div class=\"scroll\"><table class=\"stack\"><thead><tr><th scope=\"col\">Run</th>"
		"<th scope=\"col\">Name</th><th scope=\"col\">State</th>"
		"<th scope=\"col\">Started</th>"
		"<th scope=\"col\" class=\"number\">Samples</th></tr></thead><tbody>");
	for (size_t i = 0; i < comparison->run_count; i++)
		run_row(comparison->runs[i], i, html);
	html_raw(html, "</tbody></table></div>");
}

/* ---- what it comes to ---- */

/* "8 are shown to be worse", with what stands before it; nothing of none. Of one alone its number
 * is left out. */
static void count_words(size_t all, size_t count, const char *one, const char *several,
			const char **between, struct html *html)
{
	if (count == 0)
		return;
	if (all == 1)
		html_textf(html, " %s", one);
	else
		html_textf(html, "%s%zu %s", *between, count, count == 1 ? one : several);
	*between = ", ";
}

static void headline(const struct run_comparison *comparison, struct html *html)
{
	const char *between = " ";

	html_open(html, "p", "class", "headline", NULL);
	if (comparison->pair_count == 0) {
		html_text(html, "These runs have no cell in common: nothing can be compared.");
	} else {
		if (comparison->pair_count == 1)
			html_text(html, "The cell that both have in common");
		else
			html_textf(html, "Of %zu cells", comparison->pair_count);
		count_words(comparison->pair_count, comparison->worse,
			    "is shown to be worse than in the baseline",
			    "are shown to be worse than in the baseline", &between, html);
		count_words(comparison->pair_count, comparison->better, "is shown to be better",
			    "are shown to be better", &between, html);
		count_words(comparison->pair_count, comparison->open, "is not told apart",
			    "are not told apart", &between, html);
		count_words(comparison->pair_count, comparison->unjudged,
			    "has no repeats to judge by", "have no repeats to judge by", &between,
			    html);
		html_text(html, ".");
	}
	html_close(html, "p");
	if (comparison->judged > 0)
		html_element(html, "p",
			     "The intervals know the repeats within each run. What was otherwise "
			     "during one of them (a busier machine, a fuller pool) moves all its "
			     "cells and is not in them: a second run of the same shows how much "
			     "that is.",
			     "class", "note", NULL);
}

static void unfair_banner(const struct run_comparison *comparison, struct html *html)
{
	size_t unfair = run_comparison_unfair(comparison);

	if (unfair == 0)
		return;
	html_open(html, "div", "class", "banner warning", "role", "note", NULL);
	html_open(html, "p", NULL);
	html_textf(html,
		   unfair == 1 ? "%zu difference makes this comparison unfair: figures differ by "
				 "it alone. It stands first below."
			       : "%zu differences make this comparison unfair: figures differ by "
				 "them alone. They stand first below.",
		   unfair);
	html_close(html, "p");
	html_close(html, "div");
}

static const char *ratio_words(const struct run_ratio *ratio, char buffer[RUN_CHANGE_MAX])
{
	if (!(ratio->welch.ratio > 0)) /* nothing was done in one of them */
		return ratio->baseline.count && ratio->other.count ? "down to nothing" : "unknown";
	return run_change(ratio->welch.ratio, buffer);
}

static void limit_line(const struct run_judgement *judgement, int limit, struct html *html)
{
	size_t held = judgement->results[limit].held, open = judgement->results[limit].open;
	size_t failed = judgement->results[limit].failed;

	html_open(html, "li", NULL);
	html_element(html, "code", run_limit_names[limit], NULL);
	html_textf(html, limit == RUN_LIMIT_UNMATCHED ? " %g: " : " %+g: ",
		   judgement->limits.values[limit]);
	if (limit == RUN_LIMIT_UNMATCHED)
		html_textf(html, "%zu %s without a partner, %s.", held,
			   held == 1 ? "cell of the baseline is" : "cells of the baseline are",
			   judgement->results[limit].fail ? "which is more" : "as allowed");
	else if (held == 0)
		html_text(html, "nothing could be held against it, which is no pass.");
	else
		html_textf(html, "of %zu figure%s %zu %s and %zu %s open.", held,
			   held == 1 ? "" : "s", failed, failed == 1 ? "fails" : "fail", open,
			   open == 1 ? "is" : "are");
	html_close(html, "li");
}

static void breach_line(const struct run_comparison *comparison, const struct run_breach *breach,
			struct html *html)
{
	const struct run_pair *pair = &comparison->pairs[breach->pair];
	const struct run_ratio *ratio = &pair->ratios[breach->ratio];
	char title[RUN_PAIR_TITLE_MAX], name[RUN_RATIO_TITLE_MAX], change[RUN_CHANGE_MAX];

	html_open(html, "li", NULL);
	html_element(html, "b", breach->fail ? "fails" : "open", NULL);
	if (comparison->run_count > 2)
		html_textf(html, " in run %zu", pair->run);
	html_textf(html, ": %s, %s: %s, held against %s", run_pair_title(pair, title),
		   run_ratio_title(ratio, name), ratio_words(ratio, change),
		   breach->interval ? "its interval" : "the ratio itself");
	html_close(html, "li");
}

static void limits_banner(const struct run_comparison *comparison,
			  const struct run_judgement *judgement, struct html *html)
{
	size_t shown = judgement->breach_count < ROWS_MAX ? judgement->breach_count : ROWS_MAX;

	html_open(html, "div", "class", judgement->fail ? "banner error" : "banner", "role", "note",
		  NULL);
	html_open(html, "p", NULL);
	html_element(html, "b",
		     judgement->fail ? "The limits are not kept." : "The limits are kept.", NULL);
	html_close(html, "p");
	html_open(html, "ul", NULL);
	for (int i = 0; i < RUN_LIMIT_COUNT; i++)
		if (judgement->limits.set[i])
			limit_line(judgement, i, html);
	for (size_t i = 0; i < shown; i++)
		breach_line(comparison, &judgement->breaches[i], html);
	html_close(html, "ul");
	html_close(html, "div");
}

/* ---- differences ---- */

static void run_heads(const struct run_comparison *comparison, struct html *html)
{
	for (size_t i = 0; i < comparison->run_count; i++) {
		html_open(html, "th", "scope", "col", NULL);
		if (i == 0)
			html_text(html, "Baseline");
		else
			html_textf(html, "Run %zu", i);
		html_close(html, "th");
	}
}

static void difference_row(const struct run_comparison *comparison,
			   const struct run_difference *difference, struct html *html)
{
	html_open(html, "tr", "class", difference->unfair ? "unfair" : NULL, NULL);
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, difference->name);
	if (difference->workload) {
		html_void(html, "br", NULL);
		html_open(html, "span", "class", "note", NULL);
		html_name(html, difference->workload);
		html_close(html, "span");
	}
	html_close(html, "th");
	for (size_t i = 0; i < comparison->run_count; i++) {
		html_open(html, "td", NULL);
		if (difference->values[i])
			html_name(html, difference->values[i]);
		else
			html_element(html, "span", "not known", "class", "note", NULL);
		html_close(html, "td");
	}
	html_open(html, "td", NULL);
	if (difference->unfair) {
		html_element(html, "b", "Unfair. ", NULL);
		html_text(html, difference->why);
	} else {
		html_text(html, run_difference_kind_names[difference->kind]);
	}
	html_close(html, "td");
	html_close(html, "tr");
}

static void differences_section(const struct run_comparison *comparison, struct html *html)
{
	html_open(html, "section", "id", "differences", "class", "flow", NULL);
	html_element(html, "h2", "What differs beside the figures", NULL);
	if (comparison->difference_count == 0) {
		html_element(html, "p",
			     "Nothing that is known: settings, target, backend and environment "
			     "are the same.",
			     NULL);
	} else {
		html_raw(html,
			 "<div class=\"scroll\"><table class=\"differences stack\"><thead><tr>"
			 "<th scope=\"col\">What</th>");
		run_heads(comparison, html);
		html_raw(html, "<th scope=\"col\">Kind</th></tr></thead><tbody>");
		for (size_t i = 0; i < comparison->difference_count; i++)
			difference_row(comparison, &comparison->differences[i], html);
		html_raw(html, "</tbody></table></div>");
	}
	html_close(html, "section");
}

/* ---- figures ---- */

static struct number figure_text(enum run_figure figure, double value)
{
	switch (figure) {
	case RUN_FIGURE_BANDWIDTH:
		return numbers_bandwidth(value);
	case RUN_FIGURE_LATENCY:
	case RUN_FIGURE_P99:
		return numbers_time(value);
	default:
		return numbers_count(value);
	}
}

static void side_cell(const struct run_ratio *ratio, const struct run_side *side, struct html *html)
{
	html_open(html, "td", "class", "number", NULL);
	if (side->count == 0)
		html_text(html, "unknown");
	else
		html_text(html, figure_text(ratio->figure, side->mean).text);
	html_close(html, "td");
}

static const char *const verdict_words[] = {"one sample: no verdict", "no difference shown",
					    "better", "worse"};

static void interval_cell(const struct run_ratio *ratio, struct html *html)
{
	char text[RUN_INTERVAL_MAX];

	html_element(html, "td", ratio->welch.interval ? run_interval(&ratio->welch, text) : "none",
		     "class", "number", NULL);
}

/* scale: of the marks; 0: a row without verdict and mark. */
static void ratio_row(const struct run_pair *pair, const struct run_ratio *ratio, double scale,
		      struct html *html)
{
	char title[RUN_PAIR_TITLE_MAX], name[RUN_RATIO_TITLE_MAX], change[RUN_CHANGE_MAX];

	html_open(html, "tr", NULL);
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, run_pair_title(pair, title));
	html_element(html, "span", run_ratio_title(ratio, name), "class", "direction", NULL);
	html_close(html, "th");
	if (scale > 0)
		html_element(html, "td", ratio->judged ? verdict_words[ratio->verdict] : "unknown",
			     "class",
			     ratio->verdict == RUN_WORSE    ? "worse"
			     : ratio->verdict == RUN_BETTER ? "better"
							    : NULL,
			     NULL);
	html_element(html, "td", ratio_words(ratio, change), "class", "number", NULL);
	interval_cell(ratio, html);
	if (scale > 0)
		compare_mark(ratio, scale, html);
	side_cell(ratio, &ratio->baseline, html);
	side_cell(ratio, &ratio->other, html);
	html_close(html, "tr");
}

static void table_begin(double scale, struct html *html)
{
	html_raw(html, "<div class=\"scroll\"><table class=\"ratios stack\"><thead><tr>"
		       "<th scope=\"col\">Cell</th>");
	/* What it comes to first: it is to be seen on a narrow screen too. */
	if (scale > 0)
		html_raw(html, "<th scope=\"col\">Verdict</th>");
	html_raw(html, "<th scope=\"col\" class=\"number\">Change</th>"
		       "<th scope=\"col\" class=\"number\">95 % interval</th>");
	if (scale > 0)
		compare_marks_head(scale, html);
	html_raw(html, "<th scope=\"col\" class=\"number\">Baseline</th>"
		       "<th scope=\"col\" class=\"number\">Other</th></tr></thead><tbody>");
}

static void table_end(struct html *html)
{
	html_raw(html, "</tbody></table></div>");
}

/* The judged figure of each cell, or all figures of all. */
static void run_figures(const struct run_comparison *comparison, size_t run, bool all,
			struct html *html)
{
	double scale = all ? 0 : fmax(compare_marks_scale(comparison, run), SCALE_LEAST);
	size_t shown = 0;

	table_begin(scale, html);
	for (size_t i = 0; i < comparison->pair_count; i++) {
		const struct run_pair *pair = &comparison->pairs[i];

		if (pair->run != run || pair->ratio_count == 0 || shown++ >= ROWS_MAX)
			continue;
		for (size_t n = 0; n < (all ? pair->ratio_count : 1); n++)
			ratio_row(pair, &pair->ratios[n], scale, html);
	}
	table_end(html);
	if (shown > ROWS_MAX) {
		html_open(html, "p", NULL);
		html_textf(html, "The first %d of %zu cells; the JSON has all.", ROWS_MAX, shown);
		html_close(html, "p");
	}
}

static void figures_section(const struct run_comparison *comparison, size_t run, struct html *html)
{
	html_open(html, "section", "class", "flow", NULL);
	html_open(html, "h2", NULL);
	html_textf(html, "Run %zu beside the baseline: ", run);
	html_name(html, run_name(comparison->runs[run]));
	html_close(html, "h2");
	html_raw(html, "<p class=\"note\">One figure judges a cell. A change is of the geometric "
		       "means: above 0 more operations, bytes or files, or a longer time.</p>");
	run_figures(comparison, run, false, html);
	html_raw(html, "<details><summary>All figures</summary>");
	run_figures(comparison, run, true, html);
	html_raw(html, "</details>");
	html_close(html, "section");
}

/* ---- what has no partner, and how it was done ---- */

static void alone_section(const struct run_comparison *comparison, struct html *html)
{
	size_t shown = comparison->alone_count < ROWS_MAX ? comparison->alone_count : ROWS_MAX;
	bool folded = comparison->alone_count > ALONE_OPEN;

	if (comparison->alone_count == 0)
		return;
	html_raw(html, "<section class=\"flow\"><h2>Without a partner</h2><p class=\"note\">Cells "
		       "that were "
		       "measured in one run alone.</p><ul>");
	for (size_t i = 0; i < shown; i++) {
		const struct run_alone *alone = &comparison->alone[i];

		html_open(html, "li", NULL);
		html_name(html, alone->workload);
		html_text(html, alone->levels[0] ? ", " : "");
		html_name(html, alone->levels);
		if (alone->baseline)
			html_textf(html, ": not in run %zu", alone->run);
		else
			html_textf(html, ": in run %zu alone", alone->run);
		html_close(html, "li");
	}
	html_raw(html, "</ul>");
	if (folded)
		html_close(html, "details");
	html_raw(html, "</section>");
}

static void method_section(const struct run_comparison *comparison, struct html *html)
{
	html_raw(html, "<section class=\"flow\"><h2>How this is judged</h2><p>Runs share no "
		       "blocks, so the "
		       "logarithms of their repeats are compared by Welch's test, with 95 % "
		       "intervals, and verdicts hold under Holm's procedure over all cells "
		       "of all runs. A single sample has no interval and no verdict.</p><p>As "
		       "JSON: ");
	html_open(html, "code", NULL);
	html_text(html, "/api/v1/comparisons?runs=");
	for (size_t i = 0; i < comparison->run_count; i++)
		html_textf(html, "%s%s", i ? "," : "", comparison->runs[i]->id);
	html_close(html, "code");
	html_raw(html, ". With <code>&amp;fail_if=iops_percent=-5</code> it passes or fails.</p>"
		       "</section>");
}

char *page_comparison(const struct run_comparison *comparison,
		      const struct run_judgement *judgement)
{
	struct html *html = layout_begin(LAYOUT_SERVED, "Comparison of runs");

	html_element(html, "h1", "Comparison of runs", NULL);
	headline(comparison, html);
	unfair_banner(comparison, html);
	if (judgement)
		limits_banner(comparison, judgement, html);
	runs_table(comparison, html);
	differences_section(comparison, html);
	for (size_t i = 1; i < comparison->run_count; i++)
		figures_section(comparison, i, html);
	alone_section(comparison, html);
	method_section(comparison, html);
	return layout_end(html, NULL);
}
