/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bssplit.h - the text of bssplit: request sizes and how often each is to come.
 *
 * As fio 3.33 reads it (options.c: bssplit_ddir): "4k/60:64k/40", a list of size/percent for all
 * directions, or up to three behind commas for reads, writes and trims, the last one given serving
 * the rest. An entry without a percentage has an equal part of what the others leave, rounded
 * down. What is still left of 100 falls to the entry with the largest percentage, as it does in
 * fio's draw. A part that is empty (",8k/100") leaves its direction to bs.
 *
 * Otherwise than fio, which lets them pass: percentages are 1 to 100 and not more than 100
 * together, and those without one must have something left to them.
 */
#ifndef ENGINE_PLAN_BSSPLIT_H
#define ENGINE_PLAN_BSSPLIT_H

#include "engine/base/error.h"
#include "engine/plan/workload.h"

#define BSSPLIT_MAX 64 /* entries of a direction, as in fio */

struct bssplit_entry {
	uint64_t bytes;
	uint32_t percent;
};

/* The rarest first, those alike in the order they were given. */
struct bssplit {
	uint32_t count; /* 0: the direction goes by bs */
	struct bssplit_entry entries[BSSPLIT_MAX];
};

/* err: BAD_SIZE, BAD_VALUE, OUT_OF_RANGE, TOO_MANY; its field is "". */
MUST_CHECK int bssplit_parse(const char *text, struct bssplit ret_splits[DIRECTION_COUNT],
			     struct error *err);

#endif
