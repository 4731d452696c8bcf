/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report_words.c - the sentences at the top of a report, made of its figures. They say what was
 * measured and which figure is the highest, and leave "better" out: see report_parts.h.
 */
#include <inttypes.h>
#include <string.h>

#include "engine/base/clock.h"
#include "web/report_zfs.h"

#define REPEATS_ADVISED 5u /* with 5 the interval of a mean is a seventh of that with 2 */

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
	bool whole = result->state == RUN_DONE && result->sample_count >= result->planned_samples;

	if (whole)
		return;
	html_open(html, "div", "class", failed ? "banner error" : "banner warning", "role", "note",
		  NULL);
	html_open(html, "p", NULL);
	html_element(html, "strong", failed ? "Failed. " : "Incomplete. ", NULL);
	if (result->state < RUN_STATE_COUNT && words[result->state])
		html_textf(html, "This run %s: ", words[result->state]);
	html_textf(html, "%zu of %zu samples were measured.", result->sample_count,
		   result->planned_samples);
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

/* "64K in 4, 128K in 2": how often each level is the highest among the comparisons that count. */
static void tally(const struct report *report, enum metric metric, bool clear_only,
		  struct html *html)
{
	bool first = true;

	for (size_t i = 0; i < report->level_count; i++) {
		size_t count = 0;

		for (size_t k = 0; k < report->comparison_count; k++) {
			const struct comparison *comparison = &report->comparisons[k];

			count += comparison->measured > 1 && comparison->highest[metric] == i &&
				 (!clear_only || comparison->clear[metric]);
		}
		if (!count)
			continue;
		if (!first)
			html_text(html, ", ");
		html_open(html, "b", NULL);
		html_textf(html, "%s=%s", report->axis, report_level(report, i));
		html_close(html, "b");
		html_textf(html, " in %zu", count);
		first = false;
	}
}

/* prefix: by which figure, where that matters. */
static void compare_sentence(const struct report *report, enum metric metric, const char *prefix,
			     struct html *html)
{
	size_t compared = 0, clear = 0, single = 0;
	bool combined = report->result->definition.factor_count > 1 || report->files;
	const char *what = combined ? "comparison" : "workload";

	for (size_t k = 0; k < report->comparison_count; k++) {
		compared += report->comparisons[k].measured > 1;
		clear += report->comparisons[k].clear[metric];
		single += report->comparisons[k].measured > 1 && report->comparisons[k].fewest < 2;
	}
	html_text(html, prefix);
	if (single == compared) {
		html_textf(html,
			   "one sample a cell cannot tell levels of %s apart; the highest "
			   "figure was measured at ",
			   report->axis);
		tally(report, metric, false, html);
		html_textf(html, " of %zu %s%s.", compared, what, plural(compared));
		return;
	}
	if (clear == 0) {
		html_textf(html,
			   "these samples do not tell the highest level of %s from the next "
			   "in any of %zu %s%s.",
			   report->axis, compared, what, plural(compared));
		return;
	}
	html_textf(html,
		   "one level of %s stands clear of the others in %zu of %zu %s%s: ", report->axis,
		   clear, compared, what, plural(compared));
	tally(report, metric, true, html);
	if (clear + 1 == compared)
		html_text(html, ". In the other one the intervals overlap");
	else if (clear < compared)
		html_textf(html, ". In the other %zu the intervals overlap", compared - clear);
	html_text(html, ".");
}

/* Without factors, or with one level: the figures themselves. */
static void plain_sentence(const struct report *report, struct html *html)
{
	size_t count = 0, shown = 0;
	char title[REPORT_TITLE_MAX];

	for (size_t k = 0; k < report->comparison_count; k++)
		count += report->comparisons[k].measured > 0;
	if (report->files)
		html_textf(html, "%zu figure%s measured: ", count, plural(count));
	else
		html_textf(html, "%zu workload%s measured: ", count, plural(count));
	for (size_t k = 0; k < report->comparison_count && shown < 3; k++) {
		const struct comparison *comparison = &report->comparisons[k];
		const struct report_cell *cell;

		if (!comparison->measured)
			continue;
		cell = &comparison->cells[comparison->highest[METRIC_IOPS]];
		html_textf(html, "%s%s ", shown++ ? ", " : "", report_title(comparison, title));
		if (comparison->files) {
			html_open(html, "b", NULL);
			html_textf(html, "%s/s", numbers_count(cell->total[METRIC_IOPS].mean).text);
			html_close(html, "b");
			continue;
		}
		html_element(html, "b", numbers_iops(cell->total[METRIC_IOPS].mean).text, NULL);
		html_textf(html, " (%s)",
			   numbers_bandwidth(cell->total[METRIC_BANDWIDTH].mean).text);
	}
	html_text(html, shown < count ? ", and more below." : ".");
}

