/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_words.c - the top of a report in words: how the run ended, and what its figures say, which
 * is the analysis's statements (engine/analysis/statements.h).
 */
#include <math.h>
#include <string.h>

#include "engine/analysis/words.h"
#include "web/report_zfs.h"

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- how the run ended ---- */

void report_banner(const struct report *report, struct html *html)
{
	static const char *const words[RUN_STATE_COUNT] = {
		[RUN_QUEUED] = "has not begun",
		[RUN_RUNNING] = "is not over yet",
		[RUN_FAILED] = "failed",
		[RUN_CANCELLED] = "was cancelled",
		[RUN_INTERRUPTED] = "was interrupted",
	};
	const struct result *result = report->result;
	bool failed = result->state == RUN_FAILED;
	bool whole = result->state == RUN_DONE &&
		     (result->definition.imported ||
		      result->sample_count >= result_expected_samples(result));

	if (whole)
		return;
	html_open(html, "div", "class", failed ? "banner error" : "banner warning", "role", "note",
		  NULL);
	html_open(html, "p", NULL);
	html_element(html, "strong", failed ? "Failed. " : "Incomplete. ", NULL);
	if (result->state < RUN_STATE_COUNT && words[result->state])
		html_textf(html, "This run %s: ", words[result->state]);
	html_textf(html, "%zu of %zu samples were measured.", result->sample_count,
		   result_expected_samples(result));
	if (result->sample_count)
		html_text(html, " What follows is made of these alone.");
	html_close(html, "p");
	if (result->error.code != ERROR_NONE) {
		html_open(html, "p", NULL);
		html_text(html, result->error.message);
		html_element(html, "code", error_code_text(result->error.code), "class", "code",
			     NULL);
		html_close(html, "p");
	}
	html_close(html, "div");
}

/* ---- the headline ---- */

static void plain_figure(const struct report *report, const struct comparison *comparison,
			 struct html *html)
{
	size_t level = comparison->best;
	double iops = report_total(comparison, level, MEASURE_IOPS);
	double bytes = report_total(comparison, level, MEASURE_BANDWIDTH);
	char title[WORDS_NAME_MAX];

	html_textf(html, "%s ", words_title(&report->analysis, comparison, title));
	html_open(html, "b", NULL);
	if (comparison->files)
		html_textf(html, "%s/s", numbers_count(iops).text);
	else
		html_text(html,
			  isnan(iops) ? numbers_bandwidth(bytes).text : numbers_iops(iops).text);
	html_close(html, "b");
	if (!isnan(iops) && !isnan(bytes))
		html_textf(html, " (%s)", numbers_bandwidth(bytes).text);
}

/* Without factors, or with one level: the figures themselves. */
static void plain_sentence(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	size_t count = 0, shown = 0;

	for (size_t k = 0; k < analysis->comparison_count; k++)
		count += analysis->comparisons[k].measured > 0;
	html_textf(html, "%zu %s%s measured: ", count, report->files ? "figure" : "workload",
		   plural(count));
	for (size_t k = 0; k < analysis->comparison_count && shown < 3; k++) {
		if (!analysis->comparisons[k].measured)
			continue;
		html_text(html, shown++ ? ", " : "");
		plain_figure(report, &analysis->comparisons[k], html);
	}
	html_text(html, shown < count ? ", and more below." : ".");
}

/* A percent sign stays with its number at a line's end. */
static void put_sentence(struct html *html, const char *text)
{
	const char *sign;

	for (; (sign = strstr(text, " %")); text = sign + 1) {
		html_textf(html, "%.*s", (int)(sign - text), text);
		html_raw(html, "&#160;");
	}
	html_text(html, text);
}

/* ---- how sure ---- */

/* Whether the levels' order within a repeat was random, so that a verdict is what it claims. */
static bool randomised(const struct result *result)
{
	return !result->definition.imported && result->definition.order != ORDER_GROUPED &&
	       !analysis_grouped_for_space(result);
}

static void how_sure_words(const struct report *report, struct html *html)
{
	const struct recommendation *recommendation = &report->analysis.recommendation;
	size_t complete = 0, worse;

	for (size_t i = 0; i < recommendation->level_count; i++)
		complete += recommendation->levels[i].complete;
	worse = complete - recommendation->set_count;
	if (recommendation->kind == RECOMMENDATION_SET && worse == 0)
		html_textf(html,
			   "open. Any of these %zu levels may be the best, as far as %zu "
			   "repeats show. ",
			   recommendation->set_count, recommendation->blocks);
	else if (recommendation->kind == RECOMMENDATION_SET)
		html_textf(html, "between these %zu levels it is open; %s, by %zu repeats. ",
			   recommendation->set_count,
			   worse == 1 ? "the other is shown worse" : "all others are shown worse",
			   recommendation->blocks);
	else
		html_textf(html, "%s shown worse over all, by %zu repeats. ",
			   worse == 1 ? "the other level is" : "every other level is",
			   recommendation->blocks);
	if (worse > 0 && randomised(report->result))
		html_text(html, "Of a hundred such reports at most five hold any false verdict. ");
}

/* Once the headline has given its answer: what it rests on, and what brackets are. */
static void how_sure(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	bool judged = analysis->statement_count > 0 && recommendation->levels &&
		      (recommendation->kind == RECOMMENDATION_LEVEL ||
		       recommendation->kind == RECOMMENDATION_SET);
	bool brackets = false;

	for (size_t i = 0; i < analysis->statement_count; i++)
		brackets |= strchr(analysis->statements[i].text, '[') != NULL;
	if (!judged && !brackets)
		return;
	html_open(html, "p", "class", "sure", NULL);
	if (judged) {
		html_element(html, "b", "How sure: ", NULL);
		how_sure_words(report, html);
	}
	if (brackets)
		html_raw(html, "Brackets hold 95&#160;% intervals.");
	html_close(html, "p");
}

/* The answer, the level in it set off. */
static void put_answer(const struct analysis *analysis, struct html *html)
{
	const char *text = analysis->statements[0].text, *at = NULL;
	char level[WORDS_LEVEL_MAX];

	if (analysis->recommendation.levels &&
	    analysis->recommendation.kind == RECOMMENDATION_LEVEL)
		at = strstr(text, words_level(analysis, analysis->recommendation.leader, level));
	if (!at) {
		put_sentence(html, text);
		return;
	}
	html_textf(html, "%.*s", (int)(at - text), text);
	html_element(html, "b", level, NULL);
	put_sentence(html, at + strlen(level));
}

/* All but the first, and what report_order_note() says with more words. */
static void further_statements(const struct analysis *analysis, struct html *html)
{
	bool any = false;

	for (size_t i = 1; i < analysis->statement_count; i++) {
		if (strcmp(analysis->statements[i].code, "order_grouped") == 0)
			continue;
		if (!any)
			html_open(html, "ul", "class", "statements", NULL);
		any = true;
		html_open(html, "li", NULL);
		put_sentence(html, analysis->statements[i].text);
		html_close(html, "li");
	}
	if (any)
		html_close(html, "ul");
}

void report_headline(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;

	html_open(html, "p", "class", "headline", NULL);
	if (report->result->sample_count == 0)
		html_text(html, "Nothing was measured.");
	else if (analysis->statement_count)
		put_answer(analysis, html);
	else
		plain_sentence(report, html);
	html_close(html, "p");
	how_sure(report, html);
	further_statements(analysis, html);
}
