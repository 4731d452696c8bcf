/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traps.c - see traps.h. One row of the table below is one trap of a cell; the runner counts in how
 * many cells of a workload it holds and tells it once.
 */
#include "engine/plan/traps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/plan/quantity.h"

/* ZFS writes a transaction group every 5 s by default, and fewer than three say little. Other file
 * systems have no such clock, but caches that a short run does not fill. */
#define SHORT_RUN_NS (15 * NS_PER_S)

struct cell {
	const struct plan *plan;
	const struct machine *machine; /* or NULL */
	const struct plan_sample *sample;
	const struct workload *options;
	const struct target_spec *target;
};

struct hit {
	enum finding_severity severity;
	char message[640];
	char expected[64], found[64]; /* "" for none */
};

PRINTF_LIKE(3, 4)
static bool tell(struct hit *hit, enum finding_severity severity, const char *format, ...)
{
	va_list arguments;

	hit->severity = severity;
	va_start(arguments, format);
	(void)vsnprintf(hit->message, sizeof(hit->message), format, arguments); /* may be cut */
	va_end(arguments);
	return true;
}

static const char *human(uint64_t bytes, char buffer[QUANTITY_TEXT_MAX])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1024;
		unit++;
	}
	(void)snprintf(buffer, QUANTITY_TEXT_MAX, value < 10 && unit > 0 ? "%.1f %s" : "%.0f %s",
		       value, units[unit]);
	return buffer;
}

/* ---- the traps of a cell ---- */

static uint64_t working_set(const struct cell *cell)
{
	const struct workload *options = cell->options;
	uint64_t bytes;

	if (cell->target->kind != TARGET_DIRECTORY && options->regions == REGIONS_SHARED)
		return options->size;
	return __builtin_mul_overflow(options->size, options->numjobs, &bytes) ? UINT64_MAX : bytes;
}

static bool fits_memory(const struct cell *cell, struct hit *hit)
{
	char set[QUANTITY_TEXT_MAX], memory[QUANTITY_TEXT_MAX];
	uint64_t bytes = working_set(cell);

	if (!cell->machine || bytes == 0 || bytes > cell->machine->memory_bytes)
		return false;
	human(bytes, set);
	human(cell->machine->memory_bytes, memory);
	(void)snprintf(hit->expected, sizeof(hit->expected), "more than %s", memory);
	(void)snprintf(hit->found, sizeof(hit->found), "%s", set);
	if (!cell->options->direct)
		return tell(
			hit, FINDING_WARNING,
			"The %s that the jobs touch fit into the %s of memory, so the page cache "
			"answers and not the storage: make size x numjobs twice the memory, or set "
			"direct=1.",
			set, memory);
	return tell(
		hit, FINDING_INFO,
		"The %s that the jobs touch fit into the %s of memory. direct=1 goes around the "
		"page cache, but not around a cache of the file system (ZFS's ARC) or of the "
		"device: where there is one, make size x numjobs larger than it.",
		set, memory);
}

static bool shared_region(const struct cell *cell, struct hit *hit)
{
	if (cell->target->kind == TARGET_DIRECTORY || cell->options->numjobs == 1 ||
	    cell->options->regions != REGIONS_SHARED)
		return false;
	return tell(
		hit, FINDING_WARNING,
		"The %" PRIu64
		" jobs work in one region, as fio's do on one file, and may find each "
		"other's blocks in a cache: set regions=disjoint, or use a directory, where each "
		"job has a file.",
		cell->options->numjobs);
}

static bool short_run(const struct cell *cell, struct hit *hit)
{
	uint64_t runtime = cell->options->runtime_ns;
	char text[QUANTITY_TEXT_MAX];

	if (runtime == 0 || runtime >= SHORT_RUN_NS || !workload_writes(cell->options))
		return false;
	(void)snprintf(hit->expected, sizeof(hit->expected), "15 s or more");
	(void)snprintf(hit->found, sizeof(hit->found), "runtime=%s",
		       quantity_format_time(runtime, text));
	return tell(
		hit, FINDING_WARNING,
		"Writes go to caches first, of the device and of the file system (ZFS gathers them "
		"for about 5 s), and runtime=%s may be over before they fill: set runtime to 15 or "
		"more, better 60.",
		text);
}