/* What would tell apart what these samples do not. */
static void advice(const struct report *report, struct html *html)
{
	unsigned int repeats = report->result->definition.repeats;
	bool open = false;

	for (size_t k = 0; k < report->comparison_count; k++)
		for (int m = 0; m < METRIC_COUNT; m++)
			open |= report->comparisons[k].measured > 1 &&
				!report->comparisons[k].clear[m] &&
				!(report->comparisons[k].files && m != METRIC_IOPS);
	if (!open)
		return;
	if (repeats == 1)
		html_text(html, " Repeats give intervals: set repeats to 5 or more.");
	else if (repeats < REPEATS_ADVISED)
		html_textf(html,
			   " More repeats narrow the intervals: %u or more tell what %u do not.",
			   REPEATS_ADVISED, repeats);
	else
		html_text(html, " More repeats, a longer runtime and a machine that does nothing "
				"else narrow the intervals.");
}

static bool any_clear(const struct report *report)
{
	bool any = false;

	for (size_t k = 0; k < report->comparison_count; k++)
		for (int m = 0; m < METRIC_COUNT; m++)
			any |= report->comparisons[k].clear[m];
	return any;
}

/* Whether any comparison has one for each of its levels. */
static bool any_interval(const struct report *report)
{
	bool any = false;

	for (size_t k = 0; k < report->comparison_count; k++)
		any |= report->comparisons[k].measured > 1 && report->comparisons[k].fewest > 1;
	return any;
}

void report_headline(const struct report *report, struct html *html)
{
	bool compared = false, intervals = any_interval(report);

	for (size_t k = 0; k < report->comparison_count; k++)
		compared |= report->comparisons[k].measured > 1;
	html_open(html, "p", "class", "headline", NULL);
	if (report->result->sample_count == 0) {
		html_text(html, "Nothing was measured.");
	} else if (!compared) {
		plain_sentence(report, html);
	} else if (!report->sizes_vary) {
		compare_sentence(report, METRIC_IOPS, "", html);
	} else if (intervals && !any_clear(report)) {
		compare_sentence(report, METRIC_IOPS, "By IOPS and by bandwidth: ", html);
	} else {
		compare_sentence(report, METRIC_IOPS, "By IOPS: ", html);
		compare_sentence(report, METRIC_BANDWIDTH, " By bandwidth: ", html);
	}
	html_close(html, "p");
	if (!compared)
		return;
	html_open(html, "p", "class", "note", NULL);
	if (intervals)
		html_text(html, "A level stands clear where its 95 % interval (Student's t over "
				"the repeats) lies above that of every other level.");
	advice(report, html);
	html_close(html, "p");
}

/* ---- facts ---- */

void report_fact(struct html *html, const char *name, const char *value)
{
	html_open(html, "div", NULL);
	html_element(html, "dt", name, NULL);
	html_element(html, "dd", value && value[0] ? value : "unknown", NULL);
	html_close(html, "div");
}

static void fact_targets(const struct result *result, struct html *html)
{
	html_open(html, "div", NULL);
	html_element(html, "dt", result->definition.target_count > 1 ? "Targets" : "Target", NULL);
	for (size_t i = 0; i < result->definition.target_count; i++) {
		const struct target_spec *spec = &result->definition.targets[i];

		html_open(html, "dd", NULL);
		if (spec->name)
			html_textf(html, "%s: ", spec->name);
		html_element(html, "code", spec->path, NULL);
		if (target_kind_is_zfs(spec->kind)) {
			report_zfs_kind(spec, html);
		} else if (i < result->target_count) {
			const struct target_info *info = &result->targets[i];

			if (info->filesystem[0])
				html_textf(html, " (%s)", info->filesystem);
			else
				html_textf(html, " (%s)", target_kind_names[info->kind]);
		}
		html_close(html, "dd");
	}
	html_close(html, "div");
}

