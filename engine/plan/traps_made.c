/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traps_made.c - the traps of traps.h that lie in OpenZFS, beneath a zvol or dataset that the run
 * makes: what its properties do to a workload. A property that is not given is inherited from the
 * parent, which nobody has looked at yet: it is taken for its default.
 *
 * Sources: zfsprops(7), zfsconcepts(7) of OpenZFS 2.1 and 2.3.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/plan/traps_cell.h"
#include "engine/plan/written.h"

static bool property_is(const struct trap_cell *cell, const char *name, const char *value)
{
	const char *given = properties_get(&cell->target->properties, name);

	return given && strcmp(given, value) == 0;
}

static bool property_given(const struct trap_cell *cell, const char *name)
{
	return properties_get(&cell->target->properties, name) != NULL;
}

static bool property_compared(const struct trap_cell *cell, const char *name)
{
	const struct definition *definition = cell->plan->definition;

	for (size_t i = 0; i < definition->factor_count; i++)
		if (definition->factors[i].kind == FACTOR_PROPERTY &&
		    strcmp(definition->factors[i].name, name) == 0)
			return definition->factors[i].level_count > 1;
	return false;
}

/* ---- ARC ---- */

static bool arc_keeps_data(const struct trap_cell *cell)
{
	return !property_given(cell, "primarycache") || property_is(cell, "primarycache", "all");
}

/* Whether requests may go around ARC, by version and alignment: only a dataset's. */
static bool may_pass_arc(const struct trap_cell *cell)
{
	return cell->target->kind == TARGET_DATASET && !property_is(cell, "direct", "disabled") &&
	       (cell->options->direct || property_is(cell, "direct", "always"));
}

static bool fits_arc(const struct trap_cell *cell, struct trap_hit *hit)
{
	char set[QUANTITY_TEXT_MAX], most[QUANTITY_TEXT_MAX];
	uint64_t bytes = trap_working_set(cell), limit;

	if (!cell->machine || !workload_reads(cell->options) || !arc_keeps_data(cell))
		return false;
	limit = cell->machine->arc_limit_bytes;
	if (limit == 0) /* not on this machine, or not told: it never grows beyond memory */
		limit = cell->machine->memory_bytes;
	if (bytes == 0 || bytes > limit)
		return false;
	trap_bytes(bytes, set);
	trap_bytes(limit, most);
	(void)snprintf(hit->expected, sizeof(hit->expected), "more than %s", most);
	(void)snprintf(hit->found, sizeof(hit->found), "%s", set);
	if (may_pass_arc(cell))
		return trap_tell(
			hit, FINDING_INFO,
			"What the jobs touch fits into ARC, OpenZFS's cache in memory (at most "
			"%s), "
			"which answers unless O_DIRECT goes around it, as it does on a dataset "
			"from OpenZFS 2.3 on for whole pages.",
			most);
	return trap_tell(hit, FINDING_WARNING,
			 "What the jobs touch fits into ARC, OpenZFS's cache in memory (at most "
			 "%s), which answers and not the disks, whatever direct says: make size x "
			 "numjobs twice that, or give the property primarycache=metadata.",
			 most);
}

static bool direct_on_zvol(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (cell->target->kind != TARGET_ZVOL || !cell->options->direct || !arc_keeps_data(cell) ||
	    !workload_reads(cell->options))
		return false;
	return trap_tell(hit, FINDING_INFO,
			 "direct=1 on a zvol goes around Linux's page cache, never around ARC, "
			 "which may answer reads of what was read or written before. "
			 "primarycache=metadata keeps data out of it.");
}

static bool arc_without_data(const struct trap_cell *cell, struct trap_hit *hit)
{
	const char *given = properties_get(&cell->target->properties, "primarycache");

	if (arc_keeps_data(cell) || workload_metadata(cell->options) ||
	    (!workload_reads(cell->options) && !workload_writes(cell->options)))
		return false;
	return trap_tell(
		hit, FINDING_INFO,
		"primarycache=%s keeps data%s out of ARC, so that reads, and the rest of a "
		"block of which a part is written, come from the disks: the pool is "
		"measured, and a warm cache may make the same workload far faster. "
		"Compare primarycache as a factor to see by how much.",
		given, strcmp(given, "none") == 0 ? " and metadata" : "");
}

/* ---- what is written ---- */

