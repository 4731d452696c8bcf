/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reporter.h - draws reports in a thread of its own, one after another, while no run measures if it
 * can wait (60 s at most), else in the lowest scheduling class. Asked for by run id, or by
 * REPORTER_STUDY and the name of a study, whose report lies apart from the runs'
 * (store_open_study()); asking twice draws once; one that failed is not tried again within a
 * minute. Of a run that is removed meanwhile there is none, which is no failure. Locking: one mutex
 * over the list of ids, not held while drawing or asking whether a run measures. Threads: any.
 */
#ifndef WEB_REPORTER_H
#define WEB_REPORTER_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "server/store.h"

struct reporter;

struct reporter_config {
	struct store *store;
	bool (*busy)(void *arg); /* a run measures: rather wait */
	void *arg;
	/* The text of a study's result (heap), by its name; NULL: there are no studies. */
	int (*study)(const char *name, char **ret_text, size_t *ret_size, struct error *err);
};

#define REPORTER_STUDY "study:" /* no run's id begins so */

MUST_CHECK int reporter_start(const struct reporter_config *config, struct reporter **ret_reporter);
void reporter_request(struct reporter *reporter, const char *id);

/* Finishes the one at hand, forgets the rest, joins, frees. NULL is fine. */
void reporter_stop(struct reporter *reporter);

#endif
