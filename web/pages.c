/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pages.c - see pages.h. */
#include "web/pages.h"

#include <inttypes.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/embedded.h"
#include "web/layout.h"
#include "web/numbers.h"

static const char *state_name(enum run_state state)
{
	return state < RUN_STATE_COUNT ? run_state_names[state] : "unknown";
}

static void state_badge(enum run_state state, const char *id, struct html *html)
{
	char class[48];

	(void)snprintf(class, sizeof(class), "state %s", state_name(state));
	html_element(html, "span", state_name(state), "class", class, "id", id, NULL);
}

/* "2026-11-30 11:30 UTC" in a time element that also says it exactly. */
static void moment(uint64_t wall_ms, struct html *html)
{
	char stamp[CLOCK_TEXT_MAX], text[CLOCK_TEXT_MAX];

	(void)clock_format(wall_ms, stamp);
	(void)snprintf(text, sizeof(text), "%.10s %.5s UTC", stamp, stamp + 11);
	html_element(html, "time", text, "datetime", stamp, NULL);
}

/* ---- all runs ---- */

/* Two of these in a row's cell choose the runs that /compare is asked for, without scripts. */
static void choice(const struct store_run *run, const char *name, const char *letter,
		   struct html *html)
{
	char label[DEFINITION_NAME_MAX + 32];

	(void)snprintf(label, sizeof(label), "%s: %s", name, run->name[0] ? run->name : run->id);
	html_open(html, "label", NULL);
	html_void(html, "input", "type", "radio", "name", name, "value", run->id, "aria-label",
		  label, "required", "required", NULL);
	html_text(html, letter);
	html_close(html, "label");
}

static void choices(const struct store_run *run, struct html *html)
{
	html_open(html, "td", "class", "choices", NULL);
	if (run_state_ended(run->state) && run->samples_done > 0) {
		choice(run, "baseline", "A", html);
		choice(run, "other", "B", html);
	}
	html_close(html, "td");
}

static void run_row(const struct store_run *run, bool choose, struct html *html)
{
	char address[RUN_ID_MAX + 16];

	(void)snprintf(address, sizeof(address), "/runs/%s/", run->id);
	html_open(html, "tr", NULL);
	html_open(html, "th", "scope", "row", NULL);
	html_element(html, "a", run->name[0] ? run->name : run->id, "href", address, NULL);
	html_close(html, "th");
	html_open(html, "td", NULL);
	state_badge(run->state, NULL, html);
	html_close(html, "td");
	if (choose)
		choices(run, html);
	html_open(html, "td", NULL);
	moment(run->created_wall_ms, html);
	html_close(html, "td");
	html_open(html, "td", "class", "number", NULL);
	html_textf(html, "%" PRIu64 " of %" PRIu64, run->samples_done, run->samples_total);
	html_close(html, "td");
	html_open(html, "td", "class", "number", NULL);
	if (run->started_wall_ms && run->ended_wall_ms >= run->started_wall_ms)
		html_text(html, numbers_duration(
					(double)(run->ended_wall_ms - run->started_wall_ms) / 1000)
					.text);
	html_close(html, "td");
	html_close(html, "tr");
}

