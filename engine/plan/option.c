/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * option.c - see option.h.
 * Length: each type of option is parsed, printed and copied here, and nowhere else.
 */
#include "engine/plan/option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/plan/cpus.h"
#include "engine/plan/distribution_spec.h"
#include "engine/plan/fio_names.h"
#include "engine/plan/quantity.h"

#define RW_EVERY_MAX (1 << 30)
#define RW_HOLE_MAX (UINT64_C(1) << 50)
#include "engine/plan/workload.h"

static const struct option table[OPTION_ID_COUNT] = {
#define OPTION(ID, NAME, TYPE, MEMBER, MIN, MAX, CHOICES, DEFAULT, FIO_DEFAULT, UNIT, FACTOR,      \
	       HELP)                                                                               \
	[OPTION_ID_##ID] = {.id = OPTION_ID_##ID,                                                  \
			    .name = (NAME),                                                        \
			    .type = (TYPE),                                                        \
			    .member = offsetof(struct workload, MEMBER),                           \
			    .min = (MIN),                                                          \
			    .max = (MAX),                                                          \
			    .choices = (CHOICES),                                                  \
			    .default_text = (DEFAULT),                                             \
			    .fio_default = (FIO_DEFAULT),                                          \
			    .unit = (UNIT),                                                        \
			    .help = (HELP),                                                        \
			    .factor = (FACTOR)},
#include "engine/plan/option_table.h"
#undef OPTION
};

/* Other words for a choice, fio's own. */
static const struct {
	enum option_id id;
	const char *word, *choice;
} choice_aliases[] = {
	{OPTION_ID_RW, "readwrite", "rw"},
	{OPTION_ID_SYNC, "0", "none"},
	{OPTION_ID_SYNC, "1", "sync"},
	{OPTION_ID_VERIFY, "0", "none"},
	{OPTION_ID_CONTINUE_ON_ERROR, "0", "none"},
	{OPTION_ID_CONTINUE_ON_ERROR, "1", "all"},
	{OPTION_ID_VERIFY, "crc32c-intel", "crc32c"},
};

const struct option *option_find(const char *name)
{
	const char *ours = fio_alias(name);

	for (size_t i = 0; i < OPTION_ID_COUNT; i++)
		if (strcmp(table[i].name, ours ? ours : name) == 0)
			return &table[i];
	return NULL;
}

const struct option *option_at(enum option_id id)
{
	return &table[id];
}

static void *member_of(const struct option *option, struct workload *workload)
{
	return (char *)workload + option->member;
}

static const void *const_member_of(const struct option *option, const struct workload *workload)
{
	return (const char *)workload + option->member;
}

static const char *format_number(const struct option *option, uint64_t value,
				 char buffer[QUANTITY_TEXT_MAX])
{
	if (option->type == OPTION_SIZE || option->type == OPTION_SIZES ||
	    option->type == OPTION_RANGES || option->type == OPTION_SIZE_RANGE)
		return quantity_format_size(value, buffer);
	if (option->type == OPTION_TIME)
		return quantity_format_time(value, buffer);
	if (option->type == OPTION_MICROSECONDS)
		value /= NS_PER_US;
	(void)snprintf(buffer, QUANTITY_TEXT_MAX, "%" PRIu64, value);
	return buffer;
}

const char *option_range(const struct option *option, char buffer[OPTION_RANGE_MAX])
{
	char low[QUANTITY_TEXT_MAX], high[QUANTITY_TEXT_MAX];

	buffer[0] = '\0';
	if (option->type == OPTION_FLAG || option->type == OPTION_CHOICE ||
	    option->type == OPTION_RW || option->type == OPTION_TEXT)
		return buffer;
	(void)snprintf(buffer, OPTION_RANGE_MAX, "%s to %s%s%s",
		       format_number(option, option->min, low),
		       format_number(option, option->max, high), *option->unit ? " " : "",
		       option->type == OPTION_TIME	     ? "seconds"
		       : option->type == OPTION_MICROSECONDS ? "microseconds"
							     : option->unit);
	return buffer;
}

