/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printed.h - figures as people and programs print them, and what their digits leave open.
 *
 *   FIGURE  ["~"] DIGITS ["." DIGITS] [UNIT]          "~33.8k", "264 MiB/s", "+56 %", "0.115 ms"
 *   or      FIGURE "to" FIGURE                        "5 to 10 %": the second's unit serves both
 *
 * The last digit that is printed was rounded: "10.0k" is 9,950 to 10,050, "264 MiB" 263.5 to 264.5
 * of them. Thousands may be parted by commas. Units:
 *   a number    k M G (1000, 10^6, 10^9), perhaps "IOPS" or "/s" behind; nothing
 *   bytes       B kB MB GB TB (of 1000), KiB MiB GiB TiB (of 1024), perhaps "/s" behind
 *   a time      ns us ms s
 *   percent     %, with a sign where it is a change
 * "-", "N/A", "?" and a dash of any length say that the figure is not known.
 *
 * Any thread; nothing is allocated.
 */
#ifndef SERVER_IMPORT_PRINTED_H
#define SERVER_IMPORT_PRINTED_H

#include "engine/told.h"

#define PRINTED_TEXT_MAX 80 /* bytes of one figure */

enum printed_kind {
	PRINTED_NUMBER,
	PRINTED_BYTES,	 /* also a second */
	PRINTED_TIME,	 /* ns */
	PRINTED_PERCENT, /* may be negative */
	PRINTED_UNKNOWN, /* said to be not known */
};

struct printed {
	enum printed_kind kind;
	struct told_figure figure; /* known but for PRINTED_UNKNOWN */
};

/* -EINVAL where the text is none, or longer than PRINTED_TEXT_MAX. */
MUST_CHECK int printed_read(const char *text, size_t size, struct printed *ret_printed);

/* The same of plain digits without unit: a column of a table, whose unit stands elsewhere, scaled
 * by `unit`. Blanks around it do not count. -EINVAL also for "N/A". */
MUST_CHECK int printed_digits(const char *text, size_t size, double unit,
			      struct told_figure *ret_figure);

/* What an amount comes to in seconds of so many digits, which are above 0. */
struct told_figure printed_per_second(uint64_t amount, const struct told_figure *seconds);

#endif
