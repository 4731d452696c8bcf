/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_verdicts.c - what each comparison of a report shows: in words, and as a table. */
#include <math.h>
#include <string.h>

#include "engine/analysis/words.h"
#include "web/report_parts.h"

#define PAIRS_OPEN 12  /* more are folded */
#define PAIRS_MAX 1000 /* rows */

static size_t put_levels(const struct report *report, const struct comparison *comparison,
			 bool skip_best, char *buffer, size_t size)
{
	const struct analysis *analysis = &report->analysis;
	size_t used = 0, count = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < analysis->level_count; i++) {
		size_t level = analysis->order[i];

		if (!comparison->figures[level].samples ||
		    !report_strong(comparison, level, comparison->measure) ||
		    (skip_best && level == comparison->best))
			continue;
		if (used + 100 < size)
			used += (size_t)snprintf(buffer + used, size - used, "%s%.80s",
						 count ? ", " : "",
						 analysis_level(analysis, level));
		count++;
	}
	return count;
}

const char *report_verdict(const struct report *report, const struct comparison *comparison,
			   char buffer[REPORT_VERDICT_MAX])
{
	char levels[REPORT_VERDICT_MAX - 120], best[WORDS_LEVEL_MAX];
	size_t count;

	buffer[0] = '\0';
	if (comparison->measured < 2)
		return comparison->measured ? buffer : "not measured";
	(void)words_level(&report->analysis, comparison->best, best);
	count = put_levels(report, comparison, comparison->blocks > 1, levels, sizeof(levels));
	if (comparison->blocks < 2)
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "%s figure%s at %s",
			       comparison->measure == MEASURE_LATENCY ? "lowest" : "highest",
			       count > 1 ? "s" : "", levels);
	else if (count == 0)
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "%.80s is best", best);
	else if (count + 1 == comparison->measured)
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "no difference shown");
	else
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "%.80s; not shown worse: %s", best,
			       levels);
	return buffer;
}

static void figure_cell(const struct report *report, const struct comparison *comparison,
			enum measure measure, struct html *html)
{
	double value = report_total(comparison, comparison->best,
				    report_measure(report, comparison, measure));
	struct number (*format)(double) =
		measure == MEASURE_BANDWIDTH ? numbers_mib : numbers_count;

	if (isnan(value)) {
		html_element(html, "td", NUMBERS_UNKNOWN, "class", "number", NULL);
		return;
	}
	html_element(html, "td", format(value).text, "class", "number", "title",
		     numbers_exact(measure == MEASURE_BANDWIDTH ? value / (1 << 20) : value).text,
		     NULL);
}

static void summary_head(const struct report *report, struct html *html)
{
	bool levels = report->analysis.level_count > 1;

	html_raw(html, "<thead><tr>");
	html_element(html, "th", "Workload", "scope", "col", NULL);
	if (levels)
		html_element(html, "th", "Best at", "scope", "col", NULL);
	html_element(html, "th",
		     report->index    ? "Index"
		     : !report->files ? "IOPS"
				      : "Operations/s",
		     "scope", "col", "class", "number", NULL);
	if (report->bandwidth && !report->index)
		html_element(html, "th", "MiB/s", "scope", "col", "class", "number", NULL);
	if (levels)
		html_element(html, "th", "What is shown", "scope", "col", NULL);
	html_raw(html, "</tr></thead><tbody>");
}

static void summary_row(const struct report *report, const struct comparison *comparison,
			struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	char title[ANALYSIS_TITLE_MAX], verdict[REPORT_VERDICT_MAX];

	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, analysis_title(analysis, comparison, title));
	html_close(html, "th");
	if (analysis->level_count > 1) {
		html_open(html, "td", NULL);
		html_text(html, analysis_level(analysis, comparison->best));
		if (comparison->measure == MEASURE_LATENCY && comparison->measured > 1)
			html_text(html, " (lowest latency)");
		html_close(html, "td");
	}
	figure_cell(report, comparison, MEASURE_IOPS, html);
	if (report->bandwidth && !report->index)
		figure_cell(report, comparison, MEASURE_BANDWIDTH, html);
	if (analysis->level_count > 1)
		html_element(html, "td", report_verdict(report, comparison, verdict), NULL);
	html_raw(html, "</tr>");
}

/* ---- levels over all comparisons ---- */

static void number_head(struct html *html, const char *text)
{
	html_element(html, "th", text, "scope", "col", "class", "number", NULL);
}

