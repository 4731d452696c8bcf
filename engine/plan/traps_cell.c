/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traps_cell.c - see traps_cell.h: the traps that lie in one cell, a function and a row each; that
 * of options without effect is in traps_no_effect.c.
 */
#include "engine/plan/traps_cell.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/plan/budget.h"
#include "engine/plan/distribution_spec.h"
#include "engine/plan/quantity.h"
#include "engine/plan/workload_sizes.h"
#include "engine/plan/written.h"

/* ZFS writes a transaction group every 5 s by default, and fewer than three say little. Other file
 * systems have no such clock, but caches that a short run does not fill. */
#define SHORT_RUN_NS (15 * NS_PER_S)

bool trap_tell(struct trap_hit *hit, enum finding_severity severity, const char *format, ...)
{
	va_list arguments;

	hit->severity = severity;
	va_start(arguments, format);
	(void)vsnprintf(hit->message, sizeof(hit->message), format, arguments); /* may be cut */
	va_end(arguments);
	return true;
}

const char *trap_bytes(uint64_t bytes, char buffer[QUANTITY_TEXT_MAX])
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

uint64_t trap_working_set(const struct trap_cell *cell)
{
	const struct workload *options = cell->options;
	uint64_t bytes;

	if (!target_kind_has_files(cell->target->kind) && options->regions == REGIONS_SHARED &&
	    options->offset_increment < options->size)
		return options->size + options->offset_increment * (options->numjobs - 1);
	return __builtin_mul_overflow(options->size, options->numjobs, &bytes) ? UINT64_MAX : bytes;
}

/* Whether no page cache lies before the target, but OpenZFS's ARC (fits_arc): direct requests to a
 * zvol, and all to a dataset's files, whose reads and writes are copied from and to ARC. */
static bool only_arc(const struct trap_cell *cell)
{
	return cell->target->kind == TARGET_DATASET ||
	       (cell->target->kind == TARGET_ZVOL && cell->options->direct);
}

static bool fits_memory(const struct trap_cell *cell, struct trap_hit *hit)
{
	char set[QUANTITY_TEXT_MAX], memory[QUANTITY_TEXT_MAX];
	uint64_t bytes = trap_working_set(cell);

	if (!cell->machine || bytes == 0 || bytes > cell->machine->memory_bytes ||
	    workload_trims(cell->options) || only_arc(cell))
		return false;
	trap_bytes(bytes, set);
	trap_bytes(cell->machine->memory_bytes, memory);
	(void)snprintf(hit->expected, sizeof(hit->expected), "more than %s", memory);
	(void)snprintf(hit->found, sizeof(hit->found), "%s", set);
	if (!cell->options->direct)
		return trap_tell(
			hit, FINDING_WARNING,
			"What the jobs touch fits into the %s of memory, so the page cache "
			"answers and not the storage: make size x numjobs twice the memory, or "
			"set direct=1.",
			memory);
	return trap_tell(
		hit, FINDING_INFO,
		"What the jobs touch fits into the %s of memory. direct=1 goes around the page "
		"cache, but not around a cache of the file system (ZFS's ARC) or of the "
		"device: where there is one, make size x numjobs larger than it.",
		memory);
}

static bool shared_region(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (target_kind_has_files(cell->target->kind) || cell->options->numjobs == 1 ||
	    cell->options->regions != REGIONS_SHARED || cell->options->interlocked ||
	    (cell->options->size > 0 && cell->options->offset_increment >= cell->options->size))
		return false;
	(void)snprintf(hit->found, sizeof(hit->found), "%" PRIu64 " jobs in one region",
		       cell->options->numjobs);
	return trap_tell(
		hit, FINDING_WARNING,
		"The jobs work in one region, as fio's do on one file, and may find each "
		"other's blocks in a cache: set regions=disjoint, or use a directory, where "
		"each job has a file.");
}

static uint64_t end_of(const struct workload *part)
{
	uint64_t end;

	return part->size == 0 || __builtin_add_overflow(part->offset, part->size, &end)
		       ? UINT64_MAX
		       : end;
}

/* A part with one before it, so that each pair is told once. */
static bool written_by_several(const struct trap_cell *cell, struct trap_hit *hit)
{
	const struct workload *own = cell->options;

	if (target_kind_has_files(cell->target->kind) || own->regions != REGIONS_SHARED ||
	    !workload_writes(own))
		return false;
	for (size_t i = 0; i < cell->part; i++) {
		const struct workload *other = workload_part(cell->whole, i);

		if (!workload_writes(other) || own->offset >= end_of(other) ||
		    other->offset >= end_of(own))
			continue;
		(void)snprintf(hit->found, sizeof(hit->found), "and %.40s write to one region",
			       other->name);
		return trap_tell(
			hit, FINDING_WARNING,
			"Jobs that run together write to the same bytes of one file or device, "
			"as in fio: give each an offset of its own, set regions=disjoint, or "
			"use a directory, where each job has a file.");
	}
	return false;
}