static bool compressible(const struct trap_cell *cell, struct trap_hit *hit)
{
	const struct workload *options = cell->options;
	bool compressed = !property_is(cell, "compression", "off");
	bool deduplicated = property_given(cell, "dedup") && !property_is(cell, "dedup", "off");

	if (!written_fill_wanted(options))
		return false;
	if (options->zero_buffers && compressed)
		return trap_tell(
			hit, FINDING_WARNING,
			"With compression OpenZFS stores zeros as holes, and the disks see "
			"nothing of them: the figures are those of memory. Leave out "
			"zero_buffers, or give the property compression=off.");
	if (!(options->buffer_compress_percentage > 0 && compressed) &&
	    !(options->dedupe_percentage > 0 && deduplicated))
		return false;
	(void)snprintf(hit->found, sizeof(hit->found),
		       "%" PRIu64 " %% zeros, %" PRIu64 " %% repetitions",
		       options->buffer_compress_percentage, options->dedupe_percentage);
	return trap_tell(hit, FINDING_INFO,
			 "The data can be compressed or deduplicated, so less than is written "
			 "reaches the disks, and the figures show OpenZFS doing it as well. "
			 "compression=off and dedup=off store it as it is.");
}

static bool incompressible(const struct trap_cell *cell, struct trap_hit *hit)
{
	const struct workload *options = cell->options;

	if (!property_compared(cell, "compression") || workload_metadata(options) ||
	    options->zero_buffers || options->buffer_compress_percentage > 0)
		return false;
	(void)snprintf(hit->expected, sizeof(hit->expected), "buffer_compress_percentage above 0");
	return trap_tell(
		hit, FINDING_WARNING,
		"Kinds of compression are compared, and the data cannot be compressed: all "
		"that differs is what the attempt costs. Set buffer_compress_percentage to "
		"what your data has, 50 for example.");
}

/* Whether the workload itself asks that something be on stable storage. */
static bool asks_sync(const struct workload *options)
{
	return options->sync != SYNC_NONE || options->fsync > 0 || options->fdatasync > 0 ||
	       options->end_fsync;
}

static bool sync_ignored(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (!property_is(cell, "sync", "disabled") || !workload_writes(cell->options) ||
	    !asks_sync(cell->options))
		return false;
	return trap_tell(
		hit, FINDING_WARNING,
		"With sync=disabled OpenZFS answers a sync before anything is on a disk, so "
		"the workload's syncs cost nothing and a power failure loses the last "
		"seconds: the figures are no promise of sync=standard.");
}

/* ---- what does nothing ---- */

/* Whether the intent log is written, which is what logbias is for. */
static bool logs(const struct trap_cell *cell)
{
	if (!workload_writes(cell->options) || property_is(cell, "sync", "disabled"))
		return false;
	return property_is(cell, "sync", "always") || asks_sync(cell->options);
}

static bool does_nothing(const struct trap_cell *cell, const char *name)
{
	const struct workload *options = cell->options;

	if (strcmp(name, "sync") == 0)
		return !workload_writes(options);
	if (strcmp(name, "logbias") == 0)
		return !logs(cell);
	/* what L2ARC gets is what leaves ARC */
	if (strcmp(name, "secondarycache") == 0)
		return !workload_reads(options) ||
		       (!arc_keeps_data(cell) && property_is(cell, name, "all"));
	if (strcmp(name, "prefetch") == 0)
		return !workload_reads(options);
	if (strcmp(name, "atime") == 0)
		return !workload_reads(options);
	if (strcmp(name, "relatime") == 0)
		return !workload_reads(options) || property_is(cell, "atime", "off");
	/* of many small files, not of a few large ones */
	return strcmp(name, "dnodesize") == 0 || strcmp(name, "xattr") == 0;
}

static bool no_effect(const struct trap_cell *cell, struct trap_hit *hit)
{
	const struct properties *properties = &cell->target->properties;
	enum finding_severity severity = FINDING_INFO;
	char names[160] = "";

	if (workload_metadata(cell->options))
		return false;
	for (size_t i = 0; i < properties->count; i++) {
		const char *name = properties->list[i].name;
		size_t used = strlen(names);

		if (!does_nothing(cell, name))
			continue;
		(void)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
			       name); /* the names fit */
		if (property_compared(cell, name))
			severity = FINDING_WARNING;
	}
	if (!*names)
		return false;
	return trap_tell(hit, severity,
			 "For what this workload does these properties have no effect: %s.%s",
			 names,
			 severity == FINDING_WARNING
				 ? " Levels that differ in them alone measure the same thing."
				 : "");
}

const struct trap traps_of_made[] = {
	{"fits_arc", fits_arc, true},
	{"direct_on_zvol", direct_on_zvol, false},
	{"arc_without_data", arc_without_data, false},
	{"compressible_data", compressible, false},
	{"incompressible_data", incompressible, false},
	{"sync_ignored", sync_ignored, false},
	{"no_effect", no_effect, false},
};

const size_t traps_of_made_count = ARRAY_SIZE(traps_of_made);