static int out_of_range(const struct option *option, const char *text, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX], range[OPTION_RANGE_MAX];

	return error_set(err, ERROR_OUT_OF_RANGE, "", "%s=%s is out of range: %s", option->name,
			 text_excerpt(text, quoted), option_range(option, range));
}

/* One number of whatever kind, held against the option's range. */
static int parse_number(const struct option *option, const char *text, uint64_t *ret_value,
			struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];
	uint64_t value;
	int r;

	if (option->type == OPTION_SIZE && *text && text[strlen(text) - 1] == '%')
		return error_set(err, ERROR_BAD_SIZE, "",
				 "%s=%s: shares of the target are not supported; give bytes",
				 option->name, text_excerpt(text, quoted));
	if (option->type == OPTION_TIME)
		r = quantity_parse_time(text, &value, err);
	else if (option->type == OPTION_MICROSECONDS)
		r = quantity_parse_microseconds(text, &value, err);
	else if (option->type == OPTION_COUNT || option->type == OPTION_COUNTS)
		r = quantity_parse_count(text, &value, err);
	else
		r = quantity_parse_size(text, &value, err);
	if (r < 0) {
		if (err && err->code == ERROR_OUT_OF_RANGE)
			return out_of_range(option, text, err);
		return r;
	}
	if (value < option->min || value > option->max)
		return out_of_range(option, text, err);
	*ret_value = value;
	return 0;
}

/*
 * Sizes or counts: "4k" for all, "4k,128k" (reads; writes and trims), "4k,128k,1M"; "4k," and
 * ",128k": a part that is empty is the default, or 0.
 */
static int parse_sizes(const struct option *option, const char *text, uint64_t *ret_values,
		       struct error *err)
{
	uint64_t values[DIRECTION_COUNT];
	const char *part = text;
	bool any = false;
	int count = 0;

	for (;; part++) {
		size_t length = strcspn(part, ",");
		char number[QUANTITY_TEXT_MAX];
		int r = 0;

		if (count == DIRECTION_COUNT)
			return error_set(err, ERROR_BAD_VALUE, "",
					 "%s takes at most three values: reads,writes,trims",
					 option->name);
		if (length >= sizeof(number))
			return parse_number(option, text, &values[0], err);
		(void)snprintf(number, sizeof(number), "%.*s", (int)length, part);
		any |= length > 0;
		values[count] = 0;
		if (length > 0 || option->default_text)
			r = parse_number(option, length > 0 ? number : option->default_text,
					 &values[count], err);
		count++;
		if (r < 0)
			return r;
		part += length;
		if (!*part)
			break;
	}
	if (!any)
		return parse_number(option, text, &values[0], err);
	for (; count < DIRECTION_COUNT; count++)
		values[count] = values[count - 1];
	memcpy(ret_values, values, sizeof(values));
	return 0;
}

/* One size, or two with a dash between. */
static int parse_size_range(const struct option *option, const char *text, uint64_t *ret_values,
			    struct error *err)
{
	char number[QUANTITY_TEXT_MAX], quoted[TEXT_EXCERPT_MAX];
	size_t length = strcspn(text, "-");
	uint64_t values[2];
	int r;

	if (length == 0 || length >= sizeof(number))
		return quantity_parse_size(text, &values[0], err);
	memcpy(number, text, length);
	number[length] = '\0';
	r = parse_number(option, number, &values[0], err);
	values[1] = values[0];
	if (r == 0 && text[length])
		r = parse_number(option, text + length + 1, &values[1], err);
	if (r < 0)
		return r;
	if (values[0] > values[1])
		return error_set(err, ERROR_BAD_VALUE, "",
				 "%s=%s: the smaller size comes first, as in \"4k-64k\"",
				 option->name, text_excerpt(text, quoted));
	memcpy(ret_values, values, sizeof(values));
	return 0;
}

/* "1k-4k" or, as fio reads it too, "1k:4k"; in either order. */
static int parse_range(const struct option *option, const char *text, size_t length,
		       uint64_t ret_ends[2], struct error *err)
{
	char part[2 * QUANTITY_TEXT_MAX], *middle;
	uint64_t a, b;
	int r;

	(void)snprintf(part, sizeof(part), "%.*s", (int)length, text); /* a cut one is no size */
	middle = strpbrk(part, "-:");
	if (!middle)
		return error_set(err, ERROR_BAD_SIZE, "",
				 "%s takes two sizes, as in 1k-4k, not \"%s\"", option->name, part);
	*middle++ = '\0';
	r = parse_number(option, part, &a, err);
	if (r == 0)
		r = parse_number(option, middle, &b, err);
	if (r < 0)
		return r;
	ret_ends[0] = a < b ? a : b;
	ret_ends[1] = a < b ? b : a;
	return 0;
}

