/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart.h - the one door to gnuplot: all charts of a report from one sandboxed child.
 *
 *   chart_set_new(&set);
 *   chart_add_bars(set, &bars, &index); chart_add_lines(set, &lines, &index); ...
 *   chart_set_draw(set);
 *   for each: chart_svg(set, index, CHART_LIGHT, &size) or NULL where it could not be drawn
 *
 * The script is made of constants; numbers go inline; texts (labels) only in single quotes, with
 * every character outside [A-Za-z0-9 ._,:()/%+-] replaced by '_', noenhanced, cut to what fits.
 * Script in and drawings out go through memory files, so the child needs no file of its own; what
 * comes back is cleaned by svg.h. CPU 10 s, memory 512 MiB, wall 15 s for the whole report. A
 * chart on which gnuplot stops is left out and the others are drawn by another child.
 *
 * Nothing is borrowed beyond the call. Threads: one user.
 */
#ifndef WEB_CHART_H
#define WEB_CHART_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "web/chart_shapes.h"

enum chart_theme { CHART_LIGHT, CHART_DARK, CHART_THEME_COUNT };

#define CHART_SET_MAX 600 /* charts; more is -E2BIG */

struct chart_set;

MUST_CHECK int chart_set_new(struct chart_set **ret_set);
void chart_set_free(struct chart_set *set);

/* Another program in the place of /usr/bin/gnuplot; the text must outlive the set. */
void chart_set_program(struct chart_set *set, const char *path);

MUST_CHECK int chart_add_bars(struct chart_set *set, const struct chart_bars *bars,
			      size_t *ret_index);
MUST_CHECK int chart_add_lines(struct chart_set *set, const struct chart_lines *lines,
			       size_t *ret_index);
MUST_CHECK int chart_add_curves(struct chart_set *set, const struct chart_curves *curves,
				size_t *ret_index);
MUST_CHECK int chart_add_heat(struct chart_set *set, const struct chart_heat *heat,
			      size_t *ret_index);
MUST_CHECK int chart_add_pairs(struct chart_set *set, const struct chart_pairs *pairs,
			       size_t *ret_index);

/* Charts added; their indices are those below it. */
size_t chart_count(const struct chart_set *set);

/* Points in a picture's width and height, for the page's img element. */
void chart_size(const struct chart_set *set, size_t index, unsigned int *ret_width,
		unsigned int *ret_height);

/* Drawing ends early once *stop is true; stop outlives the set. */
void chart_set_stop_with(struct chart_set *set, const atomic_bool *stop);

/*
 * Draws all. -ECANCELED where it was stopped. 0 also where some or all could not be drawn;
 * chart_set_trouble() then says why, in a sentence for the report ("" when all went well). -ENOMEM.
 */
MUST_CHECK int chart_set_draw(struct chart_set *set);
const char *chart_set_trouble(const struct chart_set *set);

/* The drawing, or NULL. Valid as long as the set. */
const char *chart_svg(const struct chart_set *set, size_t index, enum chart_theme theme,
		      size_t *ret_size);

#endif
