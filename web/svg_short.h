/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg_short.h - the value of a drawing's attribute in fewer characters: places to a tenth of a
 * point, sizes to a hundredth, colours as #rrggbb, lines as steps from place to place, no zeros and
 * spaces that say nothing. A report is some eighty drawings, and half of what a plotted one holds
 * are such characters.
 *
 * Pure function.
 */
#ifndef WEB_SVG_SHORT_H
#define WEB_SVG_SHORT_H

#include <stdbool.h>
#include <stddef.h>

/* Shortens in place; what comes out is never longer. Returns its size. `fine`: places too to a
 * hundredth, as in what is drawn larger than it is written. */
size_t svg_shorten(const char *name, bool fine, char *value, size_t size);

#endif
