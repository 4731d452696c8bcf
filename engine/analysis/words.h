/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * words.h - ratios and verdicts as a reader meets them, in one way on the page, in a terminal and
 * in JSON: "faster by 4.1 % [2.9, 5.3]", "no difference shown", "one sample: no verdict".
 *
 * ASCII only. A difference is told in percent, from twice on as times. Pure functions; each fills
 * the caller's buffer and returns it.
 */
#ifndef ENGINE_ANALYSIS_WORDS_H
#define ENGINE_ANALYSIS_WORDS_H

#include "engine/analysis/analysis.h"

#define WORDS_MAX 96

/* "4.1 %" of 0.041, "31 %", "0.04 %"; of its amount, without a sign. */
const char *words_percent(double share, char buffer[WORDS_MAX]);

/* How much a ratio above 1 is ahead: "4.1 %", "2.4 times" (as much). Below 1: of its inverse. */
const char *words_ahead(double ratio, char buffer[WORDS_MAX]);

/* The same with its interval: "4.1 % [2.9, 5.3]", "2.4 times [2.2, 2.6]". The interval is left out
 * where low is not above 0. An interval that reaches below 1 has negative percents. */
const char *words_ahead_interval(double ratio, double low, double high, char buffer[WORDS_MAX]);

/* Level `of`, one of the contrast's two, beside the other. */
struct words_ratio {
	double ratio, low, high; /* low and high 0 where there is no interval */
};
struct words_ratio words_turned(const struct contrast *contrast, size_t of);

/* What the contrast shows of level `of` beside the other. Latency: "lower by 9 % [7, 11]". */
const char *words_verdict(const struct contrast *contrast, size_t of, enum measure measure,
			  char buffer[WORDS_MAX]);

/* "volblocksize", "64K"; a level that is a bare number gets its factor's name: "iodepth=16". */
#define WORDS_LEVEL_MAX 300
const char *words_level(const struct analysis *analysis, size_t level,
			char buffer[WORDS_LEVEL_MAX]);

/* A name or title within a sentence: in quotes where it has a comma, which would read as the
 * sentence's own. */
#define WORDS_NAME_MAX (ANALYSIS_TITLE_MAX + 2)
const char *words_name(const char *name, char buffer[WORDS_NAME_MAX]);
/* The title of a comparison that way: Exchange, "Exchange, iodepth=16". */
const char *words_title(const struct analysis *analysis, const struct comparison *comparison,
			char buffer[WORDS_NAME_MAX]);

/* "two" to "twelve", then digits. */
const char *words_number(size_t number, char buffer[WORDS_MAX]);

#endif
