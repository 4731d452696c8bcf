/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_MAX_BYTES 4096

/* Whether standard error is the journal's: $JOURNAL_STREAM is "device:inode" of it. */
static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat status;
	char *end;

	if (!stream || fstat(STDERR_FILENO, &status) < 0)
		return false;
	device = strtoull(stream, &end, 10);
	if (end == stream || *end != ':')
		return false;
	stream = end + 1;
	inode = strtoull(stream, &end, 10);
	return end != stream && !*end && device == status.st_dev && inode == status.st_ino;
}

/* Copies text so that it is one line: control characters as \xNN, the end as "...". */
static size_t escape(char *into, size_t room, const char *text)
{
	size_t used = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (used + 8 > room) {
			memcpy(into + used, "...", 3);
			return used + 3;
		}
		if (c >= 0x20 && c != 0x7F) {
			into[used++] = (char)c;
			continue;
		}
		(void)snprintf(into + used, 5, "\\x%02x", c); /* room was looked at */
		used += 4;
	}
	return used;
}

static void write_line(enum log_level level, const char *text)
{
	char line[LINE_MAX_BYTES];
	size_t used = 0;
	ssize_t n;

	if (is_journal())
		used = (size_t)snprintf(line, sizeof(line), "<%d>", (int)level);
	else if (level <= LOG_LEVEL_WARNING)
		used = (size_t)snprintf(line, sizeof(line),
					"%s: ", level == LOG_LEVEL_ERROR ? "error" : "warning");
	used += escape(line + used, sizeof(line) - used - 1, text);
	line[used++] = '\n';
	do {
		n = write(STDERR_FILENO, line, used);
	} while (n < 0 && errno == EINTR); /* else there is nobody left to tell */
}

static char *format_text(const char *format, va_list arguments) PRINTF_LIKE(1, 0);

static char *format_text(const char *format, va_list arguments)
{
	char *text;

	return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

void log_line(enum log_level level, const char *format, ...)
{
	AUTO_FREE char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = format_text(format, arguments);
	va_end(arguments);
	write_line(level, text ? text : format); /* without memory the bare format must do */
}

void log_error(const struct error *err, const char *format, ...)
{
	AUTO_FREE char *what = NULL, *text = NULL;
	va_list arguments;
	int n;

	va_start(arguments, format);
	what = format_text(format, arguments);
	va_end(arguments);
	n = asprintf(&text, "%s: %s (%s%s%s%s%s)", what ? what : format, err->message,
		     error_code_text(err->code), err->field[0] ? ", " : "", err->field,
		     err->sys ? ", " : "", err->sys ? strerrorname_np(err->sys) : "");
	if (n < 0)
		text = NULL;
	write_line(LOG_LEVEL_ERROR, text ? text : err->message);
}
