/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report.h - the static report of a result: index.html, and beside it chart-NNN.svg (with -dark for
 * dark screens), style.css, icon.svg, result.json, result.csv and fio.json. Readable without
 * scripts, from a USB stick, on a phone, on paper.
 *
 * Files are written by file.h into the directory, index.html last: a directory with an index.html
 * is a whole report. Charts that could not be drawn are told in the page, with their table.
 */
#ifndef WEB_REPORT_H
#define WEB_REPORT_H

#include <stdatomic.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/result.h"

/* result_json: the document it was decoded from, written beside the page as a download. A run of
 * any state has a report, which says at its top how the run ended. stop (or NULL): once it is true,
 * drawing ends and nothing is written; -ECANCELED. */
MUST_CHECK int report_write(const struct result *result, const char *result_json,
			    size_t result_json_size, int dirfd, const atomic_bool *stop,
			    struct error *err);

#endif
