/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare_page.h - runs beside each other, for a browser: tables, readable without scripts. */
#ifndef WEB_COMPARE_PAGE_H
#define WEB_COMPARE_PAGE_H

#include "engine/analysis/run_limits.h"

/* judgement: NULL without limits. Heap HTML; NULL on no memory. */
char *page_comparison(const struct run_comparison *comparison,
		      const struct run_judgement *judgement);

#endif
