/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log.h - the service's log: a line an event on standard error, with the priority prefix of
 * sd-daemon(3) ("<6>") where it is the journal's, control characters escaped. Any thread; one
 * write(2) a line. Library code does not log: the caller that ends an error's journey does.
 */
#ifndef SERVER_LOG_H
#define SERVER_LOG_H

#include "engine/base/error.h"

enum log_level {
	LOG_LEVEL_ERROR = 3,
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7
};

void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/* "WHAT: message (code, field, errno)". */
void log_error(const struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
