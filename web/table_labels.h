/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_labels.h - tables that a narrow screen shows as stacked rows.
 *
 * In each table of class "stack" every td gets data-l, the head of its column, which style.css
 * shows above the figure where the columns do not fit side by side. So it needs no script, and
 * whoever writes a table writes it once, with its heads in <thead>.
 */
#ifndef WEB_TABLE_LABELS_H
#define WEB_TABLE_LABELS_H

#include <stddef.h>

#define TABLE_LABELS_MAX 128 /* columns; those beyond get none */

/* A page that html_finish() returned, which is freed; heap, with its size. NULL: no memory, or no
 * page. ret_size may be NULL. Cells that span columns are not expected. */
char *table_labels(char *page, size_t *ret_size);

#endif
