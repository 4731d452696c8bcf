/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_reports.h - the reports beside the documents of store.h, which includes this file. */
#ifndef SERVER_STORE_REPORTS_H
#define SERVER_STORE_REPORTS_H

#include <stddef.h>

#include "engine/base/macros.h"

struct store;

/* The report's directory, made when missing; and one file of it. name is checked (file_name_ok);
 * -ENOENT for a run or file that is not there. */
MUST_CHECK int store_open_report(struct store *store, const char *id, int *ret_dirfd);
MUST_CHECK int store_read_report(struct store *store, const char *id, const char *name,
				 char **ret_data, size_t *ret_size);

/* The same of a study, by its name (store_definition_name_ok). */
MUST_CHECK int store_open_study(struct store *store, const char *name, int *ret_dirfd);
MUST_CHECK int store_read_study(struct store *store, const char *name, const char *file,
				char **ret_data, size_t *ret_size);

#endif
