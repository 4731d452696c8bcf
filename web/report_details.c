/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_details.c - what a doubter or a repeater needs to know. */
#include <inttypes.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/plan/workload_order.h"
#include "server/codec/definition.h"
#include "web/report_rows.h"
#include "web/report_told.h"
#include "web/report_zfs.h"

#define ORDER_ROWS_MAX 1000 /* samples listed */
#define COMMANDS_MAX 200    /* commands of a workload */

/* ---- the definition ---- */

static void put_line(FILE *file, int depth)
{
	(void)fputc('\n', file);
	for (int i = 0; i < depth; i++)
		(void)fputs("  ", file);
}

/* Bytes of a list at text that holds no other list or object and fits on a line; else 0. */
static size_t short_list(const char *text)
{
	bool quoted = false;

	for (size_t i = 1; i < 80 && text[i]; i++) {
		if (text[i] == '\\' && text[i + 1])
			i++;
		else if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && text[i] == ']')
			return i + 1;
		else if (!quoted && (text[i] == '[' || text[i] == '{'))
			return 0;
	}
	return 0;
}

/* Bytes of the string, short list or empty object at text that stay as they are; else 0. */
static size_t piece(const char *text)
{
	if (text[0] == '[')
		return short_list(text);
	if (text[0] == '{')
		return text[1] == '}' ? 2 : 0;
	if (text[0] != '"')
		return 0;
	for (size_t i = 1; text[i]; i++) {
		if (text[i] == '\\' && text[i + 1])
			i++;
		else if (text[i] == '"')
			return i + 1;
	}
	return strlen(text);
}

/* Lays compact JSON of our own out: a member a line, short lists on one. */
static void indent_json(FILE *file, const char *text)
{
	int depth = 0;

	while (*text) {
		size_t length = piece(text);

		if (length) {
			(void)fwrite(text, 1, length, file);
			text += length;
			continue;
		}
		if (*text == '}' || *text == ']')
			put_line(file, --depth);
		(void)fputc(*text, file);
		if (*text == '{' || *text == '[')
			put_line(file, ++depth);
		else if (*text == ',')
			put_line(file, depth);
		else if (*text == ':')
			(void)fputc(' ', file);
		text++;
	}
}

static void show_definition(const struct result *result, struct html *html)
{
	AUTO_FREE char *compact = definition_encode_text(&result->definition);
	AUTO_FREE char *text = NULL;
	size_t size;
	FILE *file = compact ? open_memstream(&text, &size) : NULL;

	html_element(html, "h3", "Definition", NULL);
	if (file) {
		indent_json(file, compact);
		if (fclose(file) == 0) {
			html_element(html, "pre", text, "tabindex", "0", NULL);
			return;
		}
	}
	html_element(html, "p", "There was no memory to show it; result.json has it.", NULL);
}

/* ---- fio ---- */

/* Where fio finds what a sample was measured on: of a zvol or dataset made for the run what the
 * commands above make by hand. NULL on no memory. */
static char *fio_path(const struct target_spec *spec, const struct sample *sample)
{
	char *path = NULL;

	if (!target_kind_is_zfs(spec->kind))
		return strdup(sample->target);
	if (asprintf(&path, "/%s%s", spec->kind == TARGET_ZVOL ? "dev/zvol/" : "",
		     sample->zfs ? sample->zfs->dataset : sample->target) < 0)
		return NULL;
	return path;
}

static void command_of(const struct report *report, const struct cell *cell, struct html *html)
{
	const struct definition *definition = &report->result->definition;
	const struct target_spec *spec;
	const struct sample *sample;
	AUTO_FREE char *command = NULL, *path = NULL;

	if (!cell || !cell->sample_count || !definition->target_count)
		return;
	sample = cell->samples[0];
	spec = &definition->targets[definition_level_target(definition, cell->levels)];
	if (workload_metadata(&sample->options)) {
		html_text(html,
			  "fio has no job that puts files through several operations; bonnie++ "
			  "-s 0 -n is the nearest.\n");
		return;
	}
	if (workload_beyond_fio(&sample->options)) {
		html_text(html, "fio has nothing that does what ");
		html_text(html, workload_beyond_fio(&sample->options));
		html_text(html, " says.\n");
		return;
	}
	path = fio_path(spec, sample);
	command = path ? workload_format_fio(&sample->options, path,
					     target_kind_has_files(spec->kind))
		       : NULL;
	html_text(html, command);
	html_text(html, "\n");
}

