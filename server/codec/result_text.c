/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result_text.c - see result_text.h. */
#include "server/codec/result_text.h"

#include "server/codec/json.h"
#include "server/codec/result.h"

char *result_fio_text(const struct result *result)
{
	json_t *value = result_fio(result);
	char *text = value ? json_write(value) : NULL;

	json_decref(value);
	return text;
}

int result_decode_text(const char *text, size_t size, struct result *result, struct error *err)
{
	json_t *value;
	int r = json_read_own(text, size, &value, err);

	if (r < 0)
		return r;
	r = result_decode(value, result, err);
	json_decref(value);
	return r;
}