static int parse_ranges(const struct option *option, const char *text, uint64_t (*ret_values)[2],
			struct error *err)
{
	uint64_t values[DIRECTION_COUNT][2];
	int count = 0;

	for (;; text++) {
		size_t length = strcspn(text, ",");
		int r;

		if (count == DIRECTION_COUNT)
			return error_set(err, ERROR_BAD_VALUE, "",
					 "%s takes at most three ranges: reads,writes,trims",
					 option->name);
		r = parse_range(option, text, length, values[count++], err);
		if (r < 0)
			return r;
		text += length;
		if (!*text)
			break;
	}
	for (; count < DIRECTION_COUNT; count++)
		memcpy(values[count], values[count - 1], sizeof(values[count]));
	memcpy(ret_values, values, sizeof(values));
	return 0;
}

static int parse_choice(const struct option *option, const char *text, int *ret_choice,
			struct error *err)
{
	char known[ERROR_MESSAGE_MAX / 2], quoted[TEXT_EXCERPT_MAX];
	const char *word = text;
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(choice_aliases); i++)
		if (choice_aliases[i].id == option->id && strcmp(text, choice_aliases[i].word) == 0)
			word = choice_aliases[i].choice;
	for (int i = 0; option->choices[i]; i++) {
		int n;

		if (strcmp(word, option->choices[i]) == 0) {
			*ret_choice = i;
			return 0;
		}
		n = snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
			     option->choices[i]);
		used += (size_t)n < sizeof(known) - used ? (size_t)n : 0;
	}
	return error_set(err, ERROR_BAD_VALUE, "", "%s cannot be \"%s\"; it is one of: %s",
			 option->name, text_excerpt(text, quoted), known);
}

/* "randread", "read:64k", "randread:8". One request to a drawn offset is what none says. */
static int parse_rw(const struct option *option, const char *text, struct workload *workload,
		    struct error *err)
{
	const char *colon = strchr(text, ':');
	char word[TEXT_EXCERPT_MAX];
	uint64_t number = 0;
	int rw, r;

	(void)snprintf(word, sizeof(word), "%.*s", colon ? (int)(colon - text) : (int)strlen(text),
		       text);
	if (strcmp(word, "trimwrite") == 0 || strcmp(word, "randtrimwrite") == 0)
		return error_set(err, ERROR_UNSUPPORTED, "",
				 "%s=%s is not supported: trim and randtrim only trim, write and "
				 "randwrite only write",
				 option->name, text_excerpt(text, word));
	r = parse_choice(option, word, &rw, err);
	if (r == 0 && colon && workload_rw_random(rw)) {
		r = quantity_parse_count(colon + 1, &number, err);
		if (r < 0 || number < 1 || number > RW_EVERY_MAX)
			return error_set(err, ERROR_OUT_OF_RANGE, "",
					 "%s=%s: behind the colon of a random pattern stands how "
					 "many requests to make for each offset drawn: 1 to %d",
					 option->name, text_excerpt(text, word), RW_EVERY_MAX);
		number = number > 1 ? number : 0;
	} else if (r == 0 && colon) {
		r = quantity_parse_size(colon + 1, &number, err);
		if (r < 0 || number > RW_HOLE_MAX)
			return error_set(err, ERROR_OUT_OF_RANGE, "",
					 "%s=%s: behind the colon of a sequential pattern stands "
					 "how many bytes to leave out after each request: 0 to 1p",
					 option->name, text_excerpt(text, word));
	}
	if (r < 0)
		return r;
	workload->rw = rw;
	workload->rw_number = number;
	return 0;
}

static int parse_text(const struct option *option, const char *text, char **ret_text,
		      struct error *err)
{
	size_t length = strlen(text);
	char *copy;

