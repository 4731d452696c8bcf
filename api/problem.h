/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * problem.h - the one place where an error's code becomes an HTTP status.
 *
 * Every code of engine/base/error.h has a status here (a unit test holds it), and openapi.yaml's
 * schema Problem lists every code (another one does). Pure functions.
 */
#ifndef API_PROBLEM_H
#define API_PROBLEM_H

#include "engine/base/error.h"

/* 4xx or 5xx; 500 for NONE, which is never an answer. */
int problem_status(enum error_code code);

/* Seconds for the Retry-After header, 0 where trying again is of no use. */
unsigned int problem_retry_after_s(enum error_code code);

/* Heap text of the problem+json document (RFC 9457). NULL: no memory. */
char *problem_text(const struct error *err);

#endif
