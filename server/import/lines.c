/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines.c - see lines.h. */
#include "server/import/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct piece lines_trim(struct piece piece)
{
	while (piece.size > 0 && is_blank(*piece.text)) {
		piece.text++;
		piece.size--;
	}
	while (piece.size > 0 && is_blank(piece.text[piece.size - 1]))
		piece.size--;
	return piece;
}

bool lines_next(struct piece *rest, struct piece *ret_line)
{
	const char *stop;
	size_t size;

	if (rest->size == 0)
		return false;
	stop = memchr(rest->text, '\n', rest->size);
	size = stop ? (size_t)(stop - rest->text) : rest->size;
	*ret_line = lines_trim((struct piece){rest->text, size});
	size += stop != NULL;
	rest->text += size;
	rest->size -= size;
	return true;
}

bool lines_begin(struct piece piece, const char *word)
{
	size_t length = strlen(word);

	return piece.size >= length && memcmp(piece.text, word, length) == 0;
}

bool lines_are(struct piece piece, const char *word)
{
	return piece.size == strlen(word) && lines_begin(piece, word);
}

struct piece lines_behind(struct piece piece, const char *word)
{
	size_t length = strlen(word);

	return lines_trim((struct piece){piece.text + length, piece.size - length});
}

bool lines_part(struct piece piece, char mark, struct piece *ret_before, struct piece *ret_behind)
{
	const char *at = memchr(piece.text, mark, piece.size);
	size_t size;

	if (!at)
		return false;
	size = (size_t)(at - piece.text);
	*ret_before = lines_trim((struct piece){piece.text, size});
	*ret_behind = lines_trim((struct piece){at + 1, piece.size - size - 1});
	return true;
}

size_t lines_cut(struct piece line, char mark, struct piece *cells, size_t max)
{
	size_t count = 0;

	while (count < max) {
		const char *at = memchr(line.text, mark, line.size);
		size_t size = at ? (size_t)(at - line.text) : line.size;

		cells[count++] = lines_trim((struct piece){line.text, size});
		if (!at)
			break;
		line.text = at + 1;
		line.size -= size + 1;
	}
	return count;
}

char *lines_copy(struct piece piece)
{
	AUTO_FREE char *raw = strndup(piece.text, piece.size);
	char *clean = malloc(piece.size + 1);

	if (!raw || !clean) {
		free(clean);
		return NULL;
	}
	(void)text_clean(raw, clean, piece.size + 1); /* never longer */
	return clean;
}

bool lines_word(struct piece *rest, struct piece *ret_word)
{
	size_t size = 0;

	*rest = lines_trim(*rest);
	if (rest->size == 0)
		return false;
	while (size < rest->size && !is_blank(rest->text[size]))
		size++;
	*ret_word = (struct piece){rest->text, size};
	rest->text += size;
	rest->size -= size;
	return true;
}

bool lines_find(struct piece piece, const char *word, struct piece *ret_behind)
{
	const char *at = memmem(piece.text, piece.size, word, strlen(word));

	if (!at)
		return false;
	at += strlen(word);
	*ret_behind = (struct piece){at, piece.size - (size_t)(at - piece.text)};
	return true;
}

int lines_count(struct piece piece, uint64_t *ret_count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < piece.size; i++)
		if (piece.text[i] < '0' || piece.text[i] > '9' ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(piece.text[i] - '0'), &value))
			return -EINVAL;
	if (piece.size == 0)
		return -EINVAL;
	*ret_count = value;
	return 0;
}

bool lines_wide(const char *text, size_t size)
{
	return size >= 2 && memcmp(text, "\xff\xfe", 2) == 0;
}

char *lines_narrow(const char *text, size_t size, size_t *ret_size)
{
	size_t count = size / 2 - 1;
	char *narrow = malloc(count + 1);

	if (!narrow)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const char *unit = text + 2 * (i + 1);

		narrow[i] = unit[1] == 0 && (unsigned char)unit[0] < 128 ? unit[0] : '?';
	}
	narrow[count] = '\0';
	*ret_size = count;
	return narrow;
}
