/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * svg.h - takes a drawing that another program made and passes on only what a drawing needs.
 *
 * The text is parsed whole. Anything but the elements and attributes of the lists in svg.c (lines,
 * shapes, texts), a reference that leaves the file, a declaration, or a tag out of place refuses
 * the drawing; titles, descriptions, filters, comments, empty groups, and ids and definitions that
 * nothing refers to are dropped, and values are shortened (svg_short.h). So what is published is
 * well-formed and holds no script, no foreign object, no style and no address.
 * Pure function.
 */
#ifndef WEB_SVG_H
#define WEB_SVG_H

#include "engine/base/macros.h"

/*
 * Cleans one document. title becomes its <title>. -EBADMSG where it is refused, -ENOMEM. The
 * result is heap, with a NUL behind it.
 */
MUST_CHECK int svg_clean(const char *data, size_t size, const char *title, char **ret_svg,
			 size_t *ret_size);

#endif
