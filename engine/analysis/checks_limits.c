/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checks_limits.c - see checks_result.h: figures against what memory and links can do.
 *
 * Nothing is added to a limit: what a link or memory carries beside the data (frames, headers,
 * refreshes) only lowers what is left for them. Directions are held apart, since links carry both
 * at once.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/checks_across.h"
#include "engine/analysis/checks_private.h"
#include "engine/plan/quantity.h"

/* bonnie++ asks for files of twice the memory: of less than that a part which nobody can tell comes
 * from caches, however the reads are spread. */
#define MEMORY_TIMES 2

#define MIB (1024.0 * 1024)
#define GIB (1024.0 * MIB)

/* ---- memory against what is read ---- */

/* Bytes that all jobs touch together, at the most; 0: not known. */
static double working_set(const struct sample *sample)
{
	const struct workload *options = &sample->options;
	bool shared = sample_knows(sample, OPTION_ID_REGIONS) && options->regions == REGIONS_SHARED;

	if (options->part_count > 0 || !sample_knows(sample, OPTION_ID_SIZE) ||
	    workload_metadata(options))
		return 0;
	if (shared)
		return (double)options->size;
	return sample_knows(sample, OPTION_ID_NUMJOBS)
		       ? (double)options->size * (double)options->numjobs
		       : 0;
}

/* What is known of a sample: its set where that is within reach of memory, else 0. */
static double set_in_reach(const struct sample *sample)
{
	double set = working_set(sample), memory;

	if (!sample->source || sample->source->memory_bytes == 0 ||
	    !sample_moves(sample, DIRECTION_READ))
		return 0;
	memory = (double)sample->source->memory_bytes;
	return set < memory * MEMORY_TIMES ? set : 0;
}

static bool known_direct(const struct sample *sample)
{
	return sample_knows(sample, OPTION_ID_DIRECT) && sample->options.direct;
}

/* Where nobody says whether the jobs share a region it is as much only if they do not. */
static bool known_regions(const struct sample *sample)
{
	return sample_knows(sample, OPTION_ID_REGIONS) || sample->options.numjobs == 1;
}

static int add_memory(struct analysis *analysis, const struct sample *sample, const char *cell)
{
	double set = working_set(sample), memory = (double)sample->source->memory_bytes;
	char expected[64], found[64];

	(void)snprintf(expected, sizeof(expected), "%d times the memory of %.4g GiB", MEMORY_TIMES,
		       memory / GIB);
	(void)snprintf(found, sizeof(found), "%s%.4g GiB", known_regions(sample) ? "" : "at most ",
		       set / GIB);
	if (set > memory)
		return findings_add(&analysis->findings, FINDING_INFO, "fits_memory",
				    sample->workload, cell, expected, found,
				    "What was read is less than twice the memory of the machine: a "
				    "part of the reads, which nobody can tell, may have come from "
				    "its caches.");
	return findings_add(
		&analysis->findings, known_direct(sample) ? FINDING_INFO : FINDING_WARNING,
		"fits_memory", sample->workload, cell, expected, found,
		"What was read fits into the memory of the machine: its caches may have answered, "
		"and not the storage. direct=1 goes around the page cache, but not around ARC or "
		"the cache of a host beneath.");
}

/* A finding for the workload where it holds alike in all of its cells, else one for each. */
int checks_memory(struct analysis *analysis, size_t workload)
{
	const struct cells *cells = &analysis->cells;
	const struct sample *first = NULL;
	bool alike = true;
	int r = 0;

	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->list[i];
		const struct sample *sample = cell->sample_count > 0 ? cell->samples[0] : NULL;

		if (cell->workload != workload || !sample)
			continue;
		if (!first)
			first = sample;
		alike &= set_in_reach(sample) > 0 && working_set(sample) == working_set(first) &&
			 sample->source->memory_bytes == first->source->memory_bytes &&
			 known_direct(sample) == known_direct(first);
	}
	if (first && alike)
		return add_memory(analysis, first, NULL);
	for (size_t i = 0; i < cells->count && r == 0; i++) {
		const struct cell *cell = &cells->list[i];
		char text[CHECKS_CELL_MAX];

		if (cell->workload != workload || cell->sample_count == 0 ||
		    set_in_reach(cell->samples[0]) <= 0)
			continue;
		checks_cell_text(cell->samples[0], text);
		r = add_memory(analysis, cell->samples[0], *text ? text : NULL);
	}
	return r;
}

/* ---- links and memory against bandwidth ---- */

