/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio_option.c - see fio_option.h. */
#include "engine/plan/fio_option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/quantity.h"
#include "engine/plan/workload_sizes.h"

/* ---- in ---- */

static int unknown_option(const char *name, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];
	const char *reason = option_refusal(name);

	if (reason)
		return error_set(err, ERROR_UNSUPPORTED, "", "fio option %s: %s", name, reason);
	return error_set(err, ERROR_UNKNOWN_FIELD, "", "fio has no option \"%s\"",
			 text_excerpt(name, quoted));
}

/* Whether sizes are parts of its value. */
static bool holds_sizes(const struct option *option)
{
	return option->type == OPTION_SIZES || option->type == OPTION_RANGES ||
	       option->type == OPTION_SIZE_RANGE || option->type == OPTION_RW ||
	       option->id == OPTION_ID_BSSPLIT;
}

static bool any_differs(const char *value)
{
	char part[QUANTITY_TEXT_MAX];

	for (;; value++) {
		size_t length = strcspn(value, ",:-/");

		(void)snprintf(part, sizeof(part), "%.*s", (int)length, value);
		if (quantity_fio_differs(part))
			return true;
		value += length;
		if (!*value)
			return false;
	}
}

/* What of an option's value fio reads otherwise than we do, or does more with. */
static int check_meaning(const char *dashes, const struct option *option, const char *value,
			 struct error *err)
{
	bool size = option->type == OPTION_SIZE || holds_sizes(option);
	char quoted[TEXT_EXCERPT_MAX];
	bool time = option->type == OPTION_TIME || option->type == OPTION_MICROSECONDS;

	if (holds_sizes(option) ? any_differs(value)
				: (size || time) && quantity_fio_differs(value))
		return error_set(
			err, size ? ERROR_BAD_SIZE : ERROR_BAD_TIME, "",
			size ? "%s%s=%s: fio reads the suffix as a power of 1000; write k, m "
			       "or g, which are powers of 1024"
			     : "%s%s=%s: fio drops what is behind the point; write ms",
			dashes, option->name, text_excerpt(value, quoted));
	return 0;
}

/* The flags that fio takes without a value; the others want one. */
static bool goes_bare(enum option_id id)
{
	return id == OPTION_ID_HIPRI || id == OPTION_ID_SQTHREAD_POLL ||
	       id == OPTION_ID_FIXEDBUFS || id == OPTION_ID_REGISTERFILES ||
	       id == OPTION_ID_TIME_BASED || id == OPTION_ID_NORANDOMMAP ||
	       id == OPTION_ID_GROUP_REPORTING || id == OPTION_ID_BS_UNALIGNED ||
	       id == OPTION_ID_ZERO_BUFFERS || id == OPTION_ID_REFILL_BUFFERS;
}

/* fio's "buffered" is direct, turned round. */
static bool is_buffered(const char *name)
{
	return strcmp(name, "buffered") == 0;
}

bool fio_option_wants_value(const char *name)
{
	const struct option *option = option_find(name);

	return is_buffered(name) || (option && !goes_bare(option->id));
}

int fio_option_set(const char *dashes, const char *name, const char *value,
		   struct workload *workload, struct error *err)
{
	const struct option *option =
		is_buffered(name) ? option_at(OPTION_ID_DIRECT) : option_find(name);
	char text[ERROR_MESSAGE_MAX];
	int r;

	if (!option)
		return unknown_option(name, err);
	if (!value && fio_option_wants_value(name))
		return error_set(err, ERROR_BAD_VALUE, "", "%s%s needs a value: %s%s=...", dashes,
				 name, dashes, name);
	if (!value)
		value = "1";
	if (is_buffered(name) && (strcmp(value, "0") == 0 || strcmp(value, "1") == 0))
		value = *value == '0' ? "1" : "0";
	if (option->id == OPTION_ID_NAME && workload_is_set(workload, OPTION_ID_NAME))
		return error_set(err, ERROR_UNSUPPORTED, "",
				 "a second %sname begins a second job: give each a workload of its "
				 "own",
				 dashes);
	r = check_meaning(dashes, option, value, err);
	if (r < 0)
		return r;
	r = option_parse(option, value, workload, err);
	if (r == -EINVAL && err) {
		(void)snprintf(text, sizeof(text), "%s", err->message);
		return error_set(err, err->code, "", "%s%s: %s", dashes, name, text);
	}
	return r;
}

/* ---- out ---- */

