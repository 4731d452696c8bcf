/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * property.h - the properties of OpenZFS that a definition may give a zvol or dataset, or compare
 * as a factor: one table of names, kinds and values. Any other is refused, most with their reason.
 *
 * A value is canonical when it is written as `zfs get` prints it: "16K" for "16384", "1M", "gzip"
 * for "gzip-6"; so two texts that mean one value are the same level. Whether this machine's OpenZFS
 * knows a property and takes a value (a checksum that came with 2.2, a block size above the pool's
 * limit) is for a dry run of its own to say. Any thread.
 *
 * Source: zfsprops(7) of OpenZFS 2.1 and 2.3, module/zcommon/zfs_prop.c.
 */
#ifndef ENGINE_PLAN_PROPERTY_H
#define ENGINE_PLAN_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/plan/target_spec.h"

enum property_type {
	PROPERTY_CHOICE, /* one of words */
	PROPERTY_BLOCK,	 /* bytes, a power of two from min to max */
};

struct property_rule {
	const char *name;
	bool zvol, dataset; /* what it is a property of */
	enum property_type type;
	uint64_t min, max;	  /* PROPERTY_BLOCK; of words beside it, "0" */
	const char *const *words; /* NULL-terminated; a number behind '#' in place of its digits,
				     "gzip-#9" being gzip-1 to gzip-9 */
	const char *values;	  /* for a message: "a power of two from 512 to 16M" */
};

extern const struct property_rule property_table[];
extern const size_t property_count;

/* By its whole name; NULL: none that a definition may set. */
const struct property_rule *property_find(const char *name);

bool property_applies(const struct property_rule *rule, enum target_kind kind);

/* The canonical value, heap. BAD_VALUE that tells the right ones, its field left "". */
MUST_CHECK int property_parse(const struct property_rule *rule, const char *text, char **ret_value,
			      struct error *err);

/* Bytes of a canonical value of a PROPERTY_BLOCK. */
uint64_t property_bytes(const char *value);

/*
 * What is wrong with a name that property_find() does not know: UNSUPPORTED with the reason why a
 * run does not set it, UNKNOWN_FIELD for a second name (recsize) and for what is none; the field
 * left "". Always -EINVAL.
 */
int property_refuse(const char *name, struct error *err);

/* Whether OpenZFS has a property of this name that property_refuse() has a reason for. */
bool property_refused(const char *name);

#endif
