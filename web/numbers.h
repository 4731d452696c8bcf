/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * numbers.h - figures as a reader meets them: three significant digits, the unit spelled out,
 * ASCII only (they also go into charts). Sizes are powers of 1024, counts powers of 1000.
 *
 * Each yields its text by value, to be used at once: html_text(html, numbers_iops(x).text).
 * What is not finite reads "n/a". Pure functions.
 */
#ifndef WEB_NUMBERS_H
#define WEB_NUMBERS_H

#include <stdint.h>

struct number {
	char text[48];
};

/* An en dash, where a figure is not known: on pages only. */
#define NUMBERS_UNKNOWN "\xe2\x80\x93"

struct number numbers_count(double value);	     /* 37.4k, 1.02M, 820, 3.14, 0 */
struct number numbers_iops(double per_s);	     /* 37.4k IOPS */
struct number numbers_bandwidth(double bytes_per_s); /* 1.06 GiB/s */
struct number numbers_mib(double bytes);	     /* 264, 16.2, 1475: in MiB, without the unit */
struct number numbers_bytes(double bytes);	     /* 264 MiB */
struct number numbers_time(double ns);		     /* 820 us, 1.06 ms, 12.3 s */
struct number numbers_duration(double seconds);	     /* 45 s, 3 min 20 s, 2 h 5 min */
struct number numbers_grouped(uint64_t value);	     /* 1,234,567 */
struct number numbers_exact(double value);	     /* 33,812.4: grouped, one decimal below 1e6 */
struct number numbers_percent(double share);	     /* 98.7 %, of 0.987 */
struct number numbers_times(double ratio);	     /* 1.02x, 33.1x */
struct number numbers_change(double ratio);	     /* +4.1 %, -12 %, 0 %; of 1.041, 0.88, 1 */
struct number numbers_ratio(double ratio);	     /* 1.041, 12.3, 0.0123 */
struct number numbers_p(double probability);	     /* 0.042, < 0.001 */

/* The published studies' cell, ~33.8k / 264 MiB, of operations and bytes a second; NAN of one
 * is not known: "~33.8k / –". */
struct number numbers_cell(double iops, double bytes_per_s);

#endif
