/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/plan/property.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/text.h"
#include "engine/plan/quantity.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

static const char *const on_off[] = {"on", "off", NULL};
static const char *const cached[] = {"all", "none", "metadata", NULL};
static const char *const compressions[] = {"on",
					   "off",
					   "lz4",
					   "lzjb",
					   "zle",
					   "gzip",
					   "gzip-#9",
					   "zstd",
					   "zstd-#19",
					   "zstd-fast",
					   "zstd-fast-#10",
					   "zstd-fast-20",
					   "zstd-fast-30",
					   "zstd-fast-40",
					   "zstd-fast-50",
					   "zstd-fast-60",
					   "zstd-fast-70",
					   "zstd-fast-80",
					   "zstd-fast-90",
					   "zstd-fast-100",
					   "zstd-fast-500",
					   "zstd-fast-1000",
					   NULL};
static const char *const checksums[] = {"on",	  "off",   "fletcher2", "fletcher4", "sha256",
					"sha512", "skein", "edonr",	"blake3",    NULL};
static const char *const dedups[] = {"off",
				     "on",
				     "verify",
				     "sha256",
				     "sha256,verify",
				     "sha512",
				     "sha512,verify",
				     "skein",
				     "skein,verify",
				     "edonr,verify",
				     "blake3",
				     "blake3,verify",
				     NULL};
static const char *const copies[] = {"1", "2", "3", NULL};
static const char *const syncs[] = {"standard", "always", "disabled", NULL};
static const char *const biases[] = {"latency", "throughput", NULL};
static const char *const directs[] = {"standard", "always", "disabled", NULL};
static const char *const redundants[] = {"all", "most", "some", "none", NULL};
static const char *const xattrs[] = {"on", "off", "dir", "sa", NULL};
static const char *const dnodes[] = {"legacy", "auto", "1k", "2k", "4k", "8k", "16k", NULL};
static const char *const zero[] = {"0", NULL};

#define ZVOL true, false
#define DATASET false, true
#define BOTH true, true
#define CHOICE(words) PROPERTY_CHOICE, 0, 0, words
#define BLOCK(min, max) PROPERTY_BLOCK, min, max, NULL

/* volblocksize and recordsize above 128K need the pool's feature large_blocks, and at most the
 * module's zfs_max_recordsize: 1M in 2.1, 16M in 2.3. */
/* clang-format off */
const struct property_rule property_table[] = {
	{"volblocksize", ZVOL, BLOCK(512, 16 * MIB), "a power of two from 512 to 16M"},
	{"recordsize", DATASET, BLOCK(512, 16 * MIB), "a power of two from 512 to 16M"},
	{"compression", BOTH, CHOICE(compressions),
	 "on, off, lz4, lzjb, zle, gzip, gzip-1 to gzip-9, zstd, zstd-1 to zstd-19, zstd-fast, or "
	 "zstd-fast-1 to zstd-fast-1000 (1 to 10, 20 to 100 by tens, 500, 1000)"},
	{"primarycache", BOTH, CHOICE(cached), "all, none or metadata"},
	{"secondarycache", BOTH, CHOICE(cached), "all, none or metadata"},
	{"sync", BOTH, CHOICE(syncs), "standard, always or disabled"},
	{"logbias", BOTH, CHOICE(biases), "latency or throughput"},
	{"checksum", BOTH, CHOICE(checksums),
	 "on, off, fletcher2, fletcher4, sha256, sha512, skein, edonr or blake3"},
	{"copies", BOTH, CHOICE(copies), "1, 2 or 3"},
	{"dedup", BOTH, CHOICE(dedups),
	 "off, on, verify, or sha256, sha512, skein, blake3, each also with \",verify\", or "
	 "edonr,verify"},
	{"prefetch", BOTH, CHOICE(cached), "all, none or metadata"},
	{"redundant_metadata", BOTH, CHOICE(redundants), "all, most, some or none"},
	{"volthreading", ZVOL, CHOICE(on_off), "on or off"},
	{"direct", DATASET, CHOICE(directs), "standard, always or disabled"},
	{"special_small_blocks", DATASET, PROPERTY_BLOCK, 512, MIB, zero,
	 "0 or a power of two from 512 to 1M"},
	{"atime", DATASET, CHOICE(on_off), "on or off"},
	{"relatime", DATASET, CHOICE(on_off), "on or off"},
	{"xattr", DATASET, CHOICE(xattrs), "on, off, dir or sa"},
	{"dnodesize", DATASET, CHOICE(dnodes), "legacy, auto, 1k, 2k, 4k, 8k or 16k"},
};
/* clang-format on */
const size_t property_count = ARRAY_SIZE(property_table);

