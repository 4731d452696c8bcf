/* SPDX-License-Identifier: GPL-3.0-or-later */
/* import_diskspd.c - see import_diskspd.h. */
#include "server/import/import_diskspd.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/quantity.h"
#include "server/import/told_option.h"

void import_diskspd_profile_init(struct diskspd_profile *profile)
{
	*profile = (struct diskspd_profile){
		.block = 64 << 10,
		.seconds = 10,
		.warmup_seconds = 5,
		.threads = 1,
		.outstanding = 2,
		.random_percent = 100,
	};
}

/* ---- the command line ---- */

/* A word of it, quotes left out of both ends. */
struct word {
	const char *text;
	size_t length;
};

/* A size that may be given in blocks, whose size may stand behind it: resolved in the end. */
struct sizes {
	bool in_blocks[128];
};

static bool next_word(const char **line, struct word *ret_word)
{
	const char *p = *line + strspn(*line, " \t");
	bool quoted = *p == '"';

	if (!*p)
		return false;
	p += quoted;
	ret_word->text = p;
	ret_word->length = strcspn(p, quoted ? "\"" : " \t");
	p += ret_word->length;
	*line = p + (quoted && *p == '"');
	return true;
}

static int bad(const struct word *word, struct error *err, const char *wanted)
{
	char copy[TEXT_EXCERPT_MAX], quoted[TEXT_EXCERPT_MAX];

	(void)snprintf(copy, sizeof(copy), "%.*s", (int)(word->length < 60 ? word->length : 60),
		       word->text);
	return error_set(err, ERROR_BAD_VALUE, "", "diskspd's \"%s\": %s",
			 text_excerpt(copy, quoted), wanted);
}

/* Digits of a word from `at` on, up to max; *ret_end is what follows them. */
static int number(const struct word *word, size_t at, uint64_t max, uint64_t *ret_number,
		  size_t *ret_end, struct error *err)
{
	uint64_t value = 0;
	size_t i = at;

	for (; i < word->length && word->text[i] >= '0' && word->text[i] <= '9'; i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(word->text[i] - '0'), &value) ||
		    value > max)
			return bad(word, err, "the number is too large");
	if (i == at)
		return bad(word, err, "a number is missing");
	*ret_number = value;
	*ret_end = i;
	return 0;
}

static int count(const struct word *word, uint64_t min, uint64_t max, uint64_t *ret_count,
		 struct error *err)
{
	uint64_t value;
	size_t end;
	int r = number(word, 2, max, &value, &end, err);

	if (r < 0)
		return r;
	if (end != word->length || value < min)
		return bad(word, err, "not a number that can be");
	*ret_count = value;
	return 0;
}

/* "64K", "2G", "8b" (blocks), "512". */
static int size(const struct word *word, size_t at, uint64_t *ret_size, struct sizes *sizes,
		struct error *err)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	uint64_t value;
	size_t end;
	int r = number(word, at, UINT64_C(1) << 50, &value, &end, err);

	if (r < 0)
		return r;
	sizes->in_blocks[(unsigned char)word->text[1] & 127] =
		end + 1 == word->length && word->text[end] == 'b';
	if (end + 1 == word->length && word->text[end] != 'b') {
		suffix = strchr(suffixes, word->text[end] & ~0x20); /* in either case */
		if (!suffix || !*suffix)
			return bad(word, err, "not a size");
		for (const char *p = suffixes; p <= suffix; p++)
			if (__builtin_mul_overflow(value, 1024, &value))
				return bad(word, err, "the size is too large");
		end++;
	}
	if (end + (end < word->length && word->text[end] == 'b') != word->length)
		return bad(word, err, "not a size");
	*ret_size = value;
	return 0;
}

static int read_random(const struct word *word, struct diskspd_profile *profile,
		       struct sizes *sizes, struct error *err)
{
	size_t end;

	if (word->length > 2 && word->text[2] == 'd') /* a distribution: no equal */
		return 0;
	if (word->length > 2 && word->text[2] == 's')
		return number(word, 3, 100, &profile->random_percent, &end, err);
	profile->random = true;
	return word->length > 2 ? size(word, 2, &profile->stride, sizes, err) : 0;
}

static int read_sequential(const struct word *word, struct diskspd_profile *profile,
			   struct sizes *sizes, struct error *err)
{
	size_t at = 2;

	if (word->length > at && word->text[at] == 'i') {
		profile->interlocked = true;
		at++;
	}
	return word->length > at ? size(word, at, &profile->stride, sizes, err) : 0;
}

