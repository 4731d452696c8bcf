/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio_made.c - see fio_made.h. */
#include "engine/plan/fio_made.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/instances.h"
#include "engine/plan/written.h"

char *fio_made_path(const struct plan *plan, size_t instance)
{
	const struct target_spec *spec = &plan->instances[instance].spec;
	char *path;
	int n;

	if (!target_kind_is_zfs(spec->kind))
		return strdup(spec->path);
	if (spec->kind == TARGET_ZVOL)
		n = asprintf(&path, "/dev/zvol/%s/fio-%zu", spec->path, instance + 1);
	else
		n = asprintf(&path, "/mnt/fio-%zu", instance + 1);
	return n < 0 ? NULL : path;
}

char *fio_made_place(const struct definition *definition, const size_t *levels, bool *ret_files)
{
	struct plan plan = {.definition = definition};
	char *path = NULL;
	size_t instance;

	if (instances_make(&plan) == 0) {
		instance = plan_find_instance(&plan, levels);
		if (instance < plan.instance_count) {
			*ret_files = target_kind_has_files(plan.instances[instance].spec.kind);
			path = fio_made_path(&plan, instance);
		}
	}
	instances_done(&plan);
	return path;
}

static int put_create(const struct plan *plan, size_t instance, FILE *out)
{
	const struct target_spec *spec = &plan->instances[instance].spec;
	uint64_t bytes;

	fputs(";   zfs create", out);
	if (spec->kind == TARGET_ZVOL) {
		if (plan_volume_bytes(plan, plan->instances[instance].target, &bytes) < 0)
			return -EOVERFLOW;
		fprintf(out, "%s -V %" PRIu64, spec->sparse ? " -s" : "", bytes);
	} else {
		fprintf(out, " -o mountpoint=/mnt/fio-%zu", instance + 1);
	}
	for (size_t i = 0; i < spec->properties.count; i++)
		fprintf(out, " -o %s=%s", spec->properties.list[i].name,
			spec->properties.list[i].value);
	fprintf(out, " %s/fio-%zu\n", spec->path, instance + 1);
	return 0;
}

/* A colon parts file names to fio, unless a backslash stands before it. */
static void put_escaped(const char *name, FILE *out)
{
	for (; *name; name++)
		fprintf(out, *name == ':' ? "\\%c" : "%c", *name);
}

/* As the workloads that read it ask for, which agree (engine/inspect_fill.c). */
static void put_data(const struct plan *plan, size_t target, FILE *out)
{
	const struct workload *like = NULL;

	for (size_t i = 0; i < plan->sample_count; i++) {
		const struct workload *options = &plan->samples[i].options;

		for (size_t k = 0; plan->samples[i].target == target && k < workload_parts(options);
		     k++)
			if (workload_reads(workload_part(options, k)) &&
			    written_fill_wanted(workload_part(options, k)))
				like = workload_part(options, k);
	}
	fputs(like && like->zero_buffers ? " --zero_buffers=1" : " --refill_buffers", out);
	if (like && like->buffer_compress_percentage > 0)
		fprintf(out, " --buffer_compress_percentage=%" PRIu64,
			like->buffer_compress_percentage);
	if (like && like->dedupe_percentage > 0)
		fprintf(out, " --dedupe_percentage=%" PRIu64, like->dedupe_percentage);
}

/* A file system has fio lay out its files, a device not. */
static void put_fill(const struct plan *plan, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < plan->instance_count; i++) {
		const struct target_spec *spec = &plan->instances[i].spec;

		if (spec->kind != TARGET_ZVOL)
			continue;
		if (!any)
			fputs("; Fill the zvols, since reads of what was never written need no "
			      "disk:\n",
			      out);
		any = true;
		fputs(";   fio --name=fill --filename='/dev/zvol/", out);
		put_escaped(spec->path, out);
		fprintf(out, "/fio-%zu' --rw=write --bs=1M", i + 1);
		put_data(plan, plan->instances[i].target, out);
		fputs(" --end_fsync=1\n", out);
	}
}

int fio_made_comment(const struct plan *plan, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < plan->instance_count; i++) {
		if (!target_kind_is_zfs(plan->instances[i].spec.kind))
			continue;
		if (!any)
			fputs(";\n; fio makes no zvols or datasets. Make these first:\n", out);
		any = true;
		if (put_create(plan, i, out) < 0)
			return -EOVERFLOW;
	}
	if (!any)
		return 0;
	put_fill(plan, out);
	fputs("; Afterwards remove them:\n", out);
	for (size_t i = 0; i < plan->instance_count; i++)
		if (target_kind_is_zfs(plan->instances[i].spec.kind))
			fprintf(out, ";   zfs destroy %s/fio-%zu\n", plan->instances[i].spec.path,
				i + 1);
	return 0;
}
