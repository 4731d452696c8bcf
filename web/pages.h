/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pages.h - the pages that are not a run's stored report: all runs, a run that is not finished (or
 * whose report is being drawn), studies. Heap HTML; NULL on no memory.
 * Links: style.css, service.css, live.js and icon.svg are served at /static/; a run at /runs/ID/.
 */
#ifndef WEB_PAGES_H
#define WEB_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "server/progress.h"
#include "server/store.h"

/* All runs, newest first; next: cursor of the older page, 0 for none; host: "127.0.0.1:8090", where
 * the reader found us. */
char *page_runs(const struct store_run *runs, size_t count, uint64_t next, const char *host);

/* Where a comparison was asked for without runs: two of these to choose. */
char *page_choose_runs(const struct store_run *runs, size_t count, const char *host);

/* A run that is queued or running, with a progress bar that live.js keeps fresh and a refresh for
 * browsers without scripts; or an ended one whose report is not there yet. */
char *page_run_live(const struct store_run *run, const struct progress_state *state);

/* Published comparisons that come with the program; their pages stand at /studies/NAME/. */
struct page_study {
	const char *name, *title, *description;
	const char *definitions; /* built-in ones that measure the same: "bonnie, small-files" */
};

char *page_studies(const struct page_study *studies, size_t count, const char *host);

/* Where its report is not drawn yet: comes back by itself. */
char *page_study_wait(const char *title);

/* Static files by name ("style.css", "live.js"): data, size and media type; 0: none. */
int page_static(const char *name, const char **ret_data, size_t *ret_size, const char **ret_type);

#endif
