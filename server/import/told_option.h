/* SPDX-License-Identifier: GPL-3.0-or-later */
/* told_option.h - options of a sample as another tool's text tells them. */
#ifndef SERVER_IMPORT_TOLD_OPTION_H
#define SERVER_IMPORT_TOLD_OPTION_H

#include "engine/plan/workload.h"

/* Sets an option from text; what it does not take (a block of 100 bytes) stays unknown. -ENOMEM. */
MUST_CHECK int told_option_set(struct workload *options, enum option_id id, const char *format, ...)
	PRINTF_LIKE(3, 4);

#endif
