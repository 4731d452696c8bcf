/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fio_job_write.c - fio_job_write() of fio_job.h. The options are those of workload_format_fio():
 * fio_option_each() names them for both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/distribution_spec.h"
#include "engine/plan/fio_job.h"
#include "engine/plan/fio_made.h"
#include "engine/plan/fio_option.h"
#include "engine/plan/plan.h"
#include "engine/plan/repeats.h"
#include "engine/plan/workload_order.h"

#define SECTION_NAME_MAX 250 /* bytes; fio takes 255 */

/* A name without what would end it in a job file, or make a file's name of it a path. */
static void put_name(FILE *out, const char *name, size_t *left)
{
	for (size_t length; *name; name += length) {
		length = text_character(name);
		if (length == 0)
			length = 1;
		if (length > *left)
			return;
		*left -= length;
		if (strchr(";#/[]$\\", *name))
			fputc('_', out);
		else
			fprintf(out, "%.*s", (int)length, name);
	}
}

/* "[read bs=4k iodepth=32]" */
static void put_section(const struct definition *definition, const char *job, const size_t *levels,
			FILE *out)
{
	size_t left = SECTION_NAME_MAX;

	fputs("\n[", out);
	/* fio takes what begins so for defaults, not for a job */
	if (strncmp(job, "global", 6) == 0)
		put_name(out, "job ", &left);
	put_name(out, job, &left);
	for (size_t i = 0; i < definition->factor_count; i++) {
		const struct factor *factor = &definition->factors[i];

		if (factor->level_count < 2)
			continue;
		put_name(out, " ", &left);
		put_name(out, factor->name, &left);
		put_name(out, "=", &left);
		put_name(out, factor->levels[levels[i]], &left);
	}
	fputs("]\n", out);
}

/* fio_option_put */
static void put_option(void *arg, const char *name, const char *value)
{
	fprintf(arg, "%s=%s\n", name, value);
}

static int check_path(const char *path, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];
	size_t length = strlen(path);

	if (strpbrk(path, ";#$\\") || path[length - 1] == ' ' || length > FIO_JOB_LINE_MAX / 2)
		return error_set(err, ERROR_UNSUPPORTED, "",
				 "the path %s cannot stand in an fio job file, which reads \";\", "
				 "\"#\", \"$\", \"\\\" and blanks at the end in its own way",
				 text_excerpt(path, quoted));
	return 0;
}

/* What fio's own parser would refuse, or its job end early with. */
static int check_distribution(const struct definition *definition, size_t workload,
			      const struct workload *options, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX], given[TEXT_EXCERPT_MAX];

	if (distribution_spec_fio(options))
		return 0;
	return error_set(
		err, ERROR_UNSUPPORTED, "",
		"fio 3.33 cannot do what random_distribution=%s of \"%s\" says: it takes no "
		"zones for reads and writes apart, and other distributions only with "
		"blocks of one size",
		text_excerpt(options->random_distribution, given),
		text_excerpt(definition->workloads[workload].name, quoted));
}

/* Where each job is to have a part of a target and nobody says how large that is. */
static int check_size(const struct definition *definition, size_t workload,
		      const struct target_spec *target, const struct workload *options,
		      struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	/* of disjoint parts all have a size or none */
	if (options->size != 0 || workload_jobs(options) == 1 ||
	    options->regions != REGIONS_DISJOINT || target_kind_has_files(target->kind))
		return 0;
	return error_set(err, ERROR_UNSUPPORTED, "",
			 "the jobs of \"%s\" share the whole of the target, whose size an fio job "
			 "file would have to name: give size, the bytes of each job's part",
			 text_excerpt(definition->workloads[workload].name, quoted));
}

/* The workloads share their files, as samples do; those that run together do not. Without $filenum
 * fio gives all files of a job one name. */
static void put_file_names(const struct workload *options, size_t part, FILE *out)
{
	fputs("filename_format=volbench-fio.", out);
	if (part > 0)
		fprintf(out, "%zu.", part);
	fputs("$jobnum", out);
	if (options->nrfiles > 1)
		fputs(".$filenum", out);
	fputc('\n', out);
}

static int put_part(const struct plan *plan, const struct plan_sample *sample, size_t part,
		    const char *path, FILE *out, struct error *err)
{
	const struct workload *options = &sample->options;
	bool directory = target_kind_has_files(plan->instances[sample->instance].spec.kind);

	put_section(plan->definition, workload_part(options, part)->name, sample->levels, out);
	fputs(part == 0 ? "stonewall\n" : "new_group\n", out);
	if (fio_option_each(options, part, path, directory, put_option, out) < 0)
		return error_no_memory(err);
	if (directory)
		put_file_names(workload_part(options, part), part, out);
	return 0;
}

