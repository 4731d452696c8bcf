/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * service.h - the parts of a running service in one place, as the HTTP edge is given them.
 * Filled by server/main.c; immutable while the service runs.
 */
#ifndef SERVER_SERVICE_H
#define SERVER_SERVICE_H

#include "server/options.h"
#include "server/progress.h"
#include "server/schedule.h"
#include "server/store.h"
#include "server/supervisor.h"

struct service {
	const struct options *options;
	struct store *store;
	struct progress_board *board;
	struct schedule *schedule;
	const struct supervisor *supervisor;
};

#endif
