/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checks.c - see checks.h: the order of the checks, and those that hold nothing against anything
 * else. The others are in checks_asked.c, checks_figures.c, checks_told.c, checks_device.c and
 * checks_zfs.c. */
#include "engine/analysis/checks.h"

#include <stdio.h>
#include <string.h>

#include "engine/analysis/checks_private.h"
#include "engine/analysis/checks_zfs.h"
#include "engine/analysis/steady.h"
#include "engine/io/verify/verify.h"
#include "engine/plan/file_phases.h"

/* bonnie++ shows no figure for a phase of less than half a second (its "+++++"). */
#define PHASE_S 0.5

void checks_cell_text(const struct sample *sample, char buffer[CHECKS_CELL_MAX])
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < sample->level_count && used < CHECKS_CELL_MAX; i++) {
		int n = snprintf(buffer + used, CHECKS_CELL_MAX - used, "%s%s=%s",
				 i > 0 ? ", " : "", sample->levels[i].factor,
				 sample->levels[i].value);

		used += n > 0 ? (size_t)n : 0;
	}
}

int checks_add(const struct check *check, enum finding_severity severity, const char *code,
	       const char *expected, const char *found, const char *message)
{
	char named[192];

	if (check->job) {
		(void)snprintf(named, sizeof(named), "%s: %s", check->job, found); /* may be cut */
		found = named;
	}
	return findings_add(check->findings, severity, code, check->sample->workload,
			    check->cell[0] ? check->cell : NULL, expected, found, "%s", message);
}

static int check_errors(const struct check *check)
{
	const struct sample *sample = check->sample;
	char found[160], message[ERROR_MESSAGE_MAX + 160];

	if (sample->error_count == 0)
		return 0;
	if (sample->source) {
		(void)snprintf(found, sizeof(found), "%llu%s%.120s",
			       (unsigned long long)sample->error_count,
			       sample->first_failure ? ": " : "",
			       sample->first_failure ? sample->first_failure : "");
		return checks_add(check, FINDING_ERROR, "io_errors", "no error", found,
				  "The tool tells of errors; its figures are of what went well.");
	}
	if (sample_failed(sample) == sample->error_count) {
		(void)snprintf(found, sizeof(found),
			       "%llu failed: %llu reads, %llu writes, %llu trims, %llu syncs",
			       (unsigned long long)sample->error_count,
			       (unsigned long long)sample->failed[DIRECTION_READ],
			       (unsigned long long)sample->failed[DIRECTION_WRITE],
			       (unsigned long long)sample->failed[DIRECTION_TRIM],
			       (unsigned long long)sample->failed[DIRECTION_COUNT]);
		(void)snprintf(message, sizeof(message),
			       "Operations failed, and the sample went on as continue_on_error "
			       "asks; no figure counts them. The first: %s.",
			       sample->first_failure ? sample->first_failure : "not told");
		return checks_add(check, FINDING_WARNING, "io_errors", "no failed operation", found,
				  message);
	}
	(void)snprintf(found, sizeof(found), "%llu failed",
		       (unsigned long long)check->sample->error_count);
	return checks_add(
		check, FINDING_ERROR, "io_errors", "no failed operation", found,
		"Operations failed and the sample ended with the first; its figures are of "
		"what went before.");
}

static int check_verify(const struct check *check)
{
	const struct verify_result *verify = &check->sample->verify;
	char found[64], message[VERIFY_TEXT_MAX + 64], fault[VERIFY_TEXT_MAX];
	int r = 0;

	if (verify->errors > 0) {
		(void)snprintf(found, sizeof(found), "%llu of %llu wrong",
			       (unsigned long long)verify->errors,
			       (unsigned long long)verify->blocks);
		(void)snprintf(message, sizeof(message),
			       "What was read back is not what was written: %s.",
			       verify_describe(&verify->first, fault));
		r = checks_add(check, FINDING_ERROR, "verify_failed", "every block as written",
			       found, message);
	}
	if (r < 0 || verify->unknown == 0)
		return r;
	(void)snprintf(found, sizeof(found), "%llu left out", (unsigned long long)verify->unknown);
	return checks_add(
		check, FINDING_WARNING, "verify_incomplete", "every block checked", found,
		"Blocks whose last write failed or was cut short were not checked: nobody knows "
		"what must be in them.");
}

