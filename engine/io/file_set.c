/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file_set.c - see file_set.h. fio's io_u.c has the rules: get_next_file_rr, get_next_file_rand. */
#include "engine/io/file_set.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/plan/workload_sizes.h"

/* Numbers of the seeds derived from the job's own. */
enum { SEED_CHOICE, SEED_FILES };

/* Whether requests in one file come to an end. */
static bool files_end(const struct workload *workload)
{
	enum pattern_kind kind = pattern_kind_of(workload);

	if (workload->time_based || kind == PATTERN_RANDOM || distribution_spec_given(workload))
		return false;
	if (workload->rw_number > 0) /* fio's begin a file with holes again, too */
		return false;
	if (kind == PATTERN_SEQUENTIAL)
		return true;
	for (int d = 0; d < DIRECTION_COUNT; d++)
		if (workload_moves(workload, (enum direction)d) &&
		    workload->percentage_random[d] < 100)
			return false;
	return true;
}

static void open_pass(const struct file_set *set, struct file_set_file *file)
{
	for (int d = 0; d < PATTERN_DIRECTIONS; d++) {
		file->left[d] = set->ends ? file->length : UINT64_MAX;
		if (!file->sequence->random_offsets)
			file->sequence->sides[d].next = 0;
	}
	file->open = file->done = false;
}

static int file_init(struct file_set_file *file, const struct workload *workload, uint64_t seed)
{
	int r = pattern_init(&file->pattern, workload, file->length, seed);

	if (r < 0)
		return r;
	return sequence_new(workload, file->length, random_derive(seed, SEED_FILES), &file->pattern,
			    NULL, &file->sequence);
}

int file_set_new(const struct workload *workload, const struct measure_region *region,
		 uint64_t seed, struct file_set **ret_set)
{
	struct data_files files;
	struct file_set *set = calloc(1, sizeof(*set) + region->file_count * sizeof(set->files[0]));
	int r = 0;

	if (!set)
		return -ENOMEM;
	data_files_of(workload, &files);
	set->count = (uint32_t)region->file_count;
	set->open_max = (uint32_t)files.open;
	set->service = files.service;
	set->every = (uint32_t)files.every;
	set->ends = files_end(workload);
	set->shared = workload_mixed(workload) && workload_random(workload) &&
		      workload_least_request(workload, DIRECTION_READ) ==
			      workload_least_request(workload, DIRECTION_WRITE);
	random_init(&set->random, random_derive(seed, SEED_CHOICE));
	for (uint32_t i = 0; i < set->count && r == 0; i++) {
		set->files[i].fd = region->files[i].fd;
		set->files[i].length = region->files[i].length;
		r = file_init(&set->files[i], workload, random_derive(seed, SEED_FILES + i));
	}
	if (r < 0) {
		file_set_free(set);
		return r;
	}
	file_set_begin(set, UINT64_MAX);
	*ret_set = set;
	return 0;
}

void file_set_free(struct file_set *set)
{
	for (uint32_t i = 0; set && i < set->count; i++)
		sequence_free(set->files[i].sequence);
	free(set);
}

void file_set_begin(struct file_set *set, uint64_t passes)
{
	for (uint32_t i = 0; i < set->count; i++)
		open_pass(set, &set->files[i]);
	set->open = set->done = set->next = 0;
	set->chosen = false;
	set->passes = passes;
}

/* Whether a file may serve: it is in service, or comes into it. */
static bool serves(struct file_set *set, struct file_set_file *file)
{
	if (file->done || (!file->open && set->open == set->open_max))
		return false;
	set->open += !file->open;
	file->open = true;
	return true;
}

/* There is one that serves: some are not done, and those in service are fewer than may be or not
 * none. */
static uint32_t choose(struct file_set *set)
{
	uint32_t i;

	do {
		if (set->service == FILE_SERVICE_RANDOM) {
			i = (uint32_t)random_scale(random_next(&set->random), set->count);
		} else {
			i = set->next;
			set->next = i + 1 < set->count ? i + 1 : 0;
		}
	} while (!serves(set, &set->files[i]));
	return i;
}

struct file_set_file *file_set_choose(struct file_set *set)
{
	if (set->done == set->count) {
		if (set->passes <= 1)
			return NULL;
		file_set_begin(set, set->passes == UINT64_MAX ? UINT64_MAX : set->passes - 1);
	}
	if (set->chosen && (set->service == FILE_SERVICE_SEQUENTIAL || set->more > 0)) {
		set->more -= set->more > 0;
	} else {
		set->current = choose(set);
		set->more = set->every - 1;
		set->chosen = true;
	}
	return &set->files[set->current];
}

static void reduce(uint64_t *left, uint64_t bytes)
{
	if (*left != UINT64_MAX)
		*left -= bytes < *left ? bytes : *left;
}

void file_set_took(struct file_set *set, enum direction direction, uint64_t length)
{
	struct file_set_file *file = &set->files[set->current];

	reduce(&file->left[direction], length);
	if (set->shared)
		reduce(&file->left[direction == DIRECTION_READ ? DIRECTION_WRITE : DIRECTION_READ],
		       length);
	if (file->left[direction] >= file->sequence->sides[direction].sizes.least)
		return;
	file->done = true;
	file->open = false;
	set->open--;
	set->done++;
	set->chosen = false;
}

uint64_t file_set_bytes(const struct workload *workload)
{
	struct data_files files;

	if (!data_files_given(workload))
		return 0;
	data_files_of(workload, &files);
	return sizeof(struct file_set) +
	       files.count * (sizeof(struct file_set_file) + sequence_bytes(workload));
}