/* What fio has no job for. */
static int check_cell(const struct plan *plan, const struct plan_sample *sample, const char *path,
		      struct error *err)
{
	const struct target_spec *target = &plan->instances[sample->instance].spec;
	const struct definition *definition = plan->definition;
	const struct workload *options = &sample->options;
	const char *name = definition->workloads[sample->workload].name;
	int r;

	if (workload_metadata(options))
		return error_set(err, ERROR_UNSUPPORTED, "",
				 "\"%.128s\" is a metadata workload: fio has no job that puts "
				 "files through several operations",
				 name);
	r = check_path(path, err);
	if (r == 0 && workload_trims(options) && !target_kind_is_block(target->kind))
		r = error_set(err, ERROR_UNSUPPORTED, "",
			      "rw=%s: fio trims block devices only, and the target is a %s",
			      workload_rw_choices[options->rw], target_kind_names[target->kind]);
	if (r == 0 && workload_beyond_fio(options))
		r = error_set(err, ERROR_UNSUPPORTED, "",
			      "fio has nothing that does what %s of \"%.128s\" says",
			      workload_beyond_fio(options), name);
	if (r == 0)
		r = check_size(definition, sample->workload, target, options, err);
	for (size_t i = 0; i < workload_parts(options) && r == 0; i++)
		r = check_distribution(definition, sample->workload, workload_part(options, i),
				       err);
	return r;
}

static int put_cell(const struct plan *plan, const struct plan_sample *sample, FILE *out,
		    struct error *err)
{
	AUTO_FREE char *path = fio_made_path(plan, sample->instance);
	const struct workload *options = &sample->options;
	int r;

	if (!path)
		return error_no_memory(err);
	r = check_cell(plan, sample, path, err);
	if (r == 0 && options->part_count > 1)
		fprintf(out, "\n; These %zu run together.\n", options->part_count);
	for (size_t i = 0; i < workload_parts(options) && r == 0; i++)
		r = put_part(plan, sample, i, path, out, err);
	return r;
}

static void put_head(const struct definition *definition, FILE *out)
{
	char name[DEFINITION_NAME_MAX + 1], repeats[REPEATS_TEXT_MAX];

	fprintf(out,
		"; %s\n"
		"; Each workload and combination of levels as an fio job, one after another.\n",
		text_clean(definition->name, name, sizeof(name)));
	if (repeats_may_end(definition))
		fprintf(out, "; Volbench makes %s, %s.\n", repeats_text(definition, repeats),
			definition_order_names[definition->order]);
	else if (definition->repeats > 1)
		fprintf(out, "; Volbench measures each %u times, %s.\n", definition->repeats,
			definition_order_names[definition->order]);
	fputs("; fio writes to its target without asking, and leaves its files behind.\n", out);
}

/* Where a sample's cell stands in the definition's order, the last factor running fastest. */
static size_t place_of(const struct definition *definition, const struct plan_sample *sample)
{
	size_t place = sample->workload;

	for (size_t i = 0; i < definition->factor_count; i++)
		place = place * definition->factors[i].level_count + sample->levels[i];
	return place;
}

static int put_cells(const struct plan *plan, FILE *out, struct error *err)
{
	size_t count = plan->sample_count / plan->definition->repeats;
	AUTO_FREE const struct plan_sample **cells = calloc(count + 1, sizeof(*cells));
	int r = 0;

	if (!cells)
		return error_no_memory(err);
	for (size_t i = 0; i < plan->sample_count; i++)
		cells[place_of(plan->definition, &plan->samples[i])] = &plan->samples[i];
	for (size_t i = 0; i < count && r == 0; i++)
		r = put_cell(plan, cells[i], out, err);
	return r;
}

int fio_job_write(const struct definition *definition, FILE *out, struct error *err)
{
	struct plan plan;
	int r = plan_make(definition, NULL, &plan, err);

	if (r < 0)
		return r;
	put_head(definition, out);
	if (fio_made_comment(&plan, out) < 0) /* as its estimate would have been */
		r = error_set(err, ERROR_OUT_OF_RANGE, "", "the target is larger than 2^64 bytes");
	if (r == 0)
		r = put_cells(&plan, out, err);
	plan_done(&plan);
	if (r == 0 && ferror(out))
		r = error_set_sys(err, ERROR_SYSTEM, EIO, "Writing the job file");
	return r;
}