static bool short_run(const struct trap_cell *cell, struct trap_hit *hit)
{
	uint64_t runtime = cell->options->runtime_ns;
	char text[QUANTITY_TEXT_MAX];

	if (runtime == 0 || runtime >= SHORT_RUN_NS || !workload_writes(cell->options))
		return false;
	(void)snprintf(hit->expected, sizeof(hit->expected), "15 s or more");
	(void)snprintf(hit->found, sizeof(hit->found), "runtime=%s",
		       quantity_format_time(runtime, text));
	return trap_tell(
		hit, FINDING_WARNING,
		"Writes go to caches first, of the device and of the file system (ZFS gathers "
		"them for about 5 s), and so short a run may be over before they fill: set "
		"runtime to 15 or more, better 60.");
}

static bool ramp_longer_than_run(const struct trap_cell *cell, struct trap_hit *hit)
{
	char ramp[QUANTITY_TEXT_MAX], runtime[QUANTITY_TEXT_MAX];

	if (cell->options->runtime_ns == 0 ||
	    cell->options->ramp_time_ns < cell->options->runtime_ns)
		return false;
	quantity_format_time(cell->options->ramp_time_ns, ramp);
	quantity_format_time(cell->options->runtime_ns, runtime);
	(void)snprintf(hit->expected, sizeof(hit->expected), "runtime above ramp_time");
	(void)snprintf(hit->found, sizeof(hit->found), "runtime=%.20s with ramp_time=%.20s",
		       runtime, ramp);
	return trap_tell(
		hit, FINDING_WARNING,
		"The ramp is not shorter than the run: most of the load is thrown away. Make "
		"runtime longer than ramp_time.");
}

static bool buffered_writes(const struct trap_cell *cell, struct trap_hit *hit)
{
	const struct workload *options = cell->options;

	if (options->direct || !workload_writes(options) || options->fsync != 0 ||
	    options->fdatasync != 0 || options->end_fsync || options->sync != SYNC_NONE)
		return false;
	return trap_tell(
		hit, FINDING_WARNING,
		"Buffered writes (direct=0) are done when they are in memory, so the figures are "
		"those of memory until it is full: set fsync, fdatasync, end_fsync, sync=dsync or "
		"direct=1.");
}

static bool unwritten_data(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (!cell->target->existing)
		return false;
	return trap_tell(
		hit, FINDING_WARNING,
		"An existing target is read as it is: blocks that were never written, or hold "
		"zeros, are answered without a disk on ZFS and on thin volumes. Be sure that it is "
		"full of data.");
}

static bool compressible_data(const struct trap_cell *cell, struct trap_hit *hit)
{
	const struct workload *options = cell->options;

	/* what exists was not filled by us */
	if (!written_fill_wanted(options) || (cell->target->existing && !workload_writes(options)))
		return false;
	if (target_kind_is_zfs(cell->target->kind))
		return false; /* told with its compression: made_compressible */
	if (options->zero_buffers)
		return trap_tell(
			hit, FINDING_INFO,
			"Zeros take no room where data is compressed or holes are kept (ZFS, "
			"btrfs, thin volumes), and the disks may see nothing of them: the "
			"figures are then those of the layer that found them.");
	(void)snprintf(hit->found, sizeof(hit->found),
		       "%" PRIu64 " %% zeros, %" PRIu64 " %% repetitions",
		       options->buffer_compress_percentage, options->dedupe_percentage);
	return trap_tell(
		hit, FINDING_INFO,
		"Where data is compressed or deduplicated (ZFS, btrfs, VDO) less than this "
		"reaches the disks, and the figures show the compressor as well; elsewhere "
		"it makes no difference.");
}

static bool fio_depth(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (!cell->options->from_fio || cell->options->iodepth == 1 ||
	    workload_is_set(cell->options, OPTION_ID_IOENGINE))
		return false;
	(void)snprintf(hit->expected, sizeof(hit->expected), "1, as in fio");
	(void)snprintf(hit->found, sizeof(hit->found), "iodepth=%" PRIu64, cell->options->iodepth);
	return trap_tell(
		hit, FINDING_WARNING,
		"Without --ioengine fio uses psync, which runs at depth 1 whatever iodepth "
		"says. Here iodepth is kept: add --ioengine=psync for what fio would have "
		"measured.");
}

static bool depth_ignored(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (workload_depth(cell->options) == cell->options->iodepth)
		return false;
	(void)snprintf(hit->expected, sizeof(hit->expected), "iodepth=1");
	(void)snprintf(hit->found, sizeof(hit->found), "iodepth=%" PRIu64, cell->options->iodepth);
	return trap_tell(hit, FINDING_WARNING,
			 "ioengine=%s has one operation outstanding a job, as in fio: iodepth does "
			 "nothing. Leave ioengine out, or raise numjobs.",
			 workload_ioengine_choices[cell->options->ioengine]);
}