/* Longer ones before those they begin with. */
static const struct rate_unit {
	const char *text;
	double bytes_per_s;
} rate_units[] = {
	{"Gbit", 1e9 / 8}, {"Mbit", 1e6 / 8}, {"GbE", 1e9 / 8},	 {"Gb/s", 1e9 / 8},
	{"Mb/s", 1e6 / 8}, {"Gbps", 1e9 / 8}, {"Mbps", 1e6 / 8}, {"GBASE", 1e9 / 8},
	{"GiB/s", GIB},	   {"MiB/s", MIB},    {"GB/s", 1e9},	 {"MB/s", 1e6},
};

/* The number at *at and the unit behind it; 0: there is none. *at is moved on. */
static double rate_at(const char **at)
{
	char *end;
	double number = strtod(*at, &end);
	const char *unit = end;

	while (*unit == ' ' || *unit == '-')
		unit++;
	*at = end;
	for (size_t i = 0; i < ARRAY_SIZE(rate_units); i++)
		if (strncmp(unit, rate_units[i].text, strlen(rate_units[i].text)) == 0)
			return number * rate_units[i].bytes_per_s;
	return 0;
}

/* "2 x ": how many of what follows; 1 where there is none. *at is moved behind it. */
static double times_at(const char **at)
{
	char *end;
	double times = strtod(*at, &end);

	while (*end == ' ')
		end++;
	if ((*end != 'x' && *end != 'X') || end[1] != ' ' || times < 1)
		return 1;
	*at = end + 2;
	return times;
}

/* All that is named together, since nobody says which was used. */
double checks_rate_of_text(const char *text)
{
	double sum = 0;

	for (const char *at = text; *at;) {
		double times;

		if (!isdigit((unsigned char)*at) ||
		    (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '.'))) {
			at++;
			continue;
		}
		times = times_at(&at);
		while (*at == ' ')
			at++;
		if (isdigit((unsigned char)*at))
			sum += times * rate_at(&at);
	}
	return sum;
}

/* Whether a fact's name has the word, in any case, as a word of its own. */
static bool has_word(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = name; (at = strcasestr(at, word)); at++)
		if ((at == name || !isalpha((unsigned char)at[-1])) &&
		    !isalpha((unsigned char)at[length]))
			return true;
	return false;
}

enum limit { LIMIT_NONE, LIMIT_LINK, LIMIT_MEMORY };

static enum limit limit_of(const struct result_fact *fact)
{
	if (has_word(fact->name, "bandwidth") &&
	    (has_word(fact->name, "memory") || has_word(fact->name, "ram")))
		return LIMIT_MEMORY;
	if (has_word(fact->name, "link") || has_word(fact->name, "network") ||
	    has_word(fact->name, "nic"))
		return LIMIT_LINK;
	return LIMIT_NONE;
}

static int check_limit(struct analysis *analysis, enum limit limit, double most,
		       const struct sample *sample, enum direction d)
{
	struct told_figure bandwidth = checks_bandwidth(sample, d);
	char expected[64], found[64], cell[CHECKS_CELL_MAX];

	if (!bandwidth.known || bandwidth.low <= most)
		return 0;
	checks_cell_text(sample, cell);
	(void)snprintf(expected, sizeof(expected), "at most %.4g MiB/s", most / MIB);
	(void)snprintf(found, sizeof(found), "%.4g MiB/s of %ss", bandwidth.value / MIB,
		       direction_names[d]);
	return findings_add(&analysis->findings, FINDING_WARNING,
			    limit == LIMIT_LINK ? "bandwidth_above_link" : "bandwidth_above_memory",
			    sample->workload, *cell ? cell : NULL, expected, found,
			    limit == LIMIT_LINK
				    ? "More than the link carries: a cache on this side of it "
				      "answered, or the figure is wrong."
				    : "More than this machine's memory moves, through which all "
				      "data go: the figure is wrong, or its unit.");
}

int checks_limits(struct analysis *analysis)
{
	const struct result *result = analysis->result;
	int r = 0;

	for (size_t f = 0; f < result->fact_count; f++) {
		enum limit limit = limit_of(&result->facts[f]);
		double most = checks_rate_of_text(result->facts[f].value);

		if (limit == LIMIT_NONE || most <= 0)
			continue;
		for (size_t i = 0; i < result->sample_count && r == 0; i++)
			for (int d = 0; d < DIRECTION_COUNT && r == 0; d++)
				r = check_limit(analysis, limit, most, &result->samples[i],
						(enum direction)d);
	}
	return r;
}
