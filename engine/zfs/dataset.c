/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dataset.c - `zfs get` and what it prints (zfs-get(8), cmd/zfs/zfs_main.c of 2.1 and 2.3), and
 * `zfs mount`. Making and destroying: dataset_create.c, dataset_destroy.c.
 */
#include "engine/zfs/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

bool zfs_number(const char *value, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (!value || !value[0])
		return false;
	for (; *value; value++)
		if (*value < '0' || *value > '9' || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*value - '0'), &number))
			return false;
	*ret_number = number;
	return true;
}

/* By hand: strtod() asks the locale for its point. */
bool zfs_ratio(const char *value, double *ret_ratio)
{
	double ratio = 0, unit = 1;
	size_t digits = 0;
	bool point = false;

	if (!value)
		return false;
	for (; *value && strchr("0123456789.", *value); value++) {
		if (*value == '.') {
			if (point)
				return false;
			point = true;
			continue;
		}
		if (++digits > 18)
			return false;
		ratio = ratio * 10 + (*value - '0');
		if (point)
			unit *= 10;
	}
	if (digits == 0 || (*value && strcmp(value, "x") != 0))
		return false;
	*ret_ratio = ratio / unit;
	return true;
}

/* ---- zfs get ---- */

void zfs_values_done(struct zfs_value *values, size_t count)
{
	for (size_t i = 0; values && i < count; i++) {
		free(values[i].value);
		free(values[i].source);
	}
	free(values);
}

/* "a,b,c" of those not dropped; NULL where memory is short. */
static char *join(const char *const *names, const bool *dropped, size_t count)
{
	size_t length = 1, used = 0;
	char *text;

	for (size_t i = 0; i < count; i++)
		length += strlen(names[i]) + 1;
	text = malloc(length);
	if (!text)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t part = strlen(names[i]);

		if (dropped[i])
			continue;
		if (used > 0)
			text[used++] = ',';
		memcpy(text + used, names[i], part);
		used += part;
	}
	text[used] = '\0';
	return text;
}

static int unreadable(const char *dataset, struct error *err)
{
	(void)error_set(err, ERROR_ZFS_FAILED, "", "zfs get of %s printed what cannot be read",
			dataset);
	return -EBADMSG;
}

/* One line "property<tab>value<tab>source"; a value of a user property may hold tabs. */
static int take_line(char *line, const char *const *names, size_t count, struct zfs_value *values)
{
	char *value = strchr(line, '\t');
	char *source = value ? strrchr(value + 1, '\t') : NULL;

	if (!source)
		return -EBADMSG;
	*value++ = '\0';
	*source++ = '\0';
	for (size_t i = 0; i < count; i++) {
		if (values[i].value || strcmp(names[i], line) != 0)
			continue;
		values[i].value = strdup(value);
		values[i].source = strdup(source);
		return values[i].value && values[i].source ? 0 : -ENOMEM;
	}
	return -EBADMSG;
}

/* Exactly the lines asked for: a value with a line break could otherwise pass for another
 * property. */
static int take_lines(char *out, const char *dataset, const char *const *names, const bool *dropped,
		      size_t count, struct zfs_value *values, struct error *err)
{
	size_t wanted = 0, lines = 0;

	for (size_t i = 0; i < count; i++)
		wanted += !dropped[i];
	while (*out) {
		char *end = strchr(out, '\n');
		int r;

		if (!end)
			return unreadable(dataset, err); /* cut off */
		*end = '\0';
		r = take_line(out, names, count, values);
		if (r == -ENOMEM)
			return error_no_memory(err);
		if (r < 0)
			return unreadable(dataset, err);
		out = end + 1;
		lines++;
	}
	return lines == wanted ? 0 : unreadable(dataset, err);
}

/* "bad property list: invalid property 'direct'": notes that this one is not known here. */
static bool drop_unknown(const char *words, const char *const *names, bool *dropped, size_t count)
{
	static const char mark[] = "invalid property '";
	const char *name = strstr(words, mark);

	if (!name)
		return false;
	name += sizeof(mark) - 1;
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]);

		if (!dropped[i] && strncmp(names[i], name, length) == 0 && name[length] == '\'') {
			dropped[i] = true;
			return true;
		}
	}
	return false;
}

/* Asks once. *ret_again: one of them is not known, and is now dropped. */
static int get_once(const char *dataset, const char *const *names, bool *dropped, size_t count,
		    struct zfs_value *values, bool *ret_again, struct error *err)
{
	AUTO_FREE char *list = join(names, dropped, count);
	const char *arguments[] = {"get", "-Hp",   "-o", "property,value,source",
				   list,  dataset, NULL};
	char doing[ZFS_NAME_BYTES + 32];
	struct zfs_output output;
	int r;

	*ret_again = false;
	if (!list)
		return error_no_memory(err);
	if (!list[0])
		return 0; /* it knows none of them */
	r = zfs_run(ZFS_PROGRAM_ZFS, arguments, NULL, &output, err);
	if (r < 0)
		return r;
	(void)snprintf(doing, sizeof(doing), "asking OpenZFS of %.*s", ZFS_NAME_BYTES - 1, dataset);
	if (output.status == 0)
		r = take_lines(output.out, dataset, names, dropped, count, values, err);
	else if (drop_unknown(output.error_text, names, dropped, count))
		*ret_again = true;
	else
		r = zfs_told(&output, doing, err);
	zfs_output_done(&output);
	return r;
}

int zfs_get(const char *dataset, const char *const *names, size_t count,
	    struct zfs_value **ret_values, struct error *err)
{
	AUTO_FREE bool *dropped = calloc(count + 1, sizeof(*dropped));
	struct zfs_value *values = calloc(count + 1, sizeof(*values));
	bool again = true;
	int r;

	r = dropped && values ? zfs_name_check(dataset, err) : error_no_memory(err);
	while (r == 0 && again)
		r = get_once(dataset, names, dropped, count, values, &again, err);
	if (r < 0)
		zfs_values_done(values, count);
	else
		*ret_values = values;
	return r;
}

/* OpenZFS refuses a write once what is used has reached a limit, so 0 is what is found; the rest is
 * for what others free meanwhile. */
#define FULL_BELOW (UINT64_C(1) << 20)

bool zfs_is_full(const char *dataset)
{
	static const char *const names[] = {"available"};
	struct zfs_value *values;
	uint64_t available;
	bool full;

	if (zfs_get(dataset, names, 1, &values, NULL) < 0)
		return false;
	full = zfs_number(values[0].value, &available) && available < FULL_BELOW;
	zfs_values_done(values, 1);
	return full;
}

int zfs_mount(const char *dataset, const struct zfs_patience *patience, struct error *err)
{
	const char *arguments[] = {"mount", dataset, NULL};
	char doing[ZFS_NAME_BYTES + 32];
	int r = zfs_name_check(dataset, err);

	if (r < 0)
		return r;
	(void)snprintf(doing, sizeof(doing), "mounting %s", dataset);
	return zfs_do(ZFS_PROGRAM_ZFS, arguments, patience, doing, NULL, err);
}