static bool mixed_sizes(const struct trap_cell *cell, struct trap_hit *hit)
{
	const struct workload *options = cell->options;
	double size[] = {workload_mean_request(options, DIRECTION_READ),
			 workload_mean_request(options, DIRECTION_WRITE)};
	double read = size[DIRECTION_READ] * (double)options->rwmixread;
	double write = size[DIRECTION_WRITE] * (double)options->rwmixwrite;
	double percent = read + write > 0 ? 100 * read / (read + write) : 0;

	if (!workload_mixed(options) || size[0] == size[1] || percent == 0 || percent == 100)
		return false;
	(void)snprintf(hit->found, sizeof(hit->found),
		       "rwmixread=%" PRIu64 ": %.0f %% of the bytes read", options->rwmixread,
		       percent);
	return trap_tell(
		hit, FINDING_INFO,
		"rwmixread counts operations; with two request sizes the bytes are not in its "
		"proportion.");
}

static bool runs_to_size(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (cell->options->runtime_ns != 0 || workload_metadata(cell->options))
		return false;
	return trap_tell(
		hit, FINDING_INFO,
		"Without a runtime each job ends when its size%s is done; a fast target may be "
		"done "
		"too soon to say much. Set runtime to measure for a fixed time.",
		budget_given(cell->options) ? " (or what io_size, loops and number_ios make of it)"
					    : "");
}

static bool whole_target(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (cell->options->size != 0 || workload_metadata(cell->options))
		return false;
	return trap_tell(hit, FINDING_INFO, "No size is given, so the jobs %s all of %s%s.",
			 cell->options->regions == REGIONS_SHARED ? "each work in"
								  : "divide among them",
			 cell->target->existing		     ? "what is there"
			 : cell->target->kind == TARGET_ZVOL ? "the zvol"
							     : "the device",
			 cell->target->existing ? "" : ", which is filled with data first");
}

static bool touches_again(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (!distribution_spec_given(cell->options) ||
	    workload_is_set(cell->options, OPTION_ID_NORANDOMMAP))
		return false;
	(void)snprintf(hit->found, sizeof(hit->found), "random_distribution=%.50s",
		       cell->options->random_distribution);
	return trap_tell(
		hit, FINDING_INFO,
		"With a distribution blocks are touched again before all were touched, and some "
		"never: norandommap is on, as in fio. Those touched often may come from a cache.");
}

static bool no_storage(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (!workload_is_set(cell->options, OPTION_ID_IOENGINE) ||
	    cell->options->ioengine != IOENGINE_NULL)
		return false;
	return trap_tell(
		hit, FINDING_WARNING,
		"ioengine=null completes every operation at once and touches no storage: the "
		"figures are the cost of the engine itself.");
}

static bool trims_refilled(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (!workload_trims(cell->options))
		return false;
	return trap_tell(
		hit, FINDING_INFO,
		"What is trimmed is gone: the target is filled again before the next sample on "
		"it, which the estimate counts, so that no read meets a hole and each trim has "
		"something to trim.");
}

static bool trims_again(const struct trap_cell *cell, struct trap_hit *hit)
{
	if (!workload_trims(cell->options) || !cell->options->time_based)
		return false;
	return trap_tell(
		hit, FINDING_WARNING,
		"When size has been trimmed the jobs go on and trim it again, which is next to "
		"no work: set time_based=0, and runtime to what it may take at most.");
}

/* fio 3.33: a blocking BLKDISCARD in every engine. */
static bool trims_not_as_fio(const struct trap_cell *cell, struct trap_hit *hit)
{
	bool file = !target_kind_is_block(cell->target->kind);
	bool depth = workload_depth(cell->options) > 1;

	if (!workload_trims(cell->options) || (!file && !depth))
		return false;
	return trap_tell(
		hit, FINDING_INFO, "fio %s%s%s.",
		file ? "trims block devices only; here a hole is made in the file" : "",
		file && depth ? ", and it " : "",
		depth ? "makes one trim at a time whatever iodepth says; here iodepth of them "
			"are outstanding, each in a thread"
		      : "");
}

const struct trap traps_of_cell[] = {
	{"trims_refilled", trims_refilled, false},
	{"trims_again", trims_again, false},
	{"trims_not_as_fio", trims_not_as_fio, false},
	{"no_storage", no_storage, false},
	{"fits_memory", fits_memory, true},
	{"shared_region", shared_region, false},
	{"written_by_several", written_by_several, false},
	{"buffered_writes", buffered_writes, false},
	{"unwritten_data", unwritten_data, false},
	{"short_run", short_run, false},
	{"ramp_longer_than_run", ramp_longer_than_run, false},
	{"depth_ignored", depth_ignored, false},
	{"compressible_data", compressible_data, false},
	{"fio_depth", fio_depth, false},
	{"no_effect", trap_no_effect, false},
	{"mixed_sizes", mixed_sizes, false},
	{"runs_to_size", runs_to_size, false},
	{"whole_target", whole_target, false},
	{"touches_again", touches_again, false},
};

const size_t traps_of_cell_count = ARRAY_SIZE(traps_of_cell);
