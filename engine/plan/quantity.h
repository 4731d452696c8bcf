/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * quantity.h - sizes, times and counts as people type them, and back.
 *
 * Sizes: digits and a suffix of k m g t p, in either case, alone or followed by "b" or "ib"; k is
 * 1024 throughout. (fio reads "4k" and "4kb" as 4096 as well but "4kib" as 4000, by its default
 * kb_base; Volbench reads an "ib" as the 1024 it says, and refuses it in fio command lines, see
 * quantity_fio_differs.)
 * Times: digits, perhaps a decimal fraction, and a suffix of us, ms, s, m, h, d (usec, msec, sec,
 * min, hour, day too); none is seconds. Microseconds are the finest.
 * No signs, no spaces, no percent. Errors: BAD_SIZE (too large for 64 bits too), BAD_TIME,
 * BAD_VALUE (not a count), OUT_OF_RANGE (a count below 0 or beyond 64 bits); their field is "".
 */
#ifndef ENGINE_PLAN_QUANTITY_H
#define ENGINE_PLAN_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"

#define QUANTITY_TEXT_MAX 32

MUST_CHECK int quantity_parse_size(const char *text, uint64_t *ret_bytes, struct error *err);
MUST_CHECK int quantity_parse_time(const char *text, uint64_t *ret_ns, struct error *err);
/* A time of which a bare number is microseconds. */
MUST_CHECK int quantity_parse_microseconds(const char *text, uint64_t *ret_ns, struct error *err);
MUST_CHECK int quantity_parse_count(const char *text, uint64_t *ret_count, struct error *err);

/* The shortest text that is exact: "4k", "1536k", "1000"; "60", "1500ms", "250us". Return buffer.
 */
const char *quantity_format_size(uint64_t bytes, char buffer[QUANTITY_TEXT_MAX]);
const char *quantity_format_time(uint64_t ns, char buffer[QUANTITY_TEXT_MAX]);

/* Whether fio would read a size or time that we take differently: "4kib" (4000), "1.5" (1). */
bool quantity_fio_differs(const char *text);

#endif
