/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare_table.h - runs beside each other in a terminal: what differs, the judged figure of each
 * cell, limits. */
#ifndef SERVER_COMPARE_TABLE_H
#define SERVER_COMPARE_TABLE_H

#include <stdio.h>

#include "engine/analysis/run_limits.h"

/* judgement: NULL without limits. -ENOMEM where something was lost. */
MUST_CHECK int compare_table_print(const struct run_comparison *comparison,
				   const struct run_judgement *judgement, FILE *out, size_t width);

#endif
