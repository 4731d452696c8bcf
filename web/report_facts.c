/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_facts.c - the row of facts below a report's headline: what was measured, where and how. */
#include <string.h>

#include "engine/base/clock.h"
#include "web/report_told.h"
#include "web/report_zfs.h"

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

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
			html_textf(
				html, "%s%s", i ? ", " : "",
				f ? factor->levels[i]
				  : analysis_level(&report->analysis, report->analysis.order[i]));
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

/* Of a run of ours: where and how it was measured. */
static void run_facts(const struct report *report, struct html *html)
{
	const struct result *result = report->result;
	char text[96], stamp[CLOCK_TEXT_MAX], repeats[REPEATS_OUTCOME_MAX];

	(void)snprintf(text, sizeof(text), "%u", result->definition.repeats);
	report_fact(html, "Repeats",
		    repeats_may_end(&result->definition) ? result_repeats_text(result, repeats)
							 : text);
	(void)snprintf(text, sizeof(text), "%zu of %zu", result->sample_count,
		       result_expected_samples(result));
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
}

/* The fewest and the most samples that any measured cell has. */
static void imported_counts(const struct report *report, struct html *html)
{
	const struct cells *cells = &report->analysis.cells;
	size_t fewest = 0, most = 0;
	char text[64];

	for (size_t i = 0; i < cells->count; i++) {
		size_t count = cells->list[i].sample_count;

		most = count > most ? count : most;
		if (count && (!fewest || count < fewest))
			fewest = count;
	}
	if (fewest == most)
		(void)snprintf(text, sizeof(text), "%zu", most);
	else
		(void)snprintf(text, sizeof(text), "%zu to %zu", fewest, most);
	report_fact(html, "Repeats", text);
	(void)snprintf(text, sizeof(text), "%zu", report->result->sample_count);
	report_fact(html, "Samples", text);
}

void report_facts(const struct report *report, struct html *html)
{
	const struct result *result = report->result;
	bool imported = result->definition.imported;
	char text[32];

	html_open(html, "dl", "class", "facts", NULL);
	if (imported) {
		report_told_facts(report, html);
	} else {
		report_fact(html, "Host", result->environment.host);
		fact_targets(result, html);
	}
	fact_factors(report, html);
	(void)snprintf(text, sizeof(text), "%zu", result->definition.workload_count);
	report_fact(html, "Workloads", text);
	if (imported)
		imported_counts(report, html);
	else
		run_facts(report, html);
	fact_verified(result, html);
	fact_findings(report, html);
	html_close(html, "dl");
}