const struct property_rule *property_find(const char *name)
{
	for (size_t i = 0; i < property_count; i++)
		if (strcmp(property_table[i].name, name) == 0)
			return &property_table[i];
	return NULL;
}

bool property_applies(const struct property_rule *rule, enum target_kind kind)
{
	return (kind == TARGET_ZVOL && rule->zvol) || (kind == TARGET_DATASET && rule->dataset);
}

/* ---- values ---- */

/* Whether text is "gzip-7" for a word "gzip-#9": no sign, no leading zero. */
static bool counts(const char *word, const char *text)
{
	size_t stem = strcspn(word, "#");
	unsigned long most, number;
	char *end;

	if (!word[stem] || strncasecmp(word, text, stem) != 0 ||
	    !isdigit((unsigned char)text[stem]) || text[stem] == '0' || strlen(text + stem) > 4)
		return false;
	most = strtoul(word + stem + 1, NULL, 10);
	number = strtoul(text + stem, &end, 10);
	return *end == '\0' && number <= most;
}

/* Two names of one value: the one that `zfs get` prints, which is the first in its table. (zstd
 * keeps its level apart, but zstd-3 compresses as zstd does.) */
static const char *first_name(const char *value)
{
	static const char *const pairs[][2] = {
		{"gzip-6", "gzip"}, {"zstd-3", "zstd"}, {"zstd-fast-1", "zstd-fast"}};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (strcmp(pairs[i][0], value) == 0)
			return pairs[i][1];
	return value;
}

/* A word in the table's own spelling, which is the one OpenZFS takes; NULL: none of them. */
static const char *find_word(const char *const *words, const char *text, char *buffer, size_t size)
{
	for (; words && *words; words++) {
		if (!strchr(*words, '#') && strcasecmp(*words, text) == 0)
			return first_name(*words);
		if (!counts(*words, text))
			continue;
		(void)snprintf(buffer, size, "%.*s%s", (int)strcspn(*words, "#"), *words,
			       text + strcspn(*words, "#"));
		return first_name(buffer);
	}
	return NULL;
}

/* "512", "16K", "1M" of a power of two */
static void format_block(uint64_t bytes, char *buffer, size_t size)
{
	if (bytes >= MIB)
		(void)snprintf(buffer, size, "%lluM", (unsigned long long)(bytes / MIB));
	else if (bytes >= KIB)
		(void)snprintf(buffer, size, "%lluK", (unsigned long long)(bytes / KIB));
	else
		(void)snprintf(buffer, size, "%llu", (unsigned long long)bytes);
}

static bool parse_block(const struct property_rule *rule, const char *text, char *buffer,
			size_t size)
{
	uint64_t bytes;

	if (quantity_parse_size(text, &bytes, NULL) < 0 || bytes < rule->min || bytes > rule->max ||
	    (bytes & (bytes - 1)) != 0)
		return false;
	format_block(bytes, buffer, size);
	return true;
}

int property_parse(const struct property_rule *rule, const char *text, char **ret_value,
		   struct error *err)
{
	char buffer[QUANTITY_TEXT_MAX], quoted[TEXT_EXCERPT_MAX];
	const char *value = find_word(rule->words, text, buffer, sizeof(buffer));

	if (!value && rule->type == PROPERTY_BLOCK &&
	    parse_block(rule, text, buffer, sizeof(buffer)))
		value = buffer;
	if (!value)
		return error_set(err, ERROR_BAD_VALUE, "", "the property %s is %s, not \"%s\"",
				 rule->name, rule->values, text_excerpt(text, quoted));
	*ret_value = strdup(value);
	return *ret_value ? 0 : error_no_memory(err);
}

uint64_t property_bytes(const char *value)
{
	uint64_t bytes = 0;

	return quantity_parse_size(value, &bytes, NULL) < 0 ? 0 : bytes;
}

/* ---- refusals ---- */

static const struct {
	const char *name, *ours;
} second_names[] = {
	{"volblock", "volblocksize"},
	{"recsize", "recordsize"},
	{"compress", "compression"},
	{"dnsize", "dnodesize"},
};

