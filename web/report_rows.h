/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_rows.h - the pieces that a report's tables are made of; internal to web/report*.c. */
#ifndef WEB_REPORT_ROWS_H
#define WEB_REPORT_ROWS_H

#include "web/report_parts.h"

void report_head_cell(struct html *html, const char *text, bool number);
void report_table_open(struct html *html, const char *class); /* NULL: "stack" (table_labels.h) */
void report_table_close(struct html *html); /* with its tbody, which report_level_head() opens */

/* A row's head: the comparison, and what of it, where its title does not say it. */
void report_row_head_of(const struct report *report, const struct comparison *comparison,
			const char *what, struct html *html);
void report_row_head(const struct report *report, const struct comparison *comparison,
		     int direction, struct html *html);

/* A row's head: one of the jobs, below the row of its workload, and what of it. */
void report_part_head(const struct report *report, const struct comparison *comparison, size_t part,
		      const char *what, struct html *html);

/* The jobs of a comparison's workload; 0 where it is one. */
size_t report_part_count(const struct report *report, const struct comparison *comparison);

/* Figures of a cell: REPORT_WHOLE its own, else those of one of its jobs. NULL: no cell. */
#define REPORT_WHOLE SIZE_MAX
const struct cell_direction *report_part_figures(const struct comparison *comparison, size_t level,
						 size_t part, int d);
bool report_part_moves(const struct report *report, const struct comparison *comparison,
		       size_t part, int d);

/* A sample's levels: "bs=4k, iodepth=16". */
void report_levels_cell(const struct sample *sample, struct html *html);

/* A dash; why: shown when it is pointed at. */
void report_missing_cell(const char *why, struct html *html);

/* "c12": the cell of a comparison at a level, that a finding's link leads to; "" without one. */
#define REPORT_CELL_ID_MAX 24
const char *report_cell_id(const struct report *report, const struct cell *cell,
			   char buffer[REPORT_CELL_ID_MAX]);

#endif
