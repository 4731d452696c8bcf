/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_cell.h - one cell of a table (import_table.c says what may stand in it) as figures of a
 * sample.
 *
 * Where any value in a cell is a list, the cell holds so many repeats and every figure in it is a
 * list of as many.
 */
#ifndef SERVER_IMPORT_TABLE_CELL_H
#define SERVER_IMPORT_TABLE_CELL_H

#include "engine/sample.h"
#include "server/codec/fields.h"

/* How many; 1 without a list. BAD_VALUE where lists differ in length, TOO_MANY. */
MUST_CHECK int table_cell_repeats(const struct fields *cell, size_t *ret_repeats);

/*
 * Fills seconds, directions, files and sample->source (which is there) from one repeat, counted
 * from 0. sample->options must hold the workload's: files are told of metadata workloads alone.
 * With source->index figures are changes in percent, and become an index.
 */
MUST_CHECK int table_cell_read(const struct fields *cell, size_t repeats, size_t repeat,
			       struct sample *sample);

/* Whether nothing is told of what was done. */
bool table_cell_empty(const struct sample *sample);

/* Makes every figure that is known the index of what others are told against: 100. */
void table_cell_base(struct sample *sample);

/* A member that counts something: 1 to max; 0 where it is absent. */
MUST_CHECK int table_cell_count(const struct fields *in, const char *name, uint64_t max,
				uint64_t *ret_count);

#endif