static bool ramp_longer_than_run(const struct cell *cell, struct hit *hit)
{
	char ramp[QUANTITY_TEXT_MAX], runtime[QUANTITY_TEXT_MAX];

	if (cell->options->runtime_ns == 0 ||
	    cell->options->ramp_time_ns < cell->options->runtime_ns)
		return false;
	quantity_format_time(cell->options->ramp_time_ns, ramp);
	quantity_format_time(cell->options->runtime_ns, runtime);
	(void)snprintf(hit->expected, sizeof(hit->expected), "runtime above %s", ramp);
	(void)snprintf(hit->found, sizeof(hit->found), "runtime=%s", runtime);
	return tell(hit, FINDING_WARNING,
		    "ramp_time=%s is not shorter than runtime=%s: most of the load is thrown away. "
		    "Make "
		    "runtime the longer one.",
		    ramp, runtime);
}

static bool buffered_writes(const struct cell *cell, struct hit *hit)
{
	const struct workload *options = cell->options;

	if (options->direct || !workload_writes(options) || options->fsync != 0 ||
	    options->sync != SYNC_NONE)
		return false;
	return tell(
		hit, FINDING_WARNING,
		"Buffered writes (direct=0) are done when they are in memory, so the figures are "
		"those of memory until it is full: set fsync, sync=dsync or direct=1.");
}

static bool unwritten_data(const struct cell *cell, struct hit *hit)
{
	if (!cell->target->existing)
		return false;
	return tell(
		hit, FINDING_WARNING,
		"An existing target is read as it is: blocks that were never written, or hold "
		"zeros, are answered without a disk on ZFS and on thin volumes. Be sure that it is "
		"full of data.");
}

static bool fio_depth(const struct cell *cell, struct hit *hit)
{
	if (!cell->options->from_fio || cell->options->iodepth == 1 ||
	    workload_is_set(cell->options, OPTION_ID_IOENGINE))
		return false;
	(void)snprintf(hit->expected, sizeof(hit->expected), "iodepth=%" PRIu64,
		       cell->options->iodepth);
	(void)snprintf(hit->found, sizeof(hit->found), "1 in fio");
	return tell(
		hit, FINDING_WARNING,
		"Without --ioengine fio uses psync, which runs at depth 1 whatever iodepth says. "
		"Here iodepth=%" PRIu64 " is kept: add --ioengine=psync for what fio would have "
		"measured.",
		cell->options->iodepth);
}

static bool depth_ignored(const struct cell *cell, struct hit *hit)
{
	if (workload_depth(cell->options) == cell->options->iodepth)
		return false;
	(void)snprintf(hit->expected, sizeof(hit->expected), "iodepth=%" PRIu64,
		       cell->options->iodepth);
	(void)snprintf(hit->found, sizeof(hit->found), "1");
	return tell(hit, FINDING_WARNING,
		    "ioengine=%s has one operation outstanding a job, as in fio: iodepth=%" PRIu64
		    " does nothing. Leave ioengine out, or raise numjobs.",
		    workload_ioengine_choices[cell->options->ioengine], cell->options->iodepth);
}

/* Whether a given option changes nothing in this cell. */
static bool has_no_effect(const struct cell *cell, enum option_id id)
{
	const struct workload *options = cell->options;

	switch (id) {
	case OPTION_ID_RWMIXREAD:
	case OPTION_ID_RWMIXWRITE:
		return !workload_mixed(options);
	case OPTION_ID_FSYNC:
		return options->fsync > 0 && !workload_writes(options);
	case OPTION_ID_SYNC:
		return options->sync != SYNC_NONE && !workload_writes(options);
	case OPTION_ID_NORANDOMMAP:
		return !workload_random(options);
	case OPTION_ID_REGIONS:
		return options->numjobs == 1 || cell->target->kind == TARGET_DIRECTORY;
	default:
		return false;
	}
}

