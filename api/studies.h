/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * studies.h - published comparisons of storage: their figures as tables (volbench.table/1),
 * compiled in from api/studies/(name).json, and the built-in definition that measures the same
 * here.
 */
#ifndef API_STUDIES_H
#define API_STUDIES_H

#include <stddef.h>

#include "engine/result.h"

struct study {
	const char *name;
	const char *definition; /* of definitions.h; "bonnie, small-files" where it takes several */
};

extern const struct study studies[];
extern const size_t study_count;

const struct study *study_find(const char *name); /* NULL: none of that name */
const char *study_text(const struct study *study);

/* The figures as a result: imported as any table is; its id is the study's name. ret_result is
 * fresh before, and on failure. */
MUST_CHECK int study_result(const struct study *study, struct result *ret_result,
			    struct error *err);

/* The same as a document, heap. -ENOENT: none of that name. */
MUST_CHECK int study_result_text(const char *name, char **ret_text, size_t *ret_size,
				 struct error *err);

#endif
