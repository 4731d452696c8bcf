/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_command.c - `volbench plan`: what a run would do, in words or as the whole document. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/repeats.h"
#include "engine/target/telemetry.h"
#include "server/codec/definition.h"
#include "server/codec/view.h"
#include "server/commands.h"
#include "server/output.h"
#include "server/screen.h"
#include "server/source.h"
#include "server/summary.h"
#include "server/summary_zfs.h"
#include "server/supervisor.h"
#include "server/table.h"

#define DEADLINE_MS 120000
#define SAMPLES_SHOWN 10

/* "  Name      text", wrapped. */
static void put_line(FILE *out, size_t width, const char *name, const char *format, ...)
	PRINTF_LIKE(4, 5);

static void put_line(FILE *out, size_t width, const char *name, const char *format, ...)
{
	va_list arguments;
	char *text;
	int n;

	va_start(arguments, format);
	n = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (n < 0)
		return; /* a line less; what matters is in the document */
	fprintf(out, "  %-9s ", name);
	table_wrap(out, text, 12, 12, width);
	free(text);
}

static void print_count(const struct definition *definition, const struct plan *plan, FILE *out,
			size_t width)
{
	AUTO_FREE char *text = NULL;
	char repeats[REPEATS_TEXT_MAX];
	size_t size = 0;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return; /* as above */
	if (plan->estimate.least.samples > 0)
		fprintf(words, "%zu to ", plan->estimate.least.samples);
	fprintf(words, "%zu: %zu workload%s", plan->sample_count, definition->workload_count,
		definition->workload_count == 1 ? "" : "s");
	for (size_t i = 0; i < definition->factor_count; i++)
		fprintf(words, " x %zu of %s", definition->factors[i].level_count,
			definition->factors[i].name);
	fprintf(words, " x %s, %s, seed %llu", repeats_text(definition, repeats),
		plan->one_by_one ? "for want of space one zvol or dataset after another"
		: definition->order == ORDER_INTERLEAVED ? "each repeat a shuffled block of all "
							   "combinations, every second in reverse"
							 : "all repeats of a combination together",
		(unsigned long long)definition->seed);
	if (fclose(words) == 0)
		put_line(out, width, "Samples", "%s", text);
}

#define RANGE_MAX (2 * TABLE_FIGURE_MAX + 8)

/* "1 GiB to 5 GiB", or one where both are shown alike, or the least is none. */
static const char *range_text(const struct estimate *estimate, const char *least, const char *most,
			      char buffer[RANGE_MAX])
{
	if (estimate->least.samples > 0 && strcmp(least, most) != 0)
		(void)snprintf(buffer, RANGE_MAX, "%s to %s", least, most);
	else
		(void)snprintf(buffer, RANGE_MAX, "%s", most);
	return buffer;
}

static void print_estimate(const struct plan_view *view, FILE *out, size_t width)
{
	const struct estimate *estimate = &view->estimate;
	const struct estimate_least *least = &estimate->least;
	char a[TABLE_FIGURE_MAX], b[TABLE_FIGURE_MAX], range[RANGE_MAX];

	table_duration(least->seconds, a);
	table_duration(estimate->seconds, b);
	put_line(out, width, "Time", "about %s", range_text(estimate, a, b, range));
	table_bytes(least->bytes_read, a);
	table_bytes(estimate->bytes_read, b);
	put_line(out, width, "Reads", "about %s", range_text(estimate, a, b, range));
	table_bytes(least->bytes_written, a);
	table_bytes(estimate->bytes_written, b);
	range_text(estimate, a, b, range);
	if (estimate->fill_bytes > 0)
		put_line(out, width, "Writes", "about %s, of which %s fill the target first", range,
			 table_bytes(estimate->fill_bytes, b));
	else
		put_line(out, width, "Writes", "about %s", range);
	put_line(out, width, "Space", "%s", table_bytes(estimate->space_bytes, a));
	put_line(out, width, "Memory", "%s", table_bytes(estimate->memory_bytes, a));
	put_line(out, width, "Backend", "%s: %s", view->backend, view->backend_reason);
}

#define ROOM_MAX (TABLE_FIGURE_MAX + 16)