/* "leader", "not shown worse", "worse" */
static const char *standing(const struct recommendation *recommendation, size_t level)
{
	const struct recommended_level *own = &recommendation->levels[level];

	if (recommendation->kind == RECOMMENDATION_SINGLE)
		return level == recommendation->leader ? "highest" : "no verdict";
	if (level == recommendation->leader)
		return recommendation->kind == RECOMMENDATION_LEVEL ? "best" : "leads";
	return own->in_set ? "not shown worse" : "shown worse";
}

/* Of percents the sign stands once, before the bracket: -3.9 % [-5.0, -2.8] */
static void interval_span(struct html *html, const char *low, const char *high)
{
	const char *low_sign = strstr(low, " %"), *high_sign = strstr(high, " %");
	bool percents = low_sign && high_sign;

	html_open(html, "span", "class", "interval", NULL);
	html_textf(html, " [%.*s, %.*s]", (int)(percents ? low_sign - low : (long)strlen(low)), low,
		   (int)(percents ? high_sign - high : (long)strlen(high)), high);
	html_close(html, "span");
}

/* A level beside the leader: -3.9 % [-5.0, -2.8] */
static void behind_cell(const struct recommended_level *own, struct html *html)
{
	html_open(html, "td", "class", "number", NULL);
	html_text(html, numbers_change(own->to_leader).text);
	if (own->interval && own->lead_low > 0 && own->lead_high > 0 && own->to_leader < 1)
		interval_span(html, numbers_change(1 / own->lead_high).text,
			      numbers_change(1 / own->lead_low).text);
	html_close(html, "td");
}

static void worst_cell(const struct report *report, const struct recommended_level *own,
		       struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	char title[ANALYSIS_TITLE_MAX];

	html_open(html, "td", NULL);
	html_text(html, numbers_change(own->worst).text);
	if (own->worst < 1 && own->worst_comparison < analysis->comparison_count)
		html_textf(html, " in %s",
			   analysis_title(analysis, &analysis->comparisons[own->worst_comparison],
					  title));
	html_close(html, "td");
}

struct costs {
	bool amplification, space;
};

static void level_row(const struct report *report, size_t level, const struct costs *costs,
		      struct html *html)
{
	const struct recommendation *recommendation = &report->analysis.recommendation;
	const struct recommended_level *own = &recommendation->levels[level];
	bool strong = own->complete && own->in_set && recommendation->kind != RECOMMENDATION_SINGLE;

	html_raw(html, "<tr>");
	html_element(html, "th", analysis_level(&report->analysis, level), "scope", "row", NULL);
	if (!own->complete) {
		html_element(html, "td", "not measured everywhere", NULL);
		html_element(html, "td", NUMBERS_UNKNOWN, "class", "number", NULL);
		html_element(html, "td", NUMBERS_UNKNOWN, NULL);
	} else {
		html_element(html, "td", standing(recommendation, level), "class",
			     strong ? "strong" : NULL, NULL);
		behind_cell(own, html);
		worst_cell(report, own, html);
	}
	if (costs->amplification)
		html_element(html, "td",
			     own->write_amplification > 0
				     ? numbers_times(own->write_amplification).text
				     : NUMBERS_UNKNOWN,
			     "class", "number", NULL);
	if (costs->space)
		html_element(html, "td",
			     own->space > 0 ? numbers_times(own->space).text : NUMBERS_UNKNOWN,
			     "class", "number", NULL);
	html_raw(html, "</tr>");
}

static void levels_table(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	const struct recommendation *recommendation = &analysis->recommendation;
	struct costs costs = {false, false};

	for (size_t i = 0; i < recommendation->level_count; i++) {
		costs.amplification |= recommendation->levels[i].write_amplification > 0;
		costs.space |= recommendation->levels[i].space > 0;
	}
	html_raw(html, "<div class=\"scroll\"><table class=\"stack\"><thead><tr>");
	html_element(html, "th", analysis->axis, "scope", "col", NULL);
	html_element(html, "th", "Over all", "scope", "col", NULL);
	number_head(html, "Beside the leader");
	html_element(html, "th", "Worst loss", "scope", "col", NULL);
	if (costs.amplification)
		number_head(html, "Write amplification");
	if (costs.space)
		number_head(html, "Space a byte");
	html_raw(html, "</tr></thead><tbody>");
	for (size_t i = 0; i < analysis->level_count; i++)
		level_row(report, analysis->order[i], &costs, html);
	html_raw(html, "</tbody></table></div>");
}

