/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout.h - the frame every page stands in.
 *
 * A stored report must also read well from a directory, where the service's addresses lead
 * nowhere. So its navigation is hidden by style.css and shown by /static/service.css, which only
 * the service has.
 */
#ifndef WEB_LAYOUT_H
#define WEB_LAYOUT_H

#include "web/html.h"

enum layout_kind {
	LAYOUT_STORED, /* style.css lies beside the page */
	LAYOUT_SERVED, /* everything comes from /static/ */
	LAYOUT_AGAIN,  /* served, loaded again after two seconds */
	LAYOUT_LIVE,   /* served, kept fresh by live.js, or without scripts by reloading */
};

/* Up to and with <main>; NULL on no memory. */
struct html *layout_begin(enum layout_kind kind, const char *title);

/* From </main> on; frees the writer. */
char *layout_end(struct html *html, size_t *ret_size);

#endif
