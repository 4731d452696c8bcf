/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kstat.c - see kstat.h. */
#include "engine/zfs/kstat.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "/proc/spl/kstat/zfs/"

static int open_kstat(const char *name)
{
	char path[512];
	int n = snprintf(path, sizeof(path), ROOT "%s", name), fd;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

int kstat_read(const char *name, char *buffer, size_t size)
{
	AUTO_CLOSE int fd = open_kstat(name);
	size_t used = 0;

	if (fd < 0)
		return fd;
	for (;;) {
		ssize_t n = read(fd, buffer + used, size - 1 - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		used += (size_t)n;
		if (used + 1 == size) { /* the older half goes */
			memmove(buffer, buffer + size / 2, used - size / 2);
			used -= size / 2;
		}
	}
	buffer[used] = '\0';
	return 0;
}

/* ---- lines ---- */

/* The start of the line behind this one; NULL at the end. */
static const char *next_line(const char *line)
{
	const char *newline = strchr(line, '\n');

	return newline && newline[1] ? newline + 1 : NULL;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* The word at text, as a number, and where it ends; false where it is none. */
static bool word_number(const char **text, uint64_t *ret_value)
{
	const char *word = skip_blanks(*text);
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)*word)) /* no sign */
		return false;
	errno = 0;
	value = strtoull(word, &end, 10);
	if (errno != 0 || (*end && !isspace((unsigned char)*end)))
		return false;
	*text = end;
	*ret_value = value;
	return true;
}

/* "name    type    value" */
static bool line_value(const char *line, const char *name, size_t length, uint64_t *ret_value)
{
	uint64_t type;

	if (strncmp(line, name, length) != 0 || (line[length] != ' ' && line[length] != '\t'))
		return false;
	line += length;
	return word_number(&line, &type) && word_number(&line, ret_value);
}

bool kstat_value(const char *text, const char *name, uint64_t *ret_value)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = next_line(line))
		if (line_value(line, name, length, ret_value))
			return true;
	return false;
}

bool kstat_arc(const char *text, struct kstat_arc *ret_arc)
{
	struct kstat_arc arc = {0};
	const struct {
		const char *name;
		uint64_t *value;
	} others[] = {
		{"demand_data_iohits", &arc.demand_data_iohits},
		{"prefetch_data_misses", &arc.prefetch_data_misses},
		{"l2_hits", &arc.l2_hits},
		{"l2_misses", &arc.l2_misses},
		{"size", &arc.size},
		{"c_max", &arc.c_max},
	};

	if (!kstat_value(text, "demand_data_hits", &arc.demand_data_hits) ||
	    !kstat_value(text, "demand_data_misses", &arc.demand_data_misses))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		(void)kstat_value(text, others[i].name, others[i].value); /* 0 where it is not */
	*ret_arc = arc;
	return true;
}

/* "txg birth state ndirty ...": false where the line is none of a synced one. */
static bool line_txg(const char *line, uint64_t *ret_txg, uint64_t *ret_dirty)
{
	uint64_t birth;

	if (!word_number(&line, ret_txg) || !word_number(&line, &birth))
		return false;
	line = skip_blanks(line);
	if (*line != 'C')
		return false;
	line++;
	return word_number(&line, ret_dirty);
}

bool kstat_txgs(const char *text, uint64_t after, struct kstat_txgs *ret_txgs)
{
	struct kstat_txgs txgs = {0};
	bool any = false;

	for (const char *line = text; line; line = next_line(line)) {
		uint64_t txg, dirty;

		if (!line_txg(line, &txg, &dirty))
			continue;
		any = true;
		if (txg > txgs.newest)
			txgs.newest = txg;
		if (txg > after && dirty > txgs.dirty_bytes)
			txgs.dirty_bytes = dirty;
	}
	if (any)
		*ret_txgs = txgs;
	return any;
}