/* ---- steps between neighbours ---- */

static void extreme_cell(const struct report *report, double ratio, size_t comparison, bool shown,
			 struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	char title[ANALYSIS_TITLE_MAX];

	html_open(html, "td", NULL);
	if (shown && ratio > 0 && comparison < analysis->comparison_count) {
		html_textf(html, "%s in ", numbers_change(ratio).text);
		html_text(html,
			  analysis_title(analysis, &analysis->comparisons[comparison], title));
	} else {
		html_text(html, NUMBERS_UNKNOWN);
	}
	html_close(html, "td");
}

static void step_row(const struct report *report, const struct trade_off *step, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	const size_t counts[] = {step->better, step->worse, step->open};
	bool judged = analysis->recommendation.kind != RECOMMENDATION_SINGLE;

	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", NULL);
	html_textf(html, "%s to ", analysis_level(analysis, step->from));
	html_text(html, analysis_level(analysis, step->to));
	html_close(html, "th");
	html_element(html, "td",
		     step->ratio > 0 ? numbers_change(step->ratio).text : NUMBERS_UNKNOWN, "class",
		     "number", NULL);
	for (size_t i = 0; judged && i < ARRAY_SIZE(counts); i++)
		html_element(html, "td", numbers_grouped(counts[i]).text, "class", "number", NULL);
	extreme_cell(report, step->most_won, step->won, step->most_won > 1, html);
	extreme_cell(report, step->most_lost, step->lost, step->most_lost < 1, html);
	html_raw(html, "</tr>");
}

static void steps_table(const struct report *report, struct html *html)
{
	const struct recommendation *recommendation = &report->analysis.recommendation;
	bool judged = recommendation->kind != RECOMMENDATION_SINGLE;

	if (!recommendation->trade_off_count || report->analysis.comparison_count < 2)
		return;
	html_element(html, "h3", "From one level to the next", NULL);
	html_element(
		html, "p",
		judged ? "What a step to the neighbour wins and loses: over all, in how many "
			 "comparisons it is shown better, shown worse or neither, and the "
			 "largest of each."
		       : "What a step to the neighbour would win and lose, were single samples "
			 "the truth: over all, and the largest of each.",
		"class", "note", NULL);
	html_raw(html, "<div class=\"scroll\"><table class=\"stack\"><thead><tr>"
		       "<th scope=\"col\">Step</th>");
	number_head(html, "Over all");
	if (judged) {
		number_head(html, "Better");
		number_head(html, "Worse");
		number_head(html, "Neither");
	}
	html_raw(html, "<th scope=\"col\">Most won</th><th scope=\"col\">Most lost</th>"
		       "</tr></thead><tbody>");
	for (size_t i = 0; i < recommendation->trade_off_count; i++)
		step_row(report, &recommendation->trade_offs[i], html);
	html_raw(html, "</tbody></table></div>");
}

/* ---- pairs of levels ---- */

/* Neighbours as shown, and the best against every other; each pair once. */
static bool pair_shown(const struct analysis *analysis, const struct comparison *comparison,
		       size_t one, size_t other)
{
	size_t a = analysis->order[one], b = analysis->order[other];
	size_t between = 0;

	if (a == comparison->best || b == comparison->best)
		return true;
	for (size_t i = one + 1; i < other; i++) /* levels without samples are no neighbours */
		between += comparison->figures[analysis->order[i]].samples > 0;
	return between == 0;
}

static void pair_row(const struct report *report, const struct comparison *comparison, size_t a,
		     size_t b, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	const struct contrast *contrast = analysis_contrast(comparison, a, b);
	/* The better one is told beside the other. */
	size_t of = contrast && words_turned(contrast, a).ratio > 1 ? a : b;
	char title[ANALYSIS_TITLE_MAX], verdict[WORDS_MAX];
	struct words_ratio ratio;

	if (!contrast || !(contrast->ratio > 0))
		return;
	ratio = words_turned(contrast, of);
	html_raw(html, "<tr>");
	html_open(html, "th", "scope", "row", NULL);
	html_name(html, analysis_title(analysis, comparison, title));
	html_close(html, "th");
	html_open(html, "td", NULL);
	html_textf(html, "%s beside ", analysis_level(analysis, of));
	html_text(html, analysis_level(analysis, of == a ? b : a));
	html_close(html, "td");
	html_open(html, "td", "class", "number", NULL);
	html_text(html, numbers_ratio(ratio.ratio).text);
	if (contrast->interval)
		interval_span(html, numbers_ratio(ratio.low).text, numbers_ratio(ratio.high).text);
	html_close(html, "td");
	html_element(html, "td",
		     contrast->interval ? numbers_p(contrast->p_holm).text : NUMBERS_UNKNOWN,
		     "class", "number", NULL);
	html_element(html, "td", words_verdict(contrast, of, comparison->measure, verdict), "class",
		     contrast->verdict == VERDICT_DIFFERENT ? "strong" : NULL, NULL);
	html_element(html, "td",
		     !contrast->interval ? NUMBERS_UNKNOWN
		     : contrast->paired	 ? "paired"
					 : "pooled",
		     NULL);
	html_raw(html, "</tr>");
}

