/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "engine/base/text.h"

static const char *const code_texts[] = {[ERROR_NONE] = "none",
#define X(id, text) [ERROR_##id] = text,
					 ERROR_CODES(X)
#undef X
};

/* Cuts a text that filled its buffer back to the start of its last, perhaps broken, character. */
static void cut_at_character(char *text, size_t size, int wanted)
{
	size_t end;

	if (wanted < 0 || (size_t)wanted < size)
		return;
	end = size - 1;
	while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80)
		end--;
	if (end > 0 && ((unsigned char)text[end - 1] & 0x80))
		end--;
	text[end] = '\0';
}

/* Members are named by whoever wrote the document, and a terminal is shown them: one line, without
 * control characters. The text may be the error's own. */
static void set_field(struct error *err, const char *field)
{
	char clean[ERROR_FIELD_MAX];

	(void)text_clean(field, clean, sizeof(clean));
	for (char *at = clean; (at = strpbrk(at, "\n\t"));)
		*at = '?';
	memcpy(err->field, clean, strlen(clean) + 1);
}

static void set_text(struct error *err, enum error_code code, const char *field, int sys)
{
	err->code = code;
	err->sys = sys;
	set_field(err, field ? field : "");
}

int error_set(struct error *err, enum error_code code, const char *field, const char *format, ...)
{
	va_list arguments;

	if (!err)
		return -EINVAL;
	set_text(err, code, field, 0);
	va_start(arguments, format);
	cut_at_character(err->message, sizeof(err->message),
			 vsnprintf(err->message, sizeof(err->message), format, arguments));
	va_end(arguments);
	return -EINVAL;
}

int error_set_sys(struct error *err, enum error_code code, int sys, const char *format, ...)
{
	char text[ERROR_MESSAGE_MAX];
	va_list arguments;

	if (!err)
		return -sys;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments); /* cut below with the whole */
	va_end(arguments);
	set_text(err, code, "", sys);
	cut_at_character(err->message, sizeof(err->message),
			 snprintf(err->message, sizeof(err->message), "%s: %s", text,
				  strerrordesc_np(sys) ? strerrordesc_np(sys) : "unknown error"));
	return -sys;
}

int error_no_memory(struct error *err)
{
	(void)error_set(err, ERROR_NO_MEMORY, "", "not enough memory");
	return -ENOMEM;
}

void error_prefix_field(struct error *err, const char *prefix)
{
	char field[ERROR_FIELD_MAX];

	if (!err)
		return;
	cut_at_character(field, sizeof(field),
			 snprintf(field, sizeof(field), "%s%s", prefix, err->field));
	set_field(err, field);
}

const char *error_code_text(enum error_code code)
{
	if ((size_t)code >= ARRAY_SIZE(code_texts))
		return "system_error";
	return code_texts[code];
}

enum error_code error_code_from_text(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(code_texts); i++)
		if (strcmp(code_texts[i], text) == 0)
			return (enum error_code)i;
	return ERROR_NONE;
}
