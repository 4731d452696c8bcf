/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpus.c - see cpus.h. The words are those of fio's cpus_allowed (options.c), which also takes what
 * is no number and turns a range round; here that is an error. */
#include "engine/plan/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"

static int not_a_list(const char *text, struct error *err)
{
	char quoted[TEXT_EXCERPT_MAX];

	return error_set(err, ERROR_BAD_VALUE, "",
			 "\"%s\" is no list of CPUs: write numbers and ranges, as in 0-1,3",
			 text_excerpt(text, quoted));
}

/* Digits at *at, which is moved behind them. */
static int parse_number(const char *text, const char **at, size_t *ret_number, struct error *err)
{
	size_t number = 0;

	if (**at < '0' || **at > '9')
		return not_a_list(text, err);
	for (; **at >= '0' && **at <= '9'; (*at)++) {
		number = number * 10 + (size_t)(**at - '0');
		if (number >= CPUS_MAX)
			return error_set(err, ERROR_OUT_OF_RANGE, "",
					 "CPUs are numbered from 0 to %d here at most",
					 CPUS_MAX - 1);
	}
	*ret_number = number;
	return 0;
}

int cpus_parse(const char *text, struct cpus *ret_cpus, struct error *err)
{
	struct cpus cpus = {0};

	for (const char *at = text;; at++) {
		size_t first = 0, last;
		int r = parse_number(text, &at, &first, err);

		last = first;
		if (r == 0 && *at == '-') {
			at++;
			r = parse_number(text, &at, &last, err);
		}
		if (r < 0)
			return r;
		if (last < first || (*at != '\0' && *at != ','))
			return not_a_list(text, err);
		for (size_t i = first; i <= last; i++)
			cpus_add(&cpus, i);
		if (*at == '\0')
			break;
	}
	*ret_cpus = cpus;
	return 0;
}

size_t cpus_count(const struct cpus *cpus)
{
	size_t count = 0;

	for (size_t i = 0; i < CPUS_MAX / 64; i++)
		count += (size_t)__builtin_popcountll(cpus->bits[i]);
	return count;
}

size_t cpus_nth(const struct cpus *cpus, size_t n)
{
	size_t number = 0;

	n %= cpus_count(cpus);
	for (;; number++)
		if (cpus_has(cpus, number) && n-- == 0)
			return number;
}

void cpus_remove(struct cpus *cpus, const struct cpus *other)
{
	for (size_t i = 0; i < CPUS_MAX / 64; i++)
		cpus->bits[i] &= ~other->bits[i];
}

const char *cpus_format(const struct cpus *cpus, char buffer[CPUS_TEXT_MAX])
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t first = 0, last; first < CPUS_MAX; first = last + 1) {
		char range[16];

		last = first;
		if (!cpus_has(cpus, first))
			continue;
		while (last + 1 < CPUS_MAX && cpus_has(cpus, last + 1))
			last++;
		if (last > first)
			(void)snprintf(range, sizeof(range), "%zu-%zu", first, last);
		else
			(void)snprintf(range, sizeof(range), "%zu", first);
		if (used + strlen(range) + sizeof(",,...") > CPUS_TEXT_MAX) {
			(void)snprintf(buffer + used, CPUS_TEXT_MAX - used, ",...");
			break;
		}
		used += (size_t)snprintf(buffer + used, CPUS_TEXT_MAX - used, "%s%s",
					 used ? "," : "", range);
	}
	return buffer;
}
