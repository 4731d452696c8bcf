/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * problem_page.h - what went wrong, for a reader with a browser: in a sentence, and what to do
 * next. Programs get the same as a problem document (api/problem.h). Pure functions.
 */
#ifndef WEB_PROBLEM_PAGE_H
#define WEB_PROBLEM_PAGE_H

#include "engine/base/error.h"

/* Heap HTML; NULL on no memory. */
char *page_problem(int status, const struct error *err);

#endif