static void read_cache(const struct word *word, struct diskspd_profile *profile)
{
	if (word->text[1] == 'h' || word->length == 2) {
		profile->cache = DISKSPD_UNCACHED;
		profile->write_through |= word->text[1] == 'h';
	}
	for (size_t i = 2; i < word->length; i++) {
		char letter = word->text[i];

		if (letter == 'h' || letter == 'u')
			profile->cache = DISKSPD_UNCACHED;
		else if (letter == 'r' || letter == 'm') /* of the server only; mapped memory */
			profile->cache = DISKSPD_CACHED_OTHERWISE;
		profile->write_through |= letter == 'h' || letter == 'w';
	}
}

static int read_rate(const struct word *word, struct diskspd_profile *profile, struct error *err)
{
	uint64_t value;
	size_t end;
	int r = number(word, 2, UINT32_MAX, &value, &end, err);

	if (r < 0)
		return r;
	profile->rate_iops = end < word->length && word->text[end] == 'i' ? value : 0;
	profile->rate_bytes_per_ms = end == word->length ? value : 0;
	return 0;
}

static void read_fill(const struct word *word, struct diskspd_profile *profile)
{
	if (word->length == 2)
		profile->fill = DISKSPD_FILL_ZERO;
	else
		profile->fill =
			word->text[2] == 'r' ? DISKSPD_FILL_RANDOM_EACH : DISKSPD_FILL_RANDOM;
}

static int read_switch(const struct word *word, struct diskspd_profile *profile,
		       struct sizes *sizes, struct error *err)
{
	switch (word->text[1]) {
	case 'b':
		return size(word, 2, &profile->block, sizes, err);
	case 'c':
		return size(word, 2, &profile->file_size, sizes, err);
	case 'B':
		return size(word, 2, &profile->offset, sizes, err);
	case 'T':
		return size(word, 2, &profile->thread_stride, sizes, err);
	case 'f': /* -fr and -fs are hints */
		return word->length == 3 && strchr("rs", word->text[2])
			       ? 0
			       : size(word, 2, &profile->max_size, sizes, err);
	case 'd':
		return count(word, 1, UINT32_MAX, &profile->seconds, err);
	case 'W':
		return count(word, 0, UINT32_MAX, &profile->warmup_seconds, err);
	case 't':
		return count(word, 1, UINT32_MAX, &profile->threads, err);
	case 'F':
		return count(word, 1, UINT32_MAX, &profile->threads_total, err);
	case 'o':
		return count(word, 1, UINT32_MAX, &profile->outstanding, err);
	case 'O':
		return count(word, 1, UINT32_MAX, &profile->outstanding_total, err);
	case 'w':
		profile->bare_write = word->length == 2;
		return word->length == 2 ? 0 : count(word, 0, 100, &profile->write_percent, err);
	case 'r':
		return read_random(word, profile, sizes, err);
	case 's':
		return read_sequential(word, profile, sizes, err);
	case 'g':
		return read_rate(word, profile, err);
	case 'Z':
		read_fill(word, profile);
		return 0;
	case 'h':
	case 'S':
		read_cache(word, profile);
		return 0;
	case 'X':
		profile->unknown = true;
		return 0;
	default:
		return 0; /* no equal */
	}
}

static int resolve(char letter, uint64_t *value, const struct sizes *sizes,
		   const struct diskspd_profile *profile, struct error *err)
{
	if (!sizes->in_blocks[(unsigned char)letter] ||
	    !__builtin_mul_overflow(*value, profile->block, value))
		return 0;
	return error_set(err, ERROR_BAD_VALUE, "", "diskspd's -%c: too many blocks", letter);
}

int import_diskspd_command(const char *line, struct diskspd_profile *ret_profile, struct error *err)
{
	struct diskspd_profile profile;
	struct sizes sizes = {0};
	struct word word;
	bool first = true;
	int r = 0;

	if (strlen(line) > DISKSPD_COMMAND_MAX)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "the command line has more than %d bytes", DISKSPD_COMMAND_MAX);
	import_diskspd_profile_init(&profile);
	for (; r == 0 && next_word(&line, &word); first = false) {
		if (word.length >= 2 && (word.text[0] == '-' || word.text[0] == '/'))
			r = read_switch(&word, &profile, &sizes, err);
		else
			profile.targets += !first; /* before the switches: the program */
	}
	if (r == 0 && (sizes.in_blocks['b'] || profile.block == 0))
		return error_set(err, ERROR_BAD_VALUE, "",
				 "diskspd's -b: the size of a block is in bytes");
	if (r == 0)
		r = resolve('c', &profile.file_size, &sizes, &profile, err);
	if (r == 0)
		r = resolve('B', &profile.offset, &sizes, &profile, err);
	if (r == 0)
		r = resolve('T', &profile.thread_stride, &sizes, &profile, err);
	if (r == 0)
		r = resolve('f', &profile.max_size, &sizes, &profile, err);
	if (r == 0)
		r = resolve(profile.random ? 'r' : 's', &profile.stride, &sizes, &profile, err);
	if (r == 0)
		*ret_profile = profile;
	return r;
}

