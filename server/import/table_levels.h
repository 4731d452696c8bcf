/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_levels.h - the levels of a table's rows (import_table.c) as levels of samples, and the base
 * that changes are told against.
 */
#ifndef SERVER_IMPORT_TABLE_LEVELS_H
#define SERVER_IMPORT_TABLE_LEVELS_H

#include "engine/sample.h"
#include "server/codec/fields.h"

struct table_levels {
	const json_t *rows;	 /* borrowed, as all here is */
	const char *base_factor; /* NULL: figures are what was measured */
	const json_t *base_level;
};

/*
 * The levels of a row, in the order of the first row's; a level of an option becomes one of
 * sample->options too. base: those of the base that the row is told against.
 */
MUST_CHECK int table_levels_read(const struct table_levels *table, const struct fields *row,
				 bool base, struct sample *sample);

/* The first row with the same base, this one or one before it: its levels differ in the base's
 * factor alone. */
size_t table_levels_base_row(const struct table_levels *table, size_t row);

#endif