static void fact_factors(const struct report *report, struct html *html)
{
	const struct definition *definition = &report->result->definition;

	for (size_t f = 0; f < definition->factor_count; f++) {
		const struct factor *factor = &definition->factors[f];

		html_open(html, "div", NULL);
		html_element(html, "dt", factor->name, NULL);
		html_open(html, "dd", NULL);
		for (size_t i = 0; i < factor->level_count; i++)
			html_textf(html, "%s%s", i ? ", " : "",
				   f ? factor->levels[i] : report_level(report, i));
		html_close(html, "dd");
		html_close(html, "div");
	}
}

static void fact_findings(const struct report *report, struct html *html)
{
	static const char *const words[] = {"note", "warning", "error"};
	bool any = false;

	html_open(html, "div", NULL);
	html_element(html, "dt", "Findings", NULL);
	html_open(html, "dd", NULL);
	for (int s = FINDING_ERROR; s >= FINDING_INFO; s--) {
		size_t count = report_findings(report, (enum finding_severity)s);

		if (!count)
			continue;
		html_text(html, any ? ", " : "");
		html_open(html, "a", "href", "#findings", "class", words[s], NULL);
		html_textf(html, "%zu %s%s", count, words[s], plural(count));
		html_close(html, "a");
		any = true;
	}
	if (!any)
		html_text(html, "none");
	html_close(html, "dd");
	html_close(html, "div");
}

static void fact_verified(const struct result *result, struct html *html)
{
	struct verify_result total;
	const char *method;
	char text[128];

	if (!result_verified(result, &total, &method))
		return;
	if (total.errors == 0)
		(void)snprintf(text, sizeof(text), "%llu blocks, %s: all as written",
			       (unsigned long long)total.blocks, method);
	else
		(void)snprintf(text, sizeof(text), "%llu blocks, %s: %llu are not what was written",
			       (unsigned long long)total.blocks, method,
			       (unsigned long long)total.errors);
	report_fact(html, "Read back", text);
}

void report_facts(const struct report *report, struct html *html)
{
	const struct result *result = report->result;
	char text[96], stamp[CLOCK_TEXT_MAX];

	html_open(html, "dl", "class", "facts", NULL);
	report_fact(html, "Host", result->environment.host);
	fact_targets(result, html);
	fact_factors(report, html);
	(void)snprintf(text, sizeof(text), "%zu", result->definition.workload_count);
	report_fact(html, "Workloads", text);
	(void)snprintf(text, sizeof(text), "%u", result->definition.repeats);
	report_fact(html, "Repeats", text);
	(void)snprintf(text, sizeof(text), "%zu of %zu", result->sample_count,
		       result->planned_samples);
	report_fact(html, "Samples", text);
	if (result->started_wall_ms) {
		(void)clock_format(result->started_wall_ms, stamp);
		(void)snprintf(text, sizeof(text), "%.10s %.5s UTC", stamp, stamp + 11);
		report_fact(html, "Started", text);
	}
	if (result->ended_wall_ms > result->started_wall_ms && result->started_wall_ms)
		report_fact(
			html, "Duration",
			numbers_duration((double)(result->ended_wall_ms - result->started_wall_ms) /
					 1000)
				.text);
	if (result->backend[0])
		report_fact(html, "Backend", result->backend);
	fact_verified(result, html);
	fact_findings(report, html);
	html_close(html, "dl");
}

/* ---- per workload ---- */

const char *report_verdict(const struct report *report, const struct comparison *comparison,
			   enum metric metric, char buffer[REPORT_VERDICT_MAX])
{
	const char *highest = report_level(report, comparison->highest[metric]);
	size_t used = 0, strong = 0;

	buffer[0] = '\0';
	if (comparison->measured < 2)
		return comparison->measured ? buffer : "not measured";
	if (comparison->clear[metric]) {
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "%.80s=%.80s stands clear", report->axis,
			       highest);
		return buffer;
	}
	if (comparison->fewest < 2) {
		(void)snprintf(buffer, REPORT_VERDICT_MAX, "highest figure at %.80s=%.80s",
			       report->axis, highest);
		return buffer;
	}
	for (size_t i = 0; i < report->level_count; i++)
		strong += comparison->cells[i].strong[metric];
	if (strong == comparison->measured && strong > 2)
		return "levels not told apart";
	used = (size_t)snprintf(buffer, REPORT_VERDICT_MAX, "%.80s ", report->axis);
	for (size_t i = 0, n = 0; i < report->level_count && used < REPORT_VERDICT_MAX - 100; i++)
		if (comparison->cells[i].strong[metric])
			used += (size_t)snprintf(buffer + used, REPORT_VERDICT_MAX - used,
						 "%s%.80s", n++ ? ", " : "",
						 report_level(report, i));
	if (used < REPORT_VERDICT_MAX)
		(void)snprintf(buffer + used, REPORT_VERDICT_MAX - used, " not told apart");
	return buffer;
}

