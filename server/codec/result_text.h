/* SPDX-License-Identifier: GPL-3.0-or-later */
/* result_text.h - a result's documents as texts, for callers that know no JSON library. Pure. */
#ifndef SERVER_CODEC_RESULT_TEXT_H
#define SERVER_CODEC_RESULT_TEXT_H

#include "engine/result.h"

/* result_fio.h's document. Heap text; NULL: no memory. */
char *result_fio_text(const struct result *result);

/* A whole volbench.result/1, made a sample at a time. Heap text; NULL: no memory. */
char *result_encode_text(const struct result *result, size_t *ret_size);

/*
 * The text of a stored or fresh volbench.result/1. `result` must be fresh, and is on failure. What
 * Volbench has written is taken apart a sample at a time: as JSON values a result of thousands of
 * samples takes gigabytes. Any other form of the document is read at once.
 */
MUST_CHECK int result_decode_text(const char *text, size_t size, struct result *result,
				  struct error *err);

#endif