static void how_to_start(bool open, const char *host, struct html *html)
{
	html_open(html, "details", "open", open ? "open" : NULL, NULL);
	html_raw(html,
		 "<summary>How to start a run</summary>"
		 "<p>Post a definition, or the name of one, and where to measure. The place must "
		 "be one the service was started with (<code>--allow</code>, or "
		 "<code>--allow-dataset</code> for zvols and datasets).</p>"
		 "<pre tabindex=\"0\">curl -H 'Content-Type: application/json' \\\n"
		 "     -d '{\"definition\": \"demo\", \"target\": {\"directory\": "
		 "\"/path/to/scratch\"}}' \\\n"
		 "     http://");
	html_text(html, host);
	html_raw(html,
		 "/api/v1/runs</pre>"
		 "<p>On OpenZFS zvols of several block sizes are made, filled, measured and "
		 "destroyed by <code>{\"definition\": \"volblocksize\", \"parent\": "
		 "\"tank/volbench\"}</code>; <code>recordsize</code> and "
		 "<code>zvol-vs-file</code> take a parent as well.</p>"
		 "<p>The same body posted to <code>/api/v1/plan</code> says what a run would do, "
		 "and does nothing. <a href=\"/api/v1/definitions\">Definitions</a> lists the "
		 "names, <a href=\"/api/v1/targets\">targets</a> the places, and "
		 "<a href=\"/openapi.yaml\">openapi.yaml</a> describes every call.</p>"
		 "<p>What fio, diskspd, bonnie++ or dd printed is taken in as a run that is done; "
		 "several files make one comparison:</p>"
		 "<pre tabindex=\"0\">curl -F file=@before.json -F file=@after.json http://");
	html_text(html, host);
	html_raw(html, "/api/v1/imports</pre>");
	html_close(html, "details");
}

/* Two runs at least that have something to compare. */
static bool can_compare(const struct store_run *runs, size_t count)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += run_state_ended(runs[i].state) && runs[i].samples_done > 0;
	return found >= 2;
}

static void runs_table(const struct store_run *runs, size_t count, struct html *html)
{
	bool choose = can_compare(runs, count);

	if (choose)
		html_open(html, "form", "action", "/compare", "method", "get", NULL);
	html_raw(html, "<div class=\"scroll\"><table class=\"runs stack\"><thead><tr>"
		       "<th scope=\"col\">Run</th><th scope=\"col\">State</th>");
	/* Early, so that it can be chosen from on a narrow screen. */
	if (choose)
		html_raw(html, "<th scope=\"col\">Compare</th>");
	html_raw(html, "<th scope=\"col\">Accepted</th>"
		       "<th scope=\"col\" class=\"number\">Samples</th>"
		       "<th scope=\"col\" class=\"number\">Duration</th>"
		       "</tr></thead><tbody>");
	for (size_t i = 0; i < count; i++)
		run_row(&runs[i], choose, html);
	html_raw(html, "</tbody></table></div>");
	if (!choose)
		return;
	html_raw(html, "<p class=\"note\">A is the baseline, B what is held against it. "
		       "<button type=\"submit\">Compare A with B</button></p>");
	html_close(html, "form");
}

char *page_runs(const struct store_run *runs, size_t count, uint64_t next, const char *host)
{
	struct html *html = layout_begin(LAYOUT_SERVED, "All runs");
	char address[48];

	html_element(html, "h1", "Runs", NULL);
	if (count == 0)
		html_element(html, "p", "There are none yet.", NULL);
	else
		runs_table(runs, count, html);
	if (next) {
		(void)snprintf(address, sizeof(address), "/?cursor=%" PRIu64, next);
		html_open(html, "p", NULL);
		html_element(html, "a", "Older runs", "href", address, NULL);
		html_close(html, "p");
	}
	how_to_start(count == 0, host, html);
	return layout_end(html, NULL);
}

char *page_choose_runs(const struct store_run *runs, size_t count, const char *host)
{
	struct html *html = layout_begin(LAYOUT_SERVED, "Compare two runs");

	html_element(html, "h1", "Compare two runs", NULL);
	if (can_compare(runs, count)) {
		html_element(html, "p",
			     "Choose the baseline as A, such as the run before a change, and what "
			     "is held against it as B. What differs between them beside the "
			     "figures is told first.",
			     "class", "lead", NULL);
		runs_table(runs, count, html);
		html_raw(html, "<p><a href=\"/\">All runs</a></p>");
	} else {
		html_element(html, "p",
			     "It takes two runs that have ended and have figures, and there are "
			     "not as many yet.",
			     "class", "headline", NULL);
		html_raw(html, "<p><a href=\"/\">All runs</a></p>");
		how_to_start(true, host, html);
	}
	return layout_end(html, NULL);
}

/* ---- one run ---- */

