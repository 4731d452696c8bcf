/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traps_cell.h - the tables of traps that lie in one cell; internal to traps*.c. Those of zvols and
 * datasets have a table of their own.
 *
 * A trap's message is the same words for every cell it holds in, so that cells and workloads can be
 * told together; the figures of a cell stand in expected and found.
 */
#ifndef ENGINE_PLAN_TRAPS_CELL_H
#define ENGINE_PLAN_TRAPS_CELL_H

#include "engine/plan/plan.h"
#include "engine/plan/quantity.h"

struct trap_cell {
	const struct plan *plan;
	const struct machine *machine;	/* or NULL */
	const struct workload *options; /* a part: all of the cell, or named jobs of it */
	const struct workload *whole;
	size_t part;			  /* which one */
	const struct target_spec *target; /* the instance: with the cell's properties */
};

struct trap_hit {
	enum finding_severity severity;
	char message[512];
	char expected[80], found[80]; /* "" for none */
};

struct trap {
	const char *code;
	bool (*holds)(const struct trap_cell *cell, struct trap_hit *hit);
	bool needs_size; /* to be tried again when the target has given the size */
};

extern const struct trap traps_of_cell[];
extern const size_t traps_of_cell_count;
/* They hold for zvols and datasets only, and are not tried on others. */
extern const struct trap traps_of_made[];
extern const size_t traps_of_made_count;

/* A row of the first table that has a file of its own. */
bool trap_no_effect(const struct trap_cell *cell, struct trap_hit *hit);

/* Fills in severity and message; true. */
bool trap_tell(struct trap_hit *hit, enum finding_severity severity, const char *format, ...)
	PRINTF_LIKE(3, 4);
/* "1.5 GiB". Returns buffer. */
const char *trap_bytes(uint64_t bytes, char buffer[QUANTITY_TEXT_MAX]);
/* Bytes that the jobs of a part touch; 0: not known yet. */
uint64_t trap_working_set(const struct trap_cell *cell);

#endif
