/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart.h - the one door to gnuplot: all charts of a report from one sandboxed child.
 *
 * The script is made of constants; numbers go inline; texts (labels) only in single quotes, with
 * every character outside [A-Za-z0-9 ._,:()/%+-] replaced by '_', noenhanced. CPU 10 s, memory
 * 512 MiB, wall 15 s for the whole report.
 */
#ifndef WEB_CHART_H
#define WEB_CHART_H

#include "engine/base/error.h"

/* Filled by web/ and internal to it: see chart.c's header for what each kind draws. */
struct chart_set;

MUST_CHECK int chart_set_new(struct chart_set **ret_set);
void chart_set_free(struct chart_set *set);

#endif