static size_t pair_rows(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	size_t count = 0;

	for (size_t k = 0; k < analysis->comparison_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];

		for (size_t i = 0; comparison->measured > 1 && i < analysis->level_count; i++)
			for (size_t n = i + 1; n < analysis->level_count; n++) {
				size_t a = analysis->order[i], b = analysis->order[n];

				if (!analysis_contrast(comparison, a, b) ||
				    !pair_shown(analysis, comparison, i, n) ||
				    ++count > PAIRS_MAX || !html)
					continue;
				pair_row(report, comparison, a, b, html);
			}
	}
	return count;
}

static void pairs_table(const struct report *report, struct html *html)
{
	size_t count = pair_rows(report, NULL);
	bool judged = report->analysis.recommendation.kind != RECOMMENDATION_SINGLE;

	if (!count)
		return;
	html_element(html, "h3", "Levels beside each other", NULL);
	html_element(
		html, "p",
		"Neighbours, and the highest against every other. Ratios are of geometric "
		"means, with the 95 % interval of that pair alone; p is adjusted over every "
		"pair of levels of every comparison, shown here or not (Holm). Pooled: by the "
		"spread of all levels together, once block and level are taken out; paired: by "
		"the pair's own differences, where spreads differ between levels.",
		"class", "note", NULL);
	html_open(html, "details", "open", count <= PAIRS_OPEN && judged ? "open" : NULL, NULL);
	html_open(html, "summary", NULL);
	html_textf(html, "Table: %zu pair%s of levels", count, count == 1 ? "" : "s");
	html_close(html, "summary");
	html_raw(html, "<div class=\"scroll\"><table class=\"stack\"><thead><tr>"
		       "<th scope=\"col\">Workload</th><th scope=\"col\">Levels</th>");
	number_head(html, "Ratio");
	number_head(html, "p");
	html_raw(html, "<th scope=\"col\">Verdict</th><th scope=\"col\">Spread</th>"
		       "</tr></thead><tbody>");
	(void)pair_rows(report, html);
	html_raw(html, "</tbody></table></div>");
	if (count > PAIRS_MAX)
		html_element(html, "p", "The first 1,000; the analysis as JSON has all.", "class",
			     "note", NULL);
	html_close(html, "details");
}

/* ---- all of it ---- */

static void summary_table(const struct report *report, struct html *html)
{
	const struct analysis *analysis = &report->analysis;
	bool many = analysis->comparison_count > 16;

	if (many) {
		html_raw(html, "<details>");
		html_open(html, "summary", NULL);
		html_textf(html, "Table: the highest of each of %zu comparisons",
			   analysis->comparison_count);
		html_close(html, "summary");
	}
	html_raw(html, "<div class=\"scroll\"><table class=\"summary stack\">");
	summary_head(report, html);
	for (size_t k = 0; k < analysis->comparison_count; k++) {
		const struct comparison *comparison = &analysis->comparisons[k];

		if (comparison->measured && !(analysis->level_count == 1 && comparison->files))
			summary_row(report, comparison, html);
	}
	html_raw(html, "</tbody></table></div>");
	if (many)
		html_raw(html, "</details>");
}

void report_summary(const struct report *report, struct html *html)
{
	/* Without levels the section of files says the same. */
	if (report->analysis.level_count > 1 || report->data)
		summary_table(report, html);
}

void report_verdicts(const struct report *report, struct html *html)
{
	if (report->analysis.recommendation.levels) {
		if (report->analysis.recommendation.kind != RECOMMENDATION_NONE)
			levels_table(report, html);
		summary_table(report, html);
		if (report->analysis.recommendation.kind != RECOMMENDATION_NONE)
			steps_table(report, html);
	} else {
		summary_table(report, html);
	}
	pairs_table(report, html);
}