/* The engine of fio that does what ours does; fio has no thread pool but posixaio's. */
static const char *fio_engine(const struct workload *workload)
{
	if (!workload_is_set(workload, OPTION_ID_IOENGINE))
		return "io_uring";
	if (workload->ioengine == IOENGINE_THREADS)
		return "posixaio";
	return workload_ioengine_choices[workload->ioengine];
}

/* Whether an option is put as it stands. */
static bool is_written(const struct workload *workload, enum option_id id)
{
	switch (id) {
	case OPTION_ID_NAME: /* these seven are written by hand, before or after the others */
	case OPTION_ID_FILENAME:
	case OPTION_ID_DIRECTORY:
	case OPTION_ID_IOENGINE:
	case OPTION_ID_REGIONS:
	case OPTION_ID_RWMIXWRITE:
	case OPTION_ID_INTERLOCKED: /* fio has none: workload_beyond_fio() */
	case OPTION_ID_REFILL_BUFFERS:
		return false;
	case OPTION_ID_SCRAMBLE_BUFFERS:
		return !workload->scramble_buffers ||
		       (workload->zero_buffers && workload_is_set(workload, id));
	case OPTION_ID_BS:
		return workload_size_option(workload) == OPTION_ID_BS;
	case OPTION_ID_RWMIXREAD:
		return workload_mixed(workload);
	case OPTION_ID_SIZE:
		return workload->size != 0;
	case OPTION_ID_RUNTIME:
		return workload->runtime_ns != 0;
	case OPTION_ID_RANDSEED:
		return workload_is_set(workload, id);
	case OPTION_ID_OFFSET:
		return workload->offset != 0;
	case OPTION_ID_BATCH_COMPLETE_MIN:
		return workload->batch_complete_min > 1;
	case OPTION_ID_FSYNC:
		return workload->fsync != 0;
	case OPTION_ID_RAMP_TIME:
		return workload->ramp_time_ns != 0;
	case OPTION_ID_SYNC:
		return workload->sync != SYNC_NONE;
	case OPTION_ID_NORANDOMMAP:
		return workload->norandommap;
	case OPTION_ID_TIME_BASED:
		return workload->time_based;
	default:
		return option_told(option_at(id), workload);
	}
}

/* In a path a ":" is escaped: fio takes it for the start of another file's name. Heap. */
static char *escape_path(const char *path)
{
	char *escaped = malloc(2 * strlen(path) + 1), *to = escaped;

	if (!escaped)
		return NULL;
	for (; *path; path++) {
		if (*path == ':')
			*to++ = '\\';
		*to++ = *path;
	}
	*to = '\0';
	return escaped;
}

static int put_table(const struct workload *workload, fio_option_put *put, void *arg)
{
	for (int id = 0; id < OPTION_ID_COUNT; id++) {
		const struct option *option = option_at((enum option_id)id);
		char *text;

		if (!is_written(workload, (enum option_id)id))
			continue;
		text = option_format(option, workload);
		if (!text)
			return -ENOMEM;
		put(arg, option->name, text);
		free(text);
	}
	return 0;
}

/* A part, to be read only, at the place that it has behind those before it. */
static struct workload placed_part(const struct workload *whole, size_t index, bool directory)
{
	struct workload part = *workload_part(whole, index); /* shares its texts */

	for (size_t i = 0; i < index && !directory && part.regions == REGIONS_DISJOINT; i++)
		part.offset += whole->parts[i].size * whole->parts[i].numjobs; /* was checked */
	return part;
}

int fio_option_each(const struct workload *whole, size_t part, const char *path, bool directory,
		    fio_option_put *put, void *arg)
{
	const struct workload placed = placed_part(whole, part, directory), *workload = &placed;
	char *escaped = escape_path(path), increment[24];
	int r;

	if (!escaped)
		return -ENOMEM;
	put(arg, directory ? "directory" : "filename", escaped);
	free(escaped);
	put(arg, "ioengine", fio_engine(workload));
	r = put_table(workload, put, arg);
	if (r < 0)
		return r;
	if (!directory && workload->regions == REGIONS_DISJOINT && workload->numjobs > 1 &&
	    workload->size != 0) {
		(void)snprintf(increment, sizeof(increment), "%" PRIu64, workload->size);
		put(arg, "offset_increment", increment);
	}
	if (workload_writes(workload) && workload->refill_buffers && !workload->zero_buffers)
		put(arg, "refill_buffers", "1");
	return 0;
}