static bool is_factor(const struct plan *plan, enum option_id id)
{
	for (size_t i = 0; i < plan->definition->factor_count; i++)
		if (plan->definition->factors[i].option &&
		    plan->definition->factors[i].option->id == id)
			return plan->definition->factors[i].level_count > 1;
	return false;
}

static bool no_effect(const struct cell *cell, struct hit *hit)
{
	enum finding_severity severity = FINDING_INFO;
	char names[128] = "";

	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		size_t used = strlen(names);

		if (!workload_is_set(cell->options, (enum option_id)id) ||
		    !has_no_effect(cell, (enum option_id)id))
			continue;
		(void)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
			       option_at((enum option_id)id)->name); /* six names fit */
		if (is_factor(cell->plan, (enum option_id)id))
			severity = FINDING_WARNING;
	}
	if (!*names)
		return false;
	return tell(hit, severity, "With rw=%s%s this has no effect: %s.%s",
		    workload_rw_choices[cell->options->rw],
		    cell->options->numjobs == 1 ? " and one job" : "", names,
		    severity == FINDING_WARNING
			    ? " Levels that differ in it alone measure the same thing."
			    : "");
}

static bool mixed_sizes(const struct cell *cell, struct hit *hit)
{
	const struct workload *options = cell->options;
	double read = (double)options->bs[DIRECTION_READ] * (double)options->rwmixread;
	double write = (double)options->bs[DIRECTION_WRITE] * (double)options->rwmixwrite;
	double percent = read + write > 0 ? 100 * read / (read + write) : 0;

	if (!workload_mixed(options) || options->bs[0] == options->bs[1] || percent == 0 ||
	    percent == 100)
		return false;
	return tell(hit, FINDING_INFO,
		    "rwmixread=%" PRIu64
		    " counts operations; with two request sizes %.0f %% of the "
		    "bytes are read and %.0f %% written.",
		    options->rwmixread, percent, 100 - percent);
}

static bool runs_to_size(const struct cell *cell, struct hit *hit)
{
	if (cell->options->runtime_ns != 0)
		return false;
	return tell(
		hit, FINDING_INFO,
		"Without a runtime each job ends when its size is done; a fast target may be done "
		"too soon to say much. Set runtime to measure for a fixed time.");
}

static bool whole_target(const struct cell *cell, struct hit *hit)
{
	if (cell->options->size != 0)
		return false;
	return tell(hit, FINDING_INFO, "No size is given, so the jobs %s all of %s%s.",
		    cell->options->regions == REGIONS_SHARED ? "each work in" : "divide among them",
		    cell->target->existing ? "what is there" : "the device",
		    cell->target->existing ? "" : ", which is filled with data first");
}

static bool no_storage(const struct cell *cell, struct hit *hit)
{
	if (!workload_is_set(cell->options, OPTION_ID_IOENGINE) ||
	    cell->options->ioengine != IOENGINE_NULL)
		return false;
	return tell(hit, FINDING_WARNING,
		    "ioengine=null completes every operation at once and touches no storage: the "
		    "figures are the cost of the engine itself.");
}

static const struct trap {
	const char *code;
	bool (*holds)(const struct cell *cell, struct hit *hit);
	bool needs_size; /* to be tried again when the target has given the size */
} traps[] = {
	{"no_storage", no_storage, false},
	{"fits_memory", fits_memory, true},
	{"shared_region", shared_region, false},
	{"buffered_writes", buffered_writes, false},
	{"unwritten_data", unwritten_data, false},
	{"short_run", short_run, false},
	{"ramp_longer_than_run", ramp_longer_than_run, false},
	{"depth_ignored", depth_ignored, false},
	{"fio_depth", fio_depth, false},
	{"no_effect", no_effect, false},
	{"mixed_sizes", mixed_sizes, false},
	{"runs_to_size", runs_to_size, false},
	{"whole_target", whole_target, false},
};

