/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bssplit.c - see bssplit.h. */
#include "engine/plan/bssplit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/quantity.h"

static int parse_size(const char *text, size_t length, uint64_t *ret_bytes, struct error *err)
{
	const struct option *bs = option_at(OPTION_ID_BS);
	char number[QUANTITY_TEXT_MAX], range[OPTION_RANGE_MAX];
	uint64_t bytes;
	int r;

	if (length == 0 || length >= sizeof(number))
		return error_set(err, ERROR_BAD_SIZE, "",
				 "bssplit: a size is missing or too long; write \"4k/60:64k/40\"");
	(void)snprintf(number, sizeof(number), "%.*s", (int)length, text);
	r = quantity_parse_size(number, &bytes, err);
	if (r < 0)
		return r;
	if (bytes < bs->min || bytes > bs->max)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "bssplit: the size %s is out of range: %s", number,
				 option_range(bs, range));
	*ret_bytes = bytes;
	return 0;
}

/* 0 where none is given. */
static int parse_percent(const char *text, size_t length, uint32_t *ret_percent, struct error *err)
{
	char number[QUANTITY_TEXT_MAX], quoted[TEXT_EXCERPT_MAX];
	uint64_t percent = 0;

	if (length == 0) {
		*ret_percent = 0;
		return 0;
	}
	(void)snprintf(number, sizeof(number), "%.*s", (int)length, text); /* may be cut */
	if (quantity_parse_count(number, &percent, NULL) < 0 || percent < 1 || percent > 100)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "bssplit: a percentage is 1 to 100, or left out to share what "
				 "the others leave, not \"%s\"",
				 text_excerpt(number, quoted));
	*ret_percent = (uint32_t)percent;
	return 0;
}

static void sort(struct bssplit *split)
{
	for (uint32_t i = 1; i < split->count; i++) {
		struct bssplit_entry entry = split->entries[i];
		uint32_t at = i;

		for (; at > 0 && split->entries[at - 1].percent > entry.percent; at--)
			split->entries[at] = split->entries[at - 1];
		split->entries[at] = entry;
	}
}

static int share_out(struct bssplit *split, struct error *err)
{
	uint32_t sum = 0, without = 0;

	for (uint32_t i = 0; i < split->count; i++) {
		sum += split->entries[i].percent;
		without += split->entries[i].percent == 0;
	}
	if (sum > 100)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "bssplit: the percentages of a direction make %" PRIu32
				 ", more than 100",
				 sum);
	if (without > 0 && (100 - sum) / without == 0)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "bssplit: the percentages given leave less than 1 for each size "
				 "without one");
	for (uint32_t i = 0; i < split->count; i++)
		if (split->entries[i].percent == 0)
			split->entries[i].percent = (100 - sum) / without;
	sort(split);
	return 0;
}

/* "4k/60:64k" */
static int parse_direction(const char *text, size_t length, struct bssplit *split,
			   struct error *err)
{
	const char *end = text + length;
	int r = 0;

	split->count = 0;
	if (length == 0)
		return 0;
	for (;;) {
		const char *colon = memchr(text, ':', (size_t)(end - text));
		const char *stop = colon ? colon : end;
		const char *slash = memchr(text, '/', (size_t)(stop - text));
		struct bssplit_entry *entry = &split->entries[split->count];

		if (split->count == BSSPLIT_MAX)
			return error_set(err, ERROR_TOO_MANY, "",
					 "bssplit takes at most %d sizes a direction", BSSPLIT_MAX);
		r = parse_size(text, (size_t)((slash ? slash : stop) - text), &entry->bytes, err);
		if (r == 0)
			r = parse_percent(slash ? slash + 1 : stop,
					  slash ? (size_t)(stop - slash - 1) : 0, &entry->percent,
					  err);
		if (r < 0)
			return r;
		split->count++;
		if (!colon)
			return share_out(split, err);
		text = colon + 1;
	}
}

int bssplit_parse(const char *text, struct bssplit ret_splits[DIRECTION_COUNT], struct error *err)
{
	struct bssplit splits[DIRECTION_COUNT];
	bool any = false;
	int count = 0;

	memset(splits, 0, sizeof(splits));
	for (;; text++) {
		size_t length = strcspn(text, ",");
		int r;

		if (count == DIRECTION_COUNT)
			return error_set(err, ERROR_BAD_VALUE, "",
					 "bssplit takes at most three lists: reads,writes,trims");
		r = parse_direction(text, length, &splits[count], err);
		if (r < 0)
			return r;
		any |= splits[count++].count > 0;
		text += length;
		if (!*text)
			break;
	}
	if (!any)
		return error_set(err, ERROR_BAD_VALUE, "",
				 "bssplit names no size; write \"4k/60:64k/40\"");
	for (; count < DIRECTION_COUNT; count++)
		splits[count] = splits[count - 1];
	memcpy(ret_splits, splits, sizeof(splits));
	return 0;
}
