/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traps_no_effect.c - the trap no_effect of traps_cell.h: options that are given and change nothing
 * in the cell they are given in. Levels of a factor that differ in one of them alone are the same
 * measurement.
 */
#include <stdio.h>
#include <string.h>

#include "engine/plan/file_phases.h"
#include "engine/plan/traps_cell.h"
#include "engine/plan/workload_sizes.h"

/* Of the options on what is written. What is only read was filled as they say, or not by us. */
static bool data_has_no_effect(const struct trap_cell *cell, enum option_id id)
{
	const struct workload *options = cell->options;
	/* a rewrite writes what it has read */
	bool writes = workload_writes(options) && !workload_rewrites(options);

	if (!writes && cell->target->existing)
		return true;
	switch (id) {
	case OPTION_ID_REFILL_BUFFERS:
		return !writes || (options->zero_buffers && options->refill_buffers);
	case OPTION_ID_SCRAMBLE_BUFFERS: /* by itself it changes what is not refilled */
		return !writes || (options->refill_buffers && !options->zero_buffers);
	case OPTION_ID_COMPRESS_CHUNK:
		return options->buffer_compress_percentage == 0;
	default:
		return false;
	}
}

/* Whether one of these is given, but for no direction that data goes in. */
static bool misses(const struct workload *options, const uint64_t *values)
{
	bool any = false;

	for (int d = 0; d < DIRECTION_COUNT; d++) {
		if (values[d] > 0 && workload_moves(options, (enum direction)d))
			return false;
		any |= values[d] > 0;
	}
	return any;
}

/* Whether continue_on_error lets pass only what cannot happen. */
static bool continues_nowhere(const struct workload *options)
{
	switch (options->continue_on_error) {
	case CONTINUE_READ:
		return !workload_reads(options);
	case CONTINUE_WRITE: /* trims too */
		return !workload_writes(options) && !workload_trims(options);
	case CONTINUE_VERIFY:
		return options->verify == VERIFY_NONE;
	default:
		return false;
	}
}

/* Whether a given option changes nothing in this cell. */
static bool has_no_effect(const struct trap_cell *cell, enum option_id id)
{
	const struct workload *options = cell->options;

	switch (id) {
	case OPTION_ID_RWMIXREAD:
	case OPTION_ID_RWMIXWRITE:
		return !workload_mixed(options);
	case OPTION_ID_FSYNC:
		return options->fsync > 0 && !workload_writes(options);
	case OPTION_ID_FDATASYNC:
		return options->fdatasync > 0 && !workload_writes(options);
	case OPTION_ID_END_FSYNC:
		return options->end_fsync && !workload_writes(options);
	case OPTION_ID_SYNC:
		return options->sync != SYNC_NONE && !workload_writes(options);
	case OPTION_ID_NORANDOMMAP:
		return !workload_random(options);
	case OPTION_ID_BS_UNALIGNED:
		return options->bs_unaligned && !workload_sizes_differ(options);
	case OPTION_ID_INTERLOCKED:
		return options->interlocked && options->numjobs == 1;
	case OPTION_ID_OFFSET_INCREMENT:
		return options->offset_increment > 0 && options->numjobs == 1;
	case OPTION_ID_PERCENTAGE_RANDOM:
	case OPTION_ID_BLOCKALIGN:
		return !workload_random(options);
	case OPTION_ID_RW_SEQUENCER:
		return options->rw_sequencer != SEQUENCER_SEQUENTIAL &&
		       (!workload_random(options) || options->rw_number == 0);
	case OPTION_ID_SCRAMBLE_BUFFERS:
	case OPTION_ID_REFILL_BUFFERS:
	case OPTION_ID_ZERO_BUFFERS:
	case OPTION_ID_COMPRESS_PERCENTAGE:
	case OPTION_ID_COMPRESS_CHUNK:
	case OPTION_ID_DEDUPE_PERCENTAGE:
		return data_has_no_effect(cell, id);
	case OPTION_ID_RATE:
		return misses(options, options->rate);
	case OPTION_ID_RATE_IOPS:
		return misses(options, options->rate_iops);
	case OPTION_ID_RATE_MIN:
		return misses(options, options->rate_min);
	case OPTION_ID_RATE_IOPS_MIN:
		return misses(options, options->rate_iops_min);
	case OPTION_ID_CONTINUE_ON_ERROR:
		return continues_nowhere(options);
	case OPTION_ID_VERIFY_INTERVAL:
	case OPTION_ID_DO_VERIFY:
		return options->verify == VERIFY_NONE;
	case OPTION_ID_VERIFY_FATAL:
		return options->verify == VERIFY_NONE || !options->do_verify;
	case OPTION_ID_REGIONS:
		return workload_jobs(cell->whole) == 1 || target_kind_has_files(cell->target->kind);
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

/* What is given to a metadata workload itself and would do nothing is refused. */
static bool defaults_passed_over(const struct trap_cell *cell, struct trap_hit *hit)
{
	const struct workload *defaults = &cell->plan->definition->defaults;
	char names[256] = "";

	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		size_t used = strlen(names);

		if (workload_is_set(defaults, (enum option_id)id) &&
		    !file_phases_takes((enum option_id)id))
			(void)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				       option_at((enum option_id)id)->name); /* may be cut */
	}
	return *names &&
	       trap_tell(hit, FINDING_INFO,
			 "For a metadata workload these of the defaults have no effect: %s.",
			 names);
}

bool trap_no_effect(const struct trap_cell *cell, struct trap_hit *hit)
{
	enum finding_severity severity = FINDING_INFO;
	char names[256] = "";

	if (workload_metadata(cell->options))
		return defaults_passed_over(cell, hit);
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		size_t used = strlen(names);

		if (!workload_is_set(cell->options, (enum option_id)id) ||
		    !has_no_effect(cell, (enum option_id)id))
			continue;
		(void)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
			       option_at((enum option_id)id)->name); /* the names fit */
		if (is_factor(cell->plan, (enum option_id)id))
			severity = FINDING_WARNING;
	}
	if (!*names)
		return false;
	return trap_tell(hit, severity, "With rw=%s%s this has no effect: %s.%s",
			 workload_rw_choices[cell->options->rw],
			 cell->options->numjobs == 1 ? " and one job" : "", names,
			 severity == FINDING_WARNING
				 ? " Levels that differ in it alone measure the same thing."
				 : "");
}