static void show_commands(const struct report *report, struct html *html)
{
	char title[ANALYSIS_TITLE_MAX];
	size_t shown = 0;

	html_element(html, "h3", "Equivalent fio commands", NULL);
	html_element(html, "p",
		     "What fio would have to be told to do the same. Volbench's defaults that are "
		     "not fio's are spelled out.",
		     NULL);
	for (size_t k = 0; k < report->analysis.comparison_count && shown < COMMANDS_MAX; k++) {
		const struct comparison *comparison = &report->analysis.comparisons[k];

		if (!comparison->measured)
			continue;
		html_open(html, "details", NULL);
		html_element(html, "summary", analysis_title(&report->analysis, comparison, title),
			     NULL);
		html_open(html, "pre", "tabindex", "0", NULL);
		for (size_t i = 0; i < report->analysis.level_count; i++, shown++)
			command_of(report, comparison->cells[report->analysis.order[i]], html);
		html_close(html, "pre");
		html_close(html, "details");
	}
}

/* ---- environment ---- */

static void show_targets(const struct result *result, struct html *html)
{
	char text[256];

	for (size_t i = 0; i < result->target_count; i++) {
		const struct target_info *info = &result->targets[i];

		html_open(html, "div", NULL);
		html_open(html, "dt", NULL);
		html_element(html, "code", info->path, NULL);
		html_close(html, "dt");
		html_open(html, "dd", NULL);
		html_textf(html, "%s%s", target_kind_names[info->kind],
			   target_kind_is_zfs(info->kind) ? "s beneath it" : "");
		if (info->zfs.pool[0])
			html_textf(html, ", pool %s on OpenZFS %s", info->zfs.pool,
				   info->zfs.version);
		if (info->filesystem[0])
			html_textf(html, " on %s", info->filesystem);
		if (info->device[0])
			html_textf(html, ", device %s", info->device);
		(void)snprintf(text, sizeof(text), "; blocks of %u bytes; %s; %s",
			       info->logical_block_bytes,
			       info->direct ? "direct I/O works" : "no direct I/O",
			       info->nowait ? "can be asked without waiting"
					    : "cannot be asked without waiting");
		html_text(html, text);
		if (info->free_bytes)
			html_textf(html, "; %s free", numbers_bytes((double)info->free_bytes).text);
		html_close(html, "dd");
		html_close(html, "div");
	}
}

static void show_environment(const struct result *result, struct html *html)
{
	const struct environment *environment = &result->environment;
	char text[512];

	html_element(html, "h3", "Environment", NULL);
	html_open(html, "dl", "class", "facts", NULL);
	report_fact(html, "Host", environment->host);
	report_fact(html, "System", environment->os);
	(void)snprintf(text, sizeof(text), "%s (%s)", environment->kernel, environment->machine);
	report_fact(html, "Kernel", text);
	(void)snprintf(text, sizeof(text), "%s, %u CPUs, %u allowed", environment->cpu_model,
		       environment->cpus, environment->cpus_allowed);
	report_fact(html, "Processor", text);
	(void)snprintf(text, sizeof(text), "%s, %s available at the start",
		       numbers_bytes((double)environment->memory_bytes).text,
		       numbers_bytes((double)environment->memory_available_bytes).text);
	report_fact(html, "Memory", text);
	report_fact(html, "io_uring", environment->uring);
	if (environment->zfs_version[0])
		report_fact(html, "OpenZFS", environment->zfs_version);
	(void)snprintf(text, sizeof(text), "%s%s%s", result->backend,
		       result->backend_reason[0] ? ": " : "", result->backend_reason);
	report_fact(html, "Backend", text);
	(void)snprintf(text, sizeof(text), "Volbench %s, liburing %s", environment->program_version,
		       environment->liburing);
	report_fact(html, "Program", text);
	(void)snprintf(text, sizeof(text), "%" PRIu64 ", order %s", result->definition.seed,
		       analysis_grouped_for_space(result) ? "grouped by volume, for want of space"
		       : result->definition.order == ORDER_GROUPED
			       ? "grouped"
			       : "interleaved in counterbalanced blocks");
	report_fact(html, "Seed", text);
	show_targets(result, html);
	html_close(html, "dl");
}

/* ---- samples ---- */