	if (length < option->min || length > option->max)
		return error_set(err, ERROR_OUT_OF_RANGE, "",
				 "%s has %zu bytes; it takes %" PRIu64 " to %" PRIu64, option->name,
				 length, option->min, option->max);
	if (!text_printable(text))
		return error_set(err, ERROR_BAD_VALUE, "",
				 "%s holds a control character or is not UTF-8", option->name);
	if (option->id == OPTION_ID_RANDOM_DISTRIBUTION) {
		struct distribution_spec spec;
		int r = distribution_spec_parse(text, &spec, err);

		if (r < 0)
			return r;
	}
	copy = strdup(text);
	if (!copy)
		return error_no_memory(err);
	free(*ret_text);
	*ret_text = copy;
	return 0;
}

static int parse_flag(const struct option *option, const char *text, bool *ret_flag,
		      struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		return error_set(err, ERROR_BAD_VALUE, "", "%s is 0 or 1, not \"%s\"", option->name,
				 text_excerpt(text, quoted));
	*ret_flag = *text == '1';
	return 0;
}

int option_parse(const struct option *option, const char *text, struct workload *workload,
		 struct error *err)
{
	void *member = member_of(option, workload);
	struct error ignored;
	int r = 0;

	if (!err)
		err = &ignored;
	switch (option->type) {
	case OPTION_FLAG:
		r = parse_flag(option, text, member, err);
		break;
	case OPTION_COUNT:
	case OPTION_SIZE:
	case OPTION_TIME:
	case OPTION_MICROSECONDS:
		r = parse_number(option, text, member, err);
		break;
	case OPTION_SIZES:
	case OPTION_COUNTS:
		r = parse_sizes(option, text, member, err);
		break;
	case OPTION_SIZE_RANGE:
		r = parse_size_range(option, text, member, err);
		break;
	case OPTION_RANGES:
		r = parse_ranges(option, text, member, err);
		break;
	case OPTION_CHOICE:
		r = parse_choice(option, text, member, err);
		break;
	case OPTION_RW:
		r = parse_rw(option, text, workload, err);
		break;
	case OPTION_TEXT:
		r = parse_text(option, text, member, err);
		break;
	}
	if (r == 0)
		option_set_mark(&workload->set, option->id, true);
	return r;
}

/* As few as say it. */
static char *format_sizes(const struct option *option, const uint64_t *values)
{
	char text[DIRECTION_COUNT][QUANTITY_TEXT_MAX], *all;
	int count = DIRECTION_COUNT;

	while (count > 1 && values[count - 1] == values[count - 2])
		count--;
	for (int i = 0; i < count; i++)
		(void)format_number(option, values[i], text[i]);
	if (asprintf(&all, "%s%s%s%s%s", text[0], count > 1 ? "," : "", count > 1 ? text[1] : "",
		     count > 2 ? "," : "", count > 2 ? text[2] : "") < 0)
		return NULL;
	return all;
}

static char *format_ranges(const uint64_t *ends)
{
	uint64_t values[DIRECTION_COUNT][2];
	char text[DIRECTION_COUNT][2][QUANTITY_TEXT_MAX], *all;
	int count = DIRECTION_COUNT;

	memcpy(values, ends, sizeof(values));
	while (count > 1 && memcmp(values[count - 1], values[count - 2], sizeof(*values)) == 0)
		count--;
	for (int i = 0; i < count; i++)
		for (int end = 0; end < 2; end++)
			(void)quantity_format_size(values[i][end], text[i][end]);
	if (asprintf(&all, "%s-%s%s%s%s%s%s%s%s%s", text[0][0], text[0][1], count > 1 ? "," : "",
		     count > 1 ? text[1][0] : "", count > 1 ? "-" : "", count > 1 ? text[1][1] : "",
		     count > 2 ? "," : "", count > 2 ? text[2][0] : "", count > 2 ? "-" : "",
		     count > 2 ? text[2][1] : "") < 0)
		return NULL;
	return all;
}

