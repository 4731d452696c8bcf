/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reporter.h - draws reports in a thread of its own, at the lowest scheduling class, one after
 * another, while no run measures if it can wait (60 s at most). Asked for by run id; asking twice
 * draws once. Locking: one mutex over the list of ids.
 */
#ifndef WEB_REPORTER_H
#define WEB_REPORTER_H

#include "engine/base/error.h"
#include "server/store.h"

struct reporter;

struct reporter_config {
	struct store *store;
	bool (*busy)(void *arg); /* a run measures: rather wait */
	void *arg;
};

MUST_CHECK int reporter_start(const struct reporter_config *config, struct reporter **ret_reporter);
void reporter_request(struct reporter *reporter, const char *id);
void reporter_stop(struct reporter *reporter); /* finishes the one at hand, joins, frees */

#endif