/* ", 2 GiB large" of what is there, ", 3 GiB free" where something is made; "" of neither. */
static const char *target_room(const struct view_target *target, char buffer[ROOM_MAX])
{
	const struct target_info *info = &target->info;
	bool there = info->kind == TARGET_DEVICE || strcmp(target->action, "read") == 0;
	char figure[TABLE_FIGURE_MAX];

	buffer[0] = '\0';
	if (strcmp(info->path, "/dev/zero") != 0) /* endless, in a file system of its own */
		(void)snprintf(buffer, ROOM_MAX, ", %s %s",
			       table_bytes(there ? info->size_bytes : info->free_bytes, figure),
			       there ? "large" : "free");
	return buffer;
}

/* "volblocksize 4K, 8K and 16K", of the factors that are properties; "" without one. */
static void put_compared(const struct definition *definition, FILE *words)
{
	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];

		if (factor->kind != FACTOR_PROPERTY)
			continue;
		fprintf(words, ", %s", factor->name);
		for (size_t k = 0; k < factor->level_count; k++)
			fprintf(words, "%s%s",
				k == 0			      ? " "
				: k + 1 < factor->level_count ? ", "
							      : " and ",
				factor->levels[k]);
	}
}

/* "6 zvols of 64 GiB each are made beneath it with primarycache=metadata, volblocksize 4K, ..." */
static char *what_is_made(const struct plan *plan, const struct view_target *target, size_t index)
{
	const struct target_spec *spec = &plan->definition->targets[index];
	bool zvol = spec->kind == TARGET_ZVOL;
	char figure[TABLE_FIGURE_MAX];
	size_t count = 0, size;
	char *text = NULL;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return NULL;
	for (size_t i = 0; i < plan->instance_count; i++)
		count += plan->instances[i].target == index;
	fprintf(words, "%zu %s%s", count, target_kind_names[spec->kind], count == 1 ? "" : "s");
	table_bytes(target->file_bytes, figure);
	if (zvol)
		fprintf(words, " of %s%s", figure, count == 1 ? "" : " each");
	else if (target->files > 0)
		fprintf(words, " with %llu file%s of %s", (unsigned long long)target->files,
			target->files == 1 ? "" : "s", figure);
	fprintf(words, " %s made beneath it", count == 1 ? "is" : "are");
	for (size_t i = 0; i < spec->properties.count; i++)
		fprintf(words, "%s%s=%s", i ? ", " : " with ", spec->properties.list[i].name,
			spec->properties.list[i].value);
	put_compared(plan->definition, words);
	fputs(plan->one_by_one ? ": one after another is made, filled, measured and destroyed"
	      : count > 1      ? ", kept all at once, and destroyed at the end"
			       : ", and destroyed at the end",
	      words);
	if (fclose(words) == 0)
		return text;
	free(text);
	return NULL;
}

/* "is overwritten: ...", heap; NULL: no memory. */
static char *what_is_done(const struct plan *plan, const struct view_target *target, size_t index)
{
	char size[TABLE_FIGURE_MAX], *does;
	int n;

	table_bytes(target->file_bytes, size);
	if (target_kind_is_zfs(target->info.kind))
		return what_is_made(plan, target, index);
	if (strcmp(target->action, "read") == 0)
		n = asprintf(&does, "is only read");
	else if (strcmp(target->action, "overwrite") == 0)
		n = asprintf(&does, "is overwritten: the first %s lose what they hold", size);
	else if (target->files == 0)
		n = asprintf(&does, "a directory is made for the workloads' files, and removed at "
				    "the end");
	else if (target->files == 1)
		n = asprintf(&does, "a file of %s is made, and removed at the end", size);
	else
		n = asprintf(&does, "%llu files of %s each are made, and removed at the end",
			     (unsigned long long)target->files, size);
	return n < 0 ? NULL : does;
}