/* All directions together; a dash where one that moves does not tell it, or where none does. */
static void total_cell(const struct sample *sample, bool bandwidth, struct html *html)
{
	bool known = false;
	double total = 0;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		struct told_figure figure =
			bandwidth ? sample_bandwidth_figure(sample, (enum direction)d)
				  : sample_iops_figure(sample, (enum direction)d);

		if (!sample_moves(sample, (enum direction)d))
			continue;
		known = figure.known;
		if (!known)
			break;
		total += figure.value;
	}
	if (bandwidth && !(sample->source && sample->source->index)) /* an index has no unit */
		total /= 1 << 20;
	html_element(html, "td", known ? numbers_exact(total).text : NUMBERS_UNKNOWN, "class",
		     "number", NULL);
}

static void sample_row(const struct sample *sample, struct html *html)
{
	char stamp[CLOCK_TEXT_MAX], text[64];
	bool ours = !sample->source;

	html_open(html, "tr", NULL);
	(void)snprintf(text, sizeof(text), "%zu", sample->order + 1);
	html_element(html, "td", text, "class", "number", NULL);
	html_element(html, "td", sample->workload, NULL);
	report_levels_cell(sample, html);
	(void)snprintf(text, sizeof(text), "%u", sample->repeat);
	html_element(html, "td", text, "class", "number", NULL);
	(void)clock_format(sample->started_wall_ms, stamp);
	(void)snprintf(text, sizeof(text), "%.8s", stamp + 11);
	html_element(html, "td", sample->started_wall_ms ? text : NUMBERS_UNKNOWN, NULL);
	html_element(html, "td",
		     ours || sample->source->seconds_known ? numbers_exact(sample->seconds).text
							   : NUMBERS_UNKNOWN,
		     "class", "number", NULL);
	total_cell(sample, false, html);
	total_cell(sample, true, html);
	html_element(html, "td", ours ? numbers_exact(sample->depth_mean).text : NUMBERS_UNKNOWN,
		     "class", "number", NULL);
	html_close(html, "tr");
}

static void show_samples(const struct report *report, struct html *html)
{
	const struct result *result = report->result;

	html_element(html, "h3",
		     result->definition.imported ? "Samples"
						 : "Samples in the order they were measured",
		     NULL);
	html_raw(html, "<details>");
	html_open(html, "summary", NULL);
	html_textf(html, "%zu samples", result->sample_count);
	html_close(html, "summary");
	html_raw(html, "<div class=\"scroll\"><table><thead><tr>"
		       "<th scope=\"col\" class=\"number\">No.</th>"
		       "<th scope=\"col\">Workload</th><th scope=\"col\">Levels</th>"
		       "<th scope=\"col\" class=\"number\">Repeat</th><th scope=\"col\">UTC</th>"
		       "<th scope=\"col\" class=\"number\">Seconds</th>");
	html_element(html, "th", report->index ? "IOPS, index" : "IOPS", "scope", "col", "class",
		     "number", NULL);
	html_element(html, "th", report->index ? "MiB/s, index" : "MiB/s", "scope", "col", "class",
		     "number", NULL);
	html_raw(html, "<th scope=\"col\" class=\"number\">Mean depth</th></tr></thead><tbody>");
	for (size_t i = 0; i < result->sample_count && i < ORDER_ROWS_MAX; i++)
		sample_row(&result->samples[i], html);
	html_raw(html, "</tbody></table></div>");
	if (result->sample_count > ORDER_ROWS_MAX)
		html_element(html, "p", "The first 1,000; result.csv has all.", NULL);
	html_raw(html, "</details>");
}

void report_appendix(const struct report *report, struct html *html)
{
	bool imported = report->result->definition.imported;

	html_element(html, "h3", "Downloads", NULL);
	html_raw(html, "<ul class=\"downloads\">"
		       "<li><a href=\"result.json\">result.json</a>: all that is known, with "
		       "histograms and series where there are any</li>"
		       "<li><a href=\"result.csv\">result.csv</a>: a row a sample and direction, "
		       "job or phase, exact figures</li>");
	if (!imported) {
		html_raw(html, "<li><a href=\"fio.json\">fio.json</a>: in the layout of fio's own "
			       "output");
		if (report->files)
			html_text(html, ", without the metadata workloads");
		html_raw(html, "</li>");
	}
	html_raw(html, "</ul>");
	if (imported)
		report_told_sources(report, html);
	show_definition(report->result, html);
	if (!imported) {
		report_zfs_commands(report, html);
		show_commands(report, html);
		show_environment(report->result, html);
	}
	show_samples(report, html);
}
