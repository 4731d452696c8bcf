/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report.h - the static report of a result: index.html, chart-*.svg (light and dark), style.css,
 * result.csv beside it. Readable without scripts, from a USB stick, on a phone, on paper.
 *
 * Files are written by file.h into the directory, index.html last: a directory with an index.html
 * is a whole report. Charts that could not be drawn are told in the page, with their table.
 */
#ifndef WEB_REPORT_H
#define WEB_REPORT_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/result.h"

/* result_json: the document it was decoded from, offered as a download beside the page. */
MUST_CHECK int report_write(const struct result *result, const char *result_json,
			    size_t result_json_size, int dirfd, struct error *err);

#endif
