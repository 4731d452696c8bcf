/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statements.c - see statements.h. */
#include "engine/analysis/statements.h"

int statements_make(struct analysis *analysis)
{
	analysis->statement_count = 0;
	return 0;
}
