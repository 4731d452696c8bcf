/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traps_cell.h - the table of traps that lie in one cell; internal to traps*.c.
 *
 * A trap's message is the same words for every cell it holds in, so that cells and workloads can be
 * told together; the figures of a cell stand in expected and found.
 */
#ifndef ENGINE_PLAN_TRAPS_CELL_H
#define ENGINE_PLAN_TRAPS_CELL_H

#include "engine/plan/plan.h"

struct trap_cell {
	const struct plan *plan;
	const struct machine *machine;	/* or NULL */
	const struct workload *options; /* a part: all of the cell, or named jobs of it */
	const struct workload *whole;
	size_t part; /* which one */
	const struct target_spec *target;
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

#endif
