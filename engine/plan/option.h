/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * option.h - the one table of workload options, in fio's names, meanings and units.
 *
 * Whatever needs to know an option reads this table: parsing and ranges (JSON and fio command
 * line), printing, `volbench --help options`, the factor levels, and the test that holds
 * openapi.yaml against it. An option is added by one line in option_table.h and one member in
 * struct workload.
 *
 * Sizes take fio's suffixes with k = 1024 ("4k", "1M", "2GiB", "4kb"); times are seconds unless a
 * suffix says otherwise ("500ms", "2m"), microseconds for those of thinktime, as in fio; flags take
 * 0/1 (and true/false in JSON).
 */
#ifndef ENGINE_PLAN_OPTION_H
#define ENGINE_PLAN_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

enum option_type {
	OPTION_FLAG,   /* bool */
	OPTION_COUNT,  /* uint64_t, plain number */
	OPTION_SIZE,   /* uint64_t bytes */
	OPTION_SIZES,  /* uint64_t[DIRECTION_COUNT]: bs=4k,128k,1M; the last one given serves the
			  rest */
	OPTION_COUNTS, /* uint64_t[DIRECTION_COUNT]: plain numbers, given as SIZES are */
	OPTION_SIZE_RANGE,   /* uint64_t[2] bytes, the least and the most: 4k, 0-64k */
	OPTION_RANGES,	     /* uint64_t[DIRECTION_COUNT][2] bytes, low and high: "1k-4k,2k-8k" */
	OPTION_TIME,	     /* uint64_t nanoseconds; a bare number is seconds */
	OPTION_MICROSECONDS, /* the same, but a bare number is microseconds */
	OPTION_CHOICE,	     /* int, an index into choices */
	OPTION_RW,   /* the same and rw_number behind a colon, "read:64k", "randread:8"; rw alone */
	OPTION_TEXT, /* char *, heap, NULL when not given */
};

enum option_id {
#define OPTION(id, ...) OPTION_ID_##id,
#include "engine/plan/option_table.h"
#undef OPTION
	OPTION_ID_COUNT,
	/* The rows up to this one are told of every workload, those behind it where they do
	 * something: option_told(). */
	OPTION_ID_LAST_BASIC = OPTION_ID_INVALIDATE
};

/* A mark for each option. */
struct option_set {
	uint64_t bits[(OPTION_ID_COUNT + 63) / 64];
};

static inline bool option_set_has(const struct option_set *set, enum option_id id)
{
	return set->bits[id / 64] >> id % 64 & 1;
}

static inline void option_set_mark(struct option_set *set, enum option_id id, bool mark)
{
	uint64_t bit = UINT64_C(1) << id % 64;

	set->bits[id / 64] = (set->bits[id / 64] & ~bit) | (mark ? bit : 0);
}

static inline void option_set_add(struct option_set *set, const struct option_set *more)
{
	for (size_t i = 0; i < sizeof(set->bits) / sizeof(set->bits[0]); i++)
		set->bits[i] |= more->bits[i];
}

static inline bool option_set_equal(const struct option_set *a, const struct option_set *b)
{
	uint64_t differing = 0;

	for (size_t i = 0; i < sizeof(a->bits) / sizeof(a->bits[0]); i++)
		differing |= a->bits[i] ^ b->bits[i];
	return differing == 0;
}

static inline bool option_set_empty(const struct option_set *set)
{
	uint64_t any = 0;

	for (size_t i = 0; i < sizeof(set->bits) / sizeof(set->bits[0]); i++)
		any |= set->bits[i];
	return any == 0;
}

struct option {
	enum option_id id;
	const char *name; /* fio's; Volbench's own are marked in the help */
	enum option_type type;
	size_t member;		    /* offset in struct workload */
	uint64_t min, max;	    /* inclusive, in the member's unit; lengths for TEXT */
	const char *const *choices; /* NULL-terminated, CHOICE and RW only */
	const char *default_text;   /* Volbench's default as a user would type it; NULL: none */
	const char *fio_default;    /* fio's where it differs, else NULL: plan and report say so */
	const char *unit;	    /* "bytes", "s", "operations", "" */
	const char *help;	    /* one sentence */
	bool factor;		    /* may be a factor */
};

struct workload;

/* NULL when there is none of that name or alias (fio's aliases are known: blocksize, readwrite,
 * ...). */
const struct option *option_find(const char *name);
const struct option *option_at(enum option_id id);

/* "1 to 4096 operations"; "" for flags, choices and texts. */
#define OPTION_RANGE_MAX 80
const char *option_range(const struct option *option, char buffer[OPTION_RANGE_MAX]);

/*
 * Parses text into workload and marks the option as set. On failure the workload is unchanged and
 * err has BAD_SIZE, BAD_TIME, BAD_VALUE or OUT_OF_RANGE (with the range in the message); its field
 * is "" and left to the caller.
 */
MUST_CHECK int option_parse(const struct option *option, const char *text,
			    struct workload *workload, struct error *err);

/* The value as fio would be given it ("4k,128k", "randrw", "60"); heap, NULL on no memory. */
char *option_format(const struct option *option, const struct workload *workload);

/* Whether the value of a completed workload is the table's default: 0 or nothing where it has none.
 */
bool option_is_default(const struct option *option, const struct workload *workload);

/* Whether a completed workload's value is worth telling: a basic option's always is, and a given
 * one's that has no default. */
bool option_told(const struct option *option, const struct workload *workload);

/* Copies one option's value (set mark too). -ENOMEM. */
MUST_CHECK int option_copy(const struct option *option, const struct workload *from,
			   struct workload *to);

/* Frees what the value holds; the value is then not there. The mark stays. */
void option_free(const struct option *option, struct workload *workload);

/* Why an option known to fio is refused ("numa_cpu_nodes": "not supported"); NULL: unknown to us.
 */
const char *option_refusal(const char *fio_name);

#endif
