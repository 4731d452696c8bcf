/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/text.h"

#include <stdint.h>
#include <string.h>

static size_t sequence_length(unsigned char first)
{
	if (first >= 0xC2 && first <= 0xDF)
		return 2;
	if (first >= 0xE0 && first <= 0xEF)
		return 3;
	if (first >= 0xF0 && first <= 0xF4)
		return 4;
	return first > 0 && first < 0x80 ? 1 : 0;
}

/* The code point at text, UINT32_MAX where it is not one. A NUL inside ends the look ahead. */
static uint32_t code_point(const char *text, size_t *ret_length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = sequence_length(bytes[0]);
	uint32_t value;

	*ret_length = 0;
	if (length == 0)
		return UINT32_MAX;
	value = length == 1 ? bytes[0] : bytes[0] & (0x7Fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xC0) != 0x80)
			return UINT32_MAX;
		value = value << 6 | (bytes[i] & 0x3F);
	}
	if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
		return UINT32_MAX;
	*ret_length = length;
	return value;
}

size_t text_character(const char *text)
{
	size_t length;

	(void)code_point(text, &length);
	return length;
}

static bool is_printable(uint32_t value)
{
	return value >= 0x20 && !(value >= 0x7F && value <= 0x9F) &&
	       !(value >= 0x200E && value <= 0x200F) && !(value >= 0x2028 && value <= 0x202E) &&
	       !(value >= 0x2066 && value <= 0x2069) && value != 0xFEFF && value != UINT32_MAX;
}

const char *text_excerpt(const char *text, char buffer[TEXT_EXCERPT_MAX])
{
	const size_t room = TEXT_EXCERPT_MAX - 1;
	size_t used = 0, whole = 0; /* whole: how much stays where "..." must follow */

	while (*text) {
		size_t length;
		bool good = is_printable(code_point(text, &length));
		size_t step = length > 0 ? length : 1;
		size_t add = good ? length : 1;

		if (used + add > room) {
			memcpy(buffer + whole, "...", sizeof("..."));
			return buffer;
		}
		if (good)
			memcpy(buffer + used, text, length);
		else
			buffer[used] = '?';
		used += add;
		if (used + strlen("...") <= room)
			whole = used;
		text += step;
	}
	buffer[used] = '\0';
	return buffer;
}

const char *text_clean(const char *text, char *buffer, size_t size)
{
	size_t used = 0;

	while (*text) {
		size_t length;
		uint32_t value = code_point(text, &length);
		bool good = is_printable(value) || value == '\n' || value == '\t';
		size_t add = good ? length : 1;

		if (used + add >= size)
			break;
		if (good)
			memcpy(buffer + used, text, length);
		else
			buffer[used] = '?';
		used += add;
		text += length > 0 ? length : 1;
	}
	buffer[used] = '\0';
	return buffer;
}

bool text_printable(const char *text)
{
	while (*text) {
		size_t length;

		if (!is_printable(code_point(text, &length)))
			return false;
		text += length;
	}
	return true;
}
