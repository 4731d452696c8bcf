/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * import_fio_options.c - see import_fio.h.
 *
 * fio lists the options that were given with a value, as typed; flags given bare are missing. What
 * is not listed has fio's default, which is therefore known of options that take a value.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/plan/fio_option.h"
#include "server/import/import_fio.h"

#define GIVEN_MAX 4000 /* bytes of the command line that is kept */

/* fio's HOWTO. What another option takes the place of is no default. */
static const struct {
	const char *name, *value;
	const char *unless[3];
} defaults[] = {
	{"rw", "read", {"readwrite"}}, {"bs", "4k", {"blocksize", "bssplit", "bsrange"}},
	{"iodepth", "1", {NULL}},      {"numjobs", "1", {NULL}},
	{"direct", "0", {"buffered"}},
};

static const json_t *options_of(const struct fio_group *group)
{
	return json_object_get(group->first, "job options");
}

static bool listed(const struct fio_group *group, const char *name)
{
	return json_object_get(options_of(group), name) || json_object_get(group->global, name);
}

/* A value that we do not read is not known: neither is one that it lies over. */
static int set(const char *name, const json_t *value, struct workload *options)
{
	const struct option *option = option_find(name);
	const char *text = json_string_value(value);
	int r;

	if (strcmp(name, "name") == 0 || !json_is_string(value))
		return 0;
	r = fio_option_set("", name, *text ? text : NULL, options, NULL);
	if (r < 0 && r != -ENOMEM && option)
		workload_unset(options, option->id);
	return r == -ENOMEM ? r : 0;
}

static int set_all(const json_t *list, struct workload *options)
{
	const char *name;
	json_t *value;
	int r = 0;

	json_object_foreach ((json_t *)list, name, value) {
		r = set(name, value, options);
		if (r < 0)
			break;
	}
	return r;
}

/* Whether fio itself says that one operation was outstanding at most. */
static bool one_at_a_time(const struct fio_group *group)
{
	const json_t *level = json_object_get(json_object_get(group->first, "iodepth_level"), "1");

	return !level || json_number_value(level) >= 99.9;
}

static int set_defaults(const struct fio_group *group, struct workload *options)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(defaults) && r == 0; i++) {
		bool given = listed(group, defaults[i].name);

		for (size_t k = 0; k < ARRAY_SIZE(defaults[i].unless); k++)
			given |= defaults[i].unless[k] && listed(group, defaults[i].unless[k]);
		if (!given)
			r = option_parse(option_find(defaults[i].name), defaults[i].value, options,
					 NULL);
	}
	if (r == 0 && workload_is_set(options, OPTION_ID_RW) &&
	    (options->rw == RW_RW || options->rw == RW_RANDRW) && !listed(group, "rwmixread") &&
	    !listed(group, "rwmixwrite"))
		r = option_parse(option_at(OPTION_ID_RWMIXREAD), "50", options, NULL);
	/* psync on most systems, windowsaio on one: only where the depth agrees */
	if (r == 0 && !listed(group, "ioengine") && one_at_a_time(group))
		r = option_parse(option_at(OPTION_ID_IOENGINE), "psync", options, NULL);
	return r;
}

/* ---- as a command line ---- */

/* What is laid over by `over` is left out. */
static void write_list(FILE *out, const json_t *list, const json_t *over)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)list, name, value) {
		const char *text = json_string_value(value);

		if (!text || strcmp(name, "name") == 0 || json_object_get(over, name))
			continue;
		(void)fprintf(out, "%s--%s%s%s", ftell(out) > 0 ? " " : "", name, *text ? "=" : "",
			      text);
	}
}

static int write_given(const struct fio_group *group, char **ret_given)
{
	AUTO_FREE char *text = NULL;
	char *clean;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	write_list(out, group->global, options_of(group));
	write_list(out, options_of(group), NULL);
	if (fclose(out) != 0)
		return -ENOMEM;
	if (size == 0)
		return 0;
	clean = malloc(GIVEN_MAX + 1);
	if (!clean)
		return -ENOMEM;
	*ret_given = clean;
	(void)text_clean(text, clean, GIVEN_MAX + 1);
	return 0;
}

int fio_options_read(struct fio_group *group, struct sample *sample)
{
	struct workload *options = &sample->options;
	int r = set_all(group->global, options);

	if (r == 0)
		r = set_all(options_of(group), options);
	if (r == 0 && json_is_object(options_of(group)))
		r = set_defaults(group, options);
	if (r == 0)
		r = write_given(group, &sample->source->given);
	if (r == 0 && options->filename) {
		sample->target = strdup(options->filename);
		r = sample->target ? 0 : -ENOMEM;
	}
	return r < 0 ? error_no_memory(group->err) : 0;
}