static const char *const phase_words[] = {
	[PHASE_PREPARE] = "Preparing the target",
	[PHASE_FILL] = "Filling the target",
	[PHASE_RAMP] = "Ramp of",
	[PHASE_MEASURE] = "Measuring",
	[PHASE_VERIFY] = "Reading back",
	[PHASE_TEARDOWN] = "Removing what was made",
};

/* "Measuring Exchange, iodepth=16, repeat 2"; live.js writes the same words. */
static void now_line(const struct progress *progress, struct html *html)
{
	if ((size_t)progress->phase < ARRAY_SIZE(phase_words))
		html_text(html, phase_words[progress->phase]);
	if (!progress->workload[0])
		return;
	if (progress->phase < PHASE_RAMP || progress->phase > PHASE_VERIFY)
		html_text(html, " for");
	html_textf(html, " %s%s%s, repeat %u", progress->workload, progress->cell[0] ? ", " : "",
		   progress->cell, progress->repeat);
}

static void progress_bar(const struct store_run *run, const struct progress_state *state,
			 struct html *html)
{
	double percent = state->known ? state->progress.percent : 0;
	char value[32];

	if (!(percent >= 0 && percent <= 100))
		percent = percent > 100 ? 100 : 0;
	(void)snprintf(value, sizeof(value), "%.1f", percent);
	html_open(html, "progress", "id", "bar", "max", "100", "value", value, "aria-label",
		  "Share of the run's time", NULL);
	html_textf(html, "%s %%", value);
	html_close(html, "progress");
	html_open(html, "p", "id", "counts", NULL);
	html_textf(html, "%" PRIu64 " of %" PRIu64 " samples",
		   state->samples > run->samples_done ? state->samples : run->samples_done,
		   run->samples_total);
	if (state->known && state->progress.seconds_left > 0)
		html_textf(html, ", %s %s left", state->progress.at_most ? "at most" : "about",
			   numbers_duration(state->progress.seconds_left).text);
	html_close(html, "p");
	html_open(html, "p", "id", "now", "class", "note", NULL);
	if (state->known)
		now_line(&state->progress, html);
	html_close(html, "p");
}

static void ended_words(const struct store_run *run, struct html *html)
{
	char address[RUN_ID_MAX + 40];

	if (run->error.code != ERROR_NONE) {
		html_open(html, "div", "class",
			  run->state == RUN_FAILED ? "banner error" : "banner warning", "role",
			  "note", NULL);
		html_open(html, "p", NULL);
		html_text(html, run->error.message);
		html_element(html, "code", error_code_text(run->error.code), "class", "code", NULL);
		html_close(html, "p");
		html_close(html, "div");
	}
	html_element(html, "p",
		     "The report is being drawn. It appears here when it is done; while another "
		     "run measures that can take a minute.",
		     NULL);
	html_open(html, "p", NULL);
	html_text(html, "The figures are there already: ");
	(void)snprintf(address, sizeof(address), "/api/v1/runs/%s/result", run->id);
	html_element(html, "a", "result.json", "href", address, NULL);
	html_text(html, ", ");
	(void)snprintf(address, sizeof(address), "/api/v1/runs/%s/result.csv", run->id);
	html_element(html, "a", "result.csv", "href", address, NULL);
	html_text(html, ", ");
	(void)snprintf(address, sizeof(address), "/api/v1/runs/%s/analysis", run->id);
	html_element(html, "a", "analysis", "href", address, NULL);
	if (run->started_wall_ms > 0) { /* else it was imported */
		html_text(html, ", ");
		(void)snprintf(address, sizeof(address), "/api/v1/runs/%s/fio.json", run->id);
		html_element(html, "a", "fio.json", "href", address, NULL);
	}
	html_text(html, ".");
	html_close(html, "p");
}

