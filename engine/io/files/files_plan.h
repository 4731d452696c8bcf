/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files_plan.h - which file comes next in a metadata workload: names, sizes, places, order.
 *
 * Pure: all follows from the workload, the job's index and the seed. File i of a job is called
 * "f" and i in eight digits ("r" once it is renamed) and lies in directory i * directories / files,
 * so that going through them in order fills one directory after another. Its bytes are drawn evenly
 * from the two ends of filesize. At random, every phase goes through the files in a shuffled order
 * of its own (Fisher-Yates).
 */
#ifndef ENGINE_IO_FILES_FILES_PLAN_H
#define ENGINE_IO_FILES_FILES_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/plan/file_phases.h"

#define FILES_NAME_MAX 16

struct files_plan {
	uint64_t files, directories;
	uint64_t bytes_least, bytes_most;
	uint64_t seed; /* the job's own */
};

void files_plan_init(struct files_plan *plan, const struct workload *workload, size_t job,
		     uint64_t seed);

uint64_t files_plan_directory(const struct files_plan *plan, uint64_t file);
uint64_t files_plan_bytes(const struct files_plan *plan, uint64_t file);

/* A number for what a file's bytes are, another one for each file. */
uint64_t files_plan_content(const struct files_plan *plan, uint64_t file);

const char *files_plan_name(uint64_t file, bool renamed, char buffer[FILES_NAME_MAX]);

/* Whether a name is one of those, of whatever file. */
bool files_plan_is_name(const char *name);

/* The files in the order of a phase; `order` has room for all. */
void files_plan_order(const struct files_plan *plan, bool random, enum file_operation phase,
		      uint32_t *order);

#endif