/* A name that ends in '*' is the beginning of several. */
static const struct {
	const char *name, *reason;
} refusals[] = {
	{"volsize", "give the zvol its \"size\""},
	{"refreservation", "a zvol reserves its size, unless it is \"sparse\""},
	{"refreserv", "a zvol reserves its size, unless it is \"sparse\""},
	{"reservation", "a zvol reserves its size, unless it is \"sparse\""},
	{"reserv", "a zvol reserves its size, unless it is \"sparse\""},
	{"quota", "a full dataset would end the run, and its need is checked before"},
	{"refquota", "a full dataset would end the run, and its need is checked before"},
	{"mountpoint", "the run mounts its datasets itself, in a directory of its own"},
	{"canmount", "the run mounts its datasets itself, in a directory of its own"},
	{"overlay", "the run mounts its datasets itself, in a directory of its own"},
	{"volmode", "the run makes its zvols with volmode=dev, so that nobody looks for "
		    "partitions on them"},
	{"readonly", "what is measured is first written"},
	{"rdonly", "what is measured is first written"},
	{"encryption", "keys have no place in a definition; what is made beneath an encrypted "
		       "parent is encrypted like it"},
	{"key*", "keys have no place in a definition; what is made beneath an encrypted parent is "
		 "encrypted like it"},
	{"pbkdf2iters", "keys have no place in a definition; what is made beneath an encrypted "
			"parent is encrypted like it"},
	{"share*", "what a run makes is shared with nobody"},
	{"zoned", "what a run makes is handed to nobody"},
	{"jailed", "what a run makes is handed to nobody"},
	{"setuid", "files of a run are only data"},
	{"exec", "files of a run are only data"},
	{"devices", "files of a run are only data"},
	{"acl*", "it is not a matter of speed that Volbench measures"},
	{"snap*", "a run takes no snapshots"},
	{"filesystem_*", "a run makes what it needs and removes it again"},
	{"casesensitivity", "it is not a matter of speed that Volbench measures"},
	{"normalization", "it is not a matter of speed that Volbench measures"},
	{"utf8only", "it is not a matter of speed that Volbench measures"},
	{"nbmand", "it is not a matter of speed that Volbench measures"},
	{"vscan", "it is not a matter of speed that Volbench measures"},
	{"longname", "it is not a matter of speed that Volbench measures"},
	{"mlslabel", "it is not a matter of speed that Volbench measures"},
	{"context", "it is not a matter of speed that Volbench measures"},
	{"fscontext", "it is not a matter of speed that Volbench measures"},
	{"defcontext", "it is not a matter of speed that Volbench measures"},
	{"rootcontext", "it is not a matter of speed that Volbench measures"},
	{"version", "it is not a matter of speed that Volbench measures"},
};

static const char *reason_of(const char *name)
{
	if (strchr(name, ':'))
		return "properties of users change nothing that is measured, and what a run makes "
		       "is marked by its own (volbench:run)";
	if (strchr(name, '@'))
		return "limits of single users have no place in a run";
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		size_t stem = strcspn(refusals[i].name, "*");

		if (refusals[i].name[stem] ? strncmp(refusals[i].name, name, stem) == 0
					   : strcmp(refusals[i].name, name) == 0)
			return refusals[i].reason;
	}
	return NULL;
}

static const char *second_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(second_names); i++)
		if (strcmp(second_names[i].name, name) == 0)
			return second_names[i].ours;
	return NULL;
}

bool property_refused(const char *name)
{
	return second_name(name) || reason_of(name);
}

int property_refuse(const char *name, struct error *err)
{
	const char *ours = second_name(name), *reason = reason_of(name);
	char quoted[TEXT_EXCERPT_MAX], known[320] = "";

	if (ours)
		return error_set(err, ERROR_UNKNOWN_FIELD, "", "write \"%s\" for \"%s\"", ours,
				 name);
	(void)text_excerpt(name, quoted);
	if (reason)
		return error_set(err, ERROR_UNSUPPORTED, "",
				 "the property %s is not set by a definition: %s", quoted, reason);
	for (size_t i = 0; i < property_count; i++) {
		size_t used = strlen(known);

		(void)snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "",
			       property_table[i].name); /* the names fit */
	}
	return error_set(err, ERROR_UNKNOWN_FIELD, "",
			 "there is no property \"%s\" to set; there are %s", quoted, known);
}