/* "(ext4 on sda, 3 GiB free)"; of what is made on OpenZFS "(2 x mirror of 2, 3 GiB free)" */
static void print_target(const struct plan *plan, const struct view_target *target, size_t index,
			 FILE *out, size_t width)
{
	const struct target_info *info = &target->info;
	AUTO_FREE char *does = what_is_done(plan, target, index), *text = NULL;
	bool made = target_kind_is_zfs(info->kind);
	const char *lies = info->device[0] || info->filesystem[0] ? info->device : "no device";
	char room[ROOM_MAX];
	int n;

	if (made)
		lies = info->zfs.layout[0] ? info->zfs.layout : "OpenZFS";
	n = asprintf(&text, "%s%s %s (%s%s%s%s): %s%s", target_kind_names[info->kind],
		     made ? " beneath" : "", info->path, made ? "" : info->filesystem,
		     !made && info->filesystem[0] && info->device[0] ? " on " : "", lies,
		     target_room(target, room), does ? does : "",
		     info->checked ? "" : "; not checked, since a run is measuring");
	if (n < 0)
		text = NULL;
	if (text) {
		fputs("  ", out);
		table_wrap(out, text, 2, 4, width);
	}
}

/* Each pool once. */
static void print_pools(const struct plan_view *view, FILE *out, size_t width)
{
	for (size_t i = 0; i < view->target_count; i++) {
		const struct zfs_facts *facts = &view->targets[i].info.zfs;
		AUTO_FREE char *line = NULL;
		bool told = !facts->pool[0];

		for (size_t k = 0; k < i; k++)
			told |= strcmp(view->targets[k].info.zfs.pool, facts->pool) == 0;
		line = told ? NULL : summary_pool_text(facts);
		if (!line)
			continue;
		fputs("  ", out);
		table_wrap(out, line, 2, 4, width);
	}
}

/* The options that a workload's samples share by their definition, as a person would type them. */
static void print_part(const struct definition *definition, size_t index, size_t part, FILE *out,
		       size_t width)
{
	const struct workload *workload = &definition->workloads[index];
	AUTO_FREE char *text = NULL;
	size_t size = 0, indent = workload->part_count ? 4 : 2;
	FILE *words = open_memstream(&text, &size);
	struct workload whole;
	int r;

	if (!words)
		return; /* a line less */
	workload_init(&whole);
	r = workload_copy(&definition->defaults, &whole);
	if (r == 0)
		r = workload_overlay(&whole, workload);
	if (r == 0 && workload->part_count > 0)
		r = workload_overlay(&whole, &workload->parts[part]);
	if (r == 0)
		r = workload_overlay(&whole, &definition->override);
	fprintf(words, "%s:", workload_part(workload, part)->name);
	for (int id = 0; r == 0 && id < OPTION_ID_COUNT; id++) {
		AUTO_FREE char *value = NULL;

		if (id == OPTION_ID_NAME || !workload_is_set(&whole, (enum option_id)id))
			continue;
		value = option_format(option_at((enum option_id)id), &whole);
		fprintf(words, " %s=%s", option_at((enum option_id)id)->name, value ? value : "?");
	}
	workload_done(&whole);
	if (fclose(words) != 0)
		return;
	fprintf(out, "%*s", (int)indent, "");
	table_wrap(out, text, indent, indent + 2, width);
}

static void print_workload(const struct definition *definition, size_t index, FILE *out,
			   size_t width)
{
	const struct workload *workload = &definition->workloads[index];

	if (workload->part_count > 0)
		fprintf(out, "  %s, %zu jobs together:\n", workload->name, workload->part_count);
	for (size_t i = 0; i < workload_parts(workload); i++)
		print_part(definition, index, i, out, width);
}

static void print_factors(const struct definition *definition, FILE *out, size_t width)
{
	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];
		AUTO_FREE char *text = NULL;
		size_t size = 0;
		FILE *words = open_memstream(&text, &size);

		if (!words)
			return; /* a line less */
		fprintf(words, "%s:", factor->name);
		for (size_t k = 0; k < factor->level_count; k++)
			fprintf(words, "%s %s", k ? "," : "", factor->levels[k]);
		if (fclose(words) != 0)
			return;
		fputs("  ", out);
		table_wrap(out, text, 2, 4, width);
	}
}