char *page_run_live(const struct store_run *run, const struct progress_state *state)
{
	struct html *html = layout_begin(LAYOUT_LIVE, run->name[0] ? run->name : run->id);
	char seq[24];

	(void)snprintf(seq, sizeof(seq), "%" PRIu64, state->seq);
	html_element(html, "h1", run->name[0] ? run->name : run->id, NULL);
	html_open(html, "div", "id", "live", "data-run", run->id, "data-state",
		  state_name(run->state), "data-seq", seq, NULL);
	html_open(html, "p", NULL);
	state_badge(run->state, "state", html);
	html_text(html, " accepted ");
	moment(run->created_wall_ms, html);
	html_close(html, "p");
	if (run->state == RUN_QUEUED || run->state == RUN_RUNNING) {
		if (run->state == RUN_QUEUED)
			html_element(html, "p", "Waiting for its turn: one run measures at a time.",
				     "id", "waiting", NULL);
		progress_bar(run, state, html);
	} else {
		ended_words(run, html);
	}
	html_close(html, "div");
	html_raw(html, "<noscript><p class=\"note\">This page loads itself again every five "
		       "seconds.</p></noscript>");
	return layout_end(html, NULL);
}

/* ---- studies ---- */

static void study_entry(const struct page_study *study, struct html *html)
{
	char address[128];

	html_open(html, "section", "class", "flow", NULL);
	html_open(html, "h2", NULL);
	(void)snprintf(address, sizeof(address), "/studies/%s/", study->name);
	html_element(html, "a", study->title, "href", address, NULL);
	html_close(html, "h2");
	html_element(html, "p", study->description, NULL);
	html_open(html, "p", "class", "note", NULL);
	html_text(html, "Measured here by the definition ");
	html_element(html, "code", study->definitions, NULL);
	html_text(html, "; its figures as a ");
	(void)snprintf(address, sizeof(address), "/api/v1/studies/%s", study->name);
	html_element(html, "a", "table", "href", address, NULL);
	html_text(html, ".");
	html_close(html, "p");
	html_close(html, "section");
}

char *page_studies(const struct page_study *studies, size_t count, const char *host)
{
	struct html *html = layout_begin(LAYOUT_SERVED, "Studies");

	html_element(html, "h1", "Studies", NULL);
	html_element(html, "p",
		     "Comparisons that others have published, with their own figures, looked at "
		     "as any result is here: what they show, what they do not, and where they "
		     "disagree with themselves.",
		     "class", "lead", NULL);
	for (size_t i = 0; i < count; i++)
		study_entry(&studies[i], html);
	html_open(html, "p", "class", "note", NULL);
	html_text(html, "A table of your own is read the same way: ");
	html_open(html, "code", NULL);
	html_textf(html, "curl -F file=@table.json http://%s/api/v1/imports", host);
	html_close(html, "code");
	html_text(html, ".");
	html_close(html, "p");
	return layout_end(html, NULL);
}

char *page_study_wait(const char *title)
{
	struct html *html = layout_begin(LAYOUT_AGAIN, title);

	html_element(html, "h1", title, NULL);
	html_element(html, "p",
		     "The report is being drawn. It appears here when it is done; while a run "
		     "measures that can take a minute.",
		     NULL);
	html_element(html, "p", "This page loads itself again every two seconds.", "class", "note",
		     NULL);
	return layout_end(html, NULL);
}

/* ---- files ---- */

int page_static(const char *name, const char **ret_data, size_t *ret_size, const char **ret_type)
{
	static const struct {
		const char *name, *path, *type;
	} files[] = {
		{"style.css", "web/static/style.css", "text/css; charset=utf-8"},
		{"service.css", "web/static/service.css", "text/css; charset=utf-8"},
		{"live.js", "web/static/live.js", "text/javascript; charset=utf-8"},
		{"icon.svg", "web/static/icon.svg", "image/svg+xml"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct embedded *embedded;

		if (strcmp(name, files[i].name) != 0)
			continue;
		embedded = embedded_find(files[i].path);
		if (!embedded)
			return 0;
		*ret_data = embedded->data;
		*ret_size = embedded_size(embedded);
		*ret_type = files[i].type;
		return 1;
	}
	return 0;
}