/* Phases of files that were over too soon. */
static int check_phases(const struct check *check)
{
	const struct sample *sample = check->sample;
	char found[256] = "";

	for (size_t i = 0; i < sample->file_count; i++) {
		const struct file_result *result = &sample->files[i];
		size_t used = strlen(found);

		/* Of others' phases the seconds may not be known. */
		if (result->seconds >= PHASE_S || (sample->source && result->seconds <= 0))
			continue;
		(void)snprintf(found + used, sizeof(found) - used, "%s%s %s %.0f ms",
			       used ? ", " : "", workload_file_order_choices[result->order],
			       file_operation_names[result->operation],
			       result->seconds * 1000); /* twelve fit, or are cut */
	}
	if (!*found)
		return 0;
	return checks_add(
		check, FINDING_WARNING, "phase_too_quick", "0.5 s or more a phase", found,
		"Phases were over too soon to tell their rate from chance, and met only what was "
		"in memory; raise nrfiles.");
}

/* What jobs of one kind of options were asked for, and did. */
static int check_jobs(const struct check *check)
{
	int r = checks_mix(check);

	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++) {
		r = checks_size(check, (enum direction)d);
		if (r == 0)
			r = checks_count(check, (enum direction)d);
		if (r == 0)
			r = checks_rate(check, (enum direction)d);
	}
	return r < 0 ? r : checks_depth(check);
}

/*
 * A part of several, or one job of it, as a sample of its own that borrows all it has. What the
 * device and the whole tell is not in it.
 */
static int check_part(const struct check *whole, const struct job_result *job)
{
	const struct sample *sample = whole->sample;
	const struct workload *part = sample_part(sample, job);
	struct sample view = {
		.workload = sample->workload,
		.backend = sample->backend,
		.options = *part,
		.steady = sample->steady,
		.seconds = job->seconds,
		.depth_mean = sample_job_depth(job),
	};
	struct check check = *whole;

	view.options.numjobs = job->jobs;
	memcpy(view.directions, job->directions, sizeof(view.directions));
	check.sample = &view;
	check.job = job->name;
	return view.seconds > 0 ? check_jobs(&check) : 0;
}

static int check_parts(const struct check *check)
{
	const struct sample *sample = check->sample;
	int r = 0;

	if (sample->options.part_count == 0)
		return check_jobs(check);
	for (size_t i = 0; i < sample->job_count && r == 0; i++)
		r = check_part(check, &sample->jobs[i]);
	return r;
}

int checks_sample(struct sample *sample)
{
	struct check check = {.sample = sample, .findings = &sample->findings};
	bool together = sample->options.part_count > 0;
	int r;

	checks_cell_text(sample, check.cell);
	r = check_errors(&check);
	if (r == 0)
		r = check_verify(&check);
	if (r == 0)
		r = checks_time(&check);
	for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
		r = checks_device_bytes(&check, (enum direction)d);
	if (r == 0)
		r = check_parts(&check);
	if (r == 0)
		r = checks_steadystate(&check);
	if (r == 0)
		r = steady_check(sample, check.cell);
	if (r == 0 && !together)
		r = checks_device_queue(&check);
	if (r == 0)
		r = checks_alone(&check);
	if (r == 0)
		r = checks_little(&check);
	if (r == 0)
		r = checks_told(&check);
	if (r == 0)
		r = check_phases(&check);
	if (r == 0)
		r = checks_zfs(sample, check.cell);
	return r;
}