static char *format_rw(const struct option *option, const struct workload *workload)
{
	char number[QUANTITY_TEXT_MAX], *text;

	if (workload->rw_number == 0)
		return strdup(option->choices[workload->rw]);
	if (workload_rw_random(workload->rw))
		(void)snprintf(number, sizeof(number), "%" PRIu64, workload->rw_number);
	else
		(void)quantity_format_size(workload->rw_number, number);
	return asprintf(&text, "%s:%s", option->choices[workload->rw], number) < 0 ? NULL : text;
}

static char *format_size_range(const struct option *option, const uint64_t *values)
{
	char low[QUANTITY_TEXT_MAX], high[QUANTITY_TEXT_MAX], *text;

	(void)format_number(option, values[0], low);
	(void)format_number(option, values[1], high);
	if (values[0] == values[1])
		return strdup(low);
	return asprintf(&text, "%s-%s", low, high) < 0 ? NULL : text;
}

char *option_format(const struct option *option, const struct workload *workload)
{
	const void *member = const_member_of(option, workload);
	char first[QUANTITY_TEXT_MAX];
	const uint64_t *numbers = member;
	const char *text;

	switch (option->type) {
	case OPTION_FLAG:
		return strdup(*(const bool *)member ? "1" : "0");
	case OPTION_CHOICE:
		return strdup(option->choices[*(const int *)member]);
	case OPTION_RW:
		return format_rw(option, workload);
	case OPTION_TEXT:
		text = *(char *const *)member;
		return strdup(text ? text : "");
	case OPTION_SIZES:
	case OPTION_COUNTS:
		return format_sizes(option, numbers);
	case OPTION_SIZE_RANGE:
		return format_size_range(option, numbers);
	case OPTION_RANGES:
		return format_ranges(numbers);
	case OPTION_COUNT:
	case OPTION_SIZE:
	case OPTION_TIME:
	case OPTION_MICROSECONDS:
		break;
	}
	return strdup(format_number(option, numbers[0], first));
}

static size_t member_size(enum option_type type)
{
	switch (type) {
	case OPTION_FLAG:
		return sizeof(bool);
	case OPTION_CHOICE:
	case OPTION_RW:
		return sizeof(int);
	case OPTION_SIZES:
	case OPTION_COUNTS:
		return DIRECTION_COUNT * sizeof(uint64_t);
	case OPTION_SIZE_RANGE:
		return 2 * sizeof(uint64_t);
	case OPTION_RANGES:
		return DIRECTION_COUNT * 2 * sizeof(uint64_t);
	case OPTION_TEXT:
		return sizeof(char *);
	case OPTION_COUNT:
	case OPTION_SIZE:
	case OPTION_TIME:
	case OPTION_MICROSECONDS:
		break;
	}
	return sizeof(uint64_t);
}

bool option_is_default(const struct option *option, const struct workload *workload)
{
	struct workload standard;
	char *theirs, *ours;
	bool same;

	workload_init(&standard);
	/* A row's own default parses. */
	if (option->default_text && option_parse(option, option->default_text, &standard, NULL) < 0)
		return false;
	theirs = option_format(option, workload);
	ours = option_format(option, &standard);
	same = theirs && ours && strcmp(theirs, ours) == 0;
	free(theirs);
	free(ours);
	workload_done(&standard);
	return same;
}

bool option_told(const struct option *option, const struct workload *workload)
{
	return option->id <= OPTION_ID_LAST_BASIC || !option_is_default(option, workload) ||
	       (!option->default_text && workload_is_set(workload, option->id));
}

void option_free(const struct option *option, struct workload *workload)
{
	char **text = member_of(option, workload);

	if (option->type != OPTION_TEXT)
		return;
	free(*text);
	*text = NULL;
}

int option_copy(const struct option *option, const struct workload *from, struct workload *to)
{
	void *member = member_of(option, to);

	if (option->type == OPTION_TEXT) {
		char *const *text = const_member_of(option, from);
		char **old = member;
		char *copy = *text ? strdup(*text) : NULL;

		if (*text && !copy)
			return -ENOMEM;
		free(*old);
		*old = copy;
	} else {
		memcpy(member, const_member_of(option, from), member_size(option->type));
		if (option->type == OPTION_RW)
			to->rw_number = from->rw_number;
	}
	option_set_mark(&to->set, option->id, option_set_has(&from->set, option->id));
	return 0;
}