static void summary_cell(const struct report *report, const struct comparison *comparison,
			 enum metric metric, struct html *html)
{
	size_t level = comparison->highest[metric];
	const struct estimate_interval *total = &comparison->cells[level].total[metric];
	struct number (*format)(double) = metric == METRIC_IOPS ? numbers_count : numbers_mib;

	if (total->count == 0) { /* bandwidth says nothing of files */
		html_element(html, "td", "-", "class", "number", NULL);
		if (report->level_count > 1)
			html_element(html, "td", "-", NULL);
		return;
	}
	html_open(html, "td", "class", "number", "title",
		  numbers_exact(metric == METRIC_IOPS ? total->mean : total->mean / (1 << 20)).text,
		  NULL);
	html_text(html, format(total->mean).text);
	if (total->interval) {
		html_open(html, "span", "class", "interval", NULL);
		html_textf(html, " [%s, %s]", format(total->low > 0 ? total->low : 0).text,
			   format(total->high).text);
		html_close(html, "span");
	}
	html_close(html, "td");
	if (report->level_count > 1)
		html_element(html, "td", report_level(report, level), NULL);
}

static void summary_head(const struct report *report, struct html *html)
{
	bool levels = report->level_count > 1;
	const char *iops = levels ? "Highest IOPS" : "IOPS";
	const char *by = any_interval(report) ? "By the intervals" : "By one sample each";

	html_raw(html, "<thead><tr>");
	html_element(html, "th", "Workload", "scope", "col", NULL);
	if (!report->data)
		iops = levels ? "Highest operations/s" : "Operations/s";
	html_element(html, "th", iops, "scope", "col", "class", "number", NULL);
	if (levels)
		html_element(html, "th", "at", "scope", "col", NULL);
	if (report->data)
		html_element(html, "th", levels ? "Highest MiB/s" : "MiB/s", "scope", "col",
			     "class", "number", NULL);
	if (levels && report->data)
		html_element(html, "th", "at", "scope", "col", NULL);
	if (levels) {
		html_element(html, "th", report->sizes_vary ? "By IOPS" : by, "scope", "col", NULL);
		if (report->sizes_vary)
			html_element(html, "th", "By MiB/s", "scope", "col", NULL);
	}
	html_raw(html, "</tr></thead>");
}

void report_summary(const struct report *report, struct html *html)
{
	char title[REPORT_TITLE_MAX], verdict[REPORT_VERDICT_MAX];
	bool many = report->comparison_count > 16;

	/* Without levels the section of files says the same. */
	if (report->result->sample_count == 0 || (report->level_count == 1 && !report->data))
		return;
	if (many) {
		html_raw(html, "<details>");
		html_open(html, "summary", NULL);
		html_textf(html, "Highest figure in each of %zu comparisons",
			   report->comparison_count);
		html_close(html, "summary");
	}
	html_raw(html, "<div class=\"scroll\"><table class=\"summary\">");
	summary_head(report, html);
	html_raw(html, "<tbody>");
	for (size_t k = 0; k < report->comparison_count; k++) {
		const struct comparison *comparison = &report->comparisons[k];

		if (!comparison->measured || (report->level_count == 1 && comparison->files))
			continue;
		html_raw(html, "<tr>");
		html_open(html, "th", "scope", "row", NULL);
		html_name(html, report_title(comparison, title));
		html_close(html, "th");
		summary_cell(report, comparison, METRIC_IOPS, html);
		if (report->data)
			summary_cell(report, comparison, METRIC_BANDWIDTH, html);
		if (report->level_count > 1)
			html_element(html, "td",
				     report_verdict(report, comparison, METRIC_IOPS, verdict),
				     NULL);
		if (report->level_count > 1 && report->sizes_vary)
			html_element(html, "td",
				     comparison->files ? "-"
						       : report_verdict(report, comparison,
									METRIC_BANDWIDTH, verdict),
				     NULL);
		html_raw(html, "</tr>");
	}
	html_raw(html, "</tbody></table></div>");
	if (many)
		html_raw(html, "</details>");
}
