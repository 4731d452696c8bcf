/* SPDX-License-Identifier: GPL-3.0-or-later */
/* told_option.c - see told_option.h. */
#include "server/import/told_option.h"

#include <errno.h>
#include <stdarg.h>

int told_option_set(struct workload *options, enum option_id id, const char *format, ...)
{
	char text[120];
	va_list arguments;
	int r, n;

	va_start(arguments, format);
	n = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= sizeof(text))
		return 0;
	r = option_parse(option_at(id), text, options, NULL);
	return r == -ENOMEM ? r : 0;
}