/* ---- running them ---- */

/* The cells of a plan, one sample each, in the definition's order. */
static int compare_cells(const void *a, const void *b, void *arg)
{
	const struct plan_sample *first = *(const struct plan_sample *const *)a;
	const struct plan_sample *second = *(const struct plan_sample *const *)b;
	const struct plan *plan = arg;

	if (first->workload != second->workload)
		return first->workload < second->workload ? -1 : 1;
	for (size_t i = 0; i < plan->definition->factor_count; i++)
		if (first->levels[i] != second->levels[i])
			return first->levels[i] < second->levels[i] ? -1 : 1;
	return 0;
}

static int sorted_cells(struct plan *plan, const struct plan_sample ***ret_cells, size_t *ret_count)
{
	const struct plan_sample **cells = calloc(plan->sample_count + 1, sizeof(*cells));
	size_t count = 0;

	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < plan->sample_count; i++)
		if (plan->samples[i].repeat == 1)
			cells[count++] = &plan->samples[i];
	qsort_r(cells, count, sizeof(*cells), compare_cells, plan);
	*ret_cells = cells;
	*ret_count = count;
	return 0;
}

static struct cell cell_of(const struct plan *plan, const struct machine *machine,
			   const struct plan_sample *sample)
{
	return (struct cell){.plan = plan,
			     .machine = machine,
			     .sample = sample,
			     .options = &sample->options,
			     .target = &plan->definition->targets[sample->target]};
}

/* Tells a trap that held in `holds` of a workload's `count` cells, first in `sample`. */
static int report(struct plan *plan, const char *code, const struct hit *hit,
		  const struct plan_sample *sample, size_t holds, size_t count)
{
	const char *workload = plan->definition->workloads[sample->workload].name;
	char share[80] = "";
	char *cell = NULL;
	int r;

	if (holds < count) {
		cell = plan_cell_text(plan, sample);
		if (!cell)
			return -ENOMEM;
		(void)snprintf(share, sizeof(share), " (In %zu of %zu combinations.)", holds,
			       count);
	}
	r = findings_add(&plan->findings, hit->severity, code, workload, cell,
			 *hit->expected ? hit->expected : NULL, *hit->found ? hit->found : NULL,
			 "%s%s", hit->message, share);
	free(cell);
	return r;
}

static int run_trap(struct plan *plan, const struct machine *machine, const struct trap *trap,
		    const struct plan_sample *const *cells, size_t count, bool resolved)
{
	struct hit first = {.severity = FINDING_INFO};
	const struct plan_sample *where = NULL;
	size_t holds = 0;

	for (size_t i = 0; i < count; i++) {
		struct cell cell = cell_of(plan, machine, cells[i]);
		struct hit hit = {.severity = FINDING_INFO};

		if (resolved && workload_is_set(cell.options, OPTION_ID_SIZE))
			continue; /* was told before */
		if (!trap->holds(&cell, &hit))
			continue;
		holds++;
		if (!where || hit.severity > first.severity) {
			where = cells[i];
			first = hit;
		}
	}
	return where ? report(plan, trap->code, &first, where, holds, count) : 0;
}

static int run_traps(struct plan *plan, const struct machine *machine, bool resolved)
{
	const struct plan_sample **cells;
	size_t count, next;
	int r = sorted_cells(plan, &cells, &count);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < count; i = next) {
		for (next = i; next < count && cells[next]->workload == cells[i]->workload;)
			next++;
		for (size_t t = 0; r == 0 && t < ARRAY_SIZE(traps); t++)
			if (traps[t].needs_size || !resolved)
				r = run_trap(plan, machine, &traps[t], cells + i, next - i,
					     resolved);
	}
	free(cells);
	return r;
}

int traps_find(struct plan *plan, const struct machine *machine)
{
	int r = traps_find_whole(plan);

	return r < 0 ? r : run_traps(plan, machine, false);
}

int traps_find_resolved(struct plan *plan, const struct machine *machine)
{
	return run_traps(plan, machine, true);
}
