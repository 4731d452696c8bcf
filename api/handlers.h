/* SPDX-License-Identifier: GPL-3.0-or-later */
/* handlers.h - what the router's table calls: one file a resource. See request.h for what a
 * handler may do; none blocks. */
#ifndef API_HANDLERS_H
#define API_HANDLERS_H

#include "api/request.h"

/* plan.c */
void handle_plan(struct request *request);

/* runs.c */
void handle_runs_post(struct request *request);
void handle_runs_list(struct request *request);
void handle_run_get(struct request *request);
void handle_run_events(struct request *request);
void handle_run_cancel(struct request *request);
void handle_run_delete(struct request *request);

/* imports.c */
void handle_imports_post(struct request *request);

/* results.c */
void handle_run_result(struct request *request);
void handle_run_analysis(struct request *request);
void handle_run_csv(struct request *request);
void handle_run_fio(struct request *request);

/* comparisons.c */
void handle_comparisons(struct request *request);
void handle_page_compare(struct request *request);

/* definition_calls.c */
void handle_definitions_list(struct request *request);
void handle_definition_get(struct request *request);
void handle_definition_put(struct request *request);
void handle_definition_delete(struct request *request);

/* system.c */
void handle_system(struct request *request);
void handle_targets(struct request *request);
void handle_health(struct request *request);
void handle_openapi(struct request *request);

/* pages.c */
void handle_page_runs(struct request *request);
void handle_page_run(struct request *request);
void handle_page_run_redirect(struct request *request);
void handle_page_run_file(struct request *request);
void handle_static(struct request *request);

/* study_calls.c */
void handle_studies_list(struct request *request);
void handle_study_get(struct request *request);
void handle_page_studies(struct request *request);
void handle_page_study(struct request *request);
void handle_page_study_redirect(struct request *request);
void handle_page_study_file(struct request *request);

/* ---- shared by handlers ---- */

/* runs.c: the run as GET shows it, as the answer. */
void runs_reply(struct request *request, int status, const char *id);

/* pages.c */
#define PAGE_RUNS 50						  /* on a page that lists them */
void reply_html(struct request *request, int status, char *html); /* takes the page */
void reply_no_such_file(struct request *request);
const char *media_type_of(const char *file_name);

/* runs.c: the document of a run as GET shows it. NULL: no memory. */
json_t *run_document_of(const struct store_run *run, const struct progress_state *progress);

/* definition_calls.c: a definition_lookup (server/codec/definition.h) over built-in and saved ones;
 * arg is the struct store. */
MUST_CHECK int definition_by_name(void *arg, const char *name, char **ret_text);

#endif