/* ---- as options ---- */

static uint64_t stride_of(const struct diskspd_profile *profile)
{
	return profile->stride > 0 ? profile->stride : profile->block;
}

/* "read", "randrw", "read:64k" where blocks are left out. Overlapping ones have no equal. */
static int set_pattern(const struct diskspd_profile *profile, struct workload *options)
{
	const char *random = profile->random ? "rand" : "", *way = "rw";
	uint64_t stride = stride_of(profile);
	int r;

	if (profile->write_percent == 0 || profile->write_percent == 100)
		way = profile->write_percent == 0 ? "read" : "write";
	else if ((r = told_option_set(options, OPTION_ID_RWMIXREAD, "%" PRIu64,
				      100 - profile->write_percent)) < 0)
		return r;
	if (profile->random) {
		r = told_option_set(options, OPTION_ID_NORANDOMMAP, "1");
		if (r == 0 && stride != profile->block)
			r = told_option_set(options, OPTION_ID_BLOCKALIGN, "%" PRIu64, stride);
		if (r == 0 && profile->random_percent < 100)
			r = told_option_set(options, OPTION_ID_PERCENTAGE_RANDOM, "%" PRIu64,
					    profile->random_percent);
		return r < 0 ? r : told_option_set(options, OPTION_ID_RW, "%s%s", random, way);
	}
	if (stride < profile->block)
		return 0;
	r = told_option_set(options, OPTION_ID_INTERLOCKED, "%d", profile->interlocked);
	if (r == 0 && stride > profile->block)
		return told_option_set(options, OPTION_ID_RW, "%s:%" PRIu64, way,
				       stride - profile->block);
	return r < 0 ? r : told_option_set(options, OPTION_ID_RW, "%s", way);
}

static int set_load(const struct diskspd_profile *profile, struct workload *options)
{
	uint64_t targets = profile->targets > 0 ? profile->targets : 1;
	uint64_t jobs = profile->threads, depth = profile->outstanding;
	int r;

	if (profile->threads_total > 0) { /* each thread works on all targets */
		jobs = profile->threads_total;
		if (profile->outstanding_total > 0)
			depth = profile->outstanding_total;
		else if (__builtin_mul_overflow(depth, targets, &depth))
			return 0;
	} else if (__builtin_mul_overflow(jobs, targets, &jobs)) {
		return 0;
	}
	r = told_option_set(options, OPTION_ID_NUMJOBS, "%" PRIu64, jobs);
	return r < 0 ? r : told_option_set(options, OPTION_ID_IODEPTH, "%" PRIu64, depth);
}

/* The region all threads share: of one target, whose size is told. */
static int set_region(const struct diskspd_profile *profile, struct workload *options)
{
	uint64_t end = profile->file_size;
	int r = 0;

	if (profile->targets > 1)
		return 0;
	if (profile->max_size > 0 && (end == 0 || profile->max_size < end))
		end = profile->max_size;
	if (end > profile->offset)
		r = told_option_set(options, OPTION_ID_SIZE, "%" PRIu64, end - profile->offset);
	if (r == 0)
		r = told_option_set(options, OPTION_ID_OFFSET, "%" PRIu64, profile->offset);
	if (r == 0)
		r = told_option_set(options, OPTION_ID_REGIONS, "shared");
	if (r == 0 && !profile->random)
		r = told_option_set(options, OPTION_ID_OFFSET_INCREMENT, "%" PRIu64,
				    profile->thread_stride);
	return r;
}

/* Write-through completes a write when its data are stored, as O_DSYNC does. */
static int set_cache(const struct diskspd_profile *profile, struct workload *options)
{
	int r = 0;

	if (profile->cache != DISKSPD_CACHED_OTHERWISE)
		r = told_option_set(options, OPTION_ID_DIRECT, "%d",
				    profile->cache == DISKSPD_UNCACHED);
	return r < 0 ? r
		     : told_option_set(options, OPTION_ID_SYNC, "%s",
				       profile->write_through ? "dsync" : "none");
}