static int print_samples(const struct plan *plan, FILE *out, size_t width)
{
	struct table *table = table_new("rlll");
	int r;

	if (!table)
		return -ENOMEM;
	table_cell(table, "  #");
	table_cell(table, "workload");
	table_cell(table, "levels");
	table_cell(table, "repeat");
	for (size_t i = 0; i < plan->sample_count && i < SAMPLES_SHOWN; i++) {
		const struct plan_sample *sample = &plan->samples[i];
		AUTO_FREE char *cell = plan_cell_text(plan, sample);

		table_cell(table, "%zu", i + 1);
		table_cell(table, "%s", plan->definition->workloads[sample->workload].name);
		table_cell(table, "%s", cell ? cell : "");
		table_cell(table, "%u", sample->repeat);
	}
	r = table_print(table, out, width);
	table_free(table);
	if (plan->sample_count > SAMPLES_SHOWN)
		fprintf(out, "  ... and %zu more; --json - lists them all\n",
			plan->sample_count - SAMPLES_SHOWN);
	return r;
}

static int print_plan(const struct definition *definition, const struct plan *plan,
		      const struct plan_view *view, FILE *out, size_t width)
{
	const struct findings *const lists[] = {&view->findings};
	int r;

	table_wrap(out, definition->name, 0, 0, width);
	if (definition->description)
		table_wrap(out, definition->description, 0, 0, width);
	fputc('\n', out);
	print_count(definition, plan, out, width);
	print_estimate(view, out, width);
	fputs("\nTargets\n", out);
	for (size_t i = 0; i < view->target_count && i < definition->target_count; i++)
		print_target(plan, &view->targets[i], i, out, width);
	print_pools(view, out, width);
	if (definition->factor_count > 0)
		fputs("\nCompared\n", out);
	print_factors(definition, out, width);
	fputs("\nWorkloads\n", out);
	for (size_t i = 0; i < definition->workload_count; i++)
		print_workload(definition, i, out, width);
	fputs("\nOrder\n", out);
	r = print_samples(plan, out, width);
	return r < 0 ? r : summary_findings(lists, 1, out, width);
}

/* The engine's plan as text. */
static int ask(const struct options *options, const struct definition *definition, char **ret_text,
	       struct error *err)
{
	const struct supervisor_config config = {
		.state_directory = options->state,
		.allow = options->allow,
		.allow_count = options->allow_count,
		.allow_datasets = options->allow_datasets,
		.allow_dataset_count = options->allow_dataset_count,
	};
	AUTO_FREE char *text = definition_encode_text(definition);
	struct supervisor *supervisor;
	int r;

	if (!text)
		return error_no_memory(err);
	r = supervisor_new(&config, &supervisor, err);
	if (r < 0)
		return r;
	r = supervisor_ask(supervisor, "plan", text, DEADLINE_MS, ret_text, err);
	supervisor_free(supervisor);
	return r;
}

static bool has_finding(const struct findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].code, code) == 0)
			return true;
	return false;
}

static int show(const struct definition *definition, const char *text, FILE *out, struct error *err)
{
	struct plan_view view;
	struct machine machine;
	struct plan plan;
	int r = plan_view_read(text, &view, err);

	if (r < 0)
		return r;
	telemetry_machine(&machine);
	r = plan_make(definition, &machine, &plan, err);
	if (r == 0) {
		/* What only the engine knows, which has asked for the space there is. */
		if (has_finding(&view.findings, "grouped_for_space"))
			r = plan_group_by_instance(&plan);
		if (r == 0)
			r = print_plan(definition, &plan, &view, out, screen_width(out));
		if (r < 0)
			r = error_set_sys(err, ERROR_SYSTEM, -r, "Printing the plan");
		plan_done(&plan);
	}
	plan_view_done(&view);
	return r;
}

static int plan_it(const struct options *options, const struct definition *definition,
		   struct error *err)
{
	AUTO_FREE char *text = NULL;
	bool only_json = options->json_out && strcmp(options->json_out, "-") == 0;
	int r = ask(options, definition, &text, err);

	if (r == 0 && options->json_out)
		r = output_document(options->json_out, text, strlen(text), err);
	return r < 0 || only_json ? r : show(definition, text, stdout, err);
}

int command_plan(const struct options *options, const struct command_hooks *hooks)
{
	struct definition definition;
	struct error err;
	int status = 0;

	definition_init(&definition);
	if (source_load(options, hooks, &definition, &err) < 0) {
		source_complain(options, &err);
		return 2;
	}
	if (plan_it(options, &definition, &err) < 0) {
		source_complain(options, &err);
		status = 1;
	}
	definition_done(&definition);
	if (fflush(stdout) != 0 && status == 0) {
		perror("volbench: standard output");
		status = 1;
	}
	return status;
}
