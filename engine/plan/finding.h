/* SPDX-License-Identifier: GPL-3.0-or-later */
/* finding.h - something a reader should know about a definition, a sample or a result. */
#ifndef ENGINE_PLAN_FINDING_H
#define ENGINE_PLAN_FINDING_H

#include <stddef.h>

#include "engine/base/macros.h"

enum finding_severity { FINDING_INFO, FINDING_WARNING, FINDING_ERROR };

extern const char *const finding_severity_names[]; /* "info", "warning", "error" */

struct finding {
	enum finding_severity severity;
	char *code;	       /* stable, snake_case */
	size_t workload_count; /* 0 for the whole */
	char **workloads;      /* which ones */
	char *cell;	       /* "bs=4k, target=zvol", or NULL */
	char *message;	       /* what was found and what to do, one or two sentences */
	char *expected;	       /* or NULL */
	char *found;	       /* or NULL */
};

struct findings {
	size_t count;
	struct finding *list;
};

void findings_init(struct findings *findings);
void findings_done(struct findings *findings);

/* Texts are copied. NULL ones are allowed but for code (workload: of the whole); the printf message
 * last. -ENOMEM. */
MUST_CHECK int findings_add(struct findings *findings, enum finding_severity severity,
			    const char *code, const char *workload, const char *cell,
			    const char *expected, const char *found, const char *message, ...)
	PRINTF_LIKE(8, 9);

/* The same of a whole finding, which may name several workloads. */
MUST_CHECK int findings_append(struct findings *findings, const struct finding *finding);

MUST_CHECK int findings_copy(const struct findings *from, struct findings *to); /* appends */

#endif