static int set_fill(const struct diskspd_profile *profile, struct workload *options)
{
	int r = 0;

	if (profile->write_percent > 0 && profile->fill == DISKSPD_FILL_ZERO)
		r = told_option_set(options, OPTION_ID_ZERO_BUFFERS, "1");
	if (profile->write_percent > 0 && profile->fill == DISKSPD_FILL_RANDOM_EACH)
		r = told_option_set(options, OPTION_ID_REFILL_BUFFERS, "1");
	return r;
}

/* A thread's rate is of both directions together: an option of one. */
static int set_rate(const struct diskspd_profile *profile, struct workload *options)
{
	int r = 0;

	if (profile->write_percent != 0 && profile->write_percent != 100)
		return 0;
	if (profile->rate_bytes_per_ms > 0)
		r = told_option_set(options, OPTION_ID_RATE, "%" PRIu64,
				    profile->rate_bytes_per_ms * 1000);
	if (r == 0 && profile->rate_iops > 0)
		r = told_option_set(options, OPTION_ID_RATE_IOPS, "%" PRIu64, profile->rate_iops);
	return r;
}

int import_diskspd_options(const struct diskspd_profile *profile, struct workload *options)
{
	int r;

	if (profile->unknown)
		return 0;
	r = told_option_set(options, OPTION_ID_BS, "%" PRIu64, profile->block);
	if (r == 0)
		r = set_pattern(profile, options);
	if (r == 0)
		r = set_load(profile, options);
	if (r == 0)
		r = set_region(profile, options);
	if (r == 0)
		r = set_cache(profile, options);
	if (r == 0)
		r = set_fill(profile, options);
	if (r == 0)
		r = set_rate(profile, options);
	if (r == 0)
		r = told_option_set(options, OPTION_ID_TIME_BASED, "1");
	if (r == 0)
		r = told_option_set(options, OPTION_ID_RUNTIME, "%" PRIu64, profile->seconds);
	return r < 0 ? r
		     : told_option_set(options, OPTION_ID_RAMP_TIME, "%" PRIu64,
				       profile->warmup_seconds);
}

const char *import_diskspd_name(const struct diskspd_profile *profile, bool alone,
				char buffer[DISKSPD_NAME_MAX])
{
	const char *random = profile->random ? "rand" : "";
	char block[QUANTITY_TEXT_MAX], way[24] = "read";

	if (profile->unknown) {
		(void)snprintf(buffer, DISKSPD_NAME_MAX, "diskspd");
		return buffer;
	}
	if (profile->write_percent >= 100)
		(void)snprintf(way, sizeof(way), "write");
	else if (profile->write_percent > 0)
		(void)snprintf(way, sizeof(way), "rw %d/%d", (int)(100 - profile->write_percent),
			       (int)profile->write_percent);
	if (alone) {
		(void)snprintf(buffer, DISKSPD_NAME_MAX, "%s%s", random, way);
		return buffer;
	}
	(void)snprintf(buffer, DISKSPD_NAME_MAX, "%s%s %s, %" PRIu64 " x %" PRIu64, random, way,
		       quantity_format_size(profile->block, block),
		       profile->threads_total > 0 ? profile->threads_total : profile->threads,
		       profile->outstanding_total > 0 ? profile->outstanding_total
						      : profile->outstanding);
	return buffer;
}

/* ---- findings ---- */

static int find(struct sample *sample, const char *code, const char *message)
{
	return findings_add(&sample->findings, FINDING_WARNING, code, sample->workload, NULL, NULL,
			    NULL, "%s", message);
}

int import_diskspd_findings(const struct diskspd_profile *profile, bool told, struct sample *sample)
{
	int r = 0;

	if (profile->bare_write)
		r = find(sample, "diskspd_bare_w",
			 told ? "-w has no number, which diskspd read as 0 % writes before version "
				"2.1 and refuses since; what its own text says it did is taken."
			      : "-w has no number. Read as 0 % writes, as diskspd did before "
				"version "
				"2.1 (later ones refuse it): this was a read test, whatever -w was "
				"meant to say.");
	if (r < 0 || profile->unknown || profile->write_percent == 0 ||
	    profile->fill != DISKSPD_FILL_SEQUENCE)
		return r;
	return find(
		sample, "diskspd_data_repeats",
		"diskspd wrote the bytes 0 to 255 over and over, as it does without -Z<size> or "
		"-Zr: storage that compresses or deduplicates stores next to nothing of them.");
}
