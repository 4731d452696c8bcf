/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_told.h - what a report says of an imported result alone; internal to web/report*.c. */
#ifndef WEB_REPORT_TOLD_H
#define WEB_REPORT_TOLD_H

#include "web/report_parts.h"

void report_told_facts(const struct report *report, struct html *html); /* rows of a dl */
void report_told_sources(const struct report *report, struct html *html);

#endif
